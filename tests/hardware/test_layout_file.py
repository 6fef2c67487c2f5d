"""Layout files: the supplied layouts are valid, and each mistake gives a one-line error with the expected value."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.driver_messages import InventoryResult, Message
from hardware import layout
from hardware.chip_register import derive_public_key, generate_private_key, sign_text
from hardware.chip_set import LAMMER_NAMES, ChipSet, ChipSetError, EncodedUids, UidRange
from hardware.layout import LayoutError, load_layout, parse_layout
from hardware.scheduling_policy import CALM, PARAMETER_RANGES, POLICIES
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import COUNT_PAD, SPOTS, bet_spot, seat_of_spot

READER = '[[readers]]\nname = "a"\nport = "p"\n'
PEPPER = READER + 'protocol = "pepper"\nbaud = 115200\n'


TABLES = {
    "reference": (layout.reference_layout(), set(SPOTS) - {COUNT_PAD}),
    "peppers": (layout.pepper_layout(), set(SPOTS)),
}
tables = pytest.mark.parametrize("name", TABLES)


@tables
def test_supplied_tables_have_every_spot_once(name: str) -> None:
    table, spots = TABLES[name]
    assert sorted(table.spot_antennas.spots) == sorted(spots)
    assert len({(place.reader, place.antenna) for place in table.spot_antennas.all}) == len(spots)


@tables
def test_neighbour_seats_are_on_different_readers(name: str) -> None:
    """Check that the seat in turn and its neighbours are connected to different readers."""
    places = TABLES[name][0].spot_antennas
    for seat in range(1, 10):
        assert places[bet_spot(seat)].reader != places[bet_spot(seat + 1)].reader
        assert bet_spot(seat + 1) in places[bet_spot(seat)].neighbours


@tables
def test_neighbours_are_mutual(name: str) -> None:
    places = TABLES[name][0].spot_antennas
    for place in places.all:
        assert all(place.spot in places[name].neighbours for name in place.neighbours)


def test_layout_file_is_the_reference_table(tmp_path: Path) -> None:
    copy = tmp_path / "house.toml"
    copy.write_text(Path(layout.__file__).parent.with_name("layout.toml").read_text())
    assert load_layout(copy) == layout.reference_layout()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name = 3", "house: name = 3: expected str, got int"),
        (
            "nam = 'x'",
            "house: file: unknown key nam, "
            "expected one of name, sensing, readers, antennas, panels, gpio, chips, policy",
        ),
        (READER + 'antennas = { one = "bet1" }', "house: readers[0].antennas: expected int, got str"),
        ("[sensing]\nrest_ms = 'x'", "house: sensing.rest_ms = 'x': expected int, got str"),
        ("[sensing]\nrest_ms = 9000", "house: sensing.rest_ms = 9000: expected 0 to 1000 ms"),
        (
            "[sensing]\ntechnology = 'nfc'",
            "house: sensing.technology = 'nfc': expected one of iso15693, mode3",
        ),
        (READER, "house: readers[0]: object missing required field antennas"),
        (
            READER + "baud = 7\nantennas = {}",
            "house: readers[0].baud = 7: expected one of 9600, 19200, 38400, 57600, 115200",
        ),
        (
            READER + 'antennas = { 1 = "bet99" }',
            "house: readers[0].antennas.1 = 'bet99': expected bet1 to bet10, pot, tray or pad",
        ),
        (
            READER + 'antennas = { 1 = "bet1", 2 = "bet1" }',
            "house: readers[0].antennas.2 = 'bet1': expected a spot that no other antenna has",
        ),
        (
            READER + 'antennas = { 0 = "bet1" }',
            "house: readers[0].antennas = 0: expected an antenna from 1 to 255",
        ),
        (
            PEPPER + 'antennas = { 9 = "bet1" }',
            "house: readers[0].antennas = 9: expected an antenna from 1 to 8",
        ),
        (
            READER + 'protocol = "pepper"\nantennas = { 1 = "bet1" }',
            "house: readers[0].baud = 38400: expected 115200, the only rate of a Pepper",
        ),
        (
            PEPPER + 'fast_inventory = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].fast_inventory = True: expected false, because only FEIG readers have this setting",
        ),
        (
            READER + 'fast_inventory = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].fast_inventory = True: expected false, because no chip has a tag of Fujitsu "
            "(a UID that begins with E008)",
        ),
        (
            PEPPER + 'rf_reset = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].rf_reset = True: expected false, because a Pepper needs no RF reset",
        ),
        (
            PEPPER + 'second_pass = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].second_pass = True: expected false, because only FEIG readers have a second pass",
        ),
        (
            READER + 'quick_looks = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].quick_looks = True: expected false, or rf_reset = true and the reader's setting ONT 1",
        ),
        (
            READER + 'rf_reset = true\nquick_looks = true\nantennas = { 1 = "bet1", 2 = "bet2" }\n'
            "[antennas]\nneighbours = [['bet1', 'bet2']]",
            "house: antennas.neighbours[0] = ['bet1', 'bet2']: expected antennas of different readers, because "
            "quick_looks needs tags that lose their power",
        ),
        (
            PEPPER + 'antennas = { 1 = "bet1" }\n[sensing]\ntechnology = "mode3"',
            "house: sensing.technology = 'mode3': expected iso15693, because reader a reads no other tags",
        ),
        (
            READER + 'second_pass = true\nantennas = { 1 = "bet1" }\n[sensing]\ntechnology = "mode3"',
            'house: readers[0].second_pass = True: expected false, or technology = "iso15693" in [sensing]',
        ),
        ("[sensing]\nask = 50", "house: sensing.ask = 50: expected one of 100, 10"),
        (
            "[[chips.ranges]]\ndenomination = 5\nfirst = 'E004015000050000'\nlast = 'E00401500005000000000000'",
            "house: chips.ranges[0].last = 'E00401500005000000000000': "
            "expected a UID of 16 or at least 24 upper-case hex digits, as many as in first, and not below first",
        ),
        (
            "[antennas]\nneighbours = [['bet1', 'bet2']]",
            "house: antennas.neighbours[0] = ['bet1', 'bet2']: expected two different spots that have antennas",
        ),
        (
            "[gpio]\nkeys = { fold = 40 }",
            "house: gpio.keys.fold = 40: expected a BCM number from 0 to 27 that no other key has",
        ),
        (
            "[chips]\nlisted = { E0 = 5 }",
            "house: chips.listed = 'E0': expected a UID of 16 or at least 24 upper-case hex digits",
        ),
        (
            "[chips]\nlammers = { E0 = 'button' }",
            "house: chips.lammers = 'E0': expected a UID of 16 or at least 24 upper-case hex digits",
        ),
        (
            "[chips]\nlammers = { E00401004C000001 = 'dealer' }",
            "house: chips.lammers.E00401004C000001 = 'dealer': "
            "expected one of button, missed-blind, all-in, rock, kill",
        ),
        (
            "[chips]\nlisted = { E00401004C000001 = 5 }\nlammers = { E00401004C000001 = 'button' }",
            "house: chips = 'E00401004C000001 is both a lammer and a chip': expected each UID to have only one meaning",
        ),
        (
            "[chips]\nencoded = { prefix = 'E016', digits = 12 }",
            "house: chips.encoded = 'E016, 12': expected a prefix and digits that leave room for a serial number",
        ),
        ("name = ", "house: Invalid value (at end of document): expected TOML"),
    ],
)
def test_layout_mistake_gives_one_line(text: str, line: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_layout(text, "house")
    assert str(caught.value) == line


def test_missing_layout_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="No such file or directory: expected a readable layout file"):
        load_layout(tmp_path / "none.toml")


@pytest.mark.parametrize("seat", [0, 11, -1])
def test_bet_spot_rejects_seats_outside_one_to_ten(seat: int) -> None:
    with pytest.raises(ValueError, match="expected a seat from 1 to 10"):
        bet_spot(seat)


def test_spot_and_seat_round_trip() -> None:
    assert [seat_of_spot(bet_spot(seat)) for seat in range(1, 11)] == list(range(1, 11))
    assert seat_of_spot("pot") is None


CHIPS = ChipSet(
    listed={"E0040150AAAAAAAA": 7},
    ranges=[UidRange(25, "E004015000250000", "E00401500025FFFF")],
    encoded=EncodedUids("E0165", 7),
    lammers={"E00401004C000001": "button"},
    ignored=["E00401004C"],
)


@pytest.mark.parametrize(
    ("uid", "kind", "value"),
    [
        ("E0040150AAAAAAAA", "chip", 7),
        ("E004015000250000", "chip", 25),
        ("E00401500025FFFF", "chip", 25),
        ("E004015000260000", "unknown", None),
        ("E016500000280003", "chip", 40),
        ("E016500000000003", "unknown", None),
        ("E00401004C000001", "lammer", None),
        ("E00401004C000002", "ignored", None),
        ("E007A10000F00001", "unknown", None),
    ],
)
def test_tags_are_classified(uid: str, kind: str, value: int | None) -> None:
    assert (CHIPS.kind(uid), CHIPS.denomination(uid)) == (kind, value)


def test_lammers_have_names() -> None:
    assert CHIPS.lammer("E00401004C000001") == "button"
    assert CHIPS.lammer("E004015000250000") is None


def test_a_house_can_have_several_lammers_of_one_name() -> None:
    text = "[chips]\nlammers = { E00401004C000009 = 'all-in', E00401004C000002 = 'rock', E00401004C000004 = 'all-in' }"
    chips = parse_layout(text).chip_set
    assert chips.lammers("all-in") == ("E00401004C000004", "E00401004C000009")
    assert chips.lammers("button") == ()


def test_the_reference_table_has_a_button() -> None:
    chips = layout.reference_layout().chip_set
    assert len(chips.lammers("button")) == 1
    assert {name for name in LAMMER_NAMES if chips.lammers(name)} == {"button", "missed-blind", "rock"}


def test_minted_chips_are_of_their_denomination() -> None:
    for denomination in (7, 25, 40, 123_456_789):
        assert CHIPS.denomination(CHIPS.mint(denomination, 0)) == denomination
    assert CHIPS.mint(25, 1) != CHIPS.mint(25, 2)


@pytest.mark.parametrize(("denomination", "serial"), [(2**28, 0), (3, 2**16), (0, 0)])
def test_chip_outside_the_chip_set_cannot_be_minted(denomination: int, serial: int) -> None:
    with pytest.raises(ChipSetError, match="not in the chip set"):
        CHIPS.mint(denomination, serial)


def test_ranges_must_not_overlap() -> None:
    with pytest.raises(ChipSetError, match="overlaps"):
        ChipSet(
            ranges=[
                UidRange(1, "E0" + "0" * 14, "E0" + "F" * 14),
                UidRange(2, "E01" + "0" * 13, "E02" + "0" * 13),
            ]
        )


def test_range_excludes_longer_uid() -> None:
    assert CHIPS.kind("E0040150002500001234ABCD") == "unknown"
    assert CHIPS.kind("E01650000028000312345678") == "unknown"


def test_pepper_with_mode_3_is_rejected() -> None:
    with pytest.raises(LayoutError, match="tag technology mode3: expected iso15693, since reader odd reads no others"):
        layout.pepper_layout().with_tag_technology("mode3")


HOUSE = """house = "ours"
number = 3
ranges = [ { denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" } ]
lammers = { E00401004C000001 = "button" }
revoked = ["E004015000250017"]
"""


def house_layout(folder: Path, extra: str = "") -> Path:
    """Write a layout with a signed chip register next to it, and return its path."""
    private = generate_private_key()
    (folder / "house.chips").write_bytes(sign_text(HOUSE.encode(), private))
    path = folder / "layout.toml"
    path.write_text(f'[chips]\nregister = "house.chips"\nregister_key = "{derive_public_key(private)}"\n{extra}')
    return path


def test_register_defines_the_chips(tmp_path: Path) -> None:
    path = house_layout(tmp_path)
    chips = load_layout(path).chip_set
    assert chips.denomination("E004015000250016") == 25
    assert chips.lammer("E00401004C000001") == "button"
    assert (chips.kind("E004015000250017"), chips.denomination("E004015000250017")) == ("revoked", None)
    assert layout.chip_register_of(path) == (
        tmp_path / "house.chips",
        parse_layout(path.read_text()).chips.register_key,
    )


def test_layout_without_register_has_none(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text("name = 'ours'")
    assert layout.chip_register_of(path) is None


def test_altered_register_is_rejected(tmp_path: Path) -> None:
    path = house_layout(tmp_path)
    file = tmp_path / "house.chips"
    file.write_bytes(file.read_bytes().replace(b"denomination = 25", b"denomination = 99"))
    with pytest.raises(LayoutError, match=r"house\.chips: altered or signed with another key"):
        load_layout(path)


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ("revoked = ['E004015000250017']", "expected no value, because the register house.chips has it"),
        ("encoded = { prefix = 'E0165', digits = 7 }", "expected no value, because the register house.chips has it"),
    ],
)
def test_chips_in_addition_to_a_register_are_rejected(tmp_path: Path, extra: str, line: str) -> None:
    with pytest.raises(LayoutError, match=line):
        load_layout(house_layout(tmp_path, extra))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[chips]\nregister = 'a'", "house: chips.register_key = '': expected a public key of 64 hex digits"),
        (
            f"[chips]\nregister_key = '{'a' * 64}'",
            "house: chips.register = '': expected the file of the list that register_key has signed",
        ),
    ],
)
def test_register_without_its_key_is_rejected(text: str, line: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_layout(text, "house")
    assert str(caught.value) == line


@pytest.mark.parametrize(
    "parsed_layout", [layout.reference_layout(), layout.pepper_layout()], ids=["reference", "peppers"]
)
def test_encoded_denomination_counts_only_if_the_layout_enables_it(parsed_layout: layout.TableLayout) -> None:
    forged = "E016500003E80001"
    assert parsed_layout.chip_set.kind(forged) == "unknown"
    assert parsed_layout.with_simulated_chips().chip_set.denomination(forged) == 1_000


def test_chips_of_every_technology_encode_their_denomination() -> None:
    parsed_layout = layout.simulated_layout().with_tag_technology("mode3")
    assert parsed_layout == layout.reference_layout().with_tag_technology("mode3").with_simulated_chips()
    assert parsed_layout.chip_set.denomination(f"34000000{'E016500003E80001'}") == 1_000


# --- the policy of the sweep ---


def test_every_number_of_a_policy_has_a_range_that_contains_all_policies() -> None:
    numbers = {field.name for field in fields(CALM) if type(getattr(CALM, field.name)) in (int, float)}
    assert numbers == PARAMETER_RANGES.keys()
    for name, (minimum, maximum) in PARAMETER_RANGES.items():
        assert all(minimum <= getattr(policy, name) <= maximum for policy in POLICIES), name


def test_layout_without_a_policy_has_the_default_policy() -> None:
    assert layout.reference_layout().policy == CALM


def test_layout_changes_single_parameters_of_the_policy() -> None:
    table = parse_layout('[policy]\nreread = "changed"\noverdue_after_us = 900_000\n')
    assert (table.policy.reread, table.policy.overdue_after_us) == ("changed", 900_000)
    assert table.policy.max_unread_us == CALM.max_unread_us


@pytest.mark.parametrize(
    ("text", "is_preferred"), [("", True), ("[policy]\nmax_cheap_turn_read_us = 0\nturn_rest_factor = 100\n", False)]
)
def test_policy_of_the_layout_reaches_the_scheduler(text: str, is_preferred: bool) -> None:
    """Count the readings of the seat in turn, which the usual policy reads more often than the others."""
    table_layout = msgspec.structs.replace(layout.reference_layout(), policy=parse_layout(text).policy)
    table = SimulatedTable(table_layout, World(dict.fromkeys(range(1, 11), 5_000)))
    reads: Counter[tuple[str, int]] = Counter()

    def count(message: Message) -> None:
        if isinstance(message, InventoryResult):
            reads[message.reader, message.antenna] += 1

    table.on_message = count
    table.spot_monitor.focus([3])
    table.run(10_000_000)
    turn = table_layout.spot_antennas[bet_spot(3)]
    others = [count for (reader, antenna), count in reads.items() if reader == turn.reader and antenna != turn.antenna]
    assert (reads[turn.reader, turn.antenna] > 2 * max(others)) is is_preferred


@pytest.mark.parametrize("name", sorted(PARAMETER_RANGES))
def test_number_of_a_policy_out_of_its_range_is_refused(name: str) -> None:
    minimum, maximum = PARAMETER_RANGES[name]
    for value in (minimum - 1, maximum + 1):
        with pytest.raises(LayoutError, match=rf"policy.{name} = {value}(\.0)?: expected {minimum} to {maximum}"):
            parse_layout(f"[policy]\n{name} = {value}\n")
