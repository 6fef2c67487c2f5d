"""Who sits where with what: buy-ins, leaving, counting, tips, time; between hands, some of it at any time.

Source: rulings.md, "Between hands" (table stakes, open stakes, tips) and "A dealer is a person" (the book's estimate).
"""

from __future__ import annotations

from controller import rules
from controller.rules import Player, require
from controller.table.book import hand_with, is_unknown, owed, stack
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.state import Accounts, Streak, Table
from controller.table.steps import (
    Adds,
    ChangesSeat,
    ComesBack,
    Counted,
    GivesMarker,
    GoesAway,
    Leaves,
    PaysTime,
    PlaysCash,
    PlaysGame,
    Removes,
    Sits,
    Tips,
    TrayBack,
    TrayOut,
)
from controller.table.turns import carry_on


def _between_hands(table: Table) -> None:
    if table.playing:
        raise refused(Reason.HAND_IN_PROGRESS)


def _player(table: Table, seat: int) -> Player:
    if seat not in table.players:
        raise refused(Reason.EMPTY_SEAT, seat)
    return table.players[seat]


def _set(table: Table, seat: int, player: Player) -> Table:
    return table._replace(players={**table.players, seat: player})


# --- between hands ---


def sits(table: Table, step: Sits, cautions: Cautions) -> Table:
    """A new player, one who comes back, or one from another table."""
    _between_hands(table)
    if step.seat in table.players:
        raise refused(Reason.SEAT_TAKEN, step.seat)
    if step.name and any(player.name == step.name for player in table.players.values()):
        raise refused(Reason.HAS_SEAT, name=step.name)
    taken_away = table.gone.get(step.name) if step.name else None
    if not step.transfer:
        require(rules.reject_buy_in(table.games[table.game_name], step.amount, taken_away))
    gone = {name: amount for name, amount in table.gone.items() if name != step.name}
    table = _set(table, step.seat, Player(name=step.name, stack=step.amount, new=True))
    places = tuple(sorted({*table.places, step.seat}))
    return table._replace(gone=gone, places=places, bought=table.bought + step.amount)


def leaves(table: Table, step: Leaves, cautions: Cautions) -> Table:
    """A player leaves for good with the whole stack."""
    _between_hands(table)
    seat, player, carried = step.seat, _player(table, step.seat), table.carried
    players = {other: who for other, who in table.players.items() if other != seat}
    gone = {**table.gone, player.name: player.stack} if player.name and not player.unknown else table.gone
    carried = carried._replace(
        killer=0 if carried.killer == seat else carried.killer,
        streak=Streak() if carried.streak.seat == seat else carried.streak,
    )
    return table._replace(players=players, gone=gone, bought=table.bought - player.stack, carried=carried)


def goes_away(table: Table, step: GoesAway, cautions: Cautions) -> Table:
    """A player is absent."""
    _between_hands(table)
    player = _player(table, step.seat)
    if player.away:
        raise refused(Reason.AWAY_ALREADY, step.seat)
    return _set(table, step.seat, player._replace(away=True))


def comes_back(table: Table, step: ComesBack, cautions: Cautions) -> Table:
    """A player is present again."""
    _between_hands(table)
    player = _player(table, step.seat)
    if not player.away:
        raise refused(Reason.NOT_AWAY, step.seat)
    return _set(table, step.seat, player._replace(away=False))


def changes_seat(table: Table, step: ChangesSeat, cautions: Cautions) -> Table:
    """A player changes seats with stack and what it owes."""
    _between_hands(table)
    player, carried = _player(table, step.seat), table.carried
    if step.to in table.players:
        raise refused(Reason.SEAT_TAKEN, step.to)
    players = {seat: other for seat, other in table.players.items() if seat != step.seat}
    players[step.to] = player
    carried = carried._replace(
        rock=step.to if carried.rock == step.seat else carried.rock,
        killer=step.to if carried.killer == step.seat else carried.killer,
        streak=carried.streak._replace(seat=step.to) if carried.streak.seat == step.seat else carried.streak,
    )
    return table._replace(players=players, places=tuple(sorted({*table.places, step.to})), carried=carried)


def plays_game(table: Table, step: PlaysGame, cautions: Cautions) -> Table:
    """The mix goes on with another game."""
    _between_hands(table)
    if step.name not in table.games:
        raise refused(Reason.NO_SUCH_GAME, name=step.name)
    return table._replace(game_name=step.name)


