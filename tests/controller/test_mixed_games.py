"""Mixes of several games, either built in or defined by the house.

The tests cover the games of a mix, their order of play, and their bet sizes.
"""

import pytest

from controller.config import BadInputError, format_config, parse_config
from controller.rules import Game
from controller.steps import (
    hand_steps,
    table_steps,
)
from controller.table import Table, apply_table_step

SEATED = "button = 4\nstacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }\n"
ORDER = {
    "horse": ("holdem", "omaha8", "razz", "stud", "stud8"),
    "8-game": ("triple-draw", "holdem", "omaha8", "razz", "stud", "stud8", "nl-holdem", "pl-omaha"),
}


def table_of(head: str) -> Table:
    return parse_config(SEATED + head).table


@pytest.mark.parametrize("name", ORDER)
def test_mix_plays_its_games_in_order_and_wraps_around(name: str) -> None:
    table, order = table_of(f'[mix]\nname = "{name}"\n'), ORDER[name]
    assert table.mix == order and table.game_name == order[0]
    for following in (*order[1:], order[0]):
        assert table.next_in_mix == following
        table = apply_table_step(table, table_steps.ChangesGame(following)).table
    assert apply_table_step(table, table_steps.ChangesGame("main")).table.next_in_mix == ""


@pytest.mark.parametrize("name", ["horse", "8-game", "dealers-choice"])
@pytest.mark.parametrize("bet", [2, 3, 8, 20, 1000])
def test_every_game_of_a_mix_is_playable_for_every_bet(name: str, bet: int) -> None:
    table = table_of(f'[mix]\nname = "{name}"\nbet = {bet}\n')
    for game in table.mix:
        began = apply_table_step(apply_table_step(table, table_steps.ChangesGame(game)).table, hand_steps.StartsHand())
        assert began.refusal is None and began.table.hand is not None
        assert began.table.hand.game.variant == table.games[game].variant
        assert began.table.hand.pot_total > 0


def test_amounts_of_a_mix_follow_the_bet_and_the_unit() -> None:
    games = table_of('[game]\nunit = 25\n\n[mix]\nname = "8-game"\nbet = 300\n').games
    assert games["stud"].ante == 25 and games["stud"].bring_in == 75
    assert games["stud"].bets == (300, 300, 600, 600, 600)
    assert games["holdem"].blinds == (150, 300) and games["pl-omaha"].blinds == (75, 150)


def test_house_settings_of_a_game_override_the_mix() -> None:
    head = (
        '[game]\nrulebook = "tda"\nante = 5\nblinds = [50, 100]\n\n'
        '[games.razz]\nante = 3\n\n[games.side]\nvariant = "badugi"\n\n[mix]\nname = "horse"\n'
    )
    games = table_of(head).games
    assert games["razz"].ante == 3 and games["razz"].bring_in == 2 and games["razz"].blinds == ()
    assert games["stud"].ante == 1 and games["holdem"].ante == 0
    assert {game.rulebook for game in games.values()} == {"tda"}
    assert games["side"] == Game(variant="badugi", rulebook="tda", ante=5, blinds=(50, 100))


@pytest.mark.parametrize("mix", ['name = "horse"\nbet = 20', 'name = "dealers-choice"', 'games = ["one", "two"]'])
def test_written_configuration_opens_the_same_mix(mix: str) -> None:
    table = table_of(
        f"[games.one]\nblinds = [5, 10]\n\n[games.two]\nunit = 5\nopening = [5, [10, 20]]\n\n[mix]\n{mix}\n"
    )
    reparsed = parse_config(format_config(table)).table
    assert reparsed.mix == table.mix and reparsed.games == table.games and reparsed.game_name == table.game_name


def test_mix_is_optional_and_excludes_levels() -> None:
    assert table_of("").mix == () and table_of("").next_in_mix == ""
    with pytest.raises(BadInputError, match=r"^mix: expected no \[\[levels\]\] in the same file"):
        table_of('[mix]\nname = "horse"\n\n[[levels]]\nminutes = 20\n')
