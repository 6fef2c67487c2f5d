"""What each part of the screen says about a view: words and tones, no positions and no window."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple

from controller.view import Alert, BetSource, Did, Hold, PotView, SeatView, Sensors, Stage, TableView, Urgency
from controller.words import ScreenKey, Words
from ui.scene.letters import runs

SIGNS: Final[Mapping[Urgency, str]] = {"info": "i", "question": "?", "warning": "!"}
SOURCE_MARKS: Final[Mapping[BetSource, str]] = {
    "book": "",
    "sensed": "\u25c9",
    "confirmed": "\u2713",
    "keyed": "\u270e",
}
"""In DejaVu Sans: an eye for what a tray saw, a tick for what was confirmed, a pencil for keyed in."""
SENSORS: Final[Mapping[Sensors, ScreenKey]] = {"on": "sensors-on", "partly": "sensors-partly", "off": "sensors-off"}

NO_STREET: Final[Mapping[Stage, ScreenKey]] = {"idle": "between-hands", "over": "hand-over"}
HOLDS: Final[Mapping[Hold, ScreenKey]] = {"hand-for-hand": "hold-hand-for-hand", "break": "hold-break"}
SEPARATOR: Final = " · "
BOARDS: Final = " + "


class SeatFace(NamedTuple):
    """One seat's tile: number and stack, what it does, and at most one flag line (or its markers, else its name)."""

    number: str
    stack: str
    status: str
    tone: str
    flag: str = ""
    flag_tone: str = "soft"
    name: str = ""
    short: str = ""
    """The status without its amount, which lies on the spot, too."""
    mark: str = ""
    """The sign of an alert about this seat, and how urgent that is."""
    mark_level: Urgency = "info"
    button: bool = False
    taken: bool = True
    """Somebody sits there."""


class SpotFace(NamedTuple):
    """What lies before a seat: the bet that counts, the sign of its source, notes on other chips."""

    bet: str = ""
    source: str = ""
    unsettled: str = ""
    """Chips seen where nothing counts yet; shown in the ring, in another paint than a bet."""
    notes: tuple[tuple[str, str], ...] = ()
    """Words and tone of each note, most urgent first."""
    live: bool = True


class NumberFace(NamedTuple):
    """One of the three numbers that the seat in turn needs."""

    word: str
    amount: str
    tone: str
    note: str = ""


class BandFace(NamedTuple):
    """The alert band. No alert: all empty, `level` is ""."""

    level: Urgency | Literal[""] = ""
    sign: str = ""
    word: str = ""
    title: str = ""
    words: str = ""


class PotFace(NamedTuple):
    """One pot of several: its name, what is in it, the seats that can win it, its name in short."""

    name: str
    amount: str
    seats: str
    short: str


class TableFace(NamedTuple):
    """What is said of the table as a whole."""

    strip: tuple[str, str]
    """The line at the top, its left and its right end."""
    lately: tuple[str, ...]
    """The last actions, the newest last."""
    notes: tuple[str, ...]
    """What comes next, and where the house's chips are."""
    street: str
    pot: tuple[str, str]
    """Word and amount."""
    sides: tuple[PotFace, ...]
    """Where there is more than one or several boards are played."""
    made_up: str
    """How the largest bet or raise is made up."""
    pots: Mapping[int, str]
    """The last pot that each seat can win which has no more chips to put in, in short."""
    numbers: tuple[NumberFace, NumberFace, NumberFace]


class _Said(NamedTuple):
    """All that can be said of a seat, shown or not; "" where there is nothing to say."""

    stack: str
    status: str
    last: str
    presumed: str
    held: str
    blind: str
    owes: str
    bet: str
    seen: str
    due_back: str
    markers: str


