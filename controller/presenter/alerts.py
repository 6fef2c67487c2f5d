"""What the dealer should know or decide now, as codes and amounts."""

from __future__ import annotations

from collections.abc import Iterable

from controller.live import Live, kind_of
from controller.presenter.codes import alert
from controller.presenter.counting import of_count
from controller.presenter.hints import is_booked
from controller.presenter.known import Known, know
from controller.presenter.options.betting import LIMITS, RULES
from controller.presenter.questions import action_is_on, questions
from controller.table import (
    Caution,
    Declaration,
    Declares,
    FloorCame,
    FloorGoes,
    Heard,
    PlaysGame,
    Posts,
    PutsIn,
    Reason,
    RecordsChecked,
    RestartChecked,
    Returns,
    TagsChecked,
    Warned,
    line,
)
from controller.view import Alert, Choice, Did, Label, Sensors, Values
from hardware.spots import BET_SPOTS, seat_of

_URGENCY = {"question": 0, "warning": 1, "info": 2}

_HELD_BACK = frozenset({Caution.OUT_OF_TURN, Caution.SKIPPED})
"""Warnings about actions that wait: shown as what is held, not as what the last step did."""
_OF_HELD = frozenset({Caution.UNDER_CALL, Caution.NOT_POSSIBLE})
"""Warnings of an action that is held: the question about it says the same."""
_MADE_GOOD = frozenset({Caution.UNDER_BET, Caution.UNDER_CALL, Caution.UNDER_RAISE, Caution.CHIPS_WITHDRAWN})
"""Warnings about chips that are missing."""
_PUSHED_BACK = frozenset(
    {
        Caution.OVER_LIMIT,
        Caution.CAPPED,
        Caution.NOT_REOPENED,
        Caution.NO_CHECK_RAISE,
        Caution.WORDS_DIFFER,
        Caution.OFF_UNIT,
    }
)
"""Warnings about chips that are too many, and that no words can make count."""

_DOWN = {
    "badge-reader": "badge-reader-offline",
    "high-water": "high-water-offline",
    "table-key": "table-key-offline",
    "storage": "storage-nearly-full",
    "reader": "reader-offline",
    "board": "board-offline",
}


def alerts(known: Known, sensors: Sensors, held: dict[int, Did]) -> tuple[Alert, ...]:
    """All that stand, the most urgent first: questions, warnings, then what is only told. No two have the same key.
    `held` is what is held of seats."""
    found = [
        *questions(known, held),
        *(of_count(known.live) if known.live.counting is not None else ()),
        *_of_last_step(known),
        *_of_players(known),
        *_of_spots(known),
        *_of_tournament(known),
        *_of_house(known),
        *_of_devices(known, sensors),
    ]
    return tuple(sorted(_first_of_each(found), key=lambda each: _URGENCY[each.level])) if found else ()


_BEFORE_THE_TURN = frozenset({"out-of-turn", "behind-the-turn", "act-or-answer"})
"""Alerts about a seat that acts before its turn, or that may."""


def early(found: Iterable[Alert]) -> frozenset[int]:
    """The seats that these alerts say have acted before their turn, or may have."""
    return frozenset([alert.values.seat for alert in found if alert.code in _BEFORE_THE_TURN])


def _first_of_each(found: Iterable[Alert]) -> Iterable[Alert]:
    kept: dict[tuple[str, int, str], Alert] = {}
    for each in found:
        kept.setdefault(each.key, each)
    return kept.values()


# --- what the last step was warned about ---


def _of_last_step(known: Known) -> list[Alert]:
    ruled, held = known.live.ruled, known.live.table.street.held
    waiting = bool(held) and known.live.setup.patient
    found = [_of_late_key(known, ruled.late_key)] if ruled.late_key else []
    if ruled.early:
        found.append(alert("out-of-turn", _values(known, ruled.early), _action_is_on(known)))
    for code, seat in ruled.warned:
        if (code in _HELD_BACK and (waiting or not held)) or (code in _OF_HELD and seat in held):
            continue
        rule = _rule_of_limit(known, seat) if code is Caution.OVER_LIMIT else None
        found.append(alert(str(code), _values(known, seat, code), _remedies(known, seat, code), rule=rule))
    return found


def rulings(live: Live) -> tuple[Alert, ...]:
    """All that the last step was warned about, as it is looked back at: without answers."""
    if not live.ruled.warned:
        return ()
    known = know(live)
    rules = [_rule_of_limit(known, seat) if code is Caution.OVER_LIMIT else None for code, seat in live.ruled.warned]
    warned = zip(live.ruled.warned, rules, strict=True)
    return tuple([alert(str(code), _values(known, seat, code), rule=rule) for (code, seat), rule in warned])


