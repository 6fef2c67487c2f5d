"""The table as one frozen value: who sits there, the hand in progress, what lies on the spots, what waits for the
floor.

`reducer.step` gives the next table; nothing else makes one. Between the rules (what a seat is bound to) and the felt
(what lies there) this value keeps the difference; `book.py` works out what is owed, due back or held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from controller.rules import (
    NO_SEATS,
    NOTHING,
    Amounts,
    Game,
    Hand,
    Phase,
    Placement,
    Player,
    can_play,
    first_placement,
)
from controller.table.steps import Declaration, Step

MOST_UNDO = 200
"""Steps that can be taken back: more than two hands' worth, few enough to keep in memory for good."""
MAIN_GAME = "main"

MeantKind = Literal["fold", "check", "call", "bet", "raise", "all-in"]
Presumed = Literal["fold", "check"]
HandForHand = Literal["", "held", "one"]
"""Each hand waits for the floor (`held`), or the next one may start and the one after it waits (`one`)."""


class Meant(NamedTuple):
    """What a held action means. `total` is that of a bet or raise, else 0."""

    kind: MeantKind
    total: int = 0


class HeldOutOfTurn(NamedTuple):
    """An action out of turn: it waits for its turn."""

    meant: Meant
    declaration: Declaration | None
    """The words to carry out; None where chips alone were put forward."""
    added: tuple[int, ...]
    """The chips of the motion."""
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


class HeldForRuling(NamedTuple):
    """An action in turn that cannot be done, or that the floor has to decide: the turn stays with its seat."""

    meant: Meant
    why: Literal["not-possible", "under-call"]
    declaration: Declaration
    """What is carried out where the floor binds it."""
    needs: int
    """The total of the seat's spot that it covers."""
    added: tuple[int, ...] = ()
    """The chips of the motion; none where it was said only."""


Held: TypeAlias = HeldOutOfTurn | HeldForRuling


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


class Street(NamedTuple):
    """All that is over with the street. By seat where nothing else is said."""

    felt: Amounts = NOTHING
    """What lies on each spot as far as the book follows it: chips that count, that are due back, or that are held."""
    small: Amounts = NOTHING
    """What of the felt are chips below the unit: they do not play."""
    spoken: Mapping[int, Spoken] = {}
    motions: Mapping[int, Motion] = {}
    held: Mapping[int, Held] = {}
    presumed: Mapping[int, Presumed] = {}
    """Actions that were taken to have happened."""
    passing: bool = False
    """`presumed` is of the round that the last step closed and goes with the next step."""
    timed: frozenset[int] = NO_SEATS
    """Seats that called time."""
    must_call: frozenset[int] = NO_SEATS
    """TDA: took back their own bet facing a raise and are bound to call or raise."""


class Accounts(NamedTuple):
    """Where chips went that left the players, since the table was opened."""

    rake: int = 0
    jackpot: int = 0
    kitty: int = 0
    time: int = 0
    toke: int = 0
    adjustment: int = 0


class Stay(NamedTuple):
    """What one player has bought in and cashed out since the table was opened."""

    seat: int = 0
    """0 for one who has left."""
    name: str = ""
    bought: int = 0
    cashed: int = 0


class Shift(NamedTuple):
    """One dealer's time at the table."""

    name: str = ""
    """"" before anybody said who deals."""
    hands: int = 0
    accounts: Accounts = Accounts()
    """Hands and accounts as they were when it began."""


class Streak(NamedTuple):
    """Hands that one seat won in a row."""

    seat: int = 0
    wins: int = 0


class Carried(NamedTuple):
    """What carries over from hand to hand beside the players."""

    placed: Placement
    """Where button and blinds stand; during a hand those of that hand."""
    redeal: Placement | None = None
    """After a void hand: the placement before it. The next hand follows from that one again, with the same button."""
    fresh: bool = True
    """No hand has been dealt at this button yet: it stands where the file says."""
    killer: int = 0
    """The seat that owes the kill blind in the next hand."""
    streak: Streak = Streak()
    rock: int = 0
    """The seat that holds the rock."""

    @property
    def last(self) -> Placement:
        """The placement that the next hand follows from."""
        return self.redeal or self.placed


class Marker(NamedTuple):
    """Chips that somebody owes. Source: Betting in poker, "Open stakes"."""

    seat: int
    """Who owes them; 0 for one who has left, and has the name."""
    lender: int
    """The seat that lent them; 0 where the marker itself played: whoever holds it is paid."""
    amount: int
    name: str = ""


class Gone(NamedTuple):
    """A known player who has left."""

    stack: int
    """What was taken away."""
    at: int = 0
    """When, in minutes of the table."""


class Level(NamedTuple):
    """A level of a tournament; the game of its name is played in it. In a break nothing is played."""

    name: str
    minutes: int
    is_break: bool = False


class Before(NamedTuple):
    """What a void goes back to: the table between the hands."""

    carried: Carried
    players: Mapping[int, Player]
    hold: HandForHand = ""
    vacated: Mapping[int, Player] = {}


