"""The commands `potkeeper journal …`: read, verify and repair journals, and create the key that signs them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.error_exit import EXIT_CHECK_FAILED, exit_on_bad_input
from hardware.text_input_validation import BadInputError, to_one_line

if TYPE_CHECKING:
    from controller.integrity import JournalGuard, SentHead
    from controller.journal import AuditReport, Entry, JournalError, Segment

MAX_REPORT_BYTES: Final = 100_000_000
"""Maximum bytes of a report that is checked."""
FOLLOW_INTERVAL_S: Final = 0.5
"""Time in seconds between two looks at a followed journal. One look takes a few milliseconds."""
_FILE: Final = click.Path(path_type=Path)
"""Click's type for arguments and options that are paths."""


def _follow_link(_context: click.Context, _parameter: click.Parameter, path: Path) -> Path:
    """Return the path of a journal, or the path of the file if the path is a symbolic link."""
    from controller.journal import follow_link

    return follow_link(path)


_JOURNAL: Final = click.argument("file", type=_FILE, callback=_follow_link)
"""Argument of a command with the path of a journal. The archive is next to the file, not next to a link to it."""


@click.group("journal")
def journal_group() -> None:
    """Read, verify, begin and restore journals."""


@journal_group.command("key")
@click.argument("file", type=_FILE)
def key(file: Path) -> None:
    """Create the table's private key in FILE.

    The public key is written to FILE.pub and printed.
    """
    from controller.integrity import create_key_file

    with exit_on_bad_input():
        click.echo(create_key_file(file))


@journal_group.command("verify")
@_JOURNAL
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key of the table, now or earlier.")
@click.option("--high-water", "far_mark", type=_FILE, help="High-water mark on another device.")
@click.option("--heads", "head_log", type=_FILE, help="Another log of signed heads that have left the table.")
@click.option("--badges", "badges_file", type=_FILE, help="List of badges, to check the decisions of the floor.")
@click.option("--accept", "accepted", multiple=True, metavar="NUMBER", help="Accept a finding that a record names.")
def verify(
    file: Path,
    keys: tuple[Path, ...],
    far_mark: Path | None,
    head_log: Path | None,
    badges_file: Path | None,
    accepted: tuple[str, ...],
) -> None:
    """Verify the records, signatures, high-water marks, heads and badges.

    Each alteration is printed as one line, and so is each record about lost or altered records. The exit code is 1 if
    there is such a line, and 2 if the file is not a journal.

    --accept NUMBER adds a record that an auditor has accepted what record NUMBER says. SEGMENT:NUMBER names a record of
    an earlier journal, head-SEGMENT:FIRST-LAST-HASH names heads that no longer fit, and FIRST-LAST:0 missing segments.
    Stop the service first. If the table has a key, --key must name the private key.
    """
    from controller.integrity import local_mark_path, read_public_key
    from controller.journal import audit_journal
    from hardware.badges import load_badges

    with exit_on_bad_input():
        public_keys = [read_public_key(path) for path in keys]
        if far_mark is not None and not far_mark.exists():
            raise BadInputError(f"{far_mark}: no such file, expected a file with a high-water mark")
        marks = [path for path in (local_mark_path(file), far_mark) if path is not None and path.exists()]
        badges = load_badges(badges_file) if badges_file is not None else None
        heads, bad_head_lines = _read_heads(head_log, far_mark)
        report = audit_journal(file, public_keys, marks, badges, sent_heads=heads)
        if accepted:
            _accept_findings(file, keys, far_mark, report, accepted)
            report = audit_journal(file, public_keys, marks, badges, sent_heads=heads)
    _print_findings(report)
    _print_explanations(report)
    open_lines = [*bad_head_lines, *_open_lines(file, report)]
    for line in open_lines:
        print(f"potkeeper: {line}", file=sys.stderr)
    for finding in report.recorded:
        if finding.accepted_by:
            click.echo(f"accepted in {finding.accepted_by}: {finding.name}: {finding.problem}")
    if report.findings:
        sys.exit(EXIT_CHECK_FAILED)
    found_marks = [mark for mark in marks if _has_mark(mark)]
    for line in _summary_lines(
        report, signed=bool(public_keys), found_marks=found_marks, far_mark=far_mark, badges=badges_file is not None
    ):
        click.echo(line)
    if heads:
        click.echo(f"{len(heads)} heads that have left the table, all in the journal")
    elif head_log is not None:
        click.echo(f"not checked: heads, because {head_log} is empty. Changes with the table's key would not be found.")
    if open_lines:
        sys.exit(EXIT_CHECK_FAILED)


