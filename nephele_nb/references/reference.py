"""What a source finds, and when two finds are one; it asks nobody."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..types import Source as Opened

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf)/|arxiv[.:])\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reference:
    """One find. ``sources`` name who found it; ``opened`` is what can be cited where it is the user's own.

    ``kind`` is note, table, file, paper or picture; ``thumbnail`` the address of a small picture of it.
    """

    kind: str
    title: str
    sources: tuple[str, ...]
    authors: tuple[str, ...] = ()
    year: int | None = None
    url: str = ""
    doi: str = ""
    licence: str = ""
    snippet: str = ""
    thumbnail: str = ""
    opened: Opened | None = field(default=None, compare=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what makes it the same as another find: a DOI, an arXiv number, a file, or the title of a paper."""
        found = []
        if doi := _DOI.search(self.doi.lower()):
            found.append(f"doi:{doi.group().rstrip('.')}")
        if number := _ARXIV.search(f"{self.url} {self.doi}"):
            found.append(f"arxiv:{number.group(1).lower()}")
        if self.opened is not None:
            found.append(f"own:{self.opened.content_id}:{self.opened.span}")
        elif self.kind == "paper" and len(title := _plain(self.title)) > 12:
            found.append(f"title:{title}")
        return tuple(found) or (f"url:{self.url or self.title}",)


class Source(Protocol):
    """Where references are looked for."""

    name: str
    online: bool
    """True where the query leaves the machine."""

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return up to ``count`` finds, best first; raises OSError or ValueError where it can't be asked."""


def merged(finds: Iterable[Iterable[Reference]]) -> list[Reference]:
    """Return several lists as one, turn by turn, what is the same in them once and with all that is known of it."""
    lists = [list(each) for each in finds]
    out: list[Reference] = []
    place: dict[str, int] = {}
    for turn in range(max(map(len, lists), default=0)):
        for each in (one[turn] for one in lists if turn < len(one)):
            at = next((place[key] for key in each.keys if key in place), None)
            if at is None:
                at = len(out)
                out.append(each)
            else:
                out[at] = _joined(out[at], each)
            place |= dict.fromkeys((*each.keys, *out[at].keys), at)
    return out


def _joined(one: Reference, other: Reference) -> Reference:
    """Return what two finds say together; where both say something, the first is kept."""
    return replace(
        one,
        sources=tuple(dict.fromkeys((*one.sources, *other.sources))),
        authors=one.authors or other.authors,
        year=one.year or other.year,
        url=one.url or other.url,
        doi=one.doi or other.doi,
        licence=one.licence or other.licence,
        snippet=one.snippet or other.snippet,
        thumbnail=one.thumbnail or other.thumbnail,
        opened=one.opened or other.opened,
    )


def _plain(title: str) -> str:
    folded = unicodedata.normalize("NFKC", title).casefold()
    return "".join(c for c in folded if c.isalnum())
