"""The next hand: where button and blinds stand, who is dealt in.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import SEATS, Game, Placement, Player, Seating, clockwise
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Before, Street, Table
from controller.table.steps import StartsHand
from controller.table.turns import carry_on


def starts_hand(table: Table, step: StartsHand, cautions: Cautions) -> Table:
    """The next hand starts: the button moves, antes and blinds are posted."""
    if table.playing:
        raise refused(Reason.POTS_NOT_GIVEN)
    game, carried = table.games[table.game_name], table.carried
    placed, seats = _place(table, game)
    players = dict(table.players)
    if not carried.fresh:
        sit_out = frozenset(seat for seat, player in players.items() if seat not in seats and not player.new)
        players = rules.missed_blinds(game, players, carried.last, placed, table.places, sit_out)
    for seat in seats:
        players[seat] = players[seat]._replace(new=False, big_owed=0, small_owed=0, borrowed=False)
    began = rules.start_hand(
        game,
        placed,
        {seat: players[seat].stack for seat in seats},
        frozenset(seat for seat in seats if players[seat].unknown),
        rock=carried.rock,
        killer=carried.killer,
    )
    table = table._replace(
        hands=table.hands + 1,
        players=players,
        carried=carried._replace(placed=placed, redeal=None, fresh=False, killer=0),
        street=Street(felt=began.bets),
        before=Before(carried._replace(placed=carried.last), table.players),
    )
    return carry_on(table, began, cautions)


def _place(table: Table, game: Game) -> tuple[Placement, tuple[int, ...]]:
    """Where button and blinds stand in the next hand, and who is dealt in. Refuses with fewer than two players.

    A seat that owes a post is dealt in where the big blind reaches it; one too short for the big blind sits out. Where
    nobody but newcomers is left, the game begins anew and nobody has to post.
    """
    willing = {seat for seat, player in table.players.items() if _would_play(game, player)}
    while len(willing) > 1:
        seats = _dealt_in(table, game, willing)
        placed = _placed(table, game, seats)
        big = placed.big_place if placed.blinds else 0
        short = table.players[big].stack < game.min_blind_chips if big else False
        if not short or table.players[big].unknown:
            return placed, tuple(sorted(seats))
        willing.discard(big)
    raise refused(Reason.TOO_FEW)


def _dealt_in(table: Table, game: Game, willing: set[int]) -> set[int]:
    seats = {seat for seat in willing if rules.may_be_dealt_in(game, table.players[seat])}
    for seat in clockwise(willing - seats, table.carried.last.big_place):
        with_seat = _placed(table, game, seats | {seat})
        if with_seat.blinds and with_seat.big_place == seat:
            return seats | {seat}
    return seats if len(seats) > 1 else set(willing)


def _would_play(game: Game, player: Player) -> bool:
    return not player.broke and (not player.away or game.absent == "dealt-in")


def _placed(table: Table, game: Game, seats: set[int]) -> Placement:
    carried, ordered = table.carried, tuple(sorted(seats))
    if len(ordered) < 2:
        return Placement(carried.placed.button)
    if carried.fresh:
        return rules.first_placement(game, carried.placed.button, ordered)
    if game.kind.by_board or (not any(game.blinds) and len(table.games) > 1):
        return carried.placed._replace(blinds=())
    away = frozenset(seat for seat, player in table.players.items() if not player.broke) - seats
    seating = Seating(ordered, away, table.places)
    placed = rules.next_placement(game, carried.last, seating)
    stays = carried.placed.button
    if carried.redeal and placed.button != stays in seats:  # somebody sat down in front of the void hand's button
        placed = rules.next_placement(game, carried.redeal._replace(button=(stays - 1) or SEATS), seating)
    return placed
