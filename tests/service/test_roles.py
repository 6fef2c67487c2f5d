"""Who may do what: every cell of role x step x state through the socket, badges and their age, doors and users."""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import BadInputError
from controller.journal import Entry
from controller.live import Counting, Live
from controller.presenter.codes import CODES
from controller.service import Guarding, roles
from controller.service.roles import ROLES, STATES, Denied, Door, Rights, Role, State
from controller.service.roles.denials import A_MINUTE, MINUTE_US, Denials
from controller.service.roles.file import load_rights, read_rights, usual_rights
from controller.service.roles.rights import SCREEN
from controller.table import VERBS, ChangesDealer, Counted, KnowsBadges, Note, SeatNote, Step, WasDenied, parse
from controller.view import Choice, Command, Refused, encode
from hardware.badges import PROOF_LASTS_US
from hardware.events import Chip
from tests.service.inside import Inside, inside
from tests.service.running import Bare, connected
from ui.samples import samples

BADGES: Final = 12
NOT_KEYED: Final = frozenset({"confirmed", "too-early", "key-late"})
"""Notes that only this program takes down."""
DOORS = """
[doors.players]
role = "player"
path = "players.sock"
[doors.room]
role = "room"
path = "room.sock"
"""


def usual_text() -> str:
    return (Path(roles.__file__).parent / "roles.toml").read_text()


def guarding(text: str = "", badges: int | None = BADGES) -> Guarding:
    return Guarding(read_rights((text or usual_text()) + DOORS), badges)


# --- every cell ---

FLOORS: Final = frozenset({"game", "clock", "floor-came", "records-checked", "tags-checked"})
"""What is the floor's beside `floor …`."""
TECHNICIANS: Final = frozenset({"plug", "unplug"})

LINES: Final[Mapping[str, str]] = {
    "act": "4 fold", "says": "4 says call", "said": "4 said raise", "chips": "4 chips 10", "takes": "3 takes 5",
    "done": "4 done", "was": "4 was 20", "in": "4 in", "bets-in": "bets-in", "redo": "redo", "skip": "skip",
    "drop": "drop 5", "kitty": "kitty 5", "open": "open", "close": "close", "dealer": "dealer ann",
    "return": "return 3", "change": "change 4 100", "here": "here 1", "bring-in": "bring-in 3",
    "first": "first 3", "open-pair": "open-pair", "deal": "deal", "award": "award main 3", "boards": "boards 2",
    "hand": "hand", "bomb": "bomb 20", "void": "void", "chop": "chop", "undo": "undo", "post": "3 post",
    "straddle": "4 straddle 20", "buys-button": "3 buys-button", "kill": "kill 3", "sit": "5 sit 200",
    "leave": "3 leave", "away": "3 away", "back": "3 back", "moves": "3 moves 7", "add": "3 add 100",
    "cash": "3 cash 100", "marker": "3 marker 5", "redeems": "3 redeems 5", "remove": "3 remove 5",
    "stack": "1 stack 1000", "tip": "3 tip 5", "time": "3 time 6", "out-of-turn": "out-of-turn 3",
    "acts-now": "acts-now 3", "chips-are": "chips-are 3 bet", "count": "count 3 stack", "counted": "counted",
    "count-off": "count-off", "call-floor": "call-floor", "restart-checked": "restart-checked", "game": "game main",
    "clock": "clock 5", "floor-came": "floor-came", "records-checked": "records-checked", "unplug": "unplug 3",
    "plug": "plug 3", "floor bind": "floor bind 3", "floor release": "floor release 3", "floor dead": "floor dead 3",
    "floor turn": "floor turn 3", "floor button": "floor button 3", "floor pot": "floor pot 15",
    "floor bet": "floor bet 3 10", "floor hold": "floor hold", "floor go": "floor go", "tags-checked": "tags-checked",
}  # fmt: skip
"""By verb, a line that says it."""


def given_by_people() -> set[str]:
    """All verbs but those of notes that only sensors and this program give."""
    return {verb for verb, kind in VERBS.items() if not issubclass(kind, Note) or kind.owner != "sensor"} - NOT_KEYED


def test_every_verb_has_a_line() -> None:
    assert set(LINES) == given_by_people()
    assert all(type(parse(line)) is VERBS[verb] for verb, line in LINES.items())


def is_the_houses(role: Role, verb: str, state: State) -> bool:
    """What the house has decided, said another way than in the file."""
    if verb in TECHNICIANS:
        return role == "technician" and state == "between"
    if verb.startswith("floor ") or verb in FLOORS:
        return role == "floor"
    return role == "dealer" or (verb == "stack" and role == "floor")


