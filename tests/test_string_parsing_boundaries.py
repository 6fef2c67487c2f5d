"""Check that the program parses strings only in the places where text comes in from outside.

Inside the program, values have types and need no parsing. `PARSING_BOUNDARIES` lists the places where text comes in.
`DISPLAY_FORMATTING` lists the places where text for people is cut to fit. `TEXT_COMPARISONS` lists the places where
whole texts are compared. If a test reports a place that is not listed, give the value a type. If a test reports a
listed place that parses nothing, remove this place from the list.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.import_graph import ROOT, Module, read_modules
from tests.string_parsing_checker import ParsingSite, parsing_sites, unlisted_sites, unused_boundaries

PARSING_BOUNDARIES: dict[str, str] = {
    # These modules read bytes from serial lines and other wires.
    "firmware_bridge.emulators.feig": "requests to an emulated reader",
    "firmware_bridge.emulators.panel": "bytes to an emulated panel board",
    "firmware_bridge.feig.frames": "frames of a reader",
    "firmware_bridge.feig.tag_records": "tags in an answer of a reader",
    "firmware_bridge.feig.reader_settings": "configuration blocks of a reader",
    "firmware_bridge.feig.handshake:Handshake.record_answer": "serial number in an answer of a reader",
    "firmware_bridge.firmware.protocol": "bytes between a panel board and the table, on both ends",
    "firmware_bridge.feig_framing": "bytes of a reader, cut into frames",
    "firmware_bridge.emulators.pepper": "requests to an emulated reader",
    "firmware_bridge.pepper.frames": "bytes of a reader, cut into frames",
    "firmware_bridge.panel": "messages of a panel board",
    "hardware.chip_set:ChipSet._classify": "UID of a tag, as read",
    "hardware.chip_set:EncodedUids.denomination": "UID of a tag, as read",
    "hardware.chip_set:is_random_uid": "UID of a tag, as read",
    "hardware.chip_set:is_valid_uid": "UIDs in layout.toml",
    "hardware.badges.monitor:BadgeMonitor._is_due": "names of the journals to which two proofs belong",
    "controller.live.derived_state:badge_reader_device": "PC/SC names of badge readers",
    "controller.live.derived_state:is_badge_reader": "names of devices in the journal",
    "hardware.badges.pcsc:transmit_checked": "answer of a card",
    "hardware.badges.pcsc:ScardConnection.transmit": "command to a card",
    "hardware.badges.piv_card:parse_tlv": "answer of a card",
    "hardware.badges.signed_proof:SignedProof.is_valid": "signature of a card",
    "hardware.simulated.virtual_card:CardApplet.answer": "commands to an emulated card",
    "hardware.simulated.virtual_piv_card": "commands to an emulated card",
    # These modules read files that people edit.
    "controller.config.table_spec": "table.toml and table scripts: whether they are UTF-8, and names of games",
    "controller.config.chip_colours": "denominations and colours in table.toml",
    "controller.config.tournament_levels:_level": "names of levels",
    "controller.config.typed_steps": "lines of steps that people write with capitals",
    "controller.config.validation_errors": "messages of msgspec about invalid files",
    "controller.config.table_file:load_config": "table.toml: whether it is empty",
    "controller.config.table_file:_levels_path": "name of a levels file in table.toml",
    "controller.config.table_file:_with_levels": "table.toml",
    "controller.histories.pot_winners": "cards in a hand history",
    "controller.histories.phh_parser": "lines of a hand history",
    "controller.histories.custom_fields:read_custom_fields": "digest in a hand history of this program",
    "controller.histories.stand_in_cards": "cards in a hand history",
    "controller.messages.catalogue": "keys and texts of the catalogues, as translators write them",
    "controller.messages.generate": "keys and texts of the catalogues, as translators write them",
    "controller.rule_pages.case_coverage:step_form": "lines of steps in cases",
    "controller.rule_pages.page_writer:topic_page": "source named by a case",
    "controller.rule_pages.page_writer:update_readme": "README.md, which people write around the generated part",
    "controller.scripts.source_lines": "text of a table script, searched for the line of a step or mistake",
    "controller.service.queries.requests": "queries",
    "controller.service.roles.permissions_file": "roles.toml: verbs, names and paths of sockets",
    "controller.commands.guided_setup": "--heights N,N, and texts of a layout before and after",
    "controller.service.guided_setup.tasks": "keys of the set-up page, and texts of a file before and after",
    "hardware.guided_setup.enroll:Enrolment._problem_of": "UID of a tag, and prefixes of ignored tags",
    "hardware.guided_setup.layout_text": "names of ports, and of buttons in layout.toml",
    "hardware.badges.badge_file": "badges.toml, and messages of tomllib about it",
    "hardware.buttons:press_event": "names of keys in layout.toml",
    "controller.config.line_numbers": "lines of TOML files, and keys in messages about them",
    "hardware.layout.validation": "layout.toml",
    "hardware.layout.loader": "layout.toml, and messages of msgspec about it",
    "hardware.layout.schema": "UIDs in layout.toml",
    "hardware.wiring.pin_tables": "names of buttons and ports in layout.toml",
    "hardware.wiring.__main__:updated_readme": "README.md, which people write around the generated part",
    "hardware.chip_register.chip_list:install_chip_list": "names of houses in two lists",
    "hardware.chip_register.chip_list:load_installed_list": "names of houses in two lists",
    "hardware.chip_register.signed_file": "signed chip lists, and keys",
    # These modules read text from people and other programs.
    "controller.commands.maintenance.bundle": "requirements of the package",
    "controller.commands.options_file": "options of an installation",
    "controller.commands.updates.release_file:read_release_list": "messages about the list of a release",
    "controller.commands.private_key_file:read_private_key": "file of a private key",
    "controller.commands.updates.release_file:write_release_file": "name of a package, which has its version",
    "controller.commands.updates.compiled_files": "paths and bytes of compiled files",
    "controller.commands.updates.program_files": "paths in packages and in an environment, and pyvenv.cfg",
    "controller.commands.updates.commands:verify_program": "version of Python in the list of a release",
    "controller.commands.updates.release_file:ReleaseFile.unpack": "hashes of packages in a release",
    "controller.commands.updates.releases:Releases._folders": "names of folders",
    "controller.commands.updates.service_watch:SystemdControl._call": "output of systemctl",
    "controller.commands.updates.trial": "output of another release and of pip",
    "controller.commands.maintenance.redaction": "text that leaves the house, and labels of badges in the journal",
    "controller.commands.maintenance.backup": "file of a passphrase, and names of files in a backup",
    "controller.commands.maintenance.member_names": "names of files in a backup",
    "controller.commands.maintenance.restore_in_place:_restore": "names of files in a backup",
    "controller.commands.maintenance.table_replacement": "names of files beside the journal, and a unit of systemd",
    "controller.commands.maintenance.trusted_files:_is_list_of_chips": "name of a file in a backup",
    "controller.commands.maintenance.encrypted_file:EncryptedFile.read": "hash of a file in a backup",
    "controller.commands.badge": "file of a private key, and --reader NAME",
    "controller.commands.option_values": "--port NAME=PATH, --archive-mb N and --archive-days N",
    "controller.commands.chips:sign": "file of a private key",
    "controller.steps.word_formats": "words of a step from a script, the socket or the journal",
    "controller.steps.script_language": "lines of steps from a script, the socket or the journal",
    "controller.steps.observation_formats": "words of an observation from the journal",
    "controller.steps.hand_steps": "words of a motion from a script, the socket or the journal",
    "controller.steps.table_steps": "words of a step from a script, the socket or the journal",
    "controller.steps.award_format": "words of an award from a script, the socket or the journal",
    "ui.state.amount_entry": "touched digits",
    "ui.scene.tokens:ink_on": "colour of a chip, as the house wrote it",
    # These modules read text from the disk.
    "controller.journal.sqlite_file": "write-ahead log of SQLite, and process number in the lock file",
    "controller.journal.audit.bad_records": "lines about damaged records, as read",
    "controller.journal.audit.stored_hashes:contradicts_mark": "names and hashes of journals, as read",
    "controller.journal.build_identity:_program_files": "names of program files",
    "controller.journal.replication.follower": "names of journals, as read",
    "controller.journal.replication.stretch": "hashes and digests, as read",
    "controller.room.span_chain": "names of journals and hashes, as received",
    "controller.room.live.uplink:LiveUplink.__init__": "address of a room",
    "controller.room.server:RoomServer._table_of": "token in a request",
    "controller.room.server:_is_live": "path of a request",
    "controller.room.tables_file": "names, keys and tokens in the file of the tables, and the token of a request",
    "controller.commands.room": "addresses of the command line, and the file of a token",
    "controller.journal.archive:export_number": "names of exports",
    "controller.journal.evidence.exports": "lines of an export",
    "controller.journal.evidence.record_ages:_is_clock_proven": "identifier of a boot, as read",
    "controller.service.recovery:_recover_intact": "identifier of a boot, as read",
    "controller.journal.segment": "records, states and their hashes, as read",
    "controller.journal.carving": "remains of a damaged journal",
    "controller.integrity.signatures": "keys and their files",
    "controller.integrity.high_water": "high-water mark, as read",
    "controller.commands.journal:audit": "key file, as read",
    "controller.integrity.http_target": "addresses of the command line",
    "controller.integrity.sent_heads": "names of targets, and lines of a log of heads",
    "controller.journal.records:Record.has_other_amounts": "recorded digest of amounts",
    "controller.service.command_handler:CommandHandler._reject_reason": "names of two dealers",
    "controller.service.table_service:TableService._change_dealer": "names of two journals",
    "controller.derived.table_deriver": "names of journals, hashes and digests, as recorded",
    "controller.service.journal_replay:_compare_with_recorded": "recorded digest of a state",
    "controller.report.html_page:render_svg": "SVG file from matplotlib",
    "controller.simulation.demo:_sequence": "names of pictures",
    # These modules read text from the operating system and from other processes.
    "controller.bench.browsers.browser_streams:_follow": "answers of the process for browsers",
    "controller.bench.reading_to_view_latency:_is_wager": "exported record",
    "controller.bench.pit.page_latency:_pit_program": "output of the program of the pit page",
    "controller.bench.pit.page_readers": "answers of the program of the pit page",
    "controller.bench.room_server.measurement:_memory_bytes": "/proc",
    "controller.bench.room_server.measurement:_processes_of": "/proc",
    "controller.bench.room_server.measurement:_processor_s": "/proc",
    "controller.bench.room_server.simulated_tables:SimulatedTable._handle": "replies of the room",
    "controller.bench.room_server.simulated_tables:SimulatedTable.data_received": "replies of the room",
    "controller.bench.screen:cpu_s": "/proc",
    "controller.service.checks.machine": "files of the kernel",
    "controller.service.setup_check:_device_result": "kind of a device on a page of the service",
    "controller.bench.screen:resident_mb": "/proc",
    "controller.journal.segment_header:boot_id": "/proc",
    "ui.virtual_display:_start_virtual_display": "display number from Xvfb",
    "ui.pit.tile:make_tile": "letters of the seats in a summary",
    "ui.web.routes.application": "requests of a browser",
    "ui.web.metrics:read_token": "the file of the token",
    "ui.web.oidc.attempts": "cookie of a sign-in that has begun",
    "ui.web.oidc.configuration": "file of the provider and its secret, and messages of msgspec about the file",
    "ui.web.oidc.provider": "addresses and identifiers of the provider",
    "ui.web.routes.oidc_sign_in": "host in a request",
    "ui.web.routes.setup:_upload_bytes": "requests of a browser",
    "ui.web.routes.openapi:openapi": "paths of the routes",
    "ui.screenshots:render_views": "output of the window's process",
}
"""Modules and functions that may parse text from outside. The value says which text each of them parses.

