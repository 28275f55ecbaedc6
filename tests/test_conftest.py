"""The guards that every other test relies on."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 443), ("0.0.0.0", 80)])
@pytest.mark.parametrize("call", ["connect", "connect_ex"])
def test_a_foreign_address_is_refused(call: str, address: tuple[str, int]) -> None:
    with socket.socket() as sock, pytest.raises(RuntimeError, match="this machine only"):
        getattr(sock, call)(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_passes(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect((host, server.getsockname()[1]))
        peer, _ = server.accept()
        peer.close()


def test_the_home_is_the_tests_own(home: Path, tmp_path: Path) -> None:
    assert os.environ["NEPHELE_HOME"] == str(home)
    assert home.is_relative_to(tmp_path)
    assert not [name for name in os.environ if name.startswith("OPENAI_")]
