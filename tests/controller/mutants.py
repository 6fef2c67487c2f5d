"""Small faults planted in the rules, one at a time, and whether the tests notice.

`python -m tests.controller.mutants --count 500 --seed 1` prints one line per fault that nothing noticed and the share
that was killed. Each fault is tried in a process of its own, which ends at the first test that fails. MUTANTS.md lists
those that nothing can notice, each with the reason: a fault that survives and is not listed there asks for a test.
"""

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.controller.scripted import OWN, ROOT, files_under

TARGETS = (*sorted((ROOT / "controller" / "rules").glob("*.py")), ROOT / "controller" / "table" / "meaning.py")
TESTS = tuple(
    f"test_{name}.py" for name in ("rules_betting", "rules_pots", "rules_button", "rules_stakes", "rulings", "acting")
)
SOURCES = {path: path.read_text(encoding="utf-8") for path in TARGETS}
"""As they were when this began: an edit in between moves no fault."""
LIST = Path(__file__).with_name("MUTANTS.md")
MOST_SECONDS = 60
"""A fault that makes a loop endless is killed by this: the whole selection takes a tenth of it."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Site(NamedTuple):
    """Where a fault is planted: the file, the node's number in a walk through it, and what becomes of it."""

    path: Path
    number: int
    line: int
    what: str

    @property
    def listed_as(self) -> str:
        """The line of MUTANTS.md: file, code and fault; without a number, as other edits move lines."""
        code = SOURCES[self.path].splitlines()[self.line - 1].strip()
        return f"- {self.path.name} `{code}`: {self.what}"


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes that do something: no annotations, texts, assertions or what an error says."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list") or getattr(tree, "arg", "") == "strict":
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import)):
                yield node
                yield from _code(node)


def _fault(node: ast.AST) -> str:
    """What can be made wrong about this node, or ""."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            return f"{type(op).__name__} -> {COMPARISONS[type(op)].__name__}"
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return f"{type(op).__name__} -> {OPERATORS[type(op)].__name__}"
        case ast.BoolOp(op=op):
            return "And -> Or" if isinstance(op, ast.And) else "Or -> And"
        case ast.Constant(value=bool(value)):
            return f"{value} -> {not value}"
        case ast.Constant(value=int(value)):
            return f"{value} -> {value + 1}"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant) or value.value is not None:
            return "returns None"
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            return f"{name} -> {'max' if name == 'min' else 'min'}"
        case ast.Call(args=[first, second, *_]) if ast.dump(first) != ast.dump(second):
            return "arguments swapped"
    return ""


def _plant(node: ast.AST) -> None:
    """The fault of `_fault`, in place."""
    match node:
        case ast.Compare(ops=[op]):
            node.ops = [COMPARISONS[type(op)]()]
        case ast.BinOp(op=op):
            node.op = OPERATORS[type(op)]()
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Return():
            node.value = ast.Constant(None)
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            node.func = ast.copy_location(ast.Name("max" if name == "min" else "min", ast.Load()), node.func)
        case ast.Call(args=[first, second, *rest]):
            node.args = [second, first, *rest]


def sites() -> list[Site]:
    """Every fault that can be planted."""
    found = []
    for path, source in SOURCES.items():
        for number, node in enumerate(_code(ast.parse(source))):
            what = _fault(node)
            if what:
                found.append(Site(path, number, getattr(node, "lineno", 0), what))
    return found


def faulty(site: Site) -> ast.Module:
    """The module with the fault in it."""
    tree = ast.parse(SOURCES[site.path])
    node = next(node for number, node in enumerate(_code(tree)) if number == site.number)
    _plant(node)
    return ast.fix_missing_locations(tree)


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with its fault."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def noticed(site: Site | None) -> bool:
    """Whether a test fails with this fault, or with none. For a process of its own: it imports everything anew."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("controller", "tests")]:
        del sys.modules[name]
    if site is not None:
        module = ".".join(site.path.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, _Planted(module, site.path, faulty(site)))
    try:
        scripted = importlib.import_module("tests.controller.scripted")
        for folder in OWN[:2]:
            for path in files_under(folder):
                if scripted.differences(path):
                    return True
    except Exception:
        return True
    import pytest

    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    here = [str(ROOT / "tests" / "controller" / name) for name in TESTS]
    if pytest.main([*arguments, *here]) != pytest.ExitCode.OK:
        return True
    return any(scripted.differences(path) for path in files_under(OWN[2]) if "random" in path.parts)


def tried(site: Site | None) -> bool:
    """`noticed` in a child of its own, which has `MOST_SECONDS`."""
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.alarm(MOST_SECONDS)
        code = 1
        try:
            code = int(noticed(site))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return status != 0


def main() -> int:
    """Tries the faults; 0 where at least the share asked for was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.9, help="of the faults that must be noticed")
    options = parser.parse_args()
    every = sites()
    chosen = random.Random(options.seed).sample(every, min(options.count, len(every)))
    if tried(None):
        print("the tests fail without any fault")
        return 1
    began, survivors, listed = time.monotonic(), [], set(LIST.read_text(encoding="utf-8").splitlines())
    for number, site in enumerate(chosen, 1):
        if not tried(site):
            survivors.append(site)
            known = "" if site.listed_as in listed else ", not listed"
            print(f"survived{known}: {site.path.relative_to(ROOT)}:{site.line}\n{site.listed_as}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(chosen)}, {time.monotonic() - began:.0f} s", flush=True)
    killed = len(chosen) - len(survivors)
    unlisted = sum(site.listed_as not in listed for site in survivors)
    print(f"{killed} of {len(chosen)} faults noticed, {unlisted} neither noticed nor listed; {len(every)} possible")
    return 0 if killed >= options.share * len(chosen) and not unlisted else 1


if __name__ == "__main__":
    sys.exit(main())
