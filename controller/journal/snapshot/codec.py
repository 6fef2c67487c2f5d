"""The codec of snapshots: write a frozen value, read it back by its type, and compute its digest.

The codec stores the live state of a table. It needs only the type hints of the classes. A value consists of frozen
dataclasses, frozen structs of msgspec, named tuples, mappings, tuples, frozensets, enums, steps (written as their
lines), int, float, str, bool and None. The keys of mappings and the members of sets are numbers, texts or steps. A
dataclass field with `compare=False` and `repr=False` is a cache. A cache is not written, and it is None after reading.

On disk a snapshot is JSON. Each distinct part is written only once, because the earlier tables that undo keeps have
most parts in common.

    {"form": 1,
     "kinds": [["Player", "name", "stack"]],          classes with their fields
     "parts": [[0, "ann", 200], ["map", 3, [0]]],     a kind and the values of its fields, or "map", "list" or "set"
                                                      and its items; [0] refers to part 0, which must come earlier
     "whole": [1]}

Equal values give equal bytes. The order in which a mapping or set was filled does not matter. A field that an older
program did not write gets its default. A field that this program does not know is ignored. A field that was added to a
class since the first journals is written only if it does not have its default, so that old digests stay the same.
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

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields as struct_fields

from controller.journal.snapshot.written_names import added_fields, written_class, written_fields
from controller.steps import Step, StepSyntaxError, format_step, parse_step
from firmware_bridge.errors import FaultSource, PotkeeperError

FORMAT_VERSION: Final = 1
DIGEST_BYTES: Final = 16
"""Length of a digest in bytes, which is enough to detect accidental differences.

