"""What would help with an error that code ended in, from the names that are there; it runs nothing of the user's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ..strings import Strings
from ..types import Output
from .namespace import describe, type_name

MOST = 3
_PATH = re.compile(r"No such file or directory: ['\"](.+?)['\"]")


def hint(outputs: Iterable[Output], names: Sequence[str], namespace: Mapping[str, Any], say: Strings) -> str:
    """Return a sentence about the last error, "" where there is none to give; ``names`` are those the code reads."""
    errors = [o for o in outputs if o["output_type"] == "error"]
    if not errors:
        return ""
    kind, words = str(errors[-1].get("ename")), str(errors[-1].get("evalue"))
    if kind == "FileNotFoundError" and (found := _PATH.search(words)):
        name = PurePath(found.group(1)).stem
        value = namespace.get(name)
        return say("hint_variable", name=name, type=type_name(value)) if value is not None else ""
    if kind in ("KeyError", "ColumnNotFoundError", "AttributeError"):
        known = describe(namespace, [name for name in dict.fromkeys(names) if name in namespace]) if names else []
        tables = [v for v in known if v.shape is not None and len(v.shape) == 2 and v.summary]
        return "\n".join(say("hint_columns", name=v.name, columns=v.summary) for v in tables[:MOST])
    return ""
