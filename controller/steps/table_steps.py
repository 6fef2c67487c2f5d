"""Steps of the table: players and their chips, decisions of the floor, the clock and the seat sensors.

`script_language.py` parses and prints these steps, and the reducer applies them. Steps that change no money are in
`observations.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from controller.steps.base import NewStep, SeatAmountStep, SeatBefore, SeatStep, Step, Verb, WordFormat, Words
from controller.steps.word_formats import (
    AMOUNT,
    AMOUNT_OR_ZERO,
    NO_WORDS,
    PERSON_NAME,
    SEAT,
    StepSyntaxError,
    is_number,
    optional_word,
    parse_amount,
    parse_seat,
    parse_single_word,
    quote_text,
    quote_words,
    seat_and_amount,
    single_word,
)

MAX_CLOCK_MINUTES: Final = 1_000_000
"""Maximum number of minutes in one `clock` step. The limit of about two years is longer than any pause of a table."""


# --- formats of single verbs ---


def _parse_change_seat(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `3 moves 7`."""
    return new(*seat, parse_seat(parse_single_word(words, "the new seat")))


def _parse_sit_down(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `3 sit 200`, with its options."""
    amount, option_words = parse_amount(words[:1]), words[1:]
    if option_words == ["transfer"]:
        return new(*seat, amount, is_transfer=True)
    if option_words == ["in-stead"]:
        return new(*seat, amount, takes_over_blinds=True)
    if option_words[:1] == ["as"] and len(option_words) > 1:
        takes_over_blinds = len(option_words) > 2 and option_words[-1] == "in-stead"
        name_words = option_words[1:-1] if takes_over_blinds else option_words[1:]
        return new(*seat, amount, " ".join(name_words), takes_over_blinds=takes_over_blinds)
    if option_words:
        raise StepSyntaxError(
            f"expected 'as NAME', 'transfer', 'in-stead' or nothing more, got {quote_words(option_words)}"
        )
    return new(*seat, amount)


def _format_sit_down(step: Any) -> str:
    """Return the words that follow `sit` in the line of the step."""
    suffix = " transfer" if step.is_transfer else " in-stead" if step.takes_over_blinds else ""
    return f"{step.amount}{f' as {step.name}' if step.name else ''}{suffix}"


def _parse_amount_and_lender(words: Words, preposition: str) -> tuple[int, int]:
    """Return the amount and the seat that words such as `100 from 5` name.

    The seat is 0 if the words name no seat.
    """
    amount, lender_words = parse_amount(words[:1]), words[1:]
    if not lender_words:
        return amount, 0
    if len(lender_words) != 2 or lender_words[0] != preposition:
        raise StepSyntaxError(f"expected '{preposition} SEAT' or nothing more, got {quote_words(lender_words)}")
    return amount, parse_seat(lender_words[1])


def _loan(preposition: str) -> WordFormat:
    """Return the format of `3 marker 100 from 5` and `3 redeems 100 to 5`, with or without the other seat."""

    def format_loan(step: Any) -> str:
        return f"{step.amount} {preposition} {step.lender}" if step.lender else str(step.amount)

    return WordFormat(lambda new, seat, words: new(*seat, *_parse_amount_and_lender(words, preposition)), format_loan)


def _parse_clock(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `clock 90`."""
    word = parse_single_word(words, "minutes")
    if not is_number(word) or len(word) > len(str(MAX_CLOCK_MINUTES)) or not 1 <= int(word) <= MAX_CLOCK_MINUTES:
        raise StepSyntaxError(f"expected minutes from 1 to {MAX_CLOCK_MINUTES}, got {quote_text(word)}")
    return new(int(word))


def _parse_count_stack(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `3 stack 1240` or `3 stack unknown`."""
    return new(*seat, None if words == ["unknown"] else parse_amount(words, minimum=0))


def _format_count_stack(step: Any) -> str:
    """Return the words that follow `stack` in the line of the step."""
    return "unknown" if step.amount is None else str(step.amount)


_NEW_SEAT: Final = WordFormat(_parse_change_seat)
_BUY_IN: Final = WordFormat(_parse_sit_down, _format_sit_down)
_MINUTES: Final = WordFormat(_parse_clock)
_STACK: Final = WordFormat(_parse_count_stack, _format_count_stack)


def _floor(word: str, words: WordFormat, summary: str, *, is_idempotent: bool = True) -> Verb:
    """Return the verb of a decision of the floor, such as `floor bind`."""
    return Verb(f"floor {word}", words, summary, owner="floor", is_idempotent=is_idempotent)


# --- between hands ---


@dataclass(frozen=True, slots=True)
class ChangesGame(Step):
    """`game NAME`: the next hand is played with another game of a mix, or with the next level."""

    verb: ClassVar[Verb] = Verb(
        "game", single_word("the name of a game"), summary="plays-game", owner="floor", is_idempotent=True
    )

    name: str


@dataclass(frozen=True, slots=True)
class OpensTable(Step):
    """`open`: a closed table opens with empty accounts."""

    verb: ClassVar[Verb] = Verb("open", NO_WORDS, summary="opens")


@dataclass(frozen=True, slots=True)
class ClosesTable(Step):
    """`close`: all players leave with their chips, and the table closes."""

    verb: ClassVar[Verb] = Verb("close", NO_WORDS, summary="closes")


@dataclass(frozen=True, slots=True)
class ChangesDealer(Step):
    """`dealer NAME`: another dealer deals from now on."""

    verb: ClassVar[Verb] = Verb("dealer", PERSON_NAME, summary="changes-dealer")

    name: str


@dataclass(frozen=True, slots=True)
class FillsTray(Step):
    """`fill 500`: chips for 500 came from the cage to the dealer's tray."""

    verb: ClassVar[Verb] = Verb("fill", AMOUNT, summary="fills-tray", owner="floor")

    amount: int


@dataclass(frozen=True, slots=True)
class CreditsTray(Step):
    """`credit 500`: chips for 500 went from the dealer's tray to the cage."""

    verb: ClassVar[Verb] = Verb("credit", AMOUNT, summary="credits-tray", owner="floor")

    amount: int


@dataclass(frozen=True, slots=True)
class SitsDown(SeatStep):
    """`3 sit 200`, `3 sit 200 as Ann Lee`, `3 sit 200 transfer`, `3 sit 200 in-stead`: a player sits down with 200.

    With `in-stead`, the player takes over the blinds of the player who has just left this seat.
    """

    verb: ClassVar[Verb] = Verb("sit", _BUY_IN, summary="sits", follows_seat=True)

    amount: int
    name: str = ""
    is_transfer: bool = False
    takes_over_blinds: bool = False


@dataclass(frozen=True, slots=True)
class CorrectsName(SeatStep):
    """`3 name Ann Lee`: the player at the seat has this name."""

    verb: ClassVar[Verb] = Verb("name", PERSON_NAME, summary="corrects-name", follows_seat=True)

    name: str


@dataclass(frozen=True, slots=True)
class LeavesTable(SeatStep):
    """`3 leave`: the player leaves the table."""

    verb: ClassVar[Verb] = Verb("leave", NO_WORDS, summary="leaves", follows_seat=True)


@dataclass(frozen=True, slots=True)
class GoesAway(SeatStep):
    """`3 away`: the player is absent."""

    verb: ClassVar[Verb] = Verb("away", NO_WORDS, summary="goes-away", follows_seat=True)


@dataclass(frozen=True, slots=True)
class ComesBack(SeatStep):
    """`3 back`: the player is present again."""

    verb: ClassVar[Verb] = Verb("back", NO_WORDS, summary="comes-back", follows_seat=True)


@dataclass(frozen=True, slots=True)
class ChangesSeat(SeatStep):
    """`3 moves 7`: the player moves to another seat with stack and debts."""

    verb: ClassVar[Verb] = Verb("moves", _NEW_SEAT, summary="changes-seat", follows_seat=True)

    new_seat: int


# --- chips and stacks ---


@dataclass(frozen=True, slots=True)
class AddsChips(SeatAmountStep):
    """`3 add 100`: the player in seat 3 adds chips for 100 to the stack."""

    verb: ClassVar[Verb] = Verb("add", AMOUNT, summary="adds", follows_seat=True)


@dataclass(frozen=True, slots=True)
class AddsCash(SeatAmountStep):
    """`3 cash 100`: the player in seat 3 adds cash of 100, which plays like chips."""

    verb: ClassVar[Verb] = Verb("cash", AMOUNT, summary="plays-cash", follows_seat=True)


@dataclass(frozen=True, slots=True)
class GivesMarker(SeatAmountStep):
    """`3 marker 100`, `3 marker 100 from 5`: at open stakes, a player bets a marker or borrows chips of seat 5."""

    verb: ClassVar[Verb] = Verb("marker", _loan("from"), summary="gives-marker", follows_seat=True)

    lender: int = 0
    """Seat that lends the chips. 0 if the marker is bet in place of chips, which all players in the pot have
    accepted."""


@dataclass(frozen=True, slots=True)
class RedeemsMarker(SeatAmountStep):
    """`3 redeems 100`, `3 redeems 100 to 5`: a player pays for a marker that was bet, or repays chips to seat 5."""

    verb: ClassVar[Verb] = Verb("redeems", _loan("to"), summary="redeems", follows_seat=True)

    lender: int = 0


@dataclass(frozen=True, slots=True)
class RemovesChips(SeatAmountStep):
    """`3 remove 100`: the player in seat 3 wants to take chips for 100 off the table."""

    verb: ClassVar[Verb] = Verb("remove", AMOUNT, summary="removes", follows_seat=True)


@dataclass(frozen=True, slots=True)
class CountsStack(SeatStep):
    """`3 stack 1240`, `3 stack unknown`: the stack of seat 3 was counted, or is unknown.

    `amount` is None if it is unknown.
    """

    verb: ClassVar[Verb] = Verb("stack", _STACK, summary="counted", follows_seat=True, is_idempotent=True)

    amount: int | None


@dataclass(frozen=True, slots=True)
class TipsDealer(SeatAmountStep):
    """`3 tip 5`: the player in seat 3 tips the dealer 5."""

    verb: ClassVar[Verb] = Verb("tip", AMOUNT, summary="tips", follows_seat=True)


@dataclass(frozen=True, slots=True)
class PaysTimeCollection(SeatAmountStep):
    """`3 time 6`: the player in seat 3 pays the house's fee of 6 for time at the table."""

    verb: ClassVar[Verb] = Verb("time", AMOUNT, summary="pays-time", follows_seat=True)


# --- after the hand ---


_QUEUED_KINDS: Final[Mapping[str, type[SeatStep]]] = {
    kind.verb.word: kind for kind in (SitsDown, LeavesTable, GoesAway, ComesBack, ChangesSeat, AddsChips, AddsCash)
}
"""Classes of steps that can wait for the end of the hand, by their verbs."""
_NOTHING: Final = "nothing"


def _parse_queued_step(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `3 later add 100` or `3 later nothing`."""
    if words == [_NOTHING]:
        return new(*seat, None)
    kind = _QUEUED_KINDS.get(words[0]) if words else None
    if kind is None:
        expected = ", ".join((*_QUEUED_KINDS, _NOTHING))
        raise StepSyntaxError(f"expected later and one of {expected}, got {quote_words(words)}")
    return new(*seat, kind.verb.words.parse(kind, seat, words[1:]))


def _format_queued_step(step: Any) -> str:
    """Return the words that follow `later` in the line of the step."""
    queued = step.queued
    return _NOTHING if queued is None else f"{queued.verb.word} {queued.verb.words.format(queued)}".strip()


@dataclass(frozen=True, slots=True)
class QueuesStep(SeatStep):
    """`3 later add 100`: the step is done when the hand in progress is over.

    `3 later nothing` takes back all steps of seat 3 that wait.
    """

    verb: ClassVar[Verb] = Verb(
        "later", WordFormat(_parse_queued_step, _format_queued_step), summary="queues", follows_seat=True
    )

    queued: SeatStep | None


# --- promotions ---


@dataclass(frozen=True, slots=True)
class PaysBounty(SeatAmountStep):
    """`3 bounty 100`: the house pays a bounty or another promotion of 100 to the player in seat 3."""

    verb: ClassVar[Verb] = Verb("bounty", AMOUNT, summary="bounty", follows_seat=True)


@dataclass(frozen=True, slots=True)
class CollectsFromEach(SeatAmountStep):
    """`3 from-each 5`: each other player of the last hand pays 5 to the player in seat 3."""

    verb: ClassVar[Verb] = Verb("from-each", AMOUNT, summary="collects-each", follows_seat=True)


@dataclass(frozen=True, slots=True)
class PaysEach(SeatAmountStep):
    """`3 to-each 10`: the player in seat 3 pays 10 to each other player of the last hand."""

    verb: ClassVar[Verb] = Verb("to-each", AMOUNT, summary="pays-each", follows_seat=True)


# --- decisions of the floor ---


@dataclass(frozen=True, slots=True)
class FloorSeatStep(SeatStep):
    """Decision of the floor about a seat."""


@dataclass(frozen=True, slots=True)
class FloorBindsAction(FloorSeatStep):
    """`floor bind 3`: the floor makes the waiting action of seat 3 binding."""

    verb: ClassVar[Verb] = _floor("bind", SEAT, "floor-binds")


@dataclass(frozen=True, slots=True)
class FloorReleasesAction(FloorSeatStep):
    """`floor release 3`: the floor cancels the waiting action of seat 3 as if it had not been made."""

    verb: ClassVar[Verb] = _floor("release", SEAT, "floor-releases", is_idempotent=False)


@dataclass(frozen=True, slots=True)
class FloorKillsHand(FloorSeatStep):
    """`floor dead 3`: the floor declares the hand of seat 3 dead."""

    verb: ClassVar[Verb] = _floor("dead", SEAT, "floor-kills-hand", is_idempotent=False)


@dataclass(frozen=True, slots=True)
class FloorCountsPot(Step):
    """`floor pot 640`: the floor has counted the pot, which contains 640."""

    verb: ClassVar[Verb] = _floor("pot", AMOUNT_OR_ZERO, "floor-counts-pot")

    amount: int


@dataclass(frozen=True, slots=True)
class FloorSetsBet(FloorSeatStep):
    """`floor bet 3 40`: the floor sets the bet of seat 3 in this round to 40."""

    verb: ClassVar[Verb] = _floor("bet", seat_and_amount(0), "floor-sets-bet")

    amount: int


@dataclass(frozen=True, slots=True)
class FloorPlacesButton(FloorSeatStep):
    """`floor button 5`: the floor places the dealer button at seat 5."""

    verb: ClassVar[Verb] = _floor("button", SEAT, "floor-places-button")


@dataclass(frozen=True, slots=True)
class FloorGivesTurn(FloorSeatStep):
    """`floor turn 3`: the floor gives the turn to seat 3."""

    verb: ClassVar[Verb] = _floor("turn", SEAT, "floor-gives-turn")


@dataclass(frozen=True, slots=True)
class FloorHoldsHands(Step):
    """`floor hold`: from now on each hand waits until the floor allows it to start (hand-for-hand play)."""

    verb: ClassVar[Verb] = _floor("hold", NO_WORDS, "floor-holds")


@dataclass(frozen=True, slots=True)
class FloorAllowsHand(Step):
    """`floor go`: one hand may start, and the hand after it waits again.

    `floor go on` ends hand-for-hand play.
    """

    verb: ClassVar[Verb] = _floor("go", optional_word("on"), "floor-goes", is_idempotent=False)

    ends_hold: bool = False


# --- clock and seat sensors ---


@dataclass(frozen=True, slots=True)
class TimePasses(Step):
    """`clock 90`: 90 minutes have passed."""

    verb: ClassVar[Verb] = Verb("clock", _MINUTES, summary="time-passes", owner="sensor", undo_policy="stays")

    minutes: int


@dataclass(frozen=True, slots=True)
class RecordSeatSensorOffline(SeatStep):
    """`unplug 3`: the seat sensor of seat 3 is offline."""

    verb: ClassVar[Verb] = Verb(
        "unplug", SEAT, summary="tray-out", owner="sensor", is_idempotent=True, undo_policy="stays"
    )


@dataclass(frozen=True, slots=True)
class RecordSeatSensorOnline(SeatStep):
    """`plug 3`: the seat sensor of seat 3 is online again."""

    verb: ClassVar[Verb] = Verb(
        "plug", SEAT, summary="tray-back", owner="sensor", is_idempotent=True, undo_policy="stays"
    )
