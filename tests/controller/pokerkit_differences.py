"""Known differences between PokerKit and the published rules.

For each difference, a condition on the hand decides when it may occur.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from controller import rules
from controller.rules import (
    NOT_ACTED,
    Hand,
    HandEvent,
    Phase,
    legal_actions,
    pots,
    uncalled_chips,
)
from controller.rules.legal_actions import is_betting_reopened
from tests.controller.pokerkit_setups import HandSetup


class KnownDifference(NamedTuple):
    """A known difference between PokerKit and the project's rules in some of the compared fields.

    `rule` quotes the published rule. `applies` returns True for a hand in which the difference may occur.
    """

    fields: tuple[str, ...]
    rule: str
    applies: Callable[[Hand, HandSetup], bool]


def short_wager(hand: Hand) -> bool:
    """Return True if a bet or raise of this round was an all-in of less than the full size."""
    return any(short_wagers(hand))


def short_wagers(hand: Hand) -> list[bool]:
    """Return for each bet and raise of the round whether it was less than the full size."""
    assert hand.round_start is not None
    at, is_short = hand.round_start, []
    for act in hand.action_log:
        if act.event is HandEvent.WAGER:
            base = at.current_bet if hand.game.structure != "fixed-limit" else at.last_full_bet
            is_short.append(act.total - base < at.min_raise)
        at = rules.actions.apply_unchecked(at, act)
    return is_short


def only_short_wagers(hand: Hand) -> bool:
    wagers = short_wagers(hand)
    return bool(wagers) and all(wagers)


def short_forced_bet(hand: Hand) -> bool:
    """Return True if a blind or the bring-in could not be posted in full."""
    bring_in_seat = hand.bring_in_seat
    return hand.round_number == 1 and (
        hand.blind_shortfall > 0
        or (bring_in_seat > 0 and legal_actions.playable_chips(hand, bring_in_seat) < hand.game.bring_in)
    )


def may_leave_odd_chip(hand: Hand, amount: int, high_low: bool) -> bool:
    """Return True if a split of this amount between two or more winners may leave an odd chip."""
    unit = hand.game.unit
    return bool(amount % 2 or amount % 3 or ((unit > 1 or high_low) and amount % (12 * unit)))


def has_checked(hand: Hand) -> bool:
    """Return True if the seat in turn has checked in this round."""
    return any(act.seat == hand.turn and act.event is HandEvent.CHECK for act in hand.action_log)


CASES: dict[str, KnownDifference] = {
    "first short all-in": KnownDifference(
        ("raise",),
        "Robert's Rules 3.6, TDA 47: an all-in short of a full bet or raise reopens the betting for nobody who has "
        "acted, even if it is the first of the round. PokerKit counts the first wager of a round as a full one.",
        lambda hand, at: (
            hand.game.structure != "fixed-limit"
            and only_short_wagers(hand)
            and not is_betting_reopened(hand, hand.turn)
        ),
    ),
    "short all-ins add up": KnownDifference(
        ("raise",),
        "TDA 47: several short all-ins that together are a full raise to a seat reopen the betting for it. PokerKit "
        "starts a new count each time they have reached a full raise.",
        lambda hand, at: (
            sum(short_wagers(hand)) > 1
            and hand.bet_when_acted[hand.turn] != NOT_ACTED
            and hand.current_bet - hand.bet_when_acted[hand.turn] >= hand.min_raise
        ),
    ),
    "short all-in in limit": KnownDifference(
        ("raise", "min", "max"),
        "Robert's Rules 3.6: in limit games less than half a bet is completed by those who have not acted, and half a "
        "bet or more counts as a full one. PokerKit adds a whole bet to any all-in.",
        lambda hand, at: hand.game.structure == "fixed-limit" and short_wager(hand),
    ),
    "completing a blind": KnownDifference(
        ("raise", "min", "max"),
        "Robert's Rules 4: blinds smaller than the bet are raised to the bet. PokerKit adds a whole bet to the blind.",
        lambda hand, at: (
            hand.game.structure == "fixed-limit"
            and hand.round_number == 1
            and 0 < hand.game.big_blind < hand.game.bets[0]
        ),
    ),
    "the blind is a bet": KnownDifference(
        ("raise", "min", "max"),
        "Robert's Rules 3.3: a bet and three raises, and the big blind is the bet. PokerKit allows four raises over "
        "the big blind.",
        lambda hand, at: hand.round_number == 1 and hand.is_capped and not hand.game.variant_rules.opener_by_cards,
    ),
    "heads-up is not capped": KnownDifference(
        ("raise", "min", "max"),
        "Robert's Rules 3.4: no cap if only two players are left before it is reached. PokerKit caps every round.",
        lambda hand, at: (
            bool(hand.game.heads_up_uncapped)
            and hand.game.structure == "fixed-limit"
            and hand.raise_count >= hand.game.raises
            and not hand.is_capped
        ),
    ),
    "no check-raise": KnownDifference(
        ("raise",),
        "table-scripts.md, `check_raise`: a player who has checked in a round may then only call or fold. PokerKit has "
        "no such house rule.",
        lambda hand, at: not hand.game.check_raise and has_checked(hand),
    ),
    "covered by one more": KnownDifference(
        ("raise", "min", "max"),
        "Robert's Rules 3.5: a seat with chips may raise while another player is not all-in, even if that player can "
        "only call. PokerKit refuses the raise if nobody could put in more than the call.",
        lambda hand, at: all(
            hand.bets[seat] + legal_actions.playable_chips(hand, seat) <= hand.current_bet
            for seat in hand.active_seats
            if seat != hand.turn
        ),
    ),
    "ante of one payer": KnownDifference(
        ("max",),
        "TDA 54 and house practice: the pot maximum of the first round does not count the big-blind or button ante.",
        lambda hand, at: (
            hand.game.structure == "pot-limit"
            and hand.round_number == 1
            and bool(hand.antes_total)
            and hand.game.ante_by != "each"
        ),
    ),
    "bring-in all-in": KnownDifference(
        ("raise",),
        "Robert's Rules 8 (seven-card stud): a player with no more than the bring-in posts it. PokerKit lets a smaller "
        "stack be a completion.",
        lambda hand, at: (
            hand.bring_in_seat == hand.turn and legal_actions.playable_chips(hand, hand.turn) <= hand.game.bring_in
        ),
    ),
    "uncalled bet": KnownDifference(
        ("stacks", "pots"),
        "table-scripts.md, What is seen: uncalled chips stay in the last pot, with one seat, until it is awarded. "
        "PokerKit returns them when the round closes.",
        lambda hand, at: hand.phase is Phase.CLOSED and uncalled_chips(hand) > 0,
    ),
    "odd chips": KnownDifference(
        ("end",),
        "Robert's Rules 3 (odd chips): one by one to the first seats left of the button, in each pot. PokerKit gives "
        "all to one player and merges pots with the same winners.",
        lambda hand, at: (
            any(may_leave_odd_chip(hand, pot.amount, at.high_low) for pot in pots(hand)) and len(hand.live_seats) > 1
        ),
    ),
    "short blind": KnownDifference(
        ("call", "raise", "min", "max", "turn"),
        "Robert's Rules 4.1: a short blind is called and raised as a full one, but nobody has to match more than the "
        "largest stack against it. PokerKit counts the chips on the spot.",
        lambda hand, at: short_forced_bet(hand),
    ),
    "nothing to call": KnownDifference(
        ("turn",),
        "table-scripts.md, What is seen: a seat that has matched players who are all all-in is not asked. PokerKit "
        "asks it if a larger forced bet was posted.",
        lambda hand, at: hand.phase is Phase.CLOSED and len(hand.active_seats) < 2,
    ),
}
