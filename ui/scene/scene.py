"""A screen laid out: every part with its place, all that can be touched. Pure; the widgets only paint it."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.view import Alert, TableView
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
    Key,
    NamedKey,
    Screen,
    Seat,
    SeatPanel,
    current_alert,
    pot_visible,
    waiting_alerts,
)
from ui.words import text

MAX_CHOICES = 4
"""Most answers that the band has room for at 12 mm each; the likely ones come first."""


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
    touchables: tuple[Touchable, ...] = ()


def lay_out(screen: Screen) -> Scene:
    """The picture of a screen."""
    view = screen.view
    if view is None:
        return Scene(live=False, link=screen.link)
    alert = current_alert(screen)
    band_keys, words_box = _band_keys(screen, alert)
    low = panel(screen, view)
    keys = (*band_keys, *low.keys)
    visible = pot_visible(screen)
    seat_faces = tuple(faces.seat_face(seat, view, picked=seat.seat in _picked(screen)) for seat in view.seats)
    return Scene(
        live=screen.live,
        link=screen.link,
        strip=faces.strip(view),
        band=faces.band_face(alert, rule=screen.rule),
        words_box=words_box,
        street=faces.street(view),
        pot=faces.pot_face(view, visible=visible),
        sides=faces.side_lines(view, visible=visible),
        told=_told(screen, view),
        seats=seat_faces,
        spots=tuple(faces.spot_face(seat, view) for seat in view.seats),
        numbers=low.numbers,
        entry=low.entry,
        keys=keys,
        touchables=(*_on_table(screen, view), *low.quick, *_on_keys(keys)),
    )


def _picked(screen: Screen) -> tuple[int, ...]:
    mode = screen.mode
    if isinstance(mode, Award):
        return mode.low if mode.half == "low" else mode.high
    return (mode.seat,) if isinstance(mode, SeatPanel) else ()


def _told(screen: Screen, view: TableView) -> tuple[str, str]:
    if screen.message:
        return screen.message, "refused"
    if isinstance(screen.mode, Correcting):
        return text.CORRECT_HINT, "hint"
    if isinstance(screen.mode, Award):
        return text.AWARD_HINT.format(faces.pot_name(screen.mode.pot)), "hint"
    return view.told, "calm"


def _on_keys(keys: tuple[Placed, ...]) -> tuple[Touchable, ...]:
    return tuple(Touchable(one.key.target, one.box, one.key.do) for one in keys if one.key.enabled)


def _on_table(screen: Screen, view: TableView) -> tuple[Touchable, ...]:
    """Seats, spots and the pot. A touch on a spot corrects its seat; the pot is touched to be counted."""
    out = []
    for seat, place in zip(view.seats, layout.places(len(view.seats)), strict=True):
        out.append(Touchable(Seat(seat.seat), place.tile, type(screen.mode)))
        if isinstance(screen.mode, Award):
            out.append(Touchable(Seat(seat.seat), place.spot))
        elif seat.status not in ("empty", "away"):
            out.append(Touchable(BetSpot(seat.seat), place.spot))
    if isinstance(screen.mode, Correcting) and view.phase in ("betting", "closed"):
        out.append(Touchable(NamedKey.COUNT_POT, layout.POT))
    return tuple(out)


def _band_keys(screen: Screen, alert: Alert | None) -> tuple[tuple[Placed, ...], Box]:
    """The keys of the band, and where its words stand."""
    if alert is None:
        _, words, _, _ = layout.band(0, 0)
        return (), words
    small = []
    if alert.rule is not None:
        small.append(Key(NamedKey.RULE, text.RULE_BACK if screen.rule else text.RULE, tone="other-choice"))
    waiting = waiting_alerts(screen)
    if len(waiting) > 1:
        small.append(Key(NamedKey.MORE, text.MORE.format(len(waiting) - 1), tone="other-choice"))
    if not alert.choices:
        small.append(Key(NamedKey.ASIDE, text.SEEN_KEY, tone="choice"))
    choices = [
        Key(Answer(index), choice.label, do=choice.do, tone="choice" if index == 0 else "other-choice")
        for index, choice in enumerate(alert.choices[:MAX_CHOICES])
    ]
    _, words, boxes, small_boxes = layout.band(len(choices), len(small))
    placed = [Placed(key, box) for key, box in zip(choices + small, boxes + small_boxes, strict=True)]
    return tuple(placed), words
