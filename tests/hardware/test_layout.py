"""The layout file: the reference table is right, and each mistake is one line that says what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware import layout
from hardware.chips import LAMMERS, ChipSet, ChipSetError, EncodedUids, UidRange
from hardware.layout import LayoutError, load, parse
from hardware.register import new_key, public_key, signed
from hardware.spots import PAD, SPOTS, bet_spot, seat_of

READER = '[[readers]]\nname = "a"\nport = "p"\n'
PEPPER = READER + 'protocol = "pepper"\nbaud = 115200\n'


TABLES = {
    "reference": (layout.reference(), set(SPOTS) - {PAD}),
    "peppers": (layout.peppers(), set(SPOTS)),
}
tables = pytest.mark.parametrize("name", TABLES)


@tables
def test_our_tables_have_every_spot_once(name: str) -> None:
    table, spots = TABLES[name]
    assert sorted(table.places.spots) == sorted(spots)
    assert len({(place.reader, place.antenna) for place in table.places.all}) == len(spots)


@tables
def test_neighbours_are_on_different_readers_where_seats_are(name: str) -> None:
    """So the seat to act and its neighbours share the work of both readers."""
    places = TABLES[name][0].places
    for seat in range(1, 10):
        assert places[bet_spot(seat)].reader != places[bet_spot(seat + 1)].reader
        assert bet_spot(seat + 1) in places[bet_spot(seat)].neighbours


@tables
def test_neighbours_are_mutual(name: str) -> None:
    places = TABLES[name][0].places
    for place in places.all:
        assert all(place.spot in places[name].neighbours for name in place.neighbours)


def test_the_file_beside_the_package_is_the_reference(tmp_path: Path) -> None:
    copy = tmp_path / "house.toml"
    copy.write_text(Path(layout.__file__).parent.with_name("layout.toml").read_text())
    assert load(copy) == layout.reference()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name = 3", "house: name = 3: expected str, got int"),
        (
            "nam = 'x'",
            "house: file: object contains unknown field nam, "
            "one of name, sensing, readers, antennas, panels, gpio, chips expected",
        ),
        (READER + 'antennas = { one = "bet1" }', "house: readers[0].antennas: expected int, got str"),
        ("[sensing]\nrest_ms = 'x'", "house: sensing.rest_ms = 'x': expected int, got str"),
        ("[sensing]\nrest_ms = 9000", "house: sensing.rest_ms = 9000: 0 to 1000 expected"),
        (
            "[sensing]\ntechnology = 'nfc'",
            "house: sensing.technology = 'nfc': one of iso15693, mode3 expected",
        ),
        (READER, "house: readers[0]: object missing required field antennas"),
        (
            READER + "baud = 7\nantennas = {}",
            "house: readers[0].baud = 7: one of 9600, 19200, 38400, 57600, 115200 expected",
        ),
        (
            READER + 'antennas = { 1 = "bet99" }',
            "house: readers[0].antennas.1 = 'bet99': bet1 to bet10, pot, tray or pad expected",
        ),
        (
            READER + 'antennas = { 1 = "bet1", 2 = "bet1" }',
            "house: readers[0].antennas.2 = 'bet1': a spot that no other antenna has expected",
        ),
        (
            READER + 'antennas = { 0 = "bet1" }',
            "house: readers[0].antennas = 0: an antenna from 1 to 255 expected",
        ),
        (
            PEPPER + 'antennas = { 9 = "bet1" }',
            "house: readers[0].antennas = 9: an antenna from 1 to 8 expected",
        ),
        (
            READER + 'protocol = "pepper"\nantennas = { 1 = "bet1" }',
            "house: readers[0].baud = 38400: 115200, the one rate of a pepper, expected",
        ),
        (
            PEPPER + 'rf_reset = true\nantennas = { 1 = "bet1" }',
            "house: readers[0].rf_reset = True: false, as a pepper needs none, expected",
        ),
        (
            PEPPER + 'antennas = { 1 = "bet1" }\n[sensing]\ntechnology = "mode3"',
            "house: sensing.technology = 'mode3': iso15693, which reader a reads, expected",
        ),
        ("[sensing]\nask = 50", "house: sensing.ask = 50: one of 100, 10 expected"),
        (
            "[[chips.ranges]]\ndenomination = 5\nfirst = 'E004015000050000'\nlast = 'E00401500005000000000000'",
            "house: chips.ranges[0].last = 'E00401500005000000000000': "
            "a UID of 16, or of 24 and more, upper-case hex digits, as many as the first has, not before it, expected",
        ),
        (
            "[antennas]\nneighbours = [['bet1', 'bet2']]",
            "house: antennas.neighbours[0] = ['bet1', 'bet2']: two different spots that have antennas expected",
        ),
        (
            "[gpio]\nkeys = { fold = 40 }",
            "house: gpio.keys.fold = 40: a BCM number from 0 to 27 that no other key has expected",
        ),
        (
            "[chips]\nlisted = { E0 = 5 }",
            "house: chips.listed = 'E0': a UID of 16, or of 24 and more, upper-case hex digits expected",
        ),
        (
            "[chips]\nlammers = { E0 = 'button' }",
            "house: chips.lammers = 'E0': a UID of 16, or of 24 and more, upper-case hex digits expected",
        ),
        (
            "[chips]\nlammers = { E00401004C000001 = 'dealer' }",
            "house: chips.lammers.E00401004C000001 = 'dealer': "
            "one of button, missed-blind, all-in, rock, kill expected",
        ),
        (
            "[chips]\nlisted = { E00401004C000001 = 5 }\nlammers = { E00401004C000001 = 'button' }",
            "house: chips = 'E00401004C000001 is both a lammer and a chip': every UID to be one thing expected",
        ),
        (
            "[chips]\nencoded = { prefix = 'E016', digits = 12 }",
            "house: chips.encoded = 'E016, 12': prefix and digits that leave a serial number expected",
        ),
        ("name = ", "house: Invalid value (at end of document): TOML expected"),
    ],
)
def test_a_mistake_is_one_line(text: str, line: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse(text, "house")
    assert str(caught.value) == line


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="No such file or directory: a readable layout file expected"):
        load(tmp_path / "none.toml")


@pytest.mark.parametrize("seat", [0, 11, -1])
def test_seats_are_one_to_ten(seat: int) -> None:
    with pytest.raises(ValueError, match="1 to 10 expected"):
        bet_spot(seat)


def test_spot_and_seat() -> None:
    assert [seat_of(bet_spot(seat)) for seat in range(1, 11)] == list(range(1, 11))
    assert seat_of("pot") is None


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
def test_what_a_tag_is(uid: str, kind: str, value: int | None) -> None:
    assert (CHIPS.kind(uid), CHIPS.denomination(uid)) == (kind, value)


def test_lammers_have_names() -> None:
    assert CHIPS.lammer("E00401004C000001") == "button"
    assert CHIPS.lammer("E004015000250000") is None


def test_a_house_can_have_several_lammers_of_one_name() -> None:
    text = "[chips]\nlammers = { E00401004C000009 = 'all-in', E00401004C000002 = 'rock', E00401004C000004 = 'all-in' }"
    chips = parse(text).chip_set
    assert chips.lammers("all-in") == ("E00401004C000004", "E00401004C000009")
    assert chips.lammers("button") == ()


def test_the_reference_table_has_a_button() -> None:
    chips = layout.reference().chip_set
    assert len(chips.lammers("button")) == 1
    assert {name for name in LAMMERS if chips.lammers(name)} == {"button", "missed-blind", "rock"}


def test_minted_chips_are_of_their_denomination() -> None:
    for denomination in (7, 25, 40, 123_456_789):
        assert CHIPS.denomination(CHIPS.mint(denomination, 0)) == denomination
    assert CHIPS.mint(25, 1) != CHIPS.mint(25, 2)


@pytest.mark.parametrize(("denomination", "serial"), [(2**28, 0), (3, 2**16), (0, 0)])
def test_what_the_chip_set_does_not_have_cannot_be_minted(denomination: int, serial: int) -> None:
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


def test_a_range_holds_no_longer_uid() -> None:
    assert CHIPS.kind("E0040150002500001234ABCD") == "unknown"
    assert CHIPS.kind("E01650000028000312345678") == "unknown"


def test_a_pepper_cannot_read_mode_3() -> None:
    with pytest.raises(LayoutError, match="mode3: iso15693 expected, the tags that reader odd reads"):
        layout.peppers().with_tags("mode3")


HOUSE = """house = "ours"
number = 3
ranges = [ { denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" } ]
lammers = { E00401004C000001 = "button" }
revoked = ["E004015000250017"]
"""


def house_layout(folder: Path, more: str = "") -> Path:
    """A layout whose chips are in a signed register beside it."""
    private = new_key()
    (folder / "house.chips").write_bytes(signed(HOUSE.encode(), private))
    path = folder / "layout.toml"
    path.write_text(f'[chips]\nregister = "house.chips"\nregister_key = "{public_key(private)}"\n{more}')
    return path


def test_a_register_says_what_the_chips_are(tmp_path: Path) -> None:
    path = house_layout(tmp_path)
    chips = load(path).chip_set
    assert chips.denomination("E004015000250016") == 25
    assert chips.lammer("E00401004C000001") == "button"
    assert (chips.kind("E004015000250017"), chips.denomination("E004015000250017")) == ("revoked", None)
    assert layout.register_of(path) == (tmp_path / "house.chips", parse(path.read_text()).chips.register_key)


def test_a_layout_without_a_register_names_none(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text("name = 'ours'")
    assert layout.register_of(path) is None


def test_an_altered_register_is_refused(tmp_path: Path) -> None:
    path = house_layout(tmp_path)
    file = tmp_path / "house.chips"
    file.write_bytes(file.read_bytes().replace(b"denomination = 25", b"denomination = 99"))
    with pytest.raises(LayoutError, match=r"house\.chips: altered, or signed with another key"):
        load(path)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("revoked = ['E004015000250017']", "house.chips says that': none beside a register expected"),
        ("encoded = { prefix = 'E0165', digits = 7 }", "house.chips says that': none beside a register expected"),
    ],
)
def test_nothing_stands_beside_a_register(tmp_path: Path, more: str, line: str) -> None:
    with pytest.raises(LayoutError, match=line):
        load(house_layout(tmp_path, more))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[chips]\nregister = 'a'", "house: chips.register_key = '': a public key of 64 hex digits expected"),
        (
            f"[chips]\nregister_key = '{'a' * 64}'",
            "house: chips.register = '': the file of the list that register_key has signed expected",
        ),
    ],
)
def test_register_and_key_belong_together(text: str, line: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse(text, "house")
    assert str(caught.value) == line


@pytest.mark.parametrize("made", [layout.reference(), layout.peppers()], ids=["reference", "peppers"])
def test_a_uid_is_not_worth_what_it_says_unless_the_layout_says_so(made: layout.Layout) -> None:
    forged = "E016500003E80001"
    assert made.chip_set.kind(forged) == "unknown"
    assert made.with_encoded().chip_set.denomination(forged) == 1_000


def test_chips_of_other_technologies_say_their_denomination_too() -> None:
    made = layout.simulated().with_tags("mode3")
    assert made == layout.reference().with_tags("mode3").with_encoded()
    assert made.chip_set.denomination(f"34000000{'E016500003E80001'}") == 1_000
