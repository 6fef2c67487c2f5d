"""The house as data: which part of a package stands above which, what is pure, what is excepted and why."""

from __future__ import annotations

from dataclasses import dataclass

from tests.imports import PACKAGES, within

SEEN_BY_UI = ("controller.view", "controller.words")
"""All that the screens may know of what lies below them."""

FLOORS: dict[str, tuple[tuple[str, ...], ...]] = {
    "ui": (
        ("__main__", "bare", "snapshot", "tryout"),
        ("app",),
        ("window",),
        ("client", "display", "options", "samples"),
        ("betting_samples", "large", "page_samples"),
        ("scene",),
        ("state",),
    ),
    "controller": (
        ("cli",),
        ("commands",),
        ("bench", "pages"),
        ("simulation",),
        ("histories",),
        ("scripts",),
        ("service",),
        ("presenter", "words"),
        ("live", "journal", "config"),
        ("table",),
        ("rules", "view", "progress", "report", "seals"),
    ),
    "hardware": (("simulated",), ("",)),
    "firmware_bridge": (("emulators",), ("",), ("firmware",)),
}
"""The parts of each package from the top down: sub-packages, single modules, and "" for all that lies beside them.

A part may import those on floors below its own: none above, none beside it.
"""

FACED = ("ui", "controller")
"""Others import from a sub-package of these what its `__init__` names in `__all__`, and no module inside."""

PAST_THE_FACE: dict[tuple[str, str], str] = {}
"""(importing module, module inside) -> why it goes past the face."""

APART: dict[str, tuple[str, ...]] = {
    "controller.service": tuple(
        f"controller.{name}" for name in ("bench", "pages", "simulation", "histories", "scripts")
    )
}
"""The running table needs nothing of these, not by way of others either."""

LATE: dict[str, tuple[str, ...]] = {
    "controller.cli": (
        *APART["controller.service"],
        "controller.service",
        "controller.presenter",
        "controller.live",
        "controller.journal",
    )
}
"""What these need, but import only where it is used: the command line answers at once."""

MOST_MODULES = 14
"""In one folder, the `__init__` counted."""

STDLIB = frozenset(
    {
        "__future__",
        "bisect",
        "collections",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "itertools",
        "math",
        "operator",
        "re",
        "types",
        "typing",
    }
)
"""An allow-list: what is not named here (time, random, os, threading, ...) is an outside world to a pure part."""

IMPURE_CALLS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})
"""Built-in functions that reach outside, or run what an import checker cannot see."""


@dataclass(frozen=True, slots=True)
class Pure:
    """A pure module, or a pure package with all below it: it may import itself, `STDLIB`, and what `also` names."""

    name: str
    also: frozenset[str] = frozenset()


ERRORS = "firmware_bridge.errors"
SENSES = frozenset(
    {
        ERRORS,
        "firmware_bridge.framing",
        "firmware_bridge.messages",
        "hardware.chips",
        "hardware.events",
        "hardware.policy",
        "hardware.settling",
        "hardware.spots",
        "hardware.sweep",
    }
)
VIEW = "controller.view"

PURE = (
    Pure("controller.rules", frozenset({ERRORS})),
    Pure("controller.table", frozenset({ERRORS, "controller.rules", "hardware.chips", "hardware.events"})),
    Pure(
        "controller.live",
        frozenset(
            {ERRORS, "controller.rules", "controller.table", "hardware.chips", "hardware.events", "hardware.spots"}
        ),
    ),
    Pure(
        "controller.presenter",
        frozenset({VIEW, "controller.live", "controller.rules", "controller.table", "hardware.spots"}),
    ),
    Pure("controller.words", frozenset({VIEW})),
    Pure(ERRORS),
    Pure("firmware_bridge.framing", frozenset({"binascii", "struct", "zlib"})),
    Pure("firmware_bridge.messages", SENSES),
    Pure("hardware.chips", SENSES),
    Pure("hardware.events", SENSES),
    Pure("hardware.policy"),
    Pure("hardware.settling", SENSES),
    Pure("hardware.spots", SENSES),
    Pure("hardware.sweep", SENSES),
)

TYPES_ONLY = frozenset({VIEW})
"""What pure parts may import though it is not pure: the view's types come with the library that writes them."""


def part_of(module: str) -> str:
    """The part that a module belongs to: `controller.table`, `ui.app`, `hardware`."""
    package, _, rest = module.partition(".")
    first = rest.partition(".")[0]
    return f"{package}.{first}" if first and (package in FACED or floor(f"{package}.{first}") is not None) else package


def floor(part: str) -> int | None:
    """The floor that a part stands on, from the top, counted through all packages; None where it stands on none."""
    package, _, name = part.partition(".")
    above = 0
    for each in PACKAGES:
        for number, names in enumerate(FLOORS[each]):
            if each == package and name in names:
                return above + number
        above += len(FLOORS[each])
    return None


def pure_part(module: str) -> Pure | None:
    """The pure part that a module belongs to."""
    return next((each for each in PURE if within(module, each.name)), None)
