"""Signed heads leave the table after each hand, and `verify` compares the journal with all of them."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from controller.cli import main
from controller.config import parse_config
from controller.integrity import (
    ChainHead,
    HeadSender,
    JournalGuard,
    http_target,
    is_signed_by,
    make_guard,
    read_sent_heads,
)
from controller.integrity import sent_heads as sent_heads_module
from controller.integrity.sent_heads import HeadLogFile
from controller.journal import (
    Entry,
    Journal,
    LayoutInForce,
    Segment,
    import_segments,
    new_header,
    salvage_journal,
    trim_archive,
)
from controller.live import TableSetup
from controller.service.queries import HandLog
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover
from controller.steps import parse_step
from tests.controller.journal_tampering import KEY, OTHER_KEY, GuardedJournal, change_record, entries, rechain
from tests.service.service_process import wait_until

HANDS = 4
RECORDS_PER_HAND = 10


class MemoryTarget:
    """Target that keeps lines, and checks that each record is on disk when its head arrives."""

    name = "memory"
    outage_before_alert_s = 0.0

    def __init__(self, journal: Path) -> None:
        self.lines: list[bytes] = []
        self.errors: list[OSError] = []
        """Errors of the next deliveries."""
        self.may_answer = Event()
        self.may_answer.set()
        self._journal = journal

    def deliver(self, line: bytes) -> None:
        assert self.may_answer.wait(60)
        if self.errors:
            raise self.errors.pop(0)
        with closing(Segment.open_read_only(self._journal)) as segment:
            assert segment.last_number >= len(self.lines) * RECORDS_PER_HAND + RECORDS_PER_HAND
        self.lines.append(line)


def play_hands(journal: Journal, hands: int = HANDS) -> None:
    for _ in range(hands):
        first = journal.last_number + 1
        journal.append(entries(first, first + RECORDS_PER_HAND - 2))
        journal.append(entries(first + RECORDS_PER_HAND - 1, first + RECORDS_PER_HAND - 1), b"state after the hand")


@pytest.fixture
def book(tmp_path: Path) -> GuardedJournal:
    """Return a journal of two segments with four hands each. All heads are in the file `heads`."""
    book = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark")

    def guard() -> JournalGuard:
        return make_guard(book.path, KEY, book.far_mark, None, (str(tmp_path / "heads"),))

    with closing(Journal.create(book.path, new_header("{}"), guard=guard())) as journal:
        play_hands(journal)
    shutil.copy(book.path, tmp_path / "older")
    with closing(Journal.open(book.path, guard=guard())[0]) as journal:
        journal.rotate(b"state")
        play_hands(journal)
    return book


def verify(book: GuardedJournal, *options: str) -> Result:
    key = book.path.with_name("key.pub")
    key.write_text(KEY.public_key + "\n")
    words = ["journal", "verify", str(book.path), "--key", str(key), "--heads", str(book.path.with_name("heads"))]
    return CliRunner().invoke(main, [*words, *options])


def test_each_hand_appends_a_signed_head_to_the_file(book: GuardedJournal) -> None:
    heads, bad_lines = read_sent_heads(book.path.with_name("heads"))
    assert bad_lines == []
    assert [(sent.segment, sent.number) for sent in heads] == [
        (1 + (hand >= HANDS), (hand + 1) * RECORDS_PER_HAND) for hand in range(2 * HANDS)
    ]
    assert all(is_signed_by(KEY.public_key, sent.head, bytes.fromhex(sent.signature)) for sent in heads)
    result = verify(book)
    assert (result.exit_code, "8 heads that have left the table, all in the journal" in result.output) == (0, True)


def guard_with(sender: HeadSender) -> JournalGuard:
    return JournalGuard(KEY, (), None, (sender,))


def test_head_is_sent_after_its_record_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    target = MemoryTarget(path)
    with closing(Journal.create(path, new_header("{}"), guard=guard_with(HeadSender(target)))) as journal:
        play_hands(journal)
    assert len(target.lines) == HANDS


def test_target_that_hangs_never_delays_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_heads_module, "SEND_TIMEOUT_S", 0.0)
    path = tmp_path / "t.journal"
    target = MemoryTarget(path)
    target.may_answer.clear()
    sender = HeadSender(target)
    guard = guard_with(sender)
    with closing(Journal.create(path, new_header("{}"), guard=guard)) as journal:
        play_hands(journal)  # This would wait for a minute if the table waited for the target.
        wait_until(lambda: "memory: no answer" in guard.mark_error, "the target is reported")
        target.may_answer.set()
        wait_until(lambda: len(target.lines) == HANDS, "all heads arrive")
        wait_until(lambda: not guard.mark_error, "the problem is over")


def test_target_that_fails_gets_all_heads_later_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    target = MemoryTarget(path)
    target.errors = [OSError(28, "No space left on device")]
    guard = guard_with(HeadSender(target))
    with closing(Journal.create(path, new_header("{}"), guard=guard)) as journal:
        play_hands(journal, 1)
        wait_until(lambda: guard.mark_error == "memory: No space left on device", "the target is reported")
        play_hands(journal, HANDS - 1)
        wait_until(lambda: len(target.lines) == HANDS, "all heads arrive")
        assert guard.mark_error == ""
    assert target.lines == sorted(target.lines, key=lambda line: int(line.split(b'"number":')[1].split(b",")[0]))


def test_start_sends_a_head_because_heads_that_waited_at_the_stop_are_lost(tmp_path: Path) -> None:
    book, log = GuardedJournal(tmp_path / "t.journal", tmp_path / "far.mark"), tmp_path / "device" / "heads"
    guard = partial(make_guard, book.path, KEY, book.far_mark, None, (str(log),))
    with closing(Journal.create(book.path, new_header(""), guard=guard())) as journal:
        journal.append([Entry(time.monotonic_ns() // 1000, parse_step("1 sit 500"), "dealer")])
        journal.publish_head()
    log.parent.mkdir()
    for layout in (None, LayoutInForce("table", "5b")):  # The second start begins a segment without records.
        location = JournalLocation(book.path, guard(), layout=layout)
        recover(parse_config(""), location, TableSetup(has_sensors=False), 1, HandLog())[2].close()
    heads, bad_lines = read_sent_heads(log)
    assert ([(sent.segment, sent.number) for sent in heads], bad_lines) == ([(1, 1), (2, 1)], [])
    log.rename(tmp_path / "heads")
    result = verify(book)
    assert result.exit_code == 0, result.output


def test_head_is_sent_to_the_system_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_heads_module, "SYSLOG_SOCKET", str(tmp_path / "log"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / "log"))
        log.settimeout(60)
        path = tmp_path / "t.journal"
        guard = make_guard(path, KEY, None, None, ("syslog",))
        with closing(Journal.create(path, new_header("{}"), guard=guard)) as journal:
            play_hands(journal, 1)
            message = log.recv(10_000)
    prefix, line = message.split(b": ", 1)
    assert prefix == b"<85>potkeeper-head"
    (tmp_path / "heads").write_bytes(line + b"\n")
    [sent], _ = read_sent_heads(tmp_path / "heads")
    assert sent.number == RECORDS_PER_HAND
    assert verify(GuardedJournal(path, tmp_path / "far.mark")).exit_code == 0


class Receiver(BaseHTTPRequestHandler):
    """A server that appends each head to a file, or fails as its attributes say."""

    server: ReceiverServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert (self.path, self.headers["Content-Type"]) == ("/heads?room=1", "application/json")
        self.server.requests += 1
        if not self.server.may_answer.wait(0):
            self.server.hanging = True
            assert self.server.may_answer.wait(60)
        if self.server.status < 300:
            with self.server.log.open("ab") as log:
                log.write(body + b"\n")
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


class ReceiverServer(ThreadingHTTPServer):
    """The address to which the heads are sent. A request that waits for `may_answer` hangs."""

    status = 204
    requests = 0
    hanging = False

    def __init__(self, log: Path, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), Receiver)
        self.log, self.may_answer = log, Event()
        self.may_answer.set()
        if tls is not None:
            # The thread of a request does the handshake, because a client that sends nothing would block the server.
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report an address that fails at once, and try it again soon."""
    monkeypatch.setattr(http_target.HttpTarget, "outage_before_alert_s", 0.0)
    monkeypatch.setattr(sent_heads_module, "FIRST_RETRY_S", 0.02)
    monkeypatch.setattr(sent_heads_module, "MAX_RETRY_S", 0.02)


