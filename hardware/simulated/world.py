"""The chips of a simulated table: who holds which, where each one lies. Hands move them, nothing makes them
vanish.

Every chip is a tag with a UID of the chip set, and at exactly one place (`ledger.py`): in a player's stack or hand, on
a spot, beside it, in the dealer's hands, or with the house. Each method checks that afterwards. Lammers and foreign
tags lie on one spot or beside the table, and only hands that mean them move them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple, Protocol

from hardware.chips import DENOMINATIONS, ChipSet, chips_for, made_of
from hardware.events import Chip
from hardware.simulated.ledger import Ledger, WorldError
from hardware.spots import BET_SPOTS, POT, SEATS, SPOTS, bet_spot

__all__ = [
    "Cover",
    "FieldNoise",
    "Snapshot",
    "World",
    "WorldError",
    "beside",
    "hand_of",
    "seat_behind",
    "stack_of",
    "stack_place",
]

DEALER: Final = "dealer"
"""The place of chips that the dealer's hands hold."""


def stack_place(seat: int) -> str:
    """The place of the stack behind a seat. Raises ValueError where there is no such seat."""
    return _placed("stack", seat)


def seat_behind(place: str) -> int | None:
    """The seat whose stack has this place; None for every other place."""
    return _SEAT_BEHIND.get(place)


def hand_of(seat: int) -> str:
    """The place of chips that a player's hand holds. Raises ValueError where there is no such seat."""
    return _placed("hand", seat)


def beside(seat: int) -> str:
    """The felt before a seat where no antenna reaches. Raises ValueError where there is no such seat."""
    return _placed("beside", seat)


@cache
def _placed(what: str, seat: int) -> str:
    bet_spot(seat)
    return f"{what}{seat}"


PLACES: Final = (
    *SPOTS,
    DEALER,
    *(_placed(what, seat) for what in ("stack", "hand", "beside") for seat in range(1, SEATS + 1)),
)
_SEAT_BEHIND: Final = {stack_place(seat): seat for seat in range(1, SEATS + 1)}


class Cover(NamedTuple):
    """What lies or hovers over a spot. `hand` (or a phone): every reading fails. `metal` (or a glass): readings are
    good and find nothing. `part`: a hand over some of the chips, `hidden`, while the others answer."""

    kind: Literal["hand", "metal", "part"]
    hidden: frozenset[str] = frozenset()


class FieldNoise(Protocol):
    """What stands between the chips that lie on a spot and those that answer."""

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """The UIDs that answer at this spot now. `lying` is from the bottom of the stack up; `neighbours` is
        what lies on the spots beside it, where something does."""


