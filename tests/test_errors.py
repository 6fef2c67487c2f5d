"""Every error of the project has one base, and says whose fault it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from firmware_bridge.errors import PotkeeperError, Whose
from tests.imports import ROOT, read_tree

LEFT_OUT = {
    "ui.display.DisplayError": "a screen knows nothing of the house but its views and words",
    "ui.snapshot.SnapshotError": "as above",
}
"""Errors without the base, each with its reason."""


def errors(root: Path) -> Iterator[tuple[str, str]]:
    """(module, name) of every class that is an error by its own name or by that of a base."""
    for module in read_tree(root).values():
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.ClassDef):
                names = (node.name, *(ast.unparse(base) for base in node.bases))
                if any(name.endswith(("Error", "Exception")) for name in names):
                    yield module.name, node.name


ALL = sorted(errors(ROOT))


@pytest.mark.parametrize(("module", "name"), [each for each in ALL if ".".join(each) not in LEFT_OUT])
def test_every_error_says_whose_fault_it_is(module: str, name: str) -> None:
    error = getattr(import_module(module), name)
    assert issubclass(error, PotkeeperError)
    assert error.whose in get_args(Whose)
    said = [base for base in error.__mro__[:-1] if "whose" in vars(base)]
    assert error is PotkeeperError or said[0] is not PotkeeperError, "the base's own answer is no answer"


def test_what_is_left_out_is_there() -> None:
    assert len(ALL) > len(LEFT_OUT)
    assert {".".join(each) for each in ALL} >= LEFT_OUT.keys()


def test_an_error_without_the_word_in_its_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "controller").mkdir()
    (tmp_path / "controller" / "odd.py").write_text("class Dead(ValueError): ...\nclass Plain: ...\n")
    assert list(errors(tmp_path)) == [("controller.odd", "Dead")]
