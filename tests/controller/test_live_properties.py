"""After random events from readers, keys and screens, the recorded steps give the same state, and no chip is lost."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import (
    Spot,
    Transition,
    derived_state,
    handle_program_error,
    next_deadline_us,
    without_transient,
)
from controller.live.hypotheses import withdrawn_protector
from controller.rules import MAX_SEATS
from controller.steps import parse_step
from controller.table import balances, require_chips_conserved
from hardware.events import KEYS, DeviceDown, DeviceUp, Event, Key, PressesLost, StackProvisional, StackSettled
from tests.controller.live_harness import LiveHarness, four_players, replay, unknown_tags

Act = Callable[[LiveHarness], object]
SPOT = ("bet1", "bet2", "bet3", "bet4", "bet5", "pot", "tray")
COMMANDS = (
    "{seat} fold", "{seat} check", "{seat} call", "{seat} bet {amount}", "{seat} raise to {amount}", "{seat} all-in",
    "{seat} says raise", "{seat} says call", "{seat} said raise", "{seat} time", "{seat} post", "{seat} away",
    "{seat} back", "{seat} sit {amount}", "{seat} leave", "{seat} add {amount}", "{seat} stack {amount}",
    "return {seat}", "here {seat}", "out-of-turn {seat}", "acts-now {seat}", "change {seat} {amount}",
    "unplug {seat}", "plug {seat}", "floor bind {seat}", "floor release {seat}", "floor dead {seat}",
    "floor bet {seat} {amount}", "floor turn {seat}", "floor pot {amount}", "award main {seat}", "award side1 {seat}",
    "deal", "deal closing", "hand", "void", "undo", "call-floor", "call-floor fill",
    "floor-answers ann", "floor-came", "fill {amount}", "credit {amount}", "restart-checked", "records-checked",
)  # fmt: skip
FREQUENT_COMMANDS = ("hand", "deal", "{seat} call", "{seat} check", "{seat} fold", "award main {seat}")

seats = st.integers(1, 5)
amounts = st.sampled_from([5, 10, 20, 25, 50, 100])
stacks = st.lists(st.sampled_from([1, 5, 5, 25, 100]), max_size=5).map(tuple)
flags = st.sampled_from([(False, 0), (False, 0), (False, 0), (True, 0), (False, 1)])


def send_command(line_format: str, seat: int, amount: int, shown: int) -> Act:
    return lambda game: game.command(line_format.format(seat=seat, amount=amount), shown or None)


def place(seat: int, stack: tuple[int, ...], sure: tuple[bool, int]) -> Act:
    return lambda game: game.place_chips(seat, *stack, at_least=sure[0], unknown=sure[1])


def show_provisional(seat: int, stack: tuple[int, ...], sure: tuple[bool, int]) -> Act:
    return lambda game: game.show_provisional(seat, *stack, at_least=sure[0], unknown=sure[1])


def show_settled(spot: str, stack: tuple[int, ...], sure: tuple[bool, int], lammer: bool) -> Act:
    lammers = ("button",) if lammer else ()
    return lambda game: game.show_settled(spot, *stack, at_least=sure[0], unknown=sure[1], lammers=lammers)


def press(key: Key) -> Act:
    return lambda game: game.press_key(key)


def tray_event(spot: str, online: bool) -> Act:
    return lambda game: game.set_tray(spot, online=online)


def wait(us: int) -> Act:
    return lambda game: game.advance(us)


def device(name: str, up: bool) -> Act:
    return lambda game: game.send_event(
        DeviceUp(name, game.now_us) if up else DeviceDown(name, "link  lost\nat once", game.now_us)
    )


def lose_presses(board: str, count: int) -> Act:
    return lambda game: game.send_event(PressesLost(board, count, game.now_us))


def report_program_error(spot: str) -> Act:
    def act(game: LiveHarness) -> None:
        event = StackSettled(spot, game.spots.get(spot, ()), (), (), False, game.now_us)
        game.apply(handle_program_error(game.live, event, "planted", game.now_us))

    return act


def restart(_: int) -> Act:
    def act(game: LiveHarness) -> None:
        replayed = replay(game.setup, game.before, game.records)
        assert without_transient(replayed) == without_transient(game.live)
        game.live = replayed

    return act


acts = st.one_of(
    st.builds(send_command, st.sampled_from(COMMANDS), seats, amounts, st.sampled_from([0, 0, 1, 4])),
    st.builds(send_command, st.sampled_from(FREQUENT_COMMANDS), seats, amounts, st.just(0)),
    st.builds(place, seats, stacks, flags),
    st.builds(place, seats, stacks, st.just((False, 0))),
    st.builds(show_provisional, seats, stacks, flags),
    st.builds(show_settled, st.sampled_from(SPOT), stacks, flags, st.booleans()),
    st.builds(show_settled, st.sampled_from(SPOT[:4]), st.just(()), st.just((False, 0)), st.just(False)),
    st.builds(press, st.sampled_from(KEYS)),
    st.builds(tray_event, st.sampled_from(SPOT), st.booleans()),
    st.builds(wait, st.sampled_from([100_000, 800_000, 3_000_000, 7_000_000])),
    st.builds(device, st.sampled_from(["odd", "panel-low"]), st.booleans()),
    st.builds(lose_presses, st.just("panel-low"), st.integers(1, 3)),
    st.builds(report_program_error, st.sampled_from(SPOT)),
    st.builds(restart, st.just(0)),
)


def check(game: LiveHarness) -> None:
    """Verify what must be true of every live state. The harness also compares the state with a replay."""
    live = game.live
    require_chips_conserved(live.table, parse_step("hand"))
    assert all(derived_state.uncounted_chips(live, seat).amount >= 0 for seat in range(1, MAX_SEATS + 1))
    for name, spot in live.spots.items():
        assert spot.pending is None or spot.on_spot is not None, name
        assert spot.ignored <= {chip.uid for chip in spot.on_spot or ()}, name
    if not balances.is_round_open(live.table):
        protector = withdrawn_protector(live)
        seats = () if protector is None else (protector.seat,)
        assert derived_state.pending_seats_for(live, "emptied") == seats
    due_us = next_deadline_us(live)
    assert due_us is None or due_us > 0


@settings(max_examples=150)
@given(st.lists(acts, max_size=40), st.sampled_from(["roberts", "tda"]))
def test_recorded_steps_reproduce_the_state_after_any_events(actions: list[Act], rulebook: str) -> None:
    game = LiveHarness(four_players(rulebook=rulebook))
    for act in actions:
        act(game)
        check(game)
    assert without_transient(replay(game.setup, game.before, game.records)) == without_transient(game.live)


class RecordingHarness(LiveHarness):
    """Harness that keeps the readings of every spot since its chips last settled.

    A key of the dealer may have ended the current motion of chips at any of these readings. If the chips had left by
    then, the spot counts as empty until its next stack settles, and has the unknown tags of the settled stack before.
    """

    def __init__(self) -> None:
        self.readings: dict[str, list[tuple[object, ...]]] = {}
        super().__init__()

    def send_event(self, event: Event) -> Transition:
        if isinstance(event, StackSettled | StackProvisional):
            before = [] if isinstance(event, StackSettled) else self.readings.get(event.spot, [NOT_READ])
            self.readings[event.spot] = [*before, (event.stack, event.unknown_tags, event.lammers, event.at_least)]
            if before and not event.stack:
                self.readings[event.spot].append(((), *before[0][1:]))
        return super().send_event(event)


NOT_READ = (None, (), (), False)


@given(st.lists(acts, max_size=25))
def test_state_holds_the_last_reading_of_every_spot(actions: list[Act]) -> None:
    game = RecordingHarness()
    for act in actions:
        act(game)
    for name, readings in game.readings.items():
        spot = game.live.spots.get(name, Spot())
        assert (spot.on_spot, spot.unknown_tags, spot.lammers, spot.at_least) in readings, name


@given(st.sampled_from(SPOT), st.lists(st.sampled_from([1, 5, 25, 100]), max_size=300), st.integers(0, 300))
def test_reading_of_any_size_is_recorded_in_full(spot: str, stack: list[int], unknown: int) -> None:
    game = LiveHarness()
    game.show_settled(spot, *stack, unknown=unknown)
    held = game.live.spots[spot]
    assert (held.on_spot, held.unknown_tags) == (game.spots[spot], unknown_tags(unknown))
