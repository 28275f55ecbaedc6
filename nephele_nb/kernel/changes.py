"""What one run changed in a namespace and in files, and how to put it back; it never overwrites what changed since."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .filewatch import ABSENT, FILE, FOLDER, KEEP_BYTES, State, look
from .forms import Form, failure

MISSING: Any = object()
SINCE = "it was changed since"


@dataclass(slots=True)
class NameChange:
    """A name that was bound, bound anew or deleted; MISSING where there was none."""

    name: str
    before: Any
    after: Any


@dataclass(slots=True)
class ContentChange:
    """A value that was changed in place: what it held, and what tells whether it has changed again."""

    label: str
    value: Any
    form: Form
    kept: Any
    mark: Any


@dataclass(slots=True)
class FileChange:
    """A file or folder that was made, written, moved or removed."""

    path: str
    before: State
    after: State


@dataclass(slots=True)
class Changes:
    """All that one run changed. ``beyond`` is what can't be put back, each with the reason."""

    names: list[NameChange] = field(default_factory=list)
    contents: list[ContentChange] = field(default_factory=list)
    files: list[FileChange] = field(default_factory=list)
    folders_moved: list[tuple[str, str]] = field(default_factory=list)
    beyond: list[tuple[str, str]] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether there is anything to put back."""
        return bool(self.names or self.contents or self.files or self.folders_moved)

    def held(self) -> list[Any]:
        """The values that are kept alive for it."""
        return [c.before for c in self.names if c.before is not MISSING]


@dataclass(slots=True)
class PutBack:
    """How putting back went: what is as it was, what is not and why, and the changes that this was in turn."""

    restored: list[str]
    left: list[tuple[str, str]]
    changes: Changes


def put_back(changes: Changes, namespace: dict[str, Any]) -> PutBack:
    """Put back all that is still as the run left it, and say what is not. Call it where the code runs."""
    done = PutBack([], list(changes.beyond), Changes())
    _put_contents(changes.contents, done)
    for name in changes.names:
        _attempt(done, name.name, lambda n=name: _put_name(n, namespace, done.changes))  # type: ignore[misc]
    for source, target in reversed(changes.folders_moved):
        _attempt(done, source, lambda s=source, t=target: _move_folder(s, t, done.changes))  # type: ignore[misc]
    for file in _in_order(changes.files):
        _attempt(done, file.path, lambda f=file: _put_file(f, done.changes))  # type: ignore[misc]
    done.restored = list(dict.fromkeys(done.restored))
    return done


def _attempt(done: PutBack, label: str, put: Callable[[], str]) -> None:
    """Put one thing back; one that fails leaves the others their turn."""
    said: list[str] = []
    if reason := failure(lambda: said.append(put())) or said[0]:
        done.left.append((label, reason))
    else:
        done.restored.append(label)


def _put_contents(contents: list[ContentChange], done: PutBack) -> None:
    """Look at all before any is put back: arrays may share memory, and so change each other."""
    ready: list[tuple[ContentChange, Any]] = []
    for content in contents:

        def look_at_it(c: ContentChange = content) -> None:
            if c.form.unchanged(c.value, c.mark):
                ready.append((c, c.form.copy(c.value)))

        reason = failure(look_at_it)
        if reason or not any(c is content for c, _ in ready[-1:]):
            done.left.append((content.label, reason or SINCE))
    for content, _ in ready:
        _attempt(done, content.label, lambda c=content: c.form.put(c.value, c.kept) or "")  # type: ignore[misc]
    for content, now in ready:
        changed = ContentChange(content.label, content.value, content.form, now, content.form.marked(content.value))
        done.changes.contents.append(changed)


def _put_name(change: NameChange, namespace: dict[str, Any], back: Changes) -> str:
    if namespace.get(change.name, MISSING) is not change.after:
        return SINCE
    if change.before is MISSING:
        namespace.pop(change.name, None)
    else:
        namespace[change.name] = change.before
    back.names.append(NameChange(change.name, change.after, change.before))
    return ""


def _in_order(files: list[FileChange]) -> Iterable[FileChange]:
    """Folders that must come back first, then files, then folders that must go, the deepest first."""
    back = [f for f in files if f.before.kind == FOLDER]
    gone = [f for f in files if f.after.kind == FOLDER and f.before.kind == ABSENT]
    middle = [f for f in files if f not in back and f not in gone]
    return [*sorted(back, key=lambda f: f.path), *middle, *sorted(gone, key=lambda f: f.path, reverse=True)]


def _put_file(change: FileChange, back: Changes) -> str:
    now = look(change.path, KEEP_BYTES)
    if not now.same(change.after) or (now.kind == FILE and now.modified != change.after.modified):
        return SINCE
    if change.before.kind == FILE and change.before.content is None:
        return f"it was too large to keep a copy of ({change.before.size >> 20} MB)"
    path = Path(change.path)
    if change.before.kind == ABSENT:
        if now.kind == FOLDER and any(path.iterdir()):
            return "something else lies in it now"
        path.rmdir() if now.kind == FOLDER else path.unlink()
    elif change.before.kind == FOLDER:
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(change.before.content or b"")
        with suppress(OSError):
            path.chmod(change.before.mode)
    back.files.append(FileChange(change.path, now, look(change.path, KEEP_BYTES)))
    return ""


def _move_folder(source: str, target: str, back: Changes) -> str:
    if os.path.lexists(source) or not Path(target).is_dir():
        return SINCE
    shutil.move(target, source)
    back.folders_moved.append((target, source))
    return ""
