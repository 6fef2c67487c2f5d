"""The line before the dealer: why something was not done, what to touch next, or what was done last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import AwardPage, Label, Refused, TableView
from controller.words import ScreenKey, Words
from ui.scene.faces import SEPARATOR
from ui.state import Award, Normal, Picking, Screen, SeatPanel, Sure, TablePanel, pot_visible, seat_wanted

BY_A_TOUCH: Final[Mapping[Label | None, ScreenKey]] = {"brings-in": "who-brings-in", "acts-first": "who-is-first"}
"""What is asked of the dealer while a touch on a seat is the only answer."""


def told(screen: Screen, view: TableView, words: Words) -> tuple[str, str]:
    """Its words and their tone."""
    message = screen.message
    if message is not None:
        say = (
            words.refused(message)
            if isinstance(message, Refused)
            else words.say(message.key, amount=None, **message.values)
        )
        return words.say("refused", reason=say), "refused"
    hint = _hint(screen, view, words)
    if hint:
        return hint, "hint"
    return words.told(view.told, recorded=view.recorded) if view.told is not None else "", "calm"


def _hint(screen: Screen, view: TableView, words: Words) -> str:
    """What to touch next; "" where nothing is asked."""
    match screen.mode:
        case Award(pot=pot):
            shares = _shares(screen.shares, words) if pot_visible(screen) else ""
            return shares or words.say("award-hint", pot=words.pot(pot))
        case Picking(question=question, seat=seat):
            return words.say(question, seat=seat or 0)
        case Sure(question=question):
            return words.say(question)
        case SeatPanel():
            return words.say("panel-hint")
        case TablePanel():
            return words.say("table-hint")
        case Normal():
            key = BY_A_TOUCH.get(seat_wanted(view))
            return words.say(key) if key is not None else ""
    return ""


def _shares(page: AwardPage | None, words: Words) -> str:
    """What each seat would get, what the house takes, and who gets odd chips."""
    if page is None:
        return ""
    gets = [words.say("gets", seat=share.seat, amount=share.amount) for share in page.shares]
    odd = [words.say("odd-chip", seat=share.seat) for share in page.odd]
    taken: tuple[tuple[ScreenKey, int], ...] = (
        ("rake-of-it", page.rake),
        ("jackpot-of-it", page.jackpot),
        ("kitty-of-it", page.kitty),
    )
    house = [words.say(key, amount=amount) for key, amount in taken if amount]
    return SEPARATOR.join((*gets, *odd, *house))
