"""What the model sees whole, what by name, and what that saves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nephele_nb.errors import ToolError
from nephele_nb.model.window import text_tokens
from nephele_nb.strings import Language, Strings
from nephele_nb.tools import RESEARCH, Offer, Organs, Toolbox, built_in
from nephele_nb.tools.offer import FEW, spoken_of
from nephele_nb.tools.registry import make_tool

CORE = ["search_notes", "read_note", "scan_table", "run_python", "load_tools"]


def box(own: int = 0) -> Toolbox:
    """Return the built-in tools (over organs that are never asked), and some of the user's own."""

    class Nothing:
        lookup = None

    def own_tool(city: str, days: int = 3, unit: str = "C") -> str:
        """Look up the weather forecast of a city for some days ahead, in degrees of a unit."""
        return city

    nothing: Any = Nothing()
    tools = built_in(Organs(lambda: nothing, nothing, lambda: 1.0, nothing, nothing, str))
    for n in range(own):
        tools.register(own_tool, "reads", name=f"forecast_{n}")
    return tools


def names(offer: Offer) -> list[str]:
    return [tool.name for tool in offer.whole()]


def size(offer: Offer | Toolbox, language: Language = "en") -> int:
    """Return about how many tokens of a request the tools take."""
    tools = offer.whole() if isinstance(offer, Offer) else offer.values()
    return text_tokens(json.dumps([tool.spec(language) for tool in tools], ensure_ascii=False))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_core_tools_are_whole_and_all_others_stand_by_name_under_their_category(language: Language) -> None:
    offer = Offer(box(), Strings(language), "why did it rain")
    assert names(offer) == CORE
    words = offer.whole()[-1].description
    for name, tool in box().items():
        assert (name in words) == (tool.category != "core")
    assert {"graph_query", "get_stats", "create_note", "inspect_variables"} <= set(offer)


def test_tools_of_a_box_that_has_no_loading_are_whole() -> None:
    research = box().only(lambda tool: tool.name in RESEARCH)
    assert sorted(names(Offer(research, Strings("en")))) == sorted(RESEARCH)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("which notes link to this one?", {"graph_query", "create_note"}),
        ("这篇和哪些有关联", {"graph_query", "get_stats"}),
        ("what columns does df have", {"inspect_variables"}),
        ("把结论记下来", {"create_note"}),
        ("run graph_query please", {"graph_query"}),
        ("the price of tea", set()),
    ],
)
def test_the_message_brings_the_category_it_speaks_of(message: str, wanted: set[str]) -> None:
    assert wanted <= set(names(Offer(box(), Strings("en"), message))) - set(CORE) or not wanted
    if not wanted:
        assert names(Offer(box(), Strings("en"), message)) == CORE


def test_words_are_whole_words_in_english() -> None:
    assert "views" not in spoken_of("an opening argument")
    assert "kernel" not in spoken_of("the dfx file")


def test_loading_is_for_the_round_and_keeps_the_order_of_what_was_there() -> None:
    tools = box()
    offer = Offer(tools, Strings("en"), "hm")
    before = names(offer)
    assert "graph_query" in offer.load(["graph_query", "graph_query"])
    assert names(offer) == [*before, "graph_query"]
    offer.load(["notes"])
    assert names(offer) == [*before, "graph_query", "create_note"]
    assert names(Offer(tools, Strings("en"), "hm")) == before


def test_an_unknown_name_is_said_and_the_known_ones_are_loaded() -> None:
    offer = Offer(box(), Strings("en"))
    said = offer.load(["get_stats", "teleport"])
    assert "get_stats" in said
    assert "teleport" in said
    with pytest.raises(ToolError, match="teleport"):
        offer.load(["teleport"])
    with pytest.raises(ToolError):
        offer.load([])


def test_a_tool_called_by_its_name_is_found_and_whole_from_then_on() -> None:
    offer = Offer(box(), Strings("en"))
    assert offer.find("graph_query", Strings("en")).name == "graph_query"
    assert names(offer)[-1] == "graph_query"


def test_a_few_tools_of_the_users_own_are_whole_and_many_are_names() -> None:
    assert "forecast_0" in names(Offer(box(own=FEW), Strings("en"), "hm"))
    many = Offer(box(own=FEW + 1), Strings("en"), "hm")
    assert names(many) == CORE
    assert "forecast_3" in many.whole()[-1].description
    assert names(Offer(box(own=FEW + 1), Strings("en"), "use forecast_3"))[-1] == "forecast_3"


def test_the_catalogue_is_the_same_text_all_through_a_round() -> None:
    offer = Offer(box(), Strings("en"))
    load = offer.whole()[-1]
    offer.load(["get_stats"])
    assert next(t for t in offer.whole() if t.name == "load_tools") is load


@pytest.mark.parametrize("own", [0, 24])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_step_carries_at_most_two_fifths_of_all_tools(language: Language, own: int) -> None:
    tools = box(own=own)
    assert size(Offer(tools, Strings(language), "hm"), language) <= 0.4 * size(tools, language)


def test_load_tools_alone_takes_what_it_is_given() -> None:
    def plain() -> str:
        return ""

    tools = Toolbox({"plain": make_tool(plain, "reads")})
    assert names(Offer(tools, Strings("en"))) == ["plain"]
