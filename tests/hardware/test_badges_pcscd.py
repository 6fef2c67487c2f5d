"""Badges with the real pcscd: two virtual readers, virtual cards, and a service that is killed and restarted."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from hardware.badges import (
    ALL_READERS,
    CHALLENGE_BYTES,
    Badge,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
    compute_answer,
)
from hardware.simulated.virtual_card import CardApplet, CardOnVirtualReader, VirtualCard
from tests.hardware.badge_fixtures import ANN, BOB, HOUSE, KEY, OTHER_KEY, BadgeEventQueue
from tests.hardware.pcscd_fixtures import FIRST, SECOND, Pcscd, inserted, pcscd, pcscd_home

__all__ = ["pcscd", "pcscd_home"]

ANN_UID = bytes.fromhex(ANN["uid"])


@contextmanager
def run_real_monitor(house: Sequence[Badge] = HOUSE) -> Iterator[BadgeEventQueue]:
    events = BadgeEventQueue()
    monitor = BadgeMonitor(house, events)
    monitor.start()
    try:
        yield events
    finally:
        assert monitor.stop()


def test_real_card_is_reported_on_insertion_and_removal(pcscd: Pcscd) -> None:
    card = VirtualCard(ANN["uid"], KEY, pcscd.port)
    with run_real_monitor() as events:
        assert {events.wait_for(BadgeReaderOnline).reader, events.wait_for(BadgeReaderOnline).reader} == {FIRST, SECOND}
        for _ in range(3):
            with inserted(card):
                seen = events.wait_for(BadgeSeen)
                assert (seen.reader, seen.uid, seen.name, seen.role, seen.is_proven) == (
                    FIRST,
                    "04A1B2C3",
                    "Ann",
                    "floor",
                    True,
                )
            assert events.wait_for(BadgeGone).reader == FIRST


class ForgedAnswer(CardApplet):
    """A card, or another program in place of pcscd, that answers every challenge with these bytes."""

    def __init__(self, uid: str, answer: bytes) -> None:
        super().__init__(bytes.fromhex(uid), KEY)
        self._forged = answer

    def answer(self, command: bytes) -> bytes:
        return self._forged if command.startswith(b"\x00\x88\x00\x00") else super().answer(command)


@pytest.mark.parametrize(
    ("applet", "name"),
    [
        (CardApplet(ANN_UID, OTHER_KEY), "Ann"),
        (CardApplet(ANN_UID, None), "Ann"),
        (CardApplet(bytes.fromhex("DEADBEEF"), KEY), ""),
        (ForgedAnswer(ANN["uid"], compute_answer(KEY, bytes(CHALLENGE_BYTES)) + b"\x90\x00"), "Ann"),
        (ForgedAnswer(ANN["uid"], bytes(32) + b"\x90\x00"), "Ann"),
        (ForgedAnswer(ANN["uid"], b"\x90\x00"), "Ann"),
    ],
    ids=["wrong key", "copied UID", "unknown", "answer to another challenge", "zeros", "success without an answer"],
)
def test_real_card_without_valid_answer_is_unproven(pcscd: Pcscd, applet: CardApplet, name: str) -> None:
    with inserted(CardOnVirtualReader(applet, pcscd.port)), run_real_monitor() as events:
        seen = events.wait_for(BadgeSeen)
        assert (seen.uid, seen.name, seen.is_proven) == (applet.uid.hex().upper(), name, False)


def test_two_real_readers_work_at_once(pcscd: Pcscd) -> None:
    first, second = VirtualCard(ANN["uid"], KEY, pcscd.port), VirtualCard(BOB["uid"], OTHER_KEY, pcscd.port + 1)
    with inserted(first, second), run_real_monitor() as events:
        seen = {
            (event.reader, event.name, event.is_proven)
            for event in (events.wait_for(BadgeSeen), events.wait_for(BadgeSeen))
        }
        assert seen == {(FIRST, "Ann", True), (SECOND, "Bob", True)}
        second.remove()
        assert events.wait_for(BadgeGone).reader == SECOND
        second.insert()
        assert events.wait_for(BadgeSeen).reader == SECOND


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGKILL])
def test_monitor_reconnects_after_real_pcscd_restarts(pcscd: Pcscd, stop_signal: signal.Signals) -> None:
    with inserted(VirtualCard(ANN["uid"], KEY, pcscd.port)), run_real_monitor() as events:
        assert events.wait_for(BadgeSeen).is_proven
        for _ in range(2):
            pcscd.stop(stop_signal)
            assert events.wait_for(BadgeGone).reader == FIRST
            offline = {
                (event.reader, event.reason) for event in (events.wait_for(BadgeReaderOffline) for _ in range(3))
            }
            assert offline == {(FIRST, "no-service"), (SECOND, "no-service"), (ALL_READERS, "no-service")}
            pcscd.start()
            events.wait_for(BadgeReaderOnline, lambda event: event.reader == FIRST)
            assert events.wait_for(BadgeSeen).is_proven


def test_monitor_waits_for_real_pcscd_to_start(pcscd_home: Pcscd) -> None:
    with run_real_monitor() as events:
        offline = events.wait_for(BadgeReaderOffline)
        assert (offline.reader, offline.reason) == (ALL_READERS, "no-service")
        with inserted(VirtualCard(ANN["uid"], KEY, pcscd_home.port)):
            pcscd_home.start()
            assert events.wait_for(BadgeSeen).is_proven
        pcscd_home.stop()
