"""All alerts of a table, as codes and amounts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controller.live import (
    Live,
    derived_state,
)
from controller.presenter import unclear_amounts
from controller.presenter.alert_codes import build_alert
from controller.presenter.available_actions.bet_limits import LIMIT_OF_STRUCTURE, RULE_OF_LIMIT
from controller.presenter.count_pad_alerts import count_alerts
from controller.presenter.hand_questions import action_on_choice
from controller.presenter.lammer_checks import is_lammer_consistent
from controller.presenter.view_inputs import ViewInputs, collect_view_inputs
from controller.rules import AWARD_PHASES, BIG_BET_STRUCTURES, Hand, Phase, to_call
from controller.steps import Declaration, format_step, hand_steps, kind_of_alteration, observations, table_steps
from controller.table import HeldForRuling, SeatWarning, TableRefusal, WarningCode, apply_table_step, balances
from controller.view import Alert, Choice, KeyLabel, MessageValues, Urgency
from hardware.spots import BET_SPOTS, seat_of_spot

_URGENCY = {"question": 0, "warning": 1, "info": 2}

_WAITING_ACTION_WARNINGS = frozenset({WarningCode.OUT_OF_TURN, WarningCode.SKIPPED})
"""Warnings about an action that waits for its turn.

The screen shows them with the action, and not as warnings of the last step.
"""
_HELD_ACTION_WARNINGS = frozenset({WarningCode.UNDER_CALL, WarningCode.NOT_POSSIBLE})
"""Warnings that are left out while the action waits, because the question about the action says the same."""
_MISSING_CHIP_WARNINGS = frozenset(
    {WarningCode.UNDER_BET, WarningCode.UNDER_CALL, WarningCode.UNDER_RAISE, WarningCode.CHIPS_WITHDRAWN}
)
"""Warnings about missing chips."""
_EXCESS_CHIP_WARNINGS = frozenset(
    {
        WarningCode.OVER_LIMIT,
        WarningCode.CAPPED,
        WarningCode.NOT_REOPENED,
        WarningCode.NO_CHECK_RAISE,
        WarningCode.CHIPS_DIFFER_FROM_WORDS,
        WarningCode.OFF_UNIT,
    }
)
"""Warnings about excess chips that no declaration can make valid."""

_FILE_ALERT_CODES = {
    "layout": "layout-unusable",
    "roles": "roles-unusable",
    "badges": "badges-unusable",
    "options": "badges-unusable",
    "secret": "secret-readable",
}
"""The alert code for a file that has a problem and was not replaced, by kind of file."""
_DEVICE_DOWN_CODES = {
    "badge-reader": "badge-reader-offline",
    "high-water": "high-water-offline",
    "table-key": "table-key-offline",
    "storage": "storage-nearly-full",
    "paused-badge-reader": "badge-reader-paused",
    "stuck-key": "key-stuck",
    "bouncing-key": "key-bounces",
    "reader": "reader-offline",
    "board": "board-offline",
}
"""The alert code for a device that is down, by kind of device."""


def alerts(inputs: ViewInputs, questions: list[Alert]) -> tuple[Alert, ...]:
    """Return all alerts: questions first, then warnings, then information.

    `questions` are the alerts about the hand that wait for the dealer. No two alerts have the same code, seat and
    subject.
    """
    result = [
        *questions,
        *(count_alerts(inputs.live) if inputs.live.pad.pad_count is not None else ()),
        *_last_step_alerts(inputs),
        *_player_alerts(inputs),
        *_spot_alerts(inputs),
        *_tournament_alerts(inputs),
        *_house_alerts(inputs),
        *_device_alerts(inputs),
    ]
    return tuple(sorted(_without_duplicates(result), key=lambda alert: _URGENCY[alert.level])) if result else ()


def _without_duplicates(candidates: Iterable[Alert]) -> Iterable[Alert]:
    by_key: dict[tuple[str, int, str], Alert] = {}
    for alert in candidates:
        by_key.setdefault(alert.key, alert)
    return by_key.values()


# --- warnings of the last step ---


def _last_step_alerts(inputs: ViewInputs) -> list[Alert]:
    last_warnings, held_actions = inputs.live.last_warnings, inputs.live.table.street.held_actions
    has_waiting = bool(held_actions) and inputs.live.setup.tolerates_delays
    result = [_late_key_alert(inputs, last_warnings.late_key_seat)] if last_warnings.late_key_seat else []
    if last_warnings.early_seat:
        result.append(
            build_alert("out-of-turn", _warning_values(inputs, last_warnings.early_seat), _turn_choices(inputs))
        )
    for code, seat in last_warnings.warnings:
        if (code in _WAITING_ACTION_WARNINGS and (has_waiting or not held_actions)) or (
            code in _HELD_ACTION_WARNINGS and seat in held_actions
        ):
            continue
        rule = _rule_of_limit(inputs, seat) if code is WarningCode.OVER_LIMIT else None
        cause = _cause_of_tray(inputs.live, seat) if code is WarningCode.SEAT_SENSOR_OFFLINE else ""
        values, choices = _warning_values(inputs, seat, code), _remedies(inputs, seat, code)
        result.append(build_alert(str(code), values, choices, rule=rule, cause=cause))
    is_too_small = any(code in _MISSING_CHIP_WARNINGS for code, _ in last_warnings.warnings)
    return [*result, *unclear_amounts.unclear_amount_alerts(inputs)] if is_too_small else result


def _cause_of_tray(live: Live, seat: int) -> str:
    """Return the code of the fault because of which a tray is offline, or "" if the tray alone is offline.

    Example: while a reader is offline, its six trays are as well, and the dealer should read one alert.
    """
    if BET_SPOTS[seat - 1] in derived_state.spots_of_offline_readers(live):
        return "reader-offline"
    return "sensors-off" if derived_state.is_no_player_read(live) else ""


def last_step_warnings(live: Live) -> tuple[Alert, ...]:
    """Return all warnings of the last step as the hand history shows them, that is without choices for the dealer."""
    if not live.last_warnings.warnings:
        return ()
    inputs = collect_view_inputs(live)
    rules = [
        _rule_of_limit(inputs, seat) if code is WarningCode.OVER_LIMIT else None
        for code, seat in live.last_warnings.warnings
    ]
    warnings_and_rules = zip(live.last_warnings.warnings, rules, strict=True)
    return tuple(
        [
            build_alert(str(code), _warning_values(inputs, seat, code), rule=rule)
            for (code, seat), rule in warnings_and_rules
        ]
    )


def _rule_of_limit(inputs: ViewInputs, seat: int) -> str | None:
    """Return the name of the rule that limits the seat's bet: the betting structure or the cap."""
    hand = inputs.hand
    if hand is None:
        return None
    is_capped = hand.game.hand_cap and hand.contributed(seat) >= hand.game.hand_cap
    return RULE_OF_LIMIT["cap" if is_capped else LIMIT_OF_STRUCTURE[hand.game.structure]]


