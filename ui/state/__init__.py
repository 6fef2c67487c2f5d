"""The state of the screen as one frozen value, and the functions that change it.

`ScreenState` has the last view, the mode (such as the entry of an amount) and the open page. `show_view` returns the
state after a new view. `press_target` returns the state after a touch, and the command for the service if the touch
sends one. The state contains no texts: keys have codes for their labels, and `ui.scene` turns the codes into texts.

Enter a raise to 200:

    >>> from ui.state import NamedKey, PadDigit, press_target
    >>> from ui.view_samples import view_samples
    >>> screen = view_samples()[0].screen_state
    >>> for target in (NamedKey.RAISE, PadDigit("2"), PadDigit("00"), NamedKey.OK):
    ...     screen, command = press_target(screen, target)
    >>> command.do
    '5 raise to 200'
"""

from ui.state import (
    amount_entry,
    award_entry,
    main_keys,
    modes,
    name_entry,
    page_actions,
    page_keys,
    page_state,
)
from ui.state.commands import OutgoingCommand
from ui.state.explanations import Explanation, explain, hold_target
from ui.state.name_entry import (
    KeyboardKey,
    LetterKey,
)
from ui.state.page_state import (
    DenominationKey,
    PageKey,
    PageRequest,
    SetUpKey,
)
from ui.state.screen import (
    ScreenMessage,
    ScreenState,
    current_alert,
    is_pot_visible,
    is_table_covered,
    lose_connection,
    pending_alerts,
    restore_connection,
    show_refusal,
    show_view,
)
from ui.state.touch_handler import held_seat_steps, press_target
from ui.state.touch_targets import (
    AlertAnswer,
    AwardBoard,
    AwardPart,
    BetSpot,
    CardList,
    CardTab,
    ChipKey,
    FloorCallKey,
    GameChoice,
    HeldSeat,
    NamedKey,
    OfferedStep,
    PadDigit,
    PotChoice,
    QuickAmount,
    QuickBetKey,
    SeatKey,
    SeatTile,
    Target,
)
from ui.state.verbs import PANEL_CELL_COUNT, TAB_KEY_COUNT, card_tabs, floor_keys, seat_keys, table_keys

__all__ = [
    "PANEL_CELL_COUNT",
    "TAB_KEY_COUNT",
    "AlertAnswer",
    "AwardBoard",
    "AwardPart",
    "BetSpot",
    "CardList",
    "CardTab",
    "ChipKey",
    "DenominationKey",
    "Explanation",
    "FloorCallKey",
    "GameChoice",
    "HeldSeat",
    "KeyboardKey",
    "LetterKey",
    "NamedKey",
    "OfferedStep",
    "OutgoingCommand",
    "PadDigit",
    "PageKey",
    "PageRequest",
    "PotChoice",
    "QuickAmount",
    "QuickBetKey",
    "ScreenMessage",
    "ScreenState",
    "SeatKey",
    "SeatTile",
    "SetUpKey",
    "Target",
    "amount_entry",
    "award_entry",
    "card_tabs",
    "current_alert",
    "explain",
    "floor_keys",
    "held_seat_steps",
    "hold_target",
    "is_pot_visible",
    "is_table_covered",
    "lose_connection",
    "main_keys",
    "modes",
    "name_entry",
    "page_actions",
    "page_keys",
    "page_state",
    "pending_alerts",
    "press_target",
    "restore_connection",
    "seat_keys",
    "show_refusal",
    "show_view",
    "table_keys",
]
