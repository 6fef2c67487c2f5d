"""What a screen shows and what it may ask for: the types on the Unix socket between `serve` and any screen.

The service writes one `TableView` a line as JSON; a screen writes one `Command` a line and gets one `Reply` a line.
A view is complete in itself: a screen that connects late, or that missed ten views, is right as soon as it has one.
It carries codes and typed amounts, no sentences: `controller.words` makes words of them, in the reader's language and
the house's money. All amounts are integers in the table's unit of account; `TableView.money` says how to print them.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from firmware_bridge.errors import PotkeeperError, Whose

PROTOCOL = 5
"""Number of this set of types, in every view; a screen of another number says so and shows nothing."""

MAX_LINE_BYTES = 262_144
"""Longest line either side accepts: ten seats with every field at its longest come to a tenth of it."""

MOST_ID = 2**53 - 1
"""Largest number of a command or view: what every JSON reader keeps exact."""

MOST_CLIENT = 40
"""Letters of a client's name: a UUID has 36."""

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
SeatStatus = Literal["empty", "away", "out", "to-act", "waiting", "acted", "folded", "all-in"]
Tray = Literal["none", "ok", "unsettled", "offline"]
Urgency = Literal["info", "question", "warning"]
Stage = Literal["idle", "betting", "closed", "over"]
Sensors = Literal["on", "partly", "off"]
ShowPot = Literal["always", "on-request", "never"]
Rulebook = Literal["roberts", "tda"]
Clears = Literal["dealer", "floor", "technician"]
Hold = Literal["", "hand-for-hand", "break"]
"""Why the next hand waits for the floor; "" where it does not."""
Limit = Literal["pot", "half-pot", "stack", "fixed", "spread", "none"]
DidVerb = Literal[
    "fold",
    "check",
    "call",
    "bet",
    "raise",
    "complete",
    "pot",
    "wager",
    "amount",
    "all-in",
    "blind",
    "chips",
    "takes",
    "time",
]
"""`wager` stands for a bet or a raise, `amount` for an amount alone."""
Label = Literal[
    "push-back",
    "push-back-to",
    "they-checked",
    "they-folded",
    "they-called",
    "out-of-turn",
    "acts-now",
    "acts-first",
    "brings-in",
    "it-stands",
    "give-it-back",
    "street-closed",
    "they-have-acted",
    "raise-was-said",
    "call-was-said",
    "they-are-bet",
    "each-its-own",
    "no-bet",
    "own-stack",
    "last-pot",
    "still-there",
    "taken-back",
    "swept",
    "change-made",
    "count-on-pad",
    "counted",
    "count-off",
    "motion-over",
    "floor-has-decided",
    "checked",
    "next-hand",
    "floor-lets-go",
    "runs-boards",
    "chops",
    "plays-game",
    "deal",
    "award",
]
"""What a key says, as a code."""


class Money(msgspec.Struct, frozen=True, kw_only=True):
    """How an integer amount is printed: `prefix` before it, `decimals` of its digits behind the point."""

    prefix: str = ""
    decimals: int = 0


class PotView(msgspec.Struct, frozen=True, kw_only=True):
    """One pot as it would be divided now. `name` is main, side1, side2 …; `seats` can win it."""

    name: str
    amount: int
    seats: tuple[int, ...]
    boards: tuple[int, ...] = ()
    """What each board gets of it, the first one first; empty where there is one board."""


class GameView(msgspec.Struct, frozen=True, kw_only=True):
    """The game being played, as far as its title needs it."""

    name: str = "main"
    variant: str = "holdem"
    structure: str = "no-limit"
    blinds: tuple[int, ...] = ()
    ante: int = 0
    bets: tuple[int, ...] = ()
    """Fixed limit: the bet size of each betting round."""
    bomb: int = 0
    """The ante of a bomb pot that is being played; 0 where it is none."""


