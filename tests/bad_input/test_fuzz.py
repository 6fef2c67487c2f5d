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
from controller.view import SocketError, decode_command
from hardware import layout
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
READERS: dict[str, tuple[Callable[[bytes], object], type[Exception], tuple[str, ...]]] = {
    "scripts": (_play, BadInputError, ("scripts/**/*.toml", "bad_input/scripts/*.toml")),
    "phh": (lambda data: parse_hand(data.decode()), BadInputError, ("hands/**/*.phh", "bad_input/phh/*.phh")),
    "layouts": (lambda data: layout.parse(data.decode()), layout.LayoutError, ("bad_input/layouts/*.toml",)),
    "tables": (lambda data: read_config(data.decode()), BadInputError, ("bad_input/tables/*.toml",)),
    "commands": (decode_command, SocketError, ("bad_input/commands.txt",)),
}


@cache
def _originals(kind: str) -> tuple[bytes, ...]:
    files = [path for pattern in READERS[kind][2] for path in sorted(TESTS.glob(pattern))]
    assert files, f"no {kind} to spoil"
    if kind == "commands":
        return tuple(line for path in files for line in path.read_bytes().splitlines())
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
            assert "\n" not in str(error), f"more than a line: {error}"
            rejected += 1
        except UnicodeDecodeError:
            rejected += kind not in ("scripts", "commands")  # files are decoded before: `load` says where
            assert kind not in ("scripts", "commands"), f"mutant {number} of seed {seed}: {data!r}"
        except Exception as error:
            raise AssertionError(f"{kind}, mutant {number} of seed {seed}: {error!r}\n{data!r}") from error
    return taken, rejected


@pytest.mark.parametrize("kind", READERS)
def test_a_thousand_spoiled_files(kind: str) -> None:
    taken, rejected = _spoil(kind, FEW // (1 if kind == "scripts" else 4), SEED)
    assert rejected
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


def test_the_fuzzer_finds_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(data: bytes) -> None:
        _play(data)
        raise ZeroDivisionError

    monkeypatch.setitem(READERS, "scripts", (fails, BadInputError, READERS["scripts"][2]))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        _spoil("scripts", FEW, SEED)
