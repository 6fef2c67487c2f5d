"""What a touch that counted does: a change of the screen, or a step for the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from controller.view import TableView
from ui.state import sending
from ui.state.award import award_part, award_pot, award_seat, award_share, award_start, award_step
from ui.state.keys import (
    Key,
    action_keys,
    awards_next,
    call_floor,
    extra_steps,
    go_on,
    named_step,
    redo,
    seat_view,
    undo,
)
from ui.state.modes import (
    NORMAL,
    Award,
    Mode,
    Naming,
    Offering,
    Pad,
    Picking,
    SeatPanel,
    Sure,
    TablePanel,
    bounds,
    wager,
)
from ui.state.pages.keyboard import KeyboardKey, Letter
from ui.state.pages.page import LookAt, PageKey
from ui.state.pages.steps import page_keys
from ui.state.pages.touches import name_typed, press_page
from ui.state.screen import Say, Screen, current_alert, refuse, waiting_alerts
from ui.state.sending import Sending
from ui.state.targets import Answer, BetSpot, Bound, Digit, NamedKey, Offered, Part, PlaysGame, Pot, Seat, Target
from ui.state.typed import Typed, amount_of, as_typed, type_key
from ui.state.verbs import seat_keys, table_keys

Outcome = tuple[Screen, Sending | None]
"""The screen after a touch, and the step to send if there is one."""

NOT_DEALT_IN = frozenset({"empty", "away", "out"})
"""A touch on such a seat opens its keys: no action can be there."""


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
            is_asked = isinstance(screen.mode, Award | Picking)
            return _seat(screen, view, seat) if is_asked else (_keys_of(screen, seat), None)
        case Answer(index):
            return _answer(screen, view, index)
        case Digit(key):
            return _typed(screen, lambda typed: type_key(typed, key, view.money)), None
        case Bound(of):
            amount = bounds(view).get(of)
            return _typed(screen, lambda typed: typed if amount is None else as_typed(amount, view.money)), None
        case Pot(name):
            return _awarding(screen, view, award_pot(view, name))
        case Part():
            mode = screen.mode
            return _awarding(screen, view, award_part(mode, target)) if isinstance(mode, Award) else (screen, None)
        case LookAt() | PageKey() | Letter() | KeyboardKey():
            return press_page(screen, target)
        case Offered() | PlaysGame():
            return _press_key(screen, view, target)
        case NamedKey():
            return _named(screen, view, target)


def _send(screen: Screen, view: TableView, do: str, *, stay: bool = False) -> tuple[Screen, Sending]:
    mode: Mode = screen.mode if stay else NORMAL
    return replace(screen, mode=mode, warned=None, sent_from=screen.mode), Sending(do, view.sequence)


# --- the table ---


def _seat(screen: Screen, view: TableView, seat: int) -> Outcome:
    """A touch on a seat: a winner, the answer to a question, whose keys are wanted, or "the action is here"."""
    mode, who = screen.mode, seat_view(view, seat)
    if isinstance(mode, Award):
        return _awarding(screen, view, award_seat(mode, view, seat))
    if isinstance(mode, Picking):
        return _send(screen, view, mode.step(seat))
    if isinstance(mode, TablePanel):
        return replace(screen, mode=SeatPanel(seat, mode.typed)), None
    if isinstance(mode, SeatPanel) or view.phase in ("idle", "over"):
        return _keys_of(screen, seat), None
    named = named_step(view, seat)
    if named is not None:
        return _send(screen, view, named())
    if who is None or who.status in NOT_DEALT_IN:
        return _keys_of(screen, seat), None
    award = award_start(view) if awards_next(view) else None
    if award is not None and award.won == () and (won := award_seat(award, view, seat)).won:
        return _awarding(screen, view, won)
    if who.status not in ("to-act", "waiting", "acted"):
        return refuse(screen, Say("cannot-act", {"seat": seat})), None
    return _send(screen, view, sending.here(seat))


def _keys_of(screen: Screen, seat: int) -> Screen:
    """The keys of that seat opened; closed again where they are open."""
    mode = screen.mode
    is_open = isinstance(mode, SeatPanel) and mode.seat == seat
    return replace(screen, mode=NORMAL if is_open else SeatPanel(seat))


def _answer(screen: Screen, view: TableView, index: int) -> Outcome:
    alert = current_alert(screen)
    if alert is None or index >= len(alert.choices):
        return screen, None
    return _send(replace(screen, rule=False), view, alert.choices[index].do, stay=True)


# --- a pot to give ---


def _awarding(screen: Screen, view: TableView, award: Award | None) -> Outcome:
    """The pot as it is being given; once its winners are known the service is asked what each would get."""
    if award is None:
        return replace(screen, mode=NORMAL), None
    step = award_step(award, view)
    asked = Sending(sending.look_award(step), 0) if step is not None else None
    return replace(screen, mode=award, shares=None), asked


# --- keys ---


def _named(screen: Screen, view: TableView, key: NamedKey) -> Outcome:
    mode = screen.mode
    match key:
        case NamedKey.OK:
            return _ok(screen, view)
        case NamedKey.BY if isinstance(mode, Pad):
            amount = amount_of(mode.typed, view.money)
            return _send(screen, view, sending.raise_by(mode.seat, amount)) if amount else (screen, None)
        case NamedKey.SHARE if isinstance(mode, Award):
            return _awarding(screen, view, award_share(mode))
        case NamedKey.AWARD if go_on(view).do is None:
            return _awarding(screen, view, award_start(view))
    local = _local(screen, view, key)
    return (local, None) if local is not None else _press_key(screen, view, key)


def _local(screen: Screen, view: TableView, key: NamedKey) -> Screen | None:
    """The screen after a key that only changes what it shows; None for any other key."""
    match key:
        case NamedKey.CANCEL:
            back = screen.mode.back if isinstance(screen.mode, Naming) else None
            return replace(screen, mode=back or NORMAL)
        case NamedKey.TABLE:
            return replace(screen, mode=TablePanel())
        case NamedKey.OFFERS:
            return replace(screen, mode=Offering())
        case NamedKey.RAISE if view.turn is not None and action_keys(view)[2].do is None:
            return replace(screen, mode=wager(view, view.turn))
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


def _typed(screen: Screen, change: Callable[[Typed], Typed]) -> Screen:
    mode = screen.mode
    if not isinstance(mode, Pad | SeatPanel | TablePanel):
        return screen
    return replace(screen, mode=replace(mode, typed=change(mode.typed)))


def _ok(screen: Screen, view: TableView) -> Outcome:
    """What was typed, put together or asked is to be done."""
    match screen.mode:
        case Naming() as naming:
            named, do = name_typed(screen, naming)
            return _send(named, view, do) if do is not None else (named, None)
        case Award() as award:
            do = award_step(award, view)
            return _send(screen, view, do, stay=True) if do is not None else (screen, None)
        case Pad(seat, opens, typed):
            amount = amount_of(typed, view.money)
            step = sending.bet if opens else sending.raise_to
            return _send(screen, view, step(seat, amount)) if amount else (screen, None)
        case Sure(step=step):
            return _send(screen, view, step())
    return screen, None


def _press_key(screen: Screen, view: TableView, target: Target) -> Outcome:
    """A key that sends its own step, or opens something."""
    found = next((key for key in _keys(screen, view) if key.target == target), None)
    if found is None or not found.enabled:
        return screen, None
    if found.opens is not None:
        return replace(screen, mode=found.opens), None
    if found.do is None:
        return screen, None
    stay = target in (NamedKey.UNDO, NamedKey.REDO, NamedKey.FLOOR)
    return _send(screen, view, found.do(), stay=stay)


def _keys(screen: Screen, view: TableView) -> tuple[Key, ...]:
    """Every key that could do something of its own now, whatever stands on the screen."""
    again = redo(view)
    keys = (*action_keys(view), *extra_steps(view), undo(view), call_floor(view), go_on(view))
    if again is not None:
        keys += (again,)
    if isinstance(screen.mode, SeatPanel):
        keys += tuple(key for _, key in seat_keys(screen.mode, view))
    if isinstance(screen.mode, TablePanel):
        keys += tuple(key for _, key in table_keys(screen.mode, view))
    if screen.page is not None:
        keys += page_keys(screen.page, view)
    return keys
