"""What the dealer does with a hand: start it, deal the streets, give the pots, call it off; posts and straddles.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller.rules import award as awards
from controller.rules import betting, button, forced, stakes
from controller.rules.button import Placement, Seating
from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, NOTHING, SEATS, Hand, Phase, clockwise, replace
from controller.rules.pots import pots
from controller.table.acting import Warnings, carry_on, hand_of, in_hand, presume
from controller.table.holding import early_folds
from controller.table.state import Before, Refuse, Table, counted, owes
from controller.table.steps import Step


def between_hands(table: Table) -> None:
    """Refuses while a hand is in progress."""
    if table.playing:
        raise Refuse("a hand is in progress")


# --- the next hand ---


def hand(table: Table, step: Step, warnings: Warnings) -> Table:
    """The next hand starts: the button moves, antes and blinds are posted."""
    if table.playing:
        raise Refuse("the hand in progress is not over: its pots have not been given")
    game = table.games[table.game_name]
    placed, seats = place(table, game)
    players = dict(table.players)
    last = table.redeal or table.placed
    if not table.fresh:
        sit_out = frozenset(seat for seat, player in players.items() if seat not in seats and not player.new)
        players = stakes.missed_blinds(game, players, last, placed, table.places, sit_out)
    for seat in seats:
        players[seat] = players[seat]._replace(new=False, big_owed=0, small_owed=0, borrowed=False)
    began = forced.start(
        game,
        placed,
        {seat: players[seat].stack for seat in seats},
        frozenset(seat for seat in seats if players[seat].unknown),
    )
    before = Before(last, table.players, table.killer, table.fresh, table.streak, table.rock)
    table = _new_street(table)._replace(
        hand=began,
        placed=placed,
        redeal=None,
        players=players,
        fresh=False,
        hands=table.hands + 1,
        killer=0,
        before=before,
    )
    return carry_on(_post_by_itself(_blinds_on_felt(table), before.killer), warnings)


def _blinds_on_felt(table: Table) -> Table:
    assert table.hand is not None
    return table._replace(felt=table.hand.bets)


def _post_by_itself(table: Table, killer: int) -> Table:
    """The rock and the kill blind, where the table knows who owes them."""
    hand = table.hand
    assert hand is not None
    game = hand.game
    if hand.phase is Phase.BETTING and table.rock and hand.big_blind:
        under_the_gun = clockwise(hand.order, hand.big_blind)[0]
        if under_the_gun == table.rock and len(hand.order) > 2:
            hand = forced.post_straddle(hand, table.rock, 2 * game.big_blind)
    if game.kill and killer in hand.order and hand.big_blind:
        hand = forced.kill(hand, killer)
    return _blinds_on_felt(table._replace(hand=hand))


def place(table: Table, game: Game) -> tuple[Placement, tuple[int, ...]]:
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
    raise Refuse("fewer than two players can be dealt in")


def _dealt_in(table: Table, game: Game, willing: set[int]) -> set[int]:
    seats = {seat for seat in willing if stakes.may_be_dealt_in(game, table.players[seat])}
    for seat in clockwise(willing - seats, (table.redeal or table.placed).big_place):
        with_seat = _placed(table, game, seats | {seat})
        if with_seat.blinds and with_seat.big_place == seat:
            return seats | {seat}
    return seats if len(seats) > 1 else set(willing)


def _would_play(game: Game, player: stakes.Player) -> bool:
    return not player.broke and (not player.away or game.absent == "dealt-in")


def _placed(table: Table, game: Game, seats: set[int]) -> Placement:
    ordered = tuple(sorted(seats))
    if len(ordered) < 2:
        return Placement(table.placed.button)
    if table.fresh:
        return button.first(game, table.placed.button, ordered)
    if game.kind.by_board or (not any(game.blinds) and len(table.games) > 1):
        return table.placed._replace(blinds=())
    away = frozenset(seat for seat, player in table.players.items() if not player.broke) - seats
    seating = Seating(ordered, away, table.places)
    placed = button.following(game, table.redeal or table.placed, seating)
    stays = table.placed.button
    if table.redeal and placed.button != stays in seats:  # somebody sat down in front of the void hand's button
        placed = button.following(game, table.redeal._replace(button=(stays - 1) or SEATS), seating)
    return placed


# --- streets ---


def _new_street(table: Table) -> Table:
    return table._replace(
        felt=NOTHING, small=NOTHING, spoken={}, motions={}, held={}, presumed={}, timed=NO_SEATS, must_call=NO_SEATS
    )


def deal(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer sweeps the bets, returns what is due back and deals the next street."""
    hand_of(table)
    if step.flag:
        while table.hand and table.hand.phase is Phase.BETTING:
            table = presume(table, warnings)
    debts = [seat for seat, debt in enumerate(owes(table)) if debt]
    if debts:
        raise Refuse(f"seat {debts[0]} still owes {owes(table)[debts[0]]}")
    assert table.hand is not None
    why = betting.reject_deal(table.hand)
    if why:
        raise Refuse(why)
    raked, rake = awards.take_drop(table.hand) if table.hand.phase is Phase.CLOSED else (table.hand, 0)
    accounts = table.accounts._replace(rake=table.accounts.rake + rake)
    presumed = table.presumed if step.flag else {}
    table = _new_street(table)._replace(hand=betting.deal(raked), accounts=accounts, presumed=presumed)
    return table._replace(passing=bool(presumed))


