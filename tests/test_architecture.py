"""Check the rules of the architecture on the source text.

The rules are about the directions of imports, the public names of sub-packages, and the purity of parts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests import architecture_diagram, architecture_rules
from tests.architecture_rules import (
    FORBIDDEN_DEPENDENCIES,
    IMPURE_CALLS,
    LAYERS,
    LAZY_IMPORTS,
    PACKAGES_WITH_PUBLIC_API,
    PURE_PARTS,
    STDLIB,
    PurePart,
    layer_of,
    part_of,
    pure_part_of,
)
from tests.import_graph import PACKAGES, ROOT, Import, Module, dependencies, import_cycles, is_within, read_modules


@dataclass(frozen=True, slots=True)
class Violation:
    """Line of source code that breaks a rule of the architecture, with a message."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


# --- the rules ---


def wrong_direction_imports(module: Module) -> Iterator[Violation]:
    """Yield a violation for each import by which a module imports from its own layer or from a higher layer."""
    source = part_of(module.name)
    allowed = architecture_rules.UI_ALLOWED_IMPORTS
    for item in module.imports:
        target = part_of(item.target)
        if target.partition(".")[0] not in (*PACKAGES, "tests") or target == source:
            continue
        source_layer, target_layer = layer_of(source), layer_of(target)
        if source_layer is None or target_layer is None:
            message = f"{source if source_layer is None else target} is in no layer, add it to LAYERS"
        elif target_layer <= source_layer:
            message = f"{source} imports {target}, expected a part of a lower layer"
        elif is_within(source, "ui") and not is_within(target, "ui") and target not in allowed:
            message = f"{source} imports {target}, expected only {' and '.join(allowed)} outside ui"
        else:
            continue
        yield Violation(module.path, item.line, message)


def private_imports(tree: Mapping[str, Module], module: Module) -> Iterator[Violation]:
    """Yield a violation for each name that a module imports from another sub-package but that is not public there.

    A name is public if it is in `__all__` of the sub-package's `__init__`.
    """
    bound_packages: dict[str, str] = {}
    for item in module.imports:
        part = part_of(item.target)
        package = tree.get(part)
        if part == part_of(module.name) or package is None or not package.is_package or "." not in part:
            continue
        if (
            part.partition(".")[0] not in PACKAGES_WITH_PUBLIC_API
            or (module.name, item.target) in architecture_rules.PUBLIC_API_EXCEPTIONS
        ):
            continue
        if item.module == part and item.name:
            if item.name not in (package.exported or ()):
                yield Violation(module.path, item.line, f"{item.name} is not in the __all__ of {part}")
        elif item.target == part and item.bound_name:
            bound_packages[item.bound_name] = part
        else:
            yield Violation(
                module.path, item.line, f"{item.target} is an inner module, expected a name in the __all__ of {part}"
            )
    for node in ast.walk(module.syntax) if bound_packages else ():
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in bound_packages:
                if attr not in (tree[bound_packages[name]].exported or ()):
                    yield Violation(module.path, node.lineno, f"{attr} is not in the __all__ of {bound_packages[name]}")


def impure_uses(module: Module) -> Iterator[Violation]:
    """Yield a violation for each forbidden import or function call in a module that belongs to a pure part."""
    pure = pure_part_of(module.name)
    if pure is None:
        return
    for item in module.imports:
        if not _may_import(pure, item):
            yield Violation(module.path, item.line, f"{pure.name} is pure and imports {item.target}")
    for node in ast.walk(module.syntax):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield Violation(module.path, node.lineno, f"{pure.name} is pure and calls {node.func.id}()")


def _may_import(pure: PurePart, item: Import) -> bool:
    if item.target.partition(".")[0] in STDLIB:
        return True
    return any(is_within(item.target, name) for name in (pure.name, *pure.allowed_imports))


