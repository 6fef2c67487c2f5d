"""Markers: chips that play and are owed, until they are redeemed.

A marker plays itself and is then paid to whoever holds it, whose stack counts it already; or it is given for chips that
somebody out of the pot lends, and is paid to the lender. Who leaves takes the debt along under its name, and brings
it back; where the lender leaves, the marker is to be paid to whoever holds it. A misdeal pays nobody: the chips are
in the debtor's stack again, and are owed.

Source: Betting in poker, "Open stakes" (markers; borrowing from a player not involved in the pot); table-scripts.md,
`marker` and `redeems`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from controller import rules
from controller.table.between import stays
from controller.table.between.money import open_stakes_hand, without_chips
from controller.table.between.seats import player_at, require_between_hands, with_player
from controller.table.book import hand_with, is_unknown, stack
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Marker, Table
from controller.table.steps import GivesMarker, Redeems

PAPER: Final = 0
"""Stands for the lender where the marker itself played."""


def markers_owed(table: Table) -> dict[int, int]:
    """By seat, what it owes on markers; seats that owe nothing left out."""
    owes: Counter[int] = Counter()
    for marker in table.markers:
        if marker.seat:
            owes[marker.seat] += marker.amount
    return dict(sorted(owes.items()))


# --- given and redeemed ---


def gives_marker(table: Table, step: GivesMarker, cautions: Cautions) -> Table:
    """Open stakes: a marker that all in the pot accepted, or chips lent by somebody out of it."""
    seat, lender, amount = step.seat, step.lender, step.amount
    player_at(table, seat)
    if not table.playing:
        raise refused(Reason.ONLY_IN_HAND)
    hand = open_stakes_hand(table, seat)
    table = table._replace(hand=rules.with_more(hand, seat, amount))
    table = _lent(table, lender, amount) if lender else stays.bought_more(table, seat, amount)
    table = table._replace(markers=ledger((*table.markers, Marker(seat, lender, amount))))
    return with_player(table, seat, table.players[seat]._replace(borrowed=True))


def _lent(table: Table, lender: int, amount: int) -> Table:
    """The table where the lender's chips have gone to somebody else. Refuses one who is in the pot or has less."""
    player, hand = player_at(table, lender), hand_with(table, lender)
    if hand is not None and lender not in hand.folded:
        raise refused(Reason.LENDER_IN_POT, lender)
    has = player.stack if hand is None else hand.stacks[lender]
    unknown = is_unknown(table, lender)
    if amount > has and not unknown:
        raise refused(Reason.LENDS_MORE, lender, has)
    return without_chips(table, lender, player, amount, unknown=unknown)


def redeems(table: Table, step: Redeems, cautions: Cautions) -> Table:
    """A seat pays off what it owes on markers of this kind, out of its stack."""
    require_between_hands(table)
    seat, lender, amount = step.seat, step.lender, step.amount
    player = player_at(table, seat)
    debt = sum(marker.amount for marker in table.markers if (marker.seat, marker.lender) == (seat, lender))
    if amount > debt:
        raise refused(Reason.OWES_LESS, seat, debt)
    if amount > player.stack and not player.unknown:
        raise refused(Reason.PAYS_MORE, seat, stack(table, seat))
    table = without_chips(table, seat, player, amount, unknown=player.unknown)
    table = table._replace(markers=ledger((*table.markers, Marker(seat, lender, -amount))))
    if lender == PAPER:
        return stays.bought_more(table, seat, -amount)
    paid = table.players[lender]
    return with_player(table, lender, paid._replace(stack=paid.stack + amount))


# --- what becomes of them ---


def ledger(markers: Iterable[Marker]) -> tuple[Marker, ...]:
    """The markers in order, one for each debtor and lender, paid ones left out."""
    amounts: Counter[Marker] = Counter()
    for marker in markers:
        amounts[marker._replace(amount=0)] += marker.amount
    return tuple(sorted(marker._replace(amount=amount) for marker, amount in amounts.items() if amount > 0))


def after_move(markers: Iterable[Marker], seat: int, to: int) -> tuple[Marker, ...]:
    """The markers after a player has changed seats."""
    return ledger(
        marker._replace(
            seat=to if marker.seat == seat else marker.seat, lender=to if marker.lender == seat else marker.lender
        )
        for marker in markers
    )


def after_leaving(markers: Iterable[Marker], seat: int, name: str) -> tuple[Marker, ...]:
    """The markers after a player has left. The debt of somebody whom nobody knows by name is not followed."""
    kept = []
    for marker in markers:
        if marker.seat == seat and name:
            kept.append(marker._replace(seat=0, name=name))
        elif marker.lender == seat:
            kept.append(marker._replace(lender=PAPER))
        elif marker.seat != seat:
            kept.append(marker)
    return ledger(kept)


def after_return(markers: Iterable[Marker], seat: int, name: str) -> tuple[Marker, ...]:
    """The markers after somebody who left has sat down again."""
    return ledger(marker._replace(seat=seat, name="") if name and marker.name == name else marker for marker in markers)
