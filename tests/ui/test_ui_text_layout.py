"""Check the layout of text: font sizes, line breaks and cuts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.scene import text_layout
from ui.scene.text_layout import (
    ELLIPSIS,
    LAST_LINE_HEIGHT,
    LINE_HEIGHT,
    fit_amount,
    fit_text,
    min_width,
    truncate,
    width,
)

TEXTS = st.text("ab $1,.W跟注", max_size=80)


@given(TEXTS, st.floats(60, 600), st.floats(24, 120))
@example("1" * 17, 100.0, 24.0)
def test_fitted_text_fits_its_place(text: str, max_width: float, max_height: float) -> None:
    fitted = fit_text(text, (40, 28, 24), max_width, max_height)
    lines = fitted.text.split("\n")
    assert fitted.size <= 40
    assert all(width(line) * fitted.size <= max_width + 0.01 for line in lines)
    assert len(lines) == 1 or ((len(lines) - 1) * LINE_HEIGHT + LAST_LINE_HEIGHT) * fitted.size <= max_height + 0.01


@given(TEXTS, st.floats(60, 600), st.floats(24, 120))
def test_text_is_below_the_minimum_size_only_for_a_wide_number(text: str, max_width: float, max_height: float) -> None:
    fitted = fit_text(text, (40, 28, 24), max_width, max_height)
    numbers = [word for word in text.split(" ") if any(letter.isdigit() for letter in word)]
    assert fitted.size >= 24 or any(width(word) * 24 > max_width for word in numbers)


@given(TEXTS, st.floats(60, 600), st.floats(24, 120))
def test_uncut_text_is_complete(text: str, max_width: float, max_height: float) -> None:
    fitted = fit_text(text, (40, 28, 24), max_width, max_height)
    if not fitted.is_truncated and ELLIPSIS not in text:
        assert "".join(fitted.text.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "max_width", "max_height", "expected"),
    [
        ("FOLD", 150, 60, "FOLD"),
        ("CALL FLOOR", 112, 67, "CALL\nFLOOR"),
        ("PUSH BACK $1,234,567.89 TO 3", 170, 107, "PUSH BACK\n$1,234,567.89\nTO 3"),
        ("raise to $1,234,567.89", 120, 24, "raise to…"),
        ("Maximiliane", 100, 26, "Maximi…"),
        ("轮到3号位行动", 100, 60, "轮到3号\n位行动"),
        ("弃牌，跟注", 73, 60, "弃牌，\n跟注"),
    ],
)
def test_lines_break_between_words_and_numbers_are_not_cut(
    text: str, max_width: float, max_height: float, expected: str
) -> None:
    assert fit_text(text, (28, 24), max_width, max_height).text == expected


@given(st.integers(0, 10**9), st.floats(10, 300))
def test_amount_is_one_line_reduced_to_fit(number: int, max_width: float) -> None:
    fitted = fit_amount(f"${number:,}", (40, 28, 24), max_width)
    assert fitted.text == f"${number:,}"
    assert width(fitted.text) * fitted.size <= max_width + 0.01


@given(TEXTS, st.floats(2, 20))
def test_truncated_text_fits_its_width(text: str, max_width: float) -> None:
    truncated = truncate(text, max_width)
    assert truncated == text or truncated.endswith(ELLIPSIS)
    assert width(truncated) <= max_width


@given(st.text("ab W", min_size=1, max_size=40), st.integers(1, 4))
def test_text_fits_its_minimum_width(text: str, lines: int) -> None:
    size = 24
    max_width = min_width(text, lines) * size + 0.1
    assert not fit_text(text, (size,), max_width, size * LINE_HEIGHT * lines + 1).is_truncated


@pytest.mark.parametrize(
    ("seats", "text"),
    [((), ""), ((3,), "3"), ((3, 4), "3 4"), ((3, 4, 5), "3-5"), ((1, 2, 3, 4, 6, 8, 9, 10), "1-4 6 8-10")],
)
def test_seat_lists_are_shortened_to_ranges(seats: tuple[int, ...], text: str) -> None:
    assert text_layout.format_seat_ranges(seats) == text


# --- limits of the caches ---

UI = Path(__file__).resolve().parents[2] / "ui"
UNBOUNDED_CACHES = {"_seat_boxes": "two layouts, ten numbers of seats", "adapted_layout": "eight layouts"}
"""Functions of `ui` that cache every result, each with the reason why there are only a few."""
MAX_CACHE_SIZE = 5000
"""Maximum size of any cache. The textures of texts are the largest results, with about 10 kB each."""


def cache_sizes(module: str) -> Iterator[tuple[str, ast.AST | None]]:
    """Yield the cached functions of a module with the size of the cache, or with None if it has no limit."""
    functions = [node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for decorator in function.decorator_list:
            name = ast.unparse(decorator).split("(", 1)[0].removeprefix("functools.")
            if name in ("cache", "lru_cache"):
                arguments = [*decorator.args, *decorator.keywords] if isinstance(decorator, ast.Call) else []
                size = arguments[0] if arguments else None
                yield function.name, size.value if isinstance(size, ast.keyword) else size


def unlimited_caches(module: str) -> set[str]:
    """Return the functions of a module whose cache has no limit, or one above `MAX_CACHE_SIZE`."""
    constants = {
        ast.unparse(target): ast.unparse(node.value)
        for node in ast.walk(ast.parse(module))
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    sizes = {name: ast.unparse(size) if size else "None" for name, size in cache_sizes(module)}
    sizes = {name: constants.get(size, size) for name, size in sizes.items()}
    return {name for name, size in sizes.items() if not size.isdigit() or int(size) > MAX_CACHE_SIZE}


def test_every_cache_of_the_screen_has_a_limit() -> None:
    modules = [path.read_text(encoding="utf-8") for path in sorted(UI.rglob("*.py"))]
    assert set().union(*map(unlimited_caches, modules)) == set(UNBOUNDED_CACHES)
    cached = {name for module in modules for name, _ in cache_sizes(module)}
    assert {"text_texture", "fit_text", "disc_texture"} <= cached


@pytest.mark.parametrize(
    "decorator", ["cache", "lru_cache", "lru_cache(None)", "functools.cache", "lru_cache(maxsize=10**6)"]
)
def test_planted_cache_without_a_limit_is_caught(decorator: str) -> None:
    assert unlimited_caches(f"@{decorator}\ndef texture(text): ...") == {"texture"}
    assert unlimited_caches("SIZE = 90\n@lru_cache(SIZE)\ndef texture(text): ...") == set()
