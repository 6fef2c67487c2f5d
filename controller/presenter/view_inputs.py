"""Collection of the values that a view needs, so that each value is computed once."""

from __future__ import annotations

from typing import NamedTuple

from controller.live import (
    ChipQuestion,
    Live,
    MissedChip,
    derived_state,
    open_chip_questions,
    seats_with_early_chips,
)
from controller.rules import BettingOptions, Game, Hand, betting_options, betting_structures, legal_actions
from controller.steps import Step
from controller.table import TableRefusal, balances, markers_owed, next_hand, opening_options, tournament
from controller.view import SensorStatus


class ViewInputs(NamedTuple):
    """All values from the table and the live state that one view needs."""

    live: Live
    hand: Hand | None
    """The hand in progress, or None between hands."""
    game: Game
    button: int
    """Seat with the button. Between hands it is the seat that has the button in the next hand."""
    last_step: Step | None
    choices: BettingOptions | None
    """The betting options of the seat in turn, or None if no seat is in turn."""
    max_bet: betting_structures.MaxBetBreakdown | None
    """The parts of the largest bet of the seat in turn, or None if no seat is in turn."""
    wager_word: legal_actions.WagerWord
    """The word of the seat in turn for putting in more chips than a call."""
    allowed_actions: tuple[str, ...]
    openings: opening_options.OpeningOptions
    """Posts, straddles and similar acts that are possible before the first action of the hand."""
    next_hand: next_hand.NextHand | None
    """The next hand as it would start now, or None during a hand."""
    has_count_pad: bool
    uncounted: dict[int, derived_state.UncountedChips]
    swept_seats: tuple[int, ...]
    deferred_seats: tuple[int, ...]
    doubtful_seats: tuple[int, ...]
    late_unsettled: tuple[tuple[int, int], ...]
    ignored_amounts: tuple[tuple[int, int], ...]
    missing_blinds: tuple[tuple[int, int], ...]
    missed_chips: tuple[MissedChip, ...]
    lammers: tuple[tuple[int, str], ...]
    offline_spots: tuple[tuple[str, str], ...]
    program_errors: tuple[tuple[str, str], ...]
    unawarded_chips: int
    misplaced_button_seat: int
    """The seat at which the dealer button was read although another seat has the button, or 0."""
    posts_owed: tuple[tuple[int, int], ...]
    kill_owed: tuple[int, int] | None
    has_open_access: bool
    """True if no badge is needed, because the table has no list of badges."""
    provisional: bool
    balances: balances.TableBalances
    """The pots, and each seat's stack without the bet, its bet, and the chips that it owes or must get back."""
    chip_questions: tuple[ChipQuestion, ...]
    early_chip_seats: tuple[int, ...]
    """Seats with new chips that are not in turn yet."""
    markers: dict[int, int]
    """The amount owed on markers, by seat."""
    level: tournament.LevelStatus | None
    """The level (set of blinds and antes) of the tournament, or None in a cash game."""
    next_hand_refusal: TableRefusal | None
    """The reason why the next hand may not start, or None if it may start."""
    sensors: SensorStatus


def collect_view_inputs(live: Live) -> ViewInputs:
    """Return all values that a view of this state needs."""
    table, sensors = live.table, _sensor_status(live)
    hand = table.hand if table.is_hand_in_progress else None
    game, button, last_step = table.game, table.button, table.last_step
    next_deal = next_hand.preview_next_hand(table) if hand is None else None
    if next_deal is not None:
        button = next_deal.placement.button
    wager_word: legal_actions.WagerWord = "bet"
    allowed_actions: tuple[str, ...] = ()
    choices = max_bet = None
    if hand is not None and hand.turn:
        wager_word = legal_actions.wager_word(hand)
        choices = betting_options(hand, hand.turn)
        max_bet = betting_structures.max_bet_breakdown(hand, hand.turn, choices.structure_max)
        allowed_actions = legal_actions.legal_words(hand, choices)
    return ViewInputs(
        live=live,
        hand=hand,
        game=game,
        button=button,
        last_step=last_step,
        choices=choices,
        max_bet=max_bet,
        wager_word=wager_word,
        allowed_actions=allowed_actions,
        openings=opening_options.available_openings(table, hand)
        if hand is not None and not hand.action_started
        else opening_options.NO_OPENING_OPTIONS,
        next_hand=next_deal,
        has_count_pad=derived_state.has_count_pad(live),
        uncounted=derived_state.uncounted_chips_by_seat(live),
        swept_seats=derived_state.swept_seats(live),
        deferred_seats=derived_state.pending_seats_for(live, "deferred"),
        doubtful_seats=derived_state.pending_seats_for(live, "doubt"),
        late_unsettled=derived_state.late_unsettled(live),
        ignored_amounts=derived_state.ignored_amounts(live),
        missing_blinds=derived_state.missing_blinds(live),
        missed_chips=derived_state.missed_chips_this_hand(live),
        lammers=derived_state.lammers(live),
        offline_spots=derived_state.offline_spots(live),
        program_errors=derived_state.program_errors(live),
        unawarded_chips=derived_state.unawarded_chips(live),
        misplaced_button_seat=derived_state.misplaced_button_seat(live),
        posts_owed=derived_state.posts_owed(live),
        kill_owed=derived_state.kill_owed(live),
        has_open_access=live.badge_count == 0 and not derived_state.denies_badges(live),
        provisional=derived_state.is_provisional(live),
        balances=balances.table_balances(table, hand),
        chip_questions=open_chip_questions(live),
        early_chip_seats=seats_with_early_chips(live) if hand is not None and live.setup.tolerates_delays else (),
        markers=markers_owed(table) if table.markers else {},
        level=tournament.level_status(table) if table.levels else None,
        next_hand_refusal=tournament.no_hand_reason(table) if table.levels or table.hand_for_hand else None,
        sensors=sensors,
    )


def _sensor_status(live: Live) -> SensorStatus:
    """Return whether the bets of the players are read at all seats, at some or at none."""
    if not live.setup.has_sensors:
        return "off"
    players = frozenset(live.table.players)
    offline = live.table.offline_seat_sensors & players
    if offline and offline == players:
        return "off"
    return (
        "partly"
        if offline or any(live.device_faults.down.get(reader) is not None for reader in live.setup.readers)
        else "on"
    )
