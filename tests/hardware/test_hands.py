"""Hands that take time: chips land, are swept and pushed; each mishap as it is described; the truth is kept."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import layout
from hardware.simulated.hands import LAND_S, Hands
from hardware.simulated.mishaps import Mishap
from hardware.simulated.motions import Motions
from hardware.simulated.noise import ALL, NONE, Noise, Rates
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World, WorldError

SECOND_US = 1_000_000
SEATS = (1, 2, 3, 4)
BESIDE = {f"bet{seat}": {f"bet{seat - 1}", f"bet{seat + 1}"} - {"bet0", "bet5"} for seat in SEATS}


class Table:
    """Four seats with 1000 each, and hands with these rates; time passes by `until`."""

    def __init__(self, rates: Rates = NONE, seed: int = 0) -> None:
        self.world = World(dict.fromkeys(SEATS, 1_000), seed, neighbours=BESIDE)
        for seat in SEATS:
            self.world.choose(f"stack{seat}", [100] * 5 + [25] * 10 + [5] * 40 + [1] * 50)
        self.cables = Cables()
        self.hands = Hands(self.world, rates, seed, cables=self.cables, readers=("odd", "even"))
        self.now_us = 0

    def until(self, at_us: int) -> None:
        while (due_us := self.hands.next_us()) is not None and due_us <= at_us:
            self.now_us = max(self.now_us, due_us)
            self.hands.move(self.now_us)
        self.now_us = max(self.now_us, at_us)

    def on(self, spot: str) -> tuple[int, ...]:
        return self.world.denominations(spot)

    def mishap(self, kind: str) -> Mishap:
        (found,) = [mishap for mishap in self.hands.mishaps if mishap.kind == kind]
        return found


class Cables:
    def __init__(self) -> None:
        self.pulled: list[tuple[str, str]] = []

    def unplug_reader(self, name: str) -> None:
        self.pulled.append(("out", name))

    def plug_reader(self, name: str) -> None:
        self.pulled.append(("in", name))


def only(**rates: float) -> Table:
    return Table(Rates(**rates))


# Movements


def test_chips_land_one_by_one() -> None:
    table = Table()
    done_us = table.hands.bet(3, [25, 25, 5, 5, 5], 0)
    assert len(table.on("bet3")) == 1
    assert 0 < done_us <= LAND_S * SECOND_US
    assert table.hands.busy(3)
    assert not table.hands.busy(2)
    assert (table.hands.wagered(3), table.hands.behind(3)) == (65, 935)
    table.until(done_us)
    assert table.on("bet3") == (25, 25, 5, 5, 5)
    assert not table.hands.busy(3)
    assert table.hands.next_us() is None


def test_one_chip_lands_at_once() -> None:
    table = Table()
    assert table.hands.bet(3, [100], 7) == 7
    assert table.on("bet3") == (100,)


def test_a_bet_beyond_the_stack_is_refused() -> None:
    table = Table()
    with pytest.raises(WorldError, match="seat 3 puts 1500: it has 1000"):
        table.hands.bet(3, [500, 500, 500], 0)
    assert table.hands.behind(3) == 1_000


def test_antes_are_scooped_out_of_the_stack() -> None:
    table = only(protector=1.0)
    table.hands.deal(SEATS, 0)
    table.hands.ante(3, 30)
    table.hands.ante(2, 1_000)
    assert (table.world.pot_value(), table.hands.behind(3), table.world.at("stack2")) == (1_030, 970, ())
    with pytest.raises(WorldError, match="seat 2 puts 1: it has 0"):
        table.hands.ante(2, 1)


def test_the_dealer_sweeps_spot_by_spot() -> None:
    table = Table()
    for seat in SEATS:
        table.hands.bet(seat, [25], 0)
    done_us = table.hands.sweep(SEATS, 0)
    assert [table.on(f"bet{seat}") for seat in SEATS] == [(), (25,), (25,), (25,)]
    assert 4 * 150_000 <= done_us <= 4 * 400_000
    table.until(done_us - 1)
    assert (table.world.pot_value(), table.on("bet4")) == (75, ())
    table.until(done_us)
    assert (table.world.pot_value(), table.hands.wagered(4)) == (100, 0)


def test_nothing_wagered_takes_no_time_to_sweep() -> None:
    table = Table()
    assert table.hands.sweep(SEATS, 5) == 5


def test_a_pot_is_pushed_to_its_winners() -> None:
    table = Table()
    table.hands.bet(1, [100, 100], 0)
    table.until(SECOND_US)
    table.until(table.hands.sweep([1], table.now_us))
    done_us = table.hands.push_pot({2: 150, 3: 50}, table.now_us)
    assert (table.world.pot_value(), table.hands.behind(2), table.world.stack_value(2)) == (0, 1_150, 1_000)
    table.until(done_us)
    assert (table.world.stack_value(2), table.world.stack_value(3)) == (1_150, 1_050)


def test_chips_are_taken_back_and_pushed_back() -> None:
    table = Table()
    table.until(table.hands.bet(3, [25, 25, 5], 0))
    table.until(table.hands.take_back(3, [25], table.now_us))
    assert (table.on("bet3"), table.world.stack_value(3)) == ((25, 5), 970)
    table.until(table.hands.give_back(3, 10, table.now_us))
    assert (table.hands.wagered(3), table.world.stack_value(3)) == (20, 980)


# Mishaps


def test_a_splash_lies_on_the_neighbours_spot_until_it_is_corrected() -> None:
    table = only(splash=1.0)
    table.until(table.hands.bet(2, [25] * 6, 0))
    splash = table.mishap("splash")
    assert table.on("bet1") + table.on("bet3") == (25,) * len(splash.uids)
    assert len(table.on("bet2")) == 6 - len(splash.uids)
    assert [table.hands.wagered(seat) for seat in SEATS] == [0, 150, 0, 0]
    table.until(splash.until_us)
    assert table.on("bet2") == (25,) * 6


def test_a_splash_is_swept_with_its_seat() -> None:
    table = only(splash=1.0)
    table.until(table.hands.bet(2, [25] * 6, 0))
    table.until(table.hands.sweep([2], table.now_us))
    assert (table.world.pot_value(), table.on("bet1"), table.on("bet3")) == (150, (), ())
    table.until(60 * SECOND_US)
    assert table.world.pot_value() == 150


def test_chips_are_cut_out() -> None:
    table = only(cut_out=1.0)
    done_us = table.hands.bet(2, [25, 25, 25], 0)
    table.until(LAND_S_US := int(LAND_S * SECOND_US))
    cut = table.mishap("cut-out")
    assert table.on("bet2") == (25,) * (3 + len(cut.uids))
    assert (table.hands.wagered(2), table.hands.behind(2), table.hands.busy(2)) == (75, 925, True)
    assert SECOND_US <= done_us <= 5 * SECOND_US + LAND_S_US
    table.until(done_us)
    assert (table.on("bet2"), table.hands.busy(2)) == ((25, 25, 25), False)


def test_a_wager_in_two_motions() -> None:
    table = only(two_motions=1.0)
    done_us = table.hands.bet(2, [25] * 6, 0)
    second = table.mishap("two-motions").uids
    table.until(done_us - 1)
    assert 6 - len(second) <= len(table.on("bet2")) < 6
    table.until(done_us)
    assert table.on("bet2") == (25,) * 6
    assert done_us > 200_000


def test_change_from_a_neighbours_bet_is_worth_the_same() -> None:
    table = only(change=1.0)
    table.hands.bet(1, [25] * 4, 0)
    table.hands.bet(2, [100], SECOND_US)
    table.until(20 * SECOND_US)
    assert (table.on("bet1"), table.on("bet2")) == ((100,), (25, 25, 25, 25))
    assert (table.hands.wagered(1), table.hands.wagered(2)) == (100, 100)


def test_change_from_the_house_is_worth_the_same() -> None:
    table = only(change_house=1.0)
    table.hands.bet(2, [100], 0)
    table.until(20 * SECOND_US)
    assert table.on("bet2") == (25, 25, 25, 25)
    assert table.hands.wagered(2) == 100


def test_chips_beside_the_spot_are_swept_all_the_same() -> None:
    table = only(beside=1.0)
    table.until(table.hands.bet(2, [25] * 3, 0))
    missed = table.mishap("beside").uids
    assert table.on("bet2") == (25,) * (3 - len(missed))
    assert table.hands.wagered(2) == 75
    table.until(table.hands.sweep([2], table.now_us))
    assert table.world.pot_value() == 75


def test_a_chip_between_two_spots_answers_at_both() -> None:
    table = only(between=1.0)
    table.until(table.hands.bet(2, [25], 0))
    (uid,) = table.mishap("between").uids
    assert sorted(uid in table.world.on_field(f"bet{seat}", 0) for seat in (1, 2, 3)) == [False, True, True]
    table.until(table.hands.sweep([2], table.now_us))
    assert [table.world.on_field(f"bet{seat}", 0) for seat in (1, 2, 3)] == [[], [], []]


def test_own_chips_rest_on_the_spot_and_are_no_wager() -> None:
    table = only(own_stack=1.0)
    table.hands.bet(2, [25], 0)
    table.until(2 * SECOND_US)
    own = table.mishap("own-stack")
    assert set(own.uids) < set(table.world.lying("bet2"))
    assert (table.hands.wagered(2), table.hands.behind(2)) == (25, 975)
    table.until(table.hands.sweep([2], table.now_us))
    assert (table.world.pot_value(), table.world.lying("bet2")) == (25, own.uids)
    table.until(own.until_us)
    assert (table.world.lying("bet2"), table.world.stack_value(2)) == ((), 975)


def test_own_chips_that_are_bet_do_not_come_back() -> None:
    """The player goes all-in while some of its stack lies on the spot."""
    table = only(own_stack=1.0)
    table.hands.bet(2, [25], 0)
    table.until(2 * SECOND_US)
    table.hands.bet(2, [100] * 9 + [75], table.now_us)
    table.until(60 * SECOND_US)
    assert (table.hands.wagered(2), table.world.spot_value(2), table.hands.behind(2)) == (1_000, 1_000, 0)


@pytest.mark.parametrize(("kind", "failing"), [("metal", False), ("phone", True)])
def test_something_stands_on_the_spot(kind: str, failing: bool) -> None:
    table = only(**{kind: 1.0})
    table.hands.bet(2, [25], 0)
    table.until(2 * SECOND_US)
    until_us = table.mishap(kind).until_us
    covered = (table.mishap(kind).at_us, until_us)
    table = only(**{kind: 1.0})
    table.hands.bet(2, [25], 0)
    table.until(covered[0])
    assert (table.world.failing("bet2"), table.world.on_field("bet2", 0)) == (failing, [])
    table.until(until_us)
    assert (table.world.failing("bet2"), len(table.world.on_field("bet2", 0))) == (False, 1)


def test_a_hand_rests_over_all_chips_or_over_some() -> None:
    kinds = set()
    for seed in range(12):
        table = Table(Rates(hand=1.0), seed)
        table.hands.bet(2, [25] * 5, 0)
        table.until(60 * SECOND_US)
        (hand,) = table.hands.mishaps
        kinds.add(hand.kind)
        assert 200_000 <= hand.until_us - hand.at_us <= 2 * SECOND_US
        assert len(hand.uids) == (0 if hand.kind == "hand" else len(hand.uids))
        assert table.world.covered("bet2") is None
    assert kinds == {"hand", "hand-part"}


@pytest.mark.parametrize(("kind", "digits"), [("key", 14), ("foreign", 16)])
def test_a_foreign_tag_lies_with_the_chips(kind: str, digits: int) -> None:
    table = only(**{kind: 1.0})
    table.until(table.hands.bet(2, [25], 0))
    (uid,) = table.mishap(kind).uids
    assert len(uid) == digits
    assert uid in table.world.on_field("bet2", 0)
    assert table.mishap(kind).amount == 0
    table.until(table.mishap(kind).until_us)
    assert len(table.world.on_field("bet2", 0)) == 1


def test_a_copied_tag_answers_as_the_other() -> None:
    table = only(copied=1.0)
    table.until(table.hands.bet(1, [25], 0))
    table.hands.mishaps.clear()
    table.until(table.hands.bet(2, [25], table.now_us))
    copied, of = table.mishap("copied").uids
    assert copied in table.world.lying("bet2")
    assert copied not in table.world.on_field("bet2", 0)
    assert table.world.on_field("bet2", 0) == [of]


def test_dead_tags_are_those_of_the_noise() -> None:
    rates, dead = Rates(dead=0.3), 0
    table, noise = Table(rates, 5), Noise(rates, 5)
    for seat in SEATS:
        table.hands.bet(seat, [25] * 8, 0)
    noted = {uid for mishap in table.hands.mishaps for uid in mishap.uids}
    for seat in SEATS:
        for uid in table.hands.wagered_uids(seat):
            assert noise.dead(uid) == (uid in noted)
            dead += uid in noted
    assert 2 <= dead <= 20


def test_a_protector_lies_there_until_the_cards_go() -> None:
    table = only(protector=1.0)
    table.hands.deal([1, 2, 3, 4], 0)
    table.until(3 * SECOND_US)
    assert all(len(table.world.lying(f"bet{seat}")) == 1 for seat in SEATS)
    assert all((table.hands.wagered(seat), table.hands.behind(seat)) == (0, 1_000) for seat in SEATS)
    kinds = {table.world.spot_value(seat) > 0 for seat in SEATS}
    assert kinds == {True, False}
    table.hands.fold(1, table.now_us)
    table.until(table.now_us + 3 * SECOND_US)
    assert table.world.lying("bet1") == ()
    table.hands.bet(2, [25], table.now_us)
    table.until(table.hands.sweep([2], table.now_us))
    table.hands.push_pot({2: 25}, table.now_us)
    table.until(table.now_us + 9 * SECOND_US)
    assert all(table.world.lying(f"bet{seat}") == () for seat in SEATS)
    assert all(table.world.stack_value(seat) == 1_000 for seat in SEATS)


def test_a_cable_is_out_for_a_while() -> None:
    table = only(cable=1.0)
    table.hands.deal(SEATS, 0)
    cable = table.mishap("cable")
    assert 2 * SECOND_US <= cable.until_us - cable.at_us <= 10 * SECOND_US
    table.until(cable.at_us)
    assert [what for what, _ in table.cables.pulled] == ["out"]
    table.until(cable.until_us)
    assert [what for what, _ in table.cables.pulled] == ["out", "in"]


@pytest.mark.parametrize("kind", ["over_spot", "last_pot"])
def test_the_pot_comes_over_the_winners_spot(kind: str) -> None:
    table = only(**{kind: 1.0})
    table.until(table.hands.bet(1, [100], 0))
    table.until(table.hands.sweep([1], table.now_us))
    done_us = table.hands.push_pot({2: 100}, table.now_us)
    (pot,) = table.hands.mishaps
    assert done_us == (pot.until_us if kind == "over_spot" else pot.at_us)
    assert (pot.until_us - pot.at_us > 5 * SECOND_US) == (kind == "last_pot")
    table.until(pot.at_us)
    assert (table.on("bet2"), table.hands.wagered(2), table.hands.behind(2)) == ((100,), 0, 1_100)
    table.until(pot.until_us)
    assert (table.on("bet2"), table.world.stack_value(2)) == ((), 1_100)


def test_a_tip_leaves_play() -> None:
    table = only(tip=1.0)
    table.until(table.hands.bet(1, [100], 0))
    table.until(table.hands.sweep([1], table.now_us))
    table.hands.push_pot({2: 100}, table.now_us)
    table.until(60 * SECOND_US)
    assert (table.mishap("tip").amount, table.hands.behind(2), table.world.in_play()) == (1, 1_099, 3_999)


# The truth, whatever goes wrong

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["bet", "bet", "bet", "sweep", "push", "back", "take", "deal", "fold", "wait"]),
        st.sampled_from(SEATS),
        st.integers(0, 400),
        st.integers(0, 6_000_000),
    ),
    max_size=40,
)
WILD = Rates(**{item.name: 0.4 for item in fields(Rates) if getattr(ALL, item.name) > 0 and item.name != "tip"})


@given(acts=ACTS, seed=st.integers(0, 2**16))
@settings(max_examples=60, deadline=None)
def test_the_truth_is_kept_whatever_goes_wrong(acts: list[tuple[str, int, int, int]], seed: int) -> None:
    check_truth(acts, seed)


def check_truth(acts: list[tuple[str, int, int, int]], seed: int) -> None:
    """A book of what was asked of the hands; at the end every chip is where the book has it."""
    table = Table(WILD, seed)
    wagers, behind, pot = dict.fromkeys(SEATS, 0), dict.fromkeys(SEATS, 1_000), 0
    for what, seat, amount, wait_us in acts:
        hands, now_us = table.hands, table.now_us
        if what == "bet" and 0 < amount <= behind[seat]:
            hands.bet(seat, chips_of(amount), now_us)
            wagers[seat], behind[seat] = wagers[seat] + amount, behind[seat] - amount
        elif what in ("back", "take") and 0 < amount <= wagers[seat] and settled(table):
            act: Any = hands.give_back if what == "back" else hands.take_back
            act(seat, amount if what == "back" else [amount], now_us)
            wagers[seat], behind[seat] = wagers[seat] - amount, behind[seat] + amount
        elif what == "sweep":
            table.until(hands.sweep(SEATS, now_us))
            pot += sum(wagers.values())
            wagers = dict.fromkeys(SEATS, 0)
        elif what == "push" and pot:
            hands.push_pot({seat: pot}, now_us)
            behind[seat], pot = behind[seat] + pot, 0
        elif what == "deal":
            hands.deal(SEATS, now_us)
        elif what == "fold":
            hands.fold(seat, now_us)
        agree(table, wagers, behind)
        table.until(table.now_us + wait_us)
        agree(table, wagers, behind)
    table.hands.push_pot({}, table.now_us)
    table.until(table.now_us + 100 * SECOND_US)
    agree(table, wagers, behind)
    assert table.hands.next_us() is None
    assert table.world.pot_value() == pot
    assert {seat: table.world.stack_value(seat) for seat in SEATS} == behind


def settled(table: Table) -> bool:
    return not any(table.hands.busy(seat) for seat in SEATS)


def agree(table: Table, wagers: dict[int, int], behind: dict[int, int]) -> None:
    assert {seat: table.hands.wagered(seat) for seat in SEATS} == wagers
    assert {seat: table.hands.behind(seat) for seat in SEATS} == behind
    assert table.world.in_play() == 4_000


def chips_of(amount: int) -> list[int]:
    return [25] * (amount // 25) + [1] * (amount % 25)


def test_planted_fault_chips_that_stay_astray_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Motions, "straighten", lambda self, uids, seat: None)
    with pytest.raises(AssertionError):
        test_a_splash_lies_on_the_neighbours_spot_until_it_is_corrected()


def test_planted_fault_own_chips_taken_for_a_wager_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Motions, "wagered", lambda self, seat: self.world.at(f"bet{seat}"))
    with pytest.raises(AssertionError):
        check_truth([("bet", 2, 100, 5_000_000)] * 4, 3)


# One seed, one evening


def evening(rates: Rates, seed: int) -> list[Mishap]:
    table = Table(rates, seed)
    for number in range(30):
        seat = number % 4 + 1
        if table.hands.behind(seat) > 50:
            table.until(table.hands.bet(seat, [25, 5, 5], table.now_us))
        table.until(table.now_us + 3 * SECOND_US)
    table.until(table.now_us + 60 * SECOND_US)
    return list(table.hands.mishaps)


def test_one_seed_one_evening() -> None:
    assert evening(WILD, 3) == evening(WILD, 3)
    assert evening(WILD, 3) != evening(WILD, 4)


@pytest.mark.parametrize("cause", ["hand", "metal", "key", "between", "own_stack", "copied"])
def test_a_cause_that_is_off_changes_no_other(cause: str) -> None:
    """What the others draw is the same; where chips lie differs only by what that cause would have moved."""
    kind = {"hand": "hand-part", "own_stack": "own-stack"}.get(cause, cause)
    with_it = [
        mishap[:2]
        for mishap in evening(WILD, 3)
        if mishap.kind not in (cause, kind, "metal", "phone", "hand", "hand-part")
    ]
    without = [
        mishap[:2]
        for mishap in evening(replace(WILD, **{cause: 0.0}), 3)
        if mishap.kind not in ("metal", "phone", "hand", "hand-part")
    ]
    assert sorted(with_it) == sorted(without)


def test_hands_at_a_table_of_readers() -> None:
    """A hand over the antenna makes its readings fail; both tag technologies carry the foreign tags."""
    for technology in ("iso15693", "mode3"):
        made = layout.reference().with_tags(technology)
        world = World({1: 500, 2: 500}, chips=made.chip_set)
        table = SimulatedTable(made, world, Noise(NONE, 0))
        hands = Hands(world, Rates(foreign=1.0, hand=1.0), 0, cables=table, readers=("odd", "even"))
        table.settle()
        hands.bet(2, [25, 25], table.now_us)
        while (due_us := hands.next_us()) is not None:
            table.run(max(0, due_us - table.now_us))
            hands.move(table.now_us)
        table.run(4 * SECOND_US)
        assert table.trays.settled("bet2") == frozenset(world.lying("bet2"))
