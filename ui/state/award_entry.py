"""The entry of the winners of a pot, touch by touch. A pot with several boards or halves has winners for each part."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controller.steps import hand_steps
from controller.view import PotView, TableView
from ui.state.modes import AwardEntry
from ui.state.touch_targets import AwardPart, PotHalf

HALVES: Final[tuple[PotHalf, ...]] = ("high", "low")
PARTS: Final[tuple[PotHalf, ...]] = (*HALVES, "whole")
"""Parts of a high-low pot, in the order of their tabs."""


def start_next_award(view: TableView) -> AwardEntry | None:
    """Return an award without winners for the next pot, or None if only an uncalled bet or nothing can be awarded.

    The last side pot is awarded first, and the main pot last.
    """
    pot = _find_pot(view, view.next_pot_to_award)
    return None if pot is None or pot.uncalled == pot.amount else start_award(view, pot.name)


def start_award(view: TableView, name: str) -> AwardEntry | None:
    """Return a new award for the pot with this name, or None if no such pot exists.

    If only one seat can win the pot, the seat is already selected.
    """
    pot = _find_pot(view, name)
    if pot is None:
        return None
    award = AwardEntry(name, AwardPart(board=1 if pot.boards else 0))
    return toggle_winner(award, view, pot.seats[0]) if len(pot.seats) == 1 else award


def _find_pot(view: TableView, name: str) -> PotView | None:
    return next((pot for pot in view.pots if pot.name == name), None)


def winners_of_part(award: AwardEntry, part: AwardPart) -> tuple[int, ...]:
    """Return the winners that are selected for a part of the pot. A seat with two shares is listed twice."""
    return next((seats for other_part, seats in award.part_winners if other_part == part), ())


def _set_part_winners(award: AwardEntry, part: AwardPart, seats: tuple[int, ...]) -> AwardEntry:
    others = tuple(winners for winners in award.part_winners if winners[0] != part)
    return replace(award, part_winners=(*others, (part, seats)) if seats else others)


def toggle_winner(award: AwardEntry, view: TableView, seat: int) -> AwardEntry:
    """Select a seat as winner, or deselect it. Change nothing if the seat cannot win the pot.

    The first winner of a part opens the next part without winners.
    """
    pot = _find_pot(view, award.pot)
    if pot is None or seat not in pot.seats:
        return award
    seats = winners_of_part(award, award.part)
    if seat in seats:
        return _set_part_winners(award, award.part, tuple(other for other in seats if other != seat))
    award = _set_part_winners(award, award.part, (*seats, seat))
    return award if seats else replace(award, part=_part_after(award, boards_of(award, view)))


def _part_after(award: AwardEntry, boards: tuple[int, ...]) -> AwardPart:
    """Return the next part without winners: the low half after the high half, then another board.

    Return the current part if every part has winners.
    """
    part = award.part
    low = replace(part, half="low")
    if part.half == "high" and not winners_of_part(award, low):
        return low
    if part.half == "low" and not winners_of_part(award, replace(part, half="high")):
        return part
    open_board = next((board for board in boards if _board_winners(award, board) is None), part.board)
    return part if open_board == part.board else _part_on(award, open_board)


def _part_on(award: AwardEntry, board: int) -> AwardPart:
    """Return the part of a board to which its tab leads. It is a half if the board or the current part has halves."""
    has_halves = any(winners_of_part(award, AwardPart(half, board)) for half in HALVES)
    is_whole = bool(winners_of_part(award, AwardPart(board=board))) or (award.part.half == "whole" and not has_halves)
    if is_whole:
        return AwardPart(board=board)
    open_halves = [half for half in HALVES if not winners_of_part(award, AwardPart(half, board))]
    return AwardPart(open_halves[0] if open_halves else "high", board)


def add_share(award: AwardEntry) -> AwardEntry:
    """Give one more share of the pot to the seat that was selected last."""
    seats = winners_of_part(award, award.part)
    return _set_part_winners(award, award.part, (*seats, seats[-1])) if seats else award


def select_part(award: AwardEntry, part: AwardPart) -> AwardEntry:
    """Select a part of the pot, so that the next touches select the winners of this part.

    If the part is a whole board, forget the winners of its halves. If the part is the high half of a board, the winners
    of the whole board become the winners of the high half, and the low half is next.
    """
    kept_winners = tuple(
        winners
        for winners in award.part_winners
        if winners[0].board != part.board or (winners[0].half == "whole") == (part.half == "whole")
    )
    whole_winners = winners_of_part(award, replace(part, half="whole"))
    award = replace(award, part=part, part_winners=kept_winners)
    if part.half == "high" and whole_winners:
        return replace(_set_part_winners(award, part, whole_winners), part=replace(part, half="low"))
    return award


def select_board(award: AwardEntry, board: int) -> AwardEntry:
    """Select a board, so that the next touches select the winners on it. All winners stay."""
    return award if board == award.part.board else replace(award, part=_part_on(award, board))


def boards_of(award: AwardEntry, view: TableView) -> tuple[int, ...]:
    """Return the numbers of the boards on which the pot is played. Return 0 alone if only one board is played."""
    pot = _find_pot(view, award.pot)
    return tuple(range(1, len(pot.boards) + 1)) if pot is not None and pot.boards else (0,)


def build_award_step(award: AwardEntry, view: TableView) -> hand_steps.AwardsPot | None:
    """Return the step that awards the pot. Return None if a board or a half has no winner yet."""
    board_winners = [_board_winners(award, board) for board in boards_of(award, view)]
    if any(winners is None for winners in board_winners):
        return None
    return hand_steps.award_to_winners(award.pot, [winners for winners in board_winners if winners is not None])


def _board_winners(award: AwardEntry, board: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the winners of the high and the low half of a board. Return None if a half has no winners yet."""
    high, low = winners_of_part(award, AwardPart("high", board)), winners_of_part(award, AwardPart("low", board))
    whole_winners = winners_of_part(award, AwardPart(board=board))
    if whole_winners:
        return whole_winners, ()
    return (high, low) if high and low else None
