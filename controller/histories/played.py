"""A hand of ours, played by its steps: what each betting round was in the end, and how the hand came to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from controller.config import BadInputError
from controller.rules import BEING_GIVEN, Act, Amounts, Game, Hand, Phase, Verb, facing, redo
from controller.scripts import STEP_US, Scene, happens, refused_words
from controller.table import Awards, Deals, Skips, Step, Table, Undoes, Voids, line


class Round(NamedTuple):
    """A betting round as it was played in the end."""

    opening: Hand | None
    """The hand as the round began; None where nobody had anything to decide."""
    log: tuple[Act, ...]


class WholeHand(NamedTuple):
    """A hand that was played to its end at our table."""

    game: Game
    """As the house spreads it: a kill has not grown it."""
    game_name: str
    started: Hand
    """Blinds, straddles and posts are in."""
    showdown: Hand
    """As it was before the first pot was given."""
    after: Table
    """The table when the hand was over."""
    rounds: Mapping[int, Round]
    """By number, those that were begun."""
    awards: tuple[Awards, ...]
    """In the end: not those that were taken back. None where the blinds were chopped."""
    warnings: tuple[str, ...]

    @property
    def behind(self) -> Amounts:
        """By seat that is all-in, what lies behind all the same: below the unit, or over the most of one hand."""
        hand = self.showdown
        return tuple(max(0, stack) if seat in hand.all_in else 0 for seat, stack in enumerate(hand.stacks))

    @property
    def over(self) -> Hand:
        """The hand as it ended."""
        assert self.after.hand is not None
        return self.after.hand


def whole_hand(table: Table, steps: Sequence[Step]) -> WholeHand:
    """The hand that these steps play. `table` is the table before the step that starts it, or with the hand just
    started.

    Raises BadInputError where the steps are not one whole hand that was played to its end.
    """
    rounds: dict[int, Round] = {}
    warnings: list[str] = []
    scene = Scene(table._replace(past=(), future=()))
    began = table if table.playing else None
    started = showdown = table.hand if table.playing else None
    for number, what in enumerate(steps, 1):
        before = scene.table
        scene, outcome = happens(scene, what, number * STEP_US)
        if outcome.refused is not None:
            raise BadInputError(f"step {number} ({line(what)}): {refused_words(outcome.refused)}")
        warnings += [f"{number}: {code}" for code in outcome.warnings]
        hand = scene.table.hand
        if scene.table.playing and not before.playing and not isinstance(what, Undoes):
            began, started, rounds = scene.table, None, {}
        if hand is None or hand.phase in BEING_GIVEN:
            continue
        if showdown is not None and showdown.round + 1 == hand.round and isinstance(what, Deals) and what.closing:
            rounds[showdown.round] = Round(showdown.opening, showdown.log + _confirmed(showdown, hand))
        showdown = hand
        rounds = {number: done for number, done in rounds.items() if number < hand.round}
        if not rounds and (started is None or not hand.started):
            started = hand
        rounds[hand.round] = Round(hand.opening, hand.log)
    if began is None or started is None or showdown is None or scene.table.playing:
        raise BadInputError("steps: expected a whole hand, to its last award")
    last = [done.step for done in scene.table.past]
    if any(isinstance(what, Voids | Skips) for what in last):
        raise BadInputError("steps: the hand was called off or not followed, nothing was won")
    return WholeHand(
        game=began.games[began.game_name],
        game_name=began.game_name,
        started=started,
        showdown=showdown,
        after=scene.table,
        rounds=rounds,
        awards=tuple(what for what in last if isinstance(what, Awards)),
        warnings=tuple(warnings),
    )


def _confirmed(hand: Hand, dealt: Hand) -> tuple[Act, ...]:
    """What those left to act have done where the dealer swept and dealt: as the next round shows it."""
    acts: list[Act] = []
    while hand.phase is Phase.BETTING:
        seat = hand.turn
        total = dealt.paid[seat] - hand.paid[seat]
        if seat in dealt.folded:
            act = Act(Verb.FOLD, seat)
        elif total > hand.level:
            act = Act(Verb.WAGER, seat, total)
        else:
            act = Act(Verb.CALL if facing(hand, seat) > hand.bets[seat] else Verb.CHECK, seat)
        acts.append(act)
        hand = redo(hand, act)
    return tuple(acts)
