"""`potkeeper demo`: the whole thing on simulated sensors, each part a process or a pty of its own, in real time.

Emulated readers and panel board on ptys, the service, the dealer's screen; simulated people play hands at them.
Nothing in the path knows that it is a demonstration.
"""

from __future__ import annotations

import contextlib
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
from pathlib import Path
from random import Random
from typing import Any

import click

from controller.config import BadInputError, write_config
from controller.scripts import Script, begin, load
from controller.simulation.felt import conform, quick_layout
from controller.simulation.people import Moment, RehearsalError, rehearse
from controller.table import StartsHand, Step, line
from controller.view import Command, Refused, Reply, TableView, decode_to_screen, encode
from controller.words import words_of
from hardware.layout import Layout
from hardware.simulated.pty_rig import PtyTable
from hardware.simulated.world import World

HANDS = Path(__file__).parent / "hands"
"""Hands written for the demonstration, for those who have no others."""
START_S = 20.0
"""Within this time service and screen are up, on a slow machine too."""
END_S = 5.0
"""Within this time a process ends that was told to; then it is killed."""
STEP_S = 2.0
"""Time to look at a step at speed 1."""
SLOWEST, FASTEST = 0.01, 1000.0
"""Speeds of the demonstration; hours for a step, and no time at all, show nothing."""
KEY_S = 0.08
"""How long a finger holds a key down."""


class Link:
    """One connection to the service: the newest view, and commands with their answers. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._socket = connect(path)
        self._news = threading.Condition()
        self._view: TableView | None = None
        self._replies: dict[int, Reply] = {}
        self._name = secrets.token_hex(8)
        self._last = 0
        self.sent: Command | None = None
        """The last command."""
        self._alive = True
        self._reader = threading.Thread(target=self._read, daemon=True, name="views")
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for text in lines:
                message = decode_to_screen(text)
                with self._news:
                    self._view = message.view or self._view
                    if message.reply is not None:
                        self._replies[message.reply.id] = message.reply
                    self._news.notify_all()
        with self._news:
            self._alive = False
            self._news.notify_all()

    def view(self) -> TableView:
        """The newest view. Raises ConnectionError where the service is gone."""
        with self._news:
            self._news.wait_for(lambda: self._view is not None or not self._alive, START_S)
            if self._view is None:
                raise ConnectionError("the service has sent no view")
            return self._view

    def command(self, step: Step) -> Refused | None:
        """Sends a command, of the newest view, and waits for its answer."""
        do, shown = line(step), self.view().sequence
        with self._news:
            self._last += 1
            number = self._last
        self.sent = Command(client=self._name, id=number, do=do, shown=shown)
        self._socket.sendall(encode(self.sent))
        with self._news:
            if not self._news.wait_for(lambda: number in self._replies or not self._alive, START_S):
                raise ConnectionError(f"no answer to {do!r}")
            if number not in self._replies:
                raise ConnectionError("the service is gone")
            return self._replies.pop(number).refused

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Waits until the newest view is so; False where it is not within the limit."""
        with self._news:
            return (
                self._news.wait_for(lambda: not self._alive or (self._view is not None and until(self._view)), limit_s)
                and self._alive
            )

    def close(self) -> None:
        """Ends the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(END_S)
        self._socket.close()


def connect(path: Path) -> socket.socket:
    """A connection to the service at path, as soon as there is one."""
    deadline = time.monotonic() + START_S
    while True:
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(str(path))
            return link
        except OSError as error:
            link.close()
            if time.monotonic() > deadline:
                raise ConnectionError(f"{path}: {error}, expected the service within {START_S:.0f} s") from None
            time.sleep(0.02)  # the file of the socket is not there yet: nothing to wait on


class PtyRoom:
    """The table in real time: devices on ptys, the service behind its socket."""

    def __init__(self, table: PtyTable, link: Link) -> None:
        self.table = table
        self.link = link

    def view(self) -> TableView:
        """What the screen shows now."""
        return self.link.view()

    def command(self, step: Step) -> Refused | None:
        """A touch on the screen."""
        return self.link.command(step)

    def press(self, key: str) -> None:
        """A finger presses one of the dealer's keys at the panel board."""
        self.table.press(key)
        time.sleep(KEY_S)  # a person's finger: this is the simulated world's own time
        self.table.release(key)

    def hands(self) -> contextlib.AbstractContextManager[World]:
        """The chips, while hands move them."""
        return self.table.hands()

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Waits until the view is so."""
        return self.link.wait(until, limit_s)

    def pause(self, seconds: float) -> None:
        """Time to look."""
        time.sleep(seconds)


class Processes:
    """What the demonstration started, and ends."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """A Python program of ours, in a process group of its own: Ctrl-C is ours to pass on."""
        process = subprocess.Popen([sys.executable, "-m", *arguments], start_new_session=True, **options)
        self._running.append(process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Ends one and waits for it."""
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.remove(process)

    def end_all(self) -> None:
        """Ends the newest first."""
        for process in list(reversed(self._running)):
            self.end(process)


