"""The live table lists exactly the pot chips that no bet spot has read in this hand."""

from __future__ import annotations

import pytest

from controller.live import (
    derived_state,
)
from controller.live.missed_chips import LAST_POT_LINGER_WINDOW_US
from controller.rules import Game as Rules
from controller.rules import Player
from controller.table import Table, open_table
from hardware.events import Chip, ChipsAppeared, StackSettled
from tests.controller.live_harness import LiveHarness, four_players

KNOWN_POT_CHIP = Chip("E004015000500001", 500)
"""A chip that a bet spot has read in this hand.

If further chips reach the pot after this chip, they must have been bet.
"""
NEW_CHIPS = Chip("E004015000250001", 25), Chip("E004015000050001", 5)


def with_antes() -> Table:
    """Return a table at which four players ante 5 each. No chip of the pot has been read yet."""
    rules = Rules(structure="no-limit", blinds=(5, 10), ante=5)
    return open_table({"main": rules}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})


def settle_pot(game: LiveHarness, *chips: Chip, heard: tuple[Chip, ...] = (), at_us: int | None = None) -> list[str]:
    """Report a settled pot of these chips, and return the UIDs of the chips that the live table lists.

    `heard` contains the chips that a bet spot has read before.
    """
    heard_us = game.now_us if at_us is None else at_us
    times = tuple(heard_us if chip in heard else 0 for chip in chips)
    game.advance(1_000_000)
    game.send_event(StackSettled("pot", chips, (), (), False, game.now_us, last_heard_us=times))
    return [chip.uid for chip in derived_state.missed_chips_this_hand(game.live)]


def start_with_known_pot(table: Table | None = None) -> LiveHarness:
    game = LiveHarness(table or four_players())
    assert settle_pot(game) == []
    return game


@pytest.mark.parametrize(("heard", "expected"), [((), NEW_CHIPS), (NEW_CHIPS[:1], NEW_CHIPS[1:]), (NEW_CHIPS, ())])
def test_pot_chips_that_no_bet_spot_heard_in_this_hand_are_listed(
    heard: tuple[Chip, ...], expected: tuple[Chip, ...]
) -> None:
    game = start_with_known_pot()
    assert settle_pot(game, KNOWN_POT_CHIP, heard=(KNOWN_POT_CHIP,)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, *NEW_CHIPS, heard=heard) == [chip.uid for chip in expected]


def test_chip_heard_only_before_the_hand_is_listed() -> None:
    game = start_with_known_pot()
    before_us = game.live.times.hand_began_us - 1
    assert settle_pot(game, KNOWN_POT_CHIP, heard=(KNOWN_POT_CHIP,)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, NEW_CHIPS[0], heard=NEW_CHIPS[:1], at_us=before_us) == [NEW_CHIPS[0].uid]


def test_no_pot_chip_is_listed_after_a_restart_during_the_hand() -> None:
    game = start_with_known_pot()
    assert settle_pot(game, KNOWN_POT_CHIP, heard=(KNOWN_POT_CHIP,)) == []
    game.live = game.live._replace(restarted=True)
    game._replayed = game._replayed._replace(restarted=True)
    assert settle_pot(game, KNOWN_POT_CHIP, *NEW_CHIPS) == []


def to_the_flop(game: LiveHarness) -> None:
    """Play the first round with one call and two folds, and deal the flop."""
    game.do("4 fold", "1 fold")
    game.place_chips(2, 5, 5)
    game.do("3 check", "deal")


def antes(count: int) -> tuple[Chip, ...]:
    return tuple(Chip(f"E00401500005A00{number}", 5) for number in range(count))


@pytest.mark.parametrize(
    ("read_antes", "expected"), [(4, NEW_CHIPS), (2, NEW_CHIPS), (1, NEW_CHIPS[:1]), (0, NEW_CHIPS[:1])]
)
def test_pot_chip_that_may_be_an_unread_ante_is_not_listed(read_antes: int, expected: tuple[Chip, ...]) -> None:
    """`read_antes` says how many of the four antes were read in the pot before the first bets arrived."""
    game = start_with_known_pot(with_antes())
    known_chips = (KNOWN_POT_CHIP, *antes(read_antes))
    assert settle_pot(game, *known_chips, heard=(KNOWN_POT_CHIP,)) == []
    to_the_flop(game)
    assert settle_pot(game, *known_chips, *NEW_CHIPS) == [chip.uid for chip in expected]