def _read_heads(head_log: Path | None, far_mark: Path | None) -> tuple[list[SentHead], list[str]]:
    """Return the heads in a log of heads and in the log beside a mark, and a line about each line that is not a head.

    A mark of an earlier version of the program has no log beside it.
    """
    from controller.integrity import head_log_path, read_sent_heads

    logs = [head_log] if head_log is not None else []
    if far_mark is not None and head_log_path(far_mark).exists():
        logs.append(head_log_path(far_mark))
    heads: list[SentHead] = []
    problems: list[str] = []
    for log in logs:
        log_heads, bad_lines = read_sent_heads(log)
        heads += log_heads
        problems += [f"{log}:{number}: not a head, expected a line as the table has sent it" for number in bad_lines]
    return heads, problems


def _open_lines(file: Path, report: AuditReport) -> Iterator[str]:
    """Yield a line for each recorded finding that no auditor has accepted, and for steps that are in no record."""
    for finding in report.recorded:
        if not finding.accepted_by:
            place = f"segment {finding.segment}, record {finding.number}: " if finding.number else ""
            yield f"journal {file}: {place}{finding.problem}. To accept it: --accept {finding.name}"
    if report.unrecorded_steps:
        yield f"journal {file}: {report.unrecorded_steps} steps after the last record are in no record"


def _accept_findings(
    file: Path, keys: tuple[Path, ...], far_mark: Path | None, report: AuditReport, accepted: tuple[str, ...]
) -> None:
    """Add a record for each finding that an auditor accepts. Raises JournalError or BadInputError."""
    from controller.integrity import PUBLIC_KEY_SUFFIX, read_public_key
    from controller.journal import Journal, Segment, accept_finding, find_by_name

    findings = [find_by_name(report.recorded, name) for name in accepted]
    private_key = next((key for key in keys if key.suffix != PUBLIC_KEY_SUFFIX), None)
    with closing(Segment.open_read_only(file)) as segment:
        if segment.signature() and private_key is None:
            raise BadInputError(f"journal {file}: signed, expected --key with the private key of the table")
    guard = _guard(file, private_key, far_mark)
    alterations = _unrecorded_alterations(file, [read_public_key(key) for key in keys], guard)
    with closing(Journal.open(file, guard=guard, defers_marks=True)[0]) as running_segment:
        acceptances = [accept_finding(running_segment, finding) for finding in findings]
        running_segment.append(
            [*(alteration._replace(at_us=acceptances[0].at_us) for alteration in alterations), *acceptances]
        )


def _unrecorded_alterations(file: Path, keys: Sequence[str], guard: JournalGuard) -> list[Entry]:
    """Return an entry for each alteration of the running segment.

    Whoever adds a record to the journal must add these too, because the signature and the mark of that record cover the
    altered records.
    """
    from controller.journal import Entry, audit_journal
    from controller.steps import observations

    report = audit_journal(file, keys, [mark.path for mark in guard.marks], all_segments=False)
    return [
        Entry(0, observations.JournalAltered(kind), "sensor")
        for kind in dict.fromkeys(finding.kind for finding in report.findings)
    ]


def _has_mark(mark: Path) -> bool:
    """Return True if the file contains a high-water mark, that is the number of the journal's last record."""
    from controller.integrity import read_mark

    return read_mark(mark) is not None


