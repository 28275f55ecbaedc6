"""Plain chat: one retrieval, one answer; it has no tools, and zero hits gives a fixed statement."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING

from .answering import ask
from .errors import LibraryError, ModelError
from .events import Event, LoopDone, LoopError, StreamChunk
from .grounding import ChatCheck
from .model import lite
from .model.client import ModelClient
from .prompt import chat_messages
from .round import Round
from .tools.search_notes import source_of
from .types import Finish, Hit

if TYPE_CHECKING:
    from .library import Library


async def chat(round: Round, model: ModelClient | None, library: Callable[[], Library]) -> AsyncGenerator[Event, None]:
    """Yield the events of one single-turn round, LoopDone last; without a model the answer is extracted."""
    finish: Finish = "answer"
    say, history = round.say, round.history
    history.say_user(round.text, say("steer_filler"))
    try:
        hits = await asyncio.to_thread(lambda: library().search(round.text))
        for hit in hits:
            round.sources.number(source_of(hit))
        if not hits:
            yield _say(round, say("no_hits") if model else f"{say('no_hits')}\n\n{say('lite_hint')}")
        elif model is None:
            yield _say(round, lite.answer(round.text, hits, say.language))
        else:
            async for event in _write(round, model, hits):
                yield event
        history.add({"role": "assistant", "content": "".join(round.answer) or say("no_answer")})
    except asyncio.CancelledError:
        round.resume()
        finish = "timeout" if round.interrupted == "timeout" else "stopped"
        history.add({"role": "assistant", "content": "\n".join([*round.answer, say("stopped_answer")])})
    except (ModelError, LibraryError) as error:
        finish = "error"
        code, retryable = (error.code, error.retryable) if isinstance(error, ModelError) else ("library", False)
        yield LoopError(code, str(error), retryable)
        cut = say("cut_answer", message=str(error))
        history.add({"role": "assistant", "content": "\n".join(["".join(round.answer), cut]).strip()})
    yield LoopDone(finish, round.usage, round.sources.cited("".join(round.answer)))


async def _write(round: Round, model: ModelClient, hits: Sequence[Hit]) -> AsyncGenerator[Event, None]:
    check = ChatCheck([f"{hit.title}\n{hit.text}" for hit in hits], round.say("guess"), round.say("number_unknown"))
    async for event in ask(round, model, chat_messages(round.text, hits, round.say.language), check):
        yield event
    if not round.reply.text:
        thought = round.reply.thinking and round.reply.cut
        yield _say(round, round.say("no_answer_thinking" if thought else "no_answer"))


def _say(round: Round, text: str) -> StreamChunk:
    round.answer.append(text)
    return StreamChunk(text)
