"""Sessions of people who have signed in, and pauses after wrong passwords."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ui.web.people import People, Role

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


@dataclass(slots=True, eq=False)
class HouseAccount:
    """The account of the house with which a person has signed in, as the provider described it last."""

    subject: str
    """Identifier of the person at the provider."""
    role: Role
    refresh_token: str
    """Token with which to ask the provider again, or "" if it gave none."""
    checked_s: float


class SignedIn(NamedTuple):
    """A person who has signed in, with the role that the person has now."""

    name: str
    role: Role


class Session(NamedTuple):
    """One session. `account` is None if the person has signed in with a password."""

    name: str
    expires_s: float
    account: HouseAccount | None


@dataclass(slots=True)
class Sessions:
    """Sessions by the hash of their token, so that a copy of the memory does not contain a usable token."""

    now_s: Callable[[], float]
    _sessions: dict[bytes, Session] = field(default_factory=dict)

    def start(self, name: str, length_s: float = SESSION_S, account: HouseAccount | None = None) -> str:
        """Return the token of a new session of this person."""
        while len(self._sessions) >= MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = Session(name, self.now_s() + length_s, account)
        return token

    def name_of(self, token: str) -> str | None:
        """Return the name of the person whose session it is, or None if there is no session or it has expired."""
        session = self._find(token)
        return session.name if session is not None else None

    def person_of(self, token: str, people: People) -> SignedIn | None:
        """Return the person whose session it is, or None if nobody may use the session any more.

        The role comes from the account of the house, or from the list of people with a password.
        """
        session = self._find(token)
        if session is None:
            return None
        if session.account is not None:
            return SignedIn(session.name, session.account.role)
        person = people.find(session.name)
        return SignedIn(person.name, person.role) if person is not None else None

    def house_accounts(self) -> tuple[tuple[str, HouseAccount], ...]:
        """Return the name and the account of each session that was started with an account of the house."""
        now_s = self.now_s()
        return tuple(
            (session.name, session.account)
            for session in self._sessions.values()
            if session.account is not None and now_s < session.expires_s
        )

    def end(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(_digest(token), None)

    def end_all(self, name: str) -> None:
        """End all sessions that a person has started with a password."""
        self._keep(lambda session: session.name != name or session.account is not None)

    def end_account(self, account: HouseAccount) -> None:
        """End the session of this account of the house."""
        self._keep(lambda session: session.account is not account)

    def _find(self, token: str) -> Session | None:
        session = self._sessions.get(_digest(token))
        return session if session is not None and self.now_s() < session.expires_s else None

    def _keep(self, is_kept: Callable[[Session], bool]) -> None:
        self._sessions = {token: session for token, session in self._sessions.items() if is_kept(session)}


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
