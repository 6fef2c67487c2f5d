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
    """The count that is on; in its stead a pile that is not added as it lies there."""
    counting = live.counting
    if counting is None:
        return []
    amount = sum(chip.denomination for chip in counting.chips)
    off = Choice(label="count-off", do=line(DropsCount()))
    done = (Choice(label="counted", do=line(EndsCount()), values=Values(amount=amount)),) if amount else ()
    code, count = _CODES[counting.what], counting.piles
    if is_uncertain(live):
        code, count = "pile-not-added", len(live.spots[PAD].strangers)
    return [alert(code, Values(seat=counting.seat, amount=amount, count=count or None), (*done, off))]
