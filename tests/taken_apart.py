"""Where text is taken apart or compared, found on the syntax tree of the four packages.

What is looked for:

- methods that only text has: `split`, `startswith`, `strip`, `isdigit`, … and those of regular expressions;
- `find`, `index`, `count` of a text;
- a part of a text (`text[1:]`), a text searched in another (`"a" in text`), one compared with another or matched.

Codes are no text: a `Literal` or an enum says which there are, and the type checker knows them. So the last kind asks
for what is declared as text: arguments, attributes and functions whose type is `str` or `bytes`, and what is made of
them. Comparing with nothing (`text == ""`) asks whether there is any, and is let pass.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.imports import Module

STRIPS = frozenset({"strip", "lstrip", "rstrip"})
"""Counted with one argument at most, as text has them."""
_CUTTING = STRIPS | {"split", "rsplit", "partition", "rpartition", "splitlines", "removeprefix", "removesuffix"}
_ASKING = {name for name in dir(str) if name.startswith("is")} | {"startswith", "endswith", "rfind", "rindex"}
METHODS = frozenset(
    _CUTTING | _ASKING | {"removeprefix", "removesuffix", "casefold", "fullmatch", "finditer", "findall"}
)
"""A call of one of these is of a text, or of a pattern."""
WITH_TEXT = frozenset({"find", "index", "count"})
"""Tuples have these too: a call counts where its argument is a text."""
OF_PATTERNS = frozenset({"match", "search", "sub", "subn"})
"""Counted where they are called on `re`, or on a name in capitals, as patterns have."""
NAMES = frozenset({"name", "spot", "uid", "reader", "device"})
"""What people call something, and what a tag, spot or device is called: one may be compared with another, or with a
constant that has a name, as a key of a mapping is; not with a text that stands there, and it is not taken apart."""
TEXTS = frozenset({"str", "bytes", "str | None", "bytes | None", "None | str", "bytearray"})
MANY = ("tuple", "list", "Sequence", "Iterable", "Iterator", "frozenset", "set")
MAKES_TEXT = frozenset({"str", "repr", "ascii", "format", "chr"})
METHODS_THAT_MAKE_TEXT = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "join", "decode", "encode"}
    | {"replace", "removeprefix", "removesuffix", "format", "translate", "ljust", "rjust", "zfill", "hex"}
)


@dataclass(frozen=True, slots=True)
class Taken:
    """One place: the function that it is in (`controller.config.head:parse_toml`), its line, what is done."""

    place: str
    line: int
    what: str


@dataclass(slots=True)
class Declared:
    """What the packages declare as text, by name: attributes and functions, text wherever that name is declared."""

    attributes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


def declared(modules: Iterable[Module]) -> Declared:
    """The names of attributes and functions that are text in every one of their declarations."""
    attributes: defaultdict[str, set[bool]] = defaultdict(set)
    functions: defaultdict[str, set[bool]] = defaultdict(set)
    for module in modules:
        for node in ast.walk(module.syntax):
            match node:
                case ast.ClassDef():
                    for item in node.body:
                        match item:
                            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                                attributes[name].add(_is_text_type(annotation))
                            case ast.FunctionDef(name=name, returns=returns):
                                where = attributes if _is_property(item) else functions
                                where[name].add(_is_text_type(returns))
                            case ast.Assign(targets=[ast.Name(id=name)]):
                                attributes[name].add(False)
                case ast.AnnAssign(target=ast.Attribute(attr=name), annotation=annotation):
                    attributes[name].add(_is_text_type(annotation))
                case ast.FunctionDef(name=name, returns=returns):
                    functions[name].add(_is_text_type(returns))
    return Declared(
        {name for name, kinds in attributes.items() if kinds == {True}},
        {name for name, kinds in functions.items() if kinds == {True}},
    )


def taken_apart(modules: Iterable[Module]) -> list[Taken]:
    """Every place where text is taken apart or compared, by module and line."""
    modules = list(modules)
    known = declared(modules)
    found = {taken for module in modules for taken in _Scope(module.name, "", known).places(module.syntax)}
    return sorted(found, key=lambda taken: (taken.place.partition(":")[0], taken.line, taken.what))


def unlisted(found: Iterable[Taken], edges: Mapping[str, str]) -> list[Taken]:
    """The places that no edge covers: an edge is a module, or a function of one."""
    return [taken for taken in found if not {taken.place, taken.place.partition(":")[0]} & edges.keys()]


def unused(found: Iterable[Taken], edges: Mapping[str, str]) -> list[str]:
    """The edges where nothing is taken apart; a function's, too, where its whole module is one."""
    places = {taken.place for taken in found}
    modules = {place.partition(":")[0] for place in places}
    return [edge for edge in edges if edge not in places | modules or (":" in edge and edge.partition(":")[0] in edges)]


def _is_property(function: ast.FunctionDef) -> bool:
    names = {ast.unparse(decorator) for decorator in function.decorator_list}
    return bool(names & {"property", "cached_property", "functools.cached_property"})


def _is_text_type(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value in TEXTS
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) in ("Final", "ClassVar"):
        return _is_text_type(annotation.slice)
    return annotation is not None and ast.unparse(annotation) in TEXTS


