"""Which names count as the user's own."""

from __future__ import annotations

import pytest

from nephele_nb.kernel.snapshot import visible


@pytest.mark.parametrize("name", ["x1", "d2", "X", "_x", "_x1", "i1", "_iris", "数据1", "a_1", "In1"])
def test_any_name_of_the_users_own_is_kept(name: str) -> None:
    hidden = {"_1": 1, "_i2": "", "__name__": "", "_": 0, "In": [], "_ih": [], "_dh": []}
    assert dict(visible({name: [1], **hidden}, {})) == {name: [1]}
