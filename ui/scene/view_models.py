"""Texts and colours for the parts of the screen, made from a view of the table.

The models contain no positions and need no window. `ui.scene.scene` gives them their places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple

from controller.messages import STREETS, Messages, ScreenKey
from controller.view import (
    ActionView,
    Alert,
    BetSource,
    HandStage,
    HoldReason,
    PotView,
    SeatView,
    StepSummary,
    TableView,
    Urgency,
)
from ui.scene.text_layout import format_seat_ranges
from ui.state import Explanation, main_keys

ALERT_SIGNS: Final[Mapping[Urgency, str]] = {"info": "i", "question": "?", "warning": "!"}
SOURCE_MARKS: Final[Mapping[BetSource, str]] = {
    "book": "",
    "sensed": "\u25c9",
    "confirmed": "\u2713",
    "keyed": "\u270e",
}
"""Signs for the source of a bet, as characters of the font DejaVu Sans.

- An eye means that sensors read the bet.
- A tick means that the dealer confirmed the bet.
- A pencil means that the dealer entered the bet.
"""
NO_MARKS: Final[Mapping[BetSource, str]] = dict.fromkeys(SOURCE_MARKS, "")
FOLD_QUESTION: Final = "behind-the-turn"
"""Code of the question whether the seats before a seat that has acted have folded or checked."""

BETWEEN_HANDS_MESSAGES: Final[Mapping[HandStage, ScreenKey]] = {"idle": "between-hands", "over": "hand-over"}
HOLD_MESSAGES: Final[Mapping[HoldReason, ScreenKey]] = {"hand-for-hand": "hold-hand-for-hand", "break": "hold-break"}
NO_SEATS: Final = "\N{EN DASH}"
"""Sign in place of seat numbers if there is no such seat."""
SEPARATOR: Final = " · "
BOARD_SEPARATOR: Final = " + "


class SeatTileModel(NamedTuple):
    """The texts in the tile of a seat: number, stack, status, and one more line.

    The last line shows a flag, which is a short notice such as a warning or an unpaid marker. Without a flag it shows
    the player's name.
    """

    number: str
    stack: str
    status: str
    tone: str
    flag: str = ""
    flag_tone: str = "soft"
    name: str = ""
    short_status: str = ""
    """Status of the seat without its amount, for a narrow tile. The bet spot also shows the amount."""
    alert_sign: str = ""
    """Sign of the most urgent alert about this seat, or "" if there is no alert."""
    alert_level: Urgency = "info"
    has_button: bool = False
    is_occupied: bool = True
    """True if a player sits at the seat."""
    blind: Literal["", "small-blind", "big-blind"] = ""
    """Which blind the seat has in the first betting round, or posts next. It is "" for a straddle or a kill blind."""


class BetSpotModel(NamedTuple):
    """The texts at a bet spot: the bet, a sign for its source, and notes about other chips."""

    bet: str = ""
    source_mark: str = ""
    unsettled: str = ""
    """Amount of chips on the spot that do not count as a bet yet. It is "" if the seat has a bet. The amount has other
    colours than a bet."""
    notes: tuple[tuple[str, str], ...] = ()
    """Notes about the chips on the spot, each with the name of its colours. The most urgent note is first."""
    is_live: bool = True


class NumberModel(NamedTuple):
    """One of the numbers for the seat in turn: the amount to call, the smallest raise, or the largest raise."""

    label: str
    amount: str
    tone: str
    note: str = ""


AlertDetail = Literal["action", "text", "rule"]
"""What the alert band shows about an alert: what to do, the whole text, or the rule behind the alert."""


class AlertBandModel(NamedTuple):
    """The texts in the alert band. All fields are empty if there is no alert."""

    level: Urgency | Literal[""] = ""
    sign: str = ""
    level_name: str = ""
    title: str = ""
    text: str = ""
    is_action: bool = False
    """True if the text only says what to do. It is then as large as the title."""


class PotModel(NamedTuple):
    """The texts about one pot in the list of pots: its name, its amount, its seats, and its short name."""

    name: str
    amount: str
    seats: str
    short_name: str


class TableModel(NamedTuple):
    """The texts of the table as a whole."""

    title_bar: tuple[str, str]
    """Texts at the left and at the right end of the title bar."""
    recent_steps: tuple[str, ...]
    """Short descriptions of the last steps, newest first."""
    notes: tuple[str, ...]
    """Texts about the next level or game, and about the amounts in the accounts of the house."""
    street: str
    street_progress: tuple[int, int]
    """Number of the street, counted from 1, and number of streets in this variant. Both are 0 between hands."""
    pot: tuple[str, str]
    """Label and amount of the pot. The amount is empty while the pot is hidden."""
    pot_list: tuple[PotModel, ...]
    """All pots, or an empty list if there is only one pot and one board."""
    max_bet_sum: str
    """Text that shows how the largest bet or raise is calculated, or the reason why no raise is allowed."""
    last_pot_by_seat: Mapping[int, str]
    """Short name of the last pot that each all-in seat can win, by seat."""
    numbers: tuple[NumberModel, NumberModel, NumberModel]


class _SeatTexts(NamedTuple):
    """All texts about a seat, from which the seat tile and the bet spot select. A text that does not apply is empty."""

    stack: str
    status: str
    last: str
    short_last: str
    """Last action without its amount."""
    presumed: str
    held: str
    blind: str
    owes: str
    bet: str
    seen: str
    due_back: str
    markers: str


def seat_models(
    view: TableView, messages: Messages, selected_seats: Collection[int], last_pot_by_seat: Mapping[int, str]
) -> tuple[list[SeatTileModel], list[BetSpotModel]]:
    """Return the texts for the tile and for the bet spot of every seat."""
    blind_keys = [_blind_key(seat) for seat in view.seats]
    texts = [
        _SeatTexts(
            stack=messages.text("stack-unknown") if seat.stack is None else messages.amount(seat.stack),
            status=messages.seat_status(seat.status),
            last=messages.action(seat.last_action) if seat.last_action else "",
            short_last=messages.action(ActionView(verb=seat.last_action.verb, all_in=seat.last_action.all_in))
            if seat.last_action
            else "",
            presumed=messages.text(seat.presumed_action) if seat.presumed_action else "",
            held=messages.action(seat.held_action) if seat.held_action else "",
            blind=messages.text(blind_key, amount=seat.blind) if blind_key is not None else "",
            owes=messages.text("owes", amount=seat.chips_owed) if seat.chips_owed else "",
            bet=messages.amount(seat.bet) if seat.bet else "",
            seen=messages.amount(seat.uncounted) if seat.uncounted else "",
            due_back=messages.text("due-back", amount=seat.due_back) if seat.due_back else "",
            markers=messages.text("markers", amount=seat.markers_owed) if seat.markers_owed else "",
        )
        for seat, blind_key in zip(view.seats, blind_keys, strict=True)
    ]
    alert_levels = {alert.values.seat: alert.level for alert in reversed(view.alerts)}
    asked = {alert.values.seat for alert in view.alerts if alert.code == FOLD_QUESTION}
    seats = list(zip(view.seats, texts, strict=True))
    tiles = [
        _seat_tile(
            seat,
            seat_texts,
            view,
            messages,
            seat.seat in selected_seats,
            alert_levels.get(seat.seat),
            last_pot_by_seat.get(seat.seat, ""),
            is_asked=seat.seat in asked,
        )
        for seat, seat_texts in seats
    ]
    uncalled_by_seat = _uncalled_by_seat(view)
    # Without sensors the dealer enters every bet, so that a sign for it says nothing.
    marks = SOURCE_MARKS if view.sensors != "off" else NO_MARKS
    return tiles, [
        _bet_spot(seat, seat_texts, messages, uncalled_by_seat.get(seat.seat, 0), marks[seat.bet_source])
        for seat, seat_texts in seats
    ]


def _seat_tile(
    seat: SeatView,
    texts: _SeatTexts,
    view: TableView,
    messages: Messages,
    is_selected: bool,
    alert_level: Urgency | None,
    last_pot: str,
    *,
    is_asked: bool,
) -> SeatTileModel:
    flag, flag_tone = _seat_flag(seat, texts, messages, is_asked=is_asked)
    status = _seat_status(seat, texts, view, messages)
    if seat.status == "empty" and seat.queued_steps:  # the tile of an empty seat has one line
        status, flag = flag, ""
    return SeatTileModel(
        number=str(seat.seat),
        stack="" if seat.status == "empty" else texts.stack,
        is_occupied=seat.status != "empty",
        status=SEPARATOR.join(filter(None, (status, last_pot))),
        short_status=texts.short_last if status == texts.last else "",
        tone="picked" if is_selected else _seat_tone(seat, view),
        flag=flag,
        flag_tone=flag_tone,
        name="" if flag else seat.name,
        alert_sign=ALERT_SIGNS[alert_level] if alert_level else "",
        alert_level=alert_level or "info",
        has_button=seat.button or view.button == seat.seat,
        blind=_blind_name(seat, view),
    )


def _blind_name(seat: SeatView, view: TableView) -> Literal["", "small-blind", "big-blind"]:
    if not seat.blind or seat.kill or seat.straddle or not view.game.blinds:
        return ""
    return "big-blind" if seat.is_big_blind or seat.blind >= view.game.blinds[-1] else "small-blind"


def _seat_tone(seat: SeatView, view: TableView) -> str:
    if seat.acted_early:
        return "early"
    if seat.seat == view.turn or seat.status == "to-act":
        return "turn"
    return {"waiting": "live", "out": "away"}.get(seat.status, seat.status)


def _seat_status(seat: SeatView, texts: _SeatTexts, view: TableView, messages: Messages) -> str:
    if seat.presumed_action:
        has_flag = seat.held_action or seat.chips_owed
        return (
            messages.text("presumed", action=messages.action(ActionView(verb=seat.presumed_action)))
            if has_flag
            else texts.presumed
        )
    if texts.blind and (seat.kill or seat.straddle) and (seat.last_action is None or seat.last_action.verb == "blind"):
        return texts.blind
    if seat.status in ("waiting", "acted") and (texts.last or texts.blind):
        return texts.last or texts.blind
    if seat.status == "waiting" and view.phase in ("idle", "over"):
        return ""
    return texts.status


def _seat_flag(seat: SeatView, texts: _SeatTexts, messages: Messages, *, is_asked: bool) -> tuple[str, str]:
    """Return the flag of a seat and the name of its colours.

    While the dealer is asked whether the seats before have folded, nobody knows whether the seat was out of turn.
    """
    if seat.clock_seconds is not None:
        return messages.text("clock", count=seat.clock_seconds), "owes"
    if seat.chips_owed:
        return (f"{texts.owes} · {texts.held}" if seat.held_action else texts.owes), "owes"
    if seat.held_action:
        held = seat.held_action
        verb = messages.action(ActionView(verb=held.verb, all_in=held.all_in))
        if held.amount and not seat.held_chips:  # otherwise the bet spot shows the amount
            return messages.text("held-amount", action=verb, amount=held.amount), "held"
        return messages.text("held-asked" if is_asked else "held", action=verb), "held"
    if seat.presumed_action:
        return messages.text("presumed-flag"), "presumed"
    if seat.queued_steps:
        return _queued_text(seat, messages), "presumed"
    if seat.not_in_hand_reason not in ("", "away"):
        return messages.not_in_hand_reason(seat), "presumed"
    if seat.missed_blinds:
        return messages.text("missed", amount=seat.missed_blinds), "presumed"
    if texts.markers:
        return texts.markers, "presumed"
    return "", "soft"


_QUEUED_KEYS: Final[Mapping[str, ScreenKey]] = {
    "sits": "later-sits",
    "leaves": "later-leaves",
    "goes-away": "later-goes-away",
    "comes-back": "later-comes-back",
    "changes-seat": "later-changes-seat",
    "adds": "later-adds",
    "plays-cash": "later-adds",
}
"""Texts of the steps that wait for the end of the hand, by the code of the step."""


def _queued_text(seat: SeatView, messages: Messages) -> str:
    """Return what is done first when the hand is over, such as "then +$100". Three dots stand for further steps."""
    step, *further = seat.queued_steps
    text = messages.text(_QUEUED_KEYS[step.step], amount=step.amount, seat=step.seats[0] if step.seats else 0)
    return f"{text} …" if further else text


def _blind_key(seat: SeatView) -> ScreenKey | None:
    """Return the text for the seat's blind, or None if it has no blind. Blinds are also shown between hands."""
    if not seat.blind:
        return None
    return "kill-blind" if seat.kill else "straddles" if seat.straddle else "blind"


