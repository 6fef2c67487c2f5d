"""Every hand of the table scripts can be exported as PHH and imported again, and then ends with an equal table."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import BadInputError, parse_game
from controller.histories import HandReplay, export_hand, parse_hand, replay_hand, to_script
from controller.histories.custom_fields import digest, non_default_options
from controller.histories.toml_text import to_toml
from controller.rules import VARIANTS, VariantName
from controller.scripts import (
    STEP_INTERVAL_US,
    ScriptState,
    apply_scripted_step,
    load_script,
    parse_script,
    play_rules,
    starting_table,
)
from controller.simulation import play_pipeline
from controller.steps import parse_step
from controller.table import Table
from controller.table.state import LastDeclaration
from tests.controller.script_hands import PlayedHand, script_hands
from tests.controller.test_phh import read_by_pokerkit, standard_fields

CASES = Path(__file__).parents[1] / "scripts"


def without_undo(table: Table) -> Table:
    """Return a copy of the table without the undo history and the last declaration.

    A PHH file contains neither of the two.
    """
    return table._replace(undo_stack=(), last_declaration=LastDeclaration())


def read_back(hand: PlayedHand) -> Table:
    """Export the hand as PHH, import the text, play the imported hand, and return the table at its end."""
    script = to_script(parse_hand(export_hand(hand.before, hand.steps)))
    scene = ScriptState(starting_table(script))
    for number, step in enumerate(script.steps, 1):
        scene, outcome = apply_scripted_step(scene, step, number * STEP_INTERVAL_US)
        assert outcome.refusal is None, (step, outcome.refusal)
    return scene.table


def check_round_trips(files: list[Path]) -> None:
    for file in files:
        for hand in script_hands(load_script(file)):
            assert without_undo(read_back(hand)) == without_undo(hand.after), file.name


FILES = sorted(CASES.rglob("*.toml"))
TOPICS = sorted(path.name for path in CASES.iterdir() if path.is_dir())
SAMPLE = 5
"""Ratio of the number of table scripts to the number in the quick test. The full test takes nearly a minute."""


def test_sampled_case_hands_survive_the_phh_round_trip() -> None:
    check_round_trips([file for file in FILES if crc32(file.name.encode()) % SAMPLE == 0])


@pytest.mark.soak
@pytest.mark.parametrize("topic", TOPICS)
def test_every_case_hand_survives_the_phh_round_trip(topic: str) -> None:
    check_round_trips(sorted((CASES / topic).glob("*.toml")))


# --- the project's own fields ---


def test_game_is_exported_in_script_form() -> None:
    for file in FILES:
        for game in load_script(file).table.games.values():
            options = {"variant": game.variant, "structure": game.structure, **non_default_options(game)}
            assert parse_game(tomllib.loads(f"game = {to_toml(options)}")["game"]) == game, file.name


PLAIN = {"button": 3, "stacks": {"1": 100, "2": 100, "3": 100}, "game": {"blinds": [1, 2]}}


def exported(*steps: str, **values: Any) -> str:
    script = parse_script(PLAIN | values | {"step": [{"do": do} for do in steps]})
    return export_hand(starting_table(script), script.steps)


def replayed(text: str) -> HandReplay:
    return replay_hand(parse_hand(text), play_rules)


CHECKED_AROUND = ("1 check", "2 check", "3 check")
POT_OF_SIX = ("3 call", "1 call", "2 check", *["deal closing"] * 3, *CHECKED_AROUND)


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
def test_effects_of_house_rules_are_exported_as_fields(
    game: dict[str, Any], steps: tuple[str, ...], fields: dict[str, Any]
) -> None:
    text = exported(*steps, game={"blinds": [1, 2]} | game)
    values = tomllib.loads(text)
    assert {key: values.get(key) for key in fields} == fields
    assert replayed(text).matches_file


def test_bomb_pot_is_exported_with_checks_to_the_flop() -> None:
    """In the standard PHH fields a bomb pot is a hand with antes in which everybody checks before the flop."""
    script = parse_script({**PLAIN, "game": {"blinds": [1, 2], "start": "idle"}})
    steps = [parse_step(do) for do in ("bomb 20", "2 bet 40", "3 fold", "1 fold", "award main 2")]
    text = export_hand(starting_table(script), steps)
    values = tomllib.loads(text)
    assert (values["antes"], values["blinds_or_straddles"], values["_bomb"]) == ([20] * 3, [0] * 3, 20)
    assert values["actions"][3:7] == ["p1 cc", "p2 cc", "p3 cc", "d db 2c7d9h"]
    assert replayed(text).stacks == replayed(standard_fields(text)).stacks == {"1": 140, "2": 80, "3": 80}


def test_exported_hand_is_replayed_by_its_own_steps() -> None:
    replay = replayed(exported("3 fold", "1 chips 1", "2 fold", "award main 1", "undo", "award main 1"))
    assert (replay.stacks, replay.matches_file) == ({"1": 102, "2": 98, "3": 100}, True)


def test_seats_are_exported_as_players() -> None:
    text = exported("9 fold", "2 fold", "award main 5", button=9, stacks={"2": 50, "5": 60, "9": 70})
    replay = replayed(text)
    assert (replay.stacks, replay.matches_file) == ({"1": 49, "2": 61, "3": 70}, True)


def test_unknown_stack_is_exported_as_unknown() -> None:
    replay = replayed(exported("3 stack unknown", "3 fold", "1 fold", "award main 2"))
    assert (replay.stacks, replay.matches_file) == ({"1": 99, "2": 101, "3": None}, True)


def test_replay_command_prints_an_unknown_stack(tmp_path: Path) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(exported("3 stack unknown", "3 fold", "1 fold", "award main 2"))
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
def test_exported_hand_replays_equally_with_chips_and_rules(steps: tuple[str, ...]) -> None:
    """The imported hand ends in the same way with the rules alone and with simulated chips, even if nobody won."""
    table = starting_table(parse_script(PLAIN | {"game": {"blinds": [1, 2], "start": "idle"}}))
    hand = parse_hand(export_hand(table, [parse_step(do) for do in steps]))
    assert replay_hand(hand, play_pipeline) == replay_hand(hand, play_rules)


def test_unplayable_chips_are_exported_next_to_the_stacks() -> None:
    game = {"blinds": [5, 10], "unit": 5}
    steps = ("3 all-in", "1 all-in", "2 fold", "award side1 3", "award main 3")
    values = tomllib.loads(text := exported(*steps, game=game, stacks={"1": 43, "2": 100, "3": 100}))
    assert values["_behind"] == [3, 0, 0]
    assert (values["starting_stacks"], values["finishing_stacks"]) == ([40, 100, 100], [0, 90, 150])
    assert replayed(text).stacks == {"1": 3, "2": 90, "3": 150}


def test_file_of_another_release_is_read_by_its_standard_fields() -> None:
    text = exported("3 fold", "1 fold", "award main 2")
    values = tomllib.loads(text)
    old = values["_whole_table"].replace("places", "spots")
    changed = text.replace(to_toml(values["_whole_table"]), to_toml(old)).replace(values["_whole_digest"], digest(old))
    assert parse_hand(changed).original is None
    assert replayed(changed).stacks == replayed(text).stacks


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"3 fold"', '"3 folds"', "_steps[0]"),
        ('"3 fold"', "3", "_steps[0] = 3: expected a step that happens at a table"),
        ('"3 fold"', '"spot-back pot"', "_steps[0] = 'spot-back pot': expected a step"),
        ('["3 fold", "1 fold", "award main 2"]', "[]", "_steps = []: expected the steps of the hand"),
        ("seats = [1, 2, 3]", "seats = [1, 2]", "seats = [1, 2]: expected 3 seats from 1 to 10"),
        ("seats = [1, 2, 3]", "seats = [1, 2, 11]", "seats = [1, 2, 11]: expected 3 seats from 1 to 10"),
        ("_steps", "_behind = [1]\n_steps", "_behind = [1]: expected 3 amounts"),
        ("_whole_digest = ", "_other = ", "_whole_table: changed after the export"),
        ('\\"places\\"', '\\"spots\\"', "_whole_table: changed after the export"),
    ],
)
def test_invalid_custom_field_is_one_error_line(old: str, new: str, message: str) -> None:
    text = exported("3 fold", "1 fold", "award main 2")
    assert old in text
    with pytest.raises(BadInputError) as failed:
        parse_hand(text.replace(old, new, 1))
    assert message in str(failed.value)
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
"""PHH codes of variants with a pot limit. All other variants have a flop and are exported as hold'em."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_survives_the_phh_round_trip(variant: VariantName) -> None:
    forced = {"ante": 2, "bring_in": 1} if VARIANTS[variant].opener_by_cards else {"blinds": [1, 2]}
    game = {"variant": variant, "structure": "pot-limit", **forced}
    (hand,) = script_hands(parse_script(PLAIN | {"game": game}))
    assert without_undo(read_back(hand)) == without_undo(hand.after)
    text = export_hand(hand.before, hand.steps)
    values = tomllib.loads(text)
    assert (values["variant"], values["_variant"]) == (CODES.get(variant, "NT"), variant)
    assert replayed(standard_fields(text)).matches_file


