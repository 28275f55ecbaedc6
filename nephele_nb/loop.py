"""The ReAct loop: ask the model, carry out its calls, tell it the results, until it answers; it runs no tool itself.

When ``watch`` says the budget is spent, one more call, in which tools are refused, closes the round.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from .answering import think
from .calls import Step
from .errors import ModelError
from .events import Event, LoopError, StreamChunk, StreamReset
from .images.album import content
from .model.budget import CapReached
from .model.client import ModelClient
from .prompt import user_turn
from .round import Round
from .tools.offer import Offer
from .types import Finish, Message
from .watch import Watch

CLOSING_S = 30.0


async def loop(round: Round, model: ModelClient, tools: Offer, system: Message) -> AsyncGenerator[Event, None]:
    """Yield the events of one round, LoopDone last; an interruption of the round's driver is heard between any two."""
    watch = Watch(round.mode == "research")
    finish: Finish = "answer"
    turn = user_turn(round.message + round.attached, round.started, round.skill_text, round.variables)
    round.history.say_user(content(turn, round.pictures), round.say("steer_filler"))
    try:
        while True:
            spent = watch.spent(round.limits)
            async with aclosing(think(round, model, tools, system, closing=spent)) as events:
                async for event in events:
                    yield event
            if spent or not round.reply.calls:
                if not spent and watch.remind(round):
                    yield StreamReset()
                    continue
                if not spent and _heard(round):
                    continue
                finish = "budget" if spent else "answer"
                if sentence := watch.last_words(round, spent):
                    yield _say(round, sentence)
                break
            step = Step(round, tools, round.reply.calls, watch.allowed(round))
            async with aclosing(step.events()) as events:
                async for event in events:
                    yield event
            if verdict := watch.look(step):
                finish, sentence = verdict
                yield _say(round, sentence)
                break
            watch.notice(step)
            _heard(round)
    except asyncio.CancelledError:
        finish = "timeout" if round.interrupted == "timeout" else "stopped"
        async for event in _interrupted(round, model, tools, system):
            yield event
    except (CapReached, ModelError) as error:
        finish = "budget" if isinstance(error, CapReached) else "error"
        yield _failed(round, error)
    yield round.done(finish)


def _failed(round: Round, error: CapReached | ModelError) -> Event:
    """Return what tells the user why the model could not go on, and keep the history whole."""
    if isinstance(error, CapReached):
        round.capped = error
        return _say(round, error.words(round.say))
    round.history.close(round.cut_words(False), round.say("cut_answer", message=str(error)))
    return LoopError(error.code, str(error), error.retryable)


async def _interrupted(round: Round, model: ModelClient, tools: Offer, system: Message) -> AsyncGenerator[Event, None]:
    round.resume()
    if round.interrupted == "timeout":
        async for event in close(round, model, tools, system):
            yield event
    round.history.close(round.cut_words(False), round.say("stopped_answer"))


async def close(round: Round, model: ModelClient, tools: Offer, system: Message) -> AsyncGenerator[Event, None]:
    """Give the model min(30 s, the wall clock) to close a round whose time is up; else a fixed sentence."""
    seconds = min(CLOSING_S, round.limits.wall_clock_s or CLOSING_S)
    if round.history.messages[-1]["role"] == "assistant":
        round.history.say_user(round.say("time_is_up"), "")
    try:
        async with asyncio.timeout(seconds):
            async for event in think(round, model, tools, system, closing=True):
                yield event
        if not round.reply.text:
            yield _say(round, round.say("timeout_close"))
    except (TimeoutError, ModelError, CapReached):
        yield _say(round, round.say("timeout_close"))
    except asyncio.CancelledError:
        round.resume()


def _heard(round: Round) -> bool:
    heard = bool(round.steering)
    while round.steering:
        round.history.say_user(round.steering.popleft(), round.say("steer_filler"))
    return heard


def _say(round: Round, sentence: str) -> StreamChunk:
    """Return a sentence of ours as the answer's next paragraph, and keep it in the history."""
    text = f"\n\n{sentence}" if round.answer else sentence
    round.answer.append(text)
    last = round.history.messages[-1]
    if last["role"] == "assistant" and not last.get("tool_calls"):
        round.history.amend(text)
    else:
        round.history.add({"role": "assistant", "content": sentence})
    return StreamChunk(text)
