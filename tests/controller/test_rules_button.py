"""Positions of the button and the blinds with each button rule, when heads-up, and with empty seats."""

import pytest

from controller.rules import (
    Game,
    Placement,
    button_and_blinds,
)

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
def test_button_and_blinds_of_the_first_hand(rule: str) -> None:
    game, button, seats, expected = FIRST[rule]
    placed = button_and_blinds.first_placement(game, button, seats)
    assert placed.button == button
    assert dict(placed.blind_amounts) == expected


ALL = (1, 2, 3, 4, 5)
# Each case begins with the game, and the button and seats of the last hand. It ends with the present seats, the seats
# of absent players, and the expected button and blinds.
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
def test_button_and_blinds_move_by_the_button_rule(rule: str) -> None:
    game, button, before, now, away, expected_button, expected = MOVES[rule]
    placed = button_and_blinds.next_placement(
        game,
        button_and_blinds.first_placement(game, button, before),
        button_and_blinds.DealSeating(now, frozenset(away), tuple(sorted({*before, *now}))),
    )
    assert (placed.button, dict(placed.blind_amounts)) == (expected_button, expected)


def test_big_blind_after_a_game_without_blinds_follows_the_button() -> None:
    placed = button_and_blinds.next_placement(DEAD, Placement(5), button_and_blinds.DealSeating(ALL, frozenset(), ALL))
    assert (placed.button, dict(placed.blind_amounts)) == (1, {2: 1, 3: 2})


def test_moving_button_charges_a_small_blind_after_each_big_blind() -> None:
    game, places = MOVING, ALL
    placed = button_and_blinds.next_placement(
        game,
        button_and_blinds.first_placement(game, 5, ALL),
        button_and_blinds.DealSeating((2, 3, 4, 5), frozenset(), places),
    )
    placed = button_and_blinds.next_placement(
        game, placed, button_and_blinds.DealSeating((2, 3, 4, 5), frozenset(), places)
    )
    assert (placed.button, dict(placed.blind_amounts)) == (3, {3: 1, 4: 1, 5: 2})


def test_small_blind_place_of_an_empty_seat_has_no_player() -> None:
    placed = button_and_blinds.next_placement(
        DEAD,
        button_and_blinds.first_placement(DEAD, 5, ALL),
        button_and_blinds.DealSeating((1, 3, 4, 5), frozenset({2}), ALL),
    )
    assert placed.small_blind_position == 2 and placed.small_blind_seat == 0
    assert button_and_blinds.first_placement(DEAD, 5, ALL).small_blind_seat == 1


@pytest.mark.parametrize("game", [DEAD, SIMPLE, MOVING])
def test_every_seat_has_the_big_blind_once_an_orbit_if_nobody_leaves(game: Game) -> None:
    placed, bigs = button_and_blinds.first_placement(game, 1, ALL), []
    for _ in range(5):
        bigs.append(placed.big_blind_position)
        placed = button_and_blinds.next_placement(game, placed, button_and_blinds.DealSeating(ALL, frozenset(), ALL))
    assert sorted(bigs) == list(ALL) and placed == button_and_blinds.first_placement(game, 1, ALL)._replace(
        owes_small_blind=placed.owes_small_blind
    )
