"""find_references: several sources asked at once; it says which were not asked, and invents no reference."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, Sequence

from ..errors import ToolError, nearest
from ..events import ToolOutput
from ..references import Enquiry, Finding, Reference, Source, enquire
from ..references.web import get
from ..strings import Strings
from ..types import ToolResult
from .registry import Desk, Tool, make_tool

EACH = 8
DEADLINE_S = 10.0
THUMBNAILS = 4
LONGEST_SNIPPET = 240


def find_references(sources: Callable[[], Sequence[Source]], network: Callable[[], bool]) -> Tool:
    """Return the tool over some sources; those beyond this machine are asked where ``network()`` says they may be."""
    chosen = sources

    async def find_references(query: str, desk: Desk, sources: list[str] | None = None) -> ToolResult:
        known = {source.name: source for source in chosen()}
        for name in sources or ():
            if name not in known:
                raise ToolError(
                    desk.say("references_unknown", name=name, nearest=nearest(name, known), known=", ".join(known))
                )
        asked = [known[name] for name in dict.fromkeys(sources or known)]
        finding = await enquire(asked, query, EACH, network(), DEADLINE_S)
        if network():
            await _show(finding.references, desk)
        own = [r.opened for r in finding.references if r.opened is not None]
        return ToolResult(
            listing(finding, [0] * len(own), desk.say),
            sources=tuple(own),
            numbered=lambda numbers: listing(finding, numbers, desk.say),
        )

    return make_tool(find_references, "reads", parallel=True, category="references")


def listing(finding: Finding, numbers: Sequence[int], say: Strings) -> str:
    """Return the finds as the model reads them, the user's own under their source numbers, and how each source was."""
    given = iter(numbers)
    lines = [_entry(reference, next(given) if reference.opened else None) for reference in finding.references]
    states = "; ".join(_state(enquiry, say) for enquiry in finding.enquiries)
    return "\n\n".join([*(lines or [say("references_none")]), say("references_states", states=states)])


def _entry(reference: Reference, number: int | None) -> str:
    people = ", ".join(reference.authors[:4]) + (" et al." if len(reference.authors) > 4 else "")
    head = " · ".join(str(part) for part in (reference.title, people, reference.year) if part)
    where = [reference.url, f"doi {reference.doi}" if reference.doi and reference.doi not in reference.url else ""]
    if reference.opened is not None:
        where.append(f"content_id {reference.opened.content_id}")
    where += [f"licence {reference.licence}" if reference.licence else "", f"from {', '.join(reference.sources)}"]
    lines = [f"{f'[{number}]' if number is not None else '-'} {head}", " · ".join(part for part in where if part)]
    return "\n  ".join([*lines, *([reference.snippet[:LONGEST_SNIPPET]] if reference.snippet else [])])


def _state(enquiry: Enquiry, say: Strings) -> str:
    words = say(f"reference_{enquiry.state}", count=enquiry.count, why=enquiry.why, seconds=DEADLINE_S)
    return f"{enquiry.source}: {words}"


async def _show(references: Sequence[Reference], desk: Desk) -> None:
    """Show small pictures on the call's card; they are fetched here, so that the page itself loads nothing."""
    pictures = [r for r in references if r.thumbnail][:THUMBNAILS]
    bodies = await asyncio.gather(*(_picture(r.thumbnail) for r in pictures))
    for reference, (mime, body) in zip(pictures, bodies, strict=True):
        if mime:
            caption = f"{reference.title} · {', '.join(reference.authors)} · {reference.licence} · {reference.url}"
            data = {mime: b64encode(body).decode(), "text/plain": caption}
            desk.emit(ToolOutput(desk.call_id, {"output_type": "display_data", "data": data, "metadata": {}}))


async def _picture(address: str) -> tuple[str, bytes]:
    try:
        async with asyncio.timeout(DEADLINE_S):
            body = await get(address, {})
    except (OSError, ValueError, TimeoutError):
        return "", b""
    return ("image/png" if body[:4] == b"\x89PNG" else "image/jpeg" if body[:2] == b"\xff\xd8" else ""), body
