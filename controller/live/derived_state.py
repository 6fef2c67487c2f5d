"""Values derived from the live state, such as chips that wait for an explanation, misplaced chips and faults.

Functions that return several seats sort them by seat number, or by how long their chips have waited for an explanation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from controller.live.pending_reasons import PENDING_POLICIES
from controller.live.state import Live, MissedChip, Spot
from controller.rules import (
    AWARD_PHASES,
    Phase,
    bet_range,
    clockwise_after,
    missed_blinds,
    to_call,
)
from controller.steps import observations
from controller.table import HeldOutOfTurn, Table, balances, can_be_dealt_in
from hardware.chip_set import can_make
from hardware.events import KEY_DEVICES, KEY_STUCK, Chip, reach_setting
from hardware.spots import BET_SPOTS, COUNT_PAD, POT

SWEEP_WINDOW_US: Final = 5_000_000
"""Maximum time between the first and the last spot that one sweep empties, in microseconds. The limit is 5 seconds,
because a dealer's arm needs two or three seconds for a sweep."""
BADGE_READER: Final = "badge-reader"
"""Device name of the service that finds the badge readers (pcscd). If it is down, no badge is read."""
BADGE_READER_PREFIX: Final = f"{BADGE_READER}:"
"""Beginning of the device name of each single badge reader, as in `badge-reader:ACS-ACR122U-00-00`."""
READER_PAUSED: Final = "paused"
"""Reason why a badge reader is down after too many wrong answers of cards."""
HIGH_WATER_MARK: Final = "high-water"
"""Device name of the store for the high-water mark (the number of the last record), which is outside the journal."""
TABLE_KEY: Final = "table-key"
"""Device name of the store for the key that signs the journal."""
STORAGE: Final = "storage"
"""Device name of the disk with the journal."""
UNREAD_SPOT: Final = Spot()
"""State of a spot that has not been read yet."""
SEAT_OF_SPOT: Final = {spot: seat for seat, spot in enumerate(BET_SPOTS, 1)}
"""Number of the seat to which each bet spot belongs."""
BETTING_PHASES: Final = (Phase.BETTING, Phase.BRING_IN, Phase.FIRST_TO_ACT)
"""Phases of a hand in which a seat is in turn, or will be when the dealer names it."""


def has_elapsed(since_us: int, now_us: int, limit_us: int) -> bool:
    """Return True if at least `limit_us` has passed since `since_us`.

    Also return True if `since_us` is in the future. Such a time was set before a restart of the machine, which starts
    its clock again at 0.
    """
    return not 0 <= now_us - since_us < limit_us


def total_value(chips: Iterable[Chip]) -> int:
    """Return the total value of the chips."""
    return sum(chip.denomination for chip in chips)


# --- spots ---


def hears_own_stack(live: Live, seat: int) -> bool:
    """Return True if the antenna of the seat's spot is known to hear chips of the stack behind the line."""
    reach = reach_setting(BET_SPOTS[seat - 1])
    return any(noted.get(reach) for noted in live.device_faults.wrong_settings.values())


def spot_of(live: Live, seat: int) -> Spot:
    """Return the state of the seat's bet spot."""
    return live.spots.get(BET_SPOTS[seat - 1], UNREAD_SPOT)


def amount_on_spot(live: Live, seat: int) -> int:
    """Return the value of all chips in the last reading of the seat's spot, explained or not.

    If the spot has not been read yet, return the total that the recorded steps put on it.
    """
    chips = spot_of(live, seat).on_spot
    return live.table.street.spot_totals[seat] if chips is None else total_value(chips)


def amount_accounted(live: Live, seat: int) -> int:
    """Return the value of the chips on the seat's spot that the recorded steps explain.

    If the spot has not been read yet, return the total that the recorded steps put on it.
    """
    chips = spot_of(live, seat).accounted
    return live.table.street.spot_totals[seat] if chips is None else total_value(chips)


