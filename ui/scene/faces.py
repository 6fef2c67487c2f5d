"""What each part of the screen says about a view: words and tones, no positions and no window."""

from __future__ import annotations

from dataclasses import dataclass

from controller.view import Alert, SeatView, TableView
from ui.scene.letters import runs
from ui.words import text, written


@dataclass(frozen=True, slots=True)
class SeatFace:
    """One seat's tile: number and stack, what it does, and at most one flag line (or its name)."""

    number: str
    stack: str
    status: str
    tone: str
    flag: str = ""
    flag_tone: str = "soft"
    name: str = ""
    mark: str = ""
    """The sign of an alert about this seat."""
    button: bool = False


@dataclass(frozen=True, slots=True)
class SpotFace:
    """What lies before a seat: the bet that counts, the sign of its source, notes on other chips."""

    bet: str = ""
    source: str = ""
    unsettled: str = ""
    """Chips seen where nothing counts yet; shown in the ring, in another paint than a bet."""
    notes: tuple[tuple[str, str], ...] = ()
    """Words and tone of each note, most urgent first."""
    live: bool = True


@dataclass(frozen=True, slots=True)
class NumberFace:
    """One of the three numbers that the seat in turn needs."""

    word: str
    amount: str
    tone: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class BandFace:
    """The alert band. No alert: all empty, `level` is ""."""

    level: str = ""
    sign: str = ""
    word: str = ""
    title: str = ""
    words: str = ""


def seat_face(seat: SeatView, view: TableView, *, picked: bool = False) -> SeatFace:
    """The tile of a seat."""
    flag, flag_tone = _flag(seat, view)
    return SeatFace(
        number=str(seat.seat),
        stack=_stack(seat, view),
        status=_status(seat, view),
        tone="picked" if picked else _tone(seat, view),
        flag=flag,
        flag_tone=flag_tone,
        name="" if flag else seat.name,
        mark=next((text.SIGNS[alert.level] for alert in view.alerts if alert.seat == seat.seat), ""),
        button=seat.button or view.button == seat.seat,
    )


def _stack(seat: SeatView, view: TableView) -> str:
    if seat.status == "empty":
        return ""
    return text.STACK_UNKNOWN if seat.stack is None else written(seat.stack, view.money)


def _tone(seat: SeatView, view: TableView) -> str:
    if seat.seat == view.turn or seat.status == "to-act":
        return "turn"
    return {"waiting": "live", "out": "away"}.get(seat.status, seat.status)


def _status(seat: SeatView, view: TableView) -> str:
    if seat.presumed:
        return text.PRESUMED.format(seat.presumed) if seat.held or seat.owes else seat.presumed.upper()
    if seat.status in ("waiting", "acted"):
        if seat.last:
            return seat.last
        if seat.blind:
            return text.BLIND.format(written(seat.blind, view.money))
    if seat.status == "waiting" and view.phase in ("idle", "over"):
        return ""
    return text.STATUS[seat.status]


def _flag(seat: SeatView, view: TableView) -> tuple[str, str]:
    if seat.owes:
        owes = text.OWES.format(written(seat.owes, view.money))
        return (f"{owes} · {seat.held}" if seat.held else owes), "owes"
    if seat.held:
        return text.HELD.format(seat.held), "held"
    if seat.presumed:
        return text.PRESUMED_FLAG, "presumed"
    return "", "soft"


