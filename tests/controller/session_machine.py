"""Random sessions of many hands, with players who arrive and leave, irregular actions and floor decisions.

`SessionMachine` chooses the steps at random. After each step it tests the invariants of `session_invariants` and
`session_house_invariants`.
"""

from itertools import pairwise
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from controller.config import parse_game
from controller.rules import Phase, Player
from controller.scripts import ScriptState, apply_scripted_step, visible_fields
from controller.steps import Step, format_step, hand_steps, parse_step
from controller.table import LastDeclaration, Table, apply_table_step, balances, dealer_shifts, open_table
from tests.controller import session_house_invariants as house_invariants
from tests.controller import session_invariants as invariants
from tests.controller.session_house_invariants import History
from tests.controller.session_invariants import FloorAmounts, NewPlayers, TableMoment
from tests.controller.session_steps import (
    DEALER_STEPS,
    HOUSE_OPTIONS,
    HOUSE_STEPS,
    PLAYER_STEPS,
    STRUCTURES,
    game_values,
    likely_step,
    plausible_step,
)

STEP_US = 60_000_000
MAX_UNDO_DEPTH = 40
"""Maximum number of steps that are undone at the end of a session, and then redone."""
AMOUNTS = st.integers(0, 400)
STEP_INDEXES = st.integers(0, 60)
SEATS = st.integers(1, 7)


