"""Crossref: published works, by its REST interface (https://api.crossref.org/)."""

from __future__ import annotations

import json
from typing import Any

from .reference import Reference
from .web import get, number, text


class Crossref:
    """Searches bibliographic data."""

    name, online = "crossref", True

    def __init__(self, address: str = "https://api.crossref.org/works") -> None:
        self._address = address

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return papers, best first."""
        body = await get(self._address, {"query.bibliographic": query, "rows": count})
        return [self._reference(item) for item in json.loads(body)["message"]["items"]]

    def _reference(self, item: dict[str, Any]) -> Reference:
        people = [" ".join(filter(None, (p.get("given"), p.get("family")))) for p in item.get("author") or ()]
        dates = (item.get("issued") or {}).get("date-parts") or [[None]]
        licences = [licence.get("URL") for licence in item.get("license") or ()]
        return Reference(
            "paper",
            text(next(iter(item.get("title") or ()), "")) or text(item.get("DOI")),
            (self.name,),
            tuple(name for name in people if name),
            number(next(iter(dates[0] or ()), None)),
            text(item.get("URL")),
            text(item.get("DOI")),
            text(next(iter(licences), "")),
            text(item.get("abstract")),
        )
