"""The lower part of the screen laid out: numbers and keys, the number pad, the keys of a seat, a pot to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from controller.view import Choice, TableView, Told
from controller.words import ScreenKey, Words
from ui.scene.boxes import Box, span
from ui.scene.faces import pot_name
from ui.scene.fingers import Touchable
from ui.scene.layout import Layout
from ui.scene.letters import runs
from ui.state import (
    HANDS,
    Award,
    Bound,
    Digit,
    Key,
    NamedKey,
    Offering,
    Pad,
    PadKey,
    Part,
    Picking,
    Pot,
    Screen,
    SeatPanel,
    Sure,
    TablePanel,
    Target,
    Typed,
    action_keys,
    amount_of,
    award_step,
    beyond,
    bounds,
    call_floor,
    extra_steps,
    go_on,
    offers,
    parts,
    pot_visible,
    redo,
    seat_keys,
    table_keys,
    typed_field,
    undo,
    winners,
)


class Placed(NamedTuple):
    """A key in its words and where it stands."""

    target: Target
    box: Box
    label: str
    detail: str = ""
    tone: str = "key"
    enabled: bool = True
    meaning: object = None
    """What a touch would send: two that are equal send the same."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The field in which an amount (or who wins) is being put together."""

    title: str
    value: str
    hint: str
    box: Box


@dataclass(frozen=True, slots=True)
class Panel:
    """What stands in the lower part."""

    keys: tuple[Placed, ...]
    entry: Entry | None = None
    quick: tuple[Touchable, ...] = ()
    """The numbers that can be touched to be typed."""
    covers: bool = False
    """Its keys stand in the place of the numbers."""


def panel(screen: Screen, view: TableView, words: Words, places: Layout) -> Panel:
    """The lower part, for what the screen is busy with."""
    match screen.mode:
        case SeatPanel() as mode:
            title = words.say("seat-keys-named" if mode.name else "seat-keys", seat=mode.seat, name=mode.name)
            return _cells(seat_keys(mode, view), title, mode.typed, view, words, places)
        case TablePanel() as mode:
            return _cells(table_keys(mode, view), words.say("table-panel"), mode.typed, view, words, places)
        case Pad() as mode:
            return _wager(mode, view, words, places)
        case Award() as mode:
            return _award(mode, screen, view, words, places)
        case Picking():
            return Panel((_cancel(places.actions[0], words),))
        case Sure():
            yes = Placed(NamedKey.OK, places.actions[-1], words.say("yes"), tone="ok")
            return Panel((_cancel(places.actions[0], words), yes))
        case Offering():
            found = extra_steps(view)[: len(places.block)]
            own = placed(found, places.block[: len(found)], words)
            return Panel((_cancel(places.actions[0], words), *own))
    return Panel((*placed(action_keys(view), places.actions, words), *_block(screen, view, words, places)))


def _block(screen: Screen, view: TableView, words: Words, places: Layout) -> tuple[Placed, ...]:
    """What the moment offers, undo and redo, and what is always there."""
    cells, again = places.block, redo(view)
    offered = offers(screen.pot_shown, view)
    named = [(undo(view), places.undo), *([(again, places.redo)] if again is not None else [])]
    always = (
        (Key(NamedKey.TABLE, "table-keys", tone="quiet"), cells[5]),
        (call_floor(view), cells[6]),
        (Key(HANDS, "menu", tone="quiet"), cells[7]),
        (go_on(view), cells[8]),
    )
    keys = [*zip(offered, _room(len(offered), again is not None, places), strict=True), *named, *always]
    return placed([key for key, _ in keys], [box for _, box in keys], words)


def _room(count: int, is_short: bool, places: Layout) -> tuple[Box, ...]:
    """The first row of the block, or its first cell where redo takes the rest, shared among so many keys."""
    first, second, third = places.block[:3]
    if is_short or count == 0:
        return (first,)[:count]
    return {1: (span(first, third),), 2: (span(first, second), third)}.get(count, (first, second, third))


def placed(keys: Sequence[Key], boxes: Sequence[Box], words: Words) -> tuple[Placed, ...]:
    """The keys in their words, each in its box."""
    said = [
        (
            words.label(key.label) if isinstance(key.label, Choice) else words.say(key.label, amount=key.amount),
            ""
            if key.detail is None
            else words.told(key.detail)
            if isinstance(key.detail, Told)
            else words.label(key.detail)
            if isinstance(key.detail, Choice)
            else words.say(key.detail, amount=key.amount, seat=key.seat),
        )
        for key in keys
    ]
    meanings = [_meaning(key) for key in keys]
    return tuple(
        [
            Placed(key.target, box, label, detail, key.tone, key.enabled, meaning)
            for key, box, (label, detail), meaning in zip(keys, boxes, said, meanings, strict=True)
        ]
    )


def _meaning(key: Key) -> object:
    """What a touch would do, so that two that do the same are equal."""
    step = key.do
    if isinstance(key.opens, Sure | Picking):
        step = key.opens.step
    return None if step is None else (type(key.opens), step.func, step.args, step.keywords)


def _cancel(box: Box, words: Words) -> Placed:
    return Placed(NamedKey.CANCEL, box, words.say("cancel"), tone="quiet")


# --- an amount ---


