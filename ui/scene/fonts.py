"""The two fonts in which everything is written, and how wide each letter of them comes out.

Kivy draws one font a label, and no font here has both heavy figures and the letters of Chinese: words are written in
the first one that has all their letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

Font = Literal["Roboto", "MicroHei"]

MICRO_HEI_FILE: Final = Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc")
"""Where Debian's package fonts-wqy-microhei puts it; Roboto Bold comes with Kivy."""

_ROBOTO = {
    170: "'",
    230: "’",
    240: "‘",
    250: " ,",
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
"""Letters of Roboto Bold by their advance in thousandths of the letter size, rounded up to 10."""

_MICRO_HEI = {
    210: "¸",
    230: "'",
    250: ",",
    260: " ijlìíîïĩīĭįıĵĺļľł",
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
"""The same of WenQuanYi Micro Hei, where they are narrower than those of Chinese."""

FULL_WIDTH: Final = 1000
"""Letters of Chinese are square; so is the box that stands for a letter that no font has, at most."""


def _by_letter(by_width: Mapping[int, str]) -> dict[str, int]:
    return {letter: width for width, letters in by_width.items() for letter in letters}


WIDTHS: Final[Mapping[Font, Mapping[str, int]]] = {"Roboto": _by_letter(_ROBOTO), "MicroHei": _by_letter(_MICRO_HEI)}


def font(words: str) -> Font:
    """The font that these words are written in: Roboto Bold where it has all their letters."""
    return "Roboto" if WIDTHS["Roboto"].keys() >= set(words) - {"\n"} else "MicroHei"


def advance(words: str) -> float:
    """Width of one line at letter size 1."""
    widths = WIDTHS[font(words)]
    return sum([widths.get(letter, FULL_WIDTH) for letter in words]) / 1000
