"""Antes, blinds and posts: the start of a hand, and players who enter it before anyone acts.

Source: Robert's Rules of Poker, section 4 (blinds), TDA RP-11 (ante for all).
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.awards import void_hand
from controller.rules.forced_bets.straddles import (
    post_live_bet,
    post_live_bets,
    post_rock_and_kill,
    reject_after_action,
    restart_first_round,
    with_forced_bet,
)
from controller.rules.game import Game
from controller.rules.hand import (
    NO_SEATS,
    ZERO_AMOUNTS,
    Hand,
    HandEvent,
    Phase,
    clockwise_after,
    reject_event,
    replace,
    with_amount,
)
from controller.rules.legal_actions import playable_chips
from controller.rules.refusals import Refusal, RuleRefusal, raise_if_refused
from controller.rules.seating.button_and_blinds import Placement, ante_position, is_between


def start_hand(
    game: Game,
    placement: Placement,
    stacks: Mapping[int, int],
    unknown_stacks: frozenset[int] = NO_SEATS,
    *,
    rock: int = 0,
    killer: int = 0,
    third_player_seated: bool = False,
) -> Hand:
    """Return a hand with antes and blinds posted and its first round open.

    In stud the hand waits for the bring-in instead. A seat with too few chips posts what it has and is all-in. The
    other seats still face the full blind.

    - `stacks` has a stack for each seat that is dealt in.
    - `rock` is the seat that has the rock, or 0. The seat straddles if it is under the gun.
    - `killer` is the seat that owes the kill blind, or 0.
    - `third_player_seated` is True if three or more players are seated, whether or not they are dealt in.

    Source: Robert's Rules 4, TDA RP-11.
    """
    seat_stacks = list(ZERO_AMOUNTS)
    for seat, stack in stacks.items():
        seat_stacks[seat] = stack
    largest_blind = max([amount for _, amount in placement.blind_amounts], default=0)
    hand = replace(
        _UNDEALT,
        game=game,
        button=placement.button,
        dealt_seats=clockwise_after(stacks, placement.button),
        stacks=tuple(seat_stacks),
        unknown_stacks=unknown_stacks,
        small_blind_seat=placement.small_blind_seat,
        big_blind_seat=placement.big_blind_seat,
        board_count=game.boards,
        only_two_seated=game.heads_up_uncapped is None and len(stacks) < 3 and not third_player_seated,
    )
    hand = with_forced_bet(hand, largest_blind)
    hand = _first_round(hand, placement)
    return post_rock_and_kill(hand, rock, killer) if hand.big_blind_seat else hand


_UNDEALT = Hand(Game(), button=0, dealt_seats=(), stacks=ZERO_AMOUNTS, unknown_stacks=NO_SEATS)
"""Template of every new hand. Copying the template takes a tenth of the time of setting all fields of a new hand."""


def _post_all_antes(hand: Hand, placed: Placement) -> Hand:
    """Return a copy of the hand with the antes of the game paid.

    If one seat must pay the ante for all players and is not dealt in, the ante is not paid.
    Source: Betting in poker, "Ante", TDA RP-11.
    """
    game = hand.game
    if game.ante_by == "each":
        return post_antes(hand, hand.dealt_seats, game.ante)
    return _post_ante_for_all(hand, placed.ante_position(game), game.ante_for_all(len(hand.dealt_seats)))


def _post_ante_for_all(hand: Hand, payer: int, amount: int) -> Hand:
    """Return a copy of the hand in which the payer has paid this amount of the ante for all, if it is dealt in."""
    if payer not in hand.dealt_seats:
        return hand
    after = _post_dead(hand, payer, amount)
    return replace(after, antes_total=hand.antes_total + after.middle - hand.middle)


def post_antes(hand: Hand, seats: tuple[int, ...], amount: int) -> Hand:
    """Return a copy of the hand in which the seats have paid the ante, or are all-in for less."""
    paid, stacks, all_in = list(hand.paid_earlier), list(hand.stacks), set()
    for seat in seats:
        playable = playable_chips(hand, seat)
        paid[seat] = min(amount, playable)
        stacks[seat] -= paid[seat]
        if paid[seat] >= playable:
            all_in.add(seat)
    antes = sum([paid[seat] for seat in seats])
    after = replace(
        hand,
        paid_earlier=tuple(paid),
        stacks=tuple(stacks),
        all_in=hand.all_in | all_in,
        middle=hand.middle + antes,
        antes_total=hand.antes_total + antes,
    )
    if hand.game.unit == 1:
        return after
    return replace(after, all_in=after.all_in | {seat for seat in seats if not playable_chips(after, seat)})


def _first_round(hand: Hand, placed: Placement) -> Hand:
    """Return a copy of the hand with antes and blinds posted and the first round open. Live blinds count as bets."""
    game = hand.game
    blind_first = game.ante_order == "blind" and game.ante_by != "each"
    if game.ante and not blind_first:
        hand = _post_all_antes(hand, placed)
    # If fewer players are dealt in than the game has blinds, nobody owes the first blinds of the list.
    due = sum(game.blinds[-len(hand.dealt_seats) :])
    if game.dead_small_blind or placed.button_buyer:
        hand = _with_dead_blinds(hand, placed)
    else:
        hand = post_live_bets(hand, placed.blind_amounts)
        hand = replace(hand, blind_shortfall=max(0, due - sum(hand.posted_blinds)))
    if game.ante and blind_first:
        hand = _post_all_antes(hand, placed)
    if game.variant_rules.opener_by_cards and not hand.current_bet:
        return replace(hand, phase=Phase.BRING_IN if len(hand.active_seats) > 1 else Phase.CLOSED)
    return restart_first_round(hand)


def _with_dead_blinds(hand: Hand, placed: Placement) -> Hand:
    """Return a copy of the hand with the blinds posted, in which a small blind can be dead money.

    Dead money goes into the middle and does not count as a bet. The small blind is dead if the house plays
    `dead_small_blind`, or if one seat posts both blinds to buy the button.
    Source: Betting in poker, "Pot limit"; the house rule "buy the button" (T. Angelo).
    """
    game, before = hand.game, hand
    dead = [(placed.button_buyer, game.blinds[-2])] if placed.button_buyer else []
    if game.dead_small_blind:
        dead += [
            blind for blind in placed.blind_amounts if blind[0] in placed.small_blind_seats and not placed.button_buyer
        ]
    seats = {seat for seat, _ in dead} - {placed.button_buyer}
    hand = post_live_bets(hand, tuple(blind for blind in placed.blind_amounts if blind[0] not in seats))
    for seat, amount in dead:
        hand = _post_dead(hand, seat, amount)
    posted = sum(hand.posted_blinds) + hand.middle - before.middle
    due = sum(game.blinds[-len(hand.dealt_seats) :])
    small_blinds = [
        hand.dead_money[seat] - before.dead_money[seat] if seat in seats else 0 for seat in range(len(hand.dead_money))
    ]
    return replace(hand, dead_small_blinds=tuple(small_blinds), blind_shortfall=max(0, due - posted))


def _post_dead(hand: Hand, seat: int, amount: int) -> Hand:
    """Return a copy of the hand in which the seat has put in dead chips, or is all-in for less."""
    amount = min(amount, playable_chips(hand, seat))
    after = replace(
        hand,
        dead_money=with_amount(hand.dead_money, seat, hand.dead_money[seat] + amount),
        middle=hand.middle + amount,
        stacks=with_amount(hand.stacks, seat, hand.stacks[seat] - amount),
    )
    return after if playable_chips(after, seat) else replace(after, all_in=after.all_in | {seat})


# --- posts after the hand has started and before anyone acts ---


def reject_post_to_enter(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why the seat cannot enter the hand with a post, or None if it can.

    Source: Robert's Rules 4.8 (not between the blinds).
    """
    if seat in hand.dealt_seats:
        return Refusal(RuleRefusal.DEALT_IN_ALREADY, seat)
    refusal = reject_after_action(hand)
    if refusal is not None:
        return refusal
    is_between_blinds = hand.game.between_blinds == "wait" and is_between(hand.button, seat, hand.big_blind_seat)
    return Refusal(RuleRefusal.BETWEEN_BLINDS, seat) if hand.big_blind_seat and is_between_blinds else None


