"""Check who may do which step. The tests send every step in every role and state through the socket.

Other tests check badges, the age of a badge's proof, and which users may connect to which socket.
"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import BadInputError, parse_config
from controller.journal import Entry
from controller.live import Live, PadCount
from controller.presenter.alert_codes import ALERT_TYPES
from controller.service import AccessPolicy, roles
from controller.service.roles import (
    HAND_STATES,
    ROLES,
    ROOM_SOCKET,
    Endpoint,
    HandState,
    PermissionRefusal,
    Permissions,
    Role,
)
from controller.service.roles.denial_log import MAX_DENIALS_PER_MINUTE, MINUTE_US, DenialLog
from controller.service.roles.permissions import DEALER_ENDPOINT
from controller.service.roles.permissions_file import default_permissions, load_permissions, parse_permissions
from controller.service.start_files import ServeOptions, read_start_files
from controller.steps import (
    STEP_CLASS_BY_VERB,
    Observation,
    SeatObservation,
    Step,
    observations,
    parse_step,
    table_steps,
)
from controller.view import (
    Choice,
    Command,
    FloorCallView,
    RefusalView,
    protocol,
)
from firmware_bridge.clock import monotonic_us
from hardware.badges import PROOF_LIFETIME_US
from hardware.events import Chip, Key, KeyPressed
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import RawConnection, raw_connection
from ui.view_samples import view_samples

BADGES: Final = 12
NOT_KEYED: Final = frozenset({"confirmed", "too-early", "key-late"})
"""Verbs of observations that only the service records. Nobody can send a command with such a verb."""
ENDPOINTS = """
[doors.players]
role = "player"
path = "players.sock"
[doors.room]
role = "room"
path = "room.sock"
"""


def usual_text() -> str:
    """Return the text of the roles file that comes with the program."""
    return (Path(roles.__file__).parent / "roles.toml").read_text()


def access_policy(text: str = "", badges: int | None = BADGES) -> AccessPolicy:
    """Return the access policy of a roles file, with two more sockets: for players and for the room."""
    return AccessPolicy(parse_permissions((text or usual_text()) + ENDPOINTS), badges)


# --- every role, step and state ---

FLOOR_VERBS: Final = frozenset({"game", "clock", "floor-came", "fill", "credit", "records-checked", "tags-checked"})
"""Verbs that only the floor may send, although they do not begin with `floor`."""
TECHNICIAN_VERBS: Final = frozenset({"plug", "unplug"})

LINES: Final[Mapping[str, str]] = {
    "act": "4 fold", "says": "4 says call", "said": "4 said raise", "chips": "4 chips 10", "takes": "3 takes 5",
    "done": "4 done", "was": "4 was 20", "did": "4 did fold", "in": "4 in", "bets-in": "bets-in",
    "redo": "redo", "skip": "skip",
    "drop": "drop 5", "kitty": "kitty 5", "open": "open", "close": "close", "dealer": "dealer ann",
    "return": "return 3", "change": "change 4 100", "here": "here 1", "bring-in": "bring-in 3",
    "first": "first 3", "open-pair": "open-pair", "deal": "deal", "award": "award main 3", "boards": "boards 2",
    "hand": "hand", "bomb": "bomb 20", "void": "void", "chop": "chop", "undo": "undo", "post": "3 post",
    "straddle": "4 straddle 20", "buys-button": "3 buys-button", "kill": "kill 3", "sit": "5 sit 200",
    "leave": "3 leave", "away": "3 away", "back": "3 back", "moves": "3 moves 7", "add": "3 add 100",
    "cash": "3 cash 100", "marker": "3 marker 5", "redeems": "3 redeems 5", "remove": "3 remove 5",
    "stack": "1 stack 1000", "tip": "3 tip 5", "time": "3 time 6", "later": "3 later add 100",
    "splash": "splash 5", "bounty": "3 bounty 5", "from-each": "3 from-each 5", "to-each": "3 to-each 5",
    "name": "3 name Ann Lee",
    "out-of-turn": "out-of-turn 3",
    "acts-now": "acts-now 3", "chips-are": "chips-are 3 bet", "count": "count 3 stack", "counted": "counted",
    "count-off": "count-off", "call-floor": "call-floor", "call-clock": "call-clock 4",
    "restart-checked": "restart-checked", "game": "game main",
    "clock": "clock 5", "floor-answers": "floor-answers Ann Lee", "floor-came": "floor-came",
    "fill": "fill 500", "credit": "credit 200",
    "records-checked": "records-checked", "unplug": "unplug 3",
    "plug": "plug 3", "floor bind": "floor bind 3", "floor release": "floor release 3", "floor dead": "floor dead 3",
    "floor turn": "floor turn 3", "floor button": "floor button 3", "floor pot": "floor pot 15",
    "floor bet": "floor bet 3 10", "floor hold": "floor hold", "floor go": "floor go", "tags-checked": "tags-checked",
}  # fmt: skip
"""Text of a step, by its verb."""


def manual_verbs() -> set[str]:
    """Return all verbs that a person can send. Verbs that only sensors or the service record are left out."""
    return {
        verb
        for verb, step_class in STEP_CLASS_BY_VERB.items()
        if not issubclass(step_class, Observation) or step_class.verb.owner != "sensor"
    } - NOT_KEYED


def test_every_verb_has_a_test_line() -> None:
    assert set(LINES) == manual_verbs()
    assert all(type(parse_step(line)) is STEP_CLASS_BY_VERB[verb] for verb, line in LINES.items())


def is_permitted(role: Role, verb: str, state: HandState) -> bool:
    """Return True if the role may send the verb in this state.

    The function does not read the roles file. A test compares its answers with the permissions in the file.
    """
    if verb == "floor-answers":
        return role in ("floor", "room")
    if verb in TECHNICIAN_VERBS:
        return role == "technician" and state == "between"
    if verb.startswith("floor ") or verb in FLOOR_VERBS:
        return role == "floor"
    return role == "dealer" or (verb == "stack" and role == "floor")


def connect_as(role: Role, table: InProcessService) -> RawConnection:
    """Connect to the service in this role, and put a badge on the badge reader if the role needs one."""
    socket_name = {"player": "players.sock", "room": "room.sock"}.get(role, "")
    table.present_badge(role if role in ("floor", "technician") else None)
    return table.connect(socket_name)


def wrong_permissions(table: InProcessService) -> Iterator[str]:
    """Yield each combination of role, verb and state for which the service and `is_permitted` disagree."""
    service = table.service
    between: Live = service.live
    table.call(lambda: service.apply_step(parse_step("hand")))
    states: dict[HandState, Live] = {"hand": service.live, "between": between}
    for role in ROLES:
        # A badge adds the permissions of its role to those of the dealer's screen.
        connection = connect_as(role, table)
        for state, verb in product(HAND_STATES, LINES):
            table.call(lambda live=states[state]: setattr(service, "live", live))  # type: ignore[misc]
            table.call(service._publish)
            connection.shown = service.view.sequence
            refused = connection.command(LINES[verb])
            expected = is_permitted(role, verb, state)
            expected |= role in ("floor", "technician") and is_permitted("dealer", verb, state)
            is_denied = refused is not None and refused.code in set(PermissionRefusal)
            if is_denied == expected:
                yield f"{role} {verb} {state}: {refused}"
        connection.close()


PREPARATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "said": ("4 chips 20",),
    "was": ("4 raise to 30",),
    "did": ("4 call",),
    "takes": ("4 chips 20",),
    "in": ("4 raise to 30",),
    "bets-in": ("4 raise to 30",),
    "back": ("3 away",),
    "close": ("void",),
    "open": ("void", "close"),
    "floor bind": ("3 raise to 40",),
    "floor release": ("3 raise to 40",),
    "floor go": ("floor hold",),
    "award": ("4 fold", "1 fold", "2 fold"),
    "deal": ("4 call", "1 call", "2 call", "3 check"),
    "drop": ("4 call",),
    "kitty": ("4 call",),
    "chop": ("4 fold", "1 fold"),
}
"""Steps before the step of a verb, so that the verb has an effect which undo can take back."""
EFFECTIVE_LINES: Final = {
    **LINES, "stack": "1 stack 900", "floor pot": "floor pot 20", "floor bet": "floor bet 4 20"
}  # fmt: skip
"""Text of a step that changes something in at least one state, by its verb."""


class Situation(NamedTuple):
    """A table at which a step has an effect that undo can take back. The table has its own game and four players."""

    game: str
    before: tuple[str, ...]
    line: str
    has_sensors: bool = False


STUD: Final = 'variant = "stud"\nstructure = "fixed-limit"\nante = 1\nbring_in = 2\nbets = [4, 4, 8, 8, 8]'
BLINDS: Final = "blinds = [5, 10]"
TO_THE_FLOP: Final = ("hand", "4 call", "1 call", "2 call", "3 check", "deal")
HAND_WON: Final = ("hand", "4 fold", "1 fold", "2 fold", "award main 3")
STUD_FOURTH_STREET: Final = ("hand", "bring-in 2", "2 call", "3 call", "4 call", "1 call", "deal")
MISSED_BLINDS: Final = (
    "1 away",
    *("hand", "4 fold", "2 fold", "award main 3"),
    *("hand", "2 fold", "3 fold", "award main 4"),
    *("hand", "3 fold", "4 fold", "award main 2"),
    *("1 back", "hand"),
)
SITUATIONS: Final[Mapping[str, Situation]] = {
    "in": Situation(BLINDS, ("hand", "4 says raise to 30"), "4 in", has_sensors=True),
    "bets-in": Situation(BLINDS, ("hand", "4 says raise to 30"), "bets-in", has_sensors=True),
    "done": Situation(BLINDS, ("hand", "4 says raise", "4 chips 5 5"), "4 done", has_sensors=True),
    "return": Situation(f'{BLINDS}\nstructure = "pot-limit"', ("hand", "4 raise to 500"), "return 4"),
    "drop": Situation(f"{BLINDS}\nrake = {{ percent = 10, cap = 0 }}", TO_THE_FLOP, "drop 2"),
    "kitty": Situation(BLINDS, TO_THE_FLOP, "kitty 5"),
    "boards": Situation(BLINDS, ("hand", "4 all-in", "1 call", "2 fold", "3 fold"), "boards 2"),
    "bring-in": Situation(STUD, ("hand",), "bring-in 3"),
    "open-pair": Situation(STUD, STUD_FOURTH_STREET, "open-pair"),
    "first": Situation(STUD, STUD_FOURTH_STREET, "first 3"),
    "straddle": Situation(f'{BLINDS}\nstraddle = "live"', ("hand",), "4 straddle 20"),
    "kill": Situation(
        'structure = "fixed-limit"\nblinds = [5, 10]\nbets = [10, 10, 20, 20]\nkill = { factor = 2, pot = 1000 }',
        ("hand",),
        "kill 4",
    ),
    "marker": Situation(f'{BLINDS}\nstakes = "open"', ("hand", "4 raise to 900"), "1 marker 50"),
    "redeems": Situation(
        f'{BLINDS}\nstakes = "open"',
        ("hand", "4 raise to 900", "1 marker 50", "1 fold", "2 fold", "3 fold", "award main 4"),
        "1 redeems 20",
    ),
    "from-each": Situation(BLINDS, HAND_WON, "3 from-each 5"),
    "to-each": Situation(BLINDS, HAND_WON, "3 to-each 5"),
    "post": Situation(
        BLINDS,
        (
            *("3 away", "hand", "4 fold", "1 fold", "award main 2"),
            *("hand", "2 fold", "4 fold", "award main 1", "3 back", "hand"),
        ),
        "3 post",
    ),
    "buys-button": Situation(f"{BLINDS}\nbuy_button = true", MISSED_BLINDS, "1 buys-button"),
    "game": Situation(f"{BLINDS}\n[games.stud]\n{STUD}\nblinds = []", (), "game stud"),
}
"""Situations of verbs that need another game, sensors or several hands."""
NOT_TAKEN_BACK: Final[Mapping[str, str]] = {
    **dict.fromkeys(("undo", "redo"), "they are the corrections themselves"),
    **dict.fromkeys(("clock", "plug", "unplug"), "they are facts, and undo passes over them"),
    **dict.fromkeys(
        (
            "out-of-turn", "acts-now", "chips-are", "count", "counted", "count-off", "call-floor", "call-clock",
            "restart-checked", "floor-answers", "floor-came", "records-checked", "tags-checked",
        ),
        "observations do not change the table, and undo passes over them",
    ),
    "change": "the amount of the chips stays the same, so that the table does not change",
    "remove": "the step is always refused",
}  # fmt: skip
"""Verbs that undo never takes back, with the reason."""


def wrong_corrections(table: InProcessService) -> Iterator[str]:
    """Yield each role, verb and state for which the service wrongly allows or denies undo or redo of the verb.

    Also yield each verb that was not taken back and is not in `NOT_TAKEN_BACK`, or the other way round.
    """
    service, taken_back = table.service, set()
    between = service.live
    table.call(lambda: service.apply_step(parse_step("hand")))
    states: dict[HandState, Live] = {"hand": service.live, "between": between}
    connection_by_role = {role: connect_as(role, table) for role in ROLES}

    def apply(live: Live, *lines: str) -> Live:
        def run() -> Live:
            service.live = live
            for line in lines:
                service.apply_step(parse_step(line))
            return service.live

        return table.call(run)

    def cases() -> Iterator[tuple[str, str, Live, str]]:
        """Yield a verb, the state in which it is tried, the table before it and its line."""
        for state, verb in product(HAND_STATES, sorted(set(LINES) - {"undo", "redo"})):
            yield verb, state, apply(states[state], *PREPARATIONS.get(verb, ())), EFFECTIVE_LINES[verb]
        for verb, (game, lines, line, has_sensors) in SITUATIONS.items():
            config = parse_config(f"button = 1\nstacks = {{ 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }}\n[game]\n{game}")
            live = Live(between.setup, config.table)._replace(badge_count=between.badge_count)
            live = live._replace(setup=replace(live.setup, has_sensors=has_sensors))
            yield verb, "situation", apply(live, *lines), line

    for verb, state, before, line in cases():
        done = apply(before, line)
        if len(done.table.undo_stack) <= len(before.table.undo_stack):
            continue
        taken_back.add(verb)
        for correction, live in (("undo", done), ("redo", apply(done, "undo"))):
            for role in ROLES:
                table.present_badge(role if role in ("floor", "technician") else None)
                connection = connection_by_role[role]
                table.call(lambda live=live: setattr(service, "live", live))  # type: ignore[misc]
                table.call(service._publish)
                connection.shown = service.view.sequence
                refused = connection.command(correction)
                was_in_hand: HandState = "hand" if before.table.is_hand_in_progress else "between"
                expected = may_correct(role, verb, was_in_hand)
                is_denied = refused is not None and refused.code in set(PermissionRefusal)
                if is_denied == expected or (expected and refused is not None):
                    yield f"{correction} {verb}: {role} {state}: {refused}"
    yield from (f"{verb} was never taken back" for verb in sorted(LINES.keys() - taken_back - NOT_TAKEN_BACK.keys()))
    yield from (f"{verb} was taken back" for verb in sorted(taken_back & NOT_TAKEN_BACK.keys()))


def may_correct(role: Role, verb: str, state: HandState) -> bool:
    """Return True if the role may undo and redo the verb. The test's count is off by 100, so it needs the floor."""
    if verb == "stack" or role in ("player", "room"):
        return role == "floor"
    return is_permitted("dealer", verb, state) or is_permitted(role, verb, state)


