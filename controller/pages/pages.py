"""Writes the pages of the rules, one a topic, from the scripts that test them: `python -m controller.pages`.

What a page says of a case is what its script checks, so the pages cannot say anything that does not hold. The diagram
and the tables of `controller/rules/README.md` come from the transition table and from playing the same scripts; the
rest of that file is written by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.config import parse_toml
from controller.pages.covered import HEAD, covered, index, summary
from controller.pages.topics import TOPICS, Topic
from controller.rules import TRANSITIONS, WHY_NOT, Phase, Refusal
from controller.scripts import STEP_US, Scene, begin, happens, read, refused_words
from controller.table import (
    Awards,
    Chops,
    Counted,
    Deals,
    NamesBringIn,
    NamesFirst,
    StartsBomb,
    StartsHand,
    Step,
    Table,
    TrayBack,
    Undoes,
    Voids,
)

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "tests" / "scripts"
README: Final = ROOT / "controller" / "rules" / "README.md"
PAGES: Final = ROOT / "controller" / "rules" / "pages"
INDEX: Final = "index.md"
COMMAND: Final = "python -m controller.pages"
MADE: Final = f"<!-- Made by `{COMMAND}` from tests/scripts: edit those. -->\n"
BEGIN, END = f"<!-- from here made by `{COMMAND}` -->", "<!-- to here -->"


class Case(NamedTuple):
    """One script as it is written."""

    values: Mapping[str, Any]
    path: str


def cases(topic: Topic) -> list[Case]:
    """The scripts of a topic, in the order of their names."""
    files = sorted((SCRIPTS / topic.folder).glob("*.toml"))
    return [Case(parse_toml(file.read_bytes()), file.relative_to(ROOT).as_posix()) for file in files]


# --- what is seen, in words ---


def _seats(seats: Any) -> str:
    return ", ".join(str(seat) for seat in seats) or "none"


def _by_seat(amounts: Mapping[str, Any]) -> str:
    shown = {seat: "unknown" if value == "null" else value for seat, value in amounts.items()}
    return ", ".join(f"seat {seat}: {value}" for seat, value in shown.items())


def _named(name: str, none: str) -> Callable[[Any], str]:
    return lambda value: f"{name} {_by_seat(value)}" if value else none


def _number(name: str, null: str, some: str = "") -> Callable[[Any], str]:
    """A field that may be null: "null" is written, "*" is anything else."""
    return lambda value: null if value == "null" else some if value == "*" else f"{name} {value}"


def _pots(pots: Any) -> str:
    if pots in ([], "null"):
        return "no pots"
    return "; ".join(f"{pot['name']} pot {pot['amount']} for {_seats(pot['seats'])}" for pot in pots)


WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "refused": lambda value: "taken" if value == "null" else "refused" if value == "*" else f"refused: {value}",
    "warnings": lambda value: f"warning: {', '.join(f'`{code}`' for code in value)}" if value else "no warning",
    "held": _named("held:", "nothing held"),
    "presumed": _named("presumed:", "nothing presumed"),
    "turn": _number("turn: seat", "nobody's turn", "somebody's turn"),
    "to_call": _number("to call", "nothing to call", "something to call"),
    "min_raise_to": _number("least", "no least bet or raise", "a least bet or raise"),
    "max_raise_to": _number("most", "no most", "a most"),
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
    "markers": _named("owes on markers:", "nobody owes on markers"),
}
"""Every field of what is seen, in the order in which a page tells them."""


def in_words(see: Mapping[str, Any]) -> str:
    """The checked fields of a step in words; a field that pages do not know yet stands as it is written."""
    known = [WORDS[name](see[name]) for name in WORDS if name in see]
    return "; ".join([*known, *(f"{name} = {value}" for name, value in see.items() if name not in WORDS)])


# --- a page ---


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " / ".join("-".join(map(str, item)) if isinstance(item, list) else _value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    return str(value)


def setup(values: Mapping[str, Any]) -> str:
    """The table in one line: the game's keys that are set, the button, who has what."""
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
    parts += [f"{key}: {_value(value)}" for key, value in values.items() if key not in (*HEAD, "here", "mix")]
    line = "; ".join(parts)
    for name, differs in values.get("games", {}).items():
        line += f". Game “{name}”: {_value(differs)}"
    return line[0].upper() + line[1:]


def _case(case: Case) -> Iterator[str]:
    values = case.values
    yield f"### {values.get('title', case.path)}\n"
    yield f"{setup(values)}.\n"
    yield "| | what happens | what is then seen |"
    yield "| --- | --- | --- |"
    if see := values.get("start", {}).get("see"):
        yield f"| 0 | the hand starts | {in_words(see)} |"
    for number, step in enumerate(values.get("step", []), 1):
        yield f"| {number} | {step['do']} | {in_words(step.get('see', {}))} |"
    yield f"\nSource: {values.get('source', 'this project')}. Script: `{case.path}`.\n"


