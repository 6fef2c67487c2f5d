"""Requests to the provider: over TLS, without redirects, in threads, and with two kinds of failures.

Threads are used so that a slow provider holds nothing up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from joserfc.errors import JoseError

from ui.web.oidc.configuration import HttpsUrl, OidcConfiguration
from ui.web.oidc.errors import ProviderUnreachableError, SignInRefusedError

TIMEOUT_S: Final = 5.0
"""Maximum time in seconds to wait for the provider to connect, and then for each part of its answer."""
MAX_REQUESTS: Final = 4
"""Maximum number of requests at the same time. Others wait, so that threads remain for everything else."""
MAX_ANSWER_BYTES: Final = 1_000_000
"""Maximum size of a description, of keys or of user information in bytes. Usual sizes are below 20,000."""
CHUNK_BYTES: Final = 16_384
OWN_FAILURES: Final = frozenset({"server_error", "temporarily_unavailable"})
"""Errors by which a provider says that it cannot answer now (RFC 6749)."""
BUSY: Final = frozenset({408, 429})
"""Statuses by which a provider says the same. Other statuses from 400 to 499 refuse the request."""
Result = TypeVar("Result")


class Description(msgspec.Struct, frozen=True):
    """The part of the provider's description that a sign-in needs (OpenID Connect Discovery 1.0)."""

    issuer: str
    authorization_endpoint: HttpsUrl
    token_endpoint: HttpsUrl
    jwks_uri: HttpsUrl
    userinfo_endpoint: HttpsUrl | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


@dataclass(slots=True)
class ProviderLink:
    """The way to the provider of a configuration."""

    configuration: OidcConfiguration
    _secret: str = field(init=False)
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_REQUESTS))

    def __post_init__(self) -> None:
        """Read the secret of the client. Raises OidcFileError if its file cannot be used."""
        self._secret = self.configuration.read_secret()

    def get(self, address: str, kind: type[Result], headers: Mapping[str, str] | None = None) -> Result:
        """Return the JSON at an address. Raises OSError or ValueError if there is none of this type."""
        with self.session() as session:
            answer = session.request(
                "GET", address, withhold_token=True, headers=headers, allow_redirects=False, stream=True
            )
            answer.raise_for_status()
            content = b""
            for chunk in answer.iter_content(CHUNK_BYTES):
                content += chunk
                if len(content) > MAX_ANSWER_BYTES:
                    raise ValueError(f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
        return msgspec.json.decode(content, type=kind)

    def session(self, description: Description | None = None) -> OAuth2Session:
        """Return a new session of Authlib with the secret and the certificates of the configuration."""
        methods = description.token_endpoint_auth_methods_supported if description is not None else ()
        session = OAuth2Session(
            self.configuration.client_id,
            self._secret,
            scope=" ".join(self.configuration.scopes),
            redirect_uri=self.configuration.redirect_uri,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic"
            if "client_secret_basic" in methods
            else "client_secret_post",
            default_timeout=TIMEOUT_S,
        )
        session.verify = self.configuration.ca
        # The environment could name other certificates, a proxy or a password file.
        session.trust_env = False
        return session

    async def request(self, send: Callable[[], Result]) -> Result:
        """Return the answer to a request, or raise one of the two errors of this package."""
        try:
            async with self._places:
                return await asyncio.to_thread(send)
        except OAuthError as error:
            if error.error in OWN_FAILURES:
                raise ProviderUnreachableError(f"the provider answers {error.error}") from error
            raise SignInRefusedError(f"the provider answers {error.error}") from error
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            if 400 <= status < 500 and status not in BUSY:
                raise SignInRefusedError(f"the provider answers {status}") from error
            raise ProviderUnreachableError(f"the provider does not answer: {error}") from error
        except (OSError, ValueError, JoseError) as error:
            raise ProviderUnreachableError(f"the provider does not answer: {error}") from error
