"""Every hand of every case can be written as PHH and read back: it ends as it did, in all that a table knows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import BadInputError, make_game
from controller.histories import Replay, export, parse_hand, replay_hand, to_script
from controller.histories.own import digest, not_by_default
from controller.histories.text import toml
from controller.rules import VARIANTS, VariantName
from controller.scripts import STEP_US, Scene, begin, happens, load, play_rules, read
from controller.simulation import play_pipeline
from controller.table import Table, parse
from controller.table.state import LastWords
from tests.controller.hands_of_cases import Played, hands_of
from tests.controller.test_phh import for_others, read_by_pokerkit

CASES = Path(__file__).parents[1] / "scripts"


def told(table: Table) -> Table:
    """The table without what undo remembers, which a file does not hold."""
    return table._replace(past=(), joins=LastWords())


def read_back(hand: Played) -> Table:
    """The table at the end of the hand as it is read from its PHH text."""
    script = to_script(parse_hand(export(hand.before, hand.steps)))
    scene = Scene(begin(script))
    for number, what in enumerate(script.steps, 1):
        scene, outcome = happens(scene, what, number * STEP_US)
        assert outcome.refused is None, (what, outcome.refused)
    return scene.table


def are_read_back(files: list[Path]) -> None:
    for file in files:
        for hand in hands_of(load(file)):
            assert told(read_back(hand)) == told(hand.after), file.name


FILES = sorted(CASES.rglob("*.toml"))
TOPICS = sorted(path.name for path in CASES.iterdir() if path.is_dir())
SAMPLE = 5
"""One case of so many; all of them take the better part of a minute."""


def test_hands_of_a_sample_of_the_cases_are_read_back() -> None:
    are_read_back([file for file in FILES if crc32(file.name.encode()) % SAMPLE == 0])


@pytest.mark.soak
@pytest.mark.parametrize("topic", TOPICS)
def test_every_hand_of_every_case_is_read_back(topic: str) -> None:
    are_read_back(sorted((CASES / topic).glob("*.toml")))


# --- what stands in the fields of our own ---


def test_the_game_is_told_as_a_script_would_write_it() -> None:
    for file in FILES:
        for game in load(file).table.games.values():
            told = {"variant": game.variant, "structure": game.structure, **not_by_default(game)}
            assert make_game(tomllib.loads(f"game = {toml(told)}")["game"]) == game, file.name


PLAIN = {"button": 3, "stacks": {"1": 100, "2": 100, "3": 100}, "game": {"blinds": [1, 2]}}


def written(*steps: str, **values: Any) -> str:
    script = read(PLAIN | values | {"step": [{"do": do} for do in steps]})
    return export(begin(script), script.steps)


def replayed(text: str) -> Replay:
    return replay_hand(parse_hand(text), play_rules)


CHECKS = ("1 check", "2 check", "3 check")
POT_OF_SIX = ("3 call", "1 call", "2 check", *["deal closing"] * 3, *CHECKS)


@pytest.mark.parametrize(
    ("game", "steps", "fields"),
    [
        ({}, ("3 fold", "1 fold", "award main 2"), {"_game": {"blinds": [1, 2]}, "_accounts": None, "_chopped": None}),
        (
            {"kitty": {"amount": 2, "pot": 6}, "jackpot": [{"amount": 1, "pot": 6}, {"amount": 1, "pot": 7}]},
            (*POT_OF_SIX, "award main 1"),
            {"_accounts": {"jackpot": 1, "kitty": 2}},
        ),
        (
            {"stakes": "open"},
            ("3 marker 50", "3 fold", "1 fold", "award main 2"),
            {"_markers": {"3": 50}, "_game": {"blinds": [1, 2], "stakes": "open"}},
        ),
        ({"boards": 2}, (*POT_OF_SIX, "award main board1 1 board2 2 3"), {"_boards": 2, "_warnings": None}),
        ({"kill": {"pot": 2}}, ("kill 3", "3 fold", "1 fold", "award main 2"), {"_killer": 3, "_bomb": None}),
        ({"straddle": "live"}, ("3 straddle 4", "1 fold", "2 fold", "award main 3"), {"_straddlers": [3]}),
    ],
)
def test_what_a_rule_did_can_be_read_without_playing_it(
    game: dict[str, Any], steps: tuple[str, ...], fields: dict[str, Any]
) -> None:
    text = written(*steps, game={"blinds": [1, 2]} | game)
    values = tomllib.loads(text)
    assert {key: values.get(key) for key in fields} == fields
    assert replayed(text).holds


def test_a_bomb_pot_is_checked_to_the_flop() -> None:
    """A reader sees its antes, and nobody who bets before the flop."""
    script = read({**PLAIN, "game": {"blinds": [1, 2], "start": "idle"}})
    steps = [parse(do) for do in ("bomb 20", "2 bet 40", "3 fold", "1 fold", "award main 2")]
    text = export(begin(script), steps)
    values = tomllib.loads(text)
    assert (values["antes"], values["blinds_or_straddles"], values["_bomb"]) == ([20] * 3, [0] * 3, 20)
    assert values["actions"][3:7] == ["p1 cc", "p2 cc", "p3 cc", "d db 2c7d9h"]
    assert replayed(text).stacks == replayed(for_others(text)).stacks == {"1": 140, "2": 80, "3": 80}


def test_a_hand_is_replayed_by_its_own_steps() -> None:
    found = replayed(written("3 fold", "1 chips 1", "2 fold", "award main 1", "undo", "award main 1"))
    assert (found.stacks, found.holds) == ({"1": 102, "2": 98, "3": 100}, True)


def test_seats_are_told_as_players() -> None:
    text = written("9 fold", "2 fold", "award main 5", button=9, stacks={"2": 50, "5": 60, "9": 70})
    found = replayed(text)
    assert (found.stacks, found.holds) == ({"1": 49, "2": 61, "3": 70}, True)


def test_a_stack_that_nobody_knows_is_not_told() -> None:
    found = replayed(written("3 stack unknown", "3 fold", "1 fold", "award main 2"))
    assert (found.stacks, found.holds) == ({"1": 99, "2": 101, "3": None}, True)


def test_the_command_line_says_that_a_stack_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(written("3 stack unknown", "3 fold", "1 fold", "award main 2"))
    ran = CliRunner().invoke(main, ["replay", str(file), "--rules-only"])
    assert ran.exit_code == 0
    assert [line.split()[-1] for line in ran.output.splitlines()[1:4]] == ["99", "101", "unknown"]


@pytest.mark.parametrize(
    "steps",
    [
        ("bomb 20", "2 bet 40", "3 call", "1 fold", "deal", "deal closing", "2 check", "3 check", "award main 2 3"),
        ("hand", "1 fold", "chop"),
        ("hand", "1 chips 25", "2 all-in", "3 fold", "1 call", "boards 2", *["deal"] * 3, "award main 1*2 2"),
    ],
)
def test_a_hand_of_ours_is_replayed_with_chips(steps: tuple[str, ...]) -> None:
    """The same ending as with the rules alone, also where nobody won."""
    table = begin(read(PLAIN | {"game": {"blinds": [1, 2], "start": "idle"}}))
    hand = parse_hand(export(table, [parse(do) for do in steps]))
    assert replay_hand(hand, play_pipeline) == replay_hand(hand, play_rules)


def test_chips_that_do_not_play_lie_beside_the_stacks_of_the_file() -> None:
    game = {"blinds": [5, 10], "unit": 5}
    steps = ("3 all-in", "1 all-in", "2 fold", "award side1 3", "award main 3")
    values = tomllib.loads(text := written(*steps, game=game, stacks={"1": 43, "2": 100, "3": 100}))
    assert values["_behind"] == [3, 0, 0]
    assert (values["starting_stacks"], values["finishing_stacks"]) == ([40, 100, 100], [0, 90, 150])
    assert replayed(text).stacks == {"1": 3, "2": 90, "3": 150}


def test_a_file_of_another_release_is_read_by_what_everybody_reads() -> None:
    text = written("3 fold", "1 fold", "award main 2")
    values = tomllib.loads(text)
    old = values["_whole_table"].replace("places", "spots")
    changed = text.replace(toml(values["_whole_table"]), toml(old)).replace(values["_whole_digest"], digest(old))
    assert parse_hand(changed).own is None
    assert replayed(changed).stacks == replayed(text).stacks


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ('"3 fold"', '"3 folds"', "_steps[0]"),
        ('"3 fold"', "3", "_steps[0] = 3: expected a step that happens at a table"),
        ('"3 fold"', '"spot-back pot"', "_steps[0] = 'spot-back pot': expected a step"),
        ('["3 fold", "1 fold", "award main 2"]', "[]", "_steps = []: expected the steps of the hand"),
        ("seats = [1, 2, 3]", "seats = [1, 2]", "seats = [1, 2]: expected the seats of 3 players, 1 to 10"),
        ("seats = [1, 2, 3]", "seats = [1, 2, 11]", "seats = [1, 2, 11]: expected the seats of 3 players, 1 to 10"),
        ("_steps", "_behind = [1]\n_steps", "_behind = [1]: expected 3 amounts"),
        ("_whole_digest = ", "_other = ", "_whole_table: changed since it was written"),
        ('\\"places\\"', '\\"spots\\"', "_whole_table: changed since it was written"),
    ],
)
def test_a_field_of_ours_that_is_not_ours_is_one_line(was: str, now: str, says: str) -> None:
    text = written("3 fold", "1 fold", "award main 2")
    assert was in text
    with pytest.raises(BadInputError) as failed:
        parse_hand(text.replace(was, now, 1))
    assert says in str(failed.value)
    assert "\n" not in str(failed.value)


CODES = {
    "omaha": "PO",
    "short-deck": "NT",
    "stud": "P7S",
    "stud8": "P7S/8",
    "razz": "PR",
    "five-card-stud": "P5S",
    "draw": "P2L1D",
    "single-draw": "P2L1D",
    "triple-draw": "P2L3D",
    "badugi": "PB",
}
"""With a pot limit; the other games have a flop and are written as hold'em."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_written_and_read_back(variant: VariantName) -> None:
    forced = {"ante": 2, "bring_in": 1} if VARIANTS[variant].by_board else {"blinds": [1, 2]}
    game = {"variant": variant, "structure": "pot-limit", **forced}
    (hand,) = hands_of(read(PLAIN | {"game": game}))
    assert told(read_back(hand)) == told(hand.after)
    text = export(hand.before, hand.steps)
    values = tomllib.loads(text)
    assert (values["variant"], values["_variant"]) == (CODES.get(variant, "NT"), variant)
    assert replayed(for_others(text)).holds


