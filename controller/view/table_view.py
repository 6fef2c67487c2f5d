"""The complete view of a table, `TableView`, and the types of its parts.

It has codes and typed amounts but no sentences. All amounts are integers in the table's unit of account.
`TableView.money` says how to print them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.view.wire_names import WIRE_NAMES

PROTOCOL_VERSION = 6
"""Version of these types, which every view includes. A screen of another version says so and shows nothing else."""

BetSource = Literal["book", "sensed", "confirmed", "keyed"]
SeatStatus = Literal["empty", "away", "out", "to-act", "waiting", "acted", "folded", "all-in"]
TrayStatus = Literal["none", "ok", "unsettled", "offline"]
Urgency = Literal["info", "question", "warning"]
HandStage = Literal["idle", "betting", "closed", "over"]
SensorStatus = Literal["on", "partly", "off"]
PotVisibility = Literal["always", "on-request", "never"]
Rulebook = Literal["roberts", "tda"]
ClearableBy = Literal["dealer", "floor", "technician"]
HoldReason = Literal["", "hand-for-hand", "break"]
"""Why the next hand must wait for the floor, or "" if it may start."""
BetLimit = Literal["pot", "half-pot", "stack", "cap", "fixed", "spread", "none"]
"""The limit of a bet or raise: the betting structure, the seat's stack, the rest of the hand's cap, or nothing."""
Addend = Literal["in-front", "call", "pot", "half-pot", "bet", "raise", "complete", "on-unit"]
"""A part of the largest bet or raise: chips already bet, the call, the amount above the call, or a correction.
`on-unit` is the correction to a multiple of the house's unit."""
PotAddend = Literal["there", "call", "blinds", "antes", "rounded"]
"""A part of the pot after the call, as the house counts it for its maximum. `blinds` is the amount by which blinds
count for more than was posted. `antes` is negative if antes do not count. `rounded` is the amount by which the pot is
rounded up."""
NoRaiseReason = Literal["", "capped", "no-check-raise", "not-reopened", "nobody-to-raise", "no-chips"]
"""Why the seat in turn may not bet or raise, or "" if it may."""
NotInHandReason = Literal["", "away", "no-chips", "short", "posts", "between-blinds", "moved", "next-hand"]
"""Why a player is not in this hand, or between hands will not be in the next one.

- `away`: the player is away.
- `no-chips`: no chips that play.
- `short`: too few chips for the big blind.
- `posts`: owes a post.
- `between-blinds`: sits between the button and the big blind, and waits until the button has passed.
- `moved`: has changed seats and waits some hands.
- `next-hand`: arrived after the hand began.
"""
ActionVerb = Literal[
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
"""An action in words. `wager` is a bet or a raise, and `amount` is an amount that was said alone."""
KeyLabel = Literal[
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
"""The label of a key on the screen, as a code."""


class Money(msgspec.Struct, frozen=True, kw_only=True):
    """How to print an amount: `prefix` before it, and `decimals` digits behind the decimal point."""

    prefix: str = ""
    decimals: int = 0


class PotView(msgspec.Struct, frozen=True, kw_only=True):
    """One pot as it would be divided now.

    `name` is main, side1, side2 and so on. `seats` can win it.
    """

    name: str
    amount: int
    seats: tuple[int, ...]
    boards: tuple[int, ...] = ()
    """The parts by board, first board first. Empty if the hand has one board."""
    uncalled: int = 0
    """The part of the pot that nobody called, once the round is closed. This part goes back to its seat, whoever wins.
    If it is the whole pot, there is nothing to win in this pot."""
    odd_first: tuple[int, ...] = ()
    """The seats in the order in which they receive odd chips, after the round is closed. Empty for a pot with one seat,
    and in stud, where the cards decide."""


class GameView(msgspec.Struct, frozen=True, kw_only=True):
    """A game, with the fields that its title needs."""

    name: str = "main"
    variant: str = "holdem"
    structure: str = "no-limit"
    blinds: tuple[int, ...] = ()
    ante: int = 0
    bets: tuple[int, ...] = ()
    """The bet sizes by betting round in fixed limit."""
    bomb: int = 0
    """The ante of the bomb pot that is being played, or 0."""
    kill: int = 0
    """The kill blind of this hand, which raised its limits, or 0."""
    high_low: bool = False
    """True if the best high and the best low hand can share a pot."""


class LevelView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The level of a tournament, and the name of the next one, or "" if it is the last."""

    name: str
    minutes_left: int = 0
    """Minutes until the end of the level, or 0 if its time is over."""
    is_break: bool = False
    next: str = ""
    next_game: GameView | None = None
    """The game of the next level, or None if a break or nothing follows."""
    until_break: int | None = None
    """Minutes until the next break, or None if no break follows."""


class ActionView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action of a seat, which is done or waits for its turn. `amount` is the total of a bet, raise or call, or 0."""

    verb: ActionVerb
    amount: int = 0
    all_in: bool = False


class StepSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["StepSummary"]):
    """A recorded step, for the undo key and the status line.

    `step` is its name in `controller.table.steps` with dashes, such as "declares", "deals" or "floor-counts-pot".
    """

    step: str
    seat: int = 0
    action: ActionView | None = None
    """The action that resulted from a declaration or chips, or None."""
    is_held: bool = False
    amount: int | None = None
    count: int | None = None
    """A number of boards or minutes, but not an amount of money."""
    pot: str = ""
    seats: tuple[int, ...] = ()
    name: str = ""
    hand_number: int = 0
    """The hand that the step started, or 0."""
    street: int = 0
    """The betting round of the street that was dealt, from 1, or 0. `variant` names the street."""
    variant: str = ""
    bet_source: BetSource = "book"


class MessageValues(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["MessageValues"]):
    """The values that a sentence may name.

    None, 0 and "" mean that a value is not known. `amount`, `least` and `most` are money.
    """

    seat: int = 0
    turn: int = 0
    seats: tuple[int, ...] = ()
    amount: int | None = None
    least: int | None = None
    most: int | None = None
    count: int | None = None
    hand: int | None = None
    presumed_action: Literal["", "checked", "folded"] = ""
    held_action: ActionView | None = None
    pot: str = ""
    street: int = 0
    """Number of the betting round that begins with the street, from 1. `variant` names it."""
    variant: str = ""
    button: int = 0
    """The seat with the button, as recorded."""
    device: str = ""
    spot: str = ""
    lammer: str = ""
    name: str = ""
    """The name of a player or of a game."""
    tag: str = ""
    """A chip's UID in hexadecimal digits."""
    reason: str = ""
    """The message of a library or the operating system, which is shown unchanged."""
    answers: tuple[KeyLabel, ...] = ()
    """The possible answers to a question."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to an alert, or one possible step of the dealer.

    `label` is the label of its key. `do` is the command that the key sends, in the words of table scripts.
    """

    label: KeyLabel
    do: str
    values: MessageValues = MessageValues()


class Alert(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["Alert"]):
    """A message that the dealer should know or decide about.

    The most likely answer is the first choice. Without an answer, no money changes. `code` is a warning from
    table-scripts.md, or an alert about the table such as `reader-offline`. `rule` is the key of the rule behind the
    alert, or "" if no rule applies. `clearable_by` is the role that may clear it.
    """

    code: str
    level: Urgency
    values: MessageValues = MessageValues()
    choices: tuple[Choice, ...] = ()
    clearable_by: ClearableBy = "dealer"
    rule: str = ""
    subject: str = ""
    """A device or spot that distinguishes alerts with the same code and without a seat."""

    @property
    def key(self) -> tuple[str, int, str]:
        """Return a key that stays the same while the alert is open, so that a screen can keep the alert's place."""
        return self.code, self.values.seat, self.subject


class BetPart(msgspec.Struct, frozen=True, rename=WIRE_NAMES["BetPart"]):
    """One part of the largest bet or raise."""

    kind: Addend
    amount: int


class PotPart(msgspec.Struct, frozen=True, rename=WIRE_NAMES["PotPart"]):
    """One part of the pot after the call."""

    kind: PotAddend
    amount: int


class LargestBetView(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["LargestBetView"]
):
    """How the betting structure composes the largest bet or raise of the seat in turn.

    These values answer the question "How much is the pot?". They therefore ignore the seat's own stack, and are present
    even if the seat may not raise.
    """

    limit: BetLimit = "none"
    """The limit of the betting structure."""
    max_total: int | None = None
    """The maximum total for the betting round, or None if the structure has none."""
    parts: tuple[BetPart, ...] = ()
    """The parts of `max_total`. Parts of zero are left out."""
    pot_parts: tuple[PotPart, ...] = ()
    """The parts of the pot that limits the bet, or of which half is the limit. Parts of zero are left out."""
    stack: int | None = None
    """The seat's stack that plays, within the hand's cap, or None if it is not known."""
    has_enough: bool = True
    """True if the seat's stack is enough for `max_total`, or for any bet if no maximum exists."""
    no_raise_reason: NoRaiseReason = ""
    """Why the seat may not bet or raise, or "" if it may."""
    rule: str = ""
    """The key of the rule behind `max_total` or `no_raise_reason`, or "" if no rule applies."""


class AllInView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["AllInView"]):
    """The result of an all-in by the seat in turn, by the rules."""

    action: ActionView
    """The action that the all-in would be, with the total of the bet, raise or call as `amount`."""
    total: int | None = None
    """The stack plus the chips already bet in this betting round, or None if the stack is not known."""
    excess: int = 0
    """The part of `total` that is over the limit and would be due back."""


