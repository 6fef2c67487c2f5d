"""A live table in simulated time: what trays, keys and screens say to it, and the check that its steps say all."""

from __future__ import annotations

from collections import Counter
from itertools import count

from controller.live import Change, Live, Setup, evolve, lasting, next_deadline_us, obey, react, sweeping, tick, waiting
from controller.rules import Game as Rules
from controller.rules import Phase, Player, Refusal, Structure
from controller.table import Meant, Source, Step, Table, counted, line, open_table, parse, pot, stack
from hardware.events import (
    Chip,
    Event,
    Key,
    KeyPressed,
    SeatPressed,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import bet_spot

GAP_US = 1_200_000
"""The motion gap: so long nothing moves before a reading is settled."""
SOON_US = 250_000
STRANGER = "E0FF{:012X}"
STACKS = (1000, 1000, 1000, 1000)
NAMES = ("ann", "ben", "cho", "dev")


def four_players(structure: Structure = "no-limit", *, rulebook: str = "roberts") -> Table:
    """Seats 1 to 4 with 1000 each, blinds 5 and 10, the button at 1."""
    rules = Rules(structure=structure, rulebook="tda" if rulebook == "tda" else "roberts", blinds=(5, 10))
    players = {
        seat: Player(name=name, stack=stack) for seat, (name, stack) in enumerate(zip(NAMES, STACKS, strict=True), 1)
    }
    return open_table({"main": rules}, 1, players)


def replayed(setup: Setup, table: Table, records: list[tuple[str, Source, int]]) -> Live:
    """The state that the recorded lines give to a service that starts anew."""
    live = Live(setup, table)
    for do, source, at_us in records:
        live, outcome = evolve(live, parse(do), source, at_us)
        assert outcome.refused is None, (do, outcome.refused)
    return live


class Game:
    """A live table, its clock, and the chips that its trays see. Whatever happens, replaying what was recorded gives
    the same state."""

    def __init__(self, table: Table | None = None, *, trays: bool = True, hand: bool = True) -> None:
        self.setup = Setup(trays=trays, readers=frozenset({"odd"}))
        self.before = table or four_players()
        self.live = Live(self.setup, self.before)
        self.records: list[tuple[str, Source, int]] = []
        self.pieces: list[list[str]] = []
        self.now_us = 10_000_000
        self.spots: dict[str, tuple[Chip, ...]] = {}
        self._serial = count(1)
        self._replayed = self.live
        if hand:
            self.do("hand")
            if trays:
                self.lies(2, 5)
                self.lies(3, 5, 5)

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def lines(self) -> list[str]:
        return [do for do, _, _ in self.records]

    # --- what happens ---

    def take(self, change: Change) -> Change:
        """The change is recorded, and then in effect."""
        if change.steps:
            self.pieces.append([line(step) for step, _ in change.steps])
        for step, source in change.steps:
            self.records.append((line(step), source, self.now_us))
            self._replayed, _ = evolve(self._replayed, parse(line(step)), source, self.now_us)
        assert lasting(change.live) == lasting(self._replayed), "the state holds something that no step says"
        self.live = change.live
        return change

    def tell(self, event: Event) -> Change:
        return self.take(react(self.live, event, self.now_us))

    def command(self, do: str, shown: int | None = None) -> Refusal | None:
        """A touch. Gives why it was refused."""
        step = parse(do)
        source: Source = "floor" if step.owner == "floor" else "dealer"
        return self.take(obey(self.live, step, self.now_us, source=source, shown_turn=shown)).refused

    def do(self, *commands: str) -> Live:
        for do in commands:
            refused = self.command(do)
            assert refused is None, (do, refused)
        return self.live

    def key(self, key: Key) -> Live:
        self.tell(KeyPressed(key, self.now_us))
        return self.live

    def seat_button(self, seat: int) -> Live:
        self.tell(SeatPressed(seat, self.now_us))
        return self.live

    def tray(self, spot: str, *, online: bool) -> Live:
        self.tell(TrayOnline(spot, self.now_us) if online else TrayOffline(spot, "timeout", self.now_us))
        return self.live

    def after(self, us: int) -> Live:
        """So much time passes."""
        end_us = self.now_us + us
        while (due_us := next_deadline_us(self.live)) is not None and due_us <= end_us:
            self.now_us = max(self.now_us, due_us)
            self.take(tick(self.live, self.now_us))
        self.now_us = end_us
        self.take(tick(self.live, self.now_us))
        return self.live

    # --- chips ---

    def chips(self, spot: str, amounts: tuple[int, ...]) -> tuple[Chip, ...]:
        """Chips of these amounts on the spot: those that lie there, and new ones."""
        wanted = Counter(amounts)
        stay = []
        for chip in self.spots.get(spot, ()):
            if wanted[chip.denomination]:
                wanted[chip.denomination] -= 1
                stay.append(chip)
        stay += [Chip(f"E004{next(self._serial):012X}", amount) for amount in wanted.elements()]
        return tuple(sorted(stay, key=lambda chip: (-chip.denomination, chip.uid)))

    def seen(self, seat: int, *amounts: int, at_least: bool = False, unknown: int = 0) -> Live:
        """The tray has seen so much, and the motion may go on."""
        spot = bet_spot(seat)
        self.spots[spot] = self.chips(spot, amounts)
        self.tell(StackSeen(spot, self.spots[spot], strangers(unknown), (), at_least, self.now_us))
        return self.live

    def settles(
        self, spot: str, *amounts: int, at_least: bool = False, unknown: int = 0, lammers: tuple[str, ...] = ()
    ) -> Change:
        """The spot tells that it holds these chips."""
        self.spots[spot] = self.chips(spot, amounts)
        return self.tell(StackComplete(spot, self.spots[spot], strangers(unknown), lammers, at_least, self.now_us))

    def lies(self, seat: int, *amounts: int, at_least: bool = False, unknown: int = 0) -> Live:
        """Hands bring the spot to these chips; the tray sees them, and a quiet moment later they are complete."""
        self.seen(seat, *amounts, at_least=at_least, unknown=unknown)
        self.after(GAP_US)
        self.settles(bet_spot(seat), *amounts, at_least=at_least, unknown=unknown)
        return self.live

    def empties(self, seat: int) -> Live:
        self.settles(bet_spot(seat))
        return self.live


# --- what is read of a table ---


def bet(game: Game, seat: int) -> int:
    return counted(game.table, seat)


def turn(game: Game) -> int:
    return game.table.hand.turn if game.table.hand is not None and game.table.playing else 0


def phase(game: Game) -> Phase:
    assert game.table.hand is not None
    return game.table.hand.phase


def betting_round(game: Game) -> int:
    return game.table.hand.round if game.table.hand is not None else 0


def book(table: Table) -> tuple[object, ...]:
    """What of a table is money, and whose turn it is."""
    hand = table.hand
    seats = sorted(table.players)
    return pot(table), hand and hand.turn, [(counted(table, seat), stack(table, seat)) for seat in seats]


def warned(game: Game) -> tuple[str, ...]:
    ruled = game.live.ruled
    return (*sorted({each.code for each in ruled.warned}), *(("key-too-late",) if ruled.late_key else ()))


def held(game: Game, seat: int) -> Meant | None:
    found = game.table.street.held.get(seat)
    return found.meant if found is not None else None


def questions(live: Live) -> set[str]:
    """What waits for the dealer, seats left aside."""
    found = {why for why in ("doubt", "between", "deferred") if waiting(live, why)}
    return found | ({"sweep"} if sweeping(live) else set())


# --- where games stand ---


def ahead() -> Game:
    """Seat 2 calls while the turn is on 4: 4 and 1 have not been keyed."""
    game = Game()
    game.lies(2, 5, 5)
    return game


def called_by_two() -> Game:
    """4 and 1 have called, 2 and 3 are to act; nobody has keyed their check."""
    game = Game()
    game.lies(4, 5, 5)
    game.lies(1, 5, 5)
    game.lies(2, 5, 5)
    return game


def closed() -> Game:
    """Before the flop all have called, swept, the flop is not dealt yet."""
    game = called_by_two()
    game.do("3 check")
    for seat in (4, 1, 2, 3):
        game.empties(seat)
    return game


def late_blind() -> Game:
    """The spots were read empty, the big blind of 3 lies there, 4 has folded, and the small blind of 2 is just seen."""
    game = Game(trays=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.settles("bet3", 5, 5)
    game.do("4 fold")
    game.seen(2, 5)
    return game


def strangers(number: int) -> tuple[str, ...]:
    """UIDs of tags that are nothing of this house."""
    return tuple(STRANGER.format(each) for each in range(number))


def steps_of(change: Change) -> list[Step]:
    return [made.step for made in change.steps]
