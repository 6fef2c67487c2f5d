"""Check that the pages of the screen show what was played, and that a query for a page changes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import parse_config
from controller.histories import export_recorded, parse_hand, to_script
from controller.journal import Segment, build_id
from controller.live import Live, TableSetup, Transition, handle_command
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, starting_table
from controller.service import AccessPolicy, TableService
from controller.service.queries import HandLog, QueryHandler, parse_query
from controller.service.queries.alert_log import MAX_ALERTS, AlertLog
from controller.service.queries.hand_log import MAX_HANDS, LoggedHand
from controller.service.queries.hand_pages import MAX_ACTIONS, hand_page, hands_page
from controller.service.roles import parse_permissions
from controller.steps import Step, StepSource, StepSyntaxError, format_step, parse_step
from controller.table import Table
from controller.table.state import LastDeclaration
from controller.view import (
    Alert,
    MessageValues,
    RefusalView,
    Reply,
    ServiceMessage,
    pages,
    protocol,
)
from hardware.health import AntennaHealth, DeviceHealth, HardwareHealth, PressStats
from tests.service.in_process_service import in_process_service
from tests.service.service_process import CONFIG, DEADLINE_S, RawConnection, raw_connection, service_process
from tests.service.test_roles import ENDPOINTS, usual_text

SECOND_US = 1_000_000
HAND = ["hand", "4 raise to 30", "1 call", "2 fold", "3 call", "deal", "3 check", "4 bet 40", "1 fold", "3 fold"]


@dataclass
class LoggedTable:
    """Live state of a table, and the hand log with the hands that were played there."""

    live: Live
    played: HandLog
    now_us: int = 0

    def do(self, *steps: str, source: StepSource = "dealer", badge: str = "") -> None:
        """Apply steps one minute apart. The table must accept each step.

        After a minute the table no longer counts new chips towards the previous step.
        """
        for step in steps:
            self.now_us += 60 * SECOND_US
            change = handle_command(self.live, parse_step(step), self.now_us, source=source, shown_turn=None)
            assert change.refusal is None, (step, change.refusal)
            self.apply(change, badge)

    def apply(self, change: Transition, badge: str = "") -> None:
        """Add a step and its result to the hand log. Continue from the state after this step."""
        self.played.add_transition(self.live, change, badge=badge)
        self.live = change.live

    def page(self, number: int = 0) -> pages.HandPage:
        """Return the page of the hand with this number, or of the last hand if the number is 0."""
        hands = self.played.hands()
        return hand_page(next(hand for hand in hands if not number or hand.number == number))


def logged_table(config: str = CONFIG, *, trays: bool = False) -> LoggedTable:
    """Return a table before its first hand, with an empty log."""
    live = Live(TableSetup(has_sensors=trays, has_clock=True), parse_config(config).table)
    return LoggedTable(live, HandLog())


# --- query lines ---


@pytest.mark.parametrize("do", ["hand", "3 fold", "award main 3", "looking", "lookhands", ""])
def test_line_without_look_is_a_step(do: str) -> None:
    assert parse_query(do) is None


@pytest.mark.parametrize(
    "do",
    [
        *("look", "look x", "look hands 3", "look hand", "look hand x", "look hand -1", "look hand ٣", "look phh 1 2"),
        *("look hand " + "9" * 10, "look award", "look award 3 fold", "look deal", "look look hands"),
    ],
)
def test_invalid_query_is_refused_in_one_line(do: str) -> None:
    with pytest.raises(StepSyntaxError, match="expected") as raised:
        parse_query(do)
    assert "\n" not in str(raised.value)


# --- the last hands ---


def brief(action: pages.HandAction) -> tuple[str, int, str, int]:
    """Return the main values of an action on the page of a hand: step name, seat, result and pot."""
    summary = action.summary
    result = f"{summary.action.verb} {summary.action.amount}" if summary.action else ""
    return summary.step, summary.seat, result, action.pot


def test_hand_page_lists_each_declaration_and_its_chips_as_one_action() -> None:
    table = logged_table()
    table.do(*HAND, "award main 4")
    page = table.page()
    assert [brief(action) for action in page.actions] == [
        ("starts-hand", 0, "", 15),
        ("declares", 4, "raise 30", 45),
        ("declares", 1, "call 30", 75),
        ("declares", 2, "fold 0", 75),
        ("declares", 3, "call 30", 95),
        ("deals", 0, "", 95),
        ("declares", 3, "check 0", 95),
        ("declares", 4, "bet 40", 135),
        ("declares", 1, "fold 0", 135),
        ("declares", 3, "fold 0", 135),
        ("awards", 0, "", 0),
    ]
    assert [action.round for action in page.actions] == [1] * 5 + [2] * 6
    assert {action.by for action in page.actions} == {"dealer"}
    assert [(seat.seat, seat.stack_before, seat.stack_after, seat.won) for seat in page.seats] == [
        (1, 1000, 970, 0),
        (2, 1000, 995, 0),
        (3, 1000, 970, 0),
        (4, 1000, 1065, 135),
    ]
    assert (page.summary.result, page.summary.pot, page.summary.round, page.summary.is_complete) == (
        "won",
        135,
        2,
        True,
    )
    assert [(share.seat, share.amount, share.name) for share in page.summary.awards] == [(4, 135, "dev")]


def test_ruling_is_listed_at_its_action_with_its_rule() -> None:
    table = logged_table(CONFIG + 'structure = "pot-limit"\n')
    table.do("hand", "4 raise to 900")
    (_, action) = table.page().actions
    (ruling,) = action.warnings
    assert (ruling.code, ruling.values.seat, ruling.choices) == ("over-limit", 4, ())
    assert ruling.rule and table.page().summary.warning_count == 1


def test_floor_decision_is_listed_with_its_badge() -> None:
    table = logged_table()
    table.do("hand")
    table.do("floor bet 3 20", source="floor", badge="eve")
    table.do("4 fold", badge="eve")
    assert [(action.by, action.badge) for action in table.page().actions] == [
        ("dealer", ""),
        ("floor", "eve"),
        ("dealer", ""),
    ]


def test_hand_page_marks_running_and_voided_hands() -> None:
    table = logged_table()
    table.do("hand", "4 raise to 30")
    assert (table.page().summary.result, table.page().summary.pot) == ("", 45)
    table.do("void")
    assert (table.page().summary.result, table.page().summary.pot, table.page().summary.awards) == ("void", 45, ())


def test_steps_between_hands_belong_to_no_hand() -> None:
    table = logged_table()
    table.do(*HAND, "award main 4", "3 add 100", "4 tip 5", "hand")
    assert len(table.page(1).actions) == 11 and len(table.page(2).actions) == 1


def test_hand_log_keeps_the_last_twenty_hands() -> None:
    table = logged_table()
    for _ in range(MAX_HANDS + 3):
        table.do("hand", "void")
    page = hands_page(table.played.hands(), table.live.table)
    assert [hand.number for hand in page.hands] == list(range(MAX_HANDS + 3, 3, -1))
    assert not page.is_complete and all(hand.is_complete for hand in page.hands)
    assert len(table.played._groups) <= 2 * MAX_HANDS + 2


def test_reopened_table_restarts_hand_numbers_and_queries_find_the_newest() -> None:
    table = logged_table()
    table.do("hand", "void", "close", "open", "1 sit 500", "2 sit 500", "hand")
    assert [hand.number for hand in table.played.hands()] == [1, 1]
    assert table.page(1).summary.result == ""


# --- undo and redo ---


def logged_steps(played: HandLog) -> list[str]:
    """Return the text of the first step in each undo group of the hand log.

    An undo group has the steps that one undo reverts.
    """
    return [format_step(act[0].step) for act in played._groups]


def undoable_steps(table: Table) -> list[str]:
    """Return the text of each step that undo can revert, oldest first."""
    return [format_step(entry.step) for entry in table.undo_stack]


def play_at_random(dice: Random, log: HandLog, steps: int = 60) -> LoggedTable:
    """Play random steps, nearly a third of which are undo or redo, and return the table after these steps."""
    table = LoggedTable(Live(TableSetup(has_sensors=False, has_clock=True), parse_config(CONFIG).table), log)
    table.do("hand")
    acts = ["fold", "check", "call", "bet 40", "raise to 80", "says raise", "chips 25 5", "chips 100", "all-in"]
    others = ["hand", "deal", "deal closing", "void", "award main 1", "award main 2 3", "1 tip 1", "2 add 10"]
    for _ in range(steps):
        choice = dice.random()
        if choice < 0.3:
            step = dice.choice(["undo", "undo", "redo"])
        elif choice < 0.5:
            step = dice.choice(others)
        else:
            hand = table.live.table.hand
            step = f"{(hand.turn if hand else 0) or dice.randint(1, 4)} {dice.choice(acts)}"
        table.now_us += dice.choice([1, 20]) * SECOND_US
        change = handle_command(table.live, parse_step(step), table.now_us, source="dealer", shown_turn=None)
        table.apply(change)
    return table


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_hand_log_equals_the_undo_history_after_any_undo_and_redo(dice: Random) -> None:
    table = play_at_random(dice, HandLog())
    assert logged_steps(table.played) == undoable_steps(table.live.table)
    assert [format_step(act[0].step) for act in table.played._undone] == [
        format_step(entry.undo_entry.step) for entry in table.live.table.redo_stack
    ]


class LogThatIgnoresUndo(HandLog):
    """Planted fault: a hand log that keeps steps after they were undone."""

    def add_transition(self, live: Live, transition: Transition, **options: Any) -> None:
        if not any(format_step(step) == "undo" for step, _ in transition.steps):
            super().add_transition(live, transition, **options)


def test_planted_hand_log_that_ignores_undo_is_caught() -> None:
    table = play_at_random(Random(1), LogThatIgnoresUndo())
    assert logged_steps(table.played) != undoable_steps(table.live.table)


def test_undo_across_a_hand_removes_the_hand_and_redo_restores_it() -> None:
    table = logged_table()
    table.do(*HAND, "award main 4", "hand")
    hands_before = table.played.hands()
    table.do("undo", "undo")
    assert [hand.number for hand in table.played.hands()] == [1]
    assert table.page().summary.result == ""
    table.do("redo", "redo")
    assert table.played.hands() == hands_before


# --- hand histories ---


def without_unexported(table: Table) -> Table:
    """Return a copy of the table with empty values in the fields that an exported hand history does not have."""
    return table._replace(undo_stack=(), redo_stack=(), last_declaration=LastDeclaration())


def read_back(hand: LoggedHand) -> Table:
    """Export a hand as a hand history in PHH format, replay this history, and return the table at its end."""
    script = to_script(parse_hand(export_recorded(hand.table_before, hand.steps)))
    state = ScriptState(starting_table(script))
    for number, step in enumerate(script.steps, 1):
        state, outcome = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        assert outcome.refusal is None, (step, outcome.refusal)
    return state.table


SENSED_HAND = [
    *("hand", "4 raise to 30", "4 chips 25 5", "1 says raise", "1 chips 100", "2 fold", "3 fold"),
    *("4 says 100", "4 chips 25 25 5 5 5 5", "deal", "4 chips 100", "1 fold", "award main 4"),
]


def test_keyed_hand_survives_the_phh_round_trip() -> None:
    table = logged_table()
    table.do(*HAND[:-1], "3 raise to 80", "undo", "3 fold", "award main 4")
    (hand,) = table.played.hands()
    assert without_unexported(read_back(hand)) == without_unexported(hand.table_now)


def test_sensed_hand_survives_the_phh_round_trip() -> None:
    table = logged_table(trays=True)
    for step in SENSED_HAND:
        table.now_us += 60 * SECOND_US
        table.apply(Transition(table.live, at_us=table.now_us).apply("dealer", parse_step(step)))
    (hand,) = table.played.hands()
    assert hand.is_over
    assert without_unexported(read_back(hand)) == without_unexported(hand.table_now)


# --- alerts ---


def alert(code: str, seat: int = 0) -> Alert:
    """Return a warning."""
    return Alert(code=code, level="warning", values=MessageValues(seat=seat))


def test_alert_log_lists_newest_first_with_who_cleared_them() -> None:
    log = AlertLog(0)
    log.update((alert("a", 1), alert("b")), 1, hand=7, actor=("dealer", ""))
    log.update((alert("a", 1), alert("c")), 2, hand=7, actor=("floor", "eve"))
    log.update((alert("c"),), 3, hand=8, actor=("itself", ""))
    log.update((alert("c"), alert("a", 1)), 4, hand=8, actor=("itself", ""))
    lines = log.build_page().alerts
    assert [
        (line.alert.code, line.cleared_by, line.cleared_by_badge, line.hand, line.cleared_s is None) for line in lines
    ] == [
        ("a", "", "", 8, True),
        ("c", "", "", 7, True),
        ("b", "floor", "eve", 7, False),
        ("a", "itself", "", 7, False),
    ]


def test_alert_that_follows_from_another_is_not_logged() -> None:
    log = AlertLog(0)
    trays = [msgspec.structs.replace(alert("tray-offline", seat), cause="reader-offline") for seat in (1, 3)]
    log.update((alert("reader-offline"), *trays), 1, hand=1, actor=("itself", ""))
    assert [line.alert.code for line in log.build_page().alerts] == ["reader-offline"]


def test_alert_log_is_bounded() -> None:
    log = AlertLog(0)
    for number in range(3 * MAX_ALERTS):
        log.update((alert(str(number)),), number, hand=1, actor=("dealer", ""))
    page = log.build_page()
    assert len(page.alerts) == MAX_ALERTS and page.alerts[0].alert.code == str(3 * MAX_ALERTS - 1)
    assert len(log._active) == 1


def test_alert_log_derives_who_cleared_an_alert_from_the_step(tmp_path: Path) -> None:
    with in_process_service(tmp_path, AccessPolicy(parse_permissions(usual_text()), 1)) as table:
        connection = table.connect()
        assert connection.command("call-floor") is None
        table.present_badge("floor")
        assert connection.command("floor-came") is None
        table.present_badge(None)
        assert connection.command("hand") is None
        assert connection.command("4 says raise") is None
        assert connection.command("4 raise to 30") is None
        page = look(connection, "alerts")
    assert isinstance(page, pages.AlertsPage)
    assert ("floor-called", "floor", "eve (floor)") in [
        (line.alert.code, line.cleared_by, line.cleared_by_badge) for line in page.alerts
    ]
    assert not [line for line in page.alerts if line.cleared_by not in ("floor", "dealer", "itself", "")]


# --- award preview ---

EIGHT = CONFIG + 'variant = "omaha8"\n'
RAKED = CONFIG + "unit = 5\nrake = { percent = 10, cap = 8 }\njackpot = { amount = 1, pot = 20 }\n"


@pytest.mark.parametrize(
    ("config", "raise_to", "do", "shares", "odd_chips", "drop"),
    [
        (CONFIG, 34, "award main 4", {4: 107}, {}, (0, 0)),
        (CONFIG, 34, "award main 3 4", {3: 54, 4: 53}, {3: 1}, (0, 0)),
        (CONFIG, 35, "award main 3 4", {3: 55, 4: 55}, {}, (0, 0)),
        (CONFIG, 34, "award main 4*3 1", {4: 80, 1: 27}, {4: 2, 1: 1}, (0, 0)),
        (CONFIG + "unit = 5\n", 35, "award main 4*3 1", {4: 80, 1: 30}, {4: 5, 1: 5}, (0, 0)),
        (RAKED, 35, "award main 3 4", {3: 54, 4: 50}, {3: 4}, (5, 1)),
        (EIGHT, 34, "award main high 4 low 1 3", {4: 54, 3: 27, 1: 26}, {4: 1, 3: 1}, (0, 0)),
        (EIGHT, 35, "award main high 4 low 1 3", {4: 55, 3: 28, 1: 27}, {3: 1}, (0, 0)),
        (CONFIG + "boards = 2\n", 34, "award main board1 3 board2 4", {3: 54, 4: 53}, {3: 1}, (0, 0)),
    ],
)
def test_award_preview_equals_the_award(
    config: str, raise_to: int, do: str, shares: dict[int, int], odd_chips: dict[int, int], drop: tuple[int, int]
) -> None:
    table = logged_table(config)
    table.do(
        "hand", f"4 raise to {raise_to}", "1 call", "2 fold", "3 call", *["deal", "3 check", "4 check", "1 check"] * 3
    )
    before = table.live
    page = asyncio.run(QueryHandler().build_page(parse_query(f"look {do}") or pytest.fail("not a query"), before))
    assert isinstance(page, pages.AwardPage) and table.live is before
    table.do(do)
    assert table.live.table.hand is not None
    awarded = dict(enumerate(table.live.table.hand.awarded))
    assert {share.seat: share.amount for share in page.shares} == {seat: won for seat, won in awarded.items() if won}
    assert {share.seat: share.amount for share in page.shares} == shares
    assert {share.seat: share.amount for share in page.odd_chips} == odd_chips
    assert (page.rake, page.jackpot) == drop == (table.live.table.accounts.rake, table.live.table.accounts.jackpot)
    assert page.amount == sum(shares.values())


def test_award_preview_shows_the_rake_only_at_the_pot_that_pays_it() -> None:
    table = logged_table(RAKED)
    table.do("1 stack 100", "hand", "4 raise to 300", "1 all-in", "2 fold", "3 call", "deal", "3 check", "4 check")
    table.do("deal", "3 check", "4 check", "deal", "3 check", "4 check")

    def preview(do: str) -> pages.AwardPage:
        page = asyncio.run(QueryHandler().build_page(parse_query(do) or pytest.fail("not a query"), table.live))
        assert isinstance(page, pages.AwardPage)
        return page

    side, main = preview("look award side1 4"), preview("look award main 1")
    assert (side.amount, side.rake, side.jackpot) == (400, 0, 0)
    assert (main.rake, main.jackpot) == (5, 1)
    table.do("award side1 4", "award main 1")
    assert (table.live.table.accounts.rake, table.live.table.accounts.jackpot) == (5, 1)


def test_award_preview_names_the_board_of_each_odd_chip() -> None:
    table = logged_table(CONFIG + "boards = 2\n")
    table.do("hand", "4 raise to 35", "1 call", "2 fold", "3 call", *["deal", "3 check", "4 check", "1 check"] * 3)
    query = parse_query("look award main board1 3 4 board2 4 1") or pytest.fail("not a query")
    page = asyncio.run(QueryHandler().build_page(query, table.live))
    assert isinstance(page, pages.AwardPage)
    assert [(share.board, share.seat, share.amount) for share in page.odd_chips] == [(1, 3, 1), (2, 4, 1)]


def test_award_preview_is_refused_like_the_award() -> None:
    table = logged_table()
    table.do("hand", "4 fold")
    for do in ("award main 4", "award side7 3"):
        change = handle_command(table.live, parse_step(do), table.now_us, source="dealer", shown_turn=None)
        query = parse_query(f"look {do}") or pytest.fail("not a query")
        reply = asyncio.run(QueryHandler().build_page(query, table.live))
        assert isinstance(reply, RefusalView) and change.refusal is not None
        assert reply.code == change.refusal.code.value


# --- on the socket ---


def look(connection: RawConnection, do: str) -> pages.Page | RefusalView:
    """Send a query, such as `look hands`, and return the page or the refusal in the reply."""
    connection.send(protocol.encode(connection.next_command(f"look {do}")))
    while (reply := connection.message().reply) is None:
        pass
    page = reply.page or reply.refused
    assert page is not None
    return page


PAGE_TYPES = {
    "hands": pages.HandsPage,
    "hand 1": pages.HandPage,
    "phh 1": pages.PhhPage,
    "alerts": pages.AlertsPage,
    "devices": pages.DevicesPage,
    "report": pages.ReportPage,
    "games": pages.GamesPage,
}


def play(connection: RawConnection, *steps: str) -> None:
    """Send steps, all of which the service must accept."""
    connection.shown or connection.view()
    for step in steps:
        assert connection.command(step) is None, step


def recorded_steps(journal: Path) -> list[str]:
    """Return the texts of the steps in the running segment of a journal."""
    with contextlib.closing(Segment.open_read_only(journal)) as segment:
        return [record.do for record in segment.records()]


def test_every_query_is_answered_and_leaves_no_record(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with in_process_service(tmp_path, journal=journal) as table, raw_connection(table.address) as connection:
        table.service._query_handler._format_hand = export_recorded
        play(connection, *HAND, "award main 4")
        records = recorded_steps(journal)
        live, view = table.service.live, table.service.view
        for do, page_type in PAGE_TYPES.items():
            assert isinstance(look(connection, do), page_type), do
        assert table.service.live is live and table.service.view is view
        assert recorded_steps(journal) == records


@pytest.mark.parametrize(
    ("do", "code"),
    [("hand 7", "no-such-hand"), ("phh 7", "no-such-hand"), ("phh 1", "hand-not-over"), ("x", "not-a-step")],
)
def test_query_for_a_missing_page_is_refused_with_its_code(tmp_path: Path, do: str, code: str) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        play(connection, "hand")
        reply = look(connection, do)
        assert isinstance(reply, RefusalView) and reply.code == code
        assert isinstance(look(connection, "hands"), pages.HandsPage), "the connection was closed"


def test_service_started_by_its_command_exports_hands_as_phh(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        service.start()
        with raw_connection(service.address) as connection:
            play(connection, *HAND, "award main 4")
            page = look(connection, "phh 1")
            assert isinstance(page, pages.PhhPage) and parse_hand(page.text).original is not None


def test_slow_query_does_not_delay_commands(tmp_path: Path) -> None:
    is_exported = threading.Event()

    def export_slowly(table: Table, steps: Sequence[Step]) -> str:
        assert is_exported.wait(DEADLINE_S)
        return "text"

    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        table.service._query_handler._format_hand = export_slowly
        play(connection, "hand", "4 fold", "1 fold", "2 fold", "award main 3")
        connection.send(protocol.encode(connection.next_command("look phh 1")))
        assert connection.command("hand") is None
        is_exported.set()
        while (reply := connection.message().reply) is None:
            pass
        assert reply.page == pages.PhhPage(hand=1, text="text")


def test_error_in_a_query_does_not_stop_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueryHandler, "_table_page", lambda *_: 1 / 0)
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        connection.view()
        reply = look(connection, "hands")
        assert isinstance(reply, RefusalView) and reply.code == "fault"
        assert connection.command("hand") is None


def test_hands_of_the_running_segment_are_listed_after_a_start(tmp_path: Path) -> None:
    def state_after_restart() -> tuple[Sequence[LoggedHand], pages.HandsPage]:
        service = TableService.open(parse_config(CONFIG), tmp_path / "journal.db", trays=False)
        assert service._recorder is not None
        service._recorder.close()
        hands = service._query_handler.hand_log.hands()
        return hands, hands_page(hands, service.live.table)

    with (
        in_process_service(tmp_path, journal=tmp_path / "journal.db") as table,
        raw_connection(table.address) as connection,
    ):
        play(connection, *HAND, "undo", "3 fold", "award main 4", "hand", "4 call")
        before = table.service._query_handler.hand_log.hands()
    hands, page = state_after_restart()
    assert [hand.steps for hand in hands] == [hand.steps for hand in before]
    assert [hand_page(hand).actions for hand in hands] == [hand_page(hand).actions for hand in before]
    assert page.is_complete

    with (
        in_process_service(tmp_path, journal=tmp_path / "journal.db") as table,
        raw_connection(table.address) as connection,
    ):
        play(connection, "void")
        table.call(lambda: table.service._recorder.rotate(table.service.live, 0))  # type: ignore[union-attr]
        play(connection, "hand")
    hands, page = state_after_restart()
    assert [hand.number for hand in hands] == [3] and not page.is_complete


def test_player_role_is_denied_queries(tmp_path: Path) -> None:
    with in_process_service(tmp_path, AccessPolicy(parse_permissions(usual_text() + ENDPOINTS))) as table:
        players = table.connect("players.sock")
        for do in PAGE_TYPES:
            reply = look(players, do)
            assert isinstance(reply, RefusalView) and reply.code == "not-allowed"


def test_longest_hand_page_fits_into_one_line() -> None:
    table = logged_table(CONFIG + 'structure = "pot-limit"\n')
    table.do("hand", "4 raise to 900")
    start, ruling = table.played.hands()[0].undo_groups
    page = hand_page(LoggedHand(1, (start, *[ruling] * 2 * MAX_ACTIONS)))
    assert len(page.actions) == MAX_ACTIONS and page.actions[0].warnings
    assert len(protocol.encode(ServiceMessage(reply=Reply(id=1, page=page)))) < protocol.MAX_LINE_BYTES


# --- devices ---


def test_devices_page_shows_the_hardware_counters() -> None:
    handler = QueryHandler(journal_path="journal.db")
    handler.health_source = lambda: HardwareHealth(
        antennas=(
            AntennaHealth(
                "bet3",
                "left",
                3,
                True,
                tag_count=4,
                read_count=10,
                failed_count=1,
                last_fault="rf-error",
                last_fault_us=1,
            ),
        ),
        devices=(DeviceHealth("left", "reader", is_up=False, bad_frames=2),),
        press_stats={"fold": PressStats(), 3: PressStats(2, 1)},
        lit_seats=frozenset({3}),
    )
    live = logged_table().live._replace(
        device_faults=logged_table().live.device_faults._replace(down={"left": "no-answer", "badge-reader": None})
    )
    page = asyncio.run(handler.build_page(parse_query("look devices") or pytest.fail("not a query"), live))
    assert isinstance(page, pages.DevicesPage)
    (antenna,) = page.antennas
    assert (antenna.spot, antenna.tags, antenna.reads, antenna.failed, antenna.fault) == ("bet3", 4, 10, 1, "rf-error")
    assert antenna.fault_age_s is not None and antenna.age_ms is None
    assert [(device.name, device.kind, device.up, device.reason) for device in page.devices] == [
        ("left", "reader", False, "no-answer"),
        ("badge-reader", "badge-reader", True, ""),
    ]
    assert [(key.key, key.seat, key.presses, key.age_s is None) for key in page.keys] == [
        ("fold", 0, 0, True),
        ("", 3, 2, False),
    ]
    assert page.lamps == (3,) and page.version and page.build == build_id() and page.journal_path == "journal.db"


def test_raised_and_cleared_alerts_are_logged_with_fields(caplog: pytest.LogCaptureFixture) -> None:
    log, offline = AlertLog(0), Alert(code="reader-offline", level="warning", subject="even")
    with caplog.at_level(logging.INFO):
        log.update((alert("short-call", 3), offline), 1, hand=7, actor=("itself", ""))
        log.update((offline,), 2, hand=7, actor=("dealer", "ann"))
        log.write_changes("Table 4")
        log.write_changes("Table 4")
    assert [record.getMessage() for record in caplog.records] == [
        "alert short-call raised, seat 3",
        "alert reader-offline raised, even",
        "alert short-call cleared, seat 3",
    ]
    table = {"POTKEEPER_TABLE": "Table 4", "POTKEEPER_HAND": "7", "POTKEEPER_LEVEL": "warning"}
    assert [vars(record)["potkeeper_fields"] for record in caplog.records] == [
        {**table, "POTKEEPER_EVENT": "raised", "POTKEEPER_CODE": "short-call", "POTKEEPER_SEAT": "3"},
        {**table, "POTKEEPER_EVENT": "raised", "POTKEEPER_CODE": "reader-offline", "POTKEEPER_SUBJECT": "even"},
        {**table, "POTKEEPER_EVENT": "cleared", "POTKEEPER_CODE": "short-call", "POTKEEPER_SEAT": "3"},
    ]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "INFO"]
