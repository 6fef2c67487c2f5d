"""The last hands as pages: the list of them, and one of them action by action with its rulings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller import presenter
from controller.rules import Hand
from controller.service.looks.clock import time_of_day
from controller.service.looks.played import Act, Entry, PlayedHand
from controller.table import Chops, Skips, Source, Table, Voids, pot
from controller.view import Action, By, Ended, GameView, HandLine, HandPage, HandSeat, HandsPage, Share

MOST_ACTIONS: Final = 400
"""Of a page: four times what a long hand has; the newest are shown of one that has more."""
GIVERS: Final[dict[Source, By]] = {"dealer": "dealer", "floor": "floor", "sensor": "itself"}
"""Who gave a step, as a page says it."""


def hands_page(hands: Sequence[PlayedHand], table: Table) -> HandsPage:
    """These hands, the newest first, of the table as it is now."""
    known = min((hand.number for hand in hands), default=table.hands + 1)
    return HandsPage(hands=tuple([_line(hand) for hand in hands]), is_all=known == 1 or not table.hands)


def hand_page(hand: PlayedHand) -> HandPage:
    """One hand, action by action."""
    last = _hand(hand.now)
    return HandPage(
        line=_line(hand),
        button=last.button,
        seats=_seats(hand),
        actions=tuple([_action(act) for act in hand.acts[-MOST_ACTIONS:]]),
        rake=last.dropped,
        jackpot=last.jackpot,
        kitty=last.kitty,
    )


def _line(hand: PlayedHand) -> HandLine:
    last = _hand(hand.now)
    return HandLine(
        number=hand.number,
        game=_game(hand.now, last),
        began_s=_when(hand.acts[0][0]) if hand.is_whole else None,
        round=last.round,
        ended=_ended(hand),
        pot=_whole_pot(hand, last),
        won=tuple(sorted(_won(hand.now, last), key=lambda share: -share.amount)),
        rulings=sum(len({each for entry in act for each in entry.after.ruled.warned}) for act in hand.acts),
        whole=hand.is_whole,
    )


def _whole_pot(hand: PlayedHand, last: Hand) -> int:
    """All that was in it: what was given and taken from it, or what lay there before it was called off."""
    if any(last.given):
        return sum(last.given) + last.dropped + last.jackpot + last.kitty + pot(hand.now)
    return pot(hand.acts[-1][0].before if hand.is_over else hand.now)


def _hand(table: Table) -> Hand:
    assert table.hand is not None, "no hand was begun"
    return table.hand


def _game(table: Table, hand: Hand) -> GameView:
    name = next((name for name, game in table.games.items() if game == hand.game), table.game_name)
    kill = hand.blinds[hand.killer] if hand.killer else 0
    return presenter.game_view(hand.game, name, bomb=hand.bomb, kill=kill)


def _ended(hand: PlayedHand) -> Ended:
    if not hand.is_over:
        return ""
    match hand.acts[-1][-1].step:
        case Voids() | Skips():
            return "void"
        case Chops():
            return "chopped"
    return "won"


def _won(table: Table, hand: Hand) -> list[Share]:
    given = enumerate(hand.given)
    return [Share(seat=seat, amount=amount, name=_name(table, seat)) for seat, amount in given if amount]


def _name(table: Table, seat: int) -> str:
    return table.players[seat].name if seat in table.players else ""


def _seats(hand: PlayedHand) -> tuple[HandSeat, ...]:
    first, last = _hand(hand.begun), _hand(hand.now)
    return tuple(
        [
            HandSeat(
                seat=seat,
                name=_name(hand.begun, seat),
                brought=first.stacks[seat] + first.contributed(seat) if seat not in first.unknown else None,
                left=last.stacks[seat] if seat not in last.unknown else None,
                won=last.given[seat],
            )
            for seat in sorted(first.order)
        ]
    )


def _action(act: Act) -> Action:
    """Words and their chips are one action: what was said, as it came out."""
    first, last = act[0], act[-1]
    rulings = {ruling.key: ruling for entry in act for ruling in presenter.rulings(entry.after)}
    return Action(
        told=presenter.told(last.after.table, first.step, last.after.sources),
        round=_hand(first.after.table).round,
        pot=pot(last.after.table),
        by=GIVERS[first.source],
        badge=first.badge if first.source == "floor" else "",
        at_s=_when(first),
        rulings=tuple(rulings.values()),
    )


def _when(entry: Entry) -> int | None:
    return None if entry.at_us is None else time_of_day(entry.at_us)
