"""Why something was refused, for a screen."""

from __future__ import annotations

from typing import get_args

from controller.live import LiveReason
from controller.presenter.asking import named
from controller.presenter.codes import alert
from controller.rules import Refusal, Why
from controller.table import Reason
from controller.view import Did, DidVerb, Refused, Values

_VERBS: dict[str, DidVerb] = {verb: verb for verb in get_args(DidVerb)}
_NAMES_AN_ACT = frozenset({Reason.COULD_NOT, LiveReason.READ_ALREADY})
_NAMES_A_POT = frozenset(
    {Why.NO_SUCH_POT, Why.NOT_IN_POT, Why.NO_WINNER, Why.NO_HIGH_WINNER, Why.NAMED_TWICE, Why.POT_HOLDS_LESS}
)
_NAMES_A_COUNT = frozenset({Why.TOO_MANY_STRADDLES, Why.NOT_SO_MANY_BOARDS, Why.RUN_TOO_OFTEN})


def refused(refusal: Refusal) -> Refused:
    """The refusal with what its sentence names, amounts apart from counts."""
    values = Values(seat=refusal.seat, seats=refusal.seats)
    code = refusal.code
    if code in _NAMES_AN_ACT:
        verb = _VERBS.get(refusal.name)
        did = Did(verb=verb, amount=refusal.amount) if verb is not None else None
        values = Values(seat=refusal.seat, held=did)
    elif code in _NAMES_A_COUNT:
        values = Values(count=refusal.most)
    elif code is LiveReason.NOT_OFFERED:
        values = Values(seat=refusal.seat, answers=tuple(named(what) for what in refusal.names))
    elif code is Why.STRADDLE_SIZE:
        exact = refusal.most or None
        values = Values(amount=refusal.amount, least=None if exact else refusal.least, most=exact)
    elif code is not Why.NOT_OVER:  # what it counts is betting rounds
        values = Values(
            seat=refusal.seat,
            seats=refusal.seats,
            amount=refusal.amount or None,
            least=refusal.least or None,
            most=refusal.most or None,
            pot=refusal.name if code in _NAMES_A_POT else "",
            name="" if code in _NAMES_A_POT else refusal.name,
        )
    warned = alert(refusal.warning, values) if refusal.warning else None
    return Refused(code=code.value, values=values, alert=warned)
