"""The display for players. It shows the seat in turn, the amount to call, and whether the seat has asked for time.

It also shows the pot if the house always shows pots. It never shows a stack, and it has no touch targets.
"""

from __future__ import annotations

from typing import Final

from controller.messages import Messages, messages_for
from controller.view import SeatStatus, SeatView, TableView
from ui.scene.appearance import DEFAULT_APPEARANCE, Appearance
from ui.scene.boxes import Box, grid
from ui.scene.pages import PlacedPage, PlacedText
from ui.scene.scene import Scene, disconnected_text
from ui.scene.view_models import SEPARATOR, stage_key
from ui.state import ScreenState

SEAT_ROW_HEIGHT_RATIO: Final = 0.14
"""Height of the row with all seats, relative to the display. This row is at the lower edge."""
TURN_ROW_HEIGHT_RATIO: Final = 0.24
"""Height of the row with the seat in turn, relative to the display."""
LABEL_WIDTH_RATIO: Final = 0.36
"""Width of the label left of an amount, relative to the width of the row."""
FONT_HEIGHT_RATIO: Final = 0.72
"""Font size of an amount, relative to the height of its row."""
NAME_HEIGHT_RATIO: Final = 0.55
"""Font size of the text about the seat in turn, relative to its row. The small size leaves space for a name."""
STATUS_TONES: Final[dict[SeatStatus, str]] = {
    "to-act": "turn",
    "waiting": "live",
    "acted": "acted",
    "folded": "folded",
    "all-in": "all-in",
    "away": "away",
    "out": "away",
    "empty": "away",
}


def lay_out_players_display(screen: ScreenState, appearance: Appearance = DEFAULT_APPEARANCE) -> Scene:
    """Return the scene for the players' display."""
    view = screen.view
    if view is None:
        return Scene(
            is_live=False,
            appearance=appearance,
            disconnected_text=disconnected_text(screen, Messages(language=appearance.language)),
        )
    messages = messages_for(view, language=appearance.language)
    hand = messages.text("hand", number=view.hand_number) if view.hand_number else ""
    title = SEPARATOR.join(filter(None, (view.table_name, messages.game(view.game), hand)))
    return Scene(
        is_live=screen.is_live,
        appearance=appearance,
        disconnected_text=("", "") if screen.is_live else disconnected_text(screen, messages),
        title_bar=(title, messages.street_title(view.game, view.round, stage_key(view))),
        page=_page(view, messages, appearance),
    )


def _page(view: TableView, messages: Messages, appearance: Appearance) -> PlacedPage:
    area = appearance.layout.page.inset(appearance.layout.margin)
    turn = next((seat for seat in view.seats if seat.seat == view.turn), None)
    seats = Box(area.x, area.y, area.w, area.h * SEAT_ROW_HEIGHT_RATIO)
    rest = Box(area.x, seats.top + appearance.layout.gap, area.w, area.h - seats.h - appearance.layout.gap)
    texts, stripes = _seat_row(view, seats, appearance)
    if turn is not None:
        turn_box = Box(rest.x, rest.y, rest.w, area.h * TURN_ROW_HEIGHT_RATIO)
        turn_texts, turn_stripes = _turn_row(turn, turn_box, messages)
        texts, stripes = [*texts, *turn_texts], [*stripes, *turn_stripes]
        rest = Box(rest.x, turn_box.top, rest.w, rest.h - turn_box.h)
    numbers = []
    if view.show_pot == "always" and view.pot:
        numbers.append((messages.text("pot"), messages.amount(view.pot)))
    if turn is not None:
        to_call = messages.amount(view.to_call) if view.to_call else messages.text("check")
        numbers.append((messages.text("players-to-call") if view.to_call else "", to_call))
    for (label, amount), row in zip(numbers, grid(rest, 1, max(1, len(numbers)), appearance.layout.gap), strict=False):
        label_width = row.w * LABEL_WIDTH_RATIO
        texts.append(PlacedText(label, Box(row.x, row.y, label_width, row.h), row.h * FONT_HEIGHT_RATIO / 2, "right"))
        amount_box = Box(row.x + label_width, row.y, row.w - label_width, row.h)
        texts.append(PlacedText(amount, amount_box, row.h * FONT_HEIGHT_RATIO, "center", is_amount=True))
    if not numbers:
        texts.append(
            PlacedText(
                messages.street_title(view.game, view.round, stage_key(view)),
                rest,
                rest.h * FONT_HEIGHT_RATIO / 3,
                "center",
            )
        )
    return PlacedPage(appearance.layout.page, tuple(text for text in texts if text.text), (), tuple(stripes))


def _turn_row(turn: SeatView, box: Box, messages: Messages) -> tuple[list[PlacedText], list[tuple[Box, str]]]:
    """Return the text about the seat in turn, with its clock or a note that it has asked for time."""
    name = SEPARATOR.join(filter(None, (messages.text("players-to-act", seat=turn.seat), turn.name)))
    has_note = turn.time_called or turn.clock_seconds is not None
    width = box.w / 2 if has_note else box.w
    name_box, time_box = Box(box.x, box.y, width, box.h), Box(box.x + width, box.y, box.w - width, box.h)
    texts = [PlacedText(name, name_box, box.h * NAME_HEIGHT_RATIO, "center", "turn")]
    stripes = [(name_box, "turn")]
    if has_note:
        seconds = turn.clock_seconds
        note = messages.text("players-time") if seconds is None else messages.text("clock", count=seconds)
        texts.append(PlacedText(note, time_box, box.h * NAME_HEIGHT_RATIO, "center", "warning"))
        stripes.append((time_box, "warning"))
    return texts, stripes


def _seat_row(view: TableView, box: Box, appearance: Appearance) -> tuple[list[PlacedText], list[tuple[Box, str]]]:
    """Return all seats in a row. The colours of each seat depend on its status."""
    cells = grid(box, max(1, len(view.seats)), 1, appearance.layout.gap)
    texts, stripes = [], []
    for seat, cell in zip(view.seats, cells, strict=False):
        tone = STATUS_TONES[seat.status]
        stripes.append((cell, tone))
        texts.append(PlacedText(str(seat.seat), cell, box.h * FONT_HEIGHT_RATIO, "center", tone, is_amount=True))
    return texts, stripes
