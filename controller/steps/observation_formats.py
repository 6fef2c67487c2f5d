"""Parsers and printers of observations, which appear in the journal but not in table scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, get_args

from controller.steps import observations
from controller.steps.base import Step
from controller.steps.observations import (
    ChipExplanation,
    CountPurpose,
    Disposition,
    ExplainsChips,
    RecordProgramError,
    RecordSpotReading,
    StartsPadCount,
)
from controller.steps.verb_arguments import (
    RemainingWords,
    StepSyntaxError,
    VerbFormat,
    bare_verb,
    format_all_fields,
    parse_amount,
    parse_seat,
    parse_single_word,
    quote_text,
    quote_words,
    require_end,
    verb_with_seat,
)
from hardware.events import Chip

MAX_READING_CHARS: Final = 3400
"""Maximum length of the line for one reading, in characters. `split_reading` divides longer readings, so that each line
stays below the maximum length of a step."""


def _name_verb(create: Callable[[str], Step], step: type[Step]) -> VerbFormat:
    """Return the parser and printer of lines with a name, such as `spot-back pot`."""
    return VerbFormat(step, lambda _seat, parts: create(parse_single_word(parts, "a name")), format_all_fields)


def _name_and_text_verb(create: Callable[[str, str], Step], step: type[Step]) -> VerbFormat:
    """Return the parser and printer of lines with a name and a text, such as `spot-out pot REASON`."""

    def parse(_seat: int, parts: RemainingWords) -> Step:
        if not parts:
            raise StepSyntaxError("expected a name, got nothing")
        return create(parts[0], " ".join(parts[1:]))

    return VerbFormat(step, parse, lambda recorded: format_all_fields(recorded).rstrip())


def _parse_misconfigured(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `misset odd afi 07, expected 00`."""
    if len(parts) < 2:
        raise StepSyntaxError(f"expected a name and a setting, got {quote_words(parts)}")
    return observations.RecordDeviceMisconfigured(parts[0], parts[1], " ".join(parts[2:]))


