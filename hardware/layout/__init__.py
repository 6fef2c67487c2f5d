"""What stands where: the layout file of a table, typed and checked.

`load(path)` reads a TOML file like `hardware/layout.toml` (the reference table); a wrong file raises `LayoutError` with
one line: file, key, value, what was expected.
"""

from hardware.layout.file import load, parse, peppers, reference, register_of, simulated
from hardware.layout.spec import (
    BUTTON_NAMES,
    SEAT_NAMES,
    SURE_HEIGHTS,
    AntennasSpec,
    Ask,
    ChipsSpec,
    EncodedSpec,
    GpioSpec,
    Layout,
    LayoutError,
    PanelSpec,
    RangeSpec,
    ReaderSpec,
    Sensing,
    Technology,
)

__all__ = [
    "BUTTON_NAMES",
    "SEAT_NAMES",
    "SURE_HEIGHTS",
    "AntennasSpec",
    "Ask",
    "ChipsSpec",
    "EncodedSpec",
    "GpioSpec",
    "Layout",
    "LayoutError",
    "PanelSpec",
    "RangeSpec",
    "ReaderSpec",
    "Sensing",
    "Technology",
    "load",
    "parse",
    "peppers",
    "reference",
    "register_of",
    "simulated",
]
