"""The forms of arrays and frames (numpy, pandas, polars); it imports none of these, and copies no data it need not."""

from __future__ import annotations

import pickle
import sys
import zlib
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from .forms import Form

_LOOKED_INTO = 10_000
_SHALLOW = 4096
_COMPARED = 64 << 20


def table_form(value: Any) -> Form | None:
    """Return the form of an array or frame, or None."""
    kind = type(value)
    for module, name, form in _KNOWN:
        known = getattr(sys.modules.get(module), name, None)
        if known is not None and kind is known:
            return form
    return None


def _raw(value: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(value).reshape(-1).view("u1")


def _same_array(value: Any, kept: Any) -> bool:
    if value.shape != kept.shape or value.dtype != kept.dtype:
        return False
    if value.dtype.hasobject:
        return all(a is b for a, b in zip(value.ravel().tolist(), kept.ravel().tolist(), strict=True))
    return bool((_raw(value) == _raw(kept)).all())


def _put_array(value: Any, kept: Any) -> None:
    if value.shape != kept.shape:
        value.resize(kept.shape, refcheck=False)
    locked = not value.flags.writeable
    if locked:
        value.flags.writeable = True
    value[...] = kept
    if locked:
        value.flags.writeable = False


def _mark_array(value: Any) -> Any:
    if value.dtype.hasobject:
        return value.copy()
    return value.shape, str(value.dtype), zlib.crc32(_raw(value))


def _matches_array(value: Any, mark: Any) -> bool:
    return bool(_mark_array(value) == mark) if isinstance(mark, tuple) else _same_array(value, mark)


def _array_parts(value: Any) -> Iterable[Any]:
    return value.ravel().tolist() if value.dtype.hasobject and value.size <= _LOOKED_INTO else ()


_ARRAY = Form(
    lambda v: v.copy(), _same_array, _put_array, lambda v: int(v.nbytes), _array_parts, _mark_array, _matches_array
)


def _state(value: Any) -> bytes:
    return pickle.dumps(value.bit_generator.state)


def _put_state(value: Any, kept: bytes) -> None:
    value.bit_generator.state = pickle.loads(kept)  # noqa: S301 - we pickled it ourselves


_GENERATOR = Form(_state, lambda v, k: _state(v) == k, _put_state, lambda _v: 4096)


def copies_on_write() -> bool:
    """Tell whether a shallow copy of a pandas object stays as it is when the original is written to."""
    import pandas as pd

    return int(pd.__version__.partition(".")[0]) >= 3 or bool(pd.options.mode.copy_on_write is True)


def _columns(value: Any) -> list[Any]:
    return [value.iloc[:, i] for i in range(value.shape[1])] if value.ndim == 2 else [value]


def _pointers(value: Any) -> list[Any]:
    """Return what identifies the memory behind each column: any write to it, while a copy is held, makes it another."""
    return [_pointer(column.array) for column in _columns(value)]


def _pointer(data: Any) -> Any:
    plain = getattr(data, "_ndarray", data)
    if hasattr(plain, "__array_interface__"):
        return plain.__array_interface__["data"][0], plain.shape, plain.strides, str(plain.dtype)
    arrow = getattr(data, "_pa_array", None)
    if arrow is not None:
        return [b.address if b is not None else 0 for chunk in arrow.chunks for b in chunk.buffers()], len(arrow)
    parts = [getattr(data, name, None) for name in ("_data", "_mask", "_codes", "_left", "_right", "_sp_values")]
    known = [_pointer(p) for p in parts if p is not None and p is not data]
    return known or id(data)


def _copy_frame(value: Any) -> tuple[Any, ...]:
    deep = not copies_on_write()
    held = value.copy(deep=deep)
    name = value.name if value.ndim == 1 else None
    return (
        held,
        _pointers(held if deep else value),
        deepcopy(value.attrs),
        name,
        tuple(tuple(a.names) for a in value.axes),
    )


def _same_frame(value: Any, kept: tuple[Any, ...]) -> bool:
    held, pointers, attrs, name, names = kept
    if value.shape != held.shape or tuple(tuple(a.names) for a in value.axes) != names or value.attrs != attrs:
        return False
    if value.ndim == 1 and value.name is not name and value.name != name:
        return False
    if not all(now.equals(then) for now, then in zip(value.axes, held.axes, strict=True)):
        return False
    return _pointers(value) == pointers if copies_on_write() else bool(value.equals(held))


def _put_frame(value: Any, kept: tuple[Any, ...]) -> None:
    held, _, attrs, name, names = kept
    value.__init__(held.copy(deep=not copies_on_write()), copy=False)
    value.attrs = deepcopy(attrs)
    if value.ndim == 1:
        value.name = name
    for axis, given in zip(value.axes, names, strict=True):
        axis.names = list(given)


def _size_frame(value: Any) -> int:
    if copies_on_write():
        return _SHALLOW
    used = value.memory_usage(index=False, deep=False)
    return int(used.sum() if value.ndim == 2 else used)


def _frame_parts(value: Any) -> Iterable[Any]:
    for column in _columns(value):
        if column.dtype == object and len(column) <= _LOOKED_INTO:
            yield from column.tolist()


_FRAME = Form(_copy_frame, _same_frame, _put_frame, _size_frame, _frame_parts)


def _put_names(value: Any, kept: tuple[Any, ...]) -> None:
    value.names = list(kept)


_INDEX = Form(lambda v: tuple(v.names), lambda v, k: tuple(v.names) == k, _put_names, lambda _v: 100)


def _same_polars(value: Any, kept: Any) -> bool:
    if value.shape != kept.shape or value.schema != kept.schema:
        return False
    return all(_same_column(a, b) for a, b in zip(value.get_columns(), kept.get_columns(), strict=True))


def _same_column(now: Any, then: Any) -> bool:
    pointers = _buffers(now)
    if pointers is not None and pointers == _buffers(then):
        return True
    return now.estimated_size() <= _COMPARED and bool(now.equals(then))


def _buffers(column: Any) -> list[int] | None:
    import polars as pl

    data = column.to_arrow(compat_level=pl.CompatLevel.newest())
    return None if hasattr(data, "chunks") else [b.address if b is not None else 0 for b in data.buffers()]


_POLARS = Form(lambda v: v.clone(), _same_polars, lambda v, k: v.__init__(k), lambda _v: _SHALLOW)


def _put_polars_series(value: Any, kept: Any) -> None:
    value.__init__(kept.name, kept)


_POLARS_SERIES = Form(
    lambda v: v.clone(),
    lambda v, k: v.name == k.name and v.dtype == k.dtype and len(v) == len(k) and _same_column(v, k),
    _put_polars_series,
    lambda _v: _SHALLOW,
)
_KNOWN: tuple[tuple[str, str, Form], ...] = (
    ("numpy", "ndarray", _ARRAY),
    ("numpy.random", "Generator", _GENERATOR),
    ("pandas", "DataFrame", _FRAME),
    ("pandas", "Series", _FRAME),
    ("pandas", "Index", _INDEX),
    ("pandas", "RangeIndex", _INDEX),
    ("pandas", "MultiIndex", _INDEX),
    ("pandas", "DatetimeIndex", _INDEX),
    ("polars", "DataFrame", _POLARS),
    ("polars", "Series", _POLARS_SERIES),
)
