"""The scene of a screen: every place, text, colour and touch target, computed without a window.

`lay_out_scene` makes a scene from the results of other modules. `view_models` and `control_panel` provide the texts and
their colours, `layout` provides the places, and `text_layout` fits each text into its place. `paint` turns a scene into
shapes and texts. `touch_filter` decides which touches count.

Lay out a sample for the seven-inch panel, and read the amount to call, the smallest raise and the largest raise:

    >>> from ui.scene import Appearance, lay_out_scene, layout
    >>> from ui.view_samples import view_samples
    >>> scene = lay_out_scene(view_samples()[0].screen_state, Appearance(layout.SEVEN_INCH_LAYOUT))
    >>> [number.amount for number in scene.numbers]
    ['60', '100', '305']
"""

from ui.scene import fonts, layout, paint, text_layout, tokens
from ui.scene.appearance import DEFAULT_APPEARANCE, Appearance
from ui.scene.boxes import Box, grid
from ui.scene.pages import PageContent, page_content
from ui.scene.players_display import lay_out_players_display
from ui.scene.scene import Scene, lay_out_scene
from ui.scene.touch_filter import REACTION_TIME_US, TouchArea, TouchFilter
from ui.scene.view_models import AlertBandModel, BetSpotModel, SeatTileModel

__all__ = [
    "DEFAULT_APPEARANCE",
    "REACTION_TIME_US",
    "AlertBandModel",
    "Appearance",
    "BetSpotModel",
    "Box",
    "PageContent",
    "Scene",
    "SeatTileModel",
    "TouchArea",
    "TouchFilter",
    "fonts",
    "grid",
    "lay_out_players_display",
    "lay_out_scene",
    "layout",
    "page_content",
    "paint",
    "text_layout",
    "tokens",
]
