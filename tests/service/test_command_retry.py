"""Check that the service does a repeated command only once, and that it refuses a command for an outdated view."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config import parse_config
from controller.rules import Refusal
from controller.service import reply_cache, view_history
from controller.service.rate_limit import COMMANDS_PER_SECOND, MAX_BURST, RateLimiter, RateLimiters
from controller.service.reply_cache import ReplyCache, encode_command_id
from controller.service.screen_server import MAX_UNSENT_BYTES
from controller.service.view_history import StaleRefusal, ViewHistory
from controller.steps import STEP_CLASS_BY_VERB, hand_steps, parse_step, table_steps
from controller.table import Table, TableRefusal, apply_table_step
from controller.view import (
    Command,
    RefusalView,
    Reply,
    protocol,
)
from tests.service.in_process_service import in_process_service
from tests.service.service_process import CONFIG, RawConnection, raw_connection, service_process, wait_until

# --- sent again ---


def tokes(connection: RawConnection) -> int:
    """Return the total of the dealer's tips in the next view of this connection."""
    return connection.view().accounts.get("toke", 0)


def test_command_sent_three_times_is_done_once_and_answered_three_times(tmp_path: Path) -> None:
    with (
        in_process_service(tmp_path) as table,
        raw_connection(table.address) as connection,
        raw_connection(table.address) as other,
    ):
        shown = connection.view().sequence
        line = protocol.encode(Command(client="a", id=7, do="3 tip 5", view_sequence=shown))
        connection.send(3 * line)
        assert [connection.reply() for _ in range(3)] == [(7, None)] * 3
        assert table.service.live.table.accounts.toke == 5
        other.view()
        other.send(line)  # The client repeats the command on a new connection.
        assert other.reply() == (7, None)
        assert table.service.live.table.accounts.toke == 5


@pytest.mark.parametrize(
    ("without", "tipped"),
    [((ReplyCache,), 5), ((ViewHistory,), 5), ((ReplyCache, ViewHistory), 15)],
    ids=["no-reply-cache", "no-view-history", "neither"],
)
def test_either_guard_prevents_a_repeated_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: tuple[type, ...], tipped: int
) -> None:
    if ReplyCache in without:
        monkeypatch.setattr(
            ReplyCache, "reply_once", lambda _, command, execute: Reply(id=command.id, refused=execute())
        )
    if ViewHistory in without:
        monkeypatch.setattr(ViewHistory, "reject_reason", lambda *_: None)
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        shown = connection.view().sequence
        connection.send(3 * protocol.encode(Command(client="a", id=7, do="3 tip 5", view_sequence=shown)))
        for _ in range(3):
            connection.reply()
        assert table.service.live.table.accounts.toke == tipped


