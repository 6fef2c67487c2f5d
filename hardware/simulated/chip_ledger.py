"""Ledger of a simulated table's chips. Each chip is at exactly one place, or with the house.

For the ledger a place is only a name. The house works like the cage of a casino: it exchanges chips for others of the
same value, pays chips out, and takes chips in.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar, Final

from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.chip_set import UID_DIGITS, ChipSet, ChipSetError, chips_for

MAX_SERIAL_START: Final = 4_096
"""Upper limit for the serial number of the first chip of a denomination. The serial number is random and depends on the
seed."""
HOUSE: Final = "house"
"""Place of the chips that are not at the table."""
MIN_SPARE_CHIPS: Final = 200
"""Number of chips of a denomination that the house collects before it pays out the oldest such chip. A chip that has
left the table therefore does not return soon."""
_NONE: Final[frozenset[str]] = frozenset()


class WorldError(PotkeeperError):
    """Error for a movement of chips or lammers that is impossible.

    The message names the place, the request, and the chips at the place.
    """

    fault: ClassVar[FaultSource] = "person"


class ChipLedger:
    """Ledger of chips by UID, at named places. Every UID is created once and never forgotten."""

    def __init__(self, chip_set: ChipSet, seed: int, places: Iterable[str]) -> None:
        self._chip_set = chip_set
        self._values: dict[str, int] = {}
        self._places: dict[str, list[str]] = {place: [] for place in places}
        self._shelves: dict[int, deque[str]] = {}
        """Chips of every denomination at the house, in the order of their arrival."""
        self._house_uids: set[str] = set()
        self._first_serial = Random(seed).randrange(MAX_SERIAL_START)
        self._serials: Counter[int] = Counter()
        self._in_play = 0

    # --- queries ---

    def chips_at(self, place: str) -> tuple[str, ...]:
        """Return the UIDs of the chips at a place, in the order in which they were put there."""
        return tuple(self._places.get(place, ()))

    def place_of(self, uid: str) -> str:
        """Return the place of this chip. Raise KeyError if the UID is not a chip of the house."""
        if uid in self._house_uids:
            return HOUSE
        for name, uids in self._places.items():
            if uid in uids:
                return name
        raise KeyError(uid)

    def total_value(self, uids: Iterable[str]) -> int:
        """Return the total value of these tags. A tag that is not a chip of the house has the value 0."""
        values = self._values
        return sum(values.get(uid, 0) for uid in uids)

    @property
    def uid_digits(self) -> int:
        """Return the number of hex digits in the UID of a chip."""
        return len(next(iter(self._values), "")) or UID_DIGITS["iso15693"]

    def value_in_play(self) -> int:
        """Return the value of the chips that are not with the house."""
        return self._in_play

    # --- movements ---

    def move_chips(self, uids: Sequence[str], source: str, target: str) -> None:
        """Move these chips from one place to another, on top of the chips there.

        Moves to or from the house have their own methods. Raise WorldError if one of the chips is not at `source`.
        """
        missing = set(uids).difference(self._places[source])
        if missing:
            raise WorldError(f"{source}: expected chips {', '.join(sorted(missing))}, which are not there")
        self._move(uids, source, target)
        self._check(0)

    def pick_denominations(
        self, place: str, denominations: Sequence[int], excluding: Collection[str] = _NONE
    ) -> tuple[str, ...]:
        """Return chips of exactly these denominations, in the same order.

        If the place does not have chips of these denominations, the house provides them in exchange for other chips of
        the place. Chips in `excluding` are not used. Raise WorldError if the remaining chips are worth too little.
        """
        chosen = self._choose_denominations(place, denominations, excluding)
        self._check(0)
        return tuple(chosen)

    def pick_amount(self, place: str, amount: int, excluding: Collection[str] = _NONE) -> tuple[str, ...]:
        """Return chips worth exactly this amount.

        If no combination of chips has this value, the house exchanges one chip for smaller ones. Chips in `excluding`
        are not used. Raise WorldError if the remaining chips are worth too little.
        """
        chosen = self._choose_amount(place, amount, excluding)
        self._check(0)
        return tuple(chosen)

    def exchange(self, place: str, uids: Sequence[str], denominations: Sequence[int]) -> tuple[str, ...]:
        """Exchange these chips for chips of these denominations, and return the new chips in the same order.

        Both sets of chips have the same total value.
        """
        received = self._exchange(place, uids, denominations)
        self._check(0)
        return tuple(received)

    def cash_in(self, uids: Sequence[str], place: str) -> None:
        """Move these chips from a place to the house, out of play."""
        self._to_house(uids, place)
        self._check(-self.total_value(uids))

    # --- implementation ---

    def _value(self, place: str) -> int:
        return self.total_value(self._places.get(place, ()))

    def _check(self, value_added: int) -> None:
        """Assert that every chip is at exactly one place, and that the value in play changed as expected.

        `value_added` is the expected change. It is negative if chips left the table.
        """
        out = [uid for place in self._places.values() for uid in place]
        is_unique = len(out) == len(set(out)) and self._house_uids.isdisjoint(out)
        assert is_unique and len(out) + len(self._house_uids) == len(self._values), "a chip is at two places or nowhere"
        in_play = self.total_value(out)
        assert in_play == self._in_play + value_added, f"{in_play} in play, expected {self._in_play + value_added}"
        self._in_play = in_play

    def _move(self, uids: Sequence[str], source: str, target: str) -> None:
        moving = set(uids)
        self._places[source] = [uid for uid in self._places[source] if uid not in moving]
        self._places[target] += uids

    def _choose_present(
        self, place: str, denominations: Iterable[int], excluding: Collection[str] = _NONE
    ) -> list[str]:
        """Return chips of these denominations from this place. The chip that was placed last is first."""
        wanted = Counter(denominations)
        picked: list[str] = []
        for uid in reversed(self._places[place]):
            value = self._values[uid]
            if wanted[value] > 0 and uid not in excluding:
                wanted[value] -= 1
                picked.append(uid)
        return picked

    def _choose_denominations(
        self, place: str, denominations: Sequence[int], excluding: Collection[str] = _NONE
    ) -> list[str]:
        """Return chips of these denominations, in this order.

        If a denomination is missing at the place, the house exchanges other chips of the place for it.
        """
        if any(denomination <= 0 for denomination in denominations):
            raise WorldError(f"{place}: chips {list(denominations)}: expected denominations above 0")
        amount = sum(denominations)
        available = self.total_value(uid for uid in self._places[place] if uid not in excluding)
        if available < amount:
            raise WorldError(f"{place}: expected chips worth {amount}, got {available}")
        picked = self._choose_present(place, denominations, excluding)
        missing = Counter(denominations) - Counter(self._values[uid] for uid in picked)
        if missing:
            others = self._choose_amount(place, sum(missing.elements()), {*picked, *excluding})
            picked += self._exchange(place, others, list(missing.elements()))
        by_value: dict[int, list[str]] = {}
        for uid in picked:
            by_value.setdefault(self._values[uid], []).append(uid)
        return [by_value[denomination].pop() for denomination in denominations]

    def _choose_amount(self, place: str, amount: int, excluding: Collection[str] = _NONE) -> list[str]:
        """Return chips of this place worth exactly this amount, and exchange a chip that is too large if necessary."""
        if amount < 0:
            raise WorldError(f"{place}: amount {amount}: expected 0 or more")
        free = sorted(
            (uid for uid in self._places[place] if uid not in excluding),
            key=lambda uid: (-self._values[uid], uid),
        )
        available = self.total_value(free)
        if available < amount:
            raise WorldError(f"{place}: expected chips worth {amount}, got {available}")
        chosen: list[str] = []
        rest = amount
        for uid in free:
            if self._values[uid] <= rest:
                chosen.append(uid)
                rest -= self._values[uid]
        if rest:
            # Every chip that is left is worth more than the missing amount, so the smallest such chip is exchanged.
            large = [uid for uid in free if uid not in chosen][-1]
            pieces = self._exchange(place, [large], [*chips_for(rest), *chips_for(self._values[large] - rest)])
            chosen += pieces[: len(chips_for(rest))]
        return chosen

    def _exchange(self, place: str, uids: Sequence[str], denominations: Sequence[int]) -> list[str]:
        """Exchange these chips at the house for chips of these denominations, and return the new chips in order."""
        value = self.total_value(uids)
        assert value == sum(denominations), f"{place}: {list(denominations)} is not worth {value}"
        received = self._from_house(place, denominations)
        self._to_house(uids, place)
        return received

    def _to_house(self, uids: Sequence[str], place: str) -> None:
        leaving = set(uids)
        self._places[place] = [uid for uid in self._places[place] if uid not in leaving]
        self._shelve(uids)

    def _shelve(self, uids: Iterable[str]) -> None:
        for uid in uids:
            self._shelves.setdefault(self._values[uid], deque()).append(uid)
            self._house_uids.add(uid)

    def _from_house(self, place: str, denominations: Iterable[int]) -> list[str]:
        received: list[str] = []
        try:
            for denomination in denominations:
                received.append(self._from_shelf(denomination))
        except WorldError:
            self._shelve(received)
            raise
        self._places[place] += received
        return received

    def _from_shelf(self, denomination: int) -> str:
        """Take a chip of this denomination from the house and return it.

        A new chip is created if the house has at most `MIN_SPARE_CHIPS` such chips and the chip set has a further UID.
        Otherwise the result is the oldest such chip of the house.
        """
        shelf = self._shelves.get(denomination, ())
        uid = None if len(shelf) > MIN_SPARE_CHIPS else self._mint(denomination, needed=not shelf)
        if uid is None:
            uid = self._shelves[denomination].popleft()
            self._house_uids.discard(uid)
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

    def _restore_places(self, places: Mapping[str, Sequence[str]]) -> None:
        """Put every chip back to its place in `places`. Chips that are not in `places` go to the house."""
        kept = {uid for uids in places.values() for uid in uids}
        out = [uid for uids in self._places.values() for uid in uids if uid not in kept]
        self._places = {place: list(places.get(place, ())) for place in self._places}
        for denomination, shelf in self._shelves.items():
            self._shelves[denomination] = deque(uid for uid in shelf if uid not in kept)
        self._house_uids -= kept
        self._shelve(out)
        self._in_play = self.total_value(kept)
        self._check(0)
