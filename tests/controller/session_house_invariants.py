"""Test that random sessions obey the options of a house.

The tests use the visible fields and the history of the table. `History` contains the earlier events on which these
options depend: wins, departures, and bare raises. A bare raise is the word "raise" without an amount.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.rules import HandEvent, Player
from controller.steps import Step, hand_steps, table_steps
from tests.controller.session_invariants import TableMoment, seats_between


class WinStreak(NamedTuple):
    """The seat that won the last hands, and how many hands it won in a row.

    The number of hands is `length`, which is None if the number is unknown.
    """

    seat: int = 0
    length: int | None = 0
    counts: bool = False
    """True if the last hand added to the number of wins."""
    given: tuple[frozenset[int], ...] = ()
    """Sets of the winning seats, one set for each pot that was awarded so far in this hand."""


class DepartedPlayer(NamedTuple):
    """A player who has left the table, and the minute of the session in which the player left."""

    player: Player
    minute: int


class History(NamedTuple):
    """Earlier events at the table that decide what later steps may do."""

    wins: WinStreak = WinStreak()
    departed: Mapping[str, DepartedPlayer] = {}
    """Players who have left the table, by the name of the player."""
    vacated: Mapping[int, Player] = {}
    """For each seat that was left since the last hand, the first player who left it."""
    is_known: bool = True
    """False if a step since the last hand, such as an undo, has made the history unreliable."""
    raising_seat: int = 0
    """Seat that declared "raise" without an amount and since then has only put in chips, or 0."""

    def after(self, step: Step, before: TableMoment, now: TableMoment) -> "History":
        """Return the history that includes one more accepted step."""
        if isinstance(
            step,
            hand_steps.Undoes
            | hand_steps.Redoes
            | hand_steps.VoidsHand
            | hand_steps.SkipsHand
            | table_steps.OpensTable
            | table_steps.ClosesTable
            | table_steps.FloorPlacesButton,
        ):
            return History(WinStreak(length=None), is_known=False)
        departed, vacated = dict(self.departed), dict(self.vacated)
        if isinstance(step, table_steps.LeavesTable):
            player = before.table.players[step.seat]
            vacated.setdefault(step.seat, player)
            if player.name and not player.stack_unknown:
                departed[player.name] = DepartedPlayer(player, before.table.elapsed_minutes)
        elif isinstance(step, table_steps.SitsDown):
            departed.pop(step.name, None)
        elif isinstance(step, hand_steps.StartsHand | hand_steps.StartsBombPot):
            vacated = {}
        return History(
            _wins_after(self.wins, step, before, now),
            departed,
            vacated,
            self.is_known or isinstance(step, hand_steps.StartsHand | hand_steps.StartsBombPot),
            _raising_seat_after(self.raising_seat, step, before, now),
        )


def _wins_after(streak: WinStreak, step: Step, before: TableMoment, now: TableMoment) -> WinStreak:
    if isinstance(step, table_steps.LeavesTable | table_steps.ChangesSeat):
        return WinStreak(length=None)
    hand = before.table.hand
    if not isinstance(step, hand_steps.AwardsPot) or hand is None:
        return (
            streak._replace(given=())
            if isinstance(step, hand_steps.StartsHand | hand_steps.StartsBombPot | hand_steps.ChopsBlinds)
            else streak
        )
    boards = step.boards or ()
    seats = frozenset(step.high) | frozenset(step.low) | {seat for won in boards for seat in (*won.high, *won.low)}
    given = (*streak.given, seats)
    if now.table.is_hand_in_progress:
        return streak._replace(given=given)
    put_in = {act.seat for act in hand.action_log if act.event in (HandEvent.CALL, HandEvent.WAGER)}
    return _streak_after_hand(streak, frozenset().union(*given), put_in, hand.round_number)


def _streak_after_hand(streak: WinStreak, seats: frozenset[int], put_in: set[int], last_round: int) -> WinStreak:
    """Return the streak of wins after a hand in which these seats won pots.

    `put_in` contains the seats that bet or called in the last betting round. A win of blinds and antes alone does not
    count for the streak. If nobody bet in the last round, the length of the streak becomes unknown, because somebody
    may have bet in an earlier round.
    """
    # Several winners have either split the main pot, so that the streak stays as it was, or have won different pots, so
    # that the streak changes. `seats` does not show which, so that the length of the streak is unknown afterwards.
    if len(seats) > 1:
        return WinStreak(streak.seat, None)
    (seat,) = seats
    if seat != streak.seat:
        return WinStreak(seat, 1 if streak.seat or streak.length == 0 else None, counts=True)
    if streak.length is not None and put_in - seats:
        return WinStreak(seat, streak.length + 1, counts=True)
    return WinStreak(seat, streak.length if last_round == 1 and not put_in else None)


def _raising_seat_after(raising_seat: int, step: Step, before: TableMoment, now: TableMoment) -> int:
    """Return the seat that may add more chips to a "raise" that it declared without an amount, or 0."""
    if isinstance(step, hand_steps.Declares | hand_steps.SpeaksOnly):
        declaration = step.declaration
        is_bare = declaration.kind == "raise" and not declaration.amount and before.shown["turn"] == step.seat
        return step.seat if is_bare and _is_raise_accepted(step.seat, before, now) else 0
    return (
        raising_seat
        if isinstance(step, hand_steps.MovesChips) and step.seat == raising_seat and step.forward and not step.back
        else 0
    )


def _is_raise_accepted(seat: int, before: TableMoment, now: TableMoment) -> bool:
    """Return True if the seat's declaration "raise" was accepted and does not wait for the seat's turn."""
    return bool({"bet", "raise"} & set(before.shown["may"])) and not now.shown["held"].get(str(seat))


# --- the start of a hand ---


def _are_stacks_known(moment: TableMoment) -> bool:
    return None not in moment.shown["stacks"].values()


def check_short_big_blind_order(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `ante_order`, which decides if a short big blind pays the ante or the blind first.

    A big blind is short if its stack does not cover ante and blind together.
    """
    hand, game = now.table.hand, now.game
    if (
        not isinstance(step, hand_steps.StartsHand)
        or hand is None
        or game.ante_by != "big-blind"
        or not _are_stacks_known(before)
    ):
        return
    seat = now.table.carry_over.placement.big_blind_position
    if (
        seat not in hand.dealt_seats
        or seat in (hand.kill_seat, hand.rock_seat)
        or game.ante % game.unit
        or not game.blinds
    ):
        return
    playable = before.by_seat("stacks", seat) // game.unit * game.unit
    blind = dict(now.table.carry_over.placement.blind_amounts)[seat]
    if game.ante_order == "ante":
        playable -= min(game.ante, playable)
    assert now.by_seat("blinds", seat) == min(blind, playable), (
        f"the big blind posts {now.by_seat('blinds', seat)}, but {playable} chips are left for it"
    )


