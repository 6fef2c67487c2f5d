"""The service: holds the truth of one table. Trays and keys in, journal, views out on a Unix socket.

One asyncio loop. Every step is on disk before a view shows it. A service that was killed comes back from its journal in
the same place of the same hand. A journal that cannot be written ends the process: it is started again by its
supervisor.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from controller.config.reading import BadInputError
from controller.config.table import TableConfig, read
from controller.journal.journal import Entry, Journal, JournalDead, JournalError, Opening, Source
from controller.live.desk import Desk
from controller.presenter import showing
from controller.table.state import Table
from controller.table.steps import Step, parse
from controller.view import (
    MAX_LINE_BYTES,
    Command,
    Reply,
    SocketError,
    TableView,
    ToScreen,
    decode_command,
    encode,
)
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeEvent, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen
from hardware.events import Event

CONFIG_VERSION = 1
MOST_SCREENS = 16
"""Dealer, players, pit, floor: more connections than that are a fault."""
MOST_UNSENT_BYTES = 1_000_000
"""A screen that has not read so much is left out until it has: it gets the newest view then."""
VIEWS_REMEMBERED = 256
"""Views that a command can name: a touch refers to what was on the screen a moment ago."""
TICK_S = 0.25
"""How often time alone is looked at: sweeps, watchdog."""
NEIGHBOURS = 2
"""Seats behind the one in turn whose trays are read as often as its own."""


class Sensors(Protocol):
    """The hardware as the service needs it; `hardware.table_io.TableIO` is one."""

    def start(self) -> None:
        """Opens everything."""

    def stop(self) -> None:
        """Closes everything."""

    def focus(self, seats: list[int]) -> None:
        """The seats to favour."""

    def set_lamps(self, seats: frozenset[int]) -> None:
        """The seats whose lamps shine."""


class Service:
    """One table. `open` it from its journal, `attach` the hardware, `run` until told to stop."""

    def __init__(
        self, config: TableConfig, journal: Journal | None, desk: Desk, recorder: Recorder | None = None
    ) -> None:
        self.config = config
        self._recorder = recorder
        self.desk = desk
        self.sensors: Sensors | None = None
        self._journal = journal
        self._screens: set[asyncio.StreamWriter] = set()
        self._behind: set[asyncio.StreamWriter] = set()
        self._sequence = int(time.time() * 1000)
        """Starts at the wall clock: views of a service that was restarted come after those before."""
        self._turns: OrderedDict[int, int | None] = OrderedDict()
        self._publishing = False
        self._stopped = asyncio.Event()
        self.view: TableView = self._make_view()

    # --- the journal ---

    @classmethod
    def open(
        cls, config: TableConfig, path: Path | None, *, trays: bool, readers: frozenset[str] = frozenset()
    ) -> Service:
        """The table as its journal has it; a new one where there is none. `path` None keeps no journal (for trying
        out).

        Raises JournalError, BadInputError with one line.
        """
        if path is None:
            return cls(config, None, Desk(config.table, trays=trays, readers=readers))
        if not path.exists():
            opening = Opening(config.text, CONFIG_VERSION, datetime.now(UTC).isoformat(timespec="seconds"))
            journal = Journal.create(path, opening)
            recorder = Recorder(journal)
            desk = Desk(config.table, recorder, trays=trays, readers=readers)
            return cls(config, journal, desk, recorder)
        journal, opening, lost = _opened(path, config)
        recorder = Recorder(journal)
        kept = read(opening.config)
        if kept.text != config.text:
            print(f"potkeeper: {path}: the journal's own configuration goes on, not the one given", file=sys.stderr)
        desk = Desk(kept.table, recorder, trays=trays, readers=readers)
        for record in journal.records():
            try:
                desk.replay(record.do, record.source, record.at_us)
            except ValueError as error:
                raise JournalError(f"journal {path}: record {record.number}: {error}", record.number) from None
        desk.damaged = bool(lost)
        return cls(kept, journal, desk, recorder)

    @property
    def journal(self) -> Journal | None:
        """Where the steps are recorded."""
        return self._journal

    # --- running ---

    def attach(self, sensors: Sensors) -> None:
        """The hardware whose events come to `on_event`."""
        self.sensors = sensors

    def on_event(self, event: Event) -> None:
        """What the hardware tells; to be called on the loop's thread."""
        self._guarded(lambda: self.desk.on_event(event, monotonic_us()))

    def on_badge(self, event: BadgeEvent) -> None:
        """What the badge readers tell; to be called on the loop's thread. Only a proven badge is written down."""
        if isinstance(event, BadgeReaderOffline):
            self.desk.badge_reader(event.reason)
        elif isinstance(event, BadgeReaderOnline):
            self.desk.badge_reader(None)
        elif self._recorder is not None:
            seen = isinstance(event, BadgeSeen) and event.proven
            self._recorder.badge = f"{event.name} ({event.role})" if seen and isinstance(event, BadgeSeen) else ""
        self._changed()

    def do(self, step: str, source: Source = "dealer") -> str | None:
        """A step from within the process. Gives why it was refused, or None."""
        what: Step = parse(step)
        outcome = self.desk.do(what, source, monotonic_us())
        self._changed()
        return outcome.refused

    async def run(self, path: Path, *, ready: asyncio.Event | None = None) -> None:
        """Serves screens on the Unix socket `path` until `stop`."""
        server = await _listen(path, self._serve)
        if self.sensors is not None:
            self.sensors.start()
        self._tell_supervisor("READY=1")
        if ready is not None:
            ready.set()
        ticking = asyncio.create_task(self._tick())
        try:
            await self._stopped.wait()
        finally:
            ticking.cancel()
            if self.sensors is not None:
                self.sensors.stop()
            server.close()
            for screen in list(self._screens):
                screen.close()
            with contextlib.suppress(OSError):
                path.unlink()
            if self._journal is not None:
                self._journal.close()

    def stop(self) -> None:
        """Ends `run`."""
        self._stopped.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._guarded(lambda: self.desk.poll(monotonic_us()))
            self._tell_supervisor("WATCHDOG=1")
            for screen in list(self._behind):
                self._send(screen, encode(ToScreen(view=self.view)))

    def _guarded(self, act: Callable[[], object]) -> None:
        """What changes the desk. A journal that is dead ends the process: nothing may be shown that is not on disk.
        A fault of ours is told on standard error, and the table goes on where it was."""
        before = self.desk.changes
        try:
            act()
        except JournalDead as error:
            print(f"potkeeper: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        except Exception:
            traceback.print_exc()
        if self.desk.changes != before:
            self._changed()

    def _tell_supervisor(self, state: str) -> None:
        """systemd's readiness and watchdog protocol: a datagram to the socket that it names."""
        address = os.environ.get("NOTIFY_SOCKET")
        if not address:
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(state.encode(), address.replace("@", "\0", 1))

    # --- views ---

    def _changed(self) -> None:
        """A view goes out once everything that came together has been taken."""
        if not self._publishing:
            self._publishing = True
            asyncio.get_running_loop().call_soon(self._publish_now)

    def _make_view(self) -> TableView:
        self._sequence += 1
        shown = self.config.shown
        view = showing.show(self.desk, self._sequence, name=shown.name, money=shown.money, show_pot=shown.show_pot)
        self._turns[self._sequence] = view.turn
        while len(self._turns) > VIEWS_REMEMBERED:
            self._turns.popitem(last=False)
        return view

    def _publish_now(self) -> None:
        """Sends the view that is due, if it has not gone out already."""
        if self._publishing:
            self._publish()

    def _publish(self) -> None:
        self._publishing = False
        self.view = self._make_view()
        line = encode(ToScreen(view=self.view))
        for screen in list(self._screens):
            self._send(screen, line)
        if self.sensors is not None:
            turn = self.view.turn
            self.sensors.set_lamps(frozenset({turn} if turn else ()))
            self.sensors.focus(in_focus(self.desk.table))

    def _send(self, screen: asyncio.StreamWriter, line: bytes) -> None:
        transport = screen.transport
        if transport.is_closing():
            self._screens.discard(screen)
            self._behind.discard(screen)
        elif transport.get_write_buffer_size() > MOST_UNSENT_BYTES:
            self._behind.add(screen)
        else:
            self._behind.discard(screen)
            screen.write(line)

    # --- screens ---

    async def _serve(self, reader: asyncio.StreamReader, screen: asyncio.StreamWriter) -> None:
        if len(self._screens) >= MOST_SCREENS:
            screen.close()
            return
        self._screens.add(screen)
        screen.write(encode(ToScreen(view=self.view)))
        try:
            while line := await reader.readline():
                self._answer(screen, line)
                await asyncio.sleep(
                    0
                )  # a screen that sends without pause lets the others and the trays have their turn
        except asyncio.CancelledError:
            return  # the service ends
        except (ValueError, ConnectionError):
            # a line longer than the limit, or a screen that went away
            self._send(
                screen, encode(ToScreen(reply=Reply(id=0, refused=f"expected lines up to {MAX_LINE_BYTES} bytes")))
            )
        finally:
            self._screens.discard(screen)
            self._behind.discard(screen)
            screen.close()

    def _answer(self, screen: asyncio.StreamWriter, line: bytes) -> None:
        try:
            command = decode_command(line)
        except SocketError as error:
            self._send(screen, encode(ToScreen(reply=Reply(id=0, refused=str(error)))))
            return
        said: list[str | None] = []
        self._guarded(lambda: said.append(self._command(command)))
        self._publish_now()  # what a command did is seen before it is answered
        refused = said[0] if said else "a fault of the program: nothing was done, see its log"
        self._send(screen, encode(ToScreen(reply=Reply(id=command.id, refused=refused))))

    def _command(self, command: Command) -> str | None:
        shown = self._turns.get(command.shown) if command.shown else None
        try:
            return self.desk.command(command.do, monotonic_us(), shown)
        except JournalDead:
            raise
        except JournalError as error:  # a name that cannot be printed, say: nothing was written
            return str(error)


def in_focus(table: Table) -> list[int]:
    """The seats whose trays are read most: the one in turn and the next that will act."""
    hand = table.hand
    if hand is None or not table.playing or hand.turn not in hand.order:
        return []
    at = hand.order.index(hand.turn)
    ring = (*hand.order[at:], *hand.order[:at])
    return [seat for seat in ring if seat in hand.pending][: NEIGHBOURS + 1]


def _opened(path: Path, config: TableConfig) -> tuple[Journal, Opening, str]:
    """The journal and what was lost of it: a damaged one is replaced by its good records, for a machine never stops
    the table; "" where nothing was."""
    try:
        return *Journal.open(path), ""
    except JournalError as error:
        if error.number is None:
            raise
        salvage = Journal.salvage(path, Opening(config.text, CONFIG_VERSION, "salvaged"))
        print(f"potkeeper: {error}; going on from {salvage.kept} records, {salvage.lost}", file=sys.stderr, flush=True)
        return *Journal.open(path), salvage.lost or "records"


class Recorder:
    """Writes steps to the journal, decisions of the floor with the badge that lies on the reader."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.badge = ""
        """Who is there: name and role of a proven badge, "" for nobody."""

    def __call__(self, lines: Sequence[str], source: Source, at_us: int) -> None:
        """Lines that belong together; on disk in one piece when this returns."""
        badge = self.badge if source == "floor" else ""
        self._journal.append([Entry(at_us=at_us, do=line, source=source, badge=badge) for line in lines])


async def _listen(
    path: Path, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
) -> asyncio.AbstractServer:
    """The server at the path. A socket that a dead service left behind is replaced; a live one is not."""
    try:
        if path.exists():
            _remove_dead(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return await asyncio.start_unix_server(serve, str(path), limit=MAX_LINE_BYTES)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}, expected the path of a Unix socket") from None


def _remove_dead(path: Path) -> None:
    if not path.is_socket():
        raise BadInputError(f"{path}: something else is there, expected a free place for a socket")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise BadInputError(f"{path}: a service is running there, expected a free socket")


def until_told(service: Service) -> None:
    """SIGTERM and Ctrl-C end the service in order."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stop)


__all__ = ["JournalError", "Service", "in_focus", "monotonic_us", "until_told"]
