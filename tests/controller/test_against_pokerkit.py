"""Random hands by our rules and by PokerKit, side by side: after every action the same turn, amounts, bounds and pots.

Where PokerKit plays otherwise, the published rule that it misses is in `CASES`, with a condition on the state of the
hand. A difference outside its condition fails, and each case has to occur.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, cast

import pytest
from pokerkit import Automation, BettingStructure, Card, Deck, Opening, State, Street

from controller import rules
from controller.rules import (
    NOT_ACTED,
    Act,
    Game,
    Hand,
    Phase,
    Pot,
    RuleError,
    Verb,
    actions,
    award,
    bounds,
    facing,
    first_placement,
    pots,
    queries,
    reach,
    side_pots,
    structures,
    to_call,
    uncalled,
    why_no_raise,
)
from controller.rules.queries import reopened

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
LIMITS = {
    "no-limit": BettingStructure.NO_LIMIT,
    "pot-limit": BettingStructure.POT_LIMIT,
    "fixed-limit": BettingStructure.FIXED_LIMIT,
}
MOST_RAISES = 4
"""PokerKit's cap of a fixed-limit round, the bet counted."""


class HighestCard:
    """Who holds the highest card wins, equal ranks split: poker hands would cost most of the time and prove no more."""

    @staticmethod
    def from_game(hole: Iterable[Card], board: Iterable[Card] = ()) -> int:
        return max("23456789TJQKA".index(card.rank.value) for card in hole)


class Setup(NamedTuple):
    """One random hand before it begins."""

    game: Game
    stacks: tuple[int, ...]

    @property
    def small_change(self) -> tuple[int, ...]:
        """What of the stacks does not play (Robert's Rules 3.7): PokerKit knows no unit, and never sees it."""
        return tuple(stack % self.game.unit for stack in self.stacks)

    @property
    def whole(self) -> tuple[int, ...]:
        """What of the stacks plays."""
        return tuple(stack - left for stack, left in zip(self.stacks, self.small_change, strict=True))

    def behind(self, hand: Hand) -> list[int]:
        """The stacks of the hand, but for what does not play."""
        return [stack - left for stack, left in zip(hand.stacks[1:], self.small_change, strict=False)]


