"""The status line, which is between the table and the keys.

It shows why a command was refused, or a hint about what to touch next. While an alert covers the header, which usually
shows the last step, the status line shows the last step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.messages import Messages, ScreenKey
from controller.view import (
    KeyLabel,
    RefusalView,
    TableView,
    pages,
)
from ui.scene.view_models import SEPARATOR
from ui.state import (
    CardList,
    ScreenState,
    is_pot_visible,
    main_keys,
    modes,
)

SEAT_TOUCH_MESSAGES: Final[Mapping[KeyLabel | None, ScreenKey]] = {
    "brings-in": "who-brings-in",
    "acts-first": "who-is-first",
}
"""Hints for situations in which the dealer must touch a seat, by the step that the touch sends."""


def status_line(screen: ScreenState, view: TableView, messages: Messages, *, shows_last_step: bool) -> tuple[str, str]:
    """Return the text of the status line and the name of its colours."""
    message = screen.message
    if message is not None:
        reason = (
            messages.refusal(message)
            if isinstance(message, RefusalView)
            else messages.text(message.key, amount=None, **message.values)
        )
        return messages.text("refused", reason=reason), "refused"
    hint = _hint(screen, view, messages)
    if hint:
        return hint, "hint"
    if not shows_last_step or view.last_step is None:
        return "", "calm"
    return messages.step_summary(view.last_step, recorded=view.is_recorded), "calm"


def _hint(screen: ScreenState, view: TableView, messages: Messages) -> str:
    """Return a hint about what the dealer should touch next, or "" if there is no hint."""
    match screen.mode:
        case modes.AwardEntry(pot=pot):
            shares = _award_shares(screen.award_shares, messages) if is_pot_visible(screen) else ""
            return shares or messages.text("award-hint", pot=messages.pot(pot))
        case modes.SeatPick(question=question, seat=seat):
            return messages.text(question, seat=seat or 0)
        case modes.Confirmation(question=question):
            return messages.text(question)
        case modes.SeatPanel(seat=seat, opened_list=CardList.CORRECTION):
            return messages.text("what-was", seat=seat)
        case modes.SeatPanel() | modes.TablePanel() | modes.FloorPanel():
            return messages.text("panel-hint")
        case modes.Normal(has_called_floor=True):
            return messages.text("floor-why")
        case modes.Normal() if view.phase == "idle" and not (view.hand_number or view.is_closed or view.hold):
            return messages.text("first-hand" if main_keys.can_deal_hand(view) else "first-players")
        case modes.Normal():
            key = SEAT_TOUCH_MESSAGES.get(main_keys.awaited_seat_label(view))
            return messages.text(key) if key is not None else ""
    return ""


def _award_shares(page: pages.AwardPage | None, messages: Messages) -> str:
    """Return a text with the share of each winner, the seats with odd chips, and the amounts for the house."""
    if page is None:
        return ""
    seat_shares = [messages.text("gets", seat=share.seat, amount=share.amount) for share in page.shares]
    odd_chips = [
        messages.text(
            "odd-chip-of-board" if share.board else "odd-chip", amount=share.amount, seat=share.seat, board=share.board
        )
        for share in page.odd_chips
    ]
    deductions: tuple[tuple[ScreenKey, int], ...] = (
        ("rake-of-it", page.rake),
        ("jackpot-of-it", page.jackpot),
        ("kitty-of-it", page.kitty),
    )
    house_shares = [messages.text(key, amount=amount) for key, amount in deductions if amount]
    return SEPARATOR.join((*seat_shares, *odd_chips, *house_shares))
