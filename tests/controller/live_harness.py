"""A live table in simulated time that receives readings of chips, keys of the dealer, and commands of screens.

After every change, the harness verifies that a replay of the recorded steps gives the same state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from controller.live import (
    Live,
    TableSetup,
    Transition,
    apply_step,
    derived_state,
    handle_command,
    handle_event,
    next_deadline_us,
    tick,
    without_transient,
)
from controller.rules import Game as Rules
from controller.rules import Phase, Player, Refusal, Structure
from controller.steps import Step, StepSource, format_step, parse_step
from controller.table import IntendedAction, Table, balances, open_table
from hardware.events import (
    Chip,
    Event,
    Key,
    KeyPressed,
    SeatPressed,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
)
from hardware.spots import bet_spot

MOTION_GAP_US = 1_200_000
"""Time in µs after which chips that did not change on a spot count as settled."""
SHORT_DELAY_US = 250_000
UNKNOWN_TAG = "E0FF{:012X}"
STACKS = (1000, 1000, 1000, 1000)
NAMES = ("ann", "ben", "cho", "dev")


def four_players(
    structure: Structure = "no-limit", *, rulebook: str = "roberts", seats: Sequence[int] = (1, 2, 3, 4)
) -> Table:
    """Return a table with four seats, stacks of 1000, blinds of 5 and 10, and the button at the first seat."""
    rules = Rules(structure=structure, rulebook="tda" if rulebook == "tda" else "roberts", blinds=(5, 10))
    players = {seat: Player(name=name, stack=stack) for seat, name, stack in zip(seats, NAMES, STACKS, strict=True)}
    return open_table({"main": rules}, seats[0], players)


def replay(setup: TableSetup, table: Table, records: list[tuple[str, StepSource, int]]) -> Live:
    """Return the live state after these recorded steps were applied to the table."""
    live = Live(setup, table)
    for do, source, at_us in records:
        live, outcome = apply_step(live, parse_step(do), source, at_us)
        assert outcome.refusal is None, (do, outcome.refusal)
    return live


class LiveHarness:
    """A live table, its clock, and the chips that each spot shows.

    After every change, the harness applies all recorded steps to a new state, which must equal the live state.
    """

    def __init__(self, table: Table | None = None, *, trays: bool = True, hand: bool = True) -> None:
        self.setup = TableSetup(has_sensors=trays, readers=frozenset({"odd"}))
        self.before = table or four_players()
        self.live = Live(self.setup, self.before)
        self.records: list[tuple[str, StepSource, int]] = []
        self.change_lines: list[list[str]] = []
        self.now_us = 10_000_000
        self.spots: dict[str, tuple[Chip, ...]] = {}
        self._serial = count(1)
        self._replayed = self.live
        if hand:
            self.do("hand")
            if trays:
                self.place_chips(2, 5)
                self.place_chips(3, 5, 5)

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def record_lines(self) -> list[str]:
        return [do for do, _, _ in self.records]

    # --- events, commands and time ---

    def apply(self, change: Transition) -> Transition:
        """Record the steps of a change, and replay them.

        Raise AssertionError if the state after the replay differs from the state after the change.
        """
        if change.steps:
            self.change_lines.append([format_step(step) for step, _ in change.steps])
        for step, source in change.steps:
            self.records.append((format_step(step), source, self.now_us))
            self._replayed, _ = apply_step(self._replayed, parse_step(format_step(step)), source, self.now_us)
        assert without_transient(change.live) == without_transient(self._replayed), (
            "the live state differs from the replayed state: a change was not recorded as a step"
        )
        self.live = change.live
        return change

    def send_event(self, event: Event) -> Transition:
        return self.apply(handle_event(self.live, event, self.now_us))

    def command(self, do: str, shown: int | None = None) -> Refusal | None:
        """Send a command from the screen. Return the refusal, or None if the command was accepted."""
        step = parse_step(do)
        source: StepSource = "floor" if step.verb.owner == "floor" else "dealer"
        return self.apply(handle_command(self.live, step, self.now_us, source=source, shown_turn=shown)).refusal

    def do(self, *commands: str) -> Live:
        for do in commands:
            refused = self.command(do)
            assert refused is None, (do, refused)
        return self.live

    def press_key(self, key: Key) -> Live:
        self.send_event(KeyPressed(key, self.now_us))
        return self.live

    def press_seat(self, seat: int) -> Live:
        self.send_event(SeatPressed(seat, self.now_us))
        return self.live

    def set_tray(self, spot: str, *, online: bool) -> Live:
        self.send_event(SpotOnline(spot, self.now_us) if online else SpotOffline(spot, "timeout", self.now_us))
        return self.live

    def advance(self, us: int) -> Live:
        """Let this many microseconds pass, and handle each deadline at its time."""
        end_us = self.now_us + us
        while (due_us := next_deadline_us(self.live)) is not None and due_us <= end_us:
            self.now_us = max(self.now_us, due_us)
            self.apply(tick(self.live, self.now_us))
        self.now_us = end_us
        self.apply(tick(self.live, self.now_us))
        return self.live

    # --- chips ---

    def chips_for(self, spot: str, amounts: tuple[int, ...]) -> tuple[Chip, ...]:
        """Return chips of these amounts for the spot.

        Reuse chips that are already on the spot if their denominations fit. Add new chips for the remaining amounts.
        """
        wanted = Counter(amounts)
        chips = []
        for chip in self.spots.get(spot, ()):
            if wanted[chip.denomination]:
                wanted[chip.denomination] -= 1
                chips.append(chip)
        chips += [Chip(f"E004{next(self._serial):012X}", amount) for amount in wanted.elements()]
        return tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))

    def show_provisional(self, seat: int, *amounts: int, at_least: bool = False, unknown: int = 0) -> Live:
        """Report chips on the bet spot of the seat that may still move, which is called a provisional stack."""
        spot = bet_spot(seat)
        self.spots[spot] = self.chips_for(spot, amounts)
        self.send_event(StackProvisional(spot, self.spots[spot], unknown_tags(unknown), (), at_least, self.now_us))
        return self.live

    def show_settled(
        self, spot: str, *amounts: int, at_least: bool = False, unknown: int = 0, lammers: tuple[str, ...] = ()
    ) -> Transition:
        """Report that chips of these amounts lie still on the spot, which is called a settled stack."""
        self.spots[spot] = self.chips_for(spot, amounts)
        return self.send_event(
            StackSettled(spot, self.spots[spot], unknown_tags(unknown), lammers, at_least, self.now_us)
        )

    def place_chips(self, seat: int, *amounts: int, at_least: bool = False, unknown: int = 0) -> Live:
        """Let exactly chips of these amounts lie on the bet spot of the seat.

        The spot first shows them as a provisional stack, which may still change, and after `MOTION_GAP_US` as a settled
        stack.
        """
        self.show_provisional(seat, *amounts, at_least=at_least, unknown=unknown)
        self.advance(MOTION_GAP_US)
        self.show_settled(bet_spot(seat), *amounts, at_least=at_least, unknown=unknown)
        return self.live

    def clear_spot(self, seat: int) -> Live:
        self.show_settled(bet_spot(seat))
        return self.live


# --- values read from a table ---


def bet(game: LiveHarness, seat: int) -> int:
    return balances.counted_bet(game.table, seat)


def turn(game: LiveHarness) -> int:
    return game.table.hand.turn if game.table.hand is not None and game.table.is_hand_in_progress else 0


def phase(game: LiveHarness) -> Phase:
    assert game.table.hand is not None
    return game.table.hand.phase


def betting_round(game: LiveHarness) -> int:
    return game.table.hand.round_number if game.table.hand is not None else 0


def money_and_turn(table: Table) -> tuple[object, ...]:
    """Return the pot, the seat in turn, and the bets and stacks by seat."""
    hand = table.hand
    seats = sorted(table.players)
    return (
        balances.announced_pot(table),
        hand and hand.turn,
        [(balances.counted_bet(table, seat), balances.stack_behind(table, seat)) for seat in seats],
    )


def warning_codes(game: LiveHarness) -> tuple[str, ...]:
    last_warnings = game.live.last_warnings
    codes = sorted({warning.code for warning in last_warnings.warnings})
    return (*codes, *(("key-too-late",) if last_warnings.late_key_seat else ()))


def held_action(game: LiveHarness, seat: int) -> IntendedAction | None:
    held = game.table.street.held_actions.get(seat)
    return held.intended if held is not None else None


def pending_questions(live: Live) -> set[str]:
    """Return the kinds of the questions that the dealer must answer. The result does not show the seats."""
    kinds = {kind for kind in ("doubt", "between", "deferred") if derived_state.pending_seats_for(live, kind)}
    return kinds | ({"sweep"} if derived_state.swept_seats(live) else set())


# --- situations in a hand ---


def out_of_turn_call() -> LiveHarness:
    """Return a hand in which seat 2 has called before its turn, while seat 4 is in turn.

    Seats 4 and 1 must act before seat 2, but the dealer has entered no action for seats 4 and 1.
    """
    game = LiveHarness()
    game.place_chips(2, 5, 5)
    return game


def two_callers() -> LiveHarness:
    """Return a hand in which seats 4, 1 and 2 have called. Seat 3, the big blind, may still check or raise."""
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.place_chips(1, 5, 5)
    game.place_chips(2, 5, 5)
    return game


def closed_round() -> LiveHarness:
    """Return a hand after the first betting round. The bets are swept, and the flop is not dealt yet."""
    game = two_callers()
    game.do("3 check")
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
    return game


def late_blind() -> LiveHarness:
    """Return a hand in which the big blind of seat 3 was read before the small blind of seat 2.

    All spots were read as empty first. Seat 4 has folded. The chips of the big blind have settled, but those of the
    small blind may still move.
    """
    game = LiveHarness(trays=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.show_settled("bet3", 5, 5)
    game.do("4 fold")
    game.show_provisional(2, 5)
    return game


def unknown_tags(number: int) -> tuple[str, ...]:
    """Return UIDs of tags that do not belong to this house."""
    return tuple(UNKNOWN_TAG.format(index) for index in range(number))


def steps_of(change: Transition) -> list[Step]:
    return [recorded.step for recorded in change.steps]
