"""Check that every error class has the base class PotkeeperError, and says who must correct the fault."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from firmware_bridge.errors import FaultSource, PotkeeperError
from tests.import_graph import ROOT, module_name, module_paths

EXCEPTIONS = {
    "controller.simulation.sessions.statistics.UnreportedError": "a result of a simulation, not an exception",
    "controller.steps.observations.RecordProgramError": "a step that records an error, not an exception",
    "ui.virtual_display.DisplayError": "the screens may import only the view and the messages",
    "ui.web.oidc.configuration.OidcFileError": "the screens may import only the view and the messages",
    "ui.web.people.PeopleError": "the screens may import only the view and the messages",
    "ui.web.server.ServerOptionError": "the screens may import only the view and the messages",
    "ui.screenshots.ScreenshotError": "the screens may import only the view and the messages",
}
"""Classes with Error in their name that need not have the base class PotkeeperError, each with the reason."""


MAY_HAVE_AN_ERROR = re.compile(r"\bclass\s[^:]*(Error|Exception)")
"""Text in each module that has an error class. Every process of the tests reads the modules, so it parses only these.
"""


def errors(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and name of each error class.

    A class is an error class if its name, or the name of a base class, ends with Error or Exception.
    """
    for path in module_paths(root):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if MAY_HAVE_AN_ERROR.search(text) else ():
            if isinstance(node, ast.ClassDef):
                names = (node.name, *(ast.unparse(base) for base in node.bases))
                if any(name.endswith(("Error", "Exception")) for name in names):
                    yield module_name(root, path), node.name


ALL = sorted(errors(ROOT))


@pytest.mark.parametrize(("module", "name"), [error for error in ALL if ".".join(error) not in EXCEPTIONS])
def test_every_error_declares_its_fault_owner(module: str, name: str) -> None:
    error = getattr(import_module(module), name)
    assert issubclass(error, PotkeeperError)
    assert error.fault in get_args(FaultSource)
    declaring = [base for base in error.__mro__[:-1] if "fault" in vars(base)]
    assert error is PotkeeperError or declaring[0] is not PotkeeperError, "the default of PotkeeperError is not enough"


def test_excepted_errors_exist() -> None:
    assert len(ALL) > len(EXCEPTIONS)
    assert {".".join(error) for error in ALL} >= EXCEPTIONS.keys()


def test_error_class_without_error_in_its_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "controller").mkdir()
    (tmp_path / "controller" / "odd.py").write_text("class Dead(ValueError): ...\nclass Plain: ...\n")
    assert list(errors(tmp_path)) == [("controller.odd", "Dead")]
