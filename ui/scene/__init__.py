"""A screen laid out, without a window: where everything stands, what it says, its paint, which touches count."""

from ui.scene import layout, letters, theme
from ui.scene.faces import BandFace, SeatFace, SpotFace
from ui.scene.fingers import REACTION_US, TouchJudge
from ui.scene.layout import Box
from ui.scene.scene import Scene, lay_out

__all__ = [
    "REACTION_US",
    "BandFace",
    "Box",
    "Scene",
    "SeatFace",
    "SpotFace",
    "TouchJudge",
    "lay_out",
    "layout",
    "letters",
    "theme",
]
