"""The dealer's next possible steps, except the actions of the seat in turn.

Each choice has the label of a screen key and the command that this key sends.
"""

from __future__ import annotations

from controller.live import (
    derived_state,
)
from controller.presenter.available_actions.pots import AWARDABLE_PHASES, uncalled_amount
from controller.presenter.lammer_checks import is_lammer_consistent
from controller.presenter.view_inputs import ViewInputs
from controller.rules import (
    Hand,
    Phase,
    awards,
    blinds,
    pot_division,
    stud,
)
from controller.steps import format_step, hand_steps, observations, table_steps
from controller.table import opening_options
from controller.view import Choice, MessageValues


def next_choices(inputs: ViewInputs) -> tuple[Choice, ...]:
    """Return the dealer's next possible steps, most likely first.

    The award of a pot is one of these steps only if a single seat can win the pot, so that no decision is needed. The
    last side pot is awarded first.
    """
    hand = inputs.hand
    if hand is None:
        return _between_hands_choices(inputs)
    returns = _return_choices(inputs, hand)
    if hand.phase is Phase.BRING_IN:
        names = [
            Choice(label="brings-in", do=format_step(hand_steps.NamesBringIn(n)), values=MessageValues(seat=n))
            for n in hand.active_seats
        ]
        return (*returns, *names, *_opening_choices(inputs))
    if hand.phase is Phase.FIRST_TO_ACT:
        names = [
            Choice(label="acts-first", do=format_step(hand_steps.NamesFirstToAct(n)), values=MessageValues(seat=n))
            for n in hand.active_seats
        ]
        return (*returns, *names, *_open_pair_choices(hand))
    if hand.phase not in AWARDABLE_PHASES:
        return (
            *returns,
            *_end_raise_choices(inputs),
            *_clock_choices(inputs, hand),
            *_chop_choices(inputs, hand),
            *_open_pair_choices(hand),
            *_opening_choices(inputs),
        )
    if _are_chips_owed(inputs):
        return (Choice(label="all-is-in", do=format_step(hand_steps.AllPayOwedChips())), *returns)
    uncontested = _uncontested_pots(inputs, hand)
    if hand.is_last_round or len(hand.live_seats) < 2:
        return (*uncontested, *returns)
    street = MessageValues(street=hand.round_number + 1, variant=inputs.game.variant)
    return (
        Choice(label="deal", do=format_step(hand_steps.DealsStreet()), values=street),
        *uncontested,
        *returns,
        *_run_choices(hand),
    )


def _are_chips_owed(inputs: ViewInputs) -> bool:
    """Return True if any seat owes chips. Until the chips are paid, nothing may be dealt or awarded."""
    return any(balance.owed for balance in inputs.balances.by_seat.values())


def _between_hands_choices(inputs: ViewInputs) -> tuple[Choice, ...]:
    if inputs.live.table.is_closed:
        return ()
    start = (
        (Choice(label="next-hand", do=format_step(hand_steps.StartsHand())),)
        if inputs.next_hand_refusal is None
        else ()
    )
    following = inputs.live.table.next_in_mix
    if not following:
        return start
    game = inputs.live.table.games[following]
    change_game = Choice(
        label="plays-game",
        do=format_step(table_steps.ChangesGame(following)),
        values=MessageValues(name=following, structure=game.structure, variant=game.variant),
    )
    return (*start, change_game)


def _return_choices(inputs: ViewInputs, hand: Hand) -> tuple[Choice, ...]:
    return tuple(
        [
            Choice(
                label="push-back-to",
                do=format_step(hand_steps.ReturnsChips(seat)),
                values=MessageValues(seat=seat, amount=due),
            )
            for seat in hand.dealt_seats
            if (due := inputs.balances.by_seat[seat].due_back)
        ]
    )


# --- pots ---


def next_pot_to_award(inputs: ViewInputs) -> str:
    """Return the name of the next pot to award, or "" if no pot can be awarded.

    The last side pot comes first, and the main pot comes last. An uncalled bet has no winner, so that it comes after
    all pots. A pot can be awarded only if nobody can still bet for it. Source: Robert's Rules, section 3 (the showdown:
    side pots are awarded before the main pot).
    """
    hand = inputs.hand
    if hand is None or hand.phase not in AWARDABLE_PHASES or _are_chips_owed(inputs):
        return ""
    awardable = [pot for pot in reversed(inputs.balances.pots) if pot.amount and awards.can_award(hand, pot)]
    awardable.sort(key=lambda pot: uncalled_amount(hand, pot) == pot.amount)
    return awardable[0].name if awardable else ""


