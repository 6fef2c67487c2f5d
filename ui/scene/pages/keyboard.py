"""The keyboard for names laid out in the place of a page."""

from __future__ import annotations

from typing import Final

from controller.words import Words
from ui.scene.boxes import Box, grid, span
from ui.scene.layout import Layout
from ui.scene.pages.sheet import Card, PageFace, PageText
from ui.scene.panel import Placed
from ui.state import KeyboardKey, Letter, NamedKey, Naming, capital

FIELD: Final = 2.0
"""Letters of the name as it is typed, in least letters."""
FOOT: Final = 6
"""Keys below the letters: cancel, two for other letters, two for the last letter, OK."""


def keyboard(naming: Naming, words: Words, layout: Layout) -> PageFace:
    """The name so far over the letters."""
    area, gap, target = layout.page.inner(layout.margin, layout.gap), layout.gap, layout.target
    field = Box(area.x, area.top - target, area.w, target)
    half = area.w / 2
    seat = naming.back.seat if naming.back is not None else 0
    texts = (
        PageText(words.say(naming.title, seat=seat), Box(field.x, field.y, half, field.h), layout.text * 1.2),
        PageText(
            f"{naming.typing.name}_", Box(field.x + half, field.y, half, field.h), layout.text * FIELD, tone="hint"
        ),
    )
    layers = words.keyboard
    rows = layers[naming.typing.layer % len(layers)]
    body = Box(area.x, area.y + target + gap, area.w, area.h - 2 * (target + gap))
    keys = _letters(rows, body, gap)
    foot = grid(Box(area.x, area.y, area.w, target), FOOT, 1, gap)
    last = naming.back is not None or bool(naming.typing.keys)
    keys += [
        Card(NamedKey.CANCEL, words.say("cancel"), tone="quiet").at(foot[0]),
        Card(KeyboardKey.DELETE, words.say("delete")).at(span(foot[3], foot[4])),
        Card(NamedKey.OK, words.say("ok"), tone="ok", enabled=last).at(foot[5]),
    ]
    if len(layers) > 1:
        keys.append(Card(KeyboardKey.OTHER_LETTERS, words.say("other-letters")).at(span(foot[1], foot[2])))
    return PageFace(layout.page, texts, tuple(keys), ((texts[1].box, "hint"),))


def _letters(rows: tuple[tuple[str, ...], ...], body: Box, gap: float) -> list[Placed]:
    """Each row in the middle, all keys of one size."""
    most = max(map(len, rows))
    width, height = (body.w + gap) / most - gap, (body.h + gap) / len(rows) - gap
    keys = []
    for number, row in enumerate(rows):
        x = body.cx - (len(row) * (width + gap) - gap) / 2
        y = body.top - (number + 1) * (height + gap) + gap
        for place, adds in enumerate(row):
            box = Box(x + place * (width + gap), y, width, height)
            keys.append(Card(Letter(adds), capital(adds)).at(box))
    return keys
