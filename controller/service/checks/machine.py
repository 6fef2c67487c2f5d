"""Tests of the computer of a table: pins, badge readers, clock, disk, display, watchdog, temperature and power."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from controller.service.checks.result import CheckResult
from controller.service.recorder import LOW_SPACE_BYTES, LOW_SPACE_DIVISOR
from hardware.badges import PcscError, connected_readers
from hardware.buttons import open_pins_once

MAX_TEMPERATURE_C: Final = 80
"""Maximum temperature of the processor in °C. A Raspberry Pi slows down above it."""
EARLIEST_YEAR: Final = 2025
"""Earliest year that a right clock can show. A Raspberry Pi without a network starts with the time of its last stop."""
RESERVED_PINS: Final[Mapping[int, str]] = {0: "the HAT EEPROM", 1: "the HAT EEPROM", 2: "I²C", 3: "I²C"}
"""BCM numbers of pins that the Raspberry Pi uses for something else."""
UNDER_VOLTAGE_FLAGS: Final = 0x1_0001
"""Flags of the firmware for too low a voltage: now (bit 0), and at some time since the start (bit 16)."""
SCREEN_UNIT: Final = "etc/systemd/system/potkeeper-screen.service"
_ADJTIMEX_BYTES: Final = 256
"""Size of a buffer for `struct timex`, with room for a later kernel."""
_CLOCK_UNSYNCHRONISED: Final = 5
"""Result of `adjtimex` if no source of time has set the clock."""
_BADGE_FIXES: Final = {
    "no-service": "pcscd does not run, expected the service: systemctl enable --now pcscd.socket",
    "not-allowed": "pcscd refuses this user, expected the polkit rule that the installer writes",
}


def check_pins(keys: Mapping[str, int], open_pins: Callable[[Mapping[str, int]], None] = open_pins_once) -> CheckResult:
    """Test that the pins of the dealer's keys can be opened and are not used for something else."""
    if not keys:
        return CheckResult(True, "keys at GPIO pins: none")
    for key, pin in keys.items():
        if pin in RESERVED_PINS:
            text = (
                f"keys at GPIO pins: {key} is at BCM {pin}, which belongs to {RESERVED_PINS[pin]}, expected another pin"
            )
            return CheckResult(False, text)
    try:
        open_pins(keys)
    except Exception as error:  # The pin libraries and the kernel raise errors of many types.
        return pins_failure(f"{type(error).__name__}: {error}")
    return CheckResult(True, f"keys at GPIO pins: {len(keys)} can be opened")


def pins_failure(reason: str) -> CheckResult:
    """Return the result for pins that could not be opened for this reason."""
    return CheckResult(
        False,
        f"keys at GPIO pins: they cannot be opened ({reason}), expected the pins of a Raspberry Pi and its library "
        "(lgpio), or no keys in [gpio] of the layout",
    )


def check_badge_readers(list_readers: Callable[[], Sequence[str]] = connected_readers) -> CheckResult:
    """Test that at least one badge reader is connected."""
    try:
        names = list_readers()
    except ImportError:
        return CheckResult(False, "badge readers: pyscard is not installed, expected the extra of the installer")
    except PcscError as error:
        return CheckResult(False, f"badge readers: {_BADGE_FIXES.get(error.reason, str(error))}")
    if not names:
        return CheckResult(False, "badge readers: none is connected, expected one, because the table has badges")
    return CheckResult(True, f"badge readers: {', '.join(names)}")


def check_machine(
    journal: Path | None,
    *,
    root: Path = Path("/"),
    now_s: Callable[[], float] = time.time,
    is_synchronised: Callable[[], bool | None] | None = None,
) -> list[CheckResult]:
    """Test the computer, and return one result for each part. `root` is the root of the file system.

    A part that this computer does not have passes, and its line says that it was not found.
    """
    return [
        _check_clock(now_s(), (is_synchronised or _is_clock_synchronised)()),
        _check_disk(journal),
        _check_display(root),
        _check_watchdog(root),
        _check_temperature(root),
        _check_power(root),
    ]