class LevelView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The level of a tournament, and the one that follows it ("" for none)."""

    name: str
    minutes_left: int = 0
    """0: its time is over."""
    is_break: bool = False
    next: str = ""
    next_game: GameView | None = None
    """None where a break follows, or nothing."""
    until_break: int | None = None
    """Minutes to the next break; None where none follows."""


class Did(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a seat did, or that is held of it. `amount` is the total of a bet, raise or call (0: none)."""

    verb: DidVerb
    amount: int = 0
    all_in: bool = False


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step that was done, for "UNDO …" and the line at the bottom. `step` is its name in `controller.table.steps`,
    with dashes: "declares", "deals", "floor-counts-pot"."""

    step: str
    seat: int = 0
    did: Did | None = None
    """What came of words or chips."""
    held: bool = False
    amount: int | None = None
    count: int | None = None
    """Boards, minutes: what is no money."""
    pot: str = ""
    seats: tuple[int, ...] = ()
    name: str = ""
    source: BetSource = "book"


class Values(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a sentence can name. None, 0 and "" stand for: not known. `amount`, `least`, `most` are money."""

    seat: int = 0
    turn: int = 0
    seats: tuple[int, ...] = ()
    amount: int | None = None
    least: int | None = None
    most: int | None = None
    count: int | None = None
    hand: int | None = None
    did: Literal["", "checked", "folded"] = ""
    held: Did | None = None
    pot: str = ""
    street: int = 0
    """Number of the betting round that the street opens, from 1; `variant` names it."""
    variant: str = ""
    button: int = 0
    """The seat where the button is by the book."""
    device: str = ""
    spot: str = ""
    lammer: str = ""
    name: str = ""
    """Of a player or a game."""
    tag: str = ""
    """A chip's UID, in hexadecimal digits."""
    reason: str = ""
    """What a library or the system said; printed as it is."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to an alert, or one thing that can be done now: `label` is what its key says, `do` the step that it
    sends (table-script words)."""

    label: Label
    do: str
    values: Values = Values()


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """Something the dealer should know or decide. The likely answer is the first choice; silence changes no money.

    `code` is a warning of the table-script contract or an operator alert such as `tray-offline`. `rule` is the key of
    the rule that it rests on, "" where it is no matter of the rules. `clears` is who may clear it.
    """

    code: str
    level: Urgency
    values: Values = Values()
    choices: tuple[Choice, ...] = ()
    clears: Clears = "dealer"
    rule: str = ""
    about: str = ""
    """Tells alerts of one code without a seat apart: a device, a spot."""

    @property
    def key(self) -> tuple[str, int, str]:
        """Stays the same while the alert stands, so that a screen can keep its place."""
        return self.code, self.values.seat, self.about


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """One seat. `stack` is None where nobody knows it. `seen` is what lies on the spot beyond what counts and is not
    yet settled (0 = nothing): shown as provisional, with `at_least` where a reader cannot be sure of all of it."""

    seat: int
    name: str = ""
    status: SeatStatus = "empty"
    stack: int | None = 0
    bet: int = 0
    bet_source: BetSource = "book"
    last: Did | None = None
    """The seat's last action of this round."""
    presumed: Literal["", "fold", "check"] = ""
    """Where that was presumed, not seen."""
    held: Did | None = None
    owes: int = 0
    due_back: int = 0
    markers: int = 0
    """What it owes on markers."""
    blind: int = 0
    button: bool = False
    tray: Tray = "none"
    seen: int = 0
    at_least: bool = False
    unknown_chips: int = 0


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """One reader, board or badge reader: up or not, and why not (as its driver said it)."""

    name: str
    up: bool
    reason: str = ""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """All that a screen shows, one frozen value."""

    protocol: int = PROTOCOL
    sequence: int
    """Grows by at least one with every change; a `Command` names the one the dealer was looking at."""
    table: str = ""
    game: GameView = GameView()
    next_game: GameView | None = None
    """The game of the next hand, where it is another one."""
    follows: GameView | None = None
    """The game that follows this one in a mix."""
    level: LevelView | None = None
    """Of a tournament."""
    hold: Hold = ""
    rulebook: Rulebook = "roberts"
    hand: int = 0
    round: int = 0
    """The betting round, from 1; with `game.variant` it names the street."""
    phase: Stage = "idle"
    money: Money = Money()
    unit: int = 1
    show_pot: ShowPot = "always"
    pot: int = 0
    pots: tuple[PotView, ...] = ()
    turn: int | None = None
    to_call: int | None = None
    min_raise_to: int | None = None
    max_raise_to: int | None = None
    limit: Limit = "none"
    """What bounds `max_raise_to`; "stack" where the seat's own chips do, whatever the structure."""
    provisional: bool = False
    """True while a live spot is unsettled or chips are owed: the bounds may still change."""
    may: tuple[str, ...] = ()
    button: int = 0
    seats: tuple[SeatView, ...] = ()
    """Seats 1 to 10 in order, those that the table has."""
    alerts: tuple[Alert, ...] = ()
    """Most urgent first."""
    undo: Told | None = None
    """What undo would take back; None when there is nothing."""
    next: tuple[Choice, ...] = ()
    """Steps that the dealer can take now besides the actions of the seat in turn: deal, award, next hand, return."""
    devices: tuple[Device, ...] = ()
    sensors: Sensors = "on"
    pad: bool = False
    """A count pad is read: piles can be counted on it."""
    is_open: bool = False
    """There is no list of badges: whoever is at the dealer's screen decides as the floor."""
    accounts: dict[str, int] = {}
    told: Told | None = None
    """The last step, for the line at the bottom."""
    recorded: bool = True
    """False while what is done is in no record."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A touch or key: `do` in table-script words ("3 raise to 60", "here 5", "deal", "undo", "award main 3").

    `client` and `id` are this command's and no other's: a sender that was cut off sends the same again and gets the
    first answer, nothing is done twice. A client is a random name that its sender keeps for as long as it runs.

    `shown` is the `sequence` of the view that the person was looking at. Every step that is not harmless twice asks for
    it: it is refused where the table has gone on meanwhile to another hand or round, where the same was done since, and
    where the service does not know that view, as after a restart. 0: none, for a step that is harmless twice."""

    client: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_CLIENT, pattern=r"\A[0-9A-Za-z-]+\Z")]
    id: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)]
    do: str
    shown: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)] = 0


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing was done: the code of the sentence, and what it names; `alert` where a warning goes with it."""

    code: str
    values: Values = Values()
    alert: Alert | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to the `Command` of the same `id`: `refused` is None, or why nothing was done."""

    id: int
    refused: Refused | None = None


