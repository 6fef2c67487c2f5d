"""A page that lies over the table: its lines and the grounds of some of them. Its keys are like all others."""

from __future__ import annotations

from ui.scene.look import Look
from ui.scene.pages import PageFace
from ui.scene.paint.marks import Mark, Marks, Shape, number, words


def page(face: PageFace, look: Look) -> Marks:
    """The page without its keys."""
    tones = look.theme.tones
    out: list[Mark] = [Shape(face.box, look.theme.ground)]
    grounds = dict(face.stripes)
    out += [Shape(box, tones[tone].ground, radius=5) for box, tone in face.stripes]
    for one in face.texts:
        tone = tones[one.tone]
        on = next(
            (tones[name].ground for box, name in grounds.items() if box.contains(one.box.cx, one.box.cy)),
            look.theme.ground,
        )
        write = number if one.number else words
        out.append(write(one.words, one.box, tone, look, size=one.size, align=one.align, on=on))
    return tuple(out)
