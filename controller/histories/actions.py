"""The actions of a hand as a PHH file has them: the dealing, the betting in the order of the turns, the showdown.

Our table knows no cards: those of the players are unknown ("????"), and where a reader needs some to work out whose
turn it is, or who wins, cards stand in for those that lay there (`stand_in`).
"""

from __future__ import annotations

from collections import Counter

from controller.histories.cards import Winners
from controller.histories.played import Round, WholeHand
from controller.histories.stand_in import Contest, Street, board_for, hands_for, up_cards
from controller.rules import Act, Hand, Phase, Verb, pots, redo

_HOLE_CARDS = {"T": 2, "S": 2, "O": 4, "O/8": 4, "2L1D": 5, "2L3D": 5, "B": 4, "7S": 7, "7S/8": 7, "R": 7, "5S": 5}
_STREET_CARDS = (0, 3, 1, 1)
"""Board cards before each betting round of a flop game."""


class Actions:
    """Writes the actions of a hand, dealing and showdown among them. `letters` are the game's in the
    file's code, without its limit."""

    def __init__(self, played: WholeHand, letters: str) -> None:
        self.played = played
        self.letters = letters
        self.game = played.showdown.game
        self.player = {seat: f"p{number}" for number, seat in enumerate(played.over.order, 1)}
        self.folded: set[int] = set()
        self.found: list[str] = []
        self.dealt = Counter[int]()
        """By seat, its cards until now; not those that it drew."""
        self.streets_dealt: list[str] = []
        """The board's cards, street by street."""
        self.shows: dict[int, str] = {}
        """By seat, the cards that it shows."""
        self.contests = _contests(played)
        self.board = board_for(letters, any(contest.winners.low for contest in self.contests))
        self.down = len(self.game.kind.rounds) - 3
        """Stud: cards that are dealt face down before the first up card, two of seven and one of five."""
        self.up = up_cards(self.game.variant, self.streets()) if self.game.kind.by_board else []
        self.shown = self.hands()

    def lines(self) -> list[str]:
        """All actions. Where nobody could bet any more, hands are shown before the last cards of the board are dealt;
        those of other games are not whole before."""
        showdown = len(self.played.showdown.live) > 1 and bool(self.played.awards)
        early = self.game.kind.by_flop and len(self.played.showdown.active) < 2
        played = self.played.rounds
        last = max((number for number, round_played in played.items() if round_played.opening), default=1)
        for number in range(1, (len(self.game.kind.rounds) if showdown else last) + 1):
            if showdown and early and number == last + 1:
                self.show(early=True)
                showdown = False
            self.deal(number - 1)
            if number in played:
                self.bet(played[number])
            elif number < min(played, default=0):
                self.pass_by()
        if showdown:
            self.show(early=False)
        return self.found

    def streets(self) -> list[Street]:
        """The streets of a stud hand that were bet on."""
        streets: list[Street] = []
        gone: set[int] = set()
        for played in self.played.rounds.values():
            dealt = tuple(seat for seat in self.played.over.order if seat not in gone)
            opening = played.opening
            streets.append(
                Street(dealt, opening.active if opening else (), (opening.turn or None) if opening else None)
            )
            gone |= {act.seat for act in played.log if act.verb in (Verb.FOLD, Verb.DEAD)}
        return streets

    def hands(self) -> dict[int, tuple[str, ...]]:
        """By seat that won a pot others could have won, the cards that stand in for its own."""
        winners = sorted({seat for contest in self.contests for seat in (*contest.winners.high, *contest.winners.low)})
        board = self.board if self.game.kind.by_flop else ()
        blank = {seat: ["??"] * _HOLE_CARDS[self.letters] for seat in winners}
        for number, street in enumerate(self.up):
            for seat in set(winners) & set(street):
                blank[seat][number + self.down] = street[seat]
        gone = {card for street in self.up for card in street.values()}
        return hands_for(self.letters, board, blank, self.contests, gone) or {} if winners else {}

    def deal(self, number: int) -> None:
        """The cards before a betting round, counted from 0."""
        inside = [seat for seat in self.played.over.order if seat not in self.folded]
        if self.game.kind.by_flop and number:
            first = sum(_STREET_CARDS[:number])
            self.streets_dealt.append("".join(self.board[first : first + _STREET_CARDS[number]]))
            self.found.append(f"d db {self.streets_dealt[-1]}")
        elif not self.game.kind.by_board and number:
            self.found += [f"{self.player[seat]} sd" for seat in inside]
        else:
            for seat in inside:
                cards = self.stud_cards(number, seat) if self.game.kind.by_board else ["??"] * _HOLE_CARDS[self.letters]
                self.dealt[seat] += len(cards)
                self.found.append(f"d dh {self.player[seat]} {''.join(cards)}")

    def stud_cards(self, number: int, seat: int) -> list[str]:
        up = self.up[number].get(seat, "??") if number < len(self.up) else "??"
        return [up] if number else ["??"] * self.down + [up]

    def bet(self, played: Round) -> None:
        """The round's actions in the order of the turns: a fold out of turn is written when its turn comes."""
        if played.opening is None:
            return
        clean = played.opening
        early: set[int] = set()
        for act in played.log:
            if act.verb is Verb.DEAD:
                early.add(act.seat)
            elif act.verb is not Verb.TURN:
                clean = self.folds(clean, early)
                self.write(clean, act)
                clean = redo(clean, act)
        clean = self.folds(clean, early)
        for seat in sorted(early - self.folded):
            if seat not in clean.all_in:
                self.write(clean, Act(Verb.FOLD, seat))

    def pass_by(self) -> None:
        """A round that was not bet on, before the first that was (a bomb pot): a reader wants to see it checked."""
        asked = [seat for seat in self.played.over.order if seat not in self.played.started.all_in]
        self.found += [f"{self.player[seat]} cc" for seat in asked if len(asked) > 1]

    def folds(self, clean: Hand, early: set[int]) -> Hand:
        while clean.turn in early and clean.phase is Phase.BETTING:
            act = Act(Verb.FOLD, clean.turn)
            self.write(clean, act)
            clean = redo(clean, act)
        return clean

    def write(self, hand: Hand, act: Act) -> None:
        player = self.player[act.seat]
        if act.verb is Verb.WAGER:
            self.found.append(f"{player} cbr {act.total}")
        elif act.verb is Verb.FOLD:
            self.folded.add(act.seat)
            self.found.append(f"{player} f")
        else:
            self.found.append(f"{player} {'pb' if hand.bring_in == act.seat else 'cc'}")

    def show(self, early: bool) -> None:
        """Winners show their hands as far as they have been dealt. The others muck; but unseen they stay in where cards
        are to come (PokerKit deals none to a single hand) and where a pot is theirs alone."""
        winners = {seat for what in self.played.awards for seat in what.high}
        for seat in self.played.showdown.live:
            dealt = self.dealt[seat]
            if seat in self.shown:
                self.shows[seat] = "".join(self.shown[seat][:dealt])
            elif early or seat in winners:
                self.shows[seat] = "??" * dealt
            mucks = f"{self.player[seat]} sm"
            self.found.append(f"{mucks} {self.shows[seat]}" if seat in self.shows else mucks)


def _contests(played: WholeHand) -> list[Contest]:
    """The pots that more than one seat could win, and that cards of one board could divide so."""
    seats = {pot.name: pot.seats for pot in pots(played.showdown)}
    return [
        Contest(seats[what.pot], Winners(what.high, what.low))
        for what in played.awards
        if len(seats.get(what.pot, ())) > 1 and not (what.boards or what.shares or what.low_shares)
    ]
