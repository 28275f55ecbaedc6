"""A key is kept for one host, unseen, and goes to no other."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nephele_nb import keys
from nephele_nb.errors import ModelError
from nephele_nb.model.tiers import key_host, resolve
from nephele_nb.secrets import Secrets
from nephele_nb.settings import Effective, Nephele

KEYRING = """
import json, pathlib
FILE = pathlib.Path(__file__).with_name("ring.json")
def _all(): return json.loads(FILE.read_text()) if FILE.exists() else {}
def get_password(service, name): return _all().get(service + " " + name)
def set_password(service, name, value): FILE.write_text(json.dumps(_all() | {service + " " + name: value}))
def delete_password(service, name): FILE.write_text(json.dumps({k: v for k, v in _all().items() if k != service + " " + name}))
"""  # noqa: E501
TYPED = "sk-typed-0123456789"


@pytest.fixture
def fresh() -> Iterator[None]:
    keys._found.clear()
    yield
    keys._found.clear()


@pytest.fixture
def ring(fresh: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a keyring of the same form in the place of the system's."""
    (tmp_path / "keyring.py").write_text(KEYRING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "keyring", raising=False)
    return tmp_path / "ring.json"


def settings(**own: str) -> Effective:
    return Effective(Nephele(), own)


def test_a_typed_key_is_kept_for_its_host(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(getpass, "getpass", lambda prompt: asked.append(prompt) or f" {TYPED}\n")
    assert keys.ask("api.openai.com", "Key: ") is True
    assert asked == ["Key: "]
    assert json.loads(ring.read_text()) == {"nephele_nb api.openai.com": TYPED}
    keys._found.clear()
    assert keys.stored("api.openai.com") == TYPED
    assert keys.stored("elsewhere.org") == ""
    assert Secrets(settings(), {}).hide(f"it is {TYPED}") == "it is [secret]"
    assert keys.keep("api.openai.com", "")
    keys._found.clear()
    assert keys.stored("api.openai.com") == ""


def test_without_a_keyring_a_key_lasts_as_long_as_the_process(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    monkeypatch.setattr(getpass, "getpass", lambda prompt: TYPED)
    assert keys.ask("h:8000", "") is False
    assert keys.stored("h:8000") == TYPED


def test_nothing_typed_changes_nothing(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.keep("h", TYPED)
    monkeypatch.setattr(getpass, "getpass", lambda prompt: " ")
    assert keys.ask("h", "") is None
    assert keys.stored("h") == TYPED


def test_a_keyring_that_refuses_is_no_fault(ring: Path) -> None:
    ring.write_text("{")
    assert keys.stored("h") == ""
    assert keys.keep("h", TYPED) is False
    assert keys.stored("h") == TYPED


def test_a_stored_key_goes_to_its_host_alone() -> None:
    def stored(host: str) -> str:
        return {"api.openai.com": TYPED, "llm.example.org:8443": "sk-of-the-other"}.get(host, "")

    assert resolve(settings(model="m"), {}, stored).api_key == TYPED
    assert resolve(settings(base_url="https://llm.example.org:8443/v1"), {}, stored).api_key == "sk-of-the-other"
    assert resolve(settings(base_url="https://llm.example.org/v1"), {}, stored).api_key == ""
    assert (
        resolve(settings(base_url="https://llm.example.org/v1", api_key="mine-alone"), {}, stored).api_key
        == "mine-alone"
    )
    assert resolve(settings(), {}, stored).tier == "lite"
    with pytest.raises(ModelError, match="%nephele key"):
        resolve(settings(tier="byok"), {}, stored)


def test_the_keyring_is_not_asked_where_nothing_is_named() -> None:
    def never(host: str) -> str:
        raise AssertionError(host)

    assert resolve(settings(), {}, never).tier == "lite"
    assert resolve(settings(tier="lite", model="m"), {}, never).tier == "lite"
    assert resolve(settings(model="m", api_key="sk-0123456789"), {}, never).tier == "byok"


@pytest.mark.parametrize(
    ("own", "host"),
    [
        ({}, "api.openai.com"),
        ({"model": "m"}, "api.openai.com"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, "127.0.0.1:8000"),
        ({"platform_url": "https://p.example.org/v1"}, "p.example.org"),
        ({"tier": "zephyr", "platform_url": "https://p.example.org/v1", "model": "m"}, "p.example.org"),
    ],
)
def test_whose_key_is_asked_for(own: dict[str, str], host: str) -> None:
    assert key_host(settings(**own), {}) == host
