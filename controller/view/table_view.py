"""The complete view of a table, `TableView`, and the types of its parts.

A view has codes and typed amounts but no sentences. All amounts are integers in the table's unit of account.
`TableView.money` says how to print amounts.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.view.wire_names import WIRE_NAMES

PROTOCOL_VERSION = 8
"""Version of the types in this module, which every view includes.

A screen with another version shows only that the versions differ.
"""

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
FloorCallReason = Literal["", "ruling", "fill", "credit", "player", "service"]
"""The reason why the next hand must wait for the floor, or "" if it may start."""
BetLimit = Literal["pot", "half-pot", "stack", "cap", "fixed", "spread", "none"]
"""The cause that limits a bet: the betting structure, the seat's stack, the cap of the hand, or nothing."""
QuickBet = Literal["x2", "x2.5", "x3", "last-bet", "third-pot", "half-pot", "two-thirds-pot"]
"""A bet or raise that players name by its size: a multiple of the current bet, the last bet of an earlier round, or a
share of the pot after the call."""
Addend = Literal["in-front", "call", "pot", "half-pot", "bet", "raise", "complete", "on-unit"]
"""An amount in the sum of the largest bet: chips already bet, the call, the raise, or a correction.

`on-unit` is the correction to a multiple of the house's unit.
"""
PotAddend = Literal["there", "call", "blinds", "antes", "rounded"]
"""An amount in the sum of the pot after the call, by which the house limits a bet.

- `blinds` is the amount by which blinds count for more than was posted.
- `antes` is negative if antes do not count.
- `rounded` is the amount by which the pot is rounded up.
"""
NoRaiseReason = Literal["", "capped", "no-check-raise", "not-reopened", "nobody-to-raise", "no-chips", "no-all-in"]
"""The reason why the seat in turn may not bet or raise, or "" if it may."""
NotInHandReason = Literal["", "away", "no-chips", "short", "posts", "between-blinds", "moved", "next-hand"]
"""The reason why a player is not in this hand, or between hands will not be in the next one.

- `away`: the player is away.
- `no-chips`: the player has no chips that may be bet.
- `short`: the player has too few chips for the big blind.
- `posts`: the player must post a missed blind first.
- `between-blinds`: the player sits between the button and the big blind, and waits until the button has passed.
- `moved`: the player has changed seats and must wait some hands.
- `next-hand`: the player arrived after the hand began.
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
"""The word for an action. `wager` is a bet or a raise. `amount` means that a player said an amount without a word."""
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
    "one-motion",
    "bet-was",
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
    "means",
    "calls-clock",
    "practice-show",
    "practice-continue",
    "practice-again",
]
"""The label of a key on the screen, as a code."""


class Money(msgspec.Struct, frozen=True, kw_only=True):
    """How to print an amount: `prefix` before it, and `decimals` digits behind the decimal point."""

    prefix: str = ""
    decimals: int = 0


class PotView(msgspec.Struct, frozen=True, kw_only=True):
    """One pot as it would be divided now.

    `name` is main, side1, side2 and so on. `seats` are the seats that can win the pot.
    """

    name: str
    amount: int
    seats: tuple[int, ...]
    boards: tuple[int, ...] = ()
    """The part of the pot for each board, in the order of the boards. Empty if the hand has one board."""
    uncalled: int = 0
    """The part of the pot that nobody called, or 0 until the betting round is closed.

    This part goes back to the seat that bet it, whoever wins. If this part is the whole pot, there is nothing to win.
    """
    odd_first: tuple[int, ...] = ()
    """The seats in the order in which they receive odd chips, after the betting round is closed.

    Empty for a pot with one seat, and in stud, in which the cards decide the order.
    """


class GameView(msgspec.Struct, frozen=True, kw_only=True):
    """A game, with the values that a screen needs for the game's title."""

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
    """The kill blind of this hand, which raised the limits of the hand, or 0."""
    high_low: bool = False
    """True if the best high and the best low hand can share a pot."""


class LevelView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The level of a tournament. `next` is the name of the next level, or "" if this level is the last."""

    name: str
    minutes_left: int = 0
    """Minutes until the end of the level, or 0 if the level is over."""
    is_break: bool = False
    next: str = ""
    next_game: GameView | None = None
    """The game of the next level, or None if the tournament ends or has a break next."""
    until_break: int | None = None
    """Minutes until the next break, or None if no break follows."""


class ActionView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that a seat has done, or that waits for its turn.

    `amount` is the total of a bet, raise or call, or 0 for other actions.
    """

    verb: ActionVerb
    amount: int = 0
    all_in: bool = False


class StepSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["StepSummary"]):
    """The summary of a recorded step, for the undo key and the status line.

    `step` is the code of the step's type, such as "declares", "deals" or "floor-counts-pot".
    """

    step: str
    seat: int = 0
    action: ActionView | None = None
    """The action that resulted from a declaration or chips, or None for other steps."""
    is_held: bool = False
    amount: int | None = None
    count: int | None = None
    """A number of boards or minutes, but not an amount of money."""
    pot: str = ""
    seats: tuple[int, ...] = ()
    name: str = ""
    hand_number: int = 0
    """Number of the hand that the step started, or 0 for other steps."""
    street: int = 0
    """Number of the betting round after the dealt street, from 1, or 0 for other steps.

    The number together with `variant` determines the name of the street.
    """
    variant: str = ""
    structure: str = ""
    """Betting structure of the game that the step selected, or "". `variant` and this name the game."""
    bet_source: BetSource = "book"
    effects: tuple[StepSummary, ...] = ()
    """What else happened because of the step, such as folds of passed seats or a raise that had waited for its turn."""
    is_unauthorised: bool = False
    """True for a decision of the floor at a table without a list of badges, at which nobody has to log in."""

    def with_effects(self, *effects: StepSummary) -> StepSummary:
        """Return a copy of the summary with these effects."""
        return msgspec.structs.replace(self, effects=effects)

    def as_unauthorised(self) -> StepSummary:
        """Return a copy of the summary, marked as a decision that no badge has authorised."""
        return msgspec.structs.replace(self, is_unauthorised=True)

    def alone(self) -> StepSummary:
        """Return a copy of the summary without its effects and without the mark of an unauthorised decision."""
        return msgspec.structs.replace(self, effects=(), is_unauthorised=False)


class MessageValues(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["MessageValues"]):
    """The values that a message on the screen may contain.

    None, 0 and "" mean that a value is not known. `amount`, `least` and `most` are amounts of money.
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
    pots: tuple[tuple[str, int], ...] = ()
    """Names and amounts of pots."""
    street: int = 0
    """Number of the betting round that begins with the street, from 1.

    The number together with `variant` determines the name of the street.
    """
    variant: str = ""
    structure: str = ""
    """Betting structure of a game. If it is known, it names the game together with `variant`."""
    button: int = 0
    """The seat that has the button according to the records of the table."""
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

    `label` is the label of the key for this choice. `do` is the command that the key sends, in the words of table
    scripts.
    """

    label: KeyLabel
    do: str
    values: MessageValues = MessageValues()


class Alert(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["Alert"]):
    """A message that the dealer should read, or a question that the dealer should answer.

    The most likely answer is the first choice. Without an answer, no money changes. `code` is a warning from
    table-scripts.md, or an alert about the table such as `reader-offline`. `rule` is the key of the rule behind the
    alert, or "" if no rule applies. `clearable_by` is the role that may clear the alert.
    """

    code: str
    level: Urgency
    values: MessageValues = MessageValues()
    choices: tuple[Choice, ...] = ()
    clearable_by: ClearableBy = "dealer"
    rule: str = ""
    subject: str = ""
    """The device or spot that the alert is about. It distinguishes alerts with the same code and without a seat."""
    cause: str = ""
    """Code of the alert about the fault from which this alert follows, or "" if it stands for a fault of its own.
    Screens show only the alert about the fault."""

    @property
    def key(self) -> tuple[str, int, str]:
        """Return a key that stays the same while the alert is open, so that a screen can keep the alert's place."""
        return self.code, self.values.seat, self.subject


class BetPart(msgspec.Struct, frozen=True, rename=WIRE_NAMES["BetPart"]):
    """One amount in the sum of the largest bet or raise."""

    kind: Addend
    amount: int


class PotPart(msgspec.Struct, frozen=True, rename=WIRE_NAMES["PotPart"]):
    """One amount in the sum of the pot after the call."""

    kind: PotAddend
    amount: int


