"""Chips of a simulated table, their places, and the movements by people that change the places.

Every chip is a tag with a UID of the chip set. It is at exactly one place (`chip_ledger.py`). Places are the stack and
the hand of each player, the spots, the felt next to each spot, the dealer's hands, and the house. Each method that
moves chips checks that no chip was lost. Lammers and foreign tags are on a spot or off the table, and have their own
methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple, Protocol

from hardware.chip_set import DENOMINATIONS, ChipSet, break_amount, chips_for
from hardware.events import Chip
from hardware.simulated.chip_ledger import ChipLedger, WorldError
from hardware.spots import BET_SPOTS, MAX_SEATS, POT, SPOTS, TRAY, bet_spot

__all__ = [
    "FieldNoiseSource",
    "SpotCover",
    "World",
    "WorldError",
    "WorldSnapshot",
    "hand_place_of",
    "make_stack",
    "off_spot_place_of",
    "seat_of_stack",
    "stack_place_of",
]

DEALER_HANDS: Final = "dealer"
"""Place of chips in the dealer's hands."""


def stack_place_of(seat: int) -> str:
    """Return the place of the stack behind a seat. Raise ValueError if the seat does not exist."""
    return _place_name("stack", seat)


def seat_of_stack(place: str) -> int | None:
    """Return the seat with a stack at this place, or None for every other place."""
    return _SEAT_OF_STACK.get(place)


def hand_place_of(seat: int) -> str:
    """Return the place of chips in a player's hand. Raise ValueError if the seat does not exist."""
    return _place_name("hand", seat)


def off_spot_place_of(seat: int) -> str:
    """Return the place next to a seat's spot that no antenna reaches. Raise ValueError if the seat does not exist."""
    return _place_name("beside", seat)


@cache
def _place_name(kind: str, seat: int) -> str:
    bet_spot(seat)
    return f"{kind}{seat}"


PLACES: Final = (
    *SPOTS,
    DEALER_HANDS,
    *(_place_name(kind, seat) for kind in ("stack", "hand", "beside") for seat in range(1, MAX_SEATS + 1)),
)
"""All places at the table where a chip can be."""
EDGE_CHIPS: Final = 2
"""Number of chips of a stack that are in the reach of the antenna, if the stack is at its edge. An estimate."""
_SEAT_OF_STACK: Final = {stack_place_of(seat): seat for seat in range(1, MAX_SEATS + 1)}


class SpotCover(NamedTuple):
    """Object that covers a spot.

    - `hand`: a person's hand or a phone. Every reading fails.
    - `metal`: metal or a glass. Readings succeed but find no tags.
    - `part`: a person's hand that covers only the chips in `hidden`. The other chips answer.
    """

    kind: Literal["hand", "metal", "part"]
    hidden: frozenset[str] = frozenset()


class FieldNoiseSource(Protocol):
    """Source of noise, which decides which of the tags on a spot answer."""

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        """Return the UIDs that answer the antenna of this spot now.

        `on_spot` has the tags on the spot, with the lowest tag of the stack first. `neighbours` has the tags on each
        neighbour spot that is not empty, and the chips of the player's stack at the edge of the antenna's reach.
        """


class _Reach(NamedTuple):
    """Tags that an antenna can reach, on its own spot and on the neighbour spots."""

    own: tuple[str, ...]
    on_neighbours: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class WorldSnapshot:
    """Place of every chip and lammer at one moment. Only `World.restore` uses the contents."""

    places: Mapping[str, tuple[str, ...]]
    objects: Mapping[str, str]


def make_stack(*denominations: int, first_serial: int = 0) -> tuple[Chip, ...]:
    """Return chips of the reference table with these denominations, in the order in which events list a stack.

    The same denominations always give the same chips. `first_serial` is the serial number of the first chip of every
    denomination. Two stacks that are on the table together need different serial numbers. Raise ChipSetError if the
    reference table does not have a denomination.
    """
    counted: dict[int, int] = {}
    stack: list[Chip] = []
    for denomination in sorted(denominations, reverse=True):
        serial = counted.get(denomination, first_serial)
        stack.append(Chip(_simulated_chips().mint(denomination, serial), denomination))
        counted[denomination] = serial + 1
    return tuple(stack)


def _simulated_chips() -> ChipSet:
    from hardware.layout import simulated_layout

    return simulated_layout().chip_set


