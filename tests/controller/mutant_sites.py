"""List the places for small faults in the pure packages, and build modules with such a fault.

MUTANTS.md lists the faults that no test can notice, each with the reason. `tests.controller.mutation_testing` tries the
faults.
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
PACKAGES = ("rules", "steps", "table", "live", "presenter")
TARGETS = tuple(
    path for package in PACKAGES for path in sorted((CONTROLLER / package).rglob("*.py")) if path.name != "__init__.py"
)
SOURCES = {path: path.read_text(encoding="utf-8") for path in TARGETS}
"""Source texts at the start of the run, so that an edit during the run does not move a fault."""
_LINES = {path: source.splitlines() for path, source in SOURCES.items()}
SURVIVOR_LIST = Path(__file__).with_name("MUTANTS.md")

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


class MutationSite(NamedTuple):
    """A place in the code at which a fault can be planted.

    `number` is the position of the changed node among the nodes of the file's syntax tree.
    """

    path: Path
    number: int
    line: int
    mutation: str

    @property
    def list_entry(self) -> str:
        """Return the entry of this fault in MUTANTS.md, with file, code and fault.

        The entry has no line number, because edits elsewhere in the file would change the number.
        """
        code = _LINES[self.path][self.line - 1].strip()
        return f"- {self.name} `{code}`: {self.mutation}"

    @property
    def name(self) -> str:
        return self.path.relative_to(CONTROLLER).as_posix()

    @property
    def package(self) -> str:
        return self.name.split("/")[0]


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of the tree in which faults can be planted.

    Skip annotations, decorators, imports, f-strings, assertions and `raise` statements.
    """
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list") or getattr(tree, "arg", "") == "strict":
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import)):
                yield node
                yield from _code(node)


def _fault(node: ast.AST) -> str:
    """Return the name of the fault that can be planted at this node, or "" if none can."""
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
    """Return the number that a fault puts in the place of this number.

    A number below 100 is increased by one. A larger number is doubled, because one more microsecond, for example, would
    have no visible effect.
    """
    return number + 1 if abs(number) < 100 else 2 * number


def _plant(node: ast.AST) -> None:
    """Change the node so that it contains the fault that `_fault` names."""
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


def mutation_sites() -> list[MutationSite]:
    """Return the place of every fault that can be planted."""
    sites = []
    for path, source in SOURCES.items():
        for number, node in enumerate(_code(ast.parse(source))):
            mutation = _fault(node)
            if mutation:
                sites.append(MutationSite(path, number, getattr(node, "lineno", 0), mutation))
    return sites


def sample_sites(sites: Sequence[MutationSite], count: int, seed: int) -> list[MutationSite]:
    """Return a random sample of the faults.

    The sample depends on the seed and on a hash of each fault's entry in MUTANTS.md. After an edit of other code, the
    sample therefore stays nearly the same. A fault in new code may replace one fault of the sample.
    """
    repetitions: Counter[str] = Counter()
    ranked = []
    for site in sites:
        repetitions[site.list_entry] += 1
        name = f"{seed} {site.list_entry} {repetitions[site.list_entry]}"
        ranked.append((sha256(name.encode()).digest(), site))
    return [site for _, site in sorted(ranked)[:count]]


def mutated_module(site: MutationSite) -> ast.Module:
    """Return the syntax tree of the module with the fault planted in it."""
    tree = ast.parse(SOURCES[site.path])
    node = next(node for number, node in enumerate(_code(tree)) if number == site.number)
    _plant(node)
    return ast.fix_missing_locations(tree)