def _has_content(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def _summary_lines(
    report: AuditReport, *, signed: bool, found_marks: list[Path], far_mark: Path | None, badges: bool
) -> Iterator[str]:
    """Yield the lines to print if no alteration was found. The lines also name the proofs that were not available."""
    from controller.integrity import head_log_path

    several = f" in {report.segments} segments" if report.segments > 1 else ""
    yield f"{report.records} records{several}, all as they were written"
    if report.exported_segments:
        yield f"{report.exported_records} records in {report.exported_segments} exported segments, all as exported"
    if not signed:
        yield "not checked: the signatures, because --key is missing. Records with new hashes would not be found."
    if not found_marks:
        reason = "no high-water mark exists" if far_mark is None else f"{far_mark} is empty"
        yield f"not checked: whether later records are missing, because {reason}. An older copy would not be found."
    elif far_mark not in found_marks:
        reason = "--high-water is missing" if far_mark is None else f"{far_mark} is empty"
        yield (
            f"not checked: a high-water mark on another device, because {reason}. "
            "An older copy of the whole folder would not be found."
        )
    elif far_mark is not None and not _has_content(log := head_log_path(far_mark)):
        yield f"not checked: earlier heads, because {log} is {'empty' if log.exists() else 'missing'}"
    if not badges:
        yield "not checked: decisions of the floor, because --badges is missing. A forged badge would not be found."


@journal_group.command("audit")
@_JOURNAL
@click.option("--from", "first", required=True, metavar="TIME", help="Start, such as 2026-11-25 or 2026-11-25T18:00.")
@click.option("--to", "end", required=True, metavar="TIME", help="End, which is not included.")
@click.option("--key", "key_file", required=True, type=_FILE, help="Private key of the table, which signs the report.")
@click.option("--badges", "badges_file", type=_FILE, help="List of badges, to check the decisions of the floor.")
@click.option("--high-water", "far_mark", type=_FILE, help="High-water mark on another device.")
@click.option("--heads", "head_log", type=_FILE, help="Log of signed heads that have left the table.")
@click.option("--out", required=True, type=_FILE, help="File for the report.")
def audit(
    file: Path,
    first: str,
    end: str,
    key_file: Path,
    badges_file: Path | None,
    far_mark: Path | None,
    head_log: Path | None,
    out: Path,
) -> None:
    """Write a signed report about a period.

    The report says who dealt, what the floor decided, what was corrected, and which records are missing. Times are UTC
    unless they have an offset, such as 2026-11-25T18:00+01:00. The exit code is 1 if the journal has findings.
    """
    from controller.integrity import local_mark_path, read_key
    from controller.journal import Period, audit_journal, build_audit_report
    from hardware.badges import load_badges
    from hardware.chip_register import sign_text

    with exit_on_bad_input():
        period = Period(_parse_time(first, "--from"), _parse_time(end, "--to"))
        if period.first_ms >= period.end_ms:
            raise BadInputError(f"--to {end}: expected a time after --from {first}")
        public_key = read_key(key_file).public_key
        marks = [path for path in (local_mark_path(file), far_mark) if path is not None and path.exists()]
        badges = load_badges(badges_file) if badges_file is not None else None
        heads, bad_head_lines = _read_heads(head_log, far_mark)
        report = audit_journal(file, [public_key], marks, badges, sent_heads=heads)
        found_marks = [mark for mark in marks if _has_mark(mark)]
        proofs = (
            []
            if report.findings
            else list(
                _summary_lines(
                    report, signed=True, found_marks=found_marks, far_mark=far_mark, badges=badges is not None
                )
            )
        )
        text = "\n".join(build_audit_report(file, period, report, [*bad_head_lines, *proofs])) + "\n"
        try:
            out.write_bytes(sign_text(text.encode(), key_file.read_text().strip()))
        except OSError as error:
            raise BadInputError(f"{out}: {error.strerror}, expected a file that can be written") from None
    # A head that does not fit is also in `report.findings`.
    open_count = sum(not finding.accepted_by and not finding.is_about_heads for finding in report.recorded)
    open_count += len(report.findings) + len(bad_head_lines)
    click.echo(f"{out}: signed with {public_key[:8]}…, {open_count} open findings")
    if open_count:
        sys.exit(EXIT_CHECK_FAILED)


@journal_group.command("check-report")
@click.argument("report", type=_FILE)
@click.option("--key", "key_file", required=True, type=_FILE, help="Public key of the table.")
def check_report(report: Path, key_file: Path) -> None:
    """Check the signature of a report that `journal audit` has written."""
    from controller.integrity import read_public_key
    from hardware.chip_register import verify_text
    from hardware.text_input_validation import read_file

    with exit_on_bad_input():
        try:
            data = read_file(report, MAX_REPORT_BYTES)
        except OSError as error:
            raise BadInputError(f"{report}: {error.strerror}, expected a report") from None
        verify_text(data, read_public_key(key_file), str(report), "potkeeper journal audit")
    click.echo(f"{report}: as the table has signed it")


def _parse_time(text: str, option: str) -> int:
    """Return a time in ms since 1970. Raises BadInputError."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise BadInputError(f"{option} {text}: expected a time such as 2026-11-25 or 2026-11-25T18:00") from None
    return round((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp() * 1000)


@journal_group.command("export")
@_JOURNAL
def export(file: Path) -> None:
    """Print the records as JSON lines.

    If the journal is damaged, only the records with a valid hash are printed, and one line names the missing records.
    The exit code is then 1. The exit code is 2 if the file is not a journal.
    """
    from controller import journal

    with exit_on_bad_input():
        for line in journal.export_jsonl(file):
            click.echo(line)


@journal_group.command("show")
@_JOURNAL
@click.option("--follow", is_flag=True, help="Print the running segment, and then each new record until Ctrl-C.")
def show(file: Path, follow: bool) -> None:
    """Print the records as readable lines.

    If the journal is damaged, only the records with a valid hash are printed, with a line in each place where records
    are missing. The exit code is then 1. The exit code is 2 if the file is not a journal.

    With --follow, the archive is left out. The command continues with the next segment, and after a salvage.
    """
    from controller import journal

    with exit_on_bad_input():
        if not follow:
            for line in journal.show_text(file):
                click.echo(line)
            return
        with suppress(KeyboardInterrupt):
            for line in journal.follow_text(file, _FollowWait()):
                click.echo(line)


class _FollowWait:
    """Waits before each further look at a followed journal, and prints each new problem once."""

    def __init__(self) -> None:
        self._problem = ""

    def __call__(self, error: JournalError | None) -> None:
        problem = str(error) if error is not None else ""
        if problem and problem != self._problem:
            print(f"potkeeper: {problem}", file=sys.stderr)
        self._problem = problem
        time.sleep(FOLLOW_INTERVAL_S)


@journal_group.command("replay")
@_JOURNAL
def replay(file: Path) -> None:
    """Replay the running segment, and print the first hand that this program interprets differently.

    The journal is not changed. The exit code is 1 if there is such a hand, and 2 if this program cannot read the
    journal.
    """
    from controller.config import parse_config
    from controller.journal import Segment
    from controller.live import Live, TableSetup
    from controller.service import replay_segment

    with exit_on_bad_input(), closing(Segment.open_read_only(file)) as segment:
        header = segment.read_header()
        result = replay_segment(segment, Live(TableSetup(), parse_config(header.config).table))
        count = segment.last_number - header.previous_number
    if result.difference:
        click.echo(result.difference)
        sys.exit(EXIT_CHECK_FAILED)
    click.echo(f"{count} records of segment {header.segment}, all with the result that was recorded")


@journal_group.command("begin")
@_JOURNAL
@click.option("--config", required=True, type=_FILE, help="Configuration of the table, as for `serve`.")
@click.option("--key", "key_file", type=_FILE, help="File with the private key of the table, as for `serve`.")
@click.option("--high-water", "far_mark", type=_FILE, help="High-water mark on another device, as for `serve`.")
def begin(file: Path, config: Path, key_file: Path | None, far_mark: Path | None) -> None:
    """Begin a new journal with another configuration.

    The old journal in FILE is moved to its archive. The service must be stopped.
    """
    from controller.config import load_config
    from controller.journal import Journal, audit_journal

    with exit_on_bad_input():
        text = load_config(config).text
        guard = _guard(file, key_file, far_mark)
        _print_findings(audit_journal(file, guard.public_keys, [mark.path for mark in guard.marks]))
        alterations = _unrecorded_alterations(file, guard.public_keys, guard)
        with closing(Journal.open(file, guard=guard, defers_marks=True)[0]) as new_journal:
            new_journal.rotate(b"", "configuration", config=text, first_entries=alterations)
            click.echo(f"journal {new_journal.journal_name} continues {new_journal.header.parent_journal}")


@journal_group.command("restore")
@click.argument("copy", type=_FILE, callback=_follow_link)
@_JOURNAL
@click.option("--key", "key_file", type=_FILE, help="File with the private key of the table, as for `serve`.")
@click.option("--high-water", "far_mark", type=_FILE, help="High-water mark on another device, as for `serve`.")
def restore(copy: Path, file: Path, key_file: Path | None, far_mark: Path | None) -> None:
    """Begin a new journal with the state of a backup copy.

    COPY is a copied journal with its archive, or one segment of an archive. If only the archive was copied, COPY is its
    path without `.archive`. FILE is the new journal, which must not exist yet. The segments of the copy are put into
    the archive of FILE. If a high-water mark names later records than the copy has, the new journal records this loss.
    The service must be stopped.
    """
    from controller.config import parse_config
    from controller.journal import (
        Entry,
        Journal,
        JournalError,
        Segment,
        import_segments,
        is_closed,
        new_header,
        segment_paths_of_copy,
    )
    from controller.live import Live, TableSetup
    from controller.service import full_snapshot, replay_segment
    from controller.steps import observations

    with exit_on_bad_input():
        guard = _guard(file, key_file, far_mark)
        if file.exists():
            raise JournalError(f"journal {file}: {file.name} exists, expected a path without a file")
        *_, last_segment = segment_files = segment_paths_of_copy(copy)
        _print_findings(_audit_copy(copy, last_segment, guard.public_keys))
        with closing(Segment.open_read_only(last_segment, closed=is_closed(last_segment))) as segment:
            segment.verify()
            config = segment.read_header().config
            replay = replay_segment(segment, Live(TableSetup(), parse_config(config).table))
            if replay.difference:
                print(f"potkeeper: {copy}: {replay.difference}. The recorded state is restored.", file=sys.stderr)
            header = new_header(config, parent_journal=segment.journal_name, origin="restore")
            loss = Entry(0, observations.JournalAltered("older-copy"), "sensor")
            lost = [loss] if _is_older_copy(segment, guard) else []
        count = import_segments(segment_files, file)
        state = full_snapshot(replay.live)
        with closing(Journal.create(file, header, state, guard=guard, first_entries=lost)) as new_journal:
            parent = new_journal.header.parent_journal
            click.echo(f"journal {new_journal.journal_name} continues {parent}, earlier segments: {count}")


def _is_older_copy(segment: Segment, guard: JournalGuard) -> bool:
    """Return True if a high-water mark names a later record than the last one of a copied segment."""
    noted, last = guard.noted_head(), segment.chain_head()
    return noted is not None and (
        noted.journal != last.journal or (noted.segment, noted.number) > (last.segment, last.number)
    )


def _audit_copy(copy: Path, last_segment: Path, keys: tuple[str, ...]) -> AuditReport:
    """Audit a backup copy from which a journal will be restored, and return the report of the audit."""
    from controller.journal import audit_closed_segment, audit_journal

    if last_segment == copy and copy.parent.suffix != ".archive":
        return audit_journal(copy, keys)
    if last_segment != copy:
        print(f"potkeeper: {copy}: no such file, restored to the end of {last_segment.name}", file=sys.stderr)
    return audit_closed_segment(last_segment, keys)


def _print_findings(report: AuditReport) -> None:
    """Print one line for each alteration of the journal."""
    for _, line in report.findings:
        print(f"potkeeper: {to_one_line(line)}", file=sys.stderr)


def _print_explanations(report: AuditReport) -> None:
    """Print what each kind of alteration in the report means, and what to do."""
    for name, meaning, advice in dict.fromkeys(finding.explanation for finding in report.findings):
        print(f"{name}: {meaning} {advice}", file=sys.stderr)


def _guard(file: Path, key_file: Path | None, far_mark: Path | None) -> JournalGuard:
    """Return the guard of a journal: an object that signs and checks the journal.

    The guard uses the table's key and the high-water marks, as the service does.
    """
    from controller.integrity import make_guard, read_key

    return make_guard(file, read_key(key_file) if key_file is not None else None, far_mark)
