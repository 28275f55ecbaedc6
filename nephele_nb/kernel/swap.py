"""Puts attributes in the place of others for a while; it never leaves one behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ABSENT = object()


@contextmanager
def swapped(owner: Any, **values: Any) -> Iterator[None]:
    """Set attributes of a module or object, and afterwards put back or take away what was in its own dictionary."""
    kept = {name: vars(owner).get(name, _ABSENT) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
