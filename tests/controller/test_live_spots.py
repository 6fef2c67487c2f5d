"""What every spot was seen to hold, over restarts and faults; what is told about spots, devices and debts."""

from __future__ import annotations

from importlib import import_module

import pytest

from controller import table
from controller.live import (
    ASTRAY_US,
    UNSETTLED_US,
    Change,
    Live,
    button_elsewhere,
    chips_astray,
    evolve,
    failed,
    failures,
    is_provisional,
    kill_owed,
    lammers,
    lasting,
    left_over,
    lying,
    obey,
    posts_owed,
    react,
    spots_out,
    tick,
    uncounted,
    unsettled,
)
from controller.live.notes import note
from controller.presenter import show
from controller.rules import Game as Rules
from controller.rules import Kill, Player
from controller.table import (
    MOST_CHIPS,
    MOST_PIECE,
    Moves,
    Note,
    Outcome,
    SeatNote,
    SpotHolds,
    Step,
    Table,
    counted,
    line,
    open_table,
    parse,
    pot,
)
from hardware.events import SpotStirs, StackComplete, StackSeen
from tests.controller.live_table import (
    GAP_US,
    SOON_US,
    Game,
    called_by_two,
    held,
    replayed,
    steps_of,
    strangers,
    turn,
    warned,
)


def restarted(game: Game) -> Game:
    """The same table after its service was killed and came back: what it knows is what was recorded."""
    before = lasting(game.live)
    game.live = replayed(game.setup, game.before, game.records)
    assert game.live == before
    return game


def tells_all(game: Game) -> None:
    """Readers that have come back tell every spot."""
    for spot, chips in game.spots.items():
        game.tell(StackComplete(spot, chips, (), (), False, game.now_us))


# --- what is recorded ---


def test_a_motion_is_recorded_with_what_the_spot_was_seen_to_hold_in_one_piece() -> None:
    game = Game()
    game.lies(4, 25, 5)
    big, small = game.spots["bet4"]
    assert game.pieces[-1] == [f"spot bet4 lies came 25:{big.uid} 5:{small.uid}", "4 chips 25 5"]
    game.lies(4, 5)
    assert game.pieces[-1] == [f"spot bet4 lies went {big.uid}", "4 takes 25"]


def test_a_spot_that_holds_nothing_is_recorded_once() -> None:
    game = Game()
    game.settles("bet4")
    assert (game.live.spots["bet4"].lies, game.pieces[-1]) == ((), ["spot bet4 lies"])
    assert game.settles("bet4").steps == ()


def test_a_chip_for_its_like_is_recorded_and_is_no_motion() -> None:
    game = Game()
    game.lies(4, 5, 5)
    old = game.spots.pop("bet4")
    change = game.settles("bet4", 5, 5)
    assert [type(step) for step in steps_of(change)] == [SpotHolds]
    assert game.live.spots["bet4"].lies == game.spots["bet4"] != old


@pytest.mark.parametrize("spot", ["pot", "tray"])
def test_pot_and_tray_reach_the_state(spot: str) -> None:
    game = Game()
    change = game.settles(spot, 100, 25, at_least=True, unknown=2, lammers=("button",))
    assert [type(step) for step in steps_of(change)] == [SpotHolds]
    held = game.live.spots[spot]
    assert (held.lies, held.at_least, held.strangers, held.lammers) == (
        game.spots[spot],
        True,
        strangers(2),
        ("button",),
    )
    assert game.settles(spot, 100, 25, at_least=True, unknown=2, lammers=("button",)).steps == ()


@pytest.mark.parametrize("spot", ["pot", "tray"])
def test_pot_and_tray_that_are_not_read_are_named_until_they_are(spot: str) -> None:
    game = Game()
    assert game.tray(spot, online=True) == game.live
    live = game.tray(spot, online=False)
    assert spots_out(live) == ((spot, "timeout"),)
    assert spots_out(game.tray(spot, online=True)) == ()


