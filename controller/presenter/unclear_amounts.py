"""Suggestions for unclear amounts: a declared amount with several meanings, or a bet that was misread.

**A declared amount.** Example: with blinds of 200 and 400, a player says "I bet five" and puts in no chips. The bet may
be 500 or 5,000. It is the largest reasonable amount that is not more than the pot before the bet. The table takes the
least legal bet, as for any amount that is too small, and the dealer may correct it to the suggestion with one touch.

Source: TDA 57. Robert's Rules have no such rule.

**A misread bet.** A chip of the bet may never have answered, or chips of the bettor's stack may lie beside the bet.
Callers see the real bet, so that their chips show its amount. Example: the bet was read as 25, and two players call
with 15.
"""

from __future__ import annotations

from typing import Final

from controller.live import derived_state
from controller.presenter.alert_codes import build_alert
from controller.presenter.view_inputs import ViewInputs
from controller.rules import BIG_BET_STRUCTURES, Hand, HandEvent, betting_options
from controller.steps import Declaration, Step, format_step, hand_steps
from controller.table import HeldForRuling, apply_table_step, balances
from controller.view import Alert, Choice, MessageValues

SPOKEN_FACTORS: Final = (100, 1_000, 100_000, 1_000_000)
"""Factors that players leave out: hundred, thousand, hundred thousand and million."""
MIN_CLEAR_SHARE: Final = 10
"""An amount is unclear if it is less than one tenth of the least legal amount. A larger amount is only too small."""
MIN_EQUAL_SHORT_CALLS: Final = 2
"""Minimum number of callers with equal totals below the bet that suggest a smaller bet, because two players hardly
make the same mistake."""


# --- a declared amount ---


def suggested_amount(named: int, least: int, pot: int, unit: int) -> int:
    """Return the largest meaning of a named amount that is at most the pot, or 0 if there is none.

    `least` is the smallest amount that is possible. Example: 5 means 500 with a pot of 1,200, and 5,000 with a pot of
    6,000.
    """
    if named * MIN_CLEAR_SHARE >= least:
        return 0
    meanings = (named * factor for factor in SPOKEN_FACTORS)
    return max((meaning for meaning in meanings if least <= meaning <= pot and meaning % unit == 0), default=0)


def unclear_amount_alerts(inputs: ViewInputs) -> list[Alert]:
    """Return the suggestion for the last declaration, which was too small, or an empty list if its amount is clear."""
    table, step = inputs.live.table, inputs.last_step
    hand_before = table.undo_stack[-1].table_before.hand if table.undo_stack else None
    if (
        not isinstance(step, hand_steps.Declares | hand_steps.SpeaksOnly)
        or step.seat not in {seat for _, seat in inputs.live.last_warnings.warnings}
        or inputs.hand is None
        or hand_before is None
        or hand_before.turn != step.seat
        or inputs.game.rulebook != "tda"
        or inputs.game.structure not in BIG_BET_STRUCTURES
    ):
        return []
    declaration, bet = step.declaration, hand_before.current_bet
    options = betting_options(hand_before, step.seat)
    least = bet if declaration.kind == "amount" and bet else options.min_total
    raised_from = bet if declaration.is_raise_by else 0
    meaning = suggested_amount(declaration.amount, least - raised_from, hand_before.pot_total, inputs.game.unit)
    if not meaning:
        return []
    answer = _answer(inputs, step.seat, declaration, raised_from + meaning)
    choices = (Choice(label="means", do=format_step(answer), values=MessageValues(amount=meaning)),) if answer else ()
    values = MessageValues(seat=step.seat, least=declaration.amount, amount=meaning, most=hand_before.pot_total)
    return [build_alert("unclear-amount", values, choices)]


def _answer(inputs: ViewInputs, seat: int, declaration: Declaration, total: int) -> Step | None:
    """Return the step with which the dealer confirms the suggestion, or None if the seat is bound to a call."""
    assert inputs.hand is not None
    if isinstance(inputs.live.table.street.held_actions.get(seat), HeldForRuling):
        return hand_steps.SpeaksOnly(seat, Declaration("amount", total))
    totals = [action.total for action in inputs.hand.action_log if action.seat == seat]
    return hand_steps.CorrectsWager(seat, total) if totals and totals[-1] else None


# --- a misread bet ---


