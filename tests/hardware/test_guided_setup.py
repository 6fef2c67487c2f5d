"""`find` writes the layout of any wiring, and names what was swapped. `tune` names the antennas that were made bad."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Final

import msgspec
import pytest

from hardware.chip_register import parse_chip_list
from hardware.guided_setup import (
    Antenna,
    AntennaReport,
    Button,
    Enrolment,
    FindDialogue,
    Prompt,
    Wiring,
    find_layout_wiring,
    measure_antennas,
    read_pile,
    with_heights,
    with_wiring,
)
from hardware.layout import LayoutError, PanelSpec, ReaderSpec, TableLayout, parse_layout, reference_layout
from hardware.simulated.noise import USUAL_NOISE, NoiseRates, RadioNoise
from hardware.simulated.simulated_bench import SimulatedBench
from hardware.simulated.world import World

TEXT: Final = files("hardware").joinpath("layout.toml").read_text(encoding="utf-8")
CHIP: Final = "E004015000250001"
Wired = Mapping[tuple[str, str, int], str]


def wired(layout: TableLayout) -> Wired:
    """Return what is at each antenna and button, by kind, port and number. The names of devices do not matter."""
    antennas = {
        ("antenna", reader.port, number): spot for reader in layout.readers for number, spot in reader.antennas.items()
    }
    buttons = {
        ("button", panel.port, number): name for panel in layout.panels for number, name in panel.buttons.items()
    }
    return antennas | buttons


def random_wiring(dice: Random) -> TableLayout:
    """Return the reference table with everything connected at random: ports, antennas and buttons."""
    layout = reference_layout()
    spots = [spot for reader in layout.readers for spot in reader.antennas.values()]
    buttons = [name for panel in layout.panels for name in panel.buttons.values()]
    dice.shuffle(spots)
    dice.shuffle(buttons)
    count = dice.randint(4, 8)
    readers = _shared_out(spots, count, dice, range(1, 9))
    panels = _shared_out(buttons, len(buttons) // 2, dice, range(12))
    reader_ports, panel_ports = [reader.port for reader in layout.readers], [panel.port for panel in layout.panels]
    dice.shuffle(reader_ports)
    dice.shuffle(panel_ports)
    return msgspec.structs.replace(
        layout,
        readers=tuple(
            ReaderSpec(name=f"r{number}", port=port, baud=115200, antennas=antennas)
            for number, (port, antennas) in enumerate(zip(reader_ports, readers, strict=True))
        ),
        panels=tuple(
            PanelSpec(name=f"p{number}", port=port, buttons=numbers)
            for number, (port, numbers) in enumerate(zip(panel_ports, panels, strict=True))
        ),
        antennas=msgspec.structs.replace(layout.antennas, max_sure_heights={}),
    )


def _shared_out(names: list[str], first: int, dice: Random, numbers: range) -> list[dict[int, str]]:
    return [dict(zip(dice.sample(numbers, len(part)), part, strict=True)) for part in (names[:first], names[first:])]


class Technician:
    """Does what the prompts say: moves one chip from spot to spot, and presses buttons."""

    def __init__(self, true_layout: TableLayout, bench: SimulatedBench, world: World) -> None:
        self.prompts: list[Prompt] = []
        self._bench, self._world = bench, world
        self._button = {
            name: Button(panel.port, number) for panel in true_layout.panels for number, name in panel.buttons.items()
        }
        self.skips: set[str] = set()

    def __call__(self, prompt: Prompt) -> None:
        self.prompts.append(prompt)
        if prompt.name in self.skips:
            return
        if prompt.kind == "chip":
            if self._world.is_on_a_spot(CHIP):
                self._world.lift_foreign_tag(CHIP)
            self._world.lay_foreign_tag(CHIP, prompt.name)
        else:
            self._bench.press(self._button[prompt.name])


def find(true_layout: TableLayout, *, noise: RadioNoise | None = None, seed: int = 0) -> tuple[TableLayout, list[str]]:
    """Return the layout that `find` writes, and its notes."""
    world = World({})
    bench = SimulatedBench(true_layout, world, noise, seed=seed)
    wiring = find_layout_wiring(bench, reference_layout(), Technician(true_layout, bench, world))
    change = with_wiring(TEXT, wiring, "layout.toml")
    return parse_layout(change.text), list(change.notes)


def check_found_wirings(seeds: Iterable[int]) -> None:
    """Check that the found layout equals a random wiring, for each of these seeds."""
    for seed in seeds:
        true_layout = random_wiring(Random(seed))
        assert wired(find(true_layout, seed=seed)[0]) == wired(true_layout), seed


def test_found_layout_equals_the_wiring_for_random_wirings() -> None:
    check_found_wirings(range(30))


@pytest.mark.soak
def test_found_layout_equals_the_wiring_for_200_random_wirings() -> None:
    check_found_wirings(range(30, 230))


def test_wiring_is_found_in_spite_of_radio_noise_and_neighbours() -> None:
    """Some inventories fail or miss the chip, and the antennas of neighbours hear the chip now and then."""
    for seed in range(20):
        true_layout = random_wiring(Random(seed))
        noise = RadioNoise(USUAL_NOISE, seed=seed)
        assert wired(find(true_layout, noise=noise, seed=seed)[0]) == wired(true_layout), seed


def test_layout_as_built_is_not_changed() -> None:
    world = World({})
    bench = SimulatedBench(reference_layout(), world)
    wiring = find_layout_wiring(bench, reference_layout(), Technician(reference_layout(), bench, world))
    assert with_wiring(TEXT, wiring, "layout.toml") == (TEXT, ())


def swapped(layout: TableLayout, first: str, second: str) -> TableLayout:
    """Return the layout with two spots, two keys, or the ports of two devices exchanged."""
    names = {first: second, second: first}
    ports = layout.ports

    def renamed(numbers: Mapping[int, str]) -> dict[int, str]:
        return {number: names.get(name, name) for number, name in numbers.items()}

    layout = msgspec.structs.replace(
        layout,
        readers=tuple(msgspec.structs.replace(reader, antennas=renamed(reader.antennas)) for reader in layout.readers),
        panels=tuple(msgspec.structs.replace(panel, buttons=renamed(panel.buttons)) for panel in layout.panels),
    )
    return layout.with_ports({name: ports[other] for name, other in names.items() if name in ports})


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        ("bet3", "bet7", "bet3 and bet7: their antennas were swapped"),
        ("bet3", "bet4", "bet3 and bet4: their antennas were swapped"),
        ("fold", "undo", "fold and undo: their buttons were swapped"),
        ("odd", "even", "even and odd: their ports were swapped"),
        ("panel-low", "panel-high", "panel-high and panel-low: their ports were swapped"),
    ],
)
def test_what_was_swapped_is_named_and_comments_stay(first: str, second: str, note: str) -> None:
    true_layout, world = swapped(reference_layout(), first, second), World({})
    bench = SimulatedBench(true_layout, world)
    wiring = find_layout_wiring(bench, reference_layout(), Technician(true_layout, bench, world))
    change = with_wiring(TEXT, wiring, "layout.toml")
    assert change.notes == (note,)
    assert wired(parse_layout(change.text)) == wired(true_layout)
    comments = [line.partition("#")[2] for line in TEXT.splitlines() if "#" in line]
    assert [line.partition("#")[2] for line in change.text.splitlines() if "#" in line] == comments


def test_serial_numbers_follow_the_devices_of_swapped_ports() -> None:
    true_layout = swapped(reference_layout(), "odd", "even")
    world = World({})
    bench = SimulatedBench(true_layout, world)
    even_port, odd_port = true_layout.ports["even"], true_layout.ports["odd"]
    # The layout was written with the numbers at the ports before they were swapped.
    text = TEXT
    for name, port in (("odd", even_port), ("even", odd_port)):
        text = text.replace(f'name     = "{name}"', f'name     = "{name}"\nserial   = "{bench.serials[port]}"')
    wiring = find_layout_wiring(bench, reference_layout(), Technician(true_layout, bench, world))
    found = parse_layout(with_wiring(text, wiring, "layout.toml").text)
    assert {reader.name: reader.serial for reader in found.readers} == {
        "odd": bench.serials[odd_port],
        "even": bench.serials[even_port],
    }
    assert wired(found) == wired(true_layout)


def test_dead_antenna_and_button_that_nobody_pressed_are_named_and_left_as_they_were() -> None:
    world = World({})
    bench = SimulatedBench(reference_layout(), world)
    bench.antennas.unplugged_spots.add("bet6")
    technician = Technician(reference_layout(), bench, world)
    technician.skips = {"undo"}
    wiring = find_layout_wiring(bench, reference_layout(), technician)
    assert wiring.missing == ("bet6", "undo")
    text, notes = with_wiring(TEXT, wiring, "layout.toml")
    assert notes == ("bet6: not found, left as it was", "undo: not found, left as it was")
    assert wired(parse_layout(text)) == wired(reference_layout())


def test_chips_that_lie_on_the_table_already_are_ignored() -> None:
    world = World({})
    bench = SimulatedBench(reference_layout(), world)
    world.lay_foreign_tag("E004015000259999", "bet2")
    wiring = find_layout_wiring(bench, reference_layout(), Technician(reference_layout(), bench, world))
    assert with_wiring(TEXT, wiring, "layout.toml").notes == ()


def test_planted_find_that_takes_the_first_antenna_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """An antenna that hears a chip on its neighbour's spot once must not be taken for the antenna of that spot."""
    monkeypatch.setattr("hardware.guided_setup.find.MIN_HITS", 1)
    monkeypatch.setattr("hardware.guided_setup.find.MIN_LEAD", -1)
    wrong = 0
    for seed in range(10):
        true_layout = random_wiring(Random(seed))
        noise = RadioNoise(NoiseRates(crosstalk_read=0.3), seed=seed)
        try:
            wrong += wired(find(true_layout, noise=noise, seed=seed)[0]) != wired(true_layout)
        except LayoutError:
            wrong += 1
    assert wrong


