"""What must hold of what a house allows or forbids: from what is seen, and from what has happened at the table before.

`History` keeps what the words of the contract ask for: who has won, who has left, what was said last.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.rules import Player, Verb
from controller.table import (
    Awards,
    ChangesSeat,
    Chops,
    Closes,
    Deals,
    Declares,
    FloorPlacesButton,
    Leaves,
    Moves,
    Opens,
    Redoes,
    Says,
    Sits,
    Skips,
    StartsBomb,
    StartsHand,
    Step,
    Straddles,
    Undoes,
    Voids,
)
from tests.controller.session_oracles import Moment, clockwise


class Wins(NamedTuple):
    """Who has won the last hands in a row, and how many; None where that is not known."""

    seat: int = 0
    row: int | None = 0
    counts: bool = False
    """The last hand was one of them."""
    given: tuple[frozenset[int], ...] = ()
    """Of the hand in progress, by pot, who was given of it."""


class Gone(NamedTuple):
    """Who has left: with what, and when."""

    player: Player
    minute: int


class History(NamedTuple):
    """What has happened at the table so far, as far as a later step depends on it."""

    wins: Wins = Wins()
    left: Mapping[str, Gone] = {}
    """By name, who is not at the table any more."""
    vacated: Mapping[int, Player] = {}
    """By seat, who has left it first since the last hand."""
    sure: bool = True
    """Nothing has been taken back since the last hand."""
    raising: int = 0
    """The seat whose bare "raise" was the last thing that anybody did."""

    def after(self, what: Step, before: Moment, now: Moment) -> "History":
        """After one more step that was done."""
        if isinstance(what, Undoes | Redoes | Voids | Skips | Opens | Closes | FloorPlacesButton):
            return History(Wins(row=None), sure=False)
        left, vacated = dict(self.left), dict(self.vacated)
        if isinstance(what, Leaves):
            player = before.table.players[what.seat]
            vacated.setdefault(what.seat, player)
            if player.name and not player.unknown:
                left[player.name] = Gone(player, before.table.minutes)
        elif isinstance(what, Sits):
            left.pop(what.name, None)
        elif isinstance(what, StartsHand | StartsBomb):
            vacated = {}
        return History(
            _wins(self.wins, what, before, now),
            left,
            vacated,
            self.sure or isinstance(what, StartsHand | StartsBomb),
            _raising(self.raising, what, before, now),
        )


def _wins(wins: Wins, what: Step, before: Moment, now: Moment) -> Wins:
    if isinstance(what, Leaves | ChangesSeat):
        return Wins(row=None)
    hand = before.table.hand
    if not isinstance(what, Awards) or hand is None:
        return wins._replace(given=()) if isinstance(what, StartsHand | StartsBomb | Chops) else wins
    named = what.boards or ()
    seats = frozenset(what.high) | frozenset(what.low) | {seat for won in named for seat in (*won.high, *won.low)}
    given = (*wins.given, seats)
    if now.table.playing:
        return wins._replace(given=given)
    put_in = {act.seat for act in hand.log if act.verb in (Verb.CALL, Verb.WAGER)}
    return _won(wins, frozenset().union(*given), put_in, hand.round)


def _won(wins: Wins, seats: frozenset[int], put_in: set[int], last: int) -> Wins:
    """After a hand whose pots these seats were given: who has put in what in its last round says whether it held more
    than blinds and antes, or leaves it open."""
    if len(seats) > 1:  # a split pot leaves the count; a side pot of another seat may be one or not
        return Wins(wins.seat, None)
    (seat,) = seats
    if seat != wins.seat:
        return Wins(seat, 1 if wins.seat or wins.row == 0 else None, counts=True)
    if wins.row is not None and put_in - seats:
        return Wins(seat, wins.row + 1, counts=True)
    return Wins(seat, wins.row if last == 1 and not put_in else None)


def _raising(raising: int, what: Step, before: Moment, now: Moment) -> int:
    """Whose bare "raise" may still be put forward in one more motion."""
    if isinstance(what, Declares | Says):
        words = what.declaration
        is_bare = words.kind == "raise" and not words.amount and before.shown["turn"] == what.seat
        return what.seat if is_bare and _owes_or_has(what.seat, before, now) else 0
    return raising if isinstance(what, Moves) and what.seat == raising and what.forward and not what.back else 0


def _owes_or_has(seat: int, before: Moment, now: Moment) -> bool:
    """The seat's words have made a larger bet."""
    return bool({"bet", "raise"} & set(before.shown["may"])) and not now.shown["held"].get(str(seat))


