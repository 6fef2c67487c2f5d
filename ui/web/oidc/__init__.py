"""Sign-in with the accounts of the house by OpenID Connect: authorization code flow with PKCE and nonce.

`configuration` reads the file of the option `--oidc`. `provider` asks the provider through `provider_link`, and
`id_tokens` checks its answers with Authlib. `attempts` binds a sign-in to one browser. `house_sign_in` gives a person
the role of their groups, and asks the provider again while a session lasts.
"""

from ui.web.oidc.attempts import ATTEMPT_S, Attempts, SignInAttempt
from ui.web.oidc.configuration import OidcConfiguration, OidcFileError, read_configuration
from ui.web.oidc.errors import ProviderUnreachableError, SignInRefusedError
from ui.web.oidc.house_sign_in import CHECK_S, HouseSignIn, read_house_sign_in
from ui.web.oidc.local_account import LOCAL_ACCOUNT_USED, report_local_account

__all__ = [
    "ATTEMPT_S",
    "CHECK_S",
    "LOCAL_ACCOUNT_USED",
    "Attempts",
    "HouseSignIn",
    "OidcConfiguration",
    "OidcFileError",
    "ProviderUnreachableError",
    "SignInAttempt",
    "SignInRefusedError",
    "read_configuration",
    "read_house_sign_in",
    "report_local_account",
]
