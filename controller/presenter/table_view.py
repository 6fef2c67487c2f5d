"""Construction of the complete view of a live table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from controller.live import Live
from controller.presenter.alerts import alerts
from controller.presenter.available_actions.bet_limits import bet_limits
from controller.presenter.available_actions.dealer_choices import next_choices, next_pot_to_award
from controller.presenter.available_actions.pots import pot_views
from controller.presenter.hand_questions import hand_questions
from controller.presenter.seat_views import build_seat_views
from controller.presenter.step_summaries import summarize_steps
from controller.presenter.view_inputs import ViewInputs, collect_view_inputs
from controller.rules import (
    Game,
    Phase,
    straddles,
)
from controller.table import (
    TableRefusal,
    tournament,
    undo_redo,
)
from controller.view import (
    Device,
    FloorCallView,
    GameView,
    HandStage,
    HoldReason,
    LevelView,
    Money,
    PotVisibility,
    TableView,
)

_HOLD_REASONS: dict[TableRefusal, HoldReason] = {
    TableRefusal.HAND_FOR_HAND: "hand-for-hand",
    TableRefusal.ON_BREAK: "break",
}
_STAGES: dict[Phase, HandStage] = {
    Phase.BRING_IN: "betting",
    Phase.FIRST_TO_ACT: "betting",
    Phase.BETTING: "betting",
    Phase.CLOSED: "closed",
    Phase.AWARDING: "closed",
    Phase.OVER: "over",
}


def build_table_view(
    live: Live,
    sequence: int,
    *,
    name: str = "",
    money: Money | None = None,
    show_pot: PotVisibility = "always",
    chip_colours: Mapping[int, str] = MappingProxyType({}),
) -> TableView:
    """Return the view of the table. The same live state gives the same view, except for `sequence`."""
    inputs = collect_view_inputs(live)
    table, hand, game = live.table, live.table.hand, inputs.game
    limits = bet_limits(inputs)
    next_in_mix = table.next_in_mix if table.mix else ""
    summaries = summarize_steps(live, inputs.hand)
    shown_alerts = alerts(inputs, hand_questions(inputs, summaries.held_actions))
    return TableView(
        sequence=sequence,
        table_name=name,
        devices=tuple(
            [
                Device(name=device, up=reason is None, reason=reason or "")
                for device, reason in sorted(live.device_faults.down.items())
            ]
        ),
        accounts={account: amount for account, amount in table.accounts._asdict().items() if amount},
        floor_call=_floor_call_view(live),
        game=_current_game(inputs),
        next_game=build_game_view(table.games[table.next_game], table.next_game) if table.next_game else None,
        next_in_mix=build_game_view(table.games[next_in_mix], next_in_mix) if next_in_mix else None,
        level=_level_view(inputs.level, table.games) if inputs.level is not None else None,
        hold=_HOLD_REASONS[inputs.next_hand_refusal] if inputs.next_hand_refusal is not None else "",
        rulebook=game.rulebook,
        hand_number=table.hands_started,
        round=hand.round_number if hand is not None else 0,
        phase=_STAGES[hand.phase] if hand is not None else "idle",
        money=money or Money(),
        unit=game.unit,
        chip_colours=dict(chip_colours),
        show_pot=show_pot,
        pot=inputs.balances.announced_pot,
        pots=pot_views(inputs),
        turn=limits.seat,
        to_call=limits.to_call,
        min_raise_to=limits.min_raise_to,
        max_raise_to=limits.max_raise_to,
        limit=limits.limit,
        largest_bet=limits.largest_bet,
        pot_to=limits.pot_to,
        quick_bets=dict(limits.quick_bets),
        all_in=limits.all_in,
        capped=inputs.hand is not None and inputs.hand.is_capped and bool(inputs.hand.seats_to_act),
        provisional=inputs.provisional,
        allowed_actions=inputs.allowed_actions,
        brings_in=inputs.hand is not None and 0 < inputs.hand.turn == inputs.hand.bring_in_seat,
        button=inputs.button,
        next_choices=next_choices(inputs),
        next_pot_to_award=next_pot_to_award(inputs),
        sensors=inputs.sensors,
        has_open_access=inputs.has_open_access,
        has_count_pad=inputs.has_count_pad,
        undo=summaries.undo,
        undo_crosses=undo_redo.undo_leaves_hand(table),
        redo=summaries.redo,
        redo_crosses=summaries.redo is not None and undo_redo.redo_leaves_hand(table),
        last_step=summaries.last_step,
        recent_steps=summaries.recent_steps,
        is_recorded=live.setup.is_recorded,
        is_closed=table.is_closed,
        dealer=table.dealer,
        open_stakes=game.stakes == "open",
        seats=build_seat_views(inputs, summaries, shown_alerts),
        alerts=shown_alerts,
    )


def _current_game(inputs: ViewInputs) -> GameView:
    """Return the game of the hand in progress, or between hands the game of the next hand."""
    hand, name = inputs.hand, inputs.live.table.game_name
    if hand is None:
        return build_game_view(inputs.game, name)
    return build_game_view(
        inputs.game, name, bomb=hand.bomb_ante, kill=straddles.kill_blind_amount(inputs.game) if hand.kill_seat else 0
    )


def build_game_view(game: Game, name: str, *, bomb: int = 0, kill: int = 0) -> GameView:
    """Return the view of a game, with the values that a screen needs for the game's title.

    `name` is the name of the game in the configuration. `bomb` is the ante of a bomb pot. `kill` is the kill blind that
    raised the limits.
    """
    is_fixed_limit = game.structure == "fixed-limit"
    return GameView(
        name=name,
        variant=game.variant,
        structure=game.structure,
        blinds=game.blinds,
        ante=game.ante,
        bets=game.bets[: len(game.variant_rules.round_names)] if is_fixed_limit else (),
        bomb=bomb,
        kill=kill,
        high_low=game.variant_rules.is_high_low,
    )


def _floor_call_view(live: Live) -> FloorCallView | None:
    """Return the call for the floor, or None if the floor is not called."""
    if not live.floor_called:
        return None
    return FloorCallView(
        why=live.floor_call.reason,
        minutes=live.ended_delays.floor_waiting_minutes,
        answered_by=live.floor_call.answered_by,
    )


def _level_view(level: tournament.LevelStatus, games: Mapping[str, Game]) -> LevelView:
    has_next_game = bool(level.next_name) and not level.next_is_break
    return LevelView(
        name=level.name,
        minutes_left=level.minutes_left,
        is_break=level.is_break,
        next=level.next_name,
        next_game=build_game_view(games[level.next_name], level.next_name) if has_next_game else None,
        until_break=level.minutes_until_break,
    )
