"""Award of the pots, the drop that is taken before, and the return of the chips in a void hand.

The drop consists of the chips that are taken out of the pots for rake, jackpot and kitty.

Source: Robert's Rules of Poker, sections 3 (showdown, odd chips), 7 and 10 (high-low); house rules of the drop.
"""

from __future__ import annotations

from fractions import Fraction
from operator import add
from typing import NamedTuple

from controller.rules.game import Jackpot, Rake
from controller.rules.hand import (
    AWARD_PHASES,
    NO_SEATS,
    PHASE_REFUSALS,
    ZERO_AMOUNTS,
    Hand,
    HandEvent,
    Phase,
    Pot,
    reject_event,
    replace,
    with_amount,
)
from controller.rules.pot_division import BoardWinners, divide_between_winners, odd_chips_of_board, split_by_board
from controller.rules.refusals import Refusal, RuleError, RuleRefusal, raise_if_refused
from controller.rules.side_pots import called_chips, pots, uncalled_chips


class AwardResult(NamedTuple):
    """Result of an award: the hand after the award, the chips that each seat gets, and the drop."""

    hand: Hand
    awarded: dict[int, int]
    rake: int
    jackpot: int
    kitty: int = 0

    @property
    def drop(self) -> Drop:
        """Return the rake, jackpot and kitty that were taken before the award."""
        return Drop(self.rake, self.jackpot, self.kitty)


class Drop(NamedTuple):
    """Chips that are taken from the pots: the rake of the house, the jackpot, and the players' kitty."""

    rake: int
    jackpot: int
    kitty: int = 0


_NO_DROP = Drop(0, 0)


def drop_due(hand: Hand, is_award: bool) -> Drop:
    """Return the rake, jackpot and kitty that are due now, at most the called chips in the pots.

    - At an award (`is_award`), rake, jackpot and kitty are due.
    - At a deal, they are due only if the house takes the rake as the pot is built (`as_built`).
    - With `no_flop_no_drop`, nothing is due at an award in the first round.

    The rake has priority over the jackpot, and the jackpot over the kitty. Amounts taken earlier in the hand are
    deducted.
    Source: house rules of the drop, table-scripts.md, `rake`, `jackpot`, `kitty`.
    """
    game = hand.game
    rake = game.rake
    if rake is None and not game.jackpot and not game.kitty:
        return _NO_DROP
    if (is_award and rake and rake.no_flop_no_drop and hand.round_number == 1) or not (
        is_award or (rake and rake.as_built)
    ):
        return _NO_DROP
    chips, available = called_chips(hand), _chips_for_drop(hand)
    rake_due = min(available, max(0, _rake_of(rake, chips, game.unit) - hand.rake_taken)) if rake else 0
    available -= rake_due
    jackpot = min(available, max(0, _jackpot_due(game.jackpot, chips) - hand.jackpot_taken))
    return Drop(rake_due, jackpot, min(available - jackpot, max(0, _jackpot_due(game.kitty, chips) - hand.kitty_taken)))


def _chips_for_drop(hand: Hand) -> int:
    """Return the called chips from which rake, jackpot and kitty can still be taken.

    Example: the main pot was awarded before the flop, so that no rake was due. After the flop, only the side pots can
    pay the rake. A side pot that only one seat can win contains an uncalled bet and pays nothing.
    """
    if hand.phase is Phase.AWARDING:
        return sum(pot.amount for pot in hand.unawarded_pots if len(pot.seats) > 1)
    return max(0, called_chips(hand) - hand.drop_taken)


def _rake_of(rake: Rake, chips: int, unit: int) -> int:
    share = int(chips * Fraction(str(rake.percent)) / 100)
    return (min(share, rake.cap) if rake.cap else share) // unit * unit


def _jackpot_due(drops: tuple[Jackpot, ...], chips: int) -> int:
    return sum(drop.amount for drop in drops if chips >= drop.pot)


def take_drop_at_deal(hand: Hand) -> tuple[Hand, Drop]:
    """Return a copy of the hand after the drop that is taken when a street is dealt, and the amounts of the drop."""
    drop = drop_due(hand, is_award=False)
    return _take_drop(hand, drop) if any(drop) else hand, drop


def take_drop_manually(hand: Hand, drop: Drop) -> Hand:
    """Return a copy of the hand after the dealer has manually taken rake or kitty out of the middle.

    The rake or kitty that the rules compute later is reduced by these chips. Raise RuleError if the pots are being
    awarded or the middle contains fewer chips.
    """
    if hand.phase in AWARD_PHASES:
        raise RuleError(Refusal(PHASE_REFUSALS[hand.phase]))
    if sum(drop) > hand.middle:
        raise RuleError(Refusal(RuleRefusal.POT_TOO_SMALL, amount=hand.middle, name="main"))
    return _take_drop(hand, drop)


