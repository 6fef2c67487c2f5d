"""The samples for monitoring: Prometheus and rsyslogd of Debian read them and receive what they say, on loopback."""

from __future__ import annotations

import grp
import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from controller.presenter.alert_codes import ALERT_TYPES
from tests.free_ports import free_port
from tests.monitoring.debian_programs import ROOT, prometheus, promtool, rsyslogd
from tests.service.service_process import DEADLINE_S, service_process, wait_until
from ui.web.certificate import own_certificate

SAMPLES: Final = ROOT / "hardware" / "deploy" / "monitoring"
RULES: Final = SAMPLES / "potkeeper.rules.yml"
ROOM_RULES: Final = SAMPLES / "potkeeper-room.rules.yml"
ROOM_METRICS: Final = ROOT / "controller" / "room" / "room_counts.py"
RULE_TESTS: Final = Path(__file__).parent / "potkeeper.rules.test.yml"
METRIC: Final = re.compile(r"potkeeper_\w+")
TOKEN: Final = "5e" * 32
ADDRESS: Final = '"ADDRESS"'
FIELDS: Final = {"table": "Table 4", "event": "raised", "code": "reader-offline", "level": "warning", "subject": "even"}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=folder)


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[None]:
    """Run a program in a folder, and end it."""
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(DEADLINE_S)
        finally:
            process.kill()
            process.wait()


def test_rules_and_configuration_of_prometheus_are_valid(tmp_path: Path) -> None:
    result = run(promtool("check", "rules", RULES, ROOM_RULES), tmp_path)
    assert result.returncode == 0, result.stderr
    result = run(promtool("check", "config", "--syntax-only", SAMPLES / "prometheus.yml"), tmp_path)
    assert result.returncode == 0, result.stderr