If a whole module is listed, each of its functions may parse strings.
"""

DISPLAY_FORMATTING: dict[str, str] = {
    "controller.journal.value_diff:_abbreviate": "cut for one line",
    "controller.journal.records:encode_entries": "a record is one printable line",
    "controller.journal.snapshot.codec:_abbreviate": "cut for an error",
    "controller.journal.snapshot.codec:decode": "cut for an error",
    "controller.journal.snapshot.codec:_owner_of_field": "paths of fields in the table of written names",
    "controller.journal.snapshot.codec:_with_parts": "paths of fields in the table of written names",
    "controller.room.live.tunnels:Tunnels._run": "message of the operating system cut to its limit",
    "controller.room.store:store_error": "message of PostgreSQL made one line",
    "controller.view.table_summary:_cut": "long name cut to its limit",
    "controller.rule_pages.page_writer:describe_setup": "first letter of a sentence",
    "controller.steps.observations:to_single_line": "error message made one printable line",
    "controller.view.protocol:decode_command": "cut for an error",
    "controller.log_setup": "names and line breaks in the log, and names of loggers",
    "controller.messages.amounts": "amounts in the format of a language",
    "controller.messages.renderer": "parts of a text joined, and first letter of a sentence",
    "hardware.text_input_validation": "invalid value cut and made printable for an error",
    "ui.web.oidc.house_sign_in:_shown_name": "name from the provider, made printable and cut",
    "ui.web.people:People.check_password": "password cut to the maximum length",
    "ui.web.svg:_text_lines": "text broken into its lines",
    "ui.scene.text_layout": "sentences broken into lines that fit",
}
"""Modules and functions that cut, split or escape text for display, each with what it does.

