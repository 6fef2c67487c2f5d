"""One hand as a frozen value, and the table of the events that each phase allows.

A hand knows amounts, seats and their order, but no cards. Its bets are the chips that the seats *must* put in, because
words are binding before any chips move. The layer above, `controller.table`, knows which of these chips a seat has not
put in yet.

Amounts by seat are tuples with the seat number, 1 to 10, as the index. Index 0 is unused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from controller.rules.game import Game
from controller.rules.refusals import Refusal, RuleRefusal

MAX_SEATS = 10
"""Maximum number of seats at a poker table."""
UNLIMITED = 1 << 62
"""Amount that is larger than all chips of a table together. The amount stands for an unknown stack, and for the maximum
bet of a game without a maximum."""
MAX_CACHED_SEAT_LISTS = 1024
"""Maximum number of cached lists of live or active seats.

Every action needs the same list several times, and computing it takes five times as long as finding it. A hand has
some dozens of lists, so that the cache has room for the hands of one table and of their corrections.
"""
NOT_ACTED = -1
"""Value in `Hand.bet_when_acted` for a seat that has not acted in the round."""

SeatAmounts = tuple[int, ...]
"""Amounts by seat, with the seat number as the index."""
ZERO_AMOUNTS: SeatAmounts = (0,) * (MAX_SEATS + 1)
NOBODY_ACTED: SeatAmounts = (NOT_ACTED,) * (MAX_SEATS + 1)
NO_SEATS: frozenset[int] = frozenset()


def with_amount(amounts: SeatAmounts, seat: int, value: int) -> SeatAmounts:
    """Return a copy of the amounts in which the amount of the seat is `value`."""
    changed = list(amounts)
    changed[seat] = value
    return tuple(changed)


def clockwise_after(order: Iterable[int], after: int) -> tuple[int, ...]:
    """Return the seats in clockwise order, beginning with the first one after the seat `after`."""
    ring = tuple(sorted(order))
    start = bisect_right(ring, after)
    return ring[start:] + ring[:start]


class Phase(StrEnum):
    """State of a hand, which decides what may happen next. `ALLOWED_EVENTS` lists the events that each phase allows."""

    BRING_IN = "bring-in"
    """Phase at the start of a stud hand, in which the dealer must name the seat that owes the bring-in."""
    FIRST_TO_ACT = "first"
    """Phase at the start of a later round of stud, in which the dealer must name the seat that opens."""
    BETTING = "betting"
    CLOSED = "closed"
    """Phase in which the betting round is over, because nobody can act any longer."""
    AWARDING = "paying"
    """Phase in which at least one pot has been awarded, and at least one pot has not."""
    OVER = "over"


class HandEvent(StrEnum):
    """Event that changes a hand."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    WAGER = "wager"
    """Event: a seat bets, raises or completes to a total."""
    BRING_IN = "bring-in"
    FIRST_TO_ACT = "first"
    POST = "post"
    """Event: a seat posts, straddles or posts a kill blind, after the blinds and before anyone acts."""
    GIVE_TURN = "turn"
    """Event: the floor gives the turn to a seat."""
    DEAD_HAND = "dead"
    """Event: a seat folds out of turn, or the floor declares the cards of a seat dead."""
    DEAL = "deal"
    AWARD = "award"
    VOID = "void"
    CHOP = "chop"
    """Event: the players in the blinds take their blinds back."""


SEAT_EVENTS = frozenset({HandEvent.FOLD, HandEvent.CHECK, HandEvent.CALL, HandEvent.WAGER})
"""Events that are actions of a player: fold, check, call and wager."""

_IN_PLAY = frozenset({HandEvent.VOID, HandEvent.DEAD_HAND})

