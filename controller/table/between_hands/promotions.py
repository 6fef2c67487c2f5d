"""Promotions between hands: bounties, and payments of the players among themselves, as in a stand-up game.

In a bounty game each player pays the winner, for example with seven-deuce. In a stand-up game, the last player who has
not won a hand pays each other player. The players of the last hand take part. A player with fewer chips pays all of
them, because nobody owes more than the chips on the table.

The house pays its own bounties out of the account `promotion`, so that they are no difference in the chips.

Source: house rules; table-scripts.md, `bounty`, `from-each`, `to-each`.
"""

from __future__ import annotations

from controller.rules import clockwise_after
from controller.steps import table_steps
from controller.table.between_hands.player_lookup import player_at, require_between_hands, with_player
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import Table


def handle_bounty(table: Table, step: table_steps.PaysBounty, warnings: SeatWarnings) -> Table:
    """Add a promotion of the house to a stack."""
    require_between_hands(table)
    player = player_at(table, step.seat)
    accounts = table.accounts._replace(promotion=table.accounts.promotion - step.amount)
    return with_player(table._replace(accounts=accounts), step.seat, player._replace(stack=player.stack + step.amount))


def handle_collect_from_each(table: Table, step: table_steps.CollectsFromEach, warnings: SeatWarnings) -> Table:
    """Move the amount from each other player of the last hand to the seat."""
    for payer in _other_players_of_last_hand(table, step.seat):
        table = _with_payment(table, payer, step.seat, step.amount)
    return table


def handle_pay_each(table: Table, step: table_steps.PaysEach, warnings: SeatWarnings) -> Table:
    """Move the amount from the seat to each other player of the last hand, first to the left of the seat.

    If the chips of the seat do not suffice, the players who come last get less or nothing.
    """
    for payee in _other_players_of_last_hand(table, step.seat):
        table = _with_payment(table, step.seat, payee, step.amount)
    return table


def _other_players_of_last_hand(table: Table, seat: int) -> tuple[int, ...]:
    """Return the other seats that were dealt into the last hand, clockwise after the seat.

    Refuse the step during a hand, and if the seat was not dealt into the last hand.
    """
    require_between_hands(table)
    player_at(table, seat)
    dealt_seats = table.hand.dealt_seats if table.hand is not None else ()
    if seat not in dealt_seats:
        raise refusal_error(TableRefusal.NOT_DEALT_IN, seat)
    return tuple(other for other in clockwise_after(dealt_seats, seat) if other != seat and other in table.players)


def _with_payment(table: Table, payer: int, payee: int, amount: int) -> Table:
    """Return the table after one player has paid another, at most the payer's recorded stack."""
    paying, paid = table.players[payer], table.players[payee]
    if not paying.stack_unknown:
        amount = min(amount, paying.stack)
    table = with_player(table, payer, paying._replace(stack=paying.stack - amount))
    return with_player(table, payee, paid._replace(stack=paid.stack + amount))
