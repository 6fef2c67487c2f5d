"""The keys of the main page: the codes of their labels, and the steps that they send.

All functions depend only on the view. The view also proposes steps, such as a straddle of seat 3, which get keys of
their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from controller.messages import STREETS, ScreenKey
from controller.steps import Declaration, DeclarationKind, Step, hand_steps, observations, table_steps
from controller.view import (
    ActionView,
    Alert,
    Choice,
    FloorCallReason,
    KeyLabel,
    MessageValues,
    QuickBet,
    SeatView,
    StepSummary,
    TableView,
)
from ui.state.commands import SentStep
from ui.state.modes import Confirmation, Mode, WagerEntry
from ui.state.touch_targets import FloorCallKey, NamedKey, OfferedStep, QuickBetKey, Target


@dataclass(frozen=True, slots=True)
class Key:
    """A key with a label, and with a detail in smaller letters. `step` is None if the key sends nothing."""

    target: Target
    label: ScreenKey | Choice
    detail: ScreenKey | Choice | StepSummary | ActionView | None = None
    """Text in smaller letters. An action is the one that the words on the key count as."""
    amount: int | None = None
    """Amount for the texts on the key, or None if the texts contain no amount."""
    step: SentStep | None = None
    is_enabled: bool = True
    tone: str = "key"
    opens_mode: Mode | None = None
    """Mode of the screen after a touch on the key, or None if the mode does not change."""
    seat: int = 0
    """Number of the seat for the text in smaller letters, or 0."""
    minutes: int | None = None
    """Minutes for the text in smaller letters, or None if it contains none."""
    name: str = ""
    """Name for the text in smaller letters, or "" if it contains none."""
    meaning: object = None
    """Value that changes if the same step would have other effects, or None if the step says all."""


STILL_IN_ROUND: Final = frozenset({"to-act", "waiting", "acted"})
"""Statuses of seats that can act in this round, now or after a raise."""
_ENTERING_VERBS: Final = frozenset({"bet", "call", "complete", "raise", "all-in"})
"""Verbs of actions with which a player puts in chips, other than a blind or the bring-in."""


def seat_view(view: TableView, seat: int | None) -> SeatView | None:
    """Return the seat with this number, or None if the view has no such seat."""
    return next((candidate for candidate in view.seats if candidate.seat == seat), None)


def action_keys(view: TableView) -> tuple[Key, Key, Key, Key, Key]:
    """Return the keys of the seat in turn. A key is disabled if its action is not allowed."""
    turn = view.turn or 0  # no seat has number 0
    allowed = set(view.allowed_actions) if turn else set()
    return (
        Key(NamedKey.FOLD, "fold", step=_declare(turn, "fold"), is_enabled="fold" in allowed),
        _check_or_call_key(view, turn, allowed),
        _bet_or_raise_key(view, turn, allowed),
        _pot_key(view, turn, allowed),
        _all_in_key(view, turn, allowed),
    )


def _declare(seat: int, kind: DeclarationKind, amount: int = 0) -> hand_steps.Declares:
    """Return the step with which the seat declares an action and puts in its chips."""
    return hand_steps.Declares(seat, Declaration(kind, amount))


def _check_or_call_key(view: TableView, turn: int, allowed: set[str]) -> Key:
    if "call" in allowed:
        turn_seat = seat_view(view, turn)
        is_whole_stack = turn_seat is not None and turn_seat.stack is not None and view.to_call == turn_seat.stack
        label: ScreenKey = "call" if view.to_call is None else "bring-in-amount" if view.brings_in else "call-amount"
        detail: ScreenKey | None = "all-in" if is_whole_stack else None
        return Key(NamedKey.CALL, label, detail, view.to_call, _declare(turn, "call"), tone="main")
    if "check" in allowed:
        return Key(NamedKey.CALL, "check", step=_declare(turn, "check"), tone="main")
    return Key(NamedKey.CALL, "check-or-call", is_enabled=False)


def _bet_or_raise_key(view: TableView, turn: int, allowed: set[str]) -> Key:
    """Return the key for a bet or raise.

    If only one amount is allowed, the key sends this amount. Otherwise the key opens the entry of an amount.
    """
    is_opening_bet = "bet" in allowed
    minimum, maximum = view.min_raise_to, view.max_raise_to
    if not is_opening_bet and "raise" not in allowed:
        if "complete" in allowed:
            detail: ScreenKey | None = "to" if minimum is not None else None
            return Key(
                NamedKey.RAISE,
                "complete",
                detail,
                minimum,
                _declare(turn, "complete"),
            )
        return Key(NamedKey.RAISE, "bet-or-raise", is_enabled=False)
    if view.limit == "fixed" and minimum is not None and minimum == maximum:
        if is_opening_bet:
            return Key(
                NamedKey.RAISE,
                "bet",
                "amount",
                minimum,
                _declare(turn, "bet", minimum),
            )
        return Key(
            NamedKey.RAISE,
            "raise",
            "to",
            minimum,
            _declare(turn, "raise", minimum),
        )
    entry = WagerEntry(turn, is_opening_bet)
    return Key(NamedKey.RAISE, "bet-asks" if is_opening_bet else "raise-asks", opens_mode=entry)


QUICK_BETS: Final[Mapping[QuickBet, ScreenKey]] = {
    "x2": "double",
    "third-pot": "third-pot",
    "x2.5": "two-and-a-half",
    "half-pot": "half-pot-short",
    "x3": "triple",
    "two-thirds-pot": "two-thirds-pot",
}
"""Labels of the bets and raises that one touch sends, in the order of their places, row by row."""


MULTIPLES: Final[frozenset[QuickBet]] = frozenset({"x2", "x2.5", "x3", "last-bet"})
"""Multiples of the current bet, and the last bet, which say nothing about the pot."""


def quick_bet_keys(view: TableView) -> tuple[Key | None, ...]:
    """Return the keys that send a bet or raise of a named size, by their places. A bet that is not legal has no key.

    Before the first bet of a round, the last bet of an earlier round has the place of 2×. If the house does not always
    show the pot, its shares have no keys either, because their amounts would reveal it.
    """
    totals = {kind: total for kind, total in view.quick_bets.items() if kind in MULTIPLES or view.show_pot == "always"}
    keys = [
        _wager_key(view, QuickBetKey(kind), label, totals[kind]) if kind in totals else None
        for kind, label in QUICK_BETS.items()
    ]
    return (keys[0] or _wager_key(view, QuickBetKey("last-bet"), "last-bet", totals.get("last-bet")), *keys[1:])


def min_bet_key(view: TableView) -> Key:
    """Return the key that sends the smallest bet or raise. It is disabled if RAISE itself sends it or none is legal."""
    has_one_amount = _bet_or_raise_key(view, view.turn or 0, set(view.allowed_actions)).step is not None
    key = None if has_one_amount else _wager_key(view, QuickBetKey("min"), "min-short", view.min_raise_to)
    return key or Key(QuickBetKey("min"), "min-short", is_enabled=False)


def _wager_key(view: TableView, target: QuickBetKey, label: ScreenKey, total: int | None) -> Key | None:
    """Return the key that sends a bet or raise to this total, or None if the seat in turn cannot make it."""
    words: DeclarationKind = "bet" if "bet" in view.allowed_actions else "raise"
    if view.turn is None or total is None or words not in view.allowed_actions:
        return None
    detail: ScreenKey = "to" if target.kind == "min" and words == "raise" else "amount"
    return Key(target, label, detail, total, _declare(view.turn, words, total))


def _pot_key(view: TableView, turn: int, allowed: set[str]) -> Key:
    label: ScreenKey = "half-pot" if view.limit == "half-pot" else "pot"
    pot_to = view.pot_to if view.show_pot == "always" else None  # the amount would reveal a hidden pot
    maximum = view.max_raise_to if view.limit in ("pot", "half-pot") else pot_to
    if maximum is None or not allowed & {"bet", "raise"}:
        return Key(NamedKey.POT, label, is_enabled=False)
    is_opening_bet = "bet" in allowed
    words: DeclarationKind = "bet" if is_opening_bet else "raise"
    step = _declare(turn, "pot") if view.limit == "pot" else _declare(turn, words, maximum)
    return Key(
        NamedKey.POT,
        label,
        "amount" if is_opening_bet else "to",
        maximum,
        step,
        tone="strong",
    )


def _all_in_key(view: TableView, turn: int, allowed: set[str]) -> Key:
    """Return the all-in key, which shows the total that the bet of the seat will have if the seat goes all-in.

    If the seat has more chips than the betting structure allows, the key says which action "all-in" counts as, and
    sends this action. Example: with 1,500 behind and a pot raise to 35, the key reads "ALL-IN = pot 35".
    The key is enabled for every seat that may put in chips, because the recorded stack is only an estimate.
    """
    turn_seat = seat_view(view, turn)
    if turn_seat is None or not allowed & {"bet", "call", "complete", "raise"}:
        return Key(NamedKey.ALL_IN, "all-in", is_enabled=False)
    if view.all_in is not None and view.all_in.excess:
        return _limited_all_in_key(view, turn, view.all_in.action)
    if view.all_in is not None:
        is_call = view.all_in.action.verb == "call" and view.all_in.action.all_in
        amount = view.to_call if is_call else view.all_in.action.amount
    else:
        amount = turn_seat.stack
    detail: ScreenKey | None = ("to" if "raise" in allowed else "amount") if amount else None
    return Key(NamedKey.ALL_IN, "all-in", detail, amount or None, _declare(turn, "all-in"), tone="all-in-key")


def _limited_all_in_key(view: TableView, turn: int, action: ActionView) -> Key:
    """Return the all-in key of a seat that may not bet its whole stack."""
    match action.verb:
        case "bet" | "raise" if view.limit == "pot":
            return Key(NamedKey.ALL_IN, "all-in", "counts-as-pot", action.amount, _declare(turn, "pot"))
        case "bet" | "raise" as verb:
            counts_as, step = ActionView(verb=verb, amount=action.amount), _declare(turn, verb, action.amount)
        case "complete":
            counts_as, step = action, _declare(turn, "complete")
        case "check":
            counts_as, step = action, _declare(turn, "check")
        case _:
            counts_as, step = ActionView(verb="call"), _declare(turn, "call")
    return Key(NamedKey.ALL_IN, "all-in", counts_as, step=step)


# --- what the view offers ---

SEAT_PANEL_OFFERS: frozenset[KeyLabel] = frozenset({"posts", "straddles", "kills", "buys-button"})
"""Labels of the proposed steps that have a key in the panel of their seat."""
SEAT_TOUCH_OFFERS: frozenset[KeyLabel] = frozenset({"acts-first", "brings-in"})
"""Labels of the proposed steps that are sent by a touch on their seat."""
FLOOR_OFFERS: frozenset[KeyLabel] = frozenset({"plays-game"})
"""Labels of the proposed steps that only the floor may send. If badges are in use, these steps need the floor's badge.
"""
DEDICATED_KEY_OFFERS: frozenset[KeyLabel] = frozenset({"deal", "next-hand"})
"""Labels of the proposed steps that always have the same key."""
MAX_OFFER_KEYS: Final = 3
"""Maximum number of keys on the main page for steps that the view proposes."""


def _find_offer(view: TableView, label: KeyLabel) -> Choice | None:
    """Return the first proposed step with this label, or None if the view proposes no such step."""
    return next((choice for choice in view.next_choices if choice.label == label), None)


def seats_to_name(view: TableView) -> tuple[int, ...]:
    """Return the seats of which the dealer must name the bring-in or the first to act."""
    if view.turn is not None:
        return ()
    return tuple([choice.values.seat for choice in view.next_choices if choice.label in SEAT_TOUCH_OFFERS])


def can_award_pot(view: TableView) -> bool:
    """Return True if a pot can be awarded now."""
    return bool(view.next_pot_to_award) or _find_offer(view, "award") is not None


def is_award_next(view: TableView) -> bool:
    """Return True if the hand only needs the award of its pots. A touch on a seat then selects a winner."""
    return view.turn is None and _find_offer(view, "deal") is None and can_award_pot(view)


def can_deal_hand(view: TableView) -> bool:
    """Return False if fewer than two players sit at the table, so that no hand can be dealt."""
    return sum(seat.status != "empty" for seat in view.seats) >= 2


def presumed_actions(view: TableView, until: int | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seats that fold and the seats that check if the turn passes to the seat `until`.

    If `until` is None, the turn passes all seats that are left to act. A seat with an action out of turn is left out.
    """
    turn = seat_view(view, view.turn)
    if turn is None:
        return (), ()
    bet_to_match = turn.bet + turn.chips_owed + (view.to_call or 0)
    start = view.seats.index(turn)
    folding, checking = list[int](), list[int]()
    for seat in (*view.seats[start:], *view.seats[:start]):
        if seat.seat == until:
            break
        if seat.status in ("to-act", "waiting") and seat.held_action is None:
            (folding if seat.bet + seat.chips_owed < bet_to_match else checking).append(seat.seat)
    return tuple(folding), tuple(checking)


