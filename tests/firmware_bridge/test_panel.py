"""Driver and firmware of the panel board in simulated time, on a line that loses, doubles and damages frames."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.driver_interface import DOWN_PROTOCOL, DOWN_REBOOT, DOWN_SILENCE, SILENCE_TIMEOUT_US
from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesLost, LinkDown, LinkUp, Message
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.firmware import main as firmware
from firmware_bridge.firmware import protocol
from firmware_bridge.panel import HELLO_RETRY_US, SYNC_INTERVAL_US, PanelDriver

LONG_US = 60_000_000


def connect(driver: PanelDriver | None = None, **board: int) -> tuple[PanelDriver, PanelEmulator, SimulatedLine]:
    panel = driver or PanelDriver("p1")
    emulator = PanelEmulator(**board)
    wire = SimulatedLine(panel, emulator)
    wire.plug()
    assert isinstance(wire.run_until_message((LinkUp,), LONG_US)[-1], LinkUp)
    return panel, emulator, wire


def edges(messages: list[Message]) -> list[tuple[int, int, bool]]:
    return [(m.sequence, m.button, m.pressed) for m in messages if isinstance(m, ButtonEdge)]


def damage(seed: int, rate: float) -> Callable[[bytes], list[bytes]]:
    """Return a function that drops, doubles, cuts or changes chunks of bytes. Each fault occurs at this rate."""
    random_source = random.Random(seed)

    def damage_chunk(data: bytes) -> list[bytes]:
        roll = random_source.random() / rate
        if roll < 1:
            return []
        if roll < 2:
            return [data, data]
        if roll < 3:
            spoilt = bytearray(data)
            spoilt[random_source.randrange(len(data))] ^= 1 << random_source.randrange(8)
            return [bytes(spoilt)]
        return [data[: random_source.randrange(len(data))]] if roll < 4 else [data]

    return damage_chunk


def test_handshake_reports_buttons_and_lamps() -> None:
    panel, _, wire = connect(buttons=5, lamps=6)
    assert (panel.button_count, panel.lamp_count) == (5, 6)
    assert wire.now_us < 10_000


def test_press_is_reported_at_once_with_its_time() -> None:
    _, emulator, wire = connect(start_us=77_000_000)
    wire.run_until(5_000_000)
    emulator.press(3, wire.now_us)
    (edge,) = wire.run_until_message((ButtonEdge,), LONG_US)
    assert isinstance(edge, ButtonEdge)
    assert (edge.button, edge.pressed, edge.sequence) == (3, True, 0)
    assert wire.now_us - 5_000_000 < 5_000
    assert abs(edge.at_us - 5_000_000) < 2_000


def test_bouncing_counts_once_and_the_level_is_resampled() -> None:
    _, emulator, wire = connect()
    start_us = wire.now_us
    for at_us in (0, 1_000, 2_500, 4_000):
        wire.run_until(start_us + at_us)
        (emulator.release if at_us in (1_000, 4_000) else emulator.press)(0, wire.now_us)
    assert edges(wire.run_until(start_us + 500_000))[-1:] == [(1, 0, False)]
    assert emulator.next_deadline_us() is not None


def test_lamps_are_lit_again_after_a_reboot() -> None:
    panel, emulator, wire = connect(lamps=4)
    panel.set_lamps(0b110101, wire.now_us)
    wire.run_until(wire.now_us + 20_000)
    assert (emulator.lamp_mask, panel.are_lamps_confirmed) == (0b0101, True)
    emulator.reboot(wire.now_us)
    assert emulator.lamp_mask == 0
    wire.run_until(wire.now_us + 500_000)
    assert (emulator.lamp_mask, panel.are_lamps_confirmed) == (0b0101, True)
    with pytest.raises(ValueError, match="32 bits"):
        panel.set_lamps(1 << 32, wire.now_us)


def test_lamps_go_out_without_a_host() -> None:
    panel, emulator, wire = connect()
    panel.set_lamps(1, wire.now_us)
    wire.run_until(wire.now_us + 20_000)
    wire.unplug()
    wire.run_until(wire.now_us + SILENCE_TIMEOUT_US + SYNC_INTERVAL_US)
    assert emulator.lamp_mask == 0


def test_a_reboot_is_noticed_by_its_nonce() -> None:
    panel, emulator, wire = connect()
    emulator.press(1, wire.now_us)
    wire.run_until(wire.now_us + 300_000)
    start_us = wire.now_us
    emulator.reboot(start_us)
    new_messages = wire.run_until(start_us + 500_000)
    assert [type(m) for m in new_messages] == [LinkDown, LinkUp, ButtonEdge]
    assert isinstance(new_messages[0], LinkDown)
    assert new_messages[0].reason == DOWN_REBOOT
    assert new_messages[0].at_us - start_us < SYNC_INTERVAL_US + HELLO_RETRY_US
    assert edges(new_messages) == [(0, 1, True)], "expected a held button to count from 0 again"
    assert panel.stats.reboots == 1


def test_silent_board_is_down_after_a_second_and_loses_no_press() -> None:
    panel, emulator, wire = connect()
    start_us = wire.now_us
    wire.corrupt_to_host = lambda data: []
    emulator.press(2, wire.now_us)
    new_messages = wire.run_until(start_us + 3_000_000)
    assert new_messages == [LinkDown("p1", DOWN_SILENCE, start_us + SILENCE_TIMEOUT_US)]
    emulator.release(2, wire.now_us)
    wire.corrupt_to_host = lambda data: [data]
    new_messages = wire.run_until(wire.now_us + 500_000)
    assert edges(new_messages) == [(0, 2, True), (1, 2, False)]
    first = next(m for m in new_messages if isinstance(m, ButtonEdge))
    assert abs(first.at_us - start_us) < 5_000, "expected the time of the press, not of its arrival"
    assert panel.stats.reboots == 0


@pytest.mark.parametrize("fresh_host", [False, True])
def test_overwritten_presses_are_reported_as_lost(fresh_host: bool) -> None:
    _, emulator, wire = connect()
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 300_000)) == [(0, 0, True)]
    wire.unplug()
    presses = firmware.MAX_BUFFERED_EDGES + 10
    for number in range(presses):
        wire.run_until(wire.now_us + 2 * firmware.DEBOUNCE_US)
        (emulator.press if number % 2 else emulator.release)(0, wire.now_us)
    if fresh_host:
        wire = SimulatedLine(PanelDriver("p1"), emulator, now_us=wire.now_us)
    wire.plug()
    new_messages = wire.run_until(wire.now_us + 1_000_000)
    assert [m.count for m in new_messages if isinstance(m, ButtonEdgesLost)] == [10]
    assert [number for number, _, _ in edges(new_messages)] == list(range(11, presses + 1))


def check_presses(driver: PanelDriver, seed: int, rate: float, presses: int = 60) -> None:
    """Press buttons while the line is bad. Check that each press arrives exactly once and in order."""
    panel, emulator, wire = connect(driver, drift_ppm=60)
    wire.corrupt_to_host, wire.corrupt_to_device = damage(seed, rate), damage(seed + 1, rate)
    new_messages: list[Message] = []
    pressed: list[tuple[int, int, bool]] = []
    random_source = random.Random(seed)
    held = 0
    for number in range(presses):
        new_messages += wire.run_until(wire.now_us + firmware.DEBOUNCE_US + random_source.randrange(60_000))
        button = random_source.randrange(8)
        held ^= 1 << button
        pressed.append((number, button, bool(held >> button & 1)))
        (emulator.press if pressed[-1][2] else emulator.release)(button, wire.now_us)
        new_messages += wire.run_until(wire.now_us + firmware.DEBOUNCE_US)
        panel.set_lamps(random_source.randrange(256), wire.now_us)
    wire.corrupt_to_host = wire.corrupt_to_device = lambda data: [data]
    new_messages += wire.run_until(wire.now_us + 3_000_000)
    assert edges(new_messages) == pressed, "a press was lost or counted twice"
    times = [m.at_us for m in new_messages if isinstance(m, ButtonEdge)]
    assert times == sorted(times)
    assert panel.are_lamps_confirmed
    assert not [m for m in new_messages if isinstance(m, ButtonEdgesLost)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate", [0.02, 0.1])
def test_no_press_is_lost_or_counted_twice(seed: int, rate: float) -> None:
    check_presses(PanelDriver("p1"), seed, rate)


class ForgetfulBoard(PanelDriver):
    """Planted fault: a driver that reports every button edge it receives, even one that it has already reported."""

    def _on_edges(self, payload: bytes, now_us: int) -> list[Message]:
        (self._expected,) = struct.unpack(protocol.EVENTS_FORMAT, payload[:4])
        return super()._on_edges(payload, now_us)


def test_planted_fault_double_count_is_caught() -> None:
    with pytest.raises(AssertionError, match="counted twice"):
        check_presses(ForgetfulBoard("p1"), 0, 0.1)


def test_other_message_dictionary_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, emulator = PanelDriver("p1"), PanelEmulator()
    wire = SimulatedLine(panel, emulator)
    ours = protocol.dictionary_hash()
    new_messages = wire.plug()
    hashes = iter([ours ^ 1] * 1 + [ours] * 100)
    monkeypatch.setattr(protocol, "dictionary_hash", lambda: next(hashes))
    new_messages += wire.run_until(90_000)
    assert [m.reason for m in new_messages if isinstance(m, LinkDown)] == [DOWN_PROTOCOL]
    assert not panel.is_up


def test_late_frame_of_an_earlier_boot_is_ignored() -> None:
    panel, emulator, wire = connect()
    late = protocol.encode_frame(protocol.EVENTS, 9, emulator.boot_nonce ^ 1, struct.pack("<IBBQ", 0, 1, 1, 5))
    assert panel.receive_data(late, wire.now_us) == []
    assert wire.run_until(wire.now_us + 1_000_000) == []
    assert panel.is_up


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=40), st.just(b"\0")), max_size=20))
def test_garbage_gets_no_answer_from_either_end(pieces: list[bytes]) -> None:
    panel, emulator, wire = connect()
    for piece in pieces:
        assert panel.receive_data(piece, wire.now_us) == []
        emulator.feed(piece, wire.now_us)
    panel.receive_data(b"\0", wire.now_us)
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 800_000)) == [(0, 0, True)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12))
def test_any_chunking_gives_the_same_messages(size: int) -> None:
    panel, emulator, wire = connect()
    cut = lambda data: [data[at : at + size] for at in range(0, len(data), size)]  # noqa: E731
    wire.corrupt_to_host = wire.corrupt_to_device = cut
    panel.set_lamps(3, wire.now_us)
    emulator.press(0, wire.now_us)
    assert edges(wire.run_until(wire.now_us + 100_000)) == [(0, 0, True)]
    assert emulator.lamp_mask == 3
    assert panel.stats.bad_frames == 0


@pytest.mark.parametrize("drift_ppm", [-100, 0, 100])
def test_board_clock_follows_drift(drift_ppm: int) -> None:
    clock, random_source = BoardClock(), random.Random(1)
    with pytest.raises(ValueError, match="exchange"):
        clock.to_host_us(0)

    def board(host_us: int) -> int:
        return 500 + host_us + host_us * drift_ppm // 1_000_000

    for number in range(300):
        sent_us = number * 200_000
        there_us, back_us = (random_source.randrange(500, 1_500) for _ in range(2))
        if random_source.random() < 0.1:
            back_us += 40_000
        clock.add_sample(sent_us, sent_us + there_us + back_us, board(sent_us + there_us))
    for host_us in (52_000_000, 60_000_000, 65_000_000):
        assert abs(clock.to_host_us(board(host_us)) - host_us) < 1_000


def test_longest_frame_fits_the_splitter() -> None:
    largest = protocol.encode_frame(
        protocol.EVENTS, 1, 0xFFFFFFFF, bytes(4 + protocol.MAX_EDGES_PER_FRAME * protocol.EDGE_BYTES)
    )
    assert len(largest) <= protocol.MAX_ENCODED_BYTES
    assert struct.calcsize(protocol.EDGE_FORMAT) == protocol.EDGE_BYTES
    assert struct.calcsize(protocol.HEADER_FORMAT) == protocol.HEADER_BYTES
