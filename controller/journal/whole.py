"""A frozen value in one piece: written, read back by its type, and its digest.

Made for the live state of a table, and knows nothing of it: it goes by type hints. A value is made of frozen
dataclasses, named tuples, mappings, tuples, frozensets, enums, steps (written as their lines), whole numbers, numbers,
texts, truth values and None; keys and members of sets are numbers, texts or steps. A field that is neither compared nor
printed is what a value remembers for speed: it is left out, and None in what is read.

On disk it is JSON. Each part stands once, however often it comes: the tables that undo keeps share most of theirs.

    {"form": 1,
     "kinds": [["Player", "name", "stack"]],          classes with their fields
     "parts": [[0, "ann", 200], ["map", 3, [0]]],     a kind and the values of its fields; "map", "list" or "set" and
                                                      what is in it; [0] is part 0: each is behind the parts in it
     "whole": [1]}

Equal values give equal bytes, in whatever order a mapping or set was filled. A field that was not written, by a program
that did not know it, is read as its default; one that this program does not know is left out.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, ClassVar, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from controller.table import Step, StepError, line, parse
from firmware_bridge.errors import PotkeeperError, Whose

FORM: Final = 1
DIGEST_BYTES: Final = 16
"""Enough against chance; who could forge a state could as well forge the journal."""

T = TypeVar("T")
_SCALARS: Final = (bool, int, float, str, type(None))


class WholeError(PotkeeperError):
    """What was to be read is not the value expected; one line: where, what, what was expected."""

    whose: ClassVar[Whose] = "storage"


def write(value: object) -> bytes:
    """The value in one piece. Raises TypeError for a value that is none of the kinds above."""
    writer = _Writer()
    whole = writer.value(value)
    kinds = (json.dumps([kind.__name__, *_fields(kind)]) for kind in writer.kinds)
    parts = (f'"form":{FORM}', f'"kinds":[{",".join(kinds)}]', f'"parts":[{",".join(writer.parts)}]')
    return f'{{{",".join(parts)},"whole":{_json(whole)}}}'.encode()


def digest(value: object) -> str:
    """What two values have in common exactly when they are equal, as hex digits. What is to be left out of it, the
    caller leaves out of the value."""
    return digest_of(write(value))


def digest_of(written: bytes) -> str:
    """The digest of a value that is written already."""
    return blake2b(written, digest_size=DIGEST_BYTES).hexdigest()


def read(kind: type[T], data: bytes) -> T:
    """The value of this kind that `write` wrote. Raises WholeError."""
    try:
        written = json.loads(data)
    except (ValueError, RecursionError):
        raise WholeError(f"whole: {data[:20]!r}, expected JSON") from None
    if not isinstance(written, dict) or set(written) != {"form", "kinds", "parts", "whole"} or written["form"] != FORM:
        raise WholeError(f"whole: another kind of file, expected form, kinds, parts and whole, form {FORM}")
    try:
        return cast(T, _Reader(written["kinds"], written["parts"]).value(kind, written["whole"], kind.__name__))
    except RecursionError:
        raise WholeError("whole: parts in parts without end, expected a table") from None


_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass or named tuple, in order, those included that follow from others."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if field.compare or field.repr)
    return cast(tuple[str, ...], getattr(kind, "_fields", ()))


@cache
def _remembered(kind: type) -> tuple[str, ...]:
    """The fields that are neither compared nor printed: what a value remembers for speed is no part of it."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(field.name for field in dataclasses.fields(kind) if not field.compare and not field.repr)


