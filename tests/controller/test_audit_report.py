"""`journal audit` writes a signed report about a period, from stored and exported segments."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.integrity import TableKey, make_guard
from controller.journal import Entry, Journal, archive, new_header
from controller.journal import records as records_module
from controller.steps import StepSource, parse_step
from tests.controller.journal_tampering import FLOOR, RECORDS, copy_journal
from tests.controller.test_badge_proofs import anns_decision, proof_of

KEY = "11" * 32
DAY_MS = 86_400_000
FIRST_MS = 1_764_028_800_000
"""2026-11-25 00:00 UTC minus a year, so that the report is about the past: 2025-11-25 00:00 UTC."""
STEPS: list[tuple[str, StepSource, str]] = [
    ("badges 3", "sensor", ""),
    ("dealer Dee", "dealer", "Dee (dealer)"),
    ("hand", "dealer", ""),
    ("3 raise to 60", "dealer", ""),
    ("3 was 40", "dealer", ""),
    ("floor pot 77", "floor", "Ann (floor)"),
    ("undo", "floor", "Ann (floor)"),
    ("records-missed 12", "sensor", ""),
    ("clock-jump back 5000", "sensor", ""),
    ("floor hold", "floor", ""),
    ("restarted", "sensor", ""),
    ("dealer Bob", "dealer", ""),
]
"""Steps of each day, with source and badge."""


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a journal of three days, with a segment for each day. The first segment is exported."""
    path = tmp_path / "t.journal"
    (tmp_path / "table.key").write_text(KEY)
    (tmp_path / "table.key").chmod(0o600)
    (tmp_path / "table.key.pub").write_text(TableKey(KEY).public_key + "\n")
    now_ms = [FIRST_MS]
    monkeypatch.setattr(records_module, "time", SimpleNamespace(time_ns=lambda: now_ms[0] * 1_000_000))
    with closing(Journal.create(path, new_header("{}"), guard=make_guard(path, TableKey(KEY)))) as journal:
        for day in range(3):
            for number, (do, source, badge) in enumerate(STEPS):
                now_ms[0] = FIRST_MS + day * DAY_MS + number * 60_000
                journal.append([Entry(now_ms[0] * 1000, parse_step(do), source, badge)])
            if day < 2:
                journal.rotate(b"")
    [first, _] = archive.closed_segments(path)
    archive._export_segment(first)
    first.chmod(0o600)
    first.unlink()
    return path


def run_audit(journal: Path, *options: str) -> Result:
    words = ["journal", "audit", str(journal), "--key", str(journal.with_name("table.key"))]
    return CliRunner().invoke(main, [*words, "--out", str(journal.with_name("report.txt")), *options])


def sections_of(journal: Path) -> dict[str, list[str]]:
    """Return the lines of each section of the report, by its title."""
    sections: dict[str, list[str]] = {}
    title = ""
    for line in journal.with_name("report.txt").read_text().splitlines():
        if line.startswith("  "):
            sections[title].append(line.strip())
        elif line:
            title = line.rsplit(":", 1)[0]
            sections[title] = []
    return sections


@pytest.mark.parametrize("day", [1, 2, 3])
def test_report_has_everything_of_the_period_and_nothing_else(journal: Path, day: int) -> None:
    result = run_audit(journal, "--from", f"2025-11-{24 + day}", "--to", f"2025-11-{25 + day}")
    assert result.exit_code == 1  # The journal has open findings.
    text = journal.with_name("report.txt").read_text()
    assert f"records: {len(STEPS)} of {3 * len(STEPS)}, hands: 1\n" in text
    sections = sections_of(journal)
    first = (day - 1) * len(STEPS)

    def line(number: int) -> str:
        do, source, badge = STEPS[number - 1]
        proof = f"  [{badge}]" if badge else "  [without a badge]" if source == "floor" else ""
        return f"2025-11-{24 + day}T00:{number - 1:02}:00Z  {day}:{first + number}  {source}: {do}{proof}"

    assert sections["dealers"] == [line(2), line(12) + "  [without a badge]"]
    assert sections["decisions of the floor"] == [line(6), line(7), line(10)]
    assert sections["corrections"] == [line(5), line(7)]
    assert sections["gaps and exceptions"] == [line(1), line(8), line(9), line(11)]
    [program] = sections["segments and programs"]
    assert f"segment {day}, begun " in program and ", program " in program and ", build " in program
    recorded = sections["recorded findings of the whole journal"]
    assert len(recorded) == 6 and "1:10: a decision of the floor without a badge (open)" in recorded


