"""State of the whole process that code may move: directory, environment, paths, random numbers; it names no more.

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


def places() -> Iterator[tuple[Any, str, Form | None]]:
    """Yield what stands for each piece of state, its name for people, and its form where it is no common one."""
    yield _DIRECTORY
    yield _ENVIRONMENT
    yield _RANDOM
    if "numpy.random" in sys.modules:
        yield _NUMPY
    yield sys.path, "sys.path", None
    yield warnings.filters, "warnings.filters", None
