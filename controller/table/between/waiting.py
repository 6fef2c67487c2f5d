"""Who is not in the hand, or will not be in the next one, and why; what the next hand begins with.

Source: rulings.md, "Between hands"; Robert's Rules of Poker, section 4 (rules for using blinds).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from controller import rules
from controller.rules import Game, Placement, Player, RuleError, strictly_between
from controller.table.between.dealt_in import game_of, killer_of, next_seats
from controller.table.state import Table


class NextHand(NamedTuple):
    """The next hand as it would start now."""

    placed: Placement
    """Where button and blinds stand."""
    seats: tuple[int, ...]
    """Who is dealt in."""
    killer: int
    """Who posts the kill blind, 0 for nobody."""


class WhyOut(StrEnum):
    """Why a player is not dealt in."""

    AWAY = "away"
    NO_CHIPS = "no-chips"
    """Nothing that it has plays."""
    BETWEEN_BLINDS = "between-blinds"
    """It comes in where it may not: between the button and the big blind."""
    MOVED = "moved"
    """It waits some hands after a change of seats, or posts."""
    POSTS = "posts"
    """It posts, or waits for the big blind."""
    SHORT = "short"
    """It has less than the big blind is dealt in with."""
    NEXT_HAND = "next-hand"
    """Nothing keeps it out: the hand had begun."""


def next_hand(table: Table) -> NextHand | None:
    """The next hand as it would start now; None during a hand, and where there are not two to play it."""
    if table.playing or len(table.players) < 2:
        return None
    game = game_of(table)
    try:
        placed, seats = next_seats(table, game)
    except RuleError:
        return None
    return NextHand(placed, seats, killer_of(table, game))


def why_out(table: Table, seat: int, following: NextHand | None = None) -> WhyOut | None:
    """Why the player of the seat is not in the hand; between hands, not in the one that follows. None where it is."""
    hand = table.hand if table.playing else None
    game, player = table.game, table.players[seat]
    dealt_in = hand.order if hand is not None else following.seats if following is not None else ()
    if seat in dealt_in:
        return None
    if player.away:
        return WhyOut.AWAY
    if not rules.can_play(game, player):
        return WhyOut.NO_CHIPS
    if hand is not None:
        return _why_waits(game, player, seat, hand.button, hand.big_blind)
    if following is None:
        return None
    return _why_waits(game, player, seat, following.placed.button, following.placed.big_blind)


def _why_waits(game: Game, player: Player, seat: int, button: int, big_blind: int) -> WhyOut:
    """Why a player who is there, with chips, is not dealt in where button and big blind are there."""
    if big_blind and game.between_blinds == "wait" and strictly_between(button, seat, big_blind):
        return WhyOut.BETWEEN_BLINDS
    if rules.may_be_dealt_in(game, player):
        return WhyOut.SHORT if player.stack < game.min_blind_chips and not player.unknown else WhyOut.NEXT_HAND
    return WhyOut.MOVED if player.waits and not rules.owes(player) else WhyOut.POSTS
