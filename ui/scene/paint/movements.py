"""What moves from one scene to the next: the glow of the turn to the next seat, and collected bets into the pot.

The movements are data. The window draws them above the scene, which already shows the result.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ui.scene.boxes import Box
from ui.scene.paint.primitives import Shape
from ui.scene.scene import Scene
from ui.scene.tokens import GLOW_RADIUS

TURN: Final = "turn"
"""Name of the colours of the seat in turn."""


class Movement(NamedTuple):
    """A shape that moves from its own box to another box."""

    shape: Shape
    end: Box

    def at(self, progress: float) -> Shape:
        """Return the shape on its way. `progress` is from 0 to 1, and the movement slows down at its end."""
        share, start, end = 1 - (1 - progress) ** 2, self.shape.box, self.end
        return self.shape._replace(
            box=Box(
                start.x + (end.x - start.x) * share,
                start.y + (end.y - start.y) * share,
                start.w + (end.w - start.w) * share,
                start.h + (end.h - start.h) * share,
            )
        )


def movements(before: Scene, after: Scene) -> tuple[Movement, ...]:
    """Return the movements from one scene to the next. Return none if one of them does not show the same table."""
    is_comparable = (
        before.is_live
        and after.is_live
        and before.page is after.page is None
        and before.appearance == after.appearance
        and len(before.seats) == len(after.seats)
    )
    return (*_turn(before, after), *_collected_bets(before, after)) if is_comparable else ()


def _turn(before: Scene, after: Scene) -> tuple[Movement, ...]:
    """Return the movement of the glow, if the turn moves from one seat to another."""
    first, last = _seat_in_turn(before), _seat_in_turn(after)
    if first is None or last is None or first == last:
        return ()
    layout, tone = after.appearance.layout, after.appearance.theme.tones[TURN]
    boxes = [layout.seat_boxes(len(after.seats))[seat].tile.inset(1 - layout.gap) for seat in (first, last)]
    glow = Shape(boxes[0], "", tone.outline, tone.outline_width, layout.min_font_size * GLOW_RADIUS)
    return (Movement(glow, boxes[1]),)


def _seat_in_turn(scene: Scene) -> int | None:
    return next((index for index, seat in enumerate(scene.seats) if seat.tone == TURN), None)


def _collected_bets(before: Scene, after: Scene) -> tuple[Movement, ...]:
    """Return a chip for each bet that goes into the pot when the next street begins."""
    if not 0 < before.street_progress[0] < after.street_progress[0]:
        return ()
    layout, tone = after.appearance.layout, after.appearance.theme.tones["bet"]
    side, centre = layout.min_font_size, layout.centre
    pot = Box(centre.cx - side / 2, centre.cy - side / 2, side, side)
    spots = [boxes.spot for boxes in layout.seat_boxes(len(after.seats))]
    return tuple(
        [
            Movement(
                Shape(
                    Box(spot.cx - side / 2, spot.top - side, side, side),
                    tone.text_colour,
                    tone.background,
                    tone.outline_width,
                    kind="disc",
                ),
                pot,
            )
            for spot, old, new in zip(spots, before.spots, after.spots, strict=True)
            if old.bet and not new.bet
        ]
    )
