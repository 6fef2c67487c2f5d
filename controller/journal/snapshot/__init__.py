"""Snapshots: a frozen value written as JSON, read back by its type, and its digest.

`encode` writes each distinct part of a value only once. A table keeps its earlier states for undo, and these states
have most parts in common. `decode` rebuilds the value from type hints and raises SnapshotError for anything that does
not fit. If the code renames a class or field, snapshots keep the old name, which `written_names` lists.

    >>> from typing import NamedTuple
    >>> Stack = NamedTuple("Stack", [("seat", int), ("chips", tuple[int, ...])])
    >>> decode(Stack, encode(Stack(4, (25, 5))))
    Stack(seat=4, chips=(25, 5))
"""

from controller.journal.snapshot.codec import (
    FORMAT_VERSION,
    SnapshotError,
    decode,
    digest_of_bytes,
    digest_of_value,
    encode,
)

__all__ = ["FORMAT_VERSION", "SnapshotError", "decode", "digest_of_bytes", "digest_of_value", "encode"]
