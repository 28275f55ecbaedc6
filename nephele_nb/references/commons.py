"""Wikimedia Commons: pictures with their licences, by the MediaWiki interface (https://www.mediawiki.org/wiki/API)."""

from __future__ import annotations

import json
from typing import Any

from .reference import Reference
from .web import get, number, text


class Commons:
    """Searches media files."""

    name, online = "commons", True

    def __init__(self, address: str = "https://commons.wikimedia.org/w/api.php") -> None:
        self._address = address

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return pictures, best first."""
        asked: dict[str, str | int] = {
            "action": "query", "format": "json", "generator": "search", "gsrsearch": query, "gsrnamespace": 6,
            "gsrlimit": count, "prop": "imageinfo", "iiprop": "url|extmetadata|mime", "iiurlwidth": 320,
        }  # fmt: skip
        pages = (json.loads(await get(self._address, asked)).get("query") or {}).get("pages") or {}
        ranked = sorted(pages.values(), key=lambda page: page.get("index", 0))
        return [self._reference(page) for page in ranked if page.get("imageinfo")]

    def _reference(self, page: dict[str, Any]) -> Reference:
        info = page["imageinfo"][0]
        known = {name: text(part.get("value")) for name, part in (info.get("extmetadata") or {}).items()}
        author = known.get("Artist", "")
        return Reference(
            "picture",
            text(page.get("title")).removeprefix("File:"),
            (self.name,),
            (author,) if author else (),
            number(known.get("DateTimeOriginal")),
            text(info.get("descriptionurl") or info.get("url")),
            licence=known.get("LicenseShortName", ""),
            snippet=known.get("ImageDescription", ""),
            thumbnail=text(info.get("thumburl")),
        )
