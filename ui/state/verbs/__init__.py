"""Every verb that has a key of its own in a panel, as tables: of a seat in the hand, of a player, of the table."""

from ui.state.verbs.cells import CELLS, Given, Verb
from ui.state.verbs.panels import seat_keys, table_keys

__all__ = ["CELLS", "Given", "Verb", "seat_keys", "table_keys"]