Longer digests would not help against forgery, because a forger can compute all digests and hashes again.
"""

T = TypeVar("T")
_SCALARS: Final = frozenset({bool, int, float, str, type(None)})


class SnapshotError(PotkeeperError):
    """A snapshot does not have the expected content. The message has one line: place, problem and expectation."""

    fault: ClassVar[FaultSource] = "storage"


def encode(value: object) -> bytes:
    """Return the snapshot of a value. Raises TypeError if the value has a part of an unsupported type."""
    writer = _Writer()
    root = writer.value(value)
    kinds = (
        json.dumps([written_class(form.kind.__name__), *map(_written_fields(form.kind).__getitem__, form.names)])
        for form in writer.forms
    )
    parts = (f'"form":{FORMAT_VERSION}', f'"kinds":[{",".join(kinds)}]', f'"parts":[{",".join(writer.parts)}]')
    return f'{{{",".join(parts)},"whole":{_json(root)}}}'.encode()


def digest_of_value(value: object) -> str:
    """Return the digest of a value as hex digits. Only equal values have equal digests."""
    return digest_of_bytes(encode(value))


def digest_of_bytes(written: bytes) -> str:
    """Return the digest of a snapshot."""
    return blake2b(written, digest_size=DIGEST_BYTES).hexdigest()


def decode(kind: type[T], data: bytes) -> T:
    """Return the value in a snapshot. Raises SnapshotError if the value is not of this type."""
    try:
        written = json.loads(data)
    except (ValueError, RecursionError):
        raise SnapshotError(f"snapshot: {data[:20]!r}, expected JSON") from None
    if (
        not isinstance(written, dict)
        or set(written) != {"form", "kinds", "parts", "whole"}
        or written["form"] != FORMAT_VERSION
    ):
        raise SnapshotError(
            f"snapshot: another kind of file, expected the keys form, kinds, parts, whole of format {FORMAT_VERSION}"
        )
    try:
        return cast(T, _Reader(written["kinds"], written["parts"]).value(kind, written["whole"], kind.__name__))
    except RecursionError:
        raise SnapshotError("snapshot: parts are nested too deeply, expected a table") from None


_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass, struct or named tuple in order, including derived fields."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if field.compare or field.repr)
    if issubclass(kind, Struct):
        return kind.__struct_fields__
    return cast(tuple[str, ...], getattr(kind, "_fields", ()))


@cache
def _written_fields(kind: type) -> dict[str, str]:
    """Return the names that snapshots use for the fields of a class, by the paths in the code and in order."""
    return written_fields(kind.__name__, _fields(kind))


@cache
def _paths(kind: type) -> tuple[str, ...]:
    """Return the paths of the fields that snapshots have, in order."""
    return tuple(_written_fields(kind))


@cache
def _cache_fields(kind: type) -> tuple[str, ...]:
    """Return the names of the cache fields, which have `compare=False` and `repr=False`."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(field.name for field in dataclasses.fields(kind) if not field.compare and not field.repr)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """Fields of a class that a snapshot contains, and the function that returns them. Each form exists once."""

    kind: type
    names: tuple[str, ...]
    content: Callable[[Any], tuple[object, ...]]


@cache
def _form(kind: type, names: tuple[str, ...]) -> _Form:
    return _Form(kind, names, _content_getter(names))


@cache
def _usual_form(kind: type) -> tuple[_Form, Callable[[Any], tuple[object, ...]] | None, tuple[object, ...]]:
    """Return the form of a value with the default in each added field, the getter of these fields, and the defaults.

    The getter is None if the class has no added fields.
    """
    added = tuple(name for name in _paths(kind) if name in added_fields(kind.__name__))
    usual = _form(kind, tuple(name for name in _paths(kind) if name not in added))
    return usual, _content_getter(added) if added else None, tuple(_default_at(kind, name) for name in added)


def _form_of(kind: type, value: object) -> _Form:
    """Return the form of a value, which leaves out each added field that has its default."""
    usual, added, defaults = _usual_form(kind)
    if added is None or added(value) == defaults:
        return usual
    written = added_fields(kind.__name__)
    names = (name for name in _paths(kind) if name not in written or attrgetter(name)(value) != _default_at(kind, name))
    return _form(kind, tuple(names))


@cache
def _default_at(kind: type, path: str) -> object:
    """Return the default value of the field with this path."""
    part, name = _owner_of_field(kind, path)
    return _defaults(part)[name]


def _content_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


class _Writer:
    """Writes a value and everything in it as numbered parts. Parts with the same content are written once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.forms: dict[_Form, int] = {}
        self._numbers: dict[str, int] = {}
        self._reference_by_id: dict[int, list[int]] = {}

    def value(self, value: object) -> object:
        """Return a scalar as it is, and any other value as a reference to the numbered part that contains the value."""
        kind = type(value)
        if kind in _SCALARS:
            return _scalar(value) if kind is float else value
        known = self._reference_by_id.get(id(value))
        if known is not None:
            return known
        if isinstance(value, Step):
            return format_step(value)
        if isinstance(value, Enum):
            return self.value(value.value)
        return self._reference_by_id.setdefault(id(value), self._part(value))

    def _part(self, value: object) -> list[int]:
        kind: type = type(value)
        content: list[object]
        if isinstance(value, Mapping):
            content = ["map"]
            for key, item in _sorted((self._plain_key(key), item) for key, item in value.items()):
                content += (key, self.value(item))
        elif isinstance(value, frozenset):
            content = [
                "set",
                *(member for member, _ in _sorted((self._plain_key(member_value), None) for member_value in value)),
            ]
        elif kind is tuple:
            content = ["list", *map(self.value, cast(tuple[object, ...], value))]
        elif _fields(kind):
            form = _form_of(kind, value)
            content = [self.forms.setdefault(form, len(self.forms))]
            content += map(self.value, form.content(value))
        else:
            raise TypeError(f"{value!r}: expected a value of a type that snapshots support")
        text = _json(content)
        if text not in self._numbers:
            self._numbers[text] = len(self.parts)
            self.parts.append(text)
        return [self._numbers[text]]

    def _plain_key(self, value: object) -> object:
        """Return the key of a mapping, or the member of a set, in the form that snapshots use."""
        plain = self.value(value)
        if isinstance(plain, list):
            raise TypeError(f"{value!r}: expected a number, a text or a step as key of a mapping or member of a set")
        return plain


