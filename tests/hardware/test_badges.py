"""Badges: the list of badges, the proof of a badge, and the monitor of card readers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hardware import badges
from hardware.badges import (
    ALL_READERS,
    PROOF_RENEWAL_INTERVAL_US,
    PROOF_TEXT_DIGITS,
    UNPLUGGED,
    Badge,
    BadgeError,
    BadgeEvent,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
    CardGoneError,
    ChallengeContext,
    PcscError,
    Proof,
    ReaderState,
    UnresponsiveCardError,
    is_bound_to,
    load_badges,
    parse_badges,
    parse_bound_proof,
    recover_proof,
)
from hardware.badges.monitor import MAX_WRONG_ANSWERS, PAUSE_US
from hardware.simulated.virtual_card import Applet, CardApplet
from tests.hardware.badge_fixtures import ANN, HOUSE, KEY, OTHER_KEY, PIV_PUBLIC_KEY, BadgeEventQueue, wait_until

# --- the list ---


def test_badge_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(f'[[badges]]\nuid = "04a1b2c3"\nname = "Ann"\nrole = "floor"\nkey = "{KEY.hex()}"\n')
    (ann,) = load_badges(path)
    assert ann == Badge(uid="04A1B2C3", name="Ann", role="floor", key=KEY.hex().upper())
    assert KEY.hex() not in repr(ann).lower()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([{**ANN, "uid": "04A1"}], "badges[0].uid: 4 characters, expected 8, 14 or 20 hex digits"),
        ([{**ANN, "uid": "04A1B2CX"}], "badges[0].uid"),
        ([ANN, {**ANN, "uid": "04A1B2C3"}], "badges[1].uid = 04A1B2C3: twice in the list, expected once"),
        ([{**ANN, "name": ""}], "badges[0].name: expected a name of at most 40 characters, all of which can be seen"),
        ([{**ANN, "name": "a\nb"}], "badges[0].name"),
        ([{**ANN, "role": "player"}], "badges[0].role: expected one of dealer, floor, technician"),
        ([{**ANN, "key": "00" * 15}], "badges[0].key: 30 characters, expected 32 to 128 hex digits"),
        ([{**ANN, "key": "0" * 33}], "badges[0].key: 33 characters"),
        ([{**ANN, "key": "x" * 32}], "badges[0].key"),
        ([{**ANN, "public_key": "02" + "FF" * 32}], "badges[0].public_key: 66 characters, expected 66 hex digits of a"),
        ([{**ANN, "public_key": "02" * 32}], "badges[0].public_key: 64 characters"),
        ([{**ANN, "public_key": PIV_PUBLIC_KEY}], "badges[0]: key and public_key, expected either"),
        ([{**ANN, "pin": 1}], "badges[0]: unknown key pin, expected uid, name, role, key"),
        ([{"uid": "04A1B2C3", "role": "floor"}], "badges[0].name: missing, expected text"),
        ([{**ANN, "revoked": 1}], "badges[0].revoked: not a truth value, expected true or false"),
        ([7], "badges[0]: int, expected a table with uid, name, role, key"),
        ("Ann", "badges: str, expected a list of badges"),
        ([ANN] * 501, "badges: 501 badges, expected at most 500"),
    ],
)
def test_invalid_badge_list_is_rejected_in_one_line(values: Any, expected: str) -> None:
    with pytest.raises(BadgeError) as raised:
        parse_badges(values)
    assert str(raised.value).startswith(expected)
    assert "\n" not in str(raised.value) and KEY.hex() not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"), [("[[badges", "expected TOML"), ("a = 1", "unknown key a, expected only")]
)
def test_invalid_badge_file_is_named_in_error(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(text)
    with pytest.raises(BadgeError, match=f"badges.toml: .*{expected}"):
        load_badges(path)
    with pytest.raises(BadgeError, match="expected a file"):
        load_badges(tmp_path / "none.toml")


SECRET = "5EC2E7" * 8


@pytest.mark.parametrize(
    "text",
    [
        *(f'[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\n{key_line}\n' for key_line in (
            f'{SECRET} = "x"', f'key = "{SECRET}0"', f'key = ["{SECRET}"]', f'key = "{SECRET}', f'key = {SECRET}',
            f'key = "{SECRET}"\nkey = "{SECRET}"',
        )),
        f'[[badges]]\nuid = "{SECRET}"\nname = "Ann"\nrole = "floor"',
        f'[[badges]]\nuid = "04A1B2C3"\nname = "{SECRET}"\nrole = "floor"',
        f'[[badges]]\nuid = "04A1B2C3"\nname = "{SECRET[:32]}"\nrole = "floor"',
        f'[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "{SECRET}"',
        f'[["{SECRET}"]]\nuid = 1',
        f'badges = "{SECRET}"',
        f'badges = ["{SECRET}"]',
    ],
)  # fmt: skip
def test_errors_never_quote_the_file_because_it_may_contain_a_key(tmp_path: Path, text: str) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(text)
    with pytest.raises(BadgeError) as raised:
        load_badges(path)
    assert SECRET[:8] not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "data", [b"badges = " + b"[" * 5_000, b"badges = " + b"9" * 5_000, b"\xff", b"a" * 2_000_000],
    ids=["nested", "digits", "bytes", "large"],
)  # fmt: skip
def test_unreadable_badge_file_gives_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "badges.toml"
    path.write_bytes(data)
    with pytest.raises(BadgeError, match=r"badges\.toml.*expected"):
        load_badges(path)
    for bad_path in (tmp_path, Path("/dev/null"), tmp_path / "a\0b"):
        with pytest.raises(BadgeError, match="expected a file"):
            load_badges(bad_path)


# --- the proof ---


class DirectConnection:
    """Connection that passes commands directly to an applet, without PC/SC."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.transmit = answer

    def close(self) -> None:
        pass


