"""Writes values, names and orderings the way Lance reads them, so that no text can end a filter; it asks nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from ..errors import LibraryError

_HALF = re.compile("[\ud800-\udfff]")


def half_character(text: str) -> str:
    """Say why a text can't be kept: it holds a lone surrogate, which no UTF-8 can write; "" where it can."""
    found = _HALF.search(text)
    if found is None:
        return ""
    return f"holds half a character (\\u{ord(found[0]):04x} at {found.start()}), which can't be stored; leave it out."


def literal(value: Any) -> str:
    """Write a value for a Lance filter; raises LibraryError for a type or a text that has no literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise LibraryError(f"{value} can't be compared with; use isnan(column) or leave it out.")
        return repr(value)
    if isinstance(value, datetime):
        return f"timestamp '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"date '{value.isoformat()}'"
    if isinstance(value, str):
        if fault := half_character(value):
            raise LibraryError(f"{value[:60]!a} {fault}")
        return "'" + value.replace("'", "''") + "'"
    raise LibraryError(f"A value of type {type(value).__name__} can't be used in a filter.")


def quoted(column: str) -> str:
    """Write a column's name for a Lance filter."""
    return '"' + column.replace('"', '""') + '"'


def any_of(column: str, values: Iterable[str]) -> str:
    """Write the filter "column is one of these values"; nothing matches an empty list."""
    listed = ",".join(literal(v) for v in values)
    return f"{quoted(column)} IN ({listed})" if listed else "1 = 0"


def none_of(column: str, values: Iterable[str]) -> str:
    """Write the filter "column is none of these values"."""
    listed = ",".join(literal(v) for v in values)
    return f"{quoted(column)} NOT IN ({listed})" if listed else "1 = 1"


def orderings(pairs: Iterable[tuple[str, bool]]) -> list[Any]:
    """Return Lance's form of an ordering; each pair is a column and whether it goes downwards. Nulls come last."""
    from lancedb.query import ColumnOrdering

    return [ColumnOrdering(column_name=c, ascending=not down, nulls_first=False) for c, down in pairs]