def test_report_is_signed_by_the_table(journal: Path) -> None:
    run_audit(journal, "--from", "2025-11-24T23:00", "--to", "2025-11-25T01:00+01:00")
    report = journal.with_name("report.txt")
    assert "records: 0 of 36" in report.read_text()
    words = ["journal", "check-report", str(report), "--key", str(journal.with_name("table.key.pub"))]
    assert CliRunner().invoke(main, words).exit_code == 0
    report.write_text(report.read_text().replace("records: 0", "records: 1"))
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, "altered or signed with another key" in result.output) == (2, True)


def test_report_names_a_missing_export(journal: Path) -> None:
    [export] = archive.exported_segments(journal)
    export.unlink()
    assert run_audit(journal, "--from", "2025-11-25", "--to", "2025-11-26").exit_code == 1
    assert (
        "1:0: not checked: segment 1, which is not in the archive, and not exported (open)"
        in (sections_of(journal)["recorded findings of the whole journal"])
    )


DEE: list[Entry] = [Entry(RECORDS + 3, parse_step("dealer Dee"), "dealer")]
FORGED: list[Entry] = [Entry(RECORDS + 3, parse_step("floor pot 77777"), "floor", FLOOR.label)]


@pytest.mark.parametrize(
    ("added", "findings"),
    [
        ([], []),
        (FORGED, ["(badge-forged): record 33 names Ann (floor)"]),
        (DEE, ["1:33: Dee became the dealer without a badge (open)"]),
    ],
    ids=["proven", "forged", "dealer without the badge"],
)
def test_report_compares_decisions_and_dealers_with_the_list_of_badges(
    tmp_path: Path, added: list[Entry], findings: list[str]
) -> None:
    book = copy_journal(tmp_path)
    guard = book.guard()
    with closing(Journal.open(book.path, guard=guard)[0]) as journal:
        journal.append([Entry(RECORDS + 1, parse_step("badges 2"), "sensor")])
        number = RECORDS + 2
        journal.append([anns_decision(proof_of(guard, at_us=number), at_us=number, number=number)])
        if added:
            journal.append(added)
    (tmp_path / "table.key").write_text(KEY)
    (tmp_path / "table.key").chmod(0o600)
    badges = tmp_path / "badges.toml"
    badges.write_text(
        f'[[badges]]\nuid = "{FLOOR.uid}"\nname = "Ann"\nrole = "floor"\nkey = "{FLOOR.key}"\n'
        f'[[badges]]\nuid = "04B0B0B0"\nname = "Dee"\nrole = "dealer"\nkey = "{FLOOR.key[2:]}0d"\n'
    )
    badges.chmod(0o600)
    period = ("--from", "2000-01-01", "--to", "2100-01-01")
    assert run_audit(book.path, *period).exit_code == 0, "only the list of badges shows the finding"
    assert run_audit(book.path, *period, "--badges", str(badges)).exit_code == len(findings)
    sections = sections_of(book.path)
    verification = sections["verification of the whole journal"]
    lines = [line for line in verification if "badge" in line] + sections["recorded findings of the whole journal"]
    assert len(lines) == len(findings) and all(map(str.__contains__, lines, findings)), lines
    assert any(line.endswith("1:32  floor: floor pot 7  [Ann (floor)]") for line in sections["decisions of the floor"])


@pytest.mark.parametrize(
    ("first", "end", "problem"),
    [
        ("yesterday", "2025-11-26", "--from yesterday: expected a time such as"),
        ("2025-11-26", "2025-11-26", "--to 2025-11-26: expected a time after --from"),
    ],
)
def test_invalid_period_is_one_error_line(journal: Path, first: str, end: str, problem: str) -> None:
    result = run_audit(journal, "--from", first, "--to", end)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert problem in result.output


def test_time_of_older_records_is_computed_from_the_start_of_their_segment(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.journal"
    monkeypatch.setattr(records_module, "time", SimpleNamespace(time_ns=lambda: 0))  # as if no time were recorded
    header = msgspec.structs.replace(new_header("{}"), created_at="2025-11-25T10:00:00.000+00:00")
    with closing(Journal.create(path, header, guard=make_guard(path, TableKey(KEY)))) as old:
        old.append([Entry(5_000_000, parse_step("hand"), "dealer"), Entry(65_000_000, parse_step("undo"), "dealer")])
    (tmp_path / "table.key").touch()
    run_audit(path, "--from", "2025-11-25", "--to", "2025-11-26")
    assert sections_of(path)["corrections"] == ["2025-11-25T10:01:00Z~  1:2  dealer: undo"]