def splash_pot(hand: Hand, amount: int) -> Hand:
    """Return a copy of the hand after the house has added this amount to the main pot, as dead money.

    A bet that was declared as "pot" before does not change. Raise RuleError if the pots are being awarded, or if the
    amount is not a multiple of the unit.
    """
    if hand.phase in AWARD_PHASES:
        raise RuleError(Refusal(PHASE_REFUSALS[hand.phase]))
    if amount % hand.game.unit:
        raise RuleError(Refusal(RuleRefusal.SPLASH_OFF_UNIT, amount=amount, minimum=hand.game.unit))
    return replace(hand, middle=hand.middle + amount, promotion_chips=hand.promotion_chips + amount)


def _take_drop(hand: Hand, drop: Drop) -> Hand:
    return replace(
        hand,
        middle=hand.middle - sum(drop),
        rake_taken=hand.rake_taken + drop.rake,
        jackpot_taken=hand.jackpot_taken + drop.jackpot,
        kitty_taken=hand.kitty_taken + drop.kitty,
    )


def _reject_award(
    hand: Hand, open_pots: tuple[Pot, ...], name: str, boards: tuple[BoardWinners, ...]
) -> Refusal | None:
    pot = next((pot for pot in open_pots if pot.name == name), None)
    if pot is None:
        return Refusal(RuleRefusal.NO_SUCH_POT, name=name)
    seats = [seat for winners in boards for seat in (*winners.high, *winners.low)]
    outsider = next((seat for seat in seats if seat not in pot.seats), None)
    if outsider is not None:
        return Refusal(RuleRefusal.NOT_IN_POT, outsider, name=name, seats=pot.seats)
    if not seats:
        return Refusal(RuleRefusal.NO_WINNER, name=name)
    if not all(winners.high for winners in boards):
        return Refusal(RuleRefusal.NO_HIGH_WINNER, name=name)
    repeated = next(
        (seat for winners in boards for half in (winners.high, winners.low) for seat in half if half.count(seat) > 1), 0
    )
    if repeated:
        return Refusal(RuleRefusal.WINNER_NAMED_TWICE, repeated, name=name)
    if len(boards) > 1 and len(boards) != hand.board_count:
        return Refusal(RuleRefusal.WRONG_BOARD_COUNT, amount=len(boards), maximum=hand.board_count)
    if not can_award(hand, pot):
        return Refusal(
            RuleRefusal.BETTING_NOT_OVER,
            amount=hand.round_number + 1,
            name=hand.game.variant_rules.round_names[hand.round_number],
        )
    return None


def can_award(hand: Hand, pot: Pot) -> bool:
    """Return True if the betting of the round is over and nobody can still bet for the pot."""
    if reject_event(hand, HandEvent.AWARD) is not None:
        return False
    return hand.is_last_round or not len([seat for seat in pot.seats if seat not in hand.all_in]) > 1 < len(
        hand.active_seats
    )


def award_pot(hand: Hand, name: str, high: tuple[int, ...], low: tuple[int, ...] = ()) -> AwardResult:
    """Return the result of awarding the pot on one board in equal shares.

    If `low` names seats, `high` and `low` each win half, and the odd chip goes to the high half.
    Source: Robert's Rules 3, 7 and 10.
    """
    return award_pot_by_board(hand, name, (BoardWinners(high, low),))


def award_pot_by_board(hand: Hand, name: str, boards: tuple[BoardWinners, ...]) -> AwardResult:
    """Return the result of awarding the pot board by board.

    Rake, jackpot and kitty are taken only once, at the first award at which they are due. They are taken out of the
    main pot first. Raise RuleError if the pot cannot be awarded in this way.
    Source: Robert's Rules 3, 7 and 10.
    """
    open_pots = pots(hand)
    raise_if_refused(reject_event(hand, HandEvent.AWARD) or _reject_award(hand, open_pots, name, boards))
    drop = _NO_DROP
    if _is_drop_open(hand):
        drop = drop_due(hand, is_award=True)
        hand = _with_final_pots(hand, open_pots, drop)
    pot = next(pot for pot in hand.unawarded_pots if pot.name == name)
    awarded = _awarded_by_seat(hand, pot, boards)
    stacks, awarded_before = hand.stacks, hand.awarded
    for seat, amount in awarded.items():
        stacks = with_amount(stacks, seat, stacks[seat] + amount)
        awarded_before = with_amount(awarded_before, seat, awarded_before[seat] + amount)
    open_pots = tuple([other for other in hand.unawarded_pots if other is not pot])
    phase = Phase.AWARDING if open_pots else Phase.OVER
    hand = replace(hand, stacks=stacks, awarded=awarded_before, unawarded_pots=open_pots, phase=phase)
    return AwardResult(hand, awarded, *drop)


def _is_drop_open(hand: Hand) -> bool:
    """Return True if the next award may still take the drop.

    The drop is rake, jackpot and kitty. If no drop was due at the first award, a later award may still take the drop.
    """
    return hand.phase is not Phase.AWARDING or not (hand.rake_taken or hand.jackpot_taken or hand.kitty_taken)


