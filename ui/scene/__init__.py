"""A screen laid out, without a window: where everything stands, what it says, its paint, which touches count."""

from ui.scene import fonts, layout, letters, paint, theme
from ui.scene.boxes import Box, grid
from ui.scene.faces import BandFace, SeatFace, SpotFace
from ui.scene.fingers import REACTION_US, Touchable, TouchJudge
from ui.scene.look import LOOK, Look
from ui.scene.players import lay_out_players
from ui.scene.scene import Scene, lay_out

__all__ = [
    "LOOK",
    "REACTION_US",
    "BandFace",
    "Box",
    "Look",
    "Scene",
    "SeatFace",
    "SpotFace",
    "TouchJudge",
    "Touchable",
    "fonts",
    "grid",
    "lay_out",
    "lay_out_players",
    "layout",
    "letters",
    "paint",
    "theme",
]
