"""Sessions of the players: chips bought in and cashed out since the table was opened.

A player with a name has one session. A player without a name has one session for each time at a seat.

Source: design.md, "Chips are conserved": bought in = stacks + bets + pots + accounts + cashed out.
"""

from __future__ import annotations

from controller.table.state import SeatSession, Table


def record_sit_down(table: Table, seat: int, name: str, amount: int) -> Table:
    """Return the table after a player has sat down with this amount.

    A player with a known name continues the session that the player had before.
    """
    earlier_session = _earlier_session(table, name)
    others = tuple([session for session in table.seat_sessions if session is not earlier_session])
    session = earlier_session._replace(seat=seat, bought_in=earlier_session.bought_in + amount)
    return table._replace(seat_sessions=(*others, session), bought_in_total=table.bought_in_total + amount)


def record_name(table: Table, seat: int, name: str) -> Table:
    """Return the table after the name of the player at the seat was corrected.

    The session continues the one that the player had before under this name.
    """
    session, earlier_session = _session_at(table, seat), _earlier_session(table, name)
    others = tuple([other for other in table.seat_sessions if other is not earlier_session])
    return _with_session(
        table._replace(seat_sessions=others),
        seat,
        session._replace(
            name=name,
            bought_in=earlier_session.bought_in + session.bought_in,
            cashed_out=earlier_session.cashed_out + session.cashed_out,
        ),
    )


def bought_in(table: Table, seat: int) -> int:
    """Return the chips that the player at the seat has bought since sitting down, and before under the same name."""
    return _session_at(table, seat).bought_in


def record_buy_in(table: Table, seat: int, amount: int) -> Table:
    """Return the table after the player at the seat has bought more chips.

    The amount is negative for chips paid out.
    """
    session = _session_at(table, seat)
    return _with_session(table, seat, session._replace(bought_in=session.bought_in + amount))._replace(
        bought_in_total=table.bought_in_total + amount
    )


def record_cash_out(table: Table, seat: int, amount: int) -> Table:
    """Return the table after the player at the seat has left with chips of this value."""
    session = _session_at(table, seat)
    return _with_session(table, seat, session._replace(seat=0, cashed_out=session.cashed_out + amount))._replace(
        bought_in_total=table.bought_in_total - amount
    )


def record_seat_change(table: Table, seat: int, new_seat: int) -> Table:
    """Return the table after the player at the seat has moved to another seat."""
    return _with_session(table, seat, _session_at(table, seat)._replace(seat=new_seat))


def _earlier_session(table: Table, name: str) -> SeatSession:
    """Return the session of the player with this name who has left, or a new session."""
    return next(
        (session for session in table.seat_sessions if name and session.name == name and not session.seat),
        SeatSession(name=name),
    )


def _session_at(table: Table, seat: int) -> SeatSession:
    """Return the session of the player at the seat, or a new session."""
    sessions = (session for session in table.seat_sessions if session.seat == seat)
    return next(sessions, SeatSession(seat, table.players[seat].name if seat in table.players else ""))


def _with_session(table: Table, seat: int, session: SeatSession) -> Table:
    """Return a copy of the table in which this session replaces the earlier session of the seat."""
    others = tuple([other for other in table.seat_sessions if other.seat != seat])
    return table._replace(seat_sessions=(*others, session))
