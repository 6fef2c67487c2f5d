"""Words of observations, which appear in the journal but not in table scripts: their types and their formats."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, get_args

from controller.steps.base import NewStep, SeatBefore, Step, WordFormat, Words, format_fields
from controller.steps.word_formats import (
    StepSyntaxError,
    parse_amount,
    parse_seat,
    quote_text,
    quote_words,
    require_end,
    single_word,
)
from hardware.events import Chip

AskedReason = Literal[
    "emptied",
    "own-stack",
    "last-pot",
    "splash",
    "covered",
    "copied",
    "change",
    "folded-seat",
    "left-over",
]
"""Reasons why chips wait for an explanation. The question to the dealer and its alert have the same name."""
PendingReason = Literal["doubt", "between", "deferred", AskedReason]
"""Reasons why the table has not explained the chips of a settled reading yet. `Disposition` describes each reason."""
Disposition = Literal["lies", "left", PendingReason]
"""Decision of the table about a settled reading, that is a stack that has come to rest on a spot.

- `lies`: the chips are explained, or another step in the same write records that the player moved them.
- `left`: the chips are ignored, because they arrived after an award.

All other decisions leave the reading without an explanation for now, so that the dealer is asked:

- `doubt`: the RFID reader is not sure which chips are on the spot.
- `between`: the chips arrived when nobody could bet, or during a sweep.
- `emptied`: the spot may have been swept.
- `deferred`: the chips may answer a bet of a later seat.
- `own-stack`: the chips may belong to the player's own stack, and not be a bet.
- `last-pot`: the chips may come from the last pot, and not be a bet.
- `splash`: the chips may belong to the next spot.
- `covered`: something may cover the chips.
- `copied`: a tag of the reading also answers on another spot.
- `change`: the chips may have been exchanged.
- `folded-seat`: the seat has folded and cannot bet.
- `left-over`: the chips may be the bet of the last street, which was not swept before the deal.
"""
ChipExplanation = Literal["bet", "nothing", "covered", "taken", "swept", "change"]
"""Dealer's answer to a question about chips of a seat.

- `bet`: the seat put in the chips as a bet.
- `nothing`: the chips are not a bet, and are ignored until they move.
- `covered`: the chips are still there, but something covers them.
- `taken`: the player took the chips back.
- `swept`: the dealer swept the chips into the pot, and they count as a bet.
- `change`: chips were exchanged, and nobody bet.
"""
FloorCallReason = Literal["", "ruling", "fill", "credit", "player", "service"]
"""Reason for a call for the floor, or "" if the dealer gave none.

