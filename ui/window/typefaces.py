"""Makes the fonts of `ui.scene.fonts` known to Kivy, which brings Roboto itself."""

from __future__ import annotations

import sys

from kivy.core.text import LabelBase

from ui.scene import fonts


def register() -> None:
    """Must have run before the first words are drawn. Where the file is missing, Roboto is drawn in its place, with
    boxes for the letters that it has not, and one line says so on standard error."""
    try:
        LabelBase.register("MicroHei", str(fonts.MICRO_HEI_FILE))
    except OSError:
        print(f"ui: no font at {fonts.MICRO_HEI_FILE}: expected fonts-wqy-microhei", file=sys.stderr, flush=True)
        roboto = LabelBase._fonts["Roboto"]  # it has no public list of what is registered
        LabelBase.register("MicroHei", *roboto)
