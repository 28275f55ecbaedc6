"""An embedder behind an OpenAI-compatible ``/v1/embeddings``; it goes nowhere but to the address it was given."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..errors import LibraryError
from .embedder import EmbedderError

BATCH = 16
PASSAGES_S, QUERY_S = 120.0, 10.0
TRIES = 4
LONGEST_PAUSE_S = 30.0
_BUSY = {408, 409, 425, 429, 500, 502, 503, 504}
_REFUSED = {400, 413, 422}

Vector = list[float] | None


class EndpointEmbedder:
    """Embeds over HTTP. ``address`` is a base URL with the model after ``#``: ``http://127.0.0.1:8080/v1#bge-m3``.

    Raises LibraryError for an address that can't be used; every later fault is an EmbedderError. ``key`` is sent to
    that address alone and stands in no error and no ``id``.
    """

    def __init__(self, address: str, key: str = "") -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not parts.fragment:
            raise LibraryError(f"{_shown(address)!r} names no embedder; write it as http://127.0.0.1:8080/v1#model.")
        if parts.username or parts.password:
            raise LibraryError("An embedder's address holds no name or password; give its key apart.")
        path = (parts.path.rstrip("/") or "/v1").removesuffix("/embeddings")
        base = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
        self.id, self.model = f"{base}#{parts.fragment}", parts.fragment
        self._url = urlunsplit((parts.scheme, parts.netloc, f"{path}/embeddings", parts.query, ""))
        self._key, self._dim = key, 0
        handlers: list[Any] = [_NoRedirect(), *([urllib.request.ProxyHandler({})] if _local(parts.hostname) else [])]
        self._open = urllib.request.build_opener(*handlers).open

    @property
    def dim(self) -> int:
        """How many numbers a vector has; asks once where no vector has come yet."""
        if not self._dim:
            self.query("dimension")
        return self._dim

    def passages(self, texts: list[str]) -> list[Vector]:
        """Embed passages; one that the endpoint refuses (too long, say) is None."""
        return [v for i in range(0, len(texts), BATCH) for v in self._some(texts[i : i + BATCH])]

    def query(self, text: str) -> list[float]:
        """Embed one query, without a second try: a search doesn't wait."""
        return self._post([text], 1, QUERY_S)[0]

    def _some(self, texts: list[str]) -> list[Vector]:
        try:
            return list(self._post(texts, TRIES, PASSAGES_S))
        except _RefusedError:
            if len(texts) == 1:
                return [None]
        found = [vector for text in texts for vector in self._some([text])]
        if not any(found):
            raise EmbedderError(f"The embedder {self.id} refused every passage of a batch. Check the model's name.")
        return found

    def _post(self, texts: list[str], tries: int, timeout: float) -> list[list[float]]:
        body = json.dumps({"model": self.model, "input": texts, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "nephele-nb"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        for n in range(1, tries + 1):
            request = urllib.request.Request(self._url, body, headers)  # noqa: S310  http or https: checked above
            try:
                with self._open(request, timeout=timeout) as answer:
                    return self._read(answer.read(), len(texts))
            except urllib.error.HTTPError as error:
                with error:
                    reason, after = _reason(error), error.headers.get("Retry-After", "")
                if error.code in _REFUSED:
                    raise _RefusedError(f"The embedder {self.id} refused: {error.code} {reason}") from error
                if error.code not in _BUSY or n == tries:
                    raise EmbedderError(f"The embedder {self.id} answered {error.code} {reason}") from error
            except OSError as error:
                if n == tries:
                    why = getattr(error, "reason", error)
                    raise EmbedderError(f"The embedder {self.id} can't be reached: {why}.") from error
                after = ""
            time.sleep(min(float(after) if after.isdigit() else 0.25 * 2**n, LONGEST_PAUSE_S))
        raise EmbedderError(f"The embedder {self.id} gave no answer.")

    def _read(self, body: bytes, count: int) -> list[list[float]]:
        try:
            data = sorted(json.loads(body)["data"], key=lambda d: d["index"])
            vectors = [[float(x) for x in d["embedding"]] for d in data]
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderError(f"The embedder {self.id} gave an answer that holds no embeddings.") from error
        sizes = {len(v) for v in vectors} | ({self._dim} if self._dim else set())
        if len(vectors) != count or len(sizes) != 1 or sizes == {0}:
            raise EmbedderError(
                f"The embedder {self.id} gave {len(vectors)} vectors of {sorted(sizes)} numbers for {count} texts."
            )
        self._dim = sizes.pop()
        return vectors


class _RefusedError(EmbedderError):
    """The endpoint will not embed these texts, however often it is asked."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry text and key to an address that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _reason(error: urllib.error.HTTPError) -> str:
    text = error.read(2000).decode("utf-8", "replace")
    try:
        said = json.loads(text)["error"]
        text = str(said["message"] if isinstance(said, dict) else said)
    except (ValueError, KeyError, TypeError):
        pass
    return " ".join(text.split())[:200] or str(error.reason)


def _local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(address: Sequence[str] | str) -> str:
    return str(address).rsplit("@", 1)[-1]
