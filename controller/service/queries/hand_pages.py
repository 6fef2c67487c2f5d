"""The pages of hands: a list of the last hands, and one hand action by action with its rulings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller import presenter
from controller.rules import Hand
from controller.service.queries.hand_log import LoggedHand, LoggedStep, UndoGroup
from controller.service.queries.local_time import time_of_day
from controller.steps import StepSource, hand_steps
from controller.table import Table, balances
from controller.view import (
    GameView,
    pages,
)

MAX_ACTIONS: Final = 400
"""Maximum number of actions on a page, which shows the newest ones. A long hand has about 100 actions."""
ACTOR_OF_SOURCE: Final[dict[StepSource, pages.Attribution]] = {"dealer": "dealer", "floor": "floor", "sensor": "itself"}
"""The author of a step as a page names it, by the source of the step."""


def hands_page(hands: Sequence[LoggedHand], table: Table) -> pages.HandsPage:
    """Return the page with a list of hands. `hands` must begin with the newest hand. `table` is the current table."""
    first_known = min((hand.number for hand in hands), default=table.hands_started + 1)
    return pages.HandsPage(
        hands=tuple([hand_row(hand) for hand in hands]), is_complete=first_known == 1 or not table.hands_started
    )


def hand_page(hand: LoggedHand) -> pages.HandPage:
    """Return the page of one hand, action by action."""
    last = _require_hand(hand.table_now)
    return pages.HandPage(
        summary=hand_row(hand),
        button=last.button,
        seats=hand_seats(hand),
        actions=tuple([_hand_action(group) for group in hand.undo_groups[-MAX_ACTIONS:]]),
        rake=last.rake_taken,
        jackpot=last.jackpot_taken,
        kitty=last.kitty_taken,
    )


def hand_row(hand: LoggedHand) -> pages.HandRow:
    """Return one hand as a row of the list of hands."""
    last = _require_hand(hand.table_now)
    return pages.HandRow(
        number=hand.number,
        game=_game_view(hand.table_now, last),
        began_s=_time_of_step(hand.undo_groups[0][0]) if hand.is_complete else None,
        round=last.round_number,
        result=_result(hand),
        pot=_total_pot(hand, last),
        awards=tuple(sorted(_awards(hand.table_now, last), key=lambda share: -share.amount)),
        warning_count=sum(
            len({warning for entry in group for warning in entry.after.last_warnings.warnings})
            for group in hand.undo_groups
        ),
        is_complete=hand.is_complete,
    )


def _total_pot(hand: LoggedHand, last: Hand) -> int:
    """Return the total amount in the pots. If the hand is void, return the total before it became void."""
    if any(last.awarded):
        return (
            sum(last.awarded)
            + last.rake_taken
            + last.jackpot_taken
            + last.kitty_taken
            + balances.announced_pot(hand.table_now)
        )
    return balances.announced_pot(hand.undo_groups[-1][0].before if hand.is_over else hand.table_now)


def _require_hand(table: Table) -> Hand:
    assert table.hand is not None, "a logged hand has a hand"
    return table.hand


def _game_view(table: Table, hand: Hand) -> GameView:
    name = next((name for name, game in table.games.items() if game == hand.game), table.game_name)
    kill = hand.posted_blinds[hand.kill_seat] if hand.kill_seat else 0
    return presenter.build_game_view(hand.game, name, bomb=hand.bomb_ante, kill=kill)


def _result(hand: LoggedHand) -> pages.HandResult:
    if not hand.is_over:
        return ""
    match hand.undo_groups[-1][-1].step:
        case hand_steps.VoidsHand() | hand_steps.SkipsHand():
            return "void"
        case hand_steps.ChopsBlinds():
            return "chopped"
    return "won"


def _awards(table: Table, hand: Hand) -> list[pages.SeatShare]:
    given = enumerate(hand.awarded)
    return [
        pages.SeatShare(seat=seat, amount=amount, name=_player_name(table, seat)) for seat, amount in given if amount
    ]


def _player_name(table: Table, seat: int) -> str:
    return table.players[seat].name if seat in table.players else ""


def hand_seats(hand: LoggedHand) -> tuple[pages.HandSeat, ...]:
    """Return the players of a hand with their stacks before and after it."""
    first, last = _require_hand(hand.table_at_start), _require_hand(hand.table_now)
    return tuple(
        [
            pages.HandSeat(
                seat=seat,
                name=_player_name(hand.table_at_start, seat),
                stack_before=first.stacks[seat] + first.contributed(seat) if seat not in first.unknown_stacks else None,
                stack_after=last.stacks[seat] if seat not in last.unknown_stacks else None,
                won=last.awarded[seat],
            )
            for seat in sorted(first.dealt_seats)
        ]
    )


def _hand_action(group: UndoGroup) -> pages.HandAction:
    """Return steps that are undone together as one action of a hand. The action's summary describes the first step."""
    first, last = group[0], group[-1]
    rulings = {ruling.key: ruling for entry in group for ruling in presenter.last_step_warnings(entry.after)}
    return pages.HandAction(
        summary=presenter.summarize_step(
            last.after.table,
            first.step,
            last.after.bets.sources,
            first.before,
            has_open_access=last.after.badge_count == 0,
        ),
        round=_require_hand(first.after.table).round_number,
        pot=balances.announced_pot(last.after.table),
        by=ACTOR_OF_SOURCE[first.source],
        badge=first.badge if first.source == "floor" else "",
        at_s=_time_of_step(first),
        warnings=tuple(rulings.values()),
    )


def _time_of_step(entry: LoggedStep) -> int | None:
    return None if entry.at_us is None else time_of_day(entry.at_us)