def spot_face(seat: SeatView, view: TableView) -> SpotFace:
    """The spot of a seat: nothing on it that does not count is shown like a bet."""
    notes: list[tuple[str, str]] = []
    if seat.due_back:
        notes.append((text.PUSH_BACK.format(written(seat.due_back, view.money)), "push-back"))
    if seat.tray == "offline":
        notes += [(text.TRAY_OFFLINE[0], "offline"), (text.TRAY_OFFLINE[1], "seen")]
    if seat.seen:
        words = text.SEEN_AT_LEAST if seat.at_least else text.SEEN
        if seat.bet:
            notes.append((words.format(written(seat.seen, view.money)), "seen"))
        else:
            notes.append((text.SEEN_ALONE_AT_LEAST if seat.at_least else text.SEEN_ALONE, "seen"))
    elif seat.tray == "unsettled":
        notes.append((text.TRAY_UNSETTLED, "seen"))
    if seat.unknown_chips:
        one, many = text.UNKNOWN_CHIPS
        notes.append((one if seat.unknown_chips == 1 else many.format(seat.unknown_chips), "offline"))
    return SpotFace(
        bet=written(seat.bet, view.money) if seat.bet else "",
        source=text.SOURCE_MARKS[seat.bet_source] if seat.bet else "",
        unsettled=f"+{written(seat.seen, view.money)}" if seat.seen and not seat.bet else "",
        notes=tuple(notes),
        live=seat.status not in ("empty", "away", "out"),
    )


def numbers(view: TableView) -> tuple[NumberFace, NumberFace, NumberFace]:
    """To call, the least and the most raise; dashes while nobody is to act."""
    opening = "bet" in view.may
    unsettled = view.provisional and view.turn is not None
    most_words = text.MOST[view.limit if view.turn is not None else "none"]
    if view.turn is None or not set(view.may) & {"bet", "raise", "complete"}:
        most_words = (text.MOST_BET, text.MOST_RAISE)
    most_known = view.max_raise_to is not None
    return (
        NumberFace(text.TO_CALL, written(view.to_call, view.money), "number"),
        NumberFace(text.LEAST_BET if opening else text.LEAST_RAISE, written(view.min_raise_to, view.money), "number"),
        NumberFace(
            most_words[0 if opening else 1],
            ("~" if unsettled and most_known else "") + written(view.max_raise_to, view.money),
            "unsettled" if unsettled else "most",
            text.UNSETTLED if unsettled else "",
        ),
    )


def pot_face(view: TableView, *, visible: bool) -> tuple[str, str]:
    """Word and amount of the pot."""
    if not visible:
        return text.POT_HIDDEN, ""
    return text.POT, written(view.pot, view.money)


def pot_name(name: str) -> str:
    """A pot of the view as people call it."""
    return text.POTS.get(name, name)


def side_lines(view: TableView, *, visible: bool) -> tuple[tuple[str, str, str], ...]:
    """Name, amount and seats of each pot, where there is more than one."""
    if len(view.pots) < 2:
        return ()
    return tuple(
        (
            pot_name(pot.name),
            written(pot.amount, view.money) if visible else "",
            runs(pot.seats),
        )
        for pot in view.pots
    )


def street(view: TableView) -> str:
    """The name of the street, or that there is no hand."""
    if view.phase == "idle":
        return text.BETWEEN_HANDS
    if view.phase == "over":
        return text.HAND_OVER
    return view.street.upper()


def strip(view: TableView) -> tuple[str, str]:
    """The line at the top: which table and game at the left; devices, sensors and accounts at the right."""
    parts = [view.table, view.game, text.HAND.format(view.hand) if view.hand else ""]
    down = [device.name for device in view.devices if not device.up]
    right = [text.SENSORS[view.sensors]]
    if len(down) == 1:
        right.append(text.DEVICE_DOWN.format(down[0]))
    elif down:
        right.append(text.DEVICES_DOWN.format(len(down), ", ".join(down)))
    right += [f"{name} {written(amount, view.money)}" for name, amount in sorted(view.accounts.items()) if amount]
    return " · ".join(filter(None, parts)), " · ".join(filter(None, right))


def band_face(alert: Alert | None, *, rule: bool) -> BandFace:
    """The band for an alert, or for the rule that it rests on."""
    if alert is None:
        return BandFace()
    level, sign, word = alert.level, text.SIGNS[alert.level], text.LEVELS[alert.level]
    if rule and alert.rule is not None:
        title = " ".join(filter(None, (alert.rule.book, alert.rule.number)))
        return BandFace(level, sign, word, title, alert.rule.text)
    return BandFace(level, sign, word, alert.title, alert.text)
