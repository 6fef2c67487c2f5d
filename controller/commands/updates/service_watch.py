"""What an update or a restore sees of the service: whether a hand is in progress, and whether it runs well.

Only a few fields of a view are read. Their names stay the same in all releases, so that the program before an update
understands the views of the program after it.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

import msgspec

from controller.commands.updates.boot_watch import UNIT_FOLDER
from hardware.text_input_validation import BadInputError

SERVICE_UNIT: Final = "potkeeper.service"
SCREEN_UNIT: Final = "potkeeper-screen.service"
UPLINK_UNIT: Final = "potkeeper-uplink.service"
SYSTEMCTL_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds of `systemctl`. `restart --no-block` waits for nothing, and `stop` for five seconds."""
READY_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds from a change until the service answers. A start takes two seconds, or twenty if a hand with
tens of thousands of records is replayed on a Pi."""
WATCH_S: Final = 60.0
"""Time in seconds for which the service is watched after a change."""
HAND_POLL_S: Final = 0.5
"""Interval in seconds at which the service is asked whether the hand is over."""
SILENCE_TIMEOUT_S: Final = 10.0
"""Time in seconds without a line of the service after which it is silent. systemd restarts it after the same time."""
POLL_INTERVAL_S: Final = 0.1
"""Interval in seconds between two attempts to reach a service that does not answer yet."""
MAX_LINE_BYTES: Final = 1_000_000
"""Maximum length of a line of the service in bytes, which is four times the limit of its protocol."""
PROGRAM_ERROR_ALERT: Final = "failed"
"""Code of the alert about an error of the program."""


class ServiceControl(Protocol):
    """The way to stop and restart the service of a table with the release in use."""

    def stop(self) -> None:
        """Stop the service, and wait for its end. Raises BadInputError."""

    def restart(self) -> None:
        """Restart the service and the screen. The call need not wait until they are ready. Raises BadInputError."""


class SystemdControl:
    """Stops and restarts the units of systemd that are installed."""

    def __init__(self) -> None:
        if shutil.which("systemctl") is None:
            raise BadInputError("systemctl not found: expected systemd, which runs the service")

    def stop(self) -> None:
        """Stop the service, and wait for its end. Raises BadInputError if systemd does not know it."""
        self._call("stop", SERVICE_UNIT)

    def restart(self) -> None:
        """Restart the service, and the screen and the uplink if they run.

        Raises BadInputError if systemd does not know them.
        """
        self._call("restart", SERVICE_UNIT, "--no-block")
        for unit in (SCREEN_UNIT, UPLINK_UNIT):
            if (UNIT_FOLDER / unit).exists():
                self._call("try-restart", unit, "--no-block")

    def _call(self, verb: str, unit: str, *options: str) -> None:
        command = ["systemctl", verb, *options, unit]
        try:
            result = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SYSTEMCTL_TIMEOUT_S)
        except (OSError, subprocess.SubprocessError) as error:
            raise BadInputError(f"systemctl {verb} {unit}: {error}") from None
        if result.returncode:
            raise BadInputError(f"systemctl {verb} {unit}: {result.stderr.strip()}, expected the units of install.sh")


class SeenAlert(msgspec.Struct, frozen=True):
    """An alert in a view of any release."""

    code: str


class SeenView(msgspec.Struct, frozen=True):
    """The part of a view that is the same in all releases."""

    run: int
    """Number of the run of the service."""
    phase: str = "idle"
    alerts: tuple[SeenAlert, ...] = ()
    recorded: bool = True

    @property
    def is_hand_in_progress(self) -> bool:
        """Return True if a hand is in progress."""
        return self.phase in ("betting", "closed")

    @property
    def has_program_error(self) -> bool:
        """Return True if an alert reports an error of the program."""
        return any(alert.code == PROGRAM_ERROR_ALERT for alert in self.alerts)


class _Message(msgspec.Struct, frozen=True):
    view: SeenView | None = None


_decoder = msgspec.json.Decoder(_Message)


def read_view(address: Path) -> SeenView | None:
    """Return the present view of the service at this socket, or None if no service answers."""
    with closing(_views(address)) as views:
        return next((view for view in views if view is not None), None)


def wait_for_end_of_hand(address: Path, begin_s: float, wait_s: float, say: Callable[[str], object]) -> bool:
    """Wait until no hand is in progress, and return True if one was.

    Raises BadInputError if one is in progress `wait_s` seconds after `begin_s`, a time of the monotonic clock.
    """
    has_waited = False
    while (view := read_view(address)) is not None and view.is_hand_in_progress:
        if time.monotonic() >= begin_s + wait_s:
            raise BadInputError(f"a hand is in progress after {wait_s:.0f} s, expected its end, see --wait")
        if not has_waited:
            say("waiting for the end of the hand")
        has_waited = True
        time.sleep(HAND_POLL_S)
    return has_waited


def find_fault(address: Path, before: SeenView | None, *, ready_s: float, watch_s: float) -> str:
    """Watch a service that was restarted, and return its first fault, or "" if it has none.

    `before` is the last view before the restart. The service must answer within `ready_s` seconds. It is then watched
    for `watch_s` seconds. Each of these is a fault: it ends, it is silent, its program reports an error, or it no
    longer records what it recorded before.
    """
    ready_deadline_s = time.monotonic() + ready_s
    while time.monotonic() < ready_deadline_s:
        with closing(_views(address)) as views:
            first = next((view for view in views if view is not None), None)
            if first is not None and (before is None or first.run != before.run):
                return _watch(first, views, before, watch_s)
        time.sleep(POLL_INTERVAL_S)
    return f"the service was not ready within {ready_s:.0f} s"


def _watch(first: SeenView, views: Iterator[SeenView | None], before: SeenView | None, watch_s: float) -> str:
    """Watch one run of the service for `watch_s` seconds from its first view, and return its first fault, or ""."""
    deadline_s = time.monotonic() + watch_s
    for view in chain([first], views):
        if view is not None and view.has_program_error and not (before is not None and before.has_program_error):
            return "the service reports an error of the program"
        if view is not None and not view.recorded and before is not None and before.recorded:
            return "the service records nothing"
        if time.monotonic() >= deadline_s:
            return ""
    return "the service ended or was silent after its start"


def _views(address: Path) -> Generator[SeenView | None]:
    """Yield each view of the service, and None for each other line. End if the service ends, or is silent."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SILENCE_TIMEOUT_S)
            connection.connect(str(address))
            with closing(connection.makefile("rb")) as lines:
                while line := lines.readline(MAX_LINE_BYTES):
                    yield _decoder.decode(line).view
    except (OSError, msgspec.MsgspecError):
        return
