"""One column on its way into a table: its values stay what they were or are refused; it never casts in silence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import starmap
from typing import TYPE_CHECKING, Any, NoReturn

from .documents import Unreadable

if TYPE_CHECKING:
    import pyarrow as pa

SIGNS_OF_ABSENCE = frozenset(("NAType", "NaTType"))
_SHOWN = 60
_TIMES = re.compile("date|time|duration")


def column(name: str, values: Sequence[Any]) -> pa.Array:
    """Return Python values as one Arrow array that gives every one of them back.

    Raises Unreadable naming the column and the first row (from 1) that doesn't fit those before it.
    """
    given = _nan_as_missing([_plain(v) for v in values])
    array, fault = _built(given)
    if array is None:
        row, before = _first_misfit(given)
        held = f"the rows before hold {before.type}" if before is not None and row > 1 else fault
        raise Unreadable(f"column {name!r}, row {row}: {_shown(given[row - 1])} can't be kept there ({held})")
    for row, (was, now) in enumerate(zip(given, array.to_pylist(), strict=True), 1):
        if not same(was, now):
            raise Unreadable(
                f"column {name!r}, row {row}: {_shown(was)} would become {_shown(now)}, as the column is {array.type}"
            )
    return array


def same(was: Any, now: Any) -> bool:
    """Say whether a value and what Arrow gives back for it mean the same, zone and kind included."""
    if type(was).__module__ == "numpy" and hasattr(was, "tolist"):
        if type(was).__name__ in ("datetime64", "timedelta64"):
            return True  # Arrow takes their unit over as it is
        was = was.tolist()
    if was is None or now is None:
        return was is now
    if isinstance(was, bool) or isinstance(now, bool):
        return was is now
    if isinstance(was, Mapping) and isinstance(now, dict):
        return all(same(was.get(k), v) for k, v in now.items()) and was.keys() <= now.keys()
    if isinstance(was, list | tuple) and isinstance(now, list):
        return len(was) == len(now) and all(starmap(same, zip(was, now, strict=True)))
    if isinstance(was, datetime) and isinstance(now, datetime):
        return was.utcoffset() == now.utcoffset() and bool(was == now)
    if isinstance(was, date) or isinstance(now, date):
        return type(was) is type(now) and bool(was == now)
    if isinstance(was, float) and isinstance(now, float) and math.isnan(was):
        return math.isnan(now)
    if isinstance(was, int | float | Decimal):
        return isinstance(now, int | float | Decimal) and was == now
    return isinstance(was, str) == isinstance(now, str) and bool(was == now)


def kept_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type that Lance stores for this one with no value changed, or None where there is none."""
    import pyarrow as pa

    if pa.types.is_null(kind) or pa.types.is_string(kind) or str(kind) == "string_view":
        return pa.string()
    if str(kind) == "binary_view":
        return pa.binary()
    if pa.types.is_decimal(kind):
        return kind if kind.bit_width >= 128 else pa.decimal128(kind.precision, kind.scale)
    if pa.types.is_dictionary(kind):
        text = str(kind.value_type) in ("string", "large_string", "string_view")
        return pa.dictionary(pa.int32(), pa.string(), kind.ordered) if text else kept_type(kind.value_type)
    if pa.types.is_run_end_encoded(kind):
        return kept_type(kind.value_type)
    if pa.types.is_struct(kind):
        fields = [(f.name, kept_type(f.type)) for f in kind]
        return pa.struct(fields) if all(t is not None for _, t in fields) else None
    if pa.types.is_map(kind):
        parts = (kept_type(kind.key_type), kept_type(kind.item_type))
        return None if None in parts else pa.map_(*parts)
    if pa.types.is_fixed_size_list(kind):
        inner = kept_type(kind.value_type)
        plain = pa.types.is_primitive(kind.value_type)
        return kind if plain else None if inner is None else pa.list_(inner)  # of text, Lance would panic
    if str(kind).startswith(("list<", "large_list<", "list_view<", "large_list_view<")):
        inner = kept_type(kind.value_type)
        make = pa.large_list if str(kind).startswith("large") else pa.list_
        return None if inner is None else make(pa.field(kind.value_field.name, inner))
    if (
        pa.types.is_interval(kind)
        or pa.types.is_union(kind)
        or (str(kind).startswith("extension<") and "arrow.uuid" not in str(kind))
    ):
        return None
    return kind