def setup(chance: random.Random) -> Setup:
    """A random game and stacks: deep, short and very short ones."""
    structure = chance.choice(["no-limit", "pot-limit", "fixed-limit"])
    stud = structure == "fixed-limit" and chance.random() < 0.3
    count = chance.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10])
    count = min(count, 7) if stud else count
    small, big = chance.choice([(1, 2), (2, 5), (5, 10), (10, 25), (50, 100)])
    ante = chance.choice([0, 0, 1, small, big])
    values: dict[str, Any] = {"structure": structure, "ante": ante}
    if not stud:
        values["blinds"] = (small, big)
        values["ante_by"] = chance.choice(["each", "each", "big-blind", "button"])
    if structure == "fixed-limit":
        least = 2 * big if chance.random() < 0.1 else big
        values["bets"] = (least, least, 2 * least, 2 * least, 2 * least)[: 5 if stud else 4]
        values["all_in_rule"] = chance.choice(["half-bet", "full-bet"])
        values["heads_up_uncapped"] = chance.random() < 0.5
    if stud:
        values |= {"variant": "stud", "bring_in": small, "ante": ante or 1}
    depth = chance.choice([6, 30, 120])
    stacks = tuple(chance.randint(1 + big // 2, depth * big) for _ in range(count))
    unit = random.Random(sum(stacks)).choice([1, 1, 1, 5])
    if unit > 1:
        for key in ("blinds", "bets"):
            values[key] = tuple(unit * amount for amount in values.get(key, ()))
        values |= {"unit": unit, "ante": unit * values["ante"], "bring_in": unit * values.get("bring_in", 0)}
        stacks = tuple(unit * stack + (stack * 7) % unit for stack in stacks)
    return Setup(Game(**values), stacks)


def by_rules(at: Setup) -> Hand:
    count = len(at.stacks)
    stacks = dict(enumerate(at.stacks, 1))
    return rules.start_hand(at.game, first_placement(at.game, count, tuple(stacks)), stacks)


def by_pokerkit(at: Setup) -> State:
    game, count = at.game, len(at.stacks)
    blinds, antes = [0] * count, [0] * count
    if game.blinds:
        blinds[:2] = game.blinds
    if game.ante_by == "each":
        antes = [game.ante] * count
    else:
        payer = 1 if game.ante_by == "big-blind" else 0 if count == 2 else -1
        antes[payer] = game.ante
    return State(
        AUTOMATIONS,
        Deck.STANDARD,
        cast(Any, (HighestCard,)),
        streets(game),
        LIMITS[game.structure],
        game.ante_by == "each",
        antes,
        blinds,
        game.bring_in,
        at.whole,
        count,
    )


def streets(game: Game) -> tuple[Street, ...]:
    most = MOST_RAISES if game.structure == "fixed-limit" else None
    if game.kind.by_board:
        down = ((False, False, True), (True,), (True,), (True,), (False,))
        opens = (Opening.LOW_CARD, *[Opening.HIGH_HAND] * 4)
        return tuple(
            Street(bool(number), cards, 0, False, opens[number], game.base_size(number + 1), most)
            for number, cards in enumerate(down)
        )
    hole, board = ((False, False), (), (), ()), (0, 3, 1, 1)
    return tuple(
        Street(bool(number), hole[number], board[number], False, Opening.POSITION, game.base_size(number + 1), most)
        for number in range(4)
    )


# --- what PokerKit plays otherwise ---


class Case(NamedTuple):
    """A difference that is right: which fields it may concern, the rule, and when it may occur."""

    fields: tuple[str, ...]
    rule: str
    holds: Callable[[Hand, Setup], bool]


def short_wager(hand: Hand) -> bool:
    """Somebody bet or raised all-in for less than a full bet or raise in this round."""
    return any(short_wagers(hand))


def short_wagers(hand: Hand) -> list[bool]:
    """For each bet and raise of the round: was it short?"""
    assert hand.opening is not None
    at, found = hand.opening, []
    for act in hand.log:
        if act.verb is Verb.WAGER:
            base = at.level if hand.game.structure != "fixed-limit" else at.full
            found.append(act.total - base < at.size)
        at = rules.redo(at, act)
    return found


def only_short_wagers(hand: Hand) -> bool:
    wagers = short_wagers(hand)
    return bool(wagers) and all(wagers)


def short_forced_bet(hand: Hand) -> bool:
    """A blind or the bring-in could not be posted in full."""
    owes = hand.bring_in
    return hand.round == 1 and (hand.blinds_short > 0 or (owes > 0 and reach(hand, owes) < hand.game.bring_in))


def odd(hand: Hand, amount: int) -> bool:
    """True for a pot that two, three or more winners may not be able to divide in whole units."""
    unit = hand.game.unit
    return bool(amount % 2 or amount % 3 or (unit > 1 and amount % (12 * unit)))


CASES: dict[str, Case] = {
    "first short all-in": Case(
        ("raise",),
        "Robert's Rules 3.6, TDA 47: an all-in short of a full bet or raise reopens nothing for who has acted, the "
        "first one of a round included; PokerKit takes the first wager of a round for a full one",
        lambda hand, at: (
            hand.game.structure != "fixed-limit" and only_short_wagers(hand) and not reopened(hand, hand.turn)
        ),
    ),
    "short all-ins add up": Case(
        ("raise",),
        "TDA 47: several short all-ins that together are a full raise to a seat reopen the betting for it; PokerKit "
        "begins to count anew each time they have reached one",
        lambda hand, at: (
            sum(short_wagers(hand)) > 1
            and hand.faced[hand.turn] != NOT_ACTED
            and hand.level - hand.faced[hand.turn] >= hand.size
        ),
    ),
    "short all-in in limit": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.6: in limit games less than half a bet is completed by who has not acted, half a bet or more "
        "counts as a full one; PokerKit adds a whole bet to any all-in",
        lambda hand, at: hand.game.structure == "fixed-limit" and short_wager(hand),
    ),
    "completing a blind": Case(
        ("raise", "min", "max"),
        "Robert's Rules 4 (blinds smaller than the bet are raised to the bet); PokerKit adds a whole bet to the blind",
        lambda hand, at: (
            hand.game.structure == "fixed-limit" and hand.round == 1 and 0 < hand.game.big_blind < hand.game.bets[0]
        ),
    ),
    "the blind is a bet": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.3: a bet and three raises, the big blind is the bet; PokerKit allows four raises over it",
        lambda hand, at: hand.round == 1 and hand.capped and not hand.game.kind.by_board,
    ),
    "heads-up is not capped": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.4: no cap when two players are left before it is reached; PokerKit caps every round",
        lambda hand, at: (
            bool(hand.game.heads_up_uncapped)
            and hand.game.structure == "fixed-limit"
            and hand.raises >= hand.game.raises
            and not hand.capped
        ),
    ),
    "covered by one more": Case(
        ("raise", "min", "max"),
        "Robert's Rules 3.5: a seat with chips may raise while another one is not all-in, though that one can only "
        "call; PokerKit refuses when nobody could put in more than the call",
        lambda hand, at: all(
            hand.bets[seat] + reach(hand, seat) <= hand.level for seat in hand.active if seat != hand.turn
        ),
    ),
    "ante of one payer": Case(
        ("max",),
        "TDA 54 and house practice: the big-blind or button ante is not counted in the first round's pot maximum",
        lambda hand, at: (
            hand.game.structure == "pot-limit" and hand.round == 1 and bool(hand.antes) and hand.game.ante_by != "each"
        ),
    ),
    "bring-in all-in": Case(
        ("raise",),
        "Robert's Rules 8 (seven-card stud): who has no more than the bring-in posts it; PokerKit lets less be a "
        "completion",
        lambda hand, at: hand.bring_in == hand.turn and reach(hand, hand.turn) <= hand.game.bring_in,
    ),
    "uncalled bet": Case(
        ("stacks", "pots"),
        "table-scripts.md, What is seen: chips nobody called stay in the last pot, with one seat, until it is given; "
        "PokerKit returns them when the round closes",
        lambda hand, at: hand.phase is Phase.CLOSED and uncalled(hand) > 0,
    ),
    "odd chips": Case(
        ("end",),
        "Robert's Rules 3 (odd chips): one by one to the first seats left of the button, in each pot; PokerKit gives "
        "all to one and takes pots with the same winners for one",
        lambda hand, at: any(odd(hand, pot.amount) for pot in pots(hand)) and len(hand.live) > 1,
    ),
    "short blind": Case(
        ("call", "raise", "min", "max", "turn"),
        "Robert's Rules 4.1: a short blind is called and raised as a full one; PokerKit goes by the chips that lie "
        "there. Nobody has to match more than the largest stack against it",
        lambda hand, at: short_forced_bet(hand),
    ),
    "nothing to call": Case(
        ("turn",),
        "table-scripts.md, What is seen: against players who are all all-in a seat that has matched them is not asked; "
        "PokerKit asks it when a larger forced bet stands",
        lambda hand, at: hand.phase is Phase.CLOSED and len(hand.active) < 2,
    ),
}