def _bet_spot(seat: SeatView, texts: _SeatTexts, messages: Messages, uncalled: int, source_mark: str) -> BetSpotModel:
    """Return the texts of a bet spot. Chips that do not count as a bet must never look like a bet."""
    notes: list[tuple[str, str]] = []
    if uncalled:
        notes.append((messages.text("uncalled-bet", amount=uncalled), "push-back"))
    if seat.due_back:
        notes.append((texts.due_back, "push-back"))
    if seat.held_chips:
        notes.append((messages.text("held-chips", amount=seat.held_chips), "held"))
    if seat.tray == "offline":
        notes += [(messages.text("tray-offline"), "offline"), (messages.text("tray-offline-advice"), "seen")]
    if seat.uncounted and seat.bet:
        notes.append((messages.text("seen-at-least" if seat.at_least else "seen", amount=seat.uncounted), "seen"))
    elif seat.uncounted:
        notes.append((messages.text("seen-alone-at-least" if seat.at_least else "seen-alone"), "seen"))
    elif seat.tray == "unsettled":
        notes.append((messages.text("chips-moving"), "seen"))
    if seat.unknown_tags:
        notes.append((messages.text("unknown-chips", count=seat.unknown_tags), "offline"))
    return BetSpotModel(
        bet=texts.bet,
        source_mark=source_mark if seat.bet else "",
        unsettled=f"+{texts.seen}" if seat.uncounted and not seat.bet else "",
        notes=tuple(notes),
        is_live=seat.status not in ("empty", "away", "out"),
    )


