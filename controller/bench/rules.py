"""How fast the rules are: whole hands, each decision with the questions a dealer's screen asks.

At the start and after each action, once the next street is dealt where one is due: what is to call, the least and the
largest raise, and the pots. Files are read and steps are parsed beforehand. With PokerKit the same hands are played in
the same run to the same stacks, asking the same as often.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from controller.bench.hands import ReadyHand, play_betting, play_hand, ready_hands
from controller.config import BadInputError
from controller.progress import Progress, untold

RUNS = 5
"""The median of these runs is told."""
LEAST_SECONDS = 1.0
"""A run repeats the hands until this time has passed: shorter ones are lost in the clock's noise."""

Run = Callable[[], object]


def measure_rules(paths: list[Path], vs_pokerkit: bool, progress: Progress = untold) -> dict[str, float | int]:
    """Decisions and hands a second of our rules; with `vs_pokerkit` those of PokerKit and how many times faster we are,
    over whole hands, and over their betting alone (`betting_…`: no showdown, which PokerKit finds by the cards).

    `paths` are table scripts or folders of them; a script that is more than one hand of bets is left out, and what
    PokerKit plays to other stacks. `progress` is told how many runs are done. Raises BadInputError where none is left.
    """
    hands = ready_hands(paths)
    if not hands:
        raise BadInputError(f"{', '.join(map(str, paths))}: no script that is one hand from its start to its end")
    scripts_read = len(hands)
    theirs: dict[str, Run] = {}
    if vs_pokerkit:
        hands, theirs = _with_pokerkit(hands)
        if not hands:
            raise BadInputError(f"{', '.join(map(str, paths))}: no hand that PokerKit can play")
    ours: dict[str, Run] = {"": lambda: [play_hand(hand) for hand in hands]}
    if vs_pokerkit:
        ours["betting_"] = lambda: [play_betting(hand) for hand in hands]
    took = _medians({**ours, **{f"{kind}pokerkit_": run for kind, run in theirs.items()}}, progress)
    decisions = sum(hand.decisions for hand in hands)
    found: dict[str, float | int] = {
        "hands": len(hands),
        "left_out": scripts_read - len(hands),
        "decisions": decisions,
        "hands_per_s": round(len(hands) / took[""]),
    }
    for kind, seconds in took.items():
        found[f"{kind}decisions_per_s"] = round(decisions / seconds)
    for kind in theirs:
        found[f"{kind}ratio"] = round(took[f"{kind}pokerkit_"] / took[kind], 1)
    return found


def _with_pokerkit(hands: list[ReadyHand]) -> tuple[list[ReadyHand], dict[str, Run]]:
    """The hands that PokerKit can play, and what plays them there: whole, and their betting."""
    from controller.bench import pokerkit  # the library takes half a second to load

    both = [(hand, theirs) for hand in hands if (theirs := pokerkit.prepared(hand)) is not None]
    runs: dict[str, Run] = {
        "": lambda: [pokerkit.play_hand(theirs) for _, theirs in both],
        "betting_": lambda: [pokerkit.play_betting(theirs) for _, theirs in both],
    }
    return [hand for hand, _ in both], runs


def _medians(runs: dict[str, Run], progress: Progress) -> dict[str, float]:
    """Seconds that each takes: turn by turn, so that a busy moment of the machine slows all."""
    took: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(RUNS):
        for place, (name, run) in enumerate(runs.items()):
            progress(number * len(runs) + place, RUNS * len(runs))
            took[name].append(_timed(run))
    return {name: statistics.median(seconds) for name, seconds in took.items()}


def _timed(run: Run) -> float:
    """Seconds for one round of all hands."""
    began, rounds = time.perf_counter(), 0
    while True:
        run()
        rounds += 1
        took = time.perf_counter() - began
        if took >= LEAST_SECONDS:
            return took / rounds