def test_dead_antenna_whose_place_another_spot_has_taken_writes_no_layout() -> None:
    true_layout, world = swapped(reference_layout(), "bet3", "bet7"), World({})
    bench = SimulatedBench(true_layout, world)
    bench.antennas.unplugged_spots.add("bet7")
    wiring = find_layout_wiring(bench, reference_layout(), Technician(true_layout, bench, world))
    with pytest.raises(LayoutError, match=r"layout\.toml: bet7: not found, and another spot was found"):
        with_wiring(TEXT, wiring, "layout.toml")


def test_button_whose_pin_another_button_has_writes_no_layout() -> None:
    """If seat 1 is at the pin of seat 2, seat 2 has no pin left. The layout must not lose its button."""
    panel = reference_layout().ports["panel-low"]
    with pytest.raises(LayoutError, match=r"layout\.toml: seat2: not found, and another button was found at the pin"):
        with_wiring(TEXT, Wiring({}, {Button(panel, 1): "seat1"}, ("seat2",)), "layout.toml")


A1, A2, A3 = (Antenna("p", number) for number in (1, 2, 3))
B0, B1 = (Button("b", number) for number in (0, 1))
Input = Sequence[Antenna] | Button | str


@pytest.mark.parametrize(
    ("inputs", "step", "antennas", "buttons"),
    [
        ([[A1]] * 2, 0, {}, {}),
        ([[A1]] * 3, 1, {A1: "bet1"}, {}),
        ([[A1, A2]] * 9, 0, {}, {}),
        ([[A1, A2]] * 2 + [[A1]] * 3, 1, {A1: "bet1"}, {}),
        ([[A1]] * 9, 1, {A1: "bet1"}, {}),  # The chip still lies on its first spot.
        ([[A1]] * 3 + [[A2]] * 3, 2, {A1: "bet1", A2: "bet2"}, {}),
        (["skip"] + [[A2]] * 3, 2, {A2: "bet2"}, {}),
        (["back"], 0, {}, {}),
        ([[A1]] * 3 + ["back"], 0, {}, {}),
        ([[A1]] * 3 + ["back"] + [[A3]] * 9, 0, {}, {}),  # The chip must be lifted first.
        ([[A1]] * 3 + ["back"] + [[]] + [[A3]] * 3, 1, {A3: "bet1"}, {}),
        (["skip", "skip", B1, B1], 3, {}, {B1: "fold"}),
        (["skip", "skip", B1, "back", B0, B1], 4, {}, {B0: "fold", B1: "deal"}),
    ],
)
def test_dialogue_knows_a_place_after_clear_readings_and_takes_answers_back(
    inputs: Sequence[Input], step: int, antennas: Mapping[Antenna, str], buttons: Mapping[Button, str]
) -> None:
    dialogue = FindDialogue(["bet1", "bet2"], ["fold", "deal"])
    for item in inputs:
        if isinstance(item, Button):
            dialogue.press(item)
        elif isinstance(item, str):
            dialogue.skip() if item == "skip" else dialogue.back()
        else:
            dialogue.hear(item)
    wiring = dialogue.wiring({})
    assert (dialogue.step, wiring.antennas, wiring.buttons) == (step, antennas, buttons)


