"""Test that each loader quickly accepts any file or rejects the file with a one-line error."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

import msgspec
import pytest

from controller.config import BadInputError, parse_config, parse_toml
from controller.histories import parse_hand
from controller.scripts import Script, parse_script, play_rules
from controller.view import (
    Command,
    protocol,
)
from hardware import layout
from tests.bad_input.mutations import mutated_files
from tests.bad_input.security_files import FILE_KINDS, MIN_LEAK_DIGITS, SECRET
from tests.controller.script_runner import play_both_ways

HERE = Path(__file__).parent
TESTS = HERE.parent
SEED = 20261121
MAX_SECONDS = 120
"""Maximum time in seconds to load one file. The largest file needs about one second."""
FEW, MANY = 1_000, 100_000
"""Number of mutated files in the short tests, and in the long tests."""


def _play(data: bytes) -> None:
    for seen in play_rules(_script(data)):
        msgspec.json.encode(seen)


def _script(data: bytes) -> Script:
    return parse_script(parse_toml(data))


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
"""One valid file for each kind of file that has no valid files in its folder."""
READERS: dict[str, tuple[Callable[[bytes], object], type[Exception] | tuple[type[Exception], ...], tuple[str, ...]]] = {
    "scripts": (_play, BadInputError, ("scripts/**/*.toml", "bad_input/scripts/*.toml")),
    "phh": (lambda data: parse_hand(data.decode()), BadInputError, ("hands/**/*.phh", "bad_input/phh/*.phh")),
    "layouts": (lambda data: layout.parse_layout(data.decode()), layout.LayoutError, ("bad_input/layouts/*.toml",)),
    "tables": (lambda data: parse_config(data.decode()), BadInputError, ("bad_input/tables/*.toml",)),
    "commands": (protocol.decode_command, protocol.SocketError, ("bad_input/commands.txt",)),
    **{name: (kind.load, kind.rejection_errors, ()) for name, kind in FILE_KINDS.items()},
}
DECODED_BY_LOADER = ("phh", "layouts", "tables")
"""Kinds of files that are decoded from UTF-8 before they are parsed.

The decoding may raise UnicodeDecodeError.
"""
ALWAYS_ACCEPTED = ("cards", "boards")
"""Kinds of data from a serial line, for which an error is never raised.

The driver ignores invalid bytes.
"""


@cache
def _originals(kind: str) -> tuple[bytes, ...]:
    """Return the files of this kind from which the mutated files are made.

    Some of the files are valid and some are invalid.
    """
    if kind in FILE_KINDS:
        return FILE_KINDS[kind].good_files()
    files = [path for pattern in READERS[kind][2] for path in sorted(TESTS.glob(pattern))]
    assert files, f"no {kind} to mutate"
    if kind == "commands":
        good = protocol.encode(Command(client="dealer-1", id=7, do="3 raise to 60", view_sequence=17))
        return (*(line for path in files for line in path.read_bytes().splitlines()), *[good] * len(files) * 9)
    return (*(path.read_bytes() for path in files), *[GOOD.get(kind, b"")] * len(files))


@contextmanager
def _deadline() -> Iterator[None]:
    """Raise TimeoutError if the `with` block takes longer than `MAX_SECONDS`."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {MAX_SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _check_message(line: str) -> None:
    """Verify that an error message is one line and contains no part of the secret key."""
    assert "\n" not in line, f"more than one line: {line}"
    assert not any(SECRET[at : at + MIN_LEAK_DIGITS] in line.lower() for at in range(len(SECRET) - MIN_LEAK_DIGITS)), (
        f"part of a key in the message: {line}"
    )


def _read_mutants(kind: str, count: int, seed: int) -> tuple[int, int]:
    """Load `count` mutated files, and return how many were accepted and how many were rejected."""
    read, rejection, _ = READERS[kind]
    accepted = rejected = 0
    for number, data in enumerate(mutated_files(_originals(kind), count, seed)):
        try:
            with _deadline():
                read(data)
            accepted += 1
        except rejection as error:
            _check_message(str(error))
            rejected += 1
        except UnicodeDecodeError:
            rejected += 1
            assert kind in DECODED_BY_LOADER, f"mutant {number} of seed {seed}: {data!r}"
        except Exception as error:
            raise AssertionError(f"{kind}, mutant {number} of seed {seed}: {error!r}\n{data!r}") from error
    return accepted, rejected


@pytest.mark.parametrize("kind", READERS)
def test_thousand_mutated_files_load_or_raise_bad_input_error(kind: str) -> None:
    accepted, rejected = _read_mutants(kind, FEW // (1 if kind == "scripts" else 4), SEED)
    assert rejected or kind in ALWAYS_ACCEPTED
    assert accepted


@pytest.mark.soak
@pytest.mark.parametrize("kind", READERS)
def test_hundred_thousand_mutated_files_load_or_raise_bad_input_error(kind: str) -> None:
    for part in range(10):
        _read_mutants(kind, MANY // 10, SEED + 1 + part)


def _compare_both_modes(count: int, seed: int) -> int:
    """Play mutated scripts in two modes, and return how many gave the same output in both.

    One mode plays the script with the rules alone, the other mode with simulated chips and readers. Raise
    AssertionError if the two outputs of a script differ.
    """
    valid = [data for data in _originals("scripts") if _is_valid(data)]
    same = 0
    for number, data in enumerate(mutated_files(valid, count, seed, in_words=True)):
        try:
            with _deadline():
                play_both_ways(_script(data))
        except AssertionError as error:
            raise AssertionError(f"mutant {number} of seed {seed}, {error}:\n{data.decode()}") from error
        same += 1
    return same


def _is_valid(data: bytes) -> bool:
    """Return True if the bytes are a script that plays without an error."""
    try:
        _play(data)
    except BadInputError:
        return False
    return True


def test_mutated_scripts_print_the_same_with_rules_alone_and_pipeline() -> None:
    assert _compare_both_modes(FEW // 40, SEED) == FEW // 40


@pytest.mark.soak
def test_many_mutated_scripts_print_the_same_with_rules_alone_and_pipeline() -> None:
    assert _compare_both_modes(MANY // 20, SEED + 1)


def test_fuzzer_detects_an_error_message_that_prints_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(data: bytes) -> None:
        raise BadInputError(f"{data.decode(errors='replace')}: expected another")

    monkeypatch.setitem(READERS, "keys", (leak, BadInputError, ()))
    with pytest.raises(AssertionError, match="part of a key"):
        _read_mutants("keys", FEW, SEED)


def test_fuzzer_detects_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> None:
        _play(data)
        raise ZeroDivisionError

    monkeypatch.setitem(READERS, "scripts", (fail, BadInputError, READERS["scripts"][2]))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        _read_mutants("scripts", FEW, SEED)
