"""Custom fields of a PHH file, which express everything that the format itself cannot express.

The field `_steps` contains the steps of the hand as they happened. The field `_whole_table` contains the table before
the first step. Together these two fields contain everything that a rule needs, such as owed blinds and the next game of
a mix.

The other fields repeat parts of `_steps` and `_whole_table` for people who read the file:

- `_game`: the options of the game that differ from their defaults.
- `_accounts`: by how much the hand has changed the house's accounts, such as the rake.
- `_markers`: the debts of the players after the hand.
- `_behind`: chips that all-in players could not bet and still have.
- `_killer`, `_straddlers`, `_bomb`, `_boards`, `_chopped`, `_warnings`, `_unknown_stacks`: facts that are only written
  for hands to which they apply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from controller.config import BadInputError, parse_typed_step, quote_value
from controller.histories.completed_hand import CompletedHand
from controller.journal import snapshot
from controller.rules import MAX_SEATS, UNSET, Game
from controller.steps import Observation, Step, StepSyntaxError, format_step
from controller.table import Table, markers_owed

SNAPSHOT_KEY, DIGEST_KEY, STEPS_KEY, BEHIND_KEY, SEATS_KEY = (
    "_whole_table",
    "_whole_digest",
    "_steps",
    "_behind",
    "seats",
)
"""Keys of the fields that are used when a file is read. The other custom fields are only for people."""
_DIGEST_BYTES = 8
"""Length in bytes of the digest of `_whole_table`. The digest only has to show that a person has edited the text."""


class OriginalHand(NamedTuple):
    """A hand as Potkeeper recorded it at the table."""

    table: Table
    """The state of the table before the first step of the hand."""
    steps: tuple[Step, ...]
    seats: tuple[int, ...]
    """The seats of the players, in the order of the file."""
    behind: tuple[int, ...]
    """The chips that each player had left after an all-in, in the order of the players in the file.

    The stacks in the file do not include these chips.
    """


# --- writing ---


def build_custom_fields(table: Table, played: CompletedHand, steps: Sequence[Step]) -> dict[str, Any]:
    """Return the custom fields of a hand. `table` is the table before its first step."""
    hand, game = played.showdown, played.game
    custom: dict[str, Any] = {
        "_variant": game.variant,
        "_structure": game.structure,
        "_game": non_default_options(game),
    }
    custom |= {"_game_name": played.game_name, "_button": hand.button, STEPS_KEY: [format_step(step) for step in steps]}
    custom |= {key: value for key, value in _optional_fields(table, played).items() if value}
    text = snapshot.encode(table._replace(undo_stack=(), redo_stack=())).decode()
    return custom | {SNAPSHOT_KEY: text, DIGEST_KEY: digest(text)}


def _optional_fields(table: Table, played: CompletedHand) -> dict[str, Any]:
    """Return the special facts of the hand as fields. A field is empty if it does not apply to the hand."""
    hand, after = played.showdown, played.table_after
    account_changes = {
        name: now - before
        for name, now, before in zip(after.accounts._fields, after.accounts, table.accounts, strict=True)
        if now != before
    }
    return {
        "_warnings": list(played.warnings),
        "_accounts": account_changes,
        "_unknown_stacks": sorted(hand.unknown_stacks),
        "_markers": {str(seat): amount for seat, amount in markers_owed(after).items()},
        "_killer": hand.kill_seat,
        "_bomb": hand.bomb_ante,
        "_boards": hand.board_count if hand.board_count > 1 else 0,
        "_chopped": not played.awards,
        "_straddlers": list(hand.straddle_seats),
        BEHIND_KEY: [played.behind[seat] for seat in hand.dealt_seats] if any(played.behind) else [],
    }


def non_default_options(game: Game) -> dict[str, Any]:
    """Return the options of the game that differ from their defaults, except `variant` and `structure`.

    The keys of the result are those of the configuration's table `[game]`. Together with `variant` and `structure`, the
    result describes the whole game.
    """
    keys = {key: getattr(game, key) for key in ("variant", "structure")}
    for field in fields(Game):
        value = getattr(game, field.name)
        if value != field.default and field.name not in keys:
            keys[field.name] = value
    defaults = _dependent_defaults(keys)
    options = {key: value for key, value in keys.items() if key not in defaults or defaults[key] != value}
    return {key: _to_plain_value(value) for key, value in options.items() if key not in ("variant", "structure")}


def _dependent_defaults(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default values that depend on other options of the game.

    `keys` contains the options that are known.
    """
    dependent_keys = [field.name for field in fields(Game) if field.default is None or field.default == UNSET]
    default_game = Game(**{key: value for key, value in keys.items() if key not in dependent_keys})
    return {key: getattr(default_game, key) for key in dependent_keys}


