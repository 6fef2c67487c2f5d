"""Steps of a hand: actions of the players and of the dealer from the first bet to the last award.

`script_language.py` parses and prints them, and the reducer applies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from controller.rules import MAX_BOARDS, BoardWinners
from controller.steps.award_format import AWARD, unequal_shares, winners_of_boards
from controller.steps.base import NewStep, SeatAmountStep, SeatBefore, SeatStep, Step, Verb, WordFormat, Words
from controller.steps.declaration import DECLARATION, Declaration
from controller.steps.word_formats import (
    AMOUNT,
    NO_WORDS,
    SEAT,
    count_up_to,
    optional_word,
    parse_chips,
    seat_and_amount,
)


def _parse_chips_forward(new: NewStep, seat: SeatBefore, words: Words) -> Step:
    """Return the step for a line such as `3 chips 25 25` or `3 chips 25 back 5`."""
    if "back" not in words:
        return new(*seat, parse_chips(words))
    back_position = words.index("back")
    return new(*seat, parse_chips(words[:back_position]), parse_chips(words[back_position + 1 :]))


def _format_motion(step: Any) -> str:
    """Return the words for chips that a seat puts in and takes back, such as `25 back 5`."""
    back = ["back"] if step.forward and step.back else []
    return " ".join(map(str, [*step.forward, *back, *step.back]))


_MOTION: Final = WordFormat(_parse_chips_forward, _format_motion)
TAKES: Final = WordFormat(lambda new, seat, words: new(*seat, back=parse_chips(words)), _format_motion)
"""Format of `3 takes 5`, the second form of a motion."""


# --- actions of the seats ---


@dataclass(frozen=True, slots=True)
class Declares(SeatStep):
    """`3 raise to 60`: the seat declares an action and will put in the chips that the words name.

    The chips follow in a step of their own.
    """

    verb: ClassVar[Verb] = Verb("act", DECLARATION, summary="declares", follows_seat=True)

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class SpeaksOnly(SeatStep):
    """`3 says raise to 60`: the seat declares an action, but has not put in chips yet."""

    verb: ClassVar[Verb] = Verb("says", DECLARATION, summary="says", follows_seat=True)

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class SpokeBeforeChips(SeatStep):
    """`3 said raise`: the dealer heard these words before the seat last moved chips."""

    verb: ClassVar[Verb] = Verb("said", DECLARATION, summary="heard", follows_seat=True)

    declaration: Declaration


@dataclass(frozen=True, slots=True)
class CorrectsWager(SeatAmountStep):
    """`3 was 40`: the last bet or raise of seat 3 in this round was really 40."""

    verb: ClassVar[Verb] = Verb("was", AMOUNT, summary="was-another", follows_seat=True)


@dataclass(frozen=True, slots=True)
class PaysOwedChips(SeatStep):
    """`3 in`: seat 3 has put in the chips that it owed."""

    verb: ClassVar[Verb] = Verb("in", NO_WORDS, summary="puts-in", follows_seat=True)


@dataclass(frozen=True, slots=True)
class AllPayOwedChips(Step):
    """`bets-in`: all seats have put in the chips that they owed."""

    verb: ClassVar[Verb] = Verb("bets-in", NO_WORDS, summary="all-put-in")


@dataclass(frozen=True, slots=True)
class MovesChips(SeatStep):
    """`3 chips 25 25`, `3 takes 5`, `3 chips 25 back 5`: seat 3 puts in chips, takes chips back, or both at once."""

    verb: ClassVar[Verb] = Verb("chips", _MOTION, summary="moves", follows_seat=True, undo_policy="joined")

    forward: tuple[int, ...] = ()
    back: tuple[int, ...] = ()

    @property
    def net_amount(self) -> int:
        """Return the change of the total on the seat's spot. The change is negative if the seat takes chips back."""
        return sum(self.forward) - sum(self.back)


@dataclass(frozen=True, slots=True)
class EndsMotion(SeatStep):
    """`3 done`: seat 3 has put in all chips of its action, so that further chips are a separate action."""

    verb: ClassVar[Verb] = Verb("done", NO_WORDS, summary="ends-motion", follows_seat=True, is_idempotent=True)


