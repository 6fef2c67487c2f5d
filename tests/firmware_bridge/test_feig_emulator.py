"""Emulated FEIG reader: status codes, air time, the setting ONT (report each tag once), and the order of answers."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest

from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.feig import RF_RESET_US, FeigEmulator
from firmware_bridge.feig import frames, reader_settings
from firmware_bridge.feig.tag_records import parse_tags

BLOCK = bytes([0x81]) + bytes(range(14))
INITIAL_CONFIGURATION = bytes.fromhex("00 00 08 01 00 00 00 00 00 00 00 00 00 00")


def request_answer(emulator: FeigEmulator, request: bytes, now_us: int = 0) -> frames.Answer:
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
def test_faults_have_their_statuses(ctrl: int, data: bytes, status: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    assert request_answer(emulator, frames.request(ctrl, data)).status == status


def test_configuration_is_stored_and_restored() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ())
    for ctrl, data, kept in ((0x81, BLOCK, BLOCK[1:]), (0x83, BLOCK[:1], INITIAL_CONFIGURATION)):
        assert request_answer(emulator, frames.request(ctrl, data)).status == frames.STATUS_OK
        assert request_answer(emulator, frames.request(0x80, BLOCK[:1])).data == kept


def test_other_address_or_bad_frame_gets_no_answer() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: (), adr=3)
    assert emulator.feed(frames.request(0x65, adr=4), 0) == []
    assert emulator.feed(frames.cpu_reset()[:-1] + b"\x00", 0) == []
    assert request_answer(emulator, frames.request(0x65, adr=3), 1_000_000).adr == 3


@pytest.mark.parametrize("tags", [0, 1, 20, 100])
@pytest.mark.parametrize("ont", [0, 1])
def test_inventory_takes_its_air_time_and_a_field_reset_without_ont(tags: int, ont: Literal[0, 1]) -> None:
    tags_in_field = [f"E004{number:012X}" for number in range(tags)]
    emulator = FeigEmulator(lambda antenna, now_us: tags_in_field, ont=ont, baud=115_200)
    request = frames.inventory()
    ((at_us, data),) = emulator.feed(request, 0)
    serial_us = (len(request) + len(data)) * frames.BITS_PER_BYTE * 1_000_000 // 115_200
    assert 0 <= at_us - serial_us - AirTimeModel().inventory_us(tags) - RF_RESET_US * (1 - ont) < 1_000


@pytest.mark.parametrize("kind", [reader_settings.TYPE_MR101, reader_settings.TYPE_MR102, reader_settings.TYPE_LR2000])
@pytest.mark.parametrize(
    ("prefixes", "is_on", "is_fast"),
    [(("E008",), True, True), (("E008",), False, False), (("E004",), True, False), (("E008", "E004"), True, False)],
    ids=["on", "off", "other-maker", "mixed"],
)
def test_only_tags_of_fujitsu_answer_fast_and_only_if_the_reader_is_set_so(
    kind: int, prefixes: tuple[str, ...], is_on: bool, is_fast: bool
) -> None:
    tags = [f"{prefixes[number % len(prefixes)]}{number:012X}" for number in range(20)]
    emulator = FeigEmulator(lambda antenna, now_us: tags, baud=115_200, reader_type=kind)
    emulator.configure(reader_settings.ANTICOLLISION_BLOCK, reader_settings.ANTICOLLISION_OFFSET, 4)
    if is_on:
        emulator.configure(reader_settings.fast_inventory_block(kind), reader_settings.FAST_INVENTORY_OFFSET, 1)
    times = [emulator.feed(frames.inventory(), number * 1_000_000)[0][0] - number * 1_000_000 for number in range(100)]
    serial_us = times[0] - RF_RESET_US - AirTimeModel().inventory_us(20, is_fast=is_fast)
    assert 0 < serial_us < 25_000
    mean_us = sum(times) / len(times) - serial_us - RF_RESET_US
    assert mean_us == pytest.approx(AirTimeModel().mean_us(20, is_fast=is_fast), rel=0.05)


def test_tag_is_reported_once_until_it_leaves() -> None:
    tags_in_field = ["E004000000000001", "E004000000000002"]
    emulator = FeigEmulator(lambda antenna, now_us: list(tags_in_field), ont=1)
    inventory = frames.inventory()
    assert request_answer(emulator, inventory).data[0] == 2
    assert request_answer(emulator, inventory, 1_000_000).status == frames.STATUS_NO_TRANSPONDER
    returned_tag = tags_in_field.pop()
    request_answer(emulator, inventory, 2_000_000)
    tags_in_field.append(returned_tag)
    assert parse_tags(request_answer(emulator, inventory, 3_000_000).data).uids == (returned_tag,)
    request_answer(emulator, frames.rf_reset(), 4_000_000)
    assert request_answer(emulator, inventory, 5_000_000).data[0] == 2
    for antenna, is_reported in ((1, False), (2, True), (2, False), (1, True)):
        request_answer(emulator, frames.select_antenna(antenna), 6_000_000)
        assert (request_answer(emulator, inventory, 7_000_000).status == frames.STATUS_OK) is is_reported


def test_short_response_time_ends_an_inventory_without_a_sign() -> None:
    tags_in_field = [f"E004{number:012X}" for number in range(40)]
    emulator = FeigEmulator(lambda antenna, now_us: tags_in_field, baud=115_200)
    emulator.configure(reader_settings.INTERFACE_BLOCK, reader_settings.RESPONSE_TIME_OFFSET + 1, 2)
    ((at_us, data),) = emulator.feed(frames.inventory(), 0)
    answer = frames.parse_answer(data)
    uids = parse_tags(answer.data).uids
    assert (answer.status, 12 < len(uids) < 25, len(set(uids))) == (frames.STATUS_OK, True, len(uids))
    assert 200_000 + RF_RESET_US < at_us < 300_000
    assert uids == tuple(sorted(tags_in_field, key=lambda uid: uid[::-1])[: len(uids)])


def test_configuration_in_the_ram_lasts_until_a_restart_and_one_in_the_eeprom_begins_with_it() -> None:
    emulator, block = FeigEmulator(lambda antenna, now_us: []), reader_settings.INTERFACE_BLOCK
    data = bytes.fromhex("00 00 08 01 00 00 00 1E 00 00 00 00 00 00")
    for number, memory in enumerate((0, frames.EEPROM)):
        write = frames.write_configuration(block | memory, data)
        assert request_answer(emulator, write, number).status == frames.STATUS_OK
        assert (request_answer(emulator, frames.read_configuration(block), number).data == data) is not memory
        emulator.reset(number, boot_us=0)
        assert (request_answer(emulator, frames.read_configuration(block), number).data == data) is bool(memory)
    emulator.is_write_protected = True
    for refused in (block, 7):
        assert (
            request_answer(emulator, frames.write_configuration(refused, data), 9).status == frames.STATUS_WRITE_PROTECT
        )


def test_answers_never_overtake() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    out = emulator.feed(frames.inventory() + frames.probe(frames.VERSION) + frames.inventory(), 0)
    assert [frames.parse_answer(data).ctrl for _, data in out] == [0xB0, 0x65, 0xB0]
    assert all(a < b for (a, _), (b, _) in pairwise(out))


def test_reader_with_persistence_reports_a_tag_once_per_period() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"], reader_type=reader_settings.TYPE_MR102)
    emulator.configure(reader_settings.PERSISTENCE_BLOCK, reader_settings.RESET_TIME_OFFSET + 1, 40)
    statuses = [request_answer(emulator, frames.inventory(), at_us).status for at_us in (0, 150_000, 250_000)]
    assert statuses == [frames.STATUS_OK, frames.STATUS_NO_TRANSPONDER, frames.STATUS_OK]


def test_reader_in_scan_mode_makes_no_inventory() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    emulator.configure(reader_settings.INTERFACE_BLOCK, reader_settings.MODE_OFFSET, 1)
    assert request_answer(emulator, frames.inventory()).status == frames.STATUS_NOT_AVAILABLE
