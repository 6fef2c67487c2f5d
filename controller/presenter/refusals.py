"""Conversion of the reason for a refused step to codes and values for a screen."""

from __future__ import annotations

from typing import get_args

from controller.live import LiveRefusal
from controller.presenter.alert_codes import build_alert
from controller.presenter.chip_question_alerts import answer_label
from controller.rules import Refusal, RuleRefusal
from controller.table import TableRefusal
from controller.view import ActionVerb, ActionView, MessageValues, RefusalView

_VERBS: dict[str, ActionVerb] = {verb: verb for verb in get_args(ActionVerb)}
_NAMES_AN_ACT = frozenset(
    {TableRefusal.DECLARATION_NOT_POSSIBLE, TableRefusal.LATER_ACTION_IMPOSSIBLE, LiveRefusal.READ_ALREADY}
)
_NAMES_A_POT = frozenset(
    {
        RuleRefusal.NO_SUCH_POT,
        RuleRefusal.NOT_IN_POT,
        RuleRefusal.NO_WINNER,
        RuleRefusal.NO_HIGH_WINNER,
        RuleRefusal.WINNER_NAMED_TWICE,
        RuleRefusal.POT_TOO_SMALL,
    }
)
_NAMES_A_COUNT = frozenset({RuleRefusal.TOO_MANY_STRADDLES, RuleRefusal.WRONG_BOARD_COUNT, RuleRefusal.TOO_MANY_RUNS})


def build_refusal_view(refusal: Refusal) -> RefusalView:
    """Convert a refusal to a view with the code and the values for its message.

    Amounts of money and counts have separate fields.
    """
    values = MessageValues(seat=refusal.seat, seats=refusal.seats)
    code = refusal.code
    if code in _NAMES_AN_ACT:
        verb = _VERBS.get(refusal.name)
        action = ActionView(verb=verb, amount=refusal.amount) if verb is not None else None
        values = MessageValues(seat=refusal.seat, held_action=action)
    elif code in _NAMES_A_COUNT:
        values = MessageValues(count=refusal.maximum)
    elif code is LiveRefusal.NOT_OFFERED:
        values = MessageValues(
            seat=refusal.seat, answers=tuple(answer_label(explanation) for explanation in refusal.options)
        )
    elif code is RuleRefusal.STRADDLE_SIZE:
        exact_amount = refusal.maximum or None
        values = MessageValues(
            amount=refusal.amount, least=None if exact_amount else refusal.minimum, most=exact_amount
        )
    elif code is not RuleRefusal.BETTING_NOT_OVER:  # This refusal has numbers of rounds, not amounts.
        values = MessageValues(
            seat=refusal.seat,
            seats=refusal.seats,
            amount=refusal.amount or None,
            least=refusal.minimum or None,
            most=refusal.maximum or None,
            pot=refusal.name if code in _NAMES_A_POT else "",
            name="" if code in _NAMES_A_POT else refusal.name,
        )
    alert = build_alert(refusal.warning_code, values) if refusal.warning_code else None
    return RefusalView(code=code.value, values=values, alert=alert)
