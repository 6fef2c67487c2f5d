"""Handshake with a FEIG reader: line speed, settings, and the conditions in which the driver restarts the reader."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from firmware_bridge import retry_policy
from firmware_bridge.driver_interface import SILENCE_TIMEOUT_US
from firmware_bridge.driver_messages import (
    InventoryResult,
    LinkDown,
    LinkUp,
    Message,
    ReaderFault,
    WrongReaderSetting,
)
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.feig import FeigDriver, FieldOptions, frames, reader_settings

CHIPS = [f"E0040000000000{number:02d}" for number in range(3)]
DONE = (InventoryResult, ReaderFault)


def connect_wire(
    emulator: FeigEmulator, baud: int = 115_200, *, second_pass: bool = False
) -> tuple[FeigDriver, SimulatedLine]:
    reader = FeigDriver("r1", antennas=(1, 2), baud=baud, field_options=FieldOptions(second_pass=second_pass))
    return reader, SimulatedLine(reader, emulator)


def connect_reader(
    emulator: FeigEmulator, baud: int = 115_200, *, second_pass: bool = False
) -> tuple[FeigDriver, SimulatedLine, list[Message]]:
    reader, wire = connect_wire(emulator, baud, second_pass=second_pass)
    messages = wire.plug() + wire.run_until_message((LinkUp,), 10_000_000)
    assert reader.is_idle
    return reader, wire, messages


def tag_counts(reader: FeigDriver, wire: SimulatedLine, readings: int = 3) -> list[int]:
    new_messages: list[int] = []
    for _ in range(readings):
        reader.start_inventory(1, wire.now_us)
        for message in wire.run_until_message(DONE, wire.now_us + 10_000_000):
            new_messages.append(len(message.tags) if isinstance(message, InventoryResult) else -1)
    return new_messages


@pytest.mark.parametrize("actual", frames.BAUD_RATES)
@pytest.mark.parametrize("assumed", frames.BAUD_RATES)
def test_reader_is_found_at_any_baud_rate(assumed: int, actual: int) -> None:
    reader, wire, messages = connect_reader(FeigEmulator(lambda antenna, now_us: CHIPS, baud=actual), assumed)
    assert reader.baud == actual
    assert wire.now_us < SILENCE_TIMEOUT_US
    wrong_settings = [message for message in messages if isinstance(message, WrongReaderSetting)]
    assert [(message.setting, message.actual, message.expected) for message in wrong_settings] == (
        [] if assumed == actual else [("baud", str(actual), str(assumed))]
    )
    assert tag_counts(reader, wire) == [3, 3, 3]


def test_reader_returning_at_another_baud_rate_is_found() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = connect_reader(emulator)
    emulator.baud = 38_400
    new_messages = wire.run_until_message((LinkUp,), 20_000_000)
    assert [type(message) for message in new_messages] == [LinkDown, LinkUp, WrongReaderSetting]
    assert wire.now_us < 5_000_000
    assert tag_counts(reader, wire) == [3, 3, 3]


def test_correctly_configured_reader_is_not_reported() -> None:
    _, _, messages = connect_reader(FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200))
    assert [type(message) for message in messages] == [LinkUp]


@pytest.mark.parametrize(
    ("kind", "block", "at", "value", "setting", "readings"),
    [
        (
            reader_settings.TYPE_MR101,
            reader_settings.INTERFACE_BLOCK,
            reader_settings.MODE_OFFSET,
            1,
            "mode",
            [-1, -1, -1],
        ),
        (
            reader_settings.TYPE_MR101,
            reader_settings.TRANSPONDER_BLOCK,
            reader_settings.AFI_OFFSET,
            reader_settings.AFI_BIT,
            "afi",
            [0, 0, 0],
        ),
        (
            reader_settings.TYPE_MR101,
            reader_settings.INTERFACE_BLOCK,
            reader_settings.RESPONSE_TIME_OFFSET + 1,
            29,
            "response-time",
            [3, 3, 3],
        ),
        (
            reader_settings.TYPE_MR101,
            reader_settings.INTERFACE_BLOCK,
            reader_settings.RESPONSE_TIME_OFFSET + 1,
            30,
            "",
            [3, 3, 3],
        ),
        (
            reader_settings.TYPE_MR102,
            reader_settings.INTERFACE_BLOCK,
            reader_settings.RESPONSE_TIME_OFFSET,
            1,
            "",
            [3, 3, 3],
        ),
        (
            reader_settings.TYPE_MR102,
            reader_settings.ANTICOLLISION_BLOCK,
            reader_settings.ANTICOLLISION_OFFSET,
            0,
            "anticollision",
            [1, 1, 1],
        ),
        (
            reader_settings.TYPE_MR101,
            reader_settings.ANTICOLLISION_BLOCK,
            reader_settings.ANTICOLLISION_OFFSET,
            0,
            "",
            [3, 3, 3],
        ),
    ],
)
def test_setting_that_hides_chips_is_reported(
    kind: int, block: int, at: int, value: int, setting: str, readings: list[int]
) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, reader_type=kind)
    emulator.configure(block, at, value)
    reader, wire, messages = connect_reader(emulator)
    assert [message.setting for message in messages if isinstance(message, WrongReaderSetting)] == [setting] * bool(
        setting
    )
    assert tag_counts(reader, wire) == readings


@pytest.mark.parametrize(
    ("kind", "block"),
    [(reader_settings.TYPE_MR101, 16), (reader_settings.TYPE_MR102, 6), (reader_settings.TYPE_LR1002, 6)],
)
@pytest.mark.parametrize("is_expected", [True, False])
@pytest.mark.parametrize("is_on", [True, False])
def test_fast_inventory_is_reported_only_if_the_layout_expects_it_and_it_is_off(
    kind: int, block: int, is_expected: bool, is_on: bool
) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, reader_type=kind)
    emulator.configure(reader_settings.ANTICOLLISION_BLOCK, reader_settings.ANTICOLLISION_OFFSET, 4)
    if is_on:
        emulator.configure(block, reader_settings.FAST_INVENTORY_OFFSET, reader_settings.FAST_INVENTORY_BIT)
    reader = FeigDriver("r1", antennas=(1,), baud=115_200, fast_inventory=is_expected)
    wire = SimulatedLine(reader, emulator)
    messages = wire.plug() + wire.run_until_message((LinkUp,), 10_000_000)
    settings = [message.setting for message in messages if isinstance(message, WrongReaderSetting)]
    assert settings == ["fast-inventory"] * (is_expected and not is_on)
    assert tag_counts(reader, wire) == [3, 3, 3]


@pytest.mark.parametrize(
    ("kind", "block", "at", "value"),
    [
        (
            reader_settings.TYPE_MR101,
            reader_settings.ANTICOLLISION_BLOCK,
            reader_settings.ONT_OFFSET,
            reader_settings.ONT_BIT,
        ),
        (reader_settings.TYPE_MR102, reader_settings.PERSISTENCE_BLOCK, reader_settings.RESET_TIME_OFFSET + 1, 40),
        (reader_settings.TYPE_MR102, reader_settings.PERSISTENCE_BLOCK, reader_settings.RESET_TIME_OFFSET, 0xFF),
        (reader_settings.TYPE_LR1002, reader_settings.PERSISTENCE_BLOCK, reader_settings.RESET_TIME_OFFSET, 0xFF),
    ],
)
def test_once_reported_tags_are_read_at_each_inventory(kind: int, block: int, at: int, value: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, reader_type=kind)
    emulator.configure(block, at, value)
    reader, wire, messages = connect_reader(emulator)
    assert [type(message) for message in messages] == [LinkUp], "expected no wrong setting"
    assert tag_counts(reader, wire) == [3, 3, 3]


@pytest.mark.parametrize(
    ("ticks", "count", "is_complete"), [(1, 5, True), (1, 40, False), (30, 40, True), (0, 40, True)]
)
def test_inventory_that_uses_up_the_response_time_is_incomplete(ticks: int, count: int, is_complete: bool) -> None:
    tags = [f"E004{number:012X}" for number in range(count)]
    emulator = FeigEmulator(lambda antenna, now_us: tags, baud=115_200)
    emulator.configure(reader_settings.INTERFACE_BLOCK, reader_settings.RESPONSE_TIME_OFFSET + 1, ticks)
    emulator.is_write_protected = True
    reader, wire, _ = connect_reader(emulator)
    for _ in range(5):
        reader.start_inventory(1, wire.now_us)
        (result,) = wire.run_until_message(DONE, wire.now_us + 10_000_000)
        assert isinstance(result, InventoryResult)
        assert (result.is_complete, len(result.tags) == count) == (is_complete, is_complete)


def test_short_response_time_is_corrected_and_corrected_again_after_a_restart() -> None:
    tags = [f"E004{number:012X}" for number in range(40)]
    emulator = FeigEmulator(lambda antenna, now_us: tags, baud=115_200)
    emulator.configure(reader_settings.INTERFACE_BLOCK, reader_settings.RESPONSE_TIME_OFFSET + 1, 1)
    reader, wire, messages = connect_reader(emulator)
    wrong = [message for message in messages if isinstance(message, WrongReaderSetting)]
    assert [(item.setting, item.actual) for item in wrong] == [("response-time", "100 ms")]
    for _ in range(3):
        assert tag_counts(reader, wire) == [40, 40, 40]
        emulator.reset(wire.now_us)  # The correction was in the RAM only.


ONT = (reader_settings.ANTICOLLISION_BLOCK, reader_settings.ONT_OFFSET)


def ont_settings(emulator: FeigEmulator) -> tuple[int, int]:
    """Return the setting ONT in the RAM and in the EEPROM."""
    block, at = ONT
    memories = (emulator._configuration, emulator._eeprom)
    ram, eeprom = (memory[block][at] & reader_settings.ONT_BIT for memory in memories)
    return ram, eeprom


def test_ont_is_set_in_the_ram_and_set_again_after_a_restart() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, messages = connect_reader(emulator, second_pass=True)
    assert [type(message) for message in messages] == [LinkUp]
    for _ in range(3):
        assert tag_counts(reader, wire, 6) == [3] * 6
        assert ont_settings(emulator) == (1, 0)
        emulator.reset(wire.now_us)


@pytest.mark.parametrize("kind", [reader_settings.TYPE_MR102, reader_settings.TYPE_LR1002, 0])
def test_ont_is_not_written_to_a_reader_type_that_may_not_have_it(kind: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, reader_type=kind)
    reader, wire, _ = connect_reader(emulator, second_pass=True)
    assert ont_settings(emulator) == (0, 0)
    assert tag_counts(reader, wire, 6) == [3] * 6


def test_reader_that_refuses_ont_is_read_without_second_pass() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    emulator.is_write_protected = True
    reader, wire, messages = connect_reader(emulator, second_pass=True)
    assert [type(message) for message in messages] == [LinkUp]
    assert tag_counts(reader, wire, 6) == [3] * 6
    assert emulator.inventory_count == 6


@pytest.mark.parametrize("is_reset", [True, False], ids=["driver", "planted"])
def test_tags_are_reported_again_although_the_answers_to_the_setting_of_ont_are_lost(is_reset: bool) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire = connect_wire(emulator, second_pass=True)
    has_written = False

    def lose_answers(data: bytes) -> list[bytes]:
        nonlocal has_written
        has_written = has_written or data[2] == frames.WRITE_CONFIGURATION
        is_about_ont = has_written and data[2] in (frames.WRITE_CONFIGURATION, frames.READ_CONFIGURATION)
        return [] if is_about_ont else [data]

    wire.corrupt_to_host = lose_answers
    wire.plug()
    wire.run_until_message((LinkUp,), 20_000_000)
    wire.corrupt_to_host = lambda data: [data]
    assert ont_settings(emulator) == (1, 0)
    if not is_reset:  # Planted fault: the driver believes that ONT is still 0.
        reader._reset_before_inventory = False
    assert (tag_counts(reader, wire, 6) == [3] * 6) is is_reset


def test_settings_are_read_again_after_the_reader_was_down() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = connect_reader(emulator)
    emulator.configure(reader_settings.ANTICOLLISION_BLOCK, reader_settings.ONT_OFFSET, reader_settings.ONT_BIT)
    emulator.configure(reader_settings.TRANSPONDER_BLOCK, reader_settings.AFI_OFFSET, reader_settings.AFI_BIT)
    emulator.silence(wire.now_us + 2_000_000)
    new_messages = wire.run_until_message((LinkUp,), 20_000_000)
    assert [message.setting for message in new_messages if isinstance(message, WrongReaderSetting)] == ["afi"]
    emulator.configure(reader_settings.TRANSPONDER_BLOCK, reader_settings.AFI_OFFSET, 0)
    assert tag_counts(reader, wire) == [3, 3, 3]


def corrupting(ctrl: int) -> Callable[[bytes], list[bytes]]:
    """Return a function that corrupts each answer to this command on the line."""

    def damage(data: bytes) -> list[bytes]:
        return [data[:-1] + bytes((data[-1] ^ 1,))] if data[2] == ctrl else [data]

    return damage


@pytest.mark.parametrize("ctrl", [frames.READ_CONFIGURATION, frames.VERSION])
def test_reader_with_unreadable_settings_is_used(ctrl: int) -> None:
    reader, wire = connect_wire(FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200))
    wire.corrupt_to_host = corrupting(ctrl)
    new_messages = wire.plug() + wire.run_until_message((LinkUp,), 5_000_000)
    assert [type(message) for message in new_messages] == [LinkUp]
    assert reader.is_idle


def test_failing_reader_is_reset_three_times_then_once_a_minute() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = connect_reader(emulator)
    assert tag_counts(reader, wire) == [3, 3, 3]
    emulator._fault = lambda antenna, now_us: Fault("silence")
    resets: list[int] = []
    while wire.now_us < 200_000_000:
        if not reader.is_idle:
            wire.run_until_message((LinkUp,), wire.now_us + 1_000_000)
            continue
        reader.start_inventory(1, wire.now_us)
        new_messages = wire.run_until_message(DONE, wire.now_us + 20_000_000)
        resets += [
            message.at_us for message in new_messages if isinstance(message, ReaderFault) and message.code == "reset"
        ]
    assert len(resets) in (retry_policy.MAX_CONSECUTIVE_RESETS + 2, retry_policy.MAX_CONSECUTIVE_RESETS + 3)
    assert all(b - a >= retry_policy.RESET_BACKOFF_US for a, b in pairwise(resets[2:]))
    emulator._fault = None
    assert tag_counts(reader, wire) == [3, 3, 3]
