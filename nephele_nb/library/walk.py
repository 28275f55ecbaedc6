"""Walks the links between notes, tables and tags, both ways; it never lets one that has very many crowd out the rest.

Each item's links are taken in turns, so that a hub fills only the room that others leave, and an item on the way to
others shows at most 20 of its own; what was left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import index
from typing import Literal, NamedTuple, SupportsIndex

from ..errors import LibraryError
from ..types import Edge, Neighbour, Neighbours
from . import notes
from .filters import known, texts
from .schema import EDGES, NOTES
from .store import Row, Store, any_of, literal
from .words import normal

MAX_HOPS = 3
MAX_EDGES = 200
PER_ITEM = 20
_CANDIDATES = 20_000
_KINDS = ("wiki", "link", "table", "mention", "tag")
"""Kinds of links, the most telling first."""


class Step(NamedTuple):
    """One way from an item to the next: the item left, the item reached, and the edge between them."""

    at: str
    to: str
    edge: Row
    target: str


@dataclass
class _Walked:
    edges: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    nodes: dict[str, Neighbour] = field(default_factory=dict)
    left_out: int = 0


def walk(store: Store, name: str, hops: int, kinds: Sequence[str] | None) -> Neighbours:
    """Return what lies within 1 to 3 hops of a note, table or tag, nearest first, at most 200 links."""
    if not isinstance(hops, SupportsIndex):
        raise LibraryError(f"hops is 1, 2 or 3, not {hops!r}.")
    kinds = known(kinds, _KINDS) if kinds else None
    start, title = _start(store, name)
    hops = max(1, min(index(hops), MAX_HOPS))
    walked = _Walked()
    titles = {start: title}
    frontier = [start]
    for hop in range(1, hops + 1):
        most = MAX_EDGES if hop == hops == 1 else MAX_EDGES // 2 if hop == 1 else PER_ITEM
        steps, left_out = _steps(store, frontier, kinds, titles, most, MAX_EDGES - len(walked.edges), walked)
        walked.left_out += left_out
        evidence = _evidence(store, [s.edge["id"] for s in steps])
        fresh = list(dict.fromkeys(s.to for s in steps if s.to not in titles))
        described = _described(store, fresh)
        titles |= {node: described[node][0] for node in fresh if node in described}
        for step in steps:
            found = evidence.get(step.edge["id"])
            if found is None or step.to not in titles:
                continue  # gone since it was looked up
            span = (found["start"], found["end"]) if found["start"] >= 0 else None
            edge = Edge(step.edge["source"], step.target, step.edge["kind"], span, found["evidence"])
            walked.edges[edge.source, edge.target, edge.kind] = edge
            if step.to in described and step.to not in walked.nodes:
                path = (*(walked.nodes[step.at].path if step.at in walked.nodes else ()), edge)
                walked.nodes[step.to] = Neighbour(step.to, titles[step.to], described[step.to][1], hop, path)
        frontier = [node for node in fresh if node in walked.nodes]
        if not frontier:
            break
    ordered = sorted(walked.nodes.values(), key=lambda n: (n.distance, _rank(n.path[-1].kind)))
    return Neighbours(start, hops, tuple(walked.edges.values()), titles, tuple(ordered), walked.left_out)


def _start(store: Store, name: str) -> tuple[str, str]:
    """Return id and title of where a walk begins; a tag is found however it is written."""
    [name] = texts("content id", [name])
    if name.startswith("tag:") and notes.find(store, name) is None:
        tag = normal(name[4:]).lstrip("#")
        return f"tag:{tag}", f"#{tag}"
    row = notes.resolve(store, name, ["content_id", "title"])
    return str(row["content_id"]), str(row["title"])


def _steps(
    store: Store,
    frontier: Sequence[str],
    kinds: Sequence[str] | None,
    titles: Mapping[str, str],
    most: int,
    room: int,
    walked: _Walked,
) -> tuple[list[Step], int]:
    """Choose the links to follow, each item's in turn; also count those that there was no room for."""
    by_item: dict[str, dict[tuple[str, str, str], Step]] = {item: {} for item in frontier}
    for step in _around(store, frontier, kinds):
        key = (step.edge["source"], step.target, step.edge["kind"])
        if step.target != step.edge["source"] and key not in walked.edges:
            by_item[step.at].setdefault(key, step)
    lists = [
        sorted(found.values(), key=lambda s: (_rank(s.edge["kind"]), s.to not in titles, s.edge["start"]))
        for found in by_item.values()
    ]
    turns = (step for turn in zip_longest(*(found[:most] for found in lists)) for step in turn if step is not None)
    unique = list({(s.edge["source"], s.target, s.edge["kind"]): s for s in turns}.values())
    whole = {key for found in by_item.values() for key in found}
    return unique[:room], len(whole) - len(unique[:room])


def _around(store: Store, frontier: Sequence[str], kinds: Sequence[str] | None) -> Iterator[Step]:
    names: dict[str, list[str]] = {item: [item] for item in frontier if item.startswith("tag:")}
    for row in store.rows(NOTES, ["content_id", "names"], any_of("content_id", frontier)):
        for name in row["names"] or ():
            names.setdefault(name, []).append(row["content_id"])
    where = f"({any_of('source', frontier)} OR {any_of('label', names)})"
    if kinds:
        where += f" AND {any_of('kind', kinds)}"
    found = store.rows(EDGES, ["id", "source", "kind", "label", "start"], where, _CANDIDATES)
    own = set(frontier)
    targets = _resolved(store, {e["label"] for e in found if e["source"] in own})
    for edge in found:
        if edge["source"] in own:
            for target in targets.get(edge["label"], ()):
                yield Step(edge["source"], target, edge, target)
        for item in names.get(edge["label"], ()):
            yield Step(item, edge["source"], edge, item)


def _resolved(store: Store, labels: set[str]) -> dict[str, list[str]]:
    out = {label: [label] for label in labels if label.startswith("tag:")}
    wanted = sorted(labels - out.keys())
    if wanted:
        where = f"array_has_any(names, [{','.join(literal(label) for label in wanted)}])"
        for row in store.rows(NOTES, ["content_id", "names"], where):
            for name in set(row["names"]) & labels:
                out.setdefault(name, []).append(row["content_id"])
    return out


def _evidence(store: Store, ids: Iterable[str]) -> dict[str, Row]:
    wanted = sorted(set(ids))
    rows = store.rows(EDGES, ["id", "start", "end", "evidence"], any_of("id", wanted)) if wanted else []
    return {row["id"]: row for row in rows}


def _described(store: Store, items: Sequence[str]) -> dict[str, tuple[str, Literal["note", "table", "tag"]]]:
    """The title and kind of each item that is there."""
    out: dict[str, tuple[str, Literal["note", "table", "tag"]]] = {}
    rows = store.rows(NOTES, ["content_id", "title", "kind"], any_of("content_id", items)) if items else []
    for row in rows:
        out[row["content_id"]] = (row["title"], "table" if row["kind"] == "table" else "note")
    for item in items:
        if item.startswith("tag:") and item not in out:
            out[item] = ("#" + item[4:], "tag")
    return out


def _rank(kind: str) -> int:
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)
