"""Whole sessions at a table, made up step by step: many hands, players who come and go, irregular actions, the floor.

`Session` draws what happens and checks after every step what must hold at any table, from what is seen and from the
log of the round, not from the functions that it checks.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from controller.config import make_game
from controller.rules import BIG_BET, Act, Hand, Phase, Player, Verb
from controller.scripts import Scene, happens, seen
from controller.table import LastWords, Step, Table, Undoes, line, open_table, owes, parse, step

STEP_US = 60_000_000
AMOUNTS = st.integers(0, 400)
PICKS = st.integers(0, 60)
SEATS = st.integers(1, 7)

STRUCTURES: tuple[dict[str, Any], ...] = (
    {"structure": "no-limit", "blinds": [1, 2]},
    {"structure": "no-limit", "blinds": [5, 10], "ante": 2, "unit": 5},
    {"structure": "no-limit", "min_bet": 5, "ante": 1},
    {"structure": "pot-limit", "blinds": [2, 5], "variant": "omaha", "pot_unit": 5},
    {
        "structure": "pot-limit",
        "blinds": [5, 10],
        "small_blind_counts_as_big": True,
        "ante": 10,
        "ante_by": "big-blind",
    },
    {"structure": "half-pot", "ante": 5, "unit": 5, "min_bet": 5, "variant": "badugi"},
    {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8]},
    {"structure": "fixed-limit", "blinds": [1, 1, 2], "bets": [4, 4, 8, 8], "variant": "triple-draw"},
    {"structure": "fixed-limit", "blinds": [4], "blind_on": "button", "bets": [4, 8], "variant": "draw"},
    {"structure": "fixed-limit", "ante": 1, "bring_in": 2, "bets": [5, 5, 10, 10, 10], "variant": "stud8"},
    {"structure": "fixed-limit", "ante": 1, "bring_in": 5, "bets": [5, 5, 10, 10, 10], "variant": "razz"},
    {"structure": "spread-limit", "ante": 1, "spread": [[1, 5]] * 5, "variant": "stud"},
    {"structure": "spread-limit", "blinds": [1, 2], "spread": [[2, 10]] * 4},
)
HOUSES: tuple[dict[str, Any], ...] = (
    {},
    {"straddle": "live", "restraddles": 2, "new_player_posts": True},
    {"straddle": "mississippi", "restraddles": 1, "button_rule": "moving", "straddle_raise": "double"},
    {"straddle": "sleeper", "button_rule": "simplified", "all_in_rule": "half-bet"},
    {"kill": {"factor": 2, "pot": 40}, "new_player_posts": True, "post_one_at_a_time": True},
    {"kill": {"factor": 1.5, "wins": 2}, "kill_acts": "turn", "absent": "dealt-in"},
    {"rock": 3, "min_blind_chips": 10, "half_raise": False, "heads_up_uncapped": True},
    {"stakes": "open", "buy_in": [20, 300], "hand_cap": 80, "raises": 2},
    {"rake": {"percent": 5, "cap": 4, "no_flop_no_drop": True}, "jackpot": {"amount": 1, "pot": 20}},
    {"rake": {"percent": 10, "as_built": True}, "raises": 0, "all_in_rule": "full-bet"},
)


def game_values(structure: dict[str, Any], house: dict[str, Any], rulebook: str) -> dict[str, Any]:
    """A `[game]` of these parts that can be played: a kill has to keep the limits multiples of the unit."""
    values = {**structure, **house, "rulebook": rulebook}
    if house.get("kill", {}).get("factor") == 1.5 and structure.get("blinds") != [2, 4]:
        values["kill"] = {"factor": 2, "wins": 2}
    return values


class Session(RuleBasedStateMachine):
    """A table at which anything may happen."""

    scene: Scene
    first: Table
    done: list[tuple[Step, int]]
    shown: dict[str, Any]

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.scene.table

    @initialize(
        structure=st.sampled_from(STRUCTURES),
        house=st.sampled_from(HOUSES),
        other=st.sampled_from(STRUCTURES),
        rulebook=st.sampled_from(("roberts", "tda")),
        stacks=st.lists(st.integers(1, 300), min_size=2, max_size=6),
        button=SEATS,
    )
    def sits_down(
        self,
        structure: dict[str, Any],
        house: dict[str, Any],
        other: dict[str, Any],
        rulebook: str,
        stacks: list[int],
        button: int,
    ) -> None:
        games = {
            "main": make_game(game_values(structure, house, rulebook)),
            "other": make_game({"rulebook": rulebook, **other}),
        }
        players = {seat: Player(name=f"p{seat}", stack=stack) for seat, stack in enumerate(stacks, 1)}
        self.first = open_table(games, button, players)
        self.scene, self.done = Scene(self.first), []
        self.shown = seen(self.table)

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
        self.scene = after
        self.done.append((what, at_us))
        self.shown = seen(self.table, None, outcome.warnings)
        if not isinstance(what, Undoes):
            self._undone(before.table, said)

    def _undone(self, before: Table, said: str) -> None:
        """Undo goes back exactly, or the step changed nothing."""
        table = self.table
        for _ in range(max(0, len(table.past) - len(before.past))):
            table = step(table, Undoes()).table
        if len(self.table.past) > len(before.past):
            assert as_it_was(table) == as_it_was(before._replace(offline=table.offline)), f"undo of {said}"

    # --- what happens ---

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def goes_on(self, pick: int, amount: int, seat: int) -> None:
        self.do(natural(self.table, self.shown, pick, amount, seat))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def goes_on_again(self, pick: int, amount: int, seat: int) -> None:
        self.do(natural(self.table, self.shown, pick, amount, seat))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def somebody_does_something(self, pick: int, amount: int, seat: int) -> None:
        self.do(PEOPLE[pick % len(PEOPLE)].format(s=seat, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def in_turn_in_another_way(self, pick: int, amount: int, seat: int) -> None:
        turn = self.shown["turn"] or seat
        self.do(PEOPLE[pick % len(PEOPLE)].format(s=turn, a=amount + 1, b=amount % 26 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def the_dealer_does_something(self, pick: int, amount: int, seat: int) -> None:
        self.do(DEALER[pick % len(DEALER)].format(s=seat, a=amount + 1, t=(seat + amount) % 7 + 1))

    @rule(pick=PICKS, amount=AMOUNTS, seat=SEATS)
    def players_come_and_go(self, pick: int, amount: int, seat: int) -> None:
        self.do(HOUSE[pick % len(HOUSE)].format(s=seat, a=amount + 1, t=(seat + amount) % 7 + 1))

    # --- what must hold ---

    @invariant()
    def chips_are_conserved(self) -> None:
        shown = self.shown
        if None in shown["stacks"].values():
            return
        held = sum(shown["stacks"].values()) + shown["pot"] + sum(shown["accounts"].values())
        assert held == self.table.bought, f"{held} chips, {self.table.bought} were bought in"

    @invariant()
    def pots_make_up_the_pot(self) -> None:
        assert sum(pot["amount"] for pot in self.shown["pots"]) == self.shown["pot"]
        names = [pot["name"] for pot in self.shown["pots"]]
        if self.table.hand is not None and self.table.hand.phase is not Phase.PAYING:
            assert names == ["main", "side1", "side2", "side3", "side4", "side5", "side6"][: len(names)]
            seats = [pot["seats"] for pot in self.shown["pots"]]
            assert all(set(upper) < set(lower) for lower, upper in pairwise(seats))

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
        raises = {"bet", "raise", "complete"} & set(may)
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
            if seat not in hand.unknown:
                assert hand.stacks[seat] >= 0, f"seat {seat} has {hand.stacks[seat]}"
                given = hand.phase is Phase.PAYING
                assert given or seat not in hand.all_in or hand.stacks[seat] == 0 or hand.game.hand_cap
        for seat, debt in enumerate(owes(self.table)):
            assert debt == 0 or seat in hand.order

    @invariant()
    def nobody_raises_without_the_right(self) -> None:
        hand = self.table.hand
        if hand is None or not self.table.playing or not hand.turn or hand.game.kind.by_board:
            return
        right = right_to_raise(hand, hand.turn)
        if right is not None:
            assert right or not {"bet", "raise", "complete"} & set(self.shown["may"]), "raises without the right"

    def teardown(self) -> None:
        """The accepted steps, played again from the start, give the same table."""
        if not hasattr(self, "first"):
            return
        scene = Scene(self.first)
        for what, at_us in self.done:
            scene, _ = happens(scene, what, at_us)
        assert scene == self.scene


def as_it_was(table: Table) -> Table:
    """The table without what undo keeps for itself."""
    return table._replace(past=(), joins=LastWords())


def right_to_raise(hand: Hand, seat: int) -> bool | None:
    """From the round's log alone: whether the seat has not acted yet or faces a full raise since it did; None where the
    log does not tell (a bet set by the floor)."""
    opening = hand.opening
    if opening is None:
        return None
    level, size, full, acted_at = opening.level, opening.size, opening.full, None
    for act in hand.log:
        if act.verb is Verb.WAGER and act.total > level:
            more = act.total - (level if hand.game.structure in BIG_BET else full)
            if more >= size or (hand.game.structure not in BIG_BET and half(hand, more, size)):
                full, size = act.total, more if hand.game.structure in BIG_BET else max(size, 0)
            level = act.total
        if act.seat == seat and act.verb in (Verb.CHECK, Verb.CALL, Verb.WAGER):
            acted_at = level
        if act.seat == seat and act.verb is Verb.TURN:  # the floor lets it decide anew
            acted_at = None
    by_log = {act.seat for act in hand.log if act.verb in (Verb.CALL, Verb.WAGER)}
    by_floor = any(hand.bets[other] > opening.bets[other] for other in hand.order if other not in by_log)
    if level != hand.level or by_floor or hand.game.structure == "spread-limit":
        return None
    if acted_at is None:
        return True
    if opening.full < opening.level == acted_at < full:  # a bring-in or blind below the bet that was completed
        return True
    faces = level - acted_at
    return faces > 0 and (faces >= size or half(hand, faces, size))


def half(hand: Hand, amount: int, size: int) -> bool:
    """True where half a bet is enough."""
    return hand.game.all_in_rule == "half-bet" and 2 * amount >= size


PEOPLE = (
    *("{s} fold", "{s} check", "{s} call", "{s} bet {a}", "{s} raise to {a}", "{s} raise by {b}", "{s} complete"),
    *("{s} pot", "{s} all-in", "{s} says call", "{s} says raise", "{s} says raise {a}", "{s} says bet {b}"),
    *("{s} says pot", "{s} says all-in", "{s} says check", "{s} says fold", "{s} says time", "{s} chips {b}"),
    *("{s} chips {b} {b}", "{s} chips {a}", "{s} chips 25 5 1", "{s} chips 5 5 1 1", "{s} takes {b}", "{s} takes {a}"),
    *("{s} chips 25 back {b}", "{s} chips 100 100"),
)
DEALER = (
    *("here {s}", "return {s}", "change {s} {a}", "deal", "deal closing", "undo", "undo", "void", "hand", "open-pair"),
    *("bring-in {s}", "first {s}", "floor bind {s}", "floor release {s}", "floor dead {s}", "floor pot {a}"),
    *("floor bet {s} {a}", "floor turn {s}", "{s} said raise", "{s} said call", "{s} said bet {a}", "{s} said check"),
    *("{s} said all-in", "award main {s}", "award main {s} {t}", "award main high {s} low {t}", "award side1 {s}"),
    *("unplug {s}", "plug {s}"),
)
HOUSE = (
    *("{s} sit {a}", "{s} sit {a} as p{t}", "{s} sit {a} transfer", "{s} add {a}", "{s} remove {a}", "{s} leave"),
    *("{s} away", "{s} back", "{s} moves {t}", "{s} stack {a}", "{s} stack unknown", "{s} stack 0", "{s} tip {a}"),
    *("{s} time 6", "{s} cash {a}", "{s} marker {a}", "{s} post", "{s} straddle {a}", "{s} straddle 4"),
    *("{s} straddle 20", "{s} straddle 10", "{s} straddle 40", "kill {s}", "game other", "game main"),
)


def natural(table: Table, shown: Mapping[str, Any], pick: int, amount: int, seat: int) -> str:
    """What usually happens next at this table."""
    hand = table.hand
    if hand is None or not table.playing:
        return "hand"
    if hand.phase in (Phase.BRING_IN, Phase.FIRST):
        named = "bring-in" if hand.phase is Phase.BRING_IN and hand.game.bring_in else "first"
        return f"{named} {hand.active[seat % len(hand.active)] if hand.active else seat}"
    if shown["turn"]:
        return _acts(shown, pick, amount)
    if shown["owes"]:
        debtor, debt = next(iter(shown["owes"].items()))
        return f"{debtor} chips {debt}"
    last = hand.last_round or len(hand.live) < 2
    if hand.phase is Phase.CLOSED and not last:
        return "deal"
    pots = shown["pots"]
    if not pots or not pots[0]["seats"]:
        return "void"
    seats = pots[0]["seats"]
    winners = [seats[pick % len(seats)], *seats[: amount % 3]]
    return f"award {pots[0]['name']} {' '.join(map(str, dict.fromkeys(winners)))}"


def _acts(shown: Mapping[str, Any], pick: int, amount: int) -> str:
    may, turn = shown["may"], shown["turn"]
    # raises first and folds last: short examples are those with much betting
    word = sorted(may, key=("bet", "complete", "raise", "check", "call", "fold").index)[pick % len(may)]
    if word not in ("bet", "raise"):
        return f"{turn} {word}"
    least, most = shown["min_raise_to"], shown["max_raise_to"]
    if least is None:
        return f"{turn} all-in"
    total = least + amount % (min(most or least + 200, least + 300) - least + 1)
    return f"{turn} bet {total}" if word == "bet" else f"{turn} raise to {total}"


__all__ = ["Act", "Session"]
