"""Players: sitting down, leaving, absence and change of seat.

This module also sets the next game and records which seat sensors are offline. Source: rulings.md, "Between hands"
(table stakes: who leaves and returns); table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Player, raise_if_refused
from controller.steps import (
    table_steps,
)
from controller.table.between_hands import credit_markers, seat_sessions
from controller.table.between_hands.next_hand_seats import enters_free, is_willing_to_play, next_game
from controller.table.between_hands.player_lookup import other_players, player_at, require_between_hands, with_player
from controller.table.between_hands.tournament import level_start_minute
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import DepartedPlayer, Table, WinStreak

# --- between hands ---


def handle_sit_down(table: Table, step: table_steps.SitsDown, warnings: SeatWarnings) -> Table:
    """Seat a player who is new, returns, or comes from another table."""
    require_between_hands(table)
    if table.is_closed:
        raise refusal_error(TableRefusal.CLOSED)
    if step.seat in table.players:
        raise refusal_error(TableRefusal.SEAT_TAKEN, step.seat)
    _require_absent(table, step.name)
    if not step.is_transfer:
        _require_buy_in(table, step)
    table = with_player(table, step.seat, _new_player(table, step))
    table = seat_sessions.record_sit_down(table, step.seat, step.name, step.amount)
    return _with_known_player(table, step.seat, step.name)._replace(
        known_seats=tuple(sorted({*table.known_seats, step.seat}))
    )


def handle_correct_name(table: Table, step: table_steps.CorrectsName, warnings: SeatWarnings) -> Table:
    """Give a seated player another name, also during a hand.

    If a player of this name has left, it is the same player, who gets back the debts and the account of that time.
    Warn if this player has bought fewer chips since the return than were taken away. The step is not refused, because
    the chips are already in play.
    """
    player = player_at(table, step.seat)
    _require_absent(table, step.name)
    if seat_sessions.bought_in(table, step.seat) < _required_return(table, step.name):
        warnings.append(SeatWarning(WarningCode.GOING_SOUTH, step.seat))
    table = with_player(table, step.seat, player._replace(name=step.name))
    return _with_known_player(seat_sessions.record_name(table, step.seat, step.name), step.seat, step.name)


def _require_absent(table: Table, name: str) -> None:
    """Refuse a name that a seated player already has."""
    if name and any(player.name == name for player in table.players.values()):
        raise refusal_error(TableRefusal.ALREADY_SEATED, name=name)


def _with_known_player(table: Table, seat: int, name: str) -> Table:
    """Return the table if the player with this name is no longer away from it, but at the seat with the old debts."""
    departed_players = {other: player for other, player in table.departed_players.items() if other != name}
    markers = credit_markers.markers_after_return(table.markers, seat, name)
    return table._replace(departed_players=departed_players, markers=markers)


def _new_player(table: Table, step: table_steps.SitsDown) -> Player:
    """Return the player who sits down.

    A player who takes over the seat's blinds also takes over the debts of the player who left the seat. Source: Betting
    in poker, "When a player in the blinds leaves the game".
    """
    player = Player(name=step.name, stack=step.amount, is_new=True)
    if not step.takes_over_blinds:
        return player
    if step.seat not in table.vacated_seats:
        raise refusal_error(TableRefusal.SEAT_NOT_VACATED, step.seat)
    departed_player = table.vacated_seats[step.seat]
    return departed_player._replace(
        name=player.name,
        stack=player.stack,
        stack_unknown=False,
        is_away=False,
        won_short_all_in=False,
        has_borrowed=False,
    )


def _require_buy_in(table: Table, step: table_steps.SitsDown) -> None:
    """Refuse a buy-in outside the limits of the house, or with fewer chips than a returning player took away."""
    departed_player, required = table.departed_players.get(step.name), _required_return(table, step.name)
    refusal = rules.buy_ins.reject_buy_in(
        table.games[table.game_name],
        step.amount,
        departed_player.stack if departed_player else None,
        other_players(table, step.seat),
        must_bring_back=required > 0,
    )
    raise_if_refused(refusal and refusal._replace(seat=step.seat))


def _required_return(table: Table, name: str) -> int:
    """Return the chips that the player with this name must bring back.

    Return 0 if no such player has left, or if the waiting time of the house has passed.
    """
    game, departed_player = table.games[table.game_name], table.departed_players.get(name)
    if departed_player is None:
        return 0
    minutes_away = table.elapsed_minutes - departed_player.left_at_minute
    return 0 if game.return_minutes and minutes_away >= game.return_minutes else departed_player.stack


def handle_leave(table: Table, step: table_steps.LeavesTable, warnings: SeatWarnings) -> Table:
    """Cash out a player who leaves the table."""
    require_between_hands(table)
    seat, player, carry_over = step.seat, player_at(table, step.seat), table.carry_over
    players = {other: other_player for other, other_player in table.players.items() if other != seat}
    departed_players = table.departed_players
    if player.name and not player.stack_unknown:
        departed_players = {**departed_players, player.name: DepartedPlayer(player.stack, table.elapsed_minutes)}
    carry_over = carry_over._replace(
        kill_seat=0 if carry_over.kill_seat == seat else carry_over.kill_seat,
        win_streak=WinStreak() if carry_over.win_streak.seat == seat else carry_over.win_streak,
    )
    return seat_sessions.record_cash_out(table, seat, player.stack)._replace(
        players=players,
        departed_players=departed_players,
        vacated_seats={seat: player, **table.vacated_seats},
        markers=credit_markers.markers_after_leaving(table.markers, seat, player.name),
        unnamed_debts=credit_markers.unnamed_debts_after_leaving(table, seat, player.name),
        carry_over=carry_over,
    )


def handle_go_away(table: Table, step: table_steps.GoesAway, warnings: SeatWarnings) -> Table:
    """Mark a player as absent."""
    require_between_hands(table)
    player = player_at(table, step.seat)
    if player.is_away:
        raise refusal_error(TableRefusal.AWAY_ALREADY, step.seat)
    return with_player(table, step.seat, player._replace(is_away=True))


def handle_come_back(table: Table, step: table_steps.ComesBack, warnings: SeatWarnings) -> Table:
    """Mark a player as present again."""
    require_between_hands(table)
    player = player_at(table, step.seat)
    if not player.is_away:
        raise refusal_error(TableRefusal.NOT_AWAY, step.seat)
    return with_player(table, step.seat, player._replace(is_away=False))


def handle_change_seat(table: Table, step: table_steps.ChangesSeat, warnings: SeatWarnings) -> Table:
    """Move a player to another seat with stack and debts."""
    require_between_hands(table)
    player, carry_over = player_at(table, step.seat), table.carry_over
    if step.new_seat in table.players:
        raise refusal_error(TableRefusal.SEAT_TAKEN, step.new_seat)
    players = {seat: other for seat, other in table.players.items() if seat != step.seat}
    others = [seat for seat, other in players.items() if is_willing_to_play(next_game(table), other)]
    hands_to_wait = rules.missed_blinds.hands_to_sit_out(
        next_game(table), others, carry_over.previous_placement, step.seat, step.new_seat
    )
    hands_to_wait = 0 if enters_free(table, step.new_seat) else hands_to_wait
    players[step.new_seat] = (
        player if player.is_new else player._replace(hands_to_sit_out=max(0, player.hands_to_sit_out + hands_to_wait))
    )
    carry_over = carry_over._replace(
        rock_seat=step.new_seat if carry_over.rock_seat == step.seat else carry_over.rock_seat,
        kill_seat=step.new_seat if carry_over.kill_seat == step.seat else carry_over.kill_seat,
        win_streak=carry_over.win_streak._replace(seat=step.new_seat)
        if carry_over.win_streak.seat == step.seat
        else carry_over.win_streak,
    )
    return seat_sessions.record_seat_change(table, step.seat, step.new_seat)._replace(
        players=players,
        markers=credit_markers.markers_after_move(table.markers, step.seat, step.new_seat),
        known_seats=tuple(sorted({*table.known_seats, step.new_seat})),
        carry_over=carry_over,
    )


def handle_change_game(table: Table, step: table_steps.ChangesGame, warnings: SeatWarnings) -> Table:
    """Choose the game of the next hand: another game of the mix, or the next level of a tournament."""
    if step.name not in table.games:
        raise refusal_error(TableRefusal.NO_SUCH_GAME, name=step.name)
    table = table._replace(level_start_minute=level_start_minute(table, step.name))
    if table.is_hand_in_progress:
        return table._replace(next_game="" if step.name == table.game_name else step.name)
    return table._replace(game_name=step.name)


# --- seat sensors ---


def handle_seat_sensor_online(table: Table, step: table_steps.RecordSeatSensorOnline, warnings: SeatWarnings) -> Table:
    """Record that a seat sensor is online again."""
    if step.seat not in table.offline_seat_sensors:
        raise refusal_error(TableRefusal.SEAT_SENSOR_NOT_OFFLINE, step.seat)
    return table._replace(offline_seat_sensors=table.offline_seat_sensors - {step.seat})


def handle_seat_sensor_offline(
    table: Table, step: table_steps.RecordSeatSensorOffline, warnings: SeatWarnings
) -> Table:
    """Record that a seat sensor is offline."""
    if step.seat in table.offline_seat_sensors:
        raise refusal_error(TableRefusal.SEAT_SENSOR_OFFLINE_ALREADY, step.seat)
    warnings.append(SeatWarning(WarningCode.SEAT_SENSOR_OFFLINE, step.seat))
    return table._replace(offline_seat_sensors=table.offline_seat_sensors | {step.seat})
