"""How long to wait before a refused request is tried again; it never sleeps itself."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

TRIES = 3
LONGEST_S = 60.0
REASONS = {429: "rate_limit", 503: "server"}


class Patience:
    """At most three tries and a minute of waiting in all, for one request."""

    def __init__(self) -> None:
        self._tries = 1
        self._waited_s = 0.0

    def pause(self, status: int, headers: Mapping[str, str]) -> float | None:
        """Return the seconds to wait before the next try, or None where it is time to give up."""
        if status not in REASONS or self._tries >= TRIES:
            return None
        asked = retry_after(headers, time.time())
        seconds = 2.0**self._tries if asked is None else asked
        if self._waited_s + seconds > LONGEST_S:
            return None
        self._tries += 1
        self._waited_s += seconds
        return seconds


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that the answer asks to wait; ``now`` is Unix seconds, for the form that names a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * unit)
        except ValueError:
            pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except ValueError:
        return None
