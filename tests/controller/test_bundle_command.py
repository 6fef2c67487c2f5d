"""`potkeeper bundle` reports a fault of a table full of planted secrets, and contains none of them."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commands.maintenance.bundle import HANDS
from controller.commands.maintenance.redaction import Redactor
from controller.config import parse_toml
from controller.integrity import create_key_file
from controller.scripts import parse_script, play_rules
from controller.service import AccessPolicy, TableService
from controller.service.roles import parse_permissions
from controller.steps import parse_step
from hardware.badges import Badge, BadgeList, BadgeSeen, format_badge_list
from tests.service.in_process_service import in_process_service
from tests.service.test_roles import usual_text

PLAYERS = ("Quentin", "Zo\u00eb-Ashgrove", "xavier", "Ottilie Fenn", "Wanda Roe")
STAFF = ("Beatrix Kiddo", "Tarquin")
CARD_KEYS = ("5ec2e7" * 10, "c0ffee" * 8)
BADGE_UIDS = ("04A1B2C3D4E5F6", "04BADA55")
CONFIG = f"""
button = 1
stacks = {{ 1 = 500, 2 = 500, 3 = 500 }}
names  = {{ 1 = "{PLAYERS[0]}" }}
[table]
name = "Table 7"
[game]
structure = "no-limit"
blinds    = [5, 10]
"""
HAND = ("hand", "1 call", "2 call", "3 check", "deal", "2 check", "3 check", "1 bet 20", "2 fold", "3 fold")
AWARDED = (*HAND, "award main 1")


class SecretTable:
    """Files of a table in which every secret is planted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.etc, self.file = folder, folder / "etc", folder / "report.tgz"
        self.journal, self.socket = folder / "table.journal", folder / "table.sock"
        self.etc.mkdir()
        create_key_file(self.etc / "journal.key")
        badges = [
            Badge(uid=uid, name=name, role="floor", key=key)
            for uid, name, key in zip(BADGE_UIDS, STAFF, CARD_KEYS, strict=True)
        ]
        (self.etc / "badges.toml").write_bytes(format_badge_list(BadgeList("Grand", 3, tuple(badges))))
        (self.etc / "table.toml").write_text(CONFIG)
        (self.etc / "layout.toml").write_text('name = "bare"\n')
        (self.etc / "options").write_text(f'POTKEEPER_OPTIONS="--no-gpio --badges {self.etc / "badges.toml"}"\n')
        journalctl = folder / "bin" / "journalctl"
        journalctl.parent.mkdir()
        lines = [f"{secret} in the log" for secret in self.secrets]
        text = "\n".join(["#!/bin/sh", "cat <<'END'", *lines, "door screen: connected", "END"])
        journalctl.write_text(text + "\n")
        journalctl.chmod(0o755)
        monkeypatch.setenv("PATH", str(journalctl.parent), prepend=":")

    @property
    def secrets(self) -> list[str]:
        keys = [(self.etc / name).read_text().strip() for name in ("journal.key", "journal.key.pub")]
        uids = [*BADGE_UIDS, *(uid.lower() for uid in BADGE_UIDS)]
        return [*PLAYERS, *STAFF, *CARD_KEYS, *(key.upper() for key in CARD_KEYS), *uids, *keys]

    def run(self) -> Mapping[str, str]:
        """Run the command and return the text of each part."""
        paths = ["--folder", self.etc, "--journal", self.journal, "--socket", self.socket]
        result = CliRunner().invoke(main, ["bundle", str(self.file), *map(str, paths)])
        assert result.exit_code == 0, result.output
        with tarfile.open(self.file) as tar:
            return {
                Path(member.name).name: stream.read().decode()
                for member in tar.getmembers()
                if (stream := tar.extractfile(member)) is not None
            }


def play(service: TableService, *lines: str) -> None:
    for line in lines:
        refusal = service.apply_step(parse_step(line))
        assert refusal is None, (line, refusal)


def leaks(parts: Mapping[str, str], secrets: list[str]) -> list[tuple[str, str]]:
    return [(name, secret) for name, text in parts.items() for secret in secrets if secret.lower() in text.lower()]


def test_bundle_of_a_table_full_of_secrets_has_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = SecretTable(tmp_path, monkeypatch)
    policy = AccessPolicy(parse_permissions(usual_text()), 2)
    with in_process_service(tmp_path, policy, journal=table.journal, config=CONFIG) as running:

        def evening() -> None:
            service = running.service
            play(service, f"7 sit 300 as {PLAYERS[1]}", f"8 sit 300 as {PLAYERS[2]}", f"dealer {STAFF[0]}")
            play(service, "7 away", "8 away", *HAND, f"9 later sit 300 as {PLAYERS[4]}", f"2 name {PLAYERS[3]}")
            play(service, "award main 1", "9 away", "hand", "void")
            play(service, "hand")
            service.on_badge(BadgeSeen("ACS 00", BADGE_UIDS[1], "floor", STAFF[1], False, 1, refusal="wrong-answer"))

        running.call(evening)
        parts = table.run()
    assert leaks(parts, table.secrets) == []
    assert {"versions.txt", "check.txt", "devices.txt", "log.txt"} < parts.keys()
    assert sum(name.startswith("hand-") for name in parts) == HANDS
    assert "configuration" in parts["check.txt"] and "2 badges in list 3" in parts["check.txt"], parts["check.txt"]
    assert "alert badge-refused" in parts["devices.txt"], parts["devices.txt"]
    assert "door screen: connected" in parts["log.txt"] and "[name] in the log" in parts["log.txt"]
    assert "Python 3" in parts["versions.txt"] and "msgspec" in parts["versions.txt"]
    assert table.file.stat().st_mode & 0o077 == 0


def test_hand_in_the_bundle_plays_as_it_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = SecretTable(tmp_path, monkeypatch)
    with in_process_service(tmp_path, journal=table.journal, config=CONFIG) as running:
        running.call(lambda: play(running.service, *AWARDED))
        stacks = {str(seat): player.stack for seat, player in running.service.live.table.players.items()}
    text = table.run()["hand-1.toml"]
    assert not text.startswith("#"), text
    script = parse_script(parse_toml(text.encode()))
    *_, last = play_rules(script)
    assert (last["stacks"], script.expected[-1]["stacks"]) == (stacks, stacks)


def test_bundle_without_service_journal_and_log_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = SecretTable(tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    parts = table.run()
    assert "does not answer" in parts["devices.txt"]
    assert parts["log.txt"] == "no journalctl on this machine\n"
    assert "expected a journal" in parts["hands.txt"]
    assert leaks(parts, table.secrets) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ann lee sits, Ann stands, Annabel stays", "[name] sits, [name] stands, Annabel stays"),
        ("card 04a1b2c3 refused", "card [badge] refused"),
        ("key 5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e7!", "key [key or hash]!"),
        ("hash 0123456789abcdef", "hash 0123456789abcdef"),
        ("ANN", "[name]"),
    ],
)
def test_redactor_replaces_names_badges_and_keys(text: str, expected: str) -> None:
    assert Redactor(["Ann", "Ann Lee", "x"], ["04A1B2C3"]).redact(text) == expected


def test_planted_redactor_that_knows_no_names_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = SecretTable(tmp_path, monkeypatch)
    monkeypatch.setattr("controller.commands.maintenance.redaction._names_in_journal", lambda journal: ())
    monkeypatch.setattr("controller.commands.maintenance.redaction._named_players", lambda path: ())
    assert {secret for _, secret in leaks(table.run(), table.secrets)} == set(PLAYERS)
