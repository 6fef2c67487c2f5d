"""Language of steps: `parse_step` parses a line, and `format_step` prints a step as a line.

Table scripts, the journal and the sockets use the same lines. Observations of sensors, people and the service appear
only in the journal and on the sockets, not in table scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, get_args

from controller.rules import MAX_BOARDS
from controller.steps import hand_steps, table_steps
from controller.steps.award_format import AWARD_FORMAT
from controller.steps.base import SeatStep, Step
from controller.steps.hand_steps import Declaration, DeclarationKind
from controller.steps.observation_formats import OBSERVATION_FORMATS
from controller.steps.verb_arguments import (
    RemainingWords,
    StepSyntaxError,
    VerbFormat,
    bare_verb,
    format_all_fields,
    format_without_seat,
    is_number,
    parse_amount,
    parse_chips,
    parse_count,
    parse_seat,
    parse_single_word,
    quote_text,
    quote_words,
    require_end,
    seat_amount_verb,
    seat_verb,
    verb_with_seat,
)

MAX_LINE_CHARS: Final = 4000
"""Maximum length of the line of a step, in characters. The limit is enough for `MAX_CHIPS_PER_MOTION` chips with the
largest amounts."""
MAX_CLOCK_MINUTES: Final = 1_000_000
"""Maximum number of minutes in one `clock` step. The limit of about two years is longer than any pause of a table."""

# --- formats of single verbs ---

_KINDS_WITHOUT_AMOUNT: dict[str, DeclarationKind] = {
    kind: kind for kind in get_args(DeclarationKind) if kind != "amount"
}
"""Kinds of declarations that are possible without an amount."""


def _parse_declaration(parts: RemainingWords) -> Declaration:
    """Return the declaration that the words describe."""
    kind = _KINDS_WITHOUT_AMOUNT.get(parts[0]) if parts else None
    if kind is not None and len(parts) == 1:
        return Declaration(kind)
    if kind == "bet":
        return Declaration(kind, parse_amount(parts[1:]))
    if len(parts) == 1 and is_number(parts[0]):
        return Declaration("amount", parse_amount(parts))
    if kind == "raise":
        amount_words = parts[1:]
        if amount_words[0] in ("to", "by"):
            return Declaration(kind, parse_amount(amount_words[1:]), is_raise_by=amount_words[0] == "by")
        if len(amount_words) > 1:
            raise StepSyntaxError(f"expected 'raise', 'raise to N' or 'raise by N', got {quote_words(parts)}")
        return Declaration(kind, parse_amount(amount_words))
    expected = "fold, check, call, bet N, raise, raise to N, raise by N, complete, pot, all-in, time or an amount"
    raise StepSyntaxError(f"expected {expected}, got {quote_words(parts)}")


def _format_declaration(step: Step) -> str:
    """Return the words that describe a declaration."""
    assert isinstance(step, hand_steps.Declares | hand_steps.SpeaksOnly | hand_steps.SpokeBeforeChips)
    declaration = step.declaration
    if not declaration.amount:
        return declaration.kind
    if declaration.kind == "amount":
        return str(declaration.amount)
    preposition = "by " if declaration.is_raise_by else "to " if declaration.kind == "raise" else ""
    return f"{declaration.kind} {preposition}{declaration.amount}"


def _parse_chips_forward(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 chips 25 25` or `3 chips 25 back 5`."""
    if "back" not in parts:
        return hand_steps.MovesChips(seat, parse_chips(parts))
    back_position = parts.index("back")
    return hand_steps.MovesChips(seat, parse_chips(parts[:back_position]), parse_chips(parts[back_position + 1 :]))


def _format_motion(step: Step) -> str:
    """Return the words for chips that a seat puts in and takes back, such as `25 back 5`."""
    assert isinstance(step, hand_steps.MovesChips)
    back = ["back"] if step.forward and step.back else []
    return " ".join(map(str, [*step.forward, *back, *step.back]))


