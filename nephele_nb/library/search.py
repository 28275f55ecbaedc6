"""Search: asks several channels, fuses their ranks, and says which channel found what; it never invents a hit.

``text`` (full text) and ``vector`` are of similar strength and are fused with equal weight, as are exact titles and
exact substrings; weaker channels only fill places that are left. A query that nothing answers gets no hits and the
reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time

from ..errors import LibraryError
from ..types import Hit
from .documents import timestamp
from .embed import EmbedderError, embedded_query, floors
from .query import Query, parse
from .schema import NOTES, PASSAGES
from .store import Row, Store, any_of, literal
from .vectors import Vectors
from .words import normal

RRF = 60
POOL = 50
PER_NOTE = 2
NEAR = 0.03
"""How much lower the similarity may be where another channel has found something too."""

_COLUMNS = ("id", "content_id", "n", "title", "text", "start", "end", "words", "updated")
When = str | float | date | datetime | None


class Hits(list[Hit]):
    """Hits, best first. ``reason`` says why there are none: ``no_words``, ``too_general`` or ``none``.

    ``without`` says why the vector channel wasn't asked, "" where it was.
    """

    def __init__(self, hits: Iterable[Hit] = (), reason: str = "", without: str = "") -> None:
        super().__init__(hits)
        self.reason = reason
        self.without = without


class Search:
    """One search at a time over one library; ``filter_`` is a Lance filter over passages, or None."""

    def __init__(self, store: Store, vectors: Vectors | None, query: Query, filter_: str | None) -> None:
        self._store, self._vectors, self._query, self._filter = store, vectors, query, filter_
        self._rows: dict[str, Row] = {}
        self._found: dict[str, list[str]] = {}
        self._far: list[str] = []
        self.without = "" if vectors is not None else "no embedder"

    @property
    def found(self) -> Mapping[str, Sequence[str]]:
        """What each channel that was asked found: passage ids, best first."""
        return self._found

    def hits(self, k: int) -> list[Hit]:
        """Ask the channels and return at most k hits, no more than two of one note."""
        if self._query.recent:
            self._take("recent", self._passages(None, newest=True))
            return self._chosen(self._found["recent"], k)
        self._take("text", self._text())
        self._take("substring", self._substring(self._query.phrases))
        self._take("title", self._title(exact=True))
        self._near()
        ranked = self._fused(("text", "vector", "substring", "title"))
        slots = k // 4
        far = [i for i in self._far if i not in ranked[: max(k - slots, 1)]][:slots]
        first = [i for i in ranked if i not in far]
        ranked = first[: k - len(far)] + far + first[k - len(far) :]
        if len(ranked) < k:
            for channel, rows in self._fillers().items():
                self._take(channel, rows())
                ranked += [i for i in self._found[channel] if i not in ranked]
        return self._chosen(ranked, k)

    def _fillers(self) -> dict[str, Callable[[], list[Row]]]:
        whole = (self._query.plain,) if len(self._query.plain) > 1 else ()
        return {
            "title": lambda: self._title(exact=False),
            "tag": self._tag,
            "substring": lambda: self._substring(whole),
        }

    def _take(self, channel: str, rows: Sequence[Row]) -> None:
        held = self._found.setdefault(channel, [])
        for row in rows:
            self._rows.setdefault(row["id"], row)
            if row["id"] not in held:
                held.append(row["id"])

    def _text(self) -> list[Row]:
        words = " ".join(self._query.words)
        rows = self._store.fulltext(words, _COLUMNS, self._filter, POOL) if words else []
        return [row for row in rows if self._query.covers(set(row["words"].split(" ")))]

    def _substring(self, phrases: Sequence[str]) -> list[Row]:
        out: list[Row] = []
        for phrase in phrases:
            out += self._passages(f"contains(plain, {literal(phrase)})", newest=True)
        return out

    def _title(self, exact: bool) -> list[Row]:
        plain = literal(self._query.plain)
        test = f"title_key = {plain}" if exact else f"contains(title_key, {plain})"
        return self._firsts(test) if len(self._query.plain) > 1 else []

    def _tag(self) -> list[Row]:
        keys = {self._query.plain.lstrip("#"), *(w for w in self._query.words if len(w) > 1)}
        return self._firsts(f"array_has_any(tag_keys, [{','.join(map(literal, sorted(keys)))}])")

    def _firsts(self, where: str) -> list[Row]:
        """Return the first passage of each note that a filter over notes names, newest note first."""
        found = self._store.rows(NOTES, ["content_id"], where, POOL, newest=True)
        ids = [row["content_id"] for row in found]
        return self._passages(f"n = 0 AND {any_of('content_id', ids)}", newest=True) if ids else []

    def _passages(self, where: str | None, newest: bool = False) -> list[Row]:
        both = " AND ".join(f"({part})" for part in (where, self._filter) if part)
        return self._store.rows(PASSAGES, _COLUMNS, both or None, POOL, newest)

    def _near(self) -> None:
        """Ask the vectors, once over all passages and once over those in other languages, which the first crowd out."""
        if self._vectors is None or not self._query.runs:
            return
        try:
            vector = embedded_query(self._vectors.embedder, self._query.text)
        except EmbedderError as error:  # the other channels go on, and the hits say that this one did not
            self.without = str(error)
            return
        floor, far_floor = floors(self._vectors.embedder)
        ease = NEAR if any(self._found.values()) else 0.0
        rows = self._vectors.nearest(vector, self._filter, POOL)
        lang = self._query.lang
        kept = {r["id"]: r for r in rows if r["similarity"] >= (floor if r["lang"] in (lang, "") else far_floor) - ease}
        others = f"lang NOT IN ({literal(lang)}, '')"
        where = f"{others} AND {self._filter}" if self._filter else others
        far = [r["id"] for r in self._vectors.nearest(vector, where, POOL // 5) if r["similarity"] >= far_floor]
        wanted = list(dict.fromkeys([*kept, *far]))
        read = self._store.rows(PASSAGES, _COLUMNS, any_of("id", wanted)) if wanted else []
        rows_by_id = {row["id"]: row for row in read}
        self._take("vector", [rows_by_id[i] for i in wanted if i in rows_by_id])
        self._far = [i for i in far if i in rows_by_id]

    def _fused(self, channels: Sequence[str]) -> list[str]:
        scores = self._scores(channels)
        return sorted(scores, key=lambda i: (-scores[i], i))

    def _scores(self, channels: Iterable[str]) -> dict[str, float]:
        scores: dict[str, float] = {}
        for channel in channels:
            for rank, key in enumerate(self._found.get(channel, ())):
                scores[key] = scores.get(key, 0.0) + 1.0 / (RRF + rank + 1)
        return scores

    def _chosen(self, ranked: Sequence[str], k: int) -> list[Hit]:
        scores = self._scores(self._found)
        taken: dict[str, int] = {}
        out: list[Hit] = []
        for key in ranked:
            row = self._rows[key]
            taken[row["content_id"]] = taken.get(row["content_id"], 0) + 1
            if taken[row["content_id"]] > PER_NOTE or len(out) >= k:
                continue
            channels = tuple(c for c, ids in self._found.items() if key in ids)
            span = (row["start"], row["end"])
            out.append(Hit(row["content_id"], row["title"], row["text"], scores[key], span, channels))
        return out


def search(store: Store, vectors: Vectors | None, text: str, k: int, filter_: str | None) -> Hits:
    """Search with any text; never raises for what the text holds."""
    query = parse(text)
    if query.fault or k < 1:
        return Hits(reason=query.fault or "none")
    asked = Search(store, vectors, query, filter_)
    found = asked.hits(k)
    reason = "" if found else "none" if query.words or query.recent else "too_general"
    return Hits(found, reason, asked.without)


def passage_filter(
    store: Store,
    kinds: Sequence[str] | None,
    tags: Sequence[str] | None,
    folder: str | None,
    since: When,
    until: When,
) -> str | None:
    """Return the filter over passages for what a caller asked of their notes, or None for all.

    All given tags must be there; a note counts from ``created`` to ``updated``; a day given as ``until`` is included.
    """
    parts = [any_of("kind", _several(kinds))] if kinds else []
    parts += [f"array_has(tag_keys, {literal(normal(t).lstrip('#'))})" for t in _several(tags or ())]
    if folder:
        inside = literal(folder.rstrip("/") + "/")
        parts.append(f"(starts_with(content_id, {inside}) OR starts_with(path, {inside}))")
    if since is not None:
        parts.append(f"updated >= {literal(_moment(since, time.min))}")
    if until is not None:
        parts.append(f"created <= {literal(_moment(until, time.max))}")
    if not parts:
        return None
    return any_of("content_id", (r["content_id"] for r in store.rows(NOTES, ["content_id"], " AND ".join(parts))))


def _several(words: Sequence[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _moment(when: str | float | date | datetime, edge: time) -> float:
    if isinstance(when, int | float):
        return float(when)
    if isinstance(when, str):
        if "T" not in when and ":" not in when:
            return _moment(_day(when), edge)
        return timestamp(when)
    if not isinstance(when, datetime):
        when = datetime.combine(when, edge)
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise LibraryError(f"{text!r} is not a day; write it as 2025-03-31.") from error
