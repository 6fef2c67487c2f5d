"""Parser and printer of pot awards: winners, high and low halves, shares and boards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from controller.rules import (
    MAX_BOARDS,
    BoardWinners,
    pot_division,
)
from controller.steps.base import NewStep, SeatBefore, Step, WordFormat, Words
from controller.steps.word_formats import (
    StepSyntaxError,
    is_number,
    parse_seat,
    quote_text,
    quote_words,
)

_BOARD_NAMES: Final = tuple(f"board{number}" for number in range(1, MAX_BOARDS + 1))
"""Words of an award that come before the winners of a board."""


def _parse_award(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the award that the words describe."""
    if len(words) < 2:
        raise StepSyntaxError("expected a pot and who wins it: 'award main 1', 'award main high 1 low 1 3'")
    pot, winner_words = words[0], words[1:]
    boards = _parse_boards(winner_words)
    if boards is None:
        return new(pot, *_parse_winners(winner_words))
    high, low = winners_of_boards(boards)
    return new(pot, high, low, boards=boards)


def winners_of_boards(boards: tuple[BoardWinners, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return all winners of the high halves, and all winners of the low halves. Each seat is listed once."""
    high = tuple(dict.fromkeys(seat for winners in boards for seat in winners.high))
    low = tuple(dict.fromkeys(seat for winners in boards for seat in winners.low))
    return high, low


def _parse_boards(words: Words) -> tuple[BoardWinners, ...] | None:
    """Return the winners by board, or None if the pot is awarded as a whole."""
    positions = [position for position, word in enumerate(words) if word.startswith("board")]
    if not positions:
        return None
    names = tuple(words[position] for position in positions)
    if positions[0] != 0 or len(names) < 2 or names != _BOARD_NAMES[: len(names)]:
        raise StepSyntaxError(
            f"expected 'board1' with its winners, then 'board2', up to {_BOARD_NAMES[-1]!r}, got {quote_words(words)}"
        )
    ends = [*positions[1:], len(words)]
    return tuple(_parse_winners(words[position + 1 : end]) for position, end in zip(positions, ends, strict=True))


def _parse_winners(words: Words) -> BoardWinners:
    """Return the winners of a board or of the whole pot."""
    if not words:
        raise StepSyntaxError("expected who wins each board: 'award main board1 3 board2 5 6'")
    if words[0] != "high":
        seats, shares = _parse_shares(words)
        return BoardWinners(seats, shares=shares)
    if "low" not in words:
        raise StepSyntaxError("expected 'high' with its seats, then 'low' with its seats")
    low_position = words.index("low")
    if low_position == 1 or low_position == len(words) - 1:
        raise StepSyntaxError("expected at least one seat for the high half and one for the low half")
    (high, high_shares), (low, low_shares) = (
        _parse_shares(words[1:low_position]),
        _parse_shares(words[low_position + 1 :]),
    )
    return BoardWinners(high, low, high_shares, low_shares)


def _parse_shares(words: Words) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seats and their numbers of shares. The second result is empty if each seat has one share."""
    seat_shares = [_parse_share(word) for word in words]
    shares = (share for _, share in seat_shares)
    return tuple(seat for seat, _ in seat_shares), unequal_shares(shares)


def unequal_shares(shares: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers of shares, or an empty tuple if each seat has one share, as in `BoardWinners`."""
    numbers = tuple(shares)
    return numbers if any(number > 1 for number in numbers) else ()


def _parse_share(word: str) -> tuple[int, int]:
    """Return a seat and its number of shares. Example: `5*2` gives (5, 2)."""
    seat, separator, share = word.partition("*")
    if not separator:
        return parse_seat(seat), 1
    if (
        not is_number(share)
        or len(share) > len(str(pot_division.MAX_SHARES))
        or not 1 <= int(share) <= pot_division.MAX_SHARES
    ):
        raise StepSyntaxError(f"expected 1 to {pot_division.MAX_SHARES} shares after the seat, got {quote_text(word)}")
    return parse_seat(seat), int(share)


def _format_award(step: Any) -> str:
    """Return the words that follow `award` in the line of the step."""
    if not step.boards:
        return f"{step.pot} {_format_winners(step.board_winners[0])}"
    return " ".join(
        [
            step.pot,
            *(
                f"{board} {_format_winners(winners)}"
                for board, winners in zip(_BOARD_NAMES, step.board_winners, strict=False)
            ),
        ]
    )


def _format_winners(winners: BoardWinners) -> str:
    """Return the words for the winners of a board or of the whole pot."""
    high = _format_shares(winners.high, winners.shares)
    return f"high {high} low {_format_shares(winners.low, winners.low_shares)}" if winners.low else high


def _format_shares(seats: tuple[int, ...], shares: tuple[int, ...]) -> str:
    """Return the words for seats with their shares. Example: `5*2 2` gives seat 5 two shares and seat 2 one share."""
    seat_shares = zip(seats, shares or (1,) * len(seats), strict=True)
    return " ".join(f"{seat}*{share}" if share > 1 else str(seat) for seat, share in seat_shares)


AWARD: Final = WordFormat(_parse_award, _format_award)
"""Parser and printer of lines such as `award main 3`, `award main 5*2 2`, `award main high 1 low 1 3` and `award main
board1 3 board2 5 6`."""
