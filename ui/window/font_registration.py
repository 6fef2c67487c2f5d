"""Registration of the fonts of `ui.scene.fonts` in Kivy."""

from __future__ import annotations

import logging

from kivy.core.text import LabelBase

from ui.scene import fonts

_logger = logging.getLogger(__name__)


def register_fonts() -> None:
    """Register the fonts. Call this before any text is drawn.

    Kivy itself has Roboto. If the file of the other font is missing, Roboto replaces it and draws boxes for the
    characters that it lacks. A line on standard error reports this.
    """
    try:
        LabelBase.register("MicroHei", str(fonts.MICRO_HEI_FILE))
    except OSError:
        _logger.warning("no font at %s: expected fonts-wqy-microhei", fonts.MICRO_HEI_FILE)
        roboto = LabelBase._fonts["Roboto"]  # Kivy has no public access to its registered fonts
        LabelBase.register("MicroHei", *roboto)
