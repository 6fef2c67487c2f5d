"""Who sits where with what: buy-ins, leaving, counting, tips, time; between hands, some of it at any time.

Source: rulings.md, "Between hands" (table stakes, open stakes, tips) and "A dealer is a person" (the book's estimate).
"""

from __future__ import annotations

from controller.rules import stakes
from controller.rules.betting import in_turn, reach, settle
from controller.rules.hand import NOT_ACTED, Hand, Phase, put, replace
from controller.rules.stakes import Player
from controller.table.acting import Warnings, carry_on
from controller.table.dealer import between_hands
from controller.table.floor import corrected
from controller.table.state import Refuse, Table, owed, stack
from controller.table.steps import Step


def _player(table: Table, seat: int) -> Player:
    if seat not in table.players:
        raise Refuse(f"seat {seat} is empty")
    return table.players[seat]


def _set(table: Table, seat: int, player: Player) -> Table:
    return table._replace(players={**table.players, seat: player})


def _hand_with(table: Table, seat: int) -> Hand | None:
    """The hand in progress if the seat was dealt into it: its stack is in the hand then."""
    return table.hand if table.playing and table.hand and seat in table.hand.order else None


# --- between hands ---


def sit(table: Table, step: Step, warnings: Warnings) -> Table:
    """A new player, one who comes back, or one from another table."""
    between_hands(table)
    if step.seat in table.players:
        raise Refuse(f"seat {step.seat} is taken")
    if step.name and any(player.name == step.name for player in table.players.values()):
        raise Refuse(f"{step.name} has a seat already")
    game = table.games[table.game_name]
    taken_away = table.gone.get(step.name) if step.name else None
    refused = None if step.flag else stakes.reject_buy_in(game, step.amount, taken_away)
    if refused:
        raise Refuse(refused.why, refused.warning)
    gone = {name: amount for name, amount in table.gone.items() if name != step.name}
    table = _set(table, step.seat, Player(name=step.name, stack=step.amount, new=True))
    places = tuple(sorted({*table.places, step.seat}))
    return table._replace(gone=gone, places=places, bought=table.bought + step.amount)


def add(table: Table, step: Step, warnings: Warnings) -> Table:
    """More chips: between hands, or at open stakes during one (chips, cash, or a marker that all in the pot
    accepted)."""
    player = _player(table, step.seat)
    if table.playing:
        return _add_in_hand(table, step, player)
    if step.verb != "add":
        raise Refuse("cash and markers play during a hand only")
    game = table.games[table.game_name]
    refused = stakes.reject_add(game, player, step.amount)
    if refused:
        raise Refuse(refused.why, refused.warning)
    after = player.stack + step.amount
    short = player.short_winner and game.buy_in is not None and after < game.buy_in[0]
    table = _set(table, step.seat, player._replace(stack=after, short_winner=short))
    return table._replace(bought=table.bought + step.amount)


def _add_in_hand(table: Table, step: Step, player: Player) -> Table:
    hand = _hand_with(table, step.seat)
    if table.game.stakes != "open":
        raise Refuse("table stakes: nobody adds chips during a hand")
    if player.short_winner:
        raise Refuse("won a pot all-in with less than a buy-in: no chips during a hand until a full re-buy")
    if hand is None or step.seat in hand.folded or step.seat in hand.all_in:
        raise Refuse(f"seat {step.seat} has nothing to bet for in this hand")
    hand = replace(hand, stacks=put(hand.stacks, step.seat, hand.stacks[step.seat] + step.amount))
    table = table._replace(hand=hand, bought=table.bought + step.amount)
    return _set(table, step.seat, player._replace(borrowed=player.borrowed or step.verb == "marker"))


def remove(table: Table, step: Step, warnings: Warnings) -> Table:
    """Chips may not be taken off the table."""
    _player(table, step.seat)
    raise Refuse("chips may not be taken off the table", "going-south")


def leave(table: Table, step: Step, warnings: Warnings) -> Table:
    """A player leaves for good with the whole stack."""
    between_hands(table)
    player = _player(table, step.seat)
    players = {seat: other for seat, other in table.players.items() if seat != step.seat}
    gone = {**table.gone, player.name: player.stack} if player.name and not player.unknown else table.gone
    killer = 0 if table.killer == step.seat else table.killer
    streak = (0, 0) if table.streak[0] == step.seat else table.streak
    return table._replace(players=players, gone=gone, bought=table.bought - player.stack, killer=killer, streak=streak)


def away(table: Table, step: Step, warnings: Warnings) -> Table:
    """A player is absent, or back."""
    between_hands(table)
    player = _player(table, step.seat)
    leaving = step.verb == "away"
    if player.away == leaving:
        raise Refuse(f"seat {step.seat} is {'away already' if leaving else 'not away'}")
    return _set(table, step.seat, player._replace(away=leaving))


