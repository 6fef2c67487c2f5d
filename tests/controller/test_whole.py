"""A value in one piece: what is read back is what was written, and what is damaged is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal import difference, whole
from controller.journal.whole import WholeError
from controller.scripts import STEP_US, Scene, begin, happens, load
from controller.table import AnswersActsNow, Declaration, Declares, Leaves, Note, SpotBack, Step, Table


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Chips(NamedTuple):
    amounts: tuple[int, ...] = ()
    of: str = ""


class Card(NamedTuple):
    of: str


@dataclass(frozen=True, slots=True)
class Seat:
    name: str
    stack: int | None
    factor: float = 1
    likes: Literal["red", "blue"] | None = None


@dataclass(frozen=True)
class Room:
    """One of everything."""

    seats: Mapping[int, Seat]
    shown: Chips | Card | None = None
    last: Step | None = None
    answered: frozenset[Note] = frozenset()
    numbers: frozenset[int] = frozenset()
    devices: Mapping[str, str | None] = field(default_factory=dict)
    colour: Colour = Colour.RED
    pair: tuple[int, str] = (0, "")
    open: bool = True
    before: Room | None = None
    past: tuple[Room, ...] = ()
    present: int = field(init=False, compare=False)
    remembered: str | None = field(init=False, compare=False, repr=False, default=None)

    def __post_init__(self) -> None:
        vars(self).update(present=len(self.seats), remembered="for speed")


names = st.text(max_size=5)
numbers = st.integers(-(2**70), 2**70)
seats = st.builds(
    Seat, names, st.none() | numbers, st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["red", None])
)
notes: st.SearchStrategy[Note] = st.builds(AnswersActsNow, st.integers(1, 10)) | st.just(SpotBack("pot"))
flat = st.builds(
    Room,
    st.dictionaries(st.integers(1, 10), seats, max_size=4),
    st.none() | st.builds(Chips, st.lists(numbers, max_size=3).map(tuple), names) | st.builds(Card, names),
    st.none() | st.builds(Leaves, st.integers(1, 10)) | st.just(Declares(3, Declaration("raise", 60))),
    st.frozensets(notes, max_size=3),
    st.frozensets(numbers, max_size=4),
    st.dictionaries(names, st.none() | names, max_size=3),
    st.sampled_from(Colour),
    st.tuples(numbers, names),
    st.booleans(),
)
rooms = st.builds(lambda room, before, past: replace(room, before=before, past=past),
                  flat, st.none() | flat, st.lists(flat, max_size=3).map(tuple))  # fmt: skip


@settings(deadline=None)
@given(rooms)
def test_what_was_written_is_read_back(room: Room) -> None:
    written = whole.write(room)
    found = whole.read(Room, written)
    assert found == room
    assert found.present == room.present
    assert found.remembered is None
    assert whole.write(found) == written
    assert type(found.colour) is Colour


@settings(deadline=None)
@given(rooms, rooms)
def test_values_have_the_same_digest_exactly_when_they_are_equal(one: Room, other: Room) -> None:
    assert (whole.digest(one) == whole.digest(other)) == (one == other)


def test_neither_order_nor_identity_makes_a_difference() -> None:
    ann, ben = Seat("ann", 200), Seat("ben", None, 2.0)
    one = Room({1: ann, 2: ben}, numbers=frozenset(range(100)), past=(Room({1: ann}), Room({1: ann})))
    other = Room(
        {2: Seat("ben", None, 2), 1: Seat("ann", 200)},
        numbers=frozenset(reversed(range(100))),
        past=(Room({1: Seat("ann", 200)}),) * 2,
    )
    assert one == other
    assert whole.write(one) == whole.write(other)


SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_a_table_that_was_read_back_plays_on_as_if_it_had_not_been() -> None:
    """After each step of every eighth case: nothing that counts is left out, such as the order of a mapping."""
    files = sorted(SCRIPTS.rglob("*.toml"))[::8]
    assert len(files) > 80
    for file in files:
        script = load(file)
        scene = read_back = Scene(begin(script))
        for number, step in enumerate(script.steps, 1):
            scene, outcome = happens(scene, step, number * STEP_US)
            read_back, same = happens(again(read_back), step, number * STEP_US)
            assert (outcome.refused, outcome.warnings) == (same.refused, same.warnings), file
            assert read_back == scene, file
        assert whole.digest(read_back.table) == whole.digest(scene.table), file


def again(scene: Scene) -> Scene:
    return scene._replace(table=whole.read(Table, whole.write(scene.table)))


def test_each_field_counts() -> None:
    room = Room({1: Seat("ann", 200)})
    changed: list[dict[str, Any]] = [
        {"seats": {2: Seat("ann", 200)}},
        {"seats": {1: Seat("ann", 200, likes="red")}},
        {"shown": Chips()},
        {"shown": Card("")},
        {"last": Leaves(1)},
        {"answered": frozenset({AnswersActsNow(1)})},
        {"numbers": frozenset({0})},
        {"devices": {"odd": None}},
        {"colour": Colour.BLUE},
        {"pair": (1, "")},
        {"open": False},
        {"before": room},
        {"past": (room,)},
    ]
    digests = {whole.digest(room), *(whole.digest(replace(room, **each)) for each in changed)}
    assert len(digests) == len(changed) + 1


def test_what_comes_again_is_written_once() -> None:
    many = {seat: Seat(f"player {seat}", seat) for seat in range(1, 101)}
    once = len(whole.write(Room(many)))
    again = Room(many, past=tuple(Room(dict(many), pair=(number, "")) for number in range(200)))
    assert len(whole.write(again)) < once + 200 * 120


@pytest.mark.parametrize("value", [object(), [1], {"a": [1]}, Room({}, numbers=frozenset({(1,)})), b"raw"])  # type: ignore[arg-type]
def test_what_cannot_be_written_is_a_fault_of_ours(value: object) -> None:
    with pytest.raises(TypeError, match="expected"):
        whole.write(value)


ROOM = Room(
    {1: Seat("ann", 200, likes="red")},
    shown=Chips((5, 25)),
    last=Leaves(3),
    answered=frozenset({AnswersActsNow(4)}),
    before=Room({}),
)
DAMAGED = {
    "colour": ('"red",[', '"green",[', "Room.before.colour = 'green': expected Colour"),
    "literal": (',1,"red"]', ',1,"pink"]', "Room.seats[1].likes = 'pink': expected typing.Literal['red', 'blue']"),
    "step": ('"3 leave"', '"3 leaves"', "Room.last = '3 leaves': expected Step"),
    "step-of-another-kind": ('"acts-now 4"', '"4 leave"', "Room.answered = '4 leave': expected Note"),
    "number": ('"ann",200', '"ann","200"', "Room.seats[1].stack = '200': expected int"),
    "truth": ('"ann",200', '"ann",true', "Room.seats[1].stack = True: expected int"),
    "no-such-part": ('"whole":[10]', '"whole":[11]', "Room: refers to [11], expected a part before it"),
    "itself": ('["map",1,[0]]', '["map",1,[1]]', "Room.seats[1]: refers to [1], expected a part before it"),
    "kind": ('"Seat"', '"Stool"', "Room.seats[1]: expected Seat, got"),
    "field": ('"stack"', '"chips"', "Room.seats[1]: expected Seat with stack, got"),
    "no-json": ('"form":1', '"form":', "expected JSON"),
    "form": ('"form":1', '"form":0', "another kind of file, expected form, kinds, parts and whole, form 1"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_one_line(name: str) -> None:
    written = whole.write(ROOM).decode()
    old, new, said = DAMAGED[name]
    assert old in written, written
    with pytest.raises(WholeError) as raised:
        whole.read(Room, written.replace(old, new, 1).encode())
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_another_program_did_not_know_is_read_as_its_default() -> None:
    written = whole.write(ROOM).decode()
    # The kinds are told in the order in which they end: a seat's last two fields, and the last of its values.
    without = written.replace('"stack", "factor", "likes"', '"stack", "factor"').replace('200,1,"red"]', "200,1]")
    assert without != written
    assert whole.read(Room, without.encode()).seats[1] == replace(ROOM.seats[1], likes=Seat("", 0).likes)
    more = written.replace('"likes"', '"likes", "owns"').replace('200,1,"red"]', '200,1,"red",7]')
    assert more != written
    assert whole.read(Room, more.encode()) == ROOM


DIFFERENCES = {
    "the same": (ROOM, ROOM, ""),
    "a number": (ROOM, replace(ROOM, seats={1: Seat("ann", 201, likes="red")}), "seats[1].stack: 200, not 201"),
    "a key": (
        ROOM,
        replace(ROOM, seats={}),
        "seats[1]: Seat(",
    ),
    "a part that is none": (ROOM, replace(ROOM, before=None), "before: Room("),
    "an end": (replace(ROOM, pair=(1, "a")), replace(ROOM, pair=(1, "b")), "pair[1]: 'a', not 'b'"),
    "a step": (ROOM, replace(ROOM, last=Leaves(4)), "last.seat: 3, not 4"),
    "how many": (replace(ROOM, past=(ROOM,)), ROOM, "past: (Room("),
    "plain": (1, 2, ": 1, not 2"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_first_difference_is_told(name: str) -> None:
    one, other, told = DIFFERENCES[name]
    found = difference(one, other)
    assert found.startswith(told) if told else found == ""
    assert "\n" not in found and len(found) < 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.sampled_from(["list", "map", "set", "red", "3 leave"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["form", "parts"]), inner, max_size=2),
    max_leaves=5,
)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_any_damage_is_named_or_makes_another_value(data: st.DataObject) -> None:
    written = json.loads(whole.write(ROOM))
    at = written
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], list | dict) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(json_values)
    try:
        found = whole.read(Room, json.dumps(written).encode())
    except WholeError as error:
        assert "expected" in str(error) and "\n" not in str(error)
    else:
        assert isinstance(found, Room)


@given(st.binary(max_size=40))
def test_what_is_no_whole_at_all_is_named(data: bytes) -> None:
    with pytest.raises(WholeError, match="expected"):
        whole.read(Room, data)


def test_parts_in_parts_without_end_are_named() -> None:
    kinds = [["Room", *(name for name in Room.__dataclass_fields__ if name != "remembered")]]
    room: list[object] = [0, [0], None, None, [1], [1], [0], "red", [2], True, None, [3], 0]
    parts: list[object] = [["map"], ["set"], ["list", 0, ""], ["list"]]
    for number in range(5000):
        parts.append([*room[:10], [number + 3] if number else None, *room[11:]])
    data = json.dumps({"form": 1, "kinds": kinds, "parts": parts, "whole": [len(parts) - 1]}).encode()
    with pytest.raises(WholeError, match="without end, expected"):
        whole.read(Room, data)
