"""All that is drawn, walked through in both sizes, themes and all languages: letters, numbers, contrast, targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, get_args

import msgspec
import pytest

from controller.view import Money, PotView, SeatView, TableView
from controller.words import Language
from tests.ui import pictured
from tests.ui.vision import contrast
from ui.samples import Sample, samples
from ui.scene import Box, Look, Scene, lay_out, lay_out_players, layout, letters, theme
from ui.scene.paint import Drawing, Layer, Part, Text, draw
from ui.state import NamedKey, Screen, press, show

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
LARGEST: Final = 999_999_999
"""9,999,999.99."""
LONG_NAME: Final = "Maximiliane Wunderli"
PANELS: Final = pytest.mark.parametrize("panel", layout.LAYOUTS, ids=lambda panel: panel.name)
LANGUAGE: Final = pytest.mark.parametrize("language", LANGUAGES)
CAPITALS: Final = 0.72
"""Height of capitals and figures, in letter sizes."""
MOST_OVERLAP: Final = 2
"""Pixels: letters are measured to hundredths of their size."""


class Found(NamedTuple):
    """One text that is drawn, and where its letters are."""

    part: Part
    text: Text
    letters: Box


def worst() -> TableView:
    """Ten seats with names of 20 letters, nine pots, every amount at its largest."""
    numbers = range(1, 11)
    seats = tuple(
        [
            SeatView(
                seat=number,
                name=LONG_NAME,
                status="to-act" if number == 10 else "all-in",
                stack=LARGEST,
                bet=LARGEST,
                bet_source="sensed",
                due_back=LARGEST if number % 2 else 0,
                owes=LARGEST if number == 10 else 0,
                button=number == 3,
                tray="ok",
            )
            for number in numbers
        ]
    )
    pots = [PotView(name="main", amount=LARGEST, seats=tuple(numbers))]
    pots += [PotView(name=f"side{n}", amount=LARGEST, seats=tuple(_without(n))) for n in range(1, 9)]
    view = VIEWS["pot-limit"].view
    return msgspec.structs.replace(
        view,
        money=Money(prefix="$", decimals=2),
        seats=seats,
        pots=tuple(pots),
        pot=LARGEST,
        turn=10,
        to_call=LARGEST,
        min_raise_to=LARGEST,
        max_raise_to=LARGEST,
        button=3,
    )


def _without(out: int) -> list[int]:
    """Who is left when that many have no more chips: as few runs of numbers as can be."""
    order = [2, 4, 6, 8, 1, 9, 3, 7]
    return [seat for seat in range(1, 11) if seat not in order[:out]]


VIEWS: Final = {sample.name: sample for sample in samples()} | {
    name: Sample(name, view, touches) for name, (view, touches) in pictured.tables().items()
}
SCREENS: Final = (*VIEWS, "worst")


@cache
def screen(name: str) -> Screen:
    if name == "worst":
        return show(Screen(), worst())
    return VIEWS[name].screen


def laid_out(name: str, look: Look) -> Scene:
    """What is shown of it: to the dealer, or where the sample says so to the players."""
    sample = VIEWS.get(name)
    return (lay_out_players if sample and sample.players else lay_out)(screen(name), look)


def extent(text: Text) -> Box:
    """Where its letters are, from the feet of the last line to the capitals of the first."""
    lines = text.words.split("\n")
    width = max(letters.width(line) for line in lines) * text.size
    height = ((len(lines) - 1) * letters.LINE + CAPITALS) * text.size
    free = text.box.w - width
    x = text.box.x + (0 if text.align == "left" else free if text.align == "right" else free / 2)
    return Box(x, text.box.cy - height / 2, width, height)


def texts(drawing: Drawing) -> list[Found]:
    marks = [(part, mark) for part, marks in drawing.items() for mark in marks]
    return [Found(part, mark, extent(mark)) for part, mark in marks if isinstance(mark, Text) and mark.words]


def too_small(found: list[Found], panel: layout.Layout) -> list[str]:
    """Letters under the least size, numbers that are cut, words that reach out of their place or off the screen."""
    out = []
    for part, text, box in found:
        if text.size < panel.text - 0.01:
            out.append(f"{part.name}: {text.words!r} in {text.size:.1f}")
        if text.number and text.cut:
            out.append(f"{part.name}: {text.words!r} is cut")
        if box.w > text.box.w + MOST_OVERLAP or not panel.screen.holds(box):
            out.append(f"{part.name}: {text.words!r} reaches out of its place")
    return out


def on_others(found: list[Found]) -> list[str]:
    """Words that lie on other words."""
    out = []
    boxes = [(one, one.letters.inner(MOST_OVERLAP)) for one in found if one.part.name != "veil"]
    boxes.sort(key=lambda pair: pair[1].x)
    for at, (one, box) in enumerate(boxes):
        for other, against in boxes[at + 1 :]:
            if against.x >= box.right:
                break
            if against.y < box.top and box.y < against.top:
                out.append(f"{one.part.name}: {one.text.words!r} on {other.part.name}: {other.text.words!r}")
    return out


def faint(found: list[Found]) -> list[str]:
    """Numbers under 7:1 to their ground, other words under 4.5:1."""
    out = []
    for part, text, _ in found:
        is_number = text.number or any(letter.isdigit() for letter in text.words)
        least = 7 if is_number and text.ink not in OFF else 4.5
        if _contrast(text.on, text.ink) < least:
            out.append(f"{part.name}: {text.words!r} at {_contrast(text.on, text.ink):.1f}")
    return out


_contrast = cache(contrast)
OFF: Final = {one.tones["off"].ink for one in theme.THEMES.values()}
"""Letters of keys that do nothing now: what stands on them stands elsewhere, too."""


@PANELS
@LANGUAGE
def test_letters_are_large_enough_and_nothing_lies_on_words(panel: layout.Layout, language: Language) -> None:
    faults = []
    for name in SCREENS:
        found = texts(draw(laid_out(name, Look(panel, language=language))))
        faults += [f"{name}: {fault}" for fault in (*too_small(found, panel), *on_others(found))]
    assert faults == []


@pytest.mark.parametrize("paint", theme.THEMES.values(), ids=theme.THEMES)
def test_all_that_is_drawn_stands_out_from_its_ground(paint: theme.Theme) -> None:
    faults = []
    for name in SCREENS:
        found = texts(draw(laid_out(name, Look(theme=paint))))
        faults += [f"{name}: {fault}" for fault in faint(found)]
    assert faults == []


@PANELS
def test_whatever_can_be_touched_is_large_enough_and_apart(panel: layout.Layout) -> None:
    for name in SCREENS:
        boxes = [one.box for one in laid_out(name, Look(panel)).touchables]
        for at, box in enumerate(boxes):
            assert min(box.w, box.h) >= panel.target - 0.01, (name, box)
            assert panel.screen.holds(box), (name, box)
            assert not any(box.overlaps(other) for other in boxes[at + 1 :]), (name, box)


@PANELS
def test_nine_pots_of_ten_seats_are_told_in_whole_numbers(panel: layout.Layout) -> None:
    found = texts(draw(lay_out(screen("worst"), Look(panel))))
    centre = [text for part, text, _ in found if part.name == "centre"]
    assert [text.words for text in centre].count("$9,999,999.99") == 10  # the pot, and nine of it


def test_names_are_cut_and_never_smaller() -> None:
    found = texts(draw(lay_out(screen("worst"), Look(layout.SEVEN))))
    names = [text for _, text, _ in found if text.words.startswith("Maxi")]
    assert names
    assert all(text.words.endswith(letters.MORE) and text.size == layout.SEVEN.text for text in names)


@PANELS
@LANGUAGE
def test_only_names_and_the_last_step_are_cut(panel: layout.Layout, language: Language) -> None:
    faults = []
    for name in SCREENS:
        sample = VIEWS.get(name)
        given = {*named(msgspec.to_builtins(screen(name).view)), *named(msgspec.to_builtins(sample and sample.answer))}
        for part, text, _ in texts(draw(laid_out(name, Look(panel, language=language)))):
            is_name = any(one.startswith(text.words.removesuffix(letters.MORE)) for one in given)
            if text.cut and not is_name and part.name != "told":
                faults.append(f"{name}: {part.name}: {text.words!r}")
    assert faults == []


@PANELS
@LANGUAGE
def test_every_alert_and_its_rule_are_told_in_whole(panel: layout.Layout, language: Language) -> None:
    view = msgspec.structs.replace(VIEWS["pot-limit"].view, money=Money(prefix="$", decimals=2))
    faults = []
    for alert in (alert for _, some in pictured.alerts() for alert in some):
        told = show(Screen(), msgspec.structs.replace(view, alerts=(alert,)))
        both = (told, press(told, NamedKey.RULE)[0]) if alert.rule else (told,)
        for one in both:
            drawing = draw(lay_out(one, Look(panel, language=language)))
            found = texts({part: marks for part, marks in drawing.items() if part.name == "band"})
            faults += [f"{alert.code}: {text.words!r}" for _, text, _ in found if text.cut]
            faults += [f"{alert.code}: {fault}" for fault in too_small(found, panel)]
    assert faults == []


def named(value: object) -> Iterator[str]:
    """The names in a view or a page."""
    if isinstance(value, Mapping):
        yield from (one for key, one in value.items() if key == "name" and one)
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from named(one)


# --- planted faults ---


def planted(**changes: object) -> list[Found]:
    """One good text, with these things about it changed."""
    good = Text("$100", Box(100, 100, 200, 40), 24, "#ffffff", "#000000", number=True)
    text = good._replace(**changes)  # type: ignore[arg-type]
    return [Found(Part(Layer.TABLE, "planted"), text, extent(text))]


@pytest.mark.parametrize(
    "changes",
    [{"size": 23}, {"cut": True}, {"box": Box(100, 100, 40, 40)}, {"box": Box(1200, 100, 200, 40), "align": "right"}],
)
def test_a_text_that_is_too_small_cut_or_out_of_place_would_be_found(changes: dict[str, object]) -> None:
    assert too_small(planted(), layout.TEN) == []
    assert too_small(planted(**changes), layout.TEN) != []


def test_words_on_words_would_be_found() -> None:
    beside = planted(words="$200", box=Box(320, 100, 200, 40))
    assert on_others(planted() + beside) == []
    assert on_others(planted() + planted(words="$200")) != []


def test_a_faint_number_would_be_found() -> None:
    assert faint(planted()) == []
    assert faint(planted(ink="#888888")) != []
