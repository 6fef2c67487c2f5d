"""Check that icons accompany words, fit into their place, and are left out if there is too little space."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.ui.test_ui_legibility import LANGUAGES, PANELS, SCREENS, placed_letters, scene_of
from ui.scene import Appearance, Box, layout
from ui.scene.paint import ICON_LINES, Icon, IconName, Text, draw_scene
from ui.scene.paint.control_panel import key_cap

ICON_NAMES = get_args(IconName)


@pytest.mark.parametrize("name", ICON_NAMES)
def test_lines_of_an_icon_are_inside_its_square(name: IconName) -> None:
    points = [point for line in ICON_LINES[name] for point in line]
    assert all(0.05 <= x <= 0.95 and 0.05 <= y <= 0.95 for x, y in points)


@PANELS
@pytest.mark.parametrize("language", LANGUAGES)
def test_icons_overlap_no_text_on_any_view(panel: layout.ScreenLayout, language: str) -> None:
    shown = set()
    for name in SCREENS:
        drawing = draw_scene(scene_of(name, Appearance(panel, language=language)))
        letters = placed_letters(drawing)
        for part, items in drawing.items():
            for icon in (item for item in items if isinstance(item, Icon)):
                shown.add(icon.name)
                assert any(isinstance(item, Text) and item.text for item in items), f"{name}: {icon.name} without words"
                covered = [
                    text.text for text_part, text, box in letters if text_part == part and icon.box.overlaps(box)
                ]
                assert covered == [], f"{name}: {icon.name}"
    assert shown == set(ICON_NAMES)


def test_icon_is_left_of_the_words_if_there_is_space() -> None:
    items = key_cap("UNDO", "Seat 4 folds", "undo", Box(0, 0, 242, 71), Appearance(), "undo")
    icon = next(item for item in items if isinstance(item, Icon))
    texts = [item for item in items if isinstance(item, Text)]
    assert len(texts) == 2
    assert all(icon.box.right < text.box.x for text in texts)


def test_icon_is_left_out_if_there_is_no_space() -> None:
    box = Box(0, 0, 90, 71)
    assert key_cap("UNDO", "", "undo", box, Appearance(), "undo") == key_cap("UNDO", "", "undo", box, Appearance())