def _rule_of_limit(known: Known, seat: int) -> str | None:
    """The rule that a bet over the limit rests on: the structure's, or that of the hand's cap."""
    hand = known.hand
    if hand is None:
        return None
    capped = hand.game.hand_cap and hand.contributed(seat) >= hand.game.hand_cap
    return RULES["cap" if capped else LIMITS[hand.game.structure]]


def _action_is_on(known: Known) -> tuple[Choice, ...]:
    turn = known.hand.turn if known.hand is not None else 0
    return (action_is_on(turn),) if turn else ()


def _of_late_key(known: Known, seat: int) -> Alert:
    """A question only where the key may well have been a check."""
    free = "check" in known.may
    meant = Declares(seat, Declaration("check" if free else "call"))
    label: Label = "they-checked" if free else "they-called"
    choices = (Choice(label=label, do=line(meant), values=Values(seats=(seat,))),) if known.may else ()
    return alert("key-too-late", _values(known, seat), choices, level="question" if free else "info")


def _values(known: Known, seat: int, code: Caution | None = None) -> Values:
    hand, standing = known.hand, known.standings.get(seat)
    if hand is None or standing is None:
        return Values(seat=seat)
    amount, most = standing.due_back or None, None
    if code in _MADE_GOOD and standing.owed:
        amount = standing.owed
    elif code is Caution.OVER_LIMIT:
        amount, most = max(known.live.table.street.felt[seat], hand.bets[seat]), hand.bets[seat]
    elif code is Caution.OFF_UNIT:
        amount = hand.bets[seat]
    least = hand.bets[seat] if code in (Caution.UNDER_BET, Caution.UNDER_RAISE) else None
    return Values(seat=seat, turn=hand.turn, amount=amount, least=least, most=most)


def _remedies(known: Known, seat: int, code: Caution) -> tuple[Choice, ...]:
    """The rule's answer first, then the other one."""
    standing, motions = known.standings.get(seat), known.live.table.street.motions
    if standing is None:
        return ()
    push = (_push_back(seat, standing.due_back),) if standing.due_back else ()
    made_good = (_it_is_in(seat),) if standing.owed else ()
    if code in (Caution.STRING_BET, Caution.OVERSIZED_CHIP):
        raised = Choice(label="raise-was-said", do=line(Heard(seat, Declaration("raise"))))
        return (*push, raised) if seat in motions else push
    if code is Caution.UNDER_RAISE:
        called = Choice(label="call-was-said", do=line(Heard(seat, Declaration("call"))))
        return (*((called,) if seat in motions else ()), *made_good)
    if code in _MADE_GOOD:
        return made_good
    return push if code in _PUSHED_BACK else ()


def _it_is_in(seat: int) -> Choice:
    """What it owes lies there, though no tray has told."""
    return Choice(label="it-is-in", do=line(PutsIn(seat)))


def _push_back(seat: int, amount: int) -> Choice:
    return Choice(label="push-back", do=line(Returns(seat)), values=Values(amount=amount))


# --- players ---


def _of_players(known: Known) -> list[Alert]:
    live, ruled = known.live, known.live.ruled
    named = {warned.seat for warned in ruled.warned} | {ruled.late_key}
    found = []
    for seat, standing in sorted(known.standings.items()):
        back = standing.due_back
        if back and seat not in named:
            found.append(alert("due-back", Values(seat=seat, amount=back), (_push_back(seat, back),)))
        if standing.owed and seat not in named and BET_SPOTS[seat - 1] not in live.glimpses:
            found.append(alert("owes", Values(seat=seat, amount=standing.owed), (_it_is_in(seat),)))
        if seat in live.table.offline and Warned(Caution.TRAY_OFFLINE, seat) not in ruled.warned:
            found.append(alert("tray-offline", Values(seat=seat)))
    found += [
        alert("post-owed", Values(seat=seat, amount=due), _posts(known, seat))
        for seat, due in known.posts
        if _is_kept_out(known, seat)
    ]
    return [*found, alert("kill-owed", Values(seat=known.kill[0], amount=known.kill[1]))] if known.kill else found


def _is_kept_out(known: Known, seat: int) -> bool:
    """True of a seat that is not dealt in; between hands, where there is a next one: a table that opens has none, and
    where all are new nobody posts."""
    if known.hand is not None:
        return True
    return known.following is not None and seat not in known.following.seats


def _posts(known: Known, seat: int) -> tuple[Choice, ...]:
    """Its post, where it can be posted now."""
    due = known.openings.posts.get(seat)
    return (Choice(label="posts", do=line(Posts(seat)), values=Values(seat=seat, amount=due)),) if due else ()


# --- spots ---


