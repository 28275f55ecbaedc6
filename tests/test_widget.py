"""What the inline view may send for."""

from __future__ import annotations

import pytest

from nephele_nb.widget import MODULES, STATIC, module


@pytest.mark.parametrize("name", ["widget", "../widget", "../static/math", "math.js", "", None, 3, ["math"]])
def test_nothing_but_a_module_is_sent(name: object) -> None:
    assert module(name) is None


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_sent_where_it_is_built(name: str) -> None:
    built = STATIC / f"{name}.js"
    assert module(name) == (built.read_text("utf-8") if built.exists() else None)
