"""After a kill and a restart, the service knows from its journal which chips every spot showed last.

A bet may be lost or counted twice if an earlier bet had the same amount. For example, seat 2 bets 30 on two streets,
and the service is down during the sweep between them. In this case a question about the bet must be open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import Live, Spot, without_transient
from controller.live import motions as live_motions
from controller.rules import Phase
from hardware.events import Chip, SpotOnline
from hardware.spots import bet_spot
from tests.controller.live_harness import LiveHarness, bet, pending_questions, phase, replay, turn
from tests.controller.restart_harness import RestartingTable, UnreportedMismatch

MAX_FIELDS = 24
"""Maximum number of fields of `Live`, so that a reader can keep them in mind."""
MAX_TRANSIENT_FIELDS = 4
"""Maximum number of fields of `Live` that a restart clears."""
EVENTS = 130
"""Approximate number of events in two hands. The tests kill the service after one of these events."""


def kill_and_restart(game: LiveHarness, *, trays_offline: bool = False) -> None:
    """Rebuild the live state from the records, and report all bet spots as online.

    If `trays_offline` is true, report all bet spots as offline first.
    """
    game.live = replay(game.setup, game.before, game.records)
    game.advance(2_000_000)
    for seat in range(1, 5) if trays_offline else ():
        game.set_tray(bet_spot(seat), online=False)
    for seat in range(1, 5):
        game.send_event(SpotOnline(bet_spot(seat), game.now_us))


def test_live_state_has_few_fields_and_few_of_them_are_transient() -> None:
    live = Live(*(object() for _ in Live._fields))  # type: ignore[arg-type]
    cleared = [before for before, after in zip(live, without_transient(live), strict=True) if before is not after]
    assert len(live) <= MAX_FIELDS
    assert 0 < len(cleared) <= MAX_TRANSIENT_FIELDS


def on_the_flop(bet: int = 30) -> LiveHarness:
    """Return a hand on the flop in which seats 2 to 4 have bet this amount each before the flop.

    The flop is dealt, but the bets are not swept yet.
    """
    game = LiveHarness()
    game.place_chips(4, *[5] * (bet // 5))
    game.press_key("fold")
    for seat in (2, 3):
        game.place_chips(seat, *[5] * (bet // 5))
    game.do("deal")
    return game


@pytest.mark.parametrize("read_empty", ["settled", "provisional", "not at all"])
@pytest.mark.parametrize("read_new_bet", ["settled", "provisional", "not at all"])
def test_same_amount_after_a_sweep_and_a_restart_is_a_bet(read_empty: str, read_new_bet: str) -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        if read_empty != "not at all":
            game.show_provisional(seat)
        if read_empty == "settled":
            game.place_chips(seat)
        game.spots[bet_spot(seat)] = ()
    game.spots["bet2"] = chips = game.chips_for("bet2", (5,) * 6)
    if read_new_bet != "not at all":
        game.show_provisional(2, *[5] * 6)
    if read_new_bet == "settled":
        game.advance(1_200_000)
        game.show_settled("bet2", *[5] * 6)
    kill_and_restart(game)
    game.show_provisional(2, *[5] * 6)
    game.advance(1_200_000)
    for seat in (2, 3, 4):
        game.show_settled(bet_spot(seat), *[chip.denomination for chip in game.spots[bet_spot(seat)]])
    assert game.spots["bet2"] == chips
    assert (bet(game, 2), turn(game)) == (30, 3)


def test_old_bets_still_on_the_spots_after_a_restart_are_not_new_bets() -> None:
    game = on_the_flop()
    kill_and_restart(game)
    for seat in (2, 3, 4):
        game.show_settled(bet_spot(seat), *[5] * 6)
    assert (bet(game, 2), turn(game)) == (0, 2)
    assert not pending_questions(game.live)


def test_five_added_after_a_restart_is_a_raise_by_five() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.place_chips(seat)
    game.place_chips(2, *[5] * 6)
    kill_and_restart(game)
    game.show_settled("bet2", *[5] * 6)
    assert bet(game, 2) == 30
    game.place_chips(3, *[5] * 6)
    assert (bet(game, 3), turn(game)) == (30, 4)


def test_last_hands_chips_leaving_in_this_hand_do_not_withdraw_a_blind() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.place_chips(seat)
    game.do("2 check")
    game.place_chips(3, 10, 10)
    game.do("4 fold", "2 fold", "award main 3")
    game.do("hand")
    assert game.table.street.spot_totals[3] == 5
    kill_and_restart(game)
    game.show_settled("bet3")
    assert bet(game, 3) == 5


@pytest.mark.parametrize("offline_in", ["the last hand", "this hand"])
def test_unposted_blind_is_not_withdrawn_after_trays_were_offline(offline_in: str) -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.place_chips(seat)
    game.do("2 check", "3 check")
    game.place_chips(4, 10, 10)
    game.do("2 fold", "3 fold")
    if offline_in == "the last hand":
        kill_and_restart(game, trays_offline=True)
    game.do("award main 4", "hand")
    if offline_in == "this hand":
        kill_and_restart(game, trays_offline=True)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    assert game.table.street.spot_totals[1:5] == (0, 0, 5, 10)
    game.place_chips(4, 10)
    game.do("1 fold")
    game.place_chips(2, 10, 10)
    game.do("3 fold")
    game.place_chips(4, 10, 10)
    assert (bet(game, 4), phase(game)) == (20, Phase.CLOSED)


def test_spot_contents_including_empty_survive_a_restart() -> None:
    game = on_the_flop()
    for seat in (2, 3, 4):
        game.place_chips(seat)
    before = without_transient(game.live)
    kill_and_restart(game)
    assert {name: game.live.spots[name].on_spot for name in ("bet2", "bet3", "bet4")} == dict.fromkeys(
        ("bet2", "bet3", "bet4"), ()
    )
    assert without_transient(game.live) == before


seeds, moments = st.integers(0, 100_000), st.integers(1, EVENTS)


@settings(max_examples=30)
@given(seeds, moments)
def test_kill_at_a_random_moment_loses_no_wager_unreported(seed: int, moment: int) -> None:
    RestartingTable(seed, moment).play_hands()


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_kill_at_every_moment_of_many_hands_loses_no_wager_unreported(part: int) -> None:
    for seed in range(part * 25, part * 25 + 25):
        for moment in range(RestartingTable(seed).play_hands().events + 1):
            RestartingTable(seed, moment).play_hands()


HOUR_US = 3_600_000_000
CLOCKS: dict[str, Callable[[int], int]] = {
    "a boot": lambda _: 0,
    "seconds after a boot": lambda _: 5_000_000,
    "two hours ahead": lambda now_us: now_us + 2 * HOUR_US,
    "two hours back": lambda now_us: max(0, now_us - 2 * HOUR_US),
    "a moment back": lambda now_us: max(0, now_us - 20_000_000),
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_clock_value_after_a_restart_does_not_change_the_result(clock: str) -> None:
    for seed in (1, 2):
        assert (
            RestartingTable(seed, 50, CLOCKS[clock]).play_hands().record_lines
            == RestartingTable(seed, 50).play_hands().record_lines
        )


@pytest.mark.soak
@pytest.mark.parametrize("clock", CLOCKS)
def test_clock_values_after_many_restarts_do_not_change_the_result(clock: str) -> None:
    for seed in range(200):
        moment = 1 + seed * 7 % EVENTS
        assert (
            RestartingTable(seed, moment, CLOCKS[clock]).play_hands().record_lines
            == RestartingTable(seed, moment).play_hands().record_lines
        )


def test_planted_spot_memory_of_amounts_without_uids_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    motion = live_motions.motion_between

    def by_amount(spot_total: int, spot: Spot, stack: tuple[Chip, ...]) -> Any:
        def alike(chips: tuple[Chip, ...]) -> tuple[Chip, ...]:
            return tuple(Chip(f"{place}", chip.denomination) for place, chip in enumerate(chips))

        return motion(spot_total, spot._replace(accounted=spot.accounted and alike(spot.accounted)), alike(stack))

    monkeypatch.setattr(live_motions, "motion_between", by_amount)
    with pytest.raises(UnreportedMismatch):
        for seed in range(40):
            RestartingTable(seed, 40).play_hands()
