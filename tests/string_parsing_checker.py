"""Find the places in the four packages where the source code parses or compares strings.

The checker reports:

- calls of methods that only strings and regular expressions have, such as `split`, `strip`, `isdigit` or `fullmatch`
- calls of `find`, `index` and `count` on a string
- slices of a string (`text[1:]`), searches in a string (`"a" in text`), and comparisons or matches of strings

The checker reports the last group only if an expression is declared as a string. These are parameters, attributes and
functions of type `str` or `bytes`, and expressions that use them.

Codes may be compared. A `Literal` or an enum lists their values, so that the type checker finds a misspelt code. A
comparison with the empty string (`text == ""`) is not reported, because it parses nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.import_graph import Module

STRIP_METHODS = frozenset({"strip", "lstrip", "rstrip"})
"""Methods that are reported if they are called with at most one argument, as the methods of strings are."""
_CUTTING = STRIP_METHODS | {"split", "rsplit", "partition", "rpartition", "splitlines", "removeprefix", "removesuffix"}
_ASKING = {name for name in dir(str) if name.startswith("is")} | {"startswith", "endswith", "rfind", "rindex"}
PARSING_METHODS = frozenset(
    _CUTTING | _ASKING | {"removeprefix", "removesuffix", "casefold", "fullmatch", "finditer", "findall"}
)
"""Methods that only strings and regular expressions have, so that every call is reported."""
SEARCH_METHODS = frozenset({"find", "index", "count"})
"""Methods that strings share with tuples. A call is reported if its argument is a string."""
REGEX_METHODS = frozenset({"match", "search", "sub", "subn"})
"""Methods that are reported if called on `re`, or on a name in capitals, such as the pattern `LINE`."""
STRING_NAMES = frozenset({"name", "spot", "uid", "reader", "device"})
"""Variables that contain names of people, tags, spots and devices.