def _uncontested_pots(inputs: ViewInputs, hand: Hand) -> tuple[Choice, ...]:
    return tuple(
        [
            Choice(
                label="uncalled-back" if uncalled_amount(hand, pot) == pot.amount else "award",
                do=format_step(hand_steps.AwardsPot(pot.name, pot.seats)),
                values=MessageValues(pot=pot.name, amount=pot.amount, seat=pot.seats[0]),
            )
            for pot in reversed(inputs.balances.pots)
            if len(pot.seats) == 1
        ]
    )


# --- in the betting ---


def _chop_choices(inputs: ViewInputs, hand: Hand) -> tuple[Choice, ...]:
    """Return the choice to chop the blinds, if only the blinds are left and the house allows chops."""
    table = inputs.live.table
    if hand.phase is not Phase.BETTING or hand.wager_count or table.street.held_actions:
        return ()
    refused = blinds.reject_chop_blinds(hand, table.carry_over.placement.posting_seats)
    return (Choice(label="chops", do=format_step(hand_steps.ChopsBlinds())),) if refused is None else ()


def _open_pair_choices(hand: Hand) -> tuple[Choice, ...]:
    """Return the choice to announce an open pair, if the game has a rule for it and nobody has announced or acted."""
    if hand.has_open_pair or hand.action_log or stud.reject_open_pair(hand) is not None:
        return ()
    return (Choice(label="open-pair", do=format_step(hand_steps.ShowsOpenPair())),)


def _run_choices(hand: Hand) -> tuple[Choice, ...]:
    """Return the choices to deal the rest of the board several times, if the house allows it."""
    counts = range(2, hand.game.runs + 1) if hand.board_count == 1 else ()
    return tuple(
        [
            Choice(
                label="runs-boards",
                do=format_step(hand_steps.RunsMultipleBoards(count)),
                values=MessageValues(count=count),
            )
            for count in counts
            if pot_division.reject_run_boards(hand, count) is None
        ]
    )


def _end_raise_choices(inputs: ViewInputs) -> tuple[Choice, ...]:
    """Return the choice to end a raise that may still grow.

    The seat has said "raise" without an amount. It may add chips several times until the next seat acts.
    """
    table = inputs.live.table
    seat = (
        derived_state.open_raise_seat(table)
        if any(amount.is_amount_open for amount in table.street.spoken_amounts.values())
        else 0
    )
    if not seat or inputs.balances.by_seat[seat].owed:
        return ()
    return (Choice(label="motion-over", do=format_step(hand_steps.EndsMotion(seat)), values=MessageValues(seat=seat)),)


def _clock_choices(inputs: ViewInputs, hand: Hand) -> tuple[Choice, ...]:
    """Return the choice to call the clock on the seat in turn, if it has asked for time."""
    live = inputs.live
    if hand.turn not in live.table.street.called_time or live.ended_delays.clock_seat:
        return ()
    call = observations.CallsClock(hand.turn)
    return (Choice(label="calls-clock", do=format_step(call), values=MessageValues(seat=hand.turn)),)


def _may_owe_kill(inputs: ViewInputs, seat: int) -> bool:
    """Return True if the seat may owe a kill blind that the table does not know of.

    The table usually posts a kill blind itself. It cannot know of the kill in these cases:

    - The game does not define which pot makes a kill.
    - No pot has been won since the table opened.
    - A kill marker is at the seat although the table recorded no kill.

    Source: table-scripts.md, Steps (`kill`).
    """
    live, kill = inputs.live, inputs.game.kill
    is_automatic = kill is not None and (kill.pot or kill.wins) and live.table.carry_over.win_streak.seat
    return not is_automatic or ((seat, "kill") in inputs.lammers and not is_lammer_consistent(live, seat, "kill"))


def _opening_choices(inputs: ViewInputs) -> tuple[Choice, ...]:
    """Return the choices before the first action: posts, straddles, kill blinds, and buying the button."""
    if inputs.openings is opening_options.NO_OPENING_OPTIONS:
        return ()
    posts, straddles, kills, button_buyers = inputs.openings
    return (
        *[
            Choice(
                label="posts",
                do=format_step(hand_steps.PostsToEnter(seat)),
                values=MessageValues(seat=seat, amount=amount),
            )
            for seat, amount in posts.items()
        ],
        *[
            Choice(
                label="straddles",
                do=format_step(hand_steps.Straddles(seat, amount)),
                values=MessageValues(seat=seat, amount=amount),
            )
            for seat, amount in straddles.items()
        ],
        *[
            Choice(
                label="kills",
                do=format_step(hand_steps.PostsKillBlind(seat)),
                values=MessageValues(seat=seat, amount=amount),
            )
            for seat, amount in kills.items()
            if _may_owe_kill(inputs, seat)
        ],
        *[
            Choice(label="buys-button", do=format_step(hand_steps.BuysButton(seat)), values=MessageValues(seat=seat))
            for seat in button_buyers
        ],
    )
