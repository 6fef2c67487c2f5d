"""Check what the screen shows in place of the actions while nobody can act: winners, blinds, posts and seats."""

from __future__ import annotations

import pytest

from controller.messages import languages
from tests.ui.test_ui_text_margins import faults_in
from tests.ui.touch_table import TouchTable, digit_touches
from ui.scene import Appearance, lay_out_scene
from ui.scene.layout import LAYOUTS, ScreenLayout
from ui.scene.paint import draw_scene
from ui.state import CardTab, NamedKey, SeatKey, SeatTile, modes

N = NamedKey
HOLDEM = 'blinds = [5, 10]\nnew_player_posts = true\nstart = "idle"'
STUD = (
    'variant = "stud"\nstructure = "fixed-limit"\nante = 5\nbring_in = 5\nbets = [10, 10, 20, 20, 20]\nstart = "idle"'
)
FLOP = ("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check")
RIVER = (*FLOP, *(3 * ("deal", "2 check", "3 check", "4 check")))


def seat_keys_of(table: TouchTable) -> list[tuple[int, str]]:
    """Return the seats that have a key, each with the note on the key."""
    keys = lay_out_scene(table.screen).keys
    return [(key.target.number, key.detail) for key in keys if isinstance(key.target, SeatKey)]


def numbers_of(table: TouchTable) -> list[tuple[str, str]]:
    return [(number.label, number.amount) for number in lay_out_scene(table.screen).numbers]


def test_players_who_can_win_have_keys_while_a_pot_is_awarded() -> None:
    table = TouchTable(HOLDEM).do(*RIVER)
    assert seat_keys_of(table) == [(2, ""), (3, ""), (4, "")]
    assert numbers_of(table) == [("IN HAND", "2-4"), ("ALL-IN", "–"), ("PUSH POT", "MAIN")]
    assert table.touch(SeatKey(3), N.OK) == ["award main 3"]


def test_blinds_posts_and_absent_players_have_keys_between_hands() -> None:
    table = TouchTable(HOLDEM).do("hand", "void", "5 away")
    table.touch(SeatTile(8), *digit_touches(200), N.SIT)
    assert seat_keys_of(table) == [(2, "blind 5"), (3, "blind 10"), (8, "owes a post of 10"), (5, "BRING BACK...")]
    assert numbers_of(table) == [("BUTTON", "1"), ("DEALT IN", "5"), ("POSTS DUE", "8")]
    table.touch(SeatKey(5))
    assert table.screen.mode == modes.SeatPanel(5, tab=CardTab.PLAYER)
    assert table.touch(N.BACK) == ["5 back"]


def test_card_of_a_folded_player_opens_on_its_first_keys() -> None:
    table = TouchTable(HOLDEM).do("hand", "4 fold")
    table.touch(SeatTile(4))
    assert table.screen.mode == modes.SeatPanel(4, tab=CardTab.FIX)
    assert table.touch(N.DID_NOT_FOLD, N.WAS_CALL)
    assert TouchTable(HOLDEM).do("hand").touch(SeatTile(5), N.SEAT_FOLD) == ["5 fold"], (
        "a player in the hand has actions"
    )


def test_empty_seats_have_keys_until_two_players_sit() -> None:
    table = TouchTable(HOLDEM, stacks="{ 1 = 500 }")
    assert [seat for seat, note in seat_keys_of(table) if note == "BUYS IN"] == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert table.touch(SeatKey(4), *digit_touches(200), N.SIT) == ["4 sit 200"]
    assert all(note != "BUYS IN" for _, note in seat_keys_of(table))


def test_seats_have_keys_while_the_bring_in_or_the_first_to_act_is_not_named() -> None:
    table = TouchTable(STUD, stacks="{ 1 = 500, 2 = 500, 3 = 500, 4 = 500 }").do("hand")
    actions = {N.FOLD, N.CALL, N.RAISE, N.POT, N.ALL_IN}
    for seats, sent, number in (((1, 2, 3, 4), "bring-in 3", "IN HAND"), ((3, 4), "first 3", "IN HAND")):
        assert [seat for seat, _ in seat_keys_of(table)] == [*seats]
        assert numbers_of(table)[0] == (number, f"{seats[0]}-{seats[-1]}" if len(seats) > 2 else "3 4")
        assert actions.isdisjoint(key.target for key in lay_out_scene(table.screen).keys)
        assert table.touch(SeatKey(3)) == [sent]
        assert actions <= {key.target for key in lay_out_scene(table.screen).keys}
        if table.view.round == 1:
            assert numbers_of(table)[1:] == [("COMPLETE TO", "10"), ("COMPLETE TO", "10")]
            table.do("3 call", "4 complete", "1 fold", "2 fold", "3 call", "deal")


def test_closed_table_offers_to_open_it_in_place_of_seats_that_nobody_may_take() -> None:
    table = TouchTable(HOLDEM).do("close")
    assert seat_keys_of(table) == []
    assert table.touch(N.OPEN_TABLE) == []
    assert lay_out_scene(table.screen).status_line[0] == "Open table? The accounts start again at zero."
    assert table.touch(N.OK) == ["open"]
    assert [note for _, note in seat_keys_of(table)] == 10 * ["BUYS IN"]


def test_hint_does_not_name_next_hand_while_the_floor_holds_it() -> None:
    table = TouchTable(HOLDEM)
    assert lay_out_scene(table.screen).status_line[0].startswith("Touch NEXT HAND")
    assert lay_out_scene(table.do("floor hold").screen).status_line[0] == "Floor: hand for hand"


@pytest.mark.parametrize(
    ("steps", "next_street"), [(FLOP, "Flop"), ((*FLOP, "deal", "2 check", "3 check", "4 check"), "Turn")]
)
def test_closed_round_names_the_next_street(steps: tuple[str, ...], next_street: str) -> None:
    table = TouchTable(HOLDEM).do(*steps)
    assert numbers_of(table) == [("IN HAND", "2-4"), ("ALL-IN", "–"), ("NEXT", next_street)]
    shown = {key.target for key in lay_out_scene(table.screen).keys}
    assert shown.isdisjoint({N.FOLD, N.CALL, N.RAISE, N.POT, N.ALL_IN})
    assert {N.UNDO, N.DEAL, N.MENU, N.CALL_FLOOR} <= shown


def test_chips_that_a_player_owes_have_a_key_when_the_betting_is_closed() -> None:
    table = TouchTable(HOLDEM, trays=True).do("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 says raise to 40")
    table.do("3 says call")
    assert table.view.phase == "closed"
    assert seat_keys_of(table) == [(2, "OWES 35"), (3, "OWES 30")]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("players", [1, 3])
def test_texts_of_many_seat_keys_are_not_cut(players: int, layout: ScreenLayout, language: str) -> None:
    seats = ", ".join(f"{seat} = 500" for seat in range(1, players + 1))
    table = TouchTable(HOLDEM, stacks=f"{{ {seats} }}")
    drawing = draw_scene(lay_out_scene(table.screen, Appearance(layout, language=language)))
    assert [*faults_in(drawing, layout, 1)] == []
