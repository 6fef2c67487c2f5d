"""Suggestion for a declared amount that can have several meanings.

Example: with blinds of 200 and 400, a player says "I bet five" and puts in no chips. The bet may be 500 or 5,000. It is
the largest reasonable amount that is not more than the pot before the bet. The table takes the least legal bet, as for
any amount that is too small, and the dealer may correct it to the suggestion with one touch.

Source: TDA 57. Robert's Rules have no such rule.
"""

from __future__ import annotations

from typing import Final

from controller.presenter.alert_codes import build_alert
from controller.presenter.view_inputs import ViewInputs
from controller.rules import BIG_BET_STRUCTURES, betting_options
from controller.steps import Declaration, Step, format_step, hand_steps
from controller.table import HeldForRuling
from controller.view import Alert, Choice, MessageValues

SPOKEN_FACTORS: Final = (100, 1_000, 100_000, 1_000_000)
"""Factors that players leave out: hundred, thousand, hundred thousand and million."""
MIN_CLEAR_SHARE: Final = 10
"""An amount is unclear if it is less than one tenth of the least legal amount. A larger amount is only too small."""


def suggested_amount(named: int, least: int, pot: int, unit: int) -> int:
    """Return the largest meaning of a named amount that is at most the pot, or 0 if there is none.

    `least` is the smallest amount that is possible. Example: 5 means 500 with a pot of 1,200, and 5,000 with a pot of
    6,000.
    """
    if named * MIN_CLEAR_SHARE >= least:
        return 0
    meanings = (named * factor for factor in SPOKEN_FACTORS)
    return max((meaning for meaning in meanings if least <= meaning <= pot and meaning % unit == 0), default=0)


def unclear_amount_alerts(inputs: ViewInputs) -> list[Alert]:
    """Return the suggestion for the last declaration, which was too small, or an empty list if its amount is clear."""
    table, step = inputs.live.table, inputs.last_step
    hand_before = table.undo_stack[-1].table_before.hand if table.undo_stack else None
    if (
        not isinstance(step, hand_steps.Declares | hand_steps.SpeaksOnly)
        or step.seat not in {seat for _, seat in inputs.live.last_warnings.warnings}
        or inputs.hand is None
        or hand_before is None
        or hand_before.turn != step.seat
        or inputs.game.rulebook != "tda"
        or inputs.game.structure not in BIG_BET_STRUCTURES
    ):
        return []
    declaration, bet = step.declaration, hand_before.current_bet
    options = betting_options(hand_before, step.seat)
    least = bet if declaration.kind == "amount" and bet else options.min_total
    raised_from = bet if declaration.is_raise_by else 0
    meaning = suggested_amount(declaration.amount, least - raised_from, hand_before.pot_total, inputs.game.unit)
    if not meaning:
        return []
    answer = _answer(inputs, step.seat, declaration, raised_from + meaning)
    choices = (Choice(label="means", do=format_step(answer), values=MessageValues(amount=meaning)),) if answer else ()
    values = MessageValues(seat=step.seat, least=declaration.amount, amount=meaning, most=hand_before.pot_total)
    return [build_alert("unclear-amount", values, choices)]


def _answer(inputs: ViewInputs, seat: int, declaration: Declaration, total: int) -> Step | None:
    """Return the step with which the dealer confirms the suggestion, or None if the seat is bound to a call."""
    assert inputs.hand is not None
    if isinstance(inputs.live.table.street.held_actions.get(seat), HeldForRuling):
        return hand_steps.SpeaksOnly(seat, Declaration("amount", total))
    if inputs.hand.action_log and inputs.hand.action_log[-1].total:
        return hand_steps.CorrectsWager(seat, total)
    return None
