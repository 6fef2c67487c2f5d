"""Kinds of rot in the files of PostgreSQL, and the ways in which a room may notice them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

PAGE_BYTES = 8192
FileKind: TypeAlias = Literal["heap", "toast", "index", "toast index", "map", "catalogue", "transactions", "wal"]
KINDS: tuple[FileKind, ...] = (
    *("heap",) * 6,
    *("toast",) * 5,
    *("index",) * 3,
    *("toast index", "map", "catalogue", "transactions", "wal"),
)
"""Kinds of files, each as often as it is in this list. Most damages hit the spans."""
DamageKind: TypeAlias = Literal["bit", "byte", "page"]
DAMAGES: tuple[DamageKind, ...] = (*("bit",) * 5, *("byte",) * 4, "page")
"""A flipped bit, another byte, or a page of zeros, as a disk returns it for a sector that it has lost."""

Outcome: TypeAlias = Literal[
    "named by PostgreSQL", "named by verify", "named by pg_checksums", "harmless", "sent again"
]
"""Ways in which the room notices a damage.

- `named by PostgreSQL`: the server does not start, or a read fails. A line names the file or the page.
- `named by verify`: the server reads on, and `room verify` names table and record.
- `named by pg_checksums`: all spans are as they were, because nothing reads the page. The program names the page.
- `harmless`: all spans are as they were, and there is no damaged page.
- `sent again`: the newest spans of a table are gone as if they had never arrived. Its uplink asks and sends them again.
"""


class Damage(NamedTuple):
    """A damage in a file of the database."""

    kind: FileKind
    file: str
    place: int
    damage: DamageKind

    def apply(self, data: Path, choices: random.Random) -> None:
        """Change the file."""
        path = data / self.file
        content = bytearray(path.read_bytes())
        if self.damage == "bit":
            content[self.place] ^= 1 << choices.randrange(8)
        elif self.damage == "byte":
            content[self.place] ^= choices.randrange(1, 256)
        else:
            start = self.place - self.place % PAGE_BYTES
            content[start : start + PAGE_BYTES] = bytes(len(content[start : start + PAGE_BYTES]))
        path.write_bytes(content)


def allowed_outcomes(damage: Damage) -> set[str]:
    """Return what may happen after a damage.

    A page with a changed bit has a wrong checksum, so that a program names it. A page of zeros is a new page for
    PostgreSQL. The log of transactions and the end of the WAL have no checksum that shows that something is missing.
    """
    named = {"named by PostgreSQL", "named by verify", "named by pg_checksums"}
    if damage.kind in ("wal", "transactions") or damage.damage == "page":
        return named | {"sent again", "harmless"}
    return named
