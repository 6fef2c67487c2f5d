"""Which table of verbs a panel shows, and what the view offers for its seat beside them."""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state.keys import Key, offered_to, seat_view
from ui.state.modes import Naming, SeatPanel, TablePanel
from ui.state.pages.keyboard import typing
from ui.state.targets import NamedKey
from ui.state.typed import amount_of
from ui.state.verbs.cells import CELLS, Given, Verb, panel
from ui.state.verbs.in_hand import IN_HAND
from ui.state.verbs.of_player import BETWEEN, OF_PLAYER
from ui.state.verbs.of_table import OF_TABLE

NOT_IN_HAND: Final = frozenset({"empty", "away", "out"})
NAME_CELL: Final = 0


def seat_keys(mode: SeatPanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """The keys of a seat, each with its cell. What the view offers for the seat (a post, a straddle) takes the last
    cells, and goes before the verbs that stand there."""
    seat = seat_view(view, mode.seat) or SeatView(seat=mode.seat)
    between = view.phase in BETWEEN
    of_player = between or seat.status in NOT_IN_HAND
    verbs: tuple[Verb, ...] = OF_PLAYER if of_player else IN_HAND
    given = Given(mode.seat, amount_of(mode.typed, view.money), mode.name)
    keys = dict(panel(verbs, view, seat, given))
    if between and seat.status == "empty":
        name = Naming("name-of-seat", typing(mode.name), back=mode)
        keys[NAME_CELL] = Key(NamedKey.NAME, "types-name", opens=name)
    if given.amount is None:
        for cell, key in enumerate(offered_to(view, mode.seat), start=CELLS - len(offered_to(view, mode.seat))):
            keys[cell] = key
    return tuple(sorted(keys.items()))


def table_keys(mode: TablePanel, view: TableView) -> tuple[tuple[int, Key], ...]:
    """The keys of the table, each with its cell."""
    given = Given(None, amount_of(mode.typed, view.money))
    return panel(OF_TABLE, view, SeatView(seat=0), given)
