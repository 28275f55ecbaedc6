"""What may still be spent: caps on a round, on a day and on a tree of sub-agents; it never makes a request itself.

A request is estimated before it is made: its prompt, and an answer of some length. One that would pass a cap is not
made, and one whose answer would grow past it is ended there. What requests in flight may cost is held back, so that
several at once can't pass a cap together.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from nephele_nb.events import Event

from .account import TOKENS
from .bill import Bill
from .ledger import Ledger
from .prices import CREDITS, MILLION, Price
from .tiers import Endpoint

LEAST_ANSWER = 256
"""Tokens of an answer below which asking isn't worth its prompt."""
SIDE_BY_SIDE = 4096
"""Tokens of the longest answer where several may be asked for at once."""

Per = Literal["round", "day", "tasks"]


@dataclass(frozen=True, slots=True)
class Caps:
    """The caps that are set; 0 means none. ``round`` and ``day`` are credits or money, as the tier has it."""

    round: float = 0.0
    day: float = 0.0
    tokens_round: int = 0
    tokens_day: int = 0

    def __bool__(self) -> bool:
        return self != Caps()


@dataclass(frozen=True, slots=True)
class Room:
    """What one cap leaves. ``unit`` is ``credits``, ``tokens`` or a currency; empty where no price is known."""

    per: Per
    unit: str
    limit: float
    spent: float
    each: Price
    """What a million tokens take of it."""

    @property
    def left(self) -> float:
        return self.limit - self.spent

    def cost(self, asked: int, answer: int) -> float:
        """Return what a request takes of it, in tokens of its prompt and of its answer."""
        return (asked * self.each.input + answer * self.each.output) / MILLION

    def answer(self, asked: int) -> float:
        """Return how many tokens an answer may take."""
        return (self.left - self.cost(asked, 0)) * MILLION / self.each.output if self.each.output else float("inf")


class CapReached(Exception):
    """A request was not made, because it would have passed a cap; ``needed`` is what it would have taken at least."""

    def __init__(self, room: Room, needed: float, endpoint: Endpoint) -> None:
        super().__init__(f"the cap of {room.limit:g} {room.unit} a {room.per} leaves {room.left:g}")
        self.room = room
        self.needed = needed
        self._endpoint = endpoint

    def words(self, say: Callable[..., str]) -> str:
        """Return what the user is told."""
        room = self.room
        if not room.unit:
            return say("cap_unpriced", model=self._endpoint.model, host=self._endpoint.host)
        unit = say(room.unit) if room.unit in (CREDITS, TOKENS) else room.unit
        needed, left, limit = (f"{n:.4g}" for n in (self.needed, max(0.0, room.left), room.limit))
        return say(f"cap_{room.per}", needed=needed, left=left, limit=limit, unit=unit)


@dataclass(frozen=True, slots=True, eq=False)
class Grant:
    """Leave for one request: ``answer_tokens`` is how long its answer may become, None without a bound."""

    answer_tokens: int | None = None
    prompt_tokens: int = 0
    held: dict[str, float] = field(default_factory=dict)


class Budget:
    """What one round may spend, with the sub-agents that ``part`` gives a budget of their own; any thread."""

    def __init__(self, round_id: str, caps: Caps, ledger: Ledger, parent: Budget | None = None) -> None:
        self._round_id = round_id
        self._caps = caps
        self._ledger = ledger
        self._parent = parent
        self._lock: threading.Lock = parent._lock if parent else threading.Lock()
        self._spent: dict[str, float] = {}
        self._grants: list[Grant] = []
        self._scale = 1.0
        """How much longer prompts were, by the server's count, than they had been estimated."""

    def part(self, caps: Caps) -> Budget:
        """Return the budget of a sub-agent, or of a tree of them: what it spends is spent here too."""
        return Budget(self._round_id, caps, self._ledger, self)

    def ask(self, endpoint: Endpoint, prompt_tokens: Callable[[], int]) -> Grant:
        """Return leave for a request, which ``settle`` takes back; raises CapReached. Without caps nothing counts."""
        if not any(budget._caps for budget in self._line()):
            return Grant()
        counted = prompt_tokens()
        asked = math.ceil(counted * max(budget._scale for budget in self._line()))
        price = self._ledger.price(endpoint, asked)
        today = self._ledger.today()
        with self._lock:
            rooms = [room for budget in self._line() for room in budget._rooms(price, today)]
            for room in rooms:
                needed = room.cost(asked, LEAST_ANSWER)
                if room.left < needed or not room.unit:
                    raise CapReached(room, needed, endpoint)
            # Sub-agents ask side by side, so none of them may hold all that is left.
            most = SIDE_BY_SIDE if self._parent else float("inf")
            longest = min((room.answer(asked) for room in rooms), default=float("inf"))
            answer = None if min(longest, most) == float("inf") else int(min(longest, most))
            grant = Grant(answer, counted, {room.unit: room.cost(asked, answer or 0) for room in rooms})
            for budget in self._line():
                budget._grants.append(grant)
        return grant

    def settle(self, grant: Grant, endpoint: Endpoint, bill: Bill) -> list[Event]:
        """Note what a request has come to in the place of what was held back for it; return the events that tell it."""
        spent, events = self._ledger.charge(self._round_id, endpoint, bill)
        told = 0 if bill.estimated or not grant.prompt_tokens else bill.usage.input
        with self._lock:
            for budget in self._line():
                budget._scale = max(budget._scale, told / max(1, grant.prompt_tokens))
                budget._grants = [other for other in budget._grants if other is not grant]
                for unit, amount in spent.items():
                    budget._spent[unit] = budget._spent.get(unit, 0.0) + amount
        return events

    @property
    def cost(self) -> dict[str, float]:
        """What was spent so far, by unit (``credits`` or a currency); empty where no price is known."""
        with self._lock:
            return {
                unit: amount for unit, amount in self._spent.items() if unit != TOKENS and (amount or unit != CREDITS)
            }

    def _line(self) -> Iterator[Budget]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget._parent

    def _rooms(self, price: Price | None, today: dict[str, float]) -> Iterator[Room]:
        """Yield what each cap leaves; where no price is known, a cap on tokens takes the place of the one on money."""
        caps, per = self._caps, "tasks" if self._parent else "round"
        for name, money, tokens in ((per, caps.round, caps.tokens_round), ("day", caps.day, caps.tokens_day)):
            if tokens:
                yield self._room(name, float(tokens), Price(TOKENS, MILLION, MILLION, MILLION), today)
            if money and (price is not None or not tokens):
                yield self._room(name, money, price or Price("", 0.0, 0.0, 0.0), today)

    def _room(self, per: str, limit: float, each: Price, today: dict[str, float]) -> Room:
        held = sum(grant.held.get(each.unit, 0.0) for grant in self._grants)
        spent = (today if per == "day" else self._spent).get(each.unit, 0.0)
        return Room(per, each.unit, limit, spent + held, each)  # type: ignore[arg-type]
