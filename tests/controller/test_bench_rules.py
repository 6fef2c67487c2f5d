"""The benchmark of the rules plays what it says it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller import bench_rules, scripts
from controller.configuring import BadInputError

HANDS = Path(__file__).parents[1] / "hands"


@pytest.mark.parametrize("file", sorted((HANDS / "random").glob("00[0-3]*.toml")), ids=lambda file: str(file.stem))
def test_a_hand_ends_as_its_script_does(file: Path) -> None:
    played = bench_rules.prepared(file)
    assert played is not None
    *_, last = scripts.play(scripts.load(file))
    stacks = bench_rules.play(played).stacks
    assert {str(seat): stacks[seat] for seat in played.stacks if stacks[seat]} == last["stacks"]


def test_the_figures_belong_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rules, "LEAST_SECONDS", 0.01)
    found = bench_rules.measure([HANDS / "historic"], vs_pokerkit=True)
    assert found["hands"] + found["left_out"] == 5
    assert found["decisions_per_s"] > found["hands_per_s"] > 0
    assert found["ratio"] == pytest.approx(found["decisions_per_s"] / found["pokerkit_decisions_per_s"], rel=0.05)


def test_without_hands_there_is_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no script that is one hand"):
        bench_rules.measure([tmp_path], vs_pokerkit=False)
