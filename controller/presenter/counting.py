"""The count on the pad: how far it is, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import Live, is_uncertain
from controller.presenter.codes import alert
from controller.table import CountsFor, DropsCount, EndsCount, line
from controller.view import Alert, Choice, Values
from hardware.spots import PAD

_CODES: Final[Mapping[CountsFor, str]] = {
    "bet": "counting-bet",
    "buy-in": "counting-buy-in",
    "stack": "counting-stack",
}


def of_count(live: Live) -> list[Alert]:
    """The count that is on, and a pile that is not added as it lies there."""
    counting = live.counting
    if counting is None:
        return []
    amount = sum(chip.denomination for chip in counting.chips)
    off = Choice(label="count-off", do=line(DropsCount()))
    done = (Choice(label="counted", do=line(EndsCount()), values=Values(amount=amount)),) if amount else ()
    values = Values(seat=counting.seat, amount=amount, count=counting.piles or None)
    found = [alert(_CODES[counting.what], values, (*done, off))]
    if is_uncertain(live):
        strangers = len(live.spots[PAD].strangers)
        found.append(alert("pile-not-added", Values(seat=counting.seat, count=strangers or None)))
    return found
