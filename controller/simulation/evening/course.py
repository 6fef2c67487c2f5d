"""The course of an evening: hands, rounds, and whose turn it is at the table, whatever the screen says."""

from __future__ import annotations

from typing import Final

from controller.rules import Hand, Phase, bounds, facing
from controller.simulation.evening import floor
from controller.simulation.evening.answers import give_back
from controller.simulation.evening.dealer import Dealer
from controller.simulation.evening.games import SHORT_IN_BETS, STACK_IN_BETS
from controller.simulation.evening.people import MOST_ON_SPOT, THINK_S, Deed, decide, in_chips
from controller.simulation.evening.room import SECOND_US, Evening
from controller.table import (
    Adds,
    Awards,
    Deals,
    Declaration,
    Heard,
    Moves,
    NamesBringIn,
    NamesFirst,
    Says,
    StartsHand,
    Step,
    Table,
    Undoes,
    due_back,
    pots_now,
    stack,
)
from hardware.chips import chips_for

EARLY: Final = 0.01
"""How often somebody acts before its turn."""
BLINDS_S: Final = (0.2, 2.5)
"""When blinds lie there after the cards are dealt."""
HEARD_S: Final = (0.2, 2.0)
"""How soon the dealer keys words that chips do not say."""
AFTER_SWEEP_S: Final = (0.4, 1.2)
CARDS_S: Final = (1.0, 2.0)
"""A burn and a turn."""
SHUFFLE_S: Final = (2.0, 5.0)
"""Between two hands; real dealers take longer, which only gives the table more time."""
SPLITS: Final = 0.1
"""Pots that are shared."""
CATCH_UP_S: Final = 30.0
"""A table that has not caught up with the people by then does not."""


