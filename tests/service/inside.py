"""A service in this process, on its own thread and real sockets: for badges, doors and states that no command makes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from controller.config import read_config
from controller.service import Guarding, Service
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeGone, BadgeSeen, Occasion
from hardware.badges.register import Role
from tests.service.running import CONFIG, DEADLINE_S, Bare

T = TypeVar("T")


class Inside:
    """A running service."""

    def __init__(self, service: Service, loop: asyncio.AbstractEventLoop, address: Path) -> None:
        self.service = service
        self.address = address
        self._loop = loop
        self._doors: list[Bare] = []

    def call(self, what: Callable[[], T]) -> T:
        """Does it on the service's thread."""

        async def doing() -> T:
            return what()

        return asyncio.run_coroutine_threadsafe(doing(), self._loop).result(DEADLINE_S)

    def busy(self, seconds: float) -> None:
        """From now on it hangs for so long."""
        self._loop.call_soon_threadsafe(time.sleep, seconds)

    def badge(self, role: Role | None, *, age_us: int = 0, proven: bool = True, journal: str = "") -> None:
        """A badge is laid on the reader, or the one that is there taken away (None). `journal`: the one that it has
        proved itself for, "" for any."""
        at_us = monotonic_us() - age_us
        gone = BadgeGone("reader", at_us)
        seen = (
            BadgeSeen("reader", "04A1B2C3", role, "eve", proven, at_us, occasion=Occasion(journal=journal))
            if role is not None
            else gone
        )
        self.call(lambda: self.service.on_badge(seen))

    def door(self, name: str = "") -> Bare:
        """A connection by the door whose socket has that name; that of the dealer's screen without one."""
        bare = Bare(self.address.parent / name if name else self.address)
        self._doors.append(bare)
        bare.view()
        return bare

    def hang_up(self) -> None:
        """Ends all connections."""
        for bare in self._doors:
            bare.close()


@contextlib.contextmanager
def inside(
    folder: Path, guarding: Guarding | None = None, *, journal: Path | None = None, config: str = CONFIG
) -> Iterator[Inside]:
    """A service without trays; ended in any case."""
    started: list[Inside] = []
    up = threading.Event()

    async def run() -> None:
        service = Service.open(read_config(config), journal, trays=False, guarding=guarding)
        ready = asyncio.Event()
        running = asyncio.create_task(service.run(folder / "table.sock", ready=ready))
        await asyncio.wait([running, asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
        started.append(Inside(service, asyncio.get_running_loop(), folder / "table.sock"))
        up.set()
        await running

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NOTIFY_SOCKET", raising=False)
        thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
        thread.start()
        try:
            assert up.wait(DEADLINE_S), "the service does not start"
            yield started[0]
        finally:
            if started:
                started[0].hang_up()
                started[0].call(started[0].service.stop)
            thread.join(DEADLINE_S)
