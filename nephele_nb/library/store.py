"""The only door to LanceDB: opens, reads and writes tables; it knows no note and no query language but Lance's.

Handles stay open (re-opening costs 60 ms and more) and read the newest version; a write that meets another
process's commit is tried again. Safe to use from several threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LibraryError
from .engine import lancedb, session
from .faults import FOREIGN, absent, in_words
from .files import Files
from .guard import Guard
from .indices import index_vectors, index_words
from .literals import any_of, literal, none_of, orderings, quoted
from .pen import Pen
from .reader import Ask, Reader, Row
from .schema import KEYS, PASSAGES, schema_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FOREIGN", "Ask", "Row", "Store", "any_of", "literal", "none_of", "orderings", "quoted"]

MOST_APPENDED = 1_000


class _Missing(LibraryError):
    """There is no such table."""


class Store:
    """One library's LanceDB. Raises LibraryError, chained from Lance's own, for whatever goes wrong inside it."""

    def __init__(self, uri: str) -> None:
        self.folder = None if "://" in uri else Path(uri).expanduser().resolve()
        self._tables: dict[str, Any] = {}
        self._handles, self._writing = threading.RLock(), threading.RLock()
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            self._where = str(self.folder) if self.folder is not None else uri
            now = timedelta(0)
            self._db: Any = lancedb().connect(self._where, read_consistency_interval=now, session=session())
        except FOREIGN as error:
            raise LibraryError(f"The library at {uri} can't be opened: {error}. Check the path.") from error
        self._reader, self._guard = Reader(self._where), Guard(self._where)
        self.pen = Pen(self.folder)
        self.files = Files(self, self._guard)

    def table(self, name: str, schema: pa.Schema | None = None) -> Any:
        """Return the open handle of a table, making it if it isn't there and its shape is known."""
        with self._handles:
            if name not in self._tables:
                self._tables[name] = self._open(name, schema)
            return self._tables[name]

    def _open(self, name: str, schema: pa.Schema | None) -> Any:
        try:
            with in_words(f"The library's table {name} can't be opened", self._where):
                table = self._db.open_table(name)
        except LibraryError as error:
            if not absent(error):
                raise
            if schema is None and name not in KEYS:
                raise _Missing(f"The library has no table {name}.") from error
            return self._create(name, schema if schema is not None else schema_of(name))
        self.files.opened(table)
        return table

    def _create(self, name: str, shape: pa.Schema) -> Any:
        try:
            with in_words(f"The library's table {name} can't be made", self._where):
                table = self._db.create_table(name, schema=shape)
        except LibraryError:  # another process may have made it between the two calls; if not, opening says why
            return self._guard.read(lambda: self._db.open_table(name))
        if name == PASSAGES:
            self._guard.write(lambda: index_words(table))
        return table

    def has(self, name: str) -> bool:
        """Say whether a table exists."""
        try:
            self.table(name)
        except _Missing:
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
        return self.ask(Ask(name, tuple(columns), where, limit, newest))[0]

    def count(self, name: str, where: str | None = None) -> int:
        """Count the rows of a table."""
        return int(self._guard.read(lambda: self.table(name).count_rows(where)))

    def version(self, name: str) -> int:
        """Return the number of a table's newest version."""
        return int(self._guard.read(lambda: self.table(name).version))

    def written(self, name: str) -> float:
        """Return when a table was last written, in Unix seconds."""
        return float(self._guard.read(self.table(name).list_versions)[-1]["timestamp"].timestamp())

    def start(self, asks: Sequence[Ask]) -> Callable[[], list[list[Row]]]:
        """Ask several things at the same time; what is returned waits for the rows of each, in order."""
        for ask in asks:
            self.table(ask.table)
        future = self._reader.start(asks)
        return lambda: self._guard.read(future.result)

    def ask(self, *asks: Ask) -> list[list[Row]]:
        """Ask several things at the same time and return the rows of each, in order."""
        return self.start(asks)()

    def columns(self, name: str, columns: Sequence[str], where: str | None = None) -> pa.Table:
        """Return columns of a table as Arrow holds them; for what is too much to be made into dicts."""
        query = self.table(name).search().select(list(columns))
        found: pa.Table = self._guard.read((query.where(where) if where else query).to_arrow)
        return found

    def index_vectors(self, name: str) -> None:
        """Give a table of vectors its index, unless it has one; others read and write meanwhile."""
        table = self.table(name)
        if not any("vector" in index.columns for index in self._guard.read(table.list_indices)):
            self._guard.write(lambda: index_vectors(table))

    def upsert(
        self, name: str, rows: Sequence[Row], key: str | None = None, schema: pa.Schema | None = None, new: bool = False
    ) -> None:
        """Write rows, replacing those with the same key; safe beside another writer.

        ``new`` says that none of these keys is there, which only a holder of the pen can know.
        """
        if not rows:
            return
        import pyarrow as pa

        table, key = self.table(name, schema), key or KEYS[name]
        batch = pa.Table.from_pylist(list(rows), schema=table.schema)

        def write() -> None:
            if self._all_new(name, key, rows, new):
                table.add(batch)
                return
            merge = table.merge_insert(key)
            merge.when_matched_update_all().when_not_matched_insert_all().execute(batch)

        with self._writing:
            self._guard.write(write)
        self.files.wrote(name, batch)

    def _all_new(self, name: str, key: str, rows: Sequence[Row], said: bool) -> bool:
        """Whether these rows may be appended, which is several times cheaper: none is there and nobody else writes."""
        keys = {row[key] for row in rows}
        if not self.pen.mine or len(keys) < len(rows):
            return False
        return said or (len(keys) <= MOST_APPENDED and not self.count(name, any_of(key, keys)))

    def delete(self, name: str, where: str) -> None:
        """Delete the rows a filter names."""
        if self.count(name, where):
            with self._writing:
                self._guard.write(lambda: self.table(name).delete(where))
            self.files.wrote(name)

    def replace(self, name: str, data: pa.Table) -> int:
        """Write a whole data table as a new version and return that version's number."""
        with self._writing:
            if self.has(name):
                # a plain overwrite keeps the versions before it, which answers may have cited
                self._guard.write(lambda: self._db.create_table(name, data, mode="overwrite"))
                self._forget(name)
            else:
                self._guard.write(lambda: self._db.create_table(name, data, exist_ok=True))
            return self.version(name)

    def frozen(self, name: str) -> Any:
        """Return a new handle that stays at the newest version, so that several reads agree with each other."""

        def at_newest() -> Any:
            table = self._db.open_table(name)
            table.checkout(table.version)
            return table

        return self._guard.read(at_newest)

    def drop(self, name: str) -> None:
        """Remove a table and its versions."""
        with self._writing:
            self._forget(name)
            self._guard.write(lambda: self._db.drop_table(name, ignore_missing=True))

    def _forget(self, name: str) -> None:
        with self._handles:
            self._tables.pop(name, None)
            self._reader.forget(name)

    def names(self) -> list[str]:
        """Return the names of all tables."""
        out: list[str] = []
        token = None
        while True:
            page = self._guard.read(lambda token=token: self._db.list_tables(page_token=token))  # type: ignore[misc]
            out += page.tables
            token = page.page_token
            if not token:
                return out

    def size(self) -> int:
        """Return the bytes the library takes on this machine's disk; 0 where it lives elsewhere."""
        if self.folder is None:
            return 0
        return sum(f.stat().st_size for f in self.folder.rglob("*") if f.is_file())


def matching(rows: pa.Table, where: str, column: str) -> pa.Array:
    """Return one column of those rows for which a filter holds; they are kept in memory and nowhere else."""
    table = lancedb().connect("memory://").create_table("rows", rows)
    found = table.search().where(where).select([column]).limit(len(rows)).to_arrow()
    return found.column(column).combine_chunks()
