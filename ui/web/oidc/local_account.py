"""The alert about a sign-in with the local account, while people sign in with the accounts of the house."""

from __future__ import annotations

import logging
from typing import Final

from ui.web.webhook import AlertMessage, AlertWebhook

_logger = logging.getLogger(__name__)

LOCAL_ACCOUNT_USED: Final = "local-account-used"
"""Code of the alert, with which its line in the log begins."""
MESSAGE_ID: Final = "b5f0c3a4a2d94c0f9c0b6f6d3a1e7d52"
"""Identifier of the line in the log, as the field MESSAGE_ID of journald."""


def report_local_account(name: str, address: str, table: str, webhook: AlertWebhook | None) -> None:
    """Log the sign-in as an error, and send a message to the address for alerts if there is one."""
    text = f"{name} has signed in with the local account from {address}. The house's accounts were not used."
    _logger.error("%s: %s", LOCAL_ACCOUNT_USED, text, extra={"MESSAGE_ID": MESSAGE_ID})
    if webhook is not None:
        webhook.send(
            AlertMessage(
                table=table,
                event="begins",
                code=LOCAL_ACCOUNT_USED,
                level="warning",
                seat=0,
                title="Local account used",
                text=text,
            )
        )
