"""A value that is read from a snapshot equals the value that was written.

A snapshot is the saved state of a table. Damage to a snapshot is reported.
"""

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

from controller.journal import first_difference, snapshot
from controller.journal.snapshot import SnapshotError
from controller.rules import Game
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, load_script, starting_table
from controller.steps import Declaration, Observation, Step, hand_steps, observations, table_steps
from controller.table import Table


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Chips(NamedTuple):
    amounts: tuple[int, ...] = ()
    of: str = ""


class Pair(NamedTuple):
    first: Game
    second: Game


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
    """Class for tests that has a field of every type that a snapshot can contain."""

    seats: Mapping[int, Seat]
    shown: Chips | Card | None = None
    last: Step | None = None
    answered: frozenset[Observation] = frozenset()
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
notes: st.SearchStrategy[Observation] = st.builds(observations.AnswersActsNow, st.integers(1, 10)) | st.just(
    observations.RecordSpotOnline("pot")
)
flat = st.builds(
    Room,
    st.dictionaries(st.integers(1, 10), seats, max_size=4),
    st.none() | st.builds(Chips, st.lists(numbers, max_size=3).map(tuple), names) | st.builds(Card, names),
    st.none()
    | st.builds(table_steps.LeavesTable, st.integers(1, 10))
    | st.just(hand_steps.Declares(3, Declaration("raise", 60))),
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
def test_snapshot_survives_write_and_read(room: Room) -> None:
    written = snapshot.encode(room)
    decoded = snapshot.decode(Room, written)
    assert decoded == room
    assert decoded.present == room.present
    assert decoded.remembered is None
    assert snapshot.encode(decoded) == written
    assert type(decoded.colour) is Colour


@settings(deadline=None)
@given(rooms, rooms)
def test_digests_are_equal_exactly_for_equal_values(first: Room, second: Room) -> None:
    assert (snapshot.digest_of_value(first) == snapshot.digest_of_value(second)) == (first == second)


def test_snapshot_is_independent_of_order_and_identity() -> None:
    ann, ben = Seat("ann", 200), Seat("ben", None, 2.0)
    first = Room({1: ann, 2: ben}, numbers=frozenset(range(100)), past=(Room({1: ann}), Room({1: ann})))
    second = Room(
        {2: Seat("ben", None, 2), 1: Seat("ann", 200)},
        numbers=frozenset(reversed(range(100))),
        past=(Room({1: Seat("ann", 200)}),) * 2,
    )
    assert first == second
    assert snapshot.encode(first) == snapshot.encode(second)


SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_table_read_from_a_snapshot_continues_identically() -> None:
    """A table that is read from a snapshot must behave like the original table.

    The test takes a snapshot after each step of every eighth table script. It notices, for example, if a snapshot loses
    the order of a mapping.
    """
    files = sorted(SCRIPTS.rglob("*.toml"))[::8]
    assert len(files) > 80
    for file in files:
        script = load_script(file)
        scene = read_back = ScriptState(starting_table(script))
        for number, step in enumerate(script.steps, 1):
            scene, outcome = apply_scripted_step(scene, step, number * STEP_INTERVAL_US)
            read_back, outcome_read_back = apply_scripted_step(
                through_snapshot(read_back), step, number * STEP_INTERVAL_US
            )
            assert (outcome.refusal, outcome.warning_codes) == (
                outcome_read_back.refusal,
                outcome_read_back.warning_codes,
            ), file
            assert read_back == scene, file
        assert snapshot.digest_of_value(read_back.table) == snapshot.digest_of_value(scene.table), file


def through_snapshot(scene: ScriptState) -> ScriptState:
    return scene._replace(table=snapshot.decode(Table, snapshot.encode(scene.table)))


def test_every_field_changes_the_digest() -> None:
    room = Room({1: Seat("ann", 200)})
    changed: list[dict[str, Any]] = [
        {"seats": {2: Seat("ann", 200)}},
        {"seats": {1: Seat("ann", 200, likes="red")}},
        {"shown": Chips()},
        {"shown": Card("")},
        {"last": table_steps.LeavesTable(1)},
        {"answered": frozenset({observations.AnswersActsNow(1)})},
        {"numbers": frozenset({0})},
        {"devices": {"odd": None}},
        {"colour": Colour.BLUE},
        {"pair": (1, "")},
        {"open": False},
        {"before": room},
        {"past": (room,)},
    ]
    digests = {
        snapshot.digest_of_value(room),
        *(snapshot.digest_of_value(replace(room, **change)) for change in changed),
    }
    assert len(digests) == len(changed) + 1


def test_repeated_values_are_written_once() -> None:
    many = {seat: Seat(f"player {seat}", seat) for seat in range(1, 101)}
    once = len(snapshot.encode(Room(many)))
    through_snapshot = Room(many, past=tuple(Room(dict(many), pair=(number, "")) for number in range(200)))
    assert len(snapshot.encode(through_snapshot)) < once + 200 * 120


@pytest.mark.parametrize("value", [object(), [1], {"a": [1]}, Room({}, numbers=frozenset({(1,)})), b"raw"])  # type: ignore[arg-type]
def test_unsupported_value_raises_type_error(value: object) -> None:
    with pytest.raises(TypeError, match="expected"):
        snapshot.encode(value)


ROOM = Room(
    {1: Seat("ann", 200, likes="red")},
    shown=Chips((5, 25)),
    last=table_steps.LeavesTable(3),
    answered=frozenset({observations.AnswersActsNow(4)}),
    before=Room({}),
)
DAMAGED = {
    "colour": ('"red",[', '"green",[', "Room.before.colour = 'green': expected Colour"),
    "literal": (',1,"red"]', ',1,"pink"]', "Room.seats[1].likes = 'pink': expected typing.Literal['red', 'blue']"),
    "step": ('"3 leave"', '"3 leaves"', "Room.last = '3 leaves': expected Step"),
    "step-of-another-kind": ('"acts-now 4"', '"4 leave"', "Room.answered = '4 leave': expected Observation"),
    "number": ('"ann",200', '"ann","200"', "Room.seats[1].stack = '200': expected int"),
    "truth": ('"ann",200', '"ann",true', "Room.seats[1].stack = True: expected int"),
    "missing-part": ('"whole":[10]', '"whole":[11]', "Room: refers to [11], expected an earlier part"),
    "itself": ('["map",1,[0]]', '["map",1,[1]]', "Room.seats[1]: refers to [1], expected an earlier part"),
    "kind": ('"Seat"', '"Stool"', "Room.seats[1]: expected Seat, got"),
    "field": ('"stack"', '"chips"', "Room.seats[1]: expected Seat with stack, got"),
    "no-json": ('"form":1', '"form":', "expected JSON"),
    "form": ('"form":1', '"form":0', "another kind of file, expected the keys form, kinds, parts, whole of format 1"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_snapshot_is_one_error_line(name: str) -> None:
    written = snapshot.encode(ROOM).decode()
    old, new, message = DAMAGED[name]
    assert old in written, written
    with pytest.raises(SnapshotError) as raised:
        snapshot.decode(Room, written.replace(old, new, 1).encode())
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_missing_field_is_read_as_its_default() -> None:
    written = snapshot.encode(ROOM).decode()
    # Remove the field `likes` from the list of a seat's fields, and its value "red" from the seat.
    without = written.replace('"stack", "factor", "likes"', '"stack", "factor"').replace('200,1,"red"]', "200,1]")
    assert without != written
    assert snapshot.decode(Room, without.encode()).seats[1] == replace(ROOM.seats[1], likes=Seat("", 0).likes)
    with_extra_field = written.replace('"likes"', '"likes", "owns"').replace('200,1,"red"]', '200,1,"red",7]')
    assert with_extra_field != written
    assert snapshot.decode(Room, with_extra_field.encode()) == ROOM


def test_added_field_is_written_only_if_it_differs_from_its_default() -> None:
    usual, per_player = Game(ante=2, ante_by="button"), Game(ante=2, ante_by="button", ante_per_player=True)
    assert b"ante_per_player" not in snapshot.encode(usual)
    assert b"ante_per_player" in snapshot.encode(per_player)
    both = snapshot.decode(Pair, snapshot.encode(Pair(usual, per_player)))
    assert both == Pair(usual, per_player)


DIFFERENCES = {
    "the same": (ROOM, ROOM, ""),
    "a number": (ROOM, replace(ROOM, seats={1: Seat("ann", 201, likes="red")}), "seats[1].stack: 200, not 201"),
    "a key": (
        ROOM,
        replace(ROOM, seats={}),
        "seats[1]: Seat(",
    ),
    "a part that is missing": (ROOM, replace(ROOM, before=None), "before: Room("),
    "an end": (replace(ROOM, pair=(1, "a")), replace(ROOM, pair=(1, "b")), "pair[1]: 'a', not 'b'"),
    "a step": (ROOM, replace(ROOM, last=table_steps.LeavesTable(4)), "last.seat: 3, not 4"),
    "a length": (replace(ROOM, past=(ROOM,)), ROOM, "past: (Room("),
    "plain": (1, 2, ": 1, not 2"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_first_difference_of_two_values_is_reported(name: str) -> None:
    first, second, difference = DIFFERENCES[name]
    reported = first_difference(first, second)
    assert reported.startswith(difference) if difference else reported == ""
    assert "\n" not in reported and len(reported) < 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.sampled_from(["list", "map", "set", "red", "3 leave"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["form", "parts"]), inner, max_size=2),
    max_leaves=5,
)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_damage_is_reported_or_decodes_to_a_valid_value(data: st.DataObject) -> None:
    written = json.loads(snapshot.encode(ROOM))
    at = written
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], list | dict) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(json_values)
    try:
        decoded = snapshot.decode(Room, json.dumps(written).encode())
    except SnapshotError as error:
        assert "expected" in str(error) and "\n" not in str(error)
    else:
        assert isinstance(decoded, Room)


@given(st.binary(max_size=40))
def test_file_that_is_not_a_snapshot_is_refused(data: bytes) -> None:
    with pytest.raises(SnapshotError, match="expected"):
        snapshot.decode(Room, data)


def test_endless_nesting_is_refused() -> None:
    kinds = [["Room", *(name for name in Room.__dataclass_fields__ if name != "remembered")]]
    room: list[object] = [0, [0], None, None, [1], [1], [0], "red", [2], True, None, [3], 0]
    parts: list[object] = [["map"], ["set"], ["list", 0, ""], ["list"]]
    for number in range(5000):
        parts.append([*room[:10], [number + 3] if number else None, *room[11:]])
    data = json.dumps({"form": 1, "kinds": kinds, "parts": parts, "whole": [len(parts) - 1]}).encode()
    with pytest.raises(SnapshotError, match="nested too deeply, expected"):
        snapshot.decode(Room, data)
