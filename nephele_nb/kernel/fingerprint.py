"""Tells whether a variable still is what it was when it was looked at; it keeps no data and runs no code of the user's.

Small values are hashed whole, large ones by samples of head, tail and what lies between, so that a change of a few
cells in the midst of a large array may be missed; a change of shape, type or name never is. How much is read is
bounded by counts, never by time: the same value must always be read the same way.
"""

from __future__ import annotations

import array
import collections
import io
import random
import sys
import types
import zlib
from typing import Any

from .forms import failure
from .namespace import type_name
from .objects import attributes_of, module_of
from .snapshot import form_of, progress

WHOLE_BYTES = 16 << 20
"""So much of one variable's arrays is hashed whole, in some ten milliseconds; of the rest samples are."""
_MOST_PARTS = 20_000
_SAMPLES = 4096
_ITEMS = 5000
_DEEPEST = 6
_SEQUENCES = (collections.deque, array.array)
_STATEFUL = (io.StringIO, io.BytesIO, random.Random)
_OPEN = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
Fingerprint = tuple[str, int]


def fingerprint(value: Any) -> Fingerprint:
    """Return what is the same for as long as the value is; equal values of known types have equal ones."""
    reading = _Reading()
    if failure(lambda: reading.read(value, 0)):
        reading.add(b"%d" % id(value))
    return type_name(value), reading.crc