class SessionMachine(RuleBasedStateMachine):
    """A table at which any step may be tried."""

    structures: ClassVar = STRUCTURES
    houses: ClassVar = HOUSE_OPTIONS
    """Sets of house options, one of which is added to the game of a session."""
    scene: ScriptState
    first_table: Table
    steps_done: list[tuple[Step, int]]
    shown: dict[str, Any]
    new_players: NewPlayers
    history: History
    floor_amounts: FloorAmounts

    @property
    def table(self) -> Table:
        """Return the table as it is now."""
        return self.scene.table

    @property
    def now(self) -> TableMoment:
        """Return the table and its visible fields."""
        return TableMoment(self.table, self.shown)

    @initialize(
        structure=STEP_INDEXES,
        house=STEP_INDEXES,
        other=st.sampled_from(STRUCTURES),
        rulebook=st.sampled_from(("roberts", "tda")),
        stacks=st.lists(st.one_of(st.integers(1, 300), st.integers(1, 20)), min_size=2, max_size=6),
        button=SEATS,
    )
    def open_table_with_players(
        self,
        structure: int,
        house: int,
        other: dict[str, Any],
        rulebook: str,
        stacks: list[int],
        button: int,
    ) -> None:
        parts = self.structures[structure % len(self.structures)], self.houses[house % len(self.houses)]
        games = {
            "main": parse_game(game_values(*parts, rulebook)),
            "other": parse_game({"rulebook": rulebook, **other}),
        }
        players = {seat: Player(name=f"p{seat}", stack=stack) for seat, stack in enumerate(stacks, 1)}
        self.first_table = open_table(games, button, players)
        self.scene, self.steps_done = ScriptState(self.first_table), []
        self.shown = visible_fields(self.table)
        self.new_players, self.history, self.floor_amounts = NewPlayers(), History(), FloorAmounts()

    def do(self, line: str) -> None:
        """Try one step, and test the invariants that apply to every step."""
        step = parse_step(line)
        assert parse_step(format_step(step)) == step
        before, at_us = self.scene, STEP_US * (len(self.steps_done) + 1)
        after, outcome = apply_scripted_step(before, step, at_us)
        assert apply_scripted_step(before, step, at_us) == (after, outcome), (
            "the same step at the same table gave two outcomes"
        )
        if outcome.refusal is not None:
            assert outcome.table == before.table, f"{line} was refused, but changed the table"
            return
        earlier = self.now
        self.scene = after
        self.steps_done.append((step, at_us))
        self.shown = visible_fields(self.table, None, outcome.warning_codes)
        self._check_step(step, before, earlier)
        if not isinstance(step, hand_steps.Undoes | hand_steps.Redoes):
            self._check_undo(before.table, line)

    def _check_step(self, step: Step, before: ScriptState, earlier: TableMoment) -> None:
        """Verify that the accepted step changed only what its rules allow."""
        at_us = self.steps_done[-1][1]

        def try_instead(other: Step) -> TableMoment:
            scene, outcome = apply_scripted_step(before, other, at_us)
            return TableMoment(scene.table, visible_fields(scene.table, outcome.refusal, outcome.warning_codes))

        for check in invariants.CHECKS:
            check(step, earlier, self.now)
        invariants.check_bare_amount_is_a_bet(step, earlier, self.now, try_instead)
        invariants.check_no_entry_between_blinds(step, self.new_players, self.now)
        invariants.check_dead_small_blind(step, self.now)
        for house_check in house_invariants.CHECKS:
            house_check(step, self.history, earlier, self.now)
        self.new_players = self.new_players.after(step, self.table)
        self.history = self.history.after(step, earlier, self.now)
        self.floor_amounts = self.floor_amounts.after(step, self.table)

    def _check_undo(self, before: Table, line: str) -> None:
        """Verify that undo restores the table from before the step, and that redo applies the step again.

        A step that changed nothing is not tested here, because it adds no entry to the undo history.
        """
        table, undo_count = self.table, len(self.table.undo_stack) - len(before.undo_stack)
        if undo_count <= 0:
            return
        for _ in range(undo_count):
            table = apply_table_step(table, hand_steps.Undoes()).table
        assert without_undo_history(table) == without_undo_history(
            before._replace(offline_seat_sensors=table.offline_seat_sensors)
        ), f"undo of {line}"
        for _ in range(undo_count):
            table = apply_table_step(table, hand_steps.Redoes()).table
        assert table == self.table, f"redo of {line}"
        assert not table.redo_stack, f"{line} leaves a redo"

    # --- steps ---

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_likely_step(self, pick: int, amount: int, seat: int) -> None:
        self.do(likely_step(self.table, self.shown, pick, amount, seat))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_another_likely_step(self, pick: int, amount: int, seat: int) -> None:
        self.do(likely_step(self.table, self.shown, pick, amount, seat))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_plausible_step(self, pick: int, amount: int, seat: int) -> None:
        self.do(plausible_step(self.table, self.shown, pick, amount, seat))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_player_step(self, pick: int, amount: int, seat: int) -> None:
        self.do(PLAYER_STEPS[pick % len(PLAYER_STEPS)].format(s=seat, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_step_in_turn(self, pick: int, amount: int, seat: int) -> None:
        turn = self.shown["turn"] or seat
        self.do(PLAYER_STEPS[pick % len(PLAYER_STEPS)].format(s=turn, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_dealer_step(self, pick: int, amount: int, seat: int) -> None:
        step_format = DEALER_STEPS[pick % len(DEALER_STEPS)]
        self.do(step_format.format(s=seat, a=amount + 1, b=amount % 26 + 1, t=(seat + amount) % 7 + 1))

    @rule(pick=STEP_INDEXES, amount=AMOUNTS, seat=SEATS)
    def take_house_step(self, pick: int, amount: int, seat: int) -> None:
        step_format = HOUSE_STEPS[pick % len(HOUSE_STEPS)]
        self.do(step_format.format(s=seat, a=amount + 1, b=amount % 26 + 1, t=(seat + amount) % 7 + 1))

    # --- invariants ---

    @invariant()
    def chips_are_conserved(self) -> None:
        shown = self.shown
        if None in shown["stacks"].values():
            return
        chips = sum(shown["stacks"].values()) + shown["pot"] + sum(shown["accounts"].values())
        assert chips == self.table.bought_in_total, (
            f"{chips} chips are on the table, but {self.table.bought_in_total} were bought in"
        )

    @invariant()
    def accounts_add_up(self) -> None:
        table = self.table
        assert sum(session.bought_in - session.cashed_out for session in table.seat_sessions) == table.bought_in_total
        assert {session.seat for session in table.seat_sessions if session.seat} == table.players.keys()
        shift_totals = [
            sum(account) for account in zip(*(shift.accounts for shift in dealer_shifts(table)), strict=True)
        ]
        assert shift_totals == list(table.accounts) or not any(table.accounts)
        transfers = [shift.cage_transfers for shift in dealer_shifts(table)]
        assert [sum(totals) for totals in zip((0, 0), *transfers, strict=True)] == list(table.cage_transfers)
        assert not table.is_closed or not table.players

    @invariant()
    def amounts_hold(self) -> None:
        invariants.check_pots_sum(self.now)
        if not self.floor_amounts.amounts:
            invariants.check_whole_units(self.now)
            invariants.check_opening_bet(self.now)
        invariants.check_all_in(self.now)
        invariants.check_no_check_raise(self.now)

    @invariant()
    def one_seat_is_to_act_while_open(self) -> None:
        shown, hand = self.shown, self.table.hand
        if hand is None or not self.table.is_hand_in_progress:
            assert not shown["open"] and shown["turn"] is None and shown["pot"] == 0
            return
        waits_for_opener = hand.phase in (Phase.BRING_IN, Phase.FIRST_TO_ACT)
        if shown["turn"] is None:
            assert not shown["open"] or waits_for_opener or shown["owes"], "the round is open, but no seat is in turn"
        else:
            assert shown["open"] and not waits_for_opener
            assert shown["turn"] in hand.active_seats and shown["turn"] not in shown["folded"]
        assert (hand.phase is Phase.BETTING) == bool(hand.turn)
        assert not hand.turn or hand.turn in hand.seats_to_act

    @invariant()
    def bounds_are_consistent(self) -> None:
        shown = self.shown
        min_total, max_total, turn, may = shown["min_raise_to"], shown["max_raise_to"], shown["turn"], shown["may"]
        if turn is None:
            assert (min_total, max_total, shown["to_call"], may) == (None, None, None, [])
            return
        assert "fold" in may and may == sorted(may)
        assert ("check" in may) + ("call" in may) <= 1
        assert ("check" in may) == (shown["to_call"] == 0) or self.table.hand is None
        raises = invariants.RAISES & set(may)
        assert len(raises) <= 1
        if min_total is not None:
            assert raises, "raise limits are shown without the right to raise"
            stack = shown["stacks"].get(str(turn), 0)
            if stack is not None:
                assert self.table.hand is not None
                assert min_total <= max_total <= self.table.hand.bets[turn] + stack
        else:
            assert max_total is None

    @invariant()
    def nobody_pays_more_than_it_has(self) -> None:
        hand = self.table.hand
        if hand is None or not self.table.is_hand_in_progress:
            return
        for seat in hand.dealt_seats:
            assert seat in hand.unknown_stacks or hand.stacks[seat] >= 0, f"seat {seat} has {hand.stacks[seat]}"
        for seat, debt in enumerate(balances.owed_by_seat(self.table)):
            assert debt == 0 or seat in hand.dealt_seats

    @invariant()
    def nobody_raises_without_the_right(self) -> None:
        hand = self.table.hand
        if (
            hand is None
            or not self.table.is_hand_in_progress
            or not hand.turn
            or hand.game.variant_rules.opener_by_cards
        ):
            return
        may_raise = invariants.has_right_to_raise(hand, hand.turn)
        if may_raise is not None:
            assert may_raise or invariants.RAISES.isdisjoint(self.shown["may"]), (
                "the seat may raise although the betting is not reopened for it"
            )

    def teardown(self) -> None:
        """Verify that the accepted steps give the same table again when they are applied from the start."""
        if not hasattr(self, "first_table"):
            return
        scene = ScriptState(self.first_table)
        for step, at_us in self.steps_done:
            scene, _ = apply_scripted_step(scene, step, at_us)
        assert scene == self.scene
        self._check_many_undos()

    def _check_many_undos(self) -> None:
        """Undo up to `MAX_UNDO_DEPTH` steps across hands, and then redo these steps.

        Verify that each redo gives the table from before the undo of its step.
        """
        tables = [self.table]
        while tables[-1].undo_stack and len(tables) <= MAX_UNDO_DEPTH:
            tables.append(apply_table_step(tables[-1], hand_steps.Undoes()).table)
        for before, after in pairwise(reversed(tables)):
            assert apply_table_step(before, hand_steps.Redoes()).table == after


def without_undo_history(table: Table) -> Table:
    """Return the table without the fields that undo does not restore: undo history, last declaration and time."""
    return table._replace(undo_stack=(), redo_stack=(), last_declaration=LastDeclaration(), elapsed_minutes=0)
