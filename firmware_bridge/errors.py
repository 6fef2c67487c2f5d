"""The one base of this program's own errors: each says whose fault it is.

It lies at the bottom of the house because every layer raises errors and may import only what is below it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

Whose = Literal["person", "sensor", "link", "storage", "ours"]
"""Who has to do something about it: who wrote or touched something, a sensor, a cable, a disk, or this program."""


class PotkeeperError(Exception):
    """Base of all errors that this program raises itself. The message is one line: what, where, what was expected."""

    whose: ClassVar[Whose] = "ours"