def has_chips_worth(live: Live, seat: int, amount: int) -> bool:
    """Return True if some of the explained chips on the seat's spot are worth exactly this amount.

    The seat can then get the amount back without change. Example: of 25, 5 and 1, two chips are worth 26, and none 10.
    """
    return can_make((chip.denomination for chip in spot_of(live, seat).accounted or ()), amount)


def pending_seats_for(live: Live, reason: observations.PendingReason) -> tuple[int, ...]:
    """Return the seats with a reading that is unexplained for this reason, longest wait first."""
    ordered_seats = [
        (spot.pending.order, seat)
        for name, spot in live.spots.items()
        if spot.pending is not None and spot.pending.reason == reason and (seat := SEAT_OF_SPOT.get(name))
    ]
    return tuple(seat for _, seat in sorted(ordered_seats))


def pending_seats(live: Live) -> tuple[int, ...]:
    """Return the seats with a reading that waits for an explanation, longest wait first."""
    ordered_seats = [
        (spot.pending.order, seat)
        for name, spot in live.spots.items()
        if spot.pending is not None and (seat := SEAT_OF_SPOT.get(name))
    ]
    return tuple(seat for _, seat in sorted(ordered_seats))


def is_pending_for(live: Live, seat: int, reason: observations.PendingReason) -> bool:
    """Return True if the last reading of the seat's spot is unexplained for this reason."""
    pending = spot_of(live, seat).pending
    return pending is not None and pending.reason == reason


def has_uncertain_chips(live: Live, seat: int) -> bool:
    """Return True if the chips on the seat's spot are uncertain, or if they may not be a bet."""
    pending = spot_of(live, seat).pending
    return pending is not None and PENDING_POLICIES[pending.reason].is_uncertain


def has_unresolved_doubt(live: Live, seat: int) -> bool:
    """Return True if an uncertain reading of the seat's spot shows more than the recorded total.

    Leave out chips that the table ignores. Example: a total of 60 is recorded for the spot. The reader shows 85 and may
    have missed more chips.
    """
    if not is_pending_for(live, seat, "doubt"):
        return False
    spot = spot_of(live, seat)
    return (
        total_value(chip for chip in spot.on_spot or () if chip.uid not in spot.ignored)
        > live.table.street.spot_totals[seat]
    )


class UncountedChips(NamedTuple):
    """Chips on a seat's spot that do not count as its bet."""

    amount: int = 0
    at_least: bool = False
    unknown_tags: int = 0
    """Number of tags on the spot that are neither chips nor lammers (plastic markers)."""


def uncounted_chips(live: Live, seat: int) -> UncountedChips:
    """Return the chips on the seat's spot that do not count as a bet, or not yet.

    Such chips are moving, are read with doubt, or have arrived since the betting closed. Return zeros if every chip
    counts.
    """
    reading, spot = live.reader.unsettled.get(BET_SPOTS[seat - 1]), spot_of(live, seat)
    if spot.pending is not None and spot.pending.reason not in ("doubt", "emptied", "deferred"):
        if spot.pending.round and spot.accounted is not None:
            return UncountedChips(total_value(set(spot.on_spot or ()) - set(spot.accounted)))
        return UncountedChips(max(0, amount_on_spot(live, seat) - amount_accounted(live, seat)))
    if reading is not None:
        amount = max(0, total_value(reading.stack) - live.table.street.spot_totals[seat])
        return UncountedChips(amount, reading.at_least and amount > 0, len(reading.unknown_tags))
    if is_pending_for(live, seat, "doubt"):
        amount = max(0, amount_on_spot(live, seat) - live.table.street.spot_totals[seat])
        return UncountedChips(amount, spot.at_least and amount > 0, len(spot.unknown_tags))
    return UncountedChips()


def uncounted_chips_by_seat(live: Live) -> dict[int, UncountedChips]:
    """Return the chips that do not count as a bet, for the seat of every player."""
    return {seat: uncounted_chips(live, seat) for seat in live.table.players}