# --- tune ---

HEIGHTS = (5, 10, 15, 20)
DATE = datetime.date(2026, 11, 25)


class BadAntennas:
    """Noise of antennas that miss chips: each weak one a share of all chips, each low one the chips above a height."""

    def __init__(self, weak: Mapping[str, float], low: Mapping[str, int], crosstalk: Mapping[str, str]) -> None:
        self._weak, self._low, self._crosstalk, self._dice = weak, low, crosstalk, Random(1)

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        heard = [uid for uid in on_spot if self._dice.random() >= self._weak.get(spot, 0.0)]
        heard = heard[-self._low[spot] :] if spot in self._low else heard
        other = neighbours.get(self._crosstalk.get(spot, ""), ())
        return [*heard, *other[:1]] if self._dice.random() < 0.5 else heard

    def fault(self, reader: str, spot: str, now_us: int) -> None:
        return None


def tune(
    true_layout: TableLayout, *, dead: Sequence[str] = (), noise: BadAntennas | None = None, spots: Sequence[str] = ()
) -> dict[str, AntennaReport]:
    """Measure the reference layout at a table with this true wiring."""
    world = World({})
    bench = SimulatedBench(true_layout, world, noise)
    bench.antennas.unplugged_spots.update(dead)
    laid: list[str] = []

    def lay(spot: str, height: int) -> None:
        for uid in laid:
            world.lift_foreign_tag(uid)
        laid[:] = [f"E00401500025{number:04X}" for number in range(height)]
        for uid in laid:
            world.lay_foreign_tag(uid, spot)

    layout = reference_layout()
    reports = measure_antennas(bench, layout, spots or layout.spot_antennas.spots, HEIGHTS, lay)
    return {report.spot: report for report in reports}


