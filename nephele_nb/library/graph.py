"""The links between notes, tables and tags, each with the words that prove it; it never guesses a link.

An edge is stored with the label the text uses and is resolved when it is walked (walk.py), so a link to a note that is
written later, renamed or removed is right at every moment.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import unquote

from .draft import Draft
from .schema import EDGES, NOTES, PASSAGES, digest
from .store import Ask, Row, Store, any_of, literal
from .tags import tags_in
from .words import STOP_WORDS, grams, is_cjk, normal, pieces

_FEW_NAMES = 64
_EVIDENCE = 160
_SHORT = 4000
_WIKI = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_LINK = re.compile(r"(?<!!)\[[^\[\]\n]*\]\(<?([^()<>\s]+)>?(?:\s+\"[^\"]*\")?\)")
_CLUSTER = re.compile("(?s:.)[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0670\u3099\u309a\uff9e\uff9f]*")
"""A character with the marks that NFC may join to it."""


class Names:
    """The titles and table names that a text may mention, looked up by how they begin."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._by_start: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            key = row["title_key"]
            first = next(iter(pieces(key)), "")
            if len(key) < (2 if is_cjk(first) else 3) or key in STOP_WORDS:
                continue
            start = grams(first)[0] if is_cjk(first) else first
            kind = "table" if row["kind"] == "table" else "mention"
            self._by_start.setdefault(start, []).append((key, kind))

    def keys(self) -> list[str]:
        """Return the names that can be looked up, each once."""
        return sorted({key for named in self._by_start.values() for key, _ in named})

    def found_in(self, plain: str) -> Iterator[tuple[str, str]]:
        """Yield (title in normal form, kind) of each name that normal text holds as a whole word."""
        starts = {s for piece in pieces(plain) for s in (grams(piece) if is_cjk(piece) else (piece,))}
        for start in sorted(starts & self._by_start.keys()):
            for key, kind in self._by_start[start]:
                if re.search(_whole(key), plain):
                    yield key, kind


class Links(NamedTuple):
    """The links of notes about to be written: their own, the mentions of them in others, and which of them are held."""

    own: list[Row]
    elsewhere: list[Row]
    held: set[str]


def survey(store: Store, drafts: Sequence[Draft]) -> Links:
    """Find the links of these notes. Call before any of their rows change."""
    ids = {d.content_id for d in drafts}
    own = [{"content_id": d.content_id, "kind": d.kind, "title_key": normal(d.title)} for d in drafts]
    # all is asked at once, though what holds a title matters only where the title is new
    rows, holding = store.ask(_possible("\n".join(normal(d.text) for d in drafts), ids), _mentioning(own))
    before = {(row["content_id"], row["title_key"]) for row in rows}
    names = Names([row for row in rows if row["content_id"] not in ids] + own)
    edges = {edge["id"]: edge for draft in drafts for edge in _edges_of(draft, names)}
    fresh = Names(row for row in own if (row["content_id"], row["title_key"]) not in before)
    elsewhere = {e["id"]: e for row in holding if row["content_id"] not in ids for e in _mentions_in(row, fresh)}
    return Links(list(edges.values()), list(elsewhere.values()), ids & {c for c, _ in before})


def relink(store: Store, links: Links) -> None:
    """Write links in place of those that these notes had."""
    store.table(EDGES)  # made with the first note, linked or not: a library without it has lost it
    if links.held:
        store.delete(EDGES, any_of("source", links.held))
    store.upsert(EDGES, links.own, new=True)
    store.upsert(EDGES, links.elsewhere)


def _possible(text: str, ids: set[str]) -> Ask:
    """Ask for the names that a text may mention, and for those that the notes had before."""
    where = None
    if len(text) <= _SHORT:
        # the comparison is left to Lance, so that a small note in a large library costs little
        where = f"contains({literal(text)}, title_key) OR {any_of('content_id', ids)}"
    return Ask(NOTES, ("content_id", "kind", "title_key"), where)