class _Reading:
    """Goes through one value."""

    def __init__(self) -> None:
        self.crc = 0
        self._room = WHOLE_BYTES
        self._parts = 0
        self._within: dict[int, int] = {}
        self._held: list[Any] = []  # what is made on the way must not hand its id on to something else

    def add(self, data: Any) -> None:
        self.crc = zlib.crc32(data, self.crc)

    def read(self, value: Any, depth: int) -> None:
        kind = type(value)
        if value is None or kind in (bool, int, float, complex):
            self.add(repr(value).encode() if kind is not int or abs(value) < 1 << 4096 else _large(value))
        elif kind is str:
            self.add(_sampled(value).encode("utf-8", "replace"))
        elif kind in (bytes, bytearray):
            self.add(_sampled(value))
        elif id(value) in self._within:
            self.add(b"<%d>" % self._within[id(value)])
        elif depth > _DEEPEST or self._parts > _MOST_PARTS:
            self.add(b"...")
        else:
            self._within[id(value)] = len(self._within)
            self._held.append(value)
            self._parts += 1
            self.add(type_name(value).encode())
            self._inside(value, depth + 1)

    def _inside(self, value: Any, depth: int) -> None:
        kind = type(value)
        if self._table(value, depth):
            return
        if issubclass(kind, dict):
            self.add(b"%d" % dict.__len__(value))
            for key, part in _thinned(list(dict.items(value))):
                self.read(key, depth)
                self.read(part, depth)
        elif issubclass(kind, set | frozenset):
            self._unordered(value)
        elif issubclass(kind, list | tuple) or kind in _SEQUENCES:
            plain: Any = next((known for known in (list, tuple) if issubclass(kind, known)), kind)
            parts = list(plain.__iter__(value))
            self.add(b"%d" % len(parts))
            for part in _thinned(parts):
                self.read(part, depth)
        self._own(value, depth)

    def _unordered(self, value: Any) -> None:
        """A set has no order that lasts: its parts are read one by one and added up."""
        total = 0
        for part in _thinned(list(set.__iter__(value) if issubclass(type(value), set) else frozenset.__iter__(value))):
            alone = _Reading()
            alone.read(part, _DEEPEST - 1)
            total += alone.crc
        self.add(b"%d %d" % (len(value), total))

    def _own(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind in _OPEN:
            self.add(b"%d %s" % (id(value), repr(progress(value)).encode()))
            return
        if kind is types.FunctionType:
            self.add(value.__code__.co_code + repr(value.__code__.co_names).encode())
            for part in (value.__code__.co_consts, value.__defaults__, value.__kwdefaults__):
                self.read([p for p in part or () if type(p) is not types.CodeType], depth)
            return
        form = form_of(value)
        if form is None:
            self.add(b"%d" % id(value) if kind not in (tuple, frozenset) else b"")
            return
        for name, part in attributes_of(value):
            self.read(name, depth)
            self.read(part, depth)
        if kind in _STATEFUL:
            self.add(repr(form.copy(value)).encode())

    def _table(self, value: Any, depth: int) -> bool:
        kind = type(value)
        module = module_of(kind).partition(".")[0]
        if module not in ("numpy", "pandas", "polars", "pyarrow") or module not in sys.modules:
            return False
        name = type.__dict__["__name__"].__get__(kind)
        if name == "ndarray":
            self._array(value, depth)
        elif module == "pandas" and name in ("DataFrame", "Series"):
            self._frame(value, depth)
        elif module == "polars" and name in ("DataFrame", "Series"):
            self._polars(value)
        elif module == "pyarrow" and name in ("Table", "RecordBatch"):
            self._table_of_arrow(value)
        elif hasattr(value, "equals") and hasattr(value, "names"):
            self.read([list(value.names), _thinned(value.tolist())], depth)
        elif name == "Generator":
            self.add(repr(value.bit_generator.state).encode())
        else:
            return False
        return True

    def _array(self, value: Any, depth: int) -> None:
        self.add(f"{value.shape} {value.dtype}".encode())
        if value.dtype.hasobject:
            self.read(_thinned(value.ravel().tolist()), depth)
            return
        self._room -= value.nbytes
        if self._room < 0:
            flat = value.reshape(-1) if value.flags.c_contiguous else value.ravel()
            step = max(1, flat.size // _SAMPLES)
            for part in (flat[:_SAMPLES], flat[::step], flat[-_SAMPLES:]):
                self.add(part.tobytes())
        else:
            self.add(value.tobytes())

    def _frame(self, value: Any, depth: int) -> None:
        self.add(repr([str(d) for d in (value.dtypes if value.ndim == 2 else [value.dtype])]).encode())
        self.read([list(a.names) for a in value.axes], depth)
        self.read(getattr(value, "name", None) if value.ndim == 1 else list(value.columns), depth)
        self._column(value.index.to_numpy(), depth)
        for i in range(value.shape[1] if value.ndim == 2 else 1):
            column = value.iloc[:, i] if value.ndim == 2 else value
            if (arrow := getattr(column.array, "_pa_array", None)) is not None and arrow.nbytes <= self._room:
                self._arrow(arrow)
                continue
            if len(column) > _ITEMS and not hasattr(column.array, "_ndarray"):
                step = len(column) // _ITEMS
                column = column.iloc[::step]
            self._column(column.to_numpy(), depth)

    def _arrow(self, data: Any) -> None:
        self._room -= data.nbytes
        for chunk in data.chunks:
            self.add(b"%d %d" % (chunk.offset, len(chunk)))
            for buffer in chunk.buffers():
                self.add(buffer if buffer is not None else b"-")

    def _column(self, data: Any, depth: int) -> None:
        if data.dtype.kind in "mM":
            data = data.view("i8")
        self._array(data, depth)

    def _polars(self, value: Any) -> None:
        """Read a polars frame or series through its own hash of rows."""
        frame = value.to_frame() if hasattr(value, "to_frame") else value
        self.add(f"{frame.schema} {len(frame)}".encode())
        if frame.estimated_size() > self._room:
            frame = frame.gather_every(max(1, len(frame) // _ITEMS))
        self._room -= frame.estimated_size()
        plain = not any(dtype.is_nested() or dtype.is_object() for dtype in frame.schema.values())
        if plain:
            self.add(frame.hash_rows(seed=0).to_numpy().tobytes())
        else:
            self.add(repr(frame.gather_every(max(1, len(frame) // _ITEMS)).to_dict(as_series=False)).encode())

    def _table_of_arrow(self, value: Any) -> None:
        self.add(f"{value.schema} {value.num_rows}".encode())
        for column in value.columns:
            for chunk in getattr(column, "chunks", [column]):
                for buffer in chunk.buffers() if chunk.nbytes <= self._room else ():
                    self.add(buffer if buffer is not None else b"-")
                self._room -= chunk.nbytes


def _thinned(parts: list[Any]) -> list[Any]:
    if len(parts) <= _ITEMS:
        return parts
    step = len(parts) // (_ITEMS // 2)
    return [*parts[: _ITEMS // 4], *parts[::step], *parts[-_ITEMS // 4 :]]


def _sampled(text: Any) -> Any:
    if len(text) <= WHOLE_BYTES:
        return text
    step = len(text) // _SAMPLES
    return text[:_SAMPLES] + text[::step] + text[-_SAMPLES:]


def _large(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
