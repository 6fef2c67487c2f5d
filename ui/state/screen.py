"""The state of the screen as one frozen value. It contains the view, the mode, and whether the view is live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from controller.messages import ScreenKey
from controller.view import (
    PROTOCOL_VERSION,
    Alert,
    RefusalView,
    TableView,
    pages,
)
from ui.settings import Settings
from ui.state.award_entry import start_next_award
from ui.state.modes import NORMAL, AwardEntry, Mode, NameEntry, Normal, is_still_valid
from ui.state.page_state import OpenPage, can_stay_open
from ui.state.touch_targets import Target

AlertKey = tuple[str, int, str]
"""The type of `Alert.key`."""


@dataclass(frozen=True, slots=True)
class ScreenMessage:
    """A message from the screen itself: its key in the message catalogue, and the values for its placeholders."""

    key: ScreenKey
    values: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScreenState:
    """The state of the screen, which determines everything in its picture."""

    view: TableView | None = None
    is_live: bool = False
    link_status: ScreenMessage = ScreenMessage("no-table")
    """Message with the reason why the screen is not live."""
    mode: Mode = NORMAL
    selected_alert: AlertKey | None = None
    """Alert that the dealer selected for the alert band. If it is None, the band shows the most urgent alert."""
    dismissed_alerts: frozenset[AlertKey] = frozenset()
    """Alerts that the dealer has dismissed. An alert with a choice of answers cannot be dismissed."""
    detail_touches: int = 0
    """Number of touches on the key that shows more about the selected alert: first its whole text, then the rule."""
    shows_pot: bool = False
    message: RefusalView | ScreenMessage | None = None
    """Reason why the service or the screen refused the last touch. It disappears with the next view or touch."""
    refusal_warning: Alert | None = None
    """Warning that the service sent together with a refusal. It disappears with the next view or step."""
    page: OpenPage | None = None
    """Page that covers the table, or None if no page is open."""
    sent_from_mode: Mode = NORMAL
    """Mode in which the dealer sent the last step. If the service refuses the step, the screen returns to this mode and
    to the entered digits."""
    settings: Settings = Settings()
    """The settings of the screen itself."""
    explained: Target | None = None
    """Target that the dealer has held to read what it does. The explanation disappears with the next touch."""
    was_held: bool = False
    """True if the last touch was a finger that rested on a seat."""
    award_shares: pages.AwardPage | None = None
    """Amounts that the seats would get from the award that the dealer is entering. The service has calculated these
    amounts."""


def show_view(screen: ScreenState, view: TableView) -> ScreenState:
    """Show a new view. If the view has an unknown protocol version, show a message instead."""
    if view.protocol != PROTOCOL_VERSION:
        return replace(
            screen,
            is_live=False,
            link_status=ScreenMessage("other-protocol", {"theirs": view.protocol, "ours": PROTOCOL_VERSION}),
        )
    mode: Mode = screen.mode
    if mode != NORMAL and not is_still_valid(mode, screen.view, view):
        mode = _next_award(view) if isinstance(mode, AwardEntry) else NORMAL
    alert_keys = {alert.key for alert in view.alerts} if screen.selected_alert or screen.dismissed_alerts else set()
    is_same_round = screen.view is not None and (screen.view.hand_number, screen.view.round) == (
        view.hand_number,
        view.round,
    )
    return replace(
        screen,
        view=view,
        is_live=True,
        mode=mode,
        selected_alert=screen.selected_alert if screen.selected_alert in alert_keys else None,
        dismissed_alerts=screen.dismissed_alerts & alert_keys,
        detail_touches=screen.detail_touches if screen.selected_alert in alert_keys else 0,
        shows_pot=screen.shows_pot and is_same_round,
        message=screen.message if isinstance(screen.message, RefusalView) and screen.message.is_sticky else None,
        refusal_warning=None,
        page=screen.page if screen.page is not None and can_stay_open(screen.view, view) else None,
        sent_from_mode=screen.sent_from_mode if is_still_valid(screen.sent_from_mode, screen.view, view) else NORMAL,
        award_shares=screen.award_shares if mode is screen.mode else None,
    )


def _next_award(view: TableView) -> Mode:
    """Return the mode for the award of the next pot, or the normal mode if no pot is left."""
    award = start_next_award(view) if view.next_pot_to_award else None
    return award or NORMAL


def lose_connection(screen: ScreenState, reason: ScreenMessage) -> ScreenState:
    """Mark the screen as not live. Keep the last view visible, but discard what the dealer was entering."""
    return replace(
        screen,
        is_live=False,
        link_status=reason,
        mode=NORMAL,
        message=None,
        refusal_warning=None,
        page=None,
        sent_from_mode=NORMAL,
        explained=None,
    )


def restore_connection(screen: ScreenState) -> ScreenState:
    """Mark the screen as live again, because the service has sent a heartbeat after a silence."""
    return replace(screen, is_live=screen.view is not None and screen.view.protocol == PROTOCOL_VERSION)


def show_refusal(screen: ScreenState, reason: RefusalView | ScreenMessage) -> ScreenState:
    """Show why the service or the screen refused a command, and restore what the dealer had entered for the command."""
    if not isinstance(reason, RefusalView):
        return replace(screen, message=reason)
    mode = screen.sent_from_mode if isinstance(screen.mode, Normal) else screen.mode
    return replace(screen, message=reason, refusal_warning=reason.alert, mode=mode, sent_from_mode=NORMAL)


def show_award_shares(screen: ScreenState, page: pages.AwardPage) -> ScreenState:
    """Show the amount that each seat would get from the award. Ignore a reply about another pot."""
    is_asked = isinstance(screen.mode, AwardEntry) and screen.mode.pot == page.pot
    return replace(screen, award_shares=page) if is_asked else screen


def current_alert(screen: ScreenState) -> Alert | None:
    """Return the alert that the alert band shows, or None if there is no alert.

    The band shows the alert that the dealer selected, or else the most urgent alert that was not dismissed.
    """
    alerts = pending_alerts(screen)
    first = alerts[0] if alerts else None
    return (
        first
        if screen.selected_alert is None
        else next((alert for alert in alerts if alert.key == screen.selected_alert), first)
    )


def pending_alerts(screen: ScreenState) -> tuple[Alert, ...]:
    """Return the alerts that were not dismissed. The most urgent alert is first.

    A warning that came with the last refusal is before all other alerts. An alert that follows from another is left
    out, so that one fault is one alert.
    """
    alerts = tuple([alert for alert in screen.view.alerts if not alert.cause]) if screen.view else ()
    alerts = (screen.refusal_warning, *alerts) if screen.refusal_warning is not None else alerts
    return (
        tuple(alert for alert in alerts if alert.key not in screen.dismissed_alerts)
        if screen.dismissed_alerts
        else alerts
    )


def is_table_covered(screen: ScreenState) -> bool:
    """Return True if a page or the keyboard covers the table.

    A page stays open behind the table while the dealer must touch something on the table.
    """
    return isinstance(screen.mode, NameEntry) or (screen.page is not None and isinstance(screen.mode, Normal))


def is_pot_visible(screen: ScreenState) -> bool:
    """Return True if the house allows the pot to be shown now."""
    if screen.view is None or screen.view.show_pot == "never":
        return False
    return screen.view.show_pot == "always" or screen.shows_pot