def seat_faces(
    view: TableView, words: Words, picked: Collection[int], pots: Mapping[int, str]
) -> tuple[list[SeatFace], list[SpotFace]]:
    """Tile and spot of every seat; `pots` as `TableFace.pots`."""
    said = [
        _Said(
            stack=words.say("stack-unknown") if seat.stack is None else words.amount(seat.stack),
            status=words.status(seat.status),
            last=words.did(seat.last) if seat.last else "",
            presumed=words.say(seat.presumed) if seat.presumed else "",
            held=words.did(seat.held) if seat.held else "",
            blind=_blind(seat, words),
            owes=words.say("owes", amount=seat.owes) if seat.owes else "",
            bet=words.amount(seat.bet) if seat.bet else "",
            seen=words.amount(seat.seen) if seat.seen else "",
            due_back=words.say("due-back", amount=seat.due_back) if seat.due_back else "",
            markers=words.say("markers", amount=seat.markers) if seat.markers else "",
        )
        for seat in view.seats
    ]
    marks = {alert.values.seat: alert.level for alert in reversed(view.alerts)}
    seats = list(zip(view.seats, said, strict=True))
    tiles = [
        _tile(seat, one, view, words, seat.seat in picked, marks.get(seat.seat), pots.get(seat.seat, ""))
        for seat, one in seats
    ]
    uncalled = _uncalled(view)
    return tiles, [_spot(seat, one, words, uncalled.get(seat.seat, 0)) for seat, one in seats]


def _tile(
    seat: SeatView, said: _Said, view: TableView, words: Words, picked: bool, mark: Urgency | None, pot: str
) -> SeatFace:
    flag, flag_tone = _flag(seat, said, words)
    status = _status(seat, said, view, words)
    return SeatFace(
        number=str(seat.seat),
        stack="" if seat.status == "empty" else said.stack,
        taken=seat.status != "empty",
        status=SEPARATOR.join(filter(None, (status, pot))),
        short=words.did(Did(verb=seat.last.verb, all_in=seat.last.all_in)) if seat.last and status == said.last else "",
        tone="picked" if picked else _tone(seat, view),
        flag=flag,
        flag_tone=flag_tone,
        name="" if flag else seat.name,
        mark=SIGNS[mark] if mark else "",
        mark_level=mark or "info",
        button=seat.button or view.button == seat.seat,
    )


def _tone(seat: SeatView, view: TableView) -> str:
    if seat.early:
        return "early"
    if seat.seat == view.turn or seat.status == "to-act":
        return "turn"
    return {"waiting": "live", "out": "away"}.get(seat.status, seat.status)


def _status(seat: SeatView, said: _Said, view: TableView, words: Words) -> str:
    if seat.presumed:
        flagged = seat.held or seat.owes
        return words.say("presumed", did=words.did(Did(verb=seat.presumed))) if flagged else said.presumed
    if said.blind and (seat.kill or seat.straddle) and (seat.last is None or seat.last.verb == "blind"):
        return said.blind
    if seat.status in ("waiting", "acted") and (said.last or said.blind):
        return said.last or said.blind
    if seat.status == "waiting" and view.phase in ("idle", "over"):
        return ""
    return said.status


def _flag(seat: SeatView, said: _Said, words: Words) -> tuple[str, str]:
    if seat.owes:
        return (f"{said.owes} · {said.held}" if seat.held else said.owes), "owes"
    if seat.held:
        return words.say("held", did=said.held), "held"
    if seat.presumed:
        return words.say("presumed-flag"), "presumed"
    if seat.why_out not in ("", "away"):
        return words.why_out(seat), "presumed"
    if seat.missed:
        return words.say("missed", amount=seat.missed), "presumed"
    if said.markers:
        return said.markers, "presumed"
    return "", "soft"


def _blind(seat: SeatView, words: Words) -> str:
    """The blind that lies there, or between hands will, by its name."""
    if not seat.blind:
        return ""
    key: ScreenKey = "kill-blind" if seat.kill else "straddles" if seat.straddle else "blind"
    return words.say(key, amount=seat.blind)


