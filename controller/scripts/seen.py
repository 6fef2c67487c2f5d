"""What is seen after a step: the JSON object of the table-script contract."""

from __future__ import annotations

from typing import Any

from controller.rules.betting import bounds, may, to_call
from controller.rules.hand import UNBOUNDED, Hand, Phase
from controller.table import state as tables
from controller.table.state import Table

_FOLD = "fold"


def seen(table: Table, refused: str | None = None, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    """All fields of the contract but `step`, plain JSON values."""
    hand = table.hand
    fields: dict[str, Any] = _of_hand(table, hand) if hand is not None else dict(_NO_HAND)
    fields["pot"] = tables.pot(table)
    fields["pots"] = [
        {"name": pot.name, "amount": pot.amount, "seats": list(pot.seats)} for pot in tables.pots_now(table)
    ]
    fields["open"] = tables.is_open(table)
    fields.update(_choices(table))
    fields["stacks"] = stacks(table)
    fields["presumed"] = {str(seat): verb for seat, verb in sorted(table.presumed.items())}
    fields["button"] = hand.button if hand is not None and table.playing else table.placed.button
    fields["due_back"] = {
        str(seat): amount for seat in sorted(table.players) if (amount := tables.due_back(table, seat))
    }
    fields["held"] = {str(seat): held.said for seat, held in sorted(table.held.items())}
    fields["accounts"] = {name: value for name, value in table.accounts._asdict().items() if value}
    fields["warnings"] = sorted(warnings)
    fields["refused"] = refused
    return fields


_NO_HAND: dict[str, Any] = {"round": 0, "bets": {}, "all_in": [], "folded": [], "blinds": {}, "owes": {}}


def _of_hand(table: Table, hand: Hand) -> dict[str, Any]:
    over = hand.phase is Phase.OVER
    return {
        "round": hand.round,
        "bets": {} if over else _by_seat(hand, tuple(tables.counted(table, seat) for seat in range(len(hand.bets)))),
        "all_in": [] if over else sorted(hand.all_in),
        "folded": sorted(hand.folded),
        "blinds": _by_seat(hand, hand.blinds),
        "owes": {} if over else _by_seat(hand, tables.owes(table)),
    }


def _by_seat(hand: Hand, amounts: tuple[int, ...]) -> dict[str, int]:
    return {str(seat): amounts[seat] for seat in sorted(hand.order) if amounts[seat]}


def _choices(table: Table) -> dict[str, Any]:
    """Whose turn it is, what it costs, how little and how much."""
    hand = table.hand
    if hand is None or not table.playing or not hand.turn:
        return {"turn": None, "to_call": None, "min_raise_to": None, "max_raise_to": None, "may": []}
    seat = hand.turn
    least_and_most = bounds(hand, seat)
    least, most = least_and_most if least_and_most else (None, None)
    words = may(hand, seat)
    return {
        "turn": seat,
        "to_call": to_call(hand, seat),
        "min_raise_to": least,
        "max_raise_to": None if most is not None and most >= UNBOUNDED else most,
        "may": list(words),
    }


def stacks(table: Table) -> dict[str, int | None]:
    """By seat, the chips behind; None where nobody knows; seats with nothing left out."""
    found: dict[str, int | None] = {}
    for seat in sorted(table.players):
        if tables.is_unknown(table, seat):
            found[str(seat)] = None
        elif amount := tables.stack(table, seat):
            found[str(seat)] = amount
    return found