def heads_in(log: Path) -> list[int]:
    """Return the record numbers of all heads in a log. A head whose answer was lost arrives twice."""
    return sorted({sent.number for sent in read_sent_heads(log)[0]}) if log.exists() else []


@pytest.mark.usefixtures("impatient")
def test_address_that_refuses_fails_and_hangs_gets_all_heads_in_the_end_and_delays_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "heads"
    server = ReceiverServer(log)
    port = server.server_port
    server.stop()
    path = tmp_path / "t.journal"
    guard = make_guard(path, KEY, None, None, (f"http://127.0.0.1:{port}/heads?room=1",))
    with closing(Journal.create(path, new_header("{}"), guard=guard)) as journal:
        play_hands(journal, 1)
        wait_until(lambda: "Connection refused" in guard.mark_error, "the address that refuses is reported")
        assert guard.mark_error.startswith(f"http://127.0.0.1:{port}/heads: "), "the query is never shown"
        monkeypatch.setattr(http_target, "HTTP_TIMEOUT_S", 0.2)
        server = ReceiverServer(log, port)
        server.may_answer.clear()
        wait_until(lambda: "timed out" in guard.mark_error, "the address that hangs is reported")
        server.status = 500
        server.may_answer.set()
        wait_until(lambda: "the answer is 500" in guard.mark_error, "the error of the server is reported")
        monkeypatch.setattr(http_target, "HTTP_TIMEOUT_S", 60)
        answered = server.requests + 2
        wait_until(lambda: server.requests >= answered, "the last request with the short timeout is over")
        server.stop()
        server = ReceiverServer(log, port)  # no request with the short timeout waits at this server
        server.may_answer.clear()
        wait_until(lambda: server.hanging, "a request hangs")
        requests = server.requests
        play_hands(journal, HANDS - 1)
        assert server.requests == requests, "a commit has waited for the answer"
        assert heads_in(log) == []
        server.may_answer.set()
        wait_until(lambda: not guard.mark_error, "the problem is over")
        wait_until(lambda: len(heads_in(log)) == HANDS, "all heads arrive")
    server.stop()
    numbers = [sent.number for sent in read_sent_heads(log)[0]]
    assert list(dict.fromkeys(numbers)) == [RECORDS_PER_HAND * (hand + 1) for hand in range(HANDS)], "out of order"
    result = verify(GuardedJournal(path, tmp_path / "far.mark"))
    assert (result.exit_code, "heads that have left the table, all in the journal" in result.output) == (0, True)


