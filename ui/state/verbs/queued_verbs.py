"""The keys of a player's card for requests during a hand, which are done when the hand is over.

The service keeps the requests, and the tile of the seat shows them. While a request waits, its key takes back all
requests of the seat.

Example: the key ADDS ON with the amount 300 sends `3 later add 300` for seat 3.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from controller.steps import SeatStep, table_steps
from controller.view import SeatView, TableView
from ui.state.touch_targets import CardTab, NamedKey
from ui.state.verbs.panel_cells import BETWEEN_HANDS, PanelVerb, on_tab


def _queue(build: Callable[..., SeatStep]) -> Callable[..., table_steps.QueuesStep]:
    """Return a function that returns the same step of a seat, to be done when the hand is over."""
    return lambda seat, *values, **names: table_steps.QueuesStep(seat, build(seat, *values, **names))


def _take_back(seat: int) -> table_steps.QueuesStep:
    return table_steps.QueuesStep(seat, None)


def _is_empty(view: TableView, seat: SeatView) -> bool:
    return view.phase not in BETWEEN_HANDS and seat.status == "empty"


def _is_taken(view: TableView, seat: SeatView) -> bool:
    return view.phase not in BETWEEN_HANDS and seat.status != "empty"


def _is_away(view: TableView, seat: SeatView) -> bool:
    return view.phase not in BETWEEN_HANDS and seat.status == "away"


def _is_there(view: TableView, seat: SeatView) -> bool:
    return _is_taken(view, seat) and not _is_away(view, seat)


def _may_add(view: TableView, seat: SeatView) -> bool:
    return _is_taken(view, seat) and not view.open_stakes


def _waits(*kinds: type[SeatStep]) -> Callable[[TableView, SeatView], bool]:
    """Return a function that returns True if a request of any of these kinds waits."""
    summaries = {kind.verb.summary for kind in kinds}
    return lambda view, seat: any(request.step in summaries for request in seat.queued_steps)


N: Final = NamedKey
PLAYER: Final = partial(on_tab, CardTab.PLAYER)
_QueuedVerb = partial(PanelVerb, detail="after-hand")
_CancelVerb = partial(
    PanelVerb, target=N.CANCEL_REQUESTS, plain_step=_take_back, detail="cancels-requests", tone="picked"
)
QUEUED_VERBS: Final = (
    _CancelVerb(PLAYER(1), label="away", is_available=_waits(table_steps.GoesAway)),
    _CancelVerb(PLAYER(1), label="back", is_available=_waits(table_steps.ComesBack)),
    _CancelVerb(PLAYER(2), label="queues-leave", is_available=_waits(table_steps.LeavesTable)),
    _CancelVerb(PLAYER(3), label="queues-move", is_available=_waits(table_steps.ChangesSeat)),
    _CancelVerb(PLAYER(4), label="adds", is_available=_waits(table_steps.AddsChips)),
    _CancelVerb(PLAYER(4), label="sits", is_available=_waits(table_steps.SitsDown)),
    _QueuedVerb(PLAYER(1), N.AWAY, "away", plain_step=_queue(table_steps.GoesAway), is_available=_is_there),
    _QueuedVerb(PLAYER(1), N.BACK, "back", plain_step=_queue(table_steps.ComesBack), is_available=_is_away),
    _QueuedVerb(PLAYER(2), N.LEAVE, "queues-leave", plain_step=_queue(table_steps.LeavesTable), is_available=_is_taken),
    _QueuedVerb(
        PLAYER(3),
        N.CHANGE_SEAT,
        "queues-move",
        plain_step=_queue(table_steps.ChangesSeat),
        seat_question="where-to",
        is_available=_is_taken,
    ),
    _QueuedVerb(
        PLAYER(4),
        N.SIT,
        "sits",
        amount_step=_queue(table_steps.SitsDown),
        takes_name=True,
        is_available=_is_empty,
    ),
    _QueuedVerb(PLAYER(4), N.ADD_CHIPS, "adds", amount_step=_queue(table_steps.AddsChips), is_available=_may_add),
)
"""Keys for requests of a seat. They have the places of the same keys between hands."""
