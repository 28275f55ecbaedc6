"""What a scripted model says: scenes and steps as plain values, and which step answers a request; no server here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nephele_nb.types import Message

CLOSING = "No tool may be called in this request, so the script ends here."
NO_MATCH = "(no match)"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that a step makes."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model.

    ``capture`` is a pattern searched in the last tool results; ``{1}`` and ``{name}`` in ``say``, ``think`` and
    arguments stand for its groups. ``usage`` None counts roughly. ``raw`` is sent instead of all that, as it is;
    ``status`` and ``headers`` belong to any answer. A ``stubborn`` step calls tools even where the request forbids it.
    """

    say: str = ""
    think: str = ""
    calls: Sequence[Call] = ()
    usage: Mapping[str, Any] | None = None
    chunk_chars: int = 12
    raw: bytes | None = None
    finish: str | None = None
    capture: str | None = None
    stubborn: bool = False
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """What is said to one kind of message: ``when`` is a pattern on the user's last message, None fits any.

    ``title`` is an example of such a message, shown where the script knows no answer.
    """

    steps: Sequence[Step | str]
    when: str | None = None
    title: str = ""


Script = Sequence[Scene | Step | str]


class Player:
    """Chooses the step for each request: by scene from what the request holds, or from a plain list in order."""

    def __init__(self, script: Script) -> None:
        self._scenes = [entry for entry in script if isinstance(entry, Scene)]
        steps = [entry for entry in script if not isinstance(entry, Scene)]
        if not script or (self._scenes and steps):
            raise ValueError("A script is a list of scenes, or a list of steps and strings, and not empty.")
        self._steps = [Step(say=entry) if isinstance(entry, str) else entry for entry in steps]
        self._played = 0

    def answer(self, body: Mapping[str, Any]) -> Step:
        """Return the step that answers this request, filled in and held to the request's ``tool_choice``."""
        messages: list[Message] = body.get("messages") or []
        step = self._scene_step(messages) if self._scenes else self._next_step()
        if step.capture is not None:
            step = _fill(step, _results(messages))
        if body.get("tool_choice") == "none" and step.calls and not step.stubborn:
            step = replace(step, calls=(), say=step.say or CLOSING)
        return step

    def _next_step(self) -> Step:
        step = self._steps[min(self._played, len(self._steps) - 1)]
        self._played += 1
        return step

    def _scene_step(self, messages: Sequence[Message]) -> Step:
        said = [m for n, m in enumerate(messages) if not _brings_figures(messages, n)]
        last = max((i for i, m in enumerate(said) if m["role"] == "user"), default=-1)
        asked = text_of(said[last]) if last >= 0 else ""
        made: int = sum(m["role"] == "assistant" for m in said[last + 1 :])
        fits = (s for s in self._scenes if s.when is None or re.search(s.when, asked))
        scene = next(fits, None) or Scene([Step(say=self._out_of_script())])
        step = scene.steps[min(made, len(scene.steps) - 1)]
        return Step(say=step) if isinstance(step, str) else step

    def _out_of_script(self) -> str:
        known = [scene.title or scene.when or "" for scene in self._scenes]
        lines = "\n".join(f"- {title}" for title in known)
        return f"I am a script, not a model, and have no answer to that. What I know:\n\n{lines}"


def load(path: str | Path) -> list[Scene]:
    """Return the scenes of a JSON file: a list of objects with the fields of Scene, Step and Call.

    Raises ValueError where the file holds anything else.
    """
    try:
        scenes = json.loads(Path(path).read_text("utf-8"))
        return [Scene(**{**scene, "steps": [_step(step) for step in scene["steps"]]}) for scene in scenes]
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is not a script: {error}. It is a list of scenes, each with steps.") from error


def text_of(message: Message) -> str:
    """Return the text of a message, whether its content is a string or a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text") or "") for part in content)


def _step(fields: str | Mapping[str, Any]) -> Step:
    if isinstance(fields, str):
        return Step(say=fields)
    values = dict(fields)
    values["calls"] = tuple(Call(**call) for call in values.get("calls", ()))
    return Step(**values)


def _brings_figures(messages: Sequence[Message], n: int) -> bool:
    """True for a message that only carries pictures of code that ran, and for the line that announces it."""
    after = messages[n + 1] if messages[n]["role"] == "assistant" and n + 1 < len(messages) else messages[n]
    return after["role"] == "user" and not text_of(after) and bool(after.get("content"))


def _results(messages: Sequence[Message]) -> str:
    messages = [m for n, m in enumerate(messages) if not _brings_figures(messages, n)]
    last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
    return "\n".join(text_of(m) for m in messages[last + 1 :] if m["role"] == "tool")


def _fill(step: Step, results: str) -> Step:
    pattern = re.compile(step.capture or "")
    found = pattern.search(results)
    names: list[int | str] = [*range(pattern.groups + 1), *pattern.groupindex]
    groups = {f"{{{name}}}": (found[name] if found else None) or NO_MATCH for name in names}
    calls = [Call(call.name, _replaced(call.arguments, groups)) for call in step.calls]
    return replace(step, say=_replaced(step.say, groups), think=_replaced(step.think, groups), calls=calls)


def _replaced(value: Any, groups: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for mark, text in groups.items():
            value = value.replace(mark, text)
        return value
    if isinstance(value, Mapping):
        return {name: _replaced(inside, groups) for name, inside in value.items()}
    return [_replaced(inside, groups) for inside in value] if isinstance(value, list) else value
