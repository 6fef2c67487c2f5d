"""What is wrong with a layout although every type is right."""

from __future__ import annotations

import re
from typing import Final

from firmware_bridge.pepper import ANTENNAS as PEPPER_ANTENNAS
from firmware_bridge.pepper import BAUD as PEPPER_BAUD
from hardware.bad_input import MOST_NAME, is_name, named
from hardware.chips import LAMMERS, is_uid
from hardware.events import KEYS
from hardware.layout.spec import BUTTON_NAMES, READABLE, SEAT_NAMES, ChipsSpec, Layout, Protocol, ReaderSpec, Sensing
from hardware.spots import SPOTS

ANTENNAS: Final[dict[Protocol, int]] = {"feig": 255, "pepper": PEPPER_ANTENNAS}
"""The highest antenna number: with FEIG it is one byte on the wire."""
MAX_BUTTONS: Final = 32
"""Buttons and lamps of one panel board: one bit each of a 32-bit mask."""
MAX_DENOMINATION: Final = 10**14
"""As much as any amount at a table."""

NEW_NAME: Final = f"a name of at most {MOST_NAME} characters that no other device has"

Problem = tuple[str, object, str]


def problems(layout: Layout) -> list[Problem]:
    """Key, value and what was expected of each mistake; the first is told."""
    return [
        *_sensing_problems(layout.sensing),
        *_reader_problems(layout),
        *_antenna_problems(layout),
        *_panel_problems(layout),
        *_chip_problems(layout),
    ]


def _sensing_problems(sensing: Sensing) -> list[Problem]:
    limits = {
        "motion_gap_ms": (0, 10_000),
        "offline_ms": (200, 10_000),
        "focus_rest_ms": (0, 1_000),
        "rest_ms": (0, 1_000),
    }
    return [
        (f"sensing.{name}", getattr(sensing, name), f"{least} to {most}")
        for name, (least, most) in limits.items()
        if not least <= getattr(sensing, name) <= most
    ]


def _reader_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    names: set[str] = set()
    spots: set[str] = set()
    for number, reader in enumerate(layout.readers):
        key = f"readers[{number}]"
        if not is_name(reader.name) or reader.name in names:
            found.append((f"{key}.name", reader.name, NEW_NAME))
        names.add(reader.name)
        if not reader.port:
            found.append((f"{key}.port", reader.port, "the path of a serial port"))
        found += _protocol_problems(key, reader, layout.sensing)
        if not reader.antennas:
            found.append((f"{key}.antennas", {}, "at least one antenna with its spot"))
        for antenna, spot in reader.antennas.items():
            most = ANTENNAS[reader.protocol]
            if not 1 <= antenna <= most:
                found.append((f"{key}.antennas", antenna, f"an antenna from 1 to {most}"))
            if spot not in SPOTS:
                found.append((f"{key}.antennas.{antenna}", spot, "bet1 to bet10, pot, tray or pad"))
            elif spot in spots:
                found.append((f"{key}.antennas.{antenna}", spot, "a spot that no other antenna has"))
            spots.add(spot)
    for number, panel in enumerate(layout.panels):
        if not is_name(panel.name) or panel.name in names:
            found.append((f"panels[{number}].name", panel.name, NEW_NAME))
        names.add(panel.name)
    return found


def _protocol_problems(key: str, reader: ReaderSpec, sensing: Sensing) -> list[Problem]:
    """What a reader of this protocol cannot do."""
    found: list[Problem] = []
    if sensing.technology not in READABLE[reader.protocol]:
        can = " or ".join(READABLE[reader.protocol])
        found.append(("sensing.technology", sensing.technology, f"{can}, which reader {named(reader.name)} reads,"))
    if reader.protocol == "pepper":
        if reader.baud != PEPPER_BAUD:
            found.append((f"{key}.baud", reader.baud, f"{PEPPER_BAUD}, the one rate of a pepper,"))
        if reader.rf_reset:
            found.append((f"{key}.rf_reset", reader.rf_reset, "false, as a pepper needs none,"))
    return found


