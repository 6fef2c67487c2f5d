"""What the screen sends is understood: every function of `sending` makes a step of the table's language."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from controller.table import parse, steps
from controller.table.steps import Declaration, Step
from controller.view import Choice
from ui.samples import Sample, samples
from ui.state import sending

SENT: tuple[tuple[Callable[..., str], tuple[object, ...], Step], ...] = (
    (sending.offered, (Choice(label="next-hand", do="hand"),), steps.StartsHand()),
    (sending.fold, (5,), steps.Declares(5, Declaration("fold"))),
    (sending.check, (5,), steps.Declares(5, Declaration("check"))),
    (sending.call, (5,), steps.Declares(5, Declaration("call"))),
    (sending.bet, (5, 60), steps.Declares(5, Declaration("bet", 60))),
    (sending.raise_to, (5, 305), steps.Declares(5, Declaration("raise", 305))),
    (sending.complete, (5,), steps.Declares(5, Declaration("complete"))),
    (sending.pot, (5,), steps.Declares(5, Declaration("pot"))),
    (sending.all_in, (5,), steps.Declares(5, Declaration("all-in"))),
    (sending.said_call, (3,), steps.Heard(3, Declaration("call"))),
    (sending.said_raise, (3, None), steps.Heard(3, Declaration("raise"))),
    (sending.said_raise, (3, 80), steps.Heard(3, Declaration("raise", 80))),
    (sending.here, (8,), steps.ActionOn(8)),
    (sending.deal, (), steps.Deals()),
    (sending.hand, (), steps.StartsHand()),
    (sending.undo, (), steps.Undoes()),
    (sending.void, (), steps.Voids()),
    (sending.award, ("main", (5, 1)), steps.Awards("main", (5, 1))),
    (sending.award_halves, ("side1", (1,), (1, 3)), steps.Awards("side1", (1,), (1, 3))),
    (sending.give_back, (5,), steps.Returns(5)),
    (sending.takes, (3, 25), steps.Moves(3, back=(25,))),
    (sending.stack, (3, 900), steps.Counted(3, 900)),
    (sending.count, ("bet", 3), steps.StartsCount(3, "bet")),
    (sending.stack_unknown, (3,), steps.Counted(3, None)),
    (sending.sit, (5, 200), steps.Sits(5, 200)),
    (sending.add, (5, 100), steps.Adds(5, 100)),
    (sending.remove, (5, 100), steps.Removes(5, 100)),
    (sending.tip, (5, 5), steps.Tips(5, 5)),
    (sending.time, (5, 6), steps.PaysTime(5, 6)),
    (sending.away, (5,), steps.GoesAway(5)),
    (sending.back, (5,), steps.ComesBack(5)),
    (sending.leave, (5,), steps.Leaves(5)),
    (sending.floor_bet, (3, 80), steps.FloorSetsBet(3, 80)),
    (sending.floor_pot, (640,), steps.FloorCountsPot(640)),
    (sending.floor_release, (8,), steps.FloorReleases(8)),
    (sending.floor_bind, (8,), steps.FloorBinds(8)),
    (sending.floor_turn, (8,), steps.FloorGivesTurn(8)),
    (sending.floor_dead, (8,), steps.FloorKillsHand(8)),
    (sending.call_floor, (), steps.CallsFloor()),
)


@pytest.mark.parametrize(("make", "given", "step"), SENT, ids=lambda one: getattr(one, "__name__", ""))
def test_each_key_sends_a_step_of_the_table(make: Callable[..., str], given: tuple[object, ...], step: Step) -> None:
    assert parse(make(*given)) == step


def test_no_function_is_left_out() -> None:
    made = {name for name, one in inspect.getmembers(sending, inspect.isfunction) if one.__module__ == sending.__name__}
    assert made == {one.__name__ for one in [make for make, _, _ in SENT]}


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_the_choices_of_the_reference_views_are_steps(sample: Sample) -> None:
    view = sample.view
    for choice in (*view.next, *(choice for alert in view.alerts for choice in alert.choices)):
        parse(choice.do)