@contextlib.contextmanager
def served(script: Script, folder: Path, processes: Processes, layout: Layout) -> Iterator[PtyRoom]:
    """A table that stands where the script begins, served with devices on ptys."""
    begun = begin(script)
    world = World({seat: player.stack for seat, player in begun.players.items()}, chips=layout.chip_set)
    with PtyTable(layout, world) as table:
        (folder / "table.toml").write_text(write_config(script.table))
        ports: list[str] = []
        for name, port in table.layout.ports.items():
            ports += ["--port", f"{name}={port}"]
        journal = folder / "journal.db"
        service = processes.start(
            "controller.cli", "serve", "--config", str(folder / "table.toml"), "--journal", str(journal),
            "--socket", str(folder / "table.sock"), "--no-gpio", "--encoded", "--tags", layout.sensing.technology,
            *ports,
        )  # fmt: skip
        try:
            link = Link(folder / "table.sock")
            room = PtyRoom(table, link)
            room.wait(lambda view: bool(view.devices) and all(device.up for device in view.devices), START_S)
            refused = room.command(StartsHand())
            if refused is not None:
                raise RehearsalError(f"the first hand: {words_of(room.view()).refused(refused)}")
            with table.hands() as chips:
                conform(chips, begun)
            yield room
            link.close()
        finally:
            processes.end(service)
            for left in folder.glob("journal.db*"):
                left.unlink()


class Album:
    """A picture per step: the newest that the screen drew of its view."""

    def __init__(self, drawn: Path, folder: Path) -> None:
        self._drawn = drawn
        self._folder = folder
        self._count = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob("[0-9][0-9][0-9]-*.png"):  # of an earlier demonstration; nothing else is ours
                old.unlink()
        except OSError as error:
            raise BadInputError(f"--pictures {folder}: {error.strerror}, expected a folder to write into") from None

    def keep(self, moment: Moment) -> None:
        """Keeps the picture of this step's view, as soon as it is drawn."""
        deadline = time.monotonic() + END_S
        while time.monotonic() < deadline:
            drawn = sorted(self._drawn.glob("*.png"), key=_sequence)
            if drawn and _sequence(drawn[-1]) >= moment.view.sequence:
                self._count += 1
                words = moment.text.replace(" ", "-")
                shutil.copy(drawn[-1], self._folder / f"{self._count:03}-{words}.png")
                for old in drawn[:-1]:
                    old.unlink()
                return
            time.sleep(0.02)  # the screen writes files, which tell nobody


def _sequence(picture: Path) -> int:
    return int(picture.stem.split("-")[-1])


def show_line(moment: Moment) -> str:
    """A step for people in a terminal."""
    view, words = moment.view, words_of(moment.view)
    parts = [f"{moment.number:3}", f"{moment.text:28}", f"pot {words.amount(view.pot):>7}"]
    if view.turn is not None:
        parts.append(f"seat {view.turn} to call {words.amount(view.to_call)}")
        if view.max_raise_to is not None:
            parts.append(f"raise to {words.amount(view.min_raise_to)} - {words.amount(view.max_raise_to)}")
    urgent = next((alert for alert in view.alerts if alert.level != "info" or alert.choices), None)
    if urgent is not None:
        parts.append(f"[{words.title(urgent)}]")
    return "  ".join(parts)


def sessions(folder: Path | None, hands: int) -> list[tuple[str, Script]]:
    """(title, script) of what is played: our own hands, then real pot-limit Omaha hands where there are.

    Raises BadInputError for the first file that cannot be played."""
    from controller.histories import load_hand, to_script  # its cards are read by a library that takes time to load

    found = [(path.stem, load(path)) for path in sorted(HANDS.glob("*.toml"))]
    if folder is not None and folder.is_dir():
        for path in sorted(folder.rglob("*.phh")):
            try:
                hand = load_hand(path)
                if hand.variant in ("omaha", "omaha8") and hand.structure == "pot-limit":
                    found.append((path.stem, to_script(hand)))
            except BadInputError as error:
                raise BadInputError(f"{path}: {error}") from None
    return found[:hands] if hands else found


@contextlib.contextmanager
def _interrupted_by(*numbers: signal.Signals) -> Iterator[None]:
    """These signals end the block as Ctrl-C does: what was started is ended too."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = [(number, signal.signal(number, interrupt)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def run_demo(speed: float, hands: int, seed: int, pictures: Path, folder: Path | None) -> int:
    """Plays the demonstration. Gives the exit code: 0, or 1 where the table showed something else than the rules
    say.

    Raises BadInputError before anything starts."""
    if not SLOWEST <= speed <= FASTEST:
        raise BadInputError(f"--speed {speed}: expected {SLOWEST} to {FASTEST:.0f}")
    if hands < 0:
        raise BadInputError(f"--hands {hands}: expected a number from 0")
    played_hands = sessions(folder, hands)
    processes, mischief = Processes(), Random(seed)
    on_display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    interrupted = _interrupted_by(signal.SIGTERM, signal.SIGHUP)
    with interrupted, tempfile.TemporaryDirectory(prefix="potkeeper-demo-") as name:
        work = Path(name)
        drawn = work / "drawn"
        drawn.mkdir()
        album = None if on_display else Album(drawn, pictures)
        arguments = [] if on_display else ["--pictures", str(drawn)]
        try:
            processes.start("ui", "--socket", str(work / "table.sock"), *arguments)
            for title, script in played_hands:
                click.echo(f"--- {title}")
                with served(script, work, processes, quick_layout()) as room:
                    for moment in rehearse(room, script, STEP_S / speed, mischief):
                        click.echo(show_line(moment))
                        if album is not None:
                            album.keep(moment)
        except (RehearsalError, ConnectionError) as error:
            click.echo(f"demo: {error}", err=True)
            return 1
        except KeyboardInterrupt:
            click.echo("demo: ended")
            return 0
        finally:
            processes.end_all()
    if album is not None:
        click.echo(f"pictures: {pictures}")
    return 0
