"""What the product says of itself, in the chat, its views and the magics alike: status, an undo, files added, help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..errors import LibraryError, ModelError
from ..model.choice import choose
from ..model.lite_client import runtime_is_there
from ..strings import Strings
from ..types import AddReport

if TYPE_CHECKING:
    from .switches import Surface

MOST_SKIPPED = 20


def status(agent: Surface, faults: Sequence[str], say: Strings) -> list[str]:
    """Return who answers, in which mode, what the library holds, and the rules' ``faults``, in lines."""
    lines = [_answerer(agent, say), say("status_mode", mode=agent.settings.mode)]
    try:
        stats = agent.library.stats()
        counts = {"notes": stats["notes"], "tables": len(stats["tables"]), "embedder": stats["embedder"]}
        lines += [say("status_library", **counts), *embedding(stats, say)]
    except LibraryError as error:
        lines.append(str(error))
    lines.append(say("status_home", home=agent.home))
    return [*lines, *(say("rule_fault", fault=fault) for fault in faults)]


def embedding(stats: Mapping[str, Any], say: Strings) -> list[str]:
    """Return how far the vectors are and what hinders them, in lines; nothing where all is as it should be."""
    total, embedder = stats["passages"], stats["embedder"]
    done = round(stats["embedded"] * total)
    lines = []
    if stats["former_embedder"]:
        lines.append(say("reembedding", former=stats["former_embedder"], embedder=embedder, done=done, total=total))
    elif embedder != "none" and done + stats["refused"] < total:
        lines.append(say("embedding", done=done, total=total))
    if stats["refused"]:
        lines.append(say("not_embedded", count=stats["refused"]))
    if stats["embedder_fault"]:
        lines.append(say("embedder_fault", fault=stats["embedder_fault"]))
    return lines


def added(report: AddReport, words: Strings) -> list[str]:
    """Return what was added, in lines; of many files that were skipped the first."""
    counts = {"added": len(report.added), "updated": len(report.updated), "unchanged": len(report.unchanged)}
    lines = [words("add_report", **counts)]
    lines += [words("add_moved", count=len(report.moved))] if report.moved else []
    lines += [words("add_removed", count=len(report.removed))] if report.removed else []
    lines += [words("add_skipped", path=s.path, reason=s.reason) for s in report.skipped[:MOST_SKIPPED]]
    more = len(report.skipped) - MOST_SKIPPED
    return [*lines, words("add_skipped_more", count=more)] if more > 0 else lines


def taken_back(report: Any, say: Strings) -> list[str]:
    """Return what an undo (its ``UndoReport``) did and what it left, in lines."""
    lines = [say("undone", restored=len(report.restored), left=len(report.not_restored))]
    lines += [f"- {say('undone_item', name=name)}" for name in report.restored]
    return lines + [f"- {say('left_item', name=n.operation, reason=n.reason)}" for n in report.not_restored]


def help_text(say: Strings) -> str:
    """Return the help."""
    return files("nephele_nb").joinpath("prompts", f"help.{say.language}.md").read_text("utf-8").strip()


def _answerer(agent: Surface, say: Strings) -> str:
    try:
        endpoint = agent.endpoint_of()
    except ModelError as error:
        return str(error)
    model = endpoint.model
    if endpoint.tier == "lite" and runtime_is_there():
        found = choose(agent.settings.lite_model, agent.settings.home_folder).model
        model = found.name if found else ""
    where = endpoint.host or say("status_here")
    return say("status_tier", tier=endpoint.tier, model=model or say("status_no_model"), host=where)
