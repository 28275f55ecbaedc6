"""The names of the headers in which endpoints tell quotas, credits and stamina, and how they are read; no more.

A platform endpoint may say the same in a chunk's ``x_nephele`` field (``credits_balance`` for the header
``x-nephele-credits-balance``). What any other endpoint says about credits and stamina is not believed.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CREDITS_BALANCE = "x-nephele-credits-balance"
CREDITS_SPENT = "x-nephele-credits-spent"
STAMINA = "x-nephele-stamina"
STAMINA_COST = f"{STAMINA}-cost"
PROVIDER = ("x-ratelimit-{part}-requests", "x-ratelimit-{part}-tokens", "x-ratelimit-{part}")
PARTS = ("limit", "remaining", "reset")
KEPT_HEADERS = (
    CREDITS_BALANCE,
    CREDITS_SPENT,
    STAMINA_COST,
    *(f"{STAMINA}-{part}" for part in PARTS),
    *(form.format(part=part) for form in PROVIDER for part in PARTS),
    "retry-after",
    "retry-after-ms",
)
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
EPOCH_S = 1e9


@dataclass(frozen=True, slots=True)
class Quota:
    """What may be used in a window, and what is left of it; None where it was not said."""

    limit: float | None
    remaining: float | None
    reset_s: float | None


@dataclass(frozen=True, slots=True)
class Meters:
    """What an endpoint has said about one request."""

    credits_spent: float | None = None
    credits_balance: float | None = None
    stamina: Quota | None = None
    stamina_cost: float | None = None
    provider: Quota | None = None

    def __bool__(self) -> bool:
        return self != Meters()

    def __or__(self, other: Meters) -> Meters:
        """Return these with what the other says over them."""
        names = self.__slots__
        said = {n: getattr(other, n) if getattr(other, n) is not None else getattr(self, n) for n in names}
        return Meters(**said)


def read_meters(headers: Mapping[str, str], *, platform: bool) -> Meters:
    """Return what the headers say; credits and stamina only where they come from the ``platform``."""
    quotas = [quota for form in PROVIDER if (quota := _quota(headers, form))]
    provider = min(quotas, key=_share, default=None)
    if not platform:
        return Meters(provider=provider)
    return Meters(
        credits_spent=_number(headers.get(CREDITS_SPENT)),
        credits_balance=_number(headers.get(CREDITS_BALANCE)),
        stamina=_quota(headers, STAMINA + "-{part}"),
        stamina_cost=_number(headers.get(STAMINA_COST)),
        provider=provider,
    )


def read_fields(fields: Any) -> Meters:
    """Return what a chunk's ``x_nephele`` field says."""
    if not isinstance(fields, Mapping):
        return Meters()
    named = {f"x-nephele-{name}".replace("_", "-"): str(value) for name, value in fields.items()}
    return read_meters(named, platform=True)


def seconds(text: str | None) -> float | None:
    """Return a time until something: ``12``, ``6m0s``, ``20ms``, or a Unix time in seconds or milliseconds."""
    if text is None:
        return None
    parts = re.findall(r"([\d.]+)(ms|[smhd])", text)
    if parts:
        return sum((_number(value) or 0.0) * UNITS[unit] for value, unit in parts)
    number = _number(text)
    if number is None or number < EPOCH_S:
        return number
    return max(0.0, number / (1000.0 if number > EPOCH_S * 1000 else 1.0) - time.time())


def _quota(headers: Mapping[str, str], form: str) -> Quota | None:
    limit, remaining, reset = (headers.get(form.format(part=part)) for part in PARTS)
    quota = Quota(_number(limit), _number(remaining), seconds(reset))
    return None if quota.remaining is None else quota


def _share(quota: Quota) -> float:
    return (quota.remaining or 0.0) / quota.limit if quota.limit else math.inf


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
