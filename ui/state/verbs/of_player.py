"""The keys of a seat that is not in a hand: who sits down, chips that come and go, who goes and comes back."""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state import sending
from ui.state.targets import NamedKey
from ui.state.verbs.cells import Verb

BETWEEN: Final = frozenset({"idle", "over"})
"""No hand is played."""


def _is_empty(view: TableView, seat: SeatView) -> bool:
    return seat.status == "empty" and view.phase in BETWEEN


def _is_taken(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty"


def _is_there(view: TableView, seat: SeatView) -> bool:
    return seat.status not in ("empty", "away") and view.phase in BETWEEN


def _is_away(view: TableView, seat: SeatView) -> bool:
    return seat.status == "away" and view.phase in BETWEEN


def _may_go(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty" and view.phase in BETWEEN


def _may_add(view: TableView, seat: SeatView) -> bool:
    return seat.status != "empty" and (view.phase in BETWEEN or view.open_stakes)


def _is_counted(view: TableView, seat: SeatView) -> bool:
    return view.pad and view.phase in BETWEEN


def _has_marker(view: TableView, seat: SeatView) -> bool:
    return seat.markers > 0 and view.phase in BETWEEN


def _due_back(view: TableView, seat: SeatView) -> bool:
    return seat.due_back > 0


def _counts_stack(view: TableView, seat: SeatView) -> bool:
    return view.pad and seat.status != "empty"


def _between(view: TableView, seat: SeatView) -> bool:
    return view.phase in BETWEEN


N: Final = NamedKey
OF_PLAYER: Final[tuple[Verb, ...]] = (
    Verb(0, N.AWAY, "away", plain=sending.away, when=_is_there),
    Verb(0, N.BACK, "back", plain=sending.back, when=_is_away),
    Verb(1, N.LEAVE, "leaves", plain=sending.leave, when=_may_go),
    Verb(2, N.MOVES, "moves", plain=sending.moves, picks="where-to", when=_may_go),
    Verb(3, N.SIT, "sits", amount=sending.sit, named=True, when=_is_empty, tone="main"),
    Verb(3, N.ADD, "adds", amount=sending.add, when=_may_add, tone="main"),
    Verb(4, N.TRANSFER, "sits-transfer", amount=sending.sit_transfer, when=_is_empty),
    Verb(4, N.CASH, "plays-cash", amount=sending.cash, when=_may_add),
    Verb(5, N.IN_STEAD, "sits-in-stead", amount=sending.sit_in_stead, named=True, when=_is_empty),
    Verb(5, N.REMOVE, "removes", amount=sending.remove, when=_may_go),
    Verb(6, N.TIP, "tip", amount=sending.tip, when=_is_taken),
    Verb(7, N.TIME, "time", amount=sending.time, when=_is_taken),
    Verb(8, N.COUNT_STACK, "count-stack", plain=sending.count_stack, when=_counts_stack),
    Verb(8, N.STACK, "stack-is", amount=sending.stack, when=_is_taken),
    Verb(13, N.LOST, "stack-lost", plain=sending.stack_unknown, when=_is_taken),
    Verb(9, N.COUNT, "count-buy-in", plain=sending.count_buy_in, when=_is_counted),
    Verb(10, N.RETURN, "returned", plain=sending.give_back, when=_due_back),
    Verb(11, N.REDEEMS, "redeems", amount=sending.redeems, when=_has_marker),
    Verb(12, N.REDEEMS_TO, "redeems-to", amount=sending.redeems_to, picks="who-lent", when=_has_marker),
    Verb(14, N.BUTTON, "floor-button", plain=sending.floor_button, when=_between, tone="floor"),
)
"""By cell; of those that share one the first that suits."""
