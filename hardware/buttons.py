"""Keys and seat buttons: raw edges -> presses.

`Debounce` is pure: the first edge counts, then the contact is locked out for `LOCKOUT_US`, then its level is
read again, so that a short tap is one press and a release inside the lock-out is not lost. Panel boards
debounce by themselves (their firmware does the same); `PanelKeys` only names what they report. `GpioKeys`
puts the keys at the Pi's own pins onto an asyncio loop."""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from firmware_bridge.clock import monotonic_us
from firmware_bridge.messages import ButtonEdge, ButtonsLost, LinkDown, LinkUp, Message
from hardware.events import KEYS, DeviceDown, DeviceUp, Event, Key, KeyPressed, PressesLost, SeatPressed
from hardware.layout import SEAT_NAMES, Layout

if TYPE_CHECKING:
    from gpiozero.pins import Factory, Pin

LOCKOUT_US: Final = 25_000
"""Contacts bounce for less than this (readers.md, 7)."""
_KEYS: Final[Mapping[str, Key]] = {key: key for key in KEYS}


class Debounce:
    """One contact. Give it every raw edge, and call `read_again` at `next_deadline_us` with the level of
    then."""

    def __init__(self, pressed: bool = False) -> None:
        self.pressed = pressed
        self._locked_until_us: int | None = None

    def edge(self, pressed: bool, at_us: int) -> bool:
        """A raw edge to this level; True when it is a press."""
        if self._locked_until_us is not None and at_us < self._locked_until_us:
            return False
        return self._change(pressed, at_us)

    def read_again(self, pressed: bool, now_us: int) -> bool:
        """The level at the end of the lock-out (before it nothing is done); True when it is a press."""
        if self._locked_until_us is None or now_us < self._locked_until_us:
            return False
        self._locked_until_us = None
        return self._change(pressed, now_us)

    def next_deadline_us(self) -> int | None:
        """When the level is to be read again; None: not before the next edge."""
        return self._locked_until_us

    def _change(self, pressed: bool, at_us: int) -> bool:
        if pressed == self.pressed:
            return False
        self.pressed = pressed
        self._locked_until_us = at_us + LOCKOUT_US
        return pressed


def named_event(name: str, at_us: int) -> Event:
    """The event of a button by its name in the layout: `seat1` … `seat10` or a key. Raises KeyError for another."""
    if name in SEAT_NAMES:
        return SeatPressed(SEAT_NAMES.index(name) + 1, at_us)
    return KeyPressed(_KEYS[name], at_us)


class PanelKeys:
    """What the panel boards of a layout report, as events. Releases and unconnected buttons give nothing."""

    def __init__(self, layout: Layout) -> None:
        self._buttons = {panel.name: dict(panel.buttons) for panel in layout.panels}

    def on_message(self, message: Message) -> list[Event]:
        """A message of a panel board's driver; messages of other devices give nothing."""
        match message:
            case ButtonEdge(board=board, button=button, pressed=True, at_us=at_us):
                name = self._buttons.get(board, {}).get(button)
                return [named_event(name, at_us)] if name is not None else []
            case ButtonsLost(board=board, count=count, at_us=at_us) if board in self._buttons:
                return [PressesLost(board, count, at_us)]
            case LinkUp(device=device, at_us=at_us) if device in self._buttons:
                return [DeviceUp(device, at_us)]
            case LinkDown(device=device, reason=reason, at_us=at_us) if device in self._buttons:
                return [DeviceDown(device, reason, at_us)]
        return []


def _default_factory() -> Factory:
    from gpiozero import Device

    with warnings.catch_warnings():
        # It warns of each kind of pins that this machine does not have before it tries the next one.
        warnings.simplefilter("ignore")
        Device.ensure_pin_factory()
    return Device.pin_factory


class GpioKeys:
    """The keys at the Pi's pins: to ground, with pull-up, so that low is pressed.

    Edges come on a thread of the pin library; all that is done there is to hand them to the loop. Not more
    than one press waits for each edge, so the loop's queue is bounded by the hands that press."""

    def __init__(
        self,
        pins: Mapping[str, int],
        loop: asyncio.AbstractEventLoop,
        on_event: Callable[[Event], None],
        *,
        factory: Factory | None = None,
        now_us: Callable[[], int] = monotonic_us,
    ) -> None:
        """`pins` is key to BCM number; `factory` is gpiozero's default unless given.

        Raises gpiozero's BadPinFactory (an ImportError) where this machine has no pins, PinError for a bad
        one."""
        if factory is None:
            factory = _default_factory()
        self._loop = loop
        self._on_event = on_event
        self._now_us = now_us
        self._contacts: dict[str, Debounce] = {}
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
        self._contacts[key] = Debounce(pressed=not pin.state)
        pin.edges = "both"
        # gpiozero keeps a weak reference only: the callback has to live here.
        self._callbacks[key] = self._callback(key)
        pin.when_changed = self._callbacks[key]

    def _callback(self, key: str) -> Callable[[float, int], None]:
        def changed(ticks: float, state: int) -> None:
            at_us = self._now_us()
            # The loop may close while a last edge is on its way: it is nobody's press then.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._edge, key, not state, at_us)

        return changed

    def _edge(self, key: str, pressed: bool, at_us: int) -> None:
        contact = self._contacts.get(key)
        if contact is not None:
            self._after(key, contact.edge(pressed, at_us), at_us)

    def _read_again(self, key: str) -> None:
        self._timers.pop(key, None)
        contact = self._contacts.get(key)
        if contact is not None:
            now_us = self._now_us()
            self._after(key, contact.read_again(not self._pins[key].state, now_us), now_us)

    def _after(self, key: str, is_press: bool, at_us: int) -> None:
        if is_press:
            self._on_event(named_event(key, at_us))
        deadline_us = self._contacts[key].next_deadline_us()
        if deadline_us is not None and key not in self._timers:
            wait_s = max(0, deadline_us - self._now_us()) / 1e6
            self._timers[key] = self._loop.call_later(wait_s, self._read_again, key)

    def close(self) -> None:
        """No more events; the pins are given back."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._contacts.clear()
        for pin in self._pins.values():
            pin.when_changed = None
            pin.close()
        self._pins.clear()
