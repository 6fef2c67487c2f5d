"""Rulings: what was meant by words and by chips (rulings.md), for a seat as if it were in turn.

Words come before chips and bind. Everything here is a pure function from the hand, what lies in front of the seat and
what it said or put there, to the action that the rules make of it.
Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14 (no-limit), cited as RRP; TDA rules, as TDA.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.betting import bounds, facing, raise_word, reach, to_call, why_no_raise
from controller.rules.game import BIG_BET
from controller.rules.hand import UNBOUNDED, Act, Hand, Verb, put, replace
from controller.rules.structures import BOUNDS
from controller.table.steps import Words
from hardware.chips import DENOMINATIONS


class Ruling(NamedTuple):
    """What words or chips come to."""

    act: Act | None
    """The action, or None where it waits for the dealer or the floor."""
    warnings: tuple[str, ...] = ()
    held: str = ""
    """Where it waits: what it means in the words of a step."""
    named: int = 0
    """The total that the words named, before any correction."""
    open_amount: bool = False
    """The words left the amount to the chips ("raise")."""
    under_call: bool = False
    """A call with too few chips, made good: may be taken back while nobody has acted behind (RRP 3.13)."""


def total_of(hand: Hand, seat: int) -> int:
    """The seat's total for the round if it put in all it has (or all that the hand's cap leaves)."""
    return hand.bets[seat] + reach(hand, seat)


# --- words ---


def by_words(hand: Hand, seat: int, words: Words, felt: int) -> Ruling:
    """What the seat's words come to. `felt` is what lies on its spot, chips due back included."""
    if words.kind == "fold":
        return _fold(hand, seat)
    if words.kind == "check":
        return _check(hand, seat, felt)
    if words.kind == "call":
        return _call(hand, seat)
    if words.kind == "all-in":
        return _all_in(hand, seat, felt)
    if hand.bring_in == seat and words.amount and words.amount <= hand.level:
        return _bring_in(hand, seat, words.amount)
    return _raise(hand, seat, words)


def _fold(hand: Hand, seat: int) -> Ruling:
    if hand.bring_in == seat:  # a forced bet cannot be folded away
        return Ruling(None, ("not-possible",), held="fold")
    return Ruling(Act(Verb.FOLD, seat))


def _check(hand: Hand, seat: int, felt: int) -> Ruling:
    due = facing(hand, seat)
    if due <= hand.bets[seat]:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    if felt >= due and hand.bring_in != seat:  # a tap with an unchanged chip in front is the call (RRP 3.15)
        return Ruling(Act(Verb.CALL, seat), named=due)
    return Ruling(None, ("not-possible",), held="check")


def _call(hand: Hand, seat: int) -> Ruling:
    due = facing(hand, seat) - hand.bets[seat]
    if due <= 0:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    if seat in hand.no_all_in and due > reach(hand, seat):
        return Ruling(None, ("not-possible",), held="call")
    return Ruling(Act(Verb.CALL, seat), named=hand.bets[seat] + to_call(hand, seat))


def _all_in(hand: Hand, seat: int, felt: int) -> Ruling:
    total = hand.bets[seat] + max(0, hand.stacks[seat])
    if seat in hand.unknown and seat not in hand.no_all_in:  # as the book would say, until the chips decide
        return all_in_for(hand, seat, felt if felt > hand.bets[seat] else total)._replace(open_amount=True)
    if total <= facing(hand, seat):
        return _call(hand, seat)
    if seat in hand.no_all_in:
        return Ruling(None, ("not-possible",), held="all-in")
    return wager(hand, seat, total, named=total)


def all_in_for(hand: Hand, seat: int, total: int) -> Ruling:
    """All-in by a seat whose stack nobody knows, for the total that lies there: nothing is behind it."""
    bet = hand.bets[seat]
    known = replace(hand, unknown=hand.unknown - {seat}, stacks=put(hand.stacks, seat, max(0, total - bet)))
    if total <= facing(hand, seat):
        return Ruling(Act(Verb.CALL, seat, total, all_in=True), named=total)
    ruling = wager(known, seat, total, named=total)
    if ruling.act is not None and ruling.act.total == total:
        return ruling._replace(act=ruling.act._replace(all_in=True))
    return ruling


