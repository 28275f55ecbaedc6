"""nephele_nb: an agent that lives in your kernel; this module only names what it offers and loads it when asked."""

from __future__ import annotations

__version__ = "0.1.0"
