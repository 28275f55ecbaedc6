"""run_python: code in the user's live kernel, after they approved it; it never changes what they approved."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

from ..events import Progress
from ..kernel.effects import Effects, analyse, sentences, transparent
from ..kernel.hints import hint
from ..kernel.keeping import Keeping
from ..kernel.outputs import MODEL_CAP, images, model_text
from ..kernel.seen import Seen
from ..strings import Strings
from ..threads import in_thread
from ..types import Output, ToolResult
from .live_output import LiveOutput
from .registry import Desk, Preview, Tool, make_tool

if TYPE_CHECKING:
    from ..kernel.executor import Executor

WHOLE_CAP = 20_000_000
"""Characters of a run's outputs that a file keeps."""


def _told(outputs: Sequence[Output], desk: Desk) -> str:
    """Return what the model reads; where that is not all, a file holds the whole of it."""
    whole = model_text(outputs, WHOLE_CAP)
    return whole if len(whole) <= MODEL_CAP else model_text(outputs, where=desk.keep(whole))


def _waits(desk: Desk) -> Callable[[str], None]:
    """Return what tells that code waits for a cell of the user's, and, when it begins, that this is over."""
    told: list[str] = []

    def on_state(state: str) -> None:
        told.append(state)
        if state == "queued":
            desk.emit(Progress(desk.say("kernel_busy"), 0, None))
        elif "queued" in told:
            desk.emit(Progress(desk.say("kernel_busy"), 1, 1))

    return on_state


def made_of(code: str, effects: Effects) -> list[str]:
    """Return the names that what the code shows may come out of: what it reads, and what it makes and then uses."""
    try:
        used = {node.id for node in ast.walk(ast.parse(code)) if _is_used(node)}
    except SyntaxError:  # magics and shell lines: then all that it makes counts
        used = set(effects.writes)
    return [*effects.reads, *effects.changes, *(name for name in effects.writes if name in used)]


def _is_used(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _preview(executor: Executor, known: Seen, arguments: Mapping[str, Any], say: Strings) -> Preview:
    code = arguments["code"]
    effects = analyse(code, executor.namespace)
    stale = known.stale((*effects.reads, *effects.changes), executor.namespace)
    told = tuple(sentences(effects, say, stale))
    followed = transparent(code, executor.namespace) and not effects.unknown
    return Preview(code, arguments.get("description") or "", told, effects.classes if followed else None)


def run_python(executor: Executor, timeout_s: Callable[[], float], seen: Seen | None = None) -> Tool:
    """Return the tool over one executor; code may run for ``timeout_s()`` seconds; ``seen`` is what the agent knows."""
    known = seen or Seen()

    async def run_python(code: str, desk: Desk, description: str = "") -> ToolResult:
        live = LiveOutput(desk)
        keeping = Keeping(code, analyse(code, executor.namespace), known)
        execution = executor.start(
            code, timeout=timeout_s(), on_state=_waits(desk), on_output=live.hear, keeping=keeping
        )
        try:
            result = await execution.result()
        except asyncio.CancelledError:
            # what came out before a Stop is part of the record, and the code ends within about two seconds
            execution.interrupt()
            result = await execution.result()
        finally:
            live.end()
        stale = desk.say("stale_read", names=", ".join(keeping.stale)) if keeping.stale else ""
        ran = await in_thread(_told, result.outputs, desk) or (desk.say("ran_quietly") if not result.note else "")
        helps = hint(result.outputs, keeping.effects.reads, executor.namespace, desk.say)
        text = "\n".join(part for part in (stale, ran, helps, result.note) if part)
        return ToolResult(
            text,
            ok=result.status == "ok",
            outputs=result.outputs,
            images=images(result.outputs),
            inverse=executor.kept.add(keeping.changes, under_way=keeping.under_way),
            reads=known.prints(made_of(code, keeping.effects)),
            ends_round=result.status == "interrupted",
        )

    return make_tool(run_python, "runs", preview=partial(_preview, executor, known), timed=False, editable="code")
