"""The lower part of the screen laid out: numbers and keys, the number pad, the keys of a seat, a pot to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from controller.view import Choice, TableView, Told
from controller.words import Words
from ui.scene import layout
from ui.scene.fingers import Touchable
from ui.scene.layout import Box
from ui.scene.letters import runs
from ui.state import (
    Award,
    Bound,
    Correcting,
    Digit,
    Key,
    NamedKey,
    Pad,
    PadKey,
    Pot,
    Screen,
    SeatPanel,
    Target,
    Typed,
    Winners,
    action_keys,
    always,
    amount_of,
    award_step,
    extra_steps,
    misdeal,
    pad_hint,
    panel_amount,
    panel_keys,
    pot_visible,
    steps,
    typed_field,
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


def panel(screen: Screen, view: TableView, words: Words) -> Panel:
    """The lower part, for what the screen is busy with."""
    mode = screen.mode
    if isinstance(mode, SeatPanel):
        return _seat_panel(mode, view, words)
    if isinstance(mode, Pad):
        keys = (_cancel(layout.CANCEL, words), *_pad_keys(mode.typed, view, words))
        title, value = words.say(mode.asked.title, seat=mode.asked.seat), typed_field(mode.typed, view.money)
        bound = pad_hint(mode, view)
        hint = words.say(bound[0], amount=bound[1]) if bound else ""
        return Panel(keys, Entry(title, value, hint, layout.ENTRY), _bounds(view) if mode.wager else ())
    if isinstance(mode, Award):
        keys = (_cancel(layout.CANCEL, words), *_award_keys(mode, view, words))
        entry = Entry(words.pot(mode.pot), _award_words(mode, view, screen, words), "", layout.ENTRY)
        return Panel(keys, entry)
    block = _block(screen, view)
    boxes = (*layout.ACTIONS, *layout.BLOCK[len(layout.BLOCK) - len(block) :])
    return Panel(placed((*action_keys(view), *block), boxes, words))


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
            else words.say(key.detail, amount=key.amount),
        )
        for key in keys
    ]
    meanings = [None if key.do is None else (key.do.func, key.do.args) for key in keys]
    return tuple(
        [
            Placed(key.target, box, label, detail, key.tone, key.enabled, meaning)
            for key, box, (label, detail), meaning in zip(keys, boxes, said, meanings, strict=True)
        ]
    )


def _cancel(box: Box, words: Words) -> Placed:
    return Placed(NamedKey.CANCEL, box, words.say("cancel"), tone="quiet")


def _undo(view: TableView, box: Box, words: Words) -> Placed:
    return placed(always(view)[:1], [box], words)[0]


def _bounds(view: TableView) -> tuple[Touchable, ...]:
    """The smallest and the largest raise, where they are known."""
    bounds = (
        (Bound("min"), layout.NUMBERS[1], view.min_raise_to),
        (Bound("max"), layout.NUMBERS[2], view.max_raise_to),
    )
    return tuple(Touchable(bound, box, amount) for bound, box, amount in bounds if amount is not None)


def _seat_panel(mode: SeatPanel, view: TableView, words: Words) -> Panel:
    cells = layout.SEAT_KEYS
    entry_box = Box(cells[1].x, cells[1].y, cells[4].right - cells[1].x, cells[1].h)
    keys, asked = panel_keys(mode, view), panel_amount(mode, view)
    own = placed(keys, cells[5 : 5 + len(keys)], words)
    title, value = words.say(asked.title, seat=asked.seat), typed_field(mode.typed, view.money)
    return Panel(
        (_cancel(cells[0], words), *own, *_pad_keys(mode.typed, view, words)), entry=Entry(title, value, "", entry_box)
    )


def _pad_keys(typed: Typed, view: TableView, words: Words) -> tuple[Placed, ...]:
    """The number pad; undo and clear keep to its right edge, over OK."""
    point = view.money.decimals > 0 and view.unit % 10**view.money.decimals
    last: PadKey = "." if point else "00"
    digits: dict[PadKey, int] = {
        "7": 0,
        "8": 1,
        "9": 2,
        "4": 5,
        "5": 6,
        "6": 7,
        last: 8,
        "1": 10,
        "2": 11,
        "3": 12,
        "0": 13,
    }
    box, ok = layout.PAD, amount_of(typed, view.money) is not None
    return (
        *(Placed(Digit(key), box[cell], key, tone="quiet") for key, cell in digits.items()),
        Placed(Digit("back"), box[3], words.say("delete")),
        _undo(view, box[4], words)._replace(detail=""),
        Placed(Digit("clear"), box[9], words.say("clear")),
        Placed(NamedKey.OK, box[14], words.say("ok"), enabled=ok, tone="ok"),
    )


def _award_words(award: Award, view: TableView, screen: Screen, words: Words) -> str:
    pot = next((one for one in view.pots if one.name == award.pot), None)
    amount = words.amount(pot.amount) if pot and pot_visible(screen) else ""
    winners_and = words.say("winners-and")
    high, low = (winners_and.join(map(str, seats)) or "_" for seats in (award.high, award.low))
    who = high if award.half == "whole" else f"{words.say('high')} {high}  {words.say('low')} {low}"
    return " ".join(filter(None, (amount, words.say("award-to", winners=who))))


def _award_keys(award: Award, view: TableView, words: Words) -> tuple[Placed, ...]:
    """Up to five pots, whole or halves, undo, give."""
    pots = [pot for pot in view.pots if pot.amount][:5]
    keys = [
        Placed(Pot(pot.name), box, words.pot(pot.name), runs(pot.seats), "picked" if pot.name == award.pot else "key")
        for pot, box in zip(pots, layout.BLOCK, strict=False)
    ]
    if award.half == "whole":
        keys.append(Placed(Winners("high"), layout.BLOCK[6], words.say("high-low"), tone="quiet"))
    else:
        other: Literal["high", "low"] = "high" if award.half == "low" else "low"
        keys.append(Placed(Winners(other), layout.BLOCK[6], words.say(other), tone="strong"))
        keys.append(Placed(Winners("whole"), layout.BLOCK[5], words.say("one-winner"), tone="quiet"))
    give = words.say("split" if len(award.high) > 1 or award.half != "whole" else "give")
    ready = award_step(award) is not None
    undo = _undo(view, layout.BLOCK[7], words)
    return (*keys, undo, Placed(NamedKey.OK, layout.BLOCK[8], give, enabled=ready, tone="ok"))


def _block(screen: Screen, view: TableView) -> tuple[Key, ...]:
    """Up to nine keys: what the moment offers, what is always there, and the steps of the hand."""
    correcting = isinstance(screen.mode, Correcting)
    first = (misdeal(view),) if correcting else extra_steps(view)
    if view.show_pot == "on-request":
        first = (*first[:2], Key(NamedKey.SHOW_POT, "hide-pot" if screen.pot_shown else "show-pot", tone="quiet"))
    return (*first[:3], *always(view, correcting=correcting), *steps(view))
