"""A small OpenID Connect provider that can be made to answer wrongly. It signs in everybody who has its one code."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
from joserfc import jwt
from joserfc.jwk import ECKey

from tests.ui.web.local_certificate import write_certificate
from ui.web.oidc import OidcConfiguration

POLL_S = 0.02
CODE, CLIENT_ID, SECRET = "the code", "potkeeper", "secret of the client"


def new_key(key_id: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": key_id, "alg": "ES256", "use": "sig"})


@dataclass
class FaultyProvider:
    """The answers of the provider. A test changes the fields."""

    ca: Path
    issuer: str = ""
    key: ECKey = field(default_factory=lambda: new_key("first"))
    shown_keys: list[ECKey] = field(default_factory=list)
    """Keys of the address for keys, if they are not the one that signs."""
    claims: dict[str, Any] = field(default_factory=dict)
    """Claims that replace those of the ID token. None leaves a claim out."""
    user: dict[str, Any] = field(default_factory=lambda: {"name": "Ann Lee", "groups": ["floor"]})
    user_info: dict[str, Any] = field(default_factory=dict)
    """Claims of the user information that replace those of the ID token."""
    description: dict[str, Any] = field(default_factory=dict)
    algorithm: str = "ES256"
    token_error: tuple[int, str] | None = None
    """Status and error of the address for tokens, or None if it answers. Without an error, the answer is no JSON."""
    has_refresh_token: bool = True
    refresh_has_id_token: bool = True
    nonce: str = ""
    challenge: str = ""
    requests: Counter[str] = field(default_factory=Counter)
    redeemed: int = 0

    def authorise(self, address: str) -> str:
        """Return the query of the way back for the address at which a person signs in."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert query["code_challenge_method"] == "S256"
        self.nonce, self.challenge = query["nonce"], query["code_challenge"]
        return f"code={CODE}&state={query['state']}"

    def answer(self, path: str, form: dict[str, str]) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        self.requests[path] += 1
        match path:
            case "/.well-known/openid-configuration":
                return 200, {
                    "issuer": self.issuer,
                    "authorization_endpoint": f"{self.issuer}/authorise",
                    "token_endpoint": f"{self.issuer}/token",
                    "jwks_uri": f"{self.issuer}/keys",
                    "userinfo_endpoint": f"{self.issuer}/user",
                } | self.description
            case "/keys":
                return 200, {"keys": [key.as_dict(private=False) for key in self.shown_keys or [self.key]]}
            case "/user":
                return 200, {"sub": "17", **self.user, **self.user_info}
            case "/token" if self.token_error is not None:
                return self.token_error[0], {"error": self.token_error[1] or None}
            case "/token" if form["grant_type"] == "refresh_token":
                return 200, self._tokens("") | ({} if self.refresh_has_id_token else {"id_token": None})
            case "/token":
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                is_same_browser = _encoded(digest).decode() == self.challenge
                if form.get("code") != CODE or self.redeemed or not is_same_browser:
                    return 400, {"error": "invalid_grant"}
                self.redeemed += 1
                return 200, self._tokens(self.nonce)
        return 404, {}

    def _tokens(self, nonce: str) -> dict[str, Any]:
        now = int(time.time())
        at_hash = _encoded(hashlib.sha256(b"access").digest()[:16]).decode()
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "17", "iat": now, "exp": now + 300, "at_hash": at_hash}
        claims |= {"nonce": nonce or None, **self.user, **self.claims}
        header = {"alg": self.algorithm, "kid": self.key.kid}
        claims = {name: value for name, value in claims.items() if value is not None}
        tokens = {"access_token": "access", "token_type": "Bearer", "expires_in": 300}
        if self.algorithm == "ES256":
            tokens["id_token"] = jwt.encode(header, claims, self.key, [self.algorithm])
        else:
            tokens["id_token"] = self._forged(header, claims)
        return tokens | ({"refresh_token": "again"} if self.has_refresh_token else {})

    def _forged(self, header: dict[str, Any], claims: dict[str, Any]) -> str:
        """Return a token without a signature, or with the public key as the secret of a symmetric one."""
        content = b".".join(_encoded(msgspec.json.encode(part)) for part in (header, claims))
        public = self.key.as_pem(private=False)
        signature = hmac.digest(public, content, hashlib.sha256) if self.algorithm == "HS256" else b""
        return b".".join((content, _encoded(signature))).decode()


def _encoded(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


@contextmanager
def faulty_provider(folder: Path) -> Iterator[FaultyProvider]:
    """Run a provider with TLS at a free port while the block runs."""
    certificate, key = write_certificate(folder)
    provider = FaultyProvider(certificate)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            status, body = provider.answer(self.path, form)
            said = {name: value for name, value in body.items() if value is not None}
            content = msgspec.json.encode(said) if said else b""
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    # The thread of a request does the handshake, because a client that sends nothing would block `serve_forever`.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    provider.issuer = f"https://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def configuration_for(folder: Path, issuer: str, ca: Path, address: str, **more: Any) -> OidcConfiguration:
    """Return a configuration for a provider on this machine, with its secret in a file."""
    secret = folder / "oidc.secret"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    values: dict[str, Any] = {
        "issuer": issuer,
        "address": address,
        "client_id": CLIENT_ID,
        "client_secret_file": str(secret),
        "local_account": "Emergency",
        "groups": {"floor": "viewer", "technicians": "technician"},
        "ca": str(ca),
    }
    return msgspec.convert(values | more, OidcConfiguration)
