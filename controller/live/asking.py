"""What the table asks about chips of a seat, and what the dealer's answer does.

Silence changes no money: chips that are asked about lie there uncounted, or count still where they are gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from controller.live.change import Change
from controller.live.counting import counts_bet
from controller.live.judging import call_within
from controller.live.motions import motion
from controller.live.queries import (
    explained,
    few,
    is_betting,
    is_lone,
    is_open_doubt,
    is_waiting,
    lying,
    spot_of,
    sweeping,
    uncounted,
    values,
    waiting_seats,
    worth,
)
from controller.live.state import Live, LiveReason
from controller.live.waits import follow_up, motion_is_over, of_this_round, take_waiting
from controller.rules import Refusal
from controller.table import (
    ChipsAre,
    Declares,
    FloorReleases,
    HeldOutOfTurn,
    Moves,
    Returns,
    Source,
    Step,
    Undoes,
    WaitsFor,
    due_back,
    stack,
)
from hardware.chips import chips_for
from hardware.spots import BET_SPOTS

AskedAbout = Literal[
    "own-stack",
    "last-pot",
    "splash",
    "covered",
    "at-least",
    "copied",
    "strangers",
    "change",
    "emptied",
    "folded-seat",
    "chips-between-rounds",
]
"""Why chips are asked about."""
HIDES_MOST: Final = 1.5
"""A stack that is not wholly read hides a third at most: more is no likely answer."""


class Asked(NamedTuple):
    """A question about chips of a seat."""

    seat: int
    about: AskedAbout
    amount: int
    """What it is about."""
    likely: tuple[ChipsAre, ...]
    """Its answers, the likely one first; none where it is enough to wait."""


# --- what is asked ---


def asked(live: Live) -> tuple[Asked, ...]:
    """All that is asked about chips now, in the order in which it came up. What may yet explain itself is asked only
    after a while."""
    if not live.vanished and not any(spot.waiting for spot in live.spots.values()):
        return ()
    found = [
        question for seat in waiting_seats(live) if not counts_bet(live, seat) for question in _of_waiting(live, seat)
    ]
    found += [
        Asked(seat, "emptied", worth(glimpse.stack) - live.table.street.felt[seat], _said(seat, "swept", "taken"))
        for seat, name in enumerate(BET_SPOTS, 1)
        if (glimpse := live.vanished.get(name)) is not None and name in live.ripe
    ]
    return tuple(found)


def _of_waiting(live: Live, seat: int) -> Iterator[Asked]:
    """What is asked about the reading of the seat's spot that waits."""
    spot, name, hand = spot_of(live, seat), BET_SPOTS[seat - 1], live.table.hand
    why: WaitsFor = spot.waiting.why if spot.waiting is not None else "deferred"
    is_ripe, gone = name in live.ripe, max(0, explained(live, seat) - lying(live, seat))
    here = uncounted(live, seat).amount
    if why == "doubt":
        if is_open_doubt(live, seat) and not spot.strangers:
            yield Asked(seat, "at-least", here, _at_least(live, seat))
        elif is_open_doubt(live, seat):
            yield Asked(seat, "strangers", here, _said(seat, "bet", "nothing"))
    elif why == "between" and is_betting(live.table) and not of_this_round(live, seat):
        return  # they leave, or are taken with the next that is told
    elif why == "between":
        late = not is_betting(live.table) and hand is not None and seat in hand.live and _late(live, seat)
        yield Asked(seat, "chips-between-rounds", here, _said(seat, "bet") if late else ())
    elif not is_betting(live.table):
        return
    elif why == "emptied" and is_ripe and is_lone(live, seat):
        yield Asked(seat, "emptied", gone, _said(seat, "swept", "taken"))
    elif why == "covered" and is_ripe and not sweeping(live):
        yield Asked(seat, "covered", gone, _said(seat, "covered", "swept", "taken"))
    elif why in ("own-stack", "last-pot"):
        call = call_within(live, seat, set(spot.lies or ()) - set(spot.explained or ()))
        of_call = (ChipsAre(seat, "bet", call),) if call and why == "own-stack" else ()
        yield Asked(seat, why, here, (*of_call, *_said(seat, "nothing", "bet")))
    elif why == "copied":
        yield Asked(seat, "copied", here, _said(seat, "bet", "nothing"))
    elif why == "change" and not gone:
        yield Asked(seat, "change", here, _said(seat, "nothing", "bet"))
    elif why == "change" and is_ripe:
        yield Asked(seat, "change", gone, (ChipsAre(seat, "change", gone), ChipsAre(seat, "taken")))
    elif why == "splash" and seat == _splashed(live):
        whole = sum(uncounted(live, other).amount for other in _of_splash(live))
        yield Asked(seat, "splash", whole, (ChipsAre(seat, "bet", whole), ChipsAre(seat, "bet")))
    elif why == "folded-seat" and is_ripe and hand is not None and seat in hand.folded:
        yield Asked(
            seat, "folded-seat", here, _said(seat, *(("bet", "nothing") if _just_folded(live, seat) else ("nothing",)))
        )


def _said(seat: int, *what: Literal["bet", "nothing", "covered", "taken", "swept"]) -> tuple[ChipsAre, ...]:
    return tuple(ChipsAre(seat, each) for each in what)


def _at_least(live: Live, seat: int) -> tuple[ChipsAre, ...]:
    """Where not all of a stack is read: all that the seat has, or the call, if that is little more; or what is read."""
    hand, felt, lies = live.table.hand, live.table.street.felt[seat], lying(live, seat)
    whole = [hand.level, felt + stack(live.table, seat)] if hand is not None and seat in hand.order else []
    close = {total for total in whole if lies < total <= HIDES_MOST * lies}
    return (*(ChipsAre(seat, "bet", total - felt) for total in sorted(close, reverse=True)), ChipsAre(seat, "bet"))


