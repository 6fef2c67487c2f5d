"""The direction of imports and the purity of the parts that claim it, checked on the source text."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the top down: a package may import those after it, never one before it.
LAYERS = ("ui", "controller", "hardware", "firmware_bridge")

# All that the screens may know of what lies below them.
SEEN_BY_UI = "controller.view"

# An allow-list: what is not named here (time, random, os, threading, ...) is an outside world to a pure part.
PURE_STDLIB = frozenset(
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

# Built-in functions that reach outside, or run what an import checker cannot see.
IMPURE_CALLS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})


@dataclass(frozen=True, slots=True)
class Pure:
    """A pure module, or a pure package with all below it.

    It may import itself, `PURE_STDLIB`, what `also` names and, unless it is `alone`, the other pure parts.
    """

    name: str
    also: frozenset[str] = frozenset()
    alone: bool = False


PURE = (
    Pure("controller.rules", alone=True),
    Pure("firmware_bridge.framing", also=frozenset({"binascii", "struct", "zlib"})),
    Pure("firmware_bridge.messages"),
    Pure("hardware.chips"),
    Pure("hardware.events"),
    Pure("hardware.settle"),
    Pure("hardware.spots"),
    Pure("hardware.sweep"),
)


@dataclass(frozen=True, slots=True)
class Violation:
    """One line of source that breaks a rule: where, and what it reaches for."""

    path: str
    line: int
    what: str


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _top(name: str) -> str:
    return name.partition(".")[0]


def _module_name(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _is_module(root: Path, name: str) -> bool:
    place = root.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def _from_targets(root: Path, node: ast.ImportFrom, path: Path) -> Iterator[str]:
    """The modules that `from X import a, b` reaches: `X.a` where that is a module of the tree, else `X`."""
    base = node.module or ""
    if node.level:
        package = path.relative_to(root).parent.parts
        kept = package[: len(package) - (node.level - 1)]
        base = ".".join((*kept, *filter(None, [node.module])))
    for alias in node.names:
        deeper = f"{base}.{alias.name}"
        yield deeper if _is_module(root, deeper) else base


def _dynamic_target(node: ast.Call) -> str | None:
    """The module named by `import_module("X")` or `__import__("X")`."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in ("import_module", "__import__") or not node.args:
        return None
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _imports(root: Path, path: Path, tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, name) for name in _from_targets(root, node, path))
        elif isinstance(node, ast.Call) and (name := _dynamic_target(node)):
            yield node.lineno, name


def _against_direction(importer: str, imported: str) -> bool:
    layer, target = _top(importer), _top(imported)
    if target == "tests":
        return True
    if target not in LAYERS or target == layer:
        return False
    if layer == "ui":
        return not _within(imported, SEEN_BY_UI)
    return LAYERS.index(target) < LAYERS.index(layer)


def _pure_part(module: str) -> Pure | None:
    return next((each for each in PURE if _within(module, each.name)), None)


def _impure(pure: Pure, imported: str) -> bool:
    if _within(imported, pure.name) or _top(imported) in PURE_STDLIB | pure.also:
        return False
    return pure.alone or _pure_part(imported) is None


def _outside_calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield node.lineno, node.func.id


def check_file(root: Path, path: Path) -> Iterator[Violation]:
    """Yields every violation of one source file below `root`.

    Imports count wherever they stand: in functions, under `TYPE_CHECKING`, relative ones, and those by name.
    """
    name, shown = _module_name(root, path), path.relative_to(root).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"), shown)
    pure = _pure_part(name)
    for line, imported in _imports(root, path, tree):
        if _against_direction(name, imported):
            yield Violation(shown, line, f"{name} imports {imported} against {' -> '.join(LAYERS)}")
        if pure and _impure(pure, imported):
            yield Violation(shown, line, f"{name} is pure and imports {imported}")
    for line, called in _outside_calls(tree) if pure else ():
        yield Violation(shown, line, f"{name} is pure and calls {called}()")


def check_tree(root: Path) -> list[Violation]:
    """All violations in the four packages below `root`, by file and line."""
    files = sorted(path for layer in LAYERS for path in (root / layer).rglob("*.py"))
    return sorted(
        {found for path in files for found in check_file(root, path)},
        key=lambda found: (found.path, found.line, found.what),
    )


def test_the_tree_keeps_its_direction_and_its_purity() -> None:
    assert check_tree(ROOT) == []


@pytest.mark.parametrize("layer", LAYERS)
def test_every_package_is_there_and_typed(layer: str) -> None:
    assert (ROOT / layer / "__init__.py").is_file()
    assert (ROOT / layer / "py.typed").is_file()


@pytest.mark.parametrize("pure", PURE, ids=lambda pure: pure.name)
def test_every_pure_part_is_where_the_check_looks_for_it(pure: Pure) -> None:
    assert _is_module(ROOT, pure.name)


