"""Debouncing of keys and seat buttons, and their events.

- `Debouncer` accepts the first edge of a contact, ignores all edges for `DEBOUNCE_US`, and then reads the level again.
  A short tap is therefore one press, and a release in the ignored time is not lost.
- `PanelButtons` converts edges of buttons and keys into events, in the order of their times. The firmware of the boards
  has already debounced the buttons.
- `GpioKeys` reads the keys at the pins of a Raspberry Pi and reports their levels on an asyncio loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_messages import (
    ButtonEdge,
    ButtonEdgesComplete,
    ButtonEdgesLost,
    LinkDown,
    LinkUp,
    Message,
)
from firmware_bridge.panel import PanelDriver
from hardware.events import KEYS, DeviceDown, DeviceUp, Event, Key, KeyPressed, PressesLost, SeatPressed
from hardware.key_edges import ContactHealth, EdgeOrder, KeyEdge
from hardware.layout import SEAT_NAMES, TableLayout

if TYPE_CHECKING:
    from gpiozero.pins import Factory, Pin

DEBOUNCE_US: Final = 25_000
"""Time, in µs, for which further edges are ignored after an edge. Contacts bounce for less than this time (readers.md,
7)."""
GPIO_DEVICE: Final = "gpio"
"""Device name of the Raspberry Pi's own pins in events."""
_KEYS: Final[Mapping[str, Key]] = {key: key for key in KEYS}


class Debouncer:
    """Debouncer of a contact.

    Call `on_edge` for every edge of the contact. Call `resample` with the contact's level at `next_deadline_us`.
    """

    def __init__(self, is_pressed: bool = False) -> None:
        self.is_pressed = is_pressed
        self._locked_until_us: int | None = None

    def on_edge(self, pressed: bool, at_us: int) -> bool:
        """Process an edge after which the contact is pressed or released. Return True if it counts as a press."""
        if self._locked_until_us is not None and at_us < self._locked_until_us:
            return False
        return self._change(pressed, at_us)

    def resample(self, pressed: bool, now_us: int) -> bool:
        """Process the level of the contact after the time in which edges are ignored. Return True if it is a press.

        Do nothing before that time is over.
        """
        if self._locked_until_us is None or now_us < self._locked_until_us:
            return False
        self._locked_until_us = None
        return self._change(pressed, now_us)

    def next_deadline_us(self) -> int | None:
        """Return the time at which to call `resample`, or None if no edge is being debounced."""
        return self._locked_until_us

    def _change(self, pressed: bool, at_us: int) -> bool:
        if pressed == self.is_pressed:
            return False
        self.is_pressed = pressed
        self._locked_until_us = at_us + DEBOUNCE_US
        return pressed


def press_event(name: str, at_us: int) -> Event:
    """Return the event for a pressed button with this name, which is `seat1` to `seat10` or a key.

    Raise KeyError for another name.
    """
    if name in SEAT_NAMES:
        return SeatPressed(SEAT_NAMES.index(name) + 1, at_us)
    return KeyPressed(_KEYS[name], at_us)


