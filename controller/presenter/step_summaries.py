"""Summaries of steps and actions as codes and amounts.

The summaries cover the last action and the waiting action of each seat, and the last steps of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Final, NamedTuple

from controller.live import Live
from controller.presenter.available_actions.pots import uncalled_amount
from controller.rules import (
    Hand,
    HandEvent,
    SeatAction,
    legal_actions,
    pots,
)
from controller.steps import SeatAmountStep, SeatStep, Step, hand_steps, table_steps
from controller.table import HeldAction, Table, balances
from controller.view import ActionVerb, ActionView, BetSource, StepSummary

MAX_RECENT_STEPS: Final = 3
"""Maximum number of steps that the status line shows before the last one. Three steps can be read at a glance."""
NO_SOURCES: Final[Mapping[int, BetSource]] = {}
"""An empty mapping for callers that do not know how the bets became known."""

_VERBS: dict[HandEvent, ActionVerb] = {
    HandEvent.FOLD: "fold",
    HandEvent.DEAD_HAND: "fold",
    HandEvent.CHECK: "check",
    HandEvent.CALL: "call",
    HandEvent.WAGER: "raise",
}
"""The verb for each event that is an action of a seat, or a decision about its hand."""

_GROUPED: Final[Mapping[ActionVerb, str]] = {"fold": "seats-fold", "check": "seats-check"}
"""The code of a summary of several seats that did the same."""
SEAT_ACTION_STEPS: Final = (
    hand_steps.Declares,
    hand_steps.SpeaksOnly,
    hand_steps.SpokeBeforeChips,
    hand_steps.CorrectsAction,
    hand_steps.MovesChips,
)
"""Kinds of steps with which a seat acts, or which correct what it did."""
_SeatActionStep = (
    hand_steps.Declares
    | hand_steps.SpeaksOnly
    | hand_steps.SpokeBeforeChips
    | hand_steps.CorrectsAction
    | hand_steps.MovesChips
)
_VERBS_WITH_CHIPS = frozenset({"call", "brings-in", "bet", "complete", "raise", "all-in"})


class StepSummaries(NamedTuple):
    """Last actions of the seats, and last steps of the table."""

    last_actions: dict[int, ActionView]
    """The last action of every seat in this betting round, by seat."""
    held_actions: dict[int, ActionView]
    """The actions that wait for their turn or for the floor, by seat."""
    last_step: StepSummary | None
    """The last step that changed the table, or None before the first one."""
    undo: StepSummary | None
    redo: StepSummary | None
    recent_steps: tuple[StepSummary, ...]


def summarize_steps(live: Live, hand: Hand | None) -> StepSummaries:
    """Return the summaries of all steps that a view shows. `hand` is the hand in progress, or None between hands."""
    table, last_step = live.table, None
    if table.undo_stack:
        entry, is_open = table.undo_stack[-1], live.badge_count == 0
        last_step = summarize_step(table, entry.step, live.bets.sources, entry.table_before, has_open_access=is_open)
    redo = table.redo_stack[-1] if table.redo_stack else None
    return StepSummaries(
        last_actions=_last_actions(hand) if hand is not None else {},
        held_actions={seat: _intended_action(held) for seat, held in table.street.held_actions.items()},
        last_step=last_step,
        undo=_for_undo(last_step) if last_step is not None else None,
        redo=summarize_step(redo.table_after, redo.undo_entry.step) if redo is not None else None,
        recent_steps=_recent_steps(live),
    )


def _last_actions(hand: Hand) -> dict[int, ActionView]:
    """Return the last action of each seat in this betting round, or its blind if the seat has not acted."""
    blinds = {}
    if hand.round_number == 1:
        blinds = {
            seat: ActionView(verb="blind", amount=hand.posted_blinds[seat])
            for seat in hand.dealt_seats
            if hand.posted_blinds[seat]
        }
    indexes = {action.seat: index for index, action in enumerate(hand.action_log) if action.event in _VERBS}
    return blinds | {seat: _done_action(hand, index) for seat, index in indexes.items()}


def _intended_action(held: HeldAction) -> ActionView:
    """Return the action that the seat intended with the waiting action `held`, and its total."""
    intended = held.intended
    return ActionView(
        verb=intended.kind, amount=intended.total or (held.spot_total_needed if intended.kind == "call" else 0)
    )


def summarize_step(
    after: Table,
    step: Step,
    sources: Mapping[int, BetSource] = NO_SOURCES,
    before: Table | None = None,
    *,
    has_open_access: bool = False,
) -> StepSummary:
    """Return the summary of the step that led to the table `after`.

    If the step concerns chips, the summary says how the bet became known, such as by a sensor. `sources` has this
    information by seat. If the table `before` the step is known, the summary has all effects of the step. If
    `has_open_access` is True, a decision of the floor is marked as not authorised.

    Example: seat 2 has raised out of turn, and then seat 1 folds. The summary is the fold of seat 1, with the raise of
    seat 2 as an effect.
    """
    effects = _effects(before, after, step) if before is not None else ()
    summary = _summarize_alone(after, step, sources, before)
    if has_open_access and step.verb.owner == "floor":
        summary = summary.as_unauthorised()
    if not effects:
        return summary
    # A seat that had acted out of turn passes the action to a later seat, and a closed round may end the hand.
    is_action_later = isinstance(step, hand_steps.ActionOn) and after.hand is not None and after.hand.turn != step.seat
    deals_nothing = isinstance(step, hand_steps.DealsStreet) and _is_same_round(before, after)
    if is_action_later or deals_nothing:
        summary, *rest = effects
        return summary.with_effects(*rest)
    return summary.with_effects(*effects)


def _effects(before: Table, after: Table, step: Step) -> tuple[StepSummary, ...]:
    """Return what a step caused besides the action of its own seat, with folds and checks grouped.

    The effects of an award to several seats are their shares.
    """
    if isinstance(step, hand_steps.AwardsPot):
        shares = [StepSummary(step="gets", seat=seat, amount=amount) for seat, amount in _shares(before, after).items()]
        return tuple(shares) if len(shares) > 1 else ()
    hand, earlier = after.hand, before.hand
    if hand is None or earlier is None or after.hands_started != before.hands_started:
        return ()
    if isinstance(step, hand_steps.DealsStreet) and step.closes_betting and not _is_same_round(before, after):
        return _presumed_effects(earlier, hand)
    if not _is_same_round(before, after):
        return ()
    own_seat = step.seat if isinstance(step, SEAT_ACTION_STEPS) else 0
    known = len(earlier.action_log)
    if hand.action_log[:known] != earlier.action_log:  # a correction has changed earlier actions
        return ()
    acts = [
        (act.seat, _done_action(hand, index))
        for index, act in enumerate(hand.action_log[known:], known)
        if act.event in _VERBS and act.seat != own_seat
    ]
    summaries: list[StepSummary] = []
    for code, group in groupby(acts, key=lambda act: _GROUPED.get(act[1].verb, "")):
        if code:
            summaries.append(StepSummary(step=code, seats=tuple([seat for seat, _ in group])))
        else:
            summaries += [StepSummary(step="declares", seat=seat, action=action) for seat, action in group]
    return tuple(summaries)


def _is_same_round(before: Table | None, after: Table) -> bool:
    """Return True if both tables are in the same betting round of a hand."""
    if before is None or before.hand is None or after.hand is None:
        return False
    return (before.hand.round_number, before.hands_started) == (after.hand.round_number, after.hands_started)


def _presumed_effects(earlier: Hand, hand: Hand) -> tuple[StepSummary, ...]:
    """Return what the seats that were left to act did before the next street was dealt.

    They folded or checked, except a seat that had acted out of turn: its call, bet or raise then took effect.
    """
    folded = tuple([seat for seat in earlier.seats_to_act if seat not in hand.live_seats])
    entered = {seat: hand.paid_earlier[seat] - earlier.paid_earlier[seat] for seat in earlier.seats_to_act}
    acted = [seat for seat in earlier.seats_to_act if seat in hand.live_seats and entered[seat] > earlier.bets[seat]]
    checked = tuple([seat for seat in earlier.seats_to_act if seat in hand.live_seats and seat not in acted])
    codes = (("seats-fold", folded), ("seats-check", checked))
    summaries, bet = [StepSummary(step=code, seats=seats) for code, seats in codes if seats], earlier.current_bet
    for seat in acted:
        verb: ActionVerb = "call" if entered[seat] <= bet else "raise" if bet else "bet"
        bet = max(bet, entered[seat])
        action = ActionView(verb=verb, amount=entered[seat], all_in=seat in hand.all_in)
        summaries.append(StepSummary(step="declares", seat=seat, action=action))
    return tuple(summaries)


def _summarize_alone(after: Table, step: Step, sources: Mapping[int, BetSource], before: Table | None) -> StepSummary:
    """Return the summary of a step without its effects on other seats."""
    code = step.verb.summary
    if isinstance(step, SEAT_ACTION_STEPS):
        return _summarize_seat_step(after, step, code, sources.get(step.seat, "book"))
    if isinstance(step, hand_steps.StartsHand):
        return StepSummary(step=code, hand_number=after.hands_started)
    if isinstance(step, hand_steps.DealsStreet) and after.hand is not None:
        return StepSummary(step=code, street=after.hand.round_number, variant=after.hand.game.variant)
    if isinstance(step, hand_steps.ReturnsChips | hand_steps.PaysOwedChips):
        amount = None if before is None else _amount_moved(before, step)
        return StepSummary(step=code, seat=step.seat, amount=amount)
    if isinstance(step, hand_steps.AwardsPot):
        amount = None if before is None else sum(_shares(before, after).values())
        seats = tuple(dict.fromkeys((*step.high, *step.low)))
        if before is not None and before.hand is not None and _is_uncalled(before.hand, step.pot):
            return StepSummary(step=hand_steps.ReturnsChips.verb.summary, seat=seats[0], amount=amount)
        return StepSummary(step=code, pot=step.pot, seats=seats, amount=amount)
    # A changed configuration may no longer have the game of an earlier step.
    if isinstance(step, table_steps.ChangesGame) and not after.levels and (game := after.games.get(step.name)):
        return StepSummary(step=code, name=step.name, structure=game.structure, variant=game.variant)
    return _summarize_table_step(step, code)


def _is_uncalled(hand: Hand, name: str) -> bool:
    """Return True if the pot with this name is an uncalled bet, which goes back to its seat."""
    return any(pot.name == name and uncalled_amount(hand, pot) == pot.amount for pot in pots(hand))


def _shares(before: Table, after: Table) -> dict[int, int]:
    """Return the chips that each seat got by an award."""
    if before.hand is None or after.hand is None:
        return {}
    earlier = before.hand.awarded
    return {seat: total - earlier[seat] for seat, total in enumerate(after.hand.awarded) if total != earlier[seat]}


def _amount_moved(before: Table, step: hand_steps.ReturnsChips | hand_steps.PaysOwedChips) -> int:
    """Return the value of the chips that the dealer pushes back, or that the seat puts in."""
    return (balances.due_back if isinstance(step, hand_steps.ReturnsChips) else balances.owed)(before, step.seat)


def summarize_queued_step(step: SeatStep) -> StepSummary:
    """Return the summary of a step that waits for the end of the hand."""
    return _summarize_table_step(step, step.verb.summary)


def _recent_steps(live: Live) -> tuple[StepSummary, ...]:
    """Return at most three steps before the last step, newest first."""
    undo_stack, sources, summaries = live.table.undo_stack, dict(live.bets.sources), []
    for index in range(len(undo_stack) - 1, max(0, len(undo_stack) - 1 - MAX_RECENT_STEPS), -1):
        after, next_step = undo_stack[index].table_before, undo_stack[index].step
        if isinstance(next_step, SeatStep):  # The table knows only how the latest bet of a seat became known.
            sources.pop(next_step.seat, None)
        entry = undo_stack[index - 1]
        summaries.append(
            summarize_step(after, entry.step, sources, entry.table_before, has_open_access=live.badge_count == 0)
        )
    return tuple(summaries)


def _for_undo(summary: StepSummary) -> StepSummary:
    """Return a copy of the summary that names only the step, without effects, mark, and source of the bet.

    The summary of an award is without the amount as well.
    """
    if summary.pot:
        return StepSummary(step=summary.step, pot=summary.pot, seats=summary.seats)
    if summary.bet_source != "book":
        # Only summaries of seat actions have a source. Such summaries have values in no other fields.
        return StepSummary(step=summary.step, seat=summary.seat, action=summary.action, is_held=summary.is_held)
    return summary.alone() if summary.effects or summary.is_unauthorised else summary


def _summarize_table_step(step: Step, code: str) -> StepSummary:
    """Return the summary of a step that is not an action of a seat."""
    match step:
        case table_steps.QueuesStep(queued=queued) if queued is not None:
            return StepSummary(step=code, seat=step.seat).with_effects(summarize_queued_step(queued))
        case table_steps.QueuesStep():
            return StepSummary(step="unqueues", seat=step.seat)
        case table_steps.ChangesSeat():
            return StepSummary(step=code, seat=step.seat, seats=(step.new_seat,))
        case table_steps.SitsDown():
            return StepSummary(step=code, seat=step.seat, amount=step.amount, name=step.name)
        case table_steps.GivesMarker() | table_steps.RedeemsMarker() if step.lender:
            return StepSummary(step=code, seat=step.seat, amount=step.amount, seats=(step.lender,))
        case hand_steps.RunsMultipleBoards():
            return StepSummary(step=code, count=step.count)
        case table_steps.TimePasses():
            return StepSummary(step=code, count=step.minutes)
        case SeatAmountStep() | table_steps.FloorSetsBet() | table_steps.CountsStack():
            return StepSummary(step=code, seat=step.seat, amount=step.amount)
        case (
            table_steps.FloorCountsPot()
            | hand_steps.StartsBombPot()
            | hand_steps.TakesDrop()
            | hand_steps.TakesKitty()
            | hand_steps.SplashesPot()
            | table_steps.FillsTray()
            | table_steps.CreditsTray()
        ):
            return StepSummary(step=code, amount=step.amount)
        case table_steps.ChangesGame() | table_steps.ChangesDealer() | table_steps.CorrectsName():
            return StepSummary(step=code, seat=getattr(step, "seat", 0), name=step.name)
        case SeatStep():
            return StepSummary(step=code, seat=step.seat)
    return StepSummary(step=code)


def _summarize_seat_step(
    table: Table,
    step: _SeatActionStep,
    code: str,
    source: BetSource,
) -> StepSummary:
    hand, seat, held = table.hand, step.seat, table.street.held_actions.get(step.seat)
    if hand is not None and held is not None:
        return StepSummary(step=code, seat=seat, action=_intended_action(held), is_held=True)
    index = _last_action_index(hand, seat) if hand is not None else None
    if (
        hand is None
        or index is None
        or (not isinstance(step, hand_steps.MovesChips) and step.declaration.kind == "time")
    ):
        return StepSummary(step=code, seat=seat, action=_declared_action(step))
    action = _done_action(hand, index)
    return StepSummary(
        step=code, seat=seat, action=action, bet_source=source if action.verb in _VERBS_WITH_CHIPS else "book"
    )


def _declared_action(
    step: _SeatActionStep,
) -> ActionView:
    if isinstance(step, hand_steps.MovesChips):
        return ActionView(verb="chips" if step.net_amount >= 0 else "takes", amount=abs(step.net_amount))
    return ActionView(verb=step.declaration.kind, amount=0 if step.declaration.is_raise_by else step.declaration.amount)


def _last_action_index(hand: Hand, seat: int) -> int | None:
    """Return the index of the seat's last action in the action log, or None if the seat has not acted."""
    for index in range(len(hand.action_log) - 1, -1, -1):
        action = hand.action_log[index]
        if action.seat == seat and action.event in _VERBS:
            return index
    return None


