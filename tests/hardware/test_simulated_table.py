"""Simulated table: settling, spots and devices that go offline, noise, and the same history for the same seed."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import layout
from hardware.antenna_scheduler import AntennaScheduler
from hardware.events import (
    KEYS,
    Chip,
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    SeatPressed,
    SpotActive,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
    WrongDeviceSetting,
)
from hardware.simulated.noise import FULL_NOISE, USUAL_NOISE, NoiseRates, RadioNoise
from hardware.simulated.table import SimulatedTable, SimulationError
from hardware.simulated.world import World
from hardware.stack_detection import StackDetector

GAP_US = 1_200_000


def make_table(noise: RadioNoise | None = None, stacks: int = 5_000, seed: int = 0) -> tuple[SimulatedTable, World]:
    world = World(dict.fromkeys(range(1, 11), stacks), seed)
    table = SimulatedTable(layout.reference_layout(), world, noise)
    table.settle()
    return table, world


def stacks_of(events: list[Event], spot: str) -> list[Event]:
    return [event for event in events if isinstance(event, StackProvisional | StackSettled) and event.spot == spot]


def stack_on(world: World, spot: str) -> tuple[Chip, ...]:
    """Return the chips that are really on a spot, sorted as the events list them."""
    chip_set = layout.reference_layout().chip_set
    chips = [
        Chip(uid, chip_set.denomination(uid) or 0) for uid in world.tags_on_spot(spot) if chip_set.kind(uid) == "chip"
    ]
    return tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))


def test_every_spot_is_reported_online_once_at_the_start() -> None:
    table = SimulatedTable(layout.reference_layout(), World({}))
    events = table.settle()
    for spot in table.spot_monitor.spots:
        about = [type(event) for event in events if getattr(event, "spot", None) == spot]
        assert about == [SpotOnline, StackSettled]
    assert {event.device for event in events if isinstance(event, DeviceUp)} == {
        "odd",
        "even",
        "panel-low",
        "panel-high",
    }


def test_bet_is_provisional_soon_and_settled_after_the_gap() -> None:
    table, world = make_table()
    start_us = table.now_us
    table.spot_monitor.focus([3, 2, 4])
    world.put_on_spot(3, [25, 25, 5])
    active, provisional, settled = table.settle()
    stack = stack_on(world, "bet3")
    assert [chip.denomination for chip in stack] == [25, 25, 5]
    assert active == SpotActive("bet3", active.at_us)
    assert isinstance(provisional, StackProvisional)
    after_us = provisional.last_absent_us
    assert start_us - GAP_US < after_us < active.at_us, "expected the reading before the motion"
    assert provisional == StackProvisional(
        "bet3", stack, (), (), False, provisional.at_us, active.at_us, last_absent_us=after_us
    )
    assert settled == StackSettled("bet3", stack, (), (), False, settled.at_us, active.at_us, last_absent_us=after_us)
    assert provisional.at_us - start_us < 350_000
    assert GAP_US <= settled.at_us - start_us < GAP_US + 300_000


def test_settle_takes_no_time_when_nothing_has_changed() -> None:
    table, _ = make_table()
    before_us = table.now_us
    assert table.settle() == []
    assert table.now_us == before_us


def test_settle_names_spots_that_do_not_settle() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25])
    with pytest.raises(SimulationError, match="bet3: expected settled stacks within 100000 µs"):
        table.settle(100_000)


def test_run_until_stops_at_the_event() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25])
    events = table.run_until(
        lambda provisional: any(isinstance(event, StackProvisional) for event in provisional), 2_000_000
    )
    assert isinstance(events[-1], StackProvisional)
    assert events[-1].at_us == table.now_us


def test_a_sweep_to_the_pot_empties_the_spots() -> None:
    table, world = make_table()
    for seat in (1, 2, 3):
        world.put_on_spot(seat, [100, 25])
    table.settle()
    world.sweep_to_pot()
    last = {event.spot: event.chips for event in table.settle() if isinstance(event, StackSettled)}
    assert last == {"bet1": (), "bet2": (), "bet3": (), "pot": (100, 100, 100, 25, 25, 25)}


def test_lammer_is_reported_at_its_spot() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25])
    table.settle()
    world.put_lammer("button", "bet3")
    assert [summary(event) for event in table.settle() if not isinstance(event, SpotActive)] == [
        (StackProvisional, "bet3", (25,), ("button",)),
        (StackSettled, "bet3", (25,), ("button",)),
    ]
    world.sweep_to_pot()
    swept = {event.spot: summary(event) for event in table.settle() if isinstance(event, StackSettled)}
    assert swept == {
        "bet3": (StackSettled, "bet3", (), ("button",)),
        "pot": (StackSettled, "pot", (25,), ()),
    }
    world.take_lammer("button", "bet3")
    world.put_lammer("button", "bet4")
    moved = [summary(event) for event in table.settle() if isinstance(event, StackSettled)]
    assert sorted(moved, key=lambda reported: reported[1]) == [
        (StackSettled, "bet3", (), ()),
        (StackSettled, "bet4", (), ("button",)),
    ]


def summary(event: Event) -> tuple[type[Event], str, tuple[int, ...], tuple[str, ...]]:
    assert isinstance(event, StackProvisional | StackSettled)
    return type(event), event.spot, event.chips, event.lammers


def test_lammer_is_reported_at_its_spot_with_usual_noise() -> None:
    table, world = make_table(RadioNoise(USUAL_NOISE, 4))
    world.put_lammer("button", "bet10")
    table.settle()
    for seat in range(1, 11):
        before, after = f"bet{(seat - 2) % 10 + 1}", f"bet{seat}"
        world.take_lammer("button", before)
        world.put_lammer("button", after)
        world.put_on_spot(seat, [25, 5])
        last = {event.spot: event.lammers for event in table.settle() if isinstance(event, StackSettled)}
        assert (last[before], last[after]) == ((), ("button",))


def test_exchanged_chip_of_the_same_kind_is_reported_by_uid() -> None:
    """Sweep a bet, and put down chips of the same value before the empty spot is read."""
    table, world = make_table()
    world.put_on_spot(3, [25])
    table.settle()
    swept = stack_on(world, "bet3")
    world.sweep_to_pot()
    world.put_on_spot(3, [25])
    again = stack_on(world, "bet3")
    reported = [
        event for event in table.settle() if isinstance(event, StackProvisional | StackSettled) and event.spot == "bet3"
    ]
    assert [(type(event), event.stack) for event in reported] == [(StackSettled, again)]
    assert swept != again


def test_unplugged_antenna_is_reported_within_two_seconds() -> None:
    for spot in layout.reference_layout().spot_antennas.spots:
        table, _ = make_table()
        start_us = table.now_us
        table.unplug(spot)
        events = table.settle()
        reported = [(type(event), getattr(event, "spot", "")) for event in events if not isinstance(event, SpotActive)]
        assert reported == [(SpotOffline, spot)]
        assert table.now_us - start_us <= 2_000_000


def test_unplugged_antenna_is_reported_in_time_at_a_full_table() -> None:
    table, world = make_table()
    for seat in range(1, 11):
        world.put_on_spot(seat, [5] * 20, add_missing=True)
    table.settle()
    start_us = table.now_us
    table.unplug("bet5")
    table.settle()
    assert table.now_us - start_us <= 2_500_000


def test_spot_back_online_reports_its_contents_once() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25, 5])
    table.settle()
    table.unplug("bet3")
    table.settle()
    table.plug("bet3")
    back = table.settle()
    assert [type(event) for event in back] == [SpotOnline, StackSettled]
    settled = back[-1]
    assert isinstance(settled, StackSettled) and settled.chips == (25, 5)
    assert table.run(5_000_000) == []


def test_chips_added_while_offline_are_reported_when_back_online() -> None:
    table, world = make_table()
    table.unplug("bet3")
    table.settle()
    world.put_on_spot(3, [100])
    assert table.settle() == []
    table.plug("bet3")
    assert [type(event) for event in table.settle()] == [SpotOnline, StackProvisional, StackSettled]


def test_unplugged_cable_takes_only_its_own_spots_offline() -> None:
    table, world = make_table()
    world.put_on_spot(4, [25])
    table.settle()
    table.unplug_reader("even")
    events = table.settle()
    offline = [event.spot for event in events if isinstance(event, SpotOffline)]
    assert sorted(offline) == sorted(["bet2", "bet4", "bet6", "bet8", "bet10", "tray"])
    assert [event.reason for event in events if isinstance(event, DeviceDown)] == ["unplugged"]
    world.put_on_spot(3, [5])
    assert [type(event) for event in table.settle()] == [SpotActive, StackProvisional, StackSettled]
    table.plug_reader("even")
    back = table.settle()
    assert [event.chips for event in back if isinstance(event, StackSettled) and event.spot == "bet4"] == [(25,)]
    assert not [event for event in back if isinstance(event, StackProvisional)]


def test_reader_without_power_is_reported_within_a_second() -> None:
    table, _ = make_table()
    start_us = table.now_us
    table.cut_power("odd")
    events = table.run_until(lambda reported: sum(isinstance(event, SpotOffline) for event in reported) == 6, 3_000_000)
    assert sum(isinstance(event, SpotOffline) for event in events) == 6
    assert table.now_us - start_us <= 1_000_000
    table.restore_power("odd")
    back = table.run(2_000_000)
    assert [event.device for event in back if isinstance(event, DeviceUp)] == ["odd"]
    assert sum(isinstance(event, SpotOnline) for event in back) == 6


def test_board_without_power_is_reported_within_a_second_and_restarts() -> None:
    table, _ = make_table()
    table.cut_power("panel-low")
    table.press("fold")
    assert [type(event) for event in table.run(1_000_000)] == [DeviceDown]
    table.restore_power("panel-low")
    assert [type(event) for event in table.run(2_000_000)] == [DeviceUp]
    table.press("fold")
    assert [type(event) for event in table.run(1_000_000)] == [KeyPressed]


def test_all_unplugged_antennas_of_a_reader_are_reported_within_a_second() -> None:
    table, _ = make_table()
    table.unplug("bet1")
    table.run(30_000)  # The other antennas of the reader fail 30 ms later than the first antenna, as in practice.
    start_us, spots = table.now_us, layout.reference_layout().spot_antennas.spots_by_reader["odd"]
    for spot in spots:
        table.unplug(spot)
    events = table.run(1_000_000)
    assert {event.spot for event in events if isinstance(event, SpotOffline)} == set(spots), table.now_us - start_us


@pytest.mark.parametrize("silent_ms", range(1_000, 6_000, 700))
def test_silent_reader_is_found_again_at_its_own_baud_rate(silent_ms: int) -> None:
    """Silence the reader while the driver tries all baud rates.

    At a wrong baud rate neither side understands the other.
    """
    table, _ = make_table()
    table._readers["odd"].emulator.silence(table.now_us + silent_ms * 1_000)  # type: ignore[attr-defined]
    events = table.run(12_000_000)
    assert [event.device for event in events if isinstance(event, DeviceUp)] == ["odd"]
    assert not [event for event in events if isinstance(event, WrongDeviceSetting)]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_pressed_once(key: str) -> None:
    table, _ = make_table()
    table.press(key)
    assert [event.key for event in table.run(300_000) if isinstance(event, KeyPressed)] == [key]


def test_seat_buttons_and_lamps() -> None:
    table, _ = make_table()
    for seat in range(1, 11):
        table.press_seat(seat)
        assert [event.seat for event in table.run(200_000) if isinstance(event, SeatPressed)] == [seat]
    table.set_lamps([2, 7])
    table.run(100_000)
    assert table.lit_seats == {2, 7}


def test_press_while_unplugged_is_reported_when_plugged_in() -> None:
    table, _ = make_table()
    table.unplug_reader("panel-high")
    table.press("deal")
    assert [type(event) for event in table.run(500_000)] == [DeviceDown]
    table.plug_reader("panel-high")
    assert [event.key for event in table.run(500_000) if isinstance(event, KeyPressed)] == ["deal"]


# --- the same history for the same seed ---


def history(seed: int) -> tuple[list[str], list[tuple[int, str, bytes]]]:
    """Return all events and all bytes of two minutes with full noise."""
    world = World(dict.fromkeys(range(1, 11), 5_000), seed)
    table = SimulatedTable(layout.reference_layout(), world, RadioNoise(FULL_NOISE, seed))
    wires: list[tuple[int, str, bytes]] = []
    table.on_bytes = lambda at_us, device, data: wires.append((at_us, device, data))
    rng = Random(seed)
    reported = [str(event) for event in table.settle()]
    for _ in range(40):
        play_hand(table, world, rng)
        reported += [str(event) for event in table.settle()]
    return reported, wires


def play_hand(table: SimulatedTable, world: World, rng: Random) -> None:
    seat = rng.randint(1, 10)
    table.spot_monitor.focus([seat, seat % 10 + 1, (seat - 2) % 10 + 1])
    draw = rng.random()
    if draw < 0.7:
        world.put_on_spot(seat, [rng.choice([1, 5, 25, 100]) for _ in range(rng.randint(1, 8))], add_missing=True)
    elif draw < 0.85:
        world.give_back(seat, world.spot_value(seat) // 2)
    else:
        world.sweep_to_pot()
        world.remove_from_pot(world.pot_value())


def test_same_seed_gives_the_same_history_byte_for_byte() -> None:
    assert history(7) == history(7)


def test_another_seed_gives_another_history() -> None:
    assert history(7) != history(8)


# --- reported chips are the true chips ---


def play(table: SimulatedTable, world: World, seed: int, hands: int) -> tuple[int, int, int]:
    """Play random hands with noise, and return three numbers.

    - number of settled stacks at bet spots that contain a chip which was not on the spot
    - number of settled stacks at bet spots
    - number of spots with wrong contents at the end of a `settle`
    """
    rng = Random(seed)
    past_stacks: dict[str, list[tuple[int, tuple[Chip, ...]]]] = {spot: [] for spot in table.spot_monitor.spots}
    wrong_count = count = difference_count = 0
    for _ in range(hands):
        play_hand(table, world, rng)
        for spot, past in past_stacks.items():
            past.append((table.now_us, stack_on(world, spot)))
        for event in table.settle():
            if isinstance(event, StackSettled):
                before = [stack for at_us, stack in past_stacks[event.spot] if at_us <= event.at_us - GAP_US]
                during = [
                    stack for at_us, stack in past_stacks[event.spot] if event.at_us - GAP_US < at_us <= event.at_us
                ]
                count += 1
                wrong_count += event.stack not in [*before[-1:], *during]
        difference_count += sum(
            table.spot_monitor.settled_tags(spot) != frozenset(world.tags_on_spot(spot)) for spot in past_stacks
        )
    return wrong_count, count, difference_count


@given(seed=st.integers(0, 2**16))
@settings(max_examples=8, deadline=None)
def test_all_contents_are_exact_without_noise(seed: int) -> None:
    table, world = make_table(RadioNoise(NoiseRates(), seed), seed=seed)
    assert play(table, world, seed, 15)[::2] == (0, 0)


def test_usual_noise_settles_no_wrong_amount() -> None:
    """Check in 240 hands with usual noise that every `StackSettled` has only chips that were on the spot."""
    reported = 0
    for seed in range(6):
        table, world = make_table(RadioNoise(USUAL_NOISE, seed), seed=seed)
        wrong_count, count, _ = play(table, world, seed, 40)
        assert wrong_count == 0
        reported += count
    assert reported > 250


def test_full_noise_raises_no_error() -> None:
    for seed in range(3):
        table, world = make_table(RadioNoise(FULL_NOISE, seed), seed=seed)
        play(table, world, seed, 40)


def test_dead_tag_is_not_reported() -> None:
    table, world = make_table(RadioNoise(NoiseRates(dead=1.0)))
    world.put_on_spot(3, [25])
    table.settle()
    assert table.spot_monitor.settled_tags("bet3") == frozenset()


def test_stack_with_missing_lower_half_is_reported_as_read() -> None:
    """No reading can show the missing chips. They are noticed later, when they appear in the pot."""
    table, world = make_table(RadioNoise(NoiseRates(half_missing=1.0)))
    world.put_on_spot(3, [25] * 10)
    settled = table.settle()[-1]
    assert isinstance(settled, StackSettled) and settled.chips == (25,) * 5


def test_tall_stack_with_misses_is_at_least() -> None:
    table, world = make_table(RadioNoise(NoiseRates(height_read=0.08)))
    world.put_on_spot(3, [5] * 20)
    settled = table.settle()[-1]
    assert isinstance(settled, StackSettled) and settled.at_least
    assert len(settled.chips) <= 20


def test_foreign_tags_are_reported_without_value() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25])
    world.lay_foreign_tag("E007A10000F00001", "bet3")
    settled = table.settle()[-1]
    assert isinstance(settled, StackSettled) and (settled.chips, settled.unknown_count) == ((25,), 1)
    assert settled.unknown_tags == ("E007A10000F00001",)


def test_a_chip_between_two_spots_counts_once() -> None:
    table, world = make_table()
    world.put_on_spot(3, [100])
    world.place_between(world.tags_on_spot("bet3")[0], "bet4")
    settled = [event for event in table.run(6_000_000) if isinstance(event, StackSettled)]
    assert sum(event.chips.count(100) for event in settled) == 1, "the first antenna that reads the chip counts it"


def test_last_pot_on_the_spot_is_gone_after_removal() -> None:
    table, world = make_table()
    world.put_on_spot(3, [25])
    table.settle()
    chips = world.tags_on_spot("bet3")
    world.move_chips(chips, "bet3", "pot")
    world.move_chips(chips, "pot", "bet3")
    table.run(7_000_000)
    world.move_chips(chips, "bet3", "stack3")
    table.settle()
    assert table.spot_monitor.settled_tags("bet3") == frozenset()


# --- cost and planted faults ---


@pytest.mark.soak
def test_settle_needs_little_processor_time() -> None:
    """Measure the processor time of `settle` after a bet.

    The reference machine needs 5 ms, and the limit allows for a slower machine.
    """
    table, world = make_table()
    start_s = time.process_time()
    for number in range(20):
        world.put_on_spot(number % 10 + 1, [25, 5])
        table.settle()
    assert (time.process_time() - start_s) / 20 < 0.040


def test_planted_fault_repeated_settled_stack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a settled stack is reported after every reading, so that one bet would count several times."""
    original = StackDetector.record_reading

    def repeat_settled(
        self: StackDetector, name: str, tags: tuple[str, ...], at_us: int, is_complete: bool = True
    ) -> list[Event]:
        self._states[name].reporter._was_settled = False
        return original(self, name, tags, at_us, is_complete)

    monkeypatch.setattr(StackDetector, "record_reading", repeat_settled)
    with pytest.raises((AssertionError, SimulationError)):
        test_spot_back_online_reports_its_contents_once()


def test_planted_fault_failed_reading_as_empty_spot_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        StackDetector, "record_fault", lambda self, spot, code, at_us: self.record_reading(spot, (), at_us)
    )
    with pytest.raises((AssertionError, SimulationError)):
        test_spot_back_online_reports_its_contents_once()


def test_planted_fault_missing_reread_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a failed spot is not read again soon, so that an unplugged antenna is reported too late."""
    monkeypatch.setattr(AntennaScheduler, "_due_us", lambda self, slot: slot.ended_us + 1_500_000)
    with pytest.raises(AssertionError):
        test_unplugged_antenna_is_reported_within_two_seconds()
