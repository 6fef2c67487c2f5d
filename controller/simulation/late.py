"""Hands played in simulated time by people with a dealer whose fingers are late: `potkeeper simulate`.

Players act when it is their turn at the table, not on the screen. Folds and checks are keyed by the dealer, 0 to 6
seconds later or several at once; chips are seen by the trays. `truth` is what the rules make of what people did; the
live table has to come to the same without ever having moved a chip wrongly.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from controller.live import Change, Live, Setup, obey, react, tick
from controller.presenter import show
from controller.rules import Game, Hand, Phase, Player, bounds, facing, may
from controller.service import in_focus
from controller.simulation.felt import conform, quick_layout
from controller.table import (
    MAIN_GAME,
    Adds,
    Awards,
    Caution,
    Deals,
    Declaration,
    Declares,
    Moves,
    StartsHand,
    Step,
    Table,
    is_open,
    open_table,
    pots_now,
    stack,
    step,
)
from hardware.chips import chips_for
from hardware.events import Key
from hardware.layout import Layout
from hardware.simulated.emulators import TableNoise
from hardware.simulated.noise import ROUGH, USUAL, Noise
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World

SECOND_US = 1_000_000
LATEST_KEY_S = 6.0
"""The dealer's slowest finger."""
BATCH = 0.3
"""How often the dealer keys several acts at once, when the last of them is done."""
BETWEEN_KEYS_S = 0.3
"""A finger does not press two keys sooner."""
LOOK_S = 4.0
"""After so long without news the dealer looks at the screen and answers what it asks."""
CATCH_UP_S = 30.0
"""A table that has not caught up with the people by then does not."""
SWEEP_S = 2.0
"""A sweep, a burn and a turn take at least so long."""


class Report(NamedTuple):
    """What a simulation came to."""

    hands: int
    acts: int
    false_warnings: int
    """Out-of-turn warnings: nobody acts out of turn here."""
    questions: int
    wrong_stacks: int
    """Hands after which the table's stacks were not those of the rules."""
    simulated_s: float


@dataclass
class _Evening:
    """One table with its people, in simulated time."""

    live: Live
    truth: Table
    world: World
    rig: SimulatedTable
    random: Random
    keys: deque[tuple[int, Key]] = field(default_factory=deque)
    acts: int = 0
    false_warnings: set[object] = field(default_factory=set)
    questions: set[object] = field(default_factory=set)

    @property
    def table(self) -> Table:
        """What the live table has made of it."""
        return self.live.table

    def key(self, what: Step) -> None:
        """The dealer touches the screen."""
        self.take(obey(self.live, what, self.rig.now_us))

    def take(self, change: Change) -> None:
        """A change in effect."""
        self.live = change.live


def simulate(hands: int, seed: int, noise: TableNoise | None = None, layout: Layout | None = None) -> Report:
    """Plays so many hands of pot-limit Omaha at one table; deterministic in the seed."""
    layout = layout or quick_layout()
    game = Game(variant="omaha", structure="pot-limit", blinds=(5, 10), unit=5)
    players = {seat: Player(name=f"p{seat}", stack=1000 + 100 * seat) for seat in (1, 2, 3, 5, 6, 8)}
    table = open_table({MAIN_GAME: game}, 8, players)
    world = World({seat: player.stack for seat, player in players.items()}, seed, chips=layout.chip_set)
    evening = _Evening(
        Live(Setup(), table), table, world, SimulatedTable(layout, world, noise, seed=seed), Random(seed)
    )
    _pass(evening, 1.0)
    wrong = sum(not _hand(evening) for _ in range(hands))
    return Report(
        hands,
        evening.acts,
        len(evening.false_warnings),
        len(evening.questions),
        wrong,
        evening.rig.now_us / SECOND_US,
    )


def noise_of(faults: str, seed: int) -> TableNoise | None:
    """The simulated world's faults at their usual or at rough rates; None for a world without."""
    rates = {"usual": USUAL, "rough": ROUGH}.get(faults)
    return Noise(rates, seed) if rates is not None else None


# --- a hand ---


def _hand(evening: _Evening) -> bool:
    """One hand; True where the table's stacks are those of the rules afterwards."""
    _rebuy(evening)
    _dealer(evening, StartsHand())
    while (hand := evening.truth.hand) is not None and evening.truth.playing:
        while hand.turn:
            _player_acts(evening, hand)
            assert evening.truth.hand is not None
            hand = evening.truth.hand
        _catch_up(evening)
        if hand.last_round or len(hand.live) < 2:
            _award(evening)
        else:
            _dealer(evening, Deals())
    return _agree(evening)


def _agree(evening: _Evening) -> bool:
    seats = evening.truth.players
    return all(stack(evening.table, seat) == stack(evening.truth, seat) for seat in seats)


def _rebuy(evening: _Evening) -> None:
    for seat, player in evening.truth.players.items():
        if player.stack < 500:
            _dealer(evening, Adds(seat, 1000 - player.stack))


def _award(evening: _Evening) -> None:
    for pot in pots_now(evening.truth):
        winner = evening.random.choice(pot.seats)
        _dealer(evening, Awards(pot.name, (winner,)))


