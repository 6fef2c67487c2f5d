"""The files of the page: HTML, style, modules of JavaScript, and the fonts of the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from ui.scene import tokens
from ui.web.routes.route import RouteEntry
from ui.web.routes.web_program import WebProgram

STYLE_TONES: Final = ("number", "key", "main", "quiet", "soft", "calm", "question", "warning", "info", "refused", "ok")
"""Tones of the screen that the style of the pages uses."""
COLOUR_SCHEMES: Final = {"dark": "dark", "bright": "light"}
STATIC_FOLDER: Final = Path(__file__).parents[1] / "static"


def _kivy_font_folder() -> Path:
    """Return the folder of the fonts that come with Kivy, without importing Kivy."""
    from importlib.util import find_spec

    spec = find_spec("kivy")
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders or ("/usr/share/kivy",)))) / "data" / "fonts"


FONT_FILES: Final = {
    "Roboto": _kivy_font_folder() / "Roboto-Bold.ttf",
    "DejaVuSans": _kivy_font_folder() / "DejaVuSans.ttf",
}
"""Files of the screen's fonts by name. For Chinese characters a browser uses one of the fonts on its machine."""


async def _show_page(request: Request, web: WebProgram) -> Response:
    return static_file(web, "index.html")


async def _font(request: Request, web: WebProgram) -> Response:
    path = FONT_FILES.get(request.path_params["name"])
    if path is None or not path.exists():
        raise HTTPException(404, "no such font")
    return FileResponse(path, headers={"Cache-Control": "max-age=86400"})


def _tokens_style() -> str:
    """Return the colours of the screen's design tokens as variables of CSS, for each theme."""
    rules = []
    for theme in tokens.THEMES.values():
        colours = {"paper": theme.background, "ink": theme.text_colour, "felt": theme.felt}
        for name in STYLE_TONES:
            tone = theme.tones[name]
            colours |= {name: tone.background, f"{name}-text": tone.text_colour, f"{name}-line": tone.outline}
        variables = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
        rules.append(f':root[data-theme="{theme.name}"] {{ color-scheme: {COLOUR_SCHEMES[theme.name]}; {variables} }}')
    return "\n".join(rules)


async def _static(request: Request, web: WebProgram) -> Response:
    if request.path_params["name"] == "tokens.css":
        return Response(_tokens_style(), media_type="text/css")
    return static_file(web, request.path_params["name"], (".js", ".css", ".svg"))


def static_file(web: WebProgram, name: str, suffixes: tuple[str, ...] = (".html",)) -> Response:
    """Return a file of the pages. Raise HTTPException if there is no file with this name and one of these suffixes."""
    for path in (folder / name for folder in web.static_folders):
        if path.suffix in suffixes and path.is_file():
            return FileResponse(path)
    raise HTTPException(404, "no such file")


STATIC_ROUTES: Final[tuple[RouteEntry[WebProgram], ...]] = (
    RouteEntry("GET", "/static/{name}", "", _static),
    RouteEntry("GET", "/fonts/{name}", "", _font),
    RouteEntry("GET", "/", "viewer", _show_page),
)
