"""A tape: the exchanges of a conversation with its model, and the user's decisions, in one readable file.

The file is text, made to be read and compared: a request is written like an outline, and of a request that goes on
from the one before only what is new. What differs from run to run stands as an ordinal, and what is secret as a mark.
A tape never opens a connection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from nephele_nb.errors import ModelError, SettingError
from nephele_nb.events import plain
from nephele_nb.types import Outcome, Tier

from .ordinals import Ordinals
from .outline import blocks_of, difference, indented, sections, shared, written
from .tiers import Endpoint

FIRST_LINE = "nephele tape 1"
ENCODING: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
STRING = r'(?<="NAME": ")(?:[^"\\]|\\.)*(?=")|(?<="NAME":")(?:[^"\\]|\\.)*(?=")'
STREAMED = ("content", "reasoning_content", "reasoning", "thinking", "text", "refusal", "arguments")
PICTURE = re.compile(r"(data:image/[\w.+-]+;base64,)[A-Za-z0-9+/=]{40,}")
"""A picture's bytes, which no tape holds: encoders and fonts differ from machine to machine."""
NO_TAPE = "There is no tape at {path}: record it first (NEPHELE_TAPE=record, or Agent(tape=…, tape_mode='record'))."
NOT_A_TAPE = "{path} is not a tape of this version ({why}): record it anew (NEPHELE_TAPE=record)."
LEFT = (
    "The tape {path} holds more than this run asked for: {named} left{first}. Record it anew (NEPHELE_TAPE=record) if "
    "the change is meant."
)
MISMATCH = (
    "The conversation no longer matches the tape {path}: request {n} is not on it. Record it anew "
    "(NEPHELE_TAPE=record) if the change is meant.\n{diff}"
)


Act = Literal["stop", "steer", "cancel"]


