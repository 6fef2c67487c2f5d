"""The set-up in a browser, whose tasks the door of another process does."""

from __future__ import annotations

import logging
from typing import Final, get_args

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from controller.view import setup
from ui.web.routes.route import RouteEntry, json_response, read_body
from ui.web.routes.web_table import WebTable

_logger = logging.getLogger(__name__)


class NewFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to replace a file of the configuration."""

    file: setup.SetupFile
    text: str


async def _check_table(request: Request, web: WebTable) -> Response:
    return json_response(await _ask_door(setup.SetupRequest(task="check"), request, web))


async def _read_log(request: Request, web: WebTable) -> Response:
    return json_response(await _ask_door(setup.SetupRequest(task="log"), request, web))


async def _collect_bundle(request: Request, web: WebTable) -> Response:
    answer = await _ask_door(setup.SetupRequest(task="bundle"), request, web)
    if answer.exit_code:
        return json_response(answer)
    headers = {"Content-Disposition": 'attachment; filename="bundle.tar.gz"'}
    return Response(answer.data, media_type="application/gzip", headers=headers)


async def _read_config(request: Request, web: WebTable) -> Response:
    name = request.path_params["name"]
    if name not in get_args(setup.SetupFile):
        raise HTTPException(404, f"expected one of {', '.join(get_args(setup.SetupFile))}")
    return json_response(await _ask_door(setup.SetupRequest(task="read", file=name), request, web))


async def _save_config(request: Request, web: WebTable) -> Response:
    new = await read_body(request, NewFile, 2 * setup.MAX_TEXT_BYTES)
    return json_response(await _ask_door(setup.SetupRequest(task="save", file=new.file, text=new.text), request, web))


async def _ask_door(task: setup.SetupRequest, request: Request, web: WebTable) -> setup.SetupAnswer:
    """Return the answer of the door for the set-up. Raises HTTPException if this table has no such door."""
    if web.door is None:
        raise HTTPException(404, "This table offers no set-up to browsers.")
    answer = await web.door.ask(task)
    _logger.warning(
        "%s has asked for %s %s: exit code %d", request.state.person, task.task, task.file, answer.exit_code
    )
    return answer


SETUP_ROUTES: Final = (
    RouteEntry("POST", "/setup/check", "technician", _check_table, None, setup.SetupAnswer),
    RouteEntry("GET", "/setup/log", "technician", _read_log, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/bundle", "technician", _collect_bundle),
    RouteEntry("GET", "/setup/file/{name}", "technician", _read_config, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/save", "technician", _save_config, NewFile, setup.SetupAnswer),
)
