"""Games, house options and steps for random sessions.

Some steps come at random from a list. Others are chosen because they are likely at the current table.
"""

from collections.abc import Mapping
from typing import Any

from controller.rules import Hand, Phase
from controller.table import Table

STRUCTURES: tuple[dict[str, Any], ...] = (
    {"structure": "no-limit", "blinds": [1, 2]},
    {"structure": "no-limit", "blinds": [5, 10], "ante": 2, "unit": 5},
    {"structure": "no-limit", "min_bet": 5, "ante": 1},
    {"structure": "no-limit", "blinds": [5, 10], "ante": 10, "ante_by": "big-blind", "ante_order": "blind", "unit": 5},
    {"structure": "no-limit", "blinds": [5], "blind_on": "button", "ante": 5, "variant": "short-deck"},
    {"structure": "pot-limit", "blinds": [2, 5], "variant": "omaha", "pot_unit": 5},
    {"structure": "pot-limit", "blinds": [2, 5], "variant": "big-o", "boards": 2, "dead_small_blind": True},
    {
        "structure": "pot-limit",
        "blinds": [5, 10],
        "small_blind_counts_as_big": True,
        "ante": 10,
        "ante_by": "big-blind",
    },
    {"structure": "half-pot", "ante": 5, "unit": 5, "min_bet": 5, "variant": "badugi"},
    {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8]},
    {"structure": "fixed-limit", "blinds": [2, 4], "bets": [4, 4, 8, 8], "opening": [4, 2, 4, 12]},
    {"structure": "fixed-limit", "blinds": [1, 1, 2], "bets": [4, 4, 8, 8], "variant": "triple-draw"},
    {"structure": "fixed-limit", "blinds": [4], "blind_on": "button", "bets": [4, 8], "variant": "draw"},
    {"structure": "fixed-limit", "ante": 5, "ante_by": "button", "bets": [4, 8], "variant": "single-draw"},
    {"structure": "fixed-limit", "ante": 1, "bring_in": 2, "bets": [5, 5, 10, 10, 10], "variant": "stud8"},
    {"structure": "fixed-limit", "ante": 1, "bring_in": 5, "bets": [5, 5, 10, 10, 10], "variant": "razz"},
    {"structure": "spread-limit", "ante": 1, "spread": [[1, 5]] * 5, "variant": "stud"},
    {"structure": "spread-limit", "blinds": [1, 2], "spread": [[2, 10]] * 4},
    {"structure": "spread-limit", "blinds": [1, 2], "spread": [[2, 10]] * 4, "opening": [2, [2, 4], [4, 20], 10]},
)
HOUSE_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"straddle": "live", "restraddles": 2, "new_player_posts": True, "check_raise": False},
    {"straddle": "mississippi", "restraddles": 1, "button_rule": "moving", "straddle_raise": "double"},
    {"straddle": "sleeper", "button_rule": "simplified", "all_in_rule": "half-bet", "between_blinds": "deal"},
    {"kill": {"factor": 2, "pot": 40}, "new_player_posts": True, "post_one_at_a_time": True},
    {"kill": {"factor": 1.5, "wins": 2}, "kill_acts": "turn", "absent": "dealt-in"},
    {"rock": 3, "min_blind_chips": 10, "half_raise": False, "heads_up_uncapped": True, "absent": "dealt-in"},
    {"stakes": "open", "buy_in": [20, 300], "hand_cap": 80, "raises": 2},
    {"stakes": "open", "buy_in": [20, "largest"], "return_minutes": 60, "check_raise": False},
    {"rake": {"percent": 5, "cap": 4, "no_flop_no_drop": True}, "jackpot": {"amount": 1, "pot": 20}},
    {"rake": {"percent": 10, "as_built": True}, "raises": 0, "all_in_rule": "full-bet"},
    {"rake": {"percent": 10, "as_built": True}, "jackpot": {"amount": 5, "pot": 20}, "kitty": {"amount": 5, "pot": 30}},
    {"jackpot": [{"amount": 5, "pot": 20}, {"amount": 10, "pot": 60}], "kitty": {"amount": 5, "pot": 30}},
    {"button_straddle": "under-the-gun", "seat_change": "waits", "buy_button": True, "button_rule": "moving"},
    {"new_game_free": True, "new_player_posts": True, "double_post": True, "stakes": "open"},
    {"button_straddle": "small-blind", "bomb_button": "stays", "runs": 3, "new_player_posts": True},
)