def test_a_heap_of_chips_is_told_in_pieces_that_lines_can_hold() -> None:
    game = Game()
    change = game.settles("pot", *[25] * 250, *[5] * 250, unknown=9)
    lines = [line(step) for step in steps_of(change)]
    assert len(lines) > 1
    assert max(map(len, lines)) < MOST_PIECE
    assert len(game.live.spots["pot"].lies or ()) == 500
    assert len(game.live.spots["pot"].strangers) == 9


def test_more_chips_than_a_step_can_name_are_a_motion_of_fewer_of_the_same_value() -> None:
    game = Game(hand=False)
    game.do("4 add 1000", "hand")
    game.settles("bet4")
    moved = steps_of(game.settles("bet4", *[1] * 210))[-1]
    assert isinstance(moved, Moves)
    assert (sum(moved.forward), counted(game.table, 4)) == (210, 210)


def test_as_many_chips_as_a_step_can_name_are_named() -> None:
    game = Game()
    game.settles("bet4")
    moved = steps_of(game.settles("bet4", *[1] * MOST_CHIPS))[-1]
    assert isinstance(moved, Moves)
    assert moved.forward == (1,) * MOST_CHIPS


def test_every_note_has_an_effect() -> None:
    kinds = {each for each in vars(table).values() if isinstance(each, type) and issubclass(each, Note)}
    kinds -= {Note, SeatNote}
    assert len(kinds) == 30
    assert {each for each in kinds if note.dispatch(each) is note.dispatch(Note)} == set()


# --- restarting ---


def test_replaying_what_was_recorded_gives_the_same_state() -> None:
    game = Game()
    for seat in (4, 1, 2):
        game.lies(seat, 5, 5)
    game.key("deal")
    game.do("3 raise to 30", "call-floor")
    game.lies(3, *[5] * 6)
    game.lies(1, *[5] * 6)
    game.do("out-of-turn 1")
    game.lies(2, *[5] * 30, at_least=True)
    restarted(game)
    assert (game.live.floor_called, dict(game.live.sources)) == (
        True,
        {1: "sensed", 2: "sensed", 3: "confirmed", 4: "sensed"},
    )


def test_readings_after_a_restart_that_equal_what_was_known_explain_themselves() -> None:
    game = Game()
    game.lies(4, 25, 5)
    game.lies(1, 25, 5)
    before = restarted(game).live
    tells_all(game)
    assert game.live == before


def test_bets_as_they_lay_before_a_sweep_that_was_keyed_just_before_the_restart_are_no_bets() -> None:
    game = Game()
    for seat in (4, 1, 2):
        game.lies(seat, 5, 5)
    game.do("3 check", "deal")
    before = restarted(game).live
    game.seen(4, 5, 5)
    tells_all(game)
    assert lasting(game.live) == before
    for seat in (4, 1, 2, 3):
        game.empties(seat)
    assert (pot(game.table), dict(game.table.street.held), game.live.ruled) == (40, {}, before.ruled)
    game.lies(2, 25)
    assert counted(game.table, 2) == 25


@pytest.mark.parametrize("swept_before", [True, False])
def test_a_bet_as_large_as_the_last_one_counts_though_the_service_was_killed_meanwhile(swept_before: bool) -> None:
    game = Game()
    game.do("4 fold", "1 fold")
    for seat in (2, 3):
        game.lies(seat, 25, 5)
    game.do("2 call")
    assert (pot(game.table), game.table.street.held) == (60, {})
    game.do("deal")
    if swept_before:
        for seat in (2, 3):
            game.empties(seat)
    game.spots.clear()  # other chips
    restarted(game).lies(2, 25, 5)
    assert (counted(game.table, 2), warned(game)) == (30, ())


def test_chips_that_moved_while_nobody_looked_are_a_motion() -> None:
    game = Game()
    restarted(game).lies(4, 25, 5)
    assert counted(game.table, 4) == 30


