"""Plain chat: one retrieval, one answer; it has no tools, and zero hits gives a fixed statement."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from .answering import Check, ask
from .errors import LibraryError, ModelError
from .events import Event, LoopDone, LoopError, StreamChunk
from .grounding import ChatCheck, CitationCheck
from .images.album import content
from .model import lite
from .model.budget import CapReached
from .model.client import ModelClient
from .model.lite_client import LiteClient
from .prompt import chat_messages
from .round import Round, Sources
from .tools.search_notes import source_of
from .types import Finish, Hit

if TYPE_CHECKING:
    from .library import Library


async def chat(round: Round, model: ModelClient | None, library: Callable[[], Library]) -> AsyncGenerator[Event, None]:
    """Yield the events of one single-turn round, LoopDone last; without a model the answer is extracted."""
    round.history.say_user(content(round.text + round.attached, round.pictures), round.say("steer_filler"))
    async with aclosing(_answer(round, model, library)) as events:
        async for event in events:
            yield event


async def fall_back(round: Round, model: ModelClient, library: Callable[[], Library]) -> AsyncGenerator[Event, None]:
    """Yield what a loop still gives that a cap has ended, LoopDone last: one search, and an answer if it can pay."""
    round.sources = Sources()
    round.answer.clear()
    yield StreamChunk("\n\n")
    async with aclosing(_answer(round, model, library)) as events:
        async for event in events:
            yield event


async def _answer(
    round: Round, model: ModelClient | None, library: Callable[[], Library]
) -> AsyncGenerator[Event, None]:
    finish: Finish = "budget" if round.capped else "answer"
    say, history, hits = round.say, round.history, list[Hit]()
    try:
        hits = [_bare(hit, round) for hit in await asyncio.to_thread(lambda: library().search(round.message))]
        for hit in hits:
            round.sources.number(source_of(hit))
        if round.unused_model:
            yield _say(round, f"{say('model_unused', model=round.unused_model)}\n\n")
        if round.pictures and (model is None or isinstance(model, LiteClient)):
            yield _say(round, f"{say('pictures_no_model')}\n\n")
        if isinstance(model, LiteClient):
            events = _on_this_machine(round, model, hits)
        elif model is None or not (hits or round.pictures):
            events = _quoted(round, hits, model is not None)
        else:
            events = _write(round, model, hits)
        async with aclosing(events):
            async for event in events:
                yield event
        history.say("".join(round.answer) or say("no_answer"))
    except CapReached as reached:
        finish = "budget"
        words = [] if round.capped else [reached.words(say)]
        yield _say(round, "\n\n".join([*words, lite.answer(round.message, hits, say.language)]))
        history.say("".join(round.answer))
    except asyncio.CancelledError:
        round.resume()
        finish = "timeout" if round.interrupted == "timeout" else "stopped"
        history.say("\n".join([*round.answer, say("stopped_answer")]))
    except (ModelError, LibraryError) as error:
        finish = "error"
        code, retryable = (error.code, error.retryable) if isinstance(error, ModelError) else ("library", False)
        yield LoopError(code, str(error), retryable)
        cut = say("cut_answer", message=str(error))
        history.say("\n".join(["".join(round.answer), cut]).strip())
    yield LoopDone(finish, round.usage, round.sources.cited("".join(round.answer)))


async def _on_this_machine(round: Round, model: LiteClient, hits: Sequence[Hit]) -> AsyncGenerator[Event, None]:
    """Yield a local model's answer; where it fails, or there is none, what the passages themselves say."""
    ready = False
    try:
        ready = await model.ready()
        if ready and hits:
            async with aclosing(_write(round, model, lite.few(hits))) as events:
                async for event in events:
                    yield event
            return
    except ModelError as error:
        yield _say(round, ("\n\n" if round.answer else "") + round.say("lite_failed", why=str(error)) + "\n\n")
    async for event in _quoted(round, hits, ready):
        yield event


async def _quoted(round: Round, hits: Sequence[Hit], model: bool) -> AsyncGenerator[Event, None]:
    """Yield what the passages say word for word; where there are none, that, and without a ``model`` how to get one."""
    if hits:
        yield _say(round, lite.answer(round.message, hits, round.say.language))
    else:
        # Where a model is named that can't be asked, that was said already.
        told = model or bool(round.unused_model)
        yield _say(round, "\n\n".join(round.say(key) for key in ("no_hits", "lite_hint")[: 1 if told else 2]))


async def _write(round: Round, model: ModelClient, hits: Sequence[Hit]) -> AsyncGenerator[Event, None]:
    check: Check = ChatCheck(
        [f"{hit.title}\n{hit.text}" for hit in hits], round.say("guess"), round.say("number_unknown")
    )
    pictures = () if isinstance(model, LiteClient) else round.pictures
    if pictures:
        # What is seen in a picture stands in no passage.
        check = CitationCheck(lambda: len(hits))
    messages = chat_messages(f"{round.skill_text}{round.message}{round.attached}", hits, round.say.language)
    messages[-1]["content"] = content(messages[-1]["content"], pictures)
    async for event in ask(round, model, messages, check):
        yield event
    if not round.reply.text:
        thought = round.reply.thinking and round.reply.cut
        yield _say(round, round.say("no_answer_thinking" if thought else "no_answer"))
    if round.reply.unseen:
        yield _say(round, f"\n\n{round.say(round.reply.unseen)}")


def _bare(hit: Hit, round: Round) -> Hit:
    """Return a passage as it may leave the kernel."""
    return replace(hit, title=round.secrets.hide(hit.title), text=round.secrets.hide(hit.text))


def _say(round: Round, text: str) -> StreamChunk:
    round.answer.append(text)
    return StreamChunk(text)
