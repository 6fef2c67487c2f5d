"""Chips that turn up in the pot though no bet spot has heard them: named, and none besides."""

from __future__ import annotations

import pytest

from controller.live import found
from controller.live.places.found import LINGERS_US
from controller.rules import Game as Rules
from controller.rules import Player
from controller.table import Table, open_table
from hardware.events import Chip, ChipsTurnUp, StackComplete
from tests.controller.live_table import Game, four_players

POT_LAY = Chip("E004015000500001", 500)
"""Was told of the pot in this hand before: what comes now was bet."""
CAME = Chip("E004015000250001", 25), Chip("E004015000050001", 5)


def with_antes() -> Table:
    """Four players ante 5 each; before, what lies in the pot is known."""
    rules = Rules(structure="no-limit", blinds=(5, 10), ante=5)
    return open_table({"main": rules}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})


def holds(game: Game, *chips: Chip, heard: tuple[Chip, ...] = (), at_us: int | None = None) -> list[str]:
    """The pot tells these chips, some of which a bet spot has heard; gives those that are found."""
    heard_us = game.now_us if at_us is None else at_us
    times = tuple(heard_us if chip in heard else 0 for chip in chips)
    game.after(1_000_000)
    game.tell(StackComplete("pot", chips, (), (), False, game.now_us, heard_us=times))
    return [each.uid for each in found(game.live)]


def begun(table: Table | None = None) -> Game:
    game = Game(table or four_players())
    assert holds(game) == []
    return game


@pytest.mark.parametrize(("heard", "expected"), [((), CAME), (CAME[:1], CAME[1:]), (CAME, ())])
def test_named_is_what_no_bet_spot_has_heard_in_this_hand(heard: tuple[Chip, ...], expected: tuple[Chip, ...]) -> None:
    game = begun()
    assert holds(game, POT_LAY, heard=(POT_LAY,)) == []
    assert holds(game, POT_LAY, *CAME, heard=heard) == [chip.uid for chip in expected]


def test_what_was_heard_before_the_hand_says_nothing() -> None:
    game = begun()
    before_us = game.live.hand_us - 1
    assert holds(game, POT_LAY, heard=(POT_LAY,)) == []
    assert holds(game, POT_LAY, CAME[0], heard=CAME[:1], at_us=before_us) == [CAME[0].uid]


def test_after_a_restart_in_the_hand_nothing_is_named() -> None:
    game = begun()
    assert holds(game, POT_LAY, heard=(POT_LAY,)) == []
    game.live = game.live._replace(restarted=True)
    game._replayed = game._replayed._replace(restarted=True)
    assert holds(game, POT_LAY, *CAME) == []


def to_the_flop(game: Game) -> None:
    """Seat 2 calls, two fold, the flop is dealt."""
    game.do("4 fold", "1 fold")
    game.lies(2, 5, 5)
    game.do("3 check", "deal")


def antes(count: int) -> tuple[Chip, ...]:
    return tuple(Chip(f"E00401500005A00{number}", 5) for number in range(count))


@pytest.mark.parametrize(("told", "expected"), [(4, CAME), (2, CAME), (1, CAME[:1]), (0, CAME[:1])])
def test_what_may_be_an_ante_still_to_be_told_is_not_named(told: int, expected: tuple[Chip, ...]) -> None:
    """The pot's antenna has told so many of the four antes when the first bets come."""
    game = begun(with_antes())
    lay = (POT_LAY, *antes(told))
    assert holds(game, *lay, heard=(POT_LAY,)) == []
    to_the_flop(game)
    assert holds(game, *lay, *CAME) == [chip.uid for chip in expected]


def test_an_ante_that_is_told_late_is_no_bet_and_the_next_chip_is() -> None:
    game = begun(with_antes())
    assert holds(game, POT_LAY, *antes(1), heard=(POT_LAY,)) == []
    to_the_flop(game)
    assert holds(game, POT_LAY, *antes(4)) == []
    assert holds(game, POT_LAY, *antes(4), *CAME) == [chip.uid for chip in CAME]


def test_an_ante_that_was_silent_for_a_round_among_others_that_were_not_is_named() -> None:
    game = begun(with_antes())
    assert holds(game, POT_LAY, *antes(3), heard=(POT_LAY,)) == []
    to_the_flop(game)
    assert holds(game, POT_LAY, *antes(4)) == [antes(4)[3].uid]


def turn_up(game: Game, *chips: Chip, heard: tuple[Chip, ...] = ()) -> list[str]:
    """The pot has heard these chips for the first time; gives those that are found."""
    game.after(1_000_000)
    times = tuple(game.now_us if chip in heard else 0 for chip in chips)
    game.tell(ChipsTurnUp("pot", chips, times, game.now_us))
    return [each.uid for each in found(game.live)]


def test_one_answer_in_the_pot_is_enough() -> None:
    game = begun()
    assert turn_up(game, *CAME, heard=CAME[1:]) == [CAME[0].uid]
    assert game.live.spots["pot"].lies == CAME[:1], "what a bet spot has heard is told when it has settled"
    assert holds(game, *CAME, heard=CAME[1:]) == [CAME[0].uid], "named once"


@pytest.mark.parametrize(("after_us", "expected"), [(0, ()), (LINGERS_US, CAME)])
def test_before_the_first_sweep_a_chip_of_the_last_hand_may_be_of_the_last_pot(
    after_us: int, expected: tuple[Chip, ...]
) -> None:
    """Its first answer may be a ghost's for long."""
    game = begun()
    assert turn_up(game, *CAME) == [chip.uid for chip in CAME]
    assert holds(game) == [chip.uid for chip in CAME]
    game.do("4 fold", "1 fold", "2 fold", "award main 3", "hand")
    game.after(after_us)
    assert turn_up(game, *CAME) == []
    assert holds(game, *CAME) == [chip.uid for chip in expected]


def test_before_the_pot_was_told_nothing_in_it_is_new() -> None:
    assert turn_up(Game(four_players()), *CAME) == []


def test_more_chips_than_antes_are_still_to_be_told_are_bets() -> None:
    game = begun(with_antes())
    assert holds(game, POT_LAY, antes(2)[1], heard=(POT_LAY,)) == []
    assert holds(game, POT_LAY, *antes(4)) == []
    assert holds(game, POT_LAY, *antes(5)) == [], "while antes come"
    game.after(LINGERS_US)
    assert holds(game, POT_LAY, *antes(6)) == [antes(6)[5].uid]


def test_of_very_many_the_last_two_hundred_are_named() -> None:
    """Also where more than that come in one go."""
    game, chips = begun(), tuple(Chip(f"E00401500005{number:04X}", 5) for number in range(420))
    assert holds(game, POT_LAY, heard=(POT_LAY,)) == []
    assert holds(game, POT_LAY, *chips[:150], heard=(POT_LAY,)) == [chip.uid for chip in chips[:150]]
    assert holds(game, POT_LAY, *chips[:201], heard=(POT_LAY,)) == [chip.uid for chip in chips[1:201]]
    assert holds(game, POT_LAY, *chips, heard=(POT_LAY,)) == [chip.uid for chip in chips[220:]]
