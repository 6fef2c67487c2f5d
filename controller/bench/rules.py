"""Measure how fast the rules play whole hands and compute the choices that a dealer's screen shows.

The choices are the amount to call, the minimum and maximum raise, and the pots. The benchmark queries the choices at
the start of a hand and after each action. If an action ends a betting round, it queries the choices after the next
street instead. Files are read and steps are parsed before the measurement. For comparison, PokerKit can play these
hands in the same run, with as many queries and with equal final stacks.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from controller.bench.prepared_hands import PreparedHand, play_betting, play_hand, prepare_hands
from controller.config import BadInputError
from controller.progress import Progress, no_progress

RUN_COUNT = 5
"""Number of runs. The result is the median of the runs."""
MIN_RUN_S = 1.0
"""Minimum processor time of a run in seconds.

A run repeats the hands until it has used this time, because short times cannot be measured exactly.
"""

Workload = Callable[[], object]


def measure_rules(paths: list[Path], vs_pokerkit: bool, progress: Progress = no_progress) -> dict[str, float | int]:
    """Return how many decisions and hands the rules play per second of processor time.

    If `vs_pokerkit` is True, also return these figures for PokerKit, and our figures divided by PokerKit's figures.
    Figures that begin with `betting_` are for the betting without the showdown. At the showdown PokerKit compares
    cards, and our rules do not.

    `paths` are table scripts or folders with table scripts. A script is left out if it is not exactly one hand without
    irregularities, or if PokerKit plays the script to other final stacks. `progress` receives the number of finished
    runs and the total number. Raise BadInputError if no hand is left.
    """
    hands = prepare_hands(paths)
    if not hands:
        raise BadInputError(
            f"{', '.join(map(str, paths))}: no script of one whole hand, expected all steps from start to end"
        )
    scripts_read = len(hands)
    pokerkit_runs: dict[str, Workload] = {}
    if vs_pokerkit:
        hands, pokerkit_runs = _with_pokerkit(hands)
        if not hands:
            raise BadInputError(f"{', '.join(map(str, paths))}: no usable hand, expected one that PokerKit can play")
    own_runs: dict[str, Workload] = {"": lambda: [play_hand(hand) for hand in hands]}
    if vs_pokerkit:
        own_runs["betting_"] = lambda: [play_betting(hand) for hand in hands]
    seconds_by_run = _medians(
        {**own_runs, **{f"{kind}pokerkit_": run for kind, run in pokerkit_runs.items()}}, progress
    )
    decisions = sum(hand.decision_count for hand in hands)
    figures: dict[str, float | int] = {
        "hands": len(hands),
        "left_out": scripts_read - len(hands),
        "decisions": decisions,
        "hands_per_s": round(len(hands) / seconds_by_run[""]),
    }
    for kind, seconds in seconds_by_run.items():
        figures[f"{kind}decisions_per_s"] = round(decisions / seconds)
    for kind in pokerkit_runs:
        figures[f"{kind}ratio"] = round(seconds_by_run[f"{kind}pokerkit_"] / seconds_by_run[kind], 1)
    return figures


def _with_pokerkit(hands: list[PreparedHand]) -> tuple[list[PreparedHand], dict[str, Workload]]:
    """Return the hands that PokerKit can play, and two functions that play a hand with PokerKit.

    The first function plays the whole hand, and the second function plays only the betting.
    """
    from controller.bench import pokerkit_hands  # imported late because PokerKit takes half a second to load

    pairs = [
        (hand, pokerkit_hand) for hand in hands if (pokerkit_hand := pokerkit_hands.prepare_hand(hand)) is not None
    ]
    runs: dict[str, Workload] = {
        "": lambda: [pokerkit_hands.play_hand(pokerkit_hand) for _, pokerkit_hand in pairs],
        "betting_": lambda: [pokerkit_hands.play_betting(pokerkit_hand) for _, pokerkit_hand in pairs],
    }
    return [hand for hand, _ in pairs], runs


def _medians(runs: dict[str, Workload], progress: Progress) -> dict[str, float]:
    """Return the median processor time in seconds of each kind of run, by name.

    Runs of different kinds alternate, so that a change of the processor's speed affects all kinds.
    """
    seconds_by_run: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(RUN_COUNT):
        for index, (name, run) in enumerate(runs.items()):
            progress(number * len(runs) + index, RUN_COUNT * len(runs))
            seconds_by_run[name].append(_timed(run))
    return {name: statistics.median(seconds) for name, seconds in seconds_by_run.items()}


def _timed(run: Workload) -> float:
    """Repeat the run until it has used `MIN_RUN_S` seconds of the processor, and return its mean processor time.

    The time in which other programs use the processor does not count, so that a busy machine gives the same figures.
    """
    began_s, rounds = time.process_time(), 0
    while True:
        run()
        rounds += 1
        duration_s = time.process_time() - began_s
        if duration_s >= MIN_RUN_S:
            return duration_s / rounds
