"""Whole sessions at a table, made up step by step: many hands, players who come and go, irregular actions, the floor.

`Session` draws what happens and checks after every step what must hold at any table (`session_oracles`).
"""

from itertools import pairwise
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from controller.config import make_game
from controller.rules import Phase, Player
from controller.scripts import Scene, happens, seen
from controller.table import LastWords, Redoes, Step, Table, Undoes, line, open_table, owes, parse, shifts_now, step
from tests.controller import session_house_oracles as house_oracles
from tests.controller import session_oracles as oracles
from tests.controller.session_deeds import DEALER, HOUSE, HOUSES, PEOPLE, STRUCTURES, fitting, game_values, natural
from tests.controller.session_house_oracles import History
from tests.controller.session_oracles import Comings, Moment, Tampered

STEP_US = 60_000_000
FAR = 40
"""Undos in a row, of which all are done again at the end of a session."""
AMOUNTS = st.integers(0, 400)
PICKS = st.integers(0, 60)
SEATS = st.integers(1, 7)


class Session(RuleBasedStateMachine):
    """A table at which anything may happen."""

    structures: ClassVar = STRUCTURES
    houses: ClassVar = HOUSES
    """What games are put together of."""
    scene: Scene
    first: Table
    done: list[tuple[Step, int]]
    shown: dict[str, Any]
    came: Comings
    past: History
    tampered: Tampered

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.scene.table

    @property
    def now(self) -> Moment:
        """The table and what is seen of it."""
        return Moment(self.table, self.shown)

    @initialize(
        structure=PICKS,
        house=PICKS,
        other=st.sampled_from(STRUCTURES),
        rulebook=st.sampled_from(("roberts", "tda")),
        stacks=st.lists(st.one_of(st.integers(1, 300), st.integers(1, 20)), min_size=2, max_size=6),
        button=SEATS,
    )
    def sits_down(
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
            "main": make_game(game_values(*parts, rulebook)),
            "other": make_game({"rulebook": rulebook, **other}),
        }
        players = {seat: Player(name=f"p{seat}", stack=stack) for seat, stack in enumerate(stacks, 1)}
        self.first = open_table(games, button, players)
        self.scene, self.done = Scene(self.first), []
        self.shown = seen(self.table)
        self.came, self.past, self.tampered = Comings(), History(), Tampered()

    def do(self, said: str) -> None:
        """One step, and what must hold for any step."""
        what = parse(said)
        assert parse(line(what)) == what
        before, at_us = self.scene, STEP_US * (len(self.done) + 1)
        after, outcome = happens(before, what, at_us)
        assert happens(before, what, at_us) == (after, outcome), "the same step at the same table had another outcome"
        if outcome.refused is not None:
            assert outcome.table == before.table, f"{said} was refused and changed something"
            return
        was = self.now
        self.scene = after
        self.done.append((what, at_us))
        self.shown = seen(self.table, None, outcome.warnings)
        self._checked(what, before, was)
        if not isinstance(what, Undoes | Redoes):
            self._undone(before.table, said)

    def _checked(self, what: Step, before: Scene, was: Moment) -> None:
        """What the step was allowed to change."""
        at_us = self.done[-1][1]

        def instead(other: Step) -> Moment:
            scene, outcome = happens(before, other, at_us)
            return Moment(scene.table, seen(scene.table, outcome.refused, outcome.warnings))

        for holds in oracles.AFTER:
            holds(what, was, self.now)
        oracles.an_amount_alone_opens_as_a_bet(what, was, self.now, instead)
        oracles.nobody_comes_in_between(what, self.came, self.now)
        oracles.a_dead_small_blind_is_no_bet(what, self.now)
        for house in house_oracles.HOUSE:
            house(what, self.past, was, self.now)
        self.came = self.came.after(what, self.table)
        self.past = self.past.after(what, was, self.now)
        self.tampered = self.tampered.after(what, self.table)

    def _undone(self, before: Table, said: str) -> None:
        """Undo goes back exactly, or the step changed nothing; redo does it again."""
        table, more = self.table, len(self.table.past) - len(before.past)
        if more <= 0:
            return
        for _ in range(more):
            table = step(table, Undoes()).table
        assert as_it_was(table) == as_it_was(before._replace(offline=table.offline)), f"undo of {said}"
        for _ in range(more):
            table = step(table, Redoes()).table
        assert table == self.table, f"redo of {said}"
        assert not table.future, f"{said} leaves something to be done again"

    # --- what happens ---

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def goes_on(self, pick: int, amount: int, seat: int) -> None:
        self.do(natural(self.table, self.shown, pick, amount, seat))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def goes_on_again(self, pick: int, amount: int, seat: int) -> None:
        self.do(natural(self.table, self.shown, pick, amount, seat))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def something_else_fits(self, pick: int, amount: int, seat: int) -> None:
        self.do(fitting(self.table, self.shown, pick, amount, seat))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def somebody_does_something(self, pick: int, amount: int, seat: int) -> None:
        self.do(PEOPLE[pick % len(PEOPLE)].format(s=seat, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def in_turn_in_another_way(self, pick: int, amount: int, seat: int) -> None:
        turn = self.shown["turn"] or seat
        self.do(PEOPLE[pick % len(PEOPLE)].format(s=turn, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def the_dealer_does_something(self, pick: int, amount: int, seat: int) -> None:
        what = DEALER[pick % len(DEALER)]
        self.do(what.format(s=seat, a=amount + 1, b=amount % 26 + 1, t=(seat + amount) % 7 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def players_come_and_go(self, pick: int, amount: int, seat: int) -> None:
        what = HOUSE[pick % len(HOUSE)]
        self.do(what.format(s=seat, a=amount + 1, b=amount % 26 + 1, t=(seat + amount) % 7 + 1))

    # --- what must hold ---

    @invariant()
    def chips_are_conserved(self) -> None:
        shown = self.shown
        if None in shown["stacks"].values():
            return
        held = sum(shown["stacks"].values()) + shown["pot"] + sum(shown["accounts"].values())
        assert held == self.table.bought, f"{held} chips, {self.table.bought} were bought in"

    @invariant()
    def accounts_add_up(self) -> None:
        table = self.table
        assert sum(stay.bought - stay.cashed for stay in table.stays) == table.bought
        assert {stay.seat for stay in table.stays if stay.seat} == table.players.keys()
        came = [sum(account) for account in zip(*(shift.accounts for shift in shifts_now(table)), strict=True)]
        assert came == list(table.accounts) or not any(table.accounts)
        assert not table.closed or not table.players

    @invariant()
    def amounts_hold(self) -> None:
        oracles.pots_make_up_the_pot(self.now)
        if not self.tampered.amounts:
            oracles.whole_units_play(self.now)
            oracles.a_round_is_opened_for_what_the_house_says(self.now)
        oracles.all_in_is_all_that_plays(self.now)
        oracles.who_has_checked_does_not_raise(self.now)

    @invariant()
    def one_seat_is_to_act_while_open(self) -> None:
        shown, hand = self.shown, self.table.hand
        if hand is None or not self.table.playing:
            assert not shown["open"] and shown["turn"] is None and shown["pot"] == 0
            return
        named = hand.phase in (Phase.BRING_IN, Phase.FIRST)
        if shown["turn"] is None:
            assert not shown["open"] or named or shown["owes"], "open, and nobody has the turn"
        else:
            assert shown["open"] and not named
            assert shown["turn"] in hand.active and shown["turn"] not in shown["folded"]
        assert (hand.phase is Phase.BETTING) == bool(hand.turn)
        assert not hand.turn or hand.turn in hand.pending

    @invariant()
    def bounds_are_consistent(self) -> None:
        shown = self.shown
        least, most, turn, may = shown["min_raise_to"], shown["max_raise_to"], shown["turn"], shown["may"]
        if turn is None:
            assert (least, most, shown["to_call"], may) == (None, None, None, [])
            return
        assert "fold" in may and may == sorted(may)
        assert ("check" in may) + ("call" in may) <= 1
        assert ("check" in may) == (shown["to_call"] == 0) or self.table.hand is None
        raises = oracles.RAISES & set(may)
        assert len(raises) <= 1
        if least is not None:
            assert raises, "bounds, and no right to raise"
            stack = shown["stacks"].get(str(turn), 0)
            if stack is not None:
                assert self.table.hand is not None
                assert least <= most <= self.table.hand.bets[turn] + stack
        else:
            assert most is None

    @invariant()
    def nobody_pays_more_than_it_has(self) -> None:
        hand = self.table.hand
        if hand is None or not self.table.playing:
            return
        for seat in hand.order:
            assert seat in hand.unknown or hand.stacks[seat] >= 0, f"seat {seat} has {hand.stacks[seat]}"
        for seat, debt in enumerate(owes(self.table)):
            assert debt == 0 or seat in hand.order

    @invariant()
    def nobody_raises_without_the_right(self) -> None:
        hand = self.table.hand
        if hand is None or not self.table.playing or not hand.turn or hand.game.kind.by_board:
            return
        right = oracles.right_to_raise(hand, hand.turn)
        if right is not None:
            assert right or oracles.RAISES.isdisjoint(self.shown["may"]), "raises without the right"

    def teardown(self) -> None:
        """The accepted steps, played again from the start, give the same table."""
        if not hasattr(self, "first"):
            return
        scene = Scene(self.first)
        for what, at_us in self.done:
            scene, _ = happens(scene, what, at_us)
        assert scene == self.scene
        self._far_back_and_forth()

    def _far_back_and_forth(self) -> None:
        """As many redos as undos give the same table, bit for bit, whatever hands lie between."""
        tables = [self.table]
        while tables[-1].past and len(tables) <= FAR:
            tables.append(step(tables[-1], Undoes()).table)
        for before, after in pairwise(reversed(tables)):
            assert step(before, Redoes()).table == after


def as_it_was(table: Table) -> Table:
    """The table without what undo keeps for itself, and with its time, which undo does not turn back."""
    return table._replace(past=(), future=(), joins=LastWords(), minutes=0)
