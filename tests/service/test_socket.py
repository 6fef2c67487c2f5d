"""Check the socket of the service with invalid lines, with many screens, and with slow screens.

The last tests check a service that cannot start.
"""

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
from controller.service import screen_server
from controller.service.rate_limit import COMMANDS_PER_SECOND, MAX_BURST
from controller.service.screen_server import MAX_CONNECTIONS, MAX_UNSENT_BYTES
from controller.steps import parse_step
from controller.view import (
    Command,
    protocol,
)
from hardware.text_input_validation import EXPECTED_NAME
from tests.service.in_process_service import in_process_service
from tests.service.service_process import (
    CONFIG,
    DEADLINE_S,
    ROOT,
    RawConnection,
    ServiceProcess,
    alert_codes,
    command,
    command_view,
    raw_connection,
    service_process,
    wait_until,
    without_run_details,
)


@pytest.fixture(scope="module")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """Yield a running service that has started its first hand."""
    with service_process(tmp_path_factory.mktemp("table"), "--no-trays") as process:
        command_view(process.start(), "hand")
        yield process


@pytest.fixture
def service(shared_service: ServiceProcess) -> Iterator[ServiceProcess]:
    """Yield one running service for all tests that do not change the table of the service."""
    yield shared_service
    shared_service.hang_up()


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
def test_malformed_line_is_refused_and_the_connection_stays_open(service: ServiceProcess, line: bytes) -> None:
    with raw_connection(service.address) as connection:
        before = without_run_details(connection.view())
        connection.send(line + b"\n")
        number, refused = connection.reply()
        assert number == 0
        assert refused is not None and refused.code == "not-a-step"
        assert "expected" in refused.values.reason and "\n" not in refused.values.reason
        refused = connection.command("3 remove 1")
        assert refused is not None and refused.code == "no-removal"
    assert without_run_details(service.link().view()) == before


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
def test_line_that_is_not_a_step_is_refused_with_a_reason(service: ServiceProcess, do: str) -> None:
    with raw_connection(service.address) as connection:
        before = without_run_details(connection.view())
        refused = connection.command(do)
    assert refused is not None and refused.code == "not-a-step"
    assert refused.values.reason and "\n" not in refused.values.reason and len(refused.values.reason) < 400
    assert without_run_details(service.link().view()) == before


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
def test_impossible_step_is_refused_with_its_code(service: ServiceProcess, do: str, code: str) -> None:
    link = service.link()
    before = without_run_details(link.view())
    refused = command(link, do)
    assert refused is not None and refused.code == code
    assert without_run_details(link.view()) == before


INVALID_NAMES = {
    "bell": "\x07",
    "escape": "e\x1b[2Jve",
    "zero": "e\0ve",
    "turned-round": "eve\u202e",
    "isolated": "\u2066eve",
    "without-width": "e\u200bve",
    "long": "e" * 41,
    "novel": "e" * 3_900,
}


@pytest.mark.parametrize("name", INVALID_NAMES.values(), ids=INVALID_NAMES)
def test_invalid_player_name_is_refused_and_not_recorded(service: ServiceProcess, name: str) -> None:
    refused = command(service.link(), f"5 sit 100 as {name}")
    assert refused is not None and refused.code == "not-a-step"
    assert EXPECTED_NAME in refused.values.reason and refused.values.reason.isprintable()


