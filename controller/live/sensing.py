"""What spots tell: settled readings become motions, or wait for the dealer.

A complete, readable motion while the betting is open is a step. What a reader is not sure of, what comes between the
rounds, what looks like a sweep and what may be no bet waits. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.change import Change
from controller.live.counting import counts_bet
from controller.live.evolve import without_glimpse, without_vanished
from controller.live.judging import made_of, resized, swept_and_new
from controller.live.motions import as_note, moved
from controller.live.queries import SEAT_OF, UNTOLD, is_betting, raising, worth
from controller.live.state import Glimpse, Live
from controller.live.waits import follow_up, raise_is_over, swept_in_time, vanishing
from controller.table import Moves, SpotBack, SpotHolds, SpotOut, Taken, TrayBack, TrayOut, Undoes
from hardware.events import StackComplete, StackSeen, TrayOffline, TrayOnline
from hardware.spots import BET_SPOTS

# --- readings ---


def seen(change: Change, event: StackSeen) -> Change:
    """What a bet spot shows at this moment; a spot that shows what it held anyway shows nothing."""
    if event.spot not in SEAT_OF or counts_bet(change.live, SEAT_OF[event.spot]):
        return change
    live = vanishing(change.live, event)
    spot, before = live.spots.get(event.spot, UNTOLD), live.glimpses.get(event.spot)
    if (event.stack, event.strangers, event.lammers) == (spot.lies, spot.strangers, spot.lammers):
        live = without_glimpse(live, event.spot)
    else:
        felt = live.table.street.felt[SEAT_OF[event.spot]]
        begins = before is None or worth(before.stack) <= felt < worth(event.stack)  # a blind, and now a bet
        since_us = event.since_us or event.at_us if before is None or begins else before.since_us
        late = before is not None and not begins and before.late
        none_came = set(event.stack) <= set(spot.lies or ())
        first = event.strangers if none_came else before.first if before is not None else ()
        glimpse = Glimpse(event.stack, event.strangers, event.lammers, event.at_least, since_us, late=late, first=first)
        shown = {chip.uid: change.at_us for chip in event.stack} | dict(live.shown.get(event.spot, {}))
        live = live._replace(glimpses={**live.glimpses, event.spot: glimpse}, shown={**live.shown, event.spot: shown})
    return swept_in_time(change._replace(live=live))


def complete(change: Change, event: StackComplete) -> Change:
    """What a spot holds now, settled."""
    seat = SEAT_OF.get(event.spot)
    if seat is None:
        return change.then("sensor", as_note(change.live, event.spot, event, "lies"))
    if counts_bet(change.live, seat):
        return change.then("sensor", as_note(change.live, event.spot, event, "doubt"))
    change, refused = change._replace(live=vanishing(change.live, event)), change.refused
    went = swept_and_new(change.live, seat, event)
    if went:
        change = change.then("sensor", SpotHolds(event.spot, _swept(change.live), went=went))
    taken: Taken | None = "between" if went else made_of(change.live, seat, event)
    if taken == "folded-seat":  # unless it owes, or has not been dealt out
        refused = moved(change, seat, event).refused
        taken = taken if refused is not None else None
    kept = resized(change.live, seat, event) if taken in (None, "covered", "deferred") else ()
    if kept:
        holds = as_note(change.live, event.spot, event, "lies")
        change = change.then("sensor", Undoes(), holds, Moves(seat, kept))
    elif taken is None:
        change = moved(_raised_before(change, seat, event.at_us), seat, event)
    else:
        change = change.then("sensor", as_note(change.live, event.spot, event, taken))
        change = change._replace(refused=refused if taken == "folded-seat" else change.refused)
    return follow_up(swept_in_time(change._replace(live=without_glimpse(change.live, event.spot))))


def _swept(live: Live) -> Taken:
    return "emptied" if is_betting(live.table) else "lies"


def _raised_before(change: Change, seat: int, at_us: int) -> Change:
    """What was seen of a raise in several motions before the next seat began its own belongs to the raise."""
    glimpses, spot = change.live.glimpses, BET_SPOTS[seat - 1]
    if not glimpses.keys() - {spot}:
        return change
    raiser, own = raising(change.live.table), glimpses.get(spot)
    more = glimpses.get(BET_SPOTS[raiser - 1]) if raiser else None
    if more is None or more.since_us >= (own.since_us if own is not None else at_us):
        return change
    return raise_is_over(change, seat)


# --- spots that are not read ---


def offline(change: Change, event: TrayOffline) -> Change:
    """A spot is not read any more."""
    seat = SEAT_OF.get(event.spot)
    change = change._replace(live=_nothing_shown(change.live, event.spot))
    if seat is None:
        return change.then("sensor", SpotOut(event.spot, event.reason))
    return change if seat in change.live.table.offline else change.then("sensor", TrayOut(seat))


def online(change: Change, event: TrayOnline) -> Change:
    """A spot is read again, or for the first time; what it holds follows."""
    seat = SEAT_OF.get(event.spot)
    change = change._replace(live=_nothing_shown(change.live, event.spot))
    if seat is None:
        return change.then("sensor", SpotBack(event.spot))
    return change.then("sensor", TrayBack(seat)) if seat in change.live.table.offline else change


def _nothing_shown(live: Live, spot: str) -> Live:
    return without_vanished(without_glimpse(live, spot), spot)
