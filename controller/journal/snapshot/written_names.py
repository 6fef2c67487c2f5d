"""Names that snapshots use for the classes and fields of a table's state.

A snapshot names each class and each field. If the code renames a class or field, snapshots still use the old name. Old
journals therefore stay readable, and their digests stay the same. The tables in this module list the old name for
everything that was renamed. Snapshots use all other names as they are in the code. For the same reason, one table lists
the fields that were added since.

    >>> written_class("QueuedKey"), written_fields("QueuedKey", ("key", "pressed_us"))
    ('Pressed', {'key': 'key', 'pressed_us': 'at_us'})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_CLASSES: Final[Mapping[str, str]] = {
    "ChipLocation": "Place",
    "ChipMotion": "Motion",
    "DealerSession": "Shift",
    "DepartedPlayer": "Gone",
    "HandCarryOver": "Carried",
    "IntendedAction": "Meant",
    "LastDeclaration": "LastWords",
    "LastWarnings": "Ruled",
    "MissedChip": "Found",
    "PadCount": "Counting",
    "PendingReading": "Waiting",
    "PreHandState": "Before",
    "QueuedKey": "Pressed",
    "RedoEntry": "Ahead",
    "SeatAction": "Act",
    "SeatSession": "Stay",
    "SeatWarning": "Warned",
    "SpokenAmount": "Spoken",
    "TableSetup": "Setup",
    "TournamentLevel": "Level",
    "UndoEntry": "Done",
    "UnsettledReading": "Glimpse",
    "WinStreak": "Streak",
}

_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "ChipLocation": {
        "is_present": "here",
        "since_us": "at_us",
    },
    "ChipMotion": {
        "is_under_call": "under_call",
        "log_position": "place",
        "motion_chips": "added",
        "spot_total": "felt",
        "spot_total_before": "before",
    },
    "Declaration": {
        "is_raise_by": "by",
    },
    "DepartedPlayer": {
        "left_at_minute": "at",
    },
    "Hand": {
        "action_log": "log",
        "action_started": "started",
        "active_seats": "active",
        "antes_total": "antes",
        "awarded": "given",
        "barred_from_raising": "barred",
        "barred_from_short_call": "no_all_in",
        "bet_when_acted": "faced",
        "big_blind_seat": "big_blind",
        "blind_shortfall": "blinds_short",
        "board_count": "boards",
        "bomb_ante": "bomb",
        "bring_in_seat": "bring_in",
        "can_pass_bring_in": "bring_in_passes",
        "current_bet": "level",
        "dead_money": "dead",
        "dead_small_blinds": "dead_blinds",
        "dealt_seats": "order",
        "has_open_pair": "open_pair",
        "is_capped": "capped",
        "jackpot_taken": "jackpot",
        "kill_seat": "killer",
        "kitty_taken": "kitty",
        "last_full_bet": "full",
        "last_to_act": "deferred",
        "live_seats": "live",
        "min_raise": "size",
        "only_two_seated": "two_seated",
        "paid_earlier": "paid",
        "posted_blinds": "blinds",
        "raise_count": "raises",
        "rake_taken": "dropped",
        "rock_seat": "rock",
        "round_number": "round",
        "round_start": "opening",
        "seats_to_act": "pending",
        "small_blind_seat": "small_blind",
        "straddle_seats": "straddles",
        "unawarded_pots": "pots_left",
        "unknown_stacks": "unknown",
        "wager_count": "wagers",
    },
    "HandCarryOver": {
        "is_first_at_button": "fresh",
        "kill_seat": "killer",
        "placement": "placed",
        "placement_before_void": "redeal",
        "rock_seat": "rock",
        "win_streak": "streak",
    },
    "HeldForRuling": {
        "intended": "meant",
        "motion_chips": "added",
        "reason": "why",
        "spot_total_needed": "needs",
    },
    "HeldOutOfTurn": {
        "intended": "meant",
        "is_amount_open": "open_amount",
        "is_bound": "bound",
        "log_position": "at",
        "motion_chips": "added",
        "seats_held_before": "aware",
        "spot_total": "felt",
        "spot_total_needed": "needs",
        "wager_total": "wager",
    },
    "LastWarnings": {
        "early_seat": "early",
        "late_key_seat": "late_key",
        "warnings": "warned",
    },
    "Marker": {
        "debtor": "seat",
    },
    "PadCount": {
        "already_in_bet": "booked",
        "purpose": "what",
    },
    "PendingReading": {
        "order": "place",
        "reason": "why",
        "since_us": "at_us",
    },
    "Placement": {
        "big_blind_position": "big_place",
        "blind_amounts": "blinds",
        "button_buyer": "bought",
        "owes_small_blind": "owe_small",
        "small_blind_position": "small_place",
        "small_blind_seats": "small",
    },
    "Player": {
        "big_blind_owed": "big_owed",
        "hands_to_sit_out": "waits",
        "has_borrowed": "borrowed",
        "is_away": "away",
        "is_new": "new",
        "sat_out_last_hand": "sat_out",
        "small_blind_owed": "small_owed",
        "stack_unknown": "unknown",
        "won_short_all_in": "short_winner",
    },
    "PreHandState": {
        "carry_over": "carried",
        "hand_for_hand": "hold",
        "vacated_seats": "vacated",
    },
    "QueuedKey": {
        "pressed_us": "at_us",
    },
    "RedoEntry": {
        "table_after": "after",
        "undo_entry": "done",
    },
    "SeatAction": {
        "event": "verb",
        "said_pot": "pot",
    },
    "SeatSession": {
        "bought_in": "bought",
        "cashed_out": "cashed",
    },
    "SpokenAmount": {
        "is_amount_open": "open_amount",
        "named_total": "named",
    },
    "Spot": {
        "accounted": "explained",
        "bet_changed_offline": "altered",
        "changed_us": "told_us",
        "ignored": "left",
        "offline_reason": "out",
        "on_spot": "lies",
        "pending": "waiting",
        "program_error": "failed",
        "unknown_tags": "strangers",
        "was_offline": "hidden",
    },
    "Street": {
        "called_time": "timed",
        "held_actions": "held",
        "last_motions": "motions",
        "presumed_actions": "presumed",
        "presumed_of_last_round": "passing",
        "spoken_amounts": "spoken",
        "spot_totals": "felt",
        "unplayable_totals": "small",
    },
    "Table": {
        "bought_in_total": "bought",
        "carry_over": "carried",
        "dealer_sessions": "shifts",
        "departed_players": "gone",
        "elapsed_minutes": "minutes",
        "hand_for_hand": "hold",
        "hands_started": "hands",
        "is_closed": "closed",
        "known_seats": "places",
        "last_declaration": "joins",
        "level_start_minute": "level_since",
        "offline_seat_sensors": "offline",
        "pre_hand_state": "before",
        "redo_stack": "future",
        "seat_sessions": "stays",
        "undo_stack": "past",
        "vacated_seats": "vacated",
    },
    "TableSetup": {
        "has_clock": "clock",
        "is_recorded": "recorded",
        "has_sensors": "trays",
        "tolerates_delays": "patient",
    },
    "UndoEntry": {
        "table_before": "before",
    },
    "UnsettledReading": {
        "first_seen_us": "since_us",
        "initial_unknown_tags": "first",
        "is_late": "late",
        "last_absent_us": "after_us",
        "unknown_tags": "strangers",
        "weak_tags": "weak",
    },
}

_FLAT_CLASSES: Final[Mapping[str, Mapping[str, str]]] = {
    "Live": {
        "setup": "setup",
        "table": "table",
        "spots": "spots",
        "bets.sources": "sources",
        "last_warnings": "ruled",
        "out_of_turn.answered_questions": "answered",
        "out_of_turn.acknowledged_seats": "acknowledged",
        "bets.undone_seats": "undone",
        "bets.awaiting_chips": "put_back",
        "device_faults.down": "devices",
        "device_faults.wrong_settings": "missets",
        "device_faults.lost_presses": "presses_lost",
        "dealt_too_early": "too_early",
        "floor_called": "floor_called",
        "floor_call.reason": "floor_call_reason",
        "floor_call.answered_by": "floor_answered_by",
        "restarted": "restarted",
        "record_faults.are_damaged": "damaged",
        "record_faults.unrecorded_steps": "missed",
        "record_faults.alterations": "altered",
        "tag_faults.copied": "copied",
        "tag_faults.weak": "weak",
        "badge_count": "badges",
        "badge_list_number": "badge_list",
        "refused_badges": "badges_refused",
        "program_error": "failed",
        "times.turn_moved_us": "turned_us",
        "times.minutes_counted_us": "clocked_us",
        "times.hand_began_us": "hand_us",
        "times.hand_ended_us": "over_us",
        "chip_locations": "places",
        "pad.pad_count": "counting",
        "pad.already_counted": "spent",
        "pot_check.missed_chips": "found",
        "pot_check.antes_seen": "antes_in",
        "pot_check.fill_due": "fill_due",
        "pot_check.filled_us": "filled_us",
        "out_of_turn.held_since_us": "held_us",
        "reader.unsettled": "glimpses",
        "reader.vanished": "vanished",
        "reader.first_seen_us": "shown",
        "reader.earlier_seats": "ahead",
        "reader.active": "stirring",
        "reader.unreadable": "blind",
        "queued_keys": "keys",
        "ended_delays.ask_now": "ripe",
        "ended_delays.held_too_long": "overdue",
        "ended_delays.has_unawarded_chips": "astray",
        "ended_delays.clock_seat": "clock_seat",
        "ended_delays.clock_called_us": "clock_called_us",
        "ended_delays.clock_seconds_left": "clock_seconds_left",
        "ended_delays.floor_called_us": "floor_called_us",
        "ended_delays.floor_waiting_minutes": "floor_waiting_minutes",
    },
}
"""Classes whose parts are written as fields of the class itself, because older programs had no such parts. Each class
has its fields in the order in which they are written: the path in the code, and the name that snapshots use."""
_ADDED_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "Accounts": frozenset({"promotion"}),
    "DealerSession": frozenset({"cage_transfers"}),
    "Game": frozenset({"ante_per_player", "clock_seconds", "double_post", "new_game_free", "open_all_in_hands"}),
    "Hand": frozenset({"promotion_chips"}),
    "HandCarryOver": frozenset({"seats_passed"}),
    "Live": frozenset(
        {
            "badge_list_number",
            "ended_delays.clock_called_us",
            "ended_delays.clock_seat",
            "ended_delays.clock_seconds_left",
            "ended_delays.floor_called_us",
            "ended_delays.floor_waiting_minutes",
            "floor_call.answered_by",
            "floor_call.reason",
            "pot_check.fill_due",
            "pot_check.filled_us",
            "refused_badges",
        }
    ),
    "Table": frozenset({"cage_transfers", "queued_steps", "unnamed_debts"}),
}
"""Fields that a class got after journals were written. Snapshots leave such a field out while it has its default."""


def added_fields(class_name: str) -> frozenset[str]:
    """Return the paths of the fields of a class that snapshots leave out while they have their default."""
    return _ADDED_FIELDS.get(class_name, frozenset())


def written_class(name: str) -> str:
    """Return the name that snapshots use for a class."""
    return _CLASSES.get(name, name)


def written_fields(class_name: str, names: Sequence[str]) -> dict[str, str]:
    """Return the names that snapshots use for the fields of a class, by field and in order.

    `names` are the fields of the class in the code. A field of a part that is written as a field of the class itself
    has a path, such as `times.hand_began_us`.
    """
    if class_name in _FLAT_CLASSES:
        return dict(_FLAT_CLASSES[class_name])
    return {name: _FIELDS.get(class_name, {}).get(name, name) for name in names}
