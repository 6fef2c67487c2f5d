"""Eccel Pepper C1 MUX: `frames`, and the driver `PepperReader`. Source: readers.md, 3."""

from firmware_bridge.pepper.frames import ANTENNAS
from firmware_bridge.pepper.reader import BAUD, PepperReader

__all__ = ["ANTENNAS", "BAUD", "PepperReader"]
