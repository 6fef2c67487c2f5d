"""Frozen state of one table: players, the hand in progress, chips on the spots, and actions that wait.

`reducer.apply_table_step` returns the next table, and no other module makes one. The rules record what a seat is bound
to put in. This state also records which chips are on its spot. From these two records, `balances.py` derives the pot
and what each seat owes or gets back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from controller.rules import (
    NO_SEATS,
    ZERO_AMOUNTS,
    Game,
    Hand,
    Phase,
    Placement,
    Player,
    SeatAmounts,
    button_and_blinds,
    missed_blinds,
)
from controller.table.steps import Declaration, Step

MAX_UNDO_STEPS = 200
"""Maximum number of steps that undo can take back. This covers more than two hands and always fits in memory."""
MAIN_GAME = "main"

IntendedActionKind = Literal["fold", "check", "call", "bet", "raise", "all-in"]
PresumedAction = Literal["fold", "check"]
HandForHandState = Literal["", "held", "one"]
"""State of hand-for-hand play. "" lets every hand start, and "held" stops the next hand until the floor allows it.
"one" lets the next hand start but stops the hand after it."""


class IntendedAction(NamedTuple):
    """Meaning of a held action, that is one that waits for its turn. `total` is that of a bet or raise, otherwise 0."""

    kind: IntendedActionKind
    total: int = 0


class HeldOutOfTurn(NamedTuple):
    """Action out of turn that is held until the turn reaches its seat."""

    intended: IntendedAction
    declaration: Declaration | None
    """Words to carry out when the turn comes, or None if the seat only put chips forward."""
    motion_chips: tuple[int, ...]
    """Denominations of the chips in the motion."""
    spot_total_needed: int
    """Total on the seat's spot up to which the chips belong to this action. Chips above this total are due back."""
    log_position: int
    """Number of actions in the round's log when this action was made. Later entries may be bets that the seat did not
    know."""
    seats_held_before: frozenset[int] = NO_SEATS
    """Seats with actions that already waited when this action was made. Those actions do not count as a change."""
    is_bound: bool = False
    """True if the floor made the action binding. The action is then carried out even if another seat has bet since."""
    wager_total: int = 0
    """Total of a bet or raise, otherwise 0."""
    spot_total: int = 0
    """Total on the seat's spot when the action was made."""
    is_amount_open: bool = False
    """True after a bare "raise", because the chips of the next motion then determine the amount."""


class HeldForRuling(NamedTuple):
    """Action in turn that is impossible or that the floor must decide. The turn stays with the seat of this action."""

    intended: IntendedAction
    reason: Literal["not-possible", "under-call"]
    declaration: Declaration
    """Declaration that is carried out if the floor makes the action binding."""
    spot_total_needed: int
    """Total on the seat's spot up to which the chips belong to this action. Chips above this total are due back."""
    motion_chips: tuple[int, ...] = ()
    """Denominations of the chips in the motion. Empty if the action was only declared."""


HeldAction: TypeAlias = HeldOutOfTurn | HeldForRuling


class SpokenAmount(NamedTuple):
    """Amount that a seat declared in this round. The seat's next chips are compared with this amount."""

    named_total: int
    """Total that the words named."""
    is_amount_open: bool
    """True if the chips of the next motion determine the amount."""


class ChipMotion(NamedTuple):
    """Last motion of a seat's chips in this round, kept in case the dealer later adds the words that came with it."""

    log_position: int
    """Index of the resulting action in the round's action log."""
    spot_total: int
    """Total on the spot after the motion."""
    spot_total_before: int
    """Total on the spot before the motion."""
    motion_chips: tuple[int, ...]
    is_under_call: bool


class Street(NamedTuple):
    """State of one street, discarded when the street ends.

    Seat numbers are the indexes of its amounts and the keys of its mappings.
    """

    spot_totals: SeatAmounts = ZERO_AMOUNTS
    """Recorded chips on each spot. They pay for a bet, must go back to the seat, or belong to an action out of turn."""
    unplayable_totals: SeatAmounts = ZERO_AMOUNTS
    """Part of `spot_totals` in chips that are smaller than the unit, which is the smallest amount that may be bet."""
    spoken_amounts: Mapping[int, SpokenAmount] = {}
    last_motions: Mapping[int, ChipMotion] = {}
    held_actions: Mapping[int, HeldAction] = {}
    presumed_actions: Mapping[int, PresumedAction] = {}
    """Checks and folds that nobody entered, but that must have happened because a later seat acted."""
    presumed_of_last_round: bool = False
    """True if `presumed_actions` belongs to the round that the last step closed. The next step then clears it."""
    called_time: frozenset[int] = NO_SEATS
    """Seats that have called time."""
    must_call: frozenset[int] = NO_SEATS
    """Seats that took back their own bet while facing a raise, and must therefore call or raise (TDA rulebook only)."""


