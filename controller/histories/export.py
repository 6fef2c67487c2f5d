"""A hand of our table as PHH text: for analysis tools, and to be replayed.

Our table knows no cards: those of the players are written as unknown ("????"). Board cards and the up cards of stud
stand in for those that lay there, because readers work out whose turn it is, and who wins, from them: the field
`_stand_in_cards` says so. What a reader cannot work out without cards stands in `finishing_stacks`. What PHH has no
place for is in fields that begin with an underscore: above all `_steps`, the steps of the hand as they happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from controller.config import BadInputError
from controller.histories.cards import Winners
from controller.histories.format import GAMES, LIMITS
from controller.histories.stand_in import BOARD, LOW_BOARD, Contest, hands_for, up_cards
from controller.rules import BEING_GIVEN, SEATS, Act, Game, Hand, Phase, Verb, pots, redo
from controller.scripts import STEP_US, Scene, happens, refused_words
from controller.table import Awards, Step, Table, line

READABLE = frozenset({"FT", "NT", "PO", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"})
"""Codes that PokerKit reads. A flop game with another one is written as hold'em: without cards they differ in name."""
_FLOP = ("holdem", "omaha", "omaha8")
_DRAW = ("draw", "triple-draw", "badugi")
_HOLE_CARDS = {"T": 2, "O": 4, "O/8": 4, "2L1D": 5, "2L3D": 5, "B": 4, "7S": 7, "7S/8": 7, "R": 7}
_STREET_CARDS = (0, 3, 1, 1)
"""Board cards before each betting round of a flop game."""


class Round(NamedTuple):
    """A betting round as it was played in the end."""

    opening: Hand | None
    """The hand as the round began; None where nobody had anything to decide."""
    log: tuple[Act, ...]


class WholeHand(NamedTuple):
    """A hand that was played to its end at our table."""

    started: Hand
    """Blinds, straddles and posts are in."""
    showdown: Hand
    """As it was before the first pot was given."""
    over: Hand
    rounds: tuple[Round, ...]
    awards: tuple[Awards, ...]
    warnings: tuple[str, ...]


class Cards(NamedTuple):
    """The cards with which the winners of a hand win, as `export` writes them."""

    shown: Mapping[int, str]
    """By seat."""
    board: tuple[str, ...]
    """Street by street."""


def cards_written(table: Table, steps: Sequence[Step]) -> Cards:
    """The cards of a hand as `export` writes it, under the same terms."""
    played = _whole_hand(table, steps)
    actions = _Actions(played, _code(played.showdown.game))
    actions.lines()
    return Cards(actions.shows, tuple(actions.streets_dealt))


def export(table: Table, steps: Sequence[Step], about: Mapping[str, Any] | None = None) -> str:
    """The hand as PHH text. `table` is the table before the step `hand`, or with the hand just started; `steps` are all
    of the hand, to the last award. `about` adds fields of the format (event, hand, year, currency …).

    Raises BadInputError where the steps are not one whole hand that was played to its end.
    """
    played = _whole_hand(table, steps)
    game = played.showdown.game
    code = _code(game)
    antes, trimmed = _antes(played)
    values: dict[str, Any] = {
        "variant": code,
        "ante_trimming_status": trimmed,
        "antes": _in_file(antes),
    }
    if game.kind.by_board:
        values["bring_in"] = game.bring_in
    else:
        values["blinds_or_straddles"] = _in_file(_blinds(table, played))
    if game.structure == "fixed-limit":
        values |= {"small_bet": game.bets[0], "big_bet": game.bets[-1]}
    else:
        values["min_bet"] = max(1, game.min_bet if game.structure != "spread-limit" else game.spread[0][0])
    order = played.over.order
    values["starting_stacks"] = [_brought(played.showdown, seat) for seat in order]
    values["actions"] = _Actions(played, code).lines()
    values["finishing_stacks"] = [max(0, played.over.stacks[seat]) for seat in order]
    values |= {"seats": list(order), "seat_count": SEATS}
    names = [table.players[seat].name for seat in order]
    if any(names):
        values["players"] = names
    values |= dict(about or {})
    values |= _own_fields(table, played, steps)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _whole_hand(table: Table, steps: Sequence[Step]) -> WholeHand:
    rounds: dict[int, Round] = {}
    warnings: list[str] = []
    scene = Scene(table)
    started = showdown = table.hand if table.playing else None
    for number, what in enumerate(steps, 1):
        scene, outcome = happens(scene, what, number * STEP_US)
        if outcome.refused is not None:
            raise BadInputError(f"step {number} ({line(what)}): {refused_words(outcome.refused)}")
        warnings += [f"{number}: {code}" for code in outcome.warnings]
        hand = scene.table.hand
        if hand is None or hand.phase in BEING_GIVEN:
            continue
        showdown = hand
        if hand.round == 1 and not hand.started:
            started = hand
        rounds = {number: done for number, done in rounds.items() if number < hand.round}
        rounds[hand.round] = Round(hand.opening, hand.log)
    over = scene.table.hand
    if over is None or started is None or showdown is None or over.phase is not Phase.OVER:
        raise BadInputError("steps: expected a whole hand, to its last award")
    if not any(over.given):
        raise BadInputError("steps: the hand was called off, nothing was won")
    awards = tuple(what for what in steps if isinstance(what, Awards))
    in_order = tuple(rounds[number] for number in sorted(rounds))
    return WholeHand(started, showdown, over, in_order, awards, tuple(warnings))


