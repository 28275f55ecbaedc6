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
        self._first = True

    def ask(
        self, call_id: str, tool: Tool, arguments: Mapping[str, Any], preview: Preview
    ) -> tuple[Approval, asyncio.Task[Decision]] | None:
        """Return the approval of a call and what waits for its decision, or None where nobody need be asked."""
        rule = rule_for(self._round.policy, tool.name, tool.effect)
        if rule is None:
            return None
        approval = self._pose(call_id, tool, arguments, preview)
        covered = self._covered(approval)
        tape = self._round.tape
        # Taken off the tape under any policy, so that only what nobody asked for is left.
        taped = self._taped(tape, approval) if tape is not None and tape.replaying else None
        if rule == "always":
            approval.settle(approval.verdict(by="policy"))
        elif rule == "never":
            approval.settle(Decision("rejected", reason='approve="never"', by="policy"))
        elif rule == "replay" and tape is not None and taped is not None:
            if taped.outcome != "cancelled" or not tape.ends():
                approval.settle(taped)
        elif rule == "ask" and covered:
            approval.settle(approval.verdict(by="round"))
        else:
            self._round.pending.append(approval)
        return approval, asyncio.create_task(self._decide(rule, approval, tool))

    def _pose(self, call_id: str, tool: Tool, arguments: Mapping[str, Any], preview: Preview) -> Approval:
        approval = Approval(
            call_id=call_id,
            tool=tool.name,
            arguments=arguments,
            code=preview.code,
            description=preview.description,
            effects=preview.effects,
            expires_at=time.time() + self._round.limits.confirm_timeout_s,
            scope=self._scope(tool, preview),
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
                approval.scope is not None,
            )
        )
        return approval

    def _scope(self, tool: Tool, preview: Preview) -> frozenset[str] | None:
        """Return the classes of effect of a call, None where they are not known or no other call can follow."""
        if self._round.ruling is not None or tool.effect is None:
            return None
        known = preview.code is not None or preview.classes is not None
        return preview.classes if known else frozenset({tool.effect})

    def _covered(self, approval: Approval) -> bool:
        """Tell whether the user's word for the round covers a call.

        Behind another call of the same step it never does: what that one changes is not in these effects yet.
        """
        first, self._first = self._first, False
        scope = approval.scope
        words = (classes for tool, classes in self._round.words if tool == approval.tool)
        return first and scope is not None and any(scope <= classes for classes in words)

    def cancel(self, approval: Approval) -> None:
        """Void an approval that waits."""
        cancelled = Decision("cancelled", by="nobody")
        if approval.settle(cancelled):
            self._resolved(approval, cancelled)

    async def _decide(self, rule: Any, approval: Approval, tool: Tool) -> Decision:
        if callable(rule):
            await consult(rule, approval)
        decision = await approval.decided()
        if decision.for_round and decision.granted:
            self._hold(approval, decision, tool)
        self._resolved(approval, decision)
        return decision

    def _hold(self, approval: Approval, decision: Decision, tool: Tool) -> None:
        """Let a decision hold for the round; after an edit for no more than the card showed and what runs does."""
        scope = approval.scope
        if decision.outcome == "edited" and tool.editable:
            edited = tool.shown(approval.arguments | {tool.editable: decision.code}, self._round.say)
            scope = scope & edited.classes if scope is not None and edited.classes is not None else None
        if scope is not None:
            self._round.words.append((approval.tool, scope))

    def _resolved(self, approval: Approval, decision: Decision) -> None:
        if approval in self._round.pending:
            self._round.pending.remove(approval)
        code = decision.code if decision.granted else None
        by, for_round = decision.by, decision.for_round and decision.granted
        self._emit(ApprovalResolved(approval.id, decision.outcome, code, approval.diff, by, for_round))
        tape = self._round.tape
        if tape is not None and not tape.replaying:
            edited = code if decision.outcome == "edited" else None
            tape.keep_decision(Decided(approval.tool, _asked(approval), decision.outcome, edited, decision.reason))

    def _taped(self, tape: Tape, approval: Approval) -> Decision:
        """Return the decision on tape; a call that the tape knows no decision on is rejected."""
        taped = tape.decision(approval.tool, _asked(approval))
        if taped is None:
            return Decision("rejected", reason=self._round.say("not_on_tape"), by="tape")
        code = approval.code if taped.code is None else taped.code
        return Decision(taped.outcome, code if taped.outcome in ("approved", "edited") else None, taped.reason, "tape")


def _asked(approval: Approval) -> str:
    """Return a call as a tape knows it: its code, or its arguments."""
    return approval.code if approval.code is not None else json.dumps(plain(approval.arguments), ensure_ascii=False)
