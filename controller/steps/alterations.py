"""Kinds of alterations of a journal, as people see them.

An audit names each alteration in detail, such as `older-copy`, and the records of the journal keep this name. People
see one of five kinds, because only the kind decides what they must do. Another kind, `differs`, is no alteration: a
program computes another state from unchanged records.

Example: `cut`, `older-copy` and `wal-removed` all are of the kind `behind`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

ALTERATIONS_BY_KIND: Final = MappingProxyType(
    {
        "changed": ("changed", "exchanged", "inserted", "mark-damaged"),
        "not-ours": ("remade", "unsigned", "replaced"),
        "behind": ("cut", "older-copy", "wal-removed"),
        "gone": ("removed", "deleted"),
        "unproven": ("badge-forged",),
        "differs": ("differs",),
    }
)
"""Names of alterations, by kind."""
_KIND_BY_ALTERATION: Final = {name: kind for kind, names in ALTERATIONS_BY_KIND.items() for name in names}


def kind_of_alteration(name: str) -> str:
    """Return the kind of an alteration, or `changed` if another program version has recorded this name."""
    return _KIND_BY_ALTERATION.get(name, "changed")
