"""Disconnections of devices at every state of a poker hand, and what the screen then shows.

Each result has the times until a disconnection is shown and until the spots are read again. It also lists errors in the
hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final, Literal, TypeAlias

from controller.view import TableView, TrayStatus
from hardware.layout import ModulationDepth, TableLayout
from hardware.simulated.noise import USUAL_NOISE, RadioNoise
from hardware.spots import BET_SPOTS, seat_of_spot
from tests.pipeline.simulated_hand import SECOND_US, SETTLE_WAIT_S, SimulatedHand

POLL_INTERVAL_S: Final = 0.05
OFFLINE_POLLS: Final = 20
"""Number of times that a trial reads the screen while the device is disconnected."""
TIMEOUT_US: Final = 12 * SECOND_US
SETTLED_S: Final = 6.0
"""Time in seconds after the reconnection, within which all remaining events are reported."""
EMPTY_SEATS: Final = range(5, 11)
"""Seats without players. In some trials, chips are on the spots of these seats."""

KEY_PAUSE_S: Final = 0.6
"""Time between two presses of a key. A contact that changes more than eight times in two seconds counts as broken."""
OFFLINE_STATES: Final[tuple[TrayStatus, ...]] = ("offline",)
UNREADABLE_STATES: Final[tuple[TrayStatus, ...]] = ("unsettled", *OFFLINE_STATES)

Load: TypeAlias = Literal["light", "full"]
"""Chips on the table in addition to the bets.