def _done_action(hand: Hand, index: int) -> ActionView:
    action = hand.action_log[index]
    verb, amount = _VERBS[action.event], 0
    if action.event is HandEvent.WAGER:
        verb, amount = _wager_verb(hand, action, index), action.total
    elif action.event is HandEvent.CALL:
        amount = hand.bets[action.seat]
        verb = "brings-in" if _is_bring_in(hand, index) else verb
    return ActionView(verb=verb, amount=amount, all_in=action.seat in hand.all_in)


def _wager_verb(hand: Hand, action: SeatAction, index: int) -> ActionVerb:
    """Return the verb of a wager.

    The first wager of a betting round is a bet, or a completion if the current bet is less than a full bet. An all-in
    for less than a full bet is a raise.
    """
    round_start = hand.round_start
    if any(earlier.event is HandEvent.WAGER for earlier in hand.action_log[:index]):
        return "raise"
    if round_start is None:
        return "bet"
    is_short = round_start.current_bet and action.total < round_start.last_full_bet + round_start.min_raise
    return "raise" if is_short else legal_actions.wager_word(round_start)


def _is_bring_in(hand: Hand, index: int) -> bool:
    """Return True if this action is the bring-in: the first action with chips in a round that opens with one."""
    bring_in_seat = hand.round_start is not None and hand.round_start.bring_in_seat
    return bool(bring_in_seat) and not any(
        action.event in (HandEvent.CALL, HandEvent.WAGER) for action in hand.action_log[:index]
    )
