"""Keeps an endpoint's key, and what is secret in its address, out of the lines that libraries log; it logs nothing.

The HTTP library writes each request's whole address, password and query included, on a level that many turn on.
"""

from __future__ import annotations

import logging

from . import failure
from .tiers import Endpoint

LOGGERS = ("openai", "openai._base_client", "httpx", "httpx2")


class _Discreet(logging.Filter):
    """Lets each line through, without what is secret in it."""

    def __init__(self) -> None:
        super().__init__()
        self.endpoints: set[Endpoint] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        line = hidden = record.getMessage()
        for endpoint in list(self.endpoints):
            hidden = failure.hide_key(endpoint, hidden)
        if hidden != line:
            record.msg, record.args = hidden, ()
        return True


_discreet = _Discreet()


def keep_out_of_logs(endpoint: Endpoint) -> None:
    """Take what is secret of an endpoint out of all that is logged from now on."""
    _discreet.endpoints.add(endpoint)
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_discreet)
