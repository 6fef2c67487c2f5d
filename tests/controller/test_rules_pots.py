"""Main and side pots, odd chips, rake, jackpot, kitty, and the refunds of a voided hand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import rules
from controller.config import parse_game
from controller.rules import (
    ZERO_AMOUNTS,
    Game,
    Hand,
    Phase,
    Pot,
    Refusal,
    RuleError,
    RuleRefusal,
    actions,
    button_and_blinds,
    pots,
    replace,
    side_pots,
    uncalled_chips,
    with_amount,
)

PLAIN: dict[str, Any] = {"structure": "no-limit", "min_bet": 5}


def closed(bets: list[int], folded: tuple[int, ...] = (), all_in: tuple[int, ...] = (), **values: Any) -> Hand:
    """Return a hand with a closed first round, in which seats 1, 2 and so on have made these bets.

    Each seat that is not all-in has 1,000 chips left.
    """
    game = parse_game({**PLAIN, **values})
    seats = tuple(range(1, len(bets) + 1))
    amounts, stacks = ZERO_AMOUNTS, ZERO_AMOUNTS
    for seat, bet in zip(seats, bets, strict=True):
        amounts = with_amount(amounts, seat, bet)
        stacks = with_amount(stacks, seat, 0 if seat in all_in else 1000)
    hand = Hand(
        game=game,
        button=seats[-1],
        dealt_seats=seats,
        stacks=stacks,
        unknown_stacks=frozenset(),
        phase=Phase.CLOSED,
        bets=amounts,
        current_bet=max(bets),
        folded=frozenset(folded),
        all_in=frozenset(all_in),
    )
    return replace(hand)


DIVIDED_POTS: dict[str, tuple[Hand, list[tuple[int, tuple[int, ...]]]]] = {
    "one pot": (closed([20, 20, 20]), [(60, (1, 2, 3))]),
    "a short all-in": (closed([20, 5, 20], all_in=(2,)), [(15, (1, 2, 3)), (30, (1, 3))]),
    "two short all-ins": (closed([60, 10, 30], all_in=(2, 3)), [(30, (1, 2, 3)), (40, (1, 3)), (30, (1,))]),
    "equal all-ins": (closed([10, 10, 30], all_in=(1, 2)), [(30, (1, 2, 3)), (20, (3,))]),
    "folded chips": (closed([20, 20, 15], folded=(3,)), [(55, (1, 2))]),
    "folded chips between all-ins": (closed([5, 20, 15], (3,), (1,)), [(15, (1, 2)), (25, (2,))]),
    "folded chips above all other bets": (closed([10, 30, 10], folded=(2,), all_in=(1,)), [(50, (1, 3))]),
    "one player is left": (closed([10, 30, 10], folded=(1, 3)), [(50, (2,))]),
    "nothing in the middle": (closed([0, 0]), [(0, (1, 2))]),
}


@pytest.mark.parametrize("rule", DIVIDED_POTS)
def test_pots_are_divided_by_the_bets(rule: str) -> None:
    hand, expected = DIVIDED_POTS[rule]
    names = ("main", "side1", "side2")
    assert pots(hand) == tuple(Pot(names[n], amount, seats) for n, (amount, seats) in enumerate(expected))


def test_dead_money_is_in_the_main_pot_even_without_bets() -> None:
    hand = replace(closed([0, 0, 0], all_in=(1,)), dead_money=with_amount(ZERO_AMOUNTS, 1, 3), middle=7)
    assert pots(hand) == (Pot("main", 7, (1, 2, 3)),)
    hand = replace(closed([0, 10, 10], all_in=(1,)), dead_money=with_amount(ZERO_AMOUNTS, 1, 3), middle=3)
    assert pots(hand) == (Pot("main", 3, (1, 2, 3)), Pot("side1", 20, (2, 3)))


def test_missing_chips_are_deducted_from_the_lowest_pot_first() -> None:
    """The pot has fewer chips than were bet. A drop was taken early, or the floor set a smaller pot."""
    hand = closed([5, 20, 20], all_in=(1,))
    assert [pot.amount for pot in pots(replace(hand, middle=-10))] == [5, 30]
    assert [pot.amount for pot in pots(replace(hand, middle=-18))] == [0, 27]
    assert pots(replace(hand, middle=-60)) == (Pot("main", 0, (1, 2, 3)), Pot("side1", -15, (2, 3)))


def test_side_pot_with_owed_chips_is_not_split_off() -> None:
    """Seats 2 and 3 still owe all chips of their bets. The 10 chips that are already on the table form one pot."""
    hand = actions.open_round(closed([10, 30, 60], all_in=(1, 2)), 3)
    owed = with_amount(with_amount(ZERO_AMOUNTS, 2, 30), 3, 60)
    assert pots(hand, owed) == (Pot("main", 10, (1, 2, 3)),)
    assert [pot.amount for pot in pots(hand, with_amount(ZERO_AMOUNTS, 2, 30))] == [20, 20, 30]


def test_no_pot_exists_without_players_and_chips() -> None:
    assert pots(closed([0, 0], folded=(1, 2))) == ()
    assert pots(closed([5, 0], folded=(1, 2))) == (Pot("main", 5, ()),)


def test_open_round_splits_pots_only_at_all_ins() -> None:
    hand = actions.open_round(closed([20, 5, 60], all_in=(2,)), 1)
    assert pots(hand) == (Pot("main", 15, (1, 2, 3)), Pot("side1", 70, (1, 3)))


def naive_pots(bets: list[int], live: list[int]) -> list[tuple[int, list[int]]]:
    """Compute the side pots with a simple algorithm, as a reference.

    Repeatedly take the smallest remaining bet of a live seat, and move this amount from every bet to a new pot.
    """
    remaining, layers = dict(enumerate(bets, 1)), list[tuple[int, list[int]]]()
    contenders = [seat for seat in live if remaining[seat]]
    while contenders:
        smallest = min(remaining[seat] for seat in contenders)
        amount = sum(min(chips, smallest) for chips in remaining.values())
        remaining = {seat: chips - min(chips, smallest) for seat, chips in remaining.items()}
        if layers and layers[-1][1] == contenders:
            layers[-1] = (layers[-1][0] + amount, contenders)
        else:
            layers.append((amount, contenders))
        contenders = [seat for seat in contenders if remaining[seat]]
    uncalled = sum(remaining.values())
    if layers and uncalled:
        layers[-1] = (layers[-1][0] + uncalled, layers[-1][1])
    return layers


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=10), st.data())
def test_pots_equal_a_naive_calculation(bets: list[int], data: st.DataObject) -> None:
    seats = range(1, len(bets) + 1)
    live = sorted(data.draw(st.sets(st.sampled_from(list(seats)), min_size=2)))
    hand = closed(bets, folded=tuple(seat for seat in seats if seat not in live))
    pots_found = [(pot.amount, list(pot.seats)) for pot in pots(hand)]
    assert pots_found == naive_pots(bets, live)
    assert sum(amount for amount, _ in pots_found) == sum(bets)


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
def test_odd_chips_are_given_one_by_one(
    amount: int, seats: tuple[int, ...], unit: int, expected: dict[int, int]
) -> None:
    assert side_pots.divide_by_shares(amount, dict.fromkeys(seats, 1), unit) == expected


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
def test_unequal_shares_divide_the_pot_with_odd_chips_in_order(
    amount: int, shares: dict[int, int], unit: int, expected: dict[int, int]
) -> None:
    assert side_pots.divide_by_shares(amount, shares, unit) == expected
    assert sum(expected.values()) == amount


@given(
    st.integers(0, 10**6),
    st.dictionaries(st.integers(1, 10), st.integers(1, rules.pot_division.MAX_SHARES), min_size=1),
    st.sampled_from([1, 5, 25]),
)
def test_unequal_shares_conserve_chips_and_differ_only_by_odd_chips(
    amount: int, shares: dict[int, int], unit: int
) -> None:
    given, all_shares = side_pots.divide_by_shares(amount, shares, unit), sum(shares.values())
    assert sum(given.values()) == amount
    share = amount // all_shares // unit * unit
    odd = [given[seat] - share * shares[seat] for seat in shares]
    assert sorted(odd, reverse=True) == odd
    assert max(odd) - min(odd) <= unit


@pytest.mark.parametrize(
    ("amount", "boards", "unit", "expected"),
    [(100, 1, 1, (100,)), (101, 2, 1, (51, 50)), (205, 3, 5, (75, 65, 65)), (4, 3, 5, (4, 0, 0)), (7, 3, 1, (3, 2, 2))],
)
def test_odd_chips_go_to_the_first_board(amount: int, boards: int, unit: int, expected: tuple[int, ...]) -> None:
    assert rules.pot_division.split_by_board(amount, boards, unit) == expected


def test_each_pot_is_divided_among_the_boards() -> None:
    hand = replace(closed([31, 100, 100], all_in=(1,)), board_count=2)
    assert [(pot.name, parts) for pot, parts in rules.awards.pots_by_board(hand)] == [
        ("main", (47, 46)),
        ("side1", (69, 69)),
    ]
    raked = replace(
        hand, game=parse_game({**PLAIN, "rake": {"percent": 10, "cap": 6}, "kitty": {"amount": 2, "pot": 1}})
    )
    assert [parts for _, parts in rules.awards.pots_by_board(on_last_round(raked))] == [(43, 42), (69, 69)]
    given = rules.awards.award_pot(on_last_round(raked), "side1", (2,)).hand
    assert [parts for _, parts in rules.awards.pots_by_board(given)] == [(43, 42)]


@given(st.integers(0, 10**6), st.integers(1, 10), st.sampled_from([1, 5, 25]))
def test_split_pot_conserves_chips(amount: int, winners: int, unit: int) -> None:
    shares = side_pots.divide_by_shares(amount, dict.fromkeys(range(1, winners + 1), 1), unit)
    assert sum(shares.values()) == amount
    assert sorted(shares.values(), reverse=True) == list(shares.values())


def on_last_round(hand: Hand) -> Hand:
    """Return the hand as if it was in its last betting round."""
    return replace(hand, round_number=4)


REFUSED: dict[str, tuple[Hand, str, tuple[int, ...], tuple[int, ...], Refusal]] = {
    "no such pot": (on_last_round(closed([5, 5])), "side1", (1,), (), Refusal(RuleRefusal.NO_SUCH_POT, name="side1")),
    "not in the pot": (
        on_last_round(closed([5, 5, 5], folded=(3,))),
        "main",
        (3,),
        (),
        Refusal(RuleRefusal.NOT_IN_POT, 3, name="main", seats=(1, 2)),
    ),
    "nobody named": (on_last_round(closed([5, 5])), "main", (), (), Refusal(RuleRefusal.NO_WINNER, name="main")),
    "no high half": (on_last_round(closed([5, 5])), "main", (), (1,), Refusal(RuleRefusal.NO_HIGH_WINNER, name="main")),
    "more rounds to bet": (
        closed([5, 5]),
        "main",
        (1,),
        (),
        Refusal(RuleRefusal.BETTING_NOT_OVER, amount=2, name="Flop"),
    ),
    "the round is open": (actions.open_round(closed([5, 5]), 1), "main", (1,), (), Refusal(RuleRefusal.ROUND_OPEN)),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_award_is_refused_with_a_reason(rule: str) -> None:
    hand, name, high, low, refusal = REFUSED[rule]
    with pytest.raises(RuleError) as error:
        rules.awards.award_pot(hand, name, high, low)
    assert error.value.refusal == refusal


def test_pots_are_awarded_one_by_one_until_the_hand_is_over() -> None:
    hand = on_last_round(closed([20, 5, 20], all_in=(2,)))
    hand = rules.awards.award_pot(hand, "side1", (3,)).hand
    assert hand.phase is Phase.AWARDING and hand.pot_total == 15 and hand.stacks[3] == 1030
    hand = rules.awards.award_pot(hand, "main", (2, 1)).hand
    assert hand.phase is Phase.OVER and hand.pot_total == 0 and hand.stacks[1:4] == (1008, 7, 1030)


def test_high_low_pot_is_halved_first() -> None:
    hand = on_last_round(closed([15, 15, 13], folded=(3,), variant="omaha8"))
    assert rules.awards.award_pot(hand, "main", (2,), (1, 2)).awarded == {2: 32, 1: 11}


def test_stud_odd_chips_go_in_the_order_named() -> None:
    stud = replace(closed([3, 3, 3], variant="stud"), round_number=5)
    assert rules.awards.award_pot(stud, "main", (3, 1)).awarded == {3: 5, 1: 4}
    assert rules.awards.award_pot(on_last_round(closed([3, 3, 3])), "main", (3, 1)).awarded == {1: 5, 3: 4}


DROPS: dict[str, tuple[dict[str, Any], list[int], int, bool, tuple[int, int]]] = {
    "no drop": ({}, [50, 50], 4, True, (0, 0)),
    "five percent": ({"rake": {"percent": 5}}, [50, 50], 4, True, (5, 0)),
    "rounded down": ({"rake": {"percent": 5}}, [50, 50, 19], 4, True, (5, 0)),
    "to the unit": ({"rake": {"percent": 10}, "unit": 5}, [95, 95], 4, True, (15, 0)),
    "at most the cap": ({"rake": {"percent": 5, "cap": 4}}, [50, 50], 4, True, (4, 0)),
    "half percents": ({"rake": {"percent": 2.5}}, [100, 100], 4, True, (5, 0)),
    "not from uncalled chips": ({"rake": {"percent": 10}}, [80, 50], 4, True, (10, 0)),
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
def test_drop_due_by_house_rules(rule: str) -> None:
    values, bets, street, at_award, expected = DROPS[rule]
    hand = replace(closed(bets, **values), round_number=street)
    assert rules.awards.drop_due(hand, at_award) == (*expected, 0)


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
    "chips left after the rake": (
        {"rake": {"percent": 90}, "jackpot": TWO_JACKPOTS, "kitty": KITTY},
        [10, 10],
        4,
        (18, 1, 1),
    ),
    "the kitty last": (
        {"rake": {"percent": 95}, "jackpot": TWO_JACKPOTS, "kitty": KITTY},
        [10, 10],
        4,
        (19, 1, 0),
    ),
}


@pytest.mark.parametrize("rule", KITTIES)
def test_jackpots_and_kitty_due_by_house_rules(rule: str) -> None:
    values, bets, street, expected = KITTIES[rule]
    assert rules.awards.drop_due(replace(closed(bets, **values), round_number=street), is_award=True) == expected
    assert rules.awards.drop_due(replace(closed(bets, **values), round_number=street), is_award=False) == (0, 0, 0)


def test_drop_is_taken_once_and_from_the_main_pot_first() -> None:
    hand = on_last_round(closed([2, 300, 300], all_in=(1,), rake={"percent": 10}, jackpot={"amount": 1, "pot": 20}))
    first_award = rules.awards.award_pot(hand, "side1", (2,))
    assert (first_award.rake, first_award.jackpot, first_award.awarded) == (60, 1, {2: 541})
    second_award = rules.awards.award_pot(first_award.hand, "main", (1,))
    assert (second_award.rake, second_award.jackpot, second_award.awarded) == (0, 0, {1: 0})


def test_rake_taken_as_built_counts_toward_the_drop() -> None:
    hand, drop = rules.awards.take_drop_at_deal(closed([50, 50], rake={"percent": 10, "as_built": True}))
    assert (
        drop == (10, 0, 0)
        and hand.pot_total == 90
        and side_pots.called_chips(hand) == 100
        and uncalled_chips(hand) == 0
    )
    second_hand, drop = rules.awards.take_drop_at_deal(hand)
    assert drop == (0, 0, 0) and second_hand == hand


def test_jackpot_and_kitty_are_taken_once_with_a_rake_as_built() -> None:
    house: dict[str, Any] = {"rake": {"percent": 10, "as_built": True}, "jackpot": TWO_JACKPOTS, "kitty": KITTY}
    hand, drop = rules.awards.take_drop_at_deal(closed([50, 50], **house))
    assert drop == (10, 3, 1) and hand.pot_total == 86 and side_pots.called_chips(hand) == 100
    assert rules.awards.take_drop_at_deal(hand)[1] == (0, 0, 0)
    assert rules.awards.drop_due(hand, is_award=True) == (0, 0, 0)


def test_sole_winner_is_found_without_the_uncalled_bet() -> None:
    hand = closed([50, 80], folded=(1,))
    pot = pots(hand)[0]
    assert rules.awards.sole_winner(hand, pot, {2: 130}) == (2, 100)
    above = closed([50, 80], all_in=(1,))
    main, side = pots(above)
    assert rules.awards.sole_winner(above, main, {2: 100}) == (2, 100)
    assert rules.awards.sole_winner(above, side, {2: 30}) == (2, 0)
    both = closed([50, 50])
    assert rules.awards.sole_winner(both, pots(both)[0], {1: 50, 2: 50}) == (0, 0)
    assert rules.awards.sole_winner(both, pots(both)[0], {1: 100}) == (1, 100)


def start(values: dict[str, Any], stacks: list[int]) -> Hand:
    game = parse_game(values)
    seats = dict(enumerate(stacks, 1))
    return rules.blinds.start_hand(game, button_and_blinds.first_placement(game, len(stacks), tuple(seats)), seats)


def test_void_hand_returns_all_chips() -> None:
    hand = start({"structure": "no-limit", "blinds": [5, 10], "ante": 2}, [100, 100, 1])
    assert hand.pot_total == 20 and hand.all_in == {3}
    voided = rules.awards.void_hand(hand)
    assert voided.stacks[1:4] == (100, 100, 1) and voided.pot_total == 0 and voided.phase is Phase.OVER


def test_void_hand_takes_back_awarded_pots() -> None:
    hand = on_last_round(closed([20, 5, 20], all_in=(2,)))
    hand = rules.awards.void_hand(rules.awards.award_pot(hand, "side1", (3,)).hand)
    assert hand.stacks[1:4] == (1020, 5, 1020)


def test_deal_while_pots_are_awarded_opens_no_betting() -> None:
    hand = closed([20, 5, 20], folded=(3,), all_in=(2,))
    hand = actions.deal_next_street(rules.awards.award_pot(hand, "side1", (1,)).hand)
    assert hand.phase is Phase.AWARDING and hand.round_number == 2 and hand.turn == 0


def test_game_fills_in_its_minimum_bet() -> None:
    assert Game().min_bet == 1 and Game(blinds=(1, 2)).min_bet == 2 and Game(unit=5).min_bet == 5
