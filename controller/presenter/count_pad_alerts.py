"""Alerts about the chips that the dealer counts on the count pad, with choices to end the count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import Live, is_pile_uncertain
from controller.presenter.alert_codes import build_alert
from controller.steps import format_step, observations
from controller.view import Alert, Choice, MessageValues
from hardware.spots import COUNT_PAD

_CODES: Final[Mapping[observations.CountPurpose, str]] = {
    "bet": "counting-bet",
    "buy-in": "counting-buy-in",
    "stack": "counting-stack",
}


def count_alerts(live: Live) -> list[Alert]:
    """Return the alert about the count on the count pad, or an empty list if no count is in progress.

    If the pile on the pad cannot be added to the count, the alert is about this pile.
    """
    pad_count = live.pad.pad_count
    if pad_count is None:
        return []
    amount = sum(chip.denomination for chip in pad_count.chips)
    discard = Choice(label="count-off", do=format_step(observations.DiscardsPadCount()))
    accept = (
        (Choice(label="counted", do=format_step(observations.AcceptsPadCount()), values=MessageValues(amount=amount)),)
        if amount
        else ()
    )
    code, count = _CODES[pad_count.purpose], pad_count.piles
    if is_pile_uncertain(live):
        code, count = "pile-not-added", len(live.spots[COUNT_PAD].unknown_tags)
    return [
        build_alert(code, MessageValues(seat=pad_count.seat, amount=amount, count=count or None), (*accept, discard))
    ]
