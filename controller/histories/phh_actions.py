"""Write the actions of a PHH file: the dealing, the betting in the order of the turns, and the showdown.

The table does not know the players' cards, so they are written as unknown ("????"). However, a program that reads the
file may need cards to find the seat in turn, or the winner. For such a program, the module `stand_in_cards` chooses
cards.
"""

from __future__ import annotations

from collections import Counter

from controller.histories.card_ranking import can_rank_cards
from controller.histories.completed_hand import CompletedHand, PlayedRound
from controller.histories.pot_winners import Winners
from controller.histories.stand_in_cards import ContestedPot, StudStreet, choose_board, choose_hands, choose_up_cards
from controller.rules import (
    Hand,
    HandEvent,
    Phase,
    SeatAction,
    actions,
    pots,
)

_HOLE_CARDS = {"T": 2, "S": 2, "O": 4, "O/8": 4, "2L1D": 5, "2L3D": 5, "B": 4, "7S": 7, "7S/8": 7, "R": 7, "5S": 5}
"""Number of hole cards by game code, such as 2 for `T` (hold'em)."""
_STREET_CARDS = (0, 3, 1, 1)
"""Number of board cards before each betting round of a flop game."""


class ActionWriter:
    """A writer of the actions of a hand in a PHH file."""

    def __init__(self, played: CompletedHand, game_code: str) -> None:
        """Prepare to write a hand. `game_code` names the game without the limit, such as `T` for hold'em."""
        self.hand = played
        self.game_code = game_code
        self.game = played.showdown.game
        self.player_names = {seat: f"p{number}" for number, seat in enumerate(played.final_hand.dealt_seats, 1)}
        self.folded: set[int] = set()
        self.written: list[str] = []
        self.cards_dealt = Counter[int]()
        """Number of cards that each seat has been dealt so far. Replacements for discarded cards do not count."""
        self.board_streets: list[str] = []
        """The cards of the board, with one text for every street, such as the three cards of the flop."""
        self.hands_shown: dict[int, str] = {}
        """The cards that each seat shows at the showdown."""
        self.contests = _contested_pots(played)
        self.board = choose_board(game_code, any(contest.winners.low for contest in self.contests))
        self.down_cards = len(self.game.variant_rules.round_names) - 3
        """Number of stud cards that are dealt face down before the first upcard.

        Seven-card stud has two such cards, and five-card stud has one.
        """
        self.stud_up_cards = (
            choose_up_cards(self.game.variant, self.stud_streets()) if self.game.variant_rules.opener_by_cards else []
        )
        self.winning_hands = self.choose_winning_hands()

    def lines(self) -> list[str]:
        """Return the lines of all actions in the hand.

        When nobody can bet further in a flop game, the players show their hands before the rest of the board is dealt.
        In other games, the players still get cards of their own, so they show their hands at the end.
        """
        showdown = len(self.hand.showdown.live_seats) > 1 and bool(self.hand.awards)
        early = self.game.variant_rules.has_flop and len(self.hand.showdown.active_seats) < 2
        played = self.hand.rounds
        last_round = max((number for number, round_played in played.items() if round_played.start), default=1)
        for number in range(1, (len(self.game.variant_rules.round_names) if showdown else last_round) + 1):
            if showdown and early and number == last_round + 1:
                self.write_showdown(early=True)
                showdown = False
            self.write_deal(number - 1)
            if number in played:
                self.write_round(played[number])
            elif number < min(played, default=0):
                self.write_checked_round()
        if showdown:
            self.write_showdown(early=False)
        return self.written

    def stud_streets(self) -> list[StudStreet]:
        """Return the streets of a stud hand that had a betting round."""
        streets: list[StudStreet] = []
        folded: set[int] = set()
        for played_round in self.hand.rounds.values():
            dealt = tuple(seat for seat in self.hand.final_hand.dealt_seats if seat not in folded)
            start = played_round.start
            streets.append(
                StudStreet(dealt, start.active_seats if start else (), (start.turn or None) if start else None)
            )
            folded |= {
                action.seat for action in played_round.actions if action.event in (HandEvent.FOLD, HandEvent.DEAD_HAND)
            }
        return streets

    def choose_winning_hands(self) -> dict[int, tuple[str, ...]]:
        """Return the cards of each seat that won a contested pot, with chosen cards in place of unknown cards.

        Return an empty dict on a machine that cannot compare cards, such as an appliance. The winners then show unknown
        cards, and the file has the final stacks.
        """
        if not can_rank_cards():
            return {}
        winners = sorted({seat for contest in self.contests for seat in (*contest.winners.high, *contest.winners.low)})
        board = self.board if self.game.variant_rules.has_flop else ()
        cards_by_seat = {seat: ["??"] * _HOLE_CARDS[self.game_code] for seat in winners}
        for number, street in enumerate(self.stud_up_cards):
            for seat in set(winners) & set(street):
                cards_by_seat[seat][number + self.down_cards] = street[seat]
        unavailable = {card for street in self.stud_up_cards for card in street.values()}
        return choose_hands(self.game_code, board, cards_by_seat, self.contests, unavailable) or {} if winners else {}

    def write_deal(self, number: int) -> None:
        """Write the cards that are dealt before a betting round. `number` is 0 for the first round."""
        seats_in = [seat for seat in self.hand.final_hand.dealt_seats if seat not in self.folded]
        if self.game.variant_rules.has_flop and number:
            first = sum(_STREET_CARDS[:number])
            self.board_streets.append("".join(self.board[first : first + _STREET_CARDS[number]]))
            self.written.append(f"d db {self.board_streets[-1]}")
        elif not self.game.variant_rules.opener_by_cards and number:
            self.written += [f"{self.player_names[seat]} sd" for seat in seats_in]
        else:
            for seat in seats_in:
                cards = (
                    self.stud_cards(number, seat)
                    if self.game.variant_rules.opener_by_cards
                    else ["??"] * _HOLE_CARDS[self.game_code]
                )
                self.cards_dealt[seat] += len(cards)
                self.written.append(f"d dh {self.player_names[seat]} {''.join(cards)}")

    def stud_cards(self, number: int, seat: int) -> list[str]:
        """Return the cards that a seat is dealt before a betting round of stud.

        `number` is 0 for the first round.
        """
        upcard = self.stud_up_cards[number].get(seat, "??") if number < len(self.stud_up_cards) else "??"
        return [upcard] if number else ["??"] * self.down_cards + [upcard]

    def write_round(self, played: PlayedRound) -> None:
        """Write the actions of a round in the order of the turns.

        A fold out of turn is written as if the seat had folded when it was in turn.
        """
        if played.start is None:
            return
        replayed = played.start
        early: set[int] = set()
        for action in played.actions:
            if action.event is HandEvent.DEAD_HAND:
                early.add(action.seat)
            elif action.event is not HandEvent.GIVE_TURN:
                replayed = self.write_early_folds(replayed, early)
                self.write_act(replayed, action)
                replayed = actions.apply_unchecked(replayed, action)
        replayed = self.write_early_folds(replayed, early)
        for seat in sorted(early - self.folded):
            if seat not in replayed.all_in:
                self.write_act(replayed, SeatAction(HandEvent.FOLD, seat))

    def write_checked_round(self) -> None:
        """Write a check of every seat for a round that had no betting at the table.

        Programs that read the file expect a check of every seat, for example before the flop of a bomb pot.
        """
        seats = [seat for seat in self.hand.final_hand.dealt_seats if seat not in self.hand.started.all_in]
        self.written += [f"{self.player_names[seat]} cc" for seat in seats if len(seats) > 1]

    def write_early_folds(self, replayed: Hand, early: set[int]) -> Hand:
        """Write the early folds of the seats that are next in turn, and return the hand after these folds.

        `early` are the seats that folded out of turn.
        """
        while replayed.turn in early and replayed.phase is Phase.BETTING:
            action = SeatAction(HandEvent.FOLD, replayed.turn)
            self.write_act(replayed, action)
            replayed = actions.apply_unchecked(replayed, action)
        return replayed

    def write_act(self, hand: Hand, action: SeatAction) -> None:
        """Write one action of a seat."""
        player_name = self.player_names[action.seat]
        if action.event is HandEvent.WAGER:
            self.written.append(f"{player_name} cbr {action.total}")
        elif action.event is HandEvent.FOLD:
            self.folded.add(action.seat)
            self.written.append(f"{player_name} f")
        else:
            self.written.append(f"{player_name} {'pb' if hand.bring_in_seat == action.seat else 'cc'}")

    def write_showdown(self, early: bool) -> None:
        """Write the showdown: the winners show their cards, and the other players muck.

        A winner shows the cards that the export has chosen for it. These seats show unknown cards and do not muck:

        - All other live seats, if the showdown comes before the last street. If they mucked, only one hand would be
          left, and PokerKit would deal no more board cards.
        - The winner of an uncontested pot.
        """
        winners = {seat for award in self.hand.awards for seat in award.high}
        for seat in self.hand.showdown.live_seats:
            dealt = self.cards_dealt[seat]
            if seat in self.winning_hands:
                self.hands_shown[seat] = "".join(self.winning_hands[seat][:dealt])
            elif early or seat in winners:
                self.hands_shown[seat] = "??" * dealt
            muck_line = f"{self.player_names[seat]} sm"
            self.written.append(f"{muck_line} {self.hands_shown[seat]}" if seat in self.hands_shown else muck_line)


def _contested_pots(played: CompletedHand) -> list[ContestedPot]:
    """Return the pots that several seats could win. Leave out pots that were awarded in parts or on several boards."""
    seats = {pot.name: pot.seats for pot in pots(played.showdown)}
    return [
        ContestedPot(seats[award.pot], Winners(award.high, award.low))
        for award in played.awards
        if len(seats.get(award.pot, ())) > 1 and not (award.boards or award.shares or award.low_shares)
    ]