def may_get_turn(view: TableView, seat: SeatView) -> bool:
    """Return True if the turn can pass to this seat, because the seats before it have folded or checked."""
    return seat.status in STILL_IN_ROUND and view.turn not in (None, seat.seat)


class HeldSeatStep(NamedTuple):
    """The step of a finger that rests on the tile of a seat, and the seats that it passes."""

    step: Step
    folding: tuple[int, ...] = ()
    checking: tuple[int, ...] = ()


def turn_passing_steps(view: TableView) -> dict[int, HeldSeatStep]:
    """Return the seats to which the turn can pass, each with the step that passes it and the seats that it passes."""
    return {
        seat.seat: HeldSeatStep(hand_steps.ActionOn(seat.seat), *presumed_actions(view, seat.seat))
        for seat in view.seats
        if may_get_turn(view, seat)
    }


def _closing_key(view: TableView) -> Key | None:
    """Return the key with which all seats left to act fold or check, or None if the round cannot end like that.

    The key says what these seats do, and what follows. Nobody folds to the blinds alone with this key, so that a touch
    too many after the deal ends no hand.
    """
    live = [seat for seat in view.seats if seat.status in {*STILL_IN_ROUND, "all-in"}]
    if view.turn is None or view.brings_in or any(seat.held_action is not None for seat in live):
        return None
    folding, checking = presumed_actions(view)
    has_action = any(seat.last_action is not None and seat.last_action.verb in _ENTERING_VERBS for seat in live)
    if folding and not has_action:
        return None
    label: ScreenKey = "all-check" if not folding else "rest-fold" if not checking else "folds-and-checks"
    detail, winners = _after_round(view), [seat.seat for seat in live if seat.seat not in folding]
    if len(winners) == 1:
        detail = "seat-wins"
    step, meaning = hand_steps.DealsStreet(closes_betting=True), (view.hand_number, view.round, folding)
    return Key(NamedKey.DEAL_CLOSING, label, detail, step=step, seat=winners[0], meaning=meaning)


