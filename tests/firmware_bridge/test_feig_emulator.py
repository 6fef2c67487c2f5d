"""The emulated reader's own promises: statuses, air time, ONT, order of answers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from firmware_bridge import feig_frames as frames
from firmware_bridge.emulators.feig import FeigEmulator, Technology, air_time_us

BLOCK = bytes([0x81]) + bytes(range(14))


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
        (0x77, b"", frames.STATUS_UNKNOWN_COMMAND),
        (0xB0, b"\x01\x80", frames.STATUS_NO_TRANSPONDER),
    ],
)
def test_statuses(ctrl: int, data: bytes, status: int) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    assert ask(emulator, frames.request(ctrl, data)).status == status


def test_configuration_is_kept_and_put_back() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ())
    for ctrl, data, kept in ((0x81, BLOCK, BLOCK[1:]), (0x83, BLOCK[:1], bytes(14))):
        assert ask(emulator, frames.request(ctrl, data)).status == frames.STATUS_OK
        assert ask(emulator, frames.request(0x80, BLOCK[:1])).data == kept


def test_other_addresses_and_bad_frames_get_no_answer() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: (), adr=3)
    assert emulator.feed(frames.request(0x65, adr=4), 0) == []
    assert emulator.feed(frames.cpu_reset()[:-1] + b"\x00", 0) == []
    assert ask(emulator, frames.request(0x65, adr=3), 1_000_000).adr == 3


@pytest.mark.parametrize(("tags", "ms"), [(0, 14), (1, 18), (2, 23), (5, 44), (10, 95), (40, 433), (100, 981)])
def test_air_time_is_the_table(tags: int, ms: int) -> None:
    assert air_time_us(tags, "iso15693") == ms * 1_000


@pytest.mark.parametrize("technology", ["iso15693", "mode3", "pjm"])
def test_more_tags_take_longer(technology: Technology) -> None:
    assert all(a < b for a, b in pairwise(air_time_us(tags, technology) for tags in range(256)))


def test_a_tag_is_reported_once_until_it_leaves() -> None:
    lying = ["E004000000000001", "E004000000000002"]
    emulator = FeigEmulator(lambda antenna, now_us: list(lying), ont=1)
    inventory = frames.inventory()
    assert ask(emulator, inventory).data[0] == 2
    assert ask(emulator, inventory, 1_000_000).status == frames.STATUS_NO_TRANSPONDER
    back = lying.pop()
    ask(emulator, inventory, 2_000_000)
    lying.append(back)
    assert frames.parse_tags(ask(emulator, inventory, 3_000_000).data) == (back,)
    ask(emulator, frames.rf_reset(), 4_000_000)
    assert ask(emulator, inventory, 5_000_000).data[0] == 2


def test_answers_never_overtake() -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ["E004000000000001"])
    out = emulator.feed(frames.inventory() + frames.probe(frames.VERSION) + frames.inventory(), 0)
    assert [frames.parse_answer(data).ctrl for _, data in out] == [0xB0, 0x65, 0xB0]
    assert all(a < b for (a, _), (b, _) in pairwise(out))
