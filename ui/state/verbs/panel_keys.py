"""The keys that a touched seat or the TABLE key opens."""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state.amount_entry import typed_amount
from ui.state.main_keys import Key, seat_offer_keys, seat_view
from ui.state.modes import NameEntry, SeatPanel, TablePanel
from ui.state.name_entry import typed_name
from ui.state.touch_targets import NamedKey
from ui.state.verbs.hand_verbs import HAND_VERBS
from ui.state.verbs.panel_cells import PANEL_CELL_COUNT, PanelInput, PanelVerb, fill_cells
from ui.state.verbs.player_verbs import BETWEEN_HANDS, PLAYER_VERBS
from ui.state.verbs.table_verbs import TABLE_VERBS

NOT_IN_HAND: Final = frozenset({"empty", "away", "out"})
"""Statuses of seats that are not in the hand. These seats have keys for the player, such as to sit down."""
NAME_KEY_CELL: Final = 0
"""Cell of the key that opens the keyboard for names."""


def seat_keys(mode: SeatPanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys of a seat, each with its cell.

    Steps that the view proposes for this seat, such as a straddle, replace the keys of the last cells.
    """
    seat = seat_view(view, mode.seat) or SeatView(seat=mode.seat)
    is_between_hands = view.phase in BETWEEN_HANDS
    is_not_playing = is_between_hands or seat.status in NOT_IN_HAND
    verbs: tuple[PanelVerb, ...] = PLAYER_VERBS if is_not_playing else HAND_VERBS
    panel_input = PanelInput(mode.seat, typed_amount(mode.typed, view.money), mode.name)
    keys = dict(fill_cells(verbs, view, seat, panel_input))
    if is_between_hands and seat.status == "empty":
        name_entry = NameEntry("name-of-seat", typed_name(mode.name), return_to=mode)
        keys[NAME_KEY_CELL] = Key(NamedKey.PLAYER_NAME, "types-name", opens_mode=name_entry)
    if panel_input.amount is None:
        for cell, key in enumerate(
            seat_offer_keys(view, mode.seat), start=PANEL_CELL_COUNT - len(seat_offer_keys(view, mode.seat))
        ):
            keys[cell] = key
    return tuple(sorted(keys.items()))


def table_keys(mode: TablePanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys of the table, each with its cell."""
    panel_input = PanelInput(None, typed_amount(mode.typed, view.money))
    return fill_cells(TABLE_VERBS, view, SeatView(seat=0), panel_input)