class _Reach(NamedTuple):
    """What an antenna can reach: at its own spot, and on the spots beside it."""

    own: tuple[str, ...]
    around: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where every chip and lammer was; only `World.restore` looks into it."""

    places: Mapping[str, tuple[str, ...]]
    things: Mapping[str, str]


def stack_of(*denominations: int, first: int = 0) -> tuple[Chip, ...]:
    """A stack as events have it, of chips of the reference table; the same for the same denominations.

    `first` is the serial number of the first chip of each denomination: stacks that are on the table together
    need different ones. Raises ChipSetError for a denomination that the reference table does not have.
    """
    counted: dict[int, int] = {}
    stack: list[Chip] = []
    for denomination in sorted(denominations, reverse=True):
        serial = counted.get(denomination, first)
        stack.append(Chip(_simulated_chips().mint(denomination, serial), denomination))
        counted[denomination] = serial + 1
    return tuple(stack)


def _simulated_chips() -> ChipSet:
    from hardware.layout import simulated

    return simulated().chip_set


class World(Ledger):
    """All chips of one table. `stacks` is seat to amount; amounts are in the unit of account."""

    def __init__(
        self,
        stacks: Mapping[int, int],
        seed: int = 0,
        *,
        chips: ChipSet | None = None,
        noise: FieldNoise | None = None,
        neighbours: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """`chips` is the chip set whose UIDs are minted, the reference table's unless given."""
        super().__init__(chips or _simulated_chips(), seed, PLACES)
        self.noise = noise
        self._things: dict[str, str] = {}
        """The spot of each lammer and foreign tag that lies on one, by UID."""
        self._shared: dict[str, tuple[str, str]] = {}
        """Chips between two spots: where each one lies, and the other spot that it reaches."""
        self._copies: dict[str, str] = {}
        """Chips whose tags answer with the UID of another one."""
        self._covers: dict[str, Cover] = {}
        self._reaches: dict[str, _Reach] = {}
        """What is known of the antennas' reach until something changes."""
        self.neighbours = {} if neighbours is None else {spot: tuple(names) for spot, names in neighbours.items()}
        for seat, amount in sorted(stacks.items()):
            self.buy(seat, amount)

    @property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """The spots beside each spot, sorted."""
        return self._neighbours

    @neighbours.setter
    def neighbours(self, neighbours: Mapping[str, Iterable[str]]) -> None:
        self._neighbours = {spot: tuple(sorted(names)) for spot, names in neighbours.items()}
        self._reaches.clear()

    # Hands

    def put(self, seat: int, denominations: Sequence[int], *, extra: bool = False) -> None:
        """These chips go from the player's stack onto its spot; the house exchanges where the player lacks
        them.

        With `extra` the player gets what its stack is short of from nowhere. Raises WorldError without.
        """
        stack, spot, amount = stack_place(seat), bet_spot(seat), sum(denominations)
        short = max(0, amount - self.stack_value(seat))
        if short and not extra:
            raise WorldError(f"seat {seat} puts {amount}: its stack holds {self.stack_value(seat)}")
        if short:
            self._from_house(stack, chips_for(short))
        self._move(self._exactly(stack, denominations), stack, spot)
        self._check(short)

    def take(self, seat: int, denominations: Sequence[int]) -> None:
        """These chips go from the spot back to the stack; exchanged on the spot where they are not there.

        Raises WorldError where less lies there.
        """
        stack, spot = stack_place(seat), bet_spot(seat)
        self._move(self._exactly(spot, denominations), spot, stack)
        self._check(0)

    def give_back(self, seat: int, amount: int) -> None:
        """The dealer pushes this value from the spot back to the player. Raises WorldError where less lies
        there."""
        stack, spot = stack_place(seat), bet_spot(seat)
        self._move(self._worth(spot, amount), spot, stack)
        self._check(0)

    def collect(self, seat: int, amount: int) -> None:
        """The dealer takes this value off the spot, and out of play. Raises WorldError where less lies there."""
        spot = bet_spot(seat)
        self._to_house(self._worth(spot, amount), spot)
        self._check(-amount)

    def lay_out(self, seat: int, denominations: Sequence[int]) -> None:
        """What lies on the spot is exchanged so that these chips are among it. Raises WorldError where less lies
        there."""
        self._exactly(bet_spot(seat), denominations)
        self._check(0)

    def change(self, seat: int, amount: int) -> None:
        """A value-neutral exchange on the spot: one chip of that value for smaller ones, or smaller ones for
        it.

        Raises WorldError where less than that lies there.
        """
        spot = bet_spot(seat)
        if any(self._values[uid] == amount for uid in self._places[spot]):
            smaller = made_of(amount, [value for value in DENOMINATIONS if value < amount])
            if smaller:
                self._swap(spot, self._pick(spot, [amount]), smaller)
        else:
            self._swap(spot, self._worth(spot, amount), [amount])
        self._check(0)

    def colour_up(self, seat: int, least: int = 1) -> None:
        """The chips on the spot are exchanged for as few as can be; those below `least` for others below it."""
        spot = bet_spot(seat)
        lying = self.denominations(spot)
        small = sum(value for value in lying if value < least)
        pieces = [*chips_for(sum(lying) - small)]
        rest = sum(value for value in pieces if value < least)
        pieces = [value for value in pieces if value >= least]
        if rest:  # on top of the value of another chip: no chip below `least` comes of larger ones
            pieces[-1] += rest
        if small:
            pieces += made_of(small, [*(value for value in DENOMINATIONS if value < least - 1), least - 1])
        if len(pieces) < len(lying):
            self._swap(spot, list(self._places[spot]), pieces)
        self._check(0)

    def sweep(self, seats: Iterable[int] | None = None) -> None:
        """All chips of these spots (of all bet spots unless given) go to the pot."""
        spots = BET_SPOTS if seats is None else tuple(bet_spot(seat) for seat in seats)
        for spot in spots:
            self._move(list(self._places[spot]), spot, POT)
        self._check(0)

    def award(self, seat: int, amount: int) -> None:
        """This value goes from the pot to a player. Raises WorldError where the pot holds less."""
        self._move(self._worth(POT, amount), POT, stack_place(seat))
        self._check(0)

    def drop(self, amount: int) -> None:
        """This value leaves the pot: rake, jackpot. Raises WorldError where the pot holds less."""
        self._to_house(self._worth(POT, amount), POT)
        self._check(-amount)

    def buy(self, seat: int, amount: int) -> None:
        """The player gets chips of this value from the house."""
        self._from_house(stack_place(seat), chips_for(amount))
        self._check(amount)

    def pay(self, seat: int, amount: int) -> None:
        """The player gives this value out of its stack to the house: tip, time. Raises WorldError where it
        has less."""
        stack = stack_place(seat)
        self._to_house(self._worth(stack, amount), stack)
        self._check(-amount)

    def leave(self, seat: int) -> int:
        """The player cashes in its whole stack; gives its value."""
        stack, value = stack_place(seat), self.stack_value(seat)
        self._to_house(list(self._places[stack]), stack)
        self._check(-value)
        return value

    def move(self, seat: int, to: int) -> None:
        """The player takes its stack to another seat, on top of what is there."""
        stack = stack_place(seat)
        self._move(list(self._places[stack]), stack, stack_place(to))
        self._check(0)

    # Things that are no chips, and how things lie

    def put_lammer(self, name: str, spot: str) -> None:
        """A lammer of this name is laid on a spot. Raises WorldError where none of them is beside the table."""
        uid = next((uid for uid in self._chip_set.lammers(name) if uid not in self._things), None)
        if uid is None:
            raise WorldError(f"{spot}: a lammer {name} asked for, none is beside the table")
        self.lay(uid, spot)

    def take_lammer(self, name: str, spot: str) -> None:
        """A lammer of this name is taken off a spot. Raises WorldError where none lies there."""
        uid = next((uid for uid in self._chip_set.lammers(name) if self._things.get(uid) == spot), None)
        if uid is None:
            raise WorldError(f"{spot}: a lammer {name} asked for, none there")
        self.lift(uid)

    def lay(self, uid: str, spot: str) -> None:
        """A tag that is no chip of the house (lammer, hotel key, another house's chip) is laid on a spot. Raises
        WorldError where it lies on one, or is a chip."""
        if spot not in SPOTS:
            raise WorldError(f"{spot}: a spot for the tag {uid} expected")
        if uid in self._things or uid in self._values:
            raise WorldError(f"{spot}: tag {uid}, a tag that is beside the table expected")
        self._things[uid] = spot
        self._reaches.clear()

    def lift(self, uid: str) -> None:
        """A tag that is no chip is taken off its spot. Raises WorldError where it lies on none."""
        if self._things.pop(uid, None) is None:
            raise WorldError(f"tag {uid} asked for, it lies on no spot")
        self._reaches.clear()

    def share(self, uid: str, spot: str) -> None:
        """A chip that lies on a spot reaches the antenna of another spot too, until it is moved. Raises WorldError
        where it lies on none."""
        own = next((name for name in SPOTS if uid in self._places[name]), None)
        if own is None:
            raise WorldError(f"{spot}: chip {uid} between it and another spot expected, it lies on none")
        self._shared[uid] = own, spot
        self._reaches.clear()

    def copy(self, uid: str, of: str) -> None:
        """From now on the tag of a chip answers with the UID of another one."""
        self._copies[uid] = of

    def cover(self, spot: str, cover: Cover | None) -> None:
        """Something is put over a spot; None: it is taken away."""
        if cover is None:
            self._covers.pop(spot, None)
        else:
            self._covers[spot] = cover

    def covered(self, spot: str) -> Cover | None:
        """What lies or hovers over a spot."""
        return self._covers.get(spot)

    # What is where

    def spot_value(self, seat: int) -> int:
        return self._value(bet_spot(seat))

    def stack_value(self, seat: int) -> int:
        return self._value(stack_place(seat))

    def pot_value(self) -> int:
        return self._value(POT)

    def denominations(self, spot: str) -> tuple[int, ...]:
        """The chips that really lie on a spot, largest first."""
        return tuple(sorted((self._values[uid] for uid in self._places[spot]), reverse=True))

    def lying(self, spot: str) -> tuple[str, ...]:
        """The UIDs that really lie on a spot, chips from the bottom up, then lammers and foreign tags."""
        return (*self._places[spot], *(uid for uid, at in self._things.items() if at == spot))

    def lies(self, uid: str) -> bool:
        """Whether this lammer or foreign tag lies on a spot."""
        return uid in self._things

    def failing(self, spot: str) -> bool:
        """Whether every reading of this spot fails, because of a hand over it."""
        cover = self._covers.get(spot)
        return cover is not None and cover.kind == "hand"

    def on_field(self, spot: str, now_us: int) -> list[str]:
        """The UIDs that answer an antenna at this spot: those that lie there or reach it, changed by the noise if
        there is one."""
        reach = self._reaches.get(spot) or self._reach(spot)
        found = list(reach.own) if self.noise is None else self.noise.field(spot, *reach, now_us)
        cover = self._covers.get(spot)
        if cover is not None:
            found = [uid for uid in found if cover.kind == "part" and uid not in cover.hidden]
        if self._copies:
            found = list(dict.fromkeys(self._copies.get(uid, uid) for uid in found))
        return found

    def snapshot(self) -> Snapshot:
        """Where every chip and lammer is now, for `restore`."""
        return Snapshot({name: tuple(uids) for name, uids in self._places.items()}, dict(self._things))

    def restore(self, snapshot: Snapshot) -> None:
        """Every chip and lammer goes back to where it was; chips made since are with the house."""
        self._things = dict(snapshot.things)
        self._put_back(snapshot.places)

    # How

    def _check(self, came: int) -> None:
        self._reaches.clear()
        if self._shared:
            self._shared = {uid: at for uid, at in self._shared.items() if uid in self._places[at[0]]}
        super()._check(came)

    def _reach(self, spot: str) -> _Reach:
        own = self.lying(spot)
        if self._shared:
            own += tuple(uid for uid, (_, also) in self._shared.items() if also == spot)
        around = {name: lying for name in self._neighbours.get(spot, ()) if (lying := self.lying(name))}
        reach = self._reaches[spot] = _Reach(own, around)
        return reach
