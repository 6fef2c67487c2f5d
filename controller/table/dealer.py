"""What the dealer does with a hand: deal the streets, give the pots, call it off.

Source: rulings.md, "A dealer is a person"; table-scripts.md, Steps; Robert's Rules 13 (kill pots).
"""

from __future__ import annotations

from typing import Final

from controller import rules
from controller.rules import NOTHING, Hand, Phase, Player, clockwise, pots, require
from controller.table.between.tournament import hand_void
from controller.table.book import counted, hand_of, owes
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Carried, Streak, Street, Table
from controller.table.steps import Awards, Chops, Deals, RunsBoards, Skips, TakesDrop, TakesKitty, Voids
from controller.table.turns import presume

_MAIN_POT: Final = "main"

# --- streets ---


def deals(table: Table, hand: Hand, step: Deals, cautions: Cautions) -> Table:
    """The dealer sweeps the bets, returns what is due back and deals the next street. Where a sweep says that all but
    one have folded, or closes the last round, there is nothing to deal: the pots are given next."""
    closes_last = hand.last_round and hand.phase is Phase.BETTING
    while step.closing and hand.phase is Phase.BETTING:
        table = presume(table, hand, cautions)
        hand = hand_of(table)
    _nothing_owed(table)
    if step.closing and hand.phase is Phase.CLOSED and (closes_last or len(hand.live) == 1):
        return _swept(table)
    require(rules.reject_deal(hand))
    if hand.phase is Phase.CLOSED:
        hand, drop = rules.take_drop(hand)
        table = _with_drop(table, drop)
    presumed = table.street.presumed if step.closing else {}
    return table._replace(
        hand=rules.deal(hand),
        street=Street(presumed=presumed, passing=bool(presumed)),
    )


def _swept(table: Table) -> Table:
    """The round closed by a sweep after which nothing is dealt: what is due back has been returned, what counts stays
    in `bets` until the pots are given."""
    street = table.street
    felt = tuple(counted(table, seat) for seat in range(len(street.felt)))
    street = street._replace(felt=felt, small=NOTHING, held={}, passing=bool(street.presumed))
    return table._replace(street=street)


def runs_boards(table: Table, hand: Hand, step: RunsBoards, cautions: Cautions) -> Table:
    """The cards still to come are dealt more than once, as the players agreed."""
    _nothing_owed(table)
    return table._replace(hand=rules.run(hand, step.count))


def _nothing_owed(table: Table) -> None:
    for seat, debt in enumerate(owes(table)):
        if debt:
            raise refused(Reason.STILL_OWES, seat, debt)


# --- the pots ---


def _with_drop(table: Table, drop: rules.Drop) -> Table:
    """The table where this has gone from the pots to the accounts."""
    accounts = table.accounts
    accounts = accounts._replace(
        rake=accounts.rake + drop.rake, jackpot=accounts.jackpot + drop.jackpot, kitty=accounts.kitty + drop.kitty
    )
    return table._replace(accounts=accounts)


def awards(table: Table, before: Hand, step: Awards, cautions: Cautions) -> Table:
    """A pot given to a seat, or split."""
    _nothing_owed(table)
    given = rules.award_boards(before, step.pot, step.won)
    left_on_spots = tuple(felt - counted(table, seat) for seat, felt in enumerate(table.street.felt))
    table = _with_drop(table, given.drop)._replace(
        hand=given.hand,
        street=table.street._replace(felt=left_on_spots, small=NOTHING, held={}),
        carried=_after_award(table, before, step.pot, given.given),
    )
    table = _short_winners(table, before, given.given)
    return _finished(table, given.hand) if given.hand.phase is Phase.OVER else table


def _after_award(table: Table, before: Hand, name: str, given: dict[int, int]) -> Carried:
    """Who takes the rock, and who owes the kill."""
    pot = next(pot for pot in pots(before) if pot.name == name)
    carried, kill = table.carried, before.game.kill
    if name == _MAIN_POT and before.rock:
        ring = clockwise(before.order, before.rock)
        carried = carried._replace(rock=next(seat for seat in ring if seat in given))
    winner, chips = rules.sole_winner(before, pot, given)
    if kill and winner and kill.pot and chips >= kill.pot:
        carried = carried._replace(killer=winner)
    return _counted_win(carried, before, winner, given) if name == _MAIN_POT else carried


def _counted_win(carried: Carried, before: Hand, winner: int, given: dict[int, int]) -> Carried:
    """The wins in a row. A split pot leaves them as they are, and so does a win after the first that holds nothing but
    blinds and antes; each win from the last one needed on makes a kill, and so does a pot that the killer splits.

    Source: Robert's Rules 13.3, 13.4 and 13.7 (kill pots).
    """
    kill, streak = before.game.kill, carried.streak
    if not winner:
        again = kill and kill.wins and before.killer in given
        return carried._replace(killer=before.killer) if again else carried
    if winner == streak.seat and rules.holds_only_forced(before, winner):
        return carried
    streak = Streak(winner, streak.wins + 1 if winner == streak.seat else 1)
    owes_kill = kill and kill.wins and streak.wins >= kill.wins
    return carried._replace(streak=streak, killer=winner if owes_kill else carried.killer)


