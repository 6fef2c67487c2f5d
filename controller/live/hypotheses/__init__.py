"""Hypotheses that decide whether a settled stack is a bet, waits for an explanation, or is ignored.

Theory of operation: A sensor reports which chips are on a spot, but not why. When a reading arrives,
`collect_spot_facts` computes once what is known about the spot. Each hypothesis is one possible reason, in a module of
its own. The table `HYPOTHESES` has the order in which they examine the facts, and the first hypothesis that fits
decides. Its `Verdict` says how the reading is recorded:

- None: the player put the chips in, or took them back. This is the result if no hypothesis fits.
- `lies`: the chips are explained, and nobody moved them.
- `left`: the chips are ignored.
- any other disposition: the chips wait for an explanation. The module that made them wait also has the question for the
  dealer, and decides when the wait is over. `pending_reasons.py` says what ends the wait otherwise.

In these examples, seat 3 is in turn with 10 to call, and the pot is 15.

| module              | example                                                         | disposition       |
| ------------------- | --------------------------------------------------------------- | ----------------- |
| sweep               | spot 4 is empty, and spot 3 has one new chip in place of its 50 | between           |
| card_protector      | 25 on spot 3 as the cards are dealt, and 5 + 5 later            | the others: call  |
| edge_chips          | a chip of 500 answers seldom, and 25 + 25 arrive 5 s later      | the others: 50    |
| last_pot            | 30 chips of the last pot are read in part on spot 3             | last-pot          |
| doubt               | 20 chips are read on spot 3, but there may be more              | doubt             |
| withdrawn_protector | the only chip of a call leaves spot 3 after the last fold       | emptied           |
| closed_betting      | the betting is closed, and 40 arrive on spot 3                  | between           |
| left_over           | 35 of the last street were lifted and put back                  | left-over         |
| splash              | 25 arrive on spot 3, and 25 on spot 4 within 0.2 s              | splash            |
| folded_seat         | 25 arrive on spot 5, but seat 5 has folded                      | folded-seat       |
| copied_tag          | a chip on spot 3 also answers on spot 7                         | copied            |
| last_pot            | 9 of the 12 chips of the last pot arrive on spot 3              | last-pot          |
| change              | 25 leave spot 4 and arrive on spot 3 in the same round          | change            |
| own_stack           | three chips of 100 arrive on spot 3, which is 20 pots           | own-stack         |
| covered_chips       | 50 of a call of 100 were covered, and are read now              | lies: a call      |
| earlier_chips       | chips arrive on spot 5 after moving chips on spot 3             | deferred          |
| change              | 50 leave spot 4 while seat 3 must get back 50                   | change            |
| sweep               | spots 3 and 4 empty within five seconds                         | emptied           |
| reduced_bet         | a bet of 100 loses 60 within five seconds                       | lies: a bet of 40 |
| covered_chips       | an arm covers spot 4, and 20 of its 40 are read                 | covered           |

Code outside this package imports from `controller.live.hypotheses` and not from its modules.

Example: three chips of 100 at seat 4, in a pot of 15, are probably a stack that is too close to the bet spot.

    >>> from controller.live import Live, TableSetup, handle_command, handle_event
    >>> from controller.rules import Game, Player
    >>> from controller.steps import parse_step
    >>> from controller.table import open_table
    >>> from hardware.events import Chip, StackSettled
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})
    >>> live = handle_command(Live(TableSetup(), table), parse_step("hand"), at_us=1_000_000).live
    >>> empty = StackSettled("bet4", (), unknown_tags=(), lammers=(), at_least=False, at_us=2_000_000)
    >>> live = handle_event(live, empty, at_us=2_000_000).live
    >>> chips = (Chip("E001", 100), Chip("E002", 100), Chip("E003", 100))
    >>> event = StackSettled("bet4", chips, unknown_tags=(), lammers=(), at_least=False, at_us=20_000_000)
    >>> OWN_STACK.explain(live, collect_spot_facts(live, 4, event)).disposition
    'own-stack'
"""

from collections.abc import Callable, Mapping
from typing import Final