def test_answer_is_hmac_sha_256() -> None:
    # RFC 4231, test case 1.
    assert badges.compute_answer(b"\x0b" * 20, b"Hi There").hex() == (
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )


@pytest.mark.parametrize(
    ("card_key", "proven"), [(KEY, True), (OTHER_KEY, False), (None, False)], ids=["own", "other", "copied UID"]
)
def test_only_the_own_key_proves_a_badge(card_key: bytes | None, proven: bool) -> None:
    card = DirectConnection(CardApplet(bytes.fromhex("04A1B2C3"), card_key).answer)
    assert badges.read_uid(card) == "04A1B2C3"
    assert (badges.request_proof(card, KEY) is not None) is proven


def test_replayed_answer_proves_nothing() -> None:
    applet = CardApplet(b"\x04\xa1\xb2\xc3", KEY)
    recorded: dict[bytes, bytes] = {}

    def record(command: bytes) -> bytes:
        recorded[command[:5]] = applet.answer(command)
        return recorded[command[:5]]

    assert badges.request_proof(DirectConnection(record), KEY)
    assert not badges.request_proof(DirectConnection(lambda command: recorded[command[:5]]), KEY)


def test_card_answers_match_byte_for_byte() -> None:
    applet = CardApplet(bytes.fromhex("04A1B2C3"), KEY)
    authenticate = bytes.fromhex("0088000010") + bytes(16) + b"\x20"
    assert applet.answer(bytes.fromhex("FFCA000000")).hex() == "04a1b2c39000"
    assert applet.answer(authenticate).hex() == "6985"
    assert applet.answer(bytes.fromhex("00A404000AF0504F544B454550455300")).hex() == "6a82"
    assert applet.answer(authenticate).hex() == "6985"
    assert applet.answer(bytes.fromhex("00A404000AF0504F544B454550455200")).hex() == "9000"
    assert applet.answer(authenticate) == badges.compute_answer(KEY, bytes(16)) + b"\x90\x00"
    assert applet.answer(authenticate[:12]).hex() == "6700"
    assert applet.answer(b"\x00\xb0\x00\x00\x00").hex() == "6d00"
    applet.reset()
    assert applet.answer(authenticate).hex() == "6985"


def test_answer_with_61xx_status_is_fetched() -> None:
    answers = {"ffca000000": "6104", "00c0000004": "04a1b2c39000"}
    assert badges.read_uid(DirectConnection(lambda command: bytes.fromhex(answers[command.hex()]))) == "04A1B2C3"


# --- the monitor, with faulty readers ---


