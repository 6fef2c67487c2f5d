"""Check that browsers get the picture of the table and its changes, and that a slow browser delays nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller.service import AccessPolicy
from controller.service.roles import parse_permissions
from controller.view import pages
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import DEADLINE_S
from tests.ui.web.test_web_routes import ROLES, ROOM
from ui.scene import DEFAULT_APPEARANCE, Appearance, paint, tokens
from ui.scene.scene import lay_out_scene
from ui.web.live_table import LiveTable, PictureChange, QueryRefusedError, TableUnreachableError
from ui.web.svg import svg_groups

BRIGHT = Appearance(theme=tokens.THEMES["bright"])


@pytest.fixture
def service() -> Iterator[InProcessService]:
    with (
        TemporaryDirectory() as folder,
        in_process_service(Path(folder), AccessPolicy(parse_permissions(ROLES + ROOM))) as running,
    ):
        yield running


class Browser:
    """A browser that applies changes to its picture, like the module `table.js`."""

    def __init__(self, changes: AsyncIterator[PictureChange]) -> None:
        self._changes = changes
        self.groups: dict[str, str] = {}
        self.change_count = 0

    async def apply_next(self) -> PictureChange:
        change = await asyncio.wait_for(anext(self._changes), DEADLINE_S)
        self.change_count += 1
        self.groups |= change.groups
        if change.order:
            self.groups = {identifier: self.groups[identifier] for identifier in change.order}
        return change

    async def follow_until(self, text: str) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not any(text in group for group in self.groups.values()):
                await self.apply_next()


async def following(service: InProcessService) -> tuple[LiveTable, asyncio.Task[None]]:
    table = LiveTable(service.address.parent / "room.sock")
    task = asyncio.create_task(table.run())
    while table.view is None:
        await asyncio.sleep(0.005)
    return table, task


def current_groups(table: LiveTable, appearance: Appearance = DEFAULT_APPEARANCE) -> dict[str, str]:
    return svg_groups(paint.draw_scene(lay_out_scene(table.screen, appearance)), appearance.layout)


def test_browser_has_the_whole_picture_after_every_change(service: InProcessService) -> None:
    async def run() -> None:
        table, task = await following(service)
        browser, bright = Browser(table.changes(DEFAULT_APPEARANCE)), Browser(table.changes(BRIGHT))
        dealer = service.connect()
        for step, text in (("hand", "CALL 10"), ("4 raise to 45", "CALL 45"), ("undo", "CALL 10"), ("4 fold", "folds")):
            received = table.views_received
            await asyncio.to_thread(dealer.command, step)
            while table.views_received == received:
                await asyncio.sleep(0.005)
            await browser.apply_next()
            await bright.apply_next()
            await browser.follow_until(text)
            await bright.follow_until(text)
            assert list(browser.groups.items()) == list(current_groups(table).items())
            assert bright.groups == current_groups(table, BRIGHT)
        task.cancel()

    asyncio.run(run())


def test_change_has_only_the_groups_that_differ(service: InProcessService) -> None:
    async def run() -> None:
        table, task = await following(service)
        dealer = service.connect()
        await asyncio.to_thread(dealer.command, "hand")
        browser = Browser(table.changes(DEFAULT_APPEARANCE))
        await browser.follow_until("CALL 10")
        before = dict(browser.groups)
        await asyncio.to_thread(dealer.command, "4 call")
        change = await browser.apply_next()
        assert change.groups
        assert all(before.get(identifier) != group for identifier, group in change.groups.items())
        assert len(change.groups) < len(before) / 2
        task.cancel()

    asyncio.run(run())


def test_slow_browser_gets_the_newest_picture_only(service: InProcessService) -> None:
    async def run() -> None:
        table, task = await following(service)
        browser = Browser(table.changes(DEFAULT_APPEARANCE))
        await browser.apply_next()
        received = table.views_received
        dealer = service.connect()
        for step in ("hand", "4 call", "1 call", "2 call", "3 check", "deal", "2 bet 35"):
            await asyncio.to_thread(dealer.command, step)
        while table.view is None or table.view.to_call != 35:
            await asyncio.sleep(0.005)
        assert table.views_received >= received + 7
        count = browser.change_count
        await browser.apply_next()
        assert browser.change_count == count + 1
        assert browser.groups == current_groups(table)
        task.cancel()

    asyncio.run(run())


def test_lost_service_is_shown_and_found_again(service: InProcessService) -> None:
    async def run() -> None:
        table, task = await following(service)
        browser = Browser(table.changes(DEFAULT_APPEARANCE))
        release = service.hang()
        await browser.follow_until("NOT LIVE")
        release()
        while any("NOT LIVE" in group for group in browser.groups.values()):
            await browser.apply_next()
        task.cancel()

    asyncio.run(run())


def test_query_gets_its_page_or_says_why_not(service: InProcessService) -> None:
    async def run() -> None:
        table = LiveTable(service.address.parent / "room.sock")
        assert isinstance(await table.ask("look report"), pages.ReportPage)
        with pytest.raises(QueryRefusedError):
            await table.ask("look hand 99")
        with pytest.raises(QueryRefusedError):
            await table.ask("hand")
        with pytest.raises(TableUnreachableError):
            await LiveTable(service.address.parent / "no.sock").ask("look report")

    asyncio.run(run())


def test_query_to_a_service_that_hangs_ends(service: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.web.live_table.QUERY_TIMEOUT_S", 0.01)
    release = service.hang()
    with pytest.raises(TableUnreachableError):
        asyncio.run(LiveTable(service.address.parent / "room.sock").ask("look report"))
    release()
