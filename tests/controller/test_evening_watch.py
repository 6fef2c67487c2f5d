"""What counts as told of somebody who has acted out of turn, and as a false warning."""

from __future__ import annotations

import pytest

from controller.live import Live
from controller.live.state import Spot
from controller.simulation import Plan
from controller.simulation.evening import opened
from controller.simulation.evening.room import Evening
from controller.simulation.evening.watch import OUT_OF_TURN
from controller.table import StartsHand
from controller.view import Alert, Urgency, Values
from hardware.events import Chip
from hardware.spots import bet_spot

EARLY = 2
"""The seat that acts out of turn."""
CHIP = Chip("E004AAAA00000001", 5)


def dealt() -> Evening:
    evening, _ = opened(Plan(seed=5, seats=4, variant="holdem"))
    evening.really(StartsHand())
    evening.touch(StartsHand())
    return evening


def says(evening: Evening, *codes: str, seat: int = EARLY, level: Urgency = "info") -> None:
    alerts = [Alert(code=code, level=level, values=Values(seat=seat), clears="dealer") for code in codes]
    evening.watch.shows(evening.live, alerts, lambda seat: False)


def acts_early(evening: Evening, *, heard_at: int = EARLY) -> None:
    """Its chip lies there, and has answered at the spot of that seat, and is not seen yet."""
    evening.watch.is_early(EARLY)
    evening.watch.begins(EARLY, evening.now_us).uids = frozenset({CHIP.uid})
    evening.watch.hears(bet_spot(heard_at), [CHIP.uid])


def is_seen(evening: Evening) -> None:
    spots = {**evening.live.spots, bet_spot(EARLY): Spot(lies=(CHIP,))}
    evening.live = Live(evening.live.setup, evening.table, spots)


def missed(evening: Evening) -> int:
    truth, table = evening.truth.hand, evening.table.hand
    assert truth is not None and table is not None
    evening.watch.round_over(truth, table, (), evening.now_us, {})
    return evening.tally.missed_out_of_turn


@pytest.mark.parametrize("code", [*sorted(OUT_OF_TURN), "own-stack", "at-least", "owes"])
def test_told_is_what_says_that_the_seat_is_not_in_turn(code: str) -> None:
    evening = dealt()
    acts_early(evening)
    says(evening, code)
    assert missed(evening) == (code not in OUT_OF_TURN)


def test_silence_is_missed_once() -> None:
    evening = dealt()
    acts_early(evening)
    evening.watch.acts(EARLY)
    assert (missed(evening), evening.tally.out_of_turn) == (1, 1)


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize(("heard_at", "counts"), [(EARLY, (1, 0)), (EARLY + 1, (0, 1))])
def test_who_was_not_heard_on_its_spot_is_not_missed_but_unheard(
    heard_at: int, counts: tuple[int, int], in_turn: bool
) -> None:
    evening = dealt()
    acts_early(evening, heard_at=heard_at)
    if in_turn:
        evening.watch.acts(EARLY)
    assert (missed(evening), evening.tally.unheard_out_of_turn) == counts


def test_what_is_said_of_another_seat_does_not_tell() -> None:
    evening = dealt()
    acts_early(evening)
    says(evening, "behind-the-turn", seat=EARLY + 1)
    assert missed(evening) == 1


@pytest.mark.parametrize(("in_time", "count"), [(True, 0), (False, 1)])
def test_what_is_said_after_the_seat_has_acted_in_turn_comes_too_late(in_time: bool, count: int) -> None:
    evening = dealt()
    acts_early(evening)
    if not in_time:
        evening.watch.acts(EARLY)
    says(evening, "behind-the-turn")
    assert missed(evening) == count


@pytest.mark.parametrize(("seen", "count"), [(True, 0), (False, 1)])
def test_an_alert_that_stands_tells_of_chips_once_they_are_seen(seen: bool, count: int) -> None:
    evening = dealt()
    says(evening, "behind-the-turn")
    acts_early(evening)
    if seen:
        is_seen(evening)
    says(evening, "behind-the-turn")
    assert missed(evening) == count


@pytest.mark.parametrize(
    ("seat", "level", "count"),
    [(EARLY, "warning", 0), (EARLY + 1, "warning", 1), (EARLY + 1, "info", 0)],
)
def test_a_warning_about_who_has_not_acted_out_of_turn_is_false(seat: int, level: Urgency, count: int) -> None:
    evening = dealt()
    acts_early(evening)
    says(evening, "out-of-turn", seat=seat, level=level)
    assert evening.tally.false_out_of_turn == count
