"""Search: fuses what the channels found, says which found what and why, and never invents a hit.

Full text and vectors are of similar strength and are fused by reciprocal rank with equal weight, note by note, as are
exact titles and exact phrases; of the first so found, those that open with the query's words move up. Weaker channels
only fill places that are left. Whether a query is answered at all is one question (does a channel hold something
sound?), what is then listed another: after an answer weaker finds may follow. A query that nothing answers gets no
hits and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..types import Hit
from .channels import Channels
from .filters import When, passage_filter
from .query import Query, parse
from .schema import PASSAGES
from .store import Ask, Row, Store, any_of
from .vectors import Vectors
from .words import pieces

__all__ = ["Hits", "When", "passage_filter", "search"]

RRF = 10
"""Of 5, 10, 20, 30 and 60 the best on the sections of tests/bench: a first place should count."""

WEIGHED = 24
"""How many of the first passages are weighed by what they say; more found nothing more on the sections."""

OPENING, FIRST = 0.05, 0.015
"""What opening with the query's words is worth at most, and beginning a note or a section, beside a reciprocal rank."""

MORE = 8
FAR_SHARE = 4
"""One in so many places, the last ones, is for finds in other languages."""

PER_NOTE = 2
FUSED = ("text", "vector", "substring", "title")
FILLING = ("title", "tag", "substring")
_SHOWN = ("id", "n", "title", "text", "start", "end")


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
    rows: dict[str, Row] = {}
    ranked: list[str] = []
    if query.recent:
        channels.recent()
        ranked += channels.found["recent"]
    else:
        channels.strong(k // FAR_SHARE)
        if channels.sound:
            scores = _scores(channels, FUSED)
            listed = _listed(channels, *scores)
            rows = _read(store, [*listed[: max(WEIGHED, k + MORE)], *channels.far[: k // FAR_SHARE + 1]])
            ranked += _with_far(weighed(channels, listed, rows, *scores), channels.far, k)
        if len(ranked) < k:
            channels.weak()
            ranked += [i for c in FILLING for i in channels.found.get(c, ())]
    wanted = _wanted(channels, ranked, k)
    if any(i not in rows for i in wanted[:k]):
        rows |= _read(store, [i for i in wanted if i not in rows])
    found = _hits(channels, query, [rows[i] for i in wanted if i in rows])[:k]
    particular = query.words or query.recent or not all(map(pieces, query.phrases))  # an emoji is no stop word
    reason = "" if found else "none" if particular else "too_general"
    return Hits(found, reason, channels.without)


def weighed(
    channels: Channels,
    listed: Sequence[str],
    rows: Mapping[str, Row],
    notes: Mapping[str, float],
    passages: dict[str, float],
) -> list[str]:
    """Rank the first of what is listed anew: a passage that opens with the query's words, or a note, counts more."""
    first = listed[:WEIGHED]
    best: dict[str, float] = {}
    for key in (key for key in first if key in rows):
        row, owner = rows[key], channels.owner[key]
        worth = OPENING * channels.closeness.opening(row["text"]) + FIRST * _begins(row)
        passages[key] += worth
        best[owner] = max(best.get(owner, 0.0), worth)
    anew = {owner: notes[owner] + worth for owner, worth in best.items()}
    channels.score.update(anew)
    head = _listed(channels, anew, {key: passages[key] for key in first if channels.owner[key] in anew})
    return head + [key for key in listed if key not in set(head)]


def _begins(row: Row) -> bool:
    return bool(row["n"] == 0 or row["text"].startswith("#"))


def _listed(channels: Channels, notes: Mapping[str, float], passages: Mapping[str, float]) -> list[str]:
    of: dict[str, list[str]] = {owner: [] for owner in sorted(notes, key=lambda o: (-notes[o], o))}
    for key in sorted(passages, key=lambda i: (-passages[i], i)):
        of[channels.owner[key]].append(key)
    return [keys[n] for n in range(PER_NOTE) for keys in of.values() if len(keys) > n]


def _scores(channels: Channels, names: Iterable[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Add up reciprocal ranks over channels: of notes, and of passages.

    Notes are ranked by this, and the best passage of each is listed before the second of any.
    """
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
    """Give what was found in other languages the last places, unless it is higher up already."""
    slots = k // FAR_SHARE
    held = [i for i in far if i not in ranked[: max(k - slots, 1)]][:slots]
    first = [i for i in ranked if i not in held]
    return first[: k - len(held)] + held + first[k - len(held) :]


def _wanted(channels: Channels, ranked: Iterable[str], k: int) -> list[str]:
    """Take the first passages, few of one note, and some more for those that were deleted meanwhile."""
    taken: dict[str, int] = {}
    wanted: list[str] = []
    for key in dict.fromkeys(ranked):
        owner = channels.owner[key]
        taken[owner] = taken.get(owner, 0) + 1
        if taken[owner] <= PER_NOTE:
            wanted.append(key)
    return wanted[: k + MORE]


def _read(store: Store, ids: Sequence[str]) -> dict[str, Row]:
    rows = store.ask(Ask(PASSAGES, _SHOWN, any_of("id", ids)))[0] if ids else []
    return {row["id"]: row for row in rows}


def _hits(channels: Channels, query: Query, rows: Iterable[Row]) -> list[Hit]:
    scores = _scores(channels, channels.found)[0] | channels.score
    out = []
    for row in rows:
        found = {c: ids[row["id"]] for c, ids in channels.found.items() if row["id"] in ids}
        why = tuple(reason or " ".join(query.shared(channels.words[row["id"]])) for reason in found.values())
        span, owner = (row["start"], row["end"]), channels.owner[row["id"]]
        kind = "table" if owner.startswith("table:") else "note"
        out.append(Hit(owner, row["title"], row["text"], scores[owner], span, tuple(found), kind, why))  # type: ignore[arg-type]
    return out
