"""Keeps what was spent, one JSON line for each entry in ``home/ledger``; it never stops a request."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nephele_nb.types import Tier, Usage

CREDITS_PER_TOKEN: dict[Tier, float] = {"tempest": 1 / 1000, "zephyr": 0.5 / 1000, "lite": 0.0, "byok": 0.0}


@dataclass(frozen=True, slots=True)
class Spent:
    """Credits and tokens of one round, or of all."""

    credits: float = 0.0
    input: int = 0
    output: int = 0
    total: int = 0


class Ledger:
    """The account of one home folder; several kernels may write it. A line that was cut short is passed over."""

    def __init__(self, home: Path) -> None:
        self.path = Path(home) / "ledger"

    def record(self, round_id: str, tier: Tier, model: str, usage: Usage) -> float:
        """Note what a round used and return the credits it cost: 1 for 1,000 tokens at tempest, half at zephyr."""
        total = usage.total or usage.input + usage.output
        spent = round(total * CREDITS_PER_TOKEN[tier], 6)
        self._append(
            {
                "at": time.time(),
                "round": round_id,
                "tier": tier,
                "model": model,
                "credits": spent,
                "input": usage.input,
                "output": usage.output,
                "total": total,
            }
        )
        return spent

    def note_balance(self, balance: float) -> None:
        """Note the balance that a platform endpoint has said."""
        self._append({"at": time.time(), "balance": balance})

    def spent(self, round_id: str | None = None) -> Spent:
        """Return what one round has spent, or all rounds together."""
        rows = [row for row in self._rows() if "round" in row and round_id in (None, row["round"])]
        return Spent(
            round(sum(row.get("credits", 0.0) for row in rows), 6),
            *(sum(row.get(name, 0) for row in rows) for name in ("input", "output", "total")),
        )

    @property
    def balance(self) -> float | None:
        """The balance a platform endpoint said last; None while none has said one."""
        said = [float(row["balance"]) for row in self._rows() if "balance" in row]
        return said[-1] if said else None

    def _append(self, row: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        # One write in append mode: lines of several kernels never mix.
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n" if hasattr(os, "pread") else False
            os.write(handle, b"\n" + line if torn else line)
        finally:
            os.close(handle)

    def _rows(self) -> Iterator[dict[str, Any]]:
        if not self.path.exists():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row
