"""From a touch to a step: what each target sends, in which view, within how many touches."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.view import Alert, Choice, GameView, LevelView, PotView, Refused, TableView, Told, Values
from ui.samples import Sample, samples
from ui.scene import lay_out, layout
from ui.state import (
    Answer,
    Award,
    BetSpot,
    Bound,
    Correcting,
    Digit,
    NamedKey,
    Normal,
    Offered,
    Pad,
    Pot,
    Say,
    Screen,
    Seat,
    SeatPanel,
    Sending,
    Target,
    Winners,
    lose,
    pot_visible,
    press,
    refuse,
    show,
)

VIEWS = {sample.name: sample.view for sample in samples()}


def reachable(screen: Screen) -> set[Target]:
    return {one.target for one in lay_out(screen).touchables}


def touch(screen: Screen, *targets: Target) -> tuple[Screen, list[str]]:
    """The screen after these touches, and the steps that they sent. Each target must be there to be touched."""
    sent = []
    for target in targets:
        assert target in reachable(screen), f"{target} cannot be touched"
        screen, step = press(screen, target)
        if step is not None:
            assert screen.view is not None
            assert step.shown == screen.view.sequence
            sent.append(step.do)
    return screen, sent


def at(name: str, **changes: Any) -> Screen:
    return show(Screen(), msgspec.structs.replace(VIEWS[name], **changes))


@pytest.mark.parametrize(
    ("name", "touches", "steps"),
    [
        ("pot-limit", [NamedKey.FOLD], ["5 fold"]),
        ("pot-limit", [NamedKey.CALL], ["5 call"]),
        ("pot-limit", [NamedKey.POT], ["5 pot"]),
        ("pot-limit", [NamedKey.ALL_IN], ["5 all-in"]),
        ("pot-limit", [NamedKey.UNDO], ["undo"]),
        ("pot-limit", [NamedKey.FLOOR], ["call-floor"]),
        ("pot-limit", [Seat(8)], ["here 8"]),
        ("pot-limit", [NamedKey.RAISE, Digit("2"), Digit("00"), NamedKey.OK], ["5 raise to 200"]),
        ("pot-limit", [NamedKey.RAISE, Bound("min"), NamedKey.OK], ["5 raise to 100"]),
        ("pot-limit", [NamedKey.RAISE, Bound("max"), NamedKey.OK], ["5 raise to 305"]),
        ("pot-limit", [NamedKey.RAISE, Digit("2"), NamedKey.CANCEL, NamedKey.CALL], ["5 call"]),
        ("pot-limit", [NamedKey.RAISE, Digit("2"), NamedKey.UNDO], ["undo"]),
        ("closed", [NamedKey.DEAL], ["deal"]),
        ("idle", [NamedKey.HAND], ["hand"]),
        ("over-pot", [Answer(0)], ["return 5"]),
        ("over-pot", [Answer(1)], ["5 said raise"]),
        ("over-pot", [Offered(0)], ["return 5"]),
        ("out-of-turn-question", [Answer(0)], ["here 8"]),
        ("out-of-turn-warning", [NamedKey.RULE, Answer(1)], ["floor bind 8"]),
        ("own-stack-question", [Answer(0)], ["chips-are 8 nothing"]),
        ("own-stack-question", [Answer(2)], ["chips-are 8 of 125"]),
        ("splash-question", [Answer(0)], ["chips-are 8 of 120"]),
        (
            "no-limit",
            [NamedKey.RAISE, Digit("2"), Digit("5"), Digit("."), Digit("5"), NamedKey.OK],
            ["3 raise to 2550"],
        ),
    ],
)
def test_keys_send_their_step(name: str, touches: list[Target], steps: list[str]) -> None:
    assert touch(at(name), *touches)[1] == steps


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([BetSpot(8), NamedKey.TURN], "floor turn 8"),
        ([BetSpot(8), NamedKey.FOLDS], "8 fold"),
        ([BetSpot(3), NamedKey.SAID_CALL], "3 said call"),
        ([BetSpot(3), NamedKey.SAID_RAISE], "3 said raise"),
        ([BetSpot(8), NamedKey.DEAD], "floor dead 8"),
        ([NamedKey.CORRECT, NamedKey.VOID], "void"),
    ],
)
def test_a_correction_takes_two_touches(touches: list[Target], step: str) -> None:
    assert len(touches) == 2
    screen, sent = touch(at("pot-limit"), *touches)
    assert sent == [step]
    assert screen.mode == Normal()


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([BetSpot(3), Digit("8"), Digit("0"), NamedKey.OK], "floor bet 3 80"),
        ([NamedKey.CORRECT, Seat(3), Digit("8"), Digit("0"), NamedKey.OK], "floor bet 3 80"),
        ([NamedKey.CORRECT, NamedKey.COUNT_POT, Digit("6"), Digit("4"), Digit("0"), NamedKey.OK], "floor pot 640"),
        ([BetSpot(3), Digit("8"), Digit("0"), NamedKey.SAID_RAISE], "3 said raise to 80"),
        ([BetSpot(3), Digit("2"), Digit("5"), NamedKey.TAKES], "3 takes 25"),
        ([BetSpot(3), Digit("9"), Digit("00"), NamedKey.STACK], "3 stack 900"),
    ],
)
def test_a_correction_with_an_amount_is_two_touches_and_the_digits(touches: list[Target], step: str) -> None:
    assert touch(at("pot-limit"), *touches)[1] == [step]
    digits = [one for one in touches if isinstance(one, Digit)]
    assert len(touches) - len(digits) <= 3, "a seat, its amount, and the key that ends it"


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([Seat(5), Digit("2"), Digit("00"), NamedKey.OK], "5 sit 200"),
        ([Seat(1), Digit("1"), Digit("00"), NamedKey.OK], "1 add 100"),
        ([Seat(1), Digit("5"), NamedKey.TIP], "1 tip 5"),
        ([Seat(1), NamedKey.AWAY], "1 away"),
        ([Seat(4), NamedKey.BACK], "4 back"),
        ([Seat(1), NamedKey.LEAVE], "1 leave"),
        ([Seat(1), NamedKey.LOST], "1 stack unknown"),
    ],
)
def test_between_hands_a_seat_opens_its_keys(touches: list[Target], step: str) -> None:
    assert touch(at("idle"), *touches)[1] == [step]


@pytest.mark.parametrize(
    ("name", "touches", "step"),
    [
        ("pot-limit", [BetSpot(3), NamedKey.TAKES], "count 3 bet"),
        ("pot-limit", [BetSpot(3), NamedKey.STACK], "count 3 stack"),
        ("pot-limit", [BetSpot(3), Digit("9"), Digit("00"), NamedKey.STACK], "3 stack 900"),
        ("pot-limit", [BetSpot(3), Digit("2"), Digit("5"), NamedKey.TAKES], "3 takes 25"),
        ("idle", [Seat(1), NamedKey.STACK], "count 1 stack"),
        ("idle", [Seat(1), NamedKey.COUNT], "count 1 buy-in"),
        ("idle", [Seat(5), NamedKey.COUNT], "count 5 buy-in"),
    ],
)
def test_what_is_not_typed_is_counted_where_there_is_a_pad(name: str, touches: list[Target], step: str) -> None:
    assert touch(at(name, pad=True), *touches)[1] == [step]
    if not step.startswith("count"):
        return
    screen, _ = touch(at(name), touches[0])
    assert touches[1] not in reachable(screen)


def test_held_actions_are_bound_or_released() -> None:
    assert touch(at("out-of-turn-warning"), BetSpot(8), NamedKey.RELEASE)[1] == ["floor release 8"]
    assert touch(at("out-of-turn-warning"), BetSpot(8), NamedKey.BIND)[1] == ["floor bind 8"]
    needless = {NamedKey.RELEASE, NamedKey.BIND, NamedKey.RETURN, NamedKey.TAKES, NamedKey.STACK, NamedKey.OK}
    assert not reachable(touch(at("pot-limit"), BetSpot(8))[0]) & needless


def test_a_seat_that_cannot_act_is_not_sent_but_answered() -> None:
    screen, sent = touch(at("pot-limit"), Seat(4))
    assert sent == []
    assert "seat 4 cannot act" in lay_out(screen).told[0]


def test_a_stud_seat_is_named_first_by_a_touch() -> None:
    screen = at("pot-limit", turn=None, next=(Choice(label="acts-first", do="first 3", values=Values(seat=3)),))
    assert touch(screen, Seat(3))[1] == ["first 3"]


def award_screen() -> Screen:
    return at("award")


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([NamedKey.AWARD, Seat(3), NamedKey.OK], "award main 3"),
        ([NamedKey.AWARD, Seat(5), Seat(1), NamedKey.OK], "award main 5 1"),
        ([NamedKey.AWARD, Seat(5), Seat(1), Seat(5), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, Seat(7), Seat(1), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, Pot("side2"), Seat(9), NamedKey.OK], "award side2 9"),
        (
            [NamedKey.AWARD, Winners("high"), Seat(1), Winners("low"), Seat(1), Seat(3), NamedKey.OK],
            "award main high 1 low 1 3",
        ),
        ([NamedKey.AWARD, Winners("high"), Seat(1), Winners("whole"), NamedKey.OK], "award main 1"),
    ],
)
def test_pots_are_given_by_touching_seats(touches: list[Target], step: str) -> None:
    assert touch(award_screen(), *touches)[1] == [step]


def test_after_one_pot_the_next_asks_by_itself() -> None:
    screen, _ = touch(award_screen(), NamedKey.AWARD, Seat(3), NamedKey.OK)
    view = screen.view
    assert view is not None
    screen = show(screen, msgspec.structs.replace(view, pots=view.pots[1:], sequence=view.sequence + 1))
    assert isinstance(screen.mode, Award)
    assert screen.mode.pot == "side1"
    screen = show(screen, msgspec.structs.replace(view, pots=(), sequence=view.sequence + 2, phase="over"))
    assert screen.mode == Normal()


def test_a_pot_with_one_seat_needs_no_seat_touched() -> None:
    screen = at("award", pots=(PotView(name="main", amount=900, seats=(8,)),))
    assert touch(screen, NamedKey.AWARD, NamedKey.OK)[1] == ["award main 8"]


def test_a_number_pad_does_not_outlive_its_turn() -> None:
    screen, _ = touch(at("pot-limit"), NamedKey.RAISE, Digit("2"))
    assert isinstance(screen.mode, Pad)
    same = msgspec.structs.replace(VIEWS["pot-limit"], sequence=120, told=Told(step="comes-back", seat=2))
    assert isinstance(show(screen, same).mode, Pad)
    assert show(screen, msgspec.structs.replace(same, turn=7)).mode == Normal()


def test_a_seats_keys_outlive_a_change_of_turn_but_not_the_hand() -> None:
    screen, _ = touch(at("pot-limit"), BetSpot(3), Digit("8"))
    assert isinstance(show(screen, msgspec.structs.replace(VIEWS["pot-limit"], turn=7)).mode, SeatPanel)
    assert show(screen, msgspec.structs.replace(VIEWS["pot-limit"], hand=119)).mode == Normal()


def test_nothing_is_sent_while_not_live() -> None:
    screen = lose(at("pot-limit"), Say("connection-ended"))
    screen, step = press(screen, NamedKey.CALL)
    assert step is None
    picture = lay_out(screen)
    assert not picture.live
    assert "ended the connection" in picture.veil[1]
    assert show(screen, VIEWS["pot-limit"]).live


def test_a_view_of_another_protocol_is_not_shown() -> None:
    screen = show(at("pot-limit"), msgspec.structs.replace(VIEWS["idle"], protocol=9))
    assert not screen.live
    assert screen.view is VIEWS["pot-limit"] or screen.view == VIEWS["pot-limit"]
    assert "protocol 9" in lay_out(screen).veil[1]


def test_a_refusal_is_said_and_goes_with_the_next_view() -> None:
    screen = refuse(at("pot-limit"), Refused(code="folded", values=Values(seat=3)))
    assert lay_out(screen).told == ("Not done: seat 3 has folded", "refused")
    assert lay_out(show(screen, VIEWS["pot-limit"])).told[1] == "calm"


def test_a_warning_that_comes_with_a_refusal_stands_in_the_band_until_it_is_answered() -> None:
    alert = Alert(code="buy-in", level="warning", values=Values(seat=5, least=40, most=200), rule="buy-in")
    refused = Refused(code="buy-in", values=Values(seat=5, amount=500, least=40, most=200), alert=alert)
    screen = refuse(at("pot-limit"), refused)
    assert lay_out(screen).band.title == "Seat 5: outside the buy-in"
    screen, _ = touch(screen, NamedKey.RULE)
    assert lay_out(screen).band.title.startswith("House rules")
    screen, _ = touch(screen, NamedKey.ASIDE)
    assert lay_out(screen).band.level == ""
    assert lay_out(show(refuse(screen, refused), VIEWS["pot-limit"])).band.level == ""
    assert lay_out(touch(refuse(screen, refused), NamedKey.CALL)[0]).band.level == ""


def test_correcting_is_said_and_left_by_the_same_key() -> None:
    screen, _ = touch(at("pot-limit"), NamedKey.CORRECT)
    assert screen.mode == Correcting()
    assert lay_out(screen).told[1] == "hint"
    assert touch(screen, NamedKey.CORRECT)[0].mode == Normal()


@pytest.mark.parametrize(
    ("rule", "shown", "key"), [("always", True, False), ("on-request", False, True), ("never", False, False)]
)
def test_the_house_says_whether_the_pot_is_shown(rule: str, shown: bool, key: bool) -> None:
    screen = at("pot-limit", show_pot=rule)
    assert pot_visible(screen) is shown
    assert (lay_out(screen).pot[1] == "185") is shown
    assert (NamedKey.SHOW_POT in reachable(screen)) is key
    if key:
        screen, _ = touch(screen, NamedKey.SHOW_POT)
        assert lay_out(screen).pot == ("POT", "185")
        assert not pot_visible(show(screen, msgspec.structs.replace(VIEWS["pot-limit"], show_pot=rule, round=3)))


def test_a_hidden_pot_hides_its_parts_too() -> None:
    screen = at("side-pots", show_pot="never")
    assert [amount for _, amount, _ in lay_out(screen).sides] == ["", "", ""]
    assert [seats for _, _, seats in lay_out(screen).sides] == ["1 3 5 8 9", "1 5 8 9", "1 8 9"]


def test_pots_of_several_boards_are_told_board_by_board() -> None:
    scene = lay_out(at("boards"))
    assert [(name, amount) for name, amount, _ in scene.sides] == [
        ("MAIN", "2,525 + 2,525"),
        ("SIDE 1", "1,110 + 1,110"),
    ]
    assert scene.side_boxes[0].w > layout.POT.w  # a line of its own
    assert scene.street == "BOMB POT 20 · TURN"
    assert [amount for _, amount, _ in lay_out(at("boards", show_pot="never")).sides] == ["", ""]


def test_one_pot_of_several_boards_has_a_line_too() -> None:
    pots = (PotView(name="main", amount=240, seats=(3, 5), boards=(120, 120)),)
    scene = lay_out(at("boards", pots=pots, pot=240))
    assert scene.sides == (("MAIN", "120 + 120", "3 5"),)
    assert lay_out(at("boards", pots=pots, show_pot="never")).sides == ()


def test_the_level_and_what_follows_stand_at_the_far_end_of_the_strip() -> None:
    scene = lay_out(at("tournament"))
    assert scene.strip[1] == "level 7, 4 min left · then $2,000/$4,000 · break in 24 min"
    assert scene.street == "Hand for hand"
    over = msgspec.structs.replace(VIEWS["tournament"].level or LevelView(name=""), minutes_left=0, next_game=None)
    assert lay_out(at("tournament", level=over, hold="break")).strip[1] == "level 7: time is over · break in 24 min"
    assert lay_out(at("tournament", hold="break")).street == "Break"
    assert lay_out(at("tournament", hold="")).street == "Between hands"
    later = GameView(variant="razz", structure="fixed-limit", bets=(10, 10, 20, 20, 20))
    assert lay_out(at("tournament", level=None, next_game=later)).strip[1] == "next hand: Razz fixed-limit $10/$20"
    assert lay_out(at("tournament", level=None, follows=later)).strip[1] == "then Razz fixed-limit $10/$20"


def test_markers_stand_in_the_place_of_the_name_until_there_is_a_flag() -> None:
    assert [face.name for face in lay_out(at("tournament")).seats] == ["ben", "cho", "ann", "dee", "", "marker $150"]
    seats = tuple(msgspec.structs.replace(seat, owes=5) for seat in VIEWS["tournament"].seats)
    assert {face.name for face in lay_out(at("tournament", seats=seats)).seats} == {""}


def test_alerts_are_turned_through_and_notes_put_aside() -> None:
    screen = at("out-of-turn-warning")
    assert lay_out(screen).band.level == "warning"
    screen, _ = touch(screen, NamedKey.MORE)
    assert lay_out(screen).band.level == "info"
    screen, _ = touch(screen, NamedKey.ASIDE)
    assert lay_out(screen).band.level == "warning"
    assert NamedKey.MORE not in reachable(screen)


def test_the_rule_stands_in_the_band_and_covers_no_number() -> None:
    screen, _ = touch(at("out-of-turn-warning"), NamedKey.RULE)
    picture = lay_out(screen)
    assert picture.band.title.startswith("Robert's Rules")
    assert picture.pot[1] == "185"
    assert len(picture.numbers) == 3


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_every_target_is_twelve_millimetres_and_none_overlaps(sample: Sample) -> None:
    screen = show(Screen(), sample.view)
    for target in sample.touches:
        screen, _ = press(screen, target)
    touchables = lay_out(screen).touchables
    for index, one in enumerate(touchables):
        assert min(one.box.w, one.box.h) >= 71, one.target
        for other in touchables[index + 1 :]:
            assert not one.box.overlaps(other.box), (one.target, other.target)


def test_a_step_names_the_view_that_was_looked_at() -> None:
    assert press(at("pot-limit", sequence=4711), NamedKey.CALL)[1] == Sending("5 call", 4711)


def test_without_a_view_nothing_is_drawn_as_if_it_were_one() -> None:
    picture = lay_out(Screen())
    assert (picture.live, picture.seats, picture.touchables) == (False, (), ())


def test_views_are_shown_whatever_they_hold() -> None:
    assert lay_out(show(Screen(), TableView(sequence=1))).live