def _short_winners(table: Table, before: Hand, given: dict[int, int]) -> Table:
    """Open stakes: who won all-in with less than the least buy-in buys nothing during a hand until a full re-buy."""
    game = before.game
    if game.stakes != "open" or game.buy_in is None:
        return table
    players = dict(table.players)
    for seat in given:
        if seat in before.all_in and before.contributed(seat) < game.buy_in[0]:
            players[seat] = players[seat]._replace(short_winner=True)
    return table._replace(players=players)


def _finished(table: Table, hand: Hand) -> Table:
    """The stacks of the hand go back into the book between hands; the game is that of the next one."""
    players = dict(table.players)
    for seat in hand.order:
        players[seat] = players[seat]._replace(stack=hand.stacks[seat], unknown=seat in hand.unknown, borrowed=False)
    return table._replace(players=players, game_name=table.next_game or table.game_name, next_game="")


# --- a misdeal ---


def voids(table: Table, hand: Hand, step: Voids, cautions: Cautions) -> Table:
    """Misdeal: everything of this hand goes back to who put it in; the button stays for the next."""
    return _void(table, hand)


def given_back(table: Table, hand: Hand) -> Table:
    """The table as a misdeal leaves it, for a hand that is set up anew: its game stays, and the one named for later."""
    return _void(table, hand)._replace(game_name=table.game_name, next_game=table.next_game)


def _called_off(table: Table, hand: Hand) -> Table:
    """The hand is over, and everything of it is back with who put it in."""
    accounts = table.accounts._replace(
        rake=table.accounts.rake - hand.dropped,
        jackpot=table.accounts.jackpot - hand.jackpot,
        kitty=table.accounts.kitty - hand.kitty,
        adjustment=table.accounts.adjustment + hand.extra + hand.taken,
    )
    over = rules.void(hand)
    return _finished(table._replace(hand=over, accounts=accounts, street=Street()), over)


def _void(table: Table, hand: Hand) -> Table:
    before = table.before
    table = hand_void(_called_off(table, hand))
    if before is None:
        return table._replace(carried=table.carried._replace(fresh=True))
    carried = before.carried
    if not (hand.bomb and hand.game.bomb_button == "stays"):  # the same button again
        carried = carried._replace(placed=table.carried.placed, redeal=None if carried.fresh else carried.placed)
    players = {seat: _as_before(player, before.players[seat]) for seat, player in table.players.items()}
    return table._replace(players=players, carried=carried, vacated=before.vacated)


def _as_before(player: Player, before: Player) -> Player:
    """The player with the debts from before the hand."""
    return before._replace(stack=player.stack, unknown=player.unknown, away=player.away, name=player.name)


# --- a hand that was not followed ---


def skips(table: Table, hand: Hand, step: Skips, cautions: Cautions) -> Table:
    """The hand was played, and the table has not followed it: nobody knows what those dealt in have now, and the button
    moves on."""
    table = _called_off(table, hand)
    players = dict(table.players)
    for seat in hand.order:
        players[seat] = players[seat]._replace(unknown=True)
    return table._replace(players=players)


# --- what is taken by hand ---


def takes_drop(table: Table, hand: Hand, step: TakesDrop, cautions: Cautions) -> Table:
    """The house's drop, taken out of the middle by hand."""
    return _taken(table, hand, rules.Drop(step.amount, 0))


def takes_kitty(table: Table, hand: Hand, step: TakesKitty, cautions: Cautions) -> Table:
    """The players' kitty, taken out of the middle by hand."""
    return _taken(table, hand, rules.Drop(0, 0, step.amount))


def _taken(table: Table, hand: Hand, drop: rules.Drop) -> Table:
    return _with_drop(table._replace(hand=rules.take_by_hand(hand, drop)), drop)


# --- the blinds are chopped ---


def chops(table: Table, hand: Hand, step: Chops, cautions: Cautions) -> Table:
    """Those left are in the blinds and take them back: nobody has won, nothing is dropped, the button moves on. A check
    that waits is nothing put in."""
    posting = table.carried.placed.posting
    require(rules.reject_chop(hand, posting))
    _nothing_owed(table)
    for seat, held in table.street.held.items():
        if held.meant.kind != "check":
            raise refused(Reason.STILL_HELD, seat)
    over = rules.chop(hand, posting)
    return _finished(table._replace(hand=over, street=Street()), over)
