"""Start of a script in the middle of a hand, which the section `[here]` describes.

`[here]` lists the bets, the pot and the turn. The rest, such as the number of raises, is derived from the bets.
"""

from __future__ import annotations

import msgspec

from controller.config import BadInputError, parse_seat, quote_value
from controller.rules import (
    BIG_BET_STRUCTURES,
    MAX_AMOUNT,
    NO_SEATS,
    ZERO_AMOUNTS,
    Game,
    Hand,
    Phase,
    SeatAmounts,
    actions,
    betting_structures,
    clockwise_after,
    replace,
    with_amount,
)
from controller.table import Street, Table


class MidHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of the section `[here]` as they appear in the file. `pot` is the amount in the pot from earlier rounds."""

    round: int = 1
    pot: int = 0
    bets: dict[str, int] = {}
    turn: int | None = None
    last_raise: int = 0
    folded: list[int] = []


def check_mid_hand(mid_hand: MidHand, table: Table) -> None:
    """Raise BadInputError if `[here]` describes a hand that is impossible at this table."""
    rounds = len(table.game.variant_rules.round_names)
    if not 1 <= mid_hand.round <= rounds:
        raise BadInputError(f"here.round = {mid_hand.round}: expected 1 to {rounds}")
    amounts = {
        "pot": mid_hand.pot,
        "last_raise": mid_hand.last_raise,
        **{f"bets.{seat}": bet for seat, bet in mid_hand.bets.items()},
    }
    for key, amount in amounts.items():
        if not 0 <= amount <= MAX_AMOUNT:
            raise BadInputError(f"here.{key} = {quote_value(amount)}: expected an amount from 0 to {MAX_AMOUNT}")
    _check_seats(mid_hand, table)
    _check_last_raise(mid_hand, table)
    if mid_hand.turn is not None and (mid_hand.turn in mid_hand.folded or not table.players[mid_hand.turn].stack):
        raise BadInputError(f"here.turn = {mid_hand.turn}: expected a seat with chips behind that has not folded")
    if table.players.keys() <= set(mid_hand.folded):
        raise BadInputError(
            f"here.folded = {quote_value(mid_hand.folded)}: expected at least one seat that has not folded"
        )


def _check_last_raise(mid_hand: MidHand, table: Table) -> None:
    """Raise BadInputError if the size of the last raise is missing and cannot be derived from the bets.

    This is so if a seat is all-in with the largest bet, which may be too small for a raise. Example: after a bet of 30
    and an all-in to 50, the least raise is to 80. After a bet of 10 and a raise to 30, an all-in to 50 is a full raise,
    and the bets of 30 and 50 are the same.
    """
    game, bets = table.game, {int(seat): bet for seat, bet in mid_hand.bets.items()}
    if mid_hand.last_raise or not any(bets.values()) or game.structure not in BIG_BET_STRUCTURES:
        return
    forced = _forced_bet(game, mid_hand.round)
    second, largest = sorted({0, *bets.values()})[-2:]
    all_in = [seat for seat in sorted(bets) if bets[seat] == largest and not table.players[seat].stack]
    if all_in and second > forced and largest - second < second - forced:
        raise BadInputError(
            f"here.last_raise: missing, expected the size of the last full raise, because seat {all_in[0]} may be "
            f"all-in for less than a raise"
        )


def _forced_bet(game: Game, betting_round: int) -> int:
    """Return the forced bet that the first bet of a round must exceed, or 0 after the first round."""
    return max(game.big_blind, game.bring_in) if betting_round == 1 else 0


def _check_seats(mid_hand: MidHand, table: Table) -> None:
    named: list[tuple[str, str | int | None]] = [("turn", mid_hand.turn)]
    named += [("folded", seat) for seat in mid_hand.folded] + [("bets", seat) for seat in mid_hand.bets]
    for key, seat in named:
        if seat is not None and parse_seat(f"here.{key}", seat) not in table.players:
            raise BadInputError(f"here.{key}: seat {seat}, expected a seat with a stack")


def table_in_mid_hand(table: Table, mid_hand: MidHand) -> Table:
    """Return the table with the hand that `mid_hand` describes. The stacks of the players do not include their bets."""
    game, placement = table.game, table.carry_over.placement
    order = clockwise_after(tuple(table.players), placement.button)
    stacks, bets = ZERO_AMOUNTS, ZERO_AMOUNTS
    for seat, player in table.players.items():
        stacks = with_amount(stacks, seat, player.stack)
    for bettor, bet in mid_hand.bets.items():
        bets = with_amount(bets, int(bettor), bet)
    current_bet = max(bets)
    forced = _forced_bet(game, mid_hand.round)
    min_bet = game.min_bet_of_round(mid_hand.round)
    if forced and game.structure in BIG_BET_STRUCTURES:
        min_bet = forced
    min_raise = min_bet if game.structure == "fixed-limit" else mid_hand.last_raise or max(min_bet, _last_raise(bets))
    folded = frozenset(mid_hand.folded)
    all_in = frozenset(seat for seat in order if stacks[seat] == 0 and seat not in folded)
    full_bets = _full_bets(game, bets, all_in, min_raise, forced)
    hand = Hand(
        game=game,
        button=placement.button,
        dealt_seats=order,
        stacks=stacks,
        unknown_stacks=NO_SEATS,
        round_number=mid_hand.round,
        bets=bets,
        middle=mid_hand.pot,
        posted_blinds=_posted_blinds(placement.blind_amounts, bets) if mid_hand.round == 1 else ZERO_AMOUNTS,
        folded=folded,
        all_in=all_in,
        big_blind_seat=placement.big_blind_position,
        small_blind_seat=placement.small_blind_position,
        current_bet=current_bet,
        last_full_bet=_last_full_bet(game, current_bet, min_raise, forced, full_bets),
        min_raise=min_raise,
        raise_count=_raise_count(game, bets, min_raise, forced, mid_hand.last_raise, full_bets),
        wager_count=len(_bet_totals(bets, forced)),
        action_started=True,
        only_two_seated=len(order) < 3,
        board_count=game.boards,
        phase=Phase.CLOSED,
    )
    hand = replace(hand)
    if mid_hand.turn is not None:
        hand = _with_turn(betting_structures.cap_raises(hand), mid_hand.turn)
    bought_in = table.bought_in_total + mid_hand.pot + sum(bets)
    carry_over = table.carry_over._replace(is_first_at_button=False)
    return table._replace(
        hand=hand, street=Street(spot_totals=bets), carry_over=carry_over, hands_started=1, bought_in_total=bought_in
    )


def _bet_totals(bets: SeatAmounts, forced: int) -> set[int]:
    """Return the set of totals that seats have bet, without totals that are at most the forced bet."""
    return {bet for bet in bets if bet > forced}


def _full_bets(game: Game, bets: SeatAmounts, all_in: frozenset[int], min_raise: int, forced: int) -> list[int]:
    """Return the totals that were full bets or raises in spread limit, in ascending order.

    A total is a short bet if a seat is all-in with it and it adds too little to the full bet before. Example: after a
    bet of 20, an all-in to 24 is short.
    """
    share = 2 if game.all_in_rule == "half-bet" else 1
    full_bets: list[int] = []
    last = forced if forced >= min_raise else 0
    for total in sorted(_bet_totals(bets, forced)):
        is_all_in = any(bets[seat] == total for seat in all_in)
        if not is_all_in or share * (total - last) >= min_raise:
            full_bets.append(total)
            last = total
    return full_bets


def _raise_count(
    game: Game, bets: SeatAmounts, min_raise: int, forced: int, last_raise: int, full_bets: list[int]
) -> int:
    """Return the number of raises that must have been made, given the bets of the seats.

    Only fixed and spread limit count raises. In other betting structures, return 0.
    """
    if game.structure == "spread-limit":
        return max(len(full_bets) - (not forced), int(last_raise > 0 and max(bets) > min_raise))
    # In fixed limit each raise adds one bet, and an all-in of half a bet counts as a full bet.
    if game.structure == "fixed-limit":
        return max(0, (2 * max(bets) + min_raise) // (2 * min_raise) - 1)
    return 0


def _last_full_bet(game: Game, current_bet: int, min_raise: int, forced: int, full_bets: list[int]) -> int:
    """Return the total of the last full bet or raise of the round.

    A blind or a bring-in below the minimum bet is not a full bet, and neither is a short all-in.
    """
    if current_bet < min_raise and current_bet == forced:
        return 0 if game.structure not in BIG_BET_STRUCTURES else current_bet
    if game.structure == "spread-limit":
        return full_bets[-1] if full_bets else forced if forced >= min_raise else 0
    excess = current_bet % min_raise if game.structure == "fixed-limit" else 0
    return current_bet if game.all_in_rule == "half-bet" and 2 * excess >= min_raise else current_bet - excess


def _posted_blinds(blinds: tuple[tuple[int, int], ...], bets: SeatAmounts) -> SeatAmounts:
    """Return the part of each seat's bet that is a posted blind."""
    posted = ZERO_AMOUNTS
    for seat, amount in blinds:
        posted = with_amount(posted, seat, min(amount, bets[seat]))
    return posted