def award(table: Table, step: Step, warnings: Warnings) -> Table:
    """A pot given to a seat, or split."""
    before = hand_of(table)
    if any(owes(table)):
        raise Refuse("chips are still owed")
    try:
        given = awards.award(before, step.name, step.seats, step.low)
    except betting.RuleError as error:
        raise Refuse(str(error)) from None
    accounts = table.accounts._replace(
        rake=table.accounts.rake + given.rake, jackpot=table.accounts.jackpot + given.jackpot
    )
    left_on_spots = tuple(felt - counted(table, seat) for seat, felt in enumerate(table.felt))
    table = table._replace(hand=given.hand, accounts=accounts, felt=left_on_spots, small=NOTHING, held={})
    table = _remember_winner(table, before, given.hand, step.name, given.given)
    return _finished(table) if given.hand.phase is Phase.OVER else table


def _remember_winner(table: Table, before: Hand, after: Hand, name: str, given: dict[int, int]) -> Table:
    """Who takes the rock, who owes the kill, who may not buy chips during a hand."""
    pot = next(pot for pot in pots(before) if pot.name == name)
    game = table.games[table.game_name]
    if name == "main" and table.rock:
        ring = clockwise(after.order, table.rock)
        table = table._replace(rock=next(seat for seat in ring if seat in given))
    table = _short_winners(table, before, game, given)
    winner, chips = awards.sole_winner(before, pot, given)
    if game.kill and winner and game.kill.pot and chips >= game.kill.pot:
        table = table._replace(killer=winner)
    if name != "main":
        return table
    streak = (winner, table.streak[1] + 1 if winner and winner == table.streak[0] else 1) if winner else (0, 0)
    if game.kill and game.kill.wins and winner and streak[1] >= game.kill.wins:
        table = table._replace(killer=winner)
    return table._replace(streak=streak)


def _short_winners(table: Table, before: Hand, game: Game, given: dict[int, int]) -> Table:
    """Open stakes: who won all-in with less than the least buy-in buys nothing during a hand until a full re-buy."""
    if game.stakes != "open" or game.buy_in is None:
        return table
    players = dict(table.players)
    for seat in given:
        if seat in before.all_in and before.contributed(seat) < game.buy_in[0]:
            players[seat] = players[seat]._replace(short_winner=True)
    return table._replace(players=players)


def _finished(table: Table) -> Table:
    """The stacks of the hand go back into the book between hands."""
    hand = table.hand
    assert hand is not None
    players = dict(table.players)
    for seat in hand.order:
        players[seat] = players[seat]._replace(stack=hand.stacks[seat], unknown=seat in hand.unknown, borrowed=False)
    return table._replace(players=players)


