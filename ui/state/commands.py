"""The commands that the screen sends: a step, or a query for a page.

Write the line for a raise of seat 3:

    >>> from controller.steps import Declaration, hand_steps
    >>> step_line(hand_steps.Declares(3, Declaration("raise", 60)))
    '3 raise to 60'
"""

from __future__ import annotations

from typing import NamedTuple

from controller.steps import Step, format_step
from controller.view import Choice

SentStep = Step | Choice
"""A step that a key sends. A step that the view proposes is a `Choice`, which already has its line."""


class OutgoingCommand(NamedTuple):
    """A command for the service: a step or a query, and the sequence number of the view that was shown.

    The number of a query is 0.
    """

    do: str
    view_sequence: int


def step_line(step: SentStep) -> str:
    """Return the step as the line that is sent to the service."""
    return step.do if isinstance(step, Choice) else format_step(step)


def is_query(command: OutgoingCommand) -> bool:
    """Return True if the command is a query, which names no view because it changes nothing."""
    return not command.view_sequence


def page_query(kind: str, number: int) -> str:
    """Return the query for a page. `number` is the number of a hand, or 0 if the page is not about one hand."""
    return f"look {kind} {number}" if number else f"look {kind}"


def set_up_command(word: str, number: int) -> str:
    """Return the command of a key of the guided set-up. It names no view, because it is not a step."""
    return f"set-up {word} {number}"


def award_query(award: Step) -> str:
    """Return the query for the amount that each seat would get from an award. The query changes nothing."""
    return f"look {format_step(award)}"