class SeatView(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["SeatView"]):
    """One seat.

    `stack` is None if it is not known. `uncounted` is the value on the spot that does not count and has not settled, or
    0. Screens show it as provisional, marked with `at_least` if there may be more chips.
    """

    seat: int
    name: str = ""
    status: SeatStatus = "empty"
    stack: int | None = 0
    bet: int = 0
    bet_source: BetSource = "book"
    last_action: ActionView | None = None
    """The seat's last action in this betting round."""
    presumed_action: Literal["", "fold", "check"] = ""
    """The last action if it is one that nobody entered but that must have happened, otherwise ""."""
    held_action: ActionView | None = None
    held_chips: int = 0
    """The chips that the seat put in for its action that waits for its turn."""
    acted_early: bool = False
    """True if the seat acted, or may have acted, before its turn, and an alert says so."""
    chips_owed: int = 0
    due_back: int = 0
    markers_owed: int = 0
    """The amount that the seat owes on markers."""
    blind: int = 0
    """The seat's blind, straddle or live post in the first betting round, otherwise 0. Between hands, the blind that
    the seat will post next."""
    straddle: bool = False
    """True if the seat has straddled or posted the rock in this betting round."""
    kill: bool = False
    """True if the seat has posted the kill blind in this betting round, or owes it in the next hand."""
    time_called: bool = False
    """True if the seat has called time in this betting round."""
    button: bool = False
    not_in_hand_reason: NotInHandReason = ""
    """Why the player is not in the hand, or between hands will not be in the next one."""
    hands_to_wait: int = 0
    """Number of hands for which the player must wait after a change of seats."""
    missed_blinds: int = 0
    """Total of the blinds and antes that the player has missed and owes."""
    post_due: int = 0
    """The amount that the player must post to be dealt in at once, or 0."""
    may_post: bool = False
    """True if the player can post this amount now."""
    min_straddle: int = 0
    """The minimum straddle that is possible now, or 0 if the seat cannot straddle."""
    tray: TrayStatus = "none"
    uncounted: int = 0
    at_least: bool = False
    unknown_tags: int = 0


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A reader, panel board or badge reader, and the driver's reason if it is down."""

    name: str
    up: bool
    reason: str = ""