def void(table: Table, step: Step, warnings: Warnings) -> Table:
    """Misdeal: everything of this hand goes back to who put it in; the button stays for the next."""
    hand, before = hand_of(table), table.before
    accounts = table.accounts._replace(
        rake=table.accounts.rake - hand.dropped,
        jackpot=table.accounts.jackpot - hand.jackpot,
        adjustment=table.accounts.adjustment + hand.extra + hand.dropped,
    )
    table = _finished(_new_street(table)._replace(hand=awards.void(hand), accounts=accounts))
    if before is None:
        return table._replace(fresh=True)
    players = {
        seat: player._replace(
            new=before.players[seat].new,
            big_owed=before.players[seat].big_owed,
            small_owed=before.players[seat].small_owed,
            short_winner=before.players[seat].short_winner,
        )
        for seat, player in table.players.items()
    }
    return table._replace(
        players=players,
        redeal=None if before.fresh else before.placed,
        killer=before.killer,
        fresh=before.fresh,
        streak=before.streak,
        rock=before.rock,
    )


# --- before anyone acts ---


def _before_anyone_acts(table: Table, hand: Hand) -> None:
    """Refuses a post, a straddle or a kill blind once somebody has acted, in turn or out of it."""
    why = forced.reject_late(hand) or ("somebody has acted already" if table.held else None)
    if why:
        raise Refuse(why)


def post(table: Table, step: Step, warnings: Warnings) -> Table:
    """A seat posts what it owes to come back in, or to come in new."""
    seat, hand = step.seat, hand_of(table)
    player = table.players.get(seat)
    if player is None:
        raise Refuse(f"seat {seat} is empty")
    if seat in hand.order:
        raise Refuse(f"seat {seat} is in this hand")
    _before_anyone_acts(table, hand)
    if player.away or player.broke:
        raise Refuse(f"seat {seat} is {'away' if player.away else 'out of chips'}")
    live, dead = stakes.post_due(hand.game, player)
    if not live and not dead:
        raise Refuse(f"seat {seat} owes nothing to post")
    if player.unknown:
        hand = replace(hand, unknown=hand.unknown | {seat})
    hand = forced.post(hand, seat, player.stack, live, dead)
    players = {**table.players, seat: stakes.posted(hand.game, player)}
    return carry_on(_blinds_on_felt(table._replace(hand=hand, players=players)), warnings)


def straddle(table: Table, step: Step, warnings: Warnings) -> Table:
    """A seat straddles."""
    hand = in_hand(table, step.seat)
    _before_anyone_acts(table, hand)
    if betting.reach(hand, step.seat) < step.amount - hand.bets[step.seat]:
        raise Refuse(f"seat {step.seat} has not enough chips for a straddle of {step.amount}")
    try:
        hand = forced.straddle(hand, step.seat, step.amount)
    except betting.RuleError as error:
        raise Refuse(str(error)) from None
    return carry_on(_blinds_on_felt(table._replace(hand=hand)), warnings)


def kill(table: Table, step: Step, warnings: Warnings) -> Table:
    """A seat owes the kill blind, where the table does not know it by itself."""
    hand = in_hand(table, step.seat)
    if not hand.game.kill:
        raise Refuse("this game has no kill")
    if not hand.big_blind:
        raise Refuse("there is no big blind that a kill could be a multiple of")
    if hand.game != table.games[table.game_name]:
        raise Refuse("the pot is killed already")
    _before_anyone_acts(table, hand)
    return carry_on(_blinds_on_felt(table._replace(hand=forced.kill(hand, step.seat))), warnings)


# --- stud ---


def bring_in(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer names the seat that owes the bring-in."""
    return _named(table, in_hand(table, step.seat), step, warnings)


def first(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer names the seat that acts first this round."""
    return _named(table, in_hand(table, step.seat), step, warnings)


def _named(table: Table, hand: Hand, step: Step, warnings: Warnings) -> Table:
    name = forced.bring_in if step.verb == "bring-in" else forced.name_first
    try:
        hand = name(hand, step.seat, early_folds(table))
    except betting.RuleError as error:
        raise Refuse(str(error)) from None
    return carry_on(table._replace(hand=hand), warnings)


def open_pair(table: Table, step: Step, warnings: Warnings) -> Table:
    """An open pair shows on the second round."""
    try:
        return table._replace(hand=forced.open_pair(hand_of(table)))
    except betting.RuleError as error:
        raise Refuse(str(error)) from None
