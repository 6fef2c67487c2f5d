"""The feed for the graphics of a video stream: the public state of the table, delayed as the house says.

The feed has what everybody at the table sees: seats, names, stacks, bets, the pot and the turn. The program knows no
cards, so that the feed cannot show any. The delay keeps a spectator from helping a player.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from controller.view import TableView

MAX_PICTURES: Final = 5_000
"""Maximum number of waiting pictures, which is half an hour of fast play and 5 MB. With more, the oldest is left out.

A picture is never shown too early because of this limit.
"""


class FeedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that is not empty."""

    seat: int
    name: str
    stack: int | None
    bet: int
    status: str
    button: bool


class FeedPicture(msgspec.Struct, frozen=True, kw_only=True):
    """The public state of the table. Amounts are in the unit of account."""

    table: str
    hand: int
    phase: str
    round: int
    pot: int | None
    """The pot, or None if the house does not always show it."""
    turn: int | None
    to_call: int | None
    prefix: str
    decimals: int
    seats: tuple[FeedSeat, ...]


def feed_picture(view: TableView) -> FeedPicture:
    """Return the public part of a view."""
    return FeedPicture(
        table=view.table_name,
        hand=view.hand_number,
        phase=view.phase,
        round=view.round,
        pot=view.pot if view.show_pot == "always" else None,
        turn=view.turn,
        to_call=view.to_call,
        prefix=view.money.prefix,
        decimals=view.money.decimals,
        seats=tuple(
            FeedSeat(
                seat=seat.seat,
                name=seat.name,
                stack=seat.stack,
                bet=seat.bet,
                status=seat.status,
                button=seat.button,
            )
            for seat in view.seats
            if seat.status != "empty"
        ),
    )


@dataclass(slots=True)
class DelayedFeed:
    """The pictures of the last minutes. Only pictures older than the delay are shown."""

    delay_s: float
    now_s: Callable[[], float]
    _waiting: deque[tuple[float, bytes]] = field(default_factory=deque)
    _shown: bytes = b""

    def add(self, view: TableView) -> None:
        """Keep the public part of a new view until its time has come."""
        picture = msgspec.json.encode(feed_picture(view))
        if self._waiting and self._waiting[-1][1] == picture:
            return
        self._waiting.append((self.now_s(), picture))
        if len(self._waiting) > MAX_PICTURES:
            self._waiting.popleft()

    def current(self) -> bytes:
        """Return the newest picture that is older than the delay as JSON, or b"" if no picture is old enough."""
        while self._waiting and self._waiting[0][0] + self.delay_s <= self.now_s():
            self._shown = self._waiting.popleft()[1]
        return self._shown
