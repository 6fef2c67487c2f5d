"""Table time, levels of a tournament, and the permission to start a hand.

The first level starts with the first hand. Each later level starts at its planned minute, even if the dealer names it
late. A level that is named early starts at that moment. A hand in progress keeps the level with which it started. No
hand starts during a break, or while the floor keeps the table waiting.

Source: TDA 23 (the new level applies to the next hand), "Hand-for-hand" of its recommended procedures;
table-scripts.md, `clock`, `game`, `floor hold`.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.steps import (
    table_steps,
)
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import Table, TournamentLevel

# --- the clock ---


def handle_time_passed(table: Table, step: table_steps.TimePasses, warnings: SeatWarnings) -> Table:
    """Add the minutes that have passed to the table time."""
    return table._replace(elapsed_minutes=table.elapsed_minutes + step.minutes)


def depends_on_time(table: Table) -> bool:
    """Return True if a rule of this table depends on the table time.

    At open stakes, the report lists when a player without a name left with a debt.
    """
    return bool(table.levels) or any(game.return_minutes or game.stakes == "open" for game in table.games.values())


class LevelStatus(NamedTuple):
    """Current level of the tournament, and the level after it."""

    name: str
    minutes_left: int
    """Minutes until the end of the level, or 0 if the level should have ended."""
    is_break: bool
    next_name: str = ""
    """Name of the next level, or "" if there is none. If several levels should have begun by now, the name of the
    latest level."""
    next_is_break: bool = False
    is_next_due: bool = False
    """True if the level should have ended, so that the dealer must name the next level."""
    minutes_until_break: int | None = None
    """Minutes until the next break, or None if no break follows."""


def level_status(table: Table) -> LevelStatus | None:
    """Return the status of the current level, or None if the table has no levels."""
    index = _level_index(table)
    if index is None:
        return None
    level, later_levels = table.levels[index], _later_levels(table, index)
    is_over = table.elapsed_minutes - _current_level_start(table) >= level.minutes
    begun_levels = [
        (later_level, start_minute)
        for later_level, start_minute in later_levels
        if start_minute <= table.elapsed_minutes
    ]
    following_level = (begun_levels[-1][0] if begun_levels else later_levels[0][0]) if later_levels else None
    break_starts = [start_minute for later_level, start_minute in later_levels if later_level.is_break]
    return LevelStatus(
        name=level.name,
        minutes_left=max(0, _current_level_start(table) + level.minutes - table.elapsed_minutes),
        is_break=level.is_break,
        next_name=following_level.name if following_level else "",
        next_is_break=bool(following_level and following_level.is_break),
        is_next_due=is_over and following_level is not None,
        minutes_until_break=max(0, break_starts[0] - table.elapsed_minutes) if break_starts else None,
    )


def _level_index(table: Table) -> int | None:
    """Return the index of the current level in `Table.levels`, or None if the game is not a level."""
    name = table.next_game or table.game_name
    return next((index for index, level in enumerate(table.levels) if level.name == name), None)


def _current_level_start(table: Table) -> int:
    """Return the minute at which the current level started, or the current minute before the first hand."""
    return table.elapsed_minutes if table.level_start_minute is None else table.level_start_minute


def _later_levels(table: Table, index: int) -> list[tuple[TournamentLevel, int]]:
    """Return the levels after the level with this index, each with the minute at which it starts."""
    start_minute, later_levels = _current_level_start(table) + table.levels[index].minutes, []
    for level in table.levels[index + 1 :]:
        later_levels.append((level, start_minute))
        start_minute += level.minutes
    return later_levels


def level_start_minute(table: Table, name: str) -> int | None:
    """Return the minute at which the level with this name starts if the dealer names it now.

    The result is the planned minute, or the current minute if the dealer names the level early.
    """
    index = _level_index(table)
    if table.level_start_minute is None or (index is not None and table.levels[index].name == name):
        return table.level_start_minute
    planned_starts = (
        {level.name: start_minute for level, start_minute in _later_levels(table, index)} if index is not None else {}
    )
    return min(planned_starts.get(name, table.elapsed_minutes), table.elapsed_minutes)


# --- permission to start a hand ---


def no_hand_reason(table: Table) -> TableRefusal | None:
    """Return why the next hand may not start now, or None.

    The reason is hand-for-hand play or a break. Other reasons are not checked.
    """
    if table.hand_for_hand == "held":
        return TableRefusal.HAND_FOR_HAND
    index = _level_index(table)
    return TableRefusal.ON_BREAK if index is not None and table.levels[index].is_break else None


def require_hand_allowed(table: Table) -> None:
    """Refuse the step if the floor keeps the table waiting, or if there is a break."""
    reason = no_hand_reason(table)
    if reason is not None:
        raise refusal_error(reason, name=table.game_name if reason is TableRefusal.ON_BREAK else "")


def after_hand_start(table: Table) -> Table:
    """Return the table after the start of a hand.

    The first hand starts the level clock. In hand-for-hand play, the hand uses up the floor's permission.
    """
    start_minute = (
        table.elapsed_minutes if table.levels and table.level_start_minute is None else table.level_start_minute
    )
    return table._replace(
        level_start_minute=start_minute, hand_for_hand="held" if table.hand_for_hand == "one" else table.hand_for_hand
    )


def after_hand_void(table: Table) -> Table:
    """Return the table after a misdeal.

    If the floor had allowed this hand, the permission is valid again, because the hand is dealt again.
    """
    restores_permission = (
        table.pre_hand_state is not None
        and table.pre_hand_state.hand_for_hand == "one"
        and table.hand_for_hand == "held"
    )
    return table._replace(hand_for_hand="one") if restores_permission else table


def handle_hold_hands(table: Table, step: table_steps.FloorHoldsHands, warnings: SeatWarnings) -> Table:
    """Start hand-for-hand play: each hand waits for the floor."""
    return table._replace(hand_for_hand="held")


def handle_allow_hand(table: Table, step: table_steps.FloorAllowsHand, warnings: SeatWarnings) -> Table:
    """Let one hand start, or end hand-for-hand play.

    In hand-for-hand play each hand waits for the floor.
    """
    if not table.hand_for_hand:
        raise refusal_error(TableRefusal.NOT_HAND_FOR_HAND)
    return table._replace(hand_for_hand="" if step.ends_hold else "one")