def _with_final_pots(hand: Hand, final_pots: tuple[Pot, ...], drop: Drop) -> Hand:
    """Return a copy of the hand with swept bets and final pots, from which the drop was taken."""
    swept = replace(
        hand,
        paid_earlier=tuple(map(add, hand.paid_earlier, hand.bets)),
        bets=ZERO_AMOUNTS,
        unawarded_pots=_after_drop(final_pots, sum(drop)),
        phase=Phase.AWARDING,
        middle=hand.middle + sum(hand.bets),
    )
    return _take_drop(swept, drop) if any(drop) else swept


def _after_drop(all_pots: tuple[Pot, ...], due: int) -> tuple[Pot, ...]:
    """Return the pots after `due` chips are taken out, first from the main pot and then from side pots."""
    result = []
    for pot in all_pots:
        deducted = min(due, pot.amount)
        due -= deducted
        result.append(pot._replace(amount=pot.amount - deducted) if deducted else pot)
    return tuple(result)


def pots_by_board(hand: Hand) -> tuple[tuple[Pot, tuple[int, ...]], ...]:
    """Return each pot after the drop, and the parts into which the pot is divided, one for each board."""
    open_pots = pots(hand)
    if _is_drop_open(hand):
        open_pots = _after_drop(open_pots, sum(drop_due(hand, is_award=True)))
    return tuple([(pot, split_by_board(pot.amount, hand.board_count, hand.game.unit)) for pot in open_pots])


def _awarded_by_seat(hand: Hand, pot: Pot, boards: tuple[BoardWinners, ...]) -> dict[int, int]:
    """Return the chips that each seat wins of the pot on all boards together."""
    result: dict[int, int] = {}
    for part, winners in zip(split_by_board(pot.amount, len(boards), hand.game.unit), boards, strict=True):
        for seat, amount in divide_between_winners(hand, part, winners).items():
            result[seat] = result.get(seat, 0) + amount
    return result


def odd_chips_by_board(hand: Hand, name: str, boards: tuple[BoardWinners, ...]) -> tuple[dict[int, int], ...]:
    """Return for each board the odd chips that each winner of a pot would get, by seat.

    Seats without odd chips are left out. The caller must pass winners that the rules allow.
    """
    pot = next(pot for pot, _ in pots_by_board(hand) if pot.name == name)
    parts = split_by_board(pot.amount, len(boards), hand.game.unit)
    odd = [odd_chips_of_board(hand, part, winners, parts[-1]) for part, winners in zip(parts, boards, strict=True)]
    return tuple([{seat: chips for seat, chips in board.items() if chips} for board in odd])


def sole_winner(hand: Hand, pot: Pot, awarded: dict[int, int]) -> tuple[int, int]:
    """Return the only winner of a pot, and the chips that the winner gets, not counting an uncalled bet.

    Return (0, 0) if several seats share the pot.
    """
    if len(awarded) != 1:
        return 0, 0
    (seat,) = awarded
    largest_total = max(paid + bet for paid, bet in zip(hand.paid_earlier, hand.bets, strict=True))
    is_uncalled = hand.paid_earlier[seat] + hand.bets[seat] == largest_total and pot.seats == (seat,)
    return seat, pot.amount - (uncalled_chips(hand) if is_uncalled else 0)


def is_only_forced_bets(hand: Hand, winner: int) -> bool:
    """Return True if no seat except `winner` has put in more than its blinds and antes.

    Then `winner` wins only forced bets from the others.
    """
    game = hand.game
    ante = hand.bomb_ante or (game.ante if game.ante_by == "each" else 0)
    others = (seat for seat in hand.dealt_seats if seat != winner)
    return all(hand.paid_earlier[seat] + hand.bets[seat] <= hand.posted_blinds[seat] + ante for seat in others)


def void_hand(hand: Hand) -> Hand:
    """Return a copy of the hand after a misdeal, in which each seat gets back all it has put in.

    Chips of pots that were already awarded are first taken back from the winners. Chips that no seat put in stay in the
    middle. `rake_taken`, `jackpot_taken` and `kitty_taken` do not change, because `controller.table` needs them to
    correct its accounts. Raise RuleError if the hand is over.
    Source: Robert's Rules 3 (misdeals).
    """
    raise_if_refused(reject_event(hand, HandEvent.VOID))
    amounts = zip(hand.stacks, hand.bets, hand.paid_earlier, hand.dead_money, hand.awarded, strict=True)
    return replace(
        hand,
        stacks=tuple(stack + bet + paid + dead - awarded for stack, bet, paid, dead, awarded in amounts),
        bets=ZERO_AMOUNTS,
        paid_earlier=ZERO_AMOUNTS,
        dead_money=ZERO_AMOUNTS,
        middle=hand.unattributed_chips,
        awarded=ZERO_AMOUNTS,
        posted_blinds=ZERO_AMOUNTS,
        seats_to_act=(),
        all_in=NO_SEATS,
        unawarded_pots=(),
        phase=Phase.OVER,
    )