def storable(name: str, array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column in the type that Lance stores; raises Unreadable where it stores none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = kept_type(array.type)
    if wanted is None:
        refuse(name, array, str(array.type))
    if pa.types.is_run_end_encoded(array.type):
        array = pa.chunked_array([pc.run_end_decode(chunk) for chunk in array.chunks], array.type.value_type)
    if pa.types.is_dictionary(wanted):
        make = pa.DictionaryArray.from_arrays
        parts = [
            make(c.indices.cast(pa.int32()), c.dictionary.cast(pa.string()), ordered=wanted.ordered)
            for c in array.chunks
        ]
        return pa.chunked_array(parts, wanted).unify_dictionaries()
    _all_readable(name, array)
    if array.type == wanted:
        return array
    if pa.types.is_nested(wanted):  # Arrow casts views with nulls to nonsense, and has no cast of maps
        return pa.chunked_array([pa.array(array.to_pylist(), wanted)])
    return array.cast(wanted)


def refuse(name: str, array: pa.ChunkedArray, kind: str) -> NoReturn:
    """Raise Unreadable for a column of a kind that can't be kept, naming the first row with a value."""
    row = next((i for i, v in enumerate(array.is_valid().to_pylist(), 1) if v), 1)
    raise Unreadable(f"column {name!r}, row {row}: {kind} can't be kept; turn it into text or numbers first")


def _all_readable(name: str, array: pa.ChunkedArray) -> None:
    """Raise Unreadable where a column holds a day or a time that no Python value stands for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _TIMES.search(str(array.type)):
        return
    try:
        if pa.types.is_temporal(array.type):
            # what lies between the least and the greatest can be read too; a duration is compared as its number
            ends = pc.min_max(array.cast(pa.int64()) if pa.types.is_duration(array.type) else array).as_py()
            pa.array(ends.values(), array.type).to_pylist()
        else:
            array.to_pylist()
    except (ValueError, OverflowError):
        for row, value in enumerate(array, 1):
            try:
                value.as_py()
            except (ValueError, OverflowError) as error:
                raise Unreadable(f"column {name!r}, row {row}: {array.type} can't be read back ({error})") from error


def type_name(kind: pa.DataType) -> str:
    """Return a column's type in words."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return f"category of {kind.value_type}"
    return "string" if pa.types.is_large_string(kind) else str(kind)


def _built(values: Sequence[Any]) -> tuple[pa.Array | None, str]:
    import pyarrow as pa

    try:
        numbers = [v for v in values if v is not None]
        if numbers and all(type(v) is int for v in numbers) and not -(2**63) <= min(numbers) <= max(numbers) < 2**63:
            return pa.array(values, _wide(min(numbers), max(numbers))), ""
        if any(isinstance(v, Decimal) for v in numbers) and all(type(v) in (int, Decimal) for v in numbers):
            return pa.array([v if v is None else Decimal(v) for v in values]), ""  # else 1 doesn't fit beside 0.5
        array = pa.array(values)
        if any(type(v).__module__.startswith("pandas") for v in numbers) and pa.types.is_temporal(array.type):
            zone = getattr(array.type, "tz", None)
            kind = pa.duration("ns") if pa.types.is_duration(array.type) else pa.timestamp("ns", zone)
            array = pa.array(values, kind)
        return array, ""
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        return None, str(error).split("\n")[0]


def _wide(low: int, high: int) -> pa.DataType:
    """Whole numbers beyond 64 bits are kept as decimals without places."""
    import pyarrow as pa

    if low >= 0 and high < 2**64:
        return pa.uint64()
    digits = len(str(max(abs(low), abs(high))))
    return pa.decimal128(38, 0) if digits <= 38 else pa.decimal256(76, 0)


def _plain(value: Any) -> Any:
    """Return None for a sign of absence, and a whole number of numpy's as Python's, which has no end."""
    kind = type(value)
    if kind.__name__ in SIGNS_OF_ABSENCE:
        return None
    return int(value) if kind.__module__ == "numpy" and kind.__name__.startswith(("int", "uint")) else value


def _nan_as_missing(values: list[Any]) -> list[Any]:
    """Records made from a data frame say NaN for "no value", in columns of text too."""
    others = (v for v in values if v is not None and not isinstance(v, float))
    if all(isinstance(v, int | Decimal) or type(v).__module__ == "numpy" for v in others):
        return values
    return [None if isinstance(v, float) and math.isnan(v) else v for v in values]


def _first_misfit(values: Sequence[Any]) -> tuple[int, pa.Array | None]:
    fits, fails = 0, len(values)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if _built(values[:middle])[0] is None:
            fails = middle
        else:
            fits = middle
    return fails, _built(values[:fits])[0]


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
