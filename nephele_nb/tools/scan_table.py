"""scan_table: rows of the structured table itself; it never changes one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ..errors import LibraryError, ToolError
from ..types import Source, ToolResult
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def scan_table(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def scan_table(
        name: str,
        columns: list[str] | None = None,
        where: str | list[list[Any]] | None = None,
        order_by: str | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> ToolResult:
        condition = [tuple(part) for part in where] if isinstance(where, list) else where
        try:
            scan = await asyncio.to_thread(
                lambda: library().scan(name, columns=columns, where=condition, order_by=order_by, offset=offset)
            )
        except LibraryError as error:
            raise ToolError(str(error)) from error
        source = Source(
            0,
            "table",
            scan.name,
            scan.name,
            table=scan.name,
            version=scan.version,
            rows=(scan.offset, scan.offset + scan.shown),
        )
        return ToolResult("", sources=(source,), numbered=lambda n: f"[{n[0]}] table {scan.name}\n{scan.text}")

    return make_tool(scan_table, "reads", parallel=True)
