"""Check what moves from one scene to the next: the glow of the turn, and collected bets. Most changes move nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ui.touch_table import TouchTable
from ui.scene import DEFAULT_APPEARANCE, Scene, lay_out_scene, tokens
from ui.scene.paint import movements

GAME = 'blinds = [5, 10]\nstart = "idle"'
BOXES = DEFAULT_APPEARANCE.layout


def scenes(*steps: str) -> tuple[Scene, Scene]:
    """Return the scenes before and after the last of these steps."""
    table = TouchTable(GAME).do("hand", *steps[:-1])
    before = lay_out_scene(table.screen)
    return before, lay_out_scene(table.do(steps[-1]).screen)


def turn_of(scene: Scene) -> int:
    return next(index for index, seat in enumerate(scene.seats) if seat.tone == "turn")


def all_calls() -> list[str]:
    """Return the calls of all players and the check of the big blind."""
    table, steps = TouchTable(GAME).do("hand"), list[str]()
    while (view := table.screen.view) is not None and view.turn is not None:
        steps.append(f"{view.turn} {'call' if view.to_call else 'check'}")
        table.do(steps[-1])
    return steps


def test_glow_moves_from_the_seat_that_acted_to_the_next_seat() -> None:
    before, after = scenes(all_calls()[0])
    (glow,) = movements(before, after)
    tiles = [boxes.tile for boxes in BOXES.seat_boxes(len(after.seats))]
    assert glow.shape.box.encloses(tiles[turn_of(before)])
    assert glow.end.encloses(tiles[turn_of(after)])
    assert (glow.at(0).box, glow.at(1).box) == (glow.shape.box, glow.end)


def test_bets_move_into_the_pot_when_the_next_street_begins() -> None:
    before, after = scenes(*all_calls(), "deal")
    chips = [movement for movement in movements(before, after) if movement.shape.kind == "disc"]
    assert len(chips) == sum(bool(spot.bet) for spot in before.spots) > 1
    assert all(BOXES.centre.encloses(chip.end) for chip in chips)


def test_undone_deal_moves_no_chips() -> None:
    before, after = scenes(*all_calls(), "deal", "undo")
    assert not [movement for movement in movements(before, after) if movement.shape.kind == "disc"]


@pytest.mark.parametrize("change", ["nothing", "not live", "other theme", "no view before"])
def test_nothing_moves_without_a_comparable_scene(change: str) -> None:
    before, after = scenes(all_calls()[0])
    match change:
        case "nothing":
            before = after
        case "not live":
            after = replace(after, is_live=False)
        case "other theme":
            after = replace(after, appearance=replace(after.appearance, theme=tokens.BRIGHT))
        case "no view before":
            before = Scene(is_live=False)
    assert movements(before, after) == ()


def test_a_movement_is_shorter_than_a_fifth_of_a_second() -> None:
    assert tokens.MOTION_DURATION_S <= 0.2


def test_a_movement_never_goes_back() -> None:
    before, after = scenes(all_calls()[0])
    (glow,) = movements(before, after)
    distances = [abs(glow.at(step / 10).box.x - glow.end.x) for step in range(11)]
    assert distances == sorted(distances, reverse=True)