def game_values(structure: dict[str, Any], house: dict[str, Any], rulebook: str) -> dict[str, Any]:
    """Combine the betting structure, the house options and the rulebook into the values of a `[game]` section.

    Replace a kill factor of 1.5 by 2 if it would give amounts that are not multiples of the unit.
    """
    values = {**structure, **house, "rulebook": rulebook}
    if house.get("kill", {}).get("factor") == 1.5 and structure.get("blinds") != [2, 4]:
        values["kill"] = {"factor": 2, "wins": 2}
    return values


PLAYER_STEPS = (
    *("{s} fold", "{s} check", "{s} call", "{s} bet {a}", "{s} raise to {a}", "{s} raise by {b}", "{s} complete"),
    *("{s} pot", "{s} all-in", "{s} says call", "{s} says raise", "{s} says raise {a}", "{s} says bet {b}"),
    *("{s} says pot", "{s} says all-in", "{s} says check", "{s} says fold", "{s} says time", "{s} chips {b}"),
    *("{s} chips {b} {b}", "{s} chips {a}", "{s} chips 25 5 1", "{s} chips 5 5 1 1", "{s} takes {b}", "{s} takes {a}"),
    *("{s} chips 25 back {b}", "{s} chips 100 100", "{s} {a}", "{s} {b}", "{s} says {b}", "{s} done"),
)
DEALER_STEPS = (
    *("here {s}", "return {s}", "change {s} {a}", "deal", "deal closing", "undo", "undo", "redo", "void"),
    *("hand", "open-pair", "bring-in {s}", "first {s}", "floor bind {s}", "floor release {s}", "floor dead {s}"),
    *("floor bet {s} {a}", "floor turn {s}", "{s} said raise", "{s} said call", "{s} said bet {a}", "{s} said check"),
    *("{s} said all-in", "award main {s}", "award main {s} {t}", "award main high {s} low {t}", "award side1 {s}"),
    *("unplug {s}", "plug {s}", "chop", "floor button {s}", "award main {s}*2 {t}", "award main board1 {s} board2 {t}"),
    *("boards 2", "boards 3", "floor hold", "floor go", "{s} said {b}", "bomb {b}", "{s} was {a}", "{s} was {b}"),
    *("{s} in", "bets-in", "floor pot {a}", "{s} did fold", "{s} did check", "{s} did call", "{s} did raise to {a}"),
    *("{s} did bet {b}", "{s} did all-in"),
)
HOUSE_STEPS = (
    *("{s} sit {a}", "{s} sit {a} as p{t}", "{s} sit {a} transfer", "{s} add {a}", "{s} remove {a}", "{s} leave"),
    *("{s} away", "{s} back", "{s} moves {t}", "{s} stack {a}", "{s} stack unknown", "{s} stack 0", "{s} tip {a}"),
    *("{s} time 6", "{s} cash {a}", "{s} marker {a}", "{s} post", "{s} straddle {a}", "{s} straddle 4"),
    *("{s} straddle 20", "{s} straddle 10", "{s} straddle 40", "kill {s}", "game other", "game main"),
    *("{s} marker {a} from {t}", "{s} redeems {b}", "{s} redeems {b} to {t}", "{s} sit {a} in-stead", "clock {a}"),
    *("{s} buys-button", "dealer d{t}", "open", "close", "skip", "drop {b}", "kitty {b}"),
    *("{s} name p {t}", "{s} name p{t}"),
    *("fill {a}", "credit {b}"),
    *("splash {b}", "splash {a}", "{s} bounty {a}", "{s} from-each {b}", "{s} to-each {b}"),
)


