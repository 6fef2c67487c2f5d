"""Checks of a layout beyond the types of its values."""

from __future__ import annotations

import re
from typing import Final

from firmware_bridge.pepper import ANTENNA_COUNT as PEPPER_ANTENNAS
from firmware_bridge.pepper import BAUD as PEPPER_BAUD
from hardware.chip_set import LAMMER_NAMES, is_valid_uid
from hardware.events import KEYS
from hardware.layout.schema import (
    BUTTON_NAMES,
    FAST_PREFIX,
    READABLE_TECHNOLOGIES,
    SEAT_NAMES,
    ChipsSpec,
    ReaderProtocol,
    ReaderSpec,
    SensingSpec,
    TableLayout,
)
from hardware.scheduling_policy import PARAMETER_RANGES, SchedulingPolicy
from hardware.spots import SPOTS
from hardware.text_input_validation import MAX_NAME_CHARS, is_valid_name, quote_key

MAX_ANTENNA_NUMBER: Final[dict[ReaderProtocol, int]] = {"feig": 255, "pepper": PEPPER_ANTENNAS}
"""Highest antenna number that a reader with this protocol can have. FEIG readers use one byte for the number."""
MAX_BUTTONS: Final = 32
"""Maximum buttons, lamps or presence inputs of a panel board, because each is one bit of a 32-bit mask."""
MAX_DENOMINATION: Final = 10**14
"""Highest denomination of a chip. It equals the maximum of any amount at a table."""

READER_SERIAL_DIGITS: Final = 8
BOARD_SERIAL_DIGITS: Final = 16
EXPECTED_DEVICE_NAME: Final = f"a name of at most {MAX_NAME_CHARS} characters that no other device has"

Problem = tuple[str, object, str]
"""A mistake in a layout: the key, its value and the expected value."""


def find_problems(layout: TableLayout) -> list[Problem]:
    """Return key, value and expected value of each mistake in this layout. The caller reports the first mistake."""
    return [
        *_sensing_problems(layout.sensing),
        *_reader_problems(layout),
        *_serial_problems(layout),
        *_antenna_problems(layout),
        *_panel_problems(layout),
        *_chip_problems(layout),
        *_policy_problems(layout.policy),
    ]


def _sensing_problems(sensing: SensingSpec) -> list[Problem]:
    limits = {
        "motion_gap_ms": (0, 10_000),
        "presence_gap_ms": (0, 10_000),
        "offline_ms": (200, 10_000),
        "focus_rest_ms": (0, 1_000),
        "rest_ms": (0, 1_000),
    }
    return [
        (f"sensing.{name}", getattr(sensing, name), f"{minimum} to {maximum} ms")
        for name, (minimum, maximum) in limits.items()
        if not minimum <= getattr(sensing, name) <= maximum
    ]


def _policy_problems(policy: SchedulingPolicy) -> list[Problem]:
    return [
        (f"policy.{name}", getattr(policy, name), f"{minimum} to {maximum}{' µs' if name.endswith('_us') else ''}")
        for name, (minimum, maximum) in PARAMETER_RANGES.items()
        if not minimum <= getattr(policy, name) <= maximum
    ]


def _reader_problems(layout: TableLayout) -> list[Problem]:
    problems: list[Problem] = []
    names: set[str] = set()
    spots: set[str] = set()
    for number, reader in enumerate(layout.readers):
        key = f"readers[{number}]"
        if not is_valid_name(reader.name) or reader.name in names:
            problems.append((f"{key}.name", reader.name, EXPECTED_DEVICE_NAME))
        names.add(reader.name)
        if not reader.port:
            problems.append((f"{key}.port", reader.port, "the path of a serial port"))
        problems += _protocol_problems(key, reader, layout.sensing)
        if reader.fast_inventory and not _has_fast_tags(layout):
            expected = f"false, because no chip has a tag of Fujitsu (a UID that begins with {FAST_PREFIX})"
            problems.append((f"{key}.fast_inventory", True, expected))
        if not reader.antennas:
            problems.append((f"{key}.antennas", {}, "at least one antenna with its spot"))
        for antenna, spot in reader.antennas.items():
            highest = MAX_ANTENNA_NUMBER[reader.protocol]
            if not 1 <= antenna <= highest:
                problems.append((f"{key}.antennas", antenna, f"an antenna from 1 to {highest}"))
            if spot not in SPOTS:
                problems.append((f"{key}.antennas.{antenna}", spot, "bet1 to bet10, pot, tray or pad"))
            elif spot in spots:
                problems.append((f"{key}.antennas.{antenna}", spot, "a spot that no other antenna has"))
            spots.add(spot)
    for number, panel in enumerate(layout.panels):
        if not is_valid_name(panel.name) or panel.name in names:
            problems.append((f"panels[{number}].name", panel.name, EXPECTED_DEVICE_NAME))
        names.add(panel.name)
    return problems


