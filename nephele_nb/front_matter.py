"""The lines between ``---`` at the top of a markdown file: read leniently, changed key by key; it touches no file.

Every value stays the text that was written (``no``, ``0123``, ``10:00``, a date). What YAML can't read, because a
person wrote it, is read line by line instead, and said. A change replaces the lines of its own keys and nothing else:
unknown keys, comments, order and line ends stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

Value = Any
"""A text, or lists and mappings of texts."""
LONGEST = 20_000
"""Characters of front matter that are read as YAML."""
_FENCES = re.compile(r"\A(\ufeff?---[ \t]*(\r?\n))(.*?)^(---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r"(\w[\w .-]*?)[ \t]*:(?:[ \t]+(.*)|[ \t]*)")
_BREAKS = re.compile(r"[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What was odd in the front matter, and the line of the file it stands in, from 1."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A markdown text taken apart. ``top + head + fence + body`` is the text as it was."""

    fields: dict[str, Value]
    body: str
    top: str = ""
    head: str = ""
    fence: str = ""
    faults: tuple[Fault, ...] = ()
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """For each key its lines of ``head``, [first, after the last); empty where the keys share lines."""

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in (self.top or self.body) else "\n"

    @property
    def text(self) -> str:
        return self.top + self.head + self.fence + self.body

    def key(self, *names: str) -> str | None:
        """Return the key that one of ``names`` goes by here, in whatever case it is written."""
        return next((k for name in names for k in self.fields if k.casefold() == name), None)

    def value(self, *names: str) -> str:
        """Return the text of the first of ``names`` that has one, lists joined by commas."""
        for name in names:
            key = self.key(name)
            held = self.fields[key] if key is not None else ""
            if held:
                return ", ".join(map(str, held)) if isinstance(held, list) else str(held)
        return ""


def read(text: str) -> Sheet:
    """Take a text apart; where no front matter stands, or it is never closed, all of the text is body."""
    found = _FENCES.match(text)
    if found is None:
        return Sheet({}, text)
    top, _, head, fence = found.groups()
    try:
        fields, places, faults = _from_yaml(head)
    except _Odd as odd:
        fields, places = _by_line(head)
        faults = [Fault(odd.line, odd.why)]
        if not fields:
            return Sheet({}, text, faults=tuple(faults))
    except _NotKeys:
        return Sheet({}, text)
    return Sheet(fields, text[found.end() :], top, head, fence, tuple(faults), places)


def write(fields: Mapping[str, str], body: str) -> str:
    """Return a text with these fields, each quoted, and this body."""
    return "---\n" + "".join(_line(key, value) + "\n" for key, value in fields.items()) + "---\n" + body


def change(sheet: Sheet, fields: Mapping[str, str], body: str | None = None) -> str:
    """Return the text with some fields, and the body, replaced; raises ValueError where more would change."""
    body = sheet.body if body is None else body
    if not sheet.top:
        bom = "\ufeff" if sheet.body.startswith("\ufeff") else ""
        new = bom + write(fields, "").replace("\n", sheet.newline) + body.removeprefix("\ufeff")
        wanted_body = body.removeprefix("\ufeff")
    else:
        new, wanted_body = sheet.top + _replaced(sheet, fields) + sheet.fence + body, body
        if not sheet.fence.endswith("\n") and body:
            new = sheet.top + _replaced(sheet, fields) + sheet.fence + sheet.newline + body
    again = read(new)
    if again.fields != {**sheet.fields, **fields} or again.body != wanted_body:
        raise ValueError("its front matter is written in a way that can't be changed safely")
    return new


def _replaced(sheet: Sheet, fields: Mapping[str, str]) -> str:
    lines = sheet.head.split("\n")[:-1] if sheet.head.endswith("\n") else sheet.head.split("\n")
    lines = [] if lines == [""] else lines
    end = sheet.newline.removesuffix("\n")
    added = [_line(key, value) + end for key, value in fields.items() if key not in sheet.places]
    for key in sorted(fields.keys() & sheet.places.keys(), key=lambda key: -sheet.places[key][0]):
        first, after = sheet.places[key]
        while after > first + 1 and (not lines[after - 1].strip() or lines[after - 1].startswith("#")):
            after -= 1
        comment = _comment(lines[first]) if after == first + 1 else ""
        lines[first:after] = [_line(key, fields[key]) + comment + end]
    return "".join(line + "\n" for line in lines + added)


def _comment(line: str) -> str:
    """Return the comment that ends a line with a plain value, with the blank before it."""
    found = re.search(r"[ \t]+#(?=\s).*", line.rstrip("\r"))
    plain = found and not re.search(r":\s+[\"'|>]", line)
    return found.group() if found and plain else ""


def _line(key: str, value: str) -> str:
    quoted = yaml.dump(value, default_style='"', allow_unicode=True, width=float("inf"))
    # A break that only some readers take for one must not look like the end of the line.
    quoted = _BREAKS.sub(lambda m: f"\\u{ord(m.group()):04x}", quoted.strip("\n"))
    return f"{key}: {quoted}"


