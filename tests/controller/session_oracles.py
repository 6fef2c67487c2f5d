"""What must hold of a session, from what is seen and from the log of the round, not from the functions that are
checked. Each group names the words of the contract (table-scripts.md, rulings.md) that it rests on."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from controller.rules import BIG_BET, SEATS, Game, Hand, Phase, Verb
from controller.table import (
    Awards,
    BuysButton,
    ChangesSeat,
    Chops,
    Closes,
    ComesBack,
    Counted,
    Deals,
    Declaration,
    Declares,
    EndsMotion,
    FloorCountsPot,
    FloorKillsHand,
    FloorPlacesButton,
    FloorSetsBet,
    GivesMarker,
    Leaves,
    Opens,
    PlaysGame,
    Redeems,
    Redoes,
    RunsBoards,
    Sits,
    Skips,
    StartsBomb,
    StartsHand,
    Step,
    Table,
    TakesDrop,
    TakesKitty,
    TimePasses,
    Undoes,
    Voids,
)

RAISES = frozenset({"bet", "raise", "complete"})


class Moment(NamedTuple):
    """A table and what is seen of it."""

    table: Table
    shown: dict[str, Any]

    @property
    def game(self) -> Game:
        """The game of the hand in progress, or of the next one."""
        return self.table.game

    def of(self, field: str, seat: int) -> int:
        """A number by seat; 0 where the seat is left out."""
        return int(self.shown[field].get(str(seat), 0) or 0)


def clockwise(start: int, end: int) -> tuple[int, ...]:
    """The places strictly between two seats, going left from the first."""
    way = [(start + step - 1) % SEATS + 1 for step in range(1, SEATS + 1)]
    return tuple(way[: way.index(end)])


# --- after a step that was done ---


def markers_change_by_markers_only(what: Step, before: Moment, after: Moment) -> None:
    """`markers`: by seat, what it owes on markers; a step that gives or redeems one changes it by its amount."""
    old, new = (sum(moment.shown["markers"].values()) for moment in (before, after))
    if isinstance(what, GivesMarker):
        assert new == old + what.amount
    elif isinstance(what, Redeems):
        assert new == old - what.amount
    elif not isinstance(what, Leaves | Closes | Sits | Voids | Undoes | Redoes | FloorPlacesButton):
        assert new == old, f"markers of {old} are {new}"


def chopped_blinds_go_back(what: Step, before: Moment, after: Moment) -> None:
    """`chop`: nothing but blinds is in: they go back, no rake, nobody has won."""
    if not isinstance(what, Chops):
        return
    assert before.shown["round"] == 1 and len(before.shown["pots"][0]["seats"]) >= 2
    assert after.shown["pot"] == 0 and after.shown["accounts"] == before.shown["accounts"]
    if before.game.dead_small_blind:
        return
    assert before.shown["pot"] == sum(before.shown["bets"].values()) == sum(before.shown["blinds"].values())
    for seat in before.table.players:
        if before.shown["stacks"].get(str(seat), 0) is not None:
            assert after.of("stacks", seat) == before.of("stacks", seat) + before.of("bets", seat)


def what_hurts_nobody_changes_nothing(what: Step, before: Moment, after: Moment) -> None:
    """`done`, `clock`, `game` during a hand, and `boards` change nothing that is seen of the hand."""
    if isinstance(what, EndsMotion | TimePasses | RunsBoards) or (isinstance(what, PlaysGame) and before.table.playing):
        of_the_step: dict[str, Any] = {"warnings": [], "presumed": {}}
        old, new = ({**moment.shown, **of_the_step} for moment in (before, after))
        assert old == new


def an_amount_alone_opens_as_a_bet(what: Step, before: Moment, after: Moment, do: Callable[[Step], Moment]) -> None:
    """ "An amount alone is a bet" where there is nothing to call, and nothing lies in front of anybody yet."""
    if not isinstance(what, Declares) or what.declaration.kind != "amount":
        return
    if before.shown["turn"] != what.seat or before.shown["to_call"] or before.shown["bets"] or before.shown["due_back"]:
        return
    bet = do(Declares(what.seat, Declaration("bet", what.declaration.amount)))
    assert after.shown == bet.shown, "an amount alone is another bet than the same amount called a bet"


def deals_where_somebody_is_left(what: Step, before: Moment, after: Moment) -> None:
    """`deal closing`: where one seat is left, the round closes, nothing is dealt, and `award` follows."""
    if not isinstance(what, Deals) or not what.closing:
        return
    left = after.shown["pots"][-1]["seats"] if after.shown["pots"] else ()
    assert after.shown["turn"] is not None or not after.shown["open"] or after.table.hand is None or len(left) > 1
    if len(left) == 1 and len(after.shown["pots"]) == 1:
        assert not after.shown["owes"]


def the_floor_places_the_button(what: Step, before: Moment, after: Moment) -> None:
    """`floor button 5`: the button belongs there; all forced bets go back and the hand is set up anew."""
    if isinstance(what, FloorPlacesButton):
        assert after.shown["button"] == what.seat
        assert after.table.playing == before.table.playing
        assert after.shown["round"] == before.shown["round"]


def a_bomb_pot_is_antes_alone(what: Step, before: Moment, after: Moment) -> None:
    """Bomb pots: everybody dealt in antes as far as its stack reaches, no blinds, straight to the second round."""
    if not isinstance(what, StartsBomb) or None in before.shown["stacks"].values():
        return
    hand = after.table.hand
    assert hand is not None
    unit = after.game.unit
    paid = {seat: before.of("stacks", seat) - after.of("stacks", seat) for seat in hand.order}
    assert paid == {seat: min(what.amount, before.of("stacks", seat) // unit * unit) for seat in hand.order}
    assert after.shown["round"] == 2 and not after.shown["blinds"] and not after.shown["bets"]
    assert after.shown["pot"] == sum(paid.values())


def shares_are_as_named(what: Step, before: Moment, after: Moment) -> None:
    """`award main 5*2 2`: shares, two to one; odd chips of the unit go one by one."""
    if not isinstance(what, Awards) or what.boards or what.low or len(what.shares) < 2:
        return
    if any(before.shown["stacks"].get(str(seat), 0) is None for seat in before.table.players):
        return
    gained = {seat: after.of("stacks", seat) - before.of("stacks", seat) for seat in what.high}
    odd = before.game.unit * (sum(what.shares) + 1)
    for one, mine in zip(what.high, what.shares, strict=True):
        for other, others in zip(what.high, what.shares, strict=True):
            assert abs(gained[one] * others - gained[other] * mine) <= odd * max(mine, others), gained


def who_is_away_wins_nothing(what: Step, before: Moment, after: Moment) -> None:
    """`absent`: a seat that is away is folded, all-in at the latest when the round closes: it wins nothing."""
    hand = before.table.hand
    if not isinstance(what, Awards) or hand is None:
        return
    away = {seat for seat, player in before.table.players.items() if player.away}
    if set(hand.live) <= away:
        return
    for seat in away:
        assert after.shown["stacks"].get(str(seat)) is None or after.of("stacks", seat) <= before.of("stacks", seat)


def drops_are_as_the_house_says(what: Step, before: Moment, after: Moment) -> None:
    """`jackpot`, `kitty`: taken with the rake, each that is reached, once a hand; by an award, or a deal as built."""
    game, old, new = before.game, before.shown["accounts"], after.shown["accounts"]
    for name, most in (
        ("jackpot", sum(each.amount for each in game.jackpot)),
        ("kitty", sum(each.amount for each in game.kitty)),
    ):
        more = new.get(name, 0) - old.get(name, 0)
        if isinstance(what, Awards) or (isinstance(what, Deals) and game.rake and game.rake.as_built):
            assert 0 <= more <= most, f"{name} of {more}"
        elif not isinstance(what, Undoes | Redoes | Voids | Skips | TakesKitty | Opens):
            assert more == 0, f"{name} of {more} without an award"


def up_to_the_largest_stack(what: Step, before: Moment, after: Moment) -> None:
    """`buy_in`: the most may be the largest stack at the table."""
    game = before.game
    if not isinstance(what, Sits) or what.transfer or what.name or not game.buy_in or game.buy_in[1] != "largest":
        return
    stacks = before.shown["stacks"].values()
    if stacks and None not in stacks:
        assert game.buy_in[0] <= what.amount <= max(game.buy_in[0], *stacks)


AFTER: tuple[Callable[[Step, Moment, Moment], None], ...] = (
    markers_change_by_markers_only,
    chopped_blinds_go_back,
    what_hurts_nobody_changes_nothing,
    deals_where_somebody_is_left,
    the_floor_places_the_button,
    a_bomb_pot_is_antes_alone,
    shares_are_as_named,
    who_is_away_wins_nothing,
    drops_are_as_the_house_says,
    up_to_the_largest_stack,
)


# --- the start of a hand ---


class Comings(NamedTuple):
    """Who has come since it was last dealt in, or owes a post."""

    seats: frozenset[int] = frozenset()

    def after(self, what: Step, table: Table) -> "Comings":
        """After one more step that was done."""
        seats = self.seats
        if isinstance(what, ComesBack) or (isinstance(what, Sits) and not what.in_stead):
            seats |= {what.seat}
        elif isinstance(what, ChangesSeat) and what.seat in seats:
            seats = seats - {what.seat} | {what.to}
        elif isinstance(what, Leaves):
            seats -= {what.seat}
        elif isinstance(what, Undoes | Redoes | Voids | FloorPlacesButton | BuysButton | StartsBomb):
            seats = frozenset()
        elif table.hand is not None and table.playing:
            seats -= set(table.hand.order)
        return Comings(seats & table.players.keys())


def nobody_comes_in_between(what: Step, came: Comings, after: Moment) -> None:
    """`between_blinds`: a new or returning player in a seat between the button and the big blind is not dealt in until
    the button has passed; who is due a blind there is."""
    hand = after.table.hand
    if not isinstance(what, StartsHand) or hand is None or after.game.between_blinds == "deal":
        return
    placed = after.table.carried.placed
    if len(after.game.blinds) == 1 and after.game.blind_on == "button":  # nobody sits between the two
        return
    if not after.game.blinds or not placed.big_place or len(set(hand.order) - came.seats) < 2:
        return
    between = set(clockwise(placed.button, placed.big_place)) if placed.button != placed.big_place else set()
    wrong = {seat for seat in between & came.seats & set(hand.order) if str(seat) not in after.shown["blinds"]}
    assert not wrong - set(placed.small), f"{sorted(wrong)} came in between the button and the big blind"


def a_dead_small_blind_is_no_bet(what: Step, after: Moment) -> None:
    """`dead_small_blind`: its seat calls with the whole bet."""
    hand, placed = after.table.hand, after.table.carried.placed
    if (
        not isinstance(what, StartsHand)
        or hand is None
        or not after.game.dead_small_blind
        or len(after.game.blinds) != 2
    ):
        return
    for seat in placed.small - {placed.big_place, after.table.carried.rock, hand.killer}:
        assert str(seat) not in after.shown["bets"] and str(seat) not in after.shown["blinds"]


# --- at any moment ---


class Tampered(NamedTuple):
    """Whether the floor or the dealer has set amounts of this hand."""

    hand: int = 0
    amounts: bool = False

    def after(self, what: Step, table: Table) -> "Tampered":
        """After one more step that was done."""
        now = table.hands
        amounts = self.amounts and now == self.hand
        taken = isinstance(what, TakesDrop | TakesKitty | Undoes | Redoes)
        sets = taken or isinstance(what, FloorSetsBet | FloorCountsPot | FloorKillsHand | Counted)
        return Tampered(now, amounts or sets)


def whole_units_play(now: Moment) -> None:
    """`unit`: wagers are multiples of it, of a stack only whole units play; that is all-in, the rest stays behind. What
    lies there of a wager that is still owed may be any chips."""
    game, shown, hand = now.game, now.shown, now.table.hand
    if hand is None or not now.table.playing or shown["owes"]:
        return
    amounts = [*shown["bets"].values(), *shown["blinds"].values()]
    amounts += [pot["amount"] for pot in shown["pots"] if not game.ante % game.unit]
    amounts += [shown[name] for name in ("to_call", "min_raise_to", "max_raise_to") if shown[name] is not None]
    wrong = [amount for amount in amounts if amount % game.unit]
    assert not wrong, f"{wrong} at a unit of {game.unit}"


def all_in_is_all_that_plays(now: Moment) -> None:
    """`all_in`: nothing that plays is behind; who reached `hand_cap` is all-in too."""
    hand = now.table.hand
    if hand is None or not now.table.playing or hand.phase is Phase.PAYING or now.game.hand_cap:
        return
    for seat in now.shown["all_in"]:
        stack = now.shown["stacks"].get(str(seat), 0)
        assert stack is None or stack - now.of("owes", seat) < now.game.unit, (
            f"seat {seat} is all-in with {stack} behind"
        )


def who_has_checked_does_not_raise(now: Moment) -> None:
    """`check_raise`: false: who has checked in a round may then only call or fold."""
    hand, turn = now.table.hand, now.shown["turn"]
    if hand is None or not turn or now.game.check_raise:
        return
    own = [act.verb for act in hand.log if act.seat == turn]
    if Verb.CHECK in own and Verb.TURN not in own and not RAISES.isdisjoint(now.shown["may"]):
        raise AssertionError(f"seat {turn} has checked and may {now.shown['may']}")


def a_round_is_opened_for_what_the_house_says(now: Moment) -> None:
    """`opening`: by round, what may be opened for where it differs from the later bets."""
    game, shown, hand = now.game, now.shown, now.table.hand
    if hand is None or not now.table.playing or game.structure in BIG_BET or "bet" not in shown["may"]:
        return
    if len(game.opening) < shown["round"] or shown["min_raise_to"] is None or shown["bets"]:
        return
    said = game.opening[shown["round"] - 1]
    least, most = (said, said) if isinstance(said, int) else said
    if most and not game.kind.by_board:
        assert (shown["min_raise_to"], shown["max_raise_to"]) == (least, min(most, _could(now, shown["turn"])))


def _could(now: Moment, seat: int) -> int:
    stack = now.shown["stacks"].get(str(seat), 0)
    return 1 << 60 if stack is None else stack // now.game.unit * now.game.unit


def pots_make_up_the_pot(now: Moment) -> None:
    """`pots`: main first, then side1, side2; neighbouring pots with the same seats are one."""
    shown = now.shown
    assert sum(pot["amount"] for pot in shown["pots"]) == shown["pot"]
    names = [pot["name"] for pot in shown["pots"]]
    if now.table.hand is not None and now.table.hand.phase is not Phase.PAYING:
        assert names == ["main", "side1", "side2", "side3", "side4", "side5", "side6"][: len(names)]
        seats = [pot["seats"] for pot in shown["pots"]]
        assert all(set(upper) < set(lower) for lower, upper in pairwise(seats))


def right_to_raise(hand: Hand, seat: int) -> bool | None:
    """From the round's log alone: whether the seat has not acted yet or faces a full raise since it did; None where the
    log does not tell (a bet set by the floor)."""
    opening = hand.opening
    if opening is None:
        return None
    level, size, full, acted_at = opening.level, opening.size, opening.full, None
    for act in hand.log:
        if act.verb is Verb.WAGER and act.total > level:
            more = act.total - (level if hand.game.structure in BIG_BET else full)
            if more >= size or (hand.game.structure not in BIG_BET and half(hand, more, size)):
                full, size = act.total, more if hand.game.structure in BIG_BET else max(size, 0)
            level = act.total
        if act.seat == seat and act.verb in (Verb.CHECK, Verb.CALL, Verb.WAGER):
            acted_at = level
        if act.seat == seat and act.verb is Verb.TURN:  # the floor lets it decide anew
            acted_at = None
    by_log = {act.seat for act in hand.log if act.verb in (Verb.CALL, Verb.WAGER)}
    by_floor = any(hand.bets[other] > opening.bets[other] for other in hand.order if other not in by_log)
    if level != hand.level or by_floor or hand.game.structure == "spread-limit" or hand.game.opening:
        return None
    if acted_at is None:
        return True
    if opening.full < opening.level == acted_at < full:  # a bring-in or blind below the bet that was completed
        return True
    faces = level - acted_at
    return faces > 0 and (faces >= size or half(hand, faces, size))


def half(hand: Hand, amount: int, size: int) -> bool:
    """True where half a bet is enough."""
    return hand.game.all_in_rule == "half-bet" and 2 * amount >= size
