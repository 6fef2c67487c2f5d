"""The desk in simulated time: what trays, keys and screens say, and what the dealer is then shown and asked."""

from __future__ import annotations

import msgspec
import pytest

from controller.config.table import read
from controller.live.desk import ALONE_US, KEY_GRACE_US, SWEEP_US, Desk
from controller.presenter import showing
from controller.table.steps import parse
from controller.view import Alert, TableView, ToScreen, decode_to_screen, encode
from controller.words.entries import ENTRIES
from hardware.events import (
    DeviceDown,
    DeviceUp,
    KeyPressed,
    SeatPressed,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import bet_spot
from tests.service.running import CONFIG, seat

POT_LIMIT = CONFIG + 'structure = "pot-limit"\n'
TDA = CONFIG + 'rulebook = "tda"\n'
GAP_US = 1_200_000
SOON_US = 250_000


def check(view: TableView) -> None:
    """What holds of every view, whatever happened."""
    assert [seat.seat for seat in view.seats] == list(range(1, 11))
    assert decode_to_screen(encode(ToScreen(view=view))).view == view
    assert sum(pot.amount for pot in view.pots) == view.pot
    assert view.pot >= sum(seat.bet for seat in view.seats)
    assert (view.turn is None) == (view.to_call is None)
    assert bool(view.may) == (view.turn is not None)
    if view.turn is not None:
        assert seat(view, view.turn).status == "to-act"
    assert sum(seat.status == "to-act" for seat in view.seats) <= 1
    if view.min_raise_to is not None and view.max_raise_to is not None:
        assert view.min_raise_to <= view.max_raise_to
    keys = [alert.key for alert in view.alerts]
    assert len(keys) == len(set(keys)), keys
    levels = ["question", "warning", "info"]
    assert [levels.index(alert.level) for alert in view.alerts] == sorted(levels.index(a.level) for a in view.alerts)
    for choice in [*view.next, *(choice for alert in view.alerts for choice in alert.choices)]:
        assert choice.do.startswith(("ack ", "call floor")) or parse(choice.do)
    for alert in view.alerts:
        assert alert.code in ENTRIES
        assert "{" not in alert.title + alert.text and "[" not in alert.title + alert.text


class Game:
    """A desk, its clock, and the chips that its trays see."""

    def __init__(self, config: str = CONFIG, *, trays: bool = True, hand: bool = True) -> None:
        self.lines: list[str] = []
        self.desk = Desk(
            read(config).table, lambda lines, *_: self.lines.extend(lines), trays=trays, readers=frozenset({"odd"})
        )
        self.now_us = 10_000_000
        if hand:
            self.do("hand")
            if trays:
                self.lies(2, 5)
                self.lies(3, 5, 5)

    @property
    def view(self) -> TableView:
        view = showing.show(self.desk, self.now_us)
        check(view)
        return view

    def refused(self, do: str, shown: int | None = None) -> str | None:
        refused = self.desk.command(do, self.now_us, shown)
        check(self.view)
        return refused

    def do(self, *commands: str) -> TableView:
        for do in commands:
            assert self.refused(do) is None, do
        return self.view

    def seen(self, number: int, *chips: int, at_least: bool = False, unknown: int = 0) -> TableView:
        """The tray has seen so much, and the motion may go on."""
        self.desk.on_event(StackSeen(bet_spot(number), chips, unknown, at_least, self.now_us), self.now_us)
        return self.view

    def lies(self, number: int, *chips: int, at_least: bool = False, unknown: int = 0) -> TableView:
        """Hands bring the spot to these chips; the tray sees them, and a quiet moment later they are complete."""
        self.seen(number, *chips, at_least=at_least, unknown=unknown)
        self.after(GAP_US)
        self.desk.on_event(StackComplete(bet_spot(number), chips, unknown, at_least, self.now_us), self.now_us)
        return self.view

    def after(self, us: int) -> TableView:
        """So much time passes."""
        end_us = self.now_us + us
        while (due_us := self.desk.next_deadline_us()) is not None and due_us <= end_us:
            self.now_us = max(self.now_us, due_us)
            self.desk.poll(self.now_us)
        self.now_us = end_us
        self.desk.poll(self.now_us)
        return self.view

    def key(self, key: str) -> TableView:
        self.desk.on_event(KeyPressed(key, self.now_us), self.now_us)
        return self.view

    def tray(self, number: int, *, online: bool) -> TableView:
        spot = bet_spot(number)
        event = TrayOnline(spot, self.now_us) if online else TrayOffline(spot, "timeout", self.now_us)
        self.desk.on_event(event, self.now_us)
        return self.view

    def alert(self, code: str) -> Alert:
        return next(alert for alert in self.view.alerts if alert.code == code)

    def choose(self, code: str, place: int) -> TableView:
        """A touch on an answer."""
        return self.do(self.alert(code).choices[place].do)


def codes(view: TableView) -> list[str]:
    return [alert.code for alert in view.alerts]


# --- a plain hand ---


def test_a_wager_is_shown_when_seen_and_counts_when_complete() -> None:
    game = Game()
    view = game.seen(4, 25, 5)
    assert (seat(view, 4).seen, seat(view, 4).bet, seat(view, 4).tray) == (30, 0, "unsettled")
    assert (view.provisional, view.turn, view.pot) == (True, 4, 15)
    view = game.lies(4, 25, 5)
    assert (seat(view, 4).seen, seat(view, 4).bet, seat(view, 4).bet_source) == (0, 30, "sensed")
    assert (view.provisional, view.turn, view.pot, codes(view)) == (False, 1, 45, [])


def test_chips_cut_back_before_the_motion_is_over_are_no_bet() -> None:
    game = Game()
    game.seen(4, *[5] * 20)
    assert seat(game.lies(4, *[5] * 8), 4).bet == 40


def test_a_hand_is_played_by_chips_and_keys() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.after(KEY_GRACE_US)
    assert game.key("fold").turn == 2
    game.lies(2, 5, 5)
    game.after(KEY_GRACE_US)
    view = game.key("check-call")
    assert (view.phase, view.pot, [choice.do for choice in view.next]) == ("closed", 30, ["deal"])
    view = game.key("deal")
    assert (view.street, view.turn, view.pot) == ("Flop", 2, 30)
    for number in (2, 3, 4):
        view = game.lies(number)
    assert (view.pot, view.turn, codes(view)) == (30, 2, [])
    game.lies(2, 25)
    game.after(KEY_GRACE_US)
    assert game.key("fold").turn == 4
    view = game.key("fold")
    assert [choice.do for choice in view.next] == ["award main 2"]
    view = game.do("award main 2")
    assert (view.phase, seat(view, 2).stack) == ("over", 1020)


# --- behind the turn ---


def ahead() -> Game:
    """Seat 2 calls while the turn is on 4: 4 and 1 have not been keyed."""
    game = Game()
    game.lies(2, 5, 5)
    return game


def test_chips_behind_the_turn_are_a_question_first() -> None:
    game = ahead()
    view = game.view
    assert codes(view) == ["behind-the-turn"]
    alert = view.alerts[0]
    assert (alert.level, alert.seat) == ("question", 2)
    assert [choice.do for choice in alert.choices] == ["here 2", "ack held-2"]
    assert "4 and 1" in alert.text
    assert (view.pot, view.turn, seat(view, 2).bet, seat(view, 2).held) == (15, 4, 5, "call")


def test_silence_changes_no_money() -> None:
    game = ahead()
    before = game.view
    assert game.after(60_000_000) == msgspec.structs.replace(before, sequence=game.now_us)


def test_they_had_folded_is_one_touch() -> None:
    game = ahead()
    view = game.choose("behind-the-turn", 0)
    assert (view.turn, view.pot, codes(view)) == (3, 20, [])
    assert [seat(view, one).presumed for one in (4, 1)] == ["fold", "fold"]


def test_the_seats_own_button_answers_too() -> None:
    game = ahead()
    game.desk.on_event(SeatPressed(2, game.now_us), game.now_us)
    assert (game.view.turn, game.view.pot) == (3, 20)


def test_out_of_turn_makes_it_a_warning_and_the_turn_stays() -> None:
    game = ahead()
    view = game.choose("behind-the-turn", 1)
    assert codes(view) == ["out-of-turn"]
    assert (view.alerts[0].level, view.turn, view.pot) == ("warning", 4, 15)
    assert view.alerts[0].rule is not None
    assert [choice.do for choice in view.alerts[0].choices] == ["floor bind 2", "floor release 2"]
    view = game.do("4 fold", "1 fold")
    assert (view.turn, view.pot, codes(view)) == (3, 20, []), "it stands when the turn comes"


def test_out_of_turn_is_released_where_the_action_changed() -> None:
    game = ahead()
    game.choose("behind-the-turn", 1)
    game.lies(4, 25, 5)
    view = game.do("1 fold")
    assert (view.turn, seat(view, 2).due_back, seat(view, 2).bet, view.pot) == (2, 5, 5, 45)


def test_an_answer_to_a_question_that_nobody_asked_is_refused() -> None:
    assert Game().refused("ack held-2") is not None


# --- string bets, limits ---


def test_a_string_bet_is_put_to_the_dealer_with_the_rules_answer_first() -> None:
    game = Game()
    game.lies(4, 5, 5)
    view = game.lies(4, 25, 25, 5, 5)
    assert codes(view) == ["string-bet"]
    assert [choice.do for choice in view.alerts[0].choices] == ["return 4", "4 said raise"]
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.turn, view.pot) == (10, 50, 1, 25)


