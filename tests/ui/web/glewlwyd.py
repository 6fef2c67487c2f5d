"""Glewlwyd, an OpenID Connect provider of Debian, on a free port of this machine with TLS.

It is written in C and shares no code with Authlib. Everything is done by its administration, as the house's IT would.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import requests
from joserfc.jwk import RSAKey

from tests.free_ports import free_port
from tests.service.service_process import DEADLINE_S, wait_until

CLIENT_ID, SECRET = "potkeeper", "secret of the client"
PASSWORD = "horse battery staple"
POLL_TIMEOUT_S = 5.0
PEOPLE: Final = {"ann": "Ann Lee", "bob": "Bob Ray"}
DATABASE = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
ADMINISTRATOR: Final = {"username": "admin", "password": "password"}
"""The administrator of a new database."""
MODULES: Final = {"user": "user", "client": "client", "user_auth_scheme": "scheme", "plugin": "plugin"}
FILE_TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "application/javascript",
    ".json": "application/json",
}
PAGES = Path("/usr/share/glewlwyd/webapp")
PAGES_SETTINGS = Path("/etc/glewlwyd/config-2.7.json/config.json")
"""Settings of the pages, which Debian 12 puts into a folder that the pages do not read."""
FLOWS: Final = ("code", "token", "id-token", "none", "password", "client", "device", "refresh")


class _SessionWithDeadline(requests.Session):
    """A session that does not wait for ever. A program that hangs is then a failure with a name."""

    def request(self, *arguments: Any, **options: Any) -> requests.Response:
        return super().request(*arguments, **{"timeout": DEADLINE_S} | options)


class Glewlwyd:
    """A provider with one client and `PEOPLE`, which can be stopped and started again."""

    def __init__(self, folder: Path, certificate: Path, key: Path, redirect_uri: str) -> None:
        self.ca = certificate
        port = free_port()
        self.address = f"https://localhost:{port}"
        self.issuer = f"{self.address}/api/oidc"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._write_files(port, certificate, key)
        try:
            self.start()
            self._set_up(redirect_uri)
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start the provider with the files of its folder."""
        program = ["glewlwyd", f"--config-file={self._folder / 'glewlwyd.conf'}"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(program, stdout=log, stderr=log)
        wait_until(self._answers, "glewlwyd answers")
        self._admin = self._session()
        self._admin.post(f"{self.address}/api/auth/", json=ADMINISTRATOR).raise_for_status()

    def stop(self) -> None:
        """End the provider. Do nothing if it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def roll_key(self) -> None:
        """Sign with a new key from now on, and withdraw the old key."""
        plugin = self._admin.get(f"{self.address}/api/mod/plugin/oidc").json()
        plugin["parameters"]["jwks-private"] = _new_keys()
        self._call("PUT", "mod/plugin/oidc", plugin)
        self._call("PUT", "mod/plugin/oidc/reset")

    def set_groups(self, user_name: str, *groups: str) -> None:
        """Give the person these groups and no others."""
        self._call("PUT", f"user/{user_name}", _person(user_name, groups))

    def remove_person(self, user_name: str) -> None:
        """Remove the account of the person."""
        self._call("DELETE", f"user/{user_name}")

    def sign_in(self, address: str, user_name: str) -> str:
        """Sign in as this person with the address that the program names, and return the address of the way back."""
        with self._session() as browser:
            first = browser.get(address, allow_redirects=False)
            assert "login.html" in first.headers["location"], first.headers
            password = {"username": user_name, "password": PASSWORD}
            browser.post(f"{self.address}/api/auth/", json=password).raise_for_status()
            browser.put(f"{self.address}/api/auth/grant/{CLIENT_ID}", json={"scope": "openid"}).raise_for_status()
            return browser.get(f"{address}&g_continue", allow_redirects=False).headers["location"]

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (self._folder / "log").read_text()
        try:
            return self._session().get(f"{self.address}/login.html", timeout=POLL_TIMEOUT_S).ok
        except (requests.ConnectionError, requests.Timeout):
            return False

    def _session(self) -> requests.Session:
        session = _SessionWithDeadline()
        session.verify, session.trust_env = str(self.ca), False
        return session

    def _call(self, method: str, path: str, body: Any = None) -> None:
        answer = self._admin.request(method, f"{self.address}/api/{path}", json=body)
        assert answer.ok, (path, answer.text)

    def _write_files(self, port: int, certificate: Path, key: Path) -> None:
        with sqlite3.connect(self._folder / "glewlwyd.db") as database:
            database.executescript(gzip.decompress(DATABASE.read_bytes()).decode())
        database.close()
        shutil.copytree(PAGES, self._folder / "pages", ignore=shutil.ignore_patterns("config.json", "admin.js"))
        shutil.copy(PAGES_SETTINGS, self._folder / "pages" / "config.json")
        values: dict[str, Any] = {
            "port": port,
            "bind_address": "127.0.0.1",
            "external_url": self.address,
            "login_url": "login.html",
            "api_prefix": "api",
            "static_files_path": str(self._folder / "pages"),
            "log_mode": "console",
            "log_level": "ERROR",
            "cookie_secure": 1,
            "session_key": "GLEWLWYD2_SESSION_ID",
            "admin_scope": "g_admin",
            "profile_scope": "g_profile",
            **{f"{name}_module_path": f"/usr/lib/glewlwyd/{folder}" for name, folder in MODULES.items()},
            "secure_connection_key_file": str(key),
            "secure_connection_pem_file": str(certificate),
            "hash_algorithm": "SHA512",
        }
        types = ", ".join(f'{{ extension = "{end}"; mime_type = "{kind}"; }}' for end, kind in FILE_TYPES.items())
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        lines += ["use_secure_connection = true", f"static_files_mime_types = ( {types} )"]
        lines += [f'database = {{ type = "sqlite3"; path = "{self._folder / "glewlwyd.db"}"; }};']
        (self._folder / "glewlwyd.conf").write_text("\n".join(lines) + "\n")

    def _set_up(self, redirect_uri: str) -> None:
        parameters = {
            "iss": self.issuer,
            "jwks-private": _new_keys(),
            "jwks-show": True,
            "access-token-duration": 3600,
            "refresh-token-duration": 86_400,
            "refresh-token-rolling": True,
            "refresh-token-one-use": "never",
            "code-duration": 600,
            "allow-non-oidc": False,
            **{f"auth-type-{flow}-enabled": flow in ("code", "refresh") for flow in FLOWS},
            "auth-type-code-revoke-replayed": True,
            "claims": [{"name": "groups", "user-property": "groups", "type": "string", "mandatory": True, "scope": []}],
            "name-claim": "mandatory",
            "subject-type": "public",
            "pkce-allowed": True,
            "pkce-required": True,
            "pkce-method-plain-allowed": False,
            "oauth-dpop-iat-duration": 10,
        }
        plugin = {"module": "oidc", "name": "oidc", "display_name": "OIDC", "order_rank": 0, "parameters": parameters}
        self._call("POST", "mod/plugin/", plugin)
        users = self._admin.get(f"{self.address}/api/mod/user/database").json()
        users["parameters"]["data-format"]["groups"] = {"multiple": True, "read": True, "write": True}
        self._call("PUT", "mod/user/database", users)
        self._call("PUT", "mod/user/database/reset")
        for user_name in PEOPLE:
            self._call("POST", "user/", _person(user_name, ()) | {"password": PASSWORD})
        client = {"client_id": CLIENT_ID, "name": "Potkeeper", "confidential": True, "password": SECRET}
        client |= {"redirect_uri": [redirect_uri], "scope": ["openid"], "enabled": True}
        self._call(
            "POST",
            "client/",
            client
            | {"authorization_type": ["code", "refresh_token"], "token_endpoint_auth_method": ["client_secret_basic"]},
        )


@contextmanager
def glewlwyd(certificate: Path, key: Path, redirect_uri: str, folder: Path) -> Iterator[Glewlwyd]:
    """Run a provider while the block runs. Skip the test if it is not installed."""
    if shutil.which("glewlwyd") is None or not DATABASE.exists():
        pytest.skip("glewlwyd is not installed")
    os.makedirs(folder)
    provider = Glewlwyd(folder, certificate, key, redirect_uri)
    try:
        yield provider
    finally:
        provider.stop()


def _new_keys() -> str:
    key = RSAKey.generate_key(2048, {"alg": "RS256", "use": "sig"}, auto_kid=True)
    return json.dumps({"keys": [key.as_dict(private=True)]})


def _person(user_name: str, groups: tuple[str, ...]) -> dict[str, Any]:
    person = {"username": user_name, "name": PEOPLE[user_name], "scope": ["openid"], "enabled": True}
    return person | {"groups": list(groups)}
