"""A table starts in spite of every file that cannot be used, and its alert names the file, the line and the key.

The mistakes are those of `tests/bad_input`, and mistakes in lists of badges and in files of roles.
"""

from __future__ import annotations

import asyncio
import re
import stat
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from controller.cli import main, serve
from controller.commands import EXIT_BAD_INPUT, with_options_file
from controller.config import BadInputError, find_line
from controller.journal import Journal, new_header
from controller.live import FileKind
from controller.messages import Messages, languages
from controller.service import ServeOptions, TableService
from controller.service.roles import default_permissions
from controller.service.setup_check import check_setup
from controller.service.start_files import StartFiles, read_start_files
from controller.steps import observations
from controller.view import Alert
from tests.service.service_process import CONFIG, alert_codes, service_process, wait_until

BAD_INPUT: Final = Path(__file__).parents[1] / "bad_input"
BAD_BADGES: Final[dict[str, str | None]] = {
    "missing": None,
    "empty": "",
    "not-toml": "[[badges",
    "not-a-key": "not TOML",
    "short-uid": '[[badges]]\nuid = "04"\nname = "Ann"\nrole = "floor"\n',
    "unknown-role": '[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "king"\n',
    "unknown-key": '[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\ncolour = "red"\n',
    "unknown-table": 'hose = "Grand"\n',
    "twice": '[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\n' * 2,
    "not-utf8": 'house = "\udcff"\n',
    "truncated": '[[badges]]\nuid = "04A1B2C3"\nname = "A',
}
BAD_ROLES: Final[dict[str, str | None]] = {
    "missing": None,
    "empty": "",
    "not-toml": "[may",
    "not-a-key": "not TOML",
    "unknown-verb": '[may.dealer]\nalways = ["flies"]\n[doors.screen]\nrole = "dealer"\n',
    "unknown-role": '[may.king]\nalways = ["act"]\n[doors.screen]\nrole = "dealer"\n',
}
GOOD_BADGES: Final = f'[[badges]]\nuid = "04A1B2C3"\nname = "Ann"\nrole = "floor"\nkey = "{"5e" * 16}"\n'
GOOD_ROLES: Final = '[may.dealer]\nalways = ["act"]\n[doors.screen]\nrole = "dealer"\n'
GOOD_LAYOUT: Final = """
name = "small"
[[readers]]
name = "odd"
port = "nowhere"
antennas = { 1 = "bet1" }
[chips]
ranges = [ { denomination = 1, first = "E004015000250000", last = "E00401500025FFFF" } ]
"""
GOOD_REGISTER: Final = b'house = "h"\nnumber = 1\nlisted = { E00401500100A0F1 = 100 }\n'
GOOD: Final[dict[FileKind, str]] = {
    "config": CONFIG,
    "layout": GOOD_LAYOUT,
    "roles": GOOD_ROLES,
    "badges": GOOD_BADGES,
}


def _bad_texts() -> list[tuple[FileKind, str, bytes | None]]:
    """Return the kind of file, the name of the mistake, and the bytes of the file, or None for a missing file."""
    kinds: tuple[tuple[FileKind, str], ...] = (("config", "tables"), ("layout", "layouts"))
    cases: list[tuple[FileKind, str, bytes | None]] = [
        (kind, path.stem, path.read_bytes())
        for kind, folder in kinds
        for path in sorted((BAD_INPUT / folder).iterdir())
    ]
    cases += [(kind, "missing", None) for kind, _ in kinds]
    texts: dict[FileKind, dict[str, str | None]] = {"badges": BAD_BADGES, "roles": BAD_ROLES}
    for kind, mistakes in texts.items():
        cases += [
            (kind, name, None if text is None else text.encode(errors="surrogateescape"))
            for name, text in mistakes.items()
        ]
    return cases


