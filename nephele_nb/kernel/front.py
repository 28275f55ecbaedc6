"""The front end of the cell that is running: what it can answer, and the way to show it something."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from . import reactive


def ipython() -> Any:
    """Return this process's IPython shell, or None; it never imports IPython."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def notebook_name() -> str | None:
    """Return the path of the notebook in front of the user, where whoever started this process has told it."""
    return reactive.edited_file() or os.environ.get("JPY_SESSION_NAME")


def forbids_stdin() -> bool:
    """True where the cell now running came from a runner that answers no questions, as nbclient-based ones do."""
    kernel = getattr(ipython(), "kernel", None)
    if kernel is None:
        return not reactive.is_answered()
    content = (kernel.get_parent("shell") or {}).get("content", {})
    return not content.get("allow_stdin", True)


def publish(bundle: Mapping[str, Any], display_id: str | None = None, *, update: bool = False) -> None:
    """Show a mimebundle in the running cell, or put it in the place of the one shown under ``display_id``."""
    transient = {"display_id": display_id} if display_id else {}
    ipython().display_pub.publish(data=dict(bundle), metadata={}, transient=transient, update=update)


def say(text: str) -> None:
    """Show markdown in the running cell."""
    if reactive.in_marimo():
        reactive.say(text)
    else:
        publish({"text/markdown": text, "text/plain": text})