"light" means no further chips. "full" means twenty chips on each spot without a player.
"""

# --- states of a hand ---


def _first(simulation: SimulatedHand) -> None:
    """Change nothing: seat 4 is in turn, before the flop."""


def _second(simulation: SimulatedHand) -> None:
    simulation.put_chips_and_wait(4, 25, 5)


def _third(simulation: SimulatedHand) -> None:
    _second(simulation)
    simulation.press_key("fold")


def _last(simulation: SimulatedHand) -> None:
    _third(simulation)
    simulation.put_chips_and_wait(2, 25)


def _noticed(simulation: SimulatedHand) -> None:
    """Put down chips for the seat in turn, and wait only until the chips have landed."""
    simulation.put_chips(4, 25, 5)
    simulation.wait(0.06)


def _provisional(simulation: SimulatedHand) -> None:
    """Put down chips for the seat in turn, and wait until the chips are seen but have not settled."""
    simulation.put_chips(4, 25, 5)
    simulation.wait(0.6)


def _questioned(simulation: SimulatedHand) -> None:
    """Put down chips of a seat that is not in turn, so that the dealer is asked about them."""
    simulation.wait(10.0)  # A single chip that arrives just after the deal would count as a card protector.
    simulation.put_chips_and_wait(1, 5, 5)
    simulation.wait(4.0)


def _held(simulation: SimulatedHand) -> None:
    """Let the dealer enter the chips of a seat that is not in turn as a call out of turn."""
    _questioned(simulation)
    simulation.do("out-of-turn 1")


def _closed(simulation: SimulatedHand) -> None:
    """Play until the betting round is complete and the bets are not swept yet."""
    _last(simulation)
    simulation.put_chips_and_wait(3, 5, 5, 5, 5)


def _flop(simulation: SimulatedHand) -> None:
    _closed(simulation)
    simulation.sweep_bets(2, 3, 4)
    simulation.wait(SETTLE_WAIT_S)
    simulation.press_key("deal")
    simulation.wait(SETTLE_WAIT_S)


def _flop_bet(simulation: SimulatedHand) -> None:
    _flop(simulation)
    simulation.put_chips_and_wait(2, 25, 25)


def _showdown(simulation: SimulatedHand) -> None:
    _flop(simulation)
    for _ in range(3):
        for _ in range(3):
            simulation.press_key("check-call")
            simulation.wait(KEY_PAUSE_S)
        simulation.press_key("deal")
        simulation.wait(KEY_PAUSE_S)


def _hand_over(simulation: SimulatedHand) -> None:
    """Play until the pot is awarded and pushed to the winner."""
    _showdown(simulation)
    simulation.do("award main 4")
    simulation.wait_until(simulation.hands.push_pot({4: 90}, simulation.now_us))
    simulation.wait(SETTLE_WAIT_S)


STATES: Final[Mapping[str, Callable[[SimulatedHand], None]]] = {
    "first in turn": _first,
    "second in turn": _second,
    "third in turn": _third,
    "last in turn": _last,
    "chips noticed": _noticed,
    "chips seen": _provisional,
    "a question open": _questioned,
    "a call held": _held,
    "round closed": _closed,
    "flop": _flop,
    "a bet on the flop": _flop_bet,
    "showdown": _showdown,
    "hand over": _hand_over,
}

# --- disconnections ---


@dataclass(frozen=True)
class Disconnection:
    """Devices and antennas that are disconnected together."""

    cable: tuple[str, ...] = ()
    power: tuple[str, ...] = ()
    antennas: tuple[str, ...] = ()

    def disconnect(self, simulation: SimulatedHand) -> None:
        """Disconnect everything."""
        for name in self.cable:
            simulation.simulated_table.unplug_reader(name)
        for name in self.power:
            simulation.simulated_table.cut_power(name)
        for spot in self.antennas:
            simulation.simulated_table.unplug(spot)

    def reconnect(self, simulation: SimulatedHand) -> None:
        """Reconnect everything."""
        for name in self.cable:
            simulation.simulated_table.plug_reader(name)
        for name in self.power:
            simulation.simulated_table.restore_power(name)
        for spot in self.antennas:
            simulation.simulated_table.plug(spot)

    def devices(self) -> tuple[str, ...]:
        """Return the names of the disconnected devices."""
        return (*self.cable, *self.power)

    def spots(self, layout: TableLayout) -> tuple[str, ...]:
        """Return the spots that cannot be read because of the disconnection."""
        spots_by_reader = layout.spot_antennas.spots_by_reader
        return (*(spot for name in self.devices() for spot in spots_by_reader.get(name, ())), *self.antennas)


ODD: Final = ("bet1", "bet3", "bet5", "bet7", "bet9", "pot")
EVEN: Final = ("bet2", "bet4", "bet6", "bet8", "bet10", "tray")
DISCONNECTIONS: Final[Mapping[str, Disconnection]] = {
    "cable of odd": Disconnection(cable=("odd",)),
    "cable of even": Disconnection(cable=("even",)),
    "both cables": Disconnection(cable=("odd", "even")),
    "power of odd": Disconnection(power=("odd",)),
    "power of even": Disconnection(power=("even",)),
    "all antennas of odd": Disconnection(antennas=ODD),
    "all antennas of even": Disconnection(antennas=EVEN),
    "multiplexer, three of odd": Disconnection(antennas=ODD[:3]),
    "multiplexer, three of even": Disconnection(antennas=EVEN[:3]),
    **{
        f"antenna of {spot}": Disconnection(antennas=(spot,))
        for spot in ("bet1", "bet2", "bet3", "bet4", "pot", "tray")
    },
    "cable of a board": Disconnection(cable=("panel-low",)),
    "power of a board": Disconnection(power=("panel-low",)),
}


# --- a trial ---


@dataclass(frozen=True)
class DisconnectionResult:
    """Times and errors of a trial, in which devices are disconnected and reconnected."""

    until_shown_us: int
    """Time in µs until the screen shows each disconnected device as down and its spots as unsettled or offline.

    The time begins at the disconnection. After this time the screen must not change until the reconnection.
    """
    until_offline_us: int
    """Time in µs from the disconnection until the screen shows each spot as offline."""
    until_reconnected_us: int
    """Time in µs from the reconnection until all bet spots are read again."""
    errors: tuple[str, ...]
    """Facts of the hand that are wrong after the trial, such as the turn or the pot. Empty if no fact is wrong."""


def hand_facts(simulation: SimulatedHand) -> dict[str, Any]:
    """Return the facts of the hand that the screen shows: the turn, the bets, the pot and the limits."""
    view = simulation.view
    numbers = (view.to_call, view.min_raise_to, view.max_raise_to)
    return {"turn": simulation.turn, "bets": simulation.current_bets, "pot": simulation.pot, "numbers": numbers}


def table_at_state(state: str, seed: int, ask: ModulationDepth, load: Load) -> SimulatedHand:
    """Play a hand up to this state, wait for a short random time, and return the hand."""
    simulation = SimulatedHand(noise=RadioNoise(USUAL_NOISE, seed), seed=seed, ask=ask)
    if load == "full":
        for seat in EMPTY_SEATS:
            for number in range(20):
                chip = simulation.simulated_table.layout.chip_set.mint(5, 60_000 + 20 * seat + number)
                simulation.world.lay_foreign_tag(chip, BET_SPOTS[seat - 1])
        simulation.wait(8.0)
    STATES[state](simulation)
    if state not in ("chips noticed", "chips seen"):
        simulation.wait(Random(f"{seed} {state}").random())
    return simulation


@cache
def facts_without_disconnection(state: str, seed: int, ask: ModulationDepth, load: Load) -> dict[str, Any]:
    """Return the facts of the hand without a disconnection, after all chips that move in this state have landed."""
    simulation = table_at_state(state, seed, ask, load)
    simulation.wait(SETTLED_S)
    return hand_facts(simulation)


def play(state: str, name: str, seed: int = 1, ask: ModulationDepth = 100, load: Load = "light") -> DisconnectionResult:
    """Disconnect devices or antennas in this state of the hand, reconnect them, and return the result.

    The players wait until the end of the trial.
    """
    disconnection, simulation = DISCONNECTIONS[name], table_at_state(state, seed, ask, load)
    spots, before, expected = (
        disconnection.spots(simulation.simulated_table.layout),
        hand_facts(simulation),
        facts_without_disconnection(state, seed, ask, load),
    )
    errors, settled = list[str](), list[tuple[int, str]]()
    began_us, shown_us = simulation.now_us, 0

    def is_shown_as(states: tuple[TrayStatus, ...]) -> bool:
        return is_shown(simulation.view, disconnection, spots, states)

    def check_screen() -> None:
        if hand_facts(simulation) not in (before, expected):
            errors.append(f"{hand_facts(simulation)} while disconnected, {before} before")
        if _depends_on(simulation, spots) and not simulation.view.provisional:
            settled.append((simulation.now_us, f"largest raise {simulation.view.max_raise_to} shown as settled"))

    disconnection.disconnect(simulation)
    while not is_shown_as(OFFLINE_STATES) and simulation.now_us - began_us < TIMEOUT_US:
        # Chips may still settle after the disconnection, because of a reading that began before it.
        if not is_shown_as(UNREADABLE_STATES):
            shown_us = simulation.now_us - began_us + int(POLL_INTERVAL_S * SECOND_US)
        simulation.wait(POLL_INTERVAL_S)
        check_screen()
    offline_us = simulation.now_us - began_us
    for _ in range(OFFLINE_POLLS):
        simulation.wait(POLL_INTERVAL_S)
        check_screen()
    errors += [error for at_us, error in settled if at_us > began_us + shown_us]
    disconnection.reconnect(simulation)
    reconnect_time_us = simulation.now_us
    while not is_back(simulation, disconnection, spots) and simulation.now_us - reconnect_time_us < TIMEOUT_US:
        simulation.wait(POLL_INTERVAL_S)
    reconnected_us = simulation.now_us - reconnect_time_us
    simulation.wait(SETTLED_S)
    if hand_facts(simulation) != expected and not (hand_facts(simulation) == before and simulation.questions):
        errors.append(f"{hand_facts(simulation)} at the end, {expected} without a disconnection")
    return DisconnectionResult(shown_us, offline_us, reconnected_us, tuple(dict.fromkeys(errors)))


def is_shown(
    view: TableView, disconnection: Disconnection, spots: tuple[str, ...], states: tuple[TrayStatus, ...]
) -> bool:
    """Return True if the screen shows each device as down and each bet spot in one of these states.

    The screen must show the pot and the tray as offline.
    """
    offline_spots = {alert.values.spot for alert in view.alerts if alert.code == "spot-offline"}
    trays = {BET_SPOTS[seat.seat - 1]: seat.tray for seat in view.seats if seat.seat < EMPTY_SEATS[0]}
    return (
        _down(view).issuperset(disconnection.devices())
        and all(trays[spot] in states for spot in spots if spot in trays)
        and {spot for spot in spots if seat_of_spot(spot) is None} <= offline_spots
    )


def is_back(simulation: SimulatedHand, disconnection: Disconnection, spots: tuple[str, ...]) -> bool:
    """Return True if the screen shows each device as connected and each bet spot as read."""
    spots_by_reader = (
        simulation.simulated_table.spot_monitor.is_online(spot) for spot in spots if seat_of_spot(spot) is not None
    )
    return all(spots_by_reader) and not _down(simulation.view).intersection(disconnection.devices())


def _down(view: TableView) -> set[str]:
    return {device.name for device in view.devices if not device.up}


def _depends_on(simulation: SimulatedHand, spots: tuple[str, ...]) -> bool:
    """Return True if the screen shows a largest raise to which chips on one of these spots contribute."""
    hand = simulation.table.hand
    return bool(simulation.turn) and hand is not None and any(seat_of_spot(spot) in hand.live_seats for spot in spots)
