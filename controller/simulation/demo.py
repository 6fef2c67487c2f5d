"""The demonstration `potkeeper demo`: a whole table on simulated devices, in real time.

Emulated readers and panel boards run on pseudo terminals. The service and the dealer's screen run in separate
processes. Simulated people play hands at the emulated table. The service and the screen run exactly as at a real table.
"""

from __future__ import annotations

import contextlib
import grp
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import click

from controller.config import BadInputError, format_config
from controller.messages import messages_for
from controller.scripts import Script, load_script, starting_table
from controller.service import ROOM_SOCKET, ask_service
from controller.simulation.script_runner import PlayedStep, ScriptMismatchError, run_script
from controller.simulation.simulated_table import fast_tag_layout, match_chips_to_table
from controller.steps import Step, format_step, hand_steps
from controller.view import (
    Command,
    RefusalView,
    Reply,
    TableView,
    protocol,
)
from hardware.layout import TableLayout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World

DEMO_HANDS_DIR = Path(__file__).parent / "hands"
"""Folder with the table scripts that were written for the demonstration."""
START_TIMEOUT_S = 60.0
"""Maximum time in seconds until the service and the screen have started, even on a slow machine."""
STOP_TIMEOUT_S = 20.0
"""Maximum time in seconds that a process may take to end after SIGTERM, before it is killed."""
PICTURE_S = 60.0
"""Maximum time in seconds until the screen has drawn a step.

If the screen needs longer, the picture of the step is left out.
"""
STEP_PAUSE_S = 2.0
"""Pause in seconds after each step at speed 1, in which people can look at the screen."""
MIN_SPEED, MAX_SPEED = 0.01, 1000.0
"""Allowed range of `--speed`.

At a lower speed a step would take hours. At a higher speed it would pass too fast to be seen.
"""
KEY_PRESS_S = 0.08
"""Time in seconds for which a simulated finger keeps a key pressed."""


class ServiceConnection:
    """A connection to the service, with the newest view and the replies to commands.

    Several threads may share a connection.
    """

    def __init__(self, path: Path, timeout_s: float = START_TIMEOUT_S) -> None:
        self._socket = connect_to_service(path, timeout_s)
        self._timeout_s = timeout_s
        """Maximum time in seconds to wait for the connection, for the first view, or for the reply to a command."""
        self._changed = threading.Condition()
        self._view: TableView | None = None
        self._replies: dict[int, Reply] = {}
        self._name = secrets.token_hex(8)
        self._last_id = 0
        self.last_command: Command | None = None
        """The last command that was sent, or None before the first command."""
        self._alive = True
        self._reader = threading.Thread(target=self._read, daemon=True, name="views")
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for text in lines:
                message = protocol.decode_service_message(text)
                with self._changed:
                    self._view = message.view or self._view
                    if message.reply is not None:
                        self._replies[message.reply.id] = message.reply
                    self._changed.notify_all()
        with self._changed:
            self._alive = False
            self._changed.notify_all()

    def view(self) -> TableView:
        """Return the newest view.

        If no view has arrived yet, wait for the first view. Raise ConnectionError if the service ends or sends no view
        in time.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._view is not None or not self._alive, self._timeout_s)
            if self._view is None:
                raise ConnectionError(f"the service ended or sent no view within {self._timeout_s:.0f} s")
            return self._view

    def send_step(self, step: Step) -> RefusalView | None:
        """Send a step as a command for the newest view. Return the table's refusal, or None if it accepted the step.

        Raise ConnectionError if the service ends or does not reply in time.
        """
        do, view_sequence = format_step(step), self.view().sequence
        with self._changed:
            self._last_id += 1
            number = self._last_id
        self.last_command = Command(client=self._name, id=number, do=do, view_sequence=view_sequence)
        self._socket.sendall(protocol.encode(self.last_command))
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._replies or not self._alive, self._timeout_s):
                raise ConnectionError(f"no reply to {do!r} within {self._timeout_s:.0f} s")
            if number not in self._replies:
                raise ConnectionError(f"the service ended before it replied to {do!r}")
            return self._replies.pop(number).refused

    def wait_for_view(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Wait until the function `until` returns True for the newest view.

        Return False if this takes longer than `limit_s` seconds.
        """
        with self._changed:
            return (
                self._changed.wait_for(
                    lambda: not self._alive or (self._view is not None and until(self._view)), limit_s
                )
                and self._alive
            )

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(STOP_TIMEOUT_S)
        self._socket.close()