class LargestBetView(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["LargestBetView"]
):
    """The largest bet or raise of the seat in turn, and how the betting structure computes it.

    These values answer the question "How much is the pot?". They therefore ignore the seat's own stack, and are present
    even if the seat may not raise.
    """

    limit: BetLimit = "none"
    """The limit that the betting structure sets."""
    max_total: int | None = None
    """The maximum total that the seat may bet in this betting round, or None if the structure has no maximum."""
    parts: tuple[BetPart, ...] = ()
    """The amounts that add up to `max_total`, without amounts of 0."""
    pot_parts: tuple[PotPart, ...] = ()
    """The amounts that add up to the pot, without amounts of 0. Empty if the pot does not limit the bet."""
    stack: int | None = None
    """The chips that the seat may still bet under the hand's cap, or None if they are not known."""
    has_enough: bool = True
    """True if the seat's stack is enough to bet `max_total`, or if the stack is not known."""
    no_raise_reason: NoRaiseReason = ""
    """The reason why the seat may not bet or raise, or "" if it may."""
    rule: str = ""
    """The catalogue key of the rule behind `max_total` or `no_raise_reason`, or "" if no rule applies."""


class AllInView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["AllInView"]):
    """The result that an all-in by the seat in turn would have under the rules."""

    action: ActionView
    """The action that the all-in would be, with the total of the bet, raise or call as `amount`."""
    total: int | None = None
    """The stack plus the chips already bet in this betting round, or None if the stack is not known."""
    excess: int = 0
    """The part of `total` over the limit, which the dealer would have to return."""