def cyclic_imports(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Yield one violation for each group of modules that all import each other, directly or indirectly."""
    for group in import_cycles(tree):
        yield Violation(tree[group[0]].path, 1, f"import cycle: {', '.join(group)}")


def overfull_folders(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Yield a violation for each folder with more than the maximum number of modules."""
    for folder, count in Counter(module.path.rpartition("/")[0] for module in tree.values()).items():
        limit = architecture_rules.MODULE_LIMITS.get(folder, architecture_rules.MAX_MODULES)
        if count > limit:
            yield Violation(folder, 0, f"{count} modules in one folder, expected at most {limit}")


def forbidden_dependencies(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Yield a violation for each forbidden dependency of a part.

    A dependency is forbidden if the part needs a module that the rules forbid. It is also forbidden if a module is
    imported at once although it may be imported only inside functions.
    """
    for table, at_once in ((FORBIDDEN_DEPENDENCIES, False), (LAZY_IMPORTS, True)):
        for part, others in table.items():
            starts = [name for name in tree if is_within(name, part)]
            needed = dependencies(tree, starts, at_once=at_once)
            for name in sorted(needed):
                if any(is_within(name, other) for other in others) and part_of(needed[name]) not in others:
                    yield Violation(tree[needed[name]].path, 0, f"{part} needs {name}, imported by {needed[name]}")


def check_tree(tree: Mapping[str, Module]) -> list[Violation]:
    """Return all violations of all rules, sorted by file and line."""
    violations = {*cyclic_imports(tree), *overfull_folders(tree), *forbidden_dependencies(tree)}
    for module in tree.values():
        violations |= {*wrong_direction_imports(module), *private_imports(tree, module), *impure_uses(module)}
    return sorted(violations, key=lambda violation: (violation.path, violation.line, violation.message))


# --- the source tree ---


@cache
def tree() -> dict[str, Module]:
    """Return all modules of the program by name."""
    return read_modules(ROOT)


def test_source_tree_follows_the_architecture_rules() -> None:
    violations = check_tree(tree())
    assert not violations, "\n".join(map(str, violations))


def test_readme_diagram_matches_the_imports() -> None:
    picture = ROOT / "build" / "architecture.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(architecture_diagram.render_svg(tree()), encoding="utf-8")
    assert architecture_diagram.current_text(ROOT) == architecture_diagram.render_text(tree()), (
        f"run `{architecture_diagram.COMMAND}`"
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_exists_and_is_typed(package: str) -> None:
    assert (ROOT / package / "__init__.py").is_file()
    assert (ROOT / package / "py.typed").is_file()


@pytest.mark.parametrize("pure", PURE_PARTS, ids=lambda pure: pure.name)
def test_every_pure_part_exists(pure: PurePart) -> None:
    assert pure.name in tree()


@pytest.mark.parametrize("pure", PURE_PARTS, ids=lambda pure: pure.name)
def test_allowed_imports_of_a_pure_part_are_pure(pure: PurePart) -> None:
    own_imports = {name for name in pure.allowed_imports if name.partition(".")[0] in PACKAGES}
    assert own_imports <= {part.name for part in PURE_PARTS} | architecture_rules.TYPES_ONLY_IMPORTS


def test_every_part_is_listed_in_one_layer() -> None:
    named = [f"{package}.{name}" for package, layers in LAYERS.items() for names in layers for name in names if name]
    assert sorted(named) == sorted(set(named))
    assert [name for name in named if name not in tree()] == []


def test_every_exception_is_needed() -> None:
    imports = {(module.name, item.target) for module in tree().values() for item in module.imports}
    assert [pair for pair in architecture_rules.PUBLIC_API_EXCEPTIONS if pair not in imports] == []


# --- planted violations ---


def write_tree(root: Path, files: Mapping[str, str]) -> dict[str, Module]:
    """Write a small source tree for a test to disk, and return the modules in it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_modules(root)


def places(root: Path, files: Mapping[str, str]) -> set[str]:
    """Return the places (`path:line`) of the violations in a small source tree."""
    return {f"{violation.path}:{violation.line}" for violation in check_tree(write_tree(root, files))}


PUBLIC_APIS = {
    "controller/config/__init__.py": "__all__ = ['read']",
    "controller/config/table_spec.py": "",
    "controller/journal/__init__.py": "__all__ = ['Journal']",
    "controller/live/__init__.py": "__all__ = ['Live']",
    "controller/presenter/__init__.py": "__all__ = ['show']",
    "controller/rules/__init__.py": "from controller.rules.hand import Hand\n__all__ = ['Hand']",
    "controller/rules/hand.py": "Hand = int",
    "controller/scripts/__init__.py": "__all__ = ['Script']",
    "controller/service/__init__.py": "__all__ = ['Service']",
    "controller/simulation/__init__.py": "__all__ = ['pipeline']",
    "controller/table/__init__.py": "from controller.table.state import Table\n__all__ = ['Table']",
    "controller/table/state.py": "from controller.rules import Hand\nTable = Hand",
    "controller/messages/__init__.py": "__all__ = ['Messages']",
    "controller/view.py": "TableView = int",
    "ui/scene/__init__.py": "__all__ = ['Scene']",
    "ui/state/__init__.py": "__all__ = ['Screen']",
}
"""Small source tree without a violation, to which tests add a file that breaks a rule."""

AGAINST_DIRECTION = {
    "bridge-to-hardware": ("firmware_bridge/a.py", "import hardware.stack_detection"),
    "bridge-to-ui": ("firmware_bridge/emulators/a.py", "from ui import app"),
    "bridge-to-its-emulators": ("firmware_bridge/a.py", "import firmware_bridge.emulators.pty_device"),
    "firmware-to-bridge": ("firmware_bridge/firmware/a.py", "import firmware_bridge.feig_framing"),
    "hardware-to-controller": ("hardware/a.py", "from controller.rules import Hand"),
    "hardware-to-its-simulation": ("hardware/a.py", "from hardware.simulated import world"),
    "controller-to-ui": ("controller/service/a.py", "import ui"),
    "controller-to-ui-in-function": ("controller/service/a.py", "def f():\n    import ui.app"),
    "controller-in-no-layer": ("controller/a.py", "from controller.table import Table"),
    "to-a-module-in-no-layer": ("controller/service/a.py", "import controller.helpers"),
    "rules-to-ui": ("controller/rules/a.py", "from ui.scene import Scene"),
    "rules-to-table": ("controller/rules/a.py", "from controller.table import Table"),
    "table-to-live": ("controller/table/a.py", "from controller import live"),
    "live-to-journal": ("controller/live/a.py", "from controller.journal import Journal"),
    "live-to-config": ("controller/live/a.py", "from controller.config import read"),
    "live-to-view": ("controller/live/a.py", "from controller.presenter import show"),
    "journal-to-live": ("controller/journal/a.py", "from controller.live import Live"),
    "messages-to-presenter": ("controller/messages/a.py", "from controller.presenter import show"),
    "presenter-to-messages": ("controller/presenter/a.py", "from controller.messages import Messages"),
    "view-to-table": ("controller/view.py", "from controller.table import Table"),
    "service-to-scripts": ("controller/service/a.py", "from controller.scripts import Script"),
    "scripts-to-simulation": ("controller/scripts/a.py", "def f():\n    from controller.simulation import pipeline"),
    "bench-to-pages": ("controller/bench/a.py", "import controller.rule_pages"),
    "simulation-to-cli": ("controller/simulation/a.py", "import controller.cli"),
    "ui-to-service": ("ui/app.py", "from controller.service import Service"),
    "ui-to-controller": ("ui/app.py", "import controller"),
    "ui-to-name-of-controller": ("ui/app.py", "from controller import config"),
    "ui-to-view-and-more": ("ui/app.py", "from controller import journal, view"),
    "ui-to-lookalike": ("ui/app.py", "import controller.viewer"),
    "ui-to-hardware": ("ui/scene/a.py", "from hardware.chip_set import ChipSet"),
    "ui-to-bridge": ("ui/app.py", "import firmware_bridge.driver_messages as m"),
    "ui-upwards": ("ui/state/a.py", "from ui.scene import Scene"),
    "ui-sideways": ("ui/client.py", "import ui.virtual_display"),
    "for-types-only": ("hardware/a.py", "if TYPE_CHECKING:\n    from controller.view import TableView"),
    "by-name": ("hardware/a.py", "importlib.import_module('controller.view')"),
    "by-builtin": ("firmware_bridge/a.py", "__import__('hardware')"),
    "product-to-tests": ("hardware/a.py", "from tests.support import deadline"),
}


@pytest.mark.parametrize(("path", "text"), AGAINST_DIRECTION.values(), ids=AGAINST_DIRECTION)
def test_import_from_a_higher_layer_is_caught(tmp_path: Path, path: str, text: str) -> None:
    tree = write_tree(tmp_path, {**PUBLIC_APIS, path: text})
    violations = {violation for module in tree.values() for violation in wrong_direction_imports(module)}
    assert {f"{violation.path}:{violation.line}" for violation in violations} == {f"{path}:{text.count(chr(10)) + 1}"}


PRIVATE_IMPORTS = {
    "module-inside": "from controller.table.state import Table",
    "module-inside-as-a-name": "from controller.table import state",
    "module-inside-by-path": "import controller.table.state",
    "module-inside-renamed": "import controller.table.state as state",
    "name-not-in-all": "from controller.table import Hand",
    "everything": "from controller.table import *",
    "attribute-not-in-all": "from controller import table; table.state.Table",
    "attribute-of-a-renamed-package": "import controller.table as balances; balances.Hand",
    "package-by-path": "import controller.table",
}


@pytest.mark.parametrize("text", PRIVATE_IMPORTS.values(), ids=PRIVATE_IMPORTS)
def test_import_past_the_public_api_is_caught(tmp_path: Path, text: str) -> None:
    assert places(tmp_path, {**PUBLIC_APIS, "controller/service/a.py": text}) == {"controller/service/a.py:1"}


def test_listed_exception_allows_one_import_past_the_public_api(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        architecture_rules.PUBLIC_API_EXCEPTIONS, ("controller.service.a", "controller.table.state"), "a reason"
    )
    text = "import controller.table.state"
    files = {**PUBLIC_APIS, "controller/service/a.py": text, "controller/service/b.py": text}
    assert places(tmp_path, files) == {"controller/service/b.py:1"}


CYCLES = {
    "of-two": {"hardware/a.py": "import hardware.b", "hardware/b.py": "from hardware import a"},
    "of-three": {
        "hardware/a.py": "import hardware.b",
        "hardware/b.py": "def f():\n    import hardware.c",
        "hardware/c.py": "if TYPE_CHECKING:\n    import hardware.a",
    },
    "over-the-own-package": {
        "hardware/__init__.py": "from hardware.a import b",
        "hardware/a.py": "from hardware import b",
    },
    "of-one": {"hardware/a.py": "from hardware.a import b"},
}


@pytest.mark.parametrize("files", CYCLES.values(), ids=CYCLES)
def test_import_cycle_is_caught(tmp_path: Path, files: dict[str, str]) -> None:
    violations = list(cyclic_imports(write_tree(tmp_path, {**PUBLIC_APIS, **files})))
    assert [violation.path for violation in violations] == [min(files)]


def test_folder_with_too_many_modules_is_caught(tmp_path: Path) -> None:
    files = {f"controller/table/m{number}.py": "" for number in range(architecture_rules.MAX_MODULES - 2)}
    assert places(tmp_path, {**PUBLIC_APIS, **files}) == set()
    assert places(tmp_path, {"controller/table/one_more.py": ""}) == {"controller/table:0"}


def test_indirect_forbidden_dependency_of_the_service_is_caught(tmp_path: Path) -> None:
    files = {
        "controller/service/a.py": "import hardware.a",
        "hardware/a.py": "def f():\n    import controller.histories.phh_parser",
        "controller/histories/__init__.py": "",
        "controller/histories/phh_parser.py": "",
    }
    violations = forbidden_dependencies(write_tree(tmp_path, {**PUBLIC_APIS, **files}))
    assert [violation.message for violation in violations] == [
        "controller.service needs controller.histories, imported by hardware.a",
        "controller.service needs controller.histories.phh_parser, imported by hardware.a",
    ]


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("from controller.scripts import Script", True),
        ("def serve():\n    from controller.service import Service", False),
        ("if TYPE_CHECKING:\n    from controller.service import Service", False),
    ],
)
def test_eager_import_by_the_command_line_is_caught(tmp_path: Path, text: str, caught: bool) -> None:
    assert bool(places(tmp_path, {**PUBLIC_APIS, "controller/cli.py": text})) is caught


