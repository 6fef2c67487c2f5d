"""Opening and closing of the table, changes of the dealer, and chips from and to the cage.

A closed table has no players, because all of them left with their chips. Until the table opens again,
`Table.seat_sessions` and the accounts show where all chips went.

A fill brings chips of the cage to the dealer's tray, and a credit takes chips of the tray to the cage. No player owns
these chips, so that stacks, pots and accounts do not change. The floor enters both steps, because a house wants two
people at each exchange: the dealer of the session, and the floor with the badge in the record.

Source: design.md, "Chips are conserved"; table-scripts.md, `open`, `close`, `fill`, `credit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller import rules
from controller.steps import (
    table_steps,
)
from controller.table.between_hands.player_lookup import require_between_hands
from controller.table.between_hands.players import handle_leave
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import Accounts, CageTransfers, DealerSession, HandCarryOver, Table


def handle_close_table(table: Table, step: table_steps.ClosesTable, warnings: SeatWarnings) -> Table:
    """Cash out all players and close the table. Refuse the step if a stack is unknown."""
    require_between_hands(table)
    if table.is_closed:
        raise refusal_error(TableRefusal.CLOSED_ALREADY)
    for seat, player in sorted(table.players.items()):
        if player.stack_unknown:
            raise refusal_error(TableRefusal.STACK_UNKNOWN, seat)
    for seat in sorted(table.players):
        table = handle_leave(table, table_steps.LeavesTable(seat), warnings)
    return table._replace(is_closed=True)


def handle_open_table(table: Table, step: table_steps.OpensTable, warnings: SeatWarnings) -> Table:
    """Open a closed table with empty accounts. The button and unpaid markers do not change."""
    if not table.is_closed:
        raise refusal_error(TableRefusal.OPEN_ALREADY)
    game_name = table.levels[0].name if table.levels else table.mix[0] if table.mix else table.game_name
    rock = table.games[game_name].rock
    return table._replace(
        is_closed=False,
        carry_over=HandCarryOver(rules.Placement(table.button), rock_seat=rock),
        game_name=game_name,
        hand=None,
        hands_started=0,
        pre_hand_state=None,
        accounts=Accounts(),
        cage_transfers=CageTransfers(),
        bought_in_total=0,
        seat_sessions=(),
        dealer_sessions=(DealerSession(table.dealer),),
        departed_players={},
        vacated_seats={},
        level_start_minute=None,
        hand_for_hand="",
    )


def handle_change_dealer(table: Table, step: table_steps.ChangesDealer, warnings: SeatWarnings) -> Table:
    """Start the session of a new dealer."""
    if step.name == table.dealer:
        raise refusal_error(TableRefusal.ALREADY_DEALING, name=step.name)
    return table._replace(dealer_sessions=(*table.dealer_sessions, _session_from_now(table, step.name)))


def _session_from_now(table: Table, name: str) -> DealerSession:
    return DealerSession(name, table.hands_started, table.accounts, table.cage_transfers)


def handle_fill(table: Table, step: table_steps.FillsTray, warnings: SeatWarnings) -> Table:
    """Note a fill. Refuse the step at a closed table, because opening the table starts the totals again."""
    if table.is_closed:
        raise refusal_error(TableRefusal.CLOSED)
    transfers = table.cage_transfers
    return table._replace(cage_transfers=transfers._replace(fills=transfers.fills + step.amount))


def handle_credit(table: Table, step: table_steps.CreditsTray, warnings: SeatWarnings) -> Table:
    """Note a credit. At a closed table, the chips that are left go to the cage."""
    transfers = table.cage_transfers
    return table._replace(cage_transfers=transfers._replace(credits=transfers.credits + step.amount))


def dealer_shifts(table: Table) -> tuple[DealerSession, ...]:
    """Return the session of each dealer since the table was opened, with the current dealer last.

    Each session has the number of hands started during the session, and the chips that each account gained or that
    moved from or to the cage. The time before the first dealer is left out if nothing of this happened in it.
    """
    session_ends = (*table.dealer_sessions[1:], _session_from_now(table, ""))
    shifts = [
        _changes_during_session(start, end) for start, end in zip(table.dealer_sessions, session_ends, strict=True)
    ]
    return tuple(
        [shift for shift in shifts if shift.name or shift.hands or any(shift.accounts) or any(shift.cage_transfers)]
    )


def _changes_during_session(start: DealerSession, end: DealerSession) -> DealerSession:
    """Return the numbers of hands and chips that were added to a dealer's session between `start` and `end`."""
    return DealerSession(
        start.name,
        end.hands - start.hands,
        Accounts(*_differences(end.accounts, start.accounts)),
        CageTransfers(*_differences(end.cage_transfers, start.cage_transfers)),
    )


def _differences(end: Iterable[int], start: Iterable[int]) -> Iterator[int]:
    return (end_amount - start_amount for end_amount, start_amount in zip(end, start, strict=True))


# --- another configuration ---


def with_configuration(table: Table, configured: Table) -> Table:
    """Return a table between hands with the games, the mix and the levels of a configured table.

    The game that is chosen now stays if the configuration still has it. Of a level that is gone, the level at the same
    place takes its place. Steps that were taken back can no longer be repeated, because they belong to the old games.

    Example: level 3 is played, and the new file has other blinds for it. The next hand has these blinds, and the time
    of the level goes on.
    """
    changed = _with_games(table, configured)
    undo_stack = tuple(
        entry._replace(table_before=_with_games(entry.table_before, configured)) for entry in table.undo_stack
    )
    return changed._replace(undo_stack=undo_stack, redo_stack=())


def _with_games(table: Table, configured: Table) -> Table:
    game_name = _chosen_game(table, configured)
    rock_before, rock = table.games[table.game_name].rock, configured.games[game_name].rock
    carry_over = table.carry_over
    if bool(rock_before) != bool(rock):
        carry_over = carry_over._replace(rock_seat=rock)
    return table._replace(
        games=configured.games,
        mix=configured.mix,
        levels=configured.levels,
        game_name=game_name,
        next_game=table.next_game if table.next_game in configured.games else "",
        level_start_minute=table.level_start_minute if configured.levels else None,
        carry_over=carry_over,
    )


def _chosen_game(table: Table, configured: Table) -> str:
    """Return the name of the game to play with another configuration."""
    level_names = [level.name for level in configured.levels]
    if table.game_name in (level_names or configured.mix or configured.games):
        return table.game_name
    if not level_names:
        return configured.game_name
    place = next((index for index, level in enumerate(table.levels) if level.name == table.game_name), 0)
    return level_names[min(place, len(level_names) - 1)]
