"""Turns what went wrong at an endpoint into one ModelError that says what to do; it never lets a key into the text."""

from __future__ import annotations

import importlib
import json
import re
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from nephele_nb.errors import ModelError

from . import window
from .tiers import Endpoint
from .wire import error_text

LONGEST = 400
SHORTEST = 8
"""Characters from which a part of an address counts as secret; a version number does not."""
BY_STATUS = {
    401: ("auth", "{host} refused the key (401): check api_key, or OPENAI_API_KEY.{said}"),
    403: ("auth", "{host} does not allow this with the key that was sent (403).{said}"),
    404: (
        "not_found",
        "{host} has nothing there (404): check the base URL (most end in /v1) and the model {model!r}.{said}",
    ),
    405: (
        "not_found",
        "{host} takes no chat requests at this address (405): check the base URL, most end in /v1.{said}",
    ),
    408: ("timeout", "{host} gave up waiting (408): ask again.{said}"),
    413: ("bad_request", "The request is too large for {host} (413): start a new conversation or send less.{said}"),
    429: ("rate_limit", "{host} is over its rate limit (429): wait a little and ask again.{said}"),
}
NO_CREDIT = "The account at {host} has no credit left: top it up or use another endpoint.{said}"
TOO_LONG = "The conversation is longer than {model!r} can take: start a new one.{said}"
HTML = "{host} answered with a web page, not with a model: check the base URL (most end in /v1)."
REFUSED = "{host} refused the request ({status}).{said}"
BROKEN = "{host} failed ({status}): ask again in a moment.{said}"
NO_ANSWER = "{host} answered with something that is not a chat stream: check the base URL (most end in /v1).{said}"
IN_BAND = "{host} broke off with an error.{said}"
NO_LIST = "{host} lists no models: check the base URL (most end in /v1).{said}"
CUT = "The connection to {host} ended early, so the answer is not whole: ask again."
UNREACHABLE = "Can't reach {host}: check the network and the base URL.{said}"
NOT_LISTENING = "Nothing listens at {host}: start the server or check the port in the base URL."
NO_SUCH_HOST = "There is no host {host}, or no network: check the base URL and the connection."
TLS = "No safe connection to {host}: its certificate was not accepted, or http was meant instead of https.{said}"
TOO_SLOW = {
    "connect": "{host} did not take the connection within {seconds:g} s: check the network (connect_timeout_s).",
    "first": "{host} did not begin to answer within {seconds:g} s: ask again, or raise first_byte_timeout_s.",
    "chunk": "{host} fell silent for {seconds:g} s in its answer: ask again, or raise chunk_timeout_s.",
}


def fail(
    endpoint: Endpoint, template: str, code: str, *, said: str = "", retryable: bool = False, **values: Any
) -> ModelError:
    """Return the error that ``template`` words, with the provider's own words added, bounded and without the key."""
    said = re.sub(r"\s+", " ", hide_key(endpoint, said)).strip()
    said = f" It said: {said[:LONGEST]}{'…' if len(said) > LONGEST else ''}" if said else ""
    text = template.format(host=endpoint.spoke or endpoint.host, model=endpoint.model, said=said, **values)
    return ModelError(text, code=code, retryable=retryable)


def hide_key(endpoint: Endpoint, text: str) -> str:
    """Return the text with the endpoint's key blotted out, and what is secret in its address."""
    parts = urlsplit(endpoint.base_url)
    password = parts.password or ""
    inside = [password, unquote(password), parts.query, *(value for _, value in parse_qsl(parts.query))]
    for secret in [endpoint.api_key, *(part for part in inside if len(part) >= SHORTEST)]:
        text = text.replace(secret, "***") if secret else text
    return text


