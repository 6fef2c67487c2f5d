"""A scene as flat shapes and texts, each in its place, size and colour: what the window draws and nothing else.

The folder of what is on the glass: `table` (seats, spots), `centre` (street, pot, pots), `top` (strip, last actions,
alert), `lower` (numbers, keys, what is typed), `drawing` (all of it), on `marks` (shapes and texts).
"""

from ui.scene.paint.drawing import Drawing, Layer, Part, draw
from ui.scene.paint.lower import key
from ui.scene.paint.marks import Align, Mark, Shape, Text

__all__ = ["Align", "Drawing", "Layer", "Mark", "Part", "Shape", "Text", "draw", "key"]
