"""What code would do before it runs, by its tree and the live types; it never runs the code and never calls it safe."""

from __future__ import annotations

from .report import CLASSES, EffectClass, Effects
from .sentences import sentences
from .transparent import transparent
from .walk import analyse

__all__ = ["CLASSES", "EffectClass", "Effects", "analyse", "sentences", "transparent"]
