"""Irregular acts are ruled and warned about in the same way whether trays tell of them or the dealer keys them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import pytest

from controller.presenter import show
from controller.rules import Structure
from controller.table import Caution, Meant
from tests.controller.live_table import Game, book, four_players

LATER_US: Final = 12_000_000
"""After that chips do not belong to words before them any more."""

TOLD_AT_ONCE: Final = frozenset(Caution) - {Caution.OUT_OF_TURN}
"""Warnings that are shown with amounts and rule as soon as they are given; whether somebody was out of turn is asked
first where trays tell of it."""

Told = Literal["sensed", "keyed with sensors off", "keyed and then sensed"]


class Irregular(NamedTuple):
    """What somebody does, once as the tray tells it and once as it is keyed. Blinds 5 and 10 lie at seats 2 and 3, the
    turn is on 4."""

    seat: int
    lies: tuple[tuple[int, ...], ...]
    """What lies on its spot after each motion."""
    keyed: tuple[str, ...]
    """The same motions, one line each."""
    warned: frozenset[Caution]
    before: tuple[str, ...] = ()


def _acts(seat: int, lies: tuple[tuple[int, ...], ...], keyed: tuple[str, ...], *warned: str) -> Irregular:
    return Irregular(seat, lies, keyed, frozenset(map(Caution, warned)))


CASES: Final[dict[str, Irregular]] = {
    "raise out of turn": _acts(2, ((25, 5, 5, 5),), ("2 raise to 40",), "out-of-turn"),
    "call out of turn": _acts(1, ((5, 5),), ("1 call",), "out-of-turn"),
    "chips out of turn": _acts(1, ((25, 5),), ("1 chips 25 5",), "out-of-turn"),
    "out of turn twice": _acts(1, ((25, 5), (25, 25, 5)), ("1 raise to 30", "1 chips 25"), "out-of-turn"),
    "second motion after a call": _acts(4, ((5, 5), (25, 5, 5)), ("4 call", "4 chips 25"), "string-bet"),
    "second motion after a raise": _acts(4, ((25, 5), (25, 25, 5)), ("4 raise to 30", "4 chips 25"), "string-bet"),
    "one large chip": _acts(4, ((100,),), ("4 chips 100",), "oversized-chip"),
    "half of a raise": _acts(4, ((5, 5, 5),), ("4 chips 5 5 5",), "under-raise"),
    "too few for a call": _acts(4, ((5,),), ("4 chips 5",), "under-call"),
    "chips taken back": Irregular(
        1, ((25, 5), (25,)), ("1 raise to 30", "1 takes 5"), frozenset({Caution.CHIPS_WITHDRAWN}), ("4 fold",)
    ),
}
STAY_A_QUESTION: Final = {case for case, what in CASES.items() if Caution.OUT_OF_TURN in what.warned}
OVER_THE_POT: Final = _acts(4, ((25, 25, 25, 25),), ("4 raise to 100",), "over-limit")


def came_of(what: Irregular, told: Told, structure: Structure) -> tuple[object, ...]:
    """What is booked, held and due back after it, and all that was warned about."""
    game = Game(four_players(structure), trays=told != "keyed with sensors off")
    if told != "keyed with sensors off" and what.seat in (1, 4):
        game.empties(what.seat)
    game.do(*what.before)
    game.after(LATER_US)  # a single chip that comes with the cards may protect them
    warned: set[str] = set()

    def after(us: int) -> None:
        game.after(us)
        warned.update(each.code for each in game.live.ruled.warned)

    for number, (lies, line) in enumerate(zip(what.lies, what.keyed, strict=True)):
        if number and what.before:  # the next seat has acted: what was put in stands
            game.do("2 fold")
        if told != "sensed":
            game.do(line)
            after(0)
        if told != "keyed with sensors off":
            game.lies(what.seat, *lies)
            after(0)
        after(LATER_US)
    shown = {(each.code, each.values, each.rule) for each in show(game.live, 1).alerts if each.code in TOLD_AT_ONCE}
    held: dict[int, Meant] = {seat: each.meant for seat, each in game.table.street.held.items()}
    return book(game.table), held, game.table.street.felt, shown, warned


@pytest.mark.parametrize("told", ["keyed with sensors off", "keyed and then sensed"])
@pytest.mark.parametrize("case", CASES)
def test_keyed_acts_are_ruled_as_sensed_ones(case: str, told: Told) -> None:
    sensed = came_of(CASES[case], "sensed", "no-limit")
    assert sensed[-1] == CASES[case].warned
    assert sensed[-2] or case in STAY_A_QUESTION
    assert came_of(CASES[case], told, "no-limit") == sensed


@pytest.mark.parametrize("told", ["keyed with sensors off", "keyed and then sensed"])
def test_a_keyed_bet_over_the_pot_is_ruled_as_a_sensed_one(told: Told) -> None:
    sensed = came_of(OVER_THE_POT, "sensed", "pot-limit")
    assert sensed[-1] == OVER_THE_POT.warned
    assert came_of(OVER_THE_POT, told, "pot-limit") == sensed


@pytest.mark.parametrize("trays", [True, False])
def test_a_raise_that_was_said_before_a_second_motion_can_be_added(*, trays: bool) -> None:
    game = Game(trays=trays)
    if trays:
        for lies in ((), (5, 5), (25, 5, 5)):
            game.lies(4, *lies)
            game.after(LATER_US)
    else:
        game.do("4 call")
        game.after(LATER_US)
        game.do("4 chips 25")
    (alert,) = (each for each in show(game.live, 1).alerts if each.code == "string-bet")
    assert [choice.do for choice in alert.choices] == ["return 4", "4 said raise"]
    game.do("4 said raise")
    assert book(game.table) == (50, 1, [(0, 1000), (5, 995), (10, 990), (35, 965)])


def test_another_ruling_would_be_noticed() -> None:
    words = CASES["raise out of turn"]._replace(keyed=("2 raise to 45",))
    assert came_of(words, "keyed with sensors off", "no-limit") != came_of(words, "sensed", "no-limit")
