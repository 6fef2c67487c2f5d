"""Base class of this program's own errors. Each error class names who has to correct the fault.

The base class is in the lowest package, so that every other package may import it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

FaultSource = Literal["person", "sensor", "link", "storage", "ours"]
"""Who or what causes an error and has to be corrected: a person's input, a sensor, a cable, a disk, or this program."""


class PotkeeperError(Exception):
    """Base of all errors that this program raises.

    The message is one line that names the place, the value and what was expected.
    """

    fault: ClassVar[FaultSource] = "ours"
