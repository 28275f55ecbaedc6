"""``%nephele lite install``: says what it will bring and how large that is, then brings it; it starts no model."""

from __future__ import annotations

from collections.abc import Callable
from importlib import invalidate_caches

from .errors import NepheleError
from .model.lite_client import INSTALL_RUNTIME, runtime_is_there
from .model.weights import QWEN, Weights, fetch
from .settings import Effective
from .strings import Strings, language_of


def install(settings: Effective, tell: Callable[[str], None], weights: Weights = QWEN) -> None:
    """Fetch the model of tier lite into the home folder, with a bar; an interrupt keeps what has come.

    Raises NepheleError where the runtime is missing, room is short, or nothing can be reached.
    """
    from .library.progress import fitting, off_thread

    words = Strings(language_of("", settings.language), "doctor")
    invalidate_caches()  # the runtime may have been installed a moment ago
    if not runtime_is_there():
        raise NepheleError(words("install_runtime", line=f"`{INSTALL_RUNTIME}`"))
    folder = settings.home_folder / "models"
    tell(words("install_begins", name=weights.name, folder=folder, size=f"{weights.size / 1e9:.1f}"))
    try:
        path = off_thread(lambda report, stop: fetch(folder, report, stop, weights), fitting())
    except KeyboardInterrupt:
        tell(words("install_stopped"))
    else:
        tell(words("install_done", path=path))
