"""What a tool is, and the box that holds an agent's tools; it never runs one by itself.

A tool is a typed, documented async (or plain) function; its schema comes from its signature by pydantic. A parameter
annotated ``Desk`` is the tool's way to speak while it works, and the model never sees it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from ..errors import SettingError, ToolError, nearest
from ..events import Event
from ..prompt import wording
from ..strings import Language, Strings
from ..types import Effect, ToolResult


@dataclass(frozen=True, slots=True)
class Desk:
    """What a running tool may use: its call's id, the language, and ``emit`` for outputs, progress and views."""

    call_id: str
    emit: Callable[[Event], None]
    say: Strings


@dataclass(frozen=True, slots=True)
class Preview:
    """What the user sees before deciding: code that may be edited, a description, and the effects in words."""

    code: str | None = None
    description: str = ""
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """Something the model may call. ``effect`` None is unknown, and asked each time."""

    name: str
    function: Callable[..., Any]
    effect: Effect | None
    arguments: type[BaseModel]
    description: str = ""
    parallel: bool = False
    category: str = "core"
    preview: Callable[[Mapping[str, Any], Strings], Preview] | None = None
    desk: str | None = None
    timed: bool = True
    """False where the tool keeps its own time limit."""
    editable: str | None = None
    """The argument that an edited approval replaces."""

    def spec(self, language: Language) -> dict[str, Any]:
        """Return the tool as Chat Completions wants it."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        words = wording(language).get(self.name)
        for name, part in schema.get("properties", {}).items():
            part.pop("title", None)
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
        return {name: getattr(model, name) for name in type(model).model_fields}

    def shown(self, arguments: Mapping[str, Any], say: Strings) -> Preview:
        """Return what the user sees before deciding."""
        return self.preview(arguments, say) if self.preview else Preview(description=self.description)

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """Run the function: a coroutine on this loop, anything else in a thread."""
        values = dict(arguments) | ({self.desk: desk} if self.desk else {})
        if inspect.iscoroutinefunction(self.function):
            result = await self.function(**values)
        else:
            result = await asyncio.to_thread(self.function, **values)
            if inspect.isawaitable(result):
                result = await result
        return result if isinstance(result, ToolResult) else ToolResult("" if result is None else str(result))


def make_tool(
    function: Callable[..., Any] | Callable[..., Awaitable[Any]],
    effect: Effect | None = None,
    *,
    name: str | None = None,
    **more: Any,
) -> Tool:
    """Return a typed function as a tool; raises SettingError where a parameter has no type to make a schema of."""
    hints = _parameter_hints(function)
    fields: dict[str, Any] = {}
    desk = None
    for parameter in inspect.signature(function).parameters.values():
        hint = hints.get(parameter.name)
        if hint is Desk:
            desk = parameter.name
            continue
        if hint is None or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise SettingError(
                f"{function.__name__}() can't be a tool: give parameter {parameter.name!r} a type, "
                "so that the model knows what to pass."
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hint, Field(default))
    name = name or function.__name__
    arguments = create_model(name, __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields)
    return Tool(name, function, effect, arguments, desk=desk, **more)


def _parameter_hints(function: Callable[..., Any]) -> dict[str, Any]:
    written = {k: v for k, v in getattr(function, "__annotations__", {}).items() if k != "return"}
    try:
        return get_type_hints(
            SimpleNamespace(__annotations__=written), getattr(function, "__globals__", {}), include_extras=True
        )
    except NameError as error:
        raise SettingError(
            f"{function.__name__}() can't be a tool: {error} in its annotations; import that name in its module."
        ) from error


@dataclass(slots=True)
class Toolbox(Mapping[str, Tool]):
    """An agent's tools by name."""

    _tools: dict[str, Tool] = field(default_factory=dict)

    def register(self, function: Callable[..., Any], effect: Effect | None = None, *, parallel: bool = False) -> Tool:
        """Make a typed, documented function a tool of this agent; with no effect named, it asks each time.

        The docstring tells the model what it is for. Raises SettingError for an effect or a signature that can't be.
        """
        if effect not in (None, "reads", "writes", "runs"):
            raise SettingError(f"effect={effect!r} is not known: use 'reads', 'writes', 'runs', or leave it out.")
        tool = make_tool(function, effect, parallel=parallel, category="yours")
        return self.put(replace(tool, description=inspect.getdoc(function) or ""))

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


def _sentence(tool: Tool, error: ValidationError) -> str:
    known = list(tool.arguments.model_fields)
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
