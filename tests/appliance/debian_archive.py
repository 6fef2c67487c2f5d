"""The Debian archive that apt uses on this machine, for packages and systems of another release."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class NotAvailableError(Exception):
    """The reason why this machine cannot fetch packages of another release."""


def mirror() -> str:
    """Return the address of the archive. Raise NotAvailableError if apt does not use one."""
    if shutil.which("apt-get") is None or not KEYRING.exists():
        raise NotAvailableError("this is not a Debian system with apt-get and debian-archive-keyring")
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    columns = "$(CODENAME) $(COMPONENT) $(REPO_URI)"
    for line in run(["apt-get", "indextargets", "--format", columns, "Created-By: Packages"]).splitlines():
        codename, component, address = line.split()
        if (codename, component) == (release, "main"):
            return address
    raise NotAvailableError(f"apt has no list of packages of {release or 'this system'}: run apt-get update")


def fetch_packages(release: str, packages: list[str], folder: Path) -> list[Path]:
    """Fetch packages with everything that they need, without installing them, and return their files.

    apt uses its own configuration, but a list of packages and a cache below `folder`.
    """
    lists, cache, source = folder / "lists", folder / "cache", folder / "release.sources"
    for path in (lists / "partial", cache / "archives" / "partial"):
        path.mkdir(parents=True, exist_ok=True)
    source.write_text(
        f"Types: deb\nURIs: {mirror()}\nSuites: {release}\nComponents: main\nSigned-By: {KEYRING}\n", encoding="utf-8"
    )
    options = {
        "Dir::Etc::sourcelist": source,
        "Dir::Etc::sourceparts": folder / "no-other-sources",
        "Dir::State::lists": lists,
        "Dir::Cache": cache,
        "Dir::State::status": "/dev/null",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-q", "-y", "--no-install-recommends"]
    apt += [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    run([*apt, "update"])
    run([*apt, "--download-only", "install", *packages])
    return sorted((cache / "archives").glob("*.deb"))


def run(command: list[str]) -> str:
    """Run a command and return its output. Raise NotAvailableError with its error text if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise NotAvailableError(f"{command[0]}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout
