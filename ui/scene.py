"""A desk laid out: every part with its place, all that can be touched. Pure; the widgets only paint it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controller.view import Alert, TableView
from ui import amounts, faces, layout, modes, text
from ui.desk import Desk, current_alert, pot_visible, waiting_alerts
from ui.faces import BandFace, NumberFace, SeatFace, SpotFace
from ui.keys import Key, action_keys, always, extra_steps, steps
from ui.layout import Box
from ui.letters import runs
from ui.modes import Award, Correcting, Pad, SeatPanel
from ui.touch import Target


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
class Scene:
    """One picture of the screen."""

    live: bool
    link: str
    strip: tuple[str, str] = ("", "")
    band: BandFace = field(default_factory=BandFace)
    words_box: Box = layout.BAND
    street: str = ""
    pot: tuple[str, str] = ("", "")
    sides: tuple[tuple[str, str, str], ...] = ()
    told: tuple[str, str] = ("", "calm")
    """Words and tone of the line before the dealer."""
    seats: tuple[SeatFace, ...] = ()
    spots: tuple[SpotFace, ...] = ()
    numbers: tuple[NumberFace, ...] = ()
    """Empty while the keys of a seat stand in their place."""
    entry: Entry | None = None
    keys: tuple[Placed, ...] = ()
    targets: tuple[Target, ...] = ()


def scene(desk: Desk) -> Scene:
    """The picture of a desk."""
    view = desk.view
    if view is None:
        return Scene(live=False, link=desk.link)
    alert = current_alert(desk)
    band_keys, words_box = _band_keys(desk, alert)
    numbers, entry, panel_keys, number_targets = _panel(desk, view)
    keys = (*band_keys, *panel_keys)
    visible = pot_visible(desk)
    seat_faces = tuple(faces.seat_face(seat, view, picked=seat.seat in _picked(desk)) for seat in view.seats)
    return Scene(
        live=desk.live,
        link=desk.link,
        strip=faces.strip(view),
        band=faces.band_face(alert, rule=desk.rule),
        words_box=words_box,
        street=faces.street(view),
        pot=faces.pot_face(view, visible=visible),
        sides=faces.side_lines(view, visible=visible),
        told=_told(desk, view),
        seats=seat_faces,
        spots=tuple(faces.spot_face(seat, view) for seat in view.seats),
        numbers=numbers,
        entry=entry,
        keys=keys,
        targets=(*_table_targets(desk, view), *number_targets, *_key_targets(keys)),
    )


def _picked(desk: Desk) -> tuple[int, ...]:
    mode = desk.mode
    if isinstance(mode, Award):
        return mode.low if mode.half == "low" else mode.high
    return (mode.seat,) if isinstance(mode, SeatPanel) else ()


def _told(desk: Desk, view: TableView) -> tuple[str, str]:
    if desk.message:
        return desk.message, "refused"
    if isinstance(desk.mode, Correcting):
        return text.CORRECT_HINT, "hint"
    if isinstance(desk.mode, Award):
        return text.AWARD_HINT.format(modes.pot_name(desk.mode.pot)), "hint"
    return view.told, "calm"


def _key_targets(keys: tuple[Placed, ...]) -> tuple[Target, ...]:
    return tuple(Target(one.key.id, one.box, one.key.do) for one in keys if one.key.enabled)


def _table_targets(desk: Desk, view: TableView) -> tuple[Target, ...]:
    """Seats, spots and the pot. A touch on a spot corrects its seat; the pot is touched to be counted."""
    out = []
    for seat, place in zip(view.seats, layout.places(len(view.seats)), strict=True):
        out.append(Target(f"seat {seat.seat}", place.tile, type(desk.mode).__name__))
        if seat.status not in ("empty", "away") and not isinstance(desk.mode, Award):
            out.append(Target(f"spot {seat.seat}", place.spot))
        elif isinstance(desk.mode, Award):
            out.append(Target(f"seat {seat.seat}", place.spot))
    if isinstance(desk.mode, Correcting) and view.phase in ("betting", "closed"):
        out.append(Target("pot-count", layout.POT))
    return tuple(out)


def _band_keys(desk: Desk, alert: Alert | None) -> tuple[tuple[Placed, ...], Box]:
    """The keys of the band, and where its words stand."""
    if alert is None:
        _, words, _, _ = layout.band(0, 0)
        return (), words
    small = []
    if alert.rule is not None:
        small.append(Key("rule", text.RULE_BACK if desk.rule else text.RULE, tone="other-choice"))
    waiting = waiting_alerts(desk)
    if len(waiting) > 1:
        small.append(Key("more", text.MORE.format(len(waiting) - 1), tone="other-choice"))
    if not alert.choices:
        small.append(Key("aside", text.SEEN_KEY, tone="choice"))
    choices = [
        Key(f"choice {index}", choice.label, do=choice.do, tone="choice" if index == 0 else "other-choice")
        for index, choice in enumerate(alert.choices[:MAX_CHOICES])
    ]
    _, words, boxes, small_boxes = layout.band(len(choices), len(small))
    placed = [Placed(key, box) for key, box in zip(choices + small, boxes + small_boxes, strict=True)]
    return tuple(placed), words


MAX_CHOICES = 4
"""Most answers that the band has room for at 12 mm each; the likely ones come first."""

_Panel = tuple[tuple[NumberFace, ...], Entry | None, tuple[Placed, ...], tuple[Target, ...]]


def _panel(desk: Desk, view: TableView) -> _Panel:
    """Numbers, entry field, keys and number targets of the lower part, for what the screen is busy with."""
    mode = desk.mode
    if isinstance(mode, SeatPanel):
        return _seat_panel(mode, view)
    numbers = faces.numbers(view)
    cancel = Placed(Key("cancel", text.CANCEL, tone="quiet"), layout.CANCEL)
    if isinstance(mode, Pad):
        amount = amounts.typed(mode.keys, view.money)
        hint = modes.pad_hint(mode, view)
        entry = Entry(mode.title, _field(mode.keys, view), hint, layout.ENTRY)
        quick = (
            tuple(
                Target(f"number {index}", layout.NUMBERS[index], amounts.written(value, view.money))
                for index, value in ((1, view.min_raise_to), (2, view.max_raise_to))
                if value is not None
            )
            if mode.wager
            else ()
        )
        return numbers, entry, (cancel, *_pad(view, ok=amount is not None)), quick
    if isinstance(mode, Award):
        entry = Entry(modes.pot_name(mode.pot), _award_words(mode, view, desk), "", layout.ENTRY)
        return numbers, entry, (cancel, *_award_keys(mode, view)), ()
    keys = zip(action_keys(view), layout.ACTIONS, strict=True)
    return numbers, None, (*(Placed(key, box) for key, box in keys), *_block(desk, view)), ()


def _field(keys: str, view: TableView) -> str:
    """The typed digits with the thousands parted; a bare cursor while nothing is typed."""
    whole, point, fraction = keys.partition(".")
    return f"{view.money.prefix}{int(whole or 0):,}{point}{fraction}" if keys else f"{view.money.prefix}_"


def _seat_panel(panel: SeatPanel, view: TableView) -> _Panel:
    title, _ = modes.panel_entry(panel, view)
    cells = layout.SEAT_KEYS
    entry_box = Box(cells[1].x, cells[1].y, cells[4].right - cells[1].x, cells[1].h)
    amount = amounts.typed(panel.keys, view.money)
    keys = [Placed(Key("cancel", text.CANCEL, tone="quiet"), cells[0])]
    keys += [Placed(key, box) for key, box in zip(modes.panel_keys(panel, view), cells[5:], strict=False)]
    entry = Entry(title, _field(panel.keys, view), "", entry_box)
    return (), entry, (*keys, *_pad(view, ok=amount is not None)), ()


def _pad(view: TableView, *, ok: bool) -> tuple[Placed, ...]:
    """The number pad; undo and clear keep to its right edge, over OK."""
    point = view.money.decimals > 0 and view.unit % 10**view.money.decimals
    undo = always(view)[0]
    keys = [Key(f"digit {digit}", digit, tone="quiet") for digit in "789"]
    keys += [Key("digit back", text.BACK), replace(undo, detail="")]
    keys += [Key(f"digit {digit}", digit, tone="quiet") for digit in "456"]
    keys += [Key("digit .", ".", tone="quiet") if point else Key("digit 00", "00", tone="quiet")]
    keys += [Key("digit clear", text.CLEAR)]
    keys += [Key(f"digit {digit}", digit, tone="quiet") for digit in "1230"]
    keys += [Key("ok", text.OK, enabled=ok, tone="ok")]
    return tuple(Placed(key, box) for key, box in zip(keys, layout.PAD, strict=True))


def _award_words(award: Award, view: TableView, desk: Desk) -> str:
    pot = next((one for one in view.pots if one.name == award.pot), None)
    amount = amounts.written(pot.amount, view.money) if pot and pot_visible(desk) else ""
    high, low = (text.AND.join(map(str, seats)) or "_" for seats in (award.high, award.low))
    who = high if award.half == "whole" else f"{text.HIGH} {high}  {text.LOW} {low}"
    return text.AWARD_TO.format(amount, who).strip()


def _award_keys(award: Award, view: TableView) -> tuple[Placed, ...]:
    """Up to five pots, whole or halves, undo, give."""
    pots = [pot for pot in view.pots if pot.amount][:5]
    keys = [
        Key(
            f"award-pot {pot.name}",
            modes.pot_name(pot.name),
            runs(pot.seats),
            tone="picked" if pot.name == award.pot else "key",
        )
        for pot in pots
    ]
    cells = list(zip(keys, layout.BLOCK, strict=False))
    if award.half == "whole":
        cells.append((Key("high", text.HIGH_LOW, tone="quiet"), layout.BLOCK[6]))
    else:
        other = "low" if award.half == "high" else "high"
        label = text.LOW if other == "low" else text.HIGH
        cells.append((Key(other, label, tone="strong"), layout.BLOCK[6]))
        cells.append((Key("whole", text.HIGH_LOW_OFF, tone="quiet"), layout.BLOCK[5]))
    split = len(award.high) > 1 or award.half != "whole"
    give = Key("ok", text.SPLIT if split else text.GIVE, enabled=bool(modes.award_step(award)), tone="ok")
    cells += [(always(view)[0], layout.BLOCK[7]), (give, layout.BLOCK[8])]
    return tuple(Placed(key, box) for key, box in cells)


def _block(desk: Desk, view: TableView) -> tuple[Placed, ...]:
    """Nine keys: what the moment offers, what is always there, and the steps of the hand."""
    first: list[Key] = list(extra_steps(view))
    if isinstance(desk.mode, Correcting):
        void = view.phase in ("betting", "closed")
        first = [Key("void", text.VOID, text.VOID_DETAIL, "void", void, "floor")]
    if view.show_pot == "on-request":
        label = text.HIDE_POT if desk.pot_shown else text.SHOW_POT
        first = [*first[:2], Key("show-pot", label, tone="quiet")]
    top = zip(first[:3], layout.BLOCK[3 - len(first[:3]) : 3], strict=True)
    rest = (*always(view, correcting=isinstance(desk.mode, Correcting)), *steps(view))
    below = zip(rest, layout.BLOCK[3:], strict=True)
    return tuple(Placed(key, box) for key, box in (*top, *below))
