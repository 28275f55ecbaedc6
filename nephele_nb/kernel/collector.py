"""Gathers the outputs of one run as they are published, bounded while they come; it never asks who publishes them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ..types import Output
from .outputs import bound, cut, strip_ansi

STREAM_CAP = 4_000_000
"""Characters of one stream piece that are kept, head and tail; beyond twice this it is cut."""
RICH_CAP = 20_000_000
"""Bytes of all outputs of one run that are kept."""

OURS = re.compile(r"nephele_nb[/\\]kernel[/\\]")
"""A frame of how code is run and interrupted, which says nothing about the code."""


class Collector:
    """The outputs of one run; every method may be called from any thread."""

    def __init__(self, heard: Callable[[Output], None] | None = None) -> None:
        self.ended = False
        self._heard = heard
        self._lock = threading.Lock()
        self._outputs: list[Output] = []
        self._names: list[str | None] = []
        self._printed = 0
        self._clear_next = False
        self._at_end: list[Callable[[], object]] = []

    def hear(self, kind: str, content: Mapping[str, Any]) -> None:
        """Take one published message: its type and its content, as on the notebook's output channel."""
        if kind == "clear_output":
            self._clear(bool(content.get("wait")))
        elif kind == "update_display_data":
            self._update(content)
        elif (output := _as_output(kind, content)) is not None:
            self._add(output, (content.get("transient") or {}).get("display_id"))

    def end(self) -> None:
        """Say that nothing comes any more."""
        with self._lock:
            self.ended = True
            called, self._at_end = self._at_end, []
        for fn in called:
            fn()

    def when_ended(self, fn: Callable[[], object]) -> None:
        """Call a function at the end, from the thread that says so; at once if the end has been."""
        with self._lock:
            if not self.ended:
                self._at_end.append(fn)
                return
        fn()

    def outputs(self) -> tuple[Output, ...]:
        """Return what has come so far, neighbouring stream pieces merged and all within bounds."""
        with self._lock:
            return bound(map(_whole, self._outputs), RICH_CAP)

    def _add(self, output: Output, name: str | None) -> None:
        with self._lock:
            if self._clear_next:
                self._drop_all()
            if self._is_repeated_picture(output) or not self._append(output, name):
                return
        if self._heard is not None:
            self._heard(output)

    def _append(self, output: Output, name: str | None) -> bool:
        last = self._outputs[-1] if self._outputs else None
        if output["output_type"] != "stream":
            self._outputs.append(output)
            self._names.append(name)
            return True
        if last is None or last["output_type"] != "stream" or last["name"] != output["name"]:
            self._outputs.append(output | {"text": [output["text"]]})
            self._names.append(None)
            self._printed = len(output["text"])
            return True
        last["text"].append(output["text"])
        self._printed += len(output["text"])
        if self._printed <= 2 * STREAM_CAP:
            return True
        last["text"] = [cut("".join(last["text"]), STREAM_CAP)]
        self._printed = len(last["text"][0])
        return False

    def _is_repeated_picture(self, output: Output) -> bool:
        """A figure that is a cell's last value is shown by it and again when open figures are flushed."""
        picture = output.get("data", {}).get("image/png")
        return bool(picture) and any(picture == o.get("data", {}).get("image/png") for o in self._outputs)

    def _clear(self, wait: bool) -> None:
        with self._lock:
            if wait:
                self._clear_next = True
            else:
                self._drop_all()

    def _drop_all(self) -> None:
        self._outputs, self._names, self._clear_next = [], [], False

    def _update(self, content: Mapping[str, Any]) -> None:
        name = (content.get("transient") or {}).get("display_id")
        with self._lock:
            for place, known in enumerate(self._names):
                if known is not None and known == name:
                    self._outputs[place] = self._outputs[place] | {
                        "data": dict(content["data"]),
                        "metadata": dict(content.get("metadata") or {}),
                    }


def _whole(output: Output) -> Output:
    return output | {"text": "".join(output["text"])} if output["output_type"] == "stream" else output


def _as_output(kind: str, content: Mapping[str, Any]) -> Output | None:
    if kind == "stream":
        return {"output_type": "stream", "name": content["name"], "text": content["text"]}
    if kind == "error":
        trace = [frame for frame in content.get("traceback") or () if not OURS.search(strip_ansi(str(frame)))]
        return {
            "output_type": "error",
            "ename": content.get("ename"),
            "evalue": content.get("evalue"),
            "traceback": trace,
        }
    if kind not in ("display_data", "execute_result"):
        return None
    output = {"output_type": kind, "data": dict(content["data"]), "metadata": dict(content.get("metadata") or {})}
    return output | {"execution_count": None} if kind == "execute_result" else output
