"""The keys of the table: what is rarer than dealing and giving pots, and what the floor decides of the whole hand."""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state import sending
from ui.state.targets import NamedKey
from ui.state.verbs.cells import Verb


def _is_betting(view: TableView, seat: SeatView) -> bool:
    return view.phase == "betting"


def _is_playing(view: TableView, seat: SeatView) -> bool:
    return view.phase in ("betting", "closed")


def _is_between(view: TableView, seat: SeatView) -> bool:
    return view.phase in ("idle", "over")


def _somebody_owes(view: TableView, seat: SeatView) -> bool:
    return any(one.owes for one in view.seats)


def _is_held(view: TableView, seat: SeatView) -> bool:
    return view.hold == "hand-for-hand"


N: Final = NamedKey
OF_TABLE: Final[tuple[Verb, ...]] = (
    Verb(0, N.CLOSING, "deal-closing", plain=sending.deal_closing, when=_is_betting, tone="main"),
    Verb(0, N.BOMB, "bomb-pot", amount=sending.bomb, when=_is_between),
    Verb(1, N.ALL_IS_IN, "all-is-in", plain=sending.all_is_in, when=_somebody_owes, tone="main"),
    Verb(3, N.VOID, "misdeal", plain=sending.void, sure="misdeal-sure", when=_is_playing),
    Verb(4, N.SKIP, "skips", plain=sending.skip, sure="skips-sure", when=_is_playing),
    Verb(5, N.DROP, "drops", amount=sending.drop, when=_is_playing),
    Verb(6, N.KITTY, "to-kitty", amount=sending.kitty, when=_is_playing),
    # what the floor decides
    Verb(9, N.FLOOR_POT, "floor-pot", amount=sending.floor_pot, when=_is_playing, tone="floor"),
    Verb(10, N.BUTTON, "floor-button", plain=sending.floor_button, picks="where-button", tone="floor"),
    Verb(12, N.HOLD, "floor-hold", plain=sending.floor_hold, tone="floor"),
    Verb(13, N.GO, "floor-go", plain=sending.floor_go, when=_is_held, tone="floor"),
    Verb(14, N.GO_ON, "floor-go-on", plain=sending.floor_go_on, when=_is_held, tone="floor"),
)
"""By cell; of those that share one the first that suits."""
