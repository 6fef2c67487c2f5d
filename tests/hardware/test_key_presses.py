"""Presses at several boards: none is lost, doubled or invented, and their order is kept."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesComplete, LinkUp, Message
from firmware_bridge.firmware import protocol
from firmware_bridge.firmware.main import PanelFirmware
from firmware_bridge.panel import PanelDriver
from hardware import layout
from hardware.buttons import PanelButtons
from hardware.events import DeviceDown, Event, KeyPressed
from hardware.key_edges import MAX_WAIT_US, ContactHealth, EdgeOrder, edge_order
from tests.hardware.press_simulation import PressSimulation

PRESSES_PER_SEED = 2_000
PRESSES_WITH_PLANTED_FAULT = 500
TWO_BOARDS = """
[[panels]]
name = "low"
port = "x"
buttons = { 0 = "fold" }
[[panels]]
name = "high"
port = "y"
buttons = { 0 = "deal" }
[gpio]
keys = { undo = 5 }
"""


def _first_difference(simulation: PressSimulation) -> str:
    """Return in what the reported presses differ from those that were made, or "" if they are the same."""
    reported = simulation.reported
    for number, (made, report) in enumerate(itertools.zip_longest(simulation.pressed, reported)):
        if made != report:
            kind = "lost" if report is None or made in reported[number:] else "doubled or invented"
            return f"press {number} of {made} is {kind}, or not in order: got {report}"
    if any(isinstance(event, DeviceDown) and event.device.startswith("key-") for event in simulation.events):
        return "a good contact was reported as faulty"
    if simulation.reboot_count != sum(driver.stats.reboots for driver in simulation.drivers.values()):
        return "a reboot was not noticed"
    return ""


def check_presses(seed: int, count: int) -> None:
    """Check that this number of presses is reported once and in order, although boards reboot."""
    simulation = PressSimulation(seed)
    simulation.play(count)
    assert simulation.reboot_count > count // 50
    assert _first_difference(simulation) == ""


def test_presses_are_reported_once_and_in_order() -> None:
    check_presses(seed=0, count=PRESSES_PER_SEED)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 6))
def test_ten_thousand_presses_are_reported_once_and_in_order(seed: int) -> None:
    check_presses(seed, PRESSES_PER_SEED)


def _report_by_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_order, "MAX_WAIT_US", 0)


def _count_held_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    add = EdgeOrder.add

    def add_as_press(order: EdgeOrder, edge: ButtonEdge, name: str, now_us: int) -> None:
        add(order, replace(edge, is_held_at_boot=False), name, now_us)

    monkeypatch.setattr(EdgeOrder, "add", add_as_press)


def _trust_the_first_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count a key as pressed if it is read as up at boot, and as down while it still bounces."""
    read_buttons = PanelFirmware._read_buttons

    def read_once(board: PanelFirmware, now_us: int) -> None:
        read_buttons(board, now_us)
        board._boot_end_us = 0

    monkeypatch.setattr(PanelFirmware, "_read_buttons", read_once)


def _keep_levels_over_reboots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PanelButtons, "_release", lambda buttons, board, at_us: None)


def _report_edges_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report an edge each time that the board sends it, and count each one that is down as a press."""
    on_edges = PanelDriver._on_edges

    def forget(driver: PanelDriver, payload: bytes, now_us: int) -> list[Message]:
        (driver._expected,) = struct.unpack(protocol.EVENTS_FORMAT, payload[:4])
        return on_edges(driver, payload, now_us)

    monkeypatch.setattr(PanelDriver, "_on_edges", forget)
    monkeypatch.setattr(ContactHealth, "update", lambda contacts, name, is_pressed, at_us: (is_pressed, []))


def _never_send_again(monkeypatch: pytest.MonkeyPatch) -> None:
    send_edges = PanelFirmware._send_edges

    def send_once(board: PanelFirmware, now_us: int) -> None:
        send_edges(board, now_us)
        board._oldest = board._next

    monkeypatch.setattr(PanelFirmware, "_send_edges", send_once)


@pytest.mark.parametrize(
    "plant",
    [
        _report_by_arrival,
        _count_held_keys,
        _trust_the_first_level,
        _keep_levels_over_reboots,
        _report_edges_again,
        _never_send_again,
    ],
)
def test_planted_fault_is_caught(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    simulation = PressSimulation(0)
    simulation.play(PRESSES_WITH_PLANTED_FAULT)
    assert _first_difference(simulation) != ""


def _two_boards() -> PanelButtons:
    names = ("low", "high")
    buttons = PanelButtons(layout.parse_layout(TWO_BOARDS), {name: PanelDriver(name) for name in names})
    for name in names:
        buttons.on_message(LinkUp(name, 0), 0)
    return buttons


def _edge(board: str, at_us: int) -> ButtonEdge:
    return ButtonEdge(board, 0, True, 0, at_us)


def test_press_waits_for_an_earlier_press_whose_frame_was_lost() -> None:
    buttons = _two_boards()
    assert buttons.on_message(_edge("high", 105_000), 107_000) == []
    events: list[Event] = [KeyPressed("fold", 100_000)]
    assert buttons.on_message(_edge("low", 100_000), 155_000) == events, "expected the older press first"
    events = [KeyPressed("deal", 105_000)]
    assert buttons.on_message(ButtonEdgesComplete("low", 112_000, 156_000), 156_000) == events


def test_press_waits_for_at_most_sixty_ms() -> None:
    buttons = _two_boards()
    assert buttons.on_message(_edge("high", 105_000), 107_000) == []
    assert buttons.next_deadline_us() == 107_000 + MAX_WAIT_US == 167_000
    assert buttons.poll(166_999) == []
    assert buttons.poll(167_000) == [KeyPressed("deal", 105_000)]


def test_press_of_a_pin_waits_for_the_boards() -> None:
    buttons = _two_boards()
    assert buttons.on_pin("undo", True, 105_000, False) == []
    assert buttons.on_message(_edge("high", 104_000), 106_000) == []
    assert buttons.on_message(ButtonEdgesComplete("low", 110_000, 112_000), 112_000) == [KeyPressed("deal", 104_000)]
    assert buttons.on_message(ButtonEdgesComplete("high", 110_000, 113_000), 113_000) == [KeyPressed("undo", 105_000)]


def test_press_does_not_wait_for_a_board_that_is_down() -> None:
    buttons = PanelButtons(layout.parse_layout(TWO_BOARDS), {"low": PanelDriver("low"), "high": PanelDriver("high")})
    buttons.on_message(LinkUp("high", 0), 0)
    assert buttons.on_message(_edge("high", 105_000), 107_000) == [KeyPressed("deal", 105_000)]