IMPURE_MODULES = (
    "time",
    "random",
    "os",
    "threading",
    "pathlib",
    "sqlite3",
    "asyncio",
    "socket",
    "datetime",
    "secrets",
    "uuid",
    "io",
    "sys",
    "subprocess",
    "logging",
    "msgspec",
    "kivy",
    "importlib",
    "hardware.layout",
    "firmware_bridge.serial_port",
)
PURE_SUB_PACKAGES = ("rules", "steps", "table", "live", "presenter")
IMPORT_FORMS = ("import {}", "from {} import x", "def f():\n    import {} as y", "if TYPE_CHECKING:\n    import {}")


@pytest.mark.parametrize("part", PURE_SUB_PACKAGES)
@pytest.mark.parametrize("module", IMPURE_MODULES)
def test_pure_part_with_an_impure_import_is_caught(tmp_path: Path, part: str, module: str) -> None:
    for number, form in enumerate(IMPORT_FORMS):
        path, text = f"controller/{part}/deep/m{number}.py", form.format(module)
        tree = write_tree(tmp_path, {path: text})
        violations = impure_uses(tree[f"controller.{part}.deep.m{number}"])
        assert [violation.line for violation in violations] == [text.count("\n") + 1], text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("controller/rules/a.py", "from .. import journal"),
        ("controller/rules/a.py", "from ..journal import Journal"),
        ("controller/rules/a.py", "print(pot)"),
        ("controller/rules/a.py", "with open('x') as f: pass"),
        ("controller/rules/a.py", "from controller.view import Money"),
        ("controller/rules/a.py", "from hardware.chip_set import chips_for"),
        ("controller/table/a.py", "from controller.view import Money"),
        ("controller/table/a.py", "from hardware import stack_detection"),
        ("controller/table/a.py", "from firmware_bridge.driver_messages import TagsSeen"),
        ("controller/table/a.py", "open('table.toml')"),
        ("controller/live/a.py", "from controller.view import Alert"),
        ("controller/live/a.py", "from controller.journal import Journal"),
        ("controller/live/a.py", "from hardware.stack_detection import Settling"),
        ("controller/live/a.py", "input()"),
        ("controller/presenter/a.py", "from controller.messages import Messages"),
        ("controller/presenter/a.py", "from controller.config import read"),
        ("controller/presenter/a.py", "eval('2')"),
        ("firmware_bridge/errors.py", "import logging"),
        ("firmware_bridge/feig_framing.py", "import time"),
        ("firmware_bridge/feig_framing.py", "from .serial_port import SerialPort"),
        ("firmware_bridge/driver_messages.py", "import msgspec"),
        ("hardware/stack_detection.py", "import random"),
        ("hardware/stack_detection.py", "from firmware_bridge.feig import FeigReader"),
        ("hardware/stack_detection.py", "from hardware import layout"),
    ],
)
def test_pure_part_with_an_impure_use_is_caught(tmp_path: Path, path: str, text: str) -> None:
    tree = write_tree(
        tmp_path, {"hardware/layout.py": "", "hardware/stack_detection.py": "", **PUBLIC_APIS, path: text}
    )
    violations = {violation for module in tree.values() for violation in impure_uses(module)}
    assert [f"{violation.path}:{violation.line}" for violation in violations] == [f"{path}:1"]