def _to_plain_value(value: Any) -> Any:
    """Convert the value of a game option to plain tables and lists, as a configuration file contains them.

    Nested tables leave out keys with default values.
    """
    if is_dataclass(value):
        values = {field.name: _to_plain_value(getattr(value, field.name)) for field in fields(value)}
        defaults = {field.name: field.default for field in fields(value) if field.default is not MISSING}
        return {key: item for key, item in values.items() if key not in defaults or item != defaults[key]}
    return [_to_plain_value(item) for item in value] if isinstance(value, (list, tuple)) else value


def digest(text: str) -> str:
    """Return a digest of the text, which shows later whether somebody has edited the text."""
    return blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


# --- reading ---


def read_custom_fields(values: Mapping[str, Any], count: int) -> OriginalHand | None:
    """Return the hand that the custom fields of a file describe, or None if they cannot be used.

    Return None in two cases, in which the standard PHH fields still describe the hand:

    - Potkeeper did not write the file.
    - This version of Potkeeper cannot read the stored table.

    `count` is the number of players in the file. Raise BadInputError if a custom field is not valid.
    """
    if SNAPSHOT_KEY not in values:
        return None
    text, steps, seats = values[SNAPSHOT_KEY], values.get(STEPS_KEY), values.get(SEATS_KEY)
    if not isinstance(text, str) or values.get(DIGEST_KEY) != digest(text):
        raise BadInputError(f"{SNAPSHOT_KEY}: changed after the export, its digest differs from {DIGEST_KEY}")
    if not isinstance(steps, list) or not steps:
        raise BadInputError(f"{STEPS_KEY} = {quote_value(steps)}: expected the steps of the hand")
    if not isinstance(seats, list) or len(seats) != count or not all(_is_seat(seat) for seat in seats):
        raise BadInputError(f"{SEATS_KEY} = {quote_value(seats)}: expected {count} seats from 1 to {MAX_SEATS}")
    behind = values.get(BEHIND_KEY, [0] * count)
    if not isinstance(behind, list) or len(behind) != count or not all(type(chips) is int for chips in behind):
        raise BadInputError(f"{BEHIND_KEY} = {quote_value(behind)}: expected {count} amounts")
    try:
        table = snapshot.decode(Table, text.encode())
    except snapshot.SnapshotError:
        return None
    return OriginalHand(
        table,
        tuple(_parse_recorded_step(number, text) for number, text in enumerate(steps, 1)),
        tuple(seats),
        tuple(behind),
    )


def _is_seat(seat: object) -> bool:
    """Return True if the value is a valid seat number."""
    return type(seat) is int and 1 <= seat <= MAX_SEATS


def _parse_recorded_step(number: int, text: object) -> Step:
    """Parse an entry of `_steps` and return the step.

    Raise BadInputError if the entry is not valid, or if it is an observation, which only a running table records.
    """
    try:
        step = parse_typed_step(text) if isinstance(text, str) else None
    except StepSyntaxError as error:
        raise BadInputError(f"{STEPS_KEY}[{number - 1}]: {error}") from None
    if step is None or isinstance(step, Observation):
        raise BadInputError(f"{STEPS_KEY}[{number - 1}] = {quote_value(text)}: expected a step that happens at a table")
    return step
