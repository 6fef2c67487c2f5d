"""The keys of a seat that is in the hand.

Some keys enter an action or declaration of the seat, in or out of turn. Other keys correct earlier actions or enter
decisions of the floor. `tests/table-scripts.md` describes the steps that the keys send.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Protocol

from controller.steps import Declaration, DeclarationKind, Step, hand_steps, observations, table_steps
from controller.view import SeatView, TableView
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


class _Words(Protocol):
    """Function that returns a step with words of a seat, and with an amount if one was entered."""

    def __call__(self, seat: int, amount: int = 0) -> Step: ...


def _declare(kind: DeclarationKind, *, is_raise_by: bool = False) -> _Words:
    """Return a function that returns an action of a seat, which puts in its chips with the words."""
    return lambda seat, amount=0: hand_steps.Declares(seat, Declaration(kind, amount, is_raise_by))


def _say(kind: DeclarationKind) -> _Words:
    """Return a function that returns the words of a seat that has not put in chips yet."""
    return lambda seat, amount=0: hand_steps.SpeaksOnly(seat, Declaration(kind, amount))


def _said_before(kind: DeclarationKind) -> _Words:
    """Return a function that returns words that the dealer heard before the last chips of the seat."""
    return lambda seat, amount=0: hand_steps.SpokeBeforeChips(seat, Declaration(kind, amount))


def _put_one_chip(seat: int, amount: int) -> Step:
    """Return the step with which the seat puts in one chip of this value and says nothing."""
    return hand_steps.MovesChips(seat, (amount,))


def _take_back(seat: int, amount: int) -> Step:
    return hand_steps.MovesChips(seat, back=(amount,))


N: Final = NamedKey
HAND_VERBS: Final[tuple[PanelVerb, ...]] = (
    # decisions of the floor
    PanelVerb(
        0, N.FLOOR_BIND, "floor-binds", plain_step=table_steps.FloorBindsAction, is_available=_is_held, tone="floor"
    ),
    PanelVerb(
        0, N.FLOOR_TURN, "floor-turn", plain_step=table_steps.FloorGivesTurn, is_available=_may_act, tone="floor"
    ),
    PanelVerb(0, N.ADD_CASH, "plays-cash", amount_step=table_steps.AddsCash, is_available=_open_stakes),
    PanelVerb(
        1,
        N.FLOOR_RELEASE,
        "floor-releases",
        plain_step=table_steps.FloorReleasesAction,
        is_available=_is_held,
        tone="floor",
    ),
    PanelVerb(1, N.FLOOR_BET, "floor-bet", amount_step=table_steps.FloorSetsBet, tone="floor"),
    PanelVerb(
        2, N.FLOOR_KILL_HAND, "floor-dead", plain_step=table_steps.FloorKillsHand, is_available=_may_act, tone="floor"
    ),
    PanelVerb(2, N.PLAY_MARKER, "marker-given", amount_step=table_steps.GivesMarker, is_available=_open_stakes),
    # Actions of the seat, in or out of turn. The table decides what they mean.
    PanelVerb(3, N.SEAT_FOLD, "folds", plain_step=_declare("fold"), is_available=_may_act),
    PanelVerb(3, N.ADD_CHIPS, "adds", amount_step=table_steps.AddsChips, is_available=_open_stakes),
    PanelVerb(4, N.SEAT_CHECK, "checks", plain_step=_declare("check"), is_available=_may_act),
    PanelVerb(4, N.ONE_CHIP, "one-chip", amount_step=_put_one_chip, is_available=_is_live),
    PanelVerb(5, N.SEAT_CALL, "calls", plain_step=_declare("call"), is_available=_may_act),
    PanelVerb(5, N.SILENT_CHIPS, "chips-silent", amount_step=_declare("amount"), is_available=_may_act),
    PanelVerb(
        6,
        N.SEAT_RAISE,
        "raises",
        plain_step=_say("raise"),
        amount_step=_declare("raise"),
        is_available=_may_act,
        tone="main",
    ),
    PanelVerb(7, N.SEAT_POT, "pots", plain_step=_declare("pot"), is_available=_is_pot_limit),
    PanelVerb(7, N.SEAT_COMPLETE, "completes", plain_step=_declare("complete"), is_available=_is_limit),
    PanelVerb(7, N.SEAT_RAISE_BY, "raises-by", amount_step=_declare("raise", is_raise_by=True), is_available=_may_act),
    PanelVerb(8, N.SEAT_ALL_IN, "goes-all-in", plain_step=_declare("all-in"), is_available=_may_act),
    PanelVerb(
        8,
        N.BORROW_CHIPS,
        "marker-lent",
        amount_step=table_steps.GivesMarker,
        seat_question="who-lends",
        is_available=_open_stakes,
    ),
    # Corrections of earlier actions. If the seat has not put in chips yet, the same cells have declarations.
    PanelVerb(9, N.ANNOUNCED_CALL, "said-call", plain_step=_said_before("call"), is_available=_has_put_in),
    PanelVerb(9, N.CORRECT_WAGER, "was", amount_step=hand_steps.CorrectsWager, is_available=_has_put_in),
    PanelVerb(
        10,
        N.ANNOUNCED_RAISE,
        "said-raise",
        plain_step=_said_before("raise"),
        amount_step=_said_before("raise"),
        is_available=_has_put_in,
    ),
    PanelVerb(9, N.ANNOUNCE_CALL, "says-call", plain_step=_say("call"), is_available=_may_act),
    PanelVerb(
        10,
        N.ANNOUNCE_RAISE,
        "says-raise",
        plain_step=_say("raise"),
        amount_step=_say("raise"),
        is_available=_may_act,
    ),
    PanelVerb(11, N.STRADDLE, "straddle", amount_step=hand_steps.Straddles, is_available=_may_straddle),
    PanelVerb(
        11,
        N.COUNT_BET,
        "count-bet",
        plain_step=partial(observations.StartsPadCount, purpose="bet"),
        is_available=_has_pad,
    ),
    PanelVerb(11, N.TAKE_BACK, "takes-back", amount_step=_take_back, is_available=_has_put_in),
    PanelVerb(12, N.RETURN_CHIPS, "returned", plain_step=hand_steps.ReturnsChips, is_available=_due_back),
    PanelVerb(12, N.PAY_OWED, "it-is-in", plain_step=hand_steps.PaysOwedChips, is_available=_owes),
    PanelVerb(12, N.END_MOTION, "motion-done", plain_step=hand_steps.EndsMotion, is_available=_may_act),
    PanelVerb(
        13,
        N.COUNT_STACK,
        "count-stack",
        plain_step=partial(observations.StartsPadCount, purpose="stack"),
        is_available=_has_pad,
    ),
    PanelVerb(13, N.SET_STACK, "stack-is", amount_step=table_steps.CountsStack),
    PanelVerb(13, N.STACK_UNKNOWN, "stack-lost", plain_step=partial(table_steps.CountsStack, amount=None)),
    PanelVerb(14, N.CALL_TIME, "calls-time", plain_step=_declare("time"), is_available=_may_act),
    PanelVerb(14, N.MAKE_CHANGE, "change", amount_step=hand_steps.MakesChange),
)
"""Possible keys of a seat in the hand. If several keys fit a cell, the cell shows the first one."""
