"""The settings of a screen, which are not part of the table: language, colours, layout, sound and brightness.

`values` has the settings as one frozen value and the next value of each. `settings_file` keeps them in a file, and sets
the backlight of the panel.

    >>> from ui.settings import SettingKey, Settings, next_setting
    >>> next_setting(Settings(language="en"), SettingKey.LANGUAGE, ("en", "de", "zh")).language
    'de'
"""

from ui.settings.settings_file import Backlight, load_settings, save_settings
from ui.settings.values import MAX_BRIGHTNESS, MAX_VOLUME, SettingKey, Settings, next_setting

__all__ = [
    "MAX_BRIGHTNESS",
    "MAX_VOLUME",
    "Backlight",
    "SettingKey",
    "Settings",
    "load_settings",
    "next_setting",
    "save_settings",
]