def test_address_is_reported_only_after_a_minute_without_a_delivery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = MemoryTarget(tmp_path / "t.journal")
    target.outage_before_alert_s = http_target.OUTAGE_BEFORE_ALERT_S
    target.errors = [OSError(101, "Network is unreachable")] * 1_000_000
    sender = HeadSender(target)
    clock = {"now_s": 1000.0}
    monkeypatch.setattr("controller.integrity.sent_heads.time.monotonic", lambda: clock["now_s"])
    sender._waiting.append(b"{}")
    sender._deliver_waiting()
    clock["now_s"] += 59
    assert sender.error == ""
    sender._deliver_waiting()
    clock["now_s"] += 1
    assert sender.error == "memory: Network is unreachable"


def make_certificate(folder: Path, name: x509.GeneralName) -> tuple[Path, ssl.SSLContext]:
    """Return a file with a certificate for this name, and the settings of a server with this certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "House")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
    ca_file, server_file = folder / "ca.pem", folder / "server.pem"
    ca_file.write_bytes(certificate.public_bytes(encoding))
    server_file.write_bytes(
        ca_file.read_bytes() + key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, no_password)
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(server_file)
    return ca_file, tls


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("name", "has_ca_file", "error"),
    [
        (x509.IPAddress(ip_address("127.0.0.1")), True, ""),
        (x509.IPAddress(ip_address("127.0.0.1")), False, "certificate verify failed"),
        (x509.DNSName("other.example"), True, "IP address mismatch"),
    ],
)
def test_https_needs_a_certificate_of_the_system_or_of_the_file(
    tmp_path: Path, name: x509.GeneralName, has_ca_file: bool, error: str
) -> None:
    ca_file, tls = make_certificate(tmp_path, name)
    server = ReceiverServer(tmp_path / "heads", tls=tls)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # A refused handshake is no error of the test.
    path = tmp_path / "t.journal"
    url = f"https://127.0.0.1:{server.server_port}/heads?room=1"
    guard = make_guard(path, KEY, None, None, (url,), ca_file if has_ca_file else None)
    with closing(Journal.create(path, new_header("{}"), guard=guard)) as journal:
        play_hands(journal, 1)
        if error:
            wait_until(lambda: error in guard.mark_error, "the certificate is refused")
        else:
            wait_until(lambda: heads_in(server.log) == [RECORDS_PER_HAND], "the head arrives")
    server.stop()
    assert heads_in(server.log) == ([] if error else [RECORDS_PER_HAND])


def test_file_of_certificates_that_cannot_be_read_is_a_problem_of_the_target(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for name, error in (("ca.pem", "NO_CERTIFICATE_OR_CRL_FOUND"), ("missing.pem", "No such file")):
        with pytest.raises(OSError, match=error):
            http_target.HttpTarget("https://127.0.0.1:9/", tmp_path / name).deliver(b"{}")


BAD_ADDRESSES = (
    "http:/host/heads",
    "https://",
    "http://host:port/",
    "http://a..b/",
    "http://eve:word@host/",
    "http://a/ b",
)


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_bad_address_is_one_line(tmp_path: Path, url: str) -> None:
    words = ["serve", "--no-trays", "--journal", str(tmp_path / "t.journal"), "--heads", url]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert f"--heads '{url}': " in result.stderr and "expected an address such as https://" in result.stderr


def rewrite_with_the_key(book: GuardedJournal) -> None:
    """Change a record of the running segment as somebody who has stolen the table's key."""
    with closing(Segment.open_read_only(book.path)) as segment:
        name, number = segment.journal_name, segment.last_number
    rechain(book, lambda rows: change_record(rows, number - 12))
    with closing(Segment.open_read_only(book.path)) as segment:
        head = segment.chain_head()
    assert head.journal == name
    sign_again(book, head)


