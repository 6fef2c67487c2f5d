"""Templates of sentences: `{name}` stands for a value; what is in square brackets is left out where a value in it is
not known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

UNKNOWN: Final = "?"
"""Stands for a value that a sentence needs and nobody knows: words never fail for want of a number."""

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def placeholders(template: str) -> frozenset[str]:
    """The names of the values that a template can use."""
    return frozenset(_PLACEHOLDER.findall(template))


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its values, spaces put right."""

    def optional(match: re.Match[str]) -> str:
        return match[1] if placeholders(match[1]) <= values.keys() else ""

    chosen = _OPTIONAL.sub(optional, template).strip()
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], UNKNOWN), chosen)


def sentences(values: Mapping[str, str], *templates: str, between: str = " ") -> str:
    """Templates with their values, one after the other with `between` them, the first letter a capital."""
    text = between.join(filter(None, [filled(template, values) for template in templates]))
    return text[:1].upper() + text[1:]
