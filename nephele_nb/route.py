"""The way a message takes: plain chat or the loop, with the model its tier names; it fans nothing out."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from .chat import chat, fall_back
from .errors import ModelError
from .events import Event, LoopDone
from .kernel.namespace import Variable, lines
from .keys import stored
from .knowledge import Knowledge, alone, opened
from .loop import loop
from .model.client import ModelClient
from .model.lite_client import LiteClient
from .model.sight import Look
from .model.tape import Tape
from .model.taped import through
from .model.tiers import Endpoint, resolve
from .prompt import system_prompt
from .round import Round
from .ruled import Rules
from .settings import Effective
from .tools import RESEARCH, Offer, Toolbox

if TYPE_CHECKING:
    from .library import Library


class Route:
    """Finds the way of each round, and keeps the client of the last endpoint open."""

    def __init__(
        self,
        settings: Effective,
        library: Callable[[], Library],
        tools: Callable[[], Toolbox],
        knowledge: Knowledge,
        rules: Rules,
        look: Look,
        variables: Callable[[], Awaitable[Sequence[Variable]]],
        started: float,
        tape: Tape | None = None,
    ) -> None:
        self._settings = settings
        self._library = library
        self._tools = tools
        self._knowledge = knowledge
        self.rules = rules
        self._look = look
        self._variables = variables
        self._started = started
        self._tape = tape
        self._client: tuple[Endpoint, dict[str, Any], ModelClient] | None = None
        self._lite: LiteClient | None = None

    @property
    def replays(self) -> bool:
        """Whether answers come from a tape, so that nothing is spent."""
        return self._tape is not None and self._tape.replaying

    def tell_left(self, tell: Callable[[str], object]) -> None:
        """Tell what of a replayed tape nobody asked for; in strict headless mode raises ModelError (``tape``)."""
        left = self._tape.left() if self._tape is not None else ""
        if left and self._settings.headless == "strict":
            raise ModelError(left, code="tape")
        if left:
            tell(f"{left}\n")

    def endpoint(self, settings: Effective) -> Endpoint:
        """Return who would answer with these settings: what is on a tape that is replayed, or a tier's endpoint."""
        if self._tape is not None and self._tape.replaying and settings.tier != "lite":
            return self._tape.endpoint
        return resolve(settings, os.environ, stored)

    async def settle(self, round: Round, endpoint: Endpoint) -> Endpoint:
        """Return where a round's message goes: nowhere, if a rule answers it."""
        if await self.rules.settle(round):
            return Endpoint("lite")
        if self._client is not None and self._client[:2] != (endpoint, self._options()):
            await self._client[2].close()
            self._client = None
        return endpoint

    def __call__(self, round: Round, endpoint: Endpoint) -> AsyncGenerator[Event, None]:
        """Return the events of a round."""
        if round.ruling is not None:
            return self.rules.answer(round, round.ruling)
        round.skill = skill = self._knowledge.skill(round)
        if skill is not None and not skill.message:
            return alone(round, skill)
        events = self._answered(round, self._model(endpoint))
        return opened(round, skill, events) if skill is not None else events

    def _answered(self, round: Round, model: ModelClient) -> AsyncGenerator[Event, None]:
        if round.mode == "chat":
            return chat(round, model, self._library)
        tools = self._tools()
        language = round.say.language
        standing = self._knowledge.standing(language)
        if round.mode == "research":
            names = (*RESEARCH, "memory_read") if standing.cards else RESEARCH
            tools = tools.only(lambda tool: tool.name in names)
        text = system_prompt(round.mode, language, self._started, round.limits.max_steps, standing)
        offer = Offer(tools, round.say, round.text)
        return self._looped(round, model, loop(round, model, offer, {"role": "system", "content": text}))

    async def _looped(
        self, round: Round, model: ModelClient, events: AsyncGenerator[Event, None]
    ) -> AsyncGenerator[Event, None]:
        """Yield a loop's events; where a cap has ended it, what can still be had takes the place of its end."""
        if round.mode == "agent":
            round.variables = lines(await self._variables())
        async with aclosing(events):
            async for event in events:
                if round.capped is None or not isinstance(event, LoopDone):
                    yield event
        if round.capped is not None:
            async with aclosing(fall_back(round, model, self._library)) as instead:
                async for event in instead:
                    yield event

    async def close(self) -> None:
        """Close the connection that is kept open, and give back what a local model holds."""
        if self._client is not None:
            await self._client[2].close()
        if self._lite is not None:
            await self._lite.close()

    def _model(self, endpoint: Endpoint) -> ModelClient:
        if endpoint.tier == "lite":
            self._lite = self._lite or LiteClient(self._settings)
            return self._lite
        if self._client is None:
            self._client = endpoint, self._options(), self.client(endpoint)
        return self._client[2]

    def client(self, endpoint: Endpoint) -> ModelClient:
        """Return a new client, for whoever closes it."""
        tape = through(self._tape, endpoint) if self._tape else None
        return ModelClient(endpoint, look=self._look, through=tape, **self._options())

    def _options(self) -> dict[str, Any]:
        """Return the settings that a client is made with."""
        names = ("connect_timeout_s", "first_byte_timeout_s", "chunk_timeout_s", "context_tokens", "figures")
        return {name: getattr(self._settings, name) for name in names}
