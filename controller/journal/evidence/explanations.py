"""Explanations of the kinds of alterations: what each means, and what people must do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from controller.steps import kind_of_alteration


class Explanation(NamedTuple):
    """What one kind of alteration means, and what people must do."""

    name: str
    meaning: str
    advice: str


EXPLANATIONS: Final[Mapping[str, Explanation]] = MappingProxyType(
    {
        "changed": Explanation(
            "changed",
            "A record, a header or a mark differs from what was written, as if somebody edited it or a disk failed.",
            "Copy all files, test the disk, and compare the hands with the pictures of the cameras.",
        ),
        "not-ours": Explanation(
            "not ours",
            "Somebody has written or rewritten records without the key of this table. A disk cannot do this.",
            "Call surveillance, let nobody touch the machine, and keep all files, marks and heads.",
        ),
        "behind": Explanation(
            "behind",
            "The journal had reached later records. They were removed, or an older copy took their place.",
            "Look for the newer files, and count pot and stacks.",
        ),
        "gone": Explanation(
            "gone",
            "Records, a segment or the whole journal are missing.",
            "Look for the files, or restore them from a backup, and count pot and stacks.",
        ),
        "unproven": Explanation(
            "decision without a badge",
            "A record names a decision, but no badge of the house has proven it.",
            "Ask the person whom the record names, and compare the decision with the pictures of the cameras.",
        ),
    }
)
"""The explanation of each kind of alteration, in the order in which the README has them."""


def alteration_label(alteration: str) -> str:
    """Return the kind of an alteration as people read it, followed by its own name if that says more."""
    kind = kind_of_alteration(alteration)
    name = EXPLANATIONS[kind].name if kind in EXPLANATIONS else kind
    return name if alteration == name else f"{name} ({alteration})"
