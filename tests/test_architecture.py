"""The directions of imports, the faces, and the purity of the parts that claim it, checked on the source text."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests import drawing, house
from tests.house import APART, FACED, FLOORS, IMPURE_CALLS, LATE, PURE, STDLIB, Pure, floor, part_of, pure_part
from tests.imports import PACKAGES, ROOT, Import, Module, circles, reached, read_tree, within


@dataclass(frozen=True, slots=True)
class Violation:
    """One line of source that breaks a rule: where, and what it reaches for."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


# --- the rules ---


def against_direction(module: Module) -> Iterator[Violation]:
    """Imports of what does not stand on a floor below the importer's."""
    here = part_of(module.name)
    for item in module.imports:
        there = part_of(item.target)
        if there.partition(".")[0] not in (*PACKAGES, "tests") or there == here:
            continue
        above, below = floor(here), floor(there)
        if above is None or below is None:
            what = f"{here if above is None else there} stands on no floor"
        elif below <= above:
            what = f"{here} imports {there}, which is not below it"
        elif within(here, "ui") and not within(there, "ui") and there not in house.SEEN_BY_UI:
            what = f"{here} imports {there}; ui may know {' and '.join(house.SEEN_BY_UI)} alone"
        else:
            continue
        yield Violation(module.path, item.line, what)


def past_the_face(tree: Mapping[str, Module], module: Module) -> Iterator[Violation]:
    """What is taken from another sub-package and is not in the `__all__` of its `__init__`."""
    faces: dict[str, str] = {}
    for item in module.imports:
        part = part_of(item.target)
        face = tree.get(part)
        if part == part_of(module.name) or face is None or not face.is_package or "." not in part:
            continue
        if part.partition(".")[0] not in FACED or (module.name, item.target) in house.PAST_THE_FACE:
            continue
        if item.module == part and item.name:
            if item.name not in (face.exported or ()):
                yield Violation(module.path, item.line, f"{item.name} is not in the __all__ of {part}")
        elif item.target == part and item.bound:
            faces[item.bound] = part
        else:
            yield Violation(module.path, item.line, f"{item.target} lies behind the face of {part}")
    for node in ast.walk(module.syntax) if faces else ():
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in faces:
                if attr not in (tree[faces[name]].exported or ()):
                    yield Violation(module.path, node.lineno, f"{attr} is not in the __all__ of {faces[name]}")


def impure(module: Module) -> Iterator[Violation]:
    """What a pure part imports and calls though it may not."""
    pure = pure_part(module.name)
    if pure is None:
        return
    for item in module.imports:
        if not _may_import(pure, item):
            yield Violation(module.path, item.line, f"{pure.name} is pure and imports {item.target}")
    for node in ast.walk(module.syntax):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield Violation(module.path, node.lineno, f"{pure.name} is pure and calls {node.func.id}()")


def _may_import(pure: Pure, item: Import) -> bool:
    if item.target.partition(".")[0] in STDLIB:
        return True
    return any(within(item.target, name) for name in (pure.name, *pure.also))


