"""The service of a table: it turns sensor events, keys and commands into records and views.

Everything runs on one asyncio loop. Each input becomes a transition: a new live state, and the steps that lead to it.
The steps are on disk as one transaction before the new state takes effect. A view never shows a state that is not on
disk yet. A service that was killed therefore continues from its journal at the same point of the same hand. While
nothing can be written, the table plays on in memory, and every view says so.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

import msgspec

from controller import presenter, systemd
from controller.config import DisplaySettings, TableConfig, parse_typed_step
from controller.integrity import make_guard
from controller.journal import JournalError, LayoutInForce
from controller.live import (
    FileFault,
    FileKind,
    Live,
    RecordedStep,
    RevaluedChips,
    TableSetup,
    Transition,
    WaitingFile,
    apply_step,
    derived_state,
    handle_command,
    handle_event,
    handle_program_error,
    tick,
    with_configuration,
    without_readings,
)
from controller.rules import Refusal
from controller.service.command_handler import AccessPolicy, CommandHandler, source_of
from controller.service.guided_setup import GuidedSetUp, SetUpRefusal
from controller.service.heartbeats import Heartbeats
from controller.service.queries import (
    HandFormatter,
    HealthSource,
    Query,
    QueryHandler,
    SetUpCommand,
    can_query,
    parse_query,
)
from controller.service.recorder import JournalLocation, Recorder, with_recording_state
from controller.service.recovery import recover_with_timeout
from controller.service.reply_cache import ReplyCache, encode_command_id
from controller.service.roles import (
    DEALER_ENDPOINT,
    Endpoint,
    PermissionRefusal,
    Permissions,
    RefusedCardLog,
    default_permissions,
)
from controller.service.screen_server import PendingReply, ScreenServer
from controller.service.view_history import StaleRefusal
from controller.steps import Observation, Step, StepSyntaxError, observations, parse_step, table_steps
from controller.table import Table
from controller.view import (
    Alert,
    Command,
    MessageValues,
    RefusalView,
    Reply,
    ServiceMessage,
    TableView,
    pages,
    protocol,
)
from firmware_bridge.clock import monotonic_us
from hardware.badges import (
    ALL_READERS,
    BadgeDidNotSignError,
    BadgeEvent,
    BadgeList,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
)
from hardware.events import KEY_DEVICES, DeviceDown, DeviceUp, Event, KeyPressed
from hardware.spots import COUNT_PAD

TICK_S: Final = protocol.HEARTBEAT_INTERVAL_S
"""Interval in seconds at which the service handles timeouts, the journal, the watchdog and the heartbeat."""
SEQUENCE_BITS: Final = 21
"""Number of low bits in a view's sequence number, which count the views.

