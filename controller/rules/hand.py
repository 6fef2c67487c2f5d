"""One hand as a frozen value, and the table of what may happen to it when.

A hand knows amounts, seats and order, never cards. Its bets are what seats are *bound* to: words bind before the chips
lie there, and what somebody still owes is the business of the layer above (`controller.table`).

By-seat amounts are tuples indexed by the seat number, 1 to 10; index 0 is unused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from controller.rules.game import Game
from controller.rules.refusals import Refusal, Why

SEATS = 10
"""A poker table has at most ten seats."""
UNBOUNDED = 1 << 62
"""More chips than there are: what a seat can put in whose stack nobody knows."""
NOT_ACTED = -1

Amounts = tuple[int, ...]
NOTHING: Amounts = (0,) * (SEATS + 1)
NOBODY_ACTED: Amounts = (NOT_ACTED,) * (SEATS + 1)
NO_SEATS: frozenset[int] = frozenset()


def put(amounts: Amounts, seat: int, value: int) -> Amounts:
    """The amounts with one seat's set to value."""
    changed = list(amounts)
    changed[seat] = value
    return tuple(changed)


def clockwise(order: Iterable[int], after: int) -> tuple[int, ...]:
    """The seats in playing order, beginning with the first one clockwise after the seat `after`."""
    ring = tuple(sorted(order))
    cut = bisect_right(ring, after)
    return ring[cut:] + ring[:cut]


class Phase(StrEnum):
    """Where a hand is. The transitions are in `TRANSITIONS`."""

    BRING_IN = "bring-in"
    """Stud, first round: the dealer has to name the seat that owes the bring-in."""
    FIRST = "first"
    """Stud, later rounds: the dealer has to name the seat that opens."""
    BETTING = "betting"
    CLOSED = "closed"
    """Nobody has anything left to decide in this round."""
    PAYING = "paying"
    """Some pots have been given, some have not."""
    OVER = "over"


class Verb(StrEnum):
    """What can happen to a hand. The first six are a seat's own actions."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    WAGER = "wager"
    """A bet, raise or completion to a total."""
    BRING_IN = "bring-in"
    FIRST = "first"
    POST = "post"
    """Posts, straddles and kill blinds: after the hand has started and before anyone acts."""
    TURN = "turn"
    """The floor gives the turn to a seat."""
    DEAD = "dead"
    """A seat's hand is dead."""
    DEAL = "deal"
    AWARD = "award"
    VOID = "void"
    CHOP = "chop"
    """Those in the blinds take them back."""


ACTIONS = frozenset({Verb.FOLD, Verb.CHECK, Verb.CALL, Verb.WAGER})

_IN_PLAY = frozenset({Verb.VOID, Verb.DEAD})

TRANSITIONS: dict[Phase, frozenset[Verb]] = {
    Phase.BRING_IN: _IN_PLAY | {Verb.BRING_IN, Verb.FIRST, Verb.POST},
    Phase.FIRST: _IN_PLAY | {Verb.FIRST},
    Phase.BETTING: _IN_PLAY | ACTIONS | {Verb.POST, Verb.TURN, Verb.BRING_IN, Verb.FIRST, Verb.CHOP},
    Phase.CLOSED: _IN_PLAY | {Verb.DEAL, Verb.AWARD, Verb.CHOP},
    Phase.PAYING: frozenset({Verb.DEAL, Verb.AWARD, Verb.VOID}),
    Phase.OVER: frozenset(),
}
"""What may happen in which phase; everything else is refused. The phase that follows is computed, not listed: BETTING
turns into CLOSED when nobody is left to act, CLOSED and FIRST into BETTING with the next round, PAYING into OVER with
the last pot."""

BEING_GIVEN = frozenset({Phase.PAYING, Phase.OVER})
"""The phases in which the pots are fixed."""

WHY_NOT: dict[Phase, Why] = {
    Phase.BRING_IN: Why.BRING_IN_NOT_NAMED,
    Phase.FIRST: Why.FIRST_NOT_NAMED,
    Phase.BETTING: Why.ROUND_OPEN,
    Phase.CLOSED: Why.ROUND_CLOSED,
    Phase.PAYING: Why.PAYING,
    Phase.OVER: Why.HAND_OVER,
}


class Pot(NamedTuple):
    """A pot as it would be divided: its name (main, side1 …), its chips, and who can win it."""

    name: str
    amount: int
    seats: tuple[int, ...]


class Act(NamedTuple):
    """Something a seat did in this round. `total` is the seat's total for the round after a wager, else 0."""

    verb: Verb
    seat: int
    total: int = 0
    all_in: bool = False
    """Declared by a seat whose stack nobody knows: `total` is all it has, also in a call."""
    pot: bool = False
    """Said as "pot": where the pot was told wrong and that is found in time, the total follows the count."""


