"""What PokerKit plays otherwise than the published rules, and when: each a condition on the state of the hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from controller import rules
from controller.rules import NOT_ACTED, Hand, Phase, Verb, pots, reach, uncalled
from controller.rules.queries import reopened
from tests.controller.pokerkit_setups import Setup


class Case(NamedTuple):
    """A difference that is right: which fields it may concern, the rule, and when it may occur."""

    fields: tuple[str, ...]
    rule: str
    holds: Callable[[Hand, Setup], bool]


def short_wager(hand: Hand) -> bool:
    """Somebody bet or raised all-in for less than a full bet or raise in this round."""
    return any(short_wagers(hand))


def short_wagers(hand: Hand) -> list[bool]:
    """For each bet and raise of the round: was it short?"""
    assert hand.opening is not None
    at, found = hand.opening, []
    for act in hand.log:
        if act.verb is Verb.WAGER:
            base = at.level if hand.game.structure != "fixed-limit" else at.full
            found.append(act.total - base < at.size)
        at = rules.redo(at, act)
    return found


def only_short_wagers(hand: Hand) -> bool:
    wagers = short_wagers(hand)
    return bool(wagers) and all(wagers)


def short_forced_bet(hand: Hand) -> bool:
    """A blind or the bring-in could not be posted in full."""
    owes = hand.bring_in
    return hand.round == 1 and (hand.blinds_short > 0 or (owes > 0 and reach(hand, owes) < hand.game.bring_in))


def odd(hand: Hand, amount: int, high_low: bool) -> bool:
    """True for a pot that two, three or more winners may not be able to divide in whole units."""
    unit = hand.game.unit
    return bool(amount % 2 or amount % 3 or ((unit > 1 or high_low) and amount % (12 * unit)))


def has_checked(hand: Hand) -> bool:
    """The seat in turn has checked in this round."""
    return any(act.seat == hand.turn and act.verb is Verb.CHECK for act in hand.log)


CASES: dict[str, Case] = {
    "first short all-in": Case(
        ("raise",),
        "Robert's Rules 3.6, TDA 47: an all-in short of a full bet or raise reopens nothing for who has acted, the "
        "first one of a round included; PokerKit takes the first wager of a round for a full one",
        lambda hand, at: (
            hand.game.structure != "fixed-limit" and only_short_wagers(hand) and not reopened(hand, hand.turn)
        ),
    ),
    "short all-ins add up": Case(
        ("raise",),
        "TDA 47: several short all-ins that together are a full raise to a seat reopen the betting for it; PokerKit "
        "begins to count anew each time they have reached one",
        lambda hand, at: (
            sum(short_wagers(hand)) > 1
            and hand.faced[hand.turn] != NOT_ACTED
            and hand.level - hand.faced[hand.turn] >= hand.size
        ),
    ),
    "short all-in in limit": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.6: in limit games less than half a bet is completed by who has not acted, half a bet or more "
        "counts as a full one; PokerKit adds a whole bet to any all-in",
        lambda hand, at: hand.game.structure == "fixed-limit" and short_wager(hand),
    ),
    "completing a blind": Case(
        ("raise", "min", "max"),
        "Robert's Rules 4 (blinds smaller than the bet are raised to the bet); PokerKit adds a whole bet to the blind",
        lambda hand, at: (
            hand.game.structure == "fixed-limit" and hand.round == 1 and 0 < hand.game.big_blind < hand.game.bets[0]
        ),
    ),
    "the blind is a bet": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.3: a bet and three raises, the big blind is the bet; PokerKit allows four raises over it",
        lambda hand, at: hand.round == 1 and hand.capped and not hand.game.kind.by_board,
    ),
    "heads-up is not capped": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.4: no cap when two players are left before it is reached; PokerKit caps every round",
        lambda hand, at: (
            bool(hand.game.heads_up_uncapped)
            and hand.game.structure == "fixed-limit"
            and hand.raises >= hand.game.raises
            and not hand.capped
        ),
    ),
    "no check-raise": Case(
        ("raise",),
        "table-scripts.md, `check_raise`: who has checked in a round may then only call or fold; PokerKit knows no "
        "such house rule",
        lambda hand, at: not hand.game.check_raise and has_checked(hand),
    ),
    "covered by one more": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.5: a seat with chips may raise while another one is not all-in, though that one can only "
        "call; PokerKit refuses when nobody could put in more than the call",
        lambda hand, at: all(
            hand.bets[seat] + reach(hand, seat) <= hand.level for seat in hand.active if seat != hand.turn
        ),
    ),
    "ante of one payer": Case(
        ("max",),
        "TDA 54 and house practice: the big-blind or button ante is not counted in the first round's pot maximum",
        lambda hand, at: (
            hand.game.structure == "pot-limit" and hand.round == 1 and bool(hand.antes) and hand.game.ante_by != "each"
        ),
    ),
    "bring-in all-in": Case(
        ("raise",),
        "Robert's Rules 8 (seven-card stud): who has no more than the bring-in posts it; PokerKit lets less be a "
        "completion",
        lambda hand, at: hand.bring_in == hand.turn and reach(hand, hand.turn) <= hand.game.bring_in,
    ),
    "uncalled bet": Case(
        ("stacks", "pots"),
        "table-scripts.md, What is seen: chips nobody called stay in the last pot, with one seat, until it is given; "
        "PokerKit returns them when the round closes",
        lambda hand, at: hand.phase is Phase.CLOSED and uncalled(hand) > 0,
    ),
    "odd chips": Case(
        ("end",),
        "Robert's Rules 3 (odd chips): one by one to the first seats left of the button, in each pot; PokerKit gives "
        "all to one and takes pots with the same winners for one",
        lambda hand, at: any(odd(hand, pot.amount, at.high_low) for pot in pots(hand)) and len(hand.live) > 1,
    ),
    "short blind": Case(
        ("call", "raise", "min", "max", "turn"),
        "Robert's Rules 4.1: a short blind is called and raised as a full one; PokerKit goes by the chips that lie "
        "there. Nobody has to match more than the largest stack against it",
        lambda hand, at: short_forced_bet(hand),
    ),
    "nothing to call": Case(
        ("turn",),
        "table-scripts.md, What is seen: against players who are all all-in a seat that has matched them is not asked; "
        "PokerKit asks it when a larger forced bet stands",
        lambda hand, at: hand.phase is Phase.CLOSED and len(hand.active) < 2,
    ),
}