def from_status(endpoint: Endpoint, status: int, body: Any) -> ModelError:
    """Return the error of an HTTP status; ``body`` is parsed JSON, or text."""
    said = error_text(body)
    lower = said.lower()
    if lower.startswith(("<!doctype", "<html")):
        return (
            fail(endpoint, HTML, "not_found")
            if status < 500
            else fail(endpoint, BROKEN, "server", status=status, retryable=True)
        )
    if (
        status in (402, 429) and re.search(r"insufficient.?quota|billing|credit|balance|payment", lower)
    ) or status == 402:
        return fail(endpoint, NO_CREDIT, "rate_limit", said=said)
    if status in (400, 413, 422) and window.TOO_LONG.search(said):
        return fail(endpoint, TOO_LONG, "bad_request", said=said)
    if status in BY_STATUS:
        code, template = BY_STATUS[status]
        return fail(endpoint, template, code, said=said, retryable=status in (408, 429))
    if status >= 500:
        return fail(endpoint, BROKEN, "server", said=said, status=status, retryable=True)
    return fail(endpoint, REFUSED, "bad_request", said=said, status=status)


def from_chunk(endpoint: Endpoint, chunk: Mapping[str, Any]) -> ModelError | None:
    """Return the error that a chunk of a successful stream carries, or None."""
    error = chunk.get("error")
    if not error and "choices" not in chunk and (chunk.get("message") or chunk.get("detail")):
        error = chunk
    choices = chunk.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if not error and first.get("finish_reason") != "error":
        return None
    code = error.get("code") if isinstance(error, Mapping) else None
    final = isinstance(code, int) and 400 <= code < 500 and code not in (408, 429)
    return fail(endpoint, IN_BAND, "provider", said=error_text(error), retryable=not final)


def from_silence(endpoint: Endpoint, phase: str, seconds: float) -> ModelError:
    """Return the error of a deadline: ``connect``, ``first`` or ``chunk``."""
    return fail(endpoint, TOO_SLOW[phase], "timeout", retryable=True, seconds=seconds)


def from_no_stream(endpoint: Endpoint, text: str) -> ModelError:
    """Return the error of a 200 whose body holds no event."""
    if text.lstrip().lower().startswith(("<!doctype", "<html")):
        return fail(endpoint, HTML, "not_found")
    try:
        parsed = json.loads(text)
    except ValueError:
        return fail(endpoint, NO_ANSWER, "provider", said=text)
    known = from_chunk(endpoint, parsed) if isinstance(parsed, Mapping) else None
    return known or fail(endpoint, NO_ANSWER, "provider", said=text)


def from_no_list(endpoint: Endpoint, answer: Any) -> ModelError:
    """Return the error of an answer to ``/models`` that lists none; most often a web page."""
    text = error_text(answer) if answer else ""
    page = text.lstrip().lower().startswith(("<!doctype", "<html"))
    return fail(endpoint, HTML if page else NO_LIST, "not_found", said=text)


def from_foreign(endpoint: Endpoint, error: Exception, connect_timeout_s: float) -> ModelError:
    """Return the ModelError for any exception of the HTTP client or of the library above it."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return from_status(endpoint, error.status_code, error.body or error.response.text)
    if isinstance(error, openai.APITimeoutError):
        return from_silence(endpoint, "connect", connect_timeout_s)
    causes = _causes(error)
    if any(isinstance(c, ssl.SSLError) or "certificate" in str(c).lower() for c in causes):
        return fail(endpoint, TLS, "network", said=str(causes[-1]))
    words = " ".join(str(c) for c in causes).lower()
    if any(isinstance(c, ConnectionRefusedError) for c in causes) or "connection refused" in words:
        return fail(endpoint, NOT_LISTENING, "network", retryable=True)
    if re.search(r"name or service|nodename|getaddrinfo|name resolution|no address", words):
        return fail(endpoint, NO_SUCH_HOST, "network", retryable=True)
    return fail(endpoint, UNREACHABLE, "network", said=str(causes[-1]), retryable=True)


def met_a_closed_connection(error: Exception) -> bool:
    """Tell whether a request ended before any answer because the connection that was kept open had been closed."""
    return any(
        re.search(r"disconnected without sending|broken pipe|connection reset", str(c).lower()) for c in _causes(error)
    )


def foreign_errors() -> tuple[type[Exception], ...]:
    """Return what the client may raise: the library's own errors and those of the transport it stands on."""
    import openai

    transport = _transport()
    return (openai.OpenAIError, transport.HTTPError, transport.InvalidURL, transport.StreamError)


def foreign_response() -> type[Any]:
    """Return the class of the responses of the transport that the client's library stands on."""
    response: type[Any] = _transport().Response
    return response


def _transport() -> Any:
    import openai

    return importlib.import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain
