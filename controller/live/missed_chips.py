"""Detection of chips in the pot or the tray that no bet spot reported in this hand.

The tag of such a chip is weak, or the chip was in a bad position on the bet spot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from controller.live.derived_state import BETTING_PHASES
from controller.live.state import Live, MissedChip, PotCheck
from controller.rules import AWARD_PHASES, Hand
from controller.steps import observations
from controller.table import balances
from hardware.events import Chip, ChipsAppeared
from hardware.spots import POT, TRAY

_ChipT = TypeVar("_ChipT", Chip, MissedChip)

MAX_MISSING_ANTES_SHARE: Final = 0.5
"""Maximum share of the antes that the pot antenna may not have read when the first bets are swept. If more antes are
unread, a new chip in the pot may be an ante. It is then not reported as missed by a bet spot. Most antes are read,
because antes arrive together and stay in the pot for a whole betting round."""

LAST_POT_LINGER_WINDOW_US: Final = 10_000_000
"""Time in µs after the start of a hand during which the pot antenna may still report the last pot. The first bets of
the new hand are swept later than this."""

FILL_WINDOW_US: Final = 120_000_000
"""Time in µs after a fill in which new chips in the tray may be those of the fill. The dealer counts the chips on the
table before they go into the tray, which takes about a minute."""


def is_new_this_hand(live: Live, uid: str) -> bool:
    """Return True if no spot except the tray has reported the chip in this hand.

    Return False if the chip has been on the same spot since an earlier hand.
    """
    location = live.chip_locations.get(uid)
    return (
        location is None
        or (location.hand != live.table.hands_started and not location.is_present)
        or location.spot == TRAY
    )


def missed_chips_among(live: Live, event: ChipsAppeared) -> tuple[Chip, ...]:
    """Return the chips that are new in the pot and that no bet spot detected in this hand.

    Before the first sweep, leave out chips of the last hand, because one reading may still show a chip that is gone.
    """
    spot, hand = live.spots.get(event.spot), live.table.hand
    if spot is None or spot.on_spot is None or hand is None:
        return ()
    detections = zip(event.chips, event.last_heard_us, strict=True)
    undetected = (chip for chip, at_us in detections if at_us <= live.times.hand_began_us)
    new_chips = (chip for chip in undetected if is_new_this_hand(live, chip.uid) and chip not in spot.on_spot)
    return tuple(chip for chip in new_chips if _are_bets_swept(hand) or not _is_of_last_hand(live, chip.uid))


def find_missed_chips(live: Live, step: observations.RecordSpotReading, at_us: int) -> Iterator[MissedChip]:
    """Yield the new chips in the pot or the tray that no bet spot read in this hand.

    Yield nothing in the following cases:

    - The service restarted during the hand, so that earlier readings are lost.
    - The chips may be antes that have not been reported yet.
    - The chips may be left from the last pot, because the hand has just begun.
    - The hand is over and the chips are in the tray, where anybody may have put them.
    - The chips are in the tray and may be those of a fill.
    """
    hand, table = live.table.hand, live.table
    if (
        hand is None
        or live.restarted
        or not live.setup.tolerates_delays
        or not _can_only_be_bets(live, hand, step.spot, at_us)
    ):
        return
    owing_seats = [seat for seat in hand.dealt_seats if balances.owed(table, seat)]
    are_swept = _are_bets_swept(hand)
    are_antes_in = are_swept and _antes_missing(live, hand) <= MAX_MISSING_ANTES_SHARE * hand.antes_total
    antes = () if are_antes_in else _possible_antes(live, hand, step)
    of_fill = chips_of_fill(live, step, at_us)
    may_be_last_pot = not are_swept and at_us - live.times.hand_began_us < LAST_POT_LINGER_WINDOW_US
    for chip in _undetected_chips(live, step):
        is_of_last_pot = may_be_last_pot and (_has_antes(hand) or _is_of_last_hand(live, chip.uid))
        if chip not in antes and chip not in of_fill and not is_of_last_pot:
            seat = owing_seats[0] if len(owing_seats) == 1 else 0
            yield MissedChip(step.spot, chip.uid, chip.denomination, seat, table.hands_started)


def _can_only_be_bets(live: Live, hand: Hand, spot: str, at_us: int) -> bool:
    """Return True if chips that arrive in the pot or the tray now must be bets of this hand.

    When a hand begins, the last pot may still be there. Antes are put into the pot directly, not on bet spots, so the
    pot antenna may report antes before the first bets are swept.
    """
    has_antes = _has_antes(hand)
    if spot == TRAY:
        return live.table.is_hand_in_progress and not has_antes
    if _are_bets_swept(hand) and live.table.is_hand_in_progress:
        return True
    locations = [
        live.chip_locations[chip.uid] for chip in live.spots[spot].on_spot or () if chip.uid in live.chip_locations
    ]
    earlier = [location for location in locations if location.since_us < at_us]
    has_reported = any(location.hand == live.table.hands_started for location in earlier)
    return has_reported or not (earlier or has_antes or not live.table.is_hand_in_progress)


def _has_antes(hand: Hand) -> bool:
    return bool(hand.game.ante or hand.bomb_ante)


def _are_bets_swept(hand: Hand) -> bool:
    """Return True if the first bets were swept, so that these bets and all antes should be in the pot."""
    return hand.round_number > 1 or hand.phase not in (*AWARD_PHASES, *BETTING_PHASES)


def _antes_missing(live: Live, hand: Hand) -> int:
    """Return the value of the antes that the pot antenna has not reported."""
    return max(0, hand.antes_total - live.pot_check.antes_seen) if _has_antes(hand) else 0


def count_antes_seen(live: Live, step: observations.RecordSpotReading) -> int:
    """Return the value of the antes that the pot antenna has reported, including this reading.

    A new chip that no bet spot detected counts as an ante until all antes have been reported.
    """
    hand = live.table.hand
    if step.spot != POT or hand is None:
        return live.pot_check.antes_seen
    return live.pot_check.antes_seen + sum(chip.denomination for chip in _possible_antes(live, hand, step))


def _possible_antes(live: Live, hand: Hand, step: observations.RecordSpotReading) -> list[Chip]:
    """Return the new chips that may be antes not yet reported by the pot antenna."""
    return _chips_within(_antes_missing(live, hand), _undetected_chips(live, step))


def _chips_within(amount: int, chips: Iterable[_ChipT]) -> list[_ChipT]:
    """Return the first chips that fit into the amount together. Leave out each chip that is too large for the rest."""
    fitting = []
    for chip in chips:
        if chip.denomination <= amount:
            amount -= chip.denomination
            fitting.append(chip)
    return fitting


def chips_of_fill(live: Live, step: observations.RecordSpotReading, at_us: int) -> list[Chip]:
    """Return the new chips in the tray that a fill of the last minutes explains."""
    if step.spot != TRAY or not _is_fill_due(live.pot_check, at_us):
        return []
    return _chips_within(live.pot_check.fill_due, _undetected_chips(live, step))


def _is_fill_due(pot_check: PotCheck, at_us: int) -> bool:
    return bool(pot_check.fill_due) and at_us - pot_check.filled_us <= FILL_WINDOW_US


def after_fill(pot_check: PotCheck, amount: int, at_us: int) -> PotCheck:
    """Return the state after a fill of this amount, which is negative if a fill was taken back.

    The chips of a fill may be in the tray before somebody enters the fill. They are then no longer missed.
    """
    due = max(0, amount + (pot_check.fill_due if _is_fill_due(pot_check, at_us) else 0))
    in_tray = [chip for chip in pot_check.missed_chips if chip.spot == TRAY]
    explained = _chips_within(due, in_tray)
    return pot_check._replace(
        missed_chips=tuple([chip for chip in pot_check.missed_chips if chip not in explained]),
        fill_due=due - sum(chip.denomination for chip in explained),
        filled_us=at_us,
    )


def _undetected_chips(live: Live, step: observations.RecordSpotReading) -> Iterator[Chip]:
    return (chip for chip in step.added if is_new_this_hand(live, chip.uid) and chip.uid not in step.heard_at_bet_spot)


def _is_of_last_hand(live: Live, uid: str) -> bool:
    location = live.chip_locations.get(uid)
    return location is not None and location.hand == live.table.hands_started - 1
