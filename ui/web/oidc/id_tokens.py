"""The checks of an ID token by Authlib."""

from __future__ import annotations

from typing import Final

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

from ui.web.oidc.configuration import OidcConfiguration

LEEWAY_S: Final = 60
"""Maximum difference in seconds between the clocks of the table and of the provider."""
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures of ID tokens that are accepted. They all need the private key of the provider."""


def check_id_token(
    id_token: str, keys: KeySet, configuration: OidcConfiguration, nonce: str, access_token: str, now_s: float
) -> CodeIDToken:
    """Return the claims of an ID token.

    Checks its signature, issuer, audience, times, the hash of the access token, and the nonce unless it is "". Raises
    JoseError or ValueError if a check fails, and InvalidKeyIdError if the token names an unknown key.
    """
    decoded = jwt.decode(id_token, keys, ALGORITHMS)
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        options={
            "iss": {"essential": True, "value": configuration.issuer},
            "aud": {"essential": True, "value": configuration.client_id},
        },
        params={"client_id": configuration.client_id, "nonce": nonce, "access_token": access_token},
    )
    claims.validate(now=int(now_s), leeway=LEEWAY_S)
    return claims
