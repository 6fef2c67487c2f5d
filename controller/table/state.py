"""The table as one frozen value: who sits there, the hand in progress, what lies on the spots, what waits for the
floor.

`step(table, event)` gives the next table; it touches nothing else. Between the rules (what a seat is bound to) and the
felt (what lies there) this module keeps the difference: what is owed, due back or held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controller.rules import button
from controller.rules.button import Placement
from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, NOTHING, SEATS, Act, Amounts, Hand, Phase, Pot
from controller.rules.pots import pots
from controller.rules.stakes import Player
from controller.table.steps import Words

MOST_UNDO = 200
"""Steps that can be taken back: more than two hands' worth, few enough to keep in memory for good."""
MAIN_GAME = "main"


class Spoken(NamedTuple):
    """What a seat said in this round that its next chips are measured by."""

    named: int
    """The total that the words named."""
    open_amount: bool
    """The chips of the next motion decide how much."""


class Motion(NamedTuple):
    """The last chips that a seat put forward in this round, for words that the dealer adds afterwards."""

    place: int
    """Its place in the hand's log of the round."""
    felt: int
    """What lay on the spot after it."""
    before: int
    """What lay there before it."""
    added: tuple[int, ...]
    under_call: bool


class Held(NamedTuple):
    """An action that waits for its turn or for the floor."""

    said: str
    """What it means, in the words of a step."""
    words: Words | None
    """The words to carry out; None where chips alone were put forward."""
    added: tuple[int, ...]
    needs: int
    """The total of the seat's spot that it covers."""
    at: int
    """How much of the round's log lay before it: what comes after it may have changed the action."""
    aware: frozenset[int] = NO_SEATS
    """Seats whose own action was held already when it was made: theirs changes nothing for it."""
    bound: bool = False
    """The floor bound it: it is carried out whatever happened in between."""
    wager: int = 0
    """The total of a bet or raise, else 0."""
    felt: int = 0
    """What lay on the spot when it was done."""
    open_amount: bool = False
    """A bare "raise": the chips of the next motion decide how much."""
    out_of_turn: bool = True
    """False where the seat was in turn and the words could not be done, or the floor has to decide."""


class Accounts(NamedTuple):
    """Where chips went that left the players, since the table was opened."""

    rake: int = 0
    jackpot: int = 0
    time: int = 0
    toke: int = 0
    adjustment: int = 0


class Before(NamedTuple):
    """What a void goes back to: the table between the hands."""

    placed: Placement
    players: Mapping[int, Player]
    killer: int
    fresh: bool
    streak: tuple[int, int] = (0, 0)
    rock: int = 0


class Table(NamedTuple):
    """One table. Mappings are never written in place."""

    games: Mapping[str, Game]
    placed: Placement
    players: Mapping[int, Player]
    places: tuple[int, ...]
    """All seats that have been in use, empty ones too."""
    redeal: Placement | None = None
    """After a void hand: the placement before it. The next hand follows from that one again, with the same button."""
    game_name: str = MAIN_GAME
    hand: Hand | None = None
    hands: int = 0
    """Hands started."""
    fresh: bool = True
    """No hand has been dealt at this button yet: it stands where the file says."""
    small: Amounts = NOTHING
    """What of the felt are chips below the unit: they do not play."""
    felt: Amounts = NOTHING
    """What lies on each spot as far as the book follows it: chips that count, that are due back, or that are held."""
    spoken: Mapping[int, Spoken] = {}
    motions: Mapping[int, Motion] = {}
    held: Mapping[int, Held] = {}
    presumed: Mapping[int, str] = {}
    passing: bool = False
    """`presumed` is of the round that the last step closed and goes with the next step."""
    timed: frozenset[int] = NO_SEATS
    """Seats that called time in this round."""
    must_call: frozenset[int] = NO_SEATS
    """TDA: took back their own bet facing a raise and are bound to call or raise."""
    offline: frozenset[int] = NO_SEATS
    """Seats whose tray is out."""
    accounts: Accounts = Accounts()
    gone: Mapping[str, int] = {}
    """What known players took away with them."""
    killer: int = 0
    """The seat that owes the kill blind in the next hand."""
    streak: tuple[int, int] = (0, 0)
    """(seat, hands won in a row)."""
    rock: int = 0
    bought: int = 0
    """Chips bought in less those cashed out: what the players and the accounts hold together."""
    before: Before | None = None
    past: tuple[Table, ...] = ()
    """The tables that undo goes back to, oldest first."""
    told: str = ""
    """The last step that changed something, in words."""
    told_at_us: int = 0
    joins: tuple[int, int] = (0, 0)
    """(seat, at_us) of the last words: chips of that seat soon after belong to the same act for undo."""

    @property
    def game(self) -> Game:
        """The game being played, grown by a kill where there is one."""
        return self.hand.game if self.playing and self.hand else self.games[self.game_name]

    @property
    def playing(self) -> bool:
        """True while a hand is in progress."""
        return self.hand is not None and self.hand.phase is not Phase.OVER