def table_model(view: TableView, messages: Messages, *, pot_visible: bool) -> TableModel:
    """Return the texts of the table as a whole."""
    has_boards = pot_visible and any(pot.boards for pot in view.pots)
    has_pot_list = has_boards or len(pots_with_winners(view)) > 1
    stage, street_progress = stage_key(view), _street_progress(view)
    notes = (_level(view, messages), _next_game(view, messages), _accounts(view, messages))
    numbers = _numbers(view, messages)
    hand = messages.text("hand", number=view.hand_number) if view.hand_number else ""
    title = SEPARATOR.join(filter(None, (view.table_name, messages.game(view.game), hand)))
    recent_steps: tuple[str, ...] = ()
    if view.last_step is not None:
        newest = messages.step_summary(view.last_step, recorded=view.is_recorded)
        recent_steps = (newest, *map(messages.step_summary, view.recent_steps))
    return TableModel(
        title_bar=(title, messages.house_status(view)),
        recent_steps=recent_steps,
        notes=tuple(filter(None, notes)),
        street_progress=street_progress,
        street=messages.street_title(view.game, view.round, stage),
        pot=(messages.text("pot"), messages.amount(view.pot)) if pot_visible else (messages.text("pot-hidden"), ""),
        pot_list=_pot_models(view, messages, show_amounts=pot_visible) if has_pot_list else (),
        max_bet_sum=messages.largest_bet(view.largest_bet) if view.largest_bet is not None else "",
        last_pot_by_seat=_last_pot_by_seat(view, messages) if has_pot_list else {},
        numbers=numbers,
    )


