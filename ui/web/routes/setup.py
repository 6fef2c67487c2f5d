"""The set-up in a browser, whose tasks the door of another process does."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Annotated, Final, Literal, get_args
from urllib.parse import unquote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from controller.messages import messages_for
from controller.view import RefusalView, pages, setup
from ui.scene import page_content
from ui.state import SetUpKey
from ui.web.routes.route import RouteEntry, json_response, language_of, read_body
from ui.web.routes.table import texts_of
from ui.web.routes.web_table import WebTable

_logger = logging.getLogger(__name__)

FILE_TYPE: Final = "application/octet-stream"
MAX_LENGTH_DIGITS: Final = 12
"""Maximum number of digits in the length of an upload."""


PASSPHRASE_HEADER: Final = "passphrase"
"""Name of the header with the passphrase of a backup to restore, because the body is the file."""


class NewFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to replace a file of the configuration."""

    file: setup.SetupFile
    text: str


class GuideKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request to touch a key of the guided set-up, as `SetUpKey` of the dealer's screen."""

    word: Literal["find", "enroll", "tune", "skip", "back", "ready", "take", "finish", "write", "discard", "cancel"]
    number: Annotated[int, msgspec.Meta(ge=0, lt=1_000_000_000)] = 0


class Passphrase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of a request for a backup. A request for a restore has the passphrase in a header."""

    passphrase: Annotated[str, msgspec.Meta(min_length=12, max_length=200, pattern=r"\A[^\r\n]*\Z")]
    """At least twelve characters in one line, as for `potkeeper backup`."""


async def _check_table(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="check"), request, web)


async def _read_log(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="log"), request, web)


async def _collect_bundle(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="bundle"), request, web, "bundle.tar.gz")


async def _read_config(request: Request, web: WebTable) -> Response:
    name = request.path_params["name"]
    if name not in get_args(setup.SetupFile):
        raise HTTPException(404, f"expected one of {', '.join(get_args(setup.SetupFile))}")
    return await _answer(setup.SetupRequest(task="read", file=name), request, web)


async def _save_config(request: Request, web: WebTable) -> Response:
    new = await read_body(request, NewFile, 2 * setup.MAX_TEXT_BYTES)
    return await _answer(setup.SetupRequest(task="save", file=new.file, text=new.text), request, web)


async def _show_guide(request: Request, web: WebTable) -> Response:
    """Return the page of the guided set-up as the dealer's screen shows it, with its keys and its progress."""
    page = await web.table.ask("look set-up")
    if web.table.view is None or not isinstance(page, pages.SetUpPage):
        raise HTTPException(503, "The service of the table does not answer.")
    messages = messages_for(web.table.view, language=language_of(request))
    content = page_content(page, web.table.view, messages)
    keys = [
        {"word": key.target.word, "number": key.target.number, "label": key.label, "enabled": key.is_enabled}
        for key in content.keys
        if isinstance(key.target, SetUpKey)
    ]
    progress = {"stage": page.stage, "step": page.step, "total": page.total, "copies": bool(page.copy_to)}
    return json_response({**texts_of(content), "keys": keys, **progress})


async def _touch_guide(request: Request, web: WebTable) -> Response:
    """Touch a key of the guided set-up, and return its page. The service refuses a key that is not allowed now."""
    key = await read_body(request, GuideKey)
    answer = await _ask(setup.SetupRequest(task="guide", text=f"{key.word} {key.number}"), request, web)
    if answer.refused:
        refusal = RefusalView(code=answer.refused)
        messages = messages_for(web.table.view, language=language_of(request)) if web.table.view else None
        raise HTTPException(409, messages.refusal(refusal) if messages is not None else answer.refused)
    if answer.exit_code:
        raise HTTPException(409, answer.text)
    return await _show_guide(request, web)


async def _take_over(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="take-over"), request, web)


async def _back_up(request: Request, web: WebTable) -> Response:
    passphrase = (await read_body(request, Passphrase)).passphrase
    return await _answer(setup.SetupRequest(task="backup", text=passphrase), request, web, "table.backup")