def test_the_value_of_a_spot_that_has_not_told_is_what_the_book_says() -> None:
    game = Game(hand=False)
    game.do("hand")
    assert lying(game.live, 3) == 10
    game.settles("bet3", 5, 5)
    game.settles("bet2", 5)
    game.settles("bet1", 25, 5)
    assert (warned(game), game.table.street.felt[:4]) == (("out-of-turn",), (0, 30, 5, 10))


def test_a_restart_is_told_until_the_felt_was_checked_or_the_next_hand_starts() -> None:
    game = Game()
    for end in ("restart-checked", "void"):
        assert obey(game.live, parse("restarted"), 1).refused is not None
        game.take(obey(game.live, parse("restarted"), game.now_us, source="sensor"))
        assert restarted(game).live.restarted
        game.do(end)
    assert game.live.restarted
    assert not game.do("hand").restarted


def test_damaged_records_are_told_until_the_floor_has_counted() -> None:
    game = Game()
    game.take(obey(game.live, parse("records-damaged"), game.now_us, source="sensor"))
    game.do("4 call")
    assert restarted(game).live.damaged
    assert not game.do("records-checked").damaged


def test_altered_records_are_told_in_each_way_until_the_floor_has_seen_to_them() -> None:
    game = Game()
    for how in ("cut", "badge-forged", "cut"):
        game.take(obey(game.live, parse(f"records-altered {how}"), game.now_us, source="sensor"))
    assert restarted(game).live.altered == {"cut", "badge-forged"}
    assert not game.do("records-checked").altered


def test_a_tag_at_two_places_is_told_until_the_floor_has_seen_to_it() -> None:
    game = Game()
    game.lies(4, 25)
    (chip,) = game.spots["bet4"]
    game.tell(StackComplete("bet1", (chip,), (), (), False, game.now_us))
    assert not game.live.copied
    game.tell(StackComplete("bet1", (chip,), (), (), False, game.now_us, doubt="copied"))
    game.tell(StackComplete("bet4", (chip,), (), (), False, game.now_us, doubt="copied"))
    assert restarted(game).live.copied == {chip.uid: ("bet4", "bet1")}
    assert not game.do("tags-checked").copied


