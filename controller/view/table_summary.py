"""The summary of a table for a picture of many tables, in at most `MAX_SUMMARY_BYTES`.

A view has about 5 kB, which is too much for a room that follows a thousand tables. The summary has a version of its
own, because tables and room are updated on different days.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Final, Literal, get_args

import msgspec

from controller.view.table_view import FloorCallReason, GameView, Money, SeatStatus, TableView
from firmware_bridge.errors import FaultSource, PotkeeperError

SUMMARY_VERSION: Final = 1
"""Version of `TableSummary`. Another version is shown as unknown, and its fields are not read."""
MAX_SUMMARY_BYTES: Final = 400
"""Maximum size of an encoded summary in bytes, so that a thousand tables need less than 1 MB/s."""
LONG_SINCE_PUSH_MINUTES: Final = 60
"""Minutes without a new dealer after which a table needs attention. Houses push after 20 to 40 minutes."""

Attention = Literal["fault", "not-recorded", "floor-call", "decision", "fill", "long-since-push", ""]
"""The most urgent reason for which a person must go to the table, or "" without a reason.

- `fault`: a technician must clear an alert.
- `not-recorded`: the table does not write its journal.
- `floor-call`: the dealer has called the floor, but not for a fill or a credit.
- `decision`: the floor must clear an alert.
- `fill`: the dealer has asked for a fill or a credit.
- `long-since-push`: the dealer has dealt for `LONG_SINCE_PUSH_MINUTES`.
"""
ATTENTION_ORDER: Final[tuple[Attention, ...]] = get_args(Attention)
"""The reasons in the order of their urgency, most urgent first."""
SeatUse = Literal["open", "taken", "away"]
SEAT_LETTERS: Final[dict[str, SeatUse]] = {"o": "open", "t": "taken", "a": "away"}
"""The letters of `TableSummary.seats`."""

_USE_LETTERS: Final[dict[SeatStatus, str]] = {"empty": "o", "away": "a"}
_NOT_RECORDED_ALERT: Final = "journal-not-written"
_FILL_REASONS: Final[frozenset[FloorCallReason]] = frozenset({"fill", "credit"})
_MAX_TABLE_NAME_BYTES: Final = 80
"""Maximum bytes of the table's name. All names of 40 letters of an alphabet such as Latin or Greek fit."""
_MAX_PERSON_BYTES: Final = 48
_MAX_CODE_BYTES: Final = 24
"""Maximum bytes of a variant or structure. The longest name today has 22."""
_MAX_PREFIX_BYTES: Final = 12
_MAX_BLINDS: Final = 3
_MAX_SEATS: Final = 10
_MAX_COUNT: Final = 999
"""Maximum of minutes and hands an hour, which a tile has space for."""
_MAX_ALERTS: Final = 99
_MAX_NUMBER: Final = 2**63 - 1
_ELLIPSIS: Final = "…"


class SummaryError(PotkeeperError, ValueError):
    """Error for a summary that cannot be read. `version` is its version, or 0 if the bytes are no summary."""

    fault: ClassVar[FaultSource] = "link"

    def __init__(self, message: str, version: int = 0) -> None:
        super().__init__(message)
        self.version = version


