"""Play hands and corrections that dealers could not enter in an earlier version.

The tests use only touches and no sensors.
"""

from __future__ import annotations

from typing import Final

import pytest

from controller.live import handle_command
from controller.messages import messages_for
from controller.steps import parse_step
from tests.ui.touch_table import TouchTable, digit_touches
from ui.scene import lay_out_scene
from ui.state import AlertAnswer, AwardPart, BetSpot, NamedKey, OfferedStep, SeatTile, Target

N: Final = NamedKey
HOLDEM: Final = 'blinds = [5, 10]\nstart = "idle"'
FIXED_LIMIT: Final = f'structure = "fixed-limit"\nbets = [10, 10, 20, 20]\n{HOLDEM}'
SPREAD_LIMIT: Final = f'structure = "spread-limit"\nspread = [[5, 20], [5, 20], [5, 20], [5, 20]]\n{HOLDEM}'
POT_LIMIT: Final = f'structure = "pot-limit"\nvariant = "omaha"\n{HOLDEM}'
STUD: Final = """variant = "stud8"
structure = "fixed-limit"
ante = 5
bring_in = 5
bets = [10, 10, 20, 20, 20]
start = "idle"
"""


FLOP: Final = ("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check", "deal")
"""Steps to the flop, on which seats 2, 3 and 4 are left."""


def stacks(table: TouchTable) -> dict[int, int | None]:
    return {seat.seat: seat.stack for seat in table.view.seats if seat.status != "empty"}


def alert_codes(table: TouchTable) -> list[tuple[str, int]]:
    return [(alert.code, alert.values.seat) for alert in table.view.alerts]


# --- stud ---


def test_stud_hand_is_played_from_the_bring_in_to_the_split() -> None:
    table = TouchTable(STUD)
    table.touch(N.NEXT_HAND, SeatTile(4), N.CALL, N.FOLD, N.RAISE)  # seat 4 brings in, seat 5 folds, seat 6 completes
    table.touch(N.FOLD, N.FOLD, N.FOLD, N.CALL, N.DEAL)
    for first in (6, 6, 4, 4):
        table.touch(SeatTile(first), N.RAISE, N.CALL, *((N.DEAL,) if table.view.round < 5 else ()))
    assert table.sent[:5] == ["hand", "bring-in 4", "4 call", "5 fold", "6 complete"]
    assert table.touch(SeatTile(6), AwardPart("high"), AwardPart("low"), SeatTile(4), N.OK) == [
        "award main high 6 low 4"
    ]
    assert (table.refused, alert_codes(table)) == ([], [])
    assert stacks(table) == {1: 995, 2: 995, 3: 995, 4: 1010, 5: 995, 6: 1010}


# --- irregular actions ---


def test_raise_out_of_turn_is_keyed_for_its_seat() -> None:
    table = TouchTable(HOLDEM).do("hand", "4 raise to 30")
    assert table.touch(SeatTile(6), *digit_touches(90), N.SEAT_RAISE) == ["6 raise to 90"]
    assert alert_codes(table)[0] == ("behind-the-turn", 6)
    assert lay_out_scene(table.screen).seats[5].flag == "WAITS: raise", "nobody knows yet whether seat 5 has folded"
    assert table.touch(AlertAnswer(1)) == ["out-of-turn 6"]
    assert alert_codes(table)[0] == ("out-of-turn", 6)
    assert lay_out_scene(table.screen).seats[5].flag == "OUT OF TURN: raise"
    held = table.view.seats[5].held_action
    assert (table.view.turn, held.amount if held else 0) == (5, 90)
    assert not any("floor" in step for step in table.sent)


def test_first_answer_to_out_of_turn_names_the_seat_in_turn_and_keeps_the_hold() -> None:
    table = TouchTable(HOLDEM).do("hand", "4 raise to 30", "6 raise to 90", "out-of-turn 6")
    assert table.touch(AlertAnswer(0)) == ["here 5"]
    assert (table.view.turn, table.view.seats[5].held_action is not None) == (5, True)


def test_string_bet_is_keyed_as_chips_after_the_action() -> None:
    table = TouchTable(HOLDEM).do("hand", "4 call")
    assert table.touch(BetSpot(4), *digit_touches(25), N.ONE_CHIP) == ["4 chips 25"]
    assert ("string-bet", 4) in alert_codes(table)
    assert table.touch(BetSpot(4), N.RETURN_CHIPS) == ["return 4"]


def test_bet_above_the_maximum_shows_the_bound() -> None:
    table = TouchTable(POT_LIMIT).do("hand")
    table.touch(N.RAISE, *digit_touches(90))
    entry = lay_out_scene(table.screen).entry_field
    assert entry is not None
    assert entry.hint == messages_for(table.view).over_maximum("pot", 35, opening=False)
    table.touch(N.OK)
    assert ("over-limit", 4) in alert_codes(table)


