"""Pictures of given views, without a service. For the reference views: `python -m ui.snapshot --out DIR`."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from controller.view import TableView
from ui.display import DisplayError, display, kivy_environment
from ui.options import add_look, look_of, size_of
from ui.samples import Sample, samples
from ui.scene import LOOK, Look
from ui.state import Say, Screen

FRAME_S = 20.0
"""How long one frame may take: a software renderer on a busy machine needs some 50 ms."""
RENDER_S = 180.0
"""How long a whole batch may take."""


class SnapshotError(RuntimeError):
    """The pictures could not be drawn; the message has the last line that the drawing process said."""


async def draw(
    batch: Sequence[Sample], folder: Path, look: Look = LOOK, size: tuple[int, int] | None = None
) -> list[Path]:
    """Draws each sample in the window of this process. Kivy must be ready to be imported."""
    from ui.app import Options, ScreenApp, run_app
    from ui.window import next_flip

    app = ScreenApp(Options(look=look, size=size), lambda do, shown: True)
    paths: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)

    async def work() -> None:
        for sample in batch:
            app.screen, app.players = Screen(), sample.players
            app.view(sample.view)
            for target in sample.touches:
                app.touched(target)
            if sample.answer is not None:
                app.page("", sample.answer)
            if not sample.live:
                app.lost(Say("connection-ended"))
            path = folder / f"{sample.name}.png"
            await asyncio.wait_for(next_flip(path), FRAME_S)
            paths.append(path)

    await run_app(app, work())
    return paths


def render(views: Iterable[tuple[str, TableView]], folder: Path) -> list[Path]:
    """Writes `folder`/NAME.png for each (name, view), drawn by a process of its own.

    Raises SnapshotError when it cannot.
    """
    named = list(views)
    command = [sys.executable, "-m", "ui.snapshot", "--stdin", "--out", str(folder)]
    done = subprocess.run(command, input=msgspec.json.encode(named), capture_output=True, timeout=RENDER_S, check=False)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise SnapshotError(f"pictures: {words[-1]}")
    return [folder / f"{name}.png" for name, _ in named]


def main(argv: list[str] | None = None) -> int:
    """Exit code 2: no such view, or nothing to draw on."""
    parser = argparse.ArgumentParser(prog="python -m ui.snapshot", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--stdin", action="store_true", help="read names and views as JSON from standard input")
    add_look(parser)
    parser.add_argument("names", nargs="*", help="reference views; all of them when none is named")
    options = parser.parse_args(argv)
    known = samples()
    if options.stdin:
        named = msgspec.json.decode(sys.stdin.buffer.read(), type=list[tuple[str, TableView]])
        batch = [Sample(name, view) for name, view in named]
    else:
        batch = [sample for sample in known if not options.names or sample.name in options.names]
    missing = set(options.names) - {sample.name for sample in known}
    if missing:
        print(f"ui.snapshot: no reference view {sorted(missing)[0]}", file=sys.stderr)
        return 2
    try:
        with kivy_environment(), display():
            asyncio.run(draw(batch, options.out, look_of(options), size_of(options)))
    except DisplayError as error:
        print(f"ui.snapshot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