# --- the start of a hand ---


def _known(moment: Moment) -> bool:
    return None not in moment.shown["stacks"].values()


def a_short_big_blind_pays_in_the_order_of_the_house(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`ante_order`: what comes first out of a big blind too short for both, the ante or the blind."""
    hand, game = now.table.hand, now.game
    if not isinstance(what, StartsHand) or hand is None or game.ante_by != "big-blind" or not _known(before):
        return
    seat = now.table.carried.placed.big_place
    if seat not in hand.order or seat in (hand.killer, hand.rock) or game.ante % game.unit or not game.blinds:
        return
    plays = before.of("stacks", seat) // game.unit * game.unit
    blind = dict(now.table.carried.placed.blinds)[seat]
    if game.ante_order == "ante":
        plays -= min(game.ante, plays)
    assert now.of("blinds", seat) == min(blind, plays), f"the big blind posts {now.of('blinds', seat)} of {plays}"


def a_kill_is_owed_for_wins_in_a_row(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`kill`: who wins that many hands in a row, and each further one, owes it in the next."""
    hand, kill, wins = now.table.hand, now.game.kill, past.wins
    if not isinstance(what, StartsHand) or hand is None or kill is None or not kill.wins or kill.pot:
        return
    last = before.table.hand
    if wins.row is None or not wins.seat or last is None or last.game.kill != kill or last.bomb:
        return
    if wins.row < kill.wins:
        assert not hand.killer, f"{wins} and a kill by seat {hand.killer}"
    elif wins.counts and wins.seat in hand.order and hand.big_blind:
        assert hand.killer == wins.seat, f"{wins} and no kill"


def the_rock_is_posted_under_the_gun(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`rock`: under the gun its straddle of twice the big blind is posted by itself."""
    hand, rock = now.table.hand, before.table.carried.rock
    placed = now.table.carried.placed
    if not isinstance(what, StartsHand) or hand is None or not rock or not _known(before) or hand.killer:
        return
    if rock not in hand.order or not placed.big_place or len(hand.order) < 3 or placed.bought:
        return
    way = [seat for seat in (*clockwise(placed.big_place, placed.big_place), placed.big_place) if seat in hand.order]
    unit, ante = now.game.unit, now.game.ante if now.game.ante_by == "each" else 0
    if way[0] != rock or ante or rock in dict(placed.blinds):
        return
    owed = min(2 * now.game.big_blind, before.of("stacks", rock) // unit * unit)
    assert now.of("blinds", rock) == owed, f"the rock posts {now.of('blinds', rock)}"


def the_rock_stays_where_it_is_not_posted(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`rock`: who wins a pot that it was posted in takes it."""
    hand = before.table.hand
    if not isinstance(what, Awards) or hand is None or not before.game.rock or what.pot != "main":
        return
    old, new = before.table.carried.rock, now.table.carried.rock
    if not hand.rock:
        assert new == old
    elif not what.boards and not what.low and len(what.high) == 1:
        assert new == what.high[0]


# --- in a hand ---


def the_small_blind_counts_as_big(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`small_blind_counts_as_big`: pot-limit: for every seat but the small blind's own, the maximum counts the small
    blind as a big blind until the big blind has acted in the first round."""
    hand, game, turn = now.table.hand, now.game, now.shown["turn"]
    if not isinstance(what, StartsHand) or hand is None or not game.small_blind_counts_as_big or not turn:
        return
    placed, small = now.table.carried.placed, game.blinds[0]
    posted = sorted(now.shown["blinds"].values())
    if posted != [small, game.big_blind] or game.ante_by == "each" or turn in placed.small or not _known(now):
        return
    if len(hand.order) < 3:
        return
    most = game.big_blind + 2 * game.big_blind + game.big_blind - now.of("bets", turn)
    most = most // game.unit * game.unit
    shown = now.shown["max_raise_to"]
    if shown is not None:
        assert shown == min(most, now.of("stacks", turn) // game.unit * game.unit + now.of("bets", turn))


def a_straddle_of_the_button(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`button_straddle`: who then acts first, the small blind or as without it, the button last of all; nobody
    straddles over it."""
    hand, game = now.table.hand, now.game
    if not isinstance(what, Straddles) or hand is None or before.table.hand is None or game.button_straddle == "none":
        return
    assert hand.button not in before.table.hand.straddles, "over the button's straddle"
    if what.seat != hand.button or game.straddle != "none" or hand.killer or what.seat in hand.all_in:
        return
    start = hand.button if game.button_straddle == "small-blind" else now.table.carried.placed.big_place
    way = [seat for seat in (*clockwise(start, start), start) if seat in hand.active and seat != what.seat]
    assert way and now.shown["turn"] == way[0], f"{now.shown['turn']} acts first, not {way}"
    assert hand.pending[-1] == what.seat, "the button does not act last"


def a_sweep_takes_those_left_for_checked_or_folded(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`deal closing`: confirms that those left to act have checked, or folded to a bet; who is away folds by itself."""
    turn = before.shown["turn"]
    if not isinstance(what, Deals) or not what.closing or not turn or before.shown["held"]:
        return
    said = now.shown["presumed"].get(str(turn))
    assert said == ("fold" if before.shown["to_call"] else "check"), f"seat {turn} has {said}"
    hand = before.table.hand
    assert hand is not None
    folded = {int(seat) for seat, done in now.shown["presumed"].items() if done == "fold"}
    folded |= {seat for seat in now.shown["folded"] if before.table.players[seat].away}
    goes_on = not hand.last_round and len(set(hand.live) - folded) > 1
    assert now.shown["round"] == before.shown["round"] + goes_on


def motions_after_a_raise_add_up(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`raise_in_motions`: after a bare "raise", its motions add up until the next seat acts or the step `done`."""
    if not isinstance(what, Moves) or past.raising != what.seat or not what.forward or what.back:
        return
    if now.game.raise_in_motions:
        assert "string-bet" not in now.shown["warnings"], "a motion of a raise is a string bet"


# --- between hands ---


def who_sits_in_stead_pays_what_the_other_would(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`in-stead`: for one who has left this seat since the last hand, whose blinds it pays as if nobody had left."""
    if not isinstance(what, Sits) or not what.in_stead or not past.sure:
        return
    assert what.seat in past.vacated, "in-stead of nobody"
    one, other = now.table.players[what.seat], past.vacated[what.seat]
    assert (one.new, one.big_owed, one.small_owed, one.ante_owed, one.waits) == (
        *(other.new, other.big_owed, other.small_owed, other.ante_owed),
        other.waits,
    )


def who_returns_brings_it_back(what: Step, past: History, before: Moment, now: Moment) -> None:
    """`return_minutes`: after so long who has left may return with any buy-in; before, with what was taken away."""
    if not isinstance(what, Sits) or what.transfer or what.name not in past.left:
        return
    gone, minutes = past.left[what.name], before.game.return_minutes
    if not minutes or before.table.minutes - gone.minute < minutes:
        assert what.amount >= gone.player.stack, f"{what.name} took {gone.player.stack} away"


HOUSE: tuple[Callable[[Step, History, Moment, Moment], None], ...] = (
    a_short_big_blind_pays_in_the_order_of_the_house,
    a_kill_is_owed_for_wins_in_a_row,
    the_rock_is_posted_under_the_gun,
    the_rock_stays_where_it_is_not_posted,
    the_small_blind_counts_as_big,
    a_straddle_of_the_button,
    a_sweep_takes_those_left_for_checked_or_folded,
    motions_after_a_raise_add_up,
    who_sits_in_stead_pays_what_the_other_would,
    who_returns_brings_it_back,
)