def _turn_choices(inputs: ViewInputs) -> tuple[Choice, ...]:
    turn = inputs.hand.turn if inputs.hand is not None else 0
    return (action_on_choice(turn),) if turn else ()


def _late_key_alert(inputs: ViewInputs, seat: int) -> Alert:
    """Return the alert about a key that was pressed late.

    If the seat in turn can check, the alert is a question, because the late key may have been meant as this check.
    """
    can_check = "check" in inputs.allowed_actions
    declaration = hand_steps.Declares(seat, Declaration("check" if can_check else "call"))
    label: KeyLabel = "they-checked" if can_check else "they-called"
    choices = (
        (Choice(label=label, do=format_step(declaration), values=MessageValues(seats=(seat,))),)
        if inputs.allowed_actions
        else ()
    )
    return build_alert(
        "key-too-late", _warning_values(inputs, seat), choices, level="question" if can_check else "info"
    )


def _warning_values(inputs: ViewInputs, seat: int, code: WarningCode | None = None) -> MessageValues:
    hand, balance = inputs.hand, inputs.balances.by_seat.get(seat)
    if hand is None or balance is None:
        return MessageValues(seat=seat)
    amount, maximum = balance.due_back or None, None
    if code in _MISSING_CHIP_WARNINGS and balance.owed:
        amount = balance.owed
    elif code is WarningCode.OVER_LIMIT:
        amount, maximum = max(inputs.live.table.street.spot_totals[seat], hand.bets[seat]), hand.bets[seat]
    elif code is WarningCode.OFF_UNIT:
        amount = hand.bets[seat]
    minimum = hand.bets[seat] if code in (WarningCode.UNDER_BET, WarningCode.UNDER_RAISE) else None
    return MessageValues(seat=seat, turn=hand.turn, amount=amount, least=minimum, most=maximum)


