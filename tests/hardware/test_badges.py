"""Badges: the list, the proof, the watch over readers that come and go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hardware import badges
from hardware.badges import (
    ALL_READERS,
    RENEW_US,
    TEXT_DIGITS,
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
    CardMuteError,
    Occasion,
    PcscError,
    ReaderState,
    held,
    load_badges,
    make_badges,
    read_proof,
    speaks_for,
)
from hardware.simulated.card import CardApplet
from tests.hardware.listening import ANN, HOUSE, KEY, OTHER_KEY, Heard, until

# The list


def test_badges_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(f'[[badges]]\nuid = "04a1b2c3"\nname = "Ann"\nrole = "floor"\nkey = "{KEY.hex()}"\n')
    (ann,) = load_badges(path)
    assert ann == Badge(uid="04A1B2C3", name="Ann", role="floor", key=KEY.hex().upper())
    assert KEY.hex() not in repr(ann).lower()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([{**ANN, "uid": "04A1"}], "badges[0].uid: 4 characters, expected 8, 14 or 20 hex digits"),
        ([{**ANN, "uid": "04A1B2CX"}], "badges[0].uid"),
        ([ANN, {**ANN, "uid": "04A1B2C3"}], "badges[1].uid = 04A1B2C3: twice in the list, expected once"),
        ([{**ANN, "name": ""}], "badges[0].name: expected a name of at most 40 characters, all of which can be seen"),
        ([{**ANN, "name": "a\nb"}], "badges[0].name"),
        ([{**ANN, "role": "player"}], "badges[0].role: expected dealer, floor, technician"),
        ([{**ANN, "key": "00" * 15}], "badges[0].key: 30 characters, expected 32 to 128 hex digits"),
        ([{**ANN, "key": "0" * 33}], "badges[0].key: 33 characters"),
        ([{**ANN, "key": "x" * 32}], "badges[0].key"),
        ([{**ANN, "pin": 1}], "badges[0]: a key that nobody reads, expected uid, name, role, key"),
        ([{"uid": "04A1B2C3", "role": "floor"}], "badges[0].name: missing, expected text"),
        ([7], "badges[0]: int, expected a table with uid, name, role, key"),
        ("Ann", "badges: str, expected a list of badges"),
        ([ANN] * 501, "badges: 501 badges, expected at most 500"),
    ],
)
def test_a_wrong_list_is_refused_in_one_line(values: Any, said: str) -> None:
    with pytest.raises(BadgeError) as raised:
        make_badges(values)
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value) and KEY.hex() not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"), [("[[badges", "expected TOML"), ("a = 1", "a key that nobody reads, expected nothing but")]
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(text)
    with pytest.raises(BadgeError, match=f"badges.toml: .*{said}"):
        load_badges(path)
    with pytest.raises(BadgeError, match="expected a file"):
        load_badges(tmp_path / "none.toml")


SECRET = "5EC2E7" * 8


@pytest.mark.parametrize(
    "text",
    [
        *(f'[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\n{line}\n' for line in (
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
def test_what_stands_in_the_file_is_not_repeated_for_it_may_be_a_key(tmp_path: Path, text: str) -> None:
    path = tmp_path / "badges.toml"
    path.write_text(text)
    with pytest.raises(BadgeError) as raised:
        load_badges(path)
    assert SECRET[:8] not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "data", [b"badges = " + b"[" * 5_000, b"badges = " + b"9" * 5_000, b"\xff", b"a" * 2_000_000],
    ids=["nested", "digits", "bytes", "large"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "badges.toml"
    path.write_bytes(data)
    with pytest.raises(BadgeError, match=r"badges\.toml.*expected"):
        load_badges(path)
    for odd in (tmp_path, Path("/dev/null"), tmp_path / "a\0b"):
        with pytest.raises(BadgeError, match="expected a file"):
            load_badges(odd)


# The proof


class Wired:
    """A connection straight to an applet."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.transmit = answer

    def close(self) -> None:
        pass


