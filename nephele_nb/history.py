"""The conversation's messages, always replayable; it never talks to a model.

However a round ends, each tool call has its one result and roles alternate, so the next request is valid for
strict providers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from .types import Message

Listener = Callable[[Message, int], None]
"""Hears each message, and how far from the end the one it replaces stands (0: it is new)."""


class History:
    """Chat Completions messages of one conversation, in order, without the system prompt."""

    def __init__(self, messages: Iterable[Message] = (), on_add: Listener | None = None) -> None:
        self.messages: list[Message] = list(messages)
        self.round_id = ""
        """The round that runs: what its user says is kept under it, and what follows belongs to that."""
        self.aside: Collection[str] = ()
        """Rounds that the model doesn't get."""
        self.left_out = 0
        """How many of the oldest messages the user was told have no room in the model's window."""
        self._on_add = on_add or (lambda message, replaces: None)

    def add(self, message: Message) -> None:
        """Append one message as it is."""
        self.messages.append(message)
        self._on_add(message, 0)

    def amend(self, text: str, call_id: str | None = None) -> None:
        """Append ``text`` to the last message, or to the result of ``call_id``."""
        back = next(n for n, m in enumerate(reversed(self.messages), 1) if call_id in (None, m.get("tool_call_id")))
        message = dict(self.messages[-back])
        message["content"] = f"{message.get('content') or ''}{text}"
        self.messages[-back] = message
        self._on_add(message, back)

    def say_user(self, content: str | list[dict[str, Any]], filler: str) -> None:
        """Append the user's message; where an assistant's turn is missing before it, ``filler`` takes its place."""
        last = self.messages[-1]["role"] if self.messages else "assistant"
        if last != "assistant":
            self.add({"role": "assistant", "content": filler})
        self.add({"role": "user", "content": content, "_round": self.round_id})

    def say(self, content: str) -> None:
        """Append what the assistant says: to its last message, where that awaits no results."""
        last = self.messages[-1] if self.messages else {"role": "user"}
        if last["role"] == "assistant" and not last.get("tool_calls"):
            self.amend(f"\n\n{content}")
        else:
            self.add({"role": "assistant", "content": content})

    def clear(self) -> int:
        """Begin anew, and return how many messages there were."""
        count, self.left_out = len(self.messages), 0
        self.messages.clear()
        return count

    def of_round(self, round_id: str) -> list[Message]:
        """Return the messages of one round."""
        return [m for m, mine in self._by_round() if mine == round_id]

    def seen(self) -> list[Message]:
        """Return what the model gets: whole rounds, without those that were set aside."""
        return [m for m, mine in self._by_round() if mine not in self.aside]

    def _by_round(self) -> Iterator[tuple[Message, str]]:
        mine = ""
        for message in list(self.messages):
            mine = message.get("_round", "") if message["role"] == "user" else mine
            yield message, mine

    def public(self) -> list[Message]:
        """Return what the model gets, without our private keys."""
        return [{k: v for k, v in m.items() if not k.startswith("_")} for m in self.seen()]

    def open_calls(self) -> list[str]:
        """Return the ids of calls that have no result yet, in call order."""
        pending: list[str] = []
        for message in self.messages:
            if message["role"] == "tool":
                pending = [i for i in pending if i != message["tool_call_id"]]
            elif message.get("tool_calls"):
                pending = [call["id"] for call in message["tool_calls"]]
        return pending

    def close(self, unanswered: str, missing: str) -> None:
        """Give each open call the result ``unanswered``, and a turn without an answer the answer ``missing``."""
        for call_id in self.open_calls():
            self.add({"role": "tool", "tool_call_id": call_id, "content": unanswered})
        if self.messages and self.messages[-1]["role"] != "assistant":
            self.add({"role": "assistant", "content": missing})


def mend(messages: Iterable[Message], unanswered: str, missing: str) -> list[Message]:
    """Return messages as a strict provider takes them, whatever a damaged file has lost of them.

    A call without a result is answered ``unanswered``, a turn without an answer ``missing``; a result that answers no
    call is left out, and of two answers in a row the second goes on where the first ended.
    """
    history = History()
    for message in messages:
        role = message["role"]
        history.round_id = message.get("_round", "")
        if role == "tool":
            if message["tool_call_id"] in history.open_calls():
                history.add(message)
            continue
        for call_id in history.open_calls():
            history.add({"role": "tool", "tool_call_id": call_id, "content": unanswered})
        last = history.messages[-1] if history.messages else {"role": "assistant", "tool_calls": True}
        if role == "user":
            history.say_user(message["content"], missing)
        elif last["role"] == "assistant" and not last.get("tool_calls") and not message.get("tool_calls"):
            history.amend(f"\n{message['content']}")
        elif history.messages:
            history.add(message)
    return history.messages