def test_each_rule_is_silent_at_a_healthy_table_and_raised_at_an_ill_one(tmp_path: Path) -> None:
    result = run(promtool("test", "rules", RULE_TESTS), tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    alerts = set(re.findall(r"- alert: (\w+)", RULES.read_text() + ROOM_RULES.read_text()))
    tested = re.findall(r"alertname: (\w+)", RULE_TESTS.read_text())
    assert sorted(tested) == sorted([*alerts, *alerts]), "each alert has both cases"


def test_planted_rule_with_another_limit_fails(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(RULES.read_text().replace("celsius > 80", "celsius > 90"))
    text = RULE_TESTS.read_text()
    path = "../../hardware/deploy/monitoring/potkeeper.rules.yml"
    assert path in text
    text = text.replace("../../hardware/deploy/monitoring/potkeeper-room", str(SAMPLES / "potkeeper-room"))
    (tmp_path / "test.yml").write_text(text.replace(path, "rules.yml"))
    result = run(promtool("test", "rules", "test.yml"), tmp_path)
    assert result.returncode == 1 and "PotkeeperHot" in result.stdout + result.stderr


def test_codes_in_the_rules_are_codes_of_alerts() -> None:
    text = RULES.read_text()
    codes = re.findall(r'code="([\w-]+)"', text)
    for pattern in re.findall(r'code=~"([^"]+)"', text):
        matched = [code for code in ALERT_TYPES if re.fullmatch(pattern, code)]
        assert len(matched) == pattern.count("|") + 1, pattern
    assert codes and set(codes) <= ALERT_TYPES.keys()


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((SAMPLES / "grafana-dashboard.json").read_text())
    return dashboard["panels"]  # type: ignore[no-any-return]


def test_dashboard_has_distinct_panels_that_do_not_overlap() -> None:
    found = panels()
    assert len({panel["id"] for panel in found}) == len({panel["title"] for panel in found}) == len(found)
    cells = [
        (x, y)
        for panel in found
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a Prometheus that reads a real table with the sample configuration."""
    folder = tmp_path_factory.mktemp("prometheus")
    web_folder, port, own_port = folder / "web", free_port(), free_port()
    certificate, _ = own_certificate(web_folder)
    (web_folder / "metrics.token").write_text(f"{TOKEN}\n")
    config = (SAMPLES / "prometheus.yml").read_text()
    targets = "          - table-1.local:8443\n          - table-2.local:8443\n"
    assert targets in config
    config = config.replace(targets, f"          - 127.0.0.1:{port}\n").replace("15s", "1s")
    config = config.replace("ca_file: tables.pem", f"ca_file: tables.pem\n      server_name: {socket.gethostname()}")
    (folder / "prometheus.yml").write_text(config)
    for path in (RULES, ROOM_RULES):
        (folder / path.name).write_text(path.read_text())
    (folder / "tables.pem").write_bytes(certificate.read_bytes())
    (folder / "metrics.token").write_text(TOKEN)
    own_group = ("--room-group", grp.getgrgid(os.getgid()).gr_name)
    with service_process(folder, "--no-trays", *own_group, journal=folder / "table.journal") as service:
        service.start()
        room = service.address.parent / "room" / "table.sock"
        wait_until(room.is_socket, "the read-only socket exists")
        web = [
            sys.executable,
            "-m",
            "ui.web",
            "--socket",
            str(room),
            "--folder",
            str(web_folder),
            "--host",
            "127.0.0.1",
        ]
        web_output = folder / "web-output"
        web_output.mkdir()
        storage = f"--storage.tsdb.path={folder / 'data'}"
        listen = f"--web.listen-address=127.0.0.1:{own_port}"
        with (
            running(["env", f"PYTHONPATH={ROOT}", *web, "--host", "127.0.0.1", "--port", str(port)], web_output),
            running(prometheus("--config.file=prometheus.yml", storage, listen), folder),
        ):
            yield f"http://127.0.0.1:{own_port}"


def ask(address: str, path: str) -> Any:
    """Return the data of an answer of Prometheus, or None if it does not answer."""
    try:
        with urllib.request.urlopen(f"{address}/api/v1/{path}", timeout=DEADLINE_S) as answer:
            return json.load(answer)["data"]
    except OSError:
        return None


def test_prometheus_reads_a_real_table(scraped: str) -> None:
    def value() -> list[Any]:
        data = ask(scraped, "query?query=potkeeper_up")
        return [row["value"][1] for row in data["result"]] if data else []

    wait_until(lambda: value() == ["1"], "Prometheus has read that the table is up")
    groups = ask(scraped, "rules")["groups"]
    rules = RULES.read_text() + ROOM_RULES.read_text()
    assert sum(len(group["rules"]) for group in groups) == rules.count("- alert: ")


def test_every_metric_of_the_rules_and_the_dashboard_exists(scraped: str) -> None:
    """Compare with the names that Prometheus has seen. Without devices and a sensor, some have no value."""
    wait_until(lambda: "potkeeper_up" in (ask(scraped, "label/__name__/values") or ()), "Prometheus has read the table")
    source = (ROOT / "ui" / "web" / "metrics.py").read_text()
    offered = set(METRIC.findall(source))
    named = {metric for panel in panels() for target in panel["targets"] for metric in METRIC.findall(target["expr"])}
    named |= {name for line in RULES.read_text().splitlines() if "expr:" in line for name in METRIC.findall(line)}
    assert named <= offered, "a metric that the table does not have"
    seen = {name for name in ask(scraped, "label/__name__/values") if name.startswith("potkeeper_")}
    without_hardware = {name for name in offered if re.search("antenna|device|temperature", name)}
    assert seen - without_hardware <= offered and named - without_hardware - {"potkeeper_alerts"} <= seen


def test_every_metric_of_the_rules_of_a_room_exists() -> None:
    if not ROOM_METRICS.exists():
        pytest.skip("this version of the room has no measurements")
    lines = [line for line in ROOM_RULES.read_text().splitlines() if "expr:" in line]
    named = {re.sub("_(total|bucket)$", "", name) for line in lines for name in METRIC.findall(line)}
    assert named and named <= set(METRIC.findall(ROOM_METRICS.read_text()))


def test_rsyslogd_of_the_house_writes_what_a_table_sends(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "tables.log"
    sample = (SAMPLES / "rsyslog-house.conf").read_text()
    for old, new in ((ADDRESS, '"127.0.0.1"'), ('"6514"', f'"{port}"'), ("/var/log/potkeeper-tables.log", str(file))):
        assert sample.count(old) == 1
        sample = sample.replace(old, new)
    (tmp_path / "rsyslog.conf").write_text(f'global(workDirectory="{tmp_path}")\n{sample}')
    check = run(rsyslogd("-N1", "-f", "rsyslog.conf"), tmp_path)
    assert check.returncode == 0 and "error" not in check.stderr, check.stderr
    data = " ".join(f'{name}="{value}"' for name, value in FIELDS.items())
    head = "<28>1 2026-11-30T05:00:00.000000+00:00 table-4 potkeeper.service - -"
    line = f'{head} [potkeeper@32473 {data} seat="" hand="7"] alert reader-offline raised, even\n'
    with running(rsyslogd("-n", "-f", "rsyslog.conf", "-i", tmp_path / "pid"), tmp_path):

        def send() -> bool:
            try:
                with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as link:
                    link.sendall(line.encode())
            except OSError:
                return False
            return True

        wait_until(send, "rsyslogd accepts a connection")
        wait_until(lambda: file.exists() and file.read_text().endswith("\n"), "rsyslogd has written the message")
    record = json.loads(file.read_text())
    assert {name: record[name] for name in FIELDS} == FIELDS
    assert (record["host"], record["unit"], record["severity"]) == ("table-4", "potkeeper.service", "warning")
    assert (record["seat"], record["hand"], record["message"]) == ("", "7", "alert reader-offline raised, even")


def test_sample_of_a_table_is_valid_and_sends_every_field(tmp_path: Path) -> None:
    sample = (SAMPLES / "rsyslog-table.conf").read_text()
    assert sample.count(ADDRESS) == 1
    (tmp_path / "rsyslog.conf").write_text(sample.replace(ADDRESS, '"127.0.0.1"'))
    check = run(rsyslogd("-N1", "-f", "rsyslog.conf"), tmp_path)
    assert check.returncode == 0 and "error" not in check.stderr, check.stderr
    written = set(re.findall(r'constant\(value=".*?(\w+)=\\""\)', sample))
    logged = (ROOT / "controller" / "service" / "queries" / "alert_log.py").read_text()
    (call,) = re.findall(r"log_fields\((.*?)\)  # fmt", logged, re.DOTALL)
    assert written == set(re.findall(r"(\w+)=", call))
