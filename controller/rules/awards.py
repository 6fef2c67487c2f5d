"""Giving the pots: who may be given what, rake, jackpot and kitty before it, and what a void hand gives back.

Source: Robert's Rules of Poker, sections 3 (showdown, odd chips), 7 and 10 (high-low); house rules of the drop.
"""

from __future__ import annotations

from fractions import Fraction
from operator import add
from typing import NamedTuple

from controller.rules.game import Jackpot, Rake
from controller.rules.hand import BEING_GIVEN, NO_SEATS, NOTHING, WHY_NOT, Hand, Phase, Pot, Verb, put, refusal, replace
from controller.rules.refusals import Refusal, RuleError, Why, require
from controller.rules.shares import Won, board_parts, divided, odd_chips
from controller.rules.side_pots import called, pots, uncalled


class Award(NamedTuple):
    """What an award did: the hand after it, what each seat was given, what was taken before it."""

    hand: Hand
    given: dict[int, int]
    rake: int
    jackpot: int
    kitty: int = 0

    @property
    def drop(self) -> Drop:
        """What was taken before it."""
        return Drop(self.rake, self.jackpot, self.kitty)


class Drop(NamedTuple):
    """What is taken from the pots: the house's rake, the jackpots, the players' kitty."""

    rake: int
    jackpot: int
    kitty: int = 0


_NO_DROP = Drop(0, 0)


def drop_due(hand: Hand, at_award: bool) -> Drop:
    """What is to be taken now, the rake first, never more than there is; at a deal (`at_award` is False) only where
    the rake is taken as built, and jackpot and kitty are taken with it. What `no_flop_no_drop` spares, it spares of
    jackpot and kitty too."""
    game = hand.game
    rake = game.rake
    if rake is None and not game.jackpot and not game.kitty:
        return _NO_DROP
    if (at_award and rake and rake.no_flop_no_drop and hand.round == 1) or not (at_award or (rake and rake.as_built)):
        return _NO_DROP
    chips = called(hand)
    left = chips - hand.taken
    due = max(0, _raked(rake, chips, game.unit) - hand.dropped) if rake else 0
    left = max(0, left - due)
    jackpot = min(left, max(0, _reached(game.jackpot, chips) - hand.jackpot))
    return Drop(due, jackpot, min(left - jackpot, max(0, _reached(game.kitty, chips) - hand.kitty)))


def _raked(rake: Rake, chips: int, unit: int) -> int:
    share = int(chips * Fraction(str(rake.percent)) / 100)
    return (min(share, rake.cap) if rake.cap else share) // unit * unit


def _reached(drops: tuple[Jackpot, ...], chips: int) -> int:
    return sum(one.amount for one in drops if chips >= one.pot)


def take_drop(hand: Hand) -> tuple[Hand, Drop]:
    """The hand with what is taken as the pot is built taken out, and what that is."""
    drop = drop_due(hand, at_award=False)
    return _taken(hand, drop) if any(drop) else hand, drop


def take_by_hand(hand: Hand, drop: Drop) -> Hand:
    """The hand with this taken out of the middle by the dealer's hand: what the house takes by rule is less by it.
    Raises RuleError where the pots are being given, or the middle holds less."""
    if hand.phase in BEING_GIVEN:
        raise RuleError(Refusal(WHY_NOT[hand.phase]))
    if sum(drop) > hand.middle:
        raise RuleError(Refusal(Why.POT_HOLDS_LESS, amount=hand.middle, name="main"))
    return _taken(hand, drop)


def _taken(hand: Hand, drop: Drop) -> Hand:
    return replace(
        hand,
        middle=hand.middle - sum(drop),
        dropped=hand.dropped + drop.rake,
        jackpot=hand.jackpot + drop.jackpot,
        kitty=hand.kitty + drop.kitty,
    )


def _reject_award(hand: Hand, left: tuple[Pot, ...], name: str, boards: tuple[Won, ...]) -> Refusal | None:
    pot = next((pot for pot in left if pot.name == name), None)
    if pot is None:
        return Refusal(Why.NO_SUCH_POT, name=name)
    seats = [seat for won in boards for seat in (*won.high, *won.low)]
    stranger = next((seat for seat in seats if seat not in pot.seats), None)
    if stranger is not None:
        return Refusal(Why.NOT_IN_POT, stranger, name=name, seats=pot.seats)
    if not seats:
        return Refusal(Why.NO_WINNER, name=name)
    if not all(won.high for won in boards):
        return Refusal(Why.NO_HIGH_WINNER, name=name)
    twice = next((seat for won in boards for half in (won.high, won.low) for seat in half if half.count(seat) > 1), 0)
    if twice:
        return Refusal(Why.NAMED_TWICE, twice, name=name)
    if len(boards) > 1 and len(boards) != hand.boards:
        return Refusal(Why.NOT_SO_MANY_BOARDS, amount=len(boards), most=hand.boards)
    if not may_be_given(hand, pot):
        return Refusal(Why.NOT_OVER, amount=hand.round + 1, name=hand.game.kind.rounds[hand.round])
    return None


def may_be_given(hand: Hand, pot: Pot) -> bool:
    """True for a pot that nobody can still bet for, once the betting of the round is over."""
    if refusal(hand, Verb.AWARD) is not None:
        return False
    return hand.last_round or not len([seat for seat in pot.seats if seat not in hand.all_in]) > 1 < len(hand.active)


def award(hand: Hand, name: str, high: tuple[int, ...], low: tuple[int, ...] = ()) -> Award:
    """The pot given to `high`, or halved between `high` and `low` with the odd chip to the high half: `award_boards`
    with one board and equal shares."""
    return award_boards(hand, name, (Won(high, low),))