def moves(table: Table, step: Step, warnings: Warnings) -> Table:
    """A player changes seats with stack and what it owes."""
    between_hands(table)
    player = _player(table, step.seat)
    if step.amount in table.players:
        raise Refuse(f"seat {step.amount} is taken")
    players = {seat: other for seat, other in table.players.items() if seat != step.seat}
    rock = step.amount if table.rock == step.seat else table.rock
    killer = step.amount if table.killer == step.seat else table.killer
    streak = (step.amount, table.streak[1]) if table.streak[0] == step.seat else table.streak
    places = tuple(sorted({*table.places, step.amount}))
    players[step.amount] = player
    return table._replace(players=players, places=places, rock=rock, killer=killer, streak=streak)


def game(table: Table, step: Step, warnings: Warnings) -> Table:
    """The mix goes on with another game."""
    between_hands(table)
    if step.name not in table.games:
        raise Refuse(f"there is no game {step.name!r}: {', '.join(sorted(table.games))}")
    return table._replace(game_name=step.name)


# --- at any time ---


def count(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer counted the stack, or nobody knows it. What the book had more goes to the adjustment account."""
    seat, player = step.seat, _player(table, step.seat)
    hand = _hand_with(table, seat)
    if step.flag:
        if hand is None:
            return _set(table, seat, player._replace(unknown=True))
        hand = replace(hand, unknown=hand.unknown | {seat})
        all_in = hand.all_in if hand.stacks[seat] <= 0 or not reach(hand, seat) else hand.all_in - {seat}
        return table._replace(hand=replace(hand, all_in=all_in))
    missing = stack(table, seat) - step.amount
    accounts = table.accounts._replace(adjustment=table.accounts.adjustment + missing)
    table = table._replace(accounts=accounts)
    if hand is None:
        return _set(table, seat, player._replace(stack=step.amount, unknown=False))
    counted = _counted_in_hand(table, hand, seat, step.amount - owed(table, seat))
    return carry_on(table._replace(hand=counted), warnings)


def _counted_in_hand(table: Table, hand: Hand, seat: int, behind: int) -> Hand:
    if behind < 0:  # less than it still owes: it is all-in for what there is
        hand = replace(hand, stacks=put(hand.stacks, seat, behind), unknown=hand.unknown - {seat})
        return corrected(hand, seat, hand.bets[seat] + behind)
    if seat in hand.folded:
        return replace(hand, stacks=put(hand.stacks, seat, behind), unknown=hand.unknown - {seat})
    was_all_in = seat in hand.all_in
    hand = replace(hand, stacks=put(hand.stacks, seat, behind), unknown=hand.unknown - {seat})
    all_in = hand.all_in - {seat} if reach(hand, seat) else hand.all_in | {seat}
    hand = replace(hand, all_in=all_in)
    if hand.phase is not Phase.BETTING or was_all_in == (seat in all_in):
        return hand
    pending = tuple(other for other in hand.pending if other != seat or seat not in all_in)
    if seat not in all_in and (hand.level > hand.bets[seat] or hand.faced[seat] == NOT_ACTED):
        pending = in_turn(hand, {*pending, seat}, hand.turn - 1)
    return settle(replace(hand, pending=pending))


def pays(table: Table, step: Step, warnings: Warnings) -> Table:
    """A tip to the dealer, or the time collection. No going south."""
    seat, player = step.seat, _player(table, step.seat)
    account = {"tip": "toke", "time": "time"}[step.verb]
    accounts = table.accounts._replace(**{account: getattr(table.accounts, account) + step.amount})
    hand = _hand_with(table, seat)
    unknown = hand is not None and seat in hand.unknown if hand else player.unknown
    if step.amount > stack(table, seat) and not unknown:
        warnings.append("stack-corrected")
        unknown = True
    table = table._replace(accounts=accounts)
    if hand is None:
        return _set(table, seat, player._replace(stack=player.stack - step.amount, unknown=unknown))
    behind = hand.stacks[seat] - step.amount
    if unknown:
        return table._replace(hand=replace(hand, stacks=put(hand.stacks, seat, behind), unknown=hand.unknown | {seat}))
    return table._replace(hand=_counted_in_hand(table, hand, seat, behind))


def tray(table: Table, step: Step, warnings: Warnings) -> Table:
    """A seat's tray is out, or back."""
    if step.verb == "plug":
        if step.seat not in table.offline:
            raise Refuse(f"the tray of seat {step.seat} is not out")
        return table._replace(offline=table.offline - {step.seat})
    if step.seat in table.offline:
        raise Refuse(f"the tray of seat {step.seat} is out already")
    warnings.append("tray-offline")
    return table._replace(offline=table.offline | {step.seat})