NO_LINE: Final = (
    "cannot be read, No such file",
    "No such file or directory",
    "no badges, expected at least one",
    "may: missing",
)
"""Starts of messages about no line: a file that is missing or has nothing in it."""
BAD_LEVELS: Final[dict[str, tuple[str | None, str]]] = {
    "missing": (None, "{folder}/levels.toml: cannot be read, No such file or directory: expected a readable file"),
    "empty": ("", "levels_file = 'levels.toml': expected a file with [[levels]] and nothing else"),
    "not-toml": (
        "[[levels]]\nminutes = 5\nblinds = [\n",
        "{folder}/levels.toml:3: Invalid value (at end of document): expected TOML",
    ),
    "no-time": (
        "[[levels]]\nminutes = 5\n[[levels]]\nminutes = 0\n",
        "{folder}/levels.toml:4: levels 2.minutes = 0: expected 1 to 1440 minutes",
    ),
    "blinds-text": (
        '[[levels]]\nminutes = 5\nblinds = "5"\n',
        "{folder}/levels.toml:3: levels.1.blinds = '5': expected a list",
    ),
}
NOT_SIGNED: Final = "not signed, expected a last line `signature = …`, see `potkeeper chips sign`"
BAD_REGISTERS: Final[dict[str, tuple[bytes | None, int, str]]] = {
    "missing": (None, 0, "No such file or directory, expected a signed list of chips"),
    "not-signed": (GOOD_REGISTER, 3, NOT_SIGNED),
    "bad-signature-line": (GOOD_REGISTER + b'signature = "12"\n', 4, NOT_SIGNED),
    "altered": (
        GOOD_REGISTER + b'signature = "' + b"5e" * 64 + b'"\n',
        4,
        "altered or signed with another key, expected the signature of key {key}…",
    ),
    "truncated": (GOOD_REGISTER[:20], 2, NOT_SIGNED),
    "not-toml": (b"house = [\n", 1, "Invalid value (at end of document), expected TOML"),
    "twice": (
        GOOD_REGISTER.replace(b"100 }", b"100, E00401500100A0F1 = 25 }"),
        3,
        "Duplicate inline table key 'E00401500100A0F1' (at line 3, column 57), expected TOML",
    ),
    "not-utf8": (GOOD_REGISTER + b"# \xff\n", 4, "byte 61: expected UTF-8 text"),
    "number": (GOOD_REGISTER.replace(b"= 1\n", b"= 0\n"), 2, "number = 0, expected 1 or more"),
    "number-text": (
        GOOD_REGISTER.replace(b"= 1\n", b'= "1"\n'),
        2,
        "Expected `int`, got `str` - at `$.number`, expected a list of chips",
    ),
    "unknown-key": (
        GOOD_REGISTER + b"colour = 1\n",
        4,
        "Object contains unknown field `colour`, expected a list of chips",
    ),
    "listed-text": (
        GOOD_REGISTER + b'[lammers]\nE00401500100A0F2 = "button"\nE00401500100A0F3 = 3\n',
        6,
        "Expected `str`, got `int` - at `$.lammers[...]`, expected a list of chips",
    ),
    "range-without-last": (
        GOOD_REGISTER + b'[[ranges]]\ndenomination = 1\nfirst = "E004015000250000"\n',
        4,
        "Object missing required field `last` - at `$.ranges[0]`, expected a list of chips",
    ),
    "uid": (
        GOOD_REGISTER.replace(b"E004", b"E00G"),
        3,
        "listed = 'E00G01500100A0F1': expected a UID of 16 or at least 24 upper-case hex digits",
    ),
    "uid-of-many": (
        GOOD_REGISTER + b'revoked = [\n  "E00401500100A0F1",\n  "E00G01500100A0F1",\n]\n',
        6,
        "revoked = 'E00G01500100A0F1': expected a UID of 16 or at least 24 upper-case hex digits",
    ),
    "chip-and-lammer": (
        GOOD_REGISTER + b'lammers = { E00401500100A0F1 = "button" }\n',
        3,
        "chips = 'E00401500100A0F1 is both a lammer and a chip': expected each UID to have only one meaning",
    ),
}
"""Text of a register that is signed if the mistake is not one in the signature, the number of the wrong line, or 0 for
a missing file, and the message."""
SIGNATURE_MISTAKES: Final = ("not-signed", "bad-signature-line", "altered", "truncated")