def test_tune_finds_every_antenna_of_a_healthy_table_good() -> None:
    reports = tune(reference_layout())
    assert {report.verdict for report in reports.values()} == {"good"}
    assert {report.sure_height for report in reports.values()} == {20}
    assert all(report.heard_at == {} for report in reports.values())


@pytest.mark.parametrize("seed", range(6))
def test_tune_names_the_dead_weak_and_crossed_antenna_it_was_given(seed: int) -> None:
    spots = Random(seed).sample(reference_layout().spot_antennas.spots, 4)
    dead, weak, first, second = spots
    true_layout = swapped(reference_layout(), first, second)
    reports = tune(true_layout, dead=[dead], noise=BadAntennas({weak: 0.3}, {}, {}))
    bad = {spot: report.verdict for spot, report in reports.items() if report.verdict != "good"}
    assert bad == {dead: "dead", weak: "weak", first: "crossed", second: "crossed"}
    assert (reports[first].better_spot, reports[second].better_spot) == (second, first)


def test_tune_measures_the_sure_height_and_what_neighbours_hear() -> None:
    noise = BadAntennas({}, {"bet4": 12, "bet9": 19}, {"bet5": "bet4"})
    reports = tune(reference_layout(), noise=noise, spots=["bet4", "bet9", "bet1"])
    assert [reports[spot].sure_height for spot in ("bet4", "bet9", "bet1")] == [10, 15, 20]
    assert reports["bet4"].verdict == "good"
    assert list(reports["bet4"].heard_at) == ["bet5"] and 0.2 < reports["bet4"].heard_at["bet5"] < 0.8
    assert [result.incomplete for result in reports["bet4"].heights] == [0, 0, 1, 1]


