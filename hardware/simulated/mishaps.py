"""What goes wrong at the hands of people: each mishap at its rate, as movements of chips and things.

`Mishaps` draws them where hands act, and notes each one. Why they are as often as they are: hardware/README.md."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from hardware.chips import DENOMINATIONS, made_of
from hardware.simulated.motions import Motions
from hardware.simulated.noise import HAND_S, Chance
from hardware.simulated.world import DEALER, Cover, beside, hand_of, stack_place
from hardware.spots import BET_SPOTS, POT, bet_spot, seat_of

MishapKind: TypeAlias = Literal[
    "splash", "cut-out", "two-motions", "change", "change-house", "beside", "between", "own-stack", "metal", "hand",
    "hand-part", "phone", "key", "foreign", "copied", "dead", "protector", "cable", "over-spot", "last-pot", "tip",
]  # fmt: skip
KEPT: Final = 10_000
"""Mishaps noted and not read: more are of an evening that nobody asks about."""

PAUSE_S: Final = (0.2, 0.7)
"""Between the two motions of one wager."""
CUT_OUT_S: Final = (1.0, 5.0)
"""How long chips lie there that are cut out again."""
CORRECTED_S: Final = (2.0, 6.0)
"""The dealer's hand comes to splashed chips."""
CHANGE_S: Final = (1.0, 3.0)
"""From the wager to its change."""
EXCHANGE_S: Final = (0.3, 1.0)
"""Chips are in the air while they are changed."""
SLIDE_S: Final = (0.0, 2.0)
"""From a wager to the own chips that slide onto the spot, or to a hand over it."""
OWN_REST_S: Final = (3.0, 15.0)
OWN_CHIPS: Final = (1, 5)
METAL_S: Final = (3.0, 20.0)
THING_S: Final = (2.0, 20.0)
"""How long a hotel key or another house's chip lies there."""
OVER_S: Final = (0.4, 2.0)
"""A pot on its way over the winner's spot."""
LAST_POT_S: Final = (5.0, 20.0)
"""A pot that rests there."""
TIP_S: Final = (0.5, 2.0)
"""Until the tip is laid down, and as long again until it is taken."""
PROTECT_S: Final = (0.5, 3.0)
"""From the deal to the protector, and from the end of the cards to its being taken off."""
HABIT_HANDS: Final = 20
"""A seat begins or ends to use a protector once in so many hands."""
CABLE_AFTER_S: Final = (0.0, 40.0)
CABLE_S: Final = (2.0, 10.0)
FOREIGN: Final = "E007A10000F0"
"""Beginning of the UIDs of other houses' chips and of tokens."""
MOST_CHANGE: Final = 20
"""Nobody changes a chip into more."""


class Mishap(NamedTuple):
    """Something that went wrong. `seat` is 0 where it is no seat's. `until_us` is when it is over at the latest (a
    sweep may end it before); the same as `at_us` where no end is set: a copied or dead tag, chips beside the spot.
    `uids` are the tags concerned, `amount` what the chips among them are worth."""

    kind: MishapKind
    seat: int
    at_us: int
    until_us: int
    amount: int = 0
    uids: tuple[str, ...] = ()


class Cables(Protocol):
    """A table whose cables can be pulled out."""

    def unplug_reader(self, name: str) -> None: ...

    def plug_reader(self, name: str) -> None: ...


