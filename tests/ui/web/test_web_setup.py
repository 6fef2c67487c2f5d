"""Check the set-up in a browser: the door does only its tasks, and takes a file only if `check` accepts it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from controller.commands.installed_table import InstalledTable
from controller.commands.maintenance.setup_tasks import SetupDoor as Door
from tests.ui.web.test_web_routes import HOST, PASSWORD, SAME_ORIGIN, sign_in
from ui.web.app import make_app
from ui.web.live_table import LiveTable
from ui.web.people import People
from ui.web.routes import WebTable
from ui.web.setup_door import SetupDoor

DEPLOY = Path(__file__).parents[3] / "hardware" / "deploy"
TECHNICIAN = "Ann Lee"


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
