"""The ways in: an event of the hardware, a command of a person, time alone, a fault of ours. Each gives a `Change`.

All are pure: the same state, event and time give the same change.
"""

from __future__ import annotations

from typing import Final

from controller.live import keys, sensing
from controller.live.change import Change
from controller.live.evolve import MINUTE_US
from controller.live.queries import UNTOLD, is_betting, may_be_astray, sweeping, waiting
from controller.live.sensing import ALONE_US, passed
from controller.live.state import Live
from controller.table import (
    MOST_MINUTES,
    DeviceIsDown,
    DeviceIsUp,
    LosesPresses,
    Source,
    SpotFailed,
    Step,
    TimePasses,
    keeps_time,
)
from hardware.events import (
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    PressesLost,
    SeatPressed,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import POT, bet_spot

UNSETTLED_US: Final = 3_000_000
"""A motion and the quiet after it take two seconds; chips that are not settled after three are a hand that stays on
them, or a reader that cannot make up its mind."""
ASTRAY_US: Final = 5_000_000
"""A dealer who has keyed the last pot pushes it within this time."""


def react(live: Live, event: Event, at_us: int) -> Change:
    """What comes of an event of the hardware."""
    change = Change(live, at_us=at_us)
    match event:
        case StackSeen():
            return change._replace(live=sensing.seen(live, event))
        case StackComplete():
            return sensing.complete(change, event)
        case TrayOffline():
            return sensing.offline(change, event)
        case TrayOnline():
            return sensing.online(change, event)
        case KeyPressed():
            return keys.key(change, event.key)
        case SeatPressed():
            return keys.seat_button(change, event.seat)
        case DeviceUp():
            return change.then("sensor", DeviceIsUp(event.device))
        case DeviceDown():
            return change.then("sensor", DeviceIsDown(event.device, event.reason))
        case PressesLost():
            return change.then("sensor", LosesPresses(event.device, event.count))


def obey(live: Live, step: Step, at_us: int, *, source: Source = "dealer", shown_turn: int | None = None) -> Change:
    """What comes of a command. `shown_turn` is the seat in turn that the person saw."""
    return keys.command(Change(live, at_us=at_us), step, source, shown_turn)


def failed(live: Live, about: Event | Step | None, what: str, at_us: int) -> Change:
    """What comes of a fault of this program while it took an event, a command, or looked at the time (None): nothing of
    it was noted. `what` is told to the technician. The spot that an event was about is doubtful until it is read again,
    and its chips count then."""
    spot = about.spot if isinstance(about, StackSeen | StackComplete | TrayOffline | TrayOnline) else ""
    return Change(live, at_us=at_us).then("sensor", SpotFailed(spot, what))


def tick(live: Live, now_us: int) -> Change:
    """What follows from time alone."""
    change = Change(live, at_us=now_us)
    if is_betting(live.table):
        change = sensing.taken_back(change)
    if live.setup.clock:
        change = _minutes_passed(change)
    return change._replace(live=_grown_late(change.live, now_us))


def _minutes_passed(change: Change) -> Change:
    """The minutes since they were last counted, where something hangs on them. Nobody knows how long a machine was off:
    that counts as one."""
    live, now_us = change.live, change.at_us
    minutes = (now_us - live.clocked_us) // MINUTE_US if now_us >= live.clocked_us else 1
    if not live.clocked_us or not minutes or not keeps_time(live.table):
        return change
    return change.then("sensor", TimePasses(min(minutes, MOST_MINUTES)))


def _grown_late(live: Live, now_us: int) -> Live:
    late = {
        name: glimpse._replace(late=True)
        for name, glimpse in live.glimpses.items()
        if not glimpse.late and passed(glimpse.since_us, now_us, UNSETTLED_US)
    }
    if late:
        live = live._replace(glimpses={**live.glimpses, **late})
    if not live.astray and may_be_astray(live) and passed(_astray_since(live), now_us, ASTRAY_US):
        live = live._replace(astray=True)
    return live


def _astray_since(live: Live) -> int:
    return max(live.over_us, live.spots.get(POT, UNTOLD).told_us)


def next_deadline_us(live: Live) -> int | None:
    """When `tick` has to be called at the latest; None where time alone changes nothing."""
    times = [glimpse.since_us + UNSETTLED_US for glimpse in live.glimpses.values() if not glimpse.late]
    if not sweeping(live):
        times += [_emptied_at(live, seat) + ALONE_US for seat in waiting(live, "emptied")]
    if not live.astray and may_be_astray(live):
        times.append(_astray_since(live) + ASTRAY_US)
    if live.setup.clock and live.clocked_us and keeps_time(live.table):
        times.append(live.clocked_us + MINUTE_US)
    return min(times, default=None)


def _emptied_at(live: Live, seat: int) -> int:
    held_back = live.spots[bet_spot(seat)].waiting
    return held_back.at_us if held_back is not None else 0
