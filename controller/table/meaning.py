"""Rulings: what was meant by words and by chips (rulings.md), for a seat as if it were in turn.

Words come before chips and bind. Everything here is a pure function from the hand, what lies in front of the seat and
what it said or put there, to the action that the rules make of it. `found` is always what the rules say that the seat
faces and may do (`choices`).
Source: Robert's Rules of Poker, sections 3 (betting and raising) and 14 (no-limit); TDA rules.
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
    """A call with too few chips, made good: may be taken back while nobody has acted behind (Robert's Rules 3.13)."""


# --- words ---


def by_words(hand: Hand, seat: int, found: Choices, words: Declaration, felt: int) -> Ruling:
    """What the seat's words come to. `felt` is what lies on its spot, chips due back included."""
    if words.kind == "fold":
        return _fold(hand, seat, found)
    if words.kind == "check":
        return _check(hand, seat, found, felt)
    if words.kind == "call":
        return _call(hand, seat, found)
    if words.kind == "all-in":
        return all_in(hand, seat, found, felt)
    if hand.bring_in == seat and words.amount and words.amount <= hand.level:
        return _bring_in(hand, seat, found, words.amount)
    if words.kind == "amount":
        return _amount(hand, seat, found, words.amount)
    return _raise(hand, seat, found, words)


def _fold(hand: Hand, seat: int, found: Choices) -> Ruling:
    """A fold stands, with nothing to call too (TDA 58; Betting in poker, "Fold")."""
    if hand.bring_in == seat and not hand.bring_in_passes:  # a forced bet cannot be folded away
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("fold"))
    for_free = found.facing <= hand.bets[seat]
    return Ruling(Act(Verb.FOLD, seat), (Caution.FOLD_FOR_FREE,) if for_free else ())


def _check(hand: Hand, seat: int, found: Choices, felt: int) -> Ruling:
    if found.facing <= hand.bets[seat]:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    called = hand.bets[seat] + found.to_call
    if felt >= called and hand.bring_in != seat:  # a tap on a chip that covers it: Robert's Rules 3.15
        return Ruling(Act(Verb.CALL, seat), named=called)
    return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("check"))


def bars_a_raise(hand: Hand, seat: int, words: Declaration) -> bool:
    """True for a "check" of the seat in turn that faces a bet: it may call or fold (TDA 55)."""
    in_turn = seat == hand.turn and seat != hand.bring_in
    return in_turn and words.kind == "check" and hand.game.rulebook == "tda"


def _call(hand: Hand, seat: int, found: Choices) -> Ruling:
    if found.facing <= hand.bets[seat]:
        return Ruling(Act(Verb.CHECK, seat), named=hand.bets[seat])
    if seat in hand.no_all_in and found.facing > found.has:
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    return Ruling(Act(Verb.CALL, seat), named=hand.bets[seat] + found.to_call)


def all_in(hand: Hand, seat: int, found: Choices, felt: int) -> Ruling:
    """What "all-in" comes to; less than all where the limit is less."""
    everything = hand.bets[seat] + max(0, hand.stacks[seat])
    if seat in hand.unknown and seat not in hand.no_all_in:  # as the book would say, until the chips decide
        return all_in_for(hand, seat, found, felt if felt > hand.bets[seat] else everything)._replace(open_amount=True)
    total = whole_units(hand, everything)
    if total <= found.facing:
        return _call(hand, seat, found)
    if seat in hand.no_all_in:
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("all-in"))
    return wager(hand, seat, found, total, named=everything)


def all_in_for(hand: Hand, seat: int, found: Choices, felt: int) -> Ruling:
    """All-in by a seat whose stack nobody knows, for what plays of the total that lies there: nothing that plays is
    behind it."""
    total = felt if felt == found.facing else whole_units(hand, felt)
    if total <= found.facing:
        return Ruling(Act(Verb.CALL, seat, total, all_in=True), named=total)
    known = with_stack(hand, seat, max(0, total - hand.bets[seat]))
    ruling = wager(known, seat, choices(known, seat), total, named=total)
    if ruling.act is not None and ruling.act.total == total:
        return ruling._replace(act=ruling.act._replace(all_in=True))
    return ruling


def _bring_in(hand: Hand, seat: int, found: Choices, amount: int) -> Ruling:
    """The bring-in itself; less is made good unless all-in (Robert's Rules 3.16)."""
    short = amount < hand.bets[seat] + found.to_call
    return Ruling(Act(Verb.CALL, seat), (Caution.UNDER_BET,) if short else (), named=amount)


def _raise(hand: Hand, seat: int, found: Choices, words: Declaration) -> Ruling:
    least = min(found.least, found.has)
    if words.kind == "pot" and hand.game.structure == "pot-limit":
        return _pot(hand, seat, found)
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


def _pot(hand: Hand, seat: int, found: Choices) -> Ruling:
    """The most there is, which follows a count of the pot that comes in time (TDA 52-B)."""
    most = min(found.limit, found.has)
    ruling = wager(hand, seat, found, most, named=most)
    if ruling.act is None or ruling.act.verb is not Verb.WAGER:
        return ruling
    return ruling._replace(act=ruling.act._replace(pot=True))