class _Odd(Exception):
    """The front matter isn't YAML that is taken."""

    def __init__(self, line: int, why: str) -> None:
        self.line, self.why = line, why


class _NotKeys(Exception):
    """What stands between the fences are no keys: they are rules in a text."""


class _Loader(yaml.BaseLoader):  # type: ignore[misc]
    """Composes plain text values; a reference to an anchor, which can grow without bound, is refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "a reference to an anchor (*name) is not followed", mark)
        return super().compose_node(parent, index)


def _from_yaml(head: str) -> tuple[dict[str, Value], dict[str, tuple[int, int]], list[Fault]]:
    if len(head) > LONGEST:
        raise _Odd(1, f"the front matter is longer than {LONGEST} characters and was read line by line")
    try:
        loader = _Loader(head)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        why = f"no valid YAML ({error.problem or error.context}), so it was read line by line; put the value in quotes"
        raise _Odd(_line_at(head, mark.index if mark else 0), why) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        at = getattr(error, "position", 0)
        raise _Odd(_line_at(head, at), "no valid YAML, so it was read line by line") from error
    if root is None:
        return {}, {}, []
    if not isinstance(root, yaml.MappingNode):
        raise _NotKeys
    return _mapping(head, root)


def _mapping(head: str, root: Any) -> tuple[dict[str, Value], dict[str, tuple[int, int]], list[Fault]]:
    fields: dict[str, Value] = {}
    starts: dict[str, int] = {}
    faults: list[Fault] = []
    lines = [_line_at(head, key.start_mark.index) - 2 for key, _ in root.value]
    for line, (key, node) in zip(lines, root.value, strict=True):
        if not isinstance(key, yaml.ScalarNode):
            raise _Odd(line + 2, "a key is not plain text; read line by line")
        name = key.value
        if name in fields:
            faults.append(Fault(line + 2, f"the key {name!r} stands here a second time; this one counts"))
        value = _value(node)
        if (tail := _hash_tail(head, node)) is not None:
            value = tail
            why = f"YAML takes what follows # for a comment; it was kept in {name!r}. Put the value in quotes"
            faults.append(Fault(line + 2, why))
        fields[name], starts[name] = value, line
    if root.flow_style or len(set(lines)) < len(lines):
        return fields, {}, faults
    ends = [*lines[1:], head.count("\n") + (not head.endswith("\n"))]
    after = dict(zip(lines, ends, strict=True))
    return fields, {name: (start, after[start]) for name, start in starts.items()}, faults


def _hash_tail(head: str, node: Any) -> str | None:
    """Return the whole of a plain value that a ``#word`` on its line would cut off."""
    if not isinstance(node, yaml.ScalarNode) or node.style is not None or "\n" in node.value:
        return None
    rest = head[node.end_mark.index :].partition("\n")[0].rstrip()
    if not re.match(r"[ \t]*#[^\s#]", rest):
        return None
    return f"{node.value}{rest}".strip()


def _value(node: Any) -> Value:
    if isinstance(node, yaml.SequenceNode):
        return [_value(part) for part in node.value]
    if isinstance(node, yaml.MappingNode):
        return {str(_value(key)): _value(part) for key, part in node.value}
    return node.value


def _line_at(head: str, index: int) -> int:
    """Return the line of the file a place in the front matter stands in; the opening fence is line 1."""
    return head.count("\n", 0, index) + 2


def _by_line(head: str) -> tuple[dict[str, Value], dict[str, tuple[int, int]]]:
    """Read ``key: value`` lines, and what stands indented or as a list below one."""
    lines = [line.rstrip("\r") for line in head.removesuffix("\n").split("\n")]
    starts = [(n, m) for n, line in enumerate(lines) if (m := _PAIR.fullmatch(line))]
    ends = [n for n, _ in starts[1:]] + [len(lines)]
    fields: dict[str, Value] = {}
    places: dict[str, tuple[int, int]] = {}
    for (n, pair), end in zip(starts, ends, strict=False):
        fields[pair[1]] = _loose((pair[2] or "").strip(), [line.strip() for line in lines[n + 1 : end]])
        places[pair[1]] = (n, end)
    return fields, places


def _loose(first: str, below: list[str]) -> Value:
    below = [line for line in below if line and not line.startswith("#")]
    if first in ("|", ">", "|-", ">-", "|+", ">+"):
        return ("\n" if first[0] == "|" else " ").join(below)
    if not first and below and all(line.startswith("-") for line in below):
        return [_unquoted(line[1:].strip()) for line in below]
    if first.startswith("[") and first.endswith("]") and not below:
        return [_unquoted(part.strip()) for part in first[1:-1].split(",") if part.strip()]
    return _unquoted(" ".join([first, *below]).strip())


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "\"'":
        return value
    try:
        read = yaml.load(value, _Loader)  # noqa: S506 - composes texts, never objects
    except yaml.YAMLError:
        read = None
    return read if isinstance(read, str) else value[1:-1]
