"""Panel driver and firmware, joined by a wire in simulated time that loses, doubles and damages frames."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.firmware import main as firmware
from firmware_bridge.firmware import protocol
from firmware_bridge.link import DOWN_PROTOCOL, DOWN_REBOOT, DOWN_SILENCE, SILENCE_US
from firmware_bridge.messages import ButtonEdge, ButtonsLost, LinkDown, LinkUp, Message
from firmware_bridge.panel import HELLO_US, SYNC_US, PanelBoard

LONG_US = 60_000_000


def joined(driver: PanelBoard | None = None, **board: int) -> tuple[PanelBoard, PanelEmulator, Wire]:
    panel = driver or PanelBoard("p1")
    emulator = PanelEmulator(**board)
    wire = Wire(panel, emulator)
    wire.plug()
    assert isinstance(wire.run_until_message((LinkUp,), LONG_US)[-1], LinkUp)
    return panel, emulator, wire


def edges(messages: list[Message]) -> list[tuple[int, int, bool]]:
    return [(m.number, m.button, m.pressed) for m in messages if isinstance(m, ButtonEdge)]


def damage(seed: int, rate: float) -> Callable[[bytes], list[bytes]]:
    """Drops, doubles, flips a bit in, or cuts a piece, each at the rate."""
    chance = random.Random(seed)

    def hit(data: bytes) -> list[bytes]:
        roll = chance.random() / rate
        if roll < 1:
            return []
        if roll < 2:
            return [data, data]
        if roll < 3:
            spoilt = bytearray(data)
            spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            return [bytes(spoilt)]
        return [data[: chance.randrange(len(data))]] if roll < 4 else [data]

    return hit


def test_greeting_tells_what_the_board_has() -> None:
    panel, _, wire = joined(buttons=5, lamps=6)
    assert (panel.buttons, panel.lamps) == (5, 6)
    assert wire.now_us < 10_000


def test_a_press_comes_at_once_with_its_time() -> None:
    _, emulator, wire = joined(start_us=77_000_000)
    wire.run_until(5_000_000)
    emulator.press(3, wire.now_us)
    (edge,) = wire.run_until_message((ButtonEdge,), LONG_US)
    assert isinstance(edge, ButtonEdge)
    assert (edge.button, edge.pressed, edge.number) == (3, True, 0)
    assert wire.now_us - 5_000_000 < 5_000
    assert abs(edge.at_us - 5_000_000) < 2_000


def test_bouncing_counts_once_and_the_level_is_read_again() -> None:
    _, emulator, wire = joined()
    start_us = wire.now_us
    for at_us in (0, 1_000, 2_500, 4_000):
        wire.run_until(start_us + at_us)
        (emulator.release if at_us in (1_000, 4_000) else emulator.press)(0, wire.now_us)
    assert edges(wire.run_until(start_us + 500_000))[-1:] == [(1, 0, False)]
    assert emulator.next_deadline_us() is not None


def test_lamps_are_lit_and_lit_again_after_a_reboot() -> None:
    panel, emulator, wire = joined(lamps=4)
    panel.set_lamps(0b110101, wire.now_us)
    wire.run_until(wire.now_us + 20_000)
    assert (emulator.lit, panel.lamps_confirmed) == (0b0101, True)
    emulator.reboot(wire.now_us)
    assert emulator.lit == 0
    wire.run_until(wire.now_us + 500_000)
    assert (emulator.lit, panel.lamps_confirmed) == (0b0101, True)
    with pytest.raises(ValueError, match="32 bits"):
        panel.set_lamps(1 << 32, wire.now_us)


def test_lamps_go_out_when_the_host_is_gone() -> None:
    panel, emulator, wire = joined()
    panel.set_lamps(1, wire.now_us)
    wire.run_until(wire.now_us + 20_000)
    wire.unplug()
    wire.run_until(wire.now_us + SILENCE_US + SYNC_US)
    assert emulator.lit == 0


def test_a_reboot_is_noticed_by_its_nonce() -> None:
    panel, emulator, wire = joined()
    emulator.press(1, wire.now_us)
    wire.run_until(wire.now_us + 300_000)
    start_us = wire.now_us
    emulator.reboot(start_us)
    told = wire.run_until(start_us + 500_000)
    assert [type(m) for m in told] == [LinkDown, LinkUp, ButtonEdge]
    assert isinstance(told[0], LinkDown)
    assert told[0].reason == DOWN_REBOOT
    assert told[0].at_us - start_us < SYNC_US + HELLO_US
    assert edges(told) == [(0, 1, True)], "a button that is held counts anew, from 0"
    assert panel.stats.reboots == 1


def test_silence_is_down_after_a_second_and_loses_nothing() -> None:
    panel, emulator, wire = joined()
    start_us = wire.now_us
    wire.to_host = lambda data: []
    emulator.press(2, wire.now_us)
    told = wire.run_until(start_us + 3_000_000)
    assert told == [LinkDown("p1", DOWN_SILENCE, start_us + SILENCE_US)]
    emulator.release(2, wire.now_us)
    wire.to_host = lambda data: [data]
    told = wire.run_until(wire.now_us + 500_000)
    assert edges(told) == [(0, 2, True), (1, 2, False)]
    first = next(m for m in told if isinstance(m, ButtonEdge))
    assert abs(first.at_us - start_us) < 5_000, "the time is that of the press, not of its arrival"
    assert panel.stats.reboots == 0


@pytest.mark.parametrize("fresh_host", [False, True])
def test_what_fell_out_of_the_ring_is_told_as_lost(fresh_host: bool) -> None:
    _, emulator, wire = joined()
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 300_000)) == [(0, 0, True)]
    wire.unplug()
    presses = firmware.RING + 10
    for number in range(presses):
        wire.run_until(wire.now_us + 2 * firmware.LOCKOUT_US)
        (emulator.press if number % 2 else emulator.release)(0, wire.now_us)
    if fresh_host:
        wire = Wire(PanelBoard("p1"), emulator, now_us=wire.now_us)
    wire.plug()
    told = wire.run_until(wire.now_us + 1_000_000)
    assert [m.count for m in told if isinstance(m, ButtonsLost)] == [10]
    assert [number for number, _, _ in edges(told)] == list(range(11, presses + 1))


def hammered(driver: PanelBoard, seed: int, rate: float, presses: int = 60) -> None:
    """Presses on a bad wire: each arrives exactly once and in order, whatever happens to the frames."""
    panel, emulator, wire = joined(driver, drift_ppm=60)
    wire.to_host, wire.to_device = damage(seed, rate), damage(seed + 1, rate)
    told: list[Message] = []
    made: list[tuple[int, int, bool]] = []
    chance = random.Random(seed)
    held = 0
    for number in range(presses):
        told += wire.run_until(wire.now_us + firmware.LOCKOUT_US + chance.randrange(60_000))
        button = chance.randrange(8)
        held ^= 1 << button
        made.append((number, button, bool(held >> button & 1)))
        (emulator.press if made[-1][2] else emulator.release)(button, wire.now_us)
        told += wire.run_until(wire.now_us + firmware.LOCKOUT_US)
        panel.set_lamps(chance.randrange(256), wire.now_us)
    wire.to_host = wire.to_device = lambda data: [data]
    told += wire.run_until(wire.now_us + 3_000_000)
    assert edges(told) == made, "a press was lost or counted twice"
    times = [m.at_us for m in told if isinstance(m, ButtonEdge)]
    assert times == sorted(times)
    assert panel.lamps_confirmed
    assert not [m for m in told if isinstance(m, ButtonsLost)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate", [0.02, 0.1])
def test_no_press_is_lost_or_counted_twice(seed: int, rate: float) -> None:
    hammered(PanelBoard("p1"), seed, rate)


class ForgetfulBoard(PanelBoard):
    """The planted fault: takes every edge that arrives, also those it has."""

    def _on_edges(self, payload: bytes, now_us: int) -> list[Message]:
        (self._expected,) = struct.unpack(protocol.EVENTS_FORMAT, payload[:4])
        return super()._on_edges(payload, now_us)


def test_the_planted_double_count_is_caught() -> None:
    with pytest.raises(AssertionError, match="counted twice"):
        hammered(ForgetfulBoard("p1"), 0, 0.1)


def test_another_dictionary_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, emulator = PanelBoard("p1"), PanelEmulator()
    wire = Wire(panel, emulator)
    ours = protocol.dictionary_hash()
    told = wire.plug()
    hashes = iter([ours ^ 1] * 1 + [ours] * 100)
    monkeypatch.setattr(protocol, "dictionary_hash", lambda: next(hashes))
    told += wire.run_until(90_000)
    assert [m.reason for m in told if isinstance(m, LinkDown)] == [DOWN_PROTOCOL]
    assert not panel.up


def test_a_late_frame_of_an_earlier_boot_changes_nothing() -> None:
    panel, emulator, wire = joined()
    late = protocol.seal(protocol.EVENTS, 9, emulator.nonce ^ 1, struct.pack("<IBBQ", 0, 1, 1, 5))
    assert panel.receive(late, wire.now_us) == []
    assert wire.run_until(wire.now_us + 1_000_000) == []
    assert panel.up


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=40), st.just(b"\0")), max_size=20))
def test_garbage_never_speaks_at_either_end(pieces: list[bytes]) -> None:
    panel, emulator, wire = joined()
    for piece in pieces:
        assert panel.receive(piece, wire.now_us) == []
        emulator.feed(piece, wire.now_us)
    panel.receive(b"\0", wire.now_us)
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 800_000)) == [(0, 0, True)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12))
def test_any_chunking(size: int) -> None:
    panel, emulator, wire = joined()
    cut = lambda data: [data[at : at + size] for at in range(0, len(data), size)]  # noqa: E731
    wire.to_host = wire.to_device = cut
    panel.set_lamps(3, wire.now_us)
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 100_000)) == [(0, 0, True)]
    assert emulator.lit == 3
    assert panel.stats.bad_frames == 0


@pytest.mark.parametrize("drift_ppm", [-100, 0, 100])
def test_the_board_clock_follows_drift(drift_ppm: int) -> None:
    clock, chance = BoardClock(), random.Random(1)
    with pytest.raises(ValueError, match="exchange"):
        clock.to_host_us(0)

    def board(host_us: int) -> int:
        return 500 + host_us + host_us * drift_ppm // 1_000_000

    for number in range(300):
        sent_us = number * 200_000
        there_us, back_us = (chance.randrange(500, 1_500) for _ in range(2))
        if chance.random() < 0.1:
            back_us += 40_000
        clock.add(sent_us, sent_us + there_us + back_us, board(sent_us + there_us))
    for host_us in (52_000_000, 60_000_000, 65_000_000):
        assert abs(clock.to_host_us(board(host_us)) - host_us) < 1_000


def test_frames_have_room_in_the_splitter() -> None:
    largest = protocol.seal(protocol.EVENTS, 1, 0xFFFFFFFF, bytes(4 + protocol.MAX_EDGES * protocol.EDGE_BYTES))
    assert len(largest) <= protocol.MAX_ENCODED
    assert struct.calcsize(protocol.EDGE_FORMAT) == protocol.EDGE_BYTES
    assert struct.calcsize(protocol.HEADER_FORMAT) == protocol.HEADER_BYTES
