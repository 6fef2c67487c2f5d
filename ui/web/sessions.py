"""Sessions of people who have signed in, and pauses after wrong passwords."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

SESSION_S: Final = 12 * 3600
"""Time in seconds after which a person must sign in again, which is a long shift."""
MAX_SESSIONS: Final = 200
"""Maximum number of sessions. With more, the oldest ends."""
MAX_WRONG_PASSWORDS: Final = 5
"""Number of wrong passwords after which a name or an address must wait."""
PAUSE_S: Final = 300
"""Time in seconds for which nobody can sign in under the name, or from the address, with too many wrong passwords."""
MAX_COUNTED: Final = 10_000
"""Maximum number of names and addresses whose wrong passwords are counted. With more, the oldest is forgotten."""


@dataclass(slots=True)
class Sessions:
    """Sessions by the hash of their token, so that a copy of the memory does not contain a usable token."""

    now_s: Callable[[], float]
    _sessions: dict[bytes, tuple[str, float]] = field(default_factory=dict)

    def start(self, name: str) -> str:
        """Return the token of a new session of this person."""
        while len(self._sessions) >= MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = (name, self.now_s() + SESSION_S)
        return token

    def name_of(self, token: str) -> str | None:
        """Return the name of the person whose session it is, or None if there is no session or it has expired."""
        name, expires_s = self._sessions.get(_digest(token), ("", 0.0))
        return name if name and self.now_s() < expires_s else None

    def end(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(_digest(token), None)

    def end_all(self, name: str) -> None:
        """End all sessions of a person."""
        self._sessions = {token: session for token, session in self._sessions.items() if session[0] != name}


@dataclass(slots=True)
class Pauses:
    """Counts wrong passwords by name and by address."""

    now_s: Callable[[], float]
    _wrong: dict[str, tuple[int, float]] = field(default_factory=dict)
    """For each name or address the number of wrong passwords, and the time of the last one in seconds."""

    def is_paused(self, *keys: str) -> bool:
        """Return True if one of these names or addresses must wait."""
        return any(
            count >= MAX_WRONG_PASSWORDS and self.now_s() < last_s + PAUSE_S
            for count, last_s in (self._wrong.get(key, (0, 0.0)) for key in keys)
        )

    def count_wrong(self, *keys: str) -> None:
        """Count a wrong password for each of these names and addresses. After a pause the count begins again."""
        for key in keys:
            count, last_s = self._wrong.pop(key, (0, 0.0))
            self._wrong[key] = (1 if self.now_s() >= last_s + PAUSE_S else count + 1, self.now_s())
        while len(self._wrong) > MAX_COUNTED:
            del self._wrong[next(iter(self._wrong))]

    def forget(self, *keys: str) -> None:
        """Forget the wrong passwords of these names and addresses, because the right password came."""
        for key in keys:
            self._wrong.pop(key, None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