class Accounts(NamedTuple):
    """Chips that have left the players since the table was opened, by account."""

    rake: int = 0
    jackpot: int = 0
    kitty: int = 0
    time: int = 0
    toke: int = 0
    adjustment: int = 0


class SeatSession(NamedTuple):
    """Chips that one player has bought in and cashed out since the table was opened."""

    seat: int = 0
    """Seat of the player, or 0 if the player has left."""
    name: str = ""
    bought_in: int = 0
    cashed_out: int = 0


class DealerSession(NamedTuple):
    """Period during which one dealer deals at the table."""

    name: str = ""
    """Name of the dealer, or "" if nobody has entered one."""
    hands: int = 0
    accounts: Accounts = Accounts()
    """In `Table.dealer_sessions`, `hands` and `accounts` are the values at the start of the session. In the result of
    `dealer_shifts`, they are the changes during the session."""


class WinStreak(NamedTuple):
    """Number of hands that one seat has won in a row."""

    seat: int = 0
    wins: int = 0


class HandCarryOver(NamedTuple):
    """State that carries over from one hand to the next, apart from the players."""

    placement: Placement
    """Positions of button and blinds in the hand in progress, or in the last hand if none is in progress."""
    placement_before_void: Placement | None = None
    """Positions before a void hand, or None. The positions of the next hand are derived from them again, so that its
    button is that of the void hand."""
    is_first_at_button: bool = True
    """True if no hand has been dealt with this button yet, because the configuration or the floor has just placed
    it."""
    kill_seat: int = 0
    """Seat that owes the kill blind in the next hand, or 0."""
    win_streak: WinStreak = WinStreak()
    rock_seat: int = 0
    """Seat that has the rock, or 0."""

    @property
    def previous_placement(self) -> Placement:
        """Return the positions of button and blinds from which those of the next hand are derived."""
        return self.placement_before_void or self.placement


class Marker(NamedTuple):
    """Debt of a player in chips. Source: Betting in poker, "Open stakes"."""

    debtor: int
    """Seat that owes the chips, or 0 if the debtor has left and `name` identifies them."""
    lender: int
    """Seat that lent the chips, or 0 if the marker was bet in place of chips. The stack of the marker's holder then
    already includes the marker."""
    amount: int
    name: str = ""


class DepartedPlayer(NamedTuple):
    """Player with a known name who has left the table."""

    stack: int
    """Chips that the player left with."""
    left_at_minute: int = 0
    """Table time at which the player left, in minutes."""


class TournamentLevel(NamedTuple):
    """Level of a tournament, which plays the game of the same name. No hand is played in a break."""

    name: str
    minutes: int
    is_break: bool = False


class PreHandState(NamedTuple):
    """State of the table before the hand in progress. A misdeal brings this state back."""

    carry_over: HandCarryOver
    players: Mapping[int, Player]
    hand_for_hand: HandForHandState = ""
    vacated_seats: Mapping[int, Player] = {}


class UndoEntry(NamedTuple):
    """Step that undo can take back."""

    table_before: Table
    """Table before the step, with an empty `undo_stack` and `redo_stack`."""
    step: Step
    at_us: int
    """Time of the step in µs. If the step is a declaration that chips followed, the time of the last of these chips."""


class RedoEntry(NamedTuple):
    """Step that redo can apply again."""

    table_after: Table
    """Table after the step, with an empty `undo_stack` and `redo_stack`."""
    undo_entry: UndoEntry
    """Entry that returns to the undo stack when redo applies the step."""


class LastDeclaration(NamedTuple):
    """Last declaration of a seat. Undo takes it back together with the chips that follow soon."""

    seat: int = 0
    at_us: int = 0