def has_put_in_too_much(inputs: ViewInputs, seat: int, due_back: int) -> bool:
    """Return True if the seat has put in a chip that no bet needs, so that its bet or the bet before was misread.

    Return False if each chip is larger than the change, or if the seat must still act and may use the chips then. If
    the spot is empty because the dealer sweeps, the chips of the last motion decide. Example: the bet was read as 11,
    and a caller puts in 5, 5, 1 and 1.
    """
    if inputs.hand is None or seat in inputs.hand.seats_to_act:
        return False
    motion = inputs.live.table.street.last_motions.get(seat)
    on_spot = [chip.denomination for chip in derived_state.spot_of(inputs.live, seat).accounted or ()]
    chips = on_spot or (motion.motion_chips if motion is not None else ())
    return min(chips, default=due_back + 1) <= due_back


def caller_total_choices(inputs: ViewInputs, seat: int, due_back: int) -> tuple[Choice, ...]:
    """Return the choice with which the dealer says that the last bet was as large as the chips of this caller.

    A chip of the bet may never have been read. The caller then seems to have put in too much, although no chip was
    needed to make change. Return an empty tuple if nothing speaks for such a chip. Example: 11 of a bet of 12 were
    read, and a player calls with 5, 5, 1 and 1.
    """
    live, table, hand = inputs.live, inputs.live.table, inputs.hand
    chips = derived_state.spot_of(live, seat).accounted or ()
    if hand is None or not chips or min(chip.denomination for chip in chips) > due_back:
        return ()
    bettor = _last_bettor(hand)
    if bettor in (0, seat) or live.bets.sources.get(bettor) != "sensed":
        return ()
    step = hand_steps.CorrectsWager(bettor, table.street.spot_totals[seat])
    outcome = apply_table_step(table, step)
    if outcome.refusal is not None or outcome.seat_warnings or balances.due_back(outcome.table, seat):
        return ()
    return (Choice(label="bet-was", do=format_step(step), values=MessageValues(seat=bettor, amount=step.amount)),)


def smaller_bet_choices(inputs: ViewInputs, seat: int) -> tuple[Choice, ...]:
    """Return the choice with which the dealer says that the last bet was only as large as the chips of its callers.

    Chips of the bettor's stack may lie beside the bet, or the bettor has taken chips back. All callers that owe chips
    must have put in the same total. Return an empty tuple if nothing speaks for a smaller bet. Example: 25 were read as
    the bet, and two players call with 15.
    """
    live, table, hand = inputs.live, inputs.live.table, inputs.hand
    bettor = _last_bettor(hand) if hand is not None else 0
    callers = [other for other, balance in inputs.balances.by_seat.items() if balance.owed and other != bettor]
    totals = {table.street.spot_totals[other] for other in callers}
    if len(callers) < MIN_EQUAL_SHORT_CALLS or len(totals) > 1 or seat not in callers:
        return ()
    if live.bets.sources.get(bettor) != "sensed":
        return ()
    (total,) = totals
    call = hand_steps.SpokeBeforeChips(bettor, Declaration("call"))
    for step in (hand_steps.CorrectsWager(bettor, total), call):
        after = apply_table_step(table, step)
        owing = [other for other in callers if balances.owed(after.table, other)]
        if after.refusal is None and not after.seat_warnings and not owing:
            values = MessageValues(seat=bettor, amount=total)
            return (Choice(label="bet-was", do=format_step(step), values=values),)
    return ()


def larger_bet_choices(inputs: ViewInputs, hand: Hand, unread: int) -> tuple[Choice, ...]:
    """Return the choices with which the dealer says that the last bet of the round was larger than read.

    Either only the bettor has bet the unread chips, or each seat that can win has bet an equal part. Return an
    empty tuple if the table accepts neither bet, or if the dealer has entered the bet.

    Example: 50 of a bet of 55 were read, and 10 are unread in the pot. The bet was 60, or both players have bet 55.
    """
    bettor, player_count = _last_bettor(hand), len(hand.live_seats)
    if player_count < 2 or inputs.live.bets.sources.get(bettor, "keyed") == "keyed":
        return ()
    shares = {unread} if unread % player_count else {unread, unread // player_count}
    steps = [hand_steps.CorrectsWager(bettor, hand.bets[bettor] + share) for share in sorted(shares)]
    return tuple(
        Choice(label="bet-was", do=format_step(step), values=MessageValues(seat=bettor, amount=step.amount))
        for step in steps
        if apply_table_step(inputs.live.table, step).refusal is None
    )


def _last_bettor(hand: Hand) -> int:
    """Return the seat that bet or raised last in this round, or 0 if no seat did."""
    return next((action.seat for action in reversed(hand.action_log) if action.event is HandEvent.WAGER), 0)