class Mishaps:
    """What goes wrong, at the chances given."""

    def __init__(self, motions: Motions, chance: Chance, cables: Cables | None, readers: tuple[str, ...]) -> None:
        self.noted: deque[Mishap] = deque(maxlen=KEPT)
        self._motions = motions
        self._world = motions.world
        self._chance = chance
        self._cables = cables
        self._readers = readers if cables is not None else ()
        self._habits: dict[int, bool] = {}
        """Which seats use a protector."""
        self._protected: dict[int, str] = {}
        """The protector that lies on the spot of a seat, or is about to."""
        self._things = 0

    # Of a wager, before it lands

    def targets(self, seat: int, uids: Sequence[str], now_us: int) -> dict[str, str]:
        """Where chips land that do not land on the seat's spot."""
        chance, targets = self._chance, dict[str, str]()
        neighbours = self._neighbours(seat)
        if chance.happens("splash") and neighbours and len(uids) > 1:
            stream = chance.of("splash")
            spot = bet_spot(stream.choice(neighbours))
            some = tuple(stream.sample(uids, stream.randint(1, len(uids) - 1)))
            until_us = now_us + chance.us("splash", CORRECTED_S)
            self._motions.strayed |= dict.fromkeys(some, seat)
            self._motions.later(until_us, partial(self._motions.straighten, some, seat))
            self._note("splash", seat, now_us, until_us, some)
            targets = dict.fromkeys(some, spot)
        if chance.happens("beside"):
            stream = chance.of("beside")
            some = tuple(uid for uid in stream.sample(uids, stream.randint(1, len(uids))) if uid not in targets)
            self._note("beside", seat, now_us, now_us, some)
            targets |= dict.fromkeys(some, beside(seat))
        return targets

    def parts(self, seat: int, uids: Sequence[str], now_us: int) -> tuple[Sequence[str], Sequence[str], int]:
        """The chips of the first and of the second motion, and the pause between them."""
        if not self._chance.happens("two_motions") or len(uids) < 2:
            return uids, (), 0
        cut = self._chance.of("two_motions").randint(1, len(uids) - 1)
        pause_us = self._chance.us("two_motions", PAUSE_S)
        self._note("two-motions", seat, now_us, now_us, uids[cut:])
        return uids[:cut], uids[cut:], pause_us

    def more(self, seat: int, uids: Sequence[str]) -> tuple[str, ...]:
        """Chips of the same kinds that land with the wager and are cut out of it again."""
        if not self._chance.happens("cut_out"):
            return ()
        kinds = {self._world.worth([uid]) for uid in uids}
        like = [uid for uid in self._world.at(stack_place(seat)) if self._world.worth([uid]) in kinds]
        some = tuple(like[: self._chance.of("cut_out").randint(1, 2 * len(uids))])
        self._motions.rests |= dict.fromkeys(some, seat)
        self._motions.gather(some, hand_of(seat))
        return some

    # Of a wager, once it lies there

    def cut_out(self, seat: int, more: Sequence[str], now_us: int, landed_us: int) -> int:
        """When the chips that are too many are back."""
        until_us = landed_us + self._chance.us("cut_out", CUT_OUT_S)
        self._motions.later(until_us, partial(self._motions.home, tuple(more), seat), seat)
        self._note("cut-out", seat, now_us, until_us, more)
        return until_us

    def wagered(self, seat: int, uids: Sequence[str], landed_us: int) -> None:
        """All that may come of a wager whose last chip lands at that time."""
        self._tags(seat, uids, landed_us)
        self._between(seat, uids, landed_us)
        for cause, act in (("change", self._change), ("change_house", self._change_house)):
            if self._chance.happens(cause):
                at_us = landed_us + self._chance.us(cause, CHANGE_S)
                self._motions.later(at_us, partial(act, seat, at_us))
        if self._chance.happens("own_stack"):
            at_us = landed_us + self._chance.us("own_stack", SLIDE_S)
            self._motions.later(at_us, partial(self._own_stack, seat, at_us))
        self._things_on(seat, landed_us)
        self._covers(seat, landed_us)

    def _tags(self, seat: int, uids: Sequence[str], at_us: int) -> None:
        dead = tuple(uid for uid in uids if self._chance.sticks("dead", uid))
        if dead:
            self._note("dead", seat, at_us, at_us, dead)
        if self._chance.happens("copied"):
            stream, world = self._chance.of("copied"), self._world
            uid = stream.choice(uids)
            places = (*BET_SPOTS, POT, stack_place(seat))
            like = [other for place in places for other in world.at(place) if other != uid]
            like = [other for other in like if world.worth([other]) == world.worth([uid])]
            if like:
                world.copy(uid, like[0])
                self._note("copied", seat, at_us, at_us, (uid, like[0]))

    def _between(self, seat: int, uids: Sequence[str], at_us: int) -> None:
        neighbours = self._neighbours(seat)
        if self._chance.happens("between") and neighbours:
            uid = self._chance.of("between").choice(uids)
            spot = bet_spot(self._chance.of("between").choice(neighbours))
            self._motions.later(at_us, partial(self._share, uid, seat, spot, at_us))

    def _share(self, uid: str, seat: int, spot: str, at_us: int) -> None:
        if uid in self._world.at(bet_spot(seat)):
            self._world.share(uid, spot)
            self._note("between", seat, at_us, at_us, (uid,))

    def _change(self, seat: int, at_us: int) -> None:
        """A chip of the seat for smaller ones of a neighbour: each bet is worth what it was."""
        world, motions = self._world, self._motions
        mine = sorted(set(motions.wagered(seat)).intersection(world.at(bet_spot(seat))))
        for other in self._neighbours(seat):
            theirs = sorted(set(motions.wagered(other)).intersection(world.at(bet_spot(other))))
            for uid in mine:
                smaller = self._smaller(theirs, world.worth([uid]))
                if smaller:
                    motions.strayed |= {uid: other} | dict.fromkeys(smaller, seat)
                    until_us = at_us + self._chance.us("change", EXCHANGE_S)
                    motions.go(smaller, bet_spot(other), hand_of(seat))
                    motions.later((at_us + until_us) // 2, partial(motions.straighten, (uid,), other), seat)
                    motions.later(until_us, partial(motions.straighten, smaller, seat), seat)
                    self._note("change", seat, at_us, until_us, (uid, *smaller))
                    return

    def _smaller(self, uids: Sequence[str], amount: int) -> tuple[str, ...]:
        """Chips, each worth less, that make up the amount together; nothing where none do."""
        chosen: list[str] = []
        rest = amount
        for uid in sorted(uids, key=lambda uid: (-self._world.worth([uid]), uid)):
            value = self._world.worth([uid])
            if value < amount and value <= rest:
                chosen.append(uid)
                rest -= value
        return tuple(chosen) if not rest else ()

    def _change_house(self, seat: int, at_us: int) -> None:
        """A chip of the seat for smaller ones of the house."""
        world, motions = self._world, self._motions
        for uid in sorted(set(motions.wagered(seat)).intersection(world.at(bet_spot(seat)))):
            value = world.worth([uid])
            pieces = made_of(value, [each for each in DENOMINATIONS if each < value])
            if 1 < len(pieces) <= MOST_CHANGE and sum(pieces) == value:
                until_us = at_us + self._chance.us("change_house", EXCHANGE_S)
                motions.go((uid,), bet_spot(seat), hand_of(seat))
                smaller = world.exchange(hand_of(seat), (uid,), pieces)
                motions.send(smaller, hand_of(seat), bet_spot(seat), until_us, seat)
                self._note("change-house", seat, at_us, until_us, (uid, *smaller))
                return

    def _own_stack(self, seat: int, at_us: int) -> None:
        stack = self._world.at(stack_place(seat))
        some = stack[-self._chance.of("own_stack").randint(*OWN_CHIPS) :]
        until_us = at_us + self._chance.us("own_stack", OWN_REST_S)
        if some:
            self._motions.rests |= dict.fromkeys(some, seat)
            self._motions.go(some, stack_place(seat), bet_spot(seat))
            self._motions.later(until_us, partial(self._motions.home, some, seat))
            self._note("own-stack", seat, at_us, until_us, some)

    # Things

    def _things_on(self, seat: int, landed_us: int) -> None:
        makers: tuple[tuple[MishapKind, Callable[[int], str]], ...] = (("key", _key), ("foreign", self._foreign))
        for kind, make in makers:
            if self._chance.happens(kind):
                uid = make(self._next_thing())
                until_us = landed_us + self._chance.us(kind, THING_S)
                self._motions.later(landed_us, partial(self._world.lay, uid, bet_spot(seat)))
                self._motions.later(until_us, partial(self._world.lift, uid))
                self._note(kind, seat, landed_us, until_us, (uid,))

    def _next_thing(self) -> int:
        self._things += 1
        return self._things

    def _foreign(self, number: int) -> str:
        """A tag of the technology of this table's chips that is none of them."""
        return f"{FOREIGN}{number:0{self._world.digits - len(FOREIGN)}X}"

    def _covers(self, seat: int, landed_us: int) -> None:
        kinds: tuple[MishapKind, ...] = ("metal", "phone", "hand")
        for kind in kinds:
            if self._chance.happens(kind):
                at_us = landed_us + self._chance.us(kind, SLIDE_S)
                until_us = at_us + self._chance.us(kind, METAL_S if kind == "metal" else HAND_S)
                self._motions.later(at_us, partial(self._cover, kind, seat, at_us, until_us))

    def _cover(self, kind: MishapKind, seat: int, at_us: int, until_us: int) -> None:
        world, spot = self._world, bet_spot(seat)
        if world.covered(spot) is not None:
            return
        cover = Cover("metal" if kind == "metal" else "hand")
        if kind == "hand" and self._chance.of("hand").random() < 0.5:
            lying = world.lying(spot)
            kind, cover = (
                "hand-part",
                Cover("part", frozenset(self._chance.of("hand").sample(lying, (len(lying) + 1) // 2))),
            )
        world.cover(spot, cover)
        self._motions.later(until_us, partial(self._uncover, spot, cover))
        self._note(kind, seat, at_us, until_us, tuple(sorted(cover.hidden)))

    def _uncover(self, spot: str, cover: Cover) -> None:
        if self._world.covered(spot) is cover:
            self._world.cover(spot, None)

    # Of a hand

    def dealt(self, seats: tuple[int, ...], now_us: int) -> None:
        """Protectors are put down; a cable may go out in this hand."""
        if self._chance.happens("cable") and self._readers and self._cables is not None:
            reader = self._chance.of("cable").choice(self._readers)
            at_us = now_us + self._chance.us("cable", CABLE_AFTER_S)
            until_us = at_us + self._chance.us("cable", CABLE_S)
            self._motions.later(at_us, partial(self._cables.unplug_reader, reader))
            self._motions.later(until_us, partial(self._cables.plug_reader, reader))
            self._note("cable", 0, at_us, until_us)
        for seat in seats if self._chance.rates.protector else ():
            stream = self._chance.of("protector")
            if seat not in self._habits or stream.randrange(HABIT_HANDS) == 0:
                self._habits[seat] = self._chance.happens("protector")
            if self._habits[seat] and seat not in self._protected:
                self._protect(seat, stream.random() < 0.5, now_us + self._chance.us("protector", PROTECT_S))

    def _protect(self, seat: int, own: bool, at_us: int) -> None:
        """With one of the player's own chips, or with a token that has a tag."""
        world = self._world
        stack = world.at(stack_place(seat))
        if own and len(stack) > 1:
            uid = min(stack, key=lambda uid: (world.worth([uid]), uid))
            self._motions.rests[uid] = seat
            self._motions.gather((uid,), hand_of(seat))
            self._motions.send((uid,), hand_of(seat), bet_spot(seat), at_us)
        else:
            uid = self._foreign(self._next_thing())
            self._motions.later(at_us, partial(self._lay_token, seat, uid))
        self._protected[seat] = uid
        self._note("protector", seat, at_us, at_us, (uid,))

    def _lay_token(self, seat: int, uid: str) -> None:
        if self._protected.get(seat) == uid:
            self._world.lay(uid, bet_spot(seat))

    def unprotect(self, seat: int, now_us: int) -> None:
        """The seat's cards are gone, its protector is taken off."""
        uid = self._protected.pop(seat, None)
        if uid is None:
            return
        at_us = now_us + self._chance.us("protector", PROTECT_S)
        if uid in self._motions.rests:
            self._motions.later(at_us, partial(self._motions.home, (uid,), seat))
        else:
            self._motions.later(at_us, partial(self._lift_token, uid))

    def _lift_token(self, uid: str) -> None:
        if self._world.lies(uid):
            self._world.lift(uid)

    def hand_over(self, now_us: int) -> None:
        """All cards go."""
        for seat in list(self._protected):
            self.unprotect(seat, now_us)

    # Of an award

    def pushed(self, seat: int, uids: Sequence[str], at_us: int) -> int:
        """A pot that the dealer holds comes to the winner, over the spot or onto it. Gives when the dealer is done."""
        chance, done_us = self._chance, at_us
        over, stays = chance.happens("over_spot"), chance.happens("last_pot")
        if over or stays:
            kind: MishapKind = "last-pot" if stays else "over-spot"
            until_us = at_us + (chance.us("last_pot", LAST_POT_S) if stays else chance.us("over_spot", OVER_S))
            done_us = at_us if stays else until_us
            self._motions.send(uids, DEALER, bet_spot(seat), at_us)
            self._motions.later(until_us, partial(self._motions.home, tuple(uids), seat))
            self._note(kind, seat, at_us, until_us, uids)
        else:
            self._motions.send(uids, DEALER, stack_place(seat), at_us)
        if chance.happens("tip"):
            tip_us = done_us + chance.us("tip", TIP_S)
            self._motions.later(tip_us, partial(self._tip, seat, tip_us))
        return done_us

    def _tip(self, seat: int, at_us: int) -> None:
        stack = self._world.at(stack_place(seat))
        if len(stack) > 1:
            uid = min(stack, key=lambda uid: (self._world.worth([uid]), uid))
            until_us = at_us + self._chance.us("tip", TIP_S)
            self._motions.rests[uid] = seat
            self._motions.go((uid,), stack_place(seat), bet_spot(seat))
            self._motions.later(until_us, partial(self._take_tip, uid, bet_spot(seat)))
            self._note("tip", seat, at_us, until_us, (uid,))

    def _take_tip(self, uid: str, spot: str) -> None:
        if uid in self._world.at(spot):
            del self._motions.rests[uid]
            self._world.cash((uid,), spot)

    # How

    def _neighbours(self, seat: int) -> tuple[int, ...]:
        """The seats whose spots are beside this one."""
        seats = (seat_of(spot) for spot in self._world.neighbours.get(bet_spot(seat), ()))
        return tuple(other for other in seats if other is not None)

    def _note(self, kind: MishapKind, seat: int, at_us: int, until_us: int, uids: Sequence[str] = ()) -> None:
        self.noted.append(Mishap(kind, seat, at_us, until_us, self._world.worth(uids), tuple(uids)))


def _key(number: int) -> str:
    """A hotel key (ISO 14443A, seven bytes)."""
    return f"04A1{number:010X}"
