"""Frozen state of one table: players, the hand in progress, chips on the spots, and actions that wait.

`reducer.apply_table_step` returns the next table, and no other module makes one. The rules record what a seat must put
in. The state in this module records which chips are on the spot of the seat. From these two records, `balances.py`
derives the pot and what each seat owes or must get back.
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
from controller.steps import Declaration, SeatStep, Step

MAX_UNDO_STEPS = 200
"""Maximum number of steps that undo can take back. 200 steps cover more than two hands and always fit in memory."""
MAIN_GAME = "main"

IntendedActionKind = Literal["fold", "check", "call", "bet", "raise", "all-in"]
PresumedAction = Literal["fold", "check"]
HandForHandState = Literal["", "held", "one"]
"""Permission to start hands in hand-for-hand play. "" means that every hand may start. "held" stops the next hand until
the floor allows it. "one" lets the next hand start and stops the hand after it."""


class IntendedAction(NamedTuple):
    """Meaning of an action that waits for its turn. `total` is the total of a bet or raise, otherwise 0."""

    kind: IntendedActionKind
    total: int = 0


class HeldOutOfTurn(NamedTuple):
    """Action out of turn that waits until its seat is in turn."""

    intended: IntendedAction
    declaration: Declaration | None
    """Words to carry out when the seat is in turn, or None if the seat only put chips forward."""
    motion_chips: tuple[int, ...]
    """Denominations of the chips that the seat put in with this action."""
    spot_total_needed: int
    """Total on the seat's spot up to which the chips belong to this action. The dealer must give back chips above this
    total."""
    log_position: int
    """Number of actions in the round's action log when this action was made. Later entries may be bets that the seat
    did not know."""
    seats_held_before: frozenset[int] = NO_SEATS
    """Seats that already had an action waiting for its turn when this seat acted. When the action of such a seat is
    carried out later, the action of this seat stays valid."""
    is_bound: bool = False
    """True if the floor made the action binding. The action is then carried out even if another seat has bet since."""
    wager_total: int = 0
    """Total of the bet or raise that waits for its turn, otherwise 0."""
    spot_total: int = 0
    """Total on the seat's spot when this action was made."""
    is_amount_open: bool = False
    """True after a "raise" without an amount, because the chips that the seat puts in next set the amount."""


class HeldForRuling(NamedTuple):
    """Action in turn that is impossible or that the floor must decide. The seat stays in turn."""

    intended: IntendedAction
    reason: Literal["not-possible", "under-call"]
    declaration: Declaration
    """Declaration that is carried out if the floor makes the action binding."""
    spot_total_needed: int
    """Total on the seat's spot up to which the chips belong to this action. The dealer must give back chips above this
    total."""
    motion_chips: tuple[int, ...] = ()
    """Denominations of the chips that the seat put in with this action. Empty if the action was only declared."""


HeldAction: TypeAlias = HeldOutOfTurn | HeldForRuling


class SpokenAmount(NamedTuple):
    """Amount that a seat declared in this round, with which the seat's next chips are compared."""

    named_total: int
    """Total that the words of the seat named."""
    is_amount_open: bool
    """True if the chips that the seat puts in next set the amount."""


class ChipMotion(NamedTuple):
    """Last chips that a seat put in or took back in this round.

    They are kept because the dealer may add words that the seat said with these chips.
    """

    log_position: int
    """Index of the action for which the seat moved these chips, in the action log of the round."""
    spot_total: int
    """Total on the spot after the seat moved these chips."""
    spot_total_before: int
    """Total on the spot before the seat moved these chips."""
    motion_chips: tuple[int, ...]
    is_under_call: bool


class Street(NamedTuple):
    """State of one street, which is discarded when the street ends.

    Its lists of amounts and its mappings are indexed by seat number.
    """

    spot_totals: SeatAmounts = ZERO_AMOUNTS
    """Value of the recorded chips on each spot. Some pay for a bet, some must go back to the seat, and some belong to
    an action out of turn."""
    unplayable_totals: SeatAmounts = ZERO_AMOUNTS
    """Value of the very small chips on each spot, which cannot be bet. Such a chip is smaller than the unit, that is
    the smallest amount that may be bet. The value is included in `spot_totals`."""
    spoken_amounts: Mapping[int, SpokenAmount] = {}
    last_motions: Mapping[int, ChipMotion] = {}
    held_actions: Mapping[int, HeldAction] = {}
    presumed_actions: Mapping[int, PresumedAction] = {}
    """Checks and folds that nobody entered, but that must have happened because a later seat acted."""
    presumed_of_last_round: bool = False
    """True if `presumed_actions` is from the round that the last step closed, so that the next step clears it."""
    called_time: frozenset[int] = NO_SEATS
    """Seats that have called time, so that they cannot be skipped."""
    must_call: frozenset[int] = NO_SEATS
    """Seats that took back a bet of their own while facing a raise. With TDA rules such a seat must call or raise."""


