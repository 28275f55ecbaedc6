"""OpenAlex: scholarly works, by its REST interface (https://docs.openalex.org/)."""

from __future__ import annotations

import json
from typing import Any

from .reference import Reference
from .web import get, number, text


class OpenAlex:
    """Searches titles, abstracts and full texts."""

    name, online = "openalex", True

    def __init__(self, address: str = "https://api.openalex.org/works") -> None:
        self._address = address

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return papers, best first."""
        body = await get(self._address, {"search": query, "per-page": count})
        return [self._reference(item) for item in json.loads(body)["results"]]

    def _reference(self, item: dict[str, Any]) -> Reference:
        place = item.get("primary_location") or {}
        people = [text((a.get("author") or {}).get("display_name")) for a in item.get("authorships") or ()]
        doi = text(item.get("doi"))
        return Reference(
            "paper",
            text(item.get("title") or item.get("display_name")),
            (self.name,),
            tuple(name for name in people if name),
            number(item.get("publication_year")),
            text(place.get("landing_page_url")) or doi or text(item.get("id")),
            doi,
            text(place.get("license")),
            _abstract(item.get("abstract_inverted_index") or {}),
        )


def _abstract(index: dict[str, list[int]]) -> str:
    """Return the abstract that OpenAlex gives as places of its words."""
    places = sorted((place, word) for word, found in index.items() for place in found)
    return text(" ".join(word for _, word in places))
