"""The disk image of a table: built, booted twice in a container, and used with the documented commands.

The tests marked `soak` build one read-only image, which takes some minutes. A container has no disks. Its root has the
files of the system's partition, and at the mount point of the table's partition it has the files of that partition.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.appliance import container as container_module
from tests.appliance.container import INSTALL_DEADLINE_S, ROOT, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError, mirror
from tests.service.service_process import command_view

RELEASE = "trixie"
FOLDER = ROOT / "hardware" / "deploy" / "image"
SCRIPT = FOLDER / "build.sh"
DEADLINE_S = 120
MIB = 1024 * 1024
CARD_BYTES = 15_500_000_000
"""Size of a small card that is sold as 16 GB."""
SEED = ("user-data", "meta-data", "network-config")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHVudXNlZCBrZXkgb2YgYSB0ZXN0LCAzMiBieXRlcyE ann"
UNIT = "potkeeper.service"
PROGRAM = "/opt/potkeeper/venv/bin/potkeeper"
TABLE = "/srv/potkeeper"


class Partition(NamedTuple):
    """Partition of the image, in MiB."""

    name: str
    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, timeout=DEADLINE_S, check=False, stdin=subprocess.DEVNULL
    )


def partitions() -> list[Partition]:
    """Return the partitions that the script prints for sfdisk."""
    pattern = re.compile(r"start=(\d+)MiB, size=(\d+)MiB, type=\w+, name=(\w+)")
    lines = run_script("--layout").stdout.splitlines()
    assert lines[0] == "label: gpt"
    return [Partition(m[3], int(m[1]), int(m[2])) for m in map(pattern.fullmatch, lines[1:]) if m is not None]


def constants(name: str, path: Path = SCRIPT) -> list[str]:
    """Return the words of an array or constant of a script."""
    match = re.search(rf"^readonly {name}=(?:\((.*?)\)|(\S+))$", path.read_text(), re.DOTALL | re.MULTILINE)
    assert match is not None
    return shlex.split(match[1] or match[2], comments=True)


def test_partitions_follow_each_other_and_fit_on_a_small_card() -> None:
    boot, system, table = partitions()
    assert (boot.name, system.name, table.name) == ("boot", "system", "table")
    assert (boot.start, system.start, table.start) == (1, boot.end, system.end)
    assert (table.end + 1) * MIB < CARD_BYTES


def test_sfdisk_accepts_the_partitions(tmp_path: Path) -> None:
    if shutil.which("sfdisk", path="/usr/sbin:/sbin") is None:
        pytest.skip("sfdisk is not installed (Debian: fdisk)")
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate((partitions()[-1].end + 1) * MIB)
    lines = run_script("--layout").stdout
    command = ["/usr/sbin/sfdisk", "--quiet", str(disk)]
    subprocess.run(command, input=lines, text=True, check=True, timeout=DEADLINE_S, capture_output=True)
    overlapping = lines.replace("start=4609MiB", "start=4608MiB")
    assert subprocess.run(command, input=overlapping, text=True, check=False, capture_output=True).returncode != 0


@pytest.mark.parametrize("name", ["build.sh", "make-read-only.sh"])
def test_scripts_of_the_image_parse_and_are_executable(name: str) -> None:
    assert os.access(FOLDER / name, os.X_OK)
    subprocess.run(["bash", "-n", FOLDER / name], check=True, timeout=DEADLINE_S)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["--everything"], "--everything: expected --read-only"), ([], "expected the file of the image")],
)
def test_invalid_option_of_the_image_is_one_error_line(arguments: list[str], expected: str) -> None:
    result = run_script(*arguments)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert expected in result.stderr


def test_each_package_is_named_in_one_script() -> None:
    deploy = FOLDER.parent
    lists = [
        set(constants("PACKAGES")),
        set(constants("SCREEN_PACKAGES", deploy / "install.sh")),
        set(constants("SCREEN_PACKAGES", deploy / "setup.sh")) | set(constants("BADGE_PACKAGES", deploy / "setup.sh")),
    ]
    assert all(lists)
    assert len(set.union(*lists)) == sum(map(len, lists))


def test_files_that_the_image_needs_exist() -> None:
    text = SCRIPT.read_text()
    assert "{user-data,meta-data,network-config}" in text
    names = {*SEED, *re.findall(r'\$HERE/([\w.-]+)"', text)}
    assert {path.name for path in FOLDER.iterdir()} == {*names, SCRIPT.name}
    assert all((ROOT / name).exists() for name in constants("PROGRAM"))
    assert set(container_module.PROGRAM) == set(constants("PROGRAM"))


def test_script_makes_the_system_of_the_image_read_only(tmp_path: Path) -> None:
    """Let the scripts write into a folder of the test."""
    (tmp_path / "etc" / "cloud").mkdir(parents=True)
    functions = SCRIPT.read_text().removesuffix('main "$@"\n').replace('$(dirname "${BASH_SOURCE[0]}")', str(FOLDER))
    read_only = (FOLDER / "make-read-only.sh").read_text().replace("/etc/", f"{tmp_path}/etc/")
    for script in (f"{functions}\nroot={tmp_path}\nwrite_fstab\n", read_only):
        before = (tmp_path / "etc" / "fstab").read_text() if script == read_only else ""
        subprocess.run(["bash", "-c", script], check=True, timeout=DEADLINE_S)
    assert (tmp_path / "etc" / "fstab").read_text() == before.replace(" / ext4 rw,", " / ext4 ro,") != before
    assert (tmp_path / "etc" / "cloud" / "cloud-init.disabled").exists()


def test_document_names_the_programs_that_build_the_image() -> None:
    text = (FOLDER.parent / "README.md").read_text()
    match = re.search(r"^sudo apt-get install (.*)$", text, re.MULTILINE)
    assert match is not None
    assert {*match[1].split(), "util-linux"} == {tool.partition(":")[2] for tool in constants("TOOLS")}


# --- The built image ---


class Image(NamedTuple):
    """Image that was built, with the folder that has the files of its partitions."""

    path: Path
    files: Path


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    if reason := why_no_container():
        pytest.skip(reason)
    try:
        environment = {**os.environ, "RELEASE": RELEASE, "MIRROR": mirror()}
    except NotAvailableError as error:
        pytest.skip(f"no archive of Debian: {error}")
    path = container_module.CACHE / f"image-{os.getpid()}" / "table.img"
    try:
        result = subprocess.run(
            [SCRIPT, "--read-only", "--keep-files", path],
            env=environment, capture_output=True, text=True, timeout=INSTALL_DEADLINE_S, check=False,
        )  # fmt: skip
        if "programs are missing" in result.stderr:
            pytest.skip(result.stderr)
        assert result.returncode == 0, result.stdout + result.stderr
        yield Image(path, Path(f"{path}.files"))
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


@pytest.mark.soak
def test_image_has_the_documented_partitions(image: Image) -> None:
    output = subprocess.run(["/usr/sbin/sfdisk", "--json", image.path], capture_output=True, text=True, check=True)
    table = json.loads(output.stdout)["partitiontable"]
    found = [(item["name"], item["start"] // 2048, item["size"] // 2048) for item in table["partitions"]]
    assert found == [tuple(partition) for partition in partitions()]
    boot, *others = partitions()
    for partition in others:
        device = f"{image.path}?offset={partition.start * MIB}"
        result = subprocess.run(["/usr/sbin/e2fsck", "-fn", device], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout
    listing = subprocess.run(
        ["mdir", "-b", "-/", "-i", f"{image.path}@@{boot.start}M", "::"], capture_output=True, text=True, check=True
    ).stdout
    for name in (*SEED, "vmlinuz", "initrd.img", "EFI/BOOT/BOOTX64.EFI", "loader/entries/potkeeper.conf"):
        assert name.lower() in listing.lower() or "BOOTX64" in name


def shared_secrets(files: Path) -> list[str]:
    """Return the files that every table of the image would share, although they must differ."""
    patterns = ("*/etc/potkeeper/*.key*", "*/etc/ssh/ssh_host_*", "*/var/lib/systemd/random-seed")
    found = [str(path) for pattern in patterns for path in files.glob(pattern)]
    identity = files / "root" / "etc" / "machine-id"
    return found + ([str(identity)] if identity.read_text() else [])


@pytest.mark.soak
def test_tables_of_an_image_share_no_secret(image: Image) -> None:
    assert shared_secrets(image.files) == []
    planted = image.files / "table" / "etc" / "potkeeper" / "journal.key"
    planted.write_text("a key")
    assert shared_secrets(image.files) == [str(planted)]
    planted.unlink()


@pytest.fixture(scope="module")
def table(image: Image) -> Iterator[Container]:
    """Yield a container with the files of the image after its first boot, which has no network."""
    subprocess.run(["cp", "-a", f"{image.files}/table/.", f"{image.files}/root{TABLE}"], check=True)
    # The root of a container belongs to a disk of this machine, which must not be mounted again in another way.
    fstab = image.files / "root" / "etc" / "fstab"
    lines = fstab.read_text().splitlines(keepends=True)
    fstab.write_text("".join(line for line in lines if not line.startswith("LABEL=")))
    seed = image.files / "root" / "var" / "lib" / "cloud" / "seed" / "nocloud"
    seed.mkdir(parents=True)
    for name in SEED:
        text = (image.files / "boot" / name).read_text()
        (seed / name).write_text(re.sub(r"ssh-ed25519 .*", KEY, text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container_module, "cached_system", lambda _: image.files / "root")
        container = Container("image")
    try:
        container.boot(has_network=False)
        yield container
    finally:
        container.remove()


@pytest.mark.soak
def test_first_boot_sets_up_the_table(table: Container) -> None:
    result = "/var/lib/cloud/data/result.json"
    table.until(lambda: table.run("test", "-e", result, check=False).returncode == 0, "cloud-init is done")
    assert json.loads(table.output("cat", result))["v1"]["errors"] == []
    assert table.output("hostname") == "table-1"
    assert table.output("readlink", "/etc/localtime").endswith("Europe/Berlin")
    assert table.output("cat", "/home/technician/.ssh/authorized_keys") == KEY
    assert table.output("sudo", "id", "-u", user="technician") == "0"
    assert len(table.output("cat", "/etc/machine-id")) == 32
    assert table.output("systemctl", "--failed", "--no-legend") == ""
    table.until(lambda: table.property(UNIT, "ActiveState") == "active", "the service is active")
    assert "signs the journal" not in table.log(UNIT)
    public = table.output("cat", "/etc/potkeeper/journal.key.pub")
    assert re.fullmatch("[0-9a-f]{64}", public)


@pytest.mark.soak
def test_only_ssh_listens_on_a_table_of_the_image(table: Container) -> None:
    assert set(table.listening_ports()) == {22}
    assert "passwordauthentication no" in table.output("sshd", "-T").lower()


@pytest.mark.soak
def test_second_boot_is_read_only_and_the_table_works(table: Container) -> None:
    """Boot a second time, make the root of the container read-only, and play a hand that the journal keeps."""
    table.shut_down()
    table.boot(has_network=False)
    table.run("test", "-e", "/etc/cloud/cloud-init.disabled")
    table.run("mount", "-o", "remount,bind,ro", "/")
    assert table.run("touch", "/etc/new", check=False).returncode != 0
    table.run("systemctl", "restart", UNIT)
    link = table.link()
    for seat in (1, 2):
        command_view(link, f"{seat} sit 500")
    assert command_view(link, "hand").turn
    assert link.view().is_recorded
    for folder in constants("FOLDERS"):
        table.run("touch", f"/{folder}/new")
        table.run("rm", f"/{folder}/new")
    table.hang_up()


def documented(pattern: str) -> str:
    """Return the only command of the document that contains the text."""
    text = (FOLDER.parent / "README.md").read_text()
    (line,) = {line.strip() for line in text.splitlines() if pattern in line and line.strip().startswith("sudo ")}
    return line


@pytest.mark.soak
def test_documented_commands_run_on_a_table_of_the_image(table: Container) -> None:
    def run(pattern: str, code: int = 0) -> str:
        result = table.run("sh", "-c", documented(pattern), user="technician", check=False)
        assert result.returncode == code, result.stdout + result.stderr
        return result.stdout

    lines = run("potkeeper check --config", code=1).splitlines()
    devices = re.compile("BAD (?:(?:reader|panel board) .* at /dev/serial/by-id/|keys at GPIO pins)")
    assert [line for line in lines if line.startswith("BAD") and not devices.match(line)] == []
    assert any(line.startswith("ok  service: it runs") for line in lines)
    table.hang_up()
    table.run("systemctl", "stop", UNIT)
    assert " continues " in run("potkeeper journal begin")
    table.run("systemctl", "start", UNIT)
    assert table.link().view().is_recorded
    table.hang_up()
