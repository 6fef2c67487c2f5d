"""Base class of this program's own errors. Each error class names who has to correct the fault.

It is in the lowest package because every layer raises errors and may import only from the layers below it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

FaultSource = Literal["person", "sensor", "link", "storage", "ours"]
"""Who or what has to be corrected: a person's input, a sensor, a cable, a disk, or this program."""


class PotkeeperError(Exception):
    """Base of all errors that this program raises.

    The message is one line that names the place, the value and what was expected.
    """

    fault: ClassVar[FaultSource] = "ours"
