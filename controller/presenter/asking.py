"""What the table asks about chips of a seat, as questions with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import Asked, AskedAbout
from controller.presenter.codes import alert
from controller.table import ChipsAre, ChipsMeant, StartsCount, line
from controller.view import Alert, Choice, Label, Values

MOST_ANSWERS: Final = 3
"""Keys that the screen has room for beside a question."""
_CODES: Final[Mapping[AskedAbout, str]] = {"strangers": "unknown-chip"}
"""Where the code of the alert is not that of what is asked."""
_LABELS: Final[Mapping[str, Label]] = {
    "bet": "they-are-bet",
    "nothing": "no-bet",
    "covered": "still-there",
    "taken": "taken-back",
    "swept": "swept",
    "change": "change-made",
}
_SPECIAL: Final[Mapping[tuple[AskedAbout, ChipsMeant], Label]] = {
    ("own-stack", "nothing"): "own-stack",
    ("last-pot", "nothing"): "last-pot",
    ("splash", "bet"): "each-its-own",
    ("chips-between-rounds", "bet"): "push-back",
}
"""By what is asked, where there is a better word for an answer without an amount."""


def about_chips(asked: Asked, turn: int, strangers: int = 0, *, pad: bool = False) -> Alert:
    """The question with its answers. `turn` is the seat in turn, 0 for none; `strangers` how many tags at the seat are
    nothing of this house; with a count `pad`, chips that are not read for sure may be carried over it."""
    code = _CODES.get(asked.about, asked.about)
    values = Values(seat=asked.seat, turn=turn, amount=asked.amount or None, count=strangers or None)
    answers = [_answer(asked, step) for step in asked.likely]
    if pad and asked.about == "at-least" and len(answers) < MOST_ANSWERS:
        answers.append(Choice(label="count-on-pad", do=line(StartsCount(asked.seat, "bet"))))
    return alert(code, values, tuple(answers), level="question")


def named(what: str) -> Label:
    """What the key says that tells this of chips, as in `chips-are`, whatever is asked."""
    return _LABELS[what]


def _answer(asked: Asked, step: ChipsAre) -> Choice:
    """A seat that the question is not about is named."""
    special = None if step.amount else _SPECIAL.get((asked.about, step.what))
    label = special or _LABELS[step.what]
    amount = step.amount or asked.amount or None if step.what in ("bet", "change") else None
    seat = step.seat if step.seat != asked.seat else 0
    return Choice(label=label, do=line(step), values=Values(seat=seat, amount=amount))
