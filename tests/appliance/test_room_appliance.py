"""The room and a table with an uplink on a real Debian with a real systemd.

Both are in one container, which has no network after the installation. The tests run in the order of this file.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.appliance.container import INSTALL_DEADLINE_S, ROOT, TECHNICIAN, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError
from tests.service.service_process import command_view

RELEASES = {"debian-12": "bookworm", "debian-13": "trixie"}
PROGRAM = "/opt/potkeeper-room/current/bin/potkeeper"
JOURNAL = "/var/lib/potkeeper/table.journal"
KEY = "/etc/potkeeper/journal.key"
TABLE = "Table 4"
TABLES_FILE = "/var/lib/potkeeper-room/tables.toml"
COPY = "/var/lib/potkeeper-room/copy"
AS_ROOM = ("runuser", "-u", "potkeeper-room", "--")
INSTALL_RSYSLOG = ("apt-get", "-qq", "-y", "--no-install-recommends", "install", "rsyslog")
README = ROOT / "controller" / "room" / "README.md"
MONITORING = ROOT / "hardware" / "deploy" / "monitoring"
WEB_CERTIFICATE = "/var/lib/potkeeper-web/certificate.pem"
LOG = "/var/log/potkeeper-tables.log"
IN_UPLINK = (
    *("setpriv", "--reuid=potkeeper-uplink", "--regid=potkeeper-uplink"),
    "--groups=potkeeper,potkeeper-view",
)
"""Start of a command with the user and the groups of the uplink's unit."""
KEY_OF_THE_TABLE = f"""
set -eu
install -d /etc/potkeeper
{PROGRAM} journal key {KEY}
install -m 644 {KEY}.pub /tmp/table-4.key.pub
"""
FETCH_FILES = "cp /etc/potkeeper-room/room.pem .. && mv table-4.token .."
FOLLOW_ROOM = """
import json, socket
with socket.socket(socket.AF_UNIX) as client:
    client.connect("/run/potkeeper-room/room.sock")
    lines = client.makefile()
    next(lines)
    print(next(lines))
"""
"""Program that prints the state of the first table of the room."""
AS_PIT = ("setpriv", "--reuid=potkeeper-pit", "--regid=potkeeper-pit", "--groups=potkeeper-room")
"""Start of a command with the user and the groups of the pit page's unit."""
ASK_PIT_PAGE = """
import ssl, urllib.request
context = ssl.create_default_context(cafile="/var/lib/potkeeper-pit/certificate.pem")
context.check_hostname = False
print(urllib.request.urlopen("https://127.0.0.1:8445/sign-in", context=context).status)
"""
ASK_FOR_MEASUREMENTS = """
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile="/var/lib/potkeeper-web/certificate.pem")
context.check_hostname = False
token = open("/var/lib/potkeeper-web/metrics.token").read().strip()
request = urllib.request.Request("https://127.0.0.1:8443/metrics", headers={"Authorization": f"Bearer {token}"})
print(urllib.request.urlopen(request, context=context).read().decode())
"""


class RoomMachine:
    """Container with a room and a table."""

    def __init__(self, container: Container, installations: list[subprocess.CompletedProcess[str]]) -> None:
        self.container = container
        self.installations = installations

    def room(self, *arguments: str, check: bool = True) -> str:
        """Return the output of a command of the room, as the user of the room."""
        return self.container.output(*AS_ROOM, PROGRAM, "room", *arguments, check=check)

    def query(self, statement: str) -> str:
        """Return the result of a query in the database of the room."""
        command = ("psql", "--no-psqlrc", "--tuples-only", "--no-align", "potkeeper_room", "-c", statement)
        return self.container.output(*AS_ROOM, "env", "--chdir=/", *command)

    def stored_head(self) -> str:
        """Return the segment and the number of the last record that the room has."""
        return self.query("SELECT segment || ' ' || last_number FROM span ORDER BY id DESC LIMIT 1")

    def written_head(self) -> str:
        """Return the segment and the number of the last record of the journal."""
        code = (
            "import sys; from controller.journal import JournalFollower as F; from pathlib import Path\n"
            "f = F(Path(sys.argv[1]))\nwhile f.read(): pass\nprint(f.position.segment, f.position.number)"
        )
        return self.container.output("/opt/potkeeper/venv/bin/python", "-c", code, JOURNAL)

    def until_stored(self) -> None:
        """Wait until the room has every record of the table."""
        self.container.until(lambda: self.stored_head() == self.written_head(), "the room has all records")


def documented_commands() -> list[str]:
    """Return the commands of the README that install a room, add a table, and install an uplink."""
    section = README.read_text().partition("\n## Set it up\n")[2].partition("\n### By hand\n")[0]
    commands = re.findall(r"^ *```\n *(.*)\n *```$", section, re.MULTILINE)
    assert len(commands) == 3
    return [command.replace("ADDRESS", "127.0.0.1") for command in commands]


