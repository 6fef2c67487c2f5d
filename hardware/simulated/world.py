"""The chips of a simulated table: who holds which, where each one lies. Hands move them, nothing makes them
vanish.

Every chip is a tag with a UID of the chip set. A chip is at exactly one place: in a player's stack, on a
spot, or with the house, which exchanges value for value and has every denomination. Each method checks that
afterwards. A lammer lies on one spot or beside the table, and only hands that mean it move it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Final, Protocol

from firmware_bridge.errors import PotkeeperError, Whose
from hardware.chips import DENOMINATIONS, ChipSet, ChipSetError, chips_for, made_of
from hardware.events import Chip
from hardware.spots import POT, SPOTS, bet_spot

MAX_SERIAL_START: Final = 4_096
"""The seed chooses the serial number of the first chip of each denomination below this."""
_HOUSE: Final = "house"
_SPARE: Final = 20
"""So many chips of a denomination the house holds before it gives one of them again: those that left a spot are not
the ones that come to it next."""


class WorldError(PotkeeperError):
    """Hands cannot do that: chips or lammers are not there. The message says where, what was asked, what is there."""

    whose: ClassVar[Whose] = "person"


class FieldNoise(Protocol):
    """What stands between the chips that lie on a spot and those that answer."""

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """The UIDs that answer at this spot now. `lying` is from the bottom of the stack up; `neighbours` is
        what lies on the spots beside it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where every chip and lammer was; only `World.restore` looks into it."""

    places: Mapping[str, tuple[str, ...]]
    serials: Mapping[int, int]
    lammers: Mapping[str, str]


def stack_of(*denominations: int, first: int = 0) -> tuple[Chip, ...]:
    """A stack as events have it, of chips of the reference table; the same for the same denominations.

    `first` is the serial number of the first chip of each denomination: stacks that are on the table together
    need different ones. Raises ChipSetError for a denomination that the reference table does not have.
    """
    counted: Counter[int] = Counter()
    stack: list[Chip] = []
    for denomination in sorted(denominations, reverse=True):
        uid = _reference_chips().mint(denomination, first + counted[denomination])
        counted[denomination] += 1
        stack.append(Chip(uid, denomination))
    return tuple(stack)


def _reference_chips() -> ChipSet:
    from hardware.layout import reference

    return reference().chip_set


class World:
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
        self.noise = noise
        self.neighbours: Mapping[str, tuple[str, ...]] = {
            spot: tuple(sorted(names)) for spot, names in (neighbours or {}).items()
        }
        self._chip_set = chips or _reference_chips()
        self._values: dict[str, int] = {}
        self._places: dict[str, list[str]] = {spot: [] for spot in SPOTS}
        self._places[_HOUSE] = []
        self._lammers: dict[str, str] = {}
        """The spot of each lammer that lies on one, by UID."""
        self._first_serial = Random(seed).randrange(MAX_SERIAL_START)
        self._serials: Counter[int] = Counter()
        self._in_play = 0
        for seat, amount in sorted(stacks.items()):
            self.buy(seat, amount)

    # Hands

    def put(self, seat: int, denominations: Sequence[int], *, extra: bool = False) -> None:
        """These chips go from the player's stack onto its spot; the house exchanges where the player lacks
        them.

        With `extra` the player gets what its stack is short of from nowhere. Raises WorldError without.
        """
        stack, spot, amount = self._stack(seat), bet_spot(seat), sum(denominations)
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
        stack, spot = self._stack(seat), bet_spot(seat)
        self._move(self._exactly(spot, denominations), spot, stack)
        self._check(0)

    def give_back(self, seat: int, amount: int) -> None:
        """The dealer pushes this value from the spot back to the player. Raises WorldError where less lies
        there."""
        stack, spot = self._stack(seat), bet_spot(seat)
        self._move(self._worth(spot, amount), spot, stack)
        self._check(0)

    def collect(self, seat: int, amount: int) -> None:
        """The dealer takes this value off the spot, and out of play. Raises WorldError where less lies there."""
        spot = bet_spot(seat)
        self._move(self._worth(spot, amount), spot, _HOUSE)
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
        spots = SPOTS[:-2] if seats is None else tuple(bet_spot(seat) for seat in seats)
        for spot in spots:
            self._move(list(self._places[spot]), spot, POT)
        self._check(0)

    def award(self, seat: int, amount: int) -> None:
        """This value goes from the pot to a player. Raises WorldError where the pot holds less."""
        self._move(self._worth(POT, amount), POT, self._stack(seat))
        self._check(0)

    def drop(self, amount: int) -> None:
        """This value leaves the pot: rake, jackpot. Raises WorldError where the pot holds less."""
        self._move(self._worth(POT, amount), POT, _HOUSE)
        self._check(-amount)

    def buy(self, seat: int, amount: int) -> None:
        """The player gets chips of this value from the house."""
        self._from_house(self._stack(seat), chips_for(amount))
        self._check(amount)

    def pay(self, seat: int, amount: int) -> None:
        """The player gives this value out of its stack to the house: tip, time. Raises WorldError where it
        has less."""
        stack = self._stack(seat)
        self._move(self._worth(stack, amount), stack, _HOUSE)
        self._check(-amount)

    def leave(self, seat: int) -> int:
        """The player cashes in its whole stack; gives its value."""
        stack, value = self._stack(seat), self.stack_value(seat)
        self._move(list(self._places[stack]), stack, _HOUSE)
        self._check(-value)
        return value

    def move(self, seat: int, to: int) -> None:
        """The player takes its stack to another seat, on top of what is there."""
        stack = self._stack(seat)
        self._move(list(self._places[stack]), stack, self._stack(to))
        self._check(0)

    def put_lammer(self, name: str, spot: str) -> None:
        """A lammer of this name is laid on a spot. Raises WorldError where none of them is beside the table."""
        if spot not in SPOTS:
            raise WorldError(f"{spot}: a spot for the lammer {name} expected")
        uid = next((uid for uid in self._chip_set.lammers(name) if uid not in self._lammers), None)
        if uid is None:
            raise WorldError(f"{spot}: a lammer {name} asked for, none is beside the table")
        self._lammers[uid] = spot

    def take_lammer(self, name: str, spot: str) -> None:
        """A lammer of this name is taken off a spot. Raises WorldError where none lies there."""
        uid = next((uid for uid in self._chip_set.lammers(name) if self._lammers.get(uid) == spot), None)
        if uid is None:
            raise WorldError(f"{spot}: a lammer {name} asked for, none there")
        del self._lammers[uid]

    # What is where

    def spot_value(self, seat: int) -> int:
        return self._value(bet_spot(seat))

    def stack_value(self, seat: int) -> int:
        return self._value(self._stack(seat))

    def pot_value(self) -> int:
        return self._value(POT)

    def in_play(self) -> int:
        """The value of all chips that are not with the house."""
        return self._in_play

    def denominations(self, spot: str) -> tuple[int, ...]:
        """The chips that really lie on a spot, largest first."""
        return tuple(sorted((self._values[uid] for uid in self._places[spot]), reverse=True))

    def lying(self, spot: str) -> tuple[str, ...]:
        """The UIDs that really lie on a spot, chips from the bottom up, then lammers."""
        return (*self._places[spot], *(uid for uid, at in self._lammers.items() if at == spot))

    def on_field(self, spot: str, now_us: int) -> list[str]:
        """The UIDs that answer an antenna at this spot: those that lie there, changed by the noise if there
        is one."""
        lying = self.lying(spot)
        if self.noise is None:
            return list(lying)
        beside = {name: self.lying(name) for name in self.neighbours.get(spot, ())}
        return self.noise.field(spot, lying, beside, now_us)

    def snapshot(self) -> Snapshot:
        """Where every chip and lammer is now, for `restore`."""
        places = {name: tuple(uids) for name, uids in self._places.items()}
        return Snapshot(places, dict(self._serials), dict(self._lammers))

    def restore(self, snapshot: Snapshot) -> None:
        """Every chip and lammer goes back to where it was; chips made since are no more."""
        self._lammers = dict(snapshot.lammers)
        self._places = {name: list(uids) for name, uids in snapshot.places.items()}
        self._serials = Counter(snapshot.serials)
        kept = {uid for uids in self._places.values() for uid in uids}
        self._values = {uid: value for uid, value in self._values.items() if uid in kept}
        self._in_play = sum(self._value(name) for name in self._places if name != _HOUSE)
        self._check(0)

    # How

    def _stack(self, seat: int) -> str:
        bet_spot(seat)
        name = f"stack{seat}"
        self._places.setdefault(name, [])
        return name

    def _value(self, place: str) -> int:
        return sum(self._values[uid] for uid in self._places.get(place, ()))

    def _check(self, came: int) -> None:
        """Every chip is at one place, and as much came into play as was said (below 0: left)."""
        uids = [uid for place in self._places.values() for uid in place]
        assert len(uids) == len(set(uids)) == len(self._values), "a chip is at two places or nowhere"
        in_play = sum(self._value(name) for name in self._places if name != _HOUSE)
        assert in_play == self._in_play + came, f"{in_play} in play, {self._in_play + came} expected"
        self._in_play = in_play

    def _move(self, uids: Sequence[str], source: str, target: str) -> None:
        moving = set(uids)
        self._places[source] = [uid for uid in self._places[source] if uid not in moving]
        self._places[target] += uids

    def _pick(self, place: str, denominations: Iterable[int]) -> list[str]:
        """Chips of these denominations as far as they are there, the last placed first."""
        wanted = Counter(denominations)
        picked: list[str] = []
        for uid in reversed(self._places[place]):
            value = self._values[uid]
            if wanted[value] > 0:
                wanted[value] -= 1
                picked.append(uid)
        return picked

    def _exactly(self, place: str, denominations: Sequence[int]) -> list[str]:
        """Chips of exactly these denominations, in their order, exchanged for others of the same place."""
        if any(denomination <= 0 for denomination in denominations):
            raise WorldError(f"{place}: chips {list(denominations)}: denominations above 0 expected")
        amount = sum(denominations)
        if self._value(place) < amount:
            raise WorldError(f"{place}: chips worth {amount} asked for, {self._value(place)} there")
        picked = self._pick(place, denominations)
        missing = Counter(denominations) - Counter(self._values[uid] for uid in picked)
        if missing:
            others = self._worth(place, sum(missing.elements()), frozenset(picked))
            picked += self._swap(place, others, list(missing.elements()))
        by_value: dict[int, list[str]] = {}
        for uid in picked:
            by_value.setdefault(self._values[uid], []).append(uid)
        return [by_value[denomination].pop() for denomination in denominations]

    def _worth(self, place: str, amount: int, apart_from: frozenset[str] = frozenset()) -> list[str]:
        """Chips of this place worth exactly that; a chip that is too large is changed for smaller ones
        there."""
        if amount < 0:
            raise WorldError(f"{place}: {amount} asked for, 0 or more expected")
        free = sorted(
            (uid for uid in self._places[place] if uid not in apart_from),
            key=lambda uid: (-self._values[uid], uid),
        )
        there = sum(self._values[uid] for uid in free)
        if there < amount:
            raise WorldError(f"{place}: {amount} asked for, {there} there")
        chosen: list[str] = []
        rest = amount
        for uid in free:
            if self._values[uid] <= rest:
                chosen.append(uid)
                rest -= self._values[uid]
        if rest:
            # All chips left over are larger than the rest: the smallest of them is changed.
            large = [uid for uid in free if uid not in chosen][-1]
            pieces = self._swap(place, [large], [*chips_for(rest), *chips_for(self._values[large] - rest)])
            chosen += pieces[: len(chips_for(rest))]
        return chosen

    def _swap(self, place: str, uids: Sequence[str], denominations: Sequence[int]) -> list[str]:
        """The house takes these chips and gives those of the same value, which are returned in their
        order."""
        value = sum(self._values[uid] for uid in uids)
        assert value == sum(denominations), f"{place}: {value} for {list(denominations)} is no even exchange"
        self._move(uids, place, _HOUSE)
        return self._from_house(place, denominations)

    def _from_house(self, place: str, denominations: Sequence[int]) -> list[str]:
        got: list[str] = []
        for denomination in denominations:
            held = [uid for uid in self._places[_HOUSE] if self._values[uid] == denomination]
            uid = held[0] if len(held) > _SPARE else self._mint(denomination)
            self._move([uid], _HOUSE, place)
            got.append(uid)
        return got

    def _mint(self, denomination: int) -> str:
        try:
            uid = self._chip_set.mint(denomination, self._first_serial + self._serials[denomination])
        except ChipSetError as error:
            raise WorldError(f"house: {error}") from None
        self._serials[denomination] += 1
        self._values[uid] = denomination
        self._places[_HOUSE].append(uid)
        return uid
