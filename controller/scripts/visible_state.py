"""Fields that a table script prints after each step, as one JSON object."""

from __future__ import annotations

from typing import Any, Final

from controller.messages import Messages
from controller.presenter import build_refusal_view as as_code
from controller.rules import (
    UNLIMITED,
    Hand,
    Phase,
    Refusal,
    RuleRefusal,
    SeatAmounts,
    bet_range,
    betting_options,
    legal_words,
    to_call,
)
from controller.table import (
    HeldAction,
    Table,
    balances,
    markers_owed,
)

_MESSAGES = Messages()
"""English messages that show amounts as plain numbers, as tests/table-scripts.md specifies."""


VISIBLE_FIELDS: Final = (
    *("pot", "pots", "round", "open", "turn", "to_call", "min_raise_to", "max_raise_to", "may", "bets", "stacks"),
    *("all_in", "folded", "presumed", "button", "blinds", "due_back", "owes", "held", "accounts", "cage"),
    *("markers", "warnings", "refused"),
)
"""Names of all fields that `see` can expect, in the order of tests/table-scripts.md."""


def refusal_text(refusal: Refusal) -> str:
    """Return the reason for a refusal as a sentence.

    If the betting round is open, the text names the step that closes it, for people who write scripts.
    """
    text = _MESSAGES.refusal(as_code(refusal))
    return f"{text}, `deal closing` closes it" if refusal.code is RuleRefusal.ROUND_OPEN else text


def visible_fields(table: Table, refused: Refusal | None = None, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return all fields of the printed object except `step`, as plain JSON values."""
    hand = table.hand
    fields: dict[str, Any] = _hand_fields(table, hand) if hand is not None else dict(_NO_HAND)
    fields["pot"] = balances.announced_pot(table)
    fields["pots"] = [
        {"name": pot.name, "amount": pot.amount, "seats": list(pot.seats)} for pot in balances.pots_now(table)
    ]
    fields["open"] = balances.is_round_open(table)
    fields.update(_turn_fields(table))
    fields["stacks"] = _stacks(table)
    fields["presumed"] = {str(seat): action for seat, action in sorted(table.street.presumed_actions.items())}
    fields["button"] = table.button
    fields["due_back"] = {
        str(seat): amount for seat in sorted(table.players) if (amount := balances.due_back(table, seat))
    }
    fields["held"] = {str(seat): _action_text(held) for seat, held in sorted(table.street.held_actions.items())}
    fields["accounts"] = {name: value for name, value in table.accounts._asdict().items() if value}
    fields["cage"] = {name: value for name, value in table.cage_transfers._asdict().items() if value}
    fields["markers"] = {str(seat): amount for seat, amount in markers_owed(table).items()}
    fields["warnings"] = sorted(map(str, warnings))
    fields["refused"] = refusal_text(refused) if refused is not None else None
    return fields


_NO_HAND: dict[str, Any] = {"round": 0, "bets": {}, "all_in": [], "folded": [], "blinds": {}, "owes": {}}


def _hand_fields(table: Table, hand: Hand) -> dict[str, Any]:
    is_over = hand.phase is Phase.OVER
    return {
        "round": hand.round_number,
        "bets": {}
        if is_over
        else _by_seat(hand, tuple(balances.counted_bet(table, seat) for seat in range(len(hand.bets)))),
        "all_in": [] if is_over else sorted(hand.all_in),
        "folded": sorted(hand.folded),
        "blinds": _by_seat(hand, hand.posted_blinds),
        "owes": {} if is_over else _by_seat(hand, balances.owed_by_seat(table)),
    }


def _by_seat(hand: Hand, amounts: SeatAmounts) -> dict[str, int]:
    return {str(seat): amounts[seat] for seat in sorted(hand.dealt_seats) if amounts[seat]}


def _turn_fields(table: Table) -> dict[str, Any]:
    """Return the fields about the seat in turn, such as its call and the range of its raise."""
    hand = table.hand
    if hand is None or not table.is_hand_in_progress or not hand.turn:
        return {"turn": None, "to_call": None, "min_raise_to": None, "max_raise_to": None, "may": []}
    seat = hand.turn
    limits = bet_range(hand, seat)
    minimum, maximum = limits if limits else (None, None)
    return {
        "turn": seat,
        "to_call": to_call(hand, seat),
        "min_raise_to": minimum,
        "max_raise_to": None if maximum is not None and maximum >= UNLIMITED else maximum,
        "may": list(legal_words(hand, betting_options(hand, seat))),
    }


def _stacks(table: Table) -> dict[str, int | None]:
    """Return the chips of each seat that are not bet, or None if unknown. Seats without such chips are left out."""
    stacks: dict[str, int | None] = {}
    for seat in sorted(table.players):
        if balances.is_stack_unknown(table, seat):
            stacks[str(seat)] = None
        elif amount := balances.stack_behind(table, seat):
            stacks[str(seat)] = amount
    return stacks


def _action_text(held: HeldAction) -> str:
    """Return the held action, which waits for its turn or the floor, as words such as "raise to 30"."""
    action = held.intended
    separator = " to " if action.kind == "raise" else " "
    return f"{action.kind}{separator}{action.total}" if action.total else action.kind
