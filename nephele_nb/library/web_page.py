"""Reads a saved web page as its reader sees it, headings and links as in markdown; it never fetches anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from .documents import Document, decoded, first_heading

_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)

_COMMENT_END = re.compile(r"--!?\s*>")


def read_html(path: Path) -> Document:
    """Read a page in the encoding that it names, else as any text."""
    raw = path.read_bytes()
    page = _Page()
    page.feed(_closable(_text(raw)))
    page.close()
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]*\n[ \t]*", "\n", "".join(page.parts))).strip()
    return Document(" ".join(page.title.split()) or first_heading(text) or path.stem, text)


def _text(raw: bytes) -> str:
    named = _CHARSET.search(raw[:4096])
    if named is not None and not raw.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            return raw.decode(named.group(1).decode())
        except (LookupError, UnicodeDecodeError):
            pass  # what a page says of itself may be wrong
    return decoded(raw)


def _closable(text: str) -> str:
    """Return a page in which what never ends is text: the parser seeks the end of each such tag to the very last."""
    text = _from(text, max((m.end() for m in _COMMENT_END.finditer(text)), default=0), "<!--", "&lt;!--")
    return _from(text, text.rfind(">") + 1, "<", "&lt;")


def _from(text: str, at: int, old: str, new: str) -> str:
    return text[:at] + text[at:].replace(old, new)


class _Page(HTMLParser):
    """Keeps what a reader of the page sees."""

    BLOCKS = frozenset("p div section article li tr br table ul ol pre blockquote h1 h2 h3 h4 h5 h6".split())
    HIDDEN = frozenset(("script", "style", "template", "noscript", "svg"))

    def __init__(self) -> None:
        super().__init__()
        self.title, self.parts, self._hidden, self._in_title = "", list[str](), 0, False
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in self.HIDDEN
        self._in_title = self._in_title or (tag == "title" and not self._hidden)
        if tag in self.BLOCKS:
            self.parts.append("\n\n" + "#" * int(tag[1]) + " " if re.fullmatch("h[1-6]", tag) else "\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag == "a":
            target = dict(attrs).get("href") or ""
            near = target and not re.match(r"[a-zA-Z][\w+.-]*:|//|#", target)
            self._links.append(target.replace(" ", "%20") if near else "")
            self.parts.append("[" if near else "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.HIDDEN and self._hidden > 0
        self._in_title = self._in_title and tag != "title"
        if tag in self.BLOCKS:
            self.parts.append("\n")
        elif tag == "a" and self._links and (target := self._links.pop()):
            self.parts.append(f"]({target})")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._hidden:
            self.parts.append(re.sub(r"\s+", " ", data))
