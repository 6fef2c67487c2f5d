"""How a segment of a journal begins: which journal, of which table and program, and what it goes on from."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

import msgspec

CONFIG_VERSION: Final = 1
"""Of the text of a table's configuration."""
FORM: Final = 4
"""Of a journal: its tables, hashes and records, and the lines of steps and what they mean."""
FORM_BEFORE: Final = 3
"""Journals of this form are read; they go on in a segment of the present form."""
BOOT: Final = Path("/proc/sys/kernel/random/boot_id")

Why = Literal["", "configuration", "salvage", "storage", "restore"]
"""What a journal was begun for, where another was before it: another configuration of the table, what is left of a
damaged one, what was played while nothing could be written, an older copy that was put in its place."""


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first row of a segment. Where nothing is said of journal, segment and state, it is the first of its table."""

    config: str
    """The table's configuration, as JSON text."""
    version: int
    """Of the form of `config`."""
    at: str
    """The wall-clock time."""
    form: int = FORM_BEFORE
    """That of the file. An opening of the form before does not say it."""
    program: str = ""
    """The version of the program that writes the segment."""
    boot: str = ""
    """The machine's run: times of records count from its start."""
    name: str = ""
    """The journal's name; "" in its first segment, whose hash is the name."""
    parent: str = ""
    """The name of the journal that this one comes of; "" for none."""
    why: Why = ""
    segment: int = 1
    """Counted on where a new journal takes the place of another."""
    after: int = 0
    """Number of the journal's last record before this segment."""
    before: str = ""
    """The hash of the last record of the segment before, as hex digits; "" for none."""
    state: str = ""
    """The digest of the state that the segment begins with; "" for that of the configuration."""
    commands: tuple[str, ...] = ()
    """The last commands before the segment, newest last, as entries have them."""


def opening_of(config: str, *, parent: str = "", why: Why = "") -> Opening:
    """The opening of a new journal, by this program, on this machine, now."""
    return Opening(config, CONFIG_VERSION, wall_time(), FORM, program(), boot(), parent=parent, why=why)


def following(
    opening: Opening, name: str, number: int, before: bytes, why: Why = "", config: str | None = None
) -> Opening:
    """The opening of the segment behind the one that is called `name` and ends with record `number`, whose hash is
    `before`. With a reason it begins a new journal, and its records count from 1 again; it may have
    another `config`."""
    begun = opening_of(
        opening.config if config is None else config, parent=name if why else opening.parent, why=why or opening.why
    )
    return msgspec.structs.replace(
        begun,
        name="" if why else name,
        segment=opening.segment + 1,
        after=0 if why else number,
        before=before.hex(),
    )


def is_of_this_run(opening: Opening) -> bool:
    """True where this program began the segment, and this run of the machine."""
    return (opening.form, opening.program, opening.boot) == (FORM, program(), boot())


def wall_time() -> str:
    """The wall-clock time, to the millisecond: no two journals of a table have the same name."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@cache
def program() -> str:
    """The version of this program; "" where it is not installed."""
    try:
        return metadata.version("potkeeper")
    except metadata.PackageNotFoundError:
        return ""


@cache
def boot() -> str:
    """What names this run of the machine; "" where it has no name."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return ""