def _is_many_texts(annotation: ast.expr | None) -> bool:
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) not in MANY:
        return False
    first = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
    return _is_text_type(first)


@dataclass(slots=True)
class _Scope:
    """A module, class or function: which of its names are text."""

    module: str
    name: str
    known: Declared
    texts: dict[str, bool] = field(default_factory=dict)
    many: set[str] = field(default_factory=set)

    def places(self, node: ast.AST) -> Iterator[Taken]:
        """What is found in this node and below it; names are noted as they are met."""
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from self._inside(node)
                return
            case ast.AnnAssign(target=ast.Name(id=name)):
                self._note(name, _is_text_type(node.annotation), _is_many_texts(node.annotation))
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
                self._note(name, self.is_text(node.value), self.is_many(node.value))
            case (
                ast.For(target=ast.Name(id=name), iter=several)
                | ast.comprehension(target=ast.Name(id=name), iter=several)
            ):
                self._note(name, self.is_many(several) or self.is_text(several), False)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                # The names come before what is made of them.
                for part in node.generators:
                    yield from self.places(part)
        what = self._what(node)
        if what:
            yield Taken(f"{self.module}:{self.name}" if self.name else self.module, getattr(node, "lineno", 0), what)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.comprehension):
                yield from self.places(child)

    def _inside(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Taken]:
        name = f"{self.name}.{node.name}" if self.name else node.name
        inner = _Scope(self.module, name, self.known, dict(self.texts), set(self.many))
        if not isinstance(node, ast.ClassDef):
            given = node.args
            for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                inner._note(argument.arg, _is_text_type(argument.annotation), _is_many_texts(argument.annotation))
            if given.vararg:
                inner._note(given.vararg.arg, False, _is_text_type(given.vararg.annotation))
        for child in ast.iter_child_nodes(node):
            yield from inner.places(child)

    def _note(self, name: str, is_text: bool, is_many: bool) -> None:
        self.texts[name] = is_text
        self.many.discard(name)
        if is_many:
            self.many.add(name)

    def is_text(self, node: ast.AST | None) -> bool:
        """Whether this expression is text, as far as its names say."""
        match node:
            case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                return True
            case ast.Name(id=name):
                return self.texts.get(name, False)
            case ast.Attribute(attr=name):
                return name in self.known.attributes
            case ast.Call(func=ast.Name(id=name)):
                return name in MAKES_TEXT or name in self.known.functions
            case ast.Call(func=ast.Attribute(attr=name, value=value)):
                return name in self.known.functions or (name in METHODS_THAT_MAKE_TEXT and self.is_text(value))
            case ast.Subscript(value=value):
                return self.is_text(value) or self.is_many(value)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
                return self.is_text(left) or self.is_text(right)
            case ast.BoolOp(values=values):
                return any(map(self.is_text, values))
            case ast.IfExp(body=body, orelse=other):
                return self.is_text(body) or self.is_text(other)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.is_text(value)
        return False

    def is_many(self, node: ast.AST | None) -> bool:
        """Whether this expression is several texts."""
        match node:
            case ast.Name(id=name):
                return name in self.many
            case ast.Call(func=ast.Attribute(attr="split" | "rsplit" | "partition" | "rpartition" | "splitlines")):
                return True
            case ast.Call(func=ast.Name(id="sorted" | "tuple" | "list" | "set" | "reversed"), args=[first, *_]):
                return self.is_many(first)
        return False

    def _what(self, node: ast.AST) -> str:
        """What this node does to a text, or ""."""
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=value), args=args):
                return self._call(name, value, args)
            case ast.Subscript(value=value, slice=part, ctx=ast.Load()) if self.is_text(value):
                return f"[{ast.unparse(part)}]"
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._comparison([left, *others], ops)
            case ast.Match(subject=subject) if self.is_text(subject) or self.is_many(subject):
                return "match"
        return ""

    def _call(self, name: str, value: ast.expr, args: list[ast.expr]) -> str:
        if name in METHODS and not (name in STRIPS and len(args) > 1):
            return f".{name}()"
        if name in WITH_TEXT and args and self.is_text(args[0]) and not self.is_many(value):
            return f".{name}()"
        of_pattern = isinstance(value, ast.Name) and (value.id == "re" or value.id.isupper())
        return f".{name}()" if name in OF_PATTERNS and of_pattern else ""

    def _comparison(self, sides: list[ast.expr], ops: list[ast.cmpop]) -> str:
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                is_apart = self.is_text(right) or (isinstance(left, ast.JoinedStr) and not self.is_many(right))
                is_listed = self._is_declared(left) and isinstance(right, ast.Tuple | ast.Set | ast.List)
                if is_apart or is_listed:
                    return "in"
            elif isinstance(op, ast.Eq | ast.NotEq) and self._are_compared(left, right):
                return "=="
        return ""

    def _are_compared(self, left: ast.expr, right: ast.expr) -> bool:
        if not (self._is_declared(left) or self._is_declared(right)) or _is_empty(left) or _is_empty(right):
            return False
        is_constant = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
        return is_constant or not (_named(left) in NAMES or _named(right) in NAMES)

    def _is_declared(self, node: ast.expr) -> bool:
        """Text by more than a constant: a code is compared with a constant too."""
        return not isinstance(node, ast.Constant) and self.is_text(node)


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in ("", b"")
