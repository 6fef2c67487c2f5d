"""Who is dealt into the next hand, and where button and blinds stand in it.

Source: rulings.md, "Between hands"; Robert's Rules of Poker, section 4 (rules for using blinds).
"""

from __future__ import annotations

from controller import rules
from controller.rules import SEATS, Game, Placement, Player, Seating, clockwise, strictly_between
from controller.table.codes import Reason, refused
from controller.table.state import Table


def game_of(table: Table) -> Game:
    """The game of the next hand."""
    return table.games[table.game_name]


def would_play(game: Game, player: Player) -> bool:
    """True for a player who can be dealt in, whatever it owes."""
    return rules.can_play(game, player) and (not player.away or game.absent == "dealt-in")


def killer_of(table: Table, game: Game) -> int:
    """Who posts the kill blind in the next hand: one who is away posts all the same, one who has left or has nothing
    does not. Source: Robert's Rules 13.6 and 13.11 (kill pots)."""
    seat = table.carried.killer
    player = table.players.get(seat)
    return seat if game.kill and game.big_blind and player and rules.can_play(game, player) else 0


def next_seats(table: Table, game: Game) -> tuple[Placement, tuple[int, ...]]:
    """Where button and blinds stand in the next hand, and who is dealt in. Refuses with fewer than two players.

    A seat that owes a post is dealt in where the big blind reaches it, or where it owes an ante for all and pays one
    now; one too short for the big blind sits out. Where nobody but newcomers is left, the game begins anew and nobody
    has to post.
    """
    willing = {seat for seat, player in table.players.items() if would_play(game, player)}
    willing |= {seat for seat in (killer_of(table, game),) if seat}
    while len(willing) > 1:
        seats = _dealt_in(table, game, willing)
        placed = place_of(table, game, seats)
        big = placed.big_blind
        short = table.players[big].stack < game.min_blind_chips if big else False
        if not short or table.players[big].unknown:
            return placed, tuple(sorted(seats))
        willing.discard(big)
    raise refused(Reason.TOO_FEW)


def _dealt_in(table: Table, game: Game, willing: set[int]) -> set[int]:
    seats = {seat for seat in willing if rules.may_be_dealt_in(game, table.players[seat])}
    seats = _without_those_between(table, game, seats)
    seats |= {seat for seat in (killer_of(table, game),) if seat in willing}
    for seat in clockwise(willing - seats, table.carried.last.big_place):
        placed = place_of(table, game, seats | {seat})
        if placed.big_blind == seat:  # with it, others may be between the button and the big blind
            with_seat = _without_those_between(table, game, seats | {seat})
            if place_of(table, game, with_seat).big_blind == seat:
                return with_seat
        if _antes_for_all(game, table.players[seat], placed, seat):
            seats = seats | {seat}
    return seats if len(seats) > 1 else set(willing)


def _without_those_between(table: Table, game: Game, seats: set[int]) -> set[int]:
    """The seats less those of new and returning players between the button and the big blind, who wait until the
    button has passed. Nobody waits in the first hand of a table, nor where all are new. Source: Robert's Rules 4.8."""
    if game.between_blinds == "deal" or (table.carried.fresh and not table.hands):
        return seats
    entering = {seat for seat in seats if rules.enters(table.players[seat])}
    if entering == seats:
        return seats
    while entering and len(seats) > 1:
        placed = place_of(table, game, seats)
        big = placed.big_blind
        waiting = {seat for seat in entering if big and strictly_between(placed.button, seat, big)}
        if not waiting:
            break
        seats, entering = seats - waiting, entering - waiting
    return seats


def _antes_for_all(game: Game, player: Player, placed: Placement, seat: int) -> bool:
    """True for a seat that owes nothing but an ante for all and is the one that pays it in this hand."""
    owes_a_blind = player.new or player.big_owed or player.small_owed or player.waits
    return bool(game.ante and player.ante_owed and not owes_a_blind and placed.ante_place(game) == seat)


def place_of(table: Table, game: Game, seats: set[int]) -> Placement:
    """Where button and blinds stand in the next hand, with these seats dealt in."""
    carried, ordered = table.carried, tuple(sorted(seats))
    if len(ordered) < 2:
        return Placement(carried.placed.button)
    if carried.fresh:
        return rules.first_placement(game, carried.placed.button, ordered)
    if game.kind.by_board or (not any(game.blinds) and len(table.games) > 1):
        return carried.placed.without_blinds()
    present = {seat for seat, player in table.players.items() if rules.can_play(game, player) and not player.new}
    seating = Seating(ordered, frozenset(present - seats), table.places)
    placed = rules.next_placement(game, carried.last, seating)
    stays = carried.placed.button
    redeal = carried.redeal if carried.redeal and carried.redeal.button != stays else None  # a void hand moved it
    if redeal and placed.button != stays in seats:  # somebody sat down in front of the void hand's button
        placed = rules.next_placement(game, redeal._replace(button=(stays - 1) or SEATS), seating)
    return placed