class TableSummary(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What a picture of many tables shows of one table. Too long names end with "…"."""

    version: int = SUMMARY_VERSION
    table_name: str = ""
    attention: Attention = ""
    call_why: FloorCallReason = ""
    call_minutes: int | None = None
    """Whole minutes since the dealer has called the floor, or None if the floor is not called."""
    answered_by: str = ""
    """Name of the person who has answered the call, or "" if nobody has."""
    variant: str = "holdem"
    structure: str = "no-limit"
    blinds: tuple[int, ...] = ()
    bets: tuple[int, ...] = ()
    """The smallest and the largest bet in fixed limit, or nothing."""
    ante: int = 0
    prefix: str = ""
    """Text before each amount, such as "$"."""
    decimals: int = 0
    """Number of digits behind the decimal point of an amount."""
    hand_number: int = 0
    seats: str = ""
    """One letter of `SEAT_LETTERS` for each seat of the table, in order."""
    hands_per_hour: int | None = None
    """Hands in the last hour, or None if they are not known yet."""
    dealer: str = ""
    """Name of the dealer, or "" if the name is not known."""
    dealer_minutes: int | None = None
    """Whole minutes since the dealer has come to the table, or None if this is not known."""
    pot: int = 0
    questions: int = 0
    """Number of alerts with the level `question`."""
    warnings: int = 0
    infos: int = 0
    is_closed: bool = False
    is_recorded: bool = True
    """False if the table does not write its journal."""
    service_run: int = 0
    sequence: int = 0
    """Number of the view that is summarised. It increases within one run of the service."""

    @property
    def game(self) -> GameView:
        """Return the game as in a view, from which `controller.messages` makes its title and stakes."""
        return GameView(
            variant=self.variant, structure=self.structure, blinds=self.blinds, bets=self.bets, ante=self.ante
        )

    @property
    def money(self) -> Money:
        """Return how to print amounts."""
        return Money(prefix=self.prefix, decimals=self.decimals)

    @property
    def seat_uses(self) -> tuple[SeatUse, ...]:
        """Return the use of each seat in order."""
        return tuple(SEAT_LETTERS[letter] for letter in self.seats if letter in SEAT_LETTERS)


def summarise(view: TableView, *, hands_per_hour: int | None = None, dealer_minutes: int | None = None) -> TableSummary:
    """Return the summary of a view.

    A view does not have the number of hands an hour and the minutes since the dealer came. Both are None if they are
    not known.
    """
    game, call = view.game, view.floor_call
    levels = Counter(alert.level for alert in view.alerts if not alert.cause)
    return TableSummary(
        table_name=_cut(view.table_name, _MAX_TABLE_NAME_BYTES),
        attention=find_attention(view, dealer_minutes),
        call_why=call.why if call is not None else "",
        call_minutes=_limit(call.minutes, _MAX_COUNT) if call is not None else None,
        answered_by=_cut(call.answered_by, _MAX_PERSON_BYTES) if call is not None else "",
        variant=_cut(game.variant, _MAX_CODE_BYTES),
        structure=_cut(game.structure, _MAX_CODE_BYTES),
        blinds=tuple(_limit(blind) for blind in game.blinds[:_MAX_BLINDS]),
        bets=(_limit(min(game.bets)), _limit(max(game.bets))) if game.bets else (),
        ante=_limit(game.ante),
        prefix=_cut(view.money.prefix, _MAX_PREFIX_BYTES),
        decimals=_limit(view.money.decimals, _MAX_ALERTS),
        hand_number=_limit(view.hand_number),
        seats="".join(_USE_LETTERS.get(seat.status, "t") for seat in view.seats[:_MAX_SEATS]),
        hands_per_hour=None if hands_per_hour is None else _limit(hands_per_hour, _MAX_COUNT),
        dealer=_cut(view.dealer, _MAX_PERSON_BYTES),
        dealer_minutes=None if dealer_minutes is None else _limit(dealer_minutes, _MAX_COUNT),
        pot=_limit(view.pot),
        questions=_limit(levels["question"], _MAX_ALERTS),
        warnings=_limit(levels["warning"], _MAX_ALERTS),
        infos=_limit(levels["info"], _MAX_ALERTS),
        is_closed=view.is_closed,
        is_recorded=_is_recorded(view),
        service_run=_limit(view.service_run),
        sequence=_limit(view.sequence),
    )


def find_attention(view: TableView, dealer_minutes: int | None = None) -> Attention:
    """Return the most urgent reason for which a person must go to the table, or "" without a reason."""
    reasons: set[Attention] = set()
    if not _is_recorded(view):
        reasons.add("not-recorded")
    for alert in view.alerts:
        if alert.level == "info" or alert.cause or alert.code == _NOT_RECORDED_ALERT:
            continue
        if alert.clearable_by == "technician":
            reasons.add("fault")
        elif alert.clearable_by == "floor":
            reasons.add("decision")
    if view.floor_call is not None:
        reasons.add("fill" if view.floor_call.why in _FILL_REASONS else "floor-call")
    if dealer_minutes is not None and dealer_minutes >= LONG_SINCE_PUSH_MINUTES and not view.is_closed:
        reasons.add("long-since-push")
    return next((reason for reason in ATTENTION_ORDER if reason in reasons), "")


def _is_recorded(view: TableView) -> bool:
    return view.is_recorded and all(alert.code != _NOT_RECORDED_ALERT for alert in view.alerts)


class _Versioned(msgspec.Struct, array_like=True):
    version: int


encode_summary = msgspec.msgpack.Encoder().encode
_decode_version = msgspec.msgpack.Decoder(_Versioned).decode
_decode_summary = msgspec.msgpack.Decoder(TableSummary).decode


def decode_summary(data: bytes) -> TableSummary:
    """Return the summary in these bytes. Raises SummaryError, such as for a summary of another version."""
    if len(data) > MAX_SUMMARY_BYTES:
        raise SummaryError(f"summary: {len(data)} bytes, expected at most {MAX_SUMMARY_BYTES}")
    try:
        version = _decode_version(data).version
        if version == SUMMARY_VERSION:
            return _decode_summary(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SummaryError(f"summary: {error}, expected a summary of a table") from None
    raise SummaryError(f"summary: version {version}, expected {SUMMARY_VERSION}", version)


def _cut(text: str, max_bytes: int) -> str:
    """Return the text, or its beginning with "…" if it has more bytes than `max_bytes` in UTF-8."""
    data = text.encode(errors="replace")
    if len(data) <= max_bytes:
        return data.decode()
    return data[: max_bytes - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def _limit(number: int, maximum: int = _MAX_NUMBER) -> int:
    return max(0, min(number, maximum))
