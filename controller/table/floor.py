"""What the floor decides. The dealer and the floor may overrule everything; the difference has a name and an account.

Source: rulings.md, "When" and "A dealer is a person"; RRP 1 (the floor's decision is final), TDA 1.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.rules.betting import in_turn, play, raised, reach, replay, settle
from controller.rules.hand import Act, Hand, Phase, Verb, put, replace
from controller.table import acting
from controller.table.acting import Warnings, carry_on, in_hand
from controller.table.holding import take_back_fold
from controller.table.state import Held, Refuse, Table, counted, pot
from controller.table.steps import Step


def decides(table: Table, step: Step, warnings: Warnings) -> Table:
    """One decision of the floor."""
    return _DECISIONS[step.name](table, step, warnings)


def _held(table: Table, seat: int) -> Held:
    in_hand_or_folded(table, seat)
    if seat not in table.held:
        raise Refuse(f"nothing is held for seat {seat}")
    return table.held[seat]


def in_hand_or_folded(table: Table, seat: int) -> Hand:
    """The hand in progress. Refuses a seat that was not dealt in."""
    hand = acting.hand_of(table)
    if seat not in hand.order:
        raise Refuse(f"seat {seat} is not in this hand")
    return hand


def _bind(table: Table, step: Step, warnings: Warnings) -> Table:
    """A held action stands, and is carried out when its turn comes."""
    seat, held = step.seat, _held(table, step.seat)
    hand = table.hand
    assert hand is not None
    table = table._replace(held={**table.held, seat: held._replace(bound=True, out_of_turn=True)})
    if hand.turn != seat:
        return table
    if held.said == "check":
        raise Refuse(f"seat {seat} cannot check: it faces a bet of {hand.level}")
    return carry_on(table._replace(must_call=table.must_call - {seat}), warnings)


def _release(table: Table, step: Step, warnings: Warnings) -> Table:
    """A held action is as if it had not been done; no restriction remains."""
    seat, held = step.seat, _held(table, step.seat)
    hand = table.hand
    assert hand is not None
    rest = {other: value for other, value in table.held.items() if other != seat}
    table = table._replace(held=rest, must_call=table.must_call - {seat})
    if held.said == "fold" and held.out_of_turn:
        table = take_back_fold(table, seat)
    return table


def _dead(table: Table, step: Step, warnings: Warnings) -> Table:
    """The seat's hand is dead: folded now."""
    seat, hand = step.seat, in_hand(table, step.seat)
    rest = {other: value for other, value in table.held.items() if other != seat}
    if hand.phase is Phase.PAYING:
        raise Refuse("the pots are being given")
    acting.someone_else(hand, seat)
    if hand.phase is Phase.BETTING and hand.turn == seat:
        return carry_on(table._replace(hand=play(hand, Act(Verb.DEAD, seat)), held=rest), warnings)
    folded = replace(
        hand,
        folded=hand.folded | {seat},
        all_in=hand.all_in - {seat},
        pending=tuple(other for other in hand.pending if other != seat),
        log=(*hand.log, Act(Verb.DEAD, seat)) if hand.opening is not None else hand.log,
    )
    if hand.phase is Phase.BETTING or len(folded.live) < 2:
        folded = settle(folded)
    return carry_on(table._replace(hand=folded, held=rest), warnings)


def _pot(table: Table, step: Step, warnings: Warnings) -> Table:
    """The pot as counted at the table, of earlier rounds and this one together."""
    hand = acting.hand_of(table)
    difference = step.amount - pot(table)
    in_front = sum(counted(table, seat) for seat in hand.order)
    if step.amount < in_front:
        raise Refuse(f"{in_front} lie in front of the seats: correct a bet first")
    if hand.phase is Phase.PAYING:
        first = hand.pots_left[0]
        if first.amount + difference < 0:
            raise Refuse(f"the pot {first.name} holds only {first.amount}")
        left = (first._replace(amount=first.amount + difference), *hand.pots_left[1:])
        hand = replace(hand, pots_left=left)
    hand = replace(hand, middle=hand.middle + difference)
    accounts = table.accounts._replace(adjustment=table.accounts.adjustment - difference)
    return table._replace(hand=hand, accounts=accounts)