def _check_clock(now_s: float, is_synchronised: bool | None) -> CheckResult:
    shown = time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(now_s))
    if time.localtime(now_s).tm_year < EARLIEST_YEAR:
        return CheckResult(
            False, f"clock: {shown}, expected the time of today: set it with timedatectl, or connect NTP"
        )
    if is_synchronised is None:
        return CheckResult(True, f"clock: {shown}, it is not known whether it is synchronised")
    state = "synchronised" if is_synchronised else "not synchronised, so that times in the journal may be wrong"
    return CheckResult(True, f"clock: {shown}, {state}")


def _is_clock_synchronised() -> bool | None:
    """Return True if the kernel's clock is synchronised, and None if this is not known."""
    import ctypes  # The service imports this module too, and never calls this function.

    try:
        state: int = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_ADJTIMEX_BYTES))
    except (OSError, AttributeError):
        return None
    return None if state == -1 else state != _CLOCK_UNSYNCHRONISED


def _check_disk(journal: Path | None) -> CheckResult:
    """Test that the folder of the journal exists, can be written and has room."""
    if journal is None:
        return CheckResult(True, "disk: no journal was named")
    folder = journal.parent
    try:
        total, _, free = shutil.disk_usage(folder)
    except OSError as error:
        return CheckResult(False, f"disk: {folder}: {error.strerror}, expected the folder of the journal")
    if not os.access(folder, os.W_OK):
        return CheckResult(False, f"disk: {folder}: this user may not write there, expected a folder for the journal")
    minimum = min(LOW_SPACE_BYTES, total // LOW_SPACE_DIVISOR)
    megabytes = f"{free // 1_000_000:,} MB free at {folder}"
    if free < minimum:
        return CheckResult(False, f"disk: {megabytes}, expected {minimum // 1_000_000:,} MB: delete files, or archives")
    return CheckResult(True, f"disk: {megabytes}")


def _check_display(root: Path) -> CheckResult:
    """Test that a display is connected if the dealer's screen runs on this computer."""
    states = {path.parent.name.partition("-")[2]: _read(path) for path in root.glob("sys/class/drm/card*-*/status")}
    connected = [name for name, state in states.items() if state == "connected"]
    if connected:
        return CheckResult(True, f"display: connected at {', '.join(sorted(connected))}")
    if not states:
        return CheckResult(True, "display: this machine does not report its displays")
    if (root / SCREEN_UNIT).exists():
        return CheckResult(
            False, f"display: none is connected at {', '.join(sorted(states))}, expected one: check cable and power"
        )
    return CheckResult(True, "display: none is connected, and no dealer's screen is installed here")


def _check_watchdog(root: Path) -> CheckResult:
    """Test that systemd uses the hardware watchdog if the computer has one."""
    states = [_read(path) for path in sorted(root.glob("sys/class/watchdog/watchdog*/state"))]
    if "active" in states:
        return CheckResult(True, "watchdog: active")
    if states:
        return CheckResult(
            False, "watchdog: not used, expected RuntimeWatchdogSec in /etc/systemd/system.conf.d, and a restart"
        )
    return CheckResult(True, "watchdog: this machine has none, so that a hang of the kernel needs a person")


def _check_temperature(root: Path) -> CheckResult:
    values = [_read(path) for path in root.glob("sys/class/thermal/thermal_zone*/temp")]
    degrees = [int(value) // 1_000 for value in values if value.lstrip("-").isdigit()]
    if not degrees:
        return CheckResult(True, "temperature: this machine has no sensor")
    if max(degrees) > MAX_TEMPERATURE_C:
        return CheckResult(
            False, f"temperature: {max(degrees)} °C, expected at most {MAX_TEMPERATURE_C}: check fan and ventilation"
        )
    return CheckResult(True, f"temperature: {max(degrees)} °C")


def _check_power(root: Path) -> CheckResult:
    """Test the flags of the Raspberry Pi's firmware about too low a voltage."""
    path = next(iter(root.glob("sys/devices/platform/*/*firmware/get_throttled")), None)
    try:
        flags = int(_read(path), 16) if path is not None else None
    except ValueError:
        flags = None
    if flags is None:
        return CheckResult(True, "power: this machine does not report its voltage")
    if flags & UNDER_VOLTAGE_FLAGS:
        when = "now" if flags & 1 else "since the start"
        return CheckResult(False, f"power: the voltage was too low {when}, expected the power supply for this Pi")
    return CheckResult(True, "power: the voltage was never too low")


def _read(path: Path) -> str:
    """Return the first line of a file of the kernel, or "" if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