def test_refused_command_is_refused_again_when_resent(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        shown = connection.view().sequence
        line = protocol.encode(Command(client="a", id=1, do="3 fold", view_sequence=shown))
        connection.send(line)
        first = connection.reply()
        assert first[1] is not None
        assert connection.command("hand") is None
        connection.send(line)
        assert connection.reply() == first


def test_same_command_number_of_two_clients_is_done_twice(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        connection.view()
        for name, seat in (("a", 3), ("b", 4)):
            connection.send(
                protocol.encode(Command(client=name, id=1, do=f"{seat} tip 5", view_sequence=connection.shown))
            )
            assert connection.reply() == (1, None)
        assert table.service.live.table.accounts.toke == 10


def test_recorded_command_is_answered_from_the_journal_after_a_kill(tmp_path: Path) -> None:
    with service_process(tmp_path, "--no-trays") as service:
        service.start()
        with raw_connection(service.address) as connection:
            connection.view()
            lines = []
            for do in ("hand", "4 fold", "1 tip 5", "deal"):
                lines.append(protocol.encode(connection.next_command(do)))
                connection.send(lines[-1])
                connection.reply()
        service.kill()
        service.start()
        with raw_connection(service.address) as connection:
            before = connection.view()
            for line in lines:
                connection.send(line)
                connection.send(line)
            answers = [connection.reply()[1] for _ in range(2 * len(lines))]
            assert [refused.code if refused else "" for refused in answers] == [""] * 6 + ["round-open"] * 2
            assert connection.command("1 tip 5") is None, "a new command was refused"
            assert before.accounts["toke"] == 5 and service.link().view().accounts["toke"] == 10


def test_reply_cache_is_bounded_and_keeps_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_cache, "MAX_REPLIES", 3)
    cache = ReplyCache()
    executed: list[int] = []
    for number in (0, 1, 2, 3, 4, 4, 3, 2, 1):
        cache.reply_once(Command(client="a", id=number, do="undo"), partial(executed.append, number))
    assert executed == [0, 1, 2, 3, 4, 1]


@given(
    st.text("0aZ-", min_size=1, max_size=40),
    st.integers(0, 2**53 - 1),
    st.sampled_from([None, Refusal(TableRefusal.NO_HAND)]),
)
def test_recorded_command_id_restores_its_reply(client: str, number: int, refusal: Refusal | None) -> None:
    command = Command(client=client, id=number, do="undo")
    reply = ReplyCache([encode_command_id(command, refusal)]).reply_once(command, _do_not_execute)
    assert reply == Reply(id=number, refused=RefusalView(code=refusal.code.value) if refusal else None)


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '["a"]', '["a","b"]', "[1,2]"])
def test_record_of_another_version_names_no_command(text: str) -> None:
    command = Command(client="a", id=1, do="undo")
    assert ReplyCache([text, '["a",1]']).reply_once(command, _do_not_execute) == Reply(id=1)


def _do_not_execute() -> None:
    raise AssertionError("expected the recorded reply, the command was executed again")


# --- every command gets a reply ---


