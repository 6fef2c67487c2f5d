"""Small faults planted in the pure parts, one at a time, and whether the tests notice.

`python -m tests.controller.mutants --count 500 --seed 1` prints one line per fault that nothing noticed and the share
that was noticed; `--only live` plants in one package. Each fault is tried in a process of its own, as many at a time as
there are cores; it ends at the first test that fails. MUTANTS.md lists those that nothing can notice, each with the
reason: a fault that survives and is not listed there asks for a test.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTROLLER = ROOT / "controller"
PACKAGES = ("rules", "table", "live", "presenter")
TARGETS = tuple(
    path for package in PACKAGES for path in sorted((CONTROLLER / package).rglob("*.py")) if path.name != "__init__.py"
)
SOURCES = {path: path.read_text(encoding="utf-8") for path in TARGETS}
"""As they were when this began: an edit in between moves no fault."""
LIST = Path(__file__).with_name("MUTANTS.md")
CORES = os.cpu_count() or 1
FORK = get_context("fork")
MOST_CPU_S = 60
"""A fault that makes a loop endless is noticed by this: all tests that are tried take a third of it. Time of the
processor: a busy machine is no fault."""
EVERY = 12
"""The scripts are tried in this many rounds, each with every twelfth: a fault shows early, whatever its topic."""

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
        return f"- {self.path.relative_to(CONTROLLER).as_posix()} `{code}`: {self.what}"

    @property
    def package(self) -> str:
        return self.path.relative_to(CONTROLLER).parts[0]


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
            return f"{value} -> {_other(value)}"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant) or value.value is not None:
            return "returns None"
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            return f"{name} -> {'max' if name == 'min' else 'min'}"
        case ast.Call(args=[first, second, *_]) if ast.dump(first) != ast.dump(second):
            return "arguments swapped"
    return ""


def _other(number: int) -> int:
    """One more; twice as much where one more changes nothing that anybody could see, as in microseconds."""
    return number + 1 if abs(number) < 100 else 2 * number


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
            node.value = _other(value)
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


def drawn(every: Sequence[Site], count: int, seed: int) -> list[Site]:
    """Some of the faults, drawn by the hash of each one's line: an edit elsewhere neither adds one nor takes one out,
    but for the one whose place a new fault takes."""
    twins: Counter[str] = Counter()
    places = []
    for site in every:
        twins[site.listed_as] += 1
        name = f"{seed} {site.listed_as} {twins[site.listed_as]}"
        places.append((sha256(name.encode()).digest(), site))
    return [site for _, site in sorted(places)[:count]]


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


def _scripts() -> bool:
    """Whether a case shows something else, played by the rules alone."""
    scripted = importlib.import_module("tests.controller.scripted")
    paths = scripted.files_under(scripted.CASES)
    return any(scripted.differences(path) for first in range(EVERY) for path in paths[first::EVERY])


def _random_hands() -> bool:
    """Whether a random hand shows something else, played by the rules alone."""
    scripted = importlib.import_module("tests.controller.scripted")
    return any(scripted.differences(path) for path in scripted.files_under(scripted.HANDS / "random"))


def _pipeline(first: int, every: int) -> Callable[[], bool]:
    """Whether one of some cases shows something else through chips and readers, or after it is started again."""

    def fails() -> bool:
        pipeline = importlib.import_module("tests.pipeline.test_pipeline")
        for path in pipeline.files_under(pipeline.CASES)[first::every]:
            case = pipeline.name_of(path), pipeline.played(pipeline.load(path))
            pipeline.test_prints_the_same(case)
            pipeline.test_a_restart_after_any_step_goes_on_as_the_same_table(case)
        return False

    return fails


def _pytest(*names: str) -> Callable[[], bool]:
    """Whether a test of these files of tests/controller fails."""
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", "--hypothesis-seed=0"]

    def fails() -> bool:
        here = [str(path) for name in names for path in sorted((ROOT / "tests" / "controller").glob(f"test_{name}.py"))]
        return pytest.main([*options, *here]) != pytest.ExitCode.OK

    return fails


_RULES = _pytest("rules_betting", "rules_pots", "rules_button", "rules_stakes", "rules_guards")
_TABLE = _pytest("acting", "rulings", "steps", "between", "put_right", "opened_and_closed")
_LIVE = _pytest("live*", "findings", "keyed_as_sensed")
NOTICE: dict[str, tuple[Callable[[], bool], ...]] = {
    "rules": (_scripts, _RULES, _TABLE, _random_hands),
    "table": (_scripts, _TABLE, _random_hands, _pipeline(0, EVERY)),
    "live": (_LIVE, _pipeline(0, 3 * EVERY), _pipeline(1, EVERY), _pytest("presenter")),
    "presenter": (_pytest("presenter*"), _pipeline(0, EVERY), _pytest("words")),
}
"""What is tried for a fault in each package, the quickest to notice first."""


def noticed(package: str, site: Site | None) -> bool:
    """Whether a test fails with this fault, or with none. For a process of its own: it imports everything anew."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("controller", "tests")]:
        del sys.modules[name]
    if site is not None:
        module = ".".join(site.path.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, _Planted(module, site.path, faulty(site)))
    try:
        return any(fails() for fails in NOTICE[package])
    except Exception:
        return True


