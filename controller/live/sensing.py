"""What spots tell: settled readings become motions, or wait for the dealer.

A complete, readable motion while the betting is open is a step. What a reader is not sure of, what comes between the
rounds, what looks like a sweep and what may be no bet waits. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.change import Change
from controller.live.counting import counts_bet
from controller.live.judging import ahead_of, first_came, made_of, protecting, resized, swept_and_new
from controller.live.motions import as_note, moved
from controller.live.places import unheard_among
from controller.live.queries import SEAT_OF, UNTOLD, is_betting, is_waiting, raising, worth
from controller.live.state import Glimpse, Live
from controller.live.waits import follow_up, raise_is_over, swept_in_time, vanishing
from controller.table import (
    ChipsAre,
    Moves,
    SpotBack,
    SpotHolds,
    SpotOut,
    TagCopied,
    Taken,
    TrayBack,
    TrayOut,
    Undoes,
)
from hardware.events import ChipsTurnUp, StackComplete, StackSeen, TrayOffline, TrayOnline
from hardware.spots import BET_SPOTS

_TOLD_REFUSED: Final[tuple[Taken, ...]] = ("folded-seat", "between", "left")
"""Chips of these count for nothing; it is told where the table would refuse them as a motion."""

# --- readings ---


def seen(change: Change, event: StackSeen) -> Change:
    """What a bet spot shows at this moment; a spot that shows what it held anyway shows nothing."""
    if event.spot not in SEAT_OF or counts_bet(change.live, SEAT_OF[event.spot]):
        return change
    live = vanishing(change.live, event)
    spot, before = live.spots.get(event.spot, UNTOLD), live.glimpses.get(event.spot)
    if (event.stack, event.strangers, event.lammers) == (spot.lies, spot.strangers, spot.lammers):
        live = live.without_glimpse(event.spot)
    else:
        felt = live.table.street.felt[SEAT_OF[event.spot]]
        begins = before is None or worth(before.stack) <= felt < worth(event.stack)  # a blind, and now a bet
        times = (event.since_us or event.at_us, event.after_us)
        since_us, after_us = times if before is None or begins else (before.since_us, before.after_us)
        late = before is not None and not begins and before.late
        none_came = set(event.stack) <= set(spot.lies or ())
        first = event.strangers if none_came else before.first if before is not None else ()
        shows = (event.stack, event.strangers, event.lammers, event.at_least)
        glimpse = Glimpse(*shows, since_us, late=late, first=first, after_us=after_us, weak=event.weak)
        shown = {chip.uid: change.at_us for chip in event.stack} | dict(live.shown.get(event.spot, {}))
        live = live._replace(glimpses={**live.glimpses, event.spot: glimpse}, shown={**live.shown, event.spot: shown})
    return swept_in_time(change._replace(live=live))


def complete(change: Change, event: StackComplete) -> Change:
    """What a spot holds now, settled."""
    return _held(change if event.doubt != "copied" else _copies_told(change, event), event)


def turned_up(change: Change, event: ChipsTurnUp) -> Change:
    """Chips answer in the pot: those that nobody was heard to bet are told at once."""
    chips = unheard_among(change.live, event)
    if not chips:
        return change
    at_least = change.live.spots[event.spot].at_least
    return change.then("sensor", SpotHolds(event.spot, "lies", came=chips, at_least=at_least, more=True))


def _copies_told(change: Change, event: StackComplete) -> Change:
    """Chips that lie here, and by their UIDs at another spot, too."""
    here = {chip.uid for chip in event.stack}
    lying = ((chip.uid, name) for name, spot in change.live.spots.items() for chip in spot.lies or ())
    twice = sorted((uid, name) for uid, name in lying if uid in here and name != event.spot)
    for uid, other in twice:
        change = change.then("sensor", TagCopied(uid, other, event.spot))
    return change


def _held(change: Change, event: StackComplete) -> Change:
    seat = SEAT_OF.get(event.spot)
    if seat is None:
        return change.then("sensor", as_note(change.live, event.spot, event, "lies"))
    if counts_bet(change.live, seat):
        return change.then("sensor", as_note(change.live, event.spot, event, "doubt"))
    change, refused = change._replace(live=vanishing(change.live, event)), change.refused
    went = swept_and_new(change.live, seat, event)
    if went:
        change = change.then("sensor", SpotHolds(event.spot, _swept(change.live), went=went))
    change = _protected(change, seat, event)
    taken: Taken | None = "between" if went else made_of(change.live, seat, event)
    if taken in _TOLD_REFUSED:
        refused = moved(change, seat, event).refused
        if taken == "folded-seat" and refused is None:  # it owes, or has not been dealt out
            taken = None
    kept = resized(change.live, seat, event) if taken in (None, "covered", "deferred") else ()
    if kept:
        holds = as_note(change.live, event.spot, event, "lies")
        change = change.then("sensor", Undoes(), holds, Moves(seat, kept))
    elif taken is None:
        change = moved(_raised_before(change, seat, event.at_us), seat, event)
    else:
        ahead = ahead_of(change.live, seat, first_came(change.live, seat, event))
        change = change.then("sensor", as_note(change.live, event.spot, event, taken))
        change = change._replace(refused=refused if taken in _TOLD_REFUSED else change.refused)
        if taken == "deferred" and ahead:
            change = change._replace(live=change.live._replace(ahead={**change.live.ahead, seat: ahead}))
    return follow_up(swept_in_time(change._replace(live=change.live.without_glimpse(event.spot))))


def _protected(change: Change, seat: int, event: StackComplete) -> Change:
    """The chip that protects the seat's cards is no bet, where it lies among others."""
    chip = protecting(change.live, seat, event)
    if chip is None:
        return change
    waits = is_waiting(change.live, seat, "own-stack")
    return change.then("sensor", ChipsAre(seat, "nothing") if waits else SpotHolds(event.spot, "left", came=(chip,)))


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
    return live.without_glimpse(spot).without_vanished(spot)
