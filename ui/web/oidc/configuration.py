"""The file of the option `--oidc`: the provider of the house, and the roles of its groups.

The example in `ui/web/README.md` shows every key.
"""

from __future__ import annotations

import ssl
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec

from ui.web.people import Name, Role

SYSTEM_CA: Final = Path("/etc/ssl/certs/ca-certificates.crt")
"""Certificates that Debian trusts, among them those of the house that `update-ca-certificates` has added."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
"""Roles in ascending order, as `Role` has them."""
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
HttpsUrl = Annotated[str, msgspec.Meta(pattern=r"\Ahttps://[^\s/?#@]+(?:/[^\s?#]*)?\Z", max_length=400)]
Origin = Annotated[str, msgspec.Meta(pattern=r"\Ahttps://[^\s/?#@]+\Z", max_length=400)]
EXPECTED: Final = {
    "issuer": "an address such as https://id.house.example/realms/house",
    "address": "the address of this program in browsers, such as https://table-4.house.example:8443",
    "client_id": "the name under which the provider knows this program",
    "client_secret_file": "a file with the secret of the client",
    "local_account": "the name of the one person who may use a password",
    "groups": f'at least one group with its role, such as "poker-floor" = "{ROLES[0]}"; roles: {", ".join(ROLES)}',
    "ca": "a file with PEM certificates",
    "scopes": 'a list with "openid"',
}
"""Expected value of each key, for the messages about a mistake."""


class OidcFileError(ValueError):
    """Error for a configuration that cannot be used. The message says what was expected."""


class OidcConfiguration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The provider of the house, and the roles of its groups."""

    issuer: HttpsUrl
    address: Origin
    """Address of this program in browsers, without a path. The provider sends people back to it and to no other."""
    client_id: Text
    client_secret_file: Text
    local_account: Name
    """Name of the only person with a password, for the time in which the provider does not answer."""
    groups: Annotated[dict[Text, Role], msgspec.Meta(min_length=1)]
    groups_claim: Text = "groups"
    name_claim: Text = "name"
    scopes: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] = ("openid", "profile")
    ca: str = str(SYSTEM_CA)

    @property
    def redirect_uri(self) -> str:
        """Return the address to which the provider sends people back, which the house registers there."""
        return f"{self.address}/oidc/callback"

    def role_of(self, groups: Iterable[str]) -> Role | None:
        """Return the highest role of these groups, or None if no group has a role."""
        roles = {self.groups[group] for group in groups if group in self.groups}
        return max(roles, key=ROLES.index, default=None)

    def read_secret(self) -> str:
        """Return the secret of the client. Raises OidcFileError if its file cannot be used."""
        path = Path(self.client_secret_file)
        try:
            is_public = bool(path.stat().st_mode & stat.S_IRWXO)
            secret = path.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not text"
            raise OidcFileError(f"client_secret_file: {path}: {reason}, expected a secret") from None
        if is_public:
            raise OidcFileError(f"client_secret_file: {path}: everybody may read the file, expected mode 0600")
        if not secret or "\n" in secret:
            raise OidcFileError(f"client_secret_file: {path}: expected one line with the secret")
        return secret


def read_configuration(path: Path) -> OidcConfiguration:
    """Return the configuration in a file. Raises OidcFileError if it cannot be used."""
    try:
        content = msgspec.toml.decode(path.read_bytes(), type=OidcConfiguration)
    except OSError as error:
        raise OidcFileError(f"{path}: {error.strerror}, expected the configuration of the provider") from None
    except msgspec.ValidationError as error:
        raise OidcFileError(f"{path}: {_explain(str(error))}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OidcFileError(f"{path}: expected a file in the format TOML: {error}") from None
    if "openid" not in content.scopes:
        raise OidcFileError(f"{path}: scopes: {', '.join(content.scopes)}, expected {EXPECTED['scopes']}")
    ca = path.parent / content.ca
    try:
        ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        raise OidcFileError(f"{path}: ca: {ca}: expected {EXPECTED['ca']}: {error}") from None
    configuration = msgspec.structs.replace(
        content, ca=str(ca), client_secret_file=str(path.parent / content.client_secret_file)
    )
    try:
        configuration.read_secret()
    except OidcFileError as error:
        raise OidcFileError(f"{path}: {error}") from None
    return configuration


def _explain(message: str) -> str:
    """Return the message of msgspec with the name of the key first, and with what the key must have."""
    text, _, place = message.partition(" - at `$.")
    key = place.rstrip("`").partition(".")[0].partition("[")[0]
    if not key:
        key = next((name for name in EXPECTED if f"`{name}`" in message), "")
    if key in EXPECTED:
        return f"{key}: expected {EXPECTED[key]}: {text}"
    return f"{key}: {text}" if key else text
