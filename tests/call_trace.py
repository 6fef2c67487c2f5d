"""Trace the calls between modules that chips or touches cause in a running service.

`python -m tests.call_trace` starts a service with a journal on disk, in the middle of a hand. The program then follows
three events:

- The seat in turn puts in chips. The first path ends when the bet is on disk, the second when the view shows it.
- A seat that is not in turn puts in chips. Its two paths end at the same moments.
- The dealer touches keys for a raise. The path ends when the screen shows the raise.

For each path the program prints the number of calls that go from one module of the project to another. `--path` also
lists the modules and functions of every path. `--json` prints the modules of every path as JSON.

A resumed generator counts as a call, and a return does not. Methods that a decorator has generated, such as `__init__`
and `__eq__` of a dataclass, do not count. They have no lines to read, and Python calls `__eq__` more or less often,
depending on the hashes in this run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple
from unittest import mock

# --- entry points: the only part that depends on the structure of the program ---
from controller.config import parse_config
from controller.journal import DiskWorker, Journal
from controller.service import TableService, table_service
from controller.steps import hand_steps
from firmware_bridge.clock import monotonic_us
from hardware.events import Chip, StackProvisional, StackSettled
from hardware.spots import bet_spot
from tests.service.service_process import CONFIG, DEADLINE_S
from ui import state as screen
from ui.client import Client, Handlers
from ui.scene import lay_out_scene
from ui.state import NamedKey, PadDigit, Target

PACKAGES = ("controller", "firmware_bridge", "hardware", "ui")
APPEND_CODE: CodeType = Journal.append.__code__
"""Code of `Journal.append`, which returns when the record is on disk."""
GENERATED_FILE = "<string>"
"""File name in the code of methods that a decorator has generated."""
POT_LIMIT = CONFIG + 'structure = "pot-limit"\n'


def open_service(journal: Path, *, trays: bool) -> TableService:
    """Return a service before the first hand. Seat 2 will post 5, and seat 3 will post 10."""
    return TableService.open(parse_config(POT_LIMIT), journal, trays=trays)


def without_ticks() -> contextlib.AbstractContextManager[object]:
    """Return a context without the periodic work of the service, because such work would interrupt a path."""
    return mock.patch.object(table_service, "TICK_S", 3600.0)


def detect_chips(service: TableService, seat: int, *chips: int) -> Callable[[], None]:
    """Report chips that may still move, and return the function that reports the chips as settled."""
    stack = tuple(Chip(f"E00401500000{seat:02}{index:02}", chip) for index, chip in enumerate(chips))
    service.on_event(StackProvisional(bet_spot(seat), stack, (), (), False, monotonic_us()))
    settled = StackSettled(bet_spot(seat), stack, (), (), False, monotonic_us())
    return lambda: service.on_event(settled)


class WindowlessScreen:
    """Dealer's screen without a window.

    The screen calls `shown` each time that it has laid out a new view.
    """

    def __init__(self, socket: Path, shown: Callable[[], None]) -> None:
        self._state = screen.ScreenState()
        self._client = Client(socket)
        self._shown = shown

    async def run(self) -> None:
        await self._client.run(Handlers(self._show, _fail, _fail, _fail))

    def _show(self, view: Any) -> None:
        self._state = screen.show_view(self._state, view)
        lay_out_scene(self._state)
        self._shown()

    def touch(self, *keys: Target) -> None:
        """Touch the keys one after the other.

        The screen does not lay out a new scene after each digit of an amount.
        """
        for key in keys:
            self._state, step = screen.press_target(self._state, key)
            if step is not None:
                assert self._client.send(step.do, step.view_sequence)


RAISE = (NamedKey.RAISE, PadDigit("3"), PadDigit("0"), NamedKey.OK)

# --- the tracer ---


class Call(NamedTuple):
    """Call of a function of this project during a trace."""

    module: str
    function: str


class CallPath(NamedTuple):
    """Calls on one path in their order, for example from chips on a spot to the record on disk."""

    name: str
    calls: tuple[Call, ...]

    @property
    def module_changes(self) -> int:
        """Return the number of calls on the path that go from one module to another."""
        return len(self.module_calls) - 1

    @property
    def modules(self) -> list[str]:
        """Return each module of the path once, in the order of the first calls."""
        return list(dict.fromkeys(call.module for call in self.calls))

    @property
    def module_calls(self) -> list[tuple[str, list[str]]]:
        """Return the modules in the order of the calls, each with the functions called there before the next module.

        A module appears again each time that a later call returns to this module.
        """
        module_calls = []
        for module, calls in groupby(self.calls, lambda call: call.module):
            names = ((name, len(list(same))) for name, same in groupby(call.function for call in calls))
            module_calls.append((module, [name if count == 1 else f"{name} ×{count}" for name, count in names]))
        return module_calls


class CallTracer:
    """Recorder of the calls of project functions, and of the moment when a record was on disk.

    The recorder follows the calling thread, and the disk worker's thread while the calling thread waits for it.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.record_index = 0

    def _record(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call":
            module = str(frame.f_globals.get("__name__"))
            if module.partition(".")[0] in PACKAGES and code.co_filename != GENERATED_FILE:
                self.calls.append(Call(module, code.co_qualname.replace(".<locals>", "")))
        elif event == "return" and code is APPEND_CODE:
            self.record_index = len(self.calls)

    @contextlib.contextmanager
    def tracing(self) -> Iterator[None]:
        """Record calls until the context ends or `stop` is called."""
        before = sys.getprofile()
        with mock.patch.object(DiskWorker, "run", self._traced(DiskWorker.run)):
            sys.setprofile(self._record)
            try:
                yield
            finally:
                sys.setprofile(before)

    def _traced(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for `DiskWorker.run` that also records the calls in the thread of the disk worker."""

        def traced_run(worker: DiskWorker, work: Callable[[], Any], *limits: Any) -> Any:
            caller_profile = sys.getprofile()
            if caller_profile is None:  # The trace has stopped.
                return run(worker, work, *limits)

            def traced_work() -> Any:
                sys.setprofile(self._record)
                try:
                    return work()
                finally:
                    sys.setprofile(None)

            # While the thread of the disk works, the calling thread is not traced, because its calls would come between
            # those of the disk worker in another order in each run.
            self.calls.append(Call(DiskWorker.__module__, "DiskWorker.run"))
            sys.setprofile(None)
            try:
                return run(worker, traced_work, *limits)
            finally:
                sys.setprofile(caller_profile)

        return traced_run

    def stop(self) -> None:
        """Stop recording."""
        sys.setprofile(None)

    def call_paths(self, name: str) -> tuple[CallPath, CallPath]:
        """Return two paths: the calls until the record is on disk, and the calls after it."""
        assert self.record_index, f"{name}: expected a record in the journal, none was written"
        return (
            CallPath(f"{name} to record", tuple(self.calls[: self.record_index])),
            CallPath(f"{name} from record to view", tuple(self.calls[self.record_index :])),
        )


# --- paths ---


@contextlib.asynccontextmanager
async def service_in_hand(folder: Path, *, trays: bool) -> AsyncIterator[TableService]:
    """Run a service that is in the first betting round of a hand. Seat 4 is in turn, then seats 1, 2 and 3."""
    service = open_service(folder / "journal", trays=trays)
    ready = asyncio.Event()
    service_task = asyncio.create_task(service.run(folder / "socket", ready=ready))
    try:
        await ready.wait()
        assert service.apply_step(hand_steps.StartsHand()) is None
        for seat, chips in ((2, (5,)), (3, (5, 5))) if trays else ():
            detect_chips(service, seat, *chips)()
        await asyncio.sleep(0)  # The pause lets the service build the view.
        assert (service.view.turn, service.view.pot) == (4, 15)
        yield service
    finally:
        service.stop()
        await service_task


async def trace_chips(folder: Path, seat: int, name: str) -> tuple[CallPath, CallPath]:
    """Return the path from chips worth 30 to the record, and the path from the record to the view."""
    async with service_in_hand(folder, trays=True) as service:
        settle = detect_chips(service, seat, 25, 5)
        await asyncio.sleep(0)  # The pause lets the service build the view with the chips that may still move.
        before, tracer = service.view, CallTracer()
        with tracer.tracing():
            settle()
            await asyncio.sleep(0)
        assert service.view.sequence > before.sequence
        return tracer.call_paths(name)


async def trace_touch(folder: Path) -> CallPath:
    """Return the path from the touches RAISE, 3, 0 and OK until the screen shows the raise, without seat sensors."""
    tracer, shown = CallTracer(), asyncio.Event()

    def on_shown() -> None:
        tracer.stop()
        shown.set()

    async with service_in_hand(folder, trays=False) as service:
        dealer_screen = WindowlessScreen(folder / "socket", on_shown)
        screen_task = asyncio.create_task(dealer_screen.run())
        async with asyncio.timeout(DEADLINE_S):
            await shown.wait()
            shown.clear()
            with tracer.tracing():
                dealer_screen.touch(*RAISE)
                await shown.wait()
        assert (service.view.turn, service.view.pot) == (1, 45)
        screen_task.cancel()
        await asyncio.gather(screen_task, return_exceptions=True)
    return CallPath("touch", tuple(tracer.calls))


def _fail(reason: object) -> None:
    raise AssertionError(str(reason))


async def _all_paths() -> list[CallPath]:
    with without_ticks(), contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        chip_record, chip_view = await trace_chips(folders[0], 4, "chip")
        return [chip_record, chip_view, await trace_touch(folders[1]), *await trace_chips(folders[2], 1, "out of turn")]


def measure() -> list[CallPath]:
    """Return the paths of a bet by chips, of a raise by touches, and of chips out of turn."""
    asyncio.run(_all_paths())  # The first run only fills the caches, as the first hand of a table does.
    return asyncio.run(_all_paths())


def main() -> None:
    """Print the number of calls from one module to another on every path."""
    parser = argparse.ArgumentParser(description="Count the module changes on the main paths through the program.")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object with the modules of each path in order"
    )
    parser.add_argument("--path", action="store_true", help="print each path module by module")
    options = parser.parse_args()
    paths = measure()
    if options.json:
        print(json.dumps({path.name: [module for module, _ in path.module_calls] for path in paths}))
        return
    for path in paths:
        print(f"{path.name}: {path.module_changes} changes between {len(path.modules)} modules")
        for module, functions in path.module_calls if options.path else ():
            print(f"    {module}: {', '.join(functions)}")


if __name__ == "__main__":
    main()
