"""Hypotheses that decide whether a settled stack is a bet, waits for an explanation, or is ignored.

Theory of operation: A sensor reports which chips are on a spot, but not why. Each hypothesis is one possible reason.
`classify_reading` tests the hypotheses in a fixed order, and the first hypothesis that fits decides. The result is None
if the player simply bet the chips or took them back. Otherwise the result is a `Disposition`:

- If the hypothesis is certain, the result is "lies" (explained) or "left" (ignored).
- If the hypothesis is only likely, any other result makes the stack wait, so that the dealer can be asked.

A hypothesis looks at the value of the chips, the last spot of each chip (`chip_locations`), the time of arrival, and
what the table expects.

In these examples, seat 3 is in turn with 10 to call, and the pot is 15.

| module               | hypothesis     | example                                                 | decision          |
| -------------------- | -------------- | ------------------------------------------------------- | ----------------- |
| hypothesis_selection | doubt          | 20 chips are read on spot 3, but there may be more      | doubt             |
| arrival_order        | splash         | 25 arrive on spot 3, and 25 on spot 4 within 0.2 s      | splash            |
| hypothesis_selection | folded seat    | 25 arrive on spot 5, but seat 5 has folded              | folded-seat       |
| hypothesis_selection | copied tag     | a chip on spot 3 also answers on spot 7                 | copied            |
| last_pot             | last pot       | 9 of the 12 chips of the last pot arrive on spot 3      | last-pot          |
| last_pot             | neighbour      | 25 leave spot 4 and arrive on spot 3 in the same round  | change            |
| non_bet_chips        | own stack      | three chips of 100 arrive on spot 3, which is 20 pots   | own-stack         |
| non_bet_chips        | card protector | one chip of 25 arrives on spot 5 as the cards are dealt | own-stack         |
| early_chips          | early chips    | chips arrive on spot 5 after moving chips on spot 3     | deferred          |
| removed_chips        | change         | 50 leave spot 4 while seat 3 must get back 50           | change            |
| removed_chips        | sweep          | spots 3 and 4 empty within five seconds                 | emptied           |
| removed_chips        | reduced bet    | a bet of 100 loses 60 within five seconds               | None: a bet of 40 |

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
    >>> classify_reading(live, 4, event)
    'own-stack'
"""

from controller.live.hypotheses.arrival_order import SPLASH_WINDOW_US, is_behind_unsettled_turn, is_splash
from controller.live.hypotheses.early_chips import (
    first_arrival,
    has_early_chips,
    has_unsettled_chips,
    seats_with_earlier_chips,
    seats_with_early_chips,
)
from controller.live.hypotheses.hypothesis_selection import classify_reading
from controller.live.hypotheses.last_pot import DEAL_OVERLAP_WINDOW_US, POT_PUSH_WINDOW_US
from controller.live.hypotheses.non_bet_chips import DEALING_WINDOW_US, call_amount_within, card_protector
from controller.live.hypotheses.removed_chips import CUT_BACK_WINDOW_US, revised_motion, swept_before_new_chips

__all__ = [
    "CUT_BACK_WINDOW_US",
    "DEALING_WINDOW_US",
    "DEAL_OVERLAP_WINDOW_US",
    "POT_PUSH_WINDOW_US",
    "SPLASH_WINDOW_US",
    "call_amount_within",
    "card_protector",
    "classify_reading",
    "first_arrival",
    "has_early_chips",
    "has_unsettled_chips",
    "is_behind_unsettled_turn",
    "is_splash",
    "revised_motion",
    "seats_with_earlier_chips",
    "seats_with_early_chips",
    "swept_before_new_chips",
]
