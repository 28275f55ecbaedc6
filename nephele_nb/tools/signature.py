"""What a function's signature asks of the model, as a JSON schema and a check; it never calls the function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUndefinedAnnotation, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema

from ..errors import SettingError

NO_SCHEMA = (PydanticUserError, PydanticUndefinedAnnotation, TypeError)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters. A field of ``arguments`` bears a parameter's name as its alias.

    ``desk`` names the parameter that the model never sees, ``positional`` those that can't be passed by name.
    """

    arguments: type[BaseModel]
    schema: dict[str, Any]
    desk: str | None
    positional: tuple[str, ...]


class _Schema(GenerateJsonSchema):
    ignored_warning_kinds = {"non-serializable-default"}  # noqa: RUF012 - pydantic's own declaration

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Refuse a union of which a part would be left out."""
        if kind == "skipped-choice":
            raise PydanticInvalidForJsonSchema(detail)
        super().emit_warning(kind, detail)


def source(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what bears the annotations, the docstring and the name: the function inside a partial or a decorator."""
    while isinstance(function, functools.partial):
        function = function.func
    inner: Callable[..., Any] = inspect.unwrap(function)
    return inner


def read(function: Callable[..., Any], name: str, hidden: type) -> Signature:
    """Return a function's parameters; raises SettingError, which says what to do, for one the model can't fill.

    A parameter annotated ``hidden`` and one that a partial fills by name are not the model's.
    """
    filled = function.keywords if isinstance(function, functools.partial) else {}
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise _refusal(name, "Python can't tell its parameters; wrap it in a function that names them") from error
    hints = _hints(source(function), name)
    fields: dict[str, tuple[Any, Any]] = {}
    desk = None
    for parameter in parameters:
        hint = hints.get(parameter.name)
        if hint is hidden:
            desk = parameter.name
        elif parameter.name not in filled:
            fields[parameter.name] = (_typed(parameter, hint, name), _default(parameter))
    arguments, schema = _modelled(name, fields)
    positional = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)
    return Signature(arguments, schema, desk, positional)


def _typed(parameter: inspect.Parameter, hint: Any, name: str) -> Any:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise _refusal(name, f"the model can't fill {parameter}; name each parameter instead")
    if hint is None:
        raise _refusal(name, f"give parameter {parameter.name!r} a type, so that the model knows what to pass")
    return hint


def _default(parameter: inspect.Parameter) -> Any:
    # The alias bears the name, so that no name clashes with one of pydantic's.
    return Field(... if parameter.default is parameter.empty else parameter.default, alias=parameter.name)


def _modelled(name: str, fields: dict[str, tuple[Any, Any]]) -> tuple[type[BaseModel], dict[str, Any]]:
    try:
        return _model(name, fields.values())
    except NO_SCHEMA as error:
        raise _refusal(name, _unschematic(fields, error)) from error


def _unschematic(fields: dict[str, tuple[Any, Any]], error: Exception) -> str:
    advice = "use text, numbers, lists, or a pydantic model (a data frame can be given by its variable's name)"
    for parameter, field in fields.items():
        try:
            _model("one", [field])
        except NO_SCHEMA:
            kind = getattr(field[0], "__name__", str(field[0]))
            return f"the model can't write a {kind}, which parameter {parameter!r} wants; {advice}"
    return f"its parameters have no schema ({error}); {advice}"


def _model(name: str, fields: Iterable[tuple[Any, Any]]) -> tuple[type[BaseModel], dict[str, Any]]:
    numbered: dict[str, Any] = {f"p{number}": field for number, field in enumerate(fields)}
    arguments = create_model(name, __config__=ConfigDict(extra="forbid"), **numbered)
    return arguments, arguments.model_json_schema(schema_generator=_Schema)


def _hints(inner: Callable[..., Any], name: str) -> dict[str, Any]:
    if inspect.isclass(inner):
        inner = inner.__init__
    elif not hasattr(inner, "__annotations__") or not hasattr(inner, "__name__"):
        inner = type(inner).__call__
    written = {k: v for k, v in getattr(inner, "__annotations__", {}).items() if k != "return"}
    space = getattr(inner, "__globals__", {})
    try:
        return get_type_hints(SimpleNamespace(__annotations__=written), space, include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise _refusal(name, f"{error} in its annotations; import that name in its module") from error


def _refusal(name: str, why: str) -> SettingError:
    return SettingError(f"{name}() can't be a tool: {why}.")
