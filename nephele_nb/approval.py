"""Pending questions to the user about one tool call each; it never runs what was approved.

An approval is decided once: the first decision wins and every later one is told so. Who decides is a policy, a
word or a function of the user's; unclaimed and unknown effects are asked.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Literal, get_args
from uuid import uuid4

from .errors import SettingError, nearest
from .threads import Ended, brief, in_thread
from .types import Decider, Effect, Outcome

Word = Literal["ask", "never", "always", "replay"]
WORDS: tuple[Word, ...] = ("ask", "never", "always", "replay")
Policy = Word | Callable[["Approval"], Any] | Mapping[str, Word]


@dataclass(frozen=True, slots=True)
class Decision:
    """How an approval ended; ``code`` is what may run, ``reason`` why it may not.

    ``for_round`` lets it hold for what later in the round can do no more.
    """

    outcome: Outcome
    code: str | None = None
    reason: str = ""
    by: Decider = "user"
    for_round: bool = False

    @property
    def granted(self) -> bool:
        return self.outcome in ("approved", "edited")


class Approval:
    """One pending question; ``approve`` and ``reject`` may be called from any thread."""

    def __init__(
        self,
        *,
        call_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        code: str | None,
        description: str,
        effects: Sequence[str],
        expires_at: float,
        scope: frozenset[str] | None = None,
    ) -> None:
        """``scope``: the classes of effect that a word for the round covers, None where none can be given."""
        self.id = uuid4().hex[:12]
        self.call_id = call_id
        self.tool = tool
        self.arguments = dict(arguments)
        self.code = code
        self.description = description
        self.effects = list(effects)
        self.expires_at = expires_at
        self.scope = scope
        self.decision: Decision | None = None
        self._lock = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._decided = asyncio.Event()

    def __repr__(self) -> str:
        state = self.decision.outcome if self.decision else "pending"
        return f"Approval({self.tool}, {state})"

    def approve(self, code: str | None = None, for_round: bool = False) -> bool:
        """Approve, with ``code`` in place of the proposal if given; True if this call decided it.

        ``for_round`` also approves what later in the round has no other effects than this. Empty code leaves nothing to
        run, and counts as a rejection. Raises TypeError, and decides nothing, for code that is no text or where there
        is none to edit, and for a round where the effects are not known.
        """
        if for_round and self.scope is None:
            raise TypeError(f"What {self.tool} may do here is not known: approve it alone. Nothing was decided.")
        return self.settle(self.verdict(code, for_round=bool(for_round)))

    def verdict(self, code: str | None = None, by: Decider = "user", for_round: bool = False) -> Decision:
        """Return the decision that approves, with ``code`` in place of the proposal if given."""
        if code is not None and not isinstance(code, str):
            raise TypeError(f"approve() takes the edited code as text, not {type(code).__name__}; nothing was decided.")
        if code is not None and self.code is None:
            raise TypeError(f"{self.tool} has no code to edit; approve() or reject() it.")
        if code is not None and not code.strip():
            return Decision("rejected", reason="the user emptied the code", by=by)
        edited = code is not None and code != self.code
        return Decision("edited" if edited else "approved", code if edited else self.code, "", by, for_round)

    def reject(self, reason: str = "") -> bool:
        """Reject; True if this call decided it."""
        return self.settle(Decision("rejected", reason=str(reason or "")))

    def settle(self, decision: Decision) -> bool:
        """Make ``decision`` the one decision, unless there is one; True if this call decided it."""
        if decision.granted and time.time() >= self.expires_at:
            decision = Decision("expired", by="nobody")
        with self._lock:
            if self.decision is not None:
                return False
            self.decision = decision
        try:
            self._loop.call_soon_threadsafe(self._decided.set)
        except RuntimeError:  # the agent's loop is closed: nobody waits any more
            return False
        return decision.outcome != "expired"

    async def decided(self) -> Decision:
        """Wait until it is decided, or expired."""
        try:
            async with asyncio.timeout(max(0.0, self.expires_at - time.time())):
                await self._decided.wait()
        except TimeoutError:
            self.settle(Decision("expired", by="nobody"))
        assert self.decision is not None
        return self.decision

    @property
    def diff(self) -> str:
        """How the approved code differs from the proposal, as a unified diff; empty if it doesn't."""
        if self.decision is None or self.decision.outcome != "edited":
            return ""
        before, after = (text.splitlines() for text in (self.code or "", self.decision.code or ""))
        return "\n".join(unified_diff(before, after, "proposed", "approved", lineterm=""))


def check_policy(policy: Any, tools: Iterable[str] | None = None) -> Policy:
    """Return the policy; raises SettingError, naming the nearest word, where it isn't one.

    With ``tools`` given, the names in a mapping must be of these or of effects.
    """
    if callable(policy):
        return policy  # type: ignore[no-any-return]
    words = list(policy.values()) if isinstance(policy, Mapping) else [policy]
    for word in words:
        if not isinstance(word, str) or word not in WORDS:
            raise SettingError(
                f"approve={policy!r} is not a policy{nearest(str(word), WORDS)}: use 'ask', 'never', 'always', "
                "'replay', a callable, or a mapping of tool name or effect to one of these words."
            )
    if tools is not None and isinstance(policy, Mapping):
        known = [*tools, *get_args(Effect)]
        for name in policy:
            if name not in known:
                raise SettingError(
                    f"approve names {name!r}, which is no tool of this agent and no effect{nearest(str(name), known)}: "
                    f"use one of {', '.join(known)}."
                )
    return policy  # type: ignore[no-any-return]


def rule_for(policy: Policy, tool: str, effect: Effect | None) -> Word | Callable[[Approval], Any] | None:
    """Return who decides a call of ``tool``, or None where nobody need be asked."""
    if isinstance(policy, Mapping):
        claimed = policy.get(tool) or (policy.get(effect) if effect else None)
        if claimed is not None:
            return claimed
        policy = "ask"
    return None if effect == "reads" else policy


async def consult(policy: Callable[[Approval], Any], approval: Approval) -> None:
    """Let a callable policy decide, in a thread of its own; too late, whatever it raises or a falsy value rejects."""
    asked = asyncio.create_task(in_thread(policy, approval))
    try:
        await asyncio.wait([asked], timeout=max(0.0, approval.expires_at - time.time()))
        if not asked.done():
            approval.settle(_no("did not answer in time"))
            return
    finally:
        asked.cancel()
    if (error := asked.exception()) is not None:
        approval.settle(_no(f"raised {error if isinstance(error, Ended) else brief(error)}"))
        return
    verdict = asked.result()
    if verdict is True:
        approval.settle(approval.verdict(by="policy"))
    elif isinstance(verdict, str) and verdict and approval.code is not None:
        approval.settle(approval.verdict(verdict, by="policy"))
    else:
        approval.settle(_no("said no"))


def _no(why: str) -> Decision:
    return Decision("rejected", reason=f"the approval policy {why}", by="policy")