def _brought(hand: Hand, seat: int) -> int:
    """What the seat brought to the hand: what it has left and all that it put in."""
    return max(1, hand.contributed(seat) + max(0, hand.stacks[seat]))


def _code(game: Game) -> str:
    limit = next((letter for letter, structure in LIMITS.items() if structure == game.structure), "N")
    code = limit + next(letters for letters, variant in GAMES.items() if variant == game.variant)
    if code in READABLE or game.variant not in _FLOP:
        return code
    return "FT" if limit == "F" else "NT"


def _antes(played: WholeHand) -> tuple[list[int], bool]:
    """Antes by seat in order, dead posts among them; and whether they are to be matched (each pays the same)."""
    hand = played.started
    each = hand.game.ante if hand.game.ante_by == "each" else 0
    antes = [each + hand.dead[seat] for seat in hand.order]
    return antes, not any(hand.dead)


def _blinds(table: Table, played: WholeHand) -> list[int]:
    """Blinds and straddles by seat in order; posts and kill blinds are negative: they move nobody's turn."""
    hand = played.started
    blinds = []
    for seat in hand.order:
        posted = hand.blinds[seat]
        owed = dict(table.carried.placed.blinds).get(seat, 0) if table.playing else 0
        forced = seat in (hand.small_blind, hand.big_blind, *hand.straddles) or owed
        short = seat in hand.all_in and seat == hand.big_blind
        blinds.append(max(posted, hand.game.big_blind if short else owed) * (1 if forced else -1))
    return blinds


def _in_file(amounts: list[int]) -> list[int]:
    """Heads-up, the file names what the button posts first."""
    return amounts[::-1] if len(amounts) == 2 else amounts


# --- the actions ---