class Done(NamedTuple):
    """One step that undo can take back."""

    before: Table
    """The table before it, its own `past` and `future` left out."""
    step: Step
    at_us: int
    """When it was done; of words, when the last chips of theirs were."""


class Ahead(NamedTuple):
    """One step that redo can do again."""

    after: Table
    """The table after it, its own `past` and `future` left out."""
    done: Done
    """What undo takes back then."""


class LastWords(NamedTuple):
    """The last words of a seat: chips of that seat soon after belong to the same act for undo."""

    seat: int = 0
    at_us: int = 0


class Table(NamedTuple):
    """One table. Mappings are never written in place."""

    games: Mapping[str, Game]
    carried: Carried
    players: Mapping[int, Player]
    places: tuple[int, ...]
    """All seats that have been in use, empty ones too."""
    game_name: str = MAIN_GAME
    """The game that is played; between hands, that of the next one."""
    next_game: str = ""
    """Said during a hand: the game of the next one. "" where it stays the same."""
    street: Street = Street()
    hand: Hand | None = None
    """The hand in progress, or the last one."""
    hands: int = 0
    """Hands started."""
    offline: frozenset[int] = NO_SEATS
    """Seats whose tray is out."""
    accounts: Accounts = Accounts()
    minutes: int = 0
    """The time at the table. Undo does not turn it back."""
    gone: Mapping[str, Gone] = {}
    """By name, known players who have left with a stack that was known."""
    vacated: Mapping[int, Player] = {}
    """By seat, who has left it since the last hand, with what it owed."""
    markers: tuple[Marker, ...] = ()
    """All that is owed on markers, in order, one for each debtor and lender."""
    mix: tuple[str, ...] = ()
    """The games of a mix in the order in which they are played; none where there is no mix."""
    levels: tuple[Level, ...] = ()
    """Of a tournament, in order; none where it is none."""
    level_since: int | None = None
    """The minute at which the present level began; None before the first hand."""
    hold: HandForHand = ""
    """Whether the next hand waits for the floor."""
    bought: int = 0
    """Chips bought in less those cashed out: what the players and the accounts hold together."""
    closed: bool = False
    """Nobody plays here until it is opened."""
    stays: tuple[Stay, ...] = ()
    """All who have had a seat since the table was opened: what they bought less what they cashed is `bought`."""
    shifts: tuple[Shift, ...] = (Shift(),)
    """The dealers since the table was opened, the present one last."""
    before: Before | None = None
    past: tuple[Done, ...] = ()
    """What undo can take back, oldest first."""
    future: tuple[Ahead, ...] = ()
    """What redo can do again, the next step last."""
    joins: LastWords = LastWords()

    @property
    def game(self) -> Game:
        """The game being played, grown by a kill where there is one."""
        return self.hand.game if self.playing and self.hand else self.games[self.game_name]

    @property
    def next_in_mix(self) -> str:
        """The game that follows the one being played in the mix, after the last the first; "" where there is none."""
        following = dict(zip(self.mix, (*self.mix[1:], *self.mix[:1]), strict=True))
        return following.get(self.game_name, "")

    @property
    def playing(self) -> bool:
        """True while a hand is in progress."""
        return self.hand is not None and self.hand.phase is not Phase.OVER

    @property
    def button(self) -> int:
        """The seat of the dealer button."""
        return self.hand.button if self.hand is not None and self.playing else self.carried.placed.button

    @property
    def dealer(self) -> str:
        """Who deals; "" where nobody has said."""
        return self.shifts[-1].name

    @property
    def told(self) -> Step | None:
        """The last step that changed something, as far as undo reaches."""
        return self.past[-1].step if self.past else None

    @property
    def ahead(self) -> Step | None:
        """The step that redo would do again."""
        return self.future[-1].done.step if self.future else None


def open_table(
    games: Mapping[str, Game],
    button_seat: int,
    players: Mapping[int, Player],
    *,
    game_name: str = MAIN_GAME,
    mix: tuple[str, ...] = (),
    levels: tuple[Level, ...] = (),
) -> Table:
    """A table before its first hand, as if the hand before had been played with these seats and this button. With
    a `mix` or `levels` the game is that of the first one."""
    game_name = levels[0].name if levels else mix[0] if mix else game_name
    places = tuple(sorted({*players, button_seat}))
    game = games[game_name]
    seats = tuple(seat for seat, player in players.items() if can_play(game, player))
    placed = first_placement(game, button_seat, seats) if len(seats) > 1 else Placement(button_seat)
    return Table(
        games=games,
        carried=Carried(placed, rock=game.rock),
        players=dict(players),
        places=places,
        game_name=game_name,
        mix=mix,
        levels=levels,
        bought=sum(player.stack for player in players.values()),
        stays=tuple([Stay(seat, player.name, player.stack) for seat, player in sorted(players.items())]),
    )