def _dealer(evening: _Evening, what: Step) -> None:
    """The dealer does it with hands, and touches the screen."""
    evening.truth = step(evening.truth, what).table
    evening.key(what)
    conform(evening.world, evening.truth)
    _pass(evening, SWEEP_S)


# --- players ---


def _player_acts(evening: _Evening, hand: Hand) -> None:
    """The seat in turn thinks, then acts; what is not chips goes to the dealer's fingers."""
    random, seat = evening.random, hand.turn
    _pass(evening, random.uniform(0.6, 3.0))
    words = may(hand, seat)
    what = random.choices(words, [{"fold": 3, "check": 6, "call": 4, "bet": 2, "raise": 1}[word] for word in words])[0]
    evening.acts += 1
    if what in ("fold", "check"):
        nothing_to_call = "check" in words
        evening.truth = step(evening.truth, Declares(seat, Declaration("check" if nothing_to_call else "fold"))).table
        _later(evening, "check-call" if nothing_to_call else "fold")
        return
    total = facing(hand, seat) if what == "call" else _size(hand, seat, random)
    total = min(total, hand.bets[seat] + hand.stacks[seat])
    chips = _in_chips(total - evening.truth.street.felt[seat], what != "call")
    evening.truth = step(evening.truth, Moves(seat, chips)).table
    evening.world.put(seat, chips)


def _size(hand: Hand, seat: int, random: Random) -> int:
    least_and_most = bounds(hand, seat)
    if least_and_most is None:
        return hand.bets[seat] + hand.stacks[seat]
    least, most = least_and_most
    return random.choice((least, most, least + (most - least) // 10 * random.randrange(10) // 5 * 5))


def _in_chips(amount: int, several: bool) -> tuple[int, ...]:
    """The chips of an amount; a raise is put in with several, one alone would be a call."""
    chips = chips_for(amount)
    if several and len(chips) == 1 and amount > 1:
        return (*chips_for(amount - amount // 5), *chips_for(amount // 5))
    return chips


# --- the dealer's fingers ---


def _later(evening: _Evening, key: Key) -> None:
    """The dealer keys it when there is time: late, or together with the last one."""
    delay = evening.random.uniform(0, LATEST_KEY_S)
    if evening.random.random() < BATCH and evening.keys:
        delay = 0.0
    last = evening.keys[-1][0] + int(BETWEEN_KEYS_S * SECOND_US) if evening.keys else 0
    evening.keys.append((max(last, evening.rig.now_us + int(delay * SECOND_US)), key))


def _pass(evening: _Evening, seconds: float) -> None:
    """Time passes: trays are read, fingers come down."""
    end_us = evening.rig.now_us + int(seconds * SECOND_US)
    while evening.rig.now_us < end_us:
        until_us = min(end_us, evening.keys[0][0]) if evening.keys else end_us
        _hear(evening, max(0, until_us - evening.rig.now_us))
        while evening.keys and evening.keys[0][0] <= evening.rig.now_us:
            evening.rig.press(evening.keys.popleft()[1])
            _hear(evening, 50_000)


def _hear(evening: _Evening, for_us: int) -> None:
    evening.rig.trays.focus(in_focus(evening.table))
    for event in evening.rig.run(for_us):
        evening.take(react(evening.live, event, event.at_us))
        _look(evening)
    evening.take(tick(evening.live, evening.rig.now_us))


def _look(evening: _Evening) -> None:
    """What the screen warns about and asks."""
    if not evening.table.street.held and Caution.OUT_OF_TURN not in [
        warned.code for warned in evening.live.ruled.warned
    ]:
        return
    for alert in show(evening.live, 1).alerts:
        mark = (evening.table.hands, evening.acts, alert.key)
        if alert.code == Caution.OUT_OF_TURN and alert.level == "warning":
            evening.false_warnings.add(mark)
        if alert.level == "question":
            evening.questions.add(mark)


def _catch_up(evening: _Evening) -> None:
    """Before the next card the dealer presses what is still to be pressed, looks at the screen and answers it."""
    deadline_us = evening.rig.now_us + int(CATCH_UP_S * SECOND_US)
    while not _closed(evening.table) and evening.rig.now_us < deadline_us:
        _pass(evening, max(0.5, (evening.keys[-1][0] - evening.rig.now_us) / SECOND_US) if evening.keys else 0.5)
        if evening.keys or _closed(evening.table):
            continue
        _pass(evening, LOOK_S)
        _answer(evening)


def _closed(table: Table) -> bool:
    hand = table.hand
    return hand is not None and hand.phase in (Phase.CLOSED, Phase.PAYING, Phase.OVER) and not is_open(table)


def _answer(evening: _Evening) -> None:
    """The dealer presses a key again that was not taken, or confirms what the screen proposes first."""
    hand = evening.table.hand
    if _closed(evening.table) or hand is None or not hand.turn:
        return
    folded = evening.truth.hand is not None and hand.turn in evening.truth.hand.folded
    evening.key(Declares(hand.turn, Declaration("fold" if folded else "check")))