CASES: Final = [pytest.param(kind, text, id=f"{kind}-{name}") for kind, name, text in _bad_texts()]


def _options(folder: Path) -> ServeOptions:
    """Return the options of a table whose files are all good."""
    for kind, text in GOOD.items():
        (folder / f"{kind}.toml").write_text(text)
        (folder / f"{kind}.toml").chmod(0o640)
    return ServeOptions(
        config=folder / "config.toml",
        layout=folder / "layout.toml",
        ports={},
        roles=folder / "roles.toml",
        badges=folder / "badges.toml",
    )


def _spoil(folder: Path, kind: FileKind, text: bytes | None) -> None:
    path = folder / f"{kind}.toml"
    path.unlink() if text is None else path.write_bytes(text)
    if text is not None:
        path.chmod(0o640)


def _alerts(files: StartFiles, journal: Path) -> list[Alert]:
    """Return the alerts of a service with these files."""

    async def view_alerts() -> list[Alert]:
        service = TableService.open(
            files.config,
            journal,
            trays=files.layout is not None,
            access_policy=files.access_policy,
            file_faults=files.faults,
        )
        try:
            return list(service.view.alerts)
        finally:
            if service._recorder is not None:
                service._recorder.close()

    return asyncio.run(view_alerts())


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_bad_file_is_replaced_by_the_last_good_copy(kind: FileKind, text: bytes | None, tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    Journal.create(journal, new_header(CONFIG)).close()
    good = read_start_files(options, journal)
    assert good.faults == ()
    good.keep_copies()
    _spoil(tmp_path, kind, text)
    files = read_start_files(options, journal)
    assert (files.layout, files.permissions, files.badges) == (good.layout, good.permissions, good.badges)
    assert files.config == good.config
    [alert] = [alert for alert in _alerts(files, journal) if alert.subject == kind]
    assert (alert.code, alert.values.device, alert.clearable_by) == ("file-replaced", f"{kind}.toml", "technician")
    files.keep_copies()
    _spoil(tmp_path, kind, GOOD[kind].encode())
    mended = read_start_files(options, journal)
    assert mended.faults == ()
    assert [alert for alert in _alerts(mended, journal) if alert.subject == kind] == []


def test_kept_configuration_gives_the_screen_the_colours_of_the_house(tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    coloured = GOOD["config"] + '[table]\nchip_colours = { 25 = "green", 5 = "#C0392B" }\n'
    for text in (coloured, coloured.replace("green", "greenish")):
        (tmp_path / "config.toml").write_text(text)
        files = read_start_files(options, journal)
        files.keep_copies()
        view = TableService.open(files.config, None, trays=False).view
        assert list(view.chip_colours.items()) == [(5, "#c0392b"), (25, "#008000")]
    assert [fault.is_replaced for fault in files.faults] == [True]


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_bad_file_without_a_copy_is_replaced_by_the_safe_default(
    kind: FileKind, text: bytes | None, tmp_path: Path
) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    Journal.create(journal, new_header(CONFIG)).close()
    _spoil(tmp_path, kind, text)
    files = read_start_files(options, journal)
    match kind:
        case "config":
            assert files.faults[0].is_replaced, "the journal has a configuration"
        case "layout":
            assert files.layout is None
        case "roles":
            assert files.permissions == default_permissions()
        case "badges":
            assert (files.badges, files.access_policy.badge_count) == ((), 0)
    codes = [alert.code for alert in _alerts(files, journal) if alert.subject == kind]
    assert codes == ["file-replaced" if kind == "config" else f"{kind}-unusable"]


@pytest.mark.parametrize(("kind", "text"), [case for case in CASES if case.values[0] == "config"])
def test_new_table_does_not_start_with_a_configuration_that_nobody_has_chosen(
    kind: FileKind, text: bytes | None, tmp_path: Path
) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    _spoil(tmp_path, kind, text)
    with pytest.raises(BadInputError, match=r"config\.toml.*expected"):
        read_start_files(options, journal)


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_alert_says_the_same_line_as_check(kind: FileKind, text: bytes | None, tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    Journal.create(journal, new_header(CONFIG)).close()
    _spoil(tmp_path, kind, text)
    [fault] = read_start_files(options, journal).faults
    result = CliRunner().invoke(main, ["check", f"--{kind}", str(tmp_path / f"{kind}.toml")])
    assert (result.stderr, result.exit_code) == (f"potkeeper: {fault.error}\n", EXIT_BAD_INPUT)
    has_line = re.match(rf"{re.escape(str(tmp_path))}/{kind}\.toml:[1-9]\d*: ", fault.error) is not None
    assert has_line != fault.error.removeprefix(f"{tmp_path}/{kind}.toml: ").startswith(NO_LINE)
    with pytest.raises(BadInputError):
        read_start_files(options, None)


@pytest.mark.parametrize("mistake", BAD_LEVELS)
def test_mistake_in_the_file_of_levels_is_reported_with_its_line_until_it_is_mended(
    mistake: str, tmp_path: Path
) -> None:
    options, journal, levels = _options(tmp_path), tmp_path / "table.journal", tmp_path / "levels.toml"
    Journal.create(journal, new_header(CONFIG)).close()
    text, message = BAD_LEVELS[mistake]
    (tmp_path / "config.toml").write_text(f'levels_file = "levels.toml"\n{CONFIG}')
    if text is not None:
        levels.write_text(text)
    files = read_start_files(options, journal)
    error = f"{tmp_path}/config.toml:1: {message.format(folder=tmp_path)}"
    assert [(fault.kind, fault.error, fault.is_replaced) for fault in files.faults] == [("config", error, True)]
    [alert] = [alert for alert in _alerts(files, journal) if alert.subject == "config"]
    assert (alert.code, alert.values.reason) == ("file-replaced", error)
    levels.write_text("[[levels]]\nminutes = 5\n")
    assert read_start_files(options, journal).faults == ()


@pytest.mark.parametrize("mistake", BAD_REGISTERS)
def test_mistake_in_the_register_of_chips_is_reported_until_it_is_mended(mistake: str, tmp_path: Path) -> None:
    from hardware.chip_register import derive_public_key, generate_private_key, sign_text

    options, journal, private = _options(tmp_path), tmp_path / "table.journal", generate_private_key()
    register, (text, line, message) = tmp_path / "house.chips", BAD_REGISTERS[mistake]
    key = derive_public_key(private)
    chips = f'[chips]\nregister = "house.chips"\nregister_key = "{key}"\n'
    (tmp_path / "layout.toml").write_text(GOOD_LAYOUT[: GOOD_LAYOUT.index("[chips]")] + chips)
    register.write_bytes(sign_text(GOOD_REGISTER, private))
    good = read_start_files(options, journal)
    good.keep_copies()
    if text is None:
        register.unlink()
    else:
        register.write_bytes(text if mistake in SIGNATURE_MISTAKES else sign_text(text, private))
    files = read_start_files(options, journal)
    error = f"{register}{f':{line}' if line else ''}: {message.replace('{key}', key[:8])}"
    assert [(fault.error, fault.is_replaced) for fault in files.faults] == [(error, True)]
    assert files.layout == good.layout
    result = CliRunner().invoke(main, ["check", "--layout", str(tmp_path / "layout.toml")])
    assert (result.stderr, result.exit_code) == (f"potkeeper: {error}\n", EXIT_BAD_INPUT)
    register.write_bytes(sign_text(GOOD_REGISTER, private))
    assert read_start_files(options, journal).faults == ()


BAD_OPTIONS: Final[dict[str, tuple[str | None, str]]] = {
    "missing": (None, "cannot be read, No such file or directory: expected a readable file"),
    "empty": ("\n", "empty, expected options or a comment such as `# no options`"),
    "misspelt-badges": ("--no-gpio\n--bages b.toml\n", "2: --bages: no such option, expected --badges"),
    "misspelt-roles": ("--rolls /r.toml\n", "1: --rolls: no such option, expected --roles"),
    "misspelt-journal": ("--journl /j\n", "1: --journl: no such option, expected --journal"),
    "unknown": ("--chips x\n", "1: --chips: no such option, expected "),
    "no-value": ("--badges\n", "1: Option '--badges' requires an argument, expected options of `potkeeper serve`"),
    "no-option": ("badges b.toml\n", "1: Got unexpected extra arguments (badges b.toml), expected options"),
    "help": ("--help\n", "1: --help: no such option, expected "),
    "another-file": ("--options /o\n", "1: --options: no such option, expected "),
    "choice": ("--tags mode4\n", "1: Invalid value for '--tags': 'mode4' is not one of 'iso15693', 'mode3', expected"),
    "number": ("# size\n--archive-mb big\n", "2: --archive-mb 'big': expected whole megabytes, 1 to 1000000"),
    "days": ("--archive-days -1\n", "1: --archive-days '-1': expected whole days, 0 to 36500"),
    "port": ("--port odd\n", "1: --port odd: expected NAME=PATH, such as odd=/dev/ttyUSB0"),
    "address": ("--heads http://a@b\n", "1: --heads 'http://a@b': expected "),
    "group": ("--socket-group nobodys\n", "1: --socket-group: 'nobodys', expected a group of this machine"),
    "room-group": ("--room-group nobodys\n", "1: --room-group: 'nobodys', expected a group of this machine"),
    "quote": ('--badges "b.toml\n', "1: no closing quotation, expected quotes in pairs"),
    "invisible": ('--badges "b\x01"\n', "1: 'b\\x01': expected characters that can all be seen"),
    "variable": ('POTKEPER_OPTIONS="--badges b.toml"\n', "1: Got unexpected extra argument (POTKEPER_OPTIONS=--badg"),
    "earlier-form": ('POTKEEPER_OPTIONS="--no-gpio --bages b"\n', "1: --bages: no such option, expected --badges"),
    "not-utf8": ("\udcff", "1: byte 0: expected UTF-8 text"),
}
"""Text of a file with options, or None for a missing file, and the start of its message after the path."""


@pytest.mark.parametrize("mistake", BAD_OPTIONS)
def test_options_with_a_mistake_are_replaced_by_those_of_the_last_good_start_or_authorise_nobody(
    mistake: str, tmp_path: Path
) -> None:
    _options(tmp_path)
    text, message = BAD_OPTIONS[mistake]
    path, journal = tmp_path / "options", tmp_path / "table.journal"
    Journal.create(journal, new_header(CONFIG)).close()
    unit = [f"--{name}={file}" for name, file in (("options", path), ("journal", journal))]
    for name in ("config", "layout"):
        unit.append(f"--{name}={tmp_path / f'{name}.toml'}")

    def start() -> StartFiles:
        given = dict(with_options_file(serve.make_context("serve", list(unit)).params, serve))
        kept = {name: given[name] for name in given.keys() & {field.name for field in fields(ServeOptions)}}
        return read_start_files(ServeOptions(**{**kept, "ports": {}}), journal)

    def spoil() -> None:
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, errors="surrogateescape")

    spoil()
    if mistake not in {"missing", "empty"}:  # A table without options has no mistake.
        files = start()
        [fault] = files.faults
        assert (fault.kind, fault.is_replaced, files.badges, files.access_policy.badge_count) == (
            "options",
            False,
            (),
            0,
        )
        [alert] = [alert for alert in _alerts(files, journal) if alert.subject == "options"]
        assert (alert.code, alert.clearable_by) == ("badges-unusable", "technician")
    else:
        assert start().faults == ()
    path.write_text(f"--badges {tmp_path}/badges.toml # ours\n\n--roles {tmp_path}/roles.toml\n")
    good = start()
    assert (good.faults, len(good.badges or ())) == ((), 1)
    good.keep_copies()
    spoil()
    files = start()
    [fault] = files.faults
    assert (files.badges, files.permissions, fault.is_replaced) == (good.badges, good.permissions, True)
    assert fault.error.startswith(f"{path}{':' if message[0].isdigit() else ': '}{message}")
    assert "expected" in fault.error
    [alert] = [alert for alert in _alerts(files, journal) if alert.subject == "options"]
    assert (alert.code, alert.values.reason, alert.clearable_by) == ("file-replaced", fault.error, "technician")
    result = CliRunner().invoke(main, ["check", *unit])
    assert (result.stderr, result.exit_code) == (f"potkeeper: {fault.error}\n", EXIT_BAD_INPUT)
    path.write_text(f'POTKEEPER_OPTIONS="--badges {tmp_path}/badges.toml"\n')
    assert (start().faults, start().badges) == ((), good.badges)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "house.key.pub: No such file or directory, expected the public key of a table"),
        ("zz", "house.key.pub:1: 2 characters, expected 64 hex digits"),
        ("5e" * 32, "badges.toml:5: not signed"),
    ],
)
def test_badges_that_the_key_does_not_prove_authorise_nobody(key: str | None, message: str, tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    if key is not None:
        (tmp_path / "house.key.pub").write_text(key)
    files = read_start_files(replace(options, badges_key=tmp_path / "house.key.pub"), journal)
    [fault] = files.faults
    assert (fault.kind, files.badges, files.access_policy.badge_count) == ("badges", (), 0)
    assert fault.error.startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize("language", languages())
def test_technician_reads_file_line_key_and_expectation_in_each_language(language: str, tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    Journal.create(journal, new_header(CONFIG)).close()
    (tmp_path / "config.toml").write_text("button = 1\n[game]\nblinds = [5, 10]\nunit = 0\n")
    [alert] = [alert for alert in _alerts(read_start_files(options, journal), journal) if alert.subject == "config"]
    messages = Messages(language=language, audience="technician")
    assert "config.toml" in messages.alert_title(alert)
    assert "config.toml:4: game.unit = 0: expected a whole number" in messages.alert_text(alert)


def test_list_of_badges_that_is_missing_authorises_nobody_and_is_not_shown_as_open_access(tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"

    async def has_open_access(files: StartFiles) -> bool:
        service = TableService.open(
            files.config, journal, trays=False, access_policy=files.access_policy, file_faults=files.faults
        )
        try:
            if files.badges is None:
                service.record_observation(observations.BadgeListLoaded(0))
            return service.view.has_open_access
        finally:
            assert service._recorder is not None
            service._recorder.close()

    asyncio.run(has_open_access(read_start_files(ServeOptions(options.config, None, {}), journal)))
    (tmp_path / "badges.toml").unlink()
    assert not asyncio.run(has_open_access(read_start_files(options, journal)))


def test_copies_contain_keys_and_are_for_the_service_alone(tmp_path: Path) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    read_start_files(options, journal).keep_copies()
    folder = tmp_path / "table.journal.last-good"
    assert {path.name for path in folder.iterdir()} == {f"{kind}.toml" for kind in GOOD}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())


def test_layout_copy_is_used_with_the_copied_register_of_chips(tmp_path: Path) -> None:
    from hardware.chip_register import derive_public_key, generate_private_key, sign_text

    options, journal, private = _options(tmp_path), tmp_path / "table.journal", generate_private_key()
    register = b'house = "h"\nnumber = 1\nlisted = { E00401500100A0F1 = 100 }\n'
    (tmp_path / "chips.toml").write_bytes(sign_text(register, private))
    chips = f'[chips]\nregister = "chips.toml"\nregister_key = "{derive_public_key(private)}"\n'
    (tmp_path / "layout.toml").write_text(GOOD_LAYOUT[: GOOD_LAYOUT.index("[chips]")] + chips)
    good = read_start_files(options, journal)
    good.keep_copies()
    (tmp_path / "chips.toml").write_bytes(register)
    files = read_start_files(options, journal)
    assert [(fault.kind, fault.is_replaced) for fault in files.faults] == [("layout", True)]
    assert files.layout == good.layout


@pytest.mark.parametrize(("mode", "is_exposed"), [(0o600, False), (0o640, False), (0o644, True), (0o602, True)])
def test_list_of_badges_that_others_can_read_is_used_with_an_alert(
    tmp_path: Path, mode: int, *, is_exposed: bool
) -> None:
    options, journal = _options(tmp_path), tmp_path / "table.journal"
    (tmp_path / "badges.toml").chmod(mode)
    files = read_start_files(options, journal)
    assert files.badges
    alerts = [alert for alert in _alerts(files, journal) if alert.code == "secret-readable"]
    assert len(alerts) == is_exposed
    if is_exposed:
        line = f"{tmp_path}/badges.toml: other users may read it, expected mode {mode & 0o770:o}"
        assert alerts[0].values.reason == line
        assert (False, f"list of badges {line}") in check_setup(None, options.layout, {}, badges=options.badges)


def test_older_register_copied_into_place_is_replaced_by_the_copy_of_the_last_start(tmp_path: Path) -> None:
    """Copy an older list, in which a revoked chip has a value, over the installed list. Delete its backup too."""
    from hardware.chip_register import derive_public_key, generate_private_key, install_chip_list, sign_text

    options, journal, private = _options(tmp_path), tmp_path / "table.journal", generate_private_key()
    chips = f'[chips]\nregister = "house.chips"\nregister_key = "{derive_public_key(private)}"\n'
    (tmp_path / "layout.toml").write_text(GOOD_LAYOUT[: GOOD_LAYOUT.index("[chips]")] + chips)
    for number, revoked in ((1, ""), (2, 'revoked = ["E00401500100A0F1"]\n')):
        text = f'house = "h"\nnumber = {number}\nlisted = {{ E00401500100A0F1 = 100 }}\n{revoked}'
        (tmp_path / f"{number}.chips").write_bytes(sign_text(text.encode(), private))
        install_chip_list(tmp_path / f"{number}.chips", tmp_path / "house.chips", derive_public_key(private))
    good = read_start_files(options, journal)
    good.keep_copies()
    (tmp_path / "house.chips").write_bytes((tmp_path / "1.chips").read_bytes())
    (tmp_path / "house.chips.before").unlink()
    files = read_start_files(options, journal)
    assert [(fault.kind, fault.is_replaced) for fault in files.faults] == [("layout", True)]
    assert "An older list was copied into its place" in files.faults[0].error
    assert files.layout == good.layout


def test_real_service_starts_with_five_bad_files_and_is_well_after_they_are_mended(tmp_path: Path) -> None:
    files: dict[FileKind, Path] = {kind: tmp_path / f"{kind}.toml" for kind in GOOD}
    good = {**GOOD, "options": f"--badges {files['badges']}\n--roles {files['roles']}\n"}
    files |= {"config": tmp_path / "table.toml", "options": tmp_path / "options"}
    options = [f"--{kind}={files[kind]}" for kind in ("options", "layout")]
    for kind, path in files.items():
        path.write_text(good[kind])
    with service_process(tmp_path, *options) as process:
        process.start()
        wait_until((tmp_path / "journal.db.last-good" / "badges.toml").exists, "the copies are kept")
        process.stop()
        for path in files.values():
            path.write_text("x = [\n")
        files["options"].write_text(good["options"].replace("--badges", "--bages"))
        view = process.start().view()
        assert alert_codes(view).count(("file-replaced", 0)) == len(files)
        assert (view.seats[0].stack, view.has_open_access) == (1000, False)
        process.stop()
        for kind, path in files.items():
            path.write_text(good[kind])
        assert ("file-replaced", 0) not in alert_codes(process.start().view())


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("button", 1),
        ("game.unit", 4),
        ("game.rake.cap", 5),
        ("games.omaha.blinds", 7),
        ("levels[1].minutes", 11),
        ("levels[1].x", 10),
        ("levels[2].minutes", 0),
        ("nothing", 0),
        ("readers[0].antennas.1", 13),
        ("levels", 8),
    ],
)
def test_line_of_a_key(key: str, line: int) -> None:
    text = """button = 1
[game]
# unit = 3
unit = 0
rake = { percent = 5, cap = 4 }
[games.omaha]
"blinds" = [5, 10]
[[levels]]
minutes = 5
[[levels]]
minutes = 5
[[readers]]
antennas.1 = "bet1"
"""
    assert find_line(text, key) == line