def test_player_name_of_any_language_is_accepted(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for number, name in ((5, "eve"), (6, "Łukasz-Żółć"), (7, "三郎"), (8, "e" * 40)):
            assert command_view(link, f"{number} sit 100 as {name}").seats[number - 1].name == name


def test_unknown_fields_are_ignored(service: ServiceProcess) -> None:
    # A screen of a later program version may send fields that this service does not know.
    with raw_connection(service.address) as connection:
        connection.send(b'{"client": "a1", "id": 9, "do": "3 remove 1", "colour": "green"}\n')
        assert connection.reply()[0] == 9


def test_endless_line_closes_only_its_own_connection(service: ServiceProcess) -> None:
    link = service.link()
    with raw_connection(service.address) as connection:
        connection.view()
        with contextlib.suppress(ConnectionError):
            for _ in range(20):
                connection.send(b"x" * protocol.MAX_LINE_BYTES)
        number, refused = connection.reply()
        assert number == 0 and refused is not None
        assert refused.values.reason == f"expected lines up to {protocol.MAX_LINE_BYTES} bytes"
        with contextlib.suppress(ConnectionError):
            assert connection.line() == b""
    assert command(link, "3 remove 1") is not None


def test_screen_that_disconnects_during_a_line_frees_its_place(service: ServiceProcess) -> None:
    for _ in range(3 * MAX_CONNECTIONS):
        with raw_connection(service.address) as connection:
            if connection.line():  # The line is empty (b"") while earlier screens still use all connections.
                connection.send(b'{"id": 1, "do": "3 fo')
    wait_for_free_place(service)


def wait_for_free_place(service: ServiceProcess) -> None:
    """Wait until the service accepts a new connection, because it has noticed that earlier screens have gone."""

    def is_accepted() -> bool:
        with raw_connection(service.address) as connection:
            return connection.line() != b""

    wait_until(is_accepted, "the service accepts a connection")


def test_full_socket_drops_the_longest_silent_connection(tmp_path: Path) -> None:
    # Sixteen idle connections must not keep a new connection out. A client that has sent a command stays connected.
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        assert command(link, "hand") is None
        with contextlib.ExitStack() as idle_stack:
            idle_connections = [
                idle_stack.enter_context(raw_connection(service.address)) for _ in range(MAX_CONNECTIONS - 1)
            ]
            for connection in idle_connections:
                assert connection.line() != b""
            wait_for_free_place(service)
            with contextlib.suppress(ConnectionError):  # The service closes this connection.
                while idle_connections[0].line():  # heartbeats
                    pass
            assert command(link, "4 fold") is None
            newest = idle_connections[-1]
            newest.send(protocol.encode(newest.next_command("call-floor")))
            assert newest.line() != b"", "a newer connection was closed"


def test_many_connections_of_one_process_do_not_keep_another_process_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Process 2 stands for the dealer's screen, and process 1 for a program that opens too many connections.
    process_number = [1]
    monkeypatch.setattr(screen_server, "MIN_CONNECTION_AGE_S", 10 * DEADLINE_S)
    monkeypatch.setattr(screen_server, "_peer_credentials", lambda writer: (process_number[0], os.getuid()))
    with in_process_service(tmp_path) as table, contextlib.ExitStack() as connections:

        def is_accepted(number: int) -> bool:
            process_number[0] = number
            return connections.enter_context(raw_connection(table.address)).line() != b""

        assert all(is_accepted(1) for _ in range(MAX_CONNECTIONS))
        assert not is_accepted(1), "a 17th connection of one process was accepted"
        assert is_accepted(2) and not is_accepted(2), "a second process got no place or more than one"
        assert all(is_accepted(number) for number in range(3, MAX_CONNECTIONS + 1))
        assert not is_accepted(MAX_CONNECTIONS + 1), "a young connection of another process was closed"


def test_slow_reader_blocks_nobody_and_gets_the_newest_view_later(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        size, service = len(connection.line()), table.service
        for _ in range(3 * MAX_UNSENT_BYTES // size):
            table.call(service._publish)
        assert table.call(lambda: service.apply_step(parse_step("4 tip 7"))) is None
        newest, received = without_run_details(service.view), 0
        while without_run_details(connection.view()) != newest:
            received += 1
        assert received * size < 2 * MAX_UNSENT_BYTES, "all views were kept for a screen that does not read"
        assert table.call(lambda: service.apply_step(parse_step("4 tip 1"))) is None
        assert connection.view().accounts["toke"] == 8


FLOODER = """
import socket, sys
from controller.view import Command, protocol
with socket.socket(socket.AF_UNIX) as flood:
    flood.connect(sys.argv[1])
    flood.settimeout(0.05)
    number = 0
    while True:
        number += 1
        try:
            flood.sendall(protocol.encode(Command(client="flooder", id=number, do=f"3 stack {number}")))
        except TimeoutError:
            pass
        try:
            flood.recv(1_000_000)
        except TimeoutError:
            pass
"""
"""A client program that sends commands without a pause. The service records each command that it accepts."""
TOUCHES = 38
MAX_CONNECT_S = 1.0
"""Maximum time in seconds from the connection of the dealer's screen to its first view."""
MAX_ANSWER_S = 0.05
"""Maximum time in seconds from a touch to the reply of the service."""


def touch_while_flooded(tmp_path: Path) -> tuple[float, list[float]]:
    """Connect a dealer's screen and send touches while another client floods the service with commands.

    Idle clients use all other connections that the socket allows. Return the seconds until the screen had its first
    view, and the seconds until the service answered each touch.
    """
    with service_process(tmp_path, "--no-trays") as service, contextlib.ExitStack() as connections:
        service.start().close()
        start_s = time.monotonic()
        flooder = subprocess.Popen([sys.executable, "-c", FLOODER, str(service.address)], cwd=ROOT)
        try:
            wait_until(lambda: record_count(service) > MAX_BURST // 2, "the flood has begun")
            for _ in range(MAX_CONNECTIONS):
                connections.enter_context(raw_connection(service.address))
            connect_s = time.monotonic()
            wait_for_free_place(service)
            dealer = RawConnection(service.address)
            connections.callback(dealer.close)
            dealer.view()
            connection_time_s, took_s = time.monotonic() - connect_s, list[float]()
            for number in range(TOUCHES):
                sent_s = time.monotonic()
                assert dealer.command("call-floor" if number % 2 else "floor-came") is None
                took_s.append(time.monotonic() - sent_s)
        finally:
            flooder.kill()
            flooder.wait()
        flood_records = record_count(service) - TOUCHES
        assert flood_records <= MAX_BURST + COMMANDS_PER_SECOND * (time.monotonic() - start_s) + 1, (
            "more records than the rate limit allows"
        )
    return connection_time_s, took_s


def test_flooding_and_idle_clients_do_not_keep_the_dealers_screen_out(tmp_path: Path) -> None:
    _, took_s = touch_while_flooded(tmp_path)
    assert len(took_s) == TOUCHES


@pytest.mark.soak
def test_dealer_is_answered_at_once_while_a_client_floods(tmp_path: Path) -> None:
    connection_time_s, took_s = touch_while_flooded(tmp_path)
    assert connection_time_s < MAX_CONNECT_S
    assert sorted(took_s)[-2] < MAX_ANSWER_S, took_s  # The slowest touch may take longer.


def record_count(service: ServiceProcess) -> int:
    """Return the number of the last record in the journal of the service."""
    with contextlib.closing(Segment.open_read_only(service.journal)) as journal:
        return journal.last_number


def test_continuous_commands_do_not_starve_other_clients(service: ServiceProcess) -> None:
    link = service.link()
    line = protocol.encode(Command(client="flooder", id=1, do="3 remove 1"))
    with raw_connection(service.address) as connection:
        connection.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                connection.socket.send(line * 100)
        assert command(link, "3 remove 1") is not None


# --- a service that cannot start ---


def serve(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `potkeeper serve` with these arguments until the command ends, and return its output."""
    command = [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


def start_error(*arguments: str | Path) -> str:
    """Run `potkeeper serve`, which must refuse to start, and return its one-line error message."""
    result = serve(*arguments)
    assert result.returncode == 2, result
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("potkeeper: ")
    assert "expected" in line or "required" in line
    return line


def test_second_service_on_a_socket_is_refused(service: ServiceProcess) -> None:
    assert "another service uses it" in start_error("--no-trays", "--socket", service.address)
    assert command(service.link(), "3 remove 1") is not None


def test_second_service_on_a_journal_is_refused(service: ServiceProcess, tmp_path: Path) -> None:
    line = start_error("--no-trays", "--socket", tmp_path / "other.sock", "--journal", service.journal)
    assert f"process {service.pid} is writing it" in line


def test_stale_socket_is_replaced(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(service.address))
        assert command(service.start_with_stale_socket(), "hand") is None


def test_file_at_the_socket_path_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG)
    assert "another kind of file exists" in start_error("--no-trays", "--socket", file)
    assert file.read_text() == CONFIG


def test_service_removes_its_socket_when_it_ends(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        service.start()
        assert service.address.is_socket()
        service.stop()
        assert not service.address.exists()


@pytest.mark.parametrize("socket_path", ["x" * 120, "table.toml/table.sock"])
def test_unusable_socket_path_is_refused(tmp_path: Path, socket_path: str) -> None:
    (tmp_path / "table.toml").write_text(CONFIG)
    start_error("--no-trays", "--socket", tmp_path / socket_path)


BAD_CONFIGS = {
    "not-toml": "[game\n",
    "unknown-key": "[game]\nblinds = [1, 2]\nblnds = 3\n",
    "a-script": CONFIG + '[[step]]\ndo = "3 fold"\n',
    "started": "[game]\nstart = 'hand'\nblinds = [1, 2]\n",
    "bad-seat": "stacks = { 12 = 100 }\n[game]\nblinds = [1, 2]\n",
    "bad-show-pot": "[table]\nshow_pot = 'sometimes'\n[game]\nblinds = [1, 2]\n",
    "game-is-not-a-table": "game = 3\n",
    "table-is-not-a-table": "table = 3\n",
}


@pytest.mark.parametrize("text", BAD_CONFIGS.values(), ids=BAD_CONFIGS)
def test_invalid_configuration_is_refused(tmp_path: Path, text: str) -> None:
    config = tmp_path / "bad.toml"
    config.write_text(text)
    line = start_error("--no-trays", "--config", config, "--socket", tmp_path / "s", "--journal", tmp_path / "j")
    assert str(config) in line
    assert not (tmp_path / "j").exists()


def test_missing_configuration_is_refused(tmp_path: Path) -> None:
    assert "none.toml" in start_error("--no-trays", "--config", tmp_path / "none.toml", "--socket", tmp_path / "s")


def test_invalid_layout_is_refused(tmp_path: Path) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text("[[readers]]\nname = 'odd'\n")
    assert str(layout) in start_error("--layout", layout, "--socket", tmp_path / "s")
    assert "gone.toml" in start_error("--layout", tmp_path / "gone.toml", "--socket", tmp_path / "s")


@pytest.mark.parametrize("port", ["odd", "odd=", "=x", "third=/nowhere"])
def test_invalid_port_is_refused(tmp_path: Path, port: str) -> None:
    assert f"--port {port.partition('=')[0]}" in start_error("--port", port, "--socket", tmp_path / "s")


@pytest.mark.parametrize("size", ["0", "-1", "1.5", "1GB", "1000001", "", "9" * 5000])
def test_invalid_archive_size_is_refused(tmp_path: Path, size: str) -> None:
    line = start_error("--archive-mb", size, "--socket", tmp_path / "s")
    assert line.endswith("expected whole megabytes, 1 to 1000000") and len(line) < 200


@pytest.mark.parametrize("days", ["-1", "1.5", "36501", "9" * 5000])
def test_invalid_archive_age_is_refused(tmp_path: Path, days: str) -> None:
    line = start_error("--archive-days", days, "--socket", tmp_path / "s")
    assert line.endswith("expected whole days, 0 to 36500") and len(line) < 200


def test_damaged_journal_continues_from_its_last_good_record_with_an_alert(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        for do in ("hand", "4 fold", "1 call"):
            command_view(link, do)
        before = without_run_details(link.view())
        command_view(link, "2 raise to 60")
        service.stop()
        data = service.journal.read_bytes()
        assert data.count(b"2 raise to 60") == 1
        service.journal.write_bytes(data.replace(b"2 raise to 60", b"2 raise to 99"))
        view = without_run_details(service.start().view())
        alerts = {("journal-altered", 0), ("journal-damaged", 0), ("restarted", 0)}
        assert set(alert_codes(view)) == alerts
        assert msgspec.structs.replace(view, alerts=before.alerts) == before
        service.stop()
        link = service.start()
        assert set(alert_codes(link.view())) == alerts, "an alert was cleared before the chips were counted"
        assert alert_codes(command_view(link, "records-checked")) == [("restarted", 0)]
        assert alert_codes(command_view(link, "restart-checked")) == []
        damaged_files = [path.read_bytes() for path in tmp_path.glob("journal.db.damaged*")]
        assert any(b"2 raise to 99" in content for content in damaged_files), "the damaged file was removed"


def test_file_that_is_not_a_journal_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    for content in (b"", b"not a database" * 100, json.dumps({"a": 1}).encode()):
        journal.write_bytes(content)
        assert str(journal) in start_error("--no-trays", "--socket", tmp_path / "s", "--journal", journal)
        assert journal.read_bytes() == content


def test_folder_as_journal_is_refused(tmp_path: Path) -> None:
    start_error("--no-trays", "--socket", tmp_path / "s", "--journal", tmp_path)