def test_client_too_far_behind_is_cut_off_and_gets_the_reply_on_reconnect(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        size = len(connection.line())
        connection.shown = table.service.view.sequence
        for _ in range(2 * MAX_UNSENT_BYTES // size):
            table.call(table.service._publish)
        command = Command(client="a", id=1, do="3 tip 5", view_sequence=table.service.view.sequence)
        connection.send(protocol.encode(command))
        wait_until(lambda: table.service.live.table.accounts.toke == 5, "the step is applied")
        with pytest.raises((AssertionError, ConnectionError)):  # The connection ends before the reply.
            connection.reply()
        with raw_connection(table.address) as reconnected:
            reconnected.send(protocol.encode(command))
            assert reconnected.reply() == (1, None)
        assert table.service.live.table.accounts.toke == 5


# --- commands for a view ---

IDEMPOTENT = ("here 3", "floor hold", "3 stack 900", "floor pot 15", "game main", "call-floor", "3 done")
"""One step for each verb with steps that may be repeated. Such a step has the same effect if it is done once or twice.
"""


@pytest.mark.parametrize(
    "do",
    [
        "3 fold", "3 says call", "3 chips 5", "3 takes 5", "return 3", "deal", "award main 3", "hand", "bomb 20",
        "void", "undo", "chop", "3 post", "3 straddle 20", "5 sit 200", "3 leave", "3 away", "3 back", "3 moves 7",
        "3 add 100", "3 cash 100", "3 marker 5", "3 redeems 5", "3 tip 5", "3 time 6", "floor release 3",
        "3 name Ann Lee", "splash 50", "3 bounty 5", "3 from-each 5", "3 to-each 5",
        "floor dead 3", "floor go", "chips-are 3 bet", "count 3 stack", *IDEMPOTENT,
    ],
)  # fmt: skip
def test_every_non_idempotent_step_requires_a_known_view(do: str) -> None:
    table, history = opened(), ViewHistory()
    history.add_view(1000, table, None)
    step = parse_step(do)
    assert step.verb.is_idempotent == (do in IDEMPOTENT)
    assert history.reject_reason(step, 0, table) is (None if step.verb.is_idempotent else StaleRefusal.NO_VIEW)
    for unknown in (1, 999, 1001, 2**53 - 1):
        assert history.reject_reason(step, unknown, table) is StaleRefusal.UNKNOWN_VIEW
    assert history.reject_reason(step, 1000, table) is None


def test_every_step_class_is_idempotent_or_requires_a_view() -> None:
    history, table = ViewHistory(), opened()
    for step_class in set(STEP_CLASS_BY_VERB.values()):
        step = object.__new__(step_class)
        assert (history.reject_reason(step, 0, table) is None) == step_class.verb.is_idempotent


def opened() -> Table:
    """Return the table that the configuration describes, before its first hand."""
    return parse_config(CONFIG).table


def after(table: Table, *lines: str) -> Table:
    """Return the table after these steps. Raise AssertionError if the table refuses a step."""
    for do in lines:
        outcome = apply_table_step(table, parse_step(do))
        assert outcome.refusal is None, outcome
        table = outcome.table
    return table


class TableWithViews:
    """A table and the history of its views. The history decides whether a command for an older view is still valid."""

    def __init__(self) -> None:
        self.table, self.history, self.sequence = opened(), ViewHistory(), 0
        self.do()

    def do(self, *lines: str) -> int:
        """Apply steps to the table and add one new view to the history. Return the sequence number of this view."""
        for do in lines:
            self.table = after(self.table, do)
        self.sequence += 1
        self.history.add_view(self.sequence, self.table, None)
        return self.sequence

    def command(self, line: str, shown: int) -> StaleRefusal | None:
        """Send a command for the view with sequence number `shown`. Return its refusal, or None if it was accepted."""
        step = parse_step(line)
        refusal = self.history.reject_reason(step, shown, self.table)
        if refusal is None:
            self.history.add_command(step)
            self.do(line)
        return refusal


def test_touch_sent_twice_is_done_once() -> None:
    for do in ("hand", "3 tip 5", "3 add 100", "5 sit 200"):
        views = TableWithViews()
        shown = views.sequence
        assert views.command(do, shown) is None
        assert views.command(do, shown) is StaleRefusal.ALREADY_DONE


def test_same_command_for_a_newer_view_is_done_again() -> None:
    views = TableWithViews()
    assert views.command("3 tip 5", views.sequence) is None
    assert views.command("3 tip 5", views.sequence) is None
    assert views.table.accounts.toke == 10


def test_two_undo_touches_on_one_view_undo_one_step() -> None:
    views = TableWithViews()
    views.do("3 tip 5", "3 tip 5", "4 tip 1")
    shown = views.sequence
    assert views.command("undo", shown) is None
    assert views.command("undo", shown) is StaleRefusal.ALREADY_DONE
    assert views.command("undo", views.sequence) is None
    assert views.table.accounts.toke == 5


def test_undo_reverts_only_the_shown_step() -> None:
    views = TableWithViews()
    shown = views.do("3 tip 5")
    views.do("4 tip 1")
    assert views.command("undo", shown) is StaleRefusal.TABLE_CHANGED


@pytest.mark.parametrize("do", ["deal", "3 check", "here 3", "floor bet 3 20", "return 3", "award main 3", "void"])
def test_command_for_one_round_is_refused_in_the_next(do: str) -> None:
    views = TableWithViews()
    shown = views.do("hand", "4 fold", "1 chips 10", "2 chips 5", "3 check")
    views.do("deal")
    assert views.history.reject_reason(parse_step(do), shown, views.table) is StaleRefusal.TABLE_CHANGED
    assert views.history.reject_reason(parse_step(do), views.sequence, views.table) is None


@pytest.mark.parametrize("do", ["5 sit 200", "3 tip 5", "3 away", "3 stack 900", "call-floor", "floor go"])
def test_round_independent_command_is_accepted_in_the_next_round(do: str) -> None:
    views = TableWithViews()
    shown = views.sequence
    views.do("hand")
    assert views.history.reject_reason(parse_step(do), shown, views.table) is None


def test_tray_activity_does_not_refuse_a_touch() -> None:
    # The step `1 call` has the same meaning before and after another seat has called in this betting round.
    views = TableWithViews()
    shown = views.do("hand")
    views.do("4 call")
    assert views.history.reject_reason(parse_step("1 call"), shown, views.table) is None


def test_oldest_views_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_history, "MAX_VIEWS", 4)
    views = TableWithViews()
    first = views.sequence
    newest = [views.do() for _ in range(4)][-1]
    assert views.history.reject_reason(hand_steps.DealsStreet(), first, views.table) is StaleRefusal.UNKNOWN_VIEW
    assert views.history.reject_reason(hand_steps.DealsStreet(), newest, views.table) is None
    for number in range(1, 11):
        views.history.add_command(table_steps.AddsChips(3, number))
    assert len(views.history._done) == 4


def test_views_before_a_restart_are_unknown_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Both services start in the same second, as if the clock had been set back between the two starts.
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)
    journal, shown = tmp_path / "journal.db", []
    for _ in range(2):
        with in_process_service(tmp_path, journal=journal) as table, raw_connection(table.address) as connection:
            shown.append(connection.view().sequence)
            connection.send(protocol.encode(Command(client="a", id=len(shown), do="3 tip 5", view_sequence=shown[0])))
            refused = connection.reply()[1]
            assert (refused is None) == (len(shown) == 1)
    assert refused is not None and refused.code == StaleRefusal.UNKNOWN_VIEW.value


