"""The live table, which turns sensor events, keys and touches into recorded steps.

Theory of operation: `handle_event`, `handle_command` and `tick` are pure functions. Each receives the state `Live` and
returns a `Transition`, which has the steps to record and the next state. The caller first writes the steps to the
journal and only then continues with the next state.

A settled stack is a stack of chips that has come to rest on a spot. If the betting is open and the stack has one clear
explanation, the table records a step at once. Otherwise the stack waits for an explanation, and its chips do not count
yet. The wait ends when the dealer answers a question, another event explains the chips, or enough time has passed. The
package `hypotheses` decides whether a stack must wait. Code outside this package imports from `controller.live` and not
from its modules.

Example: seat 4 is in turn with 10 to call, and two chips of 5 settle on its spot. The table records the call.

    >>> from controller.live import Live, TableSetup, handle_command, handle_event
    >>> from controller.rules import Game, Player
    >>> from controller.steps import format_step, parse_step
    >>> from controller.table import open_table
    >>> from hardware.events import Chip, StackSettled
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})
    >>> live = handle_command(Live(TableSetup(), table), parse_step("hand"), at_us=1_000_000).live
    >>> chips = (Chip("E001", 5), Chip("E002", 5))
    >>> event = StackSettled("bet4", chips, unknown_tags=(), lammers=(), at_least=False, at_us=20_000_000)
    >>> transition = handle_event(live, event, at_us=20_000_000)
    >>> [format_step(recorded.step) for recorded in transition.steps]
    ['spot bet4 lies came 5:E001 5:E002', '4 chips 5 5']
    >>> transition.live.table.hand.turn, transition.live.table.hand.bets[4]
    (1, 10)
"""

from controller.live import derived_state
from controller.live.chip_questions import open_chip_questions
from controller.live.count_pad import is_pile_uncertain
from controller.live.dispatch import (
    ASK_DELAY_US,
    HELD_ACTION_DELAY_US,
    UNAWARDED_CHIPS_DELAY_US,
    UNSETTLED_TIMEOUT_US,
    handle_command,
    handle_event,
    handle_program_error,
    next_deadline_us,
    tick,
)
from controller.live.hypotheses import ChipQuestion, ChipQuestionKind, seats_with_early_chips
from controller.live.input.dealer_input import CALL_KEY_GRACE_US, CHECK_KEY_GRACE_US
from controller.live.pending import LONE_EMPTY_SPOT_DELAY_US
from controller.live.state import (
    BetSource,
    FileFault,
    FileKind,
    LastWarnings,
    Live,
    LiveRefusal,
    MissedChip,
    PadCount,
    PendingReading,
    RevaluedChips,
    Spot,
    TableSetup,
    TurnAnswer,
    UnsettledReading,
    WaitingFile,
)
from controller.live.step_effects import (
    apply_step,
    with_configuration,
    without_readings,
    without_transient,
)
from controller.live.transition import RecordedStep, Transition

__all__ = [
    "ASK_DELAY_US",
    "CALL_KEY_GRACE_US",
    "CHECK_KEY_GRACE_US",
    "HELD_ACTION_DELAY_US",
    "LONE_EMPTY_SPOT_DELAY_US",
    "UNAWARDED_CHIPS_DELAY_US",
    "UNSETTLED_TIMEOUT_US",
    "BetSource",
    "ChipQuestion",
    "ChipQuestionKind",
    "FileFault",
    "FileKind",
    "LastWarnings",
    "Live",
    "LiveRefusal",
    "MissedChip",
    "PadCount",
    "PendingReading",
    "RecordedStep",
    "RevaluedChips",
    "Spot",
    "TableSetup",
    "Transition",
    "TurnAnswer",
    "UnsettledReading",
    "WaitingFile",
    "apply_step",
    "derived_state",
    "handle_command",
    "handle_event",
    "handle_program_error",
    "is_pile_uncertain",
    "next_deadline_us",
    "open_chip_questions",
    "seats_with_early_chips",
    "tick",
    "with_configuration",
    "without_readings",
    "without_transient",
]