class Choices(NamedTuple):
    """What a seat faces and may do. Totals are those of the round."""

    facing: int
    """The total that it has to match."""
    to_call: int
    """What it has to add to call, never more than it has."""
    why_no_call: Why | None
    why_no_raise: Why | None
    least: int
    """The least total that it may bet or raise to, its own chips left aside."""
    limit: int
    """The most total, its own chips left aside; `UNBOUNDED` for none."""
    has: int
    """The total if it put in all it has; `UNBOUNDED` or more where its stack is unknown."""

    @property
    def most(self) -> int:
        """The most total that it may and can bet or raise to."""
        return min(self.limit, self.has)


@dataclass(frozen=True)
class Hand:
    """One hand. See the module's docstring; `forced.start_hand` makes one, `actions.apply` and others move it on, each
    by `replace`."""

    game: Game
    button: int
    order: tuple[int, ...]
    """Seats dealt in, clockwise from the left of the button."""
    stacks: Amounts
    """Chips behind, after everything the seat is bound to; the book's estimate, negative where the book was wrong."""
    unknown: frozenset[int]
    """Seats whose stack nobody knows: they are never taken to be all-in by the book."""
    phase: Phase = Phase.BETTING
    round: int = 1
    bets: Amounts = NOTHING
    """What each seat is bound to in this round."""
    paid: Amounts = NOTHING
    """What each seat put in to be matched before: antes by each, earlier rounds."""
    dead: Amounts = NOTHING
    """What each seat put in that nobody has to match: an ante for all, dead blinds."""
    middle: int = 0
    """All chips in the middle but this round's bets: `paid`, `dead`, and what no seat of this hand put in
    (a hand taken over, a count by the floor; less the rake that was taken)."""
    blinds: Amounts = NOTHING
    """Posted as blinds, straddles and live posts in this hand."""
    dead_blinds: Amounts = NOTHING
    """Posted as small blinds where those are dead money: part of `dead`."""
    small_blind: int = 0
    """The seat that posted the small blind, 0 for none."""
    big_blind: int = 0
    """The seat of the last blind, after which the first round opens; 0 in a game without."""
    blinds_short: int = 0
    """How much of the forced blinds was not posted: short stacks, a small blind due from an empty seat."""
    antes: int = 0
    """All antes together."""
    folded: frozenset[int] = NO_SEATS
    all_in: frozenset[int] = NO_SEATS
    pending: tuple[int, ...] = ()
    """Seats that still have to act in this round, in the order in which they will; the first is in turn."""
    level: int = 0
    """The bet of the round that has to be matched."""
    full: int = 0
    """The last level that counts as a full bet or raise (fixed and spread limit complete from here)."""
    size: int = 0
    """The last full bet or raise, or the round's least bet: the least that the next raise adds."""
    raises: int = 0
    capped: bool = False
    """Set when the last allowed raise was made with three or more players; stays for the round."""
    faced: Amounts = NOBODY_ACTED
    """The level when each seat last acted in this round, or NOT_ACTED."""
    barred: frozenset[int] = NO_SEATS
    """Seats that may not bet or raise on this turn: they acted out of turn and the action changed."""
    no_all_in: frozenset[int] = NO_SEATS
    """Open stakes: seats that borrowed to raise and may not call all-in for less."""
    started: bool = False
    """Somebody has acted: posts and straddles come too late."""
    straddles: tuple[int, ...] = ()
    """Seats that straddled, in order."""
    bring_in: int = 0
    """The seat that owes the bring-in, until it has bet."""
    bring_in_passes: bool = False
    """The seat that would bring in is all-in for the ante: the one that has to instead may fold, which passes it on."""
    deferred: int = 0
    """The seat of a kill blind, or of a straddle on the button, that acts last in the first round."""
    killer: int = 0
    """The seat that posted the kill blind, 0 for none."""
    open_pair: bool = False
    wagers: int = 0
    """Bets and raises of this round."""
    log: tuple[Act, ...] = ()
    """What was done in this round, for corrections."""
    opening: Hand | None = None
    """The hand as this round's betting began, for corrections."""
    pots_left: tuple[Pot, ...] = ()
    """In PAYING: the pots that have not been given, rake already taken."""
    given: Amounts = NOTHING
    """In PAYING: what each seat was given."""
    dropped: int = 0
    """Rake taken so far in this hand."""
    jackpot: int = 0
    """Jackpot drop taken in this hand."""
    kitty: int = 0
    """Taken in this hand for the players' own expenses."""
    boards: int = 1
    """On how many boards each pot is played for: the house's game, or how often it is run."""
    bomb: int = 0
    """The ante of a bomb pot, 0 in another hand."""
    rock: int = 0
    """The seat that posted the rock, 0 for none."""
    two_seated: bool = False
    """No third player is seated at the table: heads-up for good (TDA 48)."""

    turn: int = field(init=False, compare=False)
    """The seat in turn, 0 for none."""
    live: tuple[int, ...] = field(init=False, compare=False)
    """Seats that have not folded, by number."""
    active: tuple[int, ...] = field(init=False, compare=False)
    """Live seats that are not all-in, by number."""
    choices_of_turn: Choices | None = field(init=False, compare=False, repr=False)
    """What the seat in turn may do, once somebody has asked (`queries.choices`); a copy forgets it."""

    def __post_init__(self) -> None:
        live = _still_in(self.order, self.folded)
        vars(self).update(
            turn=_first(self.pending), live=live, active=_can_act(live, self.all_in), choices_of_turn=None
        )

    @property
    def total(self) -> int:
        """All chips in the middle and bound in front of the players, pots already given left out."""
        if self.phase in BEING_GIVEN:
            return sum(pot.amount for pot in self.pots_left)
        return self.middle + sum(self.bets)

    @property
    def extra(self) -> int:
        """What of the middle no seat of this hand put in; negative where chips were taken out of it."""
        return self.middle - sum(self.paid) - sum(self.dead)

    @property
    def taken(self) -> int:
        """Rake, jackpot and kitty taken out of the middle so far."""
        return self.dropped + self.jackpot + self.kitty

    @property
    def last_round(self) -> bool:
        """True in the last betting round of the variant."""
        return self.round >= len(self.game.kind.rounds)

    def contributed(self, seat: int) -> int:
        """What the seat has put in during this hand, live and dead."""
        return self.bets[seat] + self.paid[seat] + self.dead[seat]


