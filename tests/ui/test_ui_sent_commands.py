"""The service understands every line that the screen sends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controller.rules import BoardWinners
from controller.steps import Declaration, Step, hand_steps, parse_step
from ui.state.commands import award_query, page_query, step_line
from ui.state.verbs.hand_verbs import HAND_VERBS
from ui.state.verbs.panel_cells import PanelVerb
from ui.state.verbs.player_verbs import PLAYER_VERBS
from ui.state.verbs.queued_verbs import QUEUED_VERBS
from ui.state.verbs.table_verbs import FLOOR_SEAT_VERBS, FLOOR_VERBS, TABLE_VERBS
from ui.view_samples import ViewSample, view_samples

PANEL_VERBS = (*HAND_VERBS, *PLAYER_VERBS, *QUEUED_VERBS, *TABLE_VERBS, *FLOOR_VERBS, *FLOOR_SEAT_VERBS)
SEAT, OTHER_SEAT, AMOUNT = 4, 5, 40


def steps_of(verb: PanelVerb) -> Iterator[Step]:
    """Yield the steps that a panel key can send for seat 4, with and without an amount and a name."""
    seat, other_seat = (
        () if verb in (*TABLE_VERBS, *FLOOR_VERBS) else (SEAT,),
        (OTHER_SEAT,) if verb.seat_question else (),
    )
    if verb.plain_step is not None:
        yield verb.plain_step(*seat, *other_seat)
    if verb.amount_step is not None:
        yield verb.amount_step(*seat, AMOUNT, *other_seat)
        if verb.takes_name:
            yield verb.amount_step(*seat, AMOUNT, *other_seat, name="ann")


@pytest.mark.parametrize("verb", PANEL_VERBS, ids=lambda verb: verb.label)
def test_line_of_each_panel_key_is_its_step(verb: PanelVerb) -> None:
    steps = list(steps_of(verb))
    assert steps
    assert [parse_step(step_line(step)) for step in steps] == steps


def test_planted_step_that_the_parser_refuses_is_caught() -> None:
    planted = PanelVerb(0, PANEL_VERBS[0].target, "folds", plain_step=_declare_negative_bet)
    (step,) = steps_of(planted)
    with pytest.raises(ValueError, match="expected an amount"):
        parse_step(step_line(step))


def _declare_negative_bet(seat: int) -> Step:
    return hand_steps.Declares(seat, Declaration("bet", -1))


@pytest.mark.parametrize(
    ("boards", "step"),
    [
        ([((5, 1), ())], hand_steps.AwardsPot("main", (5, 1))),
        ([((5, 5, 2), ())], hand_steps.AwardsPot("main", (5, 2), shares=(2, 1))),
        ([((1,), (1, 3))], hand_steps.AwardsPot("main", (1,), (1, 3))),
        ([((1,), (3, 1, 3))], hand_steps.AwardsPot("main", (1,), (3, 1), low_shares=(2, 1))),
        (
            [((3,), ()), ((5, 6), ())],
            hand_steps.AwardsPot("main", (3, 5, 6), boards=(BoardWinners((3,)), BoardWinners((5, 6)))),
        ),
    ],
    ids=["split", "two shares", "high and low", "two low shares", "two boards"],
)
def test_award_to_touched_winners(
    boards: list[tuple[tuple[int, ...], tuple[int, ...]]], step: hand_steps.AwardsPot
) -> None:
    assert hand_steps.award_to_winners("main", boards) == step
    assert parse_step(step_line(step)) == step


def test_queries() -> None:
    assert (page_query("hands", 0), page_query("hand", 12)) == ("look hands", "look hand 12")
    assert award_query(hand_steps.AwardsPot("main", (3,))) == "look award main 3"


@pytest.mark.parametrize("sample", view_samples(), ids=lambda sample: sample.name)
def test_choices_of_reference_views_are_steps(sample: ViewSample) -> None:
    view = sample.view
    for choice in (*view.next_choices, *(choice for alert in view.alerts for choice in alert.choices)):
        parse_step(step_line(choice))
