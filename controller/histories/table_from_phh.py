"""Build the table of a hand history: its game, its players, and the posts before the first action."""

from __future__ import annotations

from typing import Any

from controller.config import BadInputError
from controller.histories.phh_parser import PhhHand
from controller.rules import VARIANTS, Game, GameError, Player, Rake
from controller.steps import Step, hand_steps
from controller.table import MAIN_GAME, Table, open_table


def table_for(hand: PhhHand, house: dict[str, Any]) -> Table:
    """Return the table before the hand, with player n in seat n and the button at the last seat.

    `house` adds options to the game. Raise BadInputError if no game has these blinds and antes.
    """
    values: dict[str, Any] = {
        "variant": hand.variant,
        "structure": hand.structure,
        "bring_in": hand.bring_in,
        **_blind_options(hand),
        **_ante_options(hand),
        **_bet_options(hand),
        **_straddle_options(hand),
        **_rake_option(hand),
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
            big_blind_owed=posts.get(seat, 0),
            small_blind_owed=dead.get(seat, 0),
        )
        for seat, stack in enumerate(hand.stacks, 1)
    }
    return open_table({MAIN_GAME: game}, len(hand.stacks), players)


def posting_steps(hand: PhhHand) -> list[Step]:
    """Return the steps for posts and straddles, which come before the first action."""
    posts: list[Step] = [hand_steps.PostsToEnter(seat) for seat in sorted(_posts(hand) | _dead_posts(hand))]
    return posts + [hand_steps.Straddles(seat, amount) for seat, amount in _straddle_amounts(hand)]


def _posts(hand: PhhHand) -> dict[int, int]:
    """Return the amounts of live posts out of position, by seat.

    A post is out of position if its seat owes no regular blind.
    """
    return {seat: -amount for seat, amount in enumerate(hand.blinds, 1) if amount < 0}


def _dead_posts(hand: PhhHand) -> dict[int, int]:
    """Return the dead part of each post out of position, by seat. The dead part does not count as a bet.

    In the file, the ante of the seat includes the dead part.
    """
    return {seat: hand.antes[seat - 1] - min(hand.antes) for seat in _posts(hand)} if hand.blinds else {}


def _forced_bets(hand: PhhHand) -> tuple[int, int, int]:
    """Return the button's blind, the small blind and the big blind.

    A blind of the button that is larger than the big blind is a straddle. The button's blind is then returned as 0.
    """
    if len(hand.blinds) == 2:
        big_blind, small_blind = hand.blinds
        return 0, small_blind, big_blind
    small_blind, big_blind, button_blind = hand.blinds[0], hand.blinds[1], hand.blinds[-1]
    return (
        (
            button_blind
            if button_blind > 0 and (button_blind <= max(small_blind, big_blind) or not small_blind + big_blind)
            else 0
        ),
        small_blind,
        big_blind,
    )


def _blind_options(hand: PhhHand) -> dict[str, Any]:
    """Return the options of the game that describe the blinds."""
    button_blind, small_blind, big_blind = _forced_bets(hand)
    if small_blind < 0 or big_blind < 0:
        raise BadInputError(f"blinds_or_straddles = {list(hand.blinds)}: expected no post by a seat that owes a blind")
    if button_blind and (small_blind or big_blind):
        return {"blinds": (button_blind, small_blind, big_blind)}
    if big_blind:
        return {"blinds": (small_blind, big_blind)}
    on_button = button_blind or (small_blind if len(hand.blinds) == 2 else 0)
    if on_button:
        return {"blinds": (on_button,), "blind_on": "button"}
    return {"blinds": (small_blind,)} if small_blind else {}


def _straddle_amounts(hand: PhhHand) -> list[tuple[int, int]]:
    """Return the seats and amounts of the straddles, with the smallest amount first."""
    first_seat, button_blind = (3, _forced_bets(hand)[0])
    last_seat = len(hand.blinds) - bool(button_blind)
    seats = [(seat, hand.blinds[seat - 1]) for seat in range(first_seat, last_seat + 1)]
    return sorted(((seat, amount) for seat, amount in seats if amount > 0), key=lambda item: item[1])


def _straddle_options(hand: PhhHand) -> dict[str, Any]:
    """Return the options of the game that describe the straddles."""
    straddlers = _straddle_amounts(hand)
    if not straddlers:
        return {}
    is_live = straddlers[0] == (3, 2 * hand.blinds[1])
    return {"straddle": "live" if is_live else "mississippi", "restraddles": len(straddlers) - 1}


def _ante_options(hand: PhhHand) -> dict[str, Any]:
    """Return the options of the game that describe the antes."""
    dead = _dead_posts(hand)
    antes = [ante - dead.get(seat, 0) for seat, ante in enumerate(hand.antes, 1)]
    full_ante, count = max(antes), len(antes)
    if not full_ante:
        return {}
    payers = [seat for seat, ante in enumerate(antes, 1) if ante]
    big_seat = 1 if count == 2 else 2
    if len(payers) == 1 and payers[0] == big_seat and hand.blinds[big_seat - 1]:
        return {"ante": full_ante, "ante_by": "big-blind"}
    if payers == [count]:
        return {"ante": full_ante, "ante_by": "button"}
    if all(ante in (full_ante, min(full_ante, stack)) for ante, stack in zip(antes, hand.stacks, strict=True)):
        return {"ante": full_ante}
    raise BadInputError(f"antes = {list(hand.antes)}: expected equal antes, or one ante by the button or big blind")


def _bet_options(hand: PhhHand) -> dict[str, Any]:
    """Return the options of the game that describe the bets."""
    if hand.structure != "fixed-limit":
        return {"min_bet": hand.min_bet}
    rounds = len(VARIANTS[hand.variant].round_names)
    small_rounds = rounds // 2
    return {"bets": (hand.small_bet,) * small_rounds + (hand.big_bet,) * (rounds - small_rounds)}


def _rake_option(hand: PhhHand) -> dict[str, Any]:
    """Return options of the game for a rake that equals the chips missing in the final stacks.

    The whole rake comes out of the main pot.
    """
    missing = sum(hand.stacks) - sum(hand.finishing) if hand.finishing else 0
    return {"rake": Rake(percent=100, cap=missing)} if missing else {}