def _first(pending: tuple[int, ...]) -> int:
    return pending[0] if pending else 0


def _still_in(order: tuple[int, ...], folded: frozenset[int]) -> tuple[int, ...]:
    return tuple(sorted([seat for seat in order if seat not in folded]))


def _can_act(live: tuple[int, ...], all_in: frozenset[int]) -> tuple[int, ...]:
    return tuple([seat for seat in live if seat not in all_in]) if all_in else live


class Changes(TypedDict, total=False):
    """The fields of a hand that `replace` may change: all but those that follow from others."""

    game: Game
    button: int
    order: tuple[int, ...]
    stacks: Amounts
    unknown: frozenset[int]
    phase: Phase
    round: int
    bets: Amounts
    paid: Amounts
    dead: Amounts
    middle: int
    blinds: Amounts
    dead_blinds: Amounts
    small_blind: int
    big_blind: int
    blinds_short: int
    antes: int
    folded: frozenset[int]
    all_in: frozenset[int]
    pending: tuple[int, ...]
    level: int
    full: int
    size: int
    raises: int
    capped: bool
    faced: Amounts
    barred: frozenset[int]
    no_all_in: frozenset[int]
    started: bool
    straddles: tuple[int, ...]
    bring_in: int
    bring_in_passes: bool
    deferred: int
    killer: int
    open_pair: bool
    wagers: int
    log: tuple[Act, ...]
    opening: Hand | None
    pots_left: tuple[Pot, ...]
    given: Amounts
    dropped: int
    jackpot: int
    kitty: int
    boards: int
    bomb: int
    rock: int
    two_seated: bool


_MAY_CHANGE = frozenset(Changes.__annotations__)
_new = object.__new__
_set_fields = vars(Hand)["__dict__"].__set__


def replace(hand: Hand, **values: Unpack[Changes]) -> Hand:
    """The hand with some fields changed. Raises TypeError for a field that a hand does not have or works out itself."""
    return changed(hand, values)


def changed(hand: Hand, values: Changes) -> Hand:
    """`replace` with the changes as one value.

    `dataclasses.replace` would set all forty fields one by one; this copies them at once, as that is most of what an
    action does, and makes anew only what follows from the changed ones.
    """
    if not _MAY_CHANGE.issuperset(values):
        raise TypeError(f"{', '.join(sorted(values.keys() - _MAY_CHANGE))}: no field of a hand that may be changed")
    fields = hand.__dict__ | values
    fields["choices_of_turn"] = None
    if "pending" in values:
        fields["turn"] = values["pending"][0] if values["pending"] else 0
    if "folded" in values or "order" in values:
        live = _still_in(values.get("order", hand.order), values.get("folded", hand.folded))
        fields["live"], fields["active"] = live, _can_act(live, values.get("all_in", hand.all_in))
    elif "all_in" in values:
        fields["active"] = _can_act(hand.live, values["all_in"])
    copy = _new(Hand)
    _set_fields(copy, fields)
    return copy


def refusal(hand: Hand, verb: Verb) -> Refusal | None:
    """Why the verb cannot happen in the hand's phase, or None."""
    return None if verb in TRANSITIONS[hand.phase] else Refusal(WHY_NOT[hand.phase])
