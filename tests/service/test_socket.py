"""The socket: lines that no screen would send, many screens, slow ones, and starting where something is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.journal import Segment
from controller.service import screens
from controller.service.quota import A_SECOND, AT_ONCE
from controller.service.screens import MOST_SCREENS, MOST_UNSENT_BYTES
from controller.table import parse
from controller.view import MAX_LINE_BYTES, Command, encode
from hardware.bad_input import A_NAME
from tests.service.inside import inside
from tests.service.running import (
    CONFIG,
    DEADLINE_S,
    ROOT,
    Bare,
    Served,
    codes,
    command,
    connected,
    done,
    plain,
    served,
    until,
)


@pytest.fixture(scope="module")
def one_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("table"), "--no-trays") as running:
        done(running.start(), "hand")
        yield running


@pytest.fixture
def service(one_service: Served) -> Iterator[Served]:
    """One service for all tests that leave it as it was."""
    yield one_service
    one_service.hang_up()


BAD_LINES = {
    "empty": b"",
    "blank": b"   ",
    "not-json": b"fold, please",
    "half": b'{"client": "a", "id": 1, "do": "3 fo',
    "not-utf8": b'{"client": "a", "id": 1, "do": "\xff\xfe"}',
    "a-list": b"[1, 2]",
    "a-number": b"7",
    "no-do": b'{"client": "a", "id": 1}',
    "no-id": b'{"client": "a", "do": "3 fold"}',
    "wrong-type-of-id": b'{"client": "a", "id": "1", "do": "3 fold"}',
    "id-below-0": b'{"client": "a", "id": -1, "do": "3 fold"}',
    "id-too-large": b'{"client": "a", "id": 99999999999999999999, "do": "3 fold"}',
    "wrong-type-of-do": b'{"client": "a", "id": 1, "do": 3}',
    "wrong-type-of-shown": b'{"client": "a", "id": 1, "do": "3 fold", "shown": null}',
    "deep": b"[" * 100_000,
    "zero-bytes": b"\0" * 100,
    "no-client": b'{"id": 1, "do": "3 fold"}',
    "wrong-type-of-client": b'{"client": 1, "id": 1, "do": "3 fold"}',
    "empty-client": b'{"client": "", "id": 1, "do": "3 fold"}',
    "long-client": b'{"client": "' + b"a" * 41 + b'", "id": 1, "do": "3 fold"}',
    "client-with-escape": b'{"client": "a\\u001b", "id": 1, "do": "3 fold"}',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_refused_with_what_was_expected_and_the_connection_stays(service: Served, line: bytes) -> None:
    with connected(service.address) as bare:
        before = plain(bare.view())
        bare.send(line + b"\n")
        number, refused = bare.reply()
        assert number == 0
        assert refused is not None and refused.code == "not-a-step"
        assert "expected" in refused.values.reason and "\n" not in refused.values.reason
        refused = bare.command("3 remove 1")
        assert refused is not None and refused.code == "no-removal"
    assert plain(service.link().view()) == before


BAD_COMMANDS = {
    "no-step": "please fold",
    "seat-0": "0 fold",
    "seat-11": "11 fold",
    "huge": "3 bet 99999999999999999",
    "half-a-chip": "3 bet 0.5",
    "below-0": "3 bet -5",
    "long": "3 chips" + " 1" * 100_000,
    "answer-to-a-novel": "out-of-turn " + "x" * 100_000,
    "newlines": "3\nfold\nnow",
    "arabic-digits": "٣ fold",
}


@pytest.mark.parametrize("do", BAD_COMMANDS.values(), ids=BAD_COMMANDS)
def test_a_line_that_is_no_step_is_refused_and_says_why(service: Served, do: str) -> None:
    with connected(service.address) as bare:
        before = plain(bare.view())
        refused = bare.command(do)
    assert refused is not None and refused.code == "not-a-step"
    assert refused.values.reason and "\n" not in refused.values.reason and len(refused.values.reason) < 400
    assert plain(service.link().view()) == before


@pytest.mark.parametrize(
    ("do", "code"),
    [
        ("3 remove 1", "no-removal"),
        ("5 sit 100", "hand-in-progress"),
        ("out-of-turn 3", "no-open-question"),
        ("spot bet3 lies came 25:E004015000000001", "not-keyed"),
        ("records-damaged", "not-keyed"),
    ],
)
def test_a_step_that_cannot_be_done_is_refused_by_its_code(service: Served, do: str, code: str) -> None:
    link = service.link()
    before = plain(link.view())
    refused = command(link, do)
    assert refused is not None and refused.code == code
    assert plain(link.view()) == before


NO_NAMES = {
    "bell": "\x07",
    "escape": "e\x1b[2Jve",
    "zero": "e\0ve",
    "turned-round": "eve\u202e",
    "isolated": "\u2066eve",
    "without-width": "e\u200bve",
    "long": "e" * 41,
    "novel": "e" * 3_900,
}


@pytest.mark.parametrize("name", NO_NAMES.values(), ids=NO_NAMES)
def test_what_is_no_name_is_refused_and_nothing_of_it_is_written_down(service: Served, name: str) -> None:
    refused = command(service.link(), f"5 sit 100 as {name}")
    assert refused is not None and refused.code == "not-a-step"
    assert A_NAME in refused.values.reason and refused.values.reason.isprintable()


def test_a_name_of_any_language_is_one(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for number, name in ((5, "eve"), (6, "Łukasz-Żółć"), (7, "三郎"), (8, "e" * 40)):
            assert done(link, f"{number} sit 100 as {name}").seats[number - 1].name == name


def test_unknown_fields_are_passed_over(service: Served) -> None:
    """A screen of a later version may say more than this service understands."""
    with connected(service.address) as bare:
        bare.send(b'{"client": "a1", "id": 9, "do": "3 remove 1", "colour": "green"}\n')
        assert bare.reply()[0] == 9


def test_a_line_without_end_ends_its_connection_and_no_other(service: Served) -> None:
    link = service.link()
    with connected(service.address) as bare:
        bare.view()
        with contextlib.suppress(ConnectionError):
            for _ in range(20):
                bare.send(b"x" * MAX_LINE_BYTES)
        number, refused = bare.reply()
        assert number == 0 and refused is not None
        assert refused.values.reason == f"expected lines up to {MAX_LINE_BYTES} bytes"
        with contextlib.suppress(ConnectionError):
            assert bare.line() == b""
    assert command(link, "3 remove 1") is not None


def test_a_screen_that_hangs_up_in_the_middle_of_a_line_is_forgotten(service: Served) -> None:
    for _ in range(3 * MOST_SCREENS):
        with connected(service.address) as bare:
            if bare.line():  # else those before it have not been noticed yet
                bare.send(b'{"id": 1, "do": "3 fo')
    until_let_in(service)


def until_let_in(service: Served) -> None:
    """Until the service has noticed that screens have gone."""

    def let_in() -> bool:
        with connected(service.address) as bare:
            return bare.line() != b""

    until(let_in, "room for a screen")


def test_a_full_door_lets_the_one_go_that_has_been_silent_for_longest(tmp_path: Path) -> None:
    """Sixteen that only look on keep nobody out, and who has given a command stays."""
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        assert command(link, "hand") is None
        with contextlib.ExitStack() as idle:
            looking = [idle.enter_context(connected(service.address)) for _ in range(MOST_SCREENS - 1)]
            for bare in looking:
                assert bare.line() != b""
            until_let_in(service)
            with contextlib.suppress(ConnectionError):  # the first one that came is let go
                while looking[0].line():  # beats
                    pass
            assert command(link, "4 fold") is None
            looking[-1].send(encode(looking[-1].next("call-floor")))
            assert looking[-1].line() != b"", "the others stay"


def test_however_many_one_process_has_another_is_let_in_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dealer's screen that starts anew, while a program takes every connection that it can get."""
    process = [1]
    monkeypatch.setattr(screens, "MIN_STAY_S", 10 * DEADLINE_S)
    monkeypatch.setattr(screens, "_peer", lambda writer: (process[0], os.getuid()))
    with inside(tmp_path) as table, contextlib.ExitStack() as taken:

        def is_let_in(number: int) -> bool:
            process[0] = number
            return taken.enter_context(connected(table.address)).line() != b""

        assert all(is_let_in(1) for _ in range(MOST_SCREENS))
        assert not is_let_in(1), "one more of those"
        assert is_let_in(2) and not is_let_in(2), "one is kept, not several"
        assert all(is_let_in(number) for number in range(3, MOST_SCREENS + 1))
        assert not is_let_in(MOST_SCREENS + 1), "each of sixteen has one, which it keeps for a while"


