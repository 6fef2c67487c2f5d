"""Check who may sign in with a browser: the file of people, sessions, and pauses after wrong passwords."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ui.web.people import MAX_PEOPLE, People, PeopleError
from ui.web.sessions import MAX_COUNTED, MAX_SESSIONS, MAX_WRONG_PASSWORDS, PAUSE_S, SESSION_S, Pauses, Sessions

PASSWORD = "correct horse"


class SimulatedClock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_people_are_kept_over_a_restart_and_passwords_are_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "web" / "people.json"
    People(path).add("Ann Lee", "technician", PASSWORD)
    people = People(path)
    ann = people.check_password("Ann Lee", PASSWORD)
    assert ann is not None
    assert ann.role == "technician"
    assert people.check_password("Ann Lee", PASSWORD + "!") is None
    assert people.check_password("Bob", PASSWORD) is None
    assert PASSWORD not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", " Ann", "Ann ", "A" * 41, "Ann\n", "Ann\u202e", "<b>", "../Ann"])
def test_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: str) -> None:
    people = People(tmp_path / "people.json")
    with pytest.raises(PeopleError, match="name: expected"):
        people.add(name, "viewer", PASSWORD)
    assert len(people) == 0


@pytest.mark.parametrize("password", ["", "too short", "x" * 201])
def test_password_of_another_length_is_refused(tmp_path: Path, password: str) -> None:
    with pytest.raises(PeopleError, match="password: expected 10 to 200"):
        People(tmp_path / "people.json").add("Ann", "viewer", password)


def test_last_technician_cannot_be_removed(tmp_path: Path) -> None:
    people = People(tmp_path / "people.json")
    people.add("Ann", "technician", PASSWORD)
    people.add("Bob", "viewer", PASSWORD)
    with pytest.raises(PeopleError, match="last technician"):
        people.remove("Ann")
    people.remove("Bob")
    with pytest.raises(PeopleError, match="unknown"):
        people.remove("Bob")
    assert [person.name for person in People(tmp_path / "people.json").listed()] == ["Ann"]


def test_same_name_and_too_many_people_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(tmp_path / "people.json")
    people.add("Ann", "technician", PASSWORD)
    with pytest.raises(PeopleError, match="exists already"):
        people.add("Ann", "viewer", PASSWORD)
    monkeypatch.setattr("ui.web.people.MAX_PEOPLE", 1)
    with pytest.raises(PeopleError, match="at most 1"):
        people.add("Bob", "viewer", PASSWORD)
    assert MAX_PEOPLE == 100


@pytest.mark.parametrize("content", ["", "{}", '[{"name": "Ann"}]', '[{"name":"A","role":"king","password_hash":""}]'])
def test_damaged_file_of_people_is_one_line_and_never_means_that_nobody_exists(tmp_path: Path, content: str) -> None:
    path = tmp_path / "people.json"
    path.write_text(content)
    with pytest.raises(PeopleError, match=r"people\.json: expected a list of people") as caught:
        People(path)
    assert "\n" not in str(caught.value)


def test_failed_write_leaves_the_old_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(tmp_path / "people.json")
    people.add("Ann", "technician", PASSWORD)

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("ui.web.people.os.replace", fail)
    with pytest.raises(OSError, match="full"):
        people.add("Bob", "viewer", PASSWORD)
    assert people.find("Bob") is None
    assert [person.name for person in People(tmp_path / "people.json").listed()] == ["Ann"]


def test_session_expires_and_ends() -> None:
    clock = SimulatedClock()
    sessions = Sessions(clock)
    first, second = sessions.start("Ann"), sessions.start("Ann")
    assert sessions.name_of(first) == "Ann"
    assert sessions.name_of(first + "x") is None
    assert sessions.name_of("") is None
    sessions.end(first)
    assert sessions.name_of(first) is None
    clock.now_s += SESSION_S
    assert sessions.name_of(second) is None
    third = sessions.start("Ann")
    sessions.end_all("Ann")
    assert sessions.name_of(third) is None


def test_number_of_sessions_is_limited() -> None:
    sessions = Sessions(SimulatedClock())
    tokens = [sessions.start("Ann") for _ in range(MAX_SESSIONS + 1)]
    assert sessions.name_of(tokens[0]) is None
    assert all(sessions.name_of(token) for token in tokens[1:])


def test_five_wrong_passwords_pause_the_name_and_the_address_for_five_minutes() -> None:
    clock = SimulatedClock()
    pauses = Pauses(clock)
    for number in range(MAX_WRONG_PASSWORDS):
        assert not pauses.is_paused("Ann", "10.0.0.1"), number
        pauses.count_wrong("Ann", "10.0.0.1")
    assert pauses.is_paused("Ann", "10.0.0.2")
    assert pauses.is_paused("Bob", "10.0.0.1")
    assert not pauses.is_paused("Bob", "10.0.0.2")
    clock.now_s += PAUSE_S
    assert not pauses.is_paused("Ann", "10.0.0.1")
    pauses.count_wrong("Ann")
    assert not pauses.is_paused("Ann")
    pauses.forget("Ann")
    for _ in range(MAX_WRONG_PASSWORDS - 1):
        pauses.count_wrong("Ann")
    assert not pauses.is_paused("Ann")


def test_memory_for_wrong_names_is_limited() -> None:
    pauses = Pauses(SimulatedClock())
    for number in range(MAX_COUNTED + 5):
        pauses.count_wrong(f"name {number}")
    assert len(pauses._wrong) == MAX_COUNTED