def post_to_enter(hand: Hand, seat: int, stack: int, live: int, dead: int, *, stack_unknown: bool = False) -> Hand:
    """Return a copy of the hand in which the seat is dealt in and has posted.

    The amount `live` counts as a bet, and the amount `dead` goes into the middle. If one seat pays an ante for each
    player (`ante_per_player`), it also pays for this seat.

    Raise RuleError if the post is too late or not allowed.
    Source: Robert's Rules 4.5, 4.8 and 4.10.
    """
    raise_if_refused(reject_post_to_enter(hand, seat))
    order = clockwise_after((*hand.dealt_seats, seat), hand.button)
    hand = replace(hand, dealt_seats=order, stacks=with_amount(hand.stacks, seat, stack))
    if stack_unknown:
        hand = replace(hand, unknown_stacks=hand.unknown_stacks | {seat})
    game = hand.game
    if game.ante and game.ante_by == "each":
        hand = post_antes(hand, (seat,), game.ante)
    elif game.ante_per_player:
        hand = _post_ante_for_all(hand, ante_position(game, hand.button, hand.big_blind_seat), game.ante)
    hand = _post_dead(post_live_bet(hand, seat, live), seat, dead)
    if hand.phase is Phase.BRING_IN:
        return hand
    return restart_first_round(with_forced_bet(hand, live) if live > hand.current_bet else hand)


