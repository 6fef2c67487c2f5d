"""Something is pulled out at a state of a hand, and put back: when the screen shows it, when it is read again, and what
of the hand has changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final, Literal, TypeAlias

from controller.view import TableView, Tray
from hardware.layout import Ask, Layout
from hardware.simulated.noise import USUAL, Noise
from hardware.spots import BET_SPOTS, seat_of
from tests.pipeline.scene import QUIET_S, SECOND_US, Scene

LOOK_S: Final = 0.05
OUT_LOOKS: Final = 20
"""So often is looked while it is out."""
LIMIT_US: Final = 12 * SECOND_US
SETTLED_S: Final = 6.0
"""After all that was out is read again: all that is told has been told."""
OTHERS: Final = range(5, 11)
"""Seats where nobody sits, but chips may lie."""

OUT: Final[tuple[Tray, ...]] = ("offline",)
SHOWN: Final[tuple[Tray, ...]] = ("unsettled", *OUT)

Load: TypeAlias = Literal["light", "full"]
"""What lies on the table beside the bets of the hand: nothing, or twenty chips on each spot where nobody sits."""

# --- states of a hand ---


def _first(scene: Scene) -> None:
    """4 is in turn, before the flop."""


def _second(scene: Scene) -> None:
    scene.bets(4, 25, 5)


def _third(scene: Scene) -> None:
    _second(scene)
    scene.key("fold")


def _last(scene: Scene) -> None:
    _third(scene)
    scene.bets(2, 25)


def _noticed(scene: Scene) -> None:
    """Chips of the seat in turn have just landed."""
    scene.puts(4, 25, 5)
    scene.wait(0.06)


def _seen(scene: Scene) -> None:
    """They are seen, and not complete."""
    scene.puts(4, 25, 5)
    scene.wait(0.6)


def _asked(scene: Scene) -> None:
    """Chips lie behind the turn, and the dealer is asked."""
    scene.wait(10.0)  # a chip that comes alone with the cards protects them
    scene.bets(1, 5, 5)
    scene.wait(4.0)


def _held(scene: Scene) -> None:
    """They are a call out of turn that is held."""
    _asked(scene)
    scene.do("out-of-turn 1")


def _closed(scene: Scene) -> None:
    """The betting is closed, the bets are not swept."""
    _last(scene)
    scene.bets(3, 5, 5, 5, 5)


def _flop(scene: Scene) -> None:
    _closed(scene)
    scene.sweeps(2, 3, 4)
    scene.wait(QUIET_S)
    scene.key("deal")
    scene.wait(QUIET_S)


def _flop_bet(scene: Scene) -> None:
    _flop(scene)
    scene.bets(2, 25, 25)


def _showdown(scene: Scene) -> None:
    _flop(scene)
    for _ in range(3):
        for _ in range(3):
            scene.key("check-call")
        scene.key("deal")


def _over(scene: Scene) -> None:
    """The pot is given and pushed."""
    _showdown(scene)
    scene.do("award main 4")
    scene.until(scene.hands.push_pot({4: 90}, scene.now_us))
    scene.wait(QUIET_S)


STATES: Final[Mapping[str, Callable[[Scene], None]]] = {
    "first in turn": _first,
    "second in turn": _second,
    "third in turn": _third,
    "last in turn": _last,
    "chips noticed": _noticed,
    "chips seen": _seen,
    "a question open": _asked,
    "a call held": _held,
    "round closed": _closed,
    "flop": _flop,
    "a bet on the flop": _flop_bet,
    "showdown": _showdown,
    "hand over": _over,
}

# --- what is pulled ---


@dataclass(frozen=True)
class Pulled:
    """What is pulled out: the devices that are gone then, and the spots that are not read."""

    cable: tuple[str, ...] = ()
    power: tuple[str, ...] = ()
    antennas: tuple[str, ...] = ()

    def out(self, scene: Scene) -> None:
        for name in self.cable:
            scene.rig.unplug_reader(name)
        for name in self.power:
            scene.rig.cut_power(name)
        for spot in self.antennas:
            scene.rig.unplug(spot)

    def back(self, scene: Scene) -> None:
        for name in self.cable:
            scene.rig.plug_reader(name)
        for name in self.power:
            scene.rig.give_power(name)
        for spot in self.antennas:
            scene.rig.plug(spot)

    def devices(self) -> tuple[str, ...]:
        return (*self.cable, *self.power)

    def spots(self, layout: Layout) -> tuple[str, ...]:
        read = layout.places.spots_of
        return (*(spot for name in self.devices() for spot in read.get(name, ())), *self.antennas)


ODD: Final = ("bet1", "bet3", "bet5", "bet7", "bet9", "pot")
EVEN: Final = ("bet2", "bet4", "bet6", "bet8", "bet10", "tray")
PULLED: Final[Mapping[str, Pulled]] = {
    "cable of odd": Pulled(cable=("odd",)),
    "cable of even": Pulled(cable=("even",)),
    "both cables": Pulled(cable=("odd", "even")),
    "power of odd": Pulled(power=("odd",)),
    "power of even": Pulled(power=("even",)),
    "all antennas of odd": Pulled(antennas=ODD),
    "all antennas of even": Pulled(antennas=EVEN),
    "multiplexer, three of odd": Pulled(antennas=ODD[:3]),
    "multiplexer, three of even": Pulled(antennas=EVEN[:3]),
    **{f"antenna of {spot}": Pulled(antennas=(spot,)) for spot in ("bet1", "bet2", "bet3", "bet4", "pot", "tray")},
    "cable of a board": Pulled(cable=("panel-low",)),
    "power of a board": Pulled(power=("panel-low",)),
}


# --- a trial ---


@dataclass(frozen=True)
class Trial:
    """What came of it; times from the moment at which it was pulled, or put back."""

    shown_us: int
    """Until the screen shows, and goes on to, of each seat that its spot is unsettled or not read, of each device that
    it is out."""
    known_us: int
    """Until it says so of each spot: not read."""
    back_us: int
    """Until all bet spots are read again."""
    wrong: tuple[str, ...]
    """What of the hand was not as it was, or as it would have become; empty where all is well."""


def facts(scene: Scene) -> dict[str, Any]:
    """What the hand is, by the screen."""
    view = scene.view
    numbers = (view.to_call, view.min_raise_to, view.max_raise_to)
    return {"turn": scene.turn, "bets": scene.bets_now, "pot": scene.pot, "numbers": numbers}


def begun(state: str, seed: int, ask: Ask, load: Load) -> Scene:
    """The table at that state, a moment after it was reached."""
    scene = Scene(noise=Noise(USUAL, seed), seed=seed, ask=ask)
    if load == "full":
        for seat in OTHERS:
            for number in range(20):
                chip = scene.rig.layout.chip_set.mint(5, 60_000 + 20 * seat + number)
                scene.world.lay(chip, BET_SPOTS[seat - 1])
        scene.wait(8.0)
    STATES[state](scene)
    if state not in ("chips noticed", "chips seen"):
        scene.wait(Random(f"{seed} {state}").random())
    return scene


@cache
def never_pulled(state: str, seed: int, ask: Ask, load: Load) -> dict[str, Any]:
    """What the hand is a while after that state, with all chips that were on their way."""
    scene = begun(state, seed, ask, load)
    scene.wait(SETTLED_S)
    return facts(scene)


def play(state: str, name: str, seed: int = 1, ask: Ask = 100, load: Load = "light") -> Trial:
    """Pulls it at that state; the players wait until it is back, and a while longer."""
    pulled, scene = PULLED[name], begun(state, seed, ask, load)
    spots, before, meant = pulled.spots(scene.rig.layout), facts(scene), never_pulled(state, seed, ask, load)
    wrong, settled = list[str](), list[tuple[int, str]]()
    began_us, shown_us = scene.now_us, 0

    def holds(as_what: tuple[Tray, ...]) -> bool:
        return is_shown(scene.view, pulled, spots, as_what)

    def looks() -> None:
        if facts(scene) not in (before, meant):
            wrong.append(f"{facts(scene)} while it is out, before it {before}")
        if _hangs_on(scene, spots) and not scene.view.provisional:
            settled.append((scene.now_us, f"a largest raise of {scene.view.max_raise_to} that looks settled"))

    pulled.out(scene)
    while not holds(OUT) and scene.now_us - began_us < LIMIT_US:
        if not holds(SHOWN):  # what moved before it was pulled may still become settled by a reading under way
            shown_us = scene.now_us - began_us + int(LOOK_S * SECOND_US)
        scene.wait(LOOK_S)
        looks()
    known_us = scene.now_us - began_us
    for _ in range(OUT_LOOKS):
        scene.wait(LOOK_S)
        looks()
    wrong += [what for at_us, what in settled if at_us > began_us + shown_us]
    pulled.back(scene)
    back_at_us = scene.now_us
    while not is_back(scene, pulled, spots) and scene.now_us - back_at_us < LIMIT_US:
        scene.wait(LOOK_S)
    back_us = scene.now_us - back_at_us
    scene.wait(SETTLED_S)
    if facts(scene) != meant and not (facts(scene) == before and scene.questions):
        wrong.append(f"{facts(scene)} at the end, never pulled {meant}")
    return Trial(shown_us, known_us, back_us, tuple(dict.fromkeys(wrong)))


def is_shown(view: TableView, pulled: Pulled, spots: tuple[str, ...], as_what: tuple[Tray, ...]) -> bool:
    """Whether each device is told as out, and each spot shown so; pot and tray have no other word than offline."""
    told = {alert.values.spot for alert in view.alerts if alert.code == "spot-offline"}
    trays = {BET_SPOTS[seat.seat - 1]: seat.tray for seat in view.seats if seat.seat < OTHERS[0]}
    return (
        _down(view).issuperset(pulled.devices())
        and all(trays[spot] in as_what for spot in spots if spot in trays)
        and {spot for spot in spots if seat_of(spot) is None} <= told
    )


def is_back(scene: Scene, pulled: Pulled, spots: tuple[str, ...]) -> bool:
    """Whether each device is there, and each seat's spot is read."""
    read = (scene.rig.trays.online(spot) for spot in spots if seat_of(spot) is not None)
    return all(read) and not _down(scene.view).intersection(pulled.devices())


def _down(view: TableView) -> set[str]:
    return {device.name for device in view.devices if not device.up}


def _hangs_on(scene: Scene, spots: tuple[str, ...]) -> bool:
    """Whether a largest raise is shown that chips on one of these spots may change."""
    hand = scene.table.hand
    return bool(scene.turn) and hand is not None and any(seat_of(spot) in hand.live for spot in spots)
