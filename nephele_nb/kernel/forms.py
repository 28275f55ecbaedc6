"""How values that can change in place are copied, compared and put back into themselves; it never makes new ones.

A form knows values of one type exactly. None runs code of the user's when it copies or compares.
"""

from __future__ import annotations

import array
import collections
import io
import operator
import random
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .namespace import type_name

GONE: Any = object()
WORD = 8


@dataclass(frozen=True, slots=True)
class Form:
    """``copy`` gives what is kept, ``same`` whether a value still is as kept, ``put`` makes it so again.

    ``size`` is what a copy takes, in bytes; ``parts`` are what may change inside. ``mark`` and ``matches`` do for
    telling whether anyone has changed a value since what ``copy`` and ``same`` do, at less cost.
    """

    copy: Callable[[Any], Any]
    same: Callable[[Any, Any], bool]
    put: Callable[[Any, Any], None]
    size: Callable[[Any], int]
    parts: Callable[[Any], Iterable[Any]] = lambda _value: ()
    mark: Callable[[Any], Any] | None = None
    matches: Callable[[Any, Any], bool] | None = None

    def marked(self, value: Any) -> Any:
        """Return what tells later whether the value has changed."""
        return (self.mark or self.copy)(value)

    def unchanged(self, value: Any, mark: Any) -> bool:
        """Tell whether the value is as it was when it was marked."""
        return (self.matches or self.same)(value, mark)


def failure(touch: Callable[[], Any]) -> str:
    """Touch a value and return why that failed, or nothing: a value may be in any state, and have code of its own."""
    try:
        touch()
    except Exception as error:  # see above: it is left as it is, and that is said
        return f"{type(error).__name__}: {error}".rstrip(": ")
    return ""


def _all_are(left: Iterable[Any], right: Iterable[Any]) -> bool:
    return all(map(operator.is_, left, right))


def same_items(value: Any, kept: Any) -> bool:
    """Tell whether both hold the very same things in the same order."""
    return len(value) == len(kept) and _all_are(value, kept)


def pairs(value: Any) -> tuple[list[Any], list[Any]]:
    """Return a dict's keys and its values."""
    return list(dict.keys(value)), list(dict.values(value))


def same_pairs(value: Any, kept: tuple[list[Any], list[Any]]) -> bool:
    """Tell whether a dict holds the very same keys and values, in the same order."""
    keys, values = kept
    return len(value) == len(keys) and _all_are(dict.keys(value), keys) and _all_are(dict.values(value), values)


def _put_pairs(value: Any, kept: tuple[list[Any], list[Any]]) -> None:
    value.clear()
    for key, part in zip(*kept, strict=True):
        value[key] = part


def _put_set(value: Any, kept: Any) -> None:
    value.clear()
    value |= kept


def _put_deque(value: Any, kept: list[Any]) -> None:
    value.clear()
    value.extend(kept)


def _put_slice(value: Any, kept: Any) -> None:
    value[:] = kept


def _put_buffer(value: Any, kept: Any) -> None:
    if kept is None or value.closed:
        return
    value.seek(0)
    value.truncate()
    value.write(kept[0])
    value.seek(kept[1])


def _buffer(value: Any) -> Any:
    return None if value.closed else (value.getvalue(), value.tell())


def _values(value: Any) -> list[Any]:
    return list(dict.values(value))


def _words(value: Any) -> int:
    return WORD * len(value)


LIST = Form(list, same_items, _put_slice, _words, lambda v: v)
DICT = Form(pairs, same_pairs, _put_pairs, lambda v: 2 * _words(v) + 120, _values)
SET = Form(set.copy, lambda v, k: set(map(id, v)) == set(map(id, k)), _put_set, lambda v: 8 * _words(v))
_ORDERED = Form(
    lambda v: (list(v), list(v.values())),
    lambda v, k: same_items(list(v), k[0]) and same_items(list(v.values()), k[1]),
    _put_pairs,
    lambda v: 12 * _words(v),
    _values,
)
_DEQUE = Form(list, same_items, _put_deque, _words, lambda v: v)
_BYTES = Form(bytes, operator.eq, _put_slice, len)
_ARRAY = Form(lambda v: v[:], operator.eq, _put_slice, lambda v: v.itemsize * len(v))
_BUFFER = Form(_buffer, lambda v, k: _buffer(v) == k, _put_buffer, lambda v: 0 if v.closed else v.tell())
_RANDOM = Form(lambda v: v.getstate(), lambda v, k: v.getstate() == k, lambda v, k: v.setstate(k), lambda _v: 20_000)
_EXACT: dict[type, Form] = {
    list: LIST,
    dict: DICT,
    collections.OrderedDict: _ORDERED,
    collections.defaultdict: DICT,
    collections.Counter: DICT,
    set: SET,
    collections.deque: _DEQUE,
    bytearray: _BYTES,
    array.array: _ARRAY,
    io.StringIO: _BUFFER,
    io.BytesIO: _BUFFER,
    random.Random: _RANDOM,
}


def container_form(value: Any) -> Form | None:
    """Return the form of a container of the standard library, or None."""
    return _EXACT.get(type(value))


ATOMS = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis), types.BuiltinFunctionType,
    types.ModuleType, types.CodeType,
})  # fmt: skip
"""Types that hold nothing that can change."""
THROUGH = (tuple, frozenset, types.MappingProxyType)
"""What can't change itself, and may hold what can."""


def through(value: Any) -> Iterable[Any]:
    """Return the parts of what can't change itself."""
    kind = type(value)
    if kind is types.MethodType:
        return (value.__self__,)
    if kind in (tuple, frozenset) or (issubclass(kind, tuple) and type_name(value)):
        return tuple.__iter__(value) if issubclass(kind, tuple) else frozenset.__iter__(value)
    return ()