class _Actions:
    """Writes the actions of a hand, dealing and showdown among them."""

    def __init__(self, played: WholeHand, code: str) -> None:
        self.played = played
        self.code = code
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
        self.board = LOW_BOARD if any(contest.winners.low for contest in self.contests) else BOARD
        self.up = up_cards(self.game.variant, self.streets()) if self.game.kind.by_board else []
        self.shown = self.hands()

    def lines(self) -> list[str]:
        """All actions. Where nobody could bet any more, hands are shown before the last cards of the board are dealt;
        those of other games are not whole before."""
        showdown = len(self.played.showdown.live) > 1
        early = self.game.variant in _FLOP and len(self.played.showdown.active) < 2
        last = max((number for number, played in enumerate(self.played.rounds) if played.opening), default=0)
        rounds = len(self.game.kind.rounds) if showdown else last + 1
        for number in range(rounds):
            if showdown and early and number == last + 1:
                self.show(early=True)
                showdown = False
            self.deal(number)
            if number < len(self.played.rounds):
                self.bet(self.played.rounds[number])
        if showdown:
            self.show(early=False)
        return self.found

    def streets(self) -> list[tuple[list[int], int | None]]:
        """By street of a stud hand that was bet on: who is dealt a card, and who of them opens."""
        streets: list[tuple[list[int], int | None]] = []
        gone: set[int] = set()
        for played in self.played.rounds:
            dealt = [seat for seat in self.played.over.order if seat not in gone]
            streets.append((dealt, (played.opening.turn or None) if played.opening else None))
            gone |= {act.seat for act in played.log if act.verb in (Verb.FOLD, Verb.DEAD)}
        return streets

    def hands(self) -> dict[int, tuple[str, ...]]:
        """By seat that won a pot others could have won, the cards that stand in for its own."""
        winners = sorted({seat for contest in self.contests for seat in (*contest.winners.high, *contest.winners.low)})
        board = self.board if self.game.variant in _FLOP else ()
        blank = {seat: ["??"] * _HOLE_CARDS[self.code[1:]] for seat in winners}
        for number, street in enumerate(self.up):
            for seat in set(winners) & set(street):
                blank[seat][number + 2] = street[seat]
        gone = {card for street in self.up for card in street.values()}
        return hands_for(self.code[1:], board, blank, self.contests, gone) or {} if winners else {}

    def deal(self, number: int) -> None:
        """The cards before a betting round, counted from 0."""
        inside = [seat for seat in self.played.over.order if seat not in self.folded]
        if self.game.variant in _FLOP and number:
            first = sum(_STREET_CARDS[:number])
            self.streets_dealt.append("".join(self.board[first : first + _STREET_CARDS[number]]))
            self.found.append(f"d db {self.streets_dealt[-1]}")
        elif self.game.variant in _DRAW and number:
            self.found += [f"{self.player[seat]} sd" for seat in inside]
        else:
            for seat in inside:
                cards = (
                    self.stud_cards(number, seat) if self.game.kind.by_board else ["??"] * _HOLE_CARDS[self.code[1:]]
                )
                self.dealt[seat] += len(cards)
                self.found.append(f"d dh {self.player[seat]} {''.join(cards)}")

    def stud_cards(self, number: int, seat: int) -> list[str]:
        up = self.up[number].get(seat, "??") if number < len(self.up) else "??"
        return [up] if number else ["??", "??", up]

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
    """The pots that more than one seat could win."""
    seats = {pot.name: pot.seats for pot in pots(played.showdown)}
    return [
        Contest(seats[what.pot], Winners(what.high, what.low))
        for what in played.awards
        if len(seats.get(what.pot, ())) > 1
    ]


# --- what PHH has no place for ---


def _own_fields(table: Table, played: WholeHand, steps: Sequence[Step]) -> dict[str, Any]:
    hand = played.showdown
    own: dict[str, Any] = {
        "_variant": hand.game.variant,
        "_structure": hand.game.structure,
        "_house_rules": _house_rules(hand.game),
        "_button": hand.button,
        "_stand_in_cards": hand.game.variant not in _DRAW,
        "_steps": [line(what) for what in steps],
    }
    if played.warnings:
        own["_warnings"] = list(played.warnings)
    for key, amount in (("_rake", played.over.dropped), ("_jackpot", played.over.jackpot)):
        if amount:
            own[key] = amount
    if hand.unknown:
        own["_unknown_stacks"] = sorted(hand.unknown)
    return own


def _house_rules(game: Game) -> list[str]:
    """The keys of the game that are not as they would be by default, as `key = value`."""
    plain = {key: getattr(game, key) for key in ("variant", "structure", "blinds", "bets", "spread")}
    usual = Game(**plain)
    differing = [field.name for field in fields(Game) if getattr(game, field.name) != getattr(usual, field.name)]
    return [f"{name} = {getattr(game, name)}" for name in differing]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, str):
        escaped = "".join(_ESCAPES.get(char, char if char >= " " else f"\\u{ord(char):04x}") for char in value)
        return f'"{escaped}"'
    return str(value)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\x7f": "\\u007f"}
