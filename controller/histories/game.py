"""The table that a hand history was played at: the game, who sits there, what was posted before the first action."""

from __future__ import annotations

from typing import Any

from controller.config import BadInputError
from controller.histories.format import PhhHand
from controller.rules import VARIANTS, Game, GameError, Player, Rake
from controller.table import MAIN_GAME, Posts, Step, Straddles, Table, open_table


def table_for(hand: PhhHand, house: dict[str, Any]) -> Table:
    """The table before the hand: player n sits in seat n, the last one has the button. `house` adds to the game.

    Raises BadInputError for blinds and antes that no game of ours has.
    """
    values: dict[str, Any] = {
        "variant": hand.variant,
        "structure": hand.structure,
        "bring_in": hand.bring_in,
        **_blinds(hand),
        **_antes(hand),
        **_bets(hand),
        **_straddles(hand),
        **_rake(hand),
        **house,
    }
    try:
        game = Game(**values)
    except GameError as error:
        raise BadInputError(str(error)) from None
    posts, dead = _posts(hand), _dead_posts(hand)
    players = {
        seat: Player(
            name=hand.players[seat - 1] if hand.players else "",
            stack=stack,
            big_owed=posts.get(seat, 0),
            small_owed=dead.get(seat, 0),
        )
        for seat, stack in enumerate(hand.stacks, 1)
    }
    return open_table({MAIN_GAME: game}, len(hand.stacks), players)


def opening_steps(hand: PhhHand) -> list[Step]:
    """Posts and straddles, which come after the hand has started and before anyone acts."""
    posts: list[Step] = [Posts(seat) for seat in sorted(_posts(hand) | _dead_posts(hand))]
    return posts + [Straddles(seat, amount) for seat, amount in _straddlers(hand)]


def _posts(hand: PhhHand) -> dict[int, int]:
    """By seat, what is posted out of position and plays."""
    return {seat: -amount for seat, amount in enumerate(hand.blinds, 1) if amount < 0}


def _dead_posts(hand: PhhHand) -> dict[int, int]:
    """By seat, what is posted beside a post that plays and does not play itself: what the file adds to its ante."""
    return {seat: hand.antes[seat - 1] - min(hand.antes) for seat in _posts(hand)} if hand.blinds else {}


def _forced(hand: PhhHand) -> tuple[int, int, int]:
    """(button, small, big) as the file has them: a blind on the button that is larger than the big one straddles."""
    if len(hand.blinds) == 2:
        big, small = hand.blinds
        return 0, small, big
    small, big, button = hand.blinds[0], hand.blinds[1], hand.blinds[-1]
    return (button if button > 0 and (button <= max(small, big) or not small + big) else 0), small, big


def _blinds(hand: PhhHand) -> dict[str, Any]:
    button, small, big = _forced(hand)
    if small < 0 or big < 0:
        raise BadInputError(f"blinds_or_straddles = {list(hand.blinds)}: expected no post by a seat that owes a blind")
    if button and (small or big):
        return {"blinds": (button, small, big)}
    if big:
        return {"blinds": (small, big)}
    on_button = button or (small if len(hand.blinds) == 2 else 0)
    if on_button:
        return {"blinds": (on_button,), "blind_on": "button"}
    return {"blinds": (small,)} if small else {}


def _straddlers(hand: PhhHand) -> list[tuple[int, int]]:
    """(seat, amount) of what is posted on top of the blinds, the smallest first."""
    first, button = (3, _forced(hand)[0])
    last = len(hand.blinds) - bool(button)
    seats = [(seat, hand.blinds[seat - 1]) for seat in range(first, last + 1)]
    return sorted(((seat, amount) for seat, amount in seats if amount > 0), key=lambda item: item[1])


def _straddles(hand: PhhHand) -> dict[str, Any]:
    straddlers = _straddlers(hand)
    if not straddlers:
        return {}
    live = straddlers[0] == (3, 2 * hand.blinds[1])
    return {"straddle": "live" if live else "mississippi", "restraddles": len(straddlers) - 1}


def _antes(hand: PhhHand) -> dict[str, Any]:
    dead = _dead_posts(hand)
    antes = [ante - dead.get(seat, 0) for seat, ante in enumerate(hand.antes, 1)]
    most, count = max(antes), len(antes)
    if not most:
        return {}
    payers = [seat for seat, ante in enumerate(antes, 1) if ante]
    big_seat = 1 if count == 2 else 2
    if len(payers) == 1 and payers[0] == big_seat and hand.blinds[big_seat - 1]:
        return {"ante": most, "ante_by": "big-blind"}
    if payers == [count]:
        return {"ante": most, "ante_by": "button"}
    if all(ante in (most, min(most, stack)) for ante, stack in zip(antes, hand.stacks, strict=True)):
        return {"ante": most}
    raise BadInputError(f"antes = {list(hand.antes)}: expected the same from each, or one by the button or big blind")


def _bets(hand: PhhHand) -> dict[str, Any]:
    if hand.structure != "fixed-limit":
        return {"min_bet": hand.min_bet}
    rounds = len(VARIANTS[hand.variant].rounds)
    small = rounds // 2
    return {"bets": (hand.small_bet,) * small + (hand.big_bet,) * (rounds - small)}


def _rake(hand: PhhHand) -> dict[str, Any]:
    """What the finishing stacks lack was taken by the house: all of it, out of the main pot."""
    taken = sum(hand.stacks) - sum(hand.finishing) if hand.finishing else 0
    return {"rake": Rake(percent=100, cap=taken)} if taken else {}
