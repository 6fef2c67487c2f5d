"""Rules of the architecture as data: the layers of each package, the pure parts, and the permitted exceptions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.import_graph import PACKAGES, is_within

UI_ALLOWED_IMPORTS = (
    "controller.steps",
    "controller.view",
    "controller.messages",
    "controller.log_setup",
    "controller.systemd",
)
"""Packages outside `ui` that modules of `ui` may import."""

LAYERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "ui": (
        ("__main__", "baseline_window", "pit", "screenshots", "stub_service"),
        ("web",),
        ("app",),
        ("window",),
        ("client", "virtual_display", "appearance_options", "sounds", "view_samples"),
        ("bet_limit_samples", "large_amounts", "page_samples"),
        ("scene",),
        ("state",),
        ("settings",),
    ),
    "controller": (
        ("cli",),
        ("commands",),
        ("bench", "rule_pages"),
        ("simulation", "practice"),
        ("histories",),
        ("scripts", "derived"),
        ("service", "room"),
        ("presenter", "messages"),
        ("live", "journal", "config"),
        ("table",),
        ("steps",),
        ("rules", "view", "progress", "report", "integrity", "log_setup", "systemd"),
    ),
    "hardware": (("simulated",), ("",)),
    "firmware_bridge": (("emulators",), ("",), ("firmware",)),
}
"""Layers of each package, from the top down, each with its parts.

A part is a sub-package, a single module, or "" for all other modules of the package. A part may import only parts of
lower layers, so never a part of its own layer.
"""

PACKAGES_WITH_PUBLIC_API = ("ui", "controller")
"""Packages in which each sub-package has a public API: other modules may import only the names in its `__all__`."""

PUBLIC_API_EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Permitted imports that bypass a public API, each with the reason.

Each import is a pair of the importing and the imported module.
"""

FORBIDDEN_DEPENDENCIES: dict[str, tuple[str, ...]] = {
    "controller.service": tuple(
        f"controller.{name}"
        for name in ("bench", "rule_pages", "simulation", "practice", "histories", "scripts", "room", "derived")
    )
}
"""For each restricted part, the modules that it must not import, directly or indirectly.

A running table needs only the service, and must work without tools such as the simulation.
"""

LAZY_IMPORTS: dict[str, tuple[str, ...]] = {
    "controller.cli": (
        *FORBIDDEN_DEPENDENCIES["controller.service"],
        "controller.service",
        "controller.presenter",
        "controller.live",
        "controller.journal",
        "controller.messages",
        "controller.room",
    )
}
"""For each listed module, the modules that it may import only inside functions.

An import at the top of the file would delay the start of every command.
"""

MAX_MODULES = 14
"""Maximum number of modules in one folder, including the `__init__`, so that people can keep them in mind."""
MODULE_LIMITS = {"controller/live/hypotheses": 30}
"""Other limits, by folder. The hypotheses are rows of one table, so that nobody has to keep all of them in mind."""

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
"""Standard modules that a pure part may import.

Other modules, such as `time`, `random` or `os`, depend on the world outside the program.
"""

IMPURE_CALLS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})
"""Built-in functions that a pure part must not call.

They read or write outside the program, or run code that the checker of imports cannot see.
"""


@dataclass(frozen=True, slots=True)
class PurePart:
    """Part of the program that does not depend on the world outside the program.

    The part is a module, or a package with all its modules. It may import its own modules, the modules of `STDLIB`, and
    `allowed_imports`.
    """

    name: str
    allowed_imports: frozenset[str] = frozenset()


ERRORS = "firmware_bridge.errors"
SENSING_MODULES = frozenset(
    {
        ERRORS,
        "firmware_bridge.feig_framing",
        "firmware_bridge.driver_messages",
        "hardware.chip_set",
        "hardware.events",
        "hardware.scheduling_policy",
        "hardware.stack_detection",
        "hardware.spots",
        "hardware.antenna_scheduler",
    }
)
VIEW_PACKAGE = "controller.view"

PURE_PARTS = (
    # Every action copies a hand, and a struct of msgspec is copied 40 times faster than a frozen dataclass.
    PurePart("controller.rules.hand", frozenset({ERRORS, "controller.rules", "msgspec"})),
    PurePart("controller.rules", frozenset({ERRORS})),
    PurePart("controller.steps", frozenset({ERRORS, "controller.rules", "hardware.events"})),
    PurePart(
        "controller.table",
        frozenset({ERRORS, "controller.rules", "controller.steps", "hardware.chip_set", "hardware.events"}),
    ),
    PurePart(
        "controller.live",
        frozenset(
            {
                ERRORS,
                "controller.rules",
                "controller.steps",
                "controller.table",
                "hardware.chip_set",
                "hardware.events",
                "hardware.spots",
            }
        ),
    ),
    PurePart(
        "controller.presenter",
        frozenset(
            {
                VIEW_PACKAGE,
                "controller.live",
                "controller.rules",
                "controller.steps",
                "controller.table",
                "hardware.spots",
            }
        ),
    ),
    PurePart(ERRORS),
    PurePart("firmware_bridge.feig_framing", frozenset({"binascii", "struct", "zlib"})),
    PurePart("firmware_bridge.driver_messages", SENSING_MODULES),
    PurePart("hardware.chip_set", SENSING_MODULES),
    PurePart("hardware.events", SENSING_MODULES),
    PurePart("hardware.scheduling_policy"),
    PurePart("hardware.stack_detection", SENSING_MODULES),
    PurePart("hardware.spots", SENSING_MODULES),
    PurePart("hardware.antenna_scheduler", SENSING_MODULES),
)

TYPES_ONLY_IMPORTS = frozenset({VIEW_PACKAGE})
"""Packages that are not pure, but from which a pure part may import types.

The package of the view is not pure because its types need the library that encodes them.
"""


def part_of(module: str) -> str:
    """Return the part that a module belongs to, such as `controller.table`, `ui.app` or `hardware`."""
    package, _, rest = module.partition(".")
    first = rest.partition(".")[0]
    return (
        f"{package}.{first}"
        if first and (package in PACKAGES_WITH_PUBLIC_API or layer_of(f"{package}.{first}") is not None)
        else package
    )


def layer_of(part: str) -> int | None:
    """Return the number of a part's layer, or None if `LAYERS` does not name the part.

    The layers are numbered from the top down through the packages. Number 0 is the top layer of `ui`.
    """
    package, _, name = part.partition(".")
    layers_above = 0
    for other in PACKAGES:
        for number, names in enumerate(LAYERS[other]):
            if other == package and name in names:
                return layers_above + number
        layers_above += len(LAYERS[other])
    return None


def pure_part_of(module: str) -> PurePart | None:
    """Return the pure part that a module belongs to, or None if the module is not in a pure part."""
    return next((part for part in PURE_PARTS if is_within(module, part.name)), None)
