"""The file name of a card, made from its title so that it stays inside the folder on every system; it looks at no disk.

Letters and digits of any script stay, so a person finds the file again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

LONGEST = 60
"""Characters of a stem."""
LONGEST_BYTES = 180
"""Bytes of a stem in UTF-8: file systems take 255 for a whole name."""
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$?|conout\$?|clock\$?|(com|lpt)\d)", re.IGNORECASE)
"""What Windows takes for a device, with any ending; ``²`` counts as 2 there, and here it has become one."""


def stem(title: str, taken: Collection[str]) -> str:
    """Return a stem for ``title`` that is none of ``taken`` (case doesn't tell names apart), numbered where it must."""
    kept = "".join(c if c.isalnum() or unicodedata.category(c) in ("Mn", "Mc") else "-" for c in _plain(title))
    kept = re.sub(r"-+", "-", kept).strip("-")[:LONGEST]
    kept = kept.encode()[:LONGEST_BYTES].decode(errors="ignore").strip("-")
    if not kept or _RESERVED.fullmatch(kept):
        kept = f"card-{kept}" if kept else "card"
    known = {folded(name) for name in taken}
    number, name = 1, kept
    while folded(name) in known:
        number += 1
        name = f"{kept}-{number}"
    return name


def folded(name: str) -> str:
    """Return a name as file systems compare it that tell no cases and no forms of an accent apart."""
    return unicodedata.normalize("NFC", name).casefold()


def _plain(title: str) -> str:
    return unicodedata.normalize("NFKC", title).lower()