ALLOWED_EVENTS: dict[Phase, frozenset[HandEvent]] = {
    Phase.BRING_IN: _IN_PLAY | {HandEvent.BRING_IN, HandEvent.FIRST_TO_ACT, HandEvent.POST},
    Phase.FIRST_TO_ACT: _IN_PLAY | {HandEvent.FIRST_TO_ACT},
    Phase.BETTING: _IN_PLAY
    | SEAT_EVENTS
    | {HandEvent.POST, HandEvent.GIVE_TURN, HandEvent.BRING_IN, HandEvent.FIRST_TO_ACT, HandEvent.CHOP},
    Phase.CLOSED: _IN_PLAY | {HandEvent.DEAL, HandEvent.AWARD, HandEvent.CHOP},
    Phase.AWARDING: frozenset({HandEvent.DEAL, HandEvent.AWARD, HandEvent.VOID}),
    Phase.OVER: frozenset(),
}
"""Events that each phase of a hand allows. All other events are refused.

The table does not list the phase after an event, because the program computes this phase:

- BETTING becomes CLOSED when no seat is left to act.
- CLOSED and FIRST_TO_ACT become BETTING with the next round.
- AWARDING becomes OVER with the last pot.
"""

AWARD_PHASES = frozenset({Phase.AWARDING, Phase.OVER})
"""Phases in which the pots are final, because the first pot has been awarded."""

PHASE_REFUSALS: dict[Phase, RuleRefusal] = {
    Phase.BRING_IN: RuleRefusal.BRING_IN_NOT_NAMED,
    Phase.FIRST_TO_ACT: RuleRefusal.FIRST_NOT_NAMED,
    Phase.BETTING: RuleRefusal.ROUND_OPEN,
    Phase.CLOSED: RuleRefusal.ROUND_CLOSED,
    Phase.AWARDING: RuleRefusal.POTS_BEING_AWARDED,
    Phase.OVER: RuleRefusal.HAND_OVER,
}
"""Reason for refusing an event in a phase that does not allow the event, by phase."""


class Pot(NamedTuple):
    """One pot, as the chips would be divided now, and the seats that can win this pot.

    The name is `main`, `side1`, `side2` and so on.
    """

    name: str
    amount: int
    seats: tuple[int, ...]


class SeatAction(NamedTuple):
    """Action of a seat in a betting round.

    `total` is the seat's total bet in the round after a wager, and 0 for other actions.
    """

    event: HandEvent
    seat: int
    total: int = 0
    all_in: bool = False
    """True if a seat with an unknown stack has declared all-in. Then `total` is the bet of the seat with all its chips,
    even if the action is a call."""
    said_pot: bool = False
    """True if the seat declared "pot". If the pot is corrected before enough later seats have acted (substantial
    action), `total` is corrected too."""


class BettingOptions(NamedTuple):
    """Bet that a seat faces, and the actions that the seat may take.

    In this class, a total is the sum of all chips that the seat bets in a round.
    """

    total_to_match: int
    """Total bet that the seat must match."""
    to_call: int
    """Chips that the seat must add to call, never more than its playable chips."""
    no_call_reason: RuleRefusal | None
    """Reason why the seat may not call, or None."""
    no_raise_reason: RuleRefusal | None
    """Reason why the seat may not bet or raise, or None."""
    min_total: int
    """Smallest total of a bet or raise. The value ignores how many chips the seat has."""
    structure_max: int
    """Largest total that the betting structure allows, or `UNLIMITED`. The value ignores how many chips the seat
    has."""
    all_in_total: int
    """Total bet of the seat after going all-in. The value is at least `UNLIMITED` if the stack is unknown."""

    @property
    def max_total(self) -> int:
        """Return the largest total that the seat may bet or raise to with the chips that it has."""
        return min(self.structure_max, self.all_in_total)


