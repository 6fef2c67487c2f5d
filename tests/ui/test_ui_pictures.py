"""What the screen looks like is what somebody looked at: pictures of all states, compared letter by letter.

`make pictures` makes them anew after a change of words, layout or paint.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from controller.presenter.codes import CODES
from tests.ui.draw_pictures import STEP
from tests.ui.pictured import EVERYWHERE, KEPT, LOOKS, PLANTED, alerts, pictures, sheets

ROOT = Path(__file__).resolve().parents[2]
DRAWN = ROOT / "build" / "reference"
DRAWING_S = 120
"""Alone it takes 6 s."""
LEAST_STATES = 40
MOST_BYTES = 4_000_000

NEAR = STEP // 2 + 24
"""Levels by which a pixel may be off: half a step of the kept picture, and the edges of shapes and letters on another
processor. A letter has 100 levels to its ground, the least of them 70."""
KINDS = 8
"""Of letters with a digit, by size and paint, on a screen full of amounts."""
STRAY = 4
"""Pixels of a picture that may be off by more: corners of round shapes. A digit that is another one has 10 and more."""


def unlike(reference: Image.Image, drawn: Image.Image) -> int:
    """How many pixels differ in more than the processor that drew them; all of them where the sizes differ."""
    if reference.size != drawn.size:
        return reference.width * reference.height
    red, green, blue = ImageChops.difference(reference.convert("RGB"), drawn.convert("RGB")).split()
    return sum(ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram()[NEAR + 1 :])


@pytest.fixture(scope="module")
def drawn() -> dict[str, Path]:
    """What is drawn now, by name; where one digit is changed the name has a number as well."""
    for path in DRAWN.glob("*.png"):
        path.unlink()
    command = [sys.executable, "-m", "tests.ui.draw_pictures", str(DRAWN)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=DRAWING_S)
    return {path.stem: path for path in DRAWN.glob("*.png")}


@pytest.mark.screen
def test_every_state_looks_as_it_did_when_it_was_looked_at(drawn: dict[str, Path]) -> None:
    known = {path.stem: path for path in KEPT.glob("*.png")}
    states = {name: path for name, path in drawn.items() if "." not in name}
    assert states.keys() == known.keys(), "a state was added or taken away: make pictures"
    others = {name: unlike(Image.open(known[name]), Image.open(path)) for name, path in states.items()}
    assert {name: count for name, count in others.items() if count > STRAY} == {}, "look at build/reference"


@pytest.mark.screen
@pytest.mark.parametrize("name", PLANTED)
def test_one_changed_digit_is_noticed(name: str, drawn: dict[str, Path]) -> None:
    known = Image.open(KEPT / f"{name}.png")
    changed = {other: unlike(known, Image.open(path)) for other, path in drawn.items() if other.startswith(f"{name}.")}
    assert len(changed) >= KINDS
    assert {other: count for other, count in changed.items() if count <= STRAY} == {}


def test_all_is_pictured() -> None:
    """At least forty states; every alert; sizes, themes and languages in all ways."""
    whole = pictures()
    assert len({picture.sample.name for picture in whole}) >= LEAST_STATES
    assert {picture.look for picture in whole} == set(LOOKS)
    for state in EVERYWHERE:
        assert {picture.look for picture in whole if picture.sample.name == state} == set(LOOKS)
    assert {alert.code for _, some in alerts() for alert in some} == set(CODES)
    assert {look.language for look, _ in alerts()} == {"en", "de", "zh"}
    names = [picture.name for picture in whole] + [name for name, _, _ in sheets()]
    assert sorted(path.stem for path in KEPT.glob("*.png")) == sorted(names)


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in KEPT.glob("*.png")) <= MOST_BYTES
