"""The screen as one frozen value: the view it has, whether it is live, and what it is busy with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controller.view import PROTOCOL, Alert, TableView
from ui.state.award import award_start
from ui.state.modes import Award, Mode, Normal, still_fits
from ui.words import text


@dataclass(frozen=True, slots=True)
class Screen:
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


def show(screen: Screen, view: TableView) -> Screen:
    """A view has come. One of another protocol is not shown: the screen says so instead."""
    if view.protocol != PROTOCOL:
        return replace(screen, live=False, link=text.PROTOCOL.format(view.protocol, PROTOCOL))
    mode: Mode = screen.mode
    if not still_fits(mode, screen.view, view):
        mode = _next_award(view) if isinstance(mode, Award) else Normal()
    keys = {alert.key for alert in view.alerts}
    same_round = screen.view is not None and (screen.view.hand, screen.view.round) == (view.hand, view.round)
    return replace(
        screen,
        view=view,
        live=True,
        mode=mode,
        alert=screen.alert if screen.alert in keys else "",
        seen=screen.seen & keys,
        rule=screen.rule and screen.alert in keys,
        pot_shown=screen.pot_shown and same_round,
        message="",
    )


def _next_award(view: TableView) -> Mode:
    """After one pot has been given the next one asks by itself, as long as there is one."""
    following = award_start(view) if view.phase in ("closed", "over") else None
    return following or Normal()


def lose(screen: Screen, reason: str) -> Screen:
    """The service is gone: what is shown stays, dimmed, and nothing half typed stays behind."""
    return replace(screen, live=False, link=reason, mode=Normal(), message="")


def refuse(screen: Screen, reason: str) -> Screen:
    """The service (or the screen itself) did not do what was asked."""
    return replace(screen, message=text.REFUSED.format(reason))


def current_alert(screen: Screen) -> Alert | None:
    """The alert in the band: the one turned to, else the most urgent that was not put aside."""
    waiting = waiting_alerts(screen)
    return next((alert for alert in waiting if alert.key == screen.alert), waiting[0] if waiting else None)


def waiting_alerts(screen: Screen) -> tuple[Alert, ...]:
    """The alerts of the view that were not put aside, most urgent first."""
    alerts = screen.view.alerts if screen.view else ()
    return tuple(alert for alert in alerts if alert.key not in screen.seen)


def pot_visible(screen: Screen) -> bool:
    """Whether the pot may be shown now."""
    if screen.view is None or screen.view.show_pot == "never":
        return False
    return screen.view.show_pot == "always" or screen.pot_shown
