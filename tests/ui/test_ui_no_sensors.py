"""Without sensors the screen is a pot calculator: all by touches, also from the middle of a hand on."""

from __future__ import annotations

from pathlib import Path

from tests.service.running import done, served
from tests.ui.by_touch import ByTouch, digits
from ui.state import BetSpot, NamedKey, Seat, Target

POT_LIMIT = 'variant = "omaha"\nstructure = "pot-limit"\nblinds = [5, 10]'
SITS = {1: 500, 2: 800, 4: 500, 6: 1000, 8: 700}
N = NamedKey


def table() -> ByTouch:
    """An empty table to which five players sit down."""
    table = ByTouch(POT_LIMIT, stacks="{}")
    for seat, amount in SITS.items():
        table.touch(Seat(seat), *digits(amount), N.SIT)
    return table


def test_what_is_keyed_counts_at_once_and_nobody_owes() -> None:
    one = table()
    one.touch(N.HAND, N.CALL, N.RAISE, *digits(40), N.OK)
    assert one.refused == []
    assert one.view.sensors == "off"
    assert [seat.owes for seat in one.view.seats] == [0] * 10
    assert one.view.pot == 10 + 5 + 10 + 40
    assert one.view.largest is not None


TAKEN_OVER: list[tuple[str, list[Target]]] = [
    ("the hand is begun and has its button", [N.HAND, N.TABLE, N.BUTTON, Seat(6)]),
    ("who is not in any more has folded", [Seat(4), N.CALL, Seat(8), N.CALL, N.FOLD]),
    ("the streets that are out", [N.DEAL, N.CALL, N.CALL, N.DEAL]),
    ("the pot as it lies there", [N.TABLE, *digits(240), N.FLOOR_POT]),
    ("what was bet on this street", [N.CALL, N.RAISE, *digits(50), N.OK]),
    ("a stack that was counted", [BetSpot(8), *digits(700), N.STACK]),
]


def test_a_hand_is_taken_over_in_its_middle() -> None:
    """Omaha 5/10 on the turn: the pot was 240, seat 4 has bet 50, seat 8 has 700 behind: call 50, raise 100 to 390."""
    one = table()
    for _, touches in TAKEN_OVER:
        one.touch(*touches)
    view = one.view
    assert one.refused == []
    assert (view.button, view.round, view.pot, view.turn) == (6, 3, 290, 8)
    assert (view.to_call, view.min_raise_to, view.max_raise_to) == (50, 100, 390)
    one.touch(N.CALL, N.DEAL, N.CALL, N.CALL, Seat(4), N.OK)
    assert one.view.phase == "over"
    assert one.view.pot == 0


def test_a_layout_without_readers_is_a_table_without_sensors(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text('name = "no readers"\n[gpio]\nkeys = {}\n', encoding="utf-8")
    with served(tmp_path, "--layout", str(path)) as service:
        link = service.start()
        done(link, "hand")
        view = done(link, "4 call")
        assert view.sensors == "off"
        assert [seat.owes for seat in view.seats] == [0] * 10
        assert {seat.tray for seat in view.seats} == {"none"}
