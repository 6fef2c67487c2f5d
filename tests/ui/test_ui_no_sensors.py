"""Check that the screen works as a pot calculator without sensors, even from the middle of a hand."""

from __future__ import annotations

from pathlib import Path

from tests.service.service_process import command_view, service_process
from tests.ui.touch_table import TouchTable, digit_touches
from ui.state import BetSpot, NamedKey, SeatTile, Target

POT_LIMIT = 'variant = "omaha"\nstructure = "pot-limit"\nblinds = [5, 10]'
BUY_INS = {1: 500, 2: 800, 4: 500, 6: 1000, 8: 700}
N = NamedKey


def seated_table() -> TouchTable:
    """Return a table at which five players have sat down."""
    table = TouchTable(POT_LIMIT, stacks="{}")
    for seat, amount in BUY_INS.items():
        table.touch(SeatTile(seat), *digit_touches(amount), N.SIT)
    return table


def test_keyed_action_without_sensors_counts_at_once_without_debt() -> None:
    table = seated_table()
    table.touch(N.NEXT_HAND, N.CALL, N.RAISE, *digit_touches(40), N.OK)
    assert table.refused == []
    assert table.view.sensors == "off"
    assert [seat.chips_owed for seat in table.view.seats] == [0] * 10
    assert table.view.pot == 10 + 5 + 10 + 40
    assert table.view.largest_bet is not None


TAKE_OVER: list[tuple[str, list[Target]]] = [
    ("the hand starts and gets its button", [N.NEXT_HAND, N.MENU, N.FLOOR_RULING, N.FLOOR_BUTTON, SeatTile(6)]),
    (
        "the seats that are out have folded",
        [SeatTile(4), N.ACTION_HERE, N.CALL, SeatTile(8), N.ACTION_HERE, N.CALL, N.FOLD],
    ),
    ("the streets that are on the table", [N.DEAL, N.CALL, N.CALL, N.DEAL]),
    ("the pot as counted", [N.MENU, N.FLOOR_RULING, *digit_touches(240), N.FLOOR_POT]),
    ("the bet of this street", [N.CALL, N.RAISE, *digit_touches(50), N.OK]),
    ("a counted stack", [BetSpot(8), *digit_touches(700), N.OPEN_CHIPS, N.SET_STACK]),
]


def test_running_hand_is_taken_over_on_the_turn() -> None:
    """Enter a hand of Omaha 5/10 that is already on the turn card.

    The pot was 240, and seat 4 has bet 50. Seat 8 is in turn and has 700: it may call 50, or raise to a total from 100
    to 390.
    """
    table = seated_table()
    for _, touches in TAKE_OVER:
        table.touch(*touches)
    view = table.view
    assert table.refused == []
    assert (view.button, view.round, view.pot, view.turn) == (6, 3, 290, 8)
    assert (view.to_call, view.min_raise_to, view.max_raise_to) == (50, 100, 390)
    table.touch(N.CALL, N.DEAL, N.CALL, N.CALL, SeatTile(4), N.OK)
    assert table.view.phase == "over"
    assert table.view.pot == 0


def test_layout_without_readers_makes_a_table_without_sensors(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text('name = "no readers"\n[gpio]\nkeys = {}\n', encoding="utf-8")
    with service_process(tmp_path, "--layout", str(path)) as service:
        link = service.start()
        command_view(link, "hand")
        view = command_view(link, "4 call")
        assert view.sensors == "off"
        assert [seat.chips_owed for seat in view.seats] == [0] * 10
        assert {seat.tray for seat in view.seats} == {"none"}
