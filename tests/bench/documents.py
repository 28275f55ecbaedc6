"""Real documents in Chinese and English out of Debian's packages, cut into sections; kept in a cache, never committed.

A section is a heading and the text below it up to the next heading. The heading is the question and is taken out of
the text, so that a search has to find the text by what it says.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from nephele_nb.library.words import language, normal

PACKAGES = (
    "debian-reference-zh-cn", "debian-reference-en", "debian-handbook", "installation-guide-amd64", "gimp-help-zh-cn",
    "gimp-help-en", "libreoffice-help-zh-cn", "libreoffice-help-en-us",
)  # fmt: skip
BOOKS = {
    ("Debian reference", "zh"): "debian-reference/*.zh-cn.html",
    ("Debian reference", "en"): "debian-reference/*.en.html",
    ("Debian handbook", "zh"): "doc/debian-handbook/html/zh-CN/*.html",
    ("Debian handbook", "en"): "doc/debian-handbook/html/en-US/*.html",
    ("Installation guide", "zh"): "doc/installation-guide-amd64/zh_CN/*.html",
    ("Installation guide", "en"): "doc/installation-guide-amd64/en/*.html",
    ("GIMP help", "zh"): "gimp/2.0/help/zh_CN/*.html",
    ("GIMP help", "en"): "gimp/2.0/help/en/*.html",
    ("LibreOffice help", "zh"): "libreoffice/help/zh-CN/text/**/*.html",
    ("LibreOffice help", "en"): "libreoffice/help/en-US/text/**/*.html",
}
_NUMBER = re.compile(
    r"^\s*(第\s*\S+\s*[章节]\s*[.。]?|附录\s*\w*\.?|(chapter|appendix)\s+\w+\.?|[A-Z]?[\d.]+\.?)\s+", re.IGNORECASE
)
_CONTENTS = re.compile("目录|table of contents|\\d+\\.\\d+\\. ", re.IGNORECASE)
_HAN, _LETTER = re.compile("[\u4e00-\u9fff]"), re.compile("[a-zA-Z]")
_BLOCKS = {"p", "div", "li", "dt", "dd", "tr", "pre", "br", "table", "ul", "ol", "section"}
_DROPPED = {"script", "style", "head", "nav", "footer"}


class Section(NamedTuple):
    """One section: its heading, the heading above it, and its text without either."""

    book: str
    lang: str
    title: str
    parent: str
    text: str


def cache() -> Path:
    """The folder for what is fetched and computed: ``NEPHELE_BENCH``, else one in the user's cache folder."""
    where = os.environ.get("NEPHELE_BENCH")
    folder = Path(where) if where else Path.home() / ".cache" / "nephele_nb-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sections(count: int, seed: int = 7) -> list[Section]:
    """Return ``count`` sections in each language, evenly from the books, with headings that occur once."""
    root = _unpacked() / "usr" / "share"
    out: list[Section] = []
    for lang in ("zh", "en"):
        pools = [list(_of_book(root, book, pattern)) for (book, of), pattern in BOOKS.items() if of == lang]
        seen = Counter(normal(s.title) for pool in pools for s in pool)
        once = [[s for s in pool if seen[normal(s.title)] == 1] for pool in pools]
        for pool in once:
            random.Random(seed).shuffle(pool)
        out += [s for turn in zip_longest(*once) for s in turn if s is not None and not _CONTENTS.match(s.text)][:count]
    return out


def _unpacked() -> Path:
    root = cache() / "documents"
    if not root.exists():
        if shutil.which("apt-get") is None:
            raise SystemExit("The documents come from Debian's packages: run this on Debian or Ubuntu.")
        debs, partial = cache() / "debs", cache() / "documents.partial"
        debs.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "download", *PACKAGES], cwd=debs, check=True)
        for deb in sorted(debs.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(deb), str(partial)], check=True)
        partial.rename(root)
    return root


def _of_book(root: Path, book: str, pattern: str) -> Iterator[Section]:
    lang = "zh" if re.search(r"zh[-_]cn", pattern, re.IGNORECASE) else "en"
    for file in sorted(root.glob(pattern)):
        parser = _Parser()
        parser.feed(file.read_text("utf-8", "replace"))
        yield from (s for s in _found(book, lang, parser.parts) if _fit(s))


def _found(book: str, lang: str, parts: Iterable[tuple[int, str, str]]) -> Iterator[Section]:
    above: dict[int, str] = {}
    for level, heading, body in parts:
        title = " ".join(_NUMBER.sub("", " ".join(heading.split())).split())
        parent = next((above[n] for n in sorted(above, reverse=True) if n < level), "")
        above = {n: t for n, t in above.items() if n < level} | {level: title}
        lines = (line.strip() for line in body.splitlines())
        text = "\n".join(line for line in lines if line and _NUMBER.sub("", line) != title)
        yield Section(book, lang, title, "" if normal(title) in normal(parent) else parent, text)


def _fit(section: Section) -> bool:
    weight = len(section.text) * (2 if section.lang == "zh" else 1)
    named = 3 <= len(section.title) <= 90 and language(section.title) == section.lang
    if section.lang == "zh" and len(_LETTER.findall(section.text)) > len(_HAN.findall(section.text)):
        return False  # a page that nobody has translated yet
    return named and 300 <= weight <= 4000 and language(section.text) == section.lang


class _Parser(HTMLParser):
    """Collects (level, heading, text) of each heading of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[int, str, str]] = []
        self._heading = 0
        self._dropped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._dropped += tag in _DROPPED
        if re.fullmatch("h[1-6]", tag):
            self._heading = int(tag[1])
            self.parts.append((self._heading, "", ""))
        elif tag in _BLOCKS:
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            self._dropped = max(0, self._dropped - 1)
        if re.fullmatch("h[1-6]", tag):
            self._heading = 0

    def handle_data(self, data: str) -> None:
        if self._dropped or not self.parts:
            return
        level, heading, body = self.parts[-1]
        self.parts[-1] = (level, heading + data, body) if self._heading else (level, heading, body + data)
