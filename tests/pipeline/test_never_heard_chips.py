"""Chips that do not answer although they are on the spot: the table asks, and the right answer is offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from controller.live import open_chip_questions
from controller.steps import format_step
from firmware_bridge.emulators.fault_injection import Fault
from hardware.simulated.world import SpotCover, stack_place_of
from hardware.spots import bet_spot
from tests.pipeline.simulated_hand import SimulatedHand
from tests.pipeline.test_pipeline_regressions import USUAL, VARIANTS, Variant, open_hand


class DeadHeightNoise:
    """Noise in which no chip of a stack of this height answers at this spot."""

    def __init__(self, spot: str, height: int) -> None:
        self._spot, self._height = spot, height

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        """Return all tags on the spot, or an empty list at the dead height."""
        return [] if spot == self._spot and len(on_spot) == self._height else list(on_spot)

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """Return None, because no reading fails."""
        return None


def _answers(simulation: SimulatedHand, seat: int) -> list[str]:
    """Return the answers to the questions about the chips of this seat."""
    questions = [question for question in open_chip_questions(simulation.live) if question.seat == seat]
    return [format_step(answer) for question in questions for answer in question.answers]


def test_bet_that_falls_silent_at_a_dead_height_can_be_answered_with_its_amount() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 4))
    simulation.world.put_on_spot(4, [25, 5, 5])
    simulation.wait(0.5)
    simulation.world.put_on_spot(4, [5])
    simulation.wait(4.0)
    assert simulation.current_bets.get(4, 0) == 0
    assert _answers(simulation, 4) == ["chips-are 4 swept", "chips-are 4 taken", "chips-are 4 of 35"]
    simulation.do("chips-are 4 of 40")
    simulation.wait(3.0)
    assert (simulation.current_bets[4], simulation.turn, simulation.questions) == (40, 1, [])
    simulation.press_key("fold")
    simulation.press_key("fold")
    simulation.put_chips_and_wait(3, 25, 25)
    simulation.world.put_on_spot(4, [5, 5, 5, 5])
    simulation.wait(3.0)
    assert (simulation.current_bets[4], simulation.pot) == (60, 125)


def test_settled_bet_that_falls_silent_at_a_dead_height_counts_when_it_is_still_there() -> None:
    simulation = SimulatedHand(noise=DeadHeightNoise("bet4", 4))
    simulation.put_chips_and_wait(4, 25, 5)
    simulation.press_key("fold")
    simulation.press_key("fold")
    simulation.put_chips_and_wait(3, 25, 25)
    simulation.world.put_on_spot(4, [25, 5])
    simulation.wait(4.0)
    assert simulation.current_bets[4] == 30
    assert "chips-are 4 covered" in _answers(simulation, 4)
    simulation.do("chips-are 4 covered")
    simulation.wait(3.0)
    simulation.press_key("check-call")
    simulation.wait(1.0)
    (owes,) = [alert for alert in simulation.view.alerts if alert.code == "owes"]
    assert (owes.values.seat, owes.values.amount) == (4, 30)
    simulation.do(owes.choices[0].do)
    assert (simulation.pot, simulation.turn, simulation.questions) == (125, 0, [])


@pytest.mark.parametrize(
    ("variant", "is_between_keys", "apart_s"),
    [
        *product(VARIANTS, [True], [0.0, 2.0]),
        *product([USUAL, Variant(technology="mode3"), Variant(seats=(3, 4, 5, 6), presence=True)], [False], [1.0]),
    ],
)
def test_single_chip_of_the_second_neighbour_with_a_copied_tag_is_asked(
    variant: Variant, is_between_keys: bool, apart_s: float
) -> None:
    """Let two neighbours put in chips with the same UID, with two folds or no key between the two chips."""
    simulation, (first, second, third, fourth) = open_hand(variant), variant.seats
    bettor, caller = (fourth, third) if is_between_keys else (first, second)
    own, other = (simulation.world.pick_denominations(stack_place_of(seat), [25]) for seat in (bettor, caller))
    simulation.world.copy_uid(other[0], own[0])
    if not is_between_keys:
        simulation.press_key("fold")
        simulation.wait(0.5)
    simulation.put_chips(bettor, 25)
    simulation.wait(apart_s)
    for _ in range(2 * is_between_keys):
        simulation.wait(0.5)
        simulation.press_key("fold")
    blind = simulation.current_bets[caller]
    simulation.put_chips(caller, 25)
    simulation.wait(5.0)
    answer = f"chips-are {caller} bet"
    assert (simulation.questions, simulation.current_bets[caller]) == ([(caller, "copied", answer)], blind)
    simulation.do(answer)
    assert (simulation.questions, simulation.current_bets[caller]) != ([(caller, "copied", answer)], blind)


@pytest.mark.parametrize(("variant", "apart_s"), [(USUAL, 0.2), (Variant(seats=(3, 4, 5, 6), presence=True), 0.4)])
def test_copied_tag_that_lands_beside_its_original_is_owed_until_the_sweep_shows_it(
    variant: Variant, apart_s: float
) -> None:
    """Let two neighbours put in chips with the same UID at once, which looks like one chip between their spots.

    The turn stays with the second neighbour. The declared call is owed until the first chip has left.
    """
    simulation, (first, second, third, _) = open_hand(variant), variant.seats
    own, other = (simulation.world.pick_denominations(stack_place_of(seat), [25]) for seat in (first, second))
    simulation.world.copy_uid(other[0], own[0])
    simulation.press_key("fold")
    simulation.put_chips(first, 25)
    simulation.wait(apart_s)
    simulation.put_chips(second, 25)
    simulation.wait(5.0)
    assert (simulation.turn, simulation.current_bets[second]) == (second, 5)
    simulation.do(f"{second} call", f"{third} check")
    assert [alert.values.seat for alert in simulation.view.alerts if alert.code == "owes"] == [second]
    simulation.sweep_bets(first, second, third)
    simulation.wait(2.0)
    assert (simulation.pot, simulation.current_bets[second]) == (30, 10)
    assert "owes" not in simulation.alerts


def test_chip_between_two_neighbours_is_not_asked_as_a_copied_tag() -> None:
    simulation = SimulatedHand()
    (chip,) = simulation.world.pick_denominations("stack4", [25])
    simulation.put_chips(4, 25)
    simulation.world.place_between(chip, "bet3")
    simulation.wait(8.0)
    assert "copied" not in simulation.alerts


def test_chips_that_copy_a_tag_of_their_stack_leave_the_caller_as_a_raise_to_answer() -> None:
    simulation = SimulatedHand()
    own = simulation.world.pick_denominations("stack4", [25, 25, 5])
    simulation.world.copy_uid(own[1], own[0])
    simulation.put_chips_and_wait(4, 25, 25, 5)
    for _ in range(2):
        simulation.press_key("fold")
    simulation.put_chips_and_wait(3, 25, 5, 5, 5, 5)
    assert (simulation.turn, simulation.current_bets) == (4, {2: 5, 3: 55, 4: 30})
    simulation.sweep_bets(4, 2, 3)
    simulation.wait(5.0)
    assert "sweep-question" in simulation.alerts


def test_chips_that_never_answer_name_both_bettors_and_warn_before_the_pot_is_awarded() -> None:
    simulation = SimulatedHand()
    chips = simulation.world.pick_denominations("stack4", [25, 25, 5])
    simulation.world.set_cover("bet4", SpotCover("part", frozenset(chips[1:2])))
    simulation.put_chips_and_wait(4, 25, 25, 5)
    simulation.put_chips_and_wait(1, 25, 5)
    for _ in range(2):
        simulation.press_key("fold")
    simulation.sweep_bets(4, 1, 2, 3)
    simulation.wait(5.0)
    simulation.do("deal")
    assert _found(simulation) == ("info", (1, 4), 25)
    simulation.do("4 check", "1 check", "deal", "4 check", "1 check", "deal", "4 check", "1 check")
    assert _found(simulation) == ("warning", (1, 4), 25)


@pytest.mark.parametrize(
    ("hidden", "answers", "total", "variant"),
    [
        *(((1, 0), ["55"], 55, variant) for variant in VARIANTS),
        *(((1, 1), ["55", "60"], 55, variant) for variant in (USUAL, Variant(presence=True))),
        ((0, 1), [], 55, Variant(seats=(3, 6, 8, 10))),
    ],
)
def test_chips_that_never_answer_are_offered_as_part_of_the_last_bet_before_the_deal(
    hidden: tuple[int, int], answers: list[str], total: int, variant: Variant
) -> None:
    """Let the last chips of a bet of 55, of the call or of both never answer on their spots."""
    simulation, (first, second, third, fourth) = open_hand(variant), variant.seats
    for seat, count in zip((fourth, first), hidden, strict=True):
        chips = simulation.world.pick_denominations(stack_place_of(seat), [25, 25, 5])
        simulation.world.set_cover(bet_spot(seat), SpotCover("part", frozenset(chips[3 - count :])))
        simulation.put_chips_and_wait(seat, 25, 25, 5)
    for _ in range(2):
        simulation.press_key("fold")
    simulation.sweep_bets(fourth, first, second, third)
    simulation.wait(5.0)
    (found,) = [alert for alert in simulation.view.alerts if alert.code == "chips-found"]
    owes = next((alert for alert in simulation.view.alerts if alert.code == "owes"), None)
    assert [choice.do for choice in found.choices] == [f"{fourth} was {amount}" for amount in answers]
    assert (found.level, found.values.seats) == (
        ("warning", tuple(sorted((first, fourth)))) if answers else ("info", (first,))
    )
    assert (owes is None) == bool(answers)
    simulation.do(found.choices[0].do if owes is None else owes.choices[0].do)
    assert (simulation.current_bets[first], simulation.current_bets[fourth]) == (total, total)
    assert simulation.alerts == {"chips-found"}
    assert not [choice for alert in simulation.view.alerts for choice in alert.choices]


def _found(simulation: SimulatedHand) -> tuple[str, tuple[int, ...], int | None]:
    """Return level, seats and amount of the alert about chips that no bet spot has read."""
    (alert,) = [alert for alert in simulation.view.alerts if alert.code == "chips-found"]
    return alert.level, alert.values.seats, alert.values.amount


@pytest.mark.parametrize(
    ("seed", "variant"), [*product(range(1, 4), [USUAL]), (1, Variant(seats=(9, 10, 1, 2), presence=True))]
)
def test_hundred_chips_at_once_are_asked_after_the_reader_is_back(seed: int, variant: Variant) -> None:
    """A reader that needs a second for a hundred new chips counts as silent until it answers."""
    simulation, seat = open_hand(variant, seed=seed), variant.seats[3]
    simulation.world.put_on_spot(seat, [5] * 100)
    offline_waits = 0
    for _ in range(40):
        simulation.wait(0.25)
        offline_waits += not simulation.alerts.isdisjoint({"spot-offline", "reader-offline"})
    assert 0.25 * offline_waits <= 2.0
    assert (simulation.questions, simulation.turn) == ([(seat, "at-least", f"chips-are {seat} bet")], seat)
    simulation.do(f"chips-are {seat} of 500")
    assert (simulation.current_bets[seat], simulation.questions) == (500, [])
    assert simulation.turn == variant.seats[0]


@pytest.mark.parametrize("variant", [USUAL, Variant(technology="mode3"), Variant(seats=(7, 8, 9, 10))])
def test_call_beside_a_hundred_chips_that_arrive_first_is_counted_after_the_answer(variant: Variant) -> None:
    """Let the next seat call while the reader still counts as silent. Mode 3 reads the chips in time."""
    simulation, (first, _, _, fourth) = open_hand(variant), variant.seats
    simulation.world.put_on_spot(fourth, [5] * 100)
    simulation.wait(0.3)
    simulation.put_chips(first, 100, 100, 100, 100, 100)
    simulation.wait(8.0)
    if simulation.questions:
        assert simulation.questions == [(fourth, "at-least", f"chips-are {fourth} bet")]
        simulation.do(f"chips-are {fourth} of 500")
    if simulation.turn == first:  # The call was out of turn, and the dealer is asked whether it stands.
        simulation.do(f"{first} call")
    simulation.wait(1.0)
    assert (simulation.current_bets[fourth], simulation.current_bets[first]) == (500, 500)
    assert simulation.turn == variant.seats[1]


def test_spots_beside_a_hundred_new_chips_are_read_before_the_chips_are_read_again() -> None:
    """The spots of the reader are offline only while one inventory of the hundred chips lasts."""
    simulation = SimulatedHand()
    simulation.world.put_on_spot(4, [5] * 100)
    offline_waits = 0
    for _ in range(100):
        simulation.wait(0.05)
        offline_waits += 2 in simulation.table.offline_seat_sensors
    assert 0 < 0.05 * offline_waits <= 0.7
    simulation.wait(5.0)
    assert simulation.questions == [(4, "at-least", "chips-are 4 bet")]


@pytest.mark.parametrize("order", ["none", "before", "after"])
def test_fill_explains_the_new_chips_in_the_tray(order: str) -> None:
    """Let chips come to the tray in a hand without a fill, and with one that is entered before or after."""
    simulation = SimulatedHand()
    simulation.world.fill_tray(100)
    simulation.do("fill 100")
    simulation.wait(8.0)
    if order == "before":
        simulation.do("fill 530")
    simulation.world.fill_tray(530)
    simulation.wait(8.0)
    assert ("chips-found" in simulation.alerts) is (order in ("none", "after"))
    if order == "after":
        simulation.do("fill 530")
        simulation.wait(8.0)
    assert ("chips-found" in simulation.alerts) is (order == "none")
