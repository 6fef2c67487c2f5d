"""Damage the bytes of files at random, as people, text editors and broken disks do."""

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
STEP_WORDS = (
    *("fold", "check", "call", "complete", "pot", "all-in", "time 5", "bet 10", "raise", "raise to 60", "raise by 40"),
    *("says raise", "says bet 40", "said call", "said raise to 80", "chips 25 25 5", "chips 100", "takes 25", "post"),
    *("sit 200", "sit 200 as ann", "add 100", "remove 50", "leave", "away", "back", "moves 7", "stack 900"),
    *("stack unknown", "tip 5", "straddle 20", "cash 100", "marker 50", "said raise", "chips 500", "marker 50 from 2"),
    *("done", "40", "says 40", "redeems 20", "redeems 20 to 2", "sit 200 in-stead", "buys-button", "straddle 40"),
)
STEP_LINES = (
    *("deal", "deal closing", "hand", "void", "undo", "open-pair", "award main 1", "award main 1 2", "award side1 2"),
    *("award main high 1 low 2 3", "here 2", "here 3", "return 1", "change 1 25", "bring-in 2", "first 3", "kill 1"),
    *("floor bind 2", "floor release 2", "floor dead 1", "floor pot 50", "floor bet 1 5", "floor turn 3", "unplug 2"),
    *("plug 2", "game main", "floor pot 0", "floor bet 2 0", "floor pot 90", "award main 3", "award side1 1"),
    *("award side1 3", "void", "undo", "hand", "award main 1*2 2", "award main board1 1 board2 2 3", "boards 2"),
    *("bomb 20", "chop", "clock 60", "floor button 2", "floor hold", "floor go", "floor go on"),
)


def mutated_files(originals: Sequence[bytes], count: int, seed: int, *, in_words: bool = False) -> Iterator[bytes]:
    """Yield `count` mutated files. The same seed yields the same files.

    If `in_words` is true, replace or append only step lines of a script, so that the file stays a valid script.
    """
    dice = random.Random(seed)
    for _ in range(count):
        data = dice.choice(originals)
        for _ in range(dice.choice((1, 1, 2, 3, 6))):
            data = dice.choice(STEP_MUTATIONS if in_words else MUTATIONS)(data, dice)
        yield data


def _number(data: bytes, dice: random.Random) -> bytes:
    """Replace a number."""
    return _replace_match(rb"-?\d+", data, dice, dice.choice(NASTY_NUMBERS))


def _value(data: bytes, dice: random.Random) -> bytes:
    """Replace a value."""
    return _replace_match(rb"(?<== )\S[^\n#]*", data, dice, dice.choice(NASTY_VALUES))


def _step(data: bytes, dice: random.Random) -> bytes:
    """Replace a step."""
    words = dice.choice(STEP_LINES) if dice.random() < 0.4 else f"{dice.randint(1, 6)} {dice.choice(STEP_WORDS)}"
    return _replace_match(rb'(?<=do = ")[^"]*|(?<=do  = ")[^"]*', data, dice, words)


def _more_steps(data: bytes, dice: random.Random) -> bytes:
    """Append steps."""
    steps = [
        dice.choice(STEP_LINES) if dice.random() < 0.4 else f"{dice.randint(1, 6)} {dice.choice(STEP_WORDS)}"
        for _ in range(dice.randint(1, 20))
    ]
    return data + "".join(f'\n[[step]]\ndo = "{step}"\n' for step in steps).encode()


def _replace_match(pattern: bytes, data: bytes, dice: random.Random, text: str) -> bytes:
    """Replace one random match of the pattern by the text. Return unchanged data if nothing matches."""
    matches = list(re.finditer(pattern, data))
    if not matches:
        return data
    match = dice.choice(matches)
    return data[: match.start()] + text.encode() + data[match.end() :]


def _other_value(data: bytes, dice: random.Random) -> bytes:
    """Replace the value of a TOML key by the value of another TOML key of the same file."""
    values = re.findall(rb"(?<== )\S[^\n#]*", data)
    return (
        _replace_match(rb"(?<== )\S[^\n#]*", data, dice, dice.choice(values).decode(errors="replace"))
        if values
        else data
    )


def _line(data: bytes, dice: random.Random) -> bytes:
    """Remove, repeat or move a line."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    line = lines.pop(dice.randrange(len(lines)))
    for _ in range(dice.randint(0, 2)):
        lines.insert(dice.randint(0, len(lines)), line)
    return b"".join(lines)


def _bytes(data: bytes, dice: random.Random) -> bytes:
    """Insert a harmful sequence of bytes, and remove up to three bytes that follow."""
    start = dice.randint(0, len(data))
    return data[:start] + dice.choice(NASTY_BYTES) + data[start + dice.randint(0, 3) :]


def _cut(data: bytes, dice: random.Random) -> bytes:
    """Remove the end of the file."""
    return data[: dice.randint(0, len(data))]


def _bit(data: bytes, dice: random.Random) -> bytes:
    """Flip one bit."""
    if not data:
        return data
    index = dice.randrange(len(data))
    return data[:index] + bytes([data[index] ^ 1 << dice.randrange(8)]) + data[index + 1 :]


STEP_MUTATIONS = (_step, _more_steps)
MUTATIONS = (
    *(_number, _number, _value, _value, _other_value, _other_value),
    *(_step, _step, _more_steps, _more_steps, _line, _bytes, _cut, _bit),
)
