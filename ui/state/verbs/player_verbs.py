"""The keys of a seat that is not in a hand.

With these keys, players sit down, leave, return, and add or remove chips.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from controller.steps import hand_steps, observations, table_steps
from controller.view import SeatView, TableView
from ui.state.touch_targets import CardList, CardTab, NamedKey
from ui.state.verbs.panel_cells import BETWEEN_HANDS, PanelVerb, on_tab


def _is_empty(view: TableView, seat: SeatView) -> bool:
    return seat.status == "empty" and view.phase in BETWEEN_HANDS


def _is_taken(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty"


def _is_there(view: TableView, seat: SeatView) -> bool:
    return seat.status not in ("empty", "away") and view.phase in BETWEEN_HANDS


def _is_away(view: TableView, seat: SeatView) -> bool:
    return seat.status == "away" and view.phase in BETWEEN_HANDS


def _may_go(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty" and view.phase in BETWEEN_HANDS


def _may_add(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty" and (view.phase in BETWEEN_HANDS or view.open_stakes)


def _is_counted(view: TableView, seat: SeatView) -> bool:
    return view.has_count_pad and view.phase in BETWEEN_HANDS


def _has_marker(view: TableView, seat: SeatView) -> bool:
    return seat.markers_owed > 0 and view.phase in BETWEEN_HANDS


def _due_back(view: TableView, seat: SeatView) -> bool:
    return seat.due_back > 0


def _counts_stack(view: TableView, seat: SeatView) -> bool:
    return view.has_count_pad and seat.status != "empty"


N: Final = NamedKey
FIX, PLAYER, CHIPS, MORE = (
    partial(on_tab, part) for part in (CardTab.FIX, CardTab.PLAYER, CardList.CHIPS, CardList.MORE)
)
PLAYER_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(PLAYER(1), N.AWAY, "away", plain_step=table_steps.GoesAway, is_available=_is_there),
    PanelVerb(PLAYER(1), N.BACK, "back", plain_step=table_steps.ComesBack, is_available=_is_away),
    PanelVerb(PLAYER(2), N.LEAVE, "leaves", plain_step=table_steps.LeavesTable, is_available=_may_go),
    PanelVerb(
        PLAYER(3),
        N.CHANGE_SEAT,
        "moves",
        plain_step=table_steps.ChangesSeat,
        seat_question="where-to",
        is_available=_may_go,
    ),
    PanelVerb(
        PLAYER(4),
        N.SIT,
        "sits",
        amount_step=table_steps.SitsDown,
        takes_name=True,
        is_available=_is_empty,
        tone="main",
    ),
    PanelVerb(PLAYER(4), N.ADD_CHIPS, "adds", amount_step=table_steps.AddsChips, is_available=_may_add, tone="main"),
    PanelVerb(PLAYER(6), N.TIP, "tip", amount_step=table_steps.TipsDealer, is_available=_is_taken),
    PanelVerb(
        MORE(0),
        N.SIT_TRANSFER,
        "sits-transfer",
        amount_step=partial(table_steps.SitsDown, is_transfer=True),
        is_available=_is_empty,
    ),
    PanelVerb(
        MORE(1),
        N.SIT_AS_REPLACEMENT,
        "sits-in-stead",
        amount_step=partial(table_steps.SitsDown, takes_over_blinds=True),
        takes_name=True,
        is_available=_is_empty,
    ),
    PanelVerb(MORE(2), N.ADD_CASH, "plays-cash", amount_step=table_steps.AddsCash, is_available=_may_add),
    PanelVerb(MORE(5), N.REDEEM_MARKER, "redeems", amount_step=table_steps.RedeemsMarker, is_available=_has_marker),
    PanelVerb(
        MORE(7),
        N.REPAY_LOAN,
        "redeems-to",
        amount_step=table_steps.RedeemsMarker,
        seat_question="who-lent",
        is_available=_has_marker,
    ),
    PanelVerb(MORE(6), N.PAY_TIME, "time", amount_step=table_steps.PaysTimeCollection, is_available=_is_taken),
    # chips that are counted, that leave the table, or that are due back
    PanelVerb(FIX(6), N.RETURN_CHIPS, "returned", plain_step=hand_steps.ReturnsChips, is_available=_due_back),
    PanelVerb(CHIPS(3), N.SET_STACK, "stack-is", amount_step=table_steps.CountsStack, is_available=_is_taken),
    PanelVerb(
        CHIPS(3),
        N.STACK_UNKNOWN,
        "stack-lost",
        plain_step=partial(table_steps.CountsStack, amount=None),
        is_available=_is_taken,
    ),
    PanelVerb(CHIPS(4), N.REMOVE_CHIPS, "removes", amount_step=table_steps.RemovesChips, is_available=_may_go),
    PanelVerb(
        CHIPS(6),
        N.COUNT_STACK,
        "count-stack",
        plain_step=partial(observations.StartsPadCount, purpose="stack"),
        is_available=_counts_stack,
    ),
    PanelVerb(
        CHIPS(7),
        N.COUNT_BUY_IN,
        "count-buy-in",
        plain_step=partial(observations.StartsPadCount, purpose="buy-in"),
        is_available=_is_counted,
    ),
)
"""Possible keys of a seat that is not in a hand. If several keys fit a cell, the cell shows the first one.

They have the places of the same keys of a seat in the hand."""