@pytest.fixture(scope="module", params=RELEASES)
def machine(request: pytest.FixtureRequest) -> Iterator[RoomMachine]:
    """Yield a container in which the room and the table are installed and run."""
    if reason := why_no_container():
        pytest.skip(reason)
    try:
        container = Container(RELEASES[request.param])
    except NotAvailableError as error:
        pytest.skip(f"{request.param} cannot be fetched: {error}")
    try:
        container.boot(has_network=True)
        container.copy_program()
        install_room, add_table, install_uplink = documented_commands()
        # A container has no udev, so that the installers must not start anything.
        installations = [container.as_technician(f"{install_room} --no-start")]
        if installations[0].returncode == 0:
            container.run("sh", "-c", KEY_OF_THE_TABLE)
            installations.append(container.as_technician(f"{add_table} && {FETCH_FILES}"))
            installations.append(container.as_technician(f"{install_uplink} --no-screen --web --no-start"))
        container.run(*INSTALL_RSYSLOG, deadline_s=INSTALL_DEADLINE_S)
        container.shut_down()
        container.boot(has_network=False)
        yield RoomMachine(container, installations)
    finally:
        container.remove()


@pytest.mark.soak
def test_room_and_uplink_are_installed_by_a_sudo_user(machine: RoomMachine) -> None:
    for result in machine.installations:
        assert result.returncode == 0, result.stdout + result.stderr
    assert len(machine.installations) == 3
    assert machine.query("SHOW data_checksums") == "on"
    modes = machine.container.output(
        "stat", "--format=%U %G %a", "/etc/potkeeper/uplink", "/etc/potkeeper/uplink/token"
    )
    assert modes.splitlines() == ["root potkeeper-uplink 750", "root potkeeper-uplink 640"]
    units = ("potkeeper-room", "potkeeper-room-derive", "potkeeper-pit", "potkeeper", "potkeeper-uplink")
    machine.container.run("systemctl", "enable", "--now", *units)
    for unit in units:
        machine.container.until(lambda: is_active(machine, unit), unit)  # noqa: B023


def is_active(machine: RoomMachine, unit: str) -> bool:
    return machine.container.property(unit, "ActiveState") == "active"


@pytest.mark.soak
def test_records_of_the_table_reach_the_room_and_can_be_copied(machine: RoomMachine) -> None:
    container, link = machine.container, machine.container.link()
    for seat in (1, 2, 3):
        command_view(link, f"{seat} sit 500")
    command_view(link, "hand")
    machine.until_stored()
    machine.room("copy", TABLE, COPY, "--tables", TABLES_FILE)
    assert machine.room("alerts") == ""
    container.run("rm", "-r", COPY)
    for unit in ("potkeeper-room", "potkeeper-uplink", "potkeeper"):
        assert container.property(unit, "NRestarts") == "0", container.log(unit)


@pytest.mark.soak
def test_table_is_live_in_the_room_and_its_calls_are_derived(machine: RoomMachine) -> None:
    container = machine.container

    def state() -> dict[str, object]:
        line: dict[str, object] = json.loads(
            container.output(*AS_PIT, "python3", "-c", FOLLOW_ROOM, check=False) or "{}"
        )
        return line

    container.until(lambda: state().get("connected") and state().get("recorded"), "the room shows the table")
    container.until(lambda: container.output("python3", "-c", ASK_PIT_PAGE, check=False) == "200", "the pit page")
    command_view(container.link(), "call-floor fill")
    command_view(container.link(), "floor-came")
    container.until(lambda: machine.query("SELECT why FROM derived.call") == "fill", "the call is derived")
    for unit in ("potkeeper-room-derive", "potkeeper-pit"):
        assert container.property(unit, "NRestarts") == "0", container.log(unit)


@pytest.mark.soak
def test_uplink_may_read_the_journal_and_neither_write_it_nor_read_a_key(machine: RoomMachine) -> None:
    trials = (("-r", JOURNAL), ("-r", f"{JOURNAL}-shm"), ("-w", JOURNAL), ("-w", "/var/lib/potkeeper"), ("-r", KEY))

    def outcomes(*user: str) -> list[bool]:
        return [machine.container.run(*user, "test", *trial, check=False).returncode == 0 for trial in trials]

    assert outcomes(*IN_UPLINK) == [True, True, False, False, False]
    # The groups belong to the unit, and not to the user.
    plain = ("setpriv", "--regid=potkeeper-uplink", "--init-groups", "--reuid=potkeeper-uplink")
    assert outcomes(*plain) == [False] * len(trials)
    assert outcomes("setpriv", f"--regid={TECHNICIAN}", "--init-groups", f"--reuid={TECHNICIAN}") == [False] * len(
        trials
    )
    uplink = machine.container.property("potkeeper-uplink", "MainPID")
    assert machine.container.output("ls", f"/proc/{uplink}/root/etc/potkeeper") == "uplink", "its unit hides the others"