class TableView(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["TableView"]):
    """The complete view of a table, as one frozen value."""

    protocol: int = PROTOCOL_VERSION
    service_run: int = 0
    """The run of the service that sent the view. `sequence` increases within one run."""
    sequence: int
    """Number of the view, which increases with every change. A `Command` names the view that the dealer saw."""
    table_name: str = ""
    game: GameView = GameView()
    next_game: GameView | None = None
    """The game of the next hand, or None if it is the same game."""
    next_in_mix: GameView | None = None
    """The game that follows the current one in a mix of games, or None."""
    level: LevelView | None = None
    """The level of a tournament, or None in a cash game."""
    hold: HoldReason = ""
    rulebook: Rulebook = "roberts"
    hand_number: int = 0
    round: int = 0
    """The betting round, from 1. With `game.variant`, it names the street."""
    phase: HandStage = "idle"
    money: Money = Money()
    unit: int = 1
    show_pot: PotVisibility = "always"
    pot: int = 0
    pots: tuple[PotView, ...] = ()
    turn: int | None = None
    to_call: int | None = None
    min_raise_to: int | None = None
    max_raise_to: int | None = None
    limit: BetLimit = "none"
    """What limits `max_raise_to`. "stack" if the seat's own chips limit it, in any betting structure."""
    largest_bet: LargestBetView | None = None
    """How the largest bet or raise is composed, or None while no seat is in turn."""
    pot_to: int | None = None
    """The total of a pot-size bet or raise, in any betting structure. None if the seat may not or cannot bet this
    amount."""
    half_pot_to: int | None = None
    """The total of a bet or raise of half the pot. None if the seat may not or cannot bet this amount."""
    all_in: AllInView | None = None
    """The result of an all-in, or None while no seat is in turn."""
    capped: bool = False
    """True if no more raises are allowed in this betting round."""
    provisional: bool = False
    """True while the limits of the next bet may change, because chips are moving, owed or unread."""
    allowed_actions: tuple[str, ...] = ()
    brings_in: bool = False
    """True if the seat in turn owes the bring-in of a stud game. Its call is the bring-in."""
    button: int = 0
    seats: tuple[SeatView, ...] = ()
    """The seats of the table in order, at most 10."""
    alerts: tuple[Alert, ...] = ()
    """All alerts, most urgent first."""
    undo: StepSummary | None = None
    """The step that undo would take back, or None."""
    undo_crosses: bool = False
    """True if undo leads into another hand, or out of this one."""
    redo: StepSummary | None = None
    """The step that redo would do again, or None."""
    redo_crosses: bool = False
    """True if redo leads into another hand, or out of this one."""
    next_choices: tuple[Choice, ...] = ()
    """The dealer's next possible steps, except actions of the seat in turn: deal, award, start the next hand, or return
    chips."""
    devices: tuple[Device, ...] = ()
    sensors: SensorStatus = "on"
    has_count_pad: bool = False
    """True if a count pad is read, so that piles can be counted on it."""
    open_stakes: bool = False
    """True if players may add chips, cash and markers during a hand."""
    is_closed: bool = False
    """True if the table is closed, so that nobody plays until it is opened."""
    dealer: str = ""
    """The name of the dealer, or "" if it is not known."""
    has_open_access: bool = False
    """True if no list of badges exists, so that anyone at the dealer's screen may decide as the floor."""
    accounts: dict[str, int] = {}
    last_step: StepSummary | None = None
    """The last step, for the status line."""
    recent_steps: tuple[StepSummary, ...] = ()
    """The three steps before the last one, newest first."""
    next_pot_to_award: str = ""
    """The next pot to award, last side pot first, or "" while no pot can be awarded."""
    is_recorded: bool = True
    """False if steps are not recorded in a journal."""
