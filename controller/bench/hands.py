"""The hands that the rules are measured with: read from scripts beforehand, played by the functions that a live table
calls (`rules.apply` and its like), asked after each decision what a dealer's screen asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from controller import rules
from controller.config import BadInputError
from controller.rules import Act, Game, Hand, Placement, choices, pots
from controller.scripts import Scene, Script, begin, happens, load
from controller.table import Awards, Deals, Declares, NamesBringIn, NamesFirst, Step

Doable = Act | Deals | NamesBringIn | NamesFirst | Awards
"""What is done in a plain hand."""


class Deed(NamedTuple):
    """Something that happens in a hand, ready to be done."""

    what: Doable
    does: Callable[[Hand, Any], Hand]
    """The function of the rules, as `_DO` has it."""
    asks: bool = False
    """The questions are asked after it."""


class ReadyHand(NamedTuple):
    """A hand to be played: how it starts, and what happens."""

    game: Game
    placed: Placement
    stacks: dict[int, int]
    deeds: tuple[Deed, ...]
    betting: tuple[Deed, ...]
    """Those up to the last decision and its questions."""
    decisions: int
    script: Script


def ready_hands(paths: Iterable[Path]) -> list[ReadyHand]:
    """The plain hands among scripts, and folders of them. Raises BadInputError."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    return [hand for hand in map(ready_hand, files) if hand is not None]


def ready_hand(file: Path) -> ReadyHand | None:
    """The hand of a script as deeds of the rules; None where it is not one plain hand. Raises BadInputError."""
    try:
        script = load(file)
    except BadInputError as error:
        raise BadInputError(f"{file}: {error}") from None
    if script.start != "hand":
        return None
    scene = Scene(begin(script))
    hand, placed = scene.table.hand, scene.table.carried.placed
    if hand is None:
        return None
    deeds: list[Deed] = []
    for what in script.steps:
        before = scene.table.hand
        scene, outcome = happens(scene, what, 0)
        after = scene.table.hand
        if outcome.refused is not None or outcome.warnings or before is None or after is None:
            return None
        done = _done(what, before, after)
        if done is None:
            return None
        deeds.append(Deed(done, _DO[type(done)]))
    decisions = sum(isinstance(deed.what, Act) for deed in deeds)
    if scene.table.playing or not decisions or not any(isinstance(deed.what, Awards) for deed in deeds):
        return None
    deeds = _with_questions(deeds)
    stacks = {seat: player.stack for seat, player in sorted(script.table.players.items())}
    last = max(place for place, deed in enumerate(deeds) if deed.asks)
    return ReadyHand(hand.game, placed, stacks, tuple(deeds), tuple(deeds[: last + 1]), decisions, script)


def _done(what: Step, before: Hand, after: Hand) -> Doable | None:
    """What the step did in the hand; None for what a plain hand has not."""
    if isinstance(what, Declares):
        new = after.log[len(before.log) :]
        return new[0] if len(new) == 1 else None
    return what if isinstance(what, Deals | NamesBringIn | NamesFirst | Awards) else None


def _with_questions(deeds: list[Deed]) -> list[Deed]:
    """Each decision is asked about once: after it, or after the streets that are dealt then."""
    found, due = [], False
    for deed, following in pairwise(deeds):
        due = due or isinstance(deed.what, Act)
        asks = due and isinstance(following.what, Act | Awards)
        due = due and not asks
        found.append(deed._replace(asks=asks))
    return [*found, deeds[-1]]


def play_hand(hand: ReadyHand) -> Hand:
    """The hand played by our rules, asking at the start and after each decision."""
    return _played(hand, hand.deeds)


def play_betting(hand: ReadyHand) -> Hand:
    """The same up to the last decision."""
    return _played(hand, hand.betting)


def _played(ready: ReadyHand, deeds: tuple[Deed, ...]) -> Hand:
    hand = rules.start_hand(ready.game, ready.placed, ready.stacks)
    asked(hand)
    for what, does, asks in deeds:
        hand = does(hand, what)
        if asks:
            asked(hand)
    return hand


def asked(hand: Hand) -> tuple[object, ...]:
    """What the screen asks: to call, least and largest raise, pots."""
    if hand.turn:
        return choices(hand, hand.turn), pots(hand)
    return (pots(hand),)


def _deal(hand: Hand, what: Deals) -> Hand:
    return rules.deal(hand)


def _bring_in(hand: Hand, what: NamesBringIn) -> Hand:
    return rules.bring_in(hand, what.seat)


def _first(hand: Hand, what: NamesFirst) -> Hand:
    return rules.name_first(hand, what.seat)


def _award(hand: Hand, what: Awards) -> Hand:
    return rules.award(hand, what.pot, what.high, what.low).hand


_DO: dict[type, Callable[[Hand, Any], Hand]] = {
    Act: rules.apply,
    Deals: _deal,
    NamesBringIn: _bring_in,
    NamesFirst: _first,
    Awards: _award,
}
