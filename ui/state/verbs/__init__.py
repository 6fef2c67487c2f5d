"""The keys that a touched seat, MENU or the floor's key opens.

The keys of a seat are on its card, which has three tabs with at most eight keys, and lists of rare keys. Each key has a
fixed cell: the tab or list, and the place on it. A place of a tab has one meaning. `hand_verbs` lists the possible keys
of a seat in the hand, `player_verbs` of any other seat, and `table_verbs` of the menu and of the floor. `panel_keys`
selects the list for a seat. `panel_cells` selects the key for each cell of the screen, which depends on the view and
the entered amount.

List the first keys of seat 3, with their cells and the codes of their labels:

    >>> from ui.state import modes
    >>> from ui.state.verbs import seat_keys
    >>> from ui.view_samples import view_samples
    >>> keys = seat_keys(modes.SeatPanel(3), view_samples()[0].view)
    >>> [(cell, key.label) for cell, key in keys][:3]
    [(0, 'action-here'), (1, 'folds'), (2, 'checks')]
"""

from ui.state.verbs.panel_cells import PANEL_CELL_COUNT, TAB_KEY_COUNT, PanelInput, PanelVerb, on_tab
from ui.state.verbs.panel_keys import card_tabs, floor_keys, opening_tab, seat_keys, table_keys

__all__ = [
    "PANEL_CELL_COUNT",
    "TAB_KEY_COUNT",
    "PanelInput",
    "PanelVerb",
    "card_tabs",
    "floor_keys",
    "on_tab",
    "opening_tab",
    "seat_keys",
    "table_keys",
]
