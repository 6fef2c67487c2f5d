"""The keys of a seat that is in the hand.

Some keys enter an action or declaration of the seat, in or out of turn. Other keys correct earlier actions or enter
decisions of the floor. `tests/table-scripts.md` describes the steps that the keys send.
"""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state import commands
from ui.state.touch_targets import NamedKey
from ui.state.verbs.panel_cells import PanelVerb


def _is_held(view: TableView, seat: SeatView) -> bool:
    return seat.held_action is not None


def _may_act(view: TableView, seat: SeatView) -> bool:
    return seat.status in ("to-act", "waiting", "acted")


def _is_live(view: TableView, seat: SeatView) -> bool:
    return _may_act(view, seat) or seat.status == "all-in"


def _has_put_in(view: TableView, seat: SeatView) -> bool:
    return _is_live(view, seat) and (seat.last_action is not None or seat.held_action is not None or seat.bet > 0)


def _owes(view: TableView, seat: SeatView) -> bool:
    return seat.chips_owed > 0


def _due_back(view: TableView, seat: SeatView) -> bool:
    return seat.due_back > 0


def _may_straddle(view: TableView, seat: SeatView) -> bool:
    return seat.min_straddle > 0


def _is_pot_limit(view: TableView, seat: SeatView) -> bool:
    return view.game.structure == "pot-limit" and _may_act(view, seat)


def _is_limit(view: TableView, seat: SeatView) -> bool:
    return view.game.structure == "fixed-limit" and _may_act(view, seat)


def _open_stakes(view: TableView, seat: SeatView) -> bool:
    return view.open_stakes


def _has_pad(view: TableView, seat: SeatView) -> bool:
    return view.has_count_pad


N: Final = NamedKey
HAND_VERBS: Final[tuple[PanelVerb, ...]] = (
    # decisions of the floor
    PanelVerb(0, N.FLOOR_BIND, "floor-binds", plain_step=commands.floor_bind, is_available=_is_held, tone="floor"),
    PanelVerb(0, N.FLOOR_TURN, "floor-turn", plain_step=commands.floor_turn, is_available=_may_act, tone="floor"),
    PanelVerb(0, N.ADD_CASH, "plays-cash", amount_step=commands.add_cash, is_available=_open_stakes),
    PanelVerb(
        1, N.FLOOR_RELEASE, "floor-releases", plain_step=commands.floor_release, is_available=_is_held, tone="floor"
    ),
    PanelVerb(1, N.FLOOR_BET, "floor-bet", amount_step=commands.floor_bet, tone="floor"),
    PanelVerb(
        2, N.FLOOR_KILL_HAND, "floor-dead", plain_step=commands.floor_kill_hand, is_available=_may_act, tone="floor"
    ),
    PanelVerb(2, N.PLAY_MARKER, "marker-given", amount_step=commands.play_marker, is_available=_open_stakes),
    # Actions of the seat, in or out of turn. The table decides what they mean.
    PanelVerb(3, N.SEAT_FOLD, "folds", plain_step=commands.fold, is_available=_may_act),
    PanelVerb(3, N.ADD_CHIPS, "adds", amount_step=commands.add_chips, is_available=_open_stakes),
    PanelVerb(4, N.SEAT_CHECK, "checks", plain_step=commands.check, is_available=_may_act),
    PanelVerb(4, N.ONE_CHIP, "one-chip", amount_step=commands.put_one_chip, is_available=_is_live),
    PanelVerb(5, N.SEAT_CALL, "calls", plain_step=commands.call, is_available=_may_act),
    PanelVerb(5, N.SILENT_CHIPS, "chips-silent", amount_step=commands.put_chips_silently, is_available=_may_act),
    PanelVerb(
        6,
        N.SEAT_RAISE,
        "raises",
        plain_step=commands.announce_raise,
        amount_step=commands.raise_to,
        is_available=_may_act,
        tone="main",
    ),
    PanelVerb(7, N.SEAT_POT, "pots", plain_step=commands.bet_pot, is_available=_is_pot_limit),
    PanelVerb(7, N.SEAT_COMPLETE, "completes", plain_step=commands.complete, is_available=_is_limit),
    PanelVerb(7, N.SEAT_RAISE_BY, "raises-by", amount_step=commands.raise_by, is_available=_may_act),
    PanelVerb(8, N.SEAT_ALL_IN, "goes-all-in", plain_step=commands.all_in, is_available=_may_act),
    PanelVerb(
        8,
        N.BORROW_CHIPS,
        "marker-lent",
        amount_step=commands.borrow_chips,
        seat_question="who-lends",
        is_available=_open_stakes,
    ),
    # Corrections of earlier actions. If the seat has not put in chips yet, the same cells have declarations.
    PanelVerb(9, N.ANNOUNCED_CALL, "said-call", plain_step=commands.announced_call, is_available=_has_put_in),
    PanelVerb(9, N.CORRECT_WAGER, "was", amount_step=commands.correct_wager, is_available=_has_put_in),
    PanelVerb(
        10,
        N.ANNOUNCED_RAISE,
        "said-raise",
        plain_step=commands.announced_raise,
        amount_step=commands.announced_raise,
        is_available=_has_put_in,
    ),
    PanelVerb(9, N.ANNOUNCE_CALL, "says-call", plain_step=commands.announce_call, is_available=_may_act),
    PanelVerb(
        10,
        N.ANNOUNCE_RAISE,
        "says-raise",
        plain_step=commands.announce_raise,
        amount_step=commands.announce_raise,
        is_available=_may_act,
    ),
    PanelVerb(11, N.STRADDLE, "straddle", amount_step=commands.straddle, is_available=_may_straddle),
    PanelVerb(11, N.COUNT_BET, "count-bet", plain_step=commands.count_bet, is_available=_has_pad),
    PanelVerb(11, N.TAKE_BACK, "takes-back", amount_step=commands.take_back, is_available=_has_put_in),
    PanelVerb(12, N.RETURN_CHIPS, "returned", plain_step=commands.return_chips, is_available=_due_back),
    PanelVerb(12, N.PAY_OWED, "it-is-in", plain_step=commands.pay_owed, is_available=_owes),
    PanelVerb(12, N.END_MOTION, "motion-done", plain_step=commands.end_motion, is_available=_may_act),
    PanelVerb(13, N.COUNT_STACK, "count-stack", plain_step=commands.count_stack, is_available=_has_pad),
    PanelVerb(13, N.SET_STACK, "stack-is", amount_step=commands.set_stack),
    PanelVerb(13, N.STACK_UNKNOWN, "stack-lost", plain_step=commands.stack_unknown),
    PanelVerb(14, N.CALL_TIME, "calls-time", plain_step=commands.call_time, is_available=_may_act),
    PanelVerb(14, N.MAKE_CHANGE, "change", amount_step=commands.make_change),
)
"""Possible keys of a seat in the hand. If several keys fit a cell, the cell shows the first one."""
