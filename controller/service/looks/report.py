"""Where all chips of the table are, and what each player and each dealer brought to that."""

from __future__ import annotations

from controller.table import Shift, Stay, Table, is_unknown, markers_owed, pot, shifts_now, stack
from controller.view import DealerShift, PlayerAccount, ReportPage


def report_page(table: Table) -> ReportPage:
    """Since the table was opened."""
    stacks, middle = sum(stack(table, seat) for seat in table.players), pot(table)
    return ReportPage(
        accounts=table.accounts._asdict(),
        players=_players(table),
        dealers=tuple([_shift(shift) for shift in shifts_now(table)]),
        bought=table.bought,
        stacks=stacks,
        pot=middle,
        hands=table.hands,
        minutes=table.minutes,
        balances=stacks + middle + sum(table.accounts) == table.bought,
    )


def _players(table: Table) -> tuple[PlayerAccount, ...]:
    """By seat, then those who have left."""
    there = sorted((stay for stay in table.stays if stay.seat), key=lambda stay: stay.seat)
    return tuple([_account(table, stay) for stay in (*there, *(stay for stay in table.stays if not stay.seat))])


def _account(table: Table, stay: Stay) -> PlayerAccount:
    here = stay.seat in table.players
    return PlayerAccount(
        name=stay.name,
        seat=stay.seat,
        bought=stay.bought,
        cashed=stay.cashed,
        stack=(None if is_unknown(table, stay.seat) else stack(table, stay.seat)) if here else 0,
        owes=markers_owed(table).get(stay.seat, 0) if here else 0,
    )


def _shift(shift: Shift) -> DealerShift:
    return DealerShift(name=shift.name, hands=shift.hands, accounts=shift.accounts._asdict())