def _bet(table: Table, step: Step, warnings: Warnings) -> Table:
    """A seat's bet of this round as decided, against its stack."""
    seat, amount = step.seat, step.amount
    hand = in_hand_or_folded(table, seat)
    if hand.phase not in (Phase.BETTING, Phase.CLOSED):
        raise Refuse("there is no betting round to correct")
    has = hand.bets[seat] + hand.stacks[seat]
    if amount > has and seat not in hand.unknown:
        warnings.append("stack-corrected")
        hand = replace(hand, unknown=hand.unknown | {seat}, all_in=hand.all_in - {seat})
    held = {other: value for other, value in table.held.items() if other != seat}
    felt, small = put(table.felt, seat, amount), put(table.small, seat, 0)
    return carry_on(table._replace(hand=corrected(hand, seat, amount), felt=felt, small=small, held=held), warnings)


def corrected(hand: Hand, seat: int, amount: int) -> Hand:
    """The round with the seat's last wager or call made `amount`; where it has not acted, its blind."""
    betting = (Verb.CHECK, Verb.CALL, Verb.WAGER)
    indices = [index for index, act in enumerate(hand.log) if act.seat == seat and act.verb in betting]
    if not indices:
        return _blind_corrected(hand, seat, amount)
    index = indices[-1]
    earlier = replay(hand, hand.log[:index])
    if amount > earlier.level:
        act = Act(Verb.WAGER, seat, amount)
    else:
        act = Act(Verb.CALL if amount > earlier.bets[seat] else Verb.CHECK, seat)
    after = replay(hand, (*hand.log[:index], act, *hand.log[index + 1 :]))
    return after if after.bets[seat] == amount else _moved_to(after, seat, amount)


def _blind_corrected(hand: Hand, seat: int, amount: int) -> Hand:
    """What lay in front of the seat when the round's betting began was this amount; where that was nothing, its bet is
    one that has been made now."""
    opening = hand.opening
    if opening is None or amount < 0 or seat in hand.folded:
        return _moved_to(hand, seat, amount)
    if hand.log and not opening.bets[seat]:
        return _bet_now(hand, seat, amount) if amount > hand.level else _moved_to(hand, seat, amount)
    opening = raised(opening, amount) if amount > opening.level else opening
    opening = replace(opening, bets=put(opening.bets, seat, amount))
    after = replay(replace(hand, opening=opening), hand.log)
    return after if hand.log else settle(replace(after, pending=in_turn(after, after.pending, hand.turn - 1)))


def _bet_now(hand: Hand, seat: int, amount: int) -> Hand:
    """A bet or raise of the seat; the turn stays where it is."""
    after = play(hand, Act(Verb.WAGER, seat, amount))
    return play(after, Act(Verb.TURN, hand.turn)) if hand.turn in after.pending else after


def _moved_to(hand: Hand, seat: int, amount: int) -> Hand:
    """The seat's bet set to amount, nothing else concluded from it but the bet to match, which all others face."""
    difference = amount - hand.bets[seat]
    stacks = put(hand.stacks, seat, hand.stacks[seat] - difference)
    bets = put(hand.bets, seat, amount)
    left = reach(replace(hand, bets=bets, stacks=stacks), seat)
    all_in = hand.all_in - {seat} if left else (hand.all_in | {seat}) - hand.folded
    waiting = {other for other in hand.pending if other not in all_in}
    higher = amount > hand.level
    hand = raised(hand, amount) if higher else hand
    hand = replace(hand, bets=bets, stacks=stacks, all_in=all_in)
    raises = higher and hand.opening is not None  # nobody can answer on a street without betting
    if raises:
        waiting = (waiting | {other for other in hand.active if bets[other] < amount}) - {seat}
    if hand.phase is not Phase.BETTING and not raises:
        return hand
    return settle(replace(hand, pending=in_turn(hand, waiting, (hand.turn or seat + 1) - 1)))


def _turn(table: Table, step: Step, warnings: Warnings) -> Table:
    """Whose turn it is."""
    seat, hand = step.seat, in_hand(table, step.seat)
    if hand.phase is not Phase.BETTING or seat not in hand.active:
        raise Refuse(f"seat {seat} cannot act now")
    return carry_on(table._replace(hand=play(hand, Act(Verb.TURN, seat))), warnings)


_DECISIONS: dict[str, Callable[[Table, Step, Warnings], Table]] = {
    "bind": _bind,
    "release": _release,
    "dead": _dead,
    "pot": _pot,
    "bet": _bet,
    "turn": _turn,
}