def _last_raise(bets: SeatAmounts) -> int:
    """Return the size of the last bet or raise, which is the largest bet minus the second largest one."""
    second, first = sorted({0, *bets})[-2:] if any(bets) else (0, 0)
    return first - second


def _with_turn(hand: Hand, turn: int) -> Hand:
    """Return a copy of the hand in which the betting round is open and the seat `turn` acts next."""
    order = clockwise_after(hand.dealt_seats, turn - 1)
    has_option = hand.round_number == 1 and hand.current_bet == hand.game.big_blind
    if hand.current_bet and not has_option:
        acted = frozenset(seat for seat in hand.dealt_seats if hand.bets[seat] == hand.current_bet and seat != turn)
    else:  # All seats from the opener of the round up to the seat in turn must have acted.
        ring = (
            list(clockwise_after(hand.dealt_seats, hand.big_blind_seat))
            if has_option and hand.big_blind_seat
            else list(hand.dealt_seats)
        )
        acted = frozenset(ring[: ring.index(turn)])
    bet_when_acted = hand.bet_when_acted
    forced = hand.game.bring_in if hand.round_number == 1 else 0
    for seat in hand.dealt_seats:
        # A seat that has bet more than its forced bet must have acted in this round.
        if hand.bets[seat] > max(hand.posted_blinds[seat], forced):
            bet_when_acted = with_amount(bet_when_acted, seat, hand.bets[seat])
    for seat in acted:
        bet_when_acted = with_amount(bet_when_acted, seat, hand.current_bet)
    return actions.open_round(replace(hand, bet_when_acted=bet_when_acted), order[0], acted)
