"""Search: fuses what the channels found, says which found what and why, and never invents a hit.

Full text and vectors are of similar strength and are fused by reciprocal rank with equal weight, note by note, as are
exact titles and exact phrases; weaker channels only fill places that are left. Whether a query is answered at all is
one question (does a channel hold something sound?), what is then listed another: after an answer weaker finds may
follow. A query that nothing answers gets no hits and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..types import Hit
from .channels import Channels
from .filters import When, passage_filter
from .query import Query, parse
from .schema import PASSAGES
from .store import Ask, Row, Store, any_of
from .vectors import Vectors

__all__ = ["Hits", "When", "fused", "passage_filter", "search"]

RRF = 10
"""Of 5, 10, 20, 30 and 60 the best on the sections of tests/bench: a first place should count."""

PER_NOTE = 2
FUSED = ("text", "vector", "substring", "title")
FILLING = ("title", "tag", "substring")
_SHOWN = ("id", "content_id", "title", "text", "start", "end", "words")


class Hits(list[Hit]):
    """Hits, best first. ``reason`` says why there are none: ``no_words``, ``too_general`` or ``none``.

    ``without`` says why the vector channel wasn't asked, "" where it was.
    """

    def __init__(self, hits: Iterable[Hit] = (), reason: str = "", without: str = "") -> None:
        super().__init__(hits)
        self.reason = reason
        self.without = without


def search(store: Store, vectors: Vectors | None, text: str, k: int, filter_: str | None) -> Hits:
    """Search with any text; never raises for what the text holds."""
    query = parse(text)
    if query.fault or k < 1:
        return Hits(reason=query.fault or "none")
    channels = Channels(store, vectors, query, filter_)
    if query.recent:
        channels.recent()
        ranked = list(channels.found["recent"])
    else:
        channels.strong()
        ranked = _with_far(fused(channels), channels.far, k) if channels.sound else []
        if len(ranked) < k:
            channels.weak()
            ranked += [i for c in FILLING for i in channels.found.get(c, ())]
    found = _shown(store, channels, query, list(dict.fromkeys(ranked)), k)
    reason = "" if found else "none" if query.words or query.recent else "too_general"
    return Hits(found, reason, channels.without)


def fused(channels: Channels) -> list[str]:
    """Rank the notes by their reciprocal ranks, and list the best passage of each before the second of any."""
    scores, places = _scores(channels, FUSED)
    of: dict[str, list[str]] = {owner: [] for owner in sorted(scores, key=lambda o: (-scores[o], o))}
    for key in sorted(places, key=lambda i: (-places[i], i)):
        of[channels.owner[key]].append(key)
    return [passages[n] for n in range(PER_NOTE) for passages in of.values() if len(passages) > n]


def _scores(channels: Channels, names: Iterable[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Add up reciprocal ranks over channels: of notes, and of passages."""
    notes: dict[str, float] = {}
    passages: dict[str, float] = {}
    for name in names:
        ids = channels.found.get(name, {})
        for rank, key in enumerate(ids):
            passages[key] = passages.get(key, 0.0) + 1.0 / (RRF + rank + 1)
        for rank, owner in enumerate(dict.fromkeys(channels.owner[key] for key in ids)):
            notes[owner] = notes.get(owner, 0.0) + 1.0 / (RRF + rank + 1)
    return notes, passages


def _with_far(ranked: Sequence[str], far: Sequence[str], k: int) -> list[str]:
    """Give what was found in other languages the last quarter of the places, unless it is higher up already."""
    slots = k // 4
    held = [i for i in far if i not in ranked[: max(k - slots, 1)]][:slots]
    first = [i for i in ranked if i not in held]
    return first[: k - len(held)] + held + first[k - len(held) :]


def _shown(store: Store, channels: Channels, query: Query, ranked: Sequence[str], k: int) -> list[Hit]:
    """Read the first of the ranked passages and return them as hits; one deleted meanwhile gives its place away."""
    taken: dict[str, int] = {}
    wanted: list[str] = []
    for key in ranked:
        owner = channels.owner[key]
        taken[owner] = taken.get(owner, 0) + 1
        if taken[owner] <= PER_NOTE:
            wanted.append(key)
    wanted = wanted[: k + 8]
    rows = store.ask(Ask(PASSAGES, _SHOWN, any_of("id", wanted)))[0] if wanted else []
    by_id: dict[str, Row] = {row["id"]: row for row in rows}
    scores, _ = _scores(channels, channels.found)
    out = []
    for row in (by_id[i] for i in wanted[:] if i in by_id):
        found = {c: ids[row["id"]] for c, ids in channels.found.items() if row["id"] in ids}
        why = tuple(reason or " ".join(query.shared(set(row["words"].split(" ")))) for reason in found.values())
        span, owner = (row["start"], row["end"]), row["content_id"]
        kind = "table" if owner.startswith("table:") else "note"
        out.append(Hit(owner, row["title"], row["text"], scores[owner], span, tuple(found), kind, why))  # type: ignore[arg-type]
    return out[:k]
