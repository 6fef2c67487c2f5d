"""Evenings one after the other, or side by side: `potkeeper simulate`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Final, NamedTuple, get_args

from controller.config import BadInputError
from controller.progress import Progress, untold
from controller.report import Motion
from controller.rules import SEATS
from controller.simulation.evening import games
from controller.simulation.evening.answers import look
from controller.simulation.evening.course import EARLY, Course
from controller.simulation.evening.dealer import STYLES, Dealer, Manner
from controller.simulation.evening.room import Evening
from controller.simulation.evening.tally import Report, Tally, Wrong, added, report
from hardware.layout import simulated
from hardware.simulated.noise import ALL, NONE, STICKY1, USUAL

HANDS_AN_EVENING: Final = 25
"""So many hands are played at one table, with one game and the same people."""
FAULTS: Final = {"none": NONE, "usual": USUAL, "sticky1": STICKY1, "all": ALL}


class Plan(NamedTuple):
    """What is to be played."""

    hands: int = 100
    seed: int = 1
    faults: str = "none"
    technology: str = "iso15693"
    variant: str = ""
    """One of `rules.VARIANTS`; "" for a drawn one each evening."""
    seats: int = 0
    """Two to ten; 0 for a drawn number each evening."""
    dealer: str = "usual"


def checked(plan: Plan) -> Plan:
    """The plan. Raises BadInputError with one line where a setting is none."""
    for name, value, known in (
        ("faults", plan.faults, tuple(FAULTS)),
        ("technology", plan.technology, ("iso15693", "mode3")),
        ("dealer", plan.dealer, get_args(Manner)),
    ):
        if value not in known:
            raise BadInputError(f"--{name} {value}: expected one of {', '.join(known)}")
    if plan.hands < 1:
        raise BadInputError(f"--hands {plan.hands}: expected 1 or more")
    if plan.seats and not games.FEWEST <= plan.seats <= SEATS:
        raise BadInputError(f"--seats {plan.seats}: expected {games.FEWEST} to {SEATS}")
    if plan.variant:
        games.named(plan.variant)
    return plan


def evenings(plan: Plan) -> list[Plan]:
    """The plan in evenings, each with a seed of its own; the same however many run side by side."""
    seeds = Random(plan.seed)
    count = -(-plan.hands // HANDS_AN_EVENING)
    parts = [plan._replace(hands=HANDS_AN_EVENING, seed=seeds.getrandbits(32)) for _ in range(count)]
    rest = plan.hands - HANDS_AN_EVENING * (count - 1)
    return [*parts[:-1], parts[-1]._replace(hands=rest)]


def opened(plan: Plan) -> tuple[Evening, Course]:
    """The table of one evening, and the course that plays it."""
    random = Random(plan.seed)
    table, big_bet = games.draw(random, plan.variant, plan.seats)
    layout = simulated()
    if plan.technology == "mode3":
        layout = layout.with_tags("mode3")
    evening = Evening(table, layout, FAULTS[plan.faults], plan.seed)
    dealer = Dealer(evening, STYLES[_manner(plan.dealer)], lambda: look(evening))
    evening.actors.append(dealer)
    return evening, Course(evening, dealer, big_bet, EARLY if plan.faults == "all" else 0.0)


def _manner(name: str) -> Manner:
    return next(manner for manner in get_args(Manner) if manner == name)


def play(plan: Plan) -> Tally:
    """One evening."""
    evening, course = opened(plan)
    course.play(plan.hands)
    return evening.tally


def played(plan: Plan, jobs: int = 1) -> Iterator[Tally]:
    """The evenings of a plan, each as soon as it is over, in their order."""
    parts = evenings(checked(plan))
    if jobs < 2:
        yield from map(play, parts)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(play, parts)


class Played(NamedTuple):
    """What was played."""

    report: Report
    motions: list[Motion]
    wrongs: list[Wrong]
    failures: list[str]
    """The first exceptions, as they were."""


def simulate(plan: Plan, jobs: int = 1, progress: Progress = untold) -> Played:
    """Plays all of it; hands done are told as evenings end. Raises BadInputError."""
    began_s, total = time.monotonic(), Tally()
    for tally in played(plan, jobs):
        total = added((total, tally))
        progress(total.hands, plan.hands)
    return Played(report(total, time.monotonic() - began_s), total.records, total.wrongs, total.failures)
