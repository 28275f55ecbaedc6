"""What ends a loop that doesn't answer: budgets, failures, no progress; it never runs anything.

Research ends after ``max_steps`` steps with tools, agent when ``max_tool_calls`` calls have run. The same tool failing
in two steps running ends research; five failing steps running end agent mode; the same call with the same result,
once too often, ends both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .calls import Step
from .grounding import false_quotes
from .pending import Pending
from .round import Limits, Round
from .types import Finish

REPEATS = 3
FAILING_STEPS = 5


@dataclass(slots=True)
class Watch:
    """What the failure rules look at between steps."""

    research: bool
    steps: int = 0
    calls: int = 0
    failing: frozenset[str] = frozenset()
    failing_steps: int = 0
    repeats: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    reminded: bool = False

    def spent(self, limits: Limits) -> bool:
        """True when the round must close."""
        return self.steps >= limits.max_steps if self.research else self.calls >= limits.max_tool_calls

    def allowed(self, round: Round) -> int:
        """Return how many of the last reply's calls may run."""
        return len(round.reply.calls) if self.research else round.limits.max_tool_calls - self.calls

    def look(self, step: Step) -> tuple[Finish, str] | None:
        """Return how the round must end after this step, with the sentence for it, or None."""
        say, failed = step.round.say, [p for p in step.pending if p.failed]
        fruitless = bool(failed) and all(p.failed or p.blameless for p in step.pending)
        self.steps += 1
        self.calls += len(step.pending)
        if any(p.result and p.result.ends_round for p in step.pending):
            return "stopped", say("interrupted")
        for pending in step.pending:
            if (times := self._times(pending)) > REPEATS:
                return "no_progress", say("no_progress", tool=pending.call.name, times=times)
        self.failing_steps = self.failing_steps + 1 if fruitless else 0
        again = next((p for p in failed if p.call.name in self.failing), None)
        self.failing = frozenset(p.call.name for p in failed)
        if self.research and again:
            return "tool_failed", say("tool_failed", tool=again.call.name, error=again.text)
        if not self.research and self.failing_steps >= FAILING_STEPS:
            return "tool_failed", say("steps_failed", tool=failed[-1].call.name, error=failed[-1].text)
        return None

    def _times(self, pending: Pending) -> int:
        key = (pending.call.name, pending.call.arguments)
        text, times = self.repeats.get(key, ("", 0))
        times = times + 1 if text == pending.text and not pending.blameless else 1
        self.repeats[key] = (pending.text, times)
        return times

    def notice(self, step: Step) -> None:
        """Tell the model where it has made the same call, with the same result, as often as it may."""
        for pending in step.pending:
            times = self.repeats[(pending.call.name, pending.call.arguments)][1]
            if times == REPEATS:
                step.round.history.amend("\n" + step.round.say("repeat_notice", times=times), pending.call.id)

    def remind(self, round: Round) -> bool:
        """Tell the model, once, that a call it wrote amid its words did not run; False where there is nothing to tell.

        A model that has made real calls in this conversation means such a text as an example.
        """
        if self.reminded or not round.reply.told or any("tool_calls" in m for m in round.history.messages):
            return False
        self.reminded = True
        round.history.say_user(round.say("call_told"), round.say("steer_filler"))
        return True

    def last_words(self, round: Round, spent: bool) -> str:
        """Return what we say ourselves after the model's last words; empty where they need nothing."""
        say, reply, words = round.say, round.reply, []
        if not reply.text:
            thought = reply.thinking and reply.cut
            words.append(say("closing_empty" if spent else "no_answer_thinking" if thought else "no_answer"))
        if reply.finish_reason in ("loop", "long", "cap"):
            words.append(say(f"answer_{reply.finish_reason}"))
        if spent and not self.research:
            words.append(say("budget", calls=self.calls))
        if self.research:
            words += [say("citations_dropped")] if round.citations.dropped else []
            words += [say("false_quote", quote=q) for q in false_quotes(reply.text, round.opened)]
        if reply.unseen and round.pictures:
            words.append(say(reply.unseen))
        if round.left_out > round.history.left_out:
            round.history.left_out = round.left_out
            words.append(say("left_out", count=round.left_out))
        return "\n\n".join(words)
