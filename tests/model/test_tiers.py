"""Which endpoint answers: what is given decides, and a key that merely lies about decides nothing."""

from __future__ import annotations

import pytest

from nephele_nb.errors import ModelError
from nephele_nb.model.tiers import OPENAI_URL, Endpoint, endpoint, loops, resolve
from nephele_nb.settings import Effective, Nephele

KEY = "sk-secret"
PLATFORM = {"platform_url": "https://platform.example/v1", "platform_key": KEY}


def found(environ: dict[str, str] | None = None, **arguments: str) -> Endpoint:
    return resolve(Effective(Nephele(), arguments), environ or {})


@pytest.mark.parametrize(
    ("environ", "arguments", "tier", "base_url", "model"),
    [
        ({}, {}, "lite", "", ""),
        ({"OPENAI_API_KEY": KEY}, {}, "lite", "", ""),
        ({"OPENAI_API_KEY": KEY}, {"model": "m"}, "byok", OPENAI_URL, "m"),
        ({"OPENAI_BASE_URL": "http://localhost:1/v1"}, {}, "byok", "http://localhost:1/v1", ""),
        ({}, {"base_url": "http://localhost:1/v1/"}, "byok", "http://localhost:1/v1", ""),
        ({}, {"base_url": "http://h:1/v1/chat/completions", "model": "m"}, "byok", "http://h:1/v1", "m"),
        ({}, {"api_key": KEY, "model": "m"}, "byok", OPENAI_URL, "m"),
        ({}, {"api_key": KEY}, "lite", "", ""),
        ({}, {"model": "m"}, "lite", "", ""),
        ({}, PLATFORM, "zephyr", "https://platform.example/v1", "axioma-zephyr"),
        ({"OPENAI_API_KEY": KEY}, PLATFORM, "zephyr", "https://platform.example/v1", "axioma-zephyr"),
        ({"OPENAI_BASE_URL": "http://localhost:1/v1"}, PLATFORM, "byok", "http://localhost:1/v1", ""),
        ({"OPENAI_BASE_URL": "http://localhost:1/v1"}, {"tier": "lite"}, "lite", "", ""),
        ({}, {"tier": "tempest", **PLATFORM}, "tempest", "https://platform.example/v1", "axioma-tempest"),
    ],
)
def test_auto_and_named(
    environ: dict[str, str], arguments: dict[str, str], tier: str, base_url: str, model: str
) -> None:
    got = found(environ, **arguments)
    assert (got.tier, got.base_url, got.model) == (tier, base_url, model)


def test_an_argument_wins_over_the_environment() -> None:
    got = found({"OPENAI_BASE_URL": "http://env/v1", "OPENAI_API_KEY": "env"}, base_url="http://arg/v1", api_key="arg")
    assert (got.host, got.api_key) == ("arg", "arg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tier": "byok"}, "set base_url"),
        ({"tier": "byok", "api_key": KEY}, "api_key and model"),
        ({"tier": "byok", "model": "m"}, "set base_url"),
        ({"tier": "zephyr"}, "platform_url"),
        ({"tier": "tempest"}, "platform_url"),
        ({"base_url": "localhost:11434/v1"}, "http://"),
        ({"base_url": f"127.0.0.1:1/v1?key={KEY}"}, "http://"),
        ({"base_url": f"http://[bad/{KEY}"}, "http://"),
        ({"base_url": f"https://me:{KEY}@host:port/v1"}, "http://"),
        ({"base_url": f"me:{KEY}/@@#?@host"}, "http://"),
        ({"base_url": KEY}, "http://"),
        ({"platform_url": f"platform/{KEY}"}, "http://"),
        ({"base_url": "http://"}, "http://"),
        ({"base_url": "http://[bad/v1"}, "http://"),
        ({"base_url": "http://host:port/v1"}, "http://"),
    ],
)
def test_a_missing_part_is_named(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(ModelError, match=words) as raised:
        found(**arguments)
    assert raised.value.code == "no_model"
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("odd", ["\u2014", "\u3000", "\u201c", "\n", "\0", "\ud800"])
def test_a_key_that_no_header_can_carry_is_told_without_it(odd: str) -> None:
    with pytest.raises(ModelError, match="key for host:1 holds a character") as raised:
        found(base_url="http://host:1/v1", api_key=f"{KEY}{odd}{KEY}")
    assert raised.value.code == "auth"
    assert KEY not in str(raised.value)


def test_secrets_are_in_no_repr_and_no_host() -> None:
    where = endpoint("byok", "https://user:hidden@host:8443/v1", KEY, "m")
    assert where.host == "host:8443"
    assert where.origin == "https://host:8443/v1"
    assert KEY not in repr(where)
    assert "hidden" not in repr(where)
    with pytest.raises(ModelError) as raised:
        endpoint("byok", "user:hidden@host/v1", KEY, "m")
    assert "hidden" not in str(raised.value)


def test_only_lite_never_loops() -> None:
    assert [loops(tier) for tier in ("lite", "zephyr", "tempest", "byok")] == [False, True, True, True]
    assert not Endpoint("lite").loops