def is_provisional(live: Live) -> bool:
    """Return True if an amount that limits the next bet may still change.

    Return False between hands. During a hand, return True if any seat owes chips, or if one of these is true for a seat
    that can still win:

    - Chips are moving on the seat's spot, or the spot cannot be read.
    - Unexplained chips of the seat may still become a bet, or may be taken back.
    - The seat's sensor is offline.
    """
    hand = live.table.hand
    if hand is None or hand.phase is Phase.OVER:
        return False
    changing_seats = (seat for seat in pending_seats(live) if _may_change(live, seat))
    changing_spots = {
        *live.reader.unsettled,
        *live.reader.unreadable,
        *(name for name, spot in live.spots.items() if spot.program_error),
    }
    live_seats = set(hand.live_seats)
    return (
        any(SEAT_OF_SPOT.get(name) in live_seats for name in changing_spots)
        or not live_seats.isdisjoint(changing_seats)
        or not live_seats.isdisjoint(live.table.offline_seat_sensors)
        or any(balances.owed_by_seat(live.table))
    )


def _may_change(live: Live, seat: int) -> bool:
    pending = spot_of(live, seat).pending
    if pending is None or pending.reason in ("between", "deferred", "folded-seat"):
        return False
    return pending.reason != "doubt" or has_unresolved_doubt(live, seat)


# --- what needs the dealer ---


def is_betting(table: Table) -> bool:
    """Return True if a seat is in turn, or will be as soon as the dealer names it."""
    return table.hand is not None and table.hand.phase in BETTING_PHASES


def seat_in_turn(live: Live) -> int:
    """Return the seat in turn, or 0 if no seat is in turn."""
    return live.table.hand.turn if live.table.hand is not None else 0


def seats_to_act(live: Live) -> tuple[int, ...]:
    """Return the seats that must still act in this betting round, in order. Return an empty tuple between rounds."""
    return live.table.hand.seats_to_act if live.table.hand is not None else ()


def is_exact_call(live: Live, seat: int, new_chips: list[Chip]) -> bool:
    """Return True if the new chips raise the total on the seat's spot to exactly the current bet."""
    hand = live.table.hand
    return hand is not None and live.table.street.spot_totals[seat] + total_value(new_chips) == hand.current_bet


def least_wager(live: Live, seat: int) -> int:
    """Return the amount that the seat must add to call, or for the smallest bet or raise if it has nothing to call.

    Return 0 if the seat must not act or cannot bet.
    """
    hand = live.table.hand
    if hand is None or seat not in hand.seats_to_act:
        return 0
    allowed = bet_range(hand, seat)
    return to_call(hand, seat) or (allowed[0] - hand.bets[seat] if allowed is not None else 0)


def may_have_called(live: Live) -> bool:
    """Return True if the seat in turn has chips from an action out of turn in front of it that are enough for a call.

    The chips are due back, but the player has probably called. A fold key that has waited is then for another seat.
    """
    hand, table = live.table.hand, live.table
    if hand is None or not hand.turn or not balances.due_back(table, hand.turn):
        return False
    return table.street.spot_totals[hand.turn] >= hand.current_bet > 0


def was_bet_by_other(live: Live, seat: int, chip: Chip) -> bool:
    """Return True if the chip has been part of a settled stack on another seat's spot in this betting round."""
    hand, location = live.table.hand, live.chip_locations.get(chip.uid)
    return (
        hand is not None
        and location is not None
        and location.spot in SEAT_OF_SPOT
        and location.spot != BET_SPOTS[seat - 1]
        and (location.hand, location.round) == (live.table.hands_started, hand.round_number)
    )


def is_pot_awarded(table: Table) -> bool:
    """Return True from the first award of a pot until the next hand starts."""
    return table.hand is None or table.hand.phase in AWARD_PHASES


def owes_chips(table: Table, seat: int) -> bool:
    """Return True if the seat must still put chips in during this hand."""
    return table.is_hand_in_progress and balances.owed(table, seat) > 0


