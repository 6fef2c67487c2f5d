"""Draws which part of the house imports which: lines in controller/README.md, and a picture in build.

`python -m tests.drawing` writes both anew.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.house import FLOORS, floor, part_of
from tests.imports import PACKAGES, ROOT, Module, read_tree, within

COMMAND = "python -m tests.drawing"
BEGIN, END = f"<!-- from here drawn by `{COMMAND}` -->", "<!-- to here -->"
README = Path("controller") / "README.md"
PICTURE = Path("build") / "architecture.svg"

WIDE, HIGH, GAP = 150, 22, 34
LINE_HIGH = 12


def uses(tree: Mapping[str, Module]) -> dict[str, list[str]]:
    """Each part that is there, from the top down, and the parts that its modules import, in the same order."""
    found: dict[str, set[str]] = {}
    for module in tree.values():
        here = found.setdefault(part_of(module.name), set())
        here |= {part_of(item.target) for item in module.imports if item.target in tree}
    names = sorted((name for name in found if floor(name) is not None), key=lambda name: (floor(name), name))
    return {name: [other for other in names if other in found[name] and other != name] for name in names}


def text(tree: Mapping[str, Module]) -> str:
    """One line a part of the controller, from the top down: what it imports. The other packages are one part each."""
    used = uses(tree)
    above = [name for part, others in used.items() if within(part, "ui") for name in _short(others)]
    rows: dict[str, list[str]] = {"ui": [name for name in dict.fromkeys(above) if name != "ui"]}
    for name in (name for names in FLOORS["controller"] for name in names):
        rows[name] = _short(used.get(f"controller.{name}", []))
    width = max(map(len, rows))
    return "\n".join(f"{name:{width}} ──> {', '.join(others) or '-'}" for name, others in rows.items())


def _short(parts: list[str]) -> list[str]:
    """Names without their package within the controller; packages elsewhere."""
    names = [part.partition(".")[2] if within(part, "controller") else part.partition(".")[0] for part in parts]
    return list(dict.fromkeys(names))


def svg(tree: Mapping[str, Module]) -> str:
    """The whole house as a picture: a row a floor, a box a part with its modules in it, a line an import, always
    downwards. Where one part reaches another by way of a third, no line is drawn: the way is."""
    used = uses(tree)
    modules = {part: [name for name in tree if part_of(name) == part and not tree[name].is_package] for part in used}
    rows = [
        row
        for package in PACKAGES
        for names in FLOORS[package]
        if (row := [part for part in (f"{package}.{name}".rstrip(".") for name in names) if part in used])
    ]
    boxes: dict[str, tuple[int, int, int]] = {}
    columns = max(map(len, rows), default=1)
    top, width = GAP, columns * (WIDE + GAP) + GAP
    for number, row in enumerate(rows):
        left = GAP + number % (columns - len(row) + 1) * (WIDE + GAP)
        for place, part in enumerate(row):
            boxes[part] = (left + place * (WIDE + GAP), top, HIGH + LINE_HIGH * len(modules[part]))
        top += max(boxes[part][2] for part in row) + GAP
    lines = [_arrow(boxes[part], boxes[other]) for part, other in _direct(used)]
    drawn = [_box(part, boxes[part], modules[part]) for part in boxes]
    size = f'width="{width}" height="{top}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *lines, *drawn, "</svg>", ""])


def _direct(used: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The imports without those that lead where another way leads too."""
    below: dict[str, set[str]] = {}
    for part in reversed(used):
        below[part] = set(used[part]).union(*(below.get(other, set()) for other in used[part]))
    return [
        (part, other)
        for part, others in used.items()
        for other in others
        if not any(other in below[third] for third in others)
    ]


def _arrow(begin: tuple[int, int, int], end: tuple[int, int, int]) -> str:
    x, y = begin[0] + WIDE // 2, begin[1] + begin[2]
    to_x, to_y = end[0] + WIDE // 2, end[1]
    bend = (y + to_y) // 2
    return f'<path d="M{x} {y} C{x} {bend} {to_x} {bend} {to_x} {to_y}" fill="none" stroke="#9ab"/>'


def _box(part: str, box: tuple[int, int, int], modules: list[str]) -> str:
    left, top, high = box
    names = [name.removeprefix(f"{part}.") for name in modules if name != part]
    words = [f'<text x="{left + 8}" y="{top + 15}" font-size="12" font-weight="bold">{part}</text>']
    for number, name in enumerate(names):
        words.append(f'<text x="{left + 8}" y="{top + 29 + number * LINE_HIGH}" font-size="10">{name}</text>')
    shape = f'<rect x="{left}" y="{top}" width="{WIDE}" height="{high}" rx="4" fill="#fff" stroke="#345"/>'
    return f'<g font-family="sans-serif">{shape}{"".join(words)}</g>'


def drawn(root: Path) -> str:
    """What stands between the marks in the README now."""
    _, _, rest = (root / README).read_text(encoding="utf-8").partition(BEGIN)
    return rest.partition(END)[0].strip().removeprefix("```").removesuffix("```").strip("\n")


def redraw(root: Path) -> None:
    """Writes the lines and the picture. The README has the two marks."""
    tree, path = read_tree(root), root / README
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n```\n{text(tree)}\n```\n{END}{after}", encoding="utf-8")
    (root / PICTURE).parent.mkdir(exist_ok=True)
    (root / PICTURE).write_text(svg(tree), encoding="utf-8")


if __name__ == "__main__":
    redraw(ROOT)
    sys.exit(0)
