"""Check that every font size, distance, radius, outline and colour of the screen comes from `ui/scene/tokens.py`.

The test reads the code of the scene and the window without running it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from tests.ui.test_ui_legibility import LANGUAGES, SCREENS, placed_letters, scene_of
from ui.scene import Appearance, layout, tokens
from ui.scene.paint import draw_scene

UI: Final = Path(__file__).parents[2] / "ui"
TOKENS: Final = UI / "scene" / "tokens.py"
DATA_MODULES: Final = {"fonts.py": "widths of letters", "layout.py": "places of the elements on each panel"}
"""Modules whose numbers are data of another kind, each with its content. Colours are refused there as well."""
COLOUR: Final = re.compile(r"#([0-9a-fA-F]{3,4}){1,2}")
DESIGN_NAME: Final = re.compile(r"SIZE|PADDING|MARGIN|GAP|SPACE|RADIUS|OUTLINE|STROKE|COLOUR|DURATION")
"""Parts of the names of constants that must be tokens."""
OTHER_NAME: Final = re.compile(r"CACHE_SIZE$|RATIO$")
"""Names of constants that are no tokens: sizes of caches, and proportions of boxes."""
DESIGN_ARGUMENTS: Final = frozenset({"size", "font_size", "radius", "outline_width", "outline", "fill", "gap"})
DESIGN_CALLS: Final = frozenset({"inset", "Shape", "Text", "Icon", "Tone", "overlaps"})
"""Functions in which every argument is a distance, a size or a colour."""
DESIGN_VALUES: Final = re.compile(r"font_size|type_scale|gap|margin|padding|caption|line_height")
"""Parts of the names of values that are font sizes or distances."""
FREE_NUMBERS: Final = (-1, 0, 1, 2)
"""Numbers that stand for no design: nothing, a whole, a half, and rounding to a pixel."""
MAX_SIZES: Final = 6
"""Maximum number of font sizes on the dealer's screen of one panel. Before the type scale there were 49 and 43."""


def literals_in(code: str, *, is_data: bool = False) -> Iterator[str]:
    """Yield a line for each literal in the code that must be a token."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and COLOUR.fullmatch(node.value):
            yield f"line {node.lineno}: colour {node.value}"
    if is_data:
        return
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None and _has_number(statement):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            name = ast.unparse(target)
            if DESIGN_NAME.search(name) and not OTHER_NAME.search(name):
                yield f"line {statement.lineno}: constant {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            is_design = getattr(node.func, "id", getattr(node.func, "attr", "")) in DESIGN_CALLS
            values = [argument.value for argument in node.keywords if argument.arg in DESIGN_ARGUMENTS]
            values += [*node.args, *(argument.value for argument in node.keywords)] if is_design else []
            for number in {number for value in values for number in _numbers(value)}:
                yield f"line {node.lineno}: {number} as an argument"
        elif isinstance(node, ast.BinOp):
            for value, other in ((node.left, node.right), (node.right, node.left)):
                if DESIGN_VALUES.search(ast.unparse(other)):
                    yield from (f"line {node.lineno}: {number} with a size" for number in _numbers(value))


def _has_number(statement: ast.Assign | ast.AnnAssign) -> bool:
    return any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in ast.walk(statement))


def _numbers(value: ast.expr) -> list[float]:
    """Return the number that this expression is, unless it stands for no design."""
    if isinstance(value, ast.UnaryOp):
        return _numbers(value.operand)
    is_number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
    return [value.value] if is_number and value.value not in FREE_NUMBERS else []  # type: ignore[attr-defined]


def painters() -> list[Path]:
    """Return the modules of the scene and the window, without the tokens."""
    paths = [*(UI / "scene").rglob("*.py"), *(UI / "window").rglob("*.py")]
    return [path for path in sorted(paths) if path != TOKENS]


def test_painters_have_no_literal_sizes_distances_or_colours() -> None:
    faults = [
        f"{path.relative_to(UI)}: {fault}"
        for path in painters()
        for fault in literals_in(path.read_text(encoding="utf-8"), is_data=path.name in DATA_MODULES)
    ]
    assert faults == []


def test_every_token_is_used() -> None:
    names = [
        ast.unparse(node.target)
        for node in ast.parse(TOKENS.read_text(encoding="utf-8")).body
        if isinstance(node, ast.AnnAssign)
    ]
    code = "\n".join(path.read_text(encoding="utf-8") for path in (*UI.rglob("*.py"),))
    assert [name for name in names if len(re.findall(rf"\b{name}\b", code)) < 2] == []


@pytest.mark.parametrize("scale", [tokens.TEN_INCH_SCALE, tokens.SEVEN_INCH_SCALE])
def test_sizes_of_the_type_scale_differ_visibly(scale: tokens.TypeScale) -> None:
    assert all(larger / smaller >= 1.15 for smaller, larger in pairwise(scale))
    assert set(tokens.max_font_sizes(scale)) | set(tokens.max_font_sizes(scale, large_numbers=True)) <= set(scale)


@pytest.mark.parametrize("panel", layout.LAYOUTS, ids=lambda panel: panel.name)
@pytest.mark.parametrize("large_numbers", [False, True])
def test_every_text_of_every_view_has_a_size_of_the_scale(panel: layout.ScreenLayout, large_numbers: bool) -> None:
    shown = layout.adapted_layout(panel, left_handed=False, large_numbers=large_numbers)
    sizes = {
        text.size
        for language in LANGUAGES
        for name in SCREENS
        for _, text, _ in placed_letters(draw_scene(scene_of(name, Appearance(shown, language=language))))
    }
    assert sizes <= set(panel.type_scale)
    assert len([size for size in sizes if size <= panel.type_scale.total]) <= MAX_SIZES


# --- planted literals ---


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("def f(): return Tone('#a3111b', text)", "colour #a3111b"),
        ("def f(): return fitted_text(text, box, tone, appearance, size=33)", "33 as an argument"),
        ("def f(): return box.inset(5)", "5 as an argument"),
        ("def f(): return box.inset(-5, 0)", "5 as an argument"),
        ("def f(): return Shape(box, tone.background, radius=12.5)", "12.5 as an argument"),
        ("def f(): return layout.min_font_size * 0.7", "0.7 with a size"),
        ("def f(): return x + gap + 3", "3 with a size"),
        ("TILE_PADDING: Final = 5", "constant TILE_PADDING"),
        ("GLOW_RADIUS = 0.75", "constant GLOW_RADIUS"),
    ],
)
def test_planted_literal_is_caught(code: str, fault: str) -> None:
    assert [line.partition(": ")[2] for line in literals_in(code)] == [fault]


@pytest.mark.parametrize(
    "code",
    [
        "CACHE_SIZE: Final = 64",
        "NAV_WIDTH_RATIO: Final = 0.14",
        "def f(): return box.inset(TEXT_MARGIN, 0)",
        "def f(): return area.x + area.w / 2 - gap / 2",
    ],
)
def test_proportions_halves_and_tokens_are_allowed(code: str) -> None:
    assert [*literals_in(code)] == []
