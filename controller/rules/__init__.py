"""Rules of the betting as pure functions on frozen values.

A `Game` is one game as a house plays it. A `Hand` is one hand with its bets, stacks and phase, and it never changes.
Each function takes a hand and returns the next one, or raises `RuleError` with the reason. `legal_actions` says what a
seat may do, `actions` applies what it does, `side_pots` and `awards` divide the chips, and `corrections` replays a
round. The package has no clock, file, thread or random source, and it does not know cards. It imports only the standard
library and `firmware_bridge.errors`. Other packages import from here and not from the modules below.

    >>> from controller.rules import Game, HandEvent, SeatAction, actions, blinds, button_and_blinds
    >>> game = Game(blinds=(5, 10))
    >>> placement = button_and_blinds.first_placement(game, 1, (1, 2, 3))
    >>> hand = blinds.start_hand(game, placement, {1: 500, 2: 500, 3: 500})
    >>> hand = actions.apply_action(hand, SeatAction(HandEvent.WAGER, 1, 30))
    >>> hand.turn, hand.current_bet, hand.pot_total
    (2, 30, 45)
"""

from controller.rules import actions, awards, betting_structures, corrections, legal_actions, pot_division, side_pots
from controller.rules.forced_bets import blinds, bomb_pots, straddles, stud
from controller.rules.game import (
    BIG_BET_STRUCTURES,
    MAX_AMOUNT,
    MAX_BOARDS,
    UNSET,
    Game,
    GameError,
    Jackpot,
    Kill,
    Rake,
    Structure,
)
from controller.rules.hand import (
    ALLOWED_EVENTS,
    AWARD_PHASES,
    MAX_SEATS,
    NO_SEATS,
    NOT_ACTED,
    PHASE_REFUSALS,
    SEAT_EVENTS,
    UNLIMITED,
    ZERO_AMOUNTS,
    BettingOptions,
    Hand,
    HandEvent,
    Phase,
    Pot,
    SeatAction,
    SeatAmounts,
    clockwise_after,
    replace,
    with_amount,
)
from controller.rules.legal_actions import (
    bet_range,
    betting_options,
    legal_words,
    to_call,
    total_to_match,
)
from controller.rules.pot_division import (
    BoardWinners,
)
from controller.rules.refusals import Refusal, RuleError, RuleRefusal, raise_if_refused
from controller.rules.seating import button_and_blinds, buy_ins, missed_blinds
from controller.rules.seating.button_and_blinds import (
    Placement,
)
from controller.rules.seating.buy_ins import (
    Player,
)
from controller.rules.side_pots import (
    pots,
    uncalled_chips,
    uncalled_chips_of,
)
from controller.rules.variants import (
    VARIANTS,
    VariantName,
)

__all__ = [
    "ALLOWED_EVENTS",
    "AWARD_PHASES",
    "BIG_BET_STRUCTURES",
    "MAX_AMOUNT",
    "MAX_BOARDS",
    "MAX_SEATS",
    "NOT_ACTED",
    "NO_SEATS",
    "PHASE_REFUSALS",
    "SEAT_EVENTS",
    "UNLIMITED",
    "UNSET",
    "VARIANTS",
    "ZERO_AMOUNTS",
    "BettingOptions",
    "BoardWinners",
    "Game",
    "GameError",
    "Hand",
    "HandEvent",
    "Jackpot",
    "Kill",
    "Phase",
    "Placement",
    "Player",
    "Pot",
    "Rake",
    "Refusal",
    "RuleError",
    "RuleRefusal",
    "SeatAction",
    "SeatAmounts",
    "Structure",
    "VariantName",
    "actions",
    "awards",
    "bet_range",
    "betting_options",
    "betting_structures",
    "blinds",
    "bomb_pots",
    "button_and_blinds",
    "buy_ins",
    "clockwise_after",
    "corrections",
    "legal_actions",
    "legal_words",
    "missed_blinds",
    "pot_division",
    "pots",
    "raise_if_refused",
    "replace",
    "side_pots",
    "straddles",
    "stud",
    "to_call",
    "total_to_match",
    "uncalled_chips",
    "uncalled_chips_of",
    "with_amount",
]
