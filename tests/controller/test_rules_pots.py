"""Main and side pots, odd chips, rake and jackpot, and what a void hand gives back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import rules
from controller.config import make_game
from controller.rules import (
    NOTHING,
    Game,
    Hand,
    Phase,
    Pot,
    Refusal,
    RuleError,
    Why,
    called,
    deal,
    divide,
    first_placement,
    open_round,
    pots,
    put,
    replace,
    uncalled,
)

PLAIN: dict[str, Any] = {"structure": "no-limit", "min_bet": 5}


def closed(bets: list[int], folded: tuple[int, ...] = (), all_in: tuple[int, ...] = (), **values: Any) -> Hand:
    """A closed first round in which seats 1, 2 … have put in these bets; 1000 lie behind who is not all-in."""
    game = make_game({**PLAIN, **values})
    seats = tuple(range(1, len(bets) + 1))
    amounts, stacks = NOTHING, NOTHING
    for seat, bet in zip(seats, bets, strict=True):
        amounts = put(amounts, seat, bet)
        stacks = put(stacks, seat, 0 if seat in all_in else 1000)
    return Hand(
        game=game,
        button=seats[-1],
        order=seats,
        stacks=stacks,
        unknown=frozenset(),
        phase=Phase.CLOSED,
        bets=amounts,
        level=max(bets),
        folded=frozenset(folded),
        all_in=frozenset(all_in),
    )


DIVIDED: dict[str, tuple[Hand, list[tuple[int, tuple[int, ...]]]]] = {
    "one pot": (closed([20, 20, 20]), [(60, (1, 2, 3))]),
    "a short all-in": (closed([20, 5, 20], all_in=(2,)), [(15, (1, 2, 3)), (30, (1, 3))]),
    "two short all-ins": (closed([60, 10, 30], all_in=(2, 3)), [(30, (1, 2, 3)), (40, (1, 3)), (30, (1,))]),
    "equal all-ins": (closed([10, 10, 30], all_in=(1, 2)), [(30, (1, 2, 3)), (20, (3,))]),
    "folded chips": (closed([20, 20, 15], folded=(3,)), [(55, (1, 2))]),
    "folded chips between all-ins": (closed([5, 20, 15], (3,), (1,)), [(15, (1, 2)), (25, (2,))]),
    "folded above everybody": (closed([10, 30, 10], folded=(2,), all_in=(1,)), [(50, (1, 3))]),
    "one is left": (closed([10, 30, 10], folded=(1, 3)), [(50, (2,))]),
    "nothing in the middle": (closed([0, 0]), [(0, (1, 2))]),
}


@pytest.mark.parametrize("rule", DIVIDED)
def test_pots(rule: str) -> None:
    hand, expected = DIVIDED[rule]
    names = ("main", "side1", "side2")
    assert pots(hand) == tuple(Pot(names[n], amount, seats) for n, (amount, seats) in enumerate(expected))


def test_dead_money_lies_in_the_main_pot_also_without_bets() -> None:
    hand = replace(closed([0, 0, 0], all_in=(1,)), dead=put(NOTHING, 1, 3), middle=7)
    assert pots(hand) == (Pot("main", 7, (1, 2, 3)),)
    hand = replace(closed([0, 10, 10], all_in=(1,)), dead=put(NOTHING, 1, 3), middle=3)
    assert pots(hand) == (Pot("main", 3, (1, 2, 3)), Pot("side1", 20, (2, 3)))


def test_what_is_missing_comes_out_of_the_lowest_pot_first() -> None:
    """A drop taken early, or a pot that the floor counted lower."""
    hand = closed([5, 20, 20], all_in=(1,))
    assert [pot.amount for pot in pots(replace(hand, middle=-10))] == [5, 30]
    assert [pot.amount for pot in pots(replace(hand, middle=-18))] == [0, 27]
    assert pots(replace(hand, middle=-60)) == (Pot("main", 0, (1, 2, 3)), Pot("side1", -15, (2, 3)))


def test_a_side_pot_that_is_still_owed_is_none() -> None:
    """Two seats said all-in and have put nothing in: what lies there is one pot for all."""
    hand = open_round(closed([10, 30, 60], all_in=(1, 2)), 3)
    owed = put(put(NOTHING, 2, 30), 3, 60)
    assert pots(hand, owed) == (Pot("main", 10, (1, 2, 3)),)
    assert [pot.amount for pot in pots(hand, put(NOTHING, 2, 30))] == [20, 20, 30]


def test_nobody_left_and_nothing_there_is_no_pot() -> None:
    assert pots(closed([0, 0], folded=(1, 2))) == ()
    assert pots(closed([5, 0], folded=(1, 2))) == (Pot("main", 5, ()),)


def test_while_the_round_is_open_only_all_ins_make_pots() -> None:
    hand = open_round(closed([20, 5, 60], all_in=(2,)), 1)
    assert pots(hand) == (Pot("main", 15, (1, 2, 3)), Pot("side1", 70, (1, 3)))


def naive(bets: list[int], live: list[int]) -> list[tuple[int, list[int]]]:
    """Side pots by hand: peel off the smallest stake of those who can win, again and again."""
    left, found = dict(enumerate(bets, 1)), list[tuple[int, list[int]]]()
    contenders = [seat for seat in live if left[seat]]
    while contenders:
        slice_ = min(left[seat] for seat in contenders)
        amount = sum(min(chips, slice_) for chips in left.values())
        left = {seat: chips - min(chips, slice_) for seat, chips in left.items()}
        if found and found[-1][1] == contenders:
            found[-1] = (found[-1][0] + amount, contenders)
        else:
            found.append((amount, contenders))
        contenders = [seat for seat in contenders if left[seat]]
    rest = sum(left.values())
    if found and rest:
        found[-1] = (found[-1][0] + rest, found[-1][1])
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=10), st.data())
def test_pots_are_those_of_a_count_by_hand(bets: list[int], data: st.DataObject) -> None:
    seats = range(1, len(bets) + 1)
    live = sorted(data.draw(st.sets(st.sampled_from(list(seats)), min_size=2)))
    hand = closed(bets, folded=tuple(seat for seat in seats if seat not in live))
    found = [(pot.amount, list(pot.seats)) for pot in pots(hand)]
    assert found == naive(bets, live)
    assert sum(amount for amount, _ in found) == sum(bets)


@pytest.mark.parametrize(
    ("amount", "seats", "unit", "expected"),
    [
        (10, (1, 2), 1, {1: 5, 2: 5}),
        (11, (1, 2), 1, {1: 6, 2: 5}),
        (71, (3, 4, 5), 1, {3: 24, 4: 24, 5: 23}),
        (125, (2, 1), 5, {2: 65, 1: 60}),
        (13, (1, 2), 5, {1: 8, 2: 5}),
        (4, (1, 2), 5, {1: 4, 2: 0}),
        (0, (1, 2, 3), 1, {1: 0, 2: 0, 3: 0}),
        (7, (9,), 5, {9: 7}),
    ],
)
def test_odd_chips_go_one_by_one(amount: int, seats: tuple[int, ...], unit: int, expected: dict[int, int]) -> None:
    assert divide(amount, dict.fromkeys(seats, 1), unit) == expected


@pytest.mark.parametrize(
    ("amount", "shares", "unit", "expected"),
    [
        (200, {1: 2, 3: 1}, 1, {1: 133, 3: 67}),
        (60, {1: 3, 2: 1}, 1, {1: 45, 2: 15}),
        (70, {1: 4, 2: 1}, 5, {1: 50, 2: 20}),
        (14, {2: 1, 1: 4}, 1, {2: 4, 1: 10}),
        (3, {1: 60, 2: 1}, 1, {1: 2, 2: 1}),
        (13, {1: 2, 2: 2}, 5, {1: 8, 2: 5}),
    ],
)
def test_shares_and_odd_chips_that_go_round_again(
    amount: int, shares: dict[int, int], unit: int, expected: dict[int, int]
) -> None:
    assert divide(amount, shares, unit) == expected
    assert sum(expected.values()) == amount


@given(
    st.integers(0, 10**6),
    st.dictionaries(st.integers(1, 10), st.integers(1, rules.MOST_SHARES), min_size=1),
    st.sampled_from([1, 5, 25]),
)
def test_shares_lose_nothing_and_differ_by_odd_chips_only(amount: int, shares: dict[int, int], unit: int) -> None:
    given, all_shares = divide(amount, shares, unit), sum(shares.values())
    assert sum(given.values()) == amount
    share = amount // all_shares // unit * unit
    odd = [given[seat] - share * shares[seat] for seat in shares]
    assert sorted(odd, reverse=True) == odd
    assert max(odd) - min(odd) <= unit


@pytest.mark.parametrize(
    ("amount", "boards", "unit", "expected"),
    [(100, 1, 1, (100,)), (101, 2, 1, (51, 50)), (205, 3, 5, (75, 65, 65)), (4, 3, 5, (4, 0, 0)), (7, 3, 1, (3, 2, 2))],
)
def test_odd_chips_are_the_first_boards(amount: int, boards: int, unit: int, expected: tuple[int, ...]) -> None:
    assert rules.board_parts(amount, boards, unit) == expected


def test_what_each_board_gets_of_each_pot() -> None:
    hand = replace(closed([31, 100, 100], all_in=(1,)), boards=2)
    assert [(pot.name, parts) for pot, parts in rules.boards_of_pots(hand)] == [("main", (47, 46)), ("side1", (69, 69))]
    raked = replace(
        hand, game=make_game({**PLAIN, "rake": {"percent": 10, "cap": 6}, "kitty": {"amount": 2, "pot": 1}})
    )
    assert [parts for _, parts in rules.boards_of_pots(last(raked))] == [(43, 42), (69, 69)]
    given = rules.award(last(raked), "side1", (2,)).hand
    assert [parts for _, parts in rules.boards_of_pots(given)] == [(43, 42)]


@given(st.integers(0, 10**6), st.integers(1, 10), st.sampled_from([1, 5, 25]))
def test_a_split_loses_nothing(amount: int, winners: int, unit: int) -> None:
    shares = divide(amount, dict.fromkeys(range(1, winners + 1), 1), unit)
    assert sum(shares.values()) == amount
    assert sorted(shares.values(), reverse=True) == list(shares.values())


def last(hand: Hand) -> Hand:
    """The same, on the last betting round."""
    return replace(hand, round=4)


REFUSED: dict[str, tuple[Hand, str, tuple[int, ...], tuple[int, ...], Refusal]] = {
    "no such pot": (last(closed([5, 5])), "side1", (1,), (), Refusal(Why.NO_SUCH_POT, name="side1")),
    "not in the pot": (
        last(closed([5, 5, 5], folded=(3,))),
        "main",
        (3,),
        (),
        Refusal(Why.NOT_IN_POT, 3, name="main", seats=(1, 2)),
    ),
    "nobody named": (last(closed([5, 5])), "main", (), (), Refusal(Why.NO_WINNER, name="main")),
    "no high half": (last(closed([5, 5])), "main", (), (1,), Refusal(Why.NO_HIGH_WINNER, name="main")),
    "still to be bet for": (closed([5, 5]), "main", (1,), (), Refusal(Why.NOT_OVER, amount=2, name="Flop")),
    "the round is open": (open_round(closed([5, 5]), 1), "main", (1,), (), Refusal(Why.ROUND_OPEN)),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_awards_are_refused_for_a_reason(rule: str) -> None:
    hand, name, high, low, why = REFUSED[rule]
    with pytest.raises(RuleError) as error:
        rules.award(hand, name, high, low)
    assert error.value.refusal == why


def test_pots_are_given_one_by_one_and_then_the_hand_is_over() -> None:
    hand = last(closed([20, 5, 20], all_in=(2,)))
    hand = rules.award(hand, "side1", (3,)).hand
    assert hand.phase is Phase.PAYING and hand.total == 15 and hand.stacks[3] == 1030
    hand = rules.award(hand, "main", (2, 1)).hand
    assert hand.phase is Phase.OVER and hand.total == 0 and hand.stacks[1:4] == (1008, 7, 1030)


def test_high_low_halves_first() -> None:
    hand = last(closed([15, 15, 13], folded=(3,), variant="omaha8"))
    assert rules.award(hand, "main", (2,), (1, 2)).given == {2: 32, 1: 11}


def test_in_stud_odd_chips_go_in_the_order_named() -> None:
    stud = replace(closed([3, 3, 3], variant="stud"), round=5)
    assert rules.award(stud, "main", (3, 1)).given == {3: 5, 1: 4}
    assert rules.award(last(closed([3, 3, 3])), "main", (3, 1)).given == {1: 5, 3: 4}


DROPS: dict[str, tuple[dict[str, Any], list[int], int, bool, tuple[int, int]]] = {
    "no drop": ({}, [50, 50], 4, True, (0, 0)),
    "five percent": ({"rake": {"percent": 5}}, [50, 50], 4, True, (5, 0)),
    "rounded down": ({"rake": {"percent": 5}}, [50, 50, 19], 4, True, (5, 0)),
    "to the unit": ({"rake": {"percent": 10}, "unit": 5}, [95, 95], 4, True, (15, 0)),
    "no more than the cap": ({"rake": {"percent": 5, "cap": 4}}, [50, 50], 4, True, (4, 0)),
    "half percents": ({"rake": {"percent": 2.5}}, [100, 100], 4, True, (5, 0)),
    "not of the uncalled": ({"rake": {"percent": 10}}, [80, 50], 4, True, (10, 0)),
    "no flop": ({"rake": {"percent": 10, "no_flop_no_drop": True}}, [50, 50], 1, True, (0, 0)),
    "a flop": ({"rake": {"percent": 10, "no_flop_no_drop": True}}, [50, 50], 2, True, (10, 0)),
    "not at the deal": ({"rake": {"percent": 10}}, [50, 50], 2, False, (0, 0)),
    "as built at the deal": ({"rake": {"percent": 10, "as_built": True}}, [50, 50], 1, False, (10, 0)),
    "as built with the flop": (
        {"rake": {"percent": 10, "as_built": True, "no_flop_no_drop": True}},
        [50, 50],
        1,
        False,
        (10, 0),
    ),
    "jackpot": ({"jackpot": {"amount": 2, "pot": 100}}, [50, 50], 4, True, (0, 2)),
    "jackpot of too small a pot": ({"jackpot": {"amount": 2, "pot": 101}}, [50, 50], 4, True, (0, 0)),
    "jackpot not at the deal": ({"jackpot": {"amount": 2, "pot": 20}}, [50, 50], 4, False, (0, 0)),
    "no jackpot without a flop": (
        {"rake": {"percent": 5, "no_flop_no_drop": True}, "jackpot": {"amount": 2, "pot": 20}},
        [50, 50],
        1,
        True,
        (0, 0),
    ),
    "the whole pot": ({"rake": {"percent": 100}, "jackpot": {"amount": 9, "pot": 20}}, [50, 50], 4, True, (100, 0)),
}


@pytest.mark.parametrize("rule", DROPS)
def test_the_drop(rule: str) -> None:
    values, bets, street, at_award, expected = DROPS[rule]
    hand = replace(closed(bets, **values), round=street)
    assert rules.drop_due(hand, at_award) == (*expected, 0)


KITTY = {"amount": 1, "pot": 20}
TWO_JACKPOTS = [{"amount": 1, "pot": 20}, {"amount": 2, "pot": 50}]
KITTIES: dict[str, tuple[dict[str, Any], list[int], int, tuple[int, int, int]]] = {
    "kitty": ({"kitty": KITTY}, [10, 10], 4, (0, 0, 1)),
    "kitty of too small a pot": ({"kitty": KITTY}, [9, 9], 4, (0, 0, 0)),
    "no kitty without a flop": (
        {"rake": {"percent": 5, "no_flop_no_drop": True}, "kitty": KITTY},
        [50, 50],
        1,
        (0, 0, 0),
    ),
    "the first jackpot": ({"jackpot": TWO_JACKPOTS}, [15, 15], 4, (0, 1, 0)),
    "both jackpots": ({"jackpot": TWO_JACKPOTS}, [25, 25], 4, (0, 3, 0)),
    "what is left after the rake": (
        {"rake": {"percent": 90}, "jackpot": TWO_JACKPOTS, "kitty": KITTY},
        [10, 10],
        4,
        (18, 1, 1),
    ),
    "the kitty last": ({"rake": {"percent": 95}, "jackpot": TWO_JACKPOTS, "kitty": KITTY}, [10, 10], 4, (19, 1, 0)),
}


@pytest.mark.parametrize("rule", KITTIES)
def test_jackpots_and_the_kitty(rule: str) -> None:
    values, bets, street, expected = KITTIES[rule]
    assert rules.drop_due(replace(closed(bets, **values), round=street), at_award=True) == expected
    assert rules.drop_due(replace(closed(bets, **values), round=street), at_award=False) == (0, 0, 0)


def test_the_drop_comes_out_of_the_main_pot_first_and_once() -> None:
    hand = last(closed([2, 300, 300], all_in=(1,), rake={"percent": 10}, jackpot={"amount": 1, "pot": 20}))
    one = rules.award(hand, "side1", (2,))
    assert (one.rake, one.jackpot, one.given) == (60, 1, {2: 541})
    two = rules.award(one.hand, "main", (1,))
    assert (two.rake, two.jackpot, two.given) == (0, 0, {1: 0})


def test_what_is_taken_as_built_counts() -> None:
    hand, drop = rules.take_drop(closed([50, 50], rake={"percent": 10, "as_built": True}))
    assert drop == (10, 0, 0) and hand.total == 90 and called(hand) == 100 and uncalled(hand) == 0
    again, drop = rules.take_drop(hand)
    assert drop == (0, 0, 0) and again == hand


def test_jackpot_and_kitty_are_taken_with_a_rake_as_built_and_once() -> None:
    house: dict[str, Any] = {"rake": {"percent": 10, "as_built": True}, "jackpot": TWO_JACKPOTS, "kitty": KITTY}
    hand, drop = rules.take_drop(closed([50, 50], **house))
    assert drop == (10, 3, 1) and hand.total == 86 and called(hand) == 100
    assert rules.take_drop(hand)[1] == (0, 0, 0)
    assert rules.drop_due(hand, at_award=True) == (0, 0, 0)


def test_who_won_alone() -> None:
    hand = closed([50, 80], folded=(1,))
    pot = pots(hand)[0]
    assert rules.sole_winner(hand, pot, {2: 130}) == (2, 100)
    above = closed([50, 80], all_in=(1,))
    main, side = pots(above)
    assert rules.sole_winner(above, main, {2: 100}) == (2, 100)
    assert rules.sole_winner(above, side, {2: 30}) == (2, 0)
    both = closed([50, 50])
    assert rules.sole_winner(both, pots(both)[0], {1: 50, 2: 50}) == (0, 0)
    assert rules.sole_winner(both, pots(both)[0], {1: 100}) == (1, 100)


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = make_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.start_hand(game, first_placement(game, len(stacks), tuple(seats)), seats)


def test_a_void_hand_gives_everything_back() -> None:
    hand = start({"structure": "no-limit", "blinds": [5, 10], "ante": 2}, [100, 100, 1])
    assert hand.total == 20 and hand.all_in == {3}
    over = rules.void(hand)
    assert over.stacks[1:4] == (100, 100, 1) and over.total == 0 and over.phase is Phase.OVER


def test_a_void_hand_takes_back_pots_that_were_given() -> None:
    hand = last(closed([20, 5, 20], all_in=(2,)))
    hand = rules.void(rules.award(hand, "side1", (3,)).hand)
    assert hand.stacks[1:4] == (1020, 5, 1020)


def test_dealing_while_pots_are_given_opens_no_betting() -> None:
    hand = closed([20, 5, 20], folded=(3,), all_in=(2,))
    hand = deal(rules.award(hand, "side1", (1,)).hand)
    assert hand.phase is Phase.PAYING and hand.round == 2 and hand.turn == 0


def test_a_game_is_complete() -> None:
    assert Game().min_bet == 1 and Game(blinds=(1, 2)).min_bet == 2 and Game(unit=5).min_bet == 5