The higher bits contain the wall-clock time in seconds at the start of the service. With more low bits, the sequence
numbers would be too large from 2038 on.
"""
MAX_CLOCK_S: Final = 1 << 32
"""Number of seconds after which the sequence numbers start again, so that they are valid with any wrong clock."""
SEATS_AHEAD_IN_FOCUS: Final = 2
"""Number of seats after the seat in turn. Their bet spots are read as often as the bet spot of the seat in turn."""

_logger = logging.getLogger(__name__)
_NO_ACTOR: Final[tuple[pages.Attribution, str]] = ("itself", "")
"""Actor of changes that nobody made, such as a change made by a sensor or by the passage of time."""

Trigger = TypeVar("Trigger", bound="Event | Step | None")
"""Cause of a transition: an event, a step, or None for the passage of time."""


class TableSensors(Protocol):
    """Interface of the hardware that the service needs. `hardware.table_io.TableIO` implements it."""

    def start(self) -> None:
        """Open all devices."""

    def stop(self) -> None:
        """Close all devices."""

    def focus(self, seats: list[int], extra_spots: Sequence[str] = ()) -> None:
        """Read the bet spots of these seats, and `extra_spots`, more often than the others."""

    def set_lamps(self, seats: frozenset[int]) -> None:
        """Light the lamps of these seats and no others."""


class TableService:
    """One table. `open` loads it from its journal, `attach` connects the hardware, and `run` serves until `stop`."""

    def __init__(
        self,
        config: TableConfig,
        live: Live,
        recorder: Recorder | None,
        access_policy: AccessPolicy | None = None,
        query_handler: QueryHandler | None = None,
    ) -> None:
        self.live = with_recording_state(live, is_recorded=recorder is not None and not recorder.is_unrecorded)
        self.sensors: TableSensors | None = None
        self._set_up: GuidedSetUp | None = None
        self._recorder = recorder
        self.config = config
        """The configuration in force."""
        self._build_view = _view_builder(config.display)
        self._sequence = self._service_run = _first_sequence()
        self._query_handler = query_handler or QueryHandler()
        if recorder is not None:
            self._query_handler.append_times = recorder.append_times
        self._last_input_us = monotonic_us()
        """Time of the last input or tick in µs, which is when the alerts of the next view were raised or cleared."""
        self._last_actor: tuple[pages.Attribution, str] = _NO_ACTOR
        """Who last changed the table since the last view, with the label of this person's badge or ""."""
        self._command_handler = CommandHandler(
            access_policy or AccessPolicy(default_permissions()),
            Heartbeats(_first_sequence()),
            *((recorder.journal_name,) if recorder is not None else ()),
        )
        self._reply_cache = ReplyCache(recorder.recent_commands if recorder is not None else ())
        self._refused_cards = RefusedCardLog()
        self._due_view: asyncio.Handle | None = None
        """Call of the loop that will send a view, or None if no view is due."""
        self._error_count = 0
        """Number of program errors since the start."""
        self._stop_requested = asyncio.Event()
        self.view: TableView = self._make_view()
        self._screen_server = ScreenServer(
            self._command_handler.endpoints,
            self.handle_line,
            self._next_heartbeat,
            ServiceMessage(view=self.view),
            lambda error: self._report_program_error(None, error, monotonic_us()),
        )

    @classmethod
    def open(
        cls,
        config: TableConfig,
        location: JournalLocation | Path | None,
        *,
        trays: bool,
        readers: frozenset[str] = frozenset(),
        spots_by_reader: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        access_policy: AccessPolicy | None = None,
        format_hand: HandFormatter | None = None,
        file_faults: tuple[FileFault, ...] = (),
    ) -> TableService:
        """Return the table as its journal has it, or a new table if no journal exists.

        - `location`: the journal with its key, mark files and limits, or only its path, or None to try a table without
          a journal
        - `trays`: True if the table has sensors
        - `readers`: names of the devices that read the sensors
        - `spots_by_reader`: the spots of each of these devices
        - `access_policy`: the permissions, or None for an open table
        - `format_hand`: writes a hand as text when a screen asks for it
        - `file_faults`: files that could not be used, which become alerts

        Raises JournalError with one line if another process writes the journal, or the file is not a journal. The table
        starts in spite of any problem with the disk.
        """
        setup = TableSetup(
            has_sensors=trays,
            readers=readers,
            spots_by_reader=spots_by_reader,
            has_clock=True,
            file_faults=file_faults,
        )
        if location is None:
            return cls(config, Live(setup, config.table), None, access_policy, QueryHandler(format_hand=format_hand))
        journal_location = (
            location if isinstance(location, JournalLocation) else JournalLocation(location, make_guard(location))
        )
        config, live, recorder, hand_log = recover_with_timeout(config, journal_location, setup, monotonic_us())
        return cls(
            config, live, recorder, access_policy, QueryHandler(hand_log, format_hand, str(journal_location.path))
        )

    # --- running ---

    def attach(
        self, sensors: TableSensors, health: HealthSource | None = None, set_up: GuidedSetUp | None = None
    ) -> None:
        """Connect the hardware, which must report its events to `on_event`. `health` returns its counters.

        `set_up` borrows the ports of the hardware for the guided set-up. Without it, the table has no set-up.
        """
        self.sensors = sensors
        self._set_up = set_up
        if set_up is not None:
            self._query_handler.set_up_page = lambda: set_up.page
        self._query_handler.health_source = health or self._query_handler.health_source

    async def run(self, path: Path, *, ready: asyncio.Event | None = None) -> None:
        """Serve screens on the Unix socket `path` until `stop` is called."""
        await self._screen_server.listen(path)
        self._record_badge_list()
        self._forget_badge_readers()
        for device in KEY_DEVICES.values():  # A key that is still faulty is reported again.
            if self.live.device_faults.down.get(device) is not None:
                self.on_event(DeviceUp(device, monotonic_us()))
        if self.sensors is not None:
            self.sensors.start()
        systemd.notify_systemd("READY=1")
        if ready is not None:
            ready.set()
        tick_task = asyncio.create_task(self._run_ticks())
        try:
            await self._stop_requested.wait()
        finally:
            tick_task.cancel()
            if self.sensors is not None:
                self.sensors.stop()
            self._screen_server.close()
            if self._recorder is not None:
                self._recorder.close()
            _logger.info("stopped")

    def use_badge_list(self, badge_list: BadgeList, fault: FileFault | None) -> None:
        """Continue with another list of badges, and report the fault of its file, or that there is none."""
        self.report_file("badges", fault, None)
        self._command_handler.use_badge_list(badge_list)
        self._record_badge_list()

    def use_configuration(self, config: TableConfig) -> bool:
        """Play with another configuration from the next hand. Return False if it could not be recorded yet.

        Only call this between hands. A new journal begins with the present state and the configuration.
        """
        live = with_configuration(self.live, config.table, monotonic_us())
        if self._recorder is not None and not self._recorder.begin_configuration(live, config.text):
            self._set_live(with_recording_state(self.live, is_recorded=not self._recorder.is_unrecorded))
            return False
        self.config, self._build_view = config, _view_builder(config.display)
        self._set_live(live)
        return True

    def use_permissions(self, permissions: Permissions) -> None:
        """Continue with other permissions, which must name the same sockets."""
        self._command_handler.use_permissions(permissions)

    def use_layout(self, layout: LayoutInForce, revalued_chips: int = 0) -> bool:
        """Record that the table is played with another layout or list of chips from now on.

        Only call this between hands. Return False if it could not be recorded yet. The spots are then read again.
        `revalued_chips` is the number of chips at the table that have another value now.
        """
        if self._recorder is not None and not self._recorder.begin_layout(self.live, layout):
            self._set_live(with_recording_state(self.live, is_recorded=not self._recorder.is_unrecorded))
            return False
        revalued = RevaluedChips(revalued_chips, self.live.table.hands_started)
        setup = replace(self.live.setup, revalued_chips=revalued)
        self._set_live(without_readings(self.live)._replace(setup=setup))
        return True

    def report_file(self, kind: FileKind, fault: FileFault | None, waiting: WaitingFile | None) -> None:
        """Show the fault of a file and whether it waits, in place of what was shown about this kind of file."""
        setup = self.live.setup
        faults = tuple(other for other in setup.file_faults if other.kind != kind)
        waits = tuple(other for other in setup.waiting_files if other.kind != kind)
        setup = replace(
            setup,
            file_faults=faults if fault is None else (*faults, fault),
            waiting_files=waits if waiting is None else (*waits, waiting),
        )
        self._set_live(self.live._replace(setup=setup))

    def report_program_error(self, error: Exception) -> None:
        """Log a program error of a task of the service, and show it as an alert."""
        self._report_program_error(None, error, monotonic_us())

    def _record_badge_list(self) -> None:
        """Record size and number of the list of badges, unless the journal has them already."""
        live, count, number = self.live, self._command_handler.badge_count, self._command_handler.badge_list_number
        is_recorded = live.badge_count == count and live.badge_list_number >= number
        if not is_recorded and not derived_state.denies_badges(live):
            self.record_observation(observations.BadgeListLoaded(count, number))

    def _forget_badge_readers(self) -> None:
        """Record faults of badge readers from before the start as over.

        The monitor reports those that remain. A reader that was replaced has another name and would stay down forever.
        """
        for device, reason in self.live.device_faults.down.items():
            if reason is not None and derived_state.is_badge_reader(device):
                self.on_event(DeviceUp(device, monotonic_us()))

    def stop(self) -> None:
        """End `run`."""
        self._stop_requested.set()

    async def _run_ticks(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            error_count = self._error_count
            self._change(lambda live, _, at_us: tick(live, at_us), None)
            self._maintain_journal()
            if self._set_up is not None and self._set_up.has_ports:
                self._set_up.poll(is_hand_in_progress=self.live.table.is_hand_in_progress)
            self._publish_due()
            self._screen_server.send_skipped_views()
            self._screen_server.send_heartbeat()
            self._query_handler.alert_log.write_changes(self.view.table_name)
            if self._error_count == error_count:  # Otherwise systemd restarts the service if no tick succeeds.
                systemd.notify_systemd("WATCHDOG=1")

    def _next_heartbeat(self) -> int:
        return self._command_handler.heartbeats.next_number(monotonic_us())

    # --- inputs, all on the loop's thread ---

    def on_event(self, event: Event) -> None:
        """Handle an event of the hardware. Only the thread of the loop may call this."""

        def press_key(live: Live, key: KeyPressed, at_us: int) -> Transition:
            return self._command_handler.check_key(live, key, handle_event(live, key, at_us))

        change = self._change(press_key, event) if isinstance(event, KeyPressed) else self._change(handle_event, event)
        if change is not None and change.refusal is not None:
            self._record_denial(event, None, change.refusal, change.at_us)

    def on_badge(self, event: BadgeEvent) -> None:
        """Handle an event of a badge reader. Only a proven badge gives rights, and a refused card is recorded."""
        device = (
            derived_state.BADGE_READER
            if event.reader == ALL_READERS
            else derived_state.badge_reader_device(event.reader)
        )
        if isinstance(event, BadgeReaderOffline):
            self.on_event(DeviceDown(device, event.reason_text, event.at_us))
        elif isinstance(event, BadgeReaderOnline):
            self.on_event(DeviceUp(device, event.at_us))
        else:
            self._command_handler.presence.update(event)
            if not isinstance(event, BadgeSeen):
                return
            if event.is_proven and event.role == "dealer":
                self._change_dealer(event)
            if (
                event.refusal not in (None, "unreadable")
                and (refused := self._refused_cards.refusal_to_record(device, event)) is not None
            ):
                self.record_observation(refused)

    def _change_dealer(self, seen: BadgeSeen) -> None:
        """Make the owner of a dealer's badge the dealer of the table, and record the proof of the badge."""
        step = parse_step(f"dealer {seen.name}")
        if not isinstance(step, table_steps.ChangesDealer) or step.name == self.live.table.dealer:
            return
        if self._recorder is None:
            self.apply_step(step)
        elif seen.challenge_context.journal_name in ("", self._recorder.journal_name()):
            # Otherwise a new journal has just begun. The badge soon proves itself for this journal.
            self._recorder.dealer_badge = seen
            self.apply_step(step)
            self._recorder.dealer_badge = None

    def apply_step(self, step: Step) -> Refusal | None:
        """Apply a step that comes from this process, not from a screen.

        Return the refusal or None. Raises JournalError.
        """
        change = self._change(partial(handle_command, source=source_of(step)), step)
        return change.refusal if change is not None else None

    def handle_line(self, line: bytes, endpoint: Endpoint = DEALER_ENDPOINT) -> Reply | PendingReply:
        """Handle a line from a screen. Return the reply, or a function if the reply takes longer.

        When this returns, a view with the effect of the command has already been sent.
        """
        try:
            command = protocol.decode_command(line)
        except protocol.SocketError as error:
            return Reply(id=0, refused=_not_a_step(error))
        try:
            query = parse_query(command.do)
        except StepSyntaxError as error:
            return Reply(id=command.id, refused=_not_a_step(error))
        if query is None:
            return self.handle_step_command(command, endpoint)
        if not can_query(endpoint):
            return Reply(id=command.id, refused=RefusalView(code=PermissionRefusal.NOT_ALLOWED.value))
        if isinstance(query, SetUpCommand):
            return self._answer_set_up(command, query, endpoint)
        return partial(self._answer_query, command, query)

    def handle_step_command(self, command: Command, endpoint: Endpoint = DEALER_ENDPOINT) -> Reply:
        """Handle a command that is a step, and return the reply."""
        # Clients of different sockets may have the same name, so add the name of the socket.
        if endpoint.name != DEALER_ENDPOINT.name:
            command = msgspec.structs.replace(command, client=f"{endpoint.name}/{command.client}")
        try:
            step = parse_typed_step(command.do)
        except StepSyntaxError as error:
            return Reply(id=command.id, refused=_not_a_step(error))
        return self._reply_cache.reply_once(command, partial(self._execute, command, step, endpoint))

    def _answer_set_up(self, command: Command, touch: SetUpCommand, endpoint: Endpoint) -> Reply:
        """Handle a touch on a key of the guided set-up. Return its page, or why the touch is refused."""
        if self._set_up is None:
            return Reply(id=command.id, refused=RefusalView(code=SetUpRefusal.NO_SET_UP.value))
        if touch.word != "cancel":  # Everybody may give the readers back to the table.
            refusal = self._command_handler.set_up_refusal(endpoint, command, self.live, monotonic_us())
            if refusal is not None:
                return Reply(id=command.id, refused=presenter.build_refusal_view(refusal))
        badge = self._command_handler.presence.active_badge(monotonic_us())
        self._set_up.handle(touch, badge.label if badge is not None else endpoint.name)
        return Reply(id=command.id, page=self._set_up.page)

    async def _answer_query(self, command: Command, query: Query) -> Reply:
        """Return the reply to a query. If a program error occurs, only this query fails."""
        try:
            page = await self._query_handler.build_page(query, self.live)
        except Exception:
            _logger.exception("a query failed because of a program error")
            page = RefusalView(code="fault")
        if isinstance(page, RefusalView):
            return Reply(id=command.id, refused=page)
        return Reply(id=command.id, page=page)

    def _execute(self, command: Command, step: Step, endpoint: Endpoint) -> RefusalView | None:
        """Execute the step of a command. Return the refusal or None."""
        try:
            change = self._change(
                partial(self._command_handler.decide, command=command, endpoint=endpoint), step, command
            )
        except JournalError as error:  # The text is too long to be recorded.
            return _not_a_step(error)
        if change is None:
            self._publish_due()
            return RefusalView(code="fault")
        if change.refusal is None:
            self._command_handler.note_accepted(step, change)
            self._publish()  # Send a view even if nothing visible changed: the next command must name a later view.
            return None
        self._record_denial(endpoint, step, change.refusal, change.at_us)
        self._publish_due()
        refused = presenter.build_refusal_view(change.refusal)
        return msgspec.structs.replace(refused, is_sticky=change.refusal.code is StaleRefusal.TOO_LATE)

    # --- changes ---

    def _record_denial(self, cause: Endpoint | Event, step: Step | None, refusal: Refusal, at_us: int) -> None:
        """Record that a command or key was denied because its sender had no permission."""
        if (denial := self._command_handler.denial_to_record(cause, step, refusal, at_us)) is not None:
            self.record_observation(denial)

    def record_observation(self, observation: Observation) -> None:
        """Record an observation of the service, such as a denied command."""

        def decide(live: Live, _: None, at_us: int) -> Transition:
            next_live = apply_step(live, observation, "sensor", at_us)[0]
            return Transition(next_live, (RecordedStep(observation, "sensor"),), at_us=at_us, states=(next_live,))

        self._change(decide, None)

    def _change(
        self, decide: Callable[[Live, Trigger, int], Transition], about: Trigger, command: Command | None = None
    ) -> Transition | None:
        """Call `decide` to get a transition (a new state and its steps), record the steps, and apply the state.

        Return the transition, or a refusal if a badge had to sign a step and did not. After a program error, return
        None and keep the state. The error is logged and becomes an alert. Raises JournalError if the step of a command
        cannot be written.
        """
        self._last_input_us = at_us = monotonic_us()
        try:
            change = decide(self.live, about, at_us)
            self._commit(change, at_us, command)
        except BadgeDidNotSignError:
            return Transition(self.live, refusal=Refusal(PermissionRefusal.BADGE_SILENT), at_us=at_us)
        except Exception as error:
            if isinstance(error, JournalError) and isinstance(about, Step):
                raise
            self._report_program_error(about, error, at_us)
            return None
        return change

    def _report_program_error(self, about: Event | Step | None, error: Exception, at_us: int) -> None:
        """Log a program error, and show it as an alert."""
        self._error_count += 1
        cause = type(about).__name__ if about is not None else "the passage of time"
        _logger.exception("a program error while handling %s", cause, exc_info=error)
        try:
            self._commit(handle_program_error(self.live, about, f"{type(error).__name__}: {error}", at_us), at_us)
        except Exception:
            _logger.exception("the alert about a program error failed as well")

    def _commit(self, change: Transition, at_us: int, command: Command | None = None) -> None:
        """Record the steps of a transition (a new state and its steps), and apply the new state.

        Raises JournalError if a step cannot be written, and BadgeDidNotSignError if a badge does not sign a step.
        """
        live = change.live
        badge = self._command_handler.presence.active_badge(at_us) if change.steps else None
        if change.steps and self._recorder is not None:
            self._recorder.badge = badge
            command_id = encode_command_id(command, change.refusal) if command is not None else ""
            live = self._recorder.record(change.steps, at_us, live, command_id)
        if change.steps:
            label = badge.label if badge is not None else ""
            self._query_handler.hand_log.add_transition(self.live, change, badge=label)
            self._last_actor = _actor_of(change.steps, badge) or self._last_actor
        self._set_live(live)

    def _maintain_journal(self) -> None:
        """Maintain the journal, and report the problems of its key, mark and disk as device failures."""
        if self._recorder is not None:
            try:
                self._set_live(self._recorder.maintain(self.live, monotonic_us()))
                for device, error_text in self._recorder.device_errors.items():
                    self._report_device(device, error_text)
            except Exception as error:
                self._report_program_error(None, error, monotonic_us())

    def _report_device(self, device: str, error_text: str) -> None:
        """Report a device of the journal as down or up if its state has changed."""
        if bool(error_text) is (self.live.device_faults.down.get(device) is None):
            at_us = monotonic_us()
            self.on_event(DeviceDown(device, error_text, at_us) if error_text else DeviceUp(device, at_us))

    def _set_live(self, live: Live) -> None:
        if live is not self.live:
            _log_devices(self.live.device_faults.down, live.device_faults.down)
            self.live = live
            self._schedule_view()

    # --- views ---

    def _schedule_view(self) -> None:
        """Send a view once all inputs that arrived together have been handled."""
        if self._due_view is None:
            self._due_view = asyncio.get_running_loop().call_soon(self._publish)

    def _publish_due(self) -> None:
        """Send a view if one is due."""
        if self._due_view is not None:
            self._publish()

    def _publish(self) -> None:
        try:
            self.view = self._make_view()
        except Exception as error:
            self._report_program_error(None, error, monotonic_us())
            self.view = self._view_with_error()
        if self._due_view is not None:
            self._due_view.cancel()
            self._due_view = None
        self._screen_server.send_view(ServiceMessage(view=self.view))
        if self.sensors is not None:
            turn = self.view.turn
            self.sensors.set_lamps(frozenset({turn} if turn else ()))
            self.sensors.focus(seats_in_focus(self.live.table), (COUNT_PAD,) if self.live.pad.pad_count else ())

    def _make_view(self) -> TableView:
        self._sequence += 1
        view = msgspec.structs.replace(self._build_view(self.live, self._sequence), service_run=self._service_run)
        self._command_handler.view_history.add_view(self._sequence, self.live.table, view.turn)
        alert_log, at_us = self._query_handler.alert_log, self._last_input_us
        alert_log.update(view.alerts, at_us, hand=view.hand_number, actor=self._last_actor)
        self._last_actor = _NO_ACTOR
        return view

    def _view_with_error(self) -> TableView:
        """Return the last view with an alert added. It is sent if a program error prevents a new view."""
        alert = Alert(code="failed", level="warning")
        others = tuple(other for other in self.view.alerts if other.key != alert.key)
        return msgspec.structs.replace(self.view, sequence=self._sequence, alerts=(alert, *others))


def _view_builder(display: DisplaySettings) -> Callable[[Live, int], TableView]:
    """Return the function that builds a view from a state and a sequence number."""
    return partial(
        presenter.build_table_view,
        name=display.name,
        money=display.money,
        show_pot=display.show_pot,
        chip_colours=display.colours_of_chips,
    )


def _actor_of(steps: Sequence[RecordedStep], badge: BadgeSeen | None) -> tuple[pages.Attribution, str] | None:
    """Return who did the last of these steps, with the label of the badge. Return None if no person did any step."""
    for _, source in reversed(steps):
        if source == "dealer":
            return "dealer", ""
        if source == "floor":  # Steps that the badge of a technician allows also have the source "floor".
            actor: pages.Attribution = "technician" if badge is not None and badge.role == "technician" else "floor"
            return actor, badge.label if badge is not None else ""
    return None


def _first_sequence() -> int:
    """Return the sequence number of the first view after a start of the service.

    No two starts may use the same numbers. Otherwise a command for a view from before a restart could be accepted for
    another view. The numbers grow with the clock, and a random part keeps them different even if the clock was set
    back.
    """
    return (int(time.time()) % MAX_CLOCK_S << SEQUENCE_BITS) + secrets.randbelow(1 << SEQUENCE_BITS - 1)


def _not_a_step(error: Exception) -> RefusalView:
    return RefusalView(code="not-a-step", values=MessageValues(reason=str(error)))


def seats_in_focus(table: Table) -> list[int]:
    """Return the seats to read most often: the seat in turn and the next seats that will act."""
    hand = table.hand
    if hand is None or not table.is_hand_in_progress or hand.turn not in hand.dealt_seats:
        return []
    position = hand.dealt_seats.index(hand.turn)
    seats_in_order = (*hand.dealt_seats[position:], *hand.dealt_seats[:position])
    return [seat for seat in seats_in_order if seat in hand.seats_to_act][: SEATS_AHEAD_IN_FOCUS + 1]


def _log_devices(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> None:
    """Log each device that has failed, with the reason, or that works again."""
    if before is after:
        return
    for device, reason in after.items():
        if reason is not None and before.get(device) != reason:
            _logger.warning("device %s: down, %s", device, reason)
        elif reason is None and before.get(device) is not None:
            _logger.info("device %s: up", device)
