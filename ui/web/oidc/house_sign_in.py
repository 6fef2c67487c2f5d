"""People with an account of the house: their role at sign-in, and the questions to the provider while they are here."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ui.web.oidc.attempts import Attempts, SignInAttempt
from ui.web.oidc.configuration import OidcConfiguration, OidcFileError, read_configuration
from ui.web.oidc.errors import ProviderUnreachableError, SignInRefusedError
from ui.web.oidc.provider import Identity, Provider
from ui.web.people import People, Role
from ui.web.sessions import SESSION_S, HouseAccount, Sessions

_logger = logging.getLogger(__name__)

CHECK_S: Final = 300.0
"""Interval in seconds at which the provider is asked about each person who has signed in."""
ROUND_S: Final = 10.0
"""Pause in seconds between two searches for people about whom to ask."""
UNCHECKED_SESSION_S: Final = 900
"""Length of a session in seconds if the provider gives no token with which to ask again."""
MAX_NAME_LENGTH: Final = 40
"""Maximum number of characters of a name that are shown. The names of people with a password are no longer either."""


@dataclass(slots=True)
class HouseSignIn:
    """Signs in people with an account of the house, and signs out those who lose their role."""

    configuration: OidcConfiguration
    now_s: Callable[[], float]
    provider: Provider = field(init=False)
    attempts: Attempts = field(init=False)
    local_account_sign_ins: int = 0
    """Number of sign-ins with the local account since the program started."""

    def __post_init__(self) -> None:
        """Read the secret of the client. Raises OidcFileError if its file cannot be used."""
        self.provider = Provider(self.configuration, self.now_s)
        self.attempts = Attempts(self.now_s)

    async def sign_in(self, code: str, attempt: SignInAttempt, sessions: Sessions) -> tuple[str, str, Role]:
        """Start a session for the person of a code, and return its token, the name and the role.

        Raises SignInRefusedError if the person has no role, or if the provider refuses the code.
        """
        identity = await self.provider.redeem(code, attempt)
        name = _shown_name(identity)
        role = self.configuration.role_of(identity.groups)
        if role is None:
            raise SignInRefusedError(f"{name} ({identity.subject!r}) has no group with a role")
        account = HouseAccount(identity.subject, role, identity.refresh_token, self.now_s())
        length_s = SESSION_S if identity.refresh_token else UNCHECKED_SESSION_S
        return sessions.start(name, length_s, account), name, role

    async def run(self, sessions: Sessions) -> None:
        """Ask the provider about people who have signed in, until the task is cancelled."""
        while True:
            await asyncio.sleep(ROUND_S)
            await self.check(sessions)

    async def check(self, sessions: Sessions) -> None:
        """Ask the provider about each person for whom it is time. If it does not answer, sessions stay as they are."""
        for name, account in sessions.house_accounts():
            if not account.refresh_token or self.now_s() < account.checked_s + CHECK_S:
                continue
            try:
                identity = await self.provider.ask_again(account.subject, account.refresh_token)
            except ProviderUnreachableError as error:
                _logger.warning("oidc: %s and others keep their sessions: %s", name, error)
                return
            except SignInRefusedError as error:
                _logger.warning("oidc: %s is signed out: %s", name, error)
                sessions.end_account(account)
                continue
            role = self.configuration.role_of(identity.groups)
            if role is None:
                _logger.warning("oidc: %s is signed out: no group with a role is left", name)
                sessions.end_account(account)
                continue
            if role != account.role:
                _logger.warning("oidc: %s was a %s and is a %s now", name, account.role, role)
            account.role, account.checked_s = role, self.now_s()
            account.refresh_token = identity.refresh_token or account.refresh_token


def read_house_sign_in(path: Path, people: People, now_s: Callable[[], float] = time.monotonic) -> HouseSignIn:
    """Return the sign-in of a file of the option `--oidc`.

    Raises OidcFileError if the file cannot be used, or if others have a password but the local account has none.
    """
    configuration = read_configuration(path)
    local = configuration.local_account
    person = people.find(local)
    if len(people) and (person is None or person.role != "technician"):
        names = ", ".join(person.name for person in people.listed() if person.role == "technician")
        raise OidcFileError(f"{path}: local_account: {local}: expected a technician with a password: {names}")
    return HouseSignIn(configuration, now_s)


def _shown_name(identity: Identity) -> str:
    """Return the name without control characters, in at most `MAX_NAME_LENGTH` characters."""
    name = "".join(character for character in identity.name if character.isprintable())
    return name[:MAX_NAME_LENGTH] or identity.subject[:MAX_NAME_LENGTH]
