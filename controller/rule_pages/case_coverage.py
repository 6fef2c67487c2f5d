"""Coverage of a topic, that is of one folder of scripts under `tests/scripts`.

Each script is one case. The coverage counts the cases that contain a key, step, field or warning. The page of a topic
shows the coverage of this topic. The index lists each key, step, field and warning with the pages that contain it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from controller.config import parse_typed_step
from controller.messages import Messages
from controller.steps import format_step, hand_steps, table_steps
from controller.table import WarningCode
from controller.view import Alert

COMMON_KEYS: Final = frozenset(
    {"title", "source", "strict", "button", "stacks", "names", "game", "games", "start", "step"}
)
"""Top-level keys of a script that the coverage leaves out, because any script may have them. The coverage lists the
other top-level keys, such as `[here]`."""
MAX_PAGES: Final = 4
"""Maximum number of pages that the index names for one key, step, field or warning. The index names the pages with the
most cases."""

_WORD = re.compile(r"[a-z][a-z-]*")


class CaseCoverage(NamedTuple):
    """For each key, step, field and warning, the number of cases (scripts) that contain it."""

    keys: Counter[str]
    steps: Counter[str]
    fields: Counter[str]
    warnings: Counter[str]


def measure_coverage(cases: Iterable[Mapping[str, Any]]) -> CaseCoverage:
    """Return, for each key, step, field and warning, how many of these cases contain it. A case is a parsed script."""
    coverage = CaseCoverage(Counter(), Counter(), Counter(), Counter())
    for values in cases:
        expectations = list(_expectations(values))
        coverage.keys.update(set(_keys(values)))
        coverage.steps.update({step_form(step["do"]) for step in values.get("step", [])})
        coverage.fields.update({name for fields in expectations for name in fields})
        coverage.warnings.update({code for fields in expectations for code in fields.get("warnings", ())})
    return coverage


def _keys(values: Mapping[str, Any]) -> Iterator[str]:
    for table in (values.get("game", {}), *values.get("games", {}).values(), *values.get("levels", [])):
        yield from table
    yield from (key for key in values if key not in COMMON_KEYS)


def _expectations(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield values.get("start", {}).get("see", {})
    yield from (step.get("see", {}) for step in values.get("step", []))


def step_form(do: str) -> str:
    """Return the words of a step without its seats, amounts and names, such as `award high low` or `floor dead`."""
    step = parse_typed_step(do)
    words = format_step(step).split()
    spoken = words[1:] if words[0].isdigit() else words
    if isinstance(step, hand_steps.SpeaksOnly | hand_steps.SpokeBeforeChips):
        return spoken[0]
    if isinstance(step, hand_steps.Declares) and step.declaration.kind == "amount":
        return "an amount alone"
    if isinstance(step, table_steps.ChangesGame):
        return "game"
    if spoken[0] == "award":
        marks = [mark for mark in ("high", "low", "board") if any(word.startswith(mark) for word in spoken[2:])]
        return " ".join(["award", *marks, *["by shares"] * any("*" in word for word in spoken)])
    if "as" in spoken:
        return f"{spoken[0]} as"
    return " ".join(word for word in spoken if _WORD.fullmatch(word))


# --- text of the pages ---


def coverage_lines(coverage: CaseCoverage) -> list[str]:
    """Return the lines of a topic's page that list the coverage of its cases."""
    groups = (
        ("Keys", coverage.keys),
        ("Steps", coverage.steps),
        ("Fields", coverage.fields),
        ("Warnings", coverage.warnings),
    )
    return [f"- {title}: {', '.join(f'`{name}`' for name in sorted(names))}" for title, names in groups if names]


def index_page(by_page: Mapping[str, tuple[str, CaseCoverage]]) -> str:
    """Return the index page.

    `by_page` maps the file name of each topic's page to the title and the coverage of this page.
    """
    lines = ["# Index\n"]
    lines.append(
        "Each page shows cases with their sources. Each name below links to the pages that have the most cases of it.\n"
    )
    for title, pick in _KINDS.items():
        lines += [f"## {title}\n", "| name | pages |", "| --- | --- |"]
        counts = {file: pick(coverage) for file, (_, coverage) in by_page.items()}
        for name in sorted({name for count in counts.values() for name in count}):
            pages = sorted(((-count[name], file) for file, count in counts.items() if count[name]))[:MAX_PAGES]
            lines.append(f"| `{name}` | {', '.join(f'[{by_page[file][0]}]({file})' for _, file in pages)} |")
        lines.append("")
    return "\n".join([*lines, "## Rules behind the warnings\n", *warning_rules(), ""])


_KINDS: Final[Mapping[str, Callable[[CaseCoverage], Counter[str]]]] = {
    "Keys": lambda found: found.keys,
    "Steps": lambda found: found.steps,
    "Fields": lambda found: found.fields,
    "Warnings": lambda found: found.warnings,
}


def warning_rules() -> Iterator[str]:
    """Yield the lines of a Markdown table with each warning, and for each rulebook the rule behind the warning."""
    roberts, tda = Messages(rulebook="roberts"), Messages(rulebook="tda")
    yield "| warning | with `roberts` | with `tda` |"
    yield "| --- | --- | --- |"
    for code in sorted(WarningCode):
        alert = Alert(code=code, level="info", rule=code)
        yield f"| `{code}` | {_rule(roberts, alert)} | {_rule(tda, alert)} |"


def _rule(messages: Messages, alert: Alert) -> str:
    rule = messages.alert_rule(alert)
    return f"{rule.book}, {rule.number}: {rule.text}" if rule else "a fact, no rule"
