"""A build hook that compiles the catalogues before setuptools collects the files of a wheel.

`pyproject.toml` names the class `BuildWithCatalogues`. Setuptools loads this file alone, so it may not import other
modules of the project.
"""

from __future__ import annotations

import runpy
from pathlib import Path

from setuptools.command.build_py import build_py


class BuildWithCatalogues(build_py):
    """The setuptools command `build_py`, extended so that a build also includes the compiled catalogues."""

    def finalize_options(self) -> None:
        """Compile the catalogues first, because setuptools lists the data files only once, at the start."""
        runpy.run_path(str(Path(__file__).with_name("compile.py")), run_name="__main__")
        super().finalize_options()
