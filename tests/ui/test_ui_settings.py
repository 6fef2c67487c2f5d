"""Test the settings of the screen: their page, their effect on the picture, and the file that keeps them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from controller.view import pages
from tests.ui.touch_table import TouchTable
from ui.scene import Appearance, lay_out_scene, layout
from ui.settings import MAX_BRIGHTNESS, MAX_VOLUME, Backlight, SettingKey, Settings, load_settings, save_settings
from ui.state import (
    NamedKey,
    PageKey,
    page_actions,
    page_state,
)
from ui.view_samples import view_samples

GAME = 'blinds = [5, 10]\nstart = "idle"'
SETTINGS_PAGE = (NamedKey.MENU, page_state.GAMES_REQUEST, page_state.SETTINGS_REQUEST)


def table_on_settings_page() -> TouchTable:
    table = TouchTable(GAME)
    table.touch(*SETTINGS_PAGE)
    return table


@pytest.mark.parametrize(
    ("key", "touches", "changed"),
    [
        (SettingKey.LANGUAGE, 1, Settings(language="de")),
        (SettingKey.LANGUAGE, 3, Settings()),
        (SettingKey.THEME, 1, Settings(theme="bright")),
        (SettingKey.THEME, 2, Settings()),
        (SettingKey.LARGE_NUMBERS, 1, Settings(large_numbers=True)),
        (SettingKey.LEFT_HANDED, 1, Settings(left_handed=True)),
        (SettingKey.MOTION, 1, Settings(motion=False)),
        (SettingKey.VOLUME, 1, Settings(volume=1)),
        (SettingKey.VOLUME, MAX_VOLUME + 1, Settings()),
    ],
)
def test_touch_selects_the_next_value(key: SettingKey, touches: int, changed: Settings) -> None:
    table = table_on_settings_page()
    table.touch(*[key] * touches)
    assert (table.screen.settings, table.sent) == (changed, [])
    table.touch(PageKey.CLOSE)
    assert table.screen.settings == changed


def test_brightness_has_a_key_only_with_a_backlight() -> None:
    def has_key(settings: Settings) -> bool:
        table = table_on_settings_page()
        table.screen = replace(table.screen, settings=settings)
        return SettingKey.BRIGHTNESS in {key.target for key in lay_out_scene(table.screen).keys}

    assert [has_key(Settings(brightness=brightness)) for brightness in (None, 3)] == [False, True]


def test_page_needs_no_query_and_ignores_late_answers() -> None:
    table = table_on_settings_page()
    assert page_actions.refresh_page(table.screen) == (table.screen, None)
    page = table.screen.page
    assert page is not None
    assert not page_state.answers_request(page, pages.ReportPage())


@pytest.mark.parametrize(
    ("base", "left_handed", "large_numbers"), [*product(layout.LAYOUTS, (False, True), (False, True))]
)
def test_left_handed_layout_moves_the_panels_and_keeps_their_keys(
    base: layout.ScreenLayout, left_handed: bool, large_numbers: bool
) -> None:
    adapted = layout.adapted_layout(base, left_handed=left_handed, large_numbers=large_numbers)
    assert adapted is layout.adapted_layout(base, left_handed=left_handed, large_numbers=large_numbers)
    assert (adapted.left_panel.w, adapted.right_panel.w) == (base.left_panel.w, base.right_panel.w)
    assert (adapted.right_panel.x < adapted.left_panel.x) == left_handed
    assert {adapted.left_panel.x, adapted.right_panel.x} >= {base.left_panel.x}
    assert max(adapted.left_panel.right, adapted.right_panel.right) == base.right_panel.right
    assert (adapted.font_sizes.number > base.font_sizes.number) == large_numbers
    for sample in view_samples():
        scene = lay_out_scene(sample.screen_state, Appearance(adapted))
        usual = lay_out_scene(sample.screen_state, Appearance(base))
        assert [(key.target, round(key.box.w, 6), round(key.box.h, 6)) for key in scene.keys] == [
            (key.target, round(key.box.w, 6), round(key.box.h, 6)) for key in usual.keys
        ], sample.name


def test_number_pad_of_the_left_handed_layout_is_on_the_left() -> None:
    table = TouchTable(GAME).do("hand")
    table.touch(NamedKey.RAISE)
    adapted = layout.adapted_layout(layout.TEN_INCH_LAYOUT, left_handed=True, large_numbers=False)
    keys = {key.target: key.box for key in lay_out_scene(table.screen, Appearance(adapted)).keys}
    assert keys[NamedKey.OK].right < keys[NamedKey.CANCEL].x


CHANGED = Settings(language="zh", theme="bright", large_numbers=True, left_handed=True, volume=2, brightness=4)


def test_settings_last_over_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "screen.json"
    assert load_settings(file, CHANGED) == CHANGED
    save_settings(file, CHANGED)
    assert load_settings(file, Settings()) == CHANGED
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"language": 3}', b'{"theme": "pink"}', b"\xff\xfe", b'{"volume": "loud"}']
)
def test_unusable_file_leaves_the_settings_of_the_command_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "screen.json"
    file.write_bytes(content)
    assert load_settings(file, CHANGED) == CHANGED


def test_settings_are_on_disk_before_they_replace_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr("os.fsync", lambda _: order.append("fsync"))
    monkeypatch.setattr("os.replace", lambda *_: order.append("replace"))
    save_settings(tmp_path / "screen.json", CHANGED)
    assert order == ["fsync", "replace"]


def test_settings_without_a_file_or_a_writable_folder_are_not_kept(tmp_path: Path) -> None:
    save_settings(None, CHANGED)
    save_settings(tmp_path / "missing" / "screen.json", CHANGED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("step", "written"), [(1, "51"), (MAX_BRIGHTNESS, "255")])
def test_brightness_is_a_part_of_the_maximum_of_the_panel(tmp_path: Path, step: int, written: str) -> None:
    panel = tmp_path / "panel"
    panel.mkdir()
    (panel / "max_brightness").write_text("255\n")
    (panel / "brightness").write_text("100\n")
    backlight = Backlight(tmp_path)
    assert backlight.is_available
    backlight.set_step(step)
    assert (panel / "brightness").read_text() == written


def test_machine_without_a_backlight_has_none(tmp_path: Path) -> None:
    assert not Backlight(tmp_path / "missing").is_available
    backlight = Backlight(tmp_path)
    backlight.set_step(3)
    assert not backlight.is_available
