"""`[here]`: a hand that is taken over in its middle, as far as the bets show what was done in it."""

from __future__ import annotations

import msgspec

from controller.config import BadInputError, read_seat, shown
from controller.rules import (
    BIG_BET,
    MOST_AMOUNT,
    NO_SEATS,
    NOTHING,
    Amounts,
    Game,
    Hand,
    Phase,
    cap,
    clockwise,
    open_round,
    put,
    replace,
)
from controller.table import Street, Table


class Here(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[here]` as it is written. `pot` is from earlier rounds."""

    round: int = 1
    pot: int = 0
    bets: dict[str, int] = {}
    turn: int | None = None
    last_raise: int = 0
    folded: list[int] = []


def check_here(here: Here, table: Table) -> None:
    """Raises BadInputError where no hand of this table can stand so."""
    rounds = len(table.game.kind.rounds)
    if not 1 <= here.round <= rounds:
        raise BadInputError(f"here.round = {here.round}: expected 1 to {rounds}")
    amounts = {
        "pot": here.pot,
        "last_raise": here.last_raise,
        **{f"bets.{seat}": bet for seat, bet in here.bets.items()},
    }
    for key, amount in amounts.items():
        if not 0 <= amount <= MOST_AMOUNT:
            raise BadInputError(f"here.{key} = {shown(amount)}: expected an amount from 0 to {MOST_AMOUNT}")
    _check_seats(here, table)
    if here.turn is not None and (here.turn in here.folded or not table.players[here.turn].stack):
        raise BadInputError(f"here.turn = {here.turn}: expected a seat with chips behind that has not folded")
    if table.players.keys() <= set(here.folded):
        raise BadInputError(f"here.folded = {shown(here.folded)}: expected at least one seat that has not folded")


def _check_seats(here: Here, table: Table) -> None:
    named: list[tuple[str, str | int | None]] = [("turn", here.turn)]
    named += [("folded", seat) for seat in here.folded] + [("bets", seat) for seat in here.bets]
    for key, seat in named:
        if seat is not None and read_seat(f"here.{key}", seat) not in table.players:
            raise BadInputError(f"here.{key}: seat {seat}, expected one that has a stack")


def take_over(table: Table, here: Here) -> Table:
    """The table with the hand that `here` describes; what lies behind is what the players have."""
    game, placed = table.game, table.carried.placed
    order = clockwise(tuple(table.players), placed.button)
    stacks, bets = NOTHING, NOTHING
    for seat, player in table.players.items():
        stacks = put(stacks, seat, player.stack)
    for bettor, bet in here.bets.items():
        bets = put(bets, int(bettor), bet)
    level = max(bets)
    least = game.base_size(here.round)
    size = least if game.structure == "fixed-limit" else here.last_raise or max(least, _last_raise(bets))
    folded = frozenset(here.folded)
    forced = max(game.big_blind, game.bring_in) if here.round == 1 else 0
    hand = Hand(
        game=game,
        button=placed.button,
        order=order,
        stacks=stacks,
        unknown=NO_SEATS,
        round=here.round,
        bets=bets,
        middle=here.pot,
        blinds=_posted(placed.blinds, bets) if here.round == 1 else NOTHING,
        folded=folded,
        all_in=frozenset(seat for seat in order if stacks[seat] == 0 and seat not in folded),
        big_blind=placed.big_place,
        small_blind=placed.small_place,
        level=level,
        full=_full(game, level, size, forced),
        size=size,
        raises=_raises(game, bets, size, forced, here.last_raise),
        wagers=len(_levels(bets, forced)),
        started=True,
        two_seated=len(order) < 3,
        boards=game.boards,
        phase=Phase.CLOSED,
    )
    if here.turn is not None:
        hand = _with_turn(cap(hand), here.turn)
    bought = table.bought + here.pot + sum(bets)
    carried = table.carried._replace(fresh=False)
    return table._replace(hand=hand, street=Street(felt=bets), carried=carried, hands=1, bought=bought)


def _levels(bets: Amounts, forced: int) -> set[int]:
    return {bet for bet in bets if bet > forced}


def _raises(game: Game, bets: Amounts, size: int, forced: int, last_raise: int) -> int:
    """How many raises the bets show; only fixed and spread limit count them."""
    if game.structure == "spread-limit":
        return max(len(_levels(bets, forced)) - (not forced), int(last_raise > 0 and max(bets) > size))
    if game.structure == "fixed-limit":  # bets of one size: the level tells how many, half a bet or more is one
        return max(0, (2 * max(bets) + size) // (2 * size) - 1)
    return 0


def _full(game: Game, level: int, size: int, forced: int) -> int:
    """The last level that counts as a full bet: not a blind or a bring-in below the bet, nor a short all-in."""
    if level < size and level == forced:
        return 0 if game.structure not in BIG_BET else level
    short = level % size if game.structure == "fixed-limit" else 0
    return level if game.all_in_rule == "half-bet" and 2 * short >= size else level - short


def _posted(blinds: tuple[tuple[int, int], ...], bets: Amounts) -> Amounts:
    posted = NOTHING
    for seat, amount in blinds:
        posted = put(posted, seat, min(amount, bets[seat]))
    return posted


def _last_raise(bets: Amounts) -> int:
    """How far the largest bet of the round lies above the next one: the last bet or raise, as far as bets show it."""
    second, first = sorted({0, *bets})[-2:] if any(bets) else (0, 0)
    return first - second


def _with_turn(hand: Hand, turn: int) -> Hand:
    """The hand with its round open and the seat in turn."""
    waiting = clockwise(hand.order, turn - 1)
    option = hand.round == 1 and hand.level == hand.game.big_blind
    if hand.level and not option:
        acted = frozenset(seat for seat in hand.order if hand.bets[seat] == hand.level and seat != turn)
    else:  # whoever sits between the seat that opens the round and the one in turn
        ring = list(clockwise(hand.order, hand.big_blind)) if option and hand.big_blind else list(hand.order)
        acted = frozenset(ring[: ring.index(turn)])
    faced = hand.faced
    forced = hand.game.bring_in if hand.round == 1 else 0
    for seat in hand.order:
        if hand.bets[seat] > max(hand.blinds[seat], forced):  # more than it had to: it has acted
            faced = put(faced, seat, hand.bets[seat])
    for seat in acted:
        faced = put(faced, seat, hand.level)
    return open_round(replace(hand, faced=faced), waiting[0], acted)
