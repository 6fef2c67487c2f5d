"""A scene as a drawing: flat shapes and texts with their places, sizes and colours.

`draw_scene` turns a scene into a `Drawing`, which has shapes, icons and texts for each named part of the screen. If a
part is equal in two drawings, the window does not draw it again. The modules `header`, `seats`, `table_centre`,
`control_panel` and `page` make the parts. `primitives` has the shapes and texts, and `icons` the icons. `movements`
says what moves from one scene to the next. The window only draws the parts.

Draw a sample and look at one text:

    >>> from ui.scene.paint import Text, draw_scene
    >>> from ui.view_samples import view_samples
    >>> drawing = draw_scene(view_samples()[0].scene())
    >>> texts = [item for part in drawing.values() for item in part if isinstance(item, Text)]
    >>> next((text.text, text.size, text.colour) for text in texts if text.text == "FOLD")
    ('FOLD', 28, '#ffffff')
"""

from ui.scene.paint.control_panel import draw_key
from ui.scene.paint.drawing import Drawing, DrawingPart, Layer, draw_scene
from ui.scene.paint.icons import ICON_LINES
from ui.scene.paint.movements import Movement, movements
from ui.scene.paint.primitives import Align, Icon, IconName, Primitive, Shape, Text

__all__ = [
    "ICON_LINES",
    "Align",
    "Drawing",
    "DrawingPart",
    "Icon",
    "IconName",
    "Layer",
    "Movement",
    "Primitive",
    "Shape",
    "Text",
    "draw_key",
    "draw_scene",
    "movements",
]
