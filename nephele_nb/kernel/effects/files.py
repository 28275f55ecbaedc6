"""Which files, hosts and commands a call names; it never opens one."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from .catalogue import SQL_FILES, SQL_WRITES, URL
from .magics import shell
from .report import Found
from .values import Value

_PATH_WORDS = (
    "path", "filepath_or_buffer", "path_or_buf", "path_or_buffer", "filepath", "filename", "fname", "file", "fp", "dst",
    "src", "io", "excel_writer", "url", "source", "where", "buf", "out",
)  # fmt: skip
_LONGEST = 80


def brief(node: ast.AST) -> str:
    """Return code on one short line."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def receiver(call: ast.Call) -> str:
    """Return what a method is called on, as the code has it."""
    return brief(call.func.value if isinstance(call.func, ast.Attribute) else call.func)


def named(
    call: ast.Call, args: Sequence[Value], words: Mapping[str, Value], position: int = 0
) -> tuple[str, Value | None]:
    """Return the path or address a call names, as text, and what is known of it."""
    if len(args) > position:
        value = args[position]
        return value.text if value.text is not None else brief(call.args[position]), value
    for word in _PATH_WORDS:
        if word in words:
            node = next(k.value for k in call.keywords if k.arg == word)
            return words[word].text or brief(node), words[word]
    return "", None


def reads(found: Found, where: str, value: Value | None) -> None:
    """Note a file that is read, or the network where it is an address; a buffer is neither."""
    if value is not None and value.kind == "buffer":
        return
    found.add("network" if URL.match(where) else "files_read", where)


def writes(found: Found, where: str, value: Value | None) -> None:
    """Note a file that is written, or the network where it is an address; a buffer is changed."""
    if value is not None and value.kind == "buffer":
        for root in value.roots:
            found.add("changes", root)
        return
    found.add("network" if URL.match(where) else "files_written", where)


def opens(found: Found, where: str, value: Value | None, mode: Value | None, default: str = "r") -> None:
    """Note a file that is opened, by its mode; with a mode that can't be told it is taken for both."""
    text = default if mode is None else mode.text
    if text is None or any(letter in text for letter in "wax+"):
        writes(found, where, value)
    if text is None or "r" in text or "+" in text:
        reads(found, where, value)


def command(found: Found, call: ast.Call, args: Sequence[Value]) -> None:
    """Note a process that is started, with the command line where the code has it."""
    words = _words(call.args[0]) if call.args else []
    if args and args[0].text is not None:
        words = [args[0].text]
    shell(found, " ".join(words) if words else brief(call))


def _words(node: ast.expr) -> list[str]:
    if isinstance(node, ast.List | ast.Tuple):
        return [e.value if isinstance(e, ast.Constant) and isinstance(e.value, str) else brief(e) for e in node.elts]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)]
    return []


def query(found: Found, sql: str | None, where: str, roots: Sequence[str], code: str) -> None:
    """Note what a query does to a database named ``where`` (empty: one in memory) that the names ``roots`` hold."""
    if sql is None:
        found.add("unknown", code)
        return
    for match in SQL_FILES.finditer(sql):
        source, scanned, target = match.groups()
        if target:
            found.add("files_written", target)
        else:
            reads(found, source or scanned, None)
    if not SQL_WRITES.search(sql):
        return
    for root in roots:
        found.add("changes", root)
    if where:
        found.add("files_written", where)
