"""From a touch to a step: what each target sends, in which view, within how many touches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.view import (
    Alert,
    AwardPage,
    Choice,
    Did,
    GameView,
    Label,
    LevelView,
    PotView,
    Refused,
    Share,
    TableView,
    Told,
    Values,
)
from controller.words import Words
from tests.ui.by_touch import besides_digits
from ui.samples import Sample, samples
from ui.scene import lay_out
from ui.state import (
    Answer,
    Award,
    BetSpot,
    Bound,
    Digit,
    NamedKey,
    Normal,
    Offered,
    Pad,
    Part,
    Picking,
    Pot,
    Say,
    Screen,
    Seat,
    SeatPanel,
    Sending,
    Sure,
    TablePanel,
    Target,
    Typed,
    answered,
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
    """The screen after these touches, and the steps that they sent, without what they only asked to look at. Each
    target must be there to be touched."""
    sent = []
    for target in targets:
        assert target in reachable(screen), f"{target} cannot be touched"
        screen, step = press(screen, target)
        if step is not None and step.shown:
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
        ("pot-limit", [NamedKey.RAISE, Digit("2"), NamedKey.CANCEL, NamedKey.UNDO], ["undo"]),
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
        ([BetSpot(8), Digit("8"), Digit("0"), NamedKey.RAISES], "8 raise to 80"),
        ([BetSpot(3), Digit("8"), Digit("0"), NamedKey.FLOOR_BET], "floor bet 3 80"),
        ([NamedKey.TABLE, Digit("6"), Digit("4"), Digit("0"), NamedKey.FLOOR_POT], "floor pot 640"),
        ([BetSpot(3), Digit("8"), Digit("0"), NamedKey.SAID_RAISE], "3 said raise to 80"),
        ([BetSpot(3), Digit("8"), Digit("0"), NamedKey.WAS], "3 was 80"),
        ([BetSpot(3), Digit("2"), Digit("5"), NamedKey.TAKES], "3 takes 25"),
        ([BetSpot(3), Digit("9"), Digit("00"), NamedKey.STACK], "3 stack 900"),
    ],
)
def test_a_correction_is_two_touches_and_the_digits(touches: list[Target], step: str) -> None:
    screen, sent = touch(at("pot-limit"), *touches)
    assert sent == [step]
    assert besides_digits(touches) == 2
    assert screen.mode == Normal()


def test_a_misdeal_asks_once() -> None:
    screen, sent = touch(at("pot-limit"), NamedKey.TABLE, NamedKey.VOID)
    assert (type(screen.mode), sent) == (Sure, [])
    assert lay_out(screen).told == (Words().say("misdeal-sure"), "hint")
    assert touch(screen, NamedKey.CANCEL)[0].mode == Normal()
    assert touch(screen, NamedKey.OK)[1] == ["void"]


def test_undo_asks_once_where_it_goes_back_into_the_hand_before() -> None:
    screen, sent = touch(at("pot-limit", undo_crosses=True), NamedKey.UNDO)
    assert (type(screen.mode), sent) == (Sure, [])
    assert touch(screen, NamedKey.OK)[1] == ["undo"]
    other = msgspec.structs.replace(VIEWS["pot-limit"], undo=Told(step="deals"), undo_crosses=True)
    assert show(screen, other).mode == Normal(), "what was asked is not what would be taken back any more"


def test_redo_is_there_where_something_was_undone_and_names_it() -> None:
    assert NamedKey.REDO not in reachable(at("pot-limit"))
    screen = at("pot-limit", redo=Told(step="declares", seat=4, did=Did(verb="fold")))
    assert touch(screen, NamedKey.REDO)[1] == ["redo"]
    key = next(key for key in lay_out(screen).keys if key.target is NamedKey.REDO)
    assert key.detail == "seat 4 folds"


def test_no_key_of_the_number_pad_is_beside_undo() -> None:
    for touches in ((NamedKey.RAISE,), (BetSpot(3),), (NamedKey.TABLE,)):
        assert NamedKey.UNDO not in reachable(touch(at("pot-limit"), *touches)[0])


def test_the_next_seat_is_the_answer_where_one_is_asked_for() -> None:
    screen, sent = touch(at("idle"), Seat(3), NamedKey.MOVES)
    assert (type(screen.mode), sent) == (Picking, [])
    assert lay_out(screen).told == ("Seat 3: touch its new seat", "hint")
    assert touch(screen, NamedKey.CANCEL)[0].mode == Normal()
    assert touch(screen, Seat(5))[1] == ["3 moves 5"]


def test_a_refusal_goes_back_to_what_was_typed() -> None:
    screen, sent = touch(at("idle"), Seat(5), Digit("8"), Digit("00"), NamedKey.SIT)
    assert (screen.mode, sent) == (Normal(), ["5 sit 800"])
    back = refuse(screen, Refused(code="buy-in", values=Values(amount=800, least=40, most=200)))
    assert isinstance(back.mode, SeatPanel)
    entry = lay_out(back).entry
    assert entry is not None
    assert entry.value == "$800"
    assert lay_out(back).told[1] == "refused"
    assert show(back, msgspec.structs.replace(VIEWS["idle"], sequence=999)).mode == back.mode


def test_a_refusal_does_not_open_what_was_left_by_hand() -> None:
    screen, _ = touch(at("idle"), Seat(5), Digit("8"), NamedKey.SIT, Seat(1))
    assert refuse(screen, Refused(code="seat-taken", values=Values(seat=5))).mode == SeatPanel(1)


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([Seat(5), Digit("2"), Digit("00"), NamedKey.SIT], "5 sit 200"),
        ([Seat(1), Digit("1"), Digit("00"), NamedKey.ADD], "1 add 100"),
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
        ("pot-limit", [BetSpot(3), NamedKey.COUNT_BET], "count 3 bet"),
        ("pot-limit", [BetSpot(3), NamedKey.COUNT_STACK], "count 3 stack"),
        ("pot-limit", [BetSpot(3), Digit("9"), Digit("00"), NamedKey.STACK], "3 stack 900"),
        ("pot-limit", [BetSpot(3), Digit("2"), Digit("5"), NamedKey.TAKES], "3 takes 25"),
        ("idle", [Seat(1), NamedKey.COUNT_STACK], "count 1 stack"),
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
    needless = {NamedKey.RELEASE, NamedKey.BIND, NamedKey.RETURN, NamedKey.TAKES, NamedKey.STACK, NamedKey.IN}
    assert not reachable(touch(at("pot-limit"), BetSpot(8))[0]) & needless


def test_a_seat_that_cannot_act_is_not_sent_but_answered() -> None:
    screen, sent = touch(at("pot-limit"), Seat(4))
    assert sent == []
    assert "seat 4 cannot act" in lay_out(screen).told[0]


@pytest.mark.parametrize(
    ("label", "do", "hint"),
    [("acts-first", "first 3", "Touch who acts first"), ("brings-in", "bring-in 3", "Touch who brings in")],
)
def test_a_stud_seat_is_named_by_a_touch(label: Label, do: str, hint: str) -> None:
    screen = at("pot-limit", turn=None, next=(Choice(label=label, do=do, values=Values(seat=3)),))
    assert lay_out(screen).told == (hint, "hint")
    assert touch(screen, Seat(3))[1] == [do]
    assert Offered(0) not in reachable(screen)


# --- pots ---

HIGH_LOW = msgspec.structs.replace(VIEWS["award"].game, high_low=True)


def award_screen(**changes: Any) -> Screen:
    return at("award", give="main", **changes)


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([NamedKey.AWARD, Seat(3), NamedKey.OK], "award main 3"),
        ([Seat(3), NamedKey.OK], "award main 3"),
        ([NamedKey.AWARD, Seat(5), Seat(1), NamedKey.OK], "award main 5 1"),
        ([NamedKey.AWARD, Seat(5), Seat(1), Seat(5), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, Seat(5), NamedKey.SHARE, Seat(1), NamedKey.OK], "award main 5*2 1"),
        ([NamedKey.AWARD, Seat(7), Seat(1), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, Pot("side2"), Seat(9), NamedKey.OK], "award side2 9"),
        (
            [NamedKey.AWARD, Part("high"), Seat(1), Part("low"), Seat(1), Seat(3), NamedKey.OK],
            "award main high 1 low 1 3",
        ),
        ([NamedKey.AWARD, Seat(1), Part("high"), Part("low"), Seat(3), NamedKey.OK], "award main high 1 low 3"),
        ([NamedKey.AWARD, Part("high"), Seat(1), Part(), Seat(3), NamedKey.OK], "award main 3"),
    ],
)
def test_pots_are_given_by_touching_seats(touches: list[Target], step: str) -> None:
    assert touch(award_screen(game=HIGH_LOW, next=()), *touches)[1] == [step]


def test_halves_are_only_there_where_the_game_has_them() -> None:
    screen, _ = touch(award_screen(next=()), NamedKey.AWARD)
    assert not any(isinstance(target, Part) for target in reachable(screen))


def test_a_pot_of_two_boards_is_given_board_by_board() -> None:
    screen = at("boards", give="main", next=())
    touches: list[Target] = [NamedKey.AWARD, Seat(3), Part(board=2), Seat(5), Seat(8), NamedKey.OK]
    assert touch(screen, *touches)[1] == ["award main board1 3 board2 5 8"]
    assert NamedKey.OK not in reachable(touch(screen, *touches[:3])[0]), "the second board has no winner yet"


def test_the_pot_that_is_given_next_is_opened_first() -> None:
    for give in ("side2", "side1"):
        screen, _ = touch(at("award", give=give, next=()), NamedKey.AWARD)
        assert isinstance(screen.mode, Award)
        assert screen.mode.pot == give
    assert NamedKey.AWARD not in reachable(at("award", give="", next=()))


def test_what_each_seat_would_get_is_asked_and_shown_before_it_is_given() -> None:
    screen, _ = touch(award_screen(next=()), NamedKey.AWARD, Seat(5))
    screen, asked = press(screen, Seat(1))
    assert asked == Sending("look award main 5 1", 0)
    page = AwardPage(pot="main", amount=2395, shares=(Share(seat=5, amount=1200), Share(seat=1, amount=1195)), rake=5)
    shown = answered(screen, msgspec.structs.replace(page, odd=(Share(seat=5, amount=5),)))
    assert lay_out(shown).told == ("5: 1,200 · 1: 1,195 · odd chip: 5 · rake 5", "hint")
    assert lay_out(press(shown, Seat(3))[0]).told[0] == "Touch who wins MAIN"
    hidden = replace(shown, view=msgspec.structs.replace(VIEWS["award"], show_pot="never"))
    assert lay_out(hidden).told[0] == "Touch who wins MAIN", "a house that hides the pot hides its parts"
    assert answered(at("award"), page).shares is None, "nothing is being given"


def test_a_pot_of_one_seat_is_given_by_one_touch() -> None:
    choice = Choice(label="award", do="award main 8", values=Values(seat=8, pot="main", amount=900))
    screen = at("award", pots=(PotView(name="main", amount=900, seats=(8,)),), next=(choice,), give="main")
    assert touch(screen, NamedKey.AWARD)[1] == ["award main 8"]


def test_after_one_pot_the_next_asks_by_itself() -> None:
    screen, _ = touch(at("award", give="side2", next=()), NamedKey.AWARD, Seat(9), NamedKey.OK)
    view = screen.view
    assert view is not None
    pots = view.pots[:-1]
    screen = show(screen, msgspec.structs.replace(view, pots=pots, give="side1", sequence=view.sequence + 1))
    assert isinstance(screen.mode, Award)
    assert screen.mode.pot == "side1"
    screen = show(screen, msgspec.structs.replace(view, pots=(), give="", sequence=view.sequence + 2, phase="over"))
    assert screen.mode == Normal()


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


def test_a_touch_that_came_too_late_is_told_until_the_next_one() -> None:
    late = refuse(at("pot-limit"), Refused(code="too-late", stays=True))
    assert show(late, VIEWS["owes"]).message == late.message
    assert press(late, NamedKey.CALL)[0].message is None


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


def test_the_tables_keys_open_those_of_a_seat_with_what_was_typed() -> None:
    screen, _ = touch(at("pot-limit"), NamedKey.TABLE, Digit("9"))
    assert isinstance(screen.mode, TablePanel)
    screen, _ = touch(screen, Seat(4))
    assert screen.mode == SeatPanel(4, Typed("9"))


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
    assert [pot.amount for pot in lay_out(screen).sides] == ["", "", ""]
    assert [pot.seats for pot in lay_out(screen).sides] == ["1 3 5 8 9", "1 5 8 9", "1 8 9"]


def test_pots_of_several_boards_are_told_board_by_board() -> None:
    scene = lay_out(at("boards"))
    assert [(pot.name, pot.amount) for pot in scene.sides] == [
        ("MAIN", "2,525 + 2,525"),
        ("SIDE 1", "1,110 + 1,110"),
    ]
    assert scene.street == "BOMB POT 20 · TURN"
    assert [pot.amount for pot in lay_out(at("boards", show_pot="never")).sides] == ["", ""]


def test_one_pot_of_several_boards_has_a_line_too() -> None:
    pots = (PotView(name="main", amount=240, seats=(3, 5), boards=(120, 120)),)
    scene = lay_out(at("boards", pots=pots, pot=240))
    assert [(pot.name, pot.amount, pot.seats) for pot in scene.sides] == [("MAIN", "120 + 120", "3 5")]
    assert lay_out(at("boards", pots=pots, show_pot="never")).sides == ()


def test_the_level_and_what_follows_are_told_while_there_is_no_alert() -> None:
    scene = lay_out(at("tournament"))
    assert scene.notes[0] == "level 7, 4 min left · then $2,000/$4,000 · break in 24 min"
    assert scene.street == "Hand for hand"
    over = msgspec.structs.replace(VIEWS["tournament"].level or LevelView(name=""), minutes_left=0, next_game=None)
    assert lay_out(at("tournament", level=over, hold="break")).notes[0] == "level 7: time is over · break in 24 min"
    assert lay_out(at("tournament", hold="break")).street == "Break"
    assert lay_out(at("tournament", hold="")).street == "Between hands"
    later = GameView(variant="razz", structure="fixed-limit", bets=(10, 10, 20, 20, 20))
    assert lay_out(at("tournament", level=None, next_game=later)).notes[0] == "next hand: Razz fixed-limit $10/$20"
    assert lay_out(at("tournament", level=None, follows=later)).notes[0] == "then Razz fixed-limit $10/$20"


def test_markers_are_told_until_there_is_something_more_urgent() -> None:
    assert [face.flag for face in lay_out(at("tournament")).seats] == ["", "", "", "", "", "marker $150"]
    seats = tuple(msgspec.structs.replace(seat, owes=5) for seat in VIEWS["tournament"].seats)
    assert {face.flag for face in lay_out(at("tournament", seats=seats)).seats} == {"OWES $5"}


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
    touchables = lay_out(sample.screen).touchables
    for index, one in enumerate(touchables):
        assert min(one.box.w, one.box.h) >= 71, one.target
        for other in touchables[index + 1 :]:
            assert not one.box.overlaps(other.box), (one.target, other.target)


@pytest.mark.parametrize("touches", [(), (NamedKey.TABLE,), (BetSpot(3),), (BetSpot(3), Digit("8"))])
def test_a_key_means_the_same_in_two_pictures_of_the_same_view(touches: tuple[Target, ...]) -> None:
    screen, _ = touch(at("pot-limit", undo_crosses=True), *touches)
    assert lay_out(screen).touchables == lay_out(replace(screen)).touchables


def test_a_step_names_the_view_that_was_looked_at() -> None:
    assert press(at("pot-limit", sequence=4711), NamedKey.CALL)[1] == Sending("5 call", 4711)


def test_without_a_view_nothing_is_drawn_as_if_it_were_one() -> None:
    picture = lay_out(Screen())
    assert (picture.live, picture.seats, picture.touchables) == (False, (), ())


def test_views_are_shown_whatever_they_hold() -> None:
    assert lay_out(show(Screen(), TableView(sequence=1))).live