def _child(package: str, site: Site | None) -> None:
    """Ends the process with 1 where the fault is noticed, with 0 where it is not."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + 5))
    code = 1
    try:
        code = int(noticed(package, site))
    finally:
        os._exit(code)


def tried(faults: Sequence[tuple[str, Site | None]], cores: int = CORES) -> Iterator[tuple[str, Site | None, bool]]:
    """Each fault and whether it was noticed, in the order in which they are done."""
    running: dict[int, tuple[ForkProcess, str, Site | None]] = {}
    waiting = list(reversed(faults))
    with tempfile.TemporaryDirectory() as folder:
        # What Hypothesis finds in a faulty program is no example for the right one.
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        while waiting or running:
            while waiting and len(running) < cores:
                package, site = waiting.pop()
                process = FORK.Process(target=_child, args=(package, site))
                process.start()
                running[process.sentinel] = (process, package, site)
            for sentinel in wait(list(running)):
                process, package, site = running.pop(cast(int, sentinel))
                process.join()
                yield package, site, process.exitcode != 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries the faults; 0 where at least the share asked for was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.9, help="of the faults that must be noticed")
    parser.add_argument("--only", choices=PACKAGES, action="append", help="plant in this package")
    parser.add_argument("--passing", action="store_true", help="the tests are known to pass without any fault")
    options = parser.parse_args(arguments)
    packages = tuple(options.only or PACKAGES)
    every = [site for site in sites() if site.package in packages]
    chosen = drawn(every, options.count, options.seed)
    plain: list[tuple[str, Site | None]] = [] if options.passing else [(package, None) for package in packages]
    failing = [package for package, _, failed in tried(plain) if failed]
    if failing:
        print(f"the tests fail without any fault: {', '.join(failing)}")
        return 1
    survivors = _survivors(chosen)
    planted, alive = Counter(site.package for site in chosen), Counter(site.package for site in survivors)
    for package in packages:
        print(f"{package}: {planted[package] - alive[package]} of {planted[package]} faults noticed")
    killed, unlisted = len(chosen) - len(survivors), sum(site.listed_as not in _listed() for site in survivors)
    print(f"{killed} of {len(chosen)} faults noticed, {unlisted} neither noticed nor listed; {len(every)} possible")
    return 0 if killed >= options.share * len(chosen) and not unlisted else 1


def _survivors(chosen: Sequence[Site]) -> list[Site]:
    """Those that nothing notices; each is printed, and every fifty faults how far it is."""
    began, survivors, listed = time.monotonic(), [], _listed()
    for number, (_, site, failed) in enumerate(tried([(site.package, site) for site in chosen]), 1):
        if site is not None and not failed:
            survivors.append(site)
            known = "" if site.listed_as in listed else ", not listed"
            print(f"survived{known}: {site.path.relative_to(ROOT)}:{site.line}\n{site.listed_as}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(chosen)}, {time.monotonic() - began:.0f} s", flush=True)
    return survivors


def _listed() -> set[str]:
    return set(LIST.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    sys.exit(main())
