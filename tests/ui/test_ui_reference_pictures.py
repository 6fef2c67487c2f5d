"""Check that the picture of every state matches its reference picture, which a person has checked.

Run `make pictures` after a change of texts, layout or colours.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from controller.presenter.alert_codes import ALERT_TYPES
from tests.ui.draw_reference_pictures import LEVEL_STEP
from tests.ui.reference_states import (
    APPEARANCES,
    CHANGED_DIGIT_PICTURES,
    IN_ALL_APPEARANCES,
    README_PICTURES,
    REFERENCE_FOLDER,
    alert_sheets,
    alerts_by_appearance,
    reference_pictures,
)
from ui.scene import tokens

ROOT = Path(__file__).resolve().parents[2]
OUTPUT_FOLDER = ROOT / "build" / "reference"
DRAWING_TIMEOUT_S = 300
"""Maximum time in seconds to draw all pictures. On an idle machine it takes 6 s."""
SHEETS = "components-*.png"
"""Names of the sheets of all components, which the page `ui/components.md` shows."""
PIXEL_OF_A_KEY = (40, 545)
"""A pixel of the first key on a sheet, beside its label."""
MIN_STATES = 40
MAX_BYTES = 4_000_000

MAX_LEVEL_DIFFERENCE = LEVEL_STEP // 2 + 24
"""Maximum difference between the pixels of a picture and its reference, in levels of red, green or blue (0 to 255).

Differences arise when a picture is saved with fewer colours, and when another processor draws the edges of shapes. The
difference between a letter and its background is at least 70 levels, and usually 100.
"""
MIN_CHANGED_DIGITS = 8
"""Minimum number of changed digits in a screen full of amounts, each in another font size or other colours."""
MAX_DIFFERENT_PIXELS = 4
"""Maximum number of pixels that may differ from a reference picture, for example at the corners of round shapes.

A wrong digit changes at least 10 pixels.
"""


def count_different_pixels(reference: Image.Image, drawn: Image.Image) -> int:
    """Return the number of pixels that differ by more than `MAX_LEVEL_DIFFERENCE`.

    If the sizes differ, count all pixels.
    """
    if reference.size != drawn.size:
        return reference.width * reference.height
    red, green, blue = ImageChops.difference(reference.convert("RGB"), drawn.convert("RGB")).split()
    return sum(ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram()[MAX_LEVEL_DIFFERENCE + 1 :])


@pytest.fixture(scope="module")
def drawn_pictures() -> dict[str, Path]:
    """Draw all pictures and return their paths by name.

    The name of a picture with a changed digit ends with a number.
    """
    for path in OUTPUT_FOLDER.glob("*.png"):
        path.unlink()
    command = [sys.executable, "-m", "tests.ui.draw_reference_pictures", str(OUTPUT_FOLDER)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=DRAWING_TIMEOUT_S)
    return {path.stem: path for path in OUTPUT_FOLDER.glob("*.png")}


@pytest.mark.screen
def test_every_state_matches_its_reference_picture(drawn_pictures: dict[str, Path]) -> None:
    references = {path.stem: path for path in (*REFERENCE_FOLDER.glob("*.png"), *README_PICTURES.glob(SHEETS))}
    states = {name: path for name, path in drawn_pictures.items() if "." not in name}
    assert states.keys() == references.keys(), "a state was added or removed: run `make pictures`"
    differences = {
        name: count_different_pixels(Image.open(references[name]), Image.open(path)) for name, path in states.items()
    }
    assert {name: count for name, count in differences.items() if count > MAX_DIFFERENT_PIXELS} == {}, (
        "compare with the pictures in build/reference"
    )


@pytest.mark.screen
@pytest.mark.parametrize("name", [f"components-{theme}" for theme in tokens.THEMES])
def test_planted_other_colour_of_a_component_is_caught(name: str, drawn_pictures: dict[str, Path]) -> None:
    reference, drawn = Image.open(README_PICTURES / f"{name}.png"), Image.open(drawn_pictures[name]).convert("RGB")
    assert count_different_pixels(reference, drawn) <= MAX_DIFFERENT_PIXELS
    ImageDraw.floodfill(drawn, PIXEL_OF_A_KEY, (0, 0, 200))
    assert count_different_pixels(reference, drawn) > MAX_DIFFERENT_PIXELS


@pytest.mark.screen
@pytest.mark.parametrize("name", CHANGED_DIGIT_PICTURES)
def test_planted_changed_digit_is_caught(name: str, drawn_pictures: dict[str, Path]) -> None:
    reference = Image.open(REFERENCE_FOLDER / f"{name}.png")
    differences = {
        changed_name: count_different_pixels(reference, Image.open(path))
        for changed_name, path in drawn_pictures.items()
        if changed_name.startswith(f"{name}.")
    }
    assert len(differences) >= MIN_CHANGED_DIGITS
    assert {changed_name: count for changed_name, count in differences.items() if count <= MAX_DIFFERENT_PIXELS} == {}


def test_every_state_and_alert_has_a_reference_picture() -> None:
    """Check that the pictures cover forty states, every alert, and every combination of size, theme and language."""
    pictures = reference_pictures()
    assert len({picture.sample.name for picture in pictures}) >= MIN_STATES
    assert {picture.appearance for picture in pictures} == set(APPEARANCES)
    for state in IN_ALL_APPEARANCES:
        assert {picture.appearance for picture in pictures if picture.sample.name == state} == set(APPEARANCES)
    assert {alert.code for _, alerts in alerts_by_appearance() for alert in alerts} == set(ALERT_TYPES)
    assert {appearance.language for appearance, _ in alerts_by_appearance()} == {"en", "de", "zh"}
    names = [picture.name for picture in pictures] + [name for name, _, _ in alert_sheets()]
    assert sorted(path.stem for path in REFERENCE_FOLDER.glob("*.png")) == sorted(names)


def test_reference_pictures_are_small_files() -> None:
    assert sum(path.stat().st_size for path in REFERENCE_FOLDER.glob("*.png")) <= MAX_BYTES