def _of_spots(known: Known) -> list[Alert]:
    found = [
        alert("failed", Values(seat=seat_of(spot) or 0, spot=spot, reason=what), about=spot)
        for spot, what in known.failures
    ]
    found += [alert("unsettled", Values(seat=seat, amount=amount or None)) for seat, amount in known.unsettled]
    found += [alert("chips-left-over", Values(seat=seat, amount=amount)) for seat, amount in known.left_over]
    found += [alert("not-on-the-felt", Values(seat=seat, amount=amount)) for seat, amount in known.not_on_felt]
    found += [_of_found(known, spot) for spot in sorted({each.spot for each in known.found})]
    seen_to = Choice(label="checked", do=line(TagsChecked()))
    found += [
        alert("tag-copied", Values(seats=_seats(one, other)), (seen_to,), about=uid)
        for uid, (one, other) in sorted(known.live.copied.items())
    ]
    found += [
        alert("tag-weak", Values(amount=worth, tag=uid), (seen_to,), about=uid)
        for uid, worth in sorted(known.live.weak.items())
    ]
    found += [_of_lammer(known.live, seat, name) for seat, name in known.lammers]
    if known.button_at:
        found.append(alert("button-elsewhere", Values(seat=known.button_at, button=known.button)))
    if known.astray:
        found.append(alert("chips-astray", Values(amount=known.astray)))
    return [
        *found,
        *(alert("spot-offline", Values(spot=spot, reason=why), about=spot) for spot, why in known.spots_out),
    ]


def _seats(*spots: str) -> tuple[int, ...]:
    """The seats among the spots."""
    return tuple(sorted(seat for spot in spots if (seat := seat_of(spot))))


def _of_found(known: Known, spot: str) -> Alert:
    """Chips that no bet spot has told, with the seats at which they were seen before."""
    there = [each for each in known.found if each.spot == spot]
    seats = tuple(sorted({each.seat for each in there if each.seat}))
    amount = sum(each.denomination for each in there)
    return alert("chips-found", Values(spot=spot, amount=amount, count=len(there), seats=seats), about=spot)


def _of_lammer(live: Live, seat: int, name: str) -> Alert:
    code = "lammer" if is_booked(live, seat, name) else f"{name}-not-booked"
    return alert(code, Values(seat=seat, lammer=name), about=name)


# --- levels, and what holds the next hand ---


def _of_tournament(known: Known) -> list[Alert]:
    level, found = known.level, []
    if level is not None and level.due:
        following = Choice(label="plays-game", do=line(PlaysGame(level.next)), values=Values(name=level.next))
        found.append(alert("level-over", Values(name=level.next), (following,)))
    if known.hand is None and known.why_no_hand is Reason.ON_HOLD:
        found.append(alert("next-hand-held", choices=(Choice(label="floor-lets-go", do=line(FloorGoes())),)))
    elif known.hand is None and known.why_no_hand is Reason.ON_BREAK and level is not None:
        found.append(alert("break", Values(count=level.minutes_left or None)))
    return found


# --- the house's people and devices ---


def _of_house(known: Known) -> list[Alert]:
    live, found = known.live, []
    hand = Values(hand=live.table.hands)
    if live.restarted:
        found.append(alert("restarted", hand, (Choice(label="checked", do=line(RestartChecked())),)))
    if live.damaged:
        found.append(alert("journal-damaged", hand, (Choice(label="checked", do=line(RecordsChecked())),)))
    if live.missed:
        checked = Choice(label="checked", do=line(RecordsChecked()))
        found.append(alert("journal-gap", Values(count=live.missed), (checked,)))
    for how in sorted(live.altered):
        checked = Choice(label="checked", do=line(RecordsChecked()))
        found.append(alert("journal-altered", Values(reason=how), (checked,), about=how))
    if not live.setup.recorded:
        found.append(alert("journal-not-written"))
    if live.floor_called:
        found.append(alert("floor-called", choices=(Choice(label="floor-has-decided", do=line(FloorCame())),)))
    return found


def _of_devices(known: Known, sensors: Sensors) -> list[Alert]:
    live, found = known.live, []
    if live.setup.trays and live.table.players and sensors == "off":
        found.append(alert("sensors-off"))
    for device, why in sorted(live.devices.items()):
        if why is not None:
            found.append(alert(_DOWN[kind_of(live, device)], Values(device=device, reason=why), about=device))
    for (device, setting), why in sorted(live.missets.items()):
        found.append(
            alert("reader-misset", Values(device=device, name=setting, reason=why), about=f"{device} {setting}")
        )
    return [
        *found,
        *(
            alert("presses-lost", Values(device=device, count=count), about=device)
            for device, count in sorted(live.presses_lost.items())
        ),
    ]
