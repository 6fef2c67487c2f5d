"""`evolve`: what each step makes of the live state. The only way that anything of it that lasts changes.

The same on the first time and when a journal is replayed. A step of the table goes through `controller.table`; a note
changes what is known beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from controller.live.notes import note
from controller.live.queries import IN_TURN, SEAT_OF, UNTOLD, is_waiting, may_be_astray, possible_answers, worth
from controller.live.state import BetSource, Live, Ruled, Spot
from controller.rules import BEING_GIVEN, NO_SEATS, Phase
from controller.table import (
    ActionOn,
    AllPutIn,
    Caution,
    Declares,
    FloorSeatStep,
    FloorSetsBet,
    HeldOutOfTurn,
    Moves,
    Note,
    Outcome,
    PutsIn,
    Redoes,
    Says,
    Source,
    StartsBomb,
    StartsHand,
    Step,
    Table,
    TimePasses,
    TrayOut,
    Undoes,
    WaitsFor,
    Warned,
    WasAnother,
    owed,
)
from controller.table import step as table_step
from hardware.spots import bet_spot

MINUTE_US: Final = 60_000_000
_SETS_BETS: Final = (Undoes, Redoes, FloorSetsBet, WasAnother, PutsIn, AllPutIn)
"""Steps by which chips lie there or do not, whatever the readers have told."""
_MADE_GOOD: Final = frozenset({Caution.UNDER_BET, Caution.UNDER_CALL, Caution.UNDER_RAISE, Caution.CHIPS_WITHDRAWN})
"""Warnings that say that chips are missing."""


def evolve(live: Live, step: Step, source: Source, at_us: int) -> tuple[Live, Outcome]:
    """The state after a step of the time `at_us`, and what came of it at the table; where that refused it, the state as
    it was. Pure. Raises what is raised where this program is at fault."""
    if isinstance(step, Note):
        return _settled(live, note(step, live, at_us), at_us), Outcome(live.table)
    outcome = table_step(live.table, step, at_us)
    if outcome.refused is not None:
        return live, outcome
    return _settled(live, _taken(live, outcome, step, source, at_us), at_us), outcome


# --- steps of the table ---


def _taken(live: Live, outcome: Outcome, step: Step, source: Source, at_us: int) -> Live:
    before, after = live.table, outcome.table
    live = live._replace(clocked_us=_clocked(live, step, source, at_us))
    if isinstance(step, TimePasses):  # nothing that is shown of the last step is over by that
        return live._replace(table=after)
    ruled = Ruled((*_still_said(live, step, after), *outcome.warned), at_us=at_us)
    live = live._replace(table=after, ruled=ruled, too_early=False, failed="")
    if after.street.held is not before.street.held:
        held_us = {seat: live.held_us.get(seat, at_us) for seat in after.street.held}
        live = live._replace(held_us=held_us, overdue=frozenset(live.overdue & held_us.keys()))
    live = _acknowledged(live, outcome, step, before)
    if source != "sensor":
        live = live._replace(presses_lost={})
    if _is_new_street(before, after):
        live = _new_street(live, before.street.felt)
    if isinstance(step, _SETS_BETS):
        more = [now - was for was, now in zip(before.street.felt, after.street.felt, strict=True)]
        fell, rose = _where(more, lambda change: change < 0), _where(more, lambda change: change > 0)
        undone = live.undone | fell if isinstance(step, Undoes) else live.undone - rose
        live = live._replace(undone=undone, put_back=live.put_back | rose)
        if isinstance(step, WasAnother | AllPutIn):
            live = live._replace(sources={**live.sources, **dict.fromkeys(fell | rose, "keyed")})
    elif isinstance(step, StartsBomb | StartsHand):
        live = live._replace(restarted=False, hand_us=at_us, antes_in=0)
    elif isinstance(step, TrayOut):
        name = bet_spot(step.seat)
        live = live.without_glimpse(name).with_spot(name, live.spots.get(name, UNTOLD)._replace(hidden=True))
    for seat in before.offline:
        if after.street.felt[seat] not in (0, before.street.felt[seat]):
            spot = live.spots.get(bet_spot(seat), UNTOLD)
            live = live.with_spot(bet_spot(seat), spot._replace(altered=True))
    if isinstance(step, Declares | Says | Moves | WasAnother | PutsIn | FloorSeatStep):
        old = live.sources.get(step.seat)
        live = live._replace(sources={**live.sources, step.seat: _bet_source(old, step, source)})
    if before.hand and after.hand and before.hand.turn != after.hand.turn:
        live = live._replace(turned_us=at_us if source == "sensor" else 0)
    return live


def _still_said(live: Live, step: Step, after: Table) -> tuple[Warned, ...]:
    """What words were warned about, and holds when their chips come: all but that chips are missing, once none are."""
    joins = after.joins
    if not isinstance(step, Moves) or joins.seat != step.seat or joins.seat != live.table.joins.seat:
        return ()
    is_good = not owed(after, step.seat)
    return tuple([each for each in live.ruled.warned if not (is_good and each.code in _MADE_GOOD)])


def _acknowledged(live: Live, outcome: Outcome, step: Step, before: Table) -> Live:
    """Who says that the action is on the seat in turn has heard of all that waits behind it, until that seat does
    something out of turn again."""
    known = live.acknowledged - {each.seat for each in outcome.warned if each.code is Caution.OUT_OF_TURN}
    if isinstance(step, ActionOn) and before.hand is not None and before.hand.turn == step.seat:
        known |= {seat for seat, held in before.street.held.items() if isinstance(held, HeldOutOfTurn)}
    return live._replace(acknowledged=known) if known != live.acknowledged else live


def _clocked(live: Live, step: Step, source: Source, at_us: int) -> int:
    """Up to when minutes have been counted: from the first step on, in whole ones; anew where the clock has begun
    anew, as after a machine was off."""
    if not live.clocked_us or at_us < live.clocked_us:
        return at_us
    counted = isinstance(step, TimePasses) and source == "sensor"
    return at_us - (at_us - live.clocked_us) % MINUTE_US if counted else live.clocked_us


def _where(changes: list[int], so: Callable[[int], bool]) -> frozenset[int]:
    """The seats of which it is so."""
    return frozenset(seat for seat, change in enumerate(changes) if so(change))


def _is_new_street(before: Table, after: Table) -> bool:
    """Also where the hand is set up anew: the bets of before lie there no longer."""
    old, new = before.hand, after.hand
    if old is None or new is None:
        return True
    return (old.round, old.button, old.order, before.hands) != (new.round, new.button, new.order, after.hands)


def _new_street(live: Live, felt: Sequence[int]) -> Live:
    """What was open about the chips of the last one is over: they are swept. So is what of them is seen, not settled,
    as change for a large chip, but for spots with chips of the new one; `felt` is what each seat had there by the
    book."""
    for why, after in _OVER_WITH_STREET.items():
        live = _resolved(live, why, after)
    if live.counting is not None and live.counting.what == "bet":
        live = live._replace(counting=None)
    glimpses = {
        name: each
        for name, each in live.glimpses.items()
        if worth(each.stack) > felt[SEAT_OF[name]] or is_waiting(live, SEAT_OF[name], "between")
    }
    return live._replace(sources={}, undone=NO_SEATS, put_back=NO_SEATS, vanished={}, shown={}, glimpses=glimpses)


def _bet_source(old: BetSource | None, step: Step, source: Source) -> BetSource:
    if source == "sensor":
        return "confirmed" if old == "keyed" else "sensed"
    return old if isinstance(step, Says) and old is not None else "keyed"


# --- what follows from either ---


def _settled(before: Live, live: Live, at_us: int) -> Live:
    """The state with what follows by itself: readings and answers whose question is over."""
    phase = _phase(live)
    if any(spot.waiting for spot in live.spots.values()):
        if phase in BEING_GIVEN:
            for why in _NO_BETS:
                live = _resolved(live, why, Spot.left_over)
        if phase not in IN_TURN:
            live = _resolved(_resolved(live, "emptied", Spot.taken_as_is), "covered", Spot.taken_as_is)
    if live.answered:
        live = live._replace(answered=live.answered & possible_answers(live))
    if live.acknowledged:
        live = live._replace(acknowledged=live.acknowledged.intersection(live.table.street.held))
    if phase is Phase.OVER and _phase(before) is not Phase.OVER:
        live = live._replace(over_us=at_us)
    return live._replace(astray=False) if live.astray and not may_be_astray(live) else live


def _phase(live: Live) -> Phase:
    return live.table.hand.phase if live.table.hand is not None else Phase.OVER


def _resolved(live: Live, why: WaitsFor, after: Callable[[Spot], Spot]) -> Live:
    """The state with this made of all readings that wait for this reason."""
    found = {name: after(spot) for name, spot in live.spots.items() if spot.waiting and spot.waiting.why == why}
    return live._replace(spots={**live.spots, **found}) if found else live


_NO_BETS: Final[tuple[WaitsFor, ...]] = (
    "between",
    "own-stack",
    "last-pot",
    "splash",
    "copied",
    "change",
    "folded-seat",
)
"""What of these is not said to be a bet by the time the pots are given is none."""
_OVER_WITH_STREET: Final[dict[WaitsFor, Callable[[Spot], Spot]]] = {
    "emptied": Spot.taken_as_is,
    "covered": Spot.taken_as_is,
    "doubt": Spot.of_lying,
    **{why: Spot.left_over for why in _NO_BETS if why != "between"},
}
