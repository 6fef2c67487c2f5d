"""Chips whose stack detunes the antenna while they land: the keys of other seats do not fold their player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from controller.live import LiveRefusal, handle_command, open_chip_questions
from controller.steps import format_step, parse_step
from tests.pipeline.simulated_hand import SimulatedHand
from tests.pipeline.test_never_heard_chips import DeadHeightNoise


def _answers(simulation: SimulatedHand, seat: int) -> list[str]:
    """Return the answers to the questions about the chips of this seat."""
    questions = [question for question in open_chip_questions(simulation.live) if question.seat == seat]
    return [format_step(answer) for question in questions for answer in question.answers]


def _land_silently(simulation: SimulatedHand, seat: int, *chips: int) -> None:
    """Put the chips on the spot so that all but the last answer in a few readings before they fall silent."""
    simulation.world.put_on_spot(seat, chips[:-1])
    simulation.wait(0.35)
    simulation.world.put_on_spot(seat, chips[-1:])
    simulation.wait(0.3)


def _folded(simulation: SimulatedHand) -> set[int]:
    assert simulation.table.hand is not None
    return set(simulation.table.hand.folded)


def test_fold_key_behind_a_silent_call_waits_for_the_answer_and_folds_the_next_seat() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 2))
    _land_silently(simulation, 4, 5, 5)
    simulation.press_key("fold")
    simulation.wait(6.0)
    assert (simulation.turn, _folded(simulation)) == (4, set())
    assert _answers(simulation, 4) == ["chips-are 4 swept", "chips-are 4 taken", "chips-are 4 of 10"]
    simulation.do("chips-are 4 of 10")
    assert (simulation.current_bets[4], _folded(simulation), simulation.turn) == (10, {1}, 2)


def test_fold_key_behind_a_silent_bet_and_a_call_out_of_turn_waits_for_the_answer() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 4))
    _land_silently(simulation, 4, 5, 5, 5, 5)
    simulation.put_chips_and_wait(1, 5, 5, 5, 5)
    simulation.press_key("fold")
    simulation.wait(4.0)
    assert (simulation.turn, _folded(simulation)) == (4, set())
    simulation.do("chips-are 4 of 20")
    assert (simulation.turn, _folded(simulation)) == (1, set())
    simulation.do("1 call")
    assert (simulation.current_bets[4], simulation.current_bets[1], simulation.turn) == (20, 20, 2)


def test_fold_key_folds_a_player_who_took_silent_chips_back() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 2))
    _land_silently(simulation, 4, 5, 5)
    simulation.press_key("fold")
    simulation.wait(4.0)
    simulation.do("chips-are 4 taken")
    simulation.wait(0.5)
    assert (simulation.turn, _folded(simulation)) == (1, {4})


def test_check_key_behind_a_silent_bet_waits_for_the_answer() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet2", 2))
    simulation.do("4 fold", "1 fold", "2 call")
    simulation.world.put_on_spot(2, [5])
    simulation.wait(3.0)
    simulation.do("3 check")
    simulation.sweep_bets(2, 3)
    simulation.wait(1.0)
    simulation.do("deal")
    simulation.wait(2.0)
    simulation.wait(4.0)
    _land_silently(simulation, 2, 5, 5)
    simulation.press_key("check-call")
    simulation.wait(4.0)
    assert (simulation.turn, simulation.questions) == (2, [(2, "emptied", "chips-are 2 swept")])
    simulation.do("chips-are 2 of 10")
    assert simulation.current_bets == {2: 10}


def test_fold_key_behind_a_settled_bet_that_fell_silent_in_turn_waits_and_offers_the_call() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 4))
    simulation.put_chips_and_wait(4, 25, 5)
    for _ in range(2):
        simulation.press_key("fold")
    simulation.put_chips_and_wait(3, 25, 25)
    simulation.world.put_on_spot(4, [25, 5])
    simulation.wait(1.0)
    simulation.press_key("fold")
    simulation.wait(4.0)
    assert (simulation.turn, _folded(simulation)) == (4, {1, 2})
    assert _answers(simulation, 4) == [
        "chips-are 4 covered",
        "chips-are 4 swept",
        "chips-are 4 taken",
        "chips-are 4 of 30",
    ]


class _DeadHeights(DeadHeightNoise):
    """Noise in which no chip of a stack of three answers at either of two spots."""

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        return [] if spot in ("bet4", "bet1") and len(on_spot) == 3 else list(on_spot)


def test_two_bets_that_fall_silent_while_they_land_are_not_a_sweep() -> None:
    simulation = SimulatedHand(noise=_DeadHeights("", 3))
    _land_silently(simulation, 4, 25, 25, 25)
    _land_silently(simulation, 1, 25, 25, 25)
    simulation.wait(4.0)
    assert simulation.current_bets == {2: 5, 3: 10}
    assert [seat for seat, _, _ in simulation.questions] == [1, 4]
    simulation.do("chips-are 4 of 75")
    assert (simulation.current_bets[4], simulation.turn) == (75, 1)


@pytest.mark.parametrize("wait_s", [1.0, 5.0])
def test_turn_of_a_later_seat_waits_for_the_answer_about_silent_chips(wait_s: float) -> None:
    """Let the dealer name seat 1 before and after the question about the silent call of seat 4."""
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 2))
    _land_silently(simulation, 4, 5, 5)
    simulation.wait(wait_s)
    change = handle_command(simulation.live, parse_step("here 1"), simulation.now_us)
    assert change.refusal is not None
    assert (change.refusal.code, change.refusal.seat) == (LiveRefusal.NOT_OFFERED, 4)
    simulation.live = change.live
    simulation.wait(0.5)
    assert (simulation.turn, _folded(simulation)) == (4, set())
    assert _answers(simulation, 4) == ["chips-are 4 swept", "chips-are 4 taken", "chips-are 4 of 10"]
    simulation.do("chips-are 4 taken", "here 1")
    assert (simulation.turn, _folded(simulation)) == (1, {4})
