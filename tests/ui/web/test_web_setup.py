"""Check the set-up in a browser: the door does only its tasks, and takes a file only if `check` accepts it."""

from __future__ import annotations

import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from controller.cli import main
from controller.commands.installed_table import InstalledTable
from controller.commands.maintenance import restore_in_place, setup_tasks, table_replacement
from controller.commands.maintenance.encrypted_file import open_encrypted_file
from controller.commands.maintenance.setup_tasks import SetupDoor as Door
from controller.commands.updates import BootWatch
from tests.service.in_process_service import in_process_service
from tests.service.service_process import wait_until
from tests.ui.web.route_checks import HOST, PASSWORD, SAME_ORIGIN, sign_in
from ui.web.app import make_app
from ui.web.live_table import LiveTable
from ui.web.people import People
from ui.web.routes import WebTable
from ui.web.setup_door import SetupDoor

DEPLOY = Path(__file__).parents[3] / "hardware" / "deploy"
TECHNICIAN = "Ann Lee"
PASSPHRASE = "correct horse battery"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of the configuration of an installed table."""
    for name in ("table.toml", "levels.toml"):
        shutil.copy(DEPLOY / name, tmp_path)
    shutil.copy(DEPLOY.parent / "layout.toml", tmp_path)
    return tmp_path


@pytest.fixture
def browser(folder: Path) -> Iterator[TestClient]:
    """Return a browser in which a technician has signed in, at a table with a door."""
    people = People(folder / "people.json")
    people.add(TECHNICIAN, "technician", PASSWORD)
    table = InstalledTable(folder, folder / "table.journal", folder / "table.sock")
    (folder / "state").mkdir()
    with Door(folder / "door.sock", table, folder / "state") as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        web = WebTable(LiveTable(folder / "table.sock"), people, door=SetupDoor(folder / "door.sock"))
        with TestClient(make_app(web), base_url=HOST) as client:
            assert sign_in(client, TECHNICIAN) == 200
            yield client
        door.shutdown()


def save(browser: TestClient, file: str, text: str) -> dict[str, object]:
    response = browser.post("/setup/save", json={"file": file, "text": text}, headers=SAME_ORIGIN)
    assert response.status_code == 200, response.text
    answer: dict[str, object] = response.json()
    return answer


def test_file_is_replaced_only_if_check_accepts_it(browser: TestClient, folder: Path) -> None:
    text = browser.get("/setup/file/table.toml").json()["text"]
    assert text == (DEPLOY / "table.toml").read_text()
    number = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("blinds "))
    answer = save(browser, "table.toml", text.replace("blinds    = [1, 2]", "blinds    = [5, 4, 3, 2, 1]"))
    assert answer["exit_code"] == 2
    assert f"table.toml:{number}: " in str(answer["text"]), "the message names the very line"
    assert (folder / "table.toml").read_text() == text
    changed = text + "# changed in a browser\n"
    assert save(browser, "table.toml", changed)["exit_code"] == 0
    assert (folder / "table.toml").read_text() == changed
    assert sorted(path.name for path in folder.glob("*.toml")) == ["layout.toml", "levels.toml", "table.toml"]


def test_planted_check_that_accepts_everything_is_found(
    browser: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.commands.maintenance.setup_tasks._potkeeper", lambda *arguments: ["true"])
    save(browser, "table.toml", "nonsense")
    assert (folder / "table.toml").read_text() == "nonsense", "without `check`, the test above would fail"


@pytest.mark.parametrize(
    "body",
    [{"file": "roles.toml", "text": ""}, {"file": "../x", "text": ""}, {"file": "table.toml"}, {"task": "restore"}],
)
def test_other_files_and_tasks_are_refused(browser: TestClient, folder: Path, body: dict[str, str]) -> None:
    before = sorted(folder.iterdir())
    assert browser.post("/setup/save", json=body, headers=SAME_ORIGIN).status_code == 400
    assert browser.get("/setup/file/journal.key").status_code == 404
    assert sorted(folder.iterdir()) == before


def test_door_that_is_closed_or_absent_is_one_line(tmp_path: Path) -> None:
    people = People(tmp_path / "people.json")
    people.add(TECHNICIAN, "technician", PASSWORD)
    for door, status in ((None, 404), (SetupDoor(tmp_path / "nothing.sock"), 503)):
        web = WebTable(LiveTable(tmp_path / "table.sock"), people, door=door)
        with TestClient(make_app(web), base_url=HOST) as client:
            assert sign_in(client, TECHNICIAN) == 200
            response = client.post("/setup/check", headers=SAME_ORIGIN)
            assert response.status_code == status
            assert "\n" not in response.json()["error"]


def _wait_until_nothing_is_left(folder: Path) -> None:
    """Wait until the door has removed the folder of the last task, which it does after its answer."""
    wait_until(lambda: not list((folder / "state").iterdir()), "the door removes the folder of the task")


def test_backup_is_encrypted_and_complete_and_leaves_nothing_in_the_folder_of_the_door(
    browser: TestClient, folder: Path
) -> None:
    with in_process_service(folder, journal=folder / "table.journal") as service:
        service.connect().command("hand")
        response = browser.post("/setup/backup", json={"passphrase": PASSPHRASE}, headers=SAME_ORIGIN)
        bundle = browser.post("/setup/bundle", headers=SAME_ORIGIN)
    assert response.headers["content-disposition"] == 'attachment; filename="table.backup"', response.text
    backup = folder / "out.backup"
    backup.write_bytes(response.content)
    with open_encrypted_file(backup, PASSPHRASE) as source:
        source.verify()
        assert {"configuration/table.toml", "configuration/layout.toml", "journal"} <= set(source.members)
    assert bundle.content.startswith(b"\x1f\x8b"), "a compressed file"
    _wait_until_nothing_is_left(folder)


@pytest.mark.parametrize("passphrase", ["", "too short", "two lines\nof a passphrase", 12])
def test_passphrase_that_backup_would_not_take_is_refused(browser: TestClient, passphrase: object) -> None:
    response = browser.post("/setup/backup", json={"passphrase": passphrase}, headers=SAME_ORIGIN)
    assert response.status_code == 400


def test_update_and_rollback_only_leave_a_request_for_systemd(browser: TestClient, folder: Path) -> None:
    state, request = folder / "state", folder / setup_tasks.REQUEST_NAME
    release = bytes(range(256)) * 1000
    assert browser.post("/setup/update", content=b"", headers=SAME_ORIGIN).status_code == 413
    response = browser.post("/setup/update", content=release, headers=SAME_ORIGIN)
    assert "under way" in response.json()["text"]
    assert (state / setup_tasks.RELEASE_NAME).read_bytes() == release
    assert request.read_text() == f'POTKEEPER_SWITCH="update {state / setup_tasks.RELEASE_NAME}"\n'
    assert stat.S_IMODE(request.stat().st_mode) == 0o600
    refused = browser.post("/setup/rollback", headers=SAME_ORIGIN).json()
    assert (refused["exit_code"], "under way" in refused["text"]) == (2, True)
    request.unlink()  # As `potkeeper-switch.service` does at the end.
    (state / setup_tasks.SWITCH_LOG).write_text("release 7: used\n")
    assert browser.get("/setup/switch-log").json()["text"] == "No change is under way.\nrelease 7: used\n"
    assert browser.post("/setup/rollback", headers=SAME_ORIGIN).json()["exit_code"] == 0
    assert request.read_text() == 'POTKEEPER_SWITCH="rollback"\n'


def test_restore_only_leaves_a_request_and_its_passphrase_in_a_file_of_root(browser: TestClient, folder: Path) -> None:
    state, request, passphrase = folder / "state", folder / setup_tasks.REQUEST_NAME, folder / "passphrase"
    backup, word = bytes(range(256)) * 1000, "Pass wörter für Tisch 4"
    headers = SAME_ORIGIN | {"passphrase": quote(word)}
    for bad in ({}, {"passphrase": "short"}, {"passphrase": quote("two lines\nof a passphrase")}):
        response = browser.post("/setup/restore", content=backup, headers=SAME_ORIGIN | bad)
        assert response.status_code == 400 and word not in response.text
    assert browser.post("/setup/restore", content=b"", headers=headers).status_code == 413
    assert browser.post("/setup/restore", content=backup, headers={"passphrase": quote(word)}).status_code == 403
    assert not request.exists() and not passphrase.exists()
    assert "under way" in browser.post("/setup/restore", content=backup, headers=headers).json()["text"]
    file = state / setup_tasks.RESTORE_NAME
    assert file.read_bytes() == backup
    assert (passphrase.read_text(), stat.S_IMODE(passphrase.stat().st_mode)) == (word, 0o600)
    command = f"restore {file} --keep-trust --passphrase-file {passphrase}"
    assert request.read_text() == f'POTKEEPER_SWITCH="{command}"\n'
    refused = browser.post("/setup/restore", content=b"another", headers=headers | {"passphrase": "x" * 12}).json()
    assert (refused["exit_code"], "under way" in refused["text"]) == (2, True)
    assert (file.read_bytes(), passphrase.read_text()) == (backup, word), "a second request changed the first one"


def test_upload_that_would_fill_the_disk_is_refused(
    browser: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_tasks, "SPARE_BYTES", 10**18)
    for path in ("/setup/restore", "/setup/update"):
        answer = browser.post(path, content=b"x", headers=SAME_ORIGIN | {"passphrase": PASSPHRASE}).json()
        assert (answer["exit_code"], "free bytes on the disk" in answer["text"]) == (2, True)
    _wait_until_nothing_is_left(folder)
    assert not (folder / setup_tasks.REQUEST_NAME).exists()


def test_request_of_a_browser_restores_its_own_backup(
    browser: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Back up in the browser, restore the file in the browser, and run the command of the request as systemd does."""
    with in_process_service(folder, journal=folder / "table.journal") as service:
        service.connect().command("hand")
        backup = browser.post("/setup/backup", json={"passphrase": PASSPHRASE}, headers=SAME_ORIGIN).content
    saved = (folder / "table.toml").read_text()
    assert save(browser, "table.toml", saved + "# after the backup\n")["exit_code"] == 0
    browser.post("/setup/restore", content=backup, headers=SAME_ORIGIN | {"passphrase": quote(PASSPHRASE)})
    command = (folder / setup_tasks.REQUEST_NAME).read_text().partition('"')[2].partition('"')[0].split()
    (folder / "opt" / "releases").mkdir(parents=True)
    (folder / "units").mkdir()
    monkeypatch.setattr(restore_in_place, "SystemdControl", NoService)
    monkeypatch.setattr(restore_in_place, "BootWatch", lambda: BootWatch(folder / "units"))
    monkeypatch.setattr(restore_in_place, "come_to_an_end_on_signals", lambda: None)
    monkeypatch.setattr(table_replacement, "find_fault", lambda *_, **__: "")
    places = ["--folder", folder, "--journal", folder / "table.journal", "--socket", folder / "table.sock"]
    result = CliRunner().invoke(main, [*command, *map(str, places), "--root", str(folder / "opt")])
    assert result.exit_code == 0, result.output
    assert (folder / "table.toml").read_text() == saved


