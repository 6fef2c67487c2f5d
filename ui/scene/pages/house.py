"""What the pages on the house's money and games say."""

from __future__ import annotations

from typing import Final

from controller.view import DealerShift, GamesPage, LevelView, PlayerAccount, ReportPage, TableView
from controller.words import ScreenKey, Words
from ui.scene.faces import SEPARATOR
from ui.scene.pages.sheet import Column, Line, Sheet

PLAYER: Final = (
    *(Column(0.07), Column(0.21)),
    *(Column(0.18, right=True), Column(0.18, right=True), Column(0.18, right=True), Column(0.18, right=True)),
)
"""Seat, name, bought in, cashed out, stack, owed on markers."""
PLAYER_HEADS: Final[tuple[ScreenKey, ...]] = (
    "head-seat",
    "head-player",
    "head-bought",
    "head-cashed",
    "head-stack",
    "head-owes",
)
SUM: Final = (Column(0.34), Column(0.18, right=True), Column(0.48))
"""What it is, and how much."""
DEALER: Final = (Column(0.2), Column(0.12, right=True), Column(0.68, right=True))
"""Who, how many hands, what came to each account."""
PAIR: Final = (Column(0.3), Column(0.7))


def report(page: ReportPage, words: Words) -> Sheet:
    """All accounts, the players', the dealers'."""
    lines = [Line(PLAYER, tuple([words.say(head) for head in PLAYER_HEADS]), "soft")]
    lines += [_player(player, words) for player in page.players]
    lines.append(Line(SUM, (words.say("head-sums"), "", ""), "soft"))
    sums: tuple[tuple[ScreenKey, int], ...] = (
        ("sum-bought", page.bought),
        ("sum-stacks", page.stacks),
        ("sum-pot", page.pot),
    )
    lines += [Line(SUM, (words.say(key), words.amount(amount), "")) for key, amount in sums]
    lines += [Line(SUM, (words.account(name), words.amount(amount), "")) for name, amount in page.accounts.items()]
    balance = words.say("balances" if page.balances else "balances-not")
    lines.append(Line(SUM, (balance, "", ""), "calm" if page.balances else "warning"))
    if page.dealers:
        heads_of_dealers = (words.say("head-dealer"), words.say("head-hands"), "")
        lines.append(Line(DEALER, heads_of_dealers, "soft"))
        lines += [_dealer(shift, words) for shift in page.dealers]
    note = words.say("report-hands", hands=page.hands, minutes=page.minutes)
    return Sheet(words.say("title-report"), note, tuple(lines))


def _player(player: PlayerAccount, words: Words) -> Line:
    return Line(
        PLAYER,
        (
            str(player.seat) if player.seat else words.say("player-left"),
            player.name,
            words.amount(player.bought),
            words.amount(player.cashed) if player.cashed else "",
            words.amount(player.stack) if player.seat else "",
            words.amount(player.owes) if player.owes else "",
        ),
    )


def _dealer(shift: DealerShift, words: Words) -> Line:
    came = [f"{words.account(name)} {words.amount(amount)}" for name, amount in shift.accounts.items() if amount]
    return Line(DEALER, (shift.name or words.say("dealer-unnamed"), str(shift.hands), SEPARATOR.join(came)))


def games(page: GamesPage, view: TableView, words: Words) -> Sheet:
    """Who deals, and what the house spreads at this table, as configured."""
    levels = {level.name for level in page.levels}
    lines = [Line(PAIR, (words.say("head-dealer"), view.dealer))] if view.dealer else []
    lines += [Line(PAIR, (game.name, words.game(game))) for game in page.games if game.name not in levels]
    if page.mix:
        lines.append(Line(PAIR, (words.say("mix"), SEPARATOR.join(page.mix))))
    if page.buy_in is not None:
        lines.append(Line(PAIR, (words.say("buy-in"), _limits(*page.buy_in, words))))
    if page.rake:
        most = words.say("at-most", amount=page.rake_cap) if page.rake_cap else ""
        lines.append(Line(PAIR, (words.account("rake"), SEPARATOR.join(filter(None, (page.rake, most))))))
    if page.levels:
        lines.append(Line(PAIR, (words.say("head-levels"), ""), "soft"))
    stakes = {game.name: words.stakes(game) for game in page.games}
    lines += [_level(level, stakes.get(level.name, ""), words) for level in page.levels]
    note = words.say("table-closed") if view.closed else ""
    return Sheet(words.say("title-games"), note, lines=tuple(lines))


def _limits(least: int, most: int, words: Words) -> str:
    """The least and the most of a buy-in; `most` 0: as much as anybody likes."""
    if not most:
        return words.say("at-least", amount=least)
    return words.say("buy-in-limits", least=words.amount(least), most=words.amount(most))


def _level(level: LevelView, stakes: str, words: Words) -> Line:
    told = words.say("hold-break") if level.is_break else stakes
    minutes = words.say("minutes", count=level.minutes_left)
    return Line(PAIR, (level.name, SEPARATOR.join(filter(None, (told, minutes)))))
