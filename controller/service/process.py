"""The service: holds the truth of one table. Trays and keys in, journal, views out to the screens.

One asyncio loop. Whatever comes makes a change of the live state: its steps are on disk in one piece before the state
is in effect, and in effect before a view shows it. A service that was killed comes back from its journal in the same
place of the same hand. While nothing can be written the table is played on in memory, and every view says so.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from controller import presenter
from controller.config import TableConfig
from controller.journal import JournalError
from controller.live import BADGE_READER, Change, Live, Made, Setup, evolve, failed, obey, react, tick
from controller.rules import Refusal
from controller.seals import guard_of
from controller.service import supervisor
from controller.service.beats import Beats
from controller.service.desk import Desk, Guarding, giver, named_by, understood
from controller.service.looked_at import Stale
from controller.service.looks import HasHealth, Look, Looks, WritesHand, asked, may_look
from controller.service.recorder import Place, Recorder
from controller.service.roles import SCREEN, Denied, Door, usual_rights
from controller.service.screens import Later, Screens
from controller.service.starting import take_up_in_time
from controller.table import ChangesDealer, KnowsBadges, Note, Step, StepError, Table, parse
from controller.view import (
    BEAT_S,
    Alert,
    By,
    Command,
    Refused,
    Reply,
    SocketError,
    TableView,
    ToScreen,
    Values,
    decode_command,
)
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeEvent, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen
from hardware.events import DeviceDown, DeviceUp, Event
from hardware.spots import PAD

TICK_S: Final = BEAT_S
"""How often time alone is looked at: sweeps, watchdog, the beat to the screens."""
SEQUENCE_BITS: Final = 21
"""Of the views of one second of the wall clock: with more, the number of a view would be too large from 2038 on."""
NEIGHBOURS: Final = 2
"""Seats behind the one in turn whose trays are read as often as its own."""

_NOBODY: Final[tuple[By, str]] = ("itself", "")
"""What passes by itself, or a sensor tells."""

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

    def __init__(
        self,
        config: TableConfig,
        live: Live,
        recorder: Recorder | None,
        guarding: Guarding | None = None,
        looks: Looks | None = None,
    ) -> None:
        self.live = _marked(live, recorder)
        self.sensors: TableSensors | None = None
        self._recorder = recorder
        shown = config.shown
        self._show = partial(presenter.show, name=shown.name, money=shown.money, show_pot=shown.show_pot)
        self._sequence = self._run = _first_sequence()
        known = (recorder.commands, recorder.name) if recorder is not None else ()
        self._looks = looks or Looks()
        self._did: tuple[By, str] = _NOBODY
        """Who did something since the last view, and the badge that spoke for it."""
        self._desk = Desk(guarding or Guarding(usual_rights()), Beats(_first_sequence()), *known)
        self._due = False
        self._stopped = asyncio.Event()
        self.view: TableView = self._make_view()
        self._screens = Screens(self._desk.doors, self.answer, self._beat, ToScreen(view=self.view))

    @classmethod
    def open(
        cls,
        config: TableConfig,
        place: Place | Path | None,
        *,
        trays: bool,
        readers: frozenset[str] = frozenset(),
        guarding: Guarding | None = None,
        writes: WritesHand | None = None,
    ) -> Service:
        """The table as its journal has it; a new one where there is none. `place` is where that is kept, with the mark
        beside it where a path alone is given; None keeps no journal (for trying out). `readers` are the devices that
        read trays; `guarding` says who may do what: an open table, unless one is given; `writes` writes a hand down
        that is looked at.

        Raises JournalError with one line where another process writes the journal, or the file is none: whatever is
        wrong with the disk, the table is there.
        """
        setup = Setup(trays=trays, readers=readers, clock=True)
        if place is None:
            return cls(config, Live(setup, config.table), None, guarding, Looks(writes=writes))
        kept = place if isinstance(place, Place) else Place(place, guard_of(place))
        config, live, recorder, played = take_up_in_time(config, kept, setup, monotonic_us())
        return cls(config, live, recorder, guarding, Looks(played, writes, str(kept.path)))

    # --- running ---

    def attach(self, sensors: TableSensors, health: HasHealth | None = None) -> None:
        """The hardware whose events come to `on_event`, and how it is doing."""
        self.sensors = sensors
        self._looks.health = health or self._looks.health

    async def run(self, path: Path, *, ready: asyncio.Event | None = None) -> None:
        """Serves screens on the Unix socket `path` until `stop`."""
        await self._screens.listen(path)
        if self.live.badges != self._desk.badges:
            self._note(KnowsBadges(self._desk.badges))
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
            self._keep()
            supervisor.tell("WATCHDOG=1")
            self._publish_due()
            self._screens.catch_up()
            self._screens.beat()

    def _beat(self) -> int:
        return self._desk.beats.next(monotonic_us())

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
        else:
            self._desk.presence.take(event)
            if isinstance(event, BadgeSeen) and event.proven and event.role == "dealer":
                self._deals(event.name)

    def _deals(self, name: str) -> None:
        """A dealer's badge lies on the reader: whose it is deals."""
        step = parse(f"dealer {name}")
        if isinstance(step, ChangesDealer) and step.name != self.live.table.dealer:
            self.do(step)

    def do(self, step: Step) -> Refusal | None:
        """A step from within the process. Gives why it was refused, or None. Raises JournalError."""
        change = self._change(partial(obey, source=giver(step)), step)
        return change.refused if change is not None else None

    def answer(self, line: bytes, door: Door = SCREEN) -> Reply | Later:
        """What comes of a line from a screen; what a command did is shown before this returns. What is looked at may
        take longer than a moment."""
        try:
            command = decode_command(line)
        except SocketError as error:
            return Reply(id=0, refused=_not_a_step(error))
        try:
            look = asked(command.do)
        except StepError as error:
            return Reply(id=command.id, refused=_not_a_step(error))
        if look is None:
            return self.once(command, door)
        if not may_look(door):
            return Reply(id=command.id, refused=Refused(code=Denied.NOT_ALLOWED.value))
        return partial(self._looked_at, command, look)

    def once(self, command: Command, door: Door = SCREEN) -> Reply:
        """What comes of a command that is a step."""
        if door.name != SCREEN.name:  # one of another door is another client, whatever it says
            command = msgspec.structs.replace(command, client=f"{door.name}/{command.client}")
        return self._desk.once(command, partial(self._done, command, door))

    async def _looked_at(self, command: Command, look: Look) -> Reply:
        """What a look is answered with. A fault of ours ends with this look: the table goes on."""
        try:
            found = await self._looks.page(look, self.live)
        except Exception as error:
            traceback.print_exception(error)
            found = Refused(code="fault")
        if isinstance(found, Refused):
            return Reply(id=command.id, refused=found)
        return Reply(id=command.id, page=found)

    def _done(self, command: Command, door: Door) -> Refused | None:
        """Does a command that came by a door. Gives why it was refused, or None."""
        try:
            step = understood(command.do)
            change = self._change(partial(self._desk.obey, command=command, door=door), step, command)
        except (StepError, JournalError) as error:  # no step, or one that cannot be written: a name of 4,000 characters
            return _not_a_step(error)
        if change is None:
            self._publish_due()
            return Refused(code="fault")
        if change.refused is None:
            self._desk.looked_at.does(step)
            self._publish()  # also where nothing is to be seen of it: the next command looks at a view with it done
            return None
        if (denied := self._desk.denied(door, step, change.refused, change.at_us)) is not None:
            self._note(denied)
        self._publish_due()
        refused = presenter.refused(change.refused)
        return msgspec.structs.replace(refused, stays=change.refused.code is Stale.TOO_LATE)

    # --- changes ---

    def _note(self, note: Note) -> None:
        """Takes down what this program knows."""

        def noted(live: Live, _: None, at_us: int) -> Change:
            after = evolve(live, note, "sensor", at_us)[0]
            return Change(after, (Made(note, "sensor"),), at_us=at_us, states=(after,))

        self._change(noted, None)

    def _change(
        self, decide: Callable[[Live, About, int], Change], about: About, command: Command | None = None
    ) -> Change | None:
        """A change decided, on disk and in effect. None after a fault of ours: it is told on standard error and
        becomes an alert, and the table goes on where it was. Raises JournalError for a command that cannot be written
        down."""
        at_us = monotonic_us()
        try:
            change = decide(self.live, about, at_us)
            self._take(change, at_us, command)
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

    def _take(self, change: Change, at_us: int, command: Command | None = None) -> None:
        """The change's steps on disk, then in effect. Raises JournalError where one cannot be written down."""
        badge = self._desk.badge(at_us) if change.steps else None
        if change.steps and self._recorder is not None:
            self._recorder.badge = badge
            named = named_by(command, change) if command is not None else ""
            self._recorder.write(change.steps, at_us, change.live, named)
        if change.steps:
            self._did = _done_by(change.steps, badge) or self._did
            label = badge.label if badge is not None else ""
            self._looks.played.takes(self.live, change, badge=label)
        self._goes_on(change.live)

    def _keep(self) -> None:
        """Looks after the records."""
        if self._recorder is not None:
            try:
                self._goes_on(self._recorder.keep(self.live, monotonic_us()))
                for device, trouble in self._recorder.troubles.items():
                    self._tell_of(device, trouble)
            except Exception as error:
                self._failed(None, error, monotonic_us())

    def _tell_of(self, device: str, trouble: str) -> None:
        """Tells when what guards the records fails, and when it does not any more."""
        if bool(trouble) is (self.live.devices.get(device) is None):
            at_us = monotonic_us()
            self.on_event(DeviceDown(device, trouble, at_us) if trouble else DeviceUp(device, at_us))

    def _goes_on(self, live: Live) -> None:
        live = _marked(live, self._recorder)
        if live is not self.live:
            self.live = live
            self._show_soon()

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
        view = msgspec.structs.replace(self._show(self.live, self._sequence), run=self._run)
        self._desk.looked_at.shows(self._sequence, self.live.table, view.turn)
        self._looks.raised.shows(view.alerts, monotonic_us(), hand=view.hand, did=self._did)
        self._did = _NOBODY
        return view

    def _view_of_fault(self) -> TableView:
        """Where no view can be made: the last one, with an alert that says so."""
        alert = Alert(code="failed", level="warning")
        others = tuple(other for other in self.view.alerts if other.key != alert.key)
        return msgspec.structs.replace(self.view, sequence=self._sequence, alerts=(alert, *others))


def _done_by(steps: Sequence[Made], badge: BadgeSeen | None) -> tuple[By, str] | None:
    """Who gave the last of these steps that a person gave, and with whose badge; None for none."""
    for _, source in reversed(steps):
        if source == "dealer":
            return "dealer", ""
        if source == "floor":  # whatever only a badge allowed
            by: By = "technician" if badge is not None and badge.role == "technician" else "floor"
            return by, badge.label if badge is not None else ""
    return None


def _marked(live: Live, recorder: Recorder | None) -> Live:
    """The state, which says whether it is recorded."""
    recorded = recorder is not None and not recorder.dark
    return live if live.setup.recorded == recorded else live._replace(setup=replace(live.setup, recorded=recorded))


def _first_sequence() -> int:
    """Views of a service that was restarted come after those before; and none has the number of one of before, also
    where the clock was set back: a command for that one would be taken for a command for this."""
    return (int(time.time()) << SEQUENCE_BITS) + secrets.randbelow(1 << SEQUENCE_BITS - 1)


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
