"""A program that draws the reference pictures and the pictures of the README.

- `python -m tests.ui.draw_reference_pictures` writes the pictures to their folders. Look at each changed picture
  afterwards.
- `python -m tests.ui.draw_reference_pictures DIR` writes the reference pictures in full colour to a folder, for a
  comparison.

The pictures are drawn off-screen, in the size of their layout, with the canvas that the window also uses.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from tests.service.test_readme_pictures import situations
from tests.ui.component_sheet import component_pages
from tests.ui.reference_states import (
    CHANGED_DIGIT_PICTURES,
    README_PICTURES,
    REFERENCE_FOLDER,
    alert_sheets,
    reference_pictures,
)
from ui.scene import DEFAULT_APPEARANCE, Appearance, Scene, tokens
from ui.scene.paint import Drawing, Text, draw_scene
from ui.view_samples import ViewSample, view_samples
from ui.virtual_display import display, set_kivy_environment

COLOURS = 256
"""Number of colours in the palette of a saved picture."""
EXACT_COLOURS = 96
"""Number of colours of a picture that are saved unchanged. They are its most frequent colours and cover all uniform
areas."""
LEVEL_STEP = 32
"""Rare colours are rounded to multiples of this number when a picture is saved, separately in red, green and blue.

Rare colours occur at the edges of letters. Rounding changes a level by at most half a step.
"""
LEVELS = [min(255, round(level / LEVEL_STEP) * LEVEL_STEP) for level in range(256)]
DOCUMENT_SAMPLES = ("pot-limit", "number-pad", "page-hand", "players")
"""Sample views that are also pictures in documents."""


class PicturePainter:
    """A painter that draws scenes of one size. Kivy's window must exist before the painter."""

    def __init__(self, appearance: Appearance) -> None:
        from kivy.graphics import Fbo

        from ui.window.canvas import SceneCanvas

        self._size = (appearance.layout.width, appearance.layout.height)
        self._fbo, self._canvas = Fbo(size=self._size), SceneCanvas()
        self._fbo.add(self._canvas.canvas)

    def picture(self, scene: Scene, drawing: Drawing | None = None) -> Image.Image:
        """Return a picture of the scene on the background of its theme.

        If `drawing` is given, draw it instead of the scene.
        """
        from kivy.utils import get_color_from_hex

        self._fbo.clear_color = get_color_from_hex(scene.appearance.theme.background)
        self._fbo.bind()
        self._fbo.clear_buffer()
        self._fbo.release()
        self._canvas.draw(drawing or draw_scene(scene))
        self._fbo.draw()
        image = Image.frombytes("RGBA", self._size, self._fbo.pixels)
        return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).convert("RGB")


def draw_all() -> Iterator[tuple[str, Image.Image]]:
    """Yield every reference picture with its name."""
    painters: dict[Any, PicturePainter] = {}

    def picture(sample: ViewSample, appearance: Appearance) -> tuple[Scene, Image.Image]:
        if appearance.layout not in painters:
            painters[appearance.layout] = PicturePainter(appearance)
        scene = sample.scene(appearance)
        return scene, painters[appearance.layout].picture(scene)

    for reference in reference_pictures():
        yield reference.name, picture(reference.sample, reference.appearance)[1]
    for name, appearance, samples in alert_sheets():
        yield name, alert_sheet([picture(sample, appearance)[1] for sample in samples], appearance)


SIMILAR_DIGITS = {"0": "8", "1": "7", "3": "8", "4": "1", "5": "6", "6": "8", "7": "1", "8": "3", "9": "8"}
"""The digit that looks most similar to each digit."""