def test_all_in_key_shows_its_amount() -> None:
    for limits, detail, step in (
        (POT_LIMIT, "= pot 35", "4 pot"),
        (FIXED_LIMIT, "= raise to 20", "4 raise to 20"),
        (f"hand_cap = 40\n{HOLDEM}", "= raise to 40", "4 raise to 40"),
        (SPREAD_LIMIT, "= raise to 30", "4 raise to 30"),
    ):
        table = TouchTable(limits).do("hand")
        key = next(key for key in lay_out_scene(table.screen).keys if key.target is N.ALL_IN)
        assert (key.label, key.detail) == ("ALL-IN", detail)
        assert table.touch(N.ALL_IN) == [step]
        assert alert_codes(table) == []


def test_all_in_call_shows_one_number() -> None:
    table = TouchTable(HOLDEM, stacks="{ 1 = 1000, 2 = 600, 3 = 600 }", button=3).do("hand", "3 fold", "1 raise to 900")
    keys = {key.target: (key.label, key.detail) for key in lay_out_scene(table.screen).keys}
    assert (keys[N.CALL], keys[N.ALL_IN]) == (("CALL 590", "ALL-IN"), ("ALL-IN", "590"))


def test_deal_is_disabled_while_a_seat_owes_and_one_touch_confirms_the_chips() -> None:
    table = TouchTable(HOLDEM).do("hand", *(f"{seat} fold" for seat in (4, 5, 6, 1)), "2 says raise to 30", "3 call")
    deal = next(key for key in lay_out_scene(table.screen).keys if key.target in (N.DEAL, N.AWARD, N.NEXT_HAND))
    assert not deal.is_enabled
    table.touch(BetSpot(2), N.PAY_OWED, N.DEAL)
    assert (table.view.round, table.refused) == (2, [])


def test_bet_with_three_callers_is_corrected_in_one_step() -> None:
    table = TouchTable(HOLDEM).do("hand", "4 raise to 30", "5 call", "6 call", "1 call")
    touches: list[Target] = [BetSpot(4), *digit_touches(40), N.CORRECT_WAGER]
    assert table.touch(*touches) == ["4 was 40"]
    assert len(touches) == 4
    assert [seat.bet for seat in table.view.seats[:6]] == [40, 5, 10, 40, 40, 40]
    assert not any(alert.level == "warning" for alert in table.view.alerts)
    assert table.touch(N.UNDO) == ["undo"]
    assert [seat.bet for seat in table.view.seats[:6]] == [30, 5, 10, 30, 30, 30]


# --- pots ---


def three_pots() -> TouchTable:
    table = TouchTable(HOLDEM, stacks="{ 1 = 100, 2 = 300, 3 = 1000, 4 = 1000 }", button=4)
    return table.do("hand", "3 raise to 400", "4 call", "1 all-in", "2 all-in", "deal", "3 check", "4 check").do(
        "deal", "3 check", "4 check", "deal", "3 check", "4 check"
    )


def test_three_pots_are_awarded_last_side_pot_first_with_six_touches() -> None:
    table = three_pots()
    touches: list[Target] = [SeatTile(3), N.OK, SeatTile(2), N.OK, SeatTile(1), N.OK]
    assert table.touch(touches[0]) == []
    assert lay_out_scene(table.screen).status_line == ("3: 200", "hint"), "the share must be shown before the award"
    table.touch(N.CANCEL)
    assert table.touch(*touches) == ["award side2 3", "award side1 2", "award main 1"]
    assert len(touches) <= 6
    assert stacks(table) == {1: 400, 2: 600, 3: 800, 4: 600}


def test_uncalled_bet_hinders_no_award_at_the_end_of_a_hand() -> None:
    for touches, steps in (
        ((N.AWARD, SeatTile(2), N.OK), ["award side1 1", "award main 2"]),
        ((SeatTile(2), N.OK, N.AWARD), ["award main 2", "award side1 1"]),
    ):
        table = TouchTable(HOLDEM, stacks="{ 1 = 100, 2 = 95, 3 = 500 }").do("hand", "1 all-in", "2 call", "3 fold")
        table.do("deal", "deal", "deal")
        assert table.touch(*touches) == steps
        assert stacks(table) == {1: 5, 2: 200, 3: 490}


def test_uncalled_bet_is_returned_with_one_touch() -> None:
    table = TouchTable(HOLDEM, stacks="{ 1 = 100, 2 = 1000, 3 = 1000 }", button=1)
    table.do("hand", "1 all-in", "2 raise to 500", "3 fold")
    labels = [choice.label for choice in table.view.next_choices]
    assert table.touch(OfferedStep(labels.index("uncalled-back")))
    assert table.view.pot == 210


# --- between hands ---


