"""A hand history (PHH) as a table script: the steps that people at a table would do."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from controller.config import BadInputError, shown
from controller.histories.cards import Winners, by_cards, by_stacks, cards_of
from controller.histories.format import BETTING, Action, PhhHand
from controller.histories.game import opening_steps, table_for
from controller.rules import Hand, Phase, Pot, bounds, facing, pots, raise_word
from controller.scripts import STEP_US, Scene, Script, begin, happens, refused_words
from controller.table import Awards, Caution, Deals, Declaration, Declares, NamesBringIn, NamesFirst, Step, Table
from controller.words import Words

_HOUSES: tuple[dict[str, Any], ...] = ({}, {"raises": 0}, {"raises": 0, "all_in_rule": "half-bet"})
"""House rules under which the hand is tried: a hand that was played is a fact, and not every house counts raises alike.
The first are the defaults."""


def to_script(hand: PhhHand) -> Script:
    """The table script of the hand: one step for each action, `deal` and `first` between the rounds, then the awards.
    Of a file that we wrote, the hand as it happened: its own table and its own steps.

    Raises BadInputError where the actions are not those of a whole hand, naming the first that does not fit.
    """
    if hand.own is not None:
        return Script(hand.own.table, "idle", None, hand.own.steps)
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
        self.scene = Scene(begin(self.start))
        self.steps: list[Step] = []

    @property
    def hand(self) -> Hand:
        assert self.scene.table.hand is not None
        return self.scene.table.hand

    def script(self) -> Script:
        for what in opening_steps(self.source):
            self.do(what, "blinds_or_straddles")
        for index, action in enumerate(self.source.actions):
            if action.verb in BETTING:
                self.act(f"actions[{index}] = {shown(action.text)}", action)
        self.finish()
        return self.start._replace(steps=tuple(self.steps))

    def do(self, what: Step, where: str) -> None:
        """Plays one step. Raises BadInputError where our table would refuse it or rule on it."""
        self.scene, outcome = happens(self.scene, what, (len(self.steps) + 1) * STEP_US)
        if outcome.refused is not None:
            raise BadInputError(f"{where}: at our table {refused_words(outcome.refused)}")
        ruled_on = [code for code in outcome.warnings if code != Caution.FOLD_FOR_FREE]
        if ruled_on:
            raise BadInputError(f"{where}: at our table {', '.join(ruled_on)}")
        self.steps.append(what)

    # --- rounds and actions ---

    def act(self, where: str, action: Action) -> None:
        self.open_round(where, action)
        if self.hand.turn != action.player:
            turn = f"the turn is on p{self.hand.turn}" if self.hand.turn else "nobody has anything left to do"
            raise BadInputError(f"{where}: {turn}")
        self.fits(where, action)
        self.do(Declares(action.player, self.declared(action)), where)

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
            self.do(Deals(), where)
        if self.hand.phase is Phase.BRING_IN:
            self.do(NamesBringIn(action.player), where)
        elif self.hand.phase is Phase.FIRST:
            self.do(NamesFirst(action.player), where)

    def declared(self, action: Action) -> Declaration:
        """What a player at a table says who does this."""
        hand, seat = self.hand, action.player
        if action.verb == "f":
            return Declaration("fold")
        if action.verb == "pb":
            return Declaration("bet", min(self.source.bring_in, hand.stacks[seat]))
        if action.verb == "cc":
            return Declaration("call" if facing(hand, seat) > hand.bets[seat] else "check")
        if action.amount == hand.bets[seat] + hand.stacks[seat]:
            return Declaration("all-in")
        word = raise_word(hand)
        if word == "complete" and bounds(hand, seat) == (action.amount, action.amount):
            return Declaration("complete")
        return Declaration("bet" if word == "bet" else "raise", action.amount)

    # --- the end ---

    def finish(self) -> None:
        """What nobody can still bet for is given first, then the rest is dealt out and the pots are given."""
        hand = self.hand
        if hand.phase is not Phase.CLOSED:
            raise BadInputError(f"actions: the hand ends while {_waits_for(hand)}")
        if len(hand.active) > 1 and not hand.last_round and len(hand.live) > 1:
            raise BadInputError(f"actions: the hand ends before {Words().street(hand.game.variant, hand.round + 1)}")
        given = self.winners()
        alone = [pot.name for pot in pots(hand) if len(pot.seats) == 1]
        for name in alone:
            self.do(Awards(name, *given[name]), "actions")
        while self.hand.phase is not Phase.OVER and not self.hand.last_round:
            self.do(Deals(), "actions")
        for name in given:
            if name not in alone:
                self.do(Awards(name, *given[name]), "actions")

    def winners(self) -> dict[str, Winners]:
        """Who wins each pot: by the cards, and where they are unknown by the stacks after the hand."""
        left = pots(self.hand)
        cards = cards_of(self.source)
        found = {pot.name: by_cards(self.source, cards, pot) for pot in left}
        known = {name: winners for name, winners in found.items() if winners is not None}
        if len(known) == len(left):
            return known
        if not self.source.finishing:
            raise BadInputError(f"actions: {_unknown(left, known)} is shown down unseen, expected finishing_stacks")
        fitting = by_stacks(self.source, self.hand, left)
        if fitting is None:
            raise BadInputError(f"finishing_stacks = {list(self.source.finishing)}: no winners of the pots lead there")
        return fitting


def _waits_for(hand: Hand) -> str:
    return f"p{hand.turn} has yet to act" if hand.turn else "nobody has opened the round"


def _unknown(left: tuple[Pot, ...], known: dict[str, Winners]) -> str:
    return ", ".join(f"the pot {pot.name}" for pot in left if pot.name not in known)
