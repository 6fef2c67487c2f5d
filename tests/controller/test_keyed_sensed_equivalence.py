"""An irregular action gets the same ruling and warnings in both ways of input.

Either the readers read the chips, or the dealer enters the action.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import pytest

from controller.presenter import build_table_view
from controller.rules import Structure
from controller.table import IntendedAction, WarningCode
from tests.controller.live_harness import LiveHarness, four_players, money_and_turn

LATER_US: Final = 12_000_000
"""Time in µs between two motions of chips.

After this time new chips no longer belong to an earlier declaration.
"""

WARNED_AT_ONCE: Final = frozenset(WarningCode) - {WarningCode.OUT_OF_TURN}
"""Warnings that the screen must show as soon as the step is applied, with amounts and rule.

The warning about an action out of turn is missing here. If readers read chips out of turn, the dealer is asked a
question first.
"""

InputMode = Literal["sensed", "keyed with sensors off", "keyed and then sensed"]


class IrregularAction(NamedTuple):
    """An irregular action in two forms: the chips that the bet spot shows, and the steps that the dealer enters.

    Seats 2 and 3 have posted blinds of 5 and 10. Seat 4 is in turn unless the steps of `before` change the turn.
    """

    seat: int
    stacks: tuple[tuple[int, ...], ...]
    """Chips on the seat's bet spot after each motion."""
    keyed: tuple[str, ...]
    """One step line for each motion. The step has the same effect as the motion."""
    warned: frozenset[WarningCode]
    before: tuple[str, ...] = ()


def _action(seat: int, stacks: tuple[tuple[int, ...], ...], keyed: tuple[str, ...], *warned: str) -> IrregularAction:
    return IrregularAction(seat, stacks, keyed, frozenset(map(WarningCode, warned)))


CASES: Final[dict[str, IrregularAction]] = {
    "raise out of turn": _action(2, ((25, 5, 5, 5),), ("2 raise to 40",), "out-of-turn"),
    "call out of turn": _action(1, ((5, 5),), ("1 call",), "out-of-turn"),
    "chips out of turn": _action(1, ((25, 5),), ("1 chips 25 5",), "out-of-turn"),
    "out of turn twice": _action(1, ((25, 5), (25, 25, 5)), ("1 raise to 30", "1 chips 25"), "out-of-turn"),
    "second motion after a call": _action(4, ((5, 5), (25, 5, 5)), ("4 call", "4 chips 25"), "string-bet"),
    "second motion after a raise": _action(4, ((25, 5), (25, 25, 5)), ("4 raise to 30", "4 chips 25"), "string-bet"),
    "one large chip": _action(4, ((100,),), ("4 chips 100",), "oversized-chip"),
    "half of a raise": _action(4, ((5, 5, 5),), ("4 chips 5 5 5",), "under-raise"),
    "too few for a call": _action(4, ((5,),), ("4 chips 5",), "under-call"),
    "chips taken back": IrregularAction(
        1, ((25, 5), (25,)), ("1 raise to 30", "1 takes 5"), frozenset({WarningCode.CHIPS_WITHDRAWN}), ("4 fold",)
    ),
}
STAY_A_QUESTION: Final = {name for name, case in CASES.items() if WarningCode.OUT_OF_TURN in case.warned}
OVER_THE_POT: Final = _action(4, ((25, 25, 25, 25),), ("4 raise to 100",), "over-limit")


def outcome_of(case: IrregularAction, mode: InputMode, structure: Structure) -> tuple[object, ...]:
    """Play the action in this input mode. Return the money, the waiting actions, the refunds and all warnings.

    A waiting action is an action out of turn that counts when the seat is in turn.
    """
    game = LiveHarness(four_players(structure), trays=mode != "keyed with sensors off")
    if mode != "keyed with sensors off" and case.seat in (1, 4):
        game.clear_spot(case.seat)
    game.do(*case.before)
    game.advance(LATER_US)  # Just after the deal, a single chip may be a card protector.
    warned: set[str] = set()

    def after(us: int) -> None:
        game.advance(us)
        warned.update(warning.code for warning in game.live.last_warnings.warnings)

    for number, (stack, line) in enumerate(zip(case.stacks, case.keyed, strict=True)):
        if number and case.before:  # After seat 2 has acted, seat 1 may no longer take chips back.
            game.do("2 fold")
        if mode != "sensed":
            game.do(line)
            after(0)
        if mode != "keyed with sensors off":
            game.place_chips(case.seat, *stack)
            after(0)
        after(LATER_US)
    shown = {
        (alert.code, alert.values, alert.rule)
        for alert in build_table_view(game.live, 1).alerts
        if alert.code in WARNED_AT_ONCE
    }
    held: dict[int, IntendedAction] = {seat: action.intended for seat, action in game.table.street.held_actions.items()}
    return money_and_turn(game.table), held, game.table.street.spot_totals, shown, warned


@pytest.mark.parametrize("mode", ["keyed with sensors off", "keyed and then sensed"])
@pytest.mark.parametrize("case", CASES)
def test_keyed_action_gets_the_same_ruling_as_the_sensed_action(case: str, mode: InputMode) -> None:
    sensed = outcome_of(CASES[case], "sensed", "no-limit")
    assert sensed[-1] == CASES[case].warned
    assert sensed[-2] or case in STAY_A_QUESTION
    assert outcome_of(CASES[case], mode, "no-limit") == sensed


@pytest.mark.parametrize("mode", ["keyed with sensors off", "keyed and then sensed"])
def test_keyed_bet_over_the_pot_gets_the_same_ruling_as_the_sensed_bet(mode: InputMode) -> None:
    sensed = outcome_of(OVER_THE_POT, "sensed", "pot-limit")
    assert sensed[-1] == OVER_THE_POT.warned
    assert outcome_of(OVER_THE_POT, mode, "pot-limit") == sensed


@pytest.mark.parametrize("trays", [True, False])
def test_raise_announced_before_a_second_motion_can_be_added(*, trays: bool) -> None:
    game = LiveHarness(trays=trays)
    if trays:
        for stack in ((), (5, 5), (25, 5, 5)):
            game.place_chips(4, *stack)
            game.advance(LATER_US)
    else:
        game.do("4 call")
        game.advance(LATER_US)
        game.do("4 chips 25")
    (alert,) = (alert for alert in build_table_view(game.live, 1).alerts if alert.code == "string-bet")
    one_motion = ["4 said raise to 35"] if trays else []  # Only sensors can have missed that it was one motion.
    assert [choice.do for choice in alert.choices] == ["return 4", "4 said raise", *one_motion]
    game.do("4 said raise")
    assert money_and_turn(game.table) == (50, 1, [(0, 1000), (5, 995), (10, 990), (35, 965)])


def test_planted_different_ruling_is_caught() -> None:
    wrong_amount = CASES["raise out of turn"]._replace(keyed=("2 raise to 45",))
    assert outcome_of(wrong_amount, "keyed with sensors off", "no-limit") != outcome_of(
        wrong_amount, "sensed", "no-limit"
    )
