"""Another configuration at a running table keeps all chips, and any session can be played on and undone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import presenter
from controller.config import parse_config
from controller.journal import snapshot
from controller.live import Live, TableSetup, handle_command, with_configuration, without_transient
from controller.steps import parse_step
from controller.table import ConservationError, Table, require_chips_conserved
from controller.view import Money

SEATS = "stacks = { 1 = 300, 2 = 300, 3 = 300, 4 = 40 }\n"
LEVELS = "[[levels]]\nminutes = 20\nblinds = [5, 10]\n[[levels]]\nminutes = 5\nbreak = true\n"
CONFIGS = {
    "no-limit": "[game]\nblinds = [5, 10]\n",
    "higher": "[game]\nblinds = [10, 20]\nante = 5\nunit = 5\n",
    "pot-limit": '[game]\nvariant = "omaha"\nstructure = "pot-limit"\nblinds = [5, 10]\nnew_game_free = true\n',
    "stud": '[game]\nvariant = "stud"\nstructure = "fixed-limit"\nblinds = []\nante = 1\nbring_in = 2\n'
    "bets = [5, 5, 10, 10, 10]\n",
    "mix": 'mix = { name = "horse", bet = 10 }\n[game]\nblinds = [5, 10]\n',
    "games": '[game]\nblinds = [5, 10]\n[games.omaha]\nvariant = "omaha"\n',
    "rock": '[game]\nblinds = [5, 10]\nrock = 3\nrulebook = "tda"\nreturn_minutes = 60\n',
    "kill": '[game]\nstructure = "fixed-limit"\nblinds = [5, 10]\nbets = [10, 10, 20, 20]\n'
    "kill = { factor = 2, pot = 20 }\nrake = { percent = 5, cap = 4 }\n",
    "levels": "[game]\nblinds = [5, 10]\n" + LEVELS,
    "other-levels": '[game]\nblinds = [5, 10]\n[[levels]]\nname = "first"\nminutes = 9\nblinds = [2, 4]\n',
}
TABLES = {name: parse_config(SEATS + text).table for name, text in CONFIGS.items()}
LINES = (
    *("hand", "hand", "hand", "deal", "deal", "undo", "undo", "redo", "void", "clock 5", "game main", "game omaha"),
    *("game 1", "game break-1", "game razz", "6 sit 200 as eve", "2 leave", "1 away", "1 back", "2 moves 7"),
    *(f"{seat} {act}" for seat in (1, 2, 3, 4, 6) for act in ("call", "fold", "fold", "check", "raise", "chips 25")),
    *(f"award main {seat}" for seat in (1, 2, 3, 4, 6)),
    *("call-floor", "3 later leave", "floor button 2"),
)
ACTS = st.lists(
    st.one_of(st.sampled_from(LINES), st.sampled_from([f"take up {name}" for name in CONFIGS])), max_size=60
)


def play_line(live: Live, line: str, at_us: int) -> Live:
    """Return the state after a line. A step that is refused changes nothing, and a configuration waits in a hand."""
    if line.startswith("take up "):
        if live.table.is_hand_in_progress:
            return live
        return with_configuration(live, TABLES[line.removeprefix("take up ")], at_us)
    return handle_command(live, parse_step(line), at_us).live


def check(live: Live) -> None:
    """Check that no chip is lost, that the state can be recorded, and that a view can be built."""
    require_chips_conserved(live.table, parse_step("hand"))
    kept = without_transient(live)._replace(setup=TableSetup())
    assert snapshot.decode(Live, snapshot.encode(kept)) == kept
    assert live.table.game_name in live.table.games
    presenter.build_table_view(live, 1, name="Table 1", money=Money(), show_pot="always", chip_colours={})


def facts_of(table: Table) -> tuple[object, ...]:
    """Return what another configuration must not change."""
    return table._replace(
        games={}, mix=(), levels=(), game_name="", next_game="", level_start_minute=None, undo_stack=(), redo_stack=()
    )._replace(carry_over=table.carry_over._replace(rock_seat=0))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(CONFIGS)), ACTS)
def test_any_session_with_changed_configurations_keeps_its_chips(first: str, lines: list[str]) -> None:
    live = Live(TableSetup(), TABLES[first])
    for number, line in enumerate(lines, 1):
        before, live = live, play_line(live, line, number * 1_000_000)
        check(live)
        if line.startswith("take up "):
            assert facts_of(live.table) == facts_of(before.table)
    while live.table.undo_stack:
        after = handle_command(live, parse_step("undo"), 10**9).live
        assert len(after.table.undo_stack) == len(live.table.undo_stack) - 1
        live = after
        check(live)


def test_planted_lost_chip_is_caught() -> None:
    live = with_configuration(Live(TableSetup(), TABLES["no-limit"]), TABLES["higher"], 1_000_000)
    players = {**live.table.players, 1: live.table.players[1]._replace(stack=299)}
    with pytest.raises(ConservationError):
        check(live._replace(table=live.table._replace(players=players)))


@pytest.mark.parametrize(
    ("before", "chosen", "after", "expected"),
    [
        ("games", "omaha", "no-limit", "main"),
        ("games", "omaha", "games", "omaha"),
        ("no-limit", "main", "mix", "holdem"),
        ("mix", "razz", "mix", "razz"),
        ("no-limit", "main", "levels", "1"),
        ("levels", "break-1", "levels", "break-1"),
        ("levels", "break-1", "other-levels", "first"),
        ("levels", "1", "no-limit", "main"),
    ],
)
def test_chosen_game_after_another_configuration(before: str, chosen: str, after: str, expected: str) -> None:
    live = Live(TableSetup(), TABLES[before])
    if live.table.game_name != chosen:
        live = play_line(live, f"game {chosen}", 1_000_000)
    assert with_configuration(live, TABLES[after], 2_000_000).table.game_name == expected


def test_rock_that_the_new_configuration_does_not_have_is_not_posted_after_undo() -> None:
    live = Live(TableSetup(), TABLES["rock"])
    for number, line in enumerate(("hand", "4 fold", "1 fold", "2 fold", "award main 3"), 1):
        live = play_line(live, line, number * 1_000_000)
    live = with_configuration(live, TABLES["no-limit"], 10_000_000)
    for number, line in enumerate(("undo", "award main 3", "hand"), 11):
        live = play_line(live, line, number * 1_000_000)
    assert live.table.hand is not None and live.table.hand.rock_seat == 0


def test_minutes_of_a_table_that_did_not_count_them_begin_with_the_change() -> None:
    live = play_line(Live(TableSetup(), TABLES["no-limit"]), "hand", 60_000_000)
    live = play_line(live, "void", 61_000_000)
    assert with_configuration(live, TABLES["levels"], 3_600_000_000).times.minutes_counted_us == 3_600_000_000
