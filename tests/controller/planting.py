"""Small faults planted in the pure parts, one at a time: where, what, and how the module is then.

MUTANTS.md lists those that nothing can notice, each with the reason. `tests.controller.mutants` tries them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CONTROLLER = ROOT / "controller"
PACKAGES = ("rules", "table", "live", "presenter")
TARGETS = tuple(
    path for package in PACKAGES for path in sorted((CONTROLLER / package).rglob("*.py")) if path.name != "__init__.py"
)
SOURCES = {path: path.read_text(encoding="utf-8") for path in TARGETS}
"""As they were when this began: an edit in between moves no fault."""
_LINES = {path: source.splitlines() for path, source in SOURCES.items()}
LIST = Path(__file__).with_name("MUTANTS.md")

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
        code = _LINES[self.path][self.line - 1].strip()
        return f"- {self.name} `{code}`: {self.what}"

    @property
    def name(self) -> str:
        return self.path.relative_to(CONTROLLER).as_posix()

    @property
    def package(self) -> str:
        return self.name.split("/")[0]


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
