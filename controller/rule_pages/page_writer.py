"""Writer of the rule pages, and of the generated part of `controller/rules/README.md`.

A page shows what the script of each case checks, so that no page can contradict the program. The pages are not
committed. They are written to a folder, `build/docs/controller/rules/pages` by default, from which `make docs` builds
the site. The diagram and the tables of the README come from `ALLOWED_EVENTS` and from playing the same scripts. The
rest of the README is written by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.config import parse_toml
from controller.rule_pages.case_coverage import COMMON_KEYS, coverage_lines, index_page, measure_coverage
from controller.rule_pages.topics import TOPICS, Topic
from controller.rules import ALLOWED_EVENTS, PHASE_REFUSALS, Phase, Refusal
from controller.scripts import (
    STEP_INTERVAL_US,
    ScriptState,
    apply_scripted_step,
    parse_script,
    refusal_text,
    starting_table,
)
from controller.steps import Step, hand_steps, table_steps
from controller.table import Table

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "tests" / "scripts"
README: Final = ROOT / "controller" / "rules" / "README.md"
PAGES: Final = ROOT / "build" / "docs" / "controller" / "rules" / "pages"
"""Default folder of the pages. `make docs` empties this folder before it writes the pages."""
INDEX: Final = "index.md"
COMMAND: Final = "python -m controller.rule_pages"
GENERATED_NOTE: Final = f"<!-- Made by `{COMMAND}` from tests/scripts: edit those. -->\n"
BEGIN_MARKER, END_MARKER = f"<!-- from here made by `{COMMAND}` -->", "<!-- to here -->"


class Case(NamedTuple):
    """One script as written."""

    values: Mapping[str, Any]
    path: str


def load_cases(topic: Topic) -> list[Case]:
    """Return the scripts of a topic, in the order of their names."""
    files = sorted((SCRIPTS / topic.folder).glob("*.toml"))
    return [Case(parse_toml(file.read_bytes()), file.relative_to(ROOT).as_posix()) for file in files]


# --- fields in words ---


def _seats(seats: Any) -> str:
    return ", ".join(str(seat) for seat in seats) or "none"


def _by_seat(amounts: Mapping[str, Any]) -> str:
    shown = {seat: "unknown" if value == "null" else value for seat, value in amounts.items()}
    return ", ".join(f"seat {seat}: {value}" for seat, value in shown.items())


def _named(name: str, none: str) -> Callable[[Any], str]:
    return lambda value: f"{name} {_by_seat(value)}" if value else none


def _number(name: str, null: str, some: str = "") -> Callable[[Any], str]:
    """Return a formatter for a field that may be null.

    In a script, the expected value "null" stands for null, and "*" stands for any value except null.
    """
    return lambda value: null if value == "null" else some if value == "*" else f"{name} {value}"


def _pots(pots: Any) -> str:
    if pots in ([], "null"):
        return "no pots"
    return "; ".join(f"{pot['name']} pot {pot['amount']} for {_seats(pot['seats'])}" for pot in pots)


FIELD_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "refused": lambda value: "accepted" if value == "null" else "refused" if value == "*" else f"refused: {value}",
    "warnings": lambda value: f"warning: {', '.join(f'`{code}`' for code in value)}" if value else "no warning",
    "held": _named("held:", "nothing held"),
    "presumed": _named("presumed:", "nothing presumed"),
    "turn": _number("turn: seat", "nobody's turn", "somebody's turn"),
    "to_call": _number("to call", "nothing to call", "something to call"),
    "min_raise_to": _number("minimum", "no minimum bet or raise", "a minimum bet or raise"),
    "max_raise_to": _number("maximum", "no maximum", "a maximum"),
    "may": lambda value: f"may {', '.join(value)}" if value else "may do nothing",
    "open": lambda value: "round open" if value else "round closed",
    "round": lambda value: f"round {value}",
    "pot": lambda value: f"pot {value}",
    "pots": _pots,
    "bets": _named("bets", "no bets"),
    "owes": _named("owes:", "nobody owes"),
    "due_back": _named("due back:", "nothing due back"),
    "all_in": lambda value: f"all-in: {_seats(value)}",
    "folded": lambda value: f"folded: {_seats(value)}",
    "stacks": _named("stacks", "no stacks"),
    "button": lambda value: f"button: seat {value}",
    "blinds": _named("blinds", "no blinds"),
    "accounts": lambda value: ", ".join(f"{name} {amount}" for name, amount in value.items()) or "accounts empty",
    "cage": lambda value: ", ".join(f"{name} {amount}" for name, amount in value.items()) or "no fills or credits",
    "markers": _named("owes on markers:", "nobody owes on markers"),
}
"""For each field that a script can expect, the function that writes the expected value in words. A page lists the
fields in this order."""


def describe_fields(see: Mapping[str, Any]) -> str:
    """Return, in words, the values of the fields that a script expects after a step.

    A field for which no such words are defined is shown as it is in the script.
    """
    known = [FIELD_WORDS[name](see[name]) for name in FIELD_WORDS if name in see]
    return "; ".join([*known, *(f"{name} = {value}" for name, value in see.items() if name not in FIELD_WORDS)])


# --- a page ---


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " / ".join("-".join(map(str, item)) if isinstance(item, list) else _value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    return str(value)


def describe_setup(values: Mapping[str, Any]) -> str:
    """Return one line that describes the table of a case: the keys of `[game]`, the button and the stacks."""
    game = dict(values.get("game", {}))
    structure = game.pop("structure", None if "mix" in values else "no-limit")
    parts = [f"mix {_value(values['mix'])}"] if "mix" in values else []
    parts += [str(structure)] if structure else []
    if "variant" in game:
        parts.append(str(game.pop("variant")))
    parts += [f"{key.replace('_', ' ')} {_value(value)}" for key, value in game.items()]
    parts.append(f"button on seat {values['button']}")
    stacks = ", ".join(f"{seat}: {amount}" for seat, amount in values["stacks"].items())
    parts.append(f"stacks {stacks}")
    if "here" in values:
        parts.append(f"in the middle of a hand: {_value(values['here'])}")
    parts += [f"{key}: {_value(value)}" for key, value in values.items() if key not in (*COMMON_KEYS, "here", "mix")]
    line = "; ".join(parts)
    for name, changes in values.get("games", {}).items():
        line += f". Game “{name}”: {_value(changes)}"
    return line[0].upper() + line[1:]


def _case(case: Case) -> Iterator[str]:
    values = case.values
    yield f"### {values.get('title', case.path)}\n"
    yield f"{describe_setup(values)}.\n"
    yield "| | what happens | what must be seen |"
    yield "| --- | --- | --- |"
    if see := values.get("start", {}).get("see"):
        yield f"| 0 | the hand starts | {describe_fields(see)} |"
    for number, step in enumerate(values.get("step", []), 1):
        yield f"| {number} | {step['do']} | {describe_fields(step.get('see', {}))} |"
    yield f"\nSource: {values.get('source', 'this project')}. Script: `{case.path}`.\n"


def topic_page(topic: Topic) -> str:
    """Return the page of a topic."""
    cases = load_cases(topic)
    names = [part.partition(" (")[0].strip() for case in cases for part in case.values.get("source", "").split(";")]
    sources = sorted(set(names) - {""})
    lines = [GENERATED_NOTE, f"# {topic.title}\n", f"{topic.intro}\n"]
    lines.append(f"In the code: {', '.join(f'`controller/{file}`' for file in topic.code)}.\n")
    lines.append("## Sources\n")
    lines += [f"- {source}" for source in sources]
    lines += ["\n## What the cases are about\n", *coverage_lines(measure_coverage(case.values for case in cases))]
    lines.append(f"\n## {len(cases)} cases\n")
    for case in cases:
        lines += _case(case)
    return "\n".join(lines)


# --- the diagram ---

_TRANSITION_WORDS: Final[Mapping[type[Step], str]] = {
    hand_steps.StartsBombPot: "bomb",
    hand_steps.StartsHand: "hand",
    hand_steps.NamesBringIn: "bring-in",
    hand_steps.NamesFirstToAct: "first",
    hand_steps.DealsStreet: "deal",
    hand_steps.AwardsPot: "award",
    hand_steps.VoidsHand: "void",
    hand_steps.ChopsBlinds: "chop",
    table_steps.CountsStack: "a stack is counted",
    table_steps.RecordSeatSensorOnline: "a tray is back",
}


def _phase(table: Table) -> Phase | None:
    """Return the phase of the current hand, or None between hands."""
    return table.hand.phase if table.hand is not None and table.is_hand_in_progress else None


def _transition_word(step: Step) -> str:
    if step.verb.owner == "floor":
        return "the floor decides"
    return _TRANSITION_WORDS.get(type(step), "a seat acts")


def observed_transitions() -> dict[tuple[Phase | None, Phase | None], set[str]]:
    """Return, for each pair of phases, the steps that led from the first phase to the second in any script."""
    edges: dict[tuple[Phase | None, Phase | None], set[str]] = {}
    for topic in TOPICS:
        for case in load_cases(topic):
            script = parse_script(case.values)
            state = ScriptState(starting_table(script))
            for number, step in enumerate(script.steps, 1):
                before = _phase(state.table)
                state, _ = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
                after = _phase(state.table)
                if after != before and not isinstance(step, hand_steps.Undoes):
                    edges.setdefault((before, after), set()).add(_transition_word(step))
    return edges


def phase_diagram() -> str:
    """Return a Mermaid diagram of the phases of a hand and the steps between these phases."""
    lines = ["```mermaid", "stateDiagram-v2"]
    for phase in Phase:
        if ALLOWED_EVENTS[phase]:
            lines.append(f'    state "{phase.value}" as {_id(phase)}')
    lines.append(f"    [*] --> {_id(Phase.BETTING)}: hand, bomb")
    lines.append(f"    [*] --> {_id(Phase.BRING_IN)}: hand (stud)")
    for (before, after), words in sorted(
        observed_transitions().items(), key=lambda edge: [phase or "" for phase in edge[0]]
    ):
        if before is not None:
            lines.append(f"    {_id(before)} --> {_id(after)}: {', '.join(sorted(words))}")
    return "\n".join([*lines, "```"])


def _id(phase: Phase | None) -> str:
    return "[*]" if phase in (None, Phase.OVER) else phase.value.replace("-", "_")


def transition_table() -> str:
    """Return the Markdown table of phases, made from `ALLOWED_EVENTS` and `PHASE_REFUSALS`."""
    lines = ["| phase | may happen | else refused, because |", "| --- | --- | --- |"]
    for phase in Phase:
        verbs = ", ".join(sorted(verb.value for verb in ALLOWED_EVENTS[phase])) or "nothing"
        lines.append(f"| {phase.value} | {verbs} | {refusal_text(Refusal(PHASE_REFUSALS[phase]))} |")
    return "\n".join(lines)


def _topics() -> str:
    lines = ["| topic | cases | in the code (`controller/`) |", "| --- | --- | --- |"]
    for topic in TOPICS:
        files = ", ".join(f"`{file}`" for file in topic.code)
        lines.append(f"| [{topic.title}](../../tests/scripts/{topic.folder}) | {len(load_cases(topic))} | {files} |")
    return "\n".join(lines)


def update_readme(text: str) -> str:
    """Return the text of the README with a new generated part between the two marker lines.

    Raise ValueError if a marker is missing.
    """
    before, _, rest = text.partition(BEGIN_MARKER)
    _, end, after = rest.partition(END_MARKER)
    if not end:
        raise ValueError(
            f"{README}: expected the marker lines {BEGIN_MARKER} and {END_MARKER} around the generated part"
        )
    sections = [
        "## Topics",
        _topics(),
        "## The phases of a hand",
        phase_diagram(),
        transition_table(),
    ]
    return f"{before}{BEGIN_MARKER}\n\n" + "\n\n".join(sections) + f"\n\n{END_MARKER}{after}"


def topic_pages() -> dict[str, str]:
    """Return the text of every page by its file name, including the index."""
    coverage = {
        f"{topic.folder}.md": (topic.title, measure_coverage(case.values for case in load_cases(topic)))
        for topic in TOPICS
    }
    return {
        **{f"{topic.folder}.md": topic_page(topic) for topic in TOPICS},
        INDEX: GENERATED_NOTE + index_page(coverage),
    }


def stale_files(files: Mapping[Path, str], folder: Path) -> list[Path]:
    """Return the text of each changed page, and the paths of pages in the folder that have no topic."""
    changed = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return changed + [path for path in sorted(folder.glob("*.md")) if path not in files]


def write_pages(folder: Path = PAGES) -> list[Path]:
    """Write the changed pages and remove the pages of removed topics.

    Return the paths of the written and the removed pages.
    """
    files = {folder / name: text for name, text in topic_pages().items()}
    folder.mkdir(parents=True, exist_ok=True)
    changed = stale_files(files, folder)
    for path in changed:
        if path in files:
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()
    return changed


def write_readme() -> list[Path]:
    """Update the generated part of the README of the rules.

    Return a list with the path of the README, or an empty list if nothing changed.
    """
    before = README.read_text(encoding="utf-8")
    after = update_readme(before)
    if after == before:
        return []
    README.write_text(after, encoding="utf-8")
    return [README]
