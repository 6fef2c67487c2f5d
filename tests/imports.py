"""Who imports what in the four packages, read from the source text: nothing of them runs.

Imports count wherever they stand: in functions, under `TYPE_CHECKING`, relative ones, and those by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("ui", "controller", "hardware", "firmware_bridge")
"""From the top down: a package may import those after it, never one before it."""
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a module takes from another."""

    line: int
    module: str
    """As written, made absolute: `X` of `import X` and of `from X import name`."""
    name: str
    """What is taken from it; "" is the module itself."""
    bound: str
    """The name that it has in the importing module; "" where an import binds another, as `import a.b` does."""
    target: str
    """The module that it reaches: `X.name` where that is a module of the tree, else `X`."""
    at_once: bool
    """Whether importing the module runs it: neither in a function nor for the type checker alone."""


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its name (`controller.table.state`), its path below the root, what it imports."""

    name: str
    path: str
    syntax: ast.Module
    imports: tuple[Import, ...]

    @property
    def exported(self) -> frozenset[str] | None:
        """The names in `__all__`; None where it has none."""
        for node in self.syntax.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                return frozenset(ast.literal_eval(node.value))
        return None

    @property
    def is_package(self) -> bool:
        return self.path.endswith("/__init__.py")


def within(name: str, package: str) -> bool:
    """Whether a module is that package, or lies in it."""
    return name == package or name.startswith(package + ".")


def read_tree(root: Path) -> dict[str, Module]:
    """All modules of the four packages below `root`, by name, in order."""
    paths = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    return {module.name: module for module in (_read(root, path) for path in paths)}


def reached(tree: Mapping[str, Module], starts: Iterable[str], *, at_once: bool = False) -> dict[str, str]:
    """All modules that these need, themselves included, each with the module that needs it.

    A module needs what it imports, and the packages around that, whose `__init__` runs first. With `at_once` only what
    importing the starts runs.
    """
    needed = dict.fromkeys(starts, "")
    waiting = list(needed)
    while waiting:
        importer = waiting.pop()
        for item in tree[importer].imports:
            for name in _with_packages(item.target):
                if name in tree and name not in needed and (item.at_once or not at_once):
                    needed[name] = importer
                    waiting.append(name)
    return needed


def circles(tree: Mapping[str, Module]) -> list[tuple[str, ...]]:
    """The groups of modules each of which reaches all others of its group by imports, in order."""
    reaches = {name: _reached_by(tree, name) for name in tree}
    found = {tuple(sorted(other for other in reaches[name] if name in reaches[other])) for name in tree}
    return sorted(group for group in found if group)


def _reached_by(tree: Mapping[str, Module], start: str) -> set[str]:
    """What a module reaches by one import or more, without the packages around it: itself only over a circle."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for item in tree[waiting.pop()].imports:
            if item.target in tree and item.target not in seen:
                seen.add(item.target)
                waiting.append(item.target)
    return seen


def _with_packages(name: str) -> Iterator[str]:
    """`a.b.c` and the packages around it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _read(root: Path, path: Path) -> Module:
    shown = path.relative_to(root).as_posix()
    syntax = ast.parse(path.read_text(encoding="utf-8"), shown)
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, shown, syntax, tuple(_imports(root, path, syntax, at_once=True)))


def _imports(root: Path, path: Path, node: ast.AST, *, at_once: bool) -> Iterator[Import]:
    match node:
        case ast.Import():
            for alias in node.names:
                bound = alias.asname or ("" if "." in alias.name else alias.name)
                yield Import(node.lineno, alias.name, "", bound, alias.name, at_once)
        case ast.ImportFrom():
            base = _absolute(root, path, node)
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                target = deeper if _is_module(root, deeper) else base
                yield Import(node.lineno, base, alias.name, alias.asname or alias.name, target, at_once)
        case ast.Call() if name := _named_in(node):
            yield Import(node.lineno, name, "", "", name, at_once)
    lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_for_types(node)
    for child in ast.iter_child_nodes(node):
        yield from _imports(root, path, child, at_once=at_once and not lazy)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _absolute(root: Path, path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = path.relative_to(root).parent.parts
    kept = package[: len(package) - (node.level - 1)]
    return ".".join((*kept, *filter(None, [node.module])))


def _named_in(node: ast.Call) -> str:
    """The module named by `import_module("X")` or `__import__("X")`, or ""."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in ("import_module", "__import__") or not node.args:
        return ""
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _is_module(root: Path, name: str) -> bool:
    place = root.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()
