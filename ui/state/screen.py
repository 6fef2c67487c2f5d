"""The screen as one frozen value: the view it has, whether it is live, and what it is busy with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from controller.view import PROTOCOL, Alert, AwardPage, Refused, TableView
from controller.words import ScreenKey
from ui.state.award import award_start
from ui.state.modes import NORMAL, Award, Mode, Normal, still_fits
from ui.state.pages.page import OpenPage, stays_open

AlertKey = tuple[str, int, str]
"""`Alert.key`."""


@dataclass(frozen=True, slots=True)
class Say:
    """Words of the screen, to be said: their key in the catalogue and what they name."""

    key: ScreenKey
    values: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Screen:
    """All that decides what is drawn."""

    view: TableView | None = None
    live: bool = False
    link: Say = Say("no-table")
    """Why it is not live."""
    mode: Mode = NORMAL
    alert: AlertKey | None = None
    """The alert in the band, when the dealer turned to one; else the first is shown."""
    seen: frozenset[AlertKey] = frozenset()
    """Alerts without choices that the dealer has put aside."""
    rule: bool = False
    pot_shown: bool = False
    message: Refused | Say | None = None
    """Why something was not done, by the service or by the screen itself; the next view or touch clears it."""
    warned: Alert | None = None
    """The warning that came with a refusal; the next view or step clears it."""
    page: OpenPage | None = None
    """What lies over the table and is looked at."""
    sent_from: Mode = NORMAL
    """What it was busy with when it last sent a step: a refusal goes back to it, with the digits."""
    shares: AwardPage | None = None
    """What each seat would get of the pot that is being given, as the service says."""


def show(screen: Screen, view: TableView) -> Screen:
    """A view has come. One of another protocol is not shown: the screen says so instead."""
    if view.protocol != PROTOCOL:
        return replace(screen, live=False, link=Say("other-protocol", {"theirs": view.protocol, "ours": PROTOCOL}))
    mode: Mode = screen.mode
    if not isinstance(mode, Normal) and not still_fits(mode, screen.view, view):
        mode = _next_award(view) if isinstance(mode, Award) else NORMAL
    keys = {alert.key for alert in view.alerts} if screen.alert or screen.seen else set()
    same_round = screen.view is not None and (screen.view.hand, screen.view.round) == (view.hand, view.round)
    return replace(
        screen,
        view=view,
        live=True,
        mode=mode,
        alert=screen.alert if screen.alert in keys else None,
        seen=screen.seen & keys,
        rule=screen.rule and screen.alert in keys,
        pot_shown=screen.pot_shown and same_round,
        message=screen.message if isinstance(screen.message, Refused) and screen.message.stays else None,
        warned=None,
        page=screen.page if stays_open(screen.view, view) else None,
        sent_from=screen.sent_from if still_fits(screen.sent_from, screen.view, view) else NORMAL,
        shares=screen.shares if mode is screen.mode else None,
    )


def _next_award(view: TableView) -> Mode:
    """After one pot has been given the next one asks by itself, as long as there is one."""
    following = award_start(view) if view.give else None
    return following or NORMAL


def lose(screen: Screen, why: Say) -> Screen:
    """The service is gone: what is shown stays, dimmed, and nothing half typed stays behind."""
    return replace(screen, live=False, link=why, mode=NORMAL, message=None, warned=None, page=None, sent_from=NORMAL)


def live_again(screen: Screen) -> Screen:
    """A service that was silent is back: what is shown is as it was."""
    return replace(screen, live=screen.view is not None and screen.view.protocol == PROTOCOL)


def refuse(screen: Screen, why: Refused | Say) -> Screen:
    """The service (or the screen itself) did not do what was asked. What was typed for it is there again."""
    if not isinstance(why, Refused):
        return replace(screen, message=why)
    mode = screen.sent_from if isinstance(screen.mode, Normal) else screen.mode
    return replace(screen, message=why, warned=why.alert, mode=mode, sent_from=NORMAL)


def shares_told(screen: Screen, page: AwardPage) -> Screen:
    """The service has said what each seat would get; of a pot that is not being given any more it is nothing."""
    is_asked = isinstance(screen.mode, Award) and screen.mode.pot == page.pot
    return replace(screen, shares=page) if is_asked else screen


def current_alert(screen: Screen) -> Alert | None:
    """The alert in the band: the one turned to, else the most urgent that was not put aside."""
    waiting = waiting_alerts(screen)
    first = waiting[0] if waiting else None
    return first if screen.alert is None else next((one for one in waiting if one.key == screen.alert), first)


def waiting_alerts(screen: Screen) -> tuple[Alert, ...]:
    """The warning of a refusal, then the alerts of the view that were not put aside, most urgent first."""
    alerts = screen.view.alerts if screen.view else ()
    alerts = (screen.warned, *alerts) if screen.warned is not None else alerts
    return tuple(alert for alert in alerts if alert.key not in screen.seen) if screen.seen else alerts


def pot_visible(screen: Screen) -> bool:
    """Whether the pot may be shown now."""
    if screen.view is None or screen.view.show_pot == "never":
        return False
    return screen.view.show_pot == "always" or screen.pot_shown
