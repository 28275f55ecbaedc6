"""Any function of the user's becomes a tool that works, or is refused with a sentence at once."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from nephele_nb.errors import SettingError, ToolError
from nephele_nb.strings import Strings
from nephele_nb.tools.registry import MORE, Desk, Tool, Toolbox, make_tool

DESK = Desk("c1", lambda event: None, Strings("en"))


def run(tool: Tool, **arguments: Any) -> str:
    """Return the text of a call, its arguments checked as the model's are."""

    async def main() -> str:
        return (await tool.run(tool.check(arguments), DESK)).text

    return asyncio.run(main())


def parameters(tool: Tool) -> dict[str, Any]:
    return tool.spec("en")["function"]["parameters"]["properties"]


def leaves() -> str:
    sys.exit("no key")


def interrupts() -> str:
    raise KeyboardInterrupt


def stops() -> str:
    return next(iter(()))


def is_late() -> str:
    raise TimeoutError("the shop is closed")


async def leaves_later() -> str:
    sys.exit("no key")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (leaves, "leaves ended with SystemExit: no key"),
        (leaves_later, "leaves_later ended with SystemExit: no key"),
        (interrupts, "interrupts ended with KeyboardInterrupt"),
        (stops, "stops ended with StopIteration"),
        (is_late, "is_late ended with TimeoutError: the shop is closed"),
    ],
)
def test_a_tool_can_end_only_itself(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(ToolError, match=words):
        run(Toolbox().register(function))


def counts(n: int) -> Iterator[int]:
    yield from range(n)


async def counts_slowly(n: int) -> AsyncIterator[int]:
    for i in range(n):
        await asyncio.sleep(0)
        yield i


def gives_a_map(n: int) -> Any:
    return map(str, range(n))


async def gives_a_generator(n: int) -> Any:
    return counts(n)


@pytest.mark.parametrize("function", [counts, counts_slowly, gives_a_map, gives_a_generator])
def test_what_is_yielded_is_the_result(function: Callable[..., Any]) -> None:
    assert run(Toolbox().register(function), n=3) == "0\n1\n2"


def never_ends() -> Iterator[str]:
    while True:
        yield "x" * 1000


async def never_ends_slowly() -> AsyncIterator[str]:
    while True:
        await asyncio.sleep(0)
        yield "x" * 1000


@pytest.mark.parametrize("function", [never_ends, never_ends_slowly])
def test_a_generator_without_end_is_left_in_time(function: Callable[..., Any]) -> None:
    assert run(Toolbox().register(function)).endswith(f"x\n{MORE}")


def odd(schema: int, copy: int, json: int, _x: int, model_config: int, self: int) -> str:
    return f"{schema} {copy} {json} {_x} {model_config} {self}"


def test_any_name_will_do_for_a_parameter() -> None:
    tool = Toolbox().register(odd)
    names = ["schema", "copy", "json", "_x", "model_config", "self"]
    assert list(parameters(tool)) == names
    assert parameters(tool)["_x"] == {"type": "integer"}
    assert run(tool, **{name: i for i, name in enumerate(names)}) == "0 1 2 3 4 5"
    with pytest.raises(ToolError, match=r"'schema' is missing.*no argument 'jsn' \(did you mean 'json'\?\)"):
        tool.check({"copy": 1, "jsn": 1, "_x": 1, "model_config": 1, "self": 1, "json": 1})


def by_place(a: int, b: int, /, c: int) -> str:
    return f"{a} {b} {c}"


def test_parameters_without_a_name_are_filled_by_place() -> None:
    assert run(Toolbox().register(by_place), a=1, b=2, c=3) == "1 2 3"


def at_shop(shop: object, item: str, n: int = 1) -> str:
    """Orders an item."""
    return f"{shop} {item} {n}"


@pytest.mark.parametrize("made", [functools.partial(at_shop, shop="s"), functools.partial(at_shop, "s")])
def test_a_partial_is_a_tool_without_what_it_fills(made: Callable[..., Any]) -> None:
    tool = Toolbox().register(made)
    assert (tool.name, tool.description, list(parameters(tool))) == ("at_shop", "Orders an item.", ["item", "n"])
    assert run(tool, item="tea") == "s tea 1"


class Adder:
    """Adds to what it holds."""

    def __init__(self, held: int) -> None:
        self.held = held

    def __call__(self, n: int) -> int:
        return self.held + n

    def method(self, n: int) -> int:
        return self.held * n


def test_an_object_needs_a_name_and_a_method_has_one() -> None:
    box = Toolbox()
    with pytest.raises(SettingError, match="give one with name="):
        box.register(Adder(1))
    tool = box.register(Adder(1), name="add")
    assert (run(tool, n=2), tool.description) == ("3", "Adds to what it holds.")
    assert run(box.register(Adder(3).method), n=2) == "6"


def test_a_lambda_needs_a_name() -> None:
    box = Toolbox()
    with pytest.raises(SettingError, match="give one with name="):
        box.register(lambda: 1)
    assert run(box.register(lambda: 1, name="one")) == "1"


def test_a_default_that_is_no_json_is_left_to_the_function() -> None:
    def wants(n: int = functools) -> str:
        return f"{n is functools}"

    assert run(Toolbox().register(wants)) == "True"


def of_frame(df: pd.DataFrame) -> str:
    return ""


def of_frame_or_none(n: int, df: pd.DataFrame | None = None) -> str:
    return ""


def of_function(f: int | Callable[[], int]) -> str:
    return ""


def of_many(*numbers: int) -> str:
    return ""


def of_any(**more: int) -> str:
    return ""


def untyped(n) -> str:
    return ""


def of_unknown(n: nowhere.Thing) -> str:  # noqa: F821 - the name is missing on purpose
    return ""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (of_frame, "can't write a DataFrame, which parameter 'df' wants; use text"),
        (of_frame_or_none, "parameter 'df' wants; use text"),
        (of_function, "parameter 'f' wants; use text"),
        (of_many, r"can't fill \*numbers: .*name each parameter"),
        (of_any, r"can't fill \*\*more: .*name each parameter"),
        (untyped, "give parameter 'n' a type"),
        (of_unknown, "import that name in its module"),
        (max, "wrap it in a function"),
        ("max", "it is not a function"),
    ],
)
def test_what_the_model_cannot_fill_is_refused_at_once(function: Any, words: str) -> None:
    box = Toolbox()
    with pytest.raises(SettingError, match=words):
        box.register(function)
    assert not box


@pytest.mark.parametrize("name", ["", "my tool", "汇总", "x" * 65, 3])
def test_a_name_no_provider_takes_is_refused(name: Any) -> None:
    with pytest.raises(SettingError, match="give one with name="):
        Toolbox().register(leaves, name=name)


def test_a_built_in_tool_gives_its_name_only_where_it_is_said() -> None:
    def look(n: int) -> str:
        """Look."""
        return f"mine {n}"

    box = Toolbox()
    built_in = box.put(make_tool(look, "runs", category="core"))
    with pytest.raises(SettingError, match=r"look is a built-in tool: .*replace=True"):
        box.register(look, "reads")
    assert box["look"] is built_in
    assert box.register(look, "reads", replace=True) is box["look"]
    assert box.register(look, "reads") is box["look"]  # the cell is run again
    assert box["look"].description == "Look."