class ToScreen(msgspec.Struct, frozen=True, kw_only=True):
    """One line from the service: exactly one of the two is set."""

    view: TableView | None = None
    reply: Reply | None = None


class SocketError(PotkeeperError, ValueError):
    """A line on the socket is not what it should be; the message says what was expected."""

    whose: ClassVar[Whose] = "person"


_MOST_REPEATED = 60
"""Bytes of a line that a message about it repeats."""
_NOT_WHAT_IT_SHOULD_BE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a line from outside can make the decoder raise."""
_encoder = msgspec.json.Encoder()
_screen_decoder = msgspec.json.Decoder(ToScreen)
_command_decoder = msgspec.json.Decoder(Command)


def encode(message: ToScreen | Command) -> bytes:
    """The message as one line of JSON, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_to_screen(line: bytes) -> ToScreen:
    """A line from the service. Raises SocketError with one line that says what was expected."""
    try:
        return _screen_decoder.decode(line)
    except _NOT_WHAT_IT_SHOULD_BE as error:
        raise SocketError(f"line from the service: expected a view or a reply, {error}") from None


def decode_command(line: bytes) -> Command:
    """A line from a screen. Raises SocketError with one line that says what was expected."""
    try:
        return _command_decoder.decode(line)
    except _NOT_WHAT_IT_SHOULD_BE as error:
        shown = line[:_MOST_REPEATED].decode(errors="replace")
        raise SocketError(f'command {shown!r}: expected {{"client": "a1", "id": 1, "do": "3 call"}}, {error}') from None
