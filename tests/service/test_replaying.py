"""The state that a journal gives again: the same with the same program, the recorded one where another program would
make something else of it, and then it is said at which hand."""

from __future__ import annotations

import resource
import sqlite3
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import read_config
from controller.journal import Entry, Journal, JournalError, Segment, opening_of, segments, verify
from controller.live import Live, Setup, lasting, obey
from controller.rules import Refusal
from controller.service import Service
from controller.service.replaying import MOST_RECORDS, Replayed, hand_of, live_of, replayed, whole_of
from controller.table import Awards, Outcome, Reason, Step, Table, parse
from tests.controller.live_table import Game
from tests.service.running import served

EVOLVE = sys.modules["controller.live.evolve"]
WHOLE = sys.modules["controller.journal.whole"]
RECORDER = sys.modules["controller.service.recorder"]


class Recorded(Game):
    """A game whose steps are in a journal, with the state at the end of each hand."""

    def __init__(self, path: Path) -> None:
        super().__init__(trays=False, hand=False)
        self.journal = Journal.create(path, opening_of("{}"))
        self._written = 0
        self._was_playing = False

    def write(self) -> None:
        """What has happened since the last time."""
        entries = [Entry(at_us, parse(do), source) for do, source, at_us in self.records[self._written :]]
        ends = self._was_playing and not self.table.playing
        self.journal.append(entries, hand_of(self.live) if ends else b"")
        self._written, self._was_playing = len(self.records), self.table.playing

    def hand(self, winner: int) -> None:
        """All call and check to the end."""
        self.done("hand")
        hand = self.table.hand
        assert hand is not None
        small, big, *others = hand.order
        for seat in (*others, small):
            self.done(f"{seat} call")
        self.done(f"{big} check")
        for _ in range(3):
            self.done("deal")
            for seat in hand.order:
                self.done(f"{seat} check")
        self.done(f"award main {winner}")
        assert not self.table.playing

    def done(self, do: str) -> None:
        self.after(1_000_000)
        self.do(do)
        self.write()


def four_hands(path: Path) -> Live:
    """A closed journal of four hands and the beginning of a fifth; seats 2, 3, 2, 4 win."""
    game = Recorded(path)
    with closing(game.journal):
        game.done("1 add 50")
        for winner in (2, 3, 2, 4):
            game.hand(winner)
        for do in ("2 tip 5", "hand"):
            game.done(do)
    return game.live


def again(path: Path) -> Replayed:
    game = Game(trays=False, hand=False)
    with closing(Journal.view(path)) as segment:
        return replayed(segment, game.live)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.journal"


def plant(monkeypatch: pytest.MonkeyPatch, changes: Callable[[Outcome, Table, Step], Outcome]) -> None:
    """Another program: what a step does goes through `changes`, with the table before it."""
    honest = EVOLVE.table_step
    monkeypatch.setattr(
        EVOLVE, "table_step", lambda table, step, at_us: changes(honest(table, step, at_us), table, step)
    )


def planted(monkeypatch: pytest.MonkeyPatch, seat: int) -> None:
    """Another rule: whoever wins gives a chip to the first seat where this seat wins."""

    def changed(outcome: Outcome, _: Table, step: Step) -> Outcome:
        if not isinstance(step, Awards) or outcome.refused is not None or seat not in step.high:
            return outcome
        players = dict(outcome.table.players)
        players[seat] = players[seat]._replace(stack=players[seat].stack - 1)
        players[1] = players[1]._replace(stack=players[1].stack + 1)
        return outcome._replace(table=outcome.table._replace(players=players))

    plant(monkeypatch, changed)


def test_the_same_program_makes_the_same_of_it(path: Path) -> None:
    live = four_hands(path)
    assert again(path) == Replayed(lasting(live))


@pytest.mark.parametrize(("seat", "hand"), [(2, 1), (3, 2), (4, 4)])
def test_a_change_of_a_rule_is_found_at_the_first_hand_that_it_touches(
    path: Path, monkeypatch: pytest.MonkeyPatch, seat: int, hand: int
) -> None:
    live = four_hands(path)
    planted(monkeypatch, seat)
    found = again(path)
    assert f"hand {hand}, record " in found.differs
    assert "table.players[1].stack: " in found.differs, found.differs
    assert "\n" not in found.differs
    assert found.live == lasting(live)._replace(table=live.table._replace(past=found.live.table.past))
    # What was recorded counts; undo goes back to the end of the last hand.
    assert [done.step for done in found.live.table.past] == [parse("2 tip 5"), parse("hand")]