def test_a_string_bet_pushed_back_is_over() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.lies(4, 25, 25, 5, 5)
    game.choose("string-bet", 0)
    view = game.lies(4, 5, 5)
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.turn, codes(view)) == (10, 0, 1, [])


def test_one_large_chip_is_a_call_and_becomes_a_raise_where_one_was_said() -> None:
    game = Game()
    view = game.lies(4, 100)
    assert codes(view) == ["oversized-chip"]
    assert (seat(view, 4).bet, seat(view, 4).due_back) == (10, 90)
    view = game.choose("oversized-chip", 1)
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.to_call) == (100, 0, 100)


def test_more_than_the_limit_is_pushed_back() -> None:
    game = Game(POT_LIMIT)
    assert game.view.max_raise_to == 35
    view = game.lies(4, 25, 25, 5, 5)
    assert codes(view) == ["over-limit"]
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.pot, view.turn) == (35, 25, 50, 1)
    game.choose("over-limit", 0)
    view = game.lies(4, 25, 5, 5)
    assert (seat(view, 4).bet, seat(view, 4).due_back, codes(view)) == (35, 0, [])


def test_hands_that_are_faster_than_the_finger_push_back_as_well() -> None:
    game = Game(POT_LIMIT)
    game.lies(4, 25, 25, 5, 5)
    view = game.lies(4, 25, 5, 5)
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.pot, view.turn) == (35, 0, 50, 1)
    assert game.refused("return 4") is not None


