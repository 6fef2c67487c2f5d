"""Whatever is in a file: it is played, or it is one line of BadInputError. No other exception, no hang."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

import msgspec
import pytest

from controller.config import BadInputError, parse_toml, read_config
from controller.histories import parse_hand
from controller.scripts import Script, play_rules, read
from controller.view import Command, SocketError, decode_command, encode
from hardware import layout
from tests.bad_input.guarded import KINDS, SECRET, SHOWN
from tests.bad_input.mutations import mutants
from tests.controller.scripted import both_ways

HERE = Path(__file__).parent
TESTS = HERE.parent
SEED = 20261121
MOST_SECONDS = 20
"""For one file; the largest takes a hundredth of it."""
FEW, MANY = 1_000, 100_000


def _play(data: bytes) -> None:
    for seen in play_rules(_script(data)):
        msgspec.json.encode(seen)


def _script(data: bytes) -> Script:
    return read(parse_toml(data))


GOOD = {
    "layouts": Path(layout.__file__).parent.with_name("layout.toml").read_bytes(),
    "tables": b"""stacks = { 1 = 200, 2 = 200 }
[table]
name = "Table 4"
decimals = 2
[game]
structure = "fixed-limit"
blinds = [5, 10]
bets = [10, 10, 20, 20]
rake = { percent = 5, cap = 4 }
[games.stud]
variant = "stud"
bets = [10, 10, 20, 20, 20]
""",
    "phh": b"""variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [10000, 9950.50, 10000]
actions = ['d dh p1 6cAs', 'd dh p2 5d6h', 'd dh p3 Td8s', 'p3 cbr 300', 'p1 f', 'p2 cc', 'd db 8dJc3d', 'p2 cc']
players = ['ann', 'bea', 'cleo']
finishing_stacks = [9950, 10250, 9700]
""",
}
"""A good one of each kind that has no folder of them."""
READERS: dict[str, tuple[Callable[[bytes], object], type[Exception] | tuple[type[Exception], ...], tuple[str, ...]]] = {
    "scripts": (_play, BadInputError, ("scripts/**/*.toml", "bad_input/scripts/*.toml")),
    "phh": (lambda data: parse_hand(data.decode()), BadInputError, ("hands/**/*.phh", "bad_input/phh/*.phh")),
    "layouts": (lambda data: layout.parse(data.decode()), layout.LayoutError, ("bad_input/layouts/*.toml",)),
    "tables": (lambda data: read_config(data.decode()), BadInputError, ("bad_input/tables/*.toml",)),
    "commands": (decode_command, SocketError, ("bad_input/commands.txt",)),
    **{name: (kind.read, kind.rejection, ()) for name, kind in KINDS.items()},
}
DECODED_BEFORE = ("phh", "layouts", "tables")
"""Files that are text by then: `load` says where one is not."""
ALWAYS_TAKEN = ("cards", "boards")
"""What comes over a wire is dropped where it is bad, and nothing is said."""


@cache
def _originals(kind: str) -> tuple[bytes, ...]:
    if kind in KINDS:
        return KINDS[kind].good()
    files = [path for pattern in READERS[kind][2] for path in sorted(TESTS.glob(pattern))]
    assert files, f"no {kind} to spoil"
    if kind == "commands":
        good = encode(Command(client="dealer-1", id=7, do="3 raise to 60", shown=17))
        return (*(line for path in files for line in path.read_bytes().splitlines()), *[good] * len(files) * 9)
    return (*(path.read_bytes() for path in files), *[GOOD.get(kind, b"")] * len(files))


@contextmanager
def _deadline() -> Iterator[None]:
    def too_slow(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _check_said(line: str) -> None:
    """One line, and nothing of a key in it."""
    assert "\n" not in line, f"more than a line: {line}"
    assert not any(SECRET[at : at + SHOWN] in line.lower() for at in range(len(SECRET) - SHOWN)), f"a key: {line}"


def _spoil(kind: str, count: int, seed: int) -> tuple[int, int]:
    """How many of the mutants were taken, and how many rejected."""
    read, rejection, _ = READERS[kind]
    taken = rejected = 0
    for number, data in enumerate(mutants(_originals(kind), count, seed)):
        try:
            with _deadline():
                read(data)
            taken += 1
        except rejection as error:
            _check_said(str(error))
            rejected += 1
        except UnicodeDecodeError:
            rejected += 1
            assert kind in DECODED_BEFORE, f"mutant {number} of seed {seed}: {data!r}"
        except Exception as error:
            raise AssertionError(f"{kind}, mutant {number} of seed {seed}: {error!r}\n{data!r}") from error
    return taken, rejected


@pytest.mark.parametrize("kind", READERS)
def test_a_thousand_spoiled_files(kind: str) -> None:
    taken, rejected = _spoil(kind, FEW // (1 if kind == "scripts" else 4), SEED)
    assert rejected or kind in ALWAYS_TAKEN
    assert taken


@pytest.mark.soak
@pytest.mark.parametrize("kind", READERS)
def test_a_hundred_thousand_spoiled_files(kind: str) -> None:
    for part in range(10):
        _spoil(kind, MANY // 10, SEED + 1 + part)


def _both_ways(count: int, seed: int) -> int:
    """How many mutants were played by the rules alone and through chips and readers, and printed the same."""
    good = [data for data in _originals("scripts") if _is_good(data)]
    same = 0
    for number, data in enumerate(mutants(good, count, seed, in_words=True)):
        try:
            with _deadline():
                both_ways(_script(data))
        except AssertionError as error:
            raise AssertionError(f"mutant {number} of seed {seed}, {error}:\n{data.decode()}") from error
        same += 1
    return same


def _is_good(data: bytes) -> bool:
    try:
        _play(data)
    except BadInputError:
        return False
    return True


def test_spoiled_scripts_print_the_same_both_ways() -> None:
    assert _both_ways(FEW // 20, SEED) == FEW // 20


@pytest.mark.soak
def test_many_spoiled_scripts_print_the_same_both_ways() -> None:
    assert _both_ways(MANY // 20, SEED + 1)


def test_the_fuzzer_finds_a_key_that_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def tells(data: bytes) -> None:
        raise BadInputError(f"{data.decode(errors='replace')}: expected another")

    monkeypatch.setitem(READERS, "keys", (tells, BadInputError, ()))
    with pytest.raises(AssertionError, match="a key"):
        _spoil("keys", FEW, SEED)


def test_the_fuzzer_finds_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(data: bytes) -> None:
        _play(data)
        raise ZeroDivisionError

    monkeypatch.setitem(READERS, "scripts", (fails, BadInputError, READERS["scripts"][2]))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        _spoil("scripts", FEW, SEED)
