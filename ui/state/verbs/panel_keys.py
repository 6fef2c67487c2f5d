"""The keys that a touched seat or MENU opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from controller.steps import table_steps
from controller.view import Choice, KeyLabel, SeatView, StepSummary, TableView
from ui.state.amount_entry import typed_amount
from ui.state.main_keys import Key, presumed_actions, seat_offer_keys, seat_view
from ui.state.modes import NameEntry, SeatPanel, TablePanel
from ui.state.name_entry import typed_name
from ui.state.touch_targets import CardTab, NamedKey
from ui.state.verbs.hand_verbs import CORRECTION_VERBS, HAND_VERBS, has_acted
from ui.state.verbs.panel_cells import BETWEEN_HANDS, TAB_KEY_COUNT, PanelInput, fill_cells, on_tab
from ui.state.verbs.player_verbs import PLAYER_VERBS
from ui.state.verbs.queued_verbs import QUEUED_HAND_VERBS, QUEUED_PLAYER_VERBS
from ui.state.verbs.table_verbs import TABLE_VERBS

NOT_IN_HAND: Final = frozenset({"empty", "away", "out"})
"""Statuses of seats that are not in the hand. These seats have keys for the player, such as to sit down."""
NEW_NAME_CELL: Final = on_tab(CardTab.PLAYER, 0)
"""Cell of the key that opens the keyboard for the name of a player who sits down."""
HAND_NAME_CELL, PLAYER_NAME_CELL = on_tab(CardTab.PLAYER, 1), on_tab(CardTab.PLAYER, 4)
"""Cells of the key that corrects a name: of a player in the hand, and of another one. With an entered amount, the cells
have keys for chips."""
WAS_ANOTHER_CELL, DID_NOT_FOLD_CELL = on_tab(CardTab.FIX, 0), on_tab(CardTab.FIX, 1)
"""Cells of the keys with which the dealer says that the last action of a seat was another one."""
HERE_CELL: Final = on_tab(CardTab.ACTION, 0)
"""Cell of the key that passes the turn to the seat."""
OFFER_CELLS: Final[Mapping[KeyLabel, int]] = {
    "straddles": on_tab(CardTab.ACTION, 7),
    "posts": on_tab(CardTab.ACTION, 7),
    "buys-button": on_tab(CardTab.FIX, 0),
    "kills": on_tab(CardTab.FIX, 1),
}
"""Cells of the keys for steps that the view proposes for a seat."""


def opening_tab(view: TableView, panel: SeatPanel, *, is_spot: bool) -> CardTab:
    """Return the tab on which the card of a seat opens.

    The tab is the one with a proposed step, such as a straddle. Otherwise a touch on a player in the hand opens ACTION,
    and a touch on the bet spot opens FIX. A player who has folded or is all-in has no keys on ACTION, and maybe none on
    FIX, so that the next tab opens. The card of any other seat opens on PLAYER.
    """
    offers = [key.label.label for key in seat_offer_keys(view, panel.seat) if isinstance(key.label, Choice)]
    if offers:
        return CardTab(OFFER_CELLS[offers[0]] // TAB_KEY_COUNT)
    if _has_hand_card(view, seat_view(view, panel.seat)):
        if is_spot:
            return CardTab.FIX
        first_cell, _ = seat_keys(panel, view)[0]
        return CardTab(first_cell // TAB_KEY_COUNT)
    return CardTab.PLAYER


def card_tabs(view: TableView, number: int) -> tuple[CardTab, ...]:
    """Return the tabs of a seat's card that can have keys. Only a player in the hand has actions."""
    is_in_hand = _has_hand_card(view, seat_view(view, number))
    return tuple(tab for tab in CardTab if tab is not CardTab.ACTION or is_in_hand or seat_offer_keys(view, number))


def _has_hand_card(view: TableView, seat: SeatView | None) -> bool:
    return seat is not None and view.phase not in BETWEEN_HANDS and seat.status not in NOT_IN_HAND


def passed_seats_summary(view: TableView, number: int) -> StepSummary | None:
    """Return the folds and checks that follow if the action is on this seat. Return None if no seat is passed.

    Example: "Seats 1 and 2 fold".
    """
    folding, checking = presumed_actions(view, number)
    summaries = [
        StepSummary(step=step, seats=seats)
        for step, seats in (("seats-fold", folding), ("seats-check", checking))
        if seats
    ]
    return summaries[0].with_effects(*summaries[1:]) if summaries else None


def seat_keys(mode: SeatPanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys of all tabs of a seat's card, each with its cell. `on_tab` converts a tab and a place to a cell.

    A step that the view proposes for this seat, such as a straddle, replaces the key of its cell.
    """
    seat = seat_view(view, mode.seat) or SeatView(seat=mode.seat)
    has_hand_card = _has_hand_card(view, seat)
    panel_input = PanelInput(mode.seat, typed_amount(mode.typed, view.money), mode.name)
    if mode.corrects_action and has_hand_card:
        return fill_cells(CORRECTION_VERBS, view, seat, panel_input)
    verbs = (*QUEUED_HAND_VERBS, *HAND_VERBS) if has_hand_card else (*QUEUED_PLAYER_VERBS, *PLAYER_VERBS)
    keys = dict(fill_cells(verbs, view, seat, panel_input))
    if has_hand_card and panel_input.amount is None and has_acted(seat):
        asks = replace(mode, tab=CardTab.ACTION, corrects_action=True)
        if seat.status == "folded":
            keys[DID_NOT_FOLD_CELL] = Key(NamedKey.DID_NOT_FOLD, "did-not-fold", opens_mode=asks)
        else:
            keys[WAS_ANOTHER_CELL] = Key(NamedKey.WAS_ANOTHER, "was-another", opens_mode=asks)
    if HERE_CELL in keys and (passed := passed_seats_summary(view, mode.seat)) is not None:
        keys[HERE_CELL] = replace(keys[HERE_CELL], detail=passed)
    if seat.status == "empty":
        keys[NEW_NAME_CELL] = _name_key(NameEntry("name-of-seat", typed_name(mode.name), return_to=mode))
    elif panel_input.amount is None:
        corrects = partial(table_steps.CorrectsName, mode.seat)
        keys[HAND_NAME_CELL if has_hand_card else PLAYER_NAME_CELL] = _name_key(
            NameEntry("name-of-seat", typed_name(seat.name), return_to=mode, step=corrects)
        )
    if panel_input.amount is None:
        for key in seat_offer_keys(view, mode.seat):
            if isinstance(key.label, Choice):
                keys[OFFER_CELLS[key.label.label]] = key
    return tuple(sorted(keys.items()))


def _name_key(entry: NameEntry) -> Key:
    """Return the key that opens the keyboard for a name."""
    return Key(NamedKey.PLAYER_NAME, "types-name", opens_mode=entry)


def table_keys(mode: TablePanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys of the table, each with its cell."""
    panel_input = PanelInput(None, typed_amount(mode.typed, view.money))
    return fill_cells(TABLE_VERBS, view, SeatView(seat=0), panel_input)
