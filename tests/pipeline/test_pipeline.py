"""The whole pipeline says what the rules alone say: cases and hands through chips, wire bytes, settling and a patient
table; and a table that is started again from its records goes on as the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.histories import replay_history
from controller.journal import Entry, whole
from controller.live import Change, Live, Setup, evolve, lasting, obey, react
from controller.presenter import show
from controller.scripts import STEP_US, Script, begin, load, play_rules, seen
from controller.simulation import ScriptedTable, pipeline, play_pipeline
from controller.table import ChipsAre, Source, Step, line, parse
from hardware.events import Event, StackComplete
from tests.controller.scripted import CASES, HANDS, files_under, name_of

EVERY = 12
"""Every twelfth of the random and recorded hands: the rest is left to `make soak`."""


class Played(NamedTuple):
    """A script that was played through chips and readers."""

    script: Script
    shown: list[dict[str, Any]]
    """What was printed, the start first."""
    lives: list[Live]
    """The live table at the same moments."""
    recorded: list[int]
    """How many steps were recorded by then."""
    journal: list[Entry]


def played(script: Script) -> Played:
    """Plays a script the whole way."""
    table = ScriptedTable(begin(script))
    shown, lives, recorded = [{"step": 0, **seen(table.table)}], [table.live], [len(table.journal)]
    for number, what in enumerate(script.steps, 1):
        came = table.happens(what, number * STEP_US)
        shown.append({"step": number, **seen(table.table, came.refused, tuple(came.warnings))})
        lives.append(table.live)
        recorded.append(len(table.journal))
    return Played(script, shown, lives, recorded, table.journal)


def _sample() -> Iterator[Path]:
    for folder, every in (("historic", 1), ("wsop", 2), ("pluribus", EVERY), ("random", EVERY)):
        yield from files_under(HANDS / folder)[::every]


@pytest.fixture(scope="module", params=[*files_under(CASES), *_sample()], ids=name_of)
def case(request: pytest.FixtureRequest) -> tuple[str, Played]:
    """A script by its name, played once for all that is asked of it."""
    return name_of(request.param), played(load(request.param))


# --- the same as the rules alone ---


def test_prints_the_same(case: tuple[str, Played]) -> None:
    _, through = case
    for directly, shown in zip(play_rules(through.script), through.shown, strict=True):
        assert shown == directly, f"step {directly['step']}"


@pytest.mark.soak
def test_every_hand_prints_the_same() -> None:
    for path in files_under(HANDS):
        assert list(play_pipeline(load(path))) == list(play_rules(load(path))), path.name


@pytest.mark.parametrize("path", sorted((HANDS / "phh").rglob("*.phh")), ids=name_of)
def test_replay_ends_with_the_stacks_of_the_history(path: Path) -> None:
    """Through emulated readers and settling, in simulated time, and with the rules alone: to the chip."""
    through, alone = replay_history(path, play_pipeline), replay_history(path, play_rules)
    assert through == alone
    if through.finishing is not None:
        assert through.stacks == through.finishing


A_RAISE = CASES / "limits" / "pot-limit-raise-the-pot.toml"


def test_a_chip_that_is_not_read_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: one chip of every stack is not told. The comparison above must notice."""

    def loses(live: Live, event: Event, at_us: int) -> Change:
        return react(live, replace(event, stack=event.stack[:-1]) if isinstance(event, StackComplete) else event, at_us)

    monkeypatch.setattr(pipeline, "react", loses)
    with pytest.raises(AssertionError):
        test_prints_the_same(("planted", played(load(A_RAISE))))


FOLDED = CASES / "refused" / "a-folded-seat-takes-its-blind-back.toml"


def test_an_answer_that_is_refused_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dealer who gave it again and again would never be done."""
    answers: list[Step] = []

    def obeys(live: Live, step: Step, at_us: int, *, source: Source) -> Change:
        if isinstance(step, ChipsAre):
            answers.append(step)
            assert len(answers) == 1, "asked again about what was refused"
        return obey(live, step, at_us, source=source)

    monkeypatch.setattr(pipeline, "obey", obeys)
    list(play_pipeline(load(FOLDED)))
    assert answers == [ChipsAre(1, "taken")]


# --- a restart after any step ---


def restarted(live: Live, entry: Entry) -> Live:
    """One recorded step more, as a journal gives it back: printed and read."""
    after, outcome = evolve(live, parse(line(entry.step)), entry.source, entry.at_us)
    assert outcome.refused is None, f"{line(entry.step)!r}: {outcome.refused}"
    return after


def now(live: Live) -> Live:
    """The state without what undo can take back: that was looked at when it was new, and is again at the end."""
    return lasting(live)._replace(table=live.table._replace(past=()))


def test_a_restart_after_any_step_goes_on_as_the_same_table(case: tuple[str, Played]) -> None:
    _, through = case
    again, done = Live(Setup(), begin(through.script)), 0
    for live, recorded in zip(through.lives, through.recorded, strict=True):
        for entry in through.journal[done:recorded]:
            again = restarted(again, entry)
        done = recorded
        assert now(again) == now(live)
        assert whole.digest(now(again)) == whole.digest(now(live))
        assert show(again, 1) == show(lasting(live), 1)
    last, data = lasting(through.lives[-1]), whole.write(again)
    assert again == last
    assert whole.write(last) == data
    assert whole.read(Live, data) == last


def test_what_no_recorded_step_says_is_caught() -> None:
    """Planted: a state that holds something beside its records."""
    through = played(load(A_RAISE))
    more = [live._replace(floor_called=True) for live in through.lives]
    with pytest.raises(AssertionError):
        test_a_restart_after_any_step_goes_on_as_the_same_table(("planted", through._replace(lives=more)))
