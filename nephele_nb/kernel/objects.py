"""The forms of things with attributes: instances, classes, functions, modules; it never asks them for one.

What a value holds is read from its dictionary and slots, past any code of its own.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from itertools import chain
from typing import Any

from .forms import DICT, GONE, LIST, SET, WORD, Form, pairs, same_items, same_pairs

_FOREIGN = frozenset(
    "threading asyncio IPython ipykernel matplotlib nephele_nb ipywidgets anywidget traitlets concurrent weakref "
    "enum multiprocessing logging socket ssl zmq tornado torch tensorflow jax cupy pyspark dask ray subprocess "
    "selectors abc _thread contextvars pandas polars pyarrow numpy importlib types _frozen_importlib "
    "_frozen_importlib_external re codecs sqlite3 duckdb _duckdb functools typing".split()
)
"""Modules whose objects hold more than their attributes show, or are shared by the whole process."""
_OWN_BY_CLASS = ("__dict__", "__weakref__", "__abstractmethods__", "_abc_impl")


def _own_attributes(value: Any) -> dict[Any, Any]:
    found = object.__getattribute__(value, "__dict__")
    return found if type(found) is dict else {}


def _slots(kind: type) -> list[types.MemberDescriptorType]:
    spaces = [type.__dict__["__dict__"].__get__(level) for level in type.__dict__["__mro__"].__get__(kind)]
    return [m for space in spaces for m in space.values() if type(m) is types.MemberDescriptorType]


def _slot_value(member: types.MemberDescriptorType, value: Any) -> Any:
    try:
        return member.__get__(value)
    except AttributeError:
        return GONE


def _copy_object(value: Any) -> tuple[tuple[list[Any], list[Any]], list[Any]]:
    return pairs(_attributes(value)), [_slot_value(m, value) for m in _slots(type(value))]


def _attributes(value: Any) -> dict[Any, Any]:
    return _own_attributes(value) if _has_dict(type(value)) else {}


def _has_dict(kind: type) -> bool:
    return bool(type.__dict__["__dictoffset__"].__get__(kind))


def _same_object(value: Any, kept: tuple[tuple[list[Any], list[Any]], list[Any]]) -> bool:
    return same_pairs(_attributes(value), kept[0]) and same_items(_copy_object(value)[1], kept[1])


def _put_object(value: Any, kept: tuple[tuple[list[Any], list[Any]], list[Any]]) -> None:
    attributes = _attributes(value)
    attributes.clear()
    attributes.update(zip(*kept[0], strict=True))
    for member, part in zip(_slots(type(value)), kept[1], strict=True):
        if part is not GONE:
            member.__set__(value, part)
        elif _slot_value(member, value) is not GONE:
            member.__delete__(value)


def _object_parts(value: Any) -> Iterable[Any]:
    attributes, slots = _copy_object(value)
    kind = type(value)
    inner = list.copy(value) if issubclass(kind, list) else dict.values(value) if issubclass(kind, dict) else ()
    return list(chain(attributes[1], slots, inner))


_OBJECT = Form(_copy_object, _same_object, _put_object, lambda v: 9 * WORD * len(_attributes(v)) + 100, _object_parts)


def _of_both(raw: type, inner: Form) -> Form:
    """Return the form of subclasses of a container, which have attributes of their own too."""

    def put(value: Any, kept: Any) -> None:
        if raw is list:
            list.__setitem__(value, slice(None), kept[0])
        elif raw is set:
            set.clear(value)
            set.update(value, kept[0])
        else:
            dict.clear(value)
            dict.update(value, zip(*kept[0], strict=True))
        _put_object(value, kept[1])

    def plain(value: Any) -> Any:
        return raw.copy(value)  # type: ignore[attr-defined]

    return Form(
        lambda v: (inner.copy(plain(v)), _copy_object(v)),
        lambda v, k: inner.same(plain(v), k[0]) and _same_object(v, k[1]),
        put,
        lambda v: inner.size(plain(v)) + 200,
        _object_parts,
    )


_SUBCLASSES = ((list, _of_both(list, LIST)), (dict, _of_both(dict, DICT)), (set, _of_both(set, SET)))


def _space_of(value: Any) -> dict[str, Any]:
    found = type.__dict__["__dict__"].__get__(value)
    return {name: part for name, part in found.items() if name not in _OWN_BY_CLASS}


def _put_class(value: Any, kept: dict[str, Any]) -> None:
    now = _space_of(value)
    for name in now.keys() - kept.keys():
        type.__delattr__(value, name)
    for name, part in kept.items():
        if now.get(name, GONE) is not part:
            type.__setattr__(value, name, part)


def _put_module(value: Any, kept: dict[str, Any]) -> None:
    space = vars(value)
    for name in space.keys() - kept.keys():
        del space[name]
    space.update(kept)


def _same_space(now: dict[str, Any], kept: dict[str, Any]) -> bool:
    return now.keys() == kept.keys() and all(now[name] is part for name, part in kept.items())


_CLASS = Form(
    _space_of, lambda v, k: _same_space(_space_of(v), k), _put_class, lambda _v: 2000, lambda v: _space_of(v).values()
)
MODULE = Form(
    lambda v: dict(vars(v)), lambda v, k: _same_space(vars(v), k), _put_module, lambda v: 9 * WORD * len(vars(v))
)


def _copy_function(value: Any) -> tuple[Any, ...]:
    return dict(value.__dict__), value.__defaults__, value.__kwdefaults__, [_cell(c) for c in value.__closure__ or ()]


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return GONE


def _same_function(value: Any, kept: tuple[Any, ...]) -> bool:
    now = _copy_function(value)
    return _same_space(now[0], kept[0]) and now[1] is kept[1] and now[2] is kept[2] and same_items(now[3], kept[3])


def _put_function(value: Any, kept: tuple[Any, ...]) -> None:
    value.__dict__.clear()
    value.__dict__.update(kept[0])
    value.__defaults__, value.__kwdefaults__ = kept[1], kept[2]
    for cell, part in zip(value.__closure__ or (), kept[3], strict=True):
        if part is not GONE:
            cell.cell_contents = part


def _function_parts(value: Any) -> Iterable[Any]:
    kept = _copy_function(value)
    return chain(kept[0].values(), kept[1] or (), (kept[2] or {}).values(), kept[3])


_FUNCTION = Form(_copy_function, _same_function, _put_function, lambda _v: 300, _function_parts)


def object_form(value: Any) -> Form | None:
    """Return the form of a function, a class of the notebook's own or an instance of a class written in Python."""
    kind = type(value)
    if kind is types.FunctionType:
        return _FUNCTION
    if issubclass(kind, type):
        return _CLASS if module_of(value) == "__main__" else None
    if type.__dict__["__flags__"].__get__(kind) & _HEAP == 0 or module_of(kind).partition(".")[0] in _FOREIGN:
        return None
    for base, form in _SUBCLASSES:
        if issubclass(kind, base):
            return form
    return _OBJECT if _has_dict(kind) or _slots(kind) else None


_HEAP = 1 << 9
"""The flag of a class that was made at run time, by a class statement or the like."""


def module_of(kind: Any) -> str:
    """Return the module a class says it is of, read from the class itself."""
    module = type.__dict__["__module__"].__get__(kind)
    return module if type(module) is str else ""


def attributes_of(value: Any) -> list[tuple[Any, Any]]:
    """Return the names and values that an instance or a class of the notebook's own holds, as they are."""
    if issubclass(type(value), type):
        return [(name, part) for name, part in _space_of(value).items() if not name.startswith("__")]
    keys, values = pairs(_attributes(value))
    slots = [(m.__name__, _slot_value(m, value)) for m in _slots(type(value))]
    return [*zip(keys, values, strict=True), *((name, part) for name, part in slots if part is not GONE)]