def test_button_between_hands_fits_the_blinds_of_the_next_hand() -> None:
    table = TouchTable(HOLDEM).do("hand")
    fold_through(table)
    assert {seat.seat: seat.blind for seat in table.view.seats if seat.blind} == {3: 5, 4: 10}
    assert (table.view.button, [seat.seat for seat in table.view.seats if seat.button]) == (2, [2])


def fold_through(table: TouchTable) -> None:
    while table.view.turn:
        table.touch(N.FOLD)
    table.touch(N.AWARD)


def test_returning_player_posts_with_two_touches() -> None:
    table = TouchTable(HOLDEM)
    table.touch(SeatTile(6), N.AWAY)
    for _ in range(5):
        table.touch(N.NEXT_HAND)
        fold_through(table)
    table.touch(SeatTile(6), N.BACK, N.NEXT_HAND)
    while not table.view.seats[5].may_post:
        fold_through(table)
        table.touch(N.NEXT_HAND)
    assert table.touch(SeatTile(6), OfferedStep(0)) == ["6 post"]
    assert table.refused == []


def test_refused_buy_in_keeps_its_digits() -> None:
    table = TouchTable(f"buy_in = [40, 200]\n{HOLDEM}", stacks="{ 1 = 100, 2 = 100 }")
    table.touch(SeatTile(8), *digit_touches(400), N.SIT)
    entry = lay_out_scene(table.screen).entry_field
    assert entry is not None
    assert entry.value == "400"
    assert table.touch(N.CANCEL, SeatTile(8), *digit_touches(200), N.SIT) == ["8 sit 200"]


def test_running_hand_is_entered_in_the_middle_by_touches() -> None:
    """Start in the middle of a hand: enter the seats in the hand, the pot, and the seat in turn."""
    table = TouchTable(HOLDEM)
    table.touch(N.NEXT_HAND, N.MENU, N.FLOOR_RULING, N.FLOOR_BUTTON, SeatTile(6))  # the blinds are at seats 1 and 2
    table.touch(SeatTile(5), N.ACTION_HERE, N.CALL, N.FOLD, N.CALL, N.CALL, N.DEAL)  # seats 3, 4 and 6 have folded
    table.touch(N.MENU, N.FLOOR_RULING, *digit_touches(240), N.FLOOR_POT)
    table.touch(BetSpot(2), N.OPEN_CHIPS, *digit_touches(640), N.SET_STACK)
    assert (table.view.pot, table.view.round, table.view.turn) == (240, 2, 1)
    assert table.refused == []


def test_undo_and_redo_need_one_touch_and_one_more_across_a_hand() -> None:
    table = TouchTable(HOLDEM)
    for _ in range(5):
        table.touch(N.NEXT_HAND)
        fold_through(table)
    before = table.live.table
    for key in (N.UNDO, N.REDO):
        for _ in range(25):
            crosses = table.view.undo_crosses if key is N.UNDO else table.view.redo_crosses
            table.touch(key, *((N.OK,) if crosses else ()))
    assert table.live.table == before
    assert table.refused == []


def test_big_blind_of_half_its_size_has_the_sign_of_the_big_blind() -> None:
    table = TouchTable(HOLDEM, stacks="{ 1 = 500, 2 = 500, 3 = 5, 4 = 500 }").do("hand")
    tiles = {tile.number: tile for tile in lay_out_scene(table.screen).seats}
    assert [(tiles[seat].blind, table.view.seats[int(seat) - 1].blind) for seat in ("2", "3")] == [
        ("small-blind", 5),
        ("big-blind", 5),
    ]


@pytest.mark.parametrize(
    ("before", "seat", "is_offered"),
    [
        (("hand", "4 fold"), 4, False),
        (("hand", "4 call", "5 fold"), 4, False),
        ((*FLOP, "2 fold"), 2, True),
        ((*FLOP, "2 fold", "3 bet 20"), 2, True),
        ((*FLOP, "2 bet 20", "3 fold"), 3, False),
        ((*FLOP, "2 bet 20"), 2, True),
        (("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 fold"), 3, True),
        (("hand", "4 raise to 30", "5 fold", "6 fold", "1 fold", "2 fold", "3 fold"), 3, False),
    ],
)
def test_checked_is_offered_as_a_correction_only_if_the_seat_faced_no_bet(
    before: tuple[str, ...], seat: int, *, is_offered: bool
) -> None:
    table = TouchTable(HOLDEM).do(*before)
    opens = N.DID_NOT_FOLD if table.view.seats[seat - 1].status == "folded" else N.WAS_ANOTHER
    table.touch(BetSpot(seat), opens)
    offered = {key.target for key in lay_out_scene(table.screen).keys}
    assert (N.WAS_CHECK in offered) is is_offered
    assert N.WAS_CALL in offered
    refusal = handle_command(table.live, parse_step(f"{seat} did check"), 60_000_000).refusal
    assert (refusal is None) is is_offered, "the rules decide otherwise"
