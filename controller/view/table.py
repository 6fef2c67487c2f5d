"""The table as a screen shows it: one `TableView`, complete in itself.

It carries codes and typed amounts, no sentences. All amounts are integers in the table's unit of account;
`TableView.money` says how to print them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

PROTOCOL = 6
"""Number of this set of types, in every view; a screen of another number says so and shows nothing."""

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
Limit = Literal["pot", "half-pot", "stack", "cap", "fixed", "spread", "none"]
"""What bounds a bet or raise: the structure, the seat's own chips, what the hand's cap leaves it, or nothing."""
Addend = Literal["in-front", "call", "pot", "half-pot", "bet", "raise", "complete", "on-unit"]
"""What the largest bet or raise is the sum of: what the seat has in already, what a call adds, what goes on top;
`on-unit` is what the house's unit takes off."""
PotAddend = Literal["there", "call", "blinds", "antes", "rounded"]
"""What the pot after the call is the sum of, as the house counts it for its maximum: all that is in, the call, blinds
that count for more than lies there, antes that do not count (less than 0), what it is rounded up by."""
WhyNoRaise = Literal["", "capped", "no-check-raise", "not-reopened", "nobody-to-raise", "no-chips"]
WhyOut = Literal["", "away", "no-chips", "short", "posts", "between-blinds", "moved", "next-hand"]
"""Why a player is not in the hand, or will not be in the next one: away; has nothing that plays; too little for the big
blind; owes a post; is between the button and the big blind, and waits until the button has passed; waits some hands
after a change of seats; came when the hand had begun."""
DidVerb = Literal[
    "fold",
    "check",
    "call",
    "bet",
    "raise",
    "complete",
    "brings-in",
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
    "uncalled-back",
    "posts",
    "straddles",
    "kills",
    "open-pair",
    "buys-button",
    "action-is-on",
    "it-is-in",
    "all-is-in",
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
    uncalled: int = 0
    """What of it nobody called, once the round is closed: it goes back, whoever wins. Where that is all of it, it is no
    pot."""
    odd_first: tuple[int, ...] = ()
    """Its seats in the order in which odd chips go, once the round is closed; empty in stud, where the cards decide,
    and for one seat."""


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
    kill: int = 0
    """The kill blind of the hand that is being played, by which its limits grew; 0 where none was posted."""
    high_low: bool = False
    """A pot can be halved between the best high and the best low hand."""


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
    answers: tuple[Label, ...] = ()
    """What a question is answered by."""


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


class Part(msgspec.Struct, frozen=True):
    """One addend of the largest bet or raise."""

    what: Addend
    amount: int


class PotPart(msgspec.Struct, frozen=True):
    """One addend of the pot after the call."""

    what: PotAddend
    amount: int


class LargestView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the largest bet or raise of the seat in turn is made up by the structure, its own chips left aside: the
    answer to "how much is pot?", also where it has less, and where it may not raise."""

    limit: Limit = "none"
    """The structure's."""
    most: int | None = None
    """The total for the round; None where the structure has none."""
    parts: tuple[Part, ...] = ()
    """They sum to `most`; none of them is 0."""
    pot: tuple[PotPart, ...] = ()
    """What the pot part is, or the half pot the half of; they sum to it, none of them is 0."""
    stack: int | None = None
    """What the seat has behind that plays, as its hand's cap leaves it; None where nobody knows it."""
    reaches: bool = True
    """It has enough for `most`, or for any bet."""
    why_no_raise: WhyNoRaise = ""
    """Why the seat may not bet or raise; "" where it may."""
    rule: str = ""
    """The key of the rule that `most` rests on, or that it may not raise; "" for none."""


class AllInView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all-in comes to for the seat in turn, by the rules."""

    did: Did
    """What it would have done; the total of a bet, raise or call as `amount`."""
    total: int | None = None
    """All that it has, with what lies there of this round; None where nobody knows it."""
    back: int = 0
    """What of that would be over the limit, and due back."""


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
    """Where that was presumed, not seen, and is what it did last."""
    held: Did | None = None
    held_chips: int = 0
    """What it put forward for what is held of it."""
    early: bool = False
    """It has acted before its turn, or its chips lie there before it: the offender of a warning, or of the question
    whether it is one."""
    owes: int = 0
    due_back: int = 0
    markers: int = 0
    """What it owes on markers."""
    blind: int = 0
    """Its blind, straddle or live post, in the round where that is its bet; between hands the blind that it will post
    in the next one."""
    straddle: bool = False
    """It has straddled, or posted the rock, in this round."""
    kill: bool = False
    """It has posted the kill blind in this round, or owes it in the next hand."""
    time_called: bool = False
    """It has called time in this round."""
    button: bool = False
    why_out: WhyOut = ""
    """Why it is not in the hand; between hands, why it will not be in the next one."""
    waits_hands: int = 0
    """How many hands it waits after a change of seats."""
    missed: int = 0
    """Blinds and antes that it has missed and owes."""
    post: int = 0
    """What it has to post to be dealt in at once; 0 where it need not."""
    may_post: bool = False
    """It can post that now."""
    may_straddle: int = 0
    """The least that it can straddle for now; 0 where it cannot."""
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
    run: int = 0
    """Which run of the service shows it: `sequence` grows within one."""
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
    largest: LargestView | None = None
    """How the largest bet or raise is made up; None while nobody is in turn."""
    pot_to: int | None = None
    """The total of a bet or raise of the pot after the call, whatever the structure; None where the seat may not or
    cannot bet that."""
    half_pot_to: int | None = None
    """The same of half the pot."""
    all_in: AllInView | None = None
    """What all-in comes to; None while nobody is in turn."""
    capped: bool = False
    """No more raises in this round."""
    provisional: bool = False
    """True while a live spot is unsettled or not read, or chips are owed: the bounds may still change."""
    may: tuple[str, ...] = ()
    brings_in: bool = False
    """Stud: the seat in turn owes the bring-in; its call is that."""
    button: int = 0
    seats: tuple[SeatView, ...] = ()
    """Seats 1 to 10 in order, those that the table has."""
    alerts: tuple[Alert, ...] = ()
    """Most urgent first."""
    undo: Told | None = None
    """What undo would take back; None when there is nothing."""
    undo_crosses: bool = False
    """It leads into another hand, or out of this one."""
    redo: Told | None = None
    """What redo would do again; None when there is nothing."""
    redo_crosses: bool = False
    """As `undo_crosses`."""
    next: tuple[Choice, ...] = ()
    """Steps that the dealer can take now besides the actions of the seat in turn: deal, award, next hand, return."""
    devices: tuple[Device, ...] = ()
    sensors: Sensors = "on"
    pad: bool = False
    """A count pad is read: piles can be counted on it."""
    open_stakes: bool = False
    """Chips, cash and markers may come in during a hand."""
    closed: bool = False
    """The table is closed: nobody plays till it is opened."""
    dealer: str = ""
    """Who deals; "" where nobody has said."""
    is_open: bool = False
    """There is no list of badges: whoever is at the dealer's screen decides as the floor."""
    accounts: dict[str, int] = {}
    told: Told | None = None
    """The last step, for the line at the bottom."""
    lately: tuple[Told, ...] = ()
    """The three steps before it, the newest first."""
    give: str = ""
    """The pot that is to be given next, the last side pot first; "" while none can be."""
    recorded: bool = True
    """False while what is done is in no record."""
