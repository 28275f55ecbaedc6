"""A step's questions to the user: asked, decided by policy, tape or person, told as events; it never runs a call."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from .approval import Approval, Decision, consult, rule_for
from .events import ApprovalRequest, ApprovalResolved, Event, plain
from .model.tape import Decided, Tape
from .round import Round
from .tools.registry import Preview, Tool


class Questions:
    """Asks about the calls of one step; ``emit`` takes the events."""

    def __init__(self, round: Round, emit: Callable[[Event], None]) -> None:
        self._round = round
        self._emit = emit

    def ask(
        self, call_id: str, tool: Tool, arguments: Mapping[str, Any], preview: Preview
    ) -> tuple[Approval, asyncio.Task[Decision]] | None:
        """Return the approval of a call and what waits for its decision, or None where nobody need be asked."""
        rule = rule_for(self._round.policy, tool.name, tool.effect)
        if rule is None:
            return None
        approval = self._pose(call_id, tool, arguments, preview)
        tape = self._round.tape
        # Taken off the tape under any policy, so that only what nobody asked for is left.
        taped = self._taped(tape, approval) if tape is not None and tape.replaying else None
        if rule == "always":
            approval.approve()
        elif rule == "never":
            approval.reject('approve="never"')
        elif rule == "replay" and tape is not None and taped is not None:
            if taped.outcome != "cancelled" or not tape.ends():
                approval.settle(taped)
        else:
            self._round.pending.append(approval)
        return approval, asyncio.create_task(self._decide(rule, approval))

    def _pose(self, call_id: str, tool: Tool, arguments: Mapping[str, Any], preview: Preview) -> Approval:
        approval = Approval(
            call_id=call_id,
            tool=tool.name,
            arguments=arguments,
            code=preview.code,
            description=preview.description,
            effects=preview.effects,
            expires_at=time.time() + self._round.limits.confirm_timeout_s,
        )
        self._emit(
            ApprovalRequest(
                approval.id,
                call_id,
                tool.name,
                approval.code,
                approval.description,
                approval.effects,
                approval.expires_at,
            )
        )
        return approval

    def cancel(self, approval: Approval) -> None:
        """Void an approval that waits."""
        if approval.settle(Decision("cancelled")):
            self._resolved(approval, Decision("cancelled"))

    async def _decide(self, rule: Any, approval: Approval) -> Decision:
        if callable(rule):
            await consult(rule, approval)
        decision = await approval.decided()
        self._resolved(approval, decision)
        return decision

    def _resolved(self, approval: Approval, decision: Decision) -> None:
        if approval in self._round.pending:
            self._round.pending.remove(approval)
        code = decision.code if decision.granted else None
        self._emit(ApprovalResolved(approval.id, decision.outcome, code, approval.diff))
        tape = self._round.tape
        if tape is not None and not tape.replaying:
            edited = code if decision.outcome == "edited" else None
            tape.keep_decision(Decided(approval.tool, _asked(approval), decision.outcome, edited, decision.reason))

    def _taped(self, tape: Tape, approval: Approval) -> Decision:
        """Return the decision on tape; a call that the tape knows no decision on is rejected."""
        taped = tape.decision(approval.tool, _asked(approval))
        if taped is None:
            return Decision("rejected", reason=self._round.say("not_on_tape"))
        code = approval.code if taped.code is None else taped.code
        return Decision(taped.outcome, code if taped.outcome in ("approved", "edited") else None, taped.reason)


def _asked(approval: Approval) -> str:
    """Return a call as a tape knows it: its code, or its arguments."""
    return approval.code if approval.code is not None else json.dumps(plain(approval.arguments), ensure_ascii=False)
