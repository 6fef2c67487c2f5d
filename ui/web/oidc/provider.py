"""The provider of the house: its description and keys, and people for a code or a refresh token."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from authlib.oidc.core import CodeIDToken
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from ui.web.oidc.attempts import SignInAttempt
from ui.web.oidc.configuration import OidcConfiguration
from ui.web.oidc.errors import ProviderUnreachableError, SignInRefusedError
from ui.web.oidc.id_tokens import check_id_token
from ui.web.oidc.provider_link import Description, ProviderLink

MAX_AGE_S: Final = 3600.0
"""Time in seconds after which description and keys are fetched again, so that the use of a withdrawn key ends."""
KEY_INTERVAL_S: Final = 30.0
"""Minimum interval in seconds between two fetches because of an unknown key, because forged tokens name any key."""
RETRY_S: Final = 5.0
"""Time in seconds for which a failed fetch is not repeated."""


class Identity(NamedTuple):
    """A person as the provider describes them now."""

    subject: str
    name: str
    groups: tuple[str, ...]
    refresh_token: str
    """Token with which to ask again, or "" if the provider gives none."""


class _Known(NamedTuple):
    description: Description
    keys: KeySet
    fetched_s: float


@dataclass(slots=True)
class Provider:
    """The provider of a configuration."""

    configuration: OidcConfiguration
    now_s: Callable[[], float] = time.monotonic
    wall_s: Callable[[], float] = time.time
    _link: ProviderLink = field(init=False)
    _known: _Known | None = None
    _failed_s: float = -RETRY_S
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Read the secret of the client. Raises OidcFileError if its file cannot be used."""
        self._link = ProviderLink(self.configuration)

    async def sign_in_address(self, attempt: SignInAttempt) -> str:
        """Return the address at which a person signs in. Raises ProviderUnreachableError."""
        known = await self._describe()
        address, _ = self._link.session(known.description).create_authorization_url(
            known.description.authorization_endpoint,
            state=attempt.state,
            code_verifier=attempt.verifier,
            nonce=attempt.nonce,
        )
        return str(address)

    async def redeem(self, code: str, attempt: SignInAttempt) -> Identity:
        """Return the person for a code. Raises SignInRefusedError, or ProviderUnreachableError."""
        known = await self._describe()
        session = self._link.session(known.description)
        fetch = partial(session.fetch_token, known.description.token_endpoint, code=code, allow_redirects=False)
        token = await self._link.request(partial(fetch, code_verifier=attempt.verifier))
        if "id_token" not in token:
            raise SignInRefusedError("the provider gave no ID token, expected the scope openid")
        return await self._identity(token, known, nonce=attempt.nonce)

    async def ask_again(self, subject: str, refresh_token: str) -> Identity:
        """Return the same person as they are now. Raises SignInRefusedError if the provider does not confirm them."""
        known = await self._describe()
        session = self._link.session(known.description)
        refresh = partial(session.refresh_token, known.description.token_endpoint, refresh_token, allow_redirects=False)
        return await self._identity(await self._link.request(refresh), known, subject=subject)

    async def _identity(self, token: Mapping[str, Any], known: _Known, nonce: str = "", subject: str = "") -> Identity:
        """Return the person of an answer to a request for tokens.

        Many providers have the groups in the ID token, and some only in the user information.
        """
        claims: Mapping[str, Any] = {}
        access_token = str(token.get("access_token", ""))
        if "id_token" in token:
            claims = await self._check(str(token["id_token"]), known, nonce, access_token)
            subject = _same_subject(subject, claims)
        names = (self.configuration.groups_claim, self.configuration.name_claim)
        if any(name not in claims for name in names) and known.description.userinfo_endpoint is not None:
            headers = {"Authorization": f"Bearer {access_token}"}
            fetch = partial(self._link.get, known.description.userinfo_endpoint, dict[str, Any], headers)
            more = await self._link.request(fetch)
            _same_subject(subject, more)
            claims = {**more, **claims}
        groups = claims.get(self.configuration.groups_claim, ())
        return Identity(
            subject,
            str(claims.get(self.configuration.name_claim) or subject),
            tuple(map(str, groups)) if isinstance(groups, list) else (str(groups),) if groups else (),
            str(token.get("refresh_token") or ""),
        )

    async def _check(self, id_token: str, known: _Known, nonce: str, access_token: str) -> CodeIDToken:
        """Return the claims of an ID token. Raises SignInRefusedError if one of its checks fails."""
        try:
            return check_id_token(id_token, known.keys, self.configuration, nonce, access_token, self.wall_s())
        except InvalidKeyIdError:
            known = await self._describe(KEY_INTERVAL_S)
        except (JoseError, ValueError) as error:
            raise SignInRefusedError(f"the ID token is not accepted: {error}") from error
        try:
            return check_id_token(id_token, known.keys, self.configuration, nonce, access_token, self.wall_s())
        except (JoseError, ValueError) as error:
            raise SignInRefusedError(f"the ID token is not accepted: {error}") from error

    async def _describe(self, max_age_s: float = MAX_AGE_S) -> _Known:
        """Return the description and the keys, which are fetched if they are older than this."""
        async with self._lock:
            now_s = self.now_s()
            if self._known is not None and now_s < self._known.fetched_s + max_age_s:
                return self._known
            if now_s < self._failed_s + RETRY_S:
                raise ProviderUnreachableError("the provider did not answer just now")
            try:
                self._known = await self._link.request(partial(self._fetch, now_s))
            except (ProviderUnreachableError, SignInRefusedError) as error:
                self._failed_s = self.now_s()
                raise ProviderUnreachableError(str(error)) from error
            return self._known

    def _fetch(self, now_s: float) -> _Known:
        issuer = self.configuration.issuer
        description = self._link.get(f"{issuer.rstrip('/')}/.well-known/openid-configuration", Description)
        if description.issuer != issuer:
            raise ValueError(f"the issuer is {description.issuer}, expected {issuer}")
        keys = self._link.get(description.jwks_uri, dict[str, Any])
        return _Known(description, KeySet.import_key_set({"keys": list(keys.get("keys", ()))}), now_s)


def _same_subject(subject: str, claims: Mapping[str, Any]) -> str:
    """Return the subject of the claims. Raises SignInRefusedError if they are about another person."""
    if not isinstance(claims.get("sub"), str) or claims["sub"] != (subject or claims["sub"]):
        raise SignInRefusedError("the answer is about another person, expected the same subject")
    return str(claims["sub"])
