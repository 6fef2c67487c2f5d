"""What the cases of a topic are about: the keys they set, the steps they do, the fields they look at, the warnings.

The page of a topic names them, and the index says of each on which pages it is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from controller.table import Caution, Declares, Heard, PlaysGame, Says, line, parse
from controller.view import Alert
from controller.words import Words

HEAD: Final = frozenset({"title", "source", "strict", "button", "stacks", "names", "game", "games", "start", "step"})
"""Tables and keys of every script; what stands beside them (`[here]`, `[[levels]]`) is a key of its own."""
MOST_PAGES: Final = 4
"""That the index names for one thing: those with most cases."""

_WORD = re.compile(r"[a-z][a-z-]*")


class Covered(NamedTuple):
    """How many cases are about each."""

    keys: Counter[str]
    steps: Counter[str]
    fields: Counter[str]
    warnings: Counter[str]


def covered(cases: Iterable[Mapping[str, Any]]) -> Covered:
    """What these cases, as they are written, are about."""
    found = Covered(Counter(), Counter(), Counter(), Counter())
    for values in cases:
        seen = list(_seen(values))
        found.keys.update(set(_keys(values)))
        found.steps.update({form(step["do"]) for step in values.get("step", [])})
        found.fields.update({name for see in seen for name in see})
        found.warnings.update({code for see in seen for code in see.get("warnings", ())})
    return found


def _keys(values: Mapping[str, Any]) -> Iterator[str]:
    for table in (values.get("game", {}), *values.get("games", {}).values(), *values.get("levels", [])):
        yield from table
    yield from (key for key in values if key not in HEAD)


def _seen(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield values.get("start", {}).get("see", {})
    yield from (step.get("see", {}) for step in values.get("step", []))


def form(do: str) -> str:
    """The form of a step without its seats, amounts and names: "sit in-stead", "award high low", "floor dead"."""
    what = parse(do)
    words = line(what).split()
    spoken = words[1:] if words[0].isdigit() else words
    if isinstance(what, Says | Heard):
        return spoken[0]
    if isinstance(what, Declares) and what.declaration.kind == "amount":
        return "an amount alone"
    if isinstance(what, PlaysGame):
        return "game"
    if spoken[0] == "award":
        marks = [mark for mark in ("high", "low", "board") if any(word.startswith(mark) for word in spoken[2:])]
        return " ".join(["award", *marks, *["by shares"] * any("*" in word for word in spoken)])
    if "as" in spoken:
        return f"{spoken[0]} as"
    return " ".join(word for word in spoken if _WORD.fullmatch(word))


# --- told ---


def summary(found: Covered) -> list[str]:
    """The lines of a topic's page that name what its cases are about."""
    named = (("Keys", found.keys), ("Steps", found.steps), ("Fields", found.fields), ("Warnings", found.warnings))
    return [f"- {title}: {', '.join(f'`{name}`' for name in sorted(names))}" for title, names in named if names]


def index(by_page: Mapping[str, tuple[str, Covered]]) -> str:
    """The page on which everything is found. `by_page` has title and content of each topic's page by its file."""
    lines = ["# Everything, and where it is found\n"]
    lines.append(
        "Each page has the cases, and each case its source. A name leads to the pages with most cases of it.\n"
    )
    for title, pick in _KINDS.items():
        lines += [f"## {title}\n", "| name | pages |", "| --- | --- |"]
        counts = {file: pick(found) for file, (_, found) in by_page.items()}
        for name in sorted({name for count in counts.values() for name in count}):
            most = sorted(((-count[name], file) for file, count in counts.items() if count[name]))[:MOST_PAGES]
            lines.append(f"| `{name}` | {', '.join(f'[{by_page[file][0]}]({file})' for _, file in most)} |")
        lines.append("")
    return "\n".join([*lines, "## The rules that warnings rest on\n", *rules_of_warnings(), ""])


_KINDS: Final[Mapping[str, Callable[[Covered], Counter[str]]]] = {
    "Keys": lambda found: found.keys,
    "Steps": lambda found: found.steps,
    "Fields": lambda found: found.fields,
    "Warnings": lambda found: found.warnings,
}


def rules_of_warnings() -> Iterator[str]:
    """A table of the warnings with the rule of each book that they rest on."""
    roberts, tda = Words(rulebook="roberts"), Words(rulebook="tda")
    yield "| warning | with `roberts` | with `tda` |"
    yield "| --- | --- | --- |"
    for code in sorted(Caution):
        alert = Alert(code=code, level="info", rule=code)
        yield f"| `{code}` | {_rule(roberts, alert)} | {_rule(tda, alert)} |"


def _rule(words: Words, alert: Alert) -> str:
    rule = words.rule(alert)
    return f"{rule.book}, {rule.number}: {rule.text}" if rule else "what is seen, no rule"
