"""Hypothesis: new chips with weak tags are part of the player's stack, at the edge of the antenna's reach.

Such chips answer now and then, whether the player bets or not. The rules, in this order:

- If all new chips together are exactly the call, they are a call.
- If there are no other new chips, they wait as own stack, and the dealer is asked.
- If the antenna is known to hear the stack behind the line, or the weak tags were heard at least `SPLASH_WINDOW_US`
  before the other new chips, the table ignores them. The next hypotheses examine the others alone.
- If the others alone are exactly what the table expects, all new chips wait as own stack.

The reader reports an antenna that reaches too far once, so that the dealer is not asked about its chips in each hand.

Example: a chip of 500 answers now and then. Ten seconds later the player bets two chips of 25, which always answer.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import hears_own_stack, is_exact_call, is_pending_for, spot_of, total_value
from controller.live.hypotheses.hypothesis import Hypothesis, Verdict
from controller.live.hypotheses.own_stack import MAX_OWN_STACK_CHIPS, moved_together
from controller.live.hypotheses.splash import SPLASH_WINDOW_US
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live, UnsettledReading
from controller.steps import observations


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    event, first_seen_us = facts.event, live.reader.first_seen_us.get(facts.event.spot, {})
    weak = tuple(chip for chip in facts.new_chips if chip.uid in event.weak_tags)
    if not weak or len(weak) > MAX_OWN_STACK_CHIPS or event.unknown_tags or not live.setup.tolerates_delays:
        return None
    if is_exact_call(live, facts.seat, facts.new_chips):
        return None
    others = [chip for chip in facts.new_chips if chip not in weak]
    if not others:
        return Verdict("own-stack")
    others_us = min(first_seen_us.get(chip.uid, event.at_us) for chip in others)
    came_first = all(others_us - first_seen_us.get(chip.uid, event.at_us) >= SPLASH_WINDOW_US for chip in weak)
    if not came_first and not hears_own_stack(live, facts.seat):
        is_expected = facts.value - total_value(weak) <= facts.recorded_total or is_exact_call(live, facts.seat, others)
        return Verdict("own-stack") if is_expected else None
    # Chips that already wait are examined again without the weak ones.
    waiting = set(facts.spot.on_spot or ()) - set(facts.spot.accounted or ()) if facts.spot.pending is not None else ()
    waiting_tags = tuple(chip.uid for chip in facts.spot.on_spot or () if chip in waiting)
    ignored = observations.RecordSpotReading(event.spot, "left", added=weak, removed_tags=waiting_tags)
    return Verdict(None, steps_before=(ignored,), is_partial=True)


def is_likely_bet(live: Live, seat: int) -> bool:
    """Return True if the seat's chips wait as own stack although the player put them in at once."""
    spot = spot_of(live, seat)
    waiting = set(spot.on_spot or ()) - set(spot.accounted or ())
    return is_pending_for(live, seat, "own-stack") and moved_together(live, seat, waiting)


def is_own_stack_in_motion(live: Live, seat: int, reading: UnsettledReading) -> bool:
    """Return True if the new chips of an unsettled reading are only chips at the edge of the antenna.

    Their tags are weak. They are not exactly the call, and they did not move together.
    """
    new_chips = [chip for chip in reading.stack if chip not in (spot_of(live, seat).accounted or ())]
    return (
        0 < len(new_chips) <= MAX_OWN_STACK_CHIPS
        and {chip.uid for chip in new_chips} <= set(reading.weak_tags)
        and not is_exact_call(live, seat, new_chips)
        and not moved_together(live, seat, new_chips)
    )


EDGE_CHIPS: Final = Hypothesis(frozenset({"unexpected", "weak-tags"}), _explain)
