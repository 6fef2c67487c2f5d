"""`potkeeper find`, `enroll` and `tune` with emulated devices at pseudo terminals."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from hardware.chip_register import derive_public_key, generate_private_key, load_chip_list, sign_text
from hardware.layout import parse_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from tests.small_layout import CHIP, RANGES, SMALL_LAYOUT, with_ports

SMALL = SMALL_LAYOUT + RANGES
DEPLOY = Path(__file__).resolve().parents[2] / "hardware" / "deploy" / "README.md"


def run_find(layout: Path, on_line: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    """Run the command, and call `on_line` with each line that it prints."""
    echo = click.echo

    def print_and_act(line: str) -> None:
        echo(line)
        on_line(line)

    monkeypatch.setattr("controller.commands.guided_setup.click.echo", print_and_act)
    return CliRunner().invoke(main, ["find", str(layout), *options])


def test_find_writes_the_layout_of_real_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SMALL.replace('1 = "bet1", 2 = "bet3"', '2 = "bet1", 5 = "bet3"')
    text = text.replace('0 = "seat1", 1 = "fold"', '2 = "seat1", 0 = "fold"').replace('0 = "seat1" }', '2 = "seat1" }')
    true_layout = parse_layout(text)
    world, path = World({}), tmp_path / "layout.toml"
    with PtyTable(true_layout, world) as table:
        text = with_ports(SMALL, table.layout.ports)
        path.write_text(text)

        def act(line: str) -> None:
            if line.startswith("put one chip on "):
                with table.exclusive_world():
                    if world.is_on_a_spot(CHIP):
                        world.lift_foreign_tag(CHIP)
                    world.lay_foreign_tag(CHIP, line.removeprefix("put one chip on "))
            elif line.startswith("press "):
                table.press(line.removeprefix("press "))
                table.release(line.removeprefix("press "))

        result = run_find(path, act, monkeypatch)
    assert result.exit_code == 0, result.output
    found = parse_layout(path.read_text())
    assert found.readers[0].antennas == {2: "bet1", 5: "bet3"}
    assert (found.panels[0].buttons, found.panels[0].lamps) == ({0: "fold", 2: "seat1"}, {2: "seat1"})
    assert "# the back room" in path.read_text() and "# bolted under seat 1" in path.read_text()
    assert "bet3: antenna 5 of odd, the layout had antenna 2 of odd" in result.output
    assert "FEIG reader" in result.output and "panel board" in result.output


def test_find_without_devices_names_each_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.guided_setup.device_bench.HANDSHAKE_TIMEOUT_S", 0.01)
    monkeypatch.setattr("hardware.guided_setup.find.MAX_PRESS_WAITS", 1)
    path = tmp_path / "layout.toml"
    path.write_text(SMALL)
    result = CliRunner().invoke(main, ["find", str(path)])
    assert result.exit_code == 1
    assert "ODD: nothing answers" in result.output and "bet1: not found, left as it was" in result.output
    assert path.read_text() == SMALL
    result = CliRunner().invoke(main, ["find", str(tmp_path / "none.toml")])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_tune_prints_the_dead_antenna_and_writes_the_sure_height(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, path = World({}), tmp_path / "layout.toml"
    monkeypatch.setattr("hardware.guided_setup.tune.OWN_READINGS", 4)
    monkeypatch.setattr("hardware.guided_setup.tune.OTHER_READINGS", 2)
    laid: list[str] = []
    with PtyTable(parse_layout(SMALL), world) as table:
        path.write_text(with_ports(SMALL, table.layout.ports))
        table.unplug("bet3")

        def lay(spot: str, height: int) -> None:
            with table.exclusive_world():
                for uid in laid:
                    world.lift_foreign_tag(uid)
                laid[:] = [f"E00401500025{number:04X}" for number in range(height)]
                for uid in laid:
                    world.lay_foreign_tag(uid, spot)

        monkeypatch.setattr("controller.commands.guided_setup._ask_for_stack", lay)
        result = CliRunner().invoke(main, ["tune", str(path), "--heights", "3,6"])
    assert result.exit_code == 1, result.output
    assert "bet1: good\nbet1: missed chips by height: 3: 0.0%, 6: 0.0%\n" in result.output
    assert "bet3: dead: no chip is heard, check the cable of the antenna" in result.output
    layout = parse_layout(path.read_text())
    assert (layout.antennas.max_sure_heights, layout.antennas.measured is None) == ({"bet1": 6}, False)
    assert "# bolted under seat 1" in path.read_text()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--heights", "5,x"], "--heights 5,x: expected numbers of chips from 1 to 200"),
        (["--heights", "0"], "--heights 0"),
        (["--spot", "bet9"], "--spot bet9: expected one of bet1, bet3"),
        (["--port", "third=/dev/null"], "--port third: expected one of low, odd"),
        ([], "odd at ODD: nothing answers, expected a reader"),
    ],
)
def test_bad_option_of_tune_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], expected: str
) -> None:
    monkeypatch.setattr("hardware.guided_setup.device_bench.HANDSHAKE_TIMEOUT_S", 0.01)
    path = tmp_path / "layout.toml"
    path.write_text(SMALL)
    result = CliRunner().invoke(main, ["tune", str(path), *options])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert expected in result.output


def write_scanned_chips(folder: Path) -> None:
    """Run the documented commands that write the lines of `chips.txt` into the layout `trial.toml`."""
    section = DEPLOY.read_text().partition("8. **Enter the chips.**")[2].partition("\n9. ")[0]
    commands = [line.strip() for line in section.splitlines() if line.endswith("tee -a /etc/potkeeper/layout.toml")]
    script = "\n".join(commands).replace("sudo ", "").replace("/etc/potkeeper/layout.toml", "trial.toml")
    subprocess.run(["sh", "-euc", script.replace("/tmp/", "")], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def test_enroll_writes_the_next_list_for_the_house_to_sign_and_scan_prints_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, path, out = World({}), tmp_path / "layout.toml", tmp_path / "next.toml"
    private = generate_private_key()
    (tmp_path / "key").write_text(private)
    (tmp_path / "key").chmod(0o600)
    register = sign_text(b'house = "Grand"\nnumber = 3\nlisted = { E004015000250001 = 25 }\n', private)
    (tmp_path / "register.toml").write_bytes(register)
    piles = iter([20, 20, 5, 0])
    with PtyTable(parse_layout(SMALL), world) as table:
        text = with_ports(SMALL_LAYOUT, table.layout.ports)
        path.write_text(f'{text}register = "register.toml"\nregister_key = "{derive_public_key(private)}"\n')
        laid: list[str] = []

        def ask(spot: str, pile: int) -> int:
            count = next(piles)
            if count == 0:
                return 0  # The last pile stays for `scan`.
            with table.exclusive_world():
                for uid in laid:
                    world.lift_foreign_tag(uid)
                # The first pile contains a chip that is on the list already, and is put again without it.
                first = 0x1000 if laid else 1
                laid[:] = [f"E00401500025{number + (count == 5) * 0x500:04X}" for number in range(first, first + count)]
                for uid in laid:
                    world.lay_foreign_tag(uid, spot)
            return count

        monkeypatch.setattr("controller.commands.guided_setup._ask_for_pile", ask)
        options = ["--denomination", "25", "--out", str(out), "--spot", "bet1"]
        result = CliRunner().invoke(main, ["enroll", str(path), *options])
        scanned = CliRunner().invoke(main, ["chips", "scan", "--layout", str(path), *options[:2], "--spot", "bet1"])
    assert (result.exit_code, scanned.exit_code) == (0, 0), result.output + scanned.output
    (tmp_path / "chips.txt").write_text(scanned.stdout * 2)
    (tmp_path / "trial.toml").write_text(SMALL)
    write_scanned_chips(tmp_path)
    listed = parse_layout((tmp_path / "trial.toml").read_text()).chips.listed
    assert listed == dict.fromkeys(laid, 25) and len(listed) == 5
    assert result.output.splitlines() == [
        "E004015000250001: already listed as 25",
        "pile refused, nothing taken up: 0 chips in all",
        "pile of 20 taken up: 20 chips in all",
        "pile of 5 taken up: 25 chips in all",
        f"{out}: list 4 of Grand, 25 new chips, not signed yet",
    ]
    signed = tmp_path / "signed.toml"
    arguments = ["chips", "sign", str(out), "--key", str(tmp_path / "key"), "--out", str(signed)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    chip_list = load_chip_list(signed, derive_public_key(private))
    assert (chip_list.number, len(chip_list.listed)) == (4, 26)
    assert CliRunner().invoke(main, ["enroll", str(path), *options]).exit_code == 2, "an existing list was overwritten"
    (tmp_path / "first.toml").write_bytes(sign_text(b'house = "Grand"\nnumber = 1\n', private))
    assert load_chip_list(tmp_path / "first.toml", derive_public_key(private)).listed == {}
