"""Describes variables without running the user's code: no properties, no repr of unknown objects, nothing loaded.

Only types known exactly are looked into; whatever else is named by its type, read past any metaclass.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

_TEXT_CAP = 120
_SUMMARY_CAP = 400
_PEEK = 20
_COLUMNS = 20
_LINES = 40
_MADE_OF = 240
CODE = {"module", "function", "builtin_function_or_method", "type", "abc.ABCMeta"}
_OWN = {"In", "Out", "exit", "quit", "get_ipython", "open"}
_GONE = object()


@dataclass(frozen=True, slots=True)
class Variable:
    """What is known of one variable; ``type`` is empty when there is none of that name."""

    name: str
    type: str
    summary: str
    shape: tuple[int, ...] | None = None
    size_bytes: int | None = None


def describe(
    namespace: Mapping[str, Any], names: Sequence[str] = (), hidden: Mapping[str, Any] | None = None
) -> list[Variable]:
    """Describe the named variables, or all that are the user's own: data first, then code, each in order of making."""
    space = dict(namespace)
    if names:
        return [_describe(name, space.get(name, _GONE)) for name in names]
    own = [(n, v) for n, v in space.items() if type(n) is str and not _is_ipythons(n, v, hidden or {})]
    own.sort(key=lambda pair: _is_code(pair[1]))
    return [_describe(name, value) for name, value in own]


def lines(variables: Sequence[Variable]) -> list[str]:
    """Return a line for each variable that holds data: its name, type, shape and columns, and none of its values."""
    data = [v for v in variables if v.type not in CODE]
    shown = [f"{v.name}: {v.type}{_by(v.shape)}{_made_of(v)}" for v in data[:_LINES]]
    return [*shown, f"and {len(data) - _LINES} more"] if len(data) > _LINES else shown


def _made_of(variable: Variable) -> str:
    """Return a table's columns with their kinds, without which a model guesses them."""
    if variable.shape is None or len(variable.shape) != 2 or not variable.summary:
        return ""
    short = variable.summary if len(variable.summary) <= _MADE_OF else f"{variable.summary[:_MADE_OF]}…"
    return f" ({short})"


def _by(shape: tuple[int, ...] | None) -> str:
    return f" {'×'.join(map(str, shape))}" if shape else ""


def _describe(name: str, value: Any) -> Variable:
    if value is _GONE:
        return Variable(name, "", "is not defined")
    summary, shape, size = _look(value)
    return Variable(name, type_name(value), summary[:_SUMMARY_CAP], shape, size)


def type_name(value: Any) -> str:
    """Return a value's type as ``module.Name``, read from the type itself and never from its own attributes."""
    kind = type(value)
    name = type.__dict__["__qualname__"].__get__(kind)
    module = type.__dict__["__dict__"].__get__(kind).get("__module__")
    return name if type(module) is not str or module in ("builtins", "__main__") else f"{module}.{name}"


def _is_ipythons(name: str, value: Any, hidden: Mapping[str, Any]) -> bool:
    return name.startswith("_") or name in _OWN or (name in hidden and hidden[name] is value)


def _is_code(value: Any) -> bool:
    """``isinstance`` would ask the value for its ``__class__``, which may be code of the user's."""
    return issubclass(type(value), (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type))


def _look(value: Any) -> tuple[str, tuple[int, ...] | None, int | None]:
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes, bytearray):
        return _scalar(value), None, sys.getsizeof(value)
    if kind in (list, tuple, set, frozenset, dict):
        return _container(value), (len(value),), sys.getsizeof(value)
    if kind is range:
        return f"{_scalar(value.start)}:{_scalar(value.stop)}:{_scalar(value.step)}", None, sys.getsizeof(value)
    for module, name, look in _KNOWN:
        known = getattr(sys.modules.get(module), name, None)
        if known is not None and kind is known:
            return look(value)
    return _code(value), None, None


