"""Text is taken apart where it comes in from outside, and nowhere else: what this program made itself has a type.

`EDGES` says where text comes in, and what it is; `SHOWN`, where text goes out and is cut to fit. A place that is not
listed has to become a type; a listed one where nothing is taken apart any more has to go.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.imports import ROOT, Module, read_tree
from tests.taken_apart import Taken, taken_apart, unlisted, unused

EDGES: dict[str, str] = {
    # wires
    "firmware_bridge.emulators.feig": "requests to an emulated reader",
    "firmware_bridge.emulators.panel": "bytes to an emulated panel board",
    "firmware_bridge.feig.frames": "frames of a reader",
    "firmware_bridge.feig.records": "tags in an answer of a reader",
    "firmware_bridge.feig.settings": "configuration blocks of a reader",
    "firmware_bridge.firmware.protocol": "bytes between a panel board and the table, on both ends",
    "firmware_bridge.framing": "bytes of a reader, cut into frames",
    "firmware_bridge.emulators.pepper": "requests to an emulated reader",
    "firmware_bridge.pepper.frames": "bytes of a reader, cut into frames",
    "firmware_bridge.panel": "messages of a panel board",
    "hardware.chips:ChipSet._judge": "a tag's UID, as read",
    "hardware.chips:EncodedUids.denomination": "a tag's UID, as read",
    "hardware.chips:is_uid": "UIDs in layout.toml",
    "hardware.badges.pcsc:answer_of": "a card's answer",
    "hardware.simulated.card:CardApplet.answer": "commands to an emulated card",
    # files that people write
    "controller.config.head": "table.toml and table scripts: that they are UTF-8, names of games",
    "controller.config.levels:_level": "names of levels",
    "controller.config.mistakes": "what msgspec says of a wrong file, and where in it",
    "controller.config.table_file:_with_levels": "table.toml, and the name of its file of levels",
    "controller.histories.cards": "cards in a hand history",
    "controller.histories.format": "lines of a hand history",
    "controller.histories.own:read_own": "the digest in a hand history of ours",
    "controller.histories.stand_in": "cards in a hand history",
    "controller.pages.covered:form": "lines of steps, as cases write them",
    "controller.pages.pages:page": "the source that a case names",
    "controller.pages.pages:readme": "README.md, which people write around the made part",
    "controller.service.looks.asked": "commands that look",
    "controller.service.roles.file": "roles.toml: verbs, names and paths of doors",
    "hardware.badges.register": "badges.toml, and what tomllib says of it",
    "hardware.buttons:named_event": "names of keys in layout.toml",
    "hardware.layout.checks": "layout.toml",
    "hardware.layout.file": "layout.toml, and what msgspec says of it",
    "hardware.layout.spec": "UIDs in layout.toml",
    "hardware.register.lists:newer": "names of houses in two lists",
    "hardware.register.signed": "signed lists of chips, and keys",
    # lines that people and other programs send
    "controller.commands.archive": "--archive-mb N",
    "controller.commands.chips:sign": "the file of a private key",
    "controller.commands.ports": "--port NAME=PATH",
    "controller.table.steps.forms": "words of a step: script, socket, journal",
    "controller.table.steps.language": "lines of steps: script, socket, journal",
    "controller.table.steps.note_forms": "words of a note: journal",
    "controller.table.steps.pot_forms": "words of an award: script, socket, journal",
    "ui.state.typed": "digits as they are touched",
    # the disk
    "controller.journal.file": "SQLite's write-ahead log; the process number in the lock file",
    "controller.journal.inspection": "names of journals, as read",
    "controller.journal.segment": "records, states and their hashes, as read",
    "controller.journal.traces": "what is left of a damaged journal",
    "controller.seals.heads": "keys, and the files they are in",
    "controller.seals.mark": "a high-water mark, as read",
    "controller.service.replaying:_compared": "the digest of a state, as recorded",
    "controller.report.page:drawn": "what matplotlib writes",
    "controller.simulation.demo:_sequence": "names of pictures",
    # the machine
    "controller.bench.screen:_cpu_s": "/proc",
    "controller.bench.screen:memory_mb": "/proc",
    "controller.journal.opening:boot": "/proc",
    "ui.display:_start": "the number that Xvfb writes",
    "ui.snapshot:render": "what the window's process prints",
}
"""Module, or module and function -> what text comes in there. For a whole module every function of it is an edge."""

SHOWN: dict[str, str] = {
    "controller.journal.difference:_short": "cut for a line",
    "controller.journal.records:encode": "a record is one printable line",
    "controller.journal.whole:_short": "cut for an error",
    "controller.journal.whole:read": "cut for an error",
    "controller.pages.pages:setup": "a sentence's first letter",
    "controller.table.steps.notes:note_text": "what an error says, made one printable line",
    "controller.view.wire:decode_command": "cut for an error",
    "controller.words.templates": "values are put into sentences as translators write them; a sentence's first letter",
    "hardware.bad_input": "what was written, cut and made printable for an error",
    "ui.scene.letters": "sentences are broken into lines that fit",
}
"""Where text is laid out, cut or made printable, and nothing is learnt from it."""

LISTED = {**EDGES, **SHOWN}


@cache
def found() -> list[Taken]:
    return taken_apart(read_tree(ROOT).values())


def test_text_is_taken_apart_at_edges_only() -> None:
    wrong = unlisted(found(), LISTED)
    assert not wrong, "\n".join(f"{taken.place} line {taken.line}: {taken.what}" for taken in wrong)


def test_every_edge_takes_something_apart() -> None:
    assert not EDGES.keys() & SHOWN.keys()
    assert unused(found(), LISTED) == []


# --- planted ---


def places(text: str) -> list[str]:
    """What is found in one module."""
    module = Module("controller.live.a", "controller/live/a.py", ast.parse(text), ())
    return [f"{taken.place.partition(':')[2]} {taken.what}".strip() for taken in taken_apart([module])]


TAKEN_APART = {
    "split": ("def f(held): return held.said.split()", "f .split()"),
    "first-word": ("def f(held): return held.said.split()[0]", "f .split()"),
    "partition": ("def f(told): verb, _, rest = told.partition(' ')", "f .partition()"),
    "starts": ("def f(label): return label.startswith('CALL')", "f .startswith()"),
    "ends": ("class A:\n  def f(self): return self.text.endswith('?')", "A.f .endswith()"),
    "digits": ("def f(word): return int(word) if word.isdigit() else 0", "f .isdigit()"),
    "pattern": ("def f(line): return re.match('raise to', line)", "f .match()"),
    "compiled": ("_WORDS = re.compile('a')\ndef f(line): return _WORDS.search(line)", "f .search()"),
    "fullmatch": ("def f(pattern, line): return pattern.fullmatch(line)", "f .fullmatch()"),
    "find": ("def f(line): return line.find('to')", "f .find()"),
    "index": ("def f(line, sep: str): return line.index(sep)", "f .index()"),
    "part": ("def f(line: str): return line[1:]", "f [1:]"),
    "part-of-attribute": ("class Held:\n  said: str\ndef f(held): return held.said[0]", "f [0]"),
    "in": ("def f(line: str): return 'raise' in line", "f in"),
    "not-in": ("class Held:\n  said: str\ndef f(held): return 'x' not in held.said", "f in"),
    "made-in-list": ("def f(notes): return f'ack {1}' in notes", "f in"),
    "compared": ("class Held:\n  said: str\ndef f(held): return held.said == 'call'", "f =="),
    "compared-inside-or": ("def f(said: str | None): return (said or 'x') != 'call'", "f =="),
    "compared-with-made": ("def f(note): return note == f'ack {note}'", "f =="),
    "one-of": ("def f(said: str): return said in ('call', 'check')", "f in"),
    "matched": ("def f(said: str):\n  match said:\n    case 'call': pass", "f match"),
    "result": ("def line(step) -> str: ...\ndef f(step): return line(step) == 'undo'", "f =="),
    "property": ("class A:\n  @property\n  def did(self) -> str: ...\ndef f(a): return a.did[2:]", "f [2:]"),
    "local": ("def f(a):\n  line = ' '.join(a)\n  return line[0]", "f [0]"),
    "each-of-many": ("def f(lines: tuple[str, ...]):\n  return [line for line in lines if line[0]]", "f [0]"),
    "bytes": ("def f(data: bytes): return data[:4]", "f [:4]"),
    "name-with-a-text": ("def f(name: str): return name == 'main'", "f =="),
    "at-once": ("from a import line\nFIRST = line.split()", ".split()"),
}


@pytest.mark.parametrize(("text", "expected"), TAKEN_APART.values(), ids=TAKEN_APART)
def test_text_taken_apart_is_found(text: str, expected: str) -> None:
    assert places(text) == [expected]


LEFT_ALONE = {
    "code": "def f(kind: Literal['a', 'b']): return kind == 'a' or kind in ('a', 'b')",
    "code-of-an-enum": "def f(act): return act.verb is Verb.CALL or act.verb == Verb.CHECK",
    "attribute-that-is-elsewhere-a-code": "class A:\n  x: str\nclass B:\n  x: Verb\ndef f(b): return b.x == 'y'",
    "tuples": "def f(order: tuple[int, ...]): return order[1:] + order[:1], order.index(3), 3 in order",
    "one-of-many-texts": "def f(warnings: tuple[str, ...]): return 'string-bet' in warnings",
    "nothing": "def f(name: str): return name == '' or name != ''",
    "made": "def f(seat: int): return f'seat {seat}' + ' '.join(['a']) + '!'.upper()",
    "name-that-has-a-constant": "MAIN: Final = 'main'\ndef f(name: str): return name == MAIN",
    "function-of-a-module": "def f(view, words): return faces.strip(view, words)",
    "names": "def f(table, name: str): return [seat for seat in table.seats if seat.name == name]",
    "mapping": "def f(values: dict[str, str], key: str): return values[key], key in values",
    "shadowed": "def f(said: str):\n  said = parse(said)\n  return said[0]",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_no_text_is_left_alone(text: str) -> None:
    assert places(text) == []


def test_a_place_that_is_not_listed_is_caught() -> None:
    taken = [Taken("controller.live.a:f", 3, ".split()"), Taken("controller.live.a:g", 9, "==")]
    assert unlisted(taken, {"controller.live.a:f": "x"}) == taken[1:]
    assert unlisted(taken, {"controller.live.a": "x"}) == []
    assert unlisted(taken, {"controller.live": "x", "controller.live.a:h": "x"}) == taken


def test_an_edge_that_takes_nothing_apart_is_caught() -> None:
    taken = [Taken("controller.live.a:f", 3, ".split()")]
    assert unused(taken, {"controller.live.a:f": "x"}) == []
    assert unused(taken, {"controller.live.a": "x"}) == []
    assert unused(taken, {"controller.live.a": "x", "controller.live.a:f": "x"}) == ["controller.live.a:f"]
    assert unused(taken, {"controller.live.a:f": "x", "controller.live.b": "x"}) == ["controller.live.b"]
