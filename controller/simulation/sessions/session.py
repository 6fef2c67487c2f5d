"""A session: several hands in which people act when it is really their turn.

The screen may show another turn at that time, because the live state may be late or wrong.
"""

from __future__ import annotations

from typing import Final

from controller.rules import Hand, Phase, bet_range, total_to_match
from controller.simulation.sessions import floor_corrections
from controller.simulation.sessions.dealer import Dealer
from controller.simulation.sessions.dealer_answers import return_chips
from controller.simulation.sessions.environment import SECOND_US, Environment
from controller.simulation.sessions.players import (
    MAX_CHIPS_ON_SPOT,
    THINKING_TIME_S,
    PlayerAction,
    choose_action,
    pick_chips,
)
from controller.simulation.sessions.table_setup import REBUY_BELOW_IN_BETS, STARTING_STACK_IN_BETS
from controller.steps import Declaration, Step, hand_steps, table_steps
from controller.table import Table, balances
from hardware.chip_set import chips_for

EARLY_ACTION_RATE: Final = 0.01
"""Share of turns in which the next seat acts before the seat in turn."""
BLIND_POST_DELAY_S: Final = (0.2, 2.5)
"""Range of the time in seconds from the deal until a blind is posted."""
SPOKEN_ACTION_KEY_DELAY_S: Final = (0.2, 2.0)
"""Range of the time in seconds from a player's announcement until the dealer enters the action."""
AFTER_SWEEP_DELAY_S: Final = (0.4, 1.2)
"""Range of the time in seconds from the end of a sweep until the dealer continues."""
STREET_DEAL_S: Final = (1.0, 2.0)
"""Range of the time in seconds in which the dealer burns and turns cards."""
SHUFFLE_DURATION_S: Final = (2.0, 5.0)
"""Range of the time in seconds between two hands.

Real dealers need more time, which only gives the program more time.
"""
SPLIT_POT_RATE: Final = 0.1
"""Share of pots that are split."""
CATCH_UP_TIMEOUT_S: Final = 30.0
"""Maximum time in seconds for which the dealer waits until the live state is correct.

After this time the floor must correct the live state.
"""


