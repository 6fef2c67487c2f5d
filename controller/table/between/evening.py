"""The table is opened and closed, and one dealer follows another.

A closed table has nobody at it: all have left with what they had, and where all chips went is in `Table.stays` and the
accounts until it is opened again. Source: design.md, "Chips are conserved"; table-scripts.md, `open`, `close`.
"""

from __future__ import annotations

from controller import rules
from controller.table.between.players import leaves
from controller.table.between.seats import require_between_hands
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Accounts, Carried, Shift, Table
from controller.table.steps import ChangesDealer, Closes, Leaves, Opens


def closes(table: Table, step: Closes, cautions: Cautions) -> Table:
    """All leave with what they have, and the table is closed. Refuses while nobody knows somebody's stack."""
    require_between_hands(table)
    if table.closed:
        raise refused(Reason.CLOSED_ALREADY)
    for seat, player in sorted(table.players.items()):
        if player.unknown:
            raise refused(Reason.STACK_UNKNOWN, seat)
    for seat in sorted(table.players):
        table = leaves(table, Leaves(seat), cautions)
    return table._replace(closed=True)


def opens(table: Table, step: Opens, cautions: Cautions) -> Table:
    """A closed table is opened: its accounts begin anew, the button stays where it is. What is owed on markers is owed
    still."""
    if not table.closed:
        raise refused(Reason.OPEN_ALREADY)
    game_name = table.levels[0].name if table.levels else table.mix[0] if table.mix else table.game_name
    rock = table.games[game_name].rock
    return table._replace(
        closed=False,
        carried=Carried(rules.Placement(table.button), rock=rock),
        game_name=game_name,
        hand=None,
        hands=0,
        before=None,
        accounts=Accounts(),
        bought=0,
        stays=(),
        shifts=(Shift(table.dealer),),
        gone={},
        vacated={},
        level_since=None,
        hold="",
    )


def changes_dealer(table: Table, step: ChangesDealer, cautions: Cautions) -> Table:
    """Another dealer deals from now on."""
    if step.name == table.dealer:
        raise refused(Reason.DEALS_ALREADY, name=step.name)
    return table._replace(shifts=(*table.shifts, Shift(step.name, table.hands, table.accounts)))


def shifts_now(table: Table) -> tuple[Shift, ...]:
    """Each dealer's time since the table was opened: how many hands were started in it, and what came to each account,
    the present one last. The time before the first dealer was named is left out where nothing came of it."""
    ends = (*table.shifts[1:], Shift("", table.hands, table.accounts))
    found = [_between(began, ended) for began, ended in zip(table.shifts, ends, strict=True)]
    return tuple([shift for shift in found if shift.name or shift.hands or any(shift.accounts)])


def _between(began: Shift, ended: Shift) -> Shift:
    came = (now - before for now, before in zip(ended.accounts, began.accounts, strict=True))
    return Shift(began.name, ended.hands - began.hands, Accounts(*came))
