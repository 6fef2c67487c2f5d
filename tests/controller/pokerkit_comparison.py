"""Play a hand with the project's rules and with PokerKit, and compare the two after every action.

The comparison covers the seat in turn, the bets and stacks, the minimum and maximum raise, and the pots.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from pokerkit import Card, Deck

from controller import rules
from controller.rules import (
    Hand,
    HandEvent,
    Phase,
    SeatAction,
    awards,
    bet_range,
    betting_options,
    legal_actions,
    pots,
    to_call,
    total_to_match,
    uncalled_chips,
)
from controller.steps import Declaration
from controller.table import interpretation
from tests.controller.pokerkit_differences import CASES, short_forced_bet
from tests.controller.pokerkit_setups import (
    HighestCard,
    LowestCard,
    random_setup,
    start_pokerkit_hand,
    start_rules_hand,
)


class UnexplainedDifference(AssertionError):
    """Error for a difference between the project's rules and PokerKit that no entry of `CASES` explains."""


class Comparison:
    """One hand that the project's rules and PokerKit play in parallel."""

    def __init__(self, seed: int, counts: Counter[str]) -> None:
        self.chance = random.Random(seed)
        self.seed = seed
        self.counts = counts
        self.at = random_setup(self.chance)
        self.deck = [str(card.rank.value + card.suit.value) for card in Deck.STANDARD]
        self.chance.shuffle(self.deck)
        self.hole: dict[int, list[str]] = {seat: [] for seat in range(1, len(self.at.stacks) + 1)}
        self.hand = start_rules_hand(self.at)
        self.state = start_pokerkit_hand(self.at)
        self.asked = 0

    def agrees(self, field: str, ours: object, theirs: object, hand: Hand | None = None) -> bool:
        """Compare a value of the project's rules with the value of PokerKit, and return True if they are equal.

        If the values differ and a known difference explains why, count this difference and return False. Raise
        UnexplainedDifference if no known difference applies.
        """
        if ours == theirs:
            return True
        hand = hand or self.hand
        for name, case in CASES.items():
            if field in case.fields and case.applies(hand, self.at):
                self.counts[name] += 1
                return False
        raise UnexplainedDifference(
            f"seed {self.seed}, {self.at}: {field}: rules {ours}, PokerKit {theirs}; actions {hand.action_log}"
        )

    # --- the play ---

    def play(self) -> None:
        self.deal_cards()
        while True:
            self.name_opener()
            if short_forced_bet(self.hand):  # After a short forced bet, the two programs count different chips.
                self.compare()
                return
            while self.hand.phase is Phase.BETTING:
                self.compare()
                self.act()
            self.check_closed()
            if self.hand.is_last_round or len(self.hand.live_seats) < 2:
                break
            self.deal_cards()
            self.hand = rules.actions.deal_next_street(self.hand)
        self.finish()

    def deal_cards(self) -> None:
        """Deal cards in PokerKit until a player has to act, or until the last card.

        In draw games every player keeps all cards.
        """
        state = self.state
        while True:
            if state.can_burn_card():
                state.burn_card("??")
            elif state.can_stand_pat_or_discard():
                state.stand_pat_or_discard()
            elif state.can_deal_hole():
                seat = (state.hole_dealee_index or 0) + 1
                self.hole[seat].append(self.deck.pop())
                state.deal_hole(self.hole[seat][-1])
            elif state.can_deal_board():
                state.deal_board("".join(self.deck.pop() for _ in range(state.board_dealing_count or 0)))
            else:
                return

    def winners(self, hands: type[HighestCard | LowestCard], seats: tuple[int, ...]) -> tuple[int, ...]:
        """Return the seats, among those given, whose hands this evaluator ranks best."""
        strengths = {seat: hands.from_game(Card.parse("".join(self.hole[seat]))) for seat in seats}
        return tuple(seat for seat, hand in strengths.items() if hand == max(strengths.values()))

    def name_opener(self) -> None:
        """Give the project's rules the seat that opens this stud round.

        PokerKit knows the cards, so that it can choose the seat.
        """
        actor = self.state.actor_index
        if self.hand.phase is Phase.BRING_IN and actor is not None:
            self.hand = rules.stud.name_bring_in(self.hand, actor + 1)
        elif self.hand.phase is Phase.FIRST_TO_ACT and actor is not None:
            self.hand = rules.stud.name_first_to_act(self.hand, actor + 1)

    def compare(self) -> None:
        hand, state, seat = self.hand, self.state, self.hand.turn
        self.asked += 1
        actor = state.actor_index
        if not self.agrees("turn", seat or None, None if actor is None else actor + 1) or actor is None:
            return
        amount_to_call = (
            state.effective_bring_in_amount if state.can_post_bring_in() else state.checking_or_calling_amount
        )
        self.agrees("call", to_call(hand, seat), amount_to_call)
        min_total, max_total = self.raise_bounds()
        theirs = (state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount)
        if self.agrees("raise", min_total is None, theirs[0] is None) and min_total is not None:
            self.agrees("min", min_total, theirs[0])
            self.agrees("max", max_total, theirs[1])
        self.agrees("pot", hand.pot_total, state.total_pot_amount)
        self.agrees("stacks", self.at.remaining_stacks(hand), list(state.stacks))

    def raise_bounds(self) -> tuple[int | None, int | None]:
        """Return the minimum and the maximum total to which the seat in turn may raise.

        Return None for both if the seat may not raise. If its stack is less than the minimum raise, both are its total
        when all-in.
        """
        hand, seat = self.hand, self.hand.turn
        if legal_actions.no_raise_reason(hand, seat):
            return None, None
        total = hand.bets[seat] + legal_actions.playable_chips(hand, seat)
        return bet_range(hand, seat) or (total, total)

    def act(self) -> None:
        """Choose at random an action that both programs allow, and apply it in both programs."""
        hand, state, seat = self.hand, self.state, self.hand.turn
        roll = self.chance.random()
        if roll < 0.4 and self.raise_to():
            return
        if (
            roll > 0.88
            and total_to_match(hand, seat) > hand.bets[seat]
            and state.can_fold()
            and hand.bring_in_seat != seat
        ):
            state.fold()
            self.hand = rules.actions.apply_action(hand, SeatAction(HandEvent.FOLD, seat))
            return
        due = total_to_match(hand, seat) > hand.bets[seat]
        if state.can_post_bring_in():
            state.post_bring_in()
        else:
            state.check_or_call()
        act = SeatAction(HandEvent.CALL if due else HandEvent.CHECK, seat)
        self.check_bare_amount(act, hand.bets[seat] + to_call(hand, seat))
        self.hand = rules.actions.apply_action(hand, act)

    def check_bare_amount(self, act: SeatAction, amount: int) -> None:
        """Verify that the amount, declared without a word such as "raise", gives this action."""
        hand, seat = self.hand, act.seat
        if amount:
            ruling = interpretation.interpret_words(
                hand, seat, betting_options(hand, seat), Declaration("amount", amount), 0
            )
            if ruling.action != act:
                raise UnexplainedDifference(
                    f"seed {self.seed}: the amount {amount} alone is {ruling}, expected {act}; "
                    f"actions {hand.action_log}"
                )

    def raise_to(self) -> bool:
        min_total, max_total = self.raise_bounds()
        theirs = self.state.max_completion_betting_or_raising_to_amount
        if min_total is None or max_total is None or theirs is None:
            return False
        unit = self.at.game.unit
        total = self.chance.choice(
            [min_total, min_total, max_total, self.chance.randint(min_total, max_total) // unit * unit]
        )
        act = SeatAction(HandEvent.WAGER, self.hand.turn, total)
        self.check_bare_amount(act, total)
        if rules.actions.reject_action(self.hand, act) or not self.state.can_complete_bet_or_raise_to(total):
            return False
        self.state.complete_bet_or_raise_to(total)
        self.hand = rules.actions.apply_action(self.hand, act)
        return True

    def check_closed(self) -> None:
        """Verify that nobody is in turn in the closed round, and that both programs have the same pots."""
        hand, state = self.hand, self.state
        while not self.agrees("turn", None, state.actor_index):
            state.check_or_call()
        if not state.status or not any(state.statuses) or state.street is None:
            return
        uncalled = uncalled_chips(hand)
        theirs = [(pot.amount, tuple(index + 1 for index in pot.player_indices)) for pot in state.pots]
        self.agrees("stacks", self.at.remaining_stacks(hand), list(state.stacks))
        ours = [(pot.amount, pot.seats) for pot in pots(hand)]
        if not self.agrees("pots", ours, theirs):
            last, seats = ours.pop()
            ours += [(last - uncalled, seats)] if last > uncalled else []
            if merge_pots(ours) != merge_pots(theirs):
                raise UnexplainedDifference(
                    f"seed {self.seed}: pots without {uncalled} uncalled: rules {ours}, PokerKit {theirs}"
                )

    def finish(self) -> None:
        self.deal_cards()
        before = hand = self.hand
        for pot in pots(before):
            high, split = self.winners(HighestCard, pot.seats), self.at.high_low and len(pot.seats) > 1
            low = self.winners(LowestCard, pot.seats) if split else ()
            hand = awards.award_pot(hand, pot.name, high, low).hand
        ours = self.at.remaining_stacks(hand)
        if self.agrees("end", ours, list(self.state.stacks), before):
            return
        deviations = [abs(mine - theirs) for mine, theirs in zip(ours, self.state.stacks, strict=True)]
        if sum(ours) != sum(self.state.stacks) or max(deviations) > len(pots(before)) * 9 * self.at.game.unit:
            raise UnexplainedDifference(f"seed {self.seed}: final stacks: rules {ours}, PokerKit {self.state.stacks}")


def merge_pots(pots_with_seats: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the pots with sorted seats. Merge consecutive pots that the same seats can win."""
    merged: list[tuple[int, tuple[int, ...]]] = []
    for amount, seats in pots_with_seats:
        if merged and merged[-1][1] == tuple(sorted(seats)):
            merged[-1] = (merged[-1][0] + amount, merged[-1][1])
        else:
            merged.append((amount, tuple(sorted(seats))))
    return merged


def compare_hands(seeds: Iterable[int]) -> tuple[Counter[str], int]:
    """Play one hand for each seed.

    Return how often each known difference occurred, and how many actions were compared in all hands.
    """
    counts: Counter[str] = Counter()
    asked = 0
    for seed in seeds:
        comparison = Comparison(seed, counts)
        comparison.play()
        asked += comparison.asked
    return counts, asked
