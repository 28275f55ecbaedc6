"""Asks several sources at once, each with its own deadline; what one can't give takes nothing from the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .reference import Reference, Source, merged

State = Literal["found", "late", "failed", "offline"]


@dataclass(frozen=True, slots=True)
class Enquiry:
    """How one source answered: ``count`` finds, or why there are none."""

    source: str
    state: State
    count: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """All finds of one question, and how each source answered."""

    references: tuple[Reference, ...]
    enquiries: tuple[Enquiry, ...]


async def enquire(sources: Sequence[Source], query: str, count: int, network: bool, deadline_s: float) -> Finding:
    """Ask the sources side by side; those that are ``online`` only where ``network`` is allowed."""
    answers = await asyncio.gather(*(_ask(source, query, count, network, deadline_s) for source in sources))
    return Finding(tuple(merged(found for _, found in answers)), tuple(enquiry for enquiry, _ in answers))


async def _ask(
    source: Source, query: str, count: int, network: bool, deadline_s: float
) -> tuple[Enquiry, list[Reference]]:
    if source.online and not network:
        return Enquiry(source.name, "offline"), []
    try:
        async with asyncio.timeout(deadline_s):
            found = (await source.find(query, count))[:count]
    except TimeoutError:
        return Enquiry(source.name, "late"), []
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        # an answer of a form nobody expects is that source's failure, not the enquiry's
        return Enquiry(source.name, "failed", why=f"{type(error).__name__}: {error}"[:200]), []
    return Enquiry(source.name, "found", len(found)), found