def _street_progress(view: TableView) -> tuple[int, int]:
    """Return the number of the street and the number of streets of the variant. Return zeros between hands."""
    if not view.round or view.phase in BETWEEN_HANDS_MESSAGES:
        return 0, 0
    return view.round, len(STREETS[view.game.variant])


def _last_pot_by_seat(view: TableView, messages: Messages) -> dict[int, str]:
    """Return the short name of the last pot that each all-in seat can win, by seat."""
    all_in = {seat.seat for seat in view.seats if seat.status == "all-in"}
    return {
        seat: messages.pot_short(pot.name) for pot in pots_with_winners(view) for seat in pot.seats if seat in all_in
    }


def stage_key(view: TableView) -> ScreenKey | None:
    """Return the text of the table's state between two hands, such as a break. During a hand, return None."""
    between_hands = BETWEEN_HANDS_MESSAGES.get(view.phase)
    return None if between_hands is None else HOLD_MESSAGES.get(view.hold, between_hands)


def _next_game(view: TableView, messages: Messages) -> str:
    """Return the name of the next game, or "" if the view names no next game.

    A game that was selected for the next hand has priority over the next game of the mix.
    """
    if view.next_game is not None:
        return messages.text("next-game", game=messages.game(view.next_game))
    return messages.text("follows", game=messages.game(view.next_in_mix)) if view.next_in_mix is not None else ""


