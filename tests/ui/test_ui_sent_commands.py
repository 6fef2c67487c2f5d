"""Check that the table understands every command: each function of `ui.state.commands` builds a valid step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial

import pytest

from controller.rules import BoardWinners
from controller.steps import Declaration, Step, hand_steps, observations, parse_step, table_steps
from controller.view import Choice
from ui.state import commands
from ui.state.commands import Winners
from ui.view_samples import ViewSample, view_samples

SENT: tuple[tuple[Callable[..., str], tuple[object, ...], Step], ...] = (
    (commands.choice_step, (Choice(label="next-hand", do="hand"),), hand_steps.StartsHand()),
    # steps about the seat in turn or another seat
    (commands.fold, (5,), hand_steps.Declares(5, Declaration("fold"))),
    (commands.check, (5,), hand_steps.Declares(5, Declaration("check"))),
    (commands.call, (5,), hand_steps.Declares(5, Declaration("call"))),
    (commands.bet, (5, 60), hand_steps.Declares(5, Declaration("bet", 60))),
    (commands.raise_to, (5, 305), hand_steps.Declares(5, Declaration("raise", 305))),
    (commands.raise_by, (5, 60), hand_steps.Declares(5, Declaration("raise", 60, is_raise_by=True))),
    (commands.complete, (5,), hand_steps.Declares(5, Declaration("complete"))),
    (commands.bet_pot, (5,), hand_steps.Declares(5, Declaration("pot"))),
    (commands.all_in, (5,), hand_steps.Declares(5, Declaration("all-in"))),
    (commands.put_chips_silently, (5, 60), hand_steps.Declares(5, Declaration("amount", 60))),
    (commands.call_time, (5,), hand_steps.Declares(5, Declaration("time"))),
    (commands.announce_call, (5,), hand_steps.SpeaksOnly(5, Declaration("call"))),
    (commands.announce_raise, (5,), hand_steps.SpeaksOnly(5, Declaration("raise"))),
    (commands.announce_raise, (5, 60), hand_steps.SpeaksOnly(5, Declaration("raise", 60))),
    (commands.announced_call, (3,), hand_steps.SpokeBeforeChips(3, Declaration("call"))),
    (commands.announced_raise, (3,), hand_steps.SpokeBeforeChips(3, Declaration("raise"))),
    (commands.announced_raise, (3, 80), hand_steps.SpokeBeforeChips(3, Declaration("raise", 80))),
    (commands.put_one_chip, (5, 100), hand_steps.MovesChips(5, (100,))),
    (commands.take_back, (3, 25), hand_steps.MovesChips(3, back=(25,))),
    (commands.end_motion, (5,), hand_steps.EndsMotion(5)),
    (commands.correct_wager, (3, 40), hand_steps.CorrectsWager(3, 40)),
    (commands.pay_owed, (3,), hand_steps.PaysOwedChips(3)),
    (commands.all_pay_owed, (), hand_steps.AllPayOwedChips()),
    (commands.return_chips, (5,), hand_steps.ReturnsChips(5)),
    (commands.make_change, (3, 100), hand_steps.MakesChange(3, 100)),
    (commands.straddle, (3, 20), hand_steps.Straddles(3, 20)),
    # the hand
    (commands.action_on, (8,), hand_steps.ActionOn(8)),
    (commands.deal_closing, (), hand_steps.DealsStreet(closes_betting=True)),
    (commands.undo, (), hand_steps.Undoes()),
    (commands.redo, (), hand_steps.Redoes()),
    (commands.declare_misdeal, (), hand_steps.VoidsHand()),
    (commands.bomb_pot, (20,), hand_steps.StartsBombPot(20)),
    (commands.award, ("main", (Winners((5, 1)),)), hand_steps.AwardsPot("main", (5, 1))),
    (commands.award, ("main", (Winners((5, 5, 2)),)), hand_steps.AwardsPot("main", (5, 2), shares=(2, 1))),
    (commands.award, ("side1", (Winners((1,), (1, 3)),)), hand_steps.AwardsPot("side1", (1,), (1, 3))),
    (
        commands.award,
        ("main", (Winners((3,)), Winners((5, 6)))),
        hand_steps.AwardsPot("main", (3, 5, 6), boards=(BoardWinners((3,)), BoardWinners((5, 6)))),
    ),
    # players and the house
    (commands.set_stack, (3, 900), table_steps.CountsStack(3, 900)),
    (commands.stack_unknown, (3,), table_steps.CountsStack(3, None)),
    (commands.count_bet, (3,), observations.StartsPadCount(3, "bet")),
    (commands.count_stack, (3,), observations.StartsPadCount(3, "stack")),
    (commands.count_buy_in, (3,), observations.StartsPadCount(3, "buy-in")),
    (commands.sit, (5, 200), table_steps.SitsDown(5, 200)),
    (partial(commands.sit, name="ann"), (5, 200), table_steps.SitsDown(5, 200, "ann")),
    (commands.sit_transfer, (5, 200), table_steps.SitsDown(5, 200, is_transfer=True)),
    (commands.sit_as_replacement, (5, 200), table_steps.SitsDown(5, 200, takes_over_blinds=True)),
    (
        partial(commands.sit_as_replacement, name="ann"),
        (5, 200),
        table_steps.SitsDown(5, 200, "ann", takes_over_blinds=True),
    ),
    (commands.add_chips, (5, 100), table_steps.AddsChips(5, 100)),
    (commands.add_cash, (5, 100), table_steps.AddsCash(5, 100)),
    (commands.play_marker, (5, 100), table_steps.GivesMarker(5, 100)),
    (commands.borrow_chips, (5, 100, 2), table_steps.GivesMarker(5, 100, 2)),
    (commands.redeem_marker, (5, 100), table_steps.RedeemsMarker(5, 100)),
    (commands.repay_loan, (5, 100, 2), table_steps.RedeemsMarker(5, 100, 2)),
    (commands.remove_chips, (5, 100), table_steps.RemovesChips(5, 100)),
    (commands.tip, (5, 5), table_steps.TipsDealer(5, 5)),
    (commands.pay_time, (5, 6), table_steps.PaysTimeCollection(5, 6)),
    (commands.mark_away, (5,), table_steps.GoesAway(5)),
    (commands.mark_back, (5,), table_steps.ComesBack(5)),
    (commands.leave, (5,), table_steps.LeavesTable(5)),
    (commands.change_seat, (5, 7), table_steps.ChangesSeat(5, 7)),
    (commands.set_next_game, ("razz",), table_steps.ChangesGame("razz")),
    (commands.take_drop, (5,), hand_steps.TakesDrop(5)),
    (commands.take_kitty, (5,), hand_steps.TakesKitty(5)),
    (commands.skip_hand, (), hand_steps.SkipsHand()),
    (commands.open_table, (), table_steps.OpensTable()),
    (commands.close_table, (), table_steps.ClosesTable()),
    (commands.set_dealer, ("Lee",), table_steps.ChangesDealer("Lee")),
    (commands.call_floor, (), observations.CallsFloor()),
    # the floor
    (commands.floor_bet, (3, 80), table_steps.FloorSetsBet(3, 80)),
    (commands.floor_pot, (640,), table_steps.FloorCountsPot(640)),
    (commands.floor_release, (8,), table_steps.FloorReleasesAction(8)),
    (commands.floor_bind, (8,), table_steps.FloorBindsAction(8)),
    (commands.floor_turn, (8,), table_steps.FloorGivesTurn(8)),
    (commands.floor_kill_hand, (8,), table_steps.FloorKillsHand(8)),
    (commands.floor_button, (8,), table_steps.FloorPlacesButton(8)),
    (commands.floor_hold_hands, (), table_steps.FloorHoldsHands()),
    (commands.floor_allow_hand, (), table_steps.FloorAllowsHand()),
    (commands.floor_end_hold, (), table_steps.FloorAllowsHand(ends_hold=True)),
)
QUERY_FUNCTIONS = (commands.query, commands.query_award)
"""Functions that build a query instead of a step."""


@pytest.mark.parametrize(("build", "arguments", "step"), SENT, ids=lambda value: getattr(value, "__name__", ""))
def test_each_command_is_a_step_of_the_table(
    build: Callable[..., str], arguments: tuple[object, ...], step: Step
) -> None:
    assert parse_step(build(*arguments)) == step


def test_every_sending_function_has_a_case() -> None:
    functions = {
        name
        for name, function in inspect.getmembers(commands, inspect.isfunction)
        if function.__module__ == commands.__name__
    }
    sent = {getattr(build, "func", build).__name__ for build, _, _ in SENT} | {
        function.__name__ for function in QUERY_FUNCTIONS
    }
    assert {name for name in functions if not name.startswith("_")} == sent


@pytest.mark.parametrize("sample", view_samples(), ids=lambda sample: sample.name)
def test_choices_of_reference_views_are_steps(sample: ViewSample) -> None:
    view = sample.view
    for choice in (*view.next_choices, *(choice for alert in view.alerts for choice in alert.choices)):
        parse_step(choice.do)
