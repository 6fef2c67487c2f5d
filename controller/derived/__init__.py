"""Tables that are derived from the journals of a room: hands, pots, calls for the floor, changes of dealers, fills.

`derive` follows the table `span` of the room's database and writes the schema `derived` in transactions of its own. It
notes in the same transaction up to which span the rows are derived, so that a kill loses and doubles nothing. The
journals stay the source: everything can be derived again at any time. People read the views of the schema `report`,
which controller/room/sql.md describes. The package needs the extra `room`.

Example: derive the rows without a database.

```
deriver = TableDeriver()
for number, span in enumerate(spans, 1):
    deriver.add(number, span)
for place, hand in deriver.take_changes().hands.items():
    print(place.number, hand.hand.pot)
```
"""

from controller.derived.changes import Changes, DeriveProblem
from controller.derived.database import READER_ROLE
from controller.derived.derive import Deriver, derive
from controller.derived.rows import (
    CallRow,
    DerivedHand,
    FillRow,
    HandPlace,
    HandRow,
    HoleRow,
    PotRow,
    PushRow,
    SeatRow,
)
from controller.derived.table_deriver import TableDeriver

__all__ = [
    "READER_ROLE",
    "CallRow",
    "Changes",
    "DeriveProblem",
    "DerivedHand",
    "Deriver",
    "FillRow",
    "HandPlace",
    "HandRow",
    "HoleRow",
    "PotRow",
    "PushRow",
    "SeatRow",
    "TableDeriver",
    "derive",
]
