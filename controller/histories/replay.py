"""Hand histories (PHH) at our table: a file becomes a table script, and a hand of ours becomes a file.

`load` reads a file, `to_script` makes the steps of it that people at a table would do, `replay` plays them through
whatever plays scripts (`scripts.play`, `pipeline.play`) and says how the hand ended. `export` goes the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from controller.config.reading import BadInputError, shown
from controller.histories import cards as phh_cards
from controller.histories.export import export
from controller.histories.format import BETTING, Action, PhhHand, load, loads, read
from controller.histories.game import opening_steps, table_for
from controller.rules.betting import bounds, facing, raise_word
from controller.rules.hand import Hand, Phase, Pot
from controller.rules.pots import pots
from controller.scripts import player as scripts
from controller.scripts.player import Script
from controller.table.state import Table
from controller.table.steps import Step, StepError, parse

__all__ = ["PhhHand", "Replay", "export", "load", "loads", "read", "replay", "replay_hand", "to_script"]

Play = Callable[[Script], Iterator[dict[str, Any]]]
"""Plays a script and yields the objects of the contract: `scripts.play` or `pipeline.play`."""

_HOUSES: tuple[dict[str, Any], ...] = ({}, {"raises": 0}, {"raises": 0, "all_in_rule": "half-bet"})
"""House rules under which the hand is tried: a hand that was played is a fact, and not every house counts raises alike.
The first are the defaults."""


class Replay(NamedTuple):
    """How a hand ended at our table."""

    stacks: dict[str, int]
    """By seat, in the file's amounts times `scale`; seats with nothing are there with 0."""
    pots: list[dict[str, Any]]
    """The pots just before the first was given: `[{name, amount, seats}]`."""
    actions: int
    """Folds, checks, calls, bets, raises and bring-ins."""
    scale: int = 1
    finishing: dict[str, int] | None = None
    """The stacks that the file says the hand ended with, None where it does not."""


def replay(path: Path, play: Play) -> Replay:
    """The hand in a file played through `play`. Raises BadInputError where the file is not that of a whole hand."""
    return replay_hand(load(path), play)


def replay_hand(hand: PhhHand, play: Play) -> Replay:
    """A hand played through `play`. Raises BadInputError where it is not a whole hand."""
    script = to_script(hand)
    first_award = next(number for number, step in enumerate(script.steps, 1) if step.verb == "award")
    before: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for seen in play(script):
        if seen["refused"] is not None:
            raise BadInputError(f"step {seen['step']} ({script.steps[seen['step'] - 1]}): {seen['refused']}")
        if seen["step"] < first_award:
            before = seen["pots"]
        last = seen
    seats = [str(player) for player in range(1, len(hand.stacks) + 1)]
    return Replay(
        stacks={seat: last["stacks"].get(seat, 0) for seat in seats},
        pots=before,
        actions=sum(action.verb in BETTING for action in hand.actions),
        scale=hand.scale,
        finishing=dict(zip(seats, hand.finishing, strict=True)) if hand.finishing else None,
    )


def to_script(hand: PhhHand) -> Script:
    """The table script of the hand: one step for each action, `deal` and `first` between the rounds, then the awards.

    Raises BadInputError where the actions are not those of a whole hand, naming the first that does not fit.
    """
    failed: BadInputError | None = None
    for house in _HOUSES:
        try:
            return _Writer(hand, table_for(hand, house)).script()
        except BadInputError as error:
            failed = failed or error
    assert failed is not None
    raise failed


