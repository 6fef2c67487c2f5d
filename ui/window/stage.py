"""The whole screen: takes a scene, paints it, and hands the touches that count on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.widget import Widget

from ui.scene import Scene, TouchJudge, layout, theme
from ui.state import Target
from ui.window.band import Band
from ui.window.centre import Felt, PotNumber, SidePots
from ui.window.panel import EntryPanel, KeyPanel, LinePanel, NumberPanel, Panel, StripPanel
from ui.window.seat import SeatTile, Spot

Builder.load_file(str(Path(__file__).with_name("stage.kv")))


class Veil(Widget):
    """Lies over the last view while it is not live, and says so."""

    title = StringProperty()
    words = StringProperty()


class Stage(Widget):
    """Everything, in the design's 1280 x 800 pixels, scaled as a whole to any other window."""

    scale = NumericProperty(1)
    left_margin = NumericProperty(0)
    low_margin = NumericProperty(0)

    def __init__(self, touched: Callable[[Target | None], None], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._touched = touched
        self._judge = TouchJudge()
        self._scene = Scene(live=False)
        self._keys: dict[Target, KeyPanel] = {}
        self._tiles: list[SeatTile] = []
        self._spots: list[Spot] = []
        self._numbers = [NumberPanel() for _ in layout.NUMBERS]
        self._strip, self._told, self._street = StripPanel(), LinePanel(), LinePanel()
        self._band, self._pot, self._sides, self._entry = Band(), PotNumber(), SidePots(), EntryPanel()
        self._low, self._high, self._veil = Widget(), Widget(), Veil()
        self._build()
        self.bind(size=self._fit)

    def _build(self) -> None:
        for part, box in (
            (self._strip, layout.STRIP),
            (self._band, layout.BAND),
            (self._street, layout.STREET),
            (self._told, layout.TOLD),
        ):
            part.put(box)
        self._street.letters = theme.SIZES["street"]
        self._street.ground = (0, 0, 0, 0)
        self._told.letters = theme.SIZES["told"]
        self._entry.paint("number")
        for number, box in zip(self._numbers, layout.NUMBERS, strict=True):
            number.put(box)
        parts = (Felt(), self._low, self._pot, self._sides, self._street, self._told, self._strip, self._band)
        for part in (*parts, self._high):
            self.add_widget(part)

    def _fit(self, *_: object) -> None:
        self.scale = min(self.width / layout.WIDTH, self.height / layout.HEIGHT)
        self.left_margin = (self.width - layout.WIDTH * self.scale) / 2
        self.low_margin = (self.height - layout.HEIGHT * self.scale) / 2

    def show(self, scene: Scene, *, by_touch: bool = False) -> None:
        """Paints the scene; only what differs from the one before is drawn anew."""
        if not by_touch:
            self._judge.changed(self._scene.touchables, _now_us())
        self._scene = scene
        self._seats(scene)
        self._strip.left, self._strip.far = scene.strip
        self._band.show(scene.band, scene.words_box)
        self._street.words = scene.street
        self._pot.word, self._pot.amount = scene.pot
        self._pot.put(layout.POT if scene.sides else layout.LONE_POT)
        self._sides.show(scene.sides, scene.side_boxes)
        self._told.words, tone = scene.told
        self._told.paint(tone)
        if tone == "calm":
            self._told.ground = (0, 0, 0, 0)
        self._number_panels(scene)
        self._entry_field(scene)
        self._key_panels(scene)
        self._veil_over(scene)
        Window.canvas.ask_update()

    def _seats(self, scene: Scene) -> None:
        places = layout.places(len(scene.seats))
        while len(self._tiles) < len(places):  # kept for good: making one takes longer than drawing a frame
            self._spots.append(Spot())
            self._tiles.append(SeatTile())
        for index, (spot, tile) in enumerate(zip(self._spots, self._tiles, strict=True)):
            for part in (spot, tile):
                _present(self._low, part, there=index < len(places))
        for tile, place, face in zip(self._tiles, places, scene.seats, strict=False):
            tile.put(place.tile)
            tile.show(face)
        for spot, place, spot_face in zip(self._spots, places, scene.spots, strict=False):
            spot.put(place.spot)
            spot.show(spot_face)

    def _number_panels(self, scene: Scene) -> None:
        for index, number in enumerate(self._numbers):
            _present(self._high, number, there=index < len(scene.numbers))
            if index < len(scene.numbers):
                face = scene.numbers[index]
                number.paint(face.tone)
                number.word, number.amount, number.note = face.word, face.amount, face.note
                if any(one.box == layout.NUMBERS[index] for one in scene.touchables):
                    number.edge, number.edge_width = theme.INK, 3

    def _entry_field(self, scene: Scene) -> None:
        _present(self._high, self._entry, there=scene.entry is not None)
        if scene.entry is not None:
            self._entry.put(scene.entry.box)
            self._entry.title, self._entry.value = scene.entry.title, scene.entry.value
            self._entry.hint = scene.entry.hint

    def _key_panels(self, scene: Scene) -> None:
        pressed = self._judge.pressed
        wanted = {placed.target: placed for placed in scene.keys}
        for target, panel in self._keys.items():
            _present(self._high, panel, there=target in wanted)
        for target, placed in wanted.items():
            if target not in self._keys:
                self._keys[target] = KeyPanel()
                self._high.add_widget(self._keys[target])
            panel = self._keys[target]
            panel.put(placed.box)
            panel.label, panel.detail = placed.label, placed.detail
            down = pressed is not None and pressed.target == target
            panel.paint("pressed" if down else placed.tone if placed.enabled and scene.live else "off")

    def _veil_over(self, scene: Scene) -> None:
        _present(self, self._veil, there=not scene.live)
        self._veil.title, self._veil.words = scene.veil

    def _finger(self, touch: Any) -> tuple[float, float, float]:
        """Place in the design's pixels and size of the patch, where the panel tells it."""
        size = 0.0
        if "shape" in touch.profile and getattr(touch, "shape", None) is not None:
            size = max(getattr(touch.shape, "width", 0), getattr(touch.shape, "height", 0)) / self.scale
        x, y = touch.pos
        return (x - self.left_margin) / self.scale, (y - self.low_margin) / self.scale, size

    def on_touch_down(self, touch: Any) -> bool:
        """A finger (or the mouse) came down."""
        if getattr(touch, "is_mouse_scrolling", False):
            return True
        x, y, size = self._finger(touch)
        self._judge.down(touch.uid, x, y, _now_us(), self._scene.touchables, size=size)
        self._key_panels(self._scene)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """A finger moved."""
        x, y, size = self._finger(touch)
        before = self._judge.pressed
        self._judge.move(touch.uid, x, y, size=size)
        if before != self._judge.pressed:
            self._key_panels(self._scene)
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """A finger left: what it touched, if it counts, goes on."""
        x, y, _ = self._finger(touch)
        outcome = self._judge.up(touch.uid, x, y, _now_us(), self._scene.touchables)
        self._key_panels(self._scene)
        if outcome.target is not None or outcome.stale:
            self._touched(outcome.target)
        return True


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _present(parent: Widget, child: Panel, *, there: bool) -> None:
    """Adds the child to its parent or takes it off, if that is not so already."""
    if there and child.parent is None:
        parent.add_widget(child)
    elif not there and child.parent is not None:
        parent.remove_widget(child)