def _after_round(view: TableView) -> Choice | ScreenKey:
    """Return what follows after the betting round: the deal of the next street, or the showdown."""
    if view.round >= len(STREETS[view.game.variant]):
        return "then-showdown"
    return Choice(label="deal", do="", values=MessageValues(street=view.round + 1, variant=view.game.variant))


def next_step_key(view: TableView) -> Key:
    """Return the key that continues the hand: deal, award a pot, or start the next hand. Or open a closed table.

    An uncalled bet goes back before the pots. If only one seat can win the pot, one touch awards it. While a seat is in
    turn, the key says that all seats left to act check or fold. The key is disabled if the hand cannot continue now, or
    if fewer than two players sit. It is the primary key, unless a seat is in turn.
    """
    if view.is_closed:
        return open_table_key()
    tone = "main" if view.turn is None else "key"
    deal, next_hand, only_award = _find_offer(view, "deal"), _find_offer(view, "next-hand"), _find_offer(view, "award")
    if deal is not None:
        return Key(NamedKey.DEAL, deal, step=deal, tone=tone)
    if next_hand is not None:
        return Key(NamedKey.NEXT_HAND, next_hand, step=next_hand, is_enabled=can_deal_hand(view), tone=tone)
    if can_award_pot(view):
        uncalled_back = _find_offer(view, "uncalled-back")
        if uncalled_back is not None:
            return Key(NamedKey.AWARD, uncalled_back, step=uncalled_back, tone=tone)
        if only_award is None or view.next_pot_to_award not in ("", only_award.values.pot):
            return Key(NamedKey.AWARD, "award", tone=tone)
        return Key(
            NamedKey.AWARD,
            "award",
            "to-seat",
            seat=only_award.values.seat,
            step=only_award,
            tone=tone,
        )
    return _closing_key(view) or Key(NamedKey.DEAL, "deal", is_enabled=False, tone=tone)