class Difference(AssertionError):
    """Our rules and PokerKit differ where no case explains it."""


class Duel:
    """One hand played by both."""

    def __init__(self, seed: int, counts: Counter[str]) -> None:
        self.chance = random.Random(seed)
        self.seed = seed
        self.counts = counts
        self.at = setup(self.chance)
        self.deck = [str(card.rank.value + card.suit.value) for card in Deck.STANDARD]
        self.chance.shuffle(self.deck)
        self.hole: dict[int, list[str]] = {seat: [] for seat in range(1, len(self.at.stacks) + 1)}
        self.hand = by_rules(self.at)
        self.state = by_pokerkit(self.at)
        self.asked = 0

    def same(self, field: str, ours: object, theirs: object, hand: Hand | None = None) -> bool:
        """True where they agree or a case explains why not, which is counted."""
        if ours == theirs:
            return True
        hand = hand or self.hand
        for name, case in CASES.items():
            if field in case.fields and case.holds(hand, self.at):
                self.counts[name] += 1
                return False
        raise Difference(f"seed {self.seed}, {self.at}: {field} {ours}, PokerKit {theirs}; {hand.log}")

    # --- the play ---

    def play(self) -> None:
        self.deal_cards()
        while True:
            self.name_opener()
            if short_forced_bet(self.hand):  # from here the chips of the two differ
                self.compare()
                return
            while self.hand.phase is Phase.BETTING:
                self.compare()
                self.act()
            self.check_closed()
            if self.hand.last_round or len(self.hand.live) < 2:
                break
            self.deal_cards()
            self.hand = rules.deal(self.hand)
        self.finish()

    def deal_cards(self) -> None:
        """Cards for PokerKit until somebody has to act; with all all-in, all that are left."""
        state = self.state
        while True:
            if state.can_burn_card():
                state.burn_card("??")
            elif state.can_deal_hole():
                seat = (state.hole_dealee_index or 0) + 1
                self.hole[seat].append(self.deck.pop())
                state.deal_hole(self.hole[seat][-1])
            elif state.can_deal_board():
                state.deal_board("".join(self.deck.pop() for _ in range(state.board_dealing_count or 0)))
            else:
                return

    def held(self, seat: int) -> int:
        return HighestCard.from_game(Card.parse("".join(self.hole[seat])))

    def name_opener(self) -> None:
        """Stud: the cards say who opens; PokerKit reads them."""
        actor = self.state.actor_index
        if self.hand.phase is Phase.BRING_IN and actor is not None:
            self.hand = rules.bring_in(self.hand, actor + 1)
        elif self.hand.phase is Phase.FIRST and actor is not None:
            self.hand = rules.name_first(self.hand, actor + 1)

    def compare(self) -> None:
        hand, state, seat = self.hand, self.state, self.hand.turn
        self.asked += 1
        actor = state.actor_index
        if not self.same("turn", seat or None, None if actor is None else actor + 1) or actor is None:
            return
        asked = state.effective_bring_in_amount if state.can_post_bring_in() else state.checking_or_calling_amount
        self.same("call", to_call(hand, seat), asked)
        least, most = self.sizes()
        theirs = (state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount)
        if self.same("raise", least is None, theirs[0] is None) and least is not None:
            self.same("min", least, theirs[0])
            self.same("max", most, theirs[1])
        self.same("pot", hand.total, state.total_pot_amount)
        self.same("stacks", self.at.behind(hand), list(state.stacks))

    def sizes(self) -> tuple[int | None, int | None]:
        """The least and most raise; all that the seat has where that is less than the least."""
        hand, seat = self.hand, self.hand.turn
        if why_no_raise(hand, seat):
            return None, None
        total = hand.bets[seat] + reach(hand, seat)
        return bounds(hand, seat) or (total, total)

    def act(self) -> None:
        """Something that both allow."""
        hand, state, seat = self.hand, self.state, self.hand.turn
        roll = self.chance.random()
        if roll < 0.4 and self.raise_to():
            return
        if roll > 0.88 and facing(hand, seat) > hand.bets[seat] and state.can_fold() and hand.bring_in != seat:
            state.fold()
            self.hand = rules.apply(hand, Act(Verb.FOLD, seat))
            return
        due = facing(hand, seat) > hand.bets[seat]
        if state.can_post_bring_in():
            state.post_bring_in()
        else:
            state.check_or_call()
        self.hand = rules.apply(hand, Act(Verb.CALL if due else Verb.CHECK, seat))

    def raise_to(self) -> bool:
        least, most = self.sizes()
        theirs = self.state.max_completion_betting_or_raising_to_amount
        if least is None or most is None or theirs is None:
            return False
        unit = self.at.game.unit
        total = self.chance.choice([least, least, most, self.chance.randint(least, most) // unit * unit])
        act = Act(Verb.WAGER, self.hand.turn, total)
        if rules.reject_reason(self.hand, act) or not self.state.can_complete_bet_or_raise_to(total):
            return False
        self.state.complete_bet_or_raise_to(total)
        self.hand = rules.apply(self.hand, act)
        return True

    def check_closed(self) -> None:
        """A closed round: nobody is asked, chips lie in the same pots."""
        hand, state = self.hand, self.state
        while not self.same("turn", None, state.actor_index):
            state.check_or_call()
        if not state.status or not any(state.statuses) or state.street is None:
            return
        back = uncalled(hand)
        theirs = [(pot.amount, tuple(index + 1 for index in pot.player_indices)) for pot in state.pots]
        self.same("stacks", self.at.behind(hand), list(state.stacks))
        ours = [(pot.amount, pot.seats) for pot in pots(hand)]
        if not self.same("pots", ours, theirs):
            last, seats = ours.pop()
            ours += [(last - back, seats)] if last > back else []
            if merged(ours) != merged(theirs):
                raise Difference(f"seed {self.seed}: pots without the uncalled {back}: {ours}, PokerKit {theirs}")

    def finish(self) -> None:
        self.deal_cards()
        before = hand = self.hand
        for pot in pots(before):
            seats = pot.seats
            if len(seats) > 1:
                best = max(map(self.held, pot.seats))
                seats = tuple(seat for seat in pot.seats if self.held(seat) == best)
            hand = award(hand, pot.name, seats).hand
        ours = self.at.behind(hand)
        if self.same("end", ours, list(self.state.stacks), before):
            return
        away = [abs(mine - theirs) for mine, theirs in zip(ours, self.state.stacks, strict=True)]
        if sum(ours) != sum(self.state.stacks) or max(away) > len(pots(before)) * 9 * self.at.game.unit:
            raise Difference(f"seed {self.seed}: stacks at the end {ours}, PokerKit {self.state.stacks}")


def merged(found: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    """Neighbouring pots with the same seats as one, seats sorted."""
    whole: list[tuple[int, tuple[int, ...]]] = []
    for amount, seats in found:
        if whole and whole[-1][1] == tuple(sorted(seats)):
            whole[-1] = (whole[-1][0] + amount, whole[-1][1])
        else:
            whole.append((amount, tuple(sorted(seats))))
    return whole


def duel(seeds: Iterable[int]) -> tuple[Counter[str], int]:
    """How often each case occurred, and how many decisions were compared."""
    counts: Counter[str] = Counter()
    asked = 0
    for seed in seeds:
        one = Duel(seed, counts)
        one.play()
        asked += one.asked
    return counts, asked


HANDS = 2000
SEEDS = (*range(HANDS), 3569)
"""The last one has the rarest case."""


def test_random_hands_are_played_as_by_pokerkit() -> None:
    counts, asked = duel(SEEDS)
    assert asked > 5 * HANDS
    assert set(counts) == set(CASES), f"never occurred: {sorted(set(CASES) - set(counts))}"


@pytest.mark.soak
def test_many_random_hands_are_played_as_by_pokerkit() -> None:
    counts, _ = duel(range(HANDS, HANDS + 20_000))
    assert set(counts) == set(CASES)


# --- the harness catches planted faults ---


def _one_more(original: Callable[..., int]) -> Callable[..., int]:
    return lambda *given: original(*given) + 1


FAULTS: list[tuple[object, str, object]] = [
    (structures, "pot_after_call", _one_more(structures.pot_after_call)),
    (queries, "reopened", lambda hand, seat: True),
    (actions, "cap", lambda hand: hand),
    (queries, "facing", lambda hand, seat: hand.bets[hand.order[0]]),
    (actions, "in_turn", lambda hand, seats, after: tuple(sorted(seats))),
    (side_pots, "_layers", lambda whole, chips, seats, reaches: (Pot("main", whole, seats),)),
]


@pytest.mark.parametrize(("module", "name", "fault"), FAULTS, ids=[name for _, name, _ in FAULTS])
def test_a_planted_fault_is_caught(monkeypatch: pytest.MonkeyPatch, module: object, name: str, fault: object) -> None:
    monkeypatch.setattr(module, name, fault)
    with pytest.raises((Difference, RuleError)):
        duel(range(300))