# --- faults of ours ---


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every motion of chips fails from now on, after the reading was taken."""
    module = import_module("controller.live.evolve")
    sound = module.table_step

    def unsound(table: Table, step: Step, at_us: int) -> Outcome:
        if isinstance(step, Moves):
            raise ZeroDivisionError("planted")
        outcome: Outcome = sound(table, step, at_us)
        return outcome

    monkeypatch.setattr(module, "table_step", unsound)
    return monkeypatch


def test_chips_whose_step_failed_are_doubtful_and_count_when_they_are_read_again(
    faulty: pytest.MonkeyPatch,
) -> None:
    game = Game()
    game.seen(4, 25, 5)
    before = lasting(game.live)
    event = StackComplete("bet4", game.spots["bet4"], (), (), False, game.now_us)
    with pytest.raises(ZeroDivisionError):
        game.tell(event)
    assert lasting(game.live) == before, "nothing of it was noted"
    change = game.take(failed(game.live, event, "ZeroDivisionError: planted\n  in a step", game.now_us))
    assert [line(step) for step in steps_of(change)] == ["failed bet4 ZeroDivisionError: planted in a step"]
    assert failures(restarted(game).live) == (("bet4", "ZeroDivisionError: planted in a step"),)
    assert (is_provisional(game.live), counted(game.table, 4)) == (True, 0)
    faulty.undo()
    game.tell(event)
    assert (failures(game.live), counted(game.table, 4), is_provisional(game.live)) == ((), 30, False)


def test_chips_whose_step_failed_can_be_keyed(faulty: pytest.MonkeyPatch) -> None:
    game = Game()
    game.seen(4, 25, 5)
    event = StackComplete("bet4", game.spots["bet4"], (), (), False, game.now_us)
    with pytest.raises(ZeroDivisionError):
        game.tell(event)
    game.take(failed(game.live, event, "planted", game.now_us))
    faulty.undo()
    game.do("4 raise to 30")
    assert counted(game.table, 4) == 30
    game.tell(event)
    assert (counted(game.table, 4), warned(game), failures(game.live)) == (30, (), ())


def test_a_fault_at_no_spot_is_told_until_the_next_step() -> None:
    game = Game()
    for about in (parse("4 call"), None):
        game.take(failed(game.live, about, "planted", game.now_us))
        assert failures(game.live) == (("", "planted"),)
        assert game.take(failed(game.live, about, "planted", game.now_us)).steps == ()
    game.do("4 fold")
    assert failures(game.live) == ()


def test_a_state_that_holds_what_no_step_says_is_caught() -> None:
    game = Game()
    with pytest.raises(AssertionError, match="no step says"):
        game.take(Change(game.live._replace(floor_called=True)))


# --- what is told about spots ---


def test_swept_chips_beside_a_strange_tag_are_no_bet_with_the_next_check() -> None:
    """The tag protects cards; that it lies there makes the reading of the empty spot doubtful."""
    game = called_by_two()
    game.do("3 check")
    for seat in (4, 1, 3):
        game.empties(seat)
    game.settles("bet2", unknown=1)
    game.do("deal", "2 check")
    assert (game.live.table.street.felt[2], held(game, 2), turn(game)) == (0, None, 3)


def test_chips_that_move_for_longer_than_a_motion_takes_are_told() -> None:
    game = Game()
    game.seen(4, 25)
    game.after(UNSETTLED_US - GAP_US)
    game.seen(4, 25, 5)
    assert unsettled(game.after(GAP_US - 1)) == ()
    assert unsettled(game.after(1)) == ((4, 30),)
    assert unsettled(game.seen(4, 25, 5, 5, 5)) == ((4, 40),)
    game.settles("bet4", 25, 5, 5, 5)
    assert (unsettled(game.live), counted(game.table, 4)) == ((), 40)


def test_a_spot_that_shows_what_it_held_anyway_shows_nothing() -> None:
    game = Game()
    game.lies(4, 25, 5)
    before = game.live
    game.tell(StackSeen("bet4", game.spots["bet4"], (), (), False, game.now_us))
    assert game.live == before
    game.tell(StackSeen("pot", game.spots["bet4"], (), (), False, game.now_us))
    assert game.live == before


def test_a_tray_that_is_out_shows_nothing() -> None:
    game = Game()
    game.seen(4, 25)
    assert uncounted(game.tray("bet4", online=False), 4).amount == 0
    game.seen(4, 25)
    assert uncounted(game.tray("bet4", online=False), 4).amount == 0


def over() -> Game:
    game = Game()
    game.do("4 fold", "1 fold", "2 fold", "award main 3")
    for seat in (2, 3):
        game.empties(seat)
    return game


def test_chips_that_stay_in_the_pot_after_it_was_given_are_astray() -> None:
    game = over()
    game.settles("pot", 5, 5)
    assert chips_astray(game.after(ASTRAY_US - 1)) == 0
    game.do("4 away")
    assert chips_astray(game.after(1)) == 10
    assert chips_astray(game.do("hand")) == 0


def test_a_pot_that_is_pushed_in_time_is_not_astray() -> None:
    game = Game()
    game.settles("pot", 5, 5)
    game.do("4 fold", "1 fold", "2 fold")
    game.after(2 * ASTRAY_US)
    game.do("award main 3")
    assert chips_astray(game.after(ASTRAY_US - 1)) == 0
    game.settles("pot")
    assert chips_astray(game.after(ASTRAY_US)) == 0


@pytest.mark.parametrize(("at_least", "unknown", "out"), [(True, 0, False), (False, 1, False), (False, 0, True)])
def test_an_antenna_that_is_not_sure_says_nothing_about_the_pot(at_least: bool, unknown: int, out: bool) -> None:
    game = over()
    game.settles("pot", 5, 5, at_least=at_least, unknown=unknown)
    if out:
        game.tray("pot", online=False)
    assert chips_astray(game.after(2 * ASTRAY_US)) == 0


def test_the_button_at_another_seat_is_told_while_a_hand_is_played() -> None:
    game = Game()
    game.settles("bet1", lammers=("button",))
    assert (button_elsewhere(game.live), lammers(game.live)) == (0, ())
    game.settles("bet1")
    game.settles("bet2", 5, lammers=("button",))
    assert (button_elsewhere(game.live), counted(game.table, 2)) == (2, 5)
    game.do("void")
    assert button_elsewhere(game.live) == 0


def test_other_lammers_on_a_bet_spot_are_told_and_are_no_chips() -> None:
    game = Game()
    game.settles("bet4", 5, 5, lammers=("all-in", "missed-blind"))
    assert (lammers(game.live), counted(game.table, 4)) == (((4, "all-in"), (4, "missed-blind")), 10)
    game.settles("bet4", 5, 5)
    assert lammers(game.live) == ()


def test_chips_found_on_a_spot_between_hands_are_told() -> None:
    game = Game(hand=False)
    assert left_over(game.lies(1, 25)) == ((1, 25),)
    assert game.lines[-1].startswith("spot bet1 left came 25:")
    assert left_over(game.lies(1)) == ()


# --- what is owed before a hand ---


def test_a_player_who_has_to_post_is_told_until_it_does() -> None:
    rules = Rules(blinds=(5, 10), new_player_posts=True)
    players = {seat: Player(stack=1000, new=seat == 4) for seat in (1, 2, 3, 4)}
    players[3] = Player(stack=1000, big_owed=10, small_owed=5)
    game = Game(open_table({"main": rules}, 4, players), hand=False)
    assert posts_owed(game.live) == ((3, 15), (4, 10))
    game.do("3 away")
    assert posts_owed(game.live) == ((4, 10),)


def test_a_kill_blind_that_the_next_hand_begins_with_is_told() -> None:
    rules = Rules(structure="fixed-limit", bets=(10, 10, 20, 20), blinds=(5, 10), kill=Kill(factor=1.5, pot=5))
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = Game(open_table({"main": rules}, 1, players), trays=False, hand=False)
    game.do("hand", "1 call", "2 fold", "3 check", "deal", "3 bet 10", "1 fold")
    assert kill_owed(game.live) is None
    game.do("award main 3")
    assert kill_owed(game.live) == (3, 15)
    game.do("hand")
    assert kill_owed(game.live) is None


# --- the same state and time give the same change ---


def test_deciding_changes_nothing_that_is_given() -> None:
    game = Game()
    game.seen(4, 25, 5)
    before: Live = game.live._replace()
    event = StackComplete("bet4", game.spots["bet4"], (), (), False, game.now_us)
    assert react(game.live, event, 5) == react(game.live, event, 5)
    assert tick(game.live, 99_000_000) == tick(game.live, 99_000_000)
    assert evolve(game.live, parse("4 call"), "dealer", 5) == evolve(game.live, parse("4 call"), "dealer", 5)
    assert game.live == before


@pytest.mark.parametrize("stirs_before", [False, True])
def test_while_the_readings_of_a_live_seat_fail_the_largest_raise_is_not_settled(stirs_before: bool) -> None:
    """Until it is told what lies there, or that it is not read."""
    game = Game()
    if stirs_before:
        game.tell(SpotStirs("bet2", game.now_us))
    assert (is_provisional(game.live), show(game.live, 1).seats[1].tray) == (False, "ok")
    since_us = dict(game.live.stirring)
    game.after(SOON_US)
    game.tell(SpotStirs("bet2", game.now_us, blind=True))
    assert (is_provisional(game.live), show(game.live, 1).seats[1].tray) == (True, "unsettled")
    assert since_us.items() <= game.live.stirring.items(), "a key that waits for the spot waits no longer for that"
    game.lies(2, 5)
    assert (is_provisional(game.live), show(game.live, 1).seats[1].tray) == (False, "ok")


def test_the_readings_of_a_folded_seat_may_fail() -> None:
    game = Game()
    game.do("4 fold")
    game.tell(SpotStirs("bet4", game.now_us, blind=True))
    assert not is_provisional(game.live)