def test_too_little_is_made_good() -> None:
    game = Game()
    view = game.lies(4, 5)
    assert codes(view) == ["under-call"]
    assert (seat(view, 4).bet, seat(view, 4).owes, view.provisional) == (5, 5, True)
    view = game.lies(4, 5, 5)
    assert (seat(view, 4).bet, seat(view, 4).owes, view.turn, codes(view)) == (10, 0, 1, [])


def test_where_the_book_asks_the_floor_it_waits_for_the_floor() -> None:
    game = Game(TDA)
    game.lies(4, 25, 5)
    view = game.lies(1, 25)
    assert codes(view) == ["held-for-the-floor"]
    assert (view.turn, seat(view, 1).bet) == (1, 0)
    view = game.choose("held-for-the-floor", 0)
    assert (view.turn, seat(view, 1).bet, seat(view, 1).owes) == (2, 25, 5)


# --- sweeps ---


def called_by_two() -> Game:
    """4 and 1 have called, 2 and 3 are to act; nobody has keyed their check."""
    game = Game()
    game.lies(4, 5, 5)
    game.lies(1, 5, 5)
    game.lies(2, 5, 5)
    return game


def empties(game: Game, number: int) -> TableView:
    game.desk.on_event(StackComplete(bet_spot(number), (), 0, False, game.now_us), game.now_us)
    return game.view


def test_several_spots_that_empty_together_ask_whether_the_street_is_closed() -> None:
    game = called_by_two()
    before = game.view
    for number in (4, 1, 2, 3):
        view = empties(game, number)
        game.after(SOON_US)
    assert codes(view) == ["sweep-question"]
    assert [choice.do for choice in view.alerts[0].choices] == ["deal closing"]
    assert (view.pot, view.turn) == (before.pot, before.turn)
    view = game.after(2 * SWEEP_US)
    assert codes(view) == ["sweep-question"], "silence changes no money"
    view = game.choose("sweep-question", 0)
    assert (view.street, view.turn, view.pot, codes(view)) == ("Flop", 2, 40, [])
    assert seat(view, 3).presumed == "check"
    view = game.after(2 * SWEEP_US)
    assert (view.pot, view.turn, codes(view)) == (40, 2, [])


