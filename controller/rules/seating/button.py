"""Where the button and the blinds stand: the dead, the moving and the simplified button, and the way to heads-up.

Source: Robert's Rules of Poker, section 4 (button and blind use); TDA rule 32 (dead button).
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, SEATS, clockwise


class Placement(NamedTuple):
    """Who has the button and who posts which blind. 0 stands for no seat."""

    button: int
    small_place: int = 0
    """The seat whose turn the small blind was; it may be empty, then nobody posted it."""
    big_place: int = 0
    """The seat of the (last) big blind."""
    blinds: tuple[tuple[int, int], ...] = ()
    """(seat, amount) of every blind that is posted."""
    owe_small: frozenset[int] = NO_SEATS
    """Moving button: seats that posted a big blind and owe the small one in the next hand."""
    small: frozenset[int] = NO_SEATS
    """Seats that post a small blind; several with a moving button."""
    bought: int = 0
    """The seat that has bought the button and posts for all, 0 for none. `big_place` is then the seat that the blinds
    go on from, as if this hand had not been."""

    @property
    def posting(self) -> frozenset[int]:
        """The seats that post a blind."""
        return frozenset([seat for seat, _ in self.blinds])

    @property
    def small_blind(self) -> int:
        """The seat that posts the small blind, 0 where none does."""
        return self.small_place if self.small_place in self.small else 0

    @property
    def big_blind(self) -> int:
        """The seat of the (last) big blind that is posted, 0 where none is."""
        return (self.bought or self.big_place) if self.blinds else 0

    def without_blinds(self) -> Placement:
        """The same places in a hand without blinds."""
        return self._replace(blinds=(), small=NO_SEATS, bought=0)

    def ante_place(self, game: Game) -> int:
        """The place on which an ante for all falls; it may be empty, then nobody pays it."""
        return self.big_blind or self.button if game.ante_by == "big-blind" else self.button


def seats_to(place: int, seat: int) -> int:
    """The seats between the place and the seat, clockwise."""
    return (seat - place - 1) % SEATS


def strictly_between(start: int, seat: int, end: int) -> bool:
    """True for a seat between two others, clockwise."""
    return start != end != seat and seats_to(start, seat) < seats_to(start, end)


def first_placement(game: Game, button: int, seats: tuple[int, ...]) -> Placement:
    """The blinds of a hand whose button stands at a given seat. `seats` are those dealt in, two or more."""
    order = clockwise(seats, button)
    if not any(game.blinds):
        return Placement(button)
    if len(game.blinds) == 1:
        big = order[-1] if game.blind_on == "button" else order[0]
        return _placed(game, button, 0, big, seats)
    if len(order) == 2:
        small = button if button in seats else order[-1]
        return _placed(game, button, small, next(seat for seat in order if seat != small), seats)
    return _placed(game, button, order[0], order[1], seats)


class Seating(NamedTuple):
    """The table between two hands."""

    seats: tuple[int, ...]
    """Those that can be dealt in, two or more."""
    away: frozenset[int] = NO_SEATS
    """Players who are at the table but sit this hand out."""
    places: tuple[int, ...] = ()
    """All seats of the table, empty ones too."""


def next_placement(game: Game, last: Placement, at: Seating) -> Placement:
    """The button and blinds of the next hand after `last`."""
    seats = at.seats
    if not any(game.blinds):
        return Placement(clockwise(seats, last.button)[0])
    if len(game.blinds) == 1 and game.blind_on == "button":
        return first_placement(game, clockwise(seats, last.button)[0], seats)
    if last.big_place == last.button and len(seats) > 2:  # a single blind on the button, in another game of a mix
        return first_placement(game, clockwise(seats, last.button)[0], seats)
    last = last if last.big_place else first_placement(game, last.button, seats)
    if len(seats) == 2:
        return _heads_up(game, last, seats)
    return {"dead": _dead, "moving": _moving, "simplified": _simplified}[game.button_rule](game, last, at)


def _heads_up(game: Game, last: Placement, seats: tuple[int, ...]) -> Placement:
    """The big blind moves on first, then the button is placed on the other seat, which posts the small blind."""
    big = clockwise(seats, last.big_place)[0]
    other = clockwise(seats, big)[0]
    return _placed(game, other, other if len(game.blinds) > 1 else 0, big, seats)


def _dead(game: Game, last: Placement, at: Seating) -> Placement:
    """The big blind moves to the next player due, the last big blind owes the small one, the button goes to the last
    small blind's seat; the last two may be empty. Where the last big blind is gone too, small blind and button are the
    two seats before the new big blind. The button is never on the big blind (a third player comes in between): then it
    is on the player before the small blind."""
    big = clockwise(at.seats, last.big_place)[0]
    if len(game.blinds) == 1:
        return _placed(game, last.big_place, 0, big, at.seats)
    if last.big_place in at.seats or last.big_place in at.away:
        button = last.small_place or last.button
        if button == big:
            button = [seat for seat in clockwise(at.seats, last.big_place) if seat != last.big_place][-1]
        return _placed(game, button, last.big_place, big, at.seats)
    button, small = clockwise(at.places, big)[-3:-1]
    return _placed(game, button, small, big, at.seats)


def _moving(game: Game, last: Placement, at: Seating) -> Placement:
    """The button goes to the next player; the seat two after it posts the big blind, as does every seat that the big
    blind skipped. Who posted a big blind posts a small one in the next hand."""
    seats = at.seats
    button = clockwise(seats, last.button)[0]
    order = clockwise(seats, button)
    big = order[1] if len(game.blinds) > 1 else order[0]
    due = clockwise(seats, last.big_place)
    if big == last.big_place and len(seats) > 2:  # somebody came in between the button and the blinds
        big = due[0]
    skipped = due[: due.index(big)]
    owed = last.owe_small or frozenset({last.big_place})
    amounts = {seat: game.blinds[-2] for seat in order if seat in owed} if len(game.blinds) > 1 else {}
    if len(game.blinds) > 2:
        amounts.setdefault(button, game.blinds[0])
    amounts |= dict.fromkeys((*skipped, big), game.big_blind)
    posted = tuple(sorted(amounts.items()))
    bigs = frozenset((*skipped, big))
    return Placement(button, last.big_place, big, posted, bigs, small=owed.intersection(amounts) - bigs)


def _simplified(game: Game, last: Placement, at: Seating) -> Placement:
    """The button goes to the next player and the two to its left post."""
    return first_placement(game, clockwise(at.seats, last.button)[0], at.seats)


def _placed(game: Game, button: int, small: int, big: int, seats: tuple[int, ...]) -> Placement:
    """The blinds of the game at their places; one due from an empty seat is not posted."""
    places = (button, small, big)[-len(game.blinds) :]
    blinds: dict[int, int] = {}
    for place, amount in zip(places, game.blinds, strict=True):
        if place in seats and amount:
            blinds[place] = max(amount, blinds.get(place, 0))
    posts_small = frozenset({small}) if small in blinds and small != big else NO_SEATS
    return Placement(button, small, big, tuple(blinds.items()), frozenset({big}), posts_small)


# --- the button is bought ---


def bought_placement(game: Game, placed: Placement, seat: int) -> Placement:
    """The placement of a hand in which a seat buys the button: it posts the big blind live and the small one dead, the
    others nothing, and has the button in the next hand, in which the blinds are as they would have been in this one.

    Source: the house rule "buy the button" (T. Angelo).
    """
    follows = placed.small_place
    blinds = ((seat, game.big_blind),)
    return Placement(placed.button, seat, follows, blinds, placed.small or frozenset({follows}), bought=seat)