@pytest.mark.soak
def test_table_plays_without_its_uplink_and_the_room_gets_everything_later(machine: RoomMachine) -> None:
    container, link = machine.container, machine.container.link()
    container.run("systemctl", "kill", "--signal=STOP", "potkeeper-uplink")
    command_view(link, "void")
    command_view(link, "hand")
    assert link.view().is_recorded
    container.run("systemctl", "kill", "--signal=KILL", "potkeeper-uplink", "potkeeper-room", "postgresql@*-main")
    command_view(link, "void")
    assert link.view().is_recorded
    container.run("systemctl", "start", "postgresql@*-main", "--all", check=False)
    container.run("systemctl", "restart", "postgresql")
    machine.until_stored()
    assert machine.room("alerts") == ""


@pytest.mark.soak
def test_last_records_before_a_stop_of_the_service_reach_the_room(machine: RoomMachine) -> None:
    container, link = machine.container, machine.container.link()
    command_view(link, "hand")
    container.hang_up()
    container.run("systemctl", "stop", "potkeeper")
    head = machine.written_head()
    container.until(lambda: machine.stored_head() == head, "the room has the last record")
    container.run("systemctl", "start", "potkeeper")


@pytest.mark.soak
def test_alert_reaches_the_log_of_the_house_with_its_fields(machine: RoomMachine) -> None:
    """Let one rsyslogd be that of the table and that of the house."""
    container = machine.container
    for name in ("rsyslog-house.conf", "rsyslog-table.conf"):
        text = (MONITORING / name).read_text()
        assert text.count('"ADDRESS"') == 1
        container.write(f"/etc/rsyslog.d/50-{name}", text.replace('"ADDRESS"', '"127.0.0.1"'))
    container.run("systemctl", "restart", "rsyslog")
    command_view(container.link(), "call-floor")

    def records() -> list[dict[str, str]]:
        lines = container.output("cat", LOG, check=False).splitlines()
        return [json.loads(line) for line in lines if "floor-called" in line]

    container.until(records, "the house has the alert")
    (record,) = records()
    assert (record["table"], record["event"], record["code"]) == ("Table 1", "raised", "floor-called")
    assert (record["unit"], record["host"]) == ("potkeeper.service", "table")
    container.run("logger", "--tag=other", "once")
    container.until(lambda: "other: once" in container.output("cat", "/var/log/syslog"), "the usual log has the line")
    assert container.output("cat", "/var/log/syslog").count("other: once") == 1


@pytest.mark.soak
def test_documented_token_lets_prometheus_read_the_measurements(machine: RoomMachine) -> None:
    container = machine.container
    container.run("systemctl", "enable", "--now", "potkeeper-web")
    container.until(lambda: container.run("test", "-s", WEB_CERTIFICATE, check=False).returncode == 0, "a certificate")
    section = (MONITORING / "README.md").read_text().partition("\n## Prometheus\n")[2]
    commands = re.findall(r"^```\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[0]
    container.run("sh", "-ec", commands)

    def measurements() -> str:
        return container.output("python3", "-c", ASK_FOR_MEASUREMENTS, check=False)

    container.until(lambda: "potkeeper_up 1.0" in measurements(), "the table is up")
    container.run("systemctl", "stop", "potkeeper-web")


@pytest.mark.soak
def test_second_installation_and_removal_keep_the_database(machine: RoomMachine) -> None:
    container = machine.container
    machine.until_stored()
    container.hang_up()
    container.run("systemctl", "stop", "potkeeper-uplink", "potkeeper")
    before = machine.query("SELECT count(*), max(id) FROM span")
    result = container.as_technician("hardware/deploy/room/install-room.sh 127.0.0.1")
    assert result.returncode == 1 and "pip could not install" in result.stderr
    for text in (
        "the role potkeeper-room exists",
        "the database potkeeper_room exists, left as it is",
        "checksums are on",
    ):
        assert text in result.stdout
    assert container.property("potkeeper-room", "ActiveState") == "active"
    removal = container.as_technician("hardware/deploy/room/install-room.sh --remove")
    assert removal.returncode == 0, removal.stderr
    assert container.as_technician("hardware/deploy/uninstall.sh --purge").returncode == 0
    left = container.output(
        "sh", "-c", "getent passwd potkeeper potkeeper-uplink; getent group potkeeper-view", check=False
    )
    assert left == ""
    assert container.property("potkeeper-room", "LoadState") == "not-found"
    assert machine.query("SELECT count(*), max(id) FROM span") == before
    container.run("test", "-s", TABLES_FILE)
