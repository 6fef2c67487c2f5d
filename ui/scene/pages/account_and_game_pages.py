"""Contents of two pages: the accounts of the table, and the games of the house."""

from __future__ import annotations

from typing import Final

from controller.messages import Messages, ScreenKey
from controller.view import (
    LevelView,
    TableView,
    pages,
)
from ui.scene.pages.page_layout import Column, PageContent, TextLine
from ui.scene.view_models import SEPARATOR

PLAYER_COLUMNS: Final = (
    *(Column(0.07), Column(0.21)),
    *(
        Column(0.18, align_right=True),
        Column(0.18, align_right=True),
        Column(0.18, align_right=True),
        Column(0.18, align_right=True),
    ),
)
"""Columns of the list of players: seat, name, buy-ins, cash-outs, stack, and amount owed on markers."""
PLAYER_HEADINGS: Final[tuple[ScreenKey, ...]] = (
    "head-seat",
    "head-player",
    "head-bought",
    "head-cashed",
    "head-stack",
    "head-owes",
)
SUM_COLUMNS: Final = (Column(0.34), Column(0.18, align_right=True), Column(0.48))
"""Columns of the list of accounts: the name of the account and its amount."""
DEALER_COLUMNS: Final = (Column(0.2), Column(0.12, align_right=True), Column(0.68, align_right=True))
"""Columns of the list of dealers: name, number of hands, and the amounts that went to each account."""
NOTE_COLUMNS: Final = (Column(1.0),)
PAIR_COLUMNS: Final = (Column(0.3), Column(0.7))


def report_content(page: pages.ReportPage, messages: Messages) -> PageContent:
    """Return the page with the accounts of the players, the house and the dealers."""
    lines = (
        [TextLine(NOTE_COLUMNS, (messages.text("floor-not-authorised"),), "warning")] if page.has_open_access else []
    )
    lines.append(TextLine(PLAYER_COLUMNS, tuple([messages.text(heading) for heading in PLAYER_HEADINGS]), "soft"))
    lines += [_player_line(player, messages) for player in page.players]
    if page.unpaid_debts:
        lines.append(TextLine(SUM_COLUMNS, (messages.text("head-unpaid-debts"), "", ""), "soft"))
        lines += [_debt_line(debt, messages) for debt in page.unpaid_debts]
    lines.append(TextLine(SUM_COLUMNS, (messages.text("head-sums"), "", ""), "soft"))
    sums: tuple[tuple[ScreenKey, int], ...] = (
        ("sum-bought", page.net_bought_in),
        ("sum-stacks", page.stacks),
        ("sum-pot", page.pot),
    )
    lines += [TextLine(SUM_COLUMNS, (messages.text(key), messages.amount(amount), "")) for key, amount in sums]
    lines += [
        TextLine(SUM_COLUMNS, (messages.account(name), messages.amount(amount), ""))
        for name, amount in page.accounts.items()
    ]
    balance = messages.text("balances" if page.is_balanced else "balances-not")
    lines.append(TextLine(SUM_COLUMNS, (balance, "", ""), "calm" if page.is_balanced else "warning"))
    transfers: tuple[tuple[ScreenKey, int], ...] = (("sum-fills", page.fills), ("sum-credits", page.credits))
    lines += [
        TextLine(SUM_COLUMNS, (messages.text(key), messages.amount(amount), "")) for key, amount in transfers if amount
    ]
    if page.dealers:
        rate = messages.text("hands-an-hour", count=round(60 * page.hands / page.minutes)) if page.minutes else ""
        dealer_headings = (messages.text("head-dealer"), messages.text("head-hands"), rate)
        lines.append(TextLine(DEALER_COLUMNS, dealer_headings, "soft"))
        lines += [_dealer_line(shift, messages) for shift in page.dealers]
    note = messages.text("hands", count=page.hands)
    if page.minutes:
        note = messages.text("report-hands", hands=note, minutes=messages.text("minutes", count=page.minutes))
    return PageContent(messages.text("title-report"), note, tuple(lines))


