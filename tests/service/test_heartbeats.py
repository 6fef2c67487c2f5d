"""Check that a screen notices when the service hangs, and that touches in this time have no effect.

`test_ui_client` checks in simulated time that a screen notices the hang within a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

import pytest

from controller.config import parse_config
from controller.service import TableService
from controller.service.heartbeats import MAX_COMMAND_AGE_US, Heartbeats
from controller.view import (
    Command,
    RefusalView,
    ServiceMessage,
    TableView,
    protocol,
)
from tests.service.in_process_service import in_process_service
from tests.service.service_process import CONFIG, DEADLINE_S, raw_connection, service_process, without_run_details
from tests.simulated_time import run_in_simulated_time
from ui.client import Client, Handlers
from ui.state import ScreenMessage

T = TypeVar("T")

HANGS_S: Final = protocol.MAX_COMMAND_AGE_S + 2 * protocol.HEARTBEAT_INTERVAL_S
"""Time in seconds for which the service hangs. It is longer than the maximum age of a touch that the service accepts.
"""
TOUCHES: Final = ("3 tip 5", "4 tip 5", "3 tip 7")

# --- heartbeat numbers and times ---


@pytest.mark.parametrize(
    ("number", "after_us", "late"),
    [
        (101, 0, False),
        (101, MAX_COMMAND_AGE_US, False),
        (101, MAX_COMMAND_AGE_US + 1, True),
        (0, 10 * MAX_COMMAND_AGE_US, False),  # The number 0 means that the client receives no heartbeats.
        (100, 0, True),  # The service never sent this heartbeat number.
        (102, 0, True),  # Another run of the service sent this heartbeat number, or a client invented it.
    ],
)
def test_touch_is_accepted_for_a_second_after_its_heartbeat(number: int, after_us: int, late: bool) -> None:
    heartbeats = Heartbeats(100)
    assert heartbeats.next_number(5_000_000) == 101
    assert heartbeats.is_late(number, 5_000_000 + after_us) is late


def test_heartbeats_are_remembered_only_while_valid() -> None:
    heartbeats = Heartbeats(0)
    numbers = [heartbeats.next_number(at_us) for at_us in range(0, 100 * MAX_COMMAND_AGE_US, MAX_COMMAND_AGE_US // 4)]
    last_us = 100 * MAX_COMMAND_AGE_US - MAX_COMMAND_AGE_US // 4
    assert [number for number in numbers if not heartbeats.is_late(number, last_us)] == numbers[-5:]
    assert len(heartbeats._sent) == 5


# --- a service that hangs ---


class ScreenLog:
    """Log of the views, refusals and lost connections that one screen has seen."""

    def __init__(self) -> None:
        self.views: list[TableView] = []
        self.refused: list[str] = []
        self.lost: list[ScreenMessage] = []
        self.is_live_again = False
        self._changed = asyncio.Event()
        self.handlers = Handlers(
            on_view=lambda view: self._keep(self.views, view),
            on_refusal=lambda refused: self._keep(self.refused, refused.code),
            on_bad_line=pytest.fail,
            on_connection_lost=lambda reason: self._keep(self.lost, reason),
            on_live_again=self._on_live_again,
        )

    def _keep(self, items: list[T], item: T) -> None:
        items.append(item)
        self._changed.set()

    def _on_live_again(self) -> None:
        self.is_live_again = True
        self._changed.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition is true. Test it now and after each message to the screen."""
        while not condition():
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), DEADLINE_S)


def touch_hanging_service(address: Path, stop: Callable[[], object], resume: Callable[[], None]) -> ScreenLog:
    """Touch the screen while the service hangs, and return a log of everything that the screen received.

    `stop` makes the service hang, and `resume` lets it continue. The function returns when the service has answered a
    touch made after `resume`.
    """
    log = ScreenLog()

    async def use_screen() -> None:
        client = Client(address)
        running = asyncio.create_task(client.run(log.handlers))
        try:
            await log.until(lambda: log.views)
            shown, view_count = log.views[-1].sequence, len(log.views)
            stop()
            stopped_s = time.monotonic()
            for touch in TOUCHES:
                assert client.send(touch, shown), "refused before the screen can know that the service hangs"
            await log.until(lambda: log.lost)
            assert log.lost[0] == ScreenMessage("silent")
            assert not client.send("4 tip 9", shown), "accepted while the service hangs"
            await asyncio.sleep(max(0.0, stopped_s + HANGS_S - time.monotonic()))
            resume()
            await log.until(lambda: log.is_live_again or len(log.views) > view_count)
            assert client.send("call-floor", log.views[-1].sequence)
            await log.until(lambda: any(alert.code == "floor-called" for alert in log.views[-1].alerts))
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(use_screen())
    return log


