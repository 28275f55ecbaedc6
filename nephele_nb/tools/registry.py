"""What a tool is, and the box that holds an agent's tools; it never runs one by itself.

A tool is a typed, documented async (or plain) function; its schema comes from its signature by pydantic. A parameter
annotated ``Desk`` is the tool's way to speak while it works, and the model never sees it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from ..errors import SettingError, ToolError, nearest
from ..events import Event
from ..prompt import wording
from ..strings import Language, Strings
from ..threads import Ended, brief, in_thread
from ..types import Effect, ToolResult
from .signature import read, source

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST_YIELD = 1_000_000
"""Characters that are taken of what a generator yields, which may never end."""
YOURS = "yours"
"""The category of tools that the user registers."""
MORE = "(and more, which was not read)"


@dataclass(frozen=True, slots=True)
class Desk:
    """What a running tool may use: its call's id, the language, ``emit`` for outputs, progress and views.

    ``load`` makes more tools whole for the round, ``delegate`` has sub-agents do tasks, ``keep`` writes a text that is
    too long for the model to a file and returns its path.
    """

    call_id: str
    emit: Callable[[Event], None]
    say: Strings
    load: Callable[[Sequence[str]], str] = ", ".join
    keep: Callable[[str], str] = lambda text: ""
    delegate: Callable[[Sequence[str], Desk], Awaitable[ToolResult]] | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the user sees before deciding: code that may be edited, a description, and the effects in words.

    ``classes`` are the effects by class, None where they can't all be told.
    """

    code: str | None = None
    description: str = ""
    effects: tuple[str, ...] = ()
    classes: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """Something the model may call. ``effect`` None is unknown, and asked each time."""

    name: str
    function: Callable[..., Any]
    effect: Effect | None
    arguments: type[BaseModel]
    schema: dict[str, Any] = field(compare=False)
    description: str = ""
    parallel: bool = False
    category: str = "core"
    preview: Callable[[Mapping[str, Any], Strings], Preview] | None = None
    desk: str | None = None
    timed: bool = True
    """False where the tool keeps its own time limit."""
    editable: str | None = None
    """The argument that an edited approval replaces."""
    positional: tuple[str, ...] = ()
    """The arguments that can't be passed by name."""

    def spec(self, language: Language) -> dict[str, Any]:
        """Return the tool as Chat Completions wants it."""
        schema = deepcopy(self.schema)
        schema.pop("title", None)
        words = wording(language).get(self.name)
        for name, part in schema.get("properties", {}).items():
            part.pop("title", None)
            _optional(part)
            if words and name in words.parameters:
                part["description"] = words.parameters[name]
        description = words.description if words and not self.description else self.description
        return {
            "type": "function",
            "function": {"name": self.name, "description": description, "parameters": schema},
        }

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function wants them; raises ToolError with a sentence the model can act on."""
        try:
            model = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise ToolError(_sentence(self, error)) from error
        return {str(part.alias): getattr(model, field) for field, part in type(model).model_fields.items()}

    def shown(self, arguments: Mapping[str, Any], say: Strings) -> Preview:
        """Return what the user sees before deciding."""
        return self.preview(arguments, say) if self.preview else Preview(description=self.description)

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """Run the function: a coroutine on this loop, anything else in a thread. Raises ToolError and what it raises.

        What would end the loop, or be taken for our own time limit, becomes a ToolError.
        """
        values = dict(arguments) | ({self.desk: desk} if self.desk else {})
        call = partial(self.function, *[values.pop(name) for name in self.positional], **values)
        try:
            if inspect.iscoroutinefunction(self.function):
                result = await _gathered(call())
            else:
                result = await in_thread(_called, call)
                if not isinstance(result, ToolResult):
                    result = await _gathered(result)
            return result if isinstance(result, ToolResult) else await in_thread(_written, result)
        except Ended as error:
            raise ToolError(f"{self.name} ended with {error}") from error
        except (SystemExit, KeyboardInterrupt, TimeoutError) as error:
            raise ToolError(f"{self.name} ended with {brief(error)}") from error


def _called(call: Callable[[], Any]) -> Any:
    result = call()
    return result if inspect.isawaitable(result) or isinstance(result, AsyncIterator) else _written(result)


def make_tool(
    function: Callable[..., Any] | Callable[..., Awaitable[Any]],
    effect: Effect | None = None,
    *,
    name: str | None = None,
    **more: Any,
) -> Tool:
    """Return a typed function as a tool; raises SettingError, which says what to do, for one that can't be."""
    if not callable(function):
        raise SettingError(f"{function!r} can't be a tool: it is not a function.")
    name = getattr(source(function), "__name__", "") if name is None else name
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise SettingError(
            f"{name or function!r} is no name for a tool: give one with name=, "
            "of at most 64 letters (a to z), digits, _ and -."
        )
    signature = read(function, name, Desk)
    return Tool(
        name,
        function,
        effect,
        signature.arguments,
        signature.schema,
        desk=signature.desk,
        positional=signature.positional,
        **more,
    )


