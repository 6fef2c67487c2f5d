"""Change the settings of a real window by touches, and start the window again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.screen_process import ScreenProcess, virtual_display
from tests.service.service_process import service_process
from ui.settings import SettingKey
from ui.state import NamedKey, PageKey, page_state

pytestmark = pytest.mark.screen
CHANGES = (SettingKey.LANGUAGE, SettingKey.THEME, SettingKey.LEFT_HANDED, SettingKey.LARGE_NUMBERS)


def test_settings_take_effect_at_once_and_last_over_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "screen.json"
    with virtual_display(), service_process(tmp_path, "--no-trays") as service:
        link = service.start()
        screen = ScreenProcess(service.address, "--settings", str(file))
        try:
            screen.wait_for_view(link.view().sequence)
            usual = screen.frame.targets
            screen.touch(NamedKey.MENU, page_state.GAMES_REQUEST, page_state.SETTINGS_REQUEST, *CHANGES)
            screen.touch(PageKey.CLOSE)
            changed = screen.wait_until(lambda frame: str(NamedKey.NEXT_HAND) in frame.targets, "the table").targets
            assert changed != usual
        finally:
            screen.close()
        screen = ScreenProcess(service.address, "--settings", str(file))
        try:
            screen.wait_for_view(link.view().sequence)
            assert screen.frame.targets == changed
        finally:
            screen.close()
