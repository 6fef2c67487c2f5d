"""Record which blocks of statements in a set of modules the tests reach.

A block consists of consecutive statements in a function. No branch, loop or exit separates the statements, so that all
statements run if the first one runs. An inserted statement at the start of every block records that the block was
reached.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

MODULE_BLOCK = 0
"""Block number of all statements outside functions, which run whenever their module is imported."""
_BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
_MARKS = "__reached__"


class BlockCoverage:
    """Records of the reached blocks, and the syntax trees of the modules with the inserted statements."""

    def __init__(self, sources: Mapping[Path, str]) -> None:
        self._blocks = 0
        self._starts: dict[Path, list[tuple[int, int]]] = {}
        self.trees: dict[Path, ast.Module] = {}
        for path, source in sources.items():
            tree = ast.parse(source)
            starts = [(0, MODULE_BLOCK)]
            tree.body = list(self._marked(tree.body, starts, MODULE_BLOCK, in_function=False))
            self.trees[path], self._starts[path] = ast.fix_missing_locations(tree), sorted(starts)
        self.marks = bytearray(self._blocks + 1)

    def block_at(self, path: Path, line: int) -> int:
        """Return the number of the block that contains this line."""
        starts = self._starts[path]
        return starts[bisect_right(starts, (line, self._blocks + 1)) - 1][1]

    def take_marks(self) -> bytes:
        """Return one byte for each block, and then reset all bytes to 0.

        The byte is 1 if the block was reached since the last call of `take_marks`.
        """
        marks = bytes(self.marks)
        self.marks[:] = bytes(len(marks))
        return marks

    def _marked(
        self, statements: Sequence[ast.stmt], starts: list[tuple[int, int]], block: int, *, in_function: bool
    ) -> Iterator[ast.stmt]:
        begins = True
        for statement in statements:
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if in_function and begins and not is_text:
                self._blocks += 1
                block = self._blocks
                mark = ast.parse(f"{_MARKS}[{block}] = 1").body[0]
                yield ast.copy_location(mark, statement)
                begins = False
            starts.append((statement.lineno, block))
            inside = in_function or isinstance(statement, ast.FunctionDef)
            for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                if isinstance(part, ast.match_case):
                    starts.append((part.pattern.lineno, block))
                for field in ("body", "orelse", "finalbody"):
                    if inner := getattr(part, field, ()):
                        setattr(part, field, list(self._marked(inner, starts, block, in_function=inside)))
            begins = begins or isinstance(statement, _BRANCHES)
            yield statement


class TreeImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Importer that executes modules from syntax trees instead of from their files."""

    def __init__(self, root: Path, trees: Mapping[Path, ast.Module], marks: bytearray) -> None:
        self._paths = {".".join(path.relative_to(root).with_suffix("").parts): path for path in trees}
        self._trees, self._marks = trees, marks

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._paths:
            return None
        return importlib.util.spec_from_file_location(fullname, self._paths[fullname], loader=self)

    def exec_module(self, module: ModuleType) -> None:
        path = self._paths[module.__name__]
        module.__dict__[_MARKS] = self._marks
        exec(compile(self._trees[path], str(path), "exec"), module.__dict__)
