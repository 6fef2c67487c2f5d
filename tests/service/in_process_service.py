"""Run a service on a thread of the test process, with real sockets.

With such a service, tests put badges on the reader and connect in other roles than the dealer. They also create states
that no command can produce.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from controller.config import parse_config
from controller.service import AccessPolicy, TableService
from controller.service.guided_setup import GuidedSetUp
from firmware_bridge.clock import monotonic_us
from hardware.badges import BadgeGone, BadgeSeen, ChallengeContext
from hardware.badges.badge_file import Role
from hardware.layout import load_layout
from hardware.table_io import TableIO
from tests.service.service_process import CONFIG, DEADLINE_S, RawConnection

T = TypeVar("T")


class InProcessService:
    """A service on another thread of the test process, together with the connections of the test to this service."""

    def __init__(self, service: TableService, loop: asyncio.AbstractEventLoop, address: Path) -> None:
        self.service = service
        self.address = address
        self._loop = loop
        self._connections: list[RawConnection] = []

    def call(self, function: Callable[[], T]) -> T:
        """Run the function on the service's thread and return its result."""

        async def run_function() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(run_function(), self._loop).result(DEADLINE_S)

    def block_for(self, seconds: float) -> None:
        """Make the event loop of the service block for this time. Return without waiting for the end of the block."""
        self._loop.call_soon_threadsafe(time.sleep, seconds)

    def hang(self) -> Callable[[], None]:
        """Block the event loop of the service, and return a function that unblocks the event loop."""
        released = threading.Event()
        self._loop.call_soon_threadsafe(released.wait, DEADLINE_S)
        return released.set

    def present_badge(self, role: Role | None, *, age_us: int = 0, proven: bool = True, journal: str = "") -> None:
        """Put a badge with this role on the badge reader, or remove the badge if the role is None.

        `proven` is True if the badge has proved that it is genuine, and `age_us` is the age of this proof. `journal` is
        the name of the journal for which the badge gave its proof, or "" for any journal.
        """
        at_us = monotonic_us() - age_us
        removed = BadgeGone("reader", at_us)
        event = (
            BadgeSeen(
                "reader",
                "04A1B2C3",
                role,
                "eve",
                proven,
                at_us,
                challenge_context=ChallengeContext(journal_name=journal),
            )
            if role is not None
            else removed
        )
        self.call(lambda: self.service.on_badge(event))

    def connect(self, name: str = "") -> RawConnection:
        """Connect to the socket with this name and read the first view. By default use the dealer's socket."""
        connection = RawConnection(self.address.parent / name if name else self.address)
        self._connections.append(connection)
        connection.view()
        return connection

    def hang_up(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.close()


@contextlib.contextmanager
def in_process_service(
    folder: Path,
    access_policy: AccessPolicy | None = None,
    *,
    journal: Path | None = None,
    config: str = CONFIG,
    layout: Path | None = None,
) -> Iterator[InProcessService]:
    """Run a service until the context ends, without sensors, or with those of a layout."""
    started: list[InProcessService] = []
    is_up = threading.Event()

    async def run() -> None:
        table_layout = load_layout(layout) if layout is not None else None
        readers = frozenset(reader.name for reader in table_layout.readers) if table_layout is not None else frozenset()
        service = TableService.open(
            parse_config(config), journal, trays=bool(readers), readers=readers, access_policy=access_policy
        )
        if layout is not None and table_layout is not None:
            hardware = TableIO(table_layout, service.on_event)
            set_up = GuidedSetUp(table_layout, layout, folder, hardware, service.record_observation)
            service.attach(hardware, hardware.health, set_up)
        ready = asyncio.Event()
        service_task = asyncio.create_task(service.run(folder / "table.sock", ready=ready))
        await asyncio.wait([service_task, asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
        started.append(InProcessService(service, asyncio.get_running_loop(), folder / "table.sock"))
        is_up.set()
        await service_task

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NOTIFY_SOCKET", raising=False)
        thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
        thread.start()
        try:
            assert is_up.wait(DEADLINE_S), "the service did not start"
            yield started[0]
        finally:
            if started:
                started[0].hang_up()
                started[0].call(started[0].service.stop)
            thread.join(DEADLINE_S)
