"""The service: holds the truth of one table. Trays and keys in, journal, views out to the screens.

One asyncio loop. Whatever comes makes a change of the live state: its steps are on disk in one piece before the state
is in effect, and in effect before a view shows it. A service that was killed comes back from its journal in the same
place of the same hand. A journal that cannot be written ends the process: its supervisor starts it again.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from controller import presenter
from controller.config import TableConfig
from controller.journal import JournalDead, JournalError
from controller.live import BADGE_READER, Change, Live, Setup, failed, obey, react, tick
from controller.rules import Refusal
from controller.service import supervisor
from controller.service.recorder import Recorder, begin, go_on
from controller.service.screens import Screens
from controller.table import Source, Step, StepError, Table, parse
from controller.view import Alert, Refused, Reply, SocketError, TableView, ToScreen, Values, decode_command
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeEvent, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen
from hardware.events import DeviceDown, DeviceUp, Event
from hardware.spots import PAD

VIEWS_REMEMBERED: Final = 256
"""Views that a command can name: a touch refers to what was on the screen a moment ago."""
TICK_S: Final = 0.25
"""How often time alone is looked at: sweeps, watchdog."""
NEIGHBOURS: Final = 2
"""Seats behind the one in turn whose trays are read as often as its own."""
EXIT_NOT_WRITTEN: Final = 1
"""The process's exit code where the journal cannot be written."""


About = TypeVar("About", Event, Step, None)
"""What a change comes of: an event, a command, or time alone."""


class TableSensors(Protocol):
    """The hardware as the service needs it; `hardware.table_io.TableIO` is one."""

    def start(self) -> None:
        """Opens everything."""

    def stop(self) -> None:
        """Closes everything."""

    def focus(self, seats: list[int], besides: Sequence[str] = ()) -> None:
        """The seats to favour, and the spots that are no seat's."""

    def set_lamps(self, seats: frozenset[int]) -> None:
        """The seats whose lamps shine."""