def award_boards(hand: Hand, name: str, boards: tuple[Won, ...]) -> Award:
    """The pot given to those who won it on each board.

    Rake, jackpot and kitty are taken once, at the first award at which they are due, out of the main pot first. Raises
    RuleError with the reason where the pot cannot be given so.
    """
    left = pots(hand)
    require(refusal(hand, Verb.AWARD) or _reject_award(hand, left, name, boards))
    drop = _NO_DROP
    if _drops(hand):
        drop = drop_due(hand, at_award=True)
        hand = _closed(hand, left, drop)
    pot = next(pot for pot in hand.pots_left if pot.name == name)
    given = _given(hand, pot, boards)
    stacks, all_given = hand.stacks, hand.given
    for seat, amount in given.items():
        stacks = put(stacks, seat, stacks[seat] + amount)
        all_given = put(all_given, seat, all_given[seat] + amount)
    left = tuple([other for other in hand.pots_left if other is not pot])
    phase = Phase.PAYING if left else Phase.OVER
    hand = replace(hand, stacks=stacks, given=all_given, pots_left=left, phase=phase)
    return Award(hand, given, *drop)


def _drops(hand: Hand) -> bool:
    """True until something has been taken at an award; a side pot that is given before the flop drops nothing."""
    return hand.phase is not Phase.PAYING or not (hand.dropped or hand.jackpot or hand.kitty)


def _closed(hand: Hand, whole: tuple[Pot, ...], drop: Drop) -> Hand:
    """The hand with its pots fixed and the drop taken out of them."""
    swept = replace(
        hand,
        paid=tuple(map(add, hand.paid, hand.bets)),
        bets=NOTHING,
        pots_left=_less(whole, sum(drop)),
        phase=Phase.PAYING,
        middle=hand.middle + sum(hand.bets),
    )
    return _taken(swept, drop) if any(drop) else swept


def _less(whole: tuple[Pot, ...], due: int) -> tuple[Pot, ...]:
    """The pots with this much taken out, of the main pot first."""
    left = []
    for pot in whole:
        taken = min(due, pot.amount)
        due -= taken
        left.append(pot._replace(amount=pot.amount - taken) if taken else pot)
    return tuple(left)


def boards_of_pots(hand: Hand) -> tuple[tuple[Pot, tuple[int, ...]], ...]:
    """Each pot as it will be given, the drop taken out, with what each board gets of it: what a dealer divides by."""
    left = pots(hand)
    if _drops(hand):
        left = _less(left, sum(drop_due(hand, at_award=True)))
    return tuple([(pot, board_parts(pot.amount, hand.boards, hand.game.unit)) for pot in left])


def _given(hand: Hand, pot: Pot, boards: tuple[Won, ...]) -> dict[int, int]:
    """What each seat is given of the pot, all boards together."""
    given: dict[int, int] = {}
    for part, won in zip(board_parts(pot.amount, len(boards), hand.game.unit), boards, strict=True):
        for seat, amount in divided(hand, part, won).items():
            given[seat] = given.get(seat, 0) + amount
    return given


def odd_in(hand: Hand, name: str, boards: tuple[Won, ...]) -> dict[int, int]:
    """What each seat would be given of a pot because that cannot be divided evenly; seats without are left out. The
    award is one that would be done."""
    pot = next(pot for pot, _ in boards_of_pots(hand) if pot.name == name)
    parts, odd = board_parts(pot.amount, len(boards), hand.game.unit), dict.fromkeys(pot.seats, 0)
    for part, won in zip(parts, boards, strict=True):
        for seat, amount in odd_chips(hand, part, won, parts[-1]).items():
            odd[seat] += amount
    return {seat: amount for seat, amount in odd.items() if amount}


def sole_winner(hand: Hand, pot: Pot, given: dict[int, int]) -> tuple[int, int]:
    """(seat, chips) of a pot won by one seat alone, a bet that nobody called left out; (0, 0) for a split pot."""
    if len(given) != 1:
        return 0, 0
    (seat,) = given
    top = max(paid + bet for paid, bet in zip(hand.paid, hand.bets, strict=True))
    own = hand.paid[seat] + hand.bets[seat] == top and pot.seats == (seat,)
    return seat, pot.amount - (uncalled(hand) if own else 0)


def holds_only_forced(hand: Hand, winner: int) -> bool:
    """True where no other seat has put in more than it posted: the pot that the winner takes is blinds and antes."""
    game = hand.game
    ante = hand.bomb or (game.ante if game.ante_by == "each" else 0)
    others = (seat for seat in hand.order if seat != winner)
    return all(hand.paid[seat] + hand.bets[seat] <= hand.blinds[seat] + ante for seat in others)


def void(hand: Hand) -> Hand:
    """The hand called off: everything that a seat put in goes back to it, pots that were given come back first.

    What no seat put in stays in the middle; `dropped`, `jackpot` and `kitty` stay as they were, for the accounts of the
    layer above. Raises RuleError where the hand is over.
    """
    require(refusal(hand, Verb.VOID))
    back = zip(hand.stacks, hand.bets, hand.paid, hand.dead, hand.given, strict=True)
    return replace(
        hand,
        stacks=tuple(stack + bet + paid + dead - given for stack, bet, paid, dead, given in back),
        bets=NOTHING,
        paid=NOTHING,
        dead=NOTHING,
        middle=hand.extra,
        given=NOTHING,
        blinds=NOTHING,
        pending=(),
        all_in=NO_SEATS,
        pots_left=(),
        phase=Phase.OVER,
    )