def test_ante_read_late_is_not_listed_and_the_next_chip_is() -> None:
    game = start_with_known_pot(with_antes())
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(1), heard=(KNOWN_POT_CHIP,)) == []
    to_the_flop(game)
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(4)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(4), *NEW_CHIPS) == [chip.uid for chip in NEW_CHIPS]


def test_ante_silent_for_a_round_next_to_read_antes_is_listed() -> None:
    game = start_with_known_pot(with_antes())
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(3), heard=(KNOWN_POT_CHIP,)) == []
    to_the_flop(game)
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(4)) == [antes(4)[3].uid]


def show_first_answers(game: LiveHarness, *chips: Chip, heard: tuple[Chip, ...] = ()) -> list[str]:
    """Report that the pot's reader has read these chips for the first time.

    Return the UIDs of the chips that the live table lists as never read on a bet spot.
    """
    game.advance(1_000_000)
    times = tuple(game.now_us if chip in heard else 0 for chip in chips)
    game.send_event(ChipsAppeared("pot", chips, times, game.now_us))
    return [chip.uid for chip in derived_state.missed_chips_this_hand(game.live)]


def test_pot_chip_is_listed_at_its_first_answer() -> None:
    game = start_with_known_pot()
    assert show_first_answers(game, *NEW_CHIPS, heard=NEW_CHIPS[1:]) == [NEW_CHIPS[0].uid]
    assert game.live.spots["pot"].on_spot == NEW_CHIPS[:1], (
        "a chip heard by a bet spot was added before the pot settled"
    )
    assert settle_pot(game, *NEW_CHIPS, heard=NEW_CHIPS[1:]) == [NEW_CHIPS[0].uid], "a chip was not listed once"


@pytest.mark.parametrize(("after_us", "expected"), [(0, ()), (LAST_POT_LINGER_WINDOW_US, NEW_CHIPS)])
def test_chip_of_the_last_hand_before_the_first_sweep_is_not_listed(after_us: int, expected: tuple[Chip, ...]) -> None:
    """For a while after a hand, the pot's reader may still report a chip of that hand that has gone."""
    game = start_with_known_pot()
    assert show_first_answers(game, *NEW_CHIPS) == [chip.uid for chip in NEW_CHIPS]
    assert settle_pot(game) == [chip.uid for chip in NEW_CHIPS]
    game.do("4 fold", "1 fold", "2 fold", "award main 3", "hand")
    game.advance(after_us)
    assert show_first_answers(game, *NEW_CHIPS) == []
    assert settle_pot(game, *NEW_CHIPS) == [chip.uid for chip in expected]


def test_no_pot_chip_is_listed_before_the_first_pot_reading() -> None:
    assert show_first_answers(LiveHarness(four_players()), *NEW_CHIPS) == []


def test_chips_beyond_the_unread_antes_are_listed() -> None:
    game = start_with_known_pot(with_antes())
    assert settle_pot(game, KNOWN_POT_CHIP, antes(2)[1], heard=(KNOWN_POT_CHIP,)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(4)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(5)) == [], "chips were listed while antes arrive"
    game.advance(LAST_POT_LINGER_WINDOW_US)
    assert settle_pot(game, KNOWN_POT_CHIP, *antes(6)) == [antes(6)[5].uid]


def test_at_most_two_hundred_pot_chips_are_listed() -> None:
    """At most 200 chips are listed, even if more chips arrive at once."""
    game, chips = start_with_known_pot(), tuple(Chip(f"E00401500005{number:04X}", 5) for number in range(420))
    assert settle_pot(game, KNOWN_POT_CHIP, heard=(KNOWN_POT_CHIP,)) == []
    assert settle_pot(game, KNOWN_POT_CHIP, *chips[:150], heard=(KNOWN_POT_CHIP,)) == [chip.uid for chip in chips[:150]]
    assert settle_pot(game, KNOWN_POT_CHIP, *chips[:201], heard=(KNOWN_POT_CHIP,)) == [
        chip.uid for chip in chips[1:201]
    ]
    assert settle_pot(game, KNOWN_POT_CHIP, *chips, heard=(KNOWN_POT_CHIP,)) == [chip.uid for chip in chips[220:]]
