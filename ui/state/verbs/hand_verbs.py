"""The keys of a seat that is in the hand.

The tab ACTION enters an action of the seat, in or out of turn. The tab FIX corrects actions and chips, and the tab
PLAYER has the keys about the player. Each place of a tab has one meaning, whether the seat is in a hand or not. Rare
keys are in the lists that CHIPS… on FIX and MORE… on PLAYER open. `tests/table-scripts.md` describes the steps that the
keys send.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Protocol

from controller.steps import Declaration, DeclarationKind, Step, hand_steps, observations, table_steps
from controller.view import SeatView, TableView
from ui.state.main_keys import STILL_IN_ROUND, may_get_turn
from ui.state.touch_targets import CardList, CardTab, NamedKey
from ui.state.verbs.panel_cells import PanelVerb, on_tab


def _may_act(view: TableView, seat: SeatView) -> bool:
    return seat.status in STILL_IN_ROUND


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


def _has_free_raises(view: TableView, seat: SeatView) -> bool:
    return not (_is_pot_limit(view, seat) or _is_limit(view, seat)) and _may_act(view, seat)


def _open_stakes(view: TableView, seat: SeatView) -> bool:
    return view.open_stakes


def _has_pad(view: TableView, seat: SeatView) -> bool:
    return view.has_count_pad


def _may_have_checked(view: TableView, seat: SeatView) -> bool:
    return seat.may_have_checked


def has_acted(seat: SeatView) -> bool:
    """Return True if the seat has done something in this round that can be corrected."""
    return seat.status == "folded" or (seat.last_action is not None and seat.last_action.verb != "blind")


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


def _really(kind: DeclarationKind) -> _Words:
    """Return a function that returns what the last action of a seat really was."""
    return lambda seat, amount=0: hand_steps.CorrectsAction(seat, Declaration(kind, amount))


def _put_one_chip(seat: int, amount: int) -> Step:
    """Return the step with which the seat puts in one chip of this value and says nothing."""
    return hand_steps.MovesChips(seat, (amount,))


def _take_back(seat: int, amount: int) -> Step:
    return hand_steps.MovesChips(seat, back=(amount,))


N: Final = NamedKey
ACTION, FIX, PLAYER = (partial(on_tab, tab) for tab in CardTab)
CORRECTION, CHIPS, MORE = (partial(on_tab, opened) for opened in CardList)
HAND_VERBS: Final[tuple[PanelVerb, ...]] = (
    # Actions of the seat, in or out of turn. The table decides what they mean.
    PanelVerb(
        ACTION(0), N.ACTION_HERE, "action-here", plain_step=hand_steps.ActionOn, is_available=may_get_turn, tone="main"
    ),
    PanelVerb(ACTION(1), N.SEAT_FOLD, "folds", plain_step=_declare("fold"), is_available=_may_act),
    PanelVerb(ACTION(2), N.SEAT_CHECK, "checks", plain_step=_declare("check"), is_available=_may_act),
    PanelVerb(ACTION(3), N.SEAT_CALL, "calls", plain_step=_declare("call"), is_available=_may_act),
    PanelVerb(
        ACTION(4),
        N.SEAT_RAISE,
        "raises",
        plain_step=_say("raise"),
        amount_step=_declare("raise"),
        is_available=_may_act,
    ),
    PanelVerb(ACTION(5), N.SEAT_POT, "pots", plain_step=_declare("pot"), is_available=_is_pot_limit),
    PanelVerb(ACTION(5), N.SEAT_COMPLETE, "completes", plain_step=_declare("complete"), is_available=_is_limit),
    PanelVerb(
        ACTION(5),
        N.SEAT_RAISE_BY,
        "raises-by",
        amount_step=_declare("raise", is_raise_by=True),
        is_available=_has_free_raises,
    ),
    PanelVerb(ACTION(6), N.SEAT_ALL_IN, "goes-all-in", plain_step=_declare("all-in"), is_available=_may_act),
    PanelVerb(ACTION(7), N.STRADDLE, "straddle", amount_step=hand_steps.Straddles, is_available=_may_straddle),
    # corrections of earlier actions, and chips without an action
    PanelVerb(FIX(1), N.CORRECT_WAGER, "was", amount_step=hand_steps.CorrectsWager, is_available=_has_put_in),
    PanelVerb(FIX(2), N.ANNOUNCED_CALL, "said-call", plain_step=_said_before("call"), is_available=_has_put_in),
    PanelVerb(FIX(2), N.ANNOUNCE_CALL, "said-call", plain_step=_say("call"), is_available=_may_act),
    PanelVerb(
        FIX(3),
        N.ANNOUNCED_RAISE,
        "said-raise",
        plain_step=_said_before("raise"),
        amount_step=_said_before("raise"),
        is_available=_has_put_in,
    ),
    PanelVerb(
        FIX(3),
        N.ANNOUNCE_RAISE,
        "said-raise",
        plain_step=_say("raise"),
        amount_step=_say("raise"),
        is_available=_may_act,
    ),
    PanelVerb(FIX(4), N.ONE_CHIP, "one-chip", amount_step=_put_one_chip, is_available=_is_live),
    PanelVerb(FIX(6), N.RETURN_CHIPS, "returned", plain_step=hand_steps.ReturnsChips, is_available=_due_back),
    PanelVerb(FIX(6), N.PAY_OWED, "it-is-in", plain_step=hand_steps.PaysOwedChips, is_available=_owes),
    PanelVerb(FIX(6), N.END_MOTION, "motion-done", plain_step=hand_steps.EndsMotion, is_available=_may_act),
    PanelVerb(CHIPS(0), N.SILENT_CHIPS, "chips-silent", amount_step=_declare("amount"), is_available=_may_act),
    PanelVerb(CHIPS(1), N.TAKE_BACK, "takes-back", amount_step=_take_back, is_available=_has_put_in),
    PanelVerb(CHIPS(2), N.MAKE_CHANGE, "change", amount_step=hand_steps.MakesChange),
    PanelVerb(
        CHIPS(5),
        N.COUNT_BET,
        "count-bet",
        plain_step=partial(observations.StartsPadCount, purpose="bet"),
        is_available=_has_pad,
    ),
    # the player and the stack
    PanelVerb(PLAYER(5), N.CALL_TIME, "calls-time", plain_step=_declare("time"), is_available=_may_act),
    PanelVerb(PLAYER(4), N.ADD_CHIPS, "adds", amount_step=table_steps.AddsChips, is_available=_open_stakes),
    PanelVerb(MORE(2), N.ADD_CASH, "plays-cash", amount_step=table_steps.AddsCash, is_available=_open_stakes),
    PanelVerb(MORE(3), N.PLAY_MARKER, "marker-given", amount_step=table_steps.GivesMarker, is_available=_open_stakes),
    PanelVerb(
        MORE(4),
        N.BORROW_CHIPS,
        "marker-lent",
        amount_step=table_steps.GivesMarker,
        seat_question="who-lends",
        is_available=_open_stakes,
    ),
    PanelVerb(CHIPS(3), N.SET_STACK, "stack-is", amount_step=table_steps.CountsStack),
    PanelVerb(CHIPS(3), N.STACK_UNKNOWN, "stack-lost", plain_step=partial(table_steps.CountsStack, amount=None)),
    PanelVerb(
        CHIPS(6),
        N.COUNT_STACK,
        "count-stack",
        plain_step=partial(observations.StartsPadCount, purpose="stack"),
        is_available=_has_pad,
    ),
)
"""Possible keys of a seat in the hand. If several keys fit a cell, the cell shows the first one."""
CORRECTION_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(CORRECTION(1), N.WAS_FOLD, "was-fold", plain_step=_really("fold"), is_available=_may_act),
    PanelVerb(CORRECTION(2), N.WAS_CHECK, "was-check", plain_step=_really("check"), is_available=_may_have_checked),
    PanelVerb(CORRECTION(3), N.WAS_CALL, "was-call", plain_step=_really("call")),
    PanelVerb(CORRECTION(4), N.WAS_RAISE, "was-raise", amount_step=_really("raise")),
    PanelVerb(CORRECTION(6), N.WAS_ALL_IN, "was-all-in", plain_step=_really("all-in")),
)
"""Keys that say what the last action of a seat really was. They are in the places of the same actions on ACTION."""
