"""The file of a table script: its head is that of a table's configuration, and `[start]`, `[here]`, `[[step]]` follow.

The contract is table-scripts.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller.config import BadInputError, Head, Start, open_head, parse_toml, say
from controller.rules import first_placement
from controller.scripts.here import Here, check_here
from controller.table import Note, Step, StepError, Table, parse

MOST_STEPS = 20_000
"""More than any script has; a larger file is a mistake."""
MOST_BYTES = 4_000_000


class Do(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[step]]`: what happens, and what is then to be seen (not looked at here)."""

    do: str
    see: dict[str, Any] = {}


class Begin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[start]`."""

    see: dict[str, Any] = {}


class File(Head, frozen=True, forbid_unknown_fields=True):
    """The file as it is written. `strict` is for who checks what is seen: nothing else is printed."""

    strict: bool = False
    start: Begin = Begin()
    here: Here | None = None
    step: list[Do] = msgspec.field(default_factory=list)


_TABLES = {"": File, "start": Begin, "here": Here, "step": Do}
"""The tables whose keys are fixed, by name."""


class Script(NamedTuple):
    """A script, checked: the table before the first hand, how it starts, and its steps."""

    table: Table
    start: Start
    here: Here | None
    steps: tuple[Step, ...]


def load(path: Path) -> Script:
    """The script in a file. Raises BadInputError with one line: key, value, what was expected."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInputError(f"cannot be read, {why}: expected a file") from None
    if len(data) > MOST_BYTES:
        raise BadInputError(f"file of more than {MOST_BYTES} bytes: expected at most that")
    return read(parse_toml(data))


def read(values: Mapping[str, Any]) -> Script:
    """The script that TOML values describe. Raises BadInputError."""
    try:
        file = msgspec.convert(values, File)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, "", _TABLES, numbered="step")) from None
    table, start = open_head(file)
    carried = table.carried._replace(fresh=start != "idle")
    if start == "here":  # who has nothing left behind was dealt in all the same
        carried = carried._replace(placed=first_placement(table.game, file.button, tuple(table.players)))
    table = table._replace(carried=carried)
    steps = _steps(file.step)
    if (start == "here") != (file.here is not None):
        raise BadInputError(f"game.start = {start!r}: expected 'here' with a table [here], and only then")
    if file.here is not None:
        check_here(file.here, table)
    return Script(table, start, file.here, steps)


def _steps(written: list[Do]) -> tuple[Step, ...]:
    if len(written) > MOST_STEPS:
        raise BadInputError(f"step: {len(written)} steps, expected at most {MOST_STEPS}")
    steps: list[Step] = []
    for number, item in enumerate(written, 1):
        try:
            what = parse(item.do)
        except StepError as error:
            raise BadInputError(f"step {number}: {error}") from None
        if isinstance(what, Note):
            raise BadInputError(f"step {number}: {item.do!r}: expected what happens at a table, not a note about it")
        steps.append(what)
    return tuple(steps)
