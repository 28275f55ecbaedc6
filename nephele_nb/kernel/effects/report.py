"""What an analysis found, by class of effect; it never judges whether that is dangerous."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, get_args

EffectClass = Literal[
    "reads",
    "writes",
    "deletes",
    "changes",
    "files_read",
    "files_written",
    "network",
    "processes",
    "installs",
    "ends",
    "unknown",
]
CLASSES: tuple[EffectClass, ...] = get_args(EffectClass)


@dataclass(frozen=True, slots=True)
class Effects:
    """What code would do: of names ``reads``, ``writes`` (binds), ``deletes`` and ``changes`` (in place); of the rest
    what and where, in words or as the code has it. ``unknown`` says what could not be seen through.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_written: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    installs: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def classes(self) -> frozenset[EffectClass]:
        """The classes that occur; a later call whose classes are among these asks for nothing new."""
        return frozenset(name for name in CLASSES if getattr(self, name))


@dataclass(slots=True)
class Found:
    """What has been found so far, each thing once, in the order of the code."""

    _by_class: dict[EffectClass, dict[str, None]] = field(default_factory=dict)

    def add(self, effect: EffectClass, what: str) -> None:
        """Note one effect."""
        if what:
            self._by_class.setdefault(effect, {})[what] = None

    def effects(self) -> Effects:
        """Return what was found, for good."""
        return Effects(**{f.name: tuple(self._by_class.get(f.name, ())) for f in fields(Effects)})  # type: ignore[call-overload]