def test_the_answer_is_hmac_sha_256() -> None:
    # RFC 4231, test case 1.
    assert badges.prove(b"\x0b" * 20, b"Hi There").hex() == (
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )


@pytest.mark.parametrize(
    ("card_key", "proven"), [(KEY, True), (OTHER_KEY, False), (None, False)], ids=["own", "other", "copied UID"]
)
def test_only_the_own_key_proves(card_key: bytes | None, proven: bool) -> None:
    card = Wired(CardApplet(bytes.fromhex("04A1B2C3"), card_key).answer)
    assert badges.identify(card) == "04A1B2C3"
    assert (badges.proves(card, KEY) is not None) is proven


def test_a_recorded_answer_proves_nothing() -> None:
    applet = CardApplet(b"\x04\xa1\xb2\xc3", KEY)
    recorded: dict[bytes, bytes] = {}

    def record(command: bytes) -> bytes:
        recorded[command[:5]] = applet.answer(command)
        return recorded[command[:5]]

    assert badges.proves(Wired(record), KEY)
    assert not badges.proves(Wired(lambda command: recorded[command[:5]]), KEY)


def test_what_a_card_answers_byte_for_byte() -> None:
    applet = CardApplet(bytes.fromhex("04A1B2C3"), KEY)
    authenticate = bytes.fromhex("0088000010") + bytes(16) + b"\x20"
    assert applet.answer(bytes.fromhex("FFCA000000")).hex() == "04a1b2c39000"
    assert applet.answer(authenticate).hex() == "6985"
    assert applet.answer(bytes.fromhex("00A404000AF0504F544B454550455300")).hex() == "6a82"
    assert applet.answer(authenticate).hex() == "6985"
    assert applet.answer(bytes.fromhex("00A404000AF0504F544B454550455200")).hex() == "9000"
    assert applet.answer(authenticate) == badges.prove(KEY, bytes(16)) + b"\x90\x00"
    assert applet.answer(authenticate[:12]).hex() == "6700"
    assert applet.answer(b"\x00\xb0\x00\x00\x00").hex() == "6d00"
    applet.reset()
    assert applet.answer(authenticate).hex() == "6985"


def test_an_answer_may_wait_to_be_fetched() -> None:
    answers = {"ffca000000": "6104", "00c0000004": "04a1b2c39000"}
    assert badges.identify(Wired(lambda command: bytes.fromhex(answers[command.hex()]))) == "04A1B2C3"


# The watch, with readers that are as bad as they can be


class Desk:
    """Readers and cards that a test moves, and the PC/SC service over them."""

    def __init__(self, *readers: str) -> None:
        self._changed = threading.Condition()
        self.cards: dict[str, CardApplet | None] = dict.fromkeys(readers)
        self.counts = dict.fromkeys(readers, 0)
        self.trouble: Exception | None = None
        self.on_connect: list[Callable[[], None]] = []
        """What happens at the next attempts to talk to a card."""
        self.sessions = 0

    def put(self, reader: str, *cards: CardApplet | None) -> None:
        """Puts one after the other on a reader, faster than anybody looks; None takes away."""
        with self._changed:
            for card in cards:
                self.cards[reader] = card
                self.counts[reader] = self.counts.get(reader, 0) + 1
            self._changed.notify_all()

    def unplug(self, reader: str) -> None:
        with self._changed:
            del self.cards[reader]
            self._changed.notify_all()

    def fail(self, trouble: Exception | None) -> None:
        with self._changed:
            self.trouble = trouble
            self._changed.notify_all()

    def session(self) -> DeskSession:
        self.sessions += 1
        session = DeskSession(self)
        session.readers()
        return session

    def state(self, reader: str) -> ReaderState:
        present = self.cards[reader] is not None
        return ReaderState(present=present, count=self.counts[reader], raw=self.counts[reader] << 16 | present)