def _amount(hand: Hand, seat: int, found: Choices, amount: int) -> Ruling:
    """An amount alone is the total: with nothing to call a bet (a check where it lies there already), else what that
    total in several chips would be. Source: Robert's Rules 3.13 and 3.14; TDA 40, 43 and 51."""
    due = found.facing
    off_unit = amount < found.has and amount != due and amount % hand.game.unit > 0
    total = _to_unit(amount, hand.game.unit) if off_unit else amount
    whole = total >= found.has
    if due <= hand.bets[seat]:
        if amount <= hand.bets[seat] or _adds_too_little(hand, found, total, whole):
            return Ruling(Act(Verb.CHECK, seat), named=amount)
        return wager(hand, seat, found, amount, named=amount)
    if seat in hand.no_all_in and found.has < due:  # open stakes: it has borrowed to raise
        return Ruling(None, (Caution.NOT_POSSIBLE,), held=Meant("call"))
    if total < due and not whole:
        ruling = _under_call(hand, seat)._replace(under_call=False)  # words bind
    elif total > due and _counts_as_raise(hand, found, total, whole):
        return wager(hand, seat, found, amount, named=amount)
    else:
        ruling = Ruling(Act(Verb.CALL, seat))
    return (_with(ruling, Caution.OFF_UNIT) if off_unit else ruling)._replace(named=amount)


def _is_wager(ruling: Ruling) -> bool:
    return ruling.act is not None and ruling.act.verb is Verb.WAGER


def wager(hand: Hand, seat: int, found: Choices, total: int, named: int) -> Ruling:
    """A bet or raise to `total` as the rules make it: on the unit, no more than the most, no less than the least; a
    call (or check) where the seat may not raise at all. Source: Robert's Rules 3.5 and 3.16; TDA 43."""
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
        if limit < found.has or _has_more(hand, seat, found):
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


def _has_more(hand: Hand, seat: int, found: Choices) -> bool:
    """True where the hand's cap keeps the seat from putting in all that plays of its chips."""
    return seat not in hand.unknown and whole_units(hand, hand.bets[seat] + hand.stacks[seat]) > found.has


def _to_unit(amount: int, unit: int) -> int:
    """The nearest amount that plays, a tie up (Robert's Rules 3.16)."""
    return (2 * amount + unit) // (2 * unit) * unit


def whole_units(hand: Hand, amount: int) -> int:
    """What of the amount plays: whole units (Robert's Rules 3.7)."""
    return amount - amount % hand.game.unit


def _no_raise(hand: Hand, seat: int, found: Choices, named: int, why: Why) -> Ruling:
    """A raise by a seat that may not: a call, the rest goes back."""
    call = _call(hand, seat, found)
    return call._replace(warnings=(*_WHY_A_CALL.get(why, (Caution.NOT_REOPENED,)), *call.warnings), named=named)


_WHY_A_CALL: dict[Why, tuple[Caution, ...]] = {
    Why.NO_CHIPS: (),
    Why.CAPPED: (Caution.CAPPED,),
    Why.NO_CHECK_RAISE: (Caution.NO_CHECK_RAISE,),
}
"""What is said where a raise is only a call."""


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
    total = whole_units(hand, felt) if whole else playing
    if due <= hand.bets[seat]:
        ruling = _with_nothing_to_call(hand, seat, found, total, felt, whole)
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


def _with_nothing_to_call(hand: Hand, seat: int, found: Choices, total: int, felt: int, whole: bool) -> Ruling:
    if _adds_too_little(hand, found, total, whole):
        return Ruling(Act(Verb.CHECK, seat), named=felt)
    return wager(hand, seat, found, total, named=felt)


def _adds_too_little(hand: Hand, found: Choices, total: int, whole: bool) -> bool:
    """True for an option that adds less than half of the least raise: a check (TDA 43-A)."""
    if hand.game.rulebook != "tda" or not hand.level or whole:
        return False
    return 2 * (total - hand.level) < found.least - hand.level


def _more_than_the_call(
    hand: Hand, seat: int, found: Choices, total: int, added: tuple[int, ...], whole: bool
) -> Ruling:
    """More than the call without words: one chip is a call, several are a raise from half of the raise on; with TDA
    rules one is as good as several on chips that covered the call already.

    Source: Robert's Rules 3.14 and 3.15; TDA 43 to 46.
    """
    due = found.facing
    call = Ruling(Act(Verb.CALL, seat), named=total)
    tda = hand.game.rulebook == "tda"
    if len(added) == 1 and not (tda and total - added[0] >= due):
        return _with(call, Caution.OVERSIZED_CHIP)
    if tda and total - min(added, default=0) < due:
        return call
    return wager(hand, seat, found, total, named=total) if _counts_as_raise(hand, found, total, whole) else call


def _counts_as_raise(hand: Hand, found: Choices, total: int, whole: bool) -> bool:
    """True where so much more than the call is a raise, to be completed if short (Robert's Rules 3.14; TDA 43)."""
    if whole:
        return True
    if not hand.game.half_raise and hand.game.structure in BIG_BET:
        return total >= found.least
    return 2 * (total - found.facing) >= found.least - found.facing


def _under_call(hand: Hand, seat: int) -> Ruling:
    """Too few chips for a call, not all-in: made good; with TDA rules only against the opening bet or heads-up, else
    the floor decides. Source: Robert's Rules 3.13 and 3.16; TDA 51."""
    opening = 0 if hand.blinds[hand.big_blind] and hand.round == 1 else 1
    if hand.game.rulebook == "tda" and hand.wagers > opening and len(hand.live) > 2:
        return Ruling(None, (Caution.UNDER_CALL,), held=Meant("call"))
    return Ruling(Act(Verb.CALL, seat), (Caution.UNDER_CALL,), under_call=hand.game.rulebook == "roberts")


def chips_after_raise(hand: Hand, seat: int, found: Choices, felt: int, added: tuple[int, ...]) -> Ruling:
    """The chips of the motion that follows a bare "raise": they decide how much (Robert's Rules 3.8). `hand` is as it
    was before the words."""
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
