"""One hand by our rules and by PokerKit, side by side: after every action the same turn, amounts, bounds and pots."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from pokerkit import Card, Deck

from controller import rules
from controller.rules import (
    Act,
    Hand,
    Phase,
    Verb,
    award,
    bounds,
    choices,
    facing,
    pots,
    reach,
    to_call,
    uncalled,
    why_no_raise,
)
from controller.table import Declaration, meaning
from tests.controller.pokerkit_cases import CASES, short_forced_bet
from tests.controller.pokerkit_setups import HighestCard, LowestCard, by_pokerkit, by_rules, setup


class Difference(AssertionError):
    """Our rules and PokerKit differ where no case explains it."""


class Duel:
    """One hand played by both."""

    def __init__(self, seed: int, counts: Counter[str]) -> None:
        self.chance = random.Random(seed)
        self.seed = seed
        self.counts = counts
        self.at = setup(self.chance)
        self.deck = [str(card.rank.value + card.suit.value) for card in Deck.STANDARD]
        self.chance.shuffle(self.deck)
        self.hole: dict[int, list[str]] = {seat: [] for seat in range(1, len(self.at.stacks) + 1)}
        self.hand = by_rules(self.at)
        self.state = by_pokerkit(self.at)
        self.asked = 0

    def same(self, field: str, ours: object, theirs: object, hand: Hand | None = None) -> bool:
        """True where they agree or a case explains why not, which is counted."""
        if ours == theirs:
            return True
        hand = hand or self.hand
        for name, case in CASES.items():
            if field in case.fields and case.holds(hand, self.at):
                self.counts[name] += 1
                return False
        raise Difference(f"seed {self.seed}, {self.at}: {field} {ours}, PokerKit {theirs}; {hand.log}")

    # --- the play ---

    def play(self) -> None:
        self.deal_cards()
        while True:
            self.name_opener()
            if short_forced_bet(self.hand):  # from here the chips of the two differ
                self.compare()
                return
            while self.hand.phase is Phase.BETTING:
                self.compare()
                self.act()
            self.check_closed()
            if self.hand.last_round or len(self.hand.live) < 2:
                break
            self.deal_cards()
            self.hand = rules.deal(self.hand)
        self.finish()

    def deal_cards(self) -> None:
        """Cards for PokerKit until somebody has to act; with all all-in, all that are left. Nobody draws any."""
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
        """Who of the seats holds the best such hand."""
        held = {seat: hands.from_game(Card.parse("".join(self.hole[seat]))) for seat in seats}
        return tuple(seat for seat, hand in held.items() if hand == max(held.values()))

    def name_opener(self) -> None:
        """Stud: the cards say who opens; PokerKit reads them."""
        actor = self.state.actor_index
        if self.hand.phase is Phase.BRING_IN and actor is not None:
            self.hand = rules.bring_in(self.hand, actor + 1)
        elif self.hand.phase is Phase.FIRST and actor is not None:
            self.hand = rules.name_first(self.hand, actor + 1)

    def compare(self) -> None:
        hand, state, seat = self.hand, self.state, self.hand.turn
        self.asked += 1
        actor = state.actor_index
        if not self.same("turn", seat or None, None if actor is None else actor + 1) or actor is None:
            return
        asked = state.effective_bring_in_amount if state.can_post_bring_in() else state.checking_or_calling_amount
        self.same("call", to_call(hand, seat), asked)
        least, most = self.sizes()
        theirs = (state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount)
        if self.same("raise", least is None, theirs[0] is None) and least is not None:
            self.same("min", least, theirs[0])
            self.same("max", most, theirs[1])
        self.same("pot", hand.total, state.total_pot_amount)
        self.same("stacks", self.at.behind(hand), list(state.stacks))

    def sizes(self) -> tuple[int | None, int | None]:
        """The least and most raise; all that the seat has where that is less than the least."""
        hand, seat = self.hand, self.hand.turn
        if why_no_raise(hand, seat):
            return None, None
        total = hand.bets[seat] + reach(hand, seat)
        return bounds(hand, seat) or (total, total)

    def act(self) -> None:
        """Something that both allow."""
        hand, state, seat = self.hand, self.state, self.hand.turn
        roll = self.chance.random()
        if roll < 0.4 and self.raise_to():
            return
        if roll > 0.88 and facing(hand, seat) > hand.bets[seat] and state.can_fold() and hand.bring_in != seat:
            state.fold()
            self.hand = rules.apply(hand, Act(Verb.FOLD, seat))
            return
        due = facing(hand, seat) > hand.bets[seat]
        if state.can_post_bring_in():
            state.post_bring_in()
        else:
            state.check_or_call()
        act = Act(Verb.CALL if due else Verb.CHECK, seat)
        self.said(act, hand.bets[seat] + to_call(hand, seat))
        self.hand = rules.apply(hand, act)

    def said(self, act: Act, amount: int) -> None:
        """An amount alone means the same act."""
        hand, seat = self.hand, act.seat
        if amount:
            ruling = meaning.by_words(hand, seat, choices(hand, seat), Declaration("amount", amount), 0)
            if ruling.act != act:
                raise Difference(f"seed {self.seed}: {amount} alone is {ruling}, not {act}; {hand.log}")

    def raise_to(self) -> bool:
        least, most = self.sizes()
        theirs = self.state.max_completion_betting_or_raising_to_amount
        if least is None or most is None or theirs is None:
            return False
        unit = self.at.game.unit
        total = self.chance.choice([least, least, most, self.chance.randint(least, most) // unit * unit])
        act = Act(Verb.WAGER, self.hand.turn, total)
        self.said(act, total)
        if rules.reject_reason(self.hand, act) or not self.state.can_complete_bet_or_raise_to(total):
            return False
        self.state.complete_bet_or_raise_to(total)
        self.hand = rules.apply(self.hand, act)
        return True

    def check_closed(self) -> None:
        """A closed round: nobody is asked, chips lie in the same pots."""
        hand, state = self.hand, self.state
        while not self.same("turn", None, state.actor_index):
            state.check_or_call()
        if not state.status or not any(state.statuses) or state.street is None:
            return
        back = uncalled(hand)
        theirs = [(pot.amount, tuple(index + 1 for index in pot.player_indices)) for pot in state.pots]
        self.same("stacks", self.at.behind(hand), list(state.stacks))
        ours = [(pot.amount, pot.seats) for pot in pots(hand)]
        if not self.same("pots", ours, theirs):
            last, seats = ours.pop()
            ours += [(last - back, seats)] if last > back else []
            if merged(ours) != merged(theirs):
                raise Difference(f"seed {self.seed}: pots without the uncalled {back}: {ours}, PokerKit {theirs}")

    def finish(self) -> None:
        self.deal_cards()
        before = hand = self.hand
        for pot in pots(before):
            high, split = self.winners(HighestCard, pot.seats), self.at.high_low and len(pot.seats) > 1
            low = self.winners(LowestCard, pot.seats) if split else ()
            hand = award(hand, pot.name, high, low).hand
        ours = self.at.behind(hand)
        if self.same("end", ours, list(self.state.stacks), before):
            return
        away = [abs(mine - theirs) for mine, theirs in zip(ours, self.state.stacks, strict=True)]
        if sum(ours) != sum(self.state.stacks) or max(away) > len(pots(before)) * 9 * self.at.game.unit:
            raise Difference(f"seed {self.seed}: stacks at the end {ours}, PokerKit {self.state.stacks}")


def merged(found: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """Neighbouring pots with the same seats as one, seats sorted."""
    whole: list[tuple[int, tuple[int, ...]]] = []
    for amount, seats in found:
        if whole and whole[-1][1] == tuple(sorted(seats)):
            whole[-1] = (whole[-1][0] + amount, whole[-1][1])
        else:
            whole.append((amount, tuple(sorted(seats))))
    return whole


def duel(seeds: Iterable[int]) -> tuple[Counter[str], int]:
    """How often each case occurred, and how many decisions were compared."""
    counts: Counter[str] = Counter()
    asked = 0
    for seed in seeds:
        one = Duel(seed, counts)
        one.play()
        asked += one.asked
    return counts, asked