def _spot(seat: SeatView, said: _Said, words: Words, uncalled: int) -> SpotFace:
    """Nothing on the spot that does not count is shown like a bet."""
    notes: list[tuple[str, str]] = []
    if uncalled:
        notes.append((words.say("uncalled-bet", amount=uncalled), "push-back"))
    if seat.due_back:
        notes.append((said.due_back, "push-back"))
    if seat.held_chips:
        notes.append((words.say("held-chips", amount=seat.held_chips), "held"))
    if seat.tray == "offline":
        notes += [(words.say("tray-offline"), "offline"), (words.say("tray-offline-advice"), "seen")]
    if seat.seen and seat.bet:
        notes.append((words.say("seen-at-least" if seat.at_least else "seen", amount=seat.seen), "seen"))
    elif seat.seen:
        notes.append((words.say("seen-alone-at-least" if seat.at_least else "seen-alone"), "seen"))
    elif seat.tray == "unsettled":
        notes.append((words.say("chips-moving"), "seen"))
    if seat.unknown_chips:
        one = seat.unknown_chips == 1
        notes.append((words.say("unknown-chip" if one else "unknown-chips", count=seat.unknown_chips), "offline"))
    return SpotFace(
        bet=said.bet,
        source=SOURCE_MARKS[seat.bet_source] if seat.bet else "",
        unsettled=f"+{said.seen}" if seat.seen and not seat.bet else "",
        notes=tuple(notes),
        live=seat.status not in ("empty", "away", "out"),
    )


def table_face(view: TableView, words: Words, *, pot_visible: bool) -> TableFace:
    """The table as a whole."""
    hand = words.say("hand", count=view.hand) if view.hand else ""
    title = SEPARATOR.join(filter(None, (view.table, words.game(view.game), hand)))
    boards = pot_visible and any(pot.boards for pot in view.pots)
    several = boards or len(_pots(view)) > 1
    return TableFace(
        strip=(title, _house(view, words)),
        lately=tuple([words.told(told) for told in reversed(view.lately)]),
        notes=tuple(filter(None, (_level(view, words), _next_game(view, words), _accounts(view, words)))),
        street=street_words(view, words),
        pot=(words.say("pot"), words.amount(view.pot)) if pot_visible else (words.say("pot-hidden"), ""),
        sides=_sides(view, words, amounts=pot_visible) if several else (),
        made_up=_made_up(view, words),
        pots=_last_pots(view, words) if several else {},
        numbers=_numbers(view, words),
    )


def _made_up(view: TableView, words: Words) -> str:
    """How the largest bet or raise is made up, or why there is none; and the stack where that is less."""
    largest = view.largest
    if largest is None:
        return ""
    why = words.why_no_raise(largest.why_no_raise)
    said = why or words.made_up(largest)
    return said if largest.reaches or largest.most is None else SEPARATOR.join((said, words.behind(largest)))


def _last_pots(view: TableView, words: Words) -> dict[int, str]:
    """Of the seats that are all-in, the last pot that they can win."""
    all_in = {seat.seat for seat in view.seats if seat.status == "all-in"}
    return {seat: words.pot_short(pot.name) for pot in _pots(view) for seat in pot.seats if seat in all_in}


def street_words(view: TableView, words: Words) -> str:
    """The street, or what is between two hands."""
    no_street = NO_STREET.get(view.phase)
    if no_street:
        return words.say(HOLDS.get(view.hold, no_street))
    street = words.street(view.game.variant, view.round).upper()
    return SEPARATOR.join((words.say("bomb", amount=view.game.bomb), street)) if view.game.bomb else street


def _next_game(view: TableView, words: Words) -> str:
    """The game of the next hand; else, in a mix, the one that follows."""
    if view.next_game is not None:
        return words.say("next-game", game=words.game(view.next_game))
    return words.say("follows", game=words.game(view.follows)) if view.follows is not None else ""


