"""Debouncing of keys and seat buttons, and their events.

- `Debouncer` accepts the first edge of a contact, ignores all edges for `DEBOUNCE_US`, and then reads the level again.
  A short tap is therefore one press, and a release in the ignored time is not lost.
- `PanelButtons` converts the messages of panel boards into events. The firmware of the boards has already debounced the
  buttons.
- `GpioKeys` reads the keys at the pins of a Raspberry Pi and reports their presses on an asyncio loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_messages import ButtonEdge, ButtonEdgesLost, LinkDown, LinkUp, Message
from hardware.events import KEYS, DeviceDown, DeviceUp, Event, Key, KeyPressed, PressesLost, SeatPressed
from hardware.layout import SEAT_NAMES, TableLayout

if TYPE_CHECKING:
    from gpiozero.pins import Factory, Pin

DEBOUNCE_US: Final = 25_000
"""Time, in µs, for which further edges are ignored after an edge. Contacts bounce for less than this time (readers.md,
7)."""
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
    """Converts the messages of a layout's panel boards into events."""

    def __init__(self, layout: TableLayout) -> None:
        self._buttons = {panel.name: dict(panel.buttons) for panel in layout.panels}

    def on_message(self, message: Message) -> list[Event]:
        """Return the events that follow from a driver's message.

        Return an empty list for the release of a button, a button without a function, and a message of another device.
        """
        match message:
            case ButtonEdge(board=board, button=button, pressed=True, at_us=at_us):
                name = self._buttons.get(board, {}).get(button)
                return [press_event(name, at_us)] if name is not None else []
            case ButtonEdgesLost(board=board, count=count, at_us=at_us) if board in self._buttons:
                return [PressesLost(board, count, at_us)]
            case LinkUp(device=device, at_us=at_us) if device in self._buttons:
                return [DeviceUp(device, at_us)]
            case LinkDown(device=device, reason=reason, at_us=at_us) if device in self._buttons:
                return [DeviceDown(device, reason, at_us)]
        return []


def _default_factory() -> Factory:
    from gpiozero import Device

    with warnings.catch_warnings():
        # gpiozero tries several pin libraries and warns about each one that is not installed here.
        warnings.simplefilter("ignore")
        Device.ensure_pin_factory()
    return Device.pin_factory


class GpioKeys:
    """Keys at the pins of a Raspberry Pi. Each key connects its pin to ground, so that a low level means pressed.

    gpiozero reports edges in a thread of its own, which passes them to the asyncio loop. The queue of the loop stays
    short, because only real presses and bounces cause edges.
    """

    def __init__(
        self,
        pins: Mapping[str, int],
        loop: asyncio.AbstractEventLoop,
        on_event: Callable[[Event], None],
        *,
        factory: Factory | None = None,
        now_us: Callable[[], int] = monotonic_us,
    ) -> None:
        """Open the pins. `pins` maps each key to a BCM pin number. Without `factory`, use gpiozero's default factory.

        Raise gpiozero's BadPinFactory (an ImportError) if this machine has no pins, and PinError for an unusable pin.
        """
        if factory is None:
            factory = _default_factory()
        self._loop = loop
        self._on_event = on_event
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
        self._contacts[key] = Debouncer(is_pressed=not pin.state)
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
            self._report(key, contact.on_edge(pressed, at_us), at_us)

    def _resample(self, key: str) -> None:
        self._timers.pop(key, None)
        contact = self._contacts.get(key)
        if contact is not None:
            now_us = self._now_us()
            self._report(key, contact.resample(not self._pins[key].state, now_us), now_us)

    def _report(self, key: str, is_press: bool, at_us: int) -> None:
        if is_press:
            self._on_event(press_event(key, at_us))
        deadline_us = self._contacts[key].next_deadline_us()
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
