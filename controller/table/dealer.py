"""What the dealer does with a hand: start it, deal the streets, give the pots, call it off.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from typing import Final

from controller import rules
from controller.rules import NOTHING, SEATS, Game, Hand, Phase, Placement, Player, Seating, clockwise, pots, require
from controller.table.book import counted, hand_of, owes
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Before, Carried, Streak, Street, Table
from controller.table.steps import Awards, Deals, StartsHand, Voids
from controller.table.turns import carry_on, presume

_MAIN_POT: Final = "main"

# --- the next hand ---


def starts_hand(table: Table, step: StartsHand, cautions: Cautions) -> Table:
    """The next hand starts: the button moves, antes and blinds are posted."""
    if table.playing:
        raise refused(Reason.POTS_NOT_GIVEN)
    game, carried = table.games[table.game_name], table.carried
    placed, seats = _place(table, game)
    players = dict(table.players)
    if not carried.fresh:
        sit_out = frozenset(seat for seat, player in players.items() if seat not in seats and not player.new)
        players = rules.missed_blinds(game, players, carried.last, placed, table.places, sit_out)
    for seat in seats:
        players[seat] = players[seat]._replace(new=False, big_owed=0, small_owed=0, borrowed=False)
    began = rules.start_hand(
        game,
        placed,
        {seat: players[seat].stack for seat in seats},
        frozenset(seat for seat in seats if players[seat].unknown),
        rock=carried.rock,
        killer=carried.killer,
    )
    table = table._replace(
        hands=table.hands + 1,
        players=players,
        carried=carried._replace(placed=placed, redeal=None, fresh=False, killer=0),
        street=Street(felt=began.bets),
        before=Before(carried._replace(placed=carried.last), table.players),
    )
    return carry_on(table, began, cautions)


def _place(table: Table, game: Game) -> tuple[Placement, tuple[int, ...]]:
    """Where button and blinds stand in the next hand, and who is dealt in. Refuses with fewer than two players.

    A seat that owes a post is dealt in where the big blind reaches it; one too short for the big blind sits out. Where
    nobody but newcomers is left, the game begins anew and nobody has to post.
    """
    willing = {seat for seat, player in table.players.items() if _would_play(game, player)}
    while len(willing) > 1:
        seats = _dealt_in(table, game, willing)
        placed = _placed(table, game, seats)
        big = placed.big_place if placed.blinds else 0
        short = table.players[big].stack < game.min_blind_chips if big else False
        if not short or table.players[big].unknown:
            return placed, tuple(sorted(seats))
        willing.discard(big)
    raise refused(Reason.TOO_FEW)


def _dealt_in(table: Table, game: Game, willing: set[int]) -> set[int]:
    seats = {seat for seat in willing if rules.may_be_dealt_in(game, table.players[seat])}
    for seat in clockwise(willing - seats, table.carried.last.big_place):
        with_seat = _placed(table, game, seats | {seat})
        if with_seat.blinds and with_seat.big_place == seat:
            return seats | {seat}
    return seats if len(seats) > 1 else set(willing)


def _would_play(game: Game, player: Player) -> bool:
    return not player.broke and (not player.away or game.absent == "dealt-in")


def _placed(table: Table, game: Game, seats: set[int]) -> Placement:
    carried, ordered = table.carried, tuple(sorted(seats))
    if len(ordered) < 2:
        return Placement(carried.placed.button)
    if carried.fresh:
        return rules.first_placement(game, carried.placed.button, ordered)
    if game.kind.by_board or (not any(game.blinds) and len(table.games) > 1):
        return carried.placed._replace(blinds=())
    away = frozenset(seat for seat, player in table.players.items() if not player.broke) - seats
    seating = Seating(ordered, away, table.places)
    placed = rules.next_placement(game, carried.last, seating)
    stays = carried.placed.button
    if carried.redeal and placed.button != stays in seats:  # somebody sat down in front of the void hand's button
        placed = rules.next_placement(game, carried.redeal._replace(button=(stays - 1) or SEATS), seating)
    return placed


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