def sign_again(book: GuardedJournal, head: ChainHead) -> None:
    with closing(sqlite3.connect(book.path)) as db:
        db.execute("UPDATE head SET seal = ?", (KEY.sign(head),))
        db.commit()


def restore_older_copy(book: GuardedJournal) -> None:
    """Put a copy of the journal from before the second segment into its place."""
    remove_journal(book)
    shutil.copy(book.path.with_name("older"), book.path)


def restore_older_copy_as_the_command_does(book: GuardedJournal) -> None:
    """Begin a new journal that continues the same copy."""
    restore_older_copy(book)
    with closing(Segment.open_read_only(book.path, closed=True)) as segment:
        parent = segment.journal_name
    copy = book.path.rename(book.path.with_name("copy"))
    import_segments([copy], book.path)
    header = new_header("{}", parent_journal=parent, origin="restore")
    Journal.create(book.path, header, b"state", guard=make_guard(book.path, KEY)).close()


def remove_journal(book: GuardedJournal) -> None:
    for suffix in ("", "-wal", "-shm"):
        book.path.with_name(f"t.journal{suffix}").unlink(missing_ok=True)
    shutil.rmtree(book.path.with_name("t.journal.archive"))


def begin_another_journal(book: GuardedJournal) -> None:
    remove_journal(book)
    with closing(Journal.create(book.path, new_header('{"other": 1}'), guard=make_guard(book.path, KEY))) as journal:
        play_hands(journal)


def sign_heads_with_another_key(book: GuardedJournal) -> None:
    log = book.path.with_name("heads")
    heads, _ = read_sent_heads(log)
    signature = OTHER_KEY.sign(heads[0].head).hex()
    log.write_text(log.read_text().replace(heads[0].signature, signature))


