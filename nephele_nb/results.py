"""The full texts of results that were too long for the model, as files in the home; it never reads one back."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

KEPT = 200
"""Files that are kept; older ones are removed when a new one is written."""


class Results:
    """One folder of texts, each named by what it holds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, text: str) -> str:
        """Write a text, once, and return the file's path; "" where it can't be written."""
        data = text.encode("utf-8", "replace")
        path = self._folder / f"{sha256(data).hexdigest()[:12]}.txt"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                half = path.with_suffix(".part")
                half.write_bytes(data)
                half.replace(path)
            else:
                path.touch()
            self._sweep()
        except OSError:
            return ""
        return str(path)

    def _sweep(self) -> None:
        files = sorted(self._folder.glob("*.txt"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in files[KEPT:]:
            with suppress(OSError):
                old.unlink()
