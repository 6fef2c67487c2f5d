"""The layout file of a table: its readers, antennas, panel boards, keys and chips.

A layout is a TOML file such as `hardware/layout.toml`, which describes the reference table. `load_layout(path)`
reads it into a typed `TableLayout` and checks all values. A wrong file raises `LayoutError`, whose message is one
line with file, key, value and what was expected.

Example: find the antenna of a spot and the value of a chip at the reference table.

    >>> from hardware import layout
    >>> table = layout.reference_layout()
    >>> table.spot_antennas["bet3"].reader, table.spot_antennas["bet3"].antenna
    ('odd', 2)
    >>> table.chip_set.denomination("E004015000250000")
    25
"""

from hardware.layout.loader import (
    LoadedLayout,
    chip_register_of,
    load_layout,
    load_layout_with_sources,
    parse_layout,
    pepper_layout,
    reference_layout,
    simulated_layout,
)
from hardware.layout.schema import (
    BUTTON_NAMES,
    DEFAULT_SURE_HEIGHTS,
    SEAT_NAMES,
    AntennasSpec,
    ChipsSpec,
    EncodedSpec,
    GpioSpec,
    LayoutError,
    ModulationDepth,
    PanelSpec,
    RangeSpec,
    ReaderSpec,
    SensingSpec,
    TableLayout,
    Technology,
)

__all__ = [
    "BUTTON_NAMES",
    "DEFAULT_SURE_HEIGHTS",
    "SEAT_NAMES",
    "AntennasSpec",
    "ChipsSpec",
    "EncodedSpec",
    "GpioSpec",
    "LayoutError",
    "LoadedLayout",
    "ModulationDepth",
    "PanelSpec",
    "RangeSpec",
    "ReaderSpec",
    "SensingSpec",
    "TableLayout",
    "Technology",
    "chip_register_of",
    "load_layout",
    "load_layout_with_sources",
    "parse_layout",
    "pepper_layout",
    "reference_layout",
    "simulated_layout",
]
