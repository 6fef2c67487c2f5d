"""What each player has bought in and cashed out since the table was opened: by name, or by the time at a seat of one
whom nobody knows by name.

Source: design.md, "Chips are conserved": bought in = stacks + bets + pots + accounts + cashed out.
"""

from __future__ import annotations

from controller.table.state import Stay, Table


def came(table: Table, seat: int, name: str, amount: int) -> Table:
    """The table where somebody has sat down with so many chips; who was there before under this name goes on."""
    before = next((stay for stay in table.stays if name and stay.name == name and not stay.seat), Stay(name=name))
    others = tuple([stay for stay in table.stays if stay is not before])
    stay = before._replace(seat=seat, bought=before.bought + amount)
    return table._replace(stays=(*others, stay), bought=table.bought + amount)


def bought_more(table: Table, seat: int, amount: int) -> Table:
    """The table where the seat's player has bought so many chips more; less than none were paid back."""
    stay = _of(table, seat)
    return _with(table, seat, stay._replace(bought=stay.bought + amount))._replace(bought=table.bought + amount)


def went(table: Table, seat: int, amount: int) -> Table:
    """The table where the seat's player has left with so many chips."""
    stay = _of(table, seat)
    return _with(table, seat, stay._replace(seat=0, cashed=stay.cashed + amount))._replace(bought=table.bought - amount)


def moved(table: Table, seat: int, to: int) -> Table:
    """The table where the seat's player sits at another."""
    return _with(table, seat, _of(table, seat)._replace(seat=to))


def _of(table: Table, seat: int) -> Stay:
    known = (stay for stay in table.stays if stay.seat == seat)
    return next(known, Stay(seat, table.players[seat].name if seat in table.players else ""))


def _with(table: Table, seat: int, stay: Stay) -> Table:
    others = tuple([other for other in table.stays if other.seat != seat])
    return table._replace(stays=(*others, stay))
