"""The keys of three panels: of a seat in the hand, of a seat that is not in a hand, and of the table.

`hand_verbs`, `player_verbs` and `table_verbs` are tables with one line for each verb. `panel_cells` selects the key for
each cell, depending on the view and the entered amount. `panel_keys` selects the table of verbs for a seat.

List the labels of the keys of seat 3 and the cells that they have:

    >>> from ui.state import modes
    >>> from ui.state.verbs import seat_keys
    >>> from ui.view_samples import view_samples
    >>> keys = seat_keys(modes.SeatPanel(3), view_samples()[0].view)
    >>> [(cell, key.label) for cell, key in keys][:3]
    [(0, 'floor-turn'), (1, 'floor-bet'), (2, 'floor-dead')]
"""

from ui.state.verbs.panel_cells import PANEL_CELL_COUNT, PanelInput, PanelVerb
from ui.state.verbs.panel_keys import seat_keys, table_keys

__all__ = ["PANEL_CELL_COUNT", "PanelInput", "PanelVerb", "seat_keys", "table_keys"]
