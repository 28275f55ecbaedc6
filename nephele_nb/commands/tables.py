"""Commands on one table of the library or one data frame of the notebook: schema, rows, shape; they change neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ..errors import LibraryError, ToolError
from ..tools.registry import Desk, Tool, make_tool
from .names import LIVE, Found, Names

if TYPE_CHECKING:
    from ..types import Scan

MOST_ROWS = 100
WIDEST_CELL = 60


def table_schema(names: Names) -> Tool:
    """Return the command that names a table's columns and their types."""

    def table_schema(name: str, desk: Desk) -> str:
        found = names.table_or_frame(name, desk.say)
        columns = _columns(names, found)
        head = desk.say(
            "schema_of", **_called(names, found, desk), rows=f"{_scan(names, found).total:,}", columns=len(columns)
        )
        return "\n".join([head, "", *(f"- {column}" for column in columns)])

    return make_tool(table_schema, "reads", category="commands")


def show_rows(names: Names) -> Tool:
    """Return the command that shows a table's first rows, five where no number is given."""

    def show_rows(name: str, desk: Desk, n: Annotated[int, Field(ge=1)] = 5) -> str:
        found = names.table_or_frame(name, desk.say)
        scan = _scan(names, found)
        rows = scan.rows[: min(n, MOST_ROWS)]
        if not rows:
            return desk.say("no_rows", **_called(names, found, desk), total=scan.total)
        lines = [_line(rows[0]), _line(["---"] * len(rows[0])), *(_line(row.values()) for row in rows)]
        said = desk.say("rows_of", **_called(names, found, desk), shown=len(rows), total=f"{scan.total:,}")
        return "\n".join([*lines, "", said])

    return make_tool(show_rows, "reads", category="commands")


def table_shape(names: Names) -> Tool:
    """Return the command that says how many rows and columns a table has."""

    def table_shape(name: str, desk: Desk) -> str:
        found = names.table_or_frame(name, desk.say)
        sizes = {"rows": f"{_scan(names, found).total:,}", "columns": len(_columns(names, found))}
        return desk.say("shape_of", **_called(names, found, desk), **sizes)

    return make_tool(table_shape, "reads", category="commands")


def count_rows(names: Names) -> Tool:
    """Return the command that counts a table's rows."""

    def count_rows(name: str, desk: Desk) -> str:
        found = names.table_or_frame(name, desk.say)
        return desk.say("count_of", **_called(names, found, desk), rows=f"{_scan(names, found).total:,}")

    return make_tool(count_rows, "reads", category="commands")


def _called(names: Names, found: Found, desk: Desk) -> dict[str, str]:
    """Return what the table is called, which of two of that name included."""
    other = f" ({desk.say('twin_frame', name=LIVE + found.name)})" if names.twin(found) else ""
    return {"what": desk.say(f"kind_{found.kind}"), "name": found.name, "other": other}


def _scan(names: Names, found: Found) -> Scan:
    from ..library.live import live_scan

    try:
        if found.kind == "frame":
            return live_scan(found.name, found.value)
        return names.library().scan(found.name)
    except LibraryError as error:
        raise ToolError(str(error)) from error


def _columns(names: Names, found: Found) -> list[str]:
    """Return each column with its type."""
    if found.kind == "frame":
        return _live_columns(found.value)
    text = names.library().read(f"table:{found.name}").text
    return [line[2:] for line in text.split("\n\n")[1].splitlines()]


def _live_columns(frame: Any) -> list[str]:
    if type(frame).__module__.startswith("pandas"):
        pairs = zip(frame.columns.tolist(), frame.dtypes.tolist(), strict=True)
    else:
        schema = frame.schema
        pairs = schema.items() if hasattr(schema, "items") else zip(schema.names, schema.types, strict=True)
    return [f"{name} ({kind})" for name, kind in pairs]


def _line(cells: Any) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(value: Any) -> str:
    from ..library.table_text import cell

    text = value if isinstance(value, str) else cell(value, WIDEST_CELL)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= WIDEST_CELL else f"{text[:WIDEST_CELL]}…"
