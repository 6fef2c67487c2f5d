"""Chips that come to the table and leave it, and stacks that are counted: adding, cash, tips, time.

Source: rulings.md, "Between hands" (table stakes, open stakes, tips) and "A dealer is a person" (the book's estimate);
Betting in poker, "Table stakes rules", "Cash and chips", "Open stakes".
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Player, require
from controller.table.between import stays
from controller.table.between.seats import others_than, player_at, with_player
from controller.table.book import hand_with, is_unknown, owed, stack
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.state import Accounts, Table
from controller.table.steps import Adds, Counted, PaysTime, PlaysCash, Removes, Tips
from controller.table.turns import carry_on

# --- more chips, and fewer ---


def adds(table: Table, step: Adds | PlaysCash, cautions: Cautions) -> Table:
    """More chips, or cash that plays as chips do: between hands, or at open stakes during one."""
    player = player_at(table, step.seat)
    if table.playing:
        return _add_in_hand(table, step)
    game = table.games[table.game_name]
    require(rules.reject_add(game, player, step.amount, others_than(table, step.seat)))
    after = player.stack + step.amount
    short = player.short_winner and game.buy_in is not None and after < game.buy_in[0]
    table = with_player(table, step.seat, player._replace(stack=after, short_winner=short))
    return stays.bought_more(table, step.seat, step.amount)


def _add_in_hand(table: Table, step: Adds | PlaysCash) -> Table:
    hand = open_stakes_hand(table, step.seat)
    table = table._replace(hand=rules.with_more(hand, step.seat, step.amount))
    return stays.bought_more(table, step.seat, step.amount)


def open_stakes_hand(table: Table, seat: int) -> Hand:
    """The hand in progress, in which the seat may get more chips. Refuses at table stakes, a seat that has nothing to
    bet for, and one that won all-in with less than a buy-in.

    Source: Betting in poker, "Open stakes".
    """
    hand, player = hand_with(table, seat), player_at(table, seat)
    if table.game.stakes != "open":
        raise refused(Reason.TABLE_STAKES)
    if player.short_winner:
        raise refused(Reason.SHORT_WINNER, seat)
    if hand is None or seat in hand.folded or seat in hand.all_in:
        raise refused(Reason.NOTHING_TO_BET_FOR, seat)
    return hand


def removes(table: Table, step: Removes, cautions: Cautions) -> Table:
    """Chips may not be taken off the table."""
    player_at(table, step.seat)
    raise refused(Reason.NO_REMOVAL, step.seat, warning=Caution.GOING_SOUTH)


# --- at any time ---


def counts_stack(table: Table, step: Counted, cautions: Cautions) -> Table:
    """The dealer counted the stack, or nobody knows it. What the book had more goes to the adjustment account."""
    seat, player = step.seat, player_at(table, step.seat)
    hand = hand_with(table, seat)
    if step.amount is None:
        if hand is None:
            return with_player(table, seat, player._replace(unknown=True))
        return table._replace(hand=rules.stack_lost(hand, seat))
    missing = stack(table, seat) - step.amount
    table = table._replace(accounts=table.accounts._replace(adjustment=table.accounts.adjustment + missing))
    if hand is None:
        return with_player(table, seat, player._replace(stack=step.amount, unknown=False))
    after = rules.stack_counted(hand, seat, step.amount - owed(table, seat))
    return carry_on(table, after, cautions)


def tips(table: Table, step: Tips, cautions: Cautions) -> Table:
    """A tip to the dealer. No going south."""
    accounts = table.accounts._replace(toke=table.accounts.toke + step.amount)
    return _pays(table, step, accounts, cautions)


def pays_time(table: Table, step: PaysTime, cautions: Cautions) -> Table:
    """The time collection. No going south."""
    accounts = table.accounts._replace(time=table.accounts.time + step.amount)
    return _pays(table, step, accounts, cautions)


def _pays(table: Table, step: Tips | PaysTime, accounts: Accounts, cautions: Cautions) -> Table:
    seat, player = step.seat, player_at(table, step.seat)
    unknown = is_unknown(table, seat)
    if step.amount > stack(table, seat) and not unknown:
        cautions.append(Warned(Caution.STACK_CORRECTED, seat))
        unknown = True
    return without_chips(table._replace(accounts=accounts), seat, player, step.amount, unknown=unknown)


def without_chips(table: Table, seat: int, player: Player, amount: int, *, unknown: bool) -> Table:
    """The table where so many chips less are in the seat's stack, during a hand or between two; `unknown`: nobody
    knows the stack."""
    hand = hand_with(table, seat)
    if hand is None:
        return with_player(table, seat, player._replace(stack=player.stack - amount, unknown=unknown))
    if unknown:
        return table._replace(hand=rules.with_unknown_stack(rules.with_more(hand, seat, -amount), seat))
    return table._replace(hand=rules.stack_counted(hand, seat, hand.stacks[seat] - amount))
