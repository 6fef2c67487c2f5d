"""Run as a program: draws the reference pictures, and those of the README.

`python -m tests.ui.draw_pictures` writes them where they are kept, after which somebody looks at each that has changed;
`python -m tests.ui.draw_pictures DIR` writes the reference pictures with all their colours, to be compared. They are
drawn beside the window, in the size of their layout, with the painter of the window.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from tests.service.test_pictures import situations
from tests.ui.pictured import KEPT, PLANTED, README, pictures, sheets
from ui.display import display, kivy_environment
from ui.samples import Sample, samples
from ui.scene import LOOK, Look, Scene
from ui.scene.paint import Drawing, Text, draw

COLOURS = 256
"""Of a palette."""
FLAT = 96
"""The colours that a picture has most of are kept as they are: those of everything that has one colour."""
STEP = 32
"""Of the others, on the edges of letters and shapes, every STEP-th level of red, green and blue is kept: none is off by
more than half of that."""
LEVELS = [min(255, round(level / STEP) * STEP) for level in range(256)]
OF_SAMPLES = ("pot-limit", "number-pad", "page-hand", "players")
"""Pictures of documents that are reference views."""


class Painter:
    """Draws scenes of one size. Kivy's window must be there."""

    def __init__(self, look: Look) -> None:
        from kivy.graphics import Fbo

        from ui.window.glass import Glass

        self._size = (look.layout.width, look.layout.height)
        self._fbo, self._glass = Fbo(size=self._size), Glass()
        self._fbo.add(self._glass.canvas)

    def picture(self, scene: Scene, drawing: Drawing | None = None) -> Image.Image:
        """The scene on the ground of its theme; `drawing` is drawn in its stead."""
        from kivy.utils import get_color_from_hex

        self._fbo.clear_color = get_color_from_hex(scene.look.theme.ground)
        self._fbo.bind()
        self._fbo.clear_buffer()
        self._fbo.release()
        self._glass.draw(drawing or draw(scene))
        self._fbo.draw()
        image = Image.frombytes("RGBA", self._size, self._fbo.pixels)
        return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).convert("RGB")


def drawn() -> Iterator[tuple[str, Image.Image]]:
    """Every reference picture by name."""
    painters: dict[Any, Painter] = {}

    def picture(sample: Sample, look: Look) -> tuple[Scene, Image.Image]:
        if look.layout not in painters:
            painters[look.layout] = Painter(look)
        scene = sample.scene(look)
        return scene, painters[look.layout].picture(scene)

    for one in pictures():
        yield one.name, picture(one.sample, one.look)[1]
    for name, look, some in sheets():
        yield name, sheet([picture(sample, look)[1] for sample in some], look)


LIKE = {"0": "8", "1": "7", "3": "8", "4": "1", "5": "6", "6": "8", "7": "1", "8": "3", "9": "8"}
"""The digit that each looks most like."""


def planted() -> Iterator[tuple[str, Image.Image]]:
    """Pictures with one digit changed, for each kind of letters that has one: named "STATE.NUMBER"."""
    for one in pictures():
        if one.name not in PLANTED:
            continue
        painter, scene = Painter(one.look), one.sample.scene(one.look)
        drawing = draw(scene)
        kinds: set[tuple[float, str, str]] = set()
        for part, marks in drawing.items():
            for at, mark in enumerate(marks):
                digit = (
                    next((at for at, letter in enumerate(mark.words) if letter in LIKE), None)
                    if isinstance(mark, Text)
                    else None
                )
                if not isinstance(mark, Text) or digit is None or (kind := (mark.size, mark.ink, mark.on)) in kinds:
                    continue
                kinds.add(kind)
                words = mark.words[:digit] + LIKE[mark.words[digit]] + mark.words[digit + 1 :]
                changed = (*marks[:at], mark._replace(words=words), *marks[at + 1 :])
                yield f"{one.name}.{len(kinds)}", painter.picture(scene, {**drawing, part: changed})


def sheet(screens: list[Image.Image], look: Look) -> Image.Image:
    """The alert bands of several screens, one below the other."""
    top, layout = look.layout.top, look.layout
    high = int(top.h + 2 * layout.margin)
    out = Image.new("RGB", (layout.width, high * len(screens)))
    for row, screen in enumerate(screens):
        upper = layout.height - top.top - layout.margin
        out.paste(screen.crop((0, int(upper), layout.width, int(upper) + high)), (0, row * high))
    return out


def kept(image: Image.Image) -> Image.Image:
    """The picture as it is kept: of few colours, in a few kilobytes."""
    flat, edges = counted(image)[:FLAT], counted(image.point(LEVELS * 3))
    palette = Image.new("P", (1, 1))
    palette.putpalette([level for colour in (flat + edges)[:COLOURS] for level in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def counted(image: Image.Image) -> list[tuple[int, int, int]]:
    """The colours of a picture, the one that it has most of first."""
    colours = image.getcolors(image.width * image.height) or []
    return [colour for _, colour in sorted(colours, reverse=True)]


def keep() -> None:
    """Writes all of them where they are kept; pictures of states that are no more go away."""
    names = set()
    for name, image in drawn():
        kept(image).save(KEPT / f"{name}.png", optimize=True)
        names.add(name)
    for path in KEPT.glob("*.png"):
        if path.stem not in names:
            path.unlink()
    painter = Painter(LOOK)
    shown = [sample for sample in samples() if sample.name in OF_SAMPLES]
    shown += [Sample(name, view) for name, view in situations().items()]
    for sample in shown:
        image = painter.picture(sample.scene()).quantize(COLOURS, dither=Image.Dither.NONE)
        image.save(README / f"{sample.name}.png", optimize=True)


def write(folder: Path) -> None:
    """Writes the reference pictures with all their colours, and those with a digit changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in (*drawn(), *planted()):
        image.save(folder / f"{name}.png", compress_level=1)


def main() -> int:
    """Exit code 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.draw_pictures", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="else they are written where they are kept")
    folder = parser.parse_args().folder
    with kivy_environment(), display():
        import kivy.core.window  # noqa: F401  (makes the window that pictures are drawn beside)

        import ui.window  # noqa: F401  (makes the fonts known)

        keep() if folder is None else write(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