@pytest.mark.usefixtures("no_rate_limit")
def test_undo_and_redo_of_every_verb_need_the_role_of_the_verb(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        assert "\n".join(wrong_corrections(table)) == ""


@pytest.mark.usefixtures("no_rate_limit")
def test_planted_rights_by_verb_only_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.service.roles.permissions._reverted_act", lambda step, table: None)
    with in_process_service(tmp_path, access_policy()) as table:
        violations = set(wrong_corrections(table))
    assert any(line.startswith("undo floor pot: dealer hand") for line in violations)
    assert any(line.startswith("redo stack: dealer between") for line in violations)


@pytest.fixture
def no_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the rate limit, because the test sends seven hundred commands without a pause."""
    monkeypatch.setattr("controller.service.rate_limit.COMMANDS_PER_SECOND", 1_000_000)


@pytest.mark.usefixtures("no_rate_limit")
def test_every_role_step_and_state_follows_the_permission_file(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        assert list(wrong_permissions(table)) == []


PLANTED = {
    "player": ("[may.player]", '[may.player]\nbetween = ["hand"]\n#', "player hand between"),
    "room": ("[may.room]", '[may.room]\nhand = ["undo"]\n#', "room undo hand"),
    "dealer": ('"act", ', '"act", "floor pot", ', "dealer floor pot hand"),
    "technician": ("between = [", "always = [", "technician unplug hand"),
    "floor": ('"game", ', "", "floor game hand"),
}


@pytest.mark.usefixtures("no_rate_limit")
@pytest.mark.parametrize(("old", "new", "violation"), PLANTED.values(), ids=PLANTED)
def test_planted_extra_permission_is_caught(tmp_path: Path, old: str, new: str, violation: str) -> None:
    assert old in usual_text()
    with in_process_service(tmp_path, access_policy(usual_text().replace(old, new, 1))) as table:
        assert any(line.startswith(violation) for line in wrong_permissions(table))


def test_every_manual_step_belongs_to_a_role_and_matches_its_owner() -> None:
    may = default_permissions().allowed_steps
    step_classes = {step_class for allowed in may.values() for step_class in allowed}
    assert step_classes == {STEP_CLASS_BY_VERB[verb] for verb in manual_verbs()}
    display_steps = may["player", "hand"] | may["player", "between"]
    assert may["room", "hand"] == may["room", "between"] == {observations.AnswersFloorCall}
    for step_class in step_classes:
        if step_class.verb.owner == "floor":
            assert step_class in may["floor", "hand"]
            assert step_class not in may["dealer", "hand"] | may["dealer", "between"]
        assert step_class not in display_steps


@pytest.mark.parametrize("state", HAND_STATES)
def test_answer_to_a_floor_alert_requires_the_floor(state: HandState) -> None:
    permissions = default_permissions()
    floor_alerts = [
        alert
        for sample in view_samples()
        for alert in sample.view.alerts
        if ALERT_TYPES[alert.code].clearable_by == "floor"
    ]
    answers = {
        type(parse_step(choice.do)) for alert in floor_alerts for choice in alert.choices if not _is_about_money(choice)
    }
    assert {answer for answer in answers if answer.verb.owner == "floor"} <= permissions.allowed_steps["floor", state]


def _is_about_money(choice: Choice) -> bool:
    return issubclass(type(parse_step(choice.do)), SeatObservation)


# --- badges ---


def entries(table: InProcessService) -> list[Entry]:
    """Return all entries in the journal of the service."""

    def read() -> list[Entry]:
        recorder = table.service._recorder
        assert recorder is not None and recorder._journal is not None
        return list(recorder._journal.entries())

    return table.call(read)


def refusals(connection: RawConnection, *lines: str) -> list[str]:
    """Send steps, and return the code of the refusal for each. The code is "" if the service accepted the step."""

    def code(refused: RefusalView | None) -> str:
        return refused.code if refused is not None else ""

    return [code(connection.command(line)) for line in lines]


def test_floor_decision_requires_a_badge_on_the_reader(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        connection = table.connect()
        assert refusals(connection, "hand", "floor pot 20") == ["", "asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, "floor pot 20", "floor bet 4 20") == ["", ""]
        table.present_badge(None)
        assert refusals(connection, "floor pot 30") == ["asks-floor"]
        journal_entries = entries(table)
        assert [entry.badge for entry in journal_entries if entry.source == "floor"] == ["eve (floor)"] * 2
        assert [entry.step for entry in journal_entries if isinstance(entry.step, observations.CommandDenied)] == [
            observations.CommandDenied("screen", "asks-floor floor pot 20"),
            observations.CommandDenied("screen", "asks-floor floor pot 30"),
        ]


@pytest.mark.parametrize(
    ("role", "age_us", "proven", "code"),
    [
        ("floor", 0, True, ""),
        ("floor", PROOF_LIFETIME_US - 5_000_000, True, ""),
        ("floor", PROOF_LIFETIME_US, True, "asks-floor"),
        ("floor", -60_000_000, True, "asks-floor"),
        ("floor", 0, False, "asks-floor"),
        ("dealer", 0, True, "asks-floor"),
        ("technician", 0, True, "asks-floor"),
    ],
    ids=["new", "nearly-expired", "expired", "from-the-future", "not-proven", "dealer", "technician"],
)
def test_floor_decision_requires_a_recently_proven_floor_badge(
    tmp_path: Path, role: Role, age_us: int, proven: bool, code: str
) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        table.present_badge(role, age_us=age_us, proven=proven)  # type: ignore[arg-type]
        assert refusals(table.connect(), "floor hold") == [code]


def test_stale_or_foreign_badge_proof_is_refused_and_recorded(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        recorder, connection = table.service._recorder, table.connect()
        assert recorder is not None
        table.present_badge("floor", journal=recorder.journal_name())
        assert refusals(connection, "hand", "floor pot 21") == ["", ""]
        table.present_badge("floor", journal="another")
        assert refusals(connection, "floor pot 22") == ["asks-floor"]
        table.present_badge("floor", journal=recorder.journal_name(), age_us=PROOF_LIFETIME_US)
        assert refusals(connection, "floor pot 23") == ["asks-floor"]
        table.present_badge("floor", journal=recorder.journal_name(), proven=False)
        assert refusals(connection, "floor pot 24") == ["asks-floor"]
        denied = [entry.step.detail for entry in entries(table) if isinstance(entry.step, observations.CommandDenied)]
        assert denied == [f"asks-floor floor pot {amount}" for amount in (22, 23, 24)]


def test_proven_dealer_badge_sets_the_dealer(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        table.present_badge("dealer", proven=False)
        table.present_badge("technician")
        assert table.service.live.table.dealer == ""
        for _ in range(2):  # A badge on the reader is read again and again.
            table.present_badge("dealer")
        table.present_badge(None)
        assert table.service.live.table.dealer == "eve"
        assert [entry.step for entry in entries(table) if isinstance(entry.step, table_steps.ChangesDealer)] == [
            table_steps.ChangesDealer("eve")
        ]


def test_name_of_a_dealer_with_a_badge_needs_this_badge(tmp_path: Path) -> None:
    policy = access_policy()._replace(dealer_names=frozenset({"eve"}))
    with in_process_service(tmp_path, policy, journal=tmp_path / "journal.db") as table:
        connection = table.connect()
        assert refusals(connection, "dealer bob", "dealer eve", "dealer Eve") == [
            "",
            "asks-own-badge",
            "asks-own-badge",
        ]
        table.present_badge("dealer")
        table.present_badge(None)
        assert table.service.live.table.dealer == "eve"
        # Nobody brings eve back with undo or redo either.
        assert refusals(table.connect(), "undo", "redo") == ["", "asks-own-badge"]
        table.present_badge("dealer")
        table.present_badge(None)
        assert refusals(table.connect(), "dealer bob", "undo") == ["", "asks-own-badge"]
        table.present_badge("floor")
        assert refusals(table.connect(), "undo", "dealer bob", "dealer eve") == ["", "", ""]
        changes = [
            (entry.step.name, entry.source, entry.badge)
            for entry in entries(table)
            if isinstance(entry.step, table_steps.ChangesDealer)
        ]
        assert changes == [
            ("bob", "dealer", ""),
            ("eve", "dealer", "eve (dealer)"),
            ("eve", "dealer", "eve (dealer)"),
            ("bob", "dealer", ""),
            ("bob", "dealer", ""),
            ("eve", "floor", "eve (floor)"),
        ]


def test_badge_on_the_reader_authorizes_only_the_dealers_screen(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        table.present_badge("floor")
        assert refusals(table.connect("room.sock"), "floor hold", "hand") == ["not-allowed"] * 2
        assert refusals(table.connect("players.sock"), "floor hold", "hand") == ["not-allowed"] * 2


def test_room_may_answer_a_call_for_the_floor_and_do_nothing_else(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        dealer, room = table.connect(), table.connect("room.sock")
        assert refusals(room, "floor-answers Ann Lee") == ["floor-not-called"]
        assert refusals(dealer, "call-floor fill", "floor-answers Ann Lee") == ["", "asks-floor"]
        table.present_badge("floor")  # The badge at the table is not the person who answers.
        assert refusals(room, "floor-answers Ann Lee", "floor-came", "fill 500") == ["", "not-allowed", "not-allowed"]
        assert table.service.view.floor_call == FloorCallView(why="fill", minutes=0, answered_by="Ann Lee")
        answer = next(entry for entry in entries(table) if isinstance(entry.step, observations.AnswersFloorCall))
        assert (answer.source, answer.badge) == ("floor", "")
        assert refusals(table.connect("players.sock"), "floor-answers Bob") == ["not-allowed"]
        assert refusals(dealer, "fill 500", "floor-came") == ["", ""]
        assert table.service.view.floor_call is None
        assert [(entry.source, entry.badge) for entry in entries(table)[-2:]] == [("floor", "eve (floor)")] * 2


def test_dealer_may_not_undo_a_fill_but_may_void_the_hand_in_which_it_came(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        connection = table.connect()
        assert refusals(connection, "fill 500", "hand") == ["asks-floor", ""]
        table.present_badge("floor")
        assert refusals(connection, "fill 500") == [""]
        table.present_badge(None)
        assert refusals(connection, "undo", "void") == ["asks-floor", ""]
        assert table.service.live.table.cage_transfers.fills == 500


def test_counted_stack_off_by_more_than_the_limit_requires_the_floor(tmp_path: Path) -> None:
    text = usual_text().replace("counted_off = 0", "counted_off = 25")
    with in_process_service(tmp_path, access_policy(text)) as table:
        connection = table.connect()
        assert refusals(connection, "1 stack 1025", "1 stack 1000", "1 stack 1026", "1 stack 974") == [
            "", "", "asks-floor", "asks-floor"
        ]  # fmt: skip
        assert refusals(connection, "1 stack unknown") == ["asks-floor"], "the dealer made the stack unknown"
        table.present_badge("floor")
        assert refusals(connection, "1 stack unknown") == [""]
        table.present_badge(None)
        assert refusals(connection, "1 stack 5000") == [""], "a count of an unknown stack was refused"


def test_step_that_waits_for_the_end_of_the_hand_needs_the_permission_of_that_step(tmp_path: Path) -> None:
    text = usual_text().replace('"sit", "leave", "away"', '"sit", "away"')
    with in_process_service(tmp_path, access_policy(text)) as table:
        connection = table.connect()
        assert refusals(connection, "hand") == [""]
        assert refusals(connection, "1 later add 10", "1 later away", "1 later nothing") == ["", "", ""]
        assert refusals(connection, "1 later leave") == ["not-allowed"]


def test_pad_count_off_by_more_than_the_limit_requires_the_floor(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        chips = (Chip("E004015000000001", 500), Chip("E004015000000002", 500))
        service, connection = table.service, table.connect()

        def count_pile(*pile: Chip) -> None:
            service.live = service.live._replace(
                pad=service.live.pad._replace(pad_count=PadCount(1, "stack", chips=pile, piles=1))
            )

        table.call(lambda: count_pile(*chips[:1]))
        assert refusals(connection, "counted") == ["asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, "counted") == [""]
        assert [entry.badge for entry in entries(table) if isinstance(entry.step, table_steps.CountsStack)] == [
            "eve (floor)"
        ]
        table.present_badge(None)
        table.call(lambda: count_pile(*chips[:1]))
        assert refusals(connection, "counted") == [""], "a count equal to the recorded stack was refused"


def test_stack_counted_by_the_floor_is_recorded_with_the_badge(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        table.present_badge("floor")
        assert refusals(table.connect(), "1 stack 5", "2 stack 1000") == ["", ""]
        manual_entries = [entry for entry in entries(table) if entry.source != "sensor"]
        assert [(entry.source, entry.badge) for entry in manual_entries] == [("floor", "eve (floor)"), ("dealer", "")]


def test_dealer_cannot_undo_a_floor_decision(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        connection = table.connect()
        assert refusals(connection, "hand") == [""]
        table.present_badge("floor")
        assert refusals(connection, "floor bet 3 20") == [""]
        table.present_badge(None)
        assert refusals(connection, "undo") == ["asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, "undo", "undo") == ["", ""]


EVASIONS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...], str]]] = {
    "undo-of-a-count": ((), ("1 stack 5",), "undo"),
    "redo-of-a-count": ((), ("1 stack 5", "undo"), "redo"),
    "add-after-a-count": ((), ("1 stack 5",), "1 add 500"),
    "cash-after-a-count": ((), ("1 stack 5",), "1 cash 500"),
    "tip-after-a-count": ((), ("1 stack 900",), "1 tip 500"),
    "bounty-after-a-count": ((), ("1 stack 5",), "1 bounty 500"),
    "bounty-game-after-a-count": (("hand", "void"), ("1 stack 5",), "2 from-each 5"),
    "stand-up-game-after-a-count": (("hand", "void"), ("1 stack 5",), "2 to-each 100"),
    "leave-after-a-count": ((), ("1 stack 5",), "1 leave"),
    "move-after-a-count": ((), ("1 stack 5",), "1 moves 7"),
    "sit-after-leave": (("1 leave",), (), "1 sit 500"),
    "undo-of-an-add-after-a-count": ((), ("1 stack 5", "1 add 500"), "undo"),
    "void-after-a-pot": (("hand",), ("floor pot 640",), "void"),
    "undo-of-a-void": (("hand",), ("floor pot 640", "void"), "undo"),
    "skip-after-a-pot": (("hand",), ("floor pot 640",), "skip"),
    "void-in-a-later-round": (
        ("hand", "4 call", "1 call"), ("floor pot 640", "2 call", "3 check", "deal"), "void"
    ),
    "was-after-a-bet": (("hand", "4 raise to 30"), ("floor bet 4 40",), "4 was 50"),
    "said-after-a-bet": (("hand", "4 chips 20"), ("floor bet 4 40",), "4 said call"),
    "said-after-a-bind": (("hand", "4 chips 20", "2 chips 50"), ("floor bind 2",), "4 said raise"),
}  # fmt: skip
"""Steps of the dealer, decisions of the floor, and a step of the dealer that would replace the decision."""


@pytest.mark.parametrize(("prepared", "decided", "evasion"), EVASIONS.values(), ids=EVASIONS)
def test_decision_of_the_floor_is_only_replaced_by_the_floor(
    tmp_path: Path, prepared: tuple[str, ...], decided: tuple[str, ...], evasion: str
) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        connection = table.connect()
        assert refusals(connection, *prepared) == [""] * len(prepared)
        table.present_badge("floor")
        assert refusals(connection, *decided) == [""] * len(decided)
        table.present_badge(None)
        assert refusals(connection, evasion) == ["asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, evasion) == [""]
        assert entries(table)[-1].badge == "eve (floor)"


def test_step_that_replaces_no_decision_needs_no_floor(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        connection = table.connect()
        table.present_badge("floor")
        assert refusals(connection, "1 stack 5", "hand", "floor pot 640") == ["", "", ""]
        table.present_badge(None)
        lines = ("4 call", "1 call", "2 call", "3 check", "deal", "2 bet 20", "2 was 30", "undo", "undo")
        assert refusals(connection, *lines) == [""] * len(lines), "the dealer may correct a later round"
        assert refusals(connection, "void") == ["asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, "void", "3 leave", "3 sit 400 as bob") == ["", "", ""]
        table.present_badge(None)
        assert refusals(connection, "hand", "void", "2 add 50", "2 leave", "2 sit 300 as eva") == [""] * 5


def test_refused_count_keeps_the_stack_until_an_accepted_count(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        connection = table.connect()
        assert refusals(connection, "1 stack 1500", "1 add 500", "1 leave", "2 add 500") == [
            "asks-floor", "asks-floor", "asks-floor", ""
        ]  # fmt: skip
        assert refusals(connection, "1 stack 1000", "1 add 500") == ["", ""]
        assert refusals(connection, "1 stack 5") == ["asks-floor"]
        table.present_badge("floor")
        assert refusals(connection, "1 leave") == [""]
        table.present_badge(None)
        assert refusals(connection, "1 sit 500 as eva", "1 add 50") == ["", ""], "the next player paid for the dispute"
        assert refusals(table.connect("players.sock"), "2 stack 5") == ["not-allowed"]
        assert refusals(connection, "2 add 5") == [""], "a player's screen made a stack disputed"


@pytest.mark.parametrize("key", ["undo", "floor"])
def test_key_of_the_dealer_needs_the_same_role_as_the_screen(tmp_path: Path, key: Key) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        connection, service = table.connect(), table.service
        assert refusals(connection, "hand", "call-floor") == ["", ""]
        table.present_badge("floor")
        assert refusals(connection, "floor pot 640") == [""]
        table.present_badge(None)
        before = service.live.table, service.live.floor_called
        table.call(lambda: service.on_event(KeyPressed(key, monotonic_us())))
        assert (service.live.table, service.live.floor_called) == before
        denied = [entry.step for entry in entries(table) if isinstance(entry.step, observations.CommandDenied)]
        detail = {"undo": "asks-floor undo", "floor": "asks-floor floor-came"}[key]
        assert denied == [observations.CommandDenied("keys", detail)]
        table.present_badge("floor")
        table.call(lambda: service.on_event(KeyPressed(key, monotonic_us())))
        assert (service.live.table, service.live.floor_called) != before
        assert (entries(table)[-1].source, entries(table)[-1].badge) == ("floor", "eve (floor)")


def test_technician_may_set_up_between_hands(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        connection = table.connect()
        assert refusals(connection, "unplug 3") == ["asks-technician"]
        table.present_badge("technician")
        assert refusals(connection, "unplug 3", "hand", "plug 3") == ["", "", "asks-technician"]


# --- an open table ---


def test_table_without_a_badge_list_is_open_with_an_alert(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with in_process_service(tmp_path, access_policy(badges=None), journal=journal) as table:
        connection = table.connect()
        assert refusals(connection, "hand", "floor pot 20", "1 stack 5") == ["", "", ""]
        assert table.service.view.has_open_access
        assert refusals(table.connect("players.sock"), "4 fold") == ["not-allowed"], (
            "the players' socket accepted a step"
        )
    for badges, counts in ((None, [0]), (BADGES, [0, BADGES]), (BADGES, [0, BADGES])):
        with in_process_service(tmp_path, access_policy(badges=badges), journal=journal) as table:
            assert table.service.view.has_open_access == (badges is None)
            steps = [entry.step for entry in entries(table)]
            assert [step.count for step in steps if isinstance(step, observations.BadgeListLoaded)] == counts


# --- the record of denials ---


def test_denials_are_recorded_at_a_limited_rate() -> None:
    log, endpoint = DenialLog(), DEALER_ENDPOINT
    steps: list[Step] = [parse_step(f"floor pot {amount}") for amount in range(5, 505, 5)]
    recorded = [log.denial_to_record(endpoint, PermissionRefusal.NEEDS_FLOOR, step, 0) for step in steps]
    assert [observation is not None for observation in recorded] == [True] * MAX_DENIALS_PER_MINUTE + [False] * (
        len(steps) - MAX_DENIALS_PER_MINUTE
    )
    assert log.denial_to_record(endpoint, PermissionRefusal.NEEDS_FLOOR, steps[0], MINUTE_US - 1) is None
    assert log.denial_to_record(endpoint, PermissionRefusal.NEEDS_FLOOR, steps[0], MINUTE_US) is not None
    assert log.denial_to_record(endpoint, PermissionRefusal.NEEDS_FLOOR, steps[0], MINUTE_US + 1) is None, (
        "the same denial was recorded twice in a minute"
    )
    assert log.denial_to_record(endpoint, PermissionRefusal.NOT_ALLOWED, steps[0], MINUTE_US + 1) is not None


def test_denials_of_one_socket_leave_room_for_the_others(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy(), journal=tmp_path / "journal.db") as table:
        players, screen = table.connect("players.sock"), table.connect()
        assert set(refusals(players, *(f"1 tip {amount}" for amount in range(1, 31)))) == {"not-allowed"}
        assert refusals(screen, "floor hold") == ["asks-floor"]
        denied = [entry.step for entry in entries(table) if isinstance(entry.step, observations.CommandDenied)]
        assert [step.endpoint for step in denied] == ["players"] * MAX_DENIALS_PER_MINUTE + ["screen"]


# --- sockets ---


def test_socket_has_the_configured_group_and_mode(tmp_path: Path) -> None:
    group = grp.getgrgid(os.getgid()).gr_name
    text = usual_text() + f'[doors.look]\nrole = "player"\npath = "look.sock"\nmode = 0o620\ngroup = "{group}"\n'
    with in_process_service(tmp_path, AccessPolicy(parse_permissions(text), BADGES)) as table:
        status = (tmp_path / "look.sock").stat()
        assert (stat.S_IMODE(status.st_mode), status.st_gid) == (0o620, os.getgid())
        assert refusals(table.connect("look.sock"), "hand") == ["not-allowed"]
    assert not (tmp_path / "look.sock").exists()


def test_dealers_socket_gets_the_group_of_the_option_unless_the_roles_file_names_one(tmp_path: Path) -> None:
    group = 1 if os.geteuid() == 0 else [*os.getgroups(), os.getgid()][0]
    permissions = default_permissions().with_dealer_group(group)
    with in_process_service(tmp_path, AccessPolicy(permissions, None)):
        assert (tmp_path / "table.sock").stat().st_gid == group
    named = parse_permissions(usual_text().replace('role = "dealer"', f'role = "dealer"\ngroup = {os.getgid()}', 1))
    assert named.with_dealer_group(group) is named


@pytest.mark.parametrize("name", ["nobody-has-this-name", ""])
def test_unknown_group_of_the_dealers_socket_is_refused(name: str) -> None:
    with pytest.raises(BadInputError, match=r"--socket-group: .*expected a group of this machine"):
        read_start_files(ServeOptions(config=None, layout=None, ports={}, socket_group=name), None)


def test_group_of_the_room_gets_a_read_only_socket_and_a_wrong_group_keeps_no_table_dark(tmp_path: Path) -> None:
    options = ServeOptions(config=None, layout=None, ports={}, room_group=grp.getgrgid(os.getgid()).gr_name)
    permissions = read_start_files(options, None).permissions
    assert permissions.with_room(0) is permissions, "a socket that the roles file names stays"
    with in_process_service(tmp_path, AccessPolicy(permissions, None)) as table:
        assert (tmp_path / ROOM_SOCKET).stat().st_gid == os.getgid()
        assert refusals(table.connect(ROOM_SOCKET), "hand") == ["not-allowed"]
    wrong = read_start_files(replace(options, room_group="nobody-has-this-name"), None).permissions
    assert wrong == default_permissions()


def test_unlisted_user_of_a_socket_is_refused_and_sees_nothing(tmp_path: Path) -> None:
    other = Endpoint("other", "dealer", "other.sock", users=frozenset({os.getuid() + 1}))
    own = Endpoint("ours", "player", "ours.sock", users=frozenset({os.getuid()}))
    permissions = default_permissions()
    with in_process_service(
        tmp_path, AccessPolicy(permissions._replace(endpoints=(*permissions.endpoints, other, own)), None)
    ) as table:
        table.connect("ours.sock").close()
        with raw_connection(tmp_path / "other.sock") as connection:
            assert connection.reply() == (0, RefusalView(code="not-allowed"))
            assert connection.line() == b""
        assert table.service.live.table.hands_started == 0


def test_client_name_of_the_dealer_at_another_socket_has_its_own_replies(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        screen, player = table.connect(), table.connect("players.sock")
        for connection in (player, screen):
            connection.send(protocol.encode(Command(client="dealer-1", id=7, do="3 tip 5", view_sequence=screen.shown)))
        assert player.reply() == (7, RefusalView(code="not-allowed"))
        assert screen.reply() == (7, None)
        assert table.service.live.table.accounts.toke == 5


def test_sixteen_connections_at_one_socket_leave_the_others_open(tmp_path: Path) -> None:
    with in_process_service(tmp_path, access_policy()) as table:
        players = [table.connect("players.sock") for _ in range(16)]
        screen = table.connect()
        assert refusals(screen, "hand") == [""]
        assert all(connection.view().hand_number == 1 for connection in players)


# --- the roles file ---

BAD_FILES: Final[Mapping[str, tuple[str, str, str]]] = {
    "not-toml": ("[may.dealer]", "[may.dealer", "expected TOML"),
    "unknown-verb": ('"act", ', '"act", "dance", ', "may.dealer.always: 'dance', expected a verb of table scripts"),
    "unknown-role": ("[may.room]", "[may.cook]", "may"),
    "unknown-key": ("counted_off", "counted_of", "counted_of = 0: no such key, expected counted_off"),
    "no-number": ("counted_off = 0", "counted_off = '0'", "counted_off = '0': expected a whole number"),
    "below-0": ("counted_off = 0", "counted_off = -1", "expected 0 or more"),
    "no-screen": ("[doors.screen]", "[doors.other]", "doors.screen: expected a socket with role = dealer"),
    "screen-of-players": ('role = "dealer"', 'role = "player"', "doors.screen: expected a socket with role = dealer"),
    "screen-with-path": (
        'role = "dealer"',
        'role = "dealer"\npath = "x"',
        "expected no path, because --socket sets it",
    ),
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


@pytest.mark.parametrize(("old", "new", "expected"), BAD_FILES.values(), ids=BAD_FILES)
def test_invalid_roles_file_is_one_error_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in usual_text()
    path = tmp_path / "roles.toml"
    path.write_text(usual_text().replace(old, new, 1))
    with pytest.raises(BadInputError) as caught:
        load_permissions(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and expected in message and "\n" not in message and message.isprintable()


def test_missing_roles_file_is_one_error_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml", Path("/dev/zero")):
        with pytest.raises(BadInputError, match="expected a file"):
            load_permissions(path)
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(BadInputError, match="expected UTF-8"):
        load_permissions(tmp_path / "bad")


INSERTED: Final = ("", "\0", "[", "]]", "= 3", '"', "{}", "\n[may.floor]\n", "\u202e", "9" * 5000)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_mutated_roles_file_loads_or_is_one_error_line(data: st.DataObject) -> None:
    # Each example removes, inserts or replaces random parts of the roles file.
    text = usual_text() + ENDPOINTS
    for _ in range(data.draw(st.integers(1, 3))):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        new = data.draw(st.sampled_from(INSERTED))
        text = text[:start] + new + text[min(end, start + data.draw(st.integers(0, 30))) :]
    try:
        parse_permissions(text)
    except BadInputError as error:
        assert str(error).isprintable() and len(str(error)) < 400


def test_unnamed_steps_are_denied() -> None:
    permissions: Permissions = parse_permissions('may = {}\n[doors.screen]\nrole = "dealer"\n')
    assert not any(permissions.allowed_steps.values())
