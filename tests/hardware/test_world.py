"""The simulated world: chips are moved and exchanged, never made or lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hardware import layout
from hardware.chips import DENOMINATIONS, ChipSet, ChipSetError, UidRange, chips_for
from hardware.simulated.ledger import SPARE
from hardware.simulated.world import Cover, Snapshot, World, WorldError, stack_of

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
def test_chips_for(amount: int, chips: tuple[int, ...]) -> None:
    assert chips_for(amount) == chips


@given(st.integers(0, 10**9))
def test_chips_for_makes_the_amount_with_few_chips(amount: int) -> None:
    chips = chips_for(amount)
    assert sum(chips) == amount
    assert set(chips) <= set(DENOMINATIONS)


def test_put_lays_exactly_these_chips() -> None:
    world = World({3: 500})
    world.put(3, [25, 25, 5])
    assert world.denominations("bet3") == (25, 25, 5)
    assert (world.spot_value(3), world.stack_value(3)) == (55, 445)


def test_any_denomination_can_be_asked_for() -> None:
    world = World({3: 500})
    world.put(3, [40, 3])
    assert world.denominations("bet3") == (40, 3)
    chip_set = layout.simulated().chip_set
    assert sorted(chip_set.denomination(uid) or 0 for uid in world.lying("bet3")) == [3, 40]


def test_more_than_the_stack_only_as_extra() -> None:
    world = World({3: 20})
    with pytest.raises(WorldError, match="seat 3 puts 25: its stack holds 20"):
        world.put(3, [25])
    world.put(3, [25], extra=True)
    assert (world.spot_value(3), world.stack_value(3)) == (25, 0)


def test_take_exchanges_on_the_spot() -> None:
    world = World({3: 100})
    world.put(3, [100])
    world.take(3, [25])
    assert (world.spot_value(3), world.stack_value(3)) == (75, 25)


def test_change_keeps_the_value() -> None:
    world = World({3: 200})
    world.put(3, [100])
    world.change(3, 100)
    assert world.denominations("bet3") == (25, 25, 25, 25)
    world.change(3, 100)
    assert world.denominations("bet3") == (100,)


def test_sweep_award_drop() -> None:
    world = World({1: 100, 2: 100})
    world.put(1, [25, 25])
    world.put(2, [100])
    world.sweep([1])
    assert (world.pot_value(), world.spot_value(2)) == (50, 100)
    world.sweep()
    world.drop(3)
    world.award(1, 147)
    assert (world.pot_value(), world.stack_value(1), world.in_play()) == (0, 197, 197)


def test_a_lammer_lies_where_it_was_put() -> None:
    world = World({1: 100})
    world.put(1, [25])
    (chip,) = world.lying("bet1")
    world.put_lammer("button", "bet1")
    (button,) = layout.reference().chip_set.lammers("button")
    assert (world.lying("bet1"), world.on_field("bet1", 0)) == ((chip, button), [chip, button])
    assert (world.denominations("bet1"), world.spot_value(1)) == ((25,), 25)
    world.sweep()
    assert (world.lying("bet1"), world.lying("pot")) == ((button,), (chip,))
    world.take_lammer("button", "bet1")
    world.put_lammer("button", "tray")
    assert (world.lying("bet1"), world.lying("tray")) == ((), (button,))


def test_stacks_of_made_up_chips() -> None:
    stack = stack_of(25, 5, 25)
    known = layout.reference().chip_set
    assert [chip.denomination for chip in stack] == [25, 25, 5]
    assert [known.denomination(chip.uid) for chip in stack] == [25, 25, 5]
    assert stack == tuple(sorted(stack, key=lambda chip: (-chip.denomination, chip.uid)))
    assert stack == stack_of(25, 25, 5)
    assert not {chip.uid for chip in stack} & {chip.uid for chip in stack_of(25, 25, 5, first=2)}
    with pytest.raises(ChipSetError, match="not in the chip set"):
        stack_of(2**28)


def test_restore_puts_everything_back() -> None:
    world = World({1: 100, 2: 100})
    world.put_lammer("rock", "bet1")
    before, lying = world.snapshot(), world.lying("bet1")
    world.take_lammer("rock", "bet1")
    world.put_lammer("button", "bet2")
    world.put(1, [7])
    world.buy(2, 33)
    world.restore(before)
    assert (world.lying("bet1"), world.stack_value(1), world.stack_value(2)) == (lying, 100, 100)
    assert world.lying("bet2") == ()


def test_a_chip_that_went_to_the_house_comes_back_only_long_after() -> None:
    world = World({1: 100})
    (gone,) = world.at("stack1")
    world.leave(1)
    bought: list[str] = []
    for _ in range(2 * SPARE):
        world.buy(1, 100)
        bought += world.at("stack1")
        world.leave(1)
    assert bought.index(gone) == SPARE
    assert len(set(bought)) == SPARE + 1


def test_where_the_chip_set_has_no_more_the_oldest_comes_back() -> None:
    first = World({1: 100}).at("stack1")[0]
    chips = ChipSet(ranges=[UidRange(100, "E004015001000000", first)])
    world = World({1: 100}, chips=chips)
    world.leave(1)
    world.buy(1, 100)
    assert world.at("stack1") == (first,)
    with pytest.raises(WorldError, match=r"house: chip .* of denomination 100: not in the chip set"):
        world.buy(1, 200)
    assert world.in_play() == 100


def test_no_chip_is_minted_twice_after_a_restore() -> None:
    world = World({1: 100})
    before = world.snapshot()
    world.buy(1, 100)
    first = set(world.at("stack1"))
    world.restore(before)
    world.buy(1, 100)
    assert len(first & set(world.at("stack1"))) == 1
    assert world.in_play() == 200


def test_chips_are_carried_by_uid() -> None:
    world = World({1: 100})
    lower, *upper = world.choose("stack1", [25, 25, 25, 25])
    world.carry(upper, "stack1", "hand1")
    world.carry([upper[0]], "hand1", "bet1")
    assert (world.lying("bet1"), world.at("stack1"), world.place(upper[1])) == ((upper[0],), (lower,), "hand1")
    assert (world.worth(upper), world.worth(["E007A10000F00001"])) == (75, 0)
    with pytest.raises(WorldError, match=f"stack1: chips {upper[0]} asked for, not there"):
        world.carry([upper[0]], "stack1", "bet1")


def test_chips_apart_are_not_chosen() -> None:
    world = World({1: 100})
    first, second, *_ = world.choose("stack1", [25, 25, 50])
    assert world.choose("stack1", [25], {first}) == (second,)
    assert world.choose_worth("stack1", 25, {second}) == (first,)
    with pytest.raises(WorldError, match="stack1: chips worth 60 asked for, 50 there"):
        world.choose("stack1", [60], {first, second})


def test_a_cover_hides_what_lies_there() -> None:
    world = World({1: 100})
    world.put(1, [25, 25, 5])
    lying = world.lying("bet1")
    covers = [Cover("metal"), Cover("hand"), Cover("part", frozenset(lying[:1])), None]
    told = []
    for cover in covers:
        world.cover("bet1", cover)
        told.append((world.covered("bet1"), world.failing("bet1"), tuple(world.on_field("bet1", 0))))
    assert told == [
        (covers[0], False, ()),
        (covers[1], True, ()),
        (covers[2], False, lying[1:]),
        (None, False, lying),
    ]


def test_a_foreign_tag_lies_on_one_spot() -> None:
    world = World({1: 100})
    world.lay("04A10000000001", "bet1")
    assert (world.lying("bet1"), world.lies("04A10000000001"), world.spot_value(1)) == (("04A10000000001",), True, 0)
    with pytest.raises(WorldError, match="bet2: tag 04A10000000001, a tag that is beside the table expected"):
        world.lay("04A10000000001", "bet2")
    world.lift("04A10000000001")
    with pytest.raises(WorldError, match="tag 04A10000000001 asked for, it lies on no spot"):
        world.lift("04A10000000001")


@pytest.mark.parametrize(
    "act",
    [
        lambda world: world.take(1, [5]),
        lambda world: world.give_back(1, 5),
        lambda world: world.award(1, 5),
        lambda world: world.drop(5),
        lambda world: world.put(1, [0]),
        lambda world: world.change(1, 5),
        lambda world: world.pay(1, 500),
        lambda world: world.put_lammer("kill", "bet1"),
        lambda world: world.put_lammer("rock", "bet2"),
        lambda world: world.put_lammer("button", "bet11"),
        lambda world: world.take_lammer("rock", "bet2"),
        lambda world: world.take_lammer("button", "bet1"),
        lambda world: world.share("E004015001000000", "bet2"),
        lambda world: world.lay("E0040150FFFFFFFF", "stack1"),
    ],
)
def test_what_is_not_there_cannot_be_moved(act) -> None:  # type: ignore[no-untyped-def]
    world = World({1: 100})
    world.put_lammer("rock", "bet1")
    before = world.snapshot()
    with pytest.raises(WorldError, match=r"asked for|expected"):
        act(world)
    assert world.snapshot() == before


def test_planted_fault_a_lost_chip_is_noticed() -> None:
    world = World({1: 100})
    world._places["stack1"].pop()
    with pytest.raises(AssertionError, match="two places or nowhere"):
        world.put(1, [1], extra=True)


class Table(RuleBasedStateMachine):
    """Random hands at a table; a book beside it says what every place must be worth."""

    @initialize(stacks=st.dictionaries(SEATS, st.integers(0, 2_000), min_size=2), seed=st.integers(0, 99))
    def sit(self, stacks: dict[int, int], seed: int) -> None:
        self.world = World(stacks, seed)
        self.stack = {seat: stacks.get(seat, 0) for seat in range(1, 5)}
        self.spot = dict.fromkeys(range(1, 5), 0)
        self.pot = 0
        self.saved: tuple[Snapshot, dict[int, int], dict[int, int], int] | None = None

    @rule(seat=SEATS, chips=CHIPS, extra=st.booleans())
    def put(self, seat: int, chips: list[int], extra: bool) -> None:
        amount = sum(chips)
        if amount > self.stack[seat] and not extra:
            with pytest.raises(WorldError):
                self.world.put(seat, chips)
            return
        before = list(self.world.denominations(f"bet{seat}"))
        self.world.put(seat, chips, extra=extra)
        assert sorted(before + chips, reverse=True) == list(self.world.denominations(f"bet{seat}"))
        self.stack[seat] = max(0, self.stack[seat] - amount)
        self.spot[seat] += amount

    @rule(seat=SEATS, chips=CHIPS)
    def take(self, seat: int, chips: list[int]) -> None:
        if sum(chips) > self.spot[seat]:
            with pytest.raises(WorldError):
                self.world.take(seat, chips)
            return
        self.world.take(seat, chips)
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
        self.world.change(seat, max(1, self.spot[seat] * share // 100))

    @rule(seats=st.none() | st.sets(SEATS))
    def sweep(self, seats: set[int] | None) -> None:
        self.world.sweep(seats)
        for seat in self.spot if seats is None else seats:
            self.pot += self.spot[seat]
            self.spot[seat] = 0

    @rule(seat=SEATS, share=st.integers(0, 100), rake=st.integers(0, 5))
    def award(self, seat: int, share: int, rake: int) -> None:
        amount = self.pot * share // 100
        self.world.award(seat, amount)
        self.pot -= amount
        self.stack[seat] += amount
        self.world.drop(min(rake, self.pot))
        self.pot -= min(rake, self.pot)

    @rule(seat=SEATS, amount=st.integers(0, 700))
    def buy(self, seat: int, amount: int) -> None:
        self.world.buy(seat, amount)
        self.stack[seat] += amount

    @rule(seat=SEATS, to=SEATS)
    def move(self, seat: int, to: int) -> None:
        self.world.move(seat, to)
        if seat != to:
            self.stack[to] += self.stack[seat]
            self.stack[seat] = 0

    @rule(seat=SEATS)
    def leave(self, seat: int) -> None:
        assert self.world.leave(seat) == self.stack[seat]
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
    def the_book_holds(self) -> None:
        if not hasattr(self, "world"):
            return
        for seat in range(1, 5):
            assert self.world.stack_value(seat) == self.stack[seat]
            assert self.world.spot_value(seat) == self.spot[seat]
        assert self.world.pot_value() == self.pot
        assert self.world.in_play() == sum(self.stack.values()) + sum(self.spot.values()) + self.pot


Table.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestTable = Table.TestCase
