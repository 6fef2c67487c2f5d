"""What the dealer can do next, besides the actions of the seat in turn: each thing with the step that does it."""

from __future__ import annotations

from typing import Final

from controller.live import raising
from controller.presenter.hints import is_booked
from controller.presenter.known import Known
from controller.rules import (
    Hand,
    Phase,
    Pot,
    may_be_given,
    reject_chop,
    reject_open_pair,
    reject_run,
    uncalled,
)
from controller.table import (
    NO_OPENINGS,
    AllPutIn,
    Awards,
    BuysButton,
    Chops,
    Deals,
    EndsMotion,
    Kills,
    NamesBringIn,
    NamesFirst,
    OpenPair,
    PlaysGame,
    Posts,
    Returns,
    RunsBoards,
    StartsHand,
    Straddles,
    line,
)
from controller.view import Choice, Values

BEING_PAID: Final = frozenset({Phase.CLOSED, Phase.PAYING})
"""The betting of the round is over: pots may be given, as far as nobody can still bet for them."""


def next_steps(known: Known) -> tuple[Choice, ...]:
    """The likely ones first. Of the pots only those that need no choice are offered, the last side pot first."""
    hand = known.hand
    if hand is None:
        return _between_hands(known)
    backs = _backs(known, hand)
    if hand.phase is Phase.BRING_IN:
        names = [Choice(label="brings-in", do=line(NamesBringIn(n)), values=Values(seat=n)) for n in hand.active]
        return (*backs, *names, *_before_anyone_acts(known))
    if hand.phase is Phase.FIRST:
        names = [Choice(label="acts-first", do=line(NamesFirst(n)), values=Values(seat=n)) for n in hand.active]
        return (*backs, *names, *_open_pair(hand))
    if hand.phase not in BEING_PAID:
        return (
            *backs,
            *_open_raise(known),
            *_chop(known, hand),
            *_open_pair(hand),
            *_before_anyone_acts(known),
        )
    if _owes(known):
        return (Choice(label="all-is-in", do=line(AllPutIn())), *backs)
    sole = _sole_pots(known, hand)
    if hand.last_round or len(hand.live) < 2:
        return (*sole, *backs)
    street = Values(street=hand.round + 1, variant=known.game.variant)
    return (Choice(label="deal", do=line(Deals()), values=street), *sole, *backs, *_runs(hand))


def _owes(known: Known) -> bool:
    """True while chips are owed: till they are in, nothing is dealt or given."""
    return any(standing.owed for standing in known.standings.values())


def _between_hands(known: Known) -> tuple[Choice, ...]:
    if known.live.table.closed:
        return ()
    start = (Choice(label="next-hand", do=line(StartsHand())),) if known.why_no_hand is None else ()
    following = known.live.table.next_in_mix
    named = Choice(label="plays-game", do=line(PlaysGame(following)), values=Values(name=following))
    return (*start, named) if following else start


def _backs(known: Known, hand: Hand) -> tuple[Choice, ...]:
    return tuple(
        [
            Choice(label="push-back-to", do=line(Returns(seat)), values=Values(seat=seat, amount=due))
            for seat in hand.order
            if (due := known.standings[seat].due_back)
        ]
    )


# --- pots ---


def uncalled_in(hand: Hand, pot: Pot) -> int:
    """What of the pot nobody called; it is in the one that only its seat can win."""
    if hand.phase not in BEING_PAID or len(pot.seats) != 1:
        return 0
    (seat,) = pot.seats
    top = max([paid + bet for paid, bet in zip(hand.paid, hand.bets, strict=True)])
    return min(pot.amount, uncalled(hand)) if hand.paid[seat] + hand.bets[seat] == top else 0


def to_give(known: Known) -> str:
    """The pot that is to be given next: the last one that nobody can still bet for. Source: Robert's Rules, section 3
    (the showdown: side pots are given before the main pot)."""
    hand = known.hand
    if hand is None or hand.phase not in BEING_PAID or _owes(known):
        return ""
    return next((pot.name for pot in reversed(known.pots) if pot.amount and may_be_given(hand, pot)), "")


def _sole_pots(known: Known, hand: Hand) -> tuple[Choice, ...]:
    return tuple(
        [
            Choice(
                label="uncalled-back" if uncalled_in(hand, one) == one.amount else "award",
                do=line(Awards(one.name, one.seats)),
                values=Values(pot=one.name, amount=one.amount, seat=one.seats[0]),
            )
            for one in reversed(known.pots)
            if len(one.seats) == 1
        ]
    )


# --- in the betting ---


def _chop(known: Known, hand: Hand) -> tuple[Choice, ...]:
    """Taking the blinds back, where those left are in them and the house allows it."""
    table = known.live.table
    if hand.phase is not Phase.BETTING or hand.wagers or table.street.held:
        return ()
    refused = reject_chop(hand, table.carried.placed.posting)
    return (Choice(label="chops", do=line(Chops())),) if refused is None else ()


def _open_pair(hand: Hand) -> tuple[Choice, ...]:
    """An open pair, where it can be told and has not been."""
    can = not hand.open_pair and reject_open_pair(hand) is None
    return (Choice(label="open-pair", do=line(OpenPair())),) if can else ()


def _runs(hand: Hand) -> tuple[Choice, ...]:
    """How often the cards to come can be dealt, where the house offers it."""
    counts = range(2, hand.game.runs + 1) if hand.boards == 1 else ()
    return tuple(
        [
            Choice(label="runs-boards", do=line(RunsBoards(count)), values=Values(count=count))
            for count in counts
            if reject_run(hand, count) is None
        ]
    )


def _open_raise(known: Known) -> tuple[Choice, ...]:
    """A raise to which more motions may still add, until the next seat acts: the dealer can say that it is over."""
    table = known.live.table
    seat = raising(table) if any(said.open_amount for said in table.street.spoken.values()) else 0
    if not seat or known.standings[seat].owed:
        return ()
    return (Choice(label="motion-over", do=line(EndsMotion(seat)), values=Values(seat=seat)),)


def _may_owe(known: Known, seat: int) -> bool:
    """True where the seat may owe a kill that the book does not know of: the game says of no pot that it makes one, no
    pot was won since the table opened, or a kill button lies there. Else the kill was posted by itself.

    Source: table-scripts.md, Steps (`kill`)."""
    live, kill = known.live, known.game.kill
    by_itself = kill is not None and (kill.pot or kill.wins) and live.table.carried.streak.seat
    return not by_itself or ((seat, "kill") in known.lammers and not is_booked(live, seat, "kill"))


def _before_anyone_acts(known: Known) -> tuple[Choice, ...]:
    """Posts, straddles, kill blinds, and who buys the button."""
    if known.openings is NO_OPENINGS:
        return ()
    posts, straddles, kills, buys = known.openings
    return (
        *[Choice(label="posts", do=line(Posts(n)), values=Values(seat=n, amount=due)) for n, due in posts.items()],
        *[
            Choice(label="straddles", do=line(Straddles(n, least)), values=Values(seat=n, amount=least))
            for n, least in straddles.items()
        ],
        *[
            Choice(label="kills", do=line(Kills(n)), values=Values(seat=n, amount=due))
            for n, due in kills.items()
            if _may_owe(known, n)
        ],
        *[Choice(label="buys-button", do=line(BuysButton(n)), values=Values(seat=n)) for n in buys],
    )
