"""Sessions at a simulated table, with people and a dealer who make mistakes.

Theory of operation: An `Environment` is one table in simulated time. It keeps two states of the game. The true state
follows from what people really do. The live state follows from the sensors and the dealer's touches, so it may be
wrong. A `Session` plays hands in which people act when it is really their turn, even if the screen shows another turn.
The `Dealer` presses keys late and sometimes the wrong key, and answers the questions on the screen. After each round,
an `AccuracyTracker` compares the two states and counts the errors. The floor then corrects the table, so that an error
is counted only once. `simulate` plays several sessions and adds up their statistics. The same plan always gives the
same result.

Example: play two hands without any disturbance.

    >>> from controller.simulation.sessions import SimulationPlan, simulate
    >>> report = simulate(SimulationPlan(hands=2, seed=1, faults="none", variant="holdem", seats=4)).report
    >>> report.hands, report.wrong_hands, report.drift_units
    (2, 0, 0)
"""

from controller.simulation.sessions.runner import (
    SimulationPlan,
    SimulationResult,
    open_session,
    play_session,
    play_sessions,
    simulate,
    split_into_sessions,
)
from controller.simulation.sessions.statistics import (
    SessionStatistics,
    SimulationReport,
    UnreportedError,
    build_report,
    sum_statistics,
)

__all__ = [
    "SessionStatistics",
    "SimulationPlan",
    "SimulationReport",
    "SimulationResult",
    "UnreportedError",
    "build_report",
    "open_session",
    "play_session",
    "play_sessions",
    "simulate",
    "split_into_sessions",
    "sum_statistics",
]
