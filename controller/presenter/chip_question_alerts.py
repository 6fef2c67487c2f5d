"""Alerts for the questions about the chips of a seat, with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import ChipQuestion, ChipQuestionKind
from controller.presenter.alert_codes import build_alert
from controller.steps import format_step, observations
from controller.view import Alert, Choice, KeyLabel, MessageValues

MAX_ANSWERS: Final = 3
"""Maximum number of answers, because the screen has room for three keys next to a question."""
_CODES: Final[Mapping[ChipQuestionKind, str]] = {"strangers": "unknown-chip"}
"""Alert codes for the questions that the screen shows with another code than their own."""
_LABELS: Final[Mapping[str, KeyLabel]] = {
    "bet": "they-are-bet",
    "nothing": "no-bet",
    "covered": "still-there",
    "taken": "taken-back",
    "swept": "swept",
    "change": "change-made",
}
_LABELS_BY_QUESTION: Final[Mapping[tuple[ChipQuestionKind, observations.ChipExplanation], KeyLabel]] = {
    ("own-stack", "nothing"): "own-stack",
    ("last-pot", "nothing"): "last-pot",
    ("splash", "bet"): "each-its-own",
    ("chips-between-rounds", "bet"): "push-back",
    ("fold-meant", "taken"): "they-folded",
}
"""Special labels of answers without an amount, by question and explanation of the chips.

A special label replaces the general label of the explanation.
"""


def chip_question_alert(
    question: ChipQuestion, turn: int, unknown_tags: int = 0, *, has_count_pad: bool = False
) -> Alert:
    """Return the alert for a question about chips, with its answers as choices.

    `turn` is the seat in turn, or 0. `unknown_tags` is the number of tags at the seat that do not belong to this house.
    If the chips are read only in part, the dealer can also choose to count them on the table's count pad.
    """
    code = _CODES.get(question.kind, question.kind)
    values = MessageValues(seat=question.seat, turn=turn, amount=question.amount or None, count=unknown_tags or None)
    answers = [_answer(question, step) for step in question.answers]
    if has_count_pad and question.kind == "at-least" and len(answers) < MAX_ANSWERS:
        answers.append(Choice(label="count-on-pad", do=format_step(observations.StartsPadCount(question.seat, "bet"))))
    return build_alert(code, values, tuple(answers), level="question")


def answer_label(explanation: str) -> KeyLabel:
    """Return the general label of the screen key with which the dealer gives this explanation of the chips."""
    return _LABELS[explanation]


def _answer(question: ChipQuestion, step: observations.ExplainsChips) -> Choice:
    """Return the choice for one answer.

    Its label names a seat if the answer is about another seat than the question, or says who folded.
    """
    special_label = None if step.amount else _LABELS_BY_QUESTION.get((question.kind, step.explanation))
    label = special_label or _LABELS[step.explanation]
    amount = step.amount or question.amount or None if step.explanation in ("bet", "change") else None
    seat = step.seat if step.seat != question.seat else 0
    seats = (step.seat,) if label == "they-folded" else ()
    return Choice(label=label, do=format_step(step), values=MessageValues(seat=seat, seats=seats, amount=amount))