def open_table_key() -> Key:
    """Return the key that opens a closed table. It asks first, because the accounts start again."""
    confirmation = Confirmation("opens-sure", table_steps.OpensTable())
    return Key(NamedKey.OPEN_TABLE, "opens", opens_mode=confirmation, tone="main")


def offered_step_keys(view: TableView) -> tuple[Key, ...]:
    """Return the keys for proposed steps on the main page, such as to return chips, run it twice or chop."""
    if not view.next_choices:
        return ()
    can_deal, next_step = _find_offer(view, "deal") is not None, next_step_key(view).step
    return tuple(
        Key(
            OfferedStep(index),
            choice,
            step=choice,
            tone="floor" if choice.label in FLOOR_OFFERS else "key",
        )
        for index, choice in enumerate(view.next_choices)
        if choice.label not in DEDICATED_KEY_OFFERS | SEAT_PANEL_OFFERS | SEAT_TOUCH_OFFERS
        and (can_deal or choice.label != "award")
        and choice is not next_step
    )


def seat_offer_keys(view: TableView, seat: int) -> tuple[Key, ...]:
    """Return the keys for the steps that the view proposes for this seat, such as to post or to straddle."""
    return tuple(
        Key(OfferedStep(index), choice, step=choice)
        for index, choice in enumerate(view.next_choices)
        if choice.label in SEAT_PANEL_OFFERS and choice.values.seat == seat
    )


