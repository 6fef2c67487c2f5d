"""How fast the rules are: whole hands, each decision with the questions a dealer's screen asks.

At the start and after each action, once the next street is dealt where one is due: what is to call, the least and the
largest raise, and the pots. Files are read and steps are parsed beforehand. With PokerKit, which deals by itself, the
same hands are played in the same run, cards unknown, asking the same as often.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from controller import scripts
from controller.configuring import BadInputError
from controller.rules import award as awards
from controller.rules import betting, forced
from controller.rules.betting import bounds, to_call
from controller.rules.button import Placement
from controller.rules.game import Game
from controller.rules.hand import Act, Hand, Phase
from controller.rules.pots import pots

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
    """A decision or the award stands after it."""


class Played(NamedTuple):
    """A hand to be played: how it starts, and what happens."""

    game: Game
    placed: Placement
    stacks: dict[int, int]
    deeds: tuple[Deed, ...]
    decisions: int


def measure(paths: list[Path], vs_pokerkit: bool) -> dict[str, float | int]:
    """Decisions and hands a second of our rules; with `vs_pokerkit` those of PokerKit and how many times faster we are.

    `paths` are table scripts or folders of them; a script that is more than one hand of bets is left out. Raises
    BadInputError where none is left.
    """
    hands = [hand for hand in map(prepared, _files(paths)) if hand is not None]
    if not hands:
        raise BadInputError(f"{', '.join(map(str, paths))}: no script that is one hand from its start to its end")
    ours, theirs = [], []
    scripts_read = len(hands)
    play_theirs = None
    if vs_pokerkit:
        hands, play_theirs = _pokerkit(hands)
        if not hands:
            raise BadInputError(f"{', '.join(map(str, paths))}: no hand that PokerKit can play")
    for _ in range(RUNS):  # turn by turn, so that a busy moment of the machine slows both
        ours.append(_timed(lambda: _play_all(hands)))
        if play_theirs is not None:
            theirs.append(_timed(play_theirs))
    decisions = sum(hand.decisions for hand in hands)
    per_round = statistics.median(ours)
    found: dict[str, float | int] = {
        "hands": len(hands),
        "left_out": scripts_read - len(hands),
        "decisions": decisions,
        "decisions_per_s": round(decisions / per_round),
        "hands_per_s": round(len(hands) / per_round),
    }
    if theirs:
        found["pokerkit_decisions_per_s"] = round(decisions / statistics.median(theirs))
        found["ratio"] = round(statistics.median(theirs) / per_round, 1)
    return found


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
    for place, (deed, following) in enumerate(pairwise(deeds)):
        deeds[place] = deed._replace(asks=deed.verb != "award" and following.verb in ("act", "award"))
    stacks = {seat: player.stack for seat, player in sorted(script.table.players.items())}
    return Played(hand.game, table.placed, stacks, tuple(deeds), sum(deed.verb == "act" for deed in deeds))


_PLAIN = frozenset({"act", "deal", "bring-in", "first", "award"})


# --- our rules ---


def _play_all(hands: list[Played]) -> None:
    for hand in hands:
        play(hand)


def play(played: Played) -> Hand:
    """The hand played by our rules, asking after each action."""
    hand = forced.start(played.game, played.placed, played.stacks)
    asked(hand)
    for deed in played.deeds:
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


def _pokerkit(hands: list[Played]) -> tuple[list[Played], Callable[[], object]]:
    """The hands that PokerKit can play, and what plays them there."""
    from controller import bench_pokerkit

    both = [(hand, ready) for hand in hands if (ready := bench_pokerkit.prepared(hand)) is not None]
    return [hand for hand, _ in both], lambda: [bench_pokerkit.play(ready) for _, ready in both]
