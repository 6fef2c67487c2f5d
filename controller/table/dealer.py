"""What the dealer does with a hand: start it, deal the streets, give the pots, call it off.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from typing import Final

from controller import rules
from controller.rules import NOTHING, Hand, Phase, Player, clockwise, pots, require
from controller.table.book import counted, hand_of, owes
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Carried, Streak, Street, Table
from controller.table.steps import Awards, Deals, Voids
from controller.table.turns import presume

_MAIN_POT: Final = "main"

# --- streets ---


def deals(table: Table, hand: Hand, step: Deals, cautions: Cautions) -> Table:
    """The dealer sweeps the bets, returns what is due back and deals the next street."""
    while step.closing and hand.phase is Phase.BETTING:
        table = presume(table, hand, cautions)
        hand = hand_of(table)
    _nothing_owed(table)
    require(rules.reject_deal(hand))
    raked, rake = rules.take_drop(hand) if hand.phase is Phase.CLOSED else (hand, 0)
    presumed = table.street.presumed if step.closing else {}
    return table._replace(
        hand=rules.deal(raked),
        accounts=table.accounts._replace(rake=table.accounts.rake + rake),
        street=Street(presumed=presumed, passing=bool(presumed)),
    )


def _nothing_owed(table: Table) -> None:
    for seat, debt in enumerate(owes(table)):
        if debt:
            raise refused(Reason.STILL_OWES, seat, debt)


# --- the pots ---


def awards(table: Table, before: Hand, step: Awards, cautions: Cautions) -> Table:
    """A pot given to a seat, or split."""
    _nothing_owed(table)
    given = rules.award(before, step.pot, step.high, step.low)
    rake, jackpot = table.accounts.rake + given.rake, table.accounts.jackpot + given.jackpot
    left_on_spots = tuple(felt - counted(table, seat) for seat, felt in enumerate(table.street.felt))
    table = table._replace(
        hand=given.hand,
        accounts=table.accounts._replace(rake=rake, jackpot=jackpot),
        street=table.street._replace(felt=left_on_spots, small=NOTHING, held={}),
        carried=_after_award(table, before, step.pot, given.given),
    )
    table = _short_winners(table, before, given.given)
    return _finished(table, given.hand) if given.hand.phase is Phase.OVER else table


def _after_award(table: Table, before: Hand, name: str, given: dict[int, int]) -> Carried:
    """Who takes the rock, and who owes the kill."""
    pot = next(pot for pot in pots(before) if pot.name == name)
    carried, kill = table.carried, table.games[table.game_name].kill
    if name == _MAIN_POT and carried.rock:
        ring = clockwise(before.order, carried.rock)
        carried = carried._replace(rock=next(seat for seat in ring if seat in given))
    winner, chips = rules.sole_winner(before, pot, given)
    if kill and winner and kill.pot and chips >= kill.pot:
        carried = carried._replace(killer=winner)
    if name != _MAIN_POT:
        return carried
    wins = carried.streak.wins if winner == carried.streak.seat else 0
    streak = Streak(winner, wins + 1) if winner else Streak()
    if kill and kill.wins and winner and streak.wins >= kill.wins:
        carried = carried._replace(killer=winner)
    return carried._replace(streak=streak)


def _short_winners(table: Table, before: Hand, given: dict[int, int]) -> Table:
    """Open stakes: who won all-in with less than the least buy-in buys nothing during a hand until a full re-buy."""
    game = table.games[table.game_name]
    if game.stakes != "open" or game.buy_in is None:
        return table
    players = dict(table.players)
    for seat in given:
        if seat in before.all_in and before.contributed(seat) < game.buy_in[0]:
            players[seat] = players[seat]._replace(short_winner=True)
    return table._replace(players=players)


def _finished(table: Table, hand: Hand) -> Table:
    """The stacks of the hand go back into the book between hands."""
    players = dict(table.players)
    for seat in hand.order:
        players[seat] = players[seat]._replace(stack=hand.stacks[seat], unknown=seat in hand.unknown, borrowed=False)
    return table._replace(players=players)


# --- a misdeal ---


def voids(table: Table, hand: Hand, step: Voids, cautions: Cautions) -> Table:
    """Misdeal: everything of this hand goes back to who put it in; the button stays for the next."""
    before = table.before
    accounts = table.accounts._replace(
        rake=table.accounts.rake - hand.dropped,
        jackpot=table.accounts.jackpot - hand.jackpot,
        adjustment=table.accounts.adjustment + hand.extra + hand.dropped,
    )
    over = rules.void(hand)
    table = _finished(table._replace(hand=over, accounts=accounts, street=Street()), over)
    if before is None:
        return table._replace(carried=table.carried._replace(fresh=True))
    carried = before.carried._replace(
        placed=table.carried.placed, redeal=None if before.carried.fresh else before.carried.placed
    )
    players = {seat: _as_before(player, before.players[seat]) for seat, player in table.players.items()}
    return table._replace(players=players, carried=carried)


def _as_before(player: Player, before: Player) -> Player:
    """The player with the debts from before the hand."""
    return player._replace(
        new=before.new, big_owed=before.big_owed, small_owed=before.small_owed, short_winner=before.short_winner
    )