@dataclass(frozen=True, slots=True)
class ReturnsChips(SeatStep):
    """`return 3`: the dealer gives seat 3 back the chips on its spot that do not play."""

    verb: ClassVar[Verb] = Verb("return", SEAT, summary="returns")


@dataclass(frozen=True, slots=True)
class MakesChange(SeatAmountStep):
    """`change 3 100`: chips for 100 on the spot of seat 3 are exchanged for other chips of the same value."""

    verb: ClassVar[Verb] = Verb("change", seat_and_amount(1), summary="exchanges", is_idempotent=True)


# --- actions of the dealer ---


@dataclass(frozen=True, slots=True)
class ActionOn(SeatStep):
    """`here 7`: the dealer shows that it is the turn of seat 7."""

    verb: ClassVar[Verb] = Verb("here", SEAT, summary="action-on", is_idempotent=True)


@dataclass(frozen=True, slots=True)
class NamesBringIn(SeatStep):
    """`bring-in 3`: seat 3 owes the bring-in, the forced bet of a stud game."""

    verb: ClassVar[Verb] = Verb("bring-in", SEAT, summary="names-bring-in")


@dataclass(frozen=True, slots=True)
class NamesFirstToAct(SeatStep):
    """`first 3`: seat 3 acts first in this round."""

    verb: ClassVar[Verb] = Verb("first", SEAT, summary="names-first")


@dataclass(frozen=True, slots=True)
class ShowsOpenPair(Step):
    """`open-pair`: in stud, a player's upcards show a pair on the second round, which allows a larger bet."""

    verb: ClassVar[Verb] = Verb("open-pair", NO_WORDS, summary="open-pair", is_idempotent=True)


@dataclass(frozen=True, slots=True)
class DealsStreet(Step):
    """`deal`, `deal closing`: the dealer sweeps the bets and deals the next street.

    With `closing`, the seats left to act count as having checked, or as having folded to a bet.
    """

    verb: ClassVar[Verb] = Verb("deal", optional_word("closing"), summary="deals")

    closes_betting: bool = False


@dataclass(frozen=True, slots=True)
class AwardsPot(Step):
    """`award main 3`, `award side1 2 5`, `award main high 1 low 1 3`, `award main 5*2 2`: the dealer awards a pot."""

    verb: ClassVar[Verb] = Verb("award", AWARD, summary="awards")

    pot: str
    high: tuple[int, ...]
    low: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()
    """Numbers of shares of the seats in `high`, in the same order. Empty if each seat has one share."""
    low_shares: tuple[int, ...] = ()
    boards: tuple[BoardWinners, ...] = ()
    """Winners by board if the pot is awarded by board. `high` and `low` then have the winners on all boards."""

    @property
    def board_winners(self) -> tuple[BoardWinners, ...]:
        """Return the winners by board. The result has one entry if the pot is awarded as a whole."""
        return self.boards or (BoardWinners(self.high, self.low, self.shares, self.low_shares),)


