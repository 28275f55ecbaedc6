"""arXiv: preprints, by its Atom interface (https://info.arxiv.org/help/api/)."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from .reference import Reference
from .web import get, number, text

_ATOM = {"a": "http://www.w3.org/2005/Atom", "x": "http://arxiv.org/schemas/atom"}


class Arxiv:
    """Searches all fields."""

    name, online = "arxiv", True

    def __init__(self, address: str = "https://export.arxiv.org/api/query") -> None:
        self._address = address

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return papers, best first."""
        words = re.findall(r"[\w-]+", query)
        asked = " AND ".join(f"all:{word}" for word in words[:12])
        body = await get(self._address, {"search_query": asked, "max_results": count})
        if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
            raise ValueError("the answer isn't an Atom feed")
        try:
            feed = ET.fromstring(body)  # noqa: S314 -- what could be an entity bomb is refused above
        except ET.ParseError as error:
            raise ValueError("the answer isn't an Atom feed") from error
        if feed.tag != f"{{{_ATOM['a']}}}feed":
            raise ValueError("the answer isn't an Atom feed")
        return [self._reference(entry) for entry in feed.iterfind("a:entry", _ATOM)]

    def _reference(self, entry: ET.Element) -> Reference:
        def of(path: str) -> str:
            return text(entry.findtext(path, "", _ATOM))

        return Reference(
            "paper",
            of("a:title"),
            (self.name,),
            tuple(text(a.text) for a in entry.iterfind("a:author/a:name", _ATOM)),
            number(of("a:published")),
            of("a:id"),
            of("x:doi"),
            snippet=of("a:summary"),
        )
