"""Giving a pot, touch by touch: which pot, which part of it, which seats win that."""

from __future__ import annotations

from dataclasses import replace

from controller.view import PotView, TableView
from ui.state import sending
from ui.state.modes import Award
from ui.state.sending import Winners
from ui.state.targets import Part


def award_start(view: TableView) -> Award | None:
    """The pot that is given next: the last side pot first. None while none can be given."""
    return award_pot(view, view.give)


def award_pot(view: TableView, name: str) -> Award | None:
    """The pot of that name, to be given; its only seat is touched already. None when there is none."""
    pot = _pot(view, name)
    if pot is None:
        return None
    award = Award(name, Part(board=1 if pot.boards else 0))
    return award_seat(award, view, pot.seats[0]) if len(pot.seats) == 1 else award


def _pot(view: TableView, name: str) -> PotView | None:
    return next((one for one in view.pots if one.name == name), None)


def winners(award: Award, part: Part) -> tuple[int, ...]:
    """Who wins that part, so far; a seat with two shares stands twice."""
    return next((seats for one, seats in award.won if one == part), ())


def _with(award: Award, part: Part, seats: tuple[int, ...]) -> Award:
    others = tuple(won for won in award.won if won[0] != part)
    return replace(award, won=(*others, (part, seats)) if seats else others)


def award_seat(award: Award, view: TableView, seat: int) -> Award:
    """The seat touched: in, or out again. A seat that cannot win the pot changes nothing."""
    pot = _pot(view, award.pot)
    if pot is None or seat not in pot.seats:
        return award
    seats = winners(award, award.part)
    rest = tuple(one for one in seats if one != seat)
    return _with(award, award.part, rest if seat in seats else (*seats, seat))


def award_share(award: Award) -> Award:
    """One more share for the seat that was touched last."""
    seats = winners(award, award.part)
    return _with(award, award.part, (*seats, seats[-1])) if seats else award


def award_part(award: Award, part: Part) -> Award:
    """What the next seats win; back to the whole of a board forgets the winners of its halves, and the other way."""
    won = tuple(
        one for one in award.won if one[0].board != part.board or (one[0].half == "whole") == (part.half == "whole")
    )
    whole = winners(award, replace(part, half="whole"))
    award = replace(award, part=part, won=won)
    return _with(award, part, whole) if part.half == "high" and whole else award


def parts(award: Award, view: TableView) -> tuple[Part, ...]:
    """The parts that can be given now beside the one that is being given."""
    pot, now = _pot(view, award.pot), award.part
    boards = range(1, len(pot.boards) + 1) if pot is not None and pot.boards else (0,)
    found = [Part(board=board) for board in boards if board != now.board]
    if now.half != "whole":
        found += [Part("high", now.board), Part("low", now.board), Part(board=now.board)]
    elif view.game.high_low:
        found.append(Part("high", now.board))
    return tuple(part for part in found if part != now)


def award_step(award: Award, view: TableView) -> str | None:
    """The step that gives it; None while a board or a half has no winner."""
    pot = _pot(view, award.pot)
    boards = range(1, len(pot.boards) + 1) if pot is not None and pot.boards else (0,)
    won = [_of_board(award, board) for board in boards]
    if any(one is None for one in won):
        return None
    return sending.award(award.pot, [one for one in won if one is not None])


def _of_board(award: Award, board: int) -> Winners | None:
    """Who wins that board; None while that is not known."""
    high, low = winners(award, Part("high", board)), winners(award, Part("low", board))
    whole = winners(award, Part(board=board))
    if whole:
        return Winners(whole)
    return Winners(high, low) if high and low else None
