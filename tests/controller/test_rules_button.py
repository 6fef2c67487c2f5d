"""Where the button and the blinds stand: dead, moving and simplified button, heads-up, empty seats."""

import pytest

from controller.rules import Game, Placement, Seating, first_placement, next_placement

DEAD = Game(blinds=(1, 2))
MOVING = Game(blinds=(1, 2), button_rule="moving")
SIMPLE = Game(blinds=(1, 2), button_rule="simplified")
ONE = Game(blinds=(2,))
ON_BUTTON = Game(blinds=(2,), blind_on="button")
THREE = Game(blinds=(1, 1, 2))
NONE = Game(ante=1)

FIRST: dict[str, tuple[Game, int, tuple[int, ...], dict[int, int]]] = {
    "two blinds": (DEAD, 5, (1, 2, 3, 5), {1: 1, 2: 2}),
    "from an empty seat": (DEAD, 4, (1, 2, 3), {1: 1, 2: 2}),
    "heads-up the button posts the small blind": (DEAD, 1, (1, 2), {1: 1, 2: 2}),
    "heads-up from an empty seat": (DEAD, 3, (1, 2), {2: 1, 1: 2}),
    "one blind": (ONE, 3, (1, 2, 3), {1: 2}),
    "one blind heads-up": (ONE, 1, (1, 2), {2: 2}),
    "one blind on the button": (ON_BUTTON, 2, (1, 2, 3), {2: 2}),
    "three blinds": (THREE, 5, (1, 2, 3, 5), {5: 1, 1: 1, 2: 2}),
    "three blinds heads-up": (THREE, 1, (1, 2), {1: 1, 2: 2}),
    "no blinds": (NONE, 2, (1, 2, 3), {}),
}


@pytest.mark.parametrize("rule", FIRST)
def test_first_hand(rule: str) -> None:
    game, button, seats, expected = FIRST[rule]
    placed = first_placement(game, button, seats)
    assert placed.button == button
    assert dict(placed.blinds) == expected


ALL = (1, 2, 3, 4, 5)
# (game, button of the hand before, seats of the hand before, seats now, away, button now, blinds now)
MOVES: dict[str, tuple[Game, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, dict[int, int]]] = {
    "dead: nobody leaves": (DEAD, 5, ALL, ALL, (), 1, {2: 1, 3: 2}),
    "dead: the small blind left": (DEAD, 5, ALL, (2, 3, 4, 5), (), 1, {2: 1, 3: 2}),
    "dead: the big blind left": (DEAD, 5, ALL, (1, 3, 4, 5), (), 1, {3: 2}),
    "dead: the big blind is away": (DEAD, 5, ALL, (1, 3, 4, 5), (2,), 1, {3: 2}),
    "dead: both left": (DEAD, 5, ALL, (3, 4, 5), (), 1, {3: 2}),
    "dead: the next big blind left": (DEAD, 5, ALL, (1, 2, 4, 5), (), 1, {2: 1, 4: 2}),
    "dead: the button left": (DEAD, 5, ALL, (1, 2, 3, 4), (), 1, {2: 1, 3: 2}),
    "dead: one blind": (ONE, 5, ALL, ALL, (), 1, {2: 2}),
    "dead: one blind left": (ONE, 5, ALL, (2, 3, 4, 5), (), 1, {2: 2}),
    "dead: three blinds": (THREE, 5, ALL, ALL, (), 1, {1: 1, 2: 1, 3: 2}),
    "moving: nobody leaves": (MOVING, 5, ALL, ALL, (), 1, {2: 1, 3: 2}),
    "moving: the small blind left": (MOVING, 5, ALL, (2, 3, 4, 5), (), 2, {2: 1, 3: 2, 4: 2}),
    "moving: the big blind left": (MOVING, 5, ALL, (1, 3, 4, 5), (), 1, {3: 2, 4: 2}),
    "moving: both left": (MOVING, 5, ALL, (3, 4, 5), (), 3, {4: 2, 5: 2, 3: 2}),
    "simplified: nobody leaves": (SIMPLE, 5, ALL, ALL, (), 1, {2: 1, 3: 2}),
    "simplified: the small blind left": (SIMPLE, 5, ALL, (2, 3, 4, 5), (), 2, {3: 1, 4: 2}),
    "simplified: the big blind left": (SIMPLE, 5, ALL, (1, 3, 4, 5), (), 1, {3: 1, 4: 2}),
    "one blind on the button moves with it": (ON_BUTTON, 5, ALL, ALL, (), 1, {1: 2}),
    "no blinds: the button moves": (NONE, 5, ALL, (2, 3, 4, 5), (), 2, {}),
    "to heads-up: the big blind moves on first": (DEAD, 5, (1, 2, 5), (1, 2), (), 2, {2: 1, 1: 2}),
    "to heads-up: the big blind left": (DEAD, 5, (1, 2, 5), (1, 5), (), 1, {1: 1, 5: 2}),
    "to heads-up: the small blind left": (DEAD, 5, (1, 2, 5), (2, 5), (), 2, {2: 1, 5: 2}),
    "heads-up changes sides": (DEAD, 1, (1, 2), (1, 2), (), 2, {2: 1, 1: 2}),
    "heads-up with one blind": (ONE, 1, (1, 2), (1, 2), (), 2, {1: 2}),
    "heads-up with the moving button": (MOVING, 1, (1, 2), (1, 2), (), 2, {2: 1, 1: 2}),
    "from heads-up to three": (DEAD, 1, (1, 2), (1, 2, 3), (), 1, {2: 1, 3: 2}),
}


@pytest.mark.parametrize("rule", MOVES)
def test_moves(rule: str) -> None:
    game, button, before, now, away, expected_button, expected = MOVES[rule]
    placed = next_placement(
        game, first_placement(game, button, before), Seating(now, frozenset(away), tuple(sorted({*before, *now})))
    )
    assert (placed.button, dict(placed.blinds)) == (expected_button, expected)


def test_after_a_game_without_blinds_the_big_blind_is_found_from_the_button() -> None:
    placed = next_placement(DEAD, Placement(5), Seating(ALL, frozenset(), ALL))
    assert (placed.button, dict(placed.blinds)) == (1, {2: 1, 3: 2})


def test_moving_button_who_posted_big_owes_small() -> None:
    game, places = MOVING, ALL
    placed = next_placement(game, first_placement(game, 5, ALL), Seating((2, 3, 4, 5), frozenset(), places))
    placed = next_placement(game, placed, Seating((2, 3, 4, 5), frozenset(), places))
    assert (placed.button, dict(placed.blinds)) == (3, {3: 1, 4: 1, 5: 2})


def test_the_small_blind_of_an_empty_seat_is_nobody() -> None:
    placed = next_placement(DEAD, first_placement(DEAD, 5, ALL), Seating((1, 3, 4, 5), frozenset({2}), ALL))
    assert placed.small_place == 2 and placed.small_blind == 0
    assert first_placement(DEAD, 5, ALL).small_blind == 1


@pytest.mark.parametrize("game", [DEAD, SIMPLE, MOVING])
def test_with_nobody_leaving_everybody_has_the_big_blind_once_an_orbit(game: Game) -> None:
    placed, bigs = first_placement(game, 1, ALL), []
    for _ in range(5):
        bigs.append(placed.big_place)
        placed = next_placement(game, placed, Seating(ALL, frozenset(), ALL))
    assert sorted(bigs) == list(ALL) and placed == first_placement(game, 1, ALL)._replace(owe_small=placed.owe_small)
