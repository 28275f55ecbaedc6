"""The client of tier lite: it finds a model on this machine and has it served when a question comes, never before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nephele_nb.errors import ModelError
from nephele_nb.settings import Effective
from nephele_nb.types import Message

from .choice import Choice, choose
from .client import ModelClient
from .connection import Answer, HttpConnection
from .delta import Delta, Loading
from .local import LocalServer
from .tiers import Endpoint

RUNTIME = "xllamacpp"
INSTALL_RUNTIME = "%pip install 'nephele-nb[lite]'"
CONNECT_S = 10.0
NAMED = {
    "missing": "The model file that lite_model names is not there: {path}. Correct the path, or set it to auto.",
    "unreadable": "What lite_model names is no GGUF file that can be read: {path}. Name another, or set it to auto.",
    "not_chat": "The model that lite_model names is no chat model (an embedder, say): {path}. Name another.",
}
NO_RUNTIME = "The model that lite_model names needs the runtime of tier lite: " + INSTALL_RUNTIME


def runtime_is_there() -> bool:
    """Tell whether models can be run in this environment."""
    return find_spec(RUNTIME) is not None


class LiteClient(ModelClient):
    """Streams from a model file on this machine, which is loaded, and shown to be loading, where it isn't yet."""

    def __init__(self, settings: Effective) -> None:
        served = _Served(settings.first_byte_timeout_s)
        super().__init__(
            Endpoint("lite", host="the local model"),
            first_byte_timeout_s=settings.first_byte_timeout_s,
            chunk_timeout_s=settings.chunk_timeout_s,
            context_tokens=settings.lite_context,
            through=lambda _: served,
        )
        self._settings, self._served = settings, served
        self._asked: tuple[Any, ...] = ()

    async def ready(self) -> bool:
        """Tell whether there is a model to ask; raises ModelError where the one that is named can't be used."""
        settings = self._settings
        asked = (settings.lite_model, settings.home_folder, settings.lite_context, settings.lite_threads)
        server = self._served.server
        if server is not None and asked == self._asked and server.model.path.exists():
            return True
        choice = await asyncio.to_thread(choose, settings.lite_model, settings.home_folder)
        if settings.lite_model not in ("auto", "none"):
            _check(choice, Path(settings.lite_model))
        await self._connection.close()
        self._served.server, self._asked = None, asked
        if choice.model is None or not runtime_is_there():
            return False
        self._served.server = LocalServer(
            choice.model,
            context=settings.lite_context,
            idle_s=settings.lite_idle_s,
            threads=settings.lite_threads,
        )
        self.endpoint = Endpoint("lite", model=choice.model.name, host=f"the local model {choice.model.name}")
        return True

    async def stream(self, messages: Sequence[Message], **more: Any) -> AsyncGenerator[Delta]:
        """Yield what loading takes, then as any client; call it only where ``ready``. Raises ModelError."""
        server = self._served.server
        assert server is not None
        server.enter()
        try:
            async with aclosing(server.start()) as waits:
                async for seconds in waits:
                    yield Loading(server.model.name, seconds)
            async with aclosing(super().stream(messages, **more)) as deltas:
                async for delta in deltas:
                    yield delta
        except ModelError as error:
            if error.code in ("cut", "network") and (ended := await server.ended()):
                raise ended from error
            raise
        finally:
            server.leave()


class _Served:
    """The connection to a server whose port and key are new each time it starts."""

    def __init__(self, first_byte_timeout_s: float) -> None:
        self.server: LocalServer | None = None
        self._first_s = first_byte_timeout_s
        self._http: tuple[Endpoint, HttpConnection] | None = None

    async def open(self) -> str:
        assert self.server is not None
        endpoint = self.server.endpoint
        if self._http is None or self._http[0] != endpoint:
            await self._let_go()
            self._http = (endpoint, HttpConnection(endpoint, CONNECT_S, self._first_s))
        return await self._http[1].open()

    async def send(self, body: Mapping[str, Any], stack: AsyncExitStack) -> Answer:
        assert self._http is not None
        return await self._http[1].send(body, stack)

    async def close(self) -> None:
        await self._let_go()
        if self.server is not None:
            self.server.stop()

    async def _let_go(self) -> None:
        if self._http is not None:
            await self._http[1].close()
            self._http = None


def _check(choice: Choice, path: Path) -> None:
    if choice.why in NAMED:
        raise ModelError(NAMED[choice.why].format(path=path), code="no_model")
    if not runtime_is_there():
        raise ModelError(NO_RUNTIME, code="no_model")