def main_page_offer_keys(is_pot_shown: bool, view: TableView) -> tuple[Key, ...]:
    """Return the keys for proposed steps on the main page. If not all keys fit, the last key opens a full list."""
    keys = offered_step_keys(view)
    if view.show_pot == "on-request":
        keys = (*keys, Key(NamedKey.SHOW_POT, "hide-pot" if is_pot_shown else "show-pot", tone="quiet"))
    max_keys = MAX_OFFER_KEYS - (2 if view.redo is not None else 0)
    return keys if len(keys) <= max_keys else (*keys[: max_keys - 1], Key(NamedKey.MORE_OFFERS, "more-offers"))


def _as_key_detail(step: StepSummary | None) -> StepSummary | None:
    """Return a summary that fits a key. It does not say that a bet is all-in. An action out of turn has no amount.

    Example: "Seat 8 raises to $163,455.89, all-in" becomes "Seat 8 raises to $163,455.89".
    """
    if step is None or step.action is None or not (step.is_held or step.action.all_in):
        return step
    amount = 0 if step.is_held else step.action.amount
    return msgspec.structs.replace(step, action=ActionView(verb=step.action.verb, amount=amount))


def undo_key(view: TableView) -> Key:
    """Return the undo key, which names the step that it undoes.

    The key asks for confirmation if the step belongs to the previous hand.
    """
    step, detail = hand_steps.Undoes(), _as_key_detail(view.undo)
    if view.undo_crosses:
        return Key(NamedKey.UNDO, "undo", detail, opens_mode=Confirmation("undo-crosses", step), tone="undo")
    return Key(NamedKey.UNDO, "undo", detail, step=step, is_enabled=view.undo is not None, tone="undo")


def undo_here_key(view: TableView, *, was_held: bool) -> Key | None:
    """Return the large undo key after the turn has passed to a seat, or after a held seat has got a pot.

    Return None if the last step was another one.
    """
    is_large_step = view.undo is not None and view.undo.step in ("action-on", *(("awards",) if was_held else ()))
    if not is_large_step or view.redo is not None:
        return None
    return replace(undo_key(view), target=NamedKey.UNDO_HERE, detail=None, tone="choice")