def test_bets_that_are_put_back_answer_no() -> None:
    game = called_by_two()
    before = game.view
    for number in (4, 1):
        empties(game, number)
        game.after(SOON_US)
    for number in (4, 1):
        view = game.lies(number, 5, 5)
    assert (codes(view), view.pot, view.turn) == ([], before.pot, before.turn)
    assert game.after(2 * SWEEP_US).pot == before.pot


def test_one_spot_that_empties_alone_is_a_player_who_takes_back() -> None:
    game = called_by_two()
    view = empties(game, 4)
    assert codes(view) == []
    view = game.after(ALONE_US)
    assert codes(view) == ["chips-withdrawn"]
    assert (seat(view, 4).bet, seat(view, 4).owes) == (0, 10)
    assert game.lies(4, 5, 5).alerts == ()


def test_a_bet_taken_back_and_put_in_again_at_once_is_nothing() -> None:
    game = called_by_two()
    before = game.view
    empties(game, 4)
    view = game.lies(4, 5, 5)
    assert (codes(view), view.pot, view.turn) == ([], before.pot, before.turn)


def test_spots_that_empty_far_apart_are_no_sweep() -> None:
    game = called_by_two()
    empties(game, 4)
    game.after(SWEEP_US)
    view = empties(game, 1)
    assert "sweep-question" not in codes(view)


def test_a_sweep_that_was_keyed_first_says_nothing() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    for number in (4, 1, 2, 3):
        assert codes(empties(game, number)) == []
    assert (game.view.pot, game.view.turn) == (40, 2)


# --- between the rounds ---


def closed() -> Game:
    """Before the flop all have called, swept, the flop is not dealt yet."""
    game = called_by_two()
    game.do("3 check")
    for number in (4, 1, 2, 3):
        empties(game, number)
    return game


def test_chips_between_the_rounds_count_for_the_next_street() -> None:
    game = closed()
    view = game.lies(2, 25)
    assert codes(view) == ["chips-between-rounds"]
    assert (view.pot, seat(view, 2).bet, seat(view, 2).seen) == (40, 10, 25)
    view = game.do("deal")
    assert (view.pot, seat(view, 2).bet, view.turn, codes(view)) == (65, 25, 3, [])


def test_chips_between_the_rounds_that_are_taken_back_never_were() -> None:
    game = closed()
    game.lies(2, 25)
    assert codes(game.lies(2)) == []
    view = game.do("deal")
    assert (view.pot, seat(view, 2).bet, view.turn) == (40, 0, 2)


def test_chips_owed_come_while_the_round_is_closed() -> None:
    game = called_by_two()
    game.do("3 says raise")
    view = game.lies(3, *[5] * 4)
    assert (seat(view, 3).bet, view.turn) == (20, 4)
    game.do("4 fold", "1 fold", "2 says call")
    assert (seat(game.view, 2).owes, game.view.phase) == (10, "closed")
    assert game.refused("deal") is not None
    view = game.lies(2, 5, 5, 5, 5)
    assert (seat(view, 2).bet, seat(view, 2).owes, view.pot) == (20, 0, 60)


def test_chips_of_the_last_pot_still_on_the_winners_spot_are_no_bet() -> None:
    game = Game()
    game.lies(4, 25, 5)
    game.do("1 fold", "2 fold", "3 fold", "award main 4", "hand")
    view = game.view
    assert (view.turn, view.pot, seat(view, 4).bet) == (1, 15, 10)
    for number in (2, 3):
        game.lies(number)
    game.lies(3, 5)
    view = game.lies(4, 25, 5)
    assert (view.turn, view.pot, seat(view, 4).bet, seat(view, 4).held, codes(view)) == (1, 15, 10, "", [])
    view = game.lies(4, 5, 5)
    assert (view.turn, view.pot, seat(view, 4).bet, codes(view)) == (1, 15, 10, [])


def test_what_a_tray_still_sees_after_the_sweep_is_no_bet() -> None:
    """A ghost, a chip that the arm left behind: it lay there before."""
    game = called_by_two()
    game.do("3 check", "deal")
    for number in (1, 2, 3):
        empties(game, number)
    view = game.lies(4, 5)
    assert (view.pot, view.turn, seat(view, 4).held, codes(view)) == (40, 2, "", [])
    view = game.lies(4)
    assert (view.pot, view.turn, codes(view)) == (40, 2, [])


