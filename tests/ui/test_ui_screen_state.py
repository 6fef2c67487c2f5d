"""Check the state of the screen after touches, and the commands that the touches send."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.messages import Messages
from controller.view import (
    ActionView,
    Alert,
    Choice,
    GameView,
    KeyLabel,
    LevelView,
    MessageValues,
    Money,
    PotView,
    RefusalView,
    StepSummary,
    TableView,
    pages,
)
from tests.ui.touch_table import count_untyped
from ui.scene import lay_out_scene
from ui.state import (
    AlertAnswer,
    AwardBoard,
    AwardPart,
    BetSpot,
    CardTab,
    ChipKey,
    NamedKey,
    OfferedStep,
    OutgoingCommand,
    PadDigit,
    PotChoice,
    QuickAmount,
    ScreenMessage,
    ScreenState,
    SeatTile,
    Target,
    amount_entry,
    is_pot_visible,
    lose_connection,
    modes,
    page_actions,
    press_target,
    show_refusal,
    show_view,
)
from ui.view_samples import ViewSample, view_samples

VIEWS = {sample.name: sample.view for sample in view_samples()}


def targets_of(screen: ScreenState) -> set[Target]:
    return {area.target for area in lay_out_scene(screen).touch_areas}


def touch(screen: ScreenState, *targets: Target) -> tuple[ScreenState, list[str]]:
    """Return the screen after these touches, and the steps that they sent, without queries.

    Fail if a target cannot be touched.
    """
    sent = []
    for target in targets:
        assert target in targets_of(screen), f"{target} cannot be touched"
        screen, command = press_target(screen, target)
        if command is not None and command.view_sequence:
            assert screen.view is not None
            assert command.view_sequence == screen.view.sequence
            sent.append(command.do)
    return screen, sent


def screen_at(name: str, **changes: Any) -> ScreenState:
    return show_view(ScreenState(), msgspec.structs.replace(VIEWS[name], **changes))


@pytest.mark.parametrize(
    ("name", "touches", "steps"),
    [
        ("pot-limit", [NamedKey.FOLD], ["5 fold"]),
        ("pot-limit", [NamedKey.CALL], ["5 call"]),
        ("pot-limit", [NamedKey.POT], ["5 pot"]),
        ("pot-limit", [NamedKey.ALL_IN], ["5 pot"]),
        ("pot-limit", [NamedKey.UNDO], ["undo"]),
        ("pot-limit", [NamedKey.CALL_FLOOR], ["call-floor"]),
        ("pot-limit", [SeatTile(8), NamedKey.ACTION_HERE], ["here 8"]),
        ("pot-limit", [NamedKey.RAISE, PadDigit("2"), PadDigit("00"), NamedKey.OK], ["5 raise to 200"]),
        ("pot-limit", [NamedKey.RAISE, QuickAmount("min"), NamedKey.OK], ["5 raise to 100"]),
        ("pot-limit", [NamedKey.RAISE, QuickAmount("max"), NamedKey.OK], ["5 raise to 305"]),
        ("pot-limit", [NamedKey.RAISE, ChipKey(100), ChipKey(25), ChipKey(25), NamedKey.OK], ["5 raise to 150"]),
        ("pot-limit", [NamedKey.RAISE, QuickAmount("min"), ChipKey(25), NamedKey.OK], ["5 raise to 125"]),
        ("pot-limit", [NamedKey.RAISE, PadDigit("2"), NamedKey.CANCEL, NamedKey.CALL], ["5 call"]),
        ("pot-limit", [NamedKey.RAISE, PadDigit("2"), NamedKey.CANCEL, NamedKey.UNDO], ["undo"]),
        ("closed", [NamedKey.DEAL], ["deal"]),
        ("idle", [NamedKey.NEXT_HAND], ["hand"]),
        ("over-pot", [AlertAnswer(0)], ["return 5"]),
        ("over-pot", [AlertAnswer(1)], ["5 said raise"]),
        ("over-pot", [OfferedStep(0)], ["return 5"]),
        ("out-of-turn-question", [AlertAnswer(0)], ["here 8"]),
        ("out-of-turn-warning", [NamedKey.ALERT_DETAILS, AlertAnswer(1)], ["floor bind 8"]),
        ("own-stack-question", [AlertAnswer(0)], ["chips-are 8 nothing"]),
        ("own-stack-question", [AlertAnswer(2)], ["chips-are 8 of 125"]),
        ("splash-question", [AlertAnswer(0)], ["chips-are 8 of 120"]),
        (
            "no-limit",
            [NamedKey.RAISE, PadDigit("2"), PadDigit("5"), PadDigit("."), PadDigit("5"), NamedKey.OK],
            ["3 raise to 2550"],
        ),
    ],
)
def test_keys_send_their_step(name: str, touches: list[Target], steps: list[str]) -> None:
    assert touch(screen_at(name), *touches)[1] == steps


@pytest.mark.parametrize(
    ("unit", "decimals", "values", "labels"),
    [
        (1, 0, (1, 5, 25, 100), "+1 +5 +25 +100"),
        (5, 0, (5, 25, 100, 500), "+5 +25 +100 +500"),
        (25, 0, (25, 100, 500, 1000), "+25 +100 +500 +1000"),
        (2, 0, (100, 500, 1000, 5000), "+100 +500 +1000 +5000"),
        (1, 2, (5, 25, 100, 500), "+0.05 +0.25 +1 +5"),
        (100, 2, (100, 500, 2500, 10_000), "+1 +5 +25 +100"),
    ],
)
def test_chip_keys_are_the_smallest_chips_of_the_game(
    unit: int, decimals: int, values: tuple[int, ...], labels: str
) -> None:
    screen, _ = touch(screen_at("pot-limit", unit=unit, money=Money(decimals=decimals)), NamedKey.RAISE)
    keys = [key for key in lay_out_scene(screen).keys if isinstance(key.target, ChipKey)]
    assert [key.target for key in keys] == [ChipKey(value) for value in values]
    assert [key.label for key in keys] == labels.split()


@pytest.mark.parametrize(
    ("colours", "decimals", "keys"),
    [
        ({}, 0, "+1 #f4f4f0 +5 #741a24 +25 #0f5a2c +100 #101010"),
        ({1: "#ffffff", 5: "#c0392b"}, 0, "+1 #ffffff +5 #c0392b +25 #0f5a2c +100 #101010"),
        ({5: "#c0392b", 20: "#0000ff"}, 0, "+1 #f4f4f0 +5 #c0392b +20 #0000ff +25 #0f5a2c"),
        (
            {2: "#ffc0cb", 10: "#0000ff", 50: "#ffa500", 250: "#000000"},
            0,
            "+2 #ffc0cb +10 #0000ff +50 #ffa500 +250 #000000",
        ),
        ({25: "#ffc0cb", 100: "#0000ff"}, 2, "+0.05 key +0.25 #ffc0cb +1 #0000ff +5 #741a24"),
    ],
)
def test_chip_keys_have_the_colours_of_the_house(colours: dict[int, str], decimals: int, keys: str) -> None:
    screen, _ = touch(
        screen_at("pot-limit", unit=1, money=Money(decimals=decimals), chip_colours=colours), NamedKey.RAISE
    )
    shown = [(key.label, key.tone) for key in lay_out_scene(screen).keys if isinstance(key.target, ChipKey)]
    assert " ".join(map(" ".join, shown)) == keys


def test_chip_that_would_exceed_the_largest_amount_changes_nothing() -> None:
    full = amount_entry.TypedAmount("9" * amount_entry.MAX_DIGITS)
    assert amount_entry.add_chip(full, 5, Money()) == full


def test_pad_reveals_no_hidden_pot() -> None:
    hidden = screen_at("pot-limit", quick_bets={"half-pot": 150}, pot_to=305, show_pot="on-request")
    screen, _ = touch(hidden, NamedKey.RAISE)
    keys = {key.target: (key.detail, key.is_enabled) for key in lay_out_scene(screen).keys}
    assert [keys[QuickAmount(kind)] for kind in ("half-pot", "two-thirds-pot", "pot")] == 3 * [("", False)]


def test_keys_for_parts_of_the_pot_show_their_amounts() -> None:
    screen, _ = touch(screen_at("pot-limit", quick_bets={"half-pot": 150}, pot_to=305), NamedKey.RAISE)
    keys = {key.target: (key.detail, key.is_enabled) for key in lay_out_scene(screen).keys}
    assert keys[QuickAmount("half-pot")] == ("150", True)
    assert keys[QuickAmount("pot")] == ("305", True)
    without_half, _ = touch(screen_at("pot-limit", quick_bets={}), NamedKey.RAISE)
    keys = {key.target: (key.detail, key.is_enabled) for key in lay_out_scene(without_half).keys}
    assert keys[QuickAmount("half-pot")] == ("", False)


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([SeatTile(8), NamedKey.SEAT_FOLD], "8 fold"),
        ([BetSpot(3), NamedKey.ANNOUNCED_CALL], "3 said call"),
        ([BetSpot(3), NamedKey.ANNOUNCED_RAISE], "3 said raise"),
        ([SeatTile(8), PadDigit("8"), PadDigit("0"), NamedKey.SEAT_RAISE], "8 raise to 80"),
        ([BetSpot(3), PadDigit("8"), PadDigit("0"), NamedKey.ANNOUNCED_RAISE], "3 said raise to 80"),
        ([BetSpot(3), PadDigit("8"), PadDigit("0"), NamedKey.CORRECT_WAGER], "3 was 80"),
        ([BetSpot(3), NamedKey.OPEN_CHIPS, PadDigit("2"), PadDigit("5"), NamedKey.TAKE_BACK], "3 takes 25"),
        ([BetSpot(3), PadDigit("9"), PadDigit("00"), NamedKey.OPEN_CHIPS, NamedKey.SET_STACK], "3 stack 900"),
    ],
)
def test_correction_needs_two_touches_a_list_and_the_digits(touches: list[Target], step: str) -> None:
    screen, sent = touch(screen_at("pot-limit"), *touches)
    assert sent == [step]
    assert count_untyped(touches) == (3 if NamedKey.OPEN_CHIPS in touches else 2)
    assert screen.mode == modes.Normal()


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([NamedKey.FLOOR_TURN, SeatTile(8)], "floor turn 8"),
        ([SeatTile(8), NamedKey.FLOOR_TURN], "floor turn 8"),
        ([NamedKey.FLOOR_KILL_HAND, SeatTile(8)], "floor dead 8"),
        ([PadDigit("8"), PadDigit("0"), NamedKey.FLOOR_BET, SeatTile(3)], "floor bet 3 80"),
        ([SeatTile(3), PadDigit("8"), PadDigit("0"), NamedKey.FLOOR_BET], "floor bet 3 80"),
        ([PadDigit("6"), PadDigit("4"), PadDigit("0"), NamedKey.FLOOR_POT], "floor pot 640"),
    ],
)
def test_floor_decides_after_the_menu_and_at_once_if_it_is_called(touches: list[Target], step: str) -> None:
    screen, sent = touch(screen_at("pot-limit"), NamedKey.MENU, NamedKey.FLOOR_RULING, *touches)
    assert (sent, screen.mode) == ([step], modes.Normal())
    called = (*VIEWS["pot-limit"].alerts, Alert(code="floor-called", level="info"))
    screen, sent = touch(screen_at("pot-limit", alerts=called), NamedKey.CALL_FLOOR, *touches)
    assert (sent, screen.mode) == ([step], modes.Normal())


def test_called_floor_decides_about_the_seat_of_the_open_card() -> None:
    card, _ = touch(screen_at("pot-limit", alerts=(Alert(code="floor-called", level="info"),)), SeatTile(8))
    screen, sent = touch(card, NamedKey.CALL_FLOOR)
    assert (screen.mode, sent) == (modes.FloorPanel(8), [])
    assert touch(screen, NamedKey.FLOOR_KILL_HAND)[1] == ["floor dead 8"]
    assert touch(screen, NamedKey.CALL_FLOOR)[0].mode == modes.Normal()
    assert touch(screen, SeatTile(8))[0].mode == modes.FloorPanel()


def test_wrong_action_is_asked_for_and_named_in_the_status_line() -> None:
    screen, sent = touch(screen_at("pot-limit"), BetSpot(4), NamedKey.DID_NOT_FOLD)
    assert sent == []
    assert lay_out_scene(screen).status_line == ("What did seat 4 do?", "hint")
    assert NamedKey.WAS_FOLD not in targets_of(screen)
    assert touch(screen, CardTab.ACTION)[0].mode == modes.SeatPanel(4, tab=CardTab.ACTION)
    assert touch(screen, NamedKey.CANCEL)[0].mode == modes.Normal()


def test_misdeal_asks_once() -> None:
    screen, sent = touch(screen_at("pot-limit"), NamedKey.MENU, NamedKey.MISDEAL)
    assert (type(screen.mode), sent) == (modes.Confirmation, [])
    assert lay_out_scene(screen).status_line == (Messages().text("misdeal-sure"), "hint")
    assert touch(screen, NamedKey.CANCEL)[0].mode == modes.Normal()
    assert touch(screen, NamedKey.OK)[1] == ["void"]


def test_undo_into_the_previous_hand_asks_once() -> None:
    screen, sent = touch(screen_at("pot-limit", undo_crosses=True), NamedKey.UNDO)
    assert (type(screen.mode), sent) == (modes.Confirmation, [])
    assert touch(screen, NamedKey.OK)[1] == ["undo"]
    other_view = msgspec.structs.replace(VIEWS["pot-limit"], undo=StepSummary(step="deals"), undo_crosses=True)
    assert show_view(screen, other_view).mode == modes.Normal(), (
        "the question no longer names the step that would be undone"
    )


def test_redo_key_appears_after_undo_and_names_the_step() -> None:
    assert NamedKey.REDO not in targets_of(screen_at("pot-limit"))
    screen = screen_at("pot-limit", redo=StepSummary(step="declares", seat=4, action=ActionView(verb="fold")))
    assert touch(screen, NamedKey.REDO)[1] == ["redo"]
    key = next(key for key in lay_out_scene(screen).keys if key.target is NamedKey.REDO)
    assert key.detail == "Seat 4 folds"


def test_number_pad_keys_are_not_next_to_undo() -> None:
    for touches in ((NamedKey.RAISE,), (BetSpot(3),), (NamedKey.MENU,)):
        assert NamedKey.UNDO not in targets_of(touch(screen_at("pot-limit"), *touches)[0])


def test_next_seat_key_answers_an_open_question() -> None:
    screen, sent = touch(screen_at("idle"), SeatTile(3), NamedKey.CHANGE_SEAT)
    assert (type(screen.mode), sent) == (modes.SeatPick, [])
    assert lay_out_scene(screen).status_line == ("Touch the new seat of seat 3", "hint")
    assert touch(screen, NamedKey.CANCEL)[0].mode == modes.Normal()
    assert touch(screen, SeatTile(5))[1] == ["3 moves 5"]


def test_refusal_returns_to_the_typed_amount() -> None:
    screen, sent = touch(screen_at("idle"), SeatTile(5), PadDigit("8"), PadDigit("00"), NamedKey.SIT)
    assert (screen.mode, sent) == (modes.Normal(), ["5 sit 800"])
    restored = show_refusal(screen, RefusalView(code="buy-in", values=MessageValues(amount=800, least=40, most=200)))
    assert isinstance(restored.mode, modes.SeatPanel)
    entry = lay_out_scene(restored).entry_field
    assert entry is not None
    assert entry.value == "$800"
    assert lay_out_scene(restored).status_line[1] == "refused"
    assert show_view(restored, msgspec.structs.replace(VIEWS["idle"], sequence=999)).mode == restored.mode


def test_refusal_does_not_reopen_a_panel_that_was_closed() -> None:
    screen, _ = touch(screen_at("idle"), SeatTile(5), PadDigit("8"), NamedKey.SIT, SeatTile(1))
    assert show_refusal(screen, RefusalView(code="seat-taken", values=MessageValues(seat=5))).mode == modes.SeatPanel(1)


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([SeatTile(5), PadDigit("2"), PadDigit("00"), NamedKey.SIT], "5 sit 200"),
        ([SeatTile(1), PadDigit("1"), PadDigit("00"), NamedKey.ADD_CHIPS], "1 add 100"),
        ([SeatTile(1), PadDigit("5"), NamedKey.TIP], "1 tip 5"),
        ([SeatTile(1), NamedKey.AWAY], "1 away"),
        ([SeatTile(4), NamedKey.BACK], "4 back"),
        ([SeatTile(1), NamedKey.LEAVE], "1 leave"),
        ([BetSpot(1), NamedKey.OPEN_CHIPS, NamedKey.STACK_UNKNOWN], "1 stack unknown"),
    ],
)
def test_touch_on_a_seat_between_hands_opens_its_keys(touches: list[Target], step: str) -> None:
    assert touch(screen_at("idle"), *touches)[1] == [step]


@pytest.mark.parametrize(
    ("name", "touches", "step"),
    [
        ("pot-limit", [BetSpot(3), NamedKey.OPEN_CHIPS, NamedKey.COUNT_BET], "count 3 bet"),
        ("pot-limit", [BetSpot(3), NamedKey.OPEN_CHIPS, NamedKey.COUNT_STACK], "count 3 stack"),
        (
            "pot-limit",
            [BetSpot(3), NamedKey.OPEN_CHIPS, PadDigit("9"), PadDigit("00"), NamedKey.SET_STACK],
            "3 stack 900",
        ),
        (
            "pot-limit",
            [BetSpot(3), NamedKey.OPEN_CHIPS, PadDigit("2"), PadDigit("5"), NamedKey.TAKE_BACK],
            "3 takes 25",
        ),
        ("idle", [BetSpot(1), NamedKey.OPEN_CHIPS, NamedKey.COUNT_STACK], "count 1 stack"),
        ("idle", [BetSpot(1), NamedKey.OPEN_CHIPS, NamedKey.COUNT_BUY_IN], "count 1 buy-in"),
        ("idle", [SeatTile(5), CardTab.FIX, NamedKey.OPEN_CHIPS, NamedKey.COUNT_BUY_IN], "count 5 buy-in"),
    ],
)
def test_empty_amount_starts_a_count_if_there_is_a_pad(name: str, touches: list[Target], step: str) -> None:
    assert touch(screen_at(name, has_count_pad=True), *touches)[1] == [step]
    if not step.startswith("count"):
        return
    screen = screen_at(name)
    for target in touches[:-1]:
        screen = touch(screen, target)[0] if target in targets_of(screen) else screen
    assert touches[-1] not in targets_of(screen)


def test_held_actions_are_bound_or_released() -> None:
    decides, _ = touch(screen_at("out-of-turn-warning"), NamedKey.MENU, NamedKey.FLOOR_RULING)
    assert touch(decides, NamedKey.FLOOR_RELEASE)[1] == ["floor release 8"]
    assert touch(decides, NamedKey.FLOOR_BIND)[1] == ["floor bind 8"]
    unavailable = {
        NamedKey.FLOOR_RELEASE,
        NamedKey.FLOOR_BIND,
        NamedKey.RETURN_CHIPS,
        NamedKey.TAKE_BACK,
        NamedKey.SET_STACK,
        NamedKey.PAY_OWED,
    }
    assert not targets_of(touch(screen_at("pot-limit"), BetSpot(8))[0]) & unavailable


def test_seat_that_cannot_act_has_no_key_for_the_turn() -> None:
    screen, sent = touch(screen_at("pot-limit"), SeatTile(4))
    assert sent == []
    assert isinstance(screen.mode, modes.SeatPanel)
    assert NamedKey.ACTION_HERE not in targets_of(screen)


def test_key_for_the_turn_names_the_seats_that_it_passes() -> None:
    screen, _ = touch(screen_at("pot-limit"), SeatTile(8))
    key = next(key for key in lay_out_scene(screen).keys if key.target is NamedKey.ACTION_HERE)
    assert (key.label, key.detail) == ("ACTION HERE", "Seats 5 and 7 fold")


def test_shown_tab_closes_the_card_and_another_tab_keeps_the_amount() -> None:
    screen, _ = touch(screen_at("pot-limit"), SeatTile(8), PadDigit("8"), CardTab.FIX)
    assert screen.mode == modes.SeatPanel(8, amount_entry.TypedAmount("8"), tab=CardTab.FIX)
    assert touch(screen, CardTab.FIX)[0].mode == modes.Normal()


@pytest.mark.parametrize(
    ("label", "do", "hint"),
    [("acts-first", "first 3", "Touch the first to act"), ("brings-in", "bring-in 3", "Touch the bring-in")],
)
def test_touch_on_a_stud_seat_names_the_bring_in_or_the_first_to_act(label: KeyLabel, do: str, hint: str) -> None:
    screen = screen_at("pot-limit", turn=None, next_choices=(Choice(label=label, do=do, values=MessageValues(seat=3)),))
    assert lay_out_scene(screen).status_line == (hint, "hint")
    assert touch(screen, SeatTile(3))[1] == [do]
    assert OfferedStep(0) not in targets_of(screen)


# --- pots ---

HIGH_LOW = msgspec.structs.replace(VIEWS["award"].game, high_low=True)


def award_screen(**changes: Any) -> ScreenState:
    return screen_at("award", next_pot_to_award="main", **changes)


@pytest.mark.parametrize(
    ("touches", "step"),
    [
        ([NamedKey.AWARD, SeatTile(3), NamedKey.OK], "award main 3"),
        ([SeatTile(3), NamedKey.OK], "award main 3"),
        ([NamedKey.AWARD, SeatTile(5), SeatTile(1), NamedKey.OK], "award main 5 1"),
        ([NamedKey.AWARD, SeatTile(5), SeatTile(1), SeatTile(5), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, SeatTile(5), NamedKey.ADD_SHARE, SeatTile(1), NamedKey.OK], "award main 5*2 1"),
        ([NamedKey.AWARD, SeatTile(7), SeatTile(1), NamedKey.OK], "award main 1"),
        ([NamedKey.AWARD, PotChoice("side2"), SeatTile(9), NamedKey.OK], "award side2 9"),
        (
            [NamedKey.AWARD, AwardPart("high"), SeatTile(1), AwardPart("low"), SeatTile(1), SeatTile(3), NamedKey.OK],
            "award main high 1 low 1 3",
        ),
        (
            [NamedKey.AWARD, SeatTile(1), AwardPart("high"), AwardPart("low"), SeatTile(3), NamedKey.OK],
            "award main high 1 low 3",
        ),
        ([NamedKey.AWARD, AwardPart("high"), SeatTile(1), AwardPart(), SeatTile(3), NamedKey.OK], "award main 3"),
    ],
)
def test_pots_are_awarded_by_touching_seats(touches: list[Target], step: str) -> None:
    assert touch(award_screen(game=HIGH_LOW, next_choices=()), *touches)[1] == [step]


def test_halves_are_shown_only_in_high_low_games() -> None:
    screen, _ = touch(award_screen(next_choices=()), NamedKey.AWARD)
    assert not any(isinstance(target, AwardPart) for target in targets_of(screen))


def test_pot_of_two_boards_is_awarded_board_by_board() -> None:
    screen = screen_at("boards", next_pot_to_award="main", next_choices=())
    touches: list[Target] = [NamedKey.AWARD, SeatTile(3), AwardBoard(2), SeatTile(5), SeatTile(8), NamedKey.OK]
    assert touch(screen, *touches)[1] == ["award main board1 3 board2 5 8"]
    assert NamedKey.OK not in targets_of(touch(screen, *touches[:3])[0]), "the second board has no winner yet"


@pytest.mark.parametrize(
    ("touches", "part", "step"),
    [
        ([SeatTile(3), SeatTile(5)], AwardPart(board=2), "award main board1 3 board2 5"),
        ([SeatTile(3), SeatTile(5), AwardBoard(1), SeatTile(8)], AwardPart(board=1), "award main board1 3 8 board2 5"),
        (
            [AwardPart("high", 1), SeatTile(3), SeatTile(5), SeatTile(8), SeatTile(3), SeatTile(5)],
            AwardPart("low", 2),
            "award main board1 high 3 low 5 board2 high 8 low 3 5",
        ),
        (
            [SeatTile(3), AwardPart("high", 2), SeatTile(5), SeatTile(8), AwardBoard(1), AwardBoard(2)],
            AwardPart("high", 2),
            "award main board1 3 board2 high 5 low 8",
        ),
        ([SeatTile(3), AwardBoard(1), SeatTile(3), SeatTile(5)], AwardPart(board=2), ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tabs_of_halves_and_boards_advance_with_the_first_winner(
    touches: list[Target], part: AwardPart, step: str
) -> None:
    game = msgspec.structs.replace(VIEWS["boards"].game, high_low=True)
    screen, _ = touch(screen_at("boards", game=game, next_pot_to_award="main", next_choices=()), NamedKey.AWARD)
    screen, _ = touch(screen, *touches)
    assert isinstance(screen.mode, modes.AwardEntry)
    assert screen.mode.part == part
    assert [key.target for key in lay_out_scene(screen).keys if key.tone == "picked"][:2] == [
        part,
        AwardBoard(part.board),
    ]
    assert touch(screen, NamedKey.OK)[1] == [step] if step else NamedKey.OK not in targets_of(screen)


def test_next_pot_to_award_is_opened_first() -> None:
    for pot in ("side2", "side1"):
        screen, _ = touch(screen_at("award", next_pot_to_award=pot, next_choices=()), NamedKey.AWARD)
        assert isinstance(screen.mode, modes.AwardEntry)
        assert screen.mode.pot == pot
    assert NamedKey.AWARD not in targets_of(screen_at("award", next_pot_to_award="", next_choices=()))


def test_award_preview_is_requested_and_shown_before_the_award() -> None:
    screen, _ = touch(award_screen(next_choices=()), NamedKey.AWARD, SeatTile(5))
    screen, command = press_target(screen, SeatTile(1))
    assert command == OutgoingCommand("look award main 5 1", 0)
    page = pages.AwardPage(
        pot="main",
        amount=2395,
        shares=(pages.SeatShare(seat=5, amount=1200), pages.SeatShare(seat=1, amount=1195)),
        rake=5,
    )
    screen_with_shares = page_actions.receive_page(
        screen, msgspec.structs.replace(page, odd_chips=(pages.SeatShare(seat=5, amount=5),))
    )
    assert lay_out_scene(screen_with_shares).status_line == (
        "5: 1,200 · 1: 1,195 · odd chip 5 to seat 5 · rake 5",
        "hint",
    )
    odd_chips = (pages.SeatShare(seat=5, amount=5, board=1), pages.SeatShare(seat=1, amount=5, board=2))
    two_boards = page_actions.receive_page(screen, msgspec.structs.replace(page, odd_chips=odd_chips, rake=0))
    assert (
        lay_out_scene(two_boards)
        .status_line[0]
        .endswith("board 1: odd chip 5 to seat 5 · board 2: odd chip 5 to seat 1")
    )
    assert lay_out_scene(press_target(screen_with_shares, SeatTile(3))[0]).status_line[0] == "Touch the winner: MAIN"
    screen_without_pot = replace(screen_with_shares, view=msgspec.structs.replace(VIEWS["award"], show_pot="never"))
    assert lay_out_scene(screen_without_pot).status_line[0] == "Touch the winner: MAIN", (
        "a house that hides the pot hides its parts"
    )
    assert page_actions.receive_page(screen_at("award"), page).award_shares is None, "no award is open"


def test_pot_of_one_seat_is_awarded_with_one_touch() -> None:
    choice = Choice(label="award", do="award main 8", values=MessageValues(seat=8, pot="main", amount=900))
    screen = screen_at(
        "award", pots=(PotView(name="main", amount=900, seats=(8,)),), next_choices=(choice,), next_pot_to_award="main"
    )
    assert touch(screen, NamedKey.AWARD)[1] == ["award main 8"]


def test_next_pot_opens_automatically_after_an_award() -> None:
    screen, _ = touch(
        screen_at("award", next_pot_to_award="side2", next_choices=()), NamedKey.AWARD, SeatTile(9), NamedKey.OK
    )
    view = screen.view
    assert view is not None
    pots = view.pots[:-1]
    screen = show_view(
        screen, msgspec.structs.replace(view, pots=pots, next_pot_to_award="side1", sequence=view.sequence + 1)
    )
    assert isinstance(screen.mode, modes.AwardEntry)
    assert screen.mode.pot == "side1"
    screen = show_view(
        screen, msgspec.structs.replace(view, pots=(), next_pot_to_award="", sequence=view.sequence + 2, phase="over")
    )
    assert screen.mode == modes.Normal()


def test_number_pad_closes_when_the_turn_changes() -> None:
    screen, _ = touch(screen_at("pot-limit"), NamedKey.RAISE, PadDigit("2"))
    assert isinstance(screen.mode, modes.WagerEntry)
    same_turn_view = msgspec.structs.replace(
        VIEWS["pot-limit"], sequence=120, last_step=StepSummary(step="comes-back", seat=2)
    )
    assert isinstance(show_view(screen, same_turn_view).mode, modes.WagerEntry)
    assert show_view(screen, msgspec.structs.replace(same_turn_view, turn=7)).mode == modes.Normal()


def test_seat_keys_stay_open_until_the_end_of_the_hand() -> None:
    screen, _ = touch(screen_at("pot-limit"), BetSpot(3), PadDigit("8"))
    assert isinstance(show_view(screen, msgspec.structs.replace(VIEWS["pot-limit"], turn=7)).mode, modes.SeatPanel)
    assert show_view(screen, msgspec.structs.replace(VIEWS["pot-limit"], hand_number=119)).mode == modes.Normal()


def test_nothing_is_sent_while_not_live() -> None:
    screen = lose_connection(screen_at("pot-limit"), ScreenMessage("connection-ended"))
    screen, command = press_target(screen, NamedKey.CALL)
    assert command is None
    scene = lay_out_scene(screen)
    assert not scene.is_live
    assert "closed the connection" in scene.disconnected_text[1]
    assert show_view(screen, VIEWS["pot-limit"]).is_live


def test_view_with_another_protocol_is_not_shown() -> None:
    screen = show_view(screen_at("pot-limit"), msgspec.structs.replace(VIEWS["idle"], protocol=9))
    assert not screen.is_live
    assert screen.view is VIEWS["pot-limit"] or screen.view == VIEWS["pot-limit"]
    assert "protocol 9" in lay_out_scene(screen).disconnected_text[1]


def test_refusal_is_shown_until_the_next_view() -> None:
    screen = show_refusal(screen_at("pot-limit"), RefusalView(code="folded", values=MessageValues(seat=3)))
    assert lay_out_scene(screen).status_line == ("Not done: seat 3 has folded", "refused")
    assert lay_out_scene(show_view(screen, VIEWS["pot-limit"])).status_line[1] == "calm"


def test_late_touch_is_reported_until_the_next_touch() -> None:
    screen = show_refusal(screen_at("pot-limit"), RefusalView(code="too-late", is_sticky=True))
    assert show_view(screen, VIEWS["owes"]).message == screen.message
    assert press_target(screen, NamedKey.CALL)[0].message is None


def test_warning_with_a_refusal_stays_in_the_alert_band_until_answered() -> None:
    alert = Alert(code="buy-in", level="warning", values=MessageValues(seat=5, least=40, most=200), rule="buy-in")
    refusal = RefusalView(code="buy-in", values=MessageValues(seat=5, amount=500, least=40, most=200), alert=alert)
    screen = show_refusal(screen_at("pot-limit"), refusal)
    assert lay_out_scene(screen).alert_band.title == "Seat 5: buy-in out of range"
    screen, _ = touch(screen, NamedKey.ALERT_DETAILS, NamedKey.ALERT_DETAILS)
    assert lay_out_scene(screen).alert_band.title.startswith("House rules")
    screen, _ = touch(screen, NamedKey.DISMISS_ALERT)
    assert lay_out_scene(screen).alert_band.level == ""
    assert lay_out_scene(show_view(show_refusal(screen, refusal), VIEWS["pot-limit"])).alert_band.level == ""
    assert lay_out_scene(touch(show_refusal(screen, refusal), NamedKey.CALL)[0]).alert_band.level == ""


def test_table_keys_open_the_seat_keys_with_the_typed_amount() -> None:
    screen, _ = touch(screen_at("pot-limit"), NamedKey.MENU, PadDigit("9"))
    assert isinstance(screen.mode, modes.TablePanel)
    for seat, tab in ((3, CardTab.ACTION), (4, CardTab.PLAYER)):  # seat 4 has folded, and can only add chips
        card, _ = touch(screen, SeatTile(seat))
        assert card.mode == modes.SeatPanel(seat, amount_entry.TypedAmount("9"), tab=tab)


@pytest.mark.parametrize(
    ("show_pot", "is_shown", "has_key"), [("always", True, False), ("on-request", False, True), ("never", False, False)]
)
def test_house_setting_decides_whether_the_pot_is_shown(show_pot: str, is_shown: bool, has_key: bool) -> None:
    screen = screen_at("pot-limit", show_pot=show_pot)
    assert is_pot_visible(screen) is is_shown
    assert (lay_out_scene(screen).pot[1] == "185") is is_shown
    assert (NamedKey.SHOW_POT in targets_of(screen)) is has_key
    if has_key:
        screen, _ = touch(screen, NamedKey.SHOW_POT)
        assert lay_out_scene(screen).pot == ("POT", "185")
        assert not is_pot_visible(
            show_view(screen, msgspec.structs.replace(VIEWS["pot-limit"], show_pot=show_pot, round=3))
        )


def test_hidden_pot_hides_the_amounts_of_side_pots() -> None:
    screen = screen_at("side-pots", show_pot="never")
    assert [pot.amount for pot in lay_out_scene(screen).pot_list] == ["", "", ""]
    assert [pot.seats for pot in lay_out_scene(screen).pot_list] == ["1 3 5 8 9", "1 5 8 9", "1 8 9"]


def test_pots_of_several_boards_are_shown_board_by_board() -> None:
    scene = lay_out_scene(screen_at("boards"))
    assert [(pot.name, pot.amount) for pot in scene.pot_list] == [
        ("MAIN", "2,525 + 2,525"),
        ("SIDE 1", "1,110 + 1,110"),
    ]
    assert scene.street == "BOMB POT 20 · TURN"
    assert [pot.amount for pot in lay_out_scene(screen_at("boards", show_pot="never")).pot_list] == ["", ""]


def test_single_pot_of_several_boards_is_listed() -> None:
    pots = (PotView(name="main", amount=240, seats=(3, 5), boards=(120, 120)),)
    scene = lay_out_scene(screen_at("boards", pots=pots, pot=240))
    assert [(pot.name, pot.amount, pot.seats) for pot in scene.pot_list] == [("MAIN", "120 + 120", "3 5")]
    assert lay_out_scene(screen_at("boards", pots=pots, show_pot="never")).pot_list == ()


def test_level_and_next_level_are_shown_while_there_is_no_alert() -> None:
    scene = lay_out_scene(screen_at("tournament"))
    assert scene.notes[0] == "level 7, 4 min left · then $2,000/$4,000 · break in 24 min"
    assert scene.street == "Hand for hand"
    finished_level = msgspec.structs.replace(
        VIEWS["tournament"].level or LevelView(name=""), minutes_left=0, next_game=None
    )
    assert (
        lay_out_scene(screen_at("tournament", level=finished_level, hold="break")).notes[0]
        == "level 7: time is up · break in 24 min"
    )
    assert lay_out_scene(screen_at("tournament", hold="break")).street == "Break"
    assert lay_out_scene(screen_at("tournament", hold="")).street == "Between hands"
    next_game = GameView(variant="razz", structure="fixed-limit", bets=(10, 10, 20, 20, 20))
    assert (
        lay_out_scene(screen_at("tournament", level=None, next_game=next_game)).notes[0]
        == "next hand: Limit Razz $10/$20"
    )
    assert (
        lay_out_scene(screen_at("tournament", level=None, next_in_mix=next_game)).notes[0] == "then Limit Razz $10/$20"
    )


def test_markers_are_shown_until_a_more_urgent_alert() -> None:
    assert [tile.flag for tile in lay_out_scene(screen_at("tournament")).seats] == ["", "", "", "", "", "marker $150"]
    seats = tuple(msgspec.structs.replace(seat, chips_owed=5) for seat in VIEWS["tournament"].seats)
    assert {tile.flag for tile in lay_out_scene(screen_at("tournament", seats=seats)).seats} == {"OWES $5"}


def test_steps_that_wait_for_the_end_of_the_hand_are_shown_on_the_tile() -> None:
    adds = StepSummary(step="adds", seat=6, amount=100)
    moves = StepSummary(step="changes-seat", seat=6, seats=(7,))
    for waiting, flag in (((adds,), "then +$100"), ((moves, adds), "then to seat 7 …")):
        seats = tuple(
            msgspec.structs.replace(seat, queued_steps=waiting if seat.seat == 6 else (), markers_owed=0)
            for seat in VIEWS["tournament"].seats
        )
        assert lay_out_scene(screen_at("tournament", seats=seats)).seats[5].flag == flag
    sits = StepSummary(step="sits", seat=6, amount=500)
    empty = tuple(
        msgspec.structs.replace(seat, status="empty", queued_steps=(sits,)) if seat.seat == 6 else seat
        for seat in VIEWS["tournament"].seats
    )
    tile = lay_out_scene(screen_at("tournament", seats=empty)).seats[5]
    assert (tile.status, tile.flag) == ("next hand: $500", "")


def test_alerts_can_be_paged_and_notes_dismissed() -> None:
    screen = screen_at("out-of-turn-warning")
    assert lay_out_scene(screen).alert_band.level == "warning"
    screen, _ = touch(screen, NamedKey.NEXT_ALERT)
    assert lay_out_scene(screen).alert_band.level == "info"
    screen, _ = touch(screen, NamedKey.DISMISS_ALERT)
    assert lay_out_scene(screen).alert_band.level == "warning"
    assert NamedKey.NEXT_ALERT not in targets_of(screen)


def test_alert_that_follows_from_another_is_not_shown() -> None:
    warning, tray = VIEWS["out-of-turn-warning"].alerts
    consequence = msgspec.structs.replace(tray, cause="reader-offline")
    screen = screen_at("out-of-turn-warning", alerts=(consequence, warning))
    assert lay_out_scene(screen).alert_band.level == "warning"
    assert NamedKey.NEXT_ALERT not in targets_of(screen)


def test_alert_says_what_to_do_until_the_dealer_wants_to_know_more() -> None:
    screen = screen_at("out-of-turn-warning")
    shown = []
    for _ in range(4):
        scene = lay_out_scene(screen)
        key = next(key for key in scene.keys if key.target is NamedKey.ALERT_DETAILS)
        shown.append((scene.alert_band.is_action, len(scene.alert_band.text) > 60, key.label))
        screen, _ = touch(screen, NamedKey.ALERT_DETAILS)
    assert shown == [(True, False, "MORE"), (False, True, "RULE"), (False, True, "BACK"), (True, False, "MORE")]


def test_rule_is_shown_in_the_alert_band_without_covering_numbers() -> None:
    screen, _ = touch(screen_at("out-of-turn-warning"), NamedKey.ALERT_DETAILS, NamedKey.ALERT_DETAILS)
    scene = lay_out_scene(screen)
    assert scene.alert_band.title.startswith("Robert's Rules")
    assert scene.pot[1] == "185"
    assert len(scene.numbers) == 3


@pytest.mark.parametrize("sample", view_samples(), ids=lambda sample: sample.name)
def test_targets_have_at_least_12_mm_and_do_not_overlap(sample: ViewSample) -> None:
    areas = lay_out_scene(sample.screen_state).touch_areas
    for index, area in enumerate(areas):
        assert min(area.box.w, area.box.h) >= 71, area.target
        for other in areas[index + 1 :]:
            assert not area.box.overlaps(other.box), (area.target, other.target)


@pytest.mark.parametrize("touches", [(), (NamedKey.MENU,), (BetSpot(3),), (BetSpot(3), PadDigit("8"))])
def test_touch_areas_of_equal_screens_are_equal(touches: tuple[Target, ...]) -> None:
    screen, _ = touch(screen_at("pot-limit", undo_crosses=True), *touches)
    assert lay_out_scene(screen).touch_areas == lay_out_scene(replace(screen)).touch_areas


def test_step_names_the_view_that_was_shown() -> None:
    assert press_target(screen_at("pot-limit", sequence=4711), NamedKey.CALL)[1] == OutgoingCommand("5 call", 4711)


def test_screen_without_a_view_draws_no_table() -> None:
    scene = lay_out_scene(ScreenState())
    assert (scene.is_live, scene.seats, scene.touch_areas) == (False, (), ())


def test_any_view_can_be_drawn() -> None:
    assert lay_out_scene(show_view(ScreenState(), TableView(sequence=1))).is_live