class Session:
    """A series of hands at one table."""

    def __init__(self, environment: Environment, dealer: Dealer, big_bet: int, early_action_rate: float = 0.0) -> None:
        self._environment = environment
        self._dealer = dealer
        self._human_actions = environment.hands
        self._big_bet = big_bet
        self._early_action_rate = early_action_rate
        self._random = environment.random
        self._posted_us = 0
        """Simulated time in µs at which the last forced bet of the hand is on its spot."""

    def play_hands(self, count: int) -> None:
        """Play this number of hands."""
        self._environment.wait(2.0)
        for _ in range(count):
            self._play_hand()

    def _play_hand(self) -> None:
        """Play one hand."""
        environment = self._environment
        self._between_hands()
        floor_corrections.correct_button(environment)
        self._do_and_touch(hand_steps.StartsHand())
        self._post_forced_bets()
        while (hand := environment.ground_truth.hand) is not None and environment.ground_truth.is_hand_in_progress:
            if hand.phase in (Phase.BRING_IN, Phase.FIRST_TO_ACT):
                self._name_opener(hand)
            elif hand.turn:
                self._act(hand)
            elif not self._close_round(hand):
                self._void_hand()
        if floor_corrections.correct_stacks(environment):
            environment.accuracy.has_error = True
        environment.accuracy.end_hand()
        environment.end_hand()

    def _void_hand(self) -> None:
        """Void the hand and return all chips of the pot and the spots."""
        environment = self._environment
        environment.run_until(self._human_actions.sweep(environment.ground_truth.players, environment.now_us))
        environment.world.remove_from_pot(environment.world.pot_value())
        floor_corrections.void_hand(environment)

    # --- between the hands ---

    def _between_hands(self) -> None:
        """Shuffle, let players buy chips, and make the players' real chips equal to the true stacks."""
        environment, world = self._environment, self._environment.world
        environment.wait(self._random.uniform(*SHUFFLE_DURATION_S))
        self._dealer.flush_keys()
        for seat, player in environment.ground_truth.players.items():
            if player.stack < REBUY_BELOW_IN_BETS * self._big_bet:
                self._do_and_touch(table_steps.AddsChips(seat, STARTING_STACK_IN_BETS[0] * self._big_bet))
            missing = balances.stack_behind(environment.ground_truth, seat) - self._human_actions.amount_behind(seat)
            if missing > 0:
                world.buy(seat, missing)
            elif missing < 0:
                world.pay_house(seat, min(-missing, world.stack_value(seat)))

    def _do_and_touch(self, step: Step) -> bool:
        """Enter a step on the screen and apply the step to the true state.

        Return False if the table refuses the step.
        """
        if self._environment.touch(step).refusal is not None:
            return False
        self._apply_to_truth(step)
        return True

    def _apply_to_truth(self, step: Step) -> None:
        """Apply a step to the true state. If the house takes chips with this step, remove these chips from the pot."""
        environment, house_before = self._environment, sum(self._environment.ground_truth.accounts)
        environment.apply_to_truth(step)
        taken = sum(environment.ground_truth.accounts) - house_before
        if taken > 0:
            environment.world.remove_from_pot(taken)

    def _post_forced_bets(self) -> None:
        """Let all seats post their antes and blinds."""
        environment, hand = self._environment, self._environment.ground_truth.hand
        assert hand is not None
        self._human_actions.deal(hand.dealt_seats, environment.now_us)
        for seat in hand.dealt_seats:
            blind = environment.ground_truth.street.spot_totals[seat]
            ante = hand.contributed(seat) - blind
            if ante > 0:  # The dealer collects antes into the pot at once.
                self._human_actions.ante(seat, ante)
            if blind > 0:
                at_us = environment.now_us + int(self._random.uniform(*BLIND_POST_DELAY_S) * SECOND_US)
                self._posted_us = max(self._posted_us, at_us)
                environment.schedule(at_us, lambda seat=seat, blind=blind: self._post_blind(seat, blind))  # type: ignore[misc]

    def _post_blind(self, seat: int, blind: int) -> None:
        """Let a seat post its blind."""
        self._environment.trace(f"POSTS {seat} {blind}")
        over_us = self._human_actions.bet(seat, chips_for(blind), self._environment.now_us)
        self._posted_us = max(self._posted_us, over_us)

    # --- actions of people ---

    def _name_opener(self, hand: Hand) -> None:
        """Let the dealer name the seat that opens the round."""
        environment, seat = self._environment, self._random.choice(hand.active_seats)
        environment.wait(self._random.uniform(0.3, 1.0))
        step = hand_steps.NamesBringIn(seat) if hand.phase is Phase.BRING_IN else hand_steps.NamesFirstToAct(seat)
        environment.apply_to_truth(step)
        self._dealer.schedule_touch(self._random.uniform(0.1, 0.5), lambda: self._touch(step))

    def _touch(self, step: Step) -> None:
        """Enter a step with a touch on the screen."""
        self._environment.touch(step)

    def _act(self, hand: Hand) -> None:
        """Let the seat in turn think and act."""
        environment, seat = self._environment, hand.turn
        environment.wait(self._random.uniform(*THINKING_TIME_S))
        is_early = self._random.random() < self._early_action_rate and self._act_too_early(hand)
        if is_early:
            environment.wait(self._random.uniform(*THINKING_TIME_S))
            assert environment.ground_truth.hand is not None
            hand = environment.ground_truth.hand
        if environment.ground_truth.street.spot_totals[seat] and environment.now_us < self._posted_us:
            environment.run_until(self._posted_us)
        while self._human_actions.is_moving(seat):
            environment.wait(0.3)
        chip_count = len(self._human_actions.wagered_uids(seat))
        self._perform_action(
            choose_action(
                hand, environment.ground_truth.street.spot_totals[seat], chip_count, self._random, is_passive=is_early
            )
        )

    def _act_too_early(self, hand: Hand) -> bool:
        """Let the next seat call out of turn, or bet the minimum if nothing is to call.

        Return False if the seat can do neither.
        """
        if len(hand.seats_to_act) < 2:
            return False
        seat, spot_total = hand.seats_to_act[1], self._environment.ground_truth.street.spot_totals[hand.seats_to_act[1]]
        total = total_to_match(hand, seat)
        if total <= hand.bets[seat]:
            allowed_range = bet_range(hand, seat)
            if allowed_range is None or hand.current_bet:
                return False
            total = allowed_range[0]
        total = min(total, hand.bets[seat] + hand.stacks[seat])
        if total <= spot_total or hand.bring_in_seat:
            return False
        self._environment.accuracy.record_early_action(seat)
        self._put_chips(seat, pick_chips(total - spot_total, hand.game.unit, MAX_CHIPS_ON_SPOT, self._random))
        return True

    def _perform_action(self, action: PlayerAction) -> None:
        """Perform an action of a player.

        For a fold, a check or an announced action, also plan when the dealer enters the action.
        """
        environment, seat, declaration = self._environment, action.declaration.seat, action.declaration.declaration
        environment.accuracy.record_action(seat)
        if not action.chips:
            environment.apply_to_truth(action.declaration)
            environment.last_action_us[seat] = environment.now_us
            if declaration.kind == "fold":
                self._human_actions.fold(seat, environment.now_us)
            else:
                self._human_actions.check(seat, environment.now_us)
            self._dealer.key_action("fold" if declaration.kind == "fold" else "check-call", seat)
            return
        if action.is_spoken:
            environment.apply_to_truth(hand_steps.SpeaksOnly(seat, declaration))
            self._dealer.schedule_touch(
                self._random.uniform(*SPOKEN_ACTION_KEY_DELAY_S), lambda: self._key_spoken_action(seat, declaration)
            )
        self._put_chips(seat, action.chips)

    def _put_chips(self, seat: int, chips: tuple[int, ...]) -> None:
        """Put chips on the seat's spot, and wait until all these chips are on the spot."""
        environment = self._environment
        wager = environment.accuracy.start_wager(seat, environment.now_us)
        environment.last_action_us[seat] = environment.now_us
        before = self._human_actions.wagered_uids(seat)
        done_us = self._human_actions.bet(seat, chips, environment.now_us)
        environment.apply_to_truth(hand_steps.MovesChips(seat, chips))
        environment.schedule(done_us, lambda: environment.accuracy.record_landing(wager, before, environment.now_us))
        environment.run_until(done_us)
        environment.last_action_us[seat] = environment.now_us

    def _key_spoken_action(self, seat: int, declaration: Declaration) -> None:
        """Enter an action that a player has announced.

        The table may already have interpreted the player's chips as another action. In this case enter that the player
        announced the action before the chips.
        """
        environment, hand = self._environment, self._environment.table.hand
        environment.tally.touches += 1
        if hand is not None and hand.turn == seat:
            environment.touch(hand_steps.SpeaksOnly(seat, declaration))
        elif seat in environment.table.street.last_motions:
            environment.touch(hand_steps.SpokeBeforeChips(seat, declaration))

    # --- the end of a round ---

    def _close_round(self, hand: Hand) -> bool:
        """Sweep the bets, and then deal the next street or award the pots.

        Return False if the live table cannot be corrected.
        """
        environment, dealer, style = self._environment, self._dealer, self._dealer.style
        is_last = hand.is_last_round or len(hand.live_seats) < 2
        while environment.now_us < self._posted_us:
            environment.run_until(self._posted_us)
        if style.waits_for_screen:
            self._catch_up()
        bets = [seat for seat in hand.dealt_seats if self._human_actions.wagered_amount(seat)]
        if bets:
            environment.wait(self._random.uniform(*style.sweep_delay_s))
            for seat in hand.dealt_seats:
                if balances.due_back(environment.ground_truth, seat):
                    return_chips(environment, seat)
            environment.trace(f"SWEEP {bets}")
            done_us = self._human_actions.sweep(tuple(bets), environment.now_us)
            environment.are_bets_swept = True
            environment.run_until(done_us)
        environment.wait(self._random.uniform(*AFTER_SWEEP_DELAY_S))
        dealer.flush_keys()
        if style.look_interval_s is not None:
            self._catch_up()
        is_dealt = not is_last and self._deal_street()
        if not is_dealt and not _is_closed(environment.table):
            self._catch_up()
            is_dealt = not is_last and self._deal_street()
        can_continue = self._compare_with_truth(hand, is_dealt) and (is_last or is_dealt or self._deal_street())
        dealer.end_street()
        environment.last_action_us.clear()
        environment.are_bets_swept = False
        if not can_continue:
            return False
        if is_last:
            return self._award()
        self._apply_to_truth(hand_steps.DealsStreet())
        environment.wait(self._random.uniform(*STREET_DEAL_S))
        return True

    def _deal_street(self) -> bool:
        """Enter that the next street is dealt. Return False if the table refuses this step."""
        return self._environment.touch(hand_steps.DealsStreet()).refusal is None

    def _compare_with_truth(self, truth: Hand, is_dealt: bool) -> bool:
        """Count the errors of the round, and let the floor correct the live table. Return False if this fails.

        `is_dealt` is True if the live table has already dealt the next street. The deal is then undone before the
        correction, and repeated after it.
        """
        environment, table = self._environment, self._environment.table.hand
        if table is None or environment.table.hands_started != environment.ground_truth.hands_started:
            environment.accuracy.has_error = True
            return False
        disturbances = {seat: environment.disturbances(seat) for seat in truth.dealt_seats}
        environment.accuracy.end_round(
            truth, table, () if is_dealt else table.seats_to_act, environment.now_us, disturbances
        )
        is_same = all(table.contributed(seat) == truth.contributed(seat) for seat in truth.dealt_seats)
        if is_same and table.folded == truth.folded and (is_dealt or _is_closed(environment.table)):
            return True
        environment.trace(f"FLOOR table {_summary(environment.table)} truth {_summary(environment.ground_truth)}")
        environment.accuracy.has_error = True
        if not is_dealt:
            return floor_corrections.correct_round(environment)
        environment.touch(hand_steps.Undoes())
        return floor_corrections.correct_round(environment) and self._deal_street()

    def _catch_up(self) -> None:
        """Let the dealer answer questions until the screen shows the end of the round."""
        environment, dealer = self._environment, self._dealer
        deadline_us = environment.now_us + int(CATCH_UP_TIMEOUT_S * SECOND_US)
        while not _is_closed(environment.table) and environment.now_us < deadline_us:
            environment.wait(0.5)
            if not dealer.has_pending_keys:
                dealer.look_at_screen()

    # --- the end of a hand ---

    def _award(self) -> bool:
        """Award each pot to one winner or two, and push the chips."""
        environment = self._environment
        environment.wait(self._random.uniform(*STREET_DEAL_S))
        stacks_before = {
            seat: balances.stack_behind(environment.ground_truth, seat) for seat in environment.ground_truth.players
        }
        for pot in balances.pots_now(environment.ground_truth):
            is_split = self._random.random() < SPLIT_POT_RATE and len(pot.seats) > 1
            winners = tuple(sorted(self._random.sample(pot.seats, 2 if is_split else 1)))
            if not self._do_and_touch(hand_steps.AwardsPot(pot.name, winners)):
                environment.accuracy.has_error = True
                self._apply_to_truth(hand_steps.AwardsPot(pot.name, winners))
        gains = {
            seat: gain
            for seat, stack_before in stacks_before.items()
            if (gain := balances.stack_behind(environment.ground_truth, seat) - stack_before) > 0
        }
        environment.trace(f"PUSH {gains}")
        environment.run_until(self._human_actions.push_pot(gains, environment.now_us))
        return True


def _is_closed(table: Table) -> bool:
    """Return True if the betting of the round is closed."""
    hand = table.hand
    return hand is not None and hand.phase in (Phase.CLOSED, Phase.AWARDING, Phase.OVER)


def _summary(table: Table) -> str:
    """Return a short description of a table for the trace."""
    hand = table.hand
    if hand is None:
        return "no hand"
    return f"round {hand.round_number} bets {hand.bets} folded {sorted(hand.folded)} turn {hand.turn} {hand.phase.name}"