def _has_fast_tags(layout: TableLayout) -> bool:
    """Return True if some chips may have tags of Fujitsu. The chips of a register are not known yet."""
    chips = layout.chips
    uids = [*chips.listed, *(item.first for item in chips.ranges), *([chips.encoded.prefix] if chips.encoded else [])]
    return bool(chips.register) or any(uid.startswith(FAST_PREFIX) for uid in uids)


def _serial_problems(layout: TableLayout) -> list[Problem]:
    """Return the serial numbers that are malformed, or that two devices have."""
    problems: list[Problem] = []
    serials: set[str] = set()
    devices = [
        *((f"readers[{number}]", reader.serial, READER_SERIAL_DIGITS) for number, reader in enumerate(layout.readers)),
        *((f"panels[{number}]", panel.serial, BOARD_SERIAL_DIGITS) for number, panel in enumerate(layout.panels)),
    ]
    for key, serial, digits in devices:
        if serial and (len(serial) != digits or not _is_prefix(serial) or serial in serials):
            expected = f"{digits} upper-case hex digits that no other device has, as `potkeeper check` prints them"
            problems.append((f"{key}.serial", serial, expected))
        serials.add(serial)
    return problems


def _protocol_problems(key: str, reader: ReaderSpec, sensing: SensingSpec) -> list[Problem]:
    """Return the settings that a reader of this protocol does not support."""
    problems: list[Problem] = []
    if sensing.technology not in READABLE_TECHNOLOGIES[reader.protocol]:
        readable = " or ".join(READABLE_TECHNOLOGIES[reader.protocol])
        expected = f"{readable}, because reader {quote_key(reader.name)} reads no other tags"
        problems.append(("sensing.technology", sensing.technology, expected))
    if reader.protocol == "pepper":
        if reader.baud != PEPPER_BAUD:
            problems.append((f"{key}.baud", reader.baud, f"{PEPPER_BAUD}, the only rate of a Pepper"))
        if reader.fast_inventory:
            problems.append((f"{key}.fast_inventory", True, "false, because only FEIG readers have this setting"))
        if reader.rf_reset:
            problems.append((f"{key}.rf_reset", reader.rf_reset, "false, because a Pepper needs no RF reset"))
        if reader.second_pass:
            problems.append((f"{key}.second_pass", True, "false, because only FEIG readers have a second pass"))
    if reader.second_pass and sensing.technology != "iso15693":
        problems.append((f"{key}.second_pass", True, 'false, or technology = "iso15693" in [sensing]'))
    if reader.quick_looks and not reader.rf_reset:
        expected = "false, or rf_reset = true and the reader's setting ONT 1"
        problems.append((f"{key}.quick_looks", True, expected))
    return problems


def _antenna_problems(layout: TableLayout) -> list[Problem]:
    problems: list[Problem] = []
    known = layout.spot_antennas
    for number, pair in enumerate(layout.antennas.neighbours):
        if pair[0] == pair[1] or not all(spot in known for spot in pair):
            problems.append((f"antennas.neighbours[{number}]", list(pair), "two different spots that have antennas"))
            continue
        first, second = (known[spot].reader for spot in pair)
        if first == second and any(reader.quick_looks for reader in layout.readers if reader.name == first):
            expected = "antennas of different readers, because quick_looks needs tags that lose their power"
            problems.append((f"antennas.neighbours[{number}]", list(pair), expected))
    heights = {"max_sure_height": layout.antennas.max_sure_height}
    heights |= {f"max_sure_heights.{spot}": height for spot, height in layout.antennas.max_sure_heights.items()}
    problems += [(f"antennas.{quote_key(key)}", height, "0 or more") for key, height in heights.items() if height < 0]
    for spot in layout.antennas.max_sure_heights:
        if spot not in known:
            problems.append(("antennas.max_sure_heights", spot, "a spot that has an antenna"))
    return problems