def _antenna_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    known = layout.places
    for number, pair in enumerate(layout.antennas.neighbours):
        if pair[0] == pair[1] or not all(spot in known for spot in pair):
            found.append((f"antennas.neighbours[{number}]", list(pair), "two different spots that have antennas"))
    heights = {"max_sure_height": layout.antennas.max_sure_height}
    heights |= {f"max_sure_heights.{spot}": height for spot, height in layout.antennas.max_sure_heights.items()}
    found += [(f"antennas.{named(key)}", height, "0 or more") for key, height in heights.items() if height < 0]
    for spot in layout.antennas.max_sure_heights:
        if spot not in known:
            found.append(("antennas.max_sure_heights", spot, "a spot that has an antenna"))
    return found


def _panel_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    for index, panel in enumerate(layout.panels):
        key = f"panels[{index}]"
        for field, allowed, numbers in (
            ("buttons", BUTTON_NAMES, panel.buttons),
            ("lamps", SEAT_NAMES, panel.lamps),
        ):
            for number, name in numbers.items():
                if not 0 <= number < MAX_BUTTONS:
                    found.append((f"{key}.{field}", number, f"0 to {MAX_BUTTONS - 1}"))
                if name not in allowed:
                    found.append((f"{key}.{field}.{number}", name, f"one of {', '.join(allowed)}"))
    pins: set[int] = set()
    for name, pin in layout.gpio.keys.items():
        if name not in KEYS:
            found.append(("gpio.keys", name, f"one of {', '.join(KEYS)}"))
        if not 0 <= pin <= 27 or pin in pins:
            found.append((f"gpio.keys.{named(name)}", pin, "a BCM number from 0 to 27 that no other key has"))
        pins.add(pin)
    return found


def _chip_problems(layout: Layout) -> list[Problem]:
    chips = layout.chips
    if chips.register or chips.register_key:
        return _register_problems(chips)
    uid = "a UID of 16, or of 24 and more, upper-case hex digits"
    denomination = f"a denomination from 1 to {MAX_DENOMINATION}"
    found: list[Problem] = [("chips.listed", text, uid) for text in chips.listed if not is_uid(text)]
    found += [("chips.lammers", text, uid) for text in chips.lammers if not is_uid(text)]
    found += [("chips.ignored", text, "upper-case hex digits") for text in chips.ignored if not _is_prefix(text)]
    found += [("chips.revoked", text, uid) for text in chips.revoked if not is_uid(text)]
    for text, name in chips.lammers.items():
        if name not in LAMMERS:
            found.append((f"chips.lammers.{named(text)}", name, f"one of {', '.join(LAMMERS)}"))
    for text, value in chips.listed.items():
        if not 0 < value <= MAX_DENOMINATION:
            found.append((f"chips.listed.{named(text)}", value, denomination))
    for number, item in enumerate(chips.ranges):
        key = f"chips.ranges[{number}]"
        if not 0 < item.denomination <= MAX_DENOMINATION:
            found.append((f"{key}.denomination", item.denomination, denomination))
        if not is_uid(item.first):
            found.append((f"{key}.first", item.first, uid))
        if not is_uid(item.last) or len(item.last) != len(item.first) or item.last < item.first:
            found.append((f"{key}.last", item.last, f"{uid}, as many as the first has, not before it,"))
    rule = chips.encoded
    if rule is not None and not (_is_prefix(rule.prefix) and 0 < rule.digits < layout.uid_digits - len(rule.prefix)):
        found.append(("chips.encoded", f"{rule.prefix}, {rule.digits}", "prefix and digits that leave a serial number"))
    return found


def _register_problems(chips: ChipsSpec) -> list[Problem]:
    """The register takes the place of all else that says what a tag is."""
    found: list[Problem] = []
    if not chips.register:
        found.append(("chips.register", chips.register, "the file of the list that register_key has signed"))
    if not re.fullmatch(r"[0-9a-fA-F]{64}", chips.register_key):
        found.append(("chips.register_key", chips.register_key, "a public key of 64 hex digits"))
    for name in ("listed", "ranges", "encoded", "lammers", "ignored", "revoked"):
        if getattr(chips, name):
            found.append((f"chips.{name}", f"{chips.register} says that", "none beside a register"))
    return found


def _is_prefix(text: str) -> bool:
    return re.fullmatch(r"[0-9A-F]{1,64}", text) is not None
