"""Registration of the screen's fonts in Kivy."""

from __future__ import annotations

import logging

from kivy.core.text import LabelBase

from ui.scene import fonts

_logger = logging.getLogger(__name__)


def register_fonts() -> None:
    """Register the fonts of the screen. The program calls this before it draws any text.

    Kivy itself has the font Roboto. If the file of the other font is missing, Roboto replaces it and draws boxes in
    place of unknown characters. A line on standard error then reports this.
    """
    try:
        LabelBase.register("MicroHei", str(fonts.MICRO_HEI_FILE))
    except OSError:
        _logger.warning("no font at %s: expected fonts-wqy-microhei", fonts.MICRO_HEI_FILE)
        roboto = LabelBase._fonts["Roboto"]  # Kivy has no public way to list its registered fonts
        LabelBase.register("MicroHei", *roboto)
