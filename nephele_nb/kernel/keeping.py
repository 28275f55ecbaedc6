"""Goes around one run: keeps what it may change, and finds out afterwards what it did change; it never undoes."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from .changes import MISSING, Changes, ContentChange, FileChange, NameChange
from .effects import Effects
from .filewatch import KEEP_BYTES, Watch, begin, end, look
from .forms import ATOMS, failure
from .interrupt import CURRENT
from .namespace import type_name
from .seen import Seen
from .snapshot import Content, Snapshot, Taking, form_of, lost, progress, visible

_CELLS = re.compile(r"\.i?(loc|at)\b")
_CODE = re.compile(r"[(\[{]|^[A-Za-z_]\w*$")
_PATHLIKE = re.compile(r"[^\0\n]{1,4000}")


class Keeping:
    """One run's keeping; ``changes`` stands once ``around`` has been left.

    ``stale`` names what the code reads and the user has changed since the agent last looked.
    """

    def __init__(self, code: str, effects: Effects, seen: Seen | None = None) -> None:
        self.stale: list[str] = []
        self._seen = seen or Seen()
        self.changes = Changes()
        self.under_way = False
        self._code = code
        self.effects = effects

    @contextmanager
    def around(self, namespace: MutableMapping[str, Any], hidden: Mapping[str, Any]) -> Iterator[None]:
        """Hold for the length of the code, on the thread that runs it and in the run's own context."""
        self.under_way = True
        effects = self.effects
        names = dict(visible(namespace, hidden))
        taking = Taking(names, effects.changes, writes_cells=_CELLS.search(self._code) is not None)
        before = taking.take((*effects.changes, *effects.reads, *effects.writes))
        databases = _databases(names)
        self.stale = self._seen.stale((*effects.reads, *effects.changes), namespace)
        run, watch = CURRENT.get(), Watch()
        if run is not None:
            begin(run, watch, [f for f in effects.files_written if _PATHLIKE.fullmatch(f)])
        try:
            yield
        finally:
            if run is not None:
                end(run)
            self._compare(before, namespace, dict(visible(namespace, hidden)), databases)
            self._compare_files(watch)
            self._seen.look((*effects.reads, *effects.changes, *effects.writes, *effects.deletes), namespace)
            self.under_way = False

    def _compare(
        self,
        before: Snapshot,
        namespace: MutableMapping[str, Any],
        now: dict[str, Any],
        databases: dict[str, tuple[Any, int]],
    ) -> None:
        changes = self.changes
        for name in dict.fromkeys((*before.names, *now)):
            was, became = before.names.get(name, MISSING), now.get(name, MISSING)
            if was is not became:
                changes.names.append(NameChange(name, was, became))
        for content in before.contents:
            self._compare_content(content)
        for label, value, step in before.under_way:
            if progress(value) != step:
                changes.beyond.append((label, lost(value)))
        for name, (connection, count) in databases.items():
            if _written(connection) != count:
                changes.beyond.append((name, "what was written to a database can't be taken back"))
        for name in self.effects.changes:
            self._compare_unkept(name, before)

    def _compare_content(self, content: Content) -> None:
        value, form, kept = content.value, content.form, content.kept

        def look_at_it() -> None:
            if not form.same(value, kept):
                changed = ContentChange(content.label, value, form, kept, form.marked(value))
                self.changes.contents.append(changed)

        if reason := failure(look_at_it):
            self.changes.beyond.append((content.label, f"it can't be looked at ({reason})"))

    def _compare_unkept(self, name: str, before: Snapshot) -> None:
        """Name what the code was to change in place and whose former state could not be kept."""
        if name in before.cut:
            self.changes.beyond.append((name, before.cut[name]))
            return
        value = before.names.get(name, MISSING)
        known = {label for label, _ in self.changes.beyond}
        if value is MISSING or name in known or any(c.label == name for c in self.changes.contents):
            return
        kind = type(value)
        if kind in ATOMS or kind in (tuple, frozenset) or kind is types.FunctionType:
            return
        if form_of(value) is None and not issubclass(kind, type):
            noun = _a(type_name(value).rpartition(".")[2])
            self.changes.beyond.append((name, f"the former state of {noun} can't be kept"))

    def _compare_files(self, watch: Watch) -> None:
        changes = self.changes
        moved = {path for pair in watch.moved_folders for path in pair}
        for path, was in watch.before.items():
            if path in moved:
                continue
            is_now = look(path, KEEP_BYTES)
            if not was.same(is_now):
                changes.files.append(FileChange(path, was, replace(is_now, content=None)))
        changes.folders_moved += watch.moved_folders
        if not (changes.files or changes.folders_moved):
            # A library that writes without Python, to a path that only the run itself knew, is seen by nobody.
            unseen = [what for what in self.effects.files_written if _CODE.search(what)]
            changes.beyond += [(what, "a file may have been written that could not be followed") for what in unseen]
        changes.beyond += [(f"a request to {where}", "what was sent can't be called back") for where in watch.sent]
        changes.beyond += [(command, "a process that was started can't be undone") for command in watch.started]


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _databases(names: Mapping[str, Any]) -> dict[str, tuple[Any, int]]:
    sqlite = sys.modules.get("sqlite3")
    if sqlite is None:
        return {}
    return {n: (v, _written(v)) for n, v in names.items() if type(v) is sqlite.Connection}


def _written(connection: Any) -> int:
    """Return how many rows were written so far; -1 where the connection is closed or another thread's."""
    with suppress(Exception):
        return int(connection.total_changes)
    return -1
