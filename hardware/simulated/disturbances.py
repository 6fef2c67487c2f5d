"""Disturbances at a simulated table, which are things that people do wrong, each at its own rate.

For each action of a player or the dealer, `DisturbanceGenerator` decides with random numbers whether a disturbance
happens. It schedules the movements of the disturbance and logs the disturbance. hardware/README.md gives the reasons
for the rates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from hardware.chip_set import DENOMINATIONS, break_amount
from hardware.simulated.action_schedule import ActionSchedule
from hardware.simulated.noise import HAND_DURATION_S, RandomStreams
from hardware.simulated.world import DEALER_HANDS, SpotCover, hand_place_of, off_spot_place_of, stack_place_of
from hardware.spots import BET_SPOTS, POT, bet_spot, seat_of_spot

DisturbanceKind: TypeAlias = Literal[
    "splash", "cut-out", "two-motions", "change", "change-house", "beside", "between", "own-stack", "metal", "hand",
    "hand-part", "phone", "key", "foreign", "copied", "dead", "protector", "edge-stack",
    "touch-check", "cable", "over-spot", "last-pot", "dragged",
    "tip",
]  # fmt: skip
KINDS_OF_HIDDEN_CHIPS: Final[Mapping[DisturbanceKind, DisturbanceKind]] = {
    "hand": "hand-part",
    "touch-check": "touch-check",
}
"""Kind of a person's hand that hides only some chips, by the kind of a hand under which all readings fail."""
MAX_LOGGED_DISTURBANCES: Final = 10_000
"""Maximum number of disturbances in the log. The log grows to this size only if nobody reads and empties it."""

TWO_MOTIONS_PAUSE_S: Final = (0.2, 0.7)
"""Shortest and longest pause, in seconds, between the two movements in which a player puts in one wager."""
CUT_OUT_DELAY_S: Final = (1.0, 5.0)
"""Shortest and longest time from a wager until the player takes back surplus chips."""
SPLASH_CORRECTION_DELAY_S: Final = (2.0, 6.0)
"""Shortest and longest time from a wager until the dealer moves splashed chips to the right spot."""
CHANGE_DELAY_S: Final = (1.0, 3.0)
"""Shortest and longest time from a wager until one of its chips is changed for smaller chips."""
EXCHANGE_DURATION_S: Final = (0.3, 1.0)
"""Shortest and longest time for which chips are in a person's hand while they are changed for other chips."""
SLIDE_DELAY_S: Final = (0.0, 2.0)
"""Shortest and longest time from a wager until other chips slide onto the spot or something covers the spot."""
OWN_CHIPS_DURATION_S: Final = (3.0, 15.0)
"""Shortest and longest time for which chips of the player's stack rest on the spot."""
OWN_CHIPS_COUNT: Final = (1, 5)
"""Smallest and largest number of chips that slide from the player's stack onto the spot."""
METAL_DURATION_S: Final = (3.0, 20.0)
"""Shortest and longest time for which a glass or metal object is on the spot."""
FOREIGN_OBJECT_DURATION_S: Final = (2.0, 20.0)
"""Shortest and longest time for which a hotel key or a chip of another house is on the spot."""
POT_OVER_SPOT_DURATION_S: Final = (0.4, 2.0)
"""Shortest and longest time in which a pot passes over the winner's spot."""
LAST_POT_DURATION_S: Final = (5.0, 20.0)
"""Shortest and longest time for which a pot rests on the winner's spot."""
TIP_DELAY_S: Final = (0.5, 2.0)
"""Shortest and longest time from an award until the winner puts down a tip. The same limits apply to the time until the
dealer takes the tip."""
PROTECTOR_DELAY_S: Final = (0.5, 3.0)
"""Shortest and longest time from the deal until a card protector is put on the spot. The same limits apply to the time
from a fold or an award until the protector is removed."""
PROTECTOR_HABIT_HANDS: Final = 20
"""Average number of deals after which a player decides again whether to use a card protector."""
CABLE_DELAY_S: Final = (0.0, 40.0)
"""Shortest and longest time from the deal until a cable is pulled out."""
CABLE_OUTAGE_S: Final = (2.0, 10.0)
"""Shortest and longest time for which a cable is unplugged."""
FOREIGN_UID_PREFIX: Final = "E007A10000F0"
"""Prefix of the UIDs of tags that are not chips of the house. They are in plastic tokens or in other houses' chips."""
MAX_CHANGE_CHIPS: Final = 20
"""Maximum number of smaller chips for which one chip is changed."""