class NoService:
    """A service that is never there."""

    def stop(self) -> None:
        """Do nothing."""

    def restart(self) -> None:
        """Do nothing."""


def test_key_of_the_guided_set_up_is_refused_by_the_service_in_words(browser: TestClient, folder: Path) -> None:
    key = {"word": "find", "number": 0}
    silent = browser.post("/setup/guide", json=key, headers=SAME_ORIGIN)
    assert (silent.status_code, "expected a running service" in silent.json()["error"]) == (409, True)
    with in_process_service(folder):
        refused = browser.post("/setup/guide", json=key, headers=SAME_ORIGIN)
    assert (refused.status_code, "\n" in refused.json()["error"]) == (409, False)
    for bad in ({"word": "hand"}, {"word": "find", "number": -1}, {"word": "find 1\nhand"}):
        assert browser.post("/setup/guide", json=bad, headers=SAME_ORIGIN).status_code == 400


def test_layout_next_to_the_journal_replaces_the_layout_as_a_saved_one(browser: TestClient, folder: Path) -> None:
    new, layout = folder / "layout.toml.new", folder / "layout.toml"
    text = f"# measured\n{layout.read_text()}"
    new.write_text(text)
    assert browser.post("/setup/take-over", headers=SAME_ORIGIN).json()["exit_code"] == 0
    assert layout.read_text() == text
    new.unlink(missing_ok=True)  # A file that is replaced in the same folder has had this name for a moment.
    new.symlink_to(folder / "table.toml")
    assert "is a link" in browser.post("/setup/take-over", headers=SAME_ORIGIN).json()["text"]
