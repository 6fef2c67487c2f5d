"""An HTTP address that receives signed heads, for example a server of the house in another room.

Each head is the body of one POST request, as JSON. A receiver keeps a head by appending the body and a newline to a
file, which `journal verify --heads` reads. It answers with a status from 200 to 299. If the answer is lost, the same
head comes again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from controller.integrity.signatures import IntegrityFileError
from hardware.text_input_validation import quote_value

if TYPE_CHECKING:
    from http.client import HTTPConnection
    from ssl import SSLContext

URL_SCHEMES: Final = ("http:", "https:")
"""Beginnings of targets that are HTTP addresses."""
HTTP_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds for which a delivery waits for the connection, or for the next bytes of the answer."""
OUTAGE_BEFORE_ALERT_S: Final = 60.0
"""Time in seconds without a delivery, after which an alert appears. A switch of a network restarts within a minute."""
_EXPECTED: Final = "expected an address such as https://host.example:8443/heads"


class HttpTarget:
    """An address that receives each head in a POST request. The connection is closed after each head."""

    outage_before_alert_s = OUTAGE_BEFORE_ALERT_S

    def __init__(self, url: str, ca_file: Path | None = None) -> None:
        """Use an `http` or `https` address. Raises IntegrityFileError.

        If `ca_file` is given, only its certificates confirm the server. Otherwise the certificates of the system do.
        """
        try:
            parts = urlsplit(url)
            self._host, self._port = parts.hostname or "", parts.port
            self._host.encode("idna")
        except ValueError:
            raise IntegrityFileError(f"--heads {quote_value(url)}: not a valid address, {_EXPECTED}") from None
        is_plain_text = url.isascii() and url.isprintable() and " " not in url
        if not self._host or parts.username is not None or parts.fragment or not is_plain_text:
            raise IntegrityFileError(f"--heads {quote_value(url)}: {_EXPECTED}, without spaces, a user and #")
        self._is_encrypted = parts.scheme == "https"
        self._request_target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # The query is left out of messages, because it may contain a password of the receiver.
        self.name = f"{parts.scheme}://{parts.netloc}{parts.path}"
        self._ca_file = ca_file
        self._tls: SSLContext | None = None

    def deliver(self, line: bytes) -> None:
        """Send the line, and wait for the answer. Raises OSError if the receiver does not confirm it."""
        from http.client import HTTPException

        connection = self._connect()
        try:
            connection.request("POST", self._request_target, line, {"Content-Type": "application/json"})
            status = connection.getresponse().status
        except HTTPException as error:
            raise OSError(f"no answer in HTTP ({type(error).__name__})") from None
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise OSError(f"the answer is {status}, expected 200 to 299")

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        if not self._is_encrypted:
            return HTTPConnection(self._host, self._port, timeout=HTTP_TIMEOUT_S)
        if self._tls is None:
            from ssl import create_default_context

            self._tls = create_default_context(cafile=self._ca_file)
        return HTTPSConnection(self._host, self._port, timeout=HTTP_TIMEOUT_S, context=self._tls)
