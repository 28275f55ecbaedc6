"""What is set counts and can be looked at; a key is in no listing and in no error."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.lib.pretty import pretty
from traitlets.config import Config

from nephele_nb.errors import SettingError
from nephele_nb.settings import Effective, Nephele

KEY = "sk-verysecret-123456"
SECRETS = ["api_key", "platform_key"]
ADDRESSES = ["base_url", "platform_url", "embedder", "library"]


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_set_in_each_way_and_is_whole(name: str) -> None:
    from_file = Nephele(config=Config({"Nephele": {name: KEY}}))
    from_environment = Nephele()
    from_environment.apply_environment({f"NEPHELE_{name.upper()}": KEY})
    for settings in (from_file, from_environment, Nephele(**{name: KEY}), Effective(Nephele(), {name: KEY})):
        value = getattr(settings, name)
        assert value == KEY
        assert f"{value}" == KEY
        assert value.strip() == KEY


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_in_no_listing(name: str) -> None:
    settings = Nephele(**{name: KEY})
    assert KEY not in Nephele.class_get_help(settings)
    assert pretty(getattr(settings, name)) == "<set>"
    assert pretty(getattr(Nephele(), name)) == "''"


@pytest.mark.parametrize("name", ADDRESSES)
def test_an_address_is_listed_without_what_is_secret_in_it(name: str) -> None:
    settings = Nephele(**{name: f"https://me:{KEY}@host/v1?key={KEY}"})
    assert getattr(settings, name) == f"https://me:{KEY}@host/v1?key={KEY}"
    assert pretty(getattr(settings, name)) == "'https://…@host/v1?…'"
    assert KEY not in Nephele.class_get_help(settings)
    assert pretty(getattr(Nephele(**{name: "https://host/v1"}), name)) == "'https://host/v1'"


def test_config_assigns_a_key_and_does_not_print_it(capsys: pytest.CaptureFixture[str]) -> None:
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    settings = Nephele(parent=shell)
    shell.configurables.append(settings)
    shell.run_cell(f"%config Nephele.api_key = {KEY!r}")
    assert settings.api_key == KEY
    shell.run_cell("%config Nephele")
    shell.run_cell("%config Nephele.api_key")
    shown = capsys.readouterr()
    assert "Nephele.api_key=" in shown.out
    assert "<set>" in shown.out
    assert KEY not in shown.out + shown.err


@pytest.mark.parametrize("name", [*SECRETS, *ADDRESSES])
@pytest.mark.parametrize("value", [[KEY], KEY.encode(), {"key": KEY}])
def test_a_value_of_a_wrong_type_is_not_repeated(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"{name} takes text") as raised:
        Effective(Nephele(), {name: value})
    assert KEY not in str(raised.value)
    assert KEY not in str(raised.value.__cause__)


def test_a_misspelt_variable_names_the_right_one() -> None:
    with pytest.raises(SettingError, match="NEPHELE_TIER\\?"):
        Nephele().apply_environment({"NEPHELE_TIERR": "byok"})
    Nephele().apply_environment({"NEPHELE_EMBEDDER_KEY": "k", "NEPHELE_BENCH": "/x", "OTHER": "y"})
