"""Reads several things from a library at the same time, on one event loop that all libraries share; it never writes.

A call to Lance has a fixed cost whatever it reads, so a search that asks four channels one after the other would
take four times as long as one that asks them together.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from .engine import session

Row = dict[str, Any]
PROBES = 32
REFINED = 300
"""How many of an index's candidates are compared exactly; fewer cost recall, each costs a read."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to one table: by ``words`` (full text), by ``vector`` (cosine), or by ``where`` alone.

    ``every`` asks for rows that hold every word, not any; ``newest`` orders by ``updated``, latest first; ``refined``
    is how many candidates of a vector index are compared exactly, at least ``limit``.
    """

    table: str
    columns: tuple[str, ...]
    where: str | None = None
    limit: int | None = None
    newest: bool = False
    words: str | None = None
    every: bool = False
    vector: Sequence[float] | None = None
    refined: int = REFINED


class Reader:
    """Open handles on the tables of one library, for reading only; they always read the newest version."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._db: Any = None
        self._tables: dict[str, Any] = {}

    def start(self, asks: Sequence[Ask]) -> Future[list[list[Row]]]:
        """Ask all at once and return at once; the future holds the rows of each, in order."""
        return asyncio.run_coroutine_threadsafe(self._all(asks), _loop())

    def forget(self, name: str) -> None:
        """Close the handle of a table that was dropped or written anew."""
        self._tables.pop(name, None)

    async def _all(self, asks: Sequence[Ask]) -> list[list[Row]]:
        for name in {ask.table for ask in asks} - self._tables.keys():
            self._tables[name] = await self._open(name)
        work: list[Coroutine[Any, Any, list[Row]]] = [_rows(self._tables[ask.table], ask) for ask in asks]
        return list(await asyncio.gather(*work))

    async def _open(self, name: str) -> Any:
        import lancedb

        if self._db is None:
            self._db = await lancedb.connect_async(self._uri, read_consistency_interval=timedelta(0), session=session())
        return await self._db.open_table(name)


async def _rows(table: Any, ask: Ask) -> list[Row]:
    from lancedb.query import ColumnOrdering, FullTextOperator, MatchQuery

    columns = list(dict.fromkeys([*ask.columns, "updated"] if ask.newest else ask.columns))
    query = table.query()
    if ask.words is not None:
        match: Any = MatchQuery  # its declared signature hides its defaults from a type checker
        operator = FullTextOperator.AND if ask.every else FullTextOperator.OR
        query = query.nearest_to_text(match(ask.words, "words", operator=operator))
        columns.append("_score")
    elif ask.vector is not None:
        query = query.nearest_to(list(ask.vector)).column("vector").distance_type("cosine")
        query = query.nprobes(PROBES).refine_factor(max(1, ask.refined // (ask.limit or ask.refined)))
        columns.append("_distance")
    elif ask.newest:
        query = query.order_by([ColumnOrdering(column_name="updated", ascending=False, nulls_first=False)])
    if ask.where is not None:
        query = query.where(ask.where)
    if ask.limit is not None:
        query = query.limit(ask.limit)
    found = await query.select(columns).to_arrow()
    rows: list[Row] = found.to_pylist()
    return rows


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="nephele-reader", daemon=True).start()
    return loop