class World(ChipLedger):
    """All chips of a table. `stacks` maps each seat to an amount, in the unit of account."""

    def __init__(
        self,
        stacks: Mapping[int, int],
        seed: int = 0,
        *,
        chips: ChipSet | None = None,
        noise: FieldNoiseSource | None = None,
        neighbours: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """Create the chips of these stacks, with UIDs of `chips` or, by default, of the reference table."""
        super().__init__(chips or _simulated_chips(), seed, PLACES)
        self.noise = noise
        self._objects: dict[str, str] = {}
        """Spot of every lammer and foreign tag on the table, by UID."""
        self._between_spots: dict[str, tuple[str, str]] = {}
        """Two spots for each chip that lies between them, by UID. The first is the chip's own spot. The antenna of the
        second also reads the chip."""
        self._copies: dict[str, str] = {}
        """UID that a copied tag sends, by the real UID of the chip with this tag. The sent UID belongs to another
        chip."""
        self._covers: dict[str, SpotCover] = {}
        self._edge_stacks: dict[str, str] = {}
        """Place of the player's stack that is at the edge of the antenna's reach, by spot."""
        self.change_count = 0
        """Number of changes of the spots so far: chips, tags and covers."""
        self._reaches: dict[str, _Reach] = {}
        """Cache of the tags that each antenna reaches. It is cleared when a chip moves."""
        self.neighbours = {} if neighbours is None else {spot: tuple(names) for spot, names in neighbours.items()}
        for seat, amount in sorted(stacks.items()):
            self.buy(seat, amount)

    @property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """Return, for every spot, its neighbour spots in sorted order."""
        return self._neighbours

    @neighbours.setter
    def neighbours(self, neighbours: Mapping[str, Iterable[str]]) -> None:
        """Set the neighbours of every spot."""
        self._neighbours = {spot: tuple(sorted(names)) for spot, names in neighbours.items()}
        self._reaches.clear()

    # --- movements of chips ---

    def put_on_spot(self, seat: int, denominations: Sequence[int], *, add_missing: bool = False) -> None:
        """Move these chips from the player's stack onto its spot.

        If the player does not have these denominations, the house exchanges other chips. If the stack is worth too
        little and `add_missing` is True, the player buys the missing chips from the house. If `add_missing` is False,
        raise WorldError.
        """
        stack, spot, amount = stack_place_of(seat), bet_spot(seat), sum(denominations)
        shortfall = max(0, amount - self.stack_value(seat))
        if shortfall and not add_missing:
            raise WorldError(f"seat {seat}: expected {amount} in its stack, got {self.stack_value(seat)}")
        if shortfall:
            self._from_house(stack, chips_for(shortfall))
        self._move(self._choose_denominations(stack, denominations), stack, spot)
        self._check(shortfall)

    def take_from_spot(self, seat: int, denominations: Sequence[int]) -> None:
        """Move these chips from the spot back to the stack. If necessary, exchange other chips of the spot for them.

        Raise WorldError if the chips on the spot are worth less.
        """
        stack, spot = stack_place_of(seat), bet_spot(seat)
        self._move(self._choose_denominations(spot, denominations), spot, stack)
        self._check(0)

    def give_back(self, seat: int, amount: int) -> None:
        """Push this amount from the spot back to the player, as the dealer does.

        Raise WorldError if the chips on the spot are worth less.
        """
        stack, spot = stack_place_of(seat), bet_spot(seat)
        self._move(self._choose_amount(spot, amount), spot, stack)
        self._check(0)

    def take_out_of_play(self, seat: int, amount: int) -> None:
        """Move this amount from the spot to the house, as the dealer does.

        Raise WorldError if the chips on the spot are worth less.
        """
        spot = bet_spot(seat)
        self._to_house(self._choose_amount(spot, amount), spot)
        self._check(-amount)

    def exchange_on_spot(self, seat: int, denominations: Sequence[int]) -> None:
        """Exchange chips on the spot so that these denominations are among them.

        Raise WorldError if the chips on the spot are worth less.
        """
        self._choose_denominations(bet_spot(seat), denominations)
        self._check(0)

    def change_chip(self, seat: int, amount: int) -> None:
        """Exchange one chip of this value on the spot for smaller chips, or smaller chips for one such chip.

        Raise WorldError if the chips on the spot are worth less.
        """
        spot = bet_spot(seat)
        if any(self._values[uid] == amount for uid in self._places[spot]):
            smaller = break_amount(amount, [value for value in DENOMINATIONS if value < amount])
            if smaller:
                self._exchange(spot, self._choose_present(spot, [amount]), smaller)
        else:
            self._exchange(spot, self._choose_amount(spot, amount), [amount])
        self._check(0)

    def colour_up(self, seat: int, min_denomination: int = 1) -> None:
        """Exchange the chips on the spot for as few chips as possible.

        Chips below `min_denomination` are exchanged separately, and only for other chips below `min_denomination`.
        """
        spot = bet_spot(seat)
        on_spot = self.denominations(spot)
        small = sum(value for value in on_spot if value < min_denomination)
        pieces = [*chips_for(sum(on_spot) - small)]
        rest = sum(value for value in pieces if value < min_denomination)
        pieces = [value for value in pieces if value >= min_denomination]
        if rest:  # Chips for the remainder would be below the minimum, so the last chip gets the remainder.
            pieces[-1] += rest
        if small:
            pieces += break_amount(
                small, [*(value for value in DENOMINATIONS if value < min_denomination - 1), min_denomination - 1]
            )
        if len(pieces) < len(on_spot):
            self._exchange(spot, list(self._places[spot]), pieces)
        self._check(0)

    def sweep_to_pot(self, seats: Iterable[int] | None = None) -> None:
        """Move all chips of these bet spots to the pot. The default is every bet spot."""
        spots = BET_SPOTS if seats is None else tuple(bet_spot(seat) for seat in seats)
        for spot in spots:
            self._move(list(self._places[spot]), spot, POT)
        self._check(0)

    def award(self, seat: int, amount: int) -> None:
        """Move this amount from the pot to a player. Raise WorldError if the pot has less."""
        self._move(self._choose_amount(POT, amount), POT, stack_place_of(seat))
        self._check(0)

    def remove_from_pot(self, amount: int) -> None:
        """Move this amount from the pot to the house, for rake or a jackpot. Raise WorldError if the pot has less."""
        self._to_house(self._choose_amount(POT, amount), POT)
        self._check(-amount)

    def buy(self, seat: int, amount: int) -> None:
        """Move chips worth this amount from the house to the player."""
        self._from_house(stack_place_of(seat), chips_for(amount))
        self._check(amount)

    def fill_tray(self, amount: int) -> None:
        """Move chips worth this amount from the house to the dealer's tray."""
        self._from_house(TRAY, chips_for(amount))
        self._check(amount)

    def pay_house(self, seat: int, amount: int) -> None:
        """Move this amount from the player's stack to the house, for a tip or time.

        Raise WorldError if the stack has less.
        """
        stack = stack_place_of(seat)
        self._to_house(self._choose_amount(stack, amount), stack)
        self._check(-amount)

    def cash_out(self, seat: int) -> int:
        """Move the player's whole stack to the house, and return its value."""
        stack, value = stack_place_of(seat), self.stack_value(seat)
        self._to_house(list(self._places[stack]), stack)
        self._check(-value)
        return value

    def move_player(self, seat: int, to_seat: int) -> None:
        """Move the player's stack to another seat, on top of the chips there."""
        stack = stack_place_of(seat)
        self._move(list(self._places[stack]), stack, stack_place_of(to_seat))
        self._check(0)

    # --- other objects, and unusual positions ---

    def put_lammer(self, name: str, spot: str) -> None:
        """Put a lammer of this name on a spot. Raise WorldError if all lammers of this name are on the table."""
        uid = next((uid for uid in self._chip_set.lammers(name) if uid not in self._objects), None)
        if uid is None:
            raise WorldError(f"{spot}: lammer {name}: expected a lammer off the table")
        self.lay_foreign_tag(uid, spot)

    def take_lammer(self, name: str, spot: str) -> None:
        """Take a lammer of this name off a spot. Raise WorldError if the spot has no such lammer."""
        uid = next((uid for uid in self._chip_set.lammers(name) if self._objects.get(uid) == spot), None)
        if uid is None:
            raise WorldError(f"{spot}: lammer {name}: expected it on this spot")
        self.lift_foreign_tag(uid)

    def lay_foreign_tag(self, uid: str, spot: str) -> None:
        """Put a tag that is not a chip of the house on a spot.

        The tag is a lammer, a hotel key, or a chip of another house. Raise WorldError if the tag is already on a spot
        or is a chip of the house.
        """
        if spot not in SPOTS:
            raise WorldError(f"{spot}: expected a spot for the tag {uid}")
        if uid in self._objects or uid in self._values:
            raise WorldError(f"{spot}: tag {uid}: expected a tag that is off the table")
        self._objects[uid] = spot
        self._record_change()

    def lift_foreign_tag(self, uid: str) -> None:
        """Take a tag that is not a chip off its spot. Raise WorldError if it is not on a spot."""
        if self._objects.pop(uid, None) is None:
            raise WorldError(f"tag {uid}: expected a tag that is on a spot")
        self._record_change()

    def put_stack_at_edge(self, seat: int) -> None:
        """Let the antenna of the seat's spot reach the lowest chips of the player's stack from now on."""
        self._edge_stacks[bet_spot(seat)] = stack_place_of(seat)
        self._reaches.clear()

    def place_between(self, uid: str, spot: str) -> None:
        """Let the antenna of another spot also read a chip on a spot, until the chip is moved.

        Raise WorldError if the chip is not on a spot.
        """
        own = next((name for name in SPOTS if uid in self._places[name]), None)
        if own is None:
            raise WorldError(f"{spot}: chip {uid}: expected a chip that is on another spot")
        self._between_spots[uid] = own, spot
        self._reaches.clear()

    def copy_uid(self, uid: str, source_uid: str) -> None:
        """Let the tag of a chip answer with the UID of another chip from now on."""
        self._copies[uid] = source_uid

    def set_cover(self, spot: str, cover: SpotCover | None) -> None:
        """Put an object over a spot, or take it away if `cover` is None."""
        self.change_count += 1
        if cover is None:
            self._covers.pop(spot, None)
        else:
            self._covers[spot] = cover

    def cover_of(self, spot: str) -> SpotCover | None:
        """Return the object that covers a spot, or None if the spot is not covered."""
        return self._covers.get(spot)

    # --- queries ---

    def spot_value(self, seat: int) -> int:
        """Return the value of the chips on the bet spot of a seat."""
        return self._value(bet_spot(seat))

    def stack_value(self, seat: int) -> int:
        """Return the value of the stack behind a seat."""
        return self._value(stack_place_of(seat))

    def pot_value(self) -> int:
        """Return the value of the chips in the pot."""
        return self._value(POT)

    def denominations(self, spot: str) -> tuple[int, ...]:
        """Return the denominations of the chips on a spot, largest first, whatever the antenna reads."""
        return tuple(sorted((self._values[uid] for uid in self._places[spot]), reverse=True))

    def tags_on_spot(self, spot: str) -> tuple[str, ...]:
        """Return the UIDs of the tags on a spot: chips from the lowest up, then lammers and foreign tags."""
        return (*self._places[spot], *(uid for uid, at in self._objects.items() if at == spot))

    def is_on_a_spot(self, uid: str) -> bool:
        """Return True if this lammer or foreign tag is on a spot."""
        return uid in self._objects

    def is_unreadable(self, spot: str) -> bool:
        """Return True if every reading of this spot fails because a person's hand covers it."""
        cover = self._covers.get(spot)
        return cover is not None and cover.kind == "hand"

    def answering_tags(self, spot: str, now_us: int) -> list[str]:
        """Return the UIDs that answer an antenna at this spot.

        These are the tags on the spot and nearby tags that its antenna reaches, changed by the noise source if one is
        given.
        """
        reach = self._reaches.get(spot) or self._compute_reach(spot)
        answers = list(reach.own) if self.noise is None else self.noise.field(spot, *reach, now_us)
        cover = self._covers.get(spot)
        if cover is not None:
            answers = [uid for uid in answers if cover.kind == "part" and uid not in cover.hidden]
        if self._copies:
            answers = list(dict.fromkeys(self._copies.get(uid, uid) for uid in answers))
        return answers

    def snapshot(self) -> WorldSnapshot:
        """Return the place of every chip and lammer, for `restore`."""
        return WorldSnapshot({name: tuple(uids) for name, uids in self._places.items()}, dict(self._objects))

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Move every chip and lammer back to its place. Chips that were created after the snapshot go to the house."""
        self._objects = dict(snapshot.objects)
        self._restore_places(snapshot.places)

    # --- implementation ---

    def _record_change(self) -> None:
        self._reaches.clear()
        self.change_count += 1

    def _check(self, value_added: int) -> None:
        self._record_change()
        if self._between_spots:
            self._between_spots = {uid: at for uid, at in self._between_spots.items() if uid in self._places[at[0]]}
        super()._check(value_added)

    def _compute_reach(self, spot: str) -> _Reach:
        own = self.tags_on_spot(spot)
        if self._between_spots:
            own += tuple(uid for uid, (_, other_spot) in self._between_spots.items() if other_spot == spot)
        on_neighbours = {name: tags for name in self._neighbours.get(spot, ()) if (tags := self.tags_on_spot(name))}
        edge_stack = self._edge_stacks.get(spot)
        if edge_stack is not None and self._places[edge_stack]:
            on_neighbours[edge_stack] = tuple(self._places[edge_stack][:EDGE_CHIPS])
        reach = self._reaches[spot] = _Reach(own, on_neighbours)
        return reach
