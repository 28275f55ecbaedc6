"""The only door to LanceDB: opens, reads, writes and tidies tables; it knows no note and no query language but Lance's.

Handles stay open (re-opening costs 60 ms and more) and read the newest version; a write that meets another
process's commit is tried again. Safe to use from several threads.
"""

from __future__ import annotations

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import LibraryError
from .pen import Pen
from .reader import Ask, Reader, Row
from .schema import DATA, KEYS, PASSAGES, schema_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FOREIGN", "Ask", "Row", "Store", "any_of", "literal", "none_of", "orderings", "quoted"]

T = TypeVar("T")

TIDY_WRITES = 20
TIDY_ROWS = 500
FOREIGN = (ValueError, TypeError, KeyError, RuntimeError, OSError)
"""What Lance and Arrow raise; all of it means the same to the user and leaves here as LibraryError."""

_ATTEMPTS = 10
_CONFLICT = ("conflict", "concurrent", "retry", "already exists")


def literal(value: Any) -> str:
    """Write a value for a Lance filter; raises LibraryError for a type that has no literal."""
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


class Store:
    """One library's LanceDB. Raises LibraryError, chained from Lance's own, for whatever goes wrong inside it."""

    def __init__(self, uri: str) -> None:
        import lancedb

        self.folder = None if "://" in uri else Path(uri).expanduser().resolve()
        self._tables: dict[str, Any] = {}
        self._lock = threading.RLock()
        self._writes = 0
        self._rows_written = 0
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            where = str(self.folder) if self.folder is not None else uri
            self._db: Any = lancedb.connect(where, read_consistency_interval=timedelta(0))
        except FOREIGN as error:
            raise LibraryError(f"The library at {uri} can't be opened: {error}. Check the path.") from error
        self._reader = Reader(where)
        self.pen = Pen(self.folder)

    def table(self, name: str, schema: pa.Schema | None = None) -> Any:
        """Return the open handle of a table, making it if it isn't there and its shape is known."""
        with self._lock:
            if name not in self._tables:
                self._tables[name] = self._open(name, schema)
            return self._tables[name]

    def _open(self, name: str, schema: pa.Schema | None) -> Any:
        try:
            return self._db.open_table(name)
        except ValueError:
            if schema is None and name not in KEYS:
                raise
        shape = schema if schema is not None else schema_of(name)
        try:
            table = self._db.create_table(name, schema=shape)
        except FOREIGN:  # another process may have made it between the two calls; if not, opening says why
            return self._db.open_table(name)
        if name == PASSAGES:
            self._retry(lambda: self._index(table))
        return table

    def _index(self, table: Any) -> None:
        from lancedb.index import FTS

        if not table.list_indices():
            # words are cut and normalised by words.py, so white space is all that parts them here
            config = FTS(base_tokenizer="whitespace", stem=True, remove_stop_words=False, with_position=False)
            table.create_index("words", config=config)

    def has(self, name: str) -> bool:
        """Say whether a table exists."""
        try:
            self.table(name)
        except ValueError:
            return False
        return True

    def rows(
        self,
        name: str,
        columns: Sequence[str],
        where: str | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Row]:
        """Return rows of a table as dicts; ``newest`` orders them by ``updated``, latest first."""
        # Lance orders only by what it also returns
        query = self.table(name).search().select(list(dict.fromkeys([*columns, "updated"] if newest else columns)))
        if where is not None:
            query = query.where(where)
        if newest:
            query = query.order_by(orderings([("updated", True)]))
        if limit is not None:
            query = query.limit(limit)
        found: list[Row] = self._guard(lambda: query.to_arrow().to_pylist())
        return found

    def count(self, name: str, where: str | None = None) -> int:
        """Count the rows of a table."""
        return int(self._guard(lambda: self.table(name).count_rows(where)))

    def start(self, asks: Sequence[Ask]) -> Callable[[], list[list[Row]]]:
        """Ask several things at the same time; what is returned waits for the rows of each, in order."""
        for ask in asks:
            self.table(ask.table)
        future = self._reader.start(asks)
        return lambda: self._guard(future.result)

    def ask(self, *asks: Ask) -> list[list[Row]]:
        """Ask several things at the same time and return the rows of each, in order."""
        return self.start(asks)()

    def index_vectors(self, name: str) -> None:
        """Give a table of vectors its index, unless it has one; others read and write meanwhile."""
        from lancedb.index import IvfRq

        table = self.table(name)
        if not self._guard(table.list_indices):
            self._retry(lambda: table.create_index("vector", config=IvfRq(distance_type="cosine")))

    def upsert(self, name: str, rows: Sequence[Row], key: str | None = None, schema: pa.Schema | None = None) -> None:
        """Write rows, replacing those with the same key; safe beside another writer."""
        if not rows:
            return
        import pyarrow as pa

        table = self.table(name, schema)
        batch = pa.Table.from_pylist(list(rows), schema=table.schema)

        def merge() -> None:
            merge = table.merge_insert(key or KEYS[name])
            merge.when_matched_update_all().when_not_matched_insert_all().execute(batch)

        with self._lock:
            self._retry(merge)
            self._writes += 1
            self._rows_written += len(rows)

    def delete(self, name: str, where: str) -> None:
        """Delete the rows a filter names."""
        with self._lock:
            self._retry(lambda: self.table(name).delete(where))
            self._writes += 1

    def replace(self, name: str, data: pa.Table) -> int:
        """Write a whole data table as a new version and return that version's number."""
        with self._lock:
            if self.has(name):
                # a plain overwrite keeps the versions before it, which answers may have cited
                self._retry(lambda: self._db.create_table(name, data, mode="overwrite"))
                self._tables.pop(name, None)
            else:
                self._retry(lambda: self._db.create_table(name, data, exist_ok=True))
            return int(self.table(name).version)

    def frozen(self, name: str) -> Any:
        """Return a new handle that stays at the newest version, so that several reads agree with each other."""
        table = self._guard(lambda: self._db.open_table(name))
        table.checkout(table.version)
        return table

    def drop(self, name: str) -> None:
        """Remove a table and its versions."""
        with self._lock:
            self._tables.pop(name, None)
            self._retry(lambda: self._db.drop_table(name, ignore_missing=True))

    @property
    def untidy(self) -> bool:
        """Whether enough was written since the last tidying that searches begin to slow down."""
        return self._writes >= TIDY_WRITES or self._rows_written >= TIDY_ROWS

    def tidy(self, older_than: timedelta | None = None, names: Sequence[str] | None = None) -> None:
        """Join small files, bring the indexes up to date and drop versions older than given (None: a week).

        ``names`` None means the library's own tables: a user's is written whole, and its versions may be cited.
        """
        with self._lock:
            self._writes = self._rows_written = 0
        for name in names if names is not None else [n for n in self.names() if not n.startswith(DATA)]:
            self._retry(lambda name=name: self.table(name).optimize(cleanup_older_than=older_than))  # type: ignore[misc]

    def names(self) -> list[str]:
        """Return the names of all tables."""
        out: list[str] = []
        token = None
        while True:
            page = self._guard(lambda token=token: self._db.list_tables(page_token=token))  # type: ignore[misc]
            out += page.tables
            token = page.page_token
            if not token:
                return out

    def size(self) -> int:
        """Return the bytes the library takes on this machine's disk; 0 where it lives elsewhere."""
        if self.folder is None:
            return 0
        return sum(f.stat().st_size for f in self.folder.rglob("*") if f.is_file())

    def _guard(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except FOREIGN as error:
            raise LibraryError(f"The library could not be read: {_first_line(error)}") from error

    def _retry(self, write: Callable[[], Any]) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                return write()
            except FOREIGN as error:  # only the message tells a conflict from a fault
                if attempt + 1 == _ATTEMPTS or not any(w in str(error).casefold() for w in _CONFLICT):
                    raise LibraryError(f"The library could not be written: {_first_line(error)}") from error
                time.sleep(random.uniform(0.01, 0.05) * 2 ** min(attempt, 5))
        return None


def matching(rows: pa.Table, where: str, column: str) -> pa.Array:
    """Return one column of those rows for which a filter holds; they are kept in memory and nowhere else."""
    import lancedb

    table = lancedb.connect("memory://").create_table("rows", rows)
    found = table.search().where(where).select([column]).limit(len(rows)).to_arrow()
    return found.column(column).combine_chunks()


def orderings(pairs: Iterable[tuple[str, bool]]) -> list[Any]:
    """Return Lance's form of an ordering; each pair is a column and whether it goes downwards. Nulls come last."""
    from lancedb.query import ColumnOrdering

    return [ColumnOrdering(column_name=c, ascending=not down, nulls_first=False) for c, down in pairs]


def _first_line(error: BaseException) -> str:
    """Lance's messages end in the path of a source file of its own, which helps nobody here."""
    text = re.split(r",? ?\S*\.rs:\d+|, /|\n", str(error))[0]
    return text[:400]
