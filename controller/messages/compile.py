"""Compile the catalogues: write each `potkeeper.mo` that is older than its `potkeeper.po`.

Run it as a file with `python -P controller/messages/compile.py`, because a build environment has Babel but not the
other packages. `make setup` runs it in a checkout. `packaging.py` runs it when a wheel is built.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALES: Final = Path(__file__).parent / "locale"
"""The folder of the catalogues, with one folder for each language: `de/LC_MESSAGES/potkeeper.po`."""


def compile_catalogues(folder: Path = LOCALES) -> list[Path]:
    """Compile the catalogues that have changed, and return the files written."""
    return [compile_catalogue(source) for source in sorted(folder.glob("*/LC_MESSAGES/*.po")) if _is_stale(source)]


def compile_catalogue(source: Path) -> Path:
    """Write the compiled catalogue next to its source, and return its path."""
    with source.open("rb") as file:
        catalogue = read_po(file, locale=source.parts[-3], abort_invalid=True)
    target = source.with_suffix(".mo")
    # Another process may read the catalogue at the same time. It must see the old or the new file, never an incomplete
    # one.
    partial = target.with_suffix(".mo.new")
    with partial.open("wb") as file:
        write_mo(file, catalogue)
    partial.replace(target)
    return target


def _is_stale(source: Path) -> bool:
    target = source.with_suffix(".mo")
    return not target.exists() or target.stat().st_mtime_ns < source.stat().st_mtime_ns


if __name__ == "__main__":
    for written in compile_catalogues():
        print(f"messages: compiled {written.relative_to(LOCALES)}")
