"""The three fonts of the screen and the widths of their characters.

Kivy draws a label in a single font, and no available font has both bold digits and Chinese characters. The screen
therefore draws a text in the first font that has all its characters. The third font has signs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

Font = Literal["Roboto", "MicroHei", "DejaVuSans"]

MICRO_HEI_FILE: Final = Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc")
"""Path of the font in Debian's package fonts-wqy-microhei. The other font, Roboto Bold, comes with Kivy."""

_ROBOTO = {
    170: "'",
    230: "’",
    240: "‘",
    250: " \u00a0,",
    260: "j|¦ſ",
    270: ";il¸įĺļ",
    280: "![]ìíîïĩīĭı",
    290: ":¡ĵ",
    300: ".IÌÍÎÏĨĪĬĮİ",
    310: "·ł",
    330: '"',
    340: "`t{}´ľţŧ",
    360: "()fť•",
    370: "rŕŗř",
    380: "/²³¹ŀ",
    390: "-°",
    410: "“”„",
    430: "\\",
    440: "^",
    450: "_ª",
    460: "*º",
    470: "¨",
    490: "¶",
    500: "?«»¿",
    510: "<vxyz¯ýÿŷźżž",
    520: ">sśŝşš",
    530: "cçćĉċčĳ",
    540: "ak±×àáâãäåāăąķ",
    550: "+FLeèéêëēĕėęěĹĻĽĿ",
    560: "Jhu¬ùúûüĥĴŁũūŭůűų−",
    570: "EbdnopqÈÉÊËñòóôõöøþĒĔĖĘĚńņňŉŋōŏő",
    580: "$0123456789=g¢ð÷đĝğġģħ€",
    590: "ĸ",
    600: "#£",
    610: "ZÞŹŻŽ",
    620: "STY¥µÝŚŜŞŠŢŤŦŶŸ",
    630: "§",
    640: "BKRXßďĶŔŖŘ–",
    650: "DP~Ď",
    660: "&CUVÇÙÚÛÜĆĈĊČŨŪŬŮŰŲ",
    670: "ÐĐ",
    680: "AÀÁÂÃÄÅĀĂĄ",
    690: "GØĜĞĠĢ",
    700: "OQ¤ÒÓÔÕÖŌŎŐ",
    710: "HNÑĤŃŅŇŊ",
    720: "¼Ħ",
    740: "%wŵ…",
    770: "½—",
    790: "©®",
    810: "¾",
    850: "æ",
    860: "Ĳ",
    870: "m",
    880: "MWŴ",
    900: "@",
    910: "œ",
    940: "Æ",
    970: "Œ",
}
"""Characters of Roboto Bold, grouped by width. The unit is a thousandth of the font size, rounded up to a multiple of
10."""

_MICRO_HEI = {
    210: "¸",
    230: "'",
    250: ",",
    260: " \u00a0ijlìíîïĩīĭįıĵĺļľł",
    270: "!.:;¡·",
    280: "JĴ",
    290: "ſ",
    300: "ŀ",
    310: "()[]",
    330: "-f",
    340: "Itª²³¹ÌÍÎÏĨĪĬĮİţťŧ",
    360: "{}º",
    380: "/\\•",
    400: "rŕŗř",
    410: '"',
    420: "_",
    430: "?°¿",
    450: "zźżž",
    460: "sśŝşš",
    470: "cçćĉċč",
    480: "v",
    490: "y§«»ýÿŷ",
    500: "FLkx¯ķĸĹĻĽĿŁ–„",
    520: "STgĝğġģĳŚŜŞŠŢŤŦ",
    530: "EYÈÉÊËÝĒĔĖĘĚŶŸ",
    540: "Z^aeàáâãäåèéêëāăąēĕėęěŹŻŽ",
    550: "X",
    560: "$*+0123456789<=>|~¢£¤¥¦¬±×÷€−",
    570: "V",
    580: "KP`o¨´ÞðòóôõöøĶōŏő",
    590: "RbdhnpquñùúûüþďđĥħńņňŋŔŖŘũūŭůűų",
    600: "µ",
    610: "ACÀÁÂÃÄÅÇßĀĂĄĆĈĊČĲ",
    630: "B",
    650: "#",
    660: "¶ŉ",
    690: "DGÐĎĐĜĞĠĢ",
    700: "UÙÚÛÜŨŪŬŮŰŲ",
    710: "&HĤĦ",
    730: "NÑŃŅŇŊ",
    740: "¼½¾",
    750: "OQwÒÓÔÕÖØŌŎŐŵ",
    830: "%",
    840: "©®æ",
    860: "Æ",
    870: "@",
    880: "M",
    890: "WŴ",
    900: "mŒ",
    920: "œ",
}
"""Characters of WenQuanYi Micro Hei that are narrower than Chinese characters, grouped by width in thousandths of the
font size."""

_DEJAVU = {770: "\u25b2\u25bc", 840: "\u2713\u270e", 870: "\u25c9", 1410: "\u232b"}
"""Signs of DejaVu Sans, grouped by width: triangles for up and down, a tick, a pencil, an eye, and the sign of a key
that deletes a digit."""

CHINESE_CHAR_WIDTH: Final = 1000
"""Width of a Chinese character in thousandths of the font size. The box that stands for a missing character is not
wider."""


def _widths_by_character(by_width: Mapping[int, str]) -> dict[str, int]:
    return {character: width for width, characters in by_width.items() for character in characters}


CHAR_WIDTHS: Final[Mapping[Font, Mapping[str, int]]] = {
    "Roboto": _widths_by_character(_ROBOTO),
    "MicroHei": _widths_by_character(_MICRO_HEI),
    "DejaVuSans": _widths_by_character(_DEJAVU),
}


def font_for(text: str) -> Font:
    """Return Roboto if it has all characters of the text, DejaVu Sans for a sign, and otherwise MicroHei."""
    characters = set(text) - {"\n"}
    if CHAR_WIDTHS["Roboto"].keys() >= characters:
        return "Roboto"
    return "DejaVuSans" if CHAR_WIDTHS["DejaVuSans"].keys() >= characters else "MicroHei"


def text_advance(text: str) -> float:
    """Return the width of a single line of text at font size 1."""
    widths = CHAR_WIDTHS[font_for(text)]
    return sum([widths.get(character, CHINESE_CHAR_WIDTH) for character in text]) / 1000
