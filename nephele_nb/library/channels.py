"""The channels of one search: each asks the library in its own way and keeps what it found, and why; none ranks.

Lance is asked for everything at once, while the query is being embedded.
"""

from __future__ import annotations

from collections.abc import Sequence

from .closeness import Closeness
from .embed import EmbedderError, floors
from .query import Query
from .schema import NOTES, PASSAGES
from .store import Ask, Row, Store, any_of, literal
from .vectors import Vectors
from .words import index_words, is_cjk

POOL = 50
PHRASE_POOL = 200
FAR_POOL = 10
SPARE = 2
"""Those in other languages that are listed by their own rank need no place kept."""


class Channels:
    """What each channel found for one query. ``filter_`` is a Lance filter over passages, or None.

    ``found`` holds passage ids, best first, with the reason ("" where it is the words they share); ``owner`` the note
    of each; ``words`` the index words of what full text found; ``far`` what the vectors found in other languages;
    ``sound`` says whether anything found is an answer rather than the nearest there is; ``closeness`` weighs passages
    by what full text found; ``score`` is what the notes that were weighed came to; ``without`` says why the vectors
    weren't asked.
    """

    def __init__(self, store: Store, vectors: Vectors | None, query: Query, filter_: str | None) -> None:
        self._store, self._vectors, self._query, self._filter = store, vectors, query, filter_
        self.found: dict[str, dict[str, str]] = {}
        self.owner: dict[str, str] = {}
        self.far: list[str] = []
        self.sound = False
        self.words: dict[str, frozenset[str]] = {}
        self.closeness = Closeness(query, ())
        self.score: dict[str, float] = {}
        self.without = "" if vectors is not None else "no embedder"

    def recent(self) -> None:
        """Take the newest passages, whatever they say."""
        self._take("recent", self._store.ask(self._passages(None))[0], "newest")

    def strong(self, far: int) -> None:
        """Ask full text, exact titles, phrases and vectors; so many of those in other languages can be listed."""
        query = self._query
        asks = {"title": self._notes(f"title_key = {literal(query.plain)}")}
        if query.words:
            asks["text"] = self._words(" ".join(query.words), POOL)
        phrases = {p: w for p in query.phrases if (w := index_words(p))}
        asks |= {f"phrase {p}": self._words(w, PHRASE_POOL, "plain") for p, w in phrases.items()}
        answer = self._store.start(list(asks.values()))
        near = self._near(2 * far + SPARE)
        rows = dict(zip(asks, answer(), strict=True))
        texts = rows.get("text", [])
        self._take("text", texts)
        self.words = {row["id"]: frozenset(row["words"].split(" ")) for row in texts}
        self.closeness = Closeness(query, self.words.values())
        self.sound |= any(map(self.closeness.answers, self.words.values()))
        for row, sound in near:
            self._take("vector", [row], f"{1 - row['_distance']:.2f}")
            self.sound |= sound
        for phrase in query.phrases:
            self._phrase(phrase, rows.get(f"phrase {phrase}", []))
        self._firsts("title", rows["title"], "the whole title")
        self.sound |= bool(self.found.get("substring") or self.found.get("title"))

    def weak(self) -> None:
        """Ask the channels that only fill places: part of a title, a tag, the whole query as it stands."""
        plain = self._query.plain
        keys = {plain.lstrip("#"), *(w for w in self._query.words if len(w) > 1)}
        asks = [self._notes(f"array_has_any(tag_keys, [{','.join(map(literal, sorted(keys)))}])")]
        if len(plain) > 1:
            asks.append(self._notes(f"contains(title_key, {literal(plain)})"))
            asks.append(self._passages(f"contains(plain, {literal(plain)})"))
        tags, titles, wholes = (*self._store.ask(*asks), [], [])[:3]
        self._firsts("title", titles, "part of the title")
        self._firsts("tag", tags, "a tag")
        self._take("substring", wholes, plain)

    def _near(self, enough: int) -> list[tuple[Row, bool]]:
        """Ask the vectors, once over all passages and once over those in other languages, which the first crowd out.

        Returns the rows near enough to be listed, and for each whether it is near enough to be an answer by itself.
        """
        if self._vectors is None or not self._query.runs:
            return []
        try:
            vector = self._vectors.queries.vector(self._query.text)
            if len(vector) != self._vectors.dim:
                raise EmbedderError(f"The embedder gave {len(vector)} numbers, not {self._vectors.dim}.")
        except EmbedderError as error:  # the other channels go on, and the hits say that this one did not
            self.without = str(error)
            return []
        lang, floor = self._query.lang, floors(self._vectors.embedder, self._query.lang)
        near, far = self._vectors.near_and_far(vector, lang, self._filter, POOL, FAR_POOL, floor.far, enough)
        far = [r for r in far if 1 - r["_distance"] >= floor.far]
        self.far = [r["id"] for r in far]
        out = []
        for row in near:
            likeness, least = 1 - row["_distance"], floor.same if row["lang"] in (lang, "") else floor.far
            if likeness >= least - floor.ease:
                out.append((row, likeness >= least))
        return out + [(row, True) for row in far]

    def _phrase(self, phrase: str, held: Sequence[Row]) -> None:
        """Take what holds a phrase letter by letter."""
        rows = [row for row in held if phrase in row["plain"]]
        if not rows and not is_cjk(phrase):
            # where it begins or ends inside a word only a reading of everything finds it
            rows = self._store.ask(self._passages(f"contains(plain, {literal(phrase)})"))[0]
        self._take("substring", rows, phrase)

    def _firsts(self, channel: str, notes: Sequence[Row], why: str) -> None:
        """Take the first passage of each note, in the order of the notes."""
        ids = [row["content_id"] for row in notes]
        if ids:
            rows = self._store.ask(self._passages(f"n = 0 AND {any_of('content_id', ids)}"))[0]
            self._take(channel, sorted(rows, key=lambda row: ids.index(row["content_id"])), why)

    def _take(self, channel: str, rows: Sequence[Row], why: str = "") -> None:
        held = self.found.setdefault(channel, {})
        for row in rows:
            self.owner.setdefault(row["id"], row["content_id"])
            held.setdefault(row["id"], why)

    def _words(self, words: str, limit: int, more: str = "words") -> Ask:
        columns = ("id", "content_id", more)
        return Ask(PASSAGES, columns, self._filter, limit, words=words, every=more == "plain")

    def _passages(self, where: str | None) -> Ask:
        both = " AND ".join(f"({part})" for part in (where, self._filter) if part)
        return Ask(PASSAGES, ("id", "content_id"), both or None, POOL, newest=True)

    def _notes(self, where: str) -> Ask:
        return Ask(NOTES, ("content_id",), where, POOL, newest=True)