def test_second_undo_for_one_view_is_refused_over_the_socket(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table, raw_connection(table.address) as connection:
        connection.view()
        assert [connection.command(do) for do in ("3 tip 5", "4 tip 1")] == [None, None]
        shown = connection.shown
        twice = [Command(client="a", id=number, do="undo", view_sequence=shown) for number in (1, 2)]
        connection.send(b"".join(map(protocol.encode, twice)))
        assert connection.reply() == (1, None)
        refused = connection.reply()[1]
        assert refused is not None and refused.code == StaleRefusal.ALREADY_DONE.value
        assert table.service.live.table.accounts.toke == 5


# --- rate limit ---


@given(st.lists(st.floats(0, 3), min_size=1, max_size=300))
def test_client_that_waits_as_asked_stays_within_the_quota(pauses: list[float]) -> None:
    # A client that waits as long as the rate limiter asks never exceeds the rate limit. A slow client need not wait at
    # all.
    limiter, now_s, done = RateLimiter(0.0), 0.0, 0
    for pause in pauses:
        now_s += pause
        wait_s = limiter.take_and_wait_s(now_s)
        assert wait_s == 0 or pause < 1 / COMMANDS_PER_SECOND + 1e-9
        now_s, done = now_s + wait_s, done + 1
        assert done <= MAX_BURST + now_s * COMMANDS_PER_SECOND + 1e-6


def test_client_has_one_quota_across_connections() -> None:
    limiters = RateLimiters()
    limiter = limiters.for_process(7, 0.0, set())
    assert limiters.for_process(7, 0.0, {7}) is limiter, "another connection of the process has another limit"
    assert limiters.for_process(8, 0.0, {7}) is not limiter
    for _ in range(MAX_BURST + 1):
        limiter.take_and_wait_s(0.0)
    assert limiters.for_process(7, 0.1, set()) is limiter, "the limit is forgotten when the process disconnects"
    assert limiters.for_process(7, 60.0, set()) is not limiter, "the limit is not forgotten after a minute"


def test_record_names_the_command_that_caused_it(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with in_process_service(tmp_path, journal=journal) as table, raw_connection(table.address) as connection:
        connection.view()
        command = connection.next_command("3 tip 5")
        connection.send(protocol.encode(command))
        connection.reply()
        recorder = table.service._recorder
        assert recorder is not None
        assert [json.loads(text) for text in recorder.recent_commands] == [[command.client, command.id, ""]]
