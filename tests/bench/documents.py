"""Real documents in Chinese and English out of Debian's packages, cut into sections; kept in a cache, never committed.

A section is a heading and the text below it up to the next heading. The heading is the question and is taken out of
the text, so that a search has to find the text by what it says. The set "dev" is what search was tuned on; "test" comes
from other books, and from sections of LibreOffice's Chinese help that "dev" leaves over.
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

from nephele_nb.library.words import STOP_WORDS, is_cjk, language, normal, pieces

PACKAGES = {
    "dev": (
        "debian-reference-zh-cn", "debian-reference-en", "debian-handbook", "installation-guide-amd64",
        "gimp-help-zh-cn", "gimp-help-en", "libreoffice-help-zh-cn", "libreoffice-help-en-us",
    ),
    "test": (
        "debian-faq", "debian-faq-zh-cn", "debmake-doc", "maint-guide", "maint-guide-zh-cn", "kicad-doc-en",
        "kicad-doc-zh", "debian-edu-doc-en", "debian-edu-doc-zh-cn", "gnome-user-docs", "python3.11-doc",
    ),
}  # fmt: skip
DEV = {
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
TEST = {
    ("Debian FAQ", "zh"): "doc/debian/FAQ/zh-cn/*.html",
    ("Debian FAQ", "en"): "doc/debian/FAQ/*.en.html",
    ("Package maker's guide", "zh"): "doc/debmake-doc/html/*.zh-cn.html",
    ("Package maker's guide", "en"): "doc/debmake-doc/html/*.en.html",
    ("New maintainers' guide", "zh"): "doc/maint-guide-zh-cn/html/*.zh-cn.html",
    ("New maintainers' guide", "en"): "doc/maint-guide/html/*.en.html",
    ("KiCad", "zh"): "doc/kicad/help/zh/*.html",
    ("KiCad", "en"): "doc/kicad/help/en/*.html",
    ("School server manual", "zh"): "doc/debian-edu-doc-zh-cn/*bookworm*.html",
    ("School server manual", "en"): "doc/debian-edu-doc-en/*bookworm*.html",
    ("GNOME help", "zh"): "help/zh_CN/gnome-help/*.page",
    ("GNOME help", "en"): "help/C/gnome-help/*.page",
    ("Python", "en"): "doc/python3.11/html/**/*.html",
}
BOOKS = {"dev": DEV, "test": TEST}
_NUMBER = re.compile(
    r"^\s*(第\s*\S+\s*[章节]\s*[.。]?|附录\s*\w*\.?|(chapter|appendix)\s+\w+\.?|[A-Z]?[\d.]+\.?)\s+", re.IGNORECASE
)
_CONTENTS = re.compile("目录|table of contents|\\d+\\.\\d+\\. ", re.IGNORECASE)
_HAN, _LETTER = re.compile("[\u4e00-\u9fff]"), re.compile("[a-zA-Z]")
_SENTENCE = re.compile(r"(.+?(?:[.!?](?=\s)|[。！？]|\n))\s*(.+)", re.DOTALL)
_BLOCKS = {"p", "div", "li", "dt", "dd", "tr", "pre", "br", "table", "ul", "ol", "section", "item"}
_DROPPED = {"script", "style", "head", "nav", "footer", "info"}


class Section(NamedTuple):
    """One section: its heading, the headings above it (outermost first), and its text without any of them."""

    book: str
    lang: str
    title: str
    above: tuple[str, ...]
    text: str

    @property
    def names(self) -> bool:
        """Whether the heading names something: two words that are no stop words, or four Chinese characters."""
        parts = pieces(normal(self.title))
        han = sum(len(p) for p in parts if is_cjk(p))
        words = [p for p in parts if not is_cjk(p) and len(p) > 1 and p not in STOP_WORDS]
        return han + 2 * len(words) >= 4

    @property
    def lead(self) -> tuple[str, str]:
        """The first sentence and the text without it; ("", text) where the sentence says little or nothing is left."""
        m = _SENTENCE.match(self.text)
        if m is None or not 40 <= _weight(m[1]) <= 300 or _weight(m[2]) < 300:
            return "", self.text
        return " ".join(m[1].split()), m[2]


def cache() -> Path:
    """The folder for what is fetched and computed: ``NEPHELE_BENCH``, else one in the user's cache folder."""
    where = os.environ.get("NEPHELE_BENCH")
    folder = Path(where) if where else Path.home() / ".cache" / "nephele_nb-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sections(count: int, which: str = "dev", seed: int = 7) -> list[Section]:
    """Return ``count`` sections in each language, evenly from the books of a set, with headings that occur once.

    Where the other books of "test" are used up, the sections of "dev"'s books follow that ``count`` left out there.
    """
    out: list[Section] = []
    for lang in ("zh", "en"):
        found = _shuffled("dev", lang, seed)
        if which == "test":
            held = {normal(s.title) for s in found[:count]}
            found = [s for s in _shuffled("test", lang, seed) + found[count:] if normal(s.title) not in held]
        out += found[:count]
    return out


