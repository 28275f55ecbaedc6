"""State of the whole process that code may move: directory, environment, paths, random numbers, options; no more.

Each is kept as a value like any other, by an object that stands for it.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .forms import Form


class _Place:
    """Stands for one piece of process state."""

    __slots__ = ()


class WorkingDirectory(_Place):
    __slots__ = ()


class Environment(_Place):
    __slots__ = ()


class RandomNumbers(_Place):
    __slots__ = ()


class NumpyRandomNumbers(_Place):
    __slots__ = ()


class PlotSettings(_Place):
    __slots__ = ()


class FrameOptions(_Place):
    __slots__ = ()


def _directory(_place: Any) -> str:
    try:
        return str(Path.cwd())
    except OSError:  # the directory itself is gone
        return ""


def _put_directory(_place: Any, kept: str) -> None:
    if kept:
        os.chdir(kept)


def _put_environment(_place: Any, kept: dict[str, str]) -> None:
    for name in os.environ.keys() - kept.keys():
        del os.environ[name]
    os.environ.update(kept)


def _numpy_state(_place: Any) -> Any:
    kind, keys, position, has_gauss, gauss = sys.modules["numpy"].random.get_state()
    return kind, keys.tobytes(), position, has_gauss, gauss


def _put_numpy_state(_place: Any, kept: Any) -> None:
    numpy = sys.modules["numpy"]
    numpy.random.set_state((kept[0], numpy.frombuffer(kept[1], dtype="uint32"), *kept[2:]))


def _plot_settings(_place: Any) -> dict[str, Any]:
    """Return matplotlib's settings, raw, without the backend: it is chosen by the first figure, or by being read."""
    settings = sys.modules["matplotlib"].rcParams
    raw = {name: dict.__getitem__(settings, name) for name in settings if not name.startswith("backend")}
    return {name: list(value) if isinstance(value, list) else value for name, value in raw.items()}


def _put_plot_settings(_place: Any, kept: dict[str, Any]) -> None:
    settings = sys.modules["matplotlib"].rcParams
    for name, value in kept.items():
        dict.__setitem__(settings, name, list(value) if isinstance(value, list) else value)


def _frame_options(_place: Any) -> dict[str, Any]:
    def flat(options: dict[str, Any], before: str) -> Iterator[tuple[str, Any]]:
        for name, value in options.items():
            if isinstance(value, dict) and value:
                yield from flat(value, f"{before}{name}.")
            else:
                yield f"{before}{name}", value

    return dict(flat(getattr(sys.modules["pandas"].options, "d", {}), ""))


def _put_frame_options(place: Any, kept: dict[str, Any]) -> None:
    now = _frame_options(place)
    for name, value in kept.items():
        if now.get(name, value) != value:
            sys.modules["pandas"].set_option(name, value)


def _plain(read: Any, put: Any) -> Form:
    return Form(read, lambda v, k: read(v) == k, put, lambda _v: 5000)


_DIRECTORY = (WorkingDirectory(), "the working directory", _plain(_directory, _put_directory))
_ENVIRONMENT = (Environment(), "os.environ", _plain(lambda _p: dict(os.environ), _put_environment))
_RANDOM = (
    RandomNumbers(),
    "the state of random",
    _plain(lambda _p: random.getstate(), lambda _p, k: random.setstate(k)),
)
_NUMPY = (NumpyRandomNumbers(), "the state of numpy.random", _plain(_numpy_state, _put_numpy_state))

_PLOTS = (PlotSettings(), "matplotlib.rcParams", _plain(_plot_settings, _put_plot_settings))
_FRAMES = (FrameOptions(), "the options of pandas", _plain(_frame_options, _put_frame_options))


def places() -> Iterator[tuple[Any, str, Form | None]]:
    """Yield what stands for each piece of state, its name for people, and its form where it is no common one."""
    yield _DIRECTORY
    yield _ENVIRONMENT
    yield _RANDOM
    if "numpy.random" in sys.modules:
        yield _NUMPY
    if hasattr(sys.modules.get("matplotlib"), "rcParams"):
        yield _PLOTS
    if hasattr(sys.modules.get("pandas"), "options"):
        yield _FRAMES
    yield sys.path, "sys.path", None
    yield warnings.filters, "warnings.filters", None