class _Writer:
    """Writes the steps of a hand while playing them, so that each is named as what it is at that moment."""

    def __init__(self, hand: PhhHand, table: Table) -> None:
        self.source = hand
        self.start = Script(table, "hand", None, ())
        self.table = scripts.begin(self.start)
        self.steps: list[Step] = []

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    def script(self) -> Script:
        for line in opening_steps(self.source):
            self.do(line, "blinds_or_straddles")
        for index, action in enumerate(self.source.actions):
            if action.verb in BETTING:
                self.act(f"actions[{index}] = {shown(action.text)}", action)
        self.finish()
        return self.start._replace(steps=tuple(self.steps))

    def do(self, line: str, where: str) -> None:
        """Plays one step. Raises BadInputError where our table would refuse it or rule on it."""
        try:
            what = parse(line)
        except StepError as error:
            raise BadInputError(f"{where}: {error}") from None
        outcome = scripts.one_step(self.table, what, (len(self.steps) + 1) * scripts.STEP_US, {})
        if outcome.refused or outcome.warnings:
            raise BadInputError(f"{where}: at our table {outcome.refused or ', '.join(outcome.warnings)}")
        self.table = outcome.table
        self.steps.append(what)

    # --- rounds and actions ---

    def act(self, where: str, action: Action) -> None:
        self.open_round(where, action)
        if self.hand.turn != action.player:
            turn = f"the turn is on p{self.hand.turn}" if self.hand.turn else "nobody has anything left to do"
            raise BadInputError(f"{where}: {turn}")
        self.fits(where, action)
        self.do(f"{action.player} {self.words(action)}", where)

    def fits(self, where: str, action: Action) -> None:
        """Raises BadInputError where the player has no bring-in to pay, or puts in more than it has."""
        hand, seat = self.hand, action.player
        if action.verb == "pb" and hand.bring_in != seat:
            raise BadInputError(f"{where}: p{seat} has no bring-in to pay, expected f, cc or cbr")
        has = hand.bets[seat] + hand.stacks[seat]
        if action.verb == "cbr" and action.amount > has:
            raise BadInputError(f"{where}: expected at most {Decimal(has) / self.source.scale}, all that p{seat} has")

    def open_round(self, where: str, action: Action) -> None:
        """Deals the next street where this one is over; names who opens it where the board does."""
        if self.hand.phase is Phase.CLOSED and not self.hand.last_round and len(self.hand.live) > 1:
            self.do("deal", where)
        if self.hand.phase is Phase.BRING_IN:
            self.do(f"bring-in {action.player}", where)
        elif self.hand.phase is Phase.FIRST:
            self.do(f"first {action.player}", where)

    def words(self, action: Action) -> str:
        hand, seat = self.hand, action.player
        if action.verb == "f":
            return "fold"
        if action.verb == "pb":
            return f"bet {min(self.source.bring_in, hand.stacks[seat])}"
        if action.verb == "cc":
            return "call" if facing(hand, seat) > hand.bets[seat] else "check"
        if action.amount == hand.bets[seat] + hand.stacks[seat]:
            return "all-in"
        word = raise_word(hand)
        if word == "complete" and bounds(hand, seat) == (action.amount, action.amount):
            return word
        return f"{'bet' if word == 'bet' else 'raise to'} {action.amount}"

    # --- the end ---

    def finish(self) -> None:
        """What nobody can still bet for is given first, then the rest is dealt out and the pots are given."""
        hand = self.hand
        if hand.phase is not Phase.CLOSED:
            raise BadInputError(f"actions: the hand ends while {_waits_for(hand)}")
        if len(hand.active) > 1 and not hand.last_round and len(hand.live) > 1:
            raise BadInputError(f"actions: the hand ends before {hand.game.kind.rounds[hand.round]}")
        given = self.winners()
        alone = [pot.name for pot in pots(hand) if len(pot.seats) == 1]
        for name in alone:
            self.award(name, given[name])
        while self.hand.phase is not Phase.OVER and not self.hand.last_round:
            self.do("deal", "actions")
        for name in given:
            if name not in alone:
                self.award(name, given[name])

    def award(self, name: str, winners: phh_cards.Winners) -> None:
        high, low = (" ".join(map(str, seats)) for seats in winners)
        self.do(f"award {name} high {high} low {low}" if low else f"award {name} {high}", "actions")

    def winners(self) -> dict[str, phh_cards.Winners]:
        """Who wins each pot: by the cards, and where they are unknown by the stacks after the hand."""
        left = pots(self.hand)
        cards = phh_cards.cards_of(self.source)
        found = {pot.name: phh_cards.by_cards(self.source, cards, pot) for pot in left}
        known = {name: winners for name, winners in found.items() if winners is not None}
        if len(known) == len(left):
            return known
        if not self.source.finishing:
            raise BadInputError(f"actions: {_unknown(left, known)} is shown down unseen, expected finishing_stacks")
        by_stacks = phh_cards.by_stacks(self.source, self.hand, left)
        if by_stacks is None:
            raise BadInputError(f"finishing_stacks = {list(self.source.finishing)}: no winners of the pots lead there")
        return by_stacks


def _waits_for(hand: Hand) -> str:
    return f"p{hand.turn} has yet to act" if hand.turn else "nobody has opened the round"


def _unknown(left: tuple[Pot, ...], known: dict[str, phh_cards.Winners]) -> str:
    return ", ".join(f"the pot {pot.name}" for pot in left if pot.name not in known)