def test_a_rule_that_refuses_what_was_done_goes_on_from_the_recorded_state(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = four_hands(path)

    def refuses(outcome: Outcome, table: Table, step: Step) -> Outcome:
        if table.hands == 2 and isinstance(step, Awards):
            return Outcome(table, Refusal(Reason.NO_HAND))
        return outcome

    plant(monkeypatch, refuses)
    found = again(path)
    assert "'award main 3' is refused" in found.differs
    assert found.live.table.players == live.table.players


def test_a_fault_of_this_program_goes_on_from_the_recorded_state(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = four_hands(path)

    def faulty(outcome: Outcome, table: Table, step: Step) -> Outcome:
        if table.hands == 3:
            raise RuntimeError("planted")
        return outcome

    plant(monkeypatch, faulty)
    found = again(path)
    assert "RuntimeError: planted" in found.differs
    assert found.live.table.players == live.table.players


def test_behind_the_last_recorded_state_it_goes_as_far_as_it_can(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = four_hands(path)

    def faulty(outcome: Outcome, table: Table, step: Step) -> Outcome:
        if table.hands == 4 and step == parse("hand"):
            raise ValueError("planted")
        return outcome

    plant(monkeypatch, faulty)
    found = again(path)
    assert "'hand'" in found.differs
    assert (found.live.table.hands, live.table.hands) == (4, 5)
    assert found.live.table.accounts == live.table.accounts


def test_undo_goes_back_over_a_change_of_segment(path: Path) -> None:
    game = Recorded(path)
    with closing(game.journal):
        for winner in (2, 3):
            game.hand(winner)
        game.journal.rotate(whole_of(game.live))
        game.done("2 tip 5")
        live = game.live
    found = again(path)
    assert found == Replayed(lasting(live))
    assert len(found.live.table.past) == len(live.table.past) > 20


def test_a_state_that_this_program_cannot_read_is_named(path: Path) -> None:
    with closing(Journal.create(path, opening_of("{}"), b'{"form":1}')):
        pass
    with pytest.raises(JournalError, match="the state that it begins with: whole: another kind of file"):
        again(path)


def test_where_the_first_state_cannot_be_read_the_last_one_counts(path: Path) -> None:
    game = Recorded(path)
    with closing(game.journal):
        game.hand(2)
        game.journal.rotate(b'{"form":1}')
        game.hand(3)
        game.done("2 tip 5")
        live = game.live
    found = again(path)
    assert "the state that it begins with: whole: another kind of file" in found.differs
    assert found.live.table._replace(past=()) == live.table._replace(past=())


def test_where_no_recorded_state_can_be_read_this_program_s_own_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = four_hands(path)
    monkeypatch.setattr(WHOLE, "FORM", 2)
    found = again(path)
    assert "hand 1, record " in found.differs and "another kind of file" in found.differs
    assert found.live == lasting(live)


def test_a_state_that_is_lost_is_named(path: Path) -> None:
    game = Recorded(path)
    with closing(game.journal):
        game.hand(2)
        game.journal.rotate(whole_of(game.live))
    with closing(sqlite3.connect(path)) as db:
        db.executescript("DELETE FROM state")
    with pytest.raises(JournalError, match="its state is damaged: missing"):
        again(path)


def test_the_state_of_a_hand_is_that_of_the_table_without_what_can_be_taken_back(path: Path) -> None:
    live = four_hands(path)
    small = live_of(hand_of(live), live.setup)
    assert small.table == live.table._replace(past=())
    assert live_of(whole_of(live), live.setup) == lasting(live)


# --- commands ---

TABLE = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
[game]
blinds = [5, 10]
"""


def told(*arguments: object) -> str:
    """What the command prints."""
    result = CliRunner().invoke(main, ["journal", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def opened(config: str, path: Path) -> Service:
    return Service.open(read_config(config), path, trays=False)


def closed(service: Service) -> Live:
    assert service._recorder is not None
    service._recorder.close()
    return service.live


def test_a_new_configuration_begins_a_new_journal(tmp_path: Path, path: Path) -> None:
    service = opened(TABLE, path)
    service.do(parse("2 tip 5"))
    closed(service)
    config = tmp_path / "table.toml"
    config.write_text(TABLE.replace("[5, 10]", "[10, 20]"))
    assert ", after " in told("begin", path, "--config", config)
    live = closed(opened(TABLE, path))
    assert live.table.game.blinds == (10, 20)
    assert live.table.players[2].stack == 1000
    assert verify(path)[1] == 2


def test_a_copy_that_was_put_away_is_restored(tmp_path: Path, path: Path) -> None:
    service = opened(TABLE, path)
    service.do(parse("2 tip 5"))
    live = closed(service)
    copy = tmp_path / "copy.journal"
    path.rename(copy)
    assert ", after " in told("restore", copy, path)
    with closing(Segment.view(path)) as segment, closing(Segment.view(copy)) as parent:
        assert (segment.opening().why, segment.opening().parent) == ("restore", parent.name)
    again = closed(opened(TABLE, path))
    assert again.table.players == live.table.players
    assert again.table.past == live.table.past
    refused = CliRunner().invoke(main, ["journal", "restore", str(copy), str(path)])
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
    assert "exists, expected no journal yet" in refused.output


def test_the_service_goes_on_in_a_new_segment_between_hands(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RECORDER, "MOST_RECORDS", 3)
    service = opened(TABLE, path)
    recorder = service._recorder
    assert recorder is not None
    for do in ("1 tip 1", "hand", "4 call", "1 call"):
        assert service.do(parse(do)) is None
        recorder.keep(service.live, 0)
    assert len(list(segments(path))) == 1, "not in a hand"
    for do in ("void", "2 tip 1"):
        assert service.do(parse(do)) is None
        recorder.keep(service.live, 0)
    live = closed(service)
    assert [segment.opening().segment for segment in segments(path)] == [1, 2]
    assert lasting(closed(opened(TABLE, path))) == lasting(live)


def test_a_changed_rule_is_told_at_the_start_until_the_floor_has_looked(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = opened(TABLE, path)
    assert service.live.table.hand is None
    assert service.do(parse("hand")) is None
    for do in hand_lines((2, 3, 4, 1)):
        assert service.do(parse(do)) is None, do
    live = closed(service)
    planted(monkeypatch, 2)
    for _ in range(2):
        service = opened(TABLE, path)
        assert [alert.code for alert in service.view.alerts if alert.code == "journal-altered"]
        assert closed(service).table.players == live.table.players
    told = capsys.readouterr().err
    assert told.count("hand 1, record ") == told.count("table.players[1].stack: ") == 1, told


# --- a long year ---

MILLION = 1_000_000
QUARTER_S = 5.0
"""From the start of the process to its socket on a quarter of a core: four times the processor time that it takes."""


def hand_lines(order: tuple[int, ...]) -> Iterator[str]:
    """A hand that is checked down. The small blind wins: everybody once in a round."""
    small, big, *others = order
    yield from (f"{seat} call" for seat in (*others, small))
    yield f"{big} check"
    for _ in range(3):
        yield "deal"
        yield from (f"{seat} check" for seat in order)
    yield f"award main {small}"


def played(path: Path, count: int) -> int:
    """A journal of at least so many records, whose running segment is as long as it gets; gives how many hands."""
    live, at_us, hands = Live(Setup(trays=False), read_config(TABLE).table), 1_000_000, 0
    with closing(Journal.create(path, opening_of(read_config(TABLE).text))) as journal:
        journal._db.execute("PRAGMA synchronous = OFF")
        while journal.last < count or journal.records_here < MOST_RECORDS - 40:
            entries: list[Entry] = []
            lines = deque(["hand"])
            while lines:
                do, at_us = lines.popleft(), at_us + 1_000_000
                change = obey(live, parse(do), at_us, source="dealer")
                assert change.refused is None, (do, change.refused)
                live = change.live
                entries += [Entry(at_us, step, source) for step, source in change.steps]
                if do == "hand" and live.table.hand is not None:
                    lines.extend(hand_lines(live.table.hand.order))
            hands += 1
            journal.append(entries, hand_of(live))
            if journal.records_here > MOST_RECORDS:
                journal.rotate(whole_of(live))
    return hands


@pytest.mark.soak
def test_a_million_records_are_taken_up_at_once(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays", config=TABLE) as service:
        hands = played(service.journal, MILLION)
        room = sum(each.stat().st_size for each in tmp_path.rglob("*journal*") if each.is_file())
        before, began = _children_s(), time.monotonic()
        service.start()
        took_s = time.monotonic() - began
        service.kill()
        used_s = _children_s() - before
    print(f"{MILLION} records of {hands} hands: {room / hands / 1000:.1f} kB a hand on disk,", end=" ")
    print(f"up in {took_s:.2f} s, {used_s:.2f} s of a processor")
    assert used_s * 4 < QUARTER_S


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