def pictures_with_changed_digit() -> Iterator[tuple[str, Image.Image]]:
    """Yield pictures in which one digit is changed, with names such as "pot-limit.3".

    The function changes one digit for each combination of font size and colours in which digits are drawn.
    """
    for reference in reference_pictures():
        if reference.name not in CHANGED_DIGIT_PICTURES:
            continue
        painter, scene = PicturePainter(reference.appearance), reference.sample.scene(reference.appearance)
        drawing = draw_scene(scene)
        text_kinds: set[tuple[float, str, str]] = set()
        for part, items in drawing.items():
            for index, item in enumerate(items):
                position = (
                    next((index for index, letter in enumerate(item.text) if letter in SIMILAR_DIGITS), None)
                    if isinstance(item, Text)
                    else None
                )
                if (
                    not isinstance(item, Text)
                    or position is None
                    or (text_kind := (item.size, item.colour, item.background)) in text_kinds
                ):
                    continue
                text_kinds.add(text_kind)
                text = item.text[:position] + SIMILAR_DIGITS[item.text[position]] + item.text[position + 1 :]
                changed = (*items[:index], item._replace(text=text), *items[index + 1 :])
                yield f"{reference.name}.{len(text_kinds)}", painter.picture(scene, {**drawing, part: changed})


def alert_sheet(screens: list[Image.Image], appearance: Appearance) -> Image.Image:
    """Return one picture that shows the alert bands of several screens, one below the other."""
    header, layout = appearance.layout.header, appearance.layout
    row_height = int(header.h + 2 * layout.margin)
    sheet = Image.new("RGB", (layout.width, row_height * len(screens)))
    for row, screen in enumerate(screens):
        top = layout.height - header.top - layout.margin
        sheet.paste(screen.crop((0, int(top), layout.width, int(top) + row_height)), (0, row * row_height))
    return sheet


def reduce_colours(image: Image.Image) -> Image.Image:
    """Return the picture with few colours, so that its file has only a few kilobytes."""
    frequent, edge_colours = colours_by_frequency(image)[:EXACT_COLOURS], colours_by_frequency(image.point(LEVELS * 3))
    palette = Image.new("P", (1, 1))
    palette.putpalette([level for colour in (frequent + edge_colours)[:COLOURS] for level in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def colours_by_frequency(image: Image.Image) -> list[tuple[int, int, int]]:
    """Return the colours of a picture, the most frequent colour first."""
    colours = image.getcolors(image.width * image.height) or []
    return [colour for _, colour in sorted(colours, reverse=True)]


def component_sheets() -> Iterator[tuple[str, Image.Image]]:
    """Yield a sheet with every component for each theme: its pages, one below the other."""
    for theme in tokens.THEMES.values():
        appearance = Appearance(theme=theme)
        painter, scene = PicturePainter(appearance), Scene(is_live=True, appearance=appearance)
        pages = [painter.picture(scene, drawing) for drawing in component_pages(appearance)]
        sheet = Image.new("RGB", (pages[0].width, sum(page.height for page in pages)))
        for number, page in enumerate(pages):
            sheet.paste(page, (0, number * page.height))
        yield f"components-{theme.name}", sheet


def update_reference_pictures() -> None:
    """Write all pictures to their folders, and delete old pictures that are no longer drawn."""
    names = set()
    for name, image in draw_all():
        reduce_colours(image).save(REFERENCE_FOLDER / f"{name}.png", optimize=True)
        names.add(name)
    for path in REFERENCE_FOLDER.glob("*.png"):
        if path.stem not in names:
            path.unlink()
    painter = PicturePainter(DEFAULT_APPEARANCE)
    samples = [sample for sample in view_samples() if sample.name in DOCUMENT_SAMPLES]
    samples += [ViewSample(name, view) for name, view in situations().items()]
    for sample in samples:
        image = painter.picture(sample.scene()).quantize(COLOURS, dither=Image.Dither.NONE)
        image.save(README_PICTURES / f"{sample.name}.png", optimize=True)
    for name, image in component_sheets():
        reduce_colours(image).save(README_PICTURES / f"{name}.png", optimize=True)


def write_pictures(folder: Path) -> None:
    """Write the reference pictures and the sheets in full colour, and also the pictures with a changed digit."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in (*draw_all(), *component_sheets(), *pictures_with_changed_digit()):
        image.save(folder / f"{name}.png", compress_level=1)


def main() -> int:
    """Draw the pictures and return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.draw_reference_pictures", description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", help="folder for pictures in full colour (default: update the kept pictures)"
    )
    folder = parser.parse_args().folder
    with set_kivy_environment(), display():
        import kivy.core.window  # noqa: F401  (creates the window that off-screen drawing needs)

        import ui.window  # noqa: F401  (registers the fonts)

        update_reference_pictures() if folder is None else write_pictures(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
