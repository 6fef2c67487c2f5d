"""Read the imports between the modules of the four packages from the source text, without running it.

The result includes relative imports, imports inside functions or under `TYPE_CHECKING`, and calls such as
`import_module("X")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("ui", "controller", "hardware", "firmware_bridge")
"""Packages from the top down. A package may import only packages that come later in this list."""
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Import:
    """Import of one name by a module from another module."""

    line: int
    module: str
    """Absolute name of the module that the statement names: `X` for `import X` and for `from X import name`."""
    name: str
    """Name that is imported from the module, or "" if the statement imports the module itself."""
    bound_name: str
    """Name by which the importing module refers to `target`, or "" if the statement gives `target` no name.

    For example, `import a.b` only makes the name `a` known.
    """
    target: str
    """Module that the import loads: `X.name` if that is a module of the tree, otherwise `X`."""
    at_import_time: bool
    """True if the import statement runs when its module is imported, so not in a function or under `TYPE_CHECKING`."""


@dataclass(frozen=True, slots=True)
class Module:
    """Source file with its module name (`controller.table.state`), its path below the root, and its imports."""

    name: str
    path: str
    syntax: ast.Module
    imports: tuple[Import, ...]

    @property
    def exported(self) -> frozenset[str] | None:
        """Return the names in `__all__`, or None if the module has no `__all__`."""
        for node in self.syntax.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                return frozenset(ast.literal_eval(node.value))
        return None

    @property
    def is_package(self) -> bool:
        return self.path.endswith("/__init__.py")


def is_within(name: str, package: str) -> bool:
    """Return True if the module is this package or a module in this package."""
    return name == package or name.startswith(package + ".")


def read_modules(root: Path) -> dict[str, Module]:
    """Return all modules of the four packages below `root`, by module name, in the order of their paths."""
    return {module.name: module for module in (_read(root, path) for path in module_paths(root))}


def module_paths(root: Path) -> list[Path]:
    """Return the files of all modules of the four packages below `root`, in sorted order."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def module_name(root: Path, path: Path) -> str:
    """Return the name of the module in a file, such as `controller.table.state`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def dependencies(tree: Mapping[str, Module], starts: Iterable[str], *, at_once: bool = False) -> dict[str, str]:
    """Return all modules that the modules in `starts` need, each with a module that imports it.

    The result includes indirectly needed modules, and the modules in `starts`, each with "". A module needs the modules
    that it imports, and the packages of these modules, because the `__init__` of a package runs first.

    If `at_once` is true, ignore imports that do not run as soon as their module is imported.
    """
    needed = dict.fromkeys(starts, "")
    pending = list(needed)
    while pending:
        importer = pending.pop()
        for item in tree[importer].imports:
            for name in _with_packages(item.target):
                if name in tree and name not in needed and (item.at_import_time or not at_once):
                    needed[name] = importer
                    pending.append(name)
    return needed


def import_cycles(tree: Mapping[str, Module]) -> list[tuple[str, ...]]:
    """Return the groups of modules that all import each other, directly or indirectly, in sorted order."""
    reaches = {name: _reached_by(tree, name) for name in tree}
    groups = {tuple(sorted(other for other in reaches[name] if name in reaches[other])) for name in tree}
    return sorted(group for group in groups if group)


def _reached_by(tree: Mapping[str, Module], start: str) -> set[str]:
    """Return all modules that the module `start` imports, directly or indirectly.

    The result includes `start` only if `start` imports itself through other modules.
    """
    reached: set[str] = set()
    pending = [start]
    while pending:
        for item in tree[pending.pop()].imports:
            if item.target in tree and item.target not in reached:
                reached.add(item.target)
                pending.append(item.target)
    return reached


def _with_packages(name: str) -> Iterator[str]:
    """Yield the names of a module and of its packages: for `a.b.c` the names `a.b.c`, `a.b`, `a`."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _read(root: Path, path: Path) -> Module:
    relative_path = path.relative_to(root).as_posix()
    syntax = ast.parse(path.read_text(encoding="utf-8"), relative_path)
    return Module(module_name(root, path), relative_path, syntax, tuple(_imports(root, path, syntax, at_once=True)))


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
        case ast.Call() if name := _module_named_in(node):
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


def _module_named_in(node: ast.Call) -> str:
    """Return `X` if the function call is `import_module("X")` or `__import__("X")`, otherwise return ""."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in ("import_module", "__import__") or not node.args:
        return ""
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _is_module(root: Path, name: str) -> bool:
    location = root.joinpath(*name.split("."))
    return location.is_dir() or location.with_suffix(".py").is_file()
