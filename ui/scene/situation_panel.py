"""The seats that have keys in place of the actions while nobody can act.

While a pot must be awarded, each seat that can win it has a key. In stud, each seat that may bring in or act first has
one. At other times, each seat has a key if something about it is due, such as a blind, a post or chips that it owes. A
touch on such a key is a touch on the seat.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.messages import Messages
from controller.view import SeatView, TableView
from ui.scene.view_models import BETWEEN_HANDS_MESSAGES, dealt_in_count, pots_with_winners
from ui.state import main_keys

MAX_LABELLED_KEYS: Final = 8
"""Maximum number of keys that are wide enough for the word "seat"."""
MIN_PLAYERS: Final = 2
"""Number of players that a hand needs. With fewer players, the empty seats have keys, so that players can sit down."""


class SeatNote(NamedTuple):
    """A seat that has a key, with the label of the key and a text about what is due. The text may be ""."""

    seat: int
    label: str
    text: str


def seat_notes(view: TableView, messages: Messages) -> tuple[SeatNote, ...]:
    """Return the seats that can win the pot, bring in or act first, or about which something is due."""
    if main_keys.is_award_next(view):
        pot = next((pot for pot in pots_with_winners(view) if pot.name == view.next_pot_to_award), None)
        notes = [(seat, "") for seat in (pot.seats if pot is not None else ())]
    elif seats := main_keys.seats_to_name(view):
        notes = [(seat, "") for seat in seats]
    else:
        notes = _due_notes(view, messages)
    return tuple([SeatNote(seat, _label(seat, len(notes), messages), text) for seat, text in notes])


def _label(seat: int, key_count: int, messages: Messages) -> str:
    """Return the label of a key. If ten keys share the space, it is the number of the seat alone."""
    return messages.text("seat-keys", seat=seat) if key_count <= MAX_LABELLED_KEYS else str(seat)


def _due_notes(view: TableView, messages: Messages) -> list[tuple[int, str]]:
    """Return the seats about which something is due, each with a note. The most urgent seats come first."""
    is_open = view.phase in BETWEEN_HANDS_MESSAGES and not view.is_closed
    needs_players = is_open and dealt_in_count(view) < MIN_PLAYERS
    ranked = [(seat.seat, *_due_note(seat, view, messages, needs_players=needs_players)) for seat in view.seats]
    return [(seat, note) for seat, _, note in sorted(ranked, key=lambda due: due[1]) if note]


def _due_note(seat: SeatView, view: TableView, messages: Messages, *, needs_players: bool) -> tuple[int, str]:
    """Return the rank and the text of what is due at a seat. The text is "" if nothing is due."""
    if seat.chips_owed:
        return 0, messages.text("owes", amount=seat.chips_owed)
    if seat.due_back:
        return 0, messages.text("due-back", amount=seat.due_back)
    if view.phase not in BETWEEN_HANDS_MESSAGES:
        return 9, ""
    if seat.blind:
        return 1, messages.text("kill-blind" if seat.kill else "blind", amount=seat.blind)
    if seat.status == "away":
        return 3, messages.text("brings-back")
    if seat.not_in_hand_reason:
        return 2, messages.not_in_hand_reason(seat)
    if seat.status == "empty" and needs_players:
        return 4, messages.text("sits")
    return 9, ""
