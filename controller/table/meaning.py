"""Rulings: what was meant by words and by chips (rulings.md), for a seat as if it were in turn.

Words come before chips and bind. Everything here is a pure function from the hand, what lies in front of the seat and
what it said or put there, to the action that the rules make of it. `found` is always what the rules say that the seat
faces and may do (`choices`).
Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14 (no-limit), cited as RRP; TDA rules, as TDA.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from controller.rules import BIG_BET, Act, Choices, Hand, Verb, Why, choices, with_stack
from controller.table.codes import Caution
from controller.table.state import Meant, MeantKind
from controller.table.steps import Declaration
from hardware.chips import DENOMINATIONS


class Ruling(NamedTuple):
    """What words or chips come to."""

    act: Act | None
    """The action, or None where it waits for the dealer or the floor."""
    warnings: tuple[Caution, ...] = ()
    held: Meant | None = None
    """What it means, where it waits."""
    named: int = 0
    """The total that the words named, before any correction."""
    open_amount: bool = False
    """The words left the amount to the chips ("raise")."""
    under_call: bool = False
    """A call with too few chips, made good: may be taken back while nobody has acted behind (RRP 3.13)."""


# --- words ---


def by_words(hand: Hand, seat: int, found: Choices, words: Declaration, felt: int) -> Ruling:
    """What the seat's words come to. `felt` is what lies on its spot, chips due back included."""
    if words.kind == "fold":
        return _fold(hand, seat)
    if words.kind == "check":
        return _check(hand, seat, found, felt)
    if words.kind == "call":
        return _call(hand, seat, found)
    if words.kind == "all-in":
        return _all_in(hand, seat, found, felt)
    if hand.bring_in == seat and words.amount and words.amount <= hand.level:
        return _bring_in(hand, seat, found, words.amount)
    return _raise(hand, seat, found, words)


def _fold(hand: Hand, seat: int) -> Ruling:
    if hand.bring_in == seat:  # a forced bet cannot be folded away
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("fold"))
    return Ruling(Act(Verb.FOLD, seat))


def _check(hand: Hand, seat: int, found: Choices, felt: int) -> Ruling:
    if found.facing <= hand.bets[seat]:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    if felt >= found.facing and hand.bring_in != seat:  # a tap with an unchanged chip in front is the call (RRP 3.15)
        return Ruling(Act(Verb.CALL, seat), named=found.facing)
    return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("check"))


def _call(hand: Hand, seat: int, found: Choices) -> Ruling:
    if found.facing <= hand.bets[seat]:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    if seat in hand.no_all_in and found.facing > found.has:
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    return Ruling(Act(Verb.CALL, seat), named=hand.bets[seat] + found.to_call)


def _all_in(hand: Hand, seat: int, found: Choices, felt: int) -> Ruling:
    total = hand.bets[seat] + max(0, hand.stacks[seat])
    if seat in hand.unknown and seat not in hand.no_all_in:  # as the book would say, until the chips decide
        return all_in_for(hand, seat, found, felt if felt > hand.bets[seat] else total)._replace(open_amount=True)
    if total <= found.facing:
        return _call(hand, seat, found)
    if seat in hand.no_all_in:
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("all-in"))
    return wager(hand, seat, found, total, named=total)


def all_in_for(hand: Hand, seat: int, found: Choices, total: int) -> Ruling:
    """All-in by a seat whose stack nobody knows, for the total that lies there: nothing is behind it."""
    if total <= found.facing:
        return Ruling(Act(Verb.CALL, seat, total, all_in=True), named=total)
    known = with_stack(hand, seat, max(0, total - hand.bets[seat]))
    ruling = wager(known, seat, choices(known, seat), total, named=total)
    if ruling.act is not None and ruling.act.total == total:
        return ruling._replace(act=ruling.act._replace(all_in=True))
    return ruling


def _bring_in(hand: Hand, seat: int, found: Choices, amount: int) -> Ruling:
    """The bring-in itself; less is made good unless all-in (RRP 3.16)."""
    short = amount < hand.bets[seat] + found.to_call
    return Ruling(Act(Verb.CALL, seat), (Caution.UNDER_BET,) if short else (), named=amount)