- `ruling`: the floor should decide something.
- `fill`, `credit`: the dealer's tray needs chips of the cage, or has too many.
- `player`: a player asks for the floor, or disturbs the game.
- `service`: somebody should bring drinks, cards or cash, or clean up.
"""
CountPurpose = Literal["bet", "buy-in", "stack"]
"""Reason for a count on the count pad: to count a bet, a buy-in or a stack."""


def _without_trailing_space(step: Any) -> str:
    """Return all fields of the step. An empty text at the end leaves no space."""
    return format_fields(step).rstrip()


def _parse_name_and_text(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if not words:
        raise StepSyntaxError("expected a name, got nothing")
    return new(words[0], " ".join(words[1:]))


def _parse_setting(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if len(words) < 2:
        raise StepSyntaxError(f"expected a name and a setting, got {quote_words(words)}")
    return new(words[0], words[1], " ".join(words[2:]))


def _parse_name_and_count(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if len(words) < 2:
        raise StepSyntaxError(f"expected a name and a count, got {quote_words(words)}")
    return new(words[0], parse_amount(words[1:]))


def _parse_badge_list(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    count = parse_amount(words[:1], minimum=0)
    return new(count, parse_amount(words[1:])) if len(words) > 1 else new(count)


def _format_badge_list(step: Any) -> str:
    return f"{step.count} {step.number}" if step.number else f"{step.count}"


BADGE_LIST: Final = WordFormat(_parse_badge_list, _format_badge_list)
"""Format of `badges 12` and, with the number of a signed list, `badges 12 7`."""
NAME: Final = single_word("a name")
"""Format of `spot-back pot`."""
NAME_AND_TEXT: Final = WordFormat(_parse_name_and_text, _without_trailing_space)
"""Format of `spot-out pot REASON`."""
SETTING: Final = WordFormat(_parse_setting, _without_trailing_space)
"""Format of `misset odd afi 07, expected 00`."""
NAME_AND_COUNT: Final = WordFormat(_parse_name_and_count)
"""Format of `presses-lost keys 3`."""

_NO_SPOT_WORD = "-"
"""Word in place of the spot for an error that concerns no spot."""


def _parse_program_error(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if not words:
        raise StepSyntaxError(f"expected a spot or {_NO_SPOT_WORD}, got nothing")
    return new("" if words[0] == _NO_SPOT_WORD else words[0], " ".join(words[1:]))


PROGRAM_ERROR: Final = WordFormat(
    _parse_program_error, lambda step: f"{step.spot or _NO_SPOT_WORD} {step.detail}".rstrip()
)
"""Format of `failed bet4 TEXT` and `failed - TEXT`."""

_TAG_PATTERN = re.compile(r"[0-9A-Z]{1,64}")
_LAMMER_PATTERN = re.compile(r"[a-z][a-z-]*")


def _parse_tag_copied(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if len(words) != 3:
        raise StepSyntaxError(f"expected a tag and two spots, got {quote_words(words)}")
    return new(_require_match(words[0], _TAG_PATTERN, "a tag"), words[1], words[2])


def _parse_tag_weak(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    if len(words) < 2:
        raise StepSyntaxError(f"expected a tag and what its chip is worth, got {quote_words(words)}")
    return new(_require_match(words[0], _TAG_PATTERN, "a tag"), parse_amount(words[1:]))


TAG_AND_SPOTS: Final = WordFormat(_parse_tag_copied)
"""Format of `tag-copied E004… bet1 bet5`."""
TAG_AND_VALUE: Final = WordFormat(_parse_tag_weak)
"""Format of `tag-weak E004… 25`."""

_EXPLANATIONS: dict[str, ChipExplanation] = {word: word for word in get_args(ChipExplanation)}
_PARTIAL_BET_WORD = "of"
"""Word before the amount if only a part of the chips on the spot is a bet."""


def _parse_explanation(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `chips-are 4 bet`, `chips-are 4 of 600` or `chips-are 4 change 50`."""
    explanation = (
        "bet" if words[1:2] == [_PARTIAL_BET_WORD] else _EXPLANATIONS.get(words[1]) if len(words) > 1 else None
    )
    if explanation is None:
        raise StepSyntaxError(
            f"expected a seat and {', '.join(_EXPLANATIONS)} or {_PARTIAL_BET_WORD}, got {quote_words(words)}"
        )
    seat, amount_words = parse_seat(words[0]), words[2:]
    if explanation == "change" or words[1] == _PARTIAL_BET_WORD:
        return new(seat, explanation, parse_amount(amount_words))
    require_end(amount_words)
    return new(seat, explanation)


def _format_explanation(step: Any) -> str:
    """Return the words that follow `chips-are` in the line of the step."""
    if not step.amount:
        return f"{step.seat} {step.explanation}"
    return f"{step.seat} {_PARTIAL_BET_WORD if step.explanation == 'bet' else step.explanation} {step.amount}"


EXPLANATION: Final = WordFormat(_parse_explanation, _format_explanation)
"""Format of `chips-are 4 bet`, `chips-are 4 of 600` and `chips-are 4 change 50`."""

_COUNT_PURPOSES: dict[str, CountPurpose] = {word: word for word in get_args(CountPurpose)}


