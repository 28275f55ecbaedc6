"""What a method call does by the kind of its receiver; what has no known kind and no telling name is unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from . import files
from .attributes import Walk
from .catalogue import NEEDS_PATH, READER, WRITER
from .changes import change, change_by_words
from .methods import (
    ANY_CHANGING,
    CALLING,
    CHANGING,
    FRESH_KINDS,
    PATH_READS,
    PATH_WRITES,
    PURE_ON_ANY,
    SESSION_CALLS,
    SHARING_METHODS,
)  # fmt: skip
from .values import FIXED, LIBRARY, Value

_QUERIES = {"execute", "executemany", "executescript", "sql", "query", "from_query"}
_READING = {"read", "readline", "readlines", "readinto"}


def method(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> Value:
    """Note what ``base.attr(…)`` does and return what is known of its result."""
    changed = change_by_words(walk.found, base, words)
    if base.kind == "namespace":
        _on_namespace(walk, attr, args)
    elif (judge := _JUDGES.get(base.kind)) is not None:
        judge(walk, base, attr, node, args, words)
    elif attr in CHANGING.get(base.kind, ()):
        change(walk.found, base)
    elif base.kind in ("", "dynamic", "instance") and not changed:
        _on_unknown(walk, base, attr, node, args, words)
    if attr in CALLING and any(v.kind in ("", "dynamic") for v in args[:1]):
        walk.found.add("unknown", files.brief(node.args[0]))
    for value in (*args, *words.values()):
        if value.kind == "iterator" and attr in ("extend", "update", "join", "extendleft"):
            change(walk.found, value)
        if value.kind == "callable" and (value.node is not None or value.live is not None):
            _enter(walk, value, base, args)
    return _result(base, attr, args)


def _enter(walk: Walk, value: Value, base: Value, args: Sequence[Value]) -> None:
    if value.node is not None or value.dotted.startswith("__main__."):
        part = Value().of(base, *args)
        walk.enter(value, [part] * 4, {}, value.dotted or "lambda")


def _result(base: Value, attr: str, args: Sequence[Value]) -> Value:
    if base.kind in FRESH_KINDS:
        text = base.text
        if base.kind == "path":
            joined = f"{text}/{args[0].text}" if attr == "joinpath" and args and text and args[0].text else None
            return Value(
                "path" if attr in ("joinpath", "resolve", "with_suffix", "absolute", "expanduser") else "", text=joined
            )
        return Value(base.kind if base.kind == "frame" else FIXED)
    if base.kind == "session":
        return Value(LIBRARY)
    kind = base.kind if base.kind in ("array", LIBRARY, "database") else ""
    if attr == "copy" and base.kind in ("list", "dict", "set"):
        return Value(base.kind).holding(base)
    if base.kind == "array" and attr not in SHARING_METHODS:
        return Value("array")
    if base.kind == "" and attr in PURE_ON_ANY and attr not in SHARING_METHODS:
        return Value()
    return Value(kind, base.all_roots, text=base.text if kind == "database" else None)


def _on_namespace(walk: Walk, attr: str, args: Sequence[Value]) -> None:
    key = args[0].text if args else None
    if attr == "pop" and key is not None:
        walk.found.add("deletes", key)
    elif attr == "setdefault" and key is not None:
        walk.found.add("writes", key)
    elif attr in ("update", "pop", "popitem", "clear", "setdefault", "__setitem__"):
        walk.found.add("unknown", f"globals().{attr}")


def _on_path(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    where = base.text or files.receiver(node)
    if attr == "open":
        files.opens(walk.found, where, None, words.get("mode") or (args[0] if args else None))
    elif attr in PATH_WRITES:
        files.writes(walk.found, where, None)
        if attr in ("rename", "replace", "copy", "move") and args:
            files.writes(walk.found, args[0].text or files.brief(node.args[0]), None)
    elif attr in PATH_READS:
        files.reads(walk.found, where, None)


def _on_file(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    where = base.text or ", ".join(sorted(base.roots))
    if attr in CHANGING["file"]:
        change(walk.found, base)
    if attr.startswith(("write", "truncate")):
        walk.found.add("files_written", where)
    elif attr in _READING:
        walk.found.add("files_read", where)


def _on_session(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    if attr in ("close", "mount", "settimeout", "bind", "setsockopt"):
        change(walk.found, base)
        return
    where, _ = files.named(node, args, words)
    walk.found.add("network", where or files.brief(node.func))


def _on_database(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    if attr in _QUERIES:
        sql = args[0].text if args else None
        files.query(walk.found, sql, base.text or "", sorted(base.roots), files.brief(node))
    elif attr in CHANGING["database"]:
        change(walk.found, base)


def _on_archive(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    if attr in ("extract", "extractall"):
        walk.found.add("files_written", files.named(node, args, words)[0] or files.brief(node))
    elif attr in ("write", "add", "writestr", "mkdir", "addfile"):
        walk.found.add("files_written", files.brief(node.func))
        if attr in ("write", "add"):
            files.reads(walk.found, files.named(node, args, words)[0], None)


def _on_generator(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    change(walk.found, base)
    if attr == "shuffle" and args:
        change(walk.found, args[0])


def _on_iterator(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    change(walk.found, base)


def _on_library(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    where, value = files.named(node, args, words)
    if attr in CHANGING[base.kind] or (base.kind == LIBRARY and attr.startswith("set_")):
        change(walk.found, base)
    elif WRITER.search(attr) and not (NEEDS_PATH.search(attr) and not where):
        files.writes(walk.found, where or files.brief(node.func), value)
        if attr == "to_sql" and (con := words.get("con") or (args[1] if len(args) > 1 else None)) is not None:
            change(walk.found, con)
    elif base.kind == "array" and attr == "tofile":
        files.writes(walk.found, where, value)


def _on_unknown(
    walk: Walk, base: Value, attr: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    where, value = files.named(node, args, words)
    if attr in ANY_CHANGING:
        change(walk.found, base)
    elif attr in PATH_WRITES and attr not in ("replace", "copy", "rename"):
        files.writes(walk.found, files.receiver(node), None)
    elif attr in ("read_text", "read_bytes", "iterdir"):
        files.reads(walk.found, files.receiver(node), None)
    elif WRITER.search(attr) and not (NEEDS_PATH.search(attr) and not where):
        files.writes(walk.found, where or files.brief(node.func), value)
    elif attr in PURE_ON_ANY:
        return
    else:
        if attr in SESSION_CALLS and where.startswith(("http:", "https:")):
            walk.found.add("network", where)
        if READER.match(attr) and where:
            files.reads(walk.found, where, value)
        walk.found.add("unknown", files.brief(node.func))


_Judge = Callable[[Walk, Value, str, ast.Call, Sequence[Value], Mapping[str, Value]], None]
_JUDGES: dict[str, _Judge] = {
    "path": _on_path,
    "file": _on_file,
    "session": _on_session,
    "database": _on_database,
    "archive": _on_archive,
    "generator": _on_generator,
    "iterator": _on_iterator,
    "frame": _on_library,
    "array": _on_library,
    LIBRARY: _on_library,
}
