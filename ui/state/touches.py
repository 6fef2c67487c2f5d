"""What a touch that counted does: a change of the screen, or a step for the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from controller.view import TableView
from ui.state import sending
from ui.state.award import award_half, award_pot, award_seat, award_start, award_step
from ui.state.keys import Key, action_keys, always, extra_steps, misdeal, named_step, seat_view, steps
from ui.state.modes import NORMAL, Award, Correcting, Mode, Pad, SeatPanel, pot_count, wager
from ui.state.screen import Say, Screen, current_alert, refuse, waiting_alerts
from ui.state.seat_keys import panel_amount, panel_keys
from ui.state.sending import Sending
from ui.state.targets import Answer, BetSpot, Bound, Digit, Half, NamedKey, Offered, Pot, Seat, Target, Winners
from ui.state.typed import Typed, amount_of, as_typed, type_key

Outcome = tuple[Screen, Sending | None]
"""The screen after a touch, and the step to send if there is one."""


def press(screen: Screen, target: Target) -> Outcome:
    """A touch on that target counted."""
    view = screen.view
    if view is None or not screen.live:
        return refuse(screen, Say("not-connected")), None
    if screen.message is not None:
        screen = replace(screen, message=None)
    match target:
        case Seat(number):
            return _seat(screen, view, number)
        case BetSpot(seat):
            return replace(screen, mode=SeatPanel(seat)), None
        case Answer(index):
            return _answer(screen, view, index)
        case Digit(key):
            return _typed(screen, lambda typed: type_key(typed, key, view.money)), None
        case Bound(of):
            amount = view.min_raise_to if of == "min" else view.max_raise_to
            return _typed(screen, lambda typed: typed if amount is None else as_typed(amount, view.money)), None
        case Pot(name):
            return replace(screen, mode=award_pot(view, name) or NORMAL), None
        case Winners(half):
            return _winners(screen, half), None
        case Offered():
            return _send_key(screen, view, target)
        case NamedKey():
            local = _local(screen, view, target)
            return (local, None) if local is not None else _send_key(screen, view, target)


def _send(screen: Screen, view: TableView, do: str, *, stay: bool = False) -> tuple[Screen, Sending]:
    mode: Mode = screen.mode if stay else NORMAL
    return replace(screen, mode=mode, warned=None), Sending(do, view.sequence)


def _seat(screen: Screen, view: TableView, seat: int) -> Outcome:
    """A touch on a seat: a winner, the seat to correct, or "the action is here"."""
    if isinstance(screen.mode, Award):
        return replace(screen, mode=award_seat(screen.mode, view, seat)), None
    if isinstance(screen.mode, Correcting | SeatPanel) or view.phase in ("idle", "over"):
        return replace(screen, mode=SeatPanel(seat)), None
    named = named_step(view, seat)
    if named is not None:
        return _send(screen, view, named())
    who = seat_view(view, seat)
    if who is None or who.status not in ("to-act", "waiting", "acted"):
        return refuse(screen, Say("cannot-act", {"seat": seat})), None
    return _send(screen, view, sending.here(seat))


def _answer(screen: Screen, view: TableView, index: int) -> Outcome:
    alert = current_alert(screen)
    if alert is None or index >= len(alert.choices):
        return screen, None
    return _send(replace(screen, rule=False), view, alert.choices[index].do)


def _winners(screen: Screen, half: Half) -> Screen:
    mode = screen.mode
    return replace(screen, mode=award_half(mode, half)) if isinstance(mode, Award) else screen


def _typed(screen: Screen, change: Callable[[Typed], Typed]) -> Screen:
    mode = screen.mode
    if not isinstance(mode, Pad | SeatPanel):
        return screen
    return replace(screen, mode=replace(mode, typed=change(mode.typed)))


def _send_key(screen: Screen, view: TableView, target: Target) -> Outcome:
    """A key that sends its own step."""
    if target is NamedKey.OK:
        return _ok(screen, view)
    found = next((key for key in _sendable(screen, view) if key.target == target), None)
    if found is None or not found.enabled or found.do is None:
        return screen, None
    return _send(screen, view, found.do(), stay=target is NamedKey.UNDO)


def _local(screen: Screen, view: TableView, key: NamedKey) -> Screen | None:
    """The screen after a key that only changes what it shows; None for any other key."""
    mode = screen.mode
    match key:
        case NamedKey.CANCEL:
            return replace(screen, mode=NORMAL)
        case NamedKey.CORRECT:
            return replace(screen, mode=NORMAL if isinstance(mode, Correcting) else Correcting())
        case NamedKey.COUNT_POT:
            return replace(screen, mode=pot_count())
        case NamedKey.RAISE if view.turn is not None and action_keys(view)[2].do is None:
            return replace(screen, mode=wager(view, view.turn))
        case NamedKey.AWARD:
            return replace(screen, mode=award_start(view) or NORMAL)
        case NamedKey.SHOW_POT:
            return replace(screen, pot_shown=not screen.pot_shown)
        case NamedKey.RULE | NamedKey.MORE | NamedKey.ASIDE:
            return _band(screen, key)
    return None


def _band(screen: Screen, key: NamedKey) -> Screen:
    """The small keys of the alert band."""
    alert = current_alert(screen)
    if alert is None:
        return screen
    if key is NamedKey.RULE:
        return replace(screen, rule=not screen.rule, alert=alert.key)
    if key is NamedKey.ASIDE and alert is screen.warned:
        return replace(screen, warned=None, rule=False)
    if key is NamedKey.ASIDE:
        return replace(screen, seen=screen.seen | {alert.key}, alert=None, rule=False)
    waiting = waiting_alerts(screen)
    following = waiting[(waiting.index(alert) + 1) % len(waiting)]
    return replace(screen, alert=following.key, rule=False)


def _ok(screen: Screen, view: TableView) -> Outcome:
    mode = screen.mode
    if isinstance(mode, Award):
        do = award_step(mode)
        return _send(screen, view, do, stay=True) if do is not None else (screen, None)
    if isinstance(mode, Pad | SeatPanel):
        amount = amount_of(mode.typed, view.money)
        asked = mode.asked if isinstance(mode, Pad) else panel_amount(mode, view)
        if amount is not None:
            return _send(screen, view, asked.step(amount))
    return screen, None


def _sendable(screen: Screen, view: TableView) -> tuple[Key, ...]:
    """Every key that could send a step of its own now, whatever stands on the screen."""
    keys = (*action_keys(view), *steps(view), *extra_steps(view), *always(view))
    if isinstance(screen.mode, SeatPanel):
        keys += panel_keys(screen.mode, view)
    if isinstance(screen.mode, Correcting):
        keys += (misdeal(view),)
    return keys
