"""One tool call on its way: what was understood of it, who must decide, and how it ended; it runs nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from .approval import Approval, Decision
from .events import plain
from .tools.registry import Preview, Tool
from .types import ToolCall, ToolResult


@dataclass(slots=True)
class Pending:
    """One call on its way: what was understood of it, who must decide, and how it ended."""

    call: ToolCall
    arguments: dict[str, Any]
    tool: Tool | None = None
    fault: str = ""
    preview: Preview = field(default_factory=Preview)
    approval: Approval | None = None
    decision: asyncio.Task[Decision] | None = None
    began: float | None = None
    elapsed: float = 0.0
    ran: str | None = None
    result: ToolResult | None = None
    notice: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once its end is told."""
    blameless: bool = False
    """True where not running was the user's choice or the budget's, so it is no failure."""

    @property
    def failed(self) -> bool:
        return not self.blameless and self.result is not None and not self.result.ok

    @property
    def text(self) -> str:
        return "\n".join(part for part in (self.notice, self.result.text if self.result else "") if part)


def understood(call: ToolCall) -> Pending:
    """Return a call with its arguments, or with the reason why they can't be used."""
    try:
        value = plain(json.loads(call.arguments or "{}"))
    except ValueError:
        return Pending(call, {}, fault=call.fault or "")
    except RecursionError:
        return Pending(call, {}, fault="the arguments are nested too deeply")
    return Pending(call, value if isinstance(value, dict) else {}, fault=call.fault or "")
