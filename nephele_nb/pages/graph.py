"""The page of what is linked with an item: the items with how they hang together; where to place them is the view's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from .shape import MOST_ITEMS, Page, item

if TYPE_CHECKING:
    from ..agent import Agent
    from ..types import Neighbour, Neighbours

HOPS = 2
MOST_STARTS = 30


def graph(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return what lies within two links of ``target``; where that is empty, where one may begin."""
    if not target:
        return _starts(agent, say)
    hops = wanted.get("hops")
    near = agent.library.graph(target, hops if isinstance(hops, int) else HOPS)
    places = {near.content_id: -1} | {node.content_id: n for n, node in enumerate(near.nodes)}
    edges = {(places[e.source], places[e.target]) for e in near.edges if {e.source, e.target} <= places.keys()}
    return {
        "target": near.content_id,
        "title": near.titles.get(near.content_id) or target,
        "about": say("page_graph"),
        "items": [_node(node, near, places) for node in near.nodes],
        "edges": sorted(edges),
        "whole": len(near.nodes) + near.left_out,
    }


def _node(node: Neighbour, near: Neighbours, places: Mapping[str, int]) -> Page:
    *_, last = node.path
    parent = last.source if last.target == node.content_id else last.target
    view = "graph" if node.kind == "tag" else node.kind
    target = node.content_id.removeprefix("table:") if node.kind == "table" else node.content_id
    return item(
        view, target, node.title, last.evidence, kind=node.kind, distance=node.distance,
        parent=places.get(parent, -1), node=node.content_id, link=last.kind,
    )  # fmt: skip


def _starts(agent: Agent, say: Strings) -> Page:
    """Return tags, the most used first, tables and the newest notes: each may stand in the middle."""
    stats = agent.library.stats()
    tags = sorted(stats["tags"].items(), key=lambda each: (-each[1], each[0]))[:MOST_STARTS]
    items = [item("graph", f"tag:{tag}", f"#{tag}", "", kind="tag") for tag, _ in tags]
    items += [item("graph", f"table:{name}", name, "", kind="table") for name in list(stats["tables"])[:MOST_STARTS]]
    items += [item("graph", i, title or i, "", kind="note") for i, title in agent.library.titles()[:MOST_STARTS]]
    return {"title": say("page_starts"), "items": items[:MOST_ITEMS], "whole": len(items)}
