"""Test that random sessions obey the rules of table-scripts.md and rulings.md.

The functions here use only the visible fields and the log of the round, not the functions under test. Each docstring
names the key or step that its function tests.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from controller.rules import BIG_BET_STRUCTURES, MAX_SEATS, Game, Hand, HandEvent, Phase
from controller.steps import Declaration, Step, hand_steps, table_steps
from controller.table import Table

RAISES = frozenset({"bet", "raise", "complete"})


class TableMoment(NamedTuple):
    """A table and its visible fields."""

    table: Table
    shown: dict[str, Any]

    @property
    def game(self) -> Game:
        """The game of the hand in progress, or of the next hand if no hand is in progress."""
        return self.table.game

    def by_seat(self, field: str, seat: int) -> int:
        """Return the seat's value in a field such as `bets`, or 0 if there is no value."""
        return int(self.shown[field].get(str(seat), 0) or 0)


def seats_between(start: int, end: int) -> tuple[int, ...]:
    """Return the seats clockwise between two seats, without the two seats themselves."""
    clockwise = [(start + offset - 1) % MAX_SEATS + 1 for offset in range(1, MAX_SEATS + 1)]
    return tuple(clockwise[: clockwise.index(end)])


# --- after an accepted step ---


def check_markers_change_by_marker_steps(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `markers`: only a step that gives or redeems a marker changes the debts, and by its amount."""
    old, new = (sum(moment.shown["markers"].values()) for moment in (before, after))
    if isinstance(step, table_steps.GivesMarker):
        assert new == old + step.amount
    elif isinstance(step, table_steps.RedeemsMarker):
        assert new == old - step.amount
    elif not isinstance(
        step,
        table_steps.LeavesTable
        | table_steps.ClosesTable
        | table_steps.SitsDown
        | hand_steps.VoidsHand
        | hand_steps.Undoes
        | hand_steps.Redoes
        | table_steps.FloorPlacesButton,
    ):
        assert new == old, f"the markers changed from {old} to {new} without a marker step"


def check_chop_returns_blinds(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `chop`, which returns the blinds to their seats without rake.

    The step is accepted only if the pot contains nothing but blinds.
    """
    if not isinstance(step, hand_steps.ChopsBlinds):
        return
    assert before.shown["round"] == 1 and len(before.shown["pots"][0]["seats"]) >= 2
    assert after.shown["pot"] == 0 and after.shown["accounts"] == before.shown["accounts"]
    if before.game.dead_small_blind:
        return
    assert before.shown["pot"] == sum(before.shown["bets"].values()) == sum(before.shown["blinds"].values())
    for seat in before.table.players:
        if before.shown["stacks"].get(str(seat), 0) is not None:
            assert after.by_seat("stacks", seat) == before.by_seat("stacks", seat) + before.by_seat("bets", seat)


def check_neutral_steps_change_nothing(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify that the steps `done`, `clock`, `boards` and `game` change no visible field of the hand."""
    if isinstance(step, hand_steps.EndsMotion | table_steps.TimePasses | hand_steps.RunsMultipleBoards) or (
        isinstance(step, table_steps.ChangesGame) and before.table.is_hand_in_progress
    ):
        step_fields: dict[str, Any] = {"warnings": [], "presumed": {}}
        old, new = ({**moment.shown, **step_fields} for moment in (before, after))
        assert old == new


def check_bare_amount_is_a_bet(
    step: Step, before: TableMoment, after: TableMoment, do: Callable[[Step], TableMoment]
) -> None:
    """Verify that an amount without a word is a bet if no bet spot has chips."""
    if not isinstance(step, hand_steps.Declares) or step.declaration.kind != "amount":
        return
    if before.shown["turn"] != step.seat or before.shown["to_call"] or before.shown["bets"] or before.shown["due_back"]:
        return
    bet = do(hand_steps.Declares(step.seat, Declaration("bet", step.declaration.amount)))
    assert after.shown == bet.shown, "an amount alone had another effect than a bet of this amount"


def check_deal_with_one_seat_left(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `deal closing` if only one seat is left: the round closes, and no street is dealt.

    No seat owes chips afterwards.
    """
    if not isinstance(step, hand_steps.DealsStreet) or not step.closes_betting:
        return
    live_seats = after.shown["pots"][-1]["seats"] if after.shown["pots"] else ()
    assert after.shown["turn"] is not None or not after.shown["open"] or after.table.hand is None or len(live_seats) > 1
    if len(live_seats) == 1 and len(after.shown["pots"]) == 1:
        assert not after.shown["owes"]


def check_floor_button(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify the step `floor button 5`: the button moves to seat 5, and a hand in progress starts again."""
    if isinstance(step, table_steps.FloorPlacesButton):
        assert after.shown["button"] == step.seat
        assert after.table.is_hand_in_progress == before.table.is_hand_in_progress
        assert after.shown["round"] == before.shown["round"]


def check_bomb_pot_antes(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify the start of a bomb pot.

    Every seat that is dealt in puts in the ante, or its whole stack if this is less. No blind is posted, and the second
    betting round begins.
    """
    if not isinstance(step, hand_steps.StartsBombPot) or None in before.shown["stacks"].values():
        return
    hand = after.table.hand
    assert hand is not None
    unit = after.game.unit
    paid = {seat: before.by_seat("stacks", seat) - after.by_seat("stacks", seat) for seat in hand.dealt_seats}
    assert paid == {seat: min(step.amount, before.by_seat("stacks", seat) // unit * unit) for seat in hand.dealt_seats}
    assert after.shown["round"] == 2 and not after.shown["blinds"] and not after.shown["bets"]
    assert after.shown["pot"] == sum(paid.values())


def check_award_shares(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `award main 5*2 2`: seat 5 gets two shares of the pot and seat 2 one share.

    Odd chips may make the shares slightly unequal.
    """
    if not isinstance(step, hand_steps.AwardsPot) or step.boards or step.low or len(step.shares) < 2:
        return
    if any(before.shown["stacks"].get(str(seat), 0) is None for seat in before.table.players):
        return
    gained = {seat: after.by_seat("stacks", seat) - before.by_seat("stacks", seat) for seat in step.high}
    max_odd_chips = before.game.unit * (sum(step.shares) + 1)
    for seat, share in zip(step.high, step.shares, strict=True):
        for other_seat, other_share in zip(step.high, step.shares, strict=True):
            assert abs(gained[seat] * other_share - gained[other_seat] * share) <= max_odd_chips * max(
                share, other_share
            ), gained


def check_away_seat_wins_nothing(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `absent`: the seat of a player who is away wins nothing, because it was folded before the award.

    The seat was folded when it was in turn. An all-in seat was folded when the round closed.
    """
    hand = before.table.hand
    if not isinstance(step, hand_steps.AwardsPot) or hand is None:
        return
    away = {seat for seat, player in before.table.players.items() if player.is_away}
    if set(hand.live_seats) <= away:
        return
    for seat in away:
        assert after.shown["stacks"].get(str(seat)) is None or after.by_seat("stacks", seat) <= before.by_seat(
            "stacks", seat
        )


def check_drops(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `jackpot` and `kitty`, the chips that are dropped from the pot for these funds.

    The chips for each fund are taken at most once in a hand, and only at an award. If the house takes rake while the
    pot is built (`as_built`), a deal may take them too.
    """
    game, old, new = before.game, before.shown["accounts"], after.shown["accounts"]
    for name, max_drop in (
        ("jackpot", sum(drop.amount for drop in game.jackpot)),
        ("kitty", sum(drop.amount for drop in game.kitty)),
    ):
        change = new.get(name, 0) - old.get(name, 0)
        if isinstance(step, hand_steps.AwardsPot) or (
            isinstance(step, hand_steps.DealsStreet) and game.rake and game.rake.as_built
        ):
            assert 0 <= change <= max_drop, f"the {name} changed by {change}, expected at most {max_drop}"
        elif not isinstance(
            step,
            hand_steps.Undoes
            | hand_steps.Redoes
            | hand_steps.VoidsHand
            | hand_steps.SkipsHand
            | hand_steps.TakesKitty
            | table_steps.OpensTable,
        ):
            assert change == 0, f"the {name} changed by {change} without an award"


def check_buy_in_limit_largest_stack(step: Step, before: TableMoment, after: TableMoment) -> None:
    """Verify `buy_in` with the maximum "largest": nobody sits down with more than the largest stack at the table."""
    game = before.game
    if (
        not isinstance(step, table_steps.SitsDown)
        or step.is_transfer
        or step.name
        or not game.buy_in
        or game.buy_in[1] != "largest"
    ):
        return
    stacks = before.shown["stacks"].values()
    if stacks and None not in stacks:
        assert game.buy_in[0] <= step.amount <= max(game.buy_in[0], *stacks)


CHECKS: tuple[Callable[[Step, TableMoment, TableMoment], None], ...] = (
    check_markers_change_by_marker_steps,
    check_chop_returns_blinds,
    check_neutral_steps_change_nothing,
    check_deal_with_one_seat_left,
    check_floor_button,
    check_bomb_pot_antes,
    check_award_shares,
    check_away_seat_wins_nothing,
    check_drops,
    check_buy_in_limit_largest_stack,
)


# --- the start of a hand ---


class NewPlayers(NamedTuple):
    """Seats of new or returning players who have not been dealt a hand yet."""

    seats: frozenset[int] = frozenset()

    def after(self, step: Step, table: Table) -> "NewPlayers":
        """Return the seats of new players after one more accepted step."""
        seats = self.seats
        if isinstance(step, table_steps.ComesBack) or (
            isinstance(step, table_steps.SitsDown) and not step.takes_over_blinds
        ):
            seats |= {step.seat}
        elif isinstance(step, table_steps.ChangesSeat) and step.seat in seats:
            seats = seats - {step.seat} | {step.new_seat}
        elif isinstance(step, table_steps.LeavesTable):
            seats -= {step.seat}
        elif isinstance(
            step,
            hand_steps.Undoes
            | hand_steps.Redoes
            | hand_steps.VoidsHand
            | table_steps.FloorPlacesButton
            | hand_steps.BuysButton
            | hand_steps.StartsBombPot,
        ):
            seats = frozenset()
        elif table.hand is not None and table.is_hand_in_progress:
            seats -= set(table.hand.dealt_seats)
        return NewPlayers(seats & table.players.keys())


def check_no_entry_between_blinds(step: Step, new_players: NewPlayers, after: TableMoment) -> None:
    """Verify `between_blinds`: a new or returning player between button and big blind is not dealt in.

    The player waits until the button has passed, unless the player posts a blind at this seat.
    """
    hand = after.table.hand
    if not isinstance(step, hand_steps.StartsHand) or hand is None or after.game.between_blinds == "deal":
        return
    placement = after.table.carry_over.placement
    # With the blind on the button, no seat is between button and blind.
    if len(after.game.blinds) == 1 and after.game.blind_on == "button":
        return
    if not after.game.blinds or not placement.big_blind_position or len(set(hand.dealt_seats) - new_players.seats) < 2:
        return
    between = (
        set(seats_between(placement.button, placement.big_blind_position))
        if placement.button != placement.big_blind_position
        else set()
    )
    entered = {
        seat for seat in between & new_players.seats & set(hand.dealt_seats) if str(seat) not in after.shown["blinds"]
    }
    assert not entered - set(placement.small_blind_seats), (
        f"{sorted(entered)} were dealt in between the button and the big blind"
    )


def check_dead_small_blind(step: Step, after: TableMoment) -> None:
    """Verify `dead_small_blind`: the chips of the small blind are dead.

    Dead chips belong to the pot and are neither a bet nor a blind of their seat.
    """
    hand, placement = after.table.hand, after.table.carry_over.placement
    if (
        not isinstance(step, hand_steps.StartsHand)
        or hand is None
        or not after.game.dead_small_blind
        or len(after.game.blinds) != 2
    ):
        return
    for seat in placement.small_blind_seats - {
        placement.big_blind_position,
        after.table.carry_over.rock_seat,
        hand.kill_seat,
    }:
        assert str(seat) not in after.shown["bets"] and str(seat) not in after.shown["blinds"]


# --- at any moment ---


class FloorAmounts(NamedTuple):
    """Number of the current hand, and whether the floor or the dealer has set an amount in it."""

    hand: int = 0
    amounts: bool = False

    def after(self, step: Step, table: Table) -> "FloorAmounts":
        """Return the hand number and the flag as they are after one more accepted step."""
        now = table.hands_started
        amounts = self.amounts and now == self.hand
        is_drop_or_undo = isinstance(
            step, hand_steps.TakesDrop | hand_steps.TakesKitty | hand_steps.Undoes | hand_steps.Redoes
        )
        is_floor_amount = is_drop_or_undo or isinstance(
            step,
            table_steps.FloorSetsBet
            | table_steps.FloorCountsPot
            | table_steps.FloorKillsHand
            | table_steps.CountsStack,
        )
        return FloorAmounts(now, amounts or is_floor_amount)


def check_whole_units(now: TableMoment) -> None:
    """Verify `unit`: all bets, blinds, pots and limits of a bet or raise are multiples of the unit.

    Skip the test while a seat owes chips, because an incomplete bet may have any amount.
    """
    game, shown, hand = now.game, now.shown, now.table.hand
    if hand is None or not now.table.is_hand_in_progress or shown["owes"]:
        return
    amounts = [*shown["bets"].values(), *shown["blinds"].values()]
    amounts += [pot["amount"] for pot in shown["pots"] if not game.ante % game.unit]
    amounts += [shown[name] for name in ("to_call", "min_raise_to", "max_raise_to") if shown[name] is not None]
    off_unit = [amount for amount in amounts if amount % game.unit]
    assert not off_unit, f"amounts {off_unit} are not multiples of the unit {game.unit}"


def check_all_in(now: TableMoment) -> None:
    """Verify the field `all_in`: an all-in seat has less than one unit of chips left.

    Skip games with `hand_cap`, in which a seat that has reached the cap is all-in with chips left.
    """
    hand = now.table.hand
    if hand is None or not now.table.is_hand_in_progress or hand.phase is Phase.AWARDING or now.game.hand_cap:
        return
    for seat in now.shown["all_in"]:
        stack = now.shown["stacks"].get(str(seat), 0)
        assert stack is None or stack - now.by_seat("owes", seat) < now.game.unit, (
            f"seat {seat} is all-in with {stack} behind"
        )


def check_no_check_raise(now: TableMoment) -> None:
    """Verify `check_raise`: if the option is false, a seat that has checked may not raise in the same round."""
    hand, turn = now.table.hand, now.shown["turn"]
    if hand is None or not turn or now.game.check_raise:
        return
    own = [act.event for act in hand.action_log if act.seat == turn]
    if HandEvent.CHECK in own and HandEvent.GIVE_TURN not in own and not RAISES.isdisjoint(now.shown["may"]):
        raise AssertionError(f"seat {turn} has checked and may {now.shown['may']}")


def check_opening_bet(now: TableMoment) -> None:
    """Verify `opening`: the first bet of a round has the amount that this option names for the round."""
    game, shown, hand = now.game, now.shown, now.table.hand
    if (
        hand is None
        or not now.table.is_hand_in_progress
        or game.structure in BIG_BET_STRUCTURES
        or "bet" not in shown["may"]
    ):
        return
    if len(game.opening) < shown["round"] or shown["min_raise_to"] is None or shown["bets"]:
        return
    opening = game.opening[shown["round"] - 1]
    min_total, max_total = (opening, opening) if isinstance(opening, int) else opening
    if max_total and not game.variant_rules.opener_by_cards:
        assert (shown["min_raise_to"], shown["max_raise_to"]) == (
            min_total,
            min(max_total, _playable_stack(now, shown["turn"])),
        )


def _playable_stack(now: TableMoment, seat: int) -> int:
    stack = now.shown["stacks"].get(str(seat), 0)
    return 1 << 60 if stack is None else stack // now.game.unit * now.game.unit


def check_pots_sum(now: TableMoment) -> None:
    """Verify the field `pots`: the main pot comes first, then side1 and side2, each for fewer seats than the last."""
    shown = now.shown
    assert sum(pot["amount"] for pot in shown["pots"]) == shown["pot"]
    names = [pot["name"] for pot in shown["pots"]]
    if now.table.hand is not None and now.table.hand.phase is not Phase.AWARDING:
        assert names == ["main", "side1", "side2", "side3", "side4", "side5", "side6"][: len(names)]
        seats = [pot["seats"] for pot in shown["pots"]]
        assert all(set(upper) < set(lower) for lower, upper in pairwise(seats))


def has_right_to_raise(hand: Hand, seat: int) -> bool | None:
    """Return True if the seat has not acted yet, or if somebody has made a full raise since it acted.

    In both cases the seat may raise. The answer is computed from the log of the round. Return None if the log does not
    decide, for example because the floor set a bet.
    """
    start = hand.round_start
    if start is None:
        return None
    level, size, full, acted_at = start.current_bet, start.min_raise, start.last_full_bet, None
    for act in hand.action_log:
        if act.event is HandEvent.WAGER and act.total > level:
            increase = act.total - (level if hand.game.structure in BIG_BET_STRUCTURES else full)
            if increase >= size or (
                hand.game.structure not in BIG_BET_STRUCTURES and is_half_bet_enough(hand, increase, size)
            ):
                full, size = act.total, increase if hand.game.structure in BIG_BET_STRUCTURES else max(size, 0)
            level = act.total
        if act.seat == seat and act.event in (HandEvent.CHECK, HandEvent.CALL, HandEvent.WAGER):
            acted_at = level
        if act.seat == seat and act.event is HandEvent.GIVE_TURN:  # The floor gave the turn back to the seat.
            acted_at = None
    wagered_seats = {act.seat for act in hand.action_log if act.event in (HandEvent.CALL, HandEvent.WAGER)}
    floor_set_a_bet = any(
        hand.bets[other] > start.bets[other] for other in hand.dealt_seats if other not in wagered_seats
    )
    if level != hand.current_bet or floor_set_a_bet or hand.game.structure == "spread-limit" or hand.game.opening:
        return None
    if acted_at is None:
        return True
    # Somebody has completed the bring-in or short blind that the seat had matched, which reopens the betting.
    if start.last_full_bet < start.current_bet == acted_at < full:
        return True
    raised_by = level - acted_at
    return raised_by > 0 and (raised_by >= size or is_half_bet_enough(hand, raised_by, size))


def is_half_bet_enough(hand: Hand, amount: int, size: int) -> bool:
    """Return True if the half-bet rule applies and the amount is at least half of the bet size."""
    return hand.game.all_in_rule == "half-bet" and 2 * amount >= size
