"""Run sessions one after the other or in parallel, for `potkeeper simulate`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Final, NamedTuple, get_args

import msgspec

from controller.config import BadInputError
from controller.progress import Progress, no_progress
from controller.report import MotionResult
from controller.rules import MAX_SEATS
from controller.simulation.sessions import table_setup
from controller.simulation.sessions.dealer import DEALER_STYLES, Dealer, DealerStyleName
from controller.simulation.sessions.dealer_answers import answer_screen
from controller.simulation.sessions.environment import Environment
from controller.simulation.sessions.session import EARLY_ACTION_RATE, Session
from controller.simulation.sessions.statistics import (
    SessionStatistics,
    SimulationReport,
    UnreportedError,
    build_report,
    sum_statistics,
)
from hardware.layout import simulated_layout
from hardware.simulated.noise import FULL_NOISE, NO_NOISE, SINGLE_CAUSE_NOISE, STICKY_TAG_NOISE, USUAL_NOISE

HANDS_PER_SESSION: Final = 25
"""Number of hands in a session. All hands of a session are played at one table, without changes of game or people."""
FAULT_RATES: Final = {
    "none": NO_NOISE,
    "usual": USUAL_NOISE,
    "sticky1": STICKY_TAG_NOISE,
    "all": FULL_NOISE,
    **SINGLE_CAUSE_NOISE,
}
"""Rates of noise and disturbances, for each value of the option `--faults`."""


class SimulationPlan(NamedTuple):
    """The settings of a simulation."""

    hands: int = 100
    seed: int = 1
    faults: str = "none"
    technology: str = "iso15693"
    variant: str = ""
    """A name in `rules.VARIANTS`, or "" for a random variant in each session."""
    seats: int = 0
    """Number of players from 2 to 10, or 0 for a random number in each session."""
    dealer: str = "usual"
    ont: int = 0
    """Setting ONT of the FEIG readers: 1 if a tag stays quiet once it is reported, otherwise 0. With 1, they also make
    second passes for ISO 15693 tags that a stronger tag drowns out."""


def validate_plan(plan: SimulationPlan) -> SimulationPlan:
    """Return the plan if all its settings are valid. Otherwise raise BadInputError."""
    for name, value, allowed in (
        ("faults", plan.faults, tuple(FAULT_RATES)),
        ("technology", plan.technology, ("iso15693", "mode3")),
        ("dealer", plan.dealer, get_args(DealerStyleName)),
    ):
        if value not in allowed:
            raise BadInputError(f"--{name} {value}: expected one of {', '.join(allowed)}")
    if plan.ont not in (0, 1):
        raise BadInputError(f"--ont {plan.ont}: expected 0 or 1")
    if plan.hands < 1:
        raise BadInputError(f"--hands {plan.hands}: expected 1 or more")
    if plan.seats and not table_setup.MIN_PLAYERS <= plan.seats <= MAX_SEATS:
        raise BadInputError(f"--seats {plan.seats}: expected {table_setup.MIN_PLAYERS} to {MAX_SEATS}")
    if plan.variant:
        table_setup.parse_variant(plan.variant)
    return plan


def split_into_sessions(plan: SimulationPlan) -> list[SimulationPlan]:
    """Return one plan for each session, with a different seed for each.

    The plans do not depend on the number of parallel jobs.
    """
    seeds = Random(plan.seed)
    count = -(-plan.hands // HANDS_PER_SESSION)
    session_plans = [plan._replace(hands=HANDS_PER_SESSION, seed=seeds.getrandbits(32)) for _ in range(count)]
    last_hands = plan.hands - HANDS_PER_SESSION * (count - 1)
    return [*session_plans[:-1], session_plans[-1]._replace(hands=last_hands)]


def open_session(plan: SimulationPlan) -> tuple[Environment, Session]:
    """Return a new environment for a session, and the session that plays in it."""
    random = Random(plan.seed)
    table, big_bet = table_setup.draw_table(random, plan.variant, plan.seats)
    layout = simulated_layout()
    if plan.technology == "mode3":
        layout = layout.with_tag_technology("mode3")
    rates = FAULT_RATES[plan.faults]
    if rates.has_presence_faults:
        layout = layout.with_presence()
    has_second_pass = bool(plan.ont) and plan.technology == "iso15693"
    readers = tuple(
        msgspec.structs.replace(spec, rf_reset=bool(plan.ont), second_pass=has_second_pass) for spec in layout.readers
    )
    layout = msgspec.structs.replace(layout, readers=readers)
    environment = Environment(table, layout, rates, plan.seed)
    dealer = Dealer(environment, DEALER_STYLES[_style_name(plan.dealer)], lambda: answer_screen(environment))
    environment.actors.append(dealer)
    return environment, Session(environment, dealer, big_bet, EARLY_ACTION_RATE if plan.faults == "all" else 0.0)


def _style_name(name: str) -> DealerStyleName:
    """Return the name of a dealer style with the type `DealerStyleName`."""
    return next(style for style in get_args(DealerStyleName) if style == name)


def play_session(plan: SimulationPlan) -> SessionStatistics:
    """Play one session and return its statistics."""
    environment, session = open_session(plan)
    session.play_hands(plan.hands)
    return environment.tally


def play_sessions(plan: SimulationPlan, jobs: int = 1) -> Iterator[SessionStatistics]:
    """Yield the statistics of the sessions in the order of their plans, as soon as they are available."""
    session_plans = split_into_sessions(validate_plan(plan))
    if jobs < 2:
        yield from map(play_session, session_plans)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(play_session, session_plans)


class SimulationResult(NamedTuple):
    """The result of a simulation."""

    report: SimulationReport
    motions: list[MotionResult]
    """The outcomes of the motions of chips in all sessions."""
    unreported_errors: list[UnreportedError]
    failures: list[str]
    """Tracebacks of the first exceptions, for a bug report."""


def simulate(plan: SimulationPlan, jobs: int = 1, progress: Progress = no_progress) -> SimulationResult:
    """Play all sessions of a plan. Report the number of played hands to `progress` after each session.

    Raise BadInputError if a setting is not valid.
    """
    began_s, total = time.monotonic(), SessionStatistics()
    for statistics in play_sessions(plan, jobs):
        total = sum_statistics((total, statistics))
        progress(total.hands, plan.hands)
    return SimulationResult(
        build_report(total, time.monotonic() - began_s), total.records, total.unreported_errors, total.failures
    )