class Service:
    """One table. `open` it from its journal, `attach` the hardware, `run` until told to stop."""

    def __init__(self, config: TableConfig, live: Live, recorder: Recorder | None) -> None:
        self.live = live
        self.sensors: TableSensors | None = None
        self._recorder = recorder
        shown = config.shown
        self._show = partial(presenter.show, name=shown.name, money=shown.money, show_pot=shown.show_pot)
        self._sequence = int(time.time() * 1000)
        """Starts at the wall clock: views of a service that was restarted come after those before."""
        self._turns: OrderedDict[int, int | None] = OrderedDict()
        """Whom each of the last views showed in turn."""
        self._due = False
        self._stopped = asyncio.Event()
        self.view: TableView = self._make_view()
        self._screens = Screens(self.answer, ToScreen(view=self.view))

    @classmethod
    def open(
        cls, config: TableConfig, path: Path | None, *, trays: bool, readers: frozenset[str] = frozenset()
    ) -> Service:
        """The table as its journal has it; a new one where there is none. `path` None keeps no journal (for trying
        out). `readers` are the devices that read trays.

        Raises JournalError, BadInputError with one line.
        """
        setup = Setup(trays=trays, readers=readers, recorded=path is not None, clock=True)
        if path is None:
            return cls(config, Live(setup, config.table), None)
        if not path.exists():
            return cls(config, Live(setup, config.table), begin(config, path))
        return cls(*go_on(config, path, setup, monotonic_us()))

    # --- running ---

    def attach(self, sensors: TableSensors) -> None:
        """The hardware whose events come to `on_event`."""
        self.sensors = sensors

    async def run(self, path: Path, *, ready: asyncio.Event | None = None) -> None:
        """Serves screens on the Unix socket `path` until `stop`."""
        await self._screens.listen(path)
        if self.sensors is not None:
            self.sensors.start()
        supervisor.tell("READY=1")
        if ready is not None:
            ready.set()
        ticking = asyncio.create_task(self._tick())
        try:
            await self._stopped.wait()
        finally:
            ticking.cancel()
            if self.sensors is not None:
                self.sensors.stop()
            self._screens.close()
            if self._recorder is not None:
                self._recorder.close()

    def stop(self) -> None:
        """Ends `run`."""
        self._stopped.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._change(lambda live, _, at_us: tick(live, at_us), None)
            supervisor.tell("WATCHDOG=1")
            self._screens.catch_up()

    # --- what comes in, all on the loop's thread ---

    def on_event(self, event: Event) -> None:
        """What the hardware tells."""
        self._change(react, event)

    def on_badge(self, event: BadgeEvent) -> None:
        """What the badge readers tell. Only a proven badge is written down."""
        if isinstance(event, BadgeReaderOffline):
            self.on_event(DeviceDown(BADGE_READER, event.why, event.at_us))
        elif isinstance(event, BadgeReaderOnline):
            self.on_event(DeviceUp(BADGE_READER, event.at_us))
        elif self._recorder is not None:
            proven = isinstance(event, BadgeSeen) and event.proven
            self._recorder.badge = f"{event.name} ({event.role})" if isinstance(event, BadgeSeen) and proven else ""

    def do(self, step: Step) -> Refusal | None:
        """A step from within the process. Gives why it was refused, or None. Raises JournalError."""
        change = self._obey(step, _giver(step))
        return change.refused if change is not None else None

    def answer(self, line: bytes) -> Reply:
        """What comes of a line from a screen; what a command did is shown before this returns."""
        try:
            command = decode_command(line)
        except SocketError as error:
            return Reply(id=0, refused=_not_a_step(error))
        try:
            step = parse(command.do)
            change = self._obey(step, _giver(step), self._turns.get(command.shown) if command.shown else None)
        except (StepError, JournalError) as error:  # no step, or one that cannot be written: a name of 4,000 characters
            return Reply(id=command.id, refused=_not_a_step(error))
        self._publish_due()
        if change is None:
            return Reply(id=command.id, refused=Refused(code="fault"))
        return Reply(id=command.id, refused=presenter.refused(change.refused) if change.refused else None)

    # --- changes ---

    def _obey(self, step: Step, source: Source, shown_turn: int | None = None) -> Change | None:
        return self._change(partial(obey, source=source, shown_turn=shown_turn), step)

    def _change(self, decide: Callable[[Live, About, int], Change], about: About) -> Change | None:
        """A change decided, on disk and in effect. None after a fault of ours: it is told on standard error and
        becomes an alert, and the table goes on where it was. Raises JournalError for a command that cannot be written
        down."""
        at_us = monotonic_us()
        try:
            change = decide(self.live, about, at_us)
            self._take(change, at_us)
        except Exception as error:
            if isinstance(error, JournalError) and isinstance(about, Step):
                raise
            self._failed(about, error, at_us)
            return None
        return change

    def _failed(self, about: Event | Step | None, error: Exception, at_us: int) -> None:
        """A fault of ours, on standard error and as an alert."""
        traceback.print_exception(error)
        try:
            self._take(failed(self.live, about, f"{type(error).__name__}: {error}", at_us), at_us)
        except Exception:
            traceback.print_exc()

    def _take(self, change: Change, at_us: int) -> None:
        """The change's steps on disk, then in effect. Raises JournalError; what cannot be written at all ends the
        process."""
        if change.steps and self._recorder is not None:
            try:
                self._recorder.write(change.steps, at_us)
            except JournalDead as error:
                self._end(error)
        if change.live is not self.live:
            self.live = change.live
            self._show_soon()

    def _end(self, error: JournalDead) -> None:
        """Nothing may be in effect that is not on disk: all screens are told so, with the state before."""
        print(f"potkeeper: {error}", file=sys.stderr, flush=True)
        self._recorder = None
        self.live = self.live._replace(setup=replace(self.live.setup, recorded=False))
        self._publish()
        os._exit(EXIT_NOT_WRITTEN)

    # --- views ---

    def _show_soon(self) -> None:
        """A view goes out once everything that came together has been taken."""
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._publish_due)

    def _publish_due(self) -> None:
        """Sends the view that is due, if it has not gone out already."""
        if self._due:
            self._publish()

    def _publish(self) -> None:
        self._due = False
        try:
            self.view = self._make_view()
        except Exception as error:
            self._failed(None, error, monotonic_us())
            self._due = False
            self.view = self._view_of_fault()
        self._screens.show(ToScreen(view=self.view))
        if self.sensors is not None:
            turn = self.view.turn
            self.sensors.set_lamps(frozenset({turn} if turn else ()))
            self.sensors.focus(in_focus(self.live.table), (PAD,) if self.live.counting else ())

    def _make_view(self) -> TableView:
        self._sequence += 1
        view = self._show(self.live, self._sequence)
        self._turns[self._sequence] = view.turn
        while len(self._turns) > VIEWS_REMEMBERED:
            self._turns.popitem(last=False)
        return view

    def _view_of_fault(self) -> TableView:
        """Where no view can be made: the last one, with an alert that says so."""
        alert = Alert(code="failed", level="warning")
        others = tuple(other for other in self.view.alerts if other.key != alert.key)
        return msgspec.structs.replace(self.view, sequence=self._sequence, alerts=(alert, *others))


def _giver(step: Step) -> Source:
    """Who gives a step that comes from a screen."""
    return "floor" if step.owner == "floor" else "dealer"


def _not_a_step(error: Exception) -> Refused:
    return Refused(code="not-a-step", values=Values(reason=str(error)))


def in_focus(table: Table) -> list[int]:
    """The seats whose trays are read most: the one in turn and the next that will act."""
    hand = table.hand
    if hand is None or not table.playing or hand.turn not in hand.order:
        return []
    at = hand.order.index(hand.turn)
    ring = (*hand.order[at:], *hand.order[:at])
    return [seat for seat in ring if seat in hand.pending][: NEIGHBOURS + 1]