# --- trays that are not sure ---


def test_a_stack_too_high_is_shown_but_does_not_count() -> None:
    game = Game()
    view = game.lies(4, *[5] * 24, at_least=True)
    assert codes(view) == ["at-least"]
    assert (seat(view, 4).bet, seat(view, 4).seen, seat(view, 4).at_least) == (0, 120, True)
    assert (view.turn, view.provisional, view.alerts[0].level) == (4, True, "question")


def test_a_stack_too_high_is_keyed_in_and_the_question_is_answered() -> None:
    game = Game()
    game.lies(4, *[5] * 24, at_least=True)
    view = game.do("4 raise to 125")
    assert (seat(view, 4).bet, seat(view, 4).owes, seat(view, 4).bet_source) == (125, 0, "keyed")
    assert (view.turn, view.provisional, codes(view)) == (1, False, [])
    view = game.lies(4, *[5] * 25)
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.turn, codes(view)) == (125, 0, 1, [])


def test_a_stack_too_high_that_is_spread_out_counts_by_itself() -> None:
    game = Game()
    game.lies(4, *[5] * 24, at_least=True)
    view = game.lies(4, *[5] * 25)
    assert (seat(view, 4).bet, seat(view, 4).bet_source, view.turn, codes(view)) == (125, "sensed", 1, [])


def test_a_foreign_tag_is_no_chip() -> None:
    game = Game()
    view = game.lies(4, 5, 5, unknown=1)
    assert codes(view) == ["unknown-chip"]
    assert (seat(view, 4).unknown_chips, seat(view, 4).bet, view.turn) == (1, 0, 4)
    view = game.lies(4, 5, 5)
    assert (seat(view, 4).bet, view.turn, codes(view)) == (10, 1, [])


def test_a_foreign_tag_that_stays_stops_nobody_from_keying() -> None:
    game = Game()
    game.lies(4, 5, 5, unknown=1)
    view = game.do("4 call")
    assert (seat(view, 4).bet, seat(view, 4).owes, view.turn) == (10, 0, 1)
    assert all(alert.level != "question" for alert in view.alerts)


def test_an_offline_tray_is_keyed_in_and_agrees_when_it_is_back() -> None:
    game = Game()
    assert "tray-offline" in codes(game.tray(4, online=False))
    view = game.do("4 raise to 30")
    assert (seat(view, 4).bet, seat(view, 4).owes, seat(view, 4).bet_source) == (30, 0, "keyed")
    assert seat(view, 4).tray == "offline"
    game.tray(4, online=True)
    view = game.lies(4, 25, 5)
    assert (seat(view, 4).bet, seat(view, 4).due_back, view.turn, codes(view)) == (30, 0, 1, [])


def test_without_trays_words_are_chips() -> None:
    game = Game(trays=False)
    view = game.do("4 raise to 30", "1 fold", "2 call", "3 call", "deal", "2 bet 50")
    assert (view.pot, view.turn, view.sensors, codes(view)) == (140, 3, "off", [])


def test_words_and_chips_of_one_key_are_written_in_one_piece() -> None:
    pieces: list[list[str]] = []
    desk = Desk(read(CONFIG).table, lambda lines, *_: pieces.append(list(lines)), trays=False)
    for do in ("hand", "4 raise to 30", "1 fold"):
        assert desk.command(do, 1) is None
    assert pieces == [["hand"], ["4 raise to 30", "4 chips 25 5"], ["1 fold"]]


def test_a_record_that_cannot_be_written_leaves_everything_as_it_was() -> None:
    def full(lines: object, *_: object) -> None:
        raise OSError("disk full")

    desk = Desk(read(CONFIG).table, full)
    before = showing.show(desk, 0)
    for do in ("hand", "call floor"):
        with pytest.raises(OSError, match="disk full"):
            desk.command(do, 1)
    assert showing.show(desk, 0) == before


# --- keys ---


def test_a_check_key_right_after_the_turn_moved_on_was_meant_for_the_seat_before() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.after(SOON_US)
    view = game.key("check-call")
    assert (codes(view), view.turn, view.pot) == (["key-too-late"], 1, 25)
    game.after(KEY_GRACE_US)
    assert game.key("check-call").turn == 2