def check_kill_after_consecutive_wins(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `kill`: a player who has won `kill.wins` hands in a row posts a kill in the next hand.

    The player posts another kill after each further win in a row.
    """
    hand, kill, wins = now.table.hand, now.game.kill, past.wins
    if not isinstance(step, hand_steps.StartsHand) or hand is None or kill is None or not kill.wins or kill.pot:
        return
    last = before.table.hand
    if wins.length is None or not wins.seat or last is None or last.game.kill != kill or last.bomb_ante:
        return
    if wins.length < kill.wins:
        assert not hand.kill_seat, f"seat {hand.kill_seat} posts a kill after only {wins}"
    elif wins.counts and wins.seat in hand.dealt_seats and hand.big_blind_seat:
        assert hand.kill_seat == wins.seat, f"no kill is posted after {wins}"


def check_rock_is_posted_under_the_gun(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `rock`, a token that forces its seat to straddle.

    If the seat with the rock is under the gun, it automatically posts a straddle of two big blinds.
    """
    hand, rock = now.table.hand, before.table.carry_over.rock_seat
    placement = now.table.carry_over.placement
    if (
        not isinstance(step, hand_steps.StartsHand)
        or hand is None
        or not rock
        or not _are_stacks_known(before)
        or hand.kill_seat
    ):
        return
    if (
        rock not in hand.dealt_seats
        or not placement.big_blind_position
        or len(hand.dealt_seats) < 3
        or placement.button_buyer
    ):
        return
    order = [
        seat
        for seat in (
            *seats_between(placement.big_blind_position, placement.big_blind_position),
            placement.big_blind_position,
        )
        if seat in hand.dealt_seats
    ]
    unit, ante = now.game.unit, now.game.ante if now.game.ante_by == "each" else 0
    if order[0] != rock or ante or rock in dict(placement.blind_amounts):
        return
    owed = min(2 * now.game.big_blind, before.by_seat("stacks", rock) // unit * unit)
    assert now.by_seat("blinds", rock) == owed, f"the rock posts {now.by_seat('blinds', rock)} instead of {owed}"


def check_rock_stays_if_not_posted(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `rock`, a token that the winner of the main pot receives.

    The winner receives the rock only if the straddle of the rock was posted in this hand. Otherwise the rock stays at
    its seat.
    """
    hand = before.table.hand
    if not isinstance(step, hand_steps.AwardsPot) or hand is None or not before.game.rock or step.pot != "main":
        return
    old, new = before.table.carry_over.rock_seat, now.table.carry_over.rock_seat
    if not hand.rock_seat:
        assert new == old
    elif not step.boards and not step.low and len(step.high) == 1:
        assert new == step.high[0]


# --- in a hand ---


def check_small_blind_counts_as_big(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `small_blind_counts_as_big`: the pot-limit maximum is computed as if the small blind were a big blind.

    The option applies in the first round until the big blind has acted, and to every seat except the small blind.
    """
    hand, game, turn = now.table.hand, now.game, now.shown["turn"]
    if not isinstance(step, hand_steps.StartsHand) or hand is None or not game.small_blind_counts_as_big or not turn:
        return
    placement, small = now.table.carry_over.placement, game.blinds[0]
    posted = sorted(now.shown["blinds"].values())
    if (
        posted != [small, game.big_blind]
        or game.ante_by == "each"
        or turn in placement.small_blind_seats
        or not _are_stacks_known(now)
    ):
        return
    if len(hand.dealt_seats) < 3:
        return
    max_total = game.big_blind + 2 * game.big_blind + game.big_blind - now.by_seat("bets", turn)
    max_total = max_total // game.unit * game.unit
    max_raise_to = now.shown["max_raise_to"]
    if max_raise_to is not None:
        assert max_raise_to == min(
            max_total, now.by_seat("stacks", turn) // game.unit * game.unit + now.by_seat("bets", turn)
        )


def check_button_straddle_order(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `button_straddle`: after a straddle of the button, the small blind or the usual seat acts first.

    The button acts last, and no other seat may straddle after the button.
    """
    hand, game = now.table.hand, now.game
    if (
        not isinstance(step, hand_steps.Straddles)
        or hand is None
        or before.table.hand is None
        or game.button_straddle == "none"
    ):
        return
    assert hand.button not in before.table.hand.straddle_seats, "a seat straddled over the button's straddle"
    if step.seat != hand.button or game.straddle != "none" or hand.kill_seat or step.seat in hand.all_in:
        return
    start = hand.button if game.button_straddle == "small-blind" else now.table.carry_over.placement.big_blind_position
    order = [seat for seat in (*seats_between(start, start), start) if seat in hand.active_seats and seat != step.seat]
    assert order and now.shown["turn"] == order[0], f"{now.shown['turn']} acts first, expected the first of {order}"
    assert hand.seats_to_act[-1] == step.seat, "the straddling button does not act last"


def check_closing_deal_confirms_actions(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify the step `deal closing`, which completes the missing actions of the round.

    Each seat that has not acted is presumed to check, or to fold if there is a bet to call. The seat of a player who is
    away folds.
    """
    turn = before.shown["turn"]
    if not isinstance(step, hand_steps.DealsStreet) or not step.closes_betting or not turn or before.shown["held"]:
        return
    presumed = now.shown["presumed"].get(str(turn))
    assert presumed == ("fold" if before.shown["to_call"] else "check"), f"seat {turn} is presumed to {presumed}"
    hand = before.table.hand
    assert hand is not None
    folded = {int(seat) for seat, action in now.shown["presumed"].items() if action == "fold"}
    folded |= {seat for seat in now.shown["folded"] if before.table.players[seat].is_away}
    has_next_round = not hand.is_last_round and len(set(hand.live_seats) - folded) > 1
    assert now.shown["round"] == before.shown["round"] + has_next_round


def check_raise_motions_add_up(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `raise_in_motions`, which allows a raise in several motions of chips.

    After the declaration "raise" without an amount, a second motion is not ruled a string bet. The motions add up until
    the next seat acts or until the step `done`.
    """
    if not isinstance(step, hand_steps.MovesChips) or past.raising_seat != step.seat or not step.forward or step.back:
        return
    if now.game.raise_in_motions:
        assert "string-bet" not in now.shown["warnings"], (
            "a motion that belongs to a declared raise was ruled a string bet"
        )


# --- between hands ---


def check_replacement_player_blinds(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `in-stead`, for a player who replaces one that left the seat since the last hand.

    The new player owes the same blinds as the player who left.
    """
    if not isinstance(step, table_steps.SitsDown) or not step.takes_over_blinds or not past.is_known:
        return
    assert step.seat in past.vacated, "in-stead was accepted, but nobody has left this seat"
    new_player, old_player = now.table.players[step.seat], past.vacated[step.seat]
    assert (
        new_player.is_new,
        new_player.big_blind_owed,
        new_player.small_blind_owed,
        new_player.ante_owed,
        new_player.hands_to_sit_out,
    ) == (
        *(old_player.is_new, old_player.big_blind_owed, old_player.small_blind_owed, old_player.ante_owed),
        old_player.hands_to_sit_out,
    )


def check_returning_player_buy_in(step: Step, past: History, before: TableMoment, now: TableMoment) -> None:
    """Verify `return_minutes`, the time after which a returning player may bring less chips.

    A player who returns earlier must bring at least the stack that this player took away.
    """
    if not isinstance(step, table_steps.SitsDown) or step.is_transfer or step.name not in past.departed:
        return
    departed, minutes = past.departed[step.name], before.game.return_minutes
    if not minutes or before.table.elapsed_minutes - departed.minute < minutes:
        assert step.amount >= departed.player.stack, (
            f"{step.name} left with {departed.player.stack}, but returned with less"
        )


def check_only_fills_and_credits_change_the_cage(
    step: Step, history: History, before: TableMoment, now: TableMoment
) -> None:
    """Verify that a fill or credit adds its amount and changes nothing else, and that no other step changes either."""
    old, new = before.table.cage_transfers, now.table.cage_transfers
    if isinstance(step, table_steps.FillsTray | table_steps.CreditsTray):
        is_fill = isinstance(step, table_steps.FillsTray)
        assert new == (old.fills + step.amount * is_fill, old.credits + step.amount * (not is_fill))
        changed = {name for name in before.shown if before.shown[name] != now.shown[name]}
        assert changed <= {"cage", "presumed", "warnings"}, f"a fill or credit changed {changed}"
    elif isinstance(step, table_steps.OpensTable):
        assert new == (0, 0)
    elif not isinstance(step, hand_steps.Undoes | hand_steps.Redoes):
        assert new == old


CHECKS: tuple[Callable[[Step, History, TableMoment, TableMoment], None], ...] = (
    check_short_big_blind_order,
    check_kill_after_consecutive_wins,
    check_rock_is_posted_under_the_gun,
    check_rock_stays_if_not_posted,
    check_small_blind_counts_as_big,
    check_button_straddle_order,
    check_closing_deal_confirms_actions,
    check_raise_motions_add_up,
    check_replacement_player_blinds,
    check_returning_player_buy_in,
    check_only_fills_and_credits_change_the_cage,
)