def redo_key(view: TableView) -> Key | None:
    """Return the redo key, which names the step that it redoes. Return None if there is nothing to redo.

    The key asks for confirmation if the step belongs to the next hand.
    """
    if view.redo is None:
        return None
    step, detail = hand_steps.Redoes(), _as_key_detail(view.redo)
    if view.redo_crosses:
        return Key(NamedKey.REDO, "redo", detail, opens_mode=Confirmation("redo-crosses", step), tone="undo")
    return Key(NamedKey.REDO, "redo", detail, step=step, tone="undo")


def floor_call(view: TableView) -> Alert | None:
    """Return the alert about the call for the floor, or None if the floor is not called."""
    return next((alert for alert in view.alerts if alert.code == "floor-called"), None)


def call_floor_key(call: Alert | None = None) -> Key:
    """Return the key that calls the floor.

    With the alert about a call, it shows who is coming, or else how many minutes ago this was. It then opens the
    decisions of the floor.
    """
    if call is None:
        return Key(NamedKey.CALL_FLOOR, "call-floor", step=observations.CallsFloor(), tone="floor")
    name, minutes = call.values.name, call.values.count
    return Key(
        NamedKey.CALL_FLOOR,
        "floor-keys" if name else "floor-ruling",
        "floor-coming" if name else "floor-comes" if minutes is None else "floor-since",
        minutes=None if name else minutes,
        name=name,
        step=observations.CallsFloor(),
        tone="floor",
    )


class MainPageKeys(NamedTuple):
    """The keys of the main page, which is shown while the dealer enters nothing. The service keys are left out."""

    actions: tuple[Key, ...]
    """The actions of the seat in turn and the smallest bet, or an empty tuple while the dealer must do something else.
    """
    offers: tuple[Key, ...]
    """The steps that the view proposes, such as to run it twice."""
    undo: Key
    redo: Key | None
    next_step: Key
    quick_bets: tuple[Key | None, ...]
    """Bets of a named size by their places, or an empty tuple if no seat is in turn."""


def main_page_keys(view: TableView, *, is_pot_shown: bool) -> MainPageKeys:
    """Return the keys of the main page."""
    can_act = view.turn is not None or (view.phase == "betting" and not seats_to_name(view))
    return MainPageKeys(
        actions=(*action_keys(view), min_bet_key(view)) if can_act else (),
        offers=main_page_offer_keys(is_pot_shown, view),
        undo=undo_key(view),
        redo=redo_key(view),
        next_step=next_step_key(view),
        quick_bets=quick_bet_keys(view) if view.turn is not None else (),
    )


FLOOR_CALL_REASONS: Final[Mapping[FloorCallReason, ScreenKey]] = {
    "ruling": "floor-why-ruling",
    "fill": "floor-why-fill",
    "credit": "floor-why-credit",
    "player": "floor-why-player",
    "service": "floor-why-service",
}
"""Labels of the keys that say why the floor is called, in the order of their places."""


def floor_call_reason_keys() -> tuple[Key, ...]:
    """Return the keys that say why the floor is called."""
    return tuple(
        [
            Key(FloorCallKey(reason), label, step=observations.CallsFloor(reason), tone="floor")
            for reason, label in FLOOR_CALL_REASONS.items()
        ]
    )


def seat_touch_step(view: TableView, seat: int) -> Choice | None:
    """Return the step that a touch on this seat sends while no seat is in turn. Return None if there is no such step.

    The step says that the seat acts first, or that the seat must pay the bring-in.
    """
    choices = (choice for choice in view.next_choices if choice.label in SEAT_TOUCH_OFFERS)
    return next((choice for choice in choices if choice.values.seat == seat), None)


def awaited_seat_label(view: TableView) -> KeyLabel | None:
    """Return "acts-first" or "brings-in" if the next touch on a seat decides this. Otherwise return None."""
    return next((choice.label for choice in view.next_choices if choice.label in SEAT_TOUCH_OFFERS), None)
