"""A service that was killed knows what was seen on each spot, also nothing: of wagers whose amounts repeat none is
missing, or taken twice, without a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import Spot, lasting
from controller.live import motions as live_motions
from controller.rules import Phase
from hardware.events import Chip, TrayOnline
from hardware.spots import bet_spot
from tests.controller.live_table import Game, bet, phase, questions, replayed, turn
from tests.controller.restarts import KilledTable, Silent

EVENTS = 130
"""What two hands come to, more or less."""


def killed(game: Game, *, trays_out: bool = False) -> None:
    """The service starts anew, and its readers find all spots; with `trays_out` none of them is read at first."""
    game.live = replayed(game.setup, game.before, game.records)
    game.after(2_000_000)
    for seat in range(1, 5) if trays_out else ():
        game.tray(bet_spot(seat), online=False)
    for seat in range(1, 5):
        game.tell(TrayOnline(bet_spot(seat), game.now_us))


def on_the_flop(bet: int = 30) -> Game:
    """All have bet that much before the flop, seats 2 to 4 are in, the flop is dealt and the bets lie there still."""
    game = Game()
    game.lies(4, *[5] * (bet // 5))
    game.key("fold")
    for seat in (2, 3):
        game.lies(seat, *[5] * (bet // 5))
    game.do("deal")
    return game


@pytest.mark.parametrize("seen_empty", ["settled", "seen", "not at all"])
@pytest.mark.parametrize("seen_again", ["settled", "seen", "not at all"])
def test_the_same_amount_again_after_a_sweep_is_a_bet(seen_empty: str, seen_again: str) -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        if seen_empty != "not at all":
            game.seen(seat)
        if seen_empty == "settled":
            game.lies(seat)
        game.spots[bet_spot(seat)] = ()
    game.spots["bet2"] = chips = game.chips("bet2", (5,) * 6)
    if seen_again != "not at all":
        game.seen(2, *[5] * 6)
    if seen_again == "settled":
        game.after(1_200_000)
        game.settles("bet2", *[5] * 6)
    killed(game)
    game.seen(2, *[5] * 6)
    game.after(1_200_000)
    for seat in (2, 3, 4):
        game.settles(bet_spot(seat), *[chip.denomination for chip in game.spots[bet_spot(seat)]])
    assert game.spots["bet2"] == chips
    assert (bet(game, 2), turn(game)) == (30, 3)


def test_old_bets_that_lie_there_still_are_no_new_ones() -> None:
    game = on_the_flop()
    killed(game)
    for seat in (2, 3, 4):
        game.settles(bet_spot(seat), *[5] * 6)
    assert (bet(game, 2), turn(game)) == (0, 2)
    assert not questions(game.live)


def test_five_more_behind_it_are_a_raise_by_five_and_no_bet_of_five() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.lies(seat)
    game.lies(2, *[5] * 6)
    killed(game)
    game.settles("bet2", *[5] * 6)
    assert bet(game, 2) == 30
    game.lies(3, *[5] * 6)
    assert (bet(game, 3), turn(game)) == (30, 4)


def test_the_last_hands_chips_that_go_in_this_one_are_not_taken_back_from_a_blind() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.lies(seat)
    game.do("2 check")
    game.lies(3, 10, 10)
    game.do("4 fold", "2 fold", "award main 3")
    game.do("hand")
    assert game.table.street.felt[3] == 5
    killed(game)
    game.settles("bet3")
    assert bet(game, 3) == 5


@pytest.mark.parametrize("out_in", ["the last hand", "this hand"])
def test_a_blind_that_is_not_put_in_yet_is_not_taken_back_though_the_trays_were_out(out_in: str) -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.lies(seat)
    game.do("2 check", "3 check")
    game.lies(4, 10, 10)
    game.do("2 fold", "3 fold")
    if out_in == "the last hand":
        killed(game, trays_out=True)
    game.do("award main 4", "hand")
    if out_in == "this hand":
        killed(game, trays_out=True)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    assert game.table.street.felt[1:5] == (0, 0, 5, 10)
    game.lies(4, 10)
    game.do("1 fold")
    game.lies(2, 10, 10)
    game.do("3 fold")
    game.lies(4, 10, 10)
    assert (bet(game, 4), phase(game)) == (20, Phase.CLOSED)


def test_what_a_spot_held_is_known_after_a_restart_also_nothing() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.lies(seat)
    before = lasting(game.live)
    killed(game)
    assert {name: game.live.spots[name].lies for name in ("bet2", "bet3", "bet4")} == dict.fromkeys(
        ("bet2", "bet3", "bet4"), ()
    )
    assert lasting(game.live) == before


seeds, moments = st.integers(0, 100_000), st.integers(1, EVENTS)


@settings(max_examples=30)
@given(seeds, moments)
def test_killed_at_any_moment_no_wager_is_missing_in_silence(seed: int, moment: int) -> None:
    KilledTable(seed, moment).plays()


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_killed_at_every_moment_of_many_hands(part: int) -> None:
    for seed in range(part * 25, part * 25 + 25):
        for moment in range(KilledTable(seed).plays().events + 1):
            KilledTable(seed, moment).plays()


HOUR_US = 3_600_000_000
CLOCKS: dict[str, Callable[[int], int]] = {
    "a boot": lambda _: 0,
    "seconds after a boot": lambda _: 5_000_000,
    "two hours on": lambda now_us: now_us + 2 * HOUR_US,
    "two hours back": lambda now_us: max(0, now_us - 2 * HOUR_US),
    "a moment back": lambda now_us: max(0, now_us - 20_000_000),
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_whatever_the_clock_shows_after_a_restart_the_same_comes_of_it(clock: str) -> None:
    for seed in (1, 2):
        assert KilledTable(seed, 50, CLOCKS[clock]).plays().lines == KilledTable(seed, 50).plays().lines


@pytest.mark.soak
@pytest.mark.parametrize("clock", CLOCKS)
def test_a_thousand_clocks_after_a_restart_change_nothing(clock: str) -> None:
    for seed in range(200):
        moment = 1 + seed * 7 % EVENTS
        assert KilledTable(seed, moment, CLOCKS[clock]).plays().lines == KilledTable(seed, moment).plays().lines


def test_spots_that_remember_amounts_and_not_which_chips_they_are_would_be_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    motion = live_motions.motion

    def by_amount(felt: int, spot: Spot, stack: tuple[Chip, ...]) -> Any:
        def alike(chips: tuple[Chip, ...]) -> tuple[Chip, ...]:
            return tuple(Chip(f"{place}", chip.denomination) for place, chip in enumerate(chips))

        return motion(felt, spot._replace(explained=spot.explained and alike(spot.explained)), alike(stack))

    monkeypatch.setattr(live_motions, "motion", by_amount)
    with pytest.raises(Silent):
        for seed in range(40):
            KilledTable(seed, 40).plays()
