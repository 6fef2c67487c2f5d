"""What the players see: whose turn it is, what it is to call, time called, the pot where the house tells it. Never a
stack. Nothing of it can be touched."""

from __future__ import annotations

from typing import Final

from controller.view import SeatStatus, SeatView, TableView
from controller.words import Words, words_of
from ui.scene.boxes import Box, grid
from ui.scene.faces import SEPARATOR, street_words
from ui.scene.look import LOOK, Look
from ui.scene.pages import PageFace, PageText
from ui.scene.scene import Scene, veil
from ui.state import Screen

SEATS_SHARE: Final = 0.14
"""Of the height: the row of all seats along the lower edge."""
TURN_SHARE: Final = 0.24
"""Of the height: who is to act."""
WORD_SHARE: Final = 0.36
"""Of the width: the word before an amount."""
LETTERS: Final = 0.72
"""Height of letters, in the height of their line."""
NAMED: Final = 0.45
"""The same of who is to act, so that a name has room."""
TONES: Final[dict[SeatStatus, str]] = {
    "to-act": "turn",
    "waiting": "live",
    "acted": "acted",
    "folded": "folded",
    "all-in": "all-in",
    "away": "away",
    "out": "away",
    "empty": "away",
}


def lay_out_players(screen: Screen, look: Look = LOOK) -> Scene:
    """The picture that players see."""
    view = screen.view
    if view is None:
        return Scene(live=False, look=look, veil=veil(screen, Words(language=look.language)))
    words = words_of(view, language=look.language)
    hand = words.say("hand", count=view.hand) if view.hand else ""
    title = SEPARATOR.join(filter(None, (view.table, words.game(view.game), hand)))
    return Scene(
        live=screen.live,
        look=look,
        veil=("", "") if screen.live else veil(screen, words),
        strip=(title, street_words(view, words)),
        page=_face(view, words, look),
    )


def _face(view: TableView, words: Words, look: Look) -> PageFace:
    area = look.layout.page.inner(look.layout.margin)
    turn = next((seat for seat in view.seats if seat.seat == view.turn), None)
    seats = Box(area.x, area.y, area.w, area.h * SEATS_SHARE)
    above = Box(area.x, seats.top + look.layout.gap, area.w, area.h - seats.h - look.layout.gap)
    texts, stripes = _seats(view, seats, look)
    if turn is not None:
        at = Box(above.x, above.y, above.w, area.h * TURN_SHARE)
        said, grounds = _turn(turn, at, words)
        texts, stripes = [*texts, *said], [*stripes, *grounds]
        above = Box(above.x, at.top, above.w, above.h - at.h)
    numbers = []
    if view.show_pot == "always" and view.pot:
        numbers.append((words.say("pot"), words.amount(view.pot)))
    if turn is not None:
        called = words.amount(view.to_call) if view.to_call else words.say("check")
        numbers.append((words.say("players-to-call") if view.to_call else "", called))
    for (word, amount), row in zip(numbers, grid(above, 1, max(1, len(numbers)), look.layout.gap), strict=False):
        left = row.w * WORD_SHARE
        texts.append(PageText(word, Box(row.x, row.y, left, row.h), row.h * LETTERS / 2, "right"))
        room = Box(row.x + left, row.y, row.w - left, row.h)
        texts.append(PageText(amount, room, row.h * LETTERS, "center", number=True))
    if not numbers:
        texts.append(PageText(street_words(view, words), above, above.h * LETTERS / 3, "center"))
    return PageFace(look.layout.page, tuple(text for text in texts if text.words), (), tuple(stripes))


def _turn(turn: SeatView, box: Box, words: Words) -> tuple[list[PageText], list[tuple[Box, str]]]:
    """Who is to act, and whether time was called."""
    who = SEPARATOR.join(filter(None, (words.say("players-to-act", seat=turn.seat), turn.name)))
    width = box.w / 2 if turn.time_called else box.w
    first, second = Box(box.x, box.y, width, box.h), Box(box.x + width, box.y, box.w - width, box.h)
    texts = [PageText(who, first, box.h * NAMED, "center", "turn")]
    stripes = [(first, "turn")]
    if turn.time_called:
        texts.append(PageText(words.say("players-time"), second, box.h * NAMED, "center", "warning"))
        stripes.append((second, "warning"))
    return texts, stripes


def _seats(view: TableView, box: Box, look: Look) -> tuple[list[PageText], list[tuple[Box, str]]]:
    """All seats in a row, each in the tone of what it does."""
    cells = grid(box, max(1, len(view.seats)), 1, look.layout.gap)
    texts, stripes = [], []
    for seat, cell in zip(view.seats, cells, strict=False):
        tone = TONES[seat.status]
        stripes.append((cell, tone))
        texts.append(PageText(str(seat.seat), cell, box.h * LETTERS, "center", tone, number=True))
    return texts, stripes
