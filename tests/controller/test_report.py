"""Pages of plots: one file, the same for the same figures, with every name and number of the run in it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

from controller import bench
from controller.cli import main
from controller.report import (
    Bars,
    Curve,
    Curves,
    Motion,
    Page,
    ReportError,
    draw,
    of_evening,
    of_latency,
    of_sweep,
    write,
)
from controller.report.page import drawn

pytest.importorskip("matplotlib")


def floor_ms(chips: int) -> float:
    return 60.0 + 30.0 * chips


def motions() -> list[Motion]:
    chance = Random(1)
    made = [
        Motion(
            f"bet{chance.randint(1, 10)}", chips, int(chance.gauss(250, 30) * 1000 * chips**0.5), 1_500_000, "right", ""
        )
        for chips in range(1, 22)
        for _ in range(5)
    ]
    return [
        *made,
        Motion("bet3", 7, None, 2_000_000, "wrong-never-heard", "sticky"),
        Motion("bet4", 300, 9_000_000, None, "asked", "splash <both>"),
    ]


def test_the_page_of_an_evening_says_what_went_wrong_and_why(tmp_path: Path) -> None:
    page = of_evening({"hands": 12_345, "wall_seconds": 1.25}, motions(), floor_ms)
    write(tmp_path / "page.html", page)
    text = (tmp_path / "page.html").read_text()
    assert "12,345" in text and "1.2" in text
    assert text.count("<svg") == 5
    assert [plot.title for plot in page.plots if isinstance(plot, Bars)] == [
        "Wrong and asked, by cause",
        "Wrong and asked, by antenna",
        "Wrong and asked, by height",
    ]
    by_cause = next(plot for plot in page.plots if plot.title.endswith("cause"))
    assert isinstance(by_cause, Bars)
    assert by_cause.rows == {"splash <both>": (1, 0, 0, 0, 0), "sticky": (0, 0, 0, 1, 0)}


def test_an_evening_without_any_wrong_has_no_empty_plots() -> None:
    page = of_evening({"hands": 1}, [Motion("bet1", 5, 200_000, 1_500_000, "right", "")], floor_ms)
    assert [plot.title for plot in page.plots] == ["Chips down until seen", "Chips down until complete"]


def test_the_page_of_the_bench_has_a_plot_for_each_reader_and_a_row_for_each_scenario(tmp_path: Path) -> None:
    def row(reader: str, scenario: str) -> dict[str, object]:
        times = {"floor_ms": 100.0, "p50_ms": 130.0, "p99_ms": 180.0, "host_p50_ms": 2.0, "host_p99_ms": 4.0}
        return {"reader": reader, "technology": "iso15693", "scenario": scenario, **times, "flush_p99_ms": 1.0}

    page = of_latency([row("feig", "1x5 in turn"), row("feig", "9x20 in turn"), row("pepper", "1x5 in turn")])
    feig, pepper = page.plots
    assert isinstance(feig, Bars) and isinstance(pepper, Bars)
    assert feig.rows["1x5 in turn"] == (100.0, 30.0, 50.0)
    assert len(feig.rows) == 2 and len(pepper.rows) == 1
    write(tmp_path / "page.html", page)
    assert (tmp_path / "page.html").read_text().count("<td>9x20 in turn</td>") == 1


def test_the_page_of_sweeping_has_a_plot_for_each_scenario_and_a_bar_for_each_policy(tmp_path: Path) -> None:
    times = {"p50_ms": 480, "p95_ms": 960, "stalest_ms": 2100}
    rows = [
        {"policy": policy, "scenario": scene, **times} for policy in ("calm", "eager") for scene in ("9x20", "9x10")
    ]
    page = of_sweep(rows)
    *scenes, unread = page.plots
    assert [plot.title for plot in scenes] == ["Chips down until seen: 9x20", "Chips down until seen: 9x10"]
    assert all(isinstance(plot, Bars) and plot.rows["calm"] == (480, 480) for plot in scenes)
    assert isinstance(unread, Bars) and unread.rows["eager, 9x10"] == (2100,)
    write(tmp_path / "page.html", page)
    assert (tmp_path / "page.html").read_text().count("<td>eager</td>") == 2


def test_a_bench_writes_its_page_where_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"policy": "calm", "scenario": "9x20", "p50_ms": 480, "p95_ms": 960, "stalest_ms": 2100}
    monkeypatch.setattr(bench, "measure_sweep", lambda *_: [row])
    done = CliRunner().invoke(main, ["bench", "sweep", "--report", str(tmp_path / "page.html"), "--json"])
    assert (done.exit_code, msgspec.json.decode(done.stdout)) == (0, [row])
    assert "<svg" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("command", [["simulate"], ["bench", "sweep"], ["bench", "latency"]])
@pytest.mark.parametrize("where", ["no/page.html", "."])
def test_a_page_that_cannot_be_written_is_said_before_the_run(
    command: list[str], where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("controller.simulation.simulate", "controller.bench.measure_sweep", "controller.bench.measure_latency"):
        monkeypatch.setattr(run, None)
    done = CliRunner().invoke(main, [*command, "--report", str(tmp_path / where)])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.endswith("expected a file that can be written\n")


def test_the_same_figures_give_the_same_page() -> None:
    plot = Curves("t", "ms", (Curve("a", (1.0, 2.0), 0.5), Curve("b", (3.0,))))
    assert drawn(plot) == drawn(plot)


def test_a_plot_alone_is_a_picture(tmp_path: Path) -> None:
    plot = Bars("t", "ms", ("a", "b"), {"x": (1.0, 2.0)})
    draw(plot, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ReportError, match="expected a file that can be written"):
        draw(plot, tmp_path / "none" / "plot.png")


def test_names_are_not_markup(tmp_path: Path) -> None:
    write(tmp_path / "page.html", Page("<b>", {"<i>": "<u>"}, ()))
    text = (tmp_path / "page.html").read_text()
    assert "<b>" not in text and "<i>" not in text and "<u>" not in text


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"Is a directory, expected a file that can be written"):
        write(tmp_path, Page("t", {}, ()))


def test_without_matplotlib_the_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ReportError, match="the extra `report`"):
        drawn(Bars("t", "ms", ("a",), {"x": (1.0,)}))