def likely_step(table: Table, shown: Mapping[str, Any], pick: int, amount: int, seat: int) -> str:
    """Return a step line that is likely in the current state of the table."""
    hand = table.hand
    if hand is None or not table.is_hand_in_progress:
        return _between_hands(table, shown, pick, seat)
    if hand.phase in (Phase.BRING_IN, Phase.FIRST_TO_ACT):
        verb = "bring-in" if hand.phase is Phase.BRING_IN and hand.game.bring_in else "first"
        return f"{verb} {hand.active_seats[seat % len(hand.active_seats)] if hand.active_seats else seat}"
    if (
        shown["turn"]
        and hand.round_number == 1
        and pick % 3 == 2
        and hand.bets == hand.posted_blinds
        and hand.game.chop
    ):
        return f"{shown['turn']} fold" if str(shown["turn"]) not in shown["blinds"] else "chop"
    if shown["turn"]:
        return _turn_action(shown, pick, amount)
    if shown["owes"]:
        debtor, debt = next(iter(shown["owes"].items()))
        return f"{debtor} chips {debt}"
    last = hand.is_last_round or len(hand.live_seats) < 2
    if hand.phase is Phase.CLOSED and not last:
        return "deal"
    pots = shown["pots"]
    if not pots or not pots[0]["seats"]:
        return "void"
    seats = pots[0]["seats"]
    winners = [seats[pick % len(seats)], *seats[: amount % 3]]
    return f"award {pots[0]['name']} {' '.join(map(str, dict.fromkeys(winners)))}"


def _between_hands(table: Table, shown: Mapping[str, Any], pick: int, seat: int) -> str:
    """Return the step that starts a hand, or sometimes one that seats a player or redeems a marker."""
    if table.is_closed:
        return "open"
    if len(table.players) < 2 and seat not in table.players:
        return f"{seat} sit {100 + pick}"
    if pick % 8 == 7:
        return f"bomb {1 + seat}"
    if pick % 4 == 2 and seat not in table.players:
        return f"{seat} sit {100 + pick}"
    debtor = next(iter(shown["markers"]), None)
    if pick % 8 == 5 and debtor is not None:
        return f"{debtor} redeems {1 + min(pick, shown['markers'][debtor] - 1)}"
    return "hand"


def _turn_action(shown: Mapping[str, Any], pick: int, amount: int) -> str:
    may, turn = shown["may"], shown["turn"]
    # If an example fails, Hypothesis simplifies it towards the first choice. Raises come first and folds last, because
    # examples with much betting are more useful.
    word = sorted(may, key=("bet", "complete", "raise", "check", "call", "fold").index)[pick % len(may)]
    if word not in ("bet", "raise"):
        return f"{turn} {word}"
    min_total, max_total = shown["min_raise_to"], shown["max_raise_to"]
    if min_total is None:
        return f"{turn} all-in"
    total = min_total + amount % (min(max_total or min_total + 200, min_total + 300) - min_total + 1)
    return f"{turn} bet {total}" if word == "bet" else f"{turn} raise to {total}"


def plausible_step(table: Table, shown: Mapping[str, Any], pick: int, amount: int, seat: int) -> str:
    """Return an unusual step line that the table may accept in its current state.

    If there is no such line, return a likely line.
    """
    steps = (
        _in_hand(table, shown, amount, seat) if table.is_hand_in_progress else _in_between(table, shown, amount, seat)
    )
    return steps[pick % len(steps)] if steps else likely_step(table, shown, pick, amount, seat)


