"""Presence inputs of the panel board: the firmware counts their changes, and the driver reports each of them."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.driver_messages import LinkUp, Message, PresenceChanged
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.firmware import main as firmware
from firmware_bridge.firmware import protocol
from firmware_bridge.panel import PanelDriver
from tests.firmware_bridge.test_panel import damage

LONG_US = 60_000_000


def connect(**board: int) -> tuple[PanelDriver, PanelEmulator, SimulatedLine]:
    """Return a driver, a board with eight presence inputs, and the line between them, which has been up for 1 s."""
    driver, emulator = PanelDriver("p1"), PanelEmulator(presence=8, **board)
    line = SimulatedLine(driver, emulator)
    line.plug()
    assert isinstance(line.run_until_message((LinkUp,), LONG_US)[-1], LinkUp)
    line.run_until(line.now_us + 1_000_000)
    return driver, emulator, line


def changes(messages: list[Message]) -> list[tuple[int, int]]:
    return [(message.input, message.changes) for message in messages if isinstance(message, PresenceChanged)]


def test_change_is_reported_at_once_with_its_time() -> None:
    driver, emulator, line = connect(start_us=77_000_000)
    assert driver.presence_count == 8
    changed_us = line.now_us
    emulator.change_presence(3, changed_us)
    (message,) = line.run_until_message((PresenceChanged,), LONG_US)
    assert isinstance(message, PresenceChanged)
    assert (message.board, message.input, message.changes) == ("p1", 3, 1)
    assert line.now_us - changed_us < firmware.MIN_PRESENCE_GAP_US + 6_000
    assert abs(message.at_us - changed_us) < 3_000


def test_board_without_presence_inputs_sends_no_presence_frames() -> None:
    driver, emulator = PanelDriver("p1"), PanelEmulator()
    line = SimulatedLine(driver, emulator)
    line.plug()
    messages = line.run_until(3_000_000)
    assert driver.presence_count == 0 and not changes(messages)
    with pytest.raises(ValueError, match="presence input 0"):
        emulator.change_presence(0, line.now_us)


def test_lost_frame_is_made_up_by_the_next_one() -> None:
    _, emulator, line = connect()
    line.corrupt_to_host = lambda data: []
    emulator.change_presence(5, line.now_us)
    line.run_until(line.now_us + 20_000)
    line.corrupt_to_host = lambda data: [data]
    messages = line.run_until(line.now_us + firmware.PRESENCE_INTERVAL_US + 20_000)
    assert changes(messages) == [(5, 1)]


def test_bouncing_contact_counts_its_first_edge_and_the_return_to_its_old_level() -> None:
    _, emulator, line = connect()
    start_us = line.now_us
    for at_us in (0, 1_000, 2_000, 3_000):
        line.run_until(start_us + at_us)
        emulator.change_presence(0, line.now_us)
    assert changes(line.run_until(start_us + 500_000)) == [(0, 1), (0, 1)]


def test_changes_while_the_cable_is_out_are_reported_when_it_is_back() -> None:
    _, emulator, line = connect()
    line.unplug()
    emulator.change_presence(1, line.now_us)
    line.run_until(line.now_us + 3_000_000)
    line.plug()
    assert changes(line.run_until(line.now_us + 1_000_000)) == [(1, 1)]


def test_level_at_boot_is_no_change() -> None:
    _, emulator, line = connect()
    emulator.change_presence(2, line.now_us)
    line.run_until(line.now_us + 500_000)
    emulator.reboot(line.now_us)
    assert not changes(line.run_until(line.now_us + 2_000_000))


def test_count_wraps_after_255() -> None:
    _, emulator, line = connect()
    counted = 0
    for _ in range(300):
        emulator.change_presence(7, line.now_us)
        counted += sum(count for _, count in changes(line.run_until(line.now_us + 30_000)))
    assert counted == 300


@pytest.mark.parametrize("seed", range(3))
def test_damaged_line_invents_and_loses_no_change(seed: int) -> None:
    _, emulator, line = connect()
    line.corrupt_to_host = line.corrupt_to_device = damage(seed, 0.05)
    counted = 0
    for number in range(200):
        emulator.change_presence(number % 8, line.now_us)
        counted += sum(count for _, count in changes(line.run_until(line.now_us + 40_000)))
    line.corrupt_to_host = line.corrupt_to_device = lambda data: [data]
    counted += sum(count for _, count in changes(line.run_until(line.now_us + 3_000_000)))
    assert counted == 200


def test_sensor_that_changes_all_the_time_does_not_delay_a_press() -> None:
    _, emulator, line = connect()
    late_us = 0
    for press in range(20):
        for _ in range(10):
            for number in range(8):
                emulator.change_presence(number, line.now_us)
            line.run_until(line.now_us + 5_000)
        (emulator.release if press % 2 else emulator.press)(0, line.now_us)
        pressed_us = line.now_us
        messages = line.run_until(pressed_us + 50_000)
        late_us = max(late_us, max(m.at_us for m in messages if hasattr(m, "pressed")) - pressed_us)
    assert late_us < 15_000


def test_frame_with_all_inputs_fits_on_the_line() -> None:
    payload = struct.pack(protocol.PRESENCE_FORMAT, 2**63) + b"\xff" * protocol.PRESENCE_INPUT_BYTES * 32
    frame = protocol.encode_frame(protocol.PRESENCE, 1, 2**32 - 1, payload)
    assert len(frame) - 1 <= protocol.MAX_ENCODED_BYTES
    assert struct.calcsize(protocol.PRESENCE_INPUT_FORMAT) == protocol.PRESENCE_INPUT_BYTES