def reject_button_purchase(hand: Hand, seat: int) -> Refusal | None:
    """Return the reason why the seat cannot buy the button, or None if it can.

    The buyer must sit left of the button, in the place of the small blind, and must not be dealt in yet.
    Source: the house rule "buy the button" (T. Angelo).
    """
    if not hand.game.buy_button:
        return Refusal(RuleRefusal.NO_BUTTON_PURCHASE)
    if not hand.big_blind_seat or len(hand.game.blinds) < 2:
        return Refusal(RuleRefusal.NO_BIG_BLIND)
    if seat in hand.dealt_seats:
        return Refusal(RuleRefusal.DEALT_IN_ALREADY, seat)
    refusal = reject_after_action(hand)
    if refusal is not None:
        return refusal
    is_next = len(hand.dealt_seats) > 2 and is_between(hand.button, seat, hand.dealt_seats[0])
    return None if is_next else Refusal(RuleRefusal.NOT_NEXT_TO_BUTTON, seat)


# --- chopped blinds ---


def reject_chop_blinds(hand: Hand, posting: frozenset[int]) -> Refusal | None:
    """Return the reason why the live seats cannot chop (take back) the blinds, or None if they can.

    `posting` contains the seats that had to post a blind. A chop is possible if all of these are true:

    - At least two seats are live, and every live seat had to post a blind.
    - The first round is not over, and no straddle or kill was posted.
    - No seat has bet more than its blind.
    - The pot contains nothing but the blinds of the live seats.

    Source: table-scripts.md, `chop`.
    """
    if not hand.game.chop:
        return Refusal(RuleRefusal.NO_CHOP)
    refusal = reject_event(hand, HandEvent.CHOP)
    if refusal is not None:
        return refusal
    if not hand.big_blind_seat:
        return Refusal(RuleRefusal.NO_BIG_BLIND)
    if len(hand.live_seats) < 2:
        return Refusal(RuleRefusal.ONE_PLAYER_LEFT, hand.live_seats[0] if hand.live_seats else 0)
    more_than_blinds = hand.round_number > 1 or hand.straddle_seats or hand.kill_seat or hand.bets != hand.posted_blinds
    dead_chips = sum([hand.dead_small_blinds[seat] for seat in hand.live_seats])
    others_chips = hand.middle != dead_chips or any(hand.bets[seat] for seat in hand.folded)
    return (
        Refusal(RuleRefusal.MORE_THAN_BLINDS_IN)
        if more_than_blinds or others_chips or not posting.issuperset(hand.live_seats)
        else None
    )


def chop_blinds(hand: Hand, posting: frozenset[int]) -> Hand:
    """Return a copy of the hand after a chop: each seat gets its blind back and nobody wins.

    Raise RuleError if a chop is not possible.
    Source: table-scripts.md, `chop`.
    """
    raise_if_refused(reject_chop_blinds(hand, posting))
    return void_hand(hand)
