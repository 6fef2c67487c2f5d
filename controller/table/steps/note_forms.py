"""How notes are read and printed: lines of their own beside the table-script contract."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, get_args

from controller.table.steps import notes
from controller.table.steps.forms import (
    Form,
    Parts,
    StepError,
    all_fields,
    alone,
    amount_in,
    got,
    nothing_more,
    of_seat,
    only,
    quoted,
    seat_in,
)
from controller.table.steps.notes import ChipsAre, ChipsMeant, CountsFor, SpotFailed, SpotHolds, StartsCount, Taken
from controller.table.steps.step import Step
from hardware.events import Chip

MOST_PIECE: Final = 3400
"""Characters of what a spot was seen to hold; more is told in `pieces`."""


def _of_thing(make: Callable[[str], Step], step: type[Step]) -> Form:
    """`spot-back pot`."""
    return Form(step, lambda _, parts: make(only(parts, "a name")), all_fields)


def _thing_and_text(make: Callable[[str, str], Step], step: type[Step]) -> Form:
    """`spot-out pot REASON`."""

    def read(_: int, parts: Parts) -> Step:
        if not parts:
            raise StepError("expected a name, got nothing")
        return make(parts[0], " ".join(parts[1:]))

    return Form(step, read, lambda what: all_fields(what).rstrip())


def _misset(_: int, parts: Parts) -> Step:
    if len(parts) < 2:
        raise StepError(f"expected a name and a setting, got {got(parts)}")
    return notes.DeviceIsMisset(parts[0], parts[1], " ".join(parts[2:]))


def _loses(_: int, parts: Parts) -> Step:
    if len(parts) < 2:
        raise StepError(f"expected a name and a count, got {got(parts)}")
    return notes.LosesPresses(parts[0], amount_in(parts[1:]))


_NO_SPOT = "-"


def _fails(_: int, parts: Parts) -> Step:
    if not parts:
        raise StepError(f"expected a spot or {_NO_SPOT}, got nothing")
    return SpotFailed("" if parts[0] == _NO_SPOT else parts[0], " ".join(parts[1:]))


def _failing(step: Step) -> str:
    assert isinstance(step, SpotFailed)
    return f"{step.spot or _NO_SPOT} {step.what}".rstrip()


def _is_copied(_: int, parts: Parts) -> Step:
    if len(parts) != 3:
        raise StepError(f"expected a tag and two spots, got {got(parts)}")
    return notes.TagCopied(_named(parts[0], _TAG, "a tag"), parts[1], parts[2])


def _is_weak(_: int, parts: Parts) -> Step:
    if len(parts) < 2:
        raise StepError(f"expected a tag and what its chip is worth, got {got(parts)}")
    return notes.TagIsWeak(_named(parts[0], _TAG, "a tag"), amount_in(parts[1:]))


_MEANT: dict[str, ChipsMeant] = {what: what for what in get_args(ChipsMeant)}
_PART = "of"
"""Of all that lies there, the bet is so much."""


def _chips_are(_: int, parts: Parts) -> Step:
    what = "bet" if parts[1:2] == [_PART] else _MEANT.get(parts[1]) if len(parts) > 1 else None
    if what is None:
        raise StepError(f"expected a seat and {', '.join(_MEANT)} or {_PART}, got {got(parts)}")
    seat, rest = seat_in(parts[0]), parts[2:]
    if what == "change" or parts[1] == _PART:
        return ChipsAre(seat, what, amount_in(rest))
    nothing_more(rest)
    return ChipsAre(seat, what)


def _chips_meant(step: Step) -> str:
    assert isinstance(step, ChipsAre)
    if not step.amount:
        return f"{step.seat} {step.what}"
    return f"{step.seat} {_PART if step.what == 'bet' else step.what} {step.amount}"


_COUNTED: dict[str, CountsFor] = {what: what for what in get_args(CountsFor)}


def _starts_count(_: int, parts: Parts) -> Step:
    what = _COUNTED.get(parts[1]) if len(parts) == 2 else None
    if what is None:
        raise StepError(f"expected a seat and {', '.join(_COUNTED)}, got {got(parts)}")
    return StartsCount(seat_in(parts[0]), what)


_TAKEN: dict[str, Taken] = {taken: taken for taken in get_args(Taken)}
_LISTS = ("came", "went", "strangers", "lammers", "heard")
_TAG = re.compile(r"[0-9A-Z]{1,64}")
_LAMMER = re.compile(r"[a-z][a-z-]*")


def _holds(_: int, parts: Parts) -> Step:
    taken = _TAKEN.get(parts[1]) if len(parts) > 1 else None
    if taken is None:
        raise StepError(f"expected a spot and {', '.join(_TAKEN)}, got {got(parts)}")
    flags = {flag for flag in ("at-least", "more") if flag in parts[2:]}
    lists: dict[str, list[str]] = {name: [] for name in _LISTS}
    into: list[str] | None = None
    for word in parts[2:]:
        if word in flags:
            into = None
        elif word in lists:
            into = lists[word]
        elif into is None:
            raise StepError(f"expected {', '.join(_LISTS)}, at-least or more, got {quoted(word)}")
        else:
            into.append(word)
    return SpotHolds(
        parts[0],
        taken,
        came=tuple(map(_chip, lists["came"])),
        went=tuple(_named(word, _TAG, "a tag") for word in lists["went"]),
        strangers=tuple(_named(word, _TAG, "a tag") for word in lists["strangers"]),
        lammers=tuple(_named(word, _LAMMER, "a lammer") for word in lists["lammers"]),
        at_least="at-least" in flags,
        more="more" in flags,
        heard=tuple(_named(word, _TAG, "a tag") for word in lists["heard"]),
    )


def _chip(word: str) -> Chip:
    amount, _, uid = word.partition(":")
    return Chip(_named(uid, _TAG, "a chip as AMOUNT:TAG"), amount_in([amount]))


def _named(word: str, form: re.Pattern[str], what: str) -> str:
    if not form.fullmatch(word):
        raise StepError(f"expected {what}, got {quoted(word)}")
    return word


def _holding(step: Step) -> str:
    assert isinstance(step, SpotHolds)
    came = [f"{chip.denomination}:{chip.uid}" for chip in step.came]
    lists = zip(_LISTS, (came, step.went, step.strangers, step.lammers, step.heard), strict=True)
    words = [f"{name} {' '.join(items)}" for name, items in lists if items]
    flags = [flag for flag, is_set in (("at-least", step.at_least), ("more", step.more)) if is_set]
    return " ".join([step.spot, step.taken, *words, *flags])


def pieces(step: SpotHolds) -> tuple[SpotHolds, ...]:
    """The step as several whose effect together is the same, each of less than `MOST_PIECE` characters."""
    if len(_holding(step)) + len("spot ") < MOST_PIECE:
        return (step,)
    cut = max(1, max(len(step.came), len(step.went), len(step.strangers), len(step.lammers)) // 2)
    first, rest = _part(step, 0, cut), _part(step, cut, None)
    return (*pieces(first), *pieces(replace(rest, more=True)))


def _part(step: SpotHolds, begin: int, end: int | None) -> SpotHolds:
    """The step with this part of each of its lists."""
    part = slice(begin, end)
    came = step.came[part]
    uids = {chip.uid for chip in came}
    return replace(
        step,
        came=came,
        went=step.went[part],
        strangers=step.strangers[part],
        lammers=step.lammers[part],
        heard=tuple(uid for uid in step.heard if uid in uids),
    )


NOTE_VERBS: Final[dict[str, Form]] = {
    "spot": Form(SpotHolds, _holds, _holding),
    "spot-out": _thing_and_text(notes.SpotOut, notes.SpotOut),
    "spot-back": _of_thing(notes.SpotBack, notes.SpotBack),
    "down": _thing_and_text(notes.DeviceIsDown, notes.DeviceIsDown),
    "up": _of_thing(notes.DeviceIsUp, notes.DeviceIsUp),
    "misset": Form(notes.DeviceIsMisset, _misset, lambda what: all_fields(what).rstrip()),
    "presses-lost": Form(notes.LosesPresses, _loses, all_fields),
    "failed": Form(SpotFailed, _fails, _failing),
    "tag-copied": Form(notes.TagCopied, _is_copied, all_fields),
    "tag-weak": Form(notes.TagIsWeak, _is_weak, all_fields),
    "tags-checked": alone(notes.TagsChecked),
    "out-of-turn": of_seat(notes.AnswersOutOfTurn),
    "acts-now": of_seat(notes.AnswersActsNow),
    "chips-are": Form(ChipsAre, _chips_are, _chips_meant),
    "count": Form(StartsCount, _starts_count, all_fields),
    "counted": alone(notes.EndsCount),
    "count-off": alone(notes.DropsCount),
    "confirmed": of_seat(notes.Confirms),
    "too-early": alone(notes.DealtTooEarly),
    "key-late": of_seat(notes.KeyCameLate),
    "call-floor": alone(notes.CallsFloor),
    "floor-came": alone(notes.FloorCame),
    "restarted": alone(notes.Restarted),
    "restart-checked": alone(notes.RestartChecked),
    "records-damaged": alone(notes.RecordsDamaged),
    "records-altered": _of_thing(notes.RecordsAltered, notes.RecordsAltered),
    "records-missed": Form(notes.RecordsMissed, lambda _, parts: notes.RecordsMissed(amount_in(parts)), all_fields),
    "badges": Form(notes.KnowsBadges, lambda _, parts: notes.KnowsBadges(amount_in(parts, least=0)), all_fields),
    "denied": _thing_and_text(notes.WasDenied, notes.WasDenied),
    "records-checked": alone(notes.RecordsChecked),
}
"""Lines that are not of the contract."""
