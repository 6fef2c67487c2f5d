"""Who sits where: sitting down, leaving, absence, another seat; the next game; trays that are out.

Source: rulings.md, "Between hands" (table stakes: who leaves and returns); table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Player, require
from controller.table.between import markers, stays
from controller.table.between.dealt_in import game_of, would_play
from controller.table.between.seats import others_than, player_at, require_between_hands, with_player
from controller.table.between.tournament import level_begins
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.state import Gone, Streak, Table
from controller.table.steps import (
    ChangesSeat,
    ComesBack,
    GoesAway,
    Leaves,
    PlaysGame,
    Sits,
    TrayBack,
    TrayOut,
)

# --- between hands ---


def sits(table: Table, step: Sits, cautions: Cautions) -> Table:
    """A new player, one who comes back, or one from another table."""
    require_between_hands(table)
    if table.closed:
        raise refused(Reason.CLOSED)
    if step.seat in table.players:
        raise refused(Reason.SEAT_TAKEN, step.seat)
    if step.name and any(player.name == step.name for player in table.players.values()):
        raise refused(Reason.HAS_SEAT, name=step.name)
    if not step.transfer:
        _require_buy_in(table, step)
    table = with_player(table, step.seat, _newcomer(table, step))
    return stays.came(table, step.seat, step.name, step.amount)._replace(
        gone={name: who for name, who in table.gone.items() if name != step.name},
        markers=markers.after_return(table.markers, step.seat, step.name),
        places=tuple(sorted({*table.places, step.seat})),
    )


def _newcomer(table: Table, step: Sits) -> Player:
    """Who sits down: a new player, or one who pays the blinds of who has left the seat, as if nobody had.

    Source: Betting in poker, "When a player in the blinds leaves the game".
    """
    player = Player(name=step.name, stack=step.amount, new=True)
    if not step.in_stead:
        return player
    if step.seat not in table.vacated:
        raise refused(Reason.NOBODY_HAS_LEFT, step.seat)
    before = table.vacated[step.seat]
    return before._replace(
        name=player.name, stack=player.stack, unknown=False, away=False, short_winner=False, borrowed=False
    )


def _require_buy_in(table: Table, step: Sits) -> None:
    """Refuses a buy-in that the house does not take; who has left long enough ago need not bring back what was taken
    away."""
    game, before = table.games[table.game_name], table.gone.get(step.name)
    taken_away = before.stack if before else None
    waited = bool(before and game.return_minutes and table.minutes - before.at >= game.return_minutes)
    others = others_than(table, step.seat)
    require(rules.reject_buy_in(game, step.amount, taken_away, others, must_bring_back=not waited))


def leaves(table: Table, step: Leaves, cautions: Cautions) -> Table:
    """A player leaves for good with the whole stack."""
    require_between_hands(table)
    seat, player, carried = step.seat, player_at(table, step.seat), table.carried
    players = {other: who for other, who in table.players.items() if other != seat}
    gone = table.gone
    if player.name and not player.unknown:
        gone = {**gone, player.name: Gone(player.stack, table.minutes)}
    carried = carried._replace(
        killer=0 if carried.killer == seat else carried.killer,
        streak=Streak() if carried.streak.seat == seat else carried.streak,
    )
    return stays.went(table, seat, player.stack)._replace(
        players=players,
        gone=gone,
        vacated={seat: player, **table.vacated},
        markers=markers.after_leaving(table.markers, seat, player.name),
        carried=carried,
    )


def goes_away(table: Table, step: GoesAway, cautions: Cautions) -> Table:
    """A player is absent."""
    require_between_hands(table)
    player = player_at(table, step.seat)
    if player.away:
        raise refused(Reason.AWAY_ALREADY, step.seat)
    return with_player(table, step.seat, player._replace(away=True))


def comes_back(table: Table, step: ComesBack, cautions: Cautions) -> Table:
    """A player is present again."""
    require_between_hands(table)
    player = player_at(table, step.seat)
    if not player.away:
        raise refused(Reason.NOT_AWAY, step.seat)
    return with_player(table, step.seat, player._replace(away=False))


def changes_seat(table: Table, step: ChangesSeat, cautions: Cautions) -> Table:
    """A player changes seats with stack and what it owes."""
    require_between_hands(table)
    player, carried = player_at(table, step.seat), table.carried
    if step.to in table.players:
        raise refused(Reason.SEAT_TAKEN, step.to)
    players = {seat: other for seat, other in table.players.items() if seat != step.seat}
    others = [seat for seat, other in players.items() if would_play(game_of(table), other)]
    waits = rules.hands_to_wait(game_of(table), others, carried.last, step.seat, step.to)
    players[step.to] = player if player.new else player._replace(waits=max(0, player.waits + waits))
    carried = carried._replace(
        rock=step.to if carried.rock == step.seat else carried.rock,
        killer=step.to if carried.killer == step.seat else carried.killer,
        streak=carried.streak._replace(seat=step.to) if carried.streak.seat == step.seat else carried.streak,
    )
    return stays.moved(table, step.seat, step.to)._replace(
        players=players,
        markers=markers.after_move(table.markers, step.seat, step.to),
        places=tuple(sorted({*table.places, step.to})),
        carried=carried,
    )


def plays_game(table: Table, step: PlaysGame, cautions: Cautions) -> Table:
    """The next hand is of another game: the next one of a mix, or the next level."""
    if step.name not in table.games:
        raise refused(Reason.NO_SUCH_GAME, name=step.name)
    table = table._replace(level_since=level_begins(table, step.name))
    if table.playing:
        return table._replace(next_game="" if step.name == table.game_name else step.name)
    return table._replace(game_name=step.name)


# --- trays ---


def tray_back(table: Table, step: TrayBack, cautions: Cautions) -> Table:
    """A seat's tray is back."""
    if step.seat not in table.offline:
        raise refused(Reason.TRAY_NOT_OUT, step.seat)
    return table._replace(offline=table.offline - {step.seat})


def tray_out(table: Table, step: TrayOut, cautions: Cautions) -> Table:
    """A seat's tray is out."""
    if step.seat in table.offline:
        raise refused(Reason.TRAY_OUT_ALREADY, step.seat)
    cautions.append(Warned(Caution.TRAY_OFFLINE, step.seat))
    return table._replace(offline=table.offline | {step.seat})