def award_to_winners(pot: str, boards: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> AwardsPot:
    """Return the award of a pot to these winners.

    `boards` has the winners of the high half and of the low half, for each board. A pot without a low half has an empty
    tuple in its place. A seat that is listed twice has two shares. Example: ((5, 5, 2), ()) gives seat 5 two thirds.
    """
    winners = tuple(_board_winners(Counter(high), Counter(low)) for high, low in boards)
    return AwardsPot(pot, *winners[0]) if len(winners) == 1 else award_by_boards(pot, winners)


def _board_winners(high: Counter[int], low: Counter[int]) -> BoardWinners:
    """Return the winners of a board. `high` and `low` have the number of shares of each winner of that half."""
    return BoardWinners(tuple(high), tuple(low), unequal_shares(high.values()), unequal_shares(low.values()))


def award_by_boards(pot: str, boards: tuple[BoardWinners, ...]) -> AwardsPot:
    """Return the award of a pot by board, such as `award main board1 3 board2 5 6`."""
    return AwardsPot(pot, *winners_of_boards(boards), boards=boards)


@dataclass(frozen=True, slots=True)
class RunsMultipleBoards(Step):
    """`boards 2`: the remaining cards are dealt twice, each time for an equal part of every pot."""

    verb: ClassVar[Verb] = Verb("boards", count_up_to(MAX_BOARDS), summary="runs-boards", is_idempotent=True)

    count: int


@dataclass(frozen=True, slots=True)
class StartsBombPot(Step):
    """`bomb 20`: the next hand starts as a bomb pot, for which every player antes 20."""

    verb: ClassVar[Verb] = Verb("bomb", AMOUNT, summary="starts-bomb")

    amount: int


@dataclass(frozen=True, slots=True)
class StartsHand(Step):
    """`hand`: the next hand starts."""

    verb: ClassVar[Verb] = Verb("hand", NO_WORDS, summary="starts-hand")


@dataclass(frozen=True, slots=True)
class VoidsHand(Step):
    """`void`: the hand is cancelled because of a misdeal."""

    verb: ClassVar[Verb] = Verb("void", NO_WORDS, summary="voids")


@dataclass(frozen=True, slots=True)
class Undoes(Step):
    """`undo`: the last step that changed the table is taken back."""

    verb: ClassVar[Verb] = Verb("undo", NO_WORDS, summary="undoes", undo_policy="stays")


@dataclass(frozen=True, slots=True)
class Redoes(Step):
    """`redo`: the step that the last undo took back is applied again."""

    verb: ClassVar[Verb] = Verb("redo", NO_WORDS, summary="redoes", undo_policy="stays")


@dataclass(frozen=True, slots=True)
class SkipsHand(Step):
    """`skip`: the hand was played, but nobody recorded it."""

    verb: ClassVar[Verb] = Verb("skip", NO_WORDS, summary="skips")


@dataclass(frozen=True, slots=True)
class TakesDrop(Step):
    """`drop 5`: the dealer manually takes chips for the house out of the pot."""

    verb: ClassVar[Verb] = Verb("drop", AMOUNT, summary="takes-drop")

    amount: int


@dataclass(frozen=True, slots=True)
class TakesKitty(Step):
    """`kitty 5`: the dealer manually takes chips for the players' own expenses out of the pot."""

    verb: ClassVar[Verb] = Verb("kitty", AMOUNT, summary="takes-kitty")

    amount: int


@dataclass(frozen=True, slots=True)
class SplashesPot(Step):
    """`splash 50`: the house adds chips to the pot as a promotion."""

    verb: ClassVar[Verb] = Verb("splash", AMOUNT, summary="splashes")

    amount: int


@dataclass(frozen=True, slots=True)
class ChopsBlinds(Step):
    """`chop`: only the seats in the blinds are left in the hand, and they take their blinds back."""

    verb: ClassVar[Verb] = Verb("chop", NO_WORDS, summary="chops")


# --- before anyone acts ---


@dataclass(frozen=True, slots=True)
class PostsToEnter(SeatStep):
    """`3 post`: the player in seat 3 posts the blinds that are owed before entering or returning to the game."""

    verb: ClassVar[Verb] = Verb("post", NO_WORDS, summary="posts", follows_seat=True)


@dataclass(frozen=True, slots=True)
class BuysButton(SeatStep):
    """`3 buys-button`: seat 3, left of the button, posts both blinds and has the button in the next hand."""

    verb: ClassVar[Verb] = Verb("buys-button", NO_WORDS, summary="buys-button", follows_seat=True)


@dataclass(frozen=True, slots=True)
class Straddles(SeatAmountStep):
    """`3 straddle 20`: seat 3 posts a straddle of 20."""

    verb: ClassVar[Verb] = Verb("straddle", AMOUNT, summary="straddles", follows_seat=True)


@dataclass(frozen=True, slots=True)
class PostsKillBlind(SeatStep):
    """`kill 3`: seat 3 posts a kill blind that the table did not expect."""

    verb: ClassVar[Verb] = Verb("kill", SEAT, summary="kills")
