"""What holds for every test: no way off this machine, a home of its own, and no settings from outside."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

FOREIGN_PREFIXES = ("NEPHELE_", "OPENAI_")
KEPT = {"NEPHELE_CHROMIUM"}


class LeftTheMachineError(RuntimeError):
    """A test tried to connect to something that is not on this machine."""


def is_local(sock: socket.socket, address: Any) -> bool:
    """Tell whether an address is on this machine: a Unix socket, ``localhost``, or a loopback number."""
    if sock.family == getattr(socket, "AF_UNIX", None):
        return True
    host = str(address[0]) if isinstance(address, tuple) else ""
    if host == "localhost":
        return True
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def no_way_off_this_machine() -> Iterator[None]:
    """Refuse every connection that is not local, for the whole session."""
    kept = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex")}

    def refusing(name: str) -> Any:
        def connect(sock: socket.socket, address: Any) -> Any:
            if not is_local(sock, address):
                raise LeftTheMachineError(f"A test tried to reach {address!r}; tests talk to this machine only.")
            return kept[name](sock, address)

        return connect

    for name in kept:
        setattr(socket.socket, name, refusing(name))
    yield
    for name, original in kept.items():
        setattr(socket.socket, name, original)


@pytest.fixture(scope="session", autouse=True)
def no_profile_of_the_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give IPython and Jupyter empty folders, so that nobody's own configuration decides a test."""
    root = tmp_path_factory.mktemp("profile")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            folder = root / name.lower()
            folder.mkdir()
            patch.setenv(name, str(folder))
        patch.delenv("JPY_SESSION_NAME", raising=False)
        yield


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without keys and endpoints, and with a home folder of the test's own (not yet made)."""
    for name in list(os.environ):
        if name.startswith(FOREIGN_PREFIXES) and name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("NEPHELE_HOME", str(tmp_path / "home"))
    # No test is answered by a model that happens to lie on this machine.
    monkeypatch.setenv("NEPHELE_LITE_MODEL", "none")


@pytest.fixture
def home() -> Path:
    """The home folder of this test."""
    return Path(os.environ["NEPHELE_HOME"])
