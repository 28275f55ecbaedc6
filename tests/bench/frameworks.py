"""Two agent frameworks on the same server as the product, where they are installed; for ``event_path`` alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

from nephele_nb.model.scripted import ScriptedModel

Times = tuple[float, float]
"""Seconds to the first piece of the answer, and in all."""
TEXT = "response.output_text.delta"
Reader = Callable[[ScriptedModel, Any], Awaitable[Times]]


async def openai_agents(model: ScriptedModel, tool: Any) -> Times:
    """Run an agent of ``openai-agents`` and listen to its stream."""
    import agents
    import openai

    agents.set_tracing_disabled(True)
    client = openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0)
    chat = agents.OpenAIChatCompletionsModel(model=model.model, openai_client=client)
    agent = agents.Agent(name="a", model=chat, tools=[agents.function_tool(tool)] if tool else [])
    try:
        for _ in ("warm", "measured"):
            began, first = time.perf_counter(), 0.0
            async for event in agents.Runner.run_streamed(agent, "go on").stream_events():
                if not first and event.type == "raw_response_event" and event.data.type == TEXT:
                    first = time.perf_counter() - began
        return first, time.perf_counter() - began
    finally:
        await client.close()


async def pydantic_ai(model: ScriptedModel, tool: Any) -> Times:
    """Run an agent of ``pydantic-ai`` and listen to its stream."""
    import openai
    from pydantic_ai import Agent, TextPart
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0)
    chat = OpenAIChatModel(model.model, provider=OpenAIProvider(openai_client=client))
    agent = Agent(chat, tools=[tool] if tool else [])
    try:
        for _ in ("warm", "measured"):
            began, first = time.perf_counter(), 0.0
            async with agent.run_stream_events("go on") as events:
                async for event in events:
                    if not first and isinstance(getattr(event, "part", None), TextPart):
                        first = time.perf_counter() - began
        return first, time.perf_counter() - began
    finally:
        await client.close()


def installed() -> dict[str, Callable[[ScriptedModel, Any], Times]]:
    """Return the frameworks that are here, by name."""
    known: dict[str, tuple[str, Reader]] = {
        "openai-agents": ("agents", openai_agents),
        "pydantic-ai": ("pydantic_ai", pydantic_ai),
    }
    return {name: _blocking(reader) for name, (module, reader) in known.items() if find_spec(module)}


def _blocking(reader: Reader) -> Callable[[ScriptedModel, Any], Times]:
    return lambda model, tool: asyncio.run(reader(model, tool))  # type: ignore[arg-type]
