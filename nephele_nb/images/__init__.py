"""Pictures on their way to a model: any form brought to one, and kept by hash; it never sends or shows one."""

from __future__ import annotations

from .album import Album, Kept
from .prepare import listed, prepare
from .source import Picture

__all__ = ["Album", "Kept", "Picture", "listed", "prepare"]