def _level(view: TableView, words: Words) -> str:
    """The level and how long it lasts; nothing where no tournament is played."""
    level = view.level
    if level is None:
        return ""
    key: ScreenKey = "level" if level.minutes_left else "level-over"
    parts = [words.say(key, name=level.name, count=level.minutes_left)]
    if level.next_game is not None:
        parts.append(words.say("level-next", stakes=words.stakes(level.next_game)))
    if level.until_break is not None:
        parts.append(words.say("until-break", count=level.until_break))
    return SEPARATOR.join(parts)


def _house(view: TableView, words: Words) -> str:
    """Who decides, devices and sensors."""
    down = [device for device in view.devices if not device.up]
    parts = [words.say("open-table")] if view.is_open else []
    parts.append(words.say(SENSORS[view.sensors]))
    if len(down) == 1:
        parts.append(words.device(down[0]))
    elif down:
        parts.append(words.say("devices-down", count=len(down), device=", ".join([device.name for device in down])))
    return SEPARATOR.join(filter(None, parts))


def _accounts(view: TableView, words: Words) -> str:
    """Where the chips are that left the players."""
    held = [(name, amount) for name, amount in sorted(view.accounts.items()) if amount]
    return SEPARATOR.join([f"{words.account(name)} {words.amount(amount)}" for name, amount in held])


def pot_name(pot: PotView, words: Words) -> str:
    """What a pot is called; a bet that nobody called is none."""
    return words.say("uncalled") if pot.uncalled and pot.uncalled == pot.amount else words.pot(pot.name)


def _sides(view: TableView, words: Words, *, amounts: bool) -> tuple[PotFace, ...]:
    """The pots; of one that several boards are played for, what each board gets."""
    faces = []
    for pot in _pots(view):
        amount = BOARDS.join(map(words.amount, pot.boards or (pot.amount,))) if amounts else ""
        faces.append(PotFace(words.pot(pot.name), amount, runs(pot.seats), words.pot_short(pot.name)))
    return tuple(faces)


def _pots(view: TableView) -> tuple[PotView, ...]:
    """Those that are one: a bet that nobody called goes back, it is told before its seat."""
    return tuple([pot for pot in view.pots if pot.uncalled < pot.amount])


def _uncalled(view: TableView) -> dict[int, int]:
    """By seat, what nobody called of its bet."""
    return {pot.seats[0]: pot.uncalled for pot in view.pots if pot.uncalled and len(pot.seats) == 1}


def _numbers(view: TableView, words: Words) -> tuple[NumberFace, NumberFace, NumberFace]:
    """To call, the smallest and the largest raise; dashes while nobody is to act."""
    opening = "bet" in view.may
    unsettled = view.provisional and view.turn is not None
    if view.turn is None or not set(view.may) & {"bet", "raise", "complete"}:
        largest = words.say("max-bet" if opening else "max-raise")
    else:
        largest = words.largest(view.limit, opening=opening)
    most = words.amount(view.max_raise_to)
    return (
        NumberFace(words.say("to-call"), words.amount(view.to_call), "number"),
        NumberFace(words.say("min-bet" if opening else "min-raise"), words.amount(view.min_raise_to), "number"),
        NumberFace(
            largest,
            f"~{most}" if unsettled and view.max_raise_to is not None else most,
            "unsettled" if unsettled else "most",
            words.say("unsettled") if unsettled else "",
        ),
    )


def band_face(alert: Alert | None, words: Words, *, rule: bool) -> BandFace:
    """The band for an alert, or for the rule that it rests on."""
    if alert is None:
        return BandFace()
    level, sign, word = alert.level, SIGNS[alert.level], words.level(alert.level)
    cited = words.rule(alert) if rule else None
    if cited is not None:
        return BandFace(level, sign, word, words.say("rule-line", book=cited.book, number=cited.number), cited.text)
    return BandFace(level, sign, word, words.title(alert), words.text(alert))
