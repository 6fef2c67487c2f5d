"""Hypothesis: one of the new chips protects the player's cards, and only the others are a bet.

The chip arrived first, alone, and while the cards were dealt. The table ignores this chip, and the next hypotheses
examine the other chips. One of two cases must apply:

- The dealer is already asked about the chip, and all new chips together are not exactly the call.
- The chip was seen at least `SPLASH_WINDOW_US` before the other chips, and the others alone are exactly the call.

Example: with 10 to call, one chip of 25 is seen at 4 s, and chips of 5 and 5 arrive at 9 s. The 25 protects the cards.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import has_elapsed, is_exact_call, is_pending_for, total_value
from controller.live.hypotheses.hypothesis import Hypothesis, Verdict
from controller.live.hypotheses.splash import SPLASH_WINDOW_US
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.rules import Hand
from controller.steps import observations
from hardware.events import Chip

DEALING_WINDOW_US: Final = 12_000_000
"""Time after the start of a hand during which the first cards are dealt, in microseconds. A player may put a chip on
the cards in this time."""


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    chip = _protector_among(live, facts)
    if chip is None:
        return None
    ignored = (
        observations.ExplainsChips(facts.seat, "nothing")
        if is_pending_for(live, facts.seat, "own-stack")
        else observations.RecordSpotReading(facts.event.spot, "left", added=(chip,))
    )
    return Verdict(None, steps_before=(ignored,), is_partial=True)


def _protector_among(live: Live, facts: SpotFacts) -> Chip | None:
    """Return the new chip that protects the seat's cards, or None. Return None if the seat has posted a blind."""
    hand, seat, new_chips, event = facts.hand, facts.seat, facts.new_chips, facts.event
    if hand is None or hand.round_number != 1 or seat not in hand.seats_to_act or facts.recorded_total:
        return None
    if event.unknown_tags or not live.setup.tolerates_delays:
        return None
    first_seen_us = live.reader.first_seen_us.get(event.spot, {})
    arrivals_us = {chip: first_seen_us.get(chip.uid, event.at_us) for chip in new_chips}
    first, *others = sorted(arrivals_us, key=arrivals_us.__getitem__)
    is_asked = facts.spot.pending is not None and facts.spot.pending.reason == "own-stack"
    arrived_alone = arrivals_us[others[0]] - arrivals_us[first] >= SPLASH_WINDOW_US
    if not (is_asked or arrived_alone) or has_elapsed(live.times.hand_began_us, arrivals_us[first], DEALING_WINDOW_US):
        return None
    if is_asked:
        return first if facts.spot.on_spot == (first,) and not is_exact_call(live, seat, new_chips) else None
    return first if is_exact_call(live, seat, others) else None


def may_be_card_protector(live: Live, seat: int, stack: tuple[Chip, ...], at_us: int) -> bool:
    """Return True if the only chip on the spot may have arrived with the cards to protect them.

    The rule applies in the first betting round, within `DEALING_WINDOW_US`, to a seat without a blind. The value of the
    chip decides:

    - If the seat is in turn, the chip must be worth less than a call.
    - If the seat is not in turn, the chip must not be a call or a raise of fixed size. Such a chip is more likely a
      bet, because the seats before this seat may have folded.
    - If the bring-in is still due, the chip may have any value. No seat can have folded yet, so that the chip cannot be
      a call.

    Example: with 10 to call, one chip of 25 at a later seat may protect cards. One chip of 10 is a call.
    """
    hand = live.table.hand
    if hand is None or hand.round_number != 1 or len(stack) != 1 or live.table.street.spot_totals[seat]:
        return False
    if has_elapsed(live.times.hand_began_us, at_us, DEALING_WINDOW_US):
        return False
    if seat == hand.turn:
        return total_value(stack) < min(hand.current_bet, hand.stacks[seat])
    return bool(hand.bring_in_seat) or not (
        is_exact_call(live, seat, list(stack)) or total_value(stack) == _fixed_raise(hand)
    )


def _fixed_raise(hand: Hand) -> int:
    """Return the total of a raise if the rules fix its size, otherwise 0."""
    return hand.current_bet + hand.min_raise if hand.game.structure == "fixed-limit" else 0


CARD_PROTECTOR: Final = Hypothesis(frozenset({"open", "several-new"}), _explain)
