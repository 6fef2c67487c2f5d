"""Check that the SVG of every reference view has the texts and shapes of the window's drawing at the same places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.ui.reference_states import ReferencePicture, reference_pictures
from ui.scene import paint
from ui.scene.layout import ScreenLayout
from ui.web.svg import svg_document, svg_groups

PICTURES = tuple(reference_pictures())
TOLERANCE_PX = 0.011
"""Maximum difference of a coordinate in pixels. The SVG rounds coordinates to hundredths of a pixel."""
X_OF_ALIGNMENT = {"start": lambda box: box.x, "middle": lambda box: box.cx, "end": lambda box: box.right}
NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawing_of(picture: ReferencePicture) -> paint.Drawing:
    return paint.draw_scene(picture.sample.scene(picture.appearance))


def misplaced_texts(groups: Mapping[str, str], drawing: paint.Drawing, layout: ScreenLayout) -> list[str]:
    """Return the lines of text that are missing, left over, or outside the box that the drawing gives them."""
    expected = [
        (line, text)
        for primitives in drawing.values()
        for text in primitives
        if isinstance(text, paint.Text) and text.text
        for line in text.text.split("\n")
    ]
    elements = [element for group in groups.values() for element in ElementTree.fromstring(group).iter("text")]
    wrong = []
    for element in elements:
        y = layout.height - float(element.get("y", "nan"))
        match = next(
            (
                (line, text)
                for line, text in expected
                if line == (element.text or "")
                and abs(X_OF_ALIGNMENT[element.get("text-anchor", "")](text.box) - float(element.get("x", "nan")))
                < TOLERANCE_PX
                and text.box.y - text.size / 4 <= y <= text.box.top
                and float(element.get("font-size", 0)) == pytest.approx(text.size, abs=TOLERANCE_PX)
                and element.get("fill") == text.colour
            ),
            None,
        )
        if match is None:
            wrong.append(f"left over or misplaced: {element.text}")
        else:
            expected.remove(match)
    return [*wrong, *(f"missing: {line}" for line, _ in expected)]


def count_elements(groups: Mapping[str, str]) -> Counter[str]:
    return Counter(element.tag for group in groups.values() for element in ElementTree.fromstring(group).iter())


def count_primitives(drawing: paint.Drawing) -> Counter[str]:
    """Return how many elements of each kind the SVG must have."""
    counts: Counter[str] = Counter(g=len(drawing))
    for primitives in drawing.values():
        for item in primitives:
            match item:
                case paint.Text():
                    counts["text"] += item.text.count("\n") + 1 if item.text else 0
                case paint.Icon():
                    counts["g"] += 1
                    counts["polyline"] += len(paint.ICON_LINES[item.name])
                case paint.Shape(kind="disc"):
                    counts["circle"] += 1
                case paint.Shape(kind="triangle"):
                    counts["polygon"] += 2
                case paint.Shape():
                    counts["rect"] += 1
    return counts


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_svg_has_every_text_and_shape_of_the_drawing_at_its_place(picture: ReferencePicture) -> None:
    drawing, layout = drawing_of(picture), picture.appearance.layout
    groups = svg_groups(drawing, layout)
    assert misplaced_texts(groups, drawing, layout) == []
    assert count_elements(groups) == count_primitives(drawing)
    assert len(groups) == len(drawing), "two parts have the same identifier"
    document = ElementTree.fromstring(svg_document(drawing, layout, picture.appearance.theme.background))
    assert document.get("viewBox") == f"0 0 {layout.width} {layout.height}"
    assert len(document.findall(f"{NAMESPACE}g")) == len(drawing)


def test_planted_missing_text_and_moved_text_are_found() -> None:
    picture = PICTURES[0]
    drawing, layout = drawing_of(picture), picture.appearance.layout
    part, text = next(
        (part, item)
        for part, primitives in drawing.items()
        for item in primitives
        if isinstance(item, paint.Text) and item.text
    )
    left_out = {**drawing, part: tuple([item for item in drawing[part] if item is not text])}
    moved = text._replace(box=replace(text.box, x=text.box.x + 1))
    shifted = {**drawing, part: tuple([moved if item is text else item for item in drawing[part]])}
    for planted in (left_out, shifted):
        assert misplaced_texts(svg_groups(planted, layout), drawing, layout)


def test_text_with_markup_is_escaped() -> None:
    picture = PICTURES[0]
    drawing = drawing_of(picture)
    part, primitives = next(iter(drawing.items()))
    text = next(item for items in drawing.values() for item in items if isinstance(item, paint.Text))
    hostile = text._replace(text='<script>alert("&")</script>', colour='"/><script>')
    group = svg_groups({part: (*primitives, hostile)}, picture.appearance.layout)
    (markup,) = group.values()
    assert "<script" not in markup
    assert ElementTree.fromstring(markup) is not None