def _scalar(value: object) -> object:
    """Return 2.0 as 2, so that equal numbers are written equally. Return any other scalar as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sorted(items: Iterable[tuple[object, object]]) -> list[tuple[object, object]]:
    """Return pairs sorted by their first member, with numbers before texts."""
    return sorted(items, key=lambda item: (isinstance(item[0], str), item[0]))


class _Reader:
    """Reads values from the numbered parts of a snapshot.

    Type hints are needed, because values of different types may be stored as the same part.
    """

    def __init__(self, kinds: object, parts: object) -> None:
        if not isinstance(kinds, list) or not isinstance(parts, list):
            raise SnapshotError(f"snapshot: kinds {_abbreviate(kinds)}, parts {_abbreviate(parts)}, expected lists")
        self._kinds = kinds
        self._parts = parts
        self._read_values: dict[tuple[int, Any], object] = {}
        self._part_limit = len(parts)

    def value(self, hint: Any, raw: object, location: str) -> object:
        """Return the value for a scalar or a reference to a part.

        Raises SnapshotError if the value does not fit the type hint.
        """
        if isinstance(raw, list):
            return self._read_part(hint, raw, location)
        if get_origin(hint) in (Union, types.UnionType):
            return self._read_union(hint, raw, location)
        if get_origin(hint) is Literal:
            if any(raw == word and type(raw) is type(word) for word in get_args(hint)):
                return raw
        elif isinstance(hint, type):
            plain_value = _plain_value(hint, raw)
            if plain_value is not _NO_VALUE:
                return plain_value
        raise SnapshotError(f"{location} = {_abbreviate(raw)}: expected {_type_name(hint)}")

    def _read_part(self, hint: Any, raw: list[object], location: str) -> object:
        number = raw[0] if len(raw) == 1 else None
        # A part may only refer to earlier parts, so that no part can contain itself.
        if type(number) is not int or not 0 <= number < self._part_limit:
            raise SnapshotError(f"{location}: refers to {_abbreviate(raw)}, expected an earlier part")
        key = (number, hint)
        if key not in self._read_values:
            part = self._parts[number]
            if not isinstance(part, list) or not part:
                raise SnapshotError(f"{location}: part {number} is {_abbreviate(part)}, expected a list of its content")
            outer_limit, self._part_limit = self._part_limit, number
            try:
                self._read_values[key] = self._read_content(hint, part, location)
            finally:
                self._part_limit = outer_limit
        return self._read_values[key]

    def _read_union(self, hint: Any, raw: object, location: str, part: list[Any] | None = None) -> object:
        arms = [arm for arm in get_args(hint) if arm is not type(None)]
        if raw is None and part is None and len(arms) < len(get_args(hint)):
            return None
        for arm in arms[:-1]:
            try:
                return self.value(arm, raw, location) if part is None else self._read_content(arm, part, location)
            except SnapshotError:
                continue
        return self.value(arms[-1], raw, location) if part is None else self._read_content(arms[-1], part, location)

    def _read_content(self, hint: Any, part: list[Any], location: str) -> object:
        """Return the value that a part of a snapshot contains. The type hint says how to read the part."""
        tag, content = part[0], part[1:]
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return self._read_union(hint, None, location, part)
        if origin is tuple and tag == "list":
            if len(inner) == 2 and inner[1] is Ellipsis:
                inner = (inner[0],) * len(content)
            if len(inner) == len(content):
                return tuple(
                    self.value(item_hint, raw, f"{location}[{index}]")
                    for index, (item_hint, raw) in enumerate(zip(inner, content, strict=True))
                )
        elif origin is frozenset and tag == "set":
            return frozenset(self.value(inner[0], raw, location) for raw in content)
        elif isinstance(origin, type) and issubclass(origin, Mapping) and tag == "map" and len(content) % 2 == 0:
            return {
                self.value(inner[0], key, location): self.value(inner[1], raw, f"{location}[{_abbreviate(key)}]")
                for key, raw in zip(content[::2], content[1::2], strict=True)
            }
        elif isinstance(hint, type) and type(tag) is int:
            return self._read_object(hint, tag, content, location)
        raise SnapshotError(f"{location}: expected {_type_name(hint)}, got {_abbreviate(part)}")

    def _read_object(self, kind: type, tag: int, content: list[object], location: str) -> object:
        written_kind = self._kinds[tag] if 0 <= tag < len(self._kinds) else None
        if (
            not isinstance(written_kind, list)
            or written_kind[:1] != [written_class(kind.__name__)]
            or len(content) != len(written_kind) - 1
        ):
            raise SnapshotError(f"{location}: expected {kind.__name__}, got {_abbreviate(written_kind)}")
        written = {str(name): raw for name, raw in zip(written_kind[1:], content, strict=True)}
        values: dict[str, object] = {}
        for path, written_name in _written_fields(kind).items():
            part_kind, name = _owner_of_field(kind, path)
            if written_name in written:
                values[path] = self.value(_hints(part_kind)[name], written[written_name], f"{location}.{path}")
            elif name in _defaults(part_kind):
                values[path] = _defaults(part_kind)[name]
            else:
                raise SnapshotError(
                    f"{location}: expected {kind.__name__} with {path}, got {_abbreviate(written_kind)}"
                )
        values = _with_parts(kind, values)
        if not dataclasses.is_dataclass(kind):
            return kind(**values)
        # Bypass `__init__`, which would compute derived fields by newer rules. The snapshot has the old values.
        instance = object.__new__(kind)
        for name, value in values.items():
            object.__setattr__(instance, name, value)
        for name in _cache_fields(kind):
            object.__setattr__(instance, name, None)
        return instance


_NO_VALUE: Final = object()


def _plain_value(kind: type, raw: object) -> object:
    """Return a scalar as a value of this type, or `_NO_VALUE` if the scalar does not fit the type."""
    if issubclass(kind, Step):
        try:
            step = parse_step(raw) if isinstance(raw, str) else None
        except StepSyntaxError:
            step = None
        return step if isinstance(step, kind) else _NO_VALUE
    if issubclass(kind, Enum):
        return next((member for member in kind if member.value == raw), _NO_VALUE)
    if kind is float and type(raw) is int:
        return raw
    return raw if type(raw) is kind else _NO_VALUE


@cache
def _defaults(kind: type) -> dict[str, object]:
    """Return the default value of each field. Fields without a default are left out."""
    if issubclass(kind, Struct):
        return {field.name: field.default for field in struct_fields(kind) if field.default is not NODEFAULT}
    if not dataclasses.is_dataclass(kind):
        return dict(getattr(kind, "_field_defaults", {}))
    fields = ((field.name, field.default, field.default_factory) for field in dataclasses.fields(kind))
    missing = dataclasses.MISSING
    return {
        name: factory() if factory is not missing else default
        for name, default, factory in fields
        if default is not missing or factory is not missing
    }


@cache
def _owner_of_field(kind: type, path: str) -> tuple[type, str]:
    """Return the class that has the field with this path, and the name of the field there."""
    part, _, name = path.rpartition(".")
    return (_hints(kind)[part], name) if part else (kind, name)


def _with_parts(kind: type, values: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a class, in which fields with a path are collected in the parts of the class."""
    fields: dict[str, object] = {}
    fields_by_part: dict[str, dict[str, object]] = {}
    for path, value in values.items():
        part, _, name = path.rpartition(".")
        (fields_by_part.setdefault(part, {}) if part else fields)[name] = value
    return fields | {part: _hints(kind)[part](**content) for part, content in fields_by_part.items()}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _type_name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _abbreviate(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
