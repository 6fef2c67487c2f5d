"""A screen laid out: every part with its place, all that can be touched. Pure; the widgets only paint it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

from controller.view import Alert, Refused, TableView
from controller.words import Words, words_of
from ui.scene import faces, layout
from ui.scene.faces import BandFace, NumberFace, SeatFace, SpotFace
from ui.scene.fingers import Touchable
from ui.scene.layout import Box
from ui.scene.panel import Entry, Placed, panel
from ui.state import (
    Answer,
    Award,
    BetSpot,
    Correcting,
    NamedKey,
    Screen,
    Seat,
    SeatPanel,
    Target,
    current_alert,
    pot_visible,
    waiting_alerts,
)

MAX_CHOICES = 4
"""Most answers that the band has room for at 12 mm each; the likely ones come first."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture of the screen."""

    live: bool
    veil: tuple[str, str] = ("", "")
    """Title and words of what lies over the picture while it is not live."""
    strip: tuple[str, str] = ("", "")
    band: BandFace = BandFace()
    words_box: Box = layout.BAND
    street: str = ""
    pot: tuple[str, str] = ("", "")
    sides: tuple[tuple[str, str, str], ...] = ()
    side_boxes: tuple[Box, ...] = ()
    told: tuple[str, str] = ("", "calm")
    """Words and tone of the line before the dealer."""
    seats: tuple[SeatFace, ...] = ()
    spots: tuple[SpotFace, ...] = ()
    numbers: tuple[NumberFace, ...] = ()
    """Empty while the keys of a seat stand in their place."""
    entry: Entry | None = None
    keys: tuple[Placed, ...] = ()
    touchables: tuple[Touchable, ...] = ()


def lay_out(screen: Screen) -> Scene:
    """The picture of a screen."""
    view = screen.view
    if view is None:
        return Scene(live=False, veil=_veil(screen, Words()))
    words = words_of(view)
    alert, waiting, visible = current_alert(screen), waiting_alerts(screen), pot_visible(screen)
    band_keys, words_box = _band_keys(screen, alert, len(waiting), words)
    picked, told = _picked(screen), _told(screen, view, words)
    low = panel(screen, view, words)
    keys = (*band_keys, *low.keys)
    tiles, spots = faces.seat_faces(view, words, picked)
    table = faces.table_face(view, words, pot_visible=visible)
    return Scene(
        live=screen.live,
        veil=("", "") if screen.live else _veil(screen, words),
        strip=table.strip,
        band=faces.band_face(alert, words, rule=screen.rule),
        words_box=words_box,
        street=table.street,
        pot=table.pot,
        sides=table.sides,
        side_boxes=layout.sides(len(table.sides), wide=table.boards),
        told=told,
        seats=tuple(tiles),
        spots=tuple(spots),
        numbers=() if isinstance(screen.mode, SeatPanel) else table.numbers,
        entry=low.entry,
        keys=keys,
        touchables=(*_on_table(screen, view), *low.quick, *_on_keys(keys)),
    )


def _veil(screen: Screen, words: Words) -> tuple[str, str]:
    why = words.say(screen.link.key, amount=None, **screen.link.values)
    return words.say("not-live"), why if screen.view is None else words.say("lost", reason=why)


def _picked(screen: Screen) -> tuple[int, ...]:
    mode = screen.mode
    if isinstance(mode, Award):
        return mode.low if mode.half == "low" else mode.high
    return (mode.seat,) if isinstance(mode, SeatPanel) else ()


def _told(screen: Screen, view: TableView, words: Words) -> tuple[str, str]:
    message, mode = screen.message, screen.mode
    if message is not None:
        why = (
            words.refused(message)
            if isinstance(message, Refused)
            else words.say(message.key, amount=None, **message.values)
        )
        return words.say("refused", reason=why), "refused"
    if isinstance(mode, Correcting):
        return words.say("correct-hint"), "hint"
    if isinstance(mode, Award):
        return words.say("award-hint", pot=words.pot(mode.pot)), "hint"
    return words.told(view.told, recorded=view.recorded) if view.told is not None else "", "calm"


def _on_keys(keys: tuple[Placed, ...]) -> tuple[Touchable, ...]:
    return tuple([Touchable(one.target, one.box, one.meaning) for one in keys if one.enabled])


def _on_table(screen: Screen, view: TableView) -> tuple[Touchable, ...]:
    """Seats, spots and the pot. A touch on a spot corrects its seat; the pot is touched to be counted."""
    awarding = isinstance(screen.mode, Award)
    places = layout.places(len(view.seats))
    taken = [awarding or seat.status not in ("empty", "away") for seat in view.seats]
    numbers = [seat.seat for seat in view.seats]
    tiles: list[Target] = [*map(Seat, numbers)]
    spots = tiles if awarding else [*map(BetSpot, numbers)]
    out = [Touchable(tile, place.tile, type(screen.mode)) for tile, place in zip(tiles, places, strict=True)]
    out += [Touchable(spot, place.spot) for spot, place in compress(zip(spots, places, strict=True), taken)]
    if isinstance(screen.mode, Correcting) and view.phase in ("betting", "closed"):
        out.append(Touchable(NamedKey.COUNT_POT, layout.POT))
    return tuple(out)


def _band_keys(screen: Screen, alert: Alert | None, waiting: int, words: Words) -> tuple[tuple[Placed, ...], Box]:
    """The keys of the band, and where its words stand."""
    if alert is None:
        return (), layout.band(0, 0)[1]
    small: list[tuple[Target, str, str]] = []
    if alert.rule:
        small.append((NamedKey.RULE, words.say("rule-back" if screen.rule else "rule"), "other-choice"))
    if waiting > 1:
        small.append((NamedKey.MORE, words.say("more-alerts", count=waiting - 1), "other-choice"))
    if not alert.choices:
        small.append((NamedKey.ASIDE, words.say("alert-seen"), "choice"))
    offered = alert.choices[:MAX_CHOICES]
    _, words_box, boxes, small_boxes = layout.band(len(offered), len(small))
    choices = [
        Placed(
            Answer(index),
            box,
            words.label(choice),
            tone="choice" if index == 0 else "other-choice",
            meaning=choice.do,
        )
        for index, (choice, box) in enumerate(zip(offered, boxes, strict=True))
    ]
    others = [
        Placed(target, box, label, tone=tone) for (target, label, tone), box in zip(small, small_boxes, strict=True)
    ]
    return (*choices, *others), words_box