from controller.live.hypotheses.card_protector import CARD_PROTECTOR, DEALING_WINDOW_US
from controller.live.hypotheses.change import CHANGE_GIVEN, CHANGE_TAKEN
from controller.live.hypotheses.closed_betting import CLOSED_BETTING, chips_while_closed
from controller.live.hypotheses.copied_tag import COPIED_TAG
from controller.live.hypotheses.covered_chips import COVERED_CHIPS, REAPPEARED_CHIPS
from controller.live.hypotheses.doubt import DOUBT
from controller.live.hypotheses.earlier_chips import EARLIER_CHIPS, earlier_seats, seats_with_earlier_chips
from controller.live.hypotheses.early_seats import has_early_chips, seats_with_early_chips
from controller.live.hypotheses.edge_chips import EDGE_CHIPS, is_likely_bet, is_own_stack_in_motion
from controller.live.hypotheses.folded_seat import FOLDED_SEAT
from controller.live.hypotheses.hypothesis import (
    MOTION,
    ChipQuestion,
    ChipQuestionKind,
    Hypothesis,
    Verdict,
    WaitingChips,
)
from controller.live.hypotheses.last_pot import DEAL_OVERLAP_WINDOW_US, LAST_POT, POT_PUSH_WINDOW_US, TALL_POT
from controller.live.hypotheses.left_over import LEFT_OVER, left_over_chips
from controller.live.hypotheses.own_stack import OWN_STACK
from controller.live.hypotheses.reduced_bet import CUT_BACK_WINDOW_US, REDUCED_BET
from controller.live.hypotheses.splash import SPLASH, SPLASH_WINDOW_US, seats_rolled_away, splash_seats
from controller.live.hypotheses.spot_facts import SpotFacts, collect_spot_facts
from controller.live.hypotheses.sweep import REPLACED_BET, SWEEP
from controller.live.hypotheses.withdrawn_protector import (
    PROTECTOR_WINDOW_US,
    WITHDRAWN_PROTECTOR,
    LoneCall,
    is_protector_withdrawn,
    withdrawn_protector,
)
from controller.live.state import Live
from controller.steps import observations


def _explain_without_delays(live: Live, facts: SpotFacts) -> Verdict:
    return MOTION


HYPOTHESES: Final[tuple[Hypothesis, ...]] = (
    REPLACED_BET,
    CARD_PROTECTOR,
    EDGE_CHIPS,
    TALL_POT,
    DOUBT,
    Hypothesis(frozenset({"no-delays"}), _explain_without_delays),
    WITHDRAWN_PROTECTOR,
    CLOSED_BETTING,
    # Chips arrived while the betting is open.
    LEFT_OVER,
    SPLASH,
    FOLDED_SEAT,
    COPIED_TAG,
    LAST_POT,
    CHANGE_GIVEN,
    OWN_STACK,
    REAPPEARED_CHIPS,
    EARLIER_CHIPS,
    # Chips left while the betting is open.
    CHANGE_TAKEN,
    SWEEP,
    REDUCED_BET,
    COVERED_CHIPS,
)
"""All hypotheses in the order in which they examine a reading."""
QUESTIONS: Final[Mapping[observations.PendingReason, Callable[[Live, WaitingChips], ChipQuestion | None]]] = {
    hypothesis.reason: hypothesis.question for hypothesis in HYPOTHESES if hypothesis.reason and hypothesis.question
}
"""Function that returns the question about waiting chips, by the reason for the wait."""
WAIT_ENDS: Final[Mapping[observations.PendingReason, Callable[[Live, int], bool]]] = {
    hypothesis.reason: hypothesis.is_wait_over
    for hypothesis in HYPOTHESES
    if hypothesis.reason and hypothesis.is_wait_over
}
"""Function that returns True if the chips of a seat count as a bet now, by the reason for their wait."""

__all__ = [
    "CUT_BACK_WINDOW_US",
    "DEALING_WINDOW_US",
    "DEAL_OVERLAP_WINDOW_US",
    "HYPOTHESES",
    "MOTION",
    "OWN_STACK",
    "POT_PUSH_WINDOW_US",
    "PROTECTOR_WINDOW_US",
    "QUESTIONS",
    "SPLASH_WINDOW_US",
    "WAIT_ENDS",
    "ChipQuestion",
    "ChipQuestionKind",
    "LoneCall",
    "SpotFacts",
    "Verdict",
    "WaitingChips",
    "chips_while_closed",
    "collect_spot_facts",
    "earlier_seats",
    "has_early_chips",
    "is_likely_bet",
    "is_own_stack_in_motion",
    "is_protector_withdrawn",
    "left_over_chips",
    "seats_rolled_away",
    "seats_with_earlier_chips",
    "seats_with_early_chips",
    "splash_seats",
    "withdrawn_protector",
]
