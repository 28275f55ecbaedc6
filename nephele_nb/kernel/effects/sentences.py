"""The effects of code as sentences for the approval card; it never calls code safe."""

from __future__ import annotations

from collections.abc import Sequence

from ...strings import Strings
from .catalogue import REFUSED_ENDS
from .report import EffectClass, Effects

_ORDER: tuple[EffectClass, ...] = (
    "installs", "processes", "network", "files_written", "deletes", "changes", "writes", "files_read", "reads",
)  # fmt: skip
_MOST = 8


def sentences(effects: Effects, say: Strings, stale: Sequence[str] = ()) -> list[str]:
    """Return a sentence a class of effect, the gravest first, and last what always holds."""
    told = [say("effect_end_refused" if name in REFUSED_ENDS else "effect_end", name=name) for name in effects.ends]
    if effects.unknown == ("",):
        told.append(say("effect_opaque"))
    elif effects.unknown:
        told.append(say("effect_unknown", what=_listed(effects.unknown, say)))
    if stale:
        told.append(say("effect_stale", what=_listed(stale, say)))
    told += [say(f"effect_{name}", what=_listed(what, say)) for name in _ORDER if (what := getattr(effects, name))]
    return [*told, say("effect_always")]


def _listed(what: Sequence[str], say: Strings) -> str:
    shown = ", ".join(what[:_MOST])
    return shown if len(what) <= _MOST else say("effect_more", shown=shown, count=len(what) - _MOST)
