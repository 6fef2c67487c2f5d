"""From a touch to a step: what each target sends, in which view, within how many touches."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.view import Choice, PotView, TableView
from ui.desk import Desk, Step, lose, pot_visible, press, refuse, show
from ui.modes import Award, Correcting, Normal, Pad, SeatPanel
from ui.samples import samples
from ui.scene import scene

VIEWS = {sample.name: sample.view for sample in samples()}


def touch(desk: Desk, *targets: str) -> tuple[Desk, list[str]]:
    """The desk after these touches, and the steps that they sent. Each target must be there to be touched."""
    sent = []
    for target in targets:
        assert target in {one.id for one in scene(desk).targets}, f"{target} cannot be touched"
        desk, step = press(desk, target)
        if step is not None:
            assert desk.view is not None
            assert step.shown == desk.view.sequence
            sent.append(step.do)
    return desk, sent


def at(name: str, **changes: Any) -> Desk:
    return show(Desk(), msgspec.structs.replace(VIEWS[name], **changes))


@pytest.mark.parametrize(
    ("name", "touches", "steps"),
    [
        ("pot-limit", ["fold"], ["5 fold"]),
        ("pot-limit", ["call"], ["5 call"]),
        ("pot-limit", ["pot"], ["5 pot"]),
        ("pot-limit", ["all-in"], ["5 all-in"]),
        ("pot-limit", ["undo"], ["undo"]),
        ("pot-limit", ["floor"], ["call floor"]),
        ("pot-limit", ["seat 8"], ["here 8"]),
        ("pot-limit", ["raise", "digit 2", "digit 00", "ok"], ["5 raise to 200"]),
        ("pot-limit", ["raise", "number 1", "ok"], ["5 raise to 100"]),
        ("pot-limit", ["raise", "number 2", "ok"], ["5 raise to 305"]),
        ("pot-limit", ["raise", "digit 2", "cancel", "call"], ["5 call"]),
        ("pot-limit", ["raise", "digit 2", "undo"], ["undo"]),
        ("closed", ["deal"], ["deal"]),
        ("idle", ["hand"], ["hand"]),
        ("over-pot", ["choice 0"], ["return 5"]),
        ("over-pot", ["choice 1"], ["undo"]),
        ("over-pot", ["step 0"], ["return 5"]),
        ("out-of-turn-question", ["choice 0"], ["here 8"]),
        ("out-of-turn-warning", ["rule", "choice 1"], ["floor bind 8"]),
        ("no-limit", ["raise", "digit 2", "digit 5", "digit .", "digit 5", "ok"], ["3 raise to 2550"]),
    ],
)
def test_keys_send_their_step(name: str, touches: list[str], steps: list[str]) -> None:
    assert touch(at(name), *touches)[1] == steps


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        (["spot 8", "turn"], "floor turn 8"),
        (["spot 8", "folds"], "8 fold"),
        (["spot 3", "said call"], "3 said call"),
        (["spot 3", "said raise"], "3 said raise"),
        (["spot 8", "dead"], "floor dead 8"),
        (["correct", "void"], "void"),
    ],
)
def test_a_correction_takes_two_touches(touches: list[str], step: str) -> None:
    assert len(touches) == 2
    desk, sent = touch(at("pot-limit"), *touches)
    assert sent == [step]
    assert desk.mode == Normal()


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        (["spot 3", "digit 8", "digit 0", "ok"], "floor bet 3 80"),
        (["correct", "seat 3", "digit 8", "digit 0", "ok"], "floor bet 3 80"),
        (["correct", "pot-count", "digit 6", "digit 4", "digit 0", "ok"], "floor pot 640"),
        (["spot 3", "digit 8", "digit 0", "said raise"], "3 said raise to 80"),
        (["spot 3", "digit 2", "digit 5", "takes"], "3 takes 25"),
        (["spot 3", "digit 9", "digit 00", "stack"], "3 stack 900"),
    ],
)
def test_a_correction_with_an_amount_is_two_touches_and_the_digits(touches: list[str], step: str) -> None:
    assert touch(at("pot-limit"), *touches)[1] == [step]
    digits = [one for one in touches if one.startswith("digit")]
    assert len(touches) - len(digits) <= 3, "a seat, its amount, and the key that ends it"


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        (["seat 5", "digit 2", "digit 00", "ok"], "5 sit 200"),
        (["seat 1", "digit 1", "digit 00", "ok"], "1 add 100"),
        (["seat 1", "digit 5", "tip"], "1 tip 5"),
        (["seat 1", "away"], "1 away"),
        (["seat 4", "back"], "4 back"),
        (["seat 1", "leave"], "1 leave"),
        (["seat 1", "lost"], "1 stack unknown"),
    ],
)
def test_between_hands_a_seat_opens_its_keys(touches: list[str], step: str) -> None:
    assert touch(at("idle"), *touches)[1] == [step]


def test_held_actions_are_bound_or_released() -> None:
    assert touch(at("out-of-turn-warning"), "spot 8", "release")[1] == ["floor release 8"]
    assert touch(at("out-of-turn-warning"), "spot 8", "bind")[1] == ["floor bind 8"]
    ids = {target.id for target in scene(touch(at("pot-limit"), "spot 8")[0]).targets}
    assert not ids & {"release", "bind", "return", "takes", "stack", "ok"}


def test_a_seat_that_cannot_act_is_not_sent_but_answered() -> None:
    desk, sent = touch(at("pot-limit"), "seat 4")
    assert sent == []
    assert "seat 4 cannot act" in scene(desk).told[0]


def test_a_stud_seat_is_named_first_by_a_touch() -> None:
    desk = at("pot-limit", turn=None, next=(Choice(label="SEAT 3 FIRST", do="first 3"),))
    assert touch(desk, "seat 3")[1] == ["first 3"]


def award_desk() -> Desk:
    return at("award")


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        (["award", "seat 3", "ok"], "award main 3"),
        (["award", "seat 5", "seat 1", "ok"], "award main 5 1"),
        (["award", "seat 5", "seat 1", "seat 5", "ok"], "award main 1"),
        (["award", "seat 7", "seat 1", "ok"], "award main 1"),
        (["award", "award-pot side2", "seat 9", "ok"], "award side2 9"),
        (["award", "high", "seat 1", "low", "seat 1", "seat 3", "ok"], "award main high 1 low 1 3"),
        (["award", "high", "seat 1", "whole", "ok"], "award main 1"),
    ],
)
def test_pots_are_given_by_touching_seats(touches: list[str], step: str) -> None:
    assert touch(award_desk(), *touches)[1] == [step]


def test_after_one_pot_the_next_asks_by_itself() -> None:
    desk, _ = touch(award_desk(), "award", "seat 3", "ok")
    view = desk.view
    assert view is not None
    desk = show(desk, msgspec.structs.replace(view, pots=view.pots[1:], sequence=view.sequence + 1))
    assert isinstance(desk.mode, Award)
    assert desk.mode.pot == "side1"
    desk = show(desk, msgspec.structs.replace(view, pots=(), sequence=view.sequence + 2, phase="over"))
    assert desk.mode == Normal()


def test_a_pot_with_one_seat_needs_no_seat_touched() -> None:
    desk = at("award", pots=(PotView(name="main", amount=900, seats=(8,)),))
    assert touch(desk, "award", "ok")[1] == ["award main 8"]


def test_a_number_pad_does_not_outlive_its_turn() -> None:
    desk, _ = touch(at("pot-limit"), "raise", "digit 2")
    assert isinstance(desk.mode, Pad)
    same = msgspec.structs.replace(VIEWS["pot-limit"], sequence=120, told="a name changed")
    assert isinstance(show(desk, same).mode, Pad)
    assert show(desk, msgspec.structs.replace(same, turn=7)).mode == Normal()


def test_a_seats_keys_outlive_a_change_of_turn_but_not_the_hand() -> None:
    desk, _ = touch(at("pot-limit"), "spot 3", "digit 8")
    assert isinstance(show(desk, msgspec.structs.replace(VIEWS["pot-limit"], turn=7)).mode, SeatPanel)
    assert show(desk, msgspec.structs.replace(VIEWS["pot-limit"], hand=119)).mode == Normal()


def test_nothing_is_sent_while_not_live() -> None:
    desk = lose(at("pot-limit"), "the table's service ended the connection")
    desk, step = press(desk, "call")
    assert step is None
    picture = scene(desk)
    assert not picture.live
    assert "ended the connection" in picture.link
    assert show(desk, VIEWS["pot-limit"]).live


def test_a_view_of_another_protocol_is_not_shown() -> None:
    desk = show(at("pot-limit"), msgspec.structs.replace(VIEWS["idle"], protocol=9))
    assert not desk.live
    assert desk.view is VIEWS["pot-limit"] or desk.view == VIEWS["pot-limit"]
    assert "protocol 9" in desk.link


def test_a_refusal_is_said_and_goes_with_the_next_view() -> None:
    desk = refuse(at("pot-limit"), "seat 3 has folded")
    assert scene(desk).told == ("Not done: seat 3 has folded", "refused")
    assert scene(show(desk, VIEWS["pot-limit"])).told[1] == "calm"


def test_correcting_is_said_and_left_by_the_same_key() -> None:
    desk, _ = touch(at("pot-limit"), "correct")
    assert desk.mode == Correcting()
    assert scene(desk).told[1] == "hint"
    assert touch(desk, "correct")[0].mode == Normal()


@pytest.mark.parametrize(
    ("rule", "shown", "key"), [("always", True, False), ("on-request", False, True), ("never", False, False)]
)
def test_the_house_says_whether_the_pot_is_shown(rule: str, shown: bool, key: bool) -> None:
    desk = at("pot-limit", show_pot=rule)
    assert pot_visible(desk) is shown
    assert (scene(desk).pot[1] == "185") is shown
    assert ("show-pot" in {target.id for target in scene(desk).targets}) is key
    if key:
        desk, _ = touch(desk, "show-pot")
        assert scene(desk).pot == ("POT", "185")
        assert not pot_visible(show(desk, msgspec.structs.replace(VIEWS["pot-limit"], show_pot=rule, round=3)))


def test_a_hidden_pot_hides_its_parts_too() -> None:
    desk = at("side-pots", show_pot="never")
    assert [amount for _, amount, _ in scene(desk).sides] == ["", "", ""]
    assert [seats for _, _, seats in scene(desk).sides] == ["1 3 5 8 9", "1 5 8 9", "1 8 9"]


def test_alerts_are_turned_through_and_notes_put_aside() -> None:
    desk = at("out-of-turn-warning")
    assert scene(desk).band.level == "warning"
    desk, _ = touch(desk, "more")
    assert scene(desk).band.level == "info"
    desk, _ = touch(desk, "aside")
    assert scene(desk).band.level == "warning"
    assert "more" not in {target.id for target in scene(desk).targets}


def test_the_rule_stands_in_the_band_and_covers_no_number() -> None:
    desk, _ = touch(at("out-of-turn-warning"), "rule")
    picture = scene(desk)
    assert picture.band.title.startswith("Robert's Rules")
    assert picture.pot[1] == "185"
    assert len(picture.numbers) == 3


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_every_target_is_twelve_millimetres_and_none_overlaps(sample: Any) -> None:
    desk = show(Desk(), sample.view)
    for target in sample.touches:
        desk, _ = press(desk, target)
    targets = scene(desk).targets
    for index, one in enumerate(targets):
        assert min(one.box.w, one.box.h) >= 71, one.id
        for other in targets[index + 1 :]:
            assert not one.box.overlaps(other.box), (one.id, other.id)


def test_a_step_names_the_view_that_was_looked_at() -> None:
    assert press(at("pot-limit", sequence=4711), "call")[1] == Step("5 call", 4711)


def test_without_a_view_nothing_is_drawn_as_if_it_were_one() -> None:
    picture = scene(Desk())
    assert (picture.live, picture.seats, picture.targets) == (False, (), ())


def test_views_are_shown_whatever_they_hold() -> None:
    assert scene(show(Desk(), TableView(sequence=1))).live
