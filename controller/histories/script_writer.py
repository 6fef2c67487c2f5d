"""Convert a hand history into a table script, with the steps that people at a table would do."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from controller.config import BadInputError, quote_value
from controller.histories.phh_parser import BETTING_VERBS, PhhAction, PhhHand
from controller.histories.pot_winners import Winners, known_cards, winners_by_cards, winners_by_stacks
from controller.histories.table_from_phh import posting_steps, table_for
from controller.rules import (
    Hand,
    Phase,
    Pot,
    bet_range,
    legal_actions,
    pots,
    total_to_match,
)
from controller.scripts import STEP_INTERVAL_US, Script, ScriptState, apply_scripted_step, refusal_text, starting_table
from controller.steps import Declaration, Step, hand_steps
from controller.table import Table, WarningCode

_HOUSES: tuple[dict[str, Any], ...] = ({}, {"raises": 0}, {"raises": 0, "all_in_rule": "half-bet"})
"""House rules that are tried one after the other until the hand is legal.

The first entry contains the default rules. The other entries exist because the hand of a file may have been played in a
house with other rules for raises.
"""


def to_script(hand: PhhHand) -> Script:
    """Return the table script of a hand.

    The script has one step for each action, steps such as `deal` between the betting rounds, and at the end the awards
    of the pots. If Potkeeper wrote the file, the script has the original table and steps instead. Raise BadInputError
    for the first action that is not legal.
    """
    if hand.original is not None:
        return Script(hand.original.table, "idle", None, hand.original.steps)
    first_error: BadInputError | None = None
    for house in _HOUSES:
        try:
            return _Writer(hand, table_for(hand, house)).script()
        except BadInputError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


class _Writer:
    """A writer of the steps of a table script.

    The writer applies each step to a table at once, because the form of the next step depends on the state of the hand.
    """

    def __init__(self, hand: PhhHand, table: Table) -> None:
        self.source = hand
        self.start = Script(table, "hand", None, ())
        self.state = ScriptState(starting_table(self.start))
        self.steps: list[Step] = []

    @property
    def hand(self) -> Hand:
        """Return the hand after the steps that were written so far."""
        assert self.state.table.hand is not None
        return self.state.table.hand

    def script(self) -> Script:
        """Return the script of the whole hand."""
        for step in posting_steps(self.source):
            self.apply_step(step, "blinds_or_straddles")
        for index, action in enumerate(self.source.actions):
            if action.verb in BETTING_VERBS:
                self.write_action(f"actions[{index}] = {quote_value(action.text)}", action)
        self.write_awards()
        return self.start._replace(steps=tuple(self.steps))

    def apply_step(self, step: Step, where: str) -> None:
        """Apply and write one step. Raise BadInputError if the table refuses the step or gives a warning."""
        self.state, outcome = apply_scripted_step(self.state, step, (len(self.steps) + 1) * STEP_INTERVAL_US)
        if outcome.refusal is not None:
            raise BadInputError(f"{where}: the table refuses this, {refusal_text(outcome.refusal)}")
        codes = [code for code in outcome.warning_codes if code != WarningCode.FOLD_FOR_FREE]
        if codes:
            raise BadInputError(f"{where}: the table warns of {', '.join(codes)}, expected a regular action")
        self.steps.append(step)

    # --- rounds and actions ---

    def write_action(self, where: str, action: PhhAction) -> None:
        """Write an action of the file as a step, unless it is a check that nobody asks for.

        PokerKit asks a player who has matched opponents who are all all-in for less than the big blind.
        """
        hand = self.hand
        is_last_to_bet = hand.active_seats == (action.player,) != hand.live_seats
        if action.verb == "cc" and hand.phase is Phase.CLOSED and is_last_to_bet:
            return
        self.open_round(where, action)
        if self.hand.turn != action.player:
            expected = (
                f"expected an action of p{self.hand.turn}"
                if self.hand.turn
                else "expected no more actions in this hand"
            )
            raise BadInputError(f"{where}: {expected}")
        self.check_action(where, action)
        self.apply_step(hand_steps.Declares(action.player, self.declaration_of(action)), where)

    def check_action(self, where: str, action: PhhAction) -> None:
        """Raise BadInputError if the player cannot do the action.

        Either the player pays a bring-in that is not due, or bets more chips than the player has.
        """
        hand, seat = self.hand, action.player
        if action.verb == "pb" and hand.bring_in_seat != seat:
            raise BadInputError(f"{where}: p{seat} has no bring-in to pay, expected f, cc or cbr")
        available = hand.bets[seat] + hand.stacks[seat]
        if action.verb == "cbr" and action.amount > available:
            raise BadInputError(
                f"{where}: expected at most {Decimal(available) / self.source.scale}, all that p{seat} has"
            )

    def open_round(self, where: str, action: PhhAction) -> None:
        """Write a step that deals the next street, if the round is over.

        In stud, also name the seat that opens the new round.
        """
        if self.hand.phase is Phase.CLOSED and not self.hand.is_last_round and len(self.hand.live_seats) > 1:
            self.apply_step(hand_steps.DealsStreet(), where)
        if self.hand.phase is Phase.BRING_IN:
            self.apply_step(hand_steps.NamesBringIn(action.player), where)
        elif self.hand.phase is Phase.FIRST_TO_ACT:
            self.apply_step(hand_steps.NamesFirstToAct(action.player), where)

    def declaration_of(self, action: PhhAction) -> Declaration:
        """Return the declaration that a player at a table would make for this action of the file."""
        hand, seat = self.hand, action.player
        if action.verb == "f":
            return Declaration("fold")
        if action.verb == "pb":
            return Declaration("bet", min(self.source.bring_in, hand.stacks[seat]))
        if action.verb == "cc":
            return Declaration("call" if total_to_match(hand, seat) > hand.bets[seat] else "check")
        if action.amount == hand.bets[seat] + hand.stacks[seat]:
            return Declaration("all-in")
        kind = legal_actions.wager_word(hand)
        if kind == "complete" and bet_range(hand, seat) == (action.amount, action.amount):
            return Declaration("complete")
        return Declaration("bet" if kind == "bet" else "raise", action.amount)

    # --- the end ---

    def write_awards(self) -> None:
        """Award the pots that only one seat can win, deal the remaining streets, and award the other pots."""
        hand = self.hand
        if hand.phase is not Phase.CLOSED:
            raise BadInputError(f"actions: the hand ends while {_waiting_reason(hand)}")
        if len(hand.active_seats) > 1 and not hand.is_last_round and len(hand.live_seats) > 1:
            raise BadInputError(
                f"actions: the hand ends before {hand.game.variant_rules.round_names[hand.round_number]}"
            )
        winners_by_pot = self.winners()
        uncontested = [pot.name for pot in pots(hand) if len(pot.seats) == 1]
        for name in uncontested:
            self.apply_step(hand_steps.AwardsPot(name, *winners_by_pot[name]), "actions")
        while self.hand.phase is not Phase.OVER and not self.hand.is_last_round:
            self.apply_step(hand_steps.DealsStreet(), "actions")
        for name in winners_by_pot:
            if name not in uncontested:
                self.apply_step(hand_steps.AwardsPot(name, *winners_by_pot[name]), "actions")

    def winners(self) -> dict[str, Winners]:
        """Return the winners of the pots, by pot name.

        Compare the cards if they are known. Otherwise use the final stacks.
        """
        pots_left = pots(self.hand)
        cards = known_cards(self.source)
        winners_by_pot = {pot.name: winners_by_cards(self.source, cards, pot) for pot in pots_left}
        known = {name: winners for name, winners in winners_by_pot.items() if winners is not None}
        if len(known) == len(pots_left):
            return known
        if not self.source.finishing:
            raise BadInputError(
                f"actions: {_undecided_pots(pots_left, known)} is won with unknown cards, expected finishing_stacks"
            )
        winners_by_final_stacks = winners_by_stacks(self.source, self.hand, pots_left)
        if winners_by_final_stacks is None:
            raise BadInputError(
                f"finishing_stacks = {list(self.source.finishing)}: no winners of the pots lead to these stacks"
            )
        return winners_by_final_stacks


def _waiting_reason(hand: Hand) -> str:
    """Return the part of an error message that says why the hand is not over."""
    return f"p{hand.turn} has yet to act" if hand.turn else "nobody has opened the round"


def _undecided_pots(pots_left: tuple[Pot, ...], known: dict[str, Winners]) -> str:
    """Return the part of an error message that names the pots without known winners."""
    return ", ".join(f"the pot {pot.name}" for pot in pots_left if pot.name not in known)
