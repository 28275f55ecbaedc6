"""Whose data an in-place change reaches; it never decides what a change is."""

from __future__ import annotations

from collections.abc import Mapping

from .report import Found
from .values import ABSENT, Value


def change(found: Found, value: Value) -> None:
    """Note that a value is changed in place: under the names that may hold it, or where its module keeps it."""
    if value.roots:
        for root in sorted(value.roots):
            found.add("changes", root)
    elif value.dotted and value.kind != "namespace":
        found.add("changes", value.dotted)


def change_by_words(found: Found, receiver: Value | None, words: Mapping[str, Value]) -> bool:
    """Note what ``inplace=True``, ``out=`` and ``file=`` change; True where the receiver is changed."""
    inplace = words.get("inplace")
    if "out" in words and words["out"].kind in ("array", "", "frame"):
        change(found, words["out"])
    if "file" in words and words["file"].kind in ("file", "buffer"):
        change(found, words["file"])
        if words["file"].kind == "file":
            found.add("files_written", words["file"].text or ", ".join(sorted(words["file"].roots)))
    if (
        inplace is None
        or receiver is None
        or inplace.live is False
        or (inplace.live is not ABSENT and not inplace.live)
    ):
        return False
    change(found, receiver)
    return True