def _code(value: Any) -> str:
    kind = type(value)
    if kind is types.ModuleType:
        name = types.ModuleType.__getattribute__(value, "__dict__").get("__name__")
        return f"module {name}" if type(name) is str else "module"
    if kind is types.FunctionType:
        code = value.__code__
        return f"function of ({', '.join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])})"
    if kind is type:
        return f"class {type.__dict__['__qualname__'].__get__(value)}"
    if kind is types.GeneratorType or kind is types.CoroutineType:
        return "not started or under way; left as it is"
    return ""


def _scalar(value: Any) -> str:
    kind = type(value)
    if kind is int and value.bit_length() > 256:
        return f"a whole number of {value.bit_length()} bits"
    if kind in (str, bytes, bytearray):
        text = repr(value[:_TEXT_CAP])
        return text if len(value) <= _TEXT_CAP else f"{text}… ({len(value)} long)"
    if value is None or kind in (bool, int, float, complex):
        return repr(value)
    return type_name(value)


def _container(value: Any) -> str:
    if type(value) is dict:
        shown = ", ".join(_scalar(key) for key in _first(value))
        return f"{len(value)} keys: {shown}" + (", …" if len(value) > _PEEK else "")
    first = _first(value)
    if first and all(item is None or type(item) in (bool, int, float, str) for item in first):
        return f"{len(value)} items: {', '.join(_scalar(item) for item in first)}" + (
            ", …" if len(value) > _PEEK else ""
        )
    kinds = dict.fromkeys(type_name(item) for item in first)
    return f"{len(value)} items" + (f" of {', '.join(kinds)}" if kinds else "")


def _first(value: Any) -> list[Any]:
    try:
        return list(islice(value, _PEEK))
    except RuntimeError:  # the kernel's main thread has just changed it
        return []


def _columns(pairs: Iterable[tuple[Any, Any]], count: int) -> str:
    shown = [f"{_scalar(name)[1:-1] if type(name) is str else _scalar(name)}: {kind}" for name, kind in pairs]
    return ", ".join(shown) + (f", … {count - len(shown)} more columns" if count > len(shown) else "")


def _pandas_frame(frame: Any) -> tuple[str, tuple[int, ...], int]:
    pairs = list(islice(zip(frame.columns.tolist(), frame.dtypes.tolist(), strict=True), _COLUMNS))
    size = int(frame.memory_usage(index=False, deep=False).sum())
    return _columns(pairs, frame.shape[1]), frame.shape, size


def _pandas_series(series: Any) -> tuple[str, tuple[int, ...], int]:
    name = series.name
    return f"{_scalar(name)} {series.dtype}", series.shape, int(series.memory_usage(index=False, deep=False))


def _polars_frame(frame: Any) -> tuple[str, tuple[int, ...], int]:
    pairs = list(islice(frame.schema.items(), _COLUMNS))
    return _columns(pairs, frame.width), frame.shape, int(frame.estimated_size())


def _polars_series(series: Any) -> tuple[str, tuple[int, ...], int]:
    return f"{_scalar(series.name)} {series.dtype}", (series.len(),), int(series.estimated_size())


def _arrow_table(table: Any) -> tuple[str, tuple[int, ...], int]:
    pairs = [(field.name, field.type) for field in islice(table.schema, _COLUMNS)]
    return _columns(pairs, table.num_columns), (table.num_rows, table.num_columns), int(table.nbytes)


def _numpy_array(array: Any) -> tuple[str, tuple[int, ...], int]:
    return str(array.dtype), array.shape, int(array.nbytes)


def _lazy(_value: Any) -> tuple[str, None, None]:
    return "lazy; not computed", None, None


_KNOWN: tuple[tuple[str, str, Callable[[Any], tuple[str, tuple[int, ...] | None, int | None]]], ...] = (
    ("pandas", "DataFrame", _pandas_frame),
    ("pandas", "Series", _pandas_series),
    ("polars", "DataFrame", _polars_frame),
    ("polars", "Series", _polars_series),
    ("polars", "LazyFrame", _lazy),
    ("pyarrow", "Table", _arrow_table),
    ("pyarrow", "RecordBatch", _arrow_table),
    ("numpy", "ndarray", _numpy_array),
)
