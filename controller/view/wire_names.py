"""Names of fields in the messages on the socket, if they differ from the code.

A field that was renamed in the code keeps its name on the socket, so that existing programs still understand the
messages. Fields that are not listed have the same name in both places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WIRE_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "Alert": {
        "clearable_by": "clears",
        "subject": "about",
    },
    "AlertRow": {
        "cleared_by": "by",
        "cleared_by_badge": "badge",
    },
    "AllInView": {
        "action": "did",
        "excess": "back",
    },
    "AwardPage": {
        "odd_chips": "odd",
    },
    "BetPart": {
        "kind": "what",
    },
    "Command": {
        "heartbeat": "beat",
        "view_sequence": "shown",
    },
    "DevicesPage": {
        "journal_path": "records",
        "uptime_s": "up_s",
    },
    "HandAction": {
        "summary": "told",
        "warnings": "rulings",
    },
    "HandPage": {
        "summary": "line",
    },
    "HandRow": {
        "awards": "won",
        "is_complete": "whole",
        "result": "ended",
        "warning_count": "rulings",
    },
    "HandSeat": {
        "stack_after": "left",
        "stack_before": "brought",
    },
    "HandsPage": {
        "is_complete": "is_all",
    },
    "LargestBetView": {
        "has_enough": "reaches",
        "max_total": "most",
        "no_raise_reason": "why_no_raise",
        "pot_parts": "pot",
    },
    "MessageValues": {
        "held_action": "held",
        "presumed_action": "did",
    },
    "PlayerAccount": {
        "bought_in": "bought",
        "cashed_out": "cashed",
        "owed_on_markers": "owes",
    },
    "PotPart": {
        "kind": "what",
    },
    "RefusalView": {
        "is_sticky": "stays",
    },
    "ReportPage": {
        "is_balanced": "balances",
        "net_bought_in": "bought",
    },
    "SeatView": {
        "acted_early": "early",
        "chips_owed": "owes",
        "hands_to_wait": "waits_hands",
        "held_action": "held",
        "last_action": "last",
        "markers_owed": "markers",
        "min_straddle": "may_straddle",
        "missed_blinds": "missed",
        "not_in_hand_reason": "why_out",
        "post_due": "post",
        "presumed_action": "presumed",
        "uncounted": "seen",
        "unknown_tags": "unknown_chips",
    },
    "ServiceMessage": {
        "heartbeat": "beat",
    },
    "StepSummary": {
        "action": "did",
        "bet_source": "source",
        "is_held": "held",
    },
    "TableView": {
        "allowed_actions": "may",
        "hand_number": "hand",
        "has_count_pad": "pad",
        "has_open_access": "is_open",
        "is_closed": "closed",
        "is_recorded": "recorded",
        "largest_bet": "largest",
        "last_step": "told",
        "next_choices": "next",
        "next_in_mix": "follows",
        "next_pot_to_award": "give",
        "recent_steps": "lately",
        "service_run": "run",
        "table_name": "table",
    },
}
"""The names of renamed fields on the socket, by class and field."""