def _player_line(player: pages.PlayerAccount, messages: Messages) -> TextLine:
    return TextLine(
        PLAYER_COLUMNS,
        (
            str(player.seat) if player.seat else messages.text("player-left"),
            player.name,
            messages.amount(player.bought_in),
            messages.amount(player.cashed_out) if player.cashed_out else "",
            messages.amount(player.stack) if player.seat else "",
            messages.amount(player.owed_on_markers) if player.owed_on_markers else "",
        ),
    )


def _debt_line(debt: pages.UnpaidDebt, messages: Messages) -> TextLine:
    if debt.name:
        return TextLine(SUM_COLUMNS, (debt.name, messages.amount(debt.amount), ""), "warning")
    seat, left = (
        messages.text("debt-seat", seat=debt.seat),
        messages.text("debt-left", minutes=messages.text("minutes", count=debt.minute)),
    )
    return TextLine(SUM_COLUMNS, (seat, messages.amount(debt.amount), left), "warning")


def _dealer_line(shift: pages.DealerShift, messages: Messages) -> TextLine:
    minutes = [messages.text("minutes", count=shift.minutes)] if shift.minutes else []
    balances = [
        f"{messages.account(name)} {messages.amount(amount)}" for name, amount in shift.accounts.items() if amount
    ]
    transfers: tuple[tuple[ScreenKey, int], ...] = (("shift-fills", shift.fills), ("shift-credits", shift.credits))
    balances += [messages.text(key, amount=amount) for key, amount in transfers if amount]
    return TextLine(
        DEALER_COLUMNS,
        (shift.name or messages.text("dealer-unnamed"), str(shift.hands), SEPARATOR.join((*minutes, *balances))),
    )


def games_content(page: pages.GamesPage, view: TableView, messages: Messages) -> PageContent:
    """Return the page with the dealer's name and the games that are configured for this table."""
    levels = {level.name for level in page.levels}
    lines = [TextLine(PAIR_COLUMNS, (messages.text("head-dealer"), view.dealer))] if view.dealer else []
    lines += [
        TextLine(PAIR_COLUMNS, (game.name, messages.game(game))) for game in page.games if game.name not in levels
    ]
    if page.mix:
        lines.append(TextLine(PAIR_COLUMNS, (messages.text("mix"), SEPARATOR.join(page.mix))))
    if page.buy_in is not None:
        lines.append(TextLine(PAIR_COLUMNS, (messages.text("buy-in"), _buy_in_limits(*page.buy_in, messages))))
    if page.rake:
        cap = messages.text("at-most", amount=page.rake_cap) if page.rake_cap else ""
        lines.append(TextLine(PAIR_COLUMNS, (messages.account("rake"), SEPARATOR.join(filter(None, (page.rake, cap))))))
    if page.levels:
        lines.append(TextLine(PAIR_COLUMNS, (messages.text("head-levels"), ""), "soft"))
    stakes = {game.name: messages.stakes(game) for game in page.games}
    lines += [_level_line(level, stakes.get(level.name, ""), messages) for level in page.levels]
    note = messages.text("table-closed") if view.is_closed else ""
    return PageContent(messages.text("title-games"), note, lines=tuple(lines))


def _buy_in_limits(minimum: int, maximum: int, messages: Messages) -> str:
    """Return a text with the minimum and maximum of a buy-in. A `maximum` of 0 means that there is no maximum."""
    if not maximum:
        return messages.text("at-least", amount=minimum)
    return messages.text("buy-in-limits", least=messages.amount(minimum), most=messages.amount(maximum))


def _level_line(level: LevelView, stakes: str, messages: Messages) -> TextLine:
    description = messages.text("hold-break") if level.is_break else stakes
    minutes = messages.text("minutes", count=level.minutes_left)
    return TextLine(PAIR_COLUMNS, (level.name, SEPARATOR.join(filter(None, (description, minutes)))))