@cache
def _content(kind: type) -> Callable[[Any], tuple[object, ...]]:
    names = _fields(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


class _Writer:
    """Parts by their content; `known` saves work where the same object comes again."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.kinds: dict[type, int] = {}
        self._numbers: dict[str, int] = {}
        self._known: dict[int, list[int]] = {}

    def value(self, value: object) -> object:
        """A scalar, or the reference to a part."""
        if type(value) in _SCALARS:
            return _scalar(value)
        known = self._known.get(id(value))
        if known is not None:
            return known
        if isinstance(value, Step):
            return line(value)
        if isinstance(value, Enum):
            return self.value(value.value)
        return self._known.setdefault(id(value), self._part(value))

    def _part(self, value: object) -> list[int]:
        kind: type = type(value)
        content: list[object]
        if isinstance(value, Mapping):
            content = ["map"]
            for key, item in _sorted((self._plain(key), item) for key, item in value.items()):
                content += (key, self.value(item))
        elif isinstance(value, frozenset):
            content = ["set", *(member for member, _ in _sorted((self._plain(each), None) for each in value))]
        elif kind is tuple:
            content = ["list", *map(self.value, cast(tuple[object, ...], value))]
        elif _fields(kind):
            content = [self.kinds.setdefault(kind, len(self.kinds))]
            content += map(self.value, _content(kind)(value))
        else:
            raise TypeError(f"{value!r}: expected a value that can be written whole")
        text = _json(content)
        if text not in self._numbers:
            self._numbers[text] = len(self.parts)
            self.parts.append(text)
        return [self._numbers[text]]

    def _plain(self, value: object) -> object:
        """A key or a member of a set."""
        plain = self.value(value)
        if isinstance(plain, list):
            raise TypeError(f"{value!r}: expected a number, a text or a step as key or member of a set")
        return plain


def _scalar(value: object) -> object:
    """1.0 is 1: they are equal."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sorted(items: Iterable[tuple[object, object]]) -> list[tuple[object, object]]:
    """By key; numbers before texts."""
    return sorted(items, key=lambda item: (isinstance(item[0], str), item[0]))


class _Reader:
    """Values by part and type hint: the same part may stand for values of several types."""

    def __init__(self, kinds: object, parts: object) -> None:
        if not isinstance(kinds, list) or not isinstance(parts, list):
            raise WholeError(f"whole: kinds {_short(kinds)}, parts {_short(parts)}, expected lists")
        self._kinds = kinds
        self._parts = parts
        self._made: dict[tuple[int, Any], object] = {}
        self._most = len(parts)

    def value(self, hint: Any, raw: object, where: str) -> object:
        """The value of the hint's type. Raises WholeError."""
        if isinstance(raw, list):
            return self._of_part(hint, raw, where)
        if get_origin(hint) in (Union, types.UnionType):
            return self._of_union(hint, raw, where)
        if get_origin(hint) is Literal:
            if any(raw == word and type(raw) is type(word) for word in get_args(hint)):
                return raw
        elif isinstance(hint, type):
            made = _plain_value(hint, raw)
            if made is not _WRONG:
                return made
        raise WholeError(f"{where} = {_short(raw)}: expected {_name(hint)}")

    def _of_part(self, hint: Any, raw: list[object], where: str) -> object:
        number = raw[0] if len(raw) == 1 else None
        # A part may refer to those before it only: so none refers to itself.
        if type(number) is not int or not 0 <= number < self._most:
            raise WholeError(f"{where}: refers to {_short(raw)}, expected a part before it")
        key = (number, hint)
        if key not in self._made:
            part = self._parts[number]
            if not isinstance(part, list) or not part:
                raise WholeError(f"{where}: part {number} is {_short(part)}, expected a list of its content")
            most, self._most = self._most, number
            try:
                self._made[key] = self._from(hint, part, where)
            finally:
                self._most = most
        return self._made[key]

    def _of_union(self, hint: Any, raw: object, where: str, part: list[Any] | None = None) -> object:
        arms = [arm for arm in get_args(hint) if arm is not type(None)]
        if raw is None and part is None and len(arms) < len(get_args(hint)):
            return None
        for arm in arms[:-1]:
            try:
                return self.value(arm, raw, where) if part is None else self._from(arm, part, where)
            except WholeError:
                continue
        return self.value(arms[-1], raw, where) if part is None else self._from(arms[-1], part, where)

    def _from(self, hint: Any, part: list[Any], where: str) -> object:
        """The value of a part."""
        tag, content = part[0], part[1:]
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return self._of_union(hint, None, where, part)
        if origin is tuple and tag == "list":
            if len(inner) == 2 and inner[1] is Ellipsis:
                inner = (inner[0],) * len(content)
            if len(inner) == len(content):
                return tuple(
                    self.value(of, raw, f"{where}[{at}]")
                    for at, (of, raw) in enumerate(zip(inner, content, strict=True))
                )
        elif origin is frozenset and tag == "set":
            return frozenset(self.value(inner[0], raw, where) for raw in content)
        elif isinstance(origin, type) and issubclass(origin, Mapping) and tag == "map" and len(content) % 2 == 0:
            return {
                self.value(inner[0], key, where): self.value(inner[1], raw, f"{where}[{_short(key)}]")
                for key, raw in zip(content[::2], content[1::2], strict=True)
            }
        elif isinstance(hint, type) and type(tag) is int:
            return self._made_of(hint, tag, content, where)
        raise WholeError(f"{where}: expected {_name(hint)}, got {_short(part)}")

    def _made_of(self, kind: type, tag: int, content: list[object], where: str) -> object:
        stands = self._kinds[tag] if 0 <= tag < len(self._kinds) else None
        if not isinstance(stands, list) or stands[:1] != [kind.__name__] or len(content) != len(stands) - 1:
            raise WholeError(f"{where}: expected {kind.__name__}, got {_short(stands)}")
        written = {str(name): raw for name, raw in zip(stands[1:], content, strict=True)}
        hints, defaults = _hints(kind), _defaults(kind)
        values: dict[str, object] = {}
        for name in _fields(kind):
            if name in written:
                values[name] = self.value(hints[name], written[name], f"{where}.{name}")
            elif name in defaults:
                values[name] = defaults[name]
            else:
                raise WholeError(f"{where}: expected {kind.__name__} with {name}, got {_short(stands)}")
        if not dataclasses.is_dataclass(kind):
            return kind(**values)
        # Fields that follow from others were written as they were, so that nothing is worked out or judged anew.
        made = object.__new__(kind)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        for name in _remembered(kind):
            object.__setattr__(made, name, None)
        return made


_WRONG: Final = object()


def _plain_value(kind: type, raw: object) -> object:
    """A scalar as a value of the kind; `_WRONG` where it is none."""
    if issubclass(kind, Step):
        try:
            step = parse(raw) if isinstance(raw, str) else None
        except StepError:
            step = None
        return step if isinstance(step, kind) else _WRONG
    if issubclass(kind, Enum):
        return next((each for each in kind if each.value == raw), _WRONG)
    if kind is float and type(raw) is int:
        return raw
    return raw if type(raw) is kind else _WRONG


@cache
def _defaults(kind: type) -> dict[str, object]:
    """What stands in fields that nobody fills."""
    if not dataclasses.is_dataclass(kind):
        return dict(getattr(kind, "_field_defaults", {}))
    made = ((field.name, field.default, field.default_factory) for field in dataclasses.fields(kind))
    none = dataclasses.MISSING
    return {
        name: factory() if factory is not none else default
        for name, default, factory in made
        if default is not none or factory is not none
    }


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
