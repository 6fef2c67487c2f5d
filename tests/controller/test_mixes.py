"""Ready-made mixes and the house's own: which games there are, in which order, for which bet."""

import pytest

from controller.config import BadInputError, read_config, write_config
from controller.rules import Game
from controller.table import Table, step
from controller.table.steps import PlaysGame, StartsHand

SEATED = "button = 4\nstacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }\n"
ORDER = {
    "horse": ("holdem", "omaha8", "razz", "stud", "stud8"),
    "8-game": ("triple-draw", "holdem", "omaha8", "razz", "stud", "stud8", "nl-holdem", "pl-omaha"),
}


def table_of(head: str) -> Table:
    return read_config(SEATED + head).table


@pytest.mark.parametrize("name", ORDER)
def test_the_order_of_a_mix_and_its_end(name: str) -> None:
    table, order = table_of(f'[mix]\nname = "{name}"\n'), ORDER[name]
    assert table.mix == order and table.game_name == order[0]
    for following in (*order[1:], order[0]):
        assert table.next_in_mix == following
        table = step(table, PlaysGame(following)).table
    assert step(table, PlaysGame("main")).table.next_in_mix == ""


@pytest.mark.parametrize("name", ["horse", "8-game", "dealers-choice"])
@pytest.mark.parametrize("bet", [2, 3, 8, 20, 1000])
def test_every_game_of_a_mix_can_be_played_for_every_bet(name: str, bet: int) -> None:
    table = table_of(f'[mix]\nname = "{name}"\nbet = {bet}\n')
    for game in table.mix:
        began = step(step(table, PlaysGame(game)).table, StartsHand())
        assert began.refused is None and began.table.hand is not None
        assert began.table.hand.game.variant == table.games[game].variant
        assert began.table.hand.total > 0


def test_amounts_are_those_of_the_bet_on_the_unit() -> None:
    games = table_of('[game]\nunit = 25\n\n[mix]\nname = "8-game"\nbet = 300\n').games
    assert games["stud"].ante == 25 and games["stud"].bring_in == 75
    assert games["stud"].bets == (300, 300, 600, 600, 600)
    assert games["holdem"].blinds == (150, 300) and games["pl-omaha"].blinds == (75, 150)


def test_what_the_house_says_of_a_game_goes_before() -> None:
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
def test_a_configuration_that_is_written_opens_the_same_mix(mix: str) -> None:
    table = table_of(
        f"[games.one]\nblinds = [5, 10]\n\n[games.two]\nunit = 5\nopening = [5, [10, 20]]\n\n[mix]\n{mix}\n"
    )
    again = read_config(write_config(table)).table
    assert again.mix == table.mix and again.games == table.games and again.game_name == table.game_name


def test_no_mix_and_no_levels_beside_one() -> None:
    assert table_of("").mix == () and table_of("").next_in_mix == ""
    with pytest.raises(BadInputError, match=r"^mix: expected no \[\[levels\]\] beside it"):
        table_of('[mix]\nname = "horse"\n\n[[levels]]\nminutes = 20\n')
