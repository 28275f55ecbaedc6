"""Keeps the files of a library few: joins those of small writes, brings indexes up to date and drops old versions.

It changes no row, and it says of no row whether it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .guard import Guard
from .indices import index_lookup
from .literals import any_of
from .schema import EDGES, KEYS, LOOKUPS, NOTES, PASSAGES, VECTORS
from .upkeep import Upkeep

if TYPE_CHECKING:
    import pyarrow as pa

    from .store import Store

KEEP_VERSIONS = timedelta(minutes=5)
"""How long the background keeps versions of the library's own tables; each small write makes one, of several files."""

MANY_VERSIONS = 1_000
KEEP_MANY = timedelta(seconds=15)
"""How long it keeps them where there are many, because each write and each read has to list them."""

MANY_FILES = 64

LOOKUP_FROM = 5_000
"""Below this many rows reading a whole column is as quick as looking up an index."""

FOLDED = (NOTES, PASSAGES, EDGES)
LITTLE = 1 << 16
"""Rows of at most so many bytes are folded; these tables are written only by who holds the pen."""


class Files:
    """The files of one library's tables. Safe from several threads."""

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store, self._guard = store, guard
        self._upkeep = Upkeep()

    def opened(self, table: Any) -> None:
        """Look whether a table that was just opened lacks an index, or lies in the files of many short processes."""
        if self._lookups(table) or (_own(table.name) and self._guard.read(lambda: _pieces(table)) > MANY_FILES):
            self._upkeep.wants(table.name)

    def wrote(self, name: str, rows: pa.Table | None = None) -> None:
        """Count one write of these rows; None where rows were deleted."""
        if rows is None:
            self._upkeep.wrote(name, 0)
        elif self._store.pen.mine and name in FOLDED and rows.nbytes <= LITTLE:
            self._upkeep.wrote_little(name, rows.column(KEYS[name]).to_pylist())
        else:
            self._upkeep.wrote(name, len(rows))

    def fold(self) -> None:
        """Join the files of small writes, for one who holds the pen: nobody else may change these rows meanwhile."""
        for name in FOLDED if self._store.pen.mine else ():
            if keys := self._upkeep.ripe(name):
                table, key = self._store.table(name), KEYS[name]
                rows = self._store.columns(name, table.schema.names, any_of(key, keys))
                merge = table.merge_insert(key).when_matched_update_all()
                self._guard.write(lambda merge=merge, rows=rows: merge.execute(rows))  # type: ignore[misc]
                self._upkeep.folded(name, rows.column(key).to_pylist())

    @property
    def untidy(self) -> bool:
        """Whether enough was written since the last tidying that searches begin to slow down."""
        return bool(self._upkeep.due(self._store.count))

    def tidy_due(self) -> None:
        """Tidy the tables that need it."""
        for name in self._upkeep.due(self._store.count):
            self.tidy(KEEP_MANY if self._versions(name) > MANY_VERSIONS else KEEP_VERSIONS, [name])

    def tidy(self, older_than: timedelta | None = None, names: Sequence[str] | None = None) -> None:
        """Join all small files, bring the indexes up to date and drop versions older than given (None: a week).

        ``names`` None means the library's own tables: a user's is written whole, and its versions may be cited.
        """
        for name in filter(_own, self._store.names()) if names is None else names:
            table = self._store.table(name)
            self._guard.write(lambda table=table: self._optimize(table, older_than))  # type: ignore[misc]
            for column in self._lookups(table):
                self._guard.write(lambda table=table, column=column: index_lookup(table, column))  # type: ignore[misc]

    def _optimize(self, table: Any, older_than: timedelta | None) -> None:
        self._upkeep.tidied(table.name)  # what is being joined here must not be folded meanwhile
        table.optimize(cleanup_older_than=older_than)

    def _versions(self, name: str) -> int:
        """How many versions of a table lie on this machine's disk; 0 where it lives elsewhere."""
        folder = self._store.folder
        return sum(1 for _ in (folder / f"{name}.lance" / "_versions").iterdir()) if folder is not None else 0

    def _lookups(self, table: Any) -> list[str]:
        """The columns of a table that are worth an index and have none yet."""
        wanted = LOOKUPS.get(table.name.partition("_")[0], ())
        if not wanted or self._guard.read(table.count_rows) < LOOKUP_FROM:
            return []
        held = {column for index in self._guard.read(table.list_indices) for column in index.columns}
        return [column for column in wanted if column not in held]


def _own(name: str) -> bool:
    return name in KEYS or name.startswith(VECTORS)


def _pieces(table: Any) -> int:
    return int(table.stats()["fragment_stats"]["num_fragments"])
