"""One GET to an open web API; it sends the query and our name, and never a cookie or a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from importlib.metadata import version

LARGEST = 4_000_000
_TAG = re.compile(r"<[^>]*>")


async def get(address: str, parameters: Mapping[str, str | int]) -> bytes:
    """Return the body of an answer; raises OSError for one that isn't 200, too long, or doesn't come."""
    import httpx

    headers = {"User-Agent": f"nephele_nb/{version('nephele_nb')}"}
    try:
        async with (
            httpx.AsyncClient(follow_redirects=True, timeout=30, headers=headers) as client,
            client.stream("GET", address, params=dict(parameters)) as response,
        ):
            if response.status_code != 200:
                raise OSError(f"the server answered {response.status_code}")
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LARGEST:
                    raise OSError(f"the answer is longer than {LARGEST:,} bytes")
            return bytes(body)
    except httpx.HTTPError as error:
        raise OSError(str(error) or type(error).__name__) from error


def text(value: object) -> str:
    """Return a text of an answer without markup and line breaks; "" for what is none."""
    return " ".join(unescape(_TAG.sub(" ", value)).split()) if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """Return a year, or None for what is none."""
    digits = re.match(r"\d{4}", str(value or ""))
    return int(digits.group()) if digits else None