def open_raise_seat(table: Table) -> int:
    """Return the seat that said "raise" without an amount and may still add chips, or 0.

    If the game allows it, the seat may add chips several times until the next seat acts. Source: Robert's Rules 14.6.
    """
    hand = table.hand
    if hand is None or not hand.action_log or not hand.game.raise_in_motions:
        return 0
    seat = hand.action_log[-1].seat
    spoken = table.street.spoken_amounts.get(seat)
    return seat if spoken is not None and spoken.is_amount_open else 0


def swept_seats(live: Live) -> tuple[int, ...]:
    """Return the seats, by number, of spots that emptied together while the betting round is open.

    At least two spots must empty within `SWEEP_WINDOW_US`, which suggests that the dealer is closing the betting round.
    Otherwise return an empty tuple.
    """
    spots = {
        seat: spot_of(live, seat).pending
        for seat in (*pending_seats_for(live, "emptied"), *pending_seats_for(live, "covered"))
    }
    times = sorted(pending.since_us for pending in spots.values() if pending is not None)
    if len(times) < 2 or times[-1] - times[0] > SWEEP_WINDOW_US or not balances.is_round_open(live.table):
        return ()
    return tuple(sorted(spots))


def has_unanswered_bet(live: Live, seat: int) -> bool:
    """Return True if the seat has bet and no other player in the hand has answered the bet.

    All other players may then have folded. If the spot of the seat is empty, the dealer may have swept the bet.
    """
    hand = live.table.hand
    if hand is None or seat not in hand.live_seats or hand.turn == seat or BET_SPOTS[seat - 1] in live.reader.unsettled:
        return False
    level = hand.bets[seat]
    return all(other in hand.seats_to_act and hand.bets[other] < level for other in hand.live_seats if other != seat)


def bets_possibly_answered(live: Live, seat: int) -> tuple[int, ...]:
    """Return later seats with a bet or raise out of turn that the chips of this seat may answer.

    Example: seat 5 has bet 40 out of turn, and chips for 40 arrive from seat 3, which is in turn. Either seat 3 bets
    40, or seat 3 had checked unnoticed and now calls. Only the dealer knows, so the chips wait for the dealer's answer.
    Return an empty tuple after the answer `AnswersActsNow`.
    """
    hand, pending = live.table.hand, live.table.street.held_actions
    if not pending or hand is None or not hand.turn or seat not in hand.seats_to_act or seat in hand.folded:
        return ()
    if observations.AnswersActsNow(seat) in live.out_of_turn.answered_questions:
        return ()
    ring = clockwise_after(hand.dealt_seats, hand.turn - 1)
    return tuple(
        other
        for other, held in pending.items()
        if isinstance(held, HeldOutOfTurn)
        and held.intended.kind in ("bet", "raise")
        and ring.index(other) > ring.index(seat)
    )


def possible_answers(live: Live) -> frozenset[observations.AnswersOutOfTurn | observations.AnswersActsNow]:
    """Return the answers that the dealer can give now to questions about whose turn it is."""
    held = (observations.AnswersOutOfTurn(seat) for seat in live.table.street.held_actions)
    return frozenset((*held, *(observations.AnswersActsNow(seat) for seat in pending_seats_for(live, "deferred"))))


# --- spots and devices ---


def late_unsettled(live: Live) -> tuple[tuple[int, int], ...]:
    """Return (seat, value seen) for each spot on which chips have moved for longer than a player needs to bet."""
    late = {name: total_value(reading.stack) for name, reading in live.reader.unsettled.items() if reading.is_late}
    return tuple((seat, late[name]) for name, seat in SEAT_OF_SPOT.items() if name in late)


def ignored_amounts(live: Live) -> tuple[tuple[int, int], ...]:
    """Return (seat, amount) for each spot with chips that the table ignores and no bet of this hand explains."""
    result = []
    for name, seat in SEAT_OF_SPOT.items():
        spot = live.spots.get(name, UNREAD_SPOT)
        if not spot.ignored:
            continue
        ignored_value = total_value(chip for chip in spot.on_spot or () if chip.uid in spot.ignored)
        amount = min(ignored_value, amount_on_spot(live, seat) - live.table.street.spot_totals[seat])
        if amount > 0:
            result.append((seat, amount))
    return tuple(result)


