"""How a change of a card is taken back, as data for the journal; it touches no file.

``memory.delete`` undoes a creation, ``memory.restore`` gives a file its former bytes. Both hold the digest of what the
change left behind, so that a file that somebody changed since is never overwritten.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from ..errors import NepheleError
from ..types import Inverse


def digest(data: bytes) -> str:
    """Return what stands for a file's bytes."""
    return sha256(data).hexdigest()[:32]


def deletion(name: str, left: bytes) -> Inverse:
    """Return the inverse of writing a new file."""
    return Inverse("memory.delete", {"file": name, "left": digest(left)})


def restoration(name: str, before: bytes, left: bytes | None) -> Inverse:
    """Return the inverse of changing a file, or of deleting it (``left`` None)."""
    held: dict[str, Any]
    try:
        held = {"text": before.decode()}
    except UnicodeDecodeError:
        held = {"base64": b64encode(before).decode()}
    return Inverse("memory.restore", {"file": name, "left": digest(left) if left is not None else None, **held})


def reverse(name: str, present: bytes | None, put: bytes | None) -> Inverse:
    """Return the inverse of having replaced ``present`` by ``put``; None stands for no file."""
    if present is None:
        assert put is not None
        return deletion(name, put)
    return restoration(name, present, put)


def name_of(inverse: Inverse) -> str:
    """Return the file an inverse is about; raises NepheleError for what is no card's name or no inverse of ours."""
    name = str(inverse.arguments.get("file", ""))
    plain = PurePosixPath(name).name == PureWindowsPath(name).name == name
    if inverse.op not in ("memory.delete", "memory.restore"):
        raise NepheleError(f"memory doesn't know how to apply {inverse.op!r}")
    if not plain or name.startswith(".") or not name.lower().endswith(".md"):
        raise NepheleError(f"{name!r} is no memory card's file")
    return name


def former(inverse: Inverse) -> bytes | None:
    """Return the bytes an inverse brings back, None where it deletes."""
    arguments = inverse.arguments
    if inverse.op == "memory.delete":
        return None
    if "text" in arguments:
        return str(arguments["text"]).encode()
    return b64decode(arguments["base64"])


def check(inverse: Inverse, present: bytes | None) -> None:
    """Raise NepheleError where a file isn't what the change had left."""
    left = inverse.arguments.get("left")
    if present is None and left is not None:
        raise NepheleError("the card was deleted since")
    if present is not None and left is None:
        raise NepheleError("there is a card of this name again")
    if present is not None and digest(present) != left:
        raise NepheleError("the card was changed since")
