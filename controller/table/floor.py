"""What the floor decides. The dealer and the floor may overrule everything; the difference has a name and an account.

Source: rulings.md, "When" and "A dealer is a person"; Robert's Rules 1 (the floor's decision is final), TDA 1.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, put
from controller.table import holding, turns
from controller.table.book import counted, pot, require_dealt_in, require_in_hand
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.state import Held, HeldOutOfTurn, Meant, Table
from controller.table.steps import (
    FloorBinds,
    FloorCountsPot,
    FloorGivesTurn,
    FloorKillsHand,
    FloorReleases,
    FloorSetsBet,
)
from controller.table.turns import carry_on


def _held(table: Table, hand: Hand, seat: int) -> Held:
    require_dealt_in(hand, seat)
    if seat not in table.street.held:
        raise refused(Reason.NOTHING_HELD, seat)
    return table.street.held[seat]


def binds(table: Table, hand: Hand, step: FloorBinds, cautions: Cautions) -> Table:
    """A held action stands, and is carried out when its turn comes."""
    seat, held = step.seat, _held(table, hand, step.seat)
    if held.meant == Meant("check") and hand.turn == seat:
        raise refused(rules.Why.FACES_BET, seat, hand.level)
    return turns.floor_binds(table, hand, seat, holding.bound_by_floor(held), cautions)


def releases(table: Table, hand: Hand, step: FloorReleases, cautions: Cautions) -> Table:
    """A held action is as if it had not been done; no restriction remains."""
    seat, held = step.seat, _held(table, hand, step.seat)
    hand = rules.unbar(hand, seat)
    table = turns.free(holding.without_held(table, seat), seat)._replace(hand=hand)
    early_fold = isinstance(held, HeldOutOfTurn) and held.meant == holding.FOLD
    return holding.take_back_fold(table, hand, seat) if early_fold else table


def kills_hand(table: Table, hand: Hand, step: FloorKillsHand, cautions: Cautions) -> Table:
    """The seat's hand is dead: folded now."""
    require_in_hand(table, hand, step.seat)
    return carry_on(holding.without_held(table, step.seat), rules.declare_dead(hand, step.seat), cautions)


def counts_pot(table: Table, hand: Hand, step: FloorCountsPot, cautions: Cautions) -> Table:
    """The pot as counted at the table, of earlier rounds and this one together."""
    difference = step.amount - pot(table)
    in_front = sum(counted(table, seat) for seat in hand.order)
    if step.amount < in_front:
        raise refused(Reason.LIE_IN_FRONT, amount=in_front)
    accounts = table.accounts._replace(adjustment=table.accounts.adjustment - difference)
    return carry_on(table._replace(accounts=accounts), rules.pot_counted(hand, difference), cautions)


def sets_bet(table: Table, hand: Hand, step: FloorSetsBet, cautions: Cautions) -> Table:
    """A seat's bet of this round as decided, against its stack."""
    seat, amount = step.seat, step.amount
    require_dealt_in(hand, seat)
    after = rules.bet_corrected(hand, seat, amount)
    if amount > hand.bets[seat] + hand.stacks[seat] and seat not in hand.unknown:
        cautions.append(Warned(Caution.STACK_CORRECTED, seat))
    felt = _felt_after(table, seat, amount)
    street = holding.without_held(turns.motion_over(table, seat), seat).street
    small = min(street.small[seat], felt - amount)
    street = street._replace(felt=put(street.felt, seat, felt), small=put(street.small, seat, small))
    return carry_on(table._replace(street=street), after, cautions)


def _felt_after(table: Table, seat: int, amount: int) -> int:
    """What lies on the spot when the bet is as decided: chips there that did not count go into it, and what it does not
    use of them stays there, due back; the rest comes from the stack or goes back to it."""
    counts = counted(table, seat)
    idle = table.street.felt[seat] - counts
    return amount + max(0, idle - max(0, amount - counts))


def gives_turn(table: Table, hand: Hand, step: FloorGivesTurn, cautions: Cautions) -> Table:
    """Whose turn it is."""
    require_in_hand(table, hand, step.seat)
    return carry_on(table, rules.give_turn(hand, step.seat), cautions)
