"""Where each chip of a simulated table is: at exactly one place, or with the house.

Places have names; what they mean is not known here. The house has every denomination: it exchanges value for value,
and takes and gives what is said. Source: the accounts of a cage."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar, Final

from firmware_bridge.errors import PotkeeperError, Whose
from hardware.chips import UID_DIGITS, ChipSet, ChipSetError, chips_for

MAX_SERIAL_START: Final = 4_096
"""The seed chooses the serial number of the first chip of each denomination below this."""
HOUSE: Final = "house"
SPARE: Final = 200
"""So many chips of a denomination the house holds before it gives the oldest of them again: a chip that left the table
is not one of those that come to it soon after."""
_NONE: Final[frozenset[str]] = frozenset()


class WorldError(PotkeeperError):
    """Hands cannot do that: chips or lammers are not there. The message says where, what was asked, what is there."""

    whose: ClassVar[Whose] = "person"


class Ledger:
    """Chips by UID at places by name. Every UID is minted once and is never forgotten."""

    def __init__(self, chip_set: ChipSet, seed: int, places: Iterable[str]) -> None:
        self._chip_set = chip_set
        self._values: dict[str, int] = {}
        self._places: dict[str, list[str]] = {place: [] for place in places}
        self._shelves: dict[int, deque[str]] = {}
        """The house's chips of each denomination, in the order in which they came."""
        self._housed: set[str] = set()
        self._first_serial = Random(seed).randrange(MAX_SERIAL_START)
        self._serials: Counter[int] = Counter()
        self._in_play = 0

    # What is where

    def at(self, place: str) -> tuple[str, ...]:
        """The UIDs of the chips at a place, the first placed first."""
        return tuple(self._places.get(place, ()))

    def place(self, uid: str) -> str:
        """Where this chip is. Raises KeyError for a UID that is none of the house's chips."""
        if uid in self._housed:
            return HOUSE
        for name, uids in self._places.items():
            if uid in uids:
                return name
        raise KeyError(uid)

    def worth(self, uids: Iterable[str]) -> int:
        """What these tags are worth together: nothing where they are none of the house's chips."""
        values = self._values
        return sum(values.get(uid, 0) for uid in uids)

    @property
    def digits(self) -> int:
        """How many hex digits a UID of a chip has."""
        return len(next(iter(self._values), "")) or UID_DIGITS["iso15693"]

    def in_play(self) -> int:
        """The value of all chips that are not with the house."""
        return self._in_play

    # Hands

    def carry(self, uids: Sequence[str], source: str, target: str) -> None:
        """These chips go from one place to another, on top of what is there; to or from the house is no such way.
        Raises WorldError where one of them is not there."""
        missing = set(uids).difference(self._places[source])
        if missing:
            raise WorldError(f"{source}: chips {', '.join(sorted(missing))} asked for, not there")
        self._move(uids, source, target)
        self._check(0)

    def choose(self, place: str, denominations: Sequence[int], apart_from: Collection[str] = _NONE) -> tuple[str, ...]:
        """Chips of exactly these denominations, in their order; where they are not there, the house exchanges others
        of that place for them. Raises WorldError where there is less than that, `apart_from` left out."""
        chosen = self._exactly(place, denominations, apart_from)
        self._check(0)
        return tuple(chosen)

    def choose_worth(self, place: str, amount: int, apart_from: Collection[str] = _NONE) -> tuple[str, ...]:
        """Chips worth exactly that, one of them exchanged for smaller ones where none fit. Raises WorldError where
        there is less than that, `apart_from` left out."""
        chosen = self._worth(place, amount, apart_from)
        self._check(0)
        return tuple(chosen)

    def exchange(self, place: str, uids: Sequence[str], denominations: Sequence[int]) -> tuple[str, ...]:
        """The house takes these chips and gives those of the same value, in their order."""
        given = self._swap(place, uids, denominations)
        self._check(0)
        return tuple(given)

    def cash(self, uids: Sequence[str], place: str) -> None:
        """These chips go from a place to the house, out of play."""
        self._to_house(uids, place)
        self._check(-self.worth(uids))

    # How

    def _value(self, place: str) -> int:
        return self.worth(self._places.get(place, ()))

    def _check(self, came: int) -> None:
        """Every chip is at one place, and as much came into play as was said (below 0: left)."""
        out = [uid for place in self._places.values() for uid in place]
        alone = len(out) == len(set(out)) and self._housed.isdisjoint(out)
        assert alone and len(out) + len(self._housed) == len(self._values), "a chip is at two places or nowhere"
        in_play = self.worth(out)
        assert in_play == self._in_play + came, f"{in_play} in play, {self._in_play + came} expected"
        self._in_play = in_play

    def _move(self, uids: Sequence[str], source: str, target: str) -> None:
        moving = set(uids)
        self._places[source] = [uid for uid in self._places[source] if uid not in moving]
        self._places[target] += uids

    def _pick(self, place: str, denominations: Iterable[int], apart_from: Collection[str] = _NONE) -> list[str]:
        """Chips of these denominations as far as they are there, the last placed first."""
        wanted = Counter(denominations)
        picked: list[str] = []
        for uid in reversed(self._places[place]):
            value = self._values[uid]
            if wanted[value] > 0 and uid not in apart_from:
                wanted[value] -= 1
                picked.append(uid)
        return picked

    def _exactly(self, place: str, denominations: Sequence[int], apart_from: Collection[str] = _NONE) -> list[str]:
        """Chips of exactly these denominations, in their order, exchanged for others of the same place."""
        if any(denomination <= 0 for denomination in denominations):
            raise WorldError(f"{place}: chips {list(denominations)}: denominations above 0 expected")
        amount = sum(denominations)
        there = self.worth(uid for uid in self._places[place] if uid not in apart_from)
        if there < amount:
            raise WorldError(f"{place}: chips worth {amount} asked for, {there} there")
        picked = self._pick(place, denominations, apart_from)
        missing = Counter(denominations) - Counter(self._values[uid] for uid in picked)
        if missing:
            others = self._worth(place, sum(missing.elements()), {*picked, *apart_from})
            picked += self._swap(place, others, list(missing.elements()))
        by_value: dict[int, list[str]] = {}
        for uid in picked:
            by_value.setdefault(self._values[uid], []).append(uid)
        return [by_value[denomination].pop() for denomination in denominations]

    def _worth(self, place: str, amount: int, apart_from: Collection[str] = _NONE) -> list[str]:
        """Chips of this place worth exactly that; a chip that is too large is changed for smaller ones
        there."""
        if amount < 0:
            raise WorldError(f"{place}: {amount} asked for, 0 or more expected")
        free = sorted(
            (uid for uid in self._places[place] if uid not in apart_from),
            key=lambda uid: (-self._values[uid], uid),
        )
        there = self.worth(free)
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
        value = self.worth(uids)
        assert value == sum(denominations), f"{place}: {value} for {list(denominations)} is no even exchange"
        got = self._from_house(place, denominations)
        self._to_house(uids, place)
        return got

    def _to_house(self, uids: Sequence[str], place: str) -> None:
        leaving = set(uids)
        self._places[place] = [uid for uid in self._places[place] if uid not in leaving]
        self._shelve(uids)

    def _shelve(self, uids: Iterable[str]) -> None:
        for uid in uids:
            self._shelves.setdefault(self._values[uid], deque()).append(uid)
            self._housed.add(uid)

    def _from_house(self, place: str, denominations: Iterable[int]) -> list[str]:
        got: list[str] = []
        try:
            for denomination in denominations:
                got.append(self._from_shelf(denomination))
        except WorldError:
            self._shelve(got)
            raise
        self._places[place] += got
        return got

    def _from_shelf(self, denomination: int) -> str:
        """The oldest chip where there are many of them, else a new one; the oldest as well where the chip set has no
        more."""
        shelf = self._shelves.get(denomination, ())
        uid = None if len(shelf) > SPARE else self._mint(denomination, needed=not shelf)
        if uid is None:
            uid = self._shelves[denomination].popleft()
            self._housed.discard(uid)
        return uid

    def _mint(self, denomination: int, needed: bool) -> str | None:
        try:
            uid = self._chip_set.mint(denomination, self._first_serial + self._serials[denomination])
        except ChipSetError as error:
            if needed:
                raise WorldError(f"house: {error}") from None
            return None
        self._serials[denomination] += 1
        self._values[uid] = denomination
        return uid

    def _put_back(self, places: Mapping[str, Sequence[str]]) -> None:
        """Every chip goes back to where it was; those that are in none of these places are with the house."""
        kept = {uid for uids in places.values() for uid in uids}
        out = [uid for uids in self._places.values() for uid in uids if uid not in kept]
        self._places = {place: list(places.get(place, ())) for place in self._places}
        for denomination, shelf in self._shelves.items():
            self._shelves[denomination] = deque(uid for uid in shelf if uid not in kept)
        self._housed -= kept
        self._shelve(out)
        self._in_play = self.worth(kept)
        self._check(0)