def test_who_does_not_read_holds_nobody_up_and_has_the_newest_view_afterwards(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        size, service = len(bare.line()), table.service
        for _ in range(3 * MOST_UNSENT_BYTES // size):
            table.call(service._publish)
        assert table.call(lambda: service.do(parse("4 tip 7"))) is None
        newest, got = plain(service.view), 0
        while plain(bare.view()) != newest:
            got += 1
        assert got * size < 2 * MOST_UNSENT_BYTES, "all views were kept for a screen that does not read"
        assert table.call(lambda: service.do(parse("4 tip 1"))) is None
        assert bare.view().accounts["toke"] == 8


FLOODER = """
import socket, sys
from controller.view import Command, decode_to_screen, encode
with socket.socket(socket.AF_UNIX) as flood:
    flood.connect(sys.argv[1])
    flood.settimeout(0.05)
    number = 0
    while True:
        number += 1
        try:
            flood.sendall(encode(Command(client="flooder", id=number, do=f"3 stack {number}")))
        except TimeoutError:
            pass
        try:
            flood.recv(1_000_000)
        except TimeoutError:
            pass
"""
"""A client that gives commands without pause, each of which is recorded."""
TOUCHES = 38
MOST_CONNECT_S = 1.0
MOST_ANSWER_S = 0.05


def test_a_flooder_and_sixteen_idle_clients_do_not_keep_the_dealers_screen_out_or_waiting(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service, contextlib.ExitStack() as idle:
        service.start().close()
        began_s = time.monotonic()
        flooder = subprocess.Popen([sys.executable, "-c", FLOODER, str(service.address)], cwd=ROOT)
        try:
            until(lambda: records(service) > AT_ONCE // 2, "the flood has begun")
            for _ in range(MOST_SCREENS):
                idle.enter_context(connected(service.address))
            asked_s = time.monotonic()
            until_let_in(service)
            dealer = Bare(service.address)
            idle.callback(dealer.close)
            dealer.view()
            assert time.monotonic() - asked_s < MOST_CONNECT_S
            took = []
            for number in range(TOUCHES):
                sent_s = time.monotonic()
                assert dealer.command("call-floor" if number % 2 else "floor-came") is None
                took.append(time.monotonic() - sent_s)
            assert sorted(took)[-2] < MOST_ANSWER_S, took  # one may have met a machine that was busy elsewhere
        finally:
            flooder.kill()
            flooder.wait()
        written = records(service) - TOUCHES
        assert written <= AT_ONCE + A_SECOND * (time.monotonic() - began_s) + 1, "a flood of records"


def records(service: Served) -> int:
    """How many records there are by now."""
    with contextlib.closing(Segment.view(service.journal)) as journal:
        return journal.last


def test_commands_without_pause_leave_the_others_their_turn(service: Served) -> None:
    link = service.link()
    line = encode(Command(client="flooder", id=1, do="3 remove 1"))
    with connected(service.address) as bare:
        bare.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                bare.socket.send(line * 100)
        assert command(link, "3 remove 1") is not None


# --- starting where something is wrong ---


def serve(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


def refused(*arguments: str | Path) -> str:
    """The one line that it says."""
    ended = serve(*arguments)
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("potkeeper: ")
    assert "expected" in line or "required" in line
    return line


def test_two_services_on_one_socket(service: Served) -> None:
    assert "a service is running there" in refused("--no-trays", "--socket", service.address)
    assert command(service.link(), "3 remove 1") is not None


def test_two_services_on_one_journal(service: Served, tmp_path: Path) -> None:
    line = refused("--no-trays", "--socket", tmp_path / "other.sock", "--journal", service.journal)
    assert f"process {service.pid} is writing it" in line


def test_a_socket_that_was_left_behind_is_replaced(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(service.address))
        assert command(service.start_beside(), "hand") is None


def test_a_file_in_the_place_of_the_socket_is_kept(tmp_path: Path) -> None:
    precious = tmp_path / "table.toml"
    precious.write_text(CONFIG)
    assert "something else is there" in refused("--no-trays", "--socket", precious)
    assert precious.read_text() == CONFIG


def test_the_socket_goes_with_the_service(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        service.start()
        assert service.address.is_socket()
        service.end()
        assert not service.address.exists()


@pytest.mark.parametrize("where", ["x" * 120, "table.toml/table.sock"])
def test_a_place_where_no_socket_can_be(tmp_path: Path, where: str) -> None:
    (tmp_path / "table.toml").write_text(CONFIG)
    refused("--no-trays", "--socket", tmp_path / where)


BAD_CONFIGS = {
    "not-toml": "[game\n",
    "unknown-key": "[game]\nblinds = [1, 2]\nblnds = 3\n",
    "a-script": CONFIG + '[[step]]\ndo = "3 fold"\n',
    "started": "[game]\nstart = 'hand'\nblinds = [1, 2]\n",
    "bad-seat": "stacks = { 12 = 100 }\n[game]\nblinds = [1, 2]\n",
    "bad-show-pot": "[table]\nshow_pot = 'sometimes'\n[game]\nblinds = [1, 2]\n",
    "game-is-no-table": "game = 3\n",
    "table-is-no-table": "table = 3\n",
}


@pytest.mark.parametrize("text", BAD_CONFIGS.values(), ids=BAD_CONFIGS)
def test_a_bad_configuration(tmp_path: Path, text: str) -> None:
    config = tmp_path / "bad.toml"
    config.write_text(text)
    line = refused("--no-trays", "--config", config, "--socket", tmp_path / "s", "--journal", tmp_path / "j")
    assert str(config) in line
    assert not (tmp_path / "j").exists()


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    assert "none.toml" in refused("--no-trays", "--config", tmp_path / "none.toml", "--socket", tmp_path / "s")


def test_a_bad_layout(tmp_path: Path) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text("[[readers]]\nname = 'odd'\n")
    assert str(layout) in refused("--layout", layout, "--socket", tmp_path / "s")
    assert "gone.toml" in refused("--layout", tmp_path / "gone.toml", "--socket", tmp_path / "s")


@pytest.mark.parametrize("port", ["odd", "odd=", "=x", "third=/nowhere"])
def test_a_bad_port(tmp_path: Path, port: str) -> None:
    assert f"--port {port.partition('=')[0]}" in refused("--port", port, "--socket", tmp_path / "s")


@pytest.mark.parametrize("size", ["0", "-1", "1.5", "1GB", "1000001", "", "9" * 5000])
def test_a_bad_size_of_the_archive(tmp_path: Path, size: str) -> None:
    told = refused("--archive-mb", size, "--socket", tmp_path / "s")
    assert told.endswith("expected whole megabytes, 1 to 1000000") and len(told) < 200


def test_a_damaged_journal_goes_on_from_its_last_good_record_and_says_so(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 fold", "1 call"):
            done(link, do)
        before = plain(link.view())
        done(link, "2 raise to 60")
        service.end()
        data = service.journal.read_bytes()
        assert data.count(b"2 raise to 60") == 1
        service.journal.write_bytes(data.replace(b"2 raise to 60", b"2 raise to 99"))
        view = plain(service.start().view())
        told = {("journal-altered", 0), ("journal-damaged", 0), ("restarted", 0)}
        assert set(codes(view)) == told
        assert msgspec.structs.replace(view, alerts=before.alerts) == before
        service.end()
        link = service.start()
        assert set(codes(link.view())) == told, "it lasts until somebody has counted"
        assert codes(done(link, "records-checked")) == [("restarted", 0)]
        assert codes(done(link, "restart-checked")) == []
        kept = [path.read_bytes() for path in tmp_path.glob("journal.db.damaged*")]
        assert any(b"2 raise to 99" in content for content in kept), "the damaged file is kept"


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    for content in (b"", b"not a database" * 100, json.dumps({"a": 1}).encode()):
        journal.write_bytes(content)
        assert str(journal) in refused("--no-trays", "--socket", tmp_path / "s", "--journal", journal)
        assert journal.read_bytes() == content


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    refused("--no-trays", "--socket", tmp_path / "s", "--journal", tmp_path)
