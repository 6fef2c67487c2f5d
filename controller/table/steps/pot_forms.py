"""How the giving of a pot is read and printed: winners, halves, shares, boards."""

from __future__ import annotations

from typing import Final

from controller.rules import MOST_BOARDS, MOST_SHARES, Won
from controller.table.steps import hand
from controller.table.steps.forms import Form, Parts, StepError, got, is_number, quoted, seat_in
from controller.table.steps.step import Step

_BOARDS: Final = tuple(f"board{number}" for number in range(1, MOST_BOARDS + 1))


def _awards(_: int, parts: Parts) -> Step:
    if len(parts) < 2:
        raise StepError("expected a pot and who wins it: 'award main 1', 'award main high 1 low 1 3'")
    name, rest = parts[0], parts[1:]
    boards = _by_board(rest)
    return hand.Awards(name, *_won(rest)) if boards is None else hand.awards_boards(name, boards)


def _by_board(parts: Parts) -> tuple[Won, ...] | None:
    """Who won each board; None where the pot is given as one."""
    cuts = [place for place, word in enumerate(parts) if word.startswith("board")]
    if not cuts:
        return None
    named = tuple(parts[cut] for cut in cuts)
    if cuts[0] != 0 or len(named) < 2 or named != _BOARDS[: len(named)]:
        raise StepError(f"expected 'board1' with its winners, then 'board2', up to {_BOARDS[-1]!r}, got {got(parts)}")
    ends = [*cuts[1:], len(parts)]
    return tuple(_won(parts[cut + 1 : end]) for cut, end in zip(cuts, ends, strict=True))


def _won(parts: Parts) -> Won:
    if not parts:
        raise StepError("expected who wins each board: 'award main board1 3 board2 5 6'")
    if parts[0] != "high":
        seats, shares = _shares(parts)
        return Won(seats, shares=shares)
    if "low" not in parts:
        raise StepError("expected 'high' with its seats, then 'low' with its seats")
    cut = parts.index("low")
    if cut == 1 or cut == len(parts) - 1:
        raise StepError("expected at least one seat for the high half and one for the low half")
    (high, high_shares), (low, low_shares) = _shares(parts[1:cut]), _shares(parts[cut + 1 :])
    return Won(high, low, high_shares, low_shares)


def _shares(parts: Parts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The seats, and how many shares each has; none where each has one."""
    read = [_share(word) for word in parts]
    shares = tuple(share for _, share in read)
    return tuple(seat for seat, _ in read), shares if any(share > 1 for share in shares) else ()


def _share(word: str) -> tuple[int, int]:
    seat, star, share = word.partition("*")
    if not star:
        return seat_in(seat), 1
    if not is_number(share) or len(share) > len(str(MOST_SHARES)) or not 1 <= int(share) <= MOST_SHARES:
        raise StepError(f"expected 1 to {MOST_SHARES} shares after the seat, got {quoted(word)}")
    return seat_in(seat), int(share)


def _awarding(step: Step) -> str:
    assert isinstance(step, hand.Awards)
    if not step.boards:
        return f"{step.pot} {_winning(step.won[0])}"
    return " ".join([step.pot, *(f"{board} {_winning(won)}" for board, won in zip(_BOARDS, step.won, strict=False))])


def _winning(won: Won) -> str:
    high = _sharing(won.high, won.shares)
    return f"high {high} low {_sharing(won.low, won.low_shares)}" if won.low else high


def _sharing(seats: tuple[int, ...], shares: tuple[int, ...]) -> str:
    each = zip(seats, shares or (1,) * len(seats), strict=True)
    return " ".join(f"{seat}*{share}" if share > 1 else str(seat) for seat, share in each)


AWARD: Final = Form(hand.Awards, _awards, _awarding)
"""`award main 3`, `award main 5*2 2`, `award main high 1 low 1 3`, `award main board1 3 board2 5 6`."""
