"""Content of the page SETTINGS, on which the dealer changes the screen itself."""

from __future__ import annotations

from controller.messages import Messages, language_name
from ui.scene.pages.page_layout import PageCard, PageContent
from ui.settings import SettingKey, Settings


def settings_content(shown: Settings, messages: Messages) -> PageContent:
    """Return the page with a key for each setting, which shows its present value."""
    on_off = {True: messages.text("setting-on"), False: messages.text("setting-off")}
    volume = messages.text("setting-level", amount=None, number=shown.volume) if shown.volume else on_off[False]
    cards = [
        PageCard(SettingKey.LANGUAGE, messages.text("setting-language"), language_name(shown.language)),
        PageCard(
            SettingKey.THEME,
            messages.text("setting-theme"),
            messages.text("setting-bright" if shown.theme == "bright" else "setting-dark"),
        ),
        PageCard(SettingKey.LARGE_NUMBERS, messages.text("setting-large"), on_off[shown.large_numbers]),
        PageCard(SettingKey.LEFT_HANDED, messages.text("setting-left"), on_off[shown.left_handed]),
        PageCard(SettingKey.MOTION, messages.text("setting-motion"), on_off[shown.motion]),
        PageCard(SettingKey.VOLUME, messages.text("setting-volume"), volume),
    ]
    if shown.brightness is not None:
        level = messages.text("setting-level", amount=None, number=shown.brightness)
        cards.append(PageCard(SettingKey.BRIGHTNESS, messages.text("setting-brightness"), level))
    return PageContent(messages.text("title-settings"), cards=tuple(cards))
