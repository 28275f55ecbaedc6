"""The page of one table: rows read where they lie, sorted and filtered by the table itself; a wrong filter is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import LibraryError
from ..strings import Strings
from .shape import Page, cell, offset_of, span_in

if TYPE_CHECKING:
    from ..agent import Agent
    from ..types import Scan

ROWS = 50
SCAN_CAP = 200_000
_MOST_CONDITIONS = 40


def table(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return 50 rows of a table, at the version and the rows that are wanted."""
    first = max(span_in(wanted.get("rows"), 1 << 62)[0], offset_of(wanted.get("offset")))
    version, order = wanted.get("version"), str(wanted.get("order_by") or "")
    conditions = _conditions(wanted.get("where"))
    kept = version if isinstance(version, int) else None
    try:
        scan = _scan(agent, target, conditions, order, first, kept)
    except LibraryError as error:
        if not (conditions or order):
            raise
        # The table is shown as it is, so that what was wrong can be put right there.
        whole = _scan(agent, target, [], "", 0, kept)
        return _page(whole, [], say) | {
            "about": "",
            "fault": str(error),
            "where": conditions,
            "order_by": order,
            "whole": 0,
        }
    return _page(scan, scan.rows[:ROWS], say) | {"where": conditions, "order_by": order}


def _scan(
    agent: Agent, name: str, conditions: Sequence[list[str]], order: str, first: int, version: int | None
) -> Scan:
    types = dict(agent.library.scan(name, cap=1, version=version).columns) if conditions else {}
    where = [
        (column, operator, _value(value, operator, types.get(column, ""))) for column, operator, value in conditions
    ]
    return agent.library.scan(
        name, where=where or None, order_by=order or None, offset=first, cap=SCAN_CAP, version=version
    )


def _page(scan: Scan, rows: Sequence[Mapping[str, Any]], say: Strings) -> Page:
    last = scan.offset + len(rows)
    counted = {"first": scan.offset + 1 if rows else 0, "last": last, "matched": scan.matched, "total": scan.total}
    form = "page_rows" if scan.matched == scan.total else "page_rows_matched"
    return {
        "target": scan.name,
        "title": scan.name,
        "about": say(form, version=scan.version, **counted),
        "columns": [list(column) for column in scan.columns],
        "rows": [[cell(row[name]) for name, _ in scan.columns] for row in rows],
        "offset": scan.offset,
        "whole": scan.matched,
        "version": scan.version,
    }


def _conditions(given: Any) -> list[list[str]]:
    """Return (column, operator, value) of each filter that is one."""
    listed = given if isinstance(given, list) else []
    formed = [each for each in listed if isinstance(each, list) and len(each) == 3]
    return [[str(part) for part in each] for each in formed if all(isinstance(part, str) for part in each)][
        :_MOST_CONDITIONS
    ]


def _value(text: str, operator: str, kind: str) -> Any:
    """Return what was typed as the column's own kind, where that isn't left to the table."""
    if kind == "bool" and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return None if operator.startswith("is ") else text
