"""scan_table: rows of the structured table itself, or of a data frame in the notebook; it never changes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ..errors import LibraryError, ToolError
from ..kernel.fingerprint import fingerprint
from ..kernel.seen import text
from ..threads import in_thread
from ..types import Scan, Source, ToolResult
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library

LIVE = "live:"
"""What a name begins with to mean the notebook's variable where the library has a table of that name too."""


def scan_table(library: Callable[[], Library], live: Callable[[str], object | None] | None = None) -> Tool:
    """Return the tool over the library that ``library()`` opens, and over what ``live(name)`` finds in the notebook."""

    async def scan_table(
        name: str,
        columns: list[str] | None = None,
        where: str | list[list[Any]] | None = None,
        order_by: str | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> ToolResult:
        condition = [tuple(part) for part in where] if isinstance(where, list) else where

        def read() -> ToolResult:
            from ..library.live import live_scan

            lib, bare = library(), name.removeprefix(LIVE)
            value = live(bare) if live is not None else None
            ours = not name.startswith(LIVE) and lib.has_table(name)
            if value is not None and not ours:
                scan = live_scan(bare, value, columns, condition, order_by, offset)
                return _result(scan, text(fingerprint(value)))
            scan = lib.scan(name, columns=columns, where=condition, order_by=order_by, offset=offset)
            return _result(scan, twin=value is not None)

        try:
            return await in_thread(read)
        except LibraryError as error:
            raise ToolError(str(error)) from error

    return make_tool(scan_table, "reads", parallel=True)


def _result(scan: Scan, taken: str | None = None, twin: bool = False) -> ToolResult:
    """Return the rows as a result; ``taken`` is the fingerprint of a live data frame, None for a table."""
    is_live = taken is not None
    source = Source(
        0, "table", f"{LIVE}{scan.name}" if is_live else scan.name, scan.name, table=scan.name,
        version=None if is_live else scan.version, rows=(scan.offset, scan.offset + scan.shown),
    )  # fmt: skip
    head = f"live data frame {scan.name}" if is_live else f"table {scan.name}"
    if twin:
        head += f" (of the library; the notebook has a variable of this name too: {LIVE}{scan.name})"
    reads = {f"table {scan.name}": str(scan.version)} if taken is None else {f"variable {scan.name}": taken}
    return ToolResult("", sources=(source,), numbered=lambda n: f"[{n[0]}] {head}\n{scan.text}", reads=reads)
