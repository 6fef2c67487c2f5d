"""Steps: what happens at a table, one line each, in the words of the table-script contract.

The same words are used everywhere: in scripts, in the journal, by the screen, by the dealer's keys. `parse` turns a
line into a `Step`; `str(step)` gives the line back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from controller.rules.game import MOST_AMOUNT
from controller.rules.hand import SEATS

MOST_CHIPS = 200
"""More chips than lie on any betting spot."""
MOST_LINE = 4000
"""Characters of a step: as many as `MOST_CHIPS` of the largest amounts need."""
MOST_REPEATED = 60
"""Characters of what was written that a message repeats."""


class StepError(ValueError):
    """A line is not a step; the message names the line and what was expected."""


class Words(NamedTuple):
    """What a seat said. `amount` 0 stands for none; `by` for "raise by"."""

    kind: str
    amount: int = 0
    by: bool = False

    def __str__(self) -> str:
        if not self.amount:
            return self.kind
        return f"{self.kind} {'by ' if self.by else 'to ' if self.kind == 'raise' else ''}{self.amount}"


class Step(NamedTuple):
    """One thing that happens. Which fields count depends on `verb`; the others are empty."""

    verb: str
    seat: int = 0
    words: Words | None = None
    chips: tuple[int, ...] = ()
    """Chips put forward."""
    taken: tuple[int, ...] = ()
    """Chips taken back."""
    amount: int = 0
    name: str = ""
    """A pot, a game, a player, or the kind of a floor decision."""
    seats: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    flag: bool = False
    """`deal closing`, `sit … transfer`, `stack unknown`."""
    text: str = ""
    """The line as it was written."""

    def __str__(self) -> str:
        return self.text


PLAIN_WORDS = ("fold", "check", "call", "complete", "pot", "all-in", "time")
_AMOUNT = re.compile(r"[0-9]{1,16}")


@lru_cache(maxsize=4096)
def parse(line: str) -> Step:
    """The step that a line says. Raises StepError with one line: what stands there and what was expected."""
    if len(line) > MOST_LINE:
        raise StepError(f"{_quoted(line)}: expected at most {MOST_LINE} characters, got {len(line)}")
    parts = line.split()
    if not parts:
        raise StepError("'': expected something like '3 raise to 60'")
    try:
        step = _seat_step(_seat(parts[0]), parts[1:]) if _is_number(parts[0]) else _table_step(parts)
    except StepError as error:
        raise StepError(f"{_quoted(line)}: {error}") from None
    return step._replace(text=" ".join(parts))


def _seat_step(seat: int, parts: list[str]) -> Step:
    if not parts:
        raise StepError("expected what the seat does, got nothing")
    verb, rest = parts[0], parts[1:]
    if verb in ("says", "said"):
        return Step(verb, seat, words=_words(rest))
    if verb == "chips" and "back" in rest:  # one motion that puts chips forward and takes others back
        cut = rest.index("back")
        return Step("moved", seat, chips=_chips(rest[:cut]), taken=_chips(rest[cut + 1 :]))
    if verb == "chips":
        return Step("moved", seat, chips=_chips(rest))
    if verb == "takes":
        return Step("moved", seat, taken=_chips(rest))
    if verb == "sit":
        return _sit(seat, rest)
    if verb == "stack":
        if rest == ["unknown"]:
            return Step("stack", seat, flag=True)
        return Step("stack", seat, amount=_amount(rest, least=0))
    if verb == "moves":
        return Step("moves", seat, amount=_seat(_only(rest, "the new seat")))
    if verb in ("add", "remove", "cash", "marker", "tip", "straddle") or (verb == "time" and rest):
        return Step(verb, seat, amount=_amount(rest))
    if verb in ("leave", "away", "back", "post"):
        _nothing(rest)
        return Step(verb, seat)
    return Step("act", seat, words=_words(parts))


def _words(parts: list[str]) -> Words:
    if len(parts) == 1 and parts[0] in (*PLAIN_WORDS, "bet", "raise"):
        return Words(parts[0])
    if parts and parts[0] == "bet":
        return Words("bet", _amount(parts[1:]))
    if parts and parts[0] == "raise":
        rest = parts[1:]
        if rest and rest[0] in ("to", "by"):
            return Words("raise", _amount(rest[1:]), by=rest[0] == "by")
        if len(rest) > 1:
            raise StepError(f"expected 'raise', 'raise to N' or 'raise by N', got {_got(parts)}")
        return Words("raise", _amount(rest))
    expected = "fold, check, call, bet N, raise, raise to N, raise by N, complete, pot, all-in or time"
    raise StepError(f"expected {expected}, got {_got(parts)}")


def _sit(seat: int, parts: list[str]) -> Step:
    amount = _amount(parts[:1])
    rest = parts[1:]
    if rest == ["transfer"]:
        return Step("sit", seat, amount=amount, flag=True)
    if len(rest) == 2 and rest[0] == "as":
        return Step("sit", seat, amount=amount, name=rest[1])
    if rest:
        raise StepError(f"expected 'as NAME', 'transfer' or nothing more, got {_got(rest)}")
    return Step("sit", seat, amount=amount)


def _deal(parts: list[str]) -> Step:
    if parts == ["closing"]:
        return Step("deal", flag=True)
    _nothing(parts)
    return Step("deal")


def _award(parts: list[str]) -> Step:
    if len(parts) < 2:
        raise StepError("expected a pot and who wins it: 'award main 1', 'award main high 1 low 1 3'")
    name, rest = parts[0], parts[1:]
    if rest[0] != "high":
        return Step("award", name=name, seats=tuple(_seat(word) for word in rest))
    if "low" not in rest:
        raise StepError("expected 'high' with its seats, then 'low' with its seats")
    cut = rest.index("low")
    high, low = tuple(_seat(word) for word in rest[1:cut]), tuple(_seat(word) for word in rest[cut + 1 :])
    if not high or not low:
        raise StepError("expected at least one seat for the high half and one for the low half")
    return Step("award", name=name, seats=high, low=low)


def _floor(parts: list[str]) -> Step:
    kind, rest = (parts[0], parts[1:]) if parts else ("", [])
    if kind in ("bind", "release", "dead", "turn"):
        return Step("floor", _seat(_only(rest, "a seat")), name=kind)
    if kind == "pot":
        return Step("floor", name=kind, amount=_amount(rest, least=0))
    if kind == "bet" and rest:
        return Step("floor", _seat(rest[0]), name=kind, amount=_amount(rest[1:], least=0))
    raise StepError("expected floor bind N, release N, dead N, turn N, pot AMOUNT or bet N AMOUNT")


def _change(parts: list[str]) -> Step:
    if not parts:
        raise StepError("expected a seat and an amount")
    return Step("change", _seat(parts[0]), amount=_amount(parts[1:]))


def _bare(verb: str) -> Callable[[list[str]], Step]:
    def step(parts: list[str]) -> Step:
        _nothing(parts)
        return Step(verb)

    return step


def _of_seat(verb: str) -> Callable[[list[str]], Step]:
    return lambda parts: Step(verb, _seat(_only(parts, "a seat")))


def _game(parts: list[str]) -> Step:
    return Step("game", name=_only(parts, "the name of a game"))


_TABLE: dict[str, Callable[[list[str]], Step]] = {
    "deal": _deal,
    "award": _award,
    "floor": _floor,
    "change": _change,
    "game": _game,
    **{verb: _bare(verb) for verb in ("hand", "void", "undo", "open-pair")},
    **{verb: _of_seat(verb) for verb in ("return", "here", "bring-in", "first", "kill", "unplug", "plug")},
}


def _table_step(parts: list[str]) -> Step:
    maker = _TABLE.get(parts[0])
    if maker is None:
        raise StepError(f"expected a seat number or one of {', '.join(sorted(_TABLE))}")
    return maker(parts[1:])


def _nothing(parts: list[str]) -> None:
    if parts:
        raise StepError(f"expected nothing more, got {_got(parts)}")


def _only(parts: list[str], what: str) -> str:
    if len(parts) != 1:
        raise StepError(f"expected {what}, got {_got(parts)}")
    return parts[0]


def _amount(parts: list[str], least: int = 1) -> int:
    word = _only(parts, "an amount")
    if not _AMOUNT.fullmatch(word) or not least <= int(word) <= MOST_AMOUNT:
        raise StepError(f"expected an amount from {least} to {MOST_AMOUNT}, got {_quoted(word)}")
    return int(word)


def motion(seat: int, chips: tuple[int, ...], taken: tuple[int, ...]) -> Step:
    """The step that says that these chips were put forward and those taken back in one motion."""
    words = f"{seat} chips {' '.join(map(str, chips))}" if chips else f"{seat} takes {' '.join(map(str, taken))}"
    if chips and taken:
        words += f" back {' '.join(map(str, taken))}"
    return Step("moved", seat, chips=chips, taken=taken, text=words)


def _chips(parts: list[str]) -> tuple[int, ...]:
    if not 0 < len(parts) <= MOST_CHIPS:
        raise StepError(f"expected 1 to {MOST_CHIPS} chips, got {len(parts)}")
    chips = tuple(_amount([word]) for word in parts)
    if sum(chips) > MOST_AMOUNT:
        raise StepError(f"expected chips of at most {MOST_AMOUNT} together, got {sum(chips)}")
    return chips


def _seat(word: str) -> int:
    if not _is_number(word) or len(word) > len(str(SEATS)) or not 1 <= int(word) <= SEATS:
        raise StepError(f"expected a seat from 1 to {SEATS}, got {_quoted(word)}")
    return int(word)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _got(parts: list[str]) -> str:
    return _quoted(" ".join(parts)) if parts else "nothing"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MOST_REPEATED else f"{text[:MOST_REPEATED]}…")


__all__ = [
    "MOST_AMOUNT",
    "MOST_CHIPS",
    "MOST_LINE",
    "MOST_REPEATED",
    "PLAIN_WORDS",
    "Step",
    "StepError",
    "Words",
    "motion",
    "parse",
]