class PanelButtons:
    """Converts edges of the buttons at panel boards and of the keys at pins into events.

    The presses are in the order in which people made them (see `key_edges`). Contacts that bounce or are stuck are
    left out and reported. After a `ButtonEdge` the owner must send what the boards have to
    send, because they may have been asked for earlier edges. The owner calls `poll` at `next_deadline_us`.
    """

    def __init__(self, layout: TableLayout, boards: Mapping[str, PanelDriver] | None = None) -> None:
        """Create the buttons of a layout. Without `boards`, no board is asked for earlier edges."""
        self._buttons = {panel.name: dict(panel.buttons) for panel in layout.panels}
        self._boards = boards or {}
        self._order = EdgeOrder()
        self._contacts = {source: ContactHealth() for source in (*self._buttons, GPIO_DEVICE)}

    def on_message(self, message: Message, now_us: int) -> list[Event]:
        """Return the events that follow from a driver's message.

        Return an empty list for the release of a button, a button without a function, and a message of another device.
        A button that was down when its board booted is not a press.
        """
        match message:
            case ButtonEdge(board=board, button=button):
                name = self._buttons.get(board, {}).get(button)
                return self._on_edge(message, name, now_us) if name is not None else []
            case ButtonEdgesComplete():
                self._order.on_complete(message)
                return self.poll(now_us)
            case ButtonEdgesLost(board=board, count=count, at_us=at_us) if board in self._buttons:
                events = self._end_waits()
                self._release(board, at_us)
                return [*events, PressesLost(board, count, at_us)]
            case LinkUp(device=device, at_us=at_us) if device in self._buttons:
                self._release(device, at_us)  # The board may have rebooted while it was down.
                self._order.set_up(device, device in self._boards)
                return [DeviceUp(device, at_us)]
            case LinkDown(device=device, reason=reason, at_us=at_us) if device in self._buttons:
                self._order.set_up(device, is_up=False)
                return [*self._end_waits(), DeviceDown(device, reason, at_us)]
        return []

    def on_pin(self, key: str, is_pressed: bool, at_us: int, is_held_at_boot: bool) -> list[Event]:
        """Return the events that follow from an edge of a key at a pin, after debouncing."""
        return self._on_edge(ButtonEdge(GPIO_DEVICE, 0, is_pressed, 0, at_us, is_held_at_boot), key, at_us)

    def poll(self, now_us: int) -> list[Event]:
        """Return the presses that need not wait any longer, and the contacts that have become stuck or quiet."""
        events = self._apply(self._order.pop_ready(now_us))
        for contacts in self._contacts.values():
            events += contacts.poll(now_us)
        return events

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if nothing needs a call."""
        soonest = self._order.next_deadline_us()
        for contacts in self._contacts.values():
            deadline_us = contacts.next_deadline_us()
            if deadline_us is not None and (soonest is None or deadline_us < soonest):
                soonest = deadline_us
        return soonest

    def _on_edge(self, edge: ButtonEdge, name: str, now_us: int) -> list[Event]:
        self._order.add(edge, name, now_us)
        for board in self._order.boards_to_ask(edge):
            self._boards[board].ask_for_edges(edge.at_us, now_us)
        return self._apply(self._order.pop_ready(now_us))

    def _apply(self, edges: list[KeyEdge]) -> list[Event]:
        """Return the presses among these edges, and the events of their contacts."""
        events: list[Event] = []
        for edge in edges:
            contacts = self._contacts[edge.source]
            if edge.is_held_at_boot:
                contacts.take_level(edge.name, edge.is_pressed, edge.at_us)
                continue
            is_press, contact_events = contacts.update(edge.name, edge.is_pressed, edge.at_us)
            events += contact_events
            if is_press:
                events.append(press_event(edge.name, edge.at_us))
        return events

    def _end_waits(self) -> list[Event]:
        """Return the events of all edges that wait. A fault of a board ends the waits, because it ends their reason."""
        return self._apply(self._order.pop_all())

    def _release(self, board: str, at_us: int) -> None:
        """Forget which buttons of a board are down, because releases may be lost. The next press then counts."""
        for name in self._buttons[board].values():
            self._contacts[board].take_level(name, is_pressed=False, at_us=at_us)


def _default_factory() -> Factory:
    from gpiozero import Device

    with warnings.catch_warnings():
        # gpiozero tries several pin libraries and warns about each one that is not installed here.
        warnings.simplefilter("ignore")
        Device.ensure_pin_factory()
    return Device.pin_factory


def open_pins_once(pins: Mapping[str, int]) -> None:
    """Open the pins of keys and close them again. Raise the errors of `GpioKeys`."""
    factory = _default_factory()
    for number in pins.values():
        pin = factory.pin(number)
        try:
            pin.function = "input"
            pin.pull = "up"
        finally:
            pin.close()


class GpioKeys:
    """Keys at the pins of a Raspberry Pi. Each key connects its pin to ground, so that a low level means pressed.

    gpiozero reports edges in a thread of its own, which passes them to the asyncio loop. The queue of the loop stays
    short, because only real presses and bounces cause edges.
    """

    def __init__(
        self,
        pins: Mapping[str, int],
        loop: asyncio.AbstractEventLoop,
        on_edge: Callable[[str, bool, int, bool], None],
        *,
        factory: Factory | None = None,
        now_us: Callable[[], int] = monotonic_us,
    ) -> None:
        """Open the pins. `pins` maps each key to a BCM pin number. Without `factory`, use gpiozero's default factory.

        `on_edge` gets each press and release: the key, whether it is pressed, the time, and whether the key was down
        when its pin was opened.

        Raise gpiozero's BadPinFactory (an ImportError) if this machine has no pins, and PinError for an unusable pin.
        """
        if factory is None:
            factory = _default_factory()
        self._loop = loop
        self._report_edge = on_edge
        self._now_us = now_us
        self._contacts: dict[str, Debouncer] = {}
        self._pins: dict[str, Pin] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._callbacks: dict[str, Callable[[float, int], None]] = {}
        for key, number in pins.items():
            self._open(key, factory.pin(number))

    def _open(self, key: str, pin: Pin) -> None:
        pin.function = "input"
        pin.pull = "up"
        pin.bounce = None
        self._pins[key] = pin
        is_pressed = not pin.state
        self._contacts[key] = Debouncer(is_pressed)
        if is_pressed:
            self._report_edge(key, True, self._now_us(), True)
        pin.edges = "both"
        # gpiozero keeps only a weak reference to the callback, so it must be stored here.
        self._callbacks[key] = self._make_callback(key)
        pin.when_changed = self._callbacks[key]

    def _make_callback(self, key: str) -> Callable[[float, int], None]:
        def on_change(ticks: float, state: int) -> None:
            at_us = self._now_us()
            # The loop may already be closed when the last edge arrives. The edge is then ignored.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._on_edge, key, not state, at_us)

        return on_change

    def _on_edge(self, key: str, pressed: bool, at_us: int) -> None:
        contact = self._contacts.get(key)
        if contact is not None:
            was_pressed = contact.is_pressed
            contact.on_edge(pressed, at_us)
            self._report(key, was_pressed, at_us)

    def _resample(self, key: str) -> None:
        self._timers.pop(key, None)
        contact = self._contacts.get(key)
        if contact is not None:
            now_us, was_pressed = self._now_us(), contact.is_pressed
            contact.resample(not self._pins[key].state, now_us)
            self._report(key, was_pressed, now_us)

    def _report(self, key: str, was_pressed: bool, at_us: int) -> None:
        """Report an edge if the level of a key has changed, and set the timer for its next look at the level."""
        contact = self._contacts[key]
        if contact.is_pressed != was_pressed:
            self._report_edge(key, contact.is_pressed, at_us, False)
        deadline_us = contact.next_deadline_us()
        if deadline_us is not None and key not in self._timers:
            wait_s = max(0, deadline_us - self._now_us()) / 1e6
            self._timers[key] = self._loop.call_later(wait_s, self._resample, key)

    def close(self) -> None:
        """Release the pins. No events are reported afterwards."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._contacts.clear()
        for pin in self._pins.values():
            pin.when_changed = None
            pin.close()
        self._pins.clear()
