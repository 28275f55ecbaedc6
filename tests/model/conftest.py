"""Each test meets its endpoints for the first time: what was learnt about a port is forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nephele_nb.model.client import learned


@pytest.fixture(autouse=True)
def nothing_learnt() -> Iterator[None]:
    learned.clear()
    yield
    learned.clear()