def test_measured_heights_are_written_with_the_date_and_drift_is_named() -> None:
    noise = BadAntennas({}, {"bet4": 12}, {})
    reports = [*tune(reference_layout(), noise=noise, spots=["bet4", "bet1"]).values()]
    text, notes = with_heights(TEXT, reports, DATE, "layout.toml")
    assert notes == ("bet4: sure height 10, 20 in the layout",)
    layout = parse_layout(text)
    assert (layout.spot_antennas["bet4"].max_sure_height, layout.antennas.measured) == (10, DATE)
    assert layout.antennas.max_sure_heights == {"pot": 20, "tray": 20, "bet4": 10, "bet1": 20}
    assert [line.partition("#")[2] for line in text.splitlines() if "#" in line] == [
        line.partition("#")[2] for line in TEXT.splitlines() if "#" in line
    ]
    later, drift = with_heights(text, [*tune(reference_layout(), spots=["bet4"]).values()], DATE, "layout.toml")
    assert drift == ("bet4: sure height 20, 10 on 2026-11-25",)
    assert parse_layout(later).spot_antennas["bet4"].max_sure_height == 20


def test_dead_and_crossed_antennas_leave_the_layout_as_it_was() -> None:
    reports = [*tune(reference_layout(), dead=["bet2"], spots=["bet2"]).values()]
    assert with_heights(TEXT, reports, DATE, "layout.toml") == (TEXT, ())


def test_planted_tune_that_accepts_any_reading_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.guided_setup.tune.WEAK_MISS_RATE", 1.0)
    reports = tune(reference_layout(), noise=BadAntennas({"bet3": 0.3}, {}, {}), spots=["bet3"])
    assert reports["bet3"].verdict != "weak"


# --- enroll ---

LIST: Final = b"""# counted by Ann
house  = "Grand"
number = 3
ranges  = [ { denomination = 100, first = "E004015001000000", last = "E00401500100FFFF" } ]
lammers = { E00401004C000001 = "button" }
ignored = ["E00401004D"]
revoked = ["E004015000250099"]
[listed]
E004015000250001 = 25   # the first one
"""


def new_tags(count: int, first: int = 0x1000) -> list[str]:
    return [f"E00401500025{number:04X}" for number in range(first, first + count)]


def enrolment() -> Enrolment:
    return Enrolment(parse_chip_list(LIST, "list"), 25)


@pytest.mark.parametrize(
    ("tag", "problem"),
    [
        ("E004015000250001", "E004015000250001: already listed as 25"),
        ("E004015001000007", "E004015001000007: already listed as 100, by a range"),
        ("E00401004C000001", "E00401004C000001: listed as lammer button"),
        ("E00401004D000001", "E00401004D000001: listed as ignored"),
        ("E004015000250099", "E004015000250099: revoked"),
    ],
)
def test_pile_with_a_tag_that_is_listed_already_is_refused_as_a_whole(tag: str, problem: str) -> None:
    new = enrolment()
    assert new.add_pile([*new_tags(19), tag], 20) == (problem,)
    assert new.tags == ()
    assert new.add_pile(new_tags(19), 19) == ()


def test_pile_is_refused_if_a_tag_was_counted_before_or_does_not_answer() -> None:
    new = enrolment()
    assert new.add_pile(new_tags(20), 20) == ()
    assert new.add_pile(new_tags(3, 0x1013), 3) == ("E004015000251013: already in pile 1",)
    assert new.add_pile(new_tags(19, 0x2000), 20) == ("19 tags answer, but the pile has 20 chips",)
    assert new.add_pile(new_tags(21, 0x2000), 20) == ("21 tags answer, but the pile has 20 chips",)
    assert new.add_pile(new_tags(20, 0x2000), 20) == ()
    assert len(new.tags) == 40


def test_next_list_has_the_new_chips_the_next_number_and_all_comments() -> None:
    new = enrolment()
    assert new.add_pile(new_tags(3), 3) == ()
    text = new.next_list(LIST, "list")
    old, result = parse_chip_list(LIST, "list"), parse_chip_list(text, "list")
    assert result.number == 4 and result.listed == {**old.listed, **dict.fromkeys(new_tags(3), 25)}
    assert (result.house, result.ranges, result.lammers) == (old.house, old.ranges, old.lammers)
    assert (result.ignored, result.revoked) == (old.ignored, old.revoked)
    assert b"# counted by Ann" in text and b"# the first one" in text


def test_pile_is_read_in_spite_of_missed_readings() -> None:
    world, layout = World({}), reference_layout()
    bench = SimulatedBench(layout, world, BadAntennas({"bet1": 0.3}, {}, {}))
    for tag in new_tags(20):
        world.lay_foreign_tag(tag, "bet1")
    assert list(read_pile(bench, Antenna(layout.ports["odd"], 1))) == new_tags(20)