class DeskSession:
    """The service as one client sees it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def _check(self) -> None:
        if self._desk.trouble is not None:
            raise self._desk.trouble

    def readers(self) -> tuple[str, ...]:
        self._check()
        return tuple(self._desk.cards)

    def changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        desk = self._desk

        def changed() -> dict[str, ReaderState]:
            if set(known) - set(desk.cards):
                raise PcscError(UNPLUGGED)
            return {name: now for name, was in known.items() if (now := desk.state(name)) != was}

        with desk._changed:
            desk._changed.wait_for(lambda: desk.trouble or changed(), wait_ms / 1000)
            self._check()
            return changed()

    def connect(self, reader: str) -> Wired:
        self._check()
        if self._desk.on_connect:
            self._desk.on_connect.pop(0)()
        card = self._desk.cards[reader]
        if card is None:
            raise CardGoneError("removed")
        return Wired(card.answer)

    def close(self) -> None:
        pass


def raising(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@contextmanager
def watching(
    desk: Desk, clock: Callable[[], int] = lambda: 7, occasion: Callable[[], Occasion] = Occasion
) -> Iterator[Heard]:
    heard = Heard()
    monitor = BadgeMonitor(HOUSE, heard, session=desk.session, clock=clock, occasion=occasion)
    monitor.start()
    try:
        yield heard
    finally:
        assert monitor.stop()


def ann() -> CardApplet:
    return CardApplet(bytes.fromhex("04A1B2C3"), KEY)


def bob() -> CardApplet:
    return CardApplet(bytes.fromhex("04A1B2C3D4E5F6"), OTHER_KEY)


ANN_SEEN = BadgeSeen("a", "04A1B2C3", "floor", "Ann", True, 7)
BOB_SEEN = BadgeSeen("b", "04A1B2C3D4E5F6", "dealer", "Bob", True, 7)


def test_a_card_that_is_there_at_the_start_is_seen() -> None:
    desk = Desk("a")
    desk.put("a", ann())
    with watching(desk) as heard:
        assert [heard.next(), heard.next()] == [BadgeReaderOnline("a", 7), ANN_SEEN]


def test_a_badge_that_stays_proves_itself_anew_on_the_occasion_there_is() -> None:
    desk, now_us, records = Desk("a"), [7], [b"first"]
    desk.put("a", ann())
    with watching(desk, lambda: now_us[0], lambda: Occasion(now_us[0], records[0])) as heard:
        first = heard.until(BadgeSeen)
        records[0], now_us[0] = b"second", 7 + RENEW_US
        second = heard.until(BadgeSeen)
    assert first.proof is not None and second.proof is not None
    assert (second.proven, second.at_us, second.proof.at_us) == (True, 7 + RENEW_US, 7 + RENEW_US)
    one, two = first.proof.bound(b"words"), second.proof.bound(b"words")
    assert held(one, KEY, b"first") == first.proof and held(two, KEY, b"second") == second.proof
    assert held(one, KEY, b"second") is None and held(two, OTHER_KEY, b"second") is None


def test_a_badge_that_stays_is_asked_at_once_for_another_journal() -> None:
    desk, journal = Desk("a"), ["one"]
    desk.put("a", ann())
    with watching(desk, occasion=lambda: Occasion(3, b"records", journal[0])) as heard:
        assert heard.until(BadgeSeen).occasion.journal == "one"
        journal[0] = "two"
        assert heard.until(BadgeSeen).occasion.journal == "two"


def test_a_badge_that_is_asked_anew_and_cannot_be_read_is_asked_again() -> None:
    desk, now_us = Desk("a"), [7]
    desk.put("a", ann())
    with watching(desk, lambda: now_us[0]) as heard:
        assert heard.until(BadgeSeen).proven
        desk.on_connect = [raising(CardMuteError("in use by another program"))]
        now_us[0] += RENEW_US
        assert not heard.until(BadgeSeen).proven
        now_us[0] += RENEW_US
        assert heard.until(BadgeSeen).proven


def test_a_proof_is_read_as_it_was_written_and_nothing_else_is_one() -> None:
    proof = badges.proves(Wired(ann().answer), KEY, Occasion(41, b"records"), 7)
    assert proof is not None
    bound = proof.bound(b"words")
    text = bound.text
    assert read_proof(text) == bound and len(text) == TEXT_DIGITS
    for strange in ("", "00", text[:-2], text + "00", "x" * TEXT_DIGITS, text[:-1] + "é"):
        assert read_proof(strange) is None
    for digit in range(TEXT_DIGITS):
        other = f"{int(text[digit], 16) ^ 1:x}"
        altered = read_proof(text[:digit] + other + text[digit + 1 :])
        assert altered is not None
        answer = held(altered, KEY, b"records")
        assert answer is None or not speaks_for(altered, answer, b"words")


def test_a_proof_speaks_for_its_own_words_and_gives_no_others_away() -> None:
    proof = badges.proves(Wired(ann().answer), KEY, Occasion(41, b"records"), 7)
    assert proof is not None
    one, other = proof.bound(b"floor pot 5"), proof.bound(b"floor pot 6")
    assert held(one, KEY, b"records") == held(other, KEY, b"records") == proof
    assert speaks_for(one, proof, b"floor pot 5") and speaks_for(other, proof, b"floor pot 6")
    for moved in (one._replace(words=other.words), one._replace(words=one.was_there)):
        assert held(moved, KEY, b"records") == proof and not speaks_for(moved, proof, b"floor pot 5")
    assert proof.answer.hex()[:32] not in one.text, "what is written is enough to bind it to other words"
    seen = BadgeSeen("reader", "04A1B2C3", "floor", "Ann", True, 7, proof)
    assert repr(proof.answer) not in repr(seen), "a log has the answer"


def test_two_readers_are_watched_apart() -> None:
    desk = Desk("a", "b")
    with watching(desk) as heard:
        assert {heard.next(), heard.next()} == {BadgeReaderOnline("a", 7), BadgeReaderOnline("b", 7)}
        desk.put("a", ann())
        assert heard.next() == ANN_SEEN
        desk.put("b", bob())
        assert heard.next() == BOB_SEEN
        desk.put("a", None)
        assert heard.next() == BadgeGone("a", 7)
        desk.put("b", None)
        assert heard.next() == BadgeGone("b", 7)


def test_a_card_that_was_away_for_a_blink_is_seen_again() -> None:
    desk = Desk("a")
    desk.put("a", ann())
    with watching(desk) as heard:
        assert heard.until(BadgeSeen) == ANN_SEEN
        desk.put("a", None, ann())
        assert [heard.next(), heard.next()] == [BadgeGone("a", 7), ANN_SEEN]
        desk.put("a", None, CardApplet(bytes.fromhex("04000001"), None))
        ted = BadgeSeen("a", "04000001", "technician", "Ted", False, 7)
        assert [heard.next(), heard.next()] == [BadgeGone("a", 7), ted]


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
def test_what_is_not_proven(card: CardApplet, seen: BadgeSeen) -> None:
    desk = Desk("a")
    with watching(desk) as heard:
        desk.put("a", card)
        assert heard.until(BadgeSeen) == seen


def test_the_service_goes_and_comes_back() -> None:
    desk = Desk("a")
    desk.put("a", ann())
    with watching(desk) as heard:
        heard.until(BadgeSeen)
        desk.fail(PcscError("no-service"))
        assert [heard.next(), heard.next(), heard.next()] == [
            BadgeGone("a", 7),
            BadgeReaderOffline("a", "no-service", 7),
            BadgeReaderOffline(ALL_READERS, "no-service", 7),
        ]
        desk.fail(PcscError("error", 0x80100066))
        assert heard.until(BadgeReaderOffline).why == "error-80100066"
        desk.fail(None)
        assert [heard.next(), heard.next(), heard.next()] == [
            BadgeReaderOnline(ALL_READERS, 7),
            BadgeReaderOnline("a", 7),
            ANN_SEEN,
        ]
        assert desk.sessions >= 2


def test_a_reader_that_is_pulled_out_takes_nothing_with_it() -> None:
    desk = Desk("a", "b")
    desk.put("b", bob())
    with watching(desk) as heard:
        assert heard.until(BadgeSeen) == BOB_SEEN
        desk.unplug("a")
        assert heard.until(BadgeReaderOffline) == BadgeReaderOffline("a", "unplugged", 7)
        desk.put("a", ann())
        assert [heard.next(), heard.next()] == [BadgeReaderOnline("a", 7), ANN_SEEN]
        desk.unplug("a")
        desk.unplug("b")
        told = [heard.next() for _ in range(5)]
        assert told[-1] == BadgeReaderOffline(ALL_READERS, "no-reader", 7)
        assert BadgeGone("b", 7) in told and BadgeReaderOffline("b", "unplugged", 7) in told
        assert desk.sessions == 1


def test_an_error_that_nobody_thought_of_does_not_end_the_watch(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk("a")
    with watching(desk) as heard:
        heard.until(BadgeReaderOnline)
        desk.fail(ZeroDivisionError("planted"))
        assert heard.until(BadgeReaderOffline, lambda event: event.reader == "a").reason == "internal"
        desk.fail(None)
        desk.put("a", ann())
        assert heard.until(BadgeSeen) == ANN_SEEN
    assert "watched anew" in caplog.text


def test_a_listener_that_fails_does_not_end_the_watch(caplog: pytest.LogCaptureFixture) -> None:
    desk, heard = Desk("a"), Heard()

    def deliver(event: BadgeEvent) -> None:
        heard(event)
        raise RuntimeError("Event loop is closed")

    monitor = BadgeMonitor(HOUSE, deliver, session=desk.session)
    monitor.start()
    try:
        heard.until(BadgeReaderOnline)
        desk.put("a", ann())
        heard.until(BadgeSeen)
    finally:
        assert monitor.stop()
    assert "not taken" in caplog.text
    assert monitor.beat_us > 0


@pytest.mark.parametrize(
    ("errors", "uid"),
    [
        ([CardGoneError("reset")], "04A1B2C3"),
        ([CardGoneError("reset")] * 3, ""),
        ([CardMuteError("unresponsive")], ""),
        ([PcscError("error", 0x80100066)], ""),
    ],
    ids=["reset once", "reset for ever", "mute", "reader error"],
)
def test_a_card_that_is_hard_to_read(errors: list[Exception], uid: str) -> None:
    desk = Desk("a")
    with watching(desk) as heard:
        desk.on_connect = [raising(error) for error in errors]
        desk.put("a", ann())
        assert heard.until(BadgeSeen).uid == uid
        # Taken away and put on again it is tried anew.
        desk.put("a", None, ann())
        assert heard.until(BadgeSeen) == ANN_SEEN


def test_a_card_that_is_gone_before_it_was_read_is_not_told() -> None:
    desk = Desk("a", "b")
    with watching(desk) as heard:
        assert {heard.next(), heard.next()} == {BadgeReaderOnline("a", 7), BadgeReaderOnline("b", 7)}
        desk.on_connect = [lambda: desk.put("a", None)]
        desk.put("a", ann())
        until(lambda: not desk.on_connect)
        desk.put("b", bob())
        assert heard.next() == BOB_SEEN


def test_a_card_that_is_exchanged_while_it_is_read_is_told_as_the_one_that_lies_there() -> None:
    desk = Desk("a")
    with watching(desk) as heard:
        heard.until(BadgeReaderOnline)
        desk.on_connect = [lambda: desk.put("a", None, ann())]
        desk.put("a", bob())
        assert heard.next() == ANN_SEEN