def check_no_touch_was_done(log: ScreenLog) -> None:
    """Check that the service refused each touch made while it hung, and applied none of these touches."""
    assert log.refused == ["too-late"] * len(TOUCHES), "a touch was not refused"
    assert not any(view.accounts.get("toke") for view in log.views)


def test_stopped_service_is_noticed_and_its_touches_are_never_done(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        service.start()
        log = touch_hanging_service(
            service.address,
            lambda: os.kill(service.pid, signal.SIGSTOP),
            lambda: os.kill(service.pid, signal.SIGCONT),
        )
        check_no_touch_was_done(log)
        after = service.link().view()
        assert not after.accounts.get("toke")


def test_planted_service_that_ignores_the_heartbeat_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Heartbeats, "is_late", lambda *_: False)
    with in_process_service(tmp_path) as table:
        hanging = contextlib.ExitStack()
        log = touch_hanging_service(table.address, lambda: hanging.callback(table.hang()), hanging.close)
        assert table.service.live.table.accounts.toke == 17
    with pytest.raises(AssertionError):
        check_no_touch_was_done(log)


# --- sent again ---


def test_restart_answers_done_commands_and_refuses_unfinished_ones_as_late(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        service.start()
        with raw_connection(service.address) as connection:
            connection.view()
            heartbeat = connection.heartbeat()
            done, unanswered = (
                Command(client="a", id=number, do="3 tip 5", view_sequence=connection.shown, heartbeat=heartbeat)
                for number in (1, 2)
            )
            connection.send(protocol.encode(done))
            assert connection.reply() == (1, None)
        service.kill()
        service.start()
        with raw_connection(service.address) as connection:
            before = connection.view()
            for command in (done, unanswered, done, unanswered):
                connection.send(protocol.encode(command))
            answers = [connection.reply() for _ in range(4)]
        late = RefusalView(code="too-late", is_sticky=True)
        assert answers == [(1, None), (2, late), (1, None), (2, late)]
        assert (
            without_run_details(service.link().view()) == without_run_details(before) and before.accounts["toke"] == 5
        )


def test_command_without_a_heartbeat_is_never_too_late(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        connection.view()
        table.block_for(HANGS_S)
        assert connection.command("3 tip 5") is None


def test_heartbeat_follows_the_view_four_times_a_second(tmp_path: Path) -> None:
    messages: list[tuple[ServiceMessage, float]] = []

    async def receive_messages() -> TableView:
        service, ready = TableService.open(parse_config(CONFIG), None, trays=False), asyncio.Event()
        service_task = asyncio.create_task(service.run(tmp_path / "table.sock", ready=ready))
        await ready.wait()
        reader, writer = await asyncio.open_unix_connection(tmp_path / "table.sock")
        for _ in range(6):
            messages.append(
                (protocol.decode_service_message(await reader.readline()), asyncio.get_running_loop().time())
            )
        writer.close()
        service.stop()
        await service_task
        return service.view

    last_view = run_in_simulated_time(receive_messages())
    (first, _), *rest = messages
    assert first.view is not None and first.view.service_run == last_view.service_run
    numbers = [message.heartbeat for message, _ in rest]
    assert all(numbers) and numbers == sorted(numbers)
    times_s = [at_s for _, at_s in rest]
    assert [after - before for before, after in pairwise(times_s)] == pytest.approx([protocol.HEARTBEAT_INTERVAL_S] * 4)
    assert protocol.HEARTBEAT_INTERVAL_S <= 0.25