def page(topic: Topic) -> str:
    """The page of a topic."""
    found = cases(topic)
    named = [part.partition(" (")[0].strip() for case in found for part in case.values.get("source", "").split(";")]
    sources = sorted(set(named) - {""})
    lines = [MADE, f"# {topic.title}\n", f"{topic.intro}\n"]
    lines.append(f"In the code: {', '.join(f'`controller/{file}`' for file in topic.code)}.\n")
    lines.append("## Sources\n")
    lines += [f"- {source}" for source in sources]
    lines += ["\n## What the cases are about\n", *summary(covered(case.values for case in found))]
    lines.append(f"\n## {len(found)} cases\n")
    for case in found:
        lines += _case(case)
    return "\n".join(lines)


# --- the diagram ---

_LEADS: Final[Mapping[type[Step], str]] = {
    StartsBomb: "bomb",
    StartsHand: "hand",
    NamesBringIn: "bring-in",
    NamesFirst: "first",
    Deals: "deal",
    Awards: "award",
    Voids: "void",
    Chops: "chop",
    Counted: "a stack is counted",
    TrayBack: "a tray is back",
}


def _phase(table: Table) -> Phase | None:
    """None between hands."""
    return table.hand.phase if table.hand is not None and table.playing else None


def _word(what: Step) -> str:
    if what.owner == "floor":
        return "the floor decides"
    return _LEADS.get(type(what), "a seat acts")


def observed() -> dict[tuple[Phase | None, Phase | None], set[str]]:
    """Which steps led from one phase to another while all scripts were played."""
    edges: dict[tuple[Phase | None, Phase | None], set[str]] = {}
    for topic in TOPICS:
        for case in cases(topic):
            script = read(case.values)
            scene = Scene(begin(script))
            for number, what in enumerate(script.steps, 1):
                before = _phase(scene.table)
                scene, _ = happens(scene, what, number * STEP_US)
                after = _phase(scene.table)
                if after != before and not isinstance(what, Undoes):
                    edges.setdefault((before, after), set()).add(_word(what))
    return edges


def diagram() -> str:
    """The phases of a hand as a Mermaid diagram: what may happen in each (`TRANSITIONS`), what leads to the next."""
    lines = ["```mermaid", "stateDiagram-v2"]
    for phase in Phase:
        if TRANSITIONS[phase]:
            lines.append(f'    state "{phase.value}" as {_id(phase)}')
    lines.append(f"    [*] --> {_id(Phase.BETTING)}: hand, bomb")
    lines.append(f"    [*] --> {_id(Phase.BRING_IN)}: hand (stud)")
    for (before, after), words in sorted(observed().items(), key=lambda edge: [phase or "" for phase in edge[0]]):
        if before is not None:
            lines.append(f"    {_id(before)} --> {_id(after)}: {', '.join(sorted(words))}")
    return "\n".join([*lines, "```"])


def _id(phase: Phase | None) -> str:
    return "[*]" if phase in (None, Phase.OVER) else phase.value.replace("-", "_")


def transitions() -> str:
    """`TRANSITIONS` and `WHY_NOT` as a table."""
    lines = ["| phase | may happen | else refused, because |", "| --- | --- | --- |"]
    for phase in Phase:
        verbs = ", ".join(sorted(verb.value for verb in TRANSITIONS[phase])) or "nothing"
        lines.append(f"| {phase.value} | {verbs} | {refused_words(Refusal(WHY_NOT[phase]))} |")
    return "\n".join(lines)


def _topics() -> str:
    lines = ["| topic | cases | in the code (`controller/`) |", "| --- | --- | --- |"]
    for topic in TOPICS:
        files = ", ".join(f"`{file}`" for file in topic.code)
        lines.append(f"| [{topic.title}](pages/{topic.folder}.md) | {len(cases(topic))} | {files} |")
    return "\n".join(lines)


def readme(written: str) -> str:
    """The README with the part between the markers made anew. Raises ValueError where a marker is missing."""
    before, _, rest = written.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{README}: expected the lines {BEGIN} and {END}")
    made = [
        "## Topics",
        _topics(),
        f"Every key, step, field and warning: [where it is found](pages/{INDEX}).",
        "## The phases of a hand",
        diagram(),
        transitions(),
    ]
    return f"{before}{BEGIN}\n\n" + "\n\n".join(made) + f"\n\n{END}{after}"


def made() -> dict[Path, str]:
    """All files that the command writes, with what has to be in them."""
    pages = {PAGES / f"{topic.folder}.md": page(topic) for topic in TOPICS}
    by_page = {f"{topic.folder}.md": (topic.title, covered(case.values for case in cases(topic))) for topic in TOPICS}
    return {**pages, PAGES / INDEX: MADE + index(by_page), README: readme(README.read_text())}


def stale(files: Mapping[Path, str]) -> list[Path]:
    """Files that are not what they should be, and pages of topics that are gone."""
    changed = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    return changed + [path for path in sorted(PAGES.glob("*.md")) if path not in files]


def write_pages() -> None:
    """Writes what has changed and names it."""
    files = made()
    PAGES.mkdir(exist_ok=True)
    for path in stale(files):
        if path in files:
            path.write_text(files[path])
        else:
            path.unlink()
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
