"""Check the file of the option `--oidc`: the example of the README works, and each mistake is one clear line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from tests.ui.web.local_certificate import write_certificate
from ui.web.__main__ import main
from ui.web.oidc import OidcFileError, read_configuration, read_house_sign_in
from ui.web.people import People, Role

README = Path(__file__).parents[3] / "ui" / "web" / "README.md"
PASSWORD = "correct horse"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Return the file of the README, in a folder with a secret and a certificate."""
    text = re.search(r"```toml\n(.*?)```", README.read_text(), re.DOTALL)
    assert text is not None
    write_certificate(tmp_path)[0].rename(tmp_path / "house-ca.pem")
    (tmp_path / "oidc.secret").write_text("the secret\n")
    (tmp_path / "oidc.secret").chmod(0o600)
    path = tmp_path / "oidc.toml"
    path.write_text(text[1])
    return path


def change(path: Path, key: str, value: str) -> None:
    """Replace the line of a key, or remove it if the value is empty."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith(f"{key} ")]
    path.write_text("\n".join([f"{key} = {value}"] * bool(value) + lines) + "\n")


def test_example_of_the_readme_is_valid_and_names_every_role(example: Path) -> None:
    configuration = read_configuration(example)
    assert configuration.redirect_uri == "https://table-4.house.example:8443/oidc/callback"
    assert configuration.read_secret() == "the secret"
    assert set(tomllib.loads(example.read_text())["groups"].values()) == {"viewer", "technician"}
    assert configuration.role_of(["poker-floor", "poker-technicians", "bar"]) == "technician"
    assert configuration.role_of(["bar"]) is None


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("issuer", "", "issuer: expected an address such as https://"),
        ("issuer", '"http://id.house.example"', "issuer: expected an address such as https://"),
        ("issuer", "5", "issuer: expected an address such as https://"),
        ("address", '"https://table-4.house.example/path"', "address: expected the address of this program"),
        ("address", "", "address: expected the address of this program"),
        ("client_id", '""', "client_id: expected the name under which"),
        ("local_account", '"<script>"', "local_account: expected the name of the one person"),
        ("scopes", '["profile"]', 'scopes: profile, expected a list with "openid"'),
        ("scopes", "[]", 'scopes: expected a list with "openid"'),
        ("ca", '"nowhere.pem"', "nowhere.pem: expected a file with PEM certificates"),
        ("ca", '"oidc.toml"', "oidc.toml: expected a file with PEM certificates"),
        ("client_secret_file", '"nowhere"', "nowhere: No such file or directory, expected a secret"),
        ("client_secrets", '"x"', "unknown field `client_secrets`"),
        ("issuer", "[", "expected a file in the format TOML"),
    ],
)
def test_mistake_is_one_line_that_names_the_key(example: Path, key: str, value: str, expected: str) -> None:
    change(example, key, value)
    with pytest.raises(OidcFileError) as caught:
        read_configuration(example)
    assert str(caught.value).startswith(f"{example}: ")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("old", "new"), [('= "technician"', '= "boss"'), ("[groups]", "[groups]\n[more]")])
def test_role_that_does_not_exist_names_the_roles(example: Path, old: str, new: str) -> None:
    example.write_text(example.read_text().replace(old, new))
    with pytest.raises(OidcFileError, match=f"groups: .*roles: {', '.join(get_args(Role))}"):
        read_configuration(example)


def test_file_without_groups_is_refused(example: Path) -> None:
    example.write_text(example.read_text().partition("[groups]")[0] + "groups = {}\n")
    with pytest.raises(OidcFileError, match="groups: expected at least one group with its role"):
        read_configuration(example)


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        ("secret", 0o644, "everybody may read the file, expected mode 0600"),
        ("", 0o600, "expected one line"),
        ("a\nb\n", 0o600, "expected one line"),
    ],
)
def test_secret_that_cannot_be_used_is_named(example: Path, content: str, mode: int, expected: str) -> None:
    secret = example.parent / "oidc.secret"
    secret.write_text(content)
    secret.chmod(mode)
    with pytest.raises(OidcFileError, match=f"oidc.secret: {expected}"):
        read_configuration(example)


def test_local_account_must_be_a_technician_if_there_are_people(example: Path, tmp_path: Path) -> None:
    people = People(tmp_path / "people.json")
    assert read_house_sign_in(example, people).local_account_sign_ins == 0, "a new table has no people yet"
    people.add("Bob", "technician", PASSWORD)
    people.add("Emergency", "viewer", PASSWORD)
    with pytest.raises(OidcFileError, match="local_account: Emergency: expected a technician with a password: Bob"):
        read_house_sign_in(example, people)


def test_program_ends_with_exit_code_2_and_one_line(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(example, "issuer", '"http://id.house.example"')
    options = ["--socket", "table.sock", "--folder", str(tmp_path), "--oidc", str(example), "--log-level", "error"]
    assert main(options) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"web: {example}: issuer: expected an address")
    assert main([*options[:-3], "nowhere.toml", *options[-2:]]) == 2
    expected = "web: nowhere.toml: No such file or directory, expected the configuration of the provider\n"
    assert capsys.readouterr().err == expected
