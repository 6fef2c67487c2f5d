"""The ways through the modules: from an event to its record, from there to the view, from a touch to the screen.

`python -m tests.ways` plays them on a service with a journal on disk, in the middle of a hand, and counts the changes
of module: each call of a function of this project in another module than the call before it. A generator that goes on
is a call; a return is none. Methods that a decorator made belong to the module of their class. `--path` prints each
way, `--json` its modules for a program.
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

# --- the entry points: all that has to be changed where the house is rebuilt ---
from controller.config import read_config
from controller.journal import Clerk, Journal
from controller.service import Service, process
from controller.table import StartsHand
from firmware_bridge.clock import monotonic_us
from hardware.events import Chip, StackComplete, StackSeen
from hardware.spots import bet_spot
from tests.service.running import CONFIG, DEADLINE_S
from ui import state as screen
from ui.client import Client, Handlers
from ui.scene import lay_out
from ui.state import Digit, NamedKey, Target

PACKAGES = ("controller", "firmware_bridge", "hardware", "ui")
WRITTEN: CodeType = Journal.append.__code__
"""When it returns, the record is on disk."""
POT_LIMIT = CONFIG + 'structure = "pot-limit"\n'


def opened(journal: Path, *, trays: bool) -> Service:
    """Four players, blinds 5/10 at seats 2 and 3; the first hand is not dealt yet."""
    return Service.open(read_config(POT_LIMIT), journal, trays=trays)


def quiet() -> contextlib.AbstractContextManager[object]:
    """No tick of the service in the middle of a way."""
    return mock.patch.object(process, "TICK_S", 3600.0)


def lie(service: Service, seat: int, *chips: int) -> Callable[[], None]:
    """A seat's tray has seen these chips move; gives what tells that they are settled."""
    stack = tuple(Chip(f"E00401500000{seat:02}{at:02}", chip) for at, chip in enumerate(chips))
    service.on_event(StackSeen(bet_spot(seat), stack, (), (), False, monotonic_us()))
    settled = StackComplete(bet_spot(seat), stack, (), (), False, monotonic_us())
    return lambda: service.on_event(settled)


class Screen:
    """The dealer's screen without its window: `shown` is called when the scene of a view is made."""

    def __init__(self, socket: Path, shown: Callable[[], None]) -> None:
        self._desk = screen.Screen()
        self._client = Client(socket)
        self._shown = shown

    async def run(self) -> None:
        await self._client.run(Handlers(self._show, _fail, _fail, _fail))

    def _show(self, view: Any) -> None:
        self._desk = screen.show(self._desk, view)
        lay_out(self._desk)
        self._shown()

    def touch(self, *keys: Target) -> None:
        """Touches one after the other; the pictures of the number pad in between are left out."""
        for key in keys:
            self._desk, step = screen.press(self._desk, key)
            if step is not None:
                assert self._client.send(step.do, step.shown)


RAISE = (NamedKey.RAISE, Digit("3"), Digit("0"), NamedKey.OK)

# --- the tracer ---


class Call(NamedTuple):
    module: str
    function: str


class Way(NamedTuple):
    """The calls between two moments, in their order."""

    name: str
    calls: tuple[Call, ...]

    @property
    def changes(self) -> int:
        return len(self.stations) - 1

    @property
    def modules(self) -> list[str]:
        """Each module once, in the order in which the way first comes to it."""
        return list(dict.fromkeys(call.module for call in self.calls))

    @property
    def stations(self) -> list[tuple[str, list[str]]]:
        """The modules one after the other, with what was called there before the way went on."""
        found = []
        for module, calls in groupby(self.calls, lambda call: call.module):
            names = ((name, len(list(same))) for name, same in groupby(call.function for call in calls))
            found.append((module, [name if times == 1 else f"{name} ×{times}" for name, times in names]))
        return found