@pytest.mark.parametrize(
    ("variant", "structure", "code"),
    [("short-deck", "no-limit", "NS"), ("single-draw", "no-limit", "N2L1D"), ("big-o", "no-limit", "NT")],
)
def test_variants_with_a_pokerkit_code_are_read_by_pokerkit(variant: str, structure: str, code: str) -> None:
    game = {"variant": variant, "structure": structure, "blinds": [2], "blind_on": "button", "ante": 1}
    (hand,) = script_hands(parse_script(PLAIN | {"game": game}))
    text = export_hand(hand.before, hand.steps)
    values = tomllib.loads(text)
    assert values["variant"] == code
    assert list(read_by_pokerkit(standard_fields(text))) == values["finishing_stacks"]
    assert not [action for action in values["actions"] if variant == "short-deck" and re.search("[2-5][cdhs]", action)]


def test_five_card_stud_is_dealt_with_one_down_card() -> None:
    (hand,) = script_hands(
        parse_script(PLAIN | {"game": {"variant": "five-card-stud", "ante": 2, "bring_in": 1, "min_bet": 2}})
    )
    dealt = [action for action in tomllib.loads(export_hand(hand.before, hand.steps))["actions"] if " dh p1" in action]
    assert [len(action.removeprefix("d dh p1 ")) for action in dealt] == [4, 2, 2, 2]
    assert dealt[0].startswith("d dh p1 ??") and "??" not in dealt[0].removeprefix("d dh p1 ??")