def asked(role: Role, table: Inside) -> Bare:
    """A connection of this role; where a badge makes it, the badge lies on the reader."""
    door = {"player": "players.sock", "room": "room.sock"}.get(role, "")
    table.badge(role if role in ("floor", "technician") else None)
    return table.door(door)


def permissive(table: Inside) -> Iterator[str]:
    """Every cell in which the table does something else than the house has decided."""
    service = table.service
    between: Live = service.live
    table.call(lambda: service.do(parse("hand")))
    states: dict[State, Live] = {"hand": service.live, "between": between}
    for role in ROLES:
        # The dealer's screen has the dealer's rights whoever's badge lies there: what the badge adds is looked at.
        bare = asked(role, table)
        for state, verb in product(STATES, LINES):
            table.call(lambda live=states[state]: setattr(service, "live", live))  # type: ignore[misc]
            table.call(service._publish)
            bare.shown = service.view.sequence
            refused = bare.command(LINES[verb])
            by_house = is_the_houses(role, verb, state)
            by_house |= role in ("floor", "technician") and is_the_houses("dealer", verb, state)
            denied = refused is not None and refused.code in set(Denied)
            if denied == by_house:
                yield f"{role} {verb} {state}: {refused}"
        bare.close()


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No quota: seven hundred cells one after the other."""
    monkeypatch.setattr("controller.service.quota.A_SECOND", 1_000_000)


@pytest.mark.usefixtures("fast")
def test_every_cell_of_role_step_and_state_is_as_the_house_has_decided(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        assert list(permissive(table)) == []


PLANTED = {
    "player": ("[may.player]", '[may.player]\nbetween = ["hand"]\n#', "player hand between"),
    "room": ("[may.room]", '[may.room]\nhand = ["undo"]\n#', "room undo hand"),
    "dealer": ('"act", ', '"act", "floor pot", ', "dealer floor pot hand"),
    "technician": ("between = [", "always = [", "technician unplug hand"),
    "floor": ('"game", ', "", "floor game hand"),
}


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize(("old", "new", "found"), PLANTED.values(), ids=PLANTED)
def test_a_planted_cell_is_found(tmp_path: Path, old: str, new: str, found: str) -> None:
    assert old in usual_text()
    with inside(tmp_path, guarding(usual_text().replace(old, new, 1))) as table:
        assert any(line.startswith(found) for line in permissive(table))


def test_every_step_of_people_is_somebodys_and_what_it_says_of_itself_is_so() -> None:
    may = usual_rights().may
    named = {kind for kinds in may.values() for kind in kinds}
    assert named == {VERBS[verb] for verb in given_by_people()}
    for kind in named:
        if kind.owner == "floor":
            assert kind in may["floor", "hand"] and kind not in may["dealer", "hand"] | may["dealer", "between"]
        assert kind not in may["room", "hand"] | may["player", "hand"] | may["room", "between"] | may["player", "hand"]


@pytest.mark.parametrize("state", STATES)
def test_what_answers_an_alert_that_the_floor_clears_is_the_floors(state: State) -> None:
    rights = usual_rights()
    shown = [alert for sample in samples() for alert in sample.view.alerts if CODES[alert.code].clears == "floor"]
    answers = {type(parse(choice.do)) for alert in shown for choice in alert.choices if not _is_money(choice)}
    assert {kind for kind in answers if kind.owner == "floor"} <= rights.may["floor", state]


def _is_money(choice: Choice) -> bool:
    return issubclass(type(parse(choice.do)), SeatNote)


# --- badges ---


def entries(table: Inside) -> list[Entry]:
    """What is in its journal."""

    def read() -> list[Entry]:
        recorder = table.service._recorder
        assert recorder is not None and recorder._journal is not None
        return list(recorder._journal.entries())

    return table.call(read)


def refusals(bare: Bare, *lines: str) -> list[str]:
    """The codes of what becomes of the lines, "" for done."""

    def code(refused: Refused | None) -> str:
        return refused.code if refused is not None else ""

    return [code(bare.command(line)) for line in lines]


def test_the_floor_decides_with_its_badge_on_the_reader_and_not_without(tmp_path: Path) -> None:
    with inside(tmp_path, guarding(), journal=tmp_path / "journal.db") as table:
        bare = table.door()
        assert refusals(bare, "hand", "floor pot 20") == ["", "asks-floor"]
        table.badge("floor")
        assert refusals(bare, "floor pot 20", "floor bet 4 20") == ["", ""]
        table.badge(None)
        assert refusals(bare, "floor pot 30") == ["asks-floor"]
        found = entries(table)
        assert [entry.badge for entry in found if entry.source == "floor"] == ["eve (floor)"] * 2
        assert [entry.step for entry in found if isinstance(entry.step, WasDenied)] == [
            WasDenied("screen", "asks-floor floor pot 20"),
            WasDenied("screen", "asks-floor floor pot 30"),
        ]


@pytest.mark.parametrize(
    ("role", "age_us", "proven", "code"),
    [
        ("floor", 0, True, ""),
        ("floor", PROOF_LASTS_US - 5_000_000, True, ""),
        ("floor", PROOF_LASTS_US, True, "asks-floor"),
        ("floor", -60_000_000, True, "asks-floor"),
        ("floor", 0, False, "asks-floor"),
        ("dealer", 0, True, "asks-floor"),
        ("technician", 0, True, "asks-floor"),
    ],
    ids=["new", "nearly-late", "late", "of-the-future", "not-proven", "a-dealers", "a-technicians"],
)
def test_only_the_floors_badge_that_has_proved_itself_lately_speaks(
    tmp_path: Path, role: Role, age_us: int, proven: bool, code: str
) -> None:
    with inside(tmp_path, guarding()) as table:
        table.badge(role, age_us=age_us, proven=proven)  # type: ignore[arg-type]
        assert refusals(table.door(), "floor hold") == [code]


def test_a_proof_of_another_time_or_for_another_journal_is_refused_and_that_is_recorded(tmp_path: Path) -> None:
    with inside(tmp_path, guarding(), journal=tmp_path / "journal.db") as table:
        recorder, bare = table.service._recorder, table.door()
        assert recorder is not None
        table.badge("floor", journal=recorder.name())
        assert refusals(bare, "hand", "floor pot 21") == ["", ""]
        table.badge("floor", journal="another")
        assert refusals(bare, "floor pot 22") == ["asks-floor"]
        table.badge("floor", journal=recorder.name(), age_us=PROOF_LASTS_US)
        assert refusals(bare, "floor pot 23") == ["asks-floor"]
        table.badge("floor", journal=recorder.name(), proven=False)
        assert refusals(bare, "floor pot 24") == ["asks-floor"]
        denied = [each.step.what for each in entries(table) if isinstance(each.step, WasDenied)]
        assert denied == [f"asks-floor floor pot {amount}" for amount in (22, 23, 24)]


def test_a_dealers_badge_that_has_proved_itself_says_who_deals(tmp_path: Path) -> None:
    with inside(tmp_path, guarding(), journal=tmp_path / "journal.db") as table:
        table.badge("dealer", proven=False)
        table.badge("technician")
        assert table.service.live.table.dealer == ""
        for _ in range(2):  # it proves itself again and again
            table.badge("dealer")
        table.badge(None)
        assert table.service.live.table.dealer == "eve"
        assert [each.step for each in entries(table) if isinstance(each.step, ChangesDealer)] == [ChangesDealer("eve")]


def test_a_badge_on_the_reader_speaks_for_the_dealers_screen_alone(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        table.badge("floor")
        assert refusals(table.door("room.sock"), "floor hold", "hand") == ["not-allowed"] * 2
        assert refusals(table.door("players.sock"), "floor hold", "hand") == ["not-allowed"] * 2


def test_a_counted_stack_that_is_off_by_more_than_the_houses_limit_is_the_floors(tmp_path: Path) -> None:
    text = usual_text().replace("counted_off = 0", "counted_off = 25")
    with inside(tmp_path, guarding(text)) as table:
        bare = table.door()
        assert refusals(bare, "1 stack 1025", "1 stack 1000", "1 stack 1026", "1 stack 974") == [
            "", "", "asks-floor", "asks-floor"
        ]  # fmt: skip
        assert refusals(bare, "1 stack unknown") == ["asks-floor"], "nor is it made unknown first"
        table.badge("floor")
        assert refusals(bare, "1 stack unknown") == [""]
        table.badge(None)
        assert refusals(bare, "1 stack 5000") == [""], "the book knew of nothing"


def test_a_count_on_the_pad_is_no_way_round_that(tmp_path: Path) -> None:
    with inside(tmp_path, guarding(), journal=tmp_path / "journal.db") as table:
        chips = (Chip("E004015000000001", 500), Chip("E004015000000002", 500))
        service, bare = table.service, table.door()

        def counts(*pile: Chip) -> None:
            service.live = service.live._replace(counting=Counting(1, "stack", chips=pile, piles=1))

        table.call(lambda: counts(*chips[:1]))
        assert refusals(bare, "counted") == ["asks-floor"]
        table.badge("floor")
        assert refusals(bare, "counted") == [""]
        assert [each.badge for each in entries(table) if isinstance(each.step, Counted)] == ["eve (floor)"]
        table.badge(None)
        table.call(lambda: counts(*chips[:1]))
        assert refusals(bare, "counted") == [""], "as the book has it by now"


def test_a_counted_stack_of_the_floor_is_recorded_with_its_badge(tmp_path: Path) -> None:
    with inside(tmp_path, guarding(), journal=tmp_path / "journal.db") as table:
        table.badge("floor")
        assert refusals(table.door(), "1 stack 5", "2 stack 1000") == ["", ""]
        found = [each for each in entries(table) if each.source != "sensor"]
        assert [(each.source, each.badge) for each in found] == [("floor", "eve (floor)"), ("dealer", "")]


def test_what_the_floor_decided_is_not_taken_back_by_the_dealer(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        bare = table.door()
        assert refusals(bare, "hand") == [""]
        table.badge("floor")
        assert refusals(bare, "floor bet 3 20") == [""]
        table.badge(None)
        assert refusals(bare, "undo") == ["asks-floor"]
        table.badge("floor")
        assert refusals(bare, "undo", "undo") == ["", ""]


def test_the_technician_sets_up_between_hands(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        bare = table.door()
        assert refusals(bare, "unplug 3") == ["asks-technician"]
        table.badge("technician")
        assert refusals(bare, "unplug 3", "hand", "plug 3") == ["", "", "asks-technician"]


# --- an open table ---


def test_a_table_without_a_list_of_badges_is_open_and_says_so(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with inside(tmp_path, guarding(badges=None), journal=journal) as table:
        bare = table.door()
        assert refusals(bare, "hand", "floor pot 20", "1 stack 5") == ["", "", ""]
        assert table.service.view.is_open
        assert refusals(table.door("players.sock"), "4 fold") == ["not-allowed"], "who may look may not do more"
    for badges, counts in ((None, [0]), (BADGES, [0, BADGES]), (BADGES, [0, BADGES])):
        with inside(tmp_path, guarding(badges=badges), journal=journal) as table:
            assert table.service.view.is_open == (badges is None)
            steps = [entry.step for entry in entries(table)]
            assert [step.count for step in steps if isinstance(step, KnowsBadges)] == counts


# --- what is recorded of denials ---


def test_denials_are_recorded_but_no_flood_of_them() -> None:
    kept, door = Denials(), SCREEN
    steps: list[Step] = [parse(f"floor pot {amount}") for amount in range(5, 505, 5)]
    first = [kept.note(door, Denied.ASKS_FLOOR, step, 0) for step in steps]
    assert [note is not None for note in first] == [True] * A_MINUTE + [False] * (len(steps) - A_MINUTE)
    assert kept.note(door, Denied.ASKS_FLOOR, steps[0], MINUTE_US - 1) is None
    assert kept.note(door, Denied.ASKS_FLOOR, steps[0], MINUTE_US) is not None
    assert kept.note(door, Denied.ASKS_FLOOR, steps[0], MINUTE_US + 1) is None, "the same is recorded once a minute"
    assert kept.note(door, Denied.NOT_ALLOWED, steps[0], MINUTE_US + 1) is not None


# --- doors ---


def test_a_door_has_the_group_and_mode_that_the_file_says(tmp_path: Path) -> None:
    group = grp.getgrgid(os.getgid()).gr_name
    text = usual_text() + f'[doors.look]\nrole = "player"\npath = "look.sock"\nmode = 0o620\ngroup = "{group}"\n'
    with inside(tmp_path, Guarding(read_rights(text), BADGES)) as table:
        found = (tmp_path / "look.sock").stat()
        assert (stat.S_IMODE(found.st_mode), found.st_gid) == (0o620, os.getgid())
        assert refusals(table.door("look.sock"), "hand") == ["not-allowed"]
    assert not (tmp_path / "look.sock").exists()


def test_who_is_no_user_of_the_door_is_told_so_and_sees_nothing(tmp_path: Path) -> None:
    other = Door("other", "dealer", "other.sock", users=frozenset({os.getuid() + 1}))
    ours = Door("ours", "player", "ours.sock", users=frozenset({os.getuid()}))
    rights = usual_rights()
    with inside(tmp_path, Guarding(rights._replace(doors=(*rights.doors, other, ours)), None)) as table:
        table.door("ours.sock").close()
        with connected(tmp_path / "other.sock") as bare:
            assert bare.reply() == (0, Refused(code="not-allowed"))
            assert bare.line() == b""
        assert table.service.live.table.hands == 0


def test_who_gives_the_dealers_name_at_another_door_answers_nothing_for_the_dealer(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        screen, player = table.door(), table.door("players.sock")
        for bare in (player, screen):
            bare.send(encode(Command(client="dealer-1", id=7, do="3 tip 5", shown=screen.shown)))
        assert player.reply() == (7, Refused(code="not-allowed"))
        assert screen.reply() == (7, None)
        assert table.service.live.table.accounts.toke == 5


def test_sixteen_at_one_door_leave_the_others_open(tmp_path: Path) -> None:
    with inside(tmp_path, guarding()) as table:
        players = [table.door("players.sock") for _ in range(16)]
        screen = table.door()
        assert refusals(screen, "hand") == [""]
        assert all(bare.view().hand == 1 for bare in players)


# --- the file ---

BAD_FILES: Final[Mapping[str, tuple[str, str, str]]] = {
    "not-toml": ("[may.dealer]", "[may.dealer", "expected TOML"),
    "unknown-verb": ('"act", ', '"act", "dance", ', "may.dealer.always: 'dance', expected a verb of a step"),
    "unknown-role": ("[may.room]", "[may.cook]", "may"),
    "unknown-key": ("counted_off", "counted_of", "counted_of = 0: no such key, expected counted_off"),
    "no-number": ("counted_off = 0", "counted_off = '0'", "counted_off = '0': expected a whole number"),
    "below-0": ("counted_off = 0", "counted_off = -1", "expected 0 or more"),
    "no-screen": ("[doors.screen]", "[doors.other]", "doors.screen: expected this one"),
    "screen-of-players": ('role = "dealer"', 'role = "player"', "doors.screen: expected this one"),
    "screen-with-path": ('role = "dealer"', 'role = "dealer"\npath = "x"', "expected no path, --socket says it"),
    "door-without-path": ("# [doors.players]", '[doors.look]\nrole = "room"\n', "expected the path of a socket"),
    "no-such-user": ('role = "dealer"', 'role = "dealer"\nusers = ["no-such-user"]', "expected a user of this machine"),
    "no-such-group": ('role = "dealer"', 'role = "dealer"\ngroup = 4294967290', "expected a group of this machine"),
    "bad-mode": ('role = "dealer"', 'role = "dealer"\nmode = 0o1777', "expected something like 0o660"),
    "door-by-escape": (
        "# [doors.players]",
        '[doors."\\u001b"]\nrole = "room"\npath = "a"\n',
        "all of which can be seen",
    ),
    "path-by-nul": ("# [doors.players]", '[doors.a]\nrole = "room"\npath = "a\\u0000"\n', "all of which can be seen"),
}


@pytest.mark.parametrize(("old", "new", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in usual_text()
    path = tmp_path / "roles.toml"
    path.write_text(usual_text().replace(old, new, 1))
    with pytest.raises(BadInputError) as caught:
        load_rights(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: ") and said in told and "\n" not in told and told.isprintable()


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml", Path("/dev/zero")):
        with pytest.raises(BadInputError, match="expected a file"):
            load_rights(path)
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(BadInputError, match="expected UTF-8"):
        load_rights(tmp_path / "bad")


INSERTED: Final = ("", "\0", "[", "]]", "= 3", '"', "{}", "\n[may.floor]\n", "\u202e", "9" * 5000)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_other_file_is_one_line_too(data: st.DataObject) -> None:
    """The usual file with something taken out, put in or exchanged."""
    text = usual_text() + DOORS
    for _ in range(data.draw(st.integers(1, 3))):
        at, to = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        new = data.draw(st.sampled_from(INSERTED))
        text = text[:at] + new + text[min(to, at + data.draw(st.integers(0, 30))) :]
    try:
        read_rights(text)
    except BadInputError as error:
        assert str(error).isprintable() and len(str(error)) < 400


def test_what_is_not_named_is_denied() -> None:
    rights: Rights = read_rights('may = {}\n[doors.screen]\nrole = "dealer"\n')
    assert not any(rights.may.values())