def _in_hand(table: Table, shown: Mapping[str, Any], amount: int, seat: int) -> list[str]:
    hand = table.hand
    assert hand is not None
    steps = [f"floor release {held}" for held in shown["held"]] + [f"floor bind {held}" for held in shown["held"]]
    steps += [f"return {due}" for due in shown["due_back"]]
    steps += [f"{bet} takes {1 + amount % chips}" for bet, chips in shown["bets"].items()]
    steps += [
        f"{bet} {word}" for bet in shown["bets"] for word in ("said raise", "said call", f"said {amount + 1}", "done")
    ]
    steps += [f"{bet} was {max(1, chips + amount % 41 - 20)}" for bet, chips in shown["bets"].items()]
    steps += [
        f"{bet} did {word}" for bet in shown["bets"] for word in ("fold", "check", "call", f"raise to {amount + 1}")
    ]
    steps += [f"{shown['turn']} says raise"] if "raise" in shown["may"] else []
    steps += [f"{seat} chips {1 + amount % 25}" for seat in shown["owes"] or shown["bets"]]
    steps += [f"here {hand.seats_to_act[seat % len(hand.seats_to_act)]}"] if hand.seats_to_act else []
    if shown["round"] == 1 and not hand.action_log:
        steps += _before_anybody_acts(table, hand, amount, seat)
    if shown["round"] == 1 and shown["turn"] and str(shown["turn"]) not in shown["blinds"]:
        steps += 3 * [f"{shown['turn']} fold"]
    elif shown["round"] == 1 and shown["pot"] == sum(shown["blinds"].values()):
        steps += 3 * ["chop"] if hand.game.chop else []
    if not shown["turn"] and len(hand.live_seats) > 1:
        steps += [f"boards {2 + amount % 2}", f"award main {hand.live_seats[0]}*{1 + amount % 5} {hand.live_seats[-1]}"]
    if hand.game.stakes == "open":
        lenders = [other for other in table.players if other not in hand.live_seats]
        steps += [f"{debtor} marker {amount + 1}" for debtor in hand.live_seats[:2]]
        steps += [f"{debtor} marker {amount + 1} from {lender}" for debtor in hand.live_seats[:2] for lender in lenders]
    return steps + (["deal closing", "game other"] if shown["turn"] else [])


def _before_anybody_acts(table: Table, hand: Hand, amount: int, seat: int) -> list[str]:
    """Return step lines that are possible before the first action: posts, straddles, kills and button changes."""
    out = [other for other in table.players if other not in hand.dealt_seats]
    steps = [f"{other} {word}" for other in out for word in ("post", "buys-button")]
    double_blind = 2 * (hand.game.big_blind or 1)
    if hand.game.straddle != "none" or hand.game.button_straddle != "none":
        seats = (hand.turn or seat, hand.button, seat)
        steps += [f"{other} straddle {double_blind * (1 + amount % 2)}" for other in seats]
    return [*steps, f"floor button {seat}", f"kill {hand.dealt_seats[seat % len(hand.dealt_seats)]}"]


def _in_between(table: Table, shown: Mapping[str, Any], amount: int, seat: int) -> list[str]:
    steps = [f"{owing} redeems {1 + amount % debt}" for owing, debt in shown["markers"].items()]
    lent = [marker for marker in table.markers if marker.debtor and marker.lender]
    steps += [f"{marker.debtor} redeems {marker.amount} to {marker.lender}" for marker in lent]
    if seat in table.players:
        player = table.players[seat]
        steps += [f"{seat} back" if player.is_away else f"{seat} away", f"{seat} leave", f"{seat} moves {seat % 7 + 1}"]
        steps += [f"{seat} {word} {amount + 1}" for word in ("add", "cash", "tip", "stack")]
    else:
        steps += [f"{seat} sit {amount + 1}", f"{seat} sit {amount + 1} as p{seat}"]
        steps += [
            f"{seat} sit {max(1, departed.stack - amount % 20)} as {name}"
            for name, departed in table.departed_players.items()
        ]
    steps += 2 * [
        f"{vacated} sit {amount + 1} in-stead" for vacated in table.vacated_seats if vacated not in table.players
    ]
    return [*steps, "bomb 7", f"floor button {seat}", "hand", "hand"]