def _shuffled(which: str, lang: str, seed: int) -> list[Section]:
    """Return the sections of a set in one language, one book after the other, each book in any order."""
    root = _unpacked(which) / "usr" / "share"
    pools = [list(_of_book(root, book, lang, p)) for (book, of), p in BOOKS[which].items() if of == lang]
    seen = Counter(normal(s.title) for pool in pools for s in pool)
    once = [[s for s in pool if seen[normal(s.title)] == 1] for pool in pools]
    for pool in once:
        random.Random(seed).shuffle(pool)
    return [s for turn in zip_longest(*once) for s in turn if s is not None and not _CONTENTS.match(s.text)]


def _unpacked(which: str) -> Path:
    root = cache() / ("documents" if which == "dev" else "documents-test")
    if not root.exists():
        if shutil.which("apt-get") is None:
            raise SystemExit("The documents come from Debian's packages: run this on Debian or Ubuntu.")
        debs, partial = cache() / f"debs-{which}", root.with_suffix(".partial")
        debs.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "download", *PACKAGES[which]], cwd=debs, check=True)
        for deb in sorted(debs.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(deb), str(partial)], check=True)
        partial.rename(root)
    return root


def _of_book(root: Path, book: str, lang: str, pattern: str) -> Iterator[Section]:
    for file in sorted(root.glob(pattern)):
        parser = _Parser()
        parser.feed(file.read_text("utf-8", "replace"))
        yield from (s for s in _found(book, lang, parser.parts) if _fit(s))


def _found(book: str, lang: str, parts: Iterable[tuple[int, str, str]]) -> Iterator[Section]:
    above: dict[int, str] = {}
    for level, heading, body in parts:
        title = " ".join(_NUMBER.sub("", " ".join(heading.split())).split()).removesuffix("¶")
        above = {n: t for n, t in above.items() if n < level}
        lines = (line.strip() for line in body.splitlines())
        text = "\n".join(line for line in lines if line and _NUMBER.sub("", line) != title)
        told = tuple(above[n] for n in sorted(above) if normal(title) not in normal(above[n]))
        yield Section(book, lang, title, told, text)
        above[level] = title


def _weight(text: str) -> int:
    return len(text) + len(_HAN.findall(text))


def _fit(section: Section) -> bool:
    weight = len(section.text) * (2 if section.lang == "zh" else 1)
    named = 3 <= len(section.title) <= 90 and language(section.title) == section.lang
    if section.lang == "zh" and len(_LETTER.findall(section.text)) > len(_HAN.findall(section.text)):
        return False  # a page that nobody has translated yet
    return named and 300 <= weight <= 4000 and language(section.text) == section.lang


class _Parser(HTMLParser):
    """Collects (level, heading, text) of each heading of a page of HTML or of GNOME's help."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[int, str, str]] = []
        self._heading = 0
        self._dropped = 0
        self._depth = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._dropped += tag in _DROPPED
        self._depth += tag == "section"
        if re.fullmatch("h[1-6]", tag) or (tag == "title" and not self._dropped):
            self._heading = self._depth if tag == "title" else int(tag[1])
            self.parts.append((self._heading, "", ""))
        elif tag in _BLOCKS:
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "section"
        if tag in _DROPPED:
            self._dropped = max(0, self._dropped - 1)
        if re.fullmatch("h[1-6]|title", tag):
            self._heading = 0

    def handle_data(self, data: str) -> None:
        if self._dropped or not self.parts:
            return
        level, heading, body = self.parts[-1]
        self.parts[-1] = (level, heading + data, body) if self._heading else (level, heading, body + data)
