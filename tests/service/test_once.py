"""Commands once, and as they were meant: sent again they get the first answer, for an old view they are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config import read_config
from controller.service import answered, looked_at
from controller.service.answered import Answered, text_of
from controller.service.looked_at import LookedAt, Stale
from controller.service.quota import A_SECOND, AT_ONCE, Quota, Quotas
from controller.service.screens import MOST_UNSENT_BYTES
from controller.table import VERBS, Adds, Deals, Table, parse, step
from controller.view import Command, Refused, Reply, encode
from tests.service.inside import inside
from tests.service.running import CONFIG, Bare, connected, served, until

# --- sent again ---


def tokes(bare: Bare) -> int:
    """What the dealer has been tipped, in the newest view."""
    return bare.view().accounts.get("toke", 0)


def test_what_is_sent_three_times_is_done_once_and_answered_three_times(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare, connected(table.address) as other:
        shown = bare.view().sequence
        line = encode(Command(client="a", id=7, do="3 tip 5", shown=shown))
        bare.send(3 * line)
        assert [bare.reply() for _ in range(3)] == [(7, None)] * 3
        assert table.service.live.table.accounts.toke == 5
        other.view()
        other.send(line)  # over another connection, as after a loss
        assert other.reply() == (7, None)
        assert table.service.live.table.accounts.toke == 5


@pytest.mark.parametrize(
    ("without", "tipped"),
    [((Answered,), 5), ((LookedAt,), 5), ((Answered, LookedAt), 15)],
    ids=["no-answers-kept", "no-views-kept", "neither"],
)
def test_either_of_two_guards_is_enough_and_without_both_it_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: tuple[type, ...], tipped: int
) -> None:
    if Answered in without:
        monkeypatch.setattr(Answered, "to", lambda *_: None)
    if LookedAt in without:
        monkeypatch.setattr(LookedAt, "reject", lambda *_: None)
    with inside(tmp_path) as table, connected(table.address) as bare:
        shown = bare.view().sequence
        bare.send(3 * encode(Command(client="a", id=7, do="3 tip 5", shown=shown)))
        for _ in range(3):
            bare.reply()
        assert table.service.live.table.accounts.toke == tipped


def test_what_was_refused_is_refused_again_though_it_could_be_done_now(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        shown = bare.view().sequence
        line = encode(Command(client="a", id=1, do="3 fold", shown=shown))
        bare.send(line)
        first = bare.reply()
        assert first[1] is not None
        assert bare.command("hand") is None
        bare.send(line)
        assert bare.reply() == first


def test_two_clients_may_use_the_same_numbers(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        bare.view()
        for name, seat in (("a", 3), ("b", 4)):
            bare.send(encode(Command(client=name, id=1, do=f"{seat} tip 5", shown=bare.shown)))
            assert bare.reply() == (1, None)
        assert table.service.live.table.accounts.toke == 10


def test_a_command_whose_record_is_on_disk_is_answered_from_it_after_a_kill(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        service.start()
        with connected(service.address) as bare:
            bare.view()
            sent = []
            for do in ("hand", "4 fold", "1 tip 5", "deal"):
                sent.append(encode(bare.next(do)))
                bare.send(sent[-1])
                bare.reply()
        service.kill()
        service.start()
        with connected(service.address) as bare:
            before = bare.view()
            for line in sent:
                bare.send(line)
                bare.send(line)
            answers = [bare.reply()[1] for _ in range(2 * len(sent))]
            assert [refused.code if refused else "" for refused in answers] == [""] * 6 + ["round-open"] * 2
            assert bare.command("1 tip 5") is None, "a new command is done"
            assert before.accounts["toke"] == 5 and service.link().view().accounts["toke"] == 10


def test_answers_are_bounded_and_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answered, "MOST_ANSWERS", 3)
    kept = Answered()
    commands = [Command(client="a", id=number, do="undo") for number in range(5)]
    for command in commands:
        kept.keep(command, Reply(id=command.id))
    assert [kept.to(command) is not None for command in commands] == [False, False, True, True, True]


@given(st.text("0aZ-", min_size=1, max_size=40), st.integers(0, 2**53 - 1), st.sampled_from(["", "not-your-turn"]))
def test_a_record_names_its_command(client: str, number: int, refused: str) -> None:
    command = Command(client=client, id=number, do="undo")
    reply = Answered([text_of(command, refused)]).to(command)
    assert reply == Reply(id=number, refused=Refused(code=refused) if refused else None)


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '["a"]', '["a","b"]', "[1,2]"])
def test_a_record_of_another_version_names_none(text: str) -> None:
    assert Answered([text, '["a",1]']).to(Command(client="a", id=1, do="undo")) == Reply(id=1)


# --- replies are never left out ---


def test_who_is_too_far_behind_for_an_answer_is_cut_off_and_hears_it_on_the_next_connection(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        size = len(bare.line())
        bare.shown = table.service.view.sequence
        for _ in range(2 * MOST_UNSENT_BYTES // size):
            table.call(table.service._publish)
        command = Command(client="a", id=1, do="3 tip 5", shown=table.service.view.sequence)
        bare.send(encode(command))
        until(lambda: table.service.live.table.accounts.toke == 5, "it is done")
        with pytest.raises((AssertionError, ConnectionError)):  # the lines before it, then the end
            bare.reply()
        with connected(table.address) as again:
            again.send(encode(command))
            assert again.reply() == (1, None)
        assert table.service.live.table.accounts.toke == 5


# --- what was looked at ---

IDEMPOTENT = ("here 3", "floor hold", "3 stack 900", "floor pot 15", "game main", "call-floor", "3 done")


@pytest.mark.parametrize(
    "do",
    [
        "3 fold", "3 says call", "3 chips 5", "3 takes 5", "return 3", "deal", "award main 3", "hand", "bomb 20",
        "void", "undo", "chop", "3 post", "3 straddle 20", "5 sit 200", "3 leave", "3 away", "3 back", "3 moves 7",
        "3 add 100", "3 cash 100", "3 marker 5", "3 redeems 5", "3 tip 5", "3 time 6", "floor release 3",
        "floor dead 3", "floor go", "chips-are 3 bet", "count 3 stack", *IDEMPOTENT,
    ],
)  # fmt: skip
def test_every_step_that_is_not_harmless_twice_asks_for_a_view_that_is_known(do: str) -> None:
    table, seen = opened(), LookedAt()
    seen.shows(1000, table, None)
    each = parse(do)
    assert each.harmless_twice == (do in IDEMPOTENT)
    assert seen.reject(each, 0, table) is (None if each.harmless_twice else Stale.NO_VIEW)
    for never in (1, 999, 1001, 2**53 - 1):
        assert seen.reject(each, never, table) is Stale.UNKNOWN_VIEW
    assert seen.reject(each, 1000, table) is None


def test_no_step_is_left_out_of_that() -> None:
    """Every class is either harmless twice, and says so, or asks for a view."""
    seen, table = LookedAt(), opened()
    for kind in set(VERBS.values()):
        bare = object.__new__(kind)
        assert (seen.reject(bare, 0, table) is None) == kind.harmless_twice


def opened() -> Table:
    return read_config(CONFIG).table


def after(table: Table, *lines: str) -> Table:
    for do in lines:
        outcome = step(table, parse(do))
        assert outcome.refused is None, outcome
        table = outcome.table
    return table


class Told:
    """A table with the views that it has shown."""

    def __init__(self) -> None:
        self.table, self.seen, self.sequence = opened(), LookedAt(), 0
        self.does()

    def does(self, *lines: str) -> int:
        """Steps of anybody; gives the view after them."""
        for do in lines:
            self.table = after(self.table, do)
        self.sequence += 1
        self.seen.shows(self.sequence, self.table, None)
        return self.sequence

    def commands(self, do: str, shown: int) -> Stale | None:
        """A command for that view."""
        each = parse(do)
        why = self.seen.reject(each, shown, self.table)
        if why is None:
            self.seen.does(each)
            self.does(do)
        return why


def test_one_touch_that_comes_twice_is_done_once() -> None:
    for do in ("hand", "3 tip 5", "3 add 100", "5 sit 200"):
        told = Told()
        shown = told.sequence
        assert told.commands(do, shown) is None
        assert told.commands(do, shown) is Stale.DONE_ALREADY


def test_the_same_again_for_a_newer_view_is_done_again() -> None:
    told = Told()
    assert told.commands("3 tip 5", told.sequence) is None
    assert told.commands("3 tip 5", told.sequence) is None
    assert told.table.accounts.toke == 10


def test_two_touches_of_undo_on_one_view_go_back_one_step() -> None:
    told = Told()
    told.does("3 tip 5", "3 tip 5", "4 tip 1")
    shown = told.sequence
    assert told.commands("undo", shown) is None
    assert told.commands("undo", shown) is Stale.DONE_ALREADY
    assert told.commands("undo", told.sequence) is None
    assert told.table.accounts.toke == 5


def test_undo_takes_back_what_was_shown_and_nothing_else() -> None:
    told = Told()
    shown = told.does("3 tip 5")
    told.does("4 tip 1")
    assert told.commands("undo", shown) is Stale.TABLE_CHANGED


@pytest.mark.parametrize("do", ["deal", "3 check", "here 3", "floor bet 3 20", "return 3", "award main 3", "void"])
def test_what_is_meant_for_a_round_is_not_done_in_the_next(do: str) -> None:
    told = Told()
    shown = told.does("hand", "4 fold", "1 chips 10", "2 chips 5", "3 check")
    told.does("deal")
    assert told.seen.reject(parse(do), shown, told.table) is Stale.TABLE_CHANGED
    assert told.seen.reject(parse(do), told.sequence, told.table) is None


@pytest.mark.parametrize("do", ["5 sit 200", "3 tip 5", "3 away", "3 stack 900", "call-floor", "floor go"])
def test_what_means_the_same_in_every_round_is_done_in_the_next(do: str) -> None:
    told = Told()
    shown = told.sequence
    told.does("hand")
    assert told.seen.reject(parse(do), shown, told.table) is None


def test_a_tray_that_moves_meanwhile_holds_no_touch_up() -> None:
    """A wager of another seat in the same round: the words still mean their seat."""
    told = Told()
    shown = told.does("hand")
    told.does("4 call")
    assert told.seen.reject(parse("1 call"), shown, told.table) is None


def test_views_are_forgotten_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked_at, "VIEWS_REMEMBERED", 4)
    told = Told()
    first = told.sequence
    newest = [told.does() for _ in range(4)][-1]
    assert told.seen.reject(Deals(), first, told.table) is Stale.UNKNOWN_VIEW
    assert told.seen.reject(Deals(), newest, told.table) is None
    for number in range(1, 11):
        told.seen.does(Adds(3, number))
    assert len(told.seen._done) == 4


def test_views_of_before_a_restart_are_not_known_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the clock was set back to the second in which the one before began."""
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)
    journal, shown = tmp_path / "journal.db", []
    for _ in range(2):
        with inside(tmp_path, journal=journal) as table, connected(table.address) as bare:
            shown.append(bare.view().sequence)
            bare.send(encode(Command(client="a", id=len(shown), do="3 tip 5", shown=shown[0])))
            refused = bare.reply()[1]
            assert (refused is None) == (len(shown) == 1)
    assert refused is not None and refused.code == Stale.UNKNOWN_VIEW.value


