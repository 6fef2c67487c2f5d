"""The accounts page: where all chips are, what each player bought in, and what each dealer collected."""

from __future__ import annotations

from collections import Counter

import msgspec

from controller.service.queries.hand_log import HandLog
from controller.table import (
    DealerSession,
    SeatSession,
    Table,
    balances,
    dealer_shifts,
    markers_owed,
)
from controller.view import (
    pages,
)


def report_page(table: Table, hand_log: HandLog | None = None, *, has_open_access: bool = False) -> pages.ReportPage:
    """Return the page with all amounts since the table was opened.

    The times in the log of hands replace the table time if no rule of the house counts minutes.
    """
    shifts = [_dealer_shift(shift) for shift in dealer_shifts(table)]
    if shifts and hand_log is not None:
        shifts[-1] = msgspec.structs.replace(shifts[-1], minutes=hand_log.dealer_minutes)
    stacks, pot = sum(balances.stack_behind(table, seat) for seat in table.players), balances.announced_pot(table)
    return pages.ReportPage(
        accounts=table.accounts._asdict(),
        players=_player_accounts(table),
        unpaid_debts=_unpaid_debts(table),
        dealers=tuple(shifts),
        net_bought_in=table.bought_in_total,
        stacks=stacks,
        pot=pot,
        hands=table.hands_started,
        fills=table.cage_transfers.fills,
        credits=table.cage_transfers.credits,
        minutes=table.elapsed_minutes or (hand_log.playing_minutes if hand_log is not None else 0),
        has_open_access=has_open_access,
        is_balanced=stacks + pot + sum(table.accounts) == table.bought_in_total,
    )


def _player_accounts(table: Table) -> tuple[pages.PlayerAccount, ...]:
    """Return the buy-ins and stacks of seated players by seat, and then those of players who have left."""
    seated = sorted((session for session in table.seat_sessions if session.seat), key=lambda session: session.seat)
    return tuple(
        [
            _player_account(table, session)
            for session in (*seated, *(session for session in table.seat_sessions if not session.seat))
        ]
    )


def _player_account(table: Table, session: SeatSession) -> pages.PlayerAccount:
    is_seated = session.seat in table.players
    return pages.PlayerAccount(
        name=session.name,
        seat=session.seat,
        bought_in=session.bought_in,
        cashed_out=session.cashed_out,
        stack=(None if balances.is_stack_unknown(table, session.seat) else balances.stack_behind(table, session.seat))
        if is_seated
        else 0,
        owed_on_markers=markers_owed(table).get(session.seat, 0) if is_seated else 0,
    )


def _unpaid_debts(table: Table) -> tuple[pages.UnpaidDebt, ...]:
    """Return the unpaid markers of players who have left, including players who left before the table was opened."""
    named: Counter[str] = Counter()
    for marker in table.markers:
        if not marker.debtor:
            named[marker.name] += marker.amount
    unnamed = [
        pages.UnpaidDebt(seat=seat, minute=minute, amount=amount) for seat, minute, amount in table.unnamed_debts
    ]
    return (*(pages.UnpaidDebt(name=name, amount=amount) for name, amount in sorted(named.items())), *unnamed)


def _dealer_shift(shift: DealerSession) -> pages.DealerShift:
    return pages.DealerShift(
        name=shift.name,
        hands=shift.hands,
        accounts=shift.accounts._asdict(),
        fills=shift.cage_transfers.fills,
        credits=shift.cage_transfers.credits,
    )
