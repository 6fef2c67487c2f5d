"""Seats that are dealt into the next hand, and the positions of its button and blinds.

Source: rulings.md, "Between hands"; Robert's Rules of Poker, section 4 (rules for using blinds).
"""

from __future__ import annotations

from controller import rules
from controller.rules import (
    MAX_SEATS,
    Game,
    Placement,
    Player,
    button_and_blinds,
    clockwise_after,
)
from controller.table.refusals_and_warnings import TableRefusal, refusal_error
from controller.table.state import Table


def next_game(table: Table) -> Game:
    """Return the game of the next hand."""
    return table.games[table.game_name]


def is_willing_to_play(game: Game, player: Player) -> bool:
    """Return True if the player has chips that play and is present, even if the player owes blinds."""
    return rules.missed_blinds.has_playable_chips(game, player) and (not player.is_away or game.absent == "dealt-in")


def enters_free(table: Table, seat: int) -> bool:
    """Return True if a player in this seat need not post or wait, because the game has just started.

    Nobody posts until the button has gone round once, if no blind has passed the seat. The blinds go before the button,
    so that they have passed all seats by then. Source: Robert's Rules 4 (a newly started game).
    """
    return next_game(table).new_game_free and seat not in table.carry_over.seats_passed


def seats_passed(table: Table, placement: Placement) -> frozenset[int]:
    """Return the seats that the blinds have passed once the next hand starts with this placement."""
    passed, last = table.carry_over.seats_passed, table.carry_over.previous_placement.big_blind_position
    big_blind = placement.big_blind_position
    if not big_blind or not any(game.new_game_free for game in table.games.values()):
        return passed
    if not passed or table.carry_over.is_first_at_button:
        first = placement.small_blind_position or big_blind
    elif last == big_blind:
        return passed
    else:
        first = last % MAX_SEATS + 1
    count = (big_blind - first) % MAX_SEATS + 1
    return passed | {(first + step - 1) % MAX_SEATS + 1 for step in range(count)}


def next_kill_seat(table: Table, game: Game) -> int:
    """Return the seat that posts the kill blind in the next hand, or 0.

    An absent player still posts the kill blind. A player who has left or has no chips does not post it. Source:
    Robert's Rules 13.6 and 13.11 (kill pots).
    """
    seat = table.carry_over.kill_seat
    player = table.players.get(seat)
    return (
        seat if game.kill and game.big_blind and player and rules.missed_blinds.has_playable_chips(game, player) else 0
    )


def next_deal(table: Table, game: Game) -> tuple[Placement, tuple[int, ...]]:
    """Return the positions of button and blinds in the next hand, and the seats that are dealt in.

    - A seat that owes a post is dealt in when the big blind reaches it.
    - A seat that owes only an ante paid for all players is dealt in when it is its turn to pay this ante.
    - A seat with too few chips for the big blind sits out.
    - If there are only new players, they are dealt in and nobody has to post.

    Refuse the step if fewer than two players can be dealt in.
    """
    willing_seats = {seat for seat, player in table.players.items() if is_willing_to_play(game, player)}
    willing_seats |= {seat for seat in (next_kill_seat(table, game),) if seat}
    while len(willing_seats) > 1:
        seats = _seats_dealt_in(table, game, willing_seats)
        placement = placement_for(table, game, seats)
        big_blind_seat = placement.big_blind_seat
        is_short = table.players[big_blind_seat].stack < game.min_blind_chips if big_blind_seat else False
        if not is_short or table.players[big_blind_seat].stack_unknown:
            return placement, tuple(sorted(seats))
        willing_seats.discard(big_blind_seat)
    raise refusal_error(TableRefusal.TOO_FEW_PLAYERS)


def _seats_dealt_in(table: Table, game: Game, willing_seats: set[int]) -> set[int]:
    """Return the seats that are dealt in, out of the seats of players who want to play."""
    seats = {seat for seat in willing_seats if can_be_dealt_in(table, game, seat)}
    seats = _without_seats_between_blinds(table, game, seats)
    seats |= {seat for seat in (next_kill_seat(table, game),) if seat in willing_seats}
    for seat in clockwise_after(willing_seats - seats, table.carry_over.previous_placement.big_blind_position):
        placement = placement_for(table, game, seats | {seat})
        # With this big blind, other seats may be between the button and the big blind.
        if placement.big_blind_seat == seat:
            with_seat = _without_seats_between_blinds(table, game, seats | {seat})
            if placement_for(table, game, with_seat).big_blind_seat == seat:
                return with_seat
        if _pays_ante_for_all(game, table.players[seat], placement, seat):
            seats = seats | {seat}
    return seats if len(seats) > 1 else set(willing_seats)


def can_be_dealt_in(table: Table, game: Game, seat: int) -> bool:
    """Return True if the player takes part in the next hand without posting first."""
    return rules.missed_blinds.can_be_dealt_in(game, table.players[seat], enters_free=enters_free(table, seat))


def _without_seats_between_blinds(table: Table, game: Game, seats: set[int]) -> set[int]:
    """Return the seats without new and returning players between the button and the big blind.

    Such players wait until the button has passed them (Robert's Rules 4.8). Nobody waits in the first hand of a table,
    or if all players are new.
    """
    if game.between_blinds == "deal" or (table.carry_over.is_first_at_button and not table.hands_started):
        return seats
    entering = {seat for seat in seats if rules.missed_blinds.is_entering(table.players[seat])}
    if entering == seats:
        return seats
    while entering and len(seats) > 1:
        placement = placement_for(table, game, seats)
        big_blind_seat = placement.big_blind_seat
        waiting = {
            seat
            for seat in entering
            if big_blind_seat and button_and_blinds.is_between(placement.button, seat, big_blind_seat)
        }
        if not waiting:
            break
        seats, entering = seats - waiting, entering - waiting
    return seats


def _pays_ante_for_all(game: Game, player: Player, placement: Placement, seat: int) -> bool:
    """Return True if the seat must pay the ante of the whole table in this hand, and owes nothing else."""
    owes_blind = player.is_new or player.big_blind_owed or player.small_blind_owed or player.hands_to_sit_out
    return bool(game.ante and player.ante_owed and not owes_blind and placement.ante_position(game) == seat)


def placement_for(table: Table, game: Game, seats: set[int]) -> Placement:
    """Return the positions of button and blinds in the next hand if exactly these seats are dealt in."""
    carry_over, ordered = table.carry_over, tuple(sorted(seats))
    if len(ordered) < 2:
        return Placement(carry_over.placement.button)
    if carry_over.is_first_at_button:
        return rules.button_and_blinds.first_placement(game, carry_over.placement.button, ordered)
    if game.variant_rules.opener_by_cards or (not any(game.blinds) and len(table.games) > 1):
        return carry_over.placement.without_blinds()
    present_seats = {
        seat
        for seat, player in table.players.items()
        if rules.missed_blinds.has_playable_chips(game, player) and not player.is_new
    }
    seating = button_and_blinds.DealSeating(ordered, frozenset(present_seats - seats), table.known_seats)
    placement = rules.button_and_blinds.next_placement(game, carry_over.previous_placement, seating)
    button = carry_over.placement.button
    placement_before_void = (
        carry_over.placement_before_void
        if carry_over.placement_before_void and carry_over.placement_before_void.button != button
        else None
    )
    if placement_before_void and placement.button != button in seats:
        # A player has sat down just before the button of the void hand. The button must not move to that player's seat,
        # but stay at the seat to which the void hand moved it.
        placement = rules.button_and_blinds.next_placement(
            game, placement_before_void._replace(button=(button - 1) or MAX_SEATS), seating
        )
    return placement