class Hand(msgspec.Struct, frozen=True):
    """One hand of poker.

    `forced_bets.blinds.start_hand` creates a hand. `actions.apply_action` and the other functions of this package
    return a changed copy, which they make with `replace`. `replace` also completes a hand that `Hand(…)` has created.

    A hand is a struct of msgspec, because every action copies it at least once. A copy takes 0.3 µs, which would be
    2 µs for a named tuple and 13 µs for a frozen dataclass.
    """

    game: Game
    button: int
    dealt_seats: tuple[int, ...]
    """Seats that were dealt in, clockwise from the left of the button."""
    stacks: SeatAmounts
    """Recorded chips of each seat without its bets. A binding bet is deducted at once, even before its chips are put
    in. The amount is negative if the recorded stack was too small for the bets."""
    unknown_stacks: frozenset[int]
    """Seats with an unknown stack. The rules never assume that such a seat is all-in."""
    phase: Phase = Phase.BETTING
    round_number: int = 1
    bets: SeatAmounts = ZERO_AMOUNTS
    """Chips that each seat is bound to put in during this round."""
    paid_earlier: SeatAmounts = ZERO_AMOUNTS
    """Chips that each seat put in as bets of earlier rounds, or as an ante that every seat pays."""
    dead_money: SeatAmounts = ZERO_AMOUNTS
    """For each seat, its chips in the pot that other seats need not match. These chips are an ante for all players, or
    dead blinds."""
    middle: int = 0
    """All chips in the middle without the bets of this round. This is the sum of `paid_earlier`, `dead_money` and chips
    of unknown origin, minus rake, jackpot and kitty. Chips have an unknown origin if the floor found them in a count,
    or if a script began in the middle of a hand."""
    posted_blinds: SeatAmounts = ZERO_AMOUNTS
    """Chips that each seat posted in this hand as blinds, straddles and live posts."""
    dead_small_blinds: SeatAmounts = ZERO_AMOUNTS
    """Chips that each seat posted as a small blind that is dead money. They are part of `dead_money`."""
    small_blind_seat: int = 0
    """Seat that posted the small blind, or 0."""
    big_blind_seat: int = 0
    """Seat that posted the last blind, or 0 in a game without blinds. The next seat acts first in the first round."""
    blind_shortfall: int = 0
    """Chips that are missing from the posted blinds, because a stack was too short or a seat was empty."""
    antes_total: int = 0
    """Sum of all antes."""
    folded: frozenset[int] = NO_SEATS
    all_in: frozenset[int] = NO_SEATS
    seats_to_act: tuple[int, ...] = ()
    """Seats that must still act in this round, in their order. The first of these seats is in turn."""
    current_bet: int = 0
    """Largest bet of the round, which the others must match."""
    last_full_bet: int = 0
    """Total of the last full bet or raise. In fixed and spread limit, a seat that completes a short bet adds one bet to
    this total."""
    min_raise: int = 0
    """Size of the last full bet or raise, or the minimum bet of the round. The next raise adds at least this amount."""
    raise_count: int = 0
    """Number of raises in this round that count towards the maximum number of raises, the cap."""
    is_capped: bool = False
    """True if no further raise is allowed in this round, because the maximum number of raises was made."""
    bet_when_acted: SeatAmounts = NOBODY_ACTED
    """For each seat, the current bet at the time of the seat's last action in this round, or `NOT_ACTED`."""
    barred_from_raising: frozenset[int] = NO_SEATS
    """Seats that may not bet or raise on this turn. Such a seat has acted out of turn, and another seat has changed the
    action since. Or it has said "check" to a bet (TDA 55)."""
    barred_from_short_call: frozenset[int] = NO_SEATS
    """Open stakes: seats that borrowed to raise and may not call all-in for less."""
    action_started: bool = False
    """True if a seat has acted in this hand, so that posts and straddles are too late."""
    straddle_seats: tuple[int, ...] = ()
    """Seats that have straddled in this hand, first straddle first."""
    bring_in_seat: int = 0
    """Seat that must now put in the bring-in, or 0 if no seat must."""
    can_pass_bring_in: bool = False
    """True if a seat that folds its bring-in passes the bring-in on to the next seat. This happens only if the seat
    that the dealer named is all-in for the ante."""
    last_to_act: int = 0
    """Seat that acts last in the first round because of a kill blind or a button straddle, or 0."""
    kill_seat: int = 0
    """Seat that posted the kill blind, or 0."""
    has_open_pair: bool = False
    """True if the dealer has entered an open pair on fourth street. A seat may then choose the larger bet size."""
    wager_count: int = 0
    """Number of bets and raises in this round."""
    action_log: tuple[SeatAction, ...] = ()
    """Actions of this round in order, which a correction replays."""
    round_start: Hand | None = None
    """Hand as it was when the betting of this round began, from which a correction replays."""
    unawarded_pots: tuple[Pot, ...] = ()
    """Pots that are still to be awarded, after rake, jackpot and kitty were taken out. Empty except in the phase
    AWARDING."""
    awarded: SeatAmounts = ZERO_AMOUNTS
    """Chips that each seat has been awarded in this hand."""
    rake_taken: int = 0
    """Rake that was already taken in this hand."""
    jackpot_taken: int = 0
    """Chips that were already taken in this hand for the jackpot."""
    kitty_taken: int = 0
    """Chips that were already taken in this hand for the players' kitty."""
    promotion_chips: int = 0
    """Chips that the house has added to the pot in this hand (a splash pot). The house takes no rake from them."""
    board_count: int = 1
    """Number of boards on which each pot is played. It is more than 1 if the game has several boards or the board is
    run again."""
    bomb_ante: int = 0
    """Ante of a bomb pot, or 0 in any other hand."""
    rock_seat: int = 0
    """Seat that posted the forced straddle of the rock, or 0."""
    only_two_seated: bool = False
    """True if only two players sit at the table, dealt in or not. The whole table is then heads-up (TDA 48)."""

    turn: int = 0
    """Seat in turn, or 0 if no seat is in turn. Computed by `replace`, like the two fields that follow."""
    live_seats: tuple[int, ...] = ()
    """Seats that have not folded, in ascending order."""
    active_seats: tuple[int, ...] = ()
    """Live seats that are not all-in, in ascending order."""

    @property
    def pot_total(self) -> int:
        """Return all chips in the middle and all bets.

        After the first award, return the chips of the pots that have not been awarded.
        """
        if self.phase in AWARD_PHASES:
            return sum(pot.amount for pot in self.unawarded_pots)
        return self.middle + sum(self.bets)

    @property
    def unattributed_chips(self) -> int:
        """Return the chips in the middle that no seat of this hand put in.

        Chips that were taken out of the middle, such as rake, are deducted, so that the result can be negative.
        """
        return self.middle - sum(self.paid_earlier) - sum(self.dead_money)

    @property
    def drop_taken(self) -> int:
        """Return the rake, jackpot and kitty that were taken out of the middle so far."""
        return self.rake_taken + self.jackpot_taken + self.kitty_taken

    @property
    def is_last_round(self) -> bool:
        """Return True in the last betting round of the variant."""
        return self.round_number >= len(self.game.variant_rules.round_names)

    def contributed(self, seat: int) -> int:
        """Return the live and dead chips that the seat has put in during this hand."""
        return self.bets[seat] + self.paid_earlier[seat] + self.dead_money[seat]


