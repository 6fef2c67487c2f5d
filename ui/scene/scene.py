"""A screen laid out: every part with its place, all that can be touched. Pure; the widgets only paint it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

from controller.view import Alert, TableView
from controller.words import Words, words_of
from ui.scene import faces, letters
from ui.scene.boxes import Box
from ui.scene.faces import BandFace, NumberFace, PotFace, SeatFace, SpotFace
from ui.scene.fingers import Touchable
from ui.scene.hints import told
from ui.scene.layout import MOST_CHOICES
from ui.scene.look import LOOK, Look
from ui.scene.pages import PageFace, page_face
from ui.scene.panel import Entry, Placed, panel
from ui.state import (
    Answer,
    Award,
    BetSpot,
    NamedKey,
    Picking,
    Screen,
    Seat,
    SeatPanel,
    Target,
    current_alert,
    pot_visible,
    waiting_alerts,
    winners,
)

BAND_LINES: Final = 3
"""Lines of least letters on a key of the band."""
LIKELY, OTHER = 2.0, 1.5
"""Widths of the likely answer and of others, in least targets, at the least."""
KEY_RIM: Final = 12
"""Pixels of a key beside its words."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture of the screen."""

    live: bool
    look: Look = LOOK
    veil: tuple[str, str] = ("", "")
    """Title and words of what lies over the picture while it is not live."""
    strip: tuple[str, str] = ("", "")
    band: BandFace = BandFace()
    words_box: Box | None = None
    """Where the words of the band stand, beside its keys."""
    lately: tuple[str, ...] = ()
    """The last actions, the newest last."""
    notes: tuple[str, ...] = ()
    """What comes next, and where the house's chips are."""
    street: str = ""
    pot: tuple[str, str] = ("", "")
    sides: tuple[PotFace, ...] = ()
    told: tuple[str, str] = ("", "calm")
    """Words and tone of the line before the dealer."""
    made_up: str = ""
    """How the largest bet or raise is made up."""
    seats: tuple[SeatFace, ...] = ()
    spots: tuple[SpotFace, ...] = ()
    numbers: tuple[NumberFace, ...] = ()
    """Empty while the keys of a seat stand in their place."""
    entry: Entry | None = None
    keys: tuple[Placed, ...] = ()
    page: PageFace | None = None
    """What lies over the table; its keys are among the others."""
    touchables: tuple[Touchable, ...] = ()


def lay_out(screen: Screen, look: Look = LOOK) -> Scene:
    """The picture of a screen."""
    view = screen.view
    if view is None:
        return Scene(live=False, look=look, veil=veil(screen, Words(language=look.language)))
    words, alert, waiting = words_of(view, language=look.language), current_alert(screen), waiting_alerts(screen)
    top, words_box = _band_keys(screen, alert, len(waiting), words, look)
    said, table = told(screen, view, words), faces.table_face(view, words, pot_visible=pot_visible(screen))
    scene = Scene(
        live=screen.live,
        look=look,
        veil=("", "") if screen.live else veil(screen, words),
        strip=table.strip,
        band=faces.band_face(alert, words, rule=screen.rule),
        words_box=words_box,
        lately=table.lately,
        notes=table.notes,
        told=said,
    )
    page = page_face(screen, view, words, look.layout, said[0] if screen.message is not None else "")
    if page is not None:
        keys = (*top, *page.keys)
        return replace(scene, page=page, keys=keys, touchables=_on_keys(keys))
    low = panel(screen, view, words, look.layout)
    keys = (*top, *low.keys)
    tiles, spots = faces.seat_faces(view, words, _picked(screen), table.pots)
    return replace(
        scene,
        street=table.street,
        pot=table.pot,
        sides=table.sides,
        made_up=table.made_up,
        seats=tuple(tiles),
        spots=tuple(spots),
        numbers=() if low.covers else table.numbers,
        entry=low.entry,
        keys=keys,
        touchables=(*_on_table(screen, view, look), *low.quick, *_on_keys(keys)),
    )


def veil(screen: Screen, words: Words) -> tuple[str, str]:
    """Title and words of what lies over a screen that is not live."""
    why = words.say(screen.link.key, amount=None, **screen.link.values)
    return words.say("not-live"), why if screen.view is None else words.say("lost", reason=why)


def _picked(screen: Screen) -> tuple[int, ...]:
    mode = screen.mode
    if isinstance(mode, Award):
        return winners(mode, mode.part)
    return (mode.seat,) if isinstance(mode, SeatPanel) else ()


def _on_keys(keys: tuple[Placed, ...]) -> tuple[Touchable, ...]:
    return tuple([Touchable(one.target, one.box, one.meaning) for one in keys if one.enabled])


def _on_table(screen: Screen, view: TableView, look: Look) -> tuple[Touchable, ...]:
    """Seats and spots. A touch on a spot opens the keys of its seat."""
    awarding = isinstance(screen.mode, Award | Picking)
    places = look.layout.places(len(view.seats))
    taken = [awarding or seat.status not in ("empty", "away") for seat in view.seats]
    numbers = [seat.seat for seat in view.seats]
    tiles: list[Target] = [*map(Seat, numbers)]
    spots = tiles if awarding else [*map(BetSpot, numbers)]
    out = [Touchable(tile, place.tile, type(screen.mode)) for tile, place in zip(tiles, places, strict=True)]
    out += [Touchable(spot, place.spot) for spot, place in compress(zip(spots, places, strict=True), taken)]
    return tuple(out)


def _band_keys(
    screen: Screen, alert: Alert | None, waiting: int, words: Words, look: Look
) -> tuple[tuple[Placed, ...], Box | None]:
    """The keys of the band, and where its words stand."""
    if alert is None:
        return (), None
    small: list[tuple[Target, str, str]] = []
    if alert.rule:
        small.append((NamedKey.RULE, words.say("rule-back" if screen.rule else "rule"), "other-choice"))
    if waiting > 1:
        small.append((NamedKey.MORE, words.say("more-alerts", count=waiting - 1), "other-choice"))
    if not alert.choices:
        small.append((NamedKey.ASIDE, words.say("alert-seen"), "choice"))
    offered = alert.choices[:MOST_CHOICES]
    said = [words.label(choice) for choice in offered]
    widths = [_key_width(label, look, LIKELY if index == 0 else OTHER) for index, label in enumerate(said)]
    widths += [_key_width(label, look, 1) for _, label, _ in small]
    words_box, boxes = look.layout.band(tuple(widths))
    choices = [
        Placed(Answer(index), box, label, tone="choice" if index == 0 else "other-choice", meaning=choice.do)
        for index, (choice, label, box) in enumerate(zip(offered, said, boxes, strict=False))
    ]
    others = [
        Placed(target, box, label, tone=tone)
        for (target, label, tone), box in zip(small, boxes[len(offered) :], strict=True)
    ]
    return (*choices, *others), words_box


def _key_width(label: str, look: Look, least: float) -> float:
    """As narrow as the label can be in three lines, but so many times a target at the least."""
    layout = look.layout
    return max(layout.target * least, letters.narrowest(label, BAND_LINES) * layout.text + KEY_RIM)