@pytest.mark.parametrize(
    ("variant", "structure", "code"),
    [("short-deck", "no-limit", "NS"), ("single-draw", "no-limit", "N2L1D"), ("big-o", "no-limit", "NT")],
)
def test_what_pokerkit_has_a_code_for_it_reads(variant: str, structure: str, code: str) -> None:
    game = {"variant": variant, "structure": structure, "blinds": [2], "blind_on": "button", "ante": 1}
    (hand,) = hands_of(read(PLAIN | {"game": game}))
    text = export(hand.before, hand.steps)
    values = tomllib.loads(text)
    assert values["variant"] == code
    assert list(read_by_pokerkit(for_others(text))) == values["finishing_stacks"]
    assert not [action for action in values["actions"] if variant == "short-deck" and re.search("[2-5][cdhs]", action)]


def test_five_card_stud_has_one_card_down() -> None:
    (hand,) = hands_of(read(PLAIN | {"game": {"variant": "five-card-stud", "ante": 2, "bring_in": 1, "min_bet": 2}}))
    dealt = [action for action in tomllib.loads(export(hand.before, hand.steps))["actions"] if " dh p1" in action]
    assert [len(action.removeprefix("d dh p1 ")) for action in dealt] == [4, 2, 2, 2]
    assert dealt[0].startswith("d dh p1 ??") and "??" not in dealt[0].removeprefix("d dh p1 ??")