class FakePcscService:
    """Fake PC/SC service with card readers, and with cards that a test puts on them and takes away."""

    def __init__(self, *readers: str) -> None:
        self._changed = threading.Condition()
        self.cards: dict[str, Applet | None] = dict.fromkeys(readers)
        self.counts = dict.fromkeys(readers, 0)
        self.error_to_raise: Exception | None = None
        self.on_connect: list[Callable[[], None]] = []
        """Actions for the next attempts to connect to a card, one for each attempt."""
        self.sessions = 0

    def put(self, reader: str, *cards: Applet | None) -> None:
        """Put these cards on a card reader one after the other, faster than a client can notice.

        An entry of None means that the card is taken away.
        """
        with self._changed:
            for card in cards:
                self.cards[reader] = card
                self.counts[reader] = self.counts.get(reader, 0) + 1
            self._changed.notify_all()

    def unplug(self, reader: str) -> None:
        with self._changed:
            del self.cards[reader]
            self._changed.notify_all()

    def fail(self, error_to_raise: Exception | None) -> None:
        with self._changed:
            self.error_to_raise = error_to_raise
            self._changed.notify_all()

    def session(self) -> FakePcscSession:
        self.sessions += 1
        session = FakePcscSession(self)
        session.readers()
        return session

    def state(self, reader: str) -> ReaderState:
        present = self.cards[reader] is not None
        return ReaderState(
            has_card=present, card_event_count=self.counts[reader], raw=self.counts[reader] << 16 | present
        )


class FakePcscSession:
    """Fake PC/SC session of a client."""

    def __init__(self, service: FakePcscService) -> None:
        self._service = service

    def _check(self) -> None:
        if self._service.error_to_raise is not None:
            raise self._service.error_to_raise

    def readers(self) -> tuple[str, ...]:
        self._check()
        return tuple(self._service.cards)

    def wait_for_changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        service = self._service

        def changed() -> dict[str, ReaderState]:
            if set(known) - set(service.cards):
                raise PcscError(UNPLUGGED)
            return {name: now for name, was in known.items() if (now := service.state(name)) != was}

        with service._changed:
            service._changed.wait_for(lambda: service.error_to_raise or changed(), wait_ms / 1000)
            self._check()
            return changed()

    def connect(self, reader: str) -> DirectConnection:
        self._check()
        if self._service.on_connect:
            self._service.on_connect.pop(0)()
        card = self._service.cards[reader]
        if card is None:
            raise CardGoneError("removed")
        return DirectConnection(card.answer)

    def close(self) -> None:
        pass