def _of_splash(live: Live) -> tuple[int, ...]:
    return tuple(seat for seat in waiting_seats(live) if is_waiting(live, seat, "splash"))


def _splashed(live: Live) -> int:
    """The seat that put in what lies on two spots: the one in turn."""
    hand, seats = live.table.hand, _of_splash(live)
    return hand.turn if hand is not None and hand.turn in seats else seats[0]


def _just_folded(live: Live, seat: int) -> bool:
    """True where the last step was the seat's fold: its chips may have come before the key."""
    told = live.table.told
    return isinstance(told, Declares) and told.seat == seat and told.declaration.kind == "fold"


# --- what an answer does ---


def answer(change: Change, step: ChipsAre, source: Source) -> Change:
    """The dealer says what chips of a seat are. Refused where nothing is asked about them, or that is no answer to it;
    how much of them the bet is, the dealer knows. Chips that were taken for an act out of turn may be said to be no
    bet without a question."""
    live, seat = change.live, step.seat
    held = live.table.street.held.get(seat)
    if step.what == "nothing" and isinstance(held, HeldOutOfTurn) and held.added:
        return _released(change, step, source)
    questions = [question for question in asked(live) if question.seat == seat]
    offered = [each for question in questions for each in question.likely]
    if not offered:
        return change._replace(refused=Refusal(LiveReason.NO_OPEN_QUESTION, seat=seat))
    if not any(_is_as_offered(step, each) for each in offered):
        names = tuple(dict.fromkeys(each.what for each in offered))
        return change._replace(refused=Refusal(LiveReason.NOT_OFFERED, seat=seat, names=names))
    name, about = BET_SPOTS[seat - 1], {question.about for question in questions}
    if name in live.vanished:
        if step.what == "taken":
            return change._replace(live=live.without_vanished(name))
        change = motion_is_over(change, seat)
        change = change._replace(live=change.live.without_vanished(name))
    if step.what == "change":
        return _changed(change, step, source)
    if step.what == "bet" and "folded-seat" in about:
        change = change.then(source, Undoes())
    others = tuple(other for other in _of_splash(live) if other != seat) if "splash" in about else ()
    change = _taken(change, step, source)
    for other in others:
        change = change.then(source, ChipsAre(other, "nothing")) if step.amount else take_waiting(change, other)
    return follow_up(change)


def _is_as_offered(step: ChipsAre, offered: ChipsAre) -> bool:
    """True for this answer; of a bet also with another amount."""
    return step == offered or step.what == offered.what == "bet"


def _taken(change: Change, step: ChipsAre, source: Source) -> Change:
    """The answer, and the motion that the chips were by it."""
    seat, made = step.seat, change
    if step.what not in ("bet", "taken"):
        return change.then(source, step)
    spot, felt = spot_of(change.live, seat), change.live.table.street.felt[seat]
    forward, back = motion(felt, spot._replace(hidden=False), spot.lies or ())
    if is_waiting(change.live, seat, "between"):
        forward, back = _late(change.live, seat), ()
    if step.amount:
        forward, back = _worth_of(step.amount, forward), ()
    steps: tuple[Step, ...] = (step, Moves(seat, forward, back)) if forward or back else (step,)
    made = change.then(source if step.amount else "sensor", *steps)
    return made if made.refused is None else change._replace(refused=made.refused)


def _late(live: Live, seat: int) -> tuple[int, ...]:
    """The chips that came while nobody can bet, beside what the book counts: that was swept, or is among them."""
    spot, hand = spot_of(live, seat), live.table.hand
    lay, now = set(spot.explained or ()), (BET_SPOTS[seat - 1], live.table.hands, hand.round if hand is not None else 0)
    if any((place.spot, place.hand, place.round) == now and not place.here for place in live.places.values()):
        return few(values(tuple(chip for chip in spot.lies or () if chip not in lay)))
    return motion(live.table.street.felt[seat], spot._replace(hidden=False), spot.lies or ())[0]


def _worth_of(amount: int, seen: tuple[int, ...]) -> tuple[int, ...]:
    """Chips for the amount of a motion: those that were seen, where they come to it, else those among several, as one
    alone would be a call."""
    if sum(seen) == amount:
        return few(seen)
    chips = (*seen, *chips_for(amount - sum(seen))) if sum(seen) <= amount else chips_for(amount)
    return few(chips) if len(chips) > 1 or amount < 2 else (*chips_for(amount - amount // 2), *chips_for(amount // 2))


def _released(change: Change, step: ChipsAre, source: Source) -> Change:
    """Chips that were taken for an act out of turn are no bet: nothing is held, and they lie there."""
    change = change.then(source, FloorReleases(step.seat))
    if due_back(change.live.table, step.seat):
        change = change.then(source, Returns(step.seat))
    return change.then(source, step)


def _changed(change: Change, step: ChipsAre, source: Source) -> Change:
    """Chips changed hands: what the seat lost went to one who had so much due back."""
    change = change.then(source, step)
    for other in sorted(change.live.table.players):
        if other != step.seat and due_back(change.live.table, other) == step.amount:
            return change.then(source, Returns(other))
    return change


WAITS_LONG: Final[tuple[WaitsFor, ...]] = ("emptied", "covered", "change", "folded-seat")
"""Readings that may yet explain themselves: they are asked about only after a while."""
