"""The texts and line backgrounds of a page that covers the table."""

from __future__ import annotations

from ui.scene.appearance import Appearance
from ui.scene.pages import PlacedPage
from ui.scene.paint.primitives import Primitive, Primitives, Shape, fitted_amount, fitted_text, strip
from ui.scene.tokens import TEXT_MARGIN


def page_background(placed_page: PlacedPage, appearance: Appearance) -> Primitives:
    """Return the shapes and texts of a page without its keys, which are drawn with the keys of the panels."""
    tones = appearance.theme.tones
    items: list[Primitive] = [Shape(placed_page.box, appearance.theme.background)]
    backgrounds = dict(placed_page.line_backgrounds)
    items += [strip(box, tones[tone], appearance) for box, tone in placed_page.line_backgrounds]
    for text in placed_page.texts:
        tone = tones[text.tone]
        background = next(
            (tones[name].background for box, name in backgrounds.items() if box.contains(text.box.cx, text.box.cy)),
            appearance.theme.background,
        )
        make_text = fitted_amount if text.is_amount else fitted_text
        box = text.box.inset(TEXT_MARGIN, 0) if text.box in backgrounds else text.box
        items.append(
            make_text(text.text, box, tone, appearance, size=text.size, align=text.align, background=background)
        )
    return tuple(items)