class Table(NamedTuple):
    """State of the table. Its mappings must not be modified in place."""

    games: Mapping[str, Game]
    carry_over: HandCarryOver
    players: Mapping[int, Player]
    known_seats: tuple[int, ...]
    """All seats that have been used at this table, including empty ones."""
    game_name: str = MAIN_GAME
    """Game of the hand in progress, or of the next hand if none is in progress."""
    next_game: str = ""
    """Game of the next hand if it was changed during this hand, otherwise ""."""
    street: Street = Street()
    hand: Hand | None = None
    """Hand in progress, or the last hand. None before the first hand."""
    hands_started: int = 0
    """Number of hands started since the table was opened."""
    offline_seat_sensors: frozenset[int] = NO_SEATS
    """Seats at which the seat sensor is offline."""
    accounts: Accounts = Accounts()
    elapsed_minutes: int = 0
    """Table time in minutes. Undo does not turn it back."""
    departed_players: Mapping[str, DepartedPlayer] = {}
    """Players who have left, by name. Excludes players without a name or with an unknown stack."""
    vacated_seats: Mapping[int, Player] = {}
    """Players who have left since the last hand, by seat, with the blinds that they owed."""
    markers: tuple[Marker, ...] = ()
    """All unpaid markers in order, with at most one for each debtor and lender."""
    mix: tuple[str, ...] = ()
    """Games of a mix in the order in which they are played. Empty without a mix."""
    levels: tuple[TournamentLevel, ...] = ()
    """Levels of a tournament in order. Empty in a cash game."""
    level_start_minute: int | None = None
    """Table time in minutes at which the current level began, or None before the first hand."""
    hand_for_hand: HandForHandState = ""
    """State of hand-for-hand play: whether the next hand needs a permission of the floor."""
    bought_in_total: int = 0
    """Chips bought in minus chips cashed out. Stacks, bets, pots and accounts must add up to this total."""
    is_closed: bool = False
    """True if the table is closed, so that nobody can sit down or play."""
    seat_sessions: tuple[SeatSession, ...] = ()
    """Sessions of every player since the table was opened. The sum of chips bought in minus chips cashed out is
    `bought_in_total`."""
    dealer_sessions: tuple[DealerSession, ...] = (DealerSession(),)
    """Dealers since the table was opened, with the current dealer last."""
    pre_hand_state: PreHandState | None = None
    undo_stack: tuple[UndoEntry, ...] = ()
    """Steps that undo can take back, oldest first."""
    redo_stack: tuple[RedoEntry, ...] = ()
    """Steps that redo can apply again, with the next one last."""
    last_declaration: LastDeclaration = LastDeclaration()

    @property
    def game(self) -> Game:
        """Return the current game, with the limits of the hand in progress, which a kill may have raised."""
        return self.hand.game if self.is_hand_in_progress and self.hand else self.games[self.game_name]

    @property
    def next_in_mix(self) -> str:
        """Return the game that follows in the mix, starting again after the last. Return "" without a mix."""
        following = dict(zip(self.mix, (*self.mix[1:], *self.mix[:1]), strict=True))
        return following.get(self.game_name, "")

    @property
    def is_hand_in_progress(self) -> bool:
        """Return True if a hand is in progress."""
        return self.hand is not None and self.hand.phase is not Phase.OVER

    @property
    def button(self) -> int:
        """Return the seat of the dealer button."""
        return (
            self.hand.button if self.hand is not None and self.is_hand_in_progress else self.carry_over.placement.button
        )

    @property
    def dealer(self) -> str:
        """Return the name of the current dealer, or "" if nobody has entered one."""
        return self.dealer_sessions[-1].name

    @property
    def last_step(self) -> Step | None:
        """Return the last step that undo can take back, or None."""
        return self.undo_stack[-1].step if self.undo_stack else None

    @property
    def next_redo_step(self) -> Step | None:
        """Return the step that redo would apply again, or None."""
        return self.redo_stack[-1].undo_entry.step if self.redo_stack else None


def open_table(
    games: Mapping[str, Game],
    button_seat: int,
    players: Mapping[int, Player],
    *,
    game_name: str = MAIN_GAME,
    mix: tuple[str, ...] = (),
    levels: tuple[TournamentLevel, ...] = (),
) -> Table:
    """Return a table before its first hand.

    The blinds are placed as if a hand with these seats and this button had just been played. With `mix` or `levels`,
    the first of these games is played.
    """
    game_name = levels[0].name if levels else mix[0] if mix else game_name
    known_seats = tuple(sorted({*players, button_seat}))
    game = games[game_name]
    playable_seats = tuple(seat for seat, player in players.items() if missed_blinds.has_playable_chips(game, player))
    placement = (
        button_and_blinds.first_placement(game, button_seat, playable_seats)
        if len(playable_seats) > 1
        else Placement(button_seat)
    )
    return Table(
        games=games,
        carry_over=HandCarryOver(placement, rock_seat=game.rock),
        players=dict(players),
        known_seats=known_seats,
        game_name=game_name,
        mix=mix,
        levels=levels,
        bought_in_total=sum(player.stack for player in players.values()),
        seat_sessions=tuple([SeatSession(seat, player.name, player.stack) for seat, player in sorted(players.items())]),
    )
