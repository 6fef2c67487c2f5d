"""The shapes and texts of a drawing, and the functions that make them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ui.scene import text_layout, tokens
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.tokens import Tone

Align = Literal["left", "center", "right"]
ShapeKind = Literal["panel", "disc", "triangle"]
IconName = Literal["undo", "menu", "floor", "small-blind", "big-blind"]


class Shape(NamedTuple):
    """A filled shape with an outline inside its edge.

    If `fill` is empty, only the outline is drawn. `opacity` is from 0 to 1.
    """

    box: Box
    fill: str
    outline: str = ""
    outline_width: float = 0
    radius: float = 0
    kind: ShapeKind = "panel"
    opacity: float = 1
    backdrop: str = ""
    """Colour behind the rounded corners, or "" if it is not the same everywhere. With a colour, the box is opaque,
    so that a software renderer draws it in less time."""


class Text(NamedTuple):
    """A text that is vertically centred in its box. It already contains the line breaks."""

    text: str
    box: Box
    size: float
    colour: str
    background: str
    """Colour of the background behind the text."""
    align: Align = "center"
    is_amount: bool = False
    """True if the text is an amount, which is drawn smaller instead of being cut."""
    is_truncated: bool = False
    """True if part of the text was cut."""


class Icon(NamedTuple):
    """An icon in a square box. `ui.scene.paint.icons` has its lines."""

    name: IconName
    box: Box
    colour: str
    background: str
    """Colour of the background behind the icon."""


Primitive = Shape | Text | Icon
Primitives = tuple[Primitive, ...]


def background_shape(box: Box, tone: Tone, appearance: Appearance, *, is_on_background: bool = False) -> Shape:
    """Return the background of an element. The tone determines its colours, its outline and its corners.

    If `is_on_background` is True, the element lies directly on the background of the screen.
    """
    caption = appearance.layout.min_font_size
    outline_width = (
        max(tokens.HAIRLINE, tone.outline_width * caption / tokens.FULL_OUTLINE_FONT_SIZE) if tone.outline_width else 0
    )
    radius = {
        "round": caption * tokens.CORNER_RADIUS,
        "pill": min(box.w / 2, box.h / 2, caption * tokens.PILL_RADIUS),
        "square": caption * tokens.SMALL_RADIUS,
    }
    backdrop = appearance.theme.background if is_on_background else ""
    return Shape(box, tone.background, tone.outline, outline_width, radius[tone.corners], backdrop=backdrop)


def strip(box: Box, tone: Tone, appearance: Appearance) -> Shape:
    """Return the background behind a line of text inside another element, such as a flag of a seat."""
    return Shape(box, tone.background, radius=appearance.layout.min_font_size * tokens.SMALL_RADIUS)


def fitted_text(
    text: str,
    box: Box,
    tone: Tone,
    appearance: Appearance,
    *,
    size: float = 0,
    align: Align = "center",
    background: str = "",
) -> Text:
    """Return a text in the largest font size that fits its box.

    The font size is at most `size`, and at least the minimum font size. A text that does not fit is cut.
    """
    sizes = tokens.sizes_up_to(appearance.layout.type_scale, size)
    fitted = text_layout.fit_text(text, sizes, max(1, box.w), box.h)
    return Text(
        fitted.text,
        box,
        fitted.size,
        tone.text_colour,
        background or tone.background or appearance.theme.felt,
        align,
        is_truncated=fitted.is_truncated,
    )


def fitted_amount(
    text: str,
    box: Box,
    tone: Tone,
    appearance: Appearance,
    *,
    size: float = 0,
    align: Align = "center",
    background: str = "",
) -> Text:
    """Return an amount in one line, in the largest font size that fits the box."""
    fitted = text_layout.fit_amount(text, tokens.sizes_up_to(appearance.layout.type_scale, size), max(1, box.w))
    return Text(
        fitted.text,
        box,
        fitted.size,
        tone.text_colour,
        background or tone.background or appearance.theme.felt,
        align,
        is_amount=True,
    )


def split_rows(box: Box, count: int) -> tuple[Box, ...]:
    """Divide a box into `count` rows of equal height, from top to bottom."""
    height = box.h / count
    return tuple([Box(box.x, box.top - (row + 1) * height, box.w, height) for row in range(count)])


def split_columns(box: Box, *widths: float) -> tuple[Box, ...]:
    """Divide a box into columns of these widths from left to right. A column with width 0 gets the remaining space."""
    remaining = box.w - sum(widths)
    columns, x = [], box.x
    for width in widths:
        column_width = width or remaining
        columns.append(Box(x, box.y, column_width, box.h))
        x += column_width
    return tuple(columns)