def plant(root: Path, files: dict[str, str]) -> list[str]:
    """Writes a small tree and returns what the checker says of it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [f"{found.path}:{found.line}" for found in check_tree(root)]


AGAINST_DIRECTION = {
    "bridge-to-hardware": ("firmware_bridge/a.py", "import hardware.settle"),
    "bridge-to-ui": ("firmware_bridge/emulators/a.py", "from ui import app"),
    "hardware-to-controller": ("hardware/a.py", "from controller.rules import betting"),
    "controller-to-ui": ("controller/a.py", "import ui"),
    "controller-to-ui-in-function": ("controller/a.py", "def f():\n    import ui.app"),
    "rules-to-ui": ("controller/rules/a.py", "from ui.theme import RED"),
    "ui-to-service": ("ui/a.py", "from controller.service.service import Service"),
    "ui-to-controller": ("ui/a.py", "import controller"),
    "ui-to-name-of-controller": ("ui/a.py", "from controller import config"),
    "ui-to-view-and-more": ("ui/a.py", "from controller import journal, view"),
    "ui-to-lookalike": ("ui/a.py", "import controller.viewer"),
    "ui-to-hardware": ("ui/widgets/a.py", "from hardware.chips import ChipSet"),
    "ui-to-bridge": ("ui/a.py", "import firmware_bridge.messages as m"),
    "for-types-only": ("hardware/a.py", "if TYPE_CHECKING:\n    from controller.view import TableView"),
    "by-name": ("hardware/a.py", "importlib.import_module('controller.view')"),
    "by-builtin": ("firmware_bridge/a.py", "__import__('hardware')"),
    "product-to-tests": ("hardware/a.py", "from tests.support import deadline"),
}


@pytest.mark.parametrize(("path", "text"), AGAINST_DIRECTION.values(), ids=AGAINST_DIRECTION)
def test_an_import_against_the_direction_is_caught(tmp_path: Path, path: str, text: str) -> None:
    files = {"controller/config.py": "", "controller/journal.py": "", "controller/view.py": ""}
    assert set(plant(tmp_path, {**files, path: text})) == {f"{path}:{text.count(chr(10)) + 1}"}


OUTSIDE_WORLD = (
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
    "controller.view",
    "hardware.settle",
    "firmware_bridge.messages",
)


@pytest.mark.parametrize("module", OUTSIDE_WORLD)
@pytest.mark.parametrize("form", ["import {}", "from {} import x", "def f():\n    import {} as y"])
def test_the_rules_import_no_outside_world(tmp_path: Path, module: str, form: str) -> None:
    path, text = "controller/rules/deep/pots.py", form.format(module)
    assert set(plant(tmp_path, {path: text})) == {f"{path}:{text.count(chr(10)) + 1}"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("controller/rules/a.py", "from .. import journal"),
        ("controller/rules/a.py", "from ..journal import Journal"),
        ("controller/rules/a.py", "print(pot)"),
        ("controller/rules/a.py", "with open('x') as f: pass"),
        ("firmware_bridge/framing.py", "import time"),
        ("firmware_bridge/framing.py", "from .serial_port import SerialPort"),
        ("firmware_bridge/messages.py", "import msgspec"),
        ("hardware/settle.py", "import random"),
        ("hardware/settle.py", "from firmware_bridge.feig import FeigReader"),
        ("hardware/settle.py", "from hardware import layout"),
    ],
)
def test_a_pure_part_reaches_nothing_else(tmp_path: Path, path: str, text: str) -> None:
    files = {"hardware/layout.py": "", "controller/journal.py": "", path: text}
    assert plant(tmp_path, files) == [f"{path}:1"]


def test_what_is_allowed_is_not_caught(tmp_path: Path) -> None:
    files = {
        "controller/view.py": "import msgspec, time\nfrom hardware.settle import Stack",
        "controller/rules/__init__.py": "from .pots import Pot",
        "controller/rules/pots.py": "\n".join(f"import {name}" for name in sorted(PURE_STDLIB)),
        "controller/rules/hand.py": "from collections.abc import Mapping\nfrom controller.rules import pots",
        "controller/service.py": "import asyncio\nfrom firmware_bridge.feig import FeigReader",
        "firmware_bridge/framing.py": "from zlib import crc32",
        "firmware_bridge/feig.py": "from . import framing\nfrom .framing import Frame",
        "firmware_bridge/messages.py": "from dataclasses import dataclass",
        "hardware/settle.py": "from firmware_bridge.messages import TagsSeen",
        "hardware/chips.py": "from hardware import settle",
        "hardware/layout.py": "import tomllib\nfrom hardware import settle",
        "ui/app.py": "import kivy\nfrom controller import view\nimport ui.theme",
        "ui/link.py": "import asyncio\nfrom controller.view import TableView",
        "ui/theme.py": "from . import app",
    }
    assert plant(tmp_path, files) == []


def test_the_allow_list_holds_nothing_with_a_clock_or_a_file() -> None:
    assert not PURE_STDLIB & set(OUTSIDE_WORLD)
    assert all(re.fullmatch(r"\w+", name) for name in PURE_STDLIB)
