"""Types of a hypothesis: its verdict about a reading, and the question that it asks about chips that wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from controller.live.hypotheses.spot_facts import Evidence, SpotFacts
from controller.live.state import Live, Spot
from controller.steps import Step, observations

ChipQuestionKind = Literal[
    observations.AskedReason,
    "at-least",
    "strangers",
    "chips-between-rounds",
    "fold-meant",
]
"""Reasons why the table asks the dealer about chips on a spot: a reason for which chips wait, or one of these:

- `at-least`: the stack may have more chips than were read.
- `strangers`: chips of another house are among the chips.
- `chips-between-rounds`: chips arrived while nobody could bet.
- `fold-meant`: the only chip of a call has left, and a fold was probably meant for its seat.
"""


class ChipQuestion(NamedTuple):
    """A question about the chips of a seat."""

    seat: int
    kind: ChipQuestionKind
    amount: int
    """Value of the chips that the question is about."""
    answers: tuple[observations.ExplainsChips, ...]
    """Possible answers to the question, most likely first. Empty if the dealer only has to wait."""


class WaitingChips(NamedTuple):
    """Chips of a seat that wait for an explanation, when the table decides whether to ask the dealer."""

    seat: int
    spot: Spot
    added: int
    """Value of the chips on the spot that do not count as a bet yet."""
    removed: int
    """Value of the explained chips that have left the spot."""
    is_due: bool
    """True if no event has explained the chips within `ASK_DELAY_US`."""

    def question(
        self, kind: ChipQuestionKind, amount: int, *explanations: Literal["bet", "nothing", "covered", "taken", "swept"]
    ) -> ChipQuestion:
        """Return a question about these chips that offers the explanations as its answers."""
        answers = tuple(observations.ExplainsChips(self.seat, explanation) for explanation in explanations)
        return ChipQuestion(self.seat, kind, amount, answers)


class Verdict(NamedTuple):
    """Decision of a hypothesis about the reading of a spot."""

    disposition: observations.Disposition | None
    """How the table records the reading. None if the chips count as put in or taken back."""
    steps_before: tuple[Step, ...] = ()
    """Steps that take effect before the reading is recorded."""
    steps_after: tuple[Step, ...] = ()
    """Steps that take effect after the reading is recorded."""
    earlier_seats: frozenset[int] = frozenset()
    """Later seats that certainly put in chips before this seat did."""
    is_partial: bool = False
    """True if only `steps_before` take effect, because they explain only some of the chips. The next hypotheses examine
    the others."""
    stands_if_refused: bool = False
    """True if the verdict stands only if the table refuses the chips as a bet. Otherwise they count."""


MOTION = Verdict(None)


class Hypothesis(NamedTuple):
    """One possible explanation of the chips on a spot."""

    evidence: frozenset[Evidence]
    """Evidence without which the hypothesis cannot be true."""
    explain: Callable[[Live, SpotFacts], Verdict | None]
    """Function that returns the verdict, or None if the hypothesis does not fit these facts."""
    reason: observations.PendingReason | None = None
    """Reason with which the hypothesis makes chips wait, or None if it makes no chips wait."""
    question: Callable[[Live, WaitingChips], ChipQuestion | None] | None = None
    """Function that returns the question about chips that wait for this reason, or None if none is needed now."""
    is_wait_over: Callable[[Live, int], bool] | None = None
    """Function that returns True if the chips of the seat count as a bet now. None if only an answer, a sweep or the
    end of the street ends the wait."""