class Accounts(NamedTuple):
    """Chips that have left the players since the table was opened, by account."""

    rake: int = 0
    jackpot: int = 0
    kitty: int = 0
    time: int = 0
    toke: int = 0
    adjustment: int = 0
    promotion: int = 0
    """Promotions of the house, such as splash pots and bounties. Negative, because the house pays them."""


class CageTransfers(NamedTuple):
    """Chips that moved between the cage and the dealer's tray since the table was opened.

    These chips belong to the house, so that they are not part of `Table.bought_in_total` or the accounts.
    """

    fills: int = 0
    """Value of the chips that came from the cage."""
    credits: int = 0
    """Value of the chips that went to the cage."""


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
    """Chips in each account. In `Table.dealer_sessions`, `hands`, `accounts` and `cage_transfers` are the values at the
    start of the session. In the result of `dealer_shifts`, they are the changes during the session."""
    cage_transfers: CageTransfers = CageTransfers()


class WinStreak(NamedTuple):
    """Number of hands in a row that one seat has won."""

    seat: int = 0
    wins: int = 0


class HandCarryOver(NamedTuple):
    """State that one hand passes on to the next hand, apart from the players."""

    placement: Placement
    """Positions of button and blinds in the hand in progress or, between hands, in the last hand."""
    placement_before_void: Placement | None = None
    """Positions of button and blinds before a void hand, or None. The next hand's button and blinds are derived from
    these positions again, so that the next hand has the button of the void hand."""
    is_first_at_button: bool = True
    """True if no hand has been dealt with this button yet. The configuration or the floor has just placed the
    button."""
    kill_seat: int = 0
    """Seat that must post the kill blind in the next hand, or 0."""
    win_streak: WinStreak = WinStreak()
    rock_seat: int = 0
    """Seat that holds the rock and must straddle, or 0."""
    seats_passed: frozenset[int] = NO_SEATS
    """Seats that the blinds have reached or passed since the table was opened. Empty unless a game has the option
    `new_game_free`."""

    @property
    def previous_placement(self) -> Placement:
        """Return the positions of button and blinds from which the positions of the next hand are derived."""
        return self.placement_before_void or self.placement


class Marker(NamedTuple):
    """Written debt of a player in chips. Source: Betting in poker, "Open stakes"."""

    debtor: int
    """Seat that owes the chips, or 0 if the debtor has left. The field `name` then names the debtor."""
    lender: int
    """Seat that lent the chips, or 0 if the marker was bet in place of chips. In the second case, the stack of the
    player who won the marker includes it."""
    amount: int
    name: str = ""


class UnnamedDebt(NamedTuple):
    """Unpaid markers of a player without a name who has left. Nobody can redeem them, but the report lists them."""

    seat: int
    """Seat that the player has left."""
    left_at_minute: int
    """Table time in minutes at which the player left."""
    amount: int


class DepartedPlayer(NamedTuple):
    """Player with a known name who has left the table."""

    stack: int
    """Value of the chips with which the player left."""
    left_at_minute: int = 0
    """Table time in minutes at which the player left."""


class TournamentLevel(NamedTuple):
    """Level of a tournament. The game with the name of the level is played. No hand is played in a break."""

    name: str
    minutes: int
    is_break: bool = False


class PreHandState(NamedTuple):
    """State of the table before the hand in progress, to which a misdeal returns."""

    carry_over: HandCarryOver
    players: Mapping[int, Player]
    hand_for_hand: HandForHandState = ""
    vacated_seats: Mapping[int, Player] = {}


class UndoEntry(NamedTuple):
    """Step that undo can take back, with the table before the step."""

    table_before: Table
    """Table before the step, stored with an empty `undo_stack` and `redo_stack`."""
    step: Step
    at_us: int
    """Time of the step in µs. If the step is a declaration and chips followed, this is the time of the last of these
    chips."""


class RedoEntry(NamedTuple):
    """Step that redo can apply again, with the table after the step."""

    table_after: Table
    """Table after the step, stored with an empty `undo_stack` and `redo_stack`."""
    undo_entry: UndoEntry
    """Undo entry of the step, which returns to the undo stack when redo applies the step."""


class LastDeclaration(NamedTuple):
    """Last declaration of a seat. If its chips follow soon, undo takes back declaration and chips together."""

    seat: int = 0
    at_us: int = 0


