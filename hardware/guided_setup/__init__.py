"""Guided set-up of a table: find its wiring, take up its chips, and measure its antennas.

A `DeviceBench` reads single antennas and buttons, without the order and the settling of a running table. `find_wiring`
tells the technician where to put a chip or what to press, and learns which antenna or button that is.
`measure_antennas` reads stacks of known heights. `Enrolment` counts new chips pile by pile. The results are written
into the layout with tomlkit, so that its comments stay.

Import the names from this package, not from its modules.
"""

from hardware.guided_setup.device_bench import Antenna, Button, DeviceBench, DeviceKind, Reading, SerialBench
from hardware.guided_setup.enroll import Enrolment, read_pile
from hardware.guided_setup.find import (
    FindDialogue,
    FindRun,
    Prompt,
    Wiring,
    button_names,
    find_layout_wiring,
    find_wiring,
)
from hardware.guided_setup.layout_text import LayoutChange, LayoutNote, with_heights, with_wiring, write_layout
from hardware.guided_setup.tune import AntennaReport, HeightResult, SpotSkippedError, measure_antennas

__all__ = [
    "Antenna",
    "AntennaReport",
    "Button",
    "DeviceBench",
    "DeviceKind",
    "Enrolment",
    "FindDialogue",
    "FindRun",
    "HeightResult",
    "LayoutChange",
    "LayoutNote",
    "Prompt",
    "Reading",
    "SerialBench",
    "SpotSkippedError",
    "Wiring",
    "button_names",
    "find_layout_wiring",
    "find_wiring",
    "measure_antennas",
    "read_pile",
    "with_heights",
    "with_wiring",
    "write_layout",
]