class Refuse(Exception):
    """A step cannot be done; nothing changes. `warning` is the code that goes with it, or ""."""

    def __init__(self, why: str, warning: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.warning = warning


class ConservationError(AssertionError):
    """Chips appeared or vanished: a fault of ours. The step that did it is named."""


# --- what follows from the book and the felt ---


def counted(table: Table, seat: int) -> int:
    """The seat's chips of this round that count: what it is bound to, as far as chips lie there."""
    return min(plays(table, seat), table.hand.bets[seat]) if table.hand else 0


def plays(table: Table, seat: int) -> int:
    """The seat's chips on its spot that can make a bet good: those below the unit only where the bet is off it (an
    all-in, or the call of one)."""
    small, hand = table.small[seat], table.hand
    if not small or hand is None or seat in hand.all_in:
        return table.felt[seat]
    return max(0, table.felt[seat] - small + min(small, hand.bets[seat] % hand.game.unit))


def owed(table: Table, seat: int) -> int:
    """Chips that the seat has still to put forward to make its action good."""
    return max(0, table.hand.bets[seat] - plays(table, seat)) if table.hand else 0


def owes(table: Table) -> Amounts:
    """By seat, chips still owed."""
    if table.hand is None:
        return NOTHING
    return tuple(owed(table, seat) for seat in range(SEATS + 1))


def due_back(table: Table, seat: int) -> int:
    """Chips on the seat's spot that are to be returned to it: neither counting nor held."""
    taken = table.hand.bets[seat] if table.hand else 0
    held = table.held.get(seat)
    if held:
        taken = max(taken, held.needs)
    return max(0, table.felt[seat] - min(taken, plays(table, seat)))


def stack(table: Table, seat: int) -> int:
    """The book's stack behind: chips owed, due back and held are still in it."""
    if table.playing and table.hand and seat in table.hand.order:
        return table.hand.stacks[seat] + owed(table, seat)
    return table.players[seat].stack


def is_unknown(table: Table, seat: int) -> bool:
    """True where nobody knows the seat's stack."""
    if table.playing and table.hand and seat in table.hand.order:
        return seat in table.hand.unknown
    return table.players[seat].unknown


def pot(table: Table) -> int:
    """Everything in the middle and in front of the players that counts: what the dealer announces."""
    return table.hand.total - sum(owes(table)) if table.hand and table.playing else 0


def pots_now(table: Table) -> tuple[Pot, ...]:
    """The pots as they would be divided now."""
    if table.hand is None or not table.playing:
        return ()
    return pots(table.hand, owes(table))


def is_open(table: Table) -> bool:
    """True while somebody has yet to act in this round, or owes."""
    if table.hand is None or not table.playing:
        return False
    waiting = table.hand.phase in (Phase.BETTING, Phase.BRING_IN, Phase.FIRST)
    return waiting or (table.hand.phase is Phase.CLOSED and any(owes(table)))


def check_conserved(table: Table, after: str) -> None:
    """Raises ConservationError where the chips at the table are not those that were bought in."""
    hand = table.hand
    held = sum(player.stack for player in table.players.values())
    if hand is not None and table.playing:
        behind = sum(hand.stacks[seat] for seat in hand.order)
        held += behind - sum(table.players[seat].stack for seat in hand.order) + hand.total
    total = held + sum(table.accounts)
    if total != table.bought:
        raise ConservationError(f"after {after!r}: {total} chips, {table.bought} were bought in")


def open_table(
    games: Mapping[str, Game], button_seat: int, players: Mapping[int, Player], *, game_name: str = MAIN_GAME
) -> Table:
    """A table before its first hand, as if the hand before had been played with these seats and this button."""
    places = tuple(sorted({*players, button_seat}))
    seats = tuple(seat for seat, player in players.items() if not player.broke)
    game = games[game_name]
    placed = button.first(game, button_seat, seats) if len(seats) > 1 else Placement(button_seat)
    return Table(
        games=games,
        placed=placed,
        players=dict(players),
        places=places,
        game_name=game_name,
        rock=game.rock,
        bought=sum(player.stack for player in players.values()),
    )


def last_act(hand: Hand) -> Act | None:
    """The last thing that a seat did in this round."""
    return hand.log[-1] if hand.log else None
