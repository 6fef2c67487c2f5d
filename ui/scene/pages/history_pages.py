"""Contents of the pages about earlier hands and earlier alerts."""

from __future__ import annotations

from typing import Final

from controller.messages import Messages, ScreenKey
from controller.view import (
    Alert,
    TableView,
    pages,
)
from ui.scene.pages.page_layout import Column, PageCard, PageContent, TextLine
from ui.scene.pages.time_format import format_time_of_day
from ui.scene.view_models import ALERT_SIGNS, SEPARATOR
from ui.state import PageRequest

HAND_RESULT_MESSAGES: Final[dict[pages.HandResult, ScreenKey]] = {
    "": "hand-runs",
    "void": "hand-void",
    "chopped": "hand-chopped",
}
"""Messages for hands without a winner, by the result of the hand."""
CLEARED_BY_MESSAGES: Final[dict[pages.Attribution, ScreenKey]] = {
    "dealer": "cleared-dealer",
    "floor": "cleared-floor",
    "technician": "cleared-technician",
    "itself": "cleared-itself",
}
ACTION_COLUMNS: Final = (Column(0.1), Column(0.72), Column(0.18, align_right=True))
"""Columns of the list of actions: the time, the action, and the pot after the action."""
PLAYER_COLUMNS: Final = (
    Column(0.1),
    Column(0.3),
    Column(0.2, align_right=True),
    Column(0.2, align_right=True),
    Column(0.2, align_right=True),
)
"""Columns of the list of players: seat, name, stack before the hand, stack after the hand, and amount won."""
ALERT_COLUMNS: Final = (Column(0.1), Column(0.04), Column(0.46), Column(0.1, align_right=True), Column(0.3))
"""Columns of the list of alerts: time, sign, alert, hand, and the person who cleared the alert."""
SINGLE_COLUMN: Final = (Column(1.0),)


def hands_content(page: pages.HandsPage, messages: Messages) -> PageContent:
    """Return the page with the last hands. A touch on a hand opens the page about it."""
    cards = tuple([_hand_card(hand, messages) for hand in page.hands])
    return PageContent(
        messages.text("title-hands"), "" if page.is_complete else messages.text("hands-not-all"), cards=cards
    )


def _hand_card(hand: pages.HandRow, messages: Messages) -> PageCard:
    label = SEPARATOR.join(
        filter(None, (messages.text("hand-number", number=hand.number), format_time_of_day(hand.began_s)))
    )
    detail = SEPARATOR.join(
        filter(None, (_result_text(hand, messages), _warning_count_text(hand.warning_count, messages)))
    )
    return PageCard(PageRequest("hand", hand.number), label, detail, "strong" if hand.warning_count else "key")


def _result_text(hand: pages.HandRow, messages: Messages) -> str:
    result_key = HAND_RESULT_MESSAGES.get(hand.result)
    if result_key is not None:
        return messages.text(result_key, amount=hand.pot)
    return messages.text("hand-won", amount=hand.pot, winners=messages.text("winners-and").join(_winners(hand)))


def _winners(hand: pages.HandRow) -> list[str]:
    return [str(share.seat) for share in hand.awards]


def _warning_count_text(count: int, messages: Messages) -> str:
    return messages.text("rulings", count=count) if count else ""


