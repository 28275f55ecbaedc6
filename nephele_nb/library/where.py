"""Turns a filter (SQL expression or list of triples) into Lance's form for one table's columns; it never runs it.

Only words on the lists below get through, so a filter can neither change data, nor read anything but the table's own
rows, nor make a value larger than the text it was written with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ..errors import LibraryError, nearest
from .literals import half_character
from .store import literal, quoted

Where = str | Sequence[tuple[str, str, Any]]

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*')|(?P<name>"(?:[^"]|"")*"|`[^`]*`)|(?P<comment>--|/\*|;)
    |(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)|(?P<space>\s+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_CORE = frozenset("and or not in is null like ilike between true false case when then else end escape".split())
_TYPES = frozenset(
    "as date timestamp interval time int integer bigint smallint double float real string varchar text boolean decimal"
    " day days month months year years hour hours minute minutes second seconds distinct from".split()
)
_REFUSED = frozenset("select insert update delete drop alter create union".split())
FUNCTIONS = frozenset(
    "abs array_contains array_has array_has_all array_has_any array_length ascii btrim cardinality cast char_length"
    " coalesce concat concat_ws contains contains_tokens current_date date_part date_trunc ends_with exp greatest"
    " initcap instr isnan least left length ln log log10 log2 lower ltrim now nullif nvl octet_length power regexp_like"
    " reverse right round rtrim split_part sqrt starts_with strpos to_date to_timestamp today trunc try_cast"
    " upper".split()
)
"""What a filter may call. Left out: whatever grows (repeat, lpad, replace, range) or differs from call to call."""

LONGEST = 20_000
_NEAR = 40
"""How many tokens after a literal its column may stand."""

MOST_OPERATORS = 300
"""Lance walks an expression by recursion and ends the whole process when the stack is full."""

_STEP = frozenset(("and", "or", "not"))
_COMPARE = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
OPERATORS = (*_COMPARE, "in", "not in", "between", "like", "contains", "is null", "is not null")


class Column(NamedTuple):
    """One column: the name people use, the name it is stored under, its type and a remark in words."""

    name: str
    stored: str
    type: str
    remark: str = ""


class Columns:
    """The columns of one table, found by their exact name, else regardless of case."""

    def __init__(self, table: str, columns: Sequence[Column]) -> None:
        self.all = tuple(columns)
        self._table = table
        self._exact: Mapping[str, Column] = {c.name: c for c in columns}
        self._folded: Mapping[str, Column] = {c.name.casefold(): c for c in reversed(columns)}

    def get(self, name: str) -> Column | None:
        """Return a column, or None; raises LibraryError for what is no name at all."""
        given: object = name
        if not isinstance(given, str):
            raise LibraryError(f"A column's name is text, not {name!r}.")
        return self._exact.get(name) or self._folded.get(name.casefold())

    def find(self, name: str) -> Column:
        """Return a column; raises LibraryError naming the nearest and all there are."""
        found = self.get(name)
        if found is None:
            listed = ", ".join(list(self._exact)[:40])
            raise LibraryError(
                f"Table {self._table!r} has no column {name!r}{nearest(name, self._exact)}. It has: {listed}."
            )
        return found

    def chosen(self, names: Sequence[str] | None) -> list[Column]:
        """Return the columns of these names (one or several), all for none; raises LibraryError as ``find``."""
        if names is not None and not isinstance(names, Sequence):
            raise LibraryError(f"columns is a list of names, not {names!r}.")
        return [self.find(name) for name in ([names] if isinstance(names, str) else names or [])] or list(self.all)


def to_sql(where: Where | None, columns: Columns) -> str | None:
    """Return the filter in Lance's form, or None for no filter; raises LibraryError for what it can't mean."""
    if where is None or where in ("", [], (), {}):
        return None
    if isinstance(where, str):
        return _expression(where, columns) if where.strip() else None
    if not _is_list(where):
        raise LibraryError(f"where is a text or a list of (column, operator, value), not {where!r}.")
    given: Sequence[Any] = where
    triples = [given] if isinstance(given[0], str) else given
    return " AND ".join(f"({_triple(t, columns)})" for t in triples)


def _is_list(given: object) -> bool:
    return isinstance(given, Sequence)


def _expression(where: str, columns: Columns) -> str:
    out: list[str] = []
    tokens = [(str(m.lastgroup), m.group()) for m in _TOKEN.finditer(where)]
    _bounded(where, tokens)
    current: Column | None = None
    calls: list[bool] = []  # for each open parenthesis, whether it is a function's
    for i, (kind, text) in enumerate(tokens):
        if text == "(":
            calls.append((_before(tokens, i)[1]).casefold() in FUNCTIONS)
        elif text == ")" and calls:
            calls.pop()
        if kind == "name":
            current = columns.find(_bare(text))
            out.append(_reference(current))
        elif kind == "word":
            piece, column = _word(text, i, tokens, columns)
            current = column or current
            out.append(piece)
        elif kind == "text":
            out.append(_text_for(text, current, out))
        elif kind == "number" and not any(calls):
            out.append(_number_for(text, current or _first_column(tokens[i : i + _NEAR], columns)))
        else:
            out.append(text)
    return f"({''.join(out)})"  # else Lance would leave out, without a word, what follows a whole expression


def _bounded(where: str, tokens: Sequence[tuple[str, str]]) -> None:
    steps = depth = 0
    if fault := half_character(where):
        raise LibraryError(f"where {fault}")
    for kind, text in tokens:
        depth += (text == "(") - (text == ")")
        if depth < 0:
            break
        if kind == "comment" or (kind == "other" and text in "'\"`?$:@{}\\"):
            raise LibraryError(
                f"where must be one boolean expression: {text!r} can't stand in it. Text goes in single quotes, doubled"
                " inside ('O''Brien'), an odd column name in double quotes."
            )
        steps += text.casefold() in _STEP or (kind == "other" and text in "+-*/%|&^[")
    if depth:
        raise LibraryError("where is one boolean expression: each '(' in it wants its ')', and no ')' stands alone.")
    if len(where) > LONGEST or steps > MOST_OPERATORS:
        raise LibraryError(
            f"where is too long: it has {len(where)} characters and {steps} operators, at most {LONGEST} and"
            f" {MOST_OPERATORS} can be read. Use IN (…) for a list of values, or ask in parts."
        )


def _first_column(tokens: Sequence[tuple[str, str]], columns: Columns) -> Column | None:
    """The column after a literal that stands first, as in ``1.5 < price``."""
    for kind, text in tokens:
        if text.casefold() in _STEP:
            break
        if kind in ("name", "word"):
            return columns.get(_bare(text) if kind == "name" else text)
    return None


def _word(text: str, i: int, tokens: list[tuple[str, str]], columns: Columns) -> tuple[str, Column | None]:
    lower = text.casefold()
    after = next(_solid(tokens[j] for j in range(i + 1, len(tokens))), ("", ""))
    before = _before(tokens, i)
    if lower in _CORE or (lower in _TYPES and (after[0] == "text" or before[1].casefold() == "as")):
        return text, None
    column = columns.get(text)
    if column is not None and after[1] != "(":
        return _reference(column), column
    first, _, rest = text.partition(".")
    column = columns.get(first)
    if rest and column is not None:
        return quoted(column.stored) + "".join("." + quoted(part) for part in rest.split(".")), None
    if lower in _REFUSED:
        raise LibraryError(f"where only reads: {text!r} can't stand in it. Give one boolean expression over columns.")
    if lower in _TYPES or (after[1] == "(" and lower in FUNCTIONS):
        return text, None
    if after[1] == "(":
        listed = ", ".join(sorted(FUNCTIONS))
        raise LibraryError(f"where can't call {text!r}{nearest(lower, FUNCTIONS)}. It can call: {listed}.")
    columns.find(text)
    return text, None


def _before(tokens: Sequence[tuple[str, str]], i: int) -> tuple[str, str]:
    return next(_solid(tokens[j] for j in range(i - 1, -1, -1)), ("", ""))


def _solid(tokens: Any) -> Iterator[tuple[str, str]]:
    return (t for t in tokens if t[0] != "space")


def _bare(text: str) -> str:
    return text[1:-1].replace('""', '"') if text[0] == '"' else text[1:-1]


def _reference(column: Column) -> str:
    return quoted(column.stored)


def _number_for(text: str, column: Column | None) -> str:
    """Lance compares a whole or decimal column with no literal that has a point, so that one gets the fitting type."""
    if column is None:
        return text
    if column.type.startswith("decimal"):
        return _decimal(Decimal(text))
    whole = column.type.startswith(("int", "uint"))
    return f"cast({text} as double)" if whole and not text.isdigit() else text


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise LibraryError(f"{value} is no number that a decimal column can hold; leave it out.")
    digits = f"{value:f}"
    places = len(digits.partition(".")[2])
    if len(digits.lstrip("-").replace(".", "")) > 38:
        raise LibraryError(f"{value} has more digits than a filter can hold (38).")
    return f"cast('{digits}' as decimal(38, {places}))"


def _text_for(text: str, column: Column | None, before: list[str]) -> str:
    """Lance compares dates only with dates, so text beside a date column becomes one."""
    last = next((piece.casefold() for piece in reversed(before) if piece.strip()), "")
    if column is None or last in _TYPES or last in ("like", "ilike", "escape"):
        return text
    if column.type.startswith("date"):
        return f"date {text}"
    return f"timestamp {text}" if column.type.startswith("timestamp") else text


def _triple(triple: Sequence[Any], columns: Columns) -> str:
    if not _is_list(triple) or len(triple) not in (2, 3) or not isinstance(triple[1], str):
        raise LibraryError(f"A filter is (column, operator, value), not {triple!r}.")
    column, op, value = columns.find(str(triple[0])), triple[1].strip().casefold(), (*triple, None)[2]
    name = _reference(column)
    if op in _COMPARE:
        if value is None:
            return f"{name} IS {'NOT ' if op in ('!=', '<>') else ''}NULL"
        return f"{name} {_COMPARE[op]} {_typed(value, column)}"
    if op in ("in", "not in", "between") and (isinstance(value, str) or not isinstance(value, Sequence)):
        raise LibraryError(f"The operator {op!r} wants a list of values, not {value!r}.")
    if op in ("in", "not in"):
        values = ", ".join(_typed(v, column) for v in value)
        return f"{name} {op.upper()} ({values})" if values else "1 = 0" if op == "in" else "1 = 1"
    if op == "between":
        if len(value) != 2:
            raise LibraryError(f"The operator 'between' wants two values, not {len(value)}.")
        low, high = value
        return f"{name} BETWEEN {_typed(low, column)} AND {_typed(high, column)}"
    if op == "contains":
        return f"contains({name}, {literal(str(value))})"
    if op == "like":
        return f"{name} LIKE {literal(str(value))}"
    if op in ("is null", "is not null"):
        return f"{name} {op.upper()}"
    raise LibraryError(f"A filter has no operator {op!r}{nearest(op, OPERATORS)}. It has: {', '.join(OPERATORS)}.")


def _typed(value: Any, column: Column) -> str:
    value = value.item() if type(value).__module__ == "numpy" else value
    try:
        if isinstance(value, str) and column.type.startswith(("date", "timestamp")):
            when = datetime.fromisoformat(value)
            return literal(when.date() if column.type.startswith("date") else when)
        if isinstance(value, datetime) and column.type.startswith("date"):
            return literal(value.date())
        if isinstance(value, date) and column.type.startswith("timestamp") and not isinstance(value, datetime):
            return literal(datetime.combine(value, time.min))
        if isinstance(value, str) and column.type.startswith(("int", "uint")):
            return literal(int(value))
        if isinstance(value, str) and column.type.startswith(("double", "float")):
            return literal(float(value))
        if column.type.startswith("decimal") and not isinstance(value, bool):
            return _decimal(Decimal(str(value)))
        if isinstance(value, float) and column.type.startswith(("int", "uint")):
            return literal(int(value)) if value.is_integer() else f"cast({literal(value)} as double)"
    except (ValueError, TypeError, InvalidOperation) as error:
        raise LibraryError(f"Column {column.name!r} holds {column.type}, so {value!r} can't match it.") from error
    textual = column.type in ("string", "category of string") and isinstance(value, int | float | Decimal | date)
    return literal(str(value)) if textual else literal(value)
