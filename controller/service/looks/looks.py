"""The pages of one table: what each look is answered with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib import metadata
from typing import Final

from controller.config import BadInputError
from controller.live import Live
from controller.service.looks.asked import Look, OfAward, OfHand, OfTable
from controller.service.looks.award import award_page
from controller.service.looks.devices import HasHealth, devices_page
from controller.service.looks.games import games_page
from controller.service.looks.hands import hand_page, hands_page
from controller.service.looks.played import HANDS, Played, PlayedHand
from controller.service.looks.raised import Raised
from controller.service.looks.report import report_page
from controller.service.roles import Door
from controller.table import Step, Table
from controller.view import Page, PhhPage, Refused, Values
from firmware_bridge.clock import monotonic_us
from hardware.health import Health

WritesHand = Callable[[Table, Sequence[Step]], str]
"""The text of a hand by the table before it and its steps. Raises BadInputError where it cannot be written."""
MOST_WAITING: Final = 8
"""Hands that are to be written at a time, of all connections: people ask for one."""
MOST_TEXT: Final = 200_000
"""Characters of a hand's text: a line on the socket has room for no more; a long hand has a tenth of it."""
READ_S: Final = 5.0
"""How long a page waits for hands of earlier segments: reading them takes a second, a disk may hang."""


def may_look(door: Door) -> bool:
    """Whether who comes by this door may look at pages: all but players, who would see one another's stacks."""
    return door.role != "player"


class LookReason(StrEnum):
    """Why there is no such page."""

    NO_SUCH_HAND = "no-such-hand"
    """It was not played, or is not among the last ones (hand)."""
    HAND_NOT_OVER = "hand-not-over"
    HAND_NOT_WHOLE = "hand-not-whole"
    """It began before what is still known (hand)."""
    NO_PHH = "no-phh"
    """The format cannot say it (hand, reason)."""


class Looks:
    """What is kept to be looked at, and the pages of it. `records` is where the journal is written; `writes` writes a
    hand as a PHH file."""

    def __init__(self, played: Played | None = None, writes: WritesHand | None = None, records: str = "") -> None:
        self._began_us = monotonic_us()
        self.played = played or Played()
        self.raised = Raised(self._began_us)
        self.health: HasHealth = Health
        self._writes = writes
        self._records = records
        self._writing = asyncio.Lock()
        self._waiting = 0
        self._reading: asyncio.Task[Played] | None = None

    async def page(self, look: Look, live: Live) -> Page | Refused:
        """The page of the table as it is, or why there is none."""
        if isinstance(look, OfHand) or look == OfTable("hands"):
            await self._look_back()
        match look:
            case OfTable():
                return self._of_table(look, live)
            case OfAward():
                return award_page(live.table, look.award)
            case OfHand():
                hand = next((hand for hand in self.played.hands() if hand.number == look.number), None)
                if hand is None:
                    return _refused(LookReason.NO_SUCH_HAND, look.number)
                return hand_page(hand) if look.what == "hand" else await self._text(hand)

    def _of_table(self, look: OfTable, live: Live) -> Page:
        match look.what:
            case "hands":
                return hands_page(self.played.hands(), live.table)
            case "alerts":
                return self.raised.page()
            case "report":
                return report_page(live.table)
            case "games":
                return games_page(live.table)
            case "devices":
                now_us = monotonic_us()
                return devices_page(
                    live,
                    self.health(),
                    now_us,
                    up_us=now_us - self._began_us,
                    version=_version(),
                    records=self._records,
                )

    async def _look_back(self) -> None:
        """Has hands of earlier segments read where the last ones are not all known, once and beside the loop. What a
        disk does not give in time is there at a later look."""
        reads = self.played.reads_earlier
        if reads is None or len(self.played.hands()) >= HANDS:
            return
        self._reading = self._reading or asyncio.create_task(asyncio.to_thread(reads))
        done, _ = await asyncio.wait({self._reading}, timeout=READ_S)
        if done:
            fault = self._reading.exception()
            self.played.goes_on_from(Played() if fault is not None else self._reading.result())
            if fault is not None:
                raise fault

    async def _text(self, hand: PlayedHand) -> PhhPage | Refused:
        """Written beside the loop, one at a time: it takes as long as a hundred steps."""
        if not hand.is_over:
            return _refused(LookReason.HAND_NOT_OVER, hand.number)
        if not hand.is_whole:
            return _refused(LookReason.HAND_NOT_WHOLE, hand.number)
        if self._writes is None or self._waiting >= MOST_WAITING:
            return _refused(LookReason.NO_PHH, hand.number)
        self._waiting += 1
        try:
            async with self._writing:
                text = await asyncio.to_thread(self._writes, hand.before, hand.steps)
        except BadInputError as error:
            return _refused(LookReason.NO_PHH, hand.number, str(error))
        finally:
            self._waiting -= 1
        if len(text) > MOST_TEXT:
            return _refused(LookReason.NO_PHH, hand.number, f"{len(text)} characters, expected at most {MOST_TEXT}")
        return PhhPage(hand=hand.number, text=text)


def _refused(why: LookReason, hand: int, reason: str = "") -> Refused:
    return Refused(code=why.value, values=Values(hand=hand, reason=reason))


@cache
def _version() -> str:
    """Of this program; "" where it runs without having been installed."""
    try:
        return metadata.version("potkeeper")
    except metadata.PackageNotFoundError:
        return ""
