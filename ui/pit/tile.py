"""A tile: what the pit page shows for a table, as texts in one language and as codes for the page."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from controller.messages import Messages
from controller.view import Money, live_protocol, table_summary

Need = Literal[
    "fault", "not-recorded", "floor-call", "decision", "fill", "long-since-push", "", "closed", "unknown-version"
]
"""The most urgent reason why a person must go to the table, and after "" the states in which nobody needs to."""


class Tile(msgspec.Struct, frozen=True, kw_only=True):
    """One table on the pit page."""

    number: int
    """Position of the table in the file of the tables, from 0. It is part of the table's address."""
    name: str
    need: Need = ""
    connected: bool = False
    call: str | None = None
    """Reason for which the dealer called the floor, "" for a call without a reason, or None if there is no call."""
    call_minutes: int = 0
    answered_by: str = ""
    game: str = ""
    """Game with its stakes, or "" if nothing is known of the table."""
    seats: str = ""
    """One letter for each seat in order: o for open, t for taken, a for away."""
    open_seats: int = 0
    hands_per_hour: int | None = None
    dealer: str = ""
    dealer_minutes: int | None = None
    pot: str = ""
    hand: int = 0
    questions: int = 0
    warnings: int = 0
    at: float = 0.0
    """Wall-clock time of the newest change in seconds since 1970."""


def make_tile(number: int, name: str, state: live_protocol.TableState | None, language: str) -> Tile:
    """Return the tile of a table. `state` is None if the room has not sent its state yet."""
    if state is None or state.summary is None:
        unknown = state is not None and state.connected and state.version not in (0, table_summary.SUMMARY_VERSION)
        need: Need = "unknown-version" if unknown else "fault"
        return Tile(number=number, name=name, need=need, connected=unknown, at=state.at if state is not None else 0.0)
    summary = state.summary
    texts = _messages(summary.prefix, summary.decimals, language)
    return Tile(
        number=number,
        name=name,
        need=find_need(state, summary),
        connected=state.connected,
        call=summary.call_why if summary.call_minutes is not None else None,
        call_minutes=summary.call_minutes or 0,
        answered_by=summary.answered_by,
        game=texts.game(summary.game),
        seats=summary.seats,
        open_seats=summary.seats.count("o"),
        hands_per_hour=summary.hands_per_hour,
        dealer=summary.dealer,
        dealer_minutes=summary.dealer_minutes,
        pot=texts.amount(summary.pot),
        hand=summary.hand_number,
        questions=summary.questions,
        warnings=summary.warnings,
        at=state.at,
    )


def find_need(state: live_protocol.TableState, summary: table_summary.TableSummary) -> Need:
    """Return the most urgent reason why a person must go to the table. A table that cannot be seen is a fault."""
    if not state.connected or summary.attention == "fault":
        return "fault"
    if not state.recorded:
        return "not-recorded"
    return summary.attention or ("closed" if summary.is_closed else "")


@lru_cache(64)
def _messages(prefix: str, decimals: int, language: str) -> Messages:
    return Messages(Money(prefix=prefix, decimals=decimals), language=language)