def raise_on_call(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@contextmanager
def run_monitor(
    service: FakePcscService,
    clock: Callable[[], int] = lambda: 7,
    get_context: Callable[[], ChallengeContext] = ChallengeContext,
    house: Sequence[Badge] = HOUSE,
) -> Iterator[BadgeEventQueue]:
    events = BadgeEventQueue()
    monitor = BadgeMonitor(house, events, open_session=service.session, clock=clock, get_challenge_context=get_context)
    monitor.start()
    try:
        yield events
    finally:
        assert monitor.stop()


def ann() -> CardApplet:
    return CardApplet(bytes.fromhex("04A1B2C3"), KEY)


def bob() -> CardApplet:
    return CardApplet(bytes.fromhex("04A1B2C3D4E5F6"), OTHER_KEY)


ANN_SEEN = BadgeSeen("a", "04A1B2C3", "floor", "Ann", True, 7)
BOB_SEEN = BadgeSeen("b", "04A1B2C3D4E5F6", "dealer", "Bob", True, 7)


def test_card_present_at_start_is_reported() -> None:
    service = FakePcscService("a")
    service.put("a", ann())
    with run_monitor(service) as events:
        assert [events.next(), events.next()] == [BadgeReaderOnline("a", 7), ANN_SEEN]


def test_badge_that_stays_is_challenged_again_with_the_current_context() -> None:
    service, now_us, records = FakePcscService("a"), [7], [b"first"]
    service.put("a", ann())
    with run_monitor(service, lambda: now_us[0], lambda: ChallengeContext(now_us[0], records[0])) as events:
        first = events.wait_for(BadgeSeen)
        records[0], now_us[0] = b"second", 7 + PROOF_RENEWAL_INTERVAL_US
        second = events.wait_for(BadgeSeen)
    assert isinstance(first.proof, Proof) and isinstance(second.proof, Proof)
    assert (second.is_proven, second.at_us, second.proof.at_us) == (
        True,
        7 + PROOF_RENEWAL_INTERVAL_US,
        7 + PROOF_RENEWAL_INTERVAL_US,
    )
    first_binding, second_binding = first.proof.bind(b"words"), second.proof.bind(b"words")
    assert (
        recover_proof(first_binding, KEY, b"first") == first.proof
        and recover_proof(second_binding, KEY, b"second") == second.proof
    )
    assert (
        recover_proof(first_binding, KEY, b"second") is None
        and recover_proof(second_binding, OTHER_KEY, b"second") is None
    )


def test_badge_that_stays_is_challenged_at_once_for_a_new_journal() -> None:
    service, journal = FakePcscService("a"), ["one"]
    service.put("a", ann())
    with run_monitor(service, get_context=lambda: ChallengeContext(3, b"records", journal[0])) as events:
        assert events.wait_for(BadgeSeen).challenge_context.journal_name == "one"
        journal[0] = "two"
        assert events.wait_for(BadgeSeen).challenge_context.journal_name == "two"


def test_badge_unreadable_at_a_repeated_challenge_is_challenged_again() -> None:
    service, now_us = FakePcscService("a"), [7]
    service.put("a", ann())
    with run_monitor(service, lambda: now_us[0]) as events:
        assert events.wait_for(BadgeSeen).is_proven
        service.on_connect = [raise_on_call(UnresponsiveCardError("in use by another program"))]
        now_us[0] += PROOF_RENEWAL_INTERVAL_US
        assert not events.wait_for(BadgeSeen).is_proven
        now_us[0] += PROOF_RENEWAL_INTERVAL_US
        assert events.wait_for(BadgeSeen).is_proven


def test_proof_text_round_trips_and_no_altered_text_is_valid() -> None:
    proof = badges.request_proof(DirectConnection(ann().answer), KEY, ChallengeContext(41, b"records"), 7)
    assert proof is not None
    bound = proof.bind(b"words")
    text = bound.to_hex
    assert parse_bound_proof(text) == bound and len(text) == PROOF_TEXT_DIGITS
    for strange in ("", "00", text[:-2], text + "00", "x" * PROOF_TEXT_DIGITS, text[:-1] + "é"):
        assert parse_bound_proof(strange) is None
    for digit in range(PROOF_TEXT_DIGITS):
        other = f"{int(text[digit], 16) ^ 1:x}"
        altered = parse_bound_proof(text[:digit] + other + text[digit + 1 :])
        assert altered is not None
        answer = recover_proof(altered, KEY, b"records")
        assert answer is None or not is_bound_to(altered, answer, b"words")


def test_proof_is_bound_to_its_text_and_reveals_no_other_proof() -> None:
    proof = badges.request_proof(DirectConnection(ann().answer), KEY, ChallengeContext(41, b"records"), 7)
    assert proof is not None
    first_binding, other = proof.bind(b"floor pot 5"), proof.bind(b"floor pot 6")
    assert recover_proof(first_binding, KEY, b"records") == recover_proof(other, KEY, b"records") == proof
    assert is_bound_to(first_binding, proof, b"floor pot 5") and is_bound_to(other, proof, b"floor pot 6")
    for moved in (
        first_binding._replace(text_code=other.text_code),
        first_binding._replace(text_code=first_binding.presence_code),
    ):
        assert recover_proof(moved, KEY, b"records") == proof and not is_bound_to(moved, proof, b"floor pot 5")
    assert proof.answer.hex()[:32] not in first_binding.to_hex, "the stored proof can be bound to another text"
    seen = BadgeSeen("reader", "04A1B2C3", "floor", "Ann", True, 7, proof)
    assert repr(proof.answer) not in repr(seen), "the answer is visible in logs"


def test_two_readers_are_watched_separately() -> None:
    service = FakePcscService("a", "b")
    with run_monitor(service) as events:
        assert {events.next(), events.next()} == {BadgeReaderOnline("a", 7), BadgeReaderOnline("b", 7)}
        service.put("a", ann())
        assert events.next() == ANN_SEEN
        service.put("b", bob())
        assert events.next() == BOB_SEEN
        service.put("a", None)
        assert events.next() == BadgeGone("a", 7)
        service.put("b", None)
        assert events.next() == BadgeGone("b", 7)


def test_card_removed_for_a_moment_is_reported_again() -> None:
    service = FakePcscService("a")
    service.put("a", ann())
    with run_monitor(service) as events:
        assert events.wait_for(BadgeSeen) == ANN_SEEN
        service.put("a", None, ann())
        assert [events.next(), events.next()] == [BadgeGone("a", 7), ANN_SEEN]
        service.put("a", None, CardApplet(bytes.fromhex("04000001"), None))
        ted = BadgeSeen("a", "04000001", "technician", "Ted", False, 7)
        assert [events.next(), events.next()] == [BadgeGone("a", 7), ted]


@pytest.mark.parametrize(
    ("card", "seen"),
    [
        (CardApplet(bytes.fromhex("04A1B2C3"), OTHER_KEY), BadgeSeen("a", "04A1B2C3", "floor", "Ann", False, 7)),
        (CardApplet(bytes.fromhex("04A1B2C3"), None), BadgeSeen("a", "04A1B2C3", "floor", "Ann", False, 7)),
        (CardApplet(bytes.fromhex("04000001"), KEY), BadgeSeen("a", "04000001", "technician", "Ted", False, 7)),
        (CardApplet(bytes.fromhex("DEADBEEF"), KEY), BadgeSeen("a", "DEADBEEF", None, "", False, 7)),
        (CardApplet(b"", None), BadgeSeen("a", "", None, "", False, 7)),
    ],
    ids=["wrong key", "copied UID", "no key in the list", "unknown", "no UID"],
)
def test_unproven_card_is_reported_as_unproven(card: CardApplet, seen: BadgeSeen) -> None:
    service = FakePcscService("a")
    with run_monitor(service) as events:
        service.put("a", card)
        assert events.wait_for(BadgeSeen) == seen


def test_monitor_reconnects_after_pcsc_service_fails() -> None:
    service = FakePcscService("a")
    service.put("a", ann())
    with run_monitor(service) as events:
        events.wait_for(BadgeSeen)
        service.fail(PcscError("no-service"))
        assert [events.next(), events.next(), events.next()] == [
            BadgeGone("a", 7),
            BadgeReaderOffline("a", "no-service", 7),
            BadgeReaderOffline(ALL_READERS, "no-service", 7),
        ]
        service.fail(PcscError("error", 0x80100066))
        assert events.wait_for(BadgeReaderOffline).reason_text == "error-80100066"
        service.fail(None)
        assert [events.next(), events.next(), events.next()] == [
            BadgeReaderOnline(ALL_READERS, 7),
            BadgeReaderOnline("a", 7),
            ANN_SEEN,
        ]
        assert service.sessions >= 2


@pytest.mark.parametrize(
    ("card", "refusal"),
    [
        (CardApplet(bytes.fromhex("04A1B2C3"), OTHER_KEY), "wrong-answer"),
        (CardApplet(bytes.fromhex("04A1B2C3"), None), "wrong-answer"),
        (CardApplet(bytes.fromhex("04000001"), KEY), "no-key"),
        (CardApplet(bytes.fromhex("04000002"), KEY), "revoked"),
        (CardApplet(bytes.fromhex("DEADBEEF"), KEY), "unknown"),
        (CardApplet(b"", None), "unreadable"),
        (CardApplet(bytes.fromhex("04A1B2C3"), KEY), None),
    ],
    ids=["wrong key", "copied UID", "no key", "revoked", "unknown", "no UID", "own key"],
)
def test_refused_card_is_reported_with_its_reason(card: CardApplet, refusal: str | None) -> None:
    service = FakePcscService("a")
    with run_monitor(service) as events:
        service.put("a", card)
        assert events.wait_for(BadgeSeen).refusal == refusal


def test_five_wrong_answers_pause_only_that_reader_for_five_minutes() -> None:
    service, now_us = FakePcscService("a", "b"), [7]
    forged = CardApplet(bytes.fromhex("04A1B2C3"), OTHER_KEY)
    with run_monitor(service, lambda: now_us[0]) as events:
        for _ in range(MAX_WRONG_ANSWERS):
            service.put("a", forged)
            assert events.wait_for(BadgeSeen).refusal == "wrong-answer"
        assert [events.next(), events.next()] == [BadgeGone("a", 7), BadgeReaderOffline("a", "paused", 7)]
        service.put("a", ann())
        service.put("b", bob())
        assert events.next() == BOB_SEEN, "the other reader works"
        service.unplug("a")
        assert events.wait_for(BadgeReaderOffline).reason == "unplugged"
        service.put("a", ann())
        assert events.wait_for(BadgeReaderOffline).reason == "paused", "a pause ended with the cable"
        now_us[0] += PAUSE_US
        assert events.wait_for(BadgeReaderOnline).reader == "a"
        assert events.wait_for(BadgeSeen, lambda seen: seen.reader == "a").is_proven


def test_wrong_answers_of_an_hour_do_not_pause_a_reader() -> None:
    service, now_us = FakePcscService("a"), [7]
    forged = CardApplet(bytes.fromhex("04A1B2C3"), OTHER_KEY)
    with run_monitor(service, lambda: now_us[0]) as events:
        for _ in range(3 * MAX_WRONG_ANSWERS):
            service.put("a", forged)
            assert events.wait_for(BadgeSeen).refusal == "wrong-answer"
            now_us[0] += PAUSE_US // (MAX_WRONG_ANSWERS - 1)
        service.put("a", ann())
        assert events.wait_for(BadgeSeen).is_proven


def test_unplugged_reader_does_not_affect_the_other() -> None:
    service = FakePcscService("a", "b")
    service.put("b", bob())
    with run_monitor(service) as events:
        assert events.wait_for(BadgeSeen) == BOB_SEEN
        service.unplug("a")
        assert events.wait_for(BadgeReaderOffline) == BadgeReaderOffline("a", "unplugged", 7)
        service.put("a", ann())
        assert [events.next(), events.next()] == [BadgeReaderOnline("a", 7), ANN_SEEN]
        service.unplug("a")
        service.unplug("b")
        reported = [events.next() for _ in range(5)]
        assert reported[-1] == BadgeReaderOffline(ALL_READERS, "no-reader", 7)
        assert BadgeGone("b", 7) in reported and BadgeReaderOffline("b", "unplugged", 7) in reported
        assert service.sessions == 1


def test_unexpected_error_does_not_end_the_monitor(caplog: pytest.LogCaptureFixture) -> None:
    service = FakePcscService("a")
    with run_monitor(service) as events:
        events.wait_for(BadgeReaderOnline)
        service.fail(ZeroDivisionError("planted"))
        assert events.wait_for(BadgeReaderOffline, lambda event: event.reader == "a").reason == "internal"
        service.fail(None)
        service.put("a", ann())
        assert events.wait_for(BadgeSeen) == ANN_SEEN
    assert "watching the badge readers failed" in caplog.text


def test_failing_listener_does_not_end_the_monitor(caplog: pytest.LogCaptureFixture) -> None:
    service, events = FakePcscService("a"), BadgeEventQueue()

    def deliver(event: BadgeEvent) -> None:
        events(event)
        raise RuntimeError("Event loop is closed")

    monitor = BadgeMonitor(HOUSE, deliver, open_session=service.session)
    monitor.start()
    try:
        events.wait_for(BadgeReaderOnline)
        service.put("a", ann())
        events.wait_for(BadgeSeen)
    finally:
        assert monitor.stop()
    assert "could not be delivered" in caplog.text
    assert monitor.heartbeat_us > 0


@pytest.mark.parametrize(
    ("errors", "uid"),
    [
        ([CardGoneError("reset")], "04A1B2C3"),
        ([CardGoneError("reset")] * 3, ""),
        ([UnresponsiveCardError("unresponsive")], ""),
        ([PcscError("error", 0x80100066)], ""),
    ],
    ids=["reset once", "reset for ever", "mute", "reader error"],
)
def test_card_with_read_errors_is_retried(errors: list[Exception], uid: str) -> None:
    service = FakePcscService("a")
    with run_monitor(service) as events:
        service.on_connect = [raise_on_call(error) for error in errors]
        service.put("a", ann())
        assert events.wait_for(BadgeSeen).uid == uid
        # The client reads a card again after the card was taken away and put back.
        service.put("a", None, ann())
        assert events.wait_for(BadgeSeen) == ANN_SEEN


def test_card_removed_before_it_is_read_is_not_reported() -> None:
    service = FakePcscService("a", "b")
    with run_monitor(service) as events:
        assert {events.next(), events.next()} == {BadgeReaderOnline("a", 7), BadgeReaderOnline("b", 7)}
        service.on_connect = [lambda: service.put("a", None)]
        service.put("a", ann())
        wait_until(lambda: not service.on_connect)
        service.put("b", bob())
        assert events.next() == BOB_SEEN


def test_card_exchanged_while_it_is_read_is_reported_as_the_new_card() -> None:
    service = FakePcscService("a")
    with run_monitor(service) as events:
        events.wait_for(BadgeReaderOnline)
        service.on_connect = [lambda: service.put("a", None, ann())]
        service.put("a", bob())
        assert events.next() == ANN_SEEN