def test_allowed_imports_are_not_reported(tmp_path: Path) -> None:
    files = {
        **PUBLIC_APIS,
        "controller/bench/rules.py": "from controller.scripts import Script\nfrom hardware.simulated import world",
        "controller/cli.py": "def f():\n    from controller.simulation import pipeline",
        "controller/live/motions.py": "from controller import rules\nfrom hardware.events import Chip\nrules.Hand",
        "controller/presenter/a.py": "from controller.live import Live\nfrom controller import view\nview.TableView",
        "controller/rules/__init__.py": "from .pots import Pot\nfrom controller.rules.hand import Hand\n"
        "__all__ = ['Hand', 'Pot']",
        "controller/rules/pots.py": "\n".join(f"import {name}" for name in sorted(STDLIB)) + "\nPot = int",
        "controller/rules/deal.py": "from collections.abc import Mapping\nfrom controller.rules import pots\npots.Pot",
        "controller/service/table_service.py": "import asyncio\nfrom firmware_bridge.feig import FeigReader",
        "controller/table/turn_actions.py": "import controller.rules as rules\nrules.Pot\nfrom .state import Table",
        "controller/view.py": "import msgspec, time",
        "firmware_bridge/errors.py": "from typing import Literal",
        "firmware_bridge/feig.py": "from . import framing\nfrom .framing import Frame",
        "firmware_bridge/feig_framing.py": "from zlib import crc32\nFrame = bytes",
        "firmware_bridge/driver_messages.py": "from dataclasses import dataclass",
        "hardware/chip_set.py": "from hardware import spots",
        "hardware/events.py": "from firmware_bridge.errors import PotkeeperError",
        "hardware/layout.py": "import tomllib\nfrom hardware import stack_detection",
        "hardware/stack_detection.py": "from firmware_bridge.driver_messages import TagsSeen",
        "hardware/simulated/world.py": "from hardware.chip_set import ChipSet",
        "hardware/spots.py": "",
        "ui/app.py": "import kivy\nfrom controller import view\nimport ui.client\n"
        "from controller.messages import Messages",
        "ui/client.py": "import asyncio\nfrom controller.view import TableView\nfrom ui.state import Screen",
        "ui/scene/view_models.py": "from . import text_layout\nfrom ui.state import Screen",
        "ui/scene/text_layout.py": "",
    }
    assert check_tree(write_tree(tmp_path, files)) == []


def test_stdlib_allow_list_has_no_clock_or_file_module() -> None:
    assert not STDLIB & set(IMPURE_MODULES)
    assert all(re.fullmatch(r"\w+", name) for name in STDLIB)


def test_outdated_diagram_is_caught(tmp_path: Path) -> None:
    tree = write_tree(
        tmp_path,
        {
            **PUBLIC_APIS,
            "controller/README.md": f"# x\n{architecture_diagram.BEGIN_MARK}\n{architecture_diagram.END_MARK}\n",
        },
    )
    assert architecture_diagram.current_text(tmp_path) != architecture_diagram.render_text(tree)
    architecture_diagram.update_diagram(tmp_path)
    assert architecture_diagram.current_text(tmp_path) == architecture_diagram.render_text(tree)
    changed = write_tree(tmp_path, {"controller/live/a.py": "from controller.rules import Hand"})
    assert architecture_diagram.current_text(tmp_path) != architecture_diagram.render_text(changed)
    assert (
        architecture_diagram.render_svg(changed)
        == architecture_diagram.render_svg(changed)
        != architecture_diagram.render_svg(tree)
    )