def _parse_presses_lost(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `presses-lost keys 3`."""
    if len(parts) < 2:
        raise StepSyntaxError(f"expected a name and a count, got {quote_words(parts)}")
    return observations.RecordPressesLost(parts[0], parse_amount(parts[1:]))


_NO_SPOT_WORD = "-"
"""Word in place of the spot for an error that concerns no spot."""


def _parse_program_error(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `failed bet4 TEXT` or `failed - TEXT`."""
    if not parts:
        raise StepSyntaxError(f"expected a spot or {_NO_SPOT_WORD}, got nothing")
    return RecordProgramError("" if parts[0] == _NO_SPOT_WORD else parts[0], " ".join(parts[1:]))


def _format_program_error(step: Step) -> str:
    """Return the words that follow `failed` in the line of the step."""
    assert isinstance(step, RecordProgramError)
    return f"{step.spot or _NO_SPOT_WORD} {step.detail}".rstrip()


def _parse_tag_copied(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `tag-copied E004… bet1 bet5`."""
    if len(parts) != 3:
        raise StepSyntaxError(f"expected a tag and two spots, got {quote_words(parts)}")
    return observations.RecordTagCopied(_require_match(parts[0], _TAG_PATTERN, "a tag"), parts[1], parts[2])


def _parse_tag_weak(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `tag-weak E004… 25`."""
    if len(parts) < 2:
        raise StepSyntaxError(f"expected a tag and what its chip is worth, got {quote_words(parts)}")
    return observations.RecordTagWeak(_require_match(parts[0], _TAG_PATTERN, "a tag"), parse_amount(parts[1:]))


_EXPLANATIONS: dict[str, ChipExplanation] = {word: word for word in get_args(ChipExplanation)}
_PARTIAL_BET_WORD = "of"
"""Word before the amount if only a part of the chips on the spot is a bet."""


def _parse_explanation(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `chips-are 4 bet`, `chips-are 4 of 600` or `chips-are 4 change 50`."""
    explanation = (
        "bet" if parts[1:2] == [_PARTIAL_BET_WORD] else _EXPLANATIONS.get(parts[1]) if len(parts) > 1 else None
    )
    if explanation is None:
        raise StepSyntaxError(
            f"expected a seat and {', '.join(_EXPLANATIONS)} or {_PARTIAL_BET_WORD}, got {quote_words(parts)}"
        )
    seat, amount_words = parse_seat(parts[0]), parts[2:]
    if explanation == "change" or parts[1] == _PARTIAL_BET_WORD:
        return ExplainsChips(seat, explanation, parse_amount(amount_words))
    require_end(amount_words)
    return ExplainsChips(seat, explanation)


def _format_explanation(step: Step) -> str:
    """Return the words that follow `chips-are` in the line of the step."""
    assert isinstance(step, ExplainsChips)
    if not step.amount:
        return f"{step.seat} {step.explanation}"
    return f"{step.seat} {_PARTIAL_BET_WORD if step.explanation == 'bet' else step.explanation} {step.amount}"


_COUNT_PURPOSES: dict[str, CountPurpose] = {word: word for word in get_args(CountPurpose)}


def _parse_pad_count(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `count 4 bet`."""
    purpose = _COUNT_PURPOSES.get(parts[1]) if len(parts) == 2 else None
    if purpose is None:
        raise StepSyntaxError(f"expected a seat and {', '.join(_COUNT_PURPOSES)}, got {quote_words(parts)}")
    return StartsPadCount(parse_seat(parts[0]), purpose)


_DISPOSITIONS: dict[str, Disposition] = {word: word for word in get_args(Disposition)}
_LIST_WORDS = ("came", "went", "strangers", "lammers", "heard")
_TAG_PATTERN = re.compile(r"[0-9A-Z]{1,64}")
_LAMMER_PATTERN = re.compile(r"[a-z][a-z-]*")


def _parse_reading(_seat: int, parts: RemainingWords) -> Step:
    """Return the step for a line such as `spot bet4 lies came 25:E004… lammers button at-least`."""
    disposition = _DISPOSITIONS.get(parts[1]) if len(parts) > 1 else None
    if disposition is None:
        raise StepSyntaxError(f"expected a spot and {', '.join(_DISPOSITIONS)}, got {quote_words(parts)}")
    flags = {flag for flag in ("at-least", "more") if flag in parts[2:]}
    lists: dict[str, list[str]] = {name: [] for name in _LIST_WORDS}
    current_list: list[str] | None = None
    for word in parts[2:]:
        if word in flags:
            current_list = None
        elif word in lists:
            current_list = lists[word]
        elif current_list is None:
            raise StepSyntaxError(f"expected {', '.join(_LIST_WORDS)}, at-least or more, got {quote_text(word)}")
        else:
            current_list.append(word)
    return RecordSpotReading(
        parts[0],
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


def _format_reading(step: Step) -> str:
    """Return the words that follow `spot` in the line of the step."""
    assert isinstance(step, RecordSpotReading)
    added = [f"{chip.denomination}:{chip.uid}" for chip in step.added]
    lists = zip(
        _LIST_WORDS, (added, step.removed_tags, step.unknown_tags, step.lammers, step.heard_at_bet_spot), strict=True
    )
    words = [f"{name} {' '.join(items)}" for name, items in lists if items]
    flags = [flag for flag, is_set in (("at-least", step.at_least), ("more", step.is_continuation)) if is_set]
    return " ".join([step.spot, step.disposition, *words, *flags])


def split_reading(step: RecordSpotReading) -> tuple[RecordSpotReading, ...]:
    """Return steps that together have the effect of this reading.

    The line of each step is shorter than `MAX_READING_CHARS`.
    """
    if len(_format_reading(step)) + len("spot ") < MAX_READING_CHARS:
        return (step,)
    middle = max(1, max(len(step.added), len(step.removed_tags), len(step.unknown_tags), len(step.lammers)) // 2)
    first, rest = _slice_of_reading(step, 0, middle), _slice_of_reading(step, middle, None)
    return (*split_reading(first), *split_reading(replace(rest, is_continuation=True)))


def _slice_of_reading(step: RecordSpotReading, begin: int, end: int | None) -> RecordSpotReading:
    """Return a copy of the reading in which each list has only the items from `begin` to `end`."""
    selection = slice(begin, end)
    added = step.added[selection]
    uids = {chip.uid for chip in added}
    return replace(
        step,
        added=added,
        removed_tags=step.removed_tags[selection],
        unknown_tags=step.unknown_tags[selection],
        lammers=step.lammers[selection],
        heard_at_bet_spot=tuple(uid for uid in step.heard_at_bet_spot if uid in uids),
    )


OBSERVATION_FORMATS: Final[dict[str, VerbFormat]] = {
    "spot": VerbFormat(RecordSpotReading, _parse_reading, _format_reading),
    "spot-out": _name_and_text_verb(observations.RecordSpotOffline, observations.RecordSpotOffline),
    "spot-back": _name_verb(observations.RecordSpotOnline, observations.RecordSpotOnline),
    "down": _name_and_text_verb(observations.RecordDeviceDown, observations.RecordDeviceDown),
    "up": _name_verb(observations.RecordDeviceUp, observations.RecordDeviceUp),
    "misset": VerbFormat(
        observations.RecordDeviceMisconfigured,
        _parse_misconfigured,
        lambda recorded: format_all_fields(recorded).rstrip(),
    ),
    "presses-lost": VerbFormat(observations.RecordPressesLost, _parse_presses_lost, format_all_fields),
    "failed": VerbFormat(RecordProgramError, _parse_program_error, _format_program_error),
    "tag-copied": VerbFormat(observations.RecordTagCopied, _parse_tag_copied, format_all_fields),
    "tag-weak": VerbFormat(observations.RecordTagWeak, _parse_tag_weak, format_all_fields),
    "tags-checked": bare_verb(observations.TagsChecked),
    "out-of-turn": verb_with_seat(observations.AnswersOutOfTurn),
    "acts-now": verb_with_seat(observations.AnswersActsNow),
    "chips-are": VerbFormat(ExplainsChips, _parse_explanation, _format_explanation),
    "count": VerbFormat(StartsPadCount, _parse_pad_count, format_all_fields),
    "counted": bare_verb(observations.AcceptsPadCount),
    "count-off": bare_verb(observations.DiscardsPadCount),
    "confirmed": verb_with_seat(observations.ConfirmsSensorReading),
    "too-early": bare_verb(observations.DealtBeforeBettingClosed),
    "key-late": verb_with_seat(observations.LateKeyIgnored),
    "call-floor": bare_verb(observations.CallsFloor),
    "floor-came": bare_verb(observations.ClearsFloorCall),
    "restarted": bare_verb(observations.ServiceRestarted),
    "restart-checked": bare_verb(observations.RestartChecked),
    "records-damaged": bare_verb(observations.JournalDamaged),
    "records-altered": _name_verb(observations.JournalAltered, observations.JournalAltered),
    "records-missed": VerbFormat(
        observations.StepsNotRecorded,
        lambda _, parts: observations.StepsNotRecorded(parse_amount(parts)),
        format_all_fields,
    ),
    "badges": VerbFormat(
        observations.BadgeListLoaded,
        lambda _, parts: observations.BadgeListLoaded(parse_amount(parts, minimum=0)),
        format_all_fields,
    ),
    "denied": _name_and_text_verb(observations.CommandDenied, observations.CommandDenied),
    "records-checked": bare_verb(observations.JournalChecked),
}
"""Parsers and printers of observations by the first word of the line. Table scripts cannot contain these lines."""
