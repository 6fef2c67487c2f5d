"""Simulated world: chips are moved and exchanged, and never appear or vanish."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hardware import layout
from hardware.chip_set import DENOMINATIONS, ChipSet, ChipSetError, UidRange, can_make, chips_for
from hardware.simulated.chip_ledger import MIN_SPARE_CHIPS
from hardware.simulated.world import SpotCover, World, WorldError, WorldSnapshot, make_stack

SEATS = st.integers(1, 4)
CHIPS = st.lists(st.sampled_from([1, 2, 5, 10, 25, 30, 100, 500]), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("amount", "chips"),
    [
        (0, ()),
        (1, (1,)),
        (4, (1, 1, 1, 1)),
        (40, (25, 5, 5, 5)),
        (100, (100,)),
        (999, (500, 100, 100, 100, 100, 25, 25, 25, 5, 5, 5, 5, 1, 1, 1, 1)),
        (6_000, (5_000, 1_000)),
        (25_000, (25_000,)),
    ],
)
def test_chips_for_gives_the_expected_chips(amount: int, chips: tuple[int, ...]) -> None:
    assert chips_for(amount) == chips


@given(CHIPS, st.integers(0, 1_000))
def test_chips_make_exactly_the_sums_of_some_of_them(chips: list[int], amount: int) -> None:
    sums = {sum(some) for count in range(len(chips) + 1) for some in combinations(chips, count)}
    assert all(can_make(chips, worth) for worth in sums)
    assert can_make(chips, amount) == (amount in sums)


def test_large_heap_is_known_not_to_make_an_amount_without_trying_every_sum() -> None:
    heap = [denomination for denomination in (2, 10, *DENOMINATIONS[3:]) for _ in range(20)]
    assert not can_make(heap, 1_000_001)
    assert can_make(heap, sum(heap) - 1_000_000)


@given(st.integers(0, 10**9))
def test_chips_for_makes_the_amount_with_few_chips(amount: int) -> None:
    chips = chips_for(amount)
    assert sum(chips) == amount
    assert set(chips) <= set(DENOMINATIONS)


def test_put_on_spot_uses_exactly_these_chips() -> None:
    world = World({3: 500})
    world.put_on_spot(3, [25, 25, 5])
    assert world.denominations("bet3") == (25, 25, 5)
    assert (world.spot_value(3), world.stack_value(3)) == (55, 445)


def test_any_denomination_can_be_requested() -> None:
    world = World({3: 500})
    world.put_on_spot(3, [40, 3])
    assert world.denominations("bet3") == (40, 3)
    chip_set = layout.simulated_layout().chip_set
    assert sorted(chip_set.denomination(uid) or 0 for uid in world.tags_on_spot("bet3")) == [3, 40]


def test_more_than_the_stack_needs_add_missing() -> None:
    world = World({3: 20})
    with pytest.raises(WorldError, match="seat 3: expected 25 in its stack, got 20"):
        world.put_on_spot(3, [25])
    world.put_on_spot(3, [25], add_missing=True)
    assert (world.spot_value(3), world.stack_value(3)) == (25, 0)


def test_take_from_spot_exchanges_on_the_spot() -> None:
    world = World({3: 100})
    world.put_on_spot(3, [100])
    world.take_from_spot(3, [25])
    assert (world.spot_value(3), world.stack_value(3)) == (75, 25)


def test_change_chip_keeps_the_value() -> None:
    world = World({3: 200})
    world.put_on_spot(3, [100])
    world.change_chip(3, 100)
    assert world.denominations("bet3") == (25, 25, 25, 25)
    world.change_chip(3, 100)
    assert world.denominations("bet3") == (100,)


def test_sweep_award_and_rake_move_the_pot() -> None:
    world = World({1: 100, 2: 100})
    world.put_on_spot(1, [25, 25])
    world.put_on_spot(2, [100])
    world.sweep_to_pot([1])
    assert (world.pot_value(), world.spot_value(2)) == (50, 100)
    world.sweep_to_pot()
    world.remove_from_pot(3)
    world.award(1, 147)
    assert (world.pot_value(), world.stack_value(1), world.value_in_play()) == (0, 197, 197)


def test_lammer_stays_where_it_was_put() -> None:
    world = World({1: 100})
    world.put_on_spot(1, [25])
    (chip,) = world.tags_on_spot("bet1")
    world.put_lammer("button", "bet1")
    (button,) = layout.reference_layout().chip_set.lammers("button")
    assert (world.tags_on_spot("bet1"), world.answering_tags("bet1", 0)) == ((chip, button), [chip, button])
    assert (world.denominations("bet1"), world.spot_value(1)) == ((25,), 25)
    world.sweep_to_pot()
    assert (world.tags_on_spot("bet1"), world.tags_on_spot("pot")) == ((button,), (chip,))
    world.take_lammer("button", "bet1")
    world.put_lammer("button", "tray")
    assert (world.tags_on_spot("bet1"), world.tags_on_spot("tray")) == ((), (button,))


def test_make_stack_gives_chips_of_the_reference_table() -> None:
    stack = make_stack(25, 5, 25)
    chip_set = layout.reference_layout().chip_set
    assert [chip.denomination for chip in stack] == [25, 25, 5]
    assert [chip_set.denomination(chip.uid) for chip in stack] == [25, 25, 5]
    assert stack == tuple(sorted(stack, key=lambda chip: (-chip.denomination, chip.uid)))
    assert stack == make_stack(25, 25, 5)
    assert not {chip.uid for chip in stack} & {chip.uid for chip in make_stack(25, 25, 5, first_serial=2)}
    with pytest.raises(ChipSetError, match="not in the chip set"):
        make_stack(2**28)


def test_restore_puts_everything_back() -> None:
    world = World({1: 100, 2: 100})
    world.put_lammer("rock", "bet1")
    before, tags = world.snapshot(), world.tags_on_spot("bet1")
    world.take_lammer("rock", "bet1")
    world.put_lammer("button", "bet2")
    world.put_on_spot(1, [7])
    world.buy(2, 33)
    world.restore(before)
    assert (world.tags_on_spot("bet1"), world.stack_value(1), world.stack_value(2)) == (tags, 100, 100)
    assert world.tags_on_spot("bet2") == ()


def test_cashed_chip_returns_only_after_many_others() -> None:
    world = World({1: 100})
    (cashed_in,) = world.chips_at("stack1")
    world.cash_out(1)
    bought: list[str] = []
    for _ in range(2 * MIN_SPARE_CHIPS):
        world.buy(1, 100)
        bought += world.chips_at("stack1")
        world.cash_out(1)
    assert bought.index(cashed_in) == MIN_SPARE_CHIPS
    assert len(set(bought)) == MIN_SPARE_CHIPS + 1


def test_oldest_chip_returns_if_the_chip_set_is_exhausted() -> None:
    first = World({1: 100}).chips_at("stack1")[0]
    chips = ChipSet(ranges=[UidRange(100, "E004015001000000", first)])
    world = World({1: 100}, chips=chips)
    world.cash_out(1)
    world.buy(1, 100)
    assert world.chips_at("stack1") == (first,)
    with pytest.raises(WorldError, match=r"house: chip .* of denomination 100: not in the chip set"):
        world.buy(1, 200)
    assert world.value_in_play() == 100


def test_no_chip_is_minted_twice_after_a_restore() -> None:
    world = World({1: 100})
    before = world.snapshot()
    world.buy(1, 100)
    first = set(world.chips_at("stack1"))
    world.restore(before)
    world.buy(1, 100)
    assert len(first & set(world.chips_at("stack1"))) == 1
    assert world.value_in_play() == 200


def test_chips_move_by_uid() -> None:
    world = World({1: 100})
    lower, *upper = world.pick_denominations("stack1", [25, 25, 25, 25])
    world.move_chips(upper, "stack1", "hand1")
    world.move_chips([upper[0]], "hand1", "bet1")
    assert (world.tags_on_spot("bet1"), world.chips_at("stack1"), world.place_of(upper[1])) == (
        (upper[0],),
        (lower,),
        "hand1",
    )
    assert (world.total_value(upper), world.total_value(["E007A10000F00001"])) == (75, 0)
    with pytest.raises(WorldError, match=f"stack1: expected chips {upper[0]}, which are not there"):
        world.move_chips([upper[0]], "stack1", "bet1")


def test_excluded_chips_are_not_chosen() -> None:
    world = World({1: 100})
    first, second, *_ = world.pick_denominations("stack1", [25, 25, 50])
    assert world.pick_denominations("stack1", [25], {first}) == (second,)
    assert world.pick_amount("stack1", 25, {second}) == (first,)
    with pytest.raises(WorldError, match="stack1: expected chips worth 60, got 50"):
        world.pick_denominations("stack1", [60], {first, second})


def test_cover_hides_the_tags() -> None:
    world = World({1: 100})
    world.put_on_spot(1, [25, 25, 5])
    tags = world.tags_on_spot("bet1")
    covers = [SpotCover("metal"), SpotCover("hand"), SpotCover("part", frozenset(tags[:1])), None]
    answers = []
    for cover in covers:
        world.set_cover("bet1", cover)
        answers.append((world.cover_of("bet1"), world.is_unreadable("bet1"), tuple(world.answering_tags("bet1", 0))))
    assert answers == [
        (covers[0], False, ()),
        (covers[1], True, ()),
        (covers[2], False, tags[1:]),
        (None, False, tags),
    ]


def test_foreign_tag_is_on_one_spot() -> None:
    world = World({1: 100})
    world.lay_foreign_tag("04A10000000001", "bet1")
    assert (world.tags_on_spot("bet1"), world.is_on_a_spot("04A10000000001"), world.spot_value(1)) == (
        ("04A10000000001",),
        True,
        0,
    )
    with pytest.raises(WorldError, match="bet2: tag 04A10000000001: expected a tag that is off the table"):
        world.lay_foreign_tag("04A10000000001", "bet2")
    world.lift_foreign_tag("04A10000000001")
    with pytest.raises(WorldError, match="tag 04A10000000001: expected a tag that is on a spot"):
        world.lift_foreign_tag("04A10000000001")


@pytest.mark.parametrize(
    "movement",
    [
        lambda world: world.take_from_spot(1, [5]),
        lambda world: world.give_back(1, 5),
        lambda world: world.award(1, 5),
        lambda world: world.remove_from_pot(5),
        lambda world: world.put_on_spot(1, [0]),
        lambda world: world.change_chip(1, 5),
        lambda world: world.pay_house(1, 500),
        lambda world: world.put_lammer("kill", "bet1"),
        lambda world: world.put_lammer("rock", "bet2"),
        lambda world: world.put_lammer("button", "bet11"),
        lambda world: world.take_lammer("rock", "bet2"),
        lambda world: world.take_lammer("button", "bet1"),
        lambda world: world.place_between("E004015001000000", "bet2"),
        lambda world: world.lay_foreign_tag("E0040150FFFFFFFF", "stack1"),
    ],
)
def test_absent_chip_or_lammer_cannot_be_moved(movement) -> None:  # type: ignore[no-untyped-def]
    world = World({1: 100})
    world.put_lammer("rock", "bet1")
    before = world.snapshot()
    with pytest.raises(WorldError, match="expected"):
        movement(world)
    assert world.snapshot() == before


def test_planted_fault_lost_chip_is_caught() -> None:
    world = World({1: 100})
    world._places["stack1"].pop()
    with pytest.raises(AssertionError, match="two places or nowhere"):
        world.put_on_spot(1, [1], add_missing=True)


class Table(RuleBasedStateMachine):
    """Random poker hands at a table, with a ledger of the value that each place must have."""

    @initialize(stacks=st.dictionaries(SEATS, st.integers(0, 2_000), min_size=2), seed=st.integers(0, 99))
    def sit(self, stacks: dict[int, int], seed: int) -> None:
        self.world = World(stacks, seed)
        self.stack = {seat: stacks.get(seat, 0) for seat in range(1, 5)}
        self.spot = dict.fromkeys(range(1, 5), 0)
        self.pot = 0
        self.saved: tuple[WorldSnapshot, dict[int, int], dict[int, int], int] | None = None

    @rule(seat=SEATS, chips=CHIPS, extra=st.booleans())
    def put(self, seat: int, chips: list[int], extra: bool) -> None:
        amount = sum(chips)
        if amount > self.stack[seat] and not extra:
            with pytest.raises(WorldError):
                self.world.put_on_spot(seat, chips)
            return
        before = list(self.world.denominations(f"bet{seat}"))
        self.world.put_on_spot(seat, chips, add_missing=extra)
        assert sorted(before + chips, reverse=True) == list(self.world.denominations(f"bet{seat}"))
        self.stack[seat] = max(0, self.stack[seat] - amount)
        self.spot[seat] += amount

    @rule(seat=SEATS, chips=CHIPS)
    def take(self, seat: int, chips: list[int]) -> None:
        if sum(chips) > self.spot[seat]:
            with pytest.raises(WorldError):
                self.world.take_from_spot(seat, chips)
            return
        self.world.take_from_spot(seat, chips)
        self.spot[seat] -= sum(chips)
        self.stack[seat] += sum(chips)

    @rule(seat=SEATS, share=st.integers(0, 100))
    def give_back(self, seat: int, share: int) -> None:
        amount = self.spot[seat] * share // 100
        self.world.give_back(seat, amount)
        self.spot[seat] -= amount
        self.stack[seat] += amount

    @precondition(lambda self: any(self.spot.values()))
    @rule(share=st.integers(1, 100))
    def change(self, share: int) -> None:
        seat = max(self.spot, key=lambda seat: self.spot[seat])
        self.world.change_chip(seat, max(1, self.spot[seat] * share // 100))

    @rule(seats=st.none() | st.sets(SEATS))
    def sweep(self, seats: set[int] | None) -> None:
        self.world.sweep_to_pot(seats)
        for seat in self.spot if seats is None else seats:
            self.pot += self.spot[seat]
            self.spot[seat] = 0

    @rule(seat=SEATS, share=st.integers(0, 100), rake=st.integers(0, 5))
    def award(self, seat: int, share: int, rake: int) -> None:
        amount = self.pot * share // 100
        self.world.award(seat, amount)
        self.pot -= amount
        self.stack[seat] += amount
        self.world.remove_from_pot(min(rake, self.pot))
        self.pot -= min(rake, self.pot)

    @rule(seat=SEATS, amount=st.integers(0, 700))
    def buy(self, seat: int, amount: int) -> None:
        self.world.buy(seat, amount)
        self.stack[seat] += amount

    @rule(seat=SEATS, to=SEATS)
    def move(self, seat: int, to: int) -> None:
        self.world.move_player(seat, to)
        if seat != to:
            self.stack[to] += self.stack[seat]
            self.stack[seat] = 0

    @rule(seat=SEATS)
    def leave(self, seat: int) -> None:
        assert self.world.cash_out(seat) == self.stack[seat]
        self.stack[seat] = 0

    @rule()
    def save(self) -> None:
        self.saved = (self.world.snapshot(), dict(self.stack), dict(self.spot), self.pot)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def undo(self) -> None:
        assert self.saved is not None
        snapshot, stack, spot, self.pot = self.saved
        self.world.restore(snapshot)
        self.stack, self.spot = dict(stack), dict(spot)

    @invariant()
    def ledger_matches(self) -> None:
        if not hasattr(self, "world"):
            return
        for seat in range(1, 5):
            assert self.world.stack_value(seat) == self.stack[seat]
            assert self.world.spot_value(seat) == self.spot[seat]
        assert self.world.pot_value() == self.pot
        assert self.world.value_in_play() == sum(self.stack.values()) + sum(self.spot.values()) + self.pot


Table.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestTable = Table.TestCase
