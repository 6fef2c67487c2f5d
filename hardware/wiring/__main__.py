"""Command line of the wiring: `python -m hardware.wiring` updates the diagram and the README of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.layout import reference_layout
from hardware.wiring import draw_wiring, wiring_tables

FOLDER: Final = Path(__file__).parent
BEGIN_MARK: Final = "<!-- from here written by `python -m hardware.wiring` -->"
END_MARK: Final = "<!-- to here -->"


def updated_readme(text: str) -> str:
    """Return the README with the tables of the reference layout between its marks."""
    before, _, rest = text.partition(BEGIN_MARK)
    _, _, after = rest.partition(END_MARK)
    return f"{before}{BEGIN_MARK}\n\n{wiring_tables(reference_layout())}\n\n{END_MARK}{after}"


def main() -> None:
    """Write the diagram and the README."""
    (FOLDER / "wiring.svg").write_text(draw_wiring(reference_layout()))
    readme = FOLDER / "README.md"
    readme.write_text(updated_readme(readme.read_text()))


if __name__ == "__main__":
    main()
