"""Debouncing, names of buttons, and lamps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesLost, LinkDown, LinkUp
from hardware import buttons, layout
from hardware.buttons import DEBOUNCE_US, Debouncer, PanelButtons
from hardware.events import DeviceDown, DeviceUp, Event, KeyPressed, PressesLost, SeatPressed
from hardware.lamps import LampMap


def presses(edges: list[tuple[int, bool]]) -> list[int]:
    """Return the times at which a contact with these raw edges counts as pressed.

    Each edge is a pair of time and level. The level is sampled again when the debouncer requests it.
    """
    contact = Debouncer()
    press_times_us = []
    ahead = sorted(edges)
    level = False
    while ahead or contact.next_deadline_us() is not None:
        deadline_us = contact.next_deadline_us()
        if ahead and (deadline_us is None or ahead[0][0] < deadline_us):
            at_us, level = ahead.pop(0)
            pressed = contact.on_edge(level, at_us)
        else:
            assert deadline_us is not None
            at_us = deadline_us
            pressed = contact.resample(level, at_us)
        if pressed:
            press_times_us.append(at_us)
    return press_times_us


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([(0, True), (100_000, False)], [0]),
        ([(0, True), (1_000, False), (2_000, True), (3_000, False), (4_000, True), (90_000, False)], [0]),
        ([(0, True), (5_000, False)], [0]),
        ([(0, True), (10_000, False), (40_000, True), (100_000, False)], [0, DEBOUNCE_US * 2]),
        ([(0, True), (100_000, False), (101_000, True), (102_000, False)], [0]),
        ([(0, True), (100_000, False), (110_000, True), (300_000, False)], [0, 125_000]),
        ([(0, True), (60_000, False), (120_000, True), (180_000, False)], [0, 120_000]),
    ],
    ids=[
        "a press",
        "bouncing is one press",
        "a tap shorter than the lockout is a press",
        "a press right after a short tap is not lost",
        "bouncing at the release is not a press",
        "pressed again within the lockout of the release",
        "two presses",
    ],
)
def test_debouncer_counts_presses(edges: list[tuple[int, bool]], expected: list[int]) -> None:
    assert presses(edges) == expected


@given(
    st.lists(
        st.tuples(st.integers(60_000, 500_000), st.lists(st.integers(1, 4_000), max_size=4)),
        min_size=1,
        max_size=20,
    )
)
def test_every_press_with_bounces_counts_once(strokes: list[tuple[int, list[int]]]) -> None:
    """Let the level change after a pause, followed by bounces that end within the lockout, again and again."""
    edges: list[tuple[int, bool]] = []
    starts = []
    at_us, level = 0, False
    for pause_us, bounces in strokes:
        at_us += pause_us
        level = not level
        if level:
            starts.append(at_us)
        edges.append((at_us, level))
        for bounce_us in bounces:
            edges += [(at_us + bounce_us // 2, not level), (at_us + bounce_us, level)]
            at_us += bounce_us
    assert presses(edges) == starts


def test_planted_fault_missing_lockout_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buttons, "DEBOUNCE_US", 0)
    assert len(presses([(0, True), (1_000, False), (2_000, True), (90_000, False)])) == 2


def edge(button: int, pressed: bool = True, board: str = "panel-low") -> ButtonEdge:
    return ButtonEdge(board, button, pressed, 0, 7)


@pytest.mark.parametrize(
    ("message", "events"),
    [
        (edge(0), [SeatPressed(1, 7)]),
        (edge(4, board="panel-high"), [SeatPressed(10, 7)]),
        (edge(5), [KeyPressed("fold", 7)]),
        (edge(7, board="panel-high"), [KeyPressed("floor", 7)]),
        (edge(5, pressed=False), []),
        (edge(31), []),
        (edge(0, board="other"), []),
        (LinkUp("panel-low", 7), [DeviceUp("panel-low", 7)]),
        (LinkDown("panel-low", "silence", 7), [DeviceDown("panel-low", "silence", 7)]),
        (LinkUp("odd", 7), []),
        (ButtonEdgesLost("panel-low", 3, 7), [PressesLost("panel-low", 3, 7)]),
    ],
)
def test_panel_messages_become_events(
    message: ButtonEdge | ButtonEdgesLost | LinkUp | LinkDown, events: list[Event]
) -> None:
    assert PanelButtons(layout.reference_layout()).on_message(message, 7) == events


@given(st.frozensets(st.integers(1, 10)))
def test_lamp_masks_round_trip(seats: frozenset[int]) -> None:
    lamps = LampMap(layout.reference_layout())
    assert lamps.lit_seats(lamps.masks(seats)) == seats


def test_seat_without_lamp_is_ignored() -> None:
    assert LampMap(layout.parse_layout("name = 'bare'")).masks([1, 2]) == {}
