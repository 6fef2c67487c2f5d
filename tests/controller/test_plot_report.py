"""A report with plots is one file that contains every name and number of the run.

If two runs have equal data, their reports are equal.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

from controller import bench
from controller.cli import main
from controller.report import (
    BarPlot,
    Curve,
    CurvePlot,
    HtmlPage,
    MotionResult,
    ReportError,
    evening_page,
    latency_page,
    sweep_page,
    write_page,
    write_png,
)
from controller.report.html_page import render_svg

pytest.importorskip("matplotlib")


def floor_ms(chips: int) -> float:
    return 60.0 + 30.0 * chips


def motions() -> list[MotionResult]:
    chance = Random(1)
    detected = [
        MotionResult(
            f"bet{chance.randint(1, 10)}", chips, int(chance.gauss(250, 30) * 1000 * chips**0.5), 1_500_000, "right", ""
        )
        for chips in range(1, 22)
        for _ in range(5)
    ]
    return [
        *detected,
        MotionResult("bet3", 7, None, 2_000_000, "wrong-never-heard", "sticky"),
        MotionResult("bet4", 300, 9_000_000, None, "asked", "splash <both>"),
    ]


def test_session_report_lists_errors_with_their_causes(tmp_path: Path) -> None:
    page = evening_page({"hands": 12_345, "wall_seconds": 1.25}, motions(), floor_ms)
    write_page(tmp_path / "page.html", page)
    text = (tmp_path / "page.html").read_text()
    assert "12,345" in text and "1.2" in text
    assert text.count("<svg") == 5
    assert [plot.title for plot in page.plots if isinstance(plot, BarPlot)] == [
        "Motions that were wrong or asked about, by cause",
        "Motions that were wrong or asked about, by antenna",
        "Motions that were wrong or asked about, by height",
    ]
    by_cause = next(plot for plot in page.plots if plot.title.endswith("cause"))
    assert isinstance(by_cause, BarPlot)
    assert by_cause.rows == {"splash <both>": (1, 0, 0, 0, 0), "sticky": (0, 0, 0, 1, 0)}


def test_session_report_without_errors_has_no_empty_plots() -> None:
    page = evening_page({"hands": 1}, [MotionResult("bet1", 5, 200_000, 1_500_000, "right", "")], floor_ms)
    assert [plot.title for plot in page.plots] == ["Time until chips are detected", "Time until the motion is complete"]


def test_latency_report_has_a_plot_per_reader_and_a_row_per_scenario(tmp_path: Path) -> None:
    def row(reader: str, scenario: str) -> dict[str, object]:
        times = {"floor_ms": 100.0, "p50_ms": 130.0, "p99_ms": 180.0, "host_p50_ms": 2.0, "host_p99_ms": 4.0}
        return {"reader": reader, "technology": "iso15693", "scenario": scenario, **times, "flush_p99_ms": 1.0}

    page = latency_page([row("feig", "1x5 in turn"), row("feig", "9x20 in turn"), row("pepper", "1x5 in turn")])
    feig, pepper = page.plots
    assert isinstance(feig, BarPlot) and isinstance(pepper, BarPlot)
    assert feig.rows["1x5 in turn"] == (100.0, 30.0, 50.0)
    assert len(feig.rows) == 2 and len(pepper.rows) == 1
    write_page(tmp_path / "page.html", page)
    assert (tmp_path / "page.html").read_text().count("<td>9x20 in turn</td>") == 1


def test_sweep_report_has_a_plot_per_scenario_and_a_bar_per_policy(tmp_path: Path) -> None:
    times = {"p50_ms": 480, "p95_ms": 960, "stalest_ms": 2100}
    rows = [
        {"policy": policy, "scenario": scene, **times} for policy in ("calm", "eager") for scene in ("9x20", "9x10")
    ]
    page = sweep_page(rows)
    *scenes, unread = page.plots
    assert [plot.title for plot in scenes] == [
        "Time until chips are detected: 9x20",
        "Time until chips are detected: 9x10",
    ]
    assert all(isinstance(plot, BarPlot) and plot.rows["calm"] == (480, 480) for plot in scenes)
    assert isinstance(unread, BarPlot) and unread.rows["eager, 9x10"] == (2100,)
    write_page(tmp_path / "page.html", page)
    assert (tmp_path / "page.html").read_text().count("<td>eager</td>") == 2


def test_bench_writes_its_report_to_the_given_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"policy": "calm", "scenario": "9x20", "p50_ms": 480, "p95_ms": 960, "stalest_ms": 2100}
    monkeypatch.setattr(bench, "measure_sweep", lambda *_: [row])
    result = CliRunner().invoke(main, ["bench", "sweep", "--report", str(tmp_path / "page.html"), "--json"])
    assert (result.exit_code, msgspec.json.decode(result.stdout)) == (0, [row])
    assert "<svg" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("command", [["simulate"], ["bench", "sweep"], ["bench", "latency"]])
@pytest.mark.parametrize("where", ["no/page.html", "."])
def test_unwritable_report_path_is_refused_before_the_run(
    command: list[str], where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("controller.simulation.simulate", "controller.bench.measure_sweep", "controller.bench.measure_latency"):
        monkeypatch.setattr(run, None)
    result = CliRunner().invoke(main, [*command, "--report", str(tmp_path / where)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.endswith("expected a file that can be written\n")


def test_same_figures_render_the_same_plot() -> None:
    plot = CurvePlot("t", "ms", (Curve("a", (1.0, 2.0), 0.5), Curve("b", (3.0,))))
    assert render_svg(plot) == render_svg(plot)


def test_single_plot_is_written_as_png(tmp_path: Path) -> None:
    plot = BarPlot("t", "ms", ("a", "b"), {"x": (1.0, 2.0)})
    write_png(plot, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ReportError, match="expected a file that can be written"):
        write_png(plot, tmp_path / "none" / "plot.png")


def test_names_in_a_report_are_escaped(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", HtmlPage("<b>", {"<i>": "<u>"}, ()))
    text = (tmp_path / "page.html").read_text()
    assert "<b>" not in text and "<i>" not in text and "<u>" not in text


def test_unwritable_report_file_is_one_error_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"Is a directory, expected a file that can be written"):
        write_page(tmp_path, HtmlPage("t", {}, ()))


def test_missing_matplotlib_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ReportError, match="the extra `lab`"):
        render_svg(BarPlot("t", "ms", ("a",), {"x": (1.0,)}))
