"""Errors of a sign-in with the accounts of the house."""

from __future__ import annotations

from controller.view import protocol


class ProviderUnreachableError(protocol.SocketError):
    """Error for a provider that does not answer, or says that it has failed."""

    fault = "link"


class SignInRefusedError(protocol.SocketError):
    """Error for a sign-in that the provider or the checks of its answer refuse. The message is for the log."""

    fault = "person"