class Tracer:
    """Notes the calls of our functions on this thread, and on that of the clerk while this one waits for it, and where
    in them a record was on disk."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.written = 0

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call":
            module = str(frame.f_globals.get("__name__"))
            if module.partition(".")[0] in PACKAGES:
                self.calls.append(Call(module, code.co_qualname.replace(".<locals>", "")))
        elif event == "return" and code is WRITTEN:
            self.written = len(self.calls)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Notes until the end, or `off`."""
        before = sys.getprofile()
        with mock.patch.object(Clerk, "do", self._traced(Clerk.do)):
            sys.setprofile(self._note)
            try:
                yield
            finally:
                sys.setprofile(before)

    def _traced(self, honest: Callable[..., Any]) -> Callable[..., Any]:
        """What a clerk is told to do, noted as well."""

        def do(clerk: Clerk, work: Callable[[], Any], *limits: Any) -> Any:
            def noted() -> Any:
                sys.setprofile(self._note)
                try:
                    return work()
                finally:
                    sys.setprofile(None)

            return honest(clerk, noted, *limits)

        return do

    def off(self) -> None:
        sys.setprofile(None)

    def ways(self, name: str) -> tuple[Way, Way]:
        """To the record, and from there on."""
        assert self.written, f"{name}: nothing was written"
        return (
            Way(f"{name} to record", tuple(self.calls[: self.written])),
            Way(f"{name} from record to view", tuple(self.calls[self.written :])),
        )


# --- the ways ---


@contextlib.asynccontextmanager
async def in_a_hand(folder: Path, *, trays: bool) -> AsyncIterator[Service]:
    """A service in the first betting round: seat 4 is in turn, 1, 2 and 3 come after it."""
    service = opened(folder / "journal", trays=trays)
    ready = asyncio.Event()
    running = asyncio.create_task(service.run(folder / "socket", ready=ready))
    try:
        await ready.wait()
        assert service.do(StartsHand()) is None
        for seat, chips in ((2, (5,)), (3, (5, 5))) if trays else ():
            lie(service, seat, *chips)()
        await asyncio.sleep(0)  # for the view
        assert (service.view.turn, service.view.pot) == (4, 15)
        yield service
    finally:
        service.stop()
        await running


async def chips_at(folder: Path, seat: int, name: str) -> tuple[Way, Way]:
    """Chips of 30 at a seat."""
    async with in_a_hand(folder, trays=True) as service:
        settle = lie(service, seat, 25, 5)
        await asyncio.sleep(0)  # the view that shows them as seen is not part of the way
        before, tracer = service.view, Tracer()
        with tracer.on():
            settle()
            await asyncio.sleep(0)
        assert service.view.sequence > before.sequence
        return tracer.ways(name)


async def touch(folder: Path) -> Way:
    """RAISE and 30 on the screen of a table without trays, where words are chips, until the screen shows it."""
    tracer, shown = Tracer(), asyncio.Event()

    def seen() -> None:
        tracer.off()
        shown.set()

    async with in_a_hand(folder, trays=False) as service:
        panel = Screen(folder / "socket", seen)
        running = asyncio.create_task(panel.run())
        async with asyncio.timeout(DEADLINE_S):
            await shown.wait()
            shown.clear()
            with tracer.on():
                panel.touch(*RAISE)
                await shown.wait()
        assert (service.view.turn, service.view.pot) == (1, 45)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return Way("touch", tuple(tracer.calls))


def _fail(reason: object) -> None:
    raise AssertionError(str(reason))


async def _all() -> list[Way]:
    with quiet(), contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        chip, view = await chips_at(folders[0], 4, "chip")
        return [chip, view, await touch(folders[1]), *await chips_at(folders[2], 1, "out of turn")]


def measure() -> list[Way]:
    """All ways: chip to its record and on to the view, touch, chips out of turn to their record and on to the view."""
    asyncio.run(_all())  # fills the caches, as in a table's first hand
    return asyncio.run(_all())


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts the changes of module on the ways through the program.")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object: the modules of each way, one after the other"
    )
    parser.add_argument("--path", action="store_true", help="each way, module by module")
    chosen = parser.parse_args()
    ways = measure()
    if chosen.json:
        print(json.dumps({way.name: [module for module, _ in way.stations] for way in ways}))
        return
    for way in ways:
        print(f"{way.name}: {way.changes} changes between {len(way.modules)} modules")
        for module, functions in way.stations if chosen.path else ():
            print(f"    {module}: {', '.join(functions)}")


if __name__ == "__main__":
    main()
