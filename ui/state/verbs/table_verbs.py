"""The keys of the menu, for rare steps of the dealer, and the keys for decisions of the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from controller.steps import Step, hand_steps, table_steps
from controller.view import SeatView, TableView
from ui.state.main_keys import STILL_IN_ROUND
from ui.state.touch_targets import NamedKey
from ui.state.verbs.panel_cells import PanelVerb


def _is_betting(view: TableView, seat: SeatView) -> bool:
    return view.phase == "betting"


def _is_playing(view: TableView, seat: SeatView) -> bool:
    return view.phase in ("betting", "closed")


def _is_between(view: TableView, seat: SeatView) -> bool:
    return view.phase in ("idle", "over")


def _is_open(view: TableView, seat: SeatView) -> bool:
    return not view.is_closed


def _somebody_owes(view: TableView, seat: SeatView) -> bool:
    return any(other.chips_owed for other in view.seats)


def _is_hand_for_hand(view: TableView, seat: SeatView) -> bool:
    return view.hold == "hand-for-hand"


def _is_held(view: TableView, seat: SeatView) -> bool:
    return seat.held_action is not None


def _may_act(view: TableView, seat: SeatView) -> bool:
    return seat.status in STILL_IN_ROUND


def _is_live(view: TableView, seat: SeatView) -> bool:
    return _may_act(view, seat) or seat.status == "all-in"


def _seat_last(step: Callable[..., Step]) -> Callable[[int, int], Step]:
    """Return a function that builds the step from an amount and the seat that the dealer touches after it."""
    return lambda amount, seat: step(seat, amount)


def _is_not_held(view: TableView, seat: SeatView) -> bool:
    return not _is_hand_for_hand(view, seat)


N: Final = NamedKey
TABLE_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(0, N.ALL_PAY_OWED, "all-is-in", plain_step=hand_steps.AllPayOwedChips, is_available=_somebody_owes),
    PanelVerb(
        0,
        N.DEAL_CLOSING,
        "deal-closing",
        plain_step=partial(hand_steps.DealsStreet, closes_betting=True),
        is_available=_is_betting,
        tone="main",
    ),
    PanelVerb(0, N.BOMB_POT, "bomb-pot", amount_step=hand_steps.StartsBombPot, is_available=_is_between),
    PanelVerb(
        3,
        N.MISDEAL,
        "misdeal",
        plain_step=hand_steps.VoidsHand,
        confirmation="misdeal-sure",
        is_available=_is_playing,
    ),
    PanelVerb(
        4, N.SKIP_HAND, "skips", plain_step=hand_steps.SkipsHand, confirmation="skips-sure", is_available=_is_playing
    ),
    PanelVerb(5, N.TAKE_DROP, "drops", amount_step=hand_steps.TakesDrop, is_available=_is_playing),
    PanelVerb(6, N.TAKE_KITTY, "to-kitty", amount_step=hand_steps.TakesKitty, is_available=_is_playing),
    # promotions
    PanelVerb(
        4,
        N.BOUNTY,
        "bounty",
        amount_step=_seat_last(table_steps.PaysBounty),
        seat_question="who-is-paid",
        is_available=_is_between,
    ),
    PanelVerb(
        5,
        N.FROM_EACH,
        "from-each",
        amount_step=_seat_last(table_steps.CollectsFromEach),
        seat_question="who-is-paid",
        is_available=_is_between,
    ),
    PanelVerb(
        6,
        N.TO_EACH,
        "to-each",
        amount_step=_seat_last(table_steps.PaysEach),
        seat_question="who-pays",
        is_available=_is_between,
    ),
    # chips between the cage and the dealer's tray
    PanelVerb(
        8, N.FILL, "fill", amount_step=table_steps.FillsTray, is_available=_is_open, detail="fill-from", tone="floor"
    ),
    PanelVerb(9, N.CREDIT, "credit", amount_step=table_steps.CreditsTray, detail="credit-to", tone="floor"),
    PanelVerb(10, N.SPLASH_POT, "splash", amount_step=hand_steps.SplashesPot, is_available=_is_playing),
)
"""Possible keys of the menu. If several keys fit a cell, the cell shows the first one."""
FLOOR_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(
        0,
        N.FLOOR_END_HOLD,
        "floor-go-on",
        plain_step=partial(table_steps.FloorAllowsHand, ends_hold=True),
        is_available=_is_hand_for_hand,
        tone="floor",
    ),
    PanelVerb(
        8, N.FLOOR_POT, "floor-pot", amount_step=table_steps.FloorCountsPot, is_available=_is_playing, tone="floor"
    ),
    PanelVerb(
        10,
        N.FLOOR_HOLD_HANDS,
        "floor-hold",
        plain_step=table_steps.FloorHoldsHands,
        is_available=_is_not_held,
        tone="floor",
    ),
    PanelVerb(
        10,
        N.FLOOR_ALLOW_HAND,
        "floor-go",
        plain_step=table_steps.FloorAllowsHand,
        is_available=_is_hand_for_hand,
        tone="floor",
    ),
)
"""Possible keys for decisions of the floor about the table."""
FLOOR_SEAT_VERBS: Final[tuple[PanelVerb, ...]] = (
    PanelVerb(
        3, N.FLOOR_BIND, "floor-binds", plain_step=table_steps.FloorBindsAction, is_available=_is_held, tone="floor"
    ),
    PanelVerb(
        4,
        N.FLOOR_RELEASE,
        "floor-releases",
        plain_step=table_steps.FloorReleasesAction,
        is_available=_is_held,
        tone="floor",
    ),
    PanelVerb(
        5, N.FLOOR_TURN, "floor-turn", plain_step=table_steps.FloorGivesTurn, is_available=_may_act, tone="floor"
    ),
    PanelVerb(
        6, N.FLOOR_KILL_HAND, "floor-dead", plain_step=table_steps.FloorKillsHand, is_available=_may_act, tone="floor"
    ),
    PanelVerb(7, N.FLOOR_BET, "floor-bet", amount_step=table_steps.FloorSetsBet, is_available=_is_live, tone="floor"),
    PanelVerb(9, N.FLOOR_BUTTON, "floor-button", plain_step=table_steps.FloorPlacesButton, tone="floor"),
)
"""Possible keys for decisions of the floor about a seat."""


def ask_for_seat(verb: PanelVerb) -> PanelVerb:
    """Return the key for a decision about a seat that is not selected yet. The dealer touches the seat after the key.

    The key is available if it is available for any seat.
    """
    return replace(
        verb,
        amount_step=_seat_last(verb.amount_step) if verb.amount_step is not None else None,
        seat_question="which-seat",
        is_available=lambda view, _: any(verb.is_available(view, seat) for seat in view.seats),
    )
