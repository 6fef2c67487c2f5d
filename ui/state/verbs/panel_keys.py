"""The keys that a touched seat, MENU or the floor's key opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from controller.messages import ScreenKey
from controller.steps import table_steps
from controller.view import Choice, KeyLabel, SeatView, StepSummary, TableView
from ui.state.amount_entry import typed_amount
from ui.state.main_keys import Key, presumed_actions, seat_offer_keys, seat_view
from ui.state.modes import FloorPanel, NameEntry, SeatPanel, TablePanel
from ui.state.name_entry import typed_name
from ui.state.touch_targets import CardList, CardTab, NamedKey
from ui.state.verbs.hand_verbs import CORRECTION_VERBS, HAND_VERBS, has_acted
from ui.state.verbs.panel_cells import BETWEEN_HANDS, TAB_KEY_COUNT, PanelInput, fill_cells, on_tab
from ui.state.verbs.player_verbs import PLAYER_VERBS
from ui.state.verbs.queued_verbs import QUEUED_VERBS
from ui.state.verbs.table_verbs import FLOOR_SEAT_VERBS, FLOOR_VERBS, TABLE_VERBS, ask_for_seat

NOT_IN_HAND: Final = frozenset({"empty", "away", "out"})
"""Statuses of seats that are not in the hand. These seats have keys for the player, such as to sit down."""
NAME_CELL: Final = on_tab(CardTab.PLAYER, 0)
"""Cell of the key that opens the keyboard for the name of a player."""
WAS_ANOTHER_CELL: Final = on_tab(CardTab.FIX, 0)
"""Cell of the key with which the dealer says that the last action of a seat was another one."""
OPEN_CHIPS_CELL, OPEN_MORE_CELL = on_tab(CardTab.FIX, 7), on_tab(CardTab.PLAYER, 7)
"""Cells of the keys that open the lists of rare keys."""
HERE_CELL: Final = on_tab(CardTab.ACTION, 0)
"""Cell of the key that passes the turn to the seat."""
OFFER_CELLS: Final[Mapping[KeyLabel, int]] = {
    "straddles": on_tab(CardTab.ACTION, 7),
    "posts": on_tab(CardTab.ACTION, 7),
    "buys-button": on_tab(CardTab.FIX, 5),
    "kills": on_tab(CardTab.FIX, 5),
}
"""Cells of the keys for steps that the view proposes for a seat."""

_WAS_ANOTHER: Final[tuple[NamedKey, ScreenKey]] = (NamedKey.WAS_ANOTHER, "was-another")
_DID_NOT_FOLD: Final[tuple[NamedKey, ScreenKey]] = (NamedKey.DID_NOT_FOLD, "did-not-fold")
_LIST_KEYS: Final[tuple[tuple[int, NamedKey, ScreenKey, CardList], ...]] = (
    (OPEN_CHIPS_CELL, NamedKey.OPEN_CHIPS, "opens-chips", CardList.CHIPS),
    (OPEN_MORE_CELL, NamedKey.OPEN_MORE, "more-offers", CardList.MORE),
)
"""The keys that open a list of rare keys: cell, target, label and list."""
FLOOR_RULING_CELL: Final = 7
"""Cell of the key of the menu that opens the decisions of the floor."""


def opening_tab(view: TableView, panel: SeatPanel, *, is_spot: bool) -> CardTab:
    """Return the tab on which the card of a seat opens.

    The tab is the one with a proposed step, such as a straddle. Otherwise a touch on a player in the hand opens ACTION,
    and a touch on the bet spot opens FIX. A player who has folded or is all-in has no keys on ACTION, and maybe none on
    FIX but CHIPS…, so that the next tab opens. The card of any other seat opens on PLAYER, or FIX for its bet spot.
    """
    offers = [key.label.label for key in seat_offer_keys(view, panel.seat) if isinstance(key.label, Choice)]
    if offers:
        return CardTab(OFFER_CELLS[offers[0]] // TAB_KEY_COUNT)
    seat = seat_view(view, panel.seat)
    if is_spot and seat is not None and seat.status != "empty":
        return CardTab.FIX
    if _has_hand_card(view, seat):
        is_typed = typed_amount(panel.typed, view.money) is not None
        skipped = {OPEN_CHIPS_CELL, *((WAS_ANOTHER_CELL,) if is_typed else ())}
        first_cell = next(cell for cell, _ in seat_keys(panel, view) if cell not in skipped)
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
    """Return the keys in the tabs and lists of a seat's card, each with its cell.

    `on_tab` converts a tab and a place to a cell. A step that the view proposes for this seat, such as a straddle,
    replaces the key of its cell.
    """
    seat = seat_view(view, mode.seat) or SeatView(seat=mode.seat)
    has_hand_card = _has_hand_card(view, seat)
    panel_input = PanelInput(mode.seat, typed_amount(mode.typed, view.money), mode.name)
    can_correct = has_hand_card and has_acted(seat)
    verbs = (
        *QUEUED_VERBS,
        *(HAND_VERBS if has_hand_card else PLAYER_VERBS),
        *(CORRECTION_VERBS if can_correct else ()),
    )
    keys = dict(fill_cells(verbs, view, seat, panel_input))
    if can_correct:
        asks = replace(mode, opened_list=CardList.CORRECTION)
        did_fold = seat.status == "folded"
        target, label = _DID_NOT_FOLD if did_fold else _WAS_ANOTHER
        keys[WAS_ANOTHER_CELL] = Key(target, label, opens_mode=asks)
    if HERE_CELL in keys and (passed := passed_seats_summary(view, mode.seat)) is not None:
        keys[HERE_CELL] = replace(keys[HERE_CELL], detail=passed)
    keys[NAME_CELL] = _name_key(mode, seat)
    for cell, target, label, opened in _LIST_KEYS:
        if any(listed // TAB_KEY_COUNT == opened.value for listed in keys):
            keys[cell] = Key(target, label, opens_mode=replace(mode, opened_list=opened), tone="quiet")
    if panel_input.amount is None:
        for key in seat_offer_keys(view, mode.seat):
            if isinstance(key.label, Choice):
                keys[OFFER_CELLS[key.label.label]] = key
    return tuple(sorted(keys.items()))


def _name_key(mode: SeatPanel, seat: SeatView) -> Key:
    """Return the key that opens the keyboard for the name of a new player, or to correct a name."""
    entry = (
        NameEntry("name-of-seat", typed_name(mode.name), return_to=mode)
        if seat.status == "empty"
        else NameEntry(
            "name-of-seat", typed_name(seat.name), return_to=mode, step=partial(table_steps.CorrectsName, mode.seat)
        )
    )
    return Key(NamedKey.PLAYER_NAME, "types-name", opens_mode=entry)


def table_keys(mode: TablePanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys of the menu, each with its cell."""
    panel_input = PanelInput(None, typed_amount(mode.typed, view.money))
    floor_key = Key(NamedKey.FLOOR_RULING, "floor-ruling", opens_mode=FloorPanel(typed=mode.typed), tone="floor")
    return (*fill_cells(TABLE_VERBS, view, SeatView(seat=0), panel_input), (FLOOR_RULING_CELL, floor_key))


def floor_keys(mode: FloorPanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """Return the keys for decisions of the floor, each with its cell.

    If no seat is selected, a decision about a held action applies to the only seat with such an action. Any other
    decision about a seat asks for the seat.
    """
    amount = typed_amount(mode.typed, view.money)
    keys = dict(fill_cells(FLOOR_VERBS, view, SeatView(seat=0), PanelInput(None, amount)))
    for verb in FLOOR_SEAT_VERBS:
        held = [seat.seat for seat in view.seats if seat.held_action is not None]
        is_about_held = verb.target in (NamedKey.FLOOR_BIND, NamedKey.FLOOR_RELEASE)
        number = held[0] if mode.seat is None and is_about_held and len(held) == 1 else mode.seat
        seat = seat_view(view, number)
        shown = ask_for_seat(verb) if seat is None else verb
        keys |= fill_cells([shown], view, seat or SeatView(seat=0), PanelInput(number, amount))
    return tuple(sorted(keys.items()))
