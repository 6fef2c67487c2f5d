"""The reducer of a table: `apply_table_step` applies one step and returns the next table.

A step that cannot be done changes nothing, and the result gives the reason. After every step the reducer checks that
chips are conserved: players, pot and accounts together equal the chips bought in. The step `Undoes` returns to the
table before the last step that changed it. The step `Redoes` applies again the step that undo took back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple, TypeAlias, TypeVar

from controller.rules import Hand, Phase, Refusal, RuleError
from controller.steps import Step, format_step, hand_steps, table_steps
from controller.table import (
    chip_motions,
    dealer_actions,
    declarations,
    floor_decisions,
    opening_bets,
    queued_steps,
    turn_actions,
)
from controller.table.between_hands import (
    bomb_pots,
    credit_markers,
    hand_start,
    open_and_close,
    players,
    promotions,
    stack_changes,
    tournament,
)
from controller.table.corrections import action_corrections, undo_redo, wager_corrections
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import Table
from firmware_bridge.errors import FaultSource, PotkeeperError


class StepOutcome(NamedTuple):
    """Result of a step: the next table, the refusal and the warnings. After a refusal the table is unchanged."""

    table: Table
    refusal: Refusal | None = None
    seat_warnings: tuple[SeatWarning, ...] = ()

    @property
    def warning_codes(self) -> tuple[WarningCode, ...]:
        """Return the codes of the warnings, sorted and without duplicates."""
        return tuple(sorted({warning.code for warning in self.seat_warnings}))


class ConservationError(PotkeeperError):
    """Chips appeared or vanished, which is an error of this program. The message names the step."""

    fault: ClassVar[FaultSource] = "ours"


Handler: TypeAlias = Callable[[Table, Step, SeatWarnings], Table]
_StepT = TypeVar("_StepT", bound=Step)


def _any_time(kind: type[_StepT], apply: Callable[[Table, _StepT, SeatWarnings], Table]) -> tuple[type[Step], Handler]:
    """Return a class of steps with its handler. Such steps are possible with and without a hand in progress."""

    def handler(table: Table, step: Step, warnings: SeatWarnings) -> Table:
        assert isinstance(step, kind)
        return apply(table, step, warnings)

    return kind, handler


def _in_hand(
    kind: type[_StepT], apply: Callable[[Table, Hand, _StepT, SeatWarnings], Table]
) -> tuple[type[Step], Handler]:
    """Return a class of steps with its handler.

    Such steps need a hand in progress, which the handler passes to `apply`.
    """

    def handler(table: Table, step: Step, warnings: SeatWarnings) -> Table:
        assert isinstance(step, kind)
        if table.hand is None or table.hand.phase is Phase.OVER:
            raise refusal_error(TableRefusal.NO_HAND)
        return apply(table, table.hand, step, warnings)

    return kind, handler


HANDLERS: Final[dict[type[Step], Handler]] = dict(
    (
        _in_hand(hand_steps.Declares, declarations.handle_declaration),
        _in_hand(hand_steps.SpeaksOnly, declarations.handle_declaration),
        _in_hand(hand_steps.SpokeBeforeChips, declarations.handle_words_before_chips),
        _in_hand(hand_steps.MovesChips, chip_motions.handle_move_chips),
        _in_hand(hand_steps.CorrectsWager, wager_corrections.handle_correct_wager),
        _in_hand(hand_steps.CorrectsAction, action_corrections.handle_correct_action),
        _in_hand(hand_steps.PaysOwedChips, chip_motions.handle_pay_owed_chips),
        _in_hand(hand_steps.AllPayOwedChips, chip_motions.handle_all_pay_owed_chips),
        _in_hand(hand_steps.EndsMotion, chip_motions.handle_end_motion),
        _any_time(hand_steps.ReturnsChips, chip_motions.handle_return_chips),
        _any_time(hand_steps.MakesChange, chip_motions.handle_make_change),
        _in_hand(hand_steps.ActionOn, turn_actions.handle_action_on),
        _in_hand(hand_steps.NamesBringIn, opening_bets.handle_name_bring_in),
        _in_hand(hand_steps.NamesFirstToAct, opening_bets.handle_name_first_to_act),
        _in_hand(hand_steps.ShowsOpenPair, opening_bets.handle_open_pair),
        _in_hand(hand_steps.PostsToEnter, opening_bets.handle_post),
        _in_hand(hand_steps.Straddles, opening_bets.handle_straddle),
        _in_hand(hand_steps.PostsKillBlind, opening_bets.handle_kill_blind),
        _in_hand(hand_steps.BuysButton, hand_start.handle_buy_button),
        _any_time(table_steps.FloorPlacesButton, hand_start.handle_place_button),
        _any_time(hand_steps.StartsHand, hand_start.handle_start_hand),
        _any_time(hand_steps.StartsBombPot, bomb_pots.handle_start_bomb_pot),
        _in_hand(hand_steps.DealsStreet, dealer_actions.handle_deal),
        _in_hand(hand_steps.RunsMultipleBoards, dealer_actions.handle_run_boards),
        _in_hand(hand_steps.AwardsPot, dealer_actions.handle_award),
        _in_hand(hand_steps.VoidsHand, dealer_actions.handle_void),
        _in_hand(hand_steps.ChopsBlinds, dealer_actions.handle_chop_blinds),
        _in_hand(hand_steps.SkipsHand, dealer_actions.handle_skip_hand),
        _in_hand(hand_steps.TakesDrop, dealer_actions.handle_take_drop),
        _in_hand(hand_steps.TakesKitty, dealer_actions.handle_take_kitty),
        _in_hand(hand_steps.SplashesPot, dealer_actions.handle_splash_pot),
        _any_time(table_steps.OpensTable, open_and_close.handle_open_table),
        _any_time(table_steps.ClosesTable, open_and_close.handle_close_table),
        _any_time(table_steps.ChangesDealer, open_and_close.handle_change_dealer),
        _any_time(table_steps.ChangesGame, players.handle_change_game),
        _any_time(table_steps.SitsDown, players.handle_sit_down),
        _any_time(table_steps.CorrectsName, players.handle_correct_name),
        _any_time(table_steps.LeavesTable, players.handle_leave),
        _any_time(table_steps.GoesAway, players.handle_go_away),
        _any_time(table_steps.ComesBack, players.handle_come_back),
        _any_time(table_steps.ChangesSeat, players.handle_change_seat),
        _any_time(table_steps.AddsChips, stack_changes.handle_add_chips),
        _any_time(table_steps.AddsCash, stack_changes.handle_add_chips),
        _in_hand(table_steps.QueuesStep, queued_steps.handle_queue_step),
        _any_time(table_steps.GivesMarker, credit_markers.handle_give_marker),
        _any_time(table_steps.RedeemsMarker, credit_markers.handle_redeem_marker),
        _any_time(table_steps.RemovesChips, stack_changes.handle_remove_chips),
        _any_time(table_steps.CountsStack, stack_changes.handle_count_stack),
        _any_time(table_steps.TipsDealer, stack_changes.handle_tip),
        _any_time(table_steps.PaysTimeCollection, stack_changes.handle_time_collection),
        _any_time(table_steps.PaysBounty, promotions.handle_bounty),
        _any_time(table_steps.CollectsFromEach, promotions.handle_collect_from_each),
        _any_time(table_steps.PaysEach, promotions.handle_pay_each),
        _any_time(table_steps.FillsTray, open_and_close.handle_fill),
        _any_time(table_steps.CreditsTray, open_and_close.handle_credit),
        _any_time(table_steps.TimePasses, tournament.handle_time_passed),
        _any_time(table_steps.RecordSeatSensorOffline, players.handle_seat_sensor_offline),
        _any_time(table_steps.RecordSeatSensorOnline, players.handle_seat_sensor_online),
        _any_time(table_steps.FloorHoldsHands, tournament.handle_hold_hands),
        _any_time(table_steps.FloorAllowsHand, tournament.handle_allow_hand),
        _in_hand(table_steps.FloorBindsAction, floor_decisions.handle_bind_action),
        _in_hand(table_steps.FloorReleasesAction, floor_decisions.handle_release_action),
        _in_hand(table_steps.FloorKillsHand, floor_decisions.handle_dead_hand),
        _in_hand(table_steps.FloorCountsPot, floor_decisions.handle_count_pot),
        _in_hand(table_steps.FloorSetsBet, floor_decisions.handle_set_bet),
        _in_hand(table_steps.FloorGivesTurn, floor_decisions.handle_give_turn),
    )
)
"""Function that applies each class of steps. Undo, redo and observations have no entry, because undo and redo are
handled separately and observations do not change the table."""


def apply_table_step(table: Table, step: Step, at_us: int = 0) -> StepOutcome:
    """Return the outcome of one step at the time `at_us`.

    The function is pure: the same table and step give the same outcome. Raises ConservationError if chips appear or
    vanish, because no step may create or destroy chips.
    """
    handler = HANDLERS.get(type(step))
    warnings: SeatWarnings = []
    try:
        if isinstance(step, hand_steps.Undoes):
            return StepOutcome(undo_redo.undo_last_step(table))
        if isinstance(step, hand_steps.Redoes):
            return StepOutcome(undo_redo.redo_last_undo(table))
        if handler is None:
            return StepOutcome(table)
        after = handler(_without_old_presumed_actions(table), step, warnings)
        if after.queued_steps and not after.is_hand_in_progress:
            after = queued_steps.do_queued_steps(after, warnings)
    except RuleError as error:
        warning_code = error.refusal.warning_code
        return StepOutcome(
            table, error.refusal, (SeatWarning(WarningCode(warning_code), error.refusal.seat),) if warning_code else ()
        )
    if step.verb.undo_policy != "stays":
        after = undo_redo.remember_for_undo(table, after, step, at_us)
    require_chips_conserved(after, step)
    return StepOutcome(after, None, tuple(sorted(set(warnings))))


def _without_old_presumed_actions(table: Table) -> Table:
    """Return a copy of the table without the folds and checks that the last round presumed.

    The screen shows such presumed actions only until the next step.
    """
    street = table.street
    return (
        table._replace(street=street._replace(presumed_actions={}, presumed_of_last_round=False))
        if street.presumed_of_last_round
        else table
    )


def require_chips_conserved(table: Table, step: Step) -> None:
    """Raise ConservationError if the chips at the table differ from the chips bought in."""
    total, hand = sum(table.accounts), table.hand
    in_hand = hand.dealt_seats if hand is not None and hand.phase is not Phase.OVER else ()
    for seat, player in table.players.items():
        if hand is None or seat not in in_hand:
            total += player.stack
        else:
            total += hand.stacks[seat]
    if in_hand and hand is not None:
        total += hand.pot_total
    if total != table.bought_in_total:
        raise ConservationError(
            f"after step {format_step(step)!r}: expected {table.bought_in_total} chips at the table, found {total}"
        )
