"""Tags of a stack at the edge of an antenna's reach: found within minutes, left out, and counted when they are bet."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from firmware_bridge.driver_messages import InventoryResult
from hardware import layout
from hardware.events import Event, StackProvisional, StackSettled, WrongDeviceSetting
from hardware.spot_monitor import SpotMonitor
from hardware.stack_detection import EdgeTags
from tests.hardware.test_spot_monitor import ScriptedReader

READ_US = 250_000
EDGE, BET = ("E0A", "E0B"), ("E0C", "E0D", "E0E")


def read(
    edge_tags: EdgeTags, rates: dict[str, float], reads: int, seed: int = 1, start_us: int = 0
) -> list[tuple[str, ...]]:
    """Return the tags left after each of these readings, in which each tag answers at its rate."""
    random = Random(seed)
    readings = (tuple(uid for uid, rate in rates.items() if random.random() < rate) for _ in range(reads))
    return [edge_tags.filter(tags, start_us + number * READ_US) for number, tags in enumerate(readings)]


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(1, 6))
def test_tag_that_answers_seldom_on_an_empty_spot_is_left_out(rate: float, seed: int) -> None:
    edge_tags = EdgeTags()
    read(edge_tags, dict.fromkeys(EDGE, rate), 1_200, seed)
    assert edge_tags.has_edge_tag
    later = read(edge_tags, dict.fromkeys(EDGE, rate), 400, seed + 100, 1_200 * READ_US)
    assert sum(bool(tags) for tags in later) <= 12


@pytest.mark.parametrize("seed", range(1, 6))
def test_chip_at_the_edge_counts_within_two_seconds_after_it_is_bet(seed: int) -> None:
    edge_tags = EdgeTags()
    read(edge_tags, dict.fromkeys(EDGE, 0.05), 1_200, seed)
    bet = read(edge_tags, dict.fromkeys(EDGE, 0.98), 200, seed, 1_200 * READ_US)
    assert all(tags for tags in bet[12:])
    assert sum(len(tags) for tags in bet[12:]) > 0.95 * 2 * 188


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(1, 6))
def test_weak_tag_in_a_bet_is_kept(rate: float, seed: int) -> None:
    edge_tags, rates = EdgeTags(), dict.fromkeys(BET[:2], 0.98) | {BET[2]: rate}
    kept = read(edge_tags, rates, 1_200, seed)
    assert not edge_tags.has_edge_tag
    assert kept == read(EdgeTags(), rates, 1_200, seed)


@pytest.mark.parametrize("seed", range(1, 6))
def test_bet_beside_chips_at_the_edge_is_kept(seed: int) -> None:
    edge_tags = EdgeTags()
    read(edge_tags, dict.fromkeys(EDGE, 0.1), 1_200, seed)
    kept = read(edge_tags, dict.fromkeys(EDGE, 0.1) | dict.fromkeys(BET, 1.0), 40, seed, 1_200 * READ_US)
    assert kept == [BET] * 40


@pytest.mark.parametrize("seed", range(1, 6))
def test_antenna_that_hears_the_stack_is_found_by_several_tags_and_leaves_out_others_at_once(seed: int) -> None:
    """Each chip of the stack answers once or twice only, because the player exchanges the stack."""
    edge_tags = EdgeTags()
    for number in range(20):
        read(edge_tags, {f"E{number}": 0.04}, 60, seed + number, number * 60 * READ_US)
    assert edge_tags.has_edge_tag
    later = read(edge_tags, dict.fromkeys(BET, 0.02), 400, seed, 1_200 * READ_US)
    assert sum(bool(tags) for tags in later) <= 2


@pytest.mark.parametrize("seed", range(1, 6))
def test_answers_of_chips_on_another_spot_are_no_sign_of_an_edge(seed: int) -> None:
    edge_tags, random = EdgeTags(), Random(seed)
    neighbours = [f"E{number}" for number in range(20)]
    for number in range(1_200):
        tags = tuple(uid for uid in neighbours if random.random() < 0.004)
        edge_tags.filter(tags, number * READ_US, neighbours.__contains__)
    assert not edge_tags.has_edge_tag


@pytest.mark.parametrize("chips", [1, 3])
def test_bet_at_an_antenna_that_hears_the_stack_counts_after_three_readings_at_most(chips: int) -> None:
    edge_tags = EdgeTags()
    read(edge_tags, dict.fromkeys(EDGE, 0.05), 1_200)
    start_us = 1_200 * READ_US
    assert all(len(tags) == chips for tags in read(edge_tags, dict.fromkeys(BET[:chips], 1.0), 40, 1, start_us)[2:])


@pytest.mark.parametrize("reads_on_spot", [3, 4])
def test_chip_that_lies_on_the_spot_for_a_few_readings_is_kept_when_it_returns(reads_on_spot: int) -> None:
    edge_tags, chip = EdgeTags(), ("E0A",)
    for number in range(400):
        tags = chip if number % 40 < reads_on_spot else ()
        assert edge_tags.filter(tags, number * READ_US) == tags


def _monitor_readings(tags: Callable[[int], tuple[str, ...]], reads: int) -> list[Event]:
    reference = layout.reference_layout()
    monitor = SpotMonitor(reference, {"odd": ScriptedReader(), "even": ScriptedReader()})
    events: list[Event] = []
    for number in range(reads):
        at_us = number * READ_US
        events += monitor.on_message(InventoryResult("odd", 1, tags(number), at_us), at_us)
    return events


def test_antenna_that_hears_the_stack_behind_its_spot_is_noted_once() -> None:
    chip = layout.reference_layout().chip_set.mint(25, 0)
    events = _monitor_readings(lambda number: (chip,) if number % 11 == 0 else (), 600)
    notes = [event for event in events if isinstance(event, WrongDeviceSetting)]
    assert [(note.device, note.setting) for note in notes] == [("odd", "reach-bet1")]
    last_settled = [event for event in events if isinstance(event, StackSettled)][-1]
    assert last_settled.stack == ()


@pytest.mark.parametrize(("answers", "is_bet"), [((1,) * 12, True), ((1, 0, 0, 1, 0, 0) * 2, False)])
def test_chip_of_a_stack_at_the_edge_is_left_out_until_it_answers_reliably(
    answers: tuple[int, ...], is_bet: bool
) -> None:
    """Let the antenna hear one chip of the stack for minutes. A second chip answers twice, and is then bet."""
    edge, chip, other = (layout.reference_layout().chip_set.mint(25, serial) for serial in range(3))
    times = [600, 612, *(620 + number for number, answer in enumerate(answers) if answer)]

    def tags(number: int) -> tuple[str, ...]:
        heard = (edge,) if number < 600 and number % 11 == 0 else ()
        return (*heard, *((chip,) if number in times else ()), *((other,) if number >= 620 else ()))

    events = _monitor_readings(tags, 620 + len(answers))
    last = [event for event in events if isinstance(event, StackSettled | StackProvisional)][-1]
    assert {tag.uid for tag in last.stack} == ({chip, other} if is_bet else {other})
    assert last.weak_tags == ()