def missing_blinds(live: Live) -> tuple[tuple[int, int], ...]:
    """Return (seat, amount) for each recorded blind that is not on its spot.

    Return an empty tuple until the first seat has acted, because players post late. Leave out a seat that has acted,
    and a seat with moving chips.
    """
    hand, table = live.table.hand, live.table
    if (
        hand is None
        or not live.setup.has_sensors
        or not is_betting(table)
        or hand.round_number != 1
        or not hand.action_log
    ):
        return ()
    acted = {act.seat for act in hand.action_log}
    result = []
    for seat in hand.live_seats:
        spot = spot_of(live, seat)
        missing = table.street.spot_totals[seat] - amount_on_spot(live, seat)
        may_change = (
            BET_SPOTS[seat - 1] in live.reader.unsettled
            or spot.pending is not None
            or spot.was_offline
            or seat in live.bets.awaiting_chips
        )
        if (
            missing > 0
            and spot.on_spot is not None
            and seat not in acted
            and seat not in table.offline_seat_sensors
            and not may_change
        ):
            result.append((seat, missing))
    return tuple(result)


def missed_chips_this_hand(live: Live) -> tuple[MissedChip, ...]:
    """Return the chips in the pot or the tray that no bet spot reported in this hand."""
    return tuple(chip for chip in live.pot_check.missed_chips if chip.hand == live.table.hands_started)


def unawarded_chips(live: Live) -> int:
    """Return the value of the chips that stayed in the pot after the last award, or 0.

    Return 0 until the pot antenna has reported the chips for `UNAWARDED_CHIPS_DELAY_US`.
    """
    return total_value(live.spots[POT].on_spot or ()) if live.ended_delays.has_unawarded_chips else 0


def may_have_unawarded_chips(live: Live) -> bool:
    """Return True if the pot antenna reports chips without doubt although every pot has been awarded."""
    pot = live.spots.get(POT, UNREAD_SPOT)
    is_certain = pot.offline_reason is None and not pot.at_least and not pot.unknown_tags
    hand = live.table.hand
    return is_certain and bool(pot.on_spot) and (hand is None or hand.phase is Phase.OVER)


def misplaced_button_seat(live: Live) -> int:
    """Return the seat at which the button was read although another seat should have it, or 0.

    Return 0 between hands, because the dealer may be moving the button.
    """
    hand = live.table.hand
    if hand is None or hand.phase is Phase.OVER:
        return 0
    button_seats = [
        SEAT_OF_SPOT[name] for name, spot in live.spots.items() if "button" in spot.lammers and name in SEAT_OF_SPOT
    ]
    return min([seat for seat in button_seats if seat != hand.button], default=0)


def lammers(live: Live) -> tuple[tuple[int, str], ...]:
    """Return (seat, name) for each lammer (plastic marker with a tag) on a bet spot, except the dealer button."""
    result = [
        (SEAT_OF_SPOT[spot], name)
        for spot, state in live.spots.items()
        if state.lammers and spot in SEAT_OF_SPOT
        for name in state.lammers
        if name != "button"
    ]
    return tuple(sorted(result, key=itemgetter(0)))


def offline_spots(live: Live) -> tuple[tuple[str, str], ...]:
    """Return (spot, reason) for each spot that cannot be read now. Bet spots are left out."""
    return tuple(
        sorted((name, spot.offline_reason) for name, spot in live.spots.items() if spot.offline_reason is not None)
    )


def has_count_pad(live: Live) -> bool:
    """Return True if the table has a count pad and its antenna is read."""
    pad = live.spots.get(COUNT_PAD, UNREAD_SPOT)
    return live.setup.has_sensors and pad.on_spot is not None and pad.offline_reason is None


