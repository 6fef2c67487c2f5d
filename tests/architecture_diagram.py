"""Draw the imports between the parts of the program.

`python -m tests.architecture_diagram` writes a text into controller/README.md and a picture into the folder build.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.architecture_rules import LAYERS, layer_of, part_of
from tests.import_graph import PACKAGES, ROOT, Module, is_within, read_modules

COMMAND = "python -m tests.architecture_diagram"
BEGIN_MARK, END_MARK = f"<!-- from here drawn by `{COMMAND}` -->", "<!-- to here -->"
README = Path("controller") / "README.md"
PICTURE = Path("build") / "architecture.svg"

BOX_WIDTH, BOX_HEIGHT, GAP = 150, 22, 34
LINE_HEIGHT = 12


def part_imports(tree: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return for each part the parts that it imports.

    All parts are in the order of their layers, from the top down.
    """
    imported: dict[str, set[str]] = {}
    for module in tree.values():
        targets = imported.setdefault(part_of(module.name), set())
        targets |= {part_of(item.target) for item in module.imports if item.target in tree}
    names = sorted((name for name in imported if layer_of(name) is not None), key=lambda name: (layer_of(name), name))
    return {name: [other for other in names if other in imported[name] and other != name] for name in names}


def render_text(tree: Mapping[str, Module]) -> str:
    """Return one line for each part of the controller, with the parts that it imports.

    The lines go from the top layer down. Each of the other packages, such as `ui`, is one part.
    """
    used = part_imports(tree)
    above = [name for part, others in used.items() if is_within(part, "ui") for name in _short(others)]
    rows: dict[str, list[str]] = {"ui": [name for name in dict.fromkeys(above) if name != "ui"]}
    for name in (name for names in LAYERS["controller"] for name in names):
        rows[name] = _short(used.get(f"controller.{name}", []))
    width = max(map(len, rows))
    return "\n".join(f"{name:{width}} ──> {', '.join(others) or '-'}" for name, others in rows.items())


def _short(parts: list[str]) -> list[str]:
    """Return the short names of these parts, each once.

    A part outside the controller has the name of its package.
    """
    names = [part.partition(".")[2] if is_within(part, "controller") else part.partition(".")[0] for part in parts]
    return list(dict.fromkeys(names))


def render_svg(tree: Mapping[str, Module]) -> str:
    """Return a picture of the packages in SVG. Each layer is a row, and each part is a box with its modules.

    Each line leads downwards from a part to a part that it imports. There is no line to a part that can also be reached
    over a third part.
    """
    used = part_imports(tree)
    modules = {part: [name for name in tree if part_of(name) == part and not tree[name].is_package] for part in used}
    rows = [
        row
        for package in PACKAGES
        for names in LAYERS[package]
        if (row := [part for part in (f"{package}.{name}".rstrip(".") for name in names) if part in used])
    ]
    boxes: dict[str, tuple[int, int, int]] = {}
    columns = max(map(len, rows), default=1)
    top, width = GAP, columns * (BOX_WIDTH + GAP) + GAP
    for number, row in enumerate(rows):
        left = GAP + number % (columns - len(row) + 1) * (BOX_WIDTH + GAP)
        for column, part in enumerate(row):
            boxes[part] = (left + column * (BOX_WIDTH + GAP), top, BOX_HEIGHT + LINE_HEIGHT * len(modules[part]))
        top += max(boxes[part][2] for part in row) + GAP
    lines = [_arrow(boxes[part], boxes[other]) for part, other in _direct(used)]
    box_shapes = [_box(part, boxes[part], modules[part]) for part in boxes]
    size = f'width="{width}" height="{top}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *lines, *box_shapes, "</svg>", ""])


def _direct(used: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return the pairs of importing and imported part that need a line in the picture.

    A pair needs no line if the first part also imports a third part that needs the second part.
    """
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
    x, y = begin[0] + BOX_WIDTH // 2, begin[1] + begin[2]
    to_x, to_y = end[0] + BOX_WIDTH // 2, end[1]
    bend = (y + to_y) // 2
    return f'<path d="M{x} {y} C{x} {bend} {to_x} {bend} {to_x} {to_y}" fill="none" stroke="#9ab"/>'


def _box(part: str, box: tuple[int, int, int], modules: list[str]) -> str:
    left, top, high = box
    names = [name.removeprefix(f"{part}.") for name in modules if name != part]
    labels = [f'<text x="{left + 8}" y="{top + 15}" font-size="12" font-weight="bold">{part}</text>']
    for number, name in enumerate(names):
        labels.append(f'<text x="{left + 8}" y="{top + 29 + number * LINE_HEIGHT}" font-size="10">{name}</text>')
    shape = f'<rect x="{left}" y="{top}" width="{BOX_WIDTH}" height="{high}" rx="4" fill="#fff" stroke="#345"/>'
    return f'<g font-family="sans-serif">{shape}{"".join(labels)}</g>'


def current_text(root: Path) -> str:
    """Return the text that is now between the two marker comments in controller/README.md."""
    _, _, rest = (root / README).read_text(encoding="utf-8").partition(BEGIN_MARK)
    return rest.partition(END_MARK)[0].strip().removeprefix("```").removesuffix("```").strip("\n")


def update_diagram(root: Path) -> None:
    """Write the text between the two marker comments in controller/README.md, and write the picture."""
    tree, path = read_modules(root), root / README
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN_MARK)
    _, _, after = rest.partition(END_MARK)
    path.write_text(f"{before}{BEGIN_MARK}\n```\n{render_text(tree)}\n```\n{END_MARK}{after}", encoding="utf-8")
    (root / PICTURE).parent.mkdir(exist_ok=True)
    (root / PICTURE).write_text(render_svg(tree), encoding="utf-8")


if __name__ == "__main__":
    update_diagram(ROOT)
    sys.exit(0)