async def _gathered(result: Any) -> Any:
    """Return what is there in the end: an awaitable's result, or the pieces of an asynchronous generator."""
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterator):
        pieces, room = [], LONGEST_YIELD
        async for piece in result:
            pieces.append(str(piece))
            if (room := room - len(pieces[-1]) - 1) < 0:
                pieces.append(MORE)
                break
        return "\n".join(pieces)
    return result


def _written(result: Any) -> ToolResult:
    """Return a result as text; what a generator yields is written one below the other."""
    if isinstance(result, ToolResult):
        return result
    if isinstance(result, Iterator):
        pieces, room = [], LONGEST_YIELD
        for piece in result:
            pieces.append(str(piece))
            if (room := room - len(pieces[-1]) - 1) < 0:
                pieces.append(MORE)
                break
        return ToolResult("\n".join(pieces))
    return ToolResult("" if result is None else str(result))


@dataclass(slots=True)
class Toolbox(Mapping[str, Tool]):
    """An agent's tools by name."""

    _tools: dict[str, Tool] = field(default_factory=dict)

    def register(
        self,
        function: Callable[..., Any],
        effect: Effect | None = None,
        *,
        parallel: bool = False,
        name: str | None = None,
        replace: bool = False,
    ) -> Tool:
        """Make a typed, documented function a tool of this agent; with no effect named, it asks each time.

        The docstring tells the model what it is for, ``name`` stands in for a function's own. It takes the place of one
        of yours with the same name, and of a built-in one with ``replace``. Raises SettingError for an effect or a
        signature that can't be, and for the name of a built-in tool.
        """
        if effect not in (None, "reads", "writes", "runs"):
            raise SettingError(f"effect={effect!r} is not known: use 'reads', 'writes', 'runs', or leave it out.")
        description = inspect.getdoc(source(function)) or ""
        more = {"parallel": parallel, "category": YOURS, "description": description}
        tool = make_tool(function, effect, name=name, **more)
        if not replace and self._tools.get(tool.name, tool).category != YOURS:
            raise SettingError(
                f"{tool.name} is a built-in tool: give yours another name=, or replace=True to put it in its place."
            )
        return self.put(tool)

    def put(self, tool: Tool) -> Tool:
        """Add a tool, in place of one with the same name."""
        self._tools[tool.name] = tool
        return tool

    def find(self, name: str, say: Strings) -> Tool:
        """Return the tool; raises ToolError that names the real ones."""
        tool = self._tools.get(name) or self._tools.get(name.rpartition(".")[2])
        if tool is None:
            raise ToolError(
                say("unknown_tool", tool=name, nearest=nearest(name, self._tools), names=", ".join(self._tools))
            )
        return tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def only(self, keep: Callable[[Tool], bool]) -> Toolbox:
        """Return a box with the tools for which ``keep`` is true."""
        return Toolbox({name: tool for name, tool in self._tools.items() if keep(tool)})


def _optional(part: dict[str, Any]) -> None:
    """Say of a parameter that may be left out only what it is when given: some servers take no unions with null."""
    kinds = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
    if part.get("default", ...) is None and kinds:
        del part["anyOf"], part["default"]
        part.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _sentence(tool: Tool, error: ValidationError) -> str:
    known = [str(part.alias) for part in tool.arguments.model_fields.values()]
    parts = []
    for fault in error.errors():
        where = ".".join(str(p) for p in fault["loc"]) or "arguments"
        if fault["type"] == "missing":
            parts.append(f"the argument {where!r} is missing")
        elif fault["type"] == "extra_forbidden":
            parts.append(f"there is no argument {where!r}{nearest(where, known)}")
        else:
            parts.append(f"the argument {where!r} can't be used: {fault['msg']}")
    return f"{tool.name} was not run: {'; '.join(parts)}. Its arguments are: {', '.join(known) or 'none'}."