async def _update(request: Request, web: WebTable) -> Response:
    """Pass the file of a release on, without keeping it in memory."""
    size = _upload_bytes(request, "the file of a release", setup.MAX_RELEASE_BYTES)
    task = setup.SetupRequest(task="update", upload_bytes=size)
    return json_response(await _ask(task, request, web, request.stream()))


async def _restore(request: Request, web: WebTable) -> Response:
    """Pass a backup on, without keeping it in memory. Its passphrase is in a header, percent-encoded as UTF-8."""
    size = _upload_bytes(request, "a backup", setup.MAX_BACKUP_BYTES)
    given = {"passphrase": unquote(request.headers.get(PASSPHRASE_HEADER, ""))}
    try:
        passphrase = msgspec.convert(given, Passphrase).passphrase
    except msgspec.ValidationError as error:
        raise HTTPException(400, str(error)) from None
    task = setup.SetupRequest(task="restore", text=passphrase, upload_bytes=size)
    return json_response(await _ask(task, request, web, request.stream()))


def _upload_bytes(request: Request, kind: str, max_bytes: int) -> int:
    """Return the size of an upload. Raises HTTPException if it is empty or too large."""
    length = request.headers.get("content-length", "")
    size = int(length) if length.isascii() and length.isdigit() and len(length) <= MAX_LENGTH_DIGITS else 0
    if not 0 < size <= max_bytes:
        raise HTTPException(413, f"expected {kind} with at most {max_bytes} bytes")
    return size


async def _roll_back(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="rollback"), request, web)


async def _read_switch_log(request: Request, web: WebTable) -> Response:
    return await _answer(setup.SetupRequest(task="switch-log"), request, web)


async def _answer(task: setup.SetupRequest, request: Request, web: WebTable, file_name: str = "") -> Response:
    """Return the answer of the door as JSON, or its file with this name."""
    answer, content = await _ask_for_file(task, request, web)
    if not answer.file_bytes:
        return json_response(answer)
    headers = {
        "Content-Disposition": f'attachment; filename="{file_name}"',
        "Content-Length": str(answer.file_bytes),
    }
    return StreamingResponse(content, media_type=FILE_TYPE, headers=headers)


async def _ask(
    task: setup.SetupRequest, request: Request, web: WebTable, upload: AsyncIterator[bytes] | None = None
) -> setup.SetupAnswer:
    answer, _ = await _ask_for_file(task, request, web, upload)
    return answer


async def _ask_for_file(
    task: setup.SetupRequest, request: Request, web: WebTable, upload: AsyncIterator[bytes] | None = None
) -> tuple[setup.SetupAnswer, AsyncIterator[bytes]]:
    """Return the answer of the door for the set-up. Raises HTTPException if this table has no such door."""
    if web.door is None:
        raise HTTPException(404, "This table offers no set-up to browsers.")
    answer, content = await web.door.ask(task, upload)
    detail = task.file or (task.text if task.task == "guide" else "")
    _logger.warning("%s has asked for %s %s: exit code %d", request.state.person, task.task, detail, answer.exit_code)
    return answer, content


SETUP_ROUTES: Final[tuple[RouteEntry[WebTable], ...]] = (
    RouteEntry("POST", "/setup/check", "technician", _check_table, None, setup.SetupAnswer),
    RouteEntry("GET", "/setup/log", "technician", _read_log, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/bundle", "technician", _collect_bundle),
    RouteEntry("GET", "/setup/file/{name}", "technician", _read_config, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/save", "technician", _save_config, NewFile, setup.SetupAnswer),
    RouteEntry("GET", "/setup/guide", "technician", _show_guide),
    RouteEntry("POST", "/setup/guide", "technician", _touch_guide, GuideKey),
    RouteEntry("POST", "/setup/take-over", "technician", _take_over, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/backup", "technician", _back_up, Passphrase),
    RouteEntry("POST", "/setup/update", "technician", _update, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/rollback", "technician", _roll_back, None, setup.SetupAnswer),
    RouteEntry("POST", "/setup/restore", "technician", _restore, None, setup.SetupAnswer),
    RouteEntry("GET", "/setup/switch-log", "technician", _read_switch_log, None, setup.SetupAnswer),
)
