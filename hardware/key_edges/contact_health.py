"""Contacts of keys and seat buttons that bounce again and again, or that are stuck."""

from __future__ import annotations

from collections import deque
from typing import Final

from hardware.events import KEY_BOUNCES, KEY_DEVICES, KEY_STUCK, DeviceDown, DeviceUp, Event, KeyFault

MAX_CHANGES: Final = 8
"""Maximum number of changes of a contact within `BOUNCE_WINDOW_US`. A person presses a key at most four times in this
time, but a broken contact changes up to eighty times."""
BOUNCE_WINDOW_US: Final = 2_000_000
QUIET_US: Final = 2_000_000
"""Time, in µs, without a change after which a contact that bounced is used again."""
STUCK_US: Final = 10_000_000
"""Time, in µs, after which a key that is down counts as stuck. People hold a key for at most a few seconds."""


class _Contact:
    """What is known about one contact: its level, its last changes, and the fault that was reported."""

    def __init__(self) -> None:
        self.is_pressed = False
        self.since_us = 0
        """Time since which the contact has had its level, as far as is known."""
        self.changes_us: deque[int] = deque(maxlen=MAX_CHANGES + 1)
        self.fault: KeyFault | None = None

    def next_deadline_us(self) -> int | None:
        """Return when the contact becomes stuck or quiet, or None if neither is possible."""
        if self.fault == KEY_BOUNCES or (self.fault and not self.is_pressed):
            return self.since_us + QUIET_US
        return self.since_us + STUCK_US if self.is_pressed and not self.fault else None


class ContactHealth:
    """Contacts by the name of their key or seat button.

    `update` says whether a change is a press that counts. The owner calls `poll` at `next_deadline_us`.
    """

    def __init__(self) -> None:
        self._contacts: dict[str, _Contact] = {}
        self._deadline_us: int | None = None
        """Result of `next_deadline_us`. The owner asks after every message, but contacts change only at an edge."""

    def update(self, name: str, is_pressed: bool, at_us: int) -> tuple[bool, list[Event]]:
        """Process a level after debouncing. Return True if it is a press that counts, and the events of a fault."""
        contact = self._contacts.setdefault(name, _Contact())
        events = self._poll(name, contact, at_us)
        is_change = is_pressed != contact.is_pressed
        if is_change:
            contact.is_pressed, contact.since_us = is_pressed, at_us
            contact.changes_us.append(at_us)
            changes = contact.changes_us
            if contact.fault == KEY_STUCK:
                events += self._set_fault(name, contact, None, at_us)
            if len(changes) > MAX_CHANGES and at_us - changes[0] <= BOUNCE_WINDOW_US:
                events += self._set_fault(name, contact, KEY_BOUNCES, at_us)
        self._update_deadline()
        return is_change and is_pressed and not contact.fault, events

    def take_level(self, name: str, is_pressed: bool, at_us: int) -> None:
        """Note a level that nobody has changed just now, such as that of a key that is held while its board boots."""
        contact = self._contacts.setdefault(name, _Contact())
        if is_pressed != contact.is_pressed:
            contact.is_pressed, contact.since_us = is_pressed, at_us
            self._update_deadline()

    def poll(self, now_us: int) -> list[Event]:
        """Return the events of contacts that have become stuck or quiet."""
        if self._deadline_us is None or now_us < self._deadline_us:
            return []
        events = [event for name, contact in self._contacts.items() for event in self._poll(name, contact, now_us)]
        self._update_deadline()
        return events

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if no contact needs a call."""
        return self._deadline_us

    def _update_deadline(self) -> None:
        deadlines = [contact.next_deadline_us() for contact in self._contacts.values()]
        self._deadline_us = min((deadline_us for deadline_us in deadlines if deadline_us is not None), default=None)

    def _poll(self, name: str, contact: _Contact, now_us: int) -> list[Event]:
        deadline_us = contact.next_deadline_us()
        if deadline_us is None or now_us < deadline_us:
            return []
        if contact.fault:
            contact.changes_us.clear()
            return self._set_fault(name, contact, None, now_us)
        return self._set_fault(name, contact, KEY_STUCK, now_us)

    def _set_fault(self, name: str, contact: _Contact, fault: KeyFault | None, at_us: int) -> list[Event]:
        """Change the fault of a contact. Return the event that reports it, or [] if it was already reported."""
        if fault is contact.fault:
            return []
        contact.fault = fault
        device = KEY_DEVICES[name]
        return [DeviceDown(device, fault, at_us) if fault else DeviceUp(device, at_us)]