def connect_to_service(path: Path, timeout_s: float = START_TIMEOUT_S) -> socket.socket:
    """Wait until the service at the path accepts a connection, and return the connection.

    Raise ConnectionError if the service does not accept one within `timeout_s` seconds.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(str(path))
            return link
        except OSError as error:
            link.close()
            if time.monotonic() > deadline:
                raise ConnectionError(
                    f"{path}: {error}, expected the service to accept a connection within {timeout_s:.0f} s"
                ) from None
            time.sleep(0.02)  # Poll, because no event signals the appearance of the socket file.


class PtyPlayableTable:
    """A table that can be played in real time, with devices on pseudo terminals and a real service."""

    def __init__(self, table: PtyTable, link: ServiceConnection) -> None:
        self.table = table
        self.connection = link

    def view(self) -> TableView:
        """Return the view that the screen shows now."""
        return self.connection.view()

    def send_step(self, step: Step) -> RefusalView | None:
        """Send a step as a touch on the screen. Return the table's refusal, or None if it accepted the step."""
        return self.connection.send_step(step)

    def press_key(self, key: str) -> None:
        """Press and release one of the dealer's keys at the panel board."""
        self.table.press(key)
        time.sleep(KEY_PRESS_S)  # A person also keeps a key pressed for this time.
        self.table.release(key)

    def exclusive_world(self) -> contextlib.AbstractContextManager[World]:
        """Return a context in which only the caller can move chips."""
        return self.table.exclusive_world()

    def wait_for_view(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Wait until the function `until` returns True for the view.

        Return False if this takes longer than `limit_s` seconds.
        """
        return self.connection.wait_for_view(until, limit_s)

    def pause(self, seconds: float) -> None:
        """Pause, so that people can look at the screen."""
        time.sleep(seconds)


class ChildProcesses:
    """The processes that the demonstration has started and must end."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a Python module of the project in a new process group.

        The terminal's Ctrl-C does not reach a process in a new group. The demonstration can therefore end its processes
        in the right order.
        """
        process = subprocess.Popen([sys.executable, "-m", *arguments], start_new_session=True, **options)
        self._running.append(process)
        return process

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """End one process and wait for its end."""
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.remove(process)

    def stop_all(self) -> None:
        """End all processes, beginning with the newest one."""
        for process in list(reversed(self._running)):
            self.stop(process)


@contextlib.contextmanager
def serve_script(
    script: Script, folder: Path, processes: ChildProcesses, layout: TableLayout, *options: str
) -> Iterator[PtyPlayableTable]:
    """Start a service for a table in the first state of the script, and start the first hand.

    The devices of the table are on pseudo terminals. `options` are further options of the service. Raise
    ScriptMismatchError if the service refuses to start the hand.
    """
    starting = starting_table(script)
    world = World({seat: player.stack for seat, player in starting.players.items()}, chips=layout.chip_set)
    with PtyTable(layout, world) as table:
        (folder / "table.toml").write_text(format_config(script.table))
        ports: list[str] = []
        for name, port in table.layout.ports.items():
            ports += ["--port", f"{name}={port}"]
        journal = folder / "journal.db"
        service = processes.start(
            "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal", str(journal),
            "--socket", str(folder / "table.sock"), "--no-gpio", "--encoded", "--tags", layout.sensing.technology,
            *room_options(), *ports, *options,
        )  # fmt: skip
        try:
            connection = ServiceConnection(folder / "table.sock")
            playable_table = PtyPlayableTable(table, connection)
            playable_table.wait_for_view(
                lambda view: bool(view.devices) and all(device.up for device in view.devices), START_TIMEOUT_S
            )
            refused = playable_table.send_step(hand_steps.StartsHand())
            if refused is not None:
                raise ScriptMismatchError(
                    f"start of the first hand: refused, {messages_for(playable_table.view()).refusal(refused)}"
                )
            with table.exclusive_world() as chips:
                match_chips_to_table(chips, starting)
            yield playable_table
            connection.close()
        finally:
            processes.stop(service)
            for path in folder.glob("journal.db*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def room_options() -> list[str]:
    """Return the options that open the read-only socket of the room for the group of this process."""
    try:
        return ["--room-group", grp.getgrgid(os.getgid()).gr_name]
    except KeyError:
        return []


class BrowserAccess:
    """The process that shows the demonstration to browsers of this machine. It needs the extra `web`."""

    def __init__(self, processes: ChildProcesses, folder: Path) -> None:
        self._socket = folder / ROOM_SOCKET
        self._is_announced = not room_options() or find_spec("starlette") is None
        if not self._is_announced:
            with socket.socket() as unused:
                unused.bind(("127.0.0.1", 0))
                self._port = unused.getsockname()[1]
            options = ["--socket", str(self._socket), "--folder", str(folder / "web"), "--log-level", "error"]
            processes.start("ui.web", *options, "--host", "127.0.0.1", "--port", str(self._port))

    def announce(self) -> None:
        """Print the address for a browser once, with the code that the page SERVICE shows as well.

        The page shows the code as soon as the process for browsers has reached the service.
        """
        page = None if self._is_announced else ask_service(self._socket)
        if page is not None and page.web_code:
            self._is_announced = True
            click.echo(f"browser: https://localhost:{self._port}, code {page.web_code}")


class ScreenshotAlbum:
    """A folder with one picture of the screen for each step."""

    def __init__(self, drawn: Path, folder: Path) -> None:
        """Create the folder, or delete the pictures of an earlier demonstration in an existing folder.

        Raise BadInputError if the folder cannot be written.
        """
        self._drawn = drawn
        self._folder = folder
        self._count = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob("[0-9][0-9][0-9]-*.png"):  # Other files may belong to the user.
                old.unlink()
        except OSError as error:
            raise BadInputError(
                f"--pictures {folder}: {error.strerror}, expected a folder that can be written"
            ) from None

    def save(self, played_step: PlayedStep) -> None:
        """Wait until the screen has drawn the step's view, and copy the picture."""
        deadline = time.monotonic() + PICTURE_S
        while time.monotonic() < deadline:
            drawn = sorted(self._drawn.glob("*.png"), key=_sequence)
            if drawn and _sequence(drawn[-1]) >= played_step.view.sequence:
                self._count += 1
                file_title = played_step.text.replace(" ", "-")
                shutil.copy(drawn[-1], self._folder / f"{self._count:03}-{file_title}.png")
                for old in drawn[:-1]:
                    old.unlink()
                return
            time.sleep(0.02)  # Poll, because no event signals that the screen has written a file.


def _sequence(picture: Path) -> int:
    return int(picture.stem.split("-")[-1])


def format_step_line(played_step: PlayedStep) -> str:
    """Return a step as a line for a terminal."""
    view, messages = played_step.view, messages_for(played_step.view)
    parts = [f"{played_step.number:3}", f"{played_step.text:28}", f"pot {messages.amount(view.pot):>7}"]
    if view.turn is not None:
        parts.append(f"seat {view.turn} to call {messages.amount(view.to_call)}")
        if view.max_raise_to is not None:
            parts.append(f"raise to {messages.amount(view.min_raise_to)} - {messages.amount(view.max_raise_to)}")
    urgent = next((alert for alert in view.alerts if alert.level != "info" or alert.choices), None)
    if urgent is not None:
        parts.append(f"[{messages.alert_title(urgent)}]")
    return "  ".join(parts)


def load_demo_hands(folder: Path | None, hands: int) -> list[tuple[str, Script]]:
    """Return the titles and scripts of the hands to play.

    The project's own hands come first. If `folder` exists, the pot-limit Omaha hands in its PHH files follow. `hands`
    is the maximum number of hands, or 0 for all hands. Raise BadInputError for the first file that cannot be played.
    """
    from controller.histories import load_hand, to_script  # imported late because PokerKit takes half a second to load

    titled_scripts = [(path.stem, load_script(path)) for path in sorted(DEMO_HANDS_DIR.glob("*.toml"))]
    if folder is not None and folder.is_dir():
        for path in sorted(folder.rglob("*.phh")):
            try:
                hand = load_hand(path)
                if hand.variant in ("omaha", "omaha8") and hand.structure == "pot-limit":
                    titled_scripts.append((path.stem, to_script(hand)))
            except BadInputError as error:
                raise BadInputError(f"{path}: {error}") from None
    return titled_scripts[:hands] if hands else titled_scripts


@contextlib.contextmanager
def _interrupted_by(*numbers: signal.Signals) -> Iterator[None]:
    """Treat these signals like Ctrl-C while the block runs, so that the demonstration also ends its processes."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = [(number, signal.signal(number, interrupt)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def run_demo(speed: float, hands: int, seed: int, screenshot_dir: Path, hands_dir: Path | None) -> int:
    """Play the demonstration and return the exit code.

    The exit code is 1 if the table has shown a state that differs from the rules, or if the service has failed.
    Otherwise it is 0. Raise BadInputError for a wrong setting before any process is started. `seed` decides when
    players make mistakes. If no display is available, pictures of the steps are written to `screenshot_dir`.
    """
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise BadInputError(f"--speed {speed}: expected {MIN_SPEED} to {MAX_SPEED:.0f}")
    if hands < 0:
        raise BadInputError(f"--hands {hands}: expected 0 (all hands) or more")
    played_hands = load_demo_hands(hands_dir, hands)
    processes, misplay_random = ChildProcesses(), Random(seed)
    has_display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    signals_end_demo = _interrupted_by(signal.SIGTERM, signal.SIGHUP)
    with signals_end_demo, tempfile.TemporaryDirectory(prefix="demo-") as name:
        work = Path(name)
        drawn = work / "drawn"
        drawn.mkdir()
        album = None if has_display else ScreenshotAlbum(drawn, screenshot_dir)
        arguments = [] if has_display else ["--pictures", str(drawn)]
        try:
            processes.start("ui", "--socket", str(work / "table.sock"), *arguments)
            browser = BrowserAccess(processes, work)
            for title, script in played_hands:
                click.echo(f"--- {title}")
                with serve_script(script, work, processes, fast_tag_layout()) as playable_table:
                    for played_step in run_script(playable_table, script, STEP_PAUSE_S / speed, misplay_random):
                        browser.announce()
                        click.echo(format_step_line(played_step))
                        if album is not None:
                            album.save(played_step)
        except (ScriptMismatchError, ConnectionError) as error:
            click.echo(f"demo: {error}", err=True)
            return 1
        except KeyboardInterrupt:
            click.echo("demo: ended")
            return 0
        finally:
            processes.stop_all()
    if album is not None:
        click.echo(f"pictures: {screenshot_dir}")
    return 0
