"""Which model file the lite tier would use: the one that is named, the installed one, or one of the usual caches.

It reads headers and sizes only, picks no file that this machine's memory can't hold, and downloads nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .gguf import Gguf, look

Why = Literal["", "off", "none", "too_large", "not_chat", "unreadable", "missing"]
LARGEST = 6 * 1024**3
"""Bytes of the largest file that is picked unasked: larger ones answer too slowly where there is no graphics card."""
OVERHEAD = 1.15
SPARE = 700 * 1024**2
MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """The model to use, or why there is none; ``passed`` are the models that were found and not taken."""

    model: Gguf | None
    why: Why = ""
    passed: tuple[Gguf, ...] = ()


def choose(named: str, home: Path, environ: Mapping[str, str] = os.environ) -> Choice:
    """Return the model for the setting ``lite_model``: "auto", "none", or the path of a file."""
    if named == "none":
        return Choice(None, "off")
    if named != "auto":
        return _named(Path(named).expanduser())
    room = _memory()
    passed: list[Gguf] = []
    for place in (_installed(home), _cached(environ)):
        models = [model for model in place if model.chat]
        fitting = [m for m in models if m.bytes <= LARGEST and fits(m, room)]
        best = max(fitting, key=lambda m: m.bytes, default=None)
        passed += [m for m in models if m is not best]
        if best is not None:
            return Choice(best, passed=tuple(passed))
    return Choice(None, "too_large" if passed else "none", tuple(passed))


def fits(model: Gguf, room: int | None = None) -> bool:
    """Tell whether a model fits in the memory that is free now (bytes)."""
    return model.bytes * OVERHEAD + SPARE <= (_memory() if room is None else room)


def _named(path: Path) -> Choice:
    if not path.is_file():
        return Choice(None, "missing")
    model = look(path)
    if model is None or not model.chat:
        return Choice(None, "unreadable" if model is None else "not_chat")
    return Choice(model)


def _installed(home: Path) -> Iterator[Gguf]:
    yield from _looked(_within(home / "models", "*.gguf"))


def _cached(environ: Mapping[str, str]) -> Iterator[Gguf]:
    user = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    cache = Path(environ.get("XDG_CACHE_HOME") or user / ".cache")
    hub = Path(environ.get("HF_HUB_CACHE") or Path(environ.get("HF_HOME") or cache / "huggingface") / "hub")
    named = environ.get("OLLAMA_MODELS")
    for ollama in [Path(named)] if named else [user / ".ollama/models", Path("/usr/share/ollama/.ollama/models")]:
        yield from _ollama(ollama)
    yield from _looked(_within(hub, "models--*/snapshots/*/*.gguf"))
    yield from _looked(_within(hub, "models--*/snapshots/*/*/*.gguf"))
    for studio in (user / ".lmstudio/models", user / ".cache/lm-studio/models"):
        yield from _looked(_within(studio, "*/*/*.gguf"))


def _within(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))[:MOST_FILES]
    except OSError:
        return []


def _looked(paths: list[Path]) -> Iterator[Gguf]:
    for path in paths:
        if (model := look(path)) is not None:
            yield model


def _ollama(root: Path) -> Iterator[Gguf]:
    """Yield Ollama's models: a manifest names the layer that holds the weights."""
    for manifest in _within(root / "manifests", "*/*/*/*"):
        try:
            layers = json.loads(manifest.read_text("utf-8"))["layers"]
            digest = next(x["digest"] for x in layers if x["mediaType"] == "application/vnd.ollama.image.model")
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            continue
        blob = root / "blobs" / str(digest).replace(":", "-")
        if (model := look(blob, f"{manifest.parent.name}:{manifest.name}")) is not None:
            yield model


def _memory() -> int:
    """Return the bytes of memory that are free, no more than a container may use."""
    import psutil

    free = int(psutil.virtual_memory().available)
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text("ascii").strip()
        return min(free, int(limit) - int(used))
    except (OSError, ValueError):
        return free