def _level(view: TableView, messages: Messages) -> str:
    """Return a text with the level, its remaining minutes and the next level, or "" outside a tournament."""
    level = view.level
    if level is None:
        return ""
    key: ScreenKey = "level" if level.minutes_left else "level-over"
    parts = [messages.text(key, name=level.name, count=level.minutes_left)]
    if level.next_game is not None:
        parts.append(messages.text("level-next", stakes=messages.stakes(level.next_game)))
    if level.until_break is not None:
        parts.append(messages.text("until-break", count=level.until_break))
    return SEPARATOR.join(parts)


def _accounts(view: TableView, messages: Messages) -> str:
    """Return the names and amounts of the accounts that are not empty."""
    balances = [(name, amount) for name, amount in sorted(view.accounts.items()) if amount]
    return SEPARATOR.join([f"{messages.account(name)} {messages.amount(amount)}" for name, amount in balances])


def _pot_models(view: TableView, messages: Messages, *, show_amounts: bool) -> tuple[PotModel, ...]:
    """Return the texts about the pots. If several boards are played, the amount of a pot is shown for each board."""
    models = []
    for pot in pots_with_winners(view):
        amount = BOARD_SEPARATOR.join(map(messages.amount, pot.boards or (pot.amount,))) if show_amounts else ""
        models.append(
            PotModel(messages.pot(pot.name), amount, format_seat_ranges(pot.seats), messages.pot_short(pot.name))
        )
    return tuple(models)


def pots_with_winners(view: TableView) -> tuple[PotView, ...]:
    """Return all pots except uncalled bets.

    An uncalled bet goes back to its seat, and the bet spot of the seat shows it.
    """
    return tuple([pot for pot in view.pots if pot.uncalled < pot.amount])


def _uncalled_by_seat(view: TableView) -> dict[int, int]:
    """Return the uncalled parts of bets, by seat."""
    return {pot.seats[0]: pot.uncalled for pot in view.pots if pot.uncalled and len(pot.seats) == 1}


def _numbers(view: TableView, messages: Messages) -> tuple[NumberModel, NumberModel, NumberModel]:
    """Return the amount to call, the smallest raise and the largest raise.

    While nobody can act, return the numbers that are needed then.
    """
    if view.turn is None and view.phase in BETWEEN_HANDS_MESSAGES:
        return _numbers_between_hands(view, messages)
    if view.turn is None and (view.phase == "closed" or main_keys.seats_to_name(view)):
        return _numbers_of_closed_round(view, messages)
    is_opening_bet, can_complete = "bet" in view.allowed_actions, "complete" in view.allowed_actions
    is_unsettled = view.provisional and view.turn is not None
    smallest_label: ScreenKey = "min-bet" if is_opening_bet else "min-complete" if can_complete else "min-raise"
    largest = view.max_raise_to if view.max_raise_to is not None else _short_all_in(view)
    if view.turn is None or not set(view.allowed_actions) & {"bet", "raise", "complete"}:
        largest_label = messages.text("max-bet" if is_opening_bet else "max-raise")
    elif can_complete and view.limit == "fixed":
        largest_label = messages.text("min-complete")
    else:
        largest_label = messages.maximum_label(view.limit, opening=is_opening_bet)
    largest_amount = messages.amount(largest)
    return (
        NumberModel(messages.text("to-call"), messages.amount(view.to_call), "number"),
        NumberModel(messages.text(smallest_label), messages.amount(view.min_raise_to), "number"),
        NumberModel(
            largest_label,
            f"~{largest_amount}" if is_unsettled and largest is not None else largest_amount,
            "unsettled" if is_unsettled else "most",
            messages.text("unsettled") if is_unsettled else "",
        ),
    )


