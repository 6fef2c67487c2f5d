"""A hand as a journal has it, as PHH text.

In a journal words and the chips that follow them are two steps, as people do them; in a script, and so in a file, words
bring their chips along. Where the chips that came are those that the words named, the two are written as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.histories.export import export
from controller.table import Declares, Moves, Says, Step, Table, declared_chips, step


def export_recorded(table: Table, steps: Sequence[Step], about: Mapping[str, Any] | None = None) -> str:
    """The hand of these steps as PHH text. `table` is the table before its first step, `steps` are what was recorded of
    it and not taken back, to the last award. Raises BadInputError as `export` does."""
    return export(table, as_scripted(table, steps), about)


def as_scripted(table: Table, steps: Sequence[Step]) -> list[Step]:
    """The same as the steps of a script."""
    table, scripted = table._replace(past=(), future=()), []
    rest = list(steps)
    while rest:
        what = rest.pop(0)
        before, table = table, step(table, what).table
        if not isinstance(what, Declares):
            scripted.append(what)
            continue
        named = declared_chips(before, what)
        if named is None:
            scripted.append(what)
        elif rest and _is(rest[0], named):
            scripted.append(what)
            table = step(table, rest.pop(0)).table
        else:
            scripted.append(Says(what.seat, what.declaration))
    return scripted


def _is(what: Step, named: Moves) -> bool:
    """True for the chips that the words named, in whatever denominations."""
    return isinstance(what, Moves) and what.seat == named.seat and not what.back and what.net == named.net
