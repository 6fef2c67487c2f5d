"""The explanation of a key that the dealer holds: what a touch on the key would do.

The explanation is derived from the effect of a touch. Therefore it is right for every key and every state of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from controller.messages import ScreenKey
from controller.steps import Observation, Step, hand_steps, parse_step, table_steps
from controller.view import ActionView, StepSummary
from ui.state import modes
from ui.state.commands import is_query
from ui.state.page_state import SetUpKey
from ui.state.screen import ScreenState
from ui.state.touch_handler import press_target
from ui.state.touch_targets import Target

_MODE_TEXTS: Final[Mapping[type[modes.Mode], ScreenKey]] = {
    modes.WagerEntry: "explain-amount",
    modes.SeatPanel: "explain-keys",
    modes.TablePanel: "explain-keys",
    modes.FloorPanel: "explain-keys",
    modes.OfferList: "explain-keys",
    modes.SeatPick: "explain-seat",
    modes.NameEntry: "explain-name",
    modes.AwardEntry: "explain-award",
    modes.Normal: "explain-closes",
}
"""Texts about a touch that changes only what the screen shows, by the mode after the touch."""


class Explanation(NamedTuple):
    """What a touch on a key would do: a text, and the step that the touch would record."""

    message: ScreenKey
    step: StepSummary | None = None


def hold_target(screen: ScreenState, target: Target) -> ScreenState:
    """Return the screen with the explanation of this target, after a finger has rested on it."""
    return replace(screen, explained=target)


def explain(screen: ScreenState) -> Explanation | None:
    """Return the explanation that the screen shows, or None if it shows none."""
    target = screen.explained
    if target is None or screen.view is None:
        return None
    after, command = press_target(replace(screen, explained=None), target)
    if isinstance(target, SetUpKey):
        return Explanation("explain-set-up")
    if command is not None and is_query(command):
        return Explanation("explain-award" if isinstance(after.mode, modes.AwardEntry) else "explain-page")
    if command is not None:
        step = parse_step(command.do)
        return (
            Explanation("explain-tells")
            if isinstance(step, Observation)
            else Explanation("explain-step", _summary(step))
        )
    if isinstance(after.mode, modes.Confirmation) and after.mode != screen.mode:
        return Explanation("explain-confirms", _summary(after.mode.step))
    if type(after.mode) is not type(screen.mode):
        return Explanation(_MODE_TEXTS[type(after.mode)])
    return Explanation("explain-screen")


def _summary(step: Step) -> StepSummary:
    """Return the summary of a step that was not done yet, with the values that the step itself has."""
    seat, amount = getattr(step, "seat", 0), getattr(step, "amount", None)
    summary = StepSummary(step=step.verb.summary, seat=seat or 0, amount=amount, name=getattr(step, "name", ""))
    match step:
        case (
            hand_steps.Declares(declaration=words)
            | hand_steps.SpeaksOnly(declaration=words)
            | hand_steps.SpokeBeforeChips(declaration=words)
            | hand_steps.CorrectsAction(declaration=words)
        ):
            action = ActionView(verb=words.kind, amount=words.amount)
            return StepSummary(step=step.verb.summary, seat=seat, action=action)
        case hand_steps.MovesChips(forward=chips):
            return StepSummary(step=step.verb.summary, seat=seat, action=ActionView(verb="chips", amount=sum(chips)))
        case hand_steps.AwardsPot(pot=pot, high=high, low=low):
            return StepSummary(step=step.verb.summary, pot=pot, seats=(*high, *low))
        case hand_steps.RunsMultipleBoards(count=count):
            return StepSummary(step=step.verb.summary, count=count)
        case table_steps.ChangesSeat(new_seat=new_seat):
            return StepSummary(step=step.verb.summary, seat=seat, seats=(new_seat,))
        case table_steps.GivesMarker(lender=lender) | table_steps.RedeemsMarker(lender=lender) if lender:
            return StepSummary(step=step.verb.summary, seat=seat, amount=amount, seats=(lender,))
    return summary
