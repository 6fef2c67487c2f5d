"""The benchmark of the rules plays what it says it plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from controller.bench import hands, measure_rules, pokerkit
from controller.bench import rules as bench_rules
from controller.bench.hands import play_betting, play_hand, ready_hand
from controller.config import BadInputError
from controller.rules import Phase, clockwise
from controller.scripts import load, play_rules
from controller.table import Awards

HANDS = Path(__file__).parents[1] / "hands"


@pytest.mark.parametrize("file", sorted((HANDS / "random").glob("00[0-3]*.toml")), ids=lambda file: str(file.stem))
def test_a_hand_ends_as_its_script_does(file: Path) -> None:
    hand = ready_hand(file)
    assert hand is not None
    *_, last = play_rules(load(file))
    stacks = play_hand(hand).stacks
    assert {str(seat): stacks[seat] for seat in hand.stacks if stacks[seat]} == last["stacks"]


def test_pokerkit_plays_each_hand_to_the_same_stacks_and_is_asked_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [*sorted((HANDS / "random").glob("00[0-3]*.toml")), *(HANDS / "historic").glob("*.toml")]
    ready = {file.stem: (hand, pokerkit.prepared(hand)) for file in files if (hand := ready_hand(file))}
    both = [(hand, theirs) for hand, theirs in ready.values() if theirs is not None]
    assert len(both) > 40
    assert {len(play_hand(hand).live) > 1 for hand, _ in both} == {True, False}  # with a showdown and without
    asked: list[str] = []
    monkeypatch.setattr(hands, "asked", lambda hand: asked.append("ours"))
    monkeypatch.setattr(pokerkit, "asked", lambda state: asked.append("theirs"))
    for hand, theirs in both:
        over = play_hand(hand)
        order = clockwise(tuple(hand.stacks), hand.placed.button)
        assert tuple(pokerkit.play_hand(theirs).stacks) == tuple(over.stacks[seat] for seat in order)
        assert play_betting(hand).phase is not Phase.OVER
        pokerkit.play_betting(theirs)
        assert asked.count("ours") == asked.count("theirs") == 2 * (hand.decisions + 1)
        asked.clear()


def test_a_hand_that_pokerkit_plays_to_other_stacks_is_left_out() -> None:
    hand = ready_hand(HANDS / "random" / "0001-no-limit-holdem.toml")
    assert hand is not None and pokerkit.prepared(hand) is not None
    *betting, last = hand.deeds
    assert isinstance(last.what, Awards)
    other = last._replace(what=replace(last.what, high=tuple({3, 5} - set(last.what.high))))
    assert pokerkit.prepared(hand._replace(deeds=(*betting, other))) is None


def test_the_figures_belong_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rules, "LEAST_SECONDS", 0.01)
    found = measure_rules([HANDS / "historic"], vs_pokerkit=True)
    assert found["hands"] + found["left_out"] == 5
    assert found["decisions_per_s"] > found["hands_per_s"] > 0
    for kind in ("", "betting_"):
        faster = found[f"{kind}decisions_per_s"] / found[f"{kind}pokerkit_decisions_per_s"]
        assert found[f"{kind}ratio"] == pytest.approx(faster, rel=0.05)


def test_without_hands_there_is_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no script that is one hand"):
        measure_rules([tmp_path], vs_pokerkit=False)