def _panel_problems(layout: TableLayout) -> list[Problem]:
    problems: list[Problem] = []
    for index, panel in enumerate(layout.panels):
        key = f"panels[{index}]"
        for field, allowed, numbers in (
            ("buttons", BUTTON_NAMES, panel.buttons),
            ("lamps", SEAT_NAMES, panel.lamps),
        ):
            for number, name in numbers.items():
                if not 0 <= number < MAX_BUTTONS:
                    problems.append((f"{key}.{field}", number, f"0 to {MAX_BUTTONS - 1}"))
                if name not in allowed:
                    problems.append((f"{key}.{field}.{number}", name, f"one of {', '.join(allowed)}"))
    problems += _presence_problems(layout)
    pins: set[int] = set()
    for name, pin in layout.gpio.keys.items():
        if name not in KEYS:
            problems.append(("gpio.keys", name, f"one of {', '.join(KEYS)}"))
        if not 0 <= pin <= 27 or pin in pins:
            problems.append((f"gpio.keys.{quote_key(name)}", pin, "a BCM number from 0 to 27 that no other key has"))
        pins.add(pin)
    return problems


def _presence_problems(layout: TableLayout) -> list[Problem]:
    problems: list[Problem] = []
    spots: set[str] = set()
    for index, panel in enumerate(layout.panels):
        key = f"panels[{index}].presence"
        for number, spot in panel.presence.items():
            if not 0 <= number < MAX_BUTTONS:
                problems.append((key, number, f"an input from 0 to {MAX_BUTTONS - 1}"))
            if spot not in layout.spot_antennas or spot in spots:
                problems.append((f"{key}.{number}", spot, "a spot that has an antenna and no other presence input"))
            spots.add(spot)
    return problems


def _chip_problems(layout: TableLayout) -> list[Problem]:
    chips = layout.chips
    if chips.register or chips.register_key:
        return _register_problems(chips)
    uid = "a UID of 16 or at least 24 upper-case hex digits"
    denomination = f"a denomination from 1 to {MAX_DENOMINATION}"
    problems: list[Problem] = [("chips.listed", text, uid) for text in chips.listed if not is_valid_uid(text)]
    problems += [("chips.lammers", text, uid) for text in chips.lammers if not is_valid_uid(text)]
    problems += [
        ("chips.ignored", text, "1 to 64 upper-case hex digits") for text in chips.ignored if not _is_prefix(text)
    ]
    problems += [("chips.revoked", text, uid) for text in chips.revoked if not is_valid_uid(text)]
    for text, name in chips.lammers.items():
        if name not in LAMMER_NAMES:
            problems.append((f"chips.lammers.{quote_key(text)}", name, f"one of {', '.join(LAMMER_NAMES)}"))
    for text, value in chips.listed.items():
        if not 0 < value <= MAX_DENOMINATION:
            problems.append((f"chips.listed.{quote_key(text)}", value, denomination))
    for number, item in enumerate(chips.ranges):
        key = f"chips.ranges[{number}]"
        if not 0 < item.denomination <= MAX_DENOMINATION:
            problems.append((f"{key}.denomination", item.denomination, denomination))
        if not is_valid_uid(item.first):
            problems.append((f"{key}.first", item.first, uid))
        if not is_valid_uid(item.last) or len(item.last) != len(item.first) or item.last < item.first:
            problems.append((f"{key}.last", item.last, f"{uid}, as many as in first, and not below first"))
    encoded = chips.encoded
    if encoded is not None and not (
        _is_prefix(encoded.prefix) and 0 < encoded.digits < layout.uid_digits - len(encoded.prefix)
    ):
        expected = "a prefix and digits that leave room for a serial number"
        problems.append(("chips.encoded", f"{encoded.prefix}, {encoded.digits}", expected))
    return problems


def _register_problems(chips: ChipsSpec) -> list[Problem]:
    """Return the mistakes in a layout that names a chip register, which replaces all other chip settings."""
    problems: list[Problem] = []
    if not chips.register:
        problems.append(("chips.register", chips.register, "the file of the list that register_key has signed"))
    if not re.fullmatch(r"[0-9a-fA-F]{64}", chips.register_key):
        problems.append(("chips.register_key", chips.register_key, "a public key of 64 hex digits"))
    for name in ("listed", "ranges", "encoded", "lammers", "ignored", "revoked"):
        if getattr(chips, name):
            expected = f"no value, because the register {quote_key(chips.register)} has it"
            problems.append((f"chips.{name}", getattr(chips, name), expected))
    return problems


def _is_prefix(text: str) -> bool:
    return re.fullmatch(r"[0-9A-F]{1,64}", text) is not None
