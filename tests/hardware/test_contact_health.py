"""Contacts that bounce or are stuck, and keys that are held while their board boots."""

from __future__ import annotations

import pytest

from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesLost, LinkUp, Message
from hardware import layout
from hardware.buttons import PanelButtons
from hardware.events import DeviceDown, DeviceUp, Event, KeyPressed
from hardware.key_edges import MAX_CHANGES, QUIET_US, STUCK_US, ContactHealth, contact_health

BOUNCE_US = 30_000
DEVICE = "key-fold"
PANEL = '[[panels]]\nname = "p1"\nport = "x"\nbuttons = { 0 = "fold" }\n'


def test_contact_that_bounces_is_left_out_until_it_is_quiet() -> None:
    contacts = ContactHealth()
    presses, events = 0, list[Event]()
    for change in range(1, 335):  # 167 presses in 10 s
        is_press, new_events = contacts.update("fold", change % 2 == 1, change * BOUNCE_US)
        presses += is_press
        events += new_events
    last_us = 334 * BOUNCE_US
    assert presses == MAX_CHANGES // 2
    assert events == [DeviceDown(DEVICE, "bounces", (MAX_CHANGES + 1) * BOUNCE_US)]
    assert contacts.next_deadline_us() == last_us + QUIET_US
    assert contacts.poll(last_us + QUIET_US - 1) == []
    assert contacts.poll(last_us + QUIET_US) == [DeviceUp(DEVICE, last_us + QUIET_US)]
    assert contacts.update("fold", True, last_us + QUIET_US + 1) == (True, [])


def test_press_after_a_quiet_time_counts_even_if_nobody_polled() -> None:
    contacts = ContactHealth()
    for change in range(1, 21):
        contacts.update("fold", change % 2 == 1, change * BOUNCE_US)
    at_us = 20 * BOUNCE_US + QUIET_US
    assert contacts.update("fold", True, at_us) == (True, [DeviceUp(DEVICE, at_us)])


@pytest.mark.parametrize(("gap_us", "fault"), [(250_000, True), (251_000, False)])
def test_person_may_press_four_times_in_two_seconds(gap_us: int, fault: bool) -> None:
    contacts = ContactHealth()
    events = [event for change in range(40) for event in contacts.update("fold", change % 2 == 0, change * gap_us)[1]]
    assert bool(events) == fault


def test_key_that_is_down_for_ten_seconds_is_stuck_until_it_is_released() -> None:
    contacts = ContactHealth()
    assert contacts.update("fold", True, 5) == (True, [])
    assert contacts.poll(STUCK_US + 4) == []
    assert contacts.next_deadline_us() == STUCK_US + 5
    assert contacts.poll(STUCK_US + 5) == [DeviceDown(DEVICE, "stuck", STUCK_US + 5)]
    assert (contacts.poll(10 * STUCK_US), contacts.next_deadline_us()) == ([], None)
    assert contacts.update("fold", False, 11 * STUCK_US) == (False, [DeviceUp(DEVICE, 11 * STUCK_US)])
    assert contacts.update("fold", True, 12 * STUCK_US) == (True, [])


def test_key_that_is_held_at_the_start_can_be_stuck_but_is_no_press() -> None:
    contacts = ContactHealth()
    contacts.take_level("fold", True, 0)
    assert contacts.update("fold", True, 1) == (False, [])
    assert contacts.poll(STUCK_US) == [DeviceDown(DEVICE, "stuck", STUCK_US)]


def test_stuck_key_that_was_released_while_its_board_was_down_is_well_again() -> None:
    contacts = ContactHealth()
    contacts.update("fold", True, 0)
    contacts.poll(STUCK_US)
    contacts.take_level("fold", False, STUCK_US + 1)
    assert contacts.poll(STUCK_US + 1 + QUIET_US) == [DeviceUp(DEVICE, STUCK_US + 1 + QUIET_US)]


def _edge(is_pressed: bool, at_us: int) -> ButtonEdge:
    return ButtonEdge("p1", 0, is_pressed, 0, at_us)


@pytest.mark.parametrize("interruption", [ButtonEdgesLost("p1", 1, 50), LinkUp("p1", 50)])
def test_press_counts_after_the_release_before_it_was_lost(interruption: Message) -> None:
    keys = PanelButtons(layout.parse_layout(PANEL))
    assert keys.on_message(_edge(True, 1), 1) == [KeyPressed("fold", 1)]
    keys.on_message(interruption, 50)
    assert keys.on_message(_edge(True, 100), 100) == [KeyPressed("fold", 100)]


def test_planted_fault_contact_that_never_bounces_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_health, "BOUNCE_WINDOW_US", 0)
    contacts = ContactHealth()
    assert sum(contacts.update("fold", change % 2 == 1, change * BOUNCE_US)[0] for change in range(1, 335)) == 167
