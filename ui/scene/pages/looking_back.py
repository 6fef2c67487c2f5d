"""What the pages on earlier hands and alerts say."""

from __future__ import annotations

from typing import Final

from controller.view import (
    Action,
    Alert,
    AlertLine,
    AlertsPage,
    By,
    Ended,
    HandLine,
    HandPage,
    HandsPage,
    PhhPage,
    TableView,
)
from controller.words import ScreenKey, Words
from ui.scene.faces import SEPARATOR, SIGNS
from ui.scene.pages.sheet import Card, Column, Line, Sheet
from ui.scene.pages.times import clock
from ui.state import LookAt

ENDED: Final[dict[Ended, ScreenKey]] = {"": "hand-runs", "void": "hand-void", "chopped": "hand-chopped"}
"""What is said of a hand that nobody has won."""
CLEARED: Final[dict[By, ScreenKey]] = {
    "dealer": "cleared-dealer",
    "floor": "cleared-floor",
    "technician": "cleared-technician",
    "itself": "cleared-itself",
}
ACTION: Final = (Column(0.1), Column(0.72), Column(0.18, right=True))
"""When, what, the pot after it."""
PLAYER: Final = (Column(0.1), Column(0.3), Column(0.2, right=True), Column(0.2, right=True), Column(0.2, right=True))
"""Seat, name, brought, left, won."""
ALERT: Final = (Column(0.1), Column(0.04), Column(0.46), Column(0.1, right=True), Column(0.3))
"""Raised when, its sign, what, in which hand, who cleared it."""
WHOLE: Final = (Column(1.0),)


def hands(page: HandsPage, words: Words) -> Sheet:
    """The last hands, each a card that opens it."""
    cards = tuple([_hand_card(line, words) for line in page.hands])
    return Sheet(words.say("title-hands"), "" if page.is_all else words.say("hands-not-all"), cards=cards)


def _hand_card(line: HandLine, words: Words) -> Card:
    label = SEPARATOR.join(filter(None, (words.say("hand-number", count=line.number), clock(line.began_s))))
    detail = SEPARATOR.join(filter(None, (_outcome(line, words), _rulings(line.rulings, words))))
    return Card(LookAt("hand", line.number), label, detail, "strong" if line.rulings else "key")


def _outcome(line: HandLine, words: Words) -> str:
    why = ENDED.get(line.ended)
    if why is not None:
        return words.say(why, amount=line.pot)
    return words.say("hand-won", amount=line.pot, winners=words.say("winners-and").join(_winners(line)))


def _winners(line: HandLine) -> list[str]:
    return [str(share.seat) for share in line.won]


def _rulings(count: int, words: Words) -> str:
    return words.say("one-ruling" if count == 1 else "rulings", count=count) if count else ""


def hand(page: HandPage, view: TableView, words: Words) -> Sheet:
    """One hand, action by action with its rulings, then who brought what and left with what."""
    line = page.line
    lines: list[Line] = []
    street = 0
    for action in page.actions:
        if action.round != street:
            street = action.round
            lines.append(Line(WHOLE, (words.street(line.game.variant, street),), "soft"))
        lines += _action(action, words)
    lines += [Line(PLAYER, _player_heads(words), "soft")]
    lines += [
        Line(
            PLAYER,
            (
                str(seat.seat),
                seat.name,
                words.amount(seat.brought),
                words.amount(seat.left),
                words.amount(seat.won) if seat.won else "",
            ),
        )
        for seat in page.seats
    ]
    taken = (("rake", page.rake), ("jackpot", page.jackpot), ("kitty", page.kitty))
    lines += [Line(PLAYER, ("", words.account(name), words.amount(amount), "", "")) for name, amount in taken if amount]
    note = SEPARATOR.join((words.game(line.game), _outcome(line, words)))
    phh = Card(LookAt("phh", line.number), words.say("as-phh"), enabled=line.whole and bool(line.ended))
    keys = (*_neighbours(line.number, view, words), phh)
    return Sheet(words.say("title-hand", count=line.number), note, tuple(lines), keys=keys)


def _player_heads(words: Words) -> tuple[str, ...]:
    return (
        words.say("head-seat"),
        words.say("head-player"),
        words.say("head-brought"),
        words.say("head-left"),
        words.say("head-won"),
    )


def _neighbours(number: int, view: TableView, words: Words) -> tuple[Card, Card]:
    """The hands before and after; one that is not known any more is refused by the service."""
    older = Card(LookAt("hand", number - 1), words.say("older-hand"), enabled=number > 1)
    return older, Card(LookAt("hand", number + 1), words.say("newer-hand"), enabled=number < view.hand)


def _action(action: Action, words: Words) -> list[Line]:
    told = words.told(action.told)
    if action.badge:
        told = words.say("action-of", told=told, name=action.badge)
    done = Line(ACTION, (clock(action.at_s), told, words.amount(action.pot)))
    return [done, *(_ruling(alert, words) for alert in action.rulings)]


def _ruling(alert: Alert, words: Words) -> Line:
    rule = words.rule(alert)
    cited = words.say("rule-line", book=rule.book, number=rule.number) if rule is not None else ""
    told = SEPARATOR.join(filter(None, (words.title(alert), cited)))
    return Line(ACTION, (SIGNS[alert.level], told, ""), alert.level)


def phh(page: PhhPage, words: Words) -> Sheet:
    """A hand as the text of a PHH file."""
    back = Card(LookAt("hand", page.hand), words.say("as-actions"))
    return Sheet(words.say("title-phh", count=page.hand), text=page.text, keys=(back,))


def alerts(page: AlertsPage, words: Words) -> Sheet:
    """What was asked, warned of and told, and who cleared it when."""
    heads = (words.say("head-time"), "", words.say("head-alert"), words.say("head-hand"), words.say("head-cleared"))
    lines = [Line(ALERT, heads, "soft"), *(_alert(line, words) for line in page.alerts)]
    return Sheet(words.say("title-alerts"), words.say("alerts-since", time=clock(page.since_s)), tuple(lines))


def _alert(line: AlertLine, words: Words) -> Line:
    stands = line.cleared_s is None
    cleared = (
        words.say("alert-stands")
        if stands
        else words.say(CLEARED.get(line.by, "cleared-itself"), time=clock(line.cleared_s), name=line.badge)
    )
    hand = str(line.hand) if line.hand else ""
    told = (clock(line.raised_s), SIGNS[line.alert.level], words.title(line.alert), hand, cleared)
    return Line(ALERT, told, line.alert.level if stands else "calm")