No decision of the program depends on the content of such text.
"""

TEXT_COMPARISONS: dict[str, str] = {
    "controller.commands.journal:_FollowWait.__call__": "error message that was printed last",
    "controller.derived.events:TableEvents._note_call": "name of the person who comes, before and after",
    "controller.practice.practice_server:PracticeServer._handle": "command that shows a task",
    "controller.service.changed_files.watched_files:WatchedFiles._judge_options": "file of options before and after",
    "controller.room.live.uplink:LiveUplink._keep_connected": "problem that was logged last",
    "controller.room.live.watcher:TablePace.note_view": "name of the dealer in the view before",
    "controller.room.live.watcher:TableWatcher.run": "problem that was logged last",
    "controller.room.uplink:Uplink._log_once": "problem that was logged last",
    "controller.rule_pages.page_writer:write_readme": "README.md before and after",
    "controller.service.recovery:_journal_config": "configuration of a journal and the given one",
    "controller.simulation.script_pipeline:ScriptedTable._replace_chips": "name of a place",
    "controller.simulation.sessions.table_setup:_game": "name of a betting structure",
    "hardware.simulated.virtual_card:CardOnVirtualReader._serve": "command byte to an emulated card",
    "ui.scene.paint.header:status_line": "name of a tone",
    "ui.pit.live_room:LiveRoom.run": "problem that was logged last",
    "ui.web.feed:DelayedFeed.add": "encoded pictures",
    "ui.scene.view_models:_seat_tile": "status text of a seat",
    "ui.state.name_entry:press_letter": "touched letters of a name",
    "ui.state.page_actions:finish_name": "touched letters of a name",
    "ui.state.main_keys:next_step_key": "name of a pot",
}
"""Functions that compare whole texts or names but parse nothing, each with the texts that it compares."""

LISTED_PLACES = {**PARSING_BOUNDARIES, **DISPLAY_FORMATTING, **TEXT_COMPARISONS}


@cache
def program_sites() -> list[ParsingSite]:
    """Return all places in the program that parse or compare strings."""
    return parsing_sites(read_modules(ROOT).values())


def test_strings_are_parsed_only_at_the_listed_boundaries() -> None:
    unlisted = unlisted_sites(program_sites(), LISTED_PLACES)
    assert not unlisted, "\n".join(f"{site.place} line {site.line}: {site.operation}" for site in unlisted)


def test_every_listed_boundary_parses_strings() -> None:
    assert len(LISTED_PLACES) == len(PARSING_BOUNDARIES) + len(DISPLAY_FORMATTING) + len(TEXT_COMPARISONS)
    assert unused_boundaries(program_sites(), LISTED_PLACES) == []


# --- planted sites ---


def reported_sites(text: str) -> list[str]:
    """Return one line for each parsing site in this source text, with the function and the operation."""
    module = Module("controller.live.a", "controller/live/a.py", ast.parse(text), ())
    return [f"{site.place.partition(':')[2]} {site.operation}".strip() for site in parsing_sites([module])]


PARSING_EXAMPLES = {
    "split": ("def f(held): return held.declared.split()", "f .split()"),
    "first-word": ("def f(held): return held.declared.split()[0]", "f .split()"),
    "partition": ("def f(text): verb, _, rest = text.partition(' ')", "f .partition()"),
    "starts": ("def f(label): return label.startswith('CALL')", "f .startswith()"),
    "ends": ("class A:\n  def f(self): return self.text.endswith('?')", "A.f .endswith()"),
    "digits": ("def f(word): return int(word) if word.isdigit() else 0", "f .isdigit()"),
    "pattern": ("def f(line): return re.match('raise to', line)", "f .match()"),
    "compiled": ("_WORDS = re.compile('a')\ndef f(line): return _WORDS.search(line)", "f .search()"),
    "fullmatch": ("def f(pattern, line): return pattern.fullmatch(line)", "f .fullmatch()"),
    "find": ("def f(line): return line.find('to')", "f .find()"),
    "index": ("def f(line, sep: str): return line.index(sep)", "f .index()"),
    "part": ("def f(line: str): return line[1:]", "f [1:]"),
    "part-of-attribute": ("class Held:\n  declared: str\ndef f(held): return held.declared[0]", "f [0]"),
    "in": ("def f(line: str): return 'raise' in line", "f in"),
    "not-in": ("class Held:\n  declared: str\ndef f(held): return 'x' not in held.declared", "f in"),
    "made-in-list": ("def f(notes): return f'ack {1}' in notes", "f in"),
    "compared": ("class Held:\n  declared: str\ndef f(held): return held.declared == 'call'", "f =="),
    "compared-inside-or": ("def f(declared: str | None): return (declared or 'x') != 'call'", "f =="),
    "compared-with-made": ("def f(note): return note == f'ack {note}'", "f =="),
    "one-of": ("def f(declared: str): return declared in ('call', 'check')", "f in"),
    "matched": ("def f(declared: str):\n  match declared:\n    case 'call': pass", "f match"),
    "result": ("def line(step) -> str: ...\ndef f(step): return line(step) == 'undo'", "f =="),
    "property": ("class A:\n  @property\n  def action(self) -> str: ...\ndef f(a): return a.action[2:]", "f [2:]"),
    "local": ("def f(a):\n  line = ' '.join(a)\n  return line[0]", "f [0]"),
    "each-of-many": ("def f(lines: tuple[str, ...]):\n  return [line for line in lines if line[0]]", "f [0]"),
    "bytes": ("def f(data: bytes): return data[:4]", "f [:4]"),
    "name-with-a-text": ("def f(name: str): return name == 'main'", "f =="),
    "at-once": ("from a import line\nFIRST = line.split()", ".split()"),
}


@pytest.mark.parametrize(("text", "expected"), PARSING_EXAMPLES.values(), ids=PARSING_EXAMPLES)
def test_string_parsing_is_detected(text: str, expected: str) -> None:
    assert reported_sites(text) == [expected]


LEFT_ALONE = {
    "code": "def f(kind: Literal['a', 'b']): return kind == 'a' or kind in ('a', 'b')",
    "code-of-an-enum": "def f(act): return act.verb is Verb.CALL or act.verb == Verb.CHECK",
    "attribute-that-is-elsewhere-a-code": "class A:\n  x: str\nclass B:\n  x: Verb\ndef f(b): return b.x == 'y'",
    "tuples": "def f(order: tuple[int, ...]): return order[1:] + order[:1], order.index(3), 3 in order",
    "one-of-many-texts": "def f(warnings: tuple[str, ...]): return 'string-bet' in warnings",
    "nothing": "def f(name: str): return name == '' or name != ''",
    "made": "def f(seat: int): return f'seat {seat}' + ' '.join(['a']) + '!'.upper()",
    "name-that-has-a-constant": "MAIN: Final = 'main'\ndef f(name: str): return name == MAIN",
    "function-of-a-module": "def f(view, words): return view_models.strip(view, words)",
    "names": "def f(table, name: str): return [seat for seat in table.seats if seat.name == name]",
    "mapping": "def f(values: dict[str, str], key: str): return values[key], key in values",
    "shadowed": "def f(declared: str):\n  declared = parse(declared)\n  return declared[0]",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_non_string_code_is_not_reported(text: str) -> None:
    assert reported_sites(text) == []


def test_unlisted_parsing_site_is_caught() -> None:
    sites = [ParsingSite("controller.live.a:f", 3, ".split()"), ParsingSite("controller.live.a:g", 9, "==")]
    assert unlisted_sites(sites, {"controller.live.a:f": "x"}) == sites[1:]
    assert unlisted_sites(sites, {"controller.live.a": "x"}) == []
    assert unlisted_sites(sites, {"controller.live": "x", "controller.live.a:h": "x"}) == sites


def test_unused_boundary_is_caught() -> None:
    sites = [ParsingSite("controller.live.a:f", 3, ".split()")]
    assert unused_boundaries(sites, {"controller.live.a:f": "x"}) == []
    assert unused_boundaries(sites, {"controller.live.a": "x"}) == []
    assert unused_boundaries(sites, {"controller.live.a": "x", "controller.live.a:f": "x"}) == ["controller.live.a:f"]
    assert unused_boundaries(sites, {"controller.live.a:f": "x", "controller.live.b": "x"}) == ["controller.live.b"]