def dealt_in_count(view: TableView) -> int:
    """Return the number of players who will be dealt into the next hand."""
    return sum(seat.status == "waiting" and not seat.not_in_hand_reason for seat in view.seats)


def _numbers_between_hands(view: TableView, messages: Messages) -> tuple[NumberModel, NumberModel, NumberModel]:
    """Return the seat with the button, the number of players in the next hand, and the seats that owe a post."""
    owing = tuple([seat.seat for seat in view.seats if seat.post_due])
    return (
        NumberModel(messages.text("button"), str(view.button) if view.button else NO_SEATS, "number"),
        NumberModel(messages.text("dealt-in"), str(dealt_in_count(view)), "number"),
        NumberModel(messages.text("posts-due"), format_seat_ranges(owing) or NO_SEATS, "number"),
    )


def _numbers_of_closed_round(view: TableView, messages: Messages) -> tuple[NumberModel, NumberModel, NumberModel]:
    """Return the seats in the hand, the seats that are all-in, and what the dealer does next."""
    live = tuple([seat.seat for seat in view.seats if seat.status in ("acted", "waiting", "all-in")])
    all_in = tuple([seat.seat for seat in view.seats if seat.status == "all-in"])
    deal = next((choice for choice in view.next_choices if choice.label == "deal"), None)
    if deal is not None:
        next_step = messages.street(deal.values.variant, deal.values.street)
    else:
        pot = next((pot for pot in pots_with_winners(view) if pot.name == view.next_pot_to_award), None)
        next_step = messages.pot(pot.name) if pot is not None else NO_SEATS
    next_label: ScreenKey = "next-street" if deal is not None else "to-call" if view.phase == "betting" else "award"
    return (
        NumberModel(messages.text("in-hand"), format_seat_ranges(live), "number"),
        NumberModel(messages.text("all-in"), format_seat_ranges(all_in) or NO_SEATS, "number"),
        NumberModel(messages.text(next_label), next_step, "number"),
    )


def _short_all_in(view: TableView) -> int | None:
    """Return the total of an all-in that is a bet or raise below the minimum, or None if there is no such all-in."""
    if view.all_in is None or view.all_in.action.verb not in ("bet", "complete", "raise"):
        return None
    return view.all_in.action.amount or None


def alert_details(alert: Alert, messages: Messages) -> tuple[AlertDetail, ...]:
    """Return what there is to show about an alert, in the order in which touches show it."""
    has_rule = messages.alert_rule(alert) is not None
    return ("action", *(("text",) if messages.has_more_text(alert) else ()), *(("rule",) if has_rule else ()))


def explanation_band(explanation: Explanation, messages: Messages) -> AlertBandModel:
    """Return what a touch on the held key would do, in the place of an alert."""
    step = messages.step_summary(explanation.step) if explanation.step is not None else ""
    title = messages.text("explain-title")
    return AlertBandModel("info", ALERT_SIGNS["question"], title, title, messages.text(explanation.message, step=step))


def undo_band(step: StepSummary, messages: Messages) -> AlertBandModel:
    """Return what the large undo key would undo, in the place of an alert: the step and the folds and checks in it."""
    title, text = messages.step_summary(step.alone()), SEPARATOR.join(map(messages.step_summary, step.effects))
    return AlertBandModel("info", ALERT_SIGNS["info"], title, title, text, is_action=True)


def alert_band_model(alert: Alert, messages: Messages, detail: AlertDetail) -> AlertBandModel:
    """Return the texts of an alert in the alert band."""
    level, sign, level_name = alert.level, ALERT_SIGNS[alert.level], messages.urgency(alert.level)
    rule = messages.alert_rule(alert) if detail == "rule" else None
    if rule is not None:
        return AlertBandModel(
            level, sign, level_name, messages.text("rule-line", book=rule.book, number=rule.number), rule.text
        )
    title = messages.alert_title(alert)
    if detail == "text":
        return AlertBandModel(level, sign, level_name, title, messages.alert_text(alert))
    return AlertBandModel(level, sign, level_name, title, messages.alert_action(alert), is_action=True)