def hand_content(page: pages.HandPage, view: TableView, messages: Messages) -> PageContent:
    """Return the page about one hand. It lists each action with its warnings, and then the stacks of the players."""
    hand = page.summary
    lines: list[TextLine] = []
    betting_round = 0
    for action in page.actions:
        if action.round != betting_round:
            betting_round = action.round
            lines.append(TextLine(SINGLE_COLUMN, (messages.street(hand.game.variant, betting_round),), "soft"))
        lines += _action_lines(action, messages)
    lines += [TextLine(PLAYER_COLUMNS, _player_headings(messages), "soft")]
    lines += [
        TextLine(
            PLAYER_COLUMNS,
            (
                str(seat.seat),
                seat.name,
                messages.amount(seat.stack_before),
                messages.amount(seat.stack_after),
                messages.amount(seat.won) if seat.won else "",
            ),
        )
        for seat in page.seats
    ]
    deductions = (("rake", page.rake), ("jackpot", page.jackpot), ("kitty", page.kitty))
    lines += [
        TextLine(PLAYER_COLUMNS, ("", messages.account(name), messages.amount(amount), "", ""))
        for name, amount in deductions
        if amount
    ]
    note = SEPARATOR.join((messages.game(hand.game), _result_text(hand, messages)))
    phh = PageCard(
        PageRequest("phh", hand.number), messages.text("as-phh"), is_enabled=hand.is_complete and bool(hand.result)
    )
    keys = (*_neighbour_cards(hand.number, view, messages), phh)
    return PageContent(messages.text("title-hand", number=hand.number), note, tuple(lines), keys=keys)


def _player_headings(messages: Messages) -> tuple[str, ...]:
    return (
        messages.text("head-seat"),
        messages.text("head-player"),
        messages.text("head-brought"),
        messages.text("head-left"),
        messages.text("head-won"),
    )


def _neighbour_cards(number: int, view: TableView, messages: Messages) -> tuple[PageCard, PageCard]:
    """Return the keys that open the previous and the next hand. The service refuses hands that are too old."""
    older = PageCard(PageRequest("hand", number - 1), messages.text("older-hand"), is_enabled=number > 1)
    return older, PageCard(
        PageRequest("hand", number + 1), messages.text("newer-hand"), is_enabled=number < view.hand_number
    )


def _action_lines(action: pages.HandAction, messages: Messages) -> list[TextLine]:
    text = messages.step_summary(action.summary)
    if action.badge:
        text = messages.text("action-of", step=text, name=action.badge)
    action_line = TextLine(ACTION_COLUMNS, (format_time_of_day(action.at_s), text, messages.amount(action.pot)))
    return [action_line, *(_warning_line(alert, messages) for alert in action.warnings)]


def _warning_line(alert: Alert, messages: Messages) -> TextLine:
    rule = messages.alert_rule(alert)
    rule_reference = messages.text("rule-line", book=rule.book, number=rule.number) if rule is not None else ""
    text = SEPARATOR.join(filter(None, (messages.alert_title(alert), rule_reference)))
    return TextLine(ACTION_COLUMNS, (ALERT_SIGNS[alert.level], text, ""), alert.level)


def phh_content(page: pages.PhhPage, messages: Messages) -> PageContent:
    """Return the page that shows a hand as text in the PHH format for hand histories."""
    back = PageCard(PageRequest("hand", page.hand), messages.text("as-actions"))
    return PageContent(messages.text("title-phh", number=page.hand), text=page.text, keys=(back,))


def alerts_content(page: pages.AlertsPage, messages: Messages) -> PageContent:
    """Return the page with earlier alerts. For each alert it shows who cleared it and when."""
    headings = (
        messages.text("head-time"),
        "",
        messages.text("head-alert"),
        messages.text("head-hand"),
        messages.text("head-cleared"),
    )
    lines = [TextLine(ALERT_COLUMNS, headings, "soft"), *(_alert_line(row, messages) for row in page.alerts)]
    return PageContent(
        messages.text("title-alerts"),
        messages.text("alerts-since", time=format_time_of_day(page.since_s)),
        tuple(lines),
    )


def _alert_line(row: pages.AlertRow, messages: Messages) -> TextLine:
    is_pending = row.cleared_s is None
    cleared = (
        messages.text("alert-stands")
        if is_pending
        else messages.text(
            CLEARED_BY_MESSAGES.get(row.cleared_by, "cleared-itself"),
            time=format_time_of_day(row.cleared_s),
            name=row.cleared_by_badge,
        )
    )
    hand = str(row.hand) if row.hand else ""
    cells = (
        format_time_of_day(row.raised_s),
        ALERT_SIGNS[row.alert.level],
        messages.alert_title(row.alert),
        hand,
        cleared,
    )
    return TextLine(ALERT_COLUMNS, cells, row.alert.level if is_pending else "calm")
