"""The guided set-up on the screen: find the wiring, take up chips, and measure antennas while the service runs.

A set-up borrows the serial ports from the sensors of the table. It runs in a thread of its own with the same code as
the commands `find`, `enroll` and `tune`. Meanwhile the readers are down for the table, so that no chip of the set-up
becomes a bet, and play by touches goes on. The ports are given back at the end, also after an error, a start of a hand,
or some minutes without a touch or progress.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import logging
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from controller.service.queries.requests import SetUpCommand
from controller.steps import Observation, observations
from controller.view import pages
from firmware_bridge.clock import monotonic_us
from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.layout import TableLayout, chip_register_of, parse_layout
from hardware.spots import COUNT_PAD
from hardware.text_input_validation import BadInputError, read_file, to_one_line

if TYPE_CHECKING:
    from hardware.guided_setup import Antenna, Button, DeviceBench, DeviceKind, LayoutChange, Reading

IDLE_TIMEOUT_US: Final = 300_000_000
"""Time in µs without a touch or progress after which a set-up ends. A technician may have to fetch chips."""
TUNE_HEIGHTS: Final = (5, 10, 15, 20)
"""Heights of the stacks that are measured, as in the command `tune`."""
MAX_LAYOUT_BYTES: Final = 4_000_000
MAX_REGISTER_BYTES: Final = 32_000_000
WAIT_S: Final = 0.1
"""Interval in seconds at which a set-up that waits for a touch checks whether it was cancelled."""
FALLBACK_SUFFIX: Final = ".new"
"""Suffix of a layout or list of chips that the service writes into the folder of its journal."""

_logger = logging.getLogger(__name__)
_Result: TypeAlias = tuple[pages.SetUpPage, "_NewFile | None"]
"""The last page of a task, and the file that WRITE writes, or None."""


class SetUpRefusal(StrEnum):
    """Reasons why a touch on a key of the guided set-up is refused."""

    HAND_IN_PROGRESS = "hand-in-progress"
    NO_SET_UP = "no-set-up"
    """The table has no readers, or no layout file of its own."""


class _NewFile(NamedTuple):
    """A file to write: the path, the text that it had before, and the new text."""

    path: Path
    old_text: bytes
    new_text: bytes
    replaces: bool
    """True if the file itself is replaced, if the service may write it. A list of chips must be signed first."""


class _CancelledError(PotkeeperError):
    """Raised in the thread of a set-up after CANCEL."""

    fault: ClassVar[FaultSource] = "person"


class SharedPorts(Protocol):
    """The sensors of the table, which lend their ports. `hardware.table_io.TableIO` implements it."""

    def pause(self) -> None:
        """Close all ports."""

    def resume(self) -> None:
        """Open all ports again."""


class GuidedSetUp:
    """The set-up of a table. Call all methods in the thread of the loop.

    `layout_path` is the layout of the table. A file that the service may not write is written into `folder`, the folder
    of the journal, from where a technician copies it.
    """

    def __init__(
        self,
        layout: TableLayout,
        layout_path: Path,
        folder: Path | None,
        ports: SharedPorts,
        record: Callable[[Observation], None],
    ) -> None:
        self.page = pages.SetUpPage()
        self._layout, self._layout_path, self._folder, self._ports = layout, layout_path, folder, ports
        self._record = record
        self._user = ""
        """Label of the badge, or name of the socket, of the person who touched a key last."""
        self._new_file: _NewFile | None = None
        self._touches: SimpleQueue[SetUpCommand] = SimpleQueue()
        self._cancelled = Event()
        self._thread: Thread | None = None
        self._has_ports = False
        self._active_us = 0

    @property
    def has_ports(self) -> bool:
        """Return True while a task has the serial ports, so that the table has no readers."""
        return self._thread is not None and self._has_ports

    def handle(self, command: SetUpCommand, user: str) -> None:
        """Handle a touch of this user on a key of the page. A touch that no longer fits is ignored."""
        self._active_us, self._user = monotonic_us(), user
        match command.word:
            case "cancel" | "discard":
                self.cancel()
            case "enroll" if not command.number:
                pass
            case "find" | "enroll" | "tune" if self._thread is None:
                self._start(command)
            case "write" if self._thread is None and self._new_file is not None:
                new_file, self._new_file = self._new_file, None
                self._run(lambda: (self._write(new_file), None), has_ports=False)
            case _:
                self._touches.put(command)

    def cancel(self) -> None:
        """End a task, or discard its result. A task gives the ports back after its present reading.

        A file that is being written is written to its end.
        """
        if self.has_ports:
            self._cancelled.set()
        elif self._thread is None:
            self.page, self._new_file = pages.SetUpPage(), None

    def poll(self, *, is_hand_in_progress: bool) -> None:
        """Cancel a task when a hand starts, or after a long time without a touch or progress."""
        if is_hand_in_progress or monotonic_us() - self._active_us > IDLE_TIMEOUT_US:
            self.cancel()

    def _start(self, command: SetUpCommand) -> None:
        tasks: dict[pages.SetUpTask, Callable[[DeviceBench], _Result]] = {
            "find": self._find,
            "enroll": lambda bench: self._enroll(bench, command.number),
            "tune": self._tune,
        }
        name = next(name for name in tasks if name == command.word)
        self.page, self._new_file = pages.SetUpPage(task=name, stage="opening"), None
        self._run(lambda: self._with_bench(tasks[name], needs_boards=name == "find"), has_ports=True)

    def _run(self, work: Callable[[], _Result], *, has_ports: bool) -> None:
        """Do work in a thread, and show its result."""
        loop, task, starter = asyncio.get_running_loop(), self.page.task, self._user
        self._cancelled.clear()
        self._touches = SimpleQueue()
        self._has_ports = has_ports
        if has_ports:
            self._ports.pause()

        def run() -> None:
            try:
                result = work()
            except _CancelledError:
                result = pages.SetUpPage(), None
            except Exception as error:
                if not isinstance(error, BadInputError):
                    _logger.exception("the set-up failed")
                text = str(error) if isinstance(error, BadInputError) else f"{type(error).__name__}: {error}"
                result = pages.SetUpPage(task=task, stage="result", error=to_one_line(text)), None
            with contextlib.suppress(RuntimeError):  # The loop has ended.
                loop.call_soon_threadsafe(self._finish, result, task, starter)

        self._thread = Thread(target=run, daemon=True)
        self._thread.start()

    def _finish(self, result: _Result, task: str, starter: str) -> None:
        self._thread = None
        if self._has_ports:
            self._ports.resume()
        self.page, self._new_file = (pages.SetUpPage(), None) if self._cancelled.is_set() else result
        for note in self.page.notes:
            _logger.info("set-up: %s", note.text)
        if self.page.error:
            _logger.warning("set-up: %s", self.page.error)
        if self.page.path:
            _logger.info("set-up: %s written", self.page.path)
            self._record(observations.SetUpUsed(self.page.task, f"{Path(self.page.path).name} written by {self._user}"))
        elif self._has_ports:
            self._record(observations.SetUpUsed(task, f"ended, started by {starter}"))

    # --- in the thread of the task ---

    def _with_bench(self, task: Callable[[DeviceBench], _Result], *, needs_boards: bool) -> _Result:
        from hardware.guided_setup import SerialBench

        kinds: dict[str, DeviceKind] = {reader.port: reader.protocol for reader in self._layout.readers}
        kinds |= {panel.port: "panel" for panel in self._layout.panels}
        with SerialBench(kinds, self._layout.sensing) as bench:
            readers = {reader.name for reader in self._layout.readers}
            silent = [
                f"{name} at {port}"
                for name, port in self._layout.ports.items()
                if port not in bench.kinds and (needs_boards or name in readers)
            ]
            if silent:
                raise BadInputError(f"{', '.join(silent)}: nothing answers, expected a device")
            return task(_CancellableBench(bench, self._check_cancelled))

    def _find(self, bench: DeviceBench) -> _Result:
        from hardware.guided_setup import FindRun, button_names, with_wiring

        text = self._read_layout()
        run = FindRun(bench, self._layout.spot_antennas.spots, button_names(self._layout))
        dialogue = run.dialogue
        while (prompt := dialogue.prompt) is not None:
            stage: pages.SetUpStage = "lift" if prompt.kind == "chip" and dialogue.must_lift_chip else prompt.kind
            self._show("find", stage, dialogue.step, name=prompt.name, total=dialogue.step_count)
            for touch in self._next_touches():
                if touch == SetUpCommand("skip", dialogue.step):
                    run.skip()
                elif touch == SetUpCommand("back", dialogue.step):
                    dialogue.back()
            if dialogue.prompt == prompt:
                run.do_round()
        change = with_wiring(text.decode(), dialogue.wiring(bench.serials), str(self._layout_path))
        return self._result("find", text, change)

    def _tune(self, bench: DeviceBench) -> _Result:
        from hardware.guided_setup import SpotSkippedError, measure_antennas, with_heights

        text = self._read_layout()
        spots = self._layout.spot_antennas.spots
        total = len(spots) * len(TUNE_HEIGHTS)

        def ask(spot: str, height: int) -> None:
            step = spots.index(spot) * len(TUNE_HEIGHTS) + TUNE_HEIGHTS.index(height)
            self._show("tune", "stack", step, name=spot, count=height, total=total)
            if self._wait_for_touch(step, "ready", "skip") == "skip":
                raise SpotSkippedError
            self._show("tune", "measuring", step, name=spot, count=height, total=total)

        reports = measure_antennas(bench, self._layout, spots, TUNE_HEIGHTS, ask)
        change = with_heights(text.decode(), reports, datetime.date.today(), str(self._layout_path))
        verdicts = [
            pages.SetUpNote(code=report.verdict, name=report.spot, other=report.better_spot,
                            text=f"{report.spot}: {report.verdict}")
            for report in reports
            if report.verdict != "good"
        ]  # fmt: skip
        return self._result("tune", text, change, verdicts)

    def _enroll(self, bench: DeviceBench, denomination: int) -> _Result:
        from hardware.chip_register import load_chip_list, strip_signature
        from hardware.guided_setup import Antenna, Enrolment, read_pile

        register = chip_register_of(self._layout_path)
        if register is None:
            raise BadInputError(f"{self._layout_path}: chips: no register, expected chips.register")
        spots = self._layout.spot_antennas
        place = spots[COUNT_PAD if COUNT_PAD in spots else spots.spots[0]]
        antenna = Antenna(self._layout.ports[place.reader], place.antenna)
        enrolment, step = Enrolment(load_chip_list(*register), denomination), 0
        notes: tuple[pages.SetUpNote, ...] = ()
        while True:
            taken = len(enrolment.tags)
            self._show("enroll", "pile", step, name=place.spot, count=taken, amount=denomination, notes=notes)
            if self._wait_for_touch(step, "ready", "finish") == "finish":
                break
            tags = read_pile(bench, antenna)
            step += 1
            self._show("enroll", "counted", step, name=place.spot, count=len(tags), amount=denomination)
            notes = ()
            if self._wait_for_touch(step, "take", "skip") == "take":
                notes = tuple(
                    pages.SetUpNote(
                        code="twice" if problem.kind == "twice" else "listed", name=problem.tag, text=str(problem)
                    )
                    for problem in enrolment.add_pile(tags, len(tags))
                )
            step += 1
        if not enrolment.tags:
            return pages.SetUpPage(), None
        old = read_file(register[0], MAX_REGISTER_BYTES)
        new = enrolment.next_list(strip_signature(old), str(register[0]))
        page = pages.SetUpPage(
            task="enroll", stage="result", count=len(enrolment.tags), amount=denomination, can_write=True
        )
        return page, _NewFile(register[0], old, new, replaces=False)

    def _read_layout(self) -> bytes:
        """Return the text of the layout. Raises BadInputError at the beginning of a task, if it cannot be used."""
        text = read_file(self._layout_path, MAX_LAYOUT_BYTES)
        parse_layout(text.decode(errors="replace"), str(self._layout_path))
        return text

    def _result(
        self, task: pages.SetUpTask, old: bytes, change: LayoutChange, verdicts: Sequence[pages.SetUpNote] = ()
    ) -> _Result:
        notes = [
            pages.SetUpNote(
                code=note.code, name=note.name, other=note.other, place=note.place, height=note.height, text=str(note)
            )
            for note in change.notes
        ]
        new = change.text.encode()
        page = pages.SetUpPage(task=task, stage="result", notes=(*verdicts, *notes), can_write=new != old)
        return page, _NewFile(self._layout_path, old, new, replaces=True) if new != old else None

    def _write(self, new_file: _NewFile) -> pages.SetUpPage:
        """Write a file in its place, or into the folder of the journal if the service may not write there."""
        from hardware.file_replacement import replace_file
        from hardware.guided_setup import write_layout

        path = new_file.path
        if read_file(path, MAX_REGISTER_BYTES) != new_file.old_text:
            raise BadInputError(f"{path}: was changed meanwhile, expected the same file as before. Start again")
        page = pages.SetUpPage(task=self.page.task, stage="written", path=str(path))
        if new_file.replaces:
            with contextlib.suppress(BadInputError):
                write_layout(path, new_file.new_text.decode())
                return page
        if self._folder is None:
            raise BadInputError(f"{path}: cannot be written, and there is no journal with a folder to write to")
        beside = self._folder / (path.name + FALLBACK_SUFFIX)
        try:
            with replace_file(beside) as file:
                file.write(new_file.new_text)
        except OSError as error:
            raise BadInputError(f"{beside}: {error.strerror}, expected a file that can be written") from None
        return msgspec.structs.replace(page, path=str(beside), copy_to=str(path) if new_file.replaces else "")

    def _show(
        self,
        task: pages.SetUpTask,
        stage: pages.SetUpStage,
        step: int,
        *,
        name: str,
        count: int = 0,
        total: int = 0,
        amount: int = 0,
        notes: tuple[pages.SetUpNote, ...] = (),
    ) -> None:
        page = pages.SetUpPage(
            task=task, stage=stage, step=step, name=name, count=count, total=total, amount=amount, notes=notes
        )
        if page != self.page:
            self.page, self._active_us = page, monotonic_us()

    def _next_touches(self) -> list[SetUpCommand]:
        touches: list[SetUpCommand] = []
        with contextlib.suppress(Empty):
            while True:
                touches.append(self._touches.get_nowait())
        return touches

    def _wait_for_touch(self, step: int, *words: str) -> str:
        """Return the word of the next touch on one of these keys at this step."""
        while True:
            self._check_cancelled()
            with contextlib.suppress(Empty):
                touch = self._touches.get(timeout=WAIT_S)
                if touch.number == step and touch.word in words:
                    return touch.word

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise _CancelledError


class _CancellableBench:
    """A bench that ends a set-up at its next reading after CANCEL. It implements `DeviceBench`."""

    def __init__(self, bench: DeviceBench, check: Callable[[], None]) -> None:
        self._bench, self._check = bench, check

    @property
    def kinds(self) -> Mapping[str, DeviceKind]:
        """Return what answers at each port (see `DeviceBench`)."""
        return self._bench.kinds

    @property
    def serials(self) -> Mapping[str, str]:
        """Return the serial numbers of the devices (see `DeviceBench`)."""
        return self._bench.serials

    def read(self, antenna: Antenna) -> Reading:
        """Return the result of an inventory (see `DeviceBench`)."""
        self._check()
        return self._bench.read(antenna)

    def presses(self) -> Sequence[Button]:
        """Return the buttons that were pressed (see `DeviceBench`)."""
        self._check()
        return self._bench.presses()
