"""The public view, without private information of the house or of a player."""

from __future__ import annotations

from controller.view import SeatView, TableView


def to_public_view(view: TableView) -> TableView:
    """Return the view for displays that players see.

    It has names, bets, the turn, the amount to call, and the pot if the house always announces the pot. It has no
    stacks, and nothing that reveals a stack: limits of a raise, markers, accounts, questions and devices. All other
    fields have their default value.
    """
    is_pot_shown = view.show_pot == "always"
    return TableView(
        protocol=view.protocol,
        service_run=view.service_run,
        sequence=view.sequence,
        table_name=view.table_name,
        game=view.game,
        next_game=view.next_game,
        next_in_mix=view.next_in_mix,
        level=view.level,
        hold=view.hold,
        hand_number=view.hand_number,
        round=view.round,
        phase=view.phase,
        money=view.money,
        unit=view.unit,
        show_pot="always" if is_pot_shown else "never",
        pot=view.pot if is_pot_shown else 0,
        pots=view.pots if is_pot_shown else (),
        turn=view.turn,
        to_call=_to_call(view),
        button=view.button,
        seats=tuple([_public_seat(seat) for seat in view.seats]),
        is_recorded=view.is_recorded,
    )


def _public_seat(seat: SeatView) -> SeatView:
    return SeatView(
        seat=seat.seat,
        name=seat.name,
        status=seat.status,
        stack=None,
        bet=seat.bet,
        last_action=seat.last_action,
        blind=seat.blind,
        is_big_blind=seat.is_big_blind,
        straddle=seat.straddle,
        kill=seat.kill,
        time_called=seat.time_called,
        clock_seconds=seat.clock_seconds,
        button=seat.button,
    )


def _to_call(view: TableView) -> int | None:
    """Return the amount that the bets on the table require of the seat in turn, or None if no seat is in turn.

    `view.to_call` is at most the stack of the seat, so it would reveal a short stack. Example: the bet is 100, and the
    seat has 60 left in its stack. The public view shows 100.
    """
    own_bet = next((seat.bet for seat in view.seats if seat.seat == view.turn), None)
    if own_bet is None or view.to_call is None:
        return None
    return max(view.to_call, max(seat.bet for seat in view.seats) - own_bet)
