"""How fast the rules are: whole hands, each decision with the questions a dealer's screen asks.

At the start and after each action, once the next street is dealt where one is due: what is to call, the least and the
largest raise, and the pots. Files are read and steps are parsed beforehand. With PokerKit the same hands are played in
the same run to the same stacks, asking the same as often.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from controller.config.reading import BadInputError
from controller.rules import award as awards
from controller.rules import betting, forced
from controller.rules.betting import bounds, to_call
from controller.rules.button import Placement
from controller.rules.game import Game
from controller.rules.hand import Act, Hand, Phase
from controller.rules.pots import pots
from controller.scripts import player as scripts

RUNS = 5
"""The median of these runs is told."""
LEAST_SECONDS = 1.0
"""A run repeats the hands until this time has passed: shorter ones are lost in the clock's noise."""


class Deed(NamedTuple):
    """Something that happens in a hand, ready to be done."""

    verb: str
    """act, deal, bring-in, first, award"""
    act: Act | None = None
    seat: int = 0
    name: str = ""
    high: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    asks: bool = False
    """The questions are asked after it."""


class Played(NamedTuple):
    """A hand to be played: how it starts, and what happens."""

    game: Game
    placed: Placement
    stacks: dict[int, int]
    deeds: tuple[Deed, ...]
    betting: tuple[Deed, ...]
    """Those up to the last decision and its questions."""
    decisions: int
    script: scripts.Script


def measure(paths: list[Path], vs_pokerkit: bool) -> dict[str, float | int]:
    """Decisions and hands a second of our rules; with `vs_pokerkit` those of PokerKit and how many times faster we are,
    over whole hands, and over their betting alone (`betting_…`: no showdown, which PokerKit finds by the cards).

    `paths` are table scripts or folders of them; a script that is more than one hand of bets is left out, and what
    PokerKit plays to other stacks. Raises BadInputError where none is left.
    """
    hands = [hand for hand in map(prepared, _files(paths)) if hand is not None]
    if not hands:
        raise BadInputError(f"{', '.join(map(str, paths))}: no script that is one hand from its start to its end")
    scripts_read = len(hands)
    theirs: dict[str, Callable[[], object]] = {}
    if vs_pokerkit:
        hands, theirs = _pokerkit(hands)
        if not hands:
            raise BadInputError(f"{', '.join(map(str, paths))}: no hand that PokerKit can play")
    ours: dict[str, Callable[[], object]] = {"": lambda: [play(hand) for hand in hands]}
    if vs_pokerkit:
        ours["betting_"] = lambda: [play_betting(hand) for hand in hands]
    took = _medians({**ours, **{f"{kind}pokerkit_": run for kind, run in theirs.items()}})
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


def _medians(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds that each takes: turn by turn, so that a busy moment of the machine slows all."""
    took: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(RUNS):
        for name, run in runs.items():
            took[name].append(_timed(run))
    return {name: statistics.median(seconds) for name, seconds in took.items()}


def _files(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    return found


def _timed(play: Callable[[], object]) -> float:
    """Seconds for one round of all hands."""
    began, rounds = time.perf_counter(), 0
    while True:
        play()
        rounds += 1
        took = time.perf_counter() - began
        if took >= LEAST_SECONDS:
            return took / rounds


# --- the hands ---


def prepared(file: Path) -> Played | None:
    """The hand of a script as deeds of the rules; None where it is not one plain hand. Raises BadInputError."""
    try:
        script = scripts.load(file)
    except BadInputError as error:
        raise BadInputError(f"{file}: {error}") from None
    if script.start != "hand" or any(step.verb not in _PLAIN for step in script.steps):
        return None
    table = scripts.begin(script)
    hand = table.hand
    if hand is None or not any(step.verb == "award" for step in script.steps):
        return None
    deeds: list[Deed] = []
    for step in script.steps:
        before = table.hand
        outcome = scripts.one_step(table, step, 0, {})
        if outcome.refused or outcome.warnings or before is None or outcome.table.hand is None:
            return None
        table, after = outcome.table, outcome.table.hand
        assert after is not None
        if step.verb == "act":
            new = after.log[len(before.log) :]
            if len(new) != 1:
                return None
            deeds.append(Deed("act", act=new[0]))
        else:
            deeds.append(Deed(step.verb, seat=step.seat, name=step.name, high=step.seats, low=step.low))
    if table.playing:
        return None
    decisions = sum(deed.verb == "act" for deed in deeds)
    if not decisions:
        return None
    deeds = _with_questions(deeds)
    stacks = {seat: player.stack for seat, player in sorted(script.table.players.items())}
    last = max(place for place, deed in enumerate(deeds) if deed.asks)
    return Played(hand.game, table.placed, stacks, tuple(deeds), tuple(deeds[: last + 1]), decisions, script)


def _with_questions(deeds: list[Deed]) -> list[Deed]:
    """Each decision is asked about once: after it, or after the streets that are dealt then."""
    found, due = [], False
    for deed, following in pairwise(deeds):
        due = due or deed.verb == "act"
        asks = due and following.verb in ("act", "award")
        due = due and not asks
        found.append(deed._replace(asks=asks))
    return [*found, deeds[-1]]


_PLAIN = frozenset({"act", "deal", "bring-in", "first", "award"})


# --- our rules ---


def play(played: Played) -> Hand:
    """The hand played by our rules, asking at the start and after each action."""
    return _play(played, played.deeds)


def play_betting(played: Played) -> Hand:
    """The same up to the last decision."""
    return _play(played, played.betting)


def _play(played: Played, deeds: tuple[Deed, ...]) -> Hand:
    hand = forced.start(played.game, played.placed, played.stacks)
    asked(hand)
    for deed in deeds:
        hand = _DO[deed.verb](hand, deed)
        if deed.asks:
            asked(hand)
    return hand


def asked(hand: Hand) -> tuple[object, ...]:
    """What the screen asks: to call, least and largest raise, pots."""
    if hand.phase is Phase.BETTING:
        return to_call(hand, hand.turn), bounds(hand, hand.turn), pots(hand)
    return (pots(hand),)


def _act(hand: Hand, deed: Deed) -> Hand:
    assert deed.act is not None
    return betting.apply(hand, deed.act)


_DO: dict[str, Callable[[Hand, Deed], Hand]] = {
    "act": _act,
    "deal": lambda hand, deed: betting.deal(hand),
    "bring-in": lambda hand, deed: forced.bring_in(hand, deed.seat),
    "first": lambda hand, deed: forced.name_first(hand, deed.seat),
    "award": lambda hand, deed: awards.award(hand, deed.name, deed.high, deed.low).hand,
}


# --- PokerKit ---


def _pokerkit(hands: list[Played]) -> tuple[list[Played], dict[str, Callable[[], object]]]:
    """The hands that PokerKit can play, and what plays them there: whole, and their betting."""
    from controller.bench import pokerkit

    both = [(hand, ready) for hand in hands if (ready := pokerkit.prepared(hand)) is not None]
    theirs: dict[str, Callable[[], object]] = {
        "": lambda: [pokerkit.play(ready) for _, ready in both],
        "betting_": lambda: [pokerkit.play_betting(ready) for _, ready in both],
    }
    return [hand for hand, _ in both], theirs