def test_undo_and_double_touches_over_the_socket(tmp_path: Path) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        bare.view()
        assert [bare.command(do) for do in ("3 tip 5", "4 tip 1")] == [None, None]
        shown = bare.shown
        twice = [Command(client="a", id=number, do="undo", shown=shown) for number in (1, 2)]
        bare.send(b"".join(map(encode, twice)))
        assert bare.reply() == (1, None)
        refused = bare.reply()[1]
        assert refused is not None and refused.code == Stale.DONE_ALREADY.value
        assert table.service.live.table.accounts.toke == 5


# --- how fast ---


@given(st.lists(st.floats(0, 3), min_size=1, max_size=300))
def test_nobody_gets_more_than_the_quota(pauses: list[float]) -> None:
    """Whoever waits as long as it is told is never ahead of the quota, and who is slow never waits."""
    quota, now_s, done = Quota(0.0), 0.0, 0
    for pause in pauses:
        now_s += pause
        wait_s = quota.wait_s(now_s)
        assert wait_s == 0 or pause < 1 / A_SECOND + 1e-9
        now_s, done = now_s + wait_s, done + 1
        assert done <= AT_ONCE + now_s * A_SECOND + 1e-6


def test_a_client_has_one_quota_however_often_it_connects() -> None:
    quotas = Quotas()
    quota = quotas.of(7, 0.0, set())
    assert quotas.of(7, 0.0, {7}) is quota, "over another connection"
    assert quotas.of(8, 0.0, {7}) is not quota
    for _ in range(AT_ONCE + 1):
        quota.wait_s(0.0)
    assert quotas.of(7, 0.1, set()) is quota, "it has hung up and comes back"
    assert quotas.of(7, 60.0, set()) is not quota, "after a while it is forgotten"


def test_a_record_says_which_command_it_came_of(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with inside(tmp_path, journal=journal) as table, connected(table.address) as bare:
        bare.view()
        command = bare.next("3 tip 5")
        bare.send(encode(command))
        bare.reply()
        recorder = table.service._recorder
        assert recorder is not None
        assert [json.loads(text) for text in recorder.commands] == [[command.client, command.id, ""]]
