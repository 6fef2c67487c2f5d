"""Sign-ins that have begun, each bound to one browser by a cookie.

The cookie is a random text with its time. State, nonce and PKCE verifier are derived from it with a key of this
process. The program keeps nothing in memory for somebody who has not signed in, and each attempt expires.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

ATTEMPT_S: Final = 600
"""Time in seconds in which a person must finish the sign-in at the provider."""
KEY_BYTES: Final = 32


class SignInAttempt(NamedTuple):
    """The secrets of one sign-in."""

    state: str
    nonce: str
    verifier: str
    """PKCE verifier, which has 43 characters as RFC 7636 asks for."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """Makes and reads the cookies of sign-ins that have begun."""

    now_s: Callable[[], float]
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES))

    def begin(self) -> str:
        """Return the cookie of a new attempt."""
        return f"{int(self.now_s())}.{secrets.token_urlsafe(KEY_BYTES)}"

    def secrets_of(self, cookie: str) -> SignInAttempt:
        """Return the secrets of an attempt."""
        return SignInAttempt(*(self._derive(f"{purpose} {cookie}") for purpose in SignInAttempt._fields))

    def find(self, cookie: str, state: str) -> SignInAttempt | None:
        """Return the attempt of this browser if the state belongs to its cookie and has not expired, otherwise None."""
        attempt = self.secrets_of(cookie)
        if not hmac.compare_digest(attempt.state.encode(), state.encode()):
            return None
        # The state proves that `begin` has made the cookie, so that the time can be read.
        began_s = int(cookie.partition(".")[0])
        return attempt if self.now_s() < began_s + ATTEMPT_S else None

    def _derive(self, text: str) -> str:
        digest = hmac.digest(self._key, text.encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
