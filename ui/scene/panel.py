"""The lower part of the screen laid out: numbers and keys, the number pad, the keys of a seat, a pot to give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from controller.view import TableView
from ui.scene import faces, layout
from ui.scene.faces import NumberFace
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
    Pot,
    Screen,
    SeatPanel,
    Winners,
    action_keys,
    always,
    award_step,
    extra_steps,
    misdeal,
    pad_hint,
    panel_amount,
    panel_keys,
    pot_visible,
    steps,
)
from ui.words import PadKey, Typed, amount_of, text, typed_field, written


@dataclass(frozen=True, slots=True)
class Placed:
    """A key and where it stands."""

    key: Key
    box: Box


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
    numbers: tuple[NumberFace, ...] = ()
    entry: Entry | None = None
    quick: tuple[Touchable, ...] = ()
    """The numbers that can be touched to be typed."""


def panel(screen: Screen, view: TableView) -> Panel:
    """The lower part, for what the screen is busy with."""
    mode = screen.mode
    if isinstance(mode, SeatPanel):
        return _seat_panel(mode, view)
    numbers = faces.numbers(view)
    if isinstance(mode, Pad):
        keys = (_cancel(layout.CANCEL), *_pad_keys(mode.typed, view))
        entry = Entry(mode.asked.title, typed_field(mode.typed, view.money), pad_hint(mode, view), layout.ENTRY)
        return Panel(keys, numbers, entry, _bounds(view) if mode.wager else ())
    if isinstance(mode, Award):
        keys = (_cancel(layout.CANCEL), *_award_keys(mode, view))
        entry = Entry(faces.pot_name(mode.pot), _award_words(mode, view, screen), "", layout.ENTRY)
        return Panel(keys, numbers, entry)
    return Panel((*_placed(action_keys(view), layout.ACTIONS), *_block(screen, view)), numbers)


def _placed(keys: Iterable[Key], boxes: Iterable[Box]) -> tuple[Placed, ...]:
    return tuple(Placed(key, box) for key, box in zip(keys, boxes, strict=True))


def _cancel(box: Box) -> Placed:
    return Placed(Key(NamedKey.CANCEL, text.CANCEL, tone="quiet"), box)


def _bounds(view: TableView) -> tuple[Touchable, ...]:
    """The least and the most raise, where they are known."""
    bounds = (
        (Bound("least"), layout.NUMBERS[1], view.min_raise_to),
        (Bound("most"), layout.NUMBERS[2], view.max_raise_to),
    )
    return tuple(Touchable(bound, box, amount) for bound, box, amount in bounds if amount is not None)


def _seat_panel(mode: SeatPanel, view: TableView) -> Panel:
    cells = layout.SEAT_KEYS
    entry_box = Box(cells[1].x, cells[1].y, cells[4].right - cells[1].x, cells[1].h)
    keys = panel_keys(mode, view)
    return Panel(
        (_cancel(cells[0]), *_placed(keys, cells[5 : 5 + len(keys)]), *_pad_keys(mode.typed, view)),
        entry=Entry(panel_amount(mode, view).title, typed_field(mode.typed, view.money), "", entry_box),
    )


def _digit(key: PadKey) -> Key:
    return Key(Digit(key), key, tone="quiet")


def _pad_keys(typed: Typed, view: TableView) -> tuple[Placed, ...]:
    """The number pad; undo and clear keep to its right edge, over OK."""
    point = view.money.decimals > 0 and view.unit % 10**view.money.decimals
    ok = amount_of(typed, view.money) is not None
    keys = (
        *(_digit("7"), _digit("8"), _digit("9"), Key(Digit("back"), text.BACK), replace(always(view)[0], detail="")),
        *(_digit("4"), _digit("5"), _digit("6"), _digit("." if point else "00"), Key(Digit("clear"), text.CLEAR)),
        *(_digit("1"), _digit("2"), _digit("3"), _digit("0"), Key(NamedKey.OK, text.OK, enabled=ok, tone="ok")),
    )
    return _placed(keys, layout.PAD)


def _award_words(award: Award, view: TableView, screen: Screen) -> str:
    pot = next((one for one in view.pots if one.name == award.pot), None)
    amount = written(pot.amount, view.money) if pot and pot_visible(screen) else ""
    high, low = (text.AND.join(map(str, seats)) or "_" for seats in (award.high, award.low))
    who = high if award.half == "whole" else f"{text.HIGH} {high}  {text.LOW} {low}"
    return " ".join(filter(None, (amount, text.AWARD_TO.format(who))))


def _award_keys(award: Award, view: TableView) -> tuple[Placed, ...]:
    """Up to five pots, whole or halves, undo, give."""
    pots = [pot for pot in view.pots if pot.amount][:5]
    keys = [
        Key(Pot(pot.name), faces.pot_name(pot.name), runs(pot.seats), tone="picked" if pot.name == award.pot else "key")
        for pot in pots
    ]
    cells = list(zip(keys, layout.BLOCK, strict=False))
    if award.half == "whole":
        cells.append((Key(Winners("high"), text.HIGH_LOW, tone="quiet"), layout.BLOCK[6]))
    else:
        other = Key(Winners("low"), text.LOW, tone="strong")
        if award.half == "low":
            other = Key(Winners("high"), text.HIGH, tone="strong")
        cells.append((other, layout.BLOCK[6]))
        cells.append((Key(Winners("whole"), text.HIGH_LOW_OFF, tone="quiet"), layout.BLOCK[5]))
    split = len(award.high) > 1 or award.half != "whole"
    ready = award_step(award) is not None
    give = Key(NamedKey.OK, text.SPLIT if split else text.GIVE, enabled=ready, tone="ok")
    cells += [(always(view)[0], layout.BLOCK[7]), (give, layout.BLOCK[8])]
    return tuple(Placed(key, box) for key, box in cells)


def _block(screen: Screen, view: TableView) -> tuple[Placed, ...]:
    """Nine keys: what the moment offers, what is always there, and the steps of the hand."""
    correcting = isinstance(screen.mode, Correcting)
    first = (misdeal(view),) if correcting else extra_steps(view)
    if view.show_pot == "on-request":
        label = text.HIDE_POT if screen.pot_shown else text.SHOW_POT
        first = (*first[:2], Key(NamedKey.SHOW_POT, label, tone="quiet"))
    first = first[:3]
    return _placed((*first, *always(view, correcting=correcting), *steps(view)), layout.BLOCK[3 - len(first) :])
