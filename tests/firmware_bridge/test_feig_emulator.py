"""The emulated reader's own promises: statuses, air time, ONT, order of answers."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest

from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.feig import RF_RESET_US, FeigEmulator
from firmware_bridge.feig import frames, settings
from firmware_bridge.feig.records import parse_tags

BLOCK = bytes([0x81]) + bytes(range(14))
AT_FIRST = bytes.fromhex("00 00 08 01 00 00 00 00 00 00 00 00 00 00")


def ask(emulator: FeigEmulator, request: bytes, now_us: int = 0) -> frames.Answer:
    ((_, data),) = emulator.feed(request, now_us)
    return frames.parse_answer(data)


@pytest.mark.parametrize(
    ("ctrl", "data", "status"),
    [
        (0x65, b"\x00", frames.STATUS_LENGTH),
        (0x52, b"", frames.STATUS_LENGTH),
        (0x6A, b"", frames.STATUS_LENGTH),
        (0x6A, b"\xff", frames.STATUS_NOT_AVAILABLE),
        (0x6E, b"\x00", frames.STATUS_NOT_AVAILABLE),
        (0x81, b"\x81", frames.STATUS_LENGTH),
        (0xB0, b"\x01", frames.STATUS_LENGTH),
        (0xB0, b"\x02\x00", frames.STATUS_UNKNOWN_COMMAND),
        (0x80, b"\x02", frames.STATUS_READ_PROTECT),
        (0x77, b"", frames.STATUS_UNKNOWN_COMMAND),
        (0xB0, b"\x01\x80", frames.STATUS_NO_TRANSPONDER),
    ],
)
def test_statuses(ctrl: int, data: bytes, status: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    assert ask(emulator, frames.request(ctrl, data)).status == status


def test_configuration_is_kept_and_put_back() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ())
    for ctrl, data, kept in ((0x81, BLOCK, BLOCK[1:]), (0x83, BLOCK[:1], AT_FIRST)):
        assert ask(emulator, frames.request(ctrl, data)).status == frames.STATUS_OK
        assert ask(emulator, frames.request(0x80, BLOCK[:1])).data == kept


def test_other_addresses_and_bad_frames_get_no_answer() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: (), adr=3)
    assert emulator.feed(frames.request(0x65, adr=4), 0) == []
    assert emulator.feed(frames.cpu_reset()[:-1] + b"\x00", 0) == []
    assert ask(emulator, frames.request(0x65, adr=3), 1_000_000).adr == 3


@pytest.mark.parametrize("tags", [0, 1, 20, 100])
@pytest.mark.parametrize("ont", [0, 1])
def test_an_inventory_takes_its_air_time_and_without_ont_a_reset_of_the_field(tags: int, ont: Literal[0, 1]) -> None:
    lying = [f"E004{number:012X}" for number in range(tags)]
    emulator = FeigEmulator(lambda antenna, now_us: lying, ont=ont, baud=115_200)
    request = frames.inventory()
    ((at_us, data),) = emulator.feed(request, 0)
    serial_us = (len(request) + len(data)) * frames.BITS_PER_BYTE * 1_000_000 // 115_200
    assert 0 <= at_us - serial_us - Air().inventory_us(tags) - RF_RESET_US * (1 - ont) < 1_000


def test_a_tag_is_reported_once_until_it_leaves() -> None:
    lying = ["E004000000000001", "E004000000000002"]
    emulator = FeigEmulator(lambda antenna, now_us: list(lying), ont=1)
    inventory = frames.inventory()
    assert ask(emulator, inventory).data[0] == 2
    assert ask(emulator, inventory, 1_000_000).status == frames.STATUS_NO_TRANSPONDER
    back = lying.pop()
    ask(emulator, inventory, 2_000_000)
    lying.append(back)
    assert parse_tags(ask(emulator, inventory, 3_000_000).data).uids == (back,)
    ask(emulator, frames.rf_reset(), 4_000_000)
    assert ask(emulator, inventory, 5_000_000).data[0] == 2


def test_answers_never_overtake() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    out = emulator.feed(frames.inventory() + frames.probe(frames.VERSION) + frames.inventory(), 0)
    assert [frames.parse_answer(data).ctrl for _, data in out] == [0xB0, 0x65, 0xB0]
    assert all(a < b for (a, _), (b, _) in pairwise(out))


def test_a_reader_with_persistence_tells_a_tag_once_in_its_time() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"], kind=settings.TYPE_MR102)
    emulator.configure(settings.PERSISTENCE, settings.RESET_TIME_AT + 1, 40)
    found = [ask(emulator, frames.inventory(), at_us).status for at_us in (0, 150_000, 250_000)]
    assert found == [frames.STATUS_OK, frames.STATUS_NO_TRANSPONDER, frames.STATUS_OK]


def test_a_reader_in_scan_mode_does_no_inventory() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    emulator.configure(settings.INTERFACE, settings.MODE_AT, 1)
    assert ask(emulator, frames.inventory()).status == frames.STATUS_NOT_AVAILABLE