def _remedies(inputs: ViewInputs, seat: int, code: WarningCode) -> tuple[Choice, ...]:
    """Return choices with which the dealer can correct the action that raised the warning.

    The correction that the rule requires is first.
    """
    balance, motions = inputs.balances.by_seat.get(seat), inputs.live.table.street.last_motions
    if balance is None:
        return ()
    return_choices = (_return_choice(seat, balance.due_back),) if balance.due_back else ()
    paid_choices = (_paid_choice(seat),) if balance.owed else ()
    if code in (WarningCode.STRING_BET, WarningCode.OVERSIZED_CHIP):
        raise_choice = Choice(
            label="raise-was-said", do=format_step(hand_steps.SpokeBeforeChips(seat, Declaration("raise")))
        )
        one_motion_choices = _one_motion_choices(inputs, seat) if code is WarningCode.STRING_BET else ()
        return (*return_choices, raise_choice, *one_motion_choices) if seat in motions else return_choices
    if code is WarningCode.UNDER_RAISE:
        call_choice = Choice(
            label="call-was-said", do=format_step(hand_steps.SpokeBeforeChips(seat, Declaration("call")))
        )
        return (*paid_choices, *((call_choice,) if seat in motions else ()))
    if code in _MISSING_CHIP_WARNINGS:
        return (*paid_choices, *unclear_amounts.smaller_bet_choices(inputs, seat))
    return return_choices if code in _EXCESS_CHIP_WARNINGS else ()


def _one_motion_choices(inputs: ViewInputs, seat: int) -> tuple[Choice, ...]:
    """Return the choice with which the dealer says that all chips of the seat were put in at once.

    A reader may read some chips of one motion later, because a hand covered them. The choice is the first step that the
    table accepts and after which no chips are due back. Return an empty tuple if there is no such step, or if the
    seat's words decide the amount.
    """
    table = inputs.live.table
    if seat in table.street.spoken_amounts:
        return ()
    total = table.street.spot_totals[seat]
    steps = (hand_steps.CorrectsWager(seat, total), hand_steps.SpokeBeforeChips(seat, Declaration("raise", total)))
    for step in steps:
        outcome = apply_table_step(table, step)
        if outcome.refusal is None and not outcome.seat_warnings and not balances.due_back(outcome.table, seat):
            values = MessageValues(amount=total)
            return (Choice(label="one-motion", do=format_step(step), values=values),)
    return ()


def _paid_choice(seat: int) -> Choice:
    """Return the choice with which the dealer confirms that the owed chips are on the spot.

    No sensor has reported them.
    """
    return Choice(label="it-is-in", do=format_step(hand_steps.PaysOwedChips(seat)))


def _return_choice(seat: int, amount: int) -> Choice:
    return Choice(label="push-back", do=format_step(hand_steps.ReturnsChips(seat)), values=MessageValues(amount=amount))


# --- players ---


def _player_alerts(inputs: ViewInputs) -> list[Alert]:
    live, last_warnings = inputs.live, inputs.live.last_warnings
    warned_seats = {warned.seat for warned in last_warnings.warnings} | {last_warnings.late_key_seat}
    result = []
    for seat, balance in sorted(inputs.balances.by_seat.items()):
        due_back = balance.due_back
        if due_back and seat not in warned_seats:
            choices = (_return_choice(seat, due_back), *unclear_amounts.caller_total_choices(inputs, seat, due_back))
            level: Urgency | None = "warning" if unclear_amounts.has_put_in_too_much(inputs, seat, due_back) else None
            result.append(build_alert("due-back", MessageValues(seat=seat, amount=due_back), choices, level=level))
        if balance.owed and seat not in warned_seats and not _has_arriving_chips(live, seat):
            choices = (_paid_choice(seat), *unclear_amounts.smaller_bet_choices(inputs, seat))
            result.append(build_alert("owes", MessageValues(seat=seat, amount=balance.owed), choices))
        if _is_short_call(inputs, seat) and not _has_arriving_chips(live, seat):
            result.append(_misunderstood_call_alert(inputs, seat))
        if (
            seat in live.table.offline_seat_sensors
            and SeatWarning(WarningCode.SEAT_SENSOR_OFFLINE, seat) not in last_warnings.warnings
        ):
            result.append(build_alert("tray-offline", MessageValues(seat=seat), cause=_cause_of_tray(live, seat)))
    result += [
        build_alert("post-owed", MessageValues(seat=seat, amount=amount), _post_choices(inputs, seat))
        for seat, amount in inputs.posts_owed
        if _is_kept_out(inputs, seat)
    ]
    return (
        [*result, build_alert("kill-owed", MessageValues(seat=inputs.kill_owed[0], amount=inputs.kill_owed[1]))]
        if inputs.kill_owed
        else result
    )


