"""Run the real `serve` in the test process, with files that a test changes while it runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.live import without_transient
from controller.service import ServeOptions, TableService, bootstrap
from controller.service.changed_files import take_up
from controller.steps import parse_step
from tests.service.service_process import CONFIG

DEADLINE_S = 60
"""Maximum time in seconds that a test waits for an event."""
Play = Callable[[TableService], Awaitable[None]]


class RunningTable:
    """A table with files that can be changed, and the real service that looks at them very often."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, config: str = CONFIG) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        self.config, self.journal = folder / "table.toml", folder / "table.journal"
        self.socket = folder / "table.sock"
        self.options = ServeOptions(self.config, None, {}, trays=False, gpio=False)
        self.put(config)
        monkeypatch.setattr(take_up, "FILE_POLL_S", 0.01)
        monkeypatch.setattr(take_up, "RETRY_S", 0.05)
        monkeypatch.delenv("NOTIFY_SOCKET", raising=False)

    def put(self, text: str, path: Path | None = None) -> None:
        """Copy a file into place as a careful editor does."""
        path = path or self.config
        new = path.with_name(path.name + ".part")
        new.write_text(text)
        os.replace(new, path)

    def serve(self, play: Play, **options: object) -> None:
        """Run the service, call `play` when its sockets are open, and stop the service."""
        real_open, failures = TableService.open, list[BaseException]()
        tasks: list[asyncio.Task[None]] = []

        def open_and_play(*args: object, **given: object) -> TableService:
            service: TableService = real_open(*args, **given)  # type: ignore[arg-type]

            async def run() -> None:
                try:
                    await until(lambda: self.socket.exists() and service.live.badge_count is not None)
                    await play(service)
                except BaseException as error:
                    failures.append(error)
                finally:
                    service.stop()

            tasks.append(asyncio.get_running_loop().create_task(run()))
            return service

        self._monkeypatch.setattr(TableService, "open", open_and_play)
        self.socket.unlink(missing_ok=True)
        try:
            bootstrap.serve(replace(self.options, **options), self.journal, self.socket)  # type: ignore[arg-type]
        finally:
            self._monkeypatch.setattr(TableService, "open", real_open)
        if failures:
            raise failures[0]


async def until(condition: Callable[[], object]) -> None:
    """Let the service work until the condition holds."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.005)


def do(service: TableService, *lines: str) -> None:
    """Apply steps that the table must accept."""
    for line in lines:
        refusal = service.apply_step(parse_step(line))
        assert refusal is None, (line, refusal)


def file_alerts(service: TableService) -> list[tuple[str, str]]:
    """Return code and kind of file of each alert about a file."""
    return [(alert.code, alert.subject) for alert in service.view.alerts if alert.code.startswith("file-")]


def state_of(service: TableService) -> object:
    """Return what a restart must give again."""
    return without_transient(service.live)._replace(setup=None)  # type: ignore[arg-type]
