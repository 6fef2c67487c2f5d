"""The keys of a player's card for requests during a hand, which are done when the hand is over.

The service keeps the requests. The tile of the seat shows them, and one key takes all requests of a seat back.

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


def _is_in_hand(view: TableView, seat: SeatView) -> bool:
    """Return True during a hand at table stakes. At open stakes, other keys are in the places of the card."""
    return view.phase not in BETWEEN_HANDS and not view.open_stakes


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


def _has_requests(view: TableView, seat: SeatView) -> bool:
    return bool(seat.queued_steps)


N: Final = NamedKey
FIX, PLAYER = (partial(on_tab, tab) for tab in (CardTab.FIX, CardTab.PLAYER))
_QueuedVerb = partial(PanelVerb, detail="after-hand")
_add = partial(_QueuedVerb, target=N.ADD_CHIPS, label="adds", amount_step=_queue(table_steps.AddsChips))
_away = partial(_QueuedVerb, target=N.AWAY, label="away", plain_step=_queue(table_steps.GoesAway))
_leave = partial(_QueuedVerb, target=N.LEAVE, label="queues-leave", plain_step=_queue(table_steps.LeavesTable))
_move = partial(
    _QueuedVerb,
    target=N.CHANGE_SEAT,
    label="queues-move",
    plain_step=_queue(table_steps.ChangesSeat),
    seat_question="where-to",
)
_cancel = partial(
    PanelVerb,
    target=N.CANCEL_REQUESTS,
    label="cancels-requests",
    plain_step=_take_back,
    is_available=_has_requests,
)
QUEUED_HAND_VERBS: Final = (
    _cancel(PLAYER(2)),
    _add(PLAYER(3), is_available=_is_in_hand),
    _away(PLAYER(4), is_available=_is_in_hand),
    _leave(PLAYER(5), is_available=_is_in_hand),
    _move(PLAYER(6), is_available=_is_in_hand),
)
"""Keys for requests of a seat in the hand."""
QUEUED_PLAYER_VERBS: Final = (
    _away(PLAYER(0), is_available=_is_there),
    _QueuedVerb(PLAYER(0), N.BACK, "back", plain_step=_queue(table_steps.ComesBack), is_available=_is_away),
    _leave(PLAYER(1), is_available=_is_taken),
    _move(PLAYER(2), is_available=_is_taken),
    _QueuedVerb(
        PLAYER(3),
        N.SIT,
        "sits",
        amount_step=_queue(table_steps.SitsDown),
        takes_name=True,
        is_available=_is_empty,
    ),
    _add(PLAYER(3), is_available=_may_add),
    _cancel(FIX(3)),
)
"""Keys for requests of a seat that is not in the hand. They have the places of the same keys between hands."""
