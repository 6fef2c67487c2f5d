"""The keys of a seat that is not in a hand.

With these keys, players sit down, leave, return, and add or remove chips.
"""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state import commands
from ui.state.touch_targets import NamedKey
from ui.state.verbs.panel_cells import PanelVerb

BETWEEN_HANDS: Final = frozenset({"idle", "over"})
"""Phases of the table in which no hand is played."""


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


def _between(view: TableView, seat: SeatView) -> bool:
    return view.phase in BETWEEN_HANDS


N: Final = NamedKey
PLAYER_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(0, N.AWAY, "away", plain_step=commands.mark_away, is_available=_is_there),
    PanelVerb(0, N.BACK, "back", plain_step=commands.mark_back, is_available=_is_away),
    PanelVerb(1, N.LEAVE, "leaves", plain_step=commands.leave, is_available=_may_go),
    PanelVerb(
        2, N.CHANGE_SEAT, "moves", plain_step=commands.change_seat, seat_question="where-to", is_available=_may_go
    ),
    PanelVerb(3, N.SIT, "sits", amount_step=commands.sit, takes_name=True, is_available=_is_empty, tone="main"),
    PanelVerb(3, N.ADD_CHIPS, "adds", amount_step=commands.add_chips, is_available=_may_add, tone="main"),
    PanelVerb(4, N.SIT_TRANSFER, "sits-transfer", amount_step=commands.sit_transfer, is_available=_is_empty),
    PanelVerb(4, N.ADD_CASH, "plays-cash", amount_step=commands.add_cash, is_available=_may_add),
    PanelVerb(
        5,
        N.SIT_AS_REPLACEMENT,
        "sits-in-stead",
        amount_step=commands.sit_as_replacement,
        takes_name=True,
        is_available=_is_empty,
    ),
    PanelVerb(5, N.REMOVE_CHIPS, "removes", amount_step=commands.remove_chips, is_available=_may_go),
    PanelVerb(6, N.TIP, "tip", amount_step=commands.tip, is_available=_is_taken),
    PanelVerb(7, N.PAY_TIME, "time", amount_step=commands.pay_time, is_available=_is_taken),
    PanelVerb(8, N.COUNT_STACK, "count-stack", plain_step=commands.count_stack, is_available=_counts_stack),
    PanelVerb(8, N.SET_STACK, "stack-is", amount_step=commands.set_stack, is_available=_is_taken),
    PanelVerb(13, N.STACK_UNKNOWN, "stack-lost", plain_step=commands.stack_unknown, is_available=_is_taken),
    PanelVerb(9, N.COUNT_BUY_IN, "count-buy-in", plain_step=commands.count_buy_in, is_available=_is_counted),
    PanelVerb(10, N.RETURN_CHIPS, "returned", plain_step=commands.return_chips, is_available=_due_back),
    PanelVerb(11, N.REDEEM_MARKER, "redeems", amount_step=commands.redeem_marker, is_available=_has_marker),
    PanelVerb(
        12,
        N.REPAY_LOAN,
        "redeems-to",
        amount_step=commands.repay_loan,
        seat_question="who-lent",
        is_available=_has_marker,
    ),
    PanelVerb(
        14, N.FLOOR_BUTTON, "floor-button", plain_step=commands.floor_button, is_available=_between, tone="floor"
    ),
)
"""Possible keys of a seat that is not in a hand. If several keys fit a cell, the cell shows the first one."""