def _has_arriving_chips(live: Live, seat: int) -> bool:
    """Return True if chips are arriving on the seat's spot, with which the seat may pay what it owes.

    Chips that leave pay nothing. A warning about them must stay while the dealer sweeps and deals.
    """
    reading, on_spot = live.reader.unsettled.get(BET_SPOTS[seat - 1]), derived_state.spot_of(live, seat).on_spot
    return reading is not None and not set(reading.stack) <= set(on_spot or ())


MIN_SHARE_OF_CALL: Final = 80
"""Minimum share of the bet in percent from which a short call stands, although the player misunderstood the bet.

The number is from Robert's Rules 14 (no-limit: gross misunderstanding).
"""


def _is_short_call(inputs: ViewInputs, seat: int) -> bool:
    """Return True if the seat has put in too few chips for a call, and the floor may cancel the call.

    This is so in structures in which a bet can have any size.
    """
    hand, street = inputs.hand, inputs.live.table.street
    if hand is None or hand.game.structure not in BIG_BET_STRUCTURES:
        return False
    held = street.held_actions.get(seat)
    if isinstance(held, HeldForRuling):
        return held.reason == "under-call" and bool(held.motion_chips)
    is_short = inputs.balances.by_seat[seat].owed and seat in street.last_motions
    return bool(is_short) and balances.is_short_call(inputs.live.table, hand, seat)


