"""The page of the memory cards, or of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from .shape import Page, item, offset_of, part

if TYPE_CHECKING:
    from ..agent import Agent


def memory(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return one card where ``target`` names it, else a part of the list; raises NepheleError for no such card."""
    if target:
        card = agent.memory.read(target)
        about = " · ".join(part for part in (say(f"card_{card.type}"), card.updated[:10], card.summary) if part)
        return {"target": card.id, "title": card.title, "about": about, "text": card.body, "whole": len(card.body)}
    items = [item("memory", c.id, c.title, c.summary, group=c.type) for c in agent.memory.list()]
    return {"title": say("page_memory"), **part(items, offset_of(wanted.get("offset")))}