def spots_of_offline_readers(live: Live) -> frozenset[str]:
    """Return the spots that cannot be read because their reader is offline."""
    down, spots_by_reader = live.device_faults.down, live.setup.spots_by_reader
    readers = [reader for reader in spots_by_reader if down.get(reader) is not None]
    return frozenset([spot for reader in readers for spot in spots_by_reader[reader]])


def players_of_reader(live: Live, reader: str) -> tuple[int, ...]:
    """Return the seats of the players whose bet spots the reader reads."""
    seats = [SEAT_OF_SPOT[spot] for spot in live.setup.spots_by_reader.get(reader, ()) if spot in SEAT_OF_SPOT]
    return tuple(sorted([seat for seat in seats if seat in live.table.players]))


def is_no_player_read(live: Live) -> bool:
    """Return True if the seat sensors of all players are offline."""
    players = live.table.players.keys()
    return bool(players) and live.setup.has_sensors and players <= live.table.offline_seat_sensors


def program_errors(live: Live) -> tuple[tuple[str, str], ...]:
    """Return (spot, message) for each error of the program that made a reading or a step fail.

    The spot is "" if the error concerned no spot.
    """
    errors = [(name, spot.program_error) for name, spot in live.spots.items() if spot.program_error]
    return tuple(sorted([*errors, ("", live.program_error)] if live.program_error else errors))


def badge_reader_device(reader: str) -> str:
    """Return the device name of the badge reader with this PC/SC name. A device name is one word."""
    return BADGE_READER_PREFIX + "-".join(re.findall(r"\w+", reader))


def is_badge_reader(device: str) -> bool:
    """Return True if the device is a badge reader, or the service that finds the badge readers."""
    return device == BADGE_READER or device.startswith(BADGE_READER_PREFIX)


DeviceKind = Literal[
    "badge-reader",
    "paused-badge-reader",
    "high-water",
    "table-key",
    "storage",
    "stuck-key",
    "bouncing-key",
    "reader",
    "board",
]
"""Kind of a device that is down. For a key it is the fault of its contact."""


def device_kind(live: Live, device: str) -> DeviceKind:
    """Return the kind of the device with this name."""
    if device in KEY_DEVICES.values():
        return "stuck-key" if live.device_faults.down.get(device) == KEY_STUCK else "bouncing-key"
    if is_badge_reader(device):
        return "paused-badge-reader" if live.device_faults.down.get(device) == READER_PAUSED else "badge-reader"
    if device == HIGH_WATER_MARK:
        return "high-water"
    if device == TABLE_KEY:
        return "table-key"
    if device == STORAGE:
        return "storage"
    return "reader" if device in live.setup.readers else "board"


def denies_badges(live: Live) -> bool:
    """Return True if nobody is authorised, because the list of badges or the options cannot be used."""
    return any(fault.kind in ("badges", "options") and not fault.is_replaced for fault in live.setup.file_faults)


# --- amounts owed before a hand ---


def posts_owed(live: Live) -> tuple[tuple[int, int], ...]:
    """Return (seat, amount) for each player who is present and must post before being dealt in."""
    table, hand = live.table, live.table.hand
    playing = hand.dealt_seats if hand is not None and hand.phase is not Phase.OVER else ()
    waiting_players = {
        seat: player for seat, player in table.players.items() if seat not in playing and not player.is_away
    }
    if not waiting_players:
        return ()
    game = table.game
    owing_players = {
        seat: waiting_player
        for seat, waiting_player in sorted(waiting_players.items())
        if missed_blinds.has_playable_chips(game, waiting_player) and not can_be_dealt_in(table, game, seat)
    }
    return tuple(
        (seat, due)
        for seat, waiting_player in owing_players.items()
        if (due := sum(missed_blinds.entry_post(game, waiting_player)))
    )


def kill_owed(live: Live) -> tuple[int, int] | None:
    """Return (seat, amount) of the kill blind that is due in the next hand, or None."""
    table, seat = live.table, live.table.carry_over.kill_seat
    kill = table.game.kill if seat else None
    if kill is None or table.is_hand_in_progress:
        return None
    return seat, int(table.game.big_blind * Fraction(kill.factor))