def in_circles(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Modules that import one another, directly or by way of others."""
    for group in circles(tree):
        yield Violation(tree[group[0]].path, 1, f"a circle of imports: {', '.join(group)}")


def too_full(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Folders with more modules than one can keep in mind."""
    for folder, count in Counter(module.path.rpartition("/")[0] for module in tree.values()).items():
        if count > house.MOST_MODULES:
            yield Violation(folder, 0, f"{count} modules in one folder, at most {house.MOST_MODULES}")


def not_apart(tree: Mapping[str, Module]) -> Iterator[Violation]:
    """Ways by imports from a part to one that it must do without, or may load only when it is used."""
    for table, at_once in ((APART, False), (LATE, True)):
        for part, others in table.items():
            starts = [name for name in tree if within(name, part)]
            needed = reached(tree, starts, at_once=at_once)
            for name in sorted(needed):
                if any(within(name, other) for other in others) and part_of(needed[name]) not in others:
                    yield Violation(tree[needed[name]].path, 0, f"{part} needs {name} by way of {needed[name]}")


def check_tree(tree: Mapping[str, Module]) -> list[Violation]:
    """All violations, by file and line."""
    found = {*in_circles(tree), *too_full(tree), *not_apart(tree)}
    for module in tree.values():
        found |= {*against_direction(module), *past_the_face(tree, module), *impure(module)}
    return sorted(found, key=lambda each: (each.path, each.line, each.what))


# --- the tree ---


@cache
def tree() -> dict[str, Module]:
    return read_tree(ROOT)


def test_the_tree_keeps_its_directions_its_faces_and_its_purity() -> None:
    found = check_tree(tree())
    assert not found, "\n".join(map(str, found))


def test_the_drawing_in_the_readme_is_what_the_imports_say() -> None:
    picture = ROOT / "build" / "architecture.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(drawing.svg(tree()), encoding="utf-8")
    assert drawing.drawn(ROOT) == drawing.text(tree()), f"run `{drawing.COMMAND}`"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_there_and_typed(package: str) -> None:
    assert (ROOT / package / "__init__.py").is_file()
    assert (ROOT / package / "py.typed").is_file()


@pytest.mark.parametrize("pure", PURE, ids=lambda pure: pure.name)
def test_every_pure_part_is_where_the_check_looks_for_it(pure: Pure) -> None:
    assert pure.name in tree()


@pytest.mark.parametrize("pure", PURE, ids=lambda pure: pure.name)
def test_what_a_pure_part_may_import_is_pure(pure: Pure) -> None:
    ours = {name for name in pure.also if name.partition(".")[0] in PACKAGES}
    assert ours <= {each.name for each in PURE} | house.TYPES_ONLY


def test_every_part_on_a_floor_is_there_once() -> None:
    named = [f"{package}.{name}" for package, floors in FLOORS.items() for names in floors for name in names if name]
    assert sorted(named) == sorted(set(named))
    assert [name for name in named if name not in tree()] == []


def test_every_exception_is_needed() -> None:
    taken = {(module.name, item.target) for module in tree().values() for item in module.imports}
    assert [pair for pair in house.PAST_THE_FACE if pair not in taken] == []


# --- planted violations ---


def planted(root: Path, files: Mapping[str, str]) -> dict[str, Module]:
    """A small tree on disk."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_tree(root)


def places(root: Path, files: Mapping[str, str]) -> set[str]:
    """Where the checker finds something in a small tree."""
    return {f"{found.path}:{found.line}" for found in check_tree(planted(root, files))}


FACES = {
    "controller/config/__init__.py": "__all__ = ['read']",
    "controller/config/head.py": "",
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
    "controller/words/__init__.py": "__all__ = ['Words']",
    "controller/view.py": "TableView = int",
    "ui/scene/__init__.py": "__all__ = ['Scene']",
    "ui/state/__init__.py": "__all__ = ['Screen']",
}
"""A tree that keeps all rules, for a violation to be planted in."""

AGAINST_DIRECTION = {
    "bridge-to-hardware": ("firmware_bridge/a.py", "import hardware.settling"),
    "bridge-to-ui": ("firmware_bridge/emulators/a.py", "from ui import app"),
    "bridge-to-its-emulators": ("firmware_bridge/a.py", "import firmware_bridge.emulators.pty"),
    "firmware-to-bridge": ("firmware_bridge/firmware/a.py", "import firmware_bridge.framing"),
    "hardware-to-controller": ("hardware/a.py", "from controller.rules import Hand"),
    "hardware-to-its-simulation": ("hardware/a.py", "from hardware.simulated import world"),
    "controller-to-ui": ("controller/service/a.py", "import ui"),
    "controller-to-ui-in-function": ("controller/service/a.py", "def f():\n    import ui.app"),
    "controller-on-no-floor": ("controller/a.py", "from controller.table import Table"),
    "to-what-stands-on-no-floor": ("controller/service/a.py", "import controller.helpers"),
    "rules-to-ui": ("controller/rules/a.py", "from ui.scene import Scene"),
    "rules-to-table": ("controller/rules/a.py", "from controller.table import Table"),
    "table-to-live": ("controller/table/a.py", "from controller import live"),
    "live-to-journal": ("controller/live/a.py", "from controller.journal import Journal"),
    "live-to-config": ("controller/live/a.py", "from controller.config import read"),
    "live-to-view": ("controller/live/a.py", "from controller.presenter import show"),
    "journal-to-live": ("controller/journal/a.py", "from controller.live import Live"),
    "words-to-presenter": ("controller/words/a.py", "from controller.presenter import show"),
    "presenter-to-words": ("controller/presenter/a.py", "from controller.words import Words"),
    "view-to-table": ("controller/view.py", "from controller.table import Table"),
    "service-to-scripts": ("controller/service/a.py", "from controller.scripts import Script"),
    "scripts-to-simulation": ("controller/scripts/a.py", "def f():\n    from controller.simulation import pipeline"),
    "bench-to-pages": ("controller/bench/a.py", "import controller.pages"),
    "simulation-to-cli": ("controller/simulation/a.py", "import controller.cli"),
    "ui-to-service": ("ui/app.py", "from controller.service import Service"),
    "ui-to-controller": ("ui/app.py", "import controller"),
    "ui-to-name-of-controller": ("ui/app.py", "from controller import config"),
    "ui-to-view-and-more": ("ui/app.py", "from controller import journal, view"),
    "ui-to-lookalike": ("ui/app.py", "import controller.viewer"),
    "ui-to-hardware": ("ui/scene/a.py", "from hardware.chips import ChipSet"),
    "ui-to-bridge": ("ui/app.py", "import firmware_bridge.messages as m"),
    "ui-upwards": ("ui/state/a.py", "from ui.scene import Scene"),
    "ui-sideways": ("ui/client.py", "import ui.display"),
    "for-types-only": ("hardware/a.py", "if TYPE_CHECKING:\n    from controller.view import TableView"),
    "by-name": ("hardware/a.py", "importlib.import_module('controller.view')"),
    "by-builtin": ("firmware_bridge/a.py", "__import__('hardware')"),
    "product-to-tests": ("hardware/a.py", "from tests.support import deadline"),
}


@pytest.mark.parametrize(("path", "text"), AGAINST_DIRECTION.values(), ids=AGAINST_DIRECTION)
def test_an_import_against_the_direction_is_caught(tmp_path: Path, path: str, text: str) -> None:
    tree = planted(tmp_path, {**FACES, path: text})
    found = {each for module in tree.values() for each in against_direction(module)}
    assert {f"{each.path}:{each.line}" for each in found} == {f"{path}:{text.count(chr(10)) + 1}"}


PAST_THE_FACE = {
    "module-inside": "from controller.table.state import Table",
    "module-inside-as-a-name": "from controller.table import state",
    "module-inside-by-path": "import controller.table.state",
    "module-inside-renamed": "import controller.table.state as state",
    "name-not-in-all": "from controller.table import Hand",
    "everything": "from controller.table import *",
    "attribute-not-in-all": "from controller import table; table.state.Table",
    "attribute-of-a-renamed-face": "import controller.table as book; book.Hand",
    "face-by-path": "import controller.table",
}


@pytest.mark.parametrize("text", PAST_THE_FACE.values(), ids=PAST_THE_FACE)
def test_an_import_past_the_face_is_caught(tmp_path: Path, text: str) -> None:
    assert places(tmp_path, {**FACES, "controller/service/a.py": text}) == {"controller/service/a.py:1"}


def test_an_exception_lets_one_module_past_the_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(house.PAST_THE_FACE, ("controller.service.a", "controller.table.state"), "a reason")
    text = "import controller.table.state"
    files = {**FACES, "controller/service/a.py": text, "controller/service/b.py": text}
    assert places(tmp_path, files) == {"controller/service/b.py:1"}


CIRCLES = {
    "of-two": {"hardware/a.py": "import hardware.b", "hardware/b.py": "from hardware import a"},
    "of-three": {
        "hardware/a.py": "import hardware.b",
        "hardware/b.py": "def f():\n    import hardware.c",
        "hardware/c.py": "if TYPE_CHECKING:\n    import hardware.a",
    },
    "over-the-own-face": {
        "hardware/__init__.py": "from hardware.a import b",
        "hardware/a.py": "from hardware import b",
    },
    "of-one": {"hardware/a.py": "from hardware.a import b"},
}


@pytest.mark.parametrize("files", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_is_caught(tmp_path: Path, files: dict[str, str]) -> None:
    found = list(in_circles(planted(tmp_path, {**FACES, **files})))
    assert [each.path for each in found] == [min(files)]


def test_a_full_folder_is_caught(tmp_path: Path) -> None:
    files = {f"controller/table/m{number}.py": "" for number in range(house.MOST_MODULES - 2)}
    assert places(tmp_path, {**FACES, **files}) == set()
    assert places(tmp_path, {"controller/table/one_more.py": ""}) == {"controller/table:0"}


def test_what_the_service_needs_by_way_of_others_is_caught(tmp_path: Path) -> None:
    files = {
        "controller/service/a.py": "import hardware.a",
        "hardware/a.py": "def f():\n    import controller.histories.format",
        "controller/histories/__init__.py": "",
        "controller/histories/format.py": "",
    }
    found = [each.what for each in not_apart(planted(tmp_path, {**FACES, **files}))]
    assert found == [
        "controller.service needs controller.histories by way of hardware.a",
        "controller.service needs controller.histories.format by way of hardware.a",
    ]


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("from controller.scripts import Script", True),
        ("def serve():\n    from controller.service import Service", False),
        ("if TYPE_CHECKING:\n    from controller.service import Service", False),
    ],
)
def test_what_the_command_line_loads_before_it_is_used_is_caught(tmp_path: Path, text: str, caught: bool) -> None:
    assert bool(places(tmp_path, {**FACES, "controller/cli.py": text})) is caught


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
    "hardware.layout",
    "firmware_bridge.serial_port",
)
CONTROLLERS_PURE = ("rules", "table", "live", "presenter", "words")
FORMS = ("import {}", "from {} import x", "def f():\n    import {} as y", "if TYPE_CHECKING:\n    import {}")


@pytest.mark.parametrize("part", CONTROLLERS_PURE)
@pytest.mark.parametrize("module", OUTSIDE_WORLD)
def test_a_pure_part_imports_no_outside_world(tmp_path: Path, part: str, module: str) -> None:
    for number, form in enumerate(FORMS):
        path, text = f"controller/{part}/deep/m{number}.py", form.format(module)
        tree = planted(tmp_path, {path: text})
        found = impure(tree[f"controller.{part}.deep.m{number}"])
        assert [each.line for each in found] == [text.count("\n") + 1], text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("controller/rules/a.py", "from .. import journal"),
        ("controller/rules/a.py", "from ..journal import Journal"),
        ("controller/rules/a.py", "print(pot)"),
        ("controller/rules/a.py", "with open('x') as f: pass"),
        ("controller/rules/a.py", "from controller.view import Money"),
        ("controller/rules/a.py", "from hardware.chips import chips_for"),
        ("controller/table/a.py", "from controller.view import Money"),
        ("controller/table/a.py", "from hardware import settling"),
        ("controller/table/a.py", "from firmware_bridge.messages import TagsSeen"),
        ("controller/table/a.py", "open('table.toml')"),
        ("controller/live/a.py", "from controller.view import Alert"),
        ("controller/live/a.py", "from controller.journal import Journal"),
        ("controller/live/a.py", "from hardware.settling import Settling"),
        ("controller/live/a.py", "input()"),
        ("controller/presenter/a.py", "from controller.words import Words"),
        ("controller/presenter/a.py", "from controller.config import read"),
        ("controller/presenter/a.py", "eval('2')"),
        ("controller/words/a.py", "from controller.rules import Hand"),
        ("firmware_bridge/errors.py", "import logging"),
        ("firmware_bridge/framing.py", "import time"),
        ("firmware_bridge/framing.py", "from .serial_port import SerialPort"),
        ("firmware_bridge/messages.py", "import msgspec"),
        ("hardware/settling.py", "import random"),
        ("hardware/settling.py", "from firmware_bridge.feig import FeigReader"),
        ("hardware/settling.py", "from hardware import layout"),
    ],
)
def test_a_pure_part_reaches_nothing_else(tmp_path: Path, path: str, text: str) -> None:
    tree = planted(tmp_path, {"hardware/layout.py": "", "hardware/settling.py": "", **FACES, path: text})
    found = {each for module in tree.values() for each in impure(module)}
    assert [f"{each.path}:{each.line}" for each in found] == [f"{path}:1"]


def test_what_is_allowed_is_not_caught(tmp_path: Path) -> None:
    files = {
        **FACES,
        "controller/bench/rules.py": "from controller.scripts import Script\nfrom hardware.simulated import world",
        "controller/cli.py": "def f():\n    from controller.simulation import pipeline",
        "controller/live/seen.py": "from controller import rules\nfrom hardware.events import Chip\nrules.Hand",
        "controller/presenter/a.py": "from controller.live import Live\nfrom controller import view\nview.TableView",
        "controller/rules/__init__.py": "from .pots import Pot\nfrom controller.rules.hand import Hand\n"
        "__all__ = ['Hand', 'Pot']",
        "controller/rules/pots.py": "\n".join(f"import {name}" for name in sorted(STDLIB)) + "\nPot = int",
        "controller/rules/deal.py": "from collections.abc import Mapping\nfrom controller.rules import pots\npots.Pot",
        "controller/service/process.py": "import asyncio\nfrom firmware_bridge.feig import FeigReader",
        "controller/table/acting.py": "import controller.rules as rules\nrules.Pot\nfrom .state import Table",
        "controller/view.py": "import msgspec, time",
        "firmware_bridge/errors.py": "from typing import Literal",
        "firmware_bridge/feig.py": "from . import framing\nfrom .framing import Frame",
        "firmware_bridge/framing.py": "from zlib import crc32\nFrame = bytes",
        "firmware_bridge/messages.py": "from dataclasses import dataclass",
        "hardware/chips.py": "from hardware import spots",
        "hardware/events.py": "from firmware_bridge.errors import PotkeeperError",
        "hardware/layout.py": "import tomllib\nfrom hardware import settling",
        "hardware/settling.py": "from firmware_bridge.messages import TagsSeen",
        "hardware/simulated/world.py": "from hardware.chips import ChipSet",
        "hardware/spots.py": "",
        "ui/app.py": "import kivy\nfrom controller import view\nimport ui.client\nfrom controller.words import Words",
        "ui/client.py": "import asyncio\nfrom controller.view import TableView\nfrom ui.state import Screen",
        "ui/scene/faces.py": "from . import letters\nfrom ui.state import Screen",
        "ui/scene/letters.py": "",
    }
    assert check_tree(planted(tmp_path, files)) == []


def test_the_allow_list_holds_nothing_with_a_clock_or_a_file() -> None:
    assert not STDLIB & set(OUTSIDE_WORLD)
    assert all(re.fullmatch(r"\w+", name) for name in STDLIB)


def test_another_drawing_is_caught(tmp_path: Path) -> None:
    tree = planted(tmp_path, {**FACES, "controller/README.md": f"# x\n{drawing.BEGIN}\n{drawing.END}\n"})
    assert drawing.drawn(tmp_path) != drawing.text(tree)
    drawing.redraw(tmp_path)
    assert drawing.drawn(tmp_path) == drawing.text(tree)
    more = planted(tmp_path, {"controller/live/a.py": "from controller.rules import Hand"})
    assert drawing.drawn(tmp_path) != drawing.text(more)
    assert drawing.svg(more) == drawing.svg(more) != drawing.svg(tree)
