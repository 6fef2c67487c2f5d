"""Signing in with an account of the house: the way to its provider, and the way back."""

from __future__ import annotations

import html
import logging
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from ui.web.oidc import ATTEMPT_S, HouseSignIn, ProviderUnreachableError, SignInRefusedError
from ui.web.routes.route import RouteEntry
from ui.web.routes.static_files import STATIC_FOLDER
from ui.web.routes.web_program import COOKIE, WebProgram
from ui.web.sessions import SESSION_S

_logger = logging.getLogger(__name__)

ATTEMPT_COOKIE: Final = "__Host-sign-in"
"""Cookie of a sign-in that has begun. It is `lax` because the browser comes back from the page of the provider."""
PROBLEM: Final = '<p id="problem" role="alert">'
UNREACHABLE: Final = "The house's accounts do not answer. Try again, or use the local account."
MAX_CODE_LENGTH: Final = 4096
"""Maximum number of characters of a code. Providers use fewer than 2,000."""


async def _begin(request: Request, web: WebProgram) -> Response:
    """Send the browser to the provider, with a cookie that binds the sign-in to this browser."""
    house_sign_in = _house(web)
    if request.headers.get("host") != house_sign_in.configuration.address.removeprefix("https://"):
        # The cookie must belong to the address to which the provider sends the browser back.
        return RedirectResponse(f"{house_sign_in.configuration.address}/sign-in", 303)
    cookie = house_sign_in.attempts.begin()
    try:
        address = await house_sign_in.provider.sign_in_address(house_sign_in.attempts.secrets_of(cookie))
    except ProviderUnreachableError as error:
        _logger.warning("oidc: %s", error)
        return sign_in_page(UNREACHABLE, 503)
    response = RedirectResponse(address, 303)
    response.set_cookie(ATTEMPT_COOKIE, cookie, ATTEMPT_S, secure=True, httponly=True, samesite="lax")
    return response


async def _finish(request: Request, web: WebProgram) -> Response:
    """Start the session of the person for whom the provider gave a code, and show the page that opens the table."""
    house_sign_in = _house(web)
    address = request.client.host if request.client else ""
    # Its own count, so that nobody can block the local account from an address by wrong codes.
    pause = f"oidc {address}"
    if web.pauses.is_paused(pause):
        response = sign_in_page("Too many sign-ins have failed. Try again in five minutes.", 429)
    else:
        response = await _session(request, web, house_sign_in, address, pause)
    response.delete_cookie(ATTEMPT_COOKIE, secure=True, httponly=True, samesite="lax")
    return response


async def _session(request: Request, web: WebProgram, house_sign_in: HouseSignIn, address: str, pause: str) -> Response:
    query = request.query_params
    attempt = house_sign_in.attempts.find(request.cookies.get(ATTEMPT_COOKIE, ""), query.get("state", ""))
    if attempt is None:
        _logger.warning("oidc: sign-in from %s refused: begun in another browser, or too long ago", address)
        return sign_in_page("This sign-in did not begin in this browser, or took too long. Try again.", 403)
    if not query.get("code"):
        error = query.get("error", "no code")[:80]
        _logger.warning("oidc: sign-in from %s refused: the provider answers %r", address, error)
        return sign_in_page("The house's accounts refused the sign-in.", 403)
    try:
        if query.get("iss", house_sign_in.configuration.issuer) != house_sign_in.configuration.issuer:
            raise SignInRefusedError("the answer comes from another issuer")
        token, name, role = await house_sign_in.sign_in(query["code"][:MAX_CODE_LENGTH], attempt, web.sessions)
    except ProviderUnreachableError as error:
        _logger.warning("oidc: %s", error)
        return sign_in_page(UNREACHABLE, 503)
    except SignInRefusedError as error:
        web.pauses.count_wrong(pause)
        _logger.warning("oidc: sign-in from %s refused: %s", address, error)
        return sign_in_page("Your account has no role here, or the sign-in failed. Ask the house.", 403)
    web.pauses.forget(pause)
    _logger.info("%s has signed in with an account of the house, as a %s, from %s", name, role, address)
    # A redirect would still count as a request of the provider's page, for which a strict cookie is not sent.
    response = FileResponse(STATIC_FOLDER / "signed-in.html")
    response.set_cookie(COOKIE, token, SESSION_S, secure=True, httponly=True, samesite="strict")
    return response


def sign_in_page(problem: str = "", status: int = 200) -> Response:
    """Return the page for signing in with an account of the house, with one line about a problem."""
    page = (STATIC_FOLDER / "house-sign-in.html").read_text(encoding="utf-8")
    return HTMLResponse(page.replace(PROBLEM, PROBLEM + html.escape(problem)), status)


def _house(web: WebProgram) -> HouseSignIn:
    if web.house_sign_in is None:
        raise HTTPException(404, "People sign in here with a password. See the option --oidc.")
    return web.house_sign_in


OIDC_ROUTES: Final[tuple[RouteEntry[WebProgram], ...]] = (
    RouteEntry("GET", "/oidc/sign-in", "", _begin),
    RouteEntry("GET", "/oidc/callback", "", _finish),
)