def _raise(hand: Hand, seat: int, found: Choices, words: Declaration) -> Ruling:
    least = min(found.least, found.has)
    if words.kind == "pot" and hand.game.structure == "pot-limit":
        most = min(found.limit, found.has)
        return wager(hand, seat, found, most, named=most)
    if not words.amount:
        ruling = wager(hand, seat, found, least, named=found.least)
        return ruling._replace(open_amount=words.kind != "complete" and _is_wager(ruling))
    total = hand.level + words.amount if words.by else words.amount
    has_to_call = found.facing > hand.bets[seat]
    if words.kind == "bet" and hand.level and total == found.facing and has_to_call:
        return _call(hand, seat, found)
    no_half_raise = not hand.game.half_raise and hand.game.structure in BIG_BET
    if no_half_raise and has_to_call and total < least:
        return _call(hand, seat, found)._replace(warnings=(Caution.UNDER_RAISE,), named=total)
    return wager(hand, seat, found, total, named=total)


def _is_wager(ruling: Ruling) -> bool:
    return ruling.act is not None and ruling.act.verb is Verb.WAGER


def wager(hand: Hand, seat: int, found: Choices, total: int, named: int) -> Ruling:
    """A bet or raise to `total` as the rules make it: on the unit, no more than the most, no less than the least; a
    call (or check) where the seat may not raise at all. Source: RRP 3.5, 3.16; TDA 43."""
    if found.why_no_raise is not None:
        return _no_raise(hand, seat, found, named, found.why_no_raise)
    warnings: list[Caution] = []
    if total < found.has:
        on_unit = _to_unit(total, hand.game.unit)
        if on_unit != total:
            warnings.append(Caution.OFF_UNIT)
            total = on_unit
    least, limit = _sizes(hand, found, total)
    if total < least:
        total = min(least, found.has) if total < found.has else found.has
        if total < found.has or named < found.has:
            warnings.append(Caution.UNDER_RAISE if hand.level else Caution.UNDER_BET)
    most = min(limit, found.has)
    if total > most:
        capped = hand.game.hand_cap and seat not in hand.unknown and hand.bets[seat] + hand.stacks[seat] > found.has
        if limit < found.has or capped:
            warnings.append(Caution.OVER_LIMIT)
        total = most
    if seat in hand.no_all_in and total == found.has:  # open stakes: it has borrowed to raise
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=meant(hand, Ruling(Act(Verb.WAGER, seat, total))))
    return Ruling(Act(Verb.WAGER, seat, total), tuple(warnings), named=named)


def _sizes(hand: Hand, found: Choices, total: int) -> tuple[int, int]:
    """The least and most total. With an open pair either size may be chosen and nothing between."""
    least, limit = found.least, found.limit
    if hand.open_pair and least < total < min(limit, found.has):
        return (limit, limit) if 2 * (total - least) >= limit - least else (least, least)
    return least, limit


def _to_unit(amount: int, unit: int) -> int:
    """The nearest amount that plays, a tie up (RRP 3.16)."""
    return (2 * amount + unit) // (2 * unit) * unit


def _no_raise(hand: Hand, seat: int, found: Choices, named: int, why: Why) -> Ruling:
    """A raise by a seat that may not: a call, the rest goes back."""
    warnings = () if why is Why.NO_CHIPS else (Caution.CAPPED,) if why is Why.CAPPED else (Caution.NOT_REOPENED,)
    call = _call(hand, seat, found)
    return call._replace(warnings=(*warnings, *call.warnings), named=named)


# --- chips ---


@cache
def smallest_that_plays(unit: int) -> int:
    """The smallest chip that plays: the unit, or where there is no chip of it, the next smaller one."""
    return max(chip for chip in DENOMINATIONS if chip <= unit)


def what_plays(hand: Hand, found: Choices, felt: int, small: int) -> int:
    """What of the chips on the spot plays: chips below the unit (`small`) do not, nor does what is off the unit, but
    where it is exactly the call of an all-in that is off the unit."""
    unit, large, due = hand.game.unit, felt - small, found.facing
    return due if large + min(small, due % unit) == due else large - large % unit


