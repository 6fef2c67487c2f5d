"""Seats of the button and the blinds, for a dead, moving or simplified button and for heads-up.

Source: Robert's Rules of Poker, section 4 (button and blind use), TDA rule 32 (dead button).
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.game import Game
from controller.rules.hand import MAX_SEATS, NO_SEATS, clockwise_after


class Placement(NamedTuple):
    """Places of the button and the blinds in one hand. 0 means no seat."""

    button: int
    small_blind_position: int = 0
    """Seat from which the small blind was due. If the seat is empty, nobody has posted the small blind."""
    big_blind_position: int = 0
    """Seat from which the last blind, the big blind, was due."""
    blind_amounts: tuple[tuple[int, int], ...] = ()
    """Seat and amount of every blind that is posted."""
    owes_small_blind: frozenset[int] = NO_SEATS
    """Seats that posted a big blind. With a moving button, these seats owe the small blind in the next hand."""
    small_blind_seats: frozenset[int] = NO_SEATS
    """Seats that post a small blind. With a moving button there can be several."""
    button_buyer: int = 0
    """Seat that has bought the button and posts both blinds, or 0. If a seat has bought the button,
    `big_blind_position` does not move, so that the blinds of the next hand continue from there."""

    @property
    def posting_seats(self) -> frozenset[int]:
        """Return the seats that post a blind."""
        return frozenset([seat for seat, _ in self.blind_amounts])

    @property
    def small_blind_seat(self) -> int:
        """Return the seat that posts the small blind, or 0."""
        return self.small_blind_position if self.small_blind_position in self.small_blind_seats else 0

    @property
    def big_blind_seat(self) -> int:
        """Return the seat that posts the last blind, or 0."""
        return (self.button_buyer or self.big_blind_position) if self.blind_amounts else 0

    def without_blinds(self) -> Placement:
        """Return a copy for a game without blinds, which keeps only the places of the button and the blinds."""
        return self._replace(blind_amounts=(), small_blind_seats=NO_SEATS, button_buyer=0)

    def ante_position(self, game: Game) -> int:
        """Return the seat that must pay the ante for all players. If this seat is empty, nobody pays the ante."""
        return ante_position(game, self.button, self.big_blind_seat)


def ante_position(game: Game, button: int, big_blind_seat: int) -> int:
    """Return the seat that must pay the ante for all players, with this button and big blind."""
    return big_blind_seat or button if game.ante_by == "big-blind" else button


def seats_between(place: int, seat: int) -> int:
    """Return the number of seats strictly between `place` and `seat`, clockwise from `place`."""
    return (seat - place - 1) % MAX_SEATS


def is_between(start: int, seat: int, end: int) -> bool:
    """Return True if `seat` is strictly between `start` and `end`, clockwise from `start`."""
    return start != end != seat and seats_between(start, seat) < seats_between(start, end)


def first_placement(game: Game, button: int, seats: tuple[int, ...]) -> Placement:
    """Return the places of the blinds in a hand with the button at a given seat.

    `seats` are the seats that are dealt in, at least two.
    Source: Robert's Rules 4.
    """
    order = clockwise_after(seats, button)
    if not any(game.blinds):
        return Placement(button)
    if len(game.blinds) == 1:
        big = order[-1] if game.blind_on == "button" else order[0]
        return _place_blinds(game, button, 0, big, seats)
    if len(order) == 2:
        small = button if button in seats else order[-1]
        return _place_blinds(game, button, small, next(seat for seat in order if seat != small), seats)
    return _place_blinds(game, button, order[0], order[1], seats)


class DealSeating(NamedTuple):
    """Seats of a table before the next hand, with those of absent players and empty seats."""

    seats: tuple[int, ...]
    """Seats that can be dealt in, at least two."""
    absent: frozenset[int] = NO_SEATS
    """Seats of players who sit out the next hand."""
    all_seats: tuple[int, ...] = ()
    """All seats of the table, including empty ones."""


def next_placement(game: Game, last: Placement, seating: DealSeating) -> Placement:
    """Return the places of button and blinds in the hand after the hand `last`.

    Source: Robert's Rules 4, TDA 32.
    """
    seats = seating.seats
    if not any(game.blinds):
        return Placement(clockwise_after(seats, last.button)[0])
    if len(game.blinds) == 1 and game.blind_on == "button":
        return first_placement(game, clockwise_after(seats, last.button)[0], seats)
    # The last hand was of a game with a single blind, which the button posted.
    if last.big_blind_position == last.button and len(seats) > 2:
        return first_placement(game, clockwise_after(seats, last.button)[0], seats)
    last = last if last.big_blind_position else first_placement(game, last.button, seats)
    if len(seats) == 2:
        return _heads_up(game, last, seats)
    return {"dead": _dead_button, "moving": _moving_button, "simplified": _simplified_button}[game.button_rule](
        game, last, seating
    )


def _heads_up(game: Game, last: Placement, seats: tuple[int, ...]) -> Placement:
    """Return the places of button and blinds in a heads-up hand.

    The big blind moves to the next player. The other player has the button and posts the small blind.
    Source: Robert's Rules 4.
    """
    big = clockwise_after(seats, last.big_blind_position)[0]
    other = clockwise_after(seats, big)[0]
    return _place_blinds(game, other, other if len(game.blinds) > 1 else 0, big, seats)


def _dead_button(game: Game, last: Placement, seating: DealSeating) -> Placement:
    """Return the places of button and blinds in the next hand, with a dead button.

    - The big blind moves to the next player who can be dealt in.
    - The small blind is due from the seat of the last big blind, and the button moves to the seat of the last small
      blind. Each of these two seats may be empty.
    - If the last big blind has left, the two seats before the new big blind have the button and the small blind.
    - If a third player has entered, the button could be at the seat of the big blind. The button then goes to the
      player before the small blind.

    Source: Robert's Rules 4, TDA 32.
    """
    big = clockwise_after(seating.seats, last.big_blind_position)[0]
    if len(game.blinds) == 1:
        return _place_blinds(game, last.big_blind_position, 0, big, seating.seats)
    if last.big_blind_position in seating.seats or last.big_blind_position in seating.absent:
        button = last.small_blind_position or last.button
        if button == big:
            button = [
                seat
                for seat in clockwise_after(seating.seats, last.big_blind_position)
                if seat != last.big_blind_position
            ][-1]
        return _place_blinds(game, button, last.big_blind_position, big, seating.seats)
    button, small = clockwise_after(seating.all_seats, big)[-3:-1]
    return _place_blinds(game, button, small, big, seating.seats)


def _moving_button(game: Game, last: Placement, seating: DealSeating) -> Placement:
    """Return the places of button and blinds in the next hand, with a moving button.

    - The button moves to the next player.
    - The second seat after the button posts the big blind. Every seat that the big blind has skipped posts a big blind
      too.
    - A player who has posted a big blind posts a small blind in the next hand.

    Source: Robert's Rules 4.
    """
    seats = seating.seats
    button = clockwise_after(seats, last.button)[0]
    order = clockwise_after(seats, button)
    big = order[1] if len(game.blinds) > 1 else order[0]
    due = clockwise_after(seats, last.big_blind_position)
    # If a player has entered between the button and the blinds, the same seat would post the big blind again.
    if big == last.big_blind_position and len(seats) > 2:
        big = due[0]
    skipped = due[: due.index(big)]
    owed = last.owes_small_blind or frozenset({last.big_blind_position})
    amounts = {seat: game.blinds[-2] for seat in order if seat in owed} if len(game.blinds) > 1 else {}
    if len(game.blinds) > 2:
        amounts.setdefault(button, game.blinds[0])
    amounts |= dict.fromkeys((*skipped, big), game.big_blind)
    posted = tuple(sorted(amounts.items()))
    big_blinds = frozenset((*skipped, big))
    return Placement(
        button,
        last.big_blind_position,
        big,
        posted,
        big_blinds,
        small_blind_seats=owed.intersection(amounts) - big_blinds,
    )


def _simplified_button(game: Game, last: Placement, seating: DealSeating) -> Placement:
    """Return the places of button and blinds in the next hand, with a simplified button.

    The button moves to the next player. The two players to the left of the button post the blinds.
    Source: Robert's Rules 4.
    """
    return first_placement(game, clockwise_after(seating.seats, last.button)[0], seating.seats)


def _place_blinds(game: Game, button: int, small: int, big: int, seats: tuple[int, ...]) -> Placement:
    """Return the places of button and blinds, with the seat and amount of every posted blind.

    A blind due from an empty seat is not posted.
    """
    places = (button, small, big)[-len(game.blinds) :]
    blinds: dict[int, int] = {}
    for place, amount in zip(places, game.blinds, strict=True):
        if place in seats and amount:
            blinds[place] = max(amount, blinds.get(place, 0))
    posts_small = frozenset({small}) if small in blinds and small != big else NO_SEATS
    return Placement(button, small, big, tuple(blinds.items()), frozenset({big}), posts_small)


# --- the button is bought ---


def buy_button_placement(game: Game, placed: Placement, seat: int) -> Placement:
    """Return the places of button and blinds in a hand in which a seat buys the button.

    The buyer posts both blinds: the big blind counts as a bet, and the small blind is dead money. Nobody else posts. In
    the next hand the buyer has the button, and the blinds are due from the seats that would have posted in this hand.
    Source: the house rule "buy the button" (T. Angelo).
    """
    follows = placed.small_blind_position
    blinds = ((seat, game.big_blind),)
    return Placement(
        placed.button, seat, follows, blinds, placed.small_blind_seats or frozenset({follows}), button_buyer=seat
    )
