"""What differs from run to run reads the same on every tape."""

from __future__ import annotations

import pytest

from nephele_nb.model.ordinals import Ordinals


def block(clock: str) -> dict[str, str]:
    return {"role": "user", "content": f"<round-context>\n{clock}\nrows: list 2\n</round-context>\nand now?"}


@pytest.mark.parametrize("second", ["2026-11-30 18:59", "2026-11-30 19:00", "2026-12-01 00:00"])
def test_rounds_of_one_minute_and_of_two_read_the_same(second: str) -> None:
    ordinals = Ordinals()
    ordinals.message(block("2026-11-30 18:59"))
    assert ordinals.message(block(second))["content"] == "<round-context>\ntime\n…\n</round-context>\nand now?"