def test_a_check_key_while_chips_are_moving_ends_the_motion() -> None:
    game = Game()
    game.seen(4, 5, 5)
    view = game.key("check-call")
    assert (view.turn, seat(view, 4).bet, seat(view, 4).owes, view.provisional) == (1, 10, 0, False)
    view = game.lies(4, 5, 5)
    assert (view.turn, seat(view, 4).bet, codes(view)) == (1, 10, [])


def test_a_touch_that_says_the_same_as_the_chips_confirms_them() -> None:
    game = Game()
    game.lies(4, 5, 5)
    assert game.refused("4 call", shown=4) is None
    view = game.view
    assert (seat(view, 4).bet_source, view.turn, seat(view, 4).owes) == ("confirmed", 1, 0)


def test_a_touch_that_says_something_else_than_the_chips_is_refused() -> None:
    game = Game()
    game.lies(4, 5, 5)
    before = game.view
    refused = game.refused("4 fold", shown=4)
    assert refused is not None and "call" in refused
    assert game.view == before


def test_deal_pressed_too_early_shows_what_to_do_and_changes_nothing() -> None:
    game = called_by_two()
    before = game.view
    view = game.key("deal")
    assert codes(view) == ["flop-too-early"]
    assert view.alerts[0].rule is not None
    assert [choice.do for choice in view.alerts[0].choices] == ["deal closing"]
    assert (view.pot, view.turn, view.street) == (before.pot, before.turn, "Preflop")
    assert codes(game.key("deal")) == ["flop-too-early"]
    assert game.lines.count("too early") == 1
    assert codes(game.do("3 check")) == []


def test_the_floor_is_called_and_has_decided() -> None:
    game = Game()
    view = game.key("floor")
    assert codes(view) == ["floor-called"]
    assert game.do("4 fold").alerts != (), "the call stands until the floor has decided"
    assert codes(game.choose("floor-called", 0)) == []


# --- undo ---


def test_undo_takes_back_what_was_sensed_and_the_chips_follow() -> None:
    game = Game()
    game.lies(4, 25, 5)
    view = game.key("undo")
    assert (view.turn, view.pot, seat(view, 4).bet) == (4, 15, 0)
    view = game.lies(4)
    assert (view.turn, view.pot, seat(view, 4).bet, codes(view)) == (4, 15, 0, [])
    view = game.lies(4, 5, 5)
    assert (view.turn, seat(view, 4).bet, seat(view, 4).bet_source) == (1, 10, "sensed")


def test_undo_and_the_key_that_was_meant() -> None:
    """The chips lie right, only what was made of them was wrong: nobody has to touch them."""
    game = Game()
    game.lies(4, 100)
    game.key("undo")
    view = game.do("4 raise to 100")
    assert (view.turn, seat(view, 4).bet, seat(view, 4).owes, seat(view, 4).due_back) == (1, 100, 0, 0)


def test_undo_of_a_deal_before_the_sweep() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    view = game.key("undo")
    assert (view.street, view.phase, view.pot) == ("Preflop", "closed", 40)
    view = game.do("deal")
    for number in (4, 1, 2, 3):
        view = empties(game, number)
    assert (view.street, view.turn, view.pot, codes(view)) == ("Flop", 2, 40, [])


# --- devices ---


def test_devices_that_are_out_are_named_and_come_back() -> None:
    game = Game()
    for device, code in (("odd", "reader-offline"), ("panel-low", "board-offline")):
        game.desk.on_event(DeviceDown(device, "unplugged", game.now_us), game.now_us)
        assert codes(game.view) == [code]
        assert next(each for each in game.view.devices if each.name == device).up is False
        game.desk.on_event(DeviceUp(device, game.now_us), game.now_us)
        assert codes(game.view) == []


# --- restarting ---


def test_replaying_what_was_recorded_shows_the_same() -> None:
    game = called_by_two()
    game.key("deal")
    game.do("3 raise to 30", "call floor")
    game.lies(3, *[5] * 6)
    game.lies(1, *[5] * 6)
    game.choose("behind-the-turn", 1)
    again = Desk(read(CONFIG).table, readers=frozenset({"odd"}))
    for line in game.lines:
        again.replay(line, "sensor" if " chips " in line else "dealer", 1)
    shown = showing.show(again, game.now_us)
    assert shown == game.view
