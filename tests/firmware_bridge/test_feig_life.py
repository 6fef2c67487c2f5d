"""What a FEIG reader is asked when it answers first: its line speed, its settings; and when it is started anew."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from firmware_bridge import failures
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.feig import FeigReader, frames, settings
from firmware_bridge.link import SILENCE_US
from firmware_bridge.messages import LinkDown, LinkUp, Message, ReaderFault, ReaderSetting, TagsSeen

CHIPS = [f"E0040000000000{number:02d}" for number in range(3)]
DONE = (TagsSeen, ReaderFault)


def joined(emulator: FeigEmulator, baud: int = 115_200) -> tuple[FeigReader, Wire]:
    reader = FeigReader("r1", antennas=(1, 2), baud=baud)
    return reader, Wire(reader, emulator)


def greeted(emulator: FeigEmulator, baud: int = 115_200) -> tuple[FeigReader, Wire, list[Message]]:
    reader, wire = joined(emulator, baud)
    messages = wire.plug() + wire.run_until_message((LinkUp,), 10_000_000)
    assert reader.idle
    return reader, wire, messages


def counts(reader: FeigReader, wire: Wire, readings: int = 3) -> list[int]:
    told: list[int] = []
    for _ in range(readings):
        reader.inventory(1, wire.now_us)
        for message in wire.run_until_message(DONE, wire.now_us + 10_000_000):
            told.append(len(message.tags) if isinstance(message, TagsSeen) else -1)
    return told


@pytest.mark.parametrize("actual", frames.BAUDS)
@pytest.mark.parametrize("assumed", frames.BAUDS)
def test_a_reader_is_found_at_any_speed(assumed: int, actual: int) -> None:
    reader, wire, messages = greeted(FeigEmulator(lambda antenna, now_us: CHIPS, baud=actual), assumed)
    assert reader.baud == actual
    assert wire.now_us < SILENCE_US
    found = [message for message in messages if isinstance(message, ReaderSetting)]
    assert [(each.what, each.found, each.expected) for each in found] == (
        [] if assumed == actual else [("baud", str(actual), str(assumed))]
    )
    assert counts(reader, wire) == [3, 3, 3]


def test_a_reader_that_comes_back_at_another_speed_is_found() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = greeted(emulator)
    emulator.baud = 38_400
    told = wire.run_until_message((LinkUp,), 20_000_000)
    assert [type(message) for message in told] == [LinkDown, LinkUp, ReaderSetting]
    assert wire.now_us < 5_000_000
    assert counts(reader, wire) == [3, 3, 3]


def test_a_reader_set_up_as_it_should_be_is_not_spoken_of() -> None:
    _, _, messages = greeted(FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200))
    assert [type(message) for message in messages] == [LinkUp]


@pytest.mark.parametrize(
    ("kind", "block", "at", "value", "what", "readings"),
    [
        (settings.TYPE_MR101, settings.INTERFACE, settings.MODE_AT, 1, "mode", [-1, -1, -1]),
        (settings.TYPE_MR101, settings.TRANSPONDER, settings.AFI_AT, settings.AFI_BIT, "afi", [0, 0, 0]),
        (settings.TYPE_MR102, settings.ANTICOLLISION, settings.ANTICOLLISION_AT, 0, "anticollision", [1, 1, 1]),
        (settings.TYPE_MR101, settings.ANTICOLLISION, settings.ANTICOLLISION_AT, 0, "", [3, 3, 3]),
    ],
)
def test_a_setting_that_hides_chips_is_told(
    kind: int, block: int, at: int, value: int, what: str, readings: list[int]
) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, kind=kind)
    emulator.configure(block, at, value)
    reader, wire, messages = greeted(emulator)
    assert [message.what for message in messages if isinstance(message, ReaderSetting)] == [what] * bool(what)
    assert counts(reader, wire) == readings


@pytest.mark.parametrize(
    ("kind", "block", "at", "value"),
    [
        (settings.TYPE_MR101, settings.ANTICOLLISION, settings.ONT_AT, settings.ONT_BIT),
        (settings.TYPE_MR102, settings.PERSISTENCE, settings.RESET_TIME_AT + 1, 40),
        (settings.TYPE_MR102, settings.PERSISTENCE, settings.RESET_TIME_AT, 0xFF),
        (settings.TYPE_LR1002, settings.PERSISTENCE, settings.RESET_TIME_AT, 0xFF),
    ],
)
def test_tags_that_are_told_once_are_read_again_and_again(kind: int, block: int, at: int, value: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200, kind=kind)
    emulator.configure(block, at, value)
    reader, wire, messages = greeted(emulator)
    assert [type(message) for message in messages] == [LinkUp], "nobody has to do anything"
    assert counts(reader, wire) == [3, 3, 3]


def test_settings_are_asked_anew_when_the_reader_was_away() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = greeted(emulator)
    emulator.configure(settings.ANTICOLLISION, settings.ONT_AT, settings.ONT_BIT)
    emulator.configure(settings.TRANSPONDER, settings.AFI_AT, settings.AFI_BIT)
    emulator.silence(wire.now_us + 2_000_000)
    told = wire.run_until_message((LinkUp,), 20_000_000)
    assert [message.what for message in told if isinstance(message, ReaderSetting)] == ["afi"]
    emulator.configure(settings.TRANSPONDER, settings.AFI_AT, 0)
    assert counts(reader, wire) == [3, 3, 3]


def damaging(ctrl: int) -> Callable[[bytes], list[bytes]]:
    """Every answer to this command arrives spoilt."""

    def damage(data: bytes) -> list[bytes]:
        return [data[:-1] + bytes((data[-1] ^ 1,))] if data[2] == ctrl else [data]

    return damage


@pytest.mark.parametrize("ctrl", [frames.READ_CONFIGURATION, frames.VERSION])
def test_a_reader_whose_settings_cannot_be_read_is_used(ctrl: int) -> None:
    reader, wire = joined(FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200))
    wire.to_host = damaging(ctrl)
    told = wire.plug() + wire.run_until_message((LinkUp,), 5_000_000)
    assert [type(message) for message in told] == [LinkUp]
    assert reader.idle


def test_a_reader_that_only_fails_is_reset_three_times_then_once_a_minute() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: CHIPS, baud=115_200)
    reader, wire, _ = greeted(emulator)
    assert counts(reader, wire) == [3, 3, 3]
    emulator._fault = lambda antenna, now_us: Fault("silence")
    resets: list[int] = []
    while wire.now_us < 200_000_000:
        if not reader.idle:
            wire.run_until_message((LinkUp,), wire.now_us + 1_000_000)
            continue
        reader.inventory(1, wire.now_us)
        told = wire.run_until_message(DONE, wire.now_us + 20_000_000)
        resets += [each.at_us for each in told if isinstance(each, ReaderFault) and each.code == "reset"]
    assert len(resets) in (failures.RESETS_AT_ONCE + 2, failures.RESETS_AT_ONCE + 3)
    assert all(b - a >= failures.RESET_PAUSE_US for a, b in pairwise(resets[2:]))
    emulator._fault = None
    assert counts(reader, wire) == [3, 3, 3]