def _bring_in(hand: Hand, seat: int, amount: int) -> Ruling:
    """The bring-in itself; less is made good unless all-in (RRP 3.16)."""
    short = amount < hand.bets[seat] + to_call(hand, seat)
    return Ruling(Act(Verb.CALL, seat), ("under-bet",) if short else (), named=amount)


def _raise(hand: Hand, seat: int, words: Words) -> Ruling:
    least, most = BOUNDS[hand.game.structure](hand, seat)
    if words.kind == "pot" and hand.game.structure == "pot-limit":
        return wager(hand, seat, min(most, total_of(hand, seat)), named=min(most, total_of(hand, seat)))
    if not words.amount:
        ruling = wager(hand, seat, min(least, total_of(hand, seat)), named=least)
        return ruling._replace(open_amount=words.kind != "complete" and _is_wager(ruling))
    total = hand.level + words.amount if words.by else words.amount
    if words.kind == "bet" and hand.level and total == facing(hand, seat) > hand.bets[seat]:
        return _call(hand, seat)
    no_half_raise = not hand.game.half_raise and hand.game.structure in BIG_BET
    if no_half_raise and facing(hand, seat) > hand.bets[seat] and total < min(least, total_of(hand, seat)):
        return _call(hand, seat)._replace(warnings=("under-raise",), named=total)
    return wager(hand, seat, total, named=total)


def _is_wager(ruling: Ruling) -> bool:
    return ruling.act is not None and ruling.act.verb is Verb.WAGER


def wager(hand: Hand, seat: int, total: int, named: int, off_unit: str = "nearest") -> Ruling:
    """A bet or raise to `total` as the rules make it: on the unit, no more than the most, no less than the least; a
    call (or check) where the seat may not raise at all. Source: RRP 3.5, 3.16; TDA 43."""
    why = why_no_raise(hand, seat)
    if why is not None:
        return _no_raise(hand, seat, total, named, why)
    warnings: list[str] = []
    most_it_has = total_of(hand, seat)
    if total < most_it_has:
        on_unit = _to_unit(total, hand.game.unit)
        if on_unit != total:
            warnings.append("off-unit")
            total = on_unit
    least, most = _sizes(hand, seat, total)
    if total < least:
        total = min(least, most_it_has) if total < most_it_has else most_it_has
        if total < most_it_has or named < most_it_has:
            warnings.append("under-raise" if hand.level else "under-bet")
    cap = hand.game.hand_cap and seat not in hand.unknown and hand.stacks[seat] > reach(hand, seat)
    if total > min(most, most_it_has):
        if most < most_it_has or cap:
            warnings.append("over-limit")
        total = min(most, most_it_has)
    if seat in hand.no_all_in and total == most_it_has:  # open stakes: it has borrowed to raise
        return Ruling(None, ("not-possible",), held=in_words(hand, Ruling(Act(Verb.WAGER, seat, total))))
    return Ruling(Act(Verb.WAGER, seat, total), tuple(warnings), named=named)


def _sizes(hand: Hand, seat: int, total: int) -> tuple[int, int]:
    """The least and most total. With an open pair either size may be chosen and nothing between."""
    least, most = BOUNDS[hand.game.structure](hand, seat)
    if hand.open_pair and least < total < min(most, total_of(hand, seat)):
        return (most, most) if 2 * (total - least) >= most - least else (least, least)
    return least, most


def _to_unit(amount: int, unit: int) -> int:
    """The nearest amount that plays, a tie up (RRP 3.16)."""
    return (2 * amount + unit) // (2 * unit) * unit


def _no_raise(hand: Hand, seat: int, total: int, named: int, why: str) -> Ruling:
    """A raise by a seat that may not: a call, the rest goes back."""
    due = facing(hand, seat) > hand.bets[seat]
    warnings = () if why == "no-chips" else ("capped",) if why == "capped" else ("not-reopened",)
    return Ruling(Act(Verb.CALL if due else Verb.CHECK, seat), warnings, named=named)


# --- chips ---