class Table(NamedTuple):
    """State of one table, with mappings that must not be changed in place."""

    games: Mapping[str, Game]
    carry_over: HandCarryOver
    players: Mapping[int, Player]
    known_seats: tuple[int, ...]
    """All seats that have been used at this table, including seats that are empty now."""
    game_name: str = MAIN_GAME
    """Name of the game of the hand in progress or, between hands, of the next hand."""
    next_game: str = ""
    """Name of the game of the next hand if the dealer named it during this hand, otherwise ""."""
    street: Street = Street()
    hand: Hand | None = None
    """Hand in progress or, between hands, the last hand. None before the first hand."""
    hands_started: int = 0
    """Number of hands started since the table was opened."""
    offline_seat_sensors: frozenset[int] = NO_SEATS
    """Seats with a sensor that is offline."""
    accounts: Accounts = Accounts()
    cage_transfers: CageTransfers = CageTransfers()
    elapsed_minutes: int = 0
    """Table time in minutes, which undo does not turn back."""
    departed_players: Mapping[str, DepartedPlayer] = {}
    """Players who have left, by name. Players without a name or with an unknown stack are not included."""
    vacated_seats: Mapping[int, Player] = {}
    """Players who have left since the last hand, by their former seat, with the blinds that they owed."""
    markers: tuple[Marker, ...] = ()
    """All unpaid markers in order. Each debtor has at most one marker for each lender."""
    unnamed_debts: tuple[UnnamedDebt, ...] = ()
    """Unpaid markers of players without a name who have left, in the order in which they left."""
    mix: tuple[str, ...] = ()
    """Games of a mix in the order in which they are played. Empty without a mix."""
    levels: tuple[TournamentLevel, ...] = ()
    """Levels of a tournament in order. Empty in a cash game."""
    level_start_minute: int | None = None
    """Table time in minutes at which the current level began, or None before the first hand."""
    hand_for_hand: HandForHandState = ""
    """Permission to start hands in hand-for-hand play, in which the floor must allow each hand."""
    bought_in_total: int = 0
    """Value of the chips bought in minus the chips cashed out. Stacks, bets, pots and accounts must add up to this
    total."""
    is_closed: bool = False
    """True if the table is closed, so that nobody can sit down or play."""
    seat_sessions: tuple[SeatSession, ...] = ()
    """Session of every player since the table was opened. All chips bought in minus all chips cashed out make
    `bought_in_total`."""
    dealer_sessions: tuple[DealerSession, ...] = (DealerSession(),)
    """Sessions of the dealers since the table was opened, with the current dealer last."""
    queued_steps: tuple[SeatStep, ...] = ()
    """Steps that are done when the hand in progress is over, in order."""
    pre_hand_state: PreHandState | None = None
    undo_stack: tuple[UndoEntry, ...] = ()
    """Steps that undo can take back, oldest first."""
    redo_stack: tuple[RedoEntry, ...] = ()
    """Steps that redo can apply again. The last entry is applied next."""
    last_declaration: LastDeclaration = LastDeclaration()

    @property
    def game(self) -> Game:
        """Return the game that is played now. During a hand, a kill may have raised its limits."""
        return self.hand.game if self.is_hand_in_progress and self.hand else self.games[self.game_name]

    @property
    def next_in_mix(self) -> str:
        """Return the name of the game that follows in the mix, or "" without a mix. The first game follows the last."""
        following = dict(zip(self.mix, (*self.mix[1:], *self.mix[:1]), strict=True))
        return following.get(self.game_name, "")

    @property
    def is_hand_in_progress(self) -> bool:
        """Return True if a hand is in progress."""
        return self.hand is not None and self.hand.phase is not Phase.OVER

    @property
    def button(self) -> int:
        """Return the seat that has the dealer button."""
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

    def amounts(self, *, by_seat: bool = True) -> list[int]:
        """Return stacks, bets, pot, turn, button, accounts and the chips on the spots as one list.

        The journal records a digest of this list with each commit, so that a replay by another build finds the first
        commit with other amounts. If `by_seat` is False, the stacks have the order in which the players sat down, as in
        journals of earlier programs. A snapshot does not have this order.
        """
        values = [self.hands_started, self.carry_over.placement.button, self.bought_in_total, *self.accounts]
        for seat, player in sorted(self.players.items()) if by_seat else self.players.items():
            values += (seat, player.stack)
        values += self.street.spot_totals
        if any(self.cage_transfers):  # Journals of earlier programs have no such amounts in their digests.
            values += self.cage_transfers
        if self.hand is not None:
            values += (self.hand.turn, self.hand.round_number, self.hand.current_bet, self.hand.middle)
            values += self.hand.stacks
            values += self.hand.bets
        return values


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

    The blinds are placed as if a hand with these seats and this button had just been played. If `mix` or `levels` is
    given, its first game is played.
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
