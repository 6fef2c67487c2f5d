"""What the screen sends is understood: every function of `sending` makes a step of the table's language."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial

import pytest

from controller.rules import Won
from controller.table import parse, steps
from controller.table.steps import Declaration, Step
from controller.view import Choice
from ui.samples import Sample, samples
from ui.state import sending
from ui.state.sending import Winners

SENT: tuple[tuple[Callable[..., str], tuple[object, ...], Step], ...] = (
    (sending.offered, (Choice(label="next-hand", do="hand"),), steps.StartsHand()),
    # the seat in turn, or another one
    (sending.fold, (5,), steps.Declares(5, Declaration("fold"))),
    (sending.check, (5,), steps.Declares(5, Declaration("check"))),
    (sending.call, (5,), steps.Declares(5, Declaration("call"))),
    (sending.bet, (5, 60), steps.Declares(5, Declaration("bet", 60))),
    (sending.raise_to, (5, 305), steps.Declares(5, Declaration("raise", 305))),
    (sending.raise_by, (5, 60), steps.Declares(5, Declaration("raise", 60, by=True))),
    (sending.complete, (5,), steps.Declares(5, Declaration("complete"))),
    (sending.pot, (5,), steps.Declares(5, Declaration("pot"))),
    (sending.all_in, (5,), steps.Declares(5, Declaration("all-in"))),
    (sending.amount_alone, (5, 60), steps.Declares(5, Declaration("amount", 60))),
    (sending.calls_time, (5,), steps.Declares(5, Declaration("time"))),
    (sending.says_call, (5,), steps.Says(5, Declaration("call"))),
    (sending.says_raise, (5,), steps.Says(5, Declaration("raise"))),
    (sending.says_raise, (5, 60), steps.Says(5, Declaration("raise", 60))),
    (sending.said_call, (3,), steps.Heard(3, Declaration("call"))),
    (sending.said_raise, (3,), steps.Heard(3, Declaration("raise"))),
    (sending.said_raise, (3, 80), steps.Heard(3, Declaration("raise", 80))),
    (sending.chip, (5, 100), steps.Moves(5, (100,))),
    (sending.takes, (3, 25), steps.Moves(3, back=(25,))),
    (sending.done, (5,), steps.EndsMotion(5)),
    (sending.was, (3, 40), steps.WasAnother(3, 40)),
    (sending.is_in, (3,), steps.PutsIn(3)),
    (sending.all_is_in, (), steps.AllPutIn()),
    (sending.give_back, (5,), steps.Returns(5)),
    (sending.change, (3, 100), steps.Exchanges(3, 100)),
    (sending.straddle, (3, 20), steps.Straddles(3, 20)),
    # the hand
    (sending.here, (8,), steps.ActionOn(8)),
    (sending.deal_closing, (), steps.Deals(closing=True)),
    (sending.undo, (), steps.Undoes()),
    (sending.redo, (), steps.Redoes()),
    (sending.void, (), steps.Voids()),
    (sending.bomb, (20,), steps.StartsBomb(20)),
    (sending.award, ("main", (Winners((5, 1)),)), steps.Awards("main", (5, 1))),
    (sending.award, ("main", (Winners((5, 5, 2)),)), steps.Awards("main", (5, 2), shares=(2, 1))),
    (sending.award, ("side1", (Winners((1,), (1, 3)),)), steps.Awards("side1", (1,), (1, 3))),
    (
        sending.award,
        ("main", (Winners((3,)), Winners((5, 6)))),
        steps.Awards("main", (3, 5, 6), boards=(Won((3,)), Won((5, 6)))),
    ),
    # players and the house
    (sending.stack, (3, 900), steps.Counted(3, 900)),
    (sending.stack_unknown, (3,), steps.Counted(3, None)),
    (sending.count_bet, (3,), steps.StartsCount(3, "bet")),
    (sending.count_stack, (3,), steps.StartsCount(3, "stack")),
    (sending.count_buy_in, (3,), steps.StartsCount(3, "buy-in")),
    (sending.sit, (5, 200), steps.Sits(5, 200)),
    (partial(sending.sit, name="ann"), (5, 200), steps.Sits(5, 200, "ann")),
    (sending.sit_transfer, (5, 200), steps.Sits(5, 200, transfer=True)),
    (sending.sit_in_stead, (5, 200), steps.Sits(5, 200, in_stead=True)),
    (partial(sending.sit_in_stead, name="ann"), (5, 200), steps.Sits(5, 200, "ann", in_stead=True)),
    (sending.add, (5, 100), steps.Adds(5, 100)),
    (sending.cash, (5, 100), steps.PlaysCash(5, 100)),
    (sending.marker, (5, 100), steps.GivesMarker(5, 100)),
    (sending.lent, (5, 100, 2), steps.GivesMarker(5, 100, 2)),
    (sending.redeems, (5, 100), steps.Redeems(5, 100)),
    (sending.redeems_to, (5, 100, 2), steps.Redeems(5, 100, 2)),
    (sending.remove, (5, 100), steps.Removes(5, 100)),
    (sending.tip, (5, 5), steps.Tips(5, 5)),
    (sending.time, (5, 6), steps.PaysTime(5, 6)),
    (sending.away, (5,), steps.GoesAway(5)),
    (sending.back, (5,), steps.ComesBack(5)),
    (sending.leave, (5,), steps.Leaves(5)),
    (sending.moves, (5, 7), steps.ChangesSeat(5, 7)),
    (sending.plays_game, ("razz",), steps.PlaysGame("razz")),
    (sending.drop, (5,), steps.TakesDrop(5)),
    (sending.kitty, (5,), steps.TakesKitty(5)),
    (sending.skip, (), steps.Skips()),
    (sending.opens, (), steps.Opens()),
    (sending.closes, (), steps.Closes()),
    (sending.deals_now, ("Lee",), steps.ChangesDealer("Lee")),
    (sending.call_floor, (), steps.CallsFloor()),
    # the floor
    (sending.floor_bet, (3, 80), steps.FloorSetsBet(3, 80)),
    (sending.floor_pot, (640,), steps.FloorCountsPot(640)),
    (sending.floor_release, (8,), steps.FloorReleases(8)),
    (sending.floor_bind, (8,), steps.FloorBinds(8)),
    (sending.floor_turn, (8,), steps.FloorGivesTurn(8)),
    (sending.floor_dead, (8,), steps.FloorKillsHand(8)),
    (sending.floor_button, (8,), steps.FloorPlacesButton(8)),
    (sending.floor_hold, (), steps.FloorHolds()),
    (sending.floor_go, (), steps.FloorGoes()),
    (sending.floor_go_on, (), steps.FloorGoes(on=True)),
)
LOOKS = (sending.look, sending.look_award)
"""What asks for something to look at is no step."""


@pytest.mark.parametrize(("make", "given", "step"), SENT, ids=lambda one: getattr(one, "__name__", ""))
def test_each_key_sends_a_step_of_the_table(make: Callable[..., str], given: tuple[object, ...], step: Step) -> None:
    assert parse(make(*given)) == step


def test_no_function_is_left_out() -> None:
    made = {name for name, one in inspect.getmembers(sending, inspect.isfunction) if one.__module__ == sending.__name__}
    sent = {getattr(make, "func", make).__name__ for make, _, _ in SENT} | {one.__name__ for one in LOOKS}
    assert {name for name in made if not name.startswith("_")} == sent


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_the_choices_of_the_reference_views_are_steps(sample: Sample) -> None:
    view = sample.view
    for choice in (*view.next, *(choice for alert in view.alerts for choice in alert.choices)):
        parse(choice.do)