Such variables may be compared with each other and with named constants, as keys of a mapping are. The checker reports a
variable of this kind if it is parsed or compared with a string literal.
"""
STRING_TYPES = frozenset({"str", "bytes", "str | None", "bytes | None", "None | str", "bytearray"})
COLLECTION_TYPES = ("tuple", "list", "Sequence", "Iterable", "Iterator", "frozenset", "set")
STRING_FUNCTIONS = frozenset({"str", "repr", "ascii", "format", "chr"})
STRING_METHODS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "join", "decode", "encode"}
    | {"replace", "removeprefix", "removesuffix", "format", "translate", "ljust", "rjust", "zfill", "hex"}
)


@dataclass(frozen=True, slots=True)
class ParsingSite:
    """Place in the source code that parses or compares a string.

    `place` is the module and function, such as `controller.config.table_spec:parse_toml`.
    """

    place: str
    line: int
    operation: str


@dataclass(slots=True)
class StringDeclarations:
    """Names of attributes and functions that have a string type in every declaration in the packages."""

    attributes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


def string_declarations(modules: Iterable[Module]) -> StringDeclarations:
    """Return the names of attributes and functions that have a string type in all their declarations."""
    attributes: defaultdict[str, set[bool]] = defaultdict(set)
    functions: defaultdict[str, set[bool]] = defaultdict(set)
    for module in modules:
        for node in ast.walk(module.syntax):
            match node:
                case ast.ClassDef():
                    for item in node.body:
                        match item:
                            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                                attributes[name].add(_is_string_type(annotation))
                            case ast.FunctionDef(name=name, returns=returns):
                                declared = attributes if _is_property(item) else functions
                                declared[name].add(_is_string_type(returns))
                            case ast.Assign(targets=[ast.Name(id=name)]):
                                attributes[name].add(False)
                case ast.AnnAssign(target=ast.Attribute(attr=name), annotation=annotation):
                    attributes[name].add(_is_string_type(annotation))
                case ast.FunctionDef(name=name, returns=returns):
                    functions[name].add(_is_string_type(returns))
    return StringDeclarations(
        {name for name, kinds in attributes.items() if kinds == {True}},
        {name for name, kinds in functions.items() if kinds == {True}},
    )


def parsing_sites(modules: Iterable[Module]) -> list[ParsingSite]:
    """Return every place that parses or compares a string, sorted by module and line."""
    modules = list(modules)
    declarations = string_declarations(modules)
    sites = {site for module in modules for site in _Scope(module.name, "", declarations).sites(module.syntax)}
    return sorted(sites, key=lambda site: (site.place.partition(":")[0], site.line, site.operation))


def unlisted_sites(sites: Iterable[ParsingSite], boundaries: Mapping[str, str]) -> list[ParsingSite]:
    """Return the parsing places outside the listed `boundaries`, which are modules and functions of modules."""
    return [site for site in sites if not {site.place, site.place.partition(":")[0]} & boundaries.keys()]


def unused_boundaries(sites: Iterable[ParsingSite], boundaries: Mapping[str, str]) -> list[str]:
    """Return the listed boundaries that are not needed.

    A boundary is not needed if it parses no string, or if it is a function in a module that is listed as a whole.
    """
    places = {site.place for site in sites}
    modules = {place.partition(":")[0] for place in places}
    return [
        boundary
        for boundary in boundaries
        if boundary not in places | modules or (":" in boundary and boundary.partition(":")[0] in boundaries)
    ]


def _is_property(function: ast.FunctionDef) -> bool:
    names = {ast.unparse(decorator) for decorator in function.decorator_list}
    return bool(names & {"property", "cached_property", "functools.cached_property"})


def _is_string_type(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value in STRING_TYPES
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) in ("Final", "ClassVar"):
        return _is_string_type(annotation.slice)
    return annotation is not None and ast.unparse(annotation) in STRING_TYPES


def _is_string_list_type(annotation: ast.expr | None) -> bool:
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) not in COLLECTION_TYPES:
        return False
    first = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
    return _is_string_type(first)


@dataclass(slots=True)
class _Scope:
    """Module, class or function, with the names in it that are strings or collections of strings."""

    module: str
    name: str
    declarations: StringDeclarations
    strings: dict[str, bool] = field(default_factory=dict)
    string_lists: set[str] = field(default_factory=set)

    def sites(self, node: ast.AST) -> Iterator[ParsingSite]:
        """Yield the parsing places in this syntax node and in the nodes below, and record which names are strings."""
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from self._body_sites(node)
                return
            case ast.AnnAssign(target=ast.Name(id=name)):
                self._record(name, _is_string_type(node.annotation), _is_string_list_type(node.annotation))
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
                self._record(name, self.is_string(node.value), self.is_string_list(node.value))
            case (
                ast.For(target=ast.Name(id=name), iter=several)
                | ast.comprehension(target=ast.Name(id=name), iter=several)
            ):
                self._record(name, self.is_string_list(several) or self.is_string(several), False)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                # Visit the `for` clauses first, because they define the names that the result expression uses.
                for part in node.generators:
                    yield from self.sites(part)
        operation = self._operation(node)
        if operation:
            place = f"{self.module}:{self.name}" if self.name else self.module
            yield ParsingSite(place, getattr(node, "lineno", 0), operation)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.comprehension):
                yield from self.sites(child)

    def _body_sites(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ParsingSite]:
        name = f"{self.name}.{node.name}" if self.name else node.name
        inner = _Scope(self.module, name, self.declarations, dict(self.strings), set(self.string_lists))
        if not isinstance(node, ast.ClassDef):
            parameters = node.args
            for argument in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs):
                inner._record(
                    argument.arg, _is_string_type(argument.annotation), _is_string_list_type(argument.annotation)
                )
            if parameters.vararg:
                inner._record(parameters.vararg.arg, False, _is_string_type(parameters.vararg.annotation))
        for child in ast.iter_child_nodes(node):
            yield from inner.sites(child)

    def _record(self, name: str, is_string: bool, is_string_list: bool) -> None:
        self.strings[name] = is_string
        self.string_lists.discard(name)
        if is_string_list:
            self.string_lists.add(name)

    def is_string(self, node: ast.AST | None) -> bool:
        """Return True if this expression is a string according to the declarations of its names."""
        match node:
            case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                return True
            case ast.Name(id=name):
                return self.strings.get(name, False)
            case ast.Attribute(attr=name):
                return name in self.declarations.attributes
            case ast.Call(func=ast.Name(id=name)):
                return name in STRING_FUNCTIONS or name in self.declarations.functions
            case ast.Call(func=ast.Attribute(attr=name, value=value)):
                return name in self.declarations.functions or (name in STRING_METHODS and self.is_string(value))
            case ast.Subscript(value=value):
                return self.is_string(value) or self.is_string_list(value)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
                return self.is_string(left) or self.is_string(right)
            case ast.BoolOp(values=values):
                return any(map(self.is_string, values))
            case ast.IfExp(body=body, orelse=other):
                return self.is_string(body) or self.is_string(other)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.is_string(value)
        return False

    def is_string_list(self, node: ast.AST | None) -> bool:
        """Return True if this expression is a list, tuple or other collection of strings."""
        match node:
            case ast.Name(id=name):
                return name in self.string_lists
            case ast.Call(func=ast.Attribute(attr="split" | "rsplit" | "partition" | "rpartition" | "splitlines")):
                return True
            case ast.Call(func=ast.Name(id="sorted" | "tuple" | "list" | "set" | "reversed"), args=[first, *_]):
                return self.is_string_list(first)
        return False

    def _operation(self, node: ast.AST) -> str:
        """Return how this syntax node parses or compares a string, such as `.split()`, or "" if it does not."""
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=value), args=args):
                return self._call(name, value, args)
            case ast.Subscript(value=value, slice=part, ctx=ast.Load()) if self.is_string(value):
                return f"[{ast.unparse(part)}]"
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._comparison([left, *others], ops)
            case ast.Match(subject=subject) if self.is_string(subject) or self.is_string_list(subject):
                return "match"
        return ""

    def _call(self, name: str, value: ast.expr, args: list[ast.expr]) -> str:
        if name in PARSING_METHODS and not (name in STRIP_METHODS and len(args) > 1):
            return f".{name}()"
        if name in SEARCH_METHODS and args and self.is_string(args[0]) and not self.is_string_list(value):
            return f".{name}()"
        of_pattern = isinstance(value, ast.Name) and (value.id == "re" or value.id.isupper())
        return f".{name}()" if name in REGEX_METHODS and of_pattern else ""

    def _comparison(self, sides: list[ast.expr], ops: list[ast.cmpop]) -> str:
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                is_search = self.is_string(right) or (
                    isinstance(left, ast.JoinedStr) and not self.is_string_list(right)
                )
                is_listed = self._is_declared(left) and isinstance(right, ast.Tuple | ast.Set | ast.List)
                if is_search or is_listed:
                    return "in"
            elif isinstance(op, ast.Eq | ast.NotEq) and self._are_compared(left, right):
                return "=="
        return ""

    def _are_compared(self, left: ast.expr, right: ast.expr) -> bool:
        if not (self._is_declared(left) or self._is_declared(right)) or _is_empty(left) or _is_empty(right):
            return False
        is_constant = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
        return is_constant or not (_name_of(left) in STRING_NAMES or _name_of(right) in STRING_NAMES)

    def _is_declared(self, node: ast.expr) -> bool:
        """Return True if this expression is a string, but not a string literal."""
        return not isinstance(node, ast.Constant) and self.is_string(node)


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in ("", b"")
