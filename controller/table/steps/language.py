"""The language of steps: `parse` reads a line of the table-script contract, `line` prints a step.

The same lines are used everywhere: in scripts, in the journal, on the socket. The notes of sensors and people have
lines of their own beside the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, get_args

from controller.rules import MOST_BOARDS
from controller.table.steps import hand, table
from controller.table.steps.forms import (
    Form,
    Parts,
    StepError,
    all_fields,
    alone,
    amount_in,
    but_the_seat,
    chips_in,
    count_in,
    got,
    is_number,
    nothing_more,
    of_seat,
    only,
    quoted,
    seat_and_amount,
    seat_does,
    seat_in,
)
from controller.table.steps.hand import Declaration, Kind
from controller.table.steps.note_forms import NOTE_VERBS
from controller.table.steps.pot_forms import AWARD
from controller.table.steps.step import SeatStep, Step

MOST_LINE: Final = 4000
"""Characters of a step: as many as `MOST_CHIPS` of the largest amounts need."""
MOST_MINUTES: Final = 1_000_000
"""Of one `clock`: two years; a table never stands still for longer."""

# --- the forms that only one verb has ---

_BARE: dict[str, Kind] = {kind: kind for kind in get_args(Kind) if kind != "amount"}
"""What may be declared without an amount."""


def _declaration(parts: Parts) -> Declaration:
    kind = _BARE.get(parts[0]) if parts else None
    if kind is not None and len(parts) == 1:
        return Declaration(kind)
    if kind == "bet":
        return Declaration(kind, amount_in(parts[1:]))
    if len(parts) == 1 and is_number(parts[0]):
        return Declaration("amount", amount_in(parts))
    if kind == "raise":
        rest = parts[1:]
        if rest[0] in ("to", "by"):
            return Declaration(kind, amount_in(rest[1:]), by=rest[0] == "by")
        if len(rest) > 1:
            raise StepError(f"expected 'raise', 'raise to N' or 'raise by N', got {got(parts)}")
        return Declaration(kind, amount_in(rest))
    expected = "fold, check, call, bet N, raise, raise to N, raise by N, complete, pot, all-in, time or an amount"
    raise StepError(f"expected {expected}, got {got(parts)}")


def _declared(step: Step) -> str:
    assert isinstance(step, hand.Declares | hand.Says | hand.Heard)
    words = step.declaration
    if not words.amount:
        return words.kind
    if words.kind == "amount":
        return str(words.amount)
    return f"{words.kind} {'by ' if words.by else 'to ' if words.kind == 'raise' else ''}{words.amount}"


def _puts_forward(seat: int, parts: Parts) -> Step:
    if "back" not in parts:
        return hand.Moves(seat, chips_in(parts))
    cut = parts.index("back")
    return hand.Moves(seat, chips_in(parts[:cut]), chips_in(parts[cut + 1 :]))


def _motion(step: Step) -> str:
    assert isinstance(step, hand.Moves)
    back = ["back"] if step.forward and step.back else []
    return " ".join(map(str, [*step.forward, *back, *step.back]))


def _to_seat(seat: int, parts: Parts) -> Step:
    return table.ChangesSeat(seat, seat_in(only(parts, "the new seat")))


def _sits(seat: int, parts: Parts) -> Step:
    amount, rest = amount_in(parts[:1]), parts[1:]
    if rest == ["transfer"]:
        return table.Sits(seat, amount, transfer=True)
    if rest[:1] == ["as"] and len(rest) == 2:
        return table.Sits(seat, amount, rest[1])
    named = rest[2:] if rest[:1] == ["as"] else rest
    if named == ["in-stead"]:
        return table.Sits(seat, amount, rest[1] if rest[0] == "as" else "", in_stead=True)
    if rest:
        raise StepError(f"expected 'as NAME', 'transfer', 'in-stead' or nothing more, got {got(rest)}")
    return table.Sits(seat, amount)


def _sitting(step: Step) -> str:
    assert isinstance(step, table.Sits)
    how = " transfer" if step.transfer else " in-stead" if step.in_stead else ""
    return f"{step.amount}{f' as {step.name}' if step.name else ''}{how}"


def _marker(seat: int, parts: Parts) -> Step:
    amount, lender = _amount_and_seat(parts, "from")
    return table.GivesMarker(seat, amount, lender)


def _redeems(seat: int, parts: Parts) -> Step:
    amount, lender = _amount_and_seat(parts, "to")
    return table.Redeems(seat, amount, lender)


def _amount_and_seat(parts: Parts, joint: str) -> tuple[int, int]:
    """`100`, `100 from 5`: 0 for no seat."""
    amount, rest = amount_in(parts[:1]), parts[1:]
    if not rest:
        return amount, 0
    if len(rest) != 2 or rest[0] != joint:
        raise StepError(f"expected '{joint} SEAT' or nothing more, got {got(rest)}")
    return amount, seat_in(rest[1])


def _on_marker(step: Step) -> str:
    assert isinstance(step, table.GivesMarker | table.Redeems)
    joint = "from" if isinstance(step, table.GivesMarker) else "to"
    return f"{step.amount} {joint} {step.lender}" if step.lender else str(step.amount)


def _clock(_: int, parts: Parts) -> Step:
    word = only(parts, "minutes")
    if not is_number(word) or len(word) > len(str(MOST_MINUTES)) or not 1 <= int(word) <= MOST_MINUTES:
        raise StepError(f"expected minutes from 1 to {MOST_MINUTES}, got {quoted(word)}")
    return table.TimePasses(int(word))


def _floor_goes(_: int, parts: Parts) -> Step:
    on = parts == ["on"]
    if parts and not on:
        raise StepError(f"expected 'on' or nothing more, got {got(parts)}")
    return table.FloorGoes(on)


def _going(step: Step) -> str:
    assert isinstance(step, table.FloorGoes)
    return "on" if step.on else ""


def _counts(seat: int, parts: Parts) -> Step:
    return table.Counted(seat, None if parts == ["unknown"] else amount_in(parts, least=0))


def _count(step: Step) -> str:
    assert isinstance(step, table.Counted)
    return "unknown" if step.amount is None else str(step.amount)


def _dealer(_: int, parts: Parts) -> Step:
    if not parts:
        raise StepError("expected a name, got nothing")
    return table.ChangesDealer(" ".join(parts))


def _deals(_: int, parts: Parts) -> Step:
    closing = parts == ["closing"]
    nothing_more([] if closing else parts)
    return hand.Deals(closing)


def _dealing(step: Step) -> str:
    assert isinstance(step, hand.Deals)
    return "closing" if step.closing else ""


def _change(_: int, parts: Parts) -> Step:
    if not parts:
        raise StepError("expected a seat and an amount")
    return hand.Exchanges(seat_in(parts[0]), amount_in(parts[1:]))


def _floor_bet(_: int, parts: Parts) -> Step:
    return table.FloorSetsBet(seat_in(parts[0]), amount_in(parts[1:], least=0))


# --- all verbs ---

_DECLARES: Final = Form(hand.Declares, lambda seat, parts: hand.Declares(seat, _declaration(parts)), _declared)

SEAT_VERBS: Final[dict[str, Form]] = {
    "says": Form(hand.Says, lambda seat, parts: hand.Says(seat, _declaration(parts)), _declared),
    "said": Form(hand.Heard, lambda seat, parts: hand.Heard(seat, _declaration(parts)), _declared),
    "chips": Form(hand.Moves, _puts_forward, _motion),
    "takes": Form(hand.Moves, lambda seat, parts: hand.Moves(seat, back=chips_in(parts)), _motion),
    "was": seat_and_amount(hand.WasAnother),
    "in": seat_does(hand.PutsIn),
    "done": seat_does(hand.EndsMotion),
    "sit": Form(table.Sits, _sits, _sitting),
    "leave": seat_does(table.Leaves),
    "away": seat_does(table.GoesAway),
    "back": seat_does(table.ComesBack),
    "moves": Form(table.ChangesSeat, _to_seat, but_the_seat),
    "post": seat_does(hand.Posts),
    "straddle": seat_and_amount(hand.Straddles),
    "buys-button": seat_does(hand.BuysButton),
    "add": seat_and_amount(table.Adds),
    "cash": seat_and_amount(table.PlaysCash),
    "marker": Form(table.GivesMarker, _marker, _on_marker),
    "redeems": Form(table.Redeems, _redeems, _on_marker),
    "remove": seat_and_amount(table.Removes),
    "stack": Form(table.Counted, _counts, _count),
    "tip": seat_and_amount(table.Tips),
    "time": seat_and_amount(table.PaysTime),
}
"""After a seat; a verb that is not here is what the seat declares, and so is `time` without an amount."""

TABLE_VERBS: Final[dict[str, Form]] = {
    "bets-in": alone(hand.AllPutIn),
    "return": of_seat(hand.Returns),
    "change": Form(hand.Exchanges, _change, all_fields),
    "here": of_seat(hand.ActionOn),
    "bring-in": of_seat(hand.NamesBringIn),
    "first": of_seat(hand.NamesFirst),
    "open-pair": alone(hand.OpenPair),
    "deal": Form(hand.Deals, _deals, _dealing),
    "award": AWARD,
    "boards": Form(hand.RunsBoards, lambda _, parts: hand.RunsBoards(count_in(parts, MOST_BOARDS)), all_fields),
    "hand": alone(hand.StartsHand),
    "bomb": Form(hand.StartsBomb, lambda _, parts: hand.StartsBomb(amount_in(parts)), all_fields),
    "void": alone(hand.Voids),
    "chop": alone(hand.Chops),
    "undo": alone(hand.Undoes),
    "redo": alone(hand.Redoes),
    "skip": alone(hand.Skips),
    "drop": Form(hand.TakesDrop, lambda _, parts: hand.TakesDrop(amount_in(parts)), all_fields),
    "kitty": Form(hand.TakesKitty, lambda _, parts: hand.TakesKitty(amount_in(parts)), all_fields),
    "open": alone(table.Opens),
    "close": alone(table.Closes),
    "dealer": Form(table.ChangesDealer, _dealer, all_fields),
    "kill": of_seat(hand.Kills),
    "game": Form(table.PlaysGame, lambda _, parts: table.PlaysGame(only(parts, "the name of a game")), all_fields),
    "clock": Form(table.TimePasses, _clock, all_fields),
    "unplug": of_seat(table.TrayOut),
    "plug": of_seat(table.TrayBack),
}

FLOOR_VERBS: Final[dict[str, Form]] = {
    "bind": of_seat(table.FloorBinds),
    "release": of_seat(table.FloorReleases),
    "dead": of_seat(table.FloorKillsHand),
    "turn": of_seat(table.FloorGivesTurn),
    "button": of_seat(table.FloorPlacesButton),
    "pot": Form(table.FloorCountsPot, lambda _, parts: table.FloorCountsPot(amount_in(parts, least=0)), all_fields),
    "bet": Form(table.FloorSetsBet, _floor_bet, all_fields),
    "hold": alone(table.FloorHolds),
    "go": Form(table.FloorGoes, _floor_goes, _going),
}
"""After `floor`."""

VERBS: Final[Mapping[str, type[Step]]] = {
    "act": hand.Declares,
    **{verb: form.step for verb, form in (SEAT_VERBS | TABLE_VERBS | NOTE_VERBS).items()},
    **{f"floor {verb}": form.step for verb, form in FLOOR_VERBS.items()},
}
"""What each step is called without its seat and amounts; "act" is all that a seat declares."""

# --- reading ---


@lru_cache(maxsize=4096)
def parse(line: str) -> Step:
    """The step that a line says. Raises StepError with one line: what stands there and what was expected."""
    if len(line) > MOST_LINE:
        raise StepError(f"{quoted(line)}: expected at most {MOST_LINE} characters, got {len(line)}")
    parts = line.split()
    if not parts:
        raise StepError("'': expected something like '3 raise to 60'")
    try:
        return _seat_step(seat_in(parts[0]), parts[1:]) if is_number(parts[0]) else _table_step(parts[0], parts[1:])
    except StepError as error:
        raise StepError(f"{quoted(line)}: {error}") from None


def _seat_step(seat: int, parts: Parts) -> Step:
    if not parts:
        raise StepError("expected what the seat does, got nothing")
    form = SEAT_VERBS.get(parts[0])
    if form is None or parts == ["time"]:
        return _DECLARES.read(seat, parts)
    return form.read(seat, parts[1:])


def _table_step(verb: str, parts: Parts) -> Step:
    if verb == "floor":
        return _floor_step(parts)
    form = TABLE_VERBS.get(verb) or NOTE_VERBS.get(verb)
    if form is None:
        raise StepError(f"expected a seat number or one of {', '.join(sorted([*TABLE_VERBS, 'floor']))}")
    return form.read(0, parts)


_FLOOR: Final = "bind N, release N, dead N, turn N, button N, pot AMOUNT, bet N AMOUNT, hold or go"


def _floor_step(parts: Parts) -> Step:
    form = FLOOR_VERBS.get(parts[0]) if parts else None
    if form is None or parts == ["bet"]:
        raise StepError(f"expected floor {_FLOOR}")
    return form.read(0, parts[1:])


# --- printing ---


_PRINTED: Final[dict[type[Step], tuple[str, Form]]] = {
    **{form.step: (f" {verb}", form) for verb, form in SEAT_VERBS.items()},
    **{form.step: (verb, form) for verb, form in (TABLE_VERBS | NOTE_VERBS).items()},
    **{form.step: (f"floor {verb}", form) for verb, form in FLOOR_VERBS.items()},
    hand.Declares: (" ", _DECLARES),
}
"""By class, what stands before the words of a step; where that begins with a space, the seat comes first."""


@lru_cache(maxsize=4096)
def line(step: Step) -> str:
    """The step as a line: `parse(line(step)) == step`."""
    if isinstance(step, hand.Moves):
        return f"{step.seat} {'chips' if step.forward else 'takes'} {_motion(step)}"
    verb, form = _PRINTED[type(step)]
    seat = step.seat if isinstance(step, SeatStep) and verb.startswith(" ") else ""
    return " ".join(f"{seat}{verb} {form.write(step)}".split())