class SeatView(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["SeatView"]):
    """The view of one seat.

    `stack` is None if it is not known. `uncounted` is the value of chips on the spot that do not count as a bet yet, or
    0. Screens show this value as provisional. `at_least` is True if there may be more chips.
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
    """The seat's last action if nobody entered it but it must have happened, otherwise ""."""
    held_action: ActionView | None = None
    held_chips: int = 0
    """The amount that the seat put in for an action that waits for its turn."""
    acted_early: bool = False
    """True if the seat acted, or may have acted, before its turn, and an alert says so."""
    chips_owed: int = 0
    due_back: int = 0
    markers_owed: int = 0
    """The amount that the seat owes on markers."""
    blind: int = 0
    """The seat's blind, straddle or live post in the first betting round, otherwise 0.

    Between hands, the value is the blind that the seat will post next.
    """
    is_big_blind: bool = False
    """True if `blind` is the big blind of this hand. With a short stack, it can be smaller than the small blind."""
    straddle: bool = False
    """True if the seat has straddled in this betting round, by choice or because of the rock."""
    kill: bool = False
    """True if the seat has posted the kill blind in this betting round, or owes it in the next hand."""
    time_called: bool = False
    """True if the seat has called time in this betting round."""
    clock_seconds: int | None = None
    """Seconds that the seat still has because the clock was called on it, or None if it was not called."""
    button: bool = False
    not_in_hand_reason: NotInHandReason = ""
    """The reason why the player is not in the hand, or between hands will not be in the next one."""
    hands_to_wait: int = 0
    """Number of hands for which the player must wait after a change of seats."""
    missed_blinds: int = 0
    """Total of the blinds and antes that the player has missed and owes."""
    post_due: int = 0
    """The amount that the player must post to be dealt in at once, or 0."""
    may_post: bool = False
    """True if the player can post the amount `post_due` now."""
    min_straddle: int = 0
    """The minimum straddle that is possible now, or 0 if the seat cannot straddle."""
    may_have_checked: bool = False
    """True if the seat faced no bet when it last acted in this round, so that its action may have been a check."""
    queued_steps: tuple[StepSummary, ...] = ()
    """Steps of the seat that are done when the hand is over, such as to add chips."""
    tray: TrayStatus = "none"
    uncounted: int = 0
    at_least: bool = False
    unknown_tags: int = 0


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A reader, panel board or badge reader.

    `reason` says why the device is down, as its driver reports it.
    """

    name: str
    up: bool
    reason: str = ""


class FloorCallView(msgspec.Struct, frozen=True, kw_only=True):
    """The call for the floor, until the floor has come."""

    why: FloorCallReason = ""
    """The reason that the dealer gave, or "" if the dealer gave none."""
    minutes: int = 0
    """Whole minutes since the call."""
    answered_by: str = ""
    """The name of the person who answered the call, or "" if nobody has answered."""


class TableView(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["TableView"]):
    """The complete view of a table, as one frozen value."""

    protocol: int = PROTOCOL_VERSION
    service_run: int = 0
    """Number of the run of the service that sent the view. `sequence` increases within one run."""
    sequence: int
    """Number of the view, which increases with every change. A `Command` names the view that the dealer saw."""
    table_name: str = ""
    game: GameView = GameView()
    next_game: GameView | None = None
    """The game of the next hand, or None if the game stays the same."""
    next_in_mix: GameView | None = None
    """The game that follows the present game in a mix of games, or None without a mix."""
    level: LevelView | None = None
    """The level of a tournament, or None in a cash game."""
    hold: HoldReason = ""
    rulebook: Rulebook = "roberts"
    hand_number: int = 0
    round: int = 0
    """Number of the betting round, from 1.

    The number together with `game.variant` determines the name of the street.
    """
    phase: HandStage = "idle"
    money: Money = Money()
    unit: int = 1
    chip_colours: dict[int, str] = {}
    """The colour of each denomination to which the house has given one, as `#rrggbb`, smallest denomination first."""
    show_pot: PotVisibility = "always"
    pot: int = 0
    pots: tuple[PotView, ...] = ()
    turn: int | None = None
    to_call: int | None = None
    min_raise_to: int | None = None
    max_raise_to: int | None = None
    limit: BetLimit = "none"
    """The cause that limits `max_raise_to`, such as "stack" if the seat has no more chips."""
    largest_bet: LargestBetView | None = None
    """The largest bet or raise and how it is computed, or None while no seat is in turn."""
    pot_to: int | None = None
    """The total of a bet or raise of the size of the pot, in any betting structure.

    None if the seat may not or cannot bet this amount.
    """
    quick_bets: dict[QuickBet, int] = {}
    """The totals of bets or raises that players name by their size, such as "x3" for three times the current bet, or
    "half-pot". Each total is rounded to the nearest `unit`. A total that the seat cannot bet is left out."""
    all_in: AllInView | None = None
    """The result that an all-in would have, or None while no seat is in turn."""
    capped: bool = False
    """True if no more raises are allowed in this betting round."""
    provisional: bool = False
    """True while the limits of the next bet may change, because chips are moving, are owed or are not read."""
    allowed_actions: tuple[str, ...] = ()
    brings_in: bool = False
    """True if the seat in turn must pay the bring-in of a stud game. With a call, the seat pays the bring-in."""
    button: int = 0
    seats: tuple[SeatView, ...] = ()
    """The seats of the table in order, at most 10."""
    alerts: tuple[Alert, ...] = ()
    """All alerts, most urgent first."""
    undo: StepSummary | None = None
    """The step that undo would take back, or None if there is no such step."""
    undo_crosses: bool = False
    """True if undo would leave this hand, or return to another hand."""
    redo: StepSummary | None = None
    """The step that redo would do again, or None if there is no such step."""
    redo_crosses: bool = False
    """True if redo would leave this hand, or return to another hand."""
    next_choices: tuple[Choice, ...] = ()
    """The dealer's next possible steps: deal, award, start the next hand, or return chips.

    Actions of the seat in turn are not included.
    """
    floor_call: FloorCallView | None = None
    """The call for the floor, or None if the floor is not called."""
    devices: tuple[Device, ...] = ()
    sensors: SensorStatus = "on"
    has_count_pad: bool = False
    """True if the table has a working count pad, on which the dealer can count piles of chips."""
    open_stakes: bool = False
    """True if players may add chips, cash and markers during a hand."""
    is_closed: bool = False
    """True if the table is closed. Nobody plays until the table is opened."""
    dealer: str = ""
    """The name of the dealer, or "" if it is not known."""
    has_open_access: bool = False
    """True if no list of badges exists, so that anyone at the dealer's screen may decide as the floor."""
    accounts: dict[str, int] = {}
    last_step: StepSummary | None = None
    """The last step, for the status line."""
    recent_steps: tuple[StepSummary, ...] = ()
    """At most three steps before the last step, newest first."""
    next_pot_to_award: str = ""
    """Name of the pot that is awarded next, or "" while no pot can be awarded. The last side pot is awarded first."""
    is_recorded: bool = True
    """False if steps are not recorded in a journal."""