class Course:
    """Plays hands at one table."""

    def __init__(self, evening: Evening, dealer: Dealer, big_bet: int, early: float = 0.0) -> None:
        self._evening = evening
        self._dealer = dealer
        self._hands = evening.hands
        self._big_bet = big_bet
        self._early = early
        self._random = evening.random
        self._posted_us = 0
        """When all forced bets of the hand lie there."""

    def play(self, count: int) -> None:
        """So many hands."""
        self._evening.wait(2.0)
        for _ in range(count):
            self._hand()

    def _hand(self) -> None:
        evening = self._evening
        self._between_hands()
        floor.mend_button(evening)
        self._both(StartsHand())
        self._forced_bets()
        while (hand := evening.truth.hand) is not None and evening.truth.playing:
            if hand.phase in (Phase.BRING_IN, Phase.FIRST):
                self._names(hand)
            elif hand.turn:
                self._acts(hand)
            elif not self._closes(hand):
                self._gives_up()
        if floor.mend_stacks(evening):
            evening.watch.wrong = True
        evening.watch.hand_over()
        evening.hand_over()

    def _gives_up(self) -> None:
        """The hand is void; all chips that lie in the middle go back."""
        evening = self._evening
        evening.until(self._hands.sweep(evening.truth.players, evening.now_us))
        evening.world.drop(evening.world.pot_value())
        floor.give_up(evening)

    # --- between the hands ---

    def _between_hands(self) -> None:
        evening, world = self._evening, self._evening.world
        evening.wait(self._random.uniform(*SHUFFLE_S))
        self._dealer.hurry()
        for seat, player in evening.truth.players.items():
            if player.stack < SHORT_IN_BETS * self._big_bet:
                self._both(Adds(seat, STACK_IN_BETS[0] * self._big_bet))
            more = stack(evening.truth, seat) - self._hands.behind(seat)
            if more > 0:
                world.buy(seat, more)
            elif more < 0:
                world.pay(seat, min(-more, world.stack_value(seat)))

    def _both(self, what: Step) -> bool:
        """The dealer does it, and touches it on the screen; False where the table refuses it: then it is not done."""
        if self._evening.touch(what).refused is not None:
            return False
        self._happens(what)
        return True

    def _happens(self, what: Step) -> None:
        """It happens; what the house takes of the pot leaves it."""
        evening, before = self._evening, sum(self._evening.truth.accounts)
        evening.really(what)
        dropped = sum(evening.truth.accounts) - before
        if dropped > 0:
            evening.world.drop(dropped)

    def _forced_bets(self) -> None:
        evening, hand = self._evening, self._evening.truth.hand
        assert hand is not None
        self._hands.deal(hand.order, evening.now_us)
        for seat in hand.order:
            blind = evening.truth.street.felt[seat]
            ante = hand.contributed(seat) - blind
            if ante > 0:  # scooped at once
                self._hands.ante(seat, ante)
            if blind > 0:
                at_us = evening.now_us + int(self._random.uniform(*BLINDS_S) * SECOND_US)
                self._posted_us = max(self._posted_us, at_us)
                evening.at(at_us, lambda seat=seat, blind=blind: self._posts(seat, blind))  # type: ignore[misc]

    def _posts(self, seat: int, blind: int) -> None:
        self._evening.note(f"POSTS {seat} {blind}")
        over_us = self._hands.bet(seat, chips_for(blind), self._evening.now_us)
        self._posted_us = max(self._posted_us, over_us)

    # --- people ---

    def _names(self, hand: Hand) -> None:
        """The dealer says who opens."""
        evening, seat = self._evening, self._random.choice(hand.active)
        evening.wait(self._random.uniform(0.3, 1.0))
        what = NamesBringIn(seat) if hand.phase is Phase.BRING_IN else NamesFirst(seat)
        evening.really(what)
        self._dealer.later(self._random.uniform(0.1, 0.5), lambda: self._touches(what))

    def _touches(self, what: Step) -> None:
        self._evening.touch(what)

    def _acts(self, hand: Hand) -> None:
        """The seat in turn thinks, then acts."""
        evening, seat = self._evening, hand.turn
        evening.wait(self._random.uniform(*THINK_S))
        is_early = self._random.random() < self._early and self._is_too_early(hand)
        if is_early:
            evening.wait(self._random.uniform(*THINK_S))
            assert evening.truth.hand is not None
            hand = evening.truth.hand
        if evening.truth.street.felt[seat] and evening.now_us < self._posted_us:
            evening.until(self._posted_us)
        while self._hands.busy(seat):
            evening.wait(0.3)
        lies = len(self._hands.wagered_uids(seat))
        self._does(decide(hand, evening.truth.street.felt[seat], lies, self._random, quiet=is_early))

    def _is_too_early(self, hand: Hand) -> bool:
        """The next seat does not wait for the one in turn: it calls, or bets as little as it may."""
        if len(hand.pending) < 2:
            return False
        seat, felt = hand.pending[1], self._evening.truth.street.felt[hand.pending[1]]
        total = facing(hand, seat)
        if total <= hand.bets[seat]:
            allowed = bounds(hand, seat)
            if allowed is None or hand.level:
                return False
            total = allowed[0]
        total = min(total, hand.bets[seat] + hand.stacks[seat])
        if total <= felt or hand.bring_in:
            return False
        self._evening.watch.is_early(seat)
        self._puts(seat, in_chips(total - felt, hand.game.unit, MOST_ON_SPOT, self._random))
        return True

    def _does(self, deed: Deed) -> None:
        evening, seat, words = self._evening, deed.declared.seat, deed.declared.declaration
        evening.watch.acts(seat)
        if not deed.chips:
            evening.really(deed.declared)
            evening.acted_us[seat] = evening.now_us
            if words.kind == "fold":
                self._hands.fold(seat, evening.now_us)
            self._dealer.keys("fold" if words.kind == "fold" else "check-call", seat)
            return
        if deed.spoken:
            evening.really(Says(seat, words))
            self._dealer.later(self._random.uniform(*HEARD_S), lambda: self._hears(seat, words))
        self._puts(seat, deed.chips)

    def _puts(self, seat: int, chips: tuple[int, ...]) -> None:
        """Chips go onto the spot; who comes next waits until they lie there."""
        evening = self._evening
        motion = evening.watch.begins(seat, evening.now_us)
        evening.acted_us[seat] = evening.now_us
        before = self._hands.wagered_uids(seat)
        over_us = self._hands.bet(seat, chips, evening.now_us)
        evening.really(Moves(seat, chips))
        evening.at(over_us, lambda: evening.watch.landed(motion, before, evening.now_us))
        evening.until(over_us)
        evening.acted_us[seat] = evening.now_us

    def _hears(self, seat: int, words: Declaration) -> None:
        """The dealer keys words; where the chips have been taken for something else meanwhile, that they were said."""
        evening, hand = self._evening, self._evening.table.hand
        evening.tally.touches += 1
        if hand is not None and hand.turn == seat:
            evening.touch(Says(seat, words))
        elif seat in evening.table.street.motions:
            evening.touch(Heard(seat, words))

    # --- the end of a round ---

    def _closes(self, hand: Hand) -> bool:
        """The bets are swept, the next street is dealt or the pots are given; False where the table cannot follow."""
        evening, dealer, style = self._evening, self._dealer, self._dealer.style
        last = hand.last_round or len(hand.live) < 2
        while evening.now_us < self._posted_us:
            evening.until(self._posted_us)
        if style.waits:
            self._catch_up()
        bets = [seat for seat in hand.order if self._hands.wagered(seat)]
        if bets:
            evening.wait(self._random.uniform(*style.sweep_s))
            for seat in hand.order:
                if due_back(evening.truth, seat):
                    give_back(evening, seat)
            evening.note(f"SWEEP {bets}")
            over_us = self._hands.sweep(tuple(bets), evening.now_us)
            evening.swept = True
            evening.until(over_us)
        evening.wait(self._random.uniform(*AFTER_SWEEP_S))
        dealer.hurry()
        if style.look_s is not None:
            self._catch_up()
        dealt = not last and self._deals()
        if not dealt and not _closed(evening.table):
            self._catch_up()
            dealt = not last and self._deals()
        going = self._compare(hand, dealt) and (last or dealt or self._deals())
        dealer.street_over()
        evening.acted_us.clear()
        evening.swept = False
        if not going:
            return False
        if last:
            return self._award()
        self._happens(Deals())
        evening.wait(self._random.uniform(*CARDS_S))
        return True

    def _deals(self) -> bool:
        """The dealer's key for the next street; False where the table does not take it."""
        return self._evening.touch(Deals()).refused is None

    def _compare(self, truth: Hand, dealt: bool) -> bool:
        """What the table has made of the round; the floor puts it right, before the cards where they are dealt already.
        False where it cannot."""
        evening, table = self._evening, self._evening.table.hand
        if table is None or evening.table.hands != evening.truth.hands:
            evening.watch.wrong = True
            return False
        mishaps = {seat: evening.mishaps(seat) for seat in truth.order}
        evening.watch.round_over(truth, table, () if dealt else table.pending, evening.now_us, mishaps)
        same = all(table.contributed(seat) == truth.contributed(seat) for seat in truth.order)
        if same and table.folded == truth.folded and (dealt or _closed(evening.table)):
            return True
        evening.note(f"FLOOR table {_short(evening.table)} truth {_short(evening.truth)}")
        evening.watch.wrong = True
        if not dealt:
            return floor.mend_round(evening)
        evening.touch(Undoes())
        return floor.mend_round(evening) and self._deals()

    def _catch_up(self) -> None:
        """Before the next card the dealer looks at the screen, answers it, and keys what it still waits for."""
        evening, dealer = self._evening, self._dealer
        deadline_us = evening.now_us + int(CATCH_UP_S * SECOND_US)
        while not _closed(evening.table) and evening.now_us < deadline_us:
            evening.wait(0.5)
            if not dealer.busy:
                dealer.looks()

    # --- the end of a hand ---

    def _award(self) -> bool:
        """Each pot goes to a winner, or is shared; then the chips are pushed."""
        evening = self._evening
        evening.wait(self._random.uniform(*CARDS_S))
        before = {seat: stack(evening.truth, seat) for seat in evening.truth.players}
        for pot in pots_now(evening.truth):
            shared = self._random.random() < SPLITS and len(pot.seats) > 1
            winners = tuple(sorted(self._random.sample(pot.seats, 2 if shared else 1)))
            if not self._both(Awards(pot.name, winners)):
                evening.watch.wrong = True
                self._happens(Awards(pot.name, winners))
        given = {seat: more for seat, was in before.items() if (more := stack(evening.truth, seat) - was) > 0}
        evening.note(f"PUSH {given}")
        evening.until(self._hands.push_pot(given, evening.now_us))
        return True


def _closed(table: Table) -> bool:
    hand = table.hand
    return hand is not None and hand.phase in (Phase.CLOSED, Phase.PAYING, Phase.OVER)


def _short(table: Table) -> str:
    hand = table.hand
    if hand is None:
        return "no hand"
    return f"round {hand.round} bets {hand.bets} folded {sorted(hand.folded)} turn {hand.turn} {hand.phase.name}"
