"""The user's live kernel: its thread, its namespace, its outputs; it never decides what may run there."""

from __future__ import annotations

from .executor import Kernel, attach

__all__ = ["Kernel", "attach"]
