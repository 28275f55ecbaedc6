"""get_stats: what the library holds, by kind; it never opens an item."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..events import plain
from ..threads import in_thread
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def get_stats(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def get_stats() -> str:
        counts = await in_thread(lambda: library().stats())
        return "\n".join(f"{key}: {json.dumps(plain(value), ensure_ascii=False)}" for key, value in counts.items())

    return make_tool(get_stats, "reads", parallel=True, category="library")
