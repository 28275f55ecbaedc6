"""The library's one worker thread: embeds what was added, newest first, and tidies; it never answers anyone."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

from ..errors import LibraryError
from .embed import EmbedderError, Ladder, asked, begun, embedded
from .notes import Unembedded
from .progress import Report
from .store import Store
from .vectors import Vectors

BATCH = 8
WRITE_EVERY = 64
WRITE_EVERY_S = 3.0
RETRY_S = 0.5
REPORT_S = 0.2
VECTORS = "vectors"
"""What is at hand, as a report of progress says it."""

Embedded = tuple[Unembedded, list[float]]
_NOTHING = Unembedded("", "", "", "")


class _Coming(NamedTuple):
    """A batch at hand, and its vectors to come; None where all of it had theirs."""

    ids: set[str]
    answer: Future[list[Embedded]] | None


class Background:
    """A stack of passages that wait for a vector, and the thread that works it off. Safe from any thread."""

    def __init__(self, store: Store, ladder: Ladder) -> None:
        self._store = store
        self._ladder = ladder
        self._waiting: dict[str, Unembedded] = {}  # by id, the next one last
        self._change = threading.Condition()
        self._busy = True  # until the first look at what the library lacks
        self._stopped = False
        self.refused: set[str] = set()
        self.fault = ""
        self.former = ""
        """Whose vectors the library had before, while the embedder in use makes its own; else empty."""
        self._vectors: Vectors | None = None
        self._at_hand: set[str] = set()
        self._done = 0
        self._thread = threading.Thread(target=self._run, name="nephele-library", daemon=True)
        self._thread.start()

    def vectors(self) -> Vectors | None:
        """Return the vectors of the embedder in use; None on the rung "none", or where it doesn't answer."""
        try:
            return self._opened()
        except EmbedderError as error:
            self.fault = str(error)  # the thread meets the same fault and steps down a rung
            return None

    def _opened(self) -> Vectors | None:
        embedder = self._ladder.embedder
        if embedder is None:
            return None
        held = self._vectors
        if held is None or held.embedder is not embedder:
            held = self._vectors = asked(lambda: Vectors(self._store, embedder))
        return held

    def progress(self) -> tuple[int, int]:
        """Return how many passages were embedded since the library was last without any waiting, and of how many."""
        with self._change:
            return self._done, self._done + len(self._at_hand) + len(self._waiting)

    @property
    def lack(self) -> str:
        """What the vector channel lacks, in words; "" where it lacks nothing."""
        if self._ladder.embedder is None:
            return self._ladder.fault or "no embedder"
        done, total = self.progress()
        if not self.former:
            return self.fault if self._stopped else ""
        return f"the model changed from {self.former} to {self._ladder.name}: {done} of {total} passages re-embedded"

    def push(self, passages: Sequence[Unembedded]) -> None:
        """Let these passages be embedded before all that already wait."""
        with self._change:
            if self._ladder.embedder is not None:
                # the thread's own look may have found them first: each is counted and embedded once
                fresh = [p for p in reversed(passages) if p.id not in self._at_hand]
                for p in fresh:
                    self._waiting.pop(p.id, None)
                self._waiting |= {p.id: p for p in fresh}
            self._change.notify_all()

    def wait(self, timeout: float | None, report: Report) -> bool:
        """Wait until nothing waits; returns False when the time is up or the thread has ended first."""
        end = time.monotonic() + timeout if timeout is not None else math.inf
        total = 0
        while not self._idle(min(REPORT_S, max(end - time.monotonic(), 0))) and time.monotonic() < end:
            done, total = self.progress()
            if self._stopped:
                return False
            if done < total:
                report(VECTORS, done, total)
        if total and self._idle(0):
            report(VECTORS, total, total)
        return self._idle(0)

    def _idle(self, timeout: float) -> bool:
        with self._change:
            self._change.wait_for(lambda: self._stopped or not (self._waiting or self._busy), timeout)
            return not (self._stopped or self._waiting or self._busy)

    def close(self, timeout: float = 10.0) -> None:
        """Stop after the batch at hand; what still waits is embedded when the library is next opened."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        self._ladder.close()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while not self._stopped:
                try:
                    self._look()
                    if not self._waiting:
                        self._tidy(self._opened())
                    self._work()
                except EmbedderError as error:
                    if not self._stopped:
                        self._ladder.fall(str(error))
        except LibraryError as error:
            self.fault = str(error)
        finally:  # whatever ended it, nobody must wait for it
            with self._change:
                self._stopped, self._busy = True, False
                self._change.notify_all()

    def _look(self) -> None:
        """Find what the library lacks; what was pushed meanwhile stays on top."""
        vectors = self._opened()
        missing = vectors.missing() if vectors is not None else []
        self.former = vectors.former() if vectors is not None and missing else ""
        if vectors is not None and not self.former:
            self._settle(vectors)
        with self._change:
            pushed = {p.id: p for p in self._waiting.values() if p.text} if vectors is not None else {}
            self._waiting = {p.id: p for p in missing if p.id not in pushed} | pushed
            self._done, self._at_hand = 0, set()

    def _work(self) -> None:
        """Work the stack off: while a batch is embedded, the one before is written and the next made ready."""
        held: list[Embedded] = []
        vectors, written, coming = None, time.monotonic(), None
        while batch := self._next(bool(held or coming)):
            vectors = self._opened()
            unwritten = {p.id for p, _ in held} | (coming.ids if coming else set())
            wanted = self._wanted(vectors, batch, unwritten) if vectors is not None else []
            held += self._arrived(coming)
            coming = self._begun(vectors, batch, wanted)
            late = time.monotonic() - written > WRITE_EVERY_S
            if vectors is not None and held and (late or len(held) >= WRITE_EVERY or not self._waiting):
                vectors.write(held)
                held, written = [], time.monotonic()
            if vectors is not None and self.former and not (self._waiting or coming):
                self._settle(vectors)
            self._tidy(vectors)
        if vectors is not None:  # what was done before the end need not be done again
            vectors.write(held)
            vectors.write(self._arrived(coming))

    def _begun(self, vectors: Vectors | None, batch: list[Unembedded], wanted: list[Unembedded]) -> _Coming | None:
        if self._stopped or batch == [_NOTHING]:
            return None
        answer = begun(lambda: self._embedded(vectors, wanted)) if vectors is not None and wanted else None
        return _Coming({p.id for p in batch}, answer)

    def _arrived(self, coming: _Coming | None) -> list[Embedded]:
        """Wait for a batch that was begun; raises EmbedderError."""
        if coming is None:
            return []
        found = coming.answer.result() if coming.answer is not None else []
        with self._change:
            self._done += len(coming.ids)
            self._at_hand -= coming.ids
        return found

    def _settle(self, vectors: Vectors) -> None:
        """From here on the library's vectors are this embedder's; until then it is said whose they were."""
        vectors.remember()
        self.former = ""

    def _next(self, held: bool) -> list[Unembedded]:
        """Return the newest that wait, a batch of nothing when there is only tidying to do, and [] at the end."""
        with self._change:
            if not self._waiting and not held:
                self._busy, self._done = False, 0
                self._change.notify_all()
                self._change.wait_for(lambda: self._waiting or self._stopped or self._store.files.untidy)
            if self._stopped:
                return []
            self._busy = bool(self._waiting or held)
            batch = [self._waiting.popitem()[1] for _ in range(min(BATCH, len(self._waiting)))]
            self._at_hand |= {p.id for p in batch}
            return batch or [_NOTHING]

    def _tidy(self, vectors: Vectors | None) -> None:
        if not self._stopped:
            try:
                self._store.files.tidy_due()
                if vectors is not None and not self._waiting:
                    vectors.index()
            except LibraryError as error:
                self.fault = str(error)  # another process may be tidying too; the next writes will ask again

    def _wanted(self, vectors: Vectors, batch: list[Unembedded], unwritten: set[str]) -> list[Unembedded]:
        fresh = {p.id: p for p in batch if p.id and p.id not in unwritten}  # one found missing may be pushed too
        known = vectors.known(fresh) if fresh else set()
        return [p for p in vectors.filled(list(fresh.values())) if p.id not in known]

    def _embedded(self, vectors: Vectors, wanted: list[Unembedded]) -> list[Embedded]:
        embedder, texts = vectors.embedder, [p.text for p in wanted]
        try:
            found = embedded(embedder, texts)
        except EmbedderError:
            if self._stopped:
                raise
            time.sleep(RETRY_S)
            found = embedded(embedder, texts)
        if embedder.dim != vectors.dim:
            raise EmbedderError(
                f"It gives {embedder.dim} numbers a vector, where the library knows {vectors.dim}. Give it another id."
            )
        self.refused |= {p.id for p, v in zip(wanted, found, strict=True) if v is None}
        return [(p, v) for p, v in zip(wanted, found, strict=True) if v is not None]
