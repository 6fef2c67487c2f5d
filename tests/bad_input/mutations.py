"""Files as people, editors and broken disks spoil them: seeded mutations of good and bad ones."""

import random
import re
from collections.abc import Iterator, Sequence

NASTY_NUMBERS = (
    *("0", "-1", "1", "2", "10", "11", "-0", "007", "1.5", "nan", "-inf", "1e400", "99999999999999", "100000000000000"),
    *("100000000000001", "4611686018427387904", "9223372036854775808", "-9223372036854775809", "1" * 400, "9" * 5000),
)
NASTY_VALUES = (
    *(
        '""',
        '"null"',
        '"\\u0000"',
        '"²"',
        "[]",
        "{}",
        "[[]]",
        "{ x = 1 }",
        "true",
        "1979-05-27",
        "'''",
        '"',
        "[" * 2000,
    ),
    *('"fixed-limit"', '"stud"', '"tda"', '"here"', '"idle"', '"dealt-in"', '"moving"', '"open"', '"pot-limit"'),
)
NASTY_BYTES = (b"\x00", b"\xff", b"\r", b"\n", b'"', b"=", b"]", b"{", b"\\", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"#")
WORDS = (
    *("fold", "check", "call", "complete", "pot", "all-in", "time 5", "bet 10", "raise", "raise to 60", "raise by 40"),
    *("says raise", "says bet 40", "said call", "said raise to 80", "chips 25 25 5", "chips 100", "takes 25", "post"),
    *("sit 200", "sit 200 as ann", "add 100", "remove 50", "leave", "away", "back", "moves 7", "stack 900"),
    *("stack unknown", "tip 5", "straddle 20", "cash 100", "marker 50", "said raise", "chips 500", "marker 50 from 2"),
    *("done", "40", "says 40", "redeems 20", "redeems 20 to 2", "sit 200 in-stead", "buys-button", "straddle 40"),
)
LINES = (
    *("deal", "deal closing", "hand", "void", "undo", "open-pair", "award main 1", "award main 1 2", "award side1 2"),
    *("award main high 1 low 2 3", "here 2", "here 3", "return 1", "change 1 25", "bring-in 2", "first 3", "kill 1"),
    *("floor bind 2", "floor release 2", "floor dead 1", "floor pot 50", "floor bet 1 5", "floor turn 3", "unplug 2"),
    *("plug 2", "game main", "floor pot 0", "floor bet 2 0", "floor pot 90", "award main 3", "award side1 1"),
    *("award side1 3", "void", "undo", "hand", "award main 1*2 2", "award main board1 1 board2 2 3", "boards 2"),
    *("bomb 20", "chop", "clock 60", "floor button 2", "floor hold", "floor go", "floor go on"),
)


def mutants(originals: Sequence[bytes], count: int, seed: int, *, in_words: bool = False) -> Iterator[bytes]:
    """`count` spoiled files; the same seed gives the same ones. `in_words`: only what happens is changed, so that they
    can still be played."""
    chance = random.Random(seed)
    for _ in range(count):
        data = chance.choice(originals)
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            data = chance.choice(IN_WORDS if in_words else MUTATIONS)(data, chance)
        yield data


def _number(data: bytes, chance: random.Random) -> bytes:
    return _one_of(rb"-?\d+", data, chance, chance.choice(NASTY_NUMBERS))


def _value(data: bytes, chance: random.Random) -> bytes:
    return _one_of(rb"(?<== )\S[^\n#]*", data, chance, chance.choice(NASTY_VALUES))


def _step(data: bytes, chance: random.Random) -> bytes:
    words = chance.choice(LINES) if chance.random() < 0.4 else f"{chance.randint(1, 6)} {chance.choice(WORDS)}"
    return _one_of(rb'(?<=do = ")[^"]*|(?<=do  = ")[^"]*', data, chance, words)


def _more_steps(data: bytes, chance: random.Random) -> bytes:
    steps = [
        chance.choice(LINES) if chance.random() < 0.4 else f"{chance.randint(1, 6)} {chance.choice(WORDS)}"
        for _ in range(chance.randint(1, 20))
    ]
    return data + "".join(f'\n[[step]]\ndo = "{step}"\n' for step in steps).encode()


def _one_of(pattern: bytes, data: bytes, chance: random.Random, put: str) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data
    match = chance.choice(found)
    return data[: match.start()] + put.encode() + data[match.end() :]


def _typed_elsewhere(data: bytes, chance: random.Random) -> bytes:
    """A value in the place of another."""
    values = re.findall(rb"(?<== )\S[^\n#]*", data)
    return (
        _one_of(rb"(?<== )\S[^\n#]*", data, chance, chance.choice(values).decode(errors="replace")) if values else data
    )


def _line(data: bytes, chance: random.Random) -> bytes:
    """A line lost, doubled, or somewhere else."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    line = lines.pop(chance.randrange(len(lines)))
    for _ in range(chance.randint(0, 2)):
        lines.insert(chance.randint(0, len(lines)), line)
    return b"".join(lines)


def _bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(NASTY_BYTES) + data[at + chance.randint(0, 3) :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _bit(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


IN_WORDS = (_step, _more_steps)
MUTATIONS = (
    *(_number, _number, _value, _value, _typed_elsewhere, _typed_elsewhere),
    *(_step, _step, _more_steps, _more_steps, _line, _bytes, _cut, _bit),
)