def _misunderstood_call_alert(inputs: ViewInputs, seat: int) -> Alert:
    """Return the alert that works out which part of the bet the seat has put in.

    Example: 100 of a bet of 400 are 25 percent. Below 80 percent, the floor may cancel the call.
    """
    table, hand = inputs.live.table, inputs.hand
    assert hand is not None
    bet, counted = hand.current_bet, table.street.spot_totals[seat] - table.street.unplayable_totals[seat]
    cancel = Choice(label="give-it-back", do=format_step(table_steps.FloorReleasesAction(seat)))
    may_cancel = 100 * counted < MIN_SHARE_OF_CALL * bet
    paid_choices = (_paid_choice(seat),) if inputs.balances.by_seat[seat].owed else ()
    values = MessageValues(seat=seat, least=counted, most=bet, count=100 * counted // bet)
    return build_alert("misunderstood-call", values, (*((cancel,) if may_cancel else ()), *paid_choices))


def _is_kept_out(inputs: ViewInputs, seat: int) -> bool:
    """Return True if the player must post before being dealt in.

    Between hands, return False in two cases. Either no next hand can start, or the next hand includes the seat without
    a post. Example: when a table opens, all players are new and nobody posts.
    """
    if inputs.hand is not None:
        return True
    return inputs.next_hand is not None and seat not in inputs.next_hand.seats


def _post_choices(inputs: ViewInputs, seat: int) -> tuple[Choice, ...]:
    """Return the choice to post if the seat can post now."""
    due = inputs.openings.posts.get(seat)
    return (
        (
            Choice(
                label="posts",
                do=format_step(hand_steps.PostsToEnter(seat)),
                values=MessageValues(seat=seat, amount=due),
            ),
        )
        if due
        else ()
    )


# --- spots ---


def _spot_alerts(inputs: ViewInputs) -> list[Alert]:
    result = [
        build_alert("failed", MessageValues(seat=seat_of_spot(spot) or 0, spot=spot, reason=message), about=spot)
        for spot, message in inputs.program_errors
    ]
    result += [
        build_alert("unsettled", MessageValues(seat=seat, amount=amount or None))
        for seat, amount in inputs.late_unsettled
    ]
    result += [
        build_alert("chips-left-over", MessageValues(seat=seat, amount=amount))
        for seat, amount in inputs.ignored_amounts
    ]
    result += [
        build_alert("not-on-the-felt", MessageValues(seat=seat, amount=amount))
        for seat, amount in inputs.missing_blinds
    ]
    result += [_missed_chips_alert(inputs, spot) for spot in sorted({chip.spot for chip in inputs.missed_chips})]
    checked = Choice(label="checked", do=format_step(observations.TagsChecked()))
    result += [
        build_alert("tag-copied", MessageValues(seats=_seats_of_spots(first_spot, second_spot)), (checked,), about=uid)
        for uid, (first_spot, second_spot) in sorted(inputs.live.tag_faults.copied.items())
    ]
    result += [
        build_alert("tag-weak", MessageValues(amount=value, tag=uid), (checked,), about=uid)
        for uid, value in sorted(inputs.live.tag_faults.weak.items())
    ]
    result += [_lammer_alert(inputs.live, seat, name) for seat, name in inputs.lammers]
    if inputs.misplaced_button_seat:
        result.append(
            build_alert("button-elsewhere", MessageValues(seat=inputs.misplaced_button_seat, button=inputs.button))
        )
    if inputs.unawarded_chips:
        result.append(build_alert("chips-astray", MessageValues(amount=inputs.unawarded_chips)))
    if not inputs.offline_spots:
        return result
    of_readers = derived_state.spots_of_offline_readers(inputs.live)
    return [
        *result,
        *(
            build_alert(
                "spot-offline",
                MessageValues(spot=spot, reason=reason),
                about=spot,
                cause="reader-offline" if spot in of_readers else "",
            )
            for spot, reason in inputs.offline_spots
        ),
    ]


def _seats_of_spots(*spots: str) -> tuple[int, ...]:
    """Return the seats that belong to the spots."""
    return tuple(sorted(seat for spot in spots if (seat := seat_of_spot(spot))))


def _missed_chips_alert(inputs: ViewInputs, spot: str) -> Alert:
    """Return the alert about chips that no bet spot reported, with the seats that probably bet them.

    If no seat owes chips, each seat that can win may have bet them. The alert is a warning while a larger bet can be
    entered, and before the pot is awarded.
    """
    chips, hand = [chip for chip in inputs.missed_chips if chip.spot == spot], inputs.hand
    seats, choices = {chip.seat for chip in chips if chip.seat}, tuple[Choice, ...]()
    is_awarding = hand is not None and _is_award_next(hand)
    amount = sum(chip.denomination for chip in chips)
    if hand is not None and not seats:
        is_closed = hand.phase is Phase.CLOSED
        seats = set(hand.live_seats) if is_awarding or is_closed or hand.round_number > 1 else seats
        choices = unclear_amounts.larger_bet_choices(inputs, hand, amount) if is_closed else ()
    values = MessageValues(spot=spot, amount=amount, count=len(chips), seats=tuple(sorted(seats)))
    level: Urgency | None = "warning" if is_awarding or choices else None
    return build_alert("chips-found", values, choices, about=spot, level=level)


def _is_award_next(hand: Hand) -> bool:
    """Return True if the next step awards a pot, because no further street is dealt."""
    is_decided = hand.is_last_round or len(hand.live_seats) < 2
    return hand.phase in AWARD_PHASES or (hand.phase is Phase.CLOSED and is_decided)


def _lammer_alert(live: Live, seat: int, name: str) -> Alert:
    code = "lammer" if is_lammer_consistent(live, seat, name) else f"{name}-not-booked"
    return build_alert(code, MessageValues(seat=seat, lammer=name), about=name)


# --- tournament levels and holds ---


def _tournament_alerts(inputs: ViewInputs) -> list[Alert]:
    level, result = inputs.level, []
    if level is not None and level.is_next_due:
        change_game = Choice(
            label="plays-game",
            do=format_step(table_steps.ChangesGame(level.next_name)),
            values=MessageValues(name=level.next_name),
        )
        result.append(build_alert("level-over", MessageValues(name=level.next_name), (change_game,)))
    if inputs.hand is None and inputs.next_hand_refusal is TableRefusal.HAND_FOR_HAND:
        result.append(
            build_alert(
                "next-hand-held",
                choices=(Choice(label="floor-lets-go", do=format_step(table_steps.FloorAllowsHand())),),
            )
        )
    elif inputs.hand is None and inputs.next_hand_refusal is TableRefusal.ON_BREAK and level is not None:
        result.append(build_alert("break", MessageValues(count=level.minutes_left or None)))
    return result


# --- the house's people and devices ---


def _house_alerts(inputs: ViewInputs) -> list[Alert]:
    live, result = inputs.live, []
    hand = MessageValues(hand=live.table.hands_started)
    if live.restarted:
        result.append(
            build_alert("restarted", hand, (Choice(label="checked", do=format_step(observations.RestartChecked())),))
        )
    if live.record_faults.are_damaged:
        result.append(
            build_alert(
                "journal-damaged", hand, (Choice(label="checked", do=format_step(observations.JournalChecked())),)
            )
        )
    if live.record_faults.unrecorded_steps:
        checked = Choice(label="checked", do=format_step(observations.JournalChecked()))
        result.append(build_alert("journal-gap", MessageValues(count=live.record_faults.unrecorded_steps), (checked,)))
    for kind in sorted({kind_of_alteration(name) for name in live.record_faults.alterations}):
        checked = Choice(label="checked", do=format_step(observations.JournalChecked()))
        result.append(build_alert("journal-altered", MessageValues(reason=kind), (checked,), about=kind))
    if not live.setup.is_recorded:
        result.append(build_alert("journal-not-written"))
    for fault in live.setup.file_faults:
        result.append(
            build_alert(
                "file-replaced" if fault.is_replaced else _FILE_ALERT_CODES[fault.kind],
                MessageValues(device=fault.name, reason=fault.error),
                about=fault.kind,
            )
        )
    for waiting in live.setup.waiting_files:
        code = "file-waits" if waiting.until == "hand-over" else "file-needs-restart"
        result.append(build_alert(code, MessageValues(device=waiting.name), about=waiting.kind))
    revalued = live.setup.revalued_chips
    if revalued.number and revalued.hand == live.table.hands_started:
        result.append(build_alert("chips-revalued", MessageValues(count=revalued.number)))
    if live.ended_delays.clock_seat and not live.ended_delays.clock_seconds_left:
        result.append(_clock_over_alert(inputs, live.ended_delays.clock_seat))
    if live.floor_called:
        result.append(
            build_alert(
                "floor-called",
                MessageValues(
                    count=live.ended_delays.floor_waiting_minutes or None,
                    name=live.floor_call.answered_by,
                    reason=live.floor_call.reason,
                ),
                choices=(Choice(label="floor-has-decided", do=format_step(observations.ClearsFloorCall())),),
            )
        )
    return result


def _follows_from_other_fault(live: Live, device: str) -> bool:
    """Return True if the badge reader is down because no badge reader can be reached, which has its own alert."""
    is_single_reader = device != derived_state.BADGE_READER and derived_state.is_badge_reader(device)
    return is_single_reader and live.device_faults.down.get(derived_state.BADGE_READER) is not None


def _clock_over_alert(inputs: ViewInputs, seat: int) -> Alert:
    """Return the question about a seat whose time is over. The likely answer is what the rule says.

    The hand is dead if the seat faces a bet, and otherwise the seat has checked. Source: TDA 29.
    """
    faces_bet = bool(inputs.hand is not None and to_call(inputs.hand, seat))
    label: KeyLabel = "they-folded" if faces_bet else "they-checked"
    step = hand_steps.Declares(seat, Declaration("fold" if faces_bet else "check"))
    again = Choice(label="calls-clock", do=format_step(observations.CallsClock(seat)), values=MessageValues(seat=seat))
    choice = Choice(label=label, do=format_step(step), values=MessageValues(seat=seat, seats=(seat,)))
    values = MessageValues(seat=seat, presumed_action="folded" if faces_bet else "checked")
    return build_alert("clock-over", values, (choice, again))


def _device_alerts(inputs: ViewInputs) -> list[Alert]:
    live, result = inputs.live, []
    is_off = bool(live.setup.has_sensors and live.table.players and inputs.sensors == "off")
    if is_off:
        result.append(build_alert("sensors-off"))
    for device, reason in sorted(live.device_faults.down.items()):
        if reason is not None and not _follows_from_other_fault(live, device):
            code = _DEVICE_DOWN_CODES[derived_state.device_kind(live, device)]
            seats = derived_state.players_of_reader(live, device)
            values = MessageValues(device=device, reason=reason, seats=seats)
            result.append(build_alert(code, values, about=device, cause="sensors-off" if seats and is_off else ""))
    for device, reason in sorted(live.refused_badges.items()):
        result.append(build_alert("badge-refused", MessageValues(device=device, reason=reason), about=device))
    for device, settings in sorted(live.device_faults.wrong_settings.items()):
        for setting, reason in sorted(settings.items()):
            values = MessageValues(device=device, name=setting, reason=reason)
            result.append(build_alert("reader-misset", values, about=f"{device} {setting}"))
    return [
        *result,
        *(
            build_alert("presses-lost", MessageValues(device=device, count=count), about=device)
            for device, count in sorted(live.device_faults.lost_presses.items())
        ),
    ]
