"""The next hand as a bomb pot.

Source: table-scripts.md, `bomb`; house rules of cardrooms.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Game, require
from controller.table.between.dealt_in import game_of, place_of, would_play
from controller.table.between.starting import before_hand, begin, require_start
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Carried, Table
from controller.table.steps import StartsBomb


def starts_bomb(table: Table, step: StartsBomb, cautions: Cautions) -> Table:
    """The next hand starts on the flop: everybody who is there antes, also who owes a blind, and owes it still. Nobody
    posts a blind, a straddle or a kill; a kill that is owed waits."""
    require_start(table)
    game = game_of(table)
    require(rules.reject_bomb(game, step.amount))
    seats = {seat for seat, player in table.players.items() if would_play(game, player)}
    if len(seats) < 2:
        raise refused(Reason.TOO_FEW)
    carried = _carried(table, game, seats)
    began = rules.start_bomb(
        game,
        carried.placed.button,
        {seat: table.players[seat].stack for seat in sorted(seats)},
        frozenset(seat for seat in seats if table.players[seat].unknown),
        amount=step.amount,
    )
    before = before_hand(table)
    if game.bomb_button == "stays":
        before = before._replace(carried=table.carried)
    return begin(table, began, carried, before, cautions)


def _carried(table: Table, game: Game, seats: set[int]) -> Carried:
    """Where the button stands in the bomb pot, and what the hand after it follows from."""
    if game.bomb_button == "stays":
        return table.carried
    return table.carried._replace(placed=place_of(table, game, seats), redeal=None, fresh=False)