class Disturbance(NamedTuple):
    """Record of a disturbance in the log.

    - `seat`: the seat that is affected, or 0 if no seat is.
    - `until_us`: the time at which the disturbance ends, unless a sweep ends it earlier. It equals `at_us` if no end is
      planned, as for a copied tag, a dead tag, or chips off the spot.
    - `uids`: the tags that are affected.
    - `amount`: the value of the chips among these tags.
    """

    kind: DisturbanceKind
    seat: int
    at_us: int
    until_us: int
    amount: int = 0
    uids: tuple[str, ...] = ()


class CableControl(Protocol):
    """Interface of a table with cables that can be unplugged."""

    def unplug_reader(self, name: str) -> None:
        """Unplug the cable of this reader or panel board."""

    def plug_reader(self, name: str) -> None:
        """Plug in the cable of this reader or panel board."""


class DisturbanceGenerator:
    """Generator of random disturbances at the given rates."""

    def __init__(
        self, schedule: ActionSchedule, random: RandomStreams, cables: CableControl | None, readers: tuple[str, ...]
    ) -> None:
        self.log: deque[Disturbance] = deque(maxlen=MAX_LOGGED_DISTURBANCES)
        self._schedule = schedule
        self._world = schedule.world
        self._random = random
        self._cables = cables
        self._readers = readers if cables is not None else ()
        self._uses_protector: dict[int, bool] = {}
        """Whether the player at a seat uses a card protector."""
        self._protectors: dict[int, str] = {}
        """UID of each card protector, by seat. The entry is made when the arrival of the protector is scheduled."""
        self._edge_habits: dict[int, bool] = {}
        """Whether the player at a seat keeps the stack at the edge of the antenna's reach."""
        self._object_count = 0

    # --- a wager before it lands ---

    def landing_spots(self, seat: int, uids: Sequence[str], now_us: int) -> dict[str, str]:
        """Return the places of the chips that miss the seat's spot by mistake, by UID."""
        random, targets = self._random, dict[str, str]()
        neighbours = self._neighbours(seat)
        if random.happens("splash") and neighbours and len(uids) > 1:
            stream = random.stream("splash")
            spot = bet_spot(stream.choice(neighbours))
            chosen = tuple(stream.sample(uids, stream.randint(1, len(uids) - 1)))
            until_us = now_us + random.duration_us("splash", SPLASH_CORRECTION_DELAY_S)
            self._schedule.stray_wager_owners |= dict.fromkeys(chosen, seat)
            self._schedule.schedule(until_us, partial(self._schedule.return_strays, chosen, seat))
            self._log("splash", seat, now_us, until_us, chosen)
            targets = dict.fromkeys(chosen, spot)
        if random.happens("beside"):
            stream = random.stream("beside")
            chosen = tuple(uid for uid in stream.sample(uids, stream.randint(1, len(uids))) if uid not in targets)
            self._log("beside", seat, now_us, now_us, chosen)
            targets |= dict.fromkeys(chosen, off_spot_place_of(seat))
        return targets

    def split_motion(self, seat: int, uids: Sequence[str], now_us: int) -> tuple[Sequence[str], Sequence[str], int]:
        """Return the chips of the first and the second movement of a wager, and the pause between the movements.

        The second movement has no chips if the player puts in the whole wager at once.
        """
        if not self._random.happens("two_motions") or len(uids) < 2:
            return uids, (), 0
        cut = self._random.stream("two_motions").randint(1, len(uids) - 1)
        pause_us = self._random.duration_us("two_motions", TWO_MOTIONS_PAUSE_S)
        self._log("two-motions", seat, now_us, now_us, uids[cut:])
        return uids[:cut], uids[cut:], pause_us

    def extra_chips(self, seat: int, uids: Sequence[str]) -> tuple[str, ...]:
        """Return chips of the same denominations that land with the wager and are taken back later.

        Return an empty tuple if the player puts in the right number of chips.
        """
        if not self._random.happens("cut_out"):
            return ()
        kinds = {self._world.total_value([uid]) for uid in uids}
        similar = [uid for uid in self._world.chips_at(stack_place_of(seat)) if self._world.total_value([uid]) in kinds]
        chosen = tuple(similar[: self._random.stream("cut_out").randint(1, 2 * len(uids))])
        self._schedule.non_wager_owners |= dict.fromkeys(chosen, seat)
        self._schedule.gather(chosen, hand_place_of(seat))
        return chosen

    # --- a wager that has landed ---

    def schedule_cut_out(self, seat: int, more: Sequence[str], now_us: int, landed_us: int) -> int:
        """Let the surplus chips `more` go back to the stack later, and return the time of that move."""
        until_us = landed_us + self._random.duration_us("cut_out", CUT_OUT_DELAY_S)
        self._schedule.schedule(until_us, partial(self._schedule.return_to_stack, tuple(more), seat), seat)
        self._log("cut-out", seat, now_us, until_us, more)
        return until_us

    def on_wager_landed(self, seat: int, uids: Sequence[str], landed_us: int) -> None:
        """Start the disturbances that follow a wager. The last chip of the wager lands at `landed_us`."""
        self._apply_tag_faults(seat, uids, landed_us)
        self._schedule_between(seat, uids, landed_us)
        for cause, change in (("change", self._change_with_neighbour), ("change_house", self._change_with_house)):
            if self._random.happens(cause):
                at_us = landed_us + self._random.duration_us(cause, CHANGE_DELAY_S)
                self._schedule.schedule(at_us, partial(change, seat, at_us))
        if self._random.happens("own_stack"):
            at_us = landed_us + self._random.duration_us("own_stack", SLIDE_DELAY_S)
            self._schedule.schedule(at_us, partial(self._slide_own_chips, seat, at_us))
        self._schedule_objects(seat, landed_us)
        self._schedule_covers(seat, landed_us)

    def _apply_tag_faults(self, seat: int, uids: Sequence[str], at_us: int) -> None:
        dead = tuple(uid for uid in uids if self._random.affects_tag("dead", uid))
        if dead:
            self._log("dead", seat, at_us, at_us, dead)
        if self._random.happens("copied"):
            stream, world = self._random.stream("copied"), self._world
            uid = stream.choice(uids)
            places = (*BET_SPOTS, POT, stack_place_of(seat))
            similar = [other for place in places for other in world.chips_at(place) if other != uid]
            similar = [other for other in similar if world.total_value([other]) == world.total_value([uid])]
            if similar:
                world.copy_uid(uid, similar[0])
                self._log("copied", seat, at_us, at_us, (uid, similar[0]))

    def _schedule_between(self, seat: int, uids: Sequence[str], at_us: int) -> None:
        neighbours = self._neighbours(seat)
        if self._random.happens("between") and neighbours:
            uid = self._random.stream("between").choice(uids)
            spot = bet_spot(self._random.stream("between").choice(neighbours))
            self._schedule.schedule(at_us, partial(self._place_between, uid, seat, spot, at_us))

    def _place_between(self, uid: str, seat: int, spot: str, at_us: int) -> None:
        if uid in self._world.chips_at(bet_spot(seat)):
            self._world.place_between(uid, spot)
            self._log("between", seat, at_us, at_us, (uid,))

    def _change_with_neighbour(self, seat: int, at_us: int) -> None:
        """Change a chip of the seat's bet for smaller chips of a neighbour's bet. Each bet keeps its value."""
        world, schedule = self._world, self._schedule
        own_chips = sorted(set(schedule.wagered_uids(seat)).intersection(world.chips_at(bet_spot(seat))))
        for other in self._neighbours(seat):
            neighbour_chips = sorted(set(schedule.wagered_uids(other)).intersection(world.chips_at(bet_spot(other))))
            for uid in own_chips:
                smaller = self._smaller_chips(neighbour_chips, world.total_value([uid]))
                if smaller:
                    schedule.stray_wager_owners |= {uid: other} | dict.fromkeys(smaller, seat)
                    until_us = at_us + self._random.duration_us("change", EXCHANGE_DURATION_S)
                    schedule.move_present(smaller, bet_spot(other), hand_place_of(seat))
                    schedule.schedule((at_us + until_us) // 2, partial(schedule.return_strays, (uid,), other), seat)
                    schedule.schedule(until_us, partial(schedule.return_strays, smaller, seat), seat)
                    self._log("change", seat, at_us, until_us, (uid, *smaller))
                    return

    def _smaller_chips(self, uids: Sequence[str], amount: int) -> tuple[str, ...]:
        """Return chips with a total value of exactly this amount, each worth less than the amount.

        Return an empty tuple if there are no such chips.
        """
        chosen: list[str] = []
        rest = amount
        for uid in sorted(uids, key=lambda uid: (-self._world.total_value([uid]), uid)):
            value = self._world.total_value([uid])
            if value < amount and value <= rest:
                chosen.append(uid)
                rest -= value
        return tuple(chosen) if not rest else ()

    def _change_with_house(self, seat: int, at_us: int) -> None:
        """Change a chip of the seat's bet for smaller chips of the house."""
        world, schedule = self._world, self._schedule
        for uid in sorted(set(schedule.wagered_uids(seat)).intersection(world.chips_at(bet_spot(seat)))):
            value = world.total_value([uid])
            pieces = break_amount(value, [denomination for denomination in DENOMINATIONS if denomination < value])
            if 1 < len(pieces) <= MAX_CHANGE_CHIPS and sum(pieces) == value:
                until_us = at_us + self._random.duration_us("change_house", EXCHANGE_DURATION_S)
                schedule.move_present((uid,), bet_spot(seat), hand_place_of(seat))
                smaller = world.exchange(hand_place_of(seat), (uid,), pieces)
                schedule.schedule_move(smaller, hand_place_of(seat), bet_spot(seat), until_us, seat)
                self._log("change-house", seat, at_us, until_us, (uid, *smaller))
                return

    def _slide_own_chips(self, seat: int, at_us: int) -> None:
        stack = self._world.chips_at(stack_place_of(seat))
        chosen = stack[-self._random.stream("own_stack").randint(*OWN_CHIPS_COUNT) :]
        until_us = at_us + self._random.duration_us("own_stack", OWN_CHIPS_DURATION_S)
        if chosen:
            self._schedule.non_wager_owners |= dict.fromkeys(chosen, seat)
            self._schedule.move_present(chosen, stack_place_of(seat), bet_spot(seat))
            self._schedule.schedule(until_us, partial(self._schedule.return_to_stack, chosen, seat))
            self._log("own-stack", seat, at_us, until_us, chosen)

    # --- objects ---

    def _schedule_objects(self, seat: int, landed_us: int) -> None:
        object_kinds: tuple[tuple[DisturbanceKind, Callable[[int], str]], ...] = (
            ("key", _hotel_key_uid),
            ("foreign", self._foreign_uid),
        )
        for kind, create_uid in object_kinds:
            if self._random.happens(kind):
                uid = create_uid(self._next_object_number())
                until_us = landed_us + self._random.duration_us(kind, FOREIGN_OBJECT_DURATION_S)
                self._schedule.schedule(landed_us, partial(self._world.lay_foreign_tag, uid, bet_spot(seat)))
                self._schedule.schedule(until_us, partial(self._world.lift_foreign_tag, uid))
                self._log(kind, seat, landed_us, until_us, (uid,))

    def _next_object_number(self) -> int:
        self._object_count += 1
        return self._object_count

    def _foreign_uid(self, number: int) -> str:
        """Return a UID that no chip of this house has. It has the same number of digits as a UID of the house."""
        return f"{FOREIGN_UID_PREFIX}{number:0{self._world.uid_digits - len(FOREIGN_UID_PREFIX)}X}"

    def _schedule_covers(self, seat: int, landed_us: int) -> None:
        kinds: tuple[DisturbanceKind, ...] = ("metal", "phone", "hand")
        for kind in kinds:
            if self._random.happens(kind):
                at_us = landed_us + self._random.duration_us(kind, SLIDE_DELAY_S)
                until_us = at_us + self._random.duration_us(
                    kind, METAL_DURATION_S if kind == "metal" else HAND_DURATION_S
                )
                self._schedule.schedule(at_us, partial(self._put_cover, kind, seat, at_us, until_us))

    def _put_cover(self, kind: DisturbanceKind, seat: int, at_us: int, until_us: int) -> None:
        world, spot = self._world, bet_spot(seat)
        if world.cover_of(spot) is not None:
            return
        cover = SpotCover("metal" if kind == "metal" else "hand")
        stream = self._random.stream("touch_check" if kind == "touch-check" else "hand")
        if kind in KINDS_OF_HIDDEN_CHIPS and stream.random() < 0.5:
            lying = world.tags_on_spot(spot)
            cover = SpotCover("part", frozenset(stream.sample(lying, (len(lying) + 1) // 2)))
            kind = KINDS_OF_HIDDEN_CHIPS[kind]
        world.set_cover(spot, cover)
        self._schedule.schedule(until_us, partial(self._uncover, spot, cover))
        self._log(kind, seat, at_us, until_us, tuple(sorted(cover.hidden)))

    def _uncover(self, spot: str, cover: SpotCover) -> None:
        if self._world.cover_of(spot) is cover:
            self._world.set_cover(spot, None)

    # --- a hand ---

    def on_deal(self, seats: tuple[int, ...], now_us: int) -> None:
        """Schedule the card protectors of these seats, and possibly a cable that is unplugged for a while."""
        if self._random.happens("cable") and self._readers and self._cables is not None:
            reader = self._random.stream("cable").choice(self._readers)
            at_us = now_us + self._random.duration_us("cable", CABLE_DELAY_S)
            until_us = at_us + self._random.duration_us("cable", CABLE_OUTAGE_S)
            self._schedule.schedule(at_us, partial(self._cables.unplug_reader, reader))
            self._schedule.schedule(until_us, partial(self._cables.plug_reader, reader))
            self._log("cable", 0, at_us, until_us)
        for seat in seats if self._random.rates.edge_stack else ():
            self._keep_stack_at_edge(seat, now_us)
        for seat in seats if self._random.rates.protector else ():
            stream = self._random.stream("protector")
            if seat not in self._uses_protector or stream.randrange(PROTECTOR_HABIT_HANDS) == 0:
                self._uses_protector[seat] = self._random.happens("protector")
            if self._uses_protector[seat] and seat not in self._protectors:
                self._put_protector(
                    seat, stream.random() < 0.5, now_us + self._random.duration_us("protector", PROTECTOR_DELAY_S)
                )

    def _keep_stack_at_edge(self, seat: int, now_us: int) -> None:
        if seat not in self._edge_habits:
            self._edge_habits[seat] = self._random.happens("edge_stack")
            if self._edge_habits[seat]:
                self._world.put_stack_at_edge(seat)
        if self._edge_habits[seat]:
            self._log("edge-stack", seat, now_us, now_us)

    def on_check(self, seat: int, now_us: int) -> None:
        """Possibly let the player who checks touch the spot or lean over it."""
        if self._random.happens("touch_check"):
            until_us = now_us + self._random.duration_us("touch_check", HAND_DURATION_S)
            self._put_cover("touch-check", seat, now_us, until_us)

    def _put_protector(self, seat: int, own: bool, at_us: int) -> None:
        """Schedule that the seat gets a card protector: one of the player's chips, or a token with a tag."""
        world = self._world
        stack = world.chips_at(stack_place_of(seat))
        if own and len(stack) > 1:
            uid = min(stack, key=lambda uid: (world.total_value([uid]), uid))
            self._schedule.non_wager_owners[uid] = seat
            self._schedule.gather((uid,), hand_place_of(seat))
            self._schedule.schedule_move((uid,), hand_place_of(seat), bet_spot(seat), at_us)
        else:
            uid = self._foreign_uid(self._next_object_number())
            self._schedule.schedule(at_us, partial(self._lay_token, seat, uid))
        self._protectors[seat] = uid
        self._log("protector", seat, at_us, at_us, (uid,))

    def _lay_token(self, seat: int, uid: str) -> None:
        if self._protectors.get(seat) == uid:
            self._world.lay_foreign_tag(uid, bet_spot(seat))

    def remove_protector(self, seat: int, now_us: int) -> None:
        """Schedule the removal of the seat's card protector, because the player no longer has cards."""
        uid = self._protectors.pop(seat, None)
        if uid is None:
            return
        at_us = now_us + self._random.duration_us("protector", PROTECTOR_DELAY_S)
        if uid in self._schedule.non_wager_owners:
            self._schedule.schedule(at_us, partial(self._schedule.return_to_stack, (uid,), seat))
        else:
            self._schedule.schedule(at_us, partial(self._lift_token, uid))

    def _lift_token(self, uid: str) -> None:
        if self._world.is_on_a_spot(uid):
            self._world.lift_foreign_tag(uid)

    def on_hand_end(self, now_us: int) -> None:
        """Schedule the removal of every card protector."""
        for seat in list(self._protectors):
            self.remove_protector(seat, now_us)

    # --- a sweep ---

    def spot_dragged_over(self, seat: int, uids: Sequence[str], at_us: int, until_us: int) -> str | None:
        """Return the neighbour's spot over which the dealer drags these swept chips, or None."""
        neighbours = self._neighbours(seat)
        if not self._random.happens("dragged") or not neighbours or not uids:
            return None
        self._log("dragged", seat, at_us, until_us, uids)
        return bet_spot(self._random.stream("dragged").choice(neighbours))

    # --- an award ---

    def on_pot_pushed(self, seat: int, uids: Sequence[str], at_us: int) -> int:
        """Schedule the movement of a pot from the dealer to the winner, over the spot or onto it.

        Return the time at which the dealer's hands are free again.
        """
        random, done_us = self._random, at_us
        is_over_spot, is_last_pot = random.happens("over_spot"), random.happens("last_pot")
        if is_over_spot or is_last_pot:
            kind: DisturbanceKind = "last-pot" if is_last_pot else "over-spot"
            until_us = at_us + (
                random.duration_us("last_pot", LAST_POT_DURATION_S)
                if is_last_pot
                else random.duration_us("over_spot", POT_OVER_SPOT_DURATION_S)
            )
            done_us = at_us if is_last_pot else until_us
            self._schedule.schedule_move(uids, DEALER_HANDS, bet_spot(seat), at_us)
            self._schedule.schedule(until_us, partial(self._schedule.return_to_stack, tuple(uids), seat))
            self._log(kind, seat, at_us, until_us, uids)
        else:
            self._schedule.schedule_move(uids, DEALER_HANDS, stack_place_of(seat), at_us)
        if random.happens("tip"):
            tip_us = done_us + random.duration_us("tip", TIP_DELAY_S)
            self._schedule.schedule(tip_us, partial(self._tip, seat, tip_us))
        return done_us

    def _tip(self, seat: int, at_us: int) -> None:
        stack = self._world.chips_at(stack_place_of(seat))
        if len(stack) > 1:
            uid = min(stack, key=lambda uid: (self._world.total_value([uid]), uid))
            until_us = at_us + self._random.duration_us("tip", TIP_DELAY_S)
            self._schedule.non_wager_owners[uid] = seat
            self._schedule.move_present((uid,), stack_place_of(seat), bet_spot(seat))
            self._schedule.schedule(until_us, partial(self._take_tip, uid, bet_spot(seat)))
            self._log("tip", seat, at_us, until_us, (uid,))

    def _take_tip(self, uid: str, spot: str) -> None:
        if uid in self._world.chips_at(spot):
            del self._schedule.non_wager_owners[uid]
            self._world.cash_in((uid,), spot)

    # --- implementation ---

    def _neighbours(self, seat: int) -> tuple[int, ...]:
        """Return the seats with a bet spot next to the bet spot of this seat."""
        seats = (seat_of_spot(spot) for spot in self._world.neighbours.get(bet_spot(seat), ()))
        return tuple(other for other in seats if other is not None)

    def _log(self, kind: DisturbanceKind, seat: int, at_us: int, until_us: int, uids: Sequence[str] = ()) -> None:
        self.log.append(Disturbance(kind, seat, at_us, until_us, self._world.total_value(uids), tuple(uids)))


def _hotel_key_uid(number: int) -> str:
    """Return the UID of a hotel key (ISO 14443A, seven bytes)."""
    return f"04A1{number:010X}"
