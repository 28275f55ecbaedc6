"""The HTTP connection to one endpoint: sends a body, gives back bytes or a refusal; it reads no payload."""

from __future__ import annotations

import asyncio
import ipaddress
import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import parse_qsl, urlsplit

from nephele_nb.errors import ModelError

from . import failure
from .encoding import Encoder
from .logs import keep_out_of_logs
from .tiers import OPENAI_URL, Endpoint

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LOCAL_KEY = "none"
CHOOSE_MODEL = "{host} needs the name of a model: set model (NEPHELE_MODEL).{said}"


@dataclass(frozen=True, slots=True)
class Answer:
    """A 200: its headers, and its body, which simply ends where the connection breaks."""

    headers: Mapping[str, str]
    body: AsyncGenerator[bytes]


class Refused(Exception):
    """Any other status; ``body`` is parsed JSON, or text."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Connection(Protocol):
    """What a client sends its requests through: HTTP, or a tape."""

    async def open(self) -> str:
        """Get ready and return the model's name; raises ModelError."""

    async def send(self, body: Mapping[str, Any], stack: AsyncExitStack) -> Answer:
        """Send one request; ``stack`` closes it. Raises Refused and ModelError."""

    async def close(self) -> None:
        """Let go; it opens itself again when it is used."""


class HttpConnection:
    """Streaming requests to one endpoint. Belongs to one event loop."""

    def __init__(self, endpoint: Endpoint, connect_timeout_s: float, first_byte_timeout_s: float) -> None:
        self._endpoint = endpoint
        self._connect_s = connect_timeout_s
        self._first_s = first_byte_timeout_s
        self._client: AsyncOpenAI | None = None
        self._foreign: tuple[type[Exception], ...] = ()
        self._response: type[Any] = object
        self._encoder = Encoder()
        self._model = endpoint.model
        self._local = is_loopback(endpoint.base_url)
        self._used = False

    async def open(self) -> str:
        """Load the library and find the model's name where none is set; raises ModelError."""
        if self._client is None:
            # Loading the library takes a second or more, which the event loop must not stand still for.
            self._client = await asyncio.to_thread(self._connect)
            self._foreign, self._response = failure.foreign_errors(), failure.foreign_response()
        if not self._model:
            self._model = await self._only_model()
        return self._model

    async def send(self, body: Mapping[str, Any], stack: AsyncExitStack) -> Answer:
        """Send one request; raises Refused, and ModelError where no answer came."""
        assert self._client is not None
        try:
            try:
                response = await self._request(self._client, body, stack)
            except self._foreign as error:
                # Some local servers close each connection after a stream, and the next request may meet that moment.
                if not (self._local and self._used and failure.met_a_closed_connection(error)):
                    raise
                response = await self._request(self._client, body, stack)
        except self._foreign as error:
            status = getattr(error, "status_code", 0)
            if status:
                said = getattr(error, "body", None) or error.response.text  # type: ignore[attr-defined]
                raise Refused(status, error.response.headers, said) from self._safe(error)  # type: ignore[attr-defined]
            raise failure.from_foreign(self._endpoint, error, self._connect_s) from self._safe(error)
        self._used = True
        return Answer(response.headers, self._bytes(response))

    async def _request(self, client: AsyncOpenAI, body: Mapping[str, Any], stack: AsyncExitStack) -> Any:
        # The library would check every message it is given one by one, and make the JSON of a whole history anew.
        data = self._encoder.encode(dict(body) | {"model": self._model, "stream": True})
        response = await client.post("/chat/completions", cast_to=self._response, content=data, stream=True)
        stack.push_async_callback(response.aclose)
        return response

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _bytes(self, response: Any) -> AsyncGenerator[bytes]:
        source = cast("AsyncGenerator[bytes]", response.aiter_bytes())
        async with aclosing(source):
            with suppress(*self._foreign):
                async for data in source:
                    yield data

    def _connect(self) -> AsyncOpenAI:
        import openai

        connect_s = None if math.isinf(self._connect_s) else self._connect_s
        address, _, asked = self._endpoint.base_url.partition("?")
        keep_out_of_logs(self._endpoint)
        client = openai.AsyncOpenAI(
            api_key=self._endpoint.api_key or LOCAL_KEY,
            base_url=address,
            default_query=dict(parse_qsl(asked)),
            max_retries=0,
            timeout=openai.Timeout(None, connect=connect_s),
            # What listens on this machine is never reached through a proxy.
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not self._local),
        )
        if self._endpoint.base_url != OPENAI_URL:
            # The library takes these from the environment; they mean nothing to any other host.
            client.organization = client.project = None
        return client

    async def models(self) -> list[str]:
        """Return the names of the models that the endpoint lists, which sends it nothing but the key.

        Raises ModelError, also where it lists nothing that can be read as models.
        """
        if self._client is None:
            self._client = await asyncio.to_thread(self._connect)
            self._foreign, self._response = failure.foreign_errors(), failure.foreign_response()
        try:
            async with asyncio.timeout(None if math.isinf(self._first_s) else self._first_s):
                listed = await self._client.get("/models", cast_to=object)
        except TimeoutError:
            raise failure.from_silence(self._endpoint, "first", self._first_s) from None
        except self._foreign as error:
            raise failure.from_foreign(self._endpoint, error, self._connect_s) from self._safe(error)
        data = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(data, list):
            raise failure.from_no_list(self._endpoint, listed)
        return [str(m["id"]) for m in data if isinstance(m, dict) and "id" in m]

    async def _only_model(self) -> str:
        """Return the one model that the endpoint serves; raises ModelError (``no_model``) where there is a choice."""
        try:
            names = await self.models()
        except ModelError as error:
            if error.code in ("network", "timeout", "auth"):
                raise
            names = []
        if len(names) == 1:
            return names[0]
        raise failure.fail(self._endpoint, CHOOSE_MODEL, "no_model", said=", ".join(names))

    def _safe(self, error: Exception) -> Exception | None:
        """Return the cause to show beneath an error of ours, unless the key stands in its text."""
        return error if failure.hide_key(self._endpoint, str(error)) == str(error) else None


def is_loopback(base_url: str) -> bool:
    """Tell whether an address is on this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
