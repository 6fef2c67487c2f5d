"""File of a table script: the keys of a configuration file, and `[start]`, `[here]` and `[[step]]`.

tests/table-scripts.md describes the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller.config import (
    BadInputError,
    StartMode,
    TableSpec,
    build_table,
    parse_toml,
    parse_typed_step,
    unknown_key_message,
    validation_message,
)
from controller.rules import (
    button_and_blinds,
)
from controller.scripts.expectations import STRICT_EXPECTATIONS
from controller.scripts.mid_hand_start import MidHand, check_mid_hand
from controller.scripts.visible_state import VISIBLE_FIELDS
from controller.steps import Observation, Step, StepSyntaxError
from controller.table import Table
from hardware.text_input_validation import quote_key

MAX_STEPS = 20_000
"""Maximum number of steps in a script. Real scripts have far fewer steps, so that a file with more is a mistake."""
MAX_FILE_BYTES = 4_000_000
"""Maximum size of a script in bytes. A script with the maximum number of steps is smaller."""


class ScriptStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[step]]`: the event, and the fields that a test expects after the event."""

    do: str
    see: dict[str, Any] = {}


class ScriptStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Section `[start]`: the fields that a test expects before the first step."""

    see: dict[str, Any] = {}


class ScriptFile(TableSpec, frozen=True, forbid_unknown_fields=True):
    """Keys of a script as they appear in the file.

    The key `strict` affects only the test that compares the expected fields, and not the output.
    """

    strict: bool = False
    start: ScriptStart = ScriptStart()
    here: MidHand | None = None
    step: list[ScriptStep] = msgspec.field(default_factory=list)


_TABLES = {"": ScriptFile, "start": ScriptStart, "here": MidHand, "step": ScriptStep}
"""Type of each TOML table that has fixed keys, by the name of the TOML table."""


class Script(NamedTuple):
    """A valid script: the table before the first hand, the start mode, and the steps."""

    table: Table
    start_mode: StartMode
    mid_hand: MidHand | None
    steps: tuple[Step, ...]
    expected: tuple[Mapping[str, Any], ...] = ()
    """Fields that the script expects at its start and after each step, as they are in the file."""


def load_script(path: Path) -> Script:
    """Return the script in a file. Raise BadInputError with the key, the value and what was expected."""
    return parse_script(parse_toml(read_script(path)))


def read_script(path: Path) -> bytes:
    """Return the content of a script. Raise BadInputError if the file cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInputError(f"cannot be read, {reason}: expected a readable file") from None
    if len(data) > MAX_FILE_BYTES:
        raise BadInputError(f"file too large: expected at most {MAX_FILE_BYTES} bytes")
    return data


def parse_script(values: Mapping[str, Any]) -> Script:
    """Return the script that TOML values describe. Raise BadInputError for the first mistake."""
    try:
        file = msgspec.convert(values, ScriptFile)
    except msgspec.ValidationError as error:
        raise BadInputError(validation_message(error, values, "", _TABLES, list_counted_from_one="step")) from None
    table, start = build_table(file)
    carry_over = table.carry_over._replace(is_first_at_button=start != "idle")
    # In the middle of a hand, a seat that has already bet all its chips still takes part.
    if start == "here":
        carry_over = carry_over._replace(
            placement=button_and_blinds.first_placement(table.game, file.button, tuple(table.players))
        )
    table = table._replace(carry_over=carry_over)
    steps = _steps(file.step)
    if (start == "here") != (file.here is not None):
        raise BadInputError(
            f"game.start = {start!r}: expected 'here' for a file with [here], and another value without it"
        )
    if file.here is not None:
        check_mid_hand(file.here, table)
    return Script(table, start, file.here, steps, _expected(file))


def _steps(entries: list[ScriptStep]) -> tuple[Step, ...]:
    if len(entries) > MAX_STEPS:
        raise BadInputError(f"step: {len(entries)} steps, expected at most {MAX_STEPS}")
    steps: list[Step] = []
    for number, entry in enumerate(entries, 1):
        try:
            step = parse_typed_step(entry.do)
        except StepSyntaxError as error:
            raise BadInputError(f"step {number}: {error}") from None
        if isinstance(step, Observation):
            raise BadInputError(f"step {number}: {entry.do!r}: expected an event at a table, not an observation")
        steps.append(step)
    return tuple(steps)


def _expected(file: ScriptFile) -> tuple[Mapping[str, Any], ...]:
    """Return the fields that the script expects. Raise BadInputError if a field does not exist."""
    always = STRICT_EXPECTATIONS if file.strict else {}
    for number, see in enumerate((file.start.see, *(entry.see for entry in file.step))):
        for name, value in see.items():
            if name not in VISIBLE_FIELDS:
                place = f"step {number}.see.{quote_key(name)}" if number else f"start.see.{quote_key(name)}"
                raise BadInputError(unknown_key_message(place, value, name, VISIBLE_FIELDS))
    return (file.start.see, *({**always, **entry.see} for entry in file.step))
