"""Test which change of the screen has which sound, and that the sounds are distinct and short."""

from __future__ import annotations

import sys
import wave
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from controller.messages import ScreenKey
from controller.presenter import build_alert
from tests.ui.touch_table import TouchTable
from ui import sounds
from ui.settings import Settings
from ui.sounds import TONES_HZ, Cue, Sounds, cue_of, write_sound
from ui.state import ScreenMessage, ScreenState, show_refusal, show_view

GAME = 'blinds = [5, 10]\nstart = "idle"'
REASON: ScreenKey = "touched-twice"


def change(*before: str, do: str) -> tuple[ScreenState, ScreenState]:
    table = TouchTable(GAME).do(*before)
    screen = table.screen
    return screen, table.do(do).screen


@pytest.mark.parametrize(
    ("before", "do", "cue"),
    [
        (("hand",), "4 call", "accepted"),
        (("hand",), "call-floor", "floor"),
        (("hand", "call-floor"), "4 call", "accepted"),
    ],
)
def test_step_has_its_sound(before: tuple[str, ...], do: str, cue: Cue) -> None:
    assert cue_of(*change(*before, do=do)) == cue


def test_refusal_has_its_sound_and_an_equal_screen_none() -> None:
    screen = TouchTable(GAME).do("hand").screen
    assert cue_of(screen, show_refusal(screen, ScreenMessage(REASON))) == "refused"
    assert cue_of(screen, screen) is None
    assert cue_of(ScreenState(), screen) is None, "the first view after a start has no sound"


def test_new_question_has_its_sound_once() -> None:
    screen = TouchTable(GAME).do("hand").screen
    assert screen.view is not None
    asks = msgspec.structs.replace(screen.view, alerts=(build_alert("sweep-question"),))
    asked = show_view(screen, asks)
    assert cue_of(screen, asked) == "question"
    assert cue_of(asked, asked) is None


@pytest.mark.parametrize("loaded", [None, SimpleNamespace(length=-1), OSError("no audio device")])
def test_screen_without_an_audio_device_is_silent(
    loaded: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(path: str) -> object:
        if isinstance(loaded, Exception):
            raise loaded
        return loaded

    loader = SimpleNamespace(SoundLoader=SimpleNamespace(load=load))
    monkeypatch.setitem(sys.modules, "kivy.core.audio", loader)
    monkeypatch.setitem(sys.modules, "kivy.core", SimpleNamespace(audio=loader))
    monkeypatch.setitem(sys.modules, "kivy", SimpleNamespace(core=None))
    assert sounds.load_sounds(tmp_path) == {}
    Sounds(tmp_path).play("floor", 3)


def test_sounds_are_off_by_default() -> None:
    assert Settings().volume == 0


def test_sounds_are_distinct_and_short(tmp_path: Path) -> None:
    contents = set()
    for cue in TONES_HZ:
        with wave.open(str(write_sound(tmp_path, cue))) as file:
            assert 0.05 < file.getnframes() / file.getframerate() < 0.3
            contents.add(file.readframes(file.getnframes()))
    assert len(contents) == len(TONES_HZ) == 4


def test_silent_screen_loads_no_sounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "load_sounds", lambda folder: pytest.fail("loaded"))
    Sounds(Path()).play("floor", 0)
    Sounds(Path()).play(None, 3)


class FakeSound:
    volume = 0.0
    played = 0

    def play(self) -> None:
        self.played += 1


def test_volume_is_a_part_of_the_loudest(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = FakeSound()
    monkeypatch.setattr(sounds, "load_sounds", lambda folder: {"refused": sound})
    player = Sounds(Path())
    player.play("refused", 1)
    player.play("floor", 3)  # without an audio device for this sound nothing happens
    assert (round(sound.volume, 2), sound.played) == (0.33, 1)
