"""Screenshots of sample views without a service. `python -m ui.screenshots --out DIR` draws them."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from controller.view import TableView
from ui.appearance_options import add_appearance_options, appearance_of, window_size_of
from ui.scene import DEFAULT_APPEARANCE, Appearance
from ui.state import ScreenMessage, ScreenState
from ui.view_samples import ViewSample, view_samples
from ui.virtual_display import DisplayError, display, set_kivy_environment

FRAME_TIMEOUT_S = 60.0
"""Maximum time in seconds to draw one frame. Even a software renderer on a busy machine needs only about 50 ms."""
BATCH_TIMEOUT_S = 180.0
"""Maximum time in seconds for one call to draw all its pictures."""


class ScreenshotError(RuntimeError):
    """An error that is raised if the pictures could not be drawn.

    The message is the last line that the drawing process printed.
    """


async def draw_samples(
    batch: Sequence[ViewSample],
    folder: Path,
    appearance: Appearance = DEFAULT_APPEARANCE,
    size: tuple[int, int] | None = None,
) -> list[Path]:
    """Draw each sample in a window of this process. The caller must call `set_kivy_environment` first."""
    from ui.app import ScreenApp, ScreenOptions, run_app
    from ui.window import next_flip

    options = ScreenOptions(appearance=appearance, window_size=size, takes_pictures=True)
    app = ScreenApp(options, lambda do, sequence: True)
    paths: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)

    async def draw() -> None:
        for sample in batch:
            app.screen, app.is_players_display = ScreenState(), sample.is_players_display
            app.receive_view(sample.view)
            for target in sample.touches:
                app.handle_touch(target)
            if sample.page is not None:
                app.receive_page("", sample.page)
            if not sample.is_live:
                app.receive_connection_lost(ScreenMessage("connection-ended"))
            path = folder / f"{sample.name}.png"
            await asyncio.wait_for(next_flip(path), FRAME_TIMEOUT_S)
            paths.append(path)

    await run_app(app, draw())
    return paths


def render_views(views: Iterable[tuple[str, TableView]], folder: Path) -> list[Path]:
    """Draw each view in a separate process, and return the paths of the pictures.

    The picture of a view is `folder`/NAME.png. Raises ScreenshotError if the process fails.
    """
    named_views = list(views)
    command = [sys.executable, "-m", "ui.screenshots", "--stdin", "--out", str(folder)]
    result = subprocess.run(
        command, input=msgspec.json.encode(named_views), capture_output=True, timeout=BATCH_TIMEOUT_S, check=False
    )
    if result.returncode:
        lines = result.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise ScreenshotError(f"pictures: {lines[-1]}")
    return [folder / f"{name}.png" for name, _ in named_views]


def main(argv: list[str] | None = None) -> int:
    """Draw the pictures. Return 2 if a view is unknown or no display is available."""
    parser = argparse.ArgumentParser(prog="python -m ui.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--stdin", action="store_true", help="read names and views as JSON from standard input")
    add_appearance_options(parser)
    parser.add_argument("names", nargs="*", help="names of sample views (default: all)")
    options = parser.parse_args(argv)
    samples = view_samples()
    if options.stdin:
        named_views = msgspec.json.decode(sys.stdin.buffer.read(), type=list[tuple[str, TableView]])
        batch = [ViewSample(name, view) for name, view in named_views]
    else:
        batch = [sample for sample in samples if not options.names or sample.name in options.names]
    missing = set(options.names) - {sample.name for sample in samples}
    if missing:
        print(f"ui.screenshots: unknown sample view {sorted(missing)[0]!r}", file=sys.stderr)
        return 2
    try:
        with set_kivy_environment(), display():
            asyncio.run(draw_samples(batch, options.out, appearance_of(options), window_size_of(options)))
    except DisplayError as error:
        print(f"ui.screenshots: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