def _pad_keys(view: TableView, words: Words, places: Layout) -> tuple[Placed, ...]:
    """The number pad."""
    point = view.money.decimals > 0 and view.unit % 10**view.money.decimals
    cells: tuple[PadKey, ...] = ("7", "8", "9", "back", "4", "5", "6", "." if point else "00", "1", "2", "3", "0")
    return tuple(
        [
            Placed(Digit(key), box, words.say("delete") if key == "back" else key, tone="quiet")
            for key, box in zip(cells, places.pad, strict=True)
        ]
    )


QUICK: Final[tuple[tuple[Bound, ScreenKey], ...]] = ((Bound("half"), "half-pot"), (Bound("pot"), "pot"))
"""Amounts that have a key under the numbers; the least and the most are typed by touching them."""


def _wager(mode: Pad, view: TableView, words: Words, places: Layout) -> Panel:
    """The bet or raise of the seat in turn: the numbers stay, and those that bound it can be touched."""
    cells, known, amount = places.wager, bounds(view), amount_of(mode.typed, view.money)
    quick = [
        Placed(bound, box, words.say(label), enabled=bound.of in known, meaning=known.get(bound.of))
        for (bound, label), box in zip(QUICK, cells[3:], strict=False)
    ]
    raises_by = Placed(NamedKey.BY, cells[5], words.say("by"), enabled=bool(amount) and not mode.opens)
    ok = Placed(NamedKey.OK, cells[6], words.say("ok"), enabled=bool(amount), tone="ok")
    entry = Entry(
        words.say("bet-is" if mode.opens else "raise-to", seat=mode.seat),
        typed_field(mode.typed, view.money),
        _beyond(mode, view, words),
        places.wager_entry,
    )
    on_numbers = ((Bound("min"), places.numbers[1]), (Bound("max"), places.numbers[2]))
    touched = tuple([Touchable(one, box, known[one.of]) for one, box in on_numbers if one.of in known])
    return Panel(
        (_cancel(cells[0], words), *quick, raises_by, ok, *_pad_keys(view, words, places)), entry, quick=touched
    )


def _beyond(mode: Pad, view: TableView, words: Words) -> str:
    """That the typed wager is too small or too large, and by which bound."""
    match beyond(mode, view):
        case "below":
            return words.say("below", amount=view.min_raise_to)
        case "above":
            return words.over(view.limit, view.max_raise_to, opening=mode.opens)
    return ""


def _cells(
    keys: Sequence[tuple[int, Key]], title: str, typed: Typed, view: TableView, words: Words, places: Layout
) -> Panel:
    """The keys of a seat or of the table, each in its cell, beside the number pad."""
    boxes = places.keys[3:]
    own = placed([key for _, key in keys], [boxes[cell] for cell, _ in keys], words)
    entry = Entry(title, typed_field(typed, view.money), "", places.key_entry)
    return Panel((_cancel(places.keys[0], words), *own, *_pad_keys(view, words, places)), entry, covers=True)


# --- a pot to give ---


def _award(award: Award, screen: Screen, view: TableView, words: Words, places: Layout) -> Panel:
    """Undo, a second share, the other parts, then the pots; at the right who wins and the key that gives it."""
    share = Placed(
        NamedKey.SHARE, places.keys[3], words.say("share"), enabled=bool(winners(award, award.part)), tone="quiet"
    )
    others = [Placed(part, box, _part(part, award, words), tone="quiet") for part, box in _boxed(award, view, places)]
    pots = [pot for pot in view.pots if pot.amount]
    boxes = places.keys[max(6, 4 + len(others)) :]
    named = [
        Placed(Pot(pot.name), box, pot_name(pot, words), runs(pot.seats), "picked" if pot.name == award.pot else "key")
        for pot, box in zip(pots, boxes, strict=False)
    ]
    step = award_step(award, view)
    give = words.say("split" if sum(len(seats) for _, seats in award.won) > 1 else "give")
    return Panel(
        (
            _cancel(places.keys[0], words),
            placed([undo(view)], [places.key_entry], words)[0],
            share,
            *others,
            *named,
            Placed(NamedKey.OK, places.give, give, enabled=step is not None, tone="ok", meaning=step),
        ),
        _award_entry(award, screen, view, words, places),
        covers=True,
    )


def _boxed(award: Award, view: TableView, places: Layout) -> list[tuple[Part, Box]]:
    return list(zip(parts(award, view), places.keys[4:], strict=False))


def _part(part: Part, award: Award, words: Words) -> str:
    """What the key of a part says: its half, or its board where that is another one."""
    if part.board != award.part.board:
        return words.say("board", count=part.board)
    return words.say("whole" if part.half == "whole" else part.half)


def _award_entry(award: Award, screen: Screen, view: TableView, words: Words, places: Layout) -> Entry:
    pot = next((one for one in view.pots if one.name == award.pot), None)
    amount = words.amount(pot.amount) if pot and pot_visible(screen) else ""
    of = words.say("board", count=award.part.board) if award.part.board else ""
    half = "" if award.part.half == "whole" else words.say(award.part.half)
    who = words.say("winners-and").join(map(str, winners(award, award.part))) or "_"
    title = " ".join(filter(None, (pot_name(pot, words) if pot else "", amount)))
    return Entry(title, who, " ".join(filter(None, (of, half))), places.award_entry)