def _parse_change_seat(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 moves 7`."""
    return table_steps.ChangesSeat(seat, parse_seat(parse_single_word(parts, "the new seat")))


def _parse_sit_down(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 sit 200`, with its options."""
    amount, option_words = parse_amount(parts[:1]), parts[1:]
    if option_words == ["transfer"]:
        return table_steps.SitsDown(seat, amount, is_transfer=True)
    if option_words[:1] == ["as"] and len(option_words) == 2:
        return table_steps.SitsDown(seat, amount, option_words[1])
    words_after_name = option_words[2:] if option_words[:1] == ["as"] else option_words
    if words_after_name == ["in-stead"]:
        return table_steps.SitsDown(
            seat, amount, option_words[1] if option_words[0] == "as" else "", takes_over_blinds=True
        )
    if option_words:
        raise StepSyntaxError(
            f"expected 'as NAME', 'transfer', 'in-stead' or nothing more, got {quote_words(option_words)}"
        )
    return table_steps.SitsDown(seat, amount)


def _format_sit_down(step: Step) -> str:
    """Return the words that follow `sit` in the line of the step."""
    assert isinstance(step, table_steps.SitsDown)
    suffix = " transfer" if step.is_transfer else " in-stead" if step.takes_over_blinds else ""
    return f"{step.amount}{f' as {step.name}' if step.name else ''}{suffix}"


def _parse_give_marker(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 marker 100` or `3 marker 100 from 5`."""
    amount, lender = _parse_amount_and_lender(parts, "from")
    return table_steps.GivesMarker(seat, amount, lender)


def _parse_redeem_marker(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 redeems 100` or `3 redeems 100 to 5`."""
    amount, lender = _parse_amount_and_lender(parts, "to")
    return table_steps.RedeemsMarker(seat, amount, lender)


def _parse_amount_and_lender(parts: RemainingWords, preposition: str) -> tuple[int, int]:
    """Return the amount and the seat that words such as `100 from 5` name.

    The seat is 0 if the words name no seat.
    """
    amount, lender_words = parse_amount(parts[:1]), parts[1:]
    if not lender_words:
        return amount, 0
    if len(lender_words) != 2 or lender_words[0] != preposition:
        raise StepSyntaxError(f"expected '{preposition} SEAT' or nothing more, got {quote_words(lender_words)}")
    return amount, parse_seat(lender_words[1])


def _format_marker(step: Step) -> str:
    """Return the words that follow `marker` or `redeems` in the line of the step."""
    assert isinstance(step, table_steps.GivesMarker | table_steps.RedeemsMarker)
    preposition = "from" if isinstance(step, table_steps.GivesMarker) else "to"
    return f"{step.amount} {preposition} {step.lender}" if step.lender else str(step.amount)


def _parse_clock(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `clock 90`."""
    word = parse_single_word(parts, "minutes")
    if not is_number(word) or len(word) > len(str(MAX_CLOCK_MINUTES)) or not 1 <= int(word) <= MAX_CLOCK_MINUTES:
        raise StepSyntaxError(f"expected minutes from 1 to {MAX_CLOCK_MINUTES}, got {quote_text(word)}")
    return table_steps.TimePasses(int(word))


def _parse_floor_go(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for the line `floor go` or `floor go on`."""
    ends_hold = parts == ["on"]
    if parts and not ends_hold:
        raise StepSyntaxError(f"expected 'on' or nothing more, got {quote_words(parts)}")
    return table_steps.FloorAllowsHand(ends_hold)


def _format_floor_go(step: Step) -> str:
    """Return the words that follow `floor go` in the line of the step."""
    assert isinstance(step, table_steps.FloorAllowsHand)
    return "on" if step.ends_hold else ""


def _parse_count_stack(seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `3 stack 1240` or `3 stack unknown`."""
    return table_steps.CountsStack(seat, None if parts == ["unknown"] else parse_amount(parts, minimum=0))


def _format_count_stack(step: Step) -> str:
    """Return the words that follow `stack` in the line of the step."""
    assert isinstance(step, table_steps.CountsStack)
    return "unknown" if step.amount is None else str(step.amount)


def _parse_dealer(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `dealer NAME`."""
    if not parts:
        raise StepSyntaxError("expected a name, got nothing")
    return table_steps.ChangesDealer(" ".join(parts))


def _parse_deal(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for the line `deal` or `deal closing`."""
    closes_betting = parts == ["closing"]
    require_end([] if closes_betting else parts)
    return hand_steps.DealsStreet(closes_betting)


def _format_deal(step: Step) -> str:
    """Return the words that follow `deal` in the line of the step."""
    assert isinstance(step, hand_steps.DealsStreet)
    return "closing" if step.closes_betting else ""


def _parse_change(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `change 3 100`."""
    if not parts:
        raise StepSyntaxError("expected a seat and an amount")
    return hand_steps.MakesChange(parse_seat(parts[0]), parse_amount(parts[1:]))


def _parse_floor_bet(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `floor bet 3 40`."""
    return table_steps.FloorSetsBet(parse_seat(parts[0]), parse_amount(parts[1:], minimum=0))


# --- all verbs ---

_DECLARATION_FORMAT: Final = VerbFormat(
    hand_steps.Declares, lambda seat, parts: hand_steps.Declares(seat, _parse_declaration(parts)), _format_declaration
)

SEAT_VERB_FORMATS: Final[dict[str, VerbFormat]] = {
    "says": VerbFormat(
        hand_steps.SpeaksOnly,
        lambda seat, parts: hand_steps.SpeaksOnly(seat, _parse_declaration(parts)),
        _format_declaration,
    ),
    "said": VerbFormat(
        hand_steps.SpokeBeforeChips,
        lambda seat, parts: hand_steps.SpokeBeforeChips(seat, _parse_declaration(parts)),
        _format_declaration,
    ),
    "chips": VerbFormat(hand_steps.MovesChips, _parse_chips_forward, _format_motion),
    "takes": VerbFormat(
        hand_steps.MovesChips, lambda seat, parts: hand_steps.MovesChips(seat, back=parse_chips(parts)), _format_motion
    ),
    "was": seat_amount_verb(hand_steps.CorrectsWager),
    "in": seat_verb(hand_steps.PaysOwedChips),
    "done": seat_verb(hand_steps.EndsMotion),
    "sit": VerbFormat(table_steps.SitsDown, _parse_sit_down, _format_sit_down),
    "leave": seat_verb(table_steps.LeavesTable),
    "away": seat_verb(table_steps.GoesAway),
    "back": seat_verb(table_steps.ComesBack),
    "moves": VerbFormat(table_steps.ChangesSeat, _parse_change_seat, format_without_seat),
    "post": seat_verb(hand_steps.PostsToEnter),
    "straddle": seat_amount_verb(hand_steps.Straddles),
    "buys-button": seat_verb(hand_steps.BuysButton),
    "add": seat_amount_verb(table_steps.AddsChips),
    "cash": seat_amount_verb(table_steps.AddsCash),
    "marker": VerbFormat(table_steps.GivesMarker, _parse_give_marker, _format_marker),
    "redeems": VerbFormat(table_steps.RedeemsMarker, _parse_redeem_marker, _format_marker),
    "remove": seat_amount_verb(table_steps.RemovesChips),
    "stack": VerbFormat(table_steps.CountsStack, _parse_count_stack, _format_count_stack),
    "tip": seat_amount_verb(table_steps.TipsDealer),
    "time": seat_amount_verb(table_steps.PaysTimeCollection),
}
"""Parser and printer for each word that follows a seat number. All other words are declarations, and so is `time`
without an amount."""

TABLE_VERB_FORMATS: Final[dict[str, VerbFormat]] = {
    "bets-in": bare_verb(hand_steps.AllPayOwedChips),
    "return": verb_with_seat(hand_steps.ReturnsChips),
    "change": VerbFormat(hand_steps.MakesChange, _parse_change, format_all_fields),
    "here": verb_with_seat(hand_steps.ActionOn),
    "bring-in": verb_with_seat(hand_steps.NamesBringIn),
    "first": verb_with_seat(hand_steps.NamesFirstToAct),
    "open-pair": bare_verb(hand_steps.ShowsOpenPair),
    "deal": VerbFormat(hand_steps.DealsStreet, _parse_deal, _format_deal),
    "award": AWARD_FORMAT,
    "boards": VerbFormat(
        hand_steps.RunsMultipleBoards,
        lambda _, parts: hand_steps.RunsMultipleBoards(parse_count(parts, MAX_BOARDS)),
        format_all_fields,
    ),
    "hand": bare_verb(hand_steps.StartsHand),
    "bomb": VerbFormat(
        hand_steps.StartsBombPot, lambda _, parts: hand_steps.StartsBombPot(parse_amount(parts)), format_all_fields
    ),
    "void": bare_verb(hand_steps.VoidsHand),
    "chop": bare_verb(hand_steps.ChopsBlinds),
    "undo": bare_verb(hand_steps.Undoes),
    "redo": bare_verb(hand_steps.Redoes),
    "skip": bare_verb(hand_steps.SkipsHand),
    "drop": VerbFormat(
        hand_steps.TakesDrop, lambda _, parts: hand_steps.TakesDrop(parse_amount(parts)), format_all_fields
    ),
    "kitty": VerbFormat(
        hand_steps.TakesKitty, lambda _, parts: hand_steps.TakesKitty(parse_amount(parts)), format_all_fields
    ),
    "open": bare_verb(table_steps.OpensTable),
    "close": bare_verb(table_steps.ClosesTable),
    "dealer": VerbFormat(table_steps.ChangesDealer, _parse_dealer, format_all_fields),
    "kill": verb_with_seat(hand_steps.PostsKillBlind),
    "game": VerbFormat(
        table_steps.ChangesGame,
        lambda _, parts: table_steps.ChangesGame(parse_single_word(parts, "the name of a game")),
        format_all_fields,
    ),
    "clock": VerbFormat(table_steps.TimePasses, _parse_clock, format_all_fields),
    "unplug": verb_with_seat(table_steps.RecordSeatSensorOffline),
    "plug": verb_with_seat(table_steps.RecordSeatSensorOnline),
}
"""Parser and printer for each word that begins a line."""

FLOOR_VERB_FORMATS: Final[dict[str, VerbFormat]] = {
    "bind": verb_with_seat(table_steps.FloorBindsAction),
    "release": verb_with_seat(table_steps.FloorReleasesAction),
    "dead": verb_with_seat(table_steps.FloorKillsHand),
    "turn": verb_with_seat(table_steps.FloorGivesTurn),
    "button": verb_with_seat(table_steps.FloorPlacesButton),
    "pot": VerbFormat(
        table_steps.FloorCountsPot,
        lambda _, parts: table_steps.FloorCountsPot(parse_amount(parts, minimum=0)),
        format_all_fields,
    ),
    "bet": VerbFormat(table_steps.FloorSetsBet, _parse_floor_bet, format_all_fields),
    "hold": bare_verb(table_steps.FloorHoldsHands),
    "go": VerbFormat(table_steps.FloorAllowsHand, _parse_floor_go, _format_floor_go),
}
"""Parser and printer for each word that follows `floor`."""

STEP_CLASS_BY_VERB: Final[Mapping[str, type[Step]]] = {
    "act": hand_steps.Declares,
    **{verb: form.step_class for verb, form in (SEAT_VERB_FORMATS | TABLE_VERB_FORMATS | OBSERVATION_FORMATS).items()},
    **{f"floor {verb}": form.step_class for verb, form in FLOOR_VERB_FORMATS.items()},
}
"""Class of steps for each word that names a kind of step. "act" stands for all declarations of a seat."""

# --- reading ---


@lru_cache(maxsize=4096)
def parse_step(line: str) -> Step:
    """Return the step that a line describes.

    Raises StepSyntaxError with a message of one line that quotes the input and describes what was expected.
    """
    if len(line) > MAX_LINE_CHARS:
        raise StepSyntaxError(f"{quote_text(line)}: expected at most {MAX_LINE_CHARS} characters, got {len(line)}")
    parts = line.split()
    if not parts:
        raise StepSyntaxError("'': expected something like '3 raise to 60'")
    try:
        return (
            _parse_seat_step(parse_seat(parts[0]), parts[1:])
            if is_number(parts[0])
            else _parse_table_step(parts[0], parts[1:])
        )
    except StepSyntaxError as error:
        raise StepSyntaxError(f"{quote_text(line)}: {error}") from None


def _parse_seat_step(seat: int, parts: RemainingWords) -> Step:
    """Return the step for the words that follow a seat number."""
    if not parts:
        raise StepSyntaxError("expected what the seat does, got nothing")
    form = SEAT_VERB_FORMATS.get(parts[0])
    if form is None or parts == ["time"]:
        return _DECLARATION_FORMAT.parse_words(seat, parts)
    return form.parse_words(seat, parts[1:])


def _parse_table_step(verb: str, parts: RemainingWords) -> Step:
    """Return the step for a line that does not begin with a seat number."""
    if verb == "floor":
        return _parse_floor_step(parts)
    form = TABLE_VERB_FORMATS.get(verb) or OBSERVATION_FORMATS.get(verb)
    if form is None:
        raise StepSyntaxError(f"expected a seat number or one of {', '.join(sorted([*TABLE_VERB_FORMATS, 'floor']))}")
    return form.parse_words(0, parts)


_FLOOR_USAGE: Final = "bind N, release N, dead N, turn N, button N, pot AMOUNT, bet N AMOUNT, hold or go"
"""Forms of the lines that begin with `floor`, for the error message."""


def _parse_floor_step(parts: RemainingWords) -> Step:
    """Return the step for the words that follow `floor`."""
    form = FLOOR_VERB_FORMATS.get(parts[0]) if parts else None
    if form is None or parts == ["bet"]:
        raise StepSyntaxError(f"expected floor {_FLOOR_USAGE}")
    return form.parse_words(0, parts[1:])


# --- printing ---


_FORMAT_BY_CLASS: Final[dict[type[Step], tuple[str, VerbFormat]]] = {
    **{form.step_class: (f" {verb}", form) for verb, form in SEAT_VERB_FORMATS.items()},
    **{form.step_class: (verb, form) for verb, form in (TABLE_VERB_FORMATS | OBSERVATION_FORMATS).items()},
    **{form.step_class: (f"floor {verb}", form) for verb, form in FLOOR_VERB_FORMATS.items()},
    hand_steps.Declares: (" ", _DECLARATION_FORMAT),
}
"""First word, parser and printer for each class of steps. A word that begins with a space follows a seat number."""


@lru_cache(maxsize=4096)
def format_step(step: Step) -> str:
    """Return the line for a step, so that `parse_step(format_step(step)) == step`."""
    if isinstance(step, hand_steps.MovesChips):
        return f"{step.seat} {'chips' if step.forward else 'takes'} {_format_motion(step)}"
    verb, form = _FORMAT_BY_CLASS[type(step)]
    seat = step.seat if isinstance(step, SeatStep) and verb.startswith(" ") else ""
    return " ".join(f"{seat}{verb} {form.format_words(step)}".split())
