"""nephele_nb: an agent that lives in your kernel; this module only names what it offers and loads it when asked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agent import Agent
    from .library import Library

__version__ = "0.1.0"
__all__ = ["Agent", "Library", "__version__"]

_HOMES = {"Agent": "agent", "Library": "library"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nephele_nb' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name == "Agent":
        value.face, value.followed = _show, _follow
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(ip: Any) -> None:
    """``%load_ext nephele_nb``: register the magics and the settings."""
    from .settings import shared

    __getattr__("Agent")
    shared(ip)
    import_module(".magic", __name__).load(ip)
    import_module(".panel", __name__).announce()


def unload_ipython_extension(ip: Any) -> None:
    """``%unload_ext nephele_nb``: give the shell back as it was."""
    import_module(".magic", __name__).unload(ip)
    import_module(".panel", __name__).withdraw()


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "nephele-nb"}]


def _show(agent: Agent) -> Any:
    return import_module(".widget", __name__).displayed(agent)


def _follow(agent: Agent) -> None:
    import_module(".panel", __name__).follow(agent)