def by_chips(hand: Hand, seat: int, felt: int, added: tuple[int, ...], playing: int) -> Ruling:
    """What chips without words come to. `felt` is all that lies on the spot, `playing` what of it plays, `added` the
    chips of the last motion."""
    added = tuple(chip for chip in added if chip >= smallest_that_plays(hand.game.unit))
    due = facing(hand, seat)
    whole = felt >= total_of(hand, seat)
    total = felt if whole else playing
    if due <= hand.bets[seat]:
        ruling = wager(hand, seat, total, named=felt)
        return ruling if playing == felt or whole else _with(ruling, "off-unit")
    if hand.bring_in == seat and total <= due:
        return _bring_in(hand, seat, total)
    if seat in hand.no_all_in and whole and total < due:  # open stakes: it has borrowed to raise
        return Ruling(None, ("not-possible",), held="call")
    if total < due and not whole:
        return _under_call(hand, seat)
    if total <= due:
        return Ruling(Act(Verb.CALL, seat), named=felt)
    ruling = _more_than_the_call(hand, seat, total, added, whole)
    return ruling._replace(named=felt)


def smallest_that_plays(unit: int) -> int:
    """The smallest chip that plays: the unit, or where there is no chip of it, the next smaller one."""
    return max(chip for chip in DENOMINATIONS if chip <= unit)


def _with(ruling: Ruling, warning: str) -> Ruling:
    return ruling._replace(warnings=tuple(dict.fromkeys((*ruling.warnings, warning))))


def _more_than_the_call(hand: Hand, seat: int, total: int, added: tuple[int, ...], whole: bool) -> Ruling:
    """More than the call without words: one chip is a call, several are a raise from half of the raise on.

    Source: RRP 3.14 and 3.15; TDA 43 to 45.
    """
    due = facing(hand, seat)
    call = Ruling(Act(Verb.CALL, seat), named=total)
    if len(added) == 1:
        return _with(call, "oversized-chip")
    tda = hand.game.rulebook == "tda"
    if tda and total - min(added, default=0) < due:
        return call
    least = BOUNDS[hand.game.structure](hand, seat)[0]
    counts = whole or 2 * (total - due) >= least - due
    if not hand.game.half_raise and hand.game.structure in BIG_BET:
        counts = whole or total >= least
    if not counts:
        return call
    return wager(hand, seat, total, named=total)


def _under_call(hand: Hand, seat: int) -> Ruling:
    """Too few chips for a call, not all-in: made good; with TDA rules only against the opening bet or heads-up, else
    the floor decides. Source: RRP 3.13 and 3.16; TDA 51."""
    opening = 0 if hand.blinds[hand.big_blind] and hand.round == 1 else 1
    if hand.game.rulebook == "tda" and hand.wagers > opening and len(hand.live) > 2:
        return Ruling(None, ("under-call",), held="call")
    return Ruling(Act(Verb.CALL, seat), ("under-call",), under_call=hand.game.rulebook == "roberts")


def chips_after_raise(hand: Hand, seat: int, felt: int, added: tuple[int, ...]) -> Ruling:
    """The chips of the motion that follows a bare "raise": they decide how much (RRP 3.8). `hand` is as it was before
    the words."""
    ruling = wager(hand, seat, felt, named=felt)
    if "over-limit" in ruling.warnings and ruling.act and felt - min(added, default=0) < ruling.act.total:
        ruling = ruling._replace(warnings=tuple(code for code in ruling.warnings if code != "over-limit"))
    return ruling


def could_be_spared(felt: int, added: tuple[int, ...], needed: int) -> bool:
    """True where at least one chip of the motion was not needed."""
    return bool(added) and felt - min(added) >= needed


def in_words(hand: Hand, ruling: Ruling) -> str:
    """The ruling's action in the words of a step: "call", "bet 20", "raise to 30"."""
    act = ruling.act
    if act is None:
        return ruling.held
    if act.verb is not Verb.WAGER:
        return act.verb.value
    return f"bet {act.total}" if raise_word(hand) == "bet" else f"raise to {act.total}"


__all__ = [
    "UNBOUNDED",
    "Ruling",
    "bounds",
    "by_chips",
    "by_words",
    "chips_after_raise",
    "could_be_spared",
    "in_words",
    "total_of",
    "wager",
]
