"""Keys that stand in no setting: those in the system's keyring, and what the user typed; it shows none.

A key is kept for one host and given to no other. The keyring is asked once for each host, and only where the
``keyring`` package is installed; what is typed where there is none lasts as long as the process.
"""

from __future__ import annotations

import getpass
import importlib
import threading

SERVICE = "nephele_nb"

_found: dict[str, str] = {}
_lock = threading.Lock()


def stored(host: str) -> str:
    """Return the key kept for a host (``api.openai.com``, ``127.0.0.1:8000``), empty where there is none."""
    with _lock:
        if host and host not in _found:
            _found[host] = _from_keyring(host)
        return _found.get(host, "")


def known() -> list[str]:
    """Return the keys that were found or typed so far."""
    with _lock:
        return [key for key in _found.values() if key]


def ask(host: str, prompt: str) -> bool | None:
    """Have the user type a key for a host, unseen; True where the keyring has kept it, None where none was typed."""
    key = getpass.getpass(prompt).strip()
    return keep(host, key) if key else None


def keep(host: str, key: str) -> bool:
    """Keep a key for a host, an empty one to forget it; False where only this process keeps it."""
    with _lock:
        _found[host] = key
        if key:
            return _keyring("set_password", host, key) is not None
        return _keyring("get_password", host) == ("",) or _keyring("delete_password", host) is not None


def _from_keyring(host: str) -> str:
    answer = _keyring("get_password", host)
    return answer[0] if answer else ""


def _keyring(call: str, *args: str) -> tuple[str] | None:
    """Return what the keyring answers, or None where there is none or it refuses."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    refusal: type[Exception] = getattr(getattr(keyring, "errors", None), "KeyringError", OSError)
    try:
        return (getattr(keyring, call)(SERVICE, *args) or "",)
    except (refusal, OSError, RuntimeError, ValueError):
        return None
