"""What all at the table may see: the view without what is the house's or a player's own."""

from __future__ import annotations

from controller.view import SeatView, TableView


def public(view: TableView) -> TableView:
    """The view for those who look on: who sits there, what lies before them, whose turn it is, what it is to call, the
    pot where the house always tells it. No stack is in it, nor what one could be told from: the bounds of a raise, what
    is owed on markers, accounts, questions, devices. Whatever a view holds besides is left at its default."""
    told = view.show_pot == "always"
    return TableView(
        protocol=view.protocol,
        run=view.run,
        sequence=view.sequence,
        table=view.table,
        game=view.game,
        next_game=view.next_game,
        follows=view.follows,
        level=view.level,
        hold=view.hold,
        hand=view.hand,
        round=view.round,
        phase=view.phase,
        money=view.money,
        unit=view.unit,
        show_pot="always" if told else "never",
        pot=view.pot if told else 0,
        pots=view.pots if told else (),
        turn=view.turn,
        to_call=_to_call(view),
        button=view.button,
        seats=tuple([_seat(seat) for seat in view.seats]),
        recorded=view.recorded,
    )


def _seat(seat: SeatView) -> SeatView:
    return SeatView(
        seat=seat.seat,
        name=seat.name,
        status=seat.status,
        stack=None,
        bet=seat.bet,
        last=seat.last,
        blind=seat.blind,
        straddle=seat.straddle,
        kill=seat.kill,
        time_called=seat.time_called,
        button=seat.button,
    )


def _to_call(view: TableView) -> int | None:
    """What the bets on the felt ask of the seat in turn: what is asked of it alone ends where its stack does."""
    own = next((seat.bet for seat in view.seats if seat.seat == view.turn), None)
    if own is None or view.to_call is None:
        return None
    return max(view.to_call, max(seat.bet for seat in view.seats) - own)
