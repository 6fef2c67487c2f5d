"""The file in which a screen keeps its settings, and the backlight of the panel."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from ui.settings.values import MAX_BRIGHTNESS, MAX_VOLUME, Settings

_logger = logging.getLogger(__name__)

BACKLIGHTS: Final = Path("/sys/class/backlight")
"""Folder of the kernel with one folder for each backlight."""


def load_settings(path: Path | None, default: Settings) -> Settings:
    """Return the settings in the file. Return `default` if there is no file, or if it cannot be used."""
    if path is None or not path.exists():
        return default
    try:
        loaded = msgspec.json.decode(path.read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError) as error:
        _logger.warning("settings %s: %s, expected the settings of this screen", path, error)
        return default
    return replace(loaded, volume=min(max(loaded.volume, 0), MAX_VOLUME))


def save_settings(path: Path | None, value: Settings) -> None:
    """Write the settings to the file. After a power cut the file has either the old or the new settings."""
    if path is None:
        return
    new_path = path.with_name(f"{path.name}.new")
    try:
        with new_path.open("wb") as file:
            file.write(msgspec.json.encode(value))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new_path, path)
    except OSError as error:
        _logger.warning("settings %s: %s, they last only until the screen ends", path, error)


class Backlight:
    """The backlight of the panel, if the kernel offers one that this process may set."""

    def __init__(self, folder: Path = BACKLIGHTS) -> None:
        found = sorted(folder.glob("*/brightness")) if folder.is_dir() else []
        self._file = next((file for file in found if os.access(file, os.W_OK)), None)

    @property
    def is_available(self) -> bool:
        """Return True if the brightness can be set."""
        return self._file is not None

    def set_step(self, step: int) -> None:
        """Set the brightness to a step from 1 to `MAX_BRIGHTNESS`. Do nothing without a backlight."""
        if self._file is None:
            return
        try:
            maximum = int(self._file.with_name("max_brightness").read_text())
            self._file.write_text(str(max(1, maximum * step // MAX_BRIGHTNESS)))
        except (OSError, ValueError) as error:
            _logger.warning("backlight %s: %s", self._file, error)
