"""The benchmark of the rules really plays each hand that it counts, and PokerKit plays the same hands."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from controller.bench import measure_rules, pokerkit_hands, prepared_hands
from controller.bench import rules as bench_rules
from controller.bench.prepared_hands import play_betting, play_hand, prepare_hand
from controller.config import BadInputError
from controller.rules import Phase, clockwise_after
from controller.scripts import load_script, play_rules
from controller.steps import hand_steps

HANDS = Path(__file__).parents[1] / "hands"


@pytest.mark.parametrize("file", sorted((HANDS / "random").glob("00[0-3]*.toml")), ids=lambda file: str(file.stem))
def test_prepared_hand_ends_as_its_script(file: Path) -> None:
    hand = prepare_hand(file)
    assert hand is not None
    *_, last = play_rules(load_script(file))
    stacks = play_hand(hand).stacks
    assert {str(seat): stacks[seat] for seat in hand.stacks if stacks[seat]} == last["stacks"]


def test_pokerkit_hand_ends_with_the_same_stacks_and_number_of_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [*sorted((HANDS / "random").glob("00[0-3]*.toml")), *(HANDS / "historic").glob("*.toml")]
    ready = {file.stem: (hand, pokerkit_hands.prepare_hand(hand)) for file in files if (hand := prepare_hand(file))}
    pairs = [(hand, theirs) for hand, theirs in ready.values() if theirs is not None]
    assert len(pairs) > 40
    assert {len(play_hand(hand).live_seats) > 1 for hand, _ in pairs} == {
        True,
        False,
    }  # Some of the hands end with a showdown, and some without.
    queries: list[str] = []
    monkeypatch.setattr(prepared_hands, "query_choices", lambda hand: queries.append("ours"))
    monkeypatch.setattr(pokerkit_hands, "query_choices", lambda state: queries.append("theirs"))
    for hand, theirs in pairs:
        hand_over = play_hand(hand)
        order = clockwise_after(tuple(hand.stacks), hand.placement.button)
        assert tuple(pokerkit_hands.play_hand(theirs).stacks) == tuple(hand_over.stacks[seat] for seat in order)
        assert play_betting(hand).phase is not Phase.OVER
        pokerkit_hands.play_betting(theirs)
        assert queries.count("ours") == queries.count("theirs") == 2 * (hand.decision_count + 1)
        queries.clear()


def test_hand_with_other_stacks_in_pokerkit_is_left_out() -> None:
    hand = prepare_hand(HANDS / "random" / "0001-no-limit-holdem.toml")
    assert hand is not None and pokerkit_hands.prepare_hand(hand) is not None
    *betting, last = hand.steps
    assert isinstance(last.action, hand_steps.AwardsPot)
    other = last._replace(action=replace(last.action, high=tuple({3, 5} - set(last.action.high))))
    assert pokerkit_hands.prepare_hand(hand._replace(steps=(*betting, other))) is None


def test_benchmark_figures_are_consistent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rules, "MIN_RUN_S", 0.01)
    figures = measure_rules([HANDS / "historic"], vs_pokerkit=True)
    assert figures["hands"] + figures["left_out"] == 5
    assert figures["decisions_per_s"] > figures["hands_per_s"] > 0
    for kind in ("", "betting_"):
        ratio = figures[f"{kind}decisions_per_s"] / figures[f"{kind}pokerkit_decisions_per_s"]
        assert figures[f"{kind}ratio"] == pytest.approx(ratio, rel=0.05)


def test_benchmark_ignores_the_time_of_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    used_s = iter([0.0, 1.0, 2.0, 3.0])
    monkeypatch.setattr(time, "process_time", lambda: next(used_s))
    monkeypatch.setattr(time, "perf_counter", lambda: pytest.fail("the elapsed time was measured"))
    monkeypatch.setattr(bench_rules, "MIN_RUN_S", 3.0)
    assert bench_rules._timed(lambda: None) == 1.0


def test_benchmark_without_hands_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no script of one whole hand"):
        measure_rules([tmp_path], vs_pokerkit=False)
