"""The summary of a table is small with any view, names who is needed, and is not guessed from another version."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules import MAX_AMOUNT, VARIANTS
from controller.view import (
    Alert,
    ClearableBy,
    FloorCallReason,
    FloorCallView,
    GameView,
    MessageValues,
    Money,
    SeatStatus,
    SeatView,
    TableView,
    Urgency,
    live_protocol,
    table_summary,
)
from controller.view.table_summary import (
    ATTENTION_ORDER,
    LONG_SINCE_PUSH_MINUTES,
    MAX_SUMMARY_BYTES,
    SUMMARY_VERSION,
    Attention,
    SummaryError,
    TableSummary,
    decode_summary,
    encode_summary,
    find_attention,
    summarise,
)
from hardware.text_input_validation import MAX_NAME_CHARS

LONGEST_NAME = "𠜎" * MAX_NAME_CHARS
"""The name with the most bytes that a configuration may have."""
VIEW = TableView(sequence=7, table_name="Table 4")


def alert(code: str, level: Urgency = "warning", clearable_by: ClearableBy = "floor", cause: str = "") -> Alert:
    return Alert(code=code, level=level, values=MessageValues(), clearable_by=clearable_by, cause=cause)


def view(**changes: object) -> TableView:
    return msgspec.structs.replace(VIEW, **changes)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=MAX_NAME_CHARS)
AMOUNTS = st.integers(-1, MAX_AMOUNT) | st.just(2**70)
VIEWS = st.builds(
    TableView,
    sequence=AMOUNTS,
    service_run=AMOUNTS,
    table_name=NAMES | st.just(LONGEST_NAME),
    dealer=NAMES | st.just(LONGEST_NAME),
    game=st.builds(
        GameView,
        variant=st.sampled_from(sorted(VARIANTS)) | NAMES,
        structure=NAMES,
        blinds=st.lists(AMOUNTS, max_size=5).map(tuple),
        bets=st.lists(AMOUNTS, max_size=6).map(tuple),
        ante=AMOUNTS,
    ),
    money=st.builds(Money, prefix=st.just("𠜎" * 8) | NAMES, decimals=st.integers(0, 20)),
    seats=st.lists(
        st.builds(SeatView, seat=st.integers(1, 10), status=st.sampled_from(get_args(SeatStatus))), max_size=11
    ).map(tuple),
    hand_number=AMOUNTS,
    pot=AMOUNTS,
    is_recorded=st.booleans(),
    is_closed=st.booleans(),
    floor_call=st.none()
    | st.builds(
        FloorCallView,
        why=st.sampled_from(get_args(FloorCallReason)),
        minutes=AMOUNTS,
        answered_by=NAMES | st.just(LONGEST_NAME),
    ),
    alerts=st.lists(
        st.builds(
            alert,
            code=st.sampled_from(["skipped", "journal-not-written"]),
            level=st.sampled_from(get_args(Urgency)),
            clearable_by=st.sampled_from(get_args(ClearableBy)),
        ),
        max_size=5,
    ).map(tuple),
)


@settings(deadline=None)
@given(VIEWS, st.none() | AMOUNTS, st.none() | AMOUNTS)
def test_summary_of_any_view_is_small_and_read_as_it_was(
    shown: TableView, hands_per_hour: int | None, dealer_minutes: int | None
) -> None:
    summary = summarise(shown, hands_per_hour=hands_per_hour, dealer_minutes=dealer_minutes)
    data = encode_summary(summary)
    assert len(data) <= MAX_SUMMARY_BYTES
    assert decode_summary(data) == summary
    assert len(summary.seat_uses) == min(len(shown.seats), 10)
    state = live_protocol.TableState(table="Table 4", summary=summary, version=summary.version)
    assert live_protocol.decode_line(live_protocol.encode_line(state)) == state


def test_largest_summary_has_little_space_left() -> None:
    """The limit is a limit: the largest view needs most of it, so that an added field is noticed here."""
    largest = view(
        sequence=2**63,
        service_run=2**63,
        table_name=LONGEST_NAME,
        dealer=LONGEST_NAME,
        game=GameView(
            variant=LONGEST_NAME,
            structure=LONGEST_NAME,
            blinds=(MAX_AMOUNT,) * 3,
            bets=(MAX_AMOUNT,) * 5,
            ante=MAX_AMOUNT,
        ),
        money=Money(prefix="𠜎" * 8, decimals=9),
        seats=tuple(SeatView(seat=seat) for seat in range(1, 11)),
        hand_number=2**63,
        pot=2**63,
        floor_call=FloorCallView(why="service", minutes=10_000, answered_by=LONGEST_NAME),
    )
    size = len(encode_summary(summarise(largest, hands_per_hour=10_000, dealer_minutes=10_000)))
    assert MAX_SUMMARY_BYTES - 40 < size <= MAX_SUMMARY_BYTES


def test_long_name_ends_with_an_ellipsis() -> None:
    assert summarise(view(table_name="Ä" * 40)).table_name == "Ä" * 40
    cut = summarise(view(table_name=LONGEST_NAME)).table_name
    assert cut == "𠜎" * 19 + "…"


def test_summary_has_what_the_view_says() -> None:
    summary = summarise(
        view(
            game=GameView(variant="omaha", structure="pot-limit", blinds=(5, 10)),
            money=Money(prefix="$", decimals=2),
            seats=(SeatView(seat=1), SeatView(seat=2, status="folded"), SeatView(seat=3, status="away")),
            hand_number=12,
            pot=640,
            dealer="ann",
            floor_call=FloorCallView(why="ruling", minutes=3, answered_by="max"),
            alerts=(alert("skipped"), alert("due-back", "info", "dealer"), alert("x", cause="sensors-off")),
        ),
        hands_per_hour=31,
        dealer_minutes=12,
    )
    assert summary == TableSummary(
        table_name="Table 4",
        attention="floor-call",
        call_why="ruling",
        call_minutes=3,
        answered_by="max",
        variant="omaha",
        structure="pot-limit",
        blinds=(5, 10),
        prefix="$",
        decimals=2,
        hand_number=12,
        seats="ota",
        hands_per_hour=31,
        dealer="ann",
        dealer_minutes=12,
        pot=640,
        warnings=1,
        infos=1,
        sequence=7,
    )
    assert summary.game == GameView(variant="omaha", structure="pot-limit", blinds=(5, 10))
    assert summary.money == Money(prefix="$", decimals=2)
    assert summary.seat_uses == ("open", "taken", "away")


def test_what_is_not_known_is_none() -> None:
    summary = summarise(VIEW)
    assert (summary.hands_per_hour, summary.dealer_minutes, summary.call_minutes) == (None, None, None)


ATTENTIONS: dict[str, tuple[TableView, int | None, Attention]] = {
    "nothing": (VIEW, None, ""),
    "fault": (view(alerts=(alert("reader-offline", clearable_by="technician"),)), None, "fault"),
    "consequence of a fault is not named twice": (
        view(alerts=(alert("spot-offline", clearable_by="technician", cause="sensors-off"),)),
        None,
        "",
    ),
    "information for a technician": (
        view(alerts=(alert("storage-nearly-full", "info", "technician"),)),
        None,
        "",
    ),
    "no journal": (view(is_recorded=False), None, "not-recorded"),
    "disk fails": (view(alerts=(alert("journal-not-written", clearable_by="technician"),)), None, "not-recorded"),
    "call": (view(floor_call=FloorCallView(why="player")), None, "floor-call"),
    "call without a reason": (view(floor_call=FloorCallView()), None, "floor-call"),
    "warning for the floor": (view(alerts=(alert("skipped"),)), None, "decision"),
    "question for the floor": (view(alerts=(alert("level-over", "question"),)), None, "decision"),
    "question for the dealer": (view(alerts=(alert("restarted", "question", "dealer"),)), None, ""),
    "fill": (view(floor_call=FloorCallView(why="fill")), None, "fill"),
    "credit": (view(floor_call=FloorCallView(why="credit")), None, "fill"),
    "just pushed": (VIEW, LONG_SINCE_PUSH_MINUTES - 1, ""),
    "long since push": (VIEW, LONG_SINCE_PUSH_MINUTES, "long-since-push"),
    "closed table needs no push": (view(is_closed=True), LONG_SINCE_PUSH_MINUTES, ""),
}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention_names_who_is_needed(name: str) -> None:
    shown, dealer_minutes, expected = ATTENTIONS[name]
    assert find_attention(shown, dealer_minutes) == expected


def test_most_urgent_attention_comes_first() -> None:
    everything = view(
        is_recorded=False,
        floor_call=FloorCallView(),
        alerts=(alert("skipped"), alert("reader-offline", clearable_by="technician")),
    )
    assert find_attention(everything, 999) == "fault"
    assert list(ATTENTION_ORDER) == [
        "fault",
        "not-recorded",
        "floor-call",
        "decision",
        "fill",
        "long-since-push",
        "",
    ]


UNREADABLE = {
    "another version": (msgspec.msgpack.encode([SUMMARY_VERSION + 1, {"a": "field"}, 3]), SUMMARY_VERSION + 1),
    "no version": (msgspec.msgpack.encode([]), 0),
    "text as version": (msgspec.msgpack.encode(["1"]), 0),
    "no array": (msgspec.msgpack.encode({"version": 1}), 0),
    "wrong field": (msgspec.msgpack.encode([SUMMARY_VERSION, 5]), 0),
    "unknown attention": (msgspec.msgpack.encode([SUMMARY_VERSION, "Table 4", "sleepy"]), 0),
    "truncated": (encode_summary(summarise(VIEW))[:-1], 0),
    "oversized": (bytes(MAX_SUMMARY_BYTES + 1), 0),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_summary_is_an_error_with_its_version(name: str) -> None:
    data, version = UNREADABLE[name]
    with pytest.raises(SummaryError) as caught:
        decode_summary(data)
    assert caught.value.version == version


def test_line_with_a_summary_of_another_version_has_only_the_version() -> None:
    line = (
        b'{"kind":"table","table":"Table 4","summary":[9,{"a":1}],'
        b'"connected":true,"recorded":false,"at":1.5,"version":9}\n'
    )
    assert live_protocol.decode_line(line) == live_protocol.TableState(
        table="Table 4", connected=True, at=1.5, version=9
    )


LINES = (
    live_protocol.RoomTables((live_protocol.TableSocket("Table 4", "tables/0.sock"),)),
    live_protocol.TableState(table="Table 4", summary=table_summary.summarise(VIEW), version=SUMMARY_VERSION),
    live_protocol.RoomAlive(1764482401.5),
)


@pytest.mark.parametrize("line", LINES)
def test_line_is_read_as_it_was_written(line: live_protocol.RoomLine) -> None:
    data = live_protocol.encode_line(line)
    assert (data.count(b"\n"), live_protocol.decode_line(data)) == (1, line)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b'{"kind":"other"}',
        b'{"kind":"table","table":1}',
        b"[" * 100_000,
        b'{"kind":"table","table":"a","summary":5,"connected":true,"recorded":true,"at":0,"version":1}',
    ],
)
def test_other_line_is_an_error(data: bytes) -> None:
    with pytest.raises(live_protocol.LiveProtocolError):
        live_protocol.decode_line(data)