# --- more chips, and fewer ---


def adds(table: Table, step: Adds, cautions: Cautions) -> Table:
    """More chips: between hands, or at open stakes during one."""
    player = _player(table, step.seat)
    if table.playing:
        return _add_in_hand(table, step, player, marker=False)
    game = table.games[table.game_name]
    require(rules.reject_add(game, player, step.amount))
    after = player.stack + step.amount
    short = player.short_winner and game.buy_in is not None and after < game.buy_in[0]
    table = _set(table, step.seat, player._replace(stack=after, short_winner=short))
    return table._replace(bought=table.bought + step.amount)


def plays_cash(table: Table, step: PlaysCash, cautions: Cautions) -> Table:
    """Open stakes: cash that plays."""
    return _only_in_hand(table, step, marker=False)


def gives_marker(table: Table, step: GivesMarker, cautions: Cautions) -> Table:
    """Open stakes: a marker that all in the pot accepted."""
    return _only_in_hand(table, step, marker=True)


def _only_in_hand(table: Table, step: PlaysCash | GivesMarker, *, marker: bool) -> Table:
    player = _player(table, step.seat)
    if not table.playing:
        raise refused(Reason.ONLY_IN_HAND)
    return _add_in_hand(table, step, player, marker=marker)


def _add_in_hand(table: Table, step: Adds | PlaysCash | GivesMarker, player: Player, *, marker: bool) -> Table:
    hand = hand_with(table, step.seat)
    if table.game.stakes != "open":
        raise refused(Reason.TABLE_STAKES)
    if player.short_winner:
        raise refused(Reason.SHORT_WINNER, step.seat)
    if hand is None or step.seat in hand.folded or step.seat in hand.all_in:
        raise refused(Reason.NOTHING_TO_BET_FOR, step.seat)
    table = table._replace(hand=rules.with_more(hand, step.seat, step.amount), bought=table.bought + step.amount)
    return _set(table, step.seat, player._replace(borrowed=player.borrowed or marker))


def removes(table: Table, step: Removes, cautions: Cautions) -> Table:
    """Chips may not be taken off the table."""
    _player(table, step.seat)
    raise refused(Reason.NO_REMOVAL, step.seat, warning=Caution.GOING_SOUTH)


# --- at any time ---


def counts_stack(table: Table, step: Counted, cautions: Cautions) -> Table:
    """The dealer counted the stack, or nobody knows it. What the book had more goes to the adjustment account."""
    seat, player = step.seat, _player(table, step.seat)
    hand = hand_with(table, seat)
    if step.amount is None:
        if hand is None:
            return _set(table, seat, player._replace(unknown=True))
        return table._replace(hand=rules.stack_lost(hand, seat))
    missing = stack(table, seat) - step.amount
    table = table._replace(accounts=table.accounts._replace(adjustment=table.accounts.adjustment + missing))
    if hand is None:
        return _set(table, seat, player._replace(stack=step.amount, unknown=False))
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
    seat, player = step.seat, _player(table, step.seat)
    hand, unknown = hand_with(table, seat), is_unknown(table, seat)
    if step.amount > stack(table, seat) and not unknown:
        cautions.append(Warned(Caution.STACK_CORRECTED, seat))
        unknown = True
    table = table._replace(accounts=accounts)
    if hand is None:
        return _set(table, seat, player._replace(stack=player.stack - step.amount, unknown=unknown))
    if unknown:
        return table._replace(hand=rules.with_unknown_stack(rules.with_more(hand, seat, -step.amount), seat))
    return table._replace(hand=rules.stack_counted(hand, seat, hand.stacks[seat] - step.amount))


def tray_back(table: Table, step: TrayBack, cautions: Cautions) -> Table:
    """A seat's tray is back."""
    if step.seat not in table.offline:
        raise refused(Reason.TRAY_NOT_OUT, step.seat)
    return table._replace(offline=table.offline - {step.seat})


def tray_out(table: Table, step: TrayOut, cautions: Cautions) -> Table:
    """A seat's tray is out."""
    if step.seat in table.offline:
        raise refused(Reason.TRAY_OUT_ALREADY, step.seat)
    cautions.append(Warned(Caution.TRAY_OFFLINE, step.seat))
    return table._replace(offline=table.offline | {step.seat})
