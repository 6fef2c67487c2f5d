"""The whole pipeline says what the controller alone says: scripts and hands through chips, wire bytes and settling."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.histories import replay as phh
from controller.live.desk import Desk
from controller.scripts import player as scripts
from controller.simulation import pipeline

TESTS = Path(__file__).parent.parent
SHARED = TESTS.parent.parent / "shared"
SCRIPTS = sorted((TESTS / "scripts").rglob("*.toml"))
HANDS = SHARED / "hands" if (SHARED / "hands").is_dir() else TESTS / "hands"
EVERY = 6
"""Every sixth of the random and recorded hands: the rest is left to `make soak`."""


def _sample(folder: str, every: int) -> list[Path]:
    return sorted((HANDS / folder).rglob("*.toml"))[::every]


def _played(path: Path) -> None:
    script = scripts.load(path)
    for directly, through in zip(scripts.play(script), pipeline.play(script), strict=True):
        assert through == directly, f"{path.name} step {directly['step']}"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_script_prints_the_same(path: Path) -> None:
    _played(path)


@pytest.mark.parametrize(
    "path",
    [*_sample("historic", 1), *_sample("wsop", 2), *_sample("pluribus", EVERY), *_sample("random", EVERY)],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_hand_prints_the_same(path: Path) -> None:
    _played(path)


@pytest.mark.soak
def test_every_hand_prints_the_same() -> None:
    for path in sorted(HANDS.rglob("*.toml")):
        _played(path)


def _histories() -> list[Path]:
    return sorted((HANDS / "phh").rglob("*.phh"))


@pytest.mark.parametrize("path", _histories(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_replay_ends_with_the_stacks_of_the_history(path: Path) -> None:
    """Through emulated readers and settling, in simulated time, and with the rules alone: to the chip."""
    through, alone = phh.replay(path, pipeline.play), phh.replay(path, scripts.play)
    assert through == alone
    if through.finishing is not None:
        assert through.stacks == through.finishing


def test_a_chip_that_is_not_read_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the desk loses one chip of every motion. The comparison above must notice."""
    moved = Desk._moved

    def loses(self: Desk, seat: int, chips: tuple[int, ...], at_us: int) -> object:
        return moved(self, seat, chips[:-1], at_us)

    monkeypatch.setattr(Desk, "_moved", loses)
    with pytest.raises(AssertionError):
        _played(TESTS / "scripts" / "limits" / "pot-limit-raise-the-pot.toml")
