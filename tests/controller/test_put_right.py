"""What is put right afterwards: undo, redo, a wager that was another, chips that are in, warnings that were heard."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from controller.config import make_game
from controller.journal import Journal, opening_of
from controller.live import Live, Setup, evolve, lasting
from controller.rules import Hand, Player, Refusal
from controller.scripts import STEP_US, Scene, happens, seen
from controller.service.replaying import live_of, whole_of
from controller.service.roles import Denied, read_rights
from controller.service.roles.rights import Rights
from controller.table import (
    MOST_UNDO,
    Caution,
    Outcome,
    Reason,
    Redoes,
    Table,
    Undoes,
    line,
    open_table,
    parse,
    redo_crosses,
    step,
    undo_crosses,
)
from controller.table.corrections import wagers
from tests.controller.live_table import Game, four_players, warned

BLINDS: Final = {"blinds": [5, 10]}
DEEP: Final = 25
"""So many undos and redos in a row at the least."""


def table_of(stacks: dict[int, int], **values: object) -> Table:
    players = {seat: Player(name=f"p{seat}", stack=stack) for seat, stack in stacks.items()}
    return open_table({"main": make_game({**BLINDS, **values})}, max(stacks), players)


def after(table: Table, *lines: str) -> Table:
    scene = Scene(table)
    for number, said in enumerate(lines, 1):
        scene, outcome = happens(scene, parse(said), number * STEP_US)
        assert outcome.refused is None, (said, outcome.refused)
    return scene.table


THREE: Final = {1: 200, 2: 200, 3: 200}
EVENING: Final = (
    *("hand", "3 raise to 30", "1 call", "2 call", "deal", "1 check", "2 bet 40", "3 fold", "1 raise to 100", "2 call"),
    *("floor pot 300", "deal", "floor turn 2", "2 says bet 20", "2 chips 20", "1 fold", "award main 2", "1 add 60"),
    *("3 tip 2", "1 away", "1 back", "game main", "4 sit 150 as dan", "hand", "4 post", "3 call", "1 fold", "void"),
    *("3 moves 7", "hand"),
)
"""Two hands and what is done between them, with decisions of the floor."""


# --- undo and redo ---


def test_an_evening_back_and_forth_gives_the_same_table() -> None:
    tables = [after(table_of(THREE, new_player_posts=True, between_blinds="deal"), *EVENING)]
    while tables[-1].past:
        tables.append(step(tables[-1], Undoes()).table)
    assert len(tables) > DEEP
    for before, later in zip(tables[:0:-1], tables[-2::-1], strict=True):
        assert step(before, Redoes()) == Outcome(later)


def test_nothing_to_do_again_is_refused() -> None:
    table = after(table_of(THREE), "hand", "3 call")
    assert step(table, Redoes()) == Outcome(table, Refusal(Reason.NOTHING_TO_REDO))


def test_redo_leaves_the_time_and_the_trays_as_they_are() -> None:
    table = after(table_of(THREE), "hand", "3 call", "undo", "clock 7", "unplug 2")
    again = step(table, Redoes()).table
    assert again.minutes == 7 and again.offline == {2}
    assert again.told == parse("3 call") and again.ahead is None


def test_another_step_forgets_what_could_be_done_again() -> None:
    table = after(table_of(THREE), "hand", "3 call", "undo")
    assert table.ahead == parse("3 call")
    assert after(table, "3 fold").ahead is None
    assert after(table, "change 3 25").ahead == parse("3 call")  # changes nothing


def test_chips_that_were_undone_with_their_words_come_back_with_them() -> None:
    table = after(table_of(THREE), "hand")
    for what, at_us in ((parse("3 says raise to 30"), 0), (parse("3 chips 25 5"), 1)):
        table = step(table, what, at_us).table
    assert step(step(table, Undoes()).table, Redoes()).table == table


def test_redo_reaches_as_far_as_undo() -> None:
    table = table_of(THREE)
    for number in range(MOST_UNDO + 5):
        table = step(table, parse("1 back" if number % 2 else "1 away")).table
    last = table
    for what in (Undoes(), Redoes()):
        for _ in range(MOST_UNDO):
            table = step(table, what).table
    assert table == last


CROSSES: Final[dict[str, tuple[tuple[str, ...], bool, bool]]] = {
    "nothing done": ((), False, False),
    "a bet": (("hand", "3 raise to 30"), False, False),
    "the start of a hand": (("hand",), True, False),
    "the start of a hand, taken back": (("hand", "undo"), False, True),
    "a bomb pot": (("bomb 5",), True, False),
    "the last pot": (("hand", "3 fold", "1 fold", "award main 2"), True, False),
    "the last pot, taken back": (("hand", "3 fold", "1 fold", "award main 2", "undo"), False, True),
    "a misdeal": (("hand", "void"), True, False),
    "between hands": (("hand", "void", "3 tip 1"), False, False),
    "a hand set up anew": (("hand", "floor button 2"), False, False),
}


@pytest.mark.parametrize("case", CROSSES)
def test_whether_undo_and_redo_lead_into_another_hand(case: str) -> None:
    lines, undo, redo = CROSSES[case]
    table = after(table_of(THREE), *lines)
    assert (undo_crosses(table), redo_crosses(table)) == (undo, redo)


def test_what_can_be_done_again_is_in_a_segments_first_state() -> None:
    table = after(table_of(THREE), "hand", "3 raise to 30", "floor pot 70", "undo", "undo")
    live = Live(Setup(), table)
    again = live_of(whole_of(live), Setup())
    assert again == lasting(live) and again.table.ahead == parse("3 raise to 30")
    for said in ("3 raise to 30", "floor pot 70"):
        assert again.table.ahead == parse(said)
        again, outcome = evolve(again, Redoes(), "dealer", STEP_US)
        assert outcome.refused is None


def test_redo_goes_on_over_a_restart_in_another_segment(tmp_path: Path) -> None:
    live = Live(Setup(), after(table_of(THREE), "hand", "3 raise to 30", "1 call", "undo", "undo"))
    with closing(Journal.create(tmp_path / "j", opening_of("{}"), whole_of(live))) as journal:
        opening = journal.opening()
        again = live_of(journal.state(opening.after, opening.state), Setup())
    for _ in range(2):
        live, again = (evolve(each, Redoes(), "dealer", STEP_US)[0] for each in (live, again))
    assert again.table == live.table and again.table.told == parse("1 call")


def house_rights() -> Rights:
    return read_rights((files("controller.service.roles") / "roles.toml").read_text())


def test_a_decision_of_the_floor_is_the_floors_to_do_again() -> None:
    rights = house_rights()
    table = after(table_of(THREE), "hand", "floor pot 70", "undo")
    assert rights.reject({"dealer"}, Redoes(), table) is Denied.ASKS_FLOOR
    assert rights.reject({"dealer", "floor"}, Redoes(), table) is None
    assert rights.reject({"dealer"}, Redoes(), after(table_of(THREE), "hand", "3 call", "undo")) is None


# --- a wager that was another ---


def as_truly_said(hand: Hand | None) -> Hand | None:
    """The hand without what a correction leaves as it is."""
    return None if hand is None else dataclasses.replace(hand, opening=None)


ACTS: Final = st.sampled_from(("fold", "call", "call", "call", "raise", "all-in", "later"))


@settings(max_examples=60, deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate))
@given(
    stacks=st.lists(st.integers(40, 400), min_size=3, max_size=6),
    keyed=st.integers(20, 60),
    true=st.integers(20, 60),
    acts=st.lists(st.tuples(ACTS, st.integers(0, 60)), max_size=8),
    structure=st.sampled_from(("no-limit", "pot-limit")),
)
def test_a_corrected_wager_is_as_if_it_had_been_keyed_right(
    stacks: list[int], keyed: int, true: int, acts: list[tuple[str, int]], structure: str
) -> None:
    table = after(table_of(dict(enumerate(stacks, 1)), structure=structure), "hand")
    assert table.hand is not None
    seat = table.hand.turn
    corrected, right = after(table, f"{seat} raise to {keyed}"), after(table, f"{seat} raise to {true}")
    for act, more in acts:
        said = _said(corrected, seat, act, more)
        both = [happens(Scene(each), parse(said), STEP_US) for each in (corrected, right)] if said else []
        if not both or any(outcome.refused or outcome.warned for _, outcome in both):
            break
        corrected, right = both[0][0].table, both[1][0].table
    outcome = step(corrected, parse(f"{seat} was {true}"), STEP_US)
    if _same_acts(corrected, right) and outcome.refused is None:
        found, expected = seen(outcome.table), seen(right)
        assert found == expected
        assert as_truly_said(outcome.table.hand) == as_truly_said(right.hand)
        assert outcome.table.street.felt == right.street.felt
    if outcome.refused is None and outcome.table != corrected:
        assert step(outcome.table, Undoes()).table._replace(future=()) == corrected._replace(
            joins=step(outcome.table, Undoes()).table.joins
        )


def _said(table: Table, seat: int, act: str, more: int) -> str:
    """What is done next; nothing once the turn is on the seat again."""
    hand = table.hand
    if hand is None or hand.turn in (0, seat):
        return ""
    turn = hand.turn
    if act == "later":  # a call out of turn
        return f"{hand.pending[-1]} call" if len(hand.pending) > 1 else ""
    return f"{turn} raise to {2 * hand.level + more}" if act == "raise" else f"{turn} {act}"


def _same_acts(one: Table, other: Table) -> bool:
    """True where the same was done, apart from amounts: nobody was all-in, or called, in one of them only."""
    acts = [[(act.seat, act.verb) for act in table.hand.log] if table.hand else [] for table in (one, other)]
    return acts[0] == acts[1]


def test_a_faulty_correction_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wagers, "_callers", lambda hand, place: set())
    with pytest.raises(AssertionError):
        test_a_corrected_wager_is_as_if_it_had_been_keyed_right()


def test_what_follows_a_corrected_wager_is_another_motion() -> None:
    scene = Scene(after(table_of(THREE), "hand", "3 raise to 30", "3 was 40"))
    scene, outcome = happens(scene, parse("3 chips 25"), 9 * STEP_US)
    assert outcome.warnings == (Caution.STRING_BET,) and seen(scene.table)["due_back"] == {"3": 25}


@pytest.mark.parametrize("first", [("3 raise to 100",), ("3 raise to 20", "3 was 100")])
def test_chips_that_were_named_are_no_other_motion(first: tuple[str, ...]) -> None:
    table = table_of(THREE, structure="pot-limit")
    scene = Scene(after(table, "hand", *first, "return 3"))
    scene, outcome = happens(scene, parse("3 chips 25 25"), 9 * STEP_US)
    assert not outcome.warnings and seen(scene.table)["due_back"] == {"3": 50}


def test_who_still_owes_owes_the_bet_as_it_was() -> None:
    table = after(table_of(THREE), "hand", "3 says raise to 30", "1 says call", "3 was 40")
    assert seen(table)["owes"] == {"3": 40, "1": 35}


# --- the action is on the seat in turn ---


def out_of_turn() -> Game:
    game = Game(four_players(), trays=False)
    game.do("1 raise to 30")
    assert (set(game.table.street.held), warned(game), game.live.acknowledged) == ({1}, ("out-of-turn",), frozenset())
    return game


def test_who_says_that_the_action_is_on_the_turn_has_heard_of_what_waits() -> None:
    game = out_of_turn()
    game.do("here 4")
    assert set(game.table.street.held) == game.live.acknowledged == {1} and not warned(game)
    assert live_of(whole_of(game.live), game.setup) == lasting(game.live)
    game.do("4 fold")
    assert game.live.acknowledged == frozenset() and not game.table.street.held
    assert live_of(whole_of(game.live), game.setup) == lasting(game.live)


def test_a_touch_on_another_seat_is_no_answer_to_what_waits_behind_it() -> None:
    game = Game(four_players(), trays=False)
    game.do("2 call", "here 1")
    assert (set(game.table.street.held), game.live.acknowledged) == ({2}, frozenset())


def test_a_further_act_out_of_turn_is_warned_about_again() -> None:
    game = out_of_turn()
    game.do("here 4", "1 chips 25")
    assert (warned(game), game.live.acknowledged) == (("out-of-turn",), frozenset())


def test_seat_buttons_say_it_too() -> None:
    game = out_of_turn()
    game.seat_button(4)
    assert game.live.acknowledged == {1}


# --- words and their chips ---


def test_what_keyed_words_are_warned_about_stands_with_their_chips() -> None:
    game = Game(four_players("pot-limit"), trays=False)
    game.do("4 raise to 100")
    assert warned(game) == ("over-limit",) and game.table.street.felt[4] == 100
    game.do("1 fold")
    assert warned(game) == ()


def test_chips_that_make_words_good_end_their_warning() -> None:
    game = Game(four_players(), trays=False)
    game.do("4 raise to 15")
    assert warned(game) == (Caution.UNDER_RAISE,)
    game.do("4 in")
    assert warned(game) == ()


def test_lines_of_what_is_put_right() -> None:
    for said in ("redo", "3 was 40", "3 in", "bets-in"):
        assert line(parse(said)) == said


# --- with trays ---


def test_a_bet_that_was_another_is_what_the_trays_are_about_to_see() -> None:
    game = Game()
    for seat in (4, 1):
        game.empties(seat)
        game.lies(seat, 25, 5)
    live = game.do("4 was 40")
    assert [game.table.street.felt[seat] for seat in (4, 1)] == [40, 40]
    assert [live.sources[seat] for seat in (4, 1)] == ["keyed", "keyed"]
    for seat in (4, 1):
        game.lies(seat, 25, 5, 5, 5)
    assert [game.table.street.felt[seat] for seat in (4, 1)] == [40, 40] and not warned(game)


def test_what_is_in_is_what_the_trays_are_about_to_see() -> None:
    game = Game()
    game.empties(4)
    game.do("4 says raise to 30", "4 in")
    game.lies(4, 25, 5)
    assert game.table.street.felt[4] == 30 and not warned(game)


def test_chips_that_lie_there_count_again_when_their_act_is_done_again() -> None:
    game = Game()
    game.empties(4)
    game.lies(4, 25, 5)
    live = game.do("undo")
    assert game.table.street.felt[4] == 0 and live.undone == {4}
    live = game.do("redo")
    assert (game.table.street.felt[4], live.undone) == (30, frozenset())
    game.after(12_000_000)
    assert game.table.street.felt[4] == 30
