"""Short sounds for what happens on the screen: accepted, refused, a question, and a matter for the floor.

The sounds are off by default. Without an audio device the screen stays silent.
"""

from __future__ import annotations

import logging
import math
import wave
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from ui.settings import MAX_VOLUME
from ui.state import ScreenState

_logger = logging.getLogger(__name__)

Cue = Literal["accepted", "refused", "question", "floor"]
TONES_HZ: Final[Mapping[Cue, tuple[int, ...]]] = {
    "accepted": (880,),
    "refused": (220, 220),
    "question": (660, 880),
    "floor": (880, 660, 440),
}
"""Tones of each sound in hertz. The sounds differ in the number and direction of their tones."""
TONE_S: Final = 0.07
"""Duration of a tone in seconds, so that the longest sound ends before the next touch."""
RATE_HZ: Final = 22_050
"""Samples of a sound per second."""


def cue_of(before: ScreenState, after: ScreenState) -> Cue | None:
    """Return the sound for this change of the screen, or None if it has no sound. The most urgent sound wins."""
    known = {alert.key for alert in before.view.alerts} if before.view is not None else set()
    new_alerts = [alert for alert in after.view.alerts if alert.key not in known] if after.view is not None else []
    if before.view is not None and any(
        alert.clearable_by == "floor" and (alert.level != "info" or alert.code == "floor-called")
        for alert in new_alerts
    ):
        return "floor"
    if before.view is not None and any(alert.level == "question" for alert in new_alerts):
        return "question"
    if after.message is not None and after.message != before.message:
        return "refused"
    if before.view is not None and after.view is not None and before.view.last_step != after.view.last_step:
        return "accepted"
    return None


class Sounds:
    """The sounds of a screen, which are loaded when the first sound is played."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder for the files of the sounds, which are written when the first sound is played."""
        self._folder = folder
        self._loaded: dict[Cue, Any] | None = None

    def play(self, cue: Cue | None, volume: int) -> None:
        """Play a sound at a volume from 0, which is off, to `MAX_VOLUME`."""
        if cue is None or not volume:
            return
        if self._loaded is None:
            self._loaded = load_sounds(self._folder)
        sound = self._loaded.get(cue)
        if sound is not None:
            sound.volume = volume / MAX_VOLUME
            sound.play()


def load_sounds(folder: Path) -> dict[Cue, Any]:
    """Write the sounds into the folder and return them by name. Return no sounds if there is no audio device."""
    try:
        # Kivy opens the audio device when it is imported, so a silent screen must not import it.
        from kivy.core.audio import SoundLoader

        loaded = {cue: SoundLoader.load(str(write_sound(folder, cue))) for cue in TONES_HZ}
    except Exception as error:
        _logger.warning("no sound: %s", error)
        return {}
    # A sound without a length could not be loaded.
    return {cue: sound for cue, sound in loaded.items() if sound is not None and sound.length > 0}


def write_sound(folder: Path, cue: Cue) -> Path:
    """Write a sound as a WAV file into the folder, and return its path."""
    path, count = folder / f"{cue}.wav", int(RATE_HZ * TONE_S)
    samples = array("h")
    for tone in TONES_HZ[cue]:
        # Each tone fades in and out, because a sudden start or end clicks.
        fade, step = math.pi / count, 2 * math.pi * tone / RATE_HZ
        samples.extend(int(20_000 * math.sin(fade * n) * math.sin(step * n)) for n in range(count))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())
    return path
