"""What a message comes in as: checks what was asked, and builds its round; it starts nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from uuid import uuid4

from .approval import Policy, check_policy
from .conversation import Conversation
from .errors import NepheleError, SettingError, nearest
from .model.budget import Budget, Caps
from .model.ledger import Ledger
from .model.tape import Tape
from .model.tiers import Endpoint, loops
from .round import Limits, Round
from .secrets import Secrets
from .settings import Effective
from .strings import Strings, language_of
from .types import Mode

RESEARCH_CLOCK_S = 600.0


@dataclass(frozen=True, slots=True)
class Asking:
    """What all rounds of one agent share."""

    settings: Effective
    conversation: Conversation
    secrets: Secrets
    tape: Tape | None
    ledger: Ledger
    tools: Callable[[], Iterable[str]] = tuple
    """The names of the tools, which a policy may name."""

    def mode(self, text: str, mode: str | None, research: bool, images: Sequence[Any]) -> Mode:
        """Return the mode of a message; raises SettingError or NepheleError for what can't be asked."""
        if images:
            raise NepheleError("Images can't be attached yet in this version; describe the picture in words.")
        if mode not in (None, *get_args(Mode)):
            known = ", ".join(get_args(Mode))
            raise SettingError(f"mode={mode!r} is not known{nearest(str(mode), get_args(Mode))}; use one of {known}.")
        if not text.strip():
            raise SettingError("The message is empty; ask something.")
        if research and mode not in (None, "research"):
            raise SettingError(f'mode="{mode}" and research=True contradict each other; give one of them.')
        return "research" if research else mode or self.settings.mode  # type: ignore[return-value]

    def _policy(self, headless: bool) -> Policy:
        """Return the policy that counts; a wrong name in the other one is told too, before it is needed."""
        approve, alone = self.settings.approve, self.settings.headless_approve or self.settings.approve
        # The tools are made at their first use, and a plain word needs none.
        tools = self.tools() if isinstance(approve, Mapping) or isinstance(alone, Mapping) else None
        checked = check_policy(approve, tools), check_policy(alone, tools)
        return checked[headless]

    def round(self, text: str, mode: Mode, endpoint: Endpoint, headless: bool) -> Round:
        """Return a new round."""
        settings = self.settings
        clock = settings.wall_clock_s
        round_id = uuid4().hex[:12]
        return Round(
            id=round_id,
            text=text,
            mode=mode if loops(endpoint.tier) else "chat",
            tier=endpoint.tier,
            say=Strings(language_of(text, settings.language)),
            history=self.conversation.history,
            limits=Limits(
                settings.max_steps,
                settings.max_tool_calls,
                RESEARCH_CLOCK_S if clock is None and mode == "research" else clock,
                settings.confirm_timeout_s,
                settings.tool_timeout_s,
            ),
            policy=self._policy(headless),
            on_operation=self.conversation.journal.operation,
            budget=Budget(
                round_id,
                Caps(settings.cap_round, settings.cap_day, settings.cap_tokens_round, settings.cap_tokens_day),
                self.ledger,
            ),
            secrets=self.secrets,
            tape=self.tape,
            headless=headless,
        )
