"""What is shown of each seat."""

from __future__ import annotations

from controller.presenter.known import Known
from controller.rules import Hand, can_play
from controller.table import Table
from controller.view import Did, SeatStatus, SeatView, Tray
from hardware.spots import BET_SPOTS


def seat_views(known: Known, last: dict[int, Did], held: dict[int, Did]) -> tuple[SeatView, ...]:
    """All seats in order, with what they did last and what is held of them."""
    return tuple([_seat_view(known, seat, last.get(seat), held.get(seat)) for seat in range(1, len(BET_SPOTS) + 1)])


def _seat_view(known: Known, seat: int, last: Did | None, held: Did | None) -> SeatView:
    live, table = known.live, known.live.table
    player, tray = table.players.get(seat), _tray(known, seat)
    if player is None:
        return SeatView(seat=seat, tray=tray)
    playing = known.hand if known.hand is not None and seat in known.hand.order else None
    standing, seen = known.standings[seat], known.uncounted[seat]
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status(known, table, seat, playing),
        stack=standing.stack,
        bet=standing.counted,
        bet_source=live.sources.get(seat, "book"),
        last=last if playing else None,
        presumed=table.street.presumed.get(seat, ""),
        held=held,
        owes=standing.owed,
        due_back=standing.due_back,
        markers=known.markers.get(seat, 0),
        blind=playing.blinds[seat] if playing else 0,
        button=seat == known.button,
        tray=tray,
        seen=seen.amount,
        at_least=seen.at_least,
        unknown_chips=seen.strangers,
    )


def _tray(known: Known, seat: int) -> Tray:
    live = known.live
    if not live.setup.trays:
        return "none"
    if seat in live.table.offline:
        return "offline"
    return "unsettled" if BET_SPOTS[seat - 1] in live.glimpses else "ok"


def _status(known: Known, table: Table, seat: int, hand: Hand | None) -> SeatStatus:
    if hand is None:
        player = table.players[seat]
        if player.away:
            return "away"
        return "out" if known.hand is not None or not can_play(table.game, player) else "waiting"
    if seat in hand.folded:
        return "folded"
    if seat in hand.all_in:
        return "all-in"
    if seat == hand.turn:
        return "to-act"
    return "waiting" if seat in hand.pending else "acted"
