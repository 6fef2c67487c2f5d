"""A bet or raise that was another one in truth: keyed 30, and it was 40.

The round goes back to it, it is judged as said with the right amount, and what came since is played again: who has
called since has called that, who raised, folded or checked since stands. The chips lie there as they were meant: nobody
owes because of a key. Source: rulings.md, "How much" and "A dealer is a person".
"""

from __future__ import annotations

from controller import rules
from controller.rules import Act, Hand, Refusal, RuleError, Verb, choices, put, replay, require
from controller.table import holding, meaning, turns
from controller.table.book import owed, require_dealt_in
from controller.table.codes import Cautions, Reason, Warned, refused
from controller.table.meaning import Ruling
from controller.table.state import HeldOutOfTurn, Spoken, Table
from controller.table.steps import Declaration, WasAnother


def was_another(table: Table, hand: Hand, step: WasAnother, cautions: Cautions) -> Table:
    """The seat's last bet or raise of this round was to that amount. Refuses a seat that has made none, and an amount
    behind which a raise that came since could not have been made."""
    seat, held = step.seat, table.street.held.get(step.seat)
    require_dealt_in(hand, seat)
    require(rules.reject_correction(hand))
    if isinstance(held, HeldOutOfTurn) and held.wager:
        return _held_was_another(table, hand, held, step)
    places = [place for place, act in enumerate(hand.log) if act.seat == seat and act.verb is Verb.WAGER]
    if not places:
        raise refused(Reason.NO_WAGER, seat)
    place = places[-1]
    earlier = replay(hand, hand.log[:place])
    ruling = meaning.by_words(earlier, seat, choices(earlier, seat), Declaration("amount", step.amount), 0)
    if ruling.act is None:
        raise refused(Reason.COULD_NOT, seat, step.amount, "amount")
    after = replay(hand, _played_on(hand, place, ruling.act), also_folded=True)
    cautions += [Warned(code, seat) for code in ruling.warnings]
    return turns.carry_on(_with_chips(table, hand, after, place, ruling), after, cautions)


def _played_on(hand: Hand, place: int, instead: Act) -> tuple[Act, ...]:
    """The round's log with another act at this place. A "pot" said since is as much as the pot holds then."""
    log = (*hand.log[:place], instead)
    for act in hand.log[place + 1 :]:
        log = (*log, _raised_again(replay(hand, log, also_folded=True), act) if act.verb is Verb.WAGER else act)
    return log


def _raised_again(before: Hand, act: Act) -> Act:
    found = choices(before, act.seat)
    again = act._replace(total=found.most) if act.pot else act
    if before.turn == act.seat and rules.reject_reason(before, again) is not None:
        raise RuleError(Refusal(Reason.RAISED_SINCE, act.seat, again.total, found.least))
    return again


# --- the chips ---


def _with_chips(table: Table, hand: Hand, after: Hand, place: int, ruling: Ruling) -> Table:
    """The table with the chips of the wager as it was, and of those who have called it since: in front of whoever owes
    nothing now."""
    street, seat = table.street, hand.log[place].seat
    has = hand.bets[seat] + max(0, hand.stacks[seat]) if seat not in hand.unknown else ruling.named
    lies = {seat: min(ruling.named, has)}
    lies |= {other: _of_call(hand, after, other, street.felt[other]) for other in _callers(hand, place)}
    lies = {other: amount for other, amount in lies.items() if not owed(table, other)}
    felt, small, chip = street.felt, street.small, meaning.smallest_that_plays(hand.game.unit)
    for other, amount in lies.items():
        felt, small = put(felt, other, amount), put(small, other, amount % chip)
    street = street._replace(
        felt=felt,
        small=small,
        spoken={**street.spoken, seat: Spoken(max(ruling.named, after.bets[seat]), open_amount=False)},
        motions={other: motion for other, motion in street.motions.items() if other not in lies},
    )
    return _with_held_calls(table._replace(street=street), hand, hand.level, after.level)


def _callers(hand: Hand, place: int) -> set[int]:
    """Who has called since, as the last chips that it put in."""
    last = {act.seat: act.verb for act in hand.log[place + 1 :] if act.verb in (Verb.CALL, Verb.WAGER)}
    return {seat for seat, verb in last.items() if verb is Verb.CALL}


def _of_call(hand: Hand, after: Hand, seat: int, felt: int) -> int:
    """What lies in front of a seat that called: its call; where more lies there, as much as covers that."""
    return after.bets[seat] if felt <= hand.bets[seat] else max(felt, after.bets[seat])


def _with_held_calls(table: Table, hand: Hand, was: int, now: int) -> Table:
    """The table where calls of a bet of this total that wait for their turn are calls of the bet as it was."""
    for seat, held in holding.out_of_turn(table):
        has, felt = meaning.whole_units(hand, hand.bets[seat] + max(0, hand.stacks[seat])), table.street.felt
        if held.meant.kind != "call" or not felt[seat] == held.needs == min(was, has):
            continue
        needs = min(now, has)
        table = table._replace(street=table.street._replace(felt=put(felt, seat, needs)))
        table = holding.with_held(table, seat, held._replace(needs=needs, felt=needs))
    return table


def _held_was_another(table: Table, hand: Hand, held: HeldOutOfTurn, step: WasAnother) -> Table:
    """A bet or raise out of turn that waits was to that amount."""
    seat, felt = step.seat, table.street.felt
    table = holding.heard_before_chips(table, hand, seat, held, Declaration("amount", step.amount))
    if felt[seat] >= held.needs:
        table = table._replace(street=table.street._replace(felt=put(felt, seat, step.amount)))
    return _with_held_calls(table, hand, held.wager, table.street.held[seat].needs)
