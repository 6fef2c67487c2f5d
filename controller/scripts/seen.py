"""What is seen after a step: the JSON object of the table-script contract."""

from __future__ import annotations

from typing import Any

from controller.presenter import refused as as_code
from controller.rules import UNBOUNDED, Amounts, Hand, Phase, Refusal, bounds, may, to_call
from controller.table import (
    Held,
    Table,
    counted,
    due_back,
    is_open,
    is_unknown,
    markers_owed,
    owes,
    pot,
    pots_now,
    stack,
)
from controller.words import Words

_WORDS = Words()
"""In the language of the contract, amounts as plain numbers."""


def refused_words(refusal: Refusal) -> str:
    """Why a step was refused, as a sentence."""
    return _WORDS.refused(as_code(refusal))


def seen(table: Table, refused: Refusal | None = None, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    """All fields of the contract but `step`, plain JSON values."""
    hand = table.hand
    fields: dict[str, Any] = _of_hand(table, hand) if hand is not None else dict(_NO_HAND)
    fields["pot"] = pot(table)
    fields["pots"] = [{"name": part.name, "amount": part.amount, "seats": list(part.seats)} for part in pots_now(table)]
    fields["open"] = is_open(table)
    fields.update(_choices(table))
    fields["stacks"] = _stacks(table)
    fields["presumed"] = {str(seat): verb for seat, verb in sorted(table.street.presumed.items())}
    fields["button"] = table.button
    fields["due_back"] = {str(seat): amount for seat in sorted(table.players) if (amount := due_back(table, seat))}
    fields["held"] = {str(seat): _meant(held) for seat, held in sorted(table.street.held.items())}
    fields["accounts"] = {name: value for name, value in table.accounts._asdict().items() if value}
    fields["markers"] = {str(seat): amount for seat, amount in markers_owed(table).items()}
    fields["warnings"] = sorted(map(str, warnings))
    fields["refused"] = refused_words(refused) if refused is not None else None
    return fields


_NO_HAND: dict[str, Any] = {"round": 0, "bets": {}, "all_in": [], "folded": [], "blinds": {}, "owes": {}}


def _of_hand(table: Table, hand: Hand) -> dict[str, Any]:
    over = hand.phase is Phase.OVER
    return {
        "round": hand.round,
        "bets": {} if over else _by_seat(hand, tuple(counted(table, seat) for seat in range(len(hand.bets)))),
        "all_in": [] if over else sorted(hand.all_in),
        "folded": sorted(hand.folded),
        "blinds": _by_seat(hand, hand.blinds),
        "owes": {} if over else _by_seat(hand, owes(table)),
    }


def _by_seat(hand: Hand, amounts: Amounts) -> dict[str, int]:
    return {str(seat): amounts[seat] for seat in sorted(hand.order) if amounts[seat]}


def _choices(table: Table) -> dict[str, Any]:
    """Whose turn it is, what it costs, how little and how much."""
    hand = table.hand
    if hand is None or not table.playing or not hand.turn:
        return {"turn": None, "to_call": None, "min_raise_to": None, "max_raise_to": None, "may": []}
    seat = hand.turn
    least_and_most = bounds(hand, seat)
    least, most = least_and_most if least_and_most else (None, None)
    return {
        "turn": seat,
        "to_call": to_call(hand, seat),
        "min_raise_to": least,
        "max_raise_to": None if most is not None and most >= UNBOUNDED else most,
        "may": list(may(hand, seat)),
    }


def _stacks(table: Table) -> dict[str, int | None]:
    """By seat, the chips behind; None where nobody knows; seats with nothing left out."""
    found: dict[str, int | None] = {}
    for seat in sorted(table.players):
        if is_unknown(table, seat):
            found[str(seat)] = None
        elif amount := stack(table, seat):
            found[str(seat)] = amount
    return found


def _meant(held: Held) -> str:
    """What a held action means, in the words of a step."""
    meant = held.meant
    joint = " to " if meant.kind == "raise" else " "
    return f"{meant.kind}{joint}{meant.total}" if meant.total else meant.kind