def by_chips(hand: Hand, seat: int, found: Choices, felt: int, added: tuple[int, ...], playing: int) -> Ruling:
    """What chips without words come to. `felt` is all that lies on the spot, `playing` what of it plays, `added` the
    chips of the last motion."""
    added = _large(hand, added)
    due = found.facing
    whole = felt >= found.has
    total = felt if whole else playing
    if due <= hand.bets[seat]:
        ruling = wager(hand, seat, found, total, named=felt)
        return ruling if playing == felt or whole else _with(ruling, Caution.OFF_UNIT)
    if hand.bring_in == seat and total <= due:
        return _bring_in(hand, seat, found, total)
    if seat in hand.no_all_in and found.has < due:  # open stakes: it has borrowed to raise
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    if total < due and not whole:
        return _under_call(hand, seat)
    if total <= due:
        return Ruling(Act(Verb.CALL, seat), named=felt)
    ruling = _more_than_the_call(hand, seat, found, total, added, whole)
    return ruling._replace(named=felt)


def _large(hand: Hand, chips: tuple[int, ...]) -> tuple[int, ...]:
    smallest = smallest_that_plays(hand.game.unit)
    return tuple([chip for chip in chips if chip >= smallest])


def _with(ruling: Ruling, warning: Caution) -> Ruling:
    return ruling._replace(warnings=tuple(dict.fromkeys((*ruling.warnings, warning))))


def _more_than_the_call(
    hand: Hand, seat: int, found: Choices, total: int, added: tuple[int, ...], whole: bool
) -> Ruling:
    """More than the call without words: one chip is a call, several are a raise from half of the raise on.

    Source: RRP 3.14 and 3.15; TDA 43 to 45.
    """
    due, least = found.facing, found.least
    call = Ruling(Act(Verb.CALL, seat), named=total)
    if len(added) == 1:
        return _with(call, Caution.OVERSIZED_CHIP)
    tda = hand.game.rulebook == "tda"
    if tda and total - min(added, default=0) < due:
        return call
    counts = whole or 2 * (total - due) >= least - due
    if not hand.game.half_raise and hand.game.structure in BIG_BET:
        counts = whole or total >= least
    if not counts:
        return call
    return wager(hand, seat, found, total, named=total)


def _under_call(hand: Hand, seat: int) -> Ruling:
    """Too few chips for a call, not all-in: made good; with TDA rules only against the opening bet or heads-up, else
    the floor decides. Source: RRP 3.13 and 3.16; TDA 51."""
    opening = 0 if hand.blinds[hand.big_blind] and hand.round == 1 else 1
    if hand.game.rulebook == "tda" and hand.wagers > opening and len(hand.live) > 2:
        return Ruling(None, (Caution.UNDER_CALL,), held=Meant("call"))
    return Ruling(Act(Verb.CALL, seat), (Caution.UNDER_CALL,), under_call=hand.game.rulebook == "roberts")


def chips_after_raise(hand: Hand, seat: int, found: Choices, felt: int, added: tuple[int, ...]) -> Ruling:
    """The chips of the motion that follows a bare "raise": they decide how much (RRP 3.8). `hand` is as it was before
    the words."""
    ruling = wager(hand, seat, found, felt, named=felt)
    if Caution.OVER_LIMIT in ruling.warnings and ruling.act and felt - min(added, default=0) < ruling.act.total:
        ruling = ruling._replace(warnings=tuple(code for code in ruling.warnings if code != Caution.OVER_LIMIT))
    return ruling


def could_be_spared(hand: Hand, playing: int, added: tuple[int, ...], needed: int) -> bool:
    """True where at least one chip of the motion was not needed: less than `playing` without it would do."""
    large = _large(hand, added)
    return bool(large) and playing - min(large) >= needed


def meant(hand: Hand, ruling: Ruling) -> Meant:
    """What the ruling's action means where it waits."""
    act = ruling.act
    if act is None:
        assert ruling.held is not None
        return ruling.held
    if act.verb is Verb.WAGER:
        return Meant("raise" if hand.level else "bet", act.total)
    return Meant(_PLAIN[act.verb])


_PLAIN: dict[Verb, MeantKind] = {Verb.FOLD: "fold", Verb.CHECK: "check", Verb.CALL: "call"}