def _mentioning(named: Sequence[Row]) -> Ask:
    """Ask for the passages that may mention one of these names."""
    keys = Names(named).keys()
    where = " OR ".join(f"contains(plain, {literal(key)})" for key in keys) or "1 = 0"
    return Ask(PASSAGES, ("content_id", "text", "plain", "start"), where if len(keys) <= _FEW_NAMES else None)


def count(store: Store) -> int:
    """Count the links whose target is in the library."""
    names = {name for row in store.rows(NOTES, ["names"]) for name in row["names"] or ()}
    labels = (row["label"] for row in store.rows(EDGES, ["label"]))
    return sum(label in names or label.startswith("tag:") for label in labels)


def _edges_of(draft: Draft, names: Names) -> list[Row]:
    text, source = draft.text, draft.content_id
    out = [_edge(source, "wiki", normal(m.group(1)), text, *m.span()) for m in _WIKI.finditer(text)]
    for m in _LINK.finditer(text):
        label = _path_label(unquote(m.group(1)), draft.path)
        if label:
            out.append(_edge(source, "link", label, text, *m.span()))
    out += [_edge(source, "tag", f"tag:{normal(tag.name)}", text, tag.start, tag.end) for tag in tags_in(text)]
    tagged = {edge["label"] for edge in out if edge["kind"] == "tag"}
    front = {f"tag:{normal(t)}" for t in draft.tags} - tagged - {"tag:"}
    out += [_edge(source, "tag", label, text, -1, -1) for label in sorted(front)]
    linked = {edge["label"] for edge in out} | {normal(draft.title)}
    out += [_mention(source, kind, key, text, 0) for key, kind in names.found_in(normal(text)) if key not in linked]
    return out


def _path_label(target: str, path: str) -> str:
    """A link to a file is known by its whole path, a link in a note without a file by the file's name."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:|#|//", target):
        return ""
    target = target.partition("#")[0]
    if path:
        return "path:" + os.path.normpath(PurePath(path).parent / target)
    return normal(PurePath(target).stem)


def _mentions_in(passage: Row, names: Names) -> Iterator[Row]:
    for key, kind in names.found_in(passage["plain"]):
        if "[[" + key not in passage["plain"]:
            yield _mention(passage["content_id"], kind, key, passage["text"], passage["start"])


def _mention(source: str, kind: str, key: str, text: str, offset: int) -> Row:
    return _edge(source, kind, key, text, *(located(key, text) or (-1, -1)), offset=offset)


def located(key: str, text: str) -> tuple[int, int] | None:
    """Return where text has a name that is given in normal form, in whatever form the text writes it."""
    m = re.search(_whole(key).replace(r"\ ", r"\s+"), text, re.IGNORECASE)
    if m is not None:
        return m.span()
    plain, ends = list[str](), list[tuple[int, int]]()
    for cluster in _CLUSTER.finditer(text):
        for char in normal(cluster.group()) or (" " if plain and plain[-1] != " " else ""):
            plain.append(char)
            ends.append(cluster.span())
    m = re.search(_whole(key), "".join(plain))
    return (ends[m.start()][0], ends[m.end() - 1][1]) if m is not None else None


def _edge(source: str, kind: str, label: str, text: str, start: int, end: int, offset: int = 0) -> Row:
    left, right = text.rfind("\n", 0, max(start, 0)) + 1, text.find("\n", max(end, 0))
    line = text[left : right if right >= 0 else None].strip() if start >= 0 else ""
    if start >= 0:
        start, end = start + offset, end + offset
    key = digest(source, kind, label, str(start) if kind not in ("mention", "table") else "")
    return {
        "id": key, "source": source, "kind": kind, "label": label, "start": start, "end": end,
        "evidence": line[:_EVIDENCE],
    }  # fmt: skip


def _whole(key: str) -> str:
    left = "" if is_cjk(key[0]) else r"(?<!\w)"
    right = "" if is_cjk(key[-1]) else r"(?![\w\u0300-\u036f])"
    return left + re.escape(key) + right