@lru_cache(maxsize=MAX_CACHED_SEAT_LISTS)
def _seats_without(dealt_seats: tuple[int, ...], folded: frozenset[int], all_in: frozenset[int]) -> tuple[int, ...]:
    """Return the seats that were dealt in and are neither folded nor all-in, in ascending order."""
    return tuple(sorted([seat for seat in dealt_seats if seat not in folded and seat not in all_in]))


def replace(hand: Hand, **changes: Any) -> Hand:
    """Return a copy of the hand with some fields changed and the computed fields up to date.

    Without changes, the function completes a hand that `Hand(…)` has created. It raises TypeError for a name that is
    not a field of a hand, or that is a computed field. A test checks the names in all calls, because mypy does not.
    """
    to_act = changes.get("seats_to_act", hand.seats_to_act)
    live_seats, active_seats = hand.live_seats, hand.active_seats
    if not live_seats or not changes.keys().isdisjoint(_FIELDS_OF_SEAT_LISTS):
        dealt, folded = changes.get("dealt_seats", hand.dealt_seats), changes.get("folded", hand.folded)
        live_seats = _seats_without(dealt, folded, NO_SEATS)
        active_seats = _seats_without(dealt, folded, changes.get("all_in", hand.all_in))
    turn = to_act[0] if to_act else 0
    return _copy(hand, **changes, turn=turn, live_seats=live_seats, active_seats=active_seats)


_FIELDS_OF_SEAT_LISTS = frozenset({"dealt_seats", "folded", "all_in"})
_copy = msgspec.structs.replace


def reject_event(hand: Hand, event: HandEvent) -> Refusal | None:
    """Return the reason why the phase of the hand does not allow the event, or None if it does."""
    return None if event in ALLOWED_EVENTS[hand.phase] else Refusal(PHASE_REFUSALS[hand.phase])