TAMPERINGS: dict[str, tuple[Callable[[GuardedJournal], None], str]] = {
    "rewritten with the key": (rewrite_with_the_key, ": not ours (remade): the records up to 70 differ"),
    "older copy": (restore_older_copy, ": behind (older-copy): a head of segment 2 has left the table"),
    "older copy restored": (
        restore_older_copy_as_the_command_does,
        ": behind (older-copy): a head of segment 2 has left the table",
    ),
    "another journal": (begin_another_journal, ": not ours (replaced): a head of segment 1 has left the table"),
    "forged head": (
        sign_heads_with_another_key,
        ": changed (mark-damaged): 1 heads that have left the table are not signed",
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_verify_names_what_only_the_heads_show(book: GuardedJournal, name: str) -> None:
    tamper, expected = TAMPERINGS[name]
    tamper(book)
    book.path.with_name("t.journal.mark").unlink(missing_ok=True)
    result = verify(book)
    assert result.exit_code == 1
    assert expected in result.output, result.output
    key = book.path.with_name("key.pub")
    without_heads = CliRunner().invoke(main, ["journal", "verify", str(book.path), "--key", str(key)])
    assert without_heads.exit_code == 0, without_heads.output


@pytest.mark.parametrize("line", ["torn", '{"journal":"ab","segment":1,"number":1e30,"hash":"","signature":""}'])
def test_line_that_is_no_head_is_named(book: GuardedJournal, line: str) -> None:
    with book.path.with_name("heads").open("a") as log:
        log.write(f"{line.replace('1e30', str(10**30))}\n")
    result = verify(book)
    assert (result.exit_code, "heads:9: not a head" in result.output) == (1, True)
    rewrite_with_the_key(book)
    book.path.with_name("t.journal.mark").unlink()
    assert "heads:9: not a head" in verify(book).output, "other findings hide the line"
    key = book.path.with_name("table.key")
    key.write_text("11" * 32)
    key.chmod(0o600)
    report = book.path.with_name("report.txt")
    words = ["journal", "audit", str(book.path), "--key", str(key), "--heads", str(book.path.with_name("heads"))]
    result = CliRunner().invoke(main, [*words, "--from", "2025-01-01", "--to", "2025-01-02", "--out", str(report)])
    assert (result.exit_code, "2 open findings" in result.output) == (1, True), result.output
    assert "heads:9: not a head" in report.read_text()


def play_one_more_hand(book: GuardedJournal) -> None:
    """Play a hand after a restart of the service. Its signed head is sent to the file `heads`."""
    guard = make_guard(book.path, KEY, book.far_mark, None, (str(book.path.with_name("heads")),))
    with closing(Journal.open(book.path, guard=guard)[0]) as journal:
        play_hands(journal, 1)


@pytest.mark.parametrize("left", ["half a line", "zeros", "all but the end of the line"])
def test_head_after_a_torn_line_is_compared(book: GuardedJournal, left: str) -> None:
    log = book.path.with_name("heads")
    data = log.read_bytes()
    torn = {"half a line": data[:-100], "zeros": data[:-100] + bytes(99), "all but the end of the line": data[:-1]}[
        left
    ]
    log.write_bytes(torn)
    play_one_more_hand(book)
    heads, bad_lines = read_sent_heads(log)
    assert log.read_bytes().startswith(torn + b"\n"), "the log must only grow"
    assert heads[-1].number == (2 * HANDS + 1) * RECORDS_PER_HAND
    assert bad_lines == ([] if left == "all but the end of the line" else [2 * HANDS])
    result = verify(book)
    assert (result.exit_code, "heads:8: not a head" in result.output) == (int(bool(bad_lines)), bool(bad_lines))
    rewrite_with_the_key(book)
    book.path.with_name("t.journal.mark").unlink()
    assert ": not ours (remade): " in verify(book).output, "the head after the torn line proves nothing"


def test_head_that_a_full_device_has_torn_is_repeated_on_its_own_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, write = tmp_path / "heads", os.write
    target = HeadLogFile(log)
    line = b'{"journal":"71b6","segment":1,"number":10,"hash":"5b","signature":"9f"}'
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:40]))
        with pytest.raises(OSError, match="No space left on device"):
            target.deliver(line)
    for _ in range(2):
        target.deliver(line)
    assert log.read_bytes() == line[:40] + b"\n" + (line + b"\n") * 2


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_head_is_not_written_through_a_link(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("foreign\n")
    link(foreign, tmp_path / "heads")
    with pytest.raises(OSError, match="a link to another file"):
        HeadLogFile(tmp_path / "heads").deliver(b"{}")
    assert foreign.read_text() == "foreign\n"


@pytest.mark.parametrize("is_exported", [False, True])
def test_archived_and_exported_segments_are_compared(book: GuardedJournal, *, is_exported: bool) -> None:
    if is_exported:
        assert len(trim_archive(book.path, 0)) == 1
    assert verify(book).exit_code == 0
    log = book.path.with_name("heads")
    heads, _ = read_sent_heads(log)
    forged = heads[1].head._replace(hash=bytes(32))
    log.write_text(
        log.read_text().replace(heads[1].hash, forged.hash.hex()).replace(heads[1].signature, KEY.sign(forged).hex())
    )
    assert ": not ours (remade): the records up to 20 differ" in verify(book).output


def test_heads_from_before_a_salvage_are_no_findings(book: GuardedJournal) -> None:
    with closing(Segment.open_read_only(book.path)) as segment:
        header = segment.read_header()
    data = bytearray(book.path.read_bytes())
    data[-3000:] = bytes(3000)
    book.path.write_bytes(data)
    salvage_journal(book.path, header, guard=make_guard(book.path, KEY))
    result = verify(book)
    assert "left the table" not in result.stderr, result.output
