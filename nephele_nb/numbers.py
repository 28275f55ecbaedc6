"""Numbers of an answer and the tool results they stand in; a number that stands in none is left as it is.

A number is tied where a result holds the same value, or one that rounds to it, as a share or with a unit of counting
(thousand, 万) too. Where several do, the last exact one counts. Numbers of code, citations, dates and names are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from .types import NumberLink

MOST = 200
"""Links of one answer."""
LONGEST = 400
"""Characters of a number, and places before or after its point, beyond which nobody reads it."""
ROUNDED_DIGITS = 2
"""Digits a rounded number must have: "3" is no rounding of 3.14 anybody could trace."""

_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,/:#\\-])[-+\u2212]?(?:\d{1,3}(?:[,\u202f\u00a0]\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
    r"(?:\s?(?:%|\u2030|thousand\b|million\b|billion\b|[\u5343\u4e07\u4ebf]))?(?![A-Za-z0-9_]|[-/:.,]\d)"
)
_SCALES = {
    "%": Decimal("0.01"), "\u2030": Decimal("0.001"), "thousand": Decimal(10**3), "million": Decimal(10**6),
    "billion": Decimal(10**9), "\u5343": Decimal(10**3), "\u4e07": Decimal(10**4), "\u4ebf": Decimal(10**8),
}  # fmt: skip
_LEFT_OUT = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\[\d{1,3}\]|<!--.*?-->|^\s*\d{1,3}[.)]\s|\bhttps?://\S+", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of the round; ``reads`` is what it was made of, with the fingerprint each thing had then."""

    call_id: str
    text: str
    reads: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written: ``value`` by itself, ``scaled`` with its unit, ``step`` the last digit's worth."""

    text: str
    value: Decimal
    scale: Decimal
    step: Decimal
    digits: int

    @property
    def scaled(self) -> Decimal:
        return self.value * self.scale


class Held:
    """The numbers of one finding, made ready to be looked up."""

    def __init__(self, finding: Finding) -> None:
        found = list(numbers(finding.text))
        self.finding = finding
        self._values = {number.value for number in found}
        self._scaled = {number.scaled for number in found}
        self._rounded: dict[Decimal, set[Decimal]] = {}

    def has(self, number: Number) -> bool:
        """Say whether a number is there: as it stands, or with the units of both."""
        return number.value in self._values or number.scaled in self._scaled

    def rounds_to(self, number: Number) -> bool:
        """Say whether a number that is there, and has more digits, rounds to this one."""
        if number.digits < ROUNDED_DIGITS:
            return False
        pairs = {(number.value, number.step), (number.scaled, (number.step * number.scale).normalize())}
        return any(value in self._to(step) for value, step in pairs)

    def _to(self, step: Decimal) -> set[Decimal]:
        """Return all that is there, rounded to a step."""
        if step not in self._rounded:
            exact = self._values | self._scaled
            self._rounded[step] = {value for each in exact for value in _rounded(each, step)}
        return self._rounded[step]


def tie(answer: str, findings: Sequence[Finding]) -> list[NumberLink]:
    """Return the numbers of an answer that stand in a result, each text once, in the order of the answer."""
    held = [Held(finding) for finding in findings]
    links: dict[str, NumberLink] = {}
    for number in numbers(_LEFT_OUT.sub(lambda found: " " * len(found.group()), answer)):
        if number.text in links or len(links) >= MOST:
            continue
        finding = _holder(number, held)
        if finding is not None:
            links[number.text] = NumberLink(number.text, finding.call_id, dict(finding.reads))
    return list(links.values())


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a text in order."""
    for found in _NUMBER.finditer(text):
        written = found.group().strip()
        unit = next((u for u in _SCALES if written.endswith(u)), "")
        bare = written.removesuffix(unit).strip()
        if len(bare) > LONGEST:
            continue
        try:
            value = Decimal(re.sub("[,\u202f\u00a0]", "", bare).replace("\u2212", "-"))
        except InvalidOperation:
            continue
        if abs(value.adjusted()) > LONGEST:
            continue
        exponent = int(value.as_tuple().exponent)
        digits = len(str(abs(int(value.scaleb(-exponent)))).strip("0") or "0") if value.is_finite() else 0
        yield Number(written, value, _SCALES.get(unit, Decimal(1)), Decimal(1).scaleb(exponent), digits)


def _holder(number: Number, held: Sequence[Held]) -> Finding | None:
    exact = [each.finding for each in held if each.has(number)]
    return next(iter((exact or [each.finding for each in held if each.rounds_to(number)])[::-1]), None)


def _rounded(exact: Decimal, step: Decimal) -> list[Decimal]:
    try:
        return [exact.quantize(step, ROUND_HALF_EVEN), exact.quantize(step, ROUND_HALF_UP)]
    except InvalidOperation:
        return []