class Hiding(Protocol):
    """What takes secrets out of whatever is written or compared."""

    def hide(self, text: str) -> str:
        """Return a text without its secrets."""

    def hide_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces of one text without its secrets, wherever it was cut."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back."""

    request: tuple[str, ...]
    status: int
    headers: Mapping[str, str]
    body: str
    end: str = "whole"
    timing: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """How the user decided on one call; ``asked`` is the call as it was shown."""

    tool: str
    asked: str
    outcome: Outcome
    code: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What the user did while a round ran, after so many requests and so many steps of calls that were told.

    A ``stop``, a ``steer`` with its text, or a ``cancel`` of the sub-agent at that place.
    """

    after: int
    what: Act
    text: str = ""
    told: int = 0


@dataclass(slots=True)
class Tape:
    """One tape, recording or replaying."""

    path: Path
    replaying: bool
    hiding: Hiding
    tier: Tier = "byok"
    model: str = ""
    host: str = ""
    """Who answered when it was recorded."""
    exchanges: list[Exchange] = field(default_factory=list)
    decisions: list[Decided] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    steers: set[str] = field(default_factory=set)
    """What the user wrote while rounds ran, as it is on a tape that is replayed."""
    asked: int = 0
    """How many requests were sent so far, answered or not; in a replay the number of the last one taken."""
    told: int = 0
    """How many steps of calls the round has told so far: its calls, questions, decisions and results."""
    hear: Callable[[Said], None] | None = None
    """Does in a replay what the user did."""
    _last: tuple[str, ...] = ()
    _taken: set[int] = field(default_factory=set)
    _begun: bool = False
    _off: bool = False

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that is replayed: an address that leads nowhere."""
        return Endpoint(self.tier, "tape://replay", "", self.model, f"tape {self.path.name}", self.host)

    def outline(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """Return a request as it is written: blocks for its tools, its messages and its options."""
        ordinals = Ordinals()
        rest = {name: value for name, value in body.items() if name not in ("tools", "messages")}
        blocks = [("tool", tool) for tool in body.get("tools", ())]
        blocks += [("message", ordinals.message(message)) for message in body.get("messages", ())]
        blocks += [("options", ordinals.value(rest))]
        texts = ("\n".join([f"{name}:", *written(plain(value), "  ")]) for name, value in blocks)
        return tuple(self.hiding.hide(PICTURE.sub(r"\1…", text)) for text in texts)

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange."""
        same = shared(self._last, exchange.request)
        number = len(self.exchanges) + 1
        self._last = exchange.request
        self.exchanges.append(exchange)
        lines = [f"=== request {number}"]
        lines += [f"= the first {same} parts are as in the request before"] if same else []
        lines += indented("\n".join(exchange.request[same:])) if same < len(exchange.request) else []
        lines += [f"--- answer {exchange.status}"]
        lines += [f"> {name}: {value}" for name, value in exchange.headers.items()]
        lines += indented(self._bare(exchange.body))
        lines += [f"--- end {exchange.end}", f"--- timing {exchange.timing}"]
        self._write(lines)

    def keep_decision(self, decided: Decided) -> None:
        """Write how the user decided."""
        self.decisions.append(decided)
        values = {"tool": decided.tool, "asked": decided.asked, "outcome": decided.outcome}
        more = {name: value for name in ("code", "reason") if (value := getattr(decided, name))}
        self._write(["=== decision", json.dumps(self._hidden(values | more), ensure_ascii=False, indent=1)])

    def keep_said(self, what: Act, text: str = "") -> None:
        """Write what the user did while a round ran; a replay has it on tape already."""
        if not self.replaying:
            values = {"after": self.asked, "what": what, "text": self.hiding.hide(text), "told": self.told}
            self._write(["=== said", json.dumps(values, ensure_ascii=False)])

    def due(self) -> list[Said]:
        """Return what the user did after the last request, as far as the round has come; each once."""
        found = [said for said in self.said if said.after == self.asked and said.told <= self.told]
        self.said = [said for said in self.said if said not in found]
        return found

    def ends(self) -> bool:
        """Tell whether the user stops the round, in a replay, before another request."""
        return any(said.after == self.asked and said.what == "stop" for said in self.said)

    def left(self) -> str:
        """Return in words what of the tape nobody asked for; empty where all was, or where the run has left it."""
        requests = [n for n in range(len(self.exchanges)) if n not in self._taken]
        counts = {"requests": len(requests), "decisions": len(self.decisions), "stops and steers": len(self.said)}
        named = " and ".join(f"{count} {name}" for name, count in counts.items() if count)
        if not self.replaying or not named or self._off:
            return ""
        first = f"; the first is request {requests[0] + 1}" if requests else ""
        return LEFT.format(path=self.path, named=named, first=first)

    def take(self, request: tuple[str, ...]) -> Exchange:
        """Return what answered this request on tape; raises ModelError (``tape``) with a diff where nothing did."""
        left = [n for n in range(len(self.exchanges)) if n not in self._taken]
        found = next((n for n in left if self.exchanges[n].request == request), None)
        if found is not None:
            self._taken.add(found)
            self.asked = found + 1
            return self.exchanges[found]
        self._off = True
        nearest = self.exchanges[left[0]].request if left else ()
        diff = difference(nearest, request) if left else "The tape has no request left."
        raise ModelError(MISMATCH.format(path=self.path, n=len(self._taken) + 1, diff=diff), code="tape")

    def decision(self, tool: str, asked: str) -> Decided | None:
        """Return the next decision on such a call, each once; None where the tape holds none."""
        asked = self.hiding.hide(asked)
        found = next((d for d in self.decisions if (d.tool, d.asked) == (tool, asked)), None)
        if found is not None:
            self.decisions.remove(found)
        return found

    def _bare(self, body: str) -> str:
        """Return a stream without secrets, those too that are spread over its chunks."""
        for name in STREAMED:
            field = re.compile(STRING.replace("NAME", name))
            pieces = iter(self.hiding.hide_pieces(field.findall(body)))
            body = field.sub(lambda _, pieces=pieces: next(pieces), body)  # type: ignore[misc]
        return self.hiding.hide(body)

    def _hidden(self, values: Mapping[str, str]) -> dict[str, str]:
        return {name: self.hiding.hide(value) for name, value in values.items()}

    def _write(self, lines: list[str]) -> None:
        first = (
            [] if self._begun else [FIRST_LINE, f"tier: {self.tier}", f"model: {self.model}", f"host: {self.host}", ""]
        )
        mode, self._begun = "a" if self._begun else "w", True
        try:
            with self.path.open(mode, **ENCODING) as file:
                file.write("\n".join([*first, *lines, "", ""]))
        except OSError as error:
            raise ModelError(f"The tape {self.path} can't be written ({error}).", code="tape") from error


def load(path: Path, hiding: Hiding) -> Tape:
    """Return the tape in a file, ready to replay; raises SettingError where there is none."""
    if not path.exists():
        raise SettingError(NO_TAPE.format(path=path))
    try:
        with path.open(**ENCODING) as file:
            lines = file.read().split("\n")
        if lines[0] != FIRST_LINE:
            raise ValueError(f"it does not begin with {FIRST_LINE!r}")
        tape = Tape(path, True, hiding)
        tape.tier = cast("Tier", lines[1].removeprefix("tier: "))
        tape.model = lines[2].removeprefix("model: ")
        tape.host = lines[3].removeprefix("host: ")
        for name, section in sections(lines[3:]):
            if name == "decision":
                tape.decisions.append(Decided(**json.loads("\n".join(section))))
            elif name == "said":
                tape.said.append(Said(**json.loads("\n".join(section))))
                tape.steers.add(tape.said[-1].text)
            else:
                tape._last = _read_exchange(tape, section)
    except (ValueError, TypeError, IndexError, OSError) as error:
        raise SettingError(NOT_A_TAPE.format(path=path, why=error)) from error
    return tape


def _read_exchange(tape: Tape, section: list[str]) -> tuple[str, ...]:
    marks = [n for n, line in enumerate(section) if line.startswith("--- ")]
    answer, end, timing = (section[n] for n in marks)
    asked, came = section[: marks[0]], section[marks[0] + 1 : marks[1]]
    same = int(asked.pop(0).split()[3]) if asked and asked[0].startswith("= ") else 0
    headers = dict(line[2:].split(": ", 1) for line in came if line.startswith("> "))
    body = "\n".join(line.removeprefix("  ") for line in came if not line.startswith("> "))
    request = (*tape._last[:same], *blocks_of(asked))
    status = int(answer.removeprefix("--- answer "))
    end, timing = end.removeprefix("--- end "), timing.removeprefix("--- timing ")
    tape.exchanges.append(Exchange(request, status, headers, body, end, timing))
    return request