def _parse_pad_count(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `count 4 bet`."""
    purpose = _COUNT_PURPOSES.get(words[1]) if len(words) == 2 else None
    if purpose is None:
        raise StepSyntaxError(f"expected a seat and {', '.join(_COUNT_PURPOSES)}, got {quote_words(words)}")
    return new(parse_seat(words[0]), purpose)


PAD_COUNT: Final = WordFormat(_parse_pad_count)
"""Format of `count 4 bet`."""

_FLOOR_CALL_REASONS: dict[str, FloorCallReason] = {word: word for word in get_args(FloorCallReason) if word}


def _parse_floor_call(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `call-floor` or `call-floor fill`."""
    if not words:
        return new()
    reason = _FLOOR_CALL_REASONS.get(words[0]) if len(words) == 1 else None
    if reason is None:
        raise StepSyntaxError(f"expected {', '.join(_FLOOR_CALL_REASONS)} or nothing more, got {quote_words(words)}")
    return new(reason)


FLOOR_CALL: Final = WordFormat(_parse_floor_call)
"""Format of `call-floor` and `call-floor fill`."""

_DISPOSITIONS: dict[str, Disposition] = {word: word for word in get_args(Disposition)}
_LIST_WORDS = ("came", "went", "strangers", "lammers", "heard")


def _parse_reading(new: NewStep, _seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `spot bet4 lies came 25:E004… lammers button at-least`."""
    disposition = _DISPOSITIONS.get(words[1]) if len(words) > 1 else None
    if disposition is None:
        raise StepSyntaxError(f"expected a spot and {', '.join(_DISPOSITIONS)}, got {quote_words(words)}")
    flags = {flag for flag in ("at-least", "more") if flag in words[2:]}
    lists: dict[str, list[str]] = {name: [] for name in _LIST_WORDS}
    current_list: list[str] | None = None
    for word in words[2:]:
        if word in flags:
            current_list = None
        elif word in lists:
            current_list = lists[word]
        elif current_list is None:
            raise StepSyntaxError(f"expected {', '.join(_LIST_WORDS)}, at-least or more, got {quote_text(word)}")
        else:
            current_list.append(word)
    return new(
        words[0],
        disposition,
        added=tuple(map(_parse_chip, lists["came"])),
        removed_tags=tuple(_require_match(word, _TAG_PATTERN, "a tag") for word in lists["went"]),
        unknown_tags=tuple(_require_match(word, _TAG_PATTERN, "a tag") for word in lists["strangers"]),
        lammers=tuple(_require_match(word, _LAMMER_PATTERN, "a lammer") for word in lists["lammers"]),
        at_least="at-least" in flags,
        is_continuation="more" in flags,
        heard_at_bet_spot=tuple(_require_match(word, _TAG_PATTERN, "a tag") for word in lists["heard"]),
    )


def _parse_chip(word: str) -> Chip:
    """Return the chip for a word with its value and tag, such as `25:E004…`."""
    amount, _, uid = word.partition(":")
    return Chip(_require_match(uid, _TAG_PATTERN, "a chip as AMOUNT:TAG"), parse_amount([amount]))


def _require_match(word: str, pattern: re.Pattern[str], expected: str) -> str:
    """Return the word unchanged. Raise StepSyntaxError if it does not match the pattern."""
    if not pattern.fullmatch(word):
        raise StepSyntaxError(f"expected {expected}, got {quote_text(word)}")
    return word


def _format_reading(step: Any) -> str:
    """Return the words that follow `spot` in the line of the step."""
    added = [f"{chip.denomination}:{chip.uid}" for chip in step.added]
    lists = zip(
        _LIST_WORDS, (added, step.removed_tags, step.unknown_tags, step.lammers, step.heard_at_bet_spot), strict=True
    )
    lists_words = [f"{name} {' '.join(items)}" for name, items in lists if items]
    flags = [flag for flag, is_set in (("at-least", step.at_least), ("more", step.is_continuation)) if is_set]
    return " ".join([step.spot, step.disposition, *lists_words, *flags])


READING: Final = WordFormat(_parse_reading, _format_reading)
"""Format of `spot bet4 lies came 25:E004… lammers button at-least`."""
