"""Whatever trays, keys and screens say, in whatever order: the steps say all, and no chip is lost."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import Change, Spot, failed, lasting, next_deadline_us, uncounted, waiting
from controller.rules import SEATS
from controller.table import check_conserved, is_open, parse
from hardware.events import KEYS, DeviceDown, DeviceUp, Event, Key, PressesLost, StackComplete, StackSeen
from tests.controller.live_table import Game, four_players, replayed, strangers

Act = Callable[[Game], object]
SPOT = ("bet1", "bet2", "bet3", "bet4", "bet5", "pot", "tray")
COMMANDS = (
    "{seat} fold", "{seat} check", "{seat} call", "{seat} bet {amount}", "{seat} raise to {amount}", "{seat} all-in",
    "{seat} says raise", "{seat} says call", "{seat} said raise", "{seat} time", "{seat} post", "{seat} away",
    "{seat} back", "{seat} sit {amount}", "{seat} leave", "{seat} add {amount}", "{seat} stack {amount}",
    "return {seat}", "here {seat}", "out-of-turn {seat}", "acts-now {seat}", "change {seat} {amount}",
    "unplug {seat}", "plug {seat}", "floor bind {seat}", "floor release {seat}", "floor dead {seat}",
    "floor bet {seat} {amount}", "floor turn {seat}", "floor pot {amount}", "award main {seat}", "award side1 {seat}",
    "deal", "deal closing", "hand", "void", "undo", "call-floor", "floor-came", "restart-checked", "records-checked",
)  # fmt: skip
OFTEN = ("hand", "deal", "{seat} call", "{seat} check", "{seat} fold", "award main {seat}")

seats = st.integers(1, 5)
amounts = st.sampled_from([5, 10, 20, 25, 50, 100])
stacks = st.lists(st.sampled_from([1, 5, 5, 25, 100]), max_size=5).map(tuple)
flags = st.sampled_from([(False, 0), (False, 0), (False, 0), (True, 0), (False, 1)])


def commanded(form: str, seat: int, amount: int, shown: int) -> Act:
    return lambda game: game.command(form.format(seat=seat, amount=amount), shown or None)


def lies(seat: int, stack: tuple[int, ...], sure: tuple[bool, int]) -> Act:
    return lambda game: game.lies(seat, *stack, at_least=sure[0], unknown=sure[1])


def seen(seat: int, stack: tuple[int, ...], sure: tuple[bool, int]) -> Act:
    return lambda game: game.seen(seat, *stack, at_least=sure[0], unknown=sure[1])


def settles(spot: str, stack: tuple[int, ...], sure: tuple[bool, int], lammer: bool) -> Act:
    lammers = ("button",) if lammer else ()
    return lambda game: game.settles(spot, *stack, at_least=sure[0], unknown=sure[1], lammers=lammers)


def pressed(key: Key) -> Act:
    return lambda game: game.key(key)


def told(spot: str, online: bool) -> Act:
    return lambda game: game.tray(spot, online=online)


def waited(us: int) -> Act:
    return lambda game: game.after(us)


def device(name: str, up: bool) -> Act:
    return lambda game: game.tell(
        DeviceUp(name, game.now_us) if up else DeviceDown(name, "link  lost\nat once", game.now_us)
    )


def lost(board: str, count: int) -> Act:
    return lambda game: game.tell(PressesLost(board, count, game.now_us))


def fault(spot: str) -> Act:
    def act(game: Game) -> None:
        event = StackComplete(spot, game.spots.get(spot, ()), (), (), False, game.now_us)
        game.take(failed(game.live, event, "planted", game.now_us))

    return act


def restart(_: int) -> Act:
    def act(game: Game) -> None:
        again = replayed(game.setup, game.before, game.records)
        assert again == lasting(game.live)
        game.live = again

    return act


acts = st.one_of(
    st.builds(commanded, st.sampled_from(COMMANDS), seats, amounts, st.sampled_from([0, 0, 1, 4])),
    st.builds(commanded, st.sampled_from(OFTEN), seats, amounts, st.just(0)),
    st.builds(lies, seats, stacks, flags),
    st.builds(lies, seats, stacks, st.just((False, 0))),
    st.builds(seen, seats, stacks, flags),
    st.builds(settles, st.sampled_from(SPOT), stacks, flags, st.booleans()),
    st.builds(settles, st.sampled_from(SPOT[:4]), st.just(()), st.just((False, 0)), st.just(False)),
    st.builds(pressed, st.sampled_from(KEYS)),
    st.builds(told, st.sampled_from(SPOT), st.booleans()),
    st.builds(waited, st.sampled_from([100_000, 800_000, 3_000_000, 7_000_000])),
    st.builds(device, st.sampled_from(["odd", "panel-low"]), st.booleans()),
    st.builds(lost, st.just("panel-low"), st.integers(1, 3)),
    st.builds(fault, st.sampled_from(SPOT)),
    st.builds(restart, st.just(0)),
)


def check(game: Game) -> None:
    """What holds of every state. That replaying gives it is checked with each change."""
    live = game.live
    check_conserved(live.table, parse("hand"))
    assert all(uncounted(live, seat).amount >= 0 for seat in range(1, SEATS + 1))
    for name, spot in live.spots.items():
        assert spot.waiting is None or spot.lies is not None, name
        assert spot.left <= {chip.uid for chip in spot.lies or ()}, name
    if not is_open(live.table):
        assert waiting(live, "emptied") == ()
    due_us = next_deadline_us(live)
    assert due_us is None or due_us > 0


@settings(max_examples=150)
@given(st.lists(acts, max_size=40), st.sampled_from(["roberts", "tda"]))
def test_whatever_happens_the_steps_say_all_of_it(happens: list[Act], rulebook: str) -> None:
    game = Game(four_players(rulebook=rulebook))
    for act in happens:
        act(game)
        check(game)
    assert replayed(game.setup, game.before, game.records) == lasting(game.live)


class Listening(Game):
    """Remembers what each spot has told since it last settled: that, and what a key may have ended the motion at."""

    def __init__(self) -> None:
        self.told: dict[str, list[tuple[object, ...]]] = {}
        super().__init__()

    def tell(self, event: Event) -> Change:
        if isinstance(event, StackComplete | StackSeen):
            before = [] if isinstance(event, StackComplete) else self.told.get(event.spot, [UNTOLD])
            self.told[event.spot] = [*before, (event.stack, event.strangers, event.lammers, event.at_least)]
        return super().tell(event)


UNTOLD = (None, (), (), False)


@given(st.lists(acts, max_size=25))
def test_what_a_spot_was_last_seen_to_hold_is_in_the_state(happens: list[Act]) -> None:
    game = Listening()
    for act in happens:
        act(game)
    for name, told in game.told.items():
        spot = game.live.spots.get(name, Spot())
        assert (spot.lies, spot.strangers, spot.lammers, spot.at_least) in told, name


@given(st.sampled_from(SPOT), st.lists(st.sampled_from([1, 5, 25, 100]), max_size=300), st.integers(0, 300))
def test_a_reading_of_any_size_is_told_in_full(spot: str, stack: list[int], unknown: int) -> None:
    game = Game()
    game.settles(spot, *stack, unknown=unknown)
    held = game.live.spots[spot]
    assert (held.lies, held.strangers) == (game.spots[spot], strangers(unknown))
