"""The ways in: an event of the hardware, a command of a person, time alone, a fault of ours. Each gives a `Change`.

All are pure: the same state, event and time give the same change.
"""

from __future__ import annotations

from typing import Final

from controller.live import fingers, keys, sensing, waits
from controller.live.asking import WAITS_LONG
from controller.live.change import Change
from controller.live.evolve import MINUTE_US
from controller.live.fingers import next_key_us
from controller.live.queries import UNTOLD, is_betting, is_lone, may_be_astray, passed, sweeping, waiting
from controller.live.state import Live
from controller.live.waits import ALONE_US
from controller.table import (
    MOST_MINUTES,
    DeviceIsDown,
    DeviceIsMisset,
    DeviceIsUp,
    LosesPresses,
    Source,
    SpotFailed,
    Step,
    TagIsWeak,
    TimePasses,
    keeps_time,
)
from hardware.events import (
    ChipsTurnUp,
    DeviceDown,
    DeviceMisset,
    DeviceUp,
    Event,
    KeyPressed,
    PressesLost,
    SeatPressed,
    SpotStirs,
    StackComplete,
    StackSeen,
    TagWeak,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import POT, bet_spot

UNSETTLED_US: Final = 3_000_000
"""A motion and the quiet after it take two seconds; chips that are not settled after three are a hand that stays on
them, or a reader that cannot make up its mind."""
RIPE_US: Final = 2_500_000
"""What explains a spot that has emptied (a sweep, a key) comes within this time, or the dealer is asked."""
OVERDUE_US: Final = 3_000_000
"""Folds that come before chips behind the turn are keyed within this time, or the dealer is asked."""
ASTRAY_US: Final = 5_000_000
"""A dealer who has keyed the last pot pushes it within this time."""


def react(live: Live, event: Event, at_us: int) -> Change:
    """What comes of an event of the hardware."""
    return _still_ripe(_reacted(live, event, at_us))


def _reacted(live: Live, event: Event, at_us: int) -> Change:
    change = Change(live, at_us=at_us)
    match event:
        case SpotStirs():
            return change._replace(live=fingers.stirs(live, event, at_us))
        case StackSeen():
            return _told(sensing.seen(change, event), event.spot)
        case StackComplete():
            return _told(sensing.complete(change, event), event.spot)
        case ChipsTurnUp():
            return sensing.turned_up(change, event)
        case TrayOffline():
            return _told(sensing.offline(change, event), event.spot)
        case TrayOnline():
            return sensing.online(change, event)
        case KeyPressed():
            return fingers.pressed(change, event.key)
        case SeatPressed():
            return keys.seat_button(change, event.seat)
        case TagWeak():
            return change.then("sensor", TagIsWeak(event.uid, event.denomination))
        case DeviceUp() | DeviceDown() | DeviceMisset() | PressesLost():
            return change.then("sensor", _of_device(event))


def _of_device(event: DeviceUp | DeviceDown | DeviceMisset | PressesLost) -> Step:
    """What a reader or board has said, as it is noted."""
    match event:
        case DeviceUp():
            return DeviceIsUp(event.device)
        case DeviceDown():
            return DeviceIsDown(event.device, event.reason)
        case DeviceMisset():
            return DeviceIsMisset(event.device, event.what, f"{event.found}, expected {event.expected}")
        case PressesLost():
            return LosesPresses(event.device, event.count)


def _still_ripe(change: Change) -> Change:
    """The change, where spots that do not wait any more may be asked about only after a while again."""
    live = change.live
    if not live.ripe:
        return change
    return change._replace(live=live._replace(ripe=live.ripe & {spot for spot, _ in _ripening(live)}))


def _told(change: Change, spot: str) -> Change:
    """The change, with what waited for the spot."""
    if not change.live.stirring and not change.live.keys:
        return change
    return fingers.now_clear(change._replace(live=fingers.told(change.live, spot)))


def obey(live: Live, step: Step, at_us: int, *, source: Source = "dealer", shown_turn: int | None = None) -> Change:
    """What comes of a command. `shown_turn` is the seat in turn that the person saw."""
    change = fingers.touched(Change(live, at_us=at_us), step, source, shown_turn)
    return _still_ripe(fingers.now_clear(change) if change.steps and change.live.keys else change)


def failed(live: Live, about: Event | Step | None, what: str, at_us: int) -> Change:
    """What comes of a fault of this program while it took an event, a command, or looked at the time (None): nothing of
    it was noted. `what` is told to the technician. The spot that an event was about is doubtful until it is read again,
    and its chips count then."""
    spot = about.spot if isinstance(about, StackSeen | StackComplete | TrayOffline | TrayOnline) else ""
    return Change(live, at_us=at_us).then("sensor", SpotFailed(spot, what))


def tick(live: Live, now_us: int) -> Change:
    """What follows from time alone."""
    change = Change(live, at_us=now_us)
    if live.keys:
        change = fingers.now_clear(change)
    if is_betting(live.table):
        change = waits.taken_back(change)
    if live.setup.clock:
        change = _minutes_passed(change)
    late = _grown_late(change.live, now_us)
    is_later = late.ahead and late.glimpses != change.live.glimpses
    change = change._replace(live=late)
    return waits.follow_up(change) if is_later else change


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
    ripe = frozenset(spot for spot, at_us in _ripening(live) if passed(at_us, now_us, RIPE_US))
    overdue = frozenset(seat for seat, at_us in live.held_us.items() if passed(at_us, now_us, OVERDUE_US))
    if (ripe, overdue) != (live.ripe, live.overdue):
        live = live._replace(ripe=ripe, overdue=overdue)
    if not live.astray and may_be_astray(live) and passed(_astray_since(live), now_us, ASTRAY_US):
        live = live._replace(astray=True)
    return live


def _ripening(live: Live) -> list[tuple[str, int]]:
    """Spots that may yet explain themselves, and since when."""
    found = [(spot, glimpse.gone_us) for spot, glimpse in live.vanished.items()]
    return found + [
        (name, spot.waiting.at_us)
        for name, spot in live.spots.items()
        if spot.waiting is not None and spot.waiting.why in WAITS_LONG and name not in live.vanished
    ]


def _astray_since(live: Live) -> int:
    return max(live.over_us, live.spots.get(POT, UNTOLD).told_us)


def next_deadline_us(live: Live) -> int | None:
    """When `tick` has to be called at the latest; None where time alone changes nothing."""
    times = [glimpse.since_us + UNSETTLED_US for glimpse in live.glimpses.values() if not glimpse.late]
    due_us = next_key_us(live)
    times += [due_us] if due_us is not None else []
    times += [at_us + RIPE_US for spot, at_us in _ripening(live) if spot not in live.ripe]
    times += [at_us + OVERDUE_US for seat, at_us in live.held_us.items() if seat not in live.overdue]
    if not sweeping(live):
        times += [_emptied_at(live, seat) + ALONE_US for seat in waiting(live, "emptied") if not is_lone(live, seat)]
    if not live.astray and may_be_astray(live):
        times.append(_astray_since(live) + ASTRAY_US)
    if live.setup.clock and live.clocked_us and keeps_time(live.table):
        times.append(live.clocked_us + MINUTE_US)
    return min(times, default=None)


def _emptied_at(live: Live, seat: int) -> int:
    held_back = live.spots[bet_spot(seat)].waiting
    return held_back.at_us if held_back is not None else 0
