"""The screen as one frozen value: the view it has, whether it is live, and what it is busy with.

`press` is the one place where a touch that counted becomes a step for the service or a change of the screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controller.view import PROTOCOL, Alert, TableView
from ui import amounts, modes, text
from ui.keys import Key, action_keys, always, extra_steps, named_step, seat_view, steps
from ui.modes import Award, Correcting, Mode, Normal, Pad, SeatPanel


@dataclass(frozen=True, slots=True)
class Desk:
    """All that decides what is drawn."""

    view: TableView | None = None
    live: bool = False
    link: str = text.WAITING
    """Why it is not live, for people."""
    mode: Mode = field(default_factory=Normal)
    alert: str = ""
    """`key` of the alert in the band, when the dealer turned to one; else the first is shown."""
    seen: frozenset[str] = frozenset()
    """Alerts without choices that the dealer has put aside."""
    rule: bool = False
    pot_shown: bool = False
    message: str = ""
    """A refusal or a local answer; the next view or touch clears it."""


@dataclass(frozen=True, slots=True)
class Step:
    """What goes to the service: the step, and the view that was looked at."""

    do: str
    shown: int


def show(desk: Desk, view: TableView) -> Desk:
    """A view has come. One of another protocol is not shown: the screen says so instead."""
    if view.protocol != PROTOCOL:
        return replace(desk, live=False, link=text.PROTOCOL.format(view.protocol, PROTOCOL))
    mode: Mode = desk.mode
    if not modes.still_fits(mode, desk.view, view):
        mode = _next_award(view) if isinstance(mode, Award) else Normal()
    keys = {alert.key for alert in view.alerts}
    same_round = desk.view is not None and (desk.view.hand, desk.view.round) == (view.hand, view.round)
    return replace(
        desk,
        view=view,
        live=True,
        mode=mode,
        alert=desk.alert if desk.alert in keys else "",
        seen=desk.seen & keys,
        rule=desk.rule and desk.alert in keys,
        pot_shown=desk.pot_shown and same_round,
        message="",
    )


def _next_award(view: TableView) -> Mode:
    """After one pot has been given the next one asks by itself, as long as there is one."""
    following = modes.award_start(view) if view.phase in ("closed", "over") else None
    return following or Normal()


def lose(desk: Desk, reason: str) -> Desk:
    """The service is gone: what is shown stays, dimmed, and nothing half typed stays behind."""
    return replace(desk, live=False, link=reason, mode=Normal(), message="")


def refuse(desk: Desk, reason: str) -> Desk:
    """The service (or the screen itself) did not do what was asked."""
    return replace(desk, message=text.REFUSED.format(reason))


def current_alert(desk: Desk) -> Alert | None:
    """The alert in the band: the one turned to, else the most urgent that was not put aside."""
    waiting = waiting_alerts(desk)
    return next((alert for alert in waiting if alert.key == desk.alert), waiting[0] if waiting else None)


def waiting_alerts(desk: Desk) -> tuple[Alert, ...]:
    """The alerts of the view that were not put aside, most urgent first."""
    alerts = desk.view.alerts if desk.view else ()
    return tuple(alert for alert in alerts if alert.key not in desk.seen)


def pot_visible(desk: Desk) -> bool:
    """Whether the pot may be shown now."""
    if desk.view is None or desk.view.show_pot == "never":
        return False
    return desk.view.show_pot == "always" or desk.pot_shown


def press(desk: Desk, target: str) -> tuple[Desk, Step | None]:
    """A touch on the target of that id counted: the desk after it, and the step to send if there is one."""
    view = desk.view
    if view is None or not desk.live:
        return replace(desk, message=text.REFUSED.format(text.NO_CONNECTION)), None
    desk = replace(desk, message="")
    kind, _, rest = target.partition(" ")
    if kind == "seat":
        return _seat(desk, view, int(rest))
    if kind == "spot":
        return replace(desk, mode=SeatPanel(int(rest))), None
    if kind == "pot-count":
        return replace(desk, mode=Pad(text.POT_CORRECTION, "floor pot {}")), None
    if kind == "choice":
        return _choice(desk, view, int(rest))
    if kind in ("digit", "number"):
        return _typed(desk, view, kind, rest), None
    if kind == "award-pot":
        return replace(desk, mode=modes.award_pot(view, rest) or Normal()), None
    return _key(desk, view, target)


def _send(desk: Desk, view: TableView, do: str, *, stay: bool = False) -> tuple[Desk, Step]:
    mode: Mode = desk.mode if stay else Normal()
    return replace(desk, mode=mode), Step(do, view.sequence)


def _seat(desk: Desk, view: TableView, seat: int) -> tuple[Desk, Step | None]:
    """A touch on a seat: a winner, the seat to correct, or "the action is here"."""
    if isinstance(desk.mode, Award):
        return replace(desk, mode=modes.award_seat(desk.mode, view, seat)), None
    if isinstance(desk.mode, Correcting | SeatPanel) or view.phase in ("idle", "over"):
        return replace(desk, mode=SeatPanel(seat)), None
    named = named_step(view, seat)
    if named is not None:
        return _send(desk, view, named)
    who = seat_view(view, seat)
    if who is None or who.status not in ("to-act", "waiting", "acted"):
        return refuse(desk, text.CANNOT_ACT.format(seat)), None
    return _send(desk, view, f"here {seat}")


def _choice(desk: Desk, view: TableView, index: int) -> tuple[Desk, Step | None]:
    alert = current_alert(desk)
    if alert is None or index >= len(alert.choices):
        return desk, None
    return _send(replace(desk, rule=False), view, alert.choices[index].do)


def _typed(desk: Desk, view: TableView, kind: str, key: str) -> Desk:
    mode = desk.mode
    if not isinstance(mode, Pad | SeatPanel):
        return desk
    if kind == "number":
        amount = (view.to_call, view.min_raise_to, view.max_raise_to)[int(key)]
        keys = amounts.as_keys(amount, view.money) if amount is not None else mode.keys
    elif key == "clear":
        keys = ""
    else:
        keys = amounts.press(mode.keys, key, view.money)
    return replace(desk, mode=replace(mode, keys=keys))


def _key(desk: Desk, view: TableView, target: str) -> tuple[Desk, Step | None]:
    """Keys by name: those of the screen itself first, then whatever sends its own step."""
    local = _local(desk, view, target)
    if local is not None:
        return local, None
    if target == "ok":
        return _ok(desk, view)
    found = {key.id: key for key in sendable(desk, view)}.get(target)
    if found is None or not found.enabled or not found.do:
        return desk, None
    return _send(desk, view, found.do, stay=target == "undo")


def _local(desk: Desk, view: TableView, target: str) -> Desk | None:
    """The desk after a key that only changes what the screen shows; None for any other key."""
    mode = desk.mode
    if target == "cancel":
        return replace(desk, mode=Normal())
    if target == "correct":
        return replace(desk, mode=Normal() if isinstance(mode, Correcting) else Correcting())
    if target == "raise" and not action_keys(view)[2].do:
        return replace(desk, mode=modes.wager(view))
    if target == "award":
        return replace(desk, mode=modes.award_start(view) or Normal())
    if target in ("whole", "high", "low") and isinstance(mode, Award):
        return replace(desk, mode=modes.award_half(mode, target))
    if target == "show-pot":
        return replace(desk, pot_shown=not desk.pot_shown)
    return _band(desk, target)


def _band(desk: Desk, target: str) -> Desk | None:
    """The small keys of the alert band."""
    alert = current_alert(desk)
    if alert is None or target not in ("rule", "more", "aside"):
        return None
    if target == "rule":
        return replace(desk, rule=not desk.rule, alert=alert.key)
    if target == "aside":
        return replace(desk, seen=desk.seen | {alert.key}, alert="", rule=False)
    waiting = waiting_alerts(desk)
    following = waiting[(waiting.index(alert) + 1) % len(waiting)]
    return replace(desk, alert=following.key, rule=False)


def _ok(desk: Desk, view: TableView) -> tuple[Desk, Step | None]:
    mode = desk.mode
    if isinstance(mode, Award):
        do = modes.award_step(mode)
        return _send(desk, view, do, stay=True) if do else (desk, None)
    if isinstance(mode, Pad | SeatPanel):
        amount = amounts.typed(mode.keys, view.money)
        template = mode.template if isinstance(mode, Pad) else modes.panel_entry(mode, view)[1]
        if amount is not None:
            return _send(desk, view, template.format(amount))
    return desk, None


def sendable(desk: Desk, view: TableView) -> tuple[Key, ...]:
    """Every key that could send a step of its own now, whatever stands on the screen."""
    keys = (*action_keys(view), *steps(view), *extra_steps(view), *always(view))
    if isinstance(desk.mode, SeatPanel):
        keys += modes.panel_keys(desk.mode, view)
    if isinstance(desk.mode, Correcting):
        keys += (Key("void", text.VOID, do="void"),)
    return keys
